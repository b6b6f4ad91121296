"""Communities that are found: against networkx, in any kind of network, and back from files."""

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import polars
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from aspectrum.coding.ids import Ids
from aspectrum.coding.rows import IdColumn
from aspectrum.coding.table import IdTable
from aspectrum.contacts.communities import METHODS, WITH_RESOLUTION, Communities, find_communities
from aspectrum.contacts.graphs import read_graph
from aspectrum.errors import InputError, MissingLibrary, OutputError
from aspectrum.io import read_input
from tests.strategies import checked

BY_CHANCE = ("leiden", "louvain", "label-propagation", "infomap")
KINDS: list[Any] = [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph]
WEIGHTS: list[list[float | None]] = [[None], [None, 2.0, 0.5], [0.25, 1.0, 3.0]]
FORMATS = (".tsv", ".txt", ".csv", ".parquet")
# Ids that readers of text take for something else.
HARD = [
    "007",
    "7",
    "NA",
    "null",
    " a",
    "a ",
    " ",
    "a\tb",
    "a\nb",
    "\n",
    'a"b',
    '"',
    '""',
    "a,b",
    "a;b",
    "#a",
    "é",
    "日本",
    "user",
    "{",
    "-0",
]


def parts(found: Communities) -> set[frozenset[Any]]:
    """The communities as sets of users."""
    users = list(found.users)
    return {frozenset(users[place] for place in np.flatnonzero(found.labels == label)) for label in range(found.n_communities)}


