"""Averages over users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aspectrum.coding.table import IdTable
from aspectrum.errors import InputError
from aspectrum.states.exact import rounded
from aspectrum.states.state import Belonging, State, added, check_built_on


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
        check_built_on(self.built_on, other.built_on)
        if (self.weights is None) != (other.weights is None):
            raise InputError("a mean over users and a mean over weights cannot be added")
        least = [part.least for part in (self, other) if part.least is not None]
        return Mean(
            self.total + other.total,
            None if self.weights is None or other.weights is None else self.weights + other.weights,
            self.scored + other.scored,
            self.undefined + other.undefined,
            self.missing + other.missing,
            added(self.noticed, other.noticed),
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
