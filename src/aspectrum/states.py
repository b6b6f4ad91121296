"""What a metric remembers of some users. States add, and the order of adding cannot show.

The law: ``observe(a and b) == observe(a) + observe(b)``, to the bit. Sums are kept as exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Flags, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.table import IdTable, SomeIds
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
    def from_data(cls, data: Mapping[str, Any], items: IdTable, codes: Codes, catalogue: Flags | None) -> Self:
        """From such data. Items are known by codes of `items`; `codes` says which each code of the file is."""


@dataclass(frozen=True)
class Mean(State):
    """Average over users: correctly rounded sum over count; with ``weights``, over the sum of the users' weights.

    Sums are exact, in units of 2**-1074. ``missing`` users have no list and were scored 0; they are among the scored. Where scores
    may not be known for sure, ``least`` is the sum of their lower ends, ``open`` how many are not, ``widest`` the widest interval.
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

    def __add__(self, other: Mean) -> Mean:
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
        )

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        return {
            "total": hex(self.total),
            "weights": None if self.weights is None else hex(self.weights),
            "users": [self.scored, self.undefined, self.missing],
            "noticed": self.noticed,
            "certainty": None if self.least is None else [hex(self.least), self.open, self.widest],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], *_: Any) -> Mean:
        scored, undefined, missing = data["users"]
        least, open, widest = data["certainty"] or (None, 0, 0.0)
        weights, least = (text and int(text, 16) for text in (data["weights"], least))
        return cls(int(data["total"], 16), weights, scored, undefined, missing, dict(data["noticed"]), least, open, widest)

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


@dataclass(frozen=True, eq=False)
class ItemCounts(State):
    """How often each item was recommended, and what number that makes.

    Args:
        table: The items.
        recommended: How often each was recommended, by code; items that came later are not counted yet.
        catalogue: Items of a catalogue that was given, which must be the same in all parts; None if it is all items seen.
        empty: The number if nothing was recommended.
        missing: Users without a list.
        noticed: Whatever else a user should know of.
        seen: Where no catalogue was given, the items that were seen; None means all of the table.
    """

    table: IdTable
    recommended: Counts
    catalogue: Flags | None = None
    empty: float = math.nan
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    seen: Flags | None = None

    def __add__(self, other: ItemCounts) -> ItemCounts:
        if (self.catalogue is None) != (other.catalogue is None):
            raise InputError("one part has a given catalogue, the other what was seen: give both the same catalogue")
        table = self.table
        arrays: list[Any] = [other.recommended, other.catalogue, other.seen]
        if not table.has_codes_of(other.table):
            table = table.copy()
            arrays = _recoded(arrays, other.table, table)
        recommended, catalogue, seen = arrays
        if self.catalogue is not None:
            mine, theirs = _aligned(self.catalogue, catalogue)
            different = np.flatnonzero(mine != theirs)
            if len(different):
                raise InputError(f"the parts have different catalogues: item {quoted(table.ids[int(different[0])])} is in one of them only")
        total = np.add(*_aligned(self.recommended, recommended))
        missing, noticed = self.missing + other.missing, _added(self.noticed, other.noticed)
        seen = seen if self.seen is None else self.seen  # said once, at the end
        return ItemCounts(table, total, self.catalogue, self.empty, missing, noticed, seen)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, ItemCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        counts = zip(self.table.ids, self.recommended.tolist(), self._flags(self.seen), strict=False)
        return self.catalogue is None, self.missing, self.noticed, {id: count for id, count, is_seen in counts if is_seen}

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        empty = None if math.isnan(self.empty) else self.empty
        (recommended,) = _recoded((self.recommended,), self.table, items)
        return {"recommended": recommended, "empty": empty, "missing": self.missing, "noticed": self.noticed}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], items: IdTable, codes: Codes, catalogue: Flags | None) -> ItemCounts:
        empty = math.nan if data["empty"] is None else data["empty"]
        recommended = _scattered(codes, data["recommended"], len(items))
        return cls(items, recommended, catalogue, empty, data["missing"], dict(data["noticed"]))

    @cached_property
    def in_catalogue(self) -> Counts:
        """The counts of the items of the catalogue."""
        return self.recommended[self._flags(self.seen if self.catalogue is None else self.catalogue)]

    def _flags(self, some: Flags | None) -> Flags:
        """A flag for each item that is counted; None sets them all."""
        n = len(self.recommended)
        return np.ones(n, dtype=np.bool_) if some is None else _aligned(some[:n], self.recommended)[0]

    def places(self, table: IdTable) -> Codes:
        """For each item of a table, its place among the counts of the catalogue; -1 for items outside."""
        flags = self._flags(self.seen if self.catalogue is None else self.catalogue)
        places = np.where(flags, np.cumsum(flags) - 1, -1).astype(np.int32)
        codes = SomeIds(table, np.arange(len(table), dtype=np.int32)).within(self.table)
        return np.append(places, np.full(max(0, len(self.table) - len(places)), -1, np.int32))[codes]

    @property
    def value(self) -> float:
        """1 - Gini, from whole numbers, rounded once."""
        n, total = len(self.in_catalogue), int(self.in_catalogue.sum())
        if total == 0:
            return self.empty
        if n < 2:
            return math.nan
        counts = np.sort(self.in_catalogue[self.in_catalogue > 0])
        factors = 2 * np.arange(n - len(counts) + 1, n + 1, dtype=np.int64) - n - 1
        if n * total >= 1 << 62:  # too large for 64 bits: Python's own integers
            factors, counts = factors.astype(object), counts.astype(object)
        evenly = (n - 1) * total
        return (evenly - int(np.dot(factors, counts))) / evenly

    @property
    def counts(self) -> Mapping[str, int]:
        n, total = len(self.in_catalogue), int(self.in_catalogue.sum())
        return {"recommendations": total, "catalogue_items": n, "missing": self.missing, **self.noticed}


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


STATES: Mapping[str, type[Mean] | type[ItemCounts]] = {"Mean": Mean, "ItemCounts": ItemCounts}
"""Kinds of states that can be read from a file."""
