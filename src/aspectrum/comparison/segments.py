"""Segments: differences broken down by an attribute of users."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.comparison.corrections import holm
from aspectrum.comparison.differences import FEWEST
from aspectrum.comparison.paired import Interval, fieller, means, paired, quantile, variances, welch
from aspectrum.comparison.scores import MetricScores
from aspectrum.errors import InputError
from aspectrum.user_traits import quantile_segments

UNKNOWN = "unknown"
MOST_NUMBERS = 12
"""Different numbers up to which each is a segment; more are cut into quarters."""

QUARTERS = ("lowest", "low", "high", "highest")


def _number(value: Hashable) -> float:
    return float(value) if isinstance(value, int | float) else np.nan


@dataclass(frozen=True, eq=False)
class Attribute:
    """What users are told apart by.

    Args:
        name: Of the attribute.
        segments: Their names, in order.
        codes: The segment of each user of a comparison; -1 if it is not known.
        note: What a reader should know.
    """

    name: str
    segments: tuple[str, ...]
    codes: Codes
    note: str = ""

    @classmethod
    def of(cls, name: str, given: Mapping[Hashable, Hashable], users: Sequence[Hashable], note: str = "") -> Attribute:
        """From the segment of each user; segments are in the order of their names, numbers by value."""
        by_text = {str(user): segment for user, segment in given.items()}  # ids of a text file are text
        known = {user: given.get(user, by_text.get(str(user))) for user in users}
        if all(segment is None for segment in known.values()):
            raise InputError(f"segments {name!r}: none of the users compared has one; are these ids of the same users?")
        present = {segment for segment in known.values() if segment is not None and segment == segment and segment != UNKNOWN}
        numbers = all(isinstance(segment, int | float) for segment in present)
        if numbers and len(present) > MOST_NUMBERS:
            return cls.by_quantiles(name, np.array([_number(known[user]) for user in users]), QUARTERS, note)
        segments = sorted(present, key=(lambda one: one) if numbers else str)
        code_of = {segment: code for code, segment in enumerate(segments)}
        codes = np.array([code_of.get(segment, -1) for segment in known.values()], dtype=np.int32)
        return cls(name, tuple(map(str, segments)), codes, note)

    @classmethod
    def by_quantiles(cls, name: str, values: Floats, names: tuple[str, ...], note: str = "") -> Attribute:
        """From a number for each user, NaN where it is not known."""
        segments = quantile_segments(values, names)
        codes = np.full(len(values), -1, dtype=np.int32)
        for code, flags in enumerate(segments.values()):
            codes[flags] = code
        return cls(name, tuple(segments), codes, note)

    def places(self) -> list[tuple[str, Flags]]:
        """Segments with a flag for each user who is in them; users without a segment come last."""
        found = [(name, self.codes == code) for code, name in enumerate(self.segments)]
        return [*found, (UNKNOWN, self.codes < 0)] if (self.codes < 0).any() else found


@dataclass(frozen=True)
class SegmentDifference:
    """System B against A on one metric, among the users of one segment; there is no interval below ten of them.

    Each interval holds by itself: they are not corrected for many segments.
    """

    metric: str
    system: str
    baseline: str
    attribute: str
    segment: str
    users: int
    n: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: Interval | None
    relative: float | None
    relative_interval: Interval | None


@dataclass(frozen=True)
class SegmentTest:
    """Whether the difference depends on the segment: Welch's F over segments of at least ten users, p by Holm over metrics."""

    metric: str
    system: str
    baseline: str
    attribute: str
    f: float
    df: tuple[float, float]
    p: float
    p_adjusted: float
    alpha: float = 0.05
    left_out: tuple[str, ...] = ()  # segments in which nothing varies, or with fewer than ten users

    @property
    def said(self) -> str:
        without = f" ({', '.join(self.left_out)} left out: too few users, or nothing varies)" if self.left_out else ""
        if self.p_adjusted <= self.alpha:
            return f"the effect differs between segments, adjusted p = {self.p_adjusted:.3g}{without}"
        return f"no evidence that the effect differs{without}"


@dataclass(frozen=True)
class SegmentMean:
    """The mean of one system on one metric among the users of one segment."""

    users: int
    mean: float
    interval: Interval | None


def segment_differences(
    metric: MetricScores, attribute: Attribute, names: Sequence[str], a: int, b: int, level: float
) -> list[SegmentDifference]:
    """The difference of two systems in each segment."""
    both = metric.defined[:, a] & metric.defined[:, b]
    found = []
    for segment, flags in attribute.places():
        users = np.flatnonzero(flags & both)
        n, head = len(users), (metric.name, names[b], names[a], attribute.name, segment, int(flags.sum()))
        if n == 0:
            found.append(SegmentDifference(*head, 0, None, None, None, None, None, None))
            continue
        columns = metric.contributions(users, [a, b])
        mean_a, mean_b = means(columns).tolist()
        d = paired(metric.cleared(columns[:, 1] - columns[:, 0]))
        interval, ratio = None, None
        if n >= FEWEST:
            interval = d.interval(level)
            spread = variances(columns, np.array([mean_a, mean_b])) / n
            if mean_a > 0:
                cov = (spread.sum() - d.sd**2 / n) / 2
                ratio = fieller(mean_a, mean_b, float(spread[0]), float(spread[1]), float(cov), quantile((1 + level) / 2, n - 1))
        relative = mean_b / mean_a - 1 if mean_a > 0 else None
        found.append(SegmentDifference(*head, n, mean_a, mean_b, d.mean, interval, relative, ratio))
    return found


def segment_means(metric: MetricScores, attribute: Attribute, place: int, level: float) -> dict[str, SegmentMean]:
    """The mean of one system in each segment."""
    found = {}
    for segment, flags in attribute.places():
        users = np.flatnonzero(flags & metric.defined[:, place])
        one = paired(metric.contributions(users, [place])[:, 0]) if len(users) else None
        interval = one.interval(level) if one is not None and one.n >= FEWEST else None
        found[segment] = SegmentMean(len(users), np.nan if one is None else one.mean, interval)
    return found


def segment_test(
    metric: MetricScores, attribute: Attribute, a: int, b: int
) -> tuple[float, tuple[float, float], float, tuple[str, ...]] | None:
    """Welch's F on differences: F, its degrees of freedom, p, and segments that are left out; None if fewer than two can be tested."""
    both, groups = metric.defined[:, a] & metric.defined[:, b], []
    left_out = []
    for name, flags in attribute.places():
        users = np.flatnonzero(flags & both)
        if len(users) >= FEWEST:
            columns = metric.contributions(users, [a, b])
            d: Floats = metric.cleared(columns[:, 1] - columns[:, 0])
            if metric.vary(d):
                groups.append(d)
                continue
        left_out.append(name)
    if len(groups) < 2:
        return None
    f, first, second, p = welch(groups)
    return f, (first, second), p, tuple(left_out)


def with_holm(tests: Sequence[SegmentTest]) -> list[SegmentTest]:
    """P-values corrected over the metrics of each pair of systems and attribute."""
    adjusted: dict[int, float] = {}
    for key in dict.fromkeys((one.system, one.baseline, one.attribute) for one in tests):
        places = [place for place, one in enumerate(tests) if (one.system, one.baseline, one.attribute) == key]
        adjusted |= dict(zip(places, holm([tests[place].p for place in places]), strict=True))
    return [replace(one, p_adjusted=adjusted[place]) for place, one in enumerate(tests)]
