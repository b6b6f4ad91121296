"""Groups of items, and how much lists show of each.

An item in several groups without shares belongs to all of them equally: one over their number. Given shares are taken as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Flags, Floats, Offsets
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.discounts import NONE, Discount
from aspectrum.world import Relevance, Truth, World
from aspectrum.world.aspects import AspectSets


@dataclass(frozen=True, eq=False)
class GroupSums:
    """What each cell has of each group, sparse: ``codes[offsets[c]:offsets[c + 1]]`` are groups, ascending, each with its sum."""

    offsets: Offsets
    codes: Codes
    sums: Floats
    n_groups: int

    def dense(self, *shape: int) -> Floats:
        """The sums of all groups, those of the cells in an array of some shape and the groups last."""
        found = np.zeros((len(self.offsets) - 1, self.n_groups))
        found[np.repeat(np.arange(len(found)), np.diff(self.offsets)), self.codes] = self.sums
        return found.reshape((*shape, self.n_groups))


@dataclass(frozen=True, eq=False)
class Membership:
    """How much each item belongs to each group.

    Args:
        sets: The groups of each item of the truth.
        shares: How much an item belongs to each of them; None means 1.
    """

    sets: AspectSets
    shares: Floats | None

    @property
    def n_groups(self) -> int:
        return self.sets.n_aspects

    def of_lists(self, world: World, cutoffs: Sequence[int], discount: Discount = NONE, counted: Flags | None = None) -> GroupSums:
        """What the first places of each list show of each group, a cell per (user, cutoff); `counted` places, by default all."""
        rankings, rows = world.rankings, world.known_items
        rows = rows if counted is None else np.where(counted, rows, np.int32(-1))
        return self._sums(rankings.offsets, rows, rankings.stops(cutoffs), discount, in_order=True)

    def of_sets(self, offsets: Offsets, items: Codes) -> GroupSums:
        """What sets of items have of each group, a cell per set; an item of -1 does not count."""
        return self._sums(offsets, items, np.diff(offsets).astype(np.int32)[:, np.newaxis], NONE, in_order=False)

    def of_relevant(self, relevance: Relevance) -> GroupSums:
        """What the relevant items of each user have of each group."""
        return self.of_sets(relevance.offsets, np.where(relevance.relevant, relevance.items, np.int32(-1)))

    def sizes(self) -> Floats:
        """How many items each group has, counted by how much they belong to it."""
        items = np.arange(self.sets.n_rows, dtype=np.int32)
        return self.of_sets(np.array([0, len(items)]), items).dense()

    def places_outside(self, world: World, cutoffs: Sequence[int]) -> Mapping[str, Counts]:
        """How many places of the lists have an item without a group, per cutoff."""
        without = np.append(np.diff(self.sets.offsets) == 0, True)[world.known_items]
        return {"places_without_group": place_sums(world.rankings, without.astype(np.float64), cutoffs).sum(axis=0).astype(np.int64)}

    def _sums(self, offsets: Offsets, rows: Codes, stops: Codes, discount: Discount, *, in_order: bool) -> GroupSums:
        discounts, sets = discount.first(int(stops.max(initial=0))), self.sets
        found = kernels.aspect_sums(offsets, rows, stops, discounts, sets.offsets, sets.codes, self.shares, sets.n_aspects, in_order)
        return GroupSums(*found, sets.n_aspects)


def needs_groups(*others: str) -> tuple[frozenset[str], ...]:
    """Sets of inputs that say which groups items are in, each with some others; see :meth:`aspectrum.metric.Metric.needs`."""
    return tuple(frozenset({source, *others}) for source in ("groups", "aspects"))


def group_details(truth: Truth) -> dict[str, Any]:
    """What the groups are, for the details."""
    catalogue = "given" if truth.catalogue is not None else f"all {truth.n_items} items of the inputs"
    return {"groups": "given" if truth.groups is not None else "aspects", "catalogue": catalogue}


def group_names(truth: Truth) -> tuple[str, ...]:
    sets, ids = truth.item_groups
    return tuple(map(str, ids.slice(0, sets.n_aspects)))


def group_code(truth: Truth, group: Hashable) -> int | None:
    """The code of a group, or None if there is no such group."""
    sets, ids = truth.item_groups
    code = ids.code(group)
    return code if code is not None and code < sets.n_aspects else None


def membership(world: World) -> Membership:
    """How much items belong to groups."""

    def make() -> Membership:
        sets = world.truth.item_groups[0].sets
        return Membership(sets, sets.shares if sets.strengths is None else sets.strengths)

    return world.remember("groups of items", make)


def catalogue_membership(world: World) -> Membership:
    """How much items belong to groups of the catalogue; items outside it belong to none."""
    return world.remember("groups of the catalogue", lambda: within_catalogue(membership(world), world.truth))


def within_catalogue(groups: Membership, truth: Truth) -> Membership:
    """The same groups without items that are outside a given catalogue."""
    if truth.catalogue is None:
        return groups
    sets, sizes = groups.sets, np.diff(groups.sets.offsets)
    kept = np.repeat(truth.catalogue, sizes)
    offsets = np.concatenate(([0], np.cumsum(np.where(truth.catalogue, sizes, 0))))
    return Membership(AspectSets(offsets, sets.codes[kept], sets.n_aspects), None if groups.shares is None else groups.shares[kept])
