"""Hit rate against its definition in plain Python."""

import math

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain, toy
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, LEVELS, check_scores, checked, world_of_many_items, worlds


@checked(100)
@given(worlds(), CUTOFFS, LEVELS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], rel: float | None) -> None:
    check_scores(asp.HitRate(k=k, rel=rel), world, lambda user, k: plain.hit_rate(world, user, k, rel))


def test_long_lists() -> None:
    world = world_of_many_items(1)
    check_scores(asp.HitRate(k=(1, 2, 3, 20, -1)), world, lambda user, k: plain.hit_rate(world, user, k))


def test_numbers_of_other_programs() -> None:
    """RecTools, RePlay, LensKit, Elliot, PyG and RankSys say 1.0 of the toy world."""
    assert asp.evaluate(toy.LISTS, "HitRate@3", relevance=toy.RELEVANCE)["HitRate@3"] == 1.0
    assert asp.evaluate(toy.LISTS, "HitRate@2", relevance=toy.RELEVANCE)["HitRate@2"] == pytest.approx(2 / 3)
    assert asp.evaluate(toy.UNEVEN, "HitRate@3", relevance=toy.UNEVEN_RELEVANCE)["HitRate@3"] == pytest.approx(2 / 3)


def test_undefined_without_a_relevant_item() -> None:
    world = asp.World.of({"u": ["a"], "v": ["a"], "empty": []}, relevance={"u": {"a": 0}, "empty": ["a"]})
    scores = asp.HitRate().scores(world)[:, 0].tolist()
    assert math.isnan(scores[0]) and math.isnan(scores[1])
    assert scores[2] == 0.0


def test_an_item_that_only_lists_name_is_no_hit() -> None:
    world = asp.World.of({"u": ["new", "a"]}, relevance={"u": ["a"]})
    assert asp.HitRate(k=(1, 2)).scores(world).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("name", ["HR", "HitRatio", "Hit", "Success", "success", "hit_rate", "Hit rate"])
def test_names(name: str) -> None:
    assert asp.parse(f"{name}@5") == asp.HitRate(k=5)
