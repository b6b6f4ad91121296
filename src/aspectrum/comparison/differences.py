"""Differences of systems on each metric: computed for all pairs, tested with shared flips, corrected within a family."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from aspectrum.arrays import Counts, Floats, Offsets
from aspectrum.coding import Ids
from aspectrum.comparison.bootstrap import bootstrap, ratio_bootstrap
from aspectrum.comparison.corrections import benjamini_hochberg, holm
from aspectrum.comparison.flips import MOST_EXACT, FlippedPair, SharedFlips, exact_p, on_grid, step_down, sum_of_squares
from aspectrum.comparison.paired import (
    Interval,
    Paired,
    fieller,
    is_too_skewed,
    means,
    paired,
    quantile,
    sign_test,
    skewness,
    variances,
    wilcoxon,
)
from aspectrum.comparison.scores import MetricScores, Scores
from aspectrum.errors import InputError

Test = Literal["flips", "t", "wilcoxon", "sign"]
Correction = Literal["max-t", "holm", "bh", "none"]
IntervalKind = Literal["t", "percentile", "bca"]

FEWEST = 10
"""Users below which nothing is tested."""


@dataclass(frozen=True)
class Procedure:
    """How differences are tested.

    Args:
        test: ``flips`` (sign-flip randomisation), ``t``, ``wilcoxon`` or ``sign``.
        correction: ``max-t`` (step-down, with shared flips), ``holm``, ``bh`` (Benjamini-Hochberg) or ``none``.
        interval: Of differences: ``t``, or of a bootstrap ``percentile`` or ``bca``.
        level: Of intervals.
        alpha: At which a difference is significant.
        family: Whether p-values are corrected over ``all`` metrics, or within each ``metric``.
        flips, resamples: How many random ones.
        seed: Of the generator.
        margin: The relative loss that is taken for none.
    """

    test: Test = "flips"
    correction: Correction = "max-t"
    interval: IntervalKind = "t"
    level: float = 0.95
    alpha: float = 0.05
    family: Literal["all", "metric"] = "all"
    flips: int = 9_999
    resamples: int = 9_999
    seed: int = 0
    margin: float = 0.01

    @property
    def ranks(self) -> bool:
        """Whether the test asks about ranks or signs, not about means: it then says nothing of a mean's direction."""
        return self.test in ("wilcoxon", "sign")


@dataclass(frozen=True)
class Difference:
    """System B against system A on one metric: d = B - A, over the users whom both score.

    Args:
        metric: The metric.
        system, baseline: B and A.
        difference: Mean of d.
        relative: Mean of B over mean of A, minus 1; None unless the mean of A is above 0.
        interval, relative_interval: Theirs; None where there are too few users, or the relative one is unbounded.
        n: Users scored by both.
        undefined_a, undefined_b, undefined_both: Users whose score is undefined for A only, for B only, for both.
        absent_a, absent_b: Users who are not averaged by A, by B.
        mean_a, mean_b: Over the n users.
        t, p_t: Paired t-test.
        p, p_adjusted: Of the chosen test, and corrected within the family; None where nothing was tested.
        exact: Whether p comes from all sign flips there are.
        significant: Whether p_adjusted is at most alpha; None where nothing was tested.
        effect_size, effect_interval: d_z, the mean of d in standard deviations, for metrics that score users.
        wins, ties, losses: Users for whom B is better, equal, worse; None for metrics that score no users.
        largest_gain, largest_loss: The user for whom B is better, and worse, by the most, with d.
        minimum_detectable: The true difference that so many users would show as significant 4 times in 5.
        skewness: Of d.
        range: Where scores are intervals, those of the difference.
        notes: What a reader should know.
    """

    metric: str
    system: str
    baseline: str
    difference: float = math.nan
    relative: float | None = None
    interval: Interval | None = None
    relative_interval: Interval | None = None
    n: int = 0
    undefined_a: int = 0
    undefined_b: int = 0
    undefined_both: int = 0
    absent_a: int = 0
    absent_b: int = 0
    mean_a: float = math.nan
    mean_b: float = math.nan
    t: float | None = None
    p_t: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    exact: bool = False
    significant: bool | None = None
    effect_size: float | None = None
    effect_interval: Interval | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    largest_gain: tuple[Hashable, float] | None = None
    largest_loss: tuple[Hashable, float] | None = None
    minimum_detectable: float | None = None
    skewness: float | None = None
    range: Interval | None = None
    notes: tuple[str, ...] = ()

    @property
    def tested(self) -> bool:
        return self.p is not None


