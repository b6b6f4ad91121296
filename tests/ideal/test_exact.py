"""Exact ideals: the search against all lists there are and against HiGHS, and scores and certificates that stand on it."""

from __future__ import annotations

import itertools
import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import kernels
from tests import plain
from tests.ideal.plain_ideals import (
    BETAS,
    Instance,
    best_by_program,
    best_by_subsets,
    best_by_trying,
    best_list,
    discounts,
    greedy_value,
    ideal_sum,
    middling_instance,
    random_instance,
)
from tests.plain import Id, PlainWorld, Pool, Unjudged, Way
from tests.strategies import ALPHAS, CUTOFFS, UNJUDGED, WAYS, build, check_scores, checked, same, worlds

ENOUGH = 100.0
"""A budget that none of these problems needs."""

SMALL_BUDGETS = (0.0, 1e-7, 1e-6, 1e-5)
POOLS: st.SearchStrategy[Pool | None] = st.sampled_from([None, "judged", "catalogue", "unseen", "list"])
SEEDS = st.integers(0, 2**32 - 1)
Intents = Literal["uniform", "given", "counts"]


def problem_of(instance: Instance, *, as_masks: bool = False) -> kernels.Problem:
    """Every item as a row of its own."""
    entries = [sorted(item.items()) for item in instance.items]
    flat = [entry for row in entries for entry in row]
    n, m = len(entries), len(instance.weights)
    masks = np.array([sum(1 << aspect for aspect in item) for item in instance.items], dtype=np.uint64)
    cover = kernels.Cover(
        np.zeros(2, dtype=np.int64),
        np.empty(0, dtype=np.int32),
        np.cumsum([0, *map(len, entries)]).astype(np.int64),
        np.array([aspect for aspect, _ in flat], dtype=np.int32),
        m,
        strengths=None if as_masks else np.array([strength for _, strength in flat], dtype=np.float64),
        masks=masks if as_masks else None,
        wanted_offsets=None if as_masks else np.array([0, m], dtype=np.int64),
        wanted_codes=None if as_masks else np.arange(m, dtype=np.int32),
        wanted_weights=None if as_masks else np.array(instance.weights, dtype=np.float64),
    )
    return kernels.PoolProblems(cover, np.array([0, n], dtype=np.int64), np.arange(n, dtype=np.int32)).of(0)


def solved(instance: Instance, k: int, budget: float = ENOUGH, problem: kernels.Problem | None = None) -> kernels.Certificate:
    factors = np.array([*instance.discounts, *[0.0] * max(0, k - len(instance.discounts))])
    return (problem or problem_of(instance)).solve(k, factors, instance.alpha, budget)


def close(one: float, other: float, relative: float = 1e-12) -> bool:
    """With room for a few roundings beside the tolerance of the search."""
    return math.isclose(one, other, rel_tol=1.01 * relative, abs_tol=0.0)


def check_certificate(found: kernels.Certificate, true: float, what: object) -> None:
    """It says nothing wrong: no list is better than `upper`, `best` was reached by a list, and proved means that they meet."""
    assert found.best <= true * (1 + 1.01e-12), what
    assert found.upper >= true * (1 - 1.01e-12), what
    assert found.greedy <= found.best * (1 + 1e-14), what
    assert found.best <= found.upper, what
    assert not found.proved or (close(found.best, true) and found.upper == found.best), what


def check_list(found: kernels.Certificate, problem: kernels.Problem, instance: Instance, k: int, what: object) -> None:
    """The list is one that can be made, and gains what is said."""
    copies = problem.copies.tolist()
    assert len(found.list) <= k, what
    assert all(taken <= copies[place] for place, taken in Counter(found.list).items()), what
    rows = problem.rows.tolist()
    assert close(instance.value([instance.items[rows[place]] for place in found.list]), found.best), what


def contents(found: kernels.Certificate) -> tuple[Any, ...]:
    return found.best.hex(), found.upper.hex(), found.greedy.hex(), found.proved, found.work.hex(), found.list


# ---- The search against all lists


def check_small_ones(draw: random.Random, n: int, most_items: int) -> Counter[str]:
    """Random instances at all cutoffs, also those beyond the pool; counts what happened."""
    seen: Counter[str] = Counter()
    for _ in range(n):
        instance = random_instance(draw, most_items)
        n_items = len(instance.items)
        full = set(instance.weights) == {1.0} and all(strength == 1.0 for item in instance.items for strength in item.values())
        problem = problem_of(instance, as_masks=full and draw.random() < 0.5)
        wanted = [sum(instance.weights[aspect] * strength for aspect, strength in item.items()) for item in instance.items]
        assert problem.n_items == sum(value > 0 for value in wanted), instance
        true = best_by_trying(instance)
        for k in range(1, n_items + 3):
            best = true[min(k, n_items)]
            what = instance, k
            found = solved(instance, k, problem=problem)
            assert found.proved, what
            check_certificate(found, best, what)
            check_list(found, problem, instance, k, what)
            assert contents(found) == contents(solved(instance, k, problem=problem)), what
            for budget in SMALL_BUDGETS:
                hurried = solved(instance, k, budget, problem)
                check_certificate(hurried, best, (*what, budget))
                check_list(hurried, problem, instance, k, (*what, budget))
                seen["open"] += not hurried.proved
            seen["instances"] += 1
            seen["beat greedy"] += found.best > greedy_value(instance, k) * (1 + 1e-9)
    return seen


@pytest.mark.parametrize("seed", range(10))
def test_all_lists_of_small_pools(seed: int) -> None:
    seen = check_small_ones(random.Random(seed), 700, 6)
    assert seen["instances"] > 3500
    assert seen["beat greedy"] > 10  # else there was nothing to find
    assert seen["open"] > 100  # else a small budget was enough for everything


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 105))
def test_all_lists_of_many_small_pools(seed: int) -> None:
    assert check_small_ones(random.Random(seed), 1500, 7)["beat greedy"] > 40


