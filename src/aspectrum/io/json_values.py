"""JSON as Python values: one document, or a value per line; everything wrong with it has a file, a line and a path."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.io.files import as_text, check_readable, naming_memory, printed, read_bytes, reason
from aspectrum.wording import one_line, shortened

_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_BLANK = b" \t\r"


@dataclass(frozen=True)
class Place:
    """Where a value is: in a file, on a line, under keys and places.

    >>> Place("bank.jsonl", 3).at("nuggets", 2, "relevant_corpus_ids").error("expected a list of document ids", 7)
    InputError('bank.jsonl, line 3, nuggets[2].relevant_corpus_ids: expected a list of document ids, found 7')
    """

    source: str
    line: int | None = None
    path: tuple[str | int, ...] = ()

    def at(self, *path: str | int) -> Place:
        """A place below this one."""
        return Place(self.source, self.line, (*self.path, *path))

    def __str__(self) -> str:
        line = [] if self.line is None else [f"line {self.line}"]
        return ", ".join([self.source, *line, *([path_text(self.path)] if self.path else [])])

    def error(self, what: str, *found: Any) -> InputError:
        """What is wrong here; with the value that was found instead, if one is given."""
        return InputError(f"{self}: {what}" + "".join(f", found {json_text(value)}" for value in found))


@dataclass(frozen=True)
class JsonText:
    """The values that a JSON file holds, read one after the other, so that nobody has to keep all of them.

    A text is a single document, or JSON Lines: its first line is a value. Blank lines are passed over.

    Args:
        source: What errors call it.
        data: Its text, in UTF-8.
        is_lines: Whether it is JSON Lines.
    """

    source: str
    data: bytes = field(repr=False)
    is_lines: bool

    @classmethod
    def read(cls, path: str, name: str | None = None) -> JsonText:
        """From a file, compressed or not; ``-`` is the standard input."""
        name = printed(path) if name is None else name
        return cls.of(name, read_bytes(path, name))

    @classmethod
    def of(cls, name: str, data: bytes) -> JsonText:
        """From the bytes of a file."""
        check_readable(name, data)
        text = as_text(name, data)
        if not text.strip():
            raise InputError(f"{name}: is empty, expected JSON")
        return cls(name, text, _starts_with_a_value(text))

    def __iter__(self) -> Iterator[tuple[Place, Any]]:
        """Values with their places; a line is named for JSON Lines only."""
        with naming_memory(self.source):
            if not self.is_lines:
                yield Place(self.source), self._parsed(self.data, 0)
                return
            for number, line in _lines(self.data):
                yield Place(self.source, number), self._parsed(line, number)

    def _parsed(self, text: bytes, line: int) -> Any:
        """The value of a text, which is line `line`, or a whole document if that is 0."""
        reader = _Reader()
        try:
            value = reader.decode(text)
        except json.JSONDecodeError as error:
            self._refuse(text, line, error)
        except RecursionError:
            raise Place(self.source, line or None).error("values are nested too deeply to be read") from None
        except ValueError as error:  # such as a number of many thousand digits
            raise Place(self.source, line or None).error(f"cannot be read as JSON: {reason(error)}") from None
        reader.check(Place(self.source, line or None), value)
        return value

    def _refuse(self, text: bytes, line: int, error: json.JSONDecodeError) -> NoReturn:
        if not line and (later := self._broken_line()) is not None:
            self._parsed(later[1], later[0])
        is_cut = error.pos >= len(error.doc.rstrip(" \t\r\n")) or error.msg.startswith("Unterminated string")
        where = f"{self.source}, line {line or error.lineno}, column {error.colno}"
        if is_cut:
            raise InputError(f"{where}: the JSON value is not complete; was the file cut off?") from None
        found = quoted(error.doc[error.pos : error.pos + 20])
        raise InputError(f"{where}: is not valid JSON: {_expected(error.msg)}, found {found}") from None

    def _broken_line(self) -> tuple[int, bytes] | None:
        """The first line, if this was to be JSON Lines: the second is a value of its own."""
        lines = _lines(self.data)
        first, second = next(lines, None), next(lines, None)
        return first if second is not None and second[1].lstrip()[:1] == b"{" and _is_value(second[1]) else None


def path_text(path: Sequence[str | int]) -> str:
    """Keys and places as one reads them.

    >>> path_text(("nuggets", 2, "relevant_corpus_ids")), path_text(("nugget_bank", "Who?", "answers"))
    ('nuggets[2].relevant_corpus_ids', 'nugget_bank["Who?"].answers')
    """
    text = ""
    for step in path:
        plain = isinstance(step, str) and _NAME.fullmatch(step)
        text += f".{step}" if plain else f"[{json_text(step)}]"
    return text.removeprefix(".")


def json_text(value: Any) -> str:
    """A value as messages write it: as JSON, shortened; a list or an object by its kind and size."""
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, dict):
        keys = ", ".join(shortened(one_line(json.dumps(key, ensure_ascii=False)), 30) for key in [*value][:5])
        return f"an object with the keys {keys}{', ...' if len(value) > 5 else ''}" if value else "an empty object"
    try:
        return shortened(one_line(json.dumps(value, ensure_ascii=False)))
    except (TypeError, ValueError):  # a Python object
        return quoted(value)


class _Reader:
    """A decoder that remembers what JSON forbids and Python reads: NaN, Infinity, and duplicate keys."""

    def __init__(self) -> None:
        self._twice: tuple[dict[str, Any], str] | None = None
        self._constant: str | None = None

    def decode(self, text: bytes) -> Any:
        return json.loads(text.decode(), object_pairs_hook=self._object, parse_constant=self._not_finite)

    def check(self, place: Place, value: Any) -> None:
        """That nothing was forbidden."""
        if self._twice is not None:
            owner, key = self._twice
            path = _path_to(value, lambda one: one is owner) or ()
            raise place.at(*path).error(f"duplicate key {json_text(key)}")
        if self._constant is not None:
            path = _path_to(value, lambda one: isinstance(one, float) and not math.isfinite(one)) or ()
            raise place.at(*path).error(f"found {self._constant}, which is not JSON, expected a finite number")

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs) and self._twice is None:
            seen: set[str] = set()
            again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            self._twice = found, again
        return found

    def _not_finite(self, constant: str) -> float:
        self._constant = self._constant or constant
        return math.nan


def _path_to(value: Any, wanted: Callable[[Any], bool]) -> tuple[str | int, ...] | None:
    """Where a value is within another one, without a stack that could overflow."""
    pending: list[tuple[Any, Any]] = [(value, None)]  # with the way there, from its end: (step, way before)
    while pending:
        one, way = pending.pop()
        if wanted(one):
            steps: list[str | int] = []
            while way is not None:
                step, way = way
                steps.append(step)
            return tuple(reversed(steps))
        entries: list[tuple[Hashable, Any]] = []
        if isinstance(one, dict):
            entries = list(one.items())
        elif isinstance(one, list):
            entries = list(enumerate(one))
        pending += [(inner, (key, way)) for key, inner in reversed(entries)]
    return None


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers from 1."""
    start, number = 0, 1
    while start < len(text):
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if line.strip(_BLANK):
            yield number, line
        start, number = end + 1, number + 1


def _starts_with_a_value(text: bytes) -> bool:
    """Whether the first line holds a whole value; of a text without further lines it makes no difference but for its line."""
    lines = _lines(text)
    _, first = next(lines)
    # A document of many lines has a short first one; a long first line that others follow is one of JSON Lines.
    return next(lines, None) is not None and _is_value(first)


def _is_value(line: bytes) -> bool:
    try:
        json.loads(line.decode())
    except RecursionError:
        return True  # which is said when it is read
    except ValueError:
        return False
    return True


def _expected(message: str) -> str:
    """What Python's reader says, in small letters."""
    return message[0].lower() + message[1:]
