"""Statistics of paired differences by their definitions, in plain Python: slow, and without rounding where that is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from scipy import stats


def exact(values: Sequence[float]) -> list[Fraction]:
    return [Fraction(value) for value in values]


def mean(values: Sequence[float]) -> float:
    """The sum, rounded once, over n."""
    return float(sum(exact(values), Fraction(0))) / len(values)


def variance(values: Sequence[float]) -> float:
    """With n - 1."""
    centre = sum(exact(values), Fraction(0)) / len(values)
    return float(sum(((value - centre) ** 2 for value in exact(values)), Fraction(0)) / (len(values) - 1))


def covariance(a: Sequence[float], b: Sequence[float]) -> float:
    centre_a, centre_b = (sum(exact(values), Fraction(0)) / len(values) for values in (a, b))
    products = ((x - centre_a) * (y - centre_b) for x, y in zip(exact(a), exact(b), strict=True))
    return float(sum(products, Fraction(0)) / (len(a) - 1))


def tails(t: float, df: float) -> tuple[float, float]:
    """P(T <= t) and P(T >= t)."""
    return float(stats.t.cdf(t, df)), float(stats.t.sf(t, df))


def t_test(d: Sequence[float]) -> tuple[float, float]:
    """The statistic and its two-sided p."""
    spread = math.sqrt(variance(d) / len(d))
    if spread == 0:
        t = math.copysign(math.inf, mean(d)) if mean(d) else 0.0
        return t, 0.0 if mean(d) else 1.0
    t = mean(d) / spread
    return t, 2 * tails(abs(t), len(d) - 1)[1]


def t_interval(d: Sequence[float], level: float) -> tuple[float, float]:
    half = float(stats.t.ppf((1 + level) / 2, len(d) - 1)) * math.sqrt(variance(d) / len(d))
    return mean(d) - half, mean(d) + half


def flip_p(d: Sequence[int]) -> Fraction:
    """Share of all 2**n sign vectors whose sum is at least as far from 0; whole numbers, so that ties tie."""
    sums = [abs(sum(sign * one for sign, one in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=len(d))]
    return Fraction(sum(one >= abs(sum(d)) for one in sums), len(sums))


def fieller(a: Sequence[float], b: Sequence[float], critical: float) -> tuple[float, float] | None:
    """Roots of the quadratic in the ratio; None where they do not enclose it."""
    n, square = len(a), critical**2
    first = mean(a) ** 2 - square * variance(a) / n
    middle = mean(a) * mean(b) - square * covariance(a, b) / n
    last = mean(b) ** 2 - square * variance(b) / n
    if first <= 0:
        return None
    root = math.sqrt(max(0.0, middle**2 - first * last))
    return (middle - root) / first - 1, (middle + root) / first - 1


def quantile(values: Sequence[float], share: float) -> float:
    """Of type 7: between neighbours in order."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def bca(d: Sequence[int], resamples: Sequence[Sequence[int]], level: float = 0.95) -> tuple[float, float] | None:
    """Of the mean of whole numbers, from resamples of places; None where all resamples lie on one side."""
    sums = [sum(d[place] for place in one) for one in resamples]
    below = sum(one < sum(d) for one in sums) + Fraction(sum(one == sum(d) for one in sums), 2)
    if below in (0, len(sums)):
        return None
    z0 = float(stats.norm.ppf(float(below / len(sums))))
    centre = Fraction(sum(d), len(d))
    squares, cubes = (sum((one - centre) ** power for one in d) for power in (2, 3))
    a = float(cubes) / (6 * float(squares) ** 1.5)
    found = []
    for z in (-float(stats.norm.ppf((1 + level) / 2)), float(stats.norm.ppf((1 + level) / 2))):
        share = float(stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))))
        found.append(quantile([one / len(d) for one in sums], share))
    return found[0], found[1]


def abs_t(d: Sequence[int]) -> float:
    """|t| of whole numbers; 0 where all are 0."""
    n, total, squares = len(d), sum(d), sum(one * one for one in d)
    if squares == 0:
        return 0.0
    rest = n * squares - total * total
    return math.inf if rest == 0 else abs(total) * math.sqrt((n - 1) / rest)


