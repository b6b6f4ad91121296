"""R-precision against its definition in plain Python."""

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds

TOPS: st.SearchStrategy[Literal["relevant", "k"]] = st.sampled_from(["relevant", "k"])


@checked(100)
@given(worlds(), CUTOFFS, LEVELS, TOPS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None, top: Literal["relevant", "k"]) -> None:
    check_scores(asp.RPrecision(k=k, rel=rel, top=top), world, lambda user, k: plain.r_precision(world, user, k, rel, top))


@pytest.mark.parametrize("top", ["relevant", "k"])
def test_long_lists(top: Literal["relevant", "k"]) -> None:
    world = world_of_many_items(3)
    check_scores(asp.RPrecision(k=(1, 7, 20, -1), top=top), world, lambda user, k: plain.r_precision(world, user, k, None, top))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("RPrecision@3", 0.333333), ("Rprec", 0.333333), ("RPrecision(top=k)@3", 0.666667)],
)
def test_numbers_of_other_programs(metric: str, expected: float) -> None:
    """ir_measures and ranx; RecTools' Precision with r_precision=True."""
    assert asp.evaluate(toy.LISTS, metric, relevance=toy.RELEVANCE)[metric] == pytest.approx(expected, abs=1e-6)


def test_a_list_shorter_than_r_is_divided_by_r() -> None:
    world = asp.World.of({"u": ["a"], "empty": [], "nobody": ["a"]}, relevance={"u": ["a", "b", "c", "d"], "empty": ["a"]})
    scores = asp.RPrecision().scores(world)[:, 0].tolist()
    assert scores[:2] == [0.25, 0.0]
    assert math.isnan(scores[2])
    assert asp.RPrecision(k=2, top="k").scores(world)[0, 0] == 0.5


def test_parameters_that_are_refused() -> None:
    with pytest.raises(asp.MetricError, match="top is 'list', expected 'relevant' or 'k'"):
        asp.RPrecision(top="list")  # type: ignore[arg-type]
    with pytest.raises(asp.MetricError, match="rel is 'high', expected None or a number"):
        asp.RPrecision(rel="high")  # type: ignore[arg-type]
