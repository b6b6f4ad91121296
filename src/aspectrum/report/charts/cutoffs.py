"""Metrics by cutoff: does the order of the systems depend on the length of the lists."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aspectrum.report.charts.names import listed, text_width, visible
from aspectrum.report.charts.scale import Numbers, Scale, domain, tick_labels, ticks
from aspectrum.report.charts.svg import WIDE, Drawing, escaped, number, points
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Curves, Interval, Report

PANEL = 244
"""The width of one panel among several."""
_TOP, _FOOT = 10.0, 24.0


def draw(report: Report, curves: Curves, width: float = PANEL, theme: ThemeName = "page") -> str:
    """One panel. In the page, the attribute `data-curve` holds what a cross-hair needs.

    Its JSON object has the panel's `metric`, `cutoffs` with their places `x`, the places `top` and `foot`, `values` by the number of
    the system (null where undefined), and `digits` and `factor` to write them. The path of class `cur` is the cross-hair.
    """
    drawing = Drawing(width, theme, Systems.of(report))
    panel = _Panel.of(report, curves, width, drawing)
    panel.draw()
    attributes = f' tabindex="0" data-curve="{escaped(panel.json())}"' if drawing.page else ""
    classes = "curve fit" if width > PANEL else "curve"
    return drawing.finish(
        panel.height,
        label(report, curves),
        classes=classes,
        attributes=attributes,
        title=visible(curves.name),
        caption=_caption(report, [curves]),
        legend=True,
    )


def sheet(report: Report, all_curves: Sequence[Curves], width: float = WIDE, theme: ThemeName = "light") -> str:
    """All panels in one drawing, for files; the page lays out panels by itself."""
    drawing = Drawing(width, theme, Systems.of(report))
    columns = max(1, min(len(all_curves), round(width / (PANEL + 18))))
    each = (width - 20 * (columns - 1)) / columns
    top, height = 0.0, 0.0
    for at, curves in enumerate(all_curves):
        if at and at % columns == 0:
            top, height = top + height + 16, 0.0
        with drawing.moved((at % columns) * (each + 20), top):
            drawing.text("nm b", 0, 14, visible(curves.name))
            drawing.text("sub", each, 14, visible(curves.family), "end")
            panel = _Panel.of(report, curves, each, drawing)
            with drawing.moved(0, 22):
                panel.draw()
        height = max(height, panel.height + 22)
    title = (
        f"Every metric against the {all_curves[0].along}"
        if len(all_curves) > 1
        else f"{visible(all_curves[0].name)} against the {all_curves[0].along}"
        if all_curves
        else ""
    )
    words = " ".join(label(report, curves) for curves in all_curves)
    return drawing.finish(top + height, words, title=title, caption=_caption(report, all_curves), legend=True)


def label(report: Report, curves: Curves) -> str:
    """The main fact: who is best, and whether that depends on the cutoff."""
    systems, numbers = Systems.of(report), Numbers.of(report)
    first, last = (_cutoff(cutoff) for cutoff in (curves.cutoffs[0], curves.cutoffs[-1])) if curves.cutoffs else ("", "")
    text = f"{visible(curves.name)} at {curves.along}{f's {first} to {last}' if len(curves.cutoffs) > 1 else f' {first}'}"
    leaders = _leaders(report, curves)
    if not leaders:
        return f"{text}: undefined."
    word = {True: "Highest", False: "Lowest, which is best,", None: "Highest"}[_direction(report, curves)]
    final = leaders[-1]
    at = _cutoff(curves.cutoffs[final[0]])
    text += f". {word} at {at}: {systems.full(final[1])} {numbers.value(curves.values[final[1]][final[0]])}"
    changes = [(before, after) for before, after in pairwise(leaders) if before[1] != after[1]]
    if changes:
        turns = [f"{systems.full(after[1])} from {_cutoff(curves.cutoffs[after[0]])}" for _, after in changes]
        return f"{text}. The first place changes from {systems.full(leaders[0][1])} to {listed(turns)}."
    return f"{text}, at every other {curves.along}, too." if len(leaders) > 1 else f"{text}."


def rows(report: Report, curves: Curves) -> Table:
    """Every value, a column for each cutoff."""
    numbers = Numbers.of(report)
    name = visible(curves.name)
    by_cutoff = curves.along == "cutoff"
    head = ("System", *(f"{name}@{_cutoff(at)}" if by_cutoff else f"{name}, {curves.along} {at}" for at in curves.cutoffs))
    return head, [(visible(name), *map(numbers.exact, curves.values[name])) for name in report.systems if name in curves.values]


def _direction(report: Report, curves: Curves) -> bool | None:
    return next((measure.higher_is_better for measure in report.measures if measure.key == curves.key), None)


def _leaders(report: Report, curves: Curves) -> list[tuple[int, str]]:
    """The best system at each cutoff where one is defined."""
    sign = -1 if _direction(report, curves) is False else 1
    found = []
    for at in range(len(curves.cutoffs)):
        here = {name: values[at] for name, values in curves.values.items() if math.isfinite(values[at])}
        if here:
            found.append((at, max(here, key=lambda name: sign * here[name])))
    return found


def _cutoff(cutoff: int) -> str:
    return str(cutoff) if cutoff > 0 else "all"


def _caption(report: Report, all_curves: Sequence[Curves]) -> str:
    words = []
    if any(band is not None for curves in all_curves for bands in curves.bands.values() for band in bands):
        words.append(f"Bands are {report.intervals} intervals, drawn for systems in colour")
    if report.baseline is not None:
        words.append(f"dashed: {Systems.of(report).short(report.baseline)}")
    text = "; ".join(words)
    text = f"{text[:1].upper()}{text[1:]}." if text else ""
    return f"{text} Scales differ between panels.".strip() if len(all_curves) > 1 else text


@dataclass
class _Panel:
    """One metric: its curves in a frame."""

    curves: Curves
    numbers: Numbers
    drawing: Drawing
    height: float
    places: list[float]
    y: Scale
    left: float
    right: float
    logarithmic: bool

    @classmethod
    def of(cls, report: Report, curves: Curves, width: float, drawing: Drawing) -> _Panel:
        numbers = Numbers.of(report)
        height = 168.0 if width <= 1.5 * PANEL else 300.0
        coloured = [name for name in curves.values if drawing.systems.slot(name) is not None]
        values = [value for one in curves.values.values() for value in one]
        ends = [end for name in coloured for band in curves.bands.get(name, ()) if band is not None for end in band]
        low, high = domain(values, 0.05)
        extent = high - low
        low, high = max(min([low, *ends]), low - extent / 2), min(max([high, *ends]), high + extent / 2)
        if 0 <= min([value for value in values if math.isfinite(value)], default=1.0) < 0.25 * high:
            low = 0.0
        left = max(36.0, max(text_width(text, 11.5) for text in tick_labels(ticks(low, high, 4), numbers)) + 10)
        position, logarithmic = _positions(curves.cutoffs)
        right = width - max(8.0, text_width(_cutoff(curves.cutoffs[-1]), 11.5) / 2 if curves.cutoffs else 0.0)
        places = [left + position(at) * (right - left) for at in range(len(curves.cutoffs))]
        return cls(curves, numbers, drawing, height, places, Scale(low, high, height - _FOOT, _TOP), left, right, logarithmic)

    def draw(self) -> None:
        drawing, foot = self.drawing, self.height - _FOOT
        defined = any(math.isfinite(value) for one in self.curves.values.values() for value in one)
        values = ticks(self.y.low, self.y.high, 4 if self.height < 200 else 7) if defined else []
        for value, text in zip(values, tick_labels(values, self.numbers), strict=True):
            drawing.path("g", f"M{number(self.left)} {number(self.y(value))}H{number(self.right)}")
            drawing.beside("t", self.left - 6, self.y(value), text, "end")
        self._cutoffs(foot)
        if not defined:
            drawing.text("t", (self.left + self.right) / 2, self.height / 2, "undefined for all systems", "middle")
        for name in drawing.systems.back_to_front:
            if name in self.curves.values:
                self._system(name)
        drawing.path("cur", f"M{number(self.left)} {number(_TOP)}V{number(foot)}", ' style="display:none"')

    def _cutoffs(self, foot: float) -> None:
        """Labels of the cutoffs: the ends first, then round ones, as many as fit."""
        cutoffs, room = self.curves.cutoffs, list[tuple[float, float]]()
        ends = {0, len(cutoffs) - 1}
        for at in sorted(range(len(cutoffs)), key=lambda at: (at not in ends, _roundness(cutoffs[at]), at)):
            half = text_width(_cutoff(cutoffs[at]), 11.5) / 2 + 6
            x = self.places[at]
            if _roundness(cutoffs[at]) == 2 and at not in ends and len(room) > 3:
                break
            if all(x + half <= start or x - half >= end for start, end in room):
                room.append((x - half, x + half))
                self.drawing.path("ax", f"M{number(x)} {number(foot)}v4")
                self.drawing.text("t", x, foot + 16, _cutoff(cutoffs[at]), "middle")
        if self.logarithmic:
            self.drawing.text("t it", 0, foot + 16, "log")

    def _system(self, name: str) -> None:
        drawing, values = self.drawing, self.curves.values[name]
        bands = self.curves.bands.get(name, ())
        in_colour = drawing.systems.slot(name) is not None
        runs = _runs(values)
        with drawing.system(name, ""):
            for run in runs:
                if (drawing.page or in_colour) and bands:
                    self._band([(at, band) for at in run if (band := bands[at]) is not None and all(map(math.isfinite, band))])
            for run in runs:
                line = points([(self.places[at], self.y.inside(values[at])) for at in run])
                if len(run) == 1:
                    drawing.mark(name, self.places[run[0]], self.y.inside(values[run[0]]), 0.6)
                    continue
                drawing.path("hitl", line)
                drawing.path("ln base" if name == drawing.systems.baseline else "ln", line)
            if runs and len(runs[-1]) > 1 and (drawing.page or in_colour):
                drawing.mark(name, self.places[runs[-1][-1]], self.y.inside(values[runs[-1][-1]]), 0.6, "end")

    def _band(self, ends: list[tuple[int, Interval]]) -> None:
        if len(ends) > 1:
            above = [(self.places[at], self.y.inside(band[1])) for at, band in ends]
            below = [(self.places[at], self.y.inside(band[0])) for at, band in reversed(ends)]
            self.drawing.path("bd", points(above) + points(below).replace("M", "L", 1) + "Z")

    def json(self) -> str:
        """What the cross-hair needs."""
        values = [
            [round(value, 6) if math.isfinite(value) else None for value in self.curves.values[name]]
            if name in self.curves.values
            else None
            for name in self.drawing.systems.names
        ]
        return json.dumps(
            {
                "metric": visible(self.curves.name),
                "cutoffs": self.curves.cutoffs,
                "x": [round(x, 2) for x in self.places],
                "top": _TOP,
                "foot": self.height - _FOOT,
                "values": values,
                "digits": max(0, self.numbers.digits + 1 - (2 if self.numbers.percent else 0)),
                "factor": self.numbers.factor,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )


def _positions(cutoffs: Sequence[int]) -> tuple[Callable[[int], float], bool]:
    """Where each cutoff is, from 0 to 1: by its value, by its logarithm where gaps grow much, or by its order with whole lists."""
    if len(cutoffs) < 2:
        return (lambda at: 0.5), False
    if min(cutoffs) <= 0 or any(second <= first for first, second in pairwise(cutoffs)):
        return (lambda at: at / (len(cutoffs) - 1)), False
    gaps = [second - first for first, second in pairwise(cutoffs)]
    logarithmic = cutoffs[-1] - cutoffs[0] > 3 * len(gaps) * min(gaps)
    scaled = [math.log(cutoff) if logarithmic else cutoff for cutoff in cutoffs]
    return (lambda at: (scaled[at] - scaled[0]) / (scaled[-1] - scaled[0])), logarithmic


def _roundness(cutoff: int) -> int:
    """Fives and tens before others."""
    return 0 if cutoff % 10 == 0 else 1 if cutoff % 5 == 0 else 2


def _runs(values: Sequence[float]) -> list[list[int]]:
    """Stretches of neighbouring cutoffs where a curve is defined."""
    runs: list[list[int]] = []
    for at, value in enumerate(values):
        if math.isfinite(value):
            if runs and runs[-1][-1] == at - 1:
                runs[-1].append(at)
            else:
                runs.append([at])
    return runs
