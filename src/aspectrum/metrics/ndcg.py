"""nDCG with graded relevance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.relevant_items import RelevanceMetric, best_sums, relevant_places, sums_over_orders, truth_gains
from aspectrum.discounts import Discount, discount_sums
from aspectrum.errors import MetricError, UnusedParameter
from aspectrum.metric import Aliases, Fractions, check_goes_with
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class NDCG(RelevanceMetric):
    r"""Discounted cumulated gain over that of the ideal order.

    .. math:: \frac{\sum_{j \le k} g_{u, d_j} / \log_b(1+j)}{\sum_{j \le k} g^*_{u, j} / \log_b(1+j)}

    where g is the grade (0 if the item has none, or a negative one) and g* are the user's grades, largest first.

    Args:
        k: Ranks that count; one number or several. Without a cutoff the ideal holds all graded items.
        gain: ``linear`` is the grade, ``exponential`` is 2^grade - 1; ``binary`` is 1 for an item whose grade reaches the threshold of the
            evaluation, else 0 (RecTools, RePlay).
        base: Base b of the logarithm.
        discount: ``log`` is 1/log_b(1+j); ``clipped`` is 1/log_2(max(j, 2)), so that ranks 1 and 2 count alike (LensKit).
        ideal: Sorted grades of the ``truth`` (all graded items of the user), or of the ``list`` itself after the cut; with binary gains also
            ``perfect``: k relevant items, even where the user has fewer (RecTools), so that no list of such a user scores 1.
        average: Mean of the ``users``' scores, or ``ratio``: sum of DCG over sum of ideal DCG.

    Range:
        0 to 1.

    Undefined:
        For a user with no positive grade; with binary gains, with no relevant item.

    References:
        Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    Examples:
        >>> grades = {"u": {"a": 5, "b": 4, "c": 4, "d": 4}}
        >>> NDCG(k=2).scores(World.of({"u": ["a", "x"]}, relevance=grades)).round(4)
        array([[0.6646]])
    """

    gain: Literal["linear", "exponential", "binary"] = "linear"
    base: float = 2.0
    ideal: Literal["truth", "list", "perfect"] = "truth"
    average: Literal["users", "ratio"] = "users"
    discount: Literal["log", "clipped"] = "log"

    over_orders = True
    symbol = "nDCG"
    cites = ("jarvelin2002cumulated",)
    aliases: ClassVar[Aliases] = {"nDCG": {}}
    cutoff_in_name = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise MetricError(f"NDCG: base is {self.base:g}, expected above 1")
        check_goes_with(self, "base", "discount", "log")
        if self.ideal == "perfect" and self.gain != "binary":
            raise UnusedParameter.of("ideal", "NDCG: ideal=perfect goes with gain=binary only")

    @property
    def pooled(self) -> bool:
        return self.average == "ratio"

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"threshold": truth.need("relevance", "NDCG").threshold} if self.gain == "binary" else {}

    def fractions(self, world: World) -> Fractions:
        relevance = world.need_relevance("NDCG")
        rankings, discount = world.rankings, Discount(self.discount, self.base)
        truth, gains = self._gains(world)
        reached, ends = sums_over_orders(world, gains, self.cutoffs, discount)
        if self.ideal == "truth":
            return Fractions(reached, best_sums(relevance, truth, self.cutoffs, discount), ends=ends)
        if self.ideal == "perfect":
            distinct, place = np.unique(rankings.depths(self.cutoffs), return_inverse=True)
            best = discount_sums(discount, distinct)[place].reshape(reached.shape)
        else:
            stops = rankings.stops(self.cutoffs)
            best = kernels.sorted_sums(rankings.offsets, gains, stops, stops, discount.first(int(stops.max(initial=0))))
        judged = relevance.count(truth > 0)[:, np.newaxis] > 0
        return Fractions(reached, np.where(judged, np.where(best > 0, best, 1.0), 0.0), ends=ends)

    def _gains(self, world: World) -> tuple[Floats, Floats]:
        """Those of the judged items of each user, and of the places of each list."""
        if self.gain != "binary":
            return truth_gains(world, self.gain)
        relevance = world.need_relevance("NDCG")
        return relevance.relevant.astype(np.float64), relevant_places(world.rankings, relevance).astype(np.float64)
