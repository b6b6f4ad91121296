"""Whole-system metrics made of sums over users."""

from dataclasses import replace

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.blocks import system_metric
from aspectrum.states import Totals
from tests import toy
from tests.groups import TOY

METRICS = ["GroupExposure(merit=relevance)@1,3", "EEL@1,3", "RSP@1,3", "REO@1,3"]


@pytest.mark.parametrize("text", METRICS)
def test_how_many_users_are_summed_at_a_time_does_not_show(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, world = asp.parse(text), asp.World.of(toy.LISTS, **TOY)
    states = metric.observe(world)
    contributions = metric.contributions(world, states)
    monkeypatch.setattr(system_metric, "_NUMBERS_AT_A_TIME", 1)
    assert metric.observe(world) == states
    assert np.array_equal(metric.contributions(world, states), contributions, equal_nan=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", METRICS)
def test_the_mean_of_contributions_is_the_value(text: str) -> None:
    metric, world = asp.parse(text), asp.World.of(toy.LISTS, **TOY)
    states = metric.observe(world)
    found = metric.contributions(world, states)
    assert found is not None
    expected = [state.value for state in states]
    assert found.mean(axis=0) == pytest.approx(expected, nan_ok=True)


def test_sums_of_different_groups_do_not_add() -> None:
    one = asp.parse("GroupExposure").observe(asp.World.of(toy.LISTS, **TOY))[0]
    assert isinstance(one, Totals)
    assert one.labels == ("P", "Q")
    with pytest.raises(asp.InputError, match="sums of different groups"):
        one + replace(one, labels=("Q", "P"))


def test_groups_of_another_truth_do_not_add() -> None:
    one, other = (
        asp.parse("GroupExposure").observe(asp.World.of(toy.LISTS, **{**TOY, "groups": groups}))[0]
        for groups in (toy.GROUPS, {**toy.GROUPS, "a": "Q"})
    )
    with pytest.raises(asp.InputError, match="different facts"):
        one + other


@pytest.mark.parametrize("text", ["RSP@3", "EEL@3", "REO@3"])
def test_where_less_is_better_missing_lists_are_left_out(text: str) -> None:
    """Else a system that shows nothing to half of the users would look fairer."""
    some = dict(list(toy.LISTS.items())[:3])
    listed, everybody = (asp.evaluate(some, text, users=users, **TOY) for users in ("lists", [*toy.LISTS, *toy.HISTORY]))
    assert listed[text] == everybody[text]
    assert everybody.details[text]["missing"] == len({*toy.LISTS, *toy.HISTORY} - {*some})


def test_where_leaving_one_out_leaves_nothing_nobody_contributes() -> None:
    """REO of a world in which one user alone has relevant items."""
    metric = asp.parse("REO@2")
    world = asp.World.of({"u": ["a"], "v": ["e"]}, groups=toy.GROUPS, relevance={"u": ["a", "e"]}, history={"v": ["b"]})
    states = metric.observe(world)
    assert not np.isnan(states[0].value)
    assert np.isnan(metric.contributions(world, states)).all()  # type: ignore[arg-type]
