"""Expected intra-list diversity: distance between the items of a list, weighted by rank and relevance."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.rank_and_relevance import RankAndRelevanceMetric
from aspectrum.blocks.relevant_items import place_sums, truth_gains
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import Distance, World
from aspectrum.world.relevance import check_exponent


@dataclass(frozen=True)
class EILD(RankAndRelevanceMetric):
    r"""Mean distance between the items of the top k, weighted by rank and relevance.

    .. math:: \frac{1}{\sum_{j \le k} \text{disc}(j)} \sum_{j \le k} \text{disc}(j) \, r_j
        \frac{\sum_{l \ne j} \text{disc}(\max(1, l - j)) \, r_l \, d(x_j, x_l)}{\sum_{l \ne j} \text{disc}(\max(1, l - j)) \, r_l}

    over the items with features, where r_j is the probability that the item at rank j is relevant. If no other item is relevant, an item
    has distance 0. All pairs are compared, O(k^2 d).

    If relevance is given, only relevant items count: the scores are much smaller, and not comparable with those computed without relevance.
    ``relevance=none`` measures diversity alone.

    Args:
        k: Ranks that count; one number or several.
        discount: The weight of a rank: ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` patience^(j-1), ``none`` 1.
        patience: Ratio of the geometric discount.
        rel: For binary relevance, the grade from which an item is relevant. Default: the threshold of the evaluation.
        relevance: r: ``binary`` is 1 for a relevant item and 0 for others, ``graded`` is (2^g - 1) / 2^g_max, ``none`` is 1 for every item.
            ``informfully`` is 2^max(0, g - 1) / 2^max(0, g_max - 1) with the largest grade in the top k, as in Informfully, where an item
            without a grade is as relevant as one of grade 1. Default (``auto``): binary if there is relevance, else none.
        relative: Weights of the other items: by how much later they are ranked, disc(max(1, l - j)), where an earlier item weighs as much
            as the next one (``true``); one rank further, disc(1 + max(0, l - j)), as in Informfully (``further``); or by their own rank,
            disc(l) (``false``).
        distance: As for IntraListDiversity.
        missing: An item without features (no direction under cosine, no members under jaccard): ``skip`` leaves it out of all sums.
            ``zero`` leaves it out of all pairs but keeps its discount in the denominator, as in RankSys, where a list of one item scores 0.

    Range:
        That of the distance: cosine 0 to 2 (0 to 1 without negative features), jaccard and hamming 0 to 1, others 0 or more.

    Undefined:
        With fewer than two items that have features (``zero``: for an empty list); with relevance, for a user with no relevant item.

    References:
        Vargas and Castells, RecSys 2011.

    Examples:
        >>> features = {"d": [3, 4], "e": [4, 3], "f": [0, 2]}
        >>> world = World.of({"u": ["d", "e", "f"]}, features=features)
        >>> EILD(k=(2, 3)).scores(world).round(6)
        array([[0.04    , 0.183348]])
    """

    relevance: Literal["auto", "binary", "graded", "none", "informfully"] = "auto"
    relative: bool | Literal["further"] = True
    distance: Distance = "cosine"
    missing: Literal["skip", "zero"] = "skip"

    cites = ("vargas2011rank",)
    family = "distance"
    inputs = ("features",)
    aliases: ClassVar[Aliases] = {"Expected intra-list diversity": {}}

    def fractions(self, world: World) -> Fractions:
        features, rankings = world.need_features("EILD"), world.rankings
        stops = rankings.stops(self.cutoffs)
        places = features.places(rankings.items, self.distance)
        factors = self.rank_discount.first(int(rankings.lengths.max(initial=0)) + 1)
        relevance, discounts = self.place_relevance(world), factors[rankings.ranks - 1]
        inner = relevance if self.relative else relevance * discounts
        steps = np.ones(len(factors)) if not self.relative else factors if self.relative is True else factors[1:]
        sums = features.weighted_pairs(self.distance, rankings.offsets, places, stops, discounts * relevance, inner, steps)
        if self.relevance == "informfully":
            sums /= self._largest_gains(world)
        return Fractions(sums, self.of_users_with_relevant_items(world, self._ranks(world, places >= 0)))

    def place_relevance(self, world: World) -> Floats:
        if self.relevance != "informfully":
            return super().place_relevance(world)
        check_exponent(world.truth.largest_grade("relevance"))
        return _powers(truth_gains(world, "linear")[1])

    def _ranks(self, world: World, compared: np.ndarray) -> Floats:
        """The discounts of the ranks that count, (users, cutoffs)."""
        rankings, discount = world.rankings, self.rank_discount
        if self.missing == "zero":
            return place_sums(rankings, np.ones(len(compared)), self.cutoffs, discount)
        found = compared.astype(np.float64)
        return np.where(place_sums(rankings, found, self.cutoffs) > 1, place_sums(rankings, found, self.cutoffs, discount), 0.0)

    def _largest_gains(self, world: World) -> Floats:
        """2^max(0, g - 1) of the largest grade in the top of each list, (users, cutoffs); 1 for an empty list."""
        rankings = world.rankings
        distinct, codes = np.unique(truth_gains(world, "linear")[1], return_inverse=True)
        before = np.repeat(np.arange(rankings.n_users), rankings.lengths) * len(distinct)
        largest = np.append(distinct[np.maximum.accumulate(before + codes) - before], 0.0)
        stops = rankings.stops(self.cutoffs)
        return _powers(largest[np.where(stops > 0, rankings.offsets[:-1, np.newaxis] + stops - 1, -1)])


def _powers(grades: Floats) -> Floats:
    """2^max(0, grade - 1), by the power of Python, whose bits do not depend on the CPU."""
    distinct, place = np.unique(grades, return_inverse=True)
    return np.array([2.0 ** max(0.0, grade - 1.0) for grade in distinct.tolist()])[place].reshape(grades.shape)
