"""JSON Lines: an object per line, whose keys are columns."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.io.files import reason
from aspectrum.io.frames import FrameTable, guarded, series_of

if TYPE_CHECKING:
    import polars

_PLAIN_NAME = re.compile(r"[\w .-]+", re.ASCII)
# Escapes that could hide a key with a plain name, or that are an unpaired surrogate, which polars turns into another character.
_ODD_ESCAPES = re.compile(rb"\\u(?:00[2-7]|[dD][89a-fA-F])")


_DEEPEST = 60  # polars overflows the stack on some hundreds
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_FEW_KEYS = 20


def _deep_line(text: bytes) -> int:
    """The first line whose values are nested too deeply, from 1; 0 if there is none."""
    letters = np.frombuffer(text, np.uint8)
    opened = np.flatnonzero((letters == ord("[")) | (letters == ord("{")))
    lines = np.searchsorted(np.flatnonzero(letters == ord("\n")), opened)
    suspects = np.flatnonzero(np.bincount(lines) > _DEEPEST)  # all others cannot be that deep
    rows = text.split(b"\n") if len(suspects) else []
    for place in suspects.tolist():
        depth = 0
        for found in _BRACKETS.finditer(rows[place]):
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
            if depth > _DEEPEST:
                return int(place) + 1
    return 0


class JsonTable(FrameTable):
    """Values are what they are: 1 is a number, "1" is text.

    polars reads quickly and forgives much: of duplicate keys it takes the first, of 1 and "1" in a column it makes
    text. So what it read is taken only where the text shows that there was nothing to forgive; otherwise Python reads.
    """

    def __init__(self, source: str, text: bytes, *, first_line: int = 1) -> None:
        self.source, self._text, self._first_line = source, text, first_line
        deep = _deep_line(text)
        if deep:
            raise InputError(f"{source}, line {deep + first_line - 1}: its values are nested more than {_DEEPEST} deep")
        quick = None if _ODD_ESCAPES.search(text) else self._quickly()
        self._is_exact = quick is None
        super().__init__(source, self._exactly(None) if quick is None else quick)

    def fetch(self, places: Mapping[str, int], numbers: Sequence[str]) -> polars.DataFrame:
        are_numbers, count = set(numbers), self._counter(len(places))
        if not self._is_exact and not all(self._is_sound(place, role in are_numbers, count) for role, place in places.items()):
            self.frame, self._is_exact = self._exactly(self.frame.columns), True
        return super().fetch(places, numbers)

    def place(self, row: int) -> str:
        return f"line {self.line(row)}"

    def line(self, row: int) -> int:
        return next(number for place, (number, _) in enumerate(self._lines()) if place == row)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        return ((number, line) for number, line in enumerate(self._text.split(b"\n"), self._first_line) if line.strip())

    def _quickly(self) -> polars.DataFrame | None:
        import polars

        try:
            frame = guarded(lambda: polars.read_ndjson(io.BytesIO(self._text), infer_schema_length=None))
            frame = frame.select(self._in_order(frame.columns))
        except Exception:
            return None
        n_lines = self._text.count(b"\n") + (not self._text.endswith(b"\n"))
        return frame if frame.width and frame.height in (n_lines, sum(1 for _ in self._lines()) if n_lines > frame.height else -1) else None

    def _in_order(self, keys: Sequence[str]) -> list[str]:
        """Keys as the first line has them, then the others: polars has no order of many, but another one each time."""
        first = {key: place for place, key in enumerate(json.loads(next(line for _, line in self._lines())))}
        return sorted(keys, key=lambda key: (first.get(key, len(first)), key))

    def _counter(self, n_keys: int) -> Callable[[bytes], int]:
        """What tells how often a key stands in the text, with its quotes; many keys are counted in one pass."""
        return self._text.count if n_keys <= _FEW_KEYS else Counter(found[0] for found in _STRING.finditer(self._text)).__getitem__

    def _is_sound(self, place: int, is_number: bool, count: Callable[[bytes], int]) -> bool:
        """Whether every line has this key once, with a value of the same kind."""
        import polars

        column = self.frame.to_series(place)
        kind = column.dtype
        numbers = (polars.Int64, polars.List(polars.Int64), polars.List(polars.Float64), *((polars.Float64,) if is_number else ()))
        if column.null_count() or not _PLAIN_NAME.fullmatch(column.name) or kind not in (polars.String, *numbers):
            return False
        if (
            is_number and kind in (polars.Float64, polars.List(polars.Float64)) and (column.explode().abs() >= 2.0**53).any()
        ):  # whole numbers among them may have been rounded
            return False
        # No line lacks the key, so if it stands as often as there are lines, it stands once in each. Text is made of anything,
        # numbers of numbers only.
        key = b'"' + column.name.encode() + b'"'
        if count(key) != len(column):
            return False
        return kind != polars.String or sum(self._text.count(key + colon + b'"') for colon in (b":", b": ")) == len(column)

    def _exactly(self, names: Sequence[str] | None) -> polars.DataFrame:
        import polars

        rows: list[dict[str, Any]] = []
        for number, line in self._lines():
            try:
                found = json.loads(line.decode(), object_pairs_hook=_object)
            except json.JSONDecodeError:
                found = None
            except (ValueError, RecursionError) as error:
                raise InputError(f"{self.source}, line {number}: {reason(error)}") from None
            if not isinstance(found, dict):
                raise InputError(f"{self.source}, line {number}: {quoted(line[:40].decode('utf-8', 'replace'))} is not a JSON object")
            rows.append(found)
        keys = dict.fromkeys(key for row in rows for key in row) if names is None else names
        try:
            return polars.DataFrame([series_of(key, [row.get(key) for row in rows]) for key in keys])
        except (ValueError, polars.exceptions.PolarsError) as error:  # such as a name with an unpaired surrogate
            raise InputError(f"{self.source}: cannot be read as JSON Lines: {reason(error)}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(quoted(key) for place, key in enumerate(keys) if key in keys[:place])}")
    return found
