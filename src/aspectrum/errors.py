"""Errors and warnings about what a user hands in. Every message says what was found and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Self, TypeVar

from aspectrum.diagnostics.notices import PYTHON, Notice, Option, Speaker  # noqa: F401  options are parts of messages

T = TypeVar("T")

_MOST = 20  # messages at once


class AspectrumError(Exception):
    """Any error this package raises on purpose. Its arguments are parts of the message: text, options to use, and notices.

    >>> str(InputError("users in two blocks; use ", Option("order", "score")))
    "users in two blocks; use order='score'"
    """

    def said(self, speaker: Speaker) -> str:
        """The message in the words of who shows it."""
        return "".join(map(speaker.worded, self.args))

    def __str__(self) -> str:
        return self.said(PYTHON)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class ArgumentError(AspectrumError, TypeError):
    """A call that Python refuses: an argument that the function does not have, or one that is missing."""


class InputError(AspectrumError, ValueError):
    """Data that cannot be evaluated: contradicting rows, ids that never match, codes out of range."""


class StrictError(InputError):
    """Warnings that are errors because of ``strict``; `notices` holds them as data."""

    def __init__(self, notices: Sequence[Notice], speaker: Speaker = PYTHON) -> None:
        super().__init__(notices, speaker)
        self.notices = tuple(notices)
        self._speaker = speaker

    def said(self, speaker: Speaker) -> str:
        whose = replace(self._speaker, on_command_line=speaker.on_command_line)
        return "\n".join(notice.with_kind(whose) for notice in self.notices)


class MissingInput(InputError):
    """A metric needs an input that was not given."""


class MetricError(AspectrumError, ValueError):
    """A metric that cannot be: an unknown name, an unknown parameter, a value outside its range."""


class UnusedParameter(MetricError):
    """A parameter that would have no effect, as it goes with other values of another one."""

    parameter = ""

    @classmethod
    def of(cls, parameter: str, message: str) -> Self:
        error = cls(message)
        error.parameter = parameter
        return error


class OutputError(AspectrumError):
    """A file that cannot be written: no such directory, no permission, no space, an unknown format."""


class GateFailure(AspectrumError):
    """A condition on a comparison that is not met."""


class ConfigError(AspectrumError):
    """A configuration file that cannot be used: one line per mistake, with file, line and column."""


class MissingLibrary(AspectrumError, ImportError):
    """A library that an extra brings is not installed, or its version is not supported."""


class AspectrumWarning(UserWarning):
    """A number that is probably not what is meant, and why.

    Attributes:
        kind: What it is about, in a word; ``ignore=kind`` silences it.
        notices: The findings of this kind, as data.
    """

    def __init__(self, notices: Sequence[Notice], speaker: Speaker = PYTHON) -> None:
        super().__init__(notices, speaker)
        self.notices = tuple(notices)
        self.kind = self.notices[0].kind
        self._speaker = speaker

    def said(self, speaker: Speaker) -> str:
        """In the words of who shows it; findings that are alike are counted."""
        first, *others = (notice.with_kind(replace(self._speaker, on_command_line=speaker.on_command_line)) for notice in self.notices)
        return f"{first} (and {len(others)} more like it)" if others else first

    def __str__(self) -> str:
        return self.said(PYTHON)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


def each(attempts: Iterable[Callable[[], T]]) -> list[T]:
    """What some functions return; what is wrong with any of them is said at once, one line each.

    >>> each([lambda: int("1"), lambda: int("2")])
    [1, 2]
    """
    found: list[T] = []
    errors: list[AspectrumError] = []
    for attempt in attempts:
        try:
            found.append(attempt())
        except AspectrumError as error:
            errors.append(error)
    if errors:
        raise joined(errors)
    return found


def joined(errors: Sequence[AspectrumError]) -> AspectrumError:
    """Several errors as one, of a kind that all of them are: each message once, on a line of its own, and not too many."""
    several = list({str(error): error for error in errors}.values())
    if len(several) == 1:
        return several[0]
    kind: type[AspectrumError] = next(kind for kind in type(several[0]).__mro__ if all(isinstance(error, kind) for error in several))
    more = [f"\nand {len(several) - _MOST} more"] if len(several) > _MOST else []
    return kind(*[part for error in several[:_MOST] for part in ("\n", *error.args)][1:], *more)
