"""How much a rank counts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats

DiscountKind = Literal["log", "none", "reciprocal", "geometric"]

_first: dict["Discount", Floats] = {}


@dataclass(frozen=True)
class Discount:
    """The factor of rank j: 1/log_b(1+j), 1, 1/j, or b^(j-1)."""

    kind: DiscountKind
    parameter: float = 2.0

    def first(self, n: int) -> Floats:
        """The factors of ranks 1 to n, at least."""
        known = _first.get(self)
        if known is None or len(known) < n:
            size = max(128, 1 << (max(n, 1) - 1).bit_length())
            known = _first[self] = _TABLES[self.kind](size, self.parameter)
        return known


def geometric(n: int, ratio: float) -> Floats:
    """1, ratio, ratio^2 ..., n factors."""
    factors = np.full(n, ratio)
    factors[0] = 1.0
    return np.multiply.accumulate(factors)


_TABLES: dict[DiscountKind, Callable[[int, float], Floats]] = {
    "log": kernels.log_discounts,
    "none": lambda n, _: np.ones(n),
    "reciprocal": lambda n, _: 1.0 / np.arange(1.0, n + 1.0),
    "geometric": geometric,
}

LOG2 = Discount("log")
NONE = Discount("none")
RECIPROCAL = Discount("reciprocal")
