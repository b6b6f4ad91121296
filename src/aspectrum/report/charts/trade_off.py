"""Two metrics against each other: which systems are worth considering. Better is always up and to the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aspectrum.report.charts.labels import HEIGHT, Anchor, Box, Placed, Places
from aspectrum.report.charts.names import fitting, isolated, listed, text_width, visible
from aspectrum.report.charts.scale import Numbers, Scale, domain, tick_labels, ticks
from aspectrum.report.charts.svg import NARROW, WIDE, Drawing, number
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Front, Interval, Measure, Report, Score

_MARK = 7.0  # half the size of a mark


@dataclass(frozen=True)
class _Point:
    system: str
    across: Score
    up: Score

    @property
    def defined(self) -> bool:
        return math.isfinite(self.across.value) and math.isfinite(self.up.value)


@dataclass(frozen=True)
class _Edge:
    point: _Point
    text: str
    anchor: Anchor
    x: float
    middle: float
    dx: int
    dy: int


def draw(report: Report, front: Front, width: float = WIDE, theme: ThemeName = "page") -> str:
    """A scatter plot with the Pareto staircase, intervals as crosses, and the corner that is better than the baseline on both metrics."""
    return _Scatter(report, front, width, theme).svg()


def rows(report: Report, front: Front) -> Table:
    """Both scores of every system, and whether it is on the front."""
    across, up, points = _data(report, front)
    numbers = Numbers.of(report)
    head = ("System", across.name, f"{report.intervals} interval", up.name, f"{report.intervals} interval", "Pareto front")
    return head, [
        (
            visible(point.system),
            numbers.exact(point.across.value),
            numbers.interval(point.across.interval),
            numbers.exact(point.up.value),
            numbers.interval(point.up.interval),
            "yes" if point.system in front.front else "not ruled out" if point.system in front.open else "no" if point.defined else "",
        )
        for point in points
    ]


def _data(report: Report, front: Front) -> tuple[Measure, Measure, list[_Point]]:
    if report.trade_off is None:
        raise ValueError("the report has no trade-off")
    across, up = report.measure(report.trade_off.horizontal), report.measure(front.vertical)
    nothing = Score(math.nan)
    scores = report.scores
    return across, up, [_Point(name, scores[across.key].get(name, nothing), scores[up.key].get(name, nothing)) for name in report.systems]


class _Scatter:
    """One drawing: places are found first, then everything is drawn from back to front."""

    def __init__(self, report: Report, front: Front, width: float, theme: ThemeName) -> None:
        self.front, self.report = front, report
        self.across, self.up, points = _data(report, front)
        self.numbers = Numbers.of(report)
        self.systems = Systems.of(report)
        self.drawing = Drawing(width, theme, self.systems)
        self.wide = width > (NARROW + WIDE) / 2
        self.undefined = [point for point in points if not point.defined]
        self.drawn, self.off = self._far_off([point for point in points if point.defined])
        self.height = 470.0 if self.wide else 390.0
        self.x, self.y = self._scales(width)
        self.frame = Box(self.x.start, self.y.end, self.x.end, self.y.start)
        self.places = Places(Box(self.frame.left, 4, width - 2, self.frame.bottom - 2))

    # what is where

    def _far_off(self, points: list[_Point]) -> tuple[list[_Point], list[_Point]]:
        """Points to draw, and those so far away that the others would be squeezed; never the baseline or one of the front."""
        drawn, off = list(points), list[_Point]()
        while len(drawn) > 3 and len(off) < len(points) // 3:
            far = [(self._distance(point, drawn), point) for point in drawn if not self._must_show(point.system)]
            distance, point = max(far, key=lambda pair: pair[0], default=(0.0, drawn[0]))
            if distance <= 1:
                break
            drawn.remove(point)
            off.append(point)
        return drawn, off

    def _must_show(self, system: str) -> bool:
        return system == self.systems.baseline or system in self.front.front

    @staticmethod
    def _distance(point: _Point, points: list[_Point]) -> float:
        """How far a point is from the others, in units of their range."""
        found = 0.0
        for mine, others in (
            (point.across.value, [other.across.value for other in points if other is not point]),
            (point.up.value, [other.up.value for other in points if other is not point]),
        ):
            extent = max(others) - min(others)
            if extent > 0:
                found = max(found, (min(others) - mine) / extent, (mine - max(others)) / extent)
        return found

    def _scales(self, width: float) -> tuple[Scale, Scale]:
        low_x, high_x = _range([point.across for point in self.drawn])
        low_y, high_y = _range([point.up for point in self.drawn])
        labels = tick_labels(ticks(low_y, high_y, 7), self.numbers)
        left = max(36.0, max(text_width(label, 11.5) for label in labels) + 12)
        if self.across.higher_is_better is False:
            low_x, high_x = high_x, low_x
        if self.up.higher_is_better is False:
            low_y, high_y = high_y, low_y
        return Scale(low_x, high_x, left, width - 14), Scale(low_y, high_y, self.height - 44, 22)

    def _place(self, point: _Point) -> tuple[float, float]:
        return self.x(point.across.value), self.y(point.up.value)

    def _reach(self, interval: Interval | None, scale: Scale) -> tuple[float, float] | None:
        if interval is None or not all(map(math.isfinite, interval)):
            return None
        first, second = sorted(map(scale.inside, interval))
        return first, second

    def _shared(self) -> dict[str, list[str]]:
        """Systems with the same scores, by the one that carries their label."""
        groups: dict[tuple[float, float], list[str]] = {}
        values = {point.system: (point.across.value, point.up.value) for point in self.drawn}
        for name in self.systems.by_importance:
            if name in values:
                groups.setdefault(values[name], []).append(name)
        return {names[0]: names for names in groups.values()}

    # what is said

    def _tip(self, point: _Point, *further: str) -> list[str]:
        own = [", ".join([self.systems.full(point.system), *further])]
        for measure, score in ((self.across, point.across), (self.up, point.up)):
            own.append(f"{visible(measure.name)} {self.numbers.exact(score.value)} {self.numbers.interval(score.interval)}".rstrip())
        if point.system in self.front.front:
            own.append("on the Pareto front")
        elif point.system in self.front.open:
            own.append("no test shows that another system is better on both")
        return own

    def _better_on_both(self) -> list[str]:
        baseline = next((point for point in self.drawn if point.system == self.systems.baseline), None)
        if baseline is None or None in (self.across.higher_is_better, self.up.higher_is_better):
            return []
        x, y = self._place(baseline)
        return [point.system for point in self.drawn if self._place(point)[0] > x and self._place(point)[1] < y]

    def label(self) -> str:
        """The main fact."""
        facts = [f"{visible(self.up.name)} against {visible(self.across.name)} for {len(self.drawn) + len(self.off)} systems"]
        if self.front.front:
            facts.append(f"On the Pareto front: {listed([self.systems.full(name) for name in self.front.front])}")
        if self.systems.baseline is not None and None not in (self.across.higher_is_better, self.up.higher_is_better):
            both = [self.systems.full(name) for name in self._better_on_both()]
            facts.append(f"Higher mean quality than {self.systems.full(self.systems.baseline)} on both: {listed(both) if both else 'none'}")
        return ". ".join(facts) + "."

    # drawing

    def svg(self) -> str:
        self._axes()
        if not self.drawn:
            self.drawing.text("t", (self.frame.left + self.frame.right) / 2, self.height / 2, "undefined for all systems", "middle")
        marks = {point.system: self._place(point) for point in self.drawn}
        for x, y in marks.values():
            self.places.take(Box.around(x, y, _MARK))
        lines = self._staircase(marks)
        edges = self._edges()
        labels = self._labels(lines)
        self._corner_label(lines)
        for name in self.systems.back_to_front:
            point = next((point for point in self.drawn if point.system == name), None)
            if point is not None:
                self._point(point, labels.get(name))
        for edge in edges:
            self._edge(edge)
        captions = [
            f"Crosses are {self.report.intervals} intervals of the mean."
            if any(point.across.interval or point.up.interval for point in self.drawn)
            else ""
        ]
        if self.systems.baseline in marks and None not in (self.across.higher_is_better, self.up.higher_is_better):
            captions.append(f"The tinted corner is better than {self.systems.short(self.systems.baseline or '')} on both.")
        if any(name in self.front.open for name in marks):
            captions.append("Hollow: no test shows that another system is better on both.")
        if self.undefined:
            captions.append(f"Undefined and not shown: {listed([self.systems.short(point.system) for point in self.undefined])}.")
        title = f"{visible(self.up.name)} against {visible(self.across.name)}"
        return self.drawing.finish(self.height, self.label(), title=title, caption=" ".join(filter(None, captions)))

    def _axes(self) -> None:
        drawing, frame = self.drawing, self.frame
        baseline = next((point for point in self.drawn if point.system == self.systems.baseline), None)
        both = baseline is not None and None not in (self.across.higher_is_better, self.up.higher_is_better)
        if baseline is not None and both:
            x, y = self._place(baseline)
            drawing.rect("win", x, frame.top, frame.right - x, y - frame.top)
        values = ticks(self.y.low, self.y.high, 7) if self.drawn else []
        for value, label in zip(values, tick_labels(values, self.numbers), strict=True):
            drawing.path("g", f"M{number(frame.left)} {number(self.y(value))}H{number(frame.right)}")
            drawing.beside("t", frame.left - 6, self.y(value), label, "end")
        values = ticks(self.x.low, self.x.high, 6 if self.wide else 4) if self.drawn else []
        for value in values:
            drawing.path("ax", f"M{number(self.x(value))} {number(frame.bottom)}v4")
        drawing.below(list(map(self.x, values)), tick_labels(values, self.numbers), frame.bottom)
        if baseline is not None:
            x, y = self._place(baseline)
            drawing.path(
                "bl", f"M{number(x)} {number(frame.top)}V{number(frame.bottom)}M{number(frame.left)} {number(y)}H{number(frame.right)}"
            )
        self._axis_title(self.up, 10, 13, vertical=True)
        self._axis_title(self.across, (frame.left + frame.right) / 2, self.height - 6, vertical=False)

    def _axis_title(self, measure: Measure, x: float, foot: float, *, vertical: bool) -> None:
        """The metric's name, an arrow towards what is better, and a word if the axis is turned around."""
        drawing = self.drawing
        turned = measure.higher_is_better is False
        text = fitting(visible(measure.name), self.drawing.width * 0.55, 12.5) + (", lower is better" if turned else "")
        if measure.higher_is_better is None:
            drawing.text("at", x if not vertical else 4, foot, text, "start" if vertical else "middle")
        elif vertical:
            drawing.arrow(x - 2, foot, 0, -9)
            drawing.text("at", x + 7, foot, text)
        else:
            word = "" if turned else "better"
            length = text_width(text, 12.5)
            start = x - (length + 24 + text_width(word, 12.5)) / 2
            drawing.text("at", start, foot, text)
            drawing.arrow(start + length + 5, foot - 4, 12, 0)
            if word:
                drawing.text("at", start + length + 23, foot, word)

    def _staircase(self, marks: dict[str, tuple[float, float]]) -> list[Box]:
        """The line through the front, and the room it takes."""
        steps = sorted(marks[name] for name in self.front.front if name in marks)
        if not steps or None in (self.across.higher_is_better, self.up.higher_is_better):
            return []
        boxes, x, y = list[Box](), self.frame.left, steps[0][1]
        d = f"M{number(x)} {number(y)}"
        for (next_x, next_y), after in zip(steps, [*steps[1:], (self.frame.right, self.frame.bottom)], strict=True):
            d += f"H{number(next_x)}V{number(after[1])}"
            boxes += [Box(x, next_y - 1, next_x, next_y + 1), Box(next_x - 1, next_y, next_x + 1, after[1])]
            x = next_x
        self.drawing.path("front", d)
        return boxes

    def _labels(self, lines: list[Box]) -> dict[str, tuple[str, Placed]]:
        """Texts and places by system, the important ones first. Where there is no room, a grey system has only its tooltip."""
        points = {point.system: point for point in self.drawn}
        crosses = {name: self._reach(point.across.interval, self.x) for name, point in points.items()}
        for name, cross in crosses.items():
            if cross is not None and self.wide:
                self.places.take(Box(cross[0], self._place(points[name])[1] - 1, cross[1], self._place(points[name])[1] + 1))
        found: dict[str, tuple[str, Placed]] = {}
        for name, names in self._shared().items():
            x, y = self._place(points[name])
            text = self._text(names)
            reach = max(_MARK - 2, *(abs(end - x) for end in crosses[name] or (x,)))
            avoiding = [*lines, *self._guides()]
            near = reach if reach < 60 else 2
            placed = self.places.place(x, y, text_width(text) + 4, near, avoiding, insist=self.systems.slot(name) is not None)
            if placed is not None:
                found[name] = (text, placed)
        return found

    def _guides(self) -> list[Box]:
        """The room that the lines through the baseline take."""
        for point in self.drawn:
            if point.system == self.systems.baseline:
                x, y = self._place(point)
                return [Box(x - 1, self.frame.top, x + 1, self.frame.bottom), Box(self.frame.left, y - 1, self.frame.right, y + 1)]
        return []

    def _text(self, names: Sequence[str]) -> str:
        """The label of one system, or of several with the same scores."""
        room = self.frame.right - self.frame.left - 20
        texts = [
            isolated(self.systems.short(name)) + (" (baseline)" if name == self.systems.baseline and self.wide else "") for name in names
        ]
        for shown in range(len(texts), 0, -1):
            text = ", ".join(texts[:shown]) + (f" and {len(texts) - shown} more" if shown < len(texts) else "")
            if text_width(text) <= room * (0.5 if len(texts) > 1 else 1):
                return text
        return fitting(texts[0], room)

    def _point(self, point: _Point, label: tuple[str, Placed] | None) -> None:
        x, y = self._place(point)
        drawing = self.drawing
        with drawing.system(point.system, "pt", self._tip(point)):
            across, up = self._reach(point.across.interval, self.x), self._reach(point.up.interval, self.y)
            d = f"M{number(across[0])} {number(y)}H{number(across[1])}" if across else ""
            d += f"M{number(x)} {number(up[0])}V{number(up[1])}" if up else ""
            if label is not None and label[1].far:
                box = label[1].box
                end = (box.left + box.right) / 2, box.bottom if box.bottom < y else box.top
                drawing.path("lead", f"M{number(x)} {number(y)}L{number(end[0])} {number(end[1])}")
            if d:
                drawing.path("ci", d)
            classes = "open" if point.system in self.front.open else "fr" if point.system in self.front.front else ""
            drawing.mark(point.system, x, y, 1, classes)
            if label is not None:
                drawing.text("lb", label[1].x, label[1].y, label[0], label[1].anchor)

    def _edges(self) -> list[_Edge]:
        """Systems that are too far away to draw, named at the edge: what they exceed most decides the arrow and the value."""
        found, frame, stacked = list[_Edge](), self.frame, {"start": 0, "end": 0}
        for point in self.off:
            x, y = self.x.share(point.across.value), self.y.share(point.up.value)
            away = {(-8, 0): -x, (8, 0): x - 1, (0, 8): -y, (0, -8): y - 1}
            dx, dy = max(away, key=away.__getitem__)
            score = point.across if dx else point.up
            text = f"{isolated(self.systems.short(point.system))} off the scale, {self.numbers.value(score.value)}"
            text = fitting(text, frame.right - frame.left - 30)
            anchor: Anchor = "end" if dx > 0 else "start"
            middle = frame.bottom - 10 - HEIGHT * stacked[anchor]
            stacked[anchor] += 1
            width = text_width(text) + 16
            left = frame.left if anchor == "start" else frame.right - width
            self.places.take(Box(left, middle - 8, left + width, middle + 8))
            found.append(_Edge(point, text, anchor, frame.left if anchor == "start" else frame.right, middle, dx, dy))
        return found

    def _edge(self, edge: _Edge) -> None:
        inward = 1 if edge.anchor == "start" else -1
        with self.drawing.system(edge.point.system, "pt", self._tip(edge.point, "off the scale")):
            self.drawing.arrow(edge.x + inward * 7 - edge.dx / 2, edge.middle - edge.dy / 2, edge.dx, edge.dy)
            self.drawing.beside("lb", edge.x + inward * 16, edge.middle, edge.text, edge.anchor)

    def _corner_label(self, lines: list[Box]) -> None:
        """The words for the tinted corner, if they fit into it."""
        baseline = next((point for point in self.drawn if point.system == self.systems.baseline), None)
        if baseline is None or None in (self.across.higher_is_better, self.up.higher_is_better):
            return
        x, y = self._place(baseline)
        corner = Box(x + 4, self.frame.top, self.frame.right - 2, y - 2)
        for text in (f"better than {isolated(self.systems.short(baseline.system))} on both", "better on both"):
            width = text_width(text, 11.5)
            for foot in (y - 7, self.frame.top + 12):
                box = Box(self.frame.right - 6 - width, foot - 11, self.frame.right - 6, foot + 3)
                if corner.holds(box) and self.places.take_if_free(box, lines):
                    self.drawing.text("t it", self.frame.right - 6, foot, text, "end")
                    return


def _range(scores: list[Score]) -> Interval:
    """Where the points are, and as much of their intervals as does not squeeze the points."""
    values = [score.value for score in scores]
    low, high = domain(values, 0.1)
    ends = [end for score in scores if score.interval is not None for end in score.interval if math.isfinite(end)]
    extent = high - low
    return max(min([low, *(end - 0.02 * extent for end in ends)]), low - extent), min(
        max([high, *(end + 0.02 * extent for end in ends)]), high + extent
    )
