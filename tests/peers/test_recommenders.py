"""Live against RecTools, RePlay, LensKit and vendi-score, which run in an environment of their own: ``make test-peers``.

They need an older NumPy than aspectrum, so :mod:`tests.peers.recommenders` is run once by their Python, on all worlds.

Worlds have uneven lists, items that nobody had or that the catalogue does not have, ties in popularity, repeated history rows, and users
without a list, without relevant items, without a history or without a baseline. They leave out what these libraries cannot have, or where
their answer depends on how it is asked for:

- A history of one user: RePlay's Surprisal divides by log2(1).
- A user who is in RePlay's ground truth without a relevant item, which a mapping can have and a table cannot: it counts as 0 there.
- An empty list in a table of RecTools, which has no row for it, and in RePlay's CategoricalDiversity, which raises an IndexError.
- The same relevant item twice: RecTools then counts it twice.
- Tied scores: RePlay orders them by item id in tables, but as they come in mappings, and its coverage and diversity in neither way.
- An empty list of a user without a relevant item: LensKit passes over it, but counts 0 where such a user has a list.
- RBP(normalize=True) of lists that are shorter than k: LensKit then divides by what a list of that length could have.
- Lists in which no item has a category: LensKit's entropy of these is that of its smoothing alone, here it is undefined.
- The number of recommended items, which LensKit has from 2026 on, for newer versions of Python.
"""

import json
import os
import random
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aspectrum as asp

pytestmark = pytest.mark.peers

CUTOFFS = (1, 3, 5, 20)
N_WORLDS = 30
PYTHON = "ASPECTRUM_PEERS_PYTHON"

RECTOOLS = {
    "Precision": "Precision",
    "Precision(r_precision=True)": "RPrecision",
    "Recall": "Recall",
    "HitRate": "HitRate",
    "MRR": "MRR",
    "MAP": "MAP",
    "MAP(divide_by_k=True)": "MAP(denominator=k)",
    "NDCG": "NDCG",
    "NDCG(log_base=10)": "NDCG(base=10)",
    "AvgRecPopularity": "AveragePopularity",
    "AvgRecPopularity(normalize=True)": "AveragePopularity(scale=interactions)",
    "MeanInvUserFreq": "SelfInformation",
    "Serendipity": "Serendipity",
    "IntraListDiversity": "IntraListDiversity",
    "CatalogCoverage": "CatalogueCoverage",
}
"""Under the convention rectools."""

RECTOOLS_OPTIONS: Mapping[str, tuple[str, Any]] = {
    "NDCG(divide_by_achievable=True)": ("NDCG(gain=binary)", "relevant"),
    "CatalogCoverage(normalize=True)": ("CatalogueCoverage(outside=keep)", "lists"),
}
"""Options that are our defaults, which the convention would replace: parameters, and who is averaged, instead of a convention."""

REPLAY = {
    **{name: name for name in ("Precision", "Recall", "MAP", "NDCG", "HitRate", "MRR", "Unexpectedness")},
    "Coverage": "CatalogueCoverage",
    "Surprisal": "SelfInformation",
    "Novelty": "UnseenShare",
    "CategoricalDiversity": "AspectRecall",
}
"""Under the convention replay."""

LENSKIT = {
    "NDCG": "NDCG",
    "Hit": "HitRate",
    "RecipRank": "MRR",
    "RBP": "RBP",
    "RBP(normalize=True)": "RBP(normalize=true)",
    "MeanPopRank": "MeanPopularityRank",
    "ListGini": "Gini",
    "ExposureGini": "Gini(discount=geometric)",
    "entropy": "AspectEntropy",
    "rank_biased_entropy": "AspectEntropy(discount=geometric)",
}
"""Under the convention lenskit."""

LENSKIT_OPTIONS = {"NDCG(gain=rating)": "NDCG(discount=clipped)"}


