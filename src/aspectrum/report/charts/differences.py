"""Differences to the baseline: how large, and for how many users."""

from __future__ import annotations

import math

from aspectrum.report.charts.names import listed, names_within, text_width, visible
from aspectrum.report.charts.scale import Numbers, Scale, count, domain, p_value, share
from aspectrum.report.charts.svg import NARROW, WIDE, Drawing, number
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.table import Table
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Difference, Report

_TOP = 26.0


def draw(report: Report, key: str, width: float = WIDE, theme: ThemeName = "page") -> str:
    """A forest plot of one metric: differences with intervals, best first, and shares of users better, tied and worse.

    Args:
        report: Its `differences` of the metric are drawn; at most 12 systems, those in colour first.
        key: Of the measure.
        width: Of the drawing.
        theme: See `theme`.
    """
    systems, numbers, measure = Systems.of(report), Numbers.of(report), report.measure(key)
    drawing = Drawing(width, theme, systems)
    names, left_out = systems.most_important(_sorted(report, key))
    found = {name: report.differences[key][name] for name in _sorted(report, key) if name in names}
    baseline = systems.short(report.baseline) if report.baseline is not None else "baseline"
    wide = width > (NARROW + WIDE) / 2
    pitch = 29.2 if wide else 32.0
    room = max([text_width(systems.short(name)) for name in found], default=40.0)
    name_end = min(max(116.0 if wide else 60.0, room), width * (0.2 if wide else 0.34))
    start = name_end + (40 if wide else 12)
    row_names = names_within(systems.names, name_end)
    widest = max([text_width(numbers.signed(one.difference)) for one in found.values()], default=0.0)
    values_at = width - 260 if wide else width - max(56.0, widest + 2)
    ends = [end for one in found.values() for end in (one.difference, *(one.interval or ()))]
    low, high = domain([0.0, *ends])
    scale = Scale(low, high, start, values_at - (18 if wide else 10))
    foot = _TOP + pitch * max(1, len(found))

    if any(math.isfinite(end) for end in ends):
        drawing.across(scale, _TOP, foot, numbers, 8 if wide else 3, signed=True)
    drawing.path("zero", f"M{number(scale(0))} {number(_TOP - 4)}V{number(foot)}")
    drawing.text(
        "at", min(max(scale(0), text_width(baseline, 12.5) / 2), width - text_width(baseline, 12.5) / 2), foot + 30, baseline, "middle"
    )
    drawing.text("t", values_at, 15, "Δ mean")
    shares = any(one.wins is not None for one in found.values())
    if shares and wide:
        drawing.text("t", width - 4, 15, "users better | tied | worse", "end")
    for at, (name, one) in enumerate(found.items()):
        top = _TOP + pitch * at
        middle = top + pitch / 2
        with drawing.system(name, "row", _tip(report, key, name, one), row=_significance(report, key, one)):
            drawing.rect("hit", 0, top, width, pitch)
            drawing.beside("nm", name_end, middle, row_names[name], "end")
            if math.isfinite(one.difference):
                _interval(drawing, scale, one, middle)
            _note(drawing, scale, one, middle)
            drawing.beside(
                "v",
                values_at,
                middle - (4 if shares and not wide else 0),
                numbers.signed(one.difference) if math.isfinite(one.difference) else "–",
            )
            if one.wins is not None:
                bar = (width - 164, middle - 4, 160.0, 8.0) if wide else (values_at, middle + 6, 52.0, 4.0)
                _shares(drawing, one, bar)
    if not found:
        drawing.text("t", (scale.start + scale.end) / 2, _TOP + 18, "nothing to compare", "middle")
    if left_out:
        drawing.text("t", 0, foot + 48, f"and {left_out} more in the data table")
    sentences = [f"{report.intervals} intervals of the paired difference."] if any(one.interval for one in found.values()) else []
    if any(one.mark for one in found.values()):
        sentences.append("Hollow and grey: not significant after correction.")
    elif found:
        sentences.append("Not tested.")
    if shares and not wide:
        sentences.append("Bars: users better, tied, worse.")
    title = f"Difference to {baseline} in {visible(measure.name)}" + (" (lower is better)" if measure.higher_is_better is False else "")
    return drawing.finish(foot + (56 if left_out else 38), label(report, key), title=title, caption=" ".join(sentences))


def label(report: Report, key: str) -> str:
    """The main fact: the extremes, and how many differences are significant."""
    systems, numbers = Systems.of(report), Numbers.of(report)
    baseline = systems.full(report.baseline) if report.baseline is not None else "the baseline"
    found = {name: report.differences[key][name] for name in _sorted(report, key)}
    facts = f"Difference to {baseline} in {visible(report.measure(key).name)}"
    defined = {name: one.difference for name, one in found.items() if math.isfinite(one.difference)}
    if not defined:
        return f"{facts}: undefined."
    highest, lowest = max(defined, key=defined.__getitem__), min(defined, key=defined.__getitem__)
    facts += f": highest {systems.full(highest)} {numbers.signed(defined[highest])}"
    if highest != lowest:
        facts += f", lowest {systems.full(lowest)} {numbers.signed(defined[lowest])}"
    kinds = ["" if one.mark is None else _significance(report, key, one) for one in found.values()]
    words = {
        "up": "significantly better",
        "dn": "significantly worse",
        "nd": "significantly different",
        "ns": "not significant",
        "": "not tested",
    }
    return f"{facts}. {listed([f'{kinds.count(kind)} {word}' for kind, word in words.items() if kind in kinds])} of {len(found)}."


