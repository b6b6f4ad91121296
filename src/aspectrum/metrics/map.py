"""Mean average precision."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum.metric import Family, Fractions, UserMetric
from aspectrum.relevant_items import n_relevant, place_sums, relevant_places
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class MAP(UserMetric):
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

    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"AP": {}, "Mean average precision": {}}

    family: ClassVar[Family] = "relevance"
    inputs: ClassVar[tuple[str, ...]] = ("relevance",)
    truth: ClassVar[str | None] = "relevance"

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"threshold": truth.need("relevance", "MAP").threshold}

    def fractions(self, world: World) -> Fractions:
        relevance = world.need_relevance("MAP")
        rankings = world.rankings
        hits = relevant_places(rankings, relevance)
        # Whole numbers: what came in earlier lists is taken away without a trace.
        before = np.concatenate(([0], np.cumsum(hits)))
        found = before[1:] - np.repeat(before[rankings.offsets[:-1]], rankings.lengths)
        ranks = np.arange(1, len(hits) + 1) - np.repeat(rankings.offsets[:-1], rankings.lengths)
        sums = place_sums(rankings, np.where(hits, found / ranks, 0.0), self.cutoffs)
        wanted = n_relevant(relevance)[:, np.newaxis]
        return Fractions(sums, np.broadcast_to(wanted, sums.shape).astype(np.float64))
