"""Popularity lift: how much more popular recommended items are than the items in the users' histories."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.item_values import item_counts, value_sums
from aspectrum.blocks.system_metric import SystemMetric
from aspectrum.metric import Aliases
from aspectrum.states import Totals
from aspectrum.world import World


@dataclass(frozen=True)
class PopularityLift(SystemMetric):
    r"""How much more popular recommended items are than the users' histories: 0 is as popular, 1 twice as popular, -0.5 half.

    .. math:: \frac{\text{gap}(L) - \text{gap}(H)}{\text{gap}(H)}

    where gap (group average popularity) is the mean over users of the mean popularity of the items in the top k (L) or in the history (H),
    and an item's popularity is the share of users who interacted with it. Only users with both a list and a history count. A system-level
    metric, usually reported for groups of users.

    Args:
        k: Ranks that count; one number or several.

    Range:
        From -1.

    Undefined:
        If no user has both a list and a history.

    References:
        Abdollahpouri, Mansoury, Burke and Mobasher, RecSys 2020.

    Examples:
        >>> from aspectrum.api import evaluate
        >>> history = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> result = evaluate({"u1": ["c"], "u2": ["b"]}, "PopularityLift@1", history=history)
        >>> round(result["PopularityLift@1"], 4)
        -0.3333
    """

    symbol = r"$\Delta$GAP"
    cites = ("abdollahpouri2020connection",)
    family = "popularity"
    has_ratios = False
    higher_is_better = None
    inputs = ("history",)
    truth = "history"
    built_on = ("popularity",)
    aliases: ClassVar[Aliases] = {"DeltaGAP": {}, "ΔGAP": {}, "PopLift": {}}

    def terms(self, world: World) -> Floats:
        history, counts = world.need_history("PopularityLift"), item_counts(world)
        shown, n_shown = value_sums(world, counts[world.known_items].astype(np.float64), self.cutoffs)
        n_had = np.diff(history.offsets).astype(np.int32)[:, np.newaxis]
        had = kernels.discounted_sums(history.offsets, counts[history.items].astype(np.float64), n_had, np.ones(int(n_had.max(initial=0))))
        both = (n_shown > 0) & (n_had > 0)
        terms = np.full((*shown.shape, 2), np.nan)
        for place, (sums, n) in enumerate(((shown, n_shown), (had, n_had))):
            np.divide(sums, n * float(world.truth.item_popularity.n_users), out=terms[:, :, place], where=both)
        return terms

    def value_from(self, sums: Floats) -> Floats:
        lists, histories = sums[..., 0], sums[..., 1]
        lift = np.full(lists.shape, np.nan)
        np.divide(lists - histories, histories, out=lift, where=histories > 0)
        return lift

    def parts_of(self, state: Totals) -> Mapping[str, float]:
        """The group average popularity of the lists and of the histories."""
        n = state.scored
        return {name: float(total) / n for name, total in zip(("gap_lists", "gap_histories"), state.rounded, strict=True)} if n else {}
