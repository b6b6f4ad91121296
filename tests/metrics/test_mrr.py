"""Mean reciprocal rank against its definition in plain Python."""

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
    check_scores(asp.MRR(k=k, rel=rel), world, lambda user, k: plain.reciprocal_rank(world, user, k, rel))


def test_long_lists() -> None:
    world = world_of_many_items(2)
    check_scores(asp.MRR(k=(1, 2, 3, 20, -1), rel=3), world, lambda user, k: plain.reciprocal_rank(world, user, k, 3))


def test_numbers_of_other_programs() -> None:
    """RecTools, RePlay, LensKit, Elliot, PyG and RankSys: 1/2, 1/2 and 1/3."""
    found = asp.evaluate(toy.LISTS, "MRR@3", relevance=toy.RELEVANCE)
    assert found["MRR@3"] == pytest.approx(0.444444, abs=1e-6)
    assert found.per_user["MRR@3"].to_list() == [1 / 2, 1 / 2, 1 / 3]


def test_undefined_without_a_relevant_item_and_0_without_a_hit() -> None:
    world = asp.World.of({"u": ["a"], "v": ["new"], "empty": []}, relevance={"u": {"a": 0}, "v": ["a"], "empty": ["a"]})
    scores = asp.MRR().scores(world)[:, 0].tolist()
    assert math.isnan(scores[0])
    assert scores[1:] == [0.0, 0.0]


@pytest.mark.parametrize("name", ["RR", "recip_rank", "ReciprocalRank", "mrr", "Mean reciprocal rank"])
def test_names(name: str) -> None:
    assert asp.parse(f"{name}@5") == asp.MRR(k=5)
