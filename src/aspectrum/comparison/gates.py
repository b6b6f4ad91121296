"""Gates: conditions on differences that fail a build, decided by one-sided t-tests, not by means."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from aspectrum.arrays import Floats, Offsets
from aspectrum.comparison.differences import FEWEST, Difference, difference_range, is_open
from aspectrum.comparison.paired import Interval, fieller, means, paired, quantile, tail, variances
from aspectrum.comparison.scores import MetricScores
from aspectrum.errors import MetricError

if TYPE_CHECKING:
    from aspectrum.comparison.comparison import Comparison

Decision = Literal["pass", "fail", "inconclusive"]

_FORM = re.compile(r"\s*(?P<metric>.+?)\s*(?P<sign>[<>])\s*(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)\s*")


@dataclass(frozen=True)
class Gate:
    """A limit on the difference to the baseline: ``NDCG@10 < -1%`` (relative) or ``ILD@10 < 0`` (absolute).

    Args:
        metric: The metric, in any spelling.
        below: Whether the gate is about differences below the limit, or above.
        limit: The limit; a share where it is relative.
        relative: Whether it is relative to the baseline's mean.
        unless: Whether the gate fails unless the condition is proved; otherwise it fails if the condition is proved.
    """

    metric: str
    below: bool
    limit: float
    relative: bool
    unless: bool = False

    @classmethod
    def parse(cls, text: str, *, unless: bool = False) -> Gate:
        """From its text form.

        >>> Gate.parse("NDCG@10 < -1%")
        Gate(metric='NDCG@10', below=True, limit=-0.01, relative=True, unless=False)
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise MetricError(f"gate {text!r} is not of the form METRIC < LIMIT or METRIC > LIMIT, as in 'NDCG@10 < -1%' or 'ILD@10 < 0'")
        relative = bool(found["percent"])
        if not math.isfinite(float(found["limit"])):
            raise MetricError(f"gate {text!r}: the limit is not a finite number")
        return cls(found["metric"], found["sign"] == "<", float(found["limit"]) / (100 if relative else 1), relative, unless)

    @property
    def kind(self) -> str:
        return "fail unless" if self.unless else "fail if"

    def __str__(self) -> str:
        limit = f"{100 * self.limit:g}%" if self.relative else f"{self.limit:g}"
        return f"{self.metric} {'<' if self.below else '>'} {limit}"


@dataclass(frozen=True)
class GateResult:
    """What became of a gate for one system.

    Args:
        p_beyond: One-sided p of "the difference lies beyond the limit", as the gate writes it; small is proof.
        p_within: One-sided p of "it does not".
        alpha: At which either counts as proved.
        said: The decision with its evidence, in words.
    """

    gate: Gate
    system: str
    decision: Decision
    t: float | None
    p_beyond: float | None
    p_within: float | None
    alpha: float
    said: str


def check_gates(comparison: Comparison, gates: Sequence[Gate]) -> list[GateResult]:
    """Decide gates against the baseline, for every other system.

    Gates that fail if something is proved share alpha, so that a run in which nothing crossed a line fails with probability alpha at most.
    Gates that fail unless something is proved are not corrected, as all of them must hold.
    """
    if comparison.baseline is None:
        raise MetricError("gates compare with a baseline, and this comparison has none")
    systems = [name for name in comparison.systems if name != comparison.baseline]
    sharing = sum(not gate.unless for gate in gates) * len(systems)
    return [
        decided(comparison, gate, system, comparison.procedure.alpha / (1 if gate.unless else sharing))
        for gate in gates
        for system in systems
    ]


