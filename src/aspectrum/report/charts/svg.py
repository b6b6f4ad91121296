"""A small writer of SVG. The same calls make a drawing for the page (classes, tooltips) and for a file (colours, title, legend)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from aspectrum.report.charts import theme as themes
from aspectrum.report.charts.names import fitting, isolated, text_width
from aspectrum.report.charts.scale import Numbers, Scale, tick_labels, ticks
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.theme import MARKS, ThemeName

WIDE, NARROW = 1036, 358
"""Widths of a chart across the page: on a desk and on a phone."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\n": "&#10;"})
_BESIDE = 4  # how far the middle of a line of text is above its foot


def escaped(text: str) -> str:
    """Text that may stand between tags and in attributes."""
    return text.translate(_ESCAPES)


def number(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> number(12.0), number(1.23456), number(-0.0001)
    ('12', '1.23', '0')
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a place in a drawing")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def points(places: Sequence[tuple[float, float]]) -> str:
    """A line through places, without those that lie on the straight line between their neighbours.

    >>> points([(0, 0), (1, 1), (2, 2), (3, 0)])
    'M0 0L2 2L3 0'
    """
    kept: list[tuple[float, float]] = []
    for place in places:
        if len(kept) > 1 and _between(kept[-2], kept[-1], place):
            kept[-1] = place
        else:
            kept.append(place)
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in kept)


