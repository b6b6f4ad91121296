"""One table of ids per role: the code of an id never changes, and what comes later gets the next codes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes
from aspectrum.coding.ids import Ids, code_objects, is_text, quoted, with_article
from aspectrum.coding.rows import IdColumn, Untyped, code_series
from aspectrum.diagnostics.notices import Either
from aspectrum.errors import InputError
from aspectrum.forks import check_polars

_WHOLE = r"^(0|-?[1-9][0-9]{0,99})$"
_PART = "a part"  # where ids stand that have codes elsewhere; their kinds were checked there, and a part need not have all of them

Named = tuple[str, IdColumn]
"""A column of ids, and the source it stands in."""


class IdTable:
    """The ids of one role (user, item, aspect) in order of first appearance.

    Ids are a polars series as long as all of them are text, or all whole numbers, and a list otherwise. Ids of text files stay
    text until it is clear whether they are numbers.
    """

    def __init__(self, role: str, columns: Sequence[Named] = ()) -> None:
        self.role = role
        self._first: tuple[str, Untyped | None] | None = None  # while ids are a series: where they stand first, and what they look like
        self._ids = Ids([])
        self._more: list[Any] = []  # series of ids that come after these
        self._index: kernels.IdIndex | None = None  # of all of them, once ids have come to those of the truth
        self._joined: dict[int, tuple[Any, Codes]] = {}  # what was joined before, with its codes
        self._token = object()
        self._origins: dict[object, int] = {}  # tables that this one is a copy of, and how many ids they had then
        self._began_as_text = False  # whether the first of these, the truth's, had ids that are text
        self._lock = threading.RLock()
        self._heads: dict[str, Named] = {}  # an id of each kind that is no text of a text file, and where it stands
        self._examples: dict[str, dict[str, Any]] = {}  # once ids are a list: by kind, an id of each source
        self.join(columns)

    @classmethod
    def of(cls, role: str, ids: Ids, untyped: Untyped | None = None) -> IdTable:
        """A table of ids that have their codes; `untyped` if they come from text files."""
        table = cls(role)
        if hasattr(ids.values, "dtype") and not isinstance(ids.values, np.ndarray):
            table.join([("codes", _distinct(ids.values, untyped))])
        table.ids = ids
        return table

    @property
    def ids(self) -> Ids:
        """By code, as they are now."""
        if self._more:
            import polars

            with self._lock:
                self._ids, self._more = Ids(polars.concat([self._ids.values, *self._more])), []
        return self._ids

    @ids.setter
    def ids(self, ids: Ids) -> None:
        self._ids, self._more, self._index = ids, [], None

    @property
    def known(self) -> Named | None:
        """The ids as a column, while they are a series."""
        return None if self._first is None else (self._first[0], _distinct(self.ids.values, self._first[1]))

    @property
    def n_first(self) -> int:
        """How many ids there were before any list was read: those of the truth."""
        return min(self._origins.values(), default=len(self))

    @property
    def untyped(self) -> Untyped | None:
        """What ids look like that may still turn out to be numbers or text, as all of them come from text files."""
        return None if self._first is None else self._first[1]

    @property
    def are_numbers(self) -> bool:
        """Whether all ids are whole numbers, and not only look like it."""
        return self._first is not None and self._first[1] is None and not is_text(self._ids.values)

    def renamed(self, ids: Ids) -> Ids:
        """Ids that were taken from here earlier, as they are called now: what looked like a number may have turned out to be text."""
        values = self.ids.values
        if not hasattr(values, "to_list") or getattr(ids.values, "dtype", None) == values.dtype:
            return ids
        kind: Any = str if is_text(values) else int
        return Ids(type(values)([kind(id) for id in ids], dtype=values.dtype))

    def __len__(self) -> int:
        return len(self._ids) + sum(map(len, self._more))

    def copy(self) -> IdTable:
        """A table that grows by itself from here on."""
        other = IdTable(self.role)
        own: dict[str, Any] = {"_token": other._token, "_lock": other._lock, "_origins": self._lineage()}
        own |= {"_ids": self.ids, "_more": [], "_index": None, "_joined": dict(self._joined), "_heads": dict(self._heads)}
        own["_began_as_text"] = self._began_as_text if self._origins else len(self) > 0 and isinstance(self.ids[0], str)
        own["_examples"] = {kind: dict(examples) for kind, examples in self._examples.items()}
        other.__dict__.update(self.__dict__ | own)
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"} | {"_joined": {}, "_index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"_lock": threading.RLock()})

    def _lineage(self) -> dict[object, int]:
        """Tables whose codes mean the same here, this one among them, and how many of their codes do."""
        return {**self._origins, self._token: len(self)}

    def has_codes_of(self, other: IdTable) -> bool:
        """Whether every code of another table means the same id here."""
        values, others = self._ids.values, other._ids.values
        if other is self or (isinstance(values, range) and isinstance(others, range) and values == others):
            return True
        mine = self._lineage()
        return any(len(other) <= min(n, mine[token]) for token, n in other._lineage().items() if token in mine)

    def codes(self, column: IdColumn) -> Codes:
        """The code of each row of a column that was joined; -1 for none."""
        joined = self.joined(column)
        if len(joined) == 0 or (joined[-1] == len(joined) - 1 and (np.diff(joined, prepend=np.int32(-1)) == 1).all()):
            return column.codes
        return np.append(joined, np.int32(-1))[column.codes]

    def joined(self, column: IdColumn) -> Codes:
        """What the own codes of a column that was joined are here."""
        return self._joined[id(column.ids)][1]

    def named(self, column: IdColumn) -> Codes:
        """The codes of the ids that a column that was joined names."""
        joined = self.joined(column)
        return joined if column.named is None else joined[column.named]

    def ordered(self, column: IdColumn) -> Ids | None:
        """The ids of a column as ties are broken by them; None if they cannot be ordered.

        Ids of a text file are numbers here if all of the column's, and all of the truth's, can be. What other lists name does not
        matter, so the order does not depend on who was read first.
        """
        ids = Ids(column.ids if self._began_as_text else settled(self.role, [("", column)])[0])
        return ids if ids.can_be_ordered else None

    def join(self, columns: Sequence[Named]) -> None:
        """Give a code to every id that has none."""
        with self._lock:
            nothing = np.empty(0, dtype=np.int32)
            self._joined |= {id(column.ids): (column.ids, nothing) for _, column in columns if len(column.ids) == 0}
            fresh = {id(column.ids): (source, column) for source, column in columns if id(column.ids) not in self._joined}
            if fresh:
                found = self._join_more(list(fresh.values())) or self._join(list(fresh.values()))
                self._joined |= {key: (column.ids, codes) for (key, (_, column)), codes in zip(fresh.items(), found, strict=True)}

    def forget(self, columns: Iterable[IdColumn]) -> None:
        """Columns that will not be asked for again; their ids stay."""
        for column in columns:
            self._joined.pop(id(column.ids), None)

    def _join_more(self, fresh: list[Named]) -> list[Codes]:
        """Codes of ids of the kind that is here already, without a look at those that are known; nothing if they are of another kind."""
        several = [] if self._first is None else [self._alike(column) for _, column in fresh]
        if not several or any(ids is None for ids in several):
            return []
        return [self._coded(ids) for ids in several]

    def codes_of(self, ids: Any) -> Codes | None:
        """Codes of a series of ids without gaps, each of which gets one; None unless they are of the kind that is here already."""
        with self._lock:
            return self._coded(ids) if self._first is not None and self._alike(_distinct(ids)) is not None else None

    def _coded(self, ids: Any) -> Codes:
        if self._index is None:
            self._index = kernels.IdIndex()
            self._index.join(self.ids.values.__arrow_c_stream__())
        try:
            codes, firsts = self._index.join(ids.__arrow_c_stream__())
            if len(firsts):
                self._more.append(ids.gather(firsts).alias(self._ids.values.name))
        except BaseException:  # such as Ctrl-C: it may know ids that the table does not
            self._index = None
            raise
        return codes

    def _alike(self, column: IdColumn) -> Any:
        """The ids of a column as those here are; None unless they are of the same kind, and leave these what they are."""
        numbers, mine = not is_text(self._ids.values), self.untyped
        if column.untyped is None:
            same = mine is None and str(getattr(column.ids, "dtype", "")) == ("Int64" if numbers else "String")
            return column.ids if same else None
        if not numbers:
            return column.ids if mine in (None, "text", column.untyped) else None
        if (mine is not None and column.untyped == "text") or not are_whole(column.ids).all():
            return None
        ids = _numbers(column.ids)
        return ids if hasattr(ids, "dtype") else None

    def _join(self, fresh: list[Named]) -> list[Codes]:
        before = [] if self.known is None else [self.known]
        heads = list(self._heads.values())
        several = settled(self.role, [*heads, *before, *fresh])[len(heads) :]
        for source, column in fresh:
            if column.untyped is None and len(column.ids):
                kind = str(getattr(column.ids, "dtype", type(column.ids[0]).__name__))
                self._heads.setdefault(kind, (source, _distinct(column.ids[:1])))
        kinds = {str(ids.dtype) if hasattr(ids, "dtype") else "any" for ids in several}
        if kinds in ({"String"}, {"Int64"}) and len(before) == bool(len(self)):
            return self._join_series(before, fresh, several)
        if len(self) == 0 and len(fresh) == 1 and fresh[0][1].named is not None:  # a table has distinct ids
            self.ids = Ids(several[0])
            return [np.arange(len(several[0]), dtype=np.int32)]
        known = Ids(several[0]) if before else self.ids
        made_numbers = self.untyped is not None and len(known) and not isinstance(known[0], str)  # by others, which are named instead
        if not self._examples and not made_numbers:
            self._note_kinds((*before, *heads, ("codes", None))[0][0], known)
        return self._join_objects(known, [(source, Ids(ids)) for (source, _), ids in zip(fresh, several[len(before) :], strict=True)])

    def _join_objects(self, known: Ids, fresh: list[tuple[str, Ids]]) -> list[Codes]:
        codes = dict(known.codes)
        found = [np.array(code_objects(self.role, source, ids, codes), dtype=np.int32) for source, ids in fresh]
        for source, ids in fresh:
            self._note_kinds(source, ids)
        _check_examples(self.role, self._examples, codes)
        self._first, self.ids = None, Ids(list(codes))
        self.ids.codes = codes
        return found

    def _note_kinds(self, source: str, ids: Ids) -> None:
        firsts: dict[type, Any] = {}
        for id in ids:
            if _is_nothing(id):
                raise InputError(f"{source}: the id of {with_article(self.role)} is missing ({'None' if id is None else 'NaN'})")
            firsts.setdefault(type(id), id)
        for kind, id in firsts.items() if source != _PART else ():
            self._examples.setdefault(_kind(kind), {}).setdefault(source, id)

    def _join_series(self, before: list[Named], fresh: list[Named], several: list[Any]) -> list[Codes]:
        import polars

        columns = [column for _, column in (*before, *fresh)]
        if len(columns) == 1:  # its ids are distinct already
            joined, parts = several[0], [np.arange(len(several[0]), dtype=np.int32)]
        else:
            codes, joined = code_series(polars.concat([ids.alias(self.role) for ids in several]))
            parts = np.split(codes, np.cumsum([len(ids) for ids in several])[:-1])[len(before) :]
        untyped: Untyped | None = None
        if not any(column.untyped is None and len(column.ids) for column in columns):
            untyped = "text" if any(column.untyped == "text" for column in columns) else "number"
        self._first, self.ids = ((before or fresh)[0][0], untyped), Ids(joined)
        return parts


class SomeIds:
    """Some ids of a table, by code. Two of the same table join without a look at the ids themselves.

    Args:
        table: The table.
        codes: The codes, each once; or, with `repeating`, those of rows, of which each counts once.
        uncoded: How many more there are, which are only counted.
    """

    def __init__(self, table: IdTable, codes: Codes, *, repeating: bool = False, uncoded: int = 0) -> None:
        self.table, self._given, self._repeating, self.uncoded = table, codes, repeating, uncoded

    @cached_property
    def codes(self) -> Codes:
        return np.flatnonzero(flags_of(self._given, len(self.table))).astype(np.int32) if self._repeating else self._given

    def __len__(self) -> int:
        return len(self.codes) + self.uncoded

    @property
    def ids(self) -> Ids:
        return self.table.ids.take(self.codes)

    def within(self, table: IdTable) -> Codes:
        """Their codes in a table, which may get to know them."""
        if table.has_codes_of(self.table):
            return self.codes
        column = _distinct(self.ids.values, self.table.untyped)
        table.join([(_PART, column)])
        codes = table.joined(column)
        table.forget([column])
        return codes

    def __add__(self, other: SomeIds) -> SomeIds:
        return SomeIds.joined([self, other])

    @staticmethod
    def joined(several: Sequence[SomeIds]) -> SomeIds:
        """Those of several parts, one after the other."""
        table = several[0].table
        codes = np.concatenate([some.within(table) for some in several])
        return SomeIds(table, codes, uncoded=sum(some.uncoded for some in several))

    def distinct(self) -> SomeIds:
        return SomeIds(self.table, self.codes, repeating=True, uncoded=self.uncoded)


def flags_of(codes: npt.NDArray[Any], n: int) -> npt.NDArray[np.bool_]:
    """One flag for each of n things, set for those that are named."""
    flags = np.zeros(n, dtype=np.bool_)
    flags[codes] = True
    return flags


def settled(role: str, columns: Sequence[Named]) -> list[Any]:
    """Distinct ids of each column, those of text files as numbers or as text."""
    given = [column.ids for _, column in columns]
    typed = [(source, column.ids) for source, column in columns if column.untyped is None and len(column.ids)]
    series = {str(ids.dtype): (source, ids[0]) for source, ids in reversed(typed) if hasattr(ids, "dtype")}
    if series.keys() >= {"Int64", "String"}:  # which never match
        raise _different(role, "numbers", series["Int64"], "text", series["String"])
    numbers = next(((source, ids[0]) for source, ids in typed if not isinstance(ids[0], str)), None)
    if any(isinstance(ids[0], str) for _, ids in typed) or (numbers is None and any(column.untyped == "text" for _, column in columns)):
        return given
    for source, column in columns:
        if column.untyped is not None:
            check_polars()
            words: Any = column.ids.filter(~are_whole(column.ids))  # type: ignore[union-attr]
            if len(words) and numbers is not None:
                raise _different(role, "numbers", numbers, "text", (source, words[0]))
            if len(words):
                return given
    return [column.ids if column.untyped is None else _numbers(column.ids) for _, column in columns]


def are_whole(texts: Any) -> Any:
    """Which of a series of texts are whole numbers."""
    return texts.str.contains(_WHOLE)


def _check_examples(role: str, examples: dict[str, dict[str, Any]], codes: dict[Any, int]) -> None:
    """Refuse kinds of ids that can never match."""
    for first, second in combinations(sorted(examples), 2):
        ones, others = examples[first], examples[second]
        if (only_first := ones.keys() - others.keys()) and (only_second := others.keys() - ones.keys()):
            here, there = min(only_first), min(only_second)
            raise _different(role, first, (here, ones[here]), second, (there, others[there]))
        for id in codes:
            twin = id.decode("utf-8", "replace") if isinstance(id, bytes) else str(id)
            if not isinstance(id, str) and twin in codes:
                raise InputError(f"{role} ids have different types: both {quoted(id)} and {quoted(twin)} are there; ", *_one_type(id))


def _different(role: str, first: str, here: tuple[str, Any], second: str, there: tuple[str, Any]) -> InputError:
    both = (f"{kind} in {source} ({quoted(id)})" for kind, (source, id) in ((first, here), (second, there)))
    return InputError(f"{role} ids have different types: {', '.join(both)}; ", *_one_type(here[1], there[1]))


def _one_type(*ids: Any) -> list[str | Either]:
    """What to do about ids of different types, such as these."""
    if any(isinstance(id, tuple) and len(id) == 2 and isinstance(id[1], Number) for id in ids):
        return ["items with numbers are given as {user: {item: number}}"]
    return ["convert one of them, ", Either("as with .astype(str) or str(id)", "so that both are text, or both are numbers")]


def _kind(kind: type) -> str:
    known = ((Number, "numbers"), (str, "text"), (bytes, "bytes"))
    return next((name for base, name in known if issubclass(kind, base)), with_article(kind.__name__))


def _distinct(ids: Any, untyped: Untyped | None = None) -> IdColumn:
    """Distinct ids without rows; those of text files as they were written."""
    return IdColumn(np.empty(0, np.int32), ids if untyped is None else ids.cast(str), untyped)


def _numbers(texts: Any) -> Any:
    """Whole numbers written as text: Int64, or numbers of Python where some are larger."""
    numbers = texts.cast(int, strict=False)
    return [int(text) for text in texts] if numbers.null_count() else numbers


def _is_nothing(id: Any) -> bool:
    """Whether an id is None, NaN or what pandas has in their place."""
    try:
        return id is None or bool(id != id)
    except TypeError:  # pandas.NA, which says neither
        return True
