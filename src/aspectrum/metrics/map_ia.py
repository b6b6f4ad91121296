"""Intent-aware mean average precision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.judging import JudgedBy, OwnPools, SharedPool, Unjudged, catalogue_totals, pool_of
from aspectrum.metric import Aliases, AspectMetric, Ends, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class MAPIA(AspectMetric):
    r"""Average precision of each attainable aspect, averaged over aspects.

    .. math:: \frac{1}{S} \sum_c \frac{1}{N_c} \sum_{j : c \in J(u, d_j)} \frac{|\{l \le j : c \in J(u, d_l)\}|}{j}

    where N_c is how many items of the pool have aspect c, and S how many aspects are attainable. The pool is what is
    judged for the user, else the catalogue; an item outside a given catalogue does not count. Weights of aspects
    make it a weighted average; strengths are not used, a judgment of any strength counts.

    Args:
        k: Ranks that count; by default the whole list.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        unjudged: As for AlphaNDCG.

    Range:
        0 to 1.

    Undefined:
        For a user with no attainable aspect.

    References:
        Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": ["x"], "b": ["y"]}})
        >>> MAPIA().scores(world)
        array([[0.75]])
    """

    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    symbol = "MAP-IA"
    cites = ("agrawal2009diversifying",)
    aliases: ClassVar[Aliases] = {"MAP_IA": {}, "MAP-IA": {}, "AP_IA": {}}

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        pool = pool_of(coverage, coverage.judging.default_pool)
        if isinstance(pool, SharedPool) and world.catalogue is not None:  # what is not in the pool cannot be found
            coverage = replace(coverage, rows=np.where(np.append(world.catalogue, False)[coverage.rows], coverage.rows, np.int32(-1)))
        stops = coverage.stops(self.cutoffs)
        own = (pool.offsets, pool.rows, None) if isinstance(pool, OwnPools) else (None, None, catalogue_totals(coverage))
        if coverage.tied is None:
            sums, ends = kernels.average_precisions(coverage.kernel, stops, *own), None
        else:
            sums = kernels.expected_average_precisions(coverage.kernel, stops, coverage.tied, *own)
            least, greatest, sure = kernels.extreme_precisions(coverage.kernel, coverage.tied, stops, *own)
            ends = Ends(least, greatest, sure.view(np.bool_))
        attainable = np.broadcast_to(coverage.attainable[:, np.newaxis], sums.shape)
        return Fractions(sums, attainable, ends=None if ends is None else ends.at_most(attainable))
