"""An index of users' texts against its definition in plain Python, and what it refuses."""

import csv
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import aspectrum as asp
from aspectrum.coding.ids import Ids
from aspectrum.contacts.graphs import read_graph
from aspectrum.contacts.texts import Of, TextIndex, Weighting, index_texts
from aspectrum.errors import InputError, MissingInput, MissingLibrary, OutputError
from aspectrum.io import Source, read_input
from tests.strategies import checked

Weights = dict[Any, dict[str, float]]

WORDS = ["sea", "Sea", "sky", "été", "ÉTÉ", "日本", "ß", "ab", "a", "x_1", "42", "don't", "İz", "🌊", "the"]
SEPARATORS = [" ", ", ", "\n", "\t", "-", "  ", '"']
USERS: list[list[Any]] = [["ann", "bob", "cyd", "dé", "eve"], [7, -3, 0, 10**12, 4]]


def plain_terms(text: str, stop_words: Sequence[str] = ()) -> list[str]:
    return [term for term in re.findall(r"\b\w\w+\b", text.lower()) if term not in stop_words]


def plain_index(
    rows: Sequence[tuple[Any, str]],
    of: str,
    links: set[tuple[Any, Any]] | None,
    users: Sequence[Any],
    weighting: str,
    min_users: int,
    stop_words: Sequence[str],
) -> Weights:
    """Weights of terms by user, for all users to be indexed."""
    made_of: dict[Any, set[Any]] = {user: {user} for user in users}
    if of != "own":
        assert links is not None
        followees = {user: {target for source, target in links if source == user} for user in users}
        followers = {user: {source for source, target in links if target == user} for user in users}
        for user in users:
            made_of[user] = {"followees": followees[user], "followers": followers[user]}.get(of, {user} | followees[user] | followers[user])
    tf = {
        user: Counter(term for author, text in rows if author in made_of[user] for term in plain_terms(text, stop_words)) for user in users
    }
    df = Counter(term for terms in tf.values() for term in terms)
    tf = {user: Counter({term: n for term, n in terms.items() if df[term] >= min_users}) for user, terms in tf.items()}
    weights: Weights = {}
    for user, terms in tf.items():
        if weighting == "counts":
            weights[user] = {term: float(n) for term, n in terms.items()}
        elif weighting == "relison":
            weights[user] = {term: (1 + math.log2(n)) * math.log2(1 + len(users) / (df[term] + 1)) for term, n in terms.items()}
        else:
            raw = {term: n * (math.log((1 + len(users)) / (1 + df[term])) + 1) for term, n in terms.items()}
            length = math.sqrt(math.fsum(value**2 for value in raw.values()))
            weights[user] = {term: value / length for term, value in raw.items()}
    return weights


def weights_of(index: TextIndex) -> Weights:
    found = index.matrix.tocoo()
    users = list(index.users)
    weights: Weights = {user: {} for user in users}
    for row, column, value in zip(*found.coords, found.data, strict=True):
        weights[users[row]][index.terms[column]] = float(value)
    return weights


def same(index: TextIndex, expected: Mapping[Any, Mapping[str, float]]) -> bool:
    found = weights_of(index)
    assert list(found) == list(expected)
    assert index.terms == sorted({term for terms in expected.values() for term in terms})
    for user, terms in expected.items():
        assert found[user] == pytest.approx(terms, rel=1e-12, abs=0.0)
    return True


def same_index(one: TextIndex, other: TextIndex) -> bool:
    return (
        one.users == other.users
        and list(one.terms) == list(other.terms)
        and (one.of, one.weighting) == (other.of, other.weighting)
        and one.matrix.shape == other.matrix.shape
        and all(np.array_equal(getattr(one.matrix, part), getattr(other.matrix, part)) for part in ("data", "indices", "indptr"))
    )


@st.composite
def text_worlds(draw: st.DrawFn) -> tuple[list[tuple[Any, str]], list[tuple[Any, Any]] | None]:
    """Rows (user, text), some of users whom the graph does not know; and links, or none."""
    users = draw(st.sampled_from(USERS))
    word = st.tuples(st.sampled_from(WORDS), st.sampled_from(SEPARATORS)).map("".join)
    text = st.lists(word, max_size=5).map("".join)
    rows = draw(st.lists(st.tuples(st.sampled_from(users), text), max_size=8))
    links = draw(st.none() | st.lists(st.tuples(st.sampled_from(users[:4]), st.sampled_from(users[:4])), max_size=8))
    return rows, links


