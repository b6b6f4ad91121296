"""What was read, as plain Python."""

from typing import Any

import pytest

from aspectrum.coding.rows import Rows
from aspectrum.errors import InputError
from aspectrum.io import read_input


def columns_of(rows: Rows) -> dict[str, list[Any]]:
    """The columns of an input by role: ids as they are, None for none, and numbers."""
    found: dict[str, list[Any]] = {}
    for role, column in rows.ids.items():
        ids = list(column.ids)
        found[role] = [None if code < 0 else ids[code] for code in column.codes.tolist()]
    return found | {role: values.tolist() for role, values in rows.numbers.items()}


def read(input: str, given: Any) -> dict[str, list[Any]]:
    return columns_of(read_input(input, given))


def refused(input: str, given: Any) -> str:
    """Why an input is refused, in one line."""
    with pytest.raises(InputError) as caught:
        read_input(input, given)
    message = str(caught.value)
    assert message.isprintable(), "one line, without anything that a terminal could choke on"
    return message


def short(value: object) -> str:
    """A parameter in the name of a test."""
    return ascii(value)[:40]
