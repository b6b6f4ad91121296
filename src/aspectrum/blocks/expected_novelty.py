"""Novelty of lists by the popularity of items, discounted by rank and weighted by relevance: what EPC and EFD share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.item_values import Average, Over, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.blocks.rank_and_relevance import RankAndRelevanceMetric, RelevanceOfItems
from aspectrum.metric import Fractions
from aspectrum.world import World


@dataclass(frozen=True)
class ExpectedNovelty(RankAndRelevanceMetric):
    """The expected novelty of the items that a user looks at and likes; what makes an item novel is its popularity."""

    abstract: ClassVar[bool] = True

    relevance: RelevanceOfItems = "auto"
    average: Average = "users"
    over: Over = "list"

    of_users: ClassVar[bool] = True
    """Whether it matters how many users there are."""

    cites = ("vargas2011rank",)
    family = "novelty"
    facts = ("popularity",)

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_popularity(*self.needs_relevance, of_users=self.of_users)

    def novelty(self, world: World) -> Floats:
        """The novelty of each item, by its code in the truth, and of items found only in the lists; NaN if no user interacted with any item."""
        raise NotImplementedError

    def fractions(self, world: World) -> Fractions:
        of_items = world.remember((type(self).__name__, "novelty", self.parameters["unseen"]), lambda: self.novelty(world))
        _, noticed = unseen_places(world, item_counts(world), self.cutoffs)
        if math.isnan(of_items[-1]):
            nothing = np.zeros((world.n_users, len(self.cutoffs)))
            return Fractions(nothing, nothing, noticed)
        values = of_items[world.known_items] * self.place_relevance(world)
        gained, ranks = value_sums(world, values, self.cutoffs, self.over, self.rank_discount)
        return Fractions(gained, self.of_users_with_relevant_items(world, ranks), noticed)