@pytest.mark.parametrize("weighting", get_args(Weighting))
@pytest.mark.parametrize("of", get_args(Of))
@given(data=st.data())
@checked(60)
def test_weights_are_those_of_the_definition(of: Any, weighting: Any, data: st.DataObject) -> None:
    rows, links = data.draw(text_worlds())
    directed = data.draw(st.booleans())
    min_users = data.draw(st.sampled_from([1, 1, 2]))
    stop_words = data.draw(st.sampled_from([[], ["the", "sky"]]))
    if links is None and of != "own":
        links = []
    users = list(dict.fromkeys(user for user, _ in rows))
    between: set[tuple[Any, Any]] | None = None
    if links is not None:
        users = list(dict.fromkeys([*(source for source, _ in links), *(target for _, target in links)]))
        between = {(source, target) for source, target in links if source != target}
        between |= set() if directed else {(target, source) for source, target in between}
    expected = plain_index(rows, of, between, users, weighting, min_users, stop_words)
    options: dict[str, Any] = {"of": of, "weighting": weighting, "min_users": min_users, "stop_words": stop_words}
    options |= {} if links is None else {"graph": links, "directed": directed}
    if not any(expected.values()):
        with pytest.raises(InputError):
            index_texts(rows, **options)
        return
    index = index_texts(rows, **options)
    assert same(index, expected)
    strangers = {user for user, _ in rows} - set(users)
    assert sum(notice.count or 0 for notice in index.notices) == len(strangers)
    by_user: dict[Any, list[str]] = {user: [] for user, _ in rows}
    for user, text in rows:
        by_user[user].append(text)
    assert same_index(index_texts(by_user, **options), index)


def test_a_user_is_all_their_rows_and_a_repeated_row_counts_again(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    rows = [("ann", "blue sky"), ("bob", "sea"), ("ann", "blue sky"), ("ann", 'a "blue",\n\tsea'), ("cyd", "")]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("user", "text"), *rows])
    expected = {"ann": {"blue": 3.0, "sea": 1.0, "sky": 2.0}, "bob": {"sea": 1.0}, "cyd": {}}
    for texts in (
        path,
        rows,
        pandas.DataFrame(rows, columns=["user", "text"]),
        polars.DataFrame(rows, schema=["user", "text"], orient="row"),
    ):
        assert same(index_texts(texts, weighting="counts"), expected)
    assert same(index_texts(iter(rows), weighting="counts"), expected)


def test_unicode_and_case() -> None:
    texts = {"ann": "Été à Łódź, 東京タワー", "bob": "ÉTÉ straße"}
    index = index_texts(texts, weighting="counts")
    assert index.terms == ["straße", "été", "łódź", "東京タワー"]
    assert index_texts(texts, lowercase=False).terms == ["straße", "ÉTÉ", "Été", "Łódź", "東京タワー"]


def test_users_without_a_text_are_known_by_their_neighbours() -> None:
    texts = {"ann": "sky", "bob": ["sea", "sea"], "zoe": "moon"}
    graph = [("cyd", "ann"), ("cyd", "bob"), ("bob", "cyd"), ("ann", "bob"), ("ann", "ann"), ("cyd", "bob")]
    index = index_texts(texts, of="followees", graph=graph, weighting="counts")
    assert weights_of(index) == {"cyd": {"sea": 2.0, "sky": 1.0}, "bob": {}, "ann": {"sea": 2.0}}
    assert [(notice.kind, notice.count) for notice in index.notices] == [("unknown_authors", 1)]
    assert index.rows().notices == index.notices
    assert index.summary().splitlines() == [
        "3 users, 2 terms; texts: followees; weighting: counts",
        "1 user has no term",
        "note: 1 user with texts not in graph; their texts are ignored",
    ]
    index = index_texts(texts, of="followers", graph=graph, weighting="counts")
    assert weights_of(index) == {"cyd": {"sea": 2.0}, "bob": {"sky": 1.0}, "ann": {}}
    index = index_texts(texts, of="all", graph=graph, weighting="counts")
    assert weights_of(index) == {"cyd": {"sea": 2.0, "sky": 1.0}, "bob": {"sea": 2.0, "sky": 1.0}, "ann": {"sea": 2.0, "sky": 1.0}}
    index = index_texts(texts, graph=graph, weighting="counts")
    assert weights_of(index) == {"cyd": {}, "bob": {"sea": 2.0}, "ann": {"sky": 1.0}}
    assert same_index(index_texts(texts, of="all", graph=read_graph(graph)), index_texts(texts, of="all", graph=graph))


