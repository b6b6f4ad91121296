"""From a table to the rows of one input: which column is what, ids to codes, numbers that are numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.errors import InputError
from aspectrum.io.columns import Wanted, find_columns
from aspectrum.io.features import read_features
from aspectrum.io.source import Source
from aspectrum.io.tables import Table, open_table
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
    return type(given).__module__.partition(".")[0] in ("polars", "pandas") and hasattr(given, "columns")


def read_input(input: str, given: Any) -> Rows:
    """The rows of one input, from a path, a frame or a :class:`Source`."""
    source = given if isinstance(given, Source) else Source(given)
    wanted = INPUTS[input]
    for role in source.columns:
        if role not in wanted.roles and input != "features":
            raise InputError(f"{source.named(input)}: {role!r} is no column of {input}, which has {wanted.form}")
    if input == "features":
        return read_features(source, wanted, rows_of)
    return rows_of(source, wanted, open_table(source, wanted))


def rows_of(source: Source, wanted: Wanted, table: Table) -> Rows:
    """Rows of a table whose columns are ids and numbers."""
    places = _places(source, wanted, table)
    numbers = {role: _Numbers(table, role, places[role]) for role in places if role not in _IDS}
    ids = {role: _IdsOf(table, role, wanted.input) for role in places if role in _IDS}
    n_read = 0
    cells: list[npt.NDArray[Any]] = []
    for piece in table.pieces(places, list(numbers)):
        rows: npt.NDArray[Any] | None = None
        if wanted.input in ("aspects", "subtopics"):
            piece, rows = _one_aspect_a_row(source, piece)  # noqa: PLW2901
        if rows is not None:
            cells.append(rows + n_read)
        row_of = lambda row, start=n_read, rows=rows: start + (row if rows is None else int(rows[row]))  # type: ignore[misc]
        for role, column in (numbers | ids).items():
            column.add(piece[role], row_of)
        n_read += piece.height if rows is None else int(rows[-1]) + 1 if len(rows) else 0
    split = np.concatenate(cells) if cells else None
    table.close()
    values = {role: column.values() for role, column in numbers.items()}
    columns = {role: column.column() for role, column in ids.items()}
    if table.names is None and table.layout == "table" and "score" in values and "score" not in source.columns:
        _check_not_ranks(table.source, columns["user"].codes, values["score"])
    return Rows(table.source, columns, values, table.place if split is None else lambda row: table.place(int(split[row])))


def _places(source: Source, wanted: Wanted, table: Table) -> dict[str, int]:
    if table.layout == "table":
        return find_columns(table.source, wanted, source.columns, table.names, table.width, source.usual)
    known = _TREC[table.layout]
    missing = [role for role in wanted.required if role not in known]
    if missing:
        raise InputError(
            f"{table.source}: {'a TREC run has' if table.layout == 'run' else 'TREC judgments have'} no {missing[0]}, which {wanted.input} need"
        )
    return {role: place for role, place in known.items() if role in wanted.roles}


def _one_aspect_a_row(source: Source, frame: polars.DataFrame) -> tuple[polars.DataFrame, npt.NDArray[Any] | None]:
    """Cells that hold several aspects, as a list or as text to split, become several rows; and the row each comes from."""
    import polars

    kind = frame["aspect"].dtype
    several = isinstance(kind, polars.List | polars.Array)
    if not several and source.split is None:
        return frame, None
    aspect = polars.col("aspect")
    if source.split is not None and not several:
        aspect = aspect.cast(polars.String).str.split(source.split).list.eval(polars.element().str.strip_chars())
    elif isinstance(kind, polars.Array):
        aspect = aspect.arr.to_list()
    frame = frame.with_row_index("row").with_columns(aspect).explode("aspect")
    return frame.drop("row"), frame["row"].to_numpy().astype(np.int64)


class _Numbers:
    """A column of finite numbers, piece by piece."""

    def __init__(self, table: Table, role: str, place: int) -> None:
        self._table, self._role, self._place = table, role, place
        self._pieces: list[Floats] = []

    def add(self, column: polars.Series, row_of: Callable[[int], int]) -> None:
        values = column.to_numpy()
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row = row_of(int(bad[0]))
            found = self._table.cell(row, self._place)
            raise InputError(
                f"{self._table.source}, {self._table.place(row)}: the {self._role} is {'missing' if found is None else shown(found)}, "
                "expected a finite number"
            )
        self._pieces.append(np.ascontiguousarray(values, dtype=np.float64))

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

    def add(self, column: polars.Series, row_of: Callable[[int], int]) -> None:
        import polars

        column = _plain_ids(column)
        missing = column.is_null()
        if column.dtype == polars.String:
            missing = missing | (column == "").fill_null(False)
        if missing.any():
            if not self._may_be_missing:
                row = row_of(int(missing.arg_max()))  # type: ignore[arg-type]
                raise InputError(f"{self._table.source}, {self._table.place(row)}: the {self._role} is missing")
            if column.dtype == polars.String:
                column = column.set(missing, None)
        if column.dtype in (polars.String, polars.Int64):
            codes, firsts = self._coder.code(column.__arrow_c_stream__())
            self._codes.append(codes)
            self._ids.append(column.gather(firsts))
        else:
            self._codes.append(self._code_objects(column, row_of))

    def _code_objects(self, column: polars.Series, row_of: Callable[[int], int]) -> Codes:
        codes: list[int] = []
        for row, id in enumerate(column.to_list()):
            try:
                codes.append(-1 if id is None else self._objects.setdefault(id, len(self._objects)))
            except TypeError:
                place = self._table.place(row_of(row))
                raise InputError(
                    f"{self._table.source}, {place}: {shown(id)} cannot be the id of a {self._role}: it is not hashable"
                ) from None
        return np.array(codes, dtype=np.int32)

    def column(self) -> IdColumn:
        import polars

        del self._coder  # what was needed on the way gives room to what comes
        codes = self._codes[0] if len(self._codes) == 1 else np.concatenate([np.empty(0, np.int32), *self._codes])
        self._codes.clear()
        if not self._ids:
            return IdColumn(codes, list(self._objects))
        return IdColumn(codes, polars.concat(self._ids, rechunk=True), self._table.untyped)


def _plain_ids(column: polars.Series) -> polars.Series:
    """Text as String, whole numbers as Int64 where they fit, anything else as it is."""
    import polars

    kind = column.dtype
    if isinstance(kind, polars.Categorical | polars.Enum):
        return column.cast(polars.String)
    if kind.is_integer():
        fits = column.cast(polars.Int64, strict=False)
        return fits if fits.null_count() == column.null_count() else column
    if kind.is_float():
        column = column.fill_nan(None)
        whole = column.cast(polars.Int64, strict=False)
        same = (whole.cast(kind) == column).fill_null(True).all() and whole.null_count() == column.null_count()
        return whole if same else column
    if kind == polars.Null:
        return column.cast(polars.String)
    return column


def _check_not_ranks(source: str, users: Codes, scores: Floats) -> None:
    """A third column without a name that counts 1, 2, 3 for every user is a rank, and would turn every list around."""
    if len(scores) < 2 or scores.min() < 0 or not (scores == np.floor(scores)).all():
        return
    starts = np.append(True, users[1:] != users[:-1])
    first = scores[starts]
    steps = np.diff(scores)[~starts[1:]]
    if len(steps) and (steps == 1).all() and (first == first[0]).all() and first[0] in (0, 1):
        raise InputError(
            f"{source}: the third column counts {first[0]:g}, {first[0] + 1:g} ... for every user, so it looks like ranks, not scores; "
            "say --columns rankings:user=1,item=2,rank=3 (or score=3)"
        )