def make_world(choose: random.Random) -> dict[str, Any]:
    """A world as plain data."""
    items = [f"i{number}" for number in range(choose.choice((6, 12, 40)))]
    users = [f"u{number}" for number in range(choose.choice((3, 8, 15)))]
    had = choose.choices(items, weights=[1 / rank for rank in range(1, len(items) + 1)], k=choose.randint(4, 60))
    history = [["u0", items[0]], ["u1", items[0]], *([choose.choice(users), item] for item in had)]
    listed = [user for user in users if choose.random() < 0.85] or users[:1]
    unlisted = [user for user in users if user not in listed]

    def some(least: int, most: int) -> list[str]:
        return choose.sample(items, min(len(items), choose.randint(least, most)))

    return {
        "cutoffs": list(CUTOFFS),
        "lists": {user: some(1, choose.choice((1, 3, 30))) for user in listed},
        "empty": [user for user in unlisted if choose.random() < 0.3],
        "history": history,
        "relevance": {user: some(1, 8) for user in users if choose.random() < 0.7} or {users[0]: items[:1]},
        "irrelevant": {user: some(0, 3) for user in users},
        "baseline": {user: some(1, 10) for user in users if choose.random() < 0.8} or {users[0]: items[:2]},
        "categories": {item: choose.choice("abcd") for item in items if choose.random() < 0.8} or {items[0]: "a"},
        "features": {item: [float(choose.randrange(3)) for _ in range(4)] for item in items if choose.random() < 0.8}
        or {items[0]: [1.0] * 4},
        "catalogue": [*(item for item in items if choose.random() < 0.9), "x", "y"],
    }


