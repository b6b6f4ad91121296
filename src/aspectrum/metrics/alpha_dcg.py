"""alpha-DCG: cumulated gain in which repeated aspects gain less, with or without a discount."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.discounts import LOG2, NONE, perfect_sums
from aspectrum.gain import GainKind, GainRule, Gamma, check_gamma, list_sums
from aspectrum.judging import JudgedBy, Unjudged, cover
from aspectrum.metric import AspectMetric, Fractions, check_goes_with, check_unit
from aspectrum.world import World


@dataclass(frozen=True)
class AlphaDCG(AspectMetric):
    r"""Discounted cumulated gain of a list in which repeated aspects gain less; without a discount, cumulated gain.

    .. math:: \sum_{j \le k} G[j] \cdot disc(j), \quad G[j] = \sum_{i \in J(u, d_j)} (1-\alpha)^{r_i(j-1)}

    Args:
        k: Ranks that count; one number or several.
        alpha: How much a repeated aspect loses, 0 to 1.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else history, else relevance.
        gain: ``linear`` is the paper's eq. 7, ``probabilistic`` its eq. 6.
        gamma: For eq. 6, the probability that a user wants an aspect: one number, or one per aspect.
        discount: ``log2`` is 1/log2(1+j) and makes DCG, ``none`` is 1 and makes CG.
        normalize: ``perfect`` divides by a list that shows every attainable aspect at every rank; ``pyndeval`` does so
            except at k = 1.
        unjudged: As for AlphaNDCG.

    Undefined:
        For a user with no attainable aspect.

    References:
        Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": [2, 4], "b": [2]}})
        >>> AlphaDCG(k=(1, 2), discount="none").scores(world)
        array([[2. , 2.5]])
    """

    alpha: float = 0.5
    judged_by: JudgedBy | None = None
    gain: GainKind = "linear"
    gamma: Gamma = 1.0
    discount: Literal["log2", "none"] = "log2"
    normalize: Literal["perfect", "pyndeval"] | None = None
    unjudged: Unjudged = "keep"

    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "alpha_DCG": {},
        "α_DCG": {},
        "AlphaCG": {"discount": "none"},
        "alpha_CG": {"discount": "none"},
    }

    preferred: ClassVar[tuple[JudgedBy, ...]] = ("history", "relevance")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, alpha=self.alpha)
        check_goes_with(self, "gamma", "gain", "probabilistic")
        check_gamma(type(self).__name__, self.gamma)
        check_goes_with(self, "normalize", "gain", "linear")

    def fractions(self, world: World) -> Fractions:
        assert self.judged_by is not None
        gammas = dict(self.gamma) if isinstance(self.gamma, tuple) and self.gain == "probabilistic" else None
        coverage = cover(world, self.judged_by, unjudged=self.unjudged, gammas=gammas)
        discount = LOG2 if self.discount == "log2" else NONE
        stops = coverage.stops(self.cutoffs)
        reached = list_sums(coverage, GainRule.of(self.gain, self.alpha, self.gamma), discount, stops)
        attainable = coverage.attainable[:, np.newaxis]
        if self.normalize is None:
            return Fractions(reached, np.broadcast_to(attainable > 0, reached.shape).astype(np.float64))
        perfect = perfect_sums(discount, self.alpha, self.cutoffs, coverage.rankings.lengths) * attainable
        if self.normalize == "pyndeval":
            perfect[:, np.array(self.cutoffs) == 1] = attainable > 0
        return Fractions(reached, perfect)
