"""Intent-aware mean average precision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.metric import AspectMetric, Terms
from aspectrum.world import JudgedBy, Unjudged, World
from aspectrum.world.coverage import DEFAULT_POOLS, OwnPools, SharedPool


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

    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"MAP_IA": {}, "MAP-IA": {}, "AP_IA": {}}

    def terms(self, world: World) -> Terms:
        assert self.judged_by is not None
        shown = world.coverage(self.judged_by, unjudged=self.unjudged)
        pool = shown.pool(DEFAULT_POOLS[self.judged_by])
        if isinstance(pool, SharedPool) and world.catalogue is not None:  # what is not in the pool cannot be found
            shown = replace(shown, rows=np.where(world.catalogue[shown.rows], shown.rows, np.int32(-1)))
        stops = shown.stops(self.cutoffs)
        if isinstance(pool, OwnPools):
            sums = kernels.average_precisions(shown.kernel, stops, pool.offsets, pool.rows)
        else:
            sums = kernels.average_precisions(shown.kernel, stops, totals=shown.catalogue_totals)
        return Terms(sums, np.broadcast_to(shown.attainable[:, np.newaxis], sums.shape))
