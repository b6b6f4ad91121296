"""Expected free discovery against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.efd import EFD
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds

DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["log", "none", "reciprocal", "geometric"])
RELEVANCE: st.SearchStrategy[Any] = st.sampled_from(["binary", "graded", "none"])
UNSEEN: st.SearchStrategy[Any] = st.sampled_from(["rarest", "one"])
OVER: st.SearchStrategy[Any] = st.sampled_from(["list", "k"])


def bits(world: PlainWorld, unseen: str) -> Any:
    total = sum(world.users_of.values())
    least = 1 if unseen == "one" else min(world.users_of.values(), default=1)
    return lambda users: -math.log2((users or least) / total)


def efd(world: PlainWorld, user: Id, k: int, unseen: str, **ways: Any) -> float:
    return plain.epc(world, user, k, novelty=bits(world, unseen), **ways) if any(world.users_of.values()) else math.nan


@checked(150)
@given(worlds(references=True), CUTOFFS, DISCOUNTS, RELEVANCE, UNSEEN, OVER)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], discount: Any, relevance: Any, unseen: Any, over: Any) -> None:
    metric = EFD(k=k, discount=discount, relevance=relevance, unseen=unseen, over=over)
    check_scores(metric, world, lambda user, k: efd(world, user, k, unseen, discount=discount, relevance=relevance, over=over))


@checked(30)
@given(worlds(), DISCOUNTS)
def test_all_recommendations_count_alike(world: PlainWorld, discount: Any) -> None:
    metric = EFD(k=3, discount=discount, relevance="none", average="links")
    terms = [
        plain.epc_terms(world, user, 3, discount=discount, relevance="none", novelty=bits(world, "rarest"))
        for user in world.rankings
        if world.users_of
    ]
    expected = plain.ratio(math.fsum(gained for gained, _ in terms), math.fsum(ranks for _, ranks in terms))
    assert same(asp.evaluate(build(world), metric)[metric], expected)


def test_the_number_of_elliot_and_ranksys() -> None:
    result = asp.evaluate(toy.LISTS, "EFD@3", history=toy.HISTORY, relevance=toy.RELEVANCE)
    assert result["EFD@3"] == pytest.approx(0.873635, abs=1e-6)
    assert result.details["EFD@3"]["relevance"] == "binary"
    assert result.details["EFD@3"]["places_with_unseen_items"] == 2


def test_by_hand() -> None:
    """Of 9 interactions, one is with each of c, d and e, two are with b, four with a."""
    world = asp.World.of({"u1": ["a", "b"], "u2": ["new"]}, history=toy.HISTORY)
    assert EFD(k=1).scores(world)[:2, 0].tolist() == pytest.approx([math.log2(9 / 4), math.log2(9)], abs=1e-15)
    expected = (math.log2(9 / 4) + math.log2(9 / 2) / math.log2(3)) / (1 + 1 / math.log2(3))
    assert EFD(k=2).scores(world)[0, 0] == pytest.approx(expected, abs=1e-15)


def test_an_unseen_item_is_as_novel_as_the_rarest() -> None:
    history = {"u": ["a", "b"], "v": ["a", "b"]}
    world = asp.World.of({"u": ["a", "b", "new"]}, history=history)
    assert EFD(k=3, discount="none").scores(world)[0, 0] == 1.0
    assert EFD(k=3, discount="none", unseen="one").scores(world)[0, 0] == 4 / 3


def test_undefined() -> None:
    world = asp.World.of({"empty": [], "no truth": ["a"]}, history=toy.HISTORY, relevance={"empty": ["a"]})
    assert all(math.isnan(score) for score in EFD().scores(world)[:2, 0])
    nobody = asp.World.of({"u": ["a"], "empty": []}, history={"u": []})
    assert all(math.isnan(score) for metric in (EFD(), EFD(over="k")) for score in metric.scores(nobody)[:, 0])


def test_names_and_parameters() -> None:
    assert asp.parse("Expected free discovery@3") == EFD(k=3)
    for parameters in ("unseen=nobody", "patience=0.5", "patience=2, discount=geometric", "discount=linear"):
        with pytest.raises(asp.MetricError):
            asp.parse(f"EFD({parameters})")
