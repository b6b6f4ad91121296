"""nDCG against its definition in plain Python."""

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds

Gain = Literal["linear", "exponential"]
Ideal = Literal["truth", "list"]
GAINS: st.SearchStrategy[Gain] = st.sampled_from(["linear", "exponential"])
IDEALS: st.SearchStrategy[Ideal] = st.sampled_from(["truth", "list"])
BASES = st.sampled_from([2.0, math.e, 10.0, 1.5])


@checked(100)
@given(worlds(), CUTOFFS, GAINS, BASES, IDEALS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], gain: Gain, base: float, ideal: Ideal) -> None:
    parameters: Any = {"gain": gain, "base": base, "ideal": ideal}
    check_scores(asp.NDCG(k=k, **parameters), world, lambda user, k: plain.ndcg(world, user, k, **parameters))


@checked(100)
@given(worlds(), CUTOFFS, BASES, st.sampled_from(["truth", "list", "perfect"]))
def test_binary_gains_follow_the_definition(world: PlainWorld, k: tuple[int, ...], base: float, ideal: Any) -> None:
    metric = asp.NDCG(k=k, gain="binary", base=base, ideal=ideal)
    check_scores(metric, world, lambda user, k: plain.binary_ndcg(world, user, k, base=base, ideal=ideal))


def test_binary_gains_begin_at_the_threshold() -> None:
    world = asp.World.of({"u": ["a", "b"], "v": ["a"]}, relevance={"u": {"a": 1, "b": 3}, "v": {"a": 1}}, threshold=2)
    scores = asp.NDCG(k=(1, 2), gain="binary").scores(world)
    assert scores[0].tolist() == [0.0, pytest.approx(1 / math.log2(3))]
    assert all(map(math.isnan, scores[1]))
    result = asp.evaluate({"u": ["a", "b"]}, "NDCG(gain=binary)@2", relevance={"u": {"b": 3}}, threshold=2)
    assert result.details["NDCG(gain=binary)@2"]["threshold"] == 2


def test_a_perfect_list_has_k_relevant_items() -> None:
    """RecTools: a user with one relevant item reaches 1 at rank 1 alone."""
    world = asp.World.of({"u": ["a", "b", "c"]}, relevance={"u": ["a"]})
    scores = asp.NDCG(k=(1, 2), gain="binary", ideal="perfect").scores(world)
    assert scores.tolist() == [[1.0, pytest.approx(1 / (1 + 1 / math.log2(3)))]]
    with pytest.raises(asp.MetricError, match="ideal=perfect goes with gain=binary only"):
        asp.NDCG(ideal="perfect")


@checked(40)
@given(worlds(), CUTOFFS, GAINS)
def test_the_ratio_of_sums_follows_the_definition(world: PlainWorld, k: tuple[int, ...], gain: Gain) -> None:
    results = asp.evaluate(build(world), asp.NDCG(k=k, gain=gain, average="ratio"))
    users = [user for user in world.rankings if plain.has_positive_grade(world, user)]
    for cutoff in k:
        terms = [plain.dcg_terms(world, user, cutoff, gain=gain, base=2.0) for user in users]
        expected = plain.ratio(math.fsum(reached for reached, _ in terms), math.fsum(best for _, best in terms))
        assert same(results[asp.NDCG(k=cutoff, gain=gain, average="ratio")], expected)


@pytest.mark.parametrize(("ideal", "expected"), [("truth", 0.6646), ("list", 1.0)])
def test_a_list_with_one_of_four_graded_items(ideal: Ideal, expected: float) -> None:
    world = asp.World.of({"u": ["a", "x"]}, relevance={"u": {"a": 5, "b": 4, "c": 4, "d": 4}})
    assert asp.NDCG(k=2, ideal=ideal).scores(world)[0, 0] == pytest.approx(expected, abs=5e-5)


def test_undefined_without_a_positive_grade() -> None:
    world = asp.World.of(
        {"zero": ["a"], "negative": ["a"], "none": ["a"], "elsewhere": ["a"], "empty": []},
        relevance={"zero": {"a": 0}, "negative": {"a": -1}, "elsewhere": {"b": 1}, "empty": {"a": 1}},
    )
    for ideal in ("truth", "list"):
        scores = asp.NDCG(k=1, ideal=ideal).scores(world)[:, 0].tolist()
        assert [math.isnan(score) for score in scores[:3]] == [True, True, True]
        assert scores[3:] == [0.0, 0.0]


def test_grades_below_the_threshold_gain_all_the_same() -> None:
    world = asp.World.of({"u": ["a", "b"]}, relevance={"u": {"a": 1, "b": 3}}, threshold=2)
    assert asp.NDCG(k=1).scores(world)[0, 0] == pytest.approx(1 / 3, abs=1e-15)


def test_a_base_is_above_1() -> None:
    with pytest.raises(asp.MetricError, match="base"):
        asp.NDCG(base=1)


def test_clipped_discount() -> None:
    """LensKit: ranks 1 and 2 count alike."""
    world = asp.World.of({"u": ["x", "a", "b"], "v": ["b"]}, relevance={"u": {"a": 2, "b": 1}, "v": {"a": 2, "b": 1}})
    scores = asp.NDCG(k=(2, 3), discount="clipped").scores(world)
    third = 1 / math.log2(3)
    assert scores.tolist() == [[2 / 3, pytest.approx((2 + third) / 3)], [1 / 3, 1 / 3]]
    with pytest.raises(asp.MetricError, match="base goes with discount=log only"):
        asp.NDCG(discount="clipped", base=3)
