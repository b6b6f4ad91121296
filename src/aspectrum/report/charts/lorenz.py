"""Exposure of items: how unevenly recommendations are spread over the catalogue."""

from __future__ import annotations

import math
from itertools import pairwise

from aspectrum.report.charts.names import visible
from aspectrum.report.charts.scale import Numbers, Scale, count, share
from aspectrum.report.charts.svg import Drawing, number, points
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Lorenz, Report

WIDTH = 360
_BOTTOM = 44.0


def draw(report: Report, data: Lorenz, width: float = WIDTH, theme: ThemeName = "page") -> str:
    """Lorenz curves, items from the least to the most shown; the diagonal is every item shown equally often."""
    systems = Systems.of(report)
    drawing = Drawing(width, theme, systems)
    side = min(width - 56, 480.0)
    x, y = Scale(0, 1, 44, 44 + side), Scale(0, 1, 12 + side * 1.04, 12)
    for at in range(0, 101, 20):
        place = y(at / 100)
        drawing.path("g", f"M{number(x.start)} {number(place)}H{number(x.end)}")
        drawing.beside("t", x.start - 6, place, f"{at} %", "end")
    for at in range(0, 101, 25):
        drawing.path("ax", f"M{number(x(at / 100))} {number(y.start)}v4")
    drawing.below([x(at / 4) for at in range(5)], [f"{25 * at} %" for at in range(5)], y.start)
    drawing.path("bl", f"M{number(x.start)} {number(y.start)}L{number(x.end)} {number(y.end)}")
    slope = math.degrees(math.atan2(y.end - y.start, x.end - x.start))
    drawing.text("t it", x(0.5) - 6, y(0.5) - 6, "every item shown equally", "middle", turned=slope)
    order = [name for name in systems.by_importance if systems.slot(name) is not None]
    for name in systems.back_to_front:
        curve = [(a, b) for a, b in data.systems.get(name, ()) if math.isfinite(a) and math.isfinite(b)]
        if len(curve) < 2:
            continue
        with drawing.system(name, "pt", _tip(report, data, name)):
            line = points([(x.inside(a), y.inside(b)) for a, b in curve])
            drawing.path("hitl", line)
            drawing.path("ln base" if name == systems.baseline else "ln", line)
            if drawing.page or name in order:
                # At its own height, so that marks of curves that run together are beside one another.
                height = 0.08 + 0.09 * (order.index(name) if name in order else len(order))
                across = _where(curve, height)
                drawing.mark(name, x.inside(across), y(height), 0.66, "end")
    drawing.text("at", (x.start + x.end) / 2, y.start + 38, "items, least shown first", "middle")
    caption = "Share of recommendations that go to the least shown items. The deeper the bow, the more a few items take."
    return drawing.finish(y.start + _BOTTOM, label(report, data), title="Exposure per item", caption=caption, legend=True)


def label(report: Report, data: Lorenz) -> str:
    """The main fact: who spreads exposure most and least evenly."""
    systems, numbers = Systems.of(report), Numbers(3)
    gini = {name: data.gini[name] for name in systems.names if math.isfinite(data.gini.get(name, math.nan))}
    text = "Lorenz curves of item exposure"
    if not gini:
        return f"{text}."
    most, least = min(gini, key=gini.__getitem__), max(gini, key=gini.__getitem__)
    text += f". Most even: {systems.full(most)}, Gini {numbers.value(gini[most])}"
    return f"{text}; least even: {systems.full(least)}, Gini {numbers.value(gini[least])}." if most != least else f"{text}."


def rows(report: Report, data: Lorenz) -> Table:
    """Gini index, items shown and never shown, and what the most shown items take."""
    numbers = Numbers(3)
    head = ("System", "Gini index", "items shown", "never shown", "share of the top 1 % of items", "share of the top 10 %")
    found = []
    for name in report.systems:
        if name not in data.systems:
            continue
        never = data.never_shown.get(name)
        shown = "" if never is None or not data.items else share(1 - never / data.items, 1)
        tops = [share(1 - _height(data.systems[name], 1 - top), 1) for top in (0.01, 0.1)]
        found.append((visible(name), numbers.exact(data.gini.get(name, math.nan)), shown, "" if never is None else count(never), *tops))
    return head, found


def _tip(report: Report, data: Lorenz, name: str) -> list[str]:
    own = [Systems.of(report).full(name)]
    if math.isfinite(data.gini.get(name, math.nan)):
        own.append(f"Gini index {Numbers(4).value(data.gini[name])}")
    own.append(f"{share(1 - _height(data.systems[name], 0.99))} of exposure goes to 1 % of items")
    never = data.never_shown.get(name)
    return own if never is None else [*own, f"{count(never)} of {count(data.items)} items are never shown"]


def _height(curve: tuple[tuple[float, float], ...], at: float) -> float:
    """The curve's value at a share of items."""
    for (first, low), (second, high) in pairwise(curve):
        if first <= at <= second:
            return low if second == first else low + (high - low) * (at - first) / (second - first)
    return math.nan


def _where(curve: list[tuple[float, float]], height: float) -> float:
    """The share of items at which the curve has a height."""
    for (first, low), (second, high) in pairwise(curve):
        if low <= height <= high and high > low:
            return first + (second - first) * (height - low) / (high - low)
    return curve[-1][0]
