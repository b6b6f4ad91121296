"""Which aspects items have: for everybody (genres, communities) or for one user (subtopics of a topic)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    check_codes_count_from_0,
    check_count,
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
        check_count(self.n_aspects, "aspects: n_aspects")
        check_range(codes, self.n_aspects, "aspects")
        check_ascending(offsets, codes, "aspects of an item")
        strengths = None if self.strengths is None else as_floats(self.strengths, len(codes), "aspects: strengths")
        if strengths is not None:
            check_strengths(strengths, "aspects")
        self.__dict__.update(offsets=offsets, codes=codes, strengths=strengths)

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
    def shares(self) -> Floats:
        """What share of its row each entry is: its strength over those of the row, or one over the number of entries."""
        sizes = np.diff(self.offsets)
        if self.strengths is None:
            return np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        ends = sizes.astype(np.int32)[:, np.newaxis]
        totals = kernels.sorted_sums(self.offsets, self.strengths, ends, ends, np.ones(int(sizes.max(initial=0))))[:, 0]
        shares: Floats = self.strengths / np.repeat(totals, sizes)
        return shares


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
        known = None if self.known is None else as_flags(self.known, sets.n_rows, "aspects: known")
        self.__dict__.update(offsets=sets.offsets, codes=sets.codes, strengths=sets.strengths, known=known, sets=sets)

    sets: AspectSets = None  # type: ignore[assignment]  # filled above

    @property
    def n_items(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which aspects of an item count for one user (TREC diversity judgments).

    Each user has rows, one per judged item, items ascending; a row is a set of that user's own aspects, which are
    numbered 0, 1, 2 ... per user in the order of the world's aspects. Build it with :meth:`from_rows`.

    Args:
        nuggets: For each of a user's own aspects, the first of those that are answers to the same question, which all have to be shown;
            None means that each is a question of its own.
        unserved: The aspects of each user that are listed though no item has them; None where it is not known which are listed.
    """

    offsets: Offsets
    items: Codes
    sets: AspectSets
    aspect_offsets: Offsets
    aspects: Codes
    grades: Floats | None = None
    nuggets: Codes | None = None
    unserved: ListedAspects | None = None

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
    ) -> Subtopics:
        """From judgments (user, item, aspect[, grade[, strength]]) as codes.

        A grade below 1, or an aspect of -1, only says that the item was judged.
        """
        columns = {"users": users, "items": items, "aspects": aspects}
        u, i, a = (as_codes(codes, f"subtopics: {what}") for what, codes in columns.items())
        if not len(u) == len(i) == len(a):
            raise InputError(f"subtopics: columns of different lengths ({len(u)}, {len(i)}, {len(a)})")
        g = np.ones(len(u)) if grades is None else as_floats(grades, len(u), "subtopics: grades")
        s = None if strengths is None else as_floats(strengths, len(u), "subtopics: strengths")
        check_range(u, check_count(n_users, "subtopics: n_users"), "subtopics: users")
        check_codes_count_from_0(len(a), int(a.max(initial=-1)), "subtopics: aspects")
        for column, what, least in ((i, "items", 0), (a, "aspects", -1)):
            if len(column) and column.min() < least:
                raise InputError(f"subtopics: {what}: code {column.min()} is out of range")
        offsets, order, _, contradictions = distinct_rows(u, n_users, i, a, [g] if s is None else [g, s])
        if len(contradictions):
            at = contradictions[0][1]
            raise InputError(f"subtopics: user code {u[at]}, item code {i[at]}, aspect code {a[at]} is judged twice, differently")
        return cls.from_sorted(offsets, i[order], a[order], g[order], None if s is None else s[order])

    @classmethod
    def from_sorted(cls, offsets: Offsets, i: Codes, a: Codes, g: Floats | None = None, s: Floats | None = None) -> Subtopics:
        """The same from the rows of each user, in range and sorted by item and aspect, each once."""
        counts = a >= 0 if g is None else (g >= 1) & (a >= 0)
        offsets, judged, set_offsets, wanted, entry_offsets = kernels.judged_rows(offsets, i, a, counts)
        # A user's own numbering: the positive aspects of that user, ascending.
        aspect_offsets, own_aspects, local = kernels.number_codes(entry_offsets, wanted, int(wanted.max(initial=-1)) + 1)
        if s is not None:
            check_strengths(s[counts])
        # Numbers that are all 1 say nothing.
        grades, strengths = (None if values is None or (values[counts] == 1).all() else values[counts] for values in (g, s))
        sets = AspectSets(set_offsets, local, int(np.diff(aspect_offsets).max(initial=0)), strengths)
        return cls(offsets, judged, sets, aspect_offsets, own_aspects, grades)

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    def take(self, users: npt.NDArray[Any]) -> Subtopics:
        """Those of some users; -1 is a user without any."""
        offsets, rows = choose_segments(self.offsets, users)
        all_rows = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        set_offsets, entries = choose_segments(self.sets.offsets, all_rows)
        aspect_offsets, own = choose_segments(self.aspect_offsets, users)
        grades, strengths = (None if values is None else values[entries] for values in (self.grades, self.sets.strengths))
        sets = AspectSets(set_offsets, self.sets.codes[entries], self.sets.n_aspects, strengths)
        nuggets = None if self.nuggets is None else self.nuggets[own]
        unserved = None if self.unserved is None else self.unserved.take(users)
        return Subtopics(offsets, self.items[rows], sets, aspect_offsets, self.aspects[own], grades, nuggets, unserved)

    def only(self, kept: Flags) -> Subtopics:
        """The same with the aspects of some rows only; other items are judged, and have none."""
        lengths = np.diff(self.sets.offsets)
        entries = np.repeat(kept, lengths)
        set_offsets = np.append(0, np.cumsum(np.where(kept, lengths, 0)))
        grades, strengths = (None if values is None else values[entries] for values in (self.grades, self.sets.strengths))
        sets = AspectSets(set_offsets, self.sets.codes[entries], self.sets.n_aspects, strengths)
        return replace(self, sets=sets, grades=grades)

    def listing(self, offsets: Offsets, listed: Codes, questions: Codes | None = None) -> Subtopics:
        """The same, where it is known which aspects each user lists, ascending, and which question each of these answers."""
        own = kernels.lookup(offsets, listed, self.aspect_offsets, self.aspects)
        found = replace(self, unserved=ListedAspects.chosen(offsets, listed, own < 0))
        if questions is None:
            return found
        owners = np.repeat(np.arange(self.n_users), np.diff(self.aspect_offsets))
        _, firsts, which = np.unique(owners << 32 | questions[own >= 0], return_index=True, return_inverse=True)
        return replace(found, nuggets=(firsts[which] - self.aspect_offsets[owners]).astype(np.int32))


