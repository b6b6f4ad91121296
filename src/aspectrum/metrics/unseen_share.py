"""Share of items that are new to the user."""

from dataclasses import dataclass

import numpy as np

from aspectrum import kernels
from aspectrum.metric import Fractions, UserMetric
from aspectrum.relevant_items import place_sums
from aspectrum.world import World


@dataclass(frozen=True)
class UnseenShare(UserMetric):
    r"""Share of the top of the list that is not in the user's history. Below 1, a system recommends what users had before.

    .. math:: \frac{|\{j \le k : d_j \notin H_u\}|}{\min(k, \left|L_u\right|)}

    where H_u are all earlier items of the user, whatever their grade. A user without a history has seen nothing.

    Args:
        k: Ranks that count; one number or several.

    Undefined:
        For an empty list.

    References:
        Novelty in RePlay (Vasilev et al., RecSys 2024), which counts a user without a list as 1.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, history={"u": ["b", "x"]})
        >>> UnseenShare(k=(1, 2)).scores(world)
        array([[1. , 0.5]])
    """

    cites = ("vasilev2024replay",)
    family = "novelty"
    inputs = ("history",)
    truth = "history"

    def fractions(self, world: World) -> Fractions:
        rankings, history = world.rankings, world.need_history("UnseenShare")
        unseen = kernels.lookup(rankings.offsets, rankings.items, history.offsets, history.items) < 0
        stops = rankings.stops(self.cutoffs).astype(np.float64)
        return Fractions(place_sums(rankings, unseen.astype(np.float64), self.cutoffs), stops)
