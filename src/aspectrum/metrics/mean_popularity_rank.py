"""How high the recommended items stand in the order of popularity."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Counts, Floats
from aspectrum.blocks.item_values import Average, Over, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class MeanPopularityRank(UserMetric):
    r"""Mean popularity percentile of the top of the list: 1 is the most popular item. Less is less popularity bias.

    .. math:: \frac{1}{\min(k, \left|L_u\right|)} \sum_{j \le k} \frac{\text{rank}(d_j)}{n}

    where rank(d) counts the n items that somebody had from the least popular on; equally popular items share the mean of their ranks.

    Args:
        k: Ranks that count; one number or several.
        unseen: An item that nobody had counts ``zero`` (LensKit), or is left out (``skip``).
        over: A short list is divided by its length (``list``) or by ``k``; an empty list then scores 0.
        average: Mean over ``users``, or over ``links``: all recommendations count alike.

    Range:
        0 to 1.

    Undefined:
        For an empty list, or one of which nothing is left; where nobody had any item.

    References:
        MeanPopRank in LensKit (Ekstrand, CIKM 2020).

    Examples:
        >>> history = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> world = World.of({"u1": ["a", "b"]}, history=history)
        >>> MeanPopularityRank(k=(1, 2)).scores(world)[0]
        array([1.  , 0.75])
    """

    unseen: Literal["zero", "skip"] = "zero"
    over: Over = "list"
    average: Average = "users"

    cites = ("ekstrand2020lenskit",)
    family = "popularity"
    higher_is_better = False
    built_on = ("popularity",)
    aliases: ClassVar[Aliases] = {"MeanPopRank": {}}

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_popularity()

    def fractions(self, world: World) -> Fractions:
        counts = item_counts(world)
        unseen, noticed = unseen_places(world, counts, self.cutoffs)
        ranks = world.remember("popularity ranks", lambda: _mean_ranks(counts))
        skipped = unseen if self.unseen == "skip" else None
        sums, n = value_sums(world, ranks[world.known_items], self.cutoffs, self.over, skipped=skipped)
        return Fractions(sums, n * np.count_nonzero(counts), noticed)  # halves add up exactly


def _mean_ranks(counts: Counts) -> Floats:
    """The rank of each item among those that somebody had, the least popular first; ties share the mean of their ranks, 0 if unseen."""
    distinct, places, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    sizes[distinct == 0] = 0
    ranks: Floats = np.where(distinct == 0, 0.0, np.cumsum(sizes) - (sizes - 1) / 2)
    return ranks[places.reshape(counts.shape)]
