"""What careless people do: the misuse, what it leads to, what they are told, and the number they meant."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from aspectrum.errors import AspectrumError, AspectrumWarning


@dataclass(frozen=True)
class Misuse:
    """One row of the table.

    Attributes:
        does: What somebody does, in a few words.
        level: ``error``: it is refused; ``warning``: there is a number, and Python's warnings say that it is probably not the one
            that is meant; ``note``: the number is right, and a note says how the input was read; ``right``: the number is right.
        says: A part of the message.
        run: Does it; returns results, whose first number counts, or the number itself.
        meant: What they mean to do; where there is a number, this is the true one. At level ``note`` and ``right`` both are equal.
        kind: The kind of the warning or note.
    """

    does: str
    level: Literal["error", "warning", "note", "right"]
    says: str
    run: Callable[[], Any]
    meant: Callable[[], Any] | float | None = None
    kind: str | None = None

    def __str__(self) -> str:
        return self.does

    def check(self) -> None:
        """That it is so."""
        if self.level == "error":
            with pytest.raises(AspectrumError) as raised:
                self.run()
            assert self.says in str(raised.value)
            return
        if self.level == "warning":
            with pytest.warns(AspectrumWarning) as caught:
                found = self.run()
            said = [(one.message.kind, str(one.message)) for one in caught if isinstance(one.message, AspectrumWarning)]
            assert [kind for kind, _ in said] == [self.kind], said
            assert self.says in said[0][1]
            assert math.isfinite(number(found)), "NaN is no wrong number"
            assert number(found) != self._true_number()
            return
        with warnings.catch_warnings(action="error", category=AspectrumWarning):
            found = self.run()
        assert number(found) == self._true_number()
        if self.level == "note":
            assert [notice.kind for notice in found.notices if notice.kind == self.kind] == [self.kind]
            assert any(self.says in note for note in found.notes), found.notes

    def _true_number(self) -> float:
        assert self.meant is not None, "a number needs the true one beside it"
        return number(self.meant() if callable(self.meant) else self.meant)


def number(found: Any) -> float:
    """The first number of results, of one system or of several."""
    while isinstance(found, Mapping):
        found = next(iter(found.values()))
    return float(found)
