"""Clustering complement: how often two contacts of a person are not linked to each other."""

import math
from dataclasses import dataclass
from typing import ClassVar

from aspectrum import kernels
from aspectrum.blocks.network_effects import NetworkEffect, NetworkLinks
from aspectrum.metric import Aliases


@dataclass(frozen=True)
class ClusteringComplement(NetworkEffect):
    r"""Share of two-link paths without a shortcut, in the network with the recommended links: higher means less redundant.

    .. math:: \frac{|\{(a, v, b) : a \to v \to b, \; a \ne b, \; a \not\to b\}|}{|\{(a, v, b) : a \to v \to b, \; a \ne b\}|}

    over the links of the train graph and the recommended ones. In an undirected graph, it is one minus the transitivity (global clustering
    coefficient). The cost is linear in the number of two-link paths.

    Args:
        k: Ranks that count; one number or several.
        report: The network ``after`` adding the recommended links, ``before``, or the ``difference``; the details have all three.

    Range:
        0 (every path has a shortcut) to 1 (no path has one).

    Undefined:
        If no two-link path joins different people.

    References:
        Sanz-Cruzado and Castells, RecSys 2018.

    Examples:
        >>> from aspectrum.world import World
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> state = ClusteringComplement(k=2).observe(World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links))[0]
        >>> state.value, state.limits["before"]
        (0.32, 0.75)
    """

    aliases: ClassVar[Aliases] = {"Clustering coefficient complement": {}}
    cites = ("sanzcruzado2018enhancing",)

    def measured(self, links: NetworkLinks) -> float:
        paths, closed = kernels.count_triads(links.offsets, links.targets)
        return (paths - closed) / paths if paths else math.nan
