"""Scores over users: who gains, who pays. A histogram for each system, with the median and the middle half."""

from __future__ import annotations

import math

from aspectrum.report.charts.names import names_within, text_width, visible
from aspectrum.report.charts.scale import Numbers, Scale, share
from aspectrum.report.charts.svg import NARROW, WIDE, Drawing, number
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Distribution, Distributions, Report

_TOP, _BAR = 24.0, 27.0


def draw(report: Report, data: Distributions, width: float = WIDE, theme: ThemeName = "page") -> str:
    """Histogram rows on one scale, best median first; at most 12 systems, those in colour first."""
    systems, numbers, measure = Systems.of(report), Numbers.of(report), report.measure(data.key)
    drawing = Drawing(width, theme, systems)
    order = _sorted(report, data)
    names, left_out = systems.most_important(order)
    names = [name for name in order if name in names]
    wide = width > (NARROW + WIDE) / 2
    pitch = 34.0 if wide else 36.0
    room = max([text_width(systems.short(name)) for name in names], default=40.0)
    name_end = min(max(116.0, room) if wide else max(60.0, room), width * (0.2 if wide else 0.32))
    row_names = names_within(systems.names, name_end)
    widest = max(
        [text_width(numbers.value(data.systems[name].quartiles[1])) for name in names if sum(data.systems[name].counts)], default=0.0
    )
    columns = (width - 150, width - 74) if wide else (width - max(52.0, widest + 2), None)
    low, high = (data.low, data.high) if data.high > data.low else (data.low - 0.5, data.low + 0.5)
    scale = Scale(low, high, name_end + 12, columns[0] - 10)
    foot = _TOP + pitch * max(1, len(names))
    tallest = _tallest([data.systems[name] for name in names])

    drawing.across(scale, _TOP, foot, numbers, 5 if wide else 3)
    drawing.text("t", columns[0], 14, "median")
    zeros = low <= 0 <= high
    if columns[1] is not None and zeros:
        drawing.text("t", columns[1], 14, "zero score")
    for at, name in enumerate(names):
        one, top = data.systems[name], _TOP + pitch * at
        base = top + _BAR + 3
        with drawing.system(name, "row", _tip(report, data, name, zeros=zeros)):
            drawing.rect("hit", 0, top, width, pitch)
            drawing.beside("nm", name_end, top + pitch / 2 + 1, row_names[name], "end")
            if sum(one.counts) == 0:
                drawing.beside("sub", scale.start + 8, top + pitch / 2 + 1, "undefined for all users")
                continue
            _histogram(drawing, one, scale, base, tallest)
            first, median, third = map(scale.inside, one.quartiles)
            drawing.path("iq", f"M{number(first)} {number(base)}H{number(third)}")
            drawing.path("md", f"M{number(median)} {number(base - _BAR)}V{number(base + 2)}")
            drawing.beside("v", columns[0], top + pitch / 2 + 1, numbers.value(one.quartiles[1]))
            if columns[1] is not None and zeros:
                drawing.beside("v", columns[1], top + pitch / 2 + 1, share(one.zero_share, 1))
    if left_out:
        drawing.text("t", 0, foot + 30, f"and {left_out} more in the data table")
    caption = "Share of users per score; line across: median; thick line: middle half."
    if any(_clipped(data.systems[name], tallest) for name in names):
        caption += " Bars with a cut are taller than drawn."
    title = f"{visible(measure.name)} over users"
    return drawing.finish(foot + (38 if left_out else 28), label(report, data), title=title, caption=caption)


def label(report: Report, data: Distributions) -> str:
    """The main fact: the highest and the lowest median."""
    systems, numbers = Systems.of(report), Numbers.of(report)
    order = [name for name in _sorted(report, data) if sum(data.systems[name].counts)]
    text = f"Distribution of {visible(report.measure(data.key).name)} over users"
    if not order:
        return f"{text}: undefined."
    medians = [f"{systems.full(name)} {numbers.value(data.systems[name].quartiles[1])}" for name in dict.fromkeys((order[0], order[-1]))]
    return f"{text}. Median from {medians[0]} to {medians[1]}." if len(medians) > 1 else f"{text}. Median: {medians[0]}."


def rows(report: Report, data: Distributions) -> Table:
    """Mean, quartiles and the share of zeros, for all systems."""
    numbers = Numbers.of(report)
    head = ("System", "users", "mean", "lower quartile", "median", "upper quartile", "zero score")
    return head, [
        (visible(name), f"{sum(one.counts):,}", numbers.exact(one.mean), *map(numbers.exact, one.quartiles), share(one.zero_share, 1))
        for name in _sorted(report, data)
        for one in (data.systems[name],)
    ]


def _sorted(report: Report, data: Distributions) -> list[str]:
    sign = 1 if report.measure(data.key).higher_is_better is False else -1

    def order(name: str) -> tuple[bool, float]:
        median = data.systems[name].quartiles[1]
        return math.isnan(median), 0.0 if math.isnan(median) else sign * median

    return sorted((name for name in report.systems if name in data.systems), key=order)


def _tip(report: Report, data: Distributions, name: str, *, zeros: bool) -> list[str]:
    numbers, one = Numbers.of(report), data.systems[name]
    own = [f"{Systems.of(report).full(name)}, {visible(report.measure(data.key).name)}"]
    if sum(one.counts) == 0:
        return [*own, "undefined for all users"]
    first, median, third = map(numbers.exact, one.quartiles)
    own += [f"median {median}, middle half {first} to {third}", f"mean {numbers.exact(one.mean)}"]
    return [*own, f"{share(one.zero_share, 1)} of users score zero"] if zeros else own


def _shares(one: Distribution) -> list[float]:
    total = sum(one.counts)
    return [count / total for count in one.counts] if total else []


def _tallest(shown: list[Distribution]) -> float:
    """The share of users at full height: that of the third tallest bar of the system where it is largest; few bars are cut."""
    return max([sorted(_shares(one))[-min(3, len(one.counts))] for one in shown if sum(one.counts)], default=0.0) or 1.0


def _clipped(one: Distribution, tallest: float) -> bool:
    return any(part > tallest * 1.1 for part in _shares(one))


def _histogram(drawing: Drawing, one: Distribution, scale: Scale, base: float, tallest: float) -> None:
    parts = _shares(one)
    width = (scale.end - scale.start) / len(parts)
    d, cuts = f"M{number(scale.start)} {number(base)}", ""
    for at, part in enumerate(parts):
        top = base - min(1.0, part / tallest) * _BAR
        d += f"V{number(top)}H{number(scale.start + width * (at + 1))}"
        if part > tallest * 1.1:
            cuts += f"M{number(scale.start + width * at)} {number(top + 6)}l{number(width)} -3"
    drawing.path("hs", f"{d}V{number(base)}Z")
    if cuts:
        drawing.path("clip", cuts)
