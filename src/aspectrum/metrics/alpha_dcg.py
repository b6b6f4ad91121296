"""alpha-DCG: cumulated gain in which repeated aspects gain less, with or without a discount."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.discounts import LOG2, NONE
from aspectrum.gain import AlphaMetric, check_full, gains_over_orders, perfect_sums
from aspectrum.judging import UnjudgedOrFull
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
        discount: ``log2`` is 1/log2(1+j) and makes DCG, ``none`` is 1 and makes CG.
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

    discount: Literal["log2", "none"] = "log2"
    normalize: Literal["perfect", "pyndeval"] | None = None
    unjudged: UnjudgedOrFull = "keep"
    of: Of = "attainable"
    partial: PartialDocument = "drop"

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

    def fractions(self, world: World) -> Fractions:
        coverage, discount = self.coverage(world), LOG2 if self.discount == "log2" else NONE
        reached, ends = gains_over_orders(coverage, self.rule, discount, self.cutoffs)
        if self.normalize is None:
            some = np.broadcast_to(coverage.attainable[:, np.newaxis] > 0, reached.shape)
            return Fractions(reached, some.astype(np.float64), ends=ends)
        if self.of == "listed":
            coverage = with_listed(coverage)
        found = Fractions(reached, perfect_sums(coverage, discount, self.alpha, self.cutoffs, self.normalize), ends=ends)
        return found.capped() if self.unjudged == "full" else found
