"""Social networks from everything that can hold one."""

import gzip
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.contacts.graphs import Graph, Links, read_graph

LINKS = [("ann", "bob", 1.0), ("bob", "ann", 2.0), ("ann", "cyd", 0.5), ("dan", "dan", 1.0), ("ann", "bob", 3.0)]


def weights_of(graph: Graph) -> dict[tuple[Any, Any], float]:
    users = list(graph.users)
    links = graph.links
    return {
        (users[source], users[target]): weight for source, target, weight in zip(links.sources, links.targets, links.weights, strict=True)
    }


DIRECTED = {("ann", "bob"): 4.0, ("bob", "ann"): 2.0, ("ann", "cyd"): 0.5}
UNDIRECTED = {("ann", "bob"): 4.0, ("bob", "ann"): 4.0, ("ann", "cyd"): 0.5, ("cyd", "ann"): 0.5}


def written(folder: Path, kind: str) -> Any:
    frame = polars.DataFrame(LINKS, schema=["source", "target", "weight"], orient="row")
    path = folder / f"links.{kind}"
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "tsv":
        frame.write_csv(path, separator="\t", include_header=False)
    elif kind == "parquet":
        frame.write_parquet(path)
    elif kind == "tsv.gz":
        path.write_bytes(gzip.compress(frame.write_csv(separator="\t", include_header=False).encode()))
    elif kind == "txt":
        path.write_text("# Directed graph\n# FromNodeId\tToNodeId\tWeight\n" + frame.write_csv(separator="\t", include_header=False))
    elif kind == "graphml":
        network = networkx.MultiDiGraph()
        network.add_weighted_edges_from(LINKS)
        networkx.write_graphml(network, path)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "tsv.gz", "txt", "graphml"])
def test_files(tmp_path: Path, kind: str) -> None:
    graph = read_graph(written(tmp_path, kind))
    assert weights_of(graph) == DIRECTED
    assert graph.directed
    assert set(graph.users) == {"ann", "bob", "cyd", "dan"}
    assert graph.name == str(tmp_path / f"links.{kind}")


def test_undirected_links_are_completed_with_the_larger_weight(tmp_path: Path) -> None:
    for given_ in (LINKS, written(tmp_path, "csv")):
        assert weights_of(read_graph(given_, directed=False)) == UNDIRECTED


def test_objects_of_libraries() -> None:
    network = networkx.MultiDiGraph()
    network.add_weighted_edges_from(LINKS)
    network.add_node("eve")
    graph = read_graph(network)
    assert weights_of(graph) == DIRECTED
    assert set(graph.users) == {"ann", "bob", "cyd", "dan", "eve"}
    other = igraph.Graph.TupleList(LINKS, directed=True, weights=True)
    assert weights_of(read_graph(other)) == DIRECTED
    assert weights_of(read_graph(other, directed=False)) == UNDIRECTED
    assert weights_of(read_graph(read_graph(other))) == DIRECTED
    assert not read_graph(networkx.karate_club_graph()).directed
    assert list(read_graph(igraph.Graph.Ring(3)).users) == [0, 1, 2]


def test_graphml_of_both_libraries(tmp_path: Path) -> None:
    karate = networkx.karate_club_graph()
    networkx.write_graphml(karate, tmp_path / "a.graphml")
    (tmp_path / "b.graphml.gz").write_bytes(gzip.compress((tmp_path / "a.graphml").read_bytes()))
    named = igraph.Graph.TupleList(karate.edges(data="weight"), weights=True)
    named.write_graphml(str(tmp_path / "c.graphml"))
    expected = weights_of(read_graph(karate))
    for name in ("a.graphml", "b.graphml.gz", "c.graphml"):
        assert weights_of(read_graph(tmp_path / name)) == expected


def test_plain_objects_and_notes() -> None:
    assert weights_of(read_graph({"ann": ["bob"], "bob": {"ann": 2}})) == {("ann", "bob"): 1.0, ("bob", "ann"): 2.0}
    graph = read_graph(LINKS)
    assert list(map(str, graph.notices)) == ["1 self-link ignored", "1 repeated link; weights are summed"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tb\t1\nb\tc\t-2\n", "line 2: the weight of the link from 'b' to 'c' is -2, expected above 0"),
        ("# x\na\tb\t0\n", "line 2: the weight of the link from 'a' to 'b' is 0, expected above 0"),
        ("a\tb\t1\nb\tc\t\n", "line 2: the weight is missing, expected a finite number"),
        ("a\tb\t1\nb\tc\tmuch\n", "line 2: the weight is 'much', expected a finite number"),
        ("a\tb\nc\n", "line 2: has 1 field, expected 2"),
        ("a\tb\n\tc\n", "line 2: the source is missing"),
        ("who\tlikes\tsize\na\tb\t2\n", "looks like a header with unknown column names"),
        ("# only\n# comments\n", "the file is empty but for comments"),
        ("", "the file is empty"),
    ],
)
def test_wrong_edge_lists(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "g.tsv").write_text(text)
    with pytest.raises(asp.InputError, match=r"g\.tsv") as caught:
        read_graph(tmp_path / "g.tsv")
    assert said in str(caught.value)


