"""nDCG with graded relevance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.discounts import Discount
from aspectrum.errors import MetricError
from aspectrum.metric import Family, Fractions, UserMetric
from aspectrum.relevant_items import positive_grades, truth_gains
from aspectrum.world import World


@dataclass(frozen=True)
class NDCG(UserMetric):
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

    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"nDCG": {}}

    family: ClassVar[Family] = "relevance"
    inputs: ClassVar[tuple[str, ...]] = ("relevance",)
    truth: ClassVar[str | None] = "relevance"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise MetricError(f"NDCG: base is {self.base:g}, expected above 1")

    @property
    def pooled(self) -> bool:
        return self.average == "ratio"

    def fractions(self, world: World) -> Fractions:
        relevance = world.need_relevance("NDCG")
        rankings = world.rankings
        stops = rankings.stops(self.cutoffs)
        discount = Discount("log", self.base)
        truth, gains = truth_gains(world, self.gain)
        discounts = discount.first(int(stops.max(initial=0)))
        reached = kernels.discounted_sums(rankings.offsets, gains, stops, discounts)
        judged = positive_grades(world)[:, np.newaxis]
        if self.ideal == "list":
            best = kernels.sorted_sums(rankings.offsets, gains, stops, stops, discounts)
            return Fractions(reached, np.where(judged, np.where(best > 0, best, 1.0), 0.0))
        sizes = np.diff(relevance.offsets)[:, np.newaxis]
        limits = np.array([np.iinfo(np.int32).max if k < 0 else k for k in self.cutoffs])
        depths = np.minimum(sizes, limits).astype(np.int32)
        windows = np.broadcast_to(sizes, depths.shape).astype(np.int32)
        best = kernels.sorted_sums(relevance.offsets, truth, windows, depths, discount.first(int(depths.max(initial=0))))
        return Fractions(reached, best)
