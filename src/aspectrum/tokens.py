"""Cutoffs in tokens: a list counts as far as its documents fit into so many."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from aspectrum.errors import InputError, MetricError
from aspectrum.wording import shortened

PartialDocument = Literal["drop", "share", "keep", "skip"]
"""What becomes of the first document that does not fit."""


@dataclass(frozen=True, order=True)
class Tokens:
    """A cutoff in tokens, written ``4000t``: a list ends before the first document that does not fit.

    It is not a number, so that nothing can take it for a rank.

    >>> str(Tokens(4000)), Tokens(4000) == 4000
    ('4000t', False)
    """

    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int | np.integer) or not 1 <= self.n < 2**53:
            raise MetricError(f"Tokens({self.n!r}): expected a whole number from 1")
        object.__setattr__(self, "n", int(self.n))

    def __str__(self) -> str:
        return f"{self.n}t"


Cutoff = int | Tokens
"""A rank, -1 for the whole list, or a number of tokens."""


def cutoff_order(cutoff: Cutoff) -> tuple[int, int]:
    """Ranks come first, then tokens; -1, the whole list, is last."""
    if isinstance(cutoff, Tokens):
        return 1, cutoff.n
    return (0 if cutoff > 0 else 2), cutoff


def ranks_of(cutoffs: Iterable[Any]) -> list[int]:
    """Those that are ranks, or -1."""
    return [cutoff for cutoff in cutoffs if not isinstance(cutoff, Tokens)]


def budgets_of(cutoffs: Iterable[Any]) -> list[Tokens]:
    """Those in tokens."""
    return [cutoff for cutoff in cutoffs if isinstance(cutoff, Tokens)]


Tokenizer = Callable[[str], Any]
"""A text to its tokens, or to how many there are."""


def lengths_of(texts: Mapping[Any, str] | Iterable[tuple[Hashable, str]], tokenizer: Tokenizer | Literal["words"]) -> dict[Hashable, int]:
    """How many tokens documents have, for ``lengths=``.

    Args:
        texts: ``{document: text}``, or pairs of both.
        tokenizer: A function of a text: its tokens, or their number, such as ``tokenizer.encode`` of the model that reads the documents.
            ``"words"`` counts whitespace-separated words, which differ from any model's tokens.

    Examples:
        >>> lengths_of({"d1": "two words", "d2": "one"}, "words")
        {'d1': 2, 'd2': 1}
        >>> lengths_of({"d1": "two words"}, tokenizer=len)
        {'d1': 9}
    """
    if tokenizer == "words":
        count: Tokenizer = str.split
    elif callable(tokenizer):
        count = tokenizer
    else:
        raise InputError(f"tokenizer is {tokenizer!r}, expected a function of a text, or 'words'")
    if isinstance(texts, str | bytes | os.PathLike) or not isinstance(texts, Iterable):
        raise InputError(f"texts is {shortened(repr(texts))}, expected {{document: text}}, or pairs of both; files are not read here")
    if hasattr(texts, "columns"):
        pairs = "pairs of both, such as zip(frame['docid'], frame['text'])"
        raise InputError(f"texts is {type(texts).__name__}, expected {{document: text}}, or {pairs}")
    found: dict[Hashable, int] = {}
    for pair in texts.items() if isinstance(texts, Mapping) else texts:
        item, text = _two(pair)
        if not isinstance(text, str):
            raise InputError(f"the text of document {item!r} is {type(text).__name__}, expected text")
        tokens = count(text)
        if isinstance(tokens, Mapping | str | bytes) or (isinstance(tokens, Sized) and getattr(tokens, "ndim", 1) != 1):
            what = f"{type(tokens).__name__} for document {item!r}, expected a list of tokens"
            raise InputError(f"the tokenizer returns {what}; of a model's tokenizer, give tokenizer.encode")
        n = len(tokens) if isinstance(tokens, Sized) else tokens
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InputError(f"the tokenizer finds {n!r} tokens in document {item!r}, expected a whole number from 1")
        if found.setdefault(item, int(n)) != n:
            raise InputError(f"document {item!r} has two texts, of {found[item]} and {n} tokens")
    return found


def _two(pair: Any) -> tuple[Any, Any]:
    """A document and its text; two letters are none."""
    if not isinstance(pair, str | bytes):
        with suppress(TypeError, ValueError):
            item, text = pair
            return item, text
    raise InputError(f"texts: found {shortened(repr(pair))}, expected a pair of a document and its text")
