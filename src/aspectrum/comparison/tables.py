"""Comparisons as tables of text, and the sentences below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aspectrum import formats
from aspectrum.comparison.differences import Difference, Found, Procedure
from aspectrum.comparison.marks import Standing
from aspectrum.comparison.segments import SegmentDifference, SegmentTest

Table = tuple[list[str], list[list[str]]]
"""Head and rows."""


def of_differences(differences: Sequence[Difference], marks: Sequence[str], level: float, *, with_baseline: bool) -> Table:
    """A row per metric and pair; beside a difference that is not significant, the one that would have been found."""
    head = ["Metric", "System", *(["Against"] if with_baseline else []), "Mean", "Difference", f"{100 * level:g} % interval", "Relative"]
    head += ["p", "Adjusted p", "", "Effect size", "Better/equal/worse", "Detectable"]
    return head, [_row(one, mark, with_baseline) for one, mark in zip(differences, marks, strict=True)]


def _row(one: Difference, mark: str, with_baseline: bool) -> list[str]:
    interval = "-" if one.interval is None else f"{one.interval[0]:+.4f} to {one.interval[1]:+.4f}"
    detectable = ""
    if one.significant is False and one.minimum_detectable is not None:
        share = f" ({100 * one.minimum_detectable / one.mean_a:.1f} %)" if one.mean_a > 0 else ""
        detectable = f"±{one.minimum_detectable:.4f}{share}"
    return [
        one.metric,
        one.system,
        *([one.baseline] if with_baseline else []),
        formats.number(one.mean_b),
        "undefined" if math.isnan(one.difference) else f"{one.difference:+.4f}",
        interval,
        _relative(one),
        p_text(one.p),
        p_text(one.p_adjusted),
        mark,
        "-" if one.effect_size is None else f"{one.effect_size:+.2f}",
        "-" if one.wins is None else f"{one.wins}/{one.ties}/{one.losses}",
        detectable,
    ]


def _relative(one: Difference | SegmentDifference) -> str:
    if one.relative is None:
        return "-"
    ends = one.relative_interval
    return f"{100 * one.relative:+.1f} %" + ("" if ends is None else f" ({100 * ends[0]:+.1f} to {100 * ends[1]:+.1f})")


def of_segments(segments: Sequence[SegmentDifference], level: float, *, with_baseline: bool) -> Table:
    """A row per metric, pair and segment."""
    head = ["Metric", "System", *(["Against"] if with_baseline else []), "By", "Segment", "Users", "Mean", "Difference"]
    head += [f"{100 * level:g} % each, not corrected", "Relative"]
    return head, [
        [one.metric, one.system, *([one.baseline] if with_baseline else []), one.attribute, one.segment, f"{one.n}", *_segment_numbers(one)]
        for one in segments
    ]


def _segment_numbers(one: SegmentDifference) -> list[str]:
    if one.difference is None or one.mean_b is None:
        return ["undefined", "undefined", "-", "-"]
    interval = "too few users" if one.interval is None else f"{one.interval[0]:+.4f} to {one.interval[1]:+.4f}"
    return [formats.number(one.mean_b), f"{one.difference:+.4f}", interval, _relative(one)]


def who_is_best(standings: Mapping[str, Standing]) -> list[str]:
    """The best of each metric, or who ties with the leader."""
    said = []
    for name, one in standings.items():
        if one.best is not None:
            said.append((name, f"best is {one.best}" + (f", second is {one.second}" if one.second else "")))
        elif one.tie:
            said.append((name, f"no system is significantly best; {', '.join(one.tie)} are tied with the leader"))
    return formats.grouped(said)


def effects_of_segments(tests: Sequence[SegmentTest], with_baseline: bool) -> list[str]:
    """Whether differences depend on the segment."""
    return formats.grouped((_called(test, with_baseline), f"by {test.attribute}, {test.said}") for test in tests)


def notes_on(differences: Sequence[Difference], with_baseline: bool) -> list[str]:
    """What to know of single differences."""
    return formats.grouped((_called(one, with_baseline), note) for one in differences for note in one.notes)


def _called(one: Difference | SegmentTest, with_baseline: bool) -> str:
    return f"{one.metric} of {one.system}" + (f" against {one.baseline}" if with_baseline else "")


def p_text(p: float | None) -> str:
    """A p-value as tables write it.

    >>> p_text(0.0004)
    '< 0.001'
    """
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


_TESTS = {
    "flips": "sign-flip randomisation test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test (of symmetry around 0, not of means; ties are dropped)",
    "sign": "sign test (of wins against losses, not of means; ties are dropped)",
}
_CORRECTIONS = {
    "max-t": "step-down max-T over {}",
    "holm": "Holm's correction over {}",
    "bh": "Benjamini-Hochberg over {} (which bounds the share of false claims, not their number)",
    "none": "no correction for {}",
}
_INTERVALS = {"t": "t intervals", "percentile": "percentile bootstrap intervals", "bca": "BCa bootstrap intervals"}


def tested_by(procedure: Procedure, found: Found, baseline: str | None) -> str:
    """Test, correction, family and seed, in a sentence."""
    if not found.family_size:
        return "Nothing was tested."
    flips = f"{found.flips:,} flips, seed {procedure.seed}"
    test, size = _TESTS[procedure.test], f"{found.family_size:,} comparison{'s' if found.family_size > 1 else ''}"
    if procedure.test == "flips":
        test += " (exact)" if found.exact else f" (exact where at most 30 users differ, else {flips})"
    elif procedure.correction == "max-t":
        size += f" ({flips})"
    if procedure.family == "metric":
        size = f"the {size} of each metric"
    elif baseline is not None and found.all_size > found.family_size and procedure.correction in ("max-t", "holm"):
        size += f", for the best over all {found.all_size:,}"
    start = "All pairs" if baseline is None else f"Against {baseline}"
    return (
        f"{start}: two-sided {test}; {_CORRECTIONS[procedure.correction].format(size)}; "
        f"significant at adjusted p ≤ {procedure.alpha:g}; {100 * procedure.level:g} % {_INTERVALS[procedure.interval]}."
    )
