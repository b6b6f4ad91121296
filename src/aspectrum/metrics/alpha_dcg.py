"""alpha-DCG: cumulated gain in which repeated aspects gain less, with or without a discount."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.discounts import LOG2, NONE
from aspectrum.errors import MetricError
from aspectrum.gain import AlphaMetric, check_full, gains_over_orders, perfect_sums, place_gains
from aspectrum.judging import Coverage, JudgedBy, UnjudgedOrFull
from aspectrum.judging.questions import Of, with_listed
from aspectrum.metric import Aliases, Fractions, check_goes_with
from aspectrum.tokens import PartialDocument
from aspectrum.world import World


@dataclass(frozen=True)
class AlphaDCG(AlphaMetric):
    r"""Discounted cumulated gain of a list in which repeated aspects gain less; without a discount, cumulated gain.

    .. math:: \sum_{j \le k} G[j] \cdot \text{disc}(j), \quad G[j] = \sum_{i \in J(u, d_j)} (1-\alpha)^{r_i(j-1)}

    Args:
        k: Ranks that count; one number or several.
        alpha: How much a repeated aspect loses, 0 to 1.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else history, else relevance.
        gain: ``linear`` is the paper's eq. 7, ``probabilistic`` its eq. 6.
        gamma: For eq. 6, the probability that a user wants an aspect: one number, or one per aspect.
        discount: ``log2`` is 1/log2(1+j) and makes DCG, ``none`` is 1 and makes CG. ``tokens`` is 1/log2(2 + t/unit) where t is how many tokens
            the documents before have: that of ranks, if every document has as many as the unit.
        unit: For ``discount="tokens"``, the number of tokens that counts as a rank, above 0.
        normalize: ``perfect`` divides by a list that shows every attainable aspect at every rank; ``pyndeval`` does so
            except at k = 1.
        unjudged: As for AlphaNDCG.
        of: The perfect list shows the aspects that some item has (``attainable``), or all that are ``listed``, as for
            AspectRecall.
        partial: At a cutoff in tokens, the first document that does not fit ends the list (``drop``), counts as far as it fits
            (``share``: its strengths times that share) or in full (``keep``), or is passed over (``skip``).

    Range:
        0 or more; with ``normalize`` 0 to 1.

    Undefined:
        For a user with no attainable aspect.

    References:
        Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008.

    Examples:
        >>> world = World.of({"q": ["a", "b"]}, subtopics={"q": {"a": [2, 4], "b": [2]}})
        >>> AlphaDCG(k=(1, 2), discount="none").scores(world)
        array([[2. , 2.5]])
    """

    discount: Literal["log2", "none", "tokens"] = "log2"
    normalize: Literal["perfect", "pyndeval"] | None = None
    unjudged: UnjudgedOrFull = "keep"
    of: Of = "attainable"
    partial: PartialDocument = "drop"
    unit: float | None = None

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"normalize": (None,)}
    symbol = r"$\alpha$-DCG"
    cites = ("clarke2008novelty",)
    aliases: ClassVar[Aliases] = {
        "alpha_DCG": {},
        "α_DCG": {},
        "AlphaCG": {"discount": "none"},
        "alpha_CG": {"discount": "none"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_full(self)
        check_goes_with(self, "of", "normalize", "perfect", "pyndeval")
        check_goes_with(self, "of", "judged_by", None, "subtopics")
        check_goes_with(self, "normalize", "gain", "linear")
        check_goes_with(self, "unit", "discount", "tokens")
        if self.discount == "tokens":
            check_goes_with(self, "discount", "normalize", None)
            check_goes_with(self, "discount", "unjudged", "keep", "full")
            if self.unit is None or self.unit <= 0:
                raise MetricError(
                    f"AlphaDCG: discount=tokens needs a number of tokens above 0 that counts as a rank, found unit={self.unit}"
                )

    def needs_beside(self, judged_by: JudgedBy) -> Iterable[tuple[str, ...]]:
        return [(*(("lengths",) if self.discount == "tokens" else ()), *more) for more in super().needs_beside(judged_by)]

    def fractions(self, world: World) -> Fractions:
        coverage, discount = self.coverage(world), LOG2 if self.discount == "log2" else NONE
        if self.discount == "tokens":
            reached, ends = self._discounted_by_tokens(world, coverage), None
        else:
            reached, ends = gains_over_orders(coverage, self.rule, discount, self.cutoffs)
        if self.normalize is None:
            some = np.broadcast_to(coverage.attainable[:, np.newaxis] > 0, reached.shape)
            return Fractions(reached, some.astype(np.float64), ends=ends)
        if self.of == "listed":
            coverage = with_listed(coverage)
        found = Fractions(reached, perfect_sums(coverage, discount, self.alpha, self.cutoffs, self.normalize), ends=ends)
        return found.capped() if self.unjudged == "full" else found

    def _discounted_by_tokens(self, world: World, coverage: Coverage) -> Floats:
        """Gains over the logarithm of what stands before, of lists whose places are those of the world."""
        assert self.unit is not None
        rankings = world.rankings
        lengths = world.lengths_of_places(str(self))
        before = np.append(np.int64(0), np.cumsum(lengths))  # whole numbers: what other lists have is taken away without a trace
        tokens = before[:-1] - np.repeat(before[rankings.offsets[:-1]], rankings.lengths)
        discounts = 1.0 / kernels.logarithms(2.0 + tokens / self.unit, 2.0)
        stops = coverage.stops(self.cutoffs)
        gains = place_gains(coverage, self.rule, stops) * discounts
        return kernels.discounted_sums(rankings.offsets, gains, stops, np.ones(int(stops.max(initial=0))))
