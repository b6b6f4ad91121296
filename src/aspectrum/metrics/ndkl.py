"""NDKL: divergence of the groups in every prefix of a list from a target."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.group_targets import TargetMetric, Targets, shares_of, targets
from aspectrum.blocks.item_groups import membership
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.discounts import LOG2
from aspectrum.divergences import Distributions, Divergence, LogBase, check_base, number_of
from aspectrum.metric import Aliases, Fractions
from aspectrum.world import World

_CELLS_AT_A_TIME = 200_000


@dataclass(frozen=True)
class NDKL(TargetMetric):
    r"""KL divergence of the groups in each prefix of the top k from a target, averaged with a discount: 0 is fair.

    .. math:: \frac{\sum_{i \le k} D_{KL}(p_i \| t) \, / \log_2(i + 1)}{\sum_{i \le k} 1 / \log_2(i + 1)}

    where p_i is the distribution over groups of the first i items, and t is the target. An item in several groups belongs to all of them
    equally, unless shares are given. Items without a group keep their rank and are counted in the details; prefixes in which no item has a
    group are left out.

    Args:
        k: Ranks that count; one number or several.
        target: Target distribution: the groups' shares of the ``catalogue``, of the user's ``relevant`` items, or of the top k of the
            ``list`` itself (FairRankTune); equal shares (``uniform``, over the groups in the catalogue); or given shares such as {P: 0.7,
            Q: 0.3}, which are normalised to sum to 1.
        base: Base of the logarithm in the divergence: ``e`` (nats) or a number above 1.

    Range:
        From 0.

    Undefined:
        For a list in which no item has a group; if a group in the list has no share of the target, or the target is empty.

    References:
        Geyik, Ambler and Kenthapadi, KDD 2019.

    Examples:
        >>> world = World.of({"u1": ["d", "e", "f"]}, groups={"d": "P", "e": "Q", "f": "Q", "c": "P"})
        >>> NDKL(k=3, target="list").scores(world)[0].round(5)
        array([0.53299])
    """

    base: LogBase = "e"

    symbol = "NDKL"
    cites = ("geyik2019fairness",)
    higher_is_better = False
    aliases: ClassVar[Aliases] = {"Normalized discounted KL divergence": {}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_base(self.base, "NDKL")

    def fractions(self, world: World) -> Fractions:
        depth = int(world.rankings.stops(self.cutoffs).max(initial=0))
        size = max(1, _CELLS_AT_A_TIME // max(1, depth))
        parts = [self._sums(part, depth) for part in (world.batches(size) if world.n_users else [world])]
        totals, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Fractions(totals, weights, membership(world).places_outside(world, self.cutoffs))

    def _sums(self, world: World, depth: int) -> tuple[Floats, Floats]:
        """Sums of discounted divergences, and of discounts, (users, cutoffs)."""
        groups, n = membership(world), len(self.cutoffs)
        tops = shares_of(groups.of_lists(world, range(1, depth + 1)))
        if self.target != "list":
            found = [self._discounted(world, tops, targets(world, self.target, "NDKL"), depth, self.cutoffs)]
        else:
            of_lists = shares_of(groups.of_lists(world, self.cutoffs))
            wanted = (Targets(of_lists, np.arange(place, of_lists.n_cells, n)) for place in range(n))
            found = [self._discounted(world, tops, target, depth, (k,)) for k, target in zip(self.cutoffs, wanted, strict=True)]
        totals, weights = (np.hstack(columns) for columns in zip(*found, strict=True))
        return totals, weights

    def _discounted(self, world: World, tops: Distributions, target: Targets, depth: int, cutoffs: Sequence[int]) -> tuple[Floats, Floats]:
        divergences = self._divergences(world, tops, target, depth)
        known = ~np.isnan(divergences)
        totals = place_sums(world.rankings, np.where(known, divergences, 0.0), cutoffs, LOG2)
        weights = place_sums(world.rankings, known.astype(np.float64), cutoffs, LOG2)
        return np.where(np.isinf(totals), 0.0, totals), np.where(np.isinf(totals), 0.0, weights)

    def _divergences(self, world: World, tops: Distributions, target: Targets, depth: int) -> Floats:
        """Of the top that ends at each place of the lists; NaN where a distribution is not known."""
        rankings = world.rankings
        owners, ranks = np.repeat(np.arange(world.n_users), rankings.lengths), rankings.ranks
        found = np.full(len(rankings.items), np.nan)
        within = ranks <= depth
        cells = owners[within] * depth + ranks[within] - 1
        divergence = Divergence("kl", base=number_of(self.base))
        found[within] = divergence.of_pairs(tops, target.distributions, cells, target.cells[owners[within]])
        return found
