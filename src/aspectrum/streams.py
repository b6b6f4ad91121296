"""Streams: the lists of one system, piece by piece, within a limit of memory."""

from __future__ import annotations

import math
import os
import queue
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.arrow_file import read_arrow, write_arrow
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import Untyped
from aspectrum.coding.table import IdTable, SomeIds
from aspectrum.diagnostics.notices import Either, Notice, Option, added
from aspectrum.errors import InputError
from aspectrum.io import Source, is_external
from aspectrum.io.files import free_memory, is_several, printed
from aspectrum.io.pieces import START, Position, open_pieces
from aspectrum.world.building import CodedLists, ItemTwice, Tables, order_of
from aspectrum.world.grouping import BlockCount, Buckets, CodedRows, Parts, WholeUsers

T = TypeVar("T")

_MOST_ROWS = 4_000_000  # of a piece: more are not faster
_FEWEST_ROWS = 20_000
_ROWS_AT_ONCE = 1 << 20  # that are read
_BYTES_PER_ROW = 300  # of a piece, at its peak: as it is read, coded, ordered and measured, while the next one is read
_BYTES_BESIDE = 100_000_000  # what libraries take beside
_PACKED, _PLAIN = 12, 3  # how many times as much memory a file takes once it is read
_IDS = "ids.arrow"
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


@dataclass(frozen=True, eq=False)
class StreamedLists:
    """Lists of complete users.

    Args:
        lists: The lists.
        end: Tells where what comes next begins; of lists by way of the disk, the offset is the number of the next file.
        n_rows: How many rows have been measured with them.
        done: What share of everything that is; 0 if nobody knows.
    """

    lists: CodedLists
    end: Callable[[], Position]
    n_rows: int
    done: float


_ONE_SYSTEM = Either("; the files of a folder are one system", "; NAME=DIRECTORY is one system; without NAME each file is one")


