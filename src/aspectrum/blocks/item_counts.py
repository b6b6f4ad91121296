"""Metrics of a whole system that are made of how often each item is recommended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels, leave_one_out
from aspectrum.arrays import Codes, Counts, Flags, Floats
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError, MetricError
from aspectrum.metric import Metric
from aspectrum.states import ItemCounts, SlotCounts, State
from aspectrum.world import Rankings, Truth, World
from aspectrum.world.world import remembered

Slots = Literal["rank", "length"]
"""What counts of an item are split by: the rank it has, or the length of the list it is in."""


@dataclass(frozen=True)
class ItemCountMetric(Metric):
    """One number of how often each item is recommended in all lists together; there are no scores of users.

    Its parameter ``outside``, if it has one, says what becomes of recommended items that are not in the catalogue.
    """

    abstract: ClassVar[bool] = True

    relative_to: ClassVar[tuple[str, ...]] = ("catalogue", "aspects", "features", "items")

    @property
    def slots(self) -> Slots | None:
        """What the counts are split by; None if the number needs only totals."""
        return None

    def details(self, truth: Truth) -> Mapping[str, Any]:
        if not self.relative_inputs():
            return {}
        return {"catalogue": "all items seen" if truth.catalogue is None else "given"}

    def without(self, state: Any, lists: Rankings, ranks: Codes) -> Floats:
        """The number without each user.

        Args:
            state: That of all users.
            lists: The lists that were counted: of each item, its place among those of the catalogue. Items outside are left out.
            ranks: The rank of each item before others were left out.
        """
        raise NotImplementedError

    def observe(self, world: World) -> list[State]:
        rankings, inside = world.rankings, self.population(world.truth)
        counts = remembered(
            world.covered,
            ("item counts", self.cutoffs),
            lambda: kernels.count_items(rankings.offsets, rankings.items, rankings.stops(self.cutoffs), world.n_items),
        )
        missing, noticed = int((~world.listed).sum()), self._outside(world, counts, inside)
        states: list[State] = []
        for cutoff, row, lost in zip(self.cutoffs, counts, noticed, strict=True):
            metric, table = self.at(cutoff), world.tables.item
            if self.slots is None:
                states.append(ItemCounts(metric, table, row, inside, missing, lost, world.seen_items))
            else:
                slotted = self._slotted(world, cutoff, inside)
                states.append(SlotCounts(metric, table, world.n_items, *slotted, inside, missing, lost, world.seen_items))
        return states

    def _outside(self, world: World, counts: Counts, inside: Flags | None) -> list[dict[str, int]]:
        """How many recommendations are of items outside the catalogue, by cutoff, where there are any; or an error that names one."""
        if inside is None:
            return [{} for _ in self.cutoffs]
        outside = ~_stretched(inside, world.n_items)
        lost = counts[:, outside].sum(axis=1).tolist()
        if any(lost) and self.refuses_outside:
            item = int(np.flatnonzero((counts.sum(axis=0) > 0) & outside)[0])
            raise InputError(f"{type(self).__name__}: item {quoted(world.items[item])} is recommended but not in the catalogue")
        return [{self.outside_is_noticed_as: number} if number else {} for number in lost]

    @property
    def refuses_outside(self) -> bool:
        """Whether a recommended item outside the catalogue is an error."""
        return bool(self.parameters.get("outside") == "error")

    outside_is_noticed_as: ClassVar[str] = "outside_catalogue"

    def _slotted(self, world: World, cutoff: int, inside: Flags | None) -> tuple[Codes, Codes, Counts, Counts]:
        """Items, their slots, how often they have them, and how many lists there are of each length."""
        lists = _cut(world.rankings, cutoff)
        if self.slots == "length" and inside is not None:
            lists = lists.keep(_stretched(inside, world.n_items)[lists.items])
        slots = lists.ranks if self.slots == "rank" else np.repeat(lists.lengths, lists.lengths)
        by_length = np.bincount(lists.lengths[lists.lengths > 0])
        pairs, times = np.unique(slots * world.n_items + lists.items, return_counts=True)
        slots, items = np.divmod(pairs, max(world.n_items, 1))
        return items.astype(np.int32), slots.astype(np.int32), times, by_length

    def contributions(self, world: World, states: Sequence[State]) -> Floats | None:
        found = np.empty((world.n_users, len(self.cutoffs)))
        for place, (cutoff, state) in enumerate(zip(self.cutoffs, states, strict=True)):
            assert isinstance(state, ItemCounts | SlotCounts)
            lists = _cut(world.rankings, cutoff)
            items = state.places(world.tables.item, self.counted(state))[lists.items]
            kept = items >= 0
            chosen = Rankings(lists.keep(kept).offsets, items[kept])
            without = self.at(cutoff).without(state, chosen, lists.ranks[kept].astype(np.int32))
            found[:, place] = leave_one_out.contributions(state.value, without)
        return found

    def counted(self, state: ItemCounts | SlotCounts) -> Flags:
        """Items that the number depends on."""
        return state.population


def _cut(rankings: Rankings, cutoff: int) -> Rankings:
    return rankings if cutoff < 0 else rankings.cut(cutoff)


def _stretched(flags: Flags, n: int) -> Flags:
    return np.append(flags, np.zeros(n - len(flags), dtype=np.bool_))


def check_whole(metric: Metric, **values: float) -> None:
    """Every value a whole number from 0."""
    for name, value in values.items():
        if value < 0 or value != int(value):
            raise MetricError(f"{type(metric).__name__}: {name} is {value:g}, expected a whole number from 0")


def spectrum(counts: Counts) -> list[tuple[int, int]]:
    """Every count above 0 that occurs, and how many items have it.

    >>> spectrum(np.array([2, 0, 1, 2]))
    [(1, 1), (2, 2)]
    """
    found, items = np.unique(counts[counts > 0], return_counts=True)
    return list(zip(found.tolist(), items.tolist(), strict=True))


def list_spectrum(state: SlotCounts) -> list[tuple[int, int, int]]:
    """Lengths of lists, counts of items, and how many recommendations are of items with that count in lists of that length."""
    places, lengths, times = state.of_catalogue
    beyond = int(state.in_catalogue.max(initial=0)) + 1
    pairs, inverse = np.unique(lengths * np.int64(beyond) + state.in_catalogue[places], return_inverse=True)
    numbers = np.bincount(inverse, weights=times, minlength=len(pairs)).astype(np.int64)
    return [(pair // beyond, pair % beyond, number) for pair, number in zip(pairs.tolist(), numbers.tolist(), strict=True)]


def shares_of_lists(state: SlotCounts) -> Floats:
    """For each item of the catalogue, the sum over lists that show it of one over their length."""
    return state.sums(np.append(0.0, 1.0 / np.arange(1, state.longest + 1)))


def longest_or_k(k: Any, state: SlotCounts) -> int:
    """A cutoff; for whole lists, the length of the longest."""
    return k if isinstance(k, int) and k > 0 else state.longest
