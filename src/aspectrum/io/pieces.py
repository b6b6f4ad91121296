"""Lists piece by piece, so that they need not fit into memory: files, folders of files, frames that are yet to be computed."""

from __future__ import annotations

import inspect
import mmap
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import Rows
from aspectrum.errors import InputError, MissingLibrary
from aspectrum.forks import check_polars
from aspectrum.inputs import ALL_INPUTS
from aspectrum.io.binary import check_arrow, check_parquet
from aspectrum.io.columns import is_spelling
from aspectrum.io.files import (
    Packing,
    as_text,
    binary_format,
    check_readable,
    check_unpacked,
    files_of,
    packing,
    printed,
    reason,
    unpacked_parts,
    why_unreadable,
)
from aspectrum.io.frames import FrameTable, guarded
from aspectrum.io.json_lines import JsonTable
from aspectrum.io.json_runs import JsonList, JsonRun, begins_with_a_row, json_run, rows_of_lists
from aspectrum.io.json_values import Place
from aspectrum.io.reading import first_rows, more_rows
from aspectrum.io.source import Source
from aspectrum.io.text import TextTable

if TYPE_CHECKING:
    import polars

_SPEC = ALL_INPUTS["rankings"]
_FIRST_ROWS = 1 << 16  # of the first piece, from which columns are told: it is read with all of them
_FIRST_BYTES = 1 << 20
_STEP = 1 << 20


class Position(NamedTuple):
    """Where a row begins: in which file, after how many rows or bytes of it, and in which line of a text."""

    file: int = 0
    offset: int = 0
    line: int = 1


