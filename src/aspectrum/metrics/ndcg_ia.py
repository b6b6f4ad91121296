"""Intent-aware nDCG."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.intents import GradedIntentMetric, Unattainable, intent_totals
from aspectrum.discounts import LOG2
from aspectrum.judging import Coverage, OwnPools, SharedPool, pool_of
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World
from aspectrum.world.rankings import stops_of


@dataclass(frozen=True)
class NDCGIA(GradedIntentMetric):
    r"""nDCG of each aspect, with an ideal order of its own, averaged over aspects.

    .. math:: \sum_c P(c|u) \, \frac{\sum_{j \le k} g_c(d_j) / \log_2(1+j)}{\sum_{j \le k} g^*_{c, j} / \log_2(1+j)}

    where g_c(d) is the grade of item d for aspect c, times the strength of the judgment if it has one, and g*_c are the grades of all
    judged items for c, largest first. No list is ideal for every aspect, so that even the best may score below 1.

    Args:
        k: Ranks that count; one number or several. Without a cutoff the ideals hold all judged items.
        gain: ``linear`` is the grade, ``exponential`` is 2^grade - 1.
        judged_by: As for DNDCG.
        unjudged: As for AlphaNDCG.
        unattainable: As for MRRIA.

    Range:
        0 to 1.

    Undefined:
        For a user with no attainable aspect.

    References:
        Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009.

    Examples:
        >>> grades = {"a": {1: 1}, "b": {2: 1}, "c": {1: 2, 3: 1}, "e": {3: 3}}
        >>> world = World.of({"q": ["a", "b", "c"]}, subtopics={"q": grades}, weights={1: 0.5, 2: 0.3, 3: 0.2})
        >>> NDCGIA(k=3).scores(world).round(6)
        array([[0.596914]])
    """

    unattainable: Unattainable = "lost"

    symbol = "nDCG-IA"
    cites = ("agrawal2009diversifying",)
    aliases: ClassVar[Aliases] = {"NDCG-IA": {}}

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        pool = pool_of(coverage, coverage.judging.default_pool)
        if isinstance(pool, SharedPool) and world.catalogue is not None:  # what is not in the pool cannot be found
            coverage = replace(coverage, rows=np.where(np.append(world.catalogue, False)[coverage.rows], coverage.rows, np.int32(-1)))
        stops, depths = coverage.stops(self.cutoffs), np.array(self.cutoffs, dtype=np.int64)
        if isinstance(pool, OwnPools):
            discounts = LOG2.first(max(int(stops.max(initial=0)), pool.size))
            sums = kernels.aspect_ndcgs(coverage.kernel, stops, discounts, depths, pool.offsets, pool.rows)
        else:
            discounts = LOG2.first(int(stops.max(initial=0)))
            sums = kernels.aspect_ndcgs(coverage.kernel, stops, discounts, depths, ideals=_ideals_of_catalogue(coverage, self.cutoffs))
        totals = intent_totals(coverage, self.unattainable)
        return Fractions(sums, np.broadcast_to(totals[:, np.newaxis], sums.shape))


def _ideals_of_catalogue(coverage: Coverage, cutoffs: Sequence[int]) -> Floats:
    """The most that a list can gain of each aspect, (aspects, cutoffs), out of a catalogue that all users share."""
    catalogue, sets = coverage.world.catalogue, coverage.sets

    def compute() -> Floats:
        inside = np.ones(len(sets.codes), np.bool_) if catalogue is None else np.repeat(catalogue, np.diff(sets.offsets))
        gains = np.ones(len(sets.codes)) if sets.strengths is None else sets.strengths
        offsets, order = kernels.group_rows(sets.codes[inside], sets.n_aspects)
        sizes = np.diff(offsets)
        depths = stops_of(sizes, cutoffs)
        windows = np.broadcast_to(sizes[:, np.newaxis], depths.shape).astype(np.int32)
        return kernels.sorted_sums(offsets, gains[inside][order], windows, depths, LOG2.first(int(depths.max(initial=0))))

    return coverage.world.remember(("ideals of aspects", tuple(cutoffs)), compute)
