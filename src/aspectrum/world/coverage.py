"""Coverage: for each place in each list, the aspects that count there. The one thing aspect metrics look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Masks, Offsets, no_segments, take_segments
from aspectrum.coding.ids import shown
from aspectrum.errors import InputError
from aspectrum.world.aspects import AspectSets
from aspectrum.world.relevance import exponential

if TYPE_CHECKING:
    from collections.abc import Hashable

    from aspectrum.world.rankings import Rankings
    from aspectrum.world.world import World

JudgedBy = Literal["subtopics", "history", "relevance", "membership"]
PoolName = Literal["judged", "catalogue", "unseen", "list"]
Weighing = Literal["given", "uniform", "counts"]
Unjudged = Literal["keep", "condense", "drop"]

DEFAULT_POOLS: Mapping[JudgedBy, PoolName] = {
    "subtopics": "judged",
    "history": "catalogue",
    "relevance": "judged",
    "membership": "catalogue",
}


@dataclass(frozen=True, eq=False)
class Wanted:
    """The aspects each user wants, ascending; ``weights`` None means 1 each."""

    offsets: Offsets
    codes: Codes
    weights: Floats | None = None


@dataclass(frozen=True, eq=False)
class OwnPools:
    """A pool of rows for each user; -1 is nothing."""

    offsets: Offsets
    rows: Codes

    def without(self, marked: Flags) -> OwnPools:
        return OwnPools(self.offsets, np.where(marked, np.int32(-1), self.rows))

    @property
    def size(self) -> int:
        return int(np.diff(self.offsets).max(initial=0))


@dataclass(frozen=True, eq=False)
class SharedPool:
    """One pool for all: distinct sets with the heads of their items, largest first, less what a user is not to be given."""

    sets: Codes
    member_offsets: Offsets
    member_heads: Codes
    excluded_offsets: Offsets | None = None
    excluded_heads: Codes | None = None

    @property
    def size(self) -> int:
        return len(self.member_heads)


@dataclass(frozen=True, eq=False)
class Coverage:
    """Lists whose places point at sets of aspects, and what each user makes of them.

    ``rows`` holds, for each place, a row of ``sets`` or -1; ``interests`` (bit masks) or ``wanted`` (codes with
    weights) say which aspects count for a user, all if both are None; ``attainable`` is the number, or the weight,
    of the aspects a user could be shown; ``heads`` orders rows by the id of their item.
    """

    world: World
    judged_by: JudgedBy
    rankings: Rankings
    sets: AspectSets
    rows: Codes
    row_items: Codes | None
    attainable: Floats
    interests: Masks | None = None
    wanted: Wanted | None = None
    cut: Flags | None = None

    @cached_property
    def kernel(self) -> kernels.Cover:
        return self.problems(self.rankings.offsets, self.rows, self.interests, self.wanted)

    def problems(self, offsets: Offsets, rows: Codes, interests: Masks | None, wanted: Wanted | None) -> kernels.Cover:
        """Any lists over the same sets."""
        return kernels.Cover(
            offsets,
            rows,
            self.sets.offsets,
            self.sets.codes,
            self.sets.n_aspects,
            strengths=self.sets.strengths,
            masks=self.sets.masks if wanted is None else None,
            interests=interests,
            wanted_offsets=None if wanted is None else wanted.offsets,
            wanted_codes=None if wanted is None else wanted.codes,
            wanted_weights=None if wanted is None else wanted.weights,
        )

    def stops(self, cutoffs: Sequence[int]) -> Codes:
        """Where each cutoff ends each list, (users, cutoffs)."""
        if self.cut is None:
            return self.rankings.stops(cutoffs)
        # Unjudged items were dropped after the cut: a cutoff ends after the judged among its first k.
        whole = self.world.rankings
        kept_before = np.concatenate(([0], np.cumsum(self.cut)))
        ends = whole.offsets[:-1, np.newaxis] + whole.stops(cutoffs)
        return np.ascontiguousarray(kept_before[ends] - kept_before[whole.offsets[:-1]][:, np.newaxis], dtype=np.int32)

    @cached_property
    def heads(self) -> Codes:
        heads = self.world.truth.items.heads
        return heads if self.row_items is None else heads[self.row_items]

    def pool(self, name: PoolName) -> OwnPools | SharedPool:
        """What an ideal list may choose from."""
        if name == "list":
            return OwnPools(self.rankings.offsets, self.rows)
        if self.judged_by in ("subtopics", "relevance") or name == "judged":
            own = self._judged_pool()
            if name != "judged" and self.world.catalogue is not None:
                own = own.without(~self.world.catalogue[self._items(own)])
            return own.without(self._in_history(own)) if name == "unseen" else own
        shared = self._catalogue()
        if name == "catalogue":
            return shared
        history = self.world.need_history("pool 'unseen'")
        return replace(shared, excluded_offsets=history.offsets, excluded_heads=self.world.truth.items.heads[history.items])

    def _judged_pool(self) -> OwnPools:
        if self.judged_by == "subtopics":
            return OwnPools(self.world.need_subtopics("pool 'judged'").offsets, np.arange(self.sets.n_rows, dtype=np.int32))
        relevance = self.world.need_relevance("pool 'judged'")
        rows = relevance.items if self.row_items is None else np.arange(self.sets.n_rows, dtype=np.int32)
        if self.judged_by == "relevance":
            rows = np.where(relevance.relevant, rows, np.int32(-1))
        return OwnPools(relevance.offsets, rows)

    def _in_history(self, own: OwnPools) -> Flags:
        history = self.world.need_history("pool 'unseen'")
        return kernels.lookup(own.offsets, self._items(own), history.offsets, history.items) >= 0

    def _items(self, own: OwnPools) -> Codes:
        """Items of the rows of pools; those of rows -1 mean nothing."""
        return own.rows if self.row_items is None else np.ascontiguousarray(self.row_items[own.rows])

    def _catalogue(self) -> SharedPool:
        def find() -> SharedPool:
            possible = np.diff(self.sets.offsets) > 0
            if self.world.catalogue is not None:
                possible &= self.world.catalogue
            rows = np.flatnonzero(possible).astype(np.int32)
            order = np.ascontiguousarray(rows[np.argsort(self.heads[rows], kind="stable")[::-1]])
            everybody = self.problems(no_segments(0), np.empty(0, np.int32), None, None)
            return SharedPool(*kernels.distinct_sets(everybody, order, self.heads))

        return self.world.remember(("distinct sets",), find)

    @property
    def catalogue_totals(self) -> Floats:
        """How many items of the catalogue have each aspect."""

        def count() -> Floats:
            if self.world.catalogue is None:
                return self.sets.totals
            inside = np.repeat(self.world.catalogue, np.diff(self.sets.offsets))
            return np.bincount(self.sets.codes[inside], minlength=self.sets.n_aspects).astype(np.float64)

        return self.world.remember(("catalogue totals",), count)


def cover(
    world: World,
    judged_by: JudgedBy,
    *,
    weighing: Weighing = "given",
    unjudged: Unjudged = "keep",
    gammas: Mapping[Hashable, float] | None = None,
    max_grade: float | None = None,
) -> Coverage:
    """The coverage of a world's lists.

    Args:
        judged_by: Which aspects of an item count for a user.
        weighing: Weights as given to the world (1 if none were), 1 for all, or counted from each user's items.
        unjudged: Whether unjudged items keep their place, or are taken out before or after the cut.
        gammas: A further factor for each aspect's weight; ``attainable`` does not know of it.
        max_grade: If given, a judgment's strength is (2^grade - 1) / (2^max_grade - 1).
    """
    shown_lists = _BUILDERS[judged_by](world, max_grade)
    if unjudged != "keep":
        shown_lists = _without_unjudged(shown_lists, unjudged)
    if weighing == "counts":
        shown_lists = _weighed_by_counts(shown_lists)
    elif weighing == "given" and world.weights is not None:
        wanted = _attainable(shown_lists)
        weights = world.weights.of(wanted.offsets, _global(shown_lists, wanted))
        shown_lists = _weighed(shown_lists, replace(wanted, weights=weights))
    if gammas is not None:
        shown_lists = _scaled(shown_lists, gammas)
    return shown_lists


def _by_subtopics(world: World, max_grade: float | None) -> Coverage:
    judged = world.need_subtopics("judged_by='subtopics'")
    rankings = world.rankings
    rows = kernels.lookup(rankings.offsets, rankings.items, judged.offsets, judged.items)
    sets = judged.sets
    if max_grade is not None:
        grades = np.ones(len(sets.codes)) if judged.grades is None else judged.grades
        sets = AspectSets(sets.offsets, sets.codes, sets.n_aspects, _graded(sets.strengths, grades, max_grade))
    return Coverage(world, "subtopics", rankings, sets, rows, judged.items, judged.n_attainable)


def _by_history(world: World, max_grade: float | None) -> Coverage:
    _need_no_grade(max_grade, "history")
    sets = world.need_aspects("judged_by='history'").sets
    history = world.need_history("judged_by='history'")
    rankings = world.rankings
    if sets.masks is not None:
        interests = kernels.union_masks(history.offsets, history.items, sets.masks)
        attainable = np.bitwise_count(interests).astype(np.float64)
        return Coverage(world, "history", rankings, sets, world.known_items, None, attainable, interests)
    offsets, codes, _ = kernels.aspect_counts(history.offsets, history.items, sets.offsets, sets.codes, sets.n_aspects)
    return Coverage(
        world, "history", rankings, sets, world.known_items, None, np.diff(offsets).astype(np.float64), None, Wanted(offsets, codes)
    )


def _by_relevance(world: World, max_grade: float | None) -> Coverage:
    sets = world.need_aspects("judged_by='relevance'").sets
    relevance = world.need_relevance("judged_by='relevance'")
    rankings = world.rankings
    relevant = relevance.relevant
    at = kernels.lookup(rankings.offsets, rankings.items, relevance.offsets, relevance.items)
    counts = at >= 0 if relevant.all() else (at >= 0) & np.append(relevant, False)[at]
    own = np.where(relevant, relevance.items, np.int32(-1))
    if sets.masks is not None:
        attainable = np.bitwise_count(kernels.union_masks(relevance.offsets, own, sets.masks)).astype(np.float64)
    else:
        attainable = np.diff(kernels.aspect_counts(relevance.offsets, own, sets.offsets, sets.codes, sets.n_aspects)[0]).astype(np.float64)
    if max_grade is None:
        return Coverage(world, "relevance", rankings, sets, np.where(counts, world.known_items, np.int32(-1)), None, attainable)
    # A set of its own for each judgment, empty unless the item is relevant with a positive grade.
    offsets, entries = take_segments(sets.offsets, relevance.items)
    grades = np.repeat(np.where(relevant, relevance.gains, 0.0), np.diff(offsets))
    kept = grades > 0
    offsets, entries = np.concatenate(([0], np.cumsum(kept)))[offsets], entries[kept]
    graded = _graded(None if sets.strengths is None else sets.strengths[entries], grades[kept], max_grade)
    own_sets = AspectSets(offsets, sets.codes[entries], sets.n_aspects, graded)
    return Coverage(world, "relevance", rankings, own_sets, np.where(counts, at, np.int32(-1)), relevance.items, attainable)


def _by_membership(world: World, max_grade: float | None) -> Coverage:
    _need_no_grade(max_grade, "membership")
    sets = world.need_aspects("judged_by='membership'").sets
    attainable = np.full(world.n_users, float(sets.n_aspects))
    return Coverage(world, "membership", world.rankings, sets, world.known_items, None, attainable)


_BUILDERS = {
    "subtopics": _by_subtopics,
    "history": _by_history,
    "relevance": _by_relevance,
    "membership": _by_membership,
}


def _graded(strengths: Floats | None, grades: Floats, max_grade: float) -> Floats:
    if len(grades) and grades.max() > max_grade:
        raise InputError(f"grade {grades.max():g} exceeds max_grade {max_grade:g}")
    graded: Floats = exponential(grades) / (2.0**max_grade - 1.0)
    return graded if strengths is None else graded * strengths


def _need_no_grade(max_grade: float | None, judged_by: str) -> None:
    if max_grade is not None:
        raise InputError(f"grades=True needs graded judgments: judged_by='subtopics' or 'relevance', not {judged_by!r}")


def _without_unjudged(shown_lists: Coverage, unjudged: Unjudged) -> Coverage:
    world, rankings = shown_lists.world, shown_lists.rankings
    if shown_lists.judged_by == "subtopics":
        judged = shown_lists.rows >= 0
    elif shown_lists.judged_by == "relevance":
        relevance = world.need_relevance("judged_by='relevance'")
        judged = kernels.lookup(rankings.offsets, rankings.items, relevance.offsets, relevance.items) >= 0
    else:
        known = world.need_aspects("unjudged items").known
        judged = world.known_items >= 0 if known is None else np.append(known, False)[world.known_items]
    return replace(
        shown_lists,
        rankings=rankings.keep(judged),
        rows=np.ascontiguousarray(shown_lists.rows[judged]),
        cut=judged if unjudged == "drop" else None,
    )


def _attainable(shown_lists: Coverage) -> Wanted:
    """The aspects each user could be shown, by code."""
    world, sets = shown_lists.world, shown_lists.sets
    if shown_lists.judged_by == "subtopics":
        offsets = world.need_subtopics("judged_by='subtopics'").aspect_offsets
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        return Wanted(offsets, places.astype(np.int32))
    if shown_lists.judged_by == "membership":
        everything = np.tile(np.arange(sets.n_aspects, dtype=np.int32), world.n_users)
        return Wanted(np.arange(world.n_users + 1, dtype=np.int64) * sets.n_aspects, everything)
    if shown_lists.judged_by == "history":
        segments = world.need_history("judged_by='history'")
        rows = segments.items
        offsets = segments.offsets
    else:
        relevance = world.need_relevance("judged_by='relevance'")
        offsets, rows = relevance.offsets, np.where(relevance.relevant, relevance.items, np.int32(-1))
    table = world.need_aspects("judging by aspects of items").sets
    found, codes, _ = kernels.aspect_counts(offsets, rows, table.offsets, table.codes, table.n_aspects)
    return Wanted(found, codes)


def _global(shown_lists: Coverage, wanted: Wanted) -> Codes:
    """The world's codes of wanted aspects."""
    if shown_lists.judged_by == "subtopics":
        return shown_lists.world.need_subtopics("judged_by='subtopics'").aspects
    return wanted.codes


