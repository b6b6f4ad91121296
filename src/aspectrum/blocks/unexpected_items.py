"""Items that a user would not expect: that a baseline does not recommend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.world import World


def sums_outside_baseline(world: World, values: Floats, cutoffs: Sequence[int], needed_by: str) -> Floats:
    """Sums of the values of places whose item is not in the top k of the user's baseline, (users, cutoffs)."""
    ranks = _baseline_ranks(world, needed_by)
    columns = [place_sums(world.rankings, np.where(_within(ranks, k), 0.0, values), (k,)) for k in cutoffs]
    return np.concatenate(columns, axis=1)


def has_baseline(world: World, needed_by: str) -> Flags:
    """Users for whom the baseline has a list of some items, one column."""
    return world.need_baseline(needed_by).lengths[:, np.newaxis] > 0


def _within(ranks: Counts, k: int) -> Flags:
    within: Flags = (ranks > 0) & ((ranks <= k) | (k < 0))
    return within


def _baseline_ranks(world: World, needed_by: str) -> Counts:
    """The rank of each place's item in the baseline of the same user; 0 where the baseline does not have it."""
    rankings, baseline = world.rankings, world.need_baseline(needed_by)
    order = kernels.sort_segments(baseline.offsets, np.arange(len(baseline.items)), baseline.items)
    at = kernels.lookup(rankings.offsets, rankings.items, baseline.offsets, baseline.items[order])
    return np.append(baseline.ranks[order], 0)[at]
