"""D-nDCG against its definition in plain Python."""

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
    REPEATS,
    UNJUDGED,
    WAYS,
    build,
    check_scores,
    check_weights_repeat,
    checked,
    world_of_many_aspects,
    world_of_many_items,
    worlds,
)

Gain = Literal["linear", "exponential"]
GAINS: st.SearchStrategy[Gain] = st.sampled_from(["linear", "exponential"])


@checked(120)
@given(worlds(), CUTOFFS, WAYS, GAINS, UNJUDGED)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, gain: Gain, unjudged: Unjudged) -> None:
    parameters: Any = {"judged_by": way, "gain": gain, "unjudged": unjudged}
    check_scores(asp.DNDCG(k=k, **parameters), world, lambda user, k: plain.d_ndcg(world, user, k, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_many_aspects_and_items(way: Way) -> None:
    for world in (world_of_many_aspects(), world_of_many_items(5)):
        metric = asp.DNDCG(k=(3, 10, -1), judged_by=way)
        check_scores(metric, world, lambda user, k, world=world: plain.d_ndcg(world, user, k, judged_by=way, gain="linear"))  # type: ignore[misc]
        assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, WAYS, GAINS)
def test_whole_weights_repeat_aspects(world: PlainWorld, times: list[int], k: tuple[int, ...], way: Way, gain: Gain) -> None:
    check_weights_repeat(asp.DNDCG(k=k, judged_by=way, gain=gain), world, times)


def test_ntcireval_s_number() -> None:
    """Global gains a .5, b .3, c 1.2, e .6."""
    world = asp.World.of(**QUERY)
    expected = (0.5 + 0.3 / math.log2(3) + 1.2 / 2) / (1.2 + 0.6 / math.log2(3) + 0.5 / 2)
    assert expected == pytest.approx(1.289279 / 1.828558, abs=1e-6)
    assert asp.DNDCG(k=3).scores(world)[0, 0] == pytest.approx(expected, abs=1e-15)
    assert asp.DNDCG(k=3).scores(world)[0, 0] == pytest.approx(0.705080, abs=1e-6)


def test_weights_need_not_add_up_to_1() -> None:
    doubled = {**QUERY, "weights": {intent: 4 * weight for intent, weight in QUERY["weights"].items()}}
    assert asp.DNDCG(k=3).scores(asp.World.of(**doubled)).tolist() == asp.DNDCG(k=3).scores(asp.World.of(**QUERY)).tolist()


def test_it_is_alpha_ndcg_without_alpha_where_judgments_have_no_grades() -> None:
    world = build(world_of_many_items(6))
    for way in ("history", "membership"):
        ours, theirs = asp.DNDCG(k=(5, -1), judged_by=way), asp.AlphaNDCG(k=(5, -1), alpha=0, judged_by=way)
        assert ours.scores(world).tolist() == theirs.scores(world).tolist()


def test_the_ideal_order_scores_1() -> None:
    world = asp.World.of(**{**QUERY, "rankings": {"q1": ["c", "e", "a", "b"]}})
    assert asp.DNDCG(k=(1, 2, 3, 4, -1)).scores(world).tolist() == [[1.0] * 5]


def test_undefined_without_a_positive_judgment() -> None:
    subtopics = {"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}, "unwanted": {"a": {"y": 1}}}
    world = asp.World.of({"u": ["a"], "empty": [], "unwanted": ["a"]}, subtopics=subtopics, weights={"x": 1.0})
    scores = asp.DNDCG().scores(world)[:, 0].tolist()
    assert math.isnan(scores[0]) and math.isnan(scores[2])
    assert scores[1] == 0.0


def test_grades_that_are_too_large() -> None:
    world = asp.World.of({"q": ["a"]}, subtopics=[("q", 1, "a", 600)])
    assert asp.DNDCG().scores(world).tolist() == [[1.0]]
    with pytest.raises(asp.InputError, match="grade 600 is too large"):
        asp.DNDCG(gain="exponential").scores(world)
