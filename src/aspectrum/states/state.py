"""What all states have, and what several of them need to add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from aspectrum.arrays import Codes, Flags
from aspectrum.coding.table import IdTable, SomeIds
from aspectrum.errors import InputError


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


def check_built_on(mine: str | None, other: str | None) -> None:
    """Parts that were built on different facts are refused."""
    if mine != other:
        raise InputError("the parts were built on different facts about all users, such as popularity; give all of them the same truth")


def added(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    """Counts of the same names, together."""
    return {name: some.get(name, 0) + others.get(name, 0) for name in {**some, **others}}


def aligned(*several: Any) -> list[Any]:
    """Arrays of the same length: what is not there is 0."""
    n = max(map(len, several))
    return [values if len(values) == n else np.append(values, np.zeros(n - len(values), values.dtype)) for values in several]


def codes_within(table: IdTable, other: IdTable) -> Codes:
    """For each id of a table, its code in another, which gets to know it."""
    return SomeIds(table, np.arange(len(table), dtype=np.int32)).within(other)


def recoded(several: Iterable[Any], table: IdTable, other: IdTable) -> list[Any]:
    """Arrays by the codes of a table as arrays by those of another, which gets to know its ids."""
    codes = codes_within(table, other)
    return [None if values is None else scattered(codes, values, len(other)) for values in several]


def scattered(codes: Codes, values: Any, n: int) -> Any:
    """Values by their codes among n; what has none is 0."""
    found = np.zeros(n, dtype=values.dtype)
    found[codes[: len(values)]] = values
    return found
