"""Mean popularity percentile of recommended items."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Counts, Floats
from aspectrum.blocks.item_values import Average, Over, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class MeanPopularityRank(UserMetric):
    r"""Mean popularity percentile of the top k: 1 is the most popular item. Lower means less popularity bias.

    .. math:: \frac{1}{\min(k, \left|L_u\right|)} \sum_{j \le k} \frac{\text{rank}(d_j)}{n}

    where rank(d) is the rank of d among the n items that any user interacted with, 1 for the least popular; ties share the mean of their
    ranks.

    Args:
        k: Ranks that count; one number or several.
        unseen: An unseen item, one that no user interacted with, counts ``zero`` (LensKit), or is left out (``skip``).
        over: A short list is divided by its length (``list``) or by ``k``; an empty list then scores 0.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.

    Range:
        0 to 1.

    Undefined:
        For an empty list, or one with no items left; if no user interacted with any item.

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
    """The rank of each item among those any user interacted with, the least popular first; ties share their mean rank, 0 if unseen."""
    distinct, places, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    sizes[distinct == 0] = 0
    ranks: Floats = np.where(distinct == 0, 0.0, np.cumsum(sizes) - (sizes - 1) / 2)
    return ranks[places.reshape(counts.shape)]
