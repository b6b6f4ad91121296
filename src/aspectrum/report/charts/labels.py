"""Labels beside marks: inside the frame, and not on top of one another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Anchor = Literal["start", "middle", "end"]
HEIGHT = 15.0
_FOOT = 4.0


@dataclass(frozen=True)
class Box:
    """A rectangle with its sides."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        return self.left <= other.left and other.right <= self.right and self.top <= other.top and other.bottom <= self.bottom

    @classmethod
    def around(cls, x: float, y: float, reach: float) -> Box:
        return cls(x - reach, y - reach, x + reach, y + reach)


@dataclass(frozen=True)
class Placed:
    """Where a label stands, and whether a line should lead to it."""

    x: float
    y: float
    anchor: Anchor
    box: Box
    far: bool = False


class Places:
    """Free places in a frame."""

    def __init__(self, frame: Box, taken: Iterable[Box] = ()) -> None:
        self.frame = frame
        self._taken = list(taken)

    def take(self, box: Box) -> None:
        self._taken.append(box)

    def take_if_free(self, box: Box, avoiding: Sequence[Box] = ()) -> bool:
        """Take a place unless something is there."""
        free = self._free(box, avoiding)
        if free:
            self.take(box)
        return free

    def place(self, x: float, y: float, width: float, reach: float, avoiding: Sequence[Box] = (), *, insist: bool = False) -> Placed | None:
        """A free place near a mark: beside it, above, below; if we insist, also further away, with a line to it.

        Args:
            x: Where the mark is, across.
            y: Where it is, down.
            width: Of the label.
            reach: How far from the mark the label must stay, to the right and the left.
            avoiding: What this label should not touch if it can be helped, such as lines.
            insist: Whether to look further away.
        """
        near = [
            _beside(x, y, width, reach, side)
            for side in ("right", "left", "above", "below", "up right", "up left", "down right", "down left")
        ]
        for blocked in (avoiding, ()):
            for candidate in near:
                if self._free(candidate.box, blocked):
                    self.take(candidate.box)
                    return candidate
        return self._further(x, y, width) if insist else None

    def _further(self, x: float, y: float, width: float) -> Placed | None:
        """The nearest free place of a grid over the whole frame."""
        frame = self.frame
        found: tuple[float, Placed] | None = None
        rows = int((frame.bottom - frame.top) // HEIGHT)
        columns = int(max(0.0, frame.right - frame.left - width) // 12) + 1
        for row in range(rows):
            for column in range(columns):
                left, top = frame.left + 12 * column, frame.top + HEIGHT * row
                box = Box(left, top, left + width, top + HEIGHT)
                away = abs(left + width / 2 - x) * 0.6 + abs(top + HEIGHT / 2 - y)
                if (found is None or away < found[0]) and self._free(box, ()):
                    found = away, Placed(left, top + HEIGHT - _FOOT, "start", box, far=True)
        if found is not None:
            self.take(found[1].box)
            return found[1]
        return None

    def _free(self, box: Box, also: Sequence[Box]) -> bool:
        return self.frame.holds(box) and not any(map(box.meets, self._taken)) and not any(map(box.meets, also))


def _beside(x: float, y: float, width: float, reach: float, side: str) -> Placed:
    middle = {"above": y - 16, "below": y + 16}.get(side, y - 13 if "up" in side else y + 13 if "down" in side else y)
    top = middle - HEIGHT / 2
    if side in ("above", "below"):
        return Placed(x, middle + _FOOT, "middle", Box(x - width / 2, top, x + width / 2, top + HEIGHT))
    away = reach + 7 if side in ("right", "left") else 8
    if "right" in side:
        return Placed(x + away, middle + _FOOT, "start", Box(x + away, top, x + away + width, top + HEIGHT))
    return Placed(x - away, middle + _FOOT, "end", Box(x - away - width, top, x - away, top + HEIGHT))
