"""The figures of a report: heading, caption, drawings in two widths with their data, and alternatives behind a picker."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from aspectrum.report.charts import aspects as aspect_chart
from aspectrum.report.charts import cutoffs as cutoff_chart
from aspectrum.report.charts import differences as difference_chart
from aspectrum.report.charts import distribution as distribution_chart
from aspectrum.report.charts import lorenz as lorenz_chart
from aspectrum.report.charts import segments as segment_chart
from aspectrum.report.charts import trade_off as trade_off_chart
from aspectrum.report.charts.names import listed, visible
from aspectrum.report.charts.scale import Numbers, count
from aspectrum.report.charts.svg import NARROW, WIDE
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.content import Interval, Report, Score
from aspectrum.report.table import by_family


@dataclass(frozen=True)
class DataTable:
    """Numbers of a figure; the first cell of a row is its heading."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, caption: str, table: Table) -> DataTable:
        """A table without its empty columns."""
        heads, rows = table
        kept = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
        return cls(caption, tuple(heads[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows))


@dataclass(frozen=True)
class Drawing:
    """One chart, for wide and for narrow pages, with its data and what tests say about it."""

    name: str
    wide: str
    narrow: str
    data: tuple[DataTable, ...]
    verdicts: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, draw: Callable[[float], str], table: Table, *, wide: float = WIDE, verdicts: Iterable[str] = ()) -> Drawing:
        return cls(name, draw(wide), draw(NARROW), (DataTable.of(name or "Data", table),), tuple(verdicts))


@dataclass(frozen=True)
class Panel:
    """One of several small charts in a figure."""

    name: str
    family: str
    chart: str


@dataclass(frozen=True)
class Figure:
    """A figure: drawings, of which a picker shows one, or panels side by side with the data of all."""

    id: str
    title: str
    caption: str
    drawings: tuple[Drawing, ...] = ()
    panels: tuple[Panel, ...] = ()
    data: tuple[DataTable, ...] = ()
    legend: bool = False


def _name(report: Report, key: str) -> str:
    return visible(report.measure(key).name)


def _baseline(report: Report) -> str:
    return "" if report.baseline is None else Systems.of(report).short(report.baseline)


def scores(report: Report) -> tuple[DataTable, ...]:
    """Every score, with its interval and how many users it leaves out."""
    numbers = Numbers.of(report)
    measures = by_family(report.measures)

    def written(score: Score) -> str:
        undefined = f"undefined for {count(score.undefined)}" if score.undefined and not math.isnan(score.value) else ""
        return ", ".join(
            filter(None, (f"{numbers.exact(score.value)} {numbers.interval(score.interval)}".strip(), undefined, score.reason))
        )

    rows = [
        (visible(system), *(written(report.scores[one.key][system]) if system in report.scores[one.key] else "" for one in measures))
        for system in report.systems
    ]
    heads = ("System", *(visible(one.name) for one in measures))
    return (DataTable.of(f"Scores with {report.intervals} intervals", (heads, rows)),)


def trade_off(report: Report, most: int | None) -> Figure | None:
    """Two metrics against each other."""
    if report.trade_off is None or not report.trade_off.fronts:
        return None
    fronts = report.trade_off.fronts
    words = [f"Crosses are {report.intervals} intervals of the mean."] if _has_intervals(report) else []
    words += _thin(score.interval for score in report.scores[report.trade_off.horizontal].values())
    if report.baseline is not None:
        words.append(f"The tinted corner is better than {_baseline(report)} on both.")
    return Figure(
        id="scatter",
        title=f"{_name(report, report.trade_off.horizontal)} against",
        caption=" ".join(words),
        drawings=tuple(
            Drawing.of(_name(report, front.vertical), partial(trade_off_chart.draw, report, front), trade_off_chart.rows(report, front))
            for front in fronts[:most]
        ),
    )


_THIN = 1 / 400
"""The share of an axis below which an interval is thinner than the line that draws it."""


def _thin(intervals: Iterable[Interval | None]) -> list[str]:
    """What to say of intervals that cannot be seen beside the others."""
    found = [one for one in intervals if one is not None]
    span = max((high for _, high in found), default=0.0) - min((low for low, _ in found), default=0.0)
    return ["Some intervals are thinner than the line."] if any(high - low < _THIN * span for low, high in found) else []


def _has_intervals(report: Report) -> bool:
    return any(score.interval is not None for by_system in report.scores.values() for score in by_system.values())


