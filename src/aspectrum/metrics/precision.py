"""Precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.blocks.relevant_items import BinaryMetric, found_over_orders
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class Precision(BinaryMetric):
    r"""Share of the top of the list that is relevant.

    .. math:: \frac{|\{j \le k : d_j \in R_u\}|}{k}

    where R_u are the items whose grade for the user reaches ``rel``. A list shorter than k is still divided by k.

    Args:
        k: Ranks that count; one number or several. Without a cutoff, the length of the list.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.

    Range:
        0 to 1.

    Undefined:
        For a user with no relevant item.

    References:
        Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["a", "c", "d"]})
        >>> Precision(k=(2, 5)).scores(world)
        array([[0.5, 0.4]])
    """

    over_orders = True
    cites = ("kent1955machine",)
    aliases: ClassVar[Aliases] = {"P": {}}
    cutoff_in_name = True

    def fractions(self, world: World) -> Fractions:
        relevance = self.relevance_in(world)
        found, ends = found_over_orders(world, relevance, self.cutoffs)
        judged = relevance.n_relevant[:, np.newaxis] > 0
        return Fractions(found, np.where(judged, world.rankings.depths(self.cutoffs), 0).astype(np.float64), ends=ends)
