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
    def sets(self) -> list[Item]:
        """The distinct sets of items that have some."""
        found: list[Item] = []
        for item in itertools.chain.from_iterable(self.listed):
            if item and item not in found:
                found.append(item)
        return found

    @property
    def rows(self) -> list[Any]:
        sets = self.sets
        return [np.array([sets.index(item) if item else -1 for item in one], dtype=np.int32) for one in self.listed]

    @property
    def cover(self) -> kernels.Cover:
        sets, rows = self.sets, np.concatenate([np.empty(0, np.int32), *self.rows])
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
        return kernels.Cover(self.offsets, rows, ends, codes, self.n_aspects, **more)


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
    limit: dict[str, Any] = {} if work is None else {"work": work}
    found = kernels.extreme_gains(world.cover, world.tied, world.stops, alpha, np.array(discounts), **limit)
    check(found, enumerated(world, discounted_gains(world, alpha, discounts)))
    if work is None:
        assert found[2].all()


@given(
    items=st.lists(st.dictionaries(st.integers(0, 4), st.sampled_from([0.5, 1.0]), min_size=1, max_size=3), min_size=7, max_size=9),
    alpha=st.sampled_from([0.3, 0.5, 1.0]),
    work=st.sampled_from([30, 300, 1000, 3000, 10_000, 10**6]),
)
def test_larger_groups_against_all_subsets(items: list[Item], alpha: float, work: int) -> None:
    """What the items of a subset have gained, in the best of orders; with limits at which all the ways to search end."""
    items = [dict(sorted(item.items())) for item in items]
    world = one_group({}, *items, n_aspects=5)
    discounts = np.array(DISCOUNTS["log2"])
    n = len(items)
    left = np.ones((1 << n, 5))
    for subset in range(1, 1 << n):
        last = subset.bit_length() - 1
        left[subset] = left[subset ^ 1 << last]
        for aspect, strength in items[last].items():
            left[subset, aspect] *= 1.0 - alpha * strength
    strengths = np.array([[item.get(aspect, 0.0) for aspect in range(5)] for item in items])
    gains = left @ strengths.T
    low, high = np.full(1 << n, np.inf), np.zeros(1 << n)
    low[0] = 0.0
    sizes = np.array([subset.bit_count() for subset in range(1 << n)])
    for subset in range(1 << n):
        for item in set(range(n)).difference(place for place in range(n) if subset >> place & 1):
            then, gain = subset | 1 << item, gains[subset, item]
            low[then] = min(low[then], low[subset] + gain * discounts[sizes[subset] + 1])
            high[then] = max(high[then], high[subset] + gain * discounts[sizes[subset]])
    least = np.array([[0.0] + [low[sizes == size].min() for size in range(n + 1)]])
    greatest = np.array([[high[sizes == size].max() for size in range(n + 1)] + [high[-1]]])
    found = kernels.extreme_gains(world.cover, world.tied, world.stops, alpha, discounts, work=work)
    check(found, (least, greatest))
    if work == 10**6:
        assert found[2].all()


def strongest_seen(order: list[Item]) -> list[Item]:
    """The strongest judgment of each aspect within the first 0, 1, 2 ... items."""
    seen: list[Item] = [{}]
    for item in order:
        seen.append(seen[-1] | {aspect: max(strength, seen[-1].get(aspect, 0.0)) for aspect, strength in item.items()})
    return seen


def covered(world: Lists) -> Callable[[int, list[Item]], list[float]]:
    def score(user: int, order: list[Item]) -> list[float]:
        return [sum(world.weight(user, aspect) * one for aspect, one in seen.items()) for seen in strongest_seen(order)]

    return score


def answered(firsts: list[int], weights: list[float]) -> Callable[[int, list[Item]], list[float]]:
    """Questions count with their weakest answer."""
    questions = [
        (weights[first], [one for one, of in enumerate(firsts) if of == first]) for first in sorted(set(firsts)) if weights[first] > 0
    ]

    def score(_: int, order: list[Item]) -> list[float]:
        return [
            sum(weight * min(seen.get(answer, 0.0) for answer in answers) for weight, answers in questions)
            for seen in strongest_seen(order)
        ]

    return score


@given(world=lists(), work=st.sampled_from([None, 0, 5, 20, 100]))
def test_coverage_against_all_orders(world: Lists, work: int | None) -> None:
    limit: dict[str, Any] = {} if work is None else {"work": work}
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
    limit: dict[str, Any] = {} if work is None else {"work": work}
    wanted = Lists(world.groups, None, world.n_aspects, world.masks)
    found = kernels.extreme_coverage(wanted.cover, world.tied, world.stops, *questions, **limit)
    check(found, enumerated(wanted, answered(firsts, weights)))
    if work is None:
        assert found[2].all()


