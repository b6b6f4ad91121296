"""Representation: divergence between the aspects of a list and those of the catalogue."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.arrays import choose_segments
from aspectrum.blocks.aspect_shares import (
    Mixed,
    Share,
    catalogue_rows,
    catalogue_shares,
    check_divergence,
    divergence_of,
    list_shares,
    where_known,
)
from aspectrum.coding.ids import quoted
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.divergences import DivergenceKind, LogBase
from aspectrum.errors import InputError, MetricError
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import World
from aspectrum.world.aspects import AspectSets


@dataclass(frozen=True)
class Representation(UserMetric):
    r"""Divergence between the aspects of the top k and those of the catalogue: 0 is identical. Which way is better depends on the aim.

    .. math:: \frac{1}{2} \sum_a \left( p_a \log_2 \frac{2 p_a}{p_a + q_a} + q_a \log_2 \frac{2 q_a}{p_a + q_a} \right)
              \quad \text{with} \quad q_a \propto \sum_{j \le k} D(j) \, s(a, d_j), \quad p_a \propto \sum_{i \in C} s(a, i)

    where C is the catalogue (without one, all items with aspects), D(j) is the discount of rank j and s(a, d) is the share of item d that
    belongs to aspect a. This is the Jensen-Shannon divergence; see ``divergence`` for others. What it measures depends on the aspects:
    parties or entities (representation), minority and majority (alternative voices), or the sentiment of an article as a number
    (activation).

    Args:
        k: Ranks that count; one number or several.
        divergence: ``js``: Jensen-Shannon divergence. ``js_distance``: its square root, which RADio and Informfully call JS. ``kl``: the
            sum of p log(p/q), with alpha of p mixed into q. ``hellinger``: the square root of half the sum of (sqrt p - sqrt q)^2. ``tv``:
            total variation, half the sum of |p - q|. All but KL lie between 0 and 1.
        alpha: Weight of p mixed into q, which keeps ``kl`` finite. RADio uses 0.001.
        mixed: Which distribution is smoothed with alpha: that of the ``list`` (``kl`` only), or ``both``: as much of q is also mixed into
            p, for any divergence, as RADio and Informfully do.
        base: Base of the logarithm; ``e`` for nats.
        discount: D(j): ``reciprocal`` is 1/j, ``none`` 1, ``log`` 1/log2(1+j), ``geometric`` patience^(j-1), ``clipped``
            1/log2(max(j, 2)).
        patience: Ratio of the geometric discount.
        share: ``item``: every item has a total weight of 1, split among its aspects, evenly or by strength. ``pair``: every (item, aspect)
            pair has a weight of 1, or its strength.
        bins: For numeric aspects, one per item: the number of equal-width bins of their absolute values, from the smallest to the largest
            in the catalogue. Activation uses 5. 0 takes aspects as they are.

    Range:
        0 to 1; ``kl``: 0 to log2(1/alpha).

    Undefined:
        If no item in the catalogue, or no item in the top k, has an aspect.

    References:
        Vrijenhoek et al., RecSys 2022.

    Examples:
        >>> aspects = {"a": ["left"], "b": ["left"], "c": ["right"], "d": ["right"]}
        >>> world = World.of({"u": ["a", "c"], "v": ["a", "b"]}, aspects=aspects)
        >>> Representation(k=2, discount="none").scores(world).round(6)
        array([[0.      ],
               [0.311278]])
        >>> sentiment = World.of({"u": ["a", "b"], "v": ["c"]}, aspects={"a": 0.1, "b": -0.9, "c": -0.2, "d": 0.8})
        >>> Representation(bins=5, discount="none").scores(sentiment).round(6)
        array([[0.      ],
               [0.311278]])
    """

    divergence: DivergenceKind = "js"
    alpha: float = 0.01
    mixed: Mixed = "list"
    base: LogBase = 2.0
    discount: DiscountKind = "reciprocal"
    patience: float = 0.85
    share: Share = "item"
    bins: float = 0.0

    cites = ("vrijenhoek2022radio",)
    aliases: ClassVar[Aliases] = {"AlternativeVoices": {}, "Activation": {"bins": 5.0}}

    family = "calibration"
    higher_is_better = None
    inputs = ("aspects",)
    built_on = ("aspects", "catalogue")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_divergence(self)
        if self.bins < 0 or self.bins != int(self.bins):
            raise MetricError(f"Representation: bins is {self.bins:g}, expected a whole number from 1, or 0 for none")

    def fractions(self, world: World) -> Fractions:
        sets = world.need_aspects("Representation").sets
        if self.bins:
            sets = world.remember(("bins of aspects", self.bins), lambda: _binned(world, sets, int(self.bins)))
        shown = list_shares(world, sets, self.share, self.cutoffs, rank_discount(self.discount, self.patience))
        there = catalogue_shares(world, sets, self.share)
        apart = divergence_of(self).of_pairs(there, shown, np.zeros(shown.n_cells, np.int32), np.arange(shown.n_cells))
        return where_known(apart, self)


def _binned(world: World, sets: AspectSets, n: int) -> AspectSets:
    """The bins of items whose aspect is a number."""
    sizes = np.array([_size(id) for id in world.aspect_ids], dtype=np.float64)
    several = np.flatnonzero(np.diff(sets.offsets) > 1)
    if len(several):
        raise InputError(f"aspects: item {quoted(world.truth.items[int(several[0])])} has several numbers, of which bins need one")
    there = choose_segments(sets.offsets, catalogue_rows(world.truth, sets))[1]
    pool = sizes[sets.codes[there]]
    inner = np.linspace(pool.min(), pool.max(), n + 1)[1:-1] if len(pool) else np.zeros(n - 1)
    return AspectSets(sets.offsets, np.searchsorted(inner, sizes, side="right").astype(np.int32)[sets.codes], n, sets.strengths)


def _size(id: Hashable) -> float:
    try:
        number = abs(float(id))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"aspects: {quoted(id)} is no number, which bins need")
    return number
