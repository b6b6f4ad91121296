"""Links that recommendations add to a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.coding.table import IdTable
from aspectrum.states.state import Belonging, Measure, State, added, check_built_on, codes_within


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
        check_built_on(self.built_on, other.built_on)
        table, ends = self.table, (other.sources, other.targets)
        if not table.has_codes_of(other.table):
            table = table.copy()
            codes = codes_within(other.table, table)
            ends = codes[other.sources], codes[other.targets]
        sources, targets = (np.concatenate(both) for both in zip((self.sources, self.targets), ends, strict=True))
        missing, noticed = self.missing + other.missing, added(self.noticed, other.noticed)
        return AddedLinks(self.measure, table, self.network, sources, targets, missing, noticed, self.built_on)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, AddedLinks) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        ids = self.table.ids
        links = {(ids[source], ids[target]) for source, target in zip(self.sources.tolist(), self.targets.tolist(), strict=True)}
        return links, self.missing, self.noticed, self.built_on

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        codes = codes_within(self.table, items)
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