def precisions(world: Lists, totals: list[float]) -> Callable[[int, list[Item]], list[float]]:
    def score(user: int, order: list[Item]) -> list[float]:
        sums, seen = [0.0], [0] * world.n_aspects
        for rank, item in enumerate(order, 1):
            for aspect in item:
                seen[aspect] += 1
            shares = (world.weight(user, aspect) / totals[aspect] * seen[aspect] / rank for aspect in item if totals[aspect] > 0)
            sums.append(sums[-1] + sum(shares))
        return sums

    return score


@given(world=lists(), work=st.sampled_from([None, 0, 10, 40, 200]), data=st.data())
def test_precisions_against_all_orders(world: Lists, work: int | None, data: st.DataObject) -> None:
    totals = [data.draw(st.sampled_from([0.0, 2.0, 5.0])) for _ in range(world.n_aspects)]
    limit: dict[str, Any] = {} if work is None else {"work": work}
    found = kernels.extreme_precisions(world.cover, world.tied, world.stops, totals=np.array(totals), **limit)
    check(found, enumerated(world, precisions(world, totals)))
    if work is None:
        assert found[2].all()
    pools = {"pool_offsets": world.offsets, "pool_rows": np.concatenate([np.empty(0, np.int32), *world.rows])}
    found = kernels.extreme_precisions(world.cover, world.tied, world.stops, **pools, **limit)
    for user, listed in enumerate(world.listed):
        own = [float(sum(aspect in item for item in listed)) for aspect in range(world.n_aspects)]
        alone = enumerated(world, precisions(world, own))
        check(tuple(one[user] for one in found), (alone[0][user], alone[1][user]))


@given(world=lists(), alpha=st.sampled_from(ALPHAS))
def test_lists_without_equal_scores_have_the_plain_sums(world: Lists, alpha: float) -> None:
    """To the bit."""
    untied, discounts = np.zeros_like(world.tied), np.array(DISCOUNTS["log2"])
    gains = kernels.place_gains(world.cover, world.stops, alpha)
    sums = kernels.discounted_sums(world.offsets, gains, world.stops, discounts)
    least, greatest, proved = kernels.extreme_gains(world.cover, untied, world.stops, alpha, discounts, work=0)
    assert least.tolist() == greatest.tolist() == sums.tolist()
    assert proved.all()
    least, greatest, proved = kernels.extreme_coverage(world.cover, untied, world.stops, work=0)
    assert least.tolist() == greatest.tolist() == kernels.covered_aspects(world.cover, world.stops).tolist()
    assert proved.all()
    totals = np.full(world.n_aspects, 7.0)
    least, greatest, proved = kernels.extreme_precisions(world.cover, untied, world.stops, totals=totals, work=0)
    assert least.tolist() == greatest.tolist() == kernels.average_precisions(world.cover, world.stops, totals=totals).tolist()
    assert proved.all()


def bits(found: tuple[Any, Any, Any]) -> list[list[Any]]:
    return [array.tolist() for array in found]


def extremes(world: Lists, **more: Any) -> list[list[list[Any]]]:
    gains = kernels.extreme_gains(world.cover, world.tied, world.stops, 0.3, np.array(DISCOUNTS["log2"]), **more)
    return [bits(gains), bits(kernels.extreme_coverage(world.cover, world.tied, world.stops, **more))]


@given(world=lists(), work=st.sampled_from([0, 30, 300, 10**6]))
def test_a_list_does_not_depend_on_the_others_or_on_other_cutoffs(world: Lists, work: int) -> None:
    together = extremes(world, work=work)
    for user in range(len(world)):
        weights = None if world.weights is None else world.weights[user : user + 1]
        interests = None if world.interests is None else world.interests[user : user + 1]
        alone = Lists(world.groups[user : user + 1], weights, world.n_aspects, world.masks, interests)
        for kind, of_all in zip(extremes(alone, work=work), together, strict=True):
            for one, of_others in zip(kind, of_all, strict=True):
                assert one[0] == of_others[user][: len(one[0])]
    discounts = np.array(DISCOUNTS["log2"])
    for cutoff in range(world.stops.shape[1]):
        stops = np.ascontiguousarray(world.stops[:, cutoff : cutoff + 1])
        gains = bits(kernels.extreme_gains(world.cover, world.tied, stops, 0.3, discounts, work=work))
        coverage = bits(kernels.extreme_coverage(world.cover, world.tied, stops, work=work))
        for kind, of_all in zip([gains, coverage], together, strict=True):
            assert [[row[0] for row in one] for one in kind] == [[row[cutoff] for row in one] for one in of_all]


