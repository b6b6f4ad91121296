"""The world: lists, and all that is known about their users and items, as integer codes and arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, as_flags, check_range
from aspectrum.coding.ids import Ids, shown
from aspectrum.errors import InputError, MissingInput
from aspectrum.world.aspects import Aspects, Subtopics, Weights
from aspectrum.world.features import Features
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class World:
    """What is evaluated. Users, items and aspects are codes 0, 1, 2 ...; ids only name them.

    Build it from plain Python objects with :meth:`of`, or from parts that already hold codes::

        World(Rankings(offsets, items), aspects=Aspects(...), relevance=Relevance(...))

    Every part about users has one segment per user, in the same order.

    Args:
        rankings: The lists.
        aspects: Aspects of items.
        relevance: Graded items of users.
        history: Earlier items of users.
        subtopics: Aspects judged for (user, item).
        features: Vectors of items.
        weights: How much aspects are wanted.
        catalogue: Items that could have been recommended, one flag per item; None means all.
        users, items, aspect_ids: The ids behind the codes; counted 0, 1, 2 ... by default.
        n_items: Number of items; by default the smallest that holds every code.
    """

    rankings: Rankings
    aspects: Aspects | None = None
    relevance: Relevance | None = None
    history: History | None = None
    subtopics: Subtopics | None = None
    features: Features | None = None
    weights: Weights | None = None
    catalogue: Flags | None = None
    users: Ids = None  # type: ignore[assignment]  # filled below
    items: Ids = None  # type: ignore[assignment]
    aspect_ids: Ids = None  # type: ignore[assignment]
    n_items: int = -1
    memory: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)  # shared with all parts
    _covered: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)  # of these users only

    def __post_init__(self) -> None:
        n_items = self.n_items if self.n_items >= 0 else len(self.items) if self.items is not None else self._smallest_n_items()
        object.__setattr__(self, "n_items", n_items)
        if self.users is None:
            object.__setattr__(self, "users", Ids.counted(self.rankings.n_users))
        if self.items is None:
            object.__setattr__(self, "items", Ids.counted(n_items))
        if self.aspect_ids is None:
            object.__setattr__(self, "aspect_ids", Ids.counted(self._smallest_n_aspects()))
        if self.catalogue is not None:
            object.__setattr__(self, "catalogue", as_flags(self.catalogue, n_items, "catalogue"))
        self._check()

    @staticmethod
    def of(rankings: Any, **inputs: Any) -> World:
        """From plain Python objects; see :func:`aspectrum.evaluate` for the forms of each input.

        >>> world = World.of({"ann": ["a", "b"]}, aspects={"a": ["x"], "b": ["x", "y"]})
        >>> world.n_users, world.n_items
        (1, 2)
        """
        from aspectrum.world.building import build_worlds

        return build_worlds({"rankings": rankings}, **inputs).worlds["rankings"]

    @property
    def n_users(self) -> int:
        return self.rankings.n_users

    @cached_property
    def listed(self) -> Flags:
        """Users who have a list."""
        return np.ones(self.n_users, dtype=np.bool_) if self.rankings.listed is None else self.rankings.listed

    def judged(self, truth: str | None = None) -> Flags:
        """Users with truth: the one that is named, else subtopics if given, else relevance, else a history."""
        for name in (truth,) if truth else ("subtopics", "relevance", "history"):
            part = getattr(self, name)
            if part is not None:
                judged: Flags = np.diff(part.offsets) > 0
                return judged
        raise MissingInput(f"who is averaged depends on who is judged: give {truth or 'subtopics, relevance or history'}")

    def with_relevant_items(self) -> Flags:
        """Users with at least one relevant item."""
        relevance = self.need_relevance("users='relevant'")
        before = np.concatenate(([0], np.cumsum(relevance.relevant)))
        return np.diff(before[relevance.offsets]) > 0

    @property
    def known_items(self) -> Codes:
        """The item of each place of the lists; -1 for an item that only lists name."""
        return self.rankings.items

    def remember_coverage(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, computed once for these users."""
        if key not in self._covered:
            self._covered[key] = make()
        found: T = self._covered[key]
        return found

    def need_aspects(self, needed_by: str) -> Aspects:
        return _need(self.aspects, needed_by, "aspects", "(item, aspect) pairs")

    def need_relevance(self, needed_by: str) -> Relevance:
        return _need(self.relevance, needed_by, "relevance", "(user, item[, grade]) rows")

    def need_history(self, needed_by: str) -> History:
        return _need(self.history, needed_by, "history", "(user, item) rows")

    def need_subtopics(self, needed_by: str) -> Subtopics:
        return _need(self.subtopics, needed_by, "subtopics", "(user, aspect, item, grade) rows")

    def need_features(self, needed_by: str) -> Features:
        return _need(self.features, needed_by, "features", "one vector per item")

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, computed once for this world and all its parts."""
        if key not in self.memory:
            self.memory[key] = make()
        found: T = self.memory[key]
        return found

    def slice(self, start: int, stop: int) -> World:
        """Users start to stop, without copying rows."""
        return self._part(lambda part: part.slice(start, stop))

    def take(self, users: npt.NDArray[Any]) -> World:
        """The chosen users, by code."""
        if len(users) == self.n_users and (users == np.arange(self.n_users)).all():
            return self
        return self._part(lambda part: part.take(users))

    def cut(self, depth: int) -> World:
        """The same world with the first places of every list."""
        return self._part(lambda part: part.cut(depth) if isinstance(part, Rankings) else part)

    def batches(self, size: int) -> Iterator[World]:
        """The world in parts of at most `size` users."""
        if size < 1:
            raise InputError(f"a batch needs at least one user, found {size}")
        for start in range(0, self.n_users, size):
            yield self if size >= self.n_users else self.slice(start, min(start + size, self.n_users))

    def _part(self, cut: Callable[[Any], Any]) -> World:
        parts: dict[str, Any] = {
            name: None if getattr(self, name) is None else cut(getattr(self, name))
            for name in ("rankings", "relevance", "history", "subtopics", "weights", "users")
        }
        part = object.__new__(World)  # a part of what was checked needs no second look
        part.__dict__.update(self.__dict__ | parts | {"_covered": {}})
        part.__dict__.pop("listed", None)
        return part

    def share_memory(self, other: World) -> None:
        """Let two worlds of the same truth remember together."""
        object.__setattr__(self, "memory", other.memory)

    def forget_coverage(self) -> None:
        """Give back what was kept for these users."""
        self._covered.clear()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"memory": {}, "_covered": {}}

    def _smallest_n_items(self) -> int:
        largest = [_largest(part.items) for part in (self.rankings, self.relevance, self.history, self.subtopics) if part is not None]
        if self.aspects is not None:
            largest.append(self.aspects.n_items - 1)
        if self.features is not None:
            largest.append((len(self.features.rows) if self.features.rows is not None else self.features.n_rows) - 1)
        if self.catalogue is not None:
            largest.append(len(self.catalogue) - 1)
        return max(largest) + 1

    def _smallest_n_aspects(self) -> int:
        n = 0 if self.aspects is None else self.aspects.n_aspects
        if self.subtopics is not None:
            n = max(n, _largest(self.subtopics.aspects) + 1)
        if self.weights is not None:
            n = max(n, len(self.weights.shared) if self.weights.aspects is None else _largest(self.weights.aspects) + 1)  # type: ignore[arg-type]
        return n

    def _check(self) -> None:
        for name in ("rankings", "relevance", "history", "subtopics"):
            part = getattr(self, name)
            if part is None:
                continue
            check_range(part.items, self.n_items, f"{name}: items")
            if part.n_users != self.n_users:
                raise InputError(f"{name} has {part.n_users} users, rankings {self.n_users}: every part needs one segment per user")
        if self.weights is not None and self.weights.offsets is not None and len(self.weights.offsets) - 1 != self.n_users:
            raise InputError(f"weights have {len(self.weights.offsets) - 1} users, rankings {self.n_users}")
        if self.weights is not None and self.weights.aspects is not None:
            check_range(self.weights.aspects, len(self.aspect_ids), "weights: aspects")
        if len(self.users) != self.n_users:
            raise InputError(f"{len(self.users)} user ids for {self.n_users} users")
        if len(self.items) != self.n_items:
            raise InputError(f"{len(self.items)} item ids for {self.n_items} items")
        if self.aspects is not None and self.aspects.n_items != self.n_items:
            object.__setattr__(self, "aspects", _stretched(self.aspects, self.n_items))
        self._check_features()
        user, place = kernels.find_repeat(self.rankings.offsets, self.rankings.items, self.n_items)
        if user >= 0:
            item = self.rankings.items[self.rankings.offsets[user] + place]
            raise InputError(
                f"rankings: the list of user {shown(self.users[user])} names item {shown(self.items[item])} twice, "
                f"the second time at rank {place + 1}"
            )

    def _check_features(self) -> None:
        if self.features is None:
            return
        if self.features.rows is not None and len(self.features.rows) != self.n_items:
            raise InputError(f"features: rows for {len(self.features.rows)} items, the world has {self.n_items}")
        bad = self.features.first_bad_row()
        if bad is not None:
            rows = self.features.rows
            named = np.flatnonzero(rows == bad) if rows is not None else np.array([bad])
            whose = f"item {shown(self.items[int(named[0])])}" if len(named) else f"row {bad}"
            raise InputError(f"features: the vector of {whose} holds NaN, infinity or a number too large to square")


def _need(part: T | None, needed_by: str, name: str, form: str) -> T:
    if part is None:
        raise MissingInput(f"{needed_by} needs {name}: pass {name}=, {form}")
    return part


def _largest(codes: Codes) -> int:
    return int(codes.max(initial=-1))


def _stretched(aspects: Aspects, n_items: int) -> Aspects:
    """The same aspects for a world with more items, which have none and are not known."""
    if aspects.n_items > n_items:
        raise InputError(f"aspects speak of {aspects.n_items} items, the world has {n_items}")
    missing = n_items - aspects.n_items
    known = np.ones(aspects.n_items, dtype=np.bool_) if aspects.known is None else aspects.known
    return Aspects(
        np.append(aspects.offsets, np.full(missing, aspects.offsets[-1])),
        aspects.codes,
        aspects.n_aspects,
        aspects.strengths,
        np.append(known, np.zeros(missing, dtype=np.bool_)),
    )
