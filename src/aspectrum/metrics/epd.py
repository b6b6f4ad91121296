"""Expected profile distance: how far recommended items are from what the user had before."""

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
    r"""Mean distance of the top of the list to the items of the user's history.

    .. math:: \frac{\sum_{j \le k} \text{disc}(j) \, p(\text{rel}|d_j) \, d(d_j, H_u)}{\sum_{j \le k} \text{disc}(j)}

    where d(d_j, H_u) is the mean of the distances between the features of d_j and those of each item h in the history H_u. With cosine
    and squared Euclidean distance that mean takes one pass over the history, not one per item of the list.

    Args:
        k: Ranks that count; one number or several.
        discount: The weight of a rank: ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` patience^(j-1), ``none`` 1.
        patience: The ratio of the geometric discount.
        rel: For binary relevance, the grade from which an item is relevant. Default: the threshold of the evaluation.
        relevance: p(rel|d): ``binary`` is 1 for a relevant item and 0 for others, ``graded`` is (2^g - 1) / 2^g_max, ``none`` is
            1 for every item. Default (``auto``): binary if there is relevance, else none.
        distance: As for IntraListDiversity.
        to: ``mean`` distance to the items of the history, or the distance to the ``nearest`` of them (the surprise of Kaminskas and
            Bridge).
        missing: What to do with an item that cannot be compared, as it or the whole history has no features (or no direction under
            cosine, no members under jaccard): ``skip`` leaves it out of both sums. ``zero`` gives it distance 0 and keeps its discount,
            as RankSys and RELISON do. ``far`` puts every pair that cannot be compared at distance 1, as Microsoft Recommenders does.
        average: Mean over ``users``, or over ``links``: each user weighs as much as the ranks of the list (RELISON).

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
