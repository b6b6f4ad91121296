"""Whole-system metrics without one user at a time, in time linear in the places of the lists.

A metric of all lists together has no scores of users. Its value without each of them says how much it would vary with other users:
:func:`contributions` turns these values into one number per user, whose mean is the metric's value and whose variation is that of the
jackknife. The bootstrap does not serve here: a resample of users lacks a third of the items that one user was shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Floats, Offsets
from aspectrum.states import exact_sum


def contributions(value: float, without: Floats) -> Floats:
    """One number per user, whose mean is the value: c_u = value + (n - 1) (mean of all `without` - that of u).

    Where the value without some user has no meaning, nobody's contribution is known: all are NaN.

    >>> contributions(0.625, np.array([0.625, 0.5, 0.625, 0.5, 0.625])).round(3)
    array([0.425, 0.925, 0.425, 0.925, 0.425])
    """
    n = len(without)
    if n == 0 or np.isnan(without).any():
        return np.full(n, math.nan)
    mean = exact_sum(without) / n
    return value + (n - 1) * (mean - without)


def shown_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """How many items are shown, without each user.

    Args:
        counts: How often each item of the catalogue is shown.
        offsets, items: The lists that were counted, cut at their cutoff.
    """
    return np.count_nonzero(counts) - shown_by_one(counts, offsets, items)


def shown_by_one(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """How many items only this user is shown."""
    return sums_of_lists(offsets, counts[items] == 1)


def entropy_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """Shannon entropy of what is shown, in bits, without each user; NaN where nothing is left."""
    left = counts.sum() - np.diff(offsets)
    some = left > 0
    entropy = np.full(len(left), np.nan)
    entropy[some] = each(math.log2, left[some]) - _changed_sums(counts, offsets, items, lambda n: n * math.log2(n))[some] / left[some]
    return entropy


def simpson_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """One minus the sum of the squared shares of what is shown, without each user; NaN where nothing is left."""
    left = (counts.sum() - np.diff(offsets)).astype(np.float64)
    return 1 - _over(_changed_sums(counts, offsets, items, lambda n: n * n), left * left)


def effective_without(counts: Counts, offsets: Offsets, items: Codes, q: float) -> Floats:
    """The Hill number of order q of what is shown, without each user; NaN where nothing is left."""
    if q == 1:
        return each(math.exp2, entropy_without(counts, offsets, items))
    left, largest = counts.sum() - np.diff(offsets), int(counts.max(initial=1))
    sums = _changed_sums(counts, offsets, items, lambda n: (n / largest) ** q)  # of numbers up to 1, which no power makes infinite
    some = left > 0
    logs = q * each(lambda n: math.log(largest / n), left[some]) + each(math.log, sums[some])
    found = np.full(len(left), np.nan)
    found[some] = each(math.exp, logs / (1 - q))
    return found


def list_means_without(shares: Floats, counts: Counts, offsets: Offsets, items: Codes, of_count: Callable[[int], float]) -> Floats:
    """Mean over lists of the mean over their items of a function of how often an item is shown, without each user.

    Args:
        shares: For each item, the sum over lists that show it of one over their length.
        counts, offsets, items: As for :func:`shown_without`.
        of_count: The function, for counts above 0.
    """
    lengths = np.diff(offsets)
    own = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
    table = _table(counts, of_count)
    whole = exact_sum(shares * table[counts])
    fewer = np.where(counts[items] > 1, shares[items] - own, 0.0)
    change = sums_of_lists(offsets, fewer * table[counts[items] - 1] - shares[items] * table[counts[items]])
    return _over(whole + change, np.count_nonzero(lengths) - (lengths > 0).astype(np.float64))


def differences_without(exposures: Floats, offsets: Offsets, items: Codes, own: Floats) -> Floats:
    """Sum of the differences of all pairs of items in what they get, without each user.

    Args:
        exposures: What each item gets.
        offsets, items: The lists.
        own: How much of it comes from each place of the lists.
    """
    ascending, n = np.sort(exposures), len(exposures)
    below = np.append(0.0, np.cumsum(ascending))

    def to_all(values: Floats) -> Floats:
        """Sum of the differences to all items."""
        rank = np.searchsorted(ascending, values)
        differences: Floats = values * (2 * rank - n) + below[-1] - 2 * below[rank]
        return differences

    before, after, of_item = exposures[items], exposures[items] - own, to_all(exposures)
    whole = exact_sum((2.0 * np.arange(1, n + 1) - n - 1) * ascending)
    # Pairs within a list are then counted as if only one of the two had changed.
    within = 2 * (_sums_of_differences(offsets, before) + _sums_of_differences(offsets, after))
    within -= _sums_of_differences(2 * offsets, _interleaved(before, after))
    found: Floats = whole + sums_of_lists(offsets, to_all(after) - of_item[items]) + within
    return found


def similarities_without(sums: Floats, offsets: Offsets, items: Codes, own: Floats) -> Floats:
    """Sum over items of the squared sum of what lists give them, less that of each list's own squares, without each user.

    Args:
        sums: What all lists give each item.
        offsets, items: The lists.
        own: What each place gives its item.
    """
    whole = exact_sum(sums * sums) - exact_sum(own * own)
    return whole - 2 * sums_of_lists(offsets, own * (sums[items] - own))


def gini_complement_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """One minus the Gini index of what is shown, without each user; NaN where nothing is left or there are fewer than two items.

    With the counts ascending, an item that is shown once less moves to the first place among its equals.
    """
    n = len(counts)
    if n < 2:
        return np.full(len(offsets) - 1, np.nan)
    ordered = np.sort(counts)
    factors = 2 * np.arange(1, n + 1, dtype=np.int64) - n - 1
    whole = int(np.dot(factors.astype(object), ordered.astype(object)) if n * int(counts.sum()) >= 1 << 62 else np.dot(factors, ordered))
    first = np.searchsorted(ordered, np.arange(int(counts.max(initial=0)) + 1))  # place of the first item with each count
    users = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    own = counts[items]
    order = np.lexsort((own, users))
    users, own = users[order], own[order]
    fresh = np.concatenate(([True], (users[1:] != users[:-1]) | (own[1:] != own[:-1])))[: len(own)]
    starts = np.maximum.accumulate(np.where(fresh, np.arange(len(own)), 0))
    ranks = first[own] + 1 + np.arange(len(own)) - starts
    less = np.bincount(users, weights=2 * ranks - n - 1, minlength=len(offsets) - 1)
    left = counts.sum() - np.diff(offsets)
    values = np.full(len(left), np.nan)
    some = left > 0
    values[some] = 1 - (whole - less[some]) / ((n - 1) * left[some].astype(np.float64))
    return values


def _sums_of_differences(offsets: Offsets, values: Floats) -> Floats:
    """Of all pairs of values of each list."""
    lengths = np.diff(offsets)
    stops, ranks = lengths.astype(np.int32)[:, np.newaxis], np.arange(1.0, int(lengths.max(initial=0)) + 1)
    by_rank = kernels.sorted_sums(offsets, values, stops, stops, ranks)[:, 0]  # the largest is first
    found: Floats = (lengths + 1) * sums_of_lists(offsets, values) - 2 * by_rank
    return found


def _interleaved(some: Floats, others: Floats) -> Floats:
    return np.stack([some, others], axis=1).reshape(-1)


def _changed_sums(counts: Counts, offsets: Offsets, items: Codes, of_count: Callable[[int], float]) -> Floats:
    """Sum over items of a function of how often each is shown, without each user."""
    table, own = _table(counts, of_count), counts[items]
    whole = exact_sum(table[counts])
    return whole + sums_of_lists(offsets, table[own - 1] - table[own])


def _table(counts: Counts, of_count: Callable[[int], float]) -> Floats:
    """A function of counts, by count, for those that occur and those of one less; 0 for 0."""
    table = np.zeros(int(counts.max(initial=0)) + 1)
    found = np.unique(np.concatenate([counts, counts - 1]))
    found = found[found > 0]
    table[found] = [of_count(n) for n in found.tolist()]
    return table


def each(function: Callable[[Any], float], values: Any) -> Floats:
    """A function from Python's math, whose bits do not depend on the CPU, of many values."""
    distinct, inverse = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in distinct.tolist()], dtype=np.float64)[inverse]


def _over(numerators: Floats, denominators: Floats) -> Floats:
    """Fractions; NaN where the denominator is 0."""
    found = np.full(len(numerators), np.nan)
    np.divide(numerators, denominators, out=found, where=denominators != 0)
    return found


def sums_of_lists(offsets: Offsets, values: Floats) -> Floats:
    """Of each list, in its order."""
    stops = np.diff(offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(stops.max(initial=0)))
    return kernels.discounted_sums(offsets, np.ascontiguousarray(values, dtype=np.float64), stops, ones)[:, 0]
