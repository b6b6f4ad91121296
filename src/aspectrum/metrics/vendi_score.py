"""Vendi score: effective number of distinct items in a list."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class VendiScore(UserMetric):
    r"""Effective number of distinct items in the top k: 1 if all are identical, n if no two have anything in common.

    .. math:: \exp \left( - \sum_{i} \lambda_i \ln \lambda_i \right)

    where the λ are the eigenvalues of K / n, and K holds the cosine similarities of the n items in the top k that have features. For
    another order q, it is the Hill number of the eigenvalues: the sum of λ^q to the power of 1 / (1 - q). Eigenvalues below n 1e-15 are
    rounding errors and count as 0. The cost is O(n^2 d + n^3).

    Args:
        k: Ranks that count; one number or several.
        q: Order, from 0: the higher, the less rare items count. 0 is the rank of K, 1 the exponential of the entropy, 2 the inverse of the
            probability that two random draws are alike, and ``inf`` the inverse of the largest eigenvalue.

    Range:
        1 to the number of items with features.

    Undefined:
        If no item has features (a vector of zeros has no cosine).

    References:
        Friedman and Dieng, TMLR 2023. Pasarkar and Dieng, AISTATS 2024 (other orders).

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, features={"a": [1, 0], "b": [0, 2], "c": [3, 0]})
        >>> VendiScore(k=(1, 2, 3)).scores(world).round(4)
        array([[1.    , 2.    , 1.8899]])
        >>> VendiScore(k=3, q="inf").scores(world).round(4)
        array([[1.5]])
    """

    q: float | Literal["inf"] = 1.0

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    cites = ("friedman2023vendi", "pasarkar2024cousins")
    family = "distance"
    inputs = ("features",)
    aliases: ClassVar[Aliases] = {"Vendi": {}}

    def __post_init__(self) -> None:
        if self.q == math.inf:  # which the text form reads as a number
            object.__setattr__(self, "q", "inf")
        super().__post_init__()
        if self.q != "inf" and self.q < 0:
            raise MetricError(f"VendiScore: q is {self.q:g}, expected a number from 0, or inf")

    def fractions(self, world: World) -> Fractions:
        features, rankings = world.need_features("VendiScore"), world.rankings
        stops = rankings.stops(self.cutoffs)
        places = features.places(rankings.items, "cosine")
        scores = features.vendi_scores(float(self.q), rankings.offsets, places, stops)
        absent, zero = (kernels.count_places(rankings.offsets, places, stops, marked) for marked in (-1, -2))
        defined = ~np.isnan(scores)
        noticed = {"places_without_features": (absent + zero).sum(axis=0)}
        return Fractions(np.where(defined, scores, 0.0), defined.astype(np.float64), noticed)
