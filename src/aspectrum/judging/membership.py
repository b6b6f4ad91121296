"""Judged by membership: all aspects of every item, for everybody (communities, genres)."""

import numpy as np

from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Judging


class ByMembership(Judging):
    """Every aspect of an item counts for every user."""

    name = "membership"
    inputs = ("aspects",)

    def cover(self) -> Coverage:
        attainable = np.full(self.world.n_users, float(self._sets.n_aspects))
        return Coverage(self, self.world.rankings, self._sets, self.world.known_items, None, attainable)

    def attainable_aspects(self) -> WantedAspects:
        return WantedAspects.counted(np.arange(self.world.n_users + 1, dtype=np.int64) * self._sets.n_aspects)
