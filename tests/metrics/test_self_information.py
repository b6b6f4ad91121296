"""Self-information against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.self_information import SelfInformation
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, worlds

PROBABILITIES: st.SearchStrategy[Any] = st.sampled_from(["users", "interactions"])
UNSEEN: st.SearchStrategy[Any] = st.sampled_from(["one", "skip", "zero", "rarest"])
OVER: st.SearchStrategy[Any] = st.sampled_from(["list", "k"])


def self_information(world: PlainWorld, user: Id, k: int, probability: str, unseen: str, over: Any, normalize: bool) -> float:
    total = world.n_knowing if probability == "users" else sum(world.users_of.values())
    if not total or (normalize and total == 1) or not any(world.users_of.values()):
        return math.nan
    unit = math.log2(total) if normalize else 1.0

    def bits(item: Id) -> float | None:
        if item in world.users_of:
            return -math.log2(world.users_of[item] / total) / unit
        if unseen == "rarest":
            return -math.log2(min(world.users_of.values(), default=total) / total) / unit
        return {"one": -math.log2(1 / total) / unit, "skip": None, "zero": 0.0}[unseen]

    return plain.list_mean(world, user, k, bits, over=over)


@checked(200)
@given(worlds(references=True), CUTOFFS, PROBABILITIES, UNSEEN, OVER, st.booleans())
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], probability: Any, unseen: Any, over: Any, normalize: bool
) -> None:
    metric = SelfInformation(k=k, probability=probability, unseen=unseen, over=over, normalize=normalize)
    check_scores(metric, world, lambda user, k: self_information(world, user, k, probability, unseen, over, normalize))


@pytest.mark.parametrize(
    ("metric", "lists", "expected"),
    [
        ("MeanInvUserFreq@3", toy.LISTS, 1.888889),
        ("SelfInformation(over=k)@3", toy.UNEVEN, 1.222222),
        ("SelfInformation(over=k)@3", toy.LISTS, 1.888889),
        ("Surprisal@3", toy.LISTS, 0.944444),
        ("SelfInformation(probability=interactions, unseen=zero, average=links)@3", toy.LISTS, 2.354386),
        ("SelfInformation(unseen=skip)@3", toy.LISTS, (2 + 2 + 5 / 3) / 3),
        ("SelfInformation(unseen=rarest)@3", toy.LISTS, 1.888889),
        ("SelfInformation(unseen=zero)@3", toy.LISTS, (4 / 3 + 4 / 3 + 5 / 3) / 3),
        ("SelfInformation@3", toy.UNEVEN, (2 + 2 + 3 / 2) / 3),
        ("SelfInformation@3", toy.REPEAT, (1 + 1 + 2) / 3),
    ],
)
def test_numbers_of_other_programs(metric: str, lists: Any, expected: float) -> None:
    """RecTools: the default; recmetrics: over=k; RePlay: Surprisal; Microsoft Recommenders: interactions, zero, links; Evidently: skip."""
    assert asp.evaluate(lists, metric, history=toy.HISTORY)[metric] == pytest.approx(expected, abs=1e-6)


def test_scores_by_hand() -> None:
    scores = SelfInformation(k=3).scores(asp.World.of(toy.LISTS, history=toy.HISTORY))
    assert scores[:3, 0].tolist() == [2.0, 2.0, 5 / 3]


def test_one_item_of_the_utmost_novelty_over_k() -> None:
    """RePlay's Surprisal gives it 1/k."""
    world = asp.World.of({"u": ["c"]}, history=toy.HISTORY)
    assert asp.parse("Surprisal@3").scores(world)[0, 0] == pytest.approx(1 / 3, abs=1e-15)  # type: ignore[attr-defined]
    assert SelfInformation(k=3, normalize=True).scores(world)[0, 0] == 1.0


def test_interactions_count_repeats() -> None:
    world = asp.World.of({"u": ["a"]}, history=[("u", "a"), ("u", "a"), ("v", "b"), ("v", "c")])
    assert SelfInformation(k=1, probability="interactions").scores(world)[0, 0] == 1.0
    assert SelfInformation(k=1, probability="users").scores(world)[0, 0] == 1.0
    world = asp.World.of({"u": ["b"]}, history=[("u", "a"), ("u", "a"), ("v", "b"), ("v", "c")])
    assert SelfInformation(k=1, probability="interactions").scores(world)[0, 0] == 2.0


def test_popularity_is_that_of_all_users_whoever_has_a_list() -> None:
    alone = asp.evaluate({"u1": toy.LISTS["u1"]}, "MIUF@3", history=toy.HISTORY)
    assert alone["MIUF@3"] == 2.0


def test_undefined() -> None:
    world = asp.World.of({"empty": [], "new": ["x"]}, history={"u": ["a"], "v": ["a"]})
    assert [math.isnan(score) for score in SelfInformation().scores(world)[:2, 0]] == [True, False]
    assert [math.isnan(score) for score in SelfInformation(unseen="skip").scores(world)[:2, 0]] == [True, True]
    assert math.isnan(SelfInformation().scores(asp.World.of({"u": ["a"]}, history={"u": []}))[0, 0])
    one_user = asp.World.of({"u": ["a"]}, history={"u": ["a"]})
    assert SelfInformation().scores(one_user)[0, 0] == 0.0
    assert math.isnan(SelfInformation(normalize=True).scores(one_user)[0, 0])


def test_a_user_without_a_list_weighs_nothing_among_links() -> None:
    metric = SelfInformation(k=3, over="k", average="links")
    some, all_of_them = (asp.evaluate(toy.LISTS, metric, history=toy.HISTORY, users=users)[metric] for users in ("lists", "all"))
    assert some == all_of_them == pytest.approx(17 / 9, abs=1e-12)


def test_names() -> None:
    assert asp.parse("Surprisal@3") == SelfInformation(k=3, over="k", normalize=True)
    for name in ("MSI", "MIUF", "IUF", "MeanInvUserFreq", "MeanSelfInformation"):
        assert asp.parse(f"{name}@3") == SelfInformation(k=3)
    with pytest.raises(asp.MetricError, match="unseen is 'two', expected 'one' or 'skip' or 'zero' or 'rarest'"):
        asp.parse("SelfInformation(unseen=two)")
