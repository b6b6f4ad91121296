"""Community edge Gini complement: how evenly links are spread over pairs of communities."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum.blocks.network_effects import CommunityEffect, NetworkLinks, even_share
from aspectrum.metric import Aliases


@dataclass(frozen=True)
class CommunityEdgeGiniComplement(CommunityEffect):
    r"""One minus the Gini index of the number of links between pairs of communities, with the recommended links: 1 is even.

    .. math:: 1 - \frac{1}{P - 1} \sum_{i=1}^{P} (2i - P - 1) \frac{n_i}{\sum_j n_j}

    where n_i are the numbers of links in ascending order, over all P ordered pairs of different communities, including pairs without links;
    in an undirected graph, the pairs are unordered. A person in several communities belongs to the largest of them. Links of people without
    a community are left out.

    Args:
        k: Ranks that count; one number or several.
        report: The network ``after`` adding the recommended links, ``before``, or the ``difference``; the details have all three.

    Range:
        0 (all links join the same two communities) to 1 (even).

    Undefined:
        If no link joins different communities, or there are fewer than two pairs of communities.

    References:
        Sanz-Cruzado and Castells, RecSys 2018.

    Examples:
        >>> from aspectrum.world import World
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> communities = {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"], 5: ["c"]}
        >>> world = World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links, aspects=communities)
        >>> state = CommunityEdgeGiniComplement(k=2).observe(world)[0]
        >>> state.value, state.limits["before"]
        (0.4, 0.24)
    """

    aliases: ClassVar[Aliases] = {"Inter-community edge Gini complement": {}}
    cites = ("sanzcruzado2018enhancing",)

    def measured(self, links: NetworkLinks) -> float:
        starts, ends = links.between_communities()
        counted = starts != ends if links.directed else starts < ends  # an undirected link leads both ways
        pairs = starts[counted].astype(np.int64) << 32 | ends[counted]
        n = links.n_communities * (links.n_communities - 1)
        return even_share(np.unique(pairs, return_counts=True)[1], n if links.directed else n // 2)
