"""Ranking-based equal opportunity against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.reo import REO
from tests import toy
from tests.groups import GROUP_WORLDS, RATES, TOY, members, toy_value, value, variation
from tests.plain import PlainWorld, cut, relevant_items
from tests.strategies import checked, same


def reo(world: PlainWorld, k: int, metric: REO) -> float:
    users = {user: set(relevant_items(world, user)) for user in world.rankings if relevant_items(world, user)}
    found, possible = [], []
    for group in members(world, metric):
        tops = {user: group & set(cut(world.rankings[user], k)) for user in users}
        found.append(sum(len(tops[user] & relevant if metric.hits_only else tops[user]) for user, relevant in users.items()))
        seen = {user: world.history.get(user, set()) if metric.candidates == "unseen" else set() for user in users}
        possible.append(sum(len(group & relevant - seen[user]) for user, relevant in users.items()))
    return variation(found, possible)


@checked(150)
@given(GROUP_WORLDS, st.sampled_from([1, 2, 3, -1]), RATES, st.booleans())
def test_values_follow_the_definition(world: PlainWorld, k: int, parameters: Any, hits_only: bool) -> None:
    metric = REO(k=k, hits_only=hits_only, **parameters)
    found, expected = value(metric, world), reo(world, k, metric)
    assert same(found, expected), f"{metric}: {found!r}, expected {expected!r}"


def test_by_hand() -> None:
    """Of P, d of u2 and c of u3 are relevant and shown; of Q, e of u1 is, and h of u1 and u2 is not shown."""
    details = asp.evaluate(toy.LISTS, "REO@3", **TOY).details["REO@3"]
    assert (details["rate P"], details["rate Q"]) == (2 / 2, 1 / 3)
    assert toy_value("REO@3") == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("PopREO@3", 0.0),  # Elliot
        ("PopREO(hits_only=false, unseen_in_tail=true)@3", 0.304348),  # WarpRec: 5 of 2 in the head, 4 of 3 in the tail
        ("PopREO(hits_only=false, unseen_in_tail=true, reach=more, candidates=all)@3", 0.304348),
    ],
)
def test_numbers_of_elliot_and_warprec(metric: str, expected: float) -> None:
    assert toy_value(metric) == pytest.approx(expected, abs=1e-6)


def test_lists_of_different_lengths() -> None:
    """e and h of u1 and e of u3 are found, d of u2 is not."""
    details = asp.evaluate(toy.UNEVEN, "REO", **{**TOY, "relevance": toy.UNEVEN_RELEVANCE}).details["REO"]
    assert (details["rate P"], details["rate Q"]) == (0.0, 1.0)


def test_what_the_user_had_could_not_be_recommended() -> None:
    inputs: dict[str, Any] = {"groups": {"a": "P", "b": "P", "c": "Q"}, "relevance": {"u": ["a", "b", "c"]}, "history": {"u": ["b"]}}
    details = asp.evaluate({"u": ["a", "c"]}, "REO", **inputs).details["REO"]
    assert (details["rate P"], details["rate Q"]) == (1.0, 1.0)
    everything = asp.evaluate({"u": ["a", "c"]}, "REO(candidates=all)", **inputs).details["REO(candidates=all)"]
    assert (everything["rate P"], everything["rate Q"]) == (0.5, 1.0)


def test_users_without_a_relevant_item_are_left_out() -> None:
    inputs: dict[str, Any] = {"groups": {"a": "P", "b": "Q"}, "relevance": {"u": ["a", "b"]}, "history": {"w": ["a"]}}
    metric = "REO(hits_only=false)"
    results = asp.evaluate({"u": ["a", "b"], "v": ["a"]}, metric, **inputs)
    assert results[metric] == 0.0
    assert (results.details[metric]["scored"], results.details[metric]["undefined"]) == (1, 1)


def test_undefined() -> None:
    inputs: dict[str, Any] = {"groups": {"a": "P", "b": "Q"}, "history": {"w": ["a"]}}
    assert math.isnan(asp.evaluate({"u": ["a", "b"]}, "REO", **inputs, relevance={"u": ["a"]})["REO"])
    assert math.isnan(asp.evaluate({"u": []}, "REO", **inputs, relevance={"u": ["a", "b"]})["REO"])
    assert math.isnan(asp.evaluate({"u": ["a"]}, "REO", **inputs, relevance={"u": {"a": 0}})["REO"])


def test_names() -> None:
    assert asp.parse("PopREO@5") == REO(k=5, groups_by="popularity")
    assert asp.parse("Ranking-based equal opportunity") == REO()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [({"hits_only": "yes"}, "hits_only is 'yes', expected true or false"), ({"head": 0.5}, "head goes with groups_by=popularity only")],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected):
        REO(**parameters)
