"""Ranking-based equal opportunity: whether the relevant items of all groups are recommended equally often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.group_rates import GroupRates
from aspectrum.blocks.relevant_items import relevant_places
from aspectrum.metric import Aliases
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class REO(GroupRates):
    r"""Disparity between groups in how often their relevant items are recommended (ranking-based equal opportunity): 0 is parity.

    .. math:: \frac{\text{std}_g(P_g)}{\text{mean}_g(P_g)} \qquad P_g = \frac{\sum_u |L_u @ k \cap R_u \cap g|}{\sum_u |R_u \cap g \setminus H_u|}

    where L_u is the list, R_u the set of relevant items and H_u the history of user u, and the groups g consist of items in the catalogue;
    an item counts fully in each of its groups. std is the population standard deviation. Recommended items without a group are left out and
    counted in the details, which also have the P_g. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        groups_by: The groups are ``given`` (Elliot's REO), or are head and long tail by ``popularity`` (Elliot's PopREO).
        candidates: Relevant items that could have been recommended to a user: those not in the history (``unseen``), or ``all``.
        head: With groups_by=popularity, the share of all interactions in the head; ties are broken by item id, the smaller id first.
        reach: With groups_by=popularity, whether the head has ``at_least`` that share, or ``more`` (WarpRec).
        unseen_in_tail: With groups_by=popularity, whether unseen items, which no user interacted with, are in the tail (WarpRec) or in
            neither group (Elliot). An item found only in the lists is in neither group either way, unlike in LongTailShare.
        hits_only: Only relevant items count as recommended; if false, all items do (WarpRec), and rates may exceed 1.

    Range:
        0 to sqrt(G - 1) for G groups.

    Undefined:
        If fewer than two groups have a relevant item that could be recommended, or no such item of any group is recommended. Users with no
        relevant item are left out.

    References:
        Zhu, Wang and Caverlee, SIGIR 2020.

    Examples:
        >>> inputs = {"groups": {"a": "P", "b": "Q", "c": "Q"}, "relevance": {"u": ["a", "b", "c"]}, "history": {"v": ["a"]}}
        >>> round(REO(k=2).observe(World.of({"u": ["a", "b"]}, **inputs))[0].value, 4)
        0.3333
    """

    hits_only: bool = True

    symbol = "REO"
    cites = ("zhu2020measuring",)
    truth = "relevance"
    also_needs = ("relevance",)
    aliases: ClassVar[Aliases] = {
        "Ranking-based equal opportunity": {},
        "PopREO": {"groups_by": "popularity"},
    }

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {**super().details(truth), "threshold": truth.need("relevance", "REO").threshold}

    def terms(self, world: World) -> Floats:
        groups, relevance = self.groups(world), world.need_relevance("REO")
        hits = relevant_places(world.rankings, relevance) if self.hits_only else None
        shown = groups.of_lists(world, self.cutoffs, counted=hits).dense(world.n_users, len(self.cutoffs))
        wanted = relevance.relevant
        if self.candidates == "unseen":
            history = world.need_history("REO")
            wanted = wanted & (kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items) < 0)
        possible = groups.of_sets(relevance.offsets, np.where(wanted, relevance.items, np.int32(-1))).dense(world.n_users, 1)
        terms = np.concatenate([shown, np.broadcast_to(possible, shown.shape)], axis=2)
        terms[relevance.n_relevant == 0] = np.nan
        return terms
