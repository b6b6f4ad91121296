"""Aspect recall, also known as subtopic recall and community recall."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.judging import JudgedBy, Unjudged
from aspectrum.metric import Aliases, AspectMetric, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class AspectRecall(AspectMetric):
    r"""Share of the aspects a user could be shown that the top of the list shows.

    .. math:: \left|\bigcup_{j \le k} J(u, d_j)\right| \, / \, \left|\text{aspects attainable for } u\right|

    With weights of aspects it is the share of their weight; an aspect counts with the strongest judgment seen.

    Args:
        k: Ranks that count; one number or several.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else membership, which makes
            it community recall over all communities.
        unjudged: As for AlphaNDCG.

    Undefined:
        For a user with no attainable aspect.

    References:
        Zhai, Cohen and Lafferty, SIGIR 2003. Sanz-Cruzado, Pepa and Castells, MSM 2018 (community recall).

    Examples:
        >>> world = World.of({"ann": ["a", "b"]}, aspects={"a": ["x"], "b": ["x"], "c": ["y"]})
        >>> AspectRecall(k=2).scores(world)
        array([[0.5]])
    """

    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"

    cites = ("zhai2003beyond", "sanzcruzado2018structural")
    aliases: ClassVar[Aliases] = {name: {} for name in ("CommunityRecall", "Community recall", "SubtopicRecall", "StRecall", "strec")}

    preferred = ("membership",)

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        covered = kernels.covered_aspects(coverage.kernel, coverage.stops(self.cutoffs))
        return Fractions(covered, np.broadcast_to(coverage.attainable[:, np.newaxis], covered.shape))
