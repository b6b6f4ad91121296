"""Popularity lift against its definition in plain Python."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.popularity_lift import PopularityLift
from tests import toy
from tests.plain import Id, PlainWorld, cut
from tests.strategies import build, checked, same, worlds


def gaps(world: PlainWorld, k: int) -> list[tuple[float, float]]:
    """Mean share of users who had an item, over the list and over the history, of each user with both."""

    def mean(items: list[Id]) -> float:
        return sum(world.users_of.get(item, 0) for item in items) / world.n_knowing / len(items)

    both = [(cut(world.rankings.get(user, []), k), sorted(had, key=str)) for user, had in world.history.items()]
    return [(mean(shown), mean(had)) for shown, had in both if shown and had]


@checked(150)
@given(worlds(references=True), st.sampled_from([1, 2, 5, -1]))
def test_values_follow_the_definition(world: PlainWorld, k: int) -> None:
    terms = gaps(world, k)
    lists, histories = (math.fsum(column) / len(terms) if terms else 0.0 for column in ([a for a, _ in terms], [b for _, b in terms]))
    expected = (lists - histories) / histories if histories else math.nan
    metric = PopularityLift(k=k)
    results = asp.evaluate(build(world), metric)
    assert same(results[metric], expected)
    details = results.details[str(metric)]
    assert details["scored"] == (0 if math.isnan(expected) else len(terms))
    if terms:
        assert same(details["gap_lists"], lists)
        assert same(details["gap_histories"], histories)


def test_by_hand() -> None:
    results = asp.evaluate(toy.LISTS, "DeltaGAP@3", history=toy.HISTORY)
    assert results["PopularityLift@3"] == pytest.approx(-0.659574, abs=1e-6)
    details = results.details["PopularityLift@3"]
    assert details["gap_lists"] == pytest.approx((1 / 6 + 1 / 6 + 1 / 3) / 3, abs=1e-15)
    assert details["gap_histories"] == pytest.approx((0.583333 + 0.75 + 0.625) / 3, abs=1e-6)
    assert details["scored"] == 3


def test_the_same_items_have_no_lift() -> None:
    lists = {user: list(items) for user, items in toy.HISTORY.items()}
    assert asp.evaluate(lists, "PopLift", history=toy.HISTORY)["PopularityLift"] == 0.0


def test_users_with_one_of_both_do_not_count() -> None:
    lists = {**toy.LISTS, "stranger": ["a"], "u4": []}
    assert asp.evaluate(lists, "PopularityLift@3", history=toy.HISTORY)["PopularityLift@3"] == pytest.approx(-0.659574, abs=1e-6)


def test_undefined_without_such_a_user() -> None:
    assert math.isnan(asp.evaluate({"stranger": ["a"]}, "PopularityLift", history=toy.HISTORY)["PopularityLift"])
    assert math.isnan(asp.evaluate({"u1": []}, "PopularityLift", history=toy.HISTORY)["PopularityLift"])


def test_contributions_average_to_the_value() -> None:
    world, metric = asp.World.of(toy.LISTS, history=toy.HISTORY), PopularityLift(k=(2, 3))
    states = metric.observe(world)
    found = metric.contributions(world, states)
    assert found is not None
    assert found.shape == (world.n_users, 2)
    assert found.mean(axis=0).tolist() == pytest.approx([state.value for state in states], abs=1e-12)


def test_parts_on_other_popularity_do_not_add() -> None:
    one = asp.evaluate({"u1": ["a"]}, "PopularityLift@1", history=toy.HISTORY)
    other = asp.evaluate({"u2": ["a"]}, "PopularityLift@1", history={**toy.HISTORY, "u5": ["a"]})
    with pytest.raises(asp.InputError):
        one + other
