"""Judged by membership: all aspects of every item, for everybody (communities, genres)."""

from typing import ClassVar

import numpy as np

from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import JudgedBy, Judging
from aspectrum.judging.pools import PoolName


class ByMembership(Judging):
    """Every aspect of an item counts for every user."""

    name: ClassVar[JudgedBy] = "membership"
    inputs: ClassVar[tuple[str, ...]] = ("aspects",)
    default_pool: ClassVar[PoolName] = "catalogue"
    only_judged_gain: ClassVar[bool] = False

    def cover(self) -> Coverage:
        sets = self.world.need_aspects(self._needs).sets
        attainable = np.full(self.world.n_users, float(sets.n_aspects))
        return Coverage(self, self.world.rankings, sets, self.world.known_items, None, attainable)

    def attainable_aspects(self) -> WantedAspects:
        n_users, n_aspects = self.world.n_users, self.world.need_aspects(self._needs).n_aspects
        everything = np.tile(np.arange(n_aspects, dtype=np.int32), n_users)
        return WantedAspects(np.arange(n_users + 1, dtype=np.int64) * n_aspects, everything)
