"""How much a rank counts."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats, Offsets

DiscountKind = Literal["log", "none", "reciprocal", "geometric", "clipped"]

_kept: dict["Discount", Floats] = {}
_lock = Lock()
_MOST_KEPT = 2**20
"""Numbers that are kept, of all tables together."""


@dataclass(frozen=True)
class Discount:
    """The factor of rank j: 1/log_b(1+j), 1, 1/j, b^(j-1), or 1/log2(max(j, 2))."""

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


def _clipped(rank: int, n: int) -> Floats:
    """1 / log2 of the n ranks after a rank, those of ranks 1 and 2 being 1."""
    return np.append(1.0, kernels.log_discounts(0, n, 2.0)[: n - 1]) if rank == 0 else kernels.log_discounts(rank - 1, n, 2.0)


_TABLES: dict[DiscountKind, Callable[[int, int, float], Floats]] = {
    "log": kernels.log_discounts,
    "none": lambda _, n, __: np.ones(n),
    "reciprocal": lambda rank, n, _: 1.0 / np.arange(rank + 1.0, rank + n + 1.0),
    "geometric": lambda _, n, ratio: geometric(n, ratio),
    "clipped": lambda rank, n, _: _clipped(rank, n),
}

LOG2 = Discount("log")
NONE = Discount("none")
RECIPROCAL = Discount("reciprocal")


def rank_discount(kind: DiscountKind, patience: float) -> Discount:
    """The discount that a metric's parameters name; ``patience`` is that of ``geometric``."""
    return Discount(kind, patience) if kind == "geometric" else Discount(kind)


_RANKS_AT_A_TIME = 2**16


def discount_sums(discount: Discount, depths: Offsets, kept: float = 1.0) -> Floats:
    """The sum over the first ranks of kept^(j-1) x discount, at each of some ascending depths; memory does not grow with them."""
    if discount.kind == "geometric":
        return discount_sums(NONE, depths, kept * discount.parameter)
    sums = np.empty(len(depths))
    total, factor, rank = 0.0, 1.0, 0
    while rank < depths.max(initial=0):
        n = int(min(_RANKS_AT_A_TIME, depths[-1] - rank))
        factors = geometric(n, kept, factor)
        terms = discount.after(rank, n) * factors
        so_far = np.cumsum(np.append(total, terms))
        here = (depths >= rank) & (depths <= rank + n)
        sums[here] = so_far[depths[here] - rank]
        total, factor, rank = float(so_far[-1]), float(factors[-1]) * kept, rank + n
        if total + 2.0 * terms[-1] == total:  # what is added never grows, so nothing changes any more
            sums[depths > rank] = total
            break
    return sums