def test_wrong_objects(tmp_path: Path) -> None:
    network = networkx.DiGraph()
    network.add_edge("a", "b", weight="heavy")
    with pytest.raises(asp.InputError, match="the weight of the link from 'a' to 'b' is 'heavy', expected a finite number"):
        read_graph(network)
    negative = networkx.DiGraph()
    negative.add_edge("a", "b", weight=-1)
    with pytest.raises(asp.InputError, match="graph: the weight of the link from 'a' to 'b' is -1, expected above 0"):
        read_graph(negative)
    with pytest.raises(asp.InputError, match="the graph is undirected, expected a directed one"):
        read_graph(networkx.karate_club_graph(), directed=True)
    twice = igraph.Graph(2)
    twice.vs["name"] = ["a", "a"]
    with pytest.raises(asp.InputError, match="two users are called 'a'"):
        read_graph(twice)
    (tmp_path / "g.graphml").write_text("<graphml><node")
    with pytest.raises(asp.InputError, match=r"g\.graphml: cannot be read as GraphML"):
        read_graph(tmp_path / "g.graphml")
    (tmp_path / "e.graphml").write_text("")
    with pytest.raises(asp.InputError, match=r"e\.graphml: the file is empty"):
        read_graph(tmp_path / "e.graphml")
    with pytest.raises(asp.InputError, match="is a graph, which only the links of a social network can come as"):
        asp.evaluate(tmp_path / "g.graphml", "GiniComplement@1")


def test_graphml_needs_igraph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "graphml")
    monkeypatch.setitem(__import__("sys").modules, "igraph", None)
    with pytest.raises(asp.MissingLibrary, match=r"GraphML is read by igraph, which is not installed.*aspectrum\[communities\]"):
        read_graph(path)


PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.5, 1.0, 2.0])), max_size=12)


@given(PAIRS, st.booleans())
def test_links_are_those_of_the_definition(rows: list[tuple[int, int, float]], directed: bool) -> None:
    sums: dict[tuple[int, int], float] = {}
    for source, target, weight in rows:
        sums[source, target] = sums.get((source, target), 0.0) + weight
    if not directed:
        sums = {pair: max(sums.get(pair, 0.0), sums.get(pair[::-1], 0.0)) for a, b in sums for pair in ((a, b), (b, a))}
    columns = [np.array([row[place] for row in rows], dtype=np.int32) for place in (0, 1)]
    links = Links.of(columns[0], columns[1], np.array([row[2] for row in rows]), directed=directed)
    found = dict(zip(zip(links.sources.tolist(), links.targets.tolist(), strict=True), links.weights.tolist(), strict=True))
    assert found == sums
    assert list(found) == sorted(found)
    every = [(source, target) for source in range(5) for target in range(5)]
    asked = [np.array(ends, dtype=np.int32) for ends in zip(*every, strict=True)]
    assert links.have(asked[0], asked[1]).tolist() == [pair in sums for pair in every]


def test_comments_are_not_names(tmp_path: Path) -> None:
    (tmp_path / "tags.tsv").write_text("#music\tann\nann\t%s\n")
    assert set(read_graph(tmp_path / "tags.tsv").users) == {"#music", "ann", "%s"}
    (tmp_path / "tags.tsv").write_text("## made\n%\n# Nodes: 3\n#music\tann\n# late\tbob\n")
    assert set(read_graph(tmp_path / "tags.tsv").users) == {"#music", "ann", "# late", "bob"}


def test_names_of_graphml_are_used_if_every_node_has_one_of_its_own(tmp_path: Path) -> None:
    for names, users in ((["Ann", "Bob"], {"Ann", "Bob"}), (["Ann", "Ann"], {"a", "b"}), (["Ann", None], {"a", "b"})):
        network = networkx.DiGraph([("a", "b")])
        for node, name in zip("ab", names, strict=True):
            if name is not None:
                network.nodes[node]["name"] = name
        networkx.write_graphml(network, tmp_path / "g.graphml")
        graph = read_graph(tmp_path / "g.graphml")
        assert set(graph.users) == users
        assert [notice.kind for notice in graph.notices] == ["node_ids"] * (users == {"a", "b"})


