"""Gains of lists: the rule by which an item gains, and discounted sums over the ranks of a list."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.discounts import Discount, discount_sums
from aspectrum.errors import InputError, MetricError
from aspectrum.judging import Coverage, JudgedBy, cover
from aspectrum.metric import AspectMetric, Ends, check_goes_with, check_unit
from aspectrum.metric_text import written
from aspectrum.world import World

Gamma = float | Mapping[Hashable, float] | tuple[tuple[Hashable, float], ...]
"""One number, or one per aspect; a mapping becomes pairs, so that the metric stays a value."""


@dataclass(frozen=True)
class GainRule:
    """How an item gains: eq. 7 of Clarke et al. (2008), or, with a gamma, their eq. 6."""

    alpha: float
    gamma: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("gamma", self.gamma)):
            if value is not None and not 0 <= value <= 1:
                raise MetricError(f"{name} is {value:g}, expected 0 to 1")


@dataclass(frozen=True)
class AlphaMetric(AspectMetric):
    """A metric of gains by eq. 7 (``linear``) or eq. 6 (``probabilistic``) of Clarke et al. (2008)."""

    abstract: ClassVar[bool] = True

    alpha: float = 0.5
    judged_by: JudgedBy | None = None
    gain: Literal["linear", "probabilistic"] = "linear"
    gamma: Gamma = 1.0

    preferred = ("history", "relevance")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, alpha=self.alpha)
        check_goes_with(self, "gamma", "gain", "probabilistic")
        for gamma in dict(self.gamma).values() if isinstance(self.gamma, tuple) else [self.gamma]:
            if not isinstance(gamma, float) or not 0 <= gamma <= 1:
                raise MetricError(f"{type(self).__name__}: gamma is {gamma}, expected 0 to 1")

    @property
    def rule(self) -> GainRule:
        """How items gain. A gamma per aspect goes into the weights of the coverage instead."""
        if self.gain == "linear":
            return GainRule(self.alpha)
        return GainRule(self.alpha, self.gamma if isinstance(self.gamma, float) else 1.0)

    def coverage(self, world: World) -> Coverage:
        assert self.judged_by is not None
        gammas = dict(self.gamma) if isinstance(self.gamma, tuple) else None
        return cover(world, self.judged_by, unjudged=self.parameters["unjudged"], gammas=gammas)


def check_full(metric: AspectMetric) -> None:
    """What goes with unjudged items that would hold everything: aspects that are listed, and an ideal of what is judged."""
    chosen = metric.parameters
    if chosen["unjudged"] != "full":
        return
    allowed: dict[str, tuple[Any, ...]] = {
        "judged_by": (None, "subtopics"),
        "gain": ("linear",),
        "grades": (False,),
        "ideal": ("greedy", "exact", None),
        "pool": ("judged", "catalogue", "unseen", None),
        "intents": ("uniform", "given", None),
    }
    for name, values in allowed.items():
        if name in chosen and chosen[name] not in values:
            raise MetricError(f"{type(metric).__name__}: unjudged=full does not go with {name}={written(chosen[name])}")


def place_gains(coverage: Coverage, rule: GainRule, stops: Codes) -> Floats:
    """The gain of every place of every list; with a gamma, weights are probabilities."""
    if rule.gamma is not None and coverage.wanted is not None and coverage.wanted.weights is not None:
        largest = rule.gamma * float(coverage.wanted.weights.max(initial=0.0))
        if largest > 1:
            raise InputError(f"gain='probabilistic' takes weights times gamma as probabilities, found {largest:g}, expected at most 1")
    return kernels.place_gains(coverage.kernel, stops, rule.alpha, rule.gamma)


def list_sums(coverage: Coverage, rule: GainRule, discount: Discount, cutoffs: Sequence[int]) -> Floats:
    """Discounted gains of each list at each cutoff, (users, cutoffs); averages where all orders of equal scores count."""
    stops = coverage.stops(cutoffs)
    if coverage.tied is None:
        gains = place_gains(coverage, rule, stops)
    else:
        assert rule.gamma is None  # the metric has made sure
        gains = kernels.expected_gains(coverage.kernel, stops, coverage.tied, rule.alpha)
    return kernels.discounted_sums(coverage.rankings.offsets, gains, stops, discount.first(int(stops.max(initial=0))))


def gains_over_orders(coverage: Coverage, rule: GainRule, discount: Discount, cutoffs: Sequence[int]) -> tuple[Floats, Ends | None]:
    """The same, with the least and the greatest sums over all orders of equal scores; None if there are no several orders."""
    sums = list_sums(coverage, rule, discount, cutoffs)
    if coverage.tied is None:
        return sums, None
    stops = coverage.stops(cutoffs)
    discounts = discount.first(int(stops.max(initial=0)))
    least, greatest, proved = kernels.extreme_gains(coverage.kernel, coverage.tied, stops, rule.alpha, discounts)
    return sums, Ends(least, greatest, proved.view(np.bool_))


def perfect_sums(coverage: Coverage, discount: Discount, alpha: float, cutoffs: Sequence[int], normalize: str) -> Floats:
    """What a list that shows every attainable aspect at every rank j <= k gains, (users, cutoffs): each (1-alpha)^(j-1) x discount.

    Without a cutoff the list is as long as the user's own, and at least one item long. For ``pyndeval``, 1 at k = 1.
    """
    distinct, place = np.unique(coverage.rankings.depths(cutoffs), return_inverse=True)
    attainable = coverage.attainable[:, np.newaxis]
    perfect = discount_sums(discount, distinct, 1.0 - alpha)[place].reshape(-1, len(cutoffs)) * attainable
    if normalize == "pyndeval":
        perfect[:, np.array(cutoffs) == 1] = attainable > 0
    return perfect
