"""How often items were recommended: at all, or in each slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from aspectrum.arrays import Codes, Counts, Flags, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.table import IdTable
from aspectrum.errors import InputError
from aspectrum.states.state import Belonging, Measure, State, added, aligned, codes_within, recoded, scattered


class _OfItems:
    """What is counted of items: those that count are the ones of the catalogue."""

    table: IdTable
    catalogue: Flags | None
    seen: Flags | None

    def _n_counted(self) -> int:
        """How many items are counted, by code; some may not be in the catalogue."""
        raise NotImplementedError

    @cached_property
    def population(self) -> Flags:
        """For each item that is counted, whether it is in the catalogue."""
        return self._flags(self.seen if self.catalogue is None else self.catalogue)

    @cached_property
    def n_population(self) -> int:
        return int(np.count_nonzero(self.population))

    def _flags(self, some: Flags | None) -> Flags:
        """A flag for each item that is counted; None sets them all."""
        n = self._n_counted()
        if some is None:
            return np.ones(n, dtype=np.bool_)
        return some[:n] if len(some) >= n else np.append(some, np.zeros(n - len(some), dtype=np.bool_))

    def places(self, table: IdTable, among: Flags) -> Codes:
        """For each item of a table, its place among some of the items that are counted; -1 for others."""
        places = np.where(among, np.cumsum(among) - 1, -1).astype(np.int32)
        codes = codes_within(table, self.table)
        return np.append(places, np.full(max(0, len(self.table) - len(places)), -1, np.int32))[codes]

    def _joined(self, other: Self, arrays: Sequence[Any]) -> tuple[IdTable, list[Any], Flags | None]:
        """A table that knows the items of both parts, arrays of the other by its codes, and which items were seen.

        Catalogues that differ are refused.
        """
        if (self.catalogue is None) != (other.catalogue is None):
            raise InputError("one part has a given catalogue, the other what was seen: give both the same catalogue")
        table, several = self.table, [*arrays, other.catalogue, other.seen]
        if not table.has_codes_of(other.table):
            table = table.copy()
            several = recoded(several, other.table, table)
        *others, catalogue, seen = several
        if self.catalogue is not None:
            mine, theirs = aligned(self.catalogue, catalogue)
            different = np.flatnonzero(mine != theirs)
            if len(different):
                raise InputError(f"the parts have different catalogues: item {quoted(table.ids[int(different[0])])} is in one of them only")
        return table, others, seen if self.seen is None else self.seen  # said once, at the end


@dataclass(frozen=True, eq=False)
class ItemCounts(_OfItems, State):
    """How often each item was recommended, and what number that makes.

    Args:
        measure: The metric that makes a number of the counts.
        table: The items.
        recommended: How often each was recommended, by code; items that came later are not counted yet.
        catalogue: Items of a catalogue that was given, which must be the same in all parts; None if it is all items seen.
        missing: Users without a list.
        noticed: Whatever else a user should know of.
        seen: Where no catalogue was given, the items that were seen; None means all of the table.
    """

    measure: Measure
    table: IdTable
    recommended: Counts
    catalogue: Flags | None = None
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    seen: Flags | None = None

    def _n_counted(self) -> int:
        return len(self.recommended)

    def __add__(self, other: ItemCounts) -> ItemCounts:
        table, (recommended,), seen = self._joined(other, [other.recommended])
        total = np.add(*aligned(self.recommended, recommended))
        missing, noticed = self.missing + other.missing, added(self.noticed, other.noticed)
        return ItemCounts(self.measure, table, total, self.catalogue, missing, noticed, seen)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, ItemCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        counts = zip(self.table.ids, self.recommended.tolist(), self._flags(self.seen), strict=False)
        return self.catalogue is None, self.missing, self.noticed, {id: count for id, count, is_seen in counts if is_seen}

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        (recommended,) = recoded((self.recommended,), self.table, items)
        return {"recommended": recommended, "missing": self.missing, "noticed": self.noticed}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> ItemCounts:
        recommended = scattered(to.codes, data["recommended"], len(to.items))
        return cls(to.measure, to.items, recommended, to.catalogue, data["missing"], dict(data["noticed"]))

    @cached_property
    def in_catalogue(self) -> Counts:
        """The counts of the items of the catalogue."""
        return self.recommended[self.population]

    @property
    def value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        n, total = len(self.in_catalogue), int(self.in_catalogue.sum())
        return {"recommendations": total, "catalogue_items": n, "missing": self.missing, **self.noticed}


@dataclass(frozen=True, eq=False)
class SlotCounts(_OfItems, State):
    """How often each item was recommended in each slot: at each rank, or in lists of each length.

    Args:
        measure: The metric that makes a number of the counts.
        table: The items.
        n_items: How many of them are counted; as of :class:`ItemCounts`, those that came later are not yet.
        items, slots, times: How often each item was recommended in each slot, where it was.
        lists: How many lists there are of each length, by length; empty ones are not counted.
        catalogue, missing, noticed, seen: As of :class:`ItemCounts`.
    """

    measure: Measure
    table: IdTable
    n_items: int
    items: Codes
    slots: Codes
    times: Counts
    lists: Counts
    catalogue: Flags | None = None
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    seen: Flags | None = None

    def __post_init__(self) -> None:
        """By slot and then by item, each pair once."""
        pairs = self.slots * np.int64(max(self.n_items, 1)) + self.items
        if (np.diff(pairs) > 0).all():
            return
        order = np.argsort(pairs, kind="stable")  # which joins parts that are in order without sorting them
        starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
        items, slots = self.items[order[starts]], self.slots[order[starts]]
        self.__dict__.update(items=items, slots=slots, times=np.add.reduceat(self.times[order], starts))

    def _n_counted(self) -> int:
        return self.n_items

    def __add__(self, other: SlotCounts) -> SlotCounts:
        codes = np.arange(other.n_items, dtype=np.int32)
        table, _, seen = self._joined(other, [])
        if not self.table.has_codes_of(other.table):
            codes = codes_within(other.table, table)
        return SlotCounts(
            self.measure,
            table,
            max(self.n_items, int(codes[: other.n_items].max(initial=-1)) + 1),
            np.concatenate([self.items, codes[other.items]]),
            np.concatenate([self.slots, other.slots]),
            np.concatenate([self.times, other.times]),
            np.add(*aligned(self.lists, other.lists)),
            self.catalogue,
            self.missing + other.missing,
            added(self.noticed, other.noticed),
            seen,
        )

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, SlotCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        ids = self.table.ids.take(self.items)
        times = {(id, slot): n for id, slot, n in zip(ids, self.slots.tolist(), self.times.tolist(), strict=True)}
        lists = {length: n for length, n in enumerate(self.lists.tolist()) if n}
        return self.catalogue is None, self.n_population, self.missing, self.noticed, lists, times

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        codes = codes_within(self.table, items)
        data = {"items": codes[self.items], "slots": self.slots, "times": self.times, "lists": self.lists}
        return {**data, "missing": self.missing, "noticed": self.noticed}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> SlotCounts:
        counted = (to.codes[data["items"]], data["slots"], data["times"], data["lists"])
        return cls(to.measure, to.items, len(to.items), *counted, to.catalogue, data["missing"], dict(data["noticed"]))

    @cached_property
    def in_catalogue(self) -> Counts:
        """How often each item of the catalogue was recommended, in all slots."""
        return np.bincount(self._places, weights=self._times, minlength=self.n_population).astype(np.int64)

    def sums(self, weights: Floats) -> Floats:
        """For each item of the catalogue, how often it was recommended times the weight of the slot; added up by slot, the first one first."""
        found: Floats = np.bincount(self._places, weights=self._times * weights[self._slots], minlength=self.n_population)
        return found

    @cached_property
    def of_catalogue(self) -> tuple[Codes, Codes, Counts]:
        """The places of items among those of the catalogue, slots and times, without items outside; by slot."""
        inside = self.population[self.items]
        places = (np.cumsum(self.population) - 1).astype(np.int32)
        return places[self.items[inside]], self.slots[inside], self.times[inside]

    @property
    def _places(self) -> Codes:
        return self.of_catalogue[0]

    @property
    def _slots(self) -> Codes:
        return self.of_catalogue[1]

    @property
    def _times(self) -> Counts:
        return self.of_catalogue[2]

    @property
    def n_lists(self) -> int:
        """Lists that are not empty."""
        return int(self.lists.sum())

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        return int(np.flatnonzero(self.lists).max(initial=0))

    @property
    def value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        total = int(self._times.sum())
        return {
            "recommendations": total,
            "lists": self.n_lists,
            "catalogue_items": self.n_population,
            "missing": self.missing,
            **self.noticed,
        }