def _weighed(shown_lists: Coverage, wanted: Wanted) -> Coverage:
    weights = np.ones(len(wanted.codes)) if wanted.weights is None else wanted.weights
    lengths = np.diff(wanted.offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(lengths.max(initial=0)))
    attainable = kernels.discounted_sums(wanted.offsets, weights, lengths, ones)[:, 0]
    return replace(shown_lists, attainable=attainable, interests=None, wanted=replace(wanted, weights=weights))


def _weighed_by_counts(shown_lists: Coverage) -> Coverage:
    """Weight = how many of a user's earlier and relevant items have the aspect; all alike for a user with none."""
    world = shown_lists.world
    if shown_lists.judged_by == "subtopics":
        raise InputError("intents='counts' counts the aspects of items: judge by relevance, history or membership, not by subtopics")
    sets = world.need_aspects("intents='counts'").sets
    users, items = [], []
    if world.history is not None:
        users.append(np.repeat(np.arange(world.n_users), np.diff(world.history.offsets)))
        items.append(world.history.items)
    if world.relevance is not None:
        relevant = world.relevance.relevant
        if world.history is not None:  # an item counts once
            earlier = kernels.lookup(world.relevance.offsets, world.relevance.items, world.history.offsets, world.history.items)
            relevant = relevant & (earlier < 0)
        users.append(np.repeat(np.arange(world.n_users), np.diff(world.relevance.offsets))[relevant])
        items.append(world.relevance.items[relevant])
    if not users:
        world.need_relevance("intents='counts'")
    offsets, at = kernels.group_rows(np.concatenate(users).astype(np.int32), world.n_users)
    offsets, codes, counts = kernels.aspect_counts(offsets, np.concatenate(items)[at], sets.offsets, sets.codes, sets.n_aspects)
    without = np.diff(offsets) == 0
    if without.any():
        lengths = np.where(without, sets.n_aspects, np.diff(offsets))
        filled = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        counted = np.repeat(~without, lengths)
        new_codes = (np.arange(filled[-1]) - np.repeat(filled[:-1], lengths)).astype(np.int32)
        new_counts = np.ones(filled[-1])
        new_codes[counted], new_counts[counted] = codes, counts
        offsets, codes, counts = filled, new_codes, new_counts
    weighed = _weighed(shown_lists, Wanted(offsets, codes, counts))
    if shown_lists.judged_by != "history":
        return weighed
    # What the history does not cover is an intent, but nothing can satisfy it.
    covered = _attainable(shown_lists)
    served = kernels.lookup(offsets, codes, covered.offsets, covered.codes) >= 0
    return replace(weighed, wanted=Wanted(offsets, codes, np.where(served, counts, 0.0)))


def _scaled(shown_lists: Coverage, gammas: Mapping[Hashable, float]) -> Coverage:
    world = shown_lists.world
    wanted = shown_lists.wanted if shown_lists.wanted is not None else _attainable(shown_lists)
    codes = _global(shown_lists, wanted)
    factors = np.full(len(world.aspect_ids), np.nan)
    for id, gamma in gammas.items():
        code = world.aspect_ids.code(id)
        if code is not None:
            factors[code] = gamma
    if np.isnan(factors[codes]).any():
        missing = world.aspect_ids[int(codes[np.flatnonzero(np.isnan(factors[codes]))[0]])]
        raise InputError(f"gamma has no value for aspect {shown(missing)}")
    weights = factors[codes] if wanted.weights is None else wanted.weights * factors[codes]
    return replace(shown_lists, interests=None, wanted=replace(wanted, weights=weights))
