"""Which aspects items have: for everybody (genres, communities) or for one user (subtopics of a topic)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import (
    MASK_BITS,
    Codes,
    Flags,
    Floats,
    Masks,
    Offsets,
    as_codes,
    as_flags,
    as_floats,
    as_offsets,
    check_ascending,
    check_range,
    choose_segments,
)
from aspectrum.errors import InputError


@dataclass(frozen=True, eq=False)
class AspectSets:
    """Sets of aspects, one per row: ``codes[offsets[r]:offsets[r + 1]]``, ascending, with optional strengths."""

    offsets: Offsets
    codes: Codes
    n_aspects: int
    strengths: Floats | None = None

    def __post_init__(self) -> None:
        codes = as_codes(self.codes, "aspects")
        offsets = as_offsets(self.offsets, len(codes), "aspects")
        check_range(codes, self.n_aspects, "aspects")
        check_ascending(offsets, codes, "aspects of an item")
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "offsets", offsets)
        if self.strengths is not None:
            strengths = as_floats(self.strengths, len(codes), "aspects: strengths")
            check_strengths(strengths, "aspects")
            object.__setattr__(self, "strengths", strengths)

    @property
    def n_rows(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def masks(self) -> Masks | None:
        """The sets as bit masks, if they fit and have no strengths."""
        if self.n_aspects > MASK_BITS or self.strengths is not None:
            return None
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.offsets))
        masks: Masks = np.zeros(self.n_rows, dtype=np.uint64)
        np.bitwise_or.at(masks, rows, np.uint64(1) << self.codes.astype(np.uint64))
        return masks

    @cached_property
    def totals(self) -> Floats:
        """How many rows have each aspect."""
        return np.bincount(self.codes, minlength=self.n_aspects).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Aspects:
    """Aspects of items, as codes: item i has ``codes[offsets[i]:offsets[i + 1]]``.

    Args:
        offsets: One segment per item of the world.
        codes: Aspects, ascending within an item.
        n_aspects: How many aspects there are.
        strengths: How strongly an item has an aspect, above 0 and at most 1; None means 1 everywhere.
        known: Items that the aspects speak of, even if only to say that they have none; None means all.
    """

    offsets: Offsets
    codes: Codes
    n_aspects: int
    strengths: Floats | None = None
    known: Flags | None = None

    def __post_init__(self) -> None:
        sets = AspectSets(self.offsets, self.codes, self.n_aspects, self.strengths)
        object.__setattr__(self, "sets", sets)
        for name in ("offsets", "codes", "strengths"):
            object.__setattr__(self, name, getattr(sets, name))
        if self.known is not None:
            object.__setattr__(self, "known", as_flags(self.known, self.n_items, "aspects: known"))

    sets: AspectSets = None  # type: ignore[assignment]  # filled above

    @property
    def n_items(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which aspects of an item count for one user (TREC diversity judgments).

    Each user has rows, one per judged item, items ascending; a row is a set of that user's own aspects, which are
    numbered 0, 1, 2 ... per user in the order of the world's aspects. Build it with :meth:`from_rows`.
    """

    offsets: Offsets
    items: Codes
    sets: AspectSets
    aspect_offsets: Offsets
    aspects: Codes
    grades: Floats | None = None

    @classmethod
    def from_rows(
        cls,
        users: npt.ArrayLike,
        items: npt.ArrayLike,
        aspects: npt.ArrayLike,
        grades: npt.ArrayLike | None = None,
        strengths: npt.ArrayLike | None = None,
        *,
        n_users: int,
    ) -> "Subtopics":
        """From judgments (user, item, aspect[, grade[, strength]]) as codes.

        A grade below 1, or an aspect of -1, only says that the item was judged.
        """
        u, i, a = as_codes(users, "subtopics: users"), as_codes(items, "subtopics: items"), as_codes(aspects, "subtopics: aspects")
        if not len(u) == len(i) == len(a):
            raise InputError(f"subtopics: columns of different lengths ({len(u)}, {len(i)}, {len(a)})")
        g = np.ones(len(u)) if grades is None else as_floats(grades, len(u), "subtopics: grades")
        s = None if strengths is None else as_floats(strengths, len(u), "subtopics: strengths")
        check_range(u, n_users, "subtopics: users")
        for column, what, least in ((i, "items", 0), (a, "aspects", -1)):
            if len(column) and column.min() < least:
                raise InputError(f"subtopics: {what}: code {column.min()} is out of range")
        offsets, order = kernels.group_rows(u, n_users)
        order = kernels.sort_segments(offsets, order, i, False, a)
        repeated = kernels.find_repeats(offsets, order, i, a)
        if len(repeated):
            before, again = order[repeated - 1], order[repeated]
            contradict = np.flatnonzero((g[before] != g[again]) | (False if s is None else s[before] != s[again]))
            if len(contradict):
                at = again[contradict[0]]
                raise InputError(f"subtopics: user code {u[at]}, item code {i[at]}, aspect code {a[at]} is judged twice, differently")
            order = np.delete(order, repeated)
            offsets = offsets - np.searchsorted(repeated, offsets)
        return cls.from_sorted(offsets, i[order], a[order], g[order], None if s is None else s[order])

    @classmethod
    def from_sorted(cls, offsets: Offsets, i: Codes, a: Codes, g: Floats | None = None, s: Floats | None = None) -> "Subtopics":
        """The same from the rows of each user, in range and sorted by item and aspect, each once."""
        counts = a >= 0 if g is None else (g >= 1) & (a >= 0)
        offsets, judged, set_offsets, wanted, entry_offsets = kernels.judged_rows(offsets, i, a, counts)
        # A user's own numbering: the positive aspects of that user, ascending.
        aspect_offsets, own_aspects, local = kernels.number_codes(entry_offsets, wanted, int(wanted.max(initial=-1)) + 1)
        grades = None if g is None else g[counts]
        strengths = None if s is None else s[counts]
        if strengths is not None:
            check_strengths(strengths)
        sets = AspectSets(
            set_offsets,
            local,
            int(np.diff(aspect_offsets).max(initial=0)),
            None if strengths is None or (strengths == 1).all() else strengths,
        )
        return cls(offsets, judged, sets, aspect_offsets, own_aspects, None if grades is None or (grades == 1).all() else grades)

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_attainable(self) -> Floats:
        return np.diff(self.aspect_offsets).astype(np.float64)

    def take(self, users: npt.NDArray[Any]) -> "Subtopics":
        """Those of some users; -1 is a user without any."""
        offsets, rows = choose_segments(self.offsets, users)
        all_rows = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        set_offsets, entries = choose_segments(self.sets.offsets, all_rows)
        aspect_offsets, own = choose_segments(self.aspect_offsets, users)
        sets = self.sets
        strengths = None if sets.strengths is None else sets.strengths[entries]
        return Subtopics(
            offsets,
            self.items[rows],
            AspectSets(set_offsets, sets.codes[entries], sets.n_aspects, strengths),
            aspect_offsets,
            self.aspects[own],
            None if self.grades is None else self.grades[entries],
        )


