"""The ways of judging: by subtopics, history, relevance or membership."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Offsets, no_segments, take_segments
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Grading, JudgedBy, Judging, graded_strengths
from aspectrum.judging.pools import OwnPools
from aspectrum.world import Relevance, Subtopics
from aspectrum.world.aspects import AspectSets, ListedAspects


class BySubtopics(Judging):
    """An aspect counts if it was judged for this user and item (TREC diversity judgments). Users number their own aspects."""

    name = "subtopics"
    inputs = ("subtopics",)
    default_pool = "judged"
    only_judged_gain = True

    @property
    def _subtopics(self) -> Subtopics:
        return self.world.need_subtopics(self._needs)

    def cover(self) -> Coverage:
        judged, rankings = self._subtopics, self.world.rankings
        rows = kernels.lookup(rankings.offsets, rankings.items, judged.offsets, judged.items)
        return Coverage(self, rankings, judged.sets, rows, judged.items, np.diff(judged.aspect_offsets).astype(np.float64))

    def cover_graded(self, grading: Grading) -> Coverage:
        coverage, judged = self.cover(), self._subtopics
        sets = coverage.sets
        grades = np.ones(len(sets.codes)) if judged.grades is None else judged.grades

        def intents() -> Offsets:
            lengths = np.diff(sets.offsets[judged.offsets])  # entries of each user
            return np.repeat(judged.aspect_offsets[:-1], lengths) + sets.codes

        return replace(coverage, sets=replace(sets, strengths=graded_strengths(sets.strengths, grades, grading, intents)))

    def attainable_aspects(self) -> WantedAspects:
        return WantedAspects.counted(self._subtopics.aspect_offsets)

    def world_codes(self, wanted: WantedAspects) -> Codes:
        return self._subtopics.aspects

    def questions(self) -> Codes | None:
        return self._subtopics.nuggets

    def unserved(self) -> ListedAspects | None:
        judged, given = self._subtopics, self.world.weights
        if judged.unserved is not None or given is None:
            return judged.unserved
        return given.beside(judged.aspect_offsets, judged.aspects)

    def with_full_places(self, coverage: Coverage) -> Coverage:
        judged, sets, n_users = self._subtopics, coverage.sets, self.world.n_users
        own, unserved = judged.aspect_offsets, self.unserved() or ListedAspects(no_segments(n_users), np.empty(0, np.int32))
        offsets = own + unserved.offsets
        full = WantedAspects.counted(offsets)
        strengths = None if sets.strengths is None else np.append(sets.strengths, np.ones(len(full.codes)))
        n_aspects = max(sets.n_aspects, int(np.diff(offsets).max(initial=0)))
        wider = AspectSets(np.append(sets.offsets, sets.offsets[-1] + offsets[1:]), np.append(sets.codes, full.codes), n_aspects, strengths)
        owners = np.repeat(np.arange(n_users, dtype=np.int32), coverage.rankings.lengths)
        rows = np.where(coverage.rows < 0, sets.n_rows + owners, coverage.rows).astype(np.int32)
        row_items = np.append(judged.items, np.zeros(n_users, np.int32))  # which nobody asks for
        if coverage.wanted is not None and coverage.wanted.weights is not None:
            given = self.world.weights
            weights = np.empty(len(full.codes))
            is_own = full.codes < np.repeat(np.diff(own), np.diff(offsets))
            weights[is_own] = coverage.wanted.weights
            weights[~is_own] = 1.0 if given is None else given.of(unserved.offsets, unserved.aspects)
            full = replace(full, weights=weights)
        return replace(coverage, sets=wider, rows=rows, row_items=row_items, wanted=full, full=True)

    def most_aspects(self) -> Offsets:
        judged = self._subtopics
        counts = np.append(np.diff(judged.sets.offsets), 0)  # reduceat takes no start at the end
        filled = np.flatnonzero(np.diff(judged.offsets))
        most = np.zeros(judged.n_users, np.int64)
        most[filled] = np.maximum.reduceat(counts, judged.offsets[filled]) if len(filled) else 0
        return most

    def judged_pool(self, coverage: Coverage) -> OwnPools:
        return OwnPools(self._subtopics.offsets, np.arange(len(self._subtopics.items), dtype=np.int32))

    def judged_places(self, coverage: Coverage) -> Flags:
        return coverage.rows >= 0


class ByHistory(Judging):
    """An aspect of an item counts if an earlier item of the user has it."""

    name = "history"
    inputs = ("aspects", "history")

    def cover(self) -> Coverage:
        world, sets = self.world, self._sets
        history = world.need_history(self._needs)
        return Coverage(
            self, world.rankings, sets, world.known_items, None, *self._counted_aspects_of(history.offsets, history.liked_items)
        )

    def attainable_aspects(self) -> WantedAspects:
        history = self.world.need_history(self._needs)
        return self._aspects_of(history.offsets, history.liked_items)

    def satisfiable(self, wanted: WantedAspects) -> WantedAspects:
        covered = self.attainable_aspects()
        served = kernels.lookup(wanted.offsets, wanted.codes, covered.offsets, covered.codes) >= 0
        return replace(wanted, weights=np.where(served, 1.0 if wanted.weights is None else wanted.weights, 0.0))


class ByRelevance(Judging):
    """An aspect of an item counts if the item is relevant to the user."""

    name = "relevance"
    inputs = ("aspects", "relevance")
    default_pool = "judged"
    only_judged_gain = True

    @property
    def _relevance(self) -> Relevance:
        return self.world.need_relevance(self._needs)

    @property
    def _judgments(self) -> Codes:
        """For each place, the judgment of its item, or -1."""
        return self.world.judgments

    def _if_relevant(self, values: Codes, judgments: Codes | None = None) -> Codes:
        """Values of judgments, -1 where the item is not relevant."""
        if self._relevance.all_relevant:
            return values if judgments is None else np.where(judgments >= 0, values, np.int32(-1))
        relevant = self._relevance.relevant
        return np.where(relevant if judgments is None else np.append(relevant, False)[judgments], values, np.int32(-1))

    def cover(self) -> Coverage:
        relevance = self._relevance
        rows = self._if_relevant(self.world.known_items, self._judgments)
        attainable, *_ = self._counted_aspects_of(relevance.offsets, self._if_relevant(relevance.items))
        return Coverage(self, self.world.rankings, self._sets, rows, None, attainable)

    def cover_graded(self, grading: Grading) -> Coverage:
        sets, relevance = self._sets, self._relevance
        # A set of its own for each judgment, empty unless the item is relevant with a positive grade.
        offsets, entries = take_segments(sets.offsets, relevance.items)
        grades = np.repeat(np.where(relevance.relevant, relevance.gains, 0.0), np.diff(offsets))
        kept = grades > 0
        offsets, entries = np.concatenate(([0], np.cumsum(kept)))[offsets], entries[kept]
        given = None if sets.strengths is None else sets.strengths[entries]

        def intents() -> Offsets:
            users = np.repeat(np.arange(self.world.n_users, dtype=np.int64), np.diff(offsets[relevance.offsets]))
            numbers: Offsets = np.unique(users * sets.n_aspects + sets.codes[entries], return_inverse=True)[1]
            return numbers

        strengths = graded_strengths(given, grades[kept], grading, intents)
        own_sets = AspectSets(offsets, sets.codes[entries], sets.n_aspects, strengths)
        rows = self._if_relevant(self._judgments, self._judgments)
        return replace(self.cover(), sets=own_sets, rows=rows, row_items=relevance.items)

    def attainable_aspects(self) -> WantedAspects:
        return self._aspects_of(self._relevance.offsets, self._if_relevant(self._relevance.items))

    def judged_pool(self, coverage: Coverage) -> OwnPools:
        relevance = self._relevance
        rows = relevance.items if coverage.row_items is None else np.arange(coverage.sets.n_rows, dtype=np.int32)
        return OwnPools(relevance.offsets, self._if_relevant(rows))

    def judged_places(self, coverage: Coverage) -> Flags:
        return self._judgments >= 0


class ByMembership(Judging):
    """Every aspect of an item counts for every user (communities, genres)."""

    name = "membership"
    inputs = ("aspects",)

    def cover(self) -> Coverage:
        attainable = np.full(self.world.n_users, float(self._sets.n_aspects))
        return Coverage(self, self.world.rankings, self._sets, self.world.known_items, None, attainable)

    def attainable_aspects(self) -> WantedAspects:
        return WantedAspects.counted(np.arange(self.world.n_users + 1, dtype=np.int64) * self._sets.n_aspects)


JUDGINGS: Mapping[JudgedBy, type[Judging]] = {judging.name: judging for judging in (BySubtopics, ByHistory, ByRelevance, ByMembership)}
