"""A file of nuggets, to be read when an evaluation needs it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from aspectrum.coding.rows import InputBundle, Rows, Way
from aspectrum.io.source import Source
from aspectrum.nuggets.bank import Nuggets


@dataclass(frozen=True, eq=False)
class NuggetSource(Source, InputBundle):
    """A :class:`Source` of nuggets.

    Args:
        options: How they are read, by name: the format, and the options of :meth:`Nuggets.read`.
    """

    options: Mapping[str, Any] = field(default_factory=dict)

    kind: ClassVar[str] = "nuggets"

    @cached_property
    def nuggets(self) -> Nuggets:
        return Nuggets.read(self, **self.options)

    def inputs(self) -> dict[str, Rows]:
        return self.nuggets.inputs()

    def inputs_under(self, conventions: Collection[Way]) -> dict[str, Rows]:
        return self.nuggets.inputs_under(conventions)
