"""A metric by kind of user: each system's mean with its interval, in a row for each segment."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aspectrum.report.charts.lanes import lanes
from aspectrum.report.charts.names import fitting, listed, text_width, visible
from aspectrum.report.charts.scale import Numbers, Scale, count, domain
from aspectrum.report.charts.svg import NARROW, WIDE, Drawing, number
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Report, Segment, Segmentation

FEWEST = 10
"""Users in a segment for which intervals are drawn."""
MOST_SEGMENTS = 12
_PITCH, _HEADING = 36.0, 26.0


def draw(report: Report, data: Sequence[Segmentation], width: float = WIDE, theme: ThemeName = "page") -> str:
    """Segments of one metric by one or more attributes. A segment with fewer than ten users is drawn in grey, without intervals."""
    systems, numbers = Systems.of(report), Numbers.of(report)
    drawing = Drawing(width, theme, systems)
    wide = width > (NARROW + WIDE) / 2
    shown = [(one, one.segments[:MOST_SEGMENTS]) for one in data]
    segments = [segment for _, some in shown for segment in some]
    name_end = min(max([60.0, *(_name_width(segment) for segment in segments)]), width * (0.25 if wide else 0.36))
    ends = [end for segment in segments for name in segment.means for end in _ends(segment, name)]
    scale = Scale(*domain(ends, 0.04), name_end + 16, width - 10)
    foot = 8 + sum(_HEADING + _PITCH * (len(some) + (len(one.segments) > len(some))) for one, some in shown)
    if any(map(math.isfinite, ends)):
        drawing.across(scale, 8, foot, numbers, 6 if wide else 3)
    y = 8.0
    for one, some in shown:
        drawing.text("nm b", 0, y + 19, fitting(visible(one.attribute), width - 10, 13.5))
        y += _HEADING
        for segment in some:
            _row(drawing, report, one, segment, scale, y + _PITCH / 2, name_end)
            y += _PITCH
        if len(one.segments) > len(some):
            drawing.beside("t", 0, y + _PITCH / 2, f"and {len(one.segments) - len(some)} more in the data table")
            y += _PITCH
    key = data[0].key if data else ""
    title = f"{visible(report.measure(key).name)} by segment" if data else ""
    intervals = any(interval is not None and segment.users >= FEWEST for segment in segments for interval in segment.intervals.values())
    sentences = [f"Mean per group of users with {report.intervals} interval." if intervals else "Mean per group of users."]
    if any(segment.users < FEWEST for segment in segments):
        sentences.append(f"Hollow and grey: fewer than {FEWEST} users.")
    sentences += [visible(text) for one in data for text in (one.verdict, one.note) if text]
    return drawing.finish(foot + 30, label(report, data), title=title, caption=" ".join(sentences), legend=True)


def label(report: Report, data: Sequence[Segmentation]) -> str:
    """The main fact: who is best in how many segments."""
    systems = Systems.of(report)
    leaders: dict[str, int] = {}
    segments = [segment for one in data for segment in one.segments]
    for one in data:
        sign = -1 if report.measure(one.key).higher_is_better is False else 1
        for segment in one.segments:
            defined = {name: value for name, value in segment.means.items() if math.isfinite(value)}
            if defined:
                best = max(defined, key=lambda name: sign * defined[name])
                leaders[best] = leaders.get(best, 0) + 1
    text = f"{visible(report.measure(data[0].key).name)} by {listed([visible(one.attribute) for one in data])}" if data else "No segments"
    ranked = sorted(leaders.items(), key=lambda pair: -pair[1])
    best_in = [f"{systems.full(name)} in {number_} of {len(segments)} segments" for name, number_ in ranked]
    return f"{text}. Best: {listed(best_in)}." if best_in else f"{text}: undefined."


def rows(report: Report, data: Sequence[Segmentation]) -> Table:
    """Every system's mean in every segment."""
    numbers = Numbers.of(report)
    head = ("Attribute", "Segment", "users", "System", "mean", f"{report.intervals} interval")
    return head, [
        (
            visible(one.attribute),
            visible(segment.name),
            count(segment.users),
            visible(name),
            numbers.exact(segment.means[name]),
            numbers.interval(segment.intervals.get(name)) if segment.users >= FEWEST else "",
        )
        for one in data
        for segment in one.segments
        for name in report.systems
        if name in segment.means
    ]


def _name_width(segment: Segment) -> float:
    return text_width(visible(segment.name)) + 8 + text_width(count(segment.users), 11.5)


def _ends(segment: Segment, name: str) -> list[float]:
    interval = segment.intervals.get(name)
    return [segment.means[name], *(interval if interval is not None and segment.users >= FEWEST else ())]


def _extent(segment: Segment, name: str, scale: Scale) -> tuple[float, float]:
    """From where to where a mark and its interval reach."""
    places = [scale.inside(end) for end in _ends(segment, name) if math.isfinite(end)]
    return min(*places, scale(segment.means[name]) - 5), max(*places, scale(segment.means[name]) + 5)


def _row(drawing: Drawing, report: Report, one: Segmentation, segment: Segment, scale: Scale, middle: float, name_end: float) -> None:
    systems, numbers = drawing.systems, Numbers.of(report)
    defined = {name: segment.means[name] for name in systems.names if math.isfinite(segment.means.get(name, math.nan))}
    where = f"{visible(one.attribute)}: {visible(segment.name)} ({count(segment.users)} user{'' if segment.users == 1 else 's'})"
    sign = 1 if report.measure(one.key).higher_is_better is False else -1
    ranking = [f"{systems.full(name)} {numbers.exact(value)}" for name, value in sorted(defined.items(), key=lambda pair: sign * pair[1])]
    users = count(segment.users)
    with drawing.plain("row"):
        tip = [f"{visible(report.measure(one.key).name)}, {where}", *(ranking or ["undefined"])]
        drawing.rect("hit", 0, middle - _PITCH / 2, drawing.width, _PITCH, drawing.tip(tip))
        drawing.beside("sub", name_end, middle, users, "end")
        room = name_end - text_width(users, 11.5) - 8
        drawing.beside("nm", room, middle, fitting(visible(segment.name), room), "end")
        if not defined:
            drawing.beside("sub", scale.start + 8, middle, "undefined")
            return
        drawing.path("g", f"M{number(scale(min(defined.values())))} {number(middle)}H{number(scale(max(defined.values())))}")
        lane = lanes({name: _extent(segment, name, scale) for name in defined if systems.slot(name) is not None})
        for name in systems.back_to_front:
            if name in defined:
                _mark(drawing, report, one, segment, name, scale, middle + 6.5 * lane.get(name, 0), where)


def _mark(drawing: Drawing, report: Report, one: Segmentation, segment: Segment, name: str, scale: Scale, y: float, where: str) -> None:
    numbers, value, interval = Numbers.of(report), segment.means[name], segment.intervals.get(name)
    few = segment.users < FEWEST
    spoken = "" if few else numbers.interval(interval)
    tip = [f"{drawing.systems.full(name)}, {visible(report.measure(one.key).name)}", where, f"{numbers.exact(value)} {spoken}".rstrip()]
    if few:
        tip.append("too few users for an interval")
    with drawing.system(name, "pt few" if few else "pt", tip, tab=False):
        if interval is not None and not few and all(map(math.isfinite, interval)):
            drawing.path("ci", f"M{number(scale.inside(interval[0]))} {number(y)}H{number(scale.inside(interval[1]))}")
        drawing.mark(name, scale(value), y, 0.75, "open" if few else "")
