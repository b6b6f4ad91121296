"""Judged by relevance: all aspects of items that are relevant to the user."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, take_segments
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Judging, graded_strengths
from aspectrum.judging.pools import OwnPools
from aspectrum.world import Relevance
from aspectrum.world.aspects import AspectSets


class ByRelevance(Judging):
    """An aspect of an item counts if the item is relevant to the user."""

    name = "relevance"
    inputs = ("aspects", "relevance")
    default_pool = "judged"
    only_judged_gain = True

    @property
    def _relevance(self) -> Relevance:
        return self.world.need_relevance(self._needs)

    @cached_property
    def _judgments(self) -> Codes:
        """For each place, the judgment of its item, or -1."""
        rankings, relevance = self.world.rankings, self._relevance
        return kernels.lookup(rankings.offsets, rankings.items, relevance.offsets, relevance.items)

    def _if_relevant(self, values: Codes, judgments: Codes | None = None) -> Codes:
        """Values of judgments, -1 where the item is not relevant."""
        relevant = self._relevance.relevant
        return np.where(relevant if judgments is None else np.append(relevant, False)[judgments], values, np.int32(-1))

    def cover(self) -> Coverage:
        relevance = self._relevance
        rows = self._if_relevant(self.world.known_items, self._judgments)
        attainable, *_ = self._counted_aspects_of(relevance.offsets, self._if_relevant(relevance.items))
        return Coverage(self, self.world.rankings, self._sets, rows, None, attainable)

    def cover_graded(self, max_grade: float) -> Coverage:
        sets, relevance = self._sets, self._relevance
        # A set of its own for each judgment, empty unless the item is relevant with a positive grade.
        offsets, entries = take_segments(sets.offsets, relevance.items)
        grades = np.repeat(np.where(relevance.relevant, relevance.gains, 0.0), np.diff(offsets))
        kept = grades > 0
        offsets, entries = np.concatenate(([0], np.cumsum(kept)))[offsets], entries[kept]
        strengths = graded_strengths(None if sets.strengths is None else sets.strengths[entries], grades[kept], max_grade)
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
