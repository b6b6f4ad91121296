"""What is known of each user: graded items (the truth) and earlier items (the history)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Flags, Floats, Offsets, as_codes, as_floats, as_offsets, check_ascending, choose_segments
from aspectrum.errors import InputError


@dataclass(frozen=True, eq=False)
class Relevance:
    """How relevant items are to users, as codes; each user's items ascend.

    Args:
        offsets: Where each user's rows start, and the end of the last.
        items: Judged items, ascending within a user.
        grades: One grade per row; None means 1 everywhere.
        threshold: The grade from which an item is relevant.
    """

    offsets: Offsets
    items: Codes
    grades: Floats | None = None
    threshold: float = 1.0

    def __post_init__(self) -> None:
        _settle(self, "relevance")
        if self.grades is not None:
            object.__setattr__(self, "grades", as_floats(self.grades, len(self.items), "relevance: grades"))

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    @property
    def relevant(self) -> Flags:
        """Which rows reach the threshold."""
        if self.grades is None:
            return np.full(len(self.items), self.threshold <= 1.0)
        return self.grades >= self.threshold

    @property
    def gains(self) -> Floats:
        """Grades as gains: never negative."""
        if self.grades is None:
            return np.ones(len(self.items))
        return np.maximum(self.grades, 0.0)

    def take(self, users: npt.NDArray[Any]) -> "Relevance":
        """Those of some users; -1 is a user without any."""
        offsets, index = choose_segments(self.offsets, users)
        return Relevance(offsets, self.items[index], None if self.grades is None else self.grades[index], self.threshold)


@dataclass(frozen=True, eq=False)
class History:
    """What users had before, as codes; each user's items ascend."""

    offsets: Offsets
    items: Codes

    def __post_init__(self) -> None:
        _settle(self, "history")

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    def take(self, users: npt.NDArray[Any]) -> "History":
        """Those of some users; -1 is a user without any."""
        offsets, index = choose_segments(self.offsets, users)
        return History(offsets, self.items[index])


def exponential(grades: Floats) -> Floats:
    """2^grade - 1, by the power of Python, whose bits do not depend on the CPU."""
    distinct, place = np.unique(grades, return_inverse=True)
    try:
        return np.array([2.0**grade - 1.0 for grade in distinct.tolist()])[place]
    except OverflowError:
        raise InputError(f"grade {distinct.max():g} is too large for a gain of 2^grade - 1") from None


def _settle(rows: Relevance | History, what: str) -> None:
    items = as_codes(rows.items, f"{what}: items")
    offsets = as_offsets(rows.offsets, len(items), what)
    check_ascending(offsets, items, f"{what}: items of a user")
    object.__setattr__(rows, "items", items)
    object.__setattr__(rows, "offsets", offsets)
