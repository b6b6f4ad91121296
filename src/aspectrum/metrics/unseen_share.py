"""Unseen share: share of items that are not in the user's history."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.metric import Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class UnseenShare(UserMetric):
    r"""Share of the top k that is not in the user's history. Below 1, users are recommended items they already interacted with.

    .. math:: \frac{|\{j \le k : d_j \notin H_u\}|}{\min(k, \left|L_u\right|)}

    where H_u is the user's whole history, whatever the grades. For a user without a history, every item is new.

    Args:
        k: Ranks that count; one number or several.
        without_list: Score of a user without a list, where such users are averaged: ``zero``; or ``one``, which an empty list then scores
            too (RePlay, which averages users with a history: users=judged).

    Range:
        0 to 1.

    Undefined:
        For an empty list, unless it scores 1.

    References:
        Novelty in RePlay (Vasilev et al., RecSys 2024), which counts a user without a list as 1.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, history={"u": ["b", "x"]})
        >>> UnseenShare(k=(1, 2)).scores(world)
        array([[1. , 0.5]])
    """

    without_list: Literal["zero", "one"] = "zero"

    cites = ("vasilev2024replay",)
    family = "novelty"
    inputs = ("history",)
    truth = "history"

    @property
    def score_of_missing(self) -> float:
        return 1.0 if self.without_list == "one" else 0.0

    def fractions(self, world: World) -> Fractions:
        rankings, history = world.rankings, world.need_history("UnseenShare")
        unseen = kernels.lookup(rankings.offsets, rankings.items, history.offsets, history.items) < 0
        stops = rankings.stops(self.cutoffs).astype(np.float64)
        new = place_sums(rankings, unseen.astype(np.float64), self.cutoffs)
        if self.without_list == "one":
            return Fractions(np.where(stops > 0, new, 1.0), np.maximum(stops, 1.0))
        return Fractions(new, stops)
