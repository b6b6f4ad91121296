"""Expected profile distance against its definition in plain Python."""

import math
from decimal import Decimal, localcontext
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import aspectrum as asp
from aspectrum.metrics.epd import EPD
from tests import plain, toy
from tests.plain import Distance, Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, inputs_of, same, worlds

WORLDS = worlds(features=True, weights=False, strengths=False, n_aspects=[1])
DISTANCES: st.SearchStrategy[Distance] = st.sampled_from(["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming"])
TO: st.SearchStrategy[Literal["mean", "nearest"]] = st.sampled_from(["mean", "nearest"])
MISSING: st.SearchStrategy[Literal["skip", "zero", "far"]] = st.sampled_from(["skip", "zero", "far"])
DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from([("log", 0.85), ("none", 0.85), ("reciprocal", 0.85), ("geometric", 0.6)])
RELEVANCE: st.SearchStrategy[Any] = st.sampled_from(["binary", "graded", "none"])


def discount_of(kind: str, patience: float, rank: int) -> float:
    factors = {"log": plain.log2_discount(rank), "none": 1.0, "reciprocal": 1 / rank, "geometric": patience ** (rank - 1)}
    return factors[kind]


def relevance_of(world: PlainWorld, user: Id, item: Id, relevance: str) -> float:
    if relevance == "none":
        return 1.0
    if relevance == "binary":
        return float(item in plain.relevant_items(world, user))
    largest = plain.largest_grade(world, "relevance")
    return float((2 ** max(world.relevance.get(user, {}).get(item, 0.0), 0.0) - 1) / 2 ** (largest if largest > 0 else 1.0))


def to_history(world: PlainWorld, user: Id, item: Id, *, distance: Distance, to: str, missing: str) -> float:
    features = {one: vector for one, vector in (world.features or {}).items() if any(vector) or distance not in ("cosine", "jaccard")}
    distances = []
    for other in world.history.get(user, ()):
        if item in features and other in features:
            distances.append(plain.distance_between(features[item], features[other], distance))
        elif missing == "far":
            distances.append(1.0)
    if not distances:
        return 0.0 if missing == "zero" else math.nan
    return min(distances) if to == "nearest" else math.fsum(distances) / len(distances)


def epd_terms(
    world: PlainWorld, user: Id, k: int, *, discount: tuple[str, float], relevance: str, distance: Distance, to: str, missing: str
) -> tuple[float, float]:
    above, below = [], []
    for rank, item in enumerate(plain.cut(world.rankings.get(user, []), k), 1):
        novelty = to_history(world, user, item, distance=distance, to=to, missing=missing)
        if not math.isnan(novelty):
            factor = discount_of(*discount, rank)
            above.append(factor * relevance_of(world, user, item, relevance) * novelty)
            below.append(factor)
    if relevance != "none" and not plain.relevant_items(world, user):
        return 0.0, 0.0
    return math.fsum(above), math.fsum(below)


@checked(200)
@given(WORLDS, CUTOFFS, DISCOUNTS, RELEVANCE, DISTANCES, TO, MISSING)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], discount: Any, relevance: Any, distance: Distance, to: Any, missing: Any
) -> None:
    shared: Any = {"relevance": relevance, "distance": distance, "to": to, "missing": missing}
    metric = EPD(k=k, discount=discount[0], patience=discount[1], **shared)
    check_scores(metric, world, lambda user, k: plain.ratio(*epd_terms(world, user, k, discount=discount, **shared)))


@checked(60)
@given(WORLDS.filter(lambda world: bool(world.features)), CUTOFFS, DISTANCES, TO)
def test_sparse_vectors_score_as_dense_ones(world: PlainWorld, k: tuple[int, ...], distance: Distance, to: Any) -> None:
    assert world.features is not None
    inputs = inputs_of(world)
    inputs["features"] = (list(world.features), sparse.csr_array(np.array(list(world.features.values()))))
    metric = EPD(k=k, distance=distance, to=to, relevance="none")
    np.testing.assert_allclose(metric.scores(asp.World.of(**inputs)), metric.scores(build(world)), rtol=1e-12, atol=1e-12)


@checked(40)
@given(WORLDS, DISCOUNTS, MISSING)
def test_all_recommendations_count_alike(world: PlainWorld, discount: Any, missing: Any) -> None:
    shared: Any = {"relevance": "none", "distance": "cosine", "to": "mean", "missing": missing}
    terms = [epd_terms(world, user, 3, discount=discount, **shared) for user in world.rankings]
    expected = plain.ratio(math.fsum(above for above, _ in terms), math.fsum(below for _, below in terms))
    metric = EPD(k=3, discount=discount[0], patience=discount[1], average="links", **shared)
    assert same(asp.evaluate(build(world), metric)[metric], expected)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"relevance": "none"}, 0.326612),
        ({"relevance": "none", "missing": "zero"}, 0.289407),  # RankSys
        ({"relevance": "none", "missing": "zero", "discount": "none", "average": "links"}, 0.284512),  # Unexpectedness of RELISON
        ({"relevance": "none", "missing": "far", "discount": "none"}, 0.395623),  # serendipity of Microsoft Recommenders without relevance
        ({"missing": "far", "discount": "none"}, 0.112042),  # and with it
    ],
)
def test_numbers_of_other_programs(parameters: Any, expected: float) -> None:
    metric = EPD(k=3, **parameters)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=1e-6)