def rows(report: Report, key: str) -> Table:
    """All systems, with interval, test and shares of users."""
    numbers = Numbers.of(report)
    head = ("System", "Δ mean", f"{report.intervals} interval", "relative", "adjusted p", "better", "tied", "worse", "users", "note")
    found = []
    for name in _sorted(report, key):
        one = report.differences[key][name]
        shares = [share(part / one.n, 1) if part is not None and one.n else "" for part in (one.wins, one.ties, one.losses)]
        p = "" if one.p_adjusted is None else p_value(one.p_adjusted).removeprefix("p ").removeprefix("= ")
        relative = "" if one.relative is None or not math.isfinite(one.relative) else _relative(one.relative)
        interval = numbers.interval(one.interval, signed=True)
        found.append(
            (visible(name), numbers.signed(one.difference, 1), interval, relative, p, *shares, count(one.n) if one.n else "", one.note)
        )
    return head, found


def _sorted(report: Report, key: str) -> list[str]:
    """Systems with a difference, best first, or largest first without a direction; undefined ones last."""
    sign = 1 if report.measure(key).higher_is_better is False else -1
    found = report.differences.get(key, {})

    def order(name: str) -> tuple[bool, float]:
        value = found[name].difference
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted((name for name in report.systems if name in found), key=order)


def _significance(report: Report, key: str, one: Difference) -> str:
    if one.mark is None or one.mark == "same":
        return "ns"
    better = report.better(key, 1.0 if one.mark == "higher" else -1.0)
    return "nd" if better is None else "up" if better else "dn"


def _relative(relative: float) -> str:
    text = f"{100 * relative:+.1f} %".replace("-", "−")
    return text[1:] if text[1:] == "0.0 %" else text


def _tip(report: Report, key: str, name: str, one: Difference) -> list[str]:
    systems, numbers = Systems.of(report), Numbers.of(report)
    own = [
        f"{systems.full(name)}{f' − {systems.full(report.baseline)}' if report.baseline is not None else ''}, {visible(report.measure(key).name)}"
    ]
    interval = numbers.interval(one.interval, signed=True)
    own.append(f"Δ {numbers.signed(one.difference, 1)}{f'  {report.intervals} CI {interval}' if interval else ''}")
    if one.relative is not None and math.isfinite(one.relative):
        own.append(f"{_relative(one.relative)} relative to the baseline")
    if one.p_adjusted is not None:
        own.append(f"adjusted {p_value(one.p_adjusted)}")
    elif one.p is not None:
        own.append(p_value(one.p))
    if one.wins is not None and one.ties is not None and one.losses is not None and one.n:
        own.append(
            f"better for {share(one.wins / one.n)}, tied {share(one.ties / one.n)}, worse {share(one.losses / one.n)} of {count(one.n)} users"
        )
    return [*own, visible(one.note)] if one.note else own


def _interval(drawing: Drawing, scale: Scale, one: Difference, middle: float) -> None:
    if one.interval is not None and all(map(math.isfinite, one.interval)):
        low, high = map(scale.inside, one.interval)
        drawing.path("iv", f"M{number(low)} {number(middle)}H{number(high)}")
    drawing.dot("dt" if one.mark in ("higher", "lower") else "dt hollow", scale.inside(one.difference), middle, 3.6)


def _note(drawing: Drawing, scale: Scale, one: Difference, middle: float) -> None:
    """A short remark beside an undefined or vanishing difference, where there is room."""
    text = "undefined" if math.isnan(one.difference) else visible(one.note) if one.difference == 0 else ""
    width = text_width(text, 11.5)
    place = scale(0) + 12
    if text and place + width <= scale.end:
        drawing.beside("sub", place, middle, text)
    elif text and place - 24 - width >= scale.start:
        drawing.beside("sub", place - 24, middle, text, "end")


def _shares(drawing: Drawing, one: Difference, bar: tuple[float, float, float, float]) -> None:
    """One bar, divided among users for whom the system is better, the same, and worse."""
    x, y, width, height = bar
    parts = [("w", one.wins or 0), ("ti", one.ties or 0), ("l", one.losses or 0)]
    total = sum(part for _, part in parts)
    for classes, part in parts:
        if part:
            length = part / total * width
            drawing.rect(classes, x, y, max(length - (1 if length > 2 else 0), 0.5), height)
            x += length
