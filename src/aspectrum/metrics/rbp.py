"""Rank-biased precision."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.relevant_items import BinaryMetric, best_sums, relevant_places, sums_over_orders, truth_gains
from aspectrum.discounts import Discount
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions, check_goes_with
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class RBP(BinaryMetric):
    r"""Expected rate of gain of a user who continues to the next rank with probability p.

    .. math:: (1 - p) \sum_{j \le k} g_{u, d_j} \, p^{j-1}

    where g is 1 for an item whose grade for the user reaches ``rel``, else 0.

    Args:
        k: Ranks that count; by default the whole list.
        rel: The grade from which an item is relevant. Default: the threshold of the evaluation.
        p: Probability of continuing to the next rank, from 0 to below 1. LensKit has 0.85, NTCIREVAL 0.95.
        gain: ``binary`` as above; ``linear`` is the grade itself (0 if the item has none, or a negative one), as in ranx, and can
            exceed 1.
        normalize: Divide by the maximum gain of k ranks, as LensKit does with ``normalize=True``; for a list shorter than k, LensKit
            divides by the maximum for that length.

    Range:
        0 to 1; above 1 with ``gain="linear"`` and large grades.

    Undefined:
        For a user with no relevant item; with ``gain="linear"``, with no positive grade.

    References:
        Moffat and Zobel, ACM TOIS 27(1), 2008.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, relevance={"u": ["b", "c"]})
        >>> RBP(p=0.5).scores(world)
        array([[0.375]])
    """

    p: float = 0.8
    gain: Literal["binary", "linear"] = "binary"
    normalize: bool = False

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"normalize": (False,)}
    cites = ("moffat2008rank",)
    aliases: ClassVar[Aliases] = {"Rank-biased precision": {}}
    decimals_in_name = "p"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "rel", "gain", "binary")
        if not 0 <= self.p < 1:
            raise MetricError(f"RBP: p is {self.p:g}, expected from 0 to below 1")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return super().details(truth) if self.gain == "binary" else {}

    def fractions(self, world: World) -> Fractions:
        relevance, patience = self.relevance_in(world), Discount("geometric", self.p)
        judged, gains = self._gains(world)
        reached, ends = sums_over_orders(world, gains, self.cutoffs, patience)
        if self.normalize:
            return Fractions(reached, best_sums(relevance, judged, self.cutoffs, patience), ends=ends)
        some = relevance.count(judged > 0)[:, np.newaxis] > 0
        ends = None if ends is None else ends.times(1.0 - self.p)
        return Fractions((1.0 - self.p) * reached, np.broadcast_to(some, reached.shape).astype(np.float64), ends=ends)

    def _gains(self, world: World) -> tuple[Floats, Floats]:
        """Those of the judged items of each user, and of the places of each list."""
        if self.gain == "linear":
            return truth_gains(world, "linear")
        relevance = self.relevance_in(world)
        return relevance.relevant.astype(np.float64), relevant_places(world.rankings, relevance).astype(np.float64)
