"""Expected popularity complement: how little known the recommended items are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.discounts import LOG2, NONE, RECIPROCAL, Discount
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.relevant_items import place_sums, relevant_places, truth_gains
from aspectrum.world import Truth, World
from aspectrum.world.relevance import check_exponent

_DISCOUNTS = {"log": LOG2, "none": NONE, "reciprocal": RECIPROCAL, "geometric": Discount("geometric", 0.85)}


@dataclass(frozen=True)
class EPC(UserMetric):
    r"""Mean novelty of the top of the list, where the novelty of an item is the share of users who do not know it.

    .. math:: \frac{\sum_{j \le k} \text{disc}(j) \, p(\text{rel}|d_j) \, (1 - \text{users}(d_j) / n)}{\sum_{j \le k} \text{disc}(j)}

    where users(d) of the n users with a history have d in it. An item that nobody has had has novelty 1.

    Args:
        k: Ranks that count; one number or several.
        discount: The weight of a rank: ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` 0.85^(j-1), ``none`` 1.
        relevance: p(rel|d): ``binary`` is 1 for a relevant item and 0 for others, ``graded`` is (2^g - 1) / 2^g_max, ``none`` is
            1 for every item. Default (``auto``): binary if there is relevance, else none.
        average: Mean over ``users``, or over ``links``: all recommendations count alike.

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

    discount: Literal["log", "none", "reciprocal", "geometric"] = "log"
    relevance: Literal["auto", "binary", "graded", "none"] = "auto"
    average: Literal["users", "links"] = "users"

    cites = ("vargas2011rank",)
    family = "novelty"
    aliases: ClassVar[Aliases] = {
        "Expected popularity complement": {},
        "LTN": {"discount": "none", "relevance": "none", "average": "links"},
    }

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return (frozenset({"history"} if self.relevance in ("auto", "none") else {"history", "relevance"}),)

    def resolved(self, truth: Truth) -> Self:
        if self.relevance != "auto":
            return self
        return replace(self, relevance="none" if truth.relevance is None else "binary")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"threshold": truth.relevance.threshold} if self.relevance == "binary" and truth.relevance is not None else {}

    def fractions(self, world: World) -> Fractions:
        rankings, discount = world.rankings, _DISCOUNTS[self.discount]
        truth = world.truth
        n_users = int(truth.judged("history").sum())
        novelty = np.append(1.0 - truth.popularity / max(n_users, 1), 1.0)[world.known_items]
        gained = place_sums(rankings, novelty * self._relevance(world), self.cutoffs, discount)
        ranks = place_sums(rankings, np.ones(len(rankings.items)), self.cutoffs, discount)
        if self.relevance != "none":
            ranks = np.where(world.need_relevance("EPC").n_relevant[:, np.newaxis] > 0, ranks, 0.0)
        return Fractions(gained, ranks)

    def _relevance(self, world: World) -> Floats | float:
        """How probable it is that each place is relevant."""
        if self.relevance == "none":
            return 1.0
        if self.relevance == "binary":
            return relevant_places(world.rankings, world.need_relevance("EPC")).astype(np.float64)
        _, gains = truth_gains(world, "exponential")
        largest = world.truth.largest_grade("relevance")
        check_exponent(largest)  # also of users whose lists these are not
        shares: Floats = gains / 2.0**largest
        return shares
