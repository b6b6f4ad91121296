"""Averages over users."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aspectrum.coding.table import IdTable
from aspectrum.errors import InputError
from aspectrum.states.exact import rounded
from aspectrum.states.state import Belonging, State, added, check_built_on


@dataclass(frozen=True)
class Orders:
    """What is remembered of orders of items with equal scores, over which scores are averages.

    ``least`` and ``greatest`` are sums as of :class:`Mean`. For ``bounds`` users they are only bounds. ``lists`` have equal scores in their top,
    ``cut`` of them across the cutoff; of all ``places`` of tops, ``tied`` are in a group of equal scores.
    """

    least: int
    greatest: int
    bounds: int
    lists: int
    cut: int
    tied: int
    places: int

    def __add__(self, other: Orders) -> Orders:
        return Orders(*(mine + theirs for mine, theirs in zip(self._numbers, other._numbers, strict=True)))

    @property
    def _numbers(self) -> tuple[int, ...]:
        return self.least, self.greatest, self.bounds, self.lists, self.cut, self.tied, self.places

    def to_data(self) -> list[Any]:
        return [hex(self.least), hex(self.greatest), *self._numbers[2:]]

    @classmethod
    def from_data(cls, data: Sequence[Any]) -> Orders:
        least, greatest, *counts = data
        return cls(int(least, 16), int(greatest, 16), *counts)


@dataclass(frozen=True)
class Mean(State):
    """Average over users: correctly rounded sum over count; with ``weights``, over the sum of the users' weights.

    Sums are exact, in units of 2**-1074. ``missing`` users have no list; they were scored 0, or are undefined where less is better. Where scores
    may not be known for sure, ``least`` is the sum of their lower ends, ``open`` how many are not, ``widest`` the widest interval.
    Where scores depend on facts about all users, ``built_on`` is a digest of these, which parts must share. Where scores are averages over
    orders of items with equal scores, ``orders`` says what they are at the ends.
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
    orders: Orders | None = None

    def __add__(self, other: Mean) -> Mean:
        check_built_on(self.built_on, other.built_on)
        if (self.weights is None) != (other.weights is None):
            raise InputError("a mean over users and a mean over weights cannot be added")
        if (self.orders is None) != (other.orders is None):
            raise InputError("a mean over orders of equal scores and one without cannot be added")
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
            None if self.orders is None or other.orders is None else self.orders + other.orders,
        )

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        return {
            "total": hex(self.total),
            "weights": None if self.weights is None else hex(self.weights),
            "users": [self.scored, self.undefined, self.missing],
            "noticed": self.noticed,
            "certainty": None if self.least is None else [hex(self.least), self.open, self.widest],
            "built_on": self.built_on,
            "orders": None if self.orders is None else self.orders.to_data(),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> Mean:
        scored, undefined, missing = data["users"]
        least, open, widest = data["certainty"] or (None, 0, 0.0)
        weights, least = (text and int(text, 16) for text in (data["weights"], least))
        noticed, built_on = dict(data["noticed"]), data["built_on"]
        orders = None if data["orders"] is None else Orders.from_data(data["orders"])
        return cls(int(data["total"], 16), weights, scored, undefined, missing, noticed, least, open, widest, built_on, orders)

    @property
    def value(self) -> float:
        return self._mean(self.total)

    def _mean(self, total: int) -> float:
        divisor = self.scored if self.weights is None else rounded(self.weights)
        return rounded(total) / divisor if divisor else math.nan

    @property
    def counts(self) -> Mapping[str, int]:
        sure = {} if self.least is None else {"proved": self.scored - self.open, "open": self.open}
        orders = self.orders
        ties = (
            {} if orders is None else {"lists_with_ties": orders.lists, "lists_cut_within_ties": orders.cut, "bounds_only": orders.bounds}
        )
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, **sure, **ties, **self.noticed}

    @property
    def limits(self) -> Mapping[str, float]:
        found: dict[str, float] = {}
        if self.least is not None and self.scored:
            found |= {"at_least": rounded(self.least) / self.scored, "widest_interval": self.widest}
        if self.orders is not None and self.scored:
            found |= {"least": self._mean(self.orders.least), "greatest": self._mean(self.orders.greatest)}
            found["tied_share"] = self.orders.tied / max(1, self.orders.places)
        return found
