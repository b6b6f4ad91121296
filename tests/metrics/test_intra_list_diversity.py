"""Intra-list diversity against its definition in plain Python."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PairDistance, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, inputs_of, same, worlds

Pairs = Literal["distinct", "all"]
Featureless = Literal["skip", "near", "undefined"]
Aggregate = Literal["mean", "min", "max", "sum"]
Single = Literal["undefined", "zero", "short"]
DISTANCES: st.SearchStrategy[PairDistance] = st.sampled_from(
    ["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming", "differing"]
)
PAIRS: st.SearchStrategy[Pairs] = st.sampled_from(["distinct", "all"])
FEATURELESS: st.SearchStrategy[Featureless] = st.sampled_from(["skip", "near", "undefined"])
SINGLE: st.SearchStrategy[Single] = st.sampled_from(["undefined", "zero", "short"])
EVERY_DISTANCE = ["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming", "differing"]

WORLDS = worlds(features=True, weights=False, strengths=False, n_aspects=[1])


def diversity(vectors: npt.NDArray[Any], distance: PairDistance = "cosine", k: int = -1) -> float:
    """Of one list that holds all vectors."""
    world = asp.World.of({"u": range(len(vectors))}, features=vectors)
    return float(asp.ILD(k=k, distance=distance).scores(world)[0, 0])


def true_mean(vectors: npt.NDArray[Any], distance: Callable[[list[Decimal], list[Decimal]], Decimal]) -> float:
    """Mean distance with sixty digits."""
    with localcontext() as context:
        context.prec = 60
        exact = [[Decimal(float(x)) for x in vector] for vector in vectors]
        distances = [distance(a, b) for a, b in combinations(exact, 2)]
        return float(sum(distances, Decimal(0)) / len(distances))


def dot(a: list[Decimal], b: list[Decimal]) -> Decimal:
    return sum((x * y for x, y in zip(a, b, strict=True)), Decimal(0))


def true_cosine(a: list[Decimal], b: list[Decimal]) -> Decimal:
    return 1 - dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()


def true_square(a: list[Decimal], b: list[Decimal]) -> Decimal:
    return sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), Decimal(0))


@checked(150)
@given(WORLDS, CUTOFFS, DISTANCES, PAIRS, FEATURELESS, SINGLE)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], distance: PairDistance, pairs: Pairs, featureless: Featureless, single: Single
) -> None:
    parameters: Any = {"distance": distance, "pairs": pairs, "featureless": featureless, "single": single}
    check_scores(asp.ILD(k=k, **parameters), world, lambda user, k: plain.intra_list_diversity(world, user, k, **parameters))


@checked(60)
@given(WORLDS.filter(lambda world: bool(world.features)), CUTOFFS, DISTANCES, FEATURELESS)
def test_sparse_vectors_score_as_dense_ones(
    world: PlainWorld, k: tuple[int, ...], distance: PairDistance, featureless: Featureless
) -> None:
    assert world.features is not None
    inputs = inputs_of(world)
    inputs["features"] = (list(world.features), sparse.csr_array(np.array(list(world.features.values()))))
    built = asp.World.of(**inputs)
    found = asp.ILD(k=k, distance=distance, featureless=featureless).scores(built)
    for row, user in enumerate(built.users):
        assert isinstance(user, int | str)
        for column, cutoff in enumerate(asp.ILD(k=k).cutoffs):
            expected = plain.intra_list_diversity(world, user, cutoff, distance=distance, featureless=featureless)
            assert same(found[row, column], expected)


@checked(60)
@given(WORLDS, CUTOFFS, DISTANCES, PAIRS, st.sampled_from(["near", "skip"]))
def test_the_mean_over_links_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], distance: PairDistance, pairs: Pairs, featureless: Featureless
) -> None:
    metric = asp.ILD(k=k, distance=distance, pairs=pairs, featureless=featureless, average="links")
    results = asp.evaluate(build(world), metric)
    for cutoff in metric.cutoffs:
        terms = [
            plain.diversity_and_length(world, user, cutoff, distance=distance, pairs=pairs, featureless=featureless, single="undefined")
            for user in world.rankings
        ]
        defined = [(score, n) for score, n in terms if not math.isnan(score)]
        expected = plain.ratio(math.fsum(score * n for score, n in defined), sum(n for _, n in defined))
        assert same(results[metric.at(cutoff)], expected)


@pytest.mark.parametrize(("lengths", "expected"), [([1], 0.0), ([2], 0.5), ([3], 0.667), ([1, 3], 0.5)])
def test_relison_s_numbers(lengths: list[int], expected: float) -> None:
    """All distances are 1."""
    lists = {user: range(length) for user, length in enumerate(lengths)}
    metric = asp.ILD(pairs="all", average="links", featureless="near")
    results = asp.evaluate(asp.World.of(lists, features=np.eye(3)), metric)
    assert results[metric] == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("width", [2, 3, 16, 100, 128, 300])
@pytest.mark.parametrize("length", [2, 5, 20])
def test_near_duplicates_keep_six_digits(width: int, length: int) -> None:
    random = np.random.default_rng(width * 100 + length)
    base = random.normal(size=width)
    vectors = (base + 1e-4 * np.linalg.norm(base) / math.sqrt(width) * random.normal(size=(length, width))).astype(np.float32)
    expected = true_mean(vectors, true_cosine)
    assert 1e-10 < expected < 1e-7
    assert diversity(vectors) == pytest.approx(expected, rel=1e-6)
    assert diversity(vectors.astype(np.float64)) == pytest.approx(expected, rel=1e-6)
    assert diversity(vectors, "squared_euclidean") == pytest.approx(true_mean(vectors, true_square), rel=1e-6)


def test_near_duplicates_of_other_lengths_keep_six_digits() -> None:
    """The same direction, but vectors a thousand times longer or shorter than one another."""
    random = np.random.default_rng(3)
    base = random.normal(size=64)
    scales = np.array([1e-3, 1.0, 1e3, 30.0])[:, np.newaxis]
    vectors = (scales * (base + 1e-4 * random.normal(size=(4, 64)))).astype(np.float32)
    expected = true_mean(vectors, true_cosine)
    assert 1e-9 < expected < 1e-7
    assert diversity(vectors) == pytest.approx(expected, rel=1e-6)


def test_near_duplicates_keep_six_digits_at_each_cutoff() -> None:
    random = np.random.default_rng(4)
    near = (random.normal(size=32) + 1e-4 * random.normal(size=(6, 32))).astype(np.float32)
    world = asp.World.of({"u": range(6)}, features=near)
    found = asp.ILD(k=(2, 3, 4, 5, 6)).scores(world)[0].tolist()
    assert found == pytest.approx([true_mean(near[:k], true_cosine) for k in (2, 3, 4, 5, 6)], rel=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lay", [np.array, sparse.csr_array])
@pytest.mark.parametrize("order", [[0, 0, 1], [0, 0, 0, 2, 1], [1, 2, 0, 0], [0, 1, 1, 1, 1]])
def test_a_cutoff_at_near_duplicates_changes_no_other(order: list[int], lay: Callable[..., Any], dtype: Any) -> None:
    """The same bits whether a cutoff is asked for alone, with others, or of a list that ends there."""
    vectors = np.array([[1, 1], [0.5, 3], [1, 0.1]], dtype=dtype)[order]
    cutoffs = tuple(range(2, len(order) + 1))
    world = asp.World.of({"u": range(len(order))}, features=(range(len(order)), lay(vectors)))
    together = asp.ILD(k=cutoffs).scores(world)[0].tolist()
    assert together == [float(asp.ILD(k=k).scores(world)[0, 0]) for k in cutoffs]
    assert together == [diversity(vectors[:k]) if lay is np.array else pytest.approx(diversity(vectors[:k]), abs=1e-15) for k in cutoffs]


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_vectors_are_not_apart(n: int, dtype: Any) -> None:
    vector = np.random.default_rng(n).normal(size=50).astype(dtype)
    assert diversity(np.tile(vector, (n, 1))) == pytest.approx(0, abs=1e-15)
    assert diversity(np.tile(vector, (n, 1))) >= 0


@pytest.mark.parametrize("distance", EVERY_DISTANCE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_any_layout_of_a_matrix_gives_the_same_bits(distance: PairDistance, dtype: Any) -> None:
    matrix = np.random.default_rng(5).integers(0, 3, size=(12, 7)).astype(dtype)
    wide = np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)
    frozen = matrix.copy()
    frozen.setflags(write=False)
    expected = diversity(matrix, distance)
    assert math.isfinite(expected)
    for layout in (np.asfortranarray(matrix), wide[::2, ::3], frozen, matrix[::-1].copy()[::-1]):
        assert diversity(layout, distance) == expected


def test_codes_and_rows_of_any_layout_give_the_same_bits() -> None:
    random = np.random.default_rng(6)
    items = np.concatenate([random.permutation(20)[:8] for _ in range(4)])
    rows = np.where(np.arange(20) % 5 == 0, -1, np.arange(20))
    matrix = random.normal(size=(20, 9))
    offsets = np.arange(5) * 8
    expected = asp.ILD(k=(3, 8)).scores(asp.World(asp.Rankings(offsets, items), features=asp.Features(matrix, rows)))
    spread: list[npt.NDArray[Any]] = [np.repeat(array, 2)[::2] for array in (offsets, items.astype(np.int32), rows.astype(np.int32))]
    for array in spread:
        array.setflags(write=False)
    world = asp.World(asp.Rankings(spread[0], spread[1]), features=asp.Features(np.asfortranarray(matrix), spread[2]))
    assert asp.ILD(k=(3, 8)).scores(world).tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [1e-3, 1e-30, 1e-150, 1e-170, 1e-300, 1e30, 1e150])
def test_the_cosine_does_not_see_lengths(scale: float) -> None:
    """A short vector has a direction like any other; only a vector of zeros has none."""
    assert diversity(scale * np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])) == pytest.approx(1 - math.sqrt(2) / 3, rel=1e-9)


def test_named_features() -> None:
    lists = {"u": ["a", "b", "c"]}
    by_name = asp.World.of(lists, features={"a": ["red", "big"], "b": ["red"], "c": ["small"]})
    assert asp.ILD(distance="jaccard").scores(by_name)[0, 0] == pytest.approx((1 / 2 + 1 + 1) / 3, abs=1e-15)
    assert asp.ILD(distance="hamming").scores(by_name)[0, 0] == pytest.approx((1 + 3 + 2) / 3 / 3, abs=1e-15)
    with_values = asp.World.of(lists, features={"a": {"red": 3.0, "big": 4.0}, "b": {"red": 1.0}, "c": {"big": 2.0}})
    assert asp.ILD().scores(with_values)[0, 0] == pytest.approx((0.4 + 0.2 + 1) / 3, abs=1e-15)


def test_items_without_features_are_in_no_pair_and_are_counted() -> None:
    features: dict[Id, list[float]] = {"a": [1, 0], "b": [0, 1], "zero": [0, 0]}
    results = asp.evaluate({"u": ["a", "zero", "unknown", "b"]}, "ILD@2,3,4", features=features)
    assert math.isnan(results["ILD@3"])
    assert results["ILD@4"] == 1.0
    assert [results.details[f"ILD@{k}"]["places_without_features"] for k in (2, 3, 4)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [None, None, 1.0, None]),
        ({"single": "zero"}, [None, 0.0, 1.0, 0.0]),
        ({"featureless": "near"}, [None, None, 1.0, 0.0]),
        ({"featureless": "undefined", "single": "zero"}, [None, 0.0, 1.0, None]),
        ({"pairs": "all"}, [None, 0.0, 0.5, 0.0]),
        ({"pairs": "all", "featureless": "near"}, [None, 0.0, 0.5, 0.0]),
    ],
)
def test_short_lists(parameters: dict[str, Any], expected: list[float | None]) -> None:
    lists: dict[str, list[str]] = {"none": [], "one": ["a"], "two": ["a", "b"], "one and zero": ["a", "zero"]}
    world = asp.World.of(lists, features={"a": [1, 0], "b": [0, 1], "zero": [0, 0]})
    found = asp.ILD(**parameters).scores(world)[:, 0].tolist()
    assert [None if math.isnan(score) else score for score in found] == expected


@checked(60)
@given(worlds(), CUTOFFS, DISTANCES)
def test_aspects_score_as_features_of_the_same_names(world: PlainWorld, k: tuple[int, ...], distance: PairDistance) -> None:
    inputs = {name: given for name, given in inputs_of(world).items() if name not in ("aspects", "features")}
    by_name = asp.World.of(**inputs, features={item: dict.fromkeys(has, 1.0) for item, has in world.aspects.items()})
    by_aspect = asp.World.of(**inputs, aspects=world.aspects)
    metric = asp.ILD(k=k, distance=distance)
    np.testing.assert_allclose(metric.scores(by_aspect), metric.scores(by_name), rtol=1e-14, atol=1e-14)


def test_features_come_before_aspects() -> None:
    world = asp.World.of({"u": ["a", "b"]}, aspects={"a": ["x"], "b": ["x"]}, features={"a": [1, 0], "b": [0, 1]})
    assert asp.ILD().scores(world).tolist() == [[1.0]]
    assert asp.ILD(of="aspects").scores(world).tolist() == [[0.0]]


def test_the_result_says_what_items_are_compared_by() -> None:
    result = asp.evaluate({"u": ["a", "b"]}, ["ILD@2", "ILD(distance=jaccard)@2"], aspects={"a": {"x": 0.5}, "b": ["y"]})
    assert result.details["ILD@2"]["of"] == "aspects"
    assert [notice.kind for notice in result.notices] == ["features_from_aspects"] * 2
    assert not asp.evaluate({"u": ["a", "b"]}, "ILD(of=aspects)@2", aspects={"a": ["x"], "b": ["y"]}).notices


def aggregated(
    world: PlainWorld, user: Id, k: int, *, distance: PairDistance, aggregate: Aggregate, featureless: str, single: str
) -> float:
    """All pairs, one after the other."""
    features = {item: vector for item, vector in (world.features or {}).items() if any(vector) or distance not in ("cosine", "jaccard")}
    items = [item for item in plain.cut(world.rankings.get(user, []), k) if item in features or featureless in ("near", "category")]

    def between(a: Id, b: Id) -> float:
        if a in features and b in features:
            return plain.distance_between(features[a], features[b], distance)
        return float(featureless == "category" and (a in features or b in features))

    distances = [between(a, b) for a, b in combinations(items, 2)]
    if single == "short" and len(plain.cut(world.rankings.get(user, []), k)) == 1:
        return 0.0
    if not distances:
        return 0.0 if len(items) == 1 and single == "zero" else math.nan
    if aggregate == "mean":
        return math.fsum(distances) / len(distances)
    return min(distances) if aggregate == "min" else max(distances) if aggregate == "max" else math.fsum(distances)


@checked(150)
@given(WORLDS, CUTOFFS, DISTANCES, st.sampled_from(["mean", "min", "max", "sum"]), st.sampled_from(["skip", "near", "category"]), SINGLE)
def test_every_aggregate_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], distance: PairDistance, aggregate: Aggregate, featureless: Any, single: Single
) -> None:
    parameters: Any = {"distance": distance, "aggregate": aggregate, "featureless": featureless, "single": single}
    check_scores(asp.ILD(k=k, **parameters), world, lambda user, k: aggregated(world, user, k, **parameters))


@checked(40)
@given(WORLDS.filter(lambda world: bool(world.features)), CUTOFFS, DISTANCES, st.sampled_from(["min", "max"]))
def test_extremes_of_sparse_vectors(world: PlainWorld, k: tuple[int, ...], distance: PairDistance, aggregate: Any) -> None:
    assert world.features is not None
    inputs = inputs_of(world)
    inputs["features"] = (list(world.features), sparse.csr_array(np.array(list(world.features.values()))))
    metric = asp.ILD(k=k, distance=distance, aggregate=aggregate)
    np.testing.assert_allclose(metric.scores(asp.World.of(**inputs)), metric.scores(build(world)), rtol=1e-12, atol=1e-12)


def test_the_least_distance_by_hand() -> None:
    world = asp.World.of(toy.LISTS, features=toy.FEATURES)
    assert asp.parse("ILMD@3").scores(world)[:, 0].tolist() == pytest.approx([0.04, 0.2, 0.010051], abs=1e-6)  # type: ignore[attr-defined]
    assert asp.ILD(k=3, aggregate="max").scores(world)[:, 0].tolist() == pytest.approx([0.4, 0.2, 0.4], abs=1e-12)
    assert asp.ILD(k=3, aggregate="sum").scores(world)[0, 0] == pytest.approx(0.64, abs=1e-12)


def test_the_rules_of_rectools_by_hand() -> None:
    """Features that differ are counted; one item scores 0, and two of which one has no features are undefined."""
    lists = {"three": ["a", "b", "c"], "one": ["a"], "no features": ["x"], "of two": ["a", "x"]}
    features: dict[Any, Any] = {"a": [0.0, 1.0, 2.0], "b": [0.0, 2.0, 1.0], "c": [0.0, 1.0, 5.0]}
    result = asp.evaluate(lists, "ILD@3", features=features, convention="rectools")
    scores = dict(result.per_user.iter_rows())
    assert scores.pop("three") == pytest.approx((2 + 1 + 2) / 3)
    assert math.isnan(scores.pop("of two"))
    assert scores == {"one": 0.0, "no features": 0.0}


def test_pyg_s_numbers() -> None:
    """LinkPredDiversity on one category per item; an item without one has a category of its own."""
    metric = asp.ILD(k=3, of="aspects", distance="jaccard", featureless="category")
    found = metric.scores(asp.World.of(toy.LISTS, aspects=toy.FIRST_ASPECTS))[:, 0].tolist()
    assert found == pytest.approx([1, 2 / 3, 1], abs=1e-15)


def test_the_least_of_near_duplicates_keeps_its_digits() -> None:
    random = np.random.default_rng(8)
    near = (random.normal(size=32) + 1e-4 * random.normal(size=(4, 32))).astype(np.float32)
    world = asp.World.of({"u": range(4)}, features=near)
    expected = min(true_mean(near[list(pair)], true_cosine) for pair in combinations(range(4), 2))
    assert asp.ILD(aggregate="min").scores(world)[0, 0] == pytest.approx(expected, rel=1e-6)


def test_names_and_what_is_refused() -> None:
    assert asp.parse("ILAD@3") == asp.ILD(k=3)
    assert asp.parse("ILMD@3") == asp.ILD(k=3, aggregate="min")
    with pytest.raises(asp.MetricError, match="aggregate=min goes with pairs=distinct"):
        asp.ILD(aggregate="min", pairs="all")
    with pytest.raises(asp.MetricError, match="expected 'mean' or 'min' or 'max' or 'sum'"):
        asp.ILD(aggregate="median")  # type: ignore[arg-type]
