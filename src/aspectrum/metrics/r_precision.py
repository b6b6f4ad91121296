"""R-precision."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.blocks.relevant_items import BinaryMetric, relevant_places
from aspectrum.discounts import NONE
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World
from aspectrum.world.rankings import stops_of


@dataclass(frozen=True)
class RPrecision(BinaryMetric):
    r"""Precision at R, the number of items that are relevant to the user.

    .. math:: \frac{|\{j \le \min(k, |R_u|) : d_j \in R_u\}|}{|R_u|}

    where R_u are the items whose grade for the user reaches ``rel``.

    Args:
        k: Ranks that count; by default as many as there are relevant items. A smaller cutoff ends the list earlier, but the divisor is
            still R.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.
        top: Where the list ends: at the number of ``relevant`` items (trec_eval, ir_measures, ranx), or at ``k``: hits in the top k over
            min(k, R), as in RecTools with ``r_precision=True``.

    Range:
        0 to 1.

    Undefined:
        For a user with no relevant item.

    References:
        Buckley and Voorhees, SIGIR 2000.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["a", "c"]})
        >>> RPrecision().scores(world), RPrecision(k=3, top="k").scores(world)
        (array([[0.5]]), array([[1.]]))
    """

    top: Literal["relevant", "k"] = "relevant"

    symbol = "R-precision"
    cites = ("buckley2000evaluating",)
    aliases: ClassVar[Aliases] = {name: {} for name in ("Rprec", "R_prec", "R-precision")}

    def fractions(self, world: World) -> Fractions:
        relevance, rankings = self.relevance_in(world), world.rankings
        stops, wanted = rankings.stops(self.cutoffs), relevance.n_relevant[:, np.newaxis]
        if self.top == "relevant":
            stops = np.ascontiguousarray(np.minimum(stops, wanted), dtype=np.int32)
        hits = relevant_places(rankings, relevance).astype(np.float64)
        found = kernels.discounted_sums(rankings.offsets, hits, stops, NONE.first(int(stops.max(initial=0))))
        most = wanted if self.top == "relevant" else stops_of(relevance.n_relevant, self.cutoffs)
        return Fractions(found, np.broadcast_to(most, found.shape).astype(np.float64))
