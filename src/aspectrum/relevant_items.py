"""Graded relevance as gains, and relevant items counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Flags, Floats
from aspectrum.discounts import NONE, Discount
from aspectrum.metric import UserMetric
from aspectrum.world import Rankings, Relevance, Truth, World
from aspectrum.world.relevance import exponential


@dataclass(frozen=True)
class RelevanceMetric(UserMetric):
    """A metric of the items that are relevant to a user: by their grades, or (unless ``graded``) from the threshold on."""

    abstract: ClassVar[bool] = True

    family = "relevance"
    inputs = ("relevance",)
    truth = "relevance"
    graded: ClassVar[bool] = False

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {} if self.graded else {"threshold": truth.need("relevance", type(self).__name__).threshold}


def truth_gains(world: World, gain: Literal["linear", "exponential"]) -> tuple[Floats, Floats]:
    """Gains of the judged items of each user, and of the places of each list (0 where an item has no grade)."""
    relevance = world.need_relevance("a graded metric")
    truth = relevance.gains if gain == "linear" else exponential(relevance.gains)
    at = kernels.lookup(world.rankings.offsets, world.rankings.items, relevance.offsets, relevance.items)
    return truth, np.where(at >= 0, np.append(truth, 0.0)[at], 0.0)


def relevant_places(rankings: Rankings, relevance: Relevance) -> Flags:
    """Places of the lists whose item is relevant to the user."""
    at = kernels.lookup(rankings.offsets, rankings.items, relevance.offsets, relevance.items)
    return np.append(relevance.relevant, False)[at]  # an item without a grade is at -1: the last flag


def relevant_found(rankings: Rankings, relevance: Relevance, cutoffs: Sequence[int]) -> Floats:
    """How many relevant items the top of each list has, (users, cutoffs)."""
    return place_sums(rankings, relevant_places(rankings, relevance).astype(np.float64), cutoffs)


def place_sums(rankings: Rankings, values: Floats, cutoffs: Sequence[int], discount: Discount = NONE) -> Floats:
    """Sums over the first places of each list, (users, cutoffs); a list is summed by itself, from its first place on."""
    stops = rankings.stops(cutoffs)
    return kernels.discounted_sums(rankings.offsets, values, stops, discount.first(int(stops.max(initial=0))))
