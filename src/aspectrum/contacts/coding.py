"""One coding of users for all inputs of a social network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy.typing as npt

from aspectrum.arrays import Codes
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.table import IdTable

_OF_USERS = ("source", "target", "user", "item")


@dataclass(frozen=True, eq=False)
class Coded:
    """Rows of one input, and what its own codes of users are among everybody's.

    Args:
        rows: The rows.
        joined: By role, everybody's code of each id that the input names, those without a row included.
    """

    rows: Rows
    joined: Mapping[str, Codes]
    _codes: dict[str, Codes] = field(default_factory=dict)

    def codes(self, role: str) -> Codes:
        """The code of each row."""
        if role not in self._codes:
            joined, codes = self.joined[role], self.rows.ids[role].codes
            self._codes[role] = joined[codes] if len(joined) else codes
        return self._codes[role]

    def taken(self, kept: npt.NDArray[Any], ids: Mapping[str, IdColumn]) -> Rows:
        """Some of the rows, under other ids; each remembers where it stood."""
        if len(kept) == len(self.rows):
            return replace(self.rows, ids=ids)
        place = self.rows.place
        return replace(
            self.rows,
            ids=ids,
            numbers={name: values[kept] for name, values in self.rows.numbers.items()},
            place=None if place is None else lambda row: place(int(kept[row])),
        )


def code_users(inputs: Mapping[str, Rows]) -> tuple[IdTable, dict[str, Coded]]:
    """Everybody who is named in any input, and the inputs under that coding. Whoever links, is linked or recommended is a user."""
    table = IdTable("user", [(rows.source, rows.ids[role]) for rows in inputs.values() for role in rows.ids if role in _OF_USERS])
    return table, {
        name: Coded(rows, {role: table.joined(rows.ids[role]) for role in rows.ids if role in _OF_USERS}) for name, rows in inputs.items()
    }