def graphml(kind: str, *names: str) -> str:
    """Nodes n0 ..., with names of a kind; one that is empty has none."""
    data = [f'<data key="k">{name}</data>' if name else "" for name in names]
    nodes = "".join(f'<node id="n{place}">{one}</node>' for place, one in enumerate(data))
    keys = f'<key id="k" for="node" attr.name="name" attr.type="{kind}"/>'
    return f'<graphml>{keys}<graph edgedefault="directed">{nodes}<edge source="n0" target="n1"/></graph></graphml>'


@pytest.mark.parametrize(
    ("kind", "names", "users"),
    [
        ("long", ("5", "7"), [5, 7]),
        ("double", ("5.5", "7"), ["5.5", "7"]),
        ("double", ("5", ""), ["n0", "n1"]),  # igraph reads NaN
        ("long", ("5", "5"), ["n0", "n1"]),
        ("string", ("9007199254740993", "9007199254740992"), [9007199254740993, 9007199254740992]),
        ("string", ("nan", "b"), ["nan", "b"]),
    ],
)
def test_names_of_graphml_that_are_numbers(kind: str, names: tuple[str, ...], users: list[Any], tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(graphml(kind, *names))
    graph = read_graph(tmp_path / "g.graphml")
    assert list(graph.users) == users
    said = [str(notice) for notice in graph.notices]
    lost = {"": 1, "5": 2}.get(names[1], 0)
    assert said == [f"{lost} of 2 nodes have no name; users are called by the ids of nodes"] * (lost > 0)


@pytest.mark.parametrize("number", ["9007199254740993", "-9007199254740993", "1e300"])
def test_names_of_graphml_that_igraph_rounds(number: str, tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(graphml("double", "1", number))
    with pytest.raises(asp.InputError, match=r"g\.graphml: a node has the name -?[0-9]+, and igraph does not tell such numbers apart"):
        read_graph(tmp_path / "g.graphml")


def test_graphml_with_an_id_of_megabytes(tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(graphml("string", "a", "b" * (1 << 21)))
    with pytest.raises(asp.InputError, match=r"g\.graphml: holds 2\.1 MB of text in one piece"):
        read_graph(tmp_path / "g.graphml")


@pytest.mark.parametrize("read", [read_graph, lambda links: asp.contacts.evaluate({1: [2]}, "NDCG@1", train=[(1, 3)], test=links)])
def test_weights_that_add_up_to_infinity(read: Any) -> None:
    with pytest.raises(asp.InputError, match="the weights of the links from 1 to 2 add up to infinity, expected smaller weights"):
        read([(1, 2, 1.7e308), (1, 2, 1.7e308)])


def test_links_without_a_weight_among_others_weigh_1(tmp_path: Path) -> None:
    network = networkx.DiGraph([("a", "b")])
    network.add_edge("b", "c", weight=3)
    networkx.write_graphml(network, tmp_path / "g.graphml")
    for given_ in (network, tmp_path / "g.graphml"):
        graph = read_graph(given_)
        assert weights_of(graph) == {("a", "b"): 1.0, ("b", "c"): 3.0}
        assert list(map(str, graph.notices)) == ["1 link without a weight, which other links have; 1 is used"]


def test_a_graph_that_is_read_again_keeps_its_notes() -> None:
    graph = read_graph(LINKS)
    assert read_graph(graph).notices == graph.notices
    both_ways = read_graph(graph, directed=False)
    assert ("both_ways", len(graph.links)) in [(notice.kind, notice.count) for notice in both_ways.notices]


def test_a_user_who_links_to_nobody_is_a_user() -> None:
    assert list(read_graph({"a": ["b"], "z": []}).users) == ["a", "z", "b"]


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ([(1, 2, 0.0)], "train: the weight of the link from 1 to 2 is 0, expected above 0"),
        ([(1, 2, "x")], "train: the weight of 1, 2 is 'x', expected a finite number"),
        ([(1,)], "train: row 0 has 1 values, expected (source, target[, weight])"),
        ({"a": 5}, "train: source 'a' has 5, expected targets"),
        (7, "train: expected {source: [targets]}, {source: {target: weight}} or rows (source, target[, weight]), a frame or the path"),
    ],
)
def test_wrong_plain_objects(given_: Any, said: str) -> None:
    with pytest.raises(asp.InputError) as caught:
        read_graph(given_, name="train")
    assert str(caught.value).startswith(said)


def test_objects_that_are_no_graph() -> None:
    from scipy import sparse

    with pytest.raises(asp.InputError, match="is a sparse matrix, expected links"):
        read_graph(sparse.eye_array(3))
    unhashable = igraph.Graph(1)
    unhashable.vs["name"] = [[1]]
    with pytest.raises(asp.InputError, match="a user has an invalid name"):
        read_graph(unhashable)
    with pytest.raises(asp.InputError, match="directed is 'no', expected true, false or none"):
        read_graph(LINKS, directed="no")  # type: ignore[arg-type]
