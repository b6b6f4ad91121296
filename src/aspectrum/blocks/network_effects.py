"""Properties of the network after the recommended links are added to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Counts, Offsets, unevenness
from aspectrum.metric import Metric
from aspectrum.states import AddedLinks, State
from aspectrum.world import Network, World
from aspectrum.world.graph import network_links


@dataclass(frozen=True, eq=False)
class NetworkLinks:
    """Links of a network between different people, by code, each once, by source and then target; undirected ones lead both ways.

    Args:
        sources, targets: Who links to whom.
        directed: Whether the graph is directed.
        n_people: How many people there are.
        communities: The community of each, -1 for none; None if nobody said.
    """

    sources: Codes
    targets: Codes
    directed: bool
    n_people: int
    communities: Codes | None = None

    def __len__(self) -> int:
        """How many there are; an undirected link is one."""
        return len(self.sources) // (1 if self.directed else 2)

    @property
    def offsets(self) -> Offsets:
        """Where the links of each person start, and the end of the last."""
        return np.searchsorted(self.sources, np.arange(self.n_people + 1)).astype(np.int64)

    @property
    def reciprocal(self) -> int:
        """How many lead from one to another who links back; an undirected link does in both directions."""
        keys, turned = (ends[0].astype(np.int64) << 32 | ends[1] for ends in ((self.sources, self.targets), (self.targets, self.sources)))
        return int(np.isin(turned, keys, assume_unique=True).sum())

    def between_communities(self) -> tuple[Codes, Codes]:
        """The communities in which links start and end, of links between people who have one."""
        assert self.communities is not None
        known = np.append(self.communities, np.full(max(0, self.n_people - len(self.communities)), -1, np.int32))
        starts, ends = known[self.sources], known[self.targets]
        both = (starts >= 0) & (ends >= 0)
        return starts[both], ends[both]

    @property
    def n_communities(self) -> int:
        """How many communities have a member."""
        assert self.communities is not None
        return len(np.unique(self.communities[self.communities >= 0]))


@dataclass(frozen=True)
class NetworkEffect(Metric):
    """A property of the network with the recommended links in it; before, after and the difference are among the details, as
    far as they have a meaning.
    """

    abstract: ClassVar[bool] = True

    report: Literal["after", "before", "difference"] = "after"

    family = "network"
    inputs: ClassVar[tuple[str, ...]] = ("graph",)
    built_on: ClassVar[tuple[str, ...]] = ("graph",)

    def measured(self, links: NetworkLinks) -> float:
        """The property of some links; NaN if it has no meaning."""
        raise NotImplementedError

    def observe(self, world: World) -> list[State]:
        graph, rankings = world.truth.need("graph", type(self).__name__), world.rankings
        sources = np.repeat(graph.nodes_of(world.codes), rankings.lengths)
        inside, itself = sources >= 0, sources == rankings.items
        missing, built_on = int((~world.listed).sum()), world.truth.fingerprint_of(self.built_on)
        states: list[State] = []
        for cutoff in self.cutoffs:
            shown = np.ones(len(sources), np.bool_) if cutoff < 0 else rankings.ranks <= cutoff
            added = shown & inside & ~itself
            left_out = {"outside_network": int((shown & ~inside).sum()), "self_recommended": int((shown & itself).sum())}
            noticed = {name: count for name, count in left_out.items() if count}
            ends = sources[added], rankings.items[added]
            states.append(AddedLinks(self.at(cutoff), world.tables.item, world.truth.network, *ends, missing, noticed, built_on))
        return states

    def value_of(self, state: AddedLinks) -> float:
        return state.limits.get(self.report, math.nan)

    def parts_of(self, state: AddedLinks) -> Mapping[str, float]:
        network: Network = state.network
        key = replace(self, report="after", k=-1)
        known = _links(network, np.empty(0, np.int64), 0)
        if key not in network.measured:
            network.measured[key] = self.measured(known)
        before = network.measured[key]
        added = _links(network, state.sources.astype(np.int64) << 32 | state.targets, len(state.table))
        after = self.measured(added) if len(added) > len(known) else before
        found = {"before": before, "after": after, "difference": after - before, "new_links": float(len(added) - len(known))}
        return {name: value for name, value in found.items() if not math.isnan(value)}


@dataclass(frozen=True)
class CommunityEffect(NetworkEffect):
    """A property of the network and its communities, which are the aspects of people."""

    abstract: ClassVar[bool] = True

    inputs = ("graph", "aspects")
    built_on = ("graph", "aspects")


def _links(network: Network, added: npt.NDArray[np.int64], n_people: int) -> NetworkLinks:
    graph = network.graph
    keys = network_links(np.concatenate([graph.keys, added]), directed=graph.directed) if len(added) else graph.keys
    sources, targets = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
    return NetworkLinks(sources, targets, graph.directed, max(graph.n_items, n_people), network.communities)


def even_share(counts: Counts, n: int) -> float:
    """One minus the Gini index of n numbers, of which those that are not among some counts are 0; from whole numbers, rounded once."""
    total: int = int(counts.sum())
    if n < 2 or total == 0:
        return math.nan
    return ((n - 1) * total - unevenness(counts, n)) / ((n - 1) * total)