START = Position()


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows, in their order.

    Args:
        rows: The rows.
        at: The position of a row; the one after the last is the end.
        done: What share of everything has been read with it.
    """

    rows: Rows
    at: Callable[[int], Position]
    done: float


class _Part(NamedTuple):
    """A piece of one file: its rows, the offset and line of each, and what share of the file has been read."""

    rows: Rows
    at: Callable[[int], tuple[int, int]]
    done: float


class _File(Protocol):
    size: int

    def parts(self, n_rows: int, offset: int, line: int) -> Iterator[_Part]:
        """The rows from an offset on, about so many at a time."""


class Pieces:
    """The rows of the lists of one system, which can be read from any position on.

    Args:
        name: What errors call them.
        source: How they are read.
        opened: What holds them.
        paths: Their files; frames have none.
        reread: Whether they can be read more than once.
    """

    def __init__(self, name: str, source: Source, opened: Sequence[_File], paths: Sequence[str] = (), *, reread: bool = True) -> None:
        self.name, self._opened, self.paths, self.can_be_read_again = name, opened, tuple(paths), reread
        self.reading = {
            "columns": dict(source.columns),
            "split": source.split,
            "format": source.format,
            "header": source.header,
            "usual columns": dict(source.usual.columns),
        }
        self.system: Any = None  # once rows were read, the one that a column of theirs names

    def read(self, n_rows: int, start: Position = START) -> Iterator[Piece]:
        """Rows from a position on, about so many at a time."""
        check_polars()
        total = sum(file.size for file in self._opened) or 1
        before = sum(file.size for file in self._opened[: start.file])
        roles: Mapping[str, Any] | None = None
        queries: dict[str, Place] = {}  # of JSON files, which have all of a list
        for number, file in enumerate(self._opened[start.file :], start.file):
            offset, line = (start.offset, start.line) if number == start.file else (0, 1)
            if isinstance(file, _TextFile):
                file.queries = queries
            for part in file.parts(n_rows, offset, line):
                rows = self._of_one_system(part.rows, is_first=start == START)
                found = dict.fromkeys((*rows.ids, *rows.numbers))
                roles = found if roles is None else roles
                if found != roles:
                    odd = min(found.keys() ^ roles.keys())
                    raise InputError(f"{rows.source}: has {'a' if odd in found else 'no'} {odd} column, unlike the files before it")
                at = partial(_position, number, part.at)
                place = rows.place if len(self._opened) == 1 else partial(_in_file, rows)
                yield Piece(replace(rows, source=self.name, place=place), at, (before + part.done * file.size) / total)
            before += file.size

    def _of_one_system(self, rows: Rows, is_first: bool) -> Rows:
        """Rows without the column that names their system: read piece by piece, lists are of one."""
        if "system" not in rows.ids:
            return rows
        if self.system is None and not is_first:  # these are not the first rows
            self._of_one_system(next(self._opened[0].parts(_FIRST_ROWS, 0, 1)).rows, is_first=True)
        systems = list(rows.ids["system"].ids)
        self.system = systems[0] if self.system is None and systems else self.system
        other = next((one for one in systems if one != self.system), None)
        if other is not None:
            raise InputError(
                f"{rows.source}: names several systems ({quoted(self.system)}, {quoted(other)}), and lists that are read piece by piece are those "
                "of one; give each system a file or folder of its own"
            )
        return replace(rows, ids={role: column for role, column in rows.ids.items() if role != "system"})


def _position(number: int, at: Callable[[int], tuple[int, int]], row: int) -> Position:
    return Position(number, *at(row))


def _in_file(rows: Rows, row: int) -> str:
    return rows.at(row)


def open_pieces(given: Any, name: str = "rankings") -> Pieces:
    """Anything that holds rows: a file, a folder or pattern of files, a frame; nothing but its head is read yet."""
    source = given if isinstance(given, Source) else Source(given)
    if not source.is_path:
        return _open_frame(source, source.named(name))
    called = source.named(name)
    paths = files_of(source.path)
    if source.path == "-" or (os.path.exists(source.path) and not os.path.isfile(source.path) and not os.path.isdir(source.path)):
        return Pieces(called, source, [_TextFile(source, called, is_pipe=True)], reread=False)
    part = "" if source.part is None else f"#{source.part}"
    found = [_open_file(replace(source, data=path + part, name=printed(path + part)), source.path) for path in paths]
    systems = {value for path in paths for key, value in _keys(path, source.path).items() if is_spelling("rankings", ("system",), key)}
    if len(systems) > 1:
        some = ", ".join(map(quoted, sorted(systems)[:3]))
        raise InputError(f"{called}: holds the lists of several systems ({some}); give each a name and its own folder")
    return Pieces(called, source, found, paths)


def _open_file(source: Source, above: str) -> _File:
    name = source.named("")
    try:
        if os.stat(source.path).st_size == 0:
            raise InputError(f"{name}: the file is empty")
        with open(source.path, "rb") as file:
            start = file.read(2000)
    except OSError as error:
        raise InputError(f"{name}: {why_unreadable(source.path, error)}") from None
    format = binary_format(start[:6])
    if format is not None and source.guessed_format in (None, "parquet", "arrow"):
        return _ScannedFile(source, name, format, _keys(source.path, above), is_stream=start[:4] == b"\xff\xff\xff\xff")
    if packing(start) is None:
        check_unpacked(source.path, name)
        check_readable(name, start)
    return _TextFile(source, name)


def _keys(path: str, above: str) -> dict[str, str]:
    """What the folders between say of a file, as in ``system=ALS/part-0.parquet``."""
    folders = os.path.relpath(os.path.dirname(path), above).split(os.sep) if os.path.isdir(above) else []
    return dict(folder.split("=", 1) for folder in folders if "=" in folder)


class _ScannedFile:
    """A Parquet or Arrow file, of which polars reads any rows."""

    def __init__(self, source: Source, name: str, format: str, keys: Mapping[str, str], is_stream: bool) -> None:
        import polars

        self._source, self._name, self._keys = source, name, keys
        self._group_size = 0  # rows that polars reads at once; 0 if nobody knows
        self._what = "a Parquet file" if format == "parquet" else "an Arrow file"

        def scan() -> polars.LazyFrame:
            with open(source.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if format == "parquet":
                    self._group_size = check_parquet(data)
                else:
                    check_arrow(data)
            if is_stream:
                return polars.read_ipc_stream(source.path).lazy()
            if format == "parquet":
                return polars.scan_parquet(source.path, glob=False, hive_partitioning=False)
            options: Any = {"memory_map": False} if "memory_map" in inspect.signature(polars.scan_ipc).parameters else {}
            return polars.scan_ipc(source.path, hive_partitioning=False, **options)

        self._frame = self._guarded(scan)
        self.size = self._guarded(lambda: self._frame.select(polars.len()).collect()).item()
        columns = self._guarded(self._frame.collect_schema).names()
        self._frame = self._frame.with_columns(polars.lit(value).alias(key) for key, value in keys.items() if key not in columns)

    def _guarded(self, read: Callable[[], Any]) -> Any:
        try:
            return guarded(read)
        except Exception as error:
            raise InputError(f"{self._name}: cannot be read as {self._what}: {reason(error)}") from None

    def parts(self, n_rows: int, offset: int, line: int) -> Iterator[_Part]:
        reader = _FrameReader(self._source, self._name)
        frames = self._frames(reader, n_rows, offset)
        while (frame := self._guarded(lambda: next(frames, None))) is not None:
            rows, at = reader.rows(frame, offset)
            offset += frame.height
            yield _Part(rows, at, offset / max(1, self.size))

    def _frames(self, reader: _FrameReader, n_rows: int, offset: int) -> Iterator[polars.DataFrame]:
        """A few rows with all columns, from which the reader tells which it needs, and then all others with these."""
        first = self._frame.slice(offset, min(_FIRST_ROWS, n_rows)).collect()
        yield first
        offset, size = offset + first.height, max(1, int(n_rows / reader.rows_per_row))
        frame = self._frame.select(reader.names)
        if offset >= self.size:
            return
        if hasattr(frame, "collect_batches"):
            fits = size <= 2 * self._group_size <= 4 * size  # row groups as they are need not be put together
            for batch in frame.slice(offset).collect_batches(chunk_size=None if fits else size, maintain_order=True):
                yield from batch.iter_slices(size)
            return
        for start in range(offset, self.size, size):  # before polars 1.34
            yield frame.slice(start, size).collect()


class _FrameReader:
    """Rows of frames that come one after the other; the first tells where the columns are, and the others need have no more."""

    def __init__(self, source: Source, name: str) -> None:
        self._source, self._name = source, name
        self.names: list[str] | None = None
        self.rows_per_row = 1.0  # a cell may hold a list
        self._places: Mapping[str, int] = {}

    def rows(self, frame: polars.DataFrame, start: int) -> tuple[Rows, Callable[[int], tuple[int, int]]]:
        owners: Sequence[int]
        if self.names is None:
            rows, owners, places = first_rows(self._source, _SPEC, FrameTable(self._name, frame, first_row=start))
            self.names = [frame.columns[place] for place in sorted(set(places.values()))]
            self._places = {role: self.names.index(frame.columns[place]) for role, place in places.items()}
            self.rows_per_row = max(1.0, len(rows) / max(1, frame.height))
        else:
            rows, owners = more_rows(self._source, _SPEC, FrameTable(self._name, frame.select(self.names), first_row=start), self._places)
        return rows, partial(_row_of, start, owners, frame.height)


def _row_of(start: int, owners: Sequence[int], height: int, row: int) -> tuple[int, int]:
    return start + (int(owners[row]) if row < len(owners) else height), 1


def _open_frame(source: Source, name: str) -> Pieces:
    """A frame of polars, DuckDB or PyArrow, whose rows are computed as they are read where its library can."""
    import polars

    given = source.data
    if isinstance(given, polars.LazyFrame):
        if not hasattr(given, "collect_batches"):  # before polars 1.34
            return Pieces(name, source, [_Batches(source, name, lambda n: given.collect().iter_slices(n))])
        return Pieces(name, source, [_Batches(source, name, lambda n: given.collect_batches(chunk_size=n, maintain_order=True))])
    if isinstance(given, polars.DataFrame):
        return Pieces(name, source, [_Batches(source, name, given.iter_slices)])
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError:
        raise MissingLibrary(
            f"{name}: a {type(given).__name__} is read piece by piece through pyarrow, which is not installed: pip install pyarrow"
        ) from None
    is_reader = isinstance(given, pyarrow.RecordBatchReader)  # which can be read once

    def batches(n: int) -> Iterator[polars.DataFrame]:
        reader = given if is_reader else pyarrow.RecordBatchReader.from_stream(given)
        yield from _of_about(n, (polars.DataFrame(polars.from_arrow(batch)) for batch in reader))

    return Pieces(name, source, [_Batches(source, name, batches)], reread=not is_reader)


def _of_about(n: int, frames: Iterable[polars.DataFrame]) -> Iterator[polars.DataFrame]:
    """The same rows in frames of about n."""
    import polars

    held: list[polars.DataFrame] = []
    for frame in frames:
        held.append(frame)
        if sum(one.height for one in held) >= n:
            yield polars.concat(held)
            held = []
    if held:
        yield polars.concat(held)


class _Batches:
    """Frames that come one after the other."""

    size = 0  # which nobody knows

    def __init__(self, source: Source, name: str, batches: Callable[[int], Iterable[polars.DataFrame]]) -> None:
        self._source, self._name, self._batches = source, name, batches

    def parts(self, n_rows: int, offset: int, line: int) -> Iterator[_Part]:
        reader, start = _FrameReader(self._source, self._name), 0
        try:
            for frame in self._batches(n_rows):
                if frame.height or reader.names is None:
                    yield _Part(*reader.rows(frame, start), 0.0)
                start += frame.height
        except (InputError, GeneratorExit):
            raise
        except Exception as error:
            raise InputError(f"{self._name}: cannot be read as a frame: {reason(error)}") from None


class _TextFile:
    """A file of text, packed or not, that is cut where records end."""

    def __init__(self, source: Source, name: str, *, is_pipe: bool = False) -> None:
        self._source, self._name = source, name
        self.size = 0 if is_pipe else os.stat(source.path).st_size
        self.queries: dict[str, Place] = {}

    def parts(self, n_rows: int, offset: int, line: int) -> Iterator[_Part]:
        reader = _TextReader(self._source, self._name)
        with ExitStack() as stack:
            text = stack.enter_context(self._opened())
            block, wanted = text.block(_FIRST_BYTES), _FIRST_BYTES
            if (run := self._json_run(block, text)) is not None:
                yield from self._of_run(run, n_rows, offset)
                return
            if offset:
                if not reader.is_json:  # how records are built is told from the first of them
                    reader.rows(block, 0, 1)
                text = stack.enter_context(self._opened(offset))
                block = text.block(wanted)
            while block:
                rows, at = reader.rows(block, offset, line)
                offset, line = offset + len(block), line + block.count(b"\n")
                wanted = max(_FIRST_BYTES, min(int(n_rows * len(block) / max(1, len(rows))), 1 << 30))
                yield _Part(rows, at, text.done)
                block = text.block(wanted)
            if reader.is_unread:
                raise InputError(f"{self._name}: the file is empty")

    def _json_run(self, block: bytes, text: _Blocks) -> JsonRun | None:
        """The lists of a JSON file that begins with a block; None for a table. A document is read to its end, whatever it holds."""
        if self._source.guessed_format not in (None, "jsonl") or self._source.columns:
            return None
        if block[:1000].lstrip()[:1] not in (b"{", b"["):
            return None
        if begins_with_a_row(self._source, block):
            return None
        rest = text.block(sys.maxsize)
        run = json_run(self._source, self._name, block + rest)
        if run is None:
            text.give_back(rest)
        return run

    def _of_run(self, run: JsonRun, n_rows: int, offset: int) -> Iterator[_Part]:
        """Lists from row `offset` on; those of JSON Lines come some at a time."""
        held: list[JsonList] = []
        n_before = n_held = 0
        scored = run.kind != "candidates" or not run.text.is_lines or run.all_scored()  # in no piece, if one has none

        def part(done: float) -> _Part:
            rows = rows_of_lists(self._name, run.kind, held, max(0, offset - n_before), scored)
            first = max(n_before, offset)
            return _Part(rows, lambda row: (first + row, 1), done)

        for one in run.lists(self.queries):
            if n_held >= n_rows and run.text.is_lines:
                if offset < n_before + n_held:
                    yield part(0.0)
                held, n_before, n_held = [], n_before + n_held, 0
            held.append(one)
            n_held += len(one.documents)
        if offset == 0 or offset < n_before + n_held:
            yield part(1.0)

    def _opened(self, offset: int = 0) -> closing[_Blocks]:
        try:
            path = self._source.path
            file = _standard_input() if path == "-" else open(path, "rb", buffering=-1 if self.size else 0)  # noqa: SIM115 - its reader closes it
        except OSError as error:
            raise InputError(f"{self._name}: {why_unreadable(self._source.path, error)}") from None
        return closing(_Blocks(self._name, file, offset, self.size, is_own=path != "-"))


def _standard_input() -> Any:
    """Without its buffer: a thread that waits in one could not be left behind."""
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        raise InputError("standard input: cannot be read: there is no standard input")
    return getattr(buffer, "raw", buffer)


class _Blocks:
    """The text of a file from an offset on, in blocks of whole records."""

    def __init__(self, name: str, file: BinaryIO, offset: int, size: int, *, is_own: bool) -> None:
        self._name, self._file, self._size, self._is_own = name, file, size, is_own
        self._rest, self._ended, self._n_packed = b"", False, 0
        start = file.read(4) or b""
        while 0 < len(start) < 4 and (more := file.read(4 - len(start))):  # a pipe gives what it has
            start += more
        kind = packing(start)
        if kind is None and size:  # a file, not a pipe, which begins where it is
            file.seek(offset)
            self._n_packed, start, offset = offset, b"", 0
        self._parts = self._read(start, kind, offset)

    def _read(self, start: bytes, kind: Packing | None, skipped: int) -> Iterator[bytes]:
        def packed() -> Iterator[bytes]:
            yield start
            while part := self._file.read(_STEP if kind is None else 1 << 14):
                self._n_packed += len(part)
                yield part

        for part in packed() if kind is None else unpacked_parts(self._name, packed(), kind):
            if skipped < len(part):
                yield part[skipped:]
            skipped = max(0, skipped - len(part))

    @property
    def done(self) -> float:
        """What share of the file has been read."""
        return min(1.0, self._n_packed / self._size) if self._size else 0.0

    def block(self, n: int) -> bytes:
        """About so many bytes, and the end of the last record; nothing at the end."""
        parts, size = [self._rest], len(self._rest)
        while True:
            while size < n and not self._ended:
                part = next(self._parts, None)
                self._ended = part is None
                parts.append(part or b"")
                size += len(parts[-1])
            data = b"".join(parts)
            end = len(data) if self._ended else _last_end(data)
            if end or self._ended:
                self._rest = data[end:]
                return data[:end]
            parts, n = [data], 2 * n  # a record is longer than that

    def give_back(self, block: bytes) -> None:
        """Put back what was read last."""
        self._rest = block + self._rest

    def close(self) -> None:
        if self._is_own:
            self._file.close()


def _last_end(data: bytes) -> int:
    """Where the last whole record ends: at a line end that is not within quotes. 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if b'"' not in data:
        return end
    quotes = np.flatnonzero(np.frombuffer(data, np.uint8) == ord('"'))
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