def check_tight_ones(draw: random.Random, n: int, most_items: int) -> int:
    """Sets of about the same size, where the greedy list is often wrong; how often it was."""
    beaten = 0
    for _ in range(n):
        n_items, m, size = draw.randint(6, most_items), draw.randint(5, 9), draw.randint(2, 4)
        strengths = draw.choice([(1.0,), (1.0,), (0.5,), (1.0, 0.9, 0.8), (0.3, 0.31, 0.29)])
        items = [
            {aspect: draw.choice(strengths) for aspect in draw.sample(range(m), min(m, size + draw.choice([0, 0, 0, 1])))}
            for _ in range(n_items)
        ]
        apart = draw.choice([1e-2, 1e-4, 1e-7])
        weights = draw.choice(
            [
                [1.0] * m,
                [draw.choice([1.0, 1.1, 1.5, 2.0]) for _ in range(m)],
                [1.0 + apart * draw.random() for _ in range(m)],
                [1.0 + apart * draw.randint(0, 1) for _ in range(m)],
            ]
        )
        factors = discounts(draw.choice(["log", "reciprocal", "geometric"]), n_items, draw.choice([0.5, 0.8, 0.99, 1.0]))
        instance = Instance(items, weights, draw.choice([0.1, 0.3, 0.5, 0.75, 0.9, 0.99, 1.0]), factors)
        problem = problem_of(instance)
        true = best_by_subsets(instance)
        for k in range(2, n_items + 1):
            found = solved(instance, k, problem=problem)
            assert found.proved, (instance, k)
            check_certificate(found, true[k], (instance, k))
            for budget in (0.0, 1e-5, 1e-4):
                check_certificate(solved(instance, k, budget, problem), true[k], (instance, k, budget))
            beaten += true[k] > greedy_value(instance, k) * (1 + 1e-9)
    return beaten


@pytest.mark.parametrize("seed", range(4))
def test_pools_where_greedy_lists_are_wrong(seed: int) -> None:
    assert check_tight_ones(random.Random(seed), 250, 9) > 150


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 103))
def test_larger_pools_where_greedy_lists_are_wrong(seed: int) -> None:
    assert check_tight_ones(random.Random(seed), 40, 11) > 5


def test_two_ways_to_try_all_lists_agree() -> None:
    draw = random.Random(3)
    for _ in range(150):
        instance = random_instance(draw)
        assert best_by_subsets(instance) == pytest.approx(best_by_trying(instance), rel=1e-13, abs=0.0), instance
        k = draw.randint(1, len(instance.items))
        best = best_list(instance, k)
        assert instance.value(best) == pytest.approx(best_by_trying(instance)[k], rel=1e-13, abs=0.0), instance


# ---- The search against HiGHS


def check_middling_ones(draw: random.Random, n: int, sizes: Callable[[], tuple[int, int, int]], seconds: float) -> Counter[str]:
    seen: Counter[str] = Counter()
    for _ in range(n):
        instance = middling_instance(draw, *sizes())
        k = len(instance.discounts)
        found, other = solved(instance, k), best_by_program(instance, seconds)
        assert found.proved, instance
        check_list(found, problem_of(instance), instance, k, instance)
        assert found.best >= other.value * (1 - 1e-9), (instance, found.best, other)
        assert found.best <= other.upper * (1 + 1e-6), (instance, found.best, other)
        assert not other.optimal or close(found.best, other.value, 1e-6), (instance, found.best, other)
        for budget in (0.0, 1e-4):
            check_certificate(solved(instance, k, budget), found.best, (instance, budget))
        seen["optimal"] += other.optimal
        seen["beat greedy"] += found.best > greedy_value(instance, k) * (1 + 1e-9)
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_middling_pools_by_highs(seed: int) -> None:
    draw = random.Random(seed)
    seen = check_middling_ones(draw, 20, lambda: (draw.randint(10, 25), draw.randint(5, 9), draw.randint(5, 6)), 3.0)
    assert seen["optimal"] >= 10
    assert seen["beat greedy"] >= 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 108))
def test_many_middling_pools_by_highs(seed: int) -> None:
    draw = random.Random(seed)
    seen = check_middling_ones(draw, 30, lambda: (draw.randint(10, 30), draw.randint(5, 10), draw.randint(5, 8)), 3.0)
    assert seen["optimal"] >= 15


# ---- The search where there is little to search, or where its rules meet their limits


def full(*sets: Iterable[int]) -> list[dict[int, float]]:
    return [dict.fromkeys(one, 1.0) for one in sets]


@pytest.mark.parametrize("kind", ["log", "reciprocal", "geometric"])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("items", "weights"),
    [
        ([], [1.0]),
        ([{}], [1.0]),
        ([{}, {}], []),
        (full([0]), [0.0]),
        (full([0], [1]), [0.0, 2.0]),
        (full([0, 1]), [1.0, 1.0]),
        (full(*[[0]] * 5), [1.0]),
        (full(*[[0, 1]] * 3, [0], [1], [2]), [1.0, 1.0, 0.5]),
        ([{0: 1.0}, {0: 0.5}, {0: 0.5}], [1.0]),
        ([{0: 1.0, 1: 1e-3}, {0: 1e-3, 1: 1.0}, {0: 0.5, 1: 0.5}], [1.0, 1.0]),
        ([{0: 1.0, 1: 0.5}, {0: 0.5, 1: 0.5}, {0: 0.5}, {1: 0.5}, {0: 1.0}], [1.0, 3.0]),
    ],
)
def test_small_corners(items: list[dict[int, float]], weights: list[float], alpha: float, kind: Any) -> None:
    for beta in BETAS if kind == "geometric" else [0.5]:
        instance = Instance(items, weights, alpha, discounts(kind, len(items), beta))
        true = best_by_trying(instance)
        for k in range(1, len(items) + 4):
            found = solved(instance, k)
            assert found.proved
            check_certificate(found, true[min(k, len(items))], (instance, k))


