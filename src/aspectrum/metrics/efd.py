"""Expected free discovery: how unlikely users are to come across the recommended items on their own."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.expected_novelty import ExpectedNovelty
from aspectrum.blocks.item_values import by_count, item_counts
from aspectrum.metric import Aliases
from aspectrum.world import World


@dataclass(frozen=True)
class EFD(ExpectedNovelty):
    r"""Mean novelty of the top k in bits: the smaller an item's share of all interactions, the more novel it is.

    .. math:: \frac{\sum_{j \le k} \text{disc}(j) \, p(\text{rel}|d_j) \, (-\log_2 (\text{users}(d_j) / n))}{\sum_{j \le k} \text{disc}(j)}

    where users(d) is the number of users with d in their history, and n is the sum of users(d) over all items: the number of distinct
    (user, item) pairs. A count column of the history is not used. If popularity is given instead of a history, users(d) is the given
    number.

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
        unseen: An unseen item, one that no user interacted with, is as novel as the ``rarest`` seen item (RankSys, Elliot), or as an item
            with ``one`` user (WarpRec).

    Range:
        0 to log2 n.

    Undefined:
        For an empty list; if no user interacted with any item; with relevance, for a user with no relevant item.

    References:
        Vargas and Castells, RecSys 2011.

    Examples:
        >>> history = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> world = World.of({"u1": ["a"], "u2": ["b"], "u3": ["new"]}, history=history)
        >>> EFD(k=1).scores(world).ravel()
        array([1., 2., 2.])
    """

    unseen: Literal["rarest", "one"] = "rarest"

    of_users = False
    aliases: ClassVar[Aliases] = {"Expected free discovery": {}}

    def novelty(self, world: World) -> Floats:
        counts = item_counts(world)
        total, seen = int(counts.sum()), counts[counts > 0]
        if not total:
            return np.full(len(counts), np.nan)
        least = 1 if self.unseen == "one" else int(seen.min())
        return by_count(np.where(counts > 0, counts, least), lambda count: math.log2(total / count))
