"""Intent-aware mean reciprocal rank against its definition in plain Python."""

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
    check_same_bits,
    check_scores,
    check_weights_repeat,
    checked,
    with_some_weak_judgments,
    with_unused_aspects,
    world_of_many_aspects,
    worlds,
)

Unattainable = Literal["lost", "skip"]
UNATTAINABLE: st.SearchStrategy[Unattainable] = st.sampled_from(["lost", "skip"])


@checked(100)
@given(worlds(), CUTOFFS, WAYS, UNATTAINABLE, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], way: Way, unattainable: Unattainable, unjudged: Unjudged
) -> None:
    parameters: Any = {"judged_by": way, "unattainable": unattainable, "unjudged": unjudged}
    check_scores(asp.MRRIA(k=k, **parameters), world, lambda user, k: plain.mrr_ia(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    check_scores(asp.MRRIA(k=(3, 10, -1), judged_by=way), world, lambda user, k: plain.mrr_ia(world, user, k, judged_by=way))


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, WAYS)
def test_whole_weights_repeat_aspects(world: PlainWorld, times: list[int], k: tuple[int, ...], way: Way) -> None:
    check_weights_repeat(asp.MRRIA(k=k, judged_by=way, unattainable="skip"), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_aspects_beyond_a_mask_and_strengths_change_nothing(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.MRRIA(k=k, judged_by=way), world, with_unused_aspects(world))
    check_same_bits(asp.MRRIA(k=k, judged_by=way), world, with_some_weak_judgments(world))


def test_ntcireval_s_number() -> None:
    world = asp.World.of(**QUERY)
    assert asp.MRRIA(k=3).scores(world)[0, 0] == pytest.approx(0.5 + 0.3 / 2 + 0.2 / 3, abs=1e-15)
    assert asp.MRRIA(k=3).scores(world)[0, 0] == pytest.approx(0.716667, abs=1e-6)


def test_the_weight_of_an_unattainable_intent() -> None:
    """NTCIREVAL's SUMp loses the probability of an intent that no item is relevant to."""
    weights = {"q1": {1: 0.5, 2: 0.3, 9: 0.2}}
    world = asp.World.of({"q1": ["a", "b"]}, subtopics={"q1": {"a": {1: 1}, "b": {2: 1}}}, weights=weights)
    assert asp.MRRIA().scores(world)[0, 0] == pytest.approx(0.5 + 0.3 / 2, abs=1e-15)
    assert asp.MRRIA(unattainable="skip").scores(world)[0, 0] == pytest.approx((0.5 + 0.3 / 2) / 0.8, abs=1e-15)


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}}, weights={"x": 1.0})
    undefined, empty = asp.MRRIA().scores(world)[:, 0].tolist()
    assert math.isnan(undefined)
    assert empty == 0.0


@pytest.mark.parametrize("name", ["MRR-IA", "MRR_IA", "RR-IA", "mrria"])
def test_names(name: str) -> None:
    assert asp.parse(f"{name}@10") == asp.MRRIA(k=10)
