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
