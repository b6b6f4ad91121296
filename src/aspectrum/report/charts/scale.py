"""Numbers as readers see them, round ticks, and the way from values to places."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from aspectrum.report.content import Interval, Report

UNDEFINED = "undefined"


@dataclass(frozen=True)
class Numbers:
    """How values are written: how many decimals, and whether as percentages.

    >>> Numbers().value(0.12345), Numbers().signed(-0.02), Numbers(percent=True).value(0.12345)
    ('0.123', '−0.020', '12.3')
    """

    digits: int = 3
    percent: bool = False

    @classmethod
    def of(cls, report: Report) -> Numbers:
        return cls(report.digits, report.percent)

    @property
    def factor(self) -> int:
        return 100 if self.percent else 1

    def value(self, value: float, more: int = 0) -> str:
        """A value with the usual number of decimals, or some more."""
        if not math.isfinite(value):
            return UNDEFINED if math.isnan(value) else "∞" if value > 0 else "−∞"
        decimals = max(0, self.digits + more - (2 if self.percent else 0))
        if abs(value) * self.factor >= 1e6:
            return minus(_exponent(f"{value * self.factor:.{decimals}e}"))
        text = f"{value * self.factor:,.{decimals}f}"
        return minus(text.lstrip("-") if not text.strip("-0.,") else text)

    def exact(self, value: float) -> str:
        """As tooltips and data tables have it: one decimal more."""
        return self.value(value, 1)

    def signed(self, value: float, more: int = 0) -> str:
        """A difference, with its sign."""
        text = self.value(value, more)
        return f"+{text}" if value > 0 and text.strip("0.,") else text

    def interval(self, interval: Interval | None, *, signed: bool = False) -> str:
        """An interval in brackets, or nothing."""
        if interval is None or not all(map(math.isfinite, interval)):
            return ""
        write = self.signed if signed else self.value
        return f"[{write(interval[0], 1)}, {write(interval[1], 1)}]"


def _exponent(text: str) -> str:
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def minus(text: str) -> str:
    return text.replace("-", "−")


def share(part: float, decimals: int = 0) -> str:
    """A share as a percentage.

    >>> share(0.123), share(float("nan"))
    ('12 %', 'undefined')
    """
    return f"{100 * part:.{decimals}f} %" if math.isfinite(part) else UNDEFINED


def p_value(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def count(number: int) -> str:
    return f"{number:,}"


@dataclass(frozen=True)
class Scale:
    """A line from values to places. With `low` > `high`, larger values come first.

    >>> Scale(0, 10, 100, 200)(2.5)
    125.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + self.share(value) * (self.end - self.start)

    def share(self, value: float) -> float:
        """How far along the line a value is. Halves keep the largest numbers from overflowing."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)

    def inside(self, value: float) -> float:
        """The place of a value, or the end of the line that it lies beyond."""
        near, far = sorted((self.start, self.end))
        return min(max(self(value), near), far)


def domain(values: Iterable[float], padding: float = 0.06) -> Interval:
    """A range around the finite values, never empty."""
    finite = [value for value in values if math.isfinite(value) and abs(value) < 1e300]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    same = high - low <= 1e-12 * max(abs(low), abs(high))
    room = (abs(high) * 0.1 or 0.1) if same else (high - low) * padding
    return low - room, high + room


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers between two values: multiples of 1, 2 or 5 times a power of ten.

    >>> ticks(0.257, 0.345, 5)
    [0.26, 0.28, 0.3, 0.32, 0.34]
    """
    low, high = min(low, high), max(low, high)
    rough = (high - low) / max(about, 1)
    if not (math.isfinite(rough) and rough > 1e-300):
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))

    def multiples(step: float) -> range:
        return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)

    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda step: abs(len(multiples(step)) - about))
    return [float(f"{number * step:.12g}") for number in multiples(step)] or [low]


def tick_labels(values: list[float], numbers: Numbers, *, signed: bool = False) -> list[str]:
    """Ticks in words, all with as many decimals as tell them apart.

    >>> tick_labels([0.26, 0.28, 0.3], Numbers()), tick_labels([-0.5, 0.0, 0.5], Numbers(), signed=True)
    (['0.26', '0.28', '0.30'], ['−0.5', '0.0', '+0.5'])
    """
    if not values:
        return []
    values = [value * numbers.factor for value in values]
    step = min((abs(second - first) for first, second in pairwise(values)), default=abs(values[0]) or 1.0)
    largest = max(map(abs, values))
    if largest >= 1e6 or 0 < largest < 1e-3:
        texts = [_exponent(f"{value:.3g}") for value in values]
    else:
        decimals = min(max(0, -math.floor(math.log10(step) + 1e-9)), 6)
        texts = [f"{value:,.{decimals}f}" for value in values]
    return [minus(f"+{text}" if signed and value > 0 else text) for value, text in zip(values, texts, strict=True)]
