"""One table of ids per role: the code of an id never changes, and what comes later gets the next codes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes
from aspectrum.coding.ids import PART, Codebook, Ids, quoted
from aspectrum.coding.rows import IdColumn, Untyped, code_series
from aspectrum.errors import InputError

_WHOLE = r"^(0|-?[1-9][0-9]{0,99})$"

Named = tuple[str, IdColumn]
"""A column of ids, and the source it stands in."""


class IdTable:
    """The ids of one role (user, item, aspect) in order of first appearance.

    Ids are a polars series as long as all of them are text, or all whole numbers; anything else goes by a codebook. Ids of text
    files stay text until it is clear whether they are numbers.
    """

    def __init__(self, role: str, columns: Sequence[Named] = ()) -> None:
        self.role = role
        self._known: Named | None = None
        self._book: Codebook | None = None
        self._book_is_shared = False
        self._ids = Ids([])
        self._joined: dict[int, tuple[Any, Codes]] = {}  # what was joined before, with its codes
        self._token = object()
        self._origins: dict[object, int] = {}  # tables that this one is a copy of, and how many ids they had then
        self._lock = threading.RLock()
        self._first: set[int] = set()
        self._heads: dict[str, Named] = {}  # an id of each kind that is no text of a text file, and where it stands
        if columns:
            self.join(columns)

    @classmethod
    def of(cls, role: str, ids: Ids, untyped: Untyped | None = None) -> IdTable:
        """A table of ids that have their codes; `untyped` if they come from text files."""
        table = cls(role)
        if hasattr(ids.values, "dtype") and not isinstance(ids.values, np.ndarray):
            values = ids.values if untyped is None else _texts(ids.values)
            table.join([("codes", IdColumn(np.empty(0, np.int32), values, untyped))])
        table._ids = ids
        return table

    @property
    def untyped(self) -> Untyped | None:
        """What ids look like that may still turn out to be numbers or text, as all of them come from text files."""
        return None if self._known is None else self._known[1].untyped

    def renamed(self, ids: Ids) -> Ids:
        """Ids that were taken from here earlier, as they are called now: what looked like a number may have turned out to be text."""
        values = self._ids.values
        if not hasattr(values, "to_list") or getattr(ids.values, "dtype", None) == values.dtype:
            return ids
        import polars

        kind = str if values.dtype == polars.String else int
        return Ids(polars.Series([kind(id) for id in ids], dtype=values.dtype))  # type: ignore[call-overload]

    @property
    def ids(self) -> Ids:
        """The ids by code, as they are now."""
        return self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def copy(self) -> IdTable:
        """A table that grows by itself from here on."""
        other = IdTable(self.role)
        own: dict[str, Any] = {"_token": other._token, "_lock": other._lock, "_origins": self._lineage()}
        own |= {"_joined": dict(self._joined), "_heads": dict(self._heads), "_first": set(self._first)}
        self._book_is_shared = True  # whoever grows first copies it
        other.__dict__.update(self.__dict__ | own)
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"} | {"_joined": {}, "_first": set()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"_lock": threading.RLock()})

    def _lineage(self) -> dict[object, int]:
        """Tables whose codes mean the same here, this one among them, and how many of their codes do."""
        return {**self._origins, self._token: len(self)}

    def has_codes_of(self, other: IdTable) -> bool:
        """Whether every code of another table means the same id here."""
        values, others = self.ids.values, other.ids.values
        if other is self or (isinstance(values, range) and isinstance(others, range) and values == others):
            return True
        mine = self._lineage()
        return any(len(other) <= min(n, mine[token]) for token, n in other._lineage().items() if token in mine)

    def codes(self, column: IdColumn) -> Codes:
        """The code of each row of a column that was joined; -1 for none."""
        joined = self.joined(column)
        if len(joined) == 0 or (joined[-1] == len(joined) - 1 and id(column.ids) in self._first):
            return column.codes
        return np.append(joined, np.int32(-1))[column.codes]

    def joined(self, column: IdColumn) -> Codes:
        """What the own codes of a column that was joined are here."""
        return self._joined[id(column.ids)][1]

    def named(self, column: IdColumn) -> Codes:
        """The codes of the ids that a column that was joined names."""
        joined = self.joined(column)
        return joined if column.named is None else joined[column.named]

    def join(self, columns: Sequence[Named]) -> None:
        """Give a code to every id that has none."""
        with self._lock:
            self._join_columns(columns)

    def _join_columns(self, columns: Sequence[Named]) -> None:
        nothing = np.empty(0, dtype=np.int32)
        self._joined |= {id(column.ids): (column.ids, nothing) for _, column in columns if len(column.ids) == 0}
        fresh = {id(column.ids): (source, column) for source, column in columns if id(column.ids) not in self._joined}
        if fresh:
            several = list(fresh.values())
            if len(self) == 0:  # of the first ids, those of the first column keep the codes that they have
                self._first = {next(iter(fresh))}
            found = self._join(several)
            self._joined |= {key: (column.ids, codes) for (key, (_, column)), codes in zip(fresh.items(), found, strict=True)}

    def forget(self, columns: Iterable[IdColumn]) -> None:
        """Columns that will not be asked for again; their ids stay."""
        for column in columns:
            self._joined.pop(id(column.ids), None)
            self._first.discard(id(column.ids))

    def _join(self, fresh: list[Named]) -> list[Codes]:
        before = [] if self._known is None else [self._known]
        self._source = next((source for source, _ in self._heads.values()), "codes")  # of ids that are known already
        heads = list(self._heads.values())
        _check_kinds(self.role, [*heads, *before, *fresh])
        several = settled(self.role, [*heads, *before, *fresh])[len(heads) :]
        for source, column in fresh:
            if column.untyped is None and len(column.ids):
                kind = str(getattr(column.ids, "dtype", type(column.ids[0]).__name__))
                self._heads.setdefault(kind, (source, IdColumn(np.empty(0, np.int32), column.ids[:1])))
        kinds = {str(ids.dtype) if hasattr(ids, "dtype") else "any" for ids in several}
        if self._book is None and kinds in ({"String"}, {"Int64"}) and len(before) == bool(len(self)):
            return self._join_series(before, fresh, several)
        return self._join_objects(before, fresh, several)

    def _join_objects(self, before: list[Named], fresh: list[Named], several: list[Any]) -> list[Codes]:
        if self._book is None and len(self) == 0 and len(fresh) == 1 and fresh[0][1].named is not None:  # a table has distinct ids
            self._ids = Ids(several[0])
            return [np.arange(len(several[0]), dtype=np.int32)]
        if self._book is None:
            self._book = Codebook(self.role)
            self._book.codes(several[0].to_list() if before else self._ids, before[0][0] if before else self._source)
        elif self._book_is_shared:
            self._book = self._book.copy()
        self._book_is_shared = False
        own = several[len(before) :]
        found = [
            self._book.codes(ids.to_list() if hasattr(ids, "to_list") else ids, source) for (source, _), ids in zip(fresh, own, strict=True)
        ]
        self._known, self._ids = None, self._book.ids()
        return found

    def _join_series(self, before: list[Named], fresh: list[Named], several: list[Any]) -> list[Codes]:
        import polars

        typed = any(column.untyped is None and len(column.ids) for _, column in [*before, *fresh])
        if not before and len(fresh) == 1:  # ids of one column are distinct already
            joined, parts = several[0], [np.arange(len(several[0]), dtype=np.int32)]
        else:
            codes, joined = code_series(polars.concat([ids.alias(self.role) for ids in several]))
            parts = np.split(codes, np.cumsum([len(ids) for ids in several])[:-1])[len(before) :]
        untyped: Untyped | None = None
        if not typed:
            untyped = "text" if any(column.untyped == "text" for _, column in [*before, *fresh]) else "number"
        raw = joined if untyped is None else _texts(joined)
        self._known = ((before or fresh)[0][0], IdColumn(np.empty(0, np.int32), raw, untyped))
        self._ids = Ids(joined)
        return parts


class SomeIds:
    """Some ids of a table, by code. Two of the same table join without a look at the ids themselves.

    Args:
        table: The table.
        codes: The codes, each once; or, with `repeating`, those of rows, of which each counts once.
    """

    def __init__(self, table: IdTable, codes: Codes, *, repeating: bool = False) -> None:
        self.table, self._given, self._repeating = table, codes, repeating

    @cached_property
    def codes(self) -> Codes:
        return np.flatnonzero(flags_of(self._given, len(self.table))).astype(np.int32) if self._repeating else self._given

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def ids(self) -> Ids:
        return self.table.ids.take(self.codes)

    def within(self, table: IdTable) -> Codes:
        """Their codes in a table, which may get to know them."""
        if table.has_codes_of(self.table):
            return self.codes
        untyped, values = self.table.untyped, self.ids.values
        column = IdColumn(np.empty(0, np.int32), values if untyped is None else _texts(values), untyped)
        table.join([(PART, column)])
        codes = table.joined(column)
        table.forget([column])
        return codes

    def __add__(self, other: SomeIds) -> SomeIds:
        return SomeIds(self.table, np.concatenate([self.codes, other.within(self.table)]))

    def distinct(self) -> SomeIds:
        return SomeIds(self.table, self.codes, repeating=True)

    def repeated(self) -> Any:
        """An id that is there twice, or None."""
        seen = np.bincount(self.codes, minlength=0)
        again = np.flatnonzero(seen > 1)
        return self.table.ids[int(again[0])] if len(again) else None


def flags_of(codes: npt.NDArray[Any], n: int) -> npt.NDArray[np.bool_]:
    """One flag for each of n things, set for those that are named."""
    flags = np.zeros(n, dtype=np.bool_)
    flags[codes] = True
    return flags


def _check_kinds(role: str, columns: Sequence[Named]) -> None:
    """Whole numbers in one file or frame and text in another never match; files of text can be either."""
    typed: dict[str, tuple[str, Any]] = {}
    for source, column in columns:
        if column.untyped is None and hasattr(column.ids, "dtype") and len(column.ids):
            typed.setdefault(str(column.ids.dtype), (source, column.ids[0]))
    if typed.keys() >= {"Int64", "String"}:
        (here, number), (there, text) = typed["Int64"], typed["String"]
        raise InputError(f"{role} ids have different types: numbers in {here} ({quoted(number)}), text in {there} ({quoted(text)})")


def settled(role: str, columns: Sequence[Named]) -> list[Any]:
    """Distinct ids of each column, those of text files as numbers or as text."""
    if all(column.untyped is None for _, column in columns):
        return [column.ids for _, column in columns]
    typed = [(source, column.ids) for source, column in columns if column.untyped is None]
    numbers = next(((source, id) for source, ids in typed for id in ids[:1] if not isinstance(id, str)), None)
    texts = any(isinstance(id, str) for _, ids in typed for id in ids[:1])
    if texts or (numbers is None and any(column.untyped == "text" for _, column in columns)):
        return [column.ids for _, column in columns]
    for source, column in columns:
        if column.untyped is None:
            continue
        words: Any = column.ids.filter(~column.ids.str.contains(_WHOLE))  # type: ignore[union-attr]
        if len(words):
            if numbers is not None:
                raise InputError(
                    f"{role} ids have different types: numbers in {numbers[0]} ({quoted(numbers[1])}), text in {source} ({quoted(words[0])})"
                )
            return [column.ids for _, column in columns]
    return [column.ids if column.untyped is None else _numbers(column.ids) for _, column in columns]


def _texts(ids: Any) -> Any:
    """Ids of text files as they were written."""
    import polars

    return ids.cast(polars.String)


def _numbers(texts: Any) -> Any:
    """Whole numbers written as text: Int64, or numbers of Python where some are larger."""
    import polars

    numbers = texts.cast(polars.Int64, strict=False)
    return [int(text) for text in texts] if numbers.null_count() else numbers
