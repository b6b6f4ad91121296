"""UnseenShare against its definition in plain Python."""

import math

from hypothesis import given

import aspectrum as asp
from tests import plain
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


def test_disliked_items_were_seen() -> None:
    """The threshold says what a user likes, not what they had."""
    result = asp.evaluate({"u": ["a", "b"]}, "UnseenShare@2", history={"u": {"a": 1, "z": 5}}, threshold=4)
    assert result["UnseenShare@2"] == 0.5