@dataclass(frozen=True)
class SystemScore:
    """The number of one system, its interval over its own users, and its mean over the users whom all systems score."""

    value: float
    interval: Interval | None
    scored: int | None
    common_mean: float


@dataclass(frozen=True, eq=False)
class Found:
    """All pairs of systems on all metrics; ``family_size`` and ``critical`` are those of the pairs with a baseline, then of all."""

    differences: Mapping[tuple[str, str, str], Difference]  # by metric, system, baseline
    against_all: Mapping[tuple[str, str, str], float]  # p-values corrected within all pairs, for the marks of the best
    scores: Mapping[str, Mapping[str, SystemScore]]
    family_size: int
    all_size: int
    critical: float
    exact: bool
    flips: int


@dataclass(eq=False)
class _Pair:
    """A pair on its way: its difference so far, and what its test needs."""

    difference: Difference
    paired: Paired
    columns: tuple[int | None, int | None] = (None, None)
    total: int = 0
    squares: float = 0.0
    p: float | None = None  # where it does not come from the shared flips
    testable: bool = True

    def flipped(self, sums: Counts) -> FlippedPair:
        return FlippedPair(self.paired.n, self.total, self.squares, sums, *self.columns)


def find_differences(scores: Scores, baseline: str | None, procedure: Procedure) -> Found:
    """Compare all pairs of systems on all metrics.

    Args:
        scores: Of the users of all systems.
        baseline: A in every comparison that it is part of; p-values are corrected within these. None corrects within all pairs.
    """
    names = list(scores.systems)
    places = sorted(range(len(names)), key=lambda place: names[place] != baseline)  # the baseline first, so that it is A
    pairs = list(combinations(places, 2))
    flips = SharedFlips(scores.n_users, procedure.seed, procedure.flips)
    found: dict[tuple[str, str, str], _Pair] = {}
    lower: dict[tuple[str, str, str], _Pair] = {}
    numbers: dict[str, dict[str, SystemScore]] = {}
    for metric in scores:
        numbers[metric.name] = _system_scores(metric, names, procedure)
        for one in _metric_pairs(metric, scores, pairs, flips, procedure):
            found[_key(one.difference)] = one
        if is_open(metric):
            for one in _metric_pairs(metric, scores, pairs, flips, procedure, least=True):
                lower[_key(one.difference)] = one
    mine = [key for key in found if baseline is None or key[2] == baseline]
    sums = flips.sums() if procedure.correction == "max-t" or procedure.test == "flips" else np.empty((0, 0), np.int64)
    adjusted, critical, n = _tested(found, lower, mine, sums, flips, procedure)
    all_adjusted, _, n_all = (
        (adjusted, critical, n) if len(mine) == len(found) else _tested(found, lower, list(found), sums, flips, procedure)
    )
    differences = {key: _finished(found[key], adjusted.get(key), critical.get(key, math.nan), procedure) for key in found}
    return Found(differences, all_adjusted, numbers, n, n_all, max(critical.values(), default=math.nan), flips.exact, flips.n_flips)


def _key(difference: Difference) -> tuple[str, str, str]:
    return difference.metric, difference.system, difference.baseline


def _system_scores(metric: MetricScores, names: Sequence[str], procedure: Procedure) -> dict[str, SystemScore]:
    """The numbers of a metric, with intervals over the users of each system."""
    if metric.scores is None:
        return {name: SystemScore(value, None, None, value) for name, value in zip(names, metric.values, strict=True)}
    some = np.flatnonzero(metric.defined.any(axis=0))  # a system that scores nobody takes nobody away
    shared = np.flatnonzero(metric.defined[:, some].all(axis=1))
    common = np.full(len(names), math.nan)
    if len(shared) and len(some):
        common[some] = means(metric.contributions(shared, some.tolist()))
    found = {}
    for place, name in enumerate(names):
        users = np.flatnonzero(metric.defined[:, place])
        interval = None
        if len(users) >= FEWEST:
            one = paired(metric.contributions(users, [place])[:, 0])
            half = one.interval(procedure.level)[1] - one.mean
            interval = (metric.values[place] - half, metric.values[place] + half)
        found[name] = SystemScore(metric.values[place], interval, len(users), float(common[place]))
    return found


