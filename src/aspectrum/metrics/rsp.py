"""Ranking-based statistical parity: whether items of all groups are recommended as often."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.group_rates import GroupRates
from aspectrum.metric import Aliases
from aspectrum.world import World


@dataclass(frozen=True)
class RSP(GroupRates):
    r"""How differently often items of groups are recommended (ranking-based statistical parity): 0 is equally often.

    .. math:: \frac{\text{std}_g(P_g)}{\text{mean}_g(P_g)} \qquad P_g = \frac{\sum_u |L_u @ k \cap g|}{\sum_u |g \setminus H_u|}

    where L_u is the list and H_u the history of user u, and the groups g are made of items of the catalogue; an item counts in each of its
    groups, whatever its shares. The standard deviation is that of a population. Recommended items without a group are left out, and counted
    in the details, as are the P_g. A metric of the whole system, not of a user.

    Args:
        k: Ranks that count; one number or several.
        groups_by: The groups are ``given`` (Elliot's RSP), or are the head and the long tail by ``popularity`` (Elliot's PopRSP).
        candidates: Items that could have been recommended to a user: those that are not in the history (``unseen``), or ``all``
            (WarpRec's PopRSP).
        head: With groups_by=popularity, the share of all interactions that the head holds; of equally popular items, those with smaller ids
            come first.
        reach: With groups_by=popularity, whether the head holds ``at_least`` that share, or ``more`` (WarpRec).
        unseen_in_tail: With groups_by=popularity, whether unseen items, which no user interacted with, are in the tail (WarpRec) or in
            neither group (Elliot). An item found only in the lists is in neither group either way, unlike in LongTailShare.

    Range:
        From 0; at most the root of the number of groups minus 1.

    Undefined:
        If fewer than two groups have an item that could be recommended, or nothing of any is.

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