@pytest.mark.parametrize("apart", [1e-2, 1e-5])
@pytest.mark.parametrize(("kind", "alpha"), [("log", 0.1), ("geometric", 0.1), ("geometric", 0.5)])
def test_the_same_counts_by_other_sets(kind: Any, alpha: float, apart: float) -> None:
    """{a,b}, {c,d} and {a,c}, {b,d} show the same; the second is better so far, but then {a,c} is used up."""
    sets = full([0, 1], [2, 3], [0, 2], [1, 3])
    draw = random.Random(1)
    for _ in range(24):
        instance = Instance(draw.sample(sets, 4), [1 + apart, 1.0, 1 + apart, 1.0], alpha, discounts(kind, 4, 0.9))
        found = solved(instance, 3)
        assert found.proved
        check_certificate(found, best_by_trying(instance)[3], instance)
        assert found.best > instance.value(full([0, 2], [1, 3], [0, 1])) * (1 + 1e-9)


def test_nothing_is_asked_for() -> None:
    instance = Instance(full([0], [1]), [1.0, 1.0], 0.5, [1.0])
    for k in (0, -1):
        found = solved(instance, k)
        assert (found.best, found.upper, found.proved, found.list) == (0.0, 0.0, True, [])


def test_ranks_that_cannot_matter_are_left_out() -> None:
    """0.01^j falls below the tolerance after a few ranks; 0.9^j does not."""
    draw = random.Random(8)
    for beta in (0.01, 1e-4, 1e-9, 0.9):
        items = [dict.fromkeys(draw.sample(range(8), 3), 1.0) for _ in range(12)]
        instance = Instance(items, [1.0] * 8, 0.5, discounts("geometric", 12, beta))
        found = solved(instance, 12)
        assert found.proved
        check_certificate(found, best_by_subsets(instance)[12], instance)
        assert (len(found.list) < 12) == (beta < 0.9)


def test_large_and_small_weights_together() -> None:
    draw = random.Random(9)
    for scale in (1e-250, 1e-6, 1e9, 1e250):
        for _ in range(40):
            items = [dict.fromkeys(draw.sample(range(6), draw.randint(1, 3)), draw.choice([1.0, 0.5])) for _ in range(6)]
            weights = [scale * draw.choice([1.0, 1e-4, 1e4, 2.0]) for _ in range(6)]
            instance = Instance(items, weights, draw.choice([0.5, 0.9, 1.0]), discounts("log", 6))
            true = best_by_trying(instance)
            for k in (2, 3, 6):
                check_certificate(solved(instance, k), true[k], (instance, k))


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-9, 1e-12, 1e-16, 1e-300, 5e-324])
@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_small_alphas(alpha: float, strength: float) -> None:
    draw = random.Random(10)
    for _ in range(30):
        items = [dict.fromkeys(draw.sample(range(6), 2), strength) for _ in range(6)]
        instance = Instance(items, [1.0] * 6, alpha, discounts("log", 6))
        true = best_by_trying(instance, 4)
        for k in (2, 3, 4):
            check_certificate(solved(instance, k), true[k], (instance, k))


WEAK = [
    # Lists differ in the ninth digit only.
    Instance(
        [dict.fromkeys(one, 5e-9) for one in ([1, 2, 3], [2, 4, 5], [1, 2, 3], [0, 1, 3], [0, 1, 3])], [1.0] * 6, 0.5, discounts("log", 2)
    ),
    # Weights make up for strengths: lists differ by 8 %.
    Instance(
        [{0: 0.5, 2: 1e-16, 3: 1e-16}, {1: 1.0, 2: 1e-16}, {0: 1.0, 1: 0.5, 3: 1e-16}, {1: 1.0, 2: 1e-16, 3: 5e-17}],
        [1.0, 1.0, 1e16, 1e16],
        0.9,
        discounts("log", 2),
    ),
]


def test_strengths_near_0() -> None:
    for instance in WEAK:
        check_certificate(solved(instance, 2), best_by_trying(instance, 2)[2], instance)


@pytest.mark.parametrize(
    ("sets", "alpha", "greedy", "best"),
    [
        ([[1, 3], [2, 4], [3, 4]], 0.5, {}, {2: 3.2619}),
        ([[1, 2, 3, 5], [2, 4, 5], [4, 6], [1, 2, 3, 5, 6]], 0.9, {3: 5.8671}, {3: 5.8940}),
        ([[1, 4, 5, 7], [2, 4, 6, 7], [2, 3, 5, 6, 7], [1, 5, 8]], 0.5, {}, {2: 6.8928, 3: 7.8273}),
    ],
)
def test_lists_that_beat_the_greedy_one(sets: list[list[int]], alpha: float, greedy: dict[int, float], best: dict[int, float]) -> None:
    instance = Instance(full(*sets), [1.0] * 9, alpha, discounts("log", len(sets)))
    for k, value in best.items():
        found = solved(instance, k)
        assert found.proved
        assert found.best == pytest.approx(value, abs=5e-5)
        assert found.upper == found.best
    for k, value in greedy.items():
        assert solved(instance, k).greedy == pytest.approx(value, abs=5e-5)


def test_an_order_of_equal_gains() -> None:
    """Ties go to the largest id, which starts with {3, 4}: the best list beats the greedy one, and scores 1 against the exact one."""
    world = asp.World.of({"q": [1, 2]}, subtopics={"q": {1: [1, 3], 2: [2, 4], 3: [3, 4]}})
    assert asp.AlphaNDCG(k=2).scores(world)[0, 0] == pytest.approx(1.107, abs=5e-4)
    assert asp.AlphaNDCG(k=2, ideal="exact").scores(world).tolist() == [[1.0]]
    third_first = asp.World.of({"q": [3, 1]}, subtopics={"q": {1: [1, 3], 2: [2, 4], 3: [3, 4]}})
    assert asp.AlphaNDCG(k=2, ideal="exact").scores(third_first)[0, 0] == pytest.approx(2.9464 / 3.2619, abs=5e-5)


