"""The head: the most popular items. What is left is the long tail.

Ties in popularity are broken by item id, the smaller id first (numbers by value, text bytewise).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Literal

import numpy as np

from aspectrum.arrays import Counts
from aspectrum.world import Truth

Reach = Literal["at_least", "more"]
"""Whether the head has at least its share of all interactions, or more than it."""


def head_by_items(truth: Truth, share: float) -> Counts:
    """The items of the catalogue with the most users, a share of all, rounded to the nearest number, at least one; most popular first."""
    ordered = _by_popularity(truth, truth.item_popularity.users)
    ordered = ordered if truth.catalogue is None else ordered[truth.catalogue[ordered]]
    return ordered[: max(1, floor(_as_written(share) * len(ordered) + Fraction(1, 2)))]


def head_by_interactions(truth: Truth, share: float, reach: Reach = "at_least") -> Counts:
    """The most popular items that together have a share of all interactions, including the one that reaches it; most popular first."""
    counts = truth.item_popularity.times
    ordered = _by_popularity(truth, counts)
    ordered = ordered[counts[ordered] > 0]
    held = _as_written(share) * int(counts.sum())
    needed = ceil(held) if reach == "at_least" else floor(held) + 1
    return ordered[: int(np.searchsorted(np.cumsum(counts[ordered]), needed)) + 1]


def _by_popularity(truth: Truth, counts: Counts) -> Counts:
    return np.lexsort((truth.items.heads, -counts))


def _as_written(share: float) -> Fraction:
    """0.8 as a person means it, not the nearest binary number."""
    return Fraction(repr(share))
