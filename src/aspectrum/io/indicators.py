"""Columns of 0 and 1: tables with one column per genre, as MovieLens' u.item, are aspects or features of their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aspectrum.arrays import Flags
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

_WORDS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


def indicators(table: Table, places: Sequence[int]) -> dict[int, Flags]:
    """Those of the columns that hold 0 and 1, or true and false, and nothing else."""
    frame = table.fetch({str(place): place for place in places}, [])
    found = {place: _flags(frame[str(place)]) for place in places}
    return {place: flags for place, flags in found.items() if flags is not None}


def _flags(column: polars.Series) -> Flags | None:
    import polars

    if column.dtype == polars.Object or column.dtype.is_nested():
        return None
    distinct = column.unique().to_list()
    words = {str(value).casefold() for value in distinct}
    if not words or not words <= _WORDS.keys():
        return None
    return column.is_in([value for value in distinct if _WORDS[str(value).casefold()]]).to_numpy()


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, like an index that pandas wrote."""
    return not name.strip() or name.startswith("Unnamed:")


def noticed(role: str, names: Sequence[str]) -> Notice:
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
    flags = indicators(table, [place for place, name in enumerate(names) if place != item and not is_unnamed(name)])
    if len(flags) < 2:  # one alone says little, and rarely is a genre
        return None
    return _as_rows(table, names, flags, rows_of(Source(source.data, {"item": item + 1}, name=table.source), spec, table))


def _as_rows(table: Table, names: Sequence[str], flags: Mapping[int, Flags], owners: Rows) -> Rows:
    """Rows for every 1; an aspect that no item has is an aspect all the same."""
    import polars

    called = [names[place] for place in flags]
    if len(set(called)) < len(called):
        again = next(name for place, name in enumerate(called) if name in called[:place])
        raise InputError(f"{table.source}: two columns are named {again!r}")
    rows, columns = np.nonzero(np.stack(list(flags.values()), axis=1))
    items = owners.ids["item"]
    return replace(
        owners,
        ids={"item": replace(items, codes=items.codes[rows]), "aspect": IdColumn(columns.astype(np.int32), polars.Series(called))},
        place=lambda row: table.place(int(rows[row])),
        notices=(*owners.notices, noticed("aspect", called)),
    )
