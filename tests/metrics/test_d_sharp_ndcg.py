"""D#-nDCG against its definition in plain Python."""

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.intents import QUERY
from tests.plain import PlainWorld, Unjudged, Way
from tests.strategies import CUTOFFS, UNJUDGED, WAYS, check_scores, checked, world_of_many_aspects, worlds

Gain = Literal["linear", "exponential"]


@checked(100)
@given(worlds(), CUTOFFS, WAYS, st.sampled_from(["linear", "exponential"]), st.sampled_from([0.5, 0.0, 0.3, 1.0]), UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], way: Way, gain: Gain, gamma: float, unjudged: Unjudged
) -> None:
    parameters: Any = {"judged_by": way, "gain": gain, "gamma": gamma, "unjudged": unjudged}
    check_scores(asp.DSharpNDCG(k=k, **parameters), world, lambda user, k: plain.d_sharp_ndcg(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    parameters: Any = {"judged_by": way, "gain": "linear", "gamma": 0.5}
    check_scores(asp.DSharpNDCG(k=(3, 10, -1), **parameters), world, lambda user, k: plain.d_sharp_ndcg(world, user, k, **parameters))


def test_ntcireval_s_numbers() -> None:
    world = asp.World.of(**QUERY)
    assert asp.parse("I-rec@3").scores(world).tolist() == [[1.0]]  # type: ignore[attr-defined]
    assert asp.DSharpNDCG(k=3).scores(world)[0, 0] == pytest.approx(0.852540, abs=1e-6)
    assert asp.DSharpNDCG(k=3, gamma=0).scores(world).tolist() == asp.DNDCG(k=3).scores(world).tolist()


def test_intent_recall_knows_no_weights_and_no_strengths() -> None:
    """Where aspect recall is 0.5."""
    rows = [("q", "x", "a", 1, 0.5), ("q", "y", "b", 1, 0.5)]
    world = asp.World.of({"q": ["a", "b"]}, subtopics=rows, weights={"x": 3.0, "y": 1.0})
    assert asp.AspectRecall().scores(world).tolist() == [[0.5]]
    assert asp.DSharpNDCG(k=(1, 2), gamma=1).scores(world).tolist() == [[0.5, 1.0]]


def test_undefined_where_d_ndcg_is() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}})
    for gamma in (0.0, 0.5, 1.0):
        undefined, empty = asp.DSharpNDCG(gamma=gamma).scores(world)[:, 0].tolist()
        assert math.isnan(undefined)
        assert empty == 0.0


@pytest.mark.parametrize("name", ["D#-nDCG", "D♯-nDCG", "d#-ndcg", "DSharpNDCG", "D_sharp_nDCG"])
def test_names(name: str) -> None:
    assert asp.parse(f"{name}@10") == asp.DSharpNDCG(k=10)


def test_parameters_that_are_refused() -> None:
    with pytest.raises(asp.MetricError, match=r"gamma is 1\.5, expected 0 to 1"):
        asp.DSharpNDCG(gamma=1.5)
    with pytest.raises(asp.MetricError, match="gain is 'log', expected 'linear' or 'exponential'"):
        asp.DSharpNDCG(gain="log")  # type: ignore[arg-type]
