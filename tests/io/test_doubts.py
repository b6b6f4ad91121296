"""What could have been meant in another way is said, or refused; and every road gives the same numbers."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aspectrum as asp
from tests.findings import findings
from tests.io.reading import read, refused

LISTS = pl.DataFrame({"user": ["u", "u", "v"], "item": ["a", "b", "c"]})


def notes(**inputs: Any) -> str:
    lists = inputs.pop("rankings", LISTS)
    result = asp.evaluate(lists, "GiniComplement", **inputs)
    return "\n".join([*result.notes, *result.warnings])


def test_numbers_that_nobody_uses_are_asked_about() -> None:
    truth = LISTS.with_columns(pl.Series("bought", [0, 1, 1]))
    assert "3 of 3 rows have no grade, but column 'bought' holds numbers; is it the grade?" in notes(relevance=truth)
    assert "but column 'foo' holds numbers; is it the score?" in notes(rankings=LISTS.with_columns(foo=pl.Series([1.0, 2, 3])))
    assert "holds numbers" not in notes(relevance=truth.rename({"bought": "rating"}).with_columns(time=pl.lit(7)))
    assert "holds numbers" not in notes(history=truth)


def test_how_columns_were_understood_is_a_fact(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("u\ta\t2\nu\tb\t1\n")
    found = findings(tmp_path / "x.tsv", relevance=LISTS.with_columns(note=pl.lit("x")))
    facts = [str(finding) for finding in found if finding.level == "fact"]
    assert any(fact.endswith("no header; columns by position: user, item, score") for fact in facts)
    assert any(fact.endswith("columns: user is 'user', item is 'item'") for fact in facts)
    assert any(fact.endswith("unused columns: 'note'") for fact in facts)


@pytest.mark.parametrize(("seconds", "warned"), [("12", True), ("010", True), ("00", False), ("11", False)])
def test_subtopics_that_are_given_as_relevance(seconds: str, warned: bool, tmp_path: Path) -> None:
    said = "values, '{}', '{}'; are these judgments of subtopics? Pass the file as subtopics=".format(*seconds)
    (tmp_path / "x.qrels").write_text("".join(f"u {second} {item} 1\n" for second, item in zip(seconds, "abc", strict=False)))
    for name in ("relevance", "history"):
        assert (said in notes(**{name: tmp_path / "x.qrels"})) == warned
    assert "are these judgments of subtopics" not in notes(subtopics=tmp_path / "x.qrels")


@pytest.mark.parametrize("seconds", [("Q0", "0", "q0"), ("0.5", "1", "2")])
def test_second_columns_that_are_no_subtopics(seconds: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text("".join(f"u {second} {item} 1\n" for second, item in zip(seconds, "abc", strict=True)))
    assert "are these judgments of subtopics" not in notes(relevance=asp.Source(tmp_path / "x.qrels", format="qrels"))


def test_genres_that_were_not_split() -> None:
    movies = pl.DataFrame({"item": ["a", "b", "c"], "genres": ["Action|Comedy", "Drama", "Action"]})
    said = "1 of 3 aspect names contain '|' (such as 'Action|Comedy'); use asp.Source(..., split='|') if each is several"
    assert said in notes(aspects=movies)
    assert "split=" not in notes(aspects=asp.Source(movies, split="|"))


def test_bars_and_blanks(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1 Action|Comedy\n2 Drama|War\n")
    assert read("aspects", tmp_path / "x.txt") == {"item": ["1", "2"], "aspect": ["Action|Comedy", "Drama|War"]}
    assert read("aspects", asp.Source(tmp_path / "x.txt", split="|"))["aspect"] == ["Action", "Comedy", "Drama", "War"]
    (tmp_path / "x.txt").write_text("user|item|score\nann|Toy Story|2\nann|Heat|1\n")
    assert read("rankings", tmp_path / "x.txt") == {"user": ["ann", "ann"], "item": ["Toy Story", "Heat"], "score": [2.0, 1.0]}


def test_blanks_around_ids(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user,item\nu, a\nu,b\nv,c \n")
    assert "2 item ids with surrounding whitespace" in notes(rankings=tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("book\na\nb\nc\n", "the first line ('book') is read as a header; use asp.Source(..., header=False) if it is data"),
        ("a\nb\nc\n", None),
    ],
)
def test_a_word_that_may_be_a_name(content: str, said: str | None, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(content)
    found = notes(catalogue=tmp_path / "c.csv")
    assert said in found if said else "the first" not in found
    assert "the first" not in notes(catalogue=asp.Source(tmp_path / "c.csv", header=said is not None))


def test_names_that_may_be_data(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("person,thing\nu,a\nu,b\nv,b\n")
    said = "the first line ('person', 'thing') is read as data; use asp.Source(..., header=True) if it is a header"
    assert said in notes(rankings=tmp_path / "x.csv")
    for data in ("u,a\nu,b\nv,b\n", "1,a\n2,b\n2,c\n"):  # a number is no name
        (tmp_path / "x.csv").write_text(data)
        assert "the first" not in notes(rankings=tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["x.csv", "x.run"])
def test_a_file_that_may_be_cut_short(name: str, tmp_path: Path) -> None:
    text = "u Q0 a 1 2 t\nu Q0 b 2 1 t\n" if name == "x.run" else "user,item\nu,a\nu,b\n"
    (tmp_path / name).write_text(text)
    assert "line end" not in notes(rankings=tmp_path / name)
    (tmp_path / name).write_text(text[:-1])
    assert "the last line has no line end; is the file complete?" in notes(rankings=tmp_path / name)


def test_vectors_and_their_ids_in_one_file(tmp_path: Path) -> None:
    path, matrix = tmp_path / "x.npz", np.eye(3)
    np.savez(path, features=matrix, movie_ids=np.arange(3))
    assert "holds features and 'movie_ids'; expected the vectors, and their items named ids" in refused("features", path)
    np.savez(path, matrix, np.arange(3))
    assert "holds arr_0 and 'arr_1'" in refused("features", path)
    np.savez(path, features=matrix, index=np.arange(3), ids=np.arange(3))
    assert "may both be the ids" in refused("features", path)
    np.savez(path, features=matrix)
    lists = pl.DataFrame({"user": [1, 1], "item": [0, 2]})
    assert "3 vectors have no ids; row numbers from 0 are used as ids" in notes(rankings=lists, features=path)


def test_an_index_is_no_dimension(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(",item,x,y\n0,a,1,2\n1,b,2,1\n")
    assert "column 1 has no name, like an index written by pandas" in refused("features", tmp_path / "x.csv")


@pytest.mark.parametrize("form", [lambda m: m, lambda m: pl.DataFrame({"item": list("aab"), "vector": m.tolist()})])
def test_vectors_that_repeat(form: Callable[[Any], Any]) -> None:
    same, other = np.array([[1.0, 2], [1, 2], [2, 1]]), np.array([[1.0, 2], [9, 2], [2, 1]])

    def ild(matrix: Any, **how: Any) -> float:
        given = form(matrix)
        features = given if isinstance(given, pl.DataFrame) else (list("aab"), given)
        return float(asp.evaluate({"u": ["a", "b"]}, "ILD", features=features, **how)["ILD"])

    expected = asp.evaluate({"u": ["a", "b"]}, "ILD", features={"a": [1.0, 2], "b": [2.0, 1]})["ILD"]
    assert ild(same) == ild(other, duplicates="first") == expected
    with pytest.raises(asp.InputError, match="item 'a' has two vectors"):
        ild(other)


def test_links_from_a_source_to_a_target() -> None:
    assert read("history", pl.DataFrame({"source": [1], "target": [2]})) == {"user": [1], "item": [2]}
    assert read("rankings", pl.DataFrame({"target": [1], "candidate": [2]})) == {"user": [1], "item": [2]}


def test_plain_objects_have_notes_too() -> None:
    result = asp.evaluate([("u", "a"), ("u", "b"), ("u", "a")], "GiniComplement", duplicates="first")
    assert result.notes == ("rankings: 1 of 3 rows repeat an item of the list and are ignored",)


METRICS = ["NDCG@2", "ERRIA@2", "AlphaNDCG@2", "AspectRecall@2", "GiniComplement@2", "MAPIA"]
users, items, aspects = st.integers(1, 4), st.integers(1, 6), st.sampled_from(["x", "y", "z"])
grades = st.integers(0, 5)


def distinct(*columns: st.SearchStrategy[Any], more: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Rows that differ in their ids, with or without a number."""
    keys = st.lists(st.tuples(*columns), min_size=1, max_size=12, unique=True)
    if more is None:
        return keys
    return keys | keys.flatmap(lambda rows: st.tuples(*[more] * len(rows)).map(lambda n: [(*r, v) for r, v in zip(rows, n, strict=True)]))


