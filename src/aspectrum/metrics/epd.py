"""Expected profile distance: how far recommended items are from the user's history."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.blocks.history_distance import Missing, NearTo, distances_to_history
from aspectrum.blocks.rank_and_relevance import RankAndRelevanceMetric, RelevanceOfItems
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import Distance, World


@dataclass(frozen=True)
class EPD(RankAndRelevanceMetric):
    r"""Mean distance between the items of the top k and the items in the user's history.

    .. math:: \frac{\sum_{j \le k} \text{disc}(j) \, p(\text{rel}|d_j) \, d(d_j, H_u)}{\sum_{j \le k} \text{disc}(j)}

    where d(d_j, H_u) is the mean distance between the features of d_j and those of the items in the history H_u. For cosine and squared
    Euclidean distance, it takes one pass over the history, not one per recommended item.

    If relevance is given, only relevant items count: the scores are much smaller, and not comparable with those computed without relevance.
    ``relevance=none`` measures distance alone.

    Args:
        k: Ranks that count; one number or several.
        discount: The weight of a rank: ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` patience^(j-1), ``none`` 1.
        patience: Ratio of the geometric discount.
        rel: For binary relevance, the grade from which an item is relevant. Default: the threshold of the evaluation.
        relevance: p(rel|d): ``binary`` is 1 for a relevant item and 0 for others, ``graded`` is (2^g - 1) / 2^g_max, ``none`` is
            1 for every item. Default (``auto``): binary if there is relevance, else none.
        distance: As for IntraListDiversity.
        to: ``mean`` distance to the items in the history, or distance to the ``nearest`` of them (the surprise of Kaminskas and Bridge).
        missing: An item that cannot be compared because it, or the whole history, has no features (no direction under cosine, no members
            under jaccard): ``skip`` leaves it out of both sums. ``zero`` gives it distance 0 and keeps its discount, as RankSys and RELISON
            do. ``far`` sets every pair that cannot be compared to distance 1, as Microsoft Recommenders does.
        average: Mean over ``users``, or over ``links``: users are weighted by the sum of their lists' discounts (RELISON).

    Range:
        That of the distance: cosine 0 to 2 (0 to 1 without negative features), jaccard and hamming 0 to 1, others 0 or more.

    Undefined:
        If no item of the list can be compared (``zero``: for an empty list; ``far``: without a history); with relevance, for a user
        with no relevant item.

    References:
        Vargas and Castells, RecSys 2011. Kaminskas and Bridge, ACM TiiS 2016 (nearest).

    Examples:
        >>> features = {"a": [1, 0], "b": [1, 1], "c": [0, 1], "d": [3, 4], "e": [4, 3], "f": [0, 2]}
        >>> world = World.of({"u": ["d", "e", "f"]}, history={"u": ["a", "b", "c"]}, features=features)
        >>> EPD(k=3, discount="none").scores(world)[0].round(6)
        array([0.279222])
        >>> EPD(k=3, discount="none", to="nearest").scores(world)[0].round(6)
        array([0.0067])
    """

    relevance: RelevanceOfItems = "auto"
    distance: Distance = "cosine"
    to: NearTo = "mean"
    missing: Missing = "skip"
    average: Literal["users", "links"] = "users"

    cites = ("vargas2011rank", "kaminskas2016diversity")
    family = "novelty"
    inputs = ("history", "features")
    aliases: ClassVar[Aliases] = {"Expected profile distance": {}}

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def fractions(self, world: World) -> Fractions:
        rankings, discount = world.rankings, self.rank_discount
        distances = distances_to_history(world, "EPD", distance=self.distance, to=self.to, missing=self.missing)
        compared = ~np.isnan(distances)
        novelty = np.where(compared, distances, 0.0) * self.place_relevance(world)
        ranks = place_sums(rankings, compared.astype(np.float64), self.cutoffs, discount)
        return Fractions(place_sums(rankings, novelty, self.cutoffs, discount), self.of_users_with_relevant_items(world, ranks))