def test_best_lists_of_cutoffs_are_not_nested() -> None:
    """Each cutoff has its own ideal: no list is the best at 2 and at 3."""
    nuggets = {"a": [1, 4, 5, 7], "b": [2, 4, 6, 7], "c": [2, 3, 5, 6, 7], "d": [1, 5, 8]}
    scores = {}
    for items in itertools.permutations(nuggets, 3):
        world = asp.World.of({"q": list(items)}, subtopics={"q": nuggets})
        scores[items] = asp.AlphaNDCG(k=(2, 3), ideal="exact").scores(world)[0].tolist()
    assert max(score for score, _ in scores.values()) == max(score for _, score in scores.values()) == 1.0
    assert max(longer for score, longer in scores.values() if score == 1.0) == pytest.approx(7.7678 / 7.8273, abs=5e-5)
    assert max(score for score, longer in scores.values() if longer == 1.0) < 0.999


# ---- Scores against the definition


@checked(120)
@given(worlds(), CUTOFFS, ALPHAS, WAYS, POOLS, UNJUDGED)
def test_alpha_ndcg_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, pool: Pool | None, unjudged: Unjudged
) -> None:
    def score(user: Id, k: int) -> float:
        reached = plain.discounted(plain.list_gains(world, way, user, k, alpha=alpha, unjudged=unjudged), plain.log2_discount)
        return plain.ratio(reached, ideal_sum(world, way, user, k, alpha=alpha, discount=plain.log2_discount, pool=pool))

    check_scores(asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, pool=pool, unjudged=unjudged, ideal="exact"), world, score)


@checked(60)
@given(worlds(), CUTOFFS, ALPHAS, st.sampled_from(BETAS), WAYS, POOLS)
def test_nrbp_follows_the_definition(world: PlainWorld, k: tuple[int, ...], alpha: float, beta: float, way: Way, pool: Pool | None) -> None:
    def patience(rank: int) -> float:
        return beta ** (rank - 1)

    def score(user: Id, k: int) -> float:
        reached = plain.discounted(plain.list_gains(world, way, user, k, alpha=alpha), patience)
        return plain.ratio(reached, ideal_sum(world, way, user, k, alpha=alpha, discount=patience, pool=pool))

    check_scores(asp.NRBP(k=k, alpha=alpha, beta=beta, judged_by=way, pool=pool, normalize="ideal", ideal="exact"), world, score)


@checked(60)
@given(worlds(), CUTOFFS, st.sampled_from([0.5, 0.25, 0.9, 1.0, 0.0]), WAYS, POOLS, st.sampled_from([None, "uniform", "counts"]))
def test_err_ia_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], stop: float, way: Way, pool: Pool | None, asked: Literal["uniform", "counts"] | None
) -> None:
    if way == "subtopics" and asked == "counts":
        asked = None
    intents: Intents = asked or ("uniform" if world.weights is None else "given")

    def score(user: Id, k: int) -> float:
        wanted = plain.intents_of(world, way, user, intents)
        items = plain.top(world, way, user, k)
        reached = plain.gains([plain.counted_aspects(world, way, user, item) for item in items], wanted, stop)
        best = ideal_sum(world, way, user, k, alpha=stop, discount=plain.reciprocal, pool=pool, wanted=wanted)
        return plain.ratio(plain.discounted(reached, plain.reciprocal), best)

    metric = asp.ERRIA(k=k, stop=stop, judged_by=way, intents=asked, pool=pool, normalize="ideal", ideal="exact")
    check_scores(metric, world, score)


@checked(40)
@given(worlds(), CUTOFFS, st.sampled_from(["subtopics", "relevance"]), st.sampled_from([None, 3.0, 4.0]))
def test_err_ia_of_grades_follows_the_definition(world: PlainWorld, k: tuple[int, ...], way: Way, given_grade: float | None) -> None:
    largest = plain.largest_grade(world, way) if given_grade is None else given_grade
    largest = largest if largest > 0 else 1.0
    stop = (2**largest - 1) / 2**largest

    def score(user: Id, k: int) -> float:
        wanted = plain.intents_of(world, way, user, "uniform" if world.weights is None else "given")

        def shares(item: Id) -> dict[Id, float]:
            has = plain.counted_aspects(world, way, user, item)
            return {
                aspect: strength * (2 ** plain.grade_of(world, way, user, item, aspect) - 1) / (2**largest - 1)
                for aspect, strength in has.items()
            }

        reached = plain.gains([shares(item) for item in plain.top(world, way, user, k)], wanted, stop)
        best = ideal_sum(world, way, user, k, alpha=stop, discount=plain.reciprocal, wanted=wanted, shares=shares)
        return plain.ratio(plain.discounted(reached, plain.reciprocal), best)

    metric = asp.ERRIA(k=k, judged_by=way, grades=True, max_grade=given_grade, normalize="ideal", ideal="exact")
    check_scores(metric, world, score)


# ---- Properties


METRICS: Sequence[Callable[..., asp.UserMetric]] = [
    lambda **given: asp.AlphaNDCG(ideal="exact", **given),
    lambda **given: asp.NRBP(ideal="exact", normalize="ideal", beta=0.8, **given),
    lambda alpha, **given: asp.ERRIA(ideal="exact", normalize="ideal", stop=alpha, **given),
]
KINDS = st.sampled_from(range(len(METRICS)))
SOME_ALPHAS = st.sampled_from([0.5, 0.3, 0.9, 1.0, 0.1])


