"""Paired differences: t, intervals, effect sizes, equivalence and power, for many columns at once.

Sums are exact and rounded once, so that no order of users and no machine shows; quantiles come from scipy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.states import exact_sums, rounded

Interval = tuple[float, float]


def column_sums(values: Floats) -> Floats:
    """Of (users, columns), each rounded once."""
    return np.array([rounded(total) for total in exact_sums(values)[0]])


def means(values: Floats) -> Floats:
    return column_sums(values) / len(values)


def variances(values: Floats, centres: Floats) -> Floats:
    """With n - 1, after the means are subtracted."""
    return column_sums((values - centres) ** 2) / (len(values) - 1)


def tail(t: float, df: float) -> float:
    """P(T >= t)."""
    from scipy.special import stdtr

    return float(stdtr(df, -t))


def quantile(p: float, df: float) -> float:
    """Of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


@dataclass(frozen=True)
class Paired:
    """Differences d of n users: their mean and standard deviation, and what follows from them."""

    n: int
    mean: float
    sd: float

    @property
    def df(self) -> int:
        return self.n - 1

    @property
    def se(self) -> float:
        return self.sd / math.sqrt(self.n)

    @property
    def t(self) -> float:
        """0 if all differences are 0, infinite if all are equal otherwise."""
        if self.sd == 0:
            return math.copysign(math.inf, self.mean) if self.mean else 0.0
        return self.mean / self.se

    @property
    def p(self) -> float:
        """Two-sided, of Student's t."""
        return min(1.0, 2 * tail(abs(self.t), self.df))

    def interval(self, level: float = 0.95) -> Interval:
        half = quantile((1 + level) / 2, self.df) * self.se
        return self.mean - half, self.mean + half

    @property
    def effect_size(self) -> float | None:
        """d_z: the mean in standard deviations; None where they do not vary."""
        return self.mean / self.sd if self.sd else None

    def effect_interval(self, level: float = 0.95) -> Interval | None:
        from scipy.special import ndtri

        if self.effect_size is None:
            return None
        half = float(ndtri((1 + level) / 2)) * math.sqrt(1 / self.n + self.effect_size**2 / (2 * self.n))
        return self.effect_size - half, self.effect_size + half

    def minimum_detectable(self, critical: float, power: float = 0.8) -> float:
        """The true difference that would exceed the critical value of t in this share of samples."""
        return (critical + quantile(power, self.df)) * self.se

    def equivalence_p(self, margin: float) -> float:
        """Two one-sided tests: the larger p of "at least the margin below" and "at least the margin above"."""
        if self.sd == 0:
            return 0.0 if abs(self.mean) < margin else 1.0
        return max(tail((self.mean + margin) / self.se, self.df), tail((margin - self.mean) / self.se, self.df))


def paired(differences: Floats) -> Paired:
    """Of one column."""
    columns = differences[:, np.newaxis]
    mean = means(columns)
    return Paired(len(differences), float(mean[0]), math.sqrt(variances(columns, mean)[0]) if len(differences) > 1 else math.nan)


def fieller(mean_a: float, mean_b: float, var_a: float, var_b: float, cov: float, critical: float) -> Interval | None:
    """Interval of mean_b / mean_a - 1; None if it is unbounded, as the baseline's mean may be 0.

    Args:
        var_a, var_b, cov: Variances of the means, and their covariance.
        critical: Quantile of t.
    """
    if mean_a == 0:
        return None
    ratio, square = mean_b / mean_a, critical * critical
    spread_a, spread_b, shared = (square * one / mean_a / mean_a for one in (var_a, var_b, cov))  # in units of the mean: no scale overflows
    a, b, e = 1 - spread_a, ratio - shared, ratio * ratio - spread_b
    if a <= 0:
        return None
    root = math.sqrt(max(0.0, b * b - a * e))
    return (b - root) / a - 1, (b + root) / a - 1


def skewness(differences: Floats, mean: float) -> float:
    """Third moment over n; 0 where nothing varies."""
    second, third = moments(differences, mean) / len(differences)
    return float(third / second**1.5) if second > 0 else 0.0


def moments(differences: Floats, mean: float) -> Floats:
    """Sums of squares and of cubes around the mean."""
    centred = differences - mean
    squares = centred * centred
    return column_sums(np.column_stack((squares, squares * centred)))


def is_too_skewed(n: int, skew: float) -> bool:
    """Cochran's rule: so few users for such skewness that intervals and t tests may be inaccurate."""
    return n < 25 * skew * skew


def linearised(numerators: Floats, denominators: Floats) -> tuple[float, Floats]:
    """A ratio of sums, and one number per user whose mean it is: c_u = R + (N_u - R D_u) / mean(D)."""
    top, bottom = column_sums(np.column_stack((numerators, denominators)))
    ratio = float(top / bottom)
    return ratio, ratio + (numerators - ratio * denominators) / (bottom / len(denominators))


def sign_test(wins: int, losses: int) -> float:
    """Binomial on wins against losses, two-sided; ties are dropped."""
    from scipy.special import bdtr

    n, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2 * float(bdtr(fewer, n, 0.5))) if n else 1.0


def wilcoxon(differences: Floats) -> float:
    """Signed ranks without the zeros; exact up to 13 of them, else the normal approximation without correction."""
    from scipy import stats

    some = differences[differences != 0]
    if not len(some):
        return 1.0
    if len(some) <= 13:
        return float(stats.wilcoxon(some, zero_method="wilcox", correction=False, method=stats.PermutationMethod()).pvalue)
    try:
        found = stats.wilcoxon(some, zero_method="wilcox", correction=False, method="asymptotic")
    except ValueError:  # what SciPy called it before 1.15
        found = stats.wilcoxon(some, zero_method="wilcox", correction=False, method="approx")
    return float(found.pvalue)


def welch(groups: list[Floats]) -> tuple[float, float, float, float]:
    """Welch's F over groups that vary: F, its two degrees of freedom, p."""
    from scipy.special import fdtrc

    k = len(groups)
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    centres = np.array([means(group[:, np.newaxis])[0] for group in groups])
    spread = np.array([variances(group[:, np.newaxis], centre)[0] for group, centre in zip(groups, centres, strict=True)])
    weights = sizes / spread
    centre = (weights * centres).sum() / weights.sum()
    lost = ((1 - weights / weights.sum()) ** 2 / (sizes - 1)).sum()
    f = (weights * (centres - centre) ** 2).sum() / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * lost)
    df = (k * k - 1) / (3 * lost)
    return float(f), float(k - 1), float(df), float(fdtrc(k - 1, df, f))
