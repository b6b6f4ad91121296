"""``aspectrum index``: from texts to a file of features."""

import sys
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

import aspectrum as asp
from aspectrum.cli import cli
from aspectrum.cli.index import index
from aspectrum.contacts.texts import TextIndex, index_texts
from tests.cli.conftest import Call
from tests.cli.data import write_csv

TEXTS = [("ann", "Blue sky"), ("bob", 'the "sea",\nthe sky'), ("cyd", "blue sea"), ("cyd", "deep sea"), ("zoe", "moon")]
LINKS = [("ann", "bob"), ("bob", "cyd"), ("dan", "ann")]


@pytest.fixture(autouse=True)
def files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.commands, "index", index)
    write_csv(here / "texts.csv", ("user", "text"), TEXTS)
    write_csv(here / "graph.csv", ("source", "target"), LINKS)


def test_index_is_that_of_the_library_and_is_reused(call: Call, here: Path) -> None:
    said = call("index", "texts.csv", "-o", "words.npz")
    assert (said.code, said.err) == (0, "")
    assert said.out == "4 users, 6 terms; texts: own; weighting: tf-idf\n"
    expected = index_texts(TEXTS)
    found = TextIndex.load("words.npz")
    assert (list(found.users), found.terms) == (list(expected.users), expected.terms)
    assert (found.matrix != expected.matrix).nnz == 0
    write_csv(here / "recs.csv", ("user", "item"), [("u", "ann"), ("u", "bob"), ("u", "cyd")])
    said = call("evaluate", "recs.csv", "--features", "words.npz", "-m", "ILD@5", "--format", "json")
    result = asp.evaluate({"u": ["ann", "bob", "cyd"]}, "ILD@5", features=expected.rows())
    assert f"{result['ILD@5']!r}" in said.out


def test_all_options(call: Call, here: Path) -> None:
    said = call(
        *("index", "texts.csv", "-o", "words.npz", "--of", "all", "--graph", "graph.csv", "--undirected", "--weighting", "relison"),
        *("--stop-words", "english", "--min-users", "2"),
    )
    assert said.code == 0, said
    expected = index_texts(TEXTS, of="all", graph=LINKS, directed=False, weighting="relison", stop_words="english", min_users=2)
    found = TextIndex.load("words.npz")
    assert (list(found.users), found.terms, found.of, found.weighting) == (list(expected.users), expected.terms, "all", "relison")
    assert (found.matrix != expected.matrix).nnz == 0
    assert said.out.splitlines() == [
        "4 users, 4 terms; texts: all; weighting: relison",
        "note: 1 user with texts not in graph.csv; their texts are ignored",
    ]


def test_columns_and_header(call: Call, here: Path) -> None:
    write_csv(here / "odd.csv", ("who", "when", "said"), [("7", "1", "blue sky"), ("8", "2", "sea")])
    write_csv(here / "links.csv", ("a", "b"), [("8", "7")])
    said = call(
        "index", "odd.csv", "-o", "words.npz", "--columns", "user=who,text=said", "--graph", "links.csv", "--columns", "source=a,target=b"
    )
    assert said.code == 0, said
    assert list(TextIndex.load("words.npz").users) == [8, 7]
    (here / "plain.tsv").write_text("user\ttext\nann\tblue sky\n")
    assert call("index", "plain.tsv", "-o", "words.npz", "--no-header").code == 0
    assert list(TextIndex.load("words.npz").users) == ["user", "ann"]
    said = call("index", "odd.csv", "-o", "words.npz", "--columns", "texts:user=1,text=3", "--header")
    assert said.code == 0, said
    assert list(TextIndex.load("words.npz").users) == [7, 8]


def test_parquet(call: Call, here: Path) -> None:
    polars.DataFrame({"user": [1, 2], "text": ["sky", None]}).write_parquet(here / "texts.parquet")
    said = call("index", "texts.parquet", "-o", "words.npz", "--weighting", "counts")
    assert said.out == "2 users, 1 term; texts: own; weighting: counts\n1 user has no term\n"


@pytest.mark.parametrize(
    ("code", "arguments", "said"),
    [
        (2, ["texts.csv"], "Missing option '-o'"),
        (2, ["texts.csv", "-o", "words.csv"], "expected a name that ends in .npz"),
        (2, ["texts.csv", "-o", "w.npz", "--of", "followees"], "--of followees needs --graph, which says who follows whom"),
        (2, ["texts.csv", "-o", "w.npz", "--directed"], "--directed needs --graph"),
        (2, ["texts.csv", "-o", "w.npz", "--undirected"], "--undirected needs --graph"),
        (2, ["texts.csv", "-o", "w.npz", "--of", "friends"], "'friends' is not one of 'own'"),
        (2, ["texts.csv", "-o", "w.npz", "--min-users", "0"], "0 is not in the range"),
        (2, ["texts.csv", "-o", "w.npz", "--columns", "user"], "'user' is not of the form ROLE=NAME"),
        (1, ["texts.csv", "-o", "w.npz", "--columns", "item=x"], "texts.csv: 'item' is not a column of texts, which has user, text"),
        (2, ["texts.csv", "-o", "w.npz", "--columns", "user=a,user=b"], "the user is said twice"),
        (1, ["texts.csv", "-o", "w.npz", "--columns", "source=a"], "'source' is not a column of texts, which has user, text"),
        (2, ["texts.csv", "-o", "w.npz", "--columns", "graph:user=a"], "there is no input 'graph'; expected texts"),
        (2, ["texts.csv", "-o", "w.npz", "--columns", "aspects:user=a"], "there is no input 'aspects'; expected texts"),
        (2, ["", "-o", "w.npz"], "texts has an empty name"),
        (2, ["-", "-o", "w.npz", "--graph", "-"], "the standard input (-) is given twice"),
        (1, ["texts.csv", "-o", "none/w.npz"], "none/w.npz: cannot be written: no such directory"),
        (1, ["none.csv", "-o", "w.npz"], "none.csv: file not found"),
        (1, ["texts.csv", "-o", "w.npz", "--min-users", "9"], "texts.csv: no term is left: none is in the texts of 9 users"),
        (1, ["texts.csv", "-o", "w.npz", "--columns", "user=who"], "'who'"),
    ],
)
def test_refused(refused: Callable[..., str], code: int, arguments: list[str], said: str) -> None:
    assert said in refused(code, "index", *arguments)


def test_what_is_read_is_not_overwritten(refused: Callable[..., str], here: Path) -> None:
    (here / "texts.npz").write_text("user,text\nann,sky\n")
    assert "would be overwritten" in refused(2, "index", "texts.npz", "-o", "texts.npz")
    assert "would be overwritten" in refused(2, "index", "texts.csv", "--graph", "texts.npz", "-o", "texts.npz")


def test_a_missing_library(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert "pip install 'aspectrum[text]'" in refused(1, "index", "texts.csv", "-o", "words.npz")


def test_help_has_an_example_that_can_be_copied(call: Call) -> None:
    said = call("index", "--help")
    assert said.code == 0
    assert "aspectrum index tweets.csv -o words.npz" in said.out
    assert "--features words.npz" in said.out