def written(folder: Path, name: str, form: str, rows: list[tuple[Any, ...]], columns: tuple[str, ...]) -> Path:
    path = folder / f"{name}.{form}"
    names = columns[: len(rows[0])]
    if form == "parquet":
        pl.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter="," if form == "csv" else "\t").writerows([names, *rows])
    return path


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lists=distinct(users, items, more=st.integers(-3, 3).map(float)),
    truth=distinct(users, items, more=grades),
    history=distinct(users, items, more=grades),
    genres=distinct(items, aspects),
    form=st.sampled_from(["csv", "tsv", "parquet", "jsonl"]),
    convention=st.sampled_from(["published", "informfully", "relison"]),
    threshold=st.sampled_from([1.0, 3.0]),
)
def test_every_road_gives_the_same_numbers(
    lists: list[tuple[Any, ...]],
    truth: list[tuple[Any, ...]],
    history: list[tuple[Any, ...]],
    genres: list[tuple[Any, ...]],
    form: str,
    convention: str,
    threshold: float,
    tmp_path: Path,
) -> None:
    lists = sorted(lists, key=lambda row: row[0])  # RELISON wants the rows of a user together
    inputs: dict[str, Any] = {"relevance": truth, "history": history, "aspects": genres}
    names = {"relevance": ("user", "item", "grade"), "history": ("user", "item", "grade"), "aspects": ("item", "genre")}
    how: dict[str, Any] = {"convention": convention, "threshold": threshold}
    files: dict[str, Any] = {name: written(tmp_path, name, form, rows, names[name]) for name, rows in inputs.items()}
    given = written(tmp_path, "lists", form, lists, ("user", "item", "score"))
    wrong = [finding for finding in findings(lists, **inputs, **how) if finding.level == "error"]
    if wrong:
        with pytest.raises(asp.InputError, match="are not in"):  # nothing matches at all: files are refused then
            asp.evaluate(given, METRICS, **files, **how)
    if any(finding.detail["role"] == "item" and finding.because for finding in wrong):
        with pytest.raises(asp.InputError, match="items are not in"):  # and objects, if it is clear that the items are others
            asp.evaluate(lists, METRICS, **inputs, **how)
    elif not wrong:
        assert asp.evaluate(given, METRICS, **files, **how) == asp.evaluate(lists, METRICS, **inputs, **how)


