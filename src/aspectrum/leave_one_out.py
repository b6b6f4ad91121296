"""Whole-system metrics without one user at a time, in time linear in the places of the lists.

A metric of all lists together has no scores of users. Its value without each of them says how much it would vary with other users:
:func:`contributions` turns these values into one number per user, whose mean is the metric's value and whose variation is that of the
jackknife. The bootstrap does not serve here: a resample of users lacks a third of the items that one user was shown.
"""

from __future__ import annotations

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Floats, Offsets
from aspectrum.states import exact_sums, rounded


def contributions(value: float, without: Floats) -> Floats:
    """One number per user, whose mean is the value: c_u = value + (n - 1) (mean of all `without` - that of u).

    >>> contributions(0.625, np.array([0.625, 0.5, 0.625, 0.5, 0.625])).round(3)
    array([0.425, 0.925, 0.425, 0.925, 0.425])
    """
    n = len(without)
    if n == 0:
        return without
    mean = rounded(exact_sums(without[:, np.newaxis])[0][0]) / n
    return value + (n - 1) * (mean - without)


def coverage_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """Share of the items that are shown, without each user.

    Args:
        counts: How often each item of the catalogue is shown.
        offsets, items: The lists that were counted, cut at their cutoff.
    """
    only_here = _sums(offsets, counts[items] == 1)
    return (np.count_nonzero(counts) - only_here) / len(counts)


def entropy_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """Shannon entropy of what is shown, in bits, without each user; NaN where nothing is left."""
    values = np.arange(int(counts.max(initial=0)) + 1, dtype=np.float64)
    terms = values * np.log2(values, out=np.zeros_like(values), where=values > 0)
    own = counts[items]
    left = counts.sum() - np.diff(offsets)
    change = _sums(offsets, terms[own - 1] - terms[own])
    whole = rounded(exact_sums(terms[counts][:, np.newaxis])[0][0])
    entropy = np.full(len(left), np.nan)
    some = left > 0
    entropy[some] = np.log2(left[some]) - (whole + change[some]) / left[some]
    return entropy


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


def _sums(offsets: Offsets, values: Floats) -> Floats:
    """Of each list, in its order."""
    stops = np.diff(offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(stops.max(initial=0)))
    return kernels.discounted_sums(offsets, np.ascontiguousarray(values, dtype=np.float64), stops, ones)[:, 0]
