"""Expected exposure against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.expected_exposure import ExpectedExposure
from tests import toy
from tests.groups import GROUP_WORLDS, TOY, all_groups, exposure, group_shares, toy_value, value
from tests.plain import Id, PlainWorld, cut, relevant_items
from tests.strategies import checked, same

PARTS: st.SearchStrategy[Any] = st.sampled_from(["loss", "disparity", "relevance", "cross"])


def of_part(part: str, exposed: dict[Id, float], wanted: dict[Id, float]) -> float:
    pairs = [(exposed.get(key, 0.0), wanted.get(key, 0.0)) for key in {*exposed, *wanted}]
    terms = {
        "loss": lambda e, t: (e - t) ** 2,
        "disparity": lambda e, t: e * e,
        "relevance": lambda e, t: e * t,
        "cross": lambda e, t: 2 * e * t,
    }
    return math.fsum(terms[part](e, t) for e, t in pairs)


def share_of_relevant(n: int, gamma: float) -> float:
    """What each of n items gets that share the first n ranks."""
    return math.fsum(gamma**rank for rank in range(n)) / n


def expected_exposure(world: PlainWorld, k: int, metric: ExpectedExposure) -> float:
    users = [user for user in world.rankings if relevant_items(world, user)]
    if not users:
        return math.nan
    if metric.by == "item":
        return math.fsum(of_items(world, user, k, metric) for user in users) / len(users)
    exposed, wanted = dict.fromkeys(all_groups(world), 0.0), dict.fromkeys(all_groups(world), 0.0)
    for user in users:
        relevant = relevant_items(world, user)
        for group, amount in exposure(world, cut(world.rankings[user], k), lambda rank: metric.gamma ** (rank - 1)).items():
            exposed[group] += amount / len(users)
        for item in relevant:
            for group, share in group_shares(world, item).items():
                wanted[group] += share * share_of_relevant(len(relevant), metric.gamma) / len(users)
    if not any([*exposed.values(), *wanted.values()]):
        return math.nan
    return of_part(metric.part, exposed, wanted)


def of_items(world: PlainWorld, user: Id, k: int, metric: ExpectedExposure) -> float:
    relevant = relevant_items(world, user)
    exposed = {item: metric.gamma**place for place, item in enumerate(cut(world.rankings[user], k))}
    return of_part(metric.part, exposed, dict.fromkeys(relevant, share_of_relevant(len(relevant), metric.gamma)))


@checked(120)
@given(GROUP_WORLDS, st.sampled_from([1, 2, 3, -1]), PARTS, st.sampled_from(["group", "item"]), st.sampled_from([0.5, 0.0, 0.9, 1.0]))
def test_values_follow_the_definition(world: PlainWorld, k: int, part: Any, by: Any, gamma: float) -> None:
    metric = ExpectedExposure(k=k, part=part, by=by, gamma=gamma)
    found, expected = value(metric, world), expected_exposure(world, k, metric)
    assert same(found, expected), f"{metric}: {found!r}, expected {expected!r}"


def test_by_hand() -> None:
    details = asp.evaluate(toy.LISTS, "ExpectedExposure@3", **TOY).details["ExpectedExposure@3"]
    assert (details["exposure P"], details["exposure Q"]) == (1.25, 0.5)
    assert (details["target P"], details["target Q"]) == pytest.approx((0.583333, 0.75), abs=1e-6)
    assert toy_value("ExpectedExposure@3") == pytest.approx((1.25 - 7 / 12) ** 2 + 0.25**2, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("EEL@3", 0.506944), ("EED@3", 1.8125), ("EER@3", 1.104167), ("ExpectedExposure(part=cross)@3", 2 * 1.104167)],
)
def test_numbers_of_rank_fairness_metrics(metric: str, expected: float) -> None:
    """Its EER is twice that of expeval and of TREC Fair Ranking."""
    assert toy_value(metric) == pytest.approx(expected, abs=2e-6)


def test_items_one_by_one() -> None:
    """u1: 1, 1/2, 1/4 against 3/4 for e at rank 2 and for h; u2: 3/4 for d at rank 2 and for h; u3: 1 for c at rank 3."""
    first = 1 + (1 / 2 - 3 / 4) ** 2 + 1 / 16 + (3 / 4) ** 2
    third = 1 + 1 / 4 + (1 / 4 - 1) ** 2
    assert toy_value("EEL(by=item)@3") == pytest.approx((2 * first + third) / 3, abs=1e-15)
    assert toy_value("EED(by=item)@3") == pytest.approx(1 + 1 / 4 + 1 / 16, abs=1e-15)
    assert toy_value("EER(by=item)@3") == pytest.approx((2 * 3 / 8 + 1 / 4) / 3, abs=1e-15)
    without_groups = asp.evaluate(toy.LISTS, "EER(by=item)@3", relevance=toy.RELEVANCE)
    assert without_groups["EER(by=item)@3"] == toy_value("EER(by=item)@3")


def test_users_without_a_relevant_item_are_left_out() -> None:
    groups = {"a": "P", "b": "Q"}
    inputs: dict[str, Any] = {"groups": groups, "relevance": {"u": ["b"], "w": {"a": 0}}}
    results = asp.evaluate({"u": ["a", "b"], "v": ["a"], "w": ["b"]}, "EEL@2", **inputs)
    assert results["EEL@2"] == asp.evaluate({"u": ["a", "b"]}, "EEL@2", **inputs)["EEL@2"] == 1 + 0.25
    assert (results.details["EEL@2"]["scored"], results.details["EEL@2"]["undefined"]) == (1, 2)


def test_the_best_list_loses_nothing() -> None:
    inputs: dict[str, Any] = {"groups": {"a": "P", "b": "Q"}, "relevance": {"u": ["a", "b"], "v": ["a", "b"]}}
    assert asp.evaluate({"u": ["a", "b"], "v": ["b", "a"]}, "EEL", **inputs)["EEL"] == 0.0


def test_undefined() -> None:
    groups = {"a": "P", "b": "Q"}
    for part in ("loss", "disparity", "relevance", "cross"):
        for by in ("group", "item"):
            metric = ExpectedExposure(part=part, by=by)
            assert math.isnan(asp.evaluate({"u": ["a"]}, metric, groups=groups, relevance={"u": {"a": 0}})[metric])
        metric = ExpectedExposure(part=part)
        assert math.isnan(asp.evaluate({"u": ["x"]}, metric, groups=groups, relevance={"u": ["y"]})[metric])


def test_items_without_a_group_are_counted() -> None:
    results = asp.evaluate({"u": ["x", "a"]}, "EED@2", groups={"a": "P", "b": "Q"}, relevance={"u": ["a"]})
    assert results["EED@2"] == 0.25
    assert results.details["EED@2"]["places_without_group"] == 1


def test_names_and_directions() -> None:
    assert asp.parse("EE-L@5") == asp.parse("EEL@5") == ExpectedExposure(k=5)
    assert asp.parse("EE-D") == ExpectedExposure(part="disparity")
    assert asp.parse("EE-R") == ExpectedExposure(part="relevance")
    directions = [ExpectedExposure(part=part).higher_is_better for part in ("loss", "disparity", "relevance", "cross")]
    assert directions == [False, False, True, True]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"part": "EEL"}, "part is 'EEL', expected 'loss' or 'disparity'"),
        ({"by": "user"}, "by is 'user', expected 'group' or 'item'"),
        ({"gamma": 1.5}, "gamma is 1.5, expected 0 to 1"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected):
        ExpectedExposure(**parameters)
