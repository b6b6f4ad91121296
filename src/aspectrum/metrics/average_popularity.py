"""Average popularity of recommended items."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.blocks.item_values import Average, Counted, Over, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class AveragePopularity(UserMetric):
    r"""Mean popularity of the top k: how many users interacted with each item. Lower means less popularity bias.

    .. math:: \frac{1}{\min(k, \left|L_u\right|)} \sum_{j \le k} \text{users}(d_j)

    where users(d) is the number of users with d in their history, and L_u is the list.

    Args:
        k: Ranks that count; one number or several.
        scale: What popularity is divided by: nothing (``count``; RecTools, RecBole, PyG), the number of ``users`` with a history, the
            number of ``interactions`` (RecTools with normalize=True), or the popularity of the most popular item (``max``; Evidently with
            normalize_arp=True).
        count: Popularity is the number of ``users`` who interacted with an item, or the number of ``interactions`` with it, repeats
            included, where the history has counts.
        unseen: Popularity of an unseen item, one that no user interacted with: ``zero`` or ``one`` (WarpRec); or the item is left out
            (``skip``; Evidently).
        over: A short list is divided by its length (``list``) or by ``k`` (WarpRec); an empty list then scores 0.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.

    Range:
        From 0; 0 to 1 with scale=max, scale=interactions, or scale=users and count=users.

    Undefined:
        For an empty list, or one with no items left; unless scale=count, if no user interacted with any item.

    References:
        Yin, Cui, Li, Yao and Chen, PVLDB 2012. Abdollahpouri, Burke and Mobasher, FLAIRS 2019.

    Examples:
        >>> history = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
        >>> world = World.of({"u1": ["d", "e", "f"], "u3": ["b", "e", "c"]}, history=history)
        >>> AveragePopularity(k=3).scores(world)[:2].round(4)
        array([[0.6667],
               [1.3333]])
    """

    scale: Literal["count", "users", "interactions", "max"] = "count"
    count: Counted = "users"
    unseen: Literal["zero", "skip", "one"] = "zero"
    over: Over = "list"
    average: Average = "users"

    cites = ("yin2012challenging", "abdollahpouri2019managing")
    family = "popularity"
    higher_is_better = False
    built_on = ("popularity",)
    aliases: ClassVar[Aliases] = {"ARP": {}, "AvgPopularity": {}, "MeanPopularity": {}, "Average recommendation popularity": {}}

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_popularity(of_users=self.scale == "users")

    def fractions(self, world: World) -> Fractions:
        counts = item_counts(world, self.count)
        unseen, noticed = unseen_places(world, counts, self.cutoffs)
        values = counts[world.known_items].astype(np.float64)
        if self.unseen == "one":
            values[unseen] = 1.0
        sums, n = value_sums(world, values, self.cutoffs, self.over, skipped=unseen if self.unseen == "skip" else None)
        return Fractions(sums, n * self._divisor(world), noticed)  # sums of whole numbers: divided once, they are rounded once

    def _divisor(self, world: World) -> float:
        """What a count of 1 is worth."""
        popularity = world.truth.item_popularity
        if self.scale == "users":
            return float(popularity.n_users)
        if self.scale == "interactions":
            return float(popularity.n_interactions)
        return float(item_counts(world, self.count).max()) if self.scale == "max" else 1.0
