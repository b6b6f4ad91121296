"""What RecTools, RePlay, LensKit and vendi-score make of some worlds: JSON in, JSON out.

``make test-peers`` runs it by the Python of an environment of their own, as they need older libraries than aspectrum, of which nothing is
imported here.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Scores = dict[str, dict[str, Any]]
"""By the name of a metric and its cutoff: its means, by the way they were computed, and the scores of users, or of some of them."""


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


def lenskit_scores(world: Mapping[str, Any]) -> Scores:
    import numpy as np
    import pandas as pd
    from lenskit import metrics as lk
    from lenskit.data import ItemList, ItemListCollection, from_interactions_df
    from lenskit.metrics.ranking import entropy, rank_biased_entropy

    def collected(lists: Mapping[str, list[str]], **fields: Mapping[str, Mapping[str, float]]) -> Any:
        collection = ItemListCollection(["user_id"])
        for user, items in lists.items():
            of_items = {name: [values[user][item] for item in items] for name, values in fields.items()}
            collection.add(ItemList(item_ids=np.array(items, dtype=str), ordered=not fields, **of_items), user_id=user)
        return collection

    lists = world["lists"]
    outputs, test = collected(lists), collected(world["relevance"], rating=world["grades"])
    with_empty = collected({**lists, **{user: [] for user in world["empty"] if user in world["relevance"]}})
    train = from_interactions_df(pd.DataFrame(world["history"], columns=["user_id", "item_id"]).drop_duplicates())
    n_items = len({*world["catalogue"], *(item for items in lists.values() for item in items)})
    groups = sorted({*world["categories"], *world["categories"].values()})
    shares = {item: [(group in (item, category)) / 2 for group in groups] for item, category in world["categories"].items()}
    found: Scores = {}

    of_lists: dict[str, Callable[[int], Any]] = {
        "NDCG": lk.NDCG,
        "Hit": lk.Hit,
        "RecipRank": lk.RecipRank,
        "RBP": lk.RBP,
        "MeanPopRank": lambda k: lk.MeanPopRank(train, n=k),
    }
    analysis = lk.RunAnalysis()
    for name, make in of_lists.items():
        for k in world["cutoffs"]:
            analysis.add_metric(make(k), label=f"{name}@{k}")
    measured = analysis.measure(with_empty, test)
    for label, scores in measured.list_metrics().items():
        mean = float(measured.list_summary()["mean"][label])
        found[label] = {"means": {"list_summary": mean}, "users": {user: float(score) for user, score in scores.items()}}

    for kind in (lk.ListGini, lk.ExposureGini):  # to which empty lists have ids of another type
        for k in world["cutoffs"]:
            whole = lk.RunAnalysis(kind(k, items=n_items)).measure(outputs, test).global_metrics()
            found[f"{kind.__name__}@{k}"] = {"means": {"global_metrics": float(whole.iloc[0])}}
    for name, compute in (("entropy", entropy), ("rank_biased_entropy", rank_biased_entropy)):
        for k in world["cutoffs"]:
            scores = {}
            for user, items in lists.items():
                matrix = np.array([shares.get(item, [0.0] * len(groups)) for item in items])
                if matrix[:k].any():
                    scores[user] = float(compute(outputs.lookup(user_id=user), matrix, n=k))
            found[f"{name}@{k}"] = {"means": {}, "some_users": scores}
    for k in world["cutoffs"]:
        for name, metric in (("NDCG(gain=rating)", lk.NDCG(k, gain="rating")), ("RBP(normalize=True)", lk.RBP(k, normalize=True))):
            long = [user for user, items in world["relevance"].items() if len(lists.get(user, ())) >= min(k, len(items))]
            scores = {user: float(metric.measure_list(outputs.lookup(user_id=user), test.lookup(user_id=user))) for user in long}
            found[f"{name}@{k}"] = {"means": {}, "some_users": scores}
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
        "versions": {name: version(name) for name in ("rectools", "replay-rec", "lenskit", "vendi-score")},
        "rectools": [rectools_scores(world) for world in given["worlds"]],
        "replay": [replay_scores(world) for world in given["worlds"]],
        "lenskit": [lenskit_scores(world) for world in given["worlds"]],
        "vendi": [vendi_scores(vectors) for vectors in given["vectors"]],
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
