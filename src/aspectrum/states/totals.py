"""Sums over users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import add
from typing import Any

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.coding.table import IdTable
from aspectrum.errors import InputError
from aspectrum.states.exact import rounded
from aspectrum.states.state import Belonging, Measure, State, added, check_built_on


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
        check_built_on(self.built_on, other.built_on)
        if self.labels != other.labels:
            raise InputError("the parts have sums of different groups; give all of them the same truth")
        return Totals(
            self.measure,
            tuple(map(add, self.sums, other.sums)),
            self.scored + other.scored,
            self.undefined + other.undefined,
            self.missing + other.missing,
            added(self.noticed, other.noticed),
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
        scored = 0 if math.isnan(self.value) else self.scored  # users whose sums make no number are not scored by one
        undefined = self.undefined + self.scored - scored
        return {"scored": scored, "undefined": undefined, "missing": self.missing, **self.noticed}

    @property
    def limits(self) -> Mapping[str, float]:
        return self.measure.parts_of(self)
