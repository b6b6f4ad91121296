"""Attention-weighted rank fairness: how close the exposure of groups is to a target."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats, Offsets
from aspectrum.blocks.group_targets import GivenShares, Target, TargetMetric, Targets, shares_of, targets
from aspectrum.blocks.item_groups import catalogue_membership, membership
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.divergences import Distributions, Divergence, LogBase, check_base, number_of
from aspectrum.metric import Aliases, Fractions, check_goes_with, check_unit
from aspectrum.world import World


@dataclass(frozen=True)
class AWRF(TargetMetric):
    r"""How close the attention that item groups receive in a list is to a target distribution: 1 is fair.

    .. math:: 1 - \Delta(\epsilon, t) \qquad \epsilon_g = \frac{\sum_{j \le k} \text{disc}(j) \, a_{jg}}{\sum_h \sum_{j \le k} \text{disc}(j) \, a_{jh}}

    where a_jg is the membership of the item at rank j in group g: 1 in total per item, split evenly over its groups, unless shares are
    given. Items without a group keep their rank but receive no attention; they are counted in the details.

    Args:
        k: Ranks that count; one number or several.
        discount: Attention at a rank: ``log`` is 1/log2(1+j), ``clipped`` 1/log2(max(j, 2)) (TREC Fair Ranking), ``reciprocal`` 1/j,
            ``geometric`` patience^(j-1) (Raj and Ekstrand, with 0.5), ``none`` 1.
        patience: Ratio of the geometric discount, 0 to 1.
        target: Target distribution: the groups' shares of the ``catalogue`` or of the user's ``relevant`` items, equal shares (``uniform``,
            over the groups in the catalogue), or given shares such as {P: 0.7, Q: 0.3}, which are normalised to sum to 1.
        divergence: Distance between exposure and target: Jensen-Shannon divergence (``js``) or its square root (``js_distance``),
            ``hellinger``, total variation (``tv``), or ``difference``: the absolute difference for the minority group alone (Raj and
            Ekstrand). The minority is the smallest group in the catalogue; of several, the one with the largest difference. With two
            groups, ``difference`` equals ``tv``.
        base: Base of the logarithm for ``js`` and ``js_distance``. With 2 the lowest possible score is 0; with ``e`` (TREC Fair Ranking) it
            is 0.307.
        complement: One minus the divergence; if false, the divergence itself, where lower is better (Raj and Ekstrand).

    Range:
        0 to 1; for js and js_distance with a base other than 2, from 1 minus the largest divergence.

    Undefined:
        For a list in which no item has a group; for an empty target, as for a user with no relevant item in any group.

    References:
        Sapiezynski, Zeng, Robertson, Mislove and Wilson, WWW 2019 companion; with Jensen-Shannon: Ekstrand, McDonald, Raj and Johnson,
        TREC 2022; with the difference: Raj and Ekstrand, SIGIR 2022.

    Examples:
        >>> groups = {"d": "P", "e": "Q", "f": "Q", "c": "P"}
        >>> world = World.of({"u1": ["d", "e", "f"]}, groups=groups)
        >>> AWRF(k=3).scores(world)[0].round(6)
        array([0.999318])
    """

    discount: DiscountKind = "log"
    patience: float = 0.85
    target: Target | GivenShares = "catalogue"
    divergence: Literal["js", "js_distance", "hellinger", "tv", "difference"] = "js"
    base: LogBase = 2.0
    complement: bool = True

    cites = ("sapiezynski2019quantifying", "ekstrand2022overview", "raj2022measuring")
    aliases: ClassVar[Aliases] = {"Attention-weighted rank fairness": {}}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "patience", "discount", "geometric")
        check_goes_with(self, "base", "divergence", "js", "js_distance")
        check_unit(self, patience=self.patience)
        check_base(self.base, "AWRF")
        if not self.complement:
            object.__setattr__(self, "higher_is_better", False)

    def fractions(self, world: World) -> Fractions:
        groups, discount = membership(world), rank_discount(self.discount, self.patience)
        exposure = shares_of(groups.of_lists(world, self.cutoffs, discount))
        apart = self._apart(world, exposure, targets(world, self.target, "AWRF")).reshape(world.n_users, len(self.cutoffs))
        known = ~np.isnan(apart)
        scores = np.where(known, 1.0 - apart if self.complement else apart, 0.0)
        return Fractions(scores, known.astype(np.float64), groups.places_outside(world, self.cutoffs))

    def _apart(self, world: World, exposure: Distributions, wanted: Targets) -> Floats:
        """How far the exposure is from the target, for each user and cutoff; NaN where either is not known."""
        cells = np.repeat(wanted.cells, len(self.cutoffs))
        if self.divergence != "difference":
            divergence = Divergence(self.divergence, base=number_of(self.base))
            return divergence.of_pairs(exposure, wanted.distributions, np.arange(exposure.n_cells), cells)
        sizes = catalogue_membership(world).sizes()
        minority = np.flatnonzero(sizes == sizes.min(where=sizes > 0, initial=np.inf))
        apart = _largest_difference(exposure, wanted.distributions.take(cells), minority, len(sizes))
        return np.where((exposure.sizes > 0) & (wanted.distributions.sizes[cells] > 0), apart, np.nan)


def _largest_difference(one: Distributions, other: Distributions, codes: Offsets, n_codes: int) -> Floats:
    """The largest difference between the shares that some codes have of each cell."""
    places = np.full(n_codes, -1)
    places[codes] = np.arange(len(codes))
    found = np.zeros(one.n_cells)
    step = max(1, 1_000_000 // max(1, len(codes)))
    for start in range(0, one.n_cells, step):
        cells = np.arange(start, min(start + step, one.n_cells))
        shares = np.zeros((2, len(cells), len(codes)))
        for side, part in zip(shares, (one.take(cells), other.take(cells)), strict=True):
            at = places[part.codes]
            side[np.repeat(np.arange(len(cells)), part.sizes)[at >= 0], at[at >= 0]] = part.shares[at >= 0]
        found[cells] = np.abs(shares[0] - shares[1]).max(axis=1, initial=0.0)
    return found
