"""What the ways of judging declare is what they need, and items that only lists name gain nothing."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.judging import JUDGINGS, JudgedBy, choose_judgment, cover, pool_of
from aspectrum.world import World

INPUTS: dict[str, Any] = {
    "aspects": {"a": ["x"], "b": ["x", "y"], "c": ["z"]},
    "history": {"u": ["a"], "v": ["c"]},
    "relevance": {"u": ["a", "b"], "v": ["c"]},
    "subtopics": {"u": {"a": ["x"], "c": ["z"]}, "v": {"b": ["y"]}},
}
LISTS = {"u": ["b", "c", "a"], "v": ["c"]}
WAYS: tuple[JudgedBy, ...] = get_args(JudgedBy)


def test_every_name_has_a_class() -> None:
    assert tuple(JUDGINGS) == WAYS


@pytest.mark.parametrize("judged_by", WAYS)
def test_declared_inputs_are_enough_and_all_needed(judged_by: JudgedBy) -> None:
    inputs = JUDGINGS[judged_by].inputs
    assert cover(World.of(LISTS, **{name: INPUTS[name] for name in inputs}), judged_by).attainable.all()
    for missing in inputs:
        world = World.of(LISTS, **{name: rows for name, rows in INPUTS.items() if name != missing})
        with pytest.raises(asp.MissingInput, match=f"judged_by='{judged_by}' needs {missing}"):
            cover(world, judged_by)


def test_the_first_way_with_all_its_inputs_is_chosen() -> None:
    truth = asp.Truth.read(**INPUTS)
    assert choose_judgment(truth, ("history", "relevance"), "a test") == "subtopics"
    assert choose_judgment(replace(truth, subtopics=None), ("history", "relevance"), "a test") == "history"
    assert choose_judgment(replace(truth, subtopics=None, history=None), ("history", "relevance"), "a test") == "relevance"
    with pytest.raises(
        asp.MissingInput,
        match=r"a test needs judgments: pass subtopics= \(which may be asp.Nuggets\), or aspects= and history= or relevance=$",
    ):
        choose_judgment(replace(truth, subtopics=None, aspects=None), ("history", "relevance"), "a test")
    with pytest.raises(asp.MissingInput, match=r"pass subtopics= \(which may be asp.Nuggets\), or aspects=$"):
        choose_judgment(replace(truth, subtopics=None, aspects=None), ("membership",), "a test")


@pytest.mark.parametrize("judged_by", WAYS)
@pytest.mark.parametrize("unjudged", ["keep", "condense", "drop"])
def test_items_that_only_lists_name_have_no_aspects_and_are_unjudged(judged_by: JudgedBy, unjudged: Any) -> None:
    lists = {"u": ["new", "b", "c", "a"], "v": ["new", "c"]}
    world = World.of(lists, **INPUTS)
    assert world.n_items == world.truth.n_items + 1
    assert cover(world, judged_by, unjudged=unjudged).rows.tolist().count(-1) >= (2 if unjudged == "keep" else 0)
    pool_of(cover(world, judged_by, unjudged=unjudged), "list")
    known = World.of(lists, **{**INPUTS, "relevance": {**INPUTS["relevance"], "w": ["new"]}})  # somebody else's item
    assert known.n_items == known.truth.n_items
    np.testing.assert_array_equal(_scores(world, judged_by, unjudged), _scores(known, judged_by, unjudged)[: world.n_users])


def _scores(world: World, judged_by: JudgedBy, unjudged: Any) -> Any:
    metrics: list[asp.UserMetric] = [
        asp.AlphaNDCG(k=(1, 3), judged_by=judged_by, unjudged=unjudged, pool="list"),
        asp.AlphaNDCG(k=(1, 3), judged_by=judged_by, unjudged=unjudged, ideal="exact"),
        asp.AspectRecall(k=(1, 3), judged_by=judged_by, unjudged=unjudged),
        asp.MAPIA(k=(1, 3), judged_by=judged_by, unjudged=unjudged),
    ]
    return np.hstack([metric.scores(world) for metric in metrics])
