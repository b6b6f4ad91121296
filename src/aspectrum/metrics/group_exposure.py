"""Group exposure: whether the exposure of item groups is proportional to their size or merit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.arrays import Counts, Floats
from aspectrum.blocks.item_groups import catalogue_membership, group_details, group_names, needs_groups
from aspectrum.blocks.relevant_items import relevant_places
from aspectrum.blocks.system_metric import SystemMetric
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.metric import Aliases, check_goes_with, check_unit
from aspectrum.states import Totals
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class GroupExposure(SystemMetric):
    r"""Exposure of the least exposed item group relative to that of the most exposed one: 1 is parity.

    .. math:: \frac{\min_g E_g}{\max_g E_g} \qquad E_g = \frac{1}{U \left|g\right|} \sum_u \sum_{j \le k} \text{disc}(j) \, a_{jg}

    where U is the number of users with a list, and a_jg is the membership of the item at rank j in group g: 1 in total per item, split
    evenly over its groups, unless shares are given. The size of a group is the sum of its memberships over the catalogue. Items outside the
    catalogue and items without a group are left out and counted in the details, which also have the E_g. A system-level metric, with no
    per-user scores.

    Args:
        k: Ranks that count; one number or several.
        discount: Exposure of a rank: ``log`` is 1/log2(1+j), ``clipped`` 1/log2(max(j, 2)), ``reciprocal`` 1/j, ``geometric``
            patience^(j-1), ``none`` 1.
        patience: Ratio of the geometric discount, 0 to 1.
        merit: What exposure should be proportional to. Default: the size of a group (demographic parity; EXP of FairRankTune).
            ``relevance``: how often its items are relevant (disparate treatment): E_g is divided by the number of relevant (user, item)
            pairs in g over U |g|. ``shown``: the same, but only relevant items in the lists count (EXPU of FairRankTune).
        combine: ``ratio``: the minimum over the maximum. ``difference``: the maximum minus the minimum, where lower is better.

    Range:
        0 to 1; with combine=difference from 0.

    Undefined:
        If fewer than two groups have an item in the catalogue (and, with ``merit``, any merit), or none of them is recommended.

    References:
        Singh and Joachims, KDD 2018.

    Examples:
        >>> world = World.of({"u": ["a", "b", "c"]}, groups={"a": "P", "b": "Q", "c": "Q"})
        >>> round(GroupExposure(k=3).observe(world)[0].value, 4)
        0.5655
    """

    discount: DiscountKind = "log"
    patience: float = 0.85
    merit: Literal["relevance", "shown"] | None = None
    combine: Literal["ratio", "difference"] = "ratio"

    cites = ("singh2018fairness",)
    family = "fairness"
    built_on = ("groups", "aspects", "catalogue")
    aliases: ClassVar[Aliases] = {
        "Demographic parity of exposure": {},
        "Disparate treatment ratio": {"merit": "relevance"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "patience", "discount", "geometric")
        check_unit(self, patience=self.patience)
        if self.combine == "difference":
            object.__setattr__(self, "higher_is_better", False)

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_groups(*(("relevance",) if self.merit else ()))

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return group_details(truth) | ({"threshold": truth.relevance.threshold} if self.merit and truth.relevance is not None else {})

    def n_sums(self, truth: Truth) -> int:
        return 3 * truth.item_groups[0].n_aspects

    def labels(self, truth: Truth) -> tuple[str, ...]:
        return group_names(truth)

    def noticed(self, world: World) -> Mapping[str, Counts]:
        return catalogue_membership(world).places_outside(world, self.cutoffs)

    def terms(self, world: World) -> Floats:
        """For each group: the exposure, the number of its items, and their merit (that number again, if there is none to look at)."""
        groups, shape = catalogue_membership(world), (world.n_users, len(self.cutoffs))
        exposure = groups.of_lists(world, self.cutoffs, rank_discount(self.discount, self.patience)).dense(*shape)
        sizes = np.broadcast_to(world.remember("sizes of groups", groups.sizes), exposure.shape)
        merits = sizes
        if self.merit == "shown":
            hits = relevant_places(world.rankings, world.need_relevance("GroupExposure"))
            merits = groups.of_lists(world, self.cutoffs, counted=hits).dense(*shape)
        elif self.merit == "relevance":
            merits = groups.of_relevant(world.need_relevance("GroupExposure")).dense(world.n_users, 1)
        return np.concatenate([exposure, sizes, np.broadcast_to(merits, exposure.shape)], axis=2)

    def value_from(self, sums: Floats) -> Floats:
        exposure, sizes, merits = np.split(sums, 3, axis=-1)
        counted = (sizes > 0) & (merits > 0)
        rates = np.zeros(exposure.shape)
        np.divide(exposure, merits, out=rates, where=counted)
        least, most = rates.min(axis=-1, initial=np.inf, where=counted), rates.max(axis=-1, initial=0.0, where=counted)
        value = np.full(most.shape, np.nan)
        some = (counted.sum(axis=-1) > 1) & (most > 0)
        if self.combine == "difference":
            np.subtract(most, least, out=value, where=some)
        else:
            np.divide(least, most, out=value, where=some)
        return value

    def parts_of(self, state: Totals) -> Mapping[str, float]:
        """The exposure of each group per user and item, and its merit."""
        exposure, sizes, merits = np.split(state.rounded, 3)
        kept = [(place, name) for place, name in enumerate(state.labels) if sizes[place] > 0]
        parts = {f"exposure {name}": float(exposure[place] / sizes[place]) for place, name in kept}
        return parts | ({f"merit {name}": float(merits[place] / sizes[place]) for place, name in kept} if self.merit else {})
