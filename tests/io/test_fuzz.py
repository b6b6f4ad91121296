"""Nasty ids in every dialect are read exactly; damaged files give what a strict reader reads, or one clear error."""

import csv
import gzip
import io
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.errors import InputError
from aspectrum.io import INPUTS, read_input
from tests.io.reading import columns_of, read

few, some, many = (settings(deadline=None, max_examples=n) for n in (50, 200, 600))

PARTS = [
    "a",
    "Z",
    "é",
    "🦉",
    "0",
    "7",
    "007",
    "-1",
    "1e5",
    ".",
    "nan",
    "null",
    "user",
    "item",
    "\u00a0",
    "\u2028",
    "\x85",
    "'",
    "|",
    "\\",
    "#",
    "-",
]
BREAKS = [" ", "  ", "\t", ",", ";", '"', '""', "\n", "\r\n", "\n\n", ",,", '",', ',"', "\v", "\f", "\x1c"]
ids = st.lists(st.sampled_from(PARTS + BREAKS), min_size=1, max_size=6).map("".join)
words = st.lists(st.sampled_from([*PARTS, ",", ";", '"', "\x1c"]), min_size=1, max_size=6).map("".join)
scores = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3).map(float)
tables = st.lists(st.tuples(ids, ids, scores), min_size=1, max_size=8)

Columns = dict[str, list[Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def as_columns(rows: Any, *roles: str) -> Columns:
    return {role: [row[place] for row in rows] for place, role in enumerate(roles)}


def pack(data: bytes, how: str) -> bytes:
    return {"": lambda: data, ".gz": lambda: gzip.compress(data), ".zst": lambda: zstandard.ZstdCompressor().compress(data)}[how]()


@many
@given(
    table=tables,
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
    header=st.booleans(),
    mark=st.booleans(),
    packed=st.sampled_from(["", "", ".gz", ".zst"]),
    suffix=st.sampled_from([".csv", ".txt", ""]),
    blanks=st.sampled_from(["", "\n", "  \n"]),
    cut=st.booleans(),
)
def test_tables_are_read_as_they_were_written(
    folder: Path,
    table: list[tuple[str, str, float]],
    separator: str,
    quoting: Any,
    end: str,
    header: bool,
    mark: bool,
    packed: str,
    suffix: str,
    blanks: str,
    cut: bool,
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([("user", "item", "score")] if header else [])
    file.write(blanks)
    writer.writerows(table)
    text = file.getvalue().removesuffix(end) if cut else file.getvalue() + blanks
    suffix = ".tsv" if (separator, suffix) == ("\t", ".csv") else suffix
    path = folder / f"table{suffix}{packed}"
    path.write_bytes(pack(("\ufeff" * mark + text).encode(), packed))
    said = {} if header else {"user": 1, "item": 2, "score": 3}
    found = outcome("rankings", asp.Source(path, columns=said, header=header))
    # Without names there may be no telling which separator is meant.
    assert found == as_columns(table, "user", "item", "score") or (not header and "may separate its columns" in found)


@some
@given(
    table=st.lists(st.tuples(words, words, scores), min_size=1, max_size=8),
    blanks=st.lists(st.sampled_from([" ", "\t", "  ", " \t ", "\v"]), min_size=5, max_size=5),
    edges=st.sampled_from(["", " ", "\t"]),
    end=st.sampled_from(["\n", "\r\n", "\n\n", " \n\t\n"]),
    cut=st.booleans(),
)
def test_runs_are_read_as_they_were_written(
    folder: Path, table: list[tuple[str, str, float]], blanks: list[str], edges: str, end: str, cut: bool
) -> None:
    assume(not any("\ufeff" in word for row in table for word in row[:2]))
    lines = []
    for rank, (user, item, score) in enumerate(table, 1):
        cells = (user, "Q0", item, str(rank), repr(score), "tag")
        lines.append(edges + "".join(cell + blank for cell, blank in zip(cells, [*blanks, edges], strict=True)))
    path = folder / "x.run"
    path.write_bytes(("".join(line + end for line in lines[:-1]) + lines[-1] + ("" if cut else end)).encode())
    ranked = [(user, item, float(rank), score) for rank, (user, item, score) in enumerate(table, 1)]
    assert read("rankings", path) == as_columns(ranked, "user", "item", "rank", "score")


@some
@given(table=st.lists(st.tuples(ids | st.integers(-(10**30), 10**30), ids, scores), min_size=1, max_size=8), ascii=st.booleans())
def test_json_lines_are_read_as_they_were_written(folder: Path, table: list[tuple[Any, str, float]], ascii: bool) -> None:
    path = folder / "x.jsonl"
    names = ("user", "item", "score")
    path.write_text("\n".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=ascii) for row in table))
    assert read("rankings", path) == as_columns(table, *names)


@few
@given(table=tables)
def test_forms_of_the_same_table_agree(folder: Path, table: list[tuple[str, str, float]]) -> None:
    frame = pl.DataFrame(table, schema=["user", "item", "score"], orient="row")
    frame.write_parquet(folder / "x.parquet")
    frame.write_ipc(folder / "x.arrow")
    frame.write_ndjson(folder / "y.jsonl")
    frame.write_csv(folder / "y.csv")
    expected = as_columns(table, "user", "item", "score")
    for given_ in (
        frame,
        frame.to_pandas(),
        frame.to_arrow(),
        folder / "x.parquet",
        folder / "x.arrow",
        folder / "y.jsonl",
        folder / "y.csv",
    ):
        assert read("rankings", given_) == expected


# What a strict reader makes of bytes; None where it does not accept them.

_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)
_SPACE = re.compile("[ \t\v\f\r]+")


