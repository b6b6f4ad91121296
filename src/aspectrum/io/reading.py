"""From a table to the rows of one input: which column is what, ids to codes, numbers that are numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError
from aspectrum.inputs import ALL_INPUTS, NUMBERS, InputSpec
from aspectrum.io.columns import find_columns
from aspectrum.io.features import read_features
from aspectrum.io.frames import as_number
from aspectrum.io.ids import code_column
from aspectrum.io.source import Source
from aspectrum.io.tables import Table, open_table
from aspectrum.io.text import TextTable, reads_as_number

if TYPE_CHECKING:
    import polars

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
    spec = ALL_INPUTS[input]
    for role in source.columns:
        if role not in spec.roles:
            raise InputError(f"{source.named(input)}: {role!r} is not a column of {input}, which has {spec.form}")
    if source.split is not None and spec.split is None:
        raise InputError(f"{source.named(input)}: split={source.split!r} is given, but {input} has no aspects")
    if source.ids is not None and input != "features":
        raise InputError(f"{source.named(input)}: ids are for features in an npy or npz file")
    if input == "features":
        return read_features(source, spec, rows_of)
    return rows_of(source, spec, open_table(source, spec))


def rows_of(source: Source, spec: InputSpec, table: Table) -> Rows:
    """Rows of a table whose columns are ids and numbers."""
    places = _places(source, spec, table)
    if isinstance(table, TextTable) and source.split is None:
        return _text_rows(source, spec, table, places)
    numbers = [role for role in places if role in NUMBERS]
    several = _one_a_row(source, spec, table, table.fetch(places, numbers))
    table.close()
    values = {role: _finite(table, role, places[role], several) for role in numbers}
    columns = {role: _id_column(table, role, spec, several) for role in places if role not in NUMBERS}
    return _rows(spec, source, table, places, columns, values, several.place)


def _text_rows(source: Source, spec: InputSpec, table: TextTable, places: Mapping[str, int]) -> Rows:
    """The same from text, whose ids are coded as they are read."""
    roles = {role: place for role, place in places.items() if role not in NUMBERS}
    texts, values = table.coded(sorted(set(roles.values())), sorted({place for role, place in places.items() if role in NUMBERS}))
    for role, place in places.items():
        bad = np.flatnonzero(texts[place][0] < 0 if role in roles else np.isnan(values[place]))
        if len(bad) and role in roles and role not in spec.may_be_missing:
            raise _missing(table, role, int(bad[0]))
        if len(bad) and role not in roles:
            raise _no_number(table, role, place, int(bad[0]))
    table.close()
    numbers = {role: values[place] for role, place in places.items() if role not in roles}
    columns = {role: IdColumn(*texts[place], table.untyped) for role, place in roles.items()}
    return _rows(spec, source, table, places, columns, numbers, table.place)


def _rows(
    spec: InputSpec,
    source: Source,
    table: Table,
    places: Mapping[str, int],
    columns: Mapping[str, IdColumn],
    numbers: Mapping[str, Floats],
    place: Callable[[int], str],
) -> Rows:
    if table.names is None and table.layout == "table" and "score" in numbers and "score" not in source.columns:
        _check_not_ranks(table.source, columns["user"].codes, numbers["score"])
    notices = (*_understood(table, places), *_doubts(spec, source, table, places, columns), *_whitespace(columns))
    return Rows(table.source, columns, numbers, place, notices=notices)


def _understood(table: Table, places: Mapping[str, int]) -> Iterator[Notice]:
    """How the columns were understood."""
    if table.layout != "table":
        yield Notice("trec_run" if table.layout == "run" else "trec_qrels")
    elif table.names is None:
        yield Notice("positions", detail={"columns": sorted(places, key=lambda role: places[role])})
    else:
        yield Notice("columns", detail={"columns": {role: table.names[place] for role, place in places.items()}})
        unused = [repr(name) for place, name in enumerate(table.names) if place not in places.values()]
        if unused:
            more = [f"and {len(unused) - 10} more"] if len(unused) > 10 else []
            yield Notice("unused_columns", detail={"columns": [*unused[:10], *more]})


def _doubts(spec: InputSpec, source: Source, table: Table, places: Mapping[str, int], columns: Mapping[str, IdColumn]) -> Iterator[Notice]:
    """Where the columns could have been meant in another way."""
    if isinstance(table, TextTable) and not table.ends_with_a_line:
        yield Notice("no_line_end")
    if table.layout != "table" or len(table) == 0:
        return
    if table.names is not None and spec.expected and not any(role in places for role in spec.expected):
        spare = [name for place, name in enumerate(table.names) if place not in places.values() and table.is_number(place)]
        if spare:
            detail = {"missing": list(spec.expected), "column": repr(spare[0]), "role": spec.expected[-1]}
            yield Notice("unused_numbers", len(table), detail=detail)
    if isinstance(table, TextTable) and source.header is None:
        first = {"first": list(map(quoted, table.first))}
        if table.names is not None and table.width == 1:
            yield Notice("header", detail=first)
        # Names of columns are no numbers, and stand nowhere else.
        alone = all(np.count_nonzero(column.codes == column.codes[0]) == 1 for column in columns.values())
        alone = alone and not any(map(reads_as_number, table.first))
        if table.names is None and alone and len(columns) > 1 and len(columns) == table.width and len(table) > 1:
            yield Notice("no_header", detail=first)


def _whitespace(columns: Mapping[str, IdColumn]) -> Iterator[Notice]:
    """Ids that would match others but for whitespace around them."""
    import polars

    for role, column in columns.items():
        if role != "text" and isinstance(column.ids, polars.Series) and column.ids.dtype == polars.String:
            count = int((column.ids.str.strip_chars() != column.ids).sum())
            if count:
                yield Notice("whitespace", count, detail={"role": role})


def _missing(table: Table, role: str, row: int) -> InputError:
    return InputError(f"{table.source}, {table.place(row)}: the {role} is missing")


def _no_number(table: Table, role: str, place: int, row: int) -> InputError:
    found = table.cell(row, place)
    what = "missing" if found is None else quoted(found)
    return InputError(f"{table.source}, {table.place(row)}: the {role} is {what}, expected a finite number")


def _places(source: Source, spec: InputSpec, table: Table) -> dict[str, int]:
    if table.layout == "table":
        is_text = isinstance(table, TextTable)
        return find_columns(table.source, spec, source.columns, table.names, table.width, source.usual, is_text)
    known = {role: place for role, place in _TREC[table.layout].items() if role in spec.roles}
    if source.columns:
        known |= find_columns(table.source, InputSpec(spec.name, (), spec.roles), source.columns, None, table.width)
    missing = [role for role in spec.required if role not in known]
    if missing:
        what = "a TREC run has" if table.layout == "run" else "TREC judgments have"
        raise InputError(f"{table.source}: {what} no {missing[0]}, which {spec.name} need")
    return known


@dataclass(frozen=True)
class _Several:
    """A table whose cells hold one thing each.

    Args:
        origins: The row of the table that each row comes from; None if they are the same.
        kept: Which rows are rows. The others stand for an empty list, whose owner is to be known all the same.
    """

    table: Table
    frame: polars.DataFrame
    origins: npt.NDArray[Any] | None = None
    kept: npt.NDArray[Any] | None = None

    def origin(self, row: int) -> int:
        return row if self.origins is None else int(self.origins[row])

    def place(self, row: int) -> str:
        """Where a row that is kept stands."""
        return self.table.place(self.origin(row if self.kept is None else int(np.flatnonzero(self.kept)[row])))

    def among_kept(self, marks: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Rows that are marked and kept."""
        return np.flatnonzero(marks if self.kept is None else marks & self.kept)

    def keep(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return values if self.kept is None else values[self.kept]


def _one_a_row(source: Source, spec: InputSpec, table: Table, frame: polars.DataFrame) -> _Several:
    """Cells that hold several things, as a list or as text to split, become several rows."""
    import polars

    if source.split is not None and spec.split in frame.columns and not _holds_lists(frame[spec.split]):
        frame = frame.with_columns(_split(frame[spec.split], source.split))
    owners = [role for role in ("item", "aspect", "feature", "target", "community") if role in frame.columns and _holds_lists(frame[role])]
    if not owners:
        return _Several(table, frame)
    if len(owners) > 1:
        raise InputError(f"{table.source}: both the {owners[0]} and the {owners[1]} come as lists, expected one of them")
    lists = owners + [role for role in frame.columns if role in NUMBERS and _holds_lists(frame[role])]
    frame = frame.with_columns([frame[role].arr.to_list() for role in lists if isinstance(frame.schema[role], polars.Array)])
    lengths = frame[lists[0]].list.len()
    for role in lists[1:]:
        odd = lengths.ne_missing(frame[role].list.len())
        if odd.any():
            place = table.place(int(odd.arg_max()))  # type: ignore[arg-type]
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
    kept = None if spec.name == "subtopics" and owners == ["aspect"] else counts[rows] > 0
    return _Several(table, polars.DataFrame([column.alias(role) for role, column in zip(frame.columns, columns, strict=True)]), rows, kept)


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


def _finite(table: Table, role: str, place: int, several: _Several) -> Floats:
    values = as_number(several.frame[role]).to_numpy()
    bad = several.among_kept(~np.isfinite(values))
    if len(bad):
        raise _no_number(table, role, place, several.origin(int(bad[0])))
    return np.ascontiguousarray(several.keep(values), dtype=np.float64)


def _id_column(table: Table, role: str, spec: InputSpec, several: _Several) -> IdColumn:
    def refuse(row: int, what: str) -> InputError:
        return InputError(f"{table.source}, {table.place(several.origin(row))}: {what}")

    codes, ids = code_column(role, several.frame[role], refuse)
    missing = several.among_kept(codes < 0)
    if len(missing) and role not in spec.may_be_missing:
        raise refuse(int(missing[0]), f"the {role} is missing")
    return IdColumn(several.keep(codes), ids, table.untyped if hasattr(ids, "dtype") else None)


def _check_not_ranks(source: str, users: Codes, scores: Floats) -> None:
    """A third column without a name that counts up for every user is a rank, and would turn every list around."""
    if len(scores) < 2 or scores.min() < 0 or not (scores == np.floor(scores)).all():
        return
    as_given = np.argsort(users, kind="stable")
    inside = np.diff(users[as_given]) == 0
    steps = np.diff(scores[as_given])[inside]
    rises = len(steps) > 0 and (steps >= 0).all() and (steps > 0).any()
    # Rows in any order, whose numbers are 1 to n for every user; scores that count down in the file are scores.
    order = np.lexsort((scores, users))
    firsts = scores[order][np.append(True, ~inside)]
    counts = len(steps) > 0 and (np.diff(scores[order])[inside] == 1).all() and (firsts == firsts[0]).all() and firsts[0] in (0, 1)
    if rises or (counts and not (steps < 0).all()):
        raise InputError(
            f"{source}: the third column, which has no name, counts up for every user, so it looks like ranks, not scores; use ",
            Option("columns", {"user": 1, "item": 2, "rank": 3}, "rankings"),
            " (or score=3)",
        )
