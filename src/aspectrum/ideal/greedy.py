"""The greedy ideal: at each rank the item with the largest gain, exact ties to the largest item id.

What ndeval does. Finding the true maximum is NP-hard for every 0 < alpha <= 1, and the greedy list can be beaten.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats, Masks, Offsets, take_segments
from aspectrum.gain import GainRule
from aspectrum.ideal.sought import Sought, distinct_wants, without_lists
from aspectrum.world.coverage import Coverage, OwnPools, SharedPool, Wanted


def greedy_sums(sought: Sought, cutoffs: Sequence[int]) -> Floats:
    """Discounted gains of each user's greedy list at each cutoff, (users, cutoffs); -1 is as deep as the pool goes."""
    shown, pool, rule = sought.shown, sought.pool, sought.rule
    depths = np.array(cutoffs, dtype=np.int64)
    deepest = pool.size if -1 in cutoffs else min(pool.size, max(cutoffs))
    discounts = sought.discount.first(deepest)
    if isinstance(pool, OwnPools):
        return kernels.greedy_pools(shown.kernel, pool.offsets, pool.rows, shown.heads, depths, discounts, rule.alpha, rule.gamma)
    solve = _Shared(shown, pool, rule, depths, discounts)
    if pool.excluded_offsets is not None:
        return solve(shown.interests, shown.wanted, shown.world.n_users)
    # Users who want the same share one ideal list, over all batches of a world.
    keys, first, same = distinct_wants(shown)
    known: dict[Hashable, Floats] = shown.world.remember(("greedy", sought.way, tuple(cutoffs)), dict)
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
        return kernels.greedy_catalogue(
            without_lists(self.shown, interests, wanted, n),
            self.pool.sets,
            self.pool.member_offsets,
            self.pool.member_heads,
            self.shown.world.truth.n_items,
            self.pool.excluded_offsets,
            self.pool.excluded_heads,
            depths=self.depths,
            discounts=self.discounts,
            alpha=self.rule.alpha,
            gamma=self.rule.gamma,
        )


def _taken(wanted: Wanted, users: Offsets) -> Wanted:
    offsets, index = take_segments(wanted.offsets, users)
    return Wanted(offsets, wanted.codes[index], None if wanted.weights is None else wanted.weights[index])