class _TextReader:
    """Rows of blocks of one file; the first tells how its records are built."""

    def __init__(self, source: Source, name: str) -> None:
        self._source, self._name, self.is_json = source, name, source.guessed_format == "jsonl"
        self._first: TextTable | None = None
        self._places: Mapping[str, int] = {}

    @property
    def is_unread(self) -> bool:
        return self._first is None and not self.is_json

    def rows(self, block: bytes, offset: int, line: int) -> tuple[Rows, Callable[[int], tuple[int, int]]]:
        format, source, owners = self._source.guessed_format, self._source, range(0)
        first = self._first is None
        text = as_text(self._name, block, line)
        if first:
            check_readable(self._name, text)
            self.is_json = self.is_json or (format is None and text[:1000].lstrip()[:1] == b"{")
        if self.is_json:
            json = JsonTable(self._name, text, first_line=line)
            rows, owners, _ = first_rows(source, _SPEC, json)  # type: ignore[assignment]
            return rows, _LinesOf(block, offset, line, lambda row: json.line(int(owners[row])), len(rows))
        if self._first is None:
            table = self._first = TextTable(self._name, text, _SPEC, source, format, is_piece=True)
            rows, owners, self._places = first_rows(source, _SPEC, table)  # type: ignore[assignment]
        else:
            table = self._first.continued(text, line)
            rows, owners = more_rows(source, _SPEC, table, self._places)  # type: ignore[assignment]
        return rows, _LinesOf(block, offset, line, lambda row: table.line(int(owners[row])), len(rows))


@dataclass(frozen=True, eq=False)
class _LinesOf:
    """The offset and line of rows of a block."""

    block: bytes
    offset: int
    first_line: int
    line_of: Callable[[int], int]
    n_rows: int

    def __call__(self, row: int) -> tuple[int, int]:
        if row >= self.n_rows:
            return self.offset + len(self.block), self.first_line + self.block.count(b"\n")
        line = self.line_of(row)
        ends = np.flatnonzero(np.frombuffer(self.block, np.uint8) == ord("\n"))
        return self.offset + (int(ends[line - self.first_line - 1]) + 1 if line > self.first_line else 0), line
