"""Redundancy against its definition in plain Python."""

import math

from hypothesis import given

import aspectrum as asp
from tests.plain import Id, PlainWorld, Unjudged, Way, counted_aspects, ratio, top, wanted_aspects
from tests.strategies import CUTOFFS, UNJUDGED, WAYS, check_scores, checked, worlds


def redundancy(world: PlainWorld, user: Id, k: int, judged_by: Way, unjudged: Unjudged) -> float:
    wanted = wanted_aspects(world, judged_by, user)
    strongest: dict[Id, float] = {}
    shown = 0.0
    for item in top(world, judged_by, user, k, unjudged):
        for aspect, strength in counted_aspects(world, judged_by, user, item).items():
            shown += wanted[aspect] * strength
            strongest[aspect] = max(strength, strongest.get(aspect, 0.0))
    return ratio(shown - math.fsum(wanted[aspect] * strength for aspect, strength in strongest.items()), shown)


@checked(80)
@given(worlds(), CUTOFFS, WAYS, UNJUDGED)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, unjudged: Unjudged) -> None:
    metric = asp.Redundancy(k=k, judged_by=way, unjudged=unjudged)
    check_scores(metric, world, lambda user, k: redundancy(world, user, k, way, unjudged))


def test_a_list_that_repeats_nothing_scores_0_exactly() -> None:
    subtopics = {"q": {"a": {1: 1}, "b": {2: 1}, "c": {3: 1}}}
    weights = {1: 0.1, 2: 0.7, 3: 0.3}
    assert list(asp.evaluate({"q": ["a", "b", "c"]}, "Redundancy@1,2,3", subtopics=subtopics, weights=weights).values()) == [0, 0, 0]


def test_less_is_better_and_showing_nothing_is_undefined() -> None:
    found = asp.evaluate({"q": ["x"], "p": ["b"]}, "Redundancy@2", subtopics={"q": {"a": [1]}, "p": {"b": [1]}})
    assert found.columns["Redundancy@2"].higher_is_better is False
    assert found.details["Redundancy@2"]["undefined"] == 1
