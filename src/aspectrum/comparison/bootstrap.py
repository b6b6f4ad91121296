"""Bootstrap intervals of means and ratios of sums over users, on request."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.comparison.flips import on_grid, tolerance
from aspectrum.comparison.paired import Interval, moments
from aspectrum.comparison.paired import means as means_of


@dataclass(frozen=True)
class BootstrapIntervals:
    """Two intervals from the same resamples; z0 and a are what BCa corrects by."""

    percentile: Interval
    bca: Interval | None  # None where it would be infinite: everything lies on one side
    z0: float
    a: float


def bootstrap(differences: Floats, *, seed: int, resamples: int, level: float = 0.95) -> BootstrapIntervals:
    """Intervals of the mean difference from users drawn with replacement."""
    units, shift = on_grid(differences, len(differences))
    sums = kernels.resampled_sums(units[:, np.newaxis], seed, 0, resamples)[:, 0]
    return intervals_of(differences, np.asarray(sums), int(units.sum()), shift, level)


def intervals_of(differences: Floats, sums: Floats, total: int, shift: int, level: float = 0.95) -> BootstrapIntervals:
    """Intervals from sums of resamples on the grid.

    Args:
        differences: Of all users.
        sums: Of the resamples, in units of 2**-shift.
        total: The sum of all users, in the same units.
    """
    n = len(differences)
    below = np.count_nonzero(sums < total - tolerance(n)) + np.count_nonzero(np.abs(sums - total) <= tolerance(n)) / 2
    return _intervals(differences, np.ldexp(sums.astype(np.float64), -shift) / n, below / len(sums), level)


def ratio_bootstrap(
    contributions: Floats, system: tuple[Floats, Floats], baseline: tuple[Floats, Floats], *, seed: int, resamples: int, level: float = 0.95
) -> BootstrapIntervals:
    """Intervals of the difference of two ratios of sums.

    Args:
        contributions: Differences of the linearised ratios, whose mean is the difference.
        system, baseline: Numerators and denominators of the users.
    """
    grids = [on_grid(values, len(values)) for values in (*system, *baseline)]
    sums = kernels.resampled_sums(np.column_stack([units for units, _ in grids]), seed, 0, resamples)
    tops = [np.ldexp(sums[:, place].astype(np.float64), -shift) for place, (_, shift) in enumerate(grids)]
    found = tops[0] / tops[1] - tops[2] / tops[3]
    mean = float(means_of(contributions[:, np.newaxis])[0])
    near = np.abs(found - mean) <= 1e-12 * np.abs(found).max(initial=0.0)
    below = np.count_nonzero((found < mean) & ~near) + np.count_nonzero(near) / 2
    return _intervals(contributions, found, below / len(found), level)


def _intervals(differences: Floats, found: Floats, share_below: float, level: float) -> BootstrapIntervals:
    from scipy.special import ndtr, ndtri

    ends = (1 - level) / 2, (1 + level) / 2

    def at(shares: tuple[float, float]) -> Interval:
        low, high = np.quantile(found, shares)
        return float(low), float(high)

    mean = float(means_of(differences[:, np.newaxis])[0])
    second, third = moments(differences, mean)
    if second == 0:
        return BootstrapIntervals((mean, mean), (mean, mean), 0.0, 0.0)
    z0, a = float(ndtri(share_below)), float(third / (6 * second**1.5))
    if math.isinf(z0):
        return BootstrapIntervals(at(ends), None, z0, a)
    shares = [float(ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))) for z in map(float, ndtri(ends))]
    return BootstrapIntervals(at(ends), at((shares[0], shares[1])), z0, a)
