"""Group exposure against its definition in plain Python."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.leave_one_out import contributions
from aspectrum.metrics.group_exposure import GroupExposure
from tests import toy
from tests.groups import DISCOUNTS, GROUP_WORLDS, TOY, all_groups, exposure, factor, group_shares, in_catalogue, size, toy_value, value
from tests.plain import Id, PlainWorld, cut, relevant_items
from tests.strategies import build, checked, same

MERITS: st.SearchStrategy[Any] = st.sampled_from([None, "relevance", "shown"])


def group_exposure(world: PlainWorld, k: int, metric: GroupExposure) -> float:
    rates: dict[Id, float] = {}
    for group in all_groups(world):
        shown, merit = [], []
        for user, ranked in world.rankings.items():
            top, relevant = cut(ranked, k), relevant_items(world, user)
            # Items outside the catalogue keep their rank and show no group.
            inside: list[Any] = [item if in_catalogue(world, item) else None for item in top]
            shown.append(exposure(world, inside, factor(metric.discount, metric.patience))[group])
            pairs = [item for item in relevant if in_catalogue(world, item) and (metric.merit == "relevance" or item in top)]
            merit.append(math.fsum(group_shares(world, item).get(group, 0.0) for item in pairs))
        deserved = len(world.rankings) * size(world, group) if metric.merit is None else math.fsum(merit)
        if size(world, group) > 0 and deserved > 0:
            rates[group] = math.fsum(shown) / deserved
    if len(rates) < 2 or max(rates.values()) == 0:
        return math.nan
    least, most = min(rates.values()), max(rates.values())
    return least / most if metric.combine == "ratio" else most - least


@checked(120)
@given(GROUP_WORLDS, st.sampled_from([1, 2, 3, -1]), DISCOUNTS, MERITS, st.sampled_from(["ratio", "difference"]))
def test_values_follow_the_definition(world: PlainWorld, k: int, discount: Any, merit: Any, combine: Any) -> None:
    metric = GroupExposure(k=k, discount=discount, merit=merit, combine=combine)
    found, expected = value(metric, world), group_exposure(world, k, metric)
    assert same(found, expected), f"{metric}: {found!r}, expected {expected!r}"


def test_by_hand() -> None:
    """P is at ranks 1; 1 and 2; 1 and 3, Q at 2 and 3; 3; 2."""
    log = 1 / math.log2(3)
    p, q = 1 + 1 + log + 1 + 0.5, log + 0.5 + 0.5 + log
    assert (p, q) == pytest.approx((4.13093, 2.261860), abs=1e-6)
    assert toy_value("GroupExposure@3") == pytest.approx(q / p, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("GroupExposure@3", 0.547542), ("GroupExposure(merit=shown)@3", 0.913171), ("GroupExposure(merit=relevance)@3", 0.365028)],
)
def test_numbers_of_fair_rank_tune(metric: str, expected: float) -> None:
    """EXP and EXPU with MinMaxRatio, and what all relevant items make of it."""
    assert toy_value(metric) == pytest.approx(expected, abs=1e-6)


def test_what_it_is_made_of_is_in_the_details() -> None:
    metric = "GroupExposure(merit=relevance)@3"
    details = asp.evaluate(toy.LISTS, metric, **TOY).details[metric]
    assert details["exposure P"] == pytest.approx(4.13093 / 12, abs=1e-6)
    assert details["exposure Q"] == pytest.approx(2.261860 / 12, abs=1e-6)
    assert (details["merit P"], details["merit Q"]) == (2 / 12, 3 / 12)
    assert (details["groups"], details["threshold"], details["places_without_group"]) == ("given", 1.0, 0)
    assert not any(name.startswith("merit ") for name in asp.evaluate(toy.LISTS, "GroupExposure@3", **TOY).details["GroupExposure@3"])


def test_the_difference() -> None:
    assert toy_value("GroupExposure(combine=difference)@3") == pytest.approx((4.13093 - 2.261860) / 12, abs=1e-6)
    assert GroupExposure(combine="difference").higher_is_better is False
    assert GroupExposure().higher_is_better is True


def test_items_that_are_left_out() -> None:
    """One that only the list names, one without a group, one outside the catalogue; d is never shown."""
    groups: Any = {"a": "P", "b": "Q", "c": [], "d": "P", "e": "Q"}
    results = asp.evaluate({"u": ["x", "c", "e", "a", "b"]}, "GroupExposure(discount=none)", groups=groups, catalogue=list("abcd"))
    assert results["GroupExposure(discount=none)"] == 0.5
    assert results.details["GroupExposure(discount=none)"]["places_without_group"] == 3


def test_undefined() -> None:
    lists = {"u": ["a", "b"]}
    without_two_groups: list[dict[str, Any]] = [
        {"groups": {"a": "P", "b": "P"}},
        {"groups": {"a": "P", "b": "Q"}, "catalogue": ["a"]},
        {"groups": {"c": "P", "d": "Q"}},
        {"aspects": {"a": []}},
    ]
    for inputs in without_two_groups:
        for metric in (GroupExposure(), GroupExposure(combine="difference")):
            assert math.isnan(asp.evaluate(lists, metric, **inputs)[metric]), inputs
    treated = GroupExposure(merit="relevance")
    groups = {"a": "P", "b": "Q", "c": "R"}
    assert math.isnan(asp.evaluate(lists, treated, groups=groups, relevance={"u": ["a"]})[treated])
    two = asp.evaluate(lists, treated, groups=groups, relevance={"u": ["a", "b"]})  # R has no merit, and leaves
    assert two[treated] == pytest.approx(1 / math.log2(3))


def test_one_user_and_nobody() -> None:
    groups = {"a": "P", "b": "Q"}
    assert asp.evaluate({"u": ["a", "b"]}, GroupExposure(), groups=groups)[GroupExposure()] == pytest.approx(1 / math.log2(3))
    assert math.isnan(asp.evaluate({"u": []}, GroupExposure(), groups=groups)[GroupExposure()])


def test_nobody_is_scored_by_a_number_that_is_undefined() -> None:
    lists = {"u": ["a", "b"], "v": ["b", "a"]}
    found = asp.evaluate(lists, GroupExposure(k=2), groups={"a": "P", "b": "P"}, ignore="one_group").details["GroupExposure@2"]
    assert (found["scored"], found["undefined"]) == (0, 2)
    found = asp.evaluate(lists, GroupExposure(k=2), groups={"a": "P", "b": "Q"}).details["GroupExposure@2"]
    assert (found["scored"], found["undefined"]) == (2, 0)


@checked(30)
@given(GROUP_WORLDS, MERITS)
def test_users_contribute_what_is_missing_without_them(world: PlainWorld, merit: Any) -> None:
    """The mean of the contributions is the value; they are made of the values without each user."""
    metric = GroupExposure(k=2, merit=merit)
    built = build(world)
    listed = built.take(built.listed.nonzero()[0])
    each = metric.contributions(listed, metric.observe(listed))
    assert each is not None
    found = each[:, 0]
    users = [user for user in listed.users if isinstance(user, int | str)]
    rest = [{other: items for other, items in world.rankings.items() if other != user} for user in users]
    without = np.array([group_exposure(replace(world, rankings=lists), 2, metric) for lists in rest])
    assert found == pytest.approx(contributions(value(metric, world), without), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"merit": "grades"}, "merit is 'grades', expected 'relevance' or 'shown' or None"),
        ({"combine": "product"}, "combine is 'product', expected 'ratio' or 'difference'"),
        ({"patience": 0.3}, "patience goes with discount=geometric only"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected):
        GroupExposure(**parameters)