def _metric_pairs(
    metric: MetricScores, scores: Scores, pairs: Sequence[tuple[int, int]], flips: SharedFlips, procedure: Procedure, *, least: bool = False
) -> Iterable[_Pair]:
    """All pairs on one metric; their columns go to the flips."""
    names = list(scores.systems)
    if metric.scores is None:
        for a, b in pairs:
            yield _untested(metric, names[b], names[a], metric.values[b], metric.values[a])
        return
    by_users: dict[bytes, list[tuple[int, int]]] = {}
    for a, b in pairs:
        by_users.setdefault(np.packbits(metric.defined[:, a] & metric.defined[:, b]).tobytes(), []).append((a, b))
    for alike in by_users.values():
        users = np.flatnonzero(metric.defined[:, alike[0][0]] & metric.defined[:, alike[0][1]])
        systems = sorted({place for pair in alike for place in pair}, key=lambda place: names[place])
        together = _Together(metric, scores, users, systems, flips, procedure, least)
        yield from (together.pair(a, b) for a, b in alike)


def _untested(metric: MetricScores, system: str, baseline: str, value: float, other: float) -> _Pair:
    """Two numbers without scores of users behind them."""
    relative = value / other - 1 if other > 0 and metric.metric.has_ratios else None
    difference = Difference(metric.name, system, baseline, value - other, relative, mean_a=other, mean_b=value)
    return _Pair(replace(difference, notes=(f"not tested: {metric.untested}",)), Paired(0, value - other, math.nan))


