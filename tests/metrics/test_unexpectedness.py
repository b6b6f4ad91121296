"""Unexpectedness against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.unexpectedness import Unexpectedness
from tests import plain, toy
from tests.plain import Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds


def unexpectedness(world: PlainWorld, user: Id, k: int, over: str) -> float:
    shown, expected = cut(world.rankings.get(user, []), k), cut((world.baseline or {}).get(user, []), k)
    if not shown or not (world.baseline or {}).get(user):
        return math.nan
    return 1 - len(set(shown) & set(expected)) / (k if over == "k" and k > 0 else len(shown))


@checked(150)
@given(worlds(references=True), CUTOFFS, st.sampled_from(["list", "k"]))
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], over: Any) -> None:
    check_scores(Unexpectedness(k=k, over=over), world, lambda user, k: unexpectedness(world, user, k, over))


@checked(40)
@given(worlds(references=True))
def test_all_recommendations_count_alike(world: PlainWorld) -> None:
    users = [user for user in world.rankings if not math.isnan(unexpectedness(world, user, 3, "list"))]
    lengths = [len(world.rankings[user][:3]) for user in users]
    new = [unexpectedness(world, user, 3, "list") * n for user, n in zip(users, lengths, strict=True)]
    metric = Unexpectedness(k=3, average="links")
    assert same(asp.evaluate(build(world), metric)[metric], plain.ratio(round(math.fsum(new)), sum(lengths)))


@pytest.mark.parametrize(
    ("metric", "lists", "expected"),
    [
        ("Unexpectedness@3", toy.LISTS, 0.444444),
        ("Unexpectedness(over=k)@3", toy.LISTS, 0.444444),
        ("Unexpectedness@3", toy.UNEVEN, (2 / 3 + 0 + 0) / 3),
        ("Unexpectedness(over=k)@3", toy.UNEVEN, (2 / 3 + 2 / 3 + 1 / 3) / 3),
        ("Unexpectedness@3", toy.REPEAT, (1 / 2 + 2 / 3 + 2 / 3) / 3),
    ],
)
def test_numbers(metric: str, lists: Any, expected: float) -> None:
    assert asp.evaluate(lists, metric, baseline=toy.BASELINE)[metric] == pytest.approx(expected, abs=1e-6)


def test_scores_by_hand() -> None:
    scores = Unexpectedness(k=3).scores(asp.World.of(toy.LISTS, baseline=toy.BASELINE))
    assert scores[:, 0].tolist() == [2 / 3, 2 / 3, 0.0]


def test_one_item_that_was_expected() -> None:
    """RePlay gives it 2/3 at 3, as if it were followed by two that were not."""
    world = asp.World.of({"u": ["a"]}, baseline={"u": ["a", "b", "c"]})
    assert Unexpectedness(k=3).scores(world)[0, 0] == 0.0
    assert Unexpectedness(k=3, over="k").scores(world)[0, 0] == 2 / 3


def test_only_the_first_k_of_the_baseline_are_expected() -> None:
    world = asp.World.of({"u": ["a", "b"]}, baseline={"u": ["x", "b", "a"]})
    assert Unexpectedness(k=(1, 2, 3, -1)).scores(world)[0].tolist() == [1.0, 0.5, 0.0, 0.0]


def test_undefined_for_an_empty_list_and_without_a_baseline() -> None:
    lists = {"empty": [], "stranger": ["a"], "u": ["a"]}
    for metric in (Unexpectedness(k=2), Unexpectedness(k=2, over="k")):
        scores = metric.scores(asp.World.of(lists, baseline={"empty": ["a"], "u": ["b"], "nobody": ["a"]}))
        assert [math.isnan(score) for score in scores[:3, 0]] == [True, True, False]


def test_users_of_the_baseline_without_a_list_score_0() -> None:
    """As in RePlay."""
    results = asp.evaluate({"u": ["a"]}, "Unexpectedness@1", baseline={"u": ["b"], "v": ["b"]}, users="judged")
    assert results["Unexpectedness@1"] == 0.5


def test_parameters_that_are_refused() -> None:
    with pytest.raises(asp.MetricError, match="over is 'both', expected 'list' or 'k'"):
        asp.parse("Unexpectedness(over=both)")