def decided(comparison: Comparison, gate: Gate, system: str, alpha: float) -> GateResult:
    """One gate for one system."""
    difference = comparison.difference(gate.metric, system)
    if gate.relative and difference.n and not difference.mean_a > 0:
        raise MetricError(
            f"gate {gate}: the mean of {comparison.baseline} is {difference.mean_a:g}, and a relative limit needs one above 0"
        )
    if difference.n < FEWEST:
        untested: Decision = "fail" if gate.unless else "inconclusive"
        why = f"{difference.n} users are too few to test" if difference.n else next(iter(difference.notes), "nothing was scored")
        return GateResult(gate, system, untested, None, None, None, alpha, f"{system}: {gate.kind} {gate}: {untested}, as {why}")
    metric = comparison.metric_scores(difference.metric)
    b, a = (list(comparison.systems).index(name) for name in (system, difference.baseline))
    users = np.flatnonzero(metric.defined[:, a] & metric.defined[:, b])
    ends = []
    for side_b, side_a in _sides(metric, users, a, b):
        z = paired(metric.cleared(side_b - (1 + gate.limit) * side_a if gate.relative else side_b - side_a - gate.limit))
        below, above = tail(-z.t, z.df), tail(z.t, z.df)
        if z.sd == 0:  # nothing varies, so nothing is in doubt: what is not beyond the limit is within
            below, above = (0.0, 1.0) if (z.mean < 0 if gate.below else z.mean <= 0) else (1.0, 0.0)
        ends.append((below, above, z.t) if gate.below else (above, below, z.t))
    beyond, within = max(end[0] for end in ends), max(end[1] for end in ends)  # of two ends, the less certain
    proved: Decision = "inconclusive"
    if beyond <= alpha:
        proved = "pass" if gate.unless else "fail"
    elif within <= alpha:
        proved = "fail" if gate.unless else "pass"
    if gate.unless and proved != "pass":
        proved = "fail"
    said = _said(gate, difference, proved, _bounds(gate, *_sides(metric, users, a, b)[0], alpha), alpha)
    return GateResult(gate, system, proved, ends[0][2], beyond, within, alpha, said)


def _sides(metric: MetricScores, users: Offsets, a: int, b: int) -> list[tuple[Floats, Floats]]:
    """Scores of both systems; where they are intervals, at both ends of the difference."""
    score_b, score_a = metric.contributions(users, [b, a]).T
    if not is_open(metric):
        return [(score_b, score_a)]
    least_b, least_a = metric.contributions(users, [b, a], least=True).T
    alike = difference_range(metric, users, a, b)[1]
    return [(score_b, score_a), (least_b, least_a)] if alike else [(least_b, score_a), (score_b, least_a)]


def _bounds(gate: Gate, side_b: Floats, side_a: Floats, alpha: float) -> Interval | None:
    """One-sided bounds of the difference, each at the level that decides the gate; None if they are unbounded."""
    d = paired(side_b - side_a)
    t = quantile(1 - alpha, d.df)
    if not gate.relative:
        return d.mean - t * d.se, d.mean + t * d.se
    columns = np.column_stack((side_a, side_b))
    centres = means(columns)
    var_a, var_b = (variances(columns, centres) / d.n).tolist()
    return fieller(float(centres[0]), float(centres[1]), var_a, var_b, (var_a + var_b - d.se**2) / 2, t)


def _said(gate: Gate, difference: Difference, decision: Decision, bounds: Interval | None, alpha: float) -> str:
    """The decision, with the bounds that make it."""
    unit, factor, digits = (" %", 100, 1) if gate.relative else ("", 1, 4)
    value = (difference.relative or 0) if gate.relative else difference.difference
    ends = "unbounded" if bounds is None else f"{factor * bounds[0]:+.{digits}f} and {factor * bounds[1]:+.{digits}f}{unit}"
    level = f"{100 * (1 - alpha):.3g} % bound{'s' if bounds is not None else ''}"
    text = f"{difference.system}: {gate.kind} {gate}: {decision} ({factor * value:+.{digits}f}{unit}; one-sided {level} {ends})"
    if decision != "inconclusive" or difference.minimum_detectable is None:
        return text
    least = difference.minimum_detectable
    share = f" ({100 * least / difference.mean_a:.1f} %)" if difference.mean_a > 0 else ""
    return f"{text}; with these {difference.n:,} users a true difference of ±{least:.4f}{share} would be found 4 times in 5"