def with_lists_from_pools(world: PlainWorld, way: Way, pool: Pool | None, seed: int) -> PlainWorld:
    """Lists of what an ideal list may choose from, too."""
    draw = random.Random(seed)
    without = replace(world, rankings={})
    lists: dict[Id, list[Id]] = {}
    for user in dict.fromkeys([*world.rankings, *world.relevance, *world.history, *world.subtopics]):
        items = sorted(plain.pool_of(without, way, user, "catalogue" if pool == "list" else pool), key=plain.sortable)
        lists[user] = draw.sample(items, draw.randint(0, len(items)))
    return replace(world, rankings=lists)


def budgets_with_ideals_above_lists(world: PlainWorld, pool: Pool | None) -> Sequence[float | None]:
    """Enough to prove; or nothing at all, if any list must be one of the pool, so that it stands in for an ideal that is worse."""
    return (None, 0.0) if pool in (None, "list") and world.catalogue is None else (None,)


@checked(120)
@given(worlds(), KINDS, SOME_ALPHAS, WAYS, POOLS, SEEDS)
def test_no_list_of_the_pool_scores_above_1(world: PlainWorld, kind: int, alpha: float, way: Way, pool: Pool | None, seed: int) -> None:
    world = with_lists_from_pools(world, way, pool, seed)
    given: Any = {"k": (1, 2, 3, 5, -1), "alpha": alpha, "judged_by": way, "pool": pool}
    for budget in budgets_with_ideals_above_lists(world, pool):
        scores = METRICS[kind](**given, budget=budget).scores(build(world))
        assert not (scores > 1.0).any(), scores
        assert not (scores < 0.0).any(), scores


@checked(100)
@given(worlds(), KINDS, SOME_ALPHAS, WAYS, POOLS, st.sampled_from([1, 2, 3]))
def test_an_ideal_list_scores_1(world: PlainWorld, kind: int, alpha: float, way: Way, pool: Pool | None, k: int) -> None:
    without = replace(world, rankings={})
    pool = "catalogue" if pool == "list" else pool
    lists: dict[Id, list[Id]] = {}
    for user in range(10, 16):
        items = plain.pool_of(without, way, user, pool)
        wanted = plain.wanted_aspects(without, way, user)
        place = {aspect: number for number, aspect in enumerate(wanted)}
        factors = [discounts("log", k), discounts("geometric", k, 0.8), discounts("reciprocal", k)][kind]
        counted = {item: plain.counted_aspects(without, way, user, item) for item in items}
        coded = {item: {place[aspect]: strength for aspect, strength in has.items()} for item, has in counted.items()}
        instance = Instance([], list(wanted.values()), alpha, factors)
        tried = itertools.permutations(items, min(k, len(items)))
        lists[user] = list(max(tried, key=lambda several: instance.value([coded[item] for item in several])))
    built = build(replace(world, rankings=lists))
    given: Any = {"k": k, "alpha": alpha, "judged_by": way, "pool": pool}
    for budget in budgets_with_ideals_above_lists(world, pool):
        for score in METRICS[kind](**given, budget=budget).scores(built)[:, 0].tolist():
            assert score == 1.0 or math.isnan(score)


def renamed(world: PlainWorld, draw: random.Random) -> tuple[PlainWorld, dict[Id, Id]]:
    """Other names for everything, everything in another order; and the new names of users."""
    users = list(dict.fromkeys([*world.rankings, *world.relevance, *world.history, *world.subtopics, *range(10, 16)]))
    aspects = list(dict.fromkeys([*world.place_of_aspect, *map(str, range(8)), *range(80), *"xyßXzw", "a b", "42"]))

    def names(ids: Sequence[Id], word: str) -> dict[Id, Id]:
        numbers = draw.sample(range(1000, 1000 + len(ids)), len(ids))
        return {id: f"{word} {number}" for id, number in zip(ids, numbers, strict=True)}

    user, item, aspect = names(users, "user"), names(list(world.seen_items), "item"), names(aspects, "aspect")

    def shuffled(mapping: Mapping[Id, Any]) -> Iterator[tuple[Id, Any]]:
        yield from draw.sample(list(mapping.items()), len(mapping))

    weights: Any = world.weights
    if weights is not None:
        own = any(isinstance(value, Mapping) for value in weights.values())
        weights = (
            {user[who]: {aspect[one]: weight for one, weight in shuffled(several)} for who, several in shuffled(weights)}
            if own
            else {aspect[one]: weight for one, weight in shuffled(weights)}
        )
    return (
        PlainWorld(
            {user[who]: [item[one] for one in ranked] for who, ranked in shuffled(world.rankings)},
            {item[one]: {aspect[a]: strength for a, strength in shuffled(has)} for one, has in shuffled(world.aspects)},
            {user[who]: {item[one]: grade for one, grade in shuffled(graded)} for who, graded in shuffled(world.relevance)},
            {user[who]: {item[one] for one in items} for who, items in shuffled(world.history)},
            {
                user[who]: {item[one]: {aspect[a]: row for a, row in shuffled(has)} for one, has in shuffled(judged)}
                for who, judged in shuffled(world.subtopics)
            },
            weights,
            None if world.catalogue is None else [item[one] for one in draw.sample(world.catalogue, len(world.catalogue))],
            world.threshold,
        ),
        user,
    )


@checked(80)
@given(worlds(), KINDS, SOME_ALPHAS, WAYS, POOLS, SEEDS)
def test_names_and_orders_do_not_matter(world: PlainWorld, kind: int, alpha: float, way: Way, pool: Pool | None, seed: int) -> None:
    other, name = renamed(world, random.Random(seed))
    metric = METRICS[kind](k=(1, 2, 3, -1), alpha=alpha, judged_by=way, pool=pool)
    one, two = build(world), build(other)
    before, after = metric.scores(one), metric.scores(two)
    for code, user in enumerate(one.users):
        place = two.users.code(name[user])  # type: ignore[index]
        for score, again in zip(before[code].tolist(), after[place].tolist(), strict=True):
            assert same(score, again), (user, score, again)


