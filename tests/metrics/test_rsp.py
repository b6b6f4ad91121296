"""Ranking-based statistical parity against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.rsp import RSP
from tests import toy
from tests.groups import GROUP_WORLDS, RATES, TOY, members, toy_value, value, variation
from tests.plain import PlainWorld, cut
from tests.strategies import checked, same


def rsp(world: PlainWorld, k: int, metric: RSP) -> float:
    found, possible = [], []
    for group in members(world, metric):
        found.append(sum(len(group & set(cut(ranked, k))) for ranked in world.rankings.values()))
        seen = (world.history.get(user, set()) if metric.candidates == "unseen" else set() for user in world.rankings)
        possible.append(sum(len(group - had) for had in seen))
    return variation(found, possible)


@checked(150)
@given(GROUP_WORLDS, st.sampled_from([1, 2, 3, -1]), RATES)
def test_values_follow_the_definition(world: PlainWorld, k: int, parameters: Any) -> None:
    metric = RSP(k=k, **parameters)
    found, expected = value(metric, world), rsp(world, k, metric)
    assert same(found, expected), f"{metric}: {found!r}, expected {expected!r}"


def test_by_hand() -> None:
    """P: 5 of 1 + 2 + 2 that are unseen, Q: 4 of 12."""
    details = asp.evaluate(toy.LISTS, "RSP@3", **TOY).details["RSP@3"]
    assert (details["rate P"], details["rate Q"]) == (1.0, 4 / 12)
    assert toy_value("RSP@3") == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("PopRSP@3", 0.2),  # 5 of 5 in the head, 2 of 3 (e, of three users) in the tail
        ("PopRSP(unseen_in_tail=true, candidates=all)@3", 1 / 9),  # WarpRec: 5 of 12, 4 of 12
        ("PopRSP(unseen_in_tail=true, candidates=all, reach=more)@3", 1 / 9),
        ("RSP(candidates=all)@3", 1 / 9),
    ],
)
def test_head_and_tail(metric: str, expected: float) -> None:
    assert toy_value(metric) == pytest.approx(expected, abs=1e-12)


def test_lists_that_repeat_the_history() -> None:
    """What is recommended counts, whether it could have been or not: P 4 of 5, and b in the list of u2 is seen."""
    details = asp.evaluate(toy.REPEAT, "RSP@3", **TOY).details["RSP@3"]
    assert (details["rate P"], details["rate Q"]) == (5 / 5, 3 / 12)


def test_lists_of_different_lengths() -> None:
    details = asp.evaluate(toy.UNEVEN, "RSP", **TOY).details["RSP"]
    assert (details["rate P"], details["rate Q"]) == (3 / 5, 4 / 12)


def test_an_item_counts_in_each_of_its_groups() -> None:
    inputs: dict[str, Any] = {"history": {"v": ["a"]}}
    for groups in ({"a": ["P", "Q"], "b": ["Q"]}, {"a": {"P": 0.3, "Q": 0.7}, "b": {"Q": 0.5}}):
        details = asp.evaluate({"u": ["a"]}, "RSP", groups=groups, **inputs).details["RSP"]
        assert (details["rate P"], details["rate Q"]) == (1.0, 0.5)


def test_equal_rates_are_exactly_equal() -> None:
    groups = {item: f"g{item % 3}" for item in range(30)}
    lists = {user: [user % 10 * 3, user % 10 * 3 + 1, user % 10 * 3 + 2] for user in range(7)}
    assert asp.evaluate(lists, "RSP", groups=groups, history={99: [0]})["RSP"] == 0.0


def test_items_that_are_left_out() -> None:
    """One that only the list names, one without a group and one outside the catalogue."""
    groups: Any = {"a": "P", "b": "Q", "c": [], "d": "Q"}
    results = asp.evaluate({"u": ["a", "x", "c", "d"]}, "RSP", groups=groups, history={"v": ["a"]}, catalogue=list("abc"))
    assert (results.details["RSP"]["rate P"], results.details["RSP"]["rate Q"]) == (1.0, 0.0)
    assert results.details["RSP"]["places_without_group"] == 3


def test_undefined() -> None:
    history = {"v": ["a"]}
    assert math.isnan(asp.evaluate({"u": ["a"]}, "RSP", groups={"a": "P", "b": "P"}, history=history)["RSP"])
    assert math.isnan(asp.evaluate({"u": ["x"]}, "RSP", groups={"a": "P", "b": "Q"}, history=history)["RSP"])
    assert math.isnan(asp.evaluate({"v": ["a", "b"]}, "RSP", groups={"a": "P", "b": "Q"}, history=history)["RSP"])  # nothing of P is unseen
    assert math.isnan(asp.evaluate({"u": []}, "RSP", groups={"a": "P", "b": "Q"}, history=history)["RSP"])
    assert math.isnan(asp.evaluate({"u": ["a"]}, "PopRSP", history={"v": []}, relevance={"v": ["a"]})["PopRSP"])


def test_popularity_may_be_given() -> None:
    lists, popularity = {"u": ["a", "b", "c"]}, {"a": 8, "b": 1, "c": 1}
    metric = "PopRSP(candidates=all)"
    results = asp.evaluate(lists, metric, popularity=popularity)
    assert (results.details[metric]["rate head"], results.details[metric]["rate tail"]) == (1.0, 1.0)
    more = "PopRSP(candidates=all, reach=more)@1"  # which takes b, too
    assert asp.evaluate(lists, more, popularity=popularity).details[more]["rate head"] == 0.5


def test_people_of_a_graph_can_be_recommended() -> None:
    """Also those whom no other input names: u is in the tail, and is never recommended."""
    metric = "PopRSP(candidates=all, unseen_in_tail=true)@1"
    details = asp.evaluate({"u": ["v"]}, metric, popularity={"v": 1}, graph=[("u", "v")]).details[metric]
    assert (details["rate head"], details["rate tail"]) == (1.0, 0.0)


def test_names() -> None:
    assert asp.parse("PopRSP@5") == RSP(k=5, groups_by="popularity")
    assert asp.parse("Ranking-based statistical parity") == RSP()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"groups_by": "genre"}, "groups_by is 'genre', expected 'given' or 'popularity'"),
        ({"head": 0.5}, "head goes with groups_by=popularity only"),
        ({"reach": "more"}, "reach goes with groups_by=popularity only"),
        ({"unseen_in_tail": True}, "unseen_in_tail goes with groups_by=popularity only"),
        ({"groups_by": "popularity", "head": 1.5}, "head is 1.5, expected 0 to 1"),
        ({"candidates": "seen"}, "candidates is 'seen', expected 'unseen' or 'all'"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected):
        RSP(**parameters)