@dataclass(frozen=True, eq=False)
class Weights:
    """How much aspects are wanted: by everybody (``shared``, one weight per aspect) or by each user.

    An aspect without a weight is not wanted: its weight is 0.
    """

    shared: Floats | None = None
    offsets: Offsets | None = None
    aspects: Codes | None = None
    weights: Floats | None = None

    def __post_init__(self) -> None:
        if self.shared is not None:
            shared = as_floats(self.shared, len(self.shared), "weights")
            _check_weights(shared)
            object.__setattr__(self, "shared", shared)
            return
        if self.offsets is None or self.aspects is None or self.weights is None:
            raise InputError("weights: give `shared`, or offsets, aspects and weights")
        aspects = as_codes(self.aspects, "weights: aspects")
        weights = as_floats(self.weights, len(aspects), "weights")
        _check_weights(weights)
        offsets = as_offsets(self.offsets, len(aspects), "weights")
        check_ascending(offsets, aspects, "weights: aspects of a user")
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "aspects", aspects)
        object.__setattr__(self, "weights", weights)

    def of(self, offsets: Offsets, aspects: Codes) -> Floats:
        """The weight of each (user, aspect) asked for."""
        if self.shared is not None:
            padded = np.append(self.shared, np.zeros(max(0, int(aspects.max(initial=-1)) + 1 - len(self.shared))))
            return np.ascontiguousarray(padded[aspects])
        assert self.offsets is not None and self.aspects is not None and self.weights is not None
        at = kernels.lookup(offsets, aspects, self.offsets, self.aspects)
        return np.where(at >= 0, np.append(self.weights, 0.0)[at], 0.0)

    def take(self, users: npt.NDArray[Any]) -> "Weights":
        if self.shared is not None:
            return self
        assert self.offsets is not None and self.aspects is not None and self.weights is not None
        offsets, index = choose_segments(self.offsets, users)
        return Weights(None, offsets, self.aspects[index], self.weights[index])


def check_strengths(strengths: Floats, where: str = "subtopics") -> None:
    bad = np.flatnonzero((strengths <= 0) | (strengths > 1))
    if len(bad):
        raise InputError(f"{where}: a strength must be above 0 and at most 1, found {strengths[bad[0]]}")


def _check_weights(weights: Floats) -> None:
    if (weights < 0).any():
        raise InputError(f"a weight must not be negative, found {weights.min()}")
