"""Pieces of messages: text on one line, lists of words, hints at a word that was meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import Any

_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

ABSENT = "not computed"
"""In a table, instead of a number that nobody asked for."""


def one_line(text: str) -> str:
    r"""Text that breaks no line or table and commands no terminal: what breaks lines, turns their direction or is no character is spelt out.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    return _BREAKS.sub(lambda found: ascii(found[0])[1:-1], text)


def shortened(text: str, longest: int = 60) -> str:
    """Text that fits into a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def listed(words: Iterable[str]) -> str:
    """Words as one says them: ``a, b or c``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def is_number(cell: str) -> bool:
    """Whether the cell of a table is a number, or says why there is none."""
    return cell in ("undefined", ABSENT) or re.fullmatch(r"[+-]?\d*\.?\d+(e-?\d+)?( %)?", cell) is not None


def did_you_mean(word: Any, known: Iterable[str], *, cutoff: float = 0.6, plain: Callable[[str], str] = str.casefold) -> str:
    """A hint, if the word looks like a known one, both made `plain`; else nothing.

    >>> did_you_mean("aspect", ["aspects", "history"])
    "; did you mean 'aspects'?"
    """
    names = {plain(name): name for name in known}
    close = difflib.get_close_matches(plain(word), names, 1, cutoff) if isinstance(word, str) else ()
    return f"; did you mean {names[close[0]]!r}?" if close else ""