def decoded(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or re.search("\r(?!\n)", text) else text


def numbered(table: list[list[str]], roles: tuple[str, ...]) -> Columns | None:
    """Columns of cells, of which those that are no ids hold finite numbers."""
    found: Columns = {}
    for role, cells in zip(roles, zip(*table, strict=True) if table else [()] * len(roles), strict=True):
        if role in ("user", "item", "aspect"):
            found[role] = list(cells)
            if role != "aspect" and "" in cells:
                return None
        elif not all(_NUMBER.fullmatch(cell) for cell in cells):
            return None
        else:
            found[role] = [float(cell) for cell in cells]
            if not all(map(math.isfinite, found[role])):
                return None
    return found


def read_csv(data: bytes, separator: str = ",") -> Columns | None:
    text = decoded(data)
    if text is None:
        return None
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        return None
    records = [record for record in records if len(record) > 1 or "".join(record).strip(" ")]
    if not records or [name.strip() for name in records[0]] != ["user", "item", "score"] or {len(record) for record in records} != {3}:
        return None
    return numbered(records[1:], ("user", "item", "score"))


def read_words(data: bytes, roles: tuple[str | None, ...]) -> Columns | None:
    text = decoded(data)
    if text is None:
        return None
    table = [_SPACE.split(line.strip(" \t\v\f\r")) for line in text.split("\n") if line.strip(" \t\v\f\r")]
    if not table or {len(record) for record in table} != {len(roles)}:
        return None
    kept = [place for place, role in enumerate(roles) if role]
    return numbered([[record[place] for place in kept] for record in table], tuple(role for role in roles if role))


def read_json(data: bytes) -> Columns | None:
    text = decoded(data)
    if text is None:
        return None

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        rows = [json.loads(line, object_pairs_hook=once) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
    names = ("user", "item", "score")
    if not all(isinstance(row, dict) and all(name in row for name in names) for row in rows):
        return None
    if not all(type(row["score"]) in (int, float) and math.isfinite(row["score"]) for row in rows):
        return None
    if not all(type(row[name]) in (int, str) and row[name] != "" for row in rows for name in names[:2]):
        return None
    return {name: [row[name] for row in rows] for name in names}


def unpacked(data: bytes, read: Callable[[bytes], Columns | None]) -> Columns | None:
    try:
        return read(gzip.decompress(data))
    except Exception:
        return None


FRAME = pl.DataFrame({"user": ["u", "u", "v"], "item": ["a", "some longer item", "c"], "score": [2.5, 1.0, -3.0]})


def written(write: str, **how: Any) -> bytes:
    file = io.BytesIO()
    getattr(FRAME, write)(file, **how)
    return file.getvalue()


def arrays(**named: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **named)
    return file.getvalue()


def vectors() -> bytes:
    file = io.BytesIO()
    np.save(file, np.eye(3))
    return file.getvalue()


CSV = b'user,item,score\nu,a,2.5\nu,"b, ""c""",1\n\n"v\nw",d,-3e0\n'
TSV = b"user\titem\tscore\r\nu\ta\t2.5\r\nu\tb\t 1 \r\nv\td\t-3e0\r\n"
RUN = b"1 Q0 a 1 2.5 tag\n1\tQ0 b  2 1.5 tag\n2 Q0 c 1 7 tag\n"
QRELS = b"1 1 a 1\n1 2 a 0\n2 1 c 2\n"
JSON = b'{"user": 1, "item": "a", "score": 2.5}\n{"user":2,"item":"b\\u00e9","score":1}\n\n{"score": -3e0, "user": 30, "item": "c"}\n'

# Name, input, content, and how a strict reader reads it.
FILES: dict[str, tuple[str, bytes, Callable[[bytes], Columns | None] | None]] = {
    "x.csv": ("rankings", CSV, read_csv),
    "x.tsv": ("rankings", TSV, lambda data: read_csv(data, "\t")),
    "x.run": ("rankings", RUN, lambda data: read_words(data, ("user", None, "item", "rank", "score", None))),
    "x.qrels": ("subtopics", QRELS, lambda data: read_words(data, ("user", "aspect", "item", "grade"))),
    "y.qrels": ("relevance", QRELS, lambda data: read_words(data, ("user", None, "item", "grade"))),
    "x.jsonl": ("rankings", JSON, read_json),
    "x.csv.gz": ("rankings", gzip.compress(CSV, mtime=0), lambda data: unpacked(data, read_csv)),
    "x.csv.zst": ("rankings", zstandard.ZstdCompressor(write_checksum=True).compress(CSV), None),
    "x.parquet": ("rankings", written("write_parquet"), None),
    "y.parquet": ("rankings", written("write_parquet", compression="uncompressed", row_group_size=2), None),
    "x.arrow": ("rankings", written("write_ipc"), None),
    "y.arrow": ("rankings", written("write_ipc", compression="zstd"), None),
    "z.arrow": ("rankings", written("write_ipc_stream", compression="lz4"), None),
    "x.npz": ("features", arrays(features=np.eye(3), ids=np.array(["a", "b", "c"])), None),
    "y.npz": ("features", arrays(data=np.ones(2), indices=np.array([0, 1]), indptr=np.array([0, 1, 2]), shape=np.array([2, 2])), None),
    "x.npy": ("features", vectors(), None),
    "u.csv": ("features", b"item,x,y\na,1,2\nb,3,4\n", None),
    "v.csv": ("aspects", b"item,aspect,strength\na,x|y,1\nb,,0.5\n", None),
    "w.csv": ("weights", b"aspect,weight\nx,1\ny,0.5\n", None),
    "w.txt": ("catalogue", b"a\nb\nc\n", None),
}
BYTES = [0, 9, 10, 13, 32, 34, 44, 45, 46, 48, 49, 59, 92, 101, 123, 125, 127, 128, 195, 239, 255]

Edit = tuple[str, int, bytes]
edits = st.lists(
    st.tuples(
        st.sampled_from(["flip", "flip", "insert", "delete", "cut", "copy"]),
        st.integers(0, 10**6),
        st.lists(st.sampled_from(BYTES) | st.integers(0, 255), min_size=1, max_size=4).map(bytes),
    ),
    min_size=0,
    max_size=4,
)


def edited(content: bytes, changes: list[Edit]) -> bytes:
    data = bytearray(content)
    for what, where, piece in changes:
        at = where % (len(data) + 1)
        if what == "flip":
            data[at : at + len(piece)] = piece
        elif what == "insert":
            data[at:at] = piece
        elif what == "delete":
            del data[at : at + len(piece)]
        elif what == "copy":
            data[at:at] = data[max(0, at - 20 * len(piece)) : at]
        else:
            del data[at:]
    return bytes(data)


def outcome(input: str, given_: Path | asp.Source) -> Columns | str:
    """What was read, or why not; anything else is a failure."""
    path = given_.path if isinstance(given_, asp.Source) else given_
    rows, message = None, ""
    try:
        rows = read_input(input, given_)
    except InputError as error:
        message = str(error)
    if rows is None:
        assert all(line.startswith(str(path)) and line.isprintable() for line in message.split("\n"))
        return message
    assert all(len(column.codes) == len(rows) for column in rows.ids.values())
    assert all(len(values) == len(rows) and np.isfinite(values).all() for values in rows.numbers.values())
    if len(rows):
        assert rows.at(len(rows) - 1).startswith(str(path))
    return columns_of(rows)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_what_a_strict_reader_reads_or_an_error(name: str, folder: Path) -> None:
    input, content, strictly = FILES[name]
    path = folder / name
    path.write_bytes(content)
    sound = outcome(input, path)
    assert isinstance(sound, dict) and (strictly is None or sound == strictly(content))

    @settings(deadline=None, max_examples=400 if strictly is not None else 150)
    @given(edits)
    def check(changes: list[Edit]) -> None:
        data = edited(content, changes)
        path.write_bytes(data)
        found = outcome(input, path)
        if strictly is not None and isinstance(found, dict):
            expected = strictly(data)
            assert expected is None or found == expected

    check()


@some
@given(
    data=st.binary(max_size=200) | st.lists(st.sampled_from(BYTES), max_size=60).map(bytes) | st.text(max_size=60).map(str.encode),
    input=st.sampled_from(sorted(INPUTS)),
    suffix=st.sampled_from(
        ["", ".csv", ".tsv", ".txt", ".run", ".qrels", ".jsonl", ".json", ".parquet", ".arrow", ".npz", ".npy", ".gz", ".csv.zst"]
    ),
    magic=st.sampled_from(
        [b"", b"", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"]
    ),
)
def test_any_bytes_give_rows_or_an_error(folder: Path, data: bytes, input: str, suffix: str, magic: bytes) -> None:
    path = folder / f"any{suffix}"
    path.write_bytes(magic + data)
    outcome(input, path)


@few
@given(changes=edits)
def test_evaluation_of_damaged_files_gives_numbers_or_an_error(folder: Path, changes: list[Edit]) -> None:
    lists, truth = folder / "lists.csv", folder / "truth.qrels"
    lists.write_bytes(edited(b"user,item,score\n1,a,2.5\n1,b,1\n2,c,-3e0\n", changes))
    truth.write_bytes(edited(QRELS, changes[::-1]))
    message, values = "", []
    try:
        values = list(asp.evaluate(lists, ["AlphaNDCG@2", "ERRIA@2"], subtopics=truth).values())
    except InputError as error:
        message = str(error)
    assert all(map(str.isprintable, message.split("\n"))) and all(0 <= value <= 1 or math.isnan(value) for value in values)


ABORTS = """
import sys
from aspectrum.errors import InputError
from aspectrum.io import read_input

path = sys.argv[1]
content = open(path, "rb").read()
length = int.from_bytes(content[-8:-4], "little")
damaged = []
for at in range(len(content)):
    damaged += [content[:at] + byte + content[at + 1 :] for byte in (b"\\x07", b"\\x7f", b"\\xff")]
    if path.endswith(".parquet") and at >= len(content) - 8 - length:  # a number of five bytes, in a footer that says how long it is
        size = (length + 4).to_bytes(4, "little")
        damaged.append(content[:at] + b"\\xfe\\xff\\xff\\xff\\x0f" + content[at + 1 : -8] + size + content[-4:])
    elif path.endswith(".arrow") and at % 4 == 0:
        damaged += [(content[:at] + n.to_bytes(8, "little") + content[at + 8 :])[: len(content)] for n in (1 << 33, 1 << 47, 1 << 62)]
for data in damaged:
    with open(path, "wb") as file:
        file.write(data)
    try:
        read_input("rankings", path)
    except InputError:
        pass
print(len(damaged))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.parquet", "y.parquet", "x.arrow", "y.arrow", "z.arrow"])
def test_no_damaged_number_ends_the_process(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name][1])
    run = subprocess.run([sys.executable, "-c", ABORTS, str(tmp_path / name)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-500:]
    assert int(run.stdout) > 1000
