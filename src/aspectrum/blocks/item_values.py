"""Means over lists of a number per item, such as how many users interacted with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.discounts import NONE, Discount, discount_sums
from aspectrum.world import World

Over = Literal["list", "k"]
"""What a short list is divided by: its own length, or the cutoff."""

Average = Literal["users", "links"]
"""Whether every user has the same weight, or every recommendation."""

Counted = Literal["users", "interactions"]
"""What popularity counts: the users who interacted with an item, or all interactions with it."""


def needs_popularity(*others: str, of_users: bool = False) -> tuple[frozenset[str], ...]:
    """Sets of inputs that say how popular items are, each with some others; see :meth:`aspectrum.metric.Metric.needs`.

    `of_users`: whether it matters how many users there are, which a popularity that is given does not say by itself.
    """
    given = ("popularity", "popularity_users") if of_users else ("popularity",)
    return tuple(frozenset({*source, *others}) for source in (("history",), given))


def item_counts(world: World, counted: Counted = "users") -> Counts:
    """How popular each item is, by its code in the truth; the last entry, 0, is for items that only lists name.

    Of a place, ``counts[world.known_items]`` is that of its item.
    """
    popularity = world.truth.item_popularity
    counts = popularity.users if counted == "users" else popularity.times
    return world.remember(("item counts", counted), lambda: np.append(counts, 0))


def by_count(counts: Counts, value: Callable[[int], float]) -> Floats:
    """A value for each count, computed by Python once per distinct count: its bits do not depend on the CPU.

    >>> by_count(np.array([4, 1, 4]), lambda count: count / 4)
    array([1.  , 0.25, 1.  ])
    """
    distinct, places = np.unique(counts, return_inverse=True)
    return np.array([value(count) for count in distinct.tolist()], dtype=np.float64)[places.reshape(counts.shape)]


def value_sums(
    world: World,
    values: Floats,
    cutoffs: Sequence[int],
    over: Over = "list",
    discount: Discount = NONE,
    skipped: Flags | None = None,
) -> tuple[Floats, Floats]:
    """Sums of the values in the top k of each list, and the divisors that make them means, (users, cutoffs).

    Args:
        world: The lists.
        values: The value of each place.
        cutoffs: Ranks that count.
        over: A short list is divided by its length (by the discounts of its ranks), or by the cutoff (by those of k ranks).
        discount: The weight of a rank.
        skipped: Places that are left out of the sums, and of the length of a list.
    """
    rankings = world.rankings
    kept = np.ones(len(values)) if skipped is None else (~skipped).astype(np.float64)
    sums = place_sums(rankings, values if skipped is None else np.where(skipped, 0.0, values), cutoffs, discount)
    if over == "list":
        return sums, place_sums(rankings, kept, cutoffs, discount)
    depths = rankings.depths(cutoffs)
    if discount != NONE:
        distinct, place = np.unique(depths, return_inverse=True)
        return sums, np.where(world.listed[:, np.newaxis], discount_sums(discount, distinct)[place].reshape(depths.shape), 0.0)
    return sums, np.where(world.listed[:, np.newaxis], depths, 0.0)


def places_with(world: World, flags: Flags, cutoffs: Sequence[int], name: str) -> Mapping[str, Counts]:
    """How many places of all lists have something, at each cutoff: what a metric notices."""
    return {name: place_sums(world.rankings, flags.astype(np.float64), cutoffs).sum(axis=0).astype(np.int64)}


def unseen_places(world: World, counts: Counts, cutoffs: Sequence[int]) -> tuple[Flags, Mapping[str, Counts]]:
    """Places of unseen items, which no user interacted with, and how many there are."""
    unseen = counts[world.known_items] == 0
    return unseen, places_with(world, unseen, cutoffs, "places_with_unseen_items")
