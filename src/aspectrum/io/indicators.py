"""Columns of 0 and 1: tables with one column per genre, as MovieLens' u.item, are aspects or features of their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aspectrum.arrays import Flags
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError
from aspectrum.inputs import InputSpec
from aspectrum.io.columns import find_columns, is_spelling
from aspectrum.io.reading import rows_of
from aspectrum.io.source import Source
from aspectrum.io.tables import Table

if TYPE_CHECKING:
    import polars

_ONES, _ZEROS, _EMPTY = ("1", "1.0", "true"), ("0", "0.0", "false"), ("", "nan", "none", "null")
_MOST_OTHERS, _FEW_CELLS = 0.05, 20  # the largest share of other cells in a column that may yet be meant, and of how many


@dataclass(frozen=True)
class Indicators:
    """Columns that hold 0 and 1, or true and false.

    Attributes:
        flags: Where they are 1, by place.
        notices: Of empty cells, which are 0, and of columns that have other cells, too, but few.
    """

    flags: Mapping[int, Flags]
    notices: Sequence[Notice]

    @staticmethod
    def of(table: Table, places: Sequence[int]) -> Indicators:
        frame = table.fetch({str(place): place for place in places}, [])
        flags: dict[int, Flags] = {}
        notices = []
        n_empty = 0
        for place in places:
            cells = _as_text(frame[str(place)])
            ones, is_other = cells.is_in(_ONES), ~cells.is_in((*_ONES, *_ZEROS)) & cells.is_not_null()
            others = cells.filter(is_other)
            n_given = len(cells) - cells.null_count()
            if n_given > len(others) == 0:
                flags[place] = ones.fill_null(False).to_numpy()
                n_empty += cells.null_count()
            elif n_given >= _FEW_CELLS and len(others) <= _MOST_OTHERS * n_given and not others.str.contains(r"\d\.\d*[1-9]").any():
                detail = {"column": repr((table.names or ())[place])}
                notices.append(
                    Notice(
                        "almost_indicators", len(others), examples=(quoted(frame[str(place)][int(is_other.arg_max() or 0)]),), detail=detail
                    )
                )
        if n_empty:
            notices.append(Notice("empty_indicators", n_empty))
        return Indicators(flags, notices)


def _as_text(column: polars.Series) -> polars.Series:
    """Cells as lower-case text, numbers as 1.0; null where they are empty, or of a kind that is neither number nor text."""
    import polars

    if column.dtype == polars.Object:  # of several kinds
        column = polars.Series([None if cell is None else str(cell) for cell in column.to_list()], dtype=polars.String)
    elif column.dtype.is_numeric():
        column = column.cast(polars.Float64) + 0.0  # which has no sign then
    elif column.dtype not in (polars.Boolean, polars.String, polars.Categorical, polars.Enum):
        return polars.Series([None] * len(column), dtype=polars.String)
    text = column.cast(polars.String).str.strip_chars().str.to_lowercase()
    return text.set(text.is_in(_EMPTY), None)


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, like an index that pandas wrote."""
    return not name.strip() or name.startswith("Unnamed:")


def how_read(role: str, names: Sequence[str]) -> Notice:
    """How columns of 0 and 1 were read."""
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return Notice("indicators", len(names), detail={"role": role, "columns": [*map(repr, names[:10]), *more]})


def aspect_columns(source: Source, table: Table) -> Rows | None:
    """Rows item, aspect of a table with one column of 0 and 1 per aspect; None if some column holds aspects, or too few are of that kind."""
    names = table.names
    if names is None or "aspect" in source.columns or source.usual.columns.get("aspect") in names:
        return None
    if any(is_spelling("aspects", ("aspect",), name) for name in names):
        return None
    spec = InputSpec("aspects", ("item",))
    said = {role: column for role, column in source.columns.items() if role == "item"}
    item = find_columns(table.source, spec, said, names, table.width, source.usual)["item"]
    found = Indicators.of(table, [place for place, name in enumerate(names) if place != item and not is_unnamed(name)])
    if len(found.flags) < 2:  # one alone says little, and rarely is a genre
        return None
    return _as_rows(table, names, found, rows_of(Source(source.data, {"item": item + 1}, name=table.source), spec, table))


def _as_rows(table: Table, names: Sequence[str], found: Indicators, owners: Rows) -> Rows:
    """Rows for every 1; an aspect that no item has is an aspect all the same."""
    import polars

    called = [names[place] for place in found.flags]
    if len(set(called)) < len(called):
        again = next(name for place, name in enumerate(called) if name in called[:place])
        raise InputError(f"{table.source}: two columns are named {again!r}")
    rows, columns = np.nonzero(np.stack(list(found.flags.values()), axis=1))
    items = owners.ids["item"]
    return replace(
        owners,
        ids={"item": replace(items, codes=items.codes[rows]), "aspect": IdColumn(columns.astype(np.int32), polars.Series(called))},
        place=lambda row: table.place(int(rows[row])),
        notices=(*owners.notices, how_read("aspect", called), *found.notices),
    )
