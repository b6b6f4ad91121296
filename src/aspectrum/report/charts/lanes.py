"""Marks of a row side by side where they would hide one another."""

from __future__ import annotations

from collections.abc import Mapping

_LANES = (0, -1, 1)


def lanes(places: Mapping[str, float], apart: float) -> dict[str, int]:
    """A lane for each mark of a row: the middle one while there is room, else one above or below it.

    Args:
        places: Where each mark is on its line.
        apart: How far apart two marks of a lane must be.

    >>> lanes({"A": 10, "B": 12, "C": 40}, apart=9)
    {'A': 0, 'B': -1, 'C': 0}
    """
    ends = dict.fromkeys(_LANES, float("-inf"))
    found: dict[str, int] = {}
    for name, place in sorted(places.items(), key=lambda pair: pair[1]):
        lane = next((lane for lane in _LANES if place - ends[lane] >= apart), min(ends, key=ends.__getitem__))
        ends[lane] = place
        found[name] = lane
    return found
