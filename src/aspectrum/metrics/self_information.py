"""Self-information: how surprising recommended items are, given their popularity."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.item_values import Average, Over, by_count, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class SelfInformation(UserMetric):
    r"""Mean self-information of the top k, in bits: the fewer users interacted with an item, the more surprising it is.

    .. math:: \frac{1}{\min(k, \left|L_u\right|)} \sum_{j \le k} -\log_2 p(d_j)

    where p(d) is the share of users with d in their history, and L_u is the list.

    Args:
        k: Ranks that count; one number or several.
        probability: p(d): the share of ``users`` with a history who interacted with d (mean inverse user frequency; RecTools, RePlay,
            Evidently), or the share of all ``interactions`` that are with d (Microsoft Recommenders).
        unseen: An unseen item, one that no user interacted with, counts as an item with ``one`` user (RecTools, RePlay, WarpRec), as the
            ``rarest`` seen item, as 0 bits (``zero``; Microsoft Recommenders), or is left out (``skip``; Evidently).
        over: A short list is divided by its length (``list``) or by ``k`` (RePlay, recmetrics): a single item of maximum novelty then
            scores 1/k of the maximum, and an empty list 0.
        normalize: Divide by the self-information of an item with one user (or one interaction), so that scores lie between 0 and 1
            (RePlay).
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight (Microsoft Recommenders).

    Range:
        0 to log2 of the number of users (or interactions); 0 to 1 with ``normalize``.

    Undefined:
        For an empty list, or one with no items left; if no user interacted with any item; with ``normalize``, if there is only one user (or
        interaction).

    References:
        Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 2010.

    Examples:
        >>> history = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
        >>> world = World.of({"u1": ["a"], "u2": ["b", "c"], "u3": ["new"]}, history=history)
        >>> SelfInformation(k=2).scores(world)[:3].ravel()
        array([0. , 1.5, 2. ])
    """

    probability: Literal["users", "interactions"] = "users"
    unseen: Literal["one", "skip", "zero", "rarest"] = "one"
    over: Over = "list"
    normalize: bool = False
    average: Average = "users"

    cites = ("zhou2010solving",)
    family = "novelty"
    built_on = ("popularity",)
    aliases: ClassVar[Aliases] = {
        "MSI": {},
        "MeanSelfInformation": {},
        "MIUF": {},
        "IUF": {},
        "MeanInvUserFreq": {},
        "Surprisal": {"over": "k", "normalize": True},
    }

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_popularity(of_users=self.probability == "users" or self.normalize)

    def fractions(self, world: World) -> Fractions:
        counts = item_counts(world, self.probability)
        unseen, noticed = unseen_places(world, counts, self.cutoffs)
        bits = world.remember(("self-information", self.probability, self.unseen), lambda: self._bits(world))
        skipped = unseen if self.unseen == "skip" else None
        sums, n = value_sums(world, bits[world.known_items], self.cutoffs, self.over, skipped=skipped)
        return Fractions(sums, n * self._unit(world), noticed)

    def _total(self, world: World) -> int:
        popularity = world.truth.item_popularity
        return popularity.n_users if self.probability == "users" else popularity.n_interactions

    def _unit(self, world: World) -> float:
        """What scores are relative to; 0 where they have no meaning."""
        total = self._total(world) if item_counts(world, self.probability).any() else 0
        return math.log2(total) if self.normalize and total else float(total > 0)

    def _bits(self, world: World) -> Floats:
        """The self-information of each item, by its code in the truth, and of items that only lists name."""
        counts, total = item_counts(world, self.probability), self._total(world)
        seen = counts[counts > 0]
        least = int(seen.min(initial=total)) if self.unseen == "rarest" else 1
        bits = by_count(np.where(counts > 0, counts, least), lambda count: math.log2(max(total, 1) / max(count, 1)))
        return np.where(counts > 0, bits, 0.0) if self.unseen in ("zero", "skip") else bits
