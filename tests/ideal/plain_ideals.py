"""The best list there is, without any code of the library: by trying all lists, and by an integer program."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tests import plain
from tests.plain import Id, PlainWorld, Pool, Way

Item = Mapping[int, float]
"""Aspects with their strengths."""

DiscountKind = Literal["log", "reciprocal", "geometric"]

ALPHAS = (0.1, 0.3, 0.5, 0.9, 1.0, 0.0)
BETAS = (0.0, 0.2, 0.5, 0.8, 0.99, 1.0)


@dataclass(frozen=True)
class Instance:
    """What a list may be made of, and how it is valued."""

    items: Sequence[Item]
    weights: Sequence[float]
    alpha: float
    discounts: Sequence[float]

    def value(self, items: Sequence[Item]) -> float:
        """Discounted gains of a list, by the definition."""
        left = list(self.weights)
        total = 0.0
        for item, discount in zip(items, self.discounts, strict=False):
            total += discount * sum(left[aspect] * strength for aspect, strength in item.items())
            for aspect, strength in item.items():
                left[aspect] *= 1.0 - self.alpha * strength
        return total


def discounts(kind: DiscountKind, n: int, beta: float = 0.5) -> list[float]:
    """The factors of ranks 1 to n: 1/log2(1+j), 1/j or beta^(j-1)."""
    if kind == "geometric":
        return [beta**place for place in range(n)]
    return [1.0 / math.log2(1 + rank) if kind == "log" else 1.0 / rank for rank in range(1, n + 1)]


# Trying all


def best_by_trying(instance: Instance, deepest: int | None = None) -> list[float]:
    """What the best of all ordered lists of 0, 1, 2, ... different items gains."""
    items = [list(item.items()) for item in instance.items]
    n = len(items) if deepest is None else min(deepest, len(items))
    best = [0.0] * (n + 1)

    def go_on(value: float, left: Sequence[float], taken: tuple[int, ...]) -> None:
        best[len(taken)] = max(best[len(taken)], value)
        if len(taken) == n:
            return
        for place, item in enumerate(items):
            if place in taken:
                continue
            after = list(left)
            gain = 0.0
            for aspect, strength in item:
                gain += after[aspect] * strength
                after[aspect] *= 1.0 - instance.alpha * strength
            go_on(value + instance.discounts[len(taken)] * gain, after, (*taken, place))

    go_on(0.0, instance.weights, ())
    return best


def best_by_subsets(instance: Instance) -> list[float]:
    """The same, where of all orders of the same items only the best goes on; for pools of a few more items."""
    items = [list(item.items()) for item in instance.items]
    n = len(items)
    best = [0.0] * (n + 1)
    values = {frozenset[int](): (0.0, list(instance.weights))}
    for depth in range(n):
        longer: dict[frozenset[int], tuple[float, list[float]]] = {}
        for taken, (value, left) in values.items():
            for place, item in enumerate(items):
                if place in taken:
                    continue
                reached = value + instance.discounts[depth] * sum(left[aspect] * strength for aspect, strength in item)
                known = longer.get(taken | {place})
                if known is None or reached > known[0]:
                    after = list(left)
                    for aspect, strength in item:
                        after[aspect] *= 1.0 - instance.alpha * strength
                    longer[taken | {place}] = reached, after
        values = longer
        best[depth + 1] = max(value for value, _ in values.values())
    return best


def best_list(instance: Instance, k: int) -> Sequence[Item]:
    """The best of all lists of k items, by the definition alone."""
    return max(itertools.permutations(instance.items, min(k, len(instance.items))), key=instance.value)


def greedy_value(instance: Instance, k: int) -> float:
    """What the list gains that takes the largest gain at each rank, the first of equal ones."""
    waiting, left, total = list(instance.items), list(instance.weights), 0.0
    for discount in instance.discounts[: min(k, len(waiting))]:
        gains = [sum(left[aspect] * strength for aspect, strength in item.items()) for item in waiting]
        place = gains.index(max(gains))
        total += discount * gains[place]
        for aspect, strength in waiting.pop(place).items():
            left[aspect] *= 1.0 - instance.alpha * strength
    return total


# Instances


def random_instance(draw: random.Random, most_items: int = 6) -> Instance:
    """A few items with everything that a search may trip over: copies, subsets, supersets, aspects that always come together,
    items without aspects, weights (0 too) and strengths.
    """
    n, m = min(most_items, draw.randint(1, most_items + 2)), draw.randint(1, 7)
    strengths = draw.choice([(1.0,), (1.0,), (1.0, 0.5, 0.25), (0.1, 0.7, 1.0, 0.9), (0.5,), (1.0, 0.001)])
    items: list[dict[int, float]] = []

    def some_aspects(least: int, most: int) -> dict[int, float]:
        return {aspect: draw.choice(strengths) for aspect in draw.sample(range(m), draw.randint(min(least, m), min(most, m)))}

    size, tight = draw.randint(1, 3), draw.choice([1, 3, 20])
    if tight == 20:  # where the greedy list is often wrong
        size, m = draw.choice([2, 3]), draw.randint(4, 7)
    for _ in range(n):
        kind = draw.choice(["any", *["alike"] * tight, "copy", "subset", "superset", "empty"]) if items else "any"
        like = dict(draw.choice(items)) if items else {}
        if kind == "subset":
            like.pop(draw.choice(list(like)), None) if like else None
        elif kind == "superset":
            like.update(some_aspects(1, 1))
        elif kind != "copy":
            like = {} if kind == "empty" and draw.random() < 0.5 else some_aspects(size, size) if kind == "alike" else some_aspects(1, 4)
        items.append(like)
    together = draw.random() < 0.3
    if together:  # an aspect that comes with the first one, always and as strongly
        items = [item | ({m: item[0]} if 0 in item else {}) for item in items]
    n_aspects = m + together
    weights = draw.choice(
        [
            [1.0] * n_aspects,
            [1.0] * n_aspects,
            [float(draw.randint(0, 3)) for _ in range(n_aspects)],
            [3.0 * draw.random() for _ in range(n_aspects)],
        ]
    )
    kind_of_discount: DiscountKind = draw.choice(["log", "reciprocal", "geometric"])
    return Instance(items, weights, draw.choice(ALPHAS), discounts(kind_of_discount, n, draw.choice(BETAS)))


def middling_instance(draw: random.Random, n_sets: int, n_aspects: int, k: int) -> Instance:
    """Different sets of full strength, some of them twice, out of which a list of k is to be made."""
    sizes = draw.choice([(1, 2, 3, 4), (2, 3), (3,), (2,)])
    possible = [several for size in sizes for several in itertools.combinations(range(n_aspects), size)]
    sets = draw.sample(possible, min(n_sets, len(possible)))
    sets += [one for one in sets if draw.random() < 0.1]
    weights = [1.0] * n_aspects if draw.random() < 0.6 else [draw.choice([1.0, 2.0, 0.5, 1.3]) for _ in range(n_aspects)]
    kind: DiscountKind = draw.choice(["log", "log", "reciprocal", "geometric"])
    items = [dict.fromkeys(one, 1.0) for one in sets]
    return Instance(items, weights, draw.choice([0.1, 0.3, 0.5, 0.9, 1.0]), discounts(kind, k, draw.choice([0.5, 0.8, 0.95])))


# An integer program


@dataclass(frozen=True)
class Programmed:
    """What HiGHS says: the value of its list, added up here; no list has more than ``upper``; whether it calls them the same."""

    value: float
    upper: float
    optimal: bool


def best_by_program(instance: Instance, seconds: float) -> Programmed:
    """Items of full strength by HiGHS.

    ``x[d, j]`` puts item d at rank j. ``u[i, c, j]`` says that the showing of aspect i at rank j is the one that counts
    (1-alpha)^c: each c has one rank, and a rank shows an aspect at most as often as its item does. As both discounts and powers
    fall, the best such matching is in the order of ranks, so it gains what the list gains.
    """
    import numpy as np
    from scipy import optimize, sparse

    n, m, k = len(instance.items), len(instance.weights), len(instance.discounts)
    shown_by = [[place for place, item in enumerate(instance.items) if aspect in item] for aspect in range(m)]
    showings = [(i, c, j) for i in range(m) for c in range(min(k, len(shown_by[i]))) for j in range(c, k)]
    n_x, width = n * k, n * k + len(showings)
    gains = np.zeros(width)
    for place, (i, c, j) in enumerate(showings):
        gains[n_x + place] = instance.discounts[j] * instance.weights[i] * (1.0 - instance.alpha) ** c
    rows: dict[tuple[str, int, int], dict[int, float]] = {}
    for d, j in itertools.product(range(n), range(k)):
        rows.setdefault(("item", d, 0), {})[d * k + j] = 1.0
        rows.setdefault(("rank", j, 0), {})[d * k + j] = 1.0
    for place, (i, c, j) in enumerate(showings):
        rows.setdefault(("time", i, c), {})[n_x + place] = 1.0
        rows.setdefault(("shown", i, j), {d * k + j: -1.0 for d in shown_by[i]})[n_x + place] = 1.0
    limits = [0.0 if kind == "shown" else 1.0 for kind, _, _ in rows]
    entries = [(row, column, value) for row, cells in enumerate(rows.values()) for column, value in cells.items()]
    at_row, at_column, values = zip(*entries, strict=True)
    matrix = sparse.csr_matrix((values, (at_row, at_column)), shape=(len(rows), width))
    found = optimize.milp(
        -gains,
        constraints=optimize.LinearConstraint(matrix, -np.inf, np.array(limits)),
        integrality=np.concatenate([np.ones(n_x), np.zeros(len(showings))]),
        bounds=optimize.Bounds(0, 1),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    value = 0.0
    if found.x is not None:
        placed = found.x[:n_x].reshape(n, k)
        value = instance.value([instance.items[int(placed[:, j].argmax())] for j in range(k) if placed[:, j].max() > 0.5])
    upper = math.inf if found.mip_dual_bound is None else -float(found.mip_dual_bound)
    return Programmed(value, upper, found.status == 0)


# Worlds


def ideal_sum(
    world: PlainWorld,
    way: Way,
    user: Id,
    k: int,
    *,
    alpha: float,
    discount: Callable[[int], float],
    pool: Pool | None = None,
    wanted: Mapping[Id, float] | None = None,
    shares: Callable[[Id], Mapping[Id, float]] | None = None,
) -> float:
    """What the best list of a user's pool gains; ``shares`` are the aspects of items where those are not what counts."""
    weights = plain.wanted_aspects(world, way, user) if wanted is None else wanted
    place = {aspect: number for number, aspect in enumerate(weights)}
    counted = [
        plain.counted_aspects(world, way, user, item) if shares is None else shares(item) for item in plain.pool_of(world, way, user, pool)
    ]
    items = [{place[aspect]: strength for aspect, strength in has.items()} for has in counted if has]
    instance = Instance(items, list(weights.values()), alpha, [discount(rank) for rank in range(1, len(items) + 1)])
    best = best_by_subsets(instance)
    return best[-1] if k == -1 else best[min(k, len(items))]
