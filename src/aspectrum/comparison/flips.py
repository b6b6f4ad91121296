"""Sign-flip randomisation: p-values of paired differences, exact or from flips that all comparisons share.

Values are put on a grid of whole numbers first. Sums are then the same on every machine, and sums that tie count as ties.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Counts, Floats
from aspectrum.states import exact_sums, rounded

MOST_EXACT = 30
"""Non-zero differences up to which a p-value is exact."""

MOST_ENUMERATED = 13
"""Users up to which max-T goes through all sign vectors."""

_BITS = 40
_BYTES_PER_CALL = 1 << 28


def on_grid(values: Floats, n: int) -> tuple[Counts, int]:
    """Values as whole multiples of 2**-shift, and the shift: fine enough for 40 bits, coarse enough that n of them add up within 2**52.

    >>> on_grid(np.array([0.1, 0.25, -0.7]), 3)
    (array([ 109951162778,  274877906944, -769658139443]), 40)
    """
    top = float(np.abs(values).max(initial=0.0))
    if top == 0.0:
        return np.zeros(values.shape, dtype=np.int64), 0
    bits = min(_BITS, 52 - math.ceil(math.log2(max(1, n))))
    shift = bits - math.frexp(top)[1]
    return np.rint(np.ldexp(values, shift)).astype(np.int64), shift


def tolerance(n: int) -> int:
    """How far sums of n values on the grid may be apart and still tie: rounding to the grid moves each by half a unit, in both sums."""
    return 2 * n


def exact_p(differences: Floats) -> tuple[int, int]:
    """Of all sign vectors of the non-zero differences, how many give a sum at least as extreme as the one found; and how many there are.

    Two halves of at most 15 differences meet in the middle.

    >>> exact_p(np.array([0.1, 0.2, -0.3]))  # the sum is 0, though not in floating point
    (8, 8)
    """
    units, _ = on_grid(differences, len(differences))
    units = units[units != 0]
    least = abs(int(units.sum())) - tolerance(len(differences))
    total = 1 << len(units)
    if least <= 0:
        return total, total
    left, right = (_signed_sums(half) for half in (units[: len(units) // 2], units[len(units) // 2 :]))
    right.sort()
    high = len(right) - np.searchsorted(right, least - left, side="left")
    low = np.searchsorted(right, -least - left, side="right")
    return int(high.sum() + low.sum()), total


def _signed_sums(units: Counts) -> Counts:
    sums = np.zeros(1, dtype=np.int64)
    for unit in units:
        sums = np.concatenate((sums + unit, sums - unit))
    return sums


@dataclass(frozen=True, eq=False)
class FlippedPair:
    """A difference of two columns on the grid.

    Args:
        n: Users.
        total: The sum of the differences.
        squares: The sum of their squares.
        sums: Of all columns under the shared flips, (flips, columns).
        b, a: The columns of the system and the baseline; None is a column of zeros.
    """

    n: int
    total: int
    squares: float
    sums: Counts
    b: int | None
    a: int | None

    @property
    def flipped(self) -> Counts:
        """The sum of the differences under each flip."""
        zeros = np.zeros(len(self.sums), dtype=np.int64)
        return (zeros if self.b is None else self.sums[:, self.b]) - (zeros if self.a is None else self.sums[:, self.a])

    def p(self, exact: bool = False) -> float:
        """Share of flips with a sum at least as extreme; the one found counts as a flip, unless all there are were tried."""
        b = int(np.count_nonzero(np.abs(self.flipped) >= abs(self.total) - tolerance(self.n)))
        return b / len(self.sums) if exact else (b + 1) / (len(self.sums) + 1)

    @cached_property
    def size(self) -> float:
        """|t|, as the flips have it."""
        return float(self._sizes(np.array([self.total], dtype=np.float64))[0])

    @property
    def sizes(self) -> Floats:
        """|t| under each flip."""
        return self._sizes(self.flipped.astype(np.float64))

    def _sizes(self, sums: Floats) -> Floats:
        whole = self.n * self.squares
        rest = whole - sums * sums
        sizes = np.full(len(sums), math.inf)
        varies = rest > 1e-12 * whole
        np.divide(self.n - 1, rest, out=sizes, where=varies)
        sizes[varies] = np.abs(sums[varies]) * np.sqrt(sizes[varies])
        return sizes if whole > 0 else np.zeros(len(sums))


class SharedFlips:
    """Sums of columns under flips that all of them share: user u flips in every column at once.

    Args:
        n_users: The users of the whole comparison, in sorted order.
        seed: Of the generator.
        n_flips: How many random flips; up to 13 users, all 2**n sign vectors are used instead.
    """

    def __init__(self, n_users: int, seed: int, n_flips: int) -> None:
        self.n_users, self.seed = n_users, seed
        self.exact = n_users <= MOST_ENUMERATED
        self.n_flips = 1 << n_users if self.exact else n_flips
        self._waiting: list[Counts] = []
        self._sums: list[Counts] = []

    def add(self, columns: Counts) -> int:
        """Take (users, columns) on the grid; the number of the first."""
        first = sum(map(_width, self._sums)) + sum(map(_width, self._waiting))
        self._waiting.append(columns)
        most = max(8, _BYTES_PER_CALL // (8 * max(1, self.n_users)) // 8 * 8)  # eight columns cost as much as one
        while sum(map(_width, self._waiting)) >= most:
            together = np.hstack(self._waiting)
            self._sums.append(self._summed(together[:, :most]))
            self._waiting = [together[:, most:]] if together.shape[1] > most else []
        return first

    def sums(self) -> Counts:
        """Of all columns, (flips, columns), each column in one piece."""
        if self._waiting:
            self._sums.append(self._summed(np.hstack(self._waiting)))
            self._waiting = []
        return np.asfortranarray(np.hstack(self._sums)) if self._sums else np.empty((self.n_flips, 0), dtype=np.int64)

    def _summed(self, columns: Counts) -> Counts:
        columns = np.ascontiguousarray(columns)
        if not self.exact:
            return kernels.flipped_sums(columns, self.seed, 0, self.n_flips)
        flips = (np.arange(self.n_flips)[:, np.newaxis] >> np.arange(self.n_users)) & 1
        return (1 - 2 * flips) @ columns


def _width(columns: Counts) -> int:
    return int(columns.shape[1])


def sum_of_squares(units: Counts) -> float:
    """Rounded once, whatever the machine."""
    return rounded(exact_sums((units.astype(np.float64) ** 2)[:, np.newaxis])[0][0])


@dataclass(frozen=True)
class Stepped:
    """Adjusted p-values by step-down max-T, and the 95 % point of the largest |t| under the flips."""

    p: list[float]
    critical: float


def step_down(pairs: Sequence[FlippedPair], p: Sequence[float], *, exact: bool, alpha: float = 0.05) -> Stepped:
    """Westfall and Young's step-down max-T over a family, with flips that the pairs share.

    Args:
        pairs: The family.
        p: The raw p-values, below which no adjusted one falls.
        exact: Whether the flips are all there are.
        alpha: The critical value is exceeded by this share of the flips.
    """
    if not pairs:
        return Stepped([], math.nan)
    order = sorted(range(len(pairs)), key=lambda place: pairs[place].size)  # the smallest first: the maximum grows with every pair
    largest = np.zeros(len(pairs[0].sums))
    adjusted = [0.0] * len(pairs)
    for place in order:
        pair = pairs[place]
        np.maximum(largest, pair.sizes, out=largest)
        b = int(np.count_nonzero(largest >= pair.size * (1 - 1e-9)))
        adjusted[place] = b / len(largest) if exact else (b + 1) / (len(largest) + 1)
    running = 0.0
    for place in reversed(order):
        running = max(running, adjusted[place])
        adjusted[place] = max(running, p[place])
    return Stepped(adjusted, float(np.quantile(largest, 1 - alpha, method="higher")))
