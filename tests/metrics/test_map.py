"""Mean average precision against its definition in plain Python."""

import math
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS, LEVELS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None) -> None:
    check_scores(asp.MAP(k=k, rel=rel), world, lambda user, k: plain.average_precision(world, user, k, rel))


@checked(100)
@given(worlds(), CUTOFFS, st.sampled_from(["attainable", "k"]))
def test_other_denominators_follow_the_definition(world: PlainWorld, k: tuple[int, ...], denominator: Any) -> None:
    check_scores(
        asp.MAP(k=k, denominator=denominator),
        world,
        lambda user, k: plain.average_precision(world, user, k, denominator=denominator),
    )


def test_long_lists() -> None:
    world = world_of_many_items(3)
    check_scores(asp.MAP(k=(1, 7, 20, 40, -1)), world, lambda user, k: plain.average_precision(world, user, k))


def test_precisions_at_the_relevant_ranks() -> None:
    world = asp.World.of({"u": ["a", "x", "b", "y", "c"], "empty": []}, relevance={"u": ["c", "b", "a", "z"], "empty": ["a"]})
    at_3 = (1 + 2 / 3) / 4
    at_5 = (1 + 2 / 3 + 3 / 5) / 4
    assert asp.MAP(k=(1, 2, 3, 4, 5, -1)).scores(world).tolist() == [[1 / 4, 1 / 4, at_3, at_3, at_5, at_5], [0.0] * 6]


def test_a_perfect_list_is_exactly_1() -> None:
    """Also where n x (1/n) is not 1, as at rank 49."""
    items = list(range(200))
    world = asp.World.of({"u": items}, relevance={"u": items})
    assert asp.MAP().scores(world).tolist() == [[1.0]]


def test_other_lists_leave_no_trace() -> None:
    """To the bit, wherever in the batch a list stands."""
    draw = random.Random(5)
    items = list(range(500))
    lists = {user: draw.sample(items, draw.randint(0, 300)) for user in range(40)}
    world = asp.World.of(lists, relevance={user: draw.sample(items, 150) for user in lists})
    metric = asp.MAP(k=(10, 100, -1))
    alone = [metric.scores(world.slice(user, user + 1))[0].tolist() for user in range(len(lists))]
    assert metric.scores(world).tolist() == alone


def test_the_threshold_says_what_is_relevant() -> None:
    world = asp.World.of({"u": ["a", "b"]}, relevance={"u": {"a": 1, "b": 2, "c": 3, "d": 1}}, threshold=2)
    assert asp.MAP(k=(1, 2)).scores(world).tolist() == [[0.0, 1 / 4]]


def test_undefined_without_a_relevant_item() -> None:
    world = asp.World.of({"none": ["a"], "low": ["a"], "elsewhere": ["a"]}, relevance={"low": {"a": 1}, "elsewhere": {"b": 2}}, threshold=2)
    *undefined, elsewhere = asp.MAP(k=1).scores(world)[:, 0].tolist()
    assert all(map(math.isnan, undefined))
    assert elsewhere == 0.0


def test_names() -> None:
    assert asp.parse("AP@5") == asp.parse("Mean average precision@5") == asp.parse("map@5") == asp.MAP(k=5)


def test_relison_averages_users_with_test_links() -> None:
    relevance = {"u": ["b"], "unlisted": ["a"]}
    result = asp.evaluate({"u": ["a", "b"], "nothing to find": ["a"]}, "MAP@2", relevance=relevance, convention="relison", users=None)
    assert result["MAP@2"] == 1 / 4
    assert result.details["MAP@2"]["scored"] == 2
