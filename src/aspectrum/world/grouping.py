"""Rows that come in pieces, as lists of complete users: as they stand where they are grouped by user, else by way of the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import Rows
from aspectrum.coding.table import flags_of
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError, OutputError
from aspectrum.world.building import CodedLists, Tables, lists_of_codes

_MOST_BUCKETS = 256  # files that are open at once
_NO_ITEM = np.int32(-1)  # stands for an empty list


class NotGrouped(Exception):
    """A user comes again after others."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where rows stand, in words, of one piece after the other.

    Args:
        pieces: Of each piece, how many rows are of it, which of its rows is the first of these, and where its rows stand.
    """

    pieces: tuple[tuple[int, int, Callable[[int], str]], ...]

    def __call__(self, row: int) -> str:
        for n, first, place in self.pieces:
            if row < n:
                return place(first + row)
            row -= n
        raise IndexError(row)

    def __add__(self, other: Places) -> Places:
        return Places((*self.pieces, *other.pieces))

    def after(self, n_rows: int) -> Places:
        """Those of all rows but so many; a piece that has none of them is forgotten."""
        kept = []
        for n, first, place in self.pieces:
            if n > n_rows:
                kept.append((n - max(0, n_rows), first + max(0, n_rows), place))
            n_rows -= n
        return Places(tuple(kept))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of lists under the codes of tables.

    Args:
        owners: Whose lists they are, in order of appearance, also those of empty lists.
        users, items: The user and the item of each row.
        numbers: Ranks and scores.
        places: Where rows stand, in words, if anybody knows.
        notices: What a user should know of them.
    """

    owners: Codes
    users: Codes
    items: Codes
    numbers: Mapping[str, Floats]
    places: Places = Places(())
    notices: Sequence[Notice] = ()

    @staticmethod
    def of(rows: Rows, tables: Tables) -> CodedRows:
        """Rows, whose ids get their codes."""
        tables.join([rows])
        try:
            users, items = tables.user.codes(rows.ids["user"]), tables.item.codes(rows.ids["item"])
            places = Places(() if rows.place is None else ((len(rows), 0, rows.place),))
            return CodedRows(tables.user.named(rows.ids["user"]), users, items, rows.numbers, places, rows.notices)
        finally:
            tables.forget(rows)

    def __len__(self) -> int:
        return len(self.users)

    @cached_property
    def starts(self) -> Any:
        """Where the rows of another user begin."""
        return np.append(0, np.flatnonzero(self.users[1:] != self.users[:-1]) + 1)[: len(self.users)]

    def cut(self, at: int) -> tuple[CodedRows, CodedRows]:
        """The rows before a place, with all notices and empty lists, and those from there on, which are of one user."""
        later = self.users[at:][:1]
        before = {role: values[:at] for role, values in self.numbers.items()}
        after = {role: values[at:].copy() for role, values in self.numbers.items()}
        whole = CodedRows(self.owners[~np.isin(self.owners, later)], self.users[:at], self.items[:at], before, self.places, self.notices)
        return whole, CodedRows(later, self.users[at:].copy(), self.items[at:].copy(), after, self.places.after(at))

    def __add__(self, other: CodedRows) -> CodedRows:
        return CodedRows(
            np.concatenate([self.owners, other.owners[~np.isin(other.owners, self.owners)]]),
            np.concatenate([self.users, other.users]),
            np.concatenate([self.items, other.items]),
            {role: np.concatenate([values, other.numbers[role]]) for role, values in self.numbers.items()},
            self.places + other.places,
            [*self.notices, *other.notices],
        )

    def under(self, user: Codes, item: Codes) -> CodedRows:
        """The same under other codes: what each is now."""
        return replace(self, owners=user[self.owners], users=user[self.users], items=item[self.items])

    def without(self, users: Codes) -> CodedRows:
        """The same but for those of some users."""
        kept = ~np.isin(self.users, users)
        numbers = {role: values[kept] for role, values in self.numbers.items()}
        return replace(
            self, owners=self.owners[~np.isin(self.owners, users)], users=self.users[kept], items=self.items[kept], numbers=numbers
        )

    def lists(self, source: str, tables: Tables, reading: Reading) -> CodedLists:
        rows = Rows(source, {}, self.numbers, self.places if self.places.pieces else None, notices=self.notices)
        return lists_of_codes(rows, self.owners, self.users, self.items, tables, reading)


class WholeUsers:
    """Rows of complete users, from pieces whose rows are grouped by user: the last user of a piece may go on in the next.

    Args:
        tables: The ids.
        seen: Users who are complete.
    """

    def __init__(self, tables: Tables, seen: Codes) -> None:
        self._tables, self._seen = tables, flags_of(seen, len(tables.user))
        self._held: CodedRows | None = None

    def add(self, rows: CodedRows) -> tuple[CodedRows, int]:
        """The rows of users who are complete now, and how many rows of the last user are held back.

        Raises:
            NotGrouped: A user comes again after others.
        """
        rows = rows if self._held is None else self._held + rows
        n, firsts = len(self._tables.user), rows.users[rows.starts]
        if n > len(self._seen):
            self._seen = np.append(self._seen, np.zeros(n, np.bool_))  # twice as many, so that it is rarely copied
        if np.count_nonzero(flags_of(firsts, n)) < len(firsts) or self._seen[firsts].any():
            raise NotGrouped
        rows = replace(rows, owners=rows.owners[~self._seen[rows.owners]])  # an empty list adds nothing to one that is complete
        whole, self._held = rows.cut(int(rows.starts[-1])) if len(rows) else (rows, None)
        self._seen[whole.owners] = True
        return whole, 0 if self._held is None else len(self._held)

    @property
    def has_seen_any(self) -> bool:
        """Whether a user is complete."""
        return bool(self._seen.any())

    def rest(self) -> CodedRows | None:
        """The rows of the last user."""
        return self._held


