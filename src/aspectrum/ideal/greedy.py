"""The greedy ideal: at each rank the item with the largest gain, exact ties to the largest item id.

This is what ndeval does. Finding the true maximum is NP-hard for every 0 < alpha <= 1, and the greedy list can be beaten.
"""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Masks
from aspectrum.ideal.request import IdealRequest, distinct_interests
from aspectrum.judging import OwnPools, WantedAspects
from aspectrum.world import World


def greedy_sums(request: IdealRequest, cutoffs: Sequence[int]) -> Floats:
    """Discounted gains of each user's greedy list at each cutoff, (users, cutoffs); -1 is as deep as the pool goes."""
    coverage, pool, rule = request.coverage, request.pool, request.rule
    depths = np.array(cutoffs, dtype=np.int64)
    discounts = request.discount.first(pool.size if -1 in cutoffs else min(pool.size, max(cutoffs)))
    if isinstance(pool, OwnPools):
        return kernels.greedy_pools(coverage.kernel, pool.offsets, pool.rows, coverage.heads, depths, discounts, rule.alpha, rule.gamma)

    parts = pool.parts

    def sums(n_users: int, interests: Masks | None, wanted: WantedAspects | None) -> Floats:
        users = coverage.without_lists(n_users, interests, wanted)
        return kernels.greedy_catalogue(users, *parts, depths=depths, discounts=discounts, alpha=rule.alpha, gamma=rule.gamma)

    if pool.excluded_offsets is not None:
        return sums(coverage.world.n_users, coverage.interests, coverage.wanted)
    # Users with the same interests share one ideal list, across all batches of a world.
    keys, first, same = distinct_interests(coverage)
    users = dict(zip(keys, first.tolist(), strict=True))

    def compute(missing: list[Hashable]) -> Iterable[list[float]]:
        chosen = np.array([users[key] for key in missing], dtype=np.int64)
        interests = None if coverage.interests is None else np.ascontiguousarray(coverage.interests[chosen])
        wanted = None if coverage.wanted is None else coverage.wanted.take(chosen)
        return sums(len(chosen), interests, wanted).tolist()  # type: ignore[no-any-return]

    found = request.memory.find(f"greedy {request.kind} {tuple(cutoffs)}", keys, compute, size=1 + len(cutoffs) // 8)
    return np.array([found[key] for key in keys]).reshape(len(keys), len(cutoffs))[same]


def greedy_lists(request: IdealRequest, depth: int) -> tuple[Codes, Codes]:
    """The rows and items of each user's greedy list, (users, ranks), -1 behind its end; a depth of -1 is as deep as the pool goes."""
    coverage, pool, rule = request.coverage, request.pool, request.rule
    if isinstance(pool, OwnPools):
        rows, heads, _ = kernels.greedy_pool_lists(coverage.kernel, pool.offsets, pool.rows, coverage.heads, depth, rule.alpha, rule.gamma)
    else:
        users = coverage.without_lists(coverage.world.n_users, coverage.interests, coverage.wanted)
        rows, heads, _ = kernels.greedy_catalogue_lists(users, *pool.parts, depth=depth, alpha=rule.alpha, gamma=rule.gamma)
    return rows, items_at(coverage.world, heads)


def items_at(world: World, heads: Codes) -> Codes:
    """The items at these places in the order of ids; -1 stays -1."""
    return np.append(np.argsort(world.truth.items.heads), -1).astype(np.int32)[heads]
