"""Marks of a row side by side where they would hide one another."""

from __future__ import annotations

from collections.abc import Mapping

_LANES = (0, -1, 1, -2, 2)


def lanes(extents: Mapping[str, tuple[float, float]], most: int = 5) -> dict[str, int]:
    """A lane for each mark of a row: the middle one while there is room, else one above or below it.

    Args:
        extents: From where to where each mark reaches, with its interval.
        most: How many lanes there are.

    >>> lanes({"A": (10, 20), "B": (12, 22), "C": (40, 50)})
    {'A': 0, 'B': -1, 'C': 0}
    """
    ends = dict.fromkeys(_LANES[:most], float("-inf"))
    found: dict[str, int] = {}
    for name, (start, end) in sorted(extents.items(), key=lambda pair: pair[1]):
        lane = next((lane for lane in ends if start >= ends[lane]), min(ends, key=ends.__getitem__))
        ends[lane] = end
        found[name] = lane
    return found
