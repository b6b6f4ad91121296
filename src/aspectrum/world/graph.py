"""Who is linked to whom, where items are people and users are among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Flags, Offsets, as_codes, as_offsets, check_ascending, check_range
from aspectrum.errors import InputError


@dataclass(frozen=True, eq=False)
class SocialGraph:
    """Links between people, who are items, as codes: person i links to ``targets[offsets[i]:offsets[i + 1]]``.

    Args:
        offsets: One segment per item.
        targets: Whom somebody links to, ascending, never oneself; of an undirected graph each link both ways.
        nodes: Which item each user is; -1 for a user who is not in the network.
        directed: Whether the graph is directed.
    """

    offsets: Offsets
    targets: Codes
    nodes: Codes
    directed: bool = True

    def __post_init__(self) -> None:
        targets = as_codes(self.targets, "graph: targets")
        offsets = as_offsets(self.offsets, len(targets), "graph")
        check_range(targets, len(offsets) - 1, "graph: targets")
        check_ascending(offsets, targets, "graph: targets of a person")
        nodes = as_codes(self.nodes, "graph: nodes")
        if len(nodes) and not -1 <= int(nodes.min()) <= int(nodes.max()) < len(offsets) - 1:
            raise InputError(f"graph: nodes: codes from {nodes.min()} to {nodes.max()}, expected -1 to {len(offsets) - 2}")
        self.__dict__.update(offsets=offsets, targets=targets, nodes=nodes)
        if (self.sources == targets).any():
            raise InputError("graph: somebody links to themselves, expected links between different people")
        if not self.directed and not self.is_reciprocal:
            raise InputError("graph: a link has no reverse, expected both ways in an undirected graph")

    @classmethod
    def of(cls, sources: Codes, targets: Codes, nodes: Codes, n_items: int, *, directed: bool = True) -> SocialGraph:
        """From links in any order; those that are repeated, and those of somebody to themselves, do not count."""
        return cls(*_segments(network_links(_keys(sources, targets), directed=directed), n_items), nodes, directed)

    @property
    def n_items(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_users(self) -> int:
        return len(self.nodes)

    @property
    def sources(self) -> Codes:
        """Whose link each is."""
        return np.repeat(np.arange(self.n_items, dtype=np.int32), np.diff(self.offsets))

    @property
    def keys(self) -> npt.NDArray[np.int64]:
        """The links as numbers, source << 32 | target, ascending."""
        return _keys(self.sources, self.targets)

    @property
    def is_reciprocal(self) -> bool:
        """Whether every link has its reverse."""
        return np.array_equal(np.sort(_keys(self.targets, self.sources)), self.keys)

    @cached_property
    def reverse(self) -> tuple[Offsets, Codes]:
        """The same links the other way round: offsets, and who links to each person."""
        return (self.offsets, self.targets) if not self.directed else _segments(np.sort(_keys(self.targets, self.sources)), self.n_items)

    def nodes_of(self, users: Codes) -> Codes:
        """Which item each of some users is; users whom the truth does not know are not in the network."""
        found: Codes = np.append(self.nodes, np.int32(-1))[np.minimum(users, self.n_users)]
        return found


@dataclass(frozen=True, eq=False)
class Network:
    """The graph, and the community of everybody.

    Args:
        graph: Who is linked to whom.
        communities: The community of each item, -1 for none; None if nobody said.
        measured: What has been measured of the graph as it is, by what was measured.
    """

    graph: SocialGraph
    communities: Codes | None = None
    measured: dict[Any, float] = field(default_factory=dict)


def network_links(keys: npt.NDArray[np.int64], *, directed: bool) -> npt.NDArray[np.int64]:
    """Links between different people, source << 32 | target, each once and ascending; of an undirected graph both ways."""
    sources, targets = keys >> 32, keys & 0xFFFFFFFF
    between: Flags = sources != targets
    ways = [keys[between]] if directed else [keys[between], (targets << 32 | sources)[between]]
    return np.unique(np.concatenate(ways))


def _segments(keys: npt.NDArray[np.int64], n_items: int) -> tuple[Offsets, Codes]:
    """Ascending links as offsets and targets."""
    starts = np.searchsorted(keys, np.arange(n_items + 1, dtype=np.int64) << 32)
    return starts.astype(np.int64), (keys & 0xFFFFFFFF).astype(np.int32)


def _keys(sources: Codes, targets: Codes) -> npt.NDArray[np.int64]:
    return sources.astype(np.int64) << 32 | targets
