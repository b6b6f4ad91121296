"""What a metric remembers of some users. States add, and the order of adding cannot show.

The law: ``observe(a and b) == observe(a) + observe(b)``, to the bit. Sums are kept as exact integers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import add
from typing import Any, Protocol, Self

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Flags, Floats, Masks, Offsets, choose_segments
from aspectrum.coding.ids import quoted
from aspectrum.coding.table import IdTable, SomeIds
from aspectrum.divergences import Distributions
from aspectrum.errors import InputError

_UNIT = 1 << 1074


def exact_sums(values: Floats) -> tuple[list[int], list[int]]:
    """The sum of each column without rounding, in units of 2**-1074, and how many NaNs it leaves out.

    >>> sums, undefined = exact_sums(np.array([[1e100], [1.0], [-1e100]]))
    >>> rounded(sums[0])
    1.0
    """
    limbs, undefined = kernels.exact_sums(np.ascontiguousarray(values, dtype=np.float64))
    return [sum(limb << (32 * place) for place, limb in enumerate(column)) for column in limbs.tolist()], undefined.tolist()


def rounded(units: int) -> float:
    """An exact sum, rounded once (as :func:`math.fsum`)."""
    return units / _UNIT


def exact_sum(values: Floats) -> float:
    """The sum of all values, rounded once: the same bits in any order."""
    return rounded(exact_sums(values[:, np.newaxis])[0][0])


class Measure(Protocol):
    """What number a state makes: the metric whose state it is, at one cutoff."""

    def value_of(self, state: Any) -> float:
        """The number; NaN if it has no meaning."""

    def parts_of(self, state: Any) -> Mapping[str, float]:
        """Numbers that it is made of, by name."""


@dataclass(frozen=True, eq=False)
class Belonging:
    """What a state from a file belongs to.

    Args:
        measure: The metric whose state it is, at its cutoff.
        items: The items of the plan.
        codes: Which of them each code of the file is.
        catalogue: Items of a catalogue that was given.
        truth: The truth of the plan.
    """

    measure: Measure
    items: IdTable
    codes: Codes
    catalogue: Flags | None
    truth: Any = None


class State(Protocol):
    """What a metric remembers of some users at one cutoff."""

    def __add__(self, other: Self) -> Self: ...

    @property
    def value(self) -> float:
        """The number; NaN if it has no meaning."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many users were scored, undefined, missing, and whatever else the metric noticed."""

    @property
    def limits(self) -> Mapping[str, float]:
        """What the number is at least, and the widest interval of a user's score, if not every score is known for sure."""
        return {}

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        """As plain data and arrays, for a file; items by their codes in `items`."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> Self:
        """From such data."""


@dataclass(frozen=True)
class Mean(State):
    """Average over users: correctly rounded sum over count; with ``weights``, over the sum of the users' weights.

    Sums are exact, in units of 2**-1074. ``missing`` users have no list; they were scored 0, or are undefined where less is better. Where scores
    may not be known for sure, ``least`` is the sum of their lower ends, ``open`` how many are not, ``widest`` the widest interval.
    Where scores depend on facts about all users, ``built_on`` is a digest of these, which parts must share.
    """

    total: int = 0
    weights: int | None = None
    scored: int = 0
    undefined: int = 0
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    least: int | None = None
    open: int = 0
    widest: float = 0.0
    built_on: str | None = None

    def __add__(self, other: Mean) -> Mean:
        _check_built_on(self.built_on, other.built_on)
        if (self.weights is None) != (other.weights is None):
            raise InputError("a mean over users and a mean over weights cannot be added")
        least = [part.least for part in (self, other) if part.least is not None]
        return Mean(
            self.total + other.total,
            None if self.weights is None or other.weights is None else self.weights + other.weights,
            self.scored + other.scored,
            self.undefined + other.undefined,
            self.missing + other.missing,
            _added(self.noticed, other.noticed),
            sum(least) if least else None,
            self.open + other.open,
            max(self.widest, other.widest),
            self.built_on,
        )

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        return {
            "total": hex(self.total),
            "weights": None if self.weights is None else hex(self.weights),
            "users": [self.scored, self.undefined, self.missing],
            "noticed": self.noticed,
            "certainty": None if self.least is None else [hex(self.least), self.open, self.widest],
            "built_on": self.built_on,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> Mean:
        scored, undefined, missing = data["users"]
        least, open, widest = data["certainty"] or (None, 0, 0.0)
        weights, least = (text and int(text, 16) for text in (data["weights"], least))
        noticed, built_on = dict(data["noticed"]), data["built_on"]
        return cls(int(data["total"], 16), weights, scored, undefined, missing, noticed, least, open, widest, built_on)

    @property
    def value(self) -> float:
        divisor = self.scored if self.weights is None else rounded(self.weights)
        return rounded(self.total) / divisor if divisor else math.nan

    @property
    def counts(self) -> Mapping[str, int]:
        sure = {} if self.least is None else {"proved": self.scored - self.open, "open": self.open}
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, **sure, **self.noticed}

    @property
    def limits(self) -> Mapping[str, float]:
        if self.least is None or not self.scored:
            return {}
        return {"at_least": rounded(self.least) / self.scored, "widest_interval": self.widest}


@dataclass(frozen=True)
class Totals(State):
    """Sums over users, from which a metric makes one number of all of them.

    Args:
        measure: The metric.
        sums: Exact sums, in units of 2**-1074.
        scored, undefined, missing: Users who are in the sums, who are left out, and who have no list.
        noticed: Whatever else a user should know of.
        built_on: As of a mean.
        labels: The groups that the sums are of, where there are some; parts must share them.
    """

    measure: Measure
    sums: tuple[int, ...]
    scored: int = 0
    undefined: int = 0
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    built_on: str | None = None
    labels: tuple[str, ...] = ()

    def __add__(self, other: Totals) -> Totals:
        _check_built_on(self.built_on, other.built_on)
        if self.labels != other.labels:
            raise InputError("the parts have sums of different groups; give all of them the same truth")
        return Totals(
            self.measure,
            tuple(map(add, self.sums, other.sums)),
            self.scored + other.scored,
            self.undefined + other.undefined,
            self.missing + other.missing,
            _added(self.noticed, other.noticed),
            self.built_on,
            self.labels,
        )

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        sums, users = list(map(hex, self.sums)), [self.scored, self.undefined, self.missing]
        return {"sums": sums, "users": users, "noticed": self.noticed, "built_on": self.built_on, "labels": list(self.labels)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> Totals:
        sums = tuple(int(text, 16) for text in data["sums"])
        scored, undefined, missing = data["users"]
        return cls(to.measure, sums, scored, undefined, missing, dict(data["noticed"]), data["built_on"], tuple(data["labels"]))

    @cached_property
    def rounded(self) -> Floats:
        """The sums, each rounded once."""
        return np.array([rounded(units) for units in self.sums])

    @property
    def value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, **self.noticed}

    @property
    def limits(self) -> Mapping[str, float]:
        return self.measure.parts_of(self)


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
        codes = SomeIds(table, np.arange(len(table), dtype=np.int32)).within(self.table)
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
            several = _recoded(several, other.table, table)
        *recoded, catalogue, seen = several
        if self.catalogue is not None:
            mine, theirs = _aligned(self.catalogue, catalogue)
            different = np.flatnonzero(mine != theirs)
            if len(different):
                raise InputError(f"the parts have different catalogues: item {quoted(table.ids[int(different[0])])} is in one of them only")
        return table, recoded, seen if self.seen is None else self.seen  # said once, at the end


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
        total = np.add(*_aligned(self.recommended, recommended))
        missing, noticed = self.missing + other.missing, _added(self.noticed, other.noticed)
        return ItemCounts(self.measure, table, total, self.catalogue, missing, noticed, seen)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, ItemCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        counts = zip(self.table.ids, self.recommended.tolist(), self._flags(self.seen), strict=False)
        return self.catalogue is None, self.missing, self.noticed, {id: count for id, count, is_seen in counts if is_seen}

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        (recommended,) = _recoded((self.recommended,), self.table, items)
        return {"recommended": recommended, "missing": self.missing, "noticed": self.noticed}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> ItemCounts:
        recommended = _scattered(to.codes, data["recommended"], len(to.items))
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
            codes = SomeIds(other.table, np.arange(len(other.table), dtype=np.int32)).within(table)
        return SlotCounts(
            self.measure,
            table,
            max(self.n_items, int(codes[: other.n_items].max(initial=-1)) + 1),
            np.concatenate([self.items, codes[other.items]]),
            np.concatenate([self.slots, other.slots]),
            np.concatenate([self.times, other.times]),
            np.add(*_aligned(self.lists, other.lists)),
            self.catalogue,
            self.missing + other.missing,
            _added(self.noticed, other.noticed),
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
        codes = SomeIds(self.table, np.arange(len(self.table), dtype=np.int32)).within(items)
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


@dataclass(frozen=True, eq=False)
class SampledLists(State):
    """The lists of some users: those whose ids have the smallest hashes, so that parts agree on who they are.

    Args:
        measure: The metric that makes a number of the lists.
        table: The items.
        most: How many lists are kept at most.
        hashes: A hash of the user of each list.
        offsets, items: The lists, none of them empty.
        n_lists: How many lists there were that are not empty.
        missing: Users without a list.
    """

    measure: Measure
    table: IdTable
    most: int
    hashes: Counts
    offsets: Offsets
    items: Codes
    n_lists: int
    missing: int = 0

    def __post_init__(self) -> None:
        kept = np.argsort(self.hashes, kind="stable")[: self.most]
        offsets, index = choose_segments(self.offsets, kept)
        self.__dict__.update(hashes=self.hashes[kept], offsets=offsets, items=self.items[index])

    def __add__(self, other: SampledLists) -> SampledLists:
        table, items = self.table, other.items
        if not table.has_codes_of(other.table):
            table = table.copy()
            items = SomeIds(other.table, np.arange(len(other.table), dtype=np.int32)).within(table)[items]
        return SampledLists(
            self.measure,
            table,
            self.most,
            np.concatenate([self.hashes, other.hashes]),
            np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            np.concatenate([self.items, items]),
            self.n_lists + other.n_lists,
            self.missing + other.missing,
        )

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, SampledLists) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        ids = list(self.table.ids.take(self.items))
        lists = [frozenset(ids[start:stop]) for start, stop in pairwise(self.offsets.tolist())]
        return self.most, self.n_lists, self.missing, dict(zip(self.hashes.tolist(), lists, strict=True))

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        codes = SomeIds(self.table, np.arange(len(self.table), dtype=np.int32)).within(items)
        lists = {"hashes": self.hashes, "offsets": self.offsets, "items": codes[self.items]}
        return {**lists, "most": self.most, "n_lists": self.n_lists, "missing": self.missing}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> SampledLists:
        lists = (data["hashes"], data["offsets"], to.codes[data["items"]])
        return cls(to.measure, to.items, data["most"], *lists, data["n_lists"], data["missing"])

    @cached_property
    def value(self) -> float:  # of many pairs, which are looked at once
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"lists": self.n_lists, "lists_compared": len(self.hashes), "missing": self.missing}


SAMPLED = 2000
"""Users whose lists are compared with one another, at most."""


@dataclass(frozen=True, eq=False)
class SampledShares(State):
    """Distributions of users' lists to compare with one another: all of them or, of many users, those with the least hashes.

    The users with the least hashes of two parts are among those with the least of each, so that samples add up.

    Args:
        measure: The metric that makes a number of them.
        keys: Hashes of the users' ids, ascending.
        lists: A distribution over aspects for each; aspects are codes of the truth, which parts share.
        scored, undefined, missing: Users with a distribution, in the sample or not; those without; those who have no list.
        built_on: As of a mean.
    """

    measure: Measure
    keys: Masks
    lists: Distributions
    scored: int = 0
    undefined: int = 0
    missing: int = 0
    built_on: str | None = None

    @classmethod
    def of(
        cls, measure: Measure, users: Iterable[Any], lists: Distributions, undefined: int, missing: int, built_on: str | None
    ) -> SampledShares:
        """From the ids of users and a distribution for each."""
        keys = hashes(users)
        return cls(measure, *_least(keys, lists), len(keys), undefined, missing, built_on)

    def __add__(self, other: SampledShares) -> SampledShares:
        _check_built_on(self.built_on, other.built_on)
        users = (self.scored + other.scored, self.undefined + other.undefined, self.missing + other.missing)
        return SampledShares(self.measure, *_least(np.append(self.keys, other.keys), self.lists + other.lists), *users, self.built_on)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, SampledShares) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        lists = self.lists
        arrays = tuple(array.tolist() for array in (self.keys, lists.offsets, lists.codes, lists.shares))
        return (*arrays, self.scored, self.undefined, self.missing, self.built_on)

    def places(self, users: Iterable[Any]) -> Offsets:
        """Where in the sample each of some users is; -1 for others."""
        keys = hashes(users)
        at = np.searchsorted(self.keys, keys)
        return np.where(np.append(self.keys, np.uint64(0))[at] == keys, np.where(at < len(self.keys), at, -1), -1)

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        lists = self.lists
        arrays = {"offsets": lists.offsets, "codes": lists.codes, "shares": lists.shares}
        users = [self.scored, self.undefined, self.missing]
        return {"keys": self.keys.view(np.int64), **arrays, "users": users, "built_on": self.built_on}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> SampledShares:
        lists = Distributions(data["offsets"], data["codes"], data["shares"])
        scored, undefined, missing = data["users"]
        keys = np.ascontiguousarray(data["keys"]).view(np.uint64)
        return cls(to.measure, keys, lists, scored, undefined, missing, data["built_on"])

    @property
    def value(self) -> float:
        return self._value

    @cached_property
    def _value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, "sampled": len(self.keys)}


def hashes(users: Iterable[Any]) -> Masks:
    """A number for each id, the same in every process; from its text, as text files do not tell 7 from '7' until all of them are read."""
    digests = (hashlib.blake2b(str(user).encode("utf-8", "surrogatepass"), digest_size=8).digest() for user in users)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _least(keys: Masks, lists: Distributions) -> tuple[Masks, Distributions]:
    """Those with the least keys, ascending."""
    chosen = np.argsort(keys, kind="stable")[:SAMPLED]
    return keys[chosen], lists.take(chosen)


@dataclass(frozen=True, eq=False)
class AddedLinks(State):
    """Links that recommendations would add to a network, and what number they make.

    Args:
        measure: The metric that makes a number of the network with them.
        table: The people, who are items.
        network: The network as it was.
        sources, targets: Who would link to whom, by code; whose links come first does not matter.
        missing: Users without a list.
        noticed: Whatever else a user should know of.
        built_on: As of a mean.
    """

    measure: Measure
    table: IdTable
    network: Any
    sources: Codes
    targets: Codes
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    built_on: str | None = None

    def __add__(self, other: AddedLinks) -> AddedLinks:
        _check_built_on(self.built_on, other.built_on)
        table, ends = self.table, (other.sources, other.targets)
        if not table.has_codes_of(other.table):
            table = table.copy()
            codes = SomeIds(other.table, np.arange(len(other.table), dtype=np.int32)).within(table)
            ends = codes[other.sources], codes[other.targets]
        sources, targets = (np.concatenate(both) for both in zip((self.sources, self.targets), ends, strict=True))
        missing, noticed = self.missing + other.missing, _added(self.noticed, other.noticed)
        return AddedLinks(self.measure, table, self.network, sources, targets, missing, noticed, self.built_on)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, AddedLinks) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        ids = self.table.ids
        links = {(ids[source], ids[target]) for source, target in zip(self.sources.tolist(), self.targets.tolist(), strict=True)}
        return links, self.missing, self.noticed, self.built_on

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        codes = SomeIds(self.table, np.arange(len(self.table), dtype=np.int32)).within(items)
        ends = {"sources": codes[self.sources], "targets": codes[self.targets]}
        return {**ends, "missing": self.missing, "noticed": self.noticed, "built_on": self.built_on}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> AddedLinks:
        sources, targets = (to.codes[data[name]] for name in ("sources", "targets"))
        return cls(to.measure, to.items, to.truth.network, sources, targets, data["missing"], dict(data["noticed"]), data["built_on"])

    @property
    def value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"recommendations": len(self.sources), "missing": self.missing, **self.noticed}

    @cached_property
    def limits(self) -> Mapping[str, float]:
        return self.measure.parts_of(self)


def _check_built_on(mine: str | None, other: str | None) -> None:
    if mine != other:
        raise InputError("the parts were built on different facts about all users, such as popularity; give all of them the same truth")


def _added(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: some.get(name, 0) + others.get(name, 0) for name in {**some, **others}}


def _aligned(*several: Any) -> list[Any]:
    """Arrays of the same length: what is not there is 0."""
    n = max(map(len, several))
    return [values if len(values) == n else np.append(values, np.zeros(n - len(values), values.dtype)) for values in several]


def _recoded(several: Iterable[Any], table: IdTable, other: IdTable) -> list[Any]:
    """Arrays by the codes of a table as arrays by those of another, which gets to know its ids."""
    codes = SomeIds(table, np.arange(len(table), dtype=np.int32)).within(other)
    return [None if values is None else _scattered(codes, values, len(other)) for values in several]


def _scattered(codes: Codes, values: Any, n: int) -> Any:
    scattered = np.zeros(n, dtype=values.dtype)
    scattered[codes[: len(values)]] = values
    return scattered


@dataclass(frozen=True)
class Saved(State):
    """A number that was saved, with its counts; it does not add to others."""

    number: float
    counted: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        return self.number

    @property
    def counts(self) -> Mapping[str, int]:
        return self.counted

    @property
    def limits(self) -> Mapping[str, float]:
        return self.bounds

    def __add__(self, other: Saved) -> Saved:
        raise InputError(_NOT_A_PART)

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        raise InputError(_NOT_A_PART)

    @classmethod
    def from_data(cls, *_: Any) -> Saved:
        raise InputError(_NOT_A_PART)


_NOT_A_PART = "saved results do not hold what the metrics remember; parts that add up are saved by Partial.write"


STATES: Mapping[str, type[State]] = {
    "Mean": Mean,
    "Totals": Totals,
    "ItemCounts": ItemCounts,
    "SlotCounts": SlotCounts,
    "SampledLists": SampledLists,
    "SampledShares": SampledShares,
    "AddedLinks": AddedLinks,
}
"""Kinds of states that can be read from a file."""