def undirected(graph: Any) -> Any:
    """The network whose modularity is meant, by its definition: weights of all links between two users add up."""
    plain = networkx.Graph()
    plain.add_nodes_from(graph)
    for source, target, weight in graph.edges(data="weight", default=1.0):
        if source != target:
            before = plain.get_edge_data(source, target, {"weight": 0.0})["weight"]
            plain.add_edge(source, target, weight=before + weight)
    return plain


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Networks of all kinds, with users without links, links to oneself, parallel links, weights on all links, on some or on none."""
    graph: Any = draw(st.sampled_from(KINDS))()
    n_users = draw(st.integers(1, 12))
    users = [f"u{place}" for place in range(n_users)] if draw(st.booleans()) else list(range(n_users))
    graph.add_nodes_from(users)
    weights: list[float | None] = draw(st.sampled_from(WEIGHTS))
    user, weight = st.sampled_from(users), st.sampled_from(weights)
    for source, target, one in draw(st.lists(st.tuples(user, user, weight), max_size=40)):
        graph.add_edge(source, target, **({} if one is None else {"weight": one}))
    return graph


def cliques(size: int = 5) -> Any:
    """Two groups in which everybody is linked, and one link between them."""
    graph = networkx.disjoint_union(networkx.complete_graph(size), networkx.complete_graph(size))
    graph.add_edge(0, size)
    return graph


@pytest.mark.parametrize("method", BY_CHANCE)
@pytest.mark.parametrize("directed", [False, True])
def test_two_groups_with_a_bridge(method: str, directed: bool) -> None:
    graph = cliques()
    found = find_communities(graph.to_directed() if directed else graph, method=method)
    assert parts(found) == {frozenset(range(5)), frozenset(range(5, 10))}
    assert found.labels.tolist() == [0] * 5 + [1] * 5
    assert found.n_links == (42 if directed else 21)
    # Weighing every link twice changes nothing.
    assert found.modularity == pytest.approx(networkx.community.modularity(graph, parts(found)), rel=1e-12)


def test_the_karate_club() -> None:
    club = networkx.karate_club_graph()
    weighted = find_communities(club)
    assert weighted.modularity == pytest.approx(0.4449, abs=5e-5)
    assert weighted.modularity == pytest.approx(networkx.community.modularity(club, parts(weighted)), rel=1e-12)
    for *_, link in club.edges(data=True):
        del link["weight"]
    plain = find_communities(club)
    assert plain.modularity == pytest.approx(0.4198, abs=5e-5)
    assert plain.modularity == pytest.approx(networkx.community.modularity(club, parts(plain)), rel=1e-12)
    assert plain.sizes.tolist() == [12, 11, 6, 5]
    assert find_communities(club, method="louvain").modularity > 0.39


@checked(150)
@given(graphs(), st.sampled_from(METHODS), st.integers(0, 3))
def test_modularity_is_that_of_the_undirected_network(graph: Any, method: str, seed: int) -> None:
    found = find_communities(graph, method=method, seed=seed)
    plain = undirected(graph)
    assert list(found.users) == sorted(graph)
    assert set.union(*map(set, parts(found))) == set(graph)
    if plain.number_of_edges() == 0:
        assert math.isnan(found.modularity)
        assert found.n_communities == len(graph)
    else:
        assert found.modularity == pytest.approx(networkx.community.modularity(plain, parts(found)), abs=1e-12)


@checked(150)
@given(graphs())
def test_components_are_those_of_networkx(graph: Any) -> None:
    assert parts(find_communities(graph, method="components")) == set(map(frozenset, networkx.connected_components(undirected(graph))))
    strong = set(map(frozenset, networkx.strongly_connected_components(graph.to_directed())))
    assert parts(find_communities(graph, method="strong-components")) == strong


@checked(100)
@given(graphs(), st.sampled_from(BY_CHANCE))
@example(networkx.disjoint_union(networkx.star_graph(3), networkx.empty_graph(2)), "infomap")
def test_no_community_reaches_over_several_components(graph: Any, method: str) -> None:
    components = parts(find_communities(graph, method="components"))
    assert all(any(part <= component for component in components) for part in parts(find_communities(graph, method=method)))


@checked(100)
@given(graphs(), st.sampled_from(METHODS))
def test_labels_are_numbered_by_falling_size_then_by_first_user(graph: Any, method: str) -> None:
    found = find_communities(graph, method=method)
    firsts = [int(np.flatnonzero(found.labels == label)[0]) for label in range(found.n_communities)]
    keys = list(zip((-found.sizes).tolist(), firsts, strict=True))
    assert keys == sorted(keys)
    assert found.sizes.sum() == len(found.users) == len(found.labels)
    assert len(found) == found.n_communities == len(found.sizes)
    assert found.to_dict() == dict(zip(sorted(graph), found.labels.tolist(), strict=True))
    assert found.to_frame().rows() == list(found.to_dict().items())


@checked(100)
@given(graphs(), st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_the_order_of_users_and_links_does_not_matter(graph: Any, method: str, chance: random.Random) -> None:
    found = find_communities(graph, method=method)
    users, links = list(graph), list(graph.edges(data=True))
    chance.shuffle(users)
    chance.shuffle(links)
    again = type(graph)()
    again.add_nodes_from(users)
    again.add_edges_from(links)
    assert find_communities(again, method=method).to_dict() == found.to_dict()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_communities(method: str) -> None:
    graph = networkx.relaxed_caveman_graph(30, 5, 0.4, seed=1)
    several = []
    for _ in range(3):
        random.random()
        several.append(find_communities(graph, method=method, seed=5).labels.tolist())
    assert several[0] == several[1] == several[2]


@pytest.mark.parametrize("method", ["leiden", "louvain", "label-propagation"])
def test_another_seed_may_give_others(method: str) -> None:
    graph = networkx.relaxed_caveman_graph(30, 5, 0.4, seed=1)
    assert len({tuple(find_communities(graph, method=method, seed=seed).labels.tolist()) for seed in (0, 1, 2, 2**32 - 1)}) > 1


@pytest.mark.parametrize("method", METHODS)
def test_nobody_elses_random_numbers_change(method: str) -> None:
    import igraph

    def drawn(between: Callable[[], object]) -> tuple[float, Any]:
        random.seed(3)
        between()
        return random.random(), igraph.Graph.Erdos_Renyi(30, 0.2).get_edgelist()

    assert drawn(lambda: find_communities(cliques(), method=method, seed=9)) == drawn(lambda: None)


def test_random_numbers_are_put_back_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    import igraph

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(igraph.Graph, "community_multilevel", fail)
    with pytest.raises(MemoryError):
        find_communities(cliques(), method="louvain")
    random.seed(3)
    first = igraph.Graph.Erdos_Renyi(30, 0.2).get_edgelist()
    random.seed(3)
    assert igraph.Graph.Erdos_Renyi(30, 0.2).get_edgelist() == first


@pytest.mark.parametrize("method", WITH_RESOLUTION)
def test_resolution(method: str) -> None:
    graph = networkx.powerlaw_cluster_graph(150, 3, 0.3, seed=1)
    few, some, many = (find_communities(graph, method=method, resolution=resolution).n_communities for resolution in (0.2, 1.0, 5.0))
    assert few < some < many
    assert find_communities(graph, method=method, resolution=1).labels.tolist() == find_communities(graph, method=method).labels.tolist()


@pytest.mark.parametrize("unit", [1e-300, 1e-20, 1e20, 1e308])
def test_the_unit_of_weights_does_not_matter(unit: float) -> None:
    graph = cliques()
    networkx.set_edge_attributes(graph, 1.0, "weight")
    expected = find_communities(graph)
    networkx.set_edge_attributes(graph, unit, "weight")
    for method in BY_CHANCE:
        found = find_communities(graph, method=method)
        assert found.labels.tolist() == expected.labels.tolist()
        assert found.modularity == pytest.approx(expected.modularity)
    assert find_communities(graph.to_directed()).modularity == pytest.approx(expected.modularity)


def test_a_mutual_link_weighs_twice_where_links_are_directed() -> None:
    mutual = networkx.DiGraph([("a", "b"), ("b", "a"), ("c", "d"), ("b", "c")])
    plain = networkx.Graph()
    plain.add_weighted_edges_from([("a", "b", 2), ("c", "d", 1), ("b", "c", 1)])
    found = find_communities(mutual)
    assert found.modularity == pytest.approx(networkx.community.modularity(plain, parts(found)))
    assert found.n_links == 4
    once = find_communities(mutual, directed=False)
    assert once.modularity == pytest.approx(networkx.community.modularity(mutual.to_undirected(), parts(once)))
    assert once.n_links == 3


def test_strong_components_of_links_that_lead_one_way() -> None:
    links = [("a", "b"), ("b", "a"), ("b", "c")]
    assert parts(find_communities(links, method="strong-components")) == {frozenset("ab"), frozenset("c")}
    assert parts(find_communities(links, method="strong-components", directed=False)) == {frozenset("abc")}


def test_whatever_holds_a_graph(tmp_path: Path) -> None:
    import igraph

    links = [("a", "b"), ("b", "c"), ("d", "e")]
    (tmp_path / "links.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in links))
    for graph in (
        links,
        {"a": ["b"], "b": {"c"}, "d": ["e"]},
        polars.DataFrame(links, schema=["source", "target"], orient="row"),
        networkx.DiGraph(links),
        igraph.Graph.TupleList(links, directed=True),
        tmp_path / "links.tsv",
        read_graph(links),
    ):
        assert parts(find_communities(graph)) == {frozenset("abc"), frozenset("de")}


@pytest.mark.parametrize("method", METHODS)
def test_without_links(method: str, tmp_path: Path) -> None:
    nobody, one, two = networkx.Graph(), networkx.empty_graph(1), networkx.empty_graph(2, networkx.DiGraph)
    for n_users, graph in enumerate((nobody, one, two)):
        found = find_communities(graph, method=method)
        assert found.labels.tolist() == list(range(n_users))
        assert math.isnan(found.modularity)
        assert "modularity  undefined, as there are no links" in found.summary()
        for extension in FORMATS:
            found.write(tmp_path / f"found{extension}")
            assert read_back(tmp_path / f"found{extension}")[1] == list(range(n_users))


def test_summary() -> None:
    graph = [("a", "b"), ("b", "a"), ("b", "c"), ("b", "c"), ("d", "d"), ("e", "f"), ("g", "g")]
    assert find_communities(graph, method="louvain", resolution=0.5, seed=7).summary() == (
        "4 communities by louvain (resolution 0.5, seed 7)\n"
        "users       7\n"
        "links       4, weights 1 to 2\n"
        "sizes       largest 3, median 1.5, of one user 2\n"
        "modularity  0.3200\n"
        "note: 2 self-links ignored\n"
        "note: 1 repeated link; weights are summed"
    )
    assert find_communities([("a", "b")], method="components", seed=7).summary().startswith("1 community by components\n")
    assert find_communities([("a", "b")], method="infomap", seed=7).summary().startswith("1 community by infomap (seed 7)\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ledien"}, "method is 'ledien', expected leiden, louvain, "),
        ({"method": "components", "resolution": 1}, "resolution goes with leiden and louvain, and the method is components"),
        ({"resolution": 0}, "resolution is 0, expected a finite number above 0"),
        ({"resolution": math.nan}, "resolution is nan, expected"),
        ({"resolution": math.inf}, "resolution is inf, expected"),
        ({"seed": -1}, "seed is -1, expected a whole number from 0 to 4294967295"),
        ({"seed": 2**32}, "seed is 4294967296, expected"),
        ({"seed": 1.0}, "seed is 1.0, expected"),
        ({"seed": True}, "seed is True, expected"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        find_communities([("a", "b")], **options)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(("library", "method"), [("igraph", "components"), ("igraph", "leiden")])
def test_a_library_that_is_missing(library: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibrary) as refusal:
        find_communities("is not read", method=method)
    assert str(refusal.value) == (
        f"communities are found by {library}, which is not installed; it comes with the extra communities: pip install 'aspectrum[communities]'"
    )


def read_back(path: Path) -> tuple[IdColumn, list[int]]:
    rows = read_input("communities", path)
    communities = rows.ids["community"]
    return rows.ids["user"], [int(communities.ids[code]) for code in communities.codes.tolist()]


def of_users(ids: Any) -> Communities:
    return Communities("components", Ids(ids), np.arange(len(ids), dtype=np.int32), math.nan)


def survives(ids: Any, path: Path) -> bool:
    """Whether users that are written are, read back, the users that they were; True for numbers and text alike."""
    found = of_users(ids)
    try:
        found.write(path)
    except OutputError:
        assert not path.exists()
        return False
    column, labels = read_back(path)
    assert labels == found.labels.tolist()
    own = IdColumn(np.arange(len(ids), dtype=np.int32), ids)
    table = IdTable("user", [("graph", own), (str(path), column)])
    assert list(table.ids) == list(ids)
    assert table.codes(column).tolist() == table.codes(own).tolist()
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


TEXTS = st.one_of(st.sampled_from(HARD), st.text(st.sampled_from(" \"'\t\n\r,;|a1\0\ufeff"), max_size=4), st.text(max_size=5))


@checked(400)
@given(st.lists(TEXTS, unique=True, max_size=6), st.sampled_from(FORMATS))
@example(HARD, ".tsv")
@example(HARD, ".txt")
@example(HARD, ".csv")
@example(HARD, ".parquet")
def test_text_survives_a_file_or_is_refused(folder: Path, ids: list[str], extension: str) -> None:
    path = folder / f"users{extension}"
    path.unlink(missing_ok=True)
    lost = "" in ids or (extension != ".parquet" and any(letter in id for id in ids for letter in "\0\r\ufeff"))
    assert survives(ids, path) == (not lost)
    assume(not lost)
    # Ids of files and frames are series.
    assert survives(polars.Series(ids, dtype=polars.String), path)


@checked(100)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=6), st.sampled_from(FORMATS))
def test_whole_numbers_survive_a_file(folder: Path, ids: list[int], extension: str) -> None:
    path = folder / f"numbers{extension}"
    assert survives(ids, path)
    assert survives(polars.Series(ids, dtype=polars.Int64), path)


def test_numbers_that_no_column_holds_survive_as_text(tmp_path: Path) -> None:
    ids = [-5, 10**40]
    assert survives(ids, tmp_path / "users.tsv")
    assert not survives(ids, tmp_path / "users.parquet")


@pytest.mark.parametrize("ids", [[1.5, 2.5], [b"a", b"b"], ["a\r", "b"], ["\0"]])
def test_what_only_parquet_can_hold(ids: list[Any], tmp_path: Path) -> None:
    for extension in (".tsv", ".csv"):
        path = tmp_path / f"users{extension}"
        with pytest.raises(OutputError) as refusal:
            of_users(ids).write(path)
        assert str(refusal.value).startswith(f"{path}: the id {ids[0]!r} of a user would not be read back from text as it is; expected")
        assert str(refusal.value).endswith("; Parquet can hold it (.parquet)")
    assert survives(ids, tmp_path / "users.parquet")


@pytest.mark.parametrize("ids", [["a", ""], ["a", 1], [1, "a"], [(1, 2), (1, 3)], [True, False], ["a", "\ud800"]])
def test_what_no_file_can_hold(ids: list[Any], tmp_path: Path) -> None:
    for extension in FORMATS:
        path = tmp_path / f"users{extension}"
        with pytest.raises(OutputError, match="would not be read back") as refusal:
            of_users(ids).write(path)
        assert "Parquet can" not in str(refusal.value)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "found"), [("found", "no extension"), ("found.json", "unknown extension '.json'"), ("found.tsv.gz", "unknown extension '.gz'")]
)
def test_extensions_that_are_not_known(name: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(OutputError) as refusal:
        find_communities([("a", "b")]).write(path)
    assert str(refusal.value) == f"{path}: {found} to tell the format; expected .tsv, .txt, .csv, .parquet"


def test_the_text_of_a_file(tmp_path: Path) -> None:
    found = find_communities([("a", "b"), ("c,d", "e\tf"), ("b", "g")])
    found.write(tmp_path / "found.tsv")
    found.write(tmp_path / "found.csv")
    assert (tmp_path / "found.tsv").read_text() == 'user\tcommunity\na\t0\nb\t0\nc,d\t1\n"e\tf"\t1\ng\t0\n'
    assert (tmp_path / "found.csv").read_text() == 'user,community\na,0\nb,0\n"c,d",1\ne\tf,1\ng,0\n'


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    for extension in FORMATS:
        with pytest.raises(OutputError, match="no such directory"):
            find_communities([("a", "b")]).write(tmp_path / "nowhere" / f"found{extension}")
