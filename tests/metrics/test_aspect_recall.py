"""Aspect recall against its definition in plain Python."""

import math
from fractions import Fraction

import pytest
from hypothesis import given

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PlainWorld, Unjudged, Way
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


@checked(80)
@given(worlds(), CUTOFFS, WAYS, UNJUDGED)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, unjudged: Unjudged) -> None:
    metric = asp.AspectRecall(k=k, judged_by=way, unjudged=unjudged)
    check_scores(metric, world, lambda user, k: plain.aspect_recall(world, user, k, judged_by=way, unjudged=unjudged))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    metric = asp.AspectRecall(k=(3, 10, -1), judged_by=way)
    check_scores(metric, world, lambda user, k: plain.aspect_recall(world, user, k, judged_by=way))
    assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, WAYS)
def test_whole_weights_repeat_aspects(world: PlainWorld, times: list[int], k: tuple[int, ...], way: Way) -> None:
    check_weights_repeat(asp.AspectRecall(k=k, judged_by=way), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_more_aspects_than_bits_in_a_mask_change_nothing(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.AspectRecall(k=k, judged_by=way), world, with_unused_aspects(world))


@checked(30)
@given(worlds(strengths=False), CUTOFFS, WAYS_OF_SOME_ASPECTS)
def test_strengths_of_1_are_no_strengths(world: PlainWorld, k: tuple[int, ...], way: Way) -> None:
    check_same_bits(asp.AspectRecall(k=k, judged_by=way), world, with_some_weak_judgments(world))


def test_community_recall_of_relison() -> None:
    world = asp.World.of({"u": [1, 2, 3]}, aspects={1: [0], 2: [0], 3: [1], 4: [2]})
    assert asp.CommunityRecall(k=(2, 3)).scores(world)[0].tolist() == pytest.approx([1 / 3, 2 / 3], abs=1e-15)


@pytest.mark.parametrize("n_aspects", [1, 63, 64, 65])
@pytest.mark.parametrize("k", [1, 2])
def test_as_many_aspects_as_bits_in_a_mask(n_aspects: int, k: int) -> None:
    world = asp.World.of({"u": ["last", "all"]}, aspects={"all": range(n_aspects), "last": [n_aspects - 1]})
    expected = Fraction(1, n_aspects) if k == 1 else 1
    assert asp.AspectRecall(k=k).scores(world).tolist() == [[float(expected)]]


def test_an_aspect_counts_with_the_strongest_judgment() -> None:
    rows = [("q", "x", "a", 1, 0.25), ("q", "x", "b", 1, 0.75), ("q", "x", "c", 1, 0.5), ("q", "y", "d", 1, 1.0)]
    world = asp.World.of({"q": ["a", "b", "c"]}, subtopics=rows, weights={"x": 3.0, "y": 1.0})
    assert asp.AspectRecall(k=(1, 2, 3)).scores(world).tolist() == [[3 * 0.25 / 4, 3 * 0.75 / 4, 3 * 0.75 / 4]]


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "v": ["a"]}, subtopics={"u": {"a": {"x": 0}}, "v": {"b": {"x": 1}}})
    undefined, nothing_shown = asp.AspectRecall(k=1).scores(world)[:, 0].tolist()
    assert math.isnan(undefined)
    assert nothing_shown == 0.0


def aspects_per_rank(world: PlainWorld, user: Id, k: int, *, judged_by: Way, unjudged: Unjudged, aspectless: str) -> float:
    wanted = plain.wanted_aspects(world, judged_by, user)
    shown = plain.top(world, judged_by, user, k, unjudged)
    strongest: dict[Id, float] = {}
    for item in shown:
        for aspect, strength in plain.counted_aspects(world, judged_by, user, item).items():
            strongest[aspect] = max(strength, strongest.get(aspect, 0.0))
    total = math.fsum(wanted[aspect] * strength for aspect, strength in strongest.items())
    if aspectless == "category":
        total += any(not world.aspects.get(item) for item in shown)
    elif sum(wanted.values()) == 0:
        return math.nan
    return total / (max(len(shown), 1) if k == -1 else k)


@checked(80)
@given(worlds(), CUTOFFS, WAYS, UNJUDGED)
def test_aspects_per_rank_follow_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, unjudged: Unjudged) -> None:
    for aspectless in ("skip", "category") if way == "membership" else ("skip",):
        metric = asp.AspectRecall(k=k, judged_by=way, unjudged=unjudged, denominator="k", aspectless=aspectless)
        check_scores(
            metric,
            world,
            lambda user, k, aspectless=aspectless: aspects_per_rank(  # type: ignore[misc]
                world, user, k, judged_by=way, unjudged=unjudged, aspectless=aspectless
            ),
        )


def test_replay_s_number() -> None:
    """CategoricalDiversity, on one category per item."""
    metric = asp.AspectRecall(k=3, denominator="k", aspectless="category")
    assert asp.evaluate(toy.LISTS, metric, aspects=toy.FIRST_ASPECTS)[metric] == pytest.approx(0.888889, abs=1e-6)
    without = asp.AspectRecall(k=3, denominator="k")
    assert asp.evaluate(toy.LISTS, without, aspects=toy.FIRST_ASPECTS)[without] == pytest.approx(7 / 9, abs=1e-15)


def test_an_item_that_only_lists_name_has_no_aspect() -> None:
    world = asp.World.of({"u": ["new", "other", "a"]}, aspects={"a": ["x"]})
    assert asp.AspectRecall(k=(1, 2, 3, -1), denominator="k", aspectless="category").scores(world).tolist() == [[1.0, 0.5, 2 / 3, 2 / 3]]
    assert asp.AspectRecall(k=(2, 3, 5), denominator="k").scores(world).tolist() == [[0.0, 1 / 3, 1 / 5]]


def test_items_without_aspects_are_a_category_by_membership_only() -> None:
    assert asp.AspectRecall(denominator="k", aspectless="category").judged_by == "membership"
    with pytest.raises(asp.MetricError, match="aspectless goes with denominator=k only"):
        asp.AspectRecall(aspectless="category")
    with pytest.raises(asp.MetricError, match="aspectless goes with judged_by=membership only"):
        asp.AspectRecall(denominator="k", aspectless="category", judged_by="history")
