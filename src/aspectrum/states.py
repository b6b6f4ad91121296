"""What a metric remembers of some users. States add, and the order of adding cannot show.

The law: ``observe(a and b) == observe(a) + observe(b)``, to the bit. Sums are kept as exact integers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Flags, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.table import IdTable, SomeIds
from aspectrum.errors import InputError

_UNIT = 1 << 1074


@dataclass(frozen=True)
class ExactSum:
    """A sum of floats without rounding, in units of 2**-1074.

    >>> ExactSum.of([1e100, 1.0, -1e100]).value
    1.0
    """

    units: int = 0

    @classmethod
    def of(cls, values: Iterable[float]) -> ExactSum:
        return cls.columns(np.array(list(values), dtype=np.float64)[:, np.newaxis])[0][0]

    @classmethod
    def columns(cls, values: Floats) -> tuple[list[ExactSum], list[int]]:
        """The sum of each column, and how many NaNs it leaves out."""
        limbs, undefined = kernels.exact_sums(np.ascontiguousarray(values, dtype=np.float64))
        sums = [cls(sum(limb << (32 * place) for place, limb in enumerate(column))) for column in limbs.tolist()]
        return sums, undefined.tolist()

    def __add__(self, other: ExactSum) -> ExactSum:
        return ExactSum(self.units + other.units)

    @property
    def value(self) -> float:
        """The sum, rounded once (as :func:`math.fsum`)."""
        return self.units / _UNIT


@runtime_checkable
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

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        """As plain data and arrays, for a file; items by their codes in `items`."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any], items: IdTable, codes: Codes, catalogue: Flags | None) -> Self:
        """From such data. Items are known by codes of `items`; `codes` says which each code of the file is."""


@dataclass(frozen=True)
class Certainty:
    """How sure the scores behind a mean are: how many are open, the sum of their lower ends, the widest interval."""

    least: ExactSum = ExactSum()
    open: int = 0
    widest: float = 0.0

    @classmethod
    def columns(cls, scores: Floats, least: Floats, proved: Flags) -> Iterator[Certainty]:
        """Of each column of scores, with their lower ends."""
        totals, _ = ExactSum.columns(least)
        defined = ~np.isnan(scores)
        proved = proved | (least >= scores)  # as a score of 0 is, whatever the ideal
        widths = np.where(defined, scores - least, 0.0).max(axis=0, initial=0.0)
        for place, total in enumerate(totals):
            yield cls(total, int((defined & ~proved)[:, place].sum()), float(widths[place]))

    def __add__(self, other: Certainty) -> Certainty:
        return Certainty(self.least + other.least, self.open + other.open, max(self.widest, other.widest))


@dataclass(frozen=True)
class Mean:
    """Average over users: correctly rounded sum over count; with ``weights``, over the sum of the users' weights.

    ``missing`` users have no list and were scored 0; they are among the scored.
    """

    total: ExactSum = ExactSum()
    weights: ExactSum | None = None
    scored: int = 0
    undefined: int = 0
    missing: int = 0
    noticed: Mapping[str, int] = field(default_factory=dict)
    certainty: Certainty | None = None

    def __add__(self, other: Mean) -> Mean:
        if (self.weights is None) != (other.weights is None):
            raise InputError("a mean over users and a mean over weights cannot be added")
        certainty = self.certainty + other.certainty if self.certainty and other.certainty else self.certainty or other.certainty
        weights = None if self.weights is None or other.weights is None else self.weights + other.weights
        noticed = Counter(self.noticed)
        noticed.update(other.noticed)
        return Mean(
            self.total + other.total,
            weights,
            self.scored + other.scored,
            self.undefined + other.undefined,
            self.missing + other.missing,
            dict(noticed),
            certainty,
        )

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        sure = self.certainty
        return {
            "total": hex(self.total.units),
            "weights": None if self.weights is None else hex(self.weights.units),
            "users": [self.scored, self.undefined, self.missing],
            "noticed": self.noticed,
            "certainty": None if sure is None else [hex(sure.least.units), sure.open, sure.widest],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], *_: Any) -> Mean:
        weights, sure = data["weights"], data["certainty"]
        scored, undefined, missing = data["users"]
        return cls(
            ExactSum(int(data["total"], 16)),
            None if weights is None else ExactSum(int(weights, 16)),
            scored,
            undefined,
            missing,
            dict(data["noticed"]),
            None if sure is None else Certainty(ExactSum(int(sure[0], 16)), sure[1], sure[2]),
        )

    @property
    def value(self) -> float:
        divisor = self.scored if self.weights is None else self.weights.value
        return self.total.value / divisor if divisor else math.nan

    @property
    def counts(self) -> Mapping[str, int]:
        sure = {} if self.certainty is None else {"proved": self.scored - self.certainty.open, "open": self.certainty.open}
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, **sure, **self.noticed}

    @property
    def limits(self) -> Mapping[str, float]:
        if self.certainty is None or not self.scored:
            return {}
        return {"at_least": self.certainty.least.value / self.scored, "widest_interval": self.certainty.widest}


