"""Intent-aware mean reciprocal rank."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum.blocks.intents import Unattainable, intent_totals
from aspectrum.discounts import RECIPROCAL
from aspectrum.gain import GainRule, list_sums
from aspectrum.judging import Coverage, JudgedBy, Unjudged, cover
from aspectrum.metric import Aliases, AspectMetric, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class MRRIA(AspectMetric):
    r"""Reciprocal of the first rank that shows an aspect, averaged over aspects.

    .. math:: \sum_c P(c|u) \, \frac{1}{\min \{j \le k : c \in J(u, d_j)\}}

    An aspect that the top of the list does not show adds 0. Strengths are not used, a judgment of any strength counts.

    Args:
        k: Ranks that count; by default the whole list.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        unjudged: As for AlphaNDCG.
        unattainable: ``lost``: P(c|u) is the weight of c over that of all aspects, so that the weight of an unattainable aspect is lost, as
            in NTCIREVAL. ``skip``: over that of the attainable aspects, as for MAPIA and ERRIA. Without weights, P(c|u) is uniform over the
            attainable aspects.

    Range:
        0 to 1.

    Undefined:
        For a user with no attainable aspect.

    References:
        Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": ["x"], "b": ["x", "y"]}})
        >>> MRRIA().scores(world)
        array([[0.75]])
    """

    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"
    unattainable: Unattainable = "lost"

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    symbol = "MRR-IA"
    cites = ("agrawal2009diversifying",)
    aliases: ClassVar[Aliases] = {"MRR-IA": {}, "RR-IA": {}}

    def coverage(self, world: World) -> Coverage:
        assert self.judged_by is not None
        return cover(world, self.judged_by, unjudged=self.unjudged, strengths=False)

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        # With alpha = 1 only the first item that shows an aspect gains.
        first = list_sums(coverage, GainRule(alpha=1.0), RECIPROCAL, self.cutoffs)
        totals = intent_totals(coverage, self.unattainable)
        return Fractions(first, np.broadcast_to(totals[:, np.newaxis], first.shape))