@pytest.mark.parametrize("seed", range(12))
def test_renamed_problems_have_the_same_optimum(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(25):
        instance = middling_instance(draw, 20, 8, 5)
        order = draw.sample(range(8), 8)
        items = [{order[aspect]: strength for aspect, strength in item.items()} for item in instance.items]
        weights = [0.0] * 8
        for aspect, weight in enumerate(instance.weights):
            weights[order[aspect]] = weight
        other = Instance(draw.sample(items, len(items)), weights, instance.alpha, instance.discounts)
        one, two = solved(instance, 5), solved(other, 5)
        assert one.proved
        assert two.proved
        assert close(one.best, two.best), (instance, other)


@checked(60)
@given(worlds(), KINDS, SOME_ALPHAS, WAYS, POOLS)
def test_the_exact_ideal_gains_at_least_the_greedy_one(world: PlainWorld, kind: int, alpha: float, way: Way, pool: Pool | None) -> None:
    built = build(world)
    exact = METRICS[kind](k=(1, 2, 3, 5, -1), alpha=alpha, judged_by=way, pool=pool)
    greedy: asp.UserMetric = replace(exact, **{"ideal": "greedy"})  # type: ignore[arg-type]
    denominators = exact.resolved(built.truth).fractions(built).denominators
    assert (denominators >= greedy.resolved(built.truth).fractions(built).denominators * (1 - 1e-12)).all()
    scores, others = exact.scores(built), greedy.scores(built)
    assert (np.isnan(scores) == np.isnan(others)).all()
    assert not (scores > others * (1 + 1e-12)).any()
    assert (np.diff(denominators, axis=1) >= -1e-12 * denominators[:, 1:]).all()


def hard_world(seed: int, n_users: int = 12, n_items: int = 24, n_aspects: int = 9) -> PlainWorld:
    """Sets of the same size, so that greedy lists are wrong and simple bounds are wide."""
    draw = random.Random(seed)
    items: list[Id] = list(range(n_items))
    users: list[Id] = list(range(n_users))
    aspects: dict[Id, dict[Id, float]] = {item: dict.fromkeys(draw.sample(range(n_aspects), 3), 1.0) for item in items}
    return PlainWorld(
        rankings={user: draw.sample(items, 6) for user in users},
        aspects=aspects,
        relevance={user: dict.fromkeys(draw.sample(items, 10), 1.0) for user in users},
        history={user: set(draw.sample(items, 2)) for user in users},
        subtopics={
            user: {item: dict.fromkeys(draw.sample(range(n_aspects), 3), (1.0, 1.0)) for item in draw.sample(items, 10)} for user in users
        },
    )


def bits(results: asp.Results) -> dict[str, Any]:
    """Everything there is to know, to the last bit."""
    return {
        "numbers": {name: value.hex() for name, value in results.items()},
        "details": {name: dict(results.details[name]) for name in results},
        "scores": {name: [value.hex() for value in column.to_list()] for name, column in by_user(results).items()},
    }


def by_user(results: asp.Results) -> dict[str, Any]:
    frame = results.per_user.sort("user")
    return {name: frame[name] for name in frame.columns if name != "user"}


WAYS_AND_POOLS: list[tuple[Way, Pool | None]] = [
    ("subtopics", None),
    ("subtopics", "list"),
    ("history", None),
    ("history", "unseen"),
    ("relevance", None),
    ("relevance", "unseen"),
    ("membership", None),
    ("membership", "unseen"),
]


@pytest.mark.parametrize(("way", "pool"), WAYS_AND_POOLS)
@pytest.mark.parametrize("budget", [0.0, 1e-4, None])
def test_bits_do_not_depend_on_how_it_is_run(way: Way, pool: Pool | None, budget: float | None) -> None:
    world = hard_world(4)
    metrics = [metric(k=(3, 5), alpha=0.5, judged_by=way, pool=pool, budget=budget) for metric in METRICS]

    def run(**how: Any) -> dict[str, Any]:
        return bits(asp.evaluate(build(world), metrics, **how))

    expected = run(threads=1)
    assert run(threads=1) == expected
    assert run(threads=2) == expected
    assert run(threads=2, batch_size=1) == expected
    assert run(threads=1, batch_size=5) == expected
    once = build(world)
    assert bits(asp.evaluate(once, metrics)) == expected
    assert bits(asp.evaluate(once, metrics)) == expected  # from memory


def test_nothing_is_remembered_for_another_metric() -> None:
    world = hard_world(5)
    weighted = replace(world, weights={aspect: 1.0 + float(aspect) / 4 for aspect in range(9)})  # type: ignore[arg-type]
    metrics = [
        metric(k=(2, 4), alpha=alpha, judged_by=way, pool=pool, budget=budget)
        for way, pool in WAYS_AND_POOLS
        for alpha in (0.5, 0.9)
        for budget in (None, 0.0, 1e-5)
        for metric in METRICS
    ]
    metrics += [
        asp.NRBP(k=(2, 4), alpha=0.5, beta=beta, judged_by=way, normalize="ideal", ideal="exact")
        for beta in (0.2, 1.0)
        for way in ("history", "membership")
    ]
    metrics += [
        asp.ERRIA(k=(2, 4), judged_by=way, intents=intents, normalize="ideal", ideal="exact")
        for intents in ("uniform", "given", "counts")
        for way in ("history", "relevance", "membership")
    ]
    metrics = list(dict.fromkeys(metrics))
    random.Random(6).shuffle(metrics)
    shared = build(weighted)
    for metric in metrics:
        remembered = metric.resolved(shared.truth).fractions(shared)
        own = build(weighted)
        fresh = metric.resolved(own.truth).fractions(own)
        assert remembered.scores.tolist() == fresh.scores.tolist(), metric
        assert remembered.denominators.tolist() == fresh.denominators.tolist(), metric
        assert remembered.upper_denominators is not None
        assert fresh.upper_denominators is not None
        assert remembered.upper_denominators.tolist() == fresh.upper_denominators.tolist(), metric
        assert remembered.proved is not None
        assert fresh.proved is not None
        assert remembered.proved.tolist() == fresh.proved.tolist(), metric


def test_a_system_has_the_same_ideals_alone_and_among_others() -> None:
    world = hard_world(7)
    truth: Any = {"aspects": {item: list(has) for item, has in world.aspects.items()}, "history": world.history}
    systems = {"one": world.rankings, "other": {user: ranked[::-1] for user, ranked in world.rankings.items()}}
    metric = asp.AlphaNDCG(k=(3, 5), ideal="exact", judged_by="history")
    together = asp.evaluate_systems(systems, metric, catalogue=list(world.aspects), **truth)
    for name, lists in systems.items():
        alone = asp.evaluate(lists, metric, catalogue=list(world.aspects), **truth)
        assert bits(together[name]) == bits(alone)


# ---- Certificates in results


def evaluated(world: PlainWorld, budget: float | None, lists: Any = None, **given: Any) -> asp.Results:
    metrics = [metric(k=(2, 5), alpha=0.5, budget=budget, **given) for metric in METRICS]
    built = build(world)
    return asp.evaluate(built if lists is None else built.take(np.array(lists)), metrics)


@pytest.mark.parametrize(("way", "pool"), WAYS_AND_POOLS)
def test_what_is_said_of_open_scores_is_true(way: Way, pool: Pool | None) -> None:
    world = with_lists_from_pools(hard_world(11), way, pool, 3)
    hurried, sure = evaluated(world, 0.0, judged_by=way, pool=pool), evaluated(world, ENOUGH, judged_by=way, pool=pool)
    scores, true = by_user(hurried), by_user(sure)
    n_open = 0
    for (name, value), true_name in zip(hurried.items(), sure, strict=True):
        details, true_details = hurried.details[name], sure.details[true_name]
        least = scores[name + " at least"].to_list()
        assert true_details["open"] == 0
        assert true_details["proved"] == true_details["scored"] == details["scored"] == details["proved"] + details["open"]
        assert bits(sure)["scores"][true_name] == bits(sure)["scores"][true_name + " at least"]
        assert true_details["widest_interval"] == 0.0
        assert true_details["at_least"] == sure[true_name]
        widest = 0.0
        for low, score, exact in zip(least, scores[name].to_list(), true[true_name].to_list(), strict=True):
            assert math.isnan(low) == math.isnan(score) == math.isnan(exact)
            if not math.isnan(score):
                assert low <= score
                assert low * (1 - 1e-12) <= exact <= score * (1 + 1e-12)
                widest = max(widest, score - low)
        assert details["widest_interval"] == widest
        known = [low for low in least if not math.isnan(low)]
        assert details["at_least"] == pytest.approx(math.fsum(known) / len(known), rel=1e-15)
        assert details["at_least"] <= value
        n_open += details["open"]
    assert n_open > 0


def test_what_is_said_of_lists_that_leave_the_pool_is_true() -> None:
    """The list gains more than any of the pool (item 0 was seen), so its score is above 1 for sure."""
    inputs: Any = {"aspects": {0: [1, 0], 1: [0], 2: [0, 1], 3: [1]}, "history": {0: [0]}}
    hurried, sure = (
        asp.evaluate({0: [2, 0]}, asp.AlphaNDCG(k=2, ideal="exact", pool="unseen", budget=budget), **inputs) for budget in (0.0, None)
    )
    (name,), (true_name,) = hurried, sure
    assert sure[true_name] == pytest.approx(1.1362, abs=5e-5)
    assert hurried.details[name]["at_least"] <= sure[true_name] <= hurried[name]


@pytest.mark.parametrize("budget", [0.0, 1e-4, None])
def test_halves_of_users_add_up(budget: float | None) -> None:
    world = hard_world(12)
    whole = evaluated(world, budget, judged_by="subtopics")
    first, second = (
        evaluated(world, budget, [0, 2, 4, 5, 6], judged_by="subtopics"),
        evaluated(world, budget, [1, 3, 7, 8, 9, 10, 11], judged_by="subtopics"),
    )
    for joined in (first + second, second + first):
        assert joined == whole
        for name in whole:
            for key in ("scored", "proved", "open", "at_least", "widest_interval", "undefined", "missing"):
                assert joined.details[name][key] == whole.details[name][key], (name, key)
        assert bits(joined)["scores"] == bits(whole)["scores"]
        assert bits(joined)["numbers"] == bits(whole)["numbers"]
    assert any(whole.details[name]["open"] for name in whole) == (budget is not None)


def test_users_without_list_or_ideal() -> None:
    results = asp.evaluate(
        {"a": ["x"], "nothing": ["x"]},
        "AlphaNDCG(ideal=exact)@2",
        subtopics={"a": {"x": [1], "y": [2]}, "missing": {"x": [1], "y": [2]}, "nothing": {"x": {1: 0}}},
        users="all",
    )
    details = results.details["AlphaNDCG(ideal=exact)@2"]
    assert [details[key] for key in ("scored", "undefined", "missing", "proved", "open")] == [2, 1, 1, 2, 0]
    frame = by_user(results)
    assert frame["AlphaNDCG(ideal=exact)@2"].to_list()[:2] == frame["AlphaNDCG(ideal=exact)@2 at least"].to_list()[:2]


def test_a_greedy_ideal_has_no_certificate() -> None:
    results = asp.evaluate({"q": ["x"]}, "AlphaNDCG@2", subtopics={"q": {"x": [1], "y": [2]}})
    assert not {"proved", "open", "at_least", "widest_interval"} & set(results.details["AlphaNDCG@2"])
    assert results.per_user.columns == ["user", "AlphaNDCG@2"]


def test_the_budget_of_an_evaluation() -> None:
    world = build(hard_world(13))
    without, own = (
        asp.AlphaNDCG(k=5, ideal="exact", judged_by="subtopics"),
        asp.AlphaNDCG(k=5, ideal="exact", judged_by="subtopics", budget=50.0),
    )
    greedy = asp.AlphaNDCG(k=5, judged_by="subtopics")
    results = asp.evaluate(world, [without, own, greedy], ideal_budget=0.0)
    assert results.details[str(without)]["open"] > 0
    assert results.details[str(own)]["open"] == 0
    assert (results.details[str(without)]["budget"], results.details[str(own)]["budget"]) == (0.0, 50.0)
    assert "budget" not in {key for key, value in results.details[str(greedy)].items() if value is not None}
    asked = asp.evaluate(build(hard_world(13)), replace(without, budget=0.0))
    assert by_user(results)[str(without)].to_list() == by_user(asked)[str(replace(without, budget=0.0))].to_list()
    assert asp.evaluate(world, without).details[str(without)]["open"] == 0
    systems = asp.evaluate_systems({"one": world, "two": world}, without, ideal_budget=0.0)
    for name in systems:
        assert systems[name].details[str(without)]["open"] == results.details[str(without)]["open"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: asp.AlphaNDCG(ideal="exact", budget=-1), "budget is -1, expected 0 or more"),
        (lambda: asp.AlphaNDCG(ideal="exact", seconds=-1), "seconds is -1, expected 0 or more"),
        (lambda: asp.AlphaNDCG(ideal="exact", budget=math.inf), "expected a finite number"),
        (lambda: asp.AlphaNDCG(ideal="exact", budget=math.nan), "expected a finite number"),
        (lambda: asp.AlphaNDCG(budget=1), "budget goes with ideal=exact only"),
        (lambda: asp.AlphaNDCG(seconds=1), "seconds goes with ideal=exact only"),
        (lambda: asp.AlphaNDCG(ideal="sorted", budget=1), "budget goes with ideal=exact only"),
        (lambda: asp.AlphaNDCG(ideal="exact", gain="probabilistic"), "ideal goes with gain=linear only"),
        (lambda: asp.ERRIA(ideal="exact"), "ideal goes with normalize=ideal only"),
        (lambda: asp.ERRIA(ideal="exact", normalize="perfect"), "ideal goes with normalize=ideal only"),
        (lambda: asp.ERRIA(normalize="ideal", budget=1), "budget goes with ideal=exact only"),
        (lambda: asp.ERRIA(normalize="ideal", ideal="greedy", budget=1), "budget goes with ideal=exact only"),
        (lambda: asp.NRBP(ideal="exact"), "ideal goes with normalize=ideal only"),
        (lambda: asp.NRBP(normalize="ideal", seconds=1), "seconds goes with ideal=exact only"),
        (lambda: asp.NRBP(normalize="ideal", ideal="exact", budget=-2), "budget is -2, expected 0 or more"),
    ],
)
def test_what_does_not_go_together(make: Callable[[], asp.Metric], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        make()


@pytest.mark.parametrize(
    ("metric", "given", "message"),
    [
        ("AlphaNDCG(ideal=exact)@2", {"ideal_budget": -1}, "ideal_budget is -1, expected a number from 0"),
        ("AlphaNDCG(ideal=exact)@2", {"ideal_seconds": -1}, "ideal_seconds is -1, expected a number from 0"),
        ("AlphaNDCG(ideal=exact)@2", {"ideal_budget": math.inf}, "ideal_budget is inf"),
        ("AlphaNDCG(ideal=exact)@2", {"ideal_budget": math.nan}, "ideal_budget is nan"),
        ("AlphaNDCG@2", {"ideal_budget": 1}, "ideal_budget=1 is for exact ideals, and no metric has one"),
        ("AlphaNDCG@2", {"ideal_seconds": 1}, "ideal_seconds=1 is for exact ideals, and no metric has one"),
        ("Precision@2", {"ideal_budget": 1}, "no metric has one"),
    ],
)
def test_budgets_without_a_meaning(metric: str, given: Any, message: str) -> None:
    inputs: Any = {"subtopics": {"q": {"x": [1], "y": [2]}}, "relevance": {"q": ["x"]}}
    with pytest.raises(asp.MetricError, match=message):
        asp.evaluate({"q": ["x"]}, metric, **inputs, **given)
    with pytest.raises(asp.MetricError, match=message):
        asp.evaluate_systems({"A": {"q": ["x"]}}, metric, **inputs, **given)


@pytest.mark.parametrize(
    "make",
    [
        lambda problem: problem.solve(3, np.ones(2), 0.5, 1.0),
        lambda problem: problem.solve(2, np.array([0.5, 1.0]), 0.5, 1.0),
        lambda problem: problem.solve(2, np.ones(2), 1.5, 1.0),
        lambda problem: problem.solve(2, np.ones(2), -0.5, 1.0),
        lambda problem: problem.solve(2, np.ones(2), math.nan, 1.0),
    ],
)
def test_arguments_of_the_search_are_checked(make: Callable[[kernels.Problem], Any]) -> None:
    with pytest.raises(ValueError, match=r"discounts|alpha"):
        make(problem_of(Instance(full([0], [1], [2]), [1.0] * 3, 0.5, [1.0] * 3)))


@pytest.mark.parametrize("most", [0, 1])
def test_the_machine_may_give_fewer_threads(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = "AlphaNDCG(ideal=exact)@2,5"
    expected = bits(asp.evaluate(build(hard_world(4)), metric, threads=1))
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def start_a_few(thread: threading.Thread) -> None:
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_a_few)
    told: list[int] = []
    assert bits(asp.evaluate(build(hard_world(4)), metric, threads=2, progress=lambda done, _: told.append(done))) == expected
    assert len(started) == most
    assert told == sorted(told)
