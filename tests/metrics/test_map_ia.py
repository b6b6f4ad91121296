"""Intent-aware mean average precision against its definition in plain Python."""

import math

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld, Unjudged, Way
from tests.strategies import (
    CUTOFFS,
    FITTING_A_MASK,
    REPEATS,
    UNJUDGED,
    WAYS,
    WAYS_OF_SOME_ASPECTS,
    build,
    check_same_bits,
    check_scores,
    check_weights_repeat,
    checked,
    with_some_weak_judgments,
    with_unused_aspects,
    world_of_many_aspects,
    worlds,
)


@checked(100)
@given(worlds(catalogue_covers_lists=True), CUTOFFS, WAYS, UNJUDGED)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, unjudged: Unjudged) -> None:
    metric = asp.MAPIA(k=k, judged_by=way, unjudged=unjudged)
    check_scores(metric, world, lambda user, k: plain.map_ia(world, user, k, judged_by=way, unjudged=unjudged))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    metric = asp.MAPIA(k=(3, 10, -1), judged_by=way)
    check_scores(metric, world, lambda user, k: plain.map_ia(world, user, k, judged_by=way))
    assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False, catalogue_covers_lists=True), REPEATS, CUTOFFS, WAYS)
def test_whole_weights_repeat_aspects(world: PlainWorld, times: list[int], k: tuple[int, ...], way: Way) -> None:
    check_weights_repeat(asp.MAPIA(k=k, judged_by=way), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_more_aspects_than_bits_in_a_mask_change_nothing(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.MAPIA(k=k, judged_by=way), world, with_unused_aspects(world))


@checked(30)
@given(worlds(strengths=False), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_strengths_of_1_are_no_strengths(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.MAPIA(k=k, judged_by=way), world, with_some_weak_judgments(world))


def test_average_precision_of_each_aspect() -> None:
    """x stands at ranks 1 and 3 of three items that have it, y at rank 2 of one."""
    nuggets = {"a": ["x"], "b": ["y"], "c": ["x"], "d": ["x"]}
    world = asp.World.of({"q": ["a", "b", "c"]}, subtopics={"q": nuggets})
    assert asp.MAPIA().scores(world)[0, 0] == pytest.approx(((1 + 2 / 3) / 3 + 1 / 2) / 2, abs=1e-15)


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}})
    undefined, empty = asp.MAPIA().scores(world)[:, 0].tolist()
    assert math.isnan(undefined)
    assert empty == 0.0


def test_items_outside_a_given_catalogue_do_not_count() -> None:
    world = asp.World.of({"u": ["a", "b", "c"]}, aspects={"a": ["x"], "b": ["x"], "c": ["x"]}, catalogue=["b"])
    assert asp.MAPIA(judged_by="membership").scores(world).tolist() == [[0.5]]
