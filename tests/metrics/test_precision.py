"""Precision against its definition in plain Python."""

import math
import warnings

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS, LEVELS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None) -> None:
    check_scores(asp.Precision(k=k, rel=rel), world, lambda user, k: plain.precision(world, user, k, rel))


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


def test_each_metric_may_have_a_level_of_its_own() -> None:
    """Beside others that take the threshold; the level is told, and no warning asks for a threshold."""
    stars = {"u": {"a": 5, "b": 3, "c": 4, "d": 1}}
    found = asp.evaluate({"u": ["a", "b", "c", "d"]}, ["P(rel=4)@4", "Precision(rel=5)@4", "P@4"], relevance=stars, threshold=3)
    assert dict(found) == {"Precision(rel=4.0)@4": 0.5, "Precision(rel=5.0)@4": 0.25, "Precision@4": 0.75}
    assert [how["threshold"] for how in found.details.values()] == [4.0, 5.0, 3.0]
    assert found["P(rel=4)@4"] == 0.5


def test_a_level_makes_the_threshold_needless() -> None:
    """Ratings without a threshold are a doubt, unless every metric says which of them it means."""
    stars = {f"u{n}": {f"i{item}": 1 + (item + n) % 5 for item in range(8)} for n in range(6)}
    lists = {user: [f"i{item}" for item in range(5)] for user in stars}
    with pytest.warns(asp.AspectrumWarning, match="reach the threshold of 1"):
        asp.evaluate(lists, ["P(rel=4)@5", "P@5"], relevance=stars)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = asp.evaluate(lists, "P(rel=4)@5", relevance=stars)
    assert list(found.values()) == list(asp.evaluate(lists, "P@5", relevance=stars, threshold=4).values())


def test_relevant_users_are_those_of_the_threshold() -> None:
    lists, grades = {"u": ["a"], "v": ["a"]}, {"u": {"a": 5}, "v": {"a": 2}}
    found = asp.evaluate(lists, "P(rel=5)@1", relevance=grades, threshold=2, users="relevant")
    assert found.details["Precision(rel=5.0)@1"]["threshold"] == 5.0
    assert (found.details["Precision(rel=5.0)@1"]["scored"], found.details["Precision(rel=5.0)@1"]["undefined"]) == (1, 1)


def test_a_threshold_given_to_a_metric_is_its_level() -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse("P(threshold=4)@5")
    assert "write Precision(rel=4)@5, or for all metrics use threshold=4" in str(error.value)
    with pytest.raises(asp.MetricError, match="the threshold of metrics without their own is threshold=4"):
        asp.parse("AlphaNDCG(rel=4)@5")
