"""Weak ties: number of links between different communities."""

import math
from dataclasses import dataclass

import numpy as np

from aspectrum.blocks.network_effects import CommunityEffect, NetworkLinks


@dataclass(frozen=True)
class WeakTies(CommunityEffect):
    r"""Number of links between different communities, in the network with the recommended links.

    .. math:: |\{(u, v) \in E \cup R : c(u) \ne c(v)\}|

    where E are the links of the train graph, and R the recommended ones. An undirected link counts once. A person in several communities
    belongs to the largest of them. Links of people without a community are left out.

    Args:
        k: Ranks that count; one number or several.
        report: The network ``after`` adding the recommended links, ``before``, or the ``difference``; the details have all three.
        normalize: Divide by the number of links between people with a community.

    Range:
        From 0; with ``normalize`` 0 to 1.

    Undefined:
        Without links between people with a community.

    References:
        Sanz-Cruzado and Castells, RecSys 2018. Granovetter, American Journal of Sociology 78, 1973.

    Examples:
        >>> from aspectrum.world import World
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> communities = {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"], 5: ["c"]}
        >>> world = World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links, aspects=communities)
        >>> state = WeakTies(k=2).observe(world)[0]
        >>> state.value, state.limits["before"]
        (10.0, 5.0)
    """

    normalize: bool = False

    cites = ("sanzcruzado2018enhancing", "granovetter1973strength")

    def measured(self, links: NetworkLinks) -> float:
        starts, ends = links.between_communities()
        if len(starts) == 0:
            return math.nan
        between = int(np.count_nonzero(starts != ends))
        return between / len(starts) if self.normalize else between / (1 if links.directed else 2)