def test_an_undirected_graph_makes_followees_and_followers_the_same() -> None:
    texts = {"ann": "sky", "bob": "sea"}
    graph = {"ann": ["bob"], "bob": ["cyd"]}
    both = [weights_of(index_texts(texts, of=of, graph=graph, directed=False)) for of in ("followees", "followers")]
    assert both[0] == both[1] == {"ann": {"sea": 1.0}, "bob": {"sky": 1.0}, "cyd": {"sea": 1.0}}


def test_ids_of_text_files_agree_in_kind_with_the_graph(tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("7\tblue sky\n8\tsea\n")
    polars.DataFrame({"source": [7, 9], "target": [8, 7]}).write_parquet(tmp_path / "graph.parquet")
    (tmp_path / "graph.tsv").write_text("7\t8\n9\t7\n")
    expected = {7: {"sea": 1.0}, 9: {"blue": 1.0, "sky": 1.0}, 8: {}}
    for graph in ("graph.parquet", "graph.tsv"):
        index = index_texts(tmp_path / "texts.tsv", of="followees", graph=tmp_path / graph, weighting="counts")
        assert weights_of(index) == expected
    words = index_texts(tmp_path / "texts.tsv", of="followees", graph={"7": ["8"], "9": ["7"]}, weighting="counts")
    assert list(words.users) == ["7", "9", "8"]
    polars.DataFrame({"user": [7, 8], "text": ["blue sky", "sea"]}).write_parquet(tmp_path / "texts.parquet")
    index = index_texts(tmp_path / "texts.parquet", of="followees", graph=tmp_path / "graph.tsv", weighting="counts")
    assert weights_of(index) == expected
    with pytest.raises(InputError, match="user ids have different types"):
        index_texts({"7": "sky"}, of="own", graph={7: [8]})


def test_columns_of_other_names_and_places(tmp_path: Path) -> None:
    (tmp_path / "tweets.csv").write_text("id,who,said\n1,ann,blue sky\n2,bob,sea\n")
    index = index_texts(Source(tmp_path / "tweets.csv", columns={"user": "who", "text": "said"}), weighting="counts")
    assert weights_of(index) == {"ann": {"blue": 1.0, "sky": 1.0}, "bob": {"sea": 1.0}}


def test_texts_that_are_all_numbers() -> None:
    assert weights_of(index_texts(pandas.DataFrame({"user": ["ann"], "text": [42]}), weighting="counts")) == {"ann": {"42": 1.0}}
    with pytest.raises(InputError, match=r"row 2: the text is b'sea', expected text"):
        index_texts(pandas.DataFrame({"user": ["ann", "bob"], "text": ["sky", b"sea"]}))


def test_stop_words_are_read_as_the_texts_are() -> None:
    texts = {"ann": "Don't touch the SKY", "bob": "the sea"}
    assert index_texts(texts, stop_words=["DON'T", "Sky"]).terms == ["sea", "the", "touch"]
    assert index_texts(texts, stop_words="english").terms == ["don", "sea", "sky", "touch"]
    assert index_texts(texts, stop_words=iter(["!"])).terms == ["don", "sea", "sky", "the", "touch"]


@pytest.mark.parametrize(
    ("texts", "options", "said"),
    [
        ({"ann": "sky"}, {"of": "friends"}, "texts: of is 'friends', expected one of own, followees, followers, all"),
        ({"ann": "sky"}, {"weighting": "bm25"}, "texts: weighting is 'bm25', expected one of tf-idf, relison, counts"),
        ({"ann": "sky"}, {"min_users": 0}, "texts: min_users is 0, expected a whole number from 1"),
        ({"ann": "sky"}, {"min_users": True}, "texts: min_users is True"),
        ({"ann": "sky"}, {"stop_words": "german"}, "texts: stop_words has 'german', expected 'english' or a list of words"),
        ({"ann": "sky"}, {"stop_words": ["the", 7]}, "texts: stop_words has 7"),
        ({"ann": "sky"}, {"min_users": 2}, "texts: no term is left: none is in the texts of 2 users"),
        ({"ann": "the and"}, {"stop_words": "english"}, "texts: there are no words in the texts but stop words"),
        ({"ann": "", "bob": "! ?"}, {}, "texts: there are no words in the texts; expected words of two or more letters"),
        ({"ann": "sky"}, {"graph": {"bob": ["cyd"]}}, "texts: there are no words in the texts of users of the graph"),
        (
            {"ann": "sky"},
            {"graph": {"ann": ["bob"]}, "of": "followees"},
            "texts: no term is left: nobody has any in the texts of their followees",
        ),
        ({"ann": "sky"}, {"graph": {}}, "texts: there are no words in the texts of users of the graph"),
        ({}, {}, "texts: there are no words in the texts"),
        ({"ann": 7}, {}, "texts: user 'ann' has 7, expected text"),
        ({"ann": b"sky"}, {}, "texts: user 'ann' has b'sky', expected text"),
        ({"ann": {"sky": 1}}, {}, "texts: user 'ann' has {'sky': 1}, expected text"),
        ({None: "sky"}, {}, "texts: the id of a user is missing"),
        ([("ann", "sky", 1)], {}, "texts: row 0 is ('ann', 'sky', 1), expected {user: text}"),
        (["ann"], {}, "texts: row 0 is 'ann', expected {user: text}"),
        (7, {}, "texts: expected {user: text}, {user: [texts]} or rows (user, text), found 7"),
    ],
)
def test_refused(texts: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refusal:
        index_texts(texts, **options)
    assert str(refusal.value).startswith(said)


@pytest.mark.parametrize("of", ["followees", "followers", "all"])
def test_neighbours_need_a_graph(of: Any) -> None:
    with pytest.raises(MissingInput, match="need graph="):
        index_texts({"ann": "sky"}, of=of)


def test_files_without_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("")
    with pytest.raises(InputError, match=r"texts\.csv: the file is empty"):
        index_texts(path)
    path.write_text("user,text\n")
    with pytest.raises(InputError, match=r"texts\.csv: there are no words in the texts"):
        index_texts(path)
    with pytest.raises(InputError, match="file not found"):
        index_texts(tmp_path / "none.csv")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingLibrary, match=r"texts are indexed by sklearn, which is not installed.*pip install 'aspectrum\[text\]'"):
        index_texts({"ann": "sky"})


TEXTS = {"ann": "blue sky", "bob": "blue sea", "cyd": ["green sea", "sea"], "dan": "", "eve": "red blue 日本"}
LISTS = {"u": ["ann", "bob", "cyd", "dan", "eve"], "v": ["cyd", "ann"], "w": ["dan", "zoe"]}


@pytest.mark.parametrize("weighting", get_args(Weighting))
@pytest.mark.parametrize("numbers", [False, True])
def test_saved_and_reused(tmp_path: Path, weighting: Any, numbers: bool) -> None:
    name = {user: place if numbers else user for place, user in enumerate([*TEXTS, "zoe"])}
    index = index_texts({name[user]: text for user, text in TEXTS.items()}, weighting=weighting)
    path = tmp_path / "index.npz"
    index.save(path)
    assert same_index(TextIndex.load(path), index)
    assert sparse.load_npz(path).shape == index.matrix.shape
    assert np.load(path)["ids"].tolist() == list(index.users)
    lists = {user: [name[item] for item in items] for user, items in LISTS.items()}
    results = [
        asp.evaluate(lists, ["ILD@5", "ILD@2"], features=features)
        for features in (path, str(path), index.rows(), TextIndex.load(path).rows())
    ]
    assert len({(result["ILD@5"], result["ILD@2"]) for result in results}) == 1
    assert 0 < results[0]["ILD@5"] < 1
    for result in results:
        assert result.per_user.equals(results[0].per_user)


@given(world=text_worlds(), weighting=st.sampled_from(get_args(Weighting)))
@checked(50)
def test_what_is_loaded_is_what_was_saved(tmp_path_factory: pytest.TempPathFactory, world: Any, weighting: Any) -> None:
    rows, _ = world
    try:
        index = index_texts(rows, weighting=weighting)
    except InputError:
        return
    path = tmp_path_factory.mktemp("index") / "index.npz"
    index.save(path)
    assert same_index(TextIndex.load(path), index)
    found, held = read_input("features", path), index.rows()
    for part in ("offsets", "columns", "values", "width"):
        assert np.array_equal(getattr(found.matrix, part), getattr(held.matrix, part))
    assert list(found.ids["item"].ids) == list(held.ids["item"].ids) == list(index.users)


def test_saving_again_gives_the_same_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    index = index_texts(TEXTS)
    for name in ("a.npz", "b.npz", "b.npz"):
        index.save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz"]


def test_large_ids_are_saved(tmp_path: Path) -> None:
    index = index_texts({2**64 - 1: "sky", 5: "sea"})
    index.save(tmp_path / "index.npz")
    assert list(TextIndex.load(tmp_path / "index.npz").users) == [2**64 - 1, 5]


@pytest.mark.parametrize("users", [[(1, 2)], [1.5], ["a", 1], [2**64], [True], [""], ["a\0"], ["\ud800"]])
def test_ids_that_a_file_cannot_hold(tmp_path: Path, users: list[Any]) -> None:
    index = index_texts(dict.fromkeys(range(len(users)), "sky"))
    odd = replace(index, users=Ids(users))
    with pytest.raises(OutputError, match=r"index\.npz: cannot be written: "):
        odd.save(tmp_path / "index.npz")
    assert list(tmp_path.iterdir()) == []
    if users[0] != "\ud800":
        assert list(odd.rows().ids["item"].ids) == users


def test_unusual_ids_in_memory() -> None:
    index = index_texts({(1, 2): "blue sky", (3, 4): "blue sea"})
    assert asp.evaluate({"u": [(1, 2), (3, 4)]}, "ILD@5", features=index.rows())["ILD@5"] > 0


def test_where_an_index_cannot_be_saved(tmp_path: Path) -> None:
    index = index_texts(TEXTS)
    with pytest.raises(OutputError, match=r"expected a name that ends in \.npz"):
        index.save(tmp_path / "index.txt")
    with pytest.raises(OutputError, match="no such directory"):
        index.save(tmp_path / "none" / "index.npz")


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "index.npz"
    index_texts(TEXTS).save(path)
    whole = path.read_bytes()
    for damaged in (
        b"",
        whole[:100],
        whole[:-30],
        whole.replace(b"terms.npy", b"tirms.npy"),
        b"PK" + whole[2:40] + whole[90:],
        b"user,text\n",
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"index\.npz: "):
            TextIndex.load(path)
    path.write_bytes(whole)
    arrays = dict(np.load(path))
    changes: dict[str, dict[str, Any]] = {
        "is no index of texts: it has no terms; expected a file that aspectrum index wrote": {"terms": None},
        "is no index of texts: of is not one text": {"of": np.array(["own"])},
        "is no index of texts: weighting is not one text": {"weighting": np.array(7)},
        "of is 'friends', expected one of own": {"of": np.array("friends")},
        "not sound: there are 1 terms for 6 columns": {"terms": np.array("sea")},
        "not sound: there are 0 terms for 6 columns": {"terms": np.array("")},
        "not sound: a user stands there twice": {"ids": arrays["ids"][[0, 0, 1, 2, 3]]},
        "4 ids for 5 vectors": {"ids": arrays["ids"][:4]},
        "the sparse matrix is not sound": {"indices": arrays["indices"] + 6},
        "it holds Python objects": {"terms": np.array(["sea", 7], dtype=object)},
    }
    for said, change in changes.items():
        np.savez(path, **{key: array for key, array in (arrays | change).items() if array is not None})
        with pytest.raises(InputError) as refusal:
            TextIndex.load(path)
        assert str(refusal.value).startswith(f"{path}: ")
        assert said in str(refusal.value)


def test_other_features_are_no_index(tmp_path: Path) -> None:
    np.savez(tmp_path / "vectors.npz", features=np.eye(2), ids=np.array(["a", "b"]))
    with pytest.raises(InputError, match="is no index of texts: it has no terms"):
        TextIndex.load(tmp_path / "vectors.npz")
