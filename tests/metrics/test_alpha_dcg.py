"""alpha-DCG and alpha-CG against their definition in plain Python."""

import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld, Unjudged, Way
from tests.strategies import (
    ALPHAS,
    CUTOFFS,
    EXACT_ALPHAS,
    FITTING_A_MASK,
    PROBABILITIES,
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

Discount = Literal["log2", "none"]
Normalize = Literal["perfect", "pyndeval"] | None
DISCOUNTS: st.SearchStrategy[Discount] = st.sampled_from(["log2", "none"])
NORMALIZED: st.SearchStrategy[Normalize] = st.sampled_from([None, "perfect", "pyndeval"])
CLARKE = {"a": [2, 4], "b": [2], "c": [2], "d": [], "e": [1, 6], "f": [1], "g": [3], "h": [1], "i": [], "j": []}


@checked(80)
@given(worlds(), CUTOFFS, ALPHAS, WAYS, DISCOUNTS, NORMALIZED, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, discount: Discount, normalize: Normalize, unjudged: Unjudged
) -> None:
    parameters: Any = {"alpha": alpha, "judged_by": way, "discount": discount, "normalize": normalize, "unjudged": unjudged}
    check_scores(asp.AlphaDCG(k=k, **parameters), world, lambda user, k: plain.alpha_dcg(world, user, k, **parameters))


@checked(40)
@given(worlds(weights_from=PROBABILITIES), CUTOFFS, ALPHAS, WAYS, DISCOUNTS, st.sampled_from([1.0, 0.5, 0.3, 0.0]), st.booleans())
def test_probabilistic_gain_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, discount: Discount, number: float, per_aspect: bool
) -> None:
    gamma: Any = {aspect: number / (1 + place % 3) for place, aspect in enumerate(world.place_of_aspect)} if per_aspect else number
    parameters: Any = {"alpha": alpha, "judged_by": way, "discount": discount, "gamma": gamma}
    metric = asp.AlphaDCG(k=k, gain="probabilistic", **parameters)
    check_scores(metric, world, lambda user, k: plain.alpha_dcg(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    metric = asp.AlphaDCG(k=(3, 10, -1), alpha=0.9, judged_by=way)
    check_scores(metric, world, lambda user, k: plain.alpha_dcg(world, user, k, alpha=0.9, judged_by=way))
    assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, EXACT_ALPHAS, WAYS, NORMALIZED)
def test_whole_weights_repeat_aspects(
    world: PlainWorld, times: list[int], k: tuple[int, ...], alpha: float, way: Way, normalize: Normalize
) -> None:
    check_weights_repeat(asp.AlphaDCG(k=k, alpha=alpha, judged_by=way, normalize=normalize), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS)
def test_more_aspects_than_bits_in_a_mask_change_nothing(world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way) -> None:
    check_same_bits(asp.AlphaDCG(k=k, alpha=alpha, judged_by=way), world, with_unused_aspects(world))


@checked(30)
@given(worlds(strengths=False), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS)
def test_strengths_of_1_are_no_strengths(world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way) -> None:
    check_same_bits(asp.AlphaDCG(k=k, alpha=alpha, judged_by=way), world, with_some_weak_judgments(world))


def test_clarke_s_example() -> None:
    world = asp.World.of({"q": list("abcdefghij")}, subtopics={"q": CLARKE})
    ranks = tuple(range(1, 11))
    cumulated = asp.AlphaDCG(k=ranks, discount="none").scores(world)[0]
    assert np.diff(cumulated, prepend=0.0).tolist() == [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4, 0, 0]
    assert asp.AlphaDCG(k=(1, 2, 3)).scores(world)[0].tolist() == pytest.approx([2, 2.31546, 2.44046], abs=5e-6)


def test_strengths_and_weights() -> None:
    """G[j] = sum of w * s * prod (1 - alpha * s), written out for two items and one aspect."""
    world = asp.World.of({"q": ["a", "b"]}, subtopics=[("q", "x", "a", 1, 0.5), ("q", "x", "b", 1, 1.0)], weights={"q": {"x": 3.0}})
    scores = asp.AlphaDCG(k=(1, 2), discount="none").scores(world)[0].tolist()
    assert scores == [3 * 0.5, 3 * 0.5 + 3 * 1.0 * (1 - 0.5 * 0.5)]


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of(
        {"wants": ["a"], "wants nothing": ["a"], "shown nothing": ["b"]},
        aspects={"a": ["x"], "b": []},
        history={"wants": ["a"], "wants nothing": ["b"], "shown nothing": ["a"]},
    )
    for normalize in (None, "perfect", "pyndeval"):
        scores = asp.AlphaDCG(k=1, normalize=normalize).scores(world)[:, 0].tolist()
        assert scores[0] == 1.0
        assert math.isnan(scores[1])
        assert scores[2] == 0.0


def test_a_normalized_gain_is_linear() -> None:
    with pytest.raises(asp.MetricError, match="normalize"):
        asp.AlphaDCG(gain="probabilistic", normalize="perfect")


def test_a_probabilistic_gain_needs_probabilities() -> None:
    world = asp.World.of({"q": ["a"]}, subtopics={"q": {"a": ["x"]}}, weights={"x": 4.0})
    assert asp.AlphaDCG(gain="probabilistic", gamma=0.25).scores(world).tolist() == [[0.5]]
    with pytest.raises(asp.InputError, match="at most 1"):
        asp.AlphaDCG(gain="probabilistic", gamma=0.5).scores(world)
    for gamma in (1.5, -0.5, {"x": 2.0}):
        with pytest.raises(asp.MetricError, match="gamma"):
            asp.AlphaDCG(gain="probabilistic", gamma=gamma)  # type: ignore[arg-type]
