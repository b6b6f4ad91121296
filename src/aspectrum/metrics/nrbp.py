"""NRBP: novelty- and rank-biased precision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum.discounts import Discount
from aspectrum.gain import GainRule, check_full, gains_over_orders
from aspectrum.ideal import IdealKind, IdealRequest, against_ideal, check_ideal, ideal_details
from aspectrum.judging import JUDGINGS, JudgedBy, PoolName, UnjudgedOrFull
from aspectrum.judging.questions import Of, with_listed
from aspectrum.metric import Aliases, AspectMetric, Fractions, check_goes_with, check_unit
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class NRBP(AspectMetric):
    r"""Gain of a patient user in which repeated aspects gain less, scaled so that nothing exceeds 1.

    .. math:: \frac{1 - (1-\alpha)\beta}{S} \sum_j \beta^{j-1} G[j],
        \quad G[j] = \sum_{i \in J(u, d_j)} (1-\alpha)^{r_i(j-1)}

    where S is the number (or weight) of the attainable aspects.

    Args:
        k: Ranks that count; by default the whole list.
        alpha: How much a repeated aspect loses, 0 to 1.
        beta: The probability of going on to the next rank, 0 to 1.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        normalize: ``ideal`` divides by the ideal list (with the greedy one, ndeval's nNRBP).
        pool: What the ideal list chooses from, as for AlphaNDCG.
        unjudged: As for AlphaNDCG.
        of: S counts the aspects that some item has (``attainable``), or all that are ``listed``, as for
            AspectRecall.
        ideal: The list of ``normalize="ideal"``: ``greedy`` (default), or ``exact``, the best there is, with a proof.
            Ranks whose discounts together are less than 1e-13 of the first are not searched: they could not change it.
        budget: For an exact ideal, as for AlphaNDCG.
        seconds: For an exact ideal, as for AlphaNDCG.

    Range:
        0 to 1; against a greedy ideal a list may score above 1.

    Undefined:
        For a user with no attainable aspect; with ``normalize="ideal"``, if the ideal list gains nothing.

    References:
        Clarke, Kolla and Vechtomova, ICTIR 2009.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": ["x"], "b": ["y"]}})
        >>> NRBP().scores(world)
        array([[0.5625]])
    """

    alpha: float = 0.5
    beta: float = 0.5
    judged_by: JudgedBy | None = None
    normalize: Literal["ideal"] | None = None
    pool: PoolName | None = None
    unjudged: UnjudgedOrFull = "keep"
    of: Of = "attainable"
    ideal: IdealKind | None = None
    budget: float | None = None
    seconds: float | None = None

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"normalize": (None,)}
    cites = ("clarke2009effectiveness",)
    aliases: ClassVar[Aliases] = {"nNRBP": {"normalize": "ideal"}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_full(self)
        check_goes_with(self, "of", "normalize", None)
        check_goes_with(self, "of", "judged_by", None, "subtopics")
        check_unit(self, alpha=self.alpha, beta=self.beta)
        check_goes_with(self, "pool", "normalize", "ideal")
        check_goes_with(self, "ideal", "normalize", "ideal")
        check_ideal(self)

    def resolved(self, truth: Truth) -> Self:
        self.check_listed(truth)
        judged_by = self.judging(truth)
        pool = (self.pool or JUDGINGS[judged_by].default_pool) if self.normalize == "ideal" else None
        return replace(self, judged_by=judged_by, pool=pool, ideal=self.ideal if pool is None else self.ideal or "greedy")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return ideal_details(self, truth)

    def ideal_request(self, world: World) -> IdealRequest | None:
        if self.normalize != "ideal":
            return None
        assert self.pool is not None
        judged = self if self.unjudged != "full" else replace(self, unjudged="keep")
        return IdealRequest(judged.coverage(world), self.pool, GainRule(self.alpha), Discount("geometric", self.beta))

    def fractions(self, world: World) -> Fractions:
        found = self._fractions(world)
        return found.capped() if self.unjudged == "full" else found

    def _fractions(self, world: World) -> Fractions:
        coverage, request = self.coverage(world), self.ideal_request(world)
        rule, discount = GainRule(self.alpha), Discount("geometric", self.beta)
        reached, ends = gains_over_orders(coverage, rule, discount, self.cutoffs)
        if request is not None:  # the ideal list has the same factor in front, which may be 0
            return against_ideal(self, reached, request, ends)
        if self.of == "listed":
            coverage = with_listed(coverage)
        attainable = np.broadcast_to(coverage.attainable[:, np.newaxis], reached.shape)
        share = np.zeros(reached.shape)
        # Divided first, then multiplied: the order in which ndeval rounds, which shows in halves of its sixth decimal.
        np.divide(1.0 - (1.0 - self.alpha) * self.beta, attainable, out=share, where=attainable > 0)
        return Fractions(reached * share, (attainable > 0).astype(np.float64), ends=None if ends is None else ends.times(share))