def max_t(columns: Sequence[Sequence[int]]) -> list[float]:
    """Step-down max-T over all sign vectors, which the columns share."""
    n = len(columns[0])
    flipped = [
        [abs_t([sign * one for sign, one in zip(signs, column, strict=True)]) for column in columns] for signs in product((1, -1), repeat=n)
    ]
    found = [abs_t(column) for column in columns]
    raw = [float(flip_p(column)) for column in columns]
    order = sorted(range(len(columns)), key=lambda place: -found[place])
    adjusted, running = [0.0] * len(columns), 0.0
    for step, place in enumerate(order):
        rest = order[step:]
        share = sum(max(row[other] for other in rest) >= found[place] * (1 - 1e-9) for row in flipped) / len(flipped)
        running = max(running, share)
        adjusted[place] = max(running, raw[place])
    return adjusted


def holm(p: Sequence[float]) -> list[float]:
    """The largest of (H - j + 1) p_(j) over all that are not larger."""
    ordered = sorted(p)
    return [max(min(1.0, (len(p) - j) * other) for j, other in enumerate(ordered[: ordered.index(own) + 1])) for own in p]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """The least of H p_(j) / j over all that are not smaller."""
    ordered = sorted(p)
    return [min(min(1.0, len(p) * other / (j + 1)) for j, other in enumerate(ordered) if other >= own) for own in p]


def counts_of(lists: Sequence[Sequence[int]], n_items: int) -> list[int]:
    return [sum(item in one for one in lists) for item in range(n_items)]


def coverage(lists: Sequence[Sequence[int]], n_items: int) -> float:
    return sum(count > 0 for count in counts_of(lists, n_items)) / n_items


def entropy(lists: Sequence[Sequence[int]], n_items: int) -> float:
    counts = counts_of(lists, n_items)
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count) if total else math.nan


def gini_complement(lists: Sequence[Sequence[int]], n_items: int) -> float:
    """One minus the mean difference of all pairs of items over twice the mean, in its unbiased form."""
    counts = counts_of(lists, n_items)
    total = sum(counts)
    if not total or n_items < 2:
        return math.nan
    apart = sum(abs(one - other) for one in counts for other in counts)
    return 1 - apart / (2 * (n_items - 1) * total)


def without_each(metric: Callable[[Sequence[Sequence[int]], int], float], lists: Sequence[Sequence[int]], n_items: int) -> list[float]:
    """A metric of all lists, recomputed without each user."""
    return [metric([*lists[:user], *lists[user + 1 :]], n_items) for user in range(len(lists))]


def contributions(value: float, without: Sequence[float]) -> list[float]:
    n = len(without)
    return [value + (n - 1) * (math.fsum(without) / n - own) for own in without]


def one_sided_p(a: Sequence[float], b: Sequence[float], limit: float, relative: bool) -> tuple[float, float]:
    """P-values of "the difference is below the limit" and "above"."""
    z = [y - (1 + limit) * x if relative else y - x - limit for x, y in zip(a, b, strict=True)]
    below, above = tails(t_test(z)[0], len(z) - 1)
    return below, above


def welch(groups: Sequence[Sequence[float]]) -> float:
    """Welch's F."""
    k = len(groups)
    weights = [len(group) / variance(group) for group in groups]
    total = sum(weights)
    centre = sum(weight * mean(group) for weight, group in zip(weights, groups, strict=True)) / total
    between = sum(weight * (mean(group) - centre) ** 2 for weight, group in zip(weights, groups, strict=True)) / (k - 1)
    lost = sum((1 - weight / total) ** 2 / (len(group) - 1) for weight, group in zip(weights, groups, strict=True))
    return between / (1 + 2 * (k - 2) / (k**2 - 1) * lost)


def quantile_of_t(share: float, df: float) -> float:
    return float(stats.t.ppf(share, df))
