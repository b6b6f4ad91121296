"""alpha-nDCG: relevance with novelty, against the best list there could be."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum import kernels
from aspectrum.discounts import LOG2
from aspectrum.gain import AlphaMetric, check_full, gains_over_orders, place_gains
from aspectrum.ideal import IdealRequest, against_context, against_ideal, budget_of, check_ideal, ideal_details
from aspectrum.judging import JUDGINGS, PoolName, UnjudgedOrFull
from aspectrum.metric import Aliases, Fractions, check_goes_with
from aspectrum.tokens import PartialDocument
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class AlphaNDCG(AlphaMetric):
    r"""Discounted gain of a list in which repeated aspects gain less, over that of the ideal list.

    .. math:: \frac{\sum_{j \le k} G[j] / \log_2(1+j)}{\sum_{j \le k} G^*[j] / \log_2(1+j)},
        \quad G[j] = \sum_{i \in J(u, d_j)} (1-\alpha)^{r_i(j-1)}

    where r_i(j-1) is how many of the first j-1 items have aspect i counted, and G* is the gain of the ideal list.
    With weights w of aspects and strengths s of judgments,
    G[j] = sum_i w_i s_ij prod_{l<j} (1 - alpha s_il).

    Args:
        k: Ranks that count; one number or several. Without a cutoff the ideal is as long as the pool.
        alpha: How much a repeated aspect loses, 0 to 1. With 1 only the first occurrence counts.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else history, else relevance.
        gain: ``linear`` is the paper's eq. 7, ``probabilistic`` its eq. 6.
        gamma: For eq. 6, the probability that a user wants an aspect: one number, or one per aspect.
        ideal: ``greedy`` takes the largest gain at each rank, which can be beaten; ``exact`` is the best list there is at each
            cutoff, with a proof; ``sorted`` sorts the list's own gains, which gives 1 to a list that repeats one genre, and
            is there to reproduce such numbers only.
        pool: What the ideal list chooses from: ``judged`` items, the ``catalogue``, its ``unseen`` part (without the
            user's history) or the ``list`` itself. Default: judged for subtopics and relevance, else the catalogue.
        unjudged: Whether unjudged items ``keep`` their rank, or are removed before the cutoff (``condense``: later items move up) or after
            it (``drop``: nothing fills the gaps). ``full`` is the upper end of a frozen interval, for judgments by subtopics: each unjudged
            item holds every aspect that is listed, the ideal stays that of what is judged, and no score exceeds 1. It is no bound of the score
            after more judging, which changes the ideal, too.
        budget: For an exact ideal, the work that may be spent on one list; a unit is about a second, counted in operations
            so that every machine finds the same. Default: 2.
        seconds: For an exact ideal, how long HiGHS may look for a list that is still open then, by the clock. Default: 0.
        partial: At a cutoff in tokens, the first document that does not fit ends the list (``drop``), counts as far as it fits
            (``share``: its strengths times that share) or in full (``keep``), or is passed over (``skip``). The ideal is then the best
            context: the largest gain of whole documents of the pool, in the best order, that fit together, with a proof as for ``exact``.
            Scores with ``share`` and ``keep``, which exceed the budget, may be above 1.

    Range:
        0 to 1, but a list may beat a greedy ideal and score above 1.

    Undefined:
        If the ideal list gains nothing; at a cutoff in tokens, if no document that gains fits. (``sorted`` instead scores 0 if the list gains nothing, and is undefined if the
        user has no aspect to gain or nothing is left of the list.)

    References:
        Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008.

    Examples:
        >>> nuggets = {"a": [2, 4], "b": [2], "c": [2], "e": [1, 6], "f": [1], "g": [3], "h": [1]}
        >>> world = World.of({"q": list("abcdefghij")}, subtopics={"q": nuggets})
        >>> AlphaNDCG(k=(1, 2, 3)).scores(world).round(4)
        array([[1.    , 0.7099, 0.6487]])
    """

    ideal: Literal["greedy", "exact", "sorted"] = "greedy"
    pool: PoolName | None = None
    unjudged: UnjudgedOrFull = "keep"
    budget: float | None = None
    seconds: float | None = None
    partial: PartialDocument = "drop"

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "gain": ("linear",),
        "ideal": ("greedy", "exact"),
        "pool": (None, "judged", "catalogue", "unseen"),
        "seconds": (None,),
    }
    symbol = r"$\alpha$-nDCG"
    cites = ("clarke2008novelty",)
    aliases: ClassVar[Aliases] = {"alpha_nDCG": {}, "α_nDCG": {}, "alpha-nDCG": {}, "α-nDCG": {}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_full(self)
        check_goes_with(self, "pool", "ideal", "greedy", "exact")
        check_ideal(self)
        if self.ideal == "exact":
            check_goes_with(self, "ideal", "gain", "linear")

    def resolved(self, truth: Truth) -> Self:
        judged_by = self.judging(truth)
        pool = None if self.ideal == "sorted" else self.pool or JUDGINGS[judged_by].default_pool
        return replace(self, judged_by=judged_by, pool=pool)

    def details(self, truth: Truth) -> Mapping[str, Any]:
        if self.budgets:
            return {"ideal": "exact", "budget": budget_of(self).work}
        return ideal_details(self, truth)

    def ideal_request(self, world: World) -> IdealRequest | None:
        if self.ideal == "sorted":
            return None
        assert self.pool is not None
        judged = self if self.unjudged != "full" else replace(self, unjudged="keep")
        coverage = judged.coverage(world)
        return IdealRequest(coverage.whole or coverage, self.pool, self.rule, LOG2)

    def fractions(self, world: World) -> Fractions:
        coverage, request = self.coverage(world), self.ideal_request(world)
        if request is not None:
            reached, ends = gains_over_orders(coverage, self.rule, LOG2, self.cutoffs)
            if world.context is not None:
                found = against_context(reached, request, budget_of(self))
            else:
                found = against_ideal(self, reached, request, ends)
            return found.capped() if self.unjudged == "full" else found
        stops, offsets = coverage.stops(self.cutoffs), coverage.rankings.offsets
        gains, discounts = place_gains(coverage, self.rule, stops), LOG2.first(int(stops.max(initial=0)))
        reached = kernels.discounted_sums(offsets, gains, stops, discounts)
        best = kernels.sorted_sums(offsets, gains, stops, stops, discounts)
        scored = (coverage.attainable[:, np.newaxis] > 0) & (stops > 0)
        return Fractions(reached, np.where(scored, np.where(best > 0, best, 1.0), 0.0))
