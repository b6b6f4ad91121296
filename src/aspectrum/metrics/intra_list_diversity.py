"""Intra-list diversity: how far apart the items of a list are."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np

from aspectrum import kernels
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import Distance, Truth, World


@dataclass(frozen=True)
class IntraListDiversity(UserMetric):
    r"""Mean distance between the items of the top k.

    .. math:: \frac{2}{n(n-1)} \sum_{i < j \le n} d(x_i, x_j)

    over the n items of the top k that have features. Cosine and squared Euclidean distance cost O(k d), not O(k^2 d).

    Args:
        k: Ranks that count; one number or several.
        distance: ``cosine`` is 1 - cos; ``squared_euclidean``; ``euclidean``; ``jaccard`` is 1 - |A and B| / |A or B|
            of the features that are not 0; ``hamming`` is the share of features that differ.
        pairs: ``distinct``: pairs of different items, over n(n-1)/2. ``all``: all n^2 ordered pairs, an item and itself
            included at distance 0.
        average: Mean over ``users``, or over ``links``: each user weighs as much as items of the list count.
        featureless: What to do with an item without features, or without direction under cosine, or empty under
            jaccard: ``skip`` it; ``near``: distance 0 to everything; ``undefined``: skip items without features, but a
            zero vector makes the user's score undefined.
        single: What a list with one item that has features scores: ``undefined`` or ``zero``.
        of: What items are compared by: ``features``, or ``aspects``: an item's vector then has 1 for every aspect it has, whatever
            its strength, and 0 for the others. Default: features if given, else aspects.

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
    """

    distance: Distance = "cosine"
    pairs: Literal["distinct", "all"] = "distinct"
    average: Literal["users", "links"] = "users"
    featureless: Literal["skip", "near", "undefined"] = "skip"
    single: Literal["undefined", "zero"] = "undefined"
    of: Literal["features", "aspects"] | None = None

    symbol = "ILD"
    cites = ("smyth2001similarity", "castells2015novelty")
    aliases: ClassVar[Aliases] = {"ILD": {}, "Intra-list diversity": {}}

    family = "distance"
    inputs = ("features",)

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
        places = features.places(rankings.items, self.distance)
        sums = features.pair_sums(self.distance, rankings.offsets, places, stops)
        absent, zero = (kernels.count_places(rankings.offsets, places, stops, marked) for marked in (-1, -2))
        n = stops if self.featureless == "near" else stops - absent - zero
        sizes = np.arange(int(n.max(initial=0)) + 1, dtype=np.float64)
        if self.pairs == "distinct":
            numerators, pairs = sums, sizes * (sizes - 1) / 2
            if self.single == "zero":
                pairs[sizes == 1] = 1.0
        else:
            numerators, pairs = 2 * sums, sizes * sizes
        denominators = pairs[n]
        if self.featureless == "undefined":
            denominators = np.where((zero > 0) & (stops - absent > 1), np.nan, denominators)
        if self.average == "links":
            numerators = np.divide(numerators * n, denominators, out=np.zeros(n.shape), where=denominators > 0)
            denominators = np.where(denominators > 0, n, 0.0)
        return Fractions(numerators, denominators, {"places_without_features": (absent + zero).sum(axis=0)})
