"""Unexpectedness: share of items that a baseline would not have recommended."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.blocks.item_values import Average, Over, value_sums
from aspectrum.blocks.unexpected_items import has_baseline, sums_outside_baseline
from aspectrum.metric import Fractions, UserMetric
from aspectrum.world import World


@dataclass(frozen=True)
class Unexpectedness(UserMetric):
    r"""Share of the top k that is not in the top k of a baseline's list for the same user.

    .. math:: \frac{|\{j \le k : d_j \notin B_u\}|}{\min(k, \left|L_u\right|)}

    where B_u is the top k of the baseline, such as the most popular items that are new to the user, and L_u is the list.

    Args:
        k: Ranks that count, of the list and of the baseline; one number or several.
        over: A short list is divided by its length (``list``); with ``k``, missing ranks up to k count as unexpected (RePlay), so that a
            single expected item scores (k - 1) / k.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.

    Range:
        0 to 1.

    Undefined:
        For an empty list; for a user whose baseline list is missing or empty.

    References:
        Murakami, Mori and Orihara, JSAI 2007 (LNCS, 2008). Unexpectedness in RePlay (Vasilev et al., RecSys 2024).

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, baseline={"u": ["c", "b", "a"]})
        >>> Unexpectedness(k=(1, 2, 3)).scores(world)
        array([[1. , 0.5, 0. ]])
    """

    over: Over = "list"
    average: Average = "users"

    cites = ("murakami2008metrics", "vasilev2024replay")
    family = "novelty"
    inputs = ("baseline",)
    truth: ClassVar[str | None] = "baseline"

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    def fractions(self, world: World) -> Fractions:
        ones = np.ones(len(world.rankings.items))
        shown, n = value_sums(world, ones, self.cutoffs, self.over)
        unexpected = sums_outside_baseline(world, ones, self.cutoffs, "Unexpectedness")
        defined = has_baseline(world, "Unexpectedness") & (shown > 0)
        return Fractions(unexpected + (n - shown), np.where(defined, n, 0.0))
