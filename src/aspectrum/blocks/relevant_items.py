"""Graded relevance as gains, and relevant items counted from a level on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.discounts import NONE, Discount
from aspectrum.metric import Ends, UserMetric
from aspectrum.world import Rankings, Relevance, Truth, World
from aspectrum.world.rankings import stops_of
from aspectrum.world.relevance import exponential


@dataclass(frozen=True)
class RelevanceMetric(UserMetric):
    """A metric of how relevant items are to a user, by their grades."""

    abstract: ClassVar[bool] = True

    family = "relevance"
    inputs = ("relevance",)
    truth = "relevance"


@dataclass(frozen=True)
class BinaryMetric(RelevanceMetric):
    """A metric of the items that are relevant to a user: those whose grade reaches ``rel``, by default the threshold of the evaluation."""

    abstract: ClassVar[bool] = True

    rel: float | None = None

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"threshold": truth.need("relevance", type(self).__name__).at(self.rel).threshold}

    def relevance_in(self, world: World) -> Relevance:
        """The graded items of a world's users, relevant from this metric's level on."""
        return world.need_relevance(type(self).__name__, self.rel)


def truth_gains(world: World, gain: Literal["linear", "exponential"]) -> tuple[Floats, Floats]:
    """Gains of the judged items of each user, and of the places of each list (0 where an item has no grade)."""
    relevance = world.need_relevance("a graded metric")
    truth = relevance.gains if gain == "linear" else exponential(relevance.gains)
    return truth, np.append(truth, 0.0)[world.judgments]  # an item without a grade is at -1: the last gain


def relevant_places(rankings: Rankings, relevance: Relevance) -> Flags:
    """Places of the lists whose item is relevant to the user."""
    at = kernels.lookup(rankings.offsets, rankings.items, relevance.offsets, relevance.items)
    return np.append(relevance.relevant, False)[at]  # an item without a grade is at -1: the last flag


def hits_so_far(rankings: Rankings, hits: Flags) -> Counts:
    """For each place, how many of its list's places up to it are hits."""
    # Whole numbers: what came in earlier lists is taken away without a trace.
    before = np.concatenate(([0], np.cumsum(hits)))
    found: Counts = before[1:] - np.repeat(before[rankings.offsets[:-1]], rankings.lengths)
    return found


def best_sums(relevance: Relevance, gains: Floats, cutoffs: Sequence[int], discount: Discount) -> Floats:
    """Sums over the judged items of each user, the largest gains first, (users, cutoffs); without a cutoff over all of them."""
    sizes = np.diff(relevance.offsets)
    depths = stops_of(sizes, cutoffs)
    windows = np.broadcast_to(sizes[:, np.newaxis], depths.shape).astype(np.int32)
    return kernels.sorted_sums(relevance.offsets, gains, windows, depths, discount.first(int(depths.max(initial=0))))


def relevant_found(rankings: Rankings, relevance: Relevance, cutoffs: Sequence[int]) -> Floats:
    """How many relevant items the top of each list has, (users, cutoffs)."""
    return place_sums(rankings, relevant_places(rankings, relevance).astype(np.float64), cutoffs)


def sums_over_orders(world: World, values: Floats, cutoffs: Sequence[int], discount: Discount = NONE) -> tuple[Floats, Ends | None]:
    """Sums over the first places of each list; where all orders of equal scores count, averages, and the least and the greatest."""
    rankings = world.rankings
    if world.tied is None:
        return place_sums(rankings, values, cutoffs, discount), None
    ordered, stops = kernels.ordered_values(rankings.offsets, values, world.tied), rankings.stops(cutoffs)
    least, greatest = (place_sums(rankings, one, cutoffs, discount) for one in ordered)
    discounts = discount.first(int(stops.max(initial=0)))
    expected = kernels.expected_sums(rankings.offsets, values, world.tied, stops, discounts)
    return expected, Ends(least, greatest, np.ones(expected.shape, np.bool_))


def found_over_orders(world: World, relevance: Relevance, cutoffs: Sequence[int]) -> tuple[Floats, Ends | None]:
    """How many relevant items the top of each list has, (users, cutoffs), as :func:`sums_over_orders`."""
    return sums_over_orders(world, relevant_places(world.rankings, relevance).astype(np.float64), cutoffs)


def place_sums(rankings: Rankings, values: Floats, cutoffs: Sequence[int], discount: Discount = NONE) -> Floats:
    """Sums over the first places of each list, (users, cutoffs); a list is summed by itself, from its first place on."""
    stops = rankings.stops(cutoffs)
    return kernels.discounted_sums(rankings.offsets, values, stops, discount.first(int(stops.max(initial=0))))