class Stream:
    """The lists of one system that are read piece by piece, each of complete users.

    Rows of a user that stand together are measured as they come. Where a user comes again after others, all rows are first put on
    disk, those of a user into one of many files, and then measured file by file: the numbers are the same.

    Args:
        given: A file, a folder or pattern of files, a frame that is yet to be computed.
        name: What errors call it.
        memory: How much the process may take, as ``"2GB"`` or in bytes. Default: half of what is free.
        resume: A folder that keeps what is finished, so that it need not be done again after a stop.
    """

    def __init__(self, given: Any, name: str = "rankings", *, memory: str | int | None = None, resume: Any = None) -> None:
        self.pieces = open_pieces(given, name)
        self.memory = bytes_of(memory)
        self.resume = None if resume is None else Path(resume)
        self.is_grouped = self.pieces.can_be_read_again  # if it cannot, it would be too late to learn that it is not
        self.only: CodedLists | None = None  # once they were read: all lists, if they came in one piece
        if self.resume is not None and not self.pieces.paths:
            raise InputError(f"{self.pieces.name}: ", Option("resume"), " needs files: only they can be read from any position")

    @property
    def name(self) -> str:
        return self.pieces.name

    def n_rows_at_once(self) -> int:
        """How many rows a piece may have."""
        used, left = resident_memory(), free_memory()
        limit = self.memory if self.memory is not None else used + left / 2
        room = limit - used - _BYTES_BESIDE
        if room < _FEWEST_ROWS * _BYTES_PER_ROW:
            raise InputError(
                f"{in_units(used)} of memory is in use before the first list is read, and ",
                Option("memory", in_units(limit)),
                f" leaves no room for lists; allow {in_units(used + 2 * _BYTES_BESIDE)} or more",
            )
        return int(min(_MOST_ROWS, room / _BYTES_PER_ROW))

    def lists(self, tables: Tables, reading: Reading, seen: Codes, start: Position = START, depth: int = -1) -> Iterator[StreamedLists]:
        """Lists from a position on.

        Args:
            seen: Users who are before it.
            depth: How many places of each list are needed, but for the first lists, which are whole; -1 for all.

        Raises:
            NotGrouped: A user comes again after others: set ``is_grouped`` to False, and begin again.
        """
        n_rows = self.n_rows_at_once()
        try:
            if self.is_grouped:
                yield from self._as_they_stand(tables, reading, seen, start, n_rows, depth)
            else:
                yield from self._by_disk(tables, reading, seen, start, n_rows)
        except ItemTwice as error:
            files = [self._file_of(row) for row in error.rows]
            if len(self.pieces.paths) < 2 or (None not in files and files[0] == files[1]):
                raise
            repeats = ("; ", Option("duplicates", "first"), " ignores repeats") if None in files else ()
            raise InputError(*error.args, *repeats, _ONE_SYSTEM) from None

    def _file_of(self, place: str) -> str | None:
        """The file of a row, by where that is; rows that were on disk have forgotten it."""
        files = [path for path in map(printed, self.pieces.paths) if place.startswith(f"{self.name}, {path}, ")]
        return max(files, key=len, default=None)

    def _as_they_stand(
        self, tables: Tables, reading: Reading, seen: Codes, start: Position, n_rows: int, depth: int
    ) -> Iterator[StreamedLists]:
        users, rows, parts, measured = WholeUsers(tables, seen), None, Parts(self.name, tables, reading), 0
        end, done = partial(Position, *start), 0.0
        for piece in _ahead(self.pieces.read(min(n_rows, _ROWS_AT_ONCE), start)):
            rows = CodedRows.of(piece.rows, tables)
            whole, n_held = users.add(rows)
            if parts and sum(map(len, whole)) + parts.n_places > n_rows:
                measured += parts.n_rows
                yield StreamedLists(parts.lists(), end, measured, done)
                parts.depth = depth
            for part in whole:
                parts.add(part)
            done = piece.done
            if n_held <= len(rows):  # otherwise the last user began in an earlier piece
                end = partial(piece.at, len(rows) - n_held)
        if parts:
            measured += parts.n_rows
            yield StreamedLists(parts.lists(), end, measured, done)
        if (rest := users.rest()) is not None:
            end = partial(Position, len(self.pieces.paths))
            yield StreamedLists(rest.lists(self.name, tables, reading), end, measured + len(rest), 1.0)
        elif rows is None and start == Position():
            raise InputError(f"{self.name}: rankings is empty")
        elif rows is not None and not len(rows) and start == Position() and not users.has_seen_any:  # a table without rows
            yield StreamedLists(rows.lists(self.name, tables, reading), end, 0, 1.0)

    def _by_disk(self, tables: Tables, reading: Reading, seen: Codes, start: Position, n_rows: int) -> Iterator[StreamedLists]:
        with ExitStack() as stack:
            made = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="aspectrum-rows-"))) if self.resume is None else self.resume
            folder = made / "rows"
            buckets, codes, notices = self._distributed(folder, tables, reading, n_rows)
            measured, sizes = 0, buckets.sizes
            notices = notices if start == START else []  # they were said with the first part
            for number in range(start.offset, buckets.n):
                for rows, share in buckets.read(number, n_rows):
                    mine = rows.under(**codes)
                    mine = replace(mine.without(seen) if number == start.offset else mine, notices=notices)
                    notices, measured = [], measured + len(mine)
                    end = partial(Position, 0, number + (share == 1))
                    done = (sum(sizes[:number]) + share * sizes[number]) / sum(sizes)
                    yield StreamedLists(mine.lists(self.name, tables, reading), end, measured, done)
            if not sum(sizes):  # a table without rows
                yield StreamedLists(buckets.nothing(notices).lists(self.name, tables, reading), partial(Position, 0, buckets.n), 0, 1.0)

    def know_again(self, tables: Tables) -> None:
        """Give the ids of rows on disk the codes that they had, whatever was finished first: what is said of them has an order."""
        if self.resume is not None and (path := self.resume / "rows" / _IDS).exists():
            data = read_arrow(path)
            for role in ("user", "item"):
                _joined(data[role], data["untyped"][role], getattr(tables, role))

    def _distributed(self, folder: Path, tables: Tables, reading: Reading, n_rows: int) -> tuple[Buckets, dict[str, Codes], list[Notice]]:
        """All rows on disk, what their codes are in the tables, and what is to be said of them; those that are there already are taken."""
        if (folder / _IDS).exists():
            data = read_arrow(folder / _IDS)
            known = Buckets(folder, data["n"], data["roles"])
            if known.sizes == data["sizes"]:
                codes = {role: _joined(data[role], data["untyped"][role], getattr(tables, role)) for role in ("user", "item")}
                return known, codes, [Notice.from_data(one) for one in data["notices"]]
        notices: list[Notice] = []
        blocks, by, buckets = BlockCount(tables), "input", None
        with ExitStack() as stack:
            for piece in _ahead(self.pieces.read(n_rows)):
                rows = CodedRows.of(piece.rows, tables)
                if buckets is None:
                    n = 4 * len(rows) / piece.done / n_rows if piece.done else math.inf
                    lasting = self.resume is not None
                    buckets = stack.enter_context(Buckets(folder, int(min(n, 256)) + 1, tuple(rows.numbers), lasting=lasting))
                    by = order_of(piece.rows, reading)
                buckets.add(rows)
                if by == "input":
                    blocks.add(rows)
                notices += rows.notices
        if buckets is None:
            raise InputError(f"{self.name}: rankings is empty")
        notices = added([*notices, *(blocks.notices(self.name, reading) if by == "input" else [])])
        if self.resume is not None:
            ids = {role: getattr(tables, role).ids for role in ("user", "item")}
            untyped = {role: getattr(tables, role).untyped for role in ids}
            said = [one.to_data() for one in notices]
            write_arrow(
                folder / _IDS,
                {**ids, "untyped": untyped, "n": buckets.n, "roles": list(buckets.roles), "notices": said, "sizes": buckets.sizes},
            )
        return buckets, {role: np.arange(len(getattr(tables, role)), dtype=np.int32) for role in ("user", "item")}, notices