@dataclass(frozen=True, eq=False)
class ItemCounts:
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
        table, theirs, catalogue, seen = self.table, other.recommended, other.catalogue, other.seen
        if not self.table.has_codes_of(other.table):
            table = self.table.copy()
            codes = SomeIds(other.table, np.arange(len(other.table), dtype=np.int32)).within(table)
            theirs = _scattered(codes, theirs, len(table))
            catalogue, seen = (None if flags is None else _scattered(codes, flags, len(table)) for flags in (catalogue, seen))
        if self.catalogue is not None and catalogue is not None:
            self._check_catalogue(table, catalogue)
        noticed = Counter(self.noticed)
        noticed.update(other.noticed)
        n = max(len(self.recommended), len(theirs))
        total = _padded(self.recommended, n) + _padded(theirs, n)
        seen = self.seen if self.seen is not None else seen  # said once, at the end
        return ItemCounts(table, total, self.catalogue, self.empty, self.missing + other.missing, dict(noticed), seen)

    def _check_catalogue(self, table: IdTable, theirs: Flags) -> None:
        assert self.catalogue is not None
        n = max(len(self.catalogue), len(theirs))
        different = np.flatnonzero(_padded(self.catalogue, n) != _padded(theirs, n))
        if len(different):
            raise InputError(f"the parts have different catalogues: item {quoted(table.ids[int(different[0])])} is in one of them only")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ItemCounts):
            return NotImplemented
        mine, theirs = (
            {
                id: count
                for id, count, is_seen in zip(part.table.ids, part.recommended.tolist(), part._seen_items(), strict=False)
                if is_seen
            }
            for part in (self, other)
        )
        same = (self.catalogue is None, self.missing, self.noticed) == (other.catalogue is None, other.missing, other.noticed)
        return same and mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        empty = None if math.isnan(self.empty) else self.empty
        codes = SomeIds(self.table, np.arange(len(self.table), dtype=np.int32)).within(items)
        return {
            "recommended": _scattered(codes, self.recommended, len(items)),
            "empty": empty,
            "missing": self.missing,
            "noticed": self.noticed,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], items: IdTable, codes: Codes, catalogue: Flags | None) -> ItemCounts:
        empty = math.nan if data["empty"] is None else data["empty"]
        recommended = _scattered(codes, data["recommended"], len(items))
        return cls(items, recommended, catalogue, empty, data["missing"], dict(data["noticed"]))

    @cached_property
    def in_catalogue(self) -> Counts:
        """The counts of the items of the catalogue."""
        return self.recommended[self._seen_items()] if self.catalogue is None else self.recommended[: len(self.catalogue)][self.catalogue]

    def _seen_items(self) -> Flags:
        n = len(self.recommended)
        return np.ones(n, dtype=np.bool_) if self.seen is None else _padded(self.seen, max(n, len(self.seen)))[:n]

    @property
    def value(self) -> float:
        """1 - Gini, from whole numbers, rounded once."""
        n, total = len(self.in_catalogue), int(self.in_catalogue.sum())
        if total == 0:
            return self.empty
        if n < 2:
            return math.nan
        ordered = np.sort(self.in_catalogue)
        first = int(np.searchsorted(ordered, 0, side="right"))
        places = np.arange(first + 1, n + 1, dtype=np.int64)
        factors, counts = 2 * places - n - 1, ordered[first:]
        if n * total >= 1 << 62:  # too large for 64 bits: Python's own integers
            factors, counts = factors.astype(object), counts.astype(object)
        unevenness = int(np.dot(factors, counts))
        evenly = (n - 1) * total
        return (evenly - unevenness) / evenly

    @property
    def limits(self) -> Mapping[str, float]:
        return {}

    @property
    def counts(self) -> Mapping[str, int]:
        n, total = len(self.in_catalogue), int(self.in_catalogue.sum())
        return {"recommendations": total, "catalogue_items": n, "missing": self.missing, **self.noticed}


def _padded(values: Any, n: int) -> Any:
    return values if len(values) == n else np.append(values, np.zeros(n - len(values), dtype=values.dtype))


def _scattered(codes: Any, values: Any, n: int) -> Any:
    scattered = np.zeros(n, dtype=values.dtype)
    scattered[codes[: len(values)]] = values
    return scattered


STATES: Mapping[str, type[Mean] | type[ItemCounts]] = {"Mean": Mean, "ItemCounts": ItemCounts}
"""Kinds of states that can be read from a file."""
