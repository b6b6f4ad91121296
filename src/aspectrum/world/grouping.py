"""Rows that come in pieces, as lists of complete users: as they stand where they are grouped by user, else by way of the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.coding.ids import quoted
from aspectrum.coding.reading import Input, Reading
from aspectrum.coding.rows import Rows
from aspectrum.coding.table import SomeIds, flags_of
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError, OutputError
from aspectrum.world.building import CodedLists, Tables, lists_of_codes, order_of, with_known_blanks
from aspectrum.world.rankings import Rankings

_MOST_BUCKETS = 256  # files that are open at once
_LARGE = 1 << 18  # rows of a part that is looked at by itself
_N_SAMPLED = 25  # lists of such a part that are kept whole, to tell what all are like
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

    def part(self, first: int, end: int) -> Places:
        """Those of some rows; a piece that has none of them is forgotten."""
        kept = []
        for n, at, place in self.pieces:
            low, high = max(0, first), min(n, end)
            if low < high:
                kept.append((high - low, at + low, place))
            first, end = first - n, end - n
        return Places(tuple(kept))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of lists under the codes of tables, in blocks of rows of one user.

    Args:
        owners: Whose lists they are, in order of appearance, also those of empty lists; the blocks themselves if none is empty.
        blocks: The user of each block.
        offsets: Where the rows of each block begin, and the end of the last.
        items: The item of each row.
        numbers: Ranks and scores.
        places: Where rows stand, in words, if anybody knows.
        notices: What a user should know of them.
    """

    owners: Codes
    blocks: Codes
    offsets: Offsets
    items: Codes
    numbers: Mapping[str, Floats]
    places: Places = Places(())
    notices: Sequence[Notice] = ()

    @staticmethod
    def of(rows: Rows, tables: Tables) -> CodedRows:
        """Rows, whose ids get their codes."""
        rows = with_known_blanks(rows, tables)
        more: tuple[Any, ...] = (rows.numbers, Places(() if rows.place is None else ((len(rows), 0, rows.place),)), rows.notices)
        users, items = (rows.ids[role].plain for role in ("user", "item"))
        if users is not None and items is not None:
            offsets, firsts = kernels.number_runs(users.__arrow_c_stream__())
            blocks, codes = tables.user.codes_of(type(users)(firsts)), tables.item.codes_of(items)
            if blocks is not None and codes is not None:
                return CodedRows(blocks, blocks, offsets, codes, *more)
        tables.join([rows])
        try:
            return CodedRows.of_users(
                tables.user.named(rows.ids["user"]), tables.user.codes(rows.ids["user"]), tables.item.codes(rows.ids["item"]), *more
            )
        finally:
            tables.forget(rows)

    @staticmethod
    def of_users(owners: Codes, users: Codes, items: Codes, *more: Any, **others: Any) -> CodedRows:
        """The same, given the user of each row."""
        offsets = kernels.find_runs(users)
        blocks = users[offsets[:-1]]
        return CodedRows(blocks if np.array_equal(owners, blocks) else owners, blocks, offsets, items, *more, **others)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def users(self) -> Codes:
        """The user of each row."""
        return np.repeat(self.blocks, np.diff(self.offsets))

    def some(self, start: int, stop: int) -> CodedRows:
        """Some of the blocks, without notices and empty lists."""
        first, end = int(self.offsets[start]), int(self.offsets[stop])
        blocks, numbers = self.blocks[start:stop], {role: values[first:end] for role, values in self.numbers.items()}
        offsets = self.offsets[start : stop + 1] - first
        return CodedRows(blocks, blocks, offsets, self.items[first:end], numbers, self.places.part(first, end))

    def copy(self) -> CodedRows:
        """The same with arrays of their own, so that those they are parts of can be forgotten."""
        numbers = {role: values.copy() for role, values in self.numbers.items()}
        blocks = self.blocks.copy()
        return replace(self, owners=blocks, blocks=blocks, items=self.items.copy(), numbers=numbers)

    @staticmethod
    def joined(parts: Sequence[CodedRows]) -> CodedRows:
        """Rows of different users, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        blocks, items = (np.concatenate([getattr(part, name) for part in parts]) for name in ("blocks", "items"))
        none_is_empty = all(part.owners is part.blocks for part in parts)
        return CodedRows(
            blocks if none_is_empty else np.concatenate([part.owners for part in parts]),
            blocks,
            _joined_offsets([part.offsets for part in parts]),
            items,
            {role: np.concatenate([part.numbers[role] for part in parts]) for role in parts[0].numbers},
            Places(tuple(piece for part in parts for piece in part.places.pieces)),
            [notice for part in parts for notice in part.notices],
        )

    def __add__(self, other: CodedRows) -> CodedRows:
        """These rows and those after them; the last block goes on where the next one is of the same user."""
        goes_on = int(len(self.blocks) > 0 and len(other.blocks) > 0 and self.blocks[-1] == other.blocks[0])
        blocks = np.concatenate([self.blocks, other.blocks[goes_on:]])
        owners = blocks
        if self.owners is not self.blocks or other.owners is not other.blocks:
            owners = np.concatenate([self.owners, other.owners[~np.isin(other.owners, self.owners)]])
        return CodedRows(
            owners,
            blocks,
            np.concatenate([self.offsets[:-1], other.offsets[goes_on:] + len(self)]),
            np.concatenate([self.items, other.items]),
            {role: np.concatenate([values, other.numbers[role]]) for role, values in self.numbers.items()},
            self.places + other.places,
            [*self.notices, *other.notices],
        )

    def under(self, user: Codes, item: Codes) -> CodedRows:
        """The same under other codes: what each is now."""
        blocks = user[self.blocks]
        return replace(self, owners=blocks if self.owners is self.blocks else user[self.owners], blocks=blocks, items=item[self.items])

    def without(self, users: Codes) -> CodedRows:
        """The same but for those of some users."""
        kept = ~np.isin(self.users, users)
        numbers = {role: values[kept] for role, values in self.numbers.items()}
        owners = self.owners[~np.isin(self.owners, users)]
        return CodedRows.of_users(owners, self.users[kept], self.items[kept], numbers, self.places, self.notices)

    def lists(self, source: str, tables: Tables, reading: Reading) -> CodedLists:
        """The lists of complete users."""
        rows = Rows(source, {}, self.numbers, self.places if self.places.pieces else None, notices=self.notices)
        return lists_of_codes(rows, self.owners, self.users, self.items, tables, reading)

    def in_order(self, source: str, tables: Tables, reading: Reading, depth: int) -> OrderedRows | None:
        """The same, if the rows of each user stand in the order of the list already, each item once, and nobody has an empty list.

        None also where more is to be said of ranks and scores.
        """
        by, numbers = order_of(Rows(source, {}, self.numbers), reading), self.numbers
        if self.owners is not self.blocks or (by == "input" and numbers) or (reading.breaks_ties and not tables.item.are_numbers):
            return None
        ranks, scores = (numbers["rank"] if by == "rank" else None), numbers.get("score")
        if reading.ties == "expected" and "score" not in numbers:
            return None  # of which an error will be made
        may_tie = by == "score" and not reading.breaks_ties
        found = kernels.ordered_lists(self.offsets, self.items, len(tables.item), ranks, scores, may_tie, depth)
        if found is None:
            return None
        offsets, items, tied, n_tied, named = found
        rankings, sample = Rankings(offsets, items, None if scores is None else tied.view(np.bool_)), None
        if len(items) < len(self):
            chosen = np.arange(0, len(self.blocks), -(-len(self.blocks) // _N_SAMPLED))
            sample = (self.blocks[chosen], Rankings(self.offsets, self.items).take(chosen))
        return OrderedRows(self.blocks, rankings, len(self), n_tied, by, reading.ties, np.packbits(named), sample, self.notices)


@dataclass(frozen=True, eq=False)
class OrderedRows:
    """Lists of complete users, as their rows stand; ranks and scores are no longer needed.

    Args:
        owners: Whose lists they are.
        rankings: The first places of the lists.
        n_rows: How many places all of them have.
        n_tied: How many of these have the score of the place before.
        by: What orders them.
        ties: What becomes of equal scores.
        named: Which items the lists name, a bit each.
        sample: Some of the users, and their whole lists; None if all are whole.
        notices: What a user should know of them.
    """

    owners: Codes
    rankings: Rankings
    n_rows: int
    n_tied: int
    by: str
    ties: str
    named: npt.NDArray[np.uint8]
    sample: tuple[Codes, Rankings] | None
    notices: Sequence[Notice]


class Parts:
    """Rows of complete users, in several parts, on their way to lists.

    Large parts are looked at as they come, while the cache has them; small ones are put together first, as each look costs something.

    Args:
        depth: How many places of a list are needed where its rows stand in order; -1 for all.
    """

    def __init__(self, source: str, tables: Tables, reading: Reading, depth: int = -1) -> None:
        self._source, self._tables, self._reading, self.depth = source, tables, reading, depth
        self._small: list[CodedRows] = []
        self._parts: list[CodedRows | OrderedRows] = []
        self._n_small = self._n_held = self.n_rows = 0

    @property
    def n_places(self) -> int:
        """How many places of lists are held: of those that were cut, what was left."""
        return self._n_small + self._n_held

    def __bool__(self) -> bool:
        return bool(self._small or self._parts)

    def add(self, part: CodedRows) -> None:
        """Add the rows of other users; of nobody's nothing is kept."""
        if not len(part.owners):
            return
        self.n_rows += len(part)
        if len(part) < _LARGE:
            self._small.append(part)
            self._n_small += len(part)
        if len(part) >= _LARGE or self._n_small >= _LARGE:
            self._look_at_small()
        if len(part) >= _LARGE:
            self._look_at(part)

    def _look_at_small(self) -> None:
        if self._small:
            self._look_at(CodedRows.joined(self._small))
        self._small, self._n_small = [], 0

    def _look_at(self, part: CodedRows) -> None:
        ordered = part.in_order(self._source, self._tables, self._reading, self.depth)
        self._parts.append(part if ordered is None else ordered)
        self._n_held += len(part if ordered is None else ordered.rankings.items)

    def lists(self) -> CodedLists:
        """The lists of all of them, which are then forgotten."""
        self._look_at_small()
        several = []
        for _, run in groupby(self._parts, type):
            alike: list[Any] = list(run)
            if isinstance(alike[0], OrderedRows):
                several.append(_ordered_lists(alike, self._source, self._tables))
            else:
                several.append(CodedRows.joined(alike).lists(self._source, self._tables, self._reading))
        self._parts, self._n_held, self.n_rows = [], 0, 0
        return _joined_lists(several, self._tables)


