"""Least and greatest scores over all orders of equal scores, against all these orders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aspectrum import kernels

Item = dict[int, float]
"""The aspects of an item, with strengths; empty for an item without judgments."""

ALPHAS = (0.0, 0.3, 0.5, 1.0)
DISCOUNTS = {
    "log2": [1.0 / math.log2(j + 2) for j in range(12)],
    "reciprocal": [1.0 / (j + 1) for j in range(12)],
    "geometric": [0.5**j for j in range(12)],
    "none": [1.0] * 12,
}


@dataclass(frozen=True)
class Lists:
    """Lists of items, cut into groups of equal scores, with what aspects weigh; masks where nothing else is asked for."""

    groups: tuple[tuple[tuple[Item, ...], ...], ...]
    weights: tuple[tuple[float, ...], ...] | None
    n_aspects: int
    masks: bool
    interests: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.groups)

    def weight(self, user: int, aspect: int) -> float:
        if self.interests is not None:
            return float(self.interests[user] >> aspect & 1)
        return 1.0 if self.weights is None else self.weights[user][aspect]

    def orders(self, user: int) -> Iterator[list[Item]]:
        for parts in itertools.product(*(itertools.permutations(group) for group in self.groups[user])):
            yield [item for part in parts for item in part]

    @property
    def listed(self) -> list[list[Item]]:
        return [[item for group in groups for item in group] for groups in self.groups]

    @property
    def offsets(self) -> Any:
        return np.cumsum([0, *map(len, self.listed)])

    @property
    def tied(self) -> Any:
        flags = [place > 0 for groups in self.groups for group in groups for place in range(len(group))]
        return np.array(flags, dtype=np.uint8)

    @property
    def stops(self) -> Any:
        """Every cutoff of every list."""
        deepest = max(map(len, self.listed), default=0)
        return np.array([[min(k, len(one)) for k in range(deepest + 1)] for one in self.listed], dtype=np.int32)

    @property
    def cover(self) -> kernels.Cover:
        items = [item for one in self.listed for item in one]
        rows, sets = [], []
        for item in items:
            if item and item not in sets:
                sets.append(item)
            rows.append(sets.index(item) if item else -1)
        codes = np.array([aspect for one in sets for aspect in one], dtype=np.int32)
        more: dict[str, Any] = {}
        if self.masks:
            more["masks"] = np.array([sum(1 << aspect for aspect in one) for one in sets], dtype=np.uint64)
        else:
            more["strengths"] = np.array([strength for one in sets for strength in one.values()])
        if self.interests is not None:
            more["interests"] = np.array(self.interests, dtype=np.uint64)
        if self.weights is not None:
            more["wanted_offsets"] = np.arange(len(self) + 1) * self.n_aspects
            more["wanted_codes"] = np.tile(np.arange(self.n_aspects, dtype=np.int32), len(self))
            more["wanted_weights"] = np.array(self.weights).ravel()
        ends = np.cumsum([0, *map(len, sets)])
        return kernels.Cover(self.offsets, np.array(rows, dtype=np.int32), ends, codes, self.n_aspects, **more)


@st.composite
def lists(draw: st.DrawFn) -> Lists:
    kind = draw(st.sampled_from(["masks", "interests", "strengths", "weights"]))
    first = draw(st.sampled_from([0, 70])) if kind in ("strengths", "weights") else 0
    n_own = draw(st.integers(1, 4))
    strengths = st.sampled_from([0.0, 0.25, 0.5, 1.0]) if kind in ("strengths", "weights") else st.just(1.0)
    item = st.dictionaries(st.integers(first, first + n_own - 1), strengths, max_size=n_own).map(lambda one: dict(sorted(one.items())))
    few = draw(st.lists(item, min_size=1, max_size=4))
    tied = st.one_of(st.sampled_from(few), item)
    users = []
    for sizes in draw(
        st.lists(st.sampled_from([(), (1,), (5,), (2, 4), (4, 1), (3, 2), (1, 1, 3), (2, 1, 2), (1, 5, 1), (6,)]), min_size=1, max_size=3)
    ):
        users.append(tuple(tuple(draw(st.lists(tied, min_size=size, max_size=size))) for size in sizes))
    n_aspects = first + n_own
    weight = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    weights = interests = None
    if kind == "weights":
        weights = tuple(tuple(draw(st.lists(weight, min_size=n_aspects, max_size=n_aspects))) for _ in users)
    if kind == "interests":
        interests = tuple(draw(st.integers(0, 2**n_aspects - 1)) for _ in users)
    return Lists(tuple(users), weights, n_aspects, kind in ("masks", "interests"), interests)


def enumerated(world: Lists, score: Callable[[int, list[Item]], list[float]]) -> tuple[Any, Any]:
    """Least and greatest score of each user at each stop, where a score goes with every length of the list."""
    least, greatest = np.zeros(world.stops.shape), np.zeros(world.stops.shape)
    for user in range(len(world)):
        scores = np.array([score(user, order) for order in world.orders(user)])
        least[user] = scores.min(axis=0)[world.stops[user]]
        greatest[user] = scores.max(axis=0)[world.stops[user]]
    return least, greatest


def discounted_gains(world: Lists, alpha: float, discounts: list[float]) -> Callable[[int, list[Item]], list[float]]:
    def score(user: int, order: list[Item]) -> list[float]:
        left = [world.weight(user, aspect) for aspect in range(world.n_aspects)]
        sums = [0.0]
        for item, discount in zip(order, discounts, strict=False):
            sums.append(sums[-1] + discount * sum(left[aspect] * strength for aspect, strength in item.items()))
            for aspect, strength in item.items():
                left[aspect] *= 1.0 - alpha * strength
        return sums

    return score


def check(found: tuple[Any, Any, Any], expected: tuple[Any, Any]) -> None:
    """To 1e-12 where proved; elsewhere bounds."""
    least, greatest, proved = found
    sure = proved == 1
    np.testing.assert_allclose(least[sure], expected[0][sure], rtol=0, atol=1e-12)
    np.testing.assert_allclose(greatest[sure], expected[1][sure], rtol=0, atol=1e-12)
    assert (least <= expected[0] + 1e-12).all()
    assert (greatest >= expected[1] - 1e-12).all()


@given(
    world=lists(), alpha=st.sampled_from(ALPHAS), discount=st.sampled_from(sorted(DISCOUNTS)), work=st.sampled_from([None, 0, 10, 40, 200])
)
def test_gains_against_all_orders(world: Lists, alpha: float, discount: str, work: int | None) -> None:
    discounts = DISCOUNTS[discount] + [DISCOUNTS[discount][-1]] * 3
    limit = {} if work is None else {"work": work}
    found = kernels.extreme_gains(world.cover, world.tied, world.stops, alpha, np.array(discounts), **limit)
    check(found, enumerated(world, discounted_gains(world, alpha, discounts)))
    if work is None:
        assert found[2].all()


def covered(world: Lists) -> Callable[[int, list[Item]], list[float]]:
    def score(user: int, order: list[Item]) -> list[float]:
        def reached(k: int) -> float:
            strongest = (max((item.get(aspect, 0.0) for item in order[:k]), default=0.0) for aspect in range(world.n_aspects))
            return sum(world.weight(user, aspect) * strength for aspect, strength in enumerate(strongest))

        return [reached(k) for k in range(len(order) + 1)]

    return score


def answered(world: Lists, firsts: list[int], weights: list[float]) -> Callable[[int, list[Item]], list[float]]:
    """Questions count with their weakest answer."""

    def score(user: int, order: list[Item]) -> list[float]:
        def reached(k: int) -> float:
            strongest = [max((item.get(aspect, 0.0) for item in order[:k]), default=0.0) for aspect in range(world.n_aspects)]
            return sum(
                weights[first] * min(one for one, of in zip(strongest, firsts, strict=True) if of == first) for first in sorted(set(firsts))
            )

        return [reached(k) for k in range(len(order) + 1)]

    return score


@given(world=lists(), work=st.sampled_from([None, 0, 5, 20, 100]))
def test_coverage_against_all_orders(world: Lists, work: int | None) -> None:
    limit = {} if work is None else {"work": work}
    found = kernels.extreme_coverage(world.cover, world.tied, world.stops, **limit)
    check(found, enumerated(world, covered(world)))
    if work is None:
        assert found[2].all()


@given(world=lists(), work=st.sampled_from([None, 0, 5, 20, 100]), data=st.data())
def test_questions_against_all_orders(world: Lists, work: int | None, data: st.DataObject) -> None:
    firsts = list(range(world.n_aspects))
    for aspect in range(1, world.n_aspects):
        firsts[aspect] = data.draw(st.sampled_from(sorted({*firsts[:aspect], aspect}))) if aspect % 70 else aspect
    weights = [data.draw(st.sampled_from([0.0, 1.0, 2.5])) if first == aspect else 0.0 for aspect, first in enumerate(firsts)]
    offsets = np.arange(len(world) + 1) * world.n_aspects
    questions = (offsets, np.array(firsts * len(world), dtype=np.int32), np.array(weights * len(world)))
    limit = {} if work is None else {"work": work}
    wanted = Lists(world.groups, None, world.n_aspects, world.masks)
    found = kernels.extreme_coverage(wanted.cover, world.tied, world.stops, *questions, **limit)
    check(found, enumerated(wanted, answered(wanted, firsts, weights)))
    if work is None:
        assert found[2].all()