def _joined(ids: Ids, untyped: Untyped | None, table: IdTable) -> Codes:
    """The codes of ids from a file in a table, which gets to know them."""
    return SomeIds(IdTable.of(table.role, ids, untyped), np.arange(len(ids), dtype=np.int32)).within(table)


def _ahead(pieces: Iterator[T]) -> Iterator[T]:
    """The same, each read by a thread while the one before is worked on."""
    found: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=1)
    stopped = threading.Event()

    def put(kind: str, value: Any) -> bool:
        while not stopped.is_set():
            try:
                found.put((kind, value), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def read() -> None:
        try:
            for piece in pieces:
                if not put("piece", piece):
                    return
                del piece
            put("end", None)
        except BaseException as error:
            put("error", error)

    reader = threading.Thread(target=read, name="aspectrum-reader", daemon=True)
    reader.start()
    try:
        while True:
            kind, value = found.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
            del value
    finally:
        stopped.set()
        reader.join(timeout=1)  # one that waits for a silent pipe is left behind


def bytes_of(memory: str | float | None) -> int | None:
    """An amount of memory in bytes: ``"2GB"``, ``"500 MiB"``, a number.

    >>> bytes_of("1.5 GB"), bytes_of("2GiB"), bytes_of(10**9)
    (1500000000, 2147483648, 1000000000)
    """
    if memory is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", str(memory), re.IGNORECASE)
    n = int(float(found[1]) * _UNITS[found[2].lower()]) if found else 0
    if n < 1 or isinstance(memory, bool):
        raise InputError(f"memory is {quoted(memory)}, expected a size such as '2GB' or '500MiB'")
    return n


def in_units(n: float) -> str:
    """Bytes in words.

    >>> in_units(1_234_567_890)
    '1.23GB'
    """
    unit, size = next(((unit, size) for unit, size in (("GB", 1e9), ("MB", 1e6)) if n >= size), ("kB", 1e3))
    return f"{n / size:.3g}{unit}"


def resident_memory(what: str = "VmRSS") -> int:
    """How much memory the process takes; with ``VmHWM`` the most that it ever took. 0 where the system does not tell."""
    try:
        told = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"{what}:\s+(\d+) kB", told)
    return 1024 * int(found[1]) if found else 0


def streamed(given: Any, name: str, memory: str | int | None, resume: Any) -> Stream | None:
    """A stream, if lists are to be read piece by piece: as the user says, as they are many files or yet to be computed, or too large."""
    if not is_external(given):
        if resume is not None:
            raise InputError(f"{name}: ", Option("resume"), " needs files: only they can be read from any position")
        return None
    source = given if isinstance(given, Source) else Source(given)
    if memory is not None or resume is not None:
        return Stream(given, name, memory=memory, resume=resume)
    if not source.is_path:
        is_lazy = type(source.data).__name__ in ("LazyFrame", "DuckDBPyRelation", "RecordBatchReader")
        return Stream(given, name) if is_lazy else None
    if is_several(source.path):
        return Stream(given, name)
    if os.path.isfile(source.path):
        is_text = source.guessed_format in ("csv", "tsv", "jsonl", "run") and not source.path.endswith((".gz", ".zst"))
        if os.path.getsize(source.path) * (_PLAIN if is_text else _PACKED) > free_memory() / 2:
            return Stream(given, name)
    return None
