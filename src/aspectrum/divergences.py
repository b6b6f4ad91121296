"""How far apart two distributions over aspects are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets, choose_segments
from aspectrum.errors import MetricError

DivergenceKind = Literal["kl", "js", "js_distance", "hellinger", "tv"]
LogBase = float | Literal["e"]


@dataclass(frozen=True, eq=False)
class Distributions:
    """Sparse distributions, one per cell: that of cell c is ``shares[offsets[c]:offsets[c + 1]]`` over the codes there, which ascend.

    A cell with no code is one of which nothing is known; the shares of any other add up to 1.
    """

    offsets: Offsets
    codes: Codes
    shares: Floats

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Offsets:
        """How many codes each cell has."""
        return np.diff(self.offsets)

    def __add__(self, other: Distributions) -> Distributions:
        """The cells of both, one after the other."""
        offsets = np.append(self.offsets, self.offsets[-1] + other.offsets[1:])
        return Distributions(offsets, np.append(self.codes, other.codes), np.append(self.shares, other.shares))

    def take(self, cells: Offsets) -> Distributions:
        offsets, entries = choose_segments(self.offsets, cells)
        return Distributions(offsets, self.codes[entries], self.shares[entries])


def cell_sums(offsets: Offsets, values: Floats) -> Floats:
    """The sum of each segment, from its largest value on."""
    sizes = np.diff(offsets).astype(np.int32)[:, np.newaxis]
    return kernels.sorted_sums(offsets, np.ascontiguousarray(values), sizes, sizes, np.ones(int(sizes.max(initial=0))))[:, 0]


def number_of(base: LogBase) -> float:
    return math.e if base == "e" else base


@dataclass(frozen=True)
class Divergence:
    """A way to compare a distribution p with another, q.

    Args:
        kind: ``kl`` is the sum of p log(p / q); ``js`` the mean of the KL divergences of p and of q from (p + q) / 2, ``js_distance``
            its root; ``hellinger`` the root of half the sum of (sqrt p - sqrt q)^2; ``tv`` half the sum of |p - q|.
        alpha: What is mixed into q of p, so that KL is finite.
        both: Mix as much into p of q, whatever the kind.
        base: Of the logarithms.
    """

    kind: DivergenceKind
    alpha: float = 0.0
    both: bool = False
    base: float = 2.0

    def of_pairs(self, p: Distributions, q: Distributions, left: Offsets, right: Offsets) -> Floats:
        """How far cell ``right[i]`` of q is from cell ``left[i]`` of p; NaN where either is not known."""
        cells = [np.ascontiguousarray(cells, dtype=np.int32) for cells in (left, right)]
        distributions = p.offsets, p.codes, p.shares, q.offsets, q.codes, q.shares
        return kernels.divergences(*distributions, cells[0], cells[1], self.kind, self.alpha, self.both, self.base)


def check_base(base: LogBase, metric: str) -> None:
    if number_of(base) <= 1:
        raise MetricError(f"{metric}: base is {base:g}, expected 'e' or a number above 1")
