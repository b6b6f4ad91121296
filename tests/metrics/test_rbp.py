"""Rank-biased precision against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS, LEVELS, st.sampled_from([0.8, 0.0, 0.5, 0.95]), st.booleans())
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None, p: float, normalize: bool) -> None:
    parameters: Any = {"p": p, "rel": rel, "normalize": normalize}
    check_scores(asp.RBP(k=k, **parameters), world, lambda user, k: plain.rbp(world, user, k, **parameters))


@checked(60)
@given(worlds(), CUTOFFS, st.booleans())
def test_graded_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], normalize: bool) -> None:
    parameters: Any = {"p": 0.85, "gain": "linear", "normalize": normalize}
    check_scores(asp.RBP(k=k, **parameters), world, lambda user, k: plain.rbp(world, user, k, **parameters))


@pytest.mark.parametrize("normalize", [False, True])
def test_long_lists(normalize: bool) -> None:
    world = world_of_many_items(4)
    metric = asp.RBP(k=(1, 7, 20, -1), p=0.9, normalize=normalize)
    check_scores(metric, world, lambda user, k: plain.rbp(world, user, k, p=0.9, normalize=normalize))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("RBP", 0.149333), ("RBP@3", 0.149333), ("RBP(gain=linear)", 0.202667), ("RBP(p=0.85, normalize=true)@3", 0.547140)],
)
def test_numbers_of_other_programs(metric: str, expected: float) -> None:
    """ranx multiplies by the raw grade; LensKit divides by the best that the truth allows."""
    assert asp.evaluate(toy.LISTS, metric, relevance=toy.RELEVANCE)[metric] == pytest.approx(expected, abs=1e-6)


def test_by_hand() -> None:
    world = asp.World.of({"u": ["a", "b", "c"], "empty": [], "nobody": ["a"]}, relevance={"u": {"a": 2, "c": 1}, "empty": ["a"]})
    scores = asp.RBP(p=0.5).scores(world)[:, 0].tolist()
    assert scores[:2] == [0.5 * (1 + 0.25), 0.0]
    assert math.isnan(scores[2])
    assert asp.RBP(p=0.5, gain="linear").scores(world)[0, 0] == 0.5 * (2 + 0.25)


def test_the_threshold_is_told_where_there_is_one() -> None:
    found = asp.evaluate(toy.LISTS, ["RBP@3", "RBP(gain=linear)@3", "RBP(rel=2)@3"], relevance=toy.RELEVANCE)
    assert found.details["RBP@3"]["threshold"] == 1.0
    assert found.details["RBP(rel=2.0)@3"]["threshold"] == 2.0
    assert "threshold" not in found.details["RBP(gain=linear)@3"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 1}, "p is 1, expected from 0 to below 1"),
        ({"p": -0.1}, "p is -0.1, expected from 0 to below 1"),
        ({"gain": "exponential"}, "gain is 'exponential', expected 'binary' or 'linear'"),
        ({"gain": "linear", "rel": 2}, "rel goes with gain=binary only"),
        ({"normalize": "ideal"}, "normalize is 'ideal', expected true or false"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.RBP(**parameters)
