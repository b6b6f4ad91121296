"""Exposure per aspect: what the systems show, against the catalogue and users' histories."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aspectrum.report.charts.lanes import lanes
from aspectrum.report.charts.names import fitting, full_name, short_names, text_width, visible
from aspectrum.report.charts.scale import Scale, share, ticks
from aspectrum.report.charts.svg import Drawing, number
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import AspectShare, Report

WIDTH = 530
MOST = 20
"""Aspects with a row of their own."""
_PITCH, _TOP = 26.0, 10.0


def draw(report: Report, data: Sequence[AspectShare], width: float = WIDTH, theme: ThemeName = "page") -> str:
    """A row for each aspect, the largest in the catalogue first: bar = catalogue, tick = histories, marks = systems."""
    drawing = Drawing(width, theme, Systems.of(report))
    shown, other = _shown(data)
    labels = short_names([one.aspect for one in shown])
    names = [(labels[one.aspect], one) for one in shown]
    if other is not None:
        names.append((f"other ({len(data) - MOST})", other))
    name_end = min(max([40.0, *(text_width(text) for text, _ in names)]), width * 0.34)
    parts = [part for _, one in names for part in _parts(one)]
    scale = Scale(0, max([0.01, *parts]) * 1.04, name_end + 10, width - 12)
    foot = _TOP + _PITCH * max(1, len(names))
    values = ticks(0, scale.high, 4)
    for value in values:
        drawing.path("g", f"M{number(scale(value))} {number(_TOP)}V{number(foot)}")
    drawing.below(list(map(scale, values)), [share(value, 0 if scale.high > 0.03 else 1) for value in values], foot)
    for at, (text, one) in enumerate(names):
        _row(drawing, text, one, scale, _TOP + _PITCH * (at + 0.5), name_end)
    caption = "Bar: share of the catalogue." + (
        " Tick: share in users' histories." if any(one.histories is not None for one in data) else ""
    )
    return drawing.finish(foot + 30, label(report, data), title="Exposure per aspect", caption=f"{caption} Marks: systems.", legend=True)


def label(report: Report, data: Sequence[AspectShare]) -> str:
    """The main fact: where a system in focus departs most from the catalogue."""
    systems = Systems.of(report)
    who = report.baseline if report.baseline is not None else next(iter(report.systems), None)
    text = f"Share of exposure per aspect for {len(data)} aspects"
    gaps = {one.aspect: (one, one.systems[who]) for one in data if who is not None and math.isfinite(one.systems.get(who, math.nan))}
    if not gaps or who is None:
        return f"{text}."
    one, shown = max(gaps.values(), key=lambda pair: abs(pair[1] - pair[0].catalogue))
    name = full_name(one.aspect)
    return f"{text}. {systems.full(who)} departs most from the catalogue in {name}: {share(shown, 1)} against {share(one.catalogue, 1)}."


def rows(report: Report, data: Sequence[AspectShare]) -> Table:
    """Every aspect and every system."""
    head = ("Aspect", "catalogue", "histories", *map(visible, report.systems))
    return head, [
        (
            visible(one.aspect),
            share(one.catalogue, 1),
            "" if one.histories is None else share(one.histories, 1),
            *(share(one.systems.get(name, math.nan), 1) for name in report.systems),
        )
        for one in sorted(data, key=lambda one: -one.catalogue)
    ]


def _shown(data: Sequence[AspectShare]) -> tuple[list[AspectShare], AspectShare | None]:
    """The aspects with rows, and the sum of the others."""
    order = sorted(data, key=lambda one: -one.catalogue if math.isfinite(one.catalogue) else math.inf)
    shown, others = order[:MOST], order[MOST:]
    if not others:
        return shown, None
    known = [one.histories for one in others if one.histories is not None]
    systems = {name: math.fsum(one.systems.get(name, 0.0) for one in others) for name in others[0].systems}
    return shown, AspectShare("other", math.fsum(one.catalogue for one in others), math.fsum(known) if known else None, systems)


def _parts(one: AspectShare) -> list[float]:
    parts = [one.catalogue, *(() if one.histories is None else (one.histories,)), *one.systems.values()]
    return [part for part in parts if math.isfinite(part)]


def _row(drawing: Drawing, text: str, one: AspectShare, scale: Scale, middle: float, name_end: float) -> None:
    systems = drawing.systems
    name_of = full_name(one.aspect) if not text.startswith("other (") else text
    around = f"catalogue {share(one.catalogue, 1)}" + ("" if one.histories is None else f", users' histories {share(one.histories, 1)}")
    defined = {name: one.systems[name] for name in systems.names if math.isfinite(one.systems.get(name, math.nan))}
    with drawing.plain("row"):
        ranking = [f"{systems.full(name)} {share(part, 1)}" for name, part in sorted(defined.items(), key=lambda pair: -pair[1])]
        drawing.rect("hit", 0, middle - _PITCH / 2, drawing.width, _PITCH, drawing.tip([name_of, around, *ranking]))
        drawing.beside("nm", name_end, middle, fitting(text, name_end), "end")
        if math.isfinite(one.catalogue):
            drawing.rect("cat", scale(0), middle - 9, scale(one.catalogue) - scale(0), 18)
        if one.histories is not None and math.isfinite(one.histories):
            drawing.path("hist", f"M{number(scale(one.histories))} {number(middle - 11)}v22")
        lane = lanes({name: (scale(part) - 4, scale(part) + 4) for name, part in defined.items() if systems.slot(name) is not None}, most=3)
        for name in systems.back_to_front:
            if name in defined:
                tip = [name_of, f"{systems.full(name)} shows {share(defined[name], 1)}", around]
                with drawing.system(name, "pt", tip, tab=False):
                    drawing.mark(name, scale(defined[name]), middle + 5.5 * lane.get(name, 0), 0.72)
