"""Drawings read back: elements with their places, texts with their extent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from aspectrum.report.charts import aspects, cutoffs, differences, distribution, lorenz, segments, trade_off
from aspectrum.report.charts.names import text_width
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Report

_SIZES = {"nm": 13, "v": 13, "lb": 13, "at": 12.5, "h": 16}


@dataclass(frozen=True)
class Text:
    """A text with its class and extent."""

    content: str
    classes: str
    left: float
    top: float
    right: float
    bottom: float
    size: float

    def meets(self, other: Text) -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


def parsed(svg: str) -> Element:
    return ElementTree.fromstring(svg)


def tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def with_class(root: Element, name: str) -> list[Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


def of_system(root: Element, index: int) -> list[Element]:
    return [element for element in root.iter() if element.get("data-system") == str(index)]


def place(mark: Element) -> tuple[float, float]:
    """Where a mark is."""
    found = re.match(r"translate\((\S+) (\S+)\)", mark.get("transform", ""))
    assert found is not None
    return float(found[1]), float(found[2])


def texts(element: Element, x: float = 0, y: float = 0) -> Iterator[Text]:
    """All upright texts below an element."""
    moved = re.match(r"translate\((\S+) (\S+?)\)( rotate)?", element.get("transform", ""))
    if moved is not None:
        x, y = x + float(moved[1]), y + float(moved[2])
        if moved[3]:
            return
    if tag(element) == "text":
        classes = element.get("class", "")
        size = float(element.get("font-size", next((_SIZES[name] for name in classes.split() if name in _SIZES), 11.5)))
        content = element.text or ""
        width = text_width(content, size)
        left = x + float(element.get("x", "0")) - {"start": 0.0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        foot = y + float(element.get("y", "0"))
        yield Text(content, classes, left, foot - 0.75 * size, left + width, foot + 0.2 * size, size)
    for child in element:
        yield from texts(child, x, y)


Draw = Callable[[float, ThemeName], str]


def drawings(report: Report, narrow: bool = False) -> dict[str, tuple[Draw, float]]:
    """Every chart of a report, and the width it is drawn at."""
    width = 358.0 if narrow else 1036.0
    found: dict[str, tuple[Draw, float]] = {}
    for front in report.trade_off.fronts if report.trade_off is not None else ():
        found[f"trade-off {front.vertical}"] = partial(trade_off.draw, report, front), width
    for key in report.differences:
        found[f"differences {key}"] = partial(differences.draw, report, key), width
    for curves in report.curves:
        found[f"cutoffs {curves.name}"] = partial(cutoffs.draw, report, curves), 244.0
    found["cutoffs"] = partial(cutoffs.sheet, report, report.curves), width
    for one in report.distributions:
        found[f"distribution {one.key}"] = partial(distribution.draw, report, one), width
    found["segments"] = partial(segments.draw, report, report.segmentations), width
    if report.lorenz is not None:
        data = report.lorenz
        found["lorenz"] = partial(lorenz.draw, report, data), 358.0 if narrow else 360.0
    found["aspects"] = partial(aspects.draw, report, report.aspects), 358.0 if narrow else 530.0
    return found
