"""Every form of the same data gives the same numbers as the plain Python form."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest
import zstandard

import aspectrum as asp
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS
from aspectrum.io import Source, read_input
from aspectrum.io.tables import open_table
from tests.io.reading import read, refused, short

Names = tuple[str, ...]
Table = Sequence[tuple[Any, ...]]

LISTS = [("ann", "a", 3.5), ("ann", "b", 2.0), ("bob", "c", 9.0), ("bob", "a", 1e-3), ("bob", "d", -4.0), ("cy", "d", 0.0)]
GENRES = [("a", "x", 1.0), ("a", "y", 0.5), ("b", "x", 1.0), ("c", "z", 0.25), ("d", "y", 1.0)]
TRUTH = [("ann", "a", 2.0), ("ann", "c", 1.0), ("bob", "d", 1.0), ("cy", "b", 3.0), ("cy", "d", 0.0)]
PAST = [("ann", "b", 5.0), ("bob", "b", 1.0), ("bob", "c", 2.0), ("cy", "c", 4.0)]
METRICS = ["AlphaNDCG@1,3", "ERRIA@3", "AspectRecall@2", "NDCG@3", "GiniComplement@3"]
# Whole numbers, the kind of which a text file does not tell.
NUMBER = {"ann": 7, "bob": 10, "cy": -3, "a": 1, "b": 20, "c": 300, "d": 9007199254740993, "x": 0, "y": 5, "z": 6}


def text(table: Table, names: Names | None, **how: Any) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, **how)
    writer.writerows([names] if names else [])
    writer.writerows(table)
    return file.getvalue()


def csv_file(path: Path, table: Table, names: Names, header: bool = True, **how: Any) -> Path:
    path.write_text(text(table, names if header else None, **how), newline="")
    return path


def words_file(path: Path, table: Table, names: Names) -> Path:
    path.write_text("\n".join("  ".join(map(str, row)) for row in [names, *table]))
    return path


def lines_file(path: Path, table: Table, names: Names) -> Path:
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in table))
    return path


def packed(path: Path, table: Table, names: Names, pack: Callable[[bytes], bytes]) -> Path:
    path.write_bytes(pack(text(table, names).encode()))
    return path


def frame(table: Table, names: Names) -> pl.DataFrame:
    return pl.DataFrame(list(table), schema=list(names), orient="row")


def polars_file(path: Path, table: Table, names: Names) -> Path:
    write = {".parquet": pl.DataFrame.write_parquet, ".arrow": pl.DataFrame.write_ipc, ".ipc": pl.DataFrame.write_ipc_stream}
    write[path.suffix](frame(table, names), path)  # type: ignore[operator]
    return path


def pyarrow_file(path: Path, table: Table, names: Names) -> Path:
    arrow = frame(table, names).to_arrow()
    if path.suffix == ".feather":
        pyarrow.feather.write_feather(arrow, path)
    else:
        pyarrow.parquet.write_table(arrow, path, row_group_size=2, data_page_version="2.0")
    return path


def duckdb_relation(table: Table, names: Names) -> Any:
    source = frame(table, names)
    return duckdb.connect().from_arrow(source.to_arrow()).project(", ".join(f'"{name}"' for name in names))


FORMS: dict[str, Callable[[Path, Table, Names], Any]] = {
    "csv": lambda path, table, names: csv_file(path.with_suffix(".csv"), table, names),
    "str": lambda path, table, names: str(csv_file(path.with_suffix(".csv"), table, names)),
    "csv without header": lambda path, table, names: csv_file(path.with_suffix(".csv"), table, names, header=False),
    "csv with quotes": lambda path, table, names: csv_file(path.with_suffix(".csv"), table, names, quoting=csv.QUOTE_ALL),
    "csv with semicolons": lambda path, table, names: csv_file(path.with_suffix(".csv"), table, names, delimiter=";"),
    "csv with \\n": lambda path, table, names: csv_file(path.with_suffix(".csv"), table, names, lineterminator="\n"),
    "tsv": lambda path, table, names: csv_file(path.with_suffix(".tsv"), table, names, delimiter="\t"),
    "tsv without header": lambda path, table, names: csv_file(path.with_suffix(".tsv"), table, names, header=False, delimiter="\t"),
    "no extension": lambda path, table, names: csv_file(path, table, names, delimiter="\t"),
    "words": lambda path, table, names: words_file(path.with_suffix(".txt"), table, names),
    "json lines": lambda path, table, names: lines_file(path.with_suffix(".jsonl"), table, names),
    "json by content": lambda path, table, names: lines_file(path.with_suffix(".json"), table, names),
    "gzip": lambda path, table, names: packed(path.with_suffix(".csv.gz"), table, names, gzip.compress),
    "zstd": lambda path, table, names: packed(path.with_suffix(".csv.zst"), table, names, zstandard.ZstdCompressor().compress),
    "parquet": lambda path, table, names: polars_file(path.with_suffix(".parquet"), table, names),
    "parquet of pyarrow": lambda path, table, names: pyarrow_file(path.with_suffix(".pq"), table, names),
    "arrow": lambda path, table, names: polars_file(path.with_suffix(".arrow"), table, names),
    "arrow stream": lambda path, table, names: polars_file(path.with_suffix(".ipc"), table, names),
    "feather": lambda path, table, names: pyarrow_file(path.with_suffix(".feather"), table, names),
    "polars": lambda path, table, names: frame(table, names),
    "polars lazy": lambda path, table, names: frame(table, names).lazy(),
    "pandas": lambda path, table, names: pd.DataFrame(table, columns=list(names)),
    "pyarrow": lambda path, table, names: frame(table, names).to_arrow(),
    "pyarrow reader": lambda path, table, names: frame(table, names).to_arrow().to_reader(max_chunksize=2),
    "duckdb": lambda path, table, names: duckdb_relation(table, names),
}


def values(lists: Any, aspects: Any, relevance: Any, history: Any) -> dict[str, Any]:
    found = asp.evaluate(lists, METRICS, aspects=aspects, relevance=relevance, history=history)
    return {name: found[name] for name in found} | {"per user": found.per_user.drop("user").rows()}


def of(numbers: bool, table: Table) -> Table:
    return [tuple(NUMBER[cell] if isinstance(cell, str) else cell for cell in row) for row in table] if numbers else table


@pytest.mark.parametrize("numbers", [False, True], ids=["text", "numbers"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_numbers_of_plain_rows(form: str, numbers: bool, tmp_path: Path) -> None:
    lists, genres, truth, past = (of(numbers, table) for table in (LISTS, GENRES, TRUTH, PAST))
    write = FORMS[form]
    found = values(
        write(tmp_path / "lists", lists, ("user", "item", "score")),
        write(tmp_path / "genres", genres, ("item", "aspect", "strength")),
        write(tmp_path / "truth", truth, ("user", "item", "grade")),
        write(tmp_path / "past", past, ("user", "item", "rating")),
    )
    assert found == values(lists, genres, truth, past)


@pytest.mark.parametrize("other", ["csv", "words", "json lines", "parquet", "pandas", "duckdb"])
@pytest.mark.parametrize("form", ["csv", "tsv without header"])
def test_numbers_in_text_match_numbers_elsewhere(form: str, other: str, tmp_path: Path) -> None:
    lists, genres, truth, past = (of(True, table) for table in (LISTS, GENRES, TRUTH, PAST))
    found = values(
        FORMS[form](tmp_path / "lists", lists, ("user", "item", "score")),
        FORMS[other](tmp_path / "genres", genres, ("item", "aspect", "strength")),
        truth,
        FORMS[other](tmp_path / "past", past, ("user", "item", "rating")),
    )
    assert found == values(lists, genres, truth, past)


def test_trec_files(tmp_path: Path) -> None:
    run = [("1", "Q0", "a", 1, 3.5, "tag"), ("1", "Q0", "b", 2, 2.0, "tag"), ("2", "Q0", "c", 1, 1.0, "tag")]
    qrels = [("1", "1", "a", 1), ("1", "2", "a", 0), ("1", "2", "b", 1), ("2", "1", "d", 1), ("2", "1", "c", 2)]
    metrics = ["AlphaNDCG@1,2", "ERRIA@2", "AspectRecall@2"]
    plain = asp.evaluate(
        {"1": ["a", "b"], "2": ["c"]}, metrics, subtopics=[(user, aspect, item, grade) for user, aspect, item, grade in qrels]
    )
    for blank, end in ((" ", "\n"), ("\t", "\n"), ("  \t", "\r\n"), (" ", " \n")):
        for name in ("x.run", "run.txt"):
            (tmp_path / name).write_bytes(end.join(blank.join(map(str, row)) for row in run).encode())
            (tmp_path / "x.qrels").write_bytes(end.join(blank.join(map(str, row)) for row in qrels).encode())
            found = asp.evaluate(tmp_path / name, metrics, subtopics=tmp_path / "x.qrels")
            assert dict(found) == dict(plain)


def test_ids_of_trec_files_are_text(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("01 Q0 1 1 2.0 t\n1 Q0 01 1 2.0 t\n")
    (tmp_path / "x.qrels").write_text("01 0 1 1\n1 0 1 1\n")
    found = asp.evaluate(tmp_path / "x.run", "NDCG@1", relevance=tmp_path / "x.qrels")
    assert found.per_user.rows() == [("01", 1.0), ("1", 0.0)]


def test_leading_zeros_make_text_that_never_matches_numbers(tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text("user,item\n1,01\n1,2\n")
    truth = pl.DataFrame({"user": [1], "item": [1]})
    with pytest.raises(InputError, match=r"item ids have different types.*'01'"):
        asp.evaluate(tmp_path / "lists.csv", "NDCG@2", relevance=truth)
    with pytest.raises(InputError, match=r"item.*leading zeros"):
        asp.evaluate(tmp_path / "lists.csv", "AspectRecall@2", aspects=pl.DataFrame({"item": ["1"], "aspect": ["x"]}))


@pytest.mark.parametrize("item", ["9223372036854775807", "-9223372036854775808", "123456789012345678901234567890", "1" * 300], ids=short)
def test_huge_ids_in_text_files(item: str, tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text(f"user,item\n1,{item}\n1,2\n")
    (tmp_path / "truth.csv").write_text(f"user,item\n1,{item}\n")
    assert asp.evaluate(tmp_path / "lists.csv", "NDCG@2", relevance=tmp_path / "truth.csv")["NDCG@2"] == 1.0


@pytest.mark.parametrize("item", [10**18, 2**63 - 1, -(2**63), 2**64 - 1])
def test_huge_ids_in_text_files_match_numbers(item: int, tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text(f"user,item\n1,{item}\n1,2\n")
    truth = pl.DataFrame({"user": [1], "item": [item]})
    assert asp.evaluate(tmp_path / "lists.csv", "NDCG@2", relevance=truth)["NDCG@2"] == 1.0


def test_ids_may_hold_anything(tmp_path: Path) -> None:
    items = [
        "a b",
        " a",
        "a,b",
        'say "a"',
        "a\nb",
        "a\r\nb",
        "🦉",
        "é",
        "0",
        "-",
        "nan",
        "null",
        "NA",
        "1e5",
        "a;b",
        "a\tb",
        "\u00a0",
        "x" * 5000,
    ]
    path = csv_file(tmp_path / "x.csv", [("u", item) for item in items], ("user", "item"))
    assert read("rankings", path) == {"user": ["u"] * len(items), "item": items}


def test_lists_are_ordered_by_rank_then_score_then_place(tmp_path: Path) -> None:
    (tmp_path / "ranked.csv").write_text("user,item,rank,score\nu,a,3,9\nu,b,1,1\nu,c,2,5\n")
    (tmp_path / "scored.csv").write_text("user,item,score\nu,a,1\nu,b,9\nu,c,5\n")
    (tmp_path / "plain.csv").write_text("user,item\nu,b\nu,c\nu,a\n")
    truth = {"u": {"b": 2, "c": 1}}
    for name in ("ranked", "scored", "plain"):
        assert asp.evaluate(tmp_path / f"{name}.csv", "NDCG@3", relevance=truth)["NDCG@3"] == 1.0
    by_score = asp.evaluate(tmp_path / "ranked.csv", "NDCG@1", relevance=truth, order="score")
    as_given = asp.evaluate(tmp_path / "scored.csv", "NDCG@1", relevance=truth, order="input")
    assert by_score["NDCG@1"] == as_given["NDCG@1"] == 0.0


def test_repeated_items(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("user,item\n\nu,a\nv,a\nu,b\n\nu,a\n")
    with pytest.raises(InputError, match=rf"{path}, line 7: the list of user 'u' names item 'a' twice"):
        asp.evaluate(path, "GiniComplement@3")
    found = asp.evaluate(path, "GiniComplement@3", duplicates="first")
    assert found["GiniComplement@3"] == asp.evaluate({"u": ["a", "b"], "v": ["a"]}, "GiniComplement@3")["GiniComplement@3"]


# What structure can be wrong with, and the line that is named.
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("user,item\n1,2\n1,2,3\n", "line 3: has 3 fields, expected 2 as in the first line"),
        ("user,item\n\n1\n", "line 3: has 1 field, expected 2"),
        ('user,item\n1,"2\n3\n', "line 2: a quote is opened and never closed"),
        ('user,item\n"1\n",2\n1,"3" \n', "line 4: a quote stands in the middle of a field"),
        ('user,item\n"1\n1", "3"\n', "line 3: a quote stands in the middle"),
        ("user,item,score\n1,2,3\n1,3,nan\n", "line 3: the score is 'nan', expected a finite number"),
        ("user,item,score\n1,2,3\n1,3,inf\n", "line 3: the score is 'inf', expected a finite number"),
        ("user,item,score\n1,2,1e400\n", "line 2: the score is '1e400', expected a finite number"),
        ("user,item,score\n1,2,1_0\n", "line 2: the score is '1_0', expected a finite number"),
        ("user,item,score\n1,2,0x10\n", "line 2: the score is '0x10', expected a finite number"),
        ("user,item,score\n1,2,１\n", "line 2: the score is '１', expected a finite number"),
        ("user,item,score\n1,2,\n", "line 2: the score is missing, expected a finite number"),
        ('user,item,score\n1,2,""\n', "line 2: the score is missing, expected a finite number"),
        ("user,item,score\n1,2,high\n", "line 2: the score is 'high', expected a finite number"),
        ('user,item,score\n1,2,"0,5"\n', "line 2: the score is '0,5', expected a finite number"),
        ("user,item\n1,2\n,3\n", "line 3: the user is missing"),
        ('user,item\n1,2\n1,""\n', "line 3: the item is missing"),
        ("user,item\n1,2\r1,3\n", "line 2: holds a carriage return that does not end a line"),
        ("user,item\n1,2\n1,\0\n", "line 3: holds a zero byte"),
        ("", "the file is empty"),
        (" \n\r\n", "the file is empty"),
        ("\ufeff", "the file is empty"),
        ("user,item\n1,2\n\ufeffuser,item\n", "line 3: begins with a byte order mark"),
    ],
    ids=short,
)
def test_what_is_wrong_is_named_by_file_and_line(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content.encode())
    found = refused("rankings", path)
    assert found.startswith(str(path)) and message in found


@pytest.mark.parametrize("odd", ["{0}1", "{0}1{0}2{0}3{0}4", "{0}1{0}2{0}3{0}4{0}5{0}", "1"])
@pytest.mark.parametrize("n", [3, 5000])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize("quote", ["", '"'])
def test_ragged_rows_are_found_wherever_they_are(odd: str, n: int, separator: str, quote: str, tmp_path: Path) -> None:
    if separator == " " and quote:
        return
    path = tmp_path / "x.txt"
    line = "u" + odd.format(separator)
    names = separator.join(["user", "item", "score", "more"])
    rows = [separator.join([f"u{row}", f"{quote}i{row}{quote}", "1.5", "text"]) for row in range(n)]
    path.write_text("\n".join([names, *rows, line, *rows]))
    count = len(line.split()) if separator == " " else line.count(separator) + 1
    assert refused("rankings", path).startswith(f"{path}, line {n + 2}: has {count} field")


@pytest.mark.parametrize("odd", ["a,1", "a,1,2,3", "a"])
def test_ragged_vectors_are_found(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("item,x,y\n" + "".join(f"i{row},1,2\n" for row in range(100)) + odd + "\n")
    assert f"{path}, line 102: has {odd.count(',') + 1} field" in refused("features", path)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0\n", 2),
        ("1 Q0 a 1 2.0 t\n\n \n1 Q0 b 1.0 t\n", 4),
        ("1 Q0 a b 1 2.0 t\n\n1 Q0 b 1.0 t\n", 3),
        ("1 Q0\va 2.0 t\n", 1),
    ],
)
def test_a_run_has_six_fields(content: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text(content)
    assert f"{path}, line {line}: has" in refused("rankings", path)


def test_a_history_of_six_columns_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("1 0 33 1 4.0 978\n2 0 44 1 5.0 979\n")
    assert "has 6 columns without names" in refused("history", path)
    assert "looks like a TREC run" in refused("relevance", path)
    path.write_text("1 Q0 33 1 4.0 978\n")
    assert "looks like a TREC run" in refused("history", path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_other_encodings_are_refused(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("user,item\n1,2\n1,é\n".encode(encoding))
    assert f"{path}, line {3 if encoding == 'latin-1' else 1}: " in refused("rankings", path)


@pytest.mark.parametrize(
    "content",
    [
        "user,item,score\n1,a,1.5\n2,b,2\n",
        "\ufeffuser,item,score\r\n1,a,1.5\r\n2,b,2\r\n",
        "user,item,score\n\n1,a,1.5\n  \n2,b,2",
        '"user","item","score"\n"1","a","1.5"\n\n"2","b","2"\n\n',
        "user,item,score,\n1,a, +1.5 ,\n2,b,2.0e0,\n",
        '"us\ner",item,score\n1,a,1.5\n2,b,2\n',
        "User ID; Doc-No;SCORE\n1;a;1.5\n2;b;002\n",
        "user\titem\tscore\n1\ta\t1.5\n2\tb\t2\n",
        "user item score\n1 a   1.5\n2 b\t2\n",
        "\n\n1,a,1.5\n2,b,2\n",
        "1;a;1.5\n2;b;2",
        "score,user,item\n1.5,1,a\n2,2,b\n",
    ],
    ids=short,
)
def test_the_same_rows_however_they_are_written(content: str, tmp_path: Path) -> None:
    for name in ("x.csv", "x.txt"):
        if name == "x.csv" and "user item" in content:
            continue
        path = tmp_path / name
        path.write_bytes(content.encode())
        found = read("rankings", asp.Source(path, columns={"user": 1}) if "us\n" in content else path)
        assert found == {"user": ["1", "2"], "item": ["a", "b"], "score": [1.5, 2.0]}


def test_a_header_alone_is_an_input_without_rows(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user,item,score\n")
    assert read("rankings", tmp_path / "x.csv") == {"user": [], "item": [], "score": []}


def test_long_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("user,item\nu," + "x" * 10_000_000 + "\nu,y\n")
    assert [len(item) for item in read("rankings", path)["item"]] == [10_000_000, 1]
    path.write_text('user,item\nu,"' + 'x""\n' * 1_000_000 + '"\nu,y\n')
    assert read("rankings", path)["item"] == ['x"\n' * 1_000_000, "y"]
    path.write_text("user,item," + "x" * 10_000_000 + "\nu,y,\n")
    assert read("rankings", path)["item"] == ["y"]
    path.write_text("x" * 10_000_000)
    assert "has 1 column, expected" in refused("rankings", path)
    rows = [(f"u{n}", f"i{n % 7}", float(n)) for n in range(100)]
    for end in ("\n", "\r\n"):
        csv_file(path, rows, ("user", "item", "score"), lineterminator=end)
        assert read("rankings", path) == dict(zip(("user", "item", "score"), map(list, zip(*rows, strict=True)), strict=True))
    path.write_text(path.read_text() + "u,i,x\n")
    assert "line 102: the score is 'x'" in refused("rankings", path)


def test_quoted_text_is_never_taken_apart(tmp_path: Path) -> None:
    items = ["\n".join([f'u{n},"i{n}",3', '"', ",", '","\n'] * (n % 5)) or "plain" for n in range(20_000)]
    path = csv_file(tmp_path / "x.csv", [("u", f"{n}", item) for n, item in enumerate(items)], ("user", "other", "item"))
    assert read("rankings", path)["item"] == items


def test_quotes_inside_words_are_letters_where_no_field_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('user,item\n1,5" disc\n1,3" disc\n')
    assert read("rankings", tmp_path / "x.csv")["item"] == ['5" disc', '3" disc']
    (tmp_path / "x.run").write_text('1 Q0 "a 1 2.0 t\n1 Q0 b" 2 1.0 t\n')
    assert read("rankings", tmp_path / "x.run")["item"] == ['"a', 'b"']
    (tmp_path / "x.txt").write_text('user item\n1 "a\n1 b"\n')
    assert "x.txt, line 2: a word begins with a quote" in refused("rankings", tmp_path / "x.txt")


def test_separators_are_told_apart_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("u;i;0,5\nu;j;0,4\n")
    assert "line 1: both ',' and ';' may separate" in refused("rankings", path)
    path.write_text("a,b\tc,1\nd,e\tf,2\n")
    assert "line 1: both '\\t' and ',' may separate" in refused("rankings", path)
    assert read("rankings", asp.Source(path, format="tsv")) == {"user": ["a,b", "d,e"], "item": ["c,1", "f,2"]}
    path.write_text('u;5" disc;0,5\nu;6" disc;0,4\n')
    assert "may separate" in refused("rankings", path)
    path.write_text("1,Action;Drama\n2,Drama\n")
    assert read("aspects", asp.Source(path, split=";")) == {"item": ["1", "1", "2"], "aspect": ["Action", "Drama", "Drama"]}
    path.write_text("1,Action;Drama\n2,Drama;War\n")
    assert read("aspects", asp.Source(path, split=";"))["item"] == ["1", "1", "2", "2"]
    path.write_text('"a,b";1\n"c,d";2\n')
    assert read("rankings", path) == {"user": ["a,b", "c,d"], "item": ["1", "2"]}
    path.write_text("user;item;score\nu;i;0,5\n")
    assert "line 2: the score is '0,5'" in refused("rankings", path)


def test_ratings_with_times_are_not_taken_for_judgments(tmp_path: Path) -> None:
    path = tmp_path / "u.data"
    path.write_text("196\t242\t3\t881250949\n186\t302\t3\t891717742\n")
    for input in ("history", "relevance"):
        assert "has 4 columns without names, expected user, item[, grade]" in refused(input, path)
        found = read(input, asp.Source(path, columns={"user": 1, "item": 2, "grade": 3}))
        assert found == {"user": ["196", "186"], "item": ["242", "302"], "grade": [3.0, 3.0]}
    path.write_text("196\t0\t242\t1\n186\t0\t302\t0\n")
    assert read("relevance", path) == {"user": ["196", "186"], "item": ["242", "302"], "grade": [1.0, 0.0]}
    path.write_text("196 2 d-1 1\n186 1 d-2 0\n")
    assert read("relevance", path)["item"] == ["d-1", "d-2"]
    path.write_text("user 1\tx\t3\nuser 2\ty\t3\n")
    assert "by blanks and by tabs" in refused("relevance", path)
    assert read("relevance", asp.Source(path, format="tsv"))["user"] == ["user 1", "user 2"]


def test_a_nameless_third_column_that_counts_is_not_a_score(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for content in ("u,a,1\nu,b,2\nv,a,1\n", "u,a,2\nu,b,1\nv,a,1\nu,c,3\n", "u,a,0\nu,b,1\n", "u,a,1\nu,b,3\n", "u,a,1\nv,a,2\nv,b,4\n"):
        path.write_text(content)
        assert "looks like ranks, not scores" in refused("rankings", path)
        assert "rank" in read("rankings", asp.Source(path, columns={"user": 1, "item": 2, "rank": 3}))
        assert "score" in read("rankings", asp.Source(path, columns={"user": 1, "item": 2, "score": 3}))
    for content in ("u,a,2\nu,b,1\nv,a,1\n", "u,a,1\nu,b,1\n", "u,a,0.5\nu,b,1.5\n", "u,a,1\nv,a,1\n"):
        path.write_text(content)
        assert "score" in read("rankings", path)


def test_aspects_in_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("movieId,title,genres\n1,Toy Story (1995),Animation| Comedy|\n2,Nothing,\n3,Heat,Crime\n")
    found = read("aspects", asp.Source(path, split="|"))
    assert found == {"item": ["1", "1", "2", "3"], "aspect": ["Animation", "Comedy", None, "Crime"]}
    path.write_text("movieId,genres,strength\n1,a|b,0.5\n3,c,x\n")
    assert "line 3: the strength is 'x'" in refused("aspects", asp.Source(path, split="|"))
    lists = pl.DataFrame({"item": [1, 2, 3], "genres": [["a", "b"], [], ["c"]]})
    assert read("aspects", lists) == {"item": [1, 1, 3], "aspect": ["a", "b", "c"]}
    known = asp.evaluate({7: [1, 2]}, "AspectRecall@2", aspects=lists)
    assert (
        known["AspectRecall@2"] == asp.evaluate({7: [1, 2]}, "AspectRecall@2", aspects={1: ["a", "b"], 2: [], 3: ["c"]})["AspectRecall@2"]
    )
    assert "rankings has no aspects" in refused("rankings", asp.Source(path, split="|"))


def test_lists_in_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"user": ["u", "v", "w"], "items": [["a", "b"], [], ["c"]], "scores": [[2.0, 1.0], [], [0.5]]}).write_parquet(path)
    assert read("rankings", path) == {"user": ["u", "u", "w"], "item": ["a", "b", "c"], "score": [2.0, 1.0, 0.5]}
    found = asp.evaluate(path, "NDCG@2", relevance={"u": ["a"], "v": ["a"], "w": ["b"]})
    assert (
        found["NDCG@2"]
        == asp.evaluate({"u": ["a", "b"], "v": [], "w": ["c"]}, "NDCG@2", relevance={"u": ["a"], "v": ["a"], "w": ["b"]})["NDCG@2"]
    )
    pl.DataFrame({"user": ["u", "v"], "items": [["a", "b"], ["c"]], "scores": [[2.0, 1.0], [0.5, 1.0]]}).write_parquet(path)
    assert "row 2: there are not as many scores as items" in refused("rankings", path)
    pl.DataFrame({"user": ["u", "v"], "items": [["a", None], None]}).write_parquet(path)
    assert "row 1: the item is missing" in refused("rankings", path)
    pl.DataFrame({"user": ["u", "v"], "items": [["a", "b"], None]}).write_parquet(path)
    assert "row 2: the item is missing" in refused("rankings", path)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('{"user": 1, "item": "a"}\n\n{"user": 2, "item": "b"}\n', {"user": [1, 2], "item": ["a", "b"]}),
        ('{"item": "a", "user": 1}\r\n{"user": 2, "item": "b", "more": [1]}', {"user": [1, 2], "item": ["a", "b"]}),
        ('{"user": "x\\u00e9\\ud83e\\udd89", "item": "\\u0031"}', {"user": ["xé🦉"], "item": ["1"]}),
        (
            '{"user": 123456789012345678901234567890, "item": 18446744073709551615}',
            {"user": [123456789012345678901234567890], "item": [2**64 - 1]},
        ),
        ('{"user": 9007199254740993, "item": 1.0}\n{"user": 1.5, "item": 2}', {"user": [9007199254740993, 1.5], "item": [1.0, 2]}),
        ('{"user": "1", "item": 1}\n{"user": 2, "item": 1}', {"user": ["1", 2], "item": [1, 1]}),
        ('{"user": "user", "item": "item"}', {"user": ["user"], "item": ["item"]}),
        ('{"us\\u0065r": 1, "item": 1}', {"user": [1], "item": [1]}),
        ('{"user": [], "item": 1}', None),
    ],
    ids=short,
)
def test_json_lines_are_what_they_are(content: str, found: dict[str, Any] | None, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    if found is None:
        refused("rankings", path)
    else:
        assert read("rankings", path) == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"user": 1, "item": 2}\n{"user": 1, "item": 3', "line 2: "),
        ('{"user": 1, "item": 2}\n\n[1, 2]', "line 3: '[1, 2]' is not a JSON object"),
        ('{"user": 1, "item": 2}\n{"user": 1, "item": 3}{"user": 1, "item": 4}', "line 2: "),
        ('{"user": 1, "item": 2, "user": 3}', "line 1: duplicate key 'user'"),
        ('{"user": 1, "item": 2}\n{"user": 1, "user": 1, "item": 3}', "line 2: duplicate key 'user'"),
        ('{"user": 1, "item": 2}\n\n{"user": 1}', "line 3: the item is missing"),
        ('{"user": 1, "item": 2}\n{"user": null, "item": 1}', "line 2: the user is missing"),
        ('{"user": 1, "item": ""}', "line 1: the item is missing"),
        ('{"user": 1, "item": {"a": 1}}', "line 1: {'a': 1} cannot be the id of an item"),
        ('{"user": 1, "item": "a"}\n{"user": 1, "item": ["b"]}', "line 2: ['b'] cannot be the id of an item"),
        ('{"user": true, "item": "a"}', "line 1: the user is true, expected text or a whole number"),
        ('{"user": 1, "item": "\\ud83e"}', "line 1: the item '\\ud83e' holds an unpaired surrogate"),
        ('{"user": 1, "item": 1, "score": NaN}', "line 1: the score is nan, expected a finite number"),
        ('{"user": 1, "item": 1, "score": 1e999}', "line 1: the score is inf, expected a finite number"),
        ('{"user": 1, "item": 1, "score": "high"}', "line 1: the score is 'high', expected a finite number"),
        ('{"user": 1, "item": 1, "score": null}', "line 1: the score is missing, expected a finite number"),
        ('{"user": 1, "item": 1, "score": [1]}', "line 1: the score is [1], expected a finite number"),
        ('{"user": 1, "item": ' + "[" * 100_000, "line 1: "),
        ('{"user": 1, "item": ' + "1" * 5000 + "}", "line 1: "),
        ("{}", "has no columns"),
        ("[{}]", "line 1: "),
    ],
    ids=short,
)
def test_what_is_wrong_with_json_lines(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    assert message in refused("rankings", path)


def test_keys_of_json_are_in_their_order(tmp_path: Path) -> None:
    """Those of the first line; a library that reads quickly has another order of many keys each time."""
    keys = [f"k{place}" for place in range(99, 0, -1)]
    path = tmp_path / "x.jsonl"
    path.write_text(f"{json.dumps(dict.fromkeys(keys, 1))}\n{json.dumps({'b': 1, 'a': 2})}\n")
    assert list(open_table(Source(path), INPUTS["features"]).names or ()) == [*keys, "a", "b"]
    assert f"columns are {', '.join(map(repr, keys[:20]))} and 81 more" in refused("aspects", path)


def test_json_that_is_one_array_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"user": 1, "item": 2}]')
    assert "line 1: is not a JSON object; expected JSON Lines" in refused("rankings", tmp_path / "x.json")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".ipc"])
def test_what_is_wrong_with_binary_rows(suffix: str, tmp_path: Path) -> None:
    names = ("user", "item", "score")
    for row, message in (
        ((None, 1, 1.0), "row 3: the user is missing"),
        (("", 1, 1.0), "row 3: the user is missing"),
        (("u", 1, None), "row 3: the score is missing, expected a finite number"),
        (("u", 1, float("nan")), "row 3: the score is nan, expected a finite number"),
        (("u", 1, float("-inf")), "row 3: the score is -inf, expected a finite number"),
    ):
        path = polars_file((tmp_path / "x").with_suffix(suffix), [("u", 5, 1.0), ("u", 6, 1.0), row], names)
        assert f"{path}, {message}" in refused("rankings", path)


def test_arrays_are_features_only(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"")
    assert "only features" in refused("rankings", tmp_path / "x.npz")


def test_arrow_tables_of_other_kinds(tmp_path: Path) -> None:
    dictionary = pa.table({"user": pa.array(["u", "v"]).dictionary_encode(), "item": pa.array([5, 7], pa.uint8()).dictionary_encode()})
    pyarrow.feather.write_feather(dictionary, tmp_path / "x.feather")
    assert read("rankings", tmp_path / "x.feather") == {"user": ["u", "v"], "item": [5, 7]}


def test_types_of_columns_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """polars makes all of them anew each time, so that asking for each of many columns would take minutes."""
    asked: list[str] = []
    types = pl.DataFrame.dtypes.fget  # type: ignore[attr-defined]

    def counted(frame: pl.DataFrame) -> Any:
        asked.append("types")
        return types(frame)

    monkeypatch.setattr(pl.DataFrame, "dtypes", property(counted))
    wide = pl.DataFrame({"user": ["u"], "item": ["a"], **{f"c{place}": ["x"] for place in range(100)}})
    asp.evaluate(wide, "NDCG@1", relevance=wide)
    assert len(asked) < 10


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{{"item": "a", {0}}}\n{{"item": "b", {0}}}\n', None),
        ('{{"item": "a", {0}}}\n{{"item": "b", {0}, "c7": 2}}\n', "line 2: duplicate key 'c7'"),
        ('{{"item": "a", {0}, "x": "c7"}}\n{{"item": "b", {0}, "x": "c7"}}\n', "column 'x' holds 'c7'"),
    ],
)
def test_many_keys(lines: str, said: str | None, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(lines.format(", ".join(f'"c{place}": {place}.5' for place in range(50))))
    if said is None:
        assert asp.evaluate({"u": ["a", "b"]}, "ILD@2", features=tmp_path / "x.jsonl")["ILD@2"] == pytest.approx(0)
    else:
        assert said in refused("features", tmp_path / "x.jsonl")


@pytest.mark.parametrize("after", ["user,item\nu,a\nu,z\n", "user,item\n", None])
def test_a_file_that_changes_before_an_error_can_name_the_line(after: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("user,item\nu,a\nu,a\n")
    rows = read_input("rankings", path)
    assert rows.at(1) == f"{path}, line 3"
    if after is None:
        path.unlink()
    else:
        path.write_text(after)
    with pytest.raises(asp.InputError, match=r"x\.csv: changed after it was read, so what was wrong with it cannot be shown; try again"):
        asp.evaluate(rows, "GiniComplement")
