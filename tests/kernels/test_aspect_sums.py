"""Sums over aspects, divergences, logarithms, powers and binomial tails against plain Python."""

import itertools
import math
import random
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

from aspectrum import kernels

OFFSETS, ROWS = np.array([0, 3, 3, 5]), np.array([0, -1, 2, 1, 0], np.int32)
SETS, CODES = np.array([0, 2, 2, 4]), np.array([0, 2, 1, 2], np.int32)
SHARES = np.array([0.25, 0.75, 0.3, 0.7])
STOPS = np.array([[1, 3], [0, 0], [1, 2]], np.int32)


def cells(found: tuple[Any, Any, Any]) -> list[dict[int, float]]:
    offsets, codes, sums = found
    return [
        dict(zip(codes[start:stop].tolist(), sums[start:stop].tolist(), strict=True))
        for start, stop in itertools.pairwise(offsets.tolist())
    ]


@pytest.mark.parametrize("in_order", [True, False])
def test_sums_by_hand(in_order: bool) -> None:
    discounts = np.array([1.0, 0.5, 0.25])
    found = cells(kernels.aspect_sums(OFFSETS, ROWS, STOPS, discounts, SETS, CODES, SHARES, 3, in_order))
    assert found == [
        {0: 0.25, 2: 0.75},
        {0: 0.25, 1: 0.25 * 0.3, 2: 0.75 + 0.25 * 0.7},
        {},
        {},
        {},
        {0: 0.5 * 0.25, 2: 0.5 * 0.75},
    ]
    ones = cells(kernels.aspect_sums(OFFSETS, ROWS, STOPS, np.ones(3), SETS, CODES, None, 3, in_order))
    assert ones[1] == {0: 1.0, 1: 1.0, 2: 2.0}


@pytest.mark.parametrize("in_order", [True, False])
def test_sums_of_many_users_for_any_number_of_threads(in_order: bool) -> None:
    draw = random.Random(1)
    sets = [sorted(draw.sample(range(40), draw.randint(0, 5))) for _ in range(60)]
    shares = [[draw.random() for _ in own] for own in sets]
    lists = [[draw.randrange(-1, 60) for _ in range(draw.randint(0, 9))] for _ in range(1300)]
    discounts = [1 / rank for rank in range(1, 10)]
    expected = []
    for ranked in lists:
        for k in (3, 9):
            terms: dict[int, list[float]] = {}
            for item, discount in zip(ranked[:k], discounts, strict=False):
                for aspect, share in zip(sets[item], shares[item], strict=True) if item >= 0 else ():
                    terms.setdefault(aspect, []).append(discount * share)
            expected.append({aspect: reduce(add, own if in_order else sorted(own)) for aspect, own in sorted(terms.items())})
    arguments: Any = (
        np.cumsum([0, *map(len, lists)]),
        np.array([row for ranked in lists for row in ranked], np.int32),
        np.array([[min(k, len(ranked)) for k in (3, 9)] for ranked in lists], np.int32),
        np.array(discounts),
        np.cumsum([0, *map(len, sets)]),
        np.array([code for own in sets for code in own], np.int32),
        np.array([share for own in shares for share in own]),
        40,
        in_order,
    )
    before = kernels.set_threads(1)
    try:
        for threads in (1, 3):
            kernels.set_threads(threads)
            assert cells(kernels.aspect_sums(*arguments)) == expected
    finally:
        kernels.set_threads(before)


def test_a_discount_that_underflows_shows_nothing() -> None:
    offsets, rows, stops = np.array([0, 2]), np.array([0, 0], np.int32), np.array([[1, 2]], np.int32)
    found = cells(kernels.aspect_sums(offsets, rows, stops, np.zeros(2), SETS, CODES, SHARES, 3, True))
    assert found == [{}, {}]


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": np.array([0, -1, 3, 1, 0], np.int32)},
        {"rows": np.array([0, -2, 2, 1, 0], np.int32)},
        {"stops": STOPS[:2]},
        {"stops": STOPS + 1},
        {"discounts": np.ones(2)},
        {"set_codes": np.array([0, 2, 1, 3], np.int32)},
        {"shares": np.ones(3)},
        {"n_aspects": -1},
    ],
)
def test_arguments_of_sums_are_checked(changes: dict[str, Any]) -> None:
    right: dict[str, Any] = {"offsets": OFFSETS, "rows": ROWS, "stops": STOPS, "discounts": np.ones(3)}
    right |= {"set_offsets": SETS, "set_codes": CODES, "shares": SHARES, "n_aspects": 3, "in_order": True}
    kernels.aspect_sums(**right)
    with pytest.raises(ValueError, match=r"."):
        kernels.aspect_sums(**(right | changes))


def test_nobody() -> None:
    nothing = np.empty(0, np.int32)
    found = kernels.aspect_sums(np.array([0]), nothing, np.empty((0, 2), np.int32), np.empty(0), np.array([0]), nothing, None, 0, True)
    assert [part.tolist() for part in found] == [[0], [], []]


