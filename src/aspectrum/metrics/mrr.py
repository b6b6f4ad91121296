"""Mean reciprocal rank."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.blocks.relevant_items import BinaryMetric, hits_so_far, place_sums, relevant_places
from aspectrum.metric import Aliases, Ends, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class MRR(BinaryMetric):
    r"""One over the rank of the first relevant item; 0 if the top of the list shows none.

    .. math:: \frac{1}{\min \{j \le k : d_j \in R_u\}}

    where R_u are the items whose grade for the user reaches ``rel``.

    Args:
        k: Ranks that count; by default the whole list.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.

    Range:
        0 to 1.

    Undefined:
        For a user with no relevant item.

    References:
        Voorhees, TREC-8, 1999.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["b", "c"]})
        >>> MRR(k=(1, 2, 3)).scores(world)
        array([[0. , 0.5, 0.5]])
    """

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("voorhees1999trec",)
    aliases: ClassVar[Aliases] = {name: {} for name in ("RR", "ReciprocalRank", "recip_rank", "Mean reciprocal rank")}

    def fractions(self, world: World) -> Fractions:
        relevance, rankings = self.relevance_in(world), world.rankings
        hits = relevant_places(rankings, relevance)
        ends = None
        if world.tied is None:
            first = hits & (hits_so_far(rankings, hits) == 1)
            reciprocals = place_sums(rankings, np.where(first, 1.0 / rankings.ranks, 0.0), self.cutoffs)
        else:
            ordered = kernels.first_hits(rankings.offsets, hits, world.tied)
            reciprocals, least, greatest = (place_sums(rankings, one / rankings.ranks, self.cutoffs) for one in ordered)
            ends = Ends(least, greatest, np.ones(reciprocals.shape, np.bool_))
        judged = relevance.n_relevant[:, np.newaxis] > 0
        return Fractions(reciprocals, np.broadcast_to(judged, reciprocals.shape).astype(np.float64), ends=ends)
