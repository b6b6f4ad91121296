"""The figures of a report: heading, caption, drawings in two widths, alternatives behind a picker, and the data as tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from aspectrum.report.content import Report
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
    """One chart, for wide and for narrow pages."""

    name: str
    wide: str
    narrow: str

    @classmethod
    def of(cls, name: str, draw: Callable[[float], str], wide: float = WIDE, narrow: float = NARROW) -> Drawing:
        return cls(name, draw(wide), draw(narrow))


@dataclass(frozen=True)
class Panel:
    """One of several small charts in a figure."""

    name: str
    family: str
    chart: str


@dataclass(frozen=True)
class Figure:
    """A figure; with several drawings, a picker chooses among them by their names."""

    id: str
    title: str
    caption: str
    drawings: tuple[Drawing, ...] = ()
    panels: tuple[Panel, ...] = ()
    legend: bool = False
    data: tuple[DataTable, ...] = ()
    verdicts: tuple[str, ...] = ()


def _name(report: Report, key: str) -> str:
    return visible(report.measure(key).name)


def _baseline(report: Report) -> str:
    return "" if report.baseline is None else Systems.of(report).short(report.baseline)


def scores(report: Report) -> tuple[DataTable, ...]:
    """Every score, with its interval and the users behind it."""
    numbers = Numbers.of(report)
    heads = ("System", "score", "95 % interval", "users", "undefined for", "reason")
    return tuple(
        DataTable.of(
            visible(measure.name),
            (
                heads,
                [
                    (
                        visible(system),
                        numbers.exact(score.value),
                        numbers.interval(score.interval),
                        "" if score.scored is None else count(score.scored),
                        count(score.undefined) if score.undefined else "",
                        score.reason,
                    )
                    for system, score in report.scores[measure.key].items()
                ],
            ),
        )
        for measure in by_family(report.measures)
    )


def trade_off(report: Report, most: int | None) -> Figure | None:
    """Two metrics against each other."""
    if report.trade_off is None or not report.trade_off.fronts:
        return None
    fronts = report.trade_off.fronts
    words = ["Crosses are 95 % intervals of the mean."] if _has_intervals(report) else []
    if report.baseline is not None:
        words.append(f"The tinted corner is better than {_baseline(report)} on both.")
    return Figure(
        id="scatter",
        title=f"{_name(report, report.trade_off.horizontal)} against",
        caption=" ".join(words),
        drawings=tuple(
            Drawing.of(_name(report, front.vertical), lambda width, front=front: trade_off_chart.draw(report, front, width))  # type: ignore[misc]
            for front in fronts[:most]
        ),
        data=tuple(DataTable.of(_name(report, front.vertical), trade_off_chart.rows(report, front)) for front in fronts),
    )


def _has_intervals(report: Report) -> bool:
    return any(score.interval is not None for by_system in report.scores.values() for score in by_system.values())


def differences(report: Report, most: int | None) -> Figure | None:
    """Each system against the baseline."""
    keys = [measure.key for measure in by_family(report.measures) if report.differences.get(measure.key)]
    if report.baseline is None or not keys:
        return None
    shown = [one for key in keys for one in report.differences[key].values()]
    words = ["95 % intervals of the paired difference." if any(one.interval for one in shown) else "Too few users for intervals."]
    if any(one.mark is not None for one in shown):
        words.append("Grey: not significant after correction.")
    return Figure(
        id="differences",
        title=f"Difference to {_baseline(report)} in",
        caption=" ".join(words),
        drawings=tuple(
            Drawing.of(_name(report, key), lambda width, key=key: difference_chart.draw(report, key, width))  # type: ignore[misc]
            for key in keys[:most]
        ),
        data=tuple(DataTable.of(_name(report, key), difference_chart.rows(report, key)) for key in keys),
    )


def cutoffs(report: Report, most: int | None) -> Figure | None:
    """Each metric by cutoff: a panel for each, or one large chart."""
    curves = report.curves[:most]
    if not curves:
        return None
    words = ["Bands are 95 % intervals of systems in colour."] if any(one.bands for one in curves) else []
    if report.baseline is not None:
        words.append(f"Dashed: {_baseline(report)}.")
    if len(curves) > 1:
        words.append("Scales differ between panels.")
    alone = len(curves) == 1
    return Figure(
        id="cutoffs",
        title="Every metric by cutoff" if not alone else f"{visible(curves[0].name)} by cutoff",
        caption=" ".join(words),
        drawings=tuple(Drawing.of("", lambda width: cutoff_chart.draw(report, curves[0], width)) for _ in curves[:alone]),
        panels=() if alone else tuple(Panel(visible(one.name), visible(one.family), cutoff_chart.draw(report, one)) for one in curves),
        legend=True,
        data=tuple(DataTable.of(visible(one.name), cutoff_chart.rows(report, one)) for one in report.curves),
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
            Drawing.of(_name(report, one.key), lambda width, one=one: distribution_chart.draw(report, one, width))  # type: ignore[misc]
            for one in report.distributions[:most]
        ),
        data=tuple(DataTable.of(_name(report, one.key), distribution_chart.rows(report, one)) for one in report.distributions),
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
        caption=f"Mean of each group of users with 95 % interval. Users are grouped by {listed(attributes)}.",
        drawings=tuple(
            Drawing.of(_name(report, key), lambda width, those=those: segment_chart.draw(report, those, width))  # type: ignore[misc]
            for key, those in list(by_key.items())[:most]
        ),
        legend=True,
        data=tuple(DataTable.of(_name(report, key), segment_chart.rows(report, those)) for key, those in by_key.items()),
        verdicts=_verdicts(report),
    )


def _verdicts(report: Report) -> tuple[str, ...]:
    """What tests say about segments; a sentence that several metrics share is written once."""
    whose: dict[str, list[str]] = {}
    for one in report.segmentations:
        for text in filter(None, (one.verdict, one.note)):
            whose.setdefault(text, []).append(_name(report, one.key))
    return tuple(f"{listed(names, at_most=len(names))}: {text}" for text, names in whose.items())


def lorenz(report: Report) -> Figure | None:
    """How evenly items are shown."""
    shown = report.lorenz
    if shown is None:
        return None
    return Figure(
        id="lorenz",
        title="Exposure per item",
        caption="The deeper the bow, the more exposure a few items get.",
        drawings=(Drawing.of("", lambda width: lorenz_chart.draw(report, shown, width), lorenz_chart.WIDTH),),
        legend=True,
        data=(DataTable.of("Exposure per item", lorenz_chart.rows(report, shown)),),
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
        drawings=(Drawing.of("", lambda width: aspect_chart.draw(report, report.aspects, width), aspect_chart.WIDTH),),
        legend=True,
        data=(DataTable.of("Exposure per aspect", aspect_chart.rows(report, report.aspects)),),
    )