def _ordered_lists(parts: Sequence[OrderedRows], source: str, tables: Tables) -> CodedLists:
    named = np.zeros(max(len(part.named) for part in parts), np.uint8)
    for part in parts:
        named[: len(part.named)] |= part.named
    of_items = np.flatnonzero(np.unpackbits(named)).astype(np.int32)
    owners = np.concatenate([part.owners for part in parts])
    ids = {"user": SomeIds(tables.user, owners), "item": SomeIds(tables.item, of_items)}
    notices = [notice for part in parts for notice in part.notices]
    facts = Input("rankings", source, sum(part.n_rows for part in parts), ids, notices, parts[0].by, external=True)
    facts.notice_ties(sum(part.n_tied for part in parts), "expected" if parts[0].ties == "expected" else "input")
    samples = [(part.owners, part.rankings) if part.sample is None else part.sample for part in parts]
    sample = None
    if any(part.sample is not None for part in parts):
        users = SomeIds(tables.user, np.concatenate([users for users, _ in samples]))
        sample = CodedLists(_one_below_the_other([lists for _, lists in samples]), replace(facts, ids={**ids, "user": users}))
    return CodedLists(_one_below_the_other([part.rankings for part in parts]), facts, sample)


def _joined_lists(several: Sequence[CodedLists], tables: Tables) -> CodedLists:
    """Lists of different users, one after the other."""
    if len(several) == 1:
        return several[0]
    facts = Input.joined([lists.input for lists in several])
    users = SomeIds(tables.user, np.concatenate([lists.input.ids["user"].within(tables.user) for lists in several]))
    rankings = _one_below_the_other([lists.rankings for lists in several])
    sample = None
    if any(lists.sample is not None for lists in several):
        sample = _joined_lists([lists.sample or lists for lists in several], tables)
    return CodedLists(rankings, replace(facts, ids={**facts.ids, "user": users}), sample)


