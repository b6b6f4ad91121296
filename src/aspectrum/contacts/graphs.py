"""Social networks, from whatever holds them: edge lists, frames, mappings, GraphML, networkx and igraph."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections import Counter
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
from aspectrum.extras import needed
from aspectrum.io import Source, is_external, read_input
from aspectrum.io.files import read_bytes, reason
from aspectrum.world.building import check_link_weights

_LONGEST = 1 << 20  # piece of text in GraphML


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
    said: bool | None = None
    if isinstance(given, Graph):
        users, links, said = given.users.values, given.links, given.directed
        ids = {"source": IdColumn(links.sources, users), "target": IdColumn(links.targets, users)}
        rows = Rows(given.name, ids, {"weight": links.weights}, notices=given.notices)
    elif _has(given, "is_directed", "vs", "es"):
        rows, said = _rows_of_igraph(given, name), bool(given.is_directed())
    elif _has(given, "is_directed", "nodes", "edges", "adj"):
        rows, said = _rows_of_networkx(given, name), bool(given.is_directed())
    elif is_external(given):
        source = given if isinstance(given, Source) else Source(given)
        if source.is_path and source.guessed_format == "graphml":
            rows, said = _read_graphml(source, name)
        else:
            rows = read_input(name if name in ("train", "test") else "graph", given)
    else:
        if hasattr(given, "tocsr"):
            raise InputError(f"{name}: is a sparse matrix, expected links; convert it to a networkx or igraph graph")
        rows = link_rows(name, given, ("source", "target", "weight"))
        if isinstance(given, Mapping):  # a user who links to nobody is a user
            sources = rows.ids["source"]
            everybody = dict.fromkeys([*sources.ids, *given])
            rows = replace(rows, ids={**rows.ids, "source": IdColumn(sources.codes, list(everybody))})
    if directed not in (None, True, False):
        raise InputError(f"directed is {directed!r}, expected true, false or none")
    if directed and said is False:
        raise InputError(f"{rows.source}: the graph is undirected, expected a directed one")
    if directed is False and said:
        rows = replace(rows, notices=[*rows.notices, Notice("both_ways", len(rows))])
    check_link_weights(rows)
    return rows, directed if directed is not None else said if said is not None else True


def _has(given: Any, *attributes: str) -> bool:
    return all(hasattr(given, name) for name in attributes)


def _rows_of_networkx(graph: Any, name: str) -> Rows:
    users = list(graph.nodes)
    place = {user: code for code, user in enumerate(users)}
    edges = list(graph.edges(data="weight"))
    return _rows_of_codes(name, users, [(place[source], place[target]) for source, target, _ in edges], [weight for *_, weight in edges])


def _rows_of_igraph(graph: Any, name: str) -> Rows:
    users = list(graph.vs["name"]) if "name" in graph.vs.attributes() else list(range(graph.vcount()))
    try:
        again = [user for user, count in Counter(users).items() if count > 1]
    except TypeError as error:
        raise InputError(f"{name}: a user has an invalid name: {error}") from None
    if again:
        raise InputError(f"{name}: two users are called {quoted(again[0])}, expected unique names")
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [None] * graph.ecount()
    return _rows_of_codes(name, users, graph.get_edgelist(), weights)


def _rows_of_codes(name: str, users: list[Any], links: list[tuple[int, int]], weights: Sequence[Any]) -> Rows:
    """Rows of a graph in memory; where only some links have a weight, that of the others is 1."""
    sources, targets = np.ascontiguousarray(np.array(links, dtype=np.int32).reshape(-1, 2).T)
    ids = {"source": IdColumn(sources, users), "target": IdColumn(targets, users)}
    missing = [weight is None or weight != weight for weight in weights]
    if all(missing):
        return Rows(name, ids)
    numbers = np.ones(len(weights))
    for place, weight in enumerate(weights):
        if not missing[place]:
            try:
                numbers[place] = weight
            except (TypeError, ValueError):
                numbers[place] = np.inf
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        source, target = quoted(users[sources[odd[0]]]), quoted(users[targets[odd[0]]])
        raise InputError(f"{name}: the weight of the link from {source} to {target} is {weights[odd[0]]!r}, expected a finite number")
    return Rows(name, ids, {"weight": numbers}, notices=[Notice("unweighted_links", sum(missing))] if any(missing) else [])


def _read_graphml(source: Source, name: str) -> tuple[Rows, bool]:
    """GraphML by igraph. A user is called by the attribute ``name`` if every node has one of its own, else by the node's id."""
    import polars

    igraph = needed("igraph", "communities", "GraphML is read")
    called = source.named(name)
    if source.columns:
        raise InputError(f"{called}: columns are given ({', '.join(source.columns)}), but GraphML has none")
    data = read_bytes(source.path, called)
    if not data.strip():
        raise InputError(f"{called}: the file is empty")
    _check_length(called, data)
    with tempfile.NamedTemporaryFile(suffix=".graphml") as file:  # it may have been compressed
        file.write(data)
        file.flush()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                graph = igraph.Graph.Read_GraphML(file.name)
            except Exception as error:  # what igraph raises is of many kinds
                raise InputError(f"{called}: cannot be read as GraphML: {_without_place(reason(error))}") from None
    names, unnamed = _node_names(graph, called), 0
    if not names or "" in names or len(set(names)) < len(names):
        unnamed = len(names) and len(names) - sum(count for name, count in Counter(names).items() if name and count == 1)
        names = list(map(str, graph.vs["id"] if "id" in graph.vs.attributes() else range(graph.vcount())))
    graph.vs["name"] = names
    rows = _rows_of_igraph(graph, called)
    users = polars.Series(graph.vs["name"], dtype=polars.String)
    ids = {role: IdColumn(column.codes, users, "number") for role, column in rows.ids.items()}
    named = [Notice("node_ids", unnamed, graph.vcount())] if unnamed else []
    notices = [*rows.notices, *named, *(Notice("igraph", detail={"message": _without_place(str(one.message))}) for one in warned)]
    return replace(rows, ids=ids, notices=notices), bool(graph.is_directed())


def _node_names(graph: Any, called: str) -> list[str]:
    """What nodes are called, as text; empty without a name, and no names at all if there is no such attribute.

    In XML every name is text. igraph reads those that are declared as numbers as floating point, in which large ones are rounded.
    """
    names = graph.vs["name"] if "name" in graph.vs.attributes() else []
    for name in names:
        if isinstance(name, float) and abs(name) >= 2**53:
            raise InputError(
                f"{called}: a node has the name {name:.0f}, and igraph does not tell such numbers apart; "
                'declare the names as text: attr.type="string"'
            )
    return [
        "" if name is None or name != name else f"{name:.0f}" if isinstance(name, float) and name.is_integer() else str(name)
        for name in names
    ]


def _check_length(called: str, data: bytes) -> None:
    """libxml2 takes minutes for an id of many megabytes."""
    marks = np.zeros(256, np.bool_)
    marks[list(b"<>\"'")] = True
    ends = np.flatnonzero(marks[np.frombuffer(data, np.uint8)])
    longest = int(np.diff(ends, prepend=-1, append=len(data)).max())
    if longest > _LONGEST:
        raise InputError(f"{called}: holds {longest / 1e6:,.1f} MB of text in one piece, expected ids and attributes of a few letters")


def _without_place(message: str) -> str:
    """What igraph says, without where that is in its own source."""
    return re.sub(r"^(Error at )?\S+\.c:\d+\s*:? ?| -- [A-Za-z ]+$", "", message).strip()
