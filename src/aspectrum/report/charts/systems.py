"""Who is drawn: names, order, colour slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from aspectrum.report.charts.names import full_name, short_names
from aspectrum.report.content import Report

MOST_ROWS = 12
"""Systems in a chart with a row for each; the data table has all."""
_SLOTS = 5


@dataclass(frozen=True)
class Systems:
    """The systems of a report, in its order, with the baseline and those in colour.

    >>> systems = Systems(("A", "B", "C"), "B", ("C",))
    >>> [systems.slot(name) for name in "ABC"], systems.back_to_front
    ([None, 0, 1], ('A', 'C', 'B'))
    """

    names: tuple[str, ...]
    baseline: str | None = None
    focus: tuple[str, ...] = ()

    @classmethod
    def of(cls, report: Report) -> Systems:
        return cls(report.systems, report.baseline, report.focus)

    @cached_property
    def in_colour(self) -> tuple[str, ...]:
        """At most five systems besides the baseline, in the order of their colours."""
        return tuple(dict.fromkeys(name for name in self.focus if name != self.baseline and name in self._indices))[:_SLOTS]

    @cached_property
    def _indices(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def _short(self) -> Mapping[str, str]:
        return short_names(self.names)

    @cached_property
    def _full(self) -> Mapping[str, str]:
        return {name: full_name(name) for name in self.names}

    @cached_property
    def back_to_front(self) -> tuple[str, ...]:
        """The order of drawing: grey ones first, the baseline on top."""
        last = (*reversed(self.in_colour), *(() if self.baseline is None else (self.baseline,)))
        return (*(name for name in self.names if name not in last), *last)

    @cached_property
    def by_importance(self) -> tuple[str, ...]:
        """Baseline, then those in colour, then the others."""
        first = (*(() if self.baseline is None else (self.baseline,)), *self.in_colour)
        return (*first, *(name for name in self.names if name not in first))

    def index(self, name: str) -> int:
        return self._indices[name]

    def slot(self, name: str) -> int | None:
        """0 for the baseline, 1 to 5 for the colours, None for grey."""
        if name == self.baseline:
            return 0
        return self.in_colour.index(name) + 1 if name in self.in_colour else None

    def short(self, name: str) -> str:
        """The name in a chart."""
        return self._short[name]

    def full(self, name: str) -> str:
        """The name in a tooltip or a sentence."""
        return self._full[name]

    def most_important(self, names: Iterable[str], at_most: int = MOST_ROWS) -> tuple[list[str], int]:
        """Those of some systems that a chart with rows shows, and how many it leaves out."""
        wanted = set(names)
        found = [name for name in self.by_importance if name in wanted]
        return found[:at_most], max(0, len(found) - at_most)
