"""What an ideal list is looked for: whose, out of what, by which rule; and lists of users who want the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Masks, Offsets, no_segments
from aspectrum.discounts import Discount
from aspectrum.gain import GainRule
from aspectrum.world import World
from aspectrum.world.coverage import Coverage, OwnPools, PoolName, SharedPool, Wanted


@dataclass(frozen=True, eq=False)
class Sought:
    """The ideal lists of the users of a coverage."""

    shown: Coverage
    pool_name: PoolName
    rule: GainRule
    discount: Discount

    @property
    def pool(self) -> OwnPools | SharedPool:
        return self.shown.pool(self.pool_name)

    @property
    def holds_lists(self) -> bool:
        """Whether all that gains in a list is in the pool, so that no list can be better than the ideal."""
        if self.pool_name == "list":
            return True
        if self.pool_name == "judged":
            return self.shown.judged_by in ("subtopics", "relevance")  # what is not judged does not gain
        return self.pool_name == "catalogue" and self.shown.world.catalogue is None

    @property
    def way(self) -> Hashable:
        """What tells these lists from others of the same users."""
        return self.shown.judged_by, self.pool_name, self.rule, self.discount


@runtime_checkable
class HasIdeal(Protocol):
    """A metric that divides by what an ideal list gains."""

    def sought(self, world: World) -> Sought | None:
        """The ideal lists; None if the metric, as it is set, does without."""


def without_lists(shown: Coverage, interests: Masks | None, wanted: Wanted | None, n: int) -> kernels.Cover:
    """The sets as `n` users see them who have no list."""
    no_rows: Codes = np.empty(0, dtype=np.int32)
    return shown.problems(no_segments(n), no_rows, interests, wanted)


def distinct_wants(shown: Coverage) -> tuple[list[Hashable], Offsets, Offsets]:
    """What users want, once each; a user who wants it; and which of them each user wants."""
    if shown.wanted is None:
        wants = np.zeros(shown.world.n_users, np.uint64) if shown.interests is None else shown.interests
        distinct, first, same = np.unique(wants, return_index=True, return_inverse=True)
        return distinct.tolist(), first, same
    ends = shown.wanted.offsets.tolist()
    places: dict[Hashable, int] = {}
    first_users: list[int] = []
    same_as: list[int] = []
    for user, (start, stop) in enumerate(pairwise(ends)):
        codes = shown.wanted.codes[start:stop].tobytes()
        key = codes if shown.wanted.weights is None else (codes, shown.wanted.weights[start:stop].tobytes())
        place = places.setdefault(key, len(places))
        if place == len(first_users):
            first_users.append(user)
        same_as.append(place)
    return list(places), np.array(first_users, dtype=np.int64), np.array(same_as, dtype=np.int64)
