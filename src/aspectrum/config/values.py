"""Values of a file with their places, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from aspectrum.errors import ConfigError
from aspectrum.wording import did_you_mean, listed, one_line, shortened

Place = tuple[int, int]
"""Line and column, from 1."""

UNREADABLE = object()
"""The value of what has been reported already."""


@dataclass(frozen=True)
class Value:
    """A value of the file: None, bool, int, float, str, a list or dict of such, or unreadable; and where it stands."""

    value: Any
    place: Place
    text: str = ""  # a scalar as it stands in the file
    key: Place | None = None  # where the key before it stands

    @property
    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: inner.plain for key, inner in self.value.items()}
        if isinstance(self.value, list):
            return [inner.plain for inner in self.value]
        return self.value

    @property
    def found(self) -> str:
        """The value in words."""
        if isinstance(self.value, dict | list):
            return "a mapping" if isinstance(self.value, dict) else "a list"
        text = shortened(self.text)
        if self.value is None:
            return text or "nothing"
        if isinstance(self.value, bool):
            read_as = str(self.value).lower()
            return text if text.lower() == read_as else f"{text}, which YAML reads as {read_as}"
        if isinstance(self.value, str):
            return repr(text) if text else "empty text"
        return f"the number {text}"


class Mistakes:
    """What is wrong with a file, and where."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: set[tuple[int, int, str]] = set()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, written: Value, where: Iterable[str], message: str, *, key: bool = False) -> None:
        """A mistake in a value, or in the key before it if there is one."""
        self.add_at((written.key if key else None) or written.place, where, message)

    def add_at(self, place: Place, where: Iterable[str], message: str) -> None:
        """A mistake at a line and column; `where` are the keys that lead there."""
        names = ".".join(where)
        self._found.add((*place, f"{names}: {message}" if names else message))

    def report(self) -> NoReturn:
        """All that was found, one line each."""
        raise ConfigError("\n".join(one_line(f"{self._file}:{line}:{column}: {said}") for line, column, said in sorted(self._found)))

    def stop(self, message: str, place: Place | None = None) -> NoReturn:
        """Report a mistake after which nothing can be read; without a place, it is one of the file as a whole."""
        if place is not None:
            self.add_at(place, (), message)
            self.report()
        raise ConfigError(one_line(f"{self._file}: {message}"))


def unknown_key(key: str, known: Iterable[str], belongs: str | None = None) -> str:
    """What to say of a key that nobody reads here, and under which other it belongs."""
    hint = did_you_mean(key, known) if belongs is None else f"; it belongs under {belongs}"
    return f"unknown key {shortened(key)!r}, expected {listed(known)}{hint}"
