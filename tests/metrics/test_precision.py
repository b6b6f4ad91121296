"""Precision against its definition in plain Python."""

import math

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...]) -> None:
    check_scores(asp.Precision(k=k), world, lambda user, k: plain.precision(world, user, k))


def test_long_lists() -> None:
    world = world_of_many_items(1)
    check_scores(asp.Precision(k=(1, 7, 20, 40, -1)), world, lambda user, k: plain.precision(world, user, k))


def test_relevant_in_the_top_over_k() -> None:
    world = asp.World.of({"u": ["a", "x", "b", "y", "c"]}, relevance={"u": ["c", "b", "a", "z"]})
    assert asp.Precision(k=(1, 2, 3, 4, 5)).scores(world).tolist() == [[1.0, 1 / 2, 2 / 3, 2 / 4, 3 / 5]]


def test_a_short_list_is_divided_by_k() -> None:
    world = asp.World.of({"u": ["a", "x"], "empty": []}, relevance={"u": ["a", "b"], "empty": ["a"]})
    assert asp.Precision(k=(1, 5, -1)).scores(world).tolist() == [[1.0, 1 / 5, 1 / 2], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize(("threshold", "expected"), [(1, 2 / 3), (2, 1 / 3), (2.5, 0.0), (0, 1.0), (-1, 1.0)])
def test_the_threshold_says_what_is_relevant(threshold: float, expected: float) -> None:
    """An item without a grade never is."""
    grades = {"u": {"a": 1, "b": 2, "c": 0, "elsewhere": 3}}
    world = asp.World.of({"u": ["a", "b", "c"]}, relevance=grades, threshold=threshold)
    assert asp.Precision().scores(world).tolist() == [[expected]]
    longer = asp.World.of({"u": ["ungraded", "a", "b", "c"]}, relevance=grades, threshold=threshold)
    assert asp.Precision(k=1).scores(longer).tolist() == [[0.0]]


def test_undefined_without_a_relevant_item() -> None:
    world = asp.World.of({"none": ["a"], "low": ["a"], "elsewhere": ["a"]}, relevance={"low": {"a": 1}, "elsewhere": {"b": 2}}, threshold=2)
    *undefined, elsewhere = asp.Precision(k=1).scores(world)[:, 0].tolist()
    assert all(map(math.isnan, undefined))
    assert elsewhere == 0.0


def test_names() -> None:
    assert asp.parse("P@5") == asp.parse("precision@5") == asp.Precision(k=5)


def test_relison_averages_users_with_test_links() -> None:
    relevance = {"u": ["a"], "unlisted": ["a"]}
    result = asp.evaluate({"u": ["a", "b"], "nothing to find": ["a"]}, "Precision@2", relevance=relevance, convention="relison", users=None)
    assert result["Precision@2"] == 1 / 4
    assert result.details["Precision@2"]["scored"] == 2
