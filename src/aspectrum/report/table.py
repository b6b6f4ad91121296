"""The table of all scores: what each cell says, how long its bars are, and the sentences below it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from aspectrum.report.charts.names import full_name
from aspectrum.report.charts.scale import Numbers, count, p_value, share
from aspectrum.report.charts.systems import Systems
from aspectrum.report.content import Difference, Measure, Report, Score

_ARROWS = {"higher": "▲", "lower": "▼", "same": "≈"}
_WORDS = {"higher": "significantly higher", "lower": "significantly lower", "same": "no significant difference"}


@dataclass(frozen=True)
class Sign:
    """A mark beside a number: what it looks like, what it says, and whether it is for the better."""

    arrow: str
    words: str
    tone: Literal["up", "dn", "ns"]


@dataclass(frozen=True)
class Bar:
    """A difference's bar in percent of the cell; a cut one runs beyond the column's scale."""

    start: str
    end: str
    tone: Literal["up", "dn", "ns"]
    cut: bool


@dataclass(frozen=True)
class Cell:
    """One score, as a number and as a difference to the baseline."""

    kind: str  # CSS classes: best, tie, first of its family
    value: str  # to sort by; empty if undefined
    text: str
    filled: str  # percent of the score bar
    tip: str
    difference: str = ""  # to sort by
    difference_text: str = ""
    sign: Sign | None = None
    bar: Bar | None = None


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    name: str
    first_of_family: bool
    ascending_first: bool  # whether the best score is the lowest
    remark: str = ""  # below the name
    sort: str = ""  # aria-sort


@dataclass(frozen=True)
class Row:
    """A system's scores."""

    index: int
    name: str
    full: str
    is_baseline: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """The whole table."""

    title: str
    families: tuple[tuple[str, int], ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    has_differences: bool
    has_signs: bool
    has_standings: bool
    undefined: tuple[str, ...]  # sentences
    percent: bool


def table(report: Report, *, tips: bool = True) -> Table:
    """The table of a report. Its rows are in the order of the first metric, best first."""
    measures = by_family(report.measures)
    families = tuple((family, len(list(group))) for family, group in groupby(measures, key=lambda measure: measure.family))
    columns = tuple(
        Column(
            name=measure.name,
            first_of_family=at == 0 or measures[at - 1].family != measure.family,
            ascending_first=measure.higher_is_better is False,
            remark=", ".join(
                filter(
                    None,
                    (
                        f"by {measure.judged_by}" if measure.judged_by and measure.judged_by not in measure.name else "",
                        "lower is better" if measure.higher_is_better is False else "",
                    ),
                )
            ),
            sort=("ascending" if measure.higher_is_better is False else "descending") if at == 0 else "",
        )
        for at, measure in enumerate(measures)
    )
    systems = Systems.of(report)
    by_measure = [_cells(report, systems, measure, column, tips=tips) for measure, column in zip(measures, columns, strict=True)]
    rows = tuple(
        Row(
            systems.index(name),
            systems.short(name),
            systems.full(name),
            name == report.baseline,
            tuple(cells[name] for cells in by_measure),
        )
        for name in _best_first(report, measures[0])
    )
    differences = [one for by_system in report.differences.values() for one in by_system.values()]
    return Table(
        title=f"All scores at cutoff {cutoff}" if (cutoff := common_cutoff(measures)) else "All scores",
        families=families,
        columns=columns,
        rows=rows,
        has_differences=report.baseline is not None and bool(differences),
        has_signs=any(one.mark is not None for one in differences),
        has_standings=any(one.best is not None or one.tie for one in report.standings.values()),
        undefined=_undefined(report, measures),
        percent=report.percent,
    )


def by_family(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Measures of one family side by side; families and measures keep their order."""
    order = {family: at for at, family in reversed(list(enumerate(measure.family for measure in measures)))}
    return tuple(sorted(measures, key=lambda measure: order[measure.family]))


def common_cutoff(measures: Sequence[Measure]) -> str:
    """The cutoff that all measures share, or nothing."""
    found = {match[1] if (match := re.search(r"@(\d+)$", measure.key)) else "" for measure in measures}
    return found.pop() if len(found) == 1 else ""


def _best_first(report: Report, measure: Measure) -> list[str]:
    sign = 1 if measure.higher_is_better is False else -1

    def place(system: str) -> tuple[bool, float]:
        score = report.scores[measure.key].get(system)
        return (True, 0.0) if score is None or math.isnan(score.value) else (False, sign * score.value)

    return sorted(report.systems, key=place)


def _cells(report: Report, systems: Systems, measure: Measure, column: Column, *, tips: bool) -> dict[str, Cell]:
    numbers = Numbers.of(report)
    scores, differences = report.scores[measure.key], report.differences.get(measure.key, {})
    longest = max((abs(score.value) for score in scores.values() if math.isfinite(score.value)), default=0.0)
    scale = difference_scale([one.difference for one in differences.values()])
    standing = report.standings.get(measure.key)
    cells = {}
    for system in report.systems:
        score, difference = scores.get(system, Score(math.nan, reason="not computed")), differences.get(system)
        stands = "" if standing is None else "best" if standing.best == system else "tie" if system in standing.tie else ""
        second = standing is not None and standing.second == system
        tip = _tip(report, systems, measure, system, score, difference, stands or ("second" if second else "")) if tips else ""
        stands_second = ["second"] if second else []
        kinds = [
            *(["ff"] if column.first_of_family else []),
            *([stands] if stands else stands_second),
            *(["un"] if math.isnan(score.value) else []),
        ]
        cells[system] = Cell(
            kind=" ".join(kinds),
            value="" if math.isnan(score.value) else f"{score.value:.6g}",
            text=numbers.value(score.value),
            filled=f"{100 * max(score.value, 0) / longest:.3g}" if longest and math.isfinite(score.value) else "0",
            tip=tip,
            difference="" if difference is None or math.isnan(difference.difference) else f"{difference.difference:.6g}",
            difference_text=("–" if system == report.baseline else "") if difference is None else numbers.signed(difference.difference),
            sign=_sign(report, measure, difference),
            bar=None if difference is None else _bar(report, measure, difference, scale),
        )
    return cells


def _tone(report: Report, key: str, difference: Difference) -> Literal["up", "dn", "ns"]:
    better = report.better(key, difference.difference)
    return "ns" if difference.mark in (None, "same") or better is None else "up" if better else "dn"


def _sign(report: Report, measure: Measure, difference: Difference | None) -> Sign | None:
    if difference is None or difference.mark is None:
        return None
    return Sign(_ARROWS[difference.mark], _WORDS[difference.mark], _tone(report, measure.key, difference))


def difference_scale(differences: Sequence[float]) -> float:
    """The difference that fills half a cell: the largest, unless it is an outlier that would squeeze the others.

    >>> difference_scale([0.01, -0.02, 0.015]), difference_scale([0.01, -0.2, 0.02])
    (0.02, 0.02)
    """
    sizes = sorted((abs(one) for one in differences if math.isfinite(one)), reverse=True)
    if len(sizes) > 2 and sizes[0] > 2 * sizes[1] > 0:
        return sizes[1]
    return sizes[0] if sizes else 0.0


def _bar(report: Report, measure: Measure, difference: Difference, scale: float) -> Bar | None:
    if not scale or not math.isfinite(difference.difference):
        return None
    half = max(-1.0, min(difference.difference / scale, 1.0)) * 50
    start, end = sorted((50.0, 50 + half))
    return Bar(f"{start:.3g}", f"{end:.3g}", _tone(report, measure.key, difference), abs(difference.difference) > scale)


_STANDS = {"best": "best, significantly ahead of every other system", "tie": "tied with the best", "second": "second"}


def _tip(report: Report, systems: Systems, measure: Measure, system: str, score: Score, difference: Difference | None, stands: str) -> str:
    numbers = Numbers.of(report)
    lines = [f"{systems.full(system)}, {full_name(measure.name)}"]
    if math.isnan(score.value):
        lines.append(f"undefined: {score.reason}" if score.reason else "undefined")
    else:
        interval = numbers.interval(score.interval)
        lines.append(numbers.exact(score.value) + (f"  {report.intervals} CI {interval}" if interval else ""))
    if difference is not None and report.baseline is not None:
        lines += _difference_lines(numbers, difference, systems.full(report.baseline))
    if stands:
        lines.append(_STANDS[stands])
    if score.undefined and not math.isnan(score.value):
        lines.append(f"undefined for {count(score.undefined)} users")
    return "\n".join(lines)


def _difference_lines(numbers: Numbers, difference: Difference, baseline: str) -> list[str]:
    relative = (
        ""
        if difference.relative is None
        else f" ({'+' if difference.relative > 0 else '−' if difference.relative < 0 else ''}{share(abs(difference.relative), 1)})"
    )
    line = f"Δ to {baseline} {numbers.signed(difference.difference, 1)}{relative}"
    p = difference.p if difference.p_adjusted is None else difference.p_adjusted
    if p is not None:
        line += f", {'adjusted ' if difference.p_adjusted is not None else ''}{p_value(p)}"
    return [line, *([difference.note] if difference.note else [])]


def _undefined(report: Report, measures: Sequence[Measure]) -> tuple[str, ...]:
    sentences: dict[str, list[str]] = {}
    for measure in measures:
        missing = [score for score in report.scores[measure.key].values() if math.isnan(score.value)]
        reasons: Mapping[str, None] = dict.fromkeys(score.reason for score in missing)
        if missing:
            whom = "all systems" if len(missing) == len(report.systems) else f"{len(missing)} of {len(report.systems)} systems"
            why = "; ".join(filter(None, reasons))
            sentences.setdefault(f"undefined for {whom}" + (f": {why}" if why else ""), []).append(measure.name)
    return tuple(f"{', '.join(names)}: {sentence}." for sentence, names in sentences.items())
