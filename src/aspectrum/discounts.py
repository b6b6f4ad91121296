"""How much a rank counts."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats

DiscountKind = Literal["log", "none", "reciprocal", "geometric"]

_kept: dict["Discount", Floats] = {}
_lock = Lock()
_MOST_KEPT = 2**20
"""Numbers that are kept, of all tables together."""


@dataclass(frozen=True)
class Discount:
    """The factor of rank j: 1/log_b(1+j), 1, 1/j, or b^(j-1)."""

    kind: DiscountKind
    parameter: float = 2.0

    def first(self, n: int) -> Floats:
        """The factors of ranks 1 to n, at least."""
        known = _kept.get(self)
        if known is None or len(known) < n:
            size = max(128, 1 << (max(n, 1) - 1).bit_length())
            known = self.after(0, size)
            with _lock:
                _kept.pop(self, None)
                _kept[self] = known
                while sum(map(len, _kept.values())) > _MOST_KEPT:
                    del _kept[next(iter(_kept))]  # the oldest
        return known

    def after(self, rank: int, n: int) -> Floats:
        """The factors of the n ranks after a rank; of kind ``geometric`` of the first ranks only."""
        return _TABLES[self.kind](rank, n, self.parameter)


def geometric(n: int, ratio: float, first: float = 1.0) -> Floats:
    """first, first * ratio, first * ratio^2 ..., n factors."""
    factors = np.full(n, ratio)
    factors[0] = first
    return np.multiply.accumulate(factors)


_TABLES: dict[DiscountKind, Callable[[int, int, float], Floats]] = {
    "log": kernels.log_discounts,
    "none": lambda _, n, __: np.ones(n),
    "reciprocal": lambda rank, n, _: 1.0 / np.arange(rank + 1.0, rank + n + 1.0),
    "geometric": lambda _, n, ratio: geometric(n, ratio),
}

LOG2 = Discount("log")
NONE = Discount("none")
RECIPROCAL = Discount("reciprocal")
