"""``aspectrum communities``: an edge list in, a partition out, its quality in words."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from aspectrum.cli import cli
from aspectrum.cli.communities import communities
from aspectrum.contacts.communities import METHODS
from tests.cli.conftest import Call

TRIANGLES = "a\tb\nb\tc\nc\ta\nd\te\ne\tf\nf\td\na\td\n"
FOUND = "user\tcommunity\na\t0\nb\t0\nc\t0\nd\t1\ne\t1\nf\t1\n"
QUALITY = """\
2 communities by leiden (resolution 1, seed 0)
users       6
links       7
sizes       largest 3, median 3, of one user 0
modularity  0.3571
"""

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _there(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.setitem(cli.commands, "communities", communities)
    (here / "train.tsv").write_text(TRIANGLES)


def test_without_a_file_the_partition_is_printed_and_the_quality_apart(call: Call) -> None:
    said = call("communities", "train.tsv")
    assert (said.code, said.out, said.err) == (0, FOUND, QUALITY)


@pytest.mark.parametrize("extension", ["tsv", "txt", "csv", "parquet"])
def test_with_a_file_the_quality_is_printed(call: Call, here: Path, extension: str) -> None:
    said = call("communities", "train.tsv", "-o", f"found.{extension}")
    assert (said.code, said.out, said.err) == (0, QUALITY, "")
    path = here / f"found.{extension}"
    if extension == "parquet":
        assert polars.read_parquet(path).rows() == list(zip("abcdef", [0, 0, 0, 1, 1, 1], strict=True))
    else:
        assert path.read_text() == (FOUND.replace("\t", ",") if extension == "csv" else FOUND)


@pytest.mark.parametrize("method", METHODS)
def test_every_method(call: Call, method: str) -> None:
    said = call("communities", "train.tsv", "--method", method, "--seed", "3")
    assert said.code == 0
    n_communities = 1 if method == "components" else 2
    assert said.err.startswith(f"{n_communities} communit{'y' if n_communities == 1 else 'ies'} by {method}")


def test_help_names_the_methods_and_warns_of_test_links(call: Call) -> None:
    said = call("communities", "--help")
    assert said.code == 0
    assert all(method in said.out.replace("\n", "") for method in METHODS)
    assert "Give the train graph only" in " ".join(said.out.split())
    assert "aspectrum communities train.tsv -o communities.tsv" in said.out


def test_resolution(call: Call) -> None:
    said = call("communities", "train.tsv", "--method", "louvain", "--resolution", "0.01", "--seed", "7")
    assert said.err.startswith("1 community by louvain (resolution 0.01, seed 7)\n")


def test_direction(call: Call, here: Path) -> None:
    (here / "one_way.csv").write_text("source,target\na,b\nb,c\n")
    assert call("communities", "one_way.csv", "--method", "strong-components").err.startswith("3 communities")
    assert call("communities", "one_way.csv", "--method", "strong-components", "--undirected").err.startswith("1 community")
    assert call("communities", "one_way.csv", "--method", "strong-components", "--directed").err.startswith("3 communities")


@pytest.mark.parametrize("columns", ["source=a,target=b", "graph:source=2,target=3", "source=2,target=b"])
def test_columns(call: Call, here: Path, columns: str) -> None:
    (here / "odd.csv").write_text("when,a,b,c\n1,x,y,5\n2,z,w,6\n")
    said = call("communities", "odd.csv", "--columns", columns, "--columns", "weight=c")
    assert (said.code, said.out) == (0, "user\tcommunity\nw\t0\nx\t1\ny\t1\nz\t0\n")


def test_a_header_and_a_format(call: Call, here: Path) -> None:
    (here / "links").write_text("source\ttarget\nx\ty\n")
    assert call("communities", "links", "--no-header", "--method", "components").out.splitlines()[1:] == [
        "source\t0",
        "target\t0",
        "x\t1",
        "y\t1",
    ]
    for reader in ("tsv", "graph=tsv"):
        assert call("communities", "links", "--reader", reader).out == "user\tcommunity\nx\t0\ny\t0\n"


def test_the_standard_input(here: Path) -> None:
    code = """
