"""What is known of each user: graded items (the truth) and earlier items (the history)."""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import (
    Codes,
    Counts,
    Flags,
    Floats,
    Offsets,
    as_codes,
    as_flags,
    as_floats,
    as_offsets,
    check_ascending,
    choose_segments,
)
from aspectrum.errors import InputError
from aspectrum.world.rankings import Rankings


@dataclass(frozen=True, eq=False)
class UserItems:
    """Items of each user, as codes, ascending: those of user u are ``items[offsets[u]:offsets[u + 1]]``."""

    offsets: Offsets
    items: Codes

    columns: ClassVar[tuple[str, ...]] = ("items",)
    """What has an entry for each item."""

    def __post_init__(self) -> None:
        what = type(self).__name__.lower()
        items = as_codes(self.items, f"{what}: items")
        offsets = as_offsets(self.offsets, len(items), what)
        check_ascending(offsets, items, f"{what}: items of a user")
        self.__dict__.update(offsets=offsets, items=items)

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    def take(self, users: npt.NDArray[Any]) -> Self:
        """Those of some users; -1 is a user without any."""
        offsets, index = choose_segments(self.offsets, users)
        columns = {name: getattr(self, name) for name in self.columns}
        given = {name: values[index] for name, values in columns.items() if values is not None}
        return replace(self, offsets=offsets, **given, **self._taken_along(users))

    def _taken_along(self, users: npt.NDArray[Any]) -> dict[str, Any]:
        """What else is known of some users."""
        return {}


@dataclass(frozen=True, eq=False)
class History(UserItems):
    """What users had before, as codes; each user's items ascend.

    Args:
        offsets: Where each user's rows start, and the end of the last.
        items: Earlier items, ascending within a user.
        liked: Rows that reach the relevance threshold, whose aspects count for the user; None means all. All were seen.
        times: How often a user had each item; None means once.
        sequence: Each user's items in the order in which they were given, with repeats; None if nobody knows.
    """

    liked: Flags | None = None
    times: Counts | None = None
    sequence: Rankings | None = None

    columns: ClassVar[tuple[str, ...]] = ("items", "liked", "times")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.liked is not None:
            self.__dict__.update(liked=as_flags(self.liked, len(self.items), "history: liked"))
        if self.times is not None and len(self.times) != len(self.items):
            raise InputError(f"history: {len(self.times)} times for {len(self.items)} items")
        if self.sequence is not None and self.sequence.n_users != self.n_users:
            raise InputError(f"history: sequences of {self.sequence.n_users} users, expected {self.n_users}")

    def _taken_along(self, users: npt.NDArray[Any]) -> dict[str, Any]:
        return {"sequence": None if self.sequence is None else self.sequence.take(users)}

    @property
    def liked_items(self) -> Codes:
        """The items, -1 where the aspects of one do not count."""
        return self.items if self.liked is None else np.where(self.liked, self.items, np.int32(-1))

    @property
    def n_liked(self) -> Counts:
        """How many such items each user has."""
        return np.diff(np.concatenate(([0], np.cumsum(self.liked_items >= 0)))[self.offsets])


@dataclass(frozen=True, eq=False)
class Relevance(UserItems):
    """How relevant items are to users, as codes; each user's items ascend.

    Args:
        offsets: Where each user's rows start, and the end of the last.
        items: Judged items, ascending within a user.
        grades: One grade per row; None means 1 everywhere.
        threshold: The grade from which an item is relevant.
    """

    grades: Floats | None = None
    threshold: float = 1.0

    columns: ClassVar[tuple[str, ...]] = ("items", "grades")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grades is not None:
            self.__dict__.update(grades=as_floats(self.grades, len(self.items), "relevance: grades"))

    def at(self, level: float | None) -> Self:
        """The same grades with another threshold; None leaves it as it is."""
        if level is None or level == self.threshold:
            return self
        other = copy(self)  # what was checked needs no second look
        other.__dict__.update(threshold=level)
        return other

    @property
    def all_relevant(self) -> bool:
        """Whether there are no grades, and so all items are relevant."""
        return self.grades is None and self.threshold <= 1.0

    @property
    def relevant(self) -> Flags:
        """Which rows reach the threshold."""
        return np.full(len(self.items), self.threshold <= 1.0) if self.grades is None else self.grades >= self.threshold

    @property
    def gains(self) -> Floats:
        """Grades as gains: never negative."""
        return np.ones(len(self.items)) if self.grades is None else np.maximum(self.grades, 0.0)

    @property
    def n_relevant(self) -> Counts:
        """How many items are relevant to each user."""
        return np.diff(self.offsets) if self.all_relevant else self.count(self.relevant)

    def count(self, rows: Flags) -> Counts:
        """How many of some rows each user has."""
        return np.diff(np.concatenate(([0], np.cumsum(rows)))[self.offsets])


def exponential(grades: Floats) -> Floats:
    """2^grade - 1, by the power of Python, whose bits do not depend on the CPU."""
    distinct, place = np.unique(grades, return_inverse=True)
    check_exponent(distinct.max(initial=0.0))
    return np.array([2.0**grade - 1.0 for grade in distinct.tolist()])[place]


LARGEST_EXPONENT = 498
"""2 to the power of a grade is at most :data:`aspectrum.arrays.LARGEST`."""


def check_exponent(grade: float) -> None:
    if grade > LARGEST_EXPONENT:
        raise InputError(f"grade {grade:g} is too large for a gain of 2^grade - 1, expected at most {LARGEST_EXPONENT}")
