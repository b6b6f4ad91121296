"""Judged by history: the aspects of an item that the user's earlier items have."""

from dataclasses import replace

import numpy as np

from aspectrum import kernels
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Judging


class ByHistory(Judging):
    """An aspect of an item counts if an earlier item of the user has it."""

    name = "history"
    inputs = ("aspects", "history")

    def cover(self) -> Coverage:
        world, history = self.world, self.world.need_history(self._needs)
        return Coverage(
            self, world.rankings, self._sets, world.known_items, None, *self._counted_aspects_of(history.offsets, history.items)
        )

    def attainable_aspects(self) -> WantedAspects:
        history = self.world.need_history(self._needs)
        return self._aspects_of(history.offsets, history.items)

    def satisfiable(self, wanted: WantedAspects) -> WantedAspects:
        covered = self.attainable_aspects()
        served = kernels.lookup(wanted.offsets, wanted.codes, covered.offsets, covered.codes) >= 0
        return replace(wanted, weights=np.where(served, 1.0 if wanted.weights is None else wanted.weights, 0.0))
