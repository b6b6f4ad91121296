"""Warnings reach people: through Python's ``warnings``, as errors where that is asked for, or not at all."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

import numpy as np

from aspectrum.diagnostics.notices import PYTHON, WARNINGS, Notice, Speaker, levelled
from aspectrum.errors import AspectrumWarning, InputError, StrictError
from aspectrum.wording import did_you_mean

_PACKAGE = __name__.partition(".")[0]


class Attention:
    """What becomes of the warnings of one call: each kind is said once.

    Args:
        strict: Warnings are errors.
        ignore: Kinds of warnings that are notes, as the user knows of them.
        speaker: In whose words warnings are.
        said: Kinds that have been said.
    """

    def __init__(self, strict: bool = False, ignore: str | Iterable[str] = (), speaker: Speaker = PYTHON, said: Iterable[str] = ()) -> None:
        if not isinstance(strict, bool | np.bool_):
            raise InputError(f"strict is {strict!r}, expected True or False")
        if not isinstance(ignore, Iterable):
            raise InputError(f"ignore is {ignore!r}, expected a kind of warning, or several")
        self._ignored = frozenset([ignore] if isinstance(ignore, str) else ignore)
        self._strict, self._speaker = bool(strict), speaker
        self._said = set(said)
        for kind in sorted(self._ignored.difference(WARNINGS), key=str):
            raise InputError(f"ignore: unknown warning kind {kind!r}{did_you_mean(str(kind), WARNINGS)}")

    def draw(self, notices: Iterable[Notice]) -> tuple[Notice, ...]:
        """Say what are warnings, and return all notices; those to be ignored are notes."""
        found = levelled(notices, ignore=self._ignored)
        kinds: dict[str, list[Notice]] = {}
        for one in found:
            if one.level == "warning" and one.kind not in self._said:
                kinds.setdefault(one.kind, []).append(one)
        if self._strict and kinds:
            raise StrictError([one for alike in kinds.values() for one in alike], self._speaker)
        self._said |= kinds.keys()
        for alike in kinds.values():
            warnings.warn(AspectrumWarning(alike, self._speaker), stacklevel=_outside())
        return found


def _outside() -> int:
    """How many calls away the caller of the package is, seen from where :meth:`Attention.draw` warns."""
    level, frame = 0, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    return level + 1
