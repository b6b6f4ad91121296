"""One coding of users for all inputs of a social network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from aspectrum.arrays import Codes
from aspectrum.coding.ids import Ids
from aspectrum.coding.rows import IdColumn, Rows, join_ids

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

    def codes(self, role: str) -> Codes:
        """The code of each row."""
        joined, codes = self.joined[role], self.rows.ids[role].codes
        return joined[codes] if len(joined) else codes

    def taken(self, kept: npt.NDArray[Any], ids: Mapping[str, IdColumn]) -> Rows:
        """Some of the rows, under other ids; each remembers where it stood."""
        place = self.rows.place
        return replace(
            self.rows,
            ids=ids,
            numbers={name: values[kept] for name, values in self.rows.numbers.items()},
            place=None if place is None else lambda row: place(int(kept[row])),
        )


def code_users(inputs: Mapping[str, Rows]) -> tuple[Ids, dict[str, Coded]]:
    """Everybody who is named in any input, and the inputs under that coding. Whoever links, is linked or recommended is a user."""
    named = [(name, role) for name, rows in inputs.items() for role in rows.ids if role in _OF_USERS]
    ids, joined = join_ids("user", [(inputs[name].source, inputs[name].ids[role]) for name, role in named])
    codes = dict(zip(named, joined, strict=True))
    return ids, {
        name: Coded(rows, {role: codes[name, role] for role in rows.ids if (name, role) in codes}) for name, rows in inputs.items()
    }