class Buckets:
    """Rows on disk, those of a user together: each user belongs to one of many files.

    Args:
        folder: Where the files are.
        n: How many of them.
        roles: The numbers that rows have.
    """

    def __init__(self, folder: Path, n: int, roles: Sequence[str]) -> None:
        self.folder, self.n = folder, max(1, min(n, _MOST_BUCKETS))
        self.roles = tuple(roles)
        self._form = np.dtype([("user", "<i4"), ("item", "<i4"), *((role, "<f8") for role in self.roles)])
        self._files: list[Any] = []

    def __enter__(self) -> Buckets:
        with self._explained():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._files = [open(self._path(number), "wb") for number in range(self.n)]  # noqa: SIM115 - closed on exit
        return self

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(f"{self.folder}: rows that are to be grouped by user cannot be written: {error.strerror or error}") from None

    def __exit__(self, *_: object) -> None:
        with self._explained():
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
                file.close()

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:03}.rows"

    def add(self, rows: CodedRows) -> None:
        """Put rows into their files, after those that are there."""
        listed = flags_of(rows.users, int(rows.owners.max(initial=-1)) + 1)
        empty = rows.owners[~listed[rows.owners]]
        users = np.concatenate([rows.users, empty])
        offsets, order = kernels.group_rows(users % np.int32(self.n), self.n)
        data = np.empty(len(users), self._form)
        data["user"] = users[order]
        data["item"] = np.concatenate([rows.items, np.full(len(empty), _NO_ITEM)])[order]
        for role in self.roles:
            data[role] = np.append(rows.numbers[role], np.zeros(len(empty)))[order]
        with self._explained():
            for number, file in enumerate(self._files):
                data[offsets[number] : offsets[number + 1]].tofile(file)

    @property
    def sizes(self) -> list[int]:
        """How many bytes are in each file."""
        paths = map(self._path, range(self.n))
        return [os.path.getsize(path) if path.exists() else -1 for path in paths]

    def nothing(self, notices: Sequence[Notice]) -> CodedRows:
        """Rows, of which there are none."""
        none = np.empty(0, np.int32)
        return CodedRows(none, none, none, {role: np.empty(0) for role in self.roles}, notices=notices)

    def read(self, number: int, most: int) -> Iterator[tuple[CodedRows, float]]:
        """The rows of the users of one file, grouped by user, at most about so many at a time; and what share of it has been read."""
        if not os.path.getsize(self._path(number)):
            return
        data = np.memmap(self._path(number), self._form, "r")
        times = -(-len(data) // max(1, most))
        for turn in range(times):
            part = data if times == 1 else data[(data["user"] // self.n) % times == turn]
            among = np.ascontiguousarray(part["user"]) // np.int32(self.n)  # users of one file are so far apart
            offsets, order = kernels.group_rows(among, int(among.max(initial=-1)) + 1)
            owners = (np.flatnonzero(np.diff(offsets)) * self.n + number).astype(np.int32)
            items = np.ascontiguousarray(part["item"])[order]
            if (items == _NO_ITEM).any():
                order, items = order[items != _NO_ITEM], items[items != _NO_ITEM]
            if len(owners):
                users = among[order] * np.int32(self.n) + np.int32(number)
                numbers = {role: np.ascontiguousarray(part[role])[order] for role in self.roles}
                yield CodedRows(owners, users, items, numbers), (turn + 1) / times


class BlockCount:
    """In how many blocks the rows of users stand: where nothing but their order orders the lists, several are odd."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._last, self._times = tables, -1, np.zeros(0, np.int64)

    def add(self, rows: CodedRows) -> None:
        firsts = rows.users[rows.starts]
        firsts = firsts[1:] if len(firsts) and firsts[0] == self._last else firsts
        self._last = int(rows.users[-1]) if len(rows) else self._last
        times = np.bincount(firsts, minlength=len(self._tables.user))
        times[: len(self._times)] += self._times
        self._times = times

    def notices(self, source: str, reading: Reading) -> list[Notice]:
        """What is to be said of lists that the order of rows orders."""
        again = np.flatnonzero(self._times > 1)
        if len(again) and reading.users_in_one_block:
            raise InputError(
                f"{source}: the rows of user {quoted(self._tables.user.ids[int(again[0])])} are in several blocks, expected one; use ",
                Option("order", "score"),
                " if lists are ordered by score",
            )
        return [Notice("several_blocks", len(again))] if len(again) and reading.order == "auto" else []
