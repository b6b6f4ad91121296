"""Numbers that were saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aspectrum.coding.table import IdTable
from aspectrum.errors import InputError
from aspectrum.states.state import State


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
