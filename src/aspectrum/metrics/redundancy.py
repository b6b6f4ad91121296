"""Redundancy: how much of what a list shows it has shown before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.discounts import NONE
from aspectrum.gain import GainRule, list_sums
from aspectrum.judging import JudgedBy, Unjudged
from aspectrum.metric import Aliases, AspectMetric, Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class Redundancy(AspectMetric):
    r"""Share of the aspects that the top k shows which an earlier rank has shown: context that a model reads twice.

    .. math:: 1 - \frac{\left|\bigcup_{j \le k} J(u, d_j)\right|}{\sum_{j \le k} |J(u, d_j)|}

    With weights w of aspects and strengths s of judgments it is 1 - sum_i w_i max_j s_ij / sum_i w_i sum_j s_ij. Items that show nothing are no
    repetition, and do not count.

    Args:
        k: Ranks that count; one number or several.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        unjudged: As for AlphaNDCG.

    Range:
        0 (no aspect comes twice) to 1 - 1/k (every item shows the same one).

    Undefined:
        If the top k shows no aspect.

    References:
        The complement of the share of distinct subtopics among those shown; Zhai, Cohen and Lafferty, SIGIR 2003, weigh redundancy against coverage.

    Examples:
        >>> world = World.of({"q": ["a", "b", "c"]}, subtopics={"q": {"a": [1, 2], "b": [1], "c": [3]}})
        >>> Redundancy(k=(1, 2, 3)).scores(world).round(4)
        array([[0.    , 0.3333, 0.25  ]])
    """

    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("zhai2003beyond",)
    aliases: ClassVar[Aliases] = {"AspectRedundancy": {}}
    higher_is_better = False

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        distinct = kernels.covered_aspects(coverage.kernel, coverage.stops(self.cutoffs))
        shown = list_sums(coverage, GainRule(0.0), NONE, self.cutoffs)
        return Fractions(np.maximum(shown - distinct, 0.0), shown)
