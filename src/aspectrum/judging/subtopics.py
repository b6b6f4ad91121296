"""Judged by subtopics: the aspects that were judged for this user and item (TREC diversity judgments)."""

from dataclasses import replace

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Judging, graded_strengths
from aspectrum.judging.pools import OwnPools
from aspectrum.world import Subtopics


class BySubtopics(Judging):
    """An aspect counts if it was judged for this user and item. Users number their own aspects."""

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

    def cover_graded(self, max_grade: float) -> Coverage:
        coverage, grades = self.cover(), self._subtopics.grades
        sets = coverage.sets
        strengths = graded_strengths(sets.strengths, np.ones(len(sets.codes)) if grades is None else grades, max_grade)
        return replace(coverage, sets=replace(sets, strengths=strengths))

    def attainable_aspects(self) -> WantedAspects:
        return WantedAspects.counted(self._subtopics.aspect_offsets)

    def world_codes(self, wanted: WantedAspects) -> Codes:
        return self._subtopics.aspects

    def judged_pool(self, coverage: Coverage) -> OwnPools:
        return OwnPools(self._subtopics.offsets, np.arange(coverage.sets.n_rows, dtype=np.int32))

    def judged_places(self, coverage: Coverage) -> Flags:
        return coverage.rows >= 0
