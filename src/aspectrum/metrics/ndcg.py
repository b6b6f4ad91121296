"""nDCG with graded relevance."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.discounts import Discount
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions
from aspectrum.relevant_items import RelevanceMetric, place_sums, truth_gains
from aspectrum.world import World
from aspectrum.world.rankings import stops_of


@dataclass(frozen=True)
class NDCG(RelevanceMetric):
    r"""Discounted cumulated gain over that of the ideal order.

    .. math:: \frac{\sum_{j \le k} g_{u, d_j} / \log_b(1+j)}{\sum_{j \le k} g^*_{u, j} / \log_b(1+j)}

    where g is the grade (0 if the item has none, or a negative one) and g* are the user's grades, largest first.

    Args:
        k: Ranks that count; one number or several. Without a cutoff the ideal holds all graded items.
        gain: ``linear`` is the grade, ``exponential`` is 2^grade - 1.
        base: Base b of the logarithm.
        ideal: Sorted grades of the ``truth`` (all graded items of the user), or of the ``list`` itself after the cut.
        average: Mean of the ``users``' scores, or ``ratio``: sum of DCG over sum of ideal DCG.

    Undefined:
        For a user with no positive grade.

    References:
        Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    Examples:
        >>> grades = {"u": {"a": 5, "b": 4, "c": 4, "d": 4}}
        >>> NDCG(k=2).scores(World.of({"u": ["a", "x"]}, relevance=grades)).round(4)
        array([[0.6646]])
    """

    gain: Literal["linear", "exponential"] = "linear"
    base: float = 2.0
    ideal: Literal["truth", "list"] = "truth"
    average: Literal["users", "ratio"] = "users"

    symbol = "nDCG"
    cites = ("jarvelin2002cumulated",)
    aliases: ClassVar[Aliases] = {"nDCG": {}}

    graded = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise MetricError(f"NDCG: base is {self.base:g}, expected above 1")

    @property
    def pooled(self) -> bool:
        return self.average == "ratio"

    def fractions(self, world: World) -> Fractions:
        relevance = world.need_relevance("NDCG")
        rankings, discount = world.rankings, Discount("log", self.base)
        truth, gains = truth_gains(world, self.gain)
        reached = place_sums(rankings, gains, self.cutoffs, discount)
        if self.ideal == "list":
            stops = rankings.stops(self.cutoffs)
            best = kernels.sorted_sums(rankings.offsets, gains, stops, stops, discount.first(int(stops.max(initial=0))))
            judged = relevance.count(relevance.gains > 0)[:, np.newaxis] > 0
            return Fractions(reached, np.where(judged, np.where(best > 0, best, 1.0), 0.0))
        sizes = np.diff(relevance.offsets)
        depths = stops_of(sizes, self.cutoffs)
        windows = np.broadcast_to(sizes[:, np.newaxis], depths.shape).astype(np.int32)
        best = kernels.sorted_sums(relevance.offsets, truth, windows, depths, discount.first(int(depths.max(initial=0))))
        return Fractions(reached, best)