def _between(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    run, rise = last[0] - first[0], last[1] - first[1]
    away = abs(run * (middle[1] - first[1]) - rise * (middle[0] - first[0]))
    ahead = run * (middle[0] - first[0]) + rise * (middle[1] - first[1])
    return away <= 0.02 * math.hypot(run, rise) and 0 <= ahead <= run * run + rise * rise


class Drawing:
    """Elements in order, for one theme. Coordinates are units of the view box; text is at least 11 units high."""

    def __init__(self, width: float, theme: ThemeName, systems: Systems) -> None:
        if theme != "page" and theme not in themes.PALETTES:
            raise ValueError(f"theme {theme!r}; expected page, light or dark")
        self.width, self.theme, self.systems = width, theme, systems
        self.page = theme == "page"
        self._parts: list[str] = []
        self._slot: int | None = None
        self._row = ""
        self._focusable = False

    # elements

    def element(self, tag: str, classes: str, attributes: str, content: str | None = None) -> None:
        if not self.page and themes.unseen(classes):
            return
        style = f' class="{classes}"' if self.page else themes.attributes(tag, classes, self.theme, self._slot, self._row)
        self._parts.append(f"<{tag}{style} {attributes}/>" if content is None else f"<{tag}{style} {attributes}>{content}</{tag}>")

    def path(self, classes: str, d: str, attributes: str = "") -> None:
        self.element("path", classes, f'd="{d}"{attributes}')

    def rect(self, classes: str, x: float, y: float, width: float, height: float, attributes: str = "") -> None:
        box = f'x="{number(x)}" y="{number(y)}" width="{number(max(0, width))}" height="{number(max(0, height))}"'
        self.element("rect", classes, box + attributes)

    def dot(self, classes: str, x: float, y: float, radius: float) -> None:
        self.element("circle", classes, f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"')

    def text(self, classes: str, x: float, y: float, content: str, anchor: str = "start", *, turned: float = 0) -> None:
        """A line of text, already made visible, at its foot."""
        place = (
            f'x="{number(x)}" y="{number(y)}"' if not turned else f'transform="translate({number(x)} {number(y)}) rotate({number(turned)})"'
        )
        self.element("text", classes, place + ("" if anchor == "start" else f' text-anchor="{anchor}"'), escaped(isolated(content)))

    def beside(self, classes: str, x: float, middle: float, content: str, anchor: str = "start") -> None:
        """A line of text at the height of something."""
        self.text(classes, x, middle + _BESIDE, content, anchor)

    def mark(self, system: str, x: float, y: float, scale: float = 1.0, classes: str = "") -> None:
        """The mark of a system."""
        size = "" if scale == 1 else f" scale({number(scale)})"
        outline = f'<path d="{MARKS[self.systems.slot(system)]}"/>'
        self.element("g", f"mk {classes}".strip(), f'transform="translate({number(x)} {number(y)}){size}"', outline)

    def arrow(self, x: float, y: float, dx: float, dy: float) -> None:
        """A small arrow from a place, drawn, so that no font need have it."""
        length = math.hypot(dx, dy)
        ux, uy = dx / length * 3.2, dy / length * 3.2
        tip = (x + dx, y + dy)
        wings = [(tip[0] - ux - uy, tip[1] - uy + ux), (tip[0] - ux + uy, tip[1] - uy - ux)]
        shaft = f"M{number(x)} {number(y)}L{number(tip[0])} {number(tip[1])}"
        self.path("arrow", shaft + "".join(f"M{number(a)} {number(b)}L{number(tip[0])} {number(tip[1])}" for a, b in wings))

    # groups

    @contextmanager
    def system(self, name: str, classes: str = "pt", tip: Sequence[str] = (), *, tab: bool = True, row: str = "") -> Iterator[None]:
        """What belongs to one system; with a tip, a mark that shows its values to pointers, keys and screen readers."""
        index, slot = self.systems.index(name), self.systems.slot(name)
        opening = (
            f'<g class="s s{index} {f"{classes} {row}".strip()}" data-system="{index}"{self.tip(tip, tab=tab)}>' if self.page else "<g>"
        )
        if tip and not self.page:
            opening += f"<title>{escaped('; '.join(tip))}</title>"
        before = self._slot, self._row
        self._slot, self._row = None if "few" in classes.split() else slot, row
        self._parts.append(opening.replace(' ">', '">'))
        yield
        self._parts.append("</g>")
        self._slot, self._row = before

    @contextmanager
    def plain(self, classes: str) -> Iterator[None]:
        """A group that belongs to no system."""
        self._parts.append(f'<g class="{classes}">' if self.page else "<g>")
        yield
        self._parts.append("</g>")

    @contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """What is drawn from another origin."""
        self._parts.append(f'<g transform="translate({number(x)} {number(y)})">')
        yield
        self._parts.append("</g>")

    def tip(self, lines: Sequence[str], *, tab: bool = True) -> str:
        """Attributes of an element that shows some lines; those that keys pass over have a row that keys reach."""
        if not lines or not self.page:
            return ""
        self._focusable = True
        label = escaped(", ".join(lines))
        return f' tabindex="{0 if tab else -1}" role="img" aria-label="{label}" data-tip="{escaped(chr(10).join(lines))}"'

    # axes

    def across(self, scale: Scale, top: float, foot: float, numbers: Numbers, about: int, *, signed: bool = False) -> None:
        """Vertical lines at round values, with the values below."""
        values = ticks(scale.low, scale.high, about)
        labels = tick_labels(values, numbers, signed=signed)
        for value in values:
            self.path("g", f"M{number(scale(value))} {number(top)}V{number(foot)}")
        self.below(list(map(scale, values)), labels, foot)

    def below(self, places: Sequence[float], labels: Sequence[str], foot: float) -> None:
        """Labels of ticks below an axis, kept inside the drawing; one that would touch its neighbour is left out."""
        last: tuple[float, float] | None = None
        for place, label in zip(places, labels, strict=True):
            half = text_width(label, 11.5) / 2
            middle = min(max(place, half), self.width - half)
            if last is None or middle - half > last[1] + 4 or middle + half < last[0] - 4:
                self.text("t", middle, foot + 16, label, "middle")
                last = middle - half, middle + half

    # the whole

    def legend(self, x: float, y: float, *, others: bool = True) -> float:
        """Marks and names of the systems in colour, in lines; returns the height."""
        left, line = x, 0
        shown = [name for name in self.systems.by_importance if self.systems.slot(name) is not None]
        grey = others and len(shown) < len(self.systems.names)
        for name in [*shown, *([None] if grey else [])]:
            text = "grey: other systems" if name is None else fitting(self.systems.short(name), self.width - 2 * x - 20)
            width = text_width(text, 13) + (0 if name is None else 16)
            if left > x and left + width > self.width - x:
                left, line = x, line + 1
            height = y + 20 * line
            if name is None:
                self.beside("sub", left, height, text)
            else:
                with self.system(name, ""):
                    self.mark(name, left + 6, height, 0.84)
                self.beside("nm", left + 16, height, text)
            left += width + 18
        return 20.0 * (line + 1) if shown or grey else 0.0

    def finish(
        self,
        height: float,
        label: str,
        *,
        classes: str = "fit",
        attributes: str = "",
        title: str = "",
        caption: str = "",
        legend: bool = False,
    ) -> str:
        """The drawing as text. In a file, title, caption and legend are put above it; in the page they are the page's."""
        if self.page:
            role = "group" if self._focusable else "img"
            size = f'viewBox="0 0 {number(self.width)} {number(height)}" width="{number(self.width)}" height="{number(height)}"'
            opening = f'<svg class="{f"ch {classes}".strip()}" {size} role="{role}" aria-label="{escaped(label)}"{attributes}>'
            return opening + "".join(self._parts) + "</svg>"
        return self._file(height, label, title, caption, legend)

    def _file(self, height: float, label: str, title: str, caption: str, legend: bool) -> str:
        content, self._parts, margin = self._parts, [], 16
        y = 12.0
        for classes, size, text in (("h b", 16, title), ("sub", 11.5, caption)):
            for line in _lines(text, self.width, size * (1.08 if "b" in classes else 1)):
                y += size * 1.35
                self.text(classes, 0, y - size * 0.3, line)
        y += 8
        if legend:
            y += 6
            y += self.legend(0, y + 4)
        head, width, full = "".join(self._parts), self.width + 2 * margin, height + y + margin
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(full)}" width="{number(width)}" '
            f'height="{number(full)}" role="img" aria-label="{escaped(label)}" font-family="{escaped(themes.FONT)}">'
            f'<rect width="{number(width)}" height="{number(full)}" fill="{themes.PALETTES[self.theme]["card"]}"/>'
            f'<g transform="translate({margin} 0)">{head}<g transform="translate(0 {number(y)})">{"".join(content)}</g></g></svg>'
        )


def _lines(text: str, width: float, size: float) -> list[str]:
    """A text broken into lines between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(fitting(word, width, size))
    return lines