import sys
from aspectrum.cli import cli, main
from aspectrum.cli.communities import communities
cli.add_command(communities)
main(["communities", "-"])
"""
    done = subprocess.run([sys.executable, "-c", code], input=TRIANGLES.encode(), capture_output=True, check=True)
    assert (done.stdout.decode(), done.stderr.decode()) == (FOUND, QUALITY)


def test_graphml(call: Call, here: Path) -> None:
    import networkx

    networkx.write_graphml(networkx.Graph([("a", "b"), ("c", "d"), ("d", "e")]), here / "train.graphml")
    said = call("communities", "train.graphml", "--method", "components")
    assert (said.code, said.out) == (0, "user\tcommunity\na\t1\nb\t1\nc\t0\nd\t0\ne\t0\n")
    assert "links       3\n" in said.err


def test_what_was_left_out_is_said(call: Call, here: Path) -> None:
    (here / "loops.tsv").write_text("a\tb\nb\tb\na\tb\n")
    said = call("communities", "loops.tsv", "-o", "found.tsv")
    assert said.out.splitlines()[-2:] == [
        "note: 1 self-link ignored",
        "note: 1 repeated link; weights are summed",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'GRAPH'"),
        (("",), "graph has an empty name"),
        (("train.tsv", "--method", "lieden"), "'lieden' is not one of"),
        (
            ("train.tsv", "--method", "components", "--resolution", "1"),
            "--resolution goes with --method leiden or louvain, not with components",
        ),
        (("train.tsv", "--resolution", "0"), "--resolution"),
        (("train.tsv", "--resolution", "inf"), "--resolution"),
        (("train.tsv", "--seed", "-1"), "--seed"),
        (("train.tsv", "-o", "-"), "--output -: without --output, the communities go to the standard output"),
        (("train.tsv", "-o", "found.json"), "--output found.json: unknown extension '.json' to tell the format; expected .tsv, .txt"),
        (("train.tsv", "-o", "train.tsv"), "train.tsv: is also an input; it would be overwritten"),
        (("train.tsv", "--columns", "source"), "--columns source: 'source' is not of the form ROLE=NAME"),
        (("train.tsv", "--columns", "sorce=a"), "--columns sorce=a: there is no role 'sorce'; did you mean 'source'?"),
        (("train.tsv", "--columns", "source=1,source=2"), "--columns source=1,source=2: the source is said twice"),
        (("train.tsv", "--reader", "word"), "--reader word: there is no format 'word'"),
    ],
)
def test_wrong_use(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(2, "communities", *arguments)


def test_data_that_cannot_be(refused: Refused, here: Path) -> None:
    assert "file not found; did you mean 'train.tsv'?" in refused(1, "communities", "trai.tsv")
    assert "nowhere/found.tsv: cannot be written: no such directory" in refused(1, "communities", "train.tsv", "-o", "nowhere/found.tsv")
    (here / "weights.csv").write_text("source,target,weight\na,b,-1\n")
    assert "weights.csv, line 2: the weight of the link from 'a' to 'b' is -1, expected above 0" in refused(1, "communities", "weights.csv")


@pytest.mark.parametrize("library", ["igraph"])
def test_a_library_that_is_missing(refused: Refused, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    assert refused(1, "communities", "train.tsv") == (
        f"error: communities are found by {library}, which is not installed; it comes with the extra communities: "
        "pip install 'aspectrum[communities]'\n"
    )


def test_ids_that_text_cannot_hold(refused: Refused, call: Call, here: Path) -> None:
    polars.DataFrame({"source": ["a\r"], "target": ["b"]}).write_parquet(here / "odd.parquet")
    said = refused(1, "communities", "odd.parquet")
    assert "communities: the id 'a\\r' of a user would not be read back from text as it is" in said
    assert "Parquet can hold it (.parquet)" in said
    assert call("communities", "odd.parquet", "-o", "found.parquet").code == 0


def test_nothing_heavy_is_loaded_with_the_command() -> None:
    code = "import sys, aspectrum.cli.communities; print({'polars', 'igraph', 'numpy'} & set(sys.modules))"
    loaded: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"polars", "igraph"} & eval(loaded)
