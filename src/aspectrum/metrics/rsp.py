"""Ranking-based statistical parity: whether the items of all groups are recommended equally often."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.group_rates import GroupRates
from aspectrum.metric import Aliases
from aspectrum.world import World


@dataclass(frozen=True)
class RSP(GroupRates):
    r"""Disparity between groups in how often their items are recommended (ranking-based statistical parity): 0 is parity.

    .. math:: \frac{\text{std}_g(P_g)}{\text{mean}_g(P_g)} \qquad P_g = \frac{\sum_u |L_u @ k \cap g|}{\sum_u |g \setminus H_u|}

    where L_u is the list and H_u the history of user u, and the groups g consist of items in the catalogue; an item counts fully in each of
    its groups. std is the population standard deviation. Recommended items without a group are left out and counted in the details, which
    also have the P_g. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        groups_by: The groups are ``given`` (Elliot's RSP), or are head and long tail by ``popularity`` (Elliot's PopRSP).
        candidates: Items that could have been recommended to a user: those not in the history (``unseen``), or ``all`` (WarpRec's PopRSP).
        head: With groups_by=popularity, the share of all interactions in the head; ties are broken by item id, the smaller id first.
        reach: With groups_by=popularity, whether the head has ``at_least`` that share, or ``more`` (WarpRec).
        unseen_in_tail: With groups_by=popularity, whether unseen items, which no user interacted with, are in the tail (WarpRec) or in
            neither group (Elliot). An item found only in the lists is in neither group either way, unlike in LongTailShare.

    Range:
        0 to sqrt(G - 1) for G groups.

    Undefined:
        If fewer than two groups have an item that could be recommended, or no item of any group is recommended.

    References:
        Zhu, Wang and Caverlee, SIGIR 2020.

    Examples:
        >>> world = World.of({"u": ["a", "b"], "v": ["a", "c"]}, groups={"a": "P", "b": "Q", "c": "Q"}, history={"u": [], "v": ["b"]})
        >>> round(RSP(k=2).observe(world)[0].value, 4)
        0.2
    """

    symbol = "RSP"
    cites = ("zhu2020measuring",)
    aliases: ClassVar[Aliases] = {
        "Ranking-based statistical parity": {},
        "PopRSP": {"groups_by": "popularity"},
    }

    def terms(self, world: World) -> Floats:
        groups = self.groups(world)
        shown = groups.of_lists(world, self.cutoffs).dense(world.n_users, len(self.cutoffs))
        possible = np.broadcast_to(groups.sizes(), (world.n_users, 1, groups.n_groups))
        if self.candidates == "unseen":
            history = world.need_history("RSP")
            possible = possible - groups.of_sets(history.offsets, history.items).dense(world.n_users, 1)
        return np.concatenate([shown, np.broadcast_to(possible, shown.shape)], axis=2)
