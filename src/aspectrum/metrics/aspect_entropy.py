"""Aspect entropy: how evenly a list is spread over aspects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.aspect_shares import Share, aspect_sums
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.divergences import LogBase, cell_sums, check_base, number_of
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions, UserMetric, check_goes_with, check_unit
from aspectrum.world import World


@dataclass(frozen=True)
class AspectEntropy(UserMetric):
    r"""Entropy of the aspects in the top k: 0 means a single aspect, higher is more diverse.

    .. math:: -\sum_a p_a \log_2 p_a \quad \text{with} \quad p_a \propto \sum_{j \le k} D(j) \, s(a, d_j)

    where D(j) is the discount of rank j and s(a, d) is the share of item d that belongs to aspect a.

    Args:
        k: Ranks that count; one number or several.
        share: ``item``: every item has a total weight of 1, split among its aspects, evenly or by strength. ``pair``: every (item, aspect)
            pair has a weight of 1, or its strength.
        discount: D(j): ``none`` is 1, ``log`` is 1/log2(1+j), ``reciprocal`` 1/j, ``geometric`` patience^(j-1), ``clipped``
            1/log2(max(j, 2)). Geometric is LensKit's rank-biased entropy.
        patience: Ratio of the geometric discount.
        index: ``shannon`` entropy, or ``simpson``: 1 minus the sum of squared shares, the probability that two random draws have different
            aspects.
        normalize: Divide by the value of a uniform distribution over all aspects.
        smoothing: Added to the weight of every aspect. LensKit adds 1e-6: with 200,000 aspects, three items that share their only aspect
            then score 1.44 bits instead of 0.
        base: Base of the logarithm; ``e`` for nats.

    Range:
        0 to log2 of the number of aspects; 0 to 1 for ``simpson`` and with ``normalize``.

    Undefined:
        If no item in the top k has an aspect; with ``normalize``, if there is only one aspect.

    References:
        Shannon, Bell System Technical Journal 1948. Simpson, Nature 1949. Rank-biased as in LensKit (Ekstrand, CIKM 2020).

    Examples:
        >>> aspects = {"c": ["y"], "d": ["y", "z"], "e": ["z"], "f": ["x"]}
        >>> world = World.of({"u": ["d", "e", "f"]}, aspects=aspects)
        >>> AspectEntropy(k=(1, 3)).scores(world).round(6)
        array([[1.      , 1.459148]])
    """

    share: Share = "item"
    discount: DiscountKind = "none"
    patience: float = 0.85
    index: Literal["shannon", "simpson"] = "shannon"
    normalize: bool = False
    smoothing: float = 0.0
    base: LogBase = 2.0

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("shannon1948mathematical", "simpson1949measurement", "ekstrand2020lenskit")
    aliases: ClassVar[Aliases] = {"RankBiasedEntropy": {"discount": "geometric"}}

    family = "aspects"
    inputs = ("aspects",)

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]  # how many aspects there are
        return ("aspects",) if self.normalize or self.smoothing else ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, patience=self.patience)
        check_goes_with(self, "patience", "discount", "geometric")
        check_goes_with(self, "base", "index", "shannon")
        check_base(self.base, "AspectEntropy")
        if self.smoothing < 0:
            raise MetricError(f"AspectEntropy: smoothing is {self.smoothing:g}, expected a number from 0")

    def fractions(self, world: World) -> Fractions:
        sets = world.need_aspects("AspectEntropy").sets
        discount = rank_discount(self.discount, self.patience)
        offsets, _, sums = aspect_sums(world, sets, self.share, self.cutoffs, discount)
        known = np.diff(offsets)
        totals = cell_sums(offsets, sums) + sets.n_aspects * self.smoothing
        shares = (sums + self.smoothing) / np.repeat(totals, known)
        scores = cell_sums(offsets, self._terms(shares))
        if self.smoothing:
            # Every aspect that a list does not show has the same share.
            rest = self.smoothing / np.where(known > 0, totals, 1.0)
            scores = scores + (sets.n_aspects - known) * self._terms(rest)
        if self.index == "simpson":
            scores = 1.0 - scores
        denominators = np.where(known > 0, self._largest(sets.n_aspects) if self.normalize else 1.0, 0.0)
        shape = world.n_users, len(self.cutoffs)
        return Fractions(scores.reshape(shape), denominators.reshape(shape))

    def _terms(self, shares: Floats) -> Floats:
        if self.index == "simpson":
            return shares * shares
        return np.where(shares < 1.0, -shares * kernels.logarithms(shares, number_of(self.base)), 0.0)

    def _largest(self, n_aspects: int) -> float:
        """The score of an even spread over all aspects."""
        if n_aspects < 2:
            return 0.0
        if self.index == "simpson":
            return 1.0 - 1.0 / n_aspects
        return float(kernels.logarithms(np.array([float(n_aspects)]), number_of(self.base))[0])