@pytest.mark.parametrize(
    ("input", "text", "line"),
    [
        ("aspects", "item,genre\n1,x\n2,y\nitem,genre\n3,x\n", 4),
        ("relevance", "user,item\nu,a\n\nuser,item\nv,b\n", 4),
        ("history", "user\titem\tnote\nu\ta\tx\nuser\titem\tnote\n", 3),
        ("catalogue", "item\na\nitem\n", 3),
    ],
)
def test_a_second_header_is_no_data(tmp_path: Path, input: str, text: str, line: int) -> None:
    path = tmp_path / "joined.csv"
    path.write_text(text)
    assert refused(input, path) == f"{path}, line {line}: repeats the header; were several files joined?"


def test_words_of_the_header_elsewhere_are_data(tmp_path: Path) -> None:
    path = tmp_path / "genres.csv"
    path.write_text("item,genre\n1,genre\nitem,x\n")
    assert len(read("aspects", path)) == 2


@pytest.mark.parametrize("depth", [61, 700, 5000])
@pytest.mark.parametrize("brackets", ['{"a":', "["])
def test_deep_nesting_is_refused(tmp_path: Path, depth: int, brackets: str) -> None:
    """polars overflows the stack, and the process dies, on some hundreds."""
    path = tmp_path / "deep.jsonl"
    closing = "}" if brackets.startswith("{") else "]"
    first = '{"user": "u", "item": "b", "x": "' + "[" * 100 + '"}\n'  # brackets within text are none
    path.write_text(first + '{"user": "u", "item": "a", "x": ' + brackets * depth + "1" + closing * depth + "}\n")
    assert refused("rankings", path) == f"{path}, line 2: its values are nested more than 60 deep"


BEYOND = 1_700_000_000_000_000_001


@pytest.mark.parametrize("number", [BEYOND, -BEYOND, 2**63 - 1, 10**30 + 1])
@pytest.mark.parametrize("role", ["score", "rank"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "frame", "text in a frame", "objects"])
def test_numbers_that_would_be_rounded_are_refused(tmp_path: Path, number: int, role: str, form: str) -> None:
    """Of nanoseconds and the like, different ones would become equal, and lists be in the wrong order."""
    if abs(number) > 2**63 and form == "frame":
        pytest.skip("old versions of polars hold 64 bits")
    lists: Any = tmp_path / f"lists.{form}"
    if form == "csv":
        lists.write_text(f"user,item,{role}\nu,a,1\nu,b,{number}\n")
    elif form == "jsonl":
        lists.write_text(f'{{"user": "u", "item": "a", "{role}": 1}}\n{{"user": "u", "item": "b", "{role}": {number}}}\n')
    elif form == "text in a frame":
        lists = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], role: ["1", str(number)]})
    elif form == "frame":
        lists = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], role: [1, number]})
    else:
        lists = {"u": {"a": 1, "b": number}}
    with pytest.raises(asp.InputError, match=r"is '?-?[0-9]+'?, expected whole numbers up to 2\*\*53"):
        asp.evaluate(lists, "GiniComplement")


@pytest.mark.parametrize("number", ["9007199254740992", "9007199254740993.0", "1e30", "1700000000000000000"])
def test_large_numbers_that_are_held_are_taken(tmp_path: Path, number: str) -> None:
    path = tmp_path / "lists.csv"
    path.write_text(f"user,item,score\nu,a,1\nu,b,{number}\n")
    assert asp.evaluate(path, "NDCG@1", relevance={"u": ["b"]})["NDCG@1"] == 1.0
