"""What the search leaves open, by HiGHS."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum import kernels
from aspectrum.ideal import Ideal
from aspectrum.ideal.highs import solve_by_highs
from tests.ideal.plain_ideals import Instance, best_by_subsets, middling_instance, random_instance
from tests.ideal.test_exact import ENOUGH, by_user, hard_world, problem_of
from tests.strategies import build

DIGITS = 1e-6
"""HiGHS proves to about six digits."""


def by_highs(instance: Instance, k: int, *, seconds: float = 20.0) -> tuple[kernels.Certificate, Ideal]:
    """What the search leaves of it without a budget, and what HiGHS makes of that."""
    problem = problem_of(instance)
    depth = min(k, problem.n_items)
    factors = np.array(instance.discounts[:depth])
    left = problem.solve(depth, factors, instance.alpha, 0.0)
    known = Ideal(left.best, left.upper, "search" if left.proved else None, left.work)
    found, sets = solve_by_highs(problem, factors, instance.alpha, known, left.list, seconds)
    listed = [instance.items[problem.rows[place]] for place in sets]
    assert len(listed) <= depth, instance
    assert all(taken <= problem.copies[place] for place, taken in Counter(sets).items()), instance
    assert found.best == pytest.approx(instance.value(listed), rel=1e-12), instance
    return left, found


def check_same(instance: Instance, k: int, true: float) -> bool:
    """Whether there was anything left to do."""
    left, found = by_highs(instance, k)
    assert found.proved_by == "HiGHS", (instance, k)
    assert found.best <= found.upper <= found.best * (1 + 1.01e-6)
    assert found.best == pytest.approx(true, rel=DIGITS), (instance, k)
    assert left.best <= found.best <= true * (1 + 1e-12), (instance, k)
    return not left.proved


def check_limits(left: kernels.Certificate, found: Ideal, true: float, what: object) -> None:
    """Nothing wrong is said, whether HiGHS came to an end or not."""
    assert left.best <= found.best <= true * (1 + 1e-12), what
    assert found.best <= found.upper <= left.upper, what
    assert found.upper >= true * (1 - DIGITS), what
    assert not found.proved or found.best == pytest.approx(true, rel=DIGITS), what


@pytest.mark.parametrize("seed", range(3))
def test_middling_pools(seed: int) -> None:
    draw = random.Random(seed)
    n_open = 0
    for _ in range(8):
        instance = middling_instance(draw, draw.randint(10, 20), draw.randint(5, 8), 5)
        true = problem_of(instance).solve(5, np.array(instance.discounts), instance.alpha, ENOUGH)
        assert true.proved
        n_open += check_same(instance, 5, true.best)
    assert n_open >= 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 102))
def test_many_middling_pools(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(30):
        instance = middling_instance(draw, draw.randint(10, 30), draw.randint(5, 10), 6)
        true = problem_of(instance).solve(6, np.array(instance.discounts), instance.alpha, ENOUGH)
        assert true.proved
        check_limits(*by_highs(instance, 6), true.best, instance)


@pytest.mark.parametrize("seed", range(3))
def test_small_pools(seed: int) -> None:
    """Copies, subsets, weights, aspects that come together, cutoffs beyond the pool, discounts that stay or end."""
    draw = random.Random(seed)
    n_open = 0
    for _ in range(60):
        instance = random_instance(draw)
        items = [dict.fromkeys(item, 1.0) for item in instance.items]
        instance = Instance(items, instance.weights, instance.alpha, instance.discounts)
        true = best_by_subsets(instance)
        k = draw.randint(1, len(items) + 1)
        if true[-1] > 0:
            n_open += check_same(instance, k, true[min(k, len(items))])
    assert n_open > 5


def test_a_list_that_is_the_best_already_stays() -> None:
    """The search has found it but could not prove it."""
    draw = random.Random(3)
    kept = 0
    for _ in range(15):
        instance = middling_instance(draw, 12, 6, 4)
        true = problem_of(instance).solve(4, np.array(instance.discounts), instance.alpha, ENOUGH)
        left, found = by_highs(instance, 4)
        if not left.proved and left.best >= true.best * (1 - 1e-12):
            assert found.proved_by == "HiGHS"
            assert found.best == pytest.approx(left.best, rel=1e-12)
            kept += 1
    assert kept >= 3


@pytest.mark.parametrize("scale", [1e-6, 1e-8])
def test_small_weights(scale: float) -> None:
    draw = random.Random(1)
    for _ in range(15):
        instance = middling_instance(draw, 15, 7, 5)
        instance = Instance(instance.items, [scale * weight for weight in instance.weights], instance.alpha, instance.discounts)
        true = problem_of(instance).solve(5, np.array(instance.discounts), instance.alpha, ENOUGH)
        check_limits(*by_highs(instance, 5), true.best, instance)


def test_no_time_at_all() -> None:
    """Then what the search knows holds."""
    draw = random.Random(4)
    for _ in range(5):
        instance = middling_instance(draw, 30, 10, 7)
        true = problem_of(instance).solve(7, np.array(instance.discounts), instance.alpha, ENOUGH)
        check_limits(*by_highs(instance, 7, seconds=1e-3), true.best, instance)


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance"])
def test_seconds_of_a_metric(way: Any) -> None:
    world = hard_world(21, n_users=6)
    given: Any = {"k": (3, 5), "ideal": "exact", "judged_by": way}
    hurried, helped, sure = (
        asp.evaluate(build(world), asp.AlphaNDCG(**given, **spent))
        for spent in ({"budget": 0}, {"budget": 0, "seconds": 20}, {"budget": ENOUGH})
    )
    assert sum(hurried.details[name]["open"] for name in hurried) > 0
    for name, true_name in zip(helped, sure, strict=True):
        assert helped.details[name]["open"] == sure.details[true_name]["open"] == 0
        assert helped.details[name]["proved"] == helped.details[name]["scored"] == 6
        assert by_user(helped)[name].to_list() == pytest.approx(by_user(sure)[true_name].to_list(), rel=DIGITS)


def test_seconds_of_an_evaluation() -> None:
    world, metric = build(hard_world(22, n_users=5)), asp.AlphaNDCG(k=4, ideal="exact", judged_by="subtopics")
    left = asp.evaluate(world, metric, ideal_budget=0.0)
    found = asp.evaluate(world, metric, ideal_budget=0.0, ideal_seconds=20.0)
    assert left.details[str(metric)]["open"] > 0
    assert found.details[str(metric)]["open"] == 0
    assert found[metric] == pytest.approx(asp.evaluate(world, metric)[metric], rel=DIGITS)
    systems = asp.evaluate_systems({"one": world}, metric, ideal_budget=0.0, ideal_seconds=20.0)
    assert systems["one"].details[str(metric)]["open"] == 0


def test_the_other_metrics_have_seconds_too() -> None:
    world = build(hard_world(23, n_users=4))
    for metric in (
        asp.NRBP(k=4, beta=0.8, judged_by="subtopics", normalize="ideal", ideal="exact", budget=0.0, seconds=20.0),
        asp.ERRIA(k=4, judged_by="subtopics", normalize="ideal", ideal="exact", budget=0.0, seconds=20.0),
    ):
        terms = metric.resolved(world.truth).fractions(world)
        assert terms.proved is not None
        assert terms.proved.all()


def test_strengths_are_left_to_the_search() -> None:
    """HiGHS is not asked where judgments have strengths: what is open stays so, and says so."""
    rows = [
        (user, aspect, item, 1.0, 0.5)
        for user, judged in hard_world(24, n_users=4).subtopics.items()
        for item, has in judged.items()
        for aspect in has
    ]
    lists = {user: [0, 1, 2] for user in range(4)}
    metric = asp.AlphaNDCG(k=4, ideal="exact", budget=0.0, seconds=20.0)
    details = asp.evaluate(lists, metric, subtopics=rows).details[str(metric)]
    assert details["open"] > 0
    assert details["at_least"] < 1.0
