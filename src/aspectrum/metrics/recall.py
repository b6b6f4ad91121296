"""Recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum.blocks.relevant_items import BinaryMetric, found_over_orders
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class Recall(BinaryMetric):
    r"""Share of the user's relevant items that the top of the list shows.

    .. math:: \frac{|\{j \le k : d_j \in R_u\}|}{|R_u|}

    where R_u are the items whose grade for the user reaches ``rel``.

    Args:
        k: Ranks that count; one number or several.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.

    Range:
        0 to 1.

    Undefined:
        For a user with no relevant item.

    References:
        Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["a", "c", "d", "e"]})
        >>> Recall(k=(2, 3)).scores(world)
        array([[0.25, 0.5 ]])
    """

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("kent1955machine",)
    aliases: ClassVar[Aliases] = {"R": {}}
    cutoff_in_name = True

    def fractions(self, world: World) -> Fractions:
        relevance = self.relevance_in(world)
        found, ends = found_over_orders(world, relevance, self.cutoffs)
        wanted = relevance.n_relevant[:, np.newaxis]
        return Fractions(found, np.broadcast_to(wanted, found.shape).astype(np.float64), ends=ends)
