"""Pieces hold all rows in their order, and reading from the position of a row gives that row and all after it."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aspectrum.errors import InputError
from aspectrum.io.files import files_of, is_several
from aspectrum.io.pieces import Pieces, Position, open_pieces
from tests.io.reading import columns_of
from tests.strategies import checked
from tests.streaming import WRITERS, Row, frame_of, in_pieces_of, write

ROWS: list[Row] = [(f"user {n // 4}", f"item {n}", float(n % 3)) for n in range(30)]
START = Position()
Found = tuple[str, str, float]


def read(pieces: Pieces, n_rows: int, start: Position = START) -> list[tuple[Found, Position]]:
    """All rows from a position on, each with where it begins."""
    found: list[tuple[Found, Position]] = []
    for piece in pieces.read(n_rows, start):
        columns = columns_of(piece.rows)
        rows = list(zip(columns["user"], columns["item"], columns.get("score", [0.0] * len(piece.rows)), strict=True))
        found += [(row, piece.at(place)) for place, row in enumerate(rows)]
        assert 0 <= piece.done <= 1
    return found


def check(path: Any, expected: Sequence[Row], n_rows: int, n_bytes: int) -> None:
    with in_pieces_of(n_rows, n_bytes):
        pieces = open_pieces(path)
        found = read(pieces, n_rows)
        assert [row for row, _ in found] == list(expected)
        for place, (_, position) in enumerate(found):
            again = read(pieces, max(1, n_rows - 1), position)
            first = next(number for number, (_, other) in enumerate(found) if other == position)  # of a cell that holds several
            assert first <= place
            assert again == found[first:]
        for piece in pieces.read(n_rows):
            after = piece.at(len(piece.rows))
            assert [row for row, _ in read(pieces, n_rows, after)] == [row for row, position in found if position >= after]


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize(("n_rows", "n_bytes"), [pytest.param(1, 1, marks=pytest.mark.slow), (4, 50), (1000, 100_000)])
def test_every_format(tmp_path: Path, format: str, n_rows: int, n_bytes: int) -> None:
    rows = [(user.replace(" ", "-"), item.replace(" ", "-"), score) for user, item, score in ROWS]
    check(write(tmp_path / f"lists.{format}", rows), rows, n_rows, n_bytes)


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl.zst", "tsv.gz"])
def test_several_files(tmp_path: Path, format: str) -> None:
    for number, part in enumerate([ROWS[:7], ROWS[7:8], ROWS[8:]]):
        write(tmp_path / "lists" / f"{number}.{format}", part)
    check(tmp_path / "lists", ROWS, 3, 60)
    check(tmp_path / "lists" / f"*.{format}", ROWS, 100, 1000)


def csv_of(rows: Sequence[Row], end: str, quoted: bool) -> str:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if quoted or any(mark in text for mark in ',"\n\r') else text

    return "".join(f"{field(user)},{field(item)},{score}{end}" for user, item, score in [("user", "item", "score"), *rows])


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "mark in front"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("quoted", [True, False])
def test_texts(tmp_path: Path, mark: bytes, end: str, ended: bool, quoted: bool) -> None:
    odd = ["a\nb", 'say "this"', "x,y", "é🦉", "plain", f"two{end}lines{end}and more", ""]
    rows: list[Row] = [(f"u{n // 3}", f"{n} {odd[n % len(odd)]}", float(n)) for n in range(20)]
    text = csv_of(rows, end, quoted)
    path = tmp_path / "lists.csv"
    path.write_bytes(mark + (text if ended else text.removesuffix(end)).encode())
    with in_pieces_of(1000, 10**6):
        expected = [row for row, _ in read(open_pieces(path), 1000)]
    assert [row[0] for row in expected] == [row[0] for row in rows]
    assert [row[2] for row in expected] == [row[2] for row in rows]
    for n_rows, n_bytes in ((1, 1), (3, 30), (5, 90)):
        check(path, expected, n_rows, n_bytes)


def test_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    path.write_text(csv_of([(f"u{n}", "a\nb" if n % 2 else "c", 1.0) for n in range(10)], "\n", quoted=True))
    with in_pieces_of(1, 1):
        places = [piece.rows.at(row) for piece in open_pieces(path).read(1) for row in range(len(piece.rows))]
    lines, line = [], 2
    for n in range(10):
        lines.append(line)
        line += 1 + n % 2
    assert places == [f"{path}, line {line}" for line in lines]


def test_rows_of_several_files_say_which(tmp_path: Path) -> None:
    first, second = (write(tmp_path / f"{number}.csv", part) for number, part in enumerate([ROWS[:2], ROWS[2:4]]))
    places = [piece.rows.at(row) for piece in open_pieces(tmp_path).read(10) for row in range(len(piece.rows))]
    assert [place.removeprefix(f"{tmp_path}, ") for place in places] == [
        f"{first}, line 2",
        f"{first}, line 3",
        f"{second}, line 2",
        f"{second}, line 3",
    ]


def test_cells_that_hold_lists(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": ["a", "b", "c", "d", "e"], "item": [["x", "y"], [], ["z"], ["x", "y", "z"], []]})
    frame.write_parquet(tmp_path / "lists.parquet")
    (tmp_path / "lists.jsonl").write_text(frame.write_ndjson())
    expected = [("a", "x", 0.0), ("a", "y", 0.0), ("c", "z", 0.0), ("d", "x", 0.0), ("d", "y", 0.0), ("d", "z", 0.0)]
    for name in ("lists.parquet", "lists.jsonl"):
        for n_rows in (1, 2, 5):
            check(tmp_path / name, expected, n_rows, 20)
            with in_pieces_of(n_rows, 20):
                named = [owner for piece in open_pieces(tmp_path / name).read(n_rows) for owner in piece.rows.ids["user"].ids]
            assert named == list("abcde")


def test_a_record_that_is_longer_than_a_block(tmp_path: Path) -> None:
    rows = [("u", "x" * 5000, 1.0), ("v", "y" * 3, 2.0), ("w", "z\n" * 2000, 3.0)]
    path = tmp_path / "lists.csv"
    path.write_text(csv_of(rows, "\n", quoted=True))
    check(path, rows, 1, 1)


@checked(25)
@given(
    st.lists(st.tuples(st.text("ab,\"\n é'", min_size=1, max_size=6), st.sampled_from(["x", "1", 'q"', "y\n"])), min_size=1, max_size=15),
    st.integers(1, 6),
    st.integers(1, 60),
    st.sampled_from(["csv", "jsonl"]),
)
def test_random_texts(pairs: list[tuple[str, str]], n_rows: int, n_bytes: int, format: str) -> None:
    rows: list[Row] = [(f"u{user}", f"i{item}", float(place)) for place, (user, item) in enumerate(pairs)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"lists.{format}"
        path.write_bytes(csv_of(rows, "\n", quoted=True).encode() if format == "csv" else WRITERS["jsonl"](rows))
        check(path, rows, n_rows, n_bytes)


def test_what_is_read_once() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = frame_of(ROWS).to_arrow()
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    pieces = open_pieces(reader)
    assert not pieces.can_be_read_again
    assert [row for row, _ in read(pieces, 4)] == ROWS
    for frame in (frame_of(ROWS), frame_of(ROWS).lazy(), table):
        again = open_pieces(frame)
        assert again.can_be_read_again
        for _ in range(2):
            assert [row for row, _ in read(again, 4)] == ROWS


def test_what_is_no_frame() -> None:
    lazy = frame_of(ROWS).lazy().with_columns(pl.col("gone"))
    with pytest.raises(InputError, match="rankings: cannot be read as a frame: "):
        read(open_pieces(lazy), 4)
    with pytest.raises(InputError):
        read(open_pieces(frame_of(ROWS).lazy().rename({"user": "who", "item": "what"})), 4)


def test_files_of_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("b/2.csv", "a.csv", "b/_temporary/3.csv", ".hidden/4.csv", "_SUCCESS", "c[1].csv"):
        write(tmp_path / name, ROWS) if name.endswith(".csv") else (tmp_path / name).write_text("")
    assert files_of(str(tmp_path)) == [str(tmp_path / name) for name in ("a.csv", "b/2.csv", "c[1].csv")]
    assert files_of(str(tmp_path / "*.csv")) == [str(tmp_path / name) for name in ("a.csv", "c[1].csv")]
    assert files_of(str(tmp_path / "c[1].csv")) == [str(tmp_path / "c[1].csv")]
    assert not is_several(str(tmp_path / "c[1].csv"))
    assert is_several(str(tmp_path / "?.csv"))
    assert is_several(str(tmp_path))
    assert files_of(str(tmp_path / "gone-*.csv")) == [str(tmp_path / "gone-*.csv")]
    assert not is_several(str(tmp_path / "gone.csv"))