def _one_below_the_other(several: Sequence[Rankings]) -> Rankings:
    ties = [one.tied for one in several if one.tied is not None]
    tied = np.concatenate(ties) if len(ties) == len(several) else None
    return Rankings(_joined_offsets([one.offsets for one in several]), np.concatenate([one.items for one in several]), tied)


def _joined_offsets(several: Sequence[Offsets]) -> Offsets:
    """Offsets of all segments, one after the other."""
    lengths = np.concatenate([np.diff(offsets) for offsets in several])
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


class WholeUsers:
    """Rows of complete users, from pieces whose rows are grouped by user: the last user of a piece may go on in the next.

    Args:
        tables: The ids.
        seen: Users who are complete.
    """

    def __init__(self, tables: Tables, seen: Codes) -> None:
        self._tables, self._seen = tables, flags_of(seen, len(tables.user))
        self._held: CodedRows | None = None

    def add(self, rows: CodedRows) -> tuple[list[CodedRows], int]:
        """The rows of users who are complete now, in several parts, and how many rows of the last user are held back.

        Raises:
            NotGrouped: A user comes again after others.
        """
        n, held, first, end = len(self._tables.user), self._held, 0, len(rows.blocks)
        if n > len(self._seen):
            self._seen = np.append(self._seen, np.zeros(n, np.bool_))  # twice as many, so that it is rarely copied
        if held is not None and end and rows.blocks[0] == held.blocks[0]:
            held, first = held + rows.some(0, 1), 1
        new = flags_of(rows.blocks[first:], n)
        if (held is not None and new[held.blocks].any()) or np.count_nonzero(new) < end - first or self._seen[rows.blocks[first:]].any():
            raise NotGrouped
        complete = rows.some(first, max(first, end - 1))
        parts = [complete]
        if first < end:  # somebody else begins
            parts = [complete] if held is None else [held, complete]
            held = rows.some(end - 1, end).copy()
        owners = complete.owners
        if rows.owners is not rows.blocks:
            others = [one.blocks for one in (*parts[:-1], held) if one is not None]
            mine = np.isin(rows.owners, np.concatenate([np.empty(0, np.int32), *others]))
            owners = rows.owners[~mine]
            owners = owners[~self._seen[owners]]  # an empty list adds nothing to one that is complete
        parts[-1] = replace(complete, owners=complete.blocks if np.array_equal(owners, complete.blocks) else owners)
        for part in parts:
            self._seen[part.owners] = True
        heard = next((place for place, part in enumerate(parts) if len(part.owners)), None)  # notices go with the first lists
        if heard is not None:
            parts[heard] = replace(parts[heard], notices=[*parts[heard].notices, *rows.notices])
        elif held is not None:
            held = replace(held, notices=[*held.notices, *rows.notices])
        self._held = held
        return parts, 0 if held is None else len(held)

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
        lasting: Whether the files must outlive a power cut.
    """

    def __init__(self, folder: Path, n: int, roles: Sequence[str], *, lasting: bool = False) -> None:
        self.folder, self.n, self._lasting = folder, max(1, min(n, _MOST_BUCKETS)), lasting
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
                if self._lasting:
                    os.fsync(file.fileno())
                file.close()

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:03}.rows"

    def add(self, rows: CodedRows) -> None:
        """Put rows into their files, after those that are there."""
        if rows.owners is not rows.blocks:
            listed = flags_of(rows.blocks, int(rows.owners.max(initial=-1)) + 1)
            empty = rows.owners[~listed[rows.owners]]
            none = {role: np.zeros(len(empty)) for role in self.roles}
            rows = CodedRows.joined([rows, CodedRows.of_users(empty, empty, np.full(len(empty), _NO_ITEM), none)])
        numbers = [rows.numbers[role] for role in self.roles]
        offsets, records = kernels.bucket_rows(rows.offsets, rows.blocks, rows.items, numbers, self.n)
        data = records.view(self._form)
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
        return CodedRows(none, none, np.zeros(1, np.int64), none, {role: np.empty(0) for role in self.roles}, notices=notices)

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
                yield CodedRows.of_users(owners, users, items, numbers), (turn + 1) / times


class BlockCount:
    """In how many blocks the rows of users stand: where nothing but their order orders the lists, several are odd."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._last, self._times = tables, -1, np.zeros(0, np.int64)

    def add(self, rows: CodedRows) -> None:
        firsts = rows.blocks[1:] if len(rows) and rows.blocks[0] == self._last else rows.blocks
        self._last = int(rows.blocks[-1]) if len(rows) else self._last
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
