"""Social networks, from whatever holds them: edge lists, frames, mappings, GraphML, networkx and igraph."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.errors import InputError
from aspectrum.extras import needed
from aspectrum.io import Source, is_external, read_input
from aspectrum.io.files import read_bytes, reason
from aspectrum.world.ids import Ids, shown
from aspectrum.world.objects import link_rows
from aspectrum.world.rows import IdColumn, Rows, code_series, join_ids


@dataclass(frozen=True, eq=False)
class Links:
    """Links between coded users, each once, by source and then target.

    Args:
        sources: Where each link starts.
        targets: Where it ends.
        weights: How much it weighs; 1 if nothing was said.
        repeated: How many links were left out because an earlier one is the same; their weight was added to it.
    """

    sources: Codes
    targets: Codes
    weights: Floats
    repeated: int = 0

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def of(cls, sources: Codes, targets: Codes, weights: Floats | None, *, directed: bool) -> Links:
        """Parallel links become one with the sum of their weights; an undirected link leads both ways, with the larger weight."""
        given = np.ones(len(sources)) if weights is None else weights
        keys, sums = _joined(_keys(sources, targets), given, np.add)
        repeated = len(sources) - len(keys)
        if not directed:
            keys, sums = _joined(np.concatenate([keys, _turned(keys)]), np.concatenate([sums, sums]), np.maximum)
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


def _keys(sources: Codes, targets: Codes) -> Any:
    return sources.astype(np.int64) << 32 | targets


def _turned(keys: Any) -> Any:
    return (keys & 0xFFFFFFFF) << 32 | keys >> 32


def _joined(keys: Any, weights: Floats, join: Any) -> tuple[Any, Floats]:
    """Distinct keys, ascending, and what their weights come to; taken in order, so that the same rows give the same bits."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.empty(0, np.int64)
    return ordered[starts], join.reduceat(weights[order], starts) if len(starts) else np.empty(0)


@dataclass(frozen=True, eq=False)
class Graph:
    """A social network: its users, and the links between different users, each once.

    Args:
        name: What errors and notes call it: its file, or the input it is.
        users: The users, those without any link included.
        links: Links by places in `users`; of an undirected network, each link both ways.
        directed: Whether a link leads one way.
        noticed: How many links had something that a user should know of.
    """

    name: str
    users: Ids
    links: Links
    directed: bool
    noticed: Mapping[str, int] = field(default_factory=dict)


def read_graph(given: Any, *, name: str = "graph", directed: bool | None = None) -> Graph:
    """A social network.

    Args:
        given: The path of an edge list (source, target[, weight]: CSV, TSV, Parquet, Arrow, JSON Lines) or of a GraphML file, a
            frame, a :class:`Source`, a graph of networkx or igraph, ``{user: [users]}``, ``{user: {user: weight}}``, rows
            (source, target[, weight]), or a :class:`Graph`.
        name: What errors call it, if it has no file.
        directed: Whether links lead one way. Default: as the graph says; an edge list is directed. In an undirected network a
            link may be given one way or both ways; where the weights of the two ways differ, the larger counts.

    Examples:
        >>> graph = read_graph({"ann": ["bob", "cyd"], "bob": ["ann"], "cyd": ["cyd"]})
        >>> list(graph.users), len(graph.links), dict(graph.noticed)
        (['ann', 'bob', 'cyd'], 3, {'links lead from a user to the same user and are left out': 1})
    """
    rows, directed = link_table(given, name, directed)
    users, (of_sources, of_targets) = join_ids("user", [(rows.source, rows.ids[role]) for role in ("source", "target")])
    sources, targets = of_sources[rows.ids["source"].codes], of_targets[rows.ids["target"].codes]
    to_others = sources != targets
    weights = rows.numbers.get("weight")
    links = Links.of(sources[to_others], targets[to_others], None if weights is None else weights[to_others], directed=directed)
    noticed = {
        **rows.noticed,
        "links lead from a user to the same user and are left out": int((~to_others).sum()),
        "links repeat an earlier one; their weights add up": links.repeated,
    }
    return Graph(rows.source, users, links, directed, {what: count for what, count in noticed.items() if count})


def link_table(given: Any, name: str, directed: bool | None) -> tuple[Rows, bool]:
    """Links as they stand, rows source, target[, weight]; and whether they lead one way. Users without links are among the ids."""
    said: bool | None = None
    if isinstance(given, Graph):
        rows, said = _rows_of_graph(given), given.directed
    elif _is_igraph(given):
        rows, said = _rows_of_igraph(given, name), bool(given.is_directed())
    elif _is_networkx(given):
        rows, said = _rows_of_networkx(given, name), bool(given.is_directed())
    elif is_external(given):
        source = given if isinstance(given, Source) else Source(given)
        if source.is_path and source.guessed_format == "graphml":
            rows, said = _read_graphml(source, name)
        else:
            rows = read_input(name if name in ("train", "test") else "graph", given)
    else:
        plain = link_rows(name, given)
        weights = {"weight": plain.numbers["grade"]} if "grade" in plain.numbers else {}
        sources = plain.ids["user"]
        if isinstance(given, Mapping):  # a user who links to nobody is a user
            linking = set(sources.ids)
            alone = [user for user in given if user not in linking]
            sources = IdColumn(sources.codes, [*sources.ids, *alone])
        rows = Rows(plain.source, {"source": sources, "target": plain.ids["item"]}, weights)
    if directed is not None and said is not None and directed and not said:
        raise InputError(f"{rows.source}: the graph is undirected, expected a directed one")
    if directed is False and said and not isinstance(given, Graph):
        rows = replace(rows, noticed={**rows.noticed, "links of a directed graph are taken both ways": len(rows)})
    _check_weights(rows)
    return rows, directed if directed is not None else said if said is not None else True


