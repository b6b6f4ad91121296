"""D#-nDCG: D-nDCG and intent recall in one number."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.intents import GradedIntentMetric
from aspectrum.judging import cover
from aspectrum.metric import Aliases, Fractions, check_unit
from aspectrum.world import World


@dataclass(frozen=True)
class DSharpNDCG(GradedIntentMetric):
    r"""Weighted mean of intent recall and D-nDCG.

    .. math:: \gamma \, \frac{\left|\bigcup_{j \le k} J(u, d_j)\right|}{\left|\text{aspects attainable for } u\right|}
        + (1 - \gamma) \, \frac{\sum_{j \le k} GG(d_j) / \log_2(1+j)}{\sum_{j \le k} GG^*_j / \log_2(1+j)}

    where the second part is DNDCG. The first, I-rec, counts intents: unlike AspectRecall, it ignores weights and strengths.

    Args:
        k: Ranks that count; one number or several.
        gain: As for DNDCG.
        judged_by: As for DNDCG.
        unjudged: As for AlphaNDCG.
        gamma: The weight of intent recall, 0 to 1. 1 is I-rec, 0 is D-nDCG.

    Range:
        0 to 1.

    Undefined:
        As for DNDCG: for a user with no judged item of positive gain.

    References:
        Sakai and Song, SIGIR 2011.

    Examples:
        >>> grades = {"a": {1: 1}, "b": {2: 1}, "c": {1: 2, 3: 1}, "e": {3: 3}}
        >>> world = World.of({"q": ["a", "b", "c"]}, subtopics={"q": grades}, weights={1: 0.5, 2: 0.3, 3: 0.2})
        >>> DSharpNDCG(k=3).scores(world).round(6)
        array([[0.85254]])
    """

    gamma: float = 0.5

    symbol = r"D$\sharp$-nDCG"
    cites = ("sakai2011evaluating",)
    aliases: ClassVar[Aliases] = {"D#-nDCG": {}, "D♯-nDCG": {}, "I-rec": {"gamma": 1.0}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, gamma=self.gamma)

    def fractions(self, world: World) -> Fractions:
        ndcg = Fractions(*self.global_sums(world)).scores
        score = self.gamma * self._recall(world) + (1.0 - self.gamma) * ndcg
        defined = ~np.isnan(ndcg)
        return Fractions(np.where(defined, score, 0.0), defined.astype(np.float64))

    def _recall(self, world: World) -> Floats:
        """The share of intents that the top of each list serves, (users, cutoffs)."""
        assert self.judged_by is not None
        plain = cover(world, self.judged_by, weighing="uniform", unjudged=self.unjudged, strengths=False)
        served = kernels.covered_aspects(plain.kernel, plain.stops(self.cutoffs))
        return served / np.maximum(plain.attainable, 1.0)[:, np.newaxis]
