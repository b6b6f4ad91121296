"""Calibration: divergence between the aspects of a list and those of the user's history."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum.blocks.aspect_shares import (
    Mixed,
    Share,
    check_divergence,
    divergence_of,
    history_shares,
    liked_from,
    list_shares,
    where_known,
)
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.divergences import DivergenceKind, LogBase
from aspectrum.metric import Aliases, Fractions, UserMetric
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class Calibration(UserMetric):
    r"""Divergence between the aspects of the top k and those of the user's history: 0 is calibrated, higher is worse.

    .. math:: \sum_a p_a \log_2 \frac{p_a}{(1 - \alpha) q_a + \alpha p_a}
              \quad \text{with} \quad q_a \propto \sum_{j \le k} D(j) \, s(a, d_j), \quad p_a \propto \sum_{i \in H_u} s(a, i)

    where H_u is the user's history, D(j) is the discount of rank j and s(a, d) is the share of item d that belongs to aspect a. If a
    threshold is given and the history has grades, only items that reach the threshold count in H_u. This is the Kullback-Leibler
    divergence; see ``divergence`` for others.

    Args:
        k: Ranks that count; one number or several.
        divergence: ``kl``: Kullback-Leibler divergence, at most log2(1/alpha). ``js``: Jensen-Shannon divergence, the mean KL divergence of
            p and q from (p + q) / 2. ``js_distance``: its square root, which RADio and Informfully call JS. ``hellinger``: the square root
            of half the sum of (sqrt p - sqrt q)^2. ``tv``: total variation, half the sum of |p - q|. All but KL lie between 0 and 1.
        alpha: Weight of p mixed into q, which keeps ``kl`` finite. RADio uses 0.001.
        mixed: Which distribution is smoothed with alpha: that of the ``list`` (``kl`` only), or ``both``: as much of q is also mixed into
            p, for any divergence, as RADio and Informfully do.
        base: Base of the logarithm; ``e`` for nats.
        discount: D(j): ``none`` is 1, ``log`` is 1/log2(1+j), ``reciprocal`` 1/j as in RADio, ``geometric`` patience^(j-1),
            ``clipped`` 1/log2(max(j, 2)).
        history_discount: As ``discount``, for the rows of the history in input order, repeats included; RADio uses ``reciprocal``. With
            ``none``, a history is a set.
        patience: Ratio of the geometric discounts.
        share: ``item``: every item has a total weight of 1, split among its aspects, evenly or by strength. ``pair``: every (item, aspect)
            pair has a weight of 1, or its strength.

    Range:
        0 to log2(1/alpha) for ``kl``, 0 to 1 for the others (with base 2).

    Undefined:
        If no item that counts in the history, or no item in the top k, has an aspect.

    References:
        Steck, RecSys 2018. Other divergences and ranks as in RADio (Vrijenhoek et al., RecSys 2022).

    Examples:
        >>> aspects = {"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": ["y", "z"], "e": ["z"], "f": ["x"]}
        >>> world = World.of({"u": ["d", "e", "f"]}, aspects=aspects, history={"u": ["a", "b", "c"]})
        >>> Calibration(k=3).scores(world).round(6)
        array([[1.06708]])
        >>> Calibration(k=3, divergence="tv").scores(world).round(6)
        array([[0.5]])
    """

    divergence: DivergenceKind = "kl"
    alpha: float = 0.01
    mixed: Mixed = "list"
    base: LogBase = 2.0
    discount: DiscountKind = "none"
    history_discount: DiscountKind = "none"
    patience: float = 0.85
    share: Share = "item"

    cites = ("steck2018calibrated", "vrijenhoek2022radio")
    aliases: ClassVar[Aliases] = {"Miscalibration": {}}

    family = "calibration"
    higher_is_better = False
    inputs = ("history", "aspects")
    truth = "history"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_divergence(self)

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return liked_from(truth)

    def fractions(self, world: World) -> Fractions:
        sets = world.need_aspects("Calibration").sets
        shown = list_shares(world, sets, self.share, self.cutoffs, rank_discount(self.discount, self.patience))
        earlier = history_shares(world, sets, self.share, "Calibration", rank_discount(self.history_discount, self.patience))
        cells = np.arange(shown.n_cells)
        apart = divergence_of(self).of_pairs(earlier, shown, cells // len(self.cutoffs), cells)
        return where_known(apart, self)