def _check_weights(rows: Rows) -> None:
    weights = rows.numbers.get("weight")
    bad = np.flatnonzero(weights <= 0) if weights is not None else np.empty(0)
    if len(bad) and weights is not None:
        more = f" (as of {len(bad) - 1:,} more)" if len(bad) > 1 else ""
        raise InputError(
            f"{rows.at(int(bad[0]))}: the weight of the link is {weights[bad[0]]:g}{more}, expected above 0; "
            "leave out links that do not count, or the column if it is no weight"
        )


def _rows_of_graph(graph: Graph) -> Rows:
    ids = {"source": IdColumn(graph.links.sources, graph.users.values), "target": IdColumn(graph.links.targets, graph.users.values)}
    return Rows(graph.name, ids, {"weight": graph.links.weights}, noticed=graph.noticed)


def _is_networkx(given: Any) -> bool:
    return all(hasattr(given, name) for name in ("is_directed", "nodes", "edges", "adj"))


def _is_igraph(given: Any) -> bool:
    return all(hasattr(given, name) for name in ("is_directed", "vs", "es"))


def _rows_of_networkx(graph: Any, name: str) -> Rows:
    users = list(graph.nodes)
    place = {user: code for code, user in enumerate(users)}
    edges = list(graph.edges(data="weight"))
    weighted = any(weight is not None for _, _, weight in edges)
    weights = [1.0 if weight is None else _weight(weight, name, source, target) for source, target, weight in edges]
    return _rows_of_codes(
        name,
        users,
        np.array([place[source] for source, _, _ in edges], dtype=np.int32),
        np.array([place[target] for _, target, _ in edges], dtype=np.int32),
        np.array(weights) if weighted else None,
    )


def _rows_of_igraph(graph: Any, name: str) -> Rows:
    users = list(graph.vs["name"]) if "name" in graph.vs.attributes() else list(range(graph.vcount()))
    if len(set(users)) < len(users):
        again = next(user for place, user in enumerate(users) if user in users[:place])
        raise InputError(f"{name}: two users are called {shown(again)}, expected names that differ")
    ends = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1, 2)
    weights = None
    if "weight" in graph.es.attributes():
        weights = np.array(
            [_weight(weight, name, users[source], users[target]) for (source, target), weight in zip(ends, graph.es["weight"], strict=True)]
        )
    return _rows_of_codes(name, users, ends[:, 0], ends[:, 1], weights)


def _weight(weight: Any, name: str, source: Any, target: Any) -> float:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise InputError(f"{name}: the weight of the link from {shown(source)} to {shown(target)} is {weight!r}, expected a finite number")
    return number


def _rows_of_codes(name: str, users: list[Any], sources: Codes, targets: Codes, weights: Floats | None) -> Rows:
    def place(row: int) -> str:
        return f"link from {shown(users[sources[row]])} to {shown(users[targets[row]])}"

    ids = {"source": IdColumn(sources, users), "target": IdColumn(targets, users)}
    return Rows(name, ids, {} if weights is None else {"weight": weights}, place)


def _read_graphml(source: Source, name: str) -> tuple[Rows, bool]:
    """GraphML by igraph. A user is called by the attribute ``name``, else by the id of the node."""
    import polars

    igraph = needed("igraph", "communities", "GraphML is read")
    called = source.named(name)
    if source.columns:
        raise InputError(f"{called}: something is said of its columns ({', '.join(source.columns)}), and GraphML has none")
    data = read_bytes(source.path, called)
    if not data.strip():
        raise InputError(f"{called}: the file is empty")
    with tempfile.NamedTemporaryFile(suffix=".graphml") as file:  # it may have been packed
        file.write(data)
        file.flush()
        try:
            graph = igraph.Graph.Read_GraphML(file.name)
        except Exception as error:  # what igraph raises is of many kinds
            why = re.sub(r"^Error at \S+: | -- [A-Za-z ]+$", "", reason(error))  # where it is in the source of igraph
            raise InputError(f"{called}: cannot be read as GraphML: {why}") from None
    if "name" not in graph.vs.attributes():
        graph.vs["name"] = graph.vs["id"] if "id" in graph.vs.attributes() else [str(place) for place in range(graph.vcount())]
    rows = _rows_of_igraph(graph, called)
    # In XML every id is text, and igraph reads numbers as fractions; it is a number where all can be, as in other files of text.
    names = [str(int(user)) if isinstance(user, float) and user.is_integer() else str(user) for user in graph.vs["name"]]
    texts = polars.Series(names, dtype=polars.String)
    codes, distinct = code_series(texts)
    if len(distinct) < len(texts):
        raise InputError(f"{called}: two nodes have the same name, expected names that differ")
    ids = {role: IdColumn(codes[column.codes], distinct, "number") for role, column in rows.ids.items()}
    return Rows(called, ids, rows.numbers, rows.place), bool(graph.is_directed())
