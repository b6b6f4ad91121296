"""What RecTools, RePlay and vendi-score make of some worlds: JSON in, JSON out.

``make test-peers`` runs it by the Python of an environment of their own, as they need older libraries than aspectrum, of which nothing is
imported here.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Scores = dict[str, dict[str, Any]]
"""By the name of a metric and its cutoff: its means, by the way they were computed, and the scores of users where it has any."""


def rectools_scores(world: Mapping[str, Any]) -> Scores:
    import pandas as pd
    from rectools import Columns
    from rectools import metrics as rt

    def table(rows: Iterable[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
        return pd.DataFrame(list(rows), columns=list(columns))

    lists = ((user, item, rank) for user, items in world["lists"].items() for rank, item in enumerate(items, 1))
    test = ((user, item) for user, items in world["relevance"].items() for item in items)
    given = {
        "reco": table(lists, Columns.User, Columns.Item, Columns.Rank),
        "interactions": table(test, Columns.User, Columns.Item),
        "prev_interactions": table(map(tuple, world["history"]), Columns.User, Columns.Item),
        "catalog": world["catalogue"],
    }
    differing = rt.PairwiseHammingDistanceCalculator(pd.DataFrame.from_dict(world["features"], orient="index"))
    found, past, seen = ("reco", "interactions"), ("reco", "prev_interactions"), ("reco", "interactions", "prev_interactions", "catalog")
    makers: dict[str, tuple[Callable[[int], Any], tuple[str, ...]]] = {
        "Precision": (rt.Precision, found),
        "Precision(r_precision=True)": (lambda k: rt.Precision(k, r_precision=True), found),
        "Recall": (rt.Recall, found),
        "HitRate": (rt.HitRate, found),
        "MRR": (rt.MRR, found),
        "MAP": (rt.MAP, found),
        "MAP(divide_by_k=True)": (lambda k: rt.MAP(k, divide_by_k=True), found),
        "NDCG": (rt.NDCG, found),
        "NDCG(log_base=10)": (lambda k: rt.NDCG(k, log_base=10), found),
        "NDCG(divide_by_achievable=True)": (lambda k: rt.NDCG(k, divide_by_achievable=True), found),
        "AvgRecPopularity": (rt.AvgRecPopularity, past),
        "AvgRecPopularity(normalize=True)": (lambda k: rt.AvgRecPopularity(k, normalize=True), past),
        "MeanInvUserFreq": (rt.MeanInvUserFreq, past),
        "Serendipity": (rt.Serendipity, seen),
        "IntraListDiversity": (lambda k: rt.IntraListDiversity(k, differing), ("reco",)),
        "CatalogCoverage": (rt.CatalogCoverage, ()),
        "CatalogCoverage(normalize=True)": (lambda k: rt.CatalogCoverage(k, normalize=True), ()),
    }
    metrics = {f"{name}@{k}": (make(k), inputs) for name, (make, inputs) in makers.items() for k in world["cutoffs"]}
    means = rt.calc_metrics({name: metric for name, (metric, _) in metrics.items()}, **given)
    scores: Scores = {}
    for name, (metric, inputs) in metrics.items():
        scores[name] = {"means": {"calc_metrics": float(means[name])}}
        if inputs:
            by_user = metric.calc_per_user(**{each: given[each] for each in inputs})
            scores[name] |= {"users": {user: float(score) for user, score in by_user.items()}}
    return scores


def replay_scores(world: Mapping[str, Any]) -> Scores:
    import polars as pl
    from replay import metrics as rp

    def scored(lists: Mapping[str, list[Any]]) -> dict[str, list[tuple[Any, float]]]:
        return {user: [(item, -float(rank)) for rank, item in enumerate(items)] for user, items in lists.items()}

    def frame(lists: Mapping[str, list[Any]], last: str = "item_id") -> pl.DataFrame:
        rows = [(user, item, -float(rank)) for user, items in lists.items() for rank, item in enumerate(items)]
        return pl.DataFrame(rows, schema={"query_id": pl.String, last: pl.String, "rating": pl.Float64}, orient="row")

    train: dict[str, list[str]] = {}
    for user, item in world["history"]:
        train.setdefault(user, []).append(item)
    lists = {**world["lists"], **{user: [] for user in world["empty"]}}
    categories = {user: [world["categories"].get(item) for item in items] for user, items in world["lists"].items()}
    test, baseline = world["relevance"], world["baseline"]
    mappings = {"test": test, "train": train, "baseline": scored(baseline)}
    frames = {"test": frame(test), "train": frame(train), "baseline": frame(baseline)}
    against = {
        **dict.fromkeys(("Precision", "Recall", "MAP", "NDCG", "HitRate", "MRR"), "test"),
        **dict.fromkeys(("Coverage", "Surprisal", "Novelty"), "train"),
        "Unexpectedness": "baseline",
    }
    found: Scores = {}

    def add(kind: Any, mapped: tuple[Any, ...], framed: tuple[Any, ...]) -> None:
        ks, name = world["cutoffs"], kind.__name__
        means = {"dict": kind(ks)(*mapped), **({} if world["empty"] else {"polars": kind(ks)(*framed)})}
        users = {} if kind is rp.Coverage else kind(ks, mode=rp.PerUser())(*mapped)
        for k in ks:
            found[f"{name}@{k}"] = {"means": {way: mean[f"{name}@{k}"] for way, mean in means.items()}}
            if users:
                found[f"{name}@{k}"]["users"] = users[f"{name}-PerUser@{k}"]

    for name, other in against.items():
        add(getattr(rp, name), (scored(lists), mappings[other]), (frame(lists), frames[other]))
    add(rp.CategoricalDiversity, (scored(categories),), (frame(categories, "category_id"),))  # an empty list is an error there
    return found


def vendi_scores(vectors: list[list[float]]) -> Mapping[str, Mapping[str, float]]:
    import numpy as np
    from vendi_score import vendi

    rows = np.array(vectors)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    orders: dict[str, Any] = {"0.5": 0.5, "1": 1, "2": 2, "inf": "inf"}
    return {
        name: {"score_K": float(vendi.score_K(rows @ rows.T, q=q)), "score_dual": float(vendi.score_dual(rows, q=q))}
        for name, q in orders.items()
    }


def main() -> None:
    """Read the worlds and lists of vectors from the standard input, and write what the libraries make of them."""
    warnings.simplefilter("ignore")
    from importlib.metadata import version

    given = json.load(sys.stdin)
    answer = {
        "versions": {name: version(name) for name in ("rectools", "replay-rec", "vendi-score")},
        "rectools": [rectools_scores(world) for world in given["worlds"]],
        "replay": [replay_scores(world) for world in given["worlds"]],
        "vendi": [vendi_scores(vectors) for vectors in given["vectors"]],
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
