"""Modularity complement: how far the network, with the recommended links, crosses community borders."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aspectrum.blocks.network_effects import CommunityEffect, NetworkLinks


@dataclass(frozen=True)
class ModularityComplement(CommunityEffect):
    r"""Half of one minus the modularity of the network with the recommended links: the more links cross communities, the higher.

    .. math:: \frac{1 - m}{2}, \quad m = \frac{E_{in} - K / E}{E - K / E}, \quad K = \sum_c \text{out}(c) \, \text{in}(c)

    where E is the number of links between people with a community, E_in the number of those within one community, and out(c) and
    in(c) are the numbers of links that start and end in c. An undirected link counts in both directions. A person in several communities
    belongs to the largest of them. Links of people without a community are left out.

    Args:
        k: Ranks that count; one number or several.
        report: The network ``after`` adding the recommended links, ``before``, or the ``difference``; the details have all three.
        modularity: ``assortativity``: m as above, Newman's assortativity coefficient, which is 1 if no link crosses communities; RELISON
            calls it modularity, networkx ``attribute_assortativity_coefficient``. ``newman``: (E_in - K/E) / E, the ``modularity`` of
            networkx and igraph.

    Range:
        0 (no link crosses communities) to 1; with ``newman`` above 0.

    Undefined:
        Without links between people with a community; with ``assortativity``, also if all of these people are in one community.

    References:
        Sanz-Cruzado and Castells, RecSys 2018. Newman, Physical Review E 67, 2003.

    Examples:
        >>> from aspectrum.world import World
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> communities = {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"], 5: ["c"]}
        >>> world = World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links, aspects=communities)
        >>> state = ModularityComplement(k=2).observe(world)[0]
        >>> round(state.value, 6), round(state.limits["before"], 6)
        (0.656566, 0.603448)
    """

    modularity: Literal["assortativity", "newman"] = "assortativity"

    cites = ("sanzcruzado2018enhancing", "newman2003mixing")

    def measured(self, links: NetworkLinks) -> float:
        starts, ends = links.between_communities()
        n, inside = len(starts), int((starts == ends).sum())
        size = int(max(starts.max(initial=-1), ends.max(initial=-1))) + 1
        outgoing, incoming = (np.bincount(codes, minlength=size).tolist() for codes in (starts, ends))
        by_chance = sum(out * into for out, into in zip(outgoing, incoming, strict=True))
        most = n * n - by_chance if self.modularity == "assortativity" else n * n
        # From whole numbers, rounded once: (1 - m) / 2 with m = (n inside - by_chance) / most.
        return (most - n * inside + by_chance) / (2 * most) if most else math.nan
