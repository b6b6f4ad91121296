"""From a table to the rows of one input: which column is what, ids to codes, numbers that are numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.errors import InputError
from aspectrum.io.columns import Wanted, find_columns
from aspectrum.io.features import read_features
from aspectrum.io.frames import as_number
from aspectrum.io.source import Source
from aspectrum.io.tables import Table, open_table
from aspectrum.io.text import TextTable
from aspectrum.world.ids import shown
from aspectrum.world.rows import IdColumn, Rows

if TYPE_CHECKING:
    import polars

_IDS = ("user", "item", "aspect", "feature")

INPUTS: Mapping[str, Wanted] = {
    wanted.input: wanted
    for wanted in (
        Wanted("rankings", ("user", "item"), ("rank", "score"), {2: ("user", "item"), 3: ("user", "item", "score")}),
        Wanted("aspects", ("item", "aspect"), ("strength",), {2: ("item", "aspect"), 3: ("item", "aspect", "strength")}),
        Wanted("relevance", ("user", "item"), ("grade",), {2: ("user", "item"), 3: ("user", "item", "grade")}),
        Wanted("history", ("user", "item"), ("grade",), {2: ("user", "item"), 3: ("user", "item", "grade")}),
        Wanted(
            "subtopics",
            ("user", "aspect", "item"),
            ("grade", "strength"),
            {
                3: ("user", "aspect", "item"),
                4: ("user", "aspect", "item", "grade"),
                5: ("user", "aspect", "item", "grade", "strength"),
            },
        ),
        Wanted("features", ("item", "feature"), ("value",), {2: ("item", "feature"), 3: ("item", "feature", "value")}),
        Wanted("weights", ("aspect", "weight"), ("user",), {2: ("aspect", "weight"), 3: ("user", "aspect", "weight")}),
        Wanted("catalogue", ("item",), (), {1: ("item",)}),
        Wanted("items", ("item",), (), {1: ("item",)}),
        Wanted("users", ("user",), (), {1: ("user",)}),
    )
}
_TREC = {
    "run": {"user": 0, "item": 2, "rank": 3, "score": 4},
    "qrels": {"user": 0, "aspect": 1, "item": 2, "grade": 3},
}


def is_external(given: Any) -> bool:
    """Whether something is a file or a frame, to be read here."""
    if isinstance(given, Source | str | os.PathLike) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "__dataframe__"):
        return True
    # Asked by name, as asking a lazy frame for its columns would set it to work.
    kinds = {kind.__name__ for kind in type(given).__mro__}
    return type(given).__module__.partition(".")[0] in ("polars", "pandas") and bool(kinds & {"DataFrame", "LazyFrame", "Series", "Index"})


def read_input(input: str, given: Any) -> Rows:
    """The rows of one input, from a path, a frame or a :class:`Source`."""
    source = given if isinstance(given, Source) else Source(given)
    wanted = INPUTS[input]
    for role in source.columns:
        if role not in wanted.roles:
            raise InputError(f"{source.named(input)}: {role!r} is no column of {input}, which has {wanted.form}")
    if source.split is not None and input not in ("aspects", "subtopics", "features"):
        raise InputError(f"{source.named(input)}: cells are to be split at {source.split!r}, and {input} has no aspects")
    if source.ids is not None and input != "features":
        raise InputError(f"{source.named(input)}: ids go with features in an npy or npz file")
    if input == "features":
        return read_features(source, wanted, rows_of)
    return rows_of(source, wanted, open_table(source, wanted))


def rows_of(source: Source, wanted: Wanted, table: Table) -> Rows:
    """Rows of a table whose columns are ids and numbers."""
    places = _places(source, wanted, table)
    if isinstance(table, TextTable) and source.split is None:
        return _text_rows(source, wanted, table, places)
    numbers = {role: _Numbers(table, role, places[role]) for role in places if role not in _IDS}
    ids = {role: _IdsOf(table, role, wanted.input) for role in places if role in _IDS}
    n_read = 0
    origins: list[npt.NDArray[Any]] = []
    for piece in table.pieces(places, list(numbers)):
        several = _one_a_row(source, wanted, table, piece, n_read)
        for role, column in ids.items():
            column.add(several.frame[role], several)
        for role, values in numbers.items():
            values.add(as_number(several.frame[role]), several)
        if several.rows is not None:
            origins.append(several.rows[several.kept] + n_read)
        n_read += piece.height
    origin = np.concatenate(origins) if origins else None
    table.close()
    values_of = {role: values.values() for role, values in numbers.items()}
    columns = {role: column.column() for role, column in ids.items()}
    if table.names is None and table.layout == "table" and "score" in values_of and "score" not in source.columns:
        _check_not_ranks(table.source, columns["user"].codes, values_of["score"])
    return Rows(table.source, columns, values_of, table.place if origin is None else lambda row: table.place(int(origin[row])))


def _text_rows(source: Source, wanted: Wanted, table: TextTable, places: Mapping[str, int]) -> Rows:
    """The same from text, whose ids are coded as they are read."""
    roles = {role: place for role, place in places.items() if role in _IDS}
    texts, values = table.coded(sorted(set(roles.values())), sorted({place for role, place in places.items() if role not in _IDS}))
    for role, place in places.items():
        bad = np.flatnonzero(texts[place][0] < 0 if role in roles else np.isnan(values[place]))
        if len(bad) and role in roles and not _may_be_missing(role, wanted.input):
            raise _missing(table, role, int(bad[0]))
        if len(bad) and role not in roles:
            raise _no_number(table, role, place, int(bad[0]))
    table.close()
    numbers = {role: values[place] for role, place in places.items() if role not in roles}
    columns = {role: IdColumn(*texts[place], table.untyped) for role, place in roles.items()}
    if table.names is None and table.layout == "table" and "score" in numbers and "score" not in source.columns:
        _check_not_ranks(table.source, columns["user"].codes, numbers["score"])
    return Rows(table.source, columns, numbers, table.place)


def _may_be_missing(role: str, input: str) -> bool:
    """A row without an aspect says that the item is known, or judged, and has none."""
    return role == "aspect" and input in ("aspects", "subtopics")


def _missing(table: Table, role: str, row: int) -> InputError:
    return InputError(f"{table.source}, {table.place(row)}: the {role} is missing")


def _no_number(table: Table, role: str, place: int, row: int) -> InputError:
    found = table.cell(row, place)
    what = "missing" if found is None else shown(found)
    return InputError(f"{table.source}, {table.place(row)}: the {role} is {what}, expected a finite number")


def _places(source: Source, wanted: Wanted, table: Table) -> dict[str, int]:
    if table.layout == "table":
        return find_columns(table.source, wanted, source.columns, table.names, table.width, source.usual)
    known = {role: place for role, place in _TREC[table.layout].items() if role in wanted.roles}
    if source.columns:
        known |= find_columns(table.source, Wanted(wanted.input, (), wanted.roles), source.columns, None, table.width)
    missing = [role for role in wanted.required if role not in known]
    if missing:
        what = "a TREC run has" if table.layout == "run" else "TREC judgments have"
        raise InputError(f"{table.source}: {what} no {missing[0]}, which {wanted.input} need")
    return known


@dataclass(frozen=True)
class _Several:
    """A piece of a table whose cells hold one thing each.

    Args:
        start: Rows of the table that came before.
        rows: The row of the piece that each row comes from; None if they are the same.
        kept: Which rows are rows. The others stand for an empty list, whose owner is to be known all the same.
    """

    frame: polars.DataFrame
    start: int
    rows: npt.NDArray[Any] | None
    kept: Any

    @property
    def is_kept(self) -> Any:
        return True if isinstance(self.kept, slice) else self.kept

    def row_of(self, row: int) -> int:
        return self.start + (row if self.rows is None else int(self.rows[row]))


def _one_a_row(source: Source, wanted: Wanted, table: Table, frame: polars.DataFrame, start: int) -> _Several:
    """Cells that hold several things, as a list or as text to split, become several rows."""
    import polars

    for role in ("aspect", "feature"):
        if source.split is not None and role in frame.columns and not _holds_lists(frame[role]):
            frame = frame.with_columns(_split(frame[role], source.split))
    owners = [role for role in ("item", "aspect", "feature") if role in frame.columns and _holds_lists(frame[role])]
    if not owners:
        return _Several(frame, start, None, slice(None))
    if len(owners) > 1:
        raise InputError(f"{table.source}: both the {owners[0]} and the {owners[1]} come as lists, expected one of them")
    lists = owners + [role for role in frame.columns if role not in _IDS and _holds_lists(frame[role])]
    frame = frame.with_columns([frame[role].arr.to_list() for role in lists if isinstance(frame.schema[role], polars.Array)])
    lengths = frame[lists[0]].list.len()
    for role in lists[1:]:
        odd = lengths.ne_missing(frame[role].list.len())
        if odd.any():
            place = table.place(start + int(odd.arg_max()))  # type: ignore[arg-type]
            raise InputError(f"{table.source}, {place}: there are not as many {role}s as {lists[0]}s")
    counts = lengths.fill_null(1).to_numpy().astype(np.int64)
    # An empty list has a row of its own here, whatever the version of polars makes of it.
    rows = np.repeat(np.arange(len(counts)), np.maximum(counts, 1))
    full = (lengths > 0).fill_null(False)
    inside = full.to_numpy()[rows]
    at = polars.Series(np.where(inside, np.cumsum(inside) - 1, -1))
    at = at.set(at < 0, None)
    columns = [frame[role].filter(full).explode().gather(at) if role in lists else frame[role].gather(rows) for role in frame.columns]
    # Who has an empty list is known all the same; a judged item without aspects is a row.
    kept = slice(None) if wanted.input == "subtopics" and owners == ["aspect"] else counts[rows] > 0
    return _Several(polars.DataFrame([column.alias(role) for role, column in zip(frame.columns, columns, strict=True)]), start, rows, kept)


def _holds_lists(column: polars.Series) -> bool:
    import polars

    return isinstance(column.dtype, polars.List | polars.Array)


def _split(column: polars.Series, separator: str) -> polars.Series:
    """Lists of what stands between separators, but for blanks; null where nothing is left."""
    import polars

    if column.dtype == polars.Object:
        column = polars.Series(column.name, [None if cell is None else str(cell) for cell in column.to_list()], dtype=polars.String)
    parts = column.cast(polars.String).str.split(separator).list.eval(polars.element().str.strip_chars())
    parts = parts.list.eval(polars.element().filter(polars.element() != ""))
    return polars.select(polars.when(parts.list.len() > 0).then(parts)).to_series().alias(column.name)


class _Numbers:
    """A column of finite numbers, piece by piece."""

    def __init__(self, table: Table, role: str, place: int) -> None:
        self._table, self._role, self._place = table, role, place
        self._pieces: list[Floats] = []

    def add(self, column: polars.Series, several: _Several) -> None:
        values = column.to_numpy()
        bad = np.flatnonzero(~np.isfinite(values) & several.is_kept)
        if len(bad):
            raise _no_number(self._table, self._role, self._place, several.row_of(int(bad[0])))
        self._pieces.append(np.ascontiguousarray(values[several.kept], dtype=np.float64))

    def values(self) -> Floats:
        values = self._pieces[0] if len(self._pieces) == 1 else np.concatenate([np.empty(0), *self._pieces])
        self._pieces.clear()
        return values


class _IdsOf:
    """A column of ids, piece by piece."""

    def __init__(self, table: Table, role: str, input: str) -> None:
        self._table, self._role = table, role
        # A row without an aspect says that the item is known, or judged, and has none.
        self._may_be_missing = role == "aspect" and input in ("aspects", "subtopics")
        self._coder = kernels.IdCoder()
        self._codes: list[Codes] = []
        self._ids: list[polars.Series] = []
        self._objects: dict[Any, int] = {}

    def add(self, column: polars.Series, several: _Several) -> None:
        import polars

        column = self._plain(column, several)
        if column.dtype not in (polars.String, polars.Int64):
            codes = self._code_objects(column, several)
        else:
            if column.dtype == polars.String and (column == "").any():
                column = column.set(column == "", None)
            codes, firsts = self._coder.code(column.__arrow_c_stream__())
            self._ids.append(column.gather(firsts))
        missing = np.flatnonzero((codes < 0) & several.is_kept)
        if len(missing) and not self._may_be_missing:
            raise self._error(several, int(missing[0]), f"the {self._role} is missing")
        self._codes.append(codes[several.kept])

    def _plain(self, column: polars.Series, several: _Several) -> polars.Series:
        """Text as String, whole numbers as Int64 where they fit, anything else as it is."""
        import polars

        kind = column.dtype
        if isinstance(kind, polars.Categorical | polars.Enum | polars.Null):
            return column.cast(polars.String)
        if kind.is_float():
            column = column.fill_nan(None)
            limit = 2.0**53 if kind == polars.Float64 else 2.0**24 if kind == polars.Float32 else 2.0**11
            vague = ~(column.abs() <= limit).fill_null(True)
            if vague.any():
                row = int(vague.arg_max())  # type: ignore[arg-type]
                what = f"the {self._role} is {column[row]!r}, and {kind} does not tell such numbers apart; expected whole numbers or text"
                raise self._error(several, row, what)
        if kind.is_numeric():
            whole = column.cast(polars.Int64, strict=False)
            if whole.null_count() == column.null_count() and (kind.is_integer() or (whole.cast(kind) == column).fill_null(True).all()):
                return whole
        return column

    def _code_objects(self, column: polars.Series, several: _Several) -> Codes:
        import polars

        codes: list[int] = []
        is_flag = column.dtype == polars.Boolean and self._role not in ("user", "item")
        for row, given in enumerate(column.to_list()):
            id = given.item() if isinstance(given, np.generic) else given
            if isinstance(id, bool) and not is_flag:  # which Python takes for 1 or 0
                raise self._error(several, row, f"the {self._role} is {str(id).lower()}, expected text or a whole number")
            try:
                if isinstance(id, str):
                    id.encode()
                known = self._objects.get(id, len(self._objects))
            except TypeError:
                article = "an" if self._role[0] in "aeio" else "a"
                what = f"{shown(id)} cannot be the id of {article} {self._role}: it is not hashable"
                raise self._error(several, row, what) from None
            except UnicodeEncodeError:
                raise self._error(several, row, f"the {self._role} {shown(id)} holds half a letter, which is no text") from None
            if id is None or id != id or (isinstance(id, str) and not id):
                codes.append(-1)
            else:
                self._objects[id] = known
                codes.append(known)
        return np.array(codes, dtype=np.int32)

    def _error(self, several: _Several, row: int, what: str) -> InputError:
        return InputError(f"{self._table.source}, {self._table.place(several.row_of(row))}: {what}")

    def column(self) -> IdColumn:
        import polars

        del self._coder  # what was needed on the way gives room to what comes
        codes = self._codes[0] if len(self._codes) == 1 else np.concatenate([np.empty(0, np.int32), *self._codes])
        self._codes.clear()
        if not self._ids:
            return IdColumn(codes, list(self._objects))
        return IdColumn(codes, polars.concat(self._ids, rechunk=True), self._table.untyped)


def _check_not_ranks(source: str, users: Codes, scores: Floats) -> None:
    """A third column without a name that counts 1, 2, 3 for every user is a rank, and would turn every list around."""
    if len(scores) < 2 or not (np.isin(scores.min(), (0, 1)) and (scores == np.floor(scores)).all() and scores.max() <= len(scores)):
        return
    order = np.lexsort((scores, users))
    starts = np.append(True, np.diff(users[order]) != 0)
    steps = np.diff(scores[order])[~starts[1:]]
    counts = len(steps) > 0 and (steps == 1).all() and (scores[order][starts] == scores.min()).all()
    # Scores that count down in the file, best first, are scores.
    as_given = np.argsort(users, kind="stable")
    falls = (np.diff(scores[as_given])[~starts[1:]] < 0).all()
    if counts and not falls:
        first = scores.min()
        raise InputError(
            f"{source}: the third column counts {first:g}, {first + 1:g} ... for every user, so it looks like ranks, not scores; "
            "say --columns rankings:user=1,item=2,rank=3 (or score=3)"
        )