@given(world=lists(), data=st.data())
def test_the_order_in_which_equal_scores_stand_does_not_matter(world: Lists, data: st.DataObject) -> None:
    turned = tuple(tuple(tuple(data.draw(st.permutations(group))) for group in groups) for groups in world.groups)
    other = Lists(turned, world.weights, world.n_aspects, world.masks, world.interests)
    for work in (10, 100, 10_000):
        assert extremes(world, work=work) == extremes(other, work=work)


def test_threads_do_not_matter() -> None:
    draw = np.random.default_rng(5)
    groups = []
    for _ in range(400):
        sizes = draw.integers(1, 9, size=3)
        groups.append(tuple(tuple({int(a): 1.0 for a in np.flatnonzero(draw.random(6) < 0.3)} for _ in range(size)) for size in sizes))
    world = Lists(tuple(groups), None, 6, masks=True)
    cover, stops = world.cover, np.minimum(np.array([5, 10, 20]), np.diff(world.offsets)[:, np.newaxis]).astype(np.int32)
    before, found = kernels.set_threads(1), []
    try:
        for n in (1, 2, 5):
            kernels.set_threads(n)
            gains = kernels.extreme_gains(cover, world.tied, stops, 0.5, 1.0 / np.arange(1.0, 30.0), work=20_000)
            found.append([bits(gains), bits(kernels.extreme_coverage(cover, world.tied, stops, work=500))])
    finally:
        kernels.set_threads(before)
    assert found[0] == found[1] == found[2]


def one_group(*items: Item, n_aspects: int = 2, masks: bool = False) -> Lists:
    return Lists(((items,),), None, n_aspects, masks)


@pytest.mark.parametrize("masks", [False, True])
def test_two_equal_scores(masks: bool) -> None:
    """a has both aspects, b the first: alpha-DCG@2 is 1.94639 if b comes first, 2.31546 if a does."""
    world = one_group({0: 1.0, 1: 1.0}, {0: 1.0}, masks=masks)
    least, greatest, _ = kernels.extreme_gains(world.cover, world.tied, world.stops, 0.5, np.array(DISCOUNTS["log2"]))
    np.testing.assert_allclose(least, [[0.0, 1.0, 1.9463946303571863]], rtol=1e-15)
    np.testing.assert_allclose(greatest, [[0.0, 2.0, 2.3154648767857287]], rtol=1e-15)
    least, greatest, _ = kernels.extreme_coverage(world.cover, world.tied, world.stops)
    assert (least.tolist(), greatest.tolist()) == ([[0.0, 1.0, 2.0]], [[0.0, 2.0, 2.0]])


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0])
def test_hundreds_of_equal_scores_of_few_kinds_are_exact(alpha: float) -> None:
    """200 items without judgments, 40 with one aspect, 40 with another, 20 with both: by a plain programme over numbers of kinds."""
    n_first, n_second, n_both, n_none = 40, 40, 20, 200
    items: list[Item] = [{}] * n_none + [{0: 1.0}] * n_first + [{1: 1.0}] * n_second + [{0: 1.0, 1: 1.0}] * n_both
    world = one_group(*items, masks=True)
    n_items = len(items)
    discounts = 1.0 / np.log2(np.arange(n_items) + 2.0)
    stops = np.array([[10, 250, n_items]], dtype=np.int32)
    least, greatest, proved = kernels.extreme_gains(world.cover, world.tied, stops, alpha, discounts)
    assert proved.all()

    def plain(sign: int, before: int) -> Any:
        """The best sums of the first so many that have aspects, where so many others stand before them."""
        numbers = np.full((n_first + 1, n_second + 1, n_both + 1), -np.inf)
        numbers[0, 0, 0] = 0.0
        best = np.full(n_items - n_none + 1, -np.inf)
        for a, b, c in np.ndindex(numbers.shape):
            value, placed = numbers[a, b, c], a + b + c
            best[placed] = max(best[placed], value)
            if placed == len(best) - 1:
                break
            discount, left = discounts[before + placed], ((1 - alpha) ** (a + c), (1 - alpha) ** (b + c))
            for at, gain in (((a + 1, b, c), left[0]), ((a, b + 1, c), left[1]), ((a, b, c + 1), sum(left))):
                if at[0] <= n_first and at[1] <= n_second and at[2] <= n_both:
                    numbers[at] = max(numbers[at], value + sign * discount * gain)
        return sign * best

    high, low = plain(1, 0), plain(-1, n_none)
    np.testing.assert_allclose(greatest[0], [high[10], high[100], high[100]], rtol=1e-12)
    np.testing.assert_allclose(least[0], [0.0, low[50], low[100]], rtol=1e-12)