class _Together:
    """Systems that score the same users on one metric.

    Args:
        metric: The metric.
        scores: Of all metrics.
        users: Whom these systems score.
        systems: Their places, in the order of their names, so that the order of the input cannot show.
        flips: What their columns are added to.
        least: Whether the least that scores can be is meant.
    """

    def __init__(
        self,
        metric: MetricScores,
        scores: Scores,
        users: Offsets,
        systems: Sequence[int],
        flips: SharedFlips,
        procedure: Procedure,
        least: bool,
    ) -> None:
        self.metric, self.users, self.procedure = metric, users, procedure
        self.ids, self.names = scores.users, list(scores.systems)
        self.place_of = {system: place for place, system in enumerate(systems)}
        self.columns = columns = metric.contributions(users, systems, least)
        n = len(users)
        self.centres = means(columns) if n else np.full(len(systems), math.nan)
        self.spread = variances(columns, self.centres) if n > 1 else np.full(len(systems), math.nan)
        self.units: Counts = np.zeros((n, len(systems)), np.int64)
        self.column_of: list[int | None] = [None] * len(systems)
        if n >= FEWEST and (procedure.correction == "max-t" or procedure.test == "flips"):
            self.units, _ = on_grid(metric.cleared(columns - columns[:, :1]), n)
            whole = np.zeros((scores.n_users, len(systems) - 1), np.int64)
            whole[users] = self.units[:, 1:]
            first = flips.add(whole)
            self.column_of = [None, *range(first, first + len(systems) - 1)]

    def pair(self, a: int, b: int) -> _Pair:
        """System b against system a."""
        metric, n = self.metric, len(self.users)
        difference = Difference(metric.name, self.names[b], self.names[a], n=n, **_left_out(metric, a, b))
        if n == 0:
            return _Pair(replace(difference, notes=("undefined: no user is scored by both",)), Paired(0, math.nan, math.nan))
        at_a, at_b = self.place_of[a], self.place_of[b]
        d = metric.cleared(self.columns[:, at_b] - self.columns[:, at_a])
        found = paired(d)
        if not metric.vary(d):
            found = replace(found, sd=0.0 if n > 1 else math.nan)
        mean_a, mean_b = float(self.centres[at_a]), float(self.centres[at_b])
        if metric.kind == "whole":  # of which contributions are the mean up to rounding
            mean_a, mean_b = metric.values[a], metric.values[b]
            found = replace(found, mean=mean_b - mean_a if found.mean else 0.0)
        difference = replace(
            difference,
            difference=found.mean,
            relative=mean_b / mean_a - 1 if mean_a > 0 and metric.metric.has_ratios else None,
            mean_a=mean_a,
            mean_b=mean_b,
            notes=self._notes_on_means(a, b, mean_a, mean_b),
            **_users(metric, self.ids, self.users, a, b, d),
        )
        if n < FEWEST:
            return _Pair(replace(difference, notes=(*difference.notes, "too few users to test")), found)
        return self._tested(difference, found, d, a, b)

    def _notes_on_means(self, a: int, b: int, mean_a: float, mean_b: float) -> tuple[str, ...]:
        """Where a pair leaves users out, its means are not those of the table."""
        apart = [abs(mean - self.metric.values[place]) > 1000 * self.metric.tie for place, mean in ((a, mean_a), (b, mean_b))]
        return (f"over the {len(self.users):,} users whom both score, {mean_b:.4f} against {mean_a:.4f}",) if any(apart) else ()

    def _tested(self, difference: Difference, found: Paired, d: Floats, a: int, b: int) -> _Pair:
        """The same with intervals, and what its test needs."""
        metric, procedure, n = self.metric, self.procedure, len(self.users)
        at_a, at_b = self.place_of[a], self.place_of[b]
        var_a, var_b = float(self.spread[at_a]), float(self.spread[at_b])
        cov, t = (var_a + var_b - found.sd**2) / 2, quantile((1 + procedure.level) / 2, found.df)
        ratio = None if difference.relative is None else fieller(difference.mean_a, difference.mean_b, var_a / n, var_b / n, cov / n, t)
        interval, notes = _interval(metric, self.users, a, b, d, found, procedure)
        skew = skewness(d, found.mean) if found.sd else 0.0
        span = difference_range(metric, self.users, a, b) if is_open(metric) else None
        if not d.any():
            notes.append("identical for all users")
        elif is_too_skewed(n, skew):
            notes.append(SKEWED)
        if span is not None:
            notes += _notes_on_range(*span, interval)
        if ratio is None and difference.relative is not None:
            notes.append("no relative interval: the baseline's mean is not distinguishable from 0")
        if procedure.ranks:
            whole = metric.kind == "whole"
            zeros = int(np.count_nonzero(d == 0))
            notes += ["not tested: ranks of contributions mean nothing"] if whole else [f"{zeros:,} ties are dropped"] if zeros else []
        difference = replace(
            difference,
            interval=interval,
            relative_interval=ratio,
            t=found.t,
            p_t=found.p,
            effect_size=found.effect_size if metric.kind == "mean" else None,
            effect_interval=found.effect_interval(procedure.level) if metric.kind == "mean" else None,
            skewness=skew,
            range=None if span is None else span[0],
            exact=procedure.test == "flips" and int(np.count_nonzero(d)) <= MOST_EXACT,
            notes=(*difference.notes, *notes),
        )
        own = self.units[:, at_b] - self.units[:, at_a]
        columns = self.column_of[at_b], self.column_of[at_a]
        testable = not (procedure.ranks and metric.kind == "whole")
        p = _own_p(d, difference, procedure) if testable else None
        return _Pair(difference, found, columns, int(own.sum()), sum_of_squares(own), p, testable)


def _notes_on_range(span: Interval, alike: bool, interval: Interval) -> list[str]:
    """What to know of scores that are intervals; a range that is thin beside the interval changes nothing."""
    low, high = span
    wide = high - low > 0.01 * (interval[1] - interval[0])
    said = [f"scores are intervals: the difference lies between {low:+.4f} and {high:+.4f}"] if wide else []
    return said if alike else [*said, OTHER_IDEALS]


DIRECTED_NOTES = ("over the ", "scores are intervals: ", "no relative interval: ")
"""How notes begin that do not hold for the same pair seen from the other side."""

