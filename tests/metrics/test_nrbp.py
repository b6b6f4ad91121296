"""NRBP against its definition in plain Python."""

import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld, Pool, Unjudged, Way
from tests.strategies import (
    ALPHAS,
    CUTOFFS,
    EXACT_ALPHAS,
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

BETAS = st.sampled_from([0.5, 0.0, 0.8, 1.0])
NORMALIZED: st.SearchStrategy[Literal["ideal"] | None] = st.sampled_from([None, "ideal"])
POOLS: st.SearchStrategy[Pool | None] = st.sampled_from([None, "judged", "catalogue", "unseen", "list"])


@checked(100)
@given(worlds(), CUTOFFS, ALPHAS, BETAS, WAYS, NORMALIZED, POOLS, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld,
    k: tuple[int, ...],
    alpha: float,
    beta: float,
    way: Way,
    normalize: Literal["ideal"] | None,
    pool: Pool | None,
    unjudged: Unjudged,
) -> None:
    parameters: Any = {"alpha": alpha, "beta": beta, "judged_by": way, "normalize": normalize, "unjudged": unjudged}
    parameters["pool"] = pool if normalize == "ideal" else None  # nothing else has a pool
    check_scores(asp.NRBP(k=k, **parameters), world, lambda user, k: plain.nrbp(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    parameters: Any = {"alpha": 0.75, "beta": 0.8, "judged_by": way, "normalize": "ideal"}
    metric = asp.NRBP(k=(3, 10, -1), **parameters)
    check_scores(metric, world, lambda user, k: plain.nrbp(world, user, k, **parameters))
    assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, EXACT_ALPHAS, BETAS, WAYS, NORMALIZED)
def test_whole_weights_repeat_aspects(
    world: PlainWorld, times: list[int], k: tuple[int, ...], alpha: float, beta: float, way: Way, normalize: Literal["ideal"] | None
) -> None:
    check_weights_repeat(asp.NRBP(k=k, alpha=alpha, beta=beta, judged_by=way, normalize=normalize), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS, NORMALIZED)
def test_more_aspects_than_bits_in_a_mask_change_nothing(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, normalize: Literal["ideal"] | None
) -> None:
    check_same_bits(asp.NRBP(k=k, alpha=alpha, judged_by=way, normalize=normalize), world, with_unused_aspects(world))


@checked(30)
@given(worlds(strengths=False), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS, NORMALIZED)
def test_strengths_of_1_are_no_strengths(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, normalize: Literal["ideal"] | None
) -> None:
    check_same_bits(asp.NRBP(k=k, alpha=alpha, judged_by=way, normalize=normalize), world, with_some_weak_judgments(world))


def test_a_list_that_shows_everything_for_ever_comes_near_1() -> None:
    world = asp.World.of({"q": range(60)}, subtopics={"q": {item: ["x", "y"] for item in range(60)}})
    assert asp.NRBP(alpha=0.25, beta=0.5).scores(world)[0, 0] == pytest.approx(1, abs=1e-12)
    assert asp.NRBP(alpha=0.25, beta=0.5, k=2).scores(world).tolist() == [[(1 - 0.75 * 0.5) * (1 + 0.5 * 0.75)]]


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}})
    for metric in (asp.NRBP(), asp.NRBP(normalize="ideal")):
        undefined, empty = metric.scores(world)[:, 0].tolist()
        assert math.isnan(undefined)
        assert empty == 0.0


@pytest.mark.parametrize("parameters", [{"alpha": 1.5}, {"beta": -0.1}, {"alpha": float("nan")}])
def test_probabilities_lie_between_0_and_1(parameters: dict[str, float]) -> None:
    with pytest.raises(asp.MetricError, match=next(iter(parameters))):
        asp.NRBP(**parameters)  # type: ignore[arg-type]
    assert np.isfinite(asp.NRBP(alpha=1, beta=1).scores(asp.World.of({"q": ["a"]}, subtopics={"q": {"a": ["x"]}}))).all()