def test_by_hand() -> None:
    world = asp.World.of(toy.LISTS, history=toy.HISTORY, features=toy.FEATURES)
    to_d = (0.4 + (1 - 7 / 5 / math.sqrt(2)) + 0.2) / 3  # from a, b and c
    assert to_d == pytest.approx(0.20335, abs=1e-6)
    assert EPD(k=1).scores(world)[0, 0] == pytest.approx(to_d, abs=1e-14)
    to_f = (1 + (1 - 1 / math.sqrt(2)) + 0) / 3
    assert to_f == pytest.approx(0.430964, abs=1e-6)
    assert EPD(k=3, discount="none").scores(world)[0, 0] == pytest.approx((2 * to_d + to_f) / 3, abs=1e-14)
    assert EPD(k=3, discount="none").scores(world)[0, 0] == pytest.approx(0.279222, abs=1e-6)
    assert EPD(k=3, discount="none", to="nearest").scores(world)[0, 0] == pytest.approx(2 * (1 - 7 / 5 / math.sqrt(2)) / 3, abs=1e-14)


def test_undefined() -> None:
    features: Any = {"a": [1, 0], "b": [0, 1], "zero": [0, 0]}
    lists = {"no history": ["a"], "no features": ["new", "zero"], "history without": ["a"], "empty": [], "fine": ["a", "new"]}
    history = {"no features": ["b"], "history without": ["zero", "new"], "empty": ["a"], "fine": ["b", "zero"]}
    world = asp.World.of(lists, history=history, features=features)
    found = {missing: EPD(missing=missing).scores(world)[:5, 0].tolist() for missing in ("skip", "zero", "far")}
    assert [None if math.isnan(score) else score for score in found["skip"]] == [None, None, None, None, 1.0]
    assert found["zero"][:3] == [0.0, 0.0, 0.0]
    assert math.isnan(found["zero"][3])
    assert [None if math.isnan(score) else score for score in found["far"]] == [None, 1.0, 1.0, None, 1.0]
    relevant = asp.World.of({"u": ["a"]}, history={"u": ["b"]}, features=features, relevance={"u": {"a": 0}})
    assert math.isnan(EPD().scores(relevant)[0, 0])


def true_mean_cosine(vector: Any, others: Any) -> float:
    """With sixty digits."""
    with localcontext() as context:
        context.prec = 60
        exact = [[Decimal(float(x)) for x in one] for one in (vector, *others)]

        def dot(a: list[Decimal], b: list[Decimal]) -> Decimal:
            return sum((x * y for x, y in zip(a, b, strict=True)), Decimal(0))

        mine, *theirs = exact
        return float(sum((1 - dot(mine, one) / (dot(mine, mine) * dot(one, one)).sqrt() for one in theirs), Decimal(0)) / len(theirs))


@pytest.mark.parametrize("lay", [np.array, sparse.csr_array])
@pytest.mark.parametrize("to", ["mean", "nearest"])
def test_near_duplicates_keep_six_digits(to: Any, lay: Any) -> None:
    random = np.random.default_rng(3)
    scales = 10.0 ** random.integers(-3, 4, size=(6, 1))
    near = (scales * (random.normal(size=32) + 1e-4 * random.normal(size=(6, 32)))).astype(np.float32)
    world = asp.World.of({"u": [0]}, history={"u": range(1, 6)}, features=(range(6), lay(near)))
    each = [true_mean_cosine(near[0], near[place : place + 1]) for place in range(1, 6)]
    expected = true_mean_cosine(near[0], near[1:]) if to == "mean" else min(each)
    assert 1e-10 < expected < 1e-6
    assert EPD(to=to).scores(world)[0, 0] == pytest.approx(expected, rel=1e-6)


def test_the_order_of_any_rows_does_not_show() -> None:
    """A user's sum runs over the history in the order of item ids, whoever names an item first."""
    random = np.random.default_rng(5)
    names = [f"i{number}" for number in range(40)]
    vectors = dict(zip(names, random.normal(size=(40, 7)), strict=True))
    lists, history = {"u": names[:10]}, {"u": names[10:]}
    expected = EPD(relevance="none").scores(asp.World.of(lists, history=history, features=vectors)).tobytes()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(40)
        shuffled = {names[place]: vectors[names[place]] for place in order}
        other = {"u": [names[place] for place in order if place >= 10]}
        assert EPD(relevance="none").scores(asp.World.of(lists, history=other, features=shuffled)).tobytes() == expected


def test_what_is_told_and_refused() -> None:
    assert asp.evaluate(toy.LISTS, "EPD@3", **toy.TRUTH).details["EPD@3"]["relevance"] == "binary"
    assert asp.parse("Expected profile distance@3") == EPD(k=3)
    with pytest.raises(asp.MetricError, match="patience goes with discount=geometric only"):
        EPD(patience=0.5)
    with pytest.raises(asp.MetricError, match=r"patience is 1\.5, expected 0 to 1"):
        EPD(discount="geometric", patience=1.5)
    with pytest.raises(asp.MetricError, match="expected 'skip' or 'zero' or 'far'"):
        EPD(missing="near")  # type: ignore[arg-type]
    with pytest.raises(asp.MissingInput, match="history="):
        asp.evaluate(toy.LISTS, "EPD@3", features=toy.FEATURES)
