"""Mean average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.metric import Aliases, Fractions
from aspectrum.relevant_items import RelevanceMetric, place_sums, relevant_places
from aspectrum.world import World


@dataclass(frozen=True)
class MAP(RelevanceMetric):
    r"""Precision at the rank of each relevant item, averaged over the user's relevant items.

    .. math:: \frac{1}{|R_u|} \sum_{j \le k : d_j \in R_u} \frac{|\{l \le j : d_l \in R_u\}|}{j}

    where R_u are the items whose grade for the user reaches the threshold. A relevant item that the top of the list does not
    show counts as precision 0, also where more items are relevant than k.

    Args:
        k: Ranks that count; by default the whole list.

    Undefined:
        For a user with no relevant item.

    References:
        Buckley and Voorhees, SIGIR 2000.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c", "d"]}, relevance={"u": ["a", "d"]})
        >>> MAP().scores(world)
        array([[0.75]])
    """

    cites = ("buckley2000evaluating",)
    aliases: ClassVar[Aliases] = {"AP": {}, "Mean average precision": {}}

    def fractions(self, world: World) -> Fractions:
        relevance = world.need_relevance("MAP")
        rankings = world.rankings
        hits = relevant_places(rankings, relevance)
        # Whole numbers: what came in earlier lists is taken away without a trace.
        before = np.concatenate(([0], np.cumsum(hits)))
        found = before[1:] - np.repeat(before[rankings.offsets[:-1]], rankings.lengths)
        sums = place_sums(rankings, np.where(hits, found / rankings.ranks, 0.0), self.cutoffs)
        wanted = relevance.n_relevant[:, np.newaxis]
        return Fractions(sums, np.broadcast_to(wanted, sums.shape).astype(np.float64))
