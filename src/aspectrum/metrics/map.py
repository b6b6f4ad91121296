"""Mean average precision."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.relevant_items import BinaryMetric, hits_so_far, place_sums, relevant_places
from aspectrum.metric import Aliases, Ends, Fractions
from aspectrum.world import Relevance, World
from aspectrum.world.rankings import stops_of


@dataclass(frozen=True)
class MAP(BinaryMetric):
    r"""Precision at the rank of each relevant item, averaged over the user's relevant items.

    .. math:: \frac{1}{|R_u|} \sum_{j \le k : d_j \in R_u} \frac{|\{l \le j : d_l \in R_u\}|}{j}

    where R_u are the items whose grade for the user reaches ``rel``. A relevant item that the top of the list does not
    show counts as precision 0, also where more items are relevant than k; but see ``denominator``.

    Args:
        k: Ranks that count; by default the whole list.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.
        denominator: What precisions are averaged over: all ``relevant`` items of the user; as many of them as the top k can show, min(k, R)
            (``attainable``; RePlay); or ``k`` ranks (RecTools with ``divide_by_k=True``).

    Range:
        0 to 1.

    Undefined:
        For a user with no relevant item.

    References:
        Buckley and Voorhees, SIGIR 2000.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c", "d"]}, relevance={"u": ["a", "d"]})
        >>> MAP().scores(world)
        array([[0.75]])
        >>> MAP(k=1).scores(world), MAP(k=1, denominator="attainable").scores(world)
        (array([[0.5]]), array([[1.]]))
    """

    denominator: Literal["relevant", "attainable", "k"] = "relevant"

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"denominator": ("relevant",)}
    cites = ("buckley2000evaluating",)
    aliases: ClassVar[Aliases] = {"AP": {}, "Average precision": {}, "Mean average precision": {}}
    cutoff_in_name = True

    def fractions(self, world: World) -> Fractions:
        relevance = self.relevance_in(world)
        rankings = world.rankings
        hits = relevant_places(rankings, relevance)
        if world.tied is None:
            sums = place_sums(rankings, np.where(hits, hits_so_far(rankings, hits) / rankings.ranks, 0.0), self.cutoffs)
            return Fractions(sums, self._denominators(world, relevance))
        ordered = kernels.ordered_precisions(rankings.offsets, hits, world.tied)
        sums, least, greatest = (place_sums(rankings, one, self.cutoffs) for one in ordered)
        return Fractions(sums, self._denominators(world, relevance), ends=Ends(least, greatest, np.ones(sums.shape, np.bool_)))

    def _denominators(self, world: World, relevance: Relevance) -> Floats:
        wanted = np.broadcast_to(relevance.n_relevant[:, np.newaxis], (world.n_users, len(self.cutoffs)))
        if self.denominator == "attainable":
            return stops_of(relevance.n_relevant, self.cutoffs).astype(np.float64)
        if self.denominator == "k":
            return np.where(wanted > 0, world.rankings.depths(self.cutoffs), 0).astype(np.float64)
        return wanted.astype(np.float64)
