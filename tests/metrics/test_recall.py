"""Recall against its definition in plain Python."""

import math

from hypothesis import given

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS, LEVELS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None) -> None:
    check_scores(asp.Recall(k=k, rel=rel), world, lambda user, k: plain.recall(world, user, k, rel))


def test_long_lists() -> None:
    world = world_of_many_items(2)
    check_scores(asp.Recall(k=(1, 7, 20, 40, -1)), world, lambda user, k: plain.recall(world, user, k))


def test_relevant_in_the_top_over_all_relevant() -> None:
    world = asp.World.of({"u": ["a", "x", "b"], "empty": []}, relevance={"u": ["b", "a", "z"], "empty": ["a"]})
    assert asp.Recall(k=(1, 2, 3, 10, -1)).scores(world).tolist() == [[1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3], [0.0] * 5]


def test_the_threshold_says_what_is_relevant() -> None:
    world = asp.World.of({"u": ["a", "b"]}, relevance={"u": {"a": 1, "b": 2, "c": 3, "d": 1}}, threshold=2)
    assert asp.Recall(k=(1, 2)).scores(world).tolist() == [[0.0, 1 / 2]]


def test_undefined_without_a_relevant_item() -> None:
    world = asp.World.of({"none": ["a"], "low": ["a"], "elsewhere": ["a"]}, relevance={"low": {"a": 1}, "elsewhere": {"b": 2}}, threshold=2)
    *undefined, elsewhere = asp.Recall(k=1).scores(world)[:, 0].tolist()
    assert all(map(math.isnan, undefined))
    assert elsewhere == 0.0


def test_names() -> None:
    assert asp.parse("R@5") == asp.parse("recall@5") == asp.Recall(k=5)


def test_relison_averages_users_with_test_links() -> None:
    relevance = {"u": ["a"], "unlisted": ["a"]}
    result = asp.evaluate({"u": ["a", "b"], "nothing to find": ["a"]}, "Recall@2", relevance=relevance, convention="relison", users=None)
    assert result["Recall@2"] == 1 / 2
    assert result.details["Recall@2"]["scored"] == 2
