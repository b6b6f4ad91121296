"""How long documents are, and where a budget of tokens ends lists of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aspectrum.arrays import Counts, Floats
from aspectrum.errors import InputError
from aspectrum.tokens import PartialDocument


@dataclass(frozen=True, eq=False)
class Lengths:
    """Tokens of each item, by code; 0 for an item without a known length."""

    tokens: Counts

    def __post_init__(self) -> None:
        tokens = self.tokens
        if tokens.dtype.kind not in "iu" or tokens.ndim != 1 or (len(tokens) and not 0 <= tokens.min() <= tokens.max() < 2**53):
            raise InputError("lengths: expected one per item, a whole number from 1, or 0 where it is not known")
        object.__setattr__(self, "tokens", np.ascontiguousarray(tokens, dtype=np.int64))

    def stretched(self, n_items: int) -> Lengths:
        """The same for more items, without known lengths."""
        missing = n_items - len(self.tokens)
        if missing < 0:
            raise InputError(f"lengths speak of {len(self.tokens)} items, the world has {n_items}")
        return self if missing == 0 else replace(self, tokens=np.append(self.tokens, np.zeros(missing, np.int64)))


@dataclass(frozen=True, eq=False)
class Context:
    """The lists of a world that was cut at a number of tokens.

    Args:
        tokens: How many there are room for.
        partial: What became of the first document that does not fit.
        shares: What share of each list's last document counts; 1 where all of it does.
        used: How many tokens of each list count.
    """

    tokens: int
    partial: PartialDocument
    shares: Floats
    used: Counts
