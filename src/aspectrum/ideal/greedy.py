"""The greedy ideal: at each rank the item with the largest gain, exact ties to the largest item id.

What ndeval does. Finding the true maximum is NP-hard for every 0 < alpha <= 1, and the greedy list can be beaten.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Masks, Offsets, no_segments, take_segments
from aspectrum.discounts import Discount
from aspectrum.gain import GainRule
from aspectrum.world.coverage import Coverage, OwnPools, SharedPool, Wanted


def ideal_sums(shown: Coverage, pool: OwnPools | SharedPool, rule: GainRule, discount: Discount, cutoffs: Sequence[int]) -> Floats:
    """Discounted gains of each user's greedy list at each cutoff, (users, cutoffs); -1 is as deep as the pool goes."""
    depths = np.array(cutoffs, dtype=np.int64)
    deepest = pool.size if -1 in cutoffs else min(pool.size, max(cutoffs))
    discounts = discount.first(deepest)
    if isinstance(pool, OwnPools):
        return kernels.greedy_pools(shown.kernel, pool.offsets, pool.rows, shown.heads, depths, discounts, rule.alpha, rule.gamma)
    solve = _Shared(shown, pool, rule, depths, discounts)
    if pool.excluded_offsets is not None:
        return solve(shown.interests, shown.wanted, shown.world.n_users)
    # Users who want the same share one ideal list, over all batches of a world.
    keys, first, same = _distinct(shown)
    known: dict[Hashable, Floats] = shown.world.remember(("greedy", shown.judged_by, rule, discount, tuple(cutoffs)), dict)
    fresh = np.array([place for place, key in enumerate(keys) if key not in known], dtype=np.int64)
    if len(fresh):
        users = first[fresh]
        interests = None if shown.interests is None else np.ascontiguousarray(shown.interests[users])
        wanted = None if shown.wanted is None else _taken(shown.wanted, users)
        for place, sums in zip(fresh.tolist(), solve(interests, wanted, len(users)), strict=True):
            known[keys[place]] = sums
    return np.array([known[key] for key in keys]).reshape(len(keys), len(cutoffs))[same]


@dataclass(frozen=True)
class _Shared:
    """Greedy lists over the catalogue, one for each set of interests."""

    shown: Coverage
    pool: SharedPool
    rule: GainRule
    depths: Offsets
    discounts: Floats

    def __call__(self, interests: Masks | None, wanted: Wanted | None, n: int) -> Floats:
        no_rows: Codes = np.empty(0, dtype=np.int32)
        return kernels.greedy_catalogue(
            self.shown.problems(no_segments(n), no_rows, interests, wanted),
            self.pool.sets,
            self.pool.member_offsets,
            self.pool.member_heads,
            self.shown.world.n_items,
            self.pool.excluded_offsets,
            self.pool.excluded_heads,
            depths=self.depths,
            discounts=self.discounts,
            alpha=self.rule.alpha,
            gamma=self.rule.gamma,
        )


def _distinct(shown: Coverage) -> tuple[list[Hashable], Offsets, Offsets]:
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


def _taken(wanted: Wanted, users: Offsets) -> Wanted:
    offsets, index = take_segments(wanted.offsets, users)
    return Wanted(offsets, wanted.codes[index], None if wanted.weights is None else wanted.weights[index])
