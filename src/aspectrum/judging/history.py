"""Judged by history: the aspects of an item that the user's earlier items have."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import JudgedBy, Judging
from aspectrum.judging.pools import PoolName


class ByHistory(Judging):
    """An aspect of an item counts if an earlier item of the user has it."""

    name: ClassVar[JudgedBy] = "history"
    inputs: ClassVar[tuple[str, ...]] = ("aspects", "history")
    default_pool: ClassVar[PoolName] = "catalogue"
    only_judged_gain: ClassVar[bool] = False

    def cover(self) -> Coverage:
        world = self.world
        sets, history = world.need_aspects(self._needs).sets, world.need_history(self._needs)
        if sets.masks is not None:
            interests = kernels.union_masks(history.offsets, history.items, sets.masks)
            attainable = np.bitwise_count(interests).astype(np.float64)
            return Coverage(self, world.rankings, sets, world.known_items, None, attainable, interests)
        wanted = self.attainable_aspects()
        attainable = np.diff(wanted.offsets).astype(np.float64)
        return Coverage(self, world.rankings, sets, world.known_items, None, attainable, None, wanted)

    def attainable_aspects(self) -> WantedAspects:
        sets, history = self.world.need_aspects(self._needs).sets, self.world.need_history(self._needs)
        offsets, codes, _ = kernels.aspect_counts(history.offsets, history.items, sets.offsets, sets.codes, sets.n_aspects)
        return WantedAspects(offsets, codes)

    def satisfiable(self, wanted: WantedAspects) -> WantedAspects:
        covered = self.attainable_aspects()
        served = kernels.lookup(wanted.offsets, wanted.codes, covered.offsets, covered.codes) >= 0
        return replace(wanted, weights=np.where(served, 1.0 if wanted.weights is None else wanted.weights, 0.0))
