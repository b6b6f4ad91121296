"""Gains of lists: the rule by which an item gains, and discounted sums over the ranks of a list."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.discounts import Discount
from aspectrum.errors import InputError, MetricError
from aspectrum.world import Coverage

GainKind = Literal["linear", "probabilistic"]
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

    @classmethod
    def of(cls, gain: GainKind, alpha: float, gamma: Gamma) -> "GainRule":
        """The rule a metric's parameters name. A gamma per aspect goes into the weights of the coverage instead."""
        if gain == "linear":
            return cls(alpha)
        return cls(alpha, gamma if isinstance(gamma, float) else 1.0)


def place_gains(shown: Coverage, rule: GainRule, stops: Codes) -> Floats:
    """The gain of every place of every list."""
    check_probabilities(shown, rule)
    return kernels.place_gains(shown.kernel, stops, rule.alpha, rule.gamma)


def check_probabilities(shown: Coverage, rule: GainRule) -> None:
    """Under the probabilistic gain a weight is a probability."""
    if rule.gamma is None or shown.wanted is None or shown.wanted.weights is None:
        return
    largest = rule.gamma * float(shown.wanted.weights.max(initial=0.0))
    if largest > 1:
        raise InputError(f"gain='probabilistic' takes weights times gamma as probabilities, found {largest:g}, expected at most 1")


def check_gamma(metric: str, gamma: Gamma) -> None:
    """One probability, or one per aspect."""
    for value in dict(gamma).values() if isinstance(gamma, tuple) else [gamma]:
        if not isinstance(value, float) or not 0 <= value <= 1:
            raise MetricError(f"{metric}: gamma is {value}, expected 0 to 1")


def list_sums(shown: Coverage, rule: GainRule, discount: Discount, stops: Codes) -> Floats:
    """Discounted gains of each list at each stop, (users, cutoffs)."""
    gains = place_gains(shown, rule, stops)
    return kernels.discounted_sums(shown.rankings.offsets, gains, stops, discount.first(int(stops.max(initial=0))))
