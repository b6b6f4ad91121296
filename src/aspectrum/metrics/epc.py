"""Expected popularity complement: how little known the recommended items are."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.expected_novelty import ExpectedNovelty
from aspectrum.blocks.item_values import item_counts
from aspectrum.metric import Aliases
from aspectrum.world import World


@dataclass(frozen=True)
class EPC(ExpectedNovelty):
    r"""Mean novelty of the top k, where an item's novelty is the share of users who have not interacted with it.

    .. math:: \frac{\sum_{j \le k} \text{disc}(j) \, p(\text{rel}|d_j) \, (1 - \text{users}(d_j) / n)}{\sum_{j \le k} \text{disc}(j)}

    where users(d) is the number of users with d in their history, and n is the number of users with a history.

    If relevance is given, only relevant items add novelty: the scores are much smaller, and not comparable with those computed without
    relevance. ``relevance=none`` measures novelty alone.

    Args:
        k: Ranks that count; one number or several.
        discount: The weight of a rank: ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` patience^(j-1), ``none`` 1.
        patience: Ratio of the geometric discount.
        rel: For binary relevance, the grade from which an item is relevant. Default: the threshold of the evaluation.
        relevance: p(rel|d): ``binary`` is 1 for a relevant item and 0 for others, ``graded`` is (2^g - 1) / 2^g_max, ``none`` is
            1 for every item. Default (``auto``): binary if there is relevance, else none.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.
        over: A short list is divided by the discounts of its own ranks (``list``), or by those of ``k`` ranks (WarpRec); an empty
            list then scores 0.
        unseen: An unseen item, one that no user interacted with, counts as known to ``nobody``, so that its novelty is 1, or to ``one``
            user (WarpRec).

    Range:
        0 to 1.

    Undefined:
        For an empty list; with relevance, for a user with no relevant item.

    References:
        Vargas and Castells, RecSys 2011.

    Examples:
        >>> history = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
        >>> world = World.of({"u1": ["d", "e", "f"]}, history=history)
        >>> EPC(k=3, discount="none").scores(world)[0].round(6)
        array([0.833333])
    """

    unseen: Literal["nobody", "one"] = "nobody"

    aliases: ClassVar[Aliases] = {
        "Expected popularity complement": {},
        "LTN": {"discount": "none", "relevance": "none", "average": "links"},
    }

    def novelty(self, world: World) -> Floats:
        counts = item_counts(world)
        known: Floats = (counts if self.unseen == "nobody" else np.maximum(counts, 1)) / max(world.truth.item_popularity.n_users, 1)
        return 1.0 - known