@dataclass(frozen=True, eq=False)
class ListedAspects:
    """Aspects of each user, by the code of the world, ascending."""

    offsets: Offsets
    aspects: Codes

    @classmethod
    def chosen(cls, offsets: Offsets, aspects: Codes, chosen: Flags) -> ListedAspects:
        """Some of the aspects of each user."""
        return cls(np.concatenate(([0], np.cumsum(chosen)))[offsets], aspects[chosen])

    def take(self, users: npt.NDArray[Any]) -> ListedAspects:
        offsets, index = choose_segments(self.offsets, users)
        return ListedAspects(offsets, self.aspects[index])


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
            weights = as_floats(self.shared, np.size(self.shared), "weights")
            self.__dict__.update(shared=weights)
        elif self.offsets is None or self.aspects is None or self.weights is None:
            raise InputError("weights: give `shared`, or offsets, aspects and weights")
        else:
            aspects = as_codes(self.aspects, "weights: aspects")
            weights = as_floats(self.weights, len(aspects), "weights")
            offsets = as_offsets(self.offsets, len(aspects), "weights")
            check_ascending(offsets, aspects, "weights: aspects of a user")
            self.__dict__.update(offsets=offsets, aspects=aspects, weights=weights)
        if (weights < 0).any():
            raise InputError(f"a weight must not be negative, found {weights.min()}")

    def of(self, offsets: Offsets, aspects: Codes) -> Floats:
        """The weight of each (user, aspect) asked for."""
        if self.shared is not None:
            padded = np.append(self.shared, np.zeros(max(0, int(aspects.max(initial=-1)) + 1 - len(self.shared))))
            return np.ascontiguousarray(padded[aspects])
        assert self.offsets is not None and self.aspects is not None and self.weights is not None
        at = kernels.lookup(offsets, aspects, self.offsets, self.aspects)
        return np.where(at >= 0, np.append(self.weights, 0.0)[at], 0.0)

    def beside(self, offsets: Offsets, aspects: Codes) -> ListedAspects:
        """The aspects that have a weight for each user, without some, which ascend."""
        own, listed = self.offsets, self.aspects
        if self.shared is not None:
            n_users, n_aspects = len(offsets) - 1, len(self.shared)
            own = np.arange(n_users + 1, dtype=np.int64) * n_aspects
            listed = np.tile(np.arange(n_aspects, dtype=np.int32), n_users)
        assert own is not None and listed is not None
        return ListedAspects.chosen(own, listed, kernels.lookup(own, listed, offsets, aspects) < 0)

    def totals(self, n_users: int) -> Floats:
        """The sum of the weights that each user has, added from the largest on."""
        if self.shared is not None:
            return np.full(n_users, math.fsum(self.shared.tolist()))
        assert self.offsets is not None and self.weights is not None
        sizes = np.diff(self.offsets).astype(np.int32)[:, np.newaxis]
        return kernels.sorted_sums(self.offsets, self.weights, sizes, sizes, np.ones(int(sizes.max(initial=0))))[:, 0]

    def take(self, users: npt.NDArray[Any]) -> Weights:
        if self.shared is not None:
            return self
        assert self.offsets is not None and self.aspects is not None and self.weights is not None
        offsets, index = choose_segments(self.offsets, users)
        return Weights(None, offsets, self.aspects[index], self.weights[index])


def check_strengths(strengths: Floats, where: str = "subtopics") -> None:
    bad = np.flatnonzero((strengths <= 0) | (strengths > 1))
    if len(bad):
        raise InputError(f"{where}: a strength must be above 0 and at most 1, found {strengths[bad[0]]}")


def distinct_rows(
    groups: Codes, n_groups: int, keys: Codes, seconds: Codes | None, numbers: Sequence[Floats]
) -> tuple[Offsets, Offsets, int, Offsets]:
    """Offsets of groups, the order of rows by group, key and second key, each once; how many rows repeat another, and those
    that contradict it: pairs of a row and a later one that has other numbers.
    """
    offsets, at = kernels.group_rows(groups, n_groups)
    at = kernels.sort_segments(offsets, at, keys, False, seconds)
    repeated = kernels.find_repeats(offsets, at, keys, seconds)
    if len(repeated) == 0:
        return offsets, at, 0, np.empty((0, 2), np.int64)
    before, again = at[repeated - 1], at[repeated]
    differ = np.zeros(len(repeated), np.bool_)
    for values in numbers:
        differ |= values[before] != values[again]
    contradictions = np.stack([before, again], axis=1)[differ]
    return offsets - np.searchsorted(repeated, offsets), np.delete(at, repeated), len(repeated), contradictions
