"""Average popularity against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.average_popularity import AveragePopularity
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds

SCALES: st.SearchStrategy[Any] = st.sampled_from(["count", "users", "interactions", "max"])
UNSEEN: st.SearchStrategy[Any] = st.sampled_from(["zero", "skip", "one"])
OVER: st.SearchStrategy[Any] = st.sampled_from(["list", "k"])


def average_popularity(world: PlainWorld, user: Id, k: int, scale: str, unseen: str, over: Any) -> float:
    divisors = {
        "count": 1,
        "users": world.n_knowing,
        "interactions": sum(world.users_of.values()),
        "max": max(world.users_of.values(), default=0),
    }
    instead = {"zero": 0, "one": 1, "skip": None}[unseen]
    mean = plain.list_mean(world, user, k, lambda item: world.users_of.get(item, instead), over=over)
    return plain.ratio(mean, divisors[scale])


@checked(150)
@given(worlds(references=True), CUTOFFS, SCALES, UNSEEN, OVER)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], scale: Any, unseen: Any, over: Any) -> None:
    metric = AveragePopularity(k=k, scale=scale, unseen=unseen, over=over)
    check_scores(metric, world, lambda user, k: average_popularity(world, user, k, scale, unseen, over))


@checked(40)
@given(worlds(), UNSEEN)
def test_all_recommendations_count_alike(world: PlainWorld, unseen: Any) -> None:
    instead = {"zero": 0, "one": 1, "skip": None}[unseen]
    shown = [world.users_of.get(item, instead) for items in world.rankings.values() for item in items[:3]]
    counts = [count for count in shown if count is not None]
    metric = AveragePopularity(k=3, unseen=unseen, average="links")
    assert same(asp.evaluate(build(world), metric)[metric], plain.ratio(sum(counts), len(counts)))


@pytest.mark.parametrize(
    ("metric", "lists", "expected"),
    [
        ("ARP@3", toy.LISTS, 8 / 9),
        ("ARP(scale=interactions)@3", toy.LISTS, 0.098765),
        ("ARP(scale=users)@3", toy.LISTS, 2 / 9),
        ("ARP(scale=max)@3", toy.LISTS, 2 / 9),
        ("ARP(unseen=skip)@3", toy.LISTS, 1.111111),
        ("ARP(unseen=one)@3", toy.LISTS, 1.111111),
        ("ARP(average=links)@3", toy.LISTS, 8 / 9),
        ("ARP@3", toy.UNEVEN, (2 / 3 + 1 + 3 / 2) / 3),
        ("ARP(over=k)@3", toy.UNEVEN, (2 / 3 + 1 / 3 + 1) / 3),
        ("ARP(average=links)@3", toy.UNEVEN, 6 / 6),
        ("ARP@3", toy.REPEAT, (5 / 2 + 7 / 3 + 1 / 3) / 3),
    ],
)
def test_numbers_of_other_programs(metric: str, lists: Any, expected: float) -> None:
    """RecTools, RecBole, PyG: the default; RecTools' normalize=True: interactions; Evidently: skip; WarpRec: one."""
    assert asp.evaluate(lists, metric, history=toy.HISTORY)[metric] == pytest.approx(expected, abs=1e-6)


def test_scores_by_hand() -> None:
    scores = AveragePopularity(k=3).scores(asp.World.of(toy.LISTS, **toy.TRUTH))
    assert scores[:3, 0].tolist() == [2 / 3, 2 / 3, 4 / 3]


def test_interactions_count_repeats() -> None:
    history = [("u", "a"), ("u", "a"), ("u", "a"), ("v", "a"), ("v", "b")]
    world = asp.World.of({"u": ["a", "b"]}, history=history)
    assert AveragePopularity(k=2).scores(world)[0, 0] == 3 / 2
    assert AveragePopularity(k=2, count="interactions").scores(world)[0, 0] == 5 / 2
    assert AveragePopularity(k=2, count="interactions", scale="max").scores(world)[0, 0] == 5 / 8
    assert AveragePopularity(k=2, count="interactions", scale="interactions").scores(world)[0, 0] == 5 / 10


def test_popularity_may_be_given() -> None:
    given = {"a": 900, "b": 100}
    assert asp.evaluate({"u": ["a", "b"]}, "ARP@2", popularity=given)["ARP@2"] == 500
    shares = asp.evaluate({"u": ["a", "b"]}, "ARP(scale=users)@2", popularity=given, popularity_users=1000)
    assert shares["ARP(scale=users)@2"] == 0.5
    with pytest.raises(asp.MissingInput, match="popularity_users"):
        asp.evaluate({"u": ["a", "b"]}, "ARP(scale=users)@2", popularity=given)


def test_unseen_items_are_counted() -> None:
    results = asp.evaluate(toy.LISTS, "ARP@1,3", history=toy.HISTORY)
    assert [results.details[f"AveragePopularity@{k}"]["places_with_unseen_items"] for k in (1, 3)] == [0, 2]


def test_undefined() -> None:
    """For an empty list; if nothing is left of it; relative to nobody."""
    world = asp.World.of({"empty": [], "new": ["only in this list"]}, history={"u": ["a"]})
    assert [math.isnan(score) for score in AveragePopularity().scores(world)[:2, 0]] == [True, False]
    assert [math.isnan(score) for score in AveragePopularity(unseen="skip").scores(world)[:2, 0]] == [True, True]
    nobody = asp.World.of({"u": ["a"]}, history={"u": []})
    assert AveragePopularity().scores(nobody)[0, 0] == 0.0
    assert all(math.isnan(AveragePopularity(scale=scale).scores(nobody)[0, 0]) for scale in ("users", "interactions", "max"))


def test_a_user_without_a_list_is_not_praised() -> None:
    details = asp.evaluate(toy.LISTS, "ARP@3", history=toy.HISTORY, users="all").details["AveragePopularity@3"]
    assert (details["scored"], details["missing"]) == (3, 1)
    for average in ("users", "links"):
        name = f"AveragePopularity(over=k, average={average})@3" if average == "links" else "AveragePopularity(over=k)@3"
        assert asp.evaluate(toy.LISTS, name, history=toy.HISTORY, users="all")[name] == 8 / 9


@pytest.mark.parametrize("parameters", ["scale=most", "unseen=two", "over=all", "average=items", "count=rows"])
def test_parameters_that_are_refused(parameters: str) -> None:
    with pytest.raises(asp.MetricError, match="expected"):
        asp.parse(f"AveragePopularity({parameters})")