FIRST: dict[str, Any] = {
    "first_offsets": np.array([0, 2, 2]),
    "first_codes": np.array([0, 1], np.int32),
    "first_shares": np.array([0.5, 0.5]),
}
SECOND: dict[str, Any] = {
    "second_offsets": np.array([0, 3]),
    "second_codes": np.array([0, 1, 2], np.int32),
    "second_shares": np.array([1 / 3, 1 / 6, 1 / 2]),
}
PAIRS: dict[str, Any] = {"left": np.array([0, 1], np.int32), "right": np.array([0, 0], np.int32)}
HOW: dict[str, Any] = {"kind": "kl", "alpha": 0.01, "both": False, "base": 2.0}


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"kind": "kl"}, 1.067080),
        ({"kind": "js"}, 0.325011),
        ({"kind": "js_distance"}, math.sqrt(0.325011)),
        ({"kind": "hellinger"}, 0.550524),
        ({"kind": "tv"}, 0.5),
        ({"kind": "js", "base": math.e}, 0.325011 * math.log(2)),
    ],
)
def test_divergences_by_hand(how: dict[str, Any], expected: float) -> None:
    found = kernels.divergences(**FIRST, **SECOND, **PAIRS, **(HOW | how))
    assert found[0] == pytest.approx(expected, abs=1e-6)
    assert math.isnan(found[1])


@pytest.mark.parametrize("kind", ["js", "js_distance"])
def test_distributions_that_are_nearly_equal_are_not_far_apart(kind: str) -> None:
    """Logarithms that cancel would leave 1e-16 of a divergence of 1e-24, whose root is 1e-8."""
    for apart in (0.0, 1e-12, 1e-6, 1e-3, 0.029, 0.031):
        shares = np.array([0.5 + apart / 2, 0.5 - apart / 2])
        second: dict[str, Any] = {
            "second_offsets": np.array([0, 2]),
            "second_codes": np.array([0, 1], np.int32),
            "second_shares": np.array([0.5, 0.5]),
        }
        found = kernels.divergences(**(FIRST | {"first_shares": shares}), **second, **PAIRS, **(HOW | {"kind": kind}))[0]
        half, series = Fraction(1, 2), Fraction(0)
        for p in map(Fraction, shares.tolist()):
            d = (p - half) / (p + half)
            series += (p + half) / 4 * sum((d ** (2 * n) / (n * (2 * n - 1)) for n in range(1, 12)), Fraction(0))
        exact = float(series) / math.log(2)
        assert found == pytest.approx(exact if kind == "js" else math.sqrt(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "changes",
    [
        {"first_shares": np.ones(3)},
        {"first_codes": np.array([1, 0], np.int32)},
        {"left": np.array([0, 2], np.int32)},
        {"right": np.array([0, -1], np.int32)},
        {"right": np.array([0], np.int32)},
        {"kind": "chi"},
        {"alpha": 1.5},
        {"base": 1.0},
    ],
)
def test_arguments_of_divergences_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        kernels.divergences(**({**FIRST, **SECOND, **PAIRS, **HOW} | changes))


def test_logarithms_and_powers() -> None:
    draw = random.Random(3)
    values = np.array([draw.random() * 10 ** draw.randint(-9, 9) for _ in range(9000)])
    for base in (2.0, math.e, 10.0):
        expected = [math.log(value) / math.log(base) for value in values.tolist()]
        assert kernels.logarithms(values, base) == pytest.approx(expected, rel=1e-14, abs=1e-15)
    assert kernels.logarithms(np.array([1.0, 2.0, 8.0, 0.0]), 2.0).tolist() == [0.0, 1.0, 3.0, -math.inf]
    assert kernels.powers(2.0, np.array([0.0, -1.0, 0.5, -math.inf])).tolist() == [1.0, 0.5, math.sqrt(2), 0.0]
    with pytest.raises(ValueError, match="base"):
        kernels.logarithms(values, 1.0)


def tail(p: Fraction, n: int, k: int) -> Fraction:
    def at_least(least: int) -> Fraction:
        return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(least, n + 1)), Fraction(0))

    return at_least(k) / at_least(1)


def test_binomial_tails_are_those_of_fractions() -> None:
    draw = random.Random(4)
    for _ in range(150):
        n = draw.randint(1, 30)
        k = draw.randint(1, n)
        p = draw.choice([0.5, 1 / 3, 1e-9, 1 - 1e-9, draw.random()])
        found = kernels.binomial_tails(np.array([p]), np.array([n]), np.array([k]))[0]
        assert found == pytest.approx(float(tail(Fraction(p), n, k)), rel=1e-12, abs=0), (p, n, k)


def test_binomial_tails_at_the_ends_and_of_many_draws() -> None:
    found = kernels.binomial_tails(np.array([0.0, 0.0, 1.0, 1.0, 0.5]), np.array([3, 3, 3, 3, 1]), np.array([1, 2, 3, 1, 1]))
    assert found.tolist() == [1.0, 0.0, 1.0, 1.0, 1.0]
    many = kernels.binomial_tails(np.array([0.5, 0.4, 0.6]), np.array([20_001] * 3), np.array([10_001, 8000, 12_000]))
    assert many[0] == pytest.approx(0.5, rel=1e-9)
    assert 0.4 < many[1] < 0.6 and 0.4 < many[2] < 0.6
    with pytest.raises(ValueError, match="probability"):
        kernels.binomial_tails(np.array([1.5]), np.array([1]), np.array([1]))
    with pytest.raises(ValueError, match="each"):
        kernels.binomial_tails(np.array([0.5]), np.array([1, 2]), np.array([1]))
