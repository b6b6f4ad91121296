"""What can go wrong with what a user hands in. Every message says what was found and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from aspectrum.diagnostics.notices import PYTHON, Either, Option, Speaker

T = TypeVar("T")

_MOST = 20  # messages at once


class AspectrumError(Exception):
    """Any error this package raises on purpose. Its arguments are parts of the message: text, and options to use.

    >>> str(InputError("users in two blocks; use ", Option("order", "score")))
    "users in two blocks; use order='score'"
    """

    def said(self, speaker: Speaker) -> str:
        """The message in the words of who shows it."""
        return "".join(speaker.spelled(part) if isinstance(part, Option | Either) else str(part) for part in self.args)

    def __str__(self) -> str:
        return self.said(PYTHON)


class ArgumentError(AspectrumError, TypeError):
    """A call that Python refuses: an argument that the function does not have, or one that is missing."""


class InputError(AspectrumError, ValueError):
    """Data that cannot be evaluated: contradicting rows, ids that never match, codes out of range."""


class MissingInput(InputError):
    """A metric needs an input that was not given."""


class MetricError(AspectrumError, ValueError):
    """A metric that cannot be: an unknown name, an unknown parameter, a value outside its range."""


class OutputError(AspectrumError):
    """A file that cannot be written: no such directory, no permission, no space, an unknown format."""


class ConfigError(AspectrumError):
    """A configuration file that cannot be used: one line per mistake, with file, line and column."""


class MissingLibrary(AspectrumError, ImportError):
    """A library that an extra brings is not installed, or its version is not supported."""


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
    kinds = (type(several[0]), InputError, AspectrumError)
    kind = next(kind for kind in kinds if all(isinstance(error, kind) for error in several))
    more = [f"\nand {len(several) - _MOST} more"] if len(several) > _MOST else []
    return kind(*[part for error in several[:_MOST] for part in ("\n", *error.args)][1:], *more)
