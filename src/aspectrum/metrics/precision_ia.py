"""Intent-aware precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.discounts import NONE
from aspectrum.gain import GainRule, list_sums, place_gains
from aspectrum.judging import JudgedBy, Unjudged
from aspectrum.metric import Aliases, AspectMetric, Ends, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class PrecisionIA(AspectMetric):
    r"""Precision averaged over the attainable aspects.

    .. math:: \frac{1}{k S} \sum_{j \le k} \left|J(u, d_j)\right|

    where S is the number (or weight) of the attainable aspects. With weights and strengths, an aspect of an item counts with
    their product. A list shorter than k is still divided by k.

    Args:
        k: Ranks that count; one number or several. Without a cutoff, the length of the list.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        unjudged: As for AlphaNDCG.

    Range:
        0 to 1.

    Undefined:
        For a user with no attainable aspect.

    References:
        Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": ["x", "y"], "b": ["x"]}})
        >>> PrecisionIA(k=2).scores(world)
        array([[0.75]])
    """

    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"

    over_orders = True
    symbol = "P-IA"
    cites = ("agrawal2009diversifying",)
    aliases: ClassVar[Aliases] = {"P_IA": {}, "P-IA": {}}

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        pairs, ends = list_sums(coverage, GainRule(alpha=0.0), NONE, self.cutoffs), None
        if coverage.tied is not None:  # what one item adds does not depend on the others
            rankings, stops = coverage.rankings, coverage.rankings.stops((-1,))
            gains = place_gains(coverage, GainRule(alpha=0.0), stops)
            ordered = kernels.ordered_values(rankings.offsets, gains, coverage.tied)
            least, greatest = (place_sums(rankings, one, self.cutoffs) for one in ordered)
            ends = Ends(least, greatest, np.ones(pairs.shape, np.bool_))
        return Fractions(pairs, coverage.rankings.depths(self.cutoffs) * coverage.attainable[:, np.newaxis], ends=ends)
