"""Intent-aware precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.discounts import NONE
from aspectrum.gain import GainRule, list_sums
from aspectrum.judging import JudgedBy, Unjudged
from aspectrum.metric import Aliases, AspectMetric, Fractions
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

    symbol = "P-IA"
    cites = ("agrawal2009diversifying",)
    aliases: ClassVar[Aliases] = {"P_IA": {}, "P-IA": {}}

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        pairs = list_sums(coverage, GainRule(alpha=0.0), NONE, self.cutoffs)
        return Fractions(pairs, coverage.rankings.depths(self.cutoffs) * coverage.attainable[:, np.newaxis])
