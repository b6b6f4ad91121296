"""Hit rate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.blocks.relevant_items import BinaryMetric, place_sums, relevant_found, relevant_places
from aspectrum.metric import Aliases, Ends, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class HitRate(BinaryMetric):
    r"""Share of users who are shown at least one relevant item.

    .. math:: \min(1, |\{j \le k : d_j \in R_u\}|)

    where R_u are the items whose grade for the user reaches ``rel``.

    Args:
        k: Ranks that count; one number or several.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.

    Range:
        0 or 1 for a user, 0 to 1 on average.

    Undefined:
        For a user with no relevant item.

    References:
        Deshpande and Karypis, ACM TOIS 22(1), 2004.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["b", "c"]})
        >>> HitRate(k=(1, 2)).scores(world)
        array([[0., 1.]])
    """

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("deshpande2004item",)
    aliases: ClassVar[Aliases] = {name: {} for name in ("HR", "HitRatio", "Hit", "Success")}
    cutoff_in_name = True

    def fractions(self, world: World) -> Fractions:
        relevance = self.relevance_in(world)
        if world.tied is None:
            found, ends = np.minimum(relevant_found(world.rankings, relevance, self.cutoffs), 1.0), None
        else:
            ordered = kernels.first_hits(world.rankings.offsets, relevant_places(world.rankings, relevance), world.tied)
            found, least, greatest = (place_sums(world.rankings, one, self.cutoffs) for one in ordered)
            ends = Ends(least, greatest, np.ones(found.shape, np.bool_))
        judged = relevance.n_relevant[:, np.newaxis] > 0
        return Fractions(found, np.broadcast_to(judged, found.shape).astype(np.float64), ends=ends)