SKEWED = "too skewed for this number of users; intervals and t tests may be inaccurate"
OTHER_IDEALS = "the ideals of the systems are not equally certain; evaluate them in one call"


def is_open(metric: MetricScores) -> bool:
    """Whether some scores are intervals: the ideal is not proved."""
    return metric.least is not None and metric.scores is not None and bool((metric.least != metric.scores)[metric.defined].any())


def difference_range(metric: MetricScores, users: Offsets, a: int, b: int) -> tuple[Interval, bool]:
    """What the mean difference may be where scores are intervals; and whether both systems divide by the same unknown ideals.

    If they do, one factor shrinks both scores of a user, and the sign of the difference is certain.
    """
    assert metric.scores is not None and metric.least is not None
    scores, least = metric.scores[users], metric.least[users]
    shrunk = np.ones_like(scores)
    np.divide(least, scores, out=shrunk, where=scores != 0)
    positive = (scores[:, a] != 0) & (scores[:, b] != 0)
    alike = bool((np.abs(shrunk[positive, a] - shrunk[positive, b]) <= 1e-9).all())
    if alike:
        at_scores, at_least = scores[:, b] - scores[:, a], least[:, b] - least[:, a]
        ends = np.minimum(at_scores, at_least), np.maximum(at_scores, at_least)
    else:
        ends = least[:, b] - scores[:, a], scores[:, b] - least[:, a]
    low, high = means(np.column_stack(ends))
    return (float(low), float(high)), alike


def _own_p(d: Floats, difference: Difference, procedure: Procedure) -> float | None:
    """The p-value, where it does not come from the shared flips."""
    if procedure.test == "t":
        return difference.p_t
    if procedure.test == "wilcoxon":
        return wilcoxon(d)
    if procedure.test == "sign":
        return sign_test(int((d > 0).sum()), int((d < 0).sum()))
    if difference.exact:
        count, total = exact_p(d)
        return count / total
    return None


def _left_out(metric: MetricScores, a: int, b: int) -> dict[str, Any]:
    """How many users a pair leaves out, and why."""
    assert metric.absent is not None
    if metric.defined.all():
        return {}
    undefined_a, undefined_b = ~metric.defined[metric.present, a], ~metric.defined[metric.present, b]
    anywhere = ~(metric.absent[:, a] & metric.absent[:, b])
    return {
        "undefined_a": int((undefined_a & ~undefined_b).sum()),
        "undefined_b": int((undefined_b & ~undefined_a).sum()),
        "undefined_both": int((undefined_a & undefined_b).sum()),
        "absent_a": int((metric.absent[:, a] & anywhere).sum()),
        "absent_b": int((metric.absent[:, b] & anywhere).sum()),
    }


def _users(metric: MetricScores, ids: Ids, users: Offsets, a: int, b: int, d: Floats) -> dict[str, Any]:
    """Who wins and who loses, by their own scores."""
    if metric.kind == "whole":
        return {}
    if metric.kind == "ratio":
        assert metric.scores is not None
        d = metric.cleared(metric.scores[users, b] - metric.scores[users, a])
    better = -d if metric.higher_is_better is False else d
    gain, loss = (int(np.flatnonzero(side >= side.max() - metric.tie)[0]) for side in (better, -better))  # of equals the first by id
    return {
        "wins": int((better > 0).sum()),
        "ties": int((better == 0).sum()),
        "losses": int((better < 0).sum()),
        "largest_gain": (ids[int(users[gain])], float(d[gain])) if better[gain] > 0 else None,
        "largest_loss": (ids[int(users[loss])], float(d[loss])) if better[loss] < 0 else None,
    }