def differences(report: Report, most: int | None) -> Figure | None:
    """Each system against the baseline."""
    keys = [measure.key for measure in by_family(report.measures) if report.differences.get(measure.key)]
    if report.baseline is None or not keys:
        return None
    shown = [one for key in keys for one in report.differences[key].values()]
    words = [
        f"{report.intervals} intervals of the paired difference." if any(one.interval for one in shown) else "Too few users for intervals."
    ]
    words += _thin(one.interval for one in report.differences[keys[0]].values())
    if any(one.mark is not None for one in shown):
        words.append("Grey: not significant after correction.")
    return Figure(
        id="differences",
        title=f"Difference to {_baseline(report)} in",
        caption=" ".join(words),
        drawings=tuple(
            Drawing.of(_name(report, key), partial(difference_chart.draw, report, key), difference_chart.rows(report, key))
            for key in keys[:most]
        ),
    )


def cutoffs(report: Report, most: int | None) -> Figure | None:
    """Each metric by cutoff: a panel for each, or one large chart."""
    curves = report.curves[:most]
    if not curves:
        return None
    words = [f"Bands are {report.intervals} intervals of systems in colour."] if any(one.bands for one in curves) else []
    if report.baseline is not None:
        words.append(f"Dashed: {_baseline(report)}.")
    words += _thin(band for bands in curves[0].bands.values() for band in bands)
    if len(curves) > 1:
        words.append("Scales differ between panels.")
    alone = len(curves) == 1
    return Figure(
        id="cutoffs",
        title="Every metric by cutoff" if not alone else f"{visible(curves[0].name)} by cutoff",
        caption=" ".join(words),
        drawings=(Drawing.of("", partial(cutoff_chart.draw, report, curves[0]), cutoff_chart.rows(report, curves[0])),) if alone else (),
        panels=() if alone else tuple(Panel(visible(one.name), visible(one.family), cutoff_chart.draw(report, one)) for one in curves),
        data=() if alone else tuple(DataTable.of(visible(one.name), cutoff_chart.rows(report, one)) for one in report.curves),
        legend=True,
    )


def distributions(report: Report, most: int | None) -> Figure | None:
    """Scores of single users."""
    if not report.distributions:
        return None
    return Figure(
        id="distribution",
        title="Distribution over users of",
        caption="Share of users by score; dark line: median, thick line: middle half. The tallest bars are clipped.",
        drawings=tuple(
            Drawing.of(_name(report, one.key), partial(distribution_chart.draw, report, one), distribution_chart.rows(report, one))
            for one in report.distributions[:most]
        ),
    )


def segments(report: Report, most: int | None) -> Figure | None:
    """Scores of groups of users."""
    by_key = {one.key: [other for other in report.segmentations if other.key == one.key] for one in report.segmentations}
    if not by_key:
        return None
    attributes = list(dict.fromkeys(visible(one.attribute).lower() for one in report.segmentations))
    return Figure(
        id="segments",
        title="By segment:",
        caption=f"Mean of each group of users with {report.intervals} interval. Users are grouped by {listed(attributes)}.",
        drawings=tuple(
            Drawing.of(
                _name(report, key),
                partial(segment_chart.draw, report, those),
                segment_chart.rows(report, those),
                verdicts=filter(None, dict.fromkeys(text for one in those for text in (one.verdict, one.note))),
            )
            for key, those in list(by_key.items())[:most]
        ),
        legend=True,
    )


def lorenz(report: Report) -> Figure | None:
    """How evenly items are shown."""
    shown = report.lorenz
    if shown is None:
        return None
    return Figure(
        id="lorenz",
        title="Exposure per item",
        caption="The deeper the bow, the more exposure a few items get.",
        drawings=(Drawing.of("", partial(lorenz_chart.draw, report, shown), lorenz_chart.rows(report, shown), wide=lorenz_chart.WIDTH),),
        legend=True,
    )


def aspects(report: Report) -> Figure | None:
    """Which kinds of items are shown."""
    if not report.aspects:
        return None
    ticks = " Tick: share of users’ histories." if any(one.histories is not None for one in report.aspects) else ""
    return Figure(
        id="aspects",
        title="Exposure per aspect",
        caption=f"Bar: share of the catalogue.{ticks} Marks: systems.",
        drawings=(
            Drawing.of(
                "", partial(aspect_chart.draw, report, report.aspects), aspect_chart.rows(report, report.aspects), wide=aspect_chart.WIDTH
            ),
        ),
        legend=True,
    )


def without_data(figure: Figure | None) -> Figure | None:
    """A figure without its data tables."""
    if figure is None:
        return None
    return replace(figure, data=(), drawings=tuple(replace(one, data=()) for one in figure.drawings))
