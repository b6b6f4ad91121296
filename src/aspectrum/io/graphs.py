"""Graphs of other libraries, and GraphML, as rows of links."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError
from aspectrum.extras import needed
from aspectrum.io.files import read_bytes, reason
from aspectrum.io.source import Source

_LONGEST = 1 << 20  # piece of text in GraphML


def graph_rows(given: Any, name: str) -> Rows | None:
    """Links of a graph of igraph, networkx or :class:`aspectrum.contacts.Graph`, rows source, target[, weight]; None of anything else.

    They say whether they are directed, and users without links are among the ids.
    """
    if _has(given, "users", "links", "directed"):  # our own, which cannot be imported here
        users, links = given.users.values, given.links
        ids = {"source": IdColumn(links.sources, users), "target": IdColumn(links.targets, users)}
        return Rows(given.name, ids, {"weight": links.weights}, notices=given.notices, directed=given.directed)
    if _has(given, "is_directed", "vs", "es"):
        return replace(_rows_of_igraph(given, name), directed=bool(given.is_directed()))
    if _has(given, "is_directed", "nodes", "edges", "adj"):
        return replace(_rows_of_networkx(given, name), directed=bool(given.is_directed()))
    return None


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


def read_graphml(source: Source, name: str) -> Rows:
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
    return replace(rows, ids=ids, notices=notices, directed=bool(graph.is_directed()))


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
