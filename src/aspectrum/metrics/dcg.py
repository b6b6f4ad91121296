"""DCG with graded relevance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.blocks.relevant_items import RelevanceMetric, sums_over_orders, truth_gains
from aspectrum.discounts import NONE, Discount
from aspectrum.errors import MetricError
from aspectrum.metric import Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class DCG(RelevanceMetric):
    r"""Discounted cumulated gain; without a discount, cumulated gain.

    .. math:: \sum_{j \le k} g_{u, d_j} / \log_b(1+j)

    Args:
        k: Ranks that count; one number or several.
        gain: ``linear`` is the grade (0 if the item has none, or a negative one), ``exponential`` is 2^grade - 1.
        base: Base b of the logarithm.
        discount: ``log`` as above, ``none`` for cumulated gain.

    Range:
        0 or more.

    Undefined:
        For a user with no positive grade.

    References:
        Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    Examples:
        >>> DCG(k=2).scores(World.of({"u": ["a", "b"]}, relevance={"u": {"a": 3, "b": 1}})).round(4)
        array([[3.6309]])
    """

    gain: Literal["linear", "exponential"] = "linear"
    base: float = 2.0
    discount: Literal["log", "none"] = "log"

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("jarvelin2002cumulated",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base <= 1:
            raise MetricError(f"DCG: base is {self.base:g}, expected above 1")

    def fractions(self, world: World) -> Fractions:
        discount = NONE if self.discount == "none" else Discount("log", self.base)
        _, gains = truth_gains(world, self.gain)
        reached, ends = sums_over_orders(world, gains, self.cutoffs, discount)
        relevance = world.need_relevance("DCG")
        judged = relevance.count(relevance.gains > 0)[:, np.newaxis] > 0
        return Fractions(reached, np.broadcast_to(judged, reached.shape).astype(np.float64), ends=ends)