def make_vectors(choose: random.Random) -> list[list[float]]:
    """The vectors of the items of a list: more than dimensions, or fewer; some are copies."""
    n, d = choose.choice(((1, 3), (4, 8), (5, 5), (12, 4), (20, 64)))
    vectors = [[choose.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    if n > 1 and choose.random() < 0.3:
        vectors[1] = list(vectors[0])
    return vectors


WORLDS = [make_world(random.Random(f"world {number}")) for number in range(N_WORLDS)]
VECTORS = [make_vectors(random.Random(f"vectors {number}")) for number in range(100)]


@pytest.fixture(scope="module")
def theirs() -> Any:
    """What the libraries say of all worlds."""
    python = os.environ.get(PYTHON)
    if not python:
        reason = f"{PYTHON} does not name a Python that has RecTools, RePlay, LensKit and vendi-score: run make test-peers"
        if os.environ.get("ASPECTRUM_REQUIRE_PEERS"):
            pytest.fail(reason)
        pytest.skip(reason)
    script = Path(__file__).with_name("recommenders.py")
    given = json.dumps({"worlds": [{**world, "grades": grades_in(world)} for world in WORLDS], "vectors": VECTORS})
    ran = subprocess.run([python, str(script)], input=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def grades_in(world: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Grades of 1 and more for what is relevant, and of 0 for other items, of which their libraries know nothing."""
    grades = {user: dict.fromkeys(items, 0.0) for user, items in world["irrelevant"].items()}
    for user, items in world["relevance"].items():
        grades[user] |= {item: 1.0 + place % 3 for place, item in enumerate(items)}
    return grades


def inputs_of(world: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "history": [tuple(row) for row in world["history"]],
        "relevance": grades_in(world),
        "baseline": world["baseline"],
        "aspects": {item: [category, item] for item, category in world["categories"].items()},  # of which the first is RePlay's category
        "features": world["features"],
        "catalogue": world["catalogue"],
    }


def check(ours: asp.Results, name: str, theirs: Mapping[str, Any], told: str) -> None:
    """The mean, however they compute it, and the scores of the same users."""
    close = 1e-6 if told.startswith("ExposureGini") else 1e-9  # which adds 32-bit numbers
    for way, mean in theirs["means"].items():
        assert ours[name] == pytest.approx(mean, rel=close, abs=close, nan_ok=True), f"{told} {way}"
    if "users" not in theirs and "some_users" not in theirs:
        return
    found = {user: score for user, score in ours.per_user.select("user", name).iter_rows() if score is not None}
    assert "some_users" in theirs or found.keys() == theirs["users"].keys(), told
    for user, score in {**theirs.get("users", {}), **theirs.get("some_users", {})}.items():
        assert found[user] == pytest.approx(score, rel=1e-9, abs=1e-9, nan_ok=True), f"{told} {user}"


def at_cutoffs(metrics: Iterable[str]) -> list[str]:
    return [f"{metric}@{','.join(map(str, CUTOFFS))}" for metric in metrics]


@pytest.mark.parametrize("number", range(N_WORLDS))
def test_rectools(number: int, theirs: Any) -> None:
    world, expected = WORLDS[number], theirs["rectools"][number]
    assert {name.rpartition("@")[0] for name in expected} == {*RECTOOLS, *RECTOOLS_OPTIONS}
    ours = asp.evaluate(world["lists"], at_cutoffs(RECTOOLS.values()), convention="rectools", **inputs_of(world))
    for name, metric in RECTOOLS.items():
        for k in CUTOFFS:
            check(ours, str(asp.parse(f"{metric}@{k}")), expected[f"{name}@{k}"], f"{name}@{k}")
    for name, (metric, users) in RECTOOLS_OPTIONS.items():
        option = asp.evaluate(world["lists"], at_cutoffs([metric]), users=users, **inputs_of(world))
        for k in CUTOFFS:
            check(option, f"{metric}@{k}", expected[f"{name}@{k}"], f"{name}@{k}")


@pytest.mark.parametrize("number", range(N_WORLDS))
def test_replay(number: int, theirs: Any) -> None:
    world, expected = WORLDS[number], theirs["replay"][number]
    lists = {**world["lists"], **{user: [] for user in world["empty"]}}
    assert {name.rpartition("@")[0] for name in expected} == REPLAY.keys()
    ours = asp.evaluate(lists, at_cutoffs(set(REPLAY.values()) - {"AspectRecall"}), convention="replay", **inputs_of(world))
    diversity = asp.evaluate(world["lists"], at_cutoffs(["AspectRecall"]), convention="replay", **inputs_of(world))
    for name, metric in REPLAY.items():
        for k in CUTOFFS:
            check(diversity if metric == "AspectRecall" else ours, f"{metric}@{k}", expected[f"{name}@{k}"], f"{name}@{k}")


@pytest.mark.parametrize("number", range(N_WORLDS))
def test_lenskit(number: int, theirs: Any) -> None:
    world, expected = WORLDS[number], theirs["lenskit"][number]
    assert {name.rpartition("@")[0] for name in expected} == {*LENSKIT, *LENSKIT_OPTIONS}
    lists = {**world["lists"], **{user: [] for user in world["empty"] if user in world["relevance"]}}
    inputs = inputs_of(world) | {"catalogue": list({*world["catalogue"], *(item for items in world["lists"].values() for item in items)})}
    ours = asp.evaluate(lists, at_cutoffs(LENSKIT.values()), convention="lenskit", **inputs)
    option = asp.evaluate(lists, at_cutoffs(LENSKIT_OPTIONS.values()), **inputs)
    for name, metric in (LENSKIT | LENSKIT_OPTIONS).items():
        for k in CUTOFFS:
            check(option if name in LENSKIT_OPTIONS else ours, str(asp.parse(f"{metric}@{k}")), expected[f"{name}@{k}"], f"{name}@{k}")


@pytest.mark.parametrize(
    ("convention", "names", "left_out"),
    [("rectools", RECTOOLS, ()), ("replay", REPLAY, ()), ("lenskit", LENSKIT, ("CatalogueCoverage",))],
)
def test_every_metric_of_the_convention_is_compared(convention: str, names: Mapping[str, str], left_out: tuple[str, ...]) -> None:
    compared = {type(asp.parse(metric)).__name__ for metric in names.values()}
    assert {*compared, *left_out} == set(asp.CONVENTIONS[convention].covers or ())


def test_versions_are_those_of_the_conventions(theirs: Any) -> None:
    libraries = (("rectools", "rectools", "RecTools"), ("replay", "replay-rec", "RePlay"), ("lenskit", "lenskit", "LensKit"))
    for convention, library, name in libraries:
        version = ".".join(theirs["versions"][library].split(".")[:2])
        assert asp.CONVENTIONS[convention].summary.startswith(f"{name} {version}:")


@pytest.mark.parametrize("q", ["0.5", "1", "2", "inf"])
def test_vendi_score(q: str, theirs: Any) -> None:
    """The order q of its score_X is not compared: that function ignores q."""
    for vectors, scores in zip(VECTORS, theirs["vendi"], strict=True):
        world = asp.World.of({"u": range(len(vectors))}, features=np.array(vectors))
        found = float(asp.VendiScore(q="inf" if q == "inf" else float(q)).scores(world)[0, 0])
        n, d = len(vectors), len(vectors[0])
        has_copies = vectors[0] in vectors[1:]
        for way, score in scores[q].items():
            has_zeros = has_copies or (n > d if way == "score_K" else d > n)
            close = 1e-6 if q == "0.5" and has_zeros else 1e-9  # vendi-score takes the root of eigenvalues that are 0 but for rounding
            assert found == pytest.approx(score, rel=close), (way, n, d)
