"""Intra-list diversity: how far apart the items of a list are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import Distance, Features, Truth, World


@dataclass(frozen=True)
class IntraListDiversity(UserMetric):
    r"""Mean distance between the items of the top k.

    .. math:: \frac{2}{n(n-1)} \sum_{i < j \le n} d(x_i, x_j)

    over the n items of the top k that have features. Cosine and squared Euclidean distance cost O(k d), not O(k^2 d).

    Args:
        k: Ranks that count; one number or several.
        distance: ``cosine`` is 1 - cos; ``squared_euclidean``; ``euclidean``; ``jaccard`` is 1 - |A and B| / |A or B|
            of the features that are not 0; ``hamming`` is the share of features that differ, ``differing`` their number (the Hamming
            distance of RecTools).
        pairs: ``distinct``: pairs of different items, over n(n-1)/2. ``all``: all n^2 ordered pairs, an item and itself
            included at distance 0.
        average: Mean over ``users``, or over ``links``: each user weighs as much as items of the list count.
        featureless: What to do with an item without features, or without direction under cosine, or empty under
            jaccard: ``skip`` it; ``near``: distance 0 to everything; ``undefined``: skip items without features, but a
            zero vector makes the user's score undefined; ``category``: distance 0 to one another and 1 to all other items
            (LinkPredDiversity of PyG: of aspects, one per item, jaccard).
        single: What a list with one item that has features scores: ``undefined`` or ``zero``; or ``short``: 0 if it is the only item,
            whether or not it has features, and undefined if others have none (RecTools).
        of: What items are compared by: ``features``, or ``aspects``: an item's vector then has 1 for every aspect it has, whatever
            its strength, and 0 for the others. Default: features if given, else aspects.
        aggregate: The ``mean`` of the distances, the smallest (``min``: intra-list minimal distance), the largest (``max``) or the ``sum``.
            Smallest and largest compare every pair, O(k^2 d); the smallest goes with pairs=distinct only.

    Range:
        That of the distance: cosine 0 to 2 (0 to 1 without negative features), jaccard and hamming 0 to 1, others 0 or more.

    Undefined:
        With fewer than two items that have features (but see ``single`` and ``pairs``).

    References:
        Smyth and McClave, ICCBR 2001. Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, features={"a": [1, 0], "b": [0, 2], "c": [3, 0]})
        >>> IntraListDiversity(k=(2, 3)).scores(world).round(4)
        array([[1.    , 0.6667]])
        >>> by_genre = World.of({"u": ["a", "b", "c"]}, aspects={"a": ["crime"], "b": ["scifi"], "c": ["scifi"]})
        >>> IntraListDiversity(k=(2, 3)).scores(by_genre).round(4)
        array([[1.    , 0.6667]])
        >>> IntraListDiversity(k=(2, 3), aggregate="min").scores(world)
        array([[1., 0.]])
    """

    distance: Distance | Literal["differing"] = "cosine"
    pairs: Literal["distinct", "all"] = "distinct"
    average: Literal["users", "links"] = "users"
    featureless: Literal["skip", "near", "undefined", "category"] = "skip"
    single: Literal["undefined", "zero", "short"] = "undefined"
    of: Literal["features", "aspects"] | None = None
    aggregate: Literal["mean", "min", "max", "sum"] = "mean"

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    symbol = "ILD"
    cites = ("smyth2001similarity", "castells2015novelty")
    aliases: ClassVar[Aliases] = {"ILD": {}, "Intra-list diversity": {}, "ILAD": {}, "ILMD": {"aggregate": "min"}}

    family = "distance"
    inputs = ("features",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.aggregate == "min" and self.pairs == "all":
            raise MetricError("IntraListDiversity: aggregate=min goes with pairs=distinct only: an item and itself are at distance 0")

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset({name}) for name in ("features", "aspects") if self.of in (name, None))

    def resolved(self, truth: Truth) -> Self:
        by_aspects = truth.features is None and truth.aspects is not None
        return replace(self, of=self.of or ("aspects" if by_aspects else "features"))

    def fractions(self, world: World) -> Fractions:
        features = world.truth.aspect_features if self.of == "aspects" else world.need_features("IntraListDiversity")
        rankings = world.rankings
        stops = rankings.stops(self.cutoffs)
        places = features.places(rankings.items, self._compared_by)
        absent, zero = (kernels.count_places(rankings.offsets, places, stops, marked) for marked in (-1, -2))
        without = absent + zero
        n = stops if self.featureless in ("near", "category") else stops - without
        numerators = self._distances(features, world, places, stops)
        if self.featureless in ("near", "category"):
            numerators = self._with_featureless(numerators, (stops - without).astype(np.float64), without)
        denominators = self._divisors(int(n.max(initial=0)))[n]
        if self.single == "short":
            denominators = np.where(stops == 1, 1.0, denominators)
        if self.featureless == "undefined":
            denominators = np.where((zero > 0) & (stops - absent > 1), np.nan, denominators)
        if self.average == "links":
            numerators = np.divide(numerators * n, denominators, out=np.zeros(n.shape), where=denominators > 0)
            denominators = np.where(denominators > 0, n, 0.0)
        return Fractions(numerators, denominators, {"places_without_features": without.sum(axis=0)})

    def _distances(self, features: Features, world: World, places: Codes, stops: Codes) -> Floats:
        """The least, greatest or total distance of the pairs of each list, (users, cutoffs)."""
        offsets, unit = world.rankings.offsets, features.width if self.distance == "differing" else 1
        if self.aggregate in ("min", "max"):
            return unit * features.pair_extremes(self._compared_by, self.aggregate == "max", offsets, places, stops)
        sums = unit * features.pair_sums(self._compared_by, offsets, places, stops)
        return sums if self.pairs == "distinct" else 2 * sums

    @property
    def _compared_by(self) -> Distance:
        return "hamming" if self.distance == "differing" else self.distance

    def _with_featureless(self, distances: Floats, with_features: Floats, without: Codes) -> Floats:
        """The distances, joined by those of items without features: 0 to one another, and 0 or 1 to items that have some."""
        far = 1.0 if self.featureless == "category" else 0.0
        mixed = (with_features > 0) & (without > 0)
        if self.aggregate == "max":
            return np.where(mixed, np.maximum(distances, far), distances)
        if self.aggregate == "min":
            least = np.where(mixed, np.where(with_features > 1, np.minimum(distances, far), far), distances)
            return np.where(without > 1, 0.0, least)
        return distances + (1 if self.pairs == "distinct" else 2) * far * with_features * without

    def _divisors(self, largest: int) -> Floats:
        """What distances are divided by, by the number of items: 0 where there is no pair."""
        sizes = np.arange(largest + 1, dtype=np.float64)
        pairs = sizes * sizes if self.pairs == "all" else sizes * (sizes - 1) / 2
        if self.single == "zero":
            pairs[sizes == 1] = 1.0
        return pairs if self.aggregate == "mean" else np.minimum(pairs, 1.0)
