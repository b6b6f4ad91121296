"""Communities of a social network, for when nobody has said which there are."""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Counts, Floats
from aspectrum.coding.ids import Ids, quoted
from aspectrum.contacts.graphs import Graph, Links, read_graph
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError, OutputError
from aspectrum.extras import needed
from aspectrum.forks import check_polars
from aspectrum.formats import write_parquet
from aspectrum.io.frames import id_column
from aspectrum.output_files import write_text
from aspectrum.wording import one_line

if TYPE_CHECKING:
    import polars

Method = Literal["leiden", "louvain", "label-propagation", "infomap", "components", "strong-components"]
METHODS: tuple[str, ...] = get_args(Method)
WITH_RESOLUTION = ("leiden", "louvain")
_BY_RULE = ("components", "strong-components")
# One start may end well below the best: of ten on a network of 120,000 links, modularity was .297 to .306.
_N_STARTS, _N_ITERATIONS = 5, 10
_one_at_a_time = Lock()

Format = Literal["tsv", "csv", "parquet"]
_EXTENSIONS: Mapping[str, Format] = {".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".parquet": "parquet"}
# A reader of text takes these for damage; an unpaired surrogate cannot be written at all.
_NO_TEXT = re.compile("[\0\r\ufeff\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class Communities:
    """A partition of the users of a social network.

    Args:
        method: How it was found.
        users: The users, in the order of their ids.
        labels: The community of each: 0 is the largest; of two with equal sizes, the one whose first user comes first.
        modularity: That of the undirected network that :func:`find_communities` speaks of, at resolution 1; NaN without links.
        n_links: How many links the network has; an undirected one counts once.
        weights: The smallest and the largest weight of a link; None if all weigh 1.
        resolution: As given; None where it has no meaning.
        seed: As given; None where nothing is random.
        notices: What a user should know of the network.
    """

    method: str
    users: Ids
    labels: Codes
    modularity: float
    n_links: int = 0
    weights: tuple[float, float] | None = None
    resolution: float | None = None
    seed: int | None = None
    notices: Sequence[Notice] = ()

    def __len__(self) -> int:
        return self.n_communities

    @property
    def n_communities(self) -> int:
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @property
    def sizes(self) -> Counts:
        """How many users each community has, falling."""
        return np.bincount(self.labels, minlength=self.n_communities).astype(np.int64)

    def to_dict(self) -> dict[Hashable, int]:
        """The community of each user."""
        return dict(zip(self.users, self.labels.tolist(), strict=True))

    def to_frame(self) -> polars.DataFrame:
        """Columns user and community."""
        return self._frame(self.users.to_series("user"))

    def _frame(self, users: polars.Series) -> polars.DataFrame:
        import polars

        return polars.DataFrame([users, polars.Series("community", self.labels)])

    def summary(self) -> str:
        """What was found, and how good it is, in a few lines."""
        sizes = self.sizes
        how = [f"{name} {value:g}" for name, value in (("resolution", self.resolution), ("seed", self.seed)) if value is not None]
        lines = [
            f"{len(sizes):,} {'community' if len(sizes) == 1 else 'communities'} by {self.method}"
            + (f" ({', '.join(how)})" if how else ""),
            f"users       {len(self.users):,}",
            f"links       {self.n_links:,}" + ("" if self.weights is None else f", weights {self.weights[0]:g} to {self.weights[1]:g}"),
        ]
        if len(sizes):
            lines.append(f"sizes       largest {sizes[0]:,}, median {np.median(sizes):,g}, of one user {np.count_nonzero(sizes == 1):,}")
        lines.append(f"modularity  {'undefined, as there are no links' if math.isnan(self.modularity) else f'{self.modularity:.4f}'}")
        return "\n".join(lines + [one_line(f"{notice.level}: {notice}") for notice in self.notices])

    def written(self, format: Literal["tsv", "csv"] = "tsv", *, name: str = "communities") -> str:
        """As text with a header, to be read back as the same users; errors call it by the name."""
        check_polars()
        return self._frame(_as_text(self.users, name)).write_csv(separator="\t" if format == "tsv" else ",")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write columns user and community, which ``--communities`` reads: .tsv or .txt, .csv, .parquet.

        Raises:
            OutputError: The path cannot be written, its extension is another, or some id would not be read back as it is.
        """
        format, name = format_of(path), os.fsdecode(path)
        if format != "parquet":
            write_text(path, self.written(format, name=name))
            return
        users = _as_column(self.users)
        if users is None:
            raise OutputError(
                f"{name}: the ids of users, such as {quoted(self.users[0])}, would not be read back from Parquet as they are; "
                "expected text that is not empty, or whole numbers of 64 bits, one kind for all"
            )
        write_parquet(path, self._frame(users))


def find_communities(
    graph: Any,
    *,
    method: str = "leiden",
    resolution: float | None = None,
    seed: int = 0,
    directed: bool | None = None,
) -> Communities:
    """Communities of a social network.

    Give the train graph only: communities that were found with the help of test links know what is to be predicted.

    All methods but ``strong-components`` look at the undirected network in which a link in either direction connects two
    users and the weights of both directions add up: a mutual link of a directed network without weights weighs 2. In an
    undirected network a link weighs its weight once. That is also the network whose modularity is told. Links of a user to
    the same user do not count, and users without links are communities of their own.

    Args:
        graph: The network: anything that :func:`read_graph` takes.
        method: ``leiden`` (the best of five starts) or ``louvain``, which look for the largest modularity;
            ``label-propagation``; ``infomap``; ``components``, in which any two users are connected by some path; or
            ``strong-components``, in which there are paths both ways.
        resolution: For leiden and louvain: above 1 there are more and smaller communities, below fewer and larger ones.
            Default: 1.
        seed: The same seed gives the same communities, in whatever order the network is stored. igraph then has the generator of
            random numbers that it starts with, Python's, in the state it had; one that somebody set by
            ``igraph.set_random_number_generator`` is to be set again, unless the method is components.
        directed: Whether the graph is directed. Default: as the graph says; an edge list is directed.

    Raises:
        MissingLibrary: igraph is not installed.

    Examples:
        >>> found = find_communities({"ann": ["bob", "cyd"], "bob": ["cyd"], "dan": ["eve"], "eve": ["dan"]})
        >>> found.to_dict()
        {'ann': 0, 'bob': 0, 'cyd': 0, 'dan': 1, 'eve': 1}
        >>> print(found.summary())
        2 communities by leiden (resolution 1, seed 0)
        users       5
        links       5
        sizes       largest 3, median 2.5, of one user 0
        modularity  0.4800
    """
    if method not in METHODS:
        raise InputError(f"method is {method!r}, expected {', '.join(METHODS)}")
    if resolution is not None and method not in WITH_RESOLUTION:
        raise InputError(f"resolution goes with {' and '.join(WITH_RESOLUTION)}, and the method is {method}")
    if resolution is not None and (isinstance(resolution, str | bool) or not 0 < resolution < math.inf):
        raise InputError(f"resolution is {resolution}, expected a finite number above 0")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**32:
        raise InputError(f"seed is {seed!r}, expected a whole number from 0 to {2**32 - 1}")
    igraph = needed("igraph", "communities", "communities are found")
    network = _in_order(read_graph(graph, directed=directed))
    resolution = float(1 if resolution is None else resolution) if method in WITH_RESOLUTION else None
    found, modularity = _found(igraph, network, method, resolution, int(seed))
    n_links, weights = len(network.links) // (1 if network.directed else 2), network.links.weights
    between = None if (weights == 1).all() else (float(weights.min()), float(weights.max()))
    seeded = None if method in _BY_RULE else int(seed)
    return Communities(method, network.users, found, modularity, n_links, between, resolution, seeded, network.notices)


def _found(igraph: Any, network: Graph, method: str, resolution: float | None, seed: int) -> tuple[Codes, float]:
    """The community of each user, and the modularity of all."""
    n_users, links = len(network.users), _undirected(network)
    if not len(links):
        return np.arange(n_users, dtype=np.int32), math.nan
    undirected = _in_igraph(igraph, n_users, links)
    if method == "strong-components" and network.directed:
        partition = _in_igraph(igraph, n_users, network.links, directed=True).connected_components(mode="strong")
    elif method in _BY_RULE:
        partition = undirected.connected_components()
    else:
        with _one_at_a_time:  # igraph has one generator, and does not tell which: what it starts with is put back
            igraph.set_random_number_generator(random.Random(seed))
            try:
                partition = _partition(method, undirected, links.weights, resolution)
            finally:
                igraph.set_random_number_generator(random)
    found = np.array(partition.membership)
    if method == "infomap":  # which, if all that is linked is one community, puts users without links there too
        found = found * n_users + np.array(undirected.connected_components().membership)
    numbered = _numbered_by_size(found)
    return numbered, float(undirected.modularity(numbered, weights=links.weights))


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the extension of a path stands for."""
    extension = os.path.splitext(os.fsdecode(path))[1].lower()
    if extension not in _EXTENSIONS:
        found = f"unknown extension {extension!r}" if extension else "no extension"
        raise OutputError(f"{os.fsdecode(path)}: {found} to tell the format; expected {', '.join(_EXTENSIONS)}")
    return _EXTENSIONS[extension]


def _in_order(graph: Graph) -> Graph:
    """The same network with its users in the order of their ids, so that it does not matter in which order it was stored."""
    places, links = graph.users.heads, graph.links
    ordered = Links.of(places[links.sources], places[links.targets], links.weights, directed=True)  # both ways are there already
    return replace(graph, users=graph.users.take(np.argsort(places)), links=ordered)


def _undirected(graph: Graph) -> Links:
    """Links of the undirected network, each once, from the user who comes first.

    Weights are in a unit of which their mean is between 1 and 2, a power of two, which rounds nothing. Nothing that is computed
    depends on the unit, but algorithms take differences below some constant for none.
    """
    links = graph.links if graph.directed else graph.links.take(graph.links.sources < graph.links.targets)
    firsts, seconds, weights = np.minimum(links.sources, links.targets), np.maximum(links.sources, links.targets), links.weights
    if len(links):
        weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # their sum is finite
        weights = np.ldexp(weights, 1 - np.frexp(weights.mean())[1])
    return Links.of(firsts, seconds, weights, directed=True)


def _in_igraph(igraph: Any, n_users: int, links: Links, *, directed: bool = False) -> Any:
    return igraph.Graph(n_users, edges=np.column_stack([links.sources, links.targets]).astype(np.int64), directed=directed)


def _partition(method: str, network: Any, weights: Floats, resolution: float | None) -> Any:
    """Communities of an undirected network, by a method that draws random numbers."""
    if method == "leiden":
        aim = {"objective_function": "modularity", "resolution": resolution}
        found = [network.community_leiden(weights=weights, n_iterations=_N_ITERATIONS, **aim) for _ in range(_N_STARTS)]
        return max(found, key=lambda one: network.modularity(one.membership, weights=weights, resolution=resolution))
    if method == "louvain":
        return network.community_multilevel(weights=weights, resolution=resolution)
    if method == "infomap":
        return network.community_infomap(edge_weights=weights)
    return network.community_label_propagation(weights=weights)


def _numbered_by_size(found: npt.NDArray[Any]) -> Codes:
    _, firsts, codes, sizes = np.unique(found, return_index=True, return_inverse=True, return_counts=True)
    places = np.empty(len(sizes), dtype=np.int32)
    places[np.lexsort((firsts, -sizes))] = np.arange(len(sizes))
    return places[codes]


def _as_text(users: Ids, name: str) -> polars.Series:
    """The users as text that is read back as the same ids. A whole number and its text look the same, so all are of one kind."""
    import polars

    ids = list(users)
    if ids and isinstance(ids[0], str):
        odd = [id for id in ids if not isinstance(id, str) or id == "" or _NO_TEXT.search(id)]
    else:
        odd = [id for id in ids if not isinstance(id, int) or isinstance(id, bool)]
    if odd:
        hint = "" if _as_column(users) is None else "; Parquet can hold it (.parquet)"
        raise OutputError(
            f"{name}: the id {quoted(odd[0])} of a user would not be read back from text as it is; expected text without zero bytes, carriage "
            f"returns and byte order marks, or whole numbers, one kind for all{hint}"
        )
    return polars.Series("user", list(map(str, ids)), dtype=polars.String)


def _as_column(users: Ids) -> polars.Series | None:
    """The users as a column that is read back as the same ids; None if there is none, as for tuples."""
    try:
        column = users.to_series("user")
        read = id_column("user", column, lambda _, what: InputError(what)).ids
    except (InputError, OverflowError, UnicodeEncodeError):
        return None
    return column if Ids(read) == users else None
