"""Intent-aware nDCG against its definition in plain Python."""

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.intents import QUERY
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
    world_of_many_items,
    worlds,
)

Gain = Literal["linear", "exponential"]
Unattainable = Literal["lost", "skip"]
GAINS: st.SearchStrategy[Gain] = st.sampled_from(["linear", "exponential"])
UNATTAINABLE: st.SearchStrategy[Unattainable] = st.sampled_from(["lost", "skip"])


@checked(120)
@given(worlds(catalogue_covers_lists=True), CUTOFFS, WAYS, GAINS, UNATTAINABLE, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], way: Way, gain: Gain, unattainable: Unattainable, unjudged: Unjudged
) -> None:
    parameters: Any = {"judged_by": way, "gain": gain, "unattainable": unattainable, "unjudged": unjudged}
    check_scores(asp.NDCGIA(k=k, **parameters), world, lambda user, k: plain.ndcg_ia(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_many_aspects_and_items(way: Way) -> None:
    for world in (world_of_many_aspects(), world_of_many_items(7)):
        metric = asp.NDCGIA(k=(3, 10, -1), judged_by=way)
        check_scores(metric, world, lambda user, k, world=world: plain.ndcg_ia(world, user, k, judged_by=way, gain="linear"))  # type: ignore[misc]
        assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False, catalogue_covers_lists=True), REPEATS, CUTOFFS, WAYS, GAINS)
def test_whole_weights_repeat_aspects(world: PlainWorld, times: list[int], k: tuple[int, ...], way: Way, gain: Gain) -> None:
    check_weights_repeat(asp.NDCGIA(k=k, judged_by=way, gain=gain, unattainable="skip"), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_aspects_beyond_a_mask_and_strengths_of_others_change_nothing(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.NDCGIA(k=k, judged_by=way), world, with_unused_aspects(world))
    check_same_bits(asp.NDCGIA(k=k, judged_by=way), world, with_some_weak_judgments(world))


def test_ntcireval_s_number() -> None:
    """IA-MSnDCG: each intent has an ideal of its own."""
    third = 1 / math.log2(3)
    expected = 0.5 * (1 + 2 / 2) / (2 + third) + 0.3 * third + 0.2 * (1 / 2) / (3 + third)
    found = asp.NDCGIA(k=3).scores(asp.World.of(**QUERY))[0, 0]
    assert found == pytest.approx(expected, abs=1e-15)
    assert found == pytest.approx(0.596914, abs=1e-6)


def test_the_weight_of_an_unattainable_intent() -> None:
    weights = {"q1": {1: 0.5, 2: 0.3, 9: 0.2}}
    world = asp.World.of({"q1": ["a"]}, subtopics={"q1": {"a": {1: 1}, "b": {2: 1}}}, weights=weights)
    assert asp.NDCGIA().scores(world)[0, 0] == pytest.approx(0.5, abs=1e-15)
    assert asp.NDCGIA(unattainable="skip").scores(world)[0, 0] == pytest.approx(0.5 / 0.8, abs=1e-15)


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}})
    undefined, empty = asp.NDCGIA().scores(world)[:, 0].tolist()
    assert math.isnan(undefined)
    assert empty == 0.0


def test_items_outside_a_given_catalogue_do_not_count() -> None:
    world = asp.World.of({"u": ["a", "b"]}, aspects={"a": ["x"], "b": ["x"], "c": ["x"]}, catalogue=["b"])
    assert asp.NDCGIA(judged_by="membership").scores(world)[0, 0] == pytest.approx(1 / math.log2(3), abs=1e-15)


def test_nothing_is_judged_at_all() -> None:
    world = asp.World.of({"u": ["a"], "v": []}, subtopics={"u": {"a": {"x": 0}}})
    assert all(map(math.isnan, asp.NDCGIA(k=(1, -1)).scores(world).ravel()))
    assert all(map(math.isnan, asp.DNDCG(k=(1, -1)).scores(world).ravel()))


@pytest.mark.parametrize("name", ["NDCG-IA", "nDCG_IA", "ndcgia", "nDCG-IA"])
def test_names(name: str) -> None:
    assert asp.parse(f"{name}@10") == asp.NDCGIA(k=10)
