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
    return cell in ("undefined", "inf", ABSENT) or re.fullmatch(r"[+-]?\d*\.?\d+(e-?\d+)?( %)?", cell) is not None


def did_you_mean(word: Any, known: Iterable[str], *, cutoff: float = 0.6, plain: Callable[[str], str] = str.casefold) -> str:
    """A hint, if the word looks like a known one, both made `plain`; else nothing.

    >>> did_you_mean("aspect", ["aspects", "history"])
    "; did you mean 'aspects'?"
    """
    names = {plain(name): name for name in known}
    close = difflib.get_close_matches(plain(word), names, 1, cutoff) if isinstance(word, str) else ()
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def slips_between(word: str, known: str) -> int | None:
    """How many slips of the hand make a word of a known one; None if it rather is another word.

    Letters swapped, or one twice or once; of five letters any one mistake but in the first, in longer words two. Stricter than
    :func:`did_you_mean`, for words that differ little and mean different things.

    >>> slips_between("ndgc", "ndcg"), slips_between("sdcg", "ndcg"), slips_between("alfandcg", "alphandcg")
    (1, None, 2)
    """
    shorter = min(len(word), len(known))
    if shorter > 5 or (shorter == 5 and word[0] == known[0]):
        most = 2 if shorter > 5 else 1
        edits = _edits(word, known, most)
        return edits if edits <= most else None
    swapped = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    return 1 if known in swapped or _once(word) == _once(known) else None


def _once(word: str) -> str:
    """Without letters that repeat the one before."""
    return re.sub(r"(.)\1+", r"\1", word)


def _edits(one: str, other: str, most: int) -> int:
    """Letters to add, drop, change or swap with the next to get from one word to the other; one more than `most` if there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        earlier, before, row = before, row, [at + 1]
        for place, wanted in enumerate(other):
            cost = min(before[place] + (letter != wanted), before[place + 1] + 1, row[place] + 1)
            if at and place and letter == other[place - 1] and one[at - 1] == wanted:
                cost = min(cost, earlier[place - 1] + 1)
            row.append(cost)
    return min(row[-1], most + 1)