def _interval(
    metric: MetricScores, users: Offsets, a: int, b: int, d: Floats, found: Paired, procedure: Procedure
) -> tuple[Interval, list[str]]:
    """The interval that was asked for, and what to know of it."""
    if procedure.interval == "t":
        return found.interval(procedure.level), []
    if metric.kind == "whole":
        return found.interval(procedure.level), ["leave-one-out t interval: bootstrap intervals of whole-system metrics miss the truth"]
    options = {"seed": procedure.seed, "resamples": procedure.resamples, "level": procedure.level}
    notes = ["bootstrap intervals are too short for so few users"] if len(d) < 100 else []
    if metric.kind == "ratio":
        assert metric.scores is not None and metric.weights is not None
        sides = [(metric.scores[users, side] * metric.weights[users, side], metric.weights[users, side]) for side in (b, a)]
        intervals = ratio_bootstrap(d, *sides, **options)  # type: ignore[arg-type]
    else:
        intervals = bootstrap(d, **options)  # type: ignore[arg-type]
    if procedure.interval == "percentile":
        return intervals.percentile, notes
    if intervals.bca is None:
        return intervals.percentile, [*notes, "percentile interval: all resamples lie on one side"]
    return intervals.bca, notes


def _tested(
    found: Mapping[tuple[str, str, str], _Pair],
    lower: Mapping[tuple[str, str, str], _Pair],
    family: Sequence[tuple[str, str, str]],
    sums: Counts,
    flips: SharedFlips,
    procedure: Procedure,
) -> tuple[dict[tuple[str, str, str], float], dict[tuple[str, str, str], float], int]:
    """Adjusted p-values within a family, critical values of |t|, and the size of the family.

    Raw p-values are written to the differences. Where scores are intervals, both ends are tested, and the larger p counts.
    """
    tested = [key for key in family if found[key].testable and found[key].difference.interval is not None]
    groups = [tested]
    if procedure.family == "metric":
        groups = [[key for key in tested if key[0] == metric] for metric in dict.fromkeys(key[0] for key in tested)]
    adjusted: dict[tuple[str, str, str], float] = {}
    critical: dict[tuple[str, str, str], float] = {}
    for group in groups:
        for pairs in (found, {**found, **lower}) if any(key in lower for key in group) else (found,):
            p = [_p_value(pairs[key], sums, flips) for key in group]
            corrected, limit = _corrected([pairs[key] for key in group], p, sums, flips, procedure)
            critical |= {key: max(limit, critical.get(key, 0.0)) for key in group}
            for key, raw, one in zip(group, p, corrected, strict=True):
                before = found[key].difference
                found[key].difference = replace(before, p=max(raw, before.p or 0.0))
                adjusted[key] = max(one, adjusted.get(key, 0.0))
    return adjusted, critical, max(map(len, groups), default=0)


def _p_value(pair: _Pair, sums: Counts, flips: SharedFlips) -> float:
    return pair.flipped(sums).p(flips.exact) if pair.p is None else pair.p


def _corrected(
    pairs: Sequence[_Pair],
    p: Sequence[float],
    sums: Counts,
    flips: SharedFlips,
    procedure: Procedure,
) -> tuple[list[float], float]:
    """Adjusted p-values of a family, and the critical value of |t|."""
    size, least_df = len(pairs), min((pair.paired.df for pair in pairs), default=1)
    if procedure.correction == "max-t":
        stepped = step_down([pair.flipped(sums) for pair in pairs], p, exact=flips.exact, alpha=procedure.alpha)
        return stepped.p, stepped.critical
    if procedure.correction == "none":
        return list(p), quantile(1 - procedure.alpha / 2, least_df)
    if procedure.test == "flips" and not all(pair.difference.exact for pair in pairs):
        needed = math.ceil(10 * size / procedure.alpha) - 1
        if flips.n_flips < needed:
            name = {"holm": "Holm", "bh": "Benjamini-Hochberg"}[procedure.correction]
            raise InputError(f"{size:,} comparisons need {needed:,} flips for {name}; use max-t, or test by t")
    correct = holm if procedure.correction == "holm" else benjamini_hochberg
    return correct(p), quantile(1 - procedure.alpha / (2 * max(1, size)), least_df)


def _finished(pair: _Pair, adjusted: float | None, critical: float, procedure: Procedure) -> Difference:
    difference = pair.difference
    if adjusted is None:
        return difference
    significant = adjusted <= procedure.alpha
    if difference.range is not None:
        significant = significant and not difference.range[0] <= 0 <= difference.range[1]
    detectable = pair.paired.minimum_detectable(critical) if pair.paired.sd > 0 else None
    return replace(difference, p_adjusted=adjusted, significant=significant, minimum_detectable=detectable)
