"""Judged against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, worlds


def judged(world: PlainWorld, user: Id, k: int, by: str, over: str, judged_by: str, complement: bool = False) -> float:
    truth: Any = world.subtopics if judged_by == "subtopics" else world.relevance
    shown = list(world.rankings.get(user, []))[: None if k < 0 else k]
    known = set(truth.get(user, {})) if by == "user" else {item for has in truth.values() for item in has}
    places = len(shown) if over == "list" else max(len(world.rankings.get(user, [])), 1) if k < 0 else k
    return sum((item in known) != complement for item in shown) / places if places else math.nan


@checked(60)
@given(
    worlds(),
    CUTOFFS,
    st.sampled_from(["user", "anybody"]),
    st.sampled_from(["list", "k"]),
    st.sampled_from(["subtopics", "relevance"]),
    st.booleans(),
)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], by: Any, over: Any, judged_by: Any, complement: bool) -> None:
    metric = asp.Judged(k=k, judged_by=judged_by, by=by, over=over, complement=complement)

    def definition(user: Id, k: int) -> float:
        return judged(world, user, k, by, over, judged_by, complement)

    check_scores(metric, world, definition)


def test_items_judged_for_nothing_are_judged() -> None:
    world = asp.World.of({"q": ["a", "b"]}, subtopics=[("q", 1, "a", 0), ("q", 1, "c", 1)])
    assert asp.Judged(k=2).scores(world).tolist() == [[0.5]]


def test_subtopics_are_preferred_to_relevance() -> None:
    inputs: dict[str, Any] = {"subtopics": {"q": {"a": [1]}}, "relevance": {"q": {"a": 1, "b": 0}}}
    found = asp.evaluate({"q": ["a", "b"]}, ["Judged@2", "Judged(judged_by=relevance)@2"], **inputs)
    assert list(found.values()) == [0.5, 1.0]


def test_holes_of_freshstack_are_items_judged_for_nobody_over_the_cutoff() -> None:
    inputs: dict[str, Any] = {"subtopics": {"q": {"a": [1]}, "p": {"b": [1]}}}
    found = asp.evaluate({"q": ["a", "b", "x"]}, ["Hole@2,4"], **inputs)
    assert list(found.values()) == [0.0, 0.25]


def test_more_is_not_better() -> None:
    """Of what was judged: no report may call a system accurate for it."""
    assert asp.Judged().higher_is_better is None


def test_an_empty_list_is_undefined() -> None:
    world = asp.World.of({"q": []}, relevance={"q": {"a": 1}})
    assert math.isnan(asp.Judged(k=2, judged_by="relevance").scores(world)[0, 0])
    assert asp.Judged(k=2, judged_by="relevance", over="k").scores(world)[0, 0] == 0


def test_what_it_needs() -> None:
    with pytest.raises(asp.MissingInput, match=r"subtopics=.*relevance="):
        asp.evaluate({"q": ["a"]}, "Judged@1", aspects={"a": ["x"]})


def test_unjudged_places_are_counted_with_nuggets() -> None:
    nuggets = asp.Nuggets.of({"q": {"n": {"a": 1, "b": 0}, "m": []}, "r": {"n": ["c"]}})
    lists = {"q": ["x", "a", "b", "y"], "r": ["c", "a"]}
    inputs: dict[str, Any] = {"subtopics": nuggets, "lengths": dict.fromkeys("abcxy", 2)}
    metrics = ["AlphaNDCG@1,3,9", "NuggetCoverage@9", "AspectRecall@2,4t", "Density@6t", "AlphaNDCG(unjudged=condense)@3"]
    found = asp.evaluate(lists, metrics, **inputs)
    counts = {name: details.get("places_unjudged") for name, details in found.details.items()}
    assert list(counts.values()) == [1, 2, 3, 3, 2, 2, 2, None]
    plan = asp.Plan(metrics, asp.Truth.read(**inputs))
    parts = [plan.observe({user: listed}) for user, listed in lists.items()]
    assert plan.finish(parts[1] + parts[0]) == found
    assert "places_unjudged" not in asp.evaluate(lists, "AlphaNDCG@3", subtopics={"q": {"a": ["n"]}}).details["AlphaNDCG@3"]
