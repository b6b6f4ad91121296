"""UnseenShare against its definition in plain Python."""

import math

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain, toy
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...]) -> None:
    check_scores(asp.UnseenShare(k=k), world, lambda user, k: plain.unseen_share(world, user, k))


def test_long_lists() -> None:
    world = world_of_many_items(1)
    check_scores(asp.UnseenShare(k=(1, 7, 20, 40, -1)), world, lambda user, k: plain.unseen_share(world, user, k))


def test_a_short_list_is_divided_by_its_length() -> None:
    world = asp.World.of({"u": ["a", "b"]}, history={"u": ["b"]})
    assert asp.UnseenShare(k=(1, 2, 10)).scores(world).tolist() == [[1.0, 0.5, 0.5]]


def test_undefined_for_an_empty_list_and_1_without_a_history() -> None:
    world = asp.World.of({"empty": [], "new": ["a"]}, history={"empty": ["a"]})
    empty, new = asp.UnseenShare(k=1).scores(world)[:, 0].tolist()
    assert math.isnan(empty)
    assert new == 1.0


def test_an_empty_list_counts_as_none_where_that_is_1() -> None:
    world = asp.World.of({"empty": [], "u": ["a", "b"]}, history={"empty": ["a"], "u": ["a"]})
    assert asp.UnseenShare(k=(1, -1), without_list="one").scores(world).tolist() == [[1.0, 1.0], [0.0, 0.5]]


def test_disliked_items_were_seen() -> None:
    """The threshold says what a user likes, not what they had."""
    result = asp.evaluate({"u": ["a", "b"]}, "UnseenShare@2", history={"u": {"a": 1, "z": 5}}, threshold=4)
    assert result["UnseenShare@2"] == 0.5


def test_numbers_of_replay() -> None:
    """It averages users with a history, and one without a list counts 1."""
    ours = asp.evaluate(toy.REPEAT, "UnseenShare@3", history=toy.HISTORY)
    assert ours["UnseenShare@3"] == pytest.approx(0.611111, abs=1e-6)
    name = "UnseenShare(without_list=one)@3"
    assert asp.evaluate(toy.REPEAT, name, history=toy.HISTORY, users="judged")[name] == pytest.approx(0.708333, abs=1e-6)
    assert asp.evaluate(toy.REPEAT, name, history=toy.HISTORY)[name] == pytest.approx(0.611111, abs=1e-6)
    assert asp.evaluate(toy.REPEAT, "UnseenShare@3", history=toy.HISTORY, users="judged")["UnseenShare@3"] == pytest.approx(11 / 24)
    assert asp.evaluate({}, name, history=toy.HISTORY, users="judged")[name] == 1.0
    assert asp.evaluate(toy.LISTS, "UnseenShare@3", history=toy.HISTORY)["UnseenShare@3"] == 1.0


def test_parameters_that_are_refused() -> None:
    with pytest.raises(asp.MetricError, match="without_list is 'two', expected 'zero' or 'one'"):
        asp.parse("UnseenShare(without_list=two)")
