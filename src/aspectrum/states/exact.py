"""Sums without rounding, as integers."""

from __future__ import annotations

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats

_UNIT = 1 << 1074


def exact_sums(values: Floats) -> tuple[list[int], list[int]]:
    """The sum of each column without rounding, in units of 2**-1074, and how many NaNs it leaves out.

    >>> sums, undefined = exact_sums(np.array([[1e100], [1.0], [-1e100]]))
    >>> rounded(sums[0])
    1.0
    """
    limbs, undefined = kernels.exact_sums(np.ascontiguousarray(values, dtype=np.float64))
    return [sum(limb << (32 * place) for place, limb in enumerate(column)) for column in limbs.tolist()], undefined.tolist()


def rounded(units: int) -> float:
    """An exact sum, rounded once (as :func:`math.fsum`)."""
    return units / _UNIT


def exact_sum(values: Floats) -> float:
    """The sum of all values, rounded once: the same bits in any order."""
    return rounded(exact_sums(values[:, np.newaxis])[0][0])
