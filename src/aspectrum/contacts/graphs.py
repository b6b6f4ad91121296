"""Social networks, from whatever holds them: edge lists, frames, mappings, GraphML, networkx and igraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.objects import link_rows
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.table import IdTable
from aspectrum.diagnostics.notices import Notice, added
from aspectrum.errors import InputError
from aspectrum.io import is_external, read_input
from aspectrum.io.graphs import graph_rows
from aspectrum.world.building import check_link_weights, settled_direction


@dataclass(frozen=True, eq=False)
class Links:
    """Links between coded users, each once, by source and then target; a link weighs 1 if nothing was said."""

    sources: Codes
    targets: Codes
    weights: Floats
    repeated: int = 0  # links that were left out because an earlier one is the same; their weight was added to it

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def of(cls, sources: Codes, targets: Codes, weights: Floats | None, *, directed: bool, to_self: bool = True) -> Links:
        """Parallel links become one with the sum of their weights; an undirected link leads both ways, with the larger weight."""
        keys, given = sources.astype(np.int64) << 32 | targets, np.ones(len(sources)) if weights is None else weights
        if not to_self:
            keys, given = keys[sources != targets], given[sources != targets]
        keys, sums = _joined(keys, given, np.add)
        repeated = len(given) - len(keys)
        if not directed:
            turned = (keys & 0xFFFFFFFF) << 32 | keys >> 32
            keys, sums = _joined(np.concatenate([keys, turned]), np.concatenate([sums, sums]), np.maximum)
        return cls((keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32), sums, repeated)

    def have(self, sources: Codes, targets: Codes) -> Flags:
        """Which of some pairs are linked."""
        n_users = int(max(self.sources.max(initial=-1), sources.max(initial=-1))) + 1
        asked, at = kernels.group_rows(sources, n_users)
        found = np.empty(len(sources), np.bool_)
        found[at] = kernels.lookup(asked, targets[at], np.searchsorted(self.sources, np.arange(n_users + 1)), self.targets) >= 0
        return found

    def take(self, kept: Any) -> Links:
        """Some of the links."""
        return Links(self.sources[kept], self.targets[kept], self.weights[kept], self.repeated)


def _joined(keys: Any, weights: Floats, join: Any) -> tuple[Any, Floats]:
    """Distinct keys, ascending, and what their weights come to; taken in order, so that the same rows give the same bits."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.empty(0, np.int64)
    with np.errstate(over="ignore"):  # whoever calls looks at the sums
        return ordered[starts], join.reduceat(weights[order], starts) if len(starts) else np.empty(0)


@dataclass(frozen=True, eq=False)
class Graph:
    """A social network: its users, and the links between different users, each once.

    Args:
        name: What errors and notes call it: its file, or the input it is.
        users: The users, those without any link included.
        links: Links by places in `users`; of an undirected network, each link both ways.
        directed: Whether the graph is directed.
        notices: What a user should know of it.
    """

    name: str
    users: Ids
    links: Links
    directed: bool
    notices: Sequence[Notice] = ()


def read_graph(given: Any, *, name: str = "graph", directed: bool | None = None) -> Graph:
    """A social network.

    Args:
        given: The path of an edge list (source, target[, weight]: CSV, TSV, Parquet, Arrow, JSON Lines) or of a GraphML file, a
            frame, a :class:`Source`, a graph of networkx or igraph, ``{user: [users]}``, ``{user: {user: weight}}``, rows
            (source, target[, weight]), or a :class:`Graph`.
        name: What errors call it, if it has no file.
        directed: Whether the graph is directed. Default: as the graph says; an edge list is directed. In an undirected network a
            link may be given one way or both ways; where the weights of the two ways differ, the larger counts.

    Examples:
        >>> graph = read_graph({"ann": ["bob", "cyd"], "bob": ["ann"], "cyd": ["cyd"]})
        >>> list(graph.users), len(graph.links), [str(notice) for notice in graph.notices]
        (['ann', 'bob', 'cyd'], 3, ['1 self-link ignored'])
    """
    rows, directed = link_table(given, name, directed)
    users = IdTable("user", [(rows.source, rows.ids[role]) for role in ("source", "target")])
    sources, targets = ends(rows, users)
    links = Links.of(sources, targets, rows.numbers.get("weight"), directed=directed, to_self=False)
    check_sums(rows.source, users.ids, links)
    found = [Notice("self_links", int((sources == targets).sum())), Notice("summed_links", links.repeated)]
    notices = [one for one in rows.notices if one.level != "fact"]  # of a graph that is read again, too
    return Graph(rows.source, users.ids, links, directed, added([*notices, *(one for one in found if one.count)]))


def check_sums(source: str, users: Ids, links: Links) -> None:
    """Weights of parallel links may add up to more than floating point holds."""
    if np.isinf(links.weights).any():
        first = int(np.isinf(links.weights).argmax())
        ends = (quoted(users[codes[first]]) for codes in (links.sources, links.targets))
        raise InputError(f"{source}: the weights of the links from {' to '.join(ends)} add up to infinity, expected smaller weights")


def ends(rows: Rows, users: IdTable) -> tuple[Codes, Codes]:
    """Where each link starts and where it ends, among users that include those of the links."""
    return users.codes(rows.ids["source"]), users.codes(rows.ids["target"])


def n_named(rows: Rows, users: IdTable) -> int:
    """How many users there are up to the last one that the links name, those without a link included."""
    return max(int(users.joined(rows.ids[role]).max(initial=-1)) for role in ("source", "target")) + 1


def link_table(given: Any, name: str, directed: bool | None) -> tuple[Rows, bool]:
    """Links as they stand, rows source, target[, weight]; and whether they are directed. Users without links are among the ids."""
    rows = graph_rows(given, name)
    if rows is None and is_external(given):
        rows = read_input(name if name in ("train", "test") else "graph", given)
    elif rows is None:
        if hasattr(given, "tocsr"):
            raise InputError(f"{name}: is a sparse matrix, expected links; convert it to a networkx or igraph graph")
        rows = link_rows(name, given, ("source", "target", "weight"))
        if isinstance(given, Mapping):  # a user who links to nobody is a user
            sources = rows.ids["source"]
            everybody = dict.fromkeys([*sources.ids, *given])
            rows = replace(rows, ids={**rows.ids, "source": IdColumn(sources.codes, list(everybody))})
    check_link_weights(rows)
    return settled_direction(rows, directed)
