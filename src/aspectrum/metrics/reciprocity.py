"""Reciprocity: share of links that are reciprocated."""

import math
from dataclasses import dataclass

from aspectrum.blocks.network_effects import NetworkEffect, NetworkLinks


@dataclass(frozen=True)
class Reciprocity(NetworkEffect):
    r"""Share of links that are reciprocated, in the network with the recommended links.

    .. math:: \frac{|\{(u, v) \in E \cup R : (v, u) \in E \cup R\}|}{|E \cup R|}

    where E are the links of the train graph, and R the recommended ones. In an undirected graph it is 1. Which way is better depends on the
    network.

    Args:
        k: Ranks that count; one number or several.
        report: The network ``after`` adding the recommended links, ``before``, or the ``difference``; the details have all three.

    Range:
        0 to 1.

    Undefined:
        Without links.

    References:
        Newman, Forrest and Balthrop, Physical Review E 66, 2002.

    Examples:
        >>> from aspectrum.world import World
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> state = Reciprocity(k=2).observe(World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links))[0]
        >>> round(state.value, 6), round(state.limits["before"], 6)
        (0.769231, 0.285714)
    """

    cites = ("newman2002email",)
    higher_is_better = None

    def measured(self, links: NetworkLinks) -> float:
        return links.reciprocal / len(links.sources) if len(links) else math.nan
