"""Ids of a column, whatever kind it has: codes in order of first appearance, and the distinct ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.coding.ids import not_hashable, quoted
from aspectrum.coding.rows import code_series
from aspectrum.errors import InputError

if TYPE_CHECKING:
    import polars

Refuse = Callable[[int, str], InputError]
"""The error for a row, given what is wrong there."""


def code_column(role: str, column: polars.Series, refuse: Refuse) -> tuple[Codes, Any]:
    """Codes, -1 where there is no id, and the distinct ids: a series of text or whole numbers, or a list of anything else."""
    import polars

    column = _plain(role, column, refuse)
    if column.dtype not in (polars.String, polars.Int64):
        return _code_objects(role, column, refuse)
    if column.dtype == polars.String and (column == "").any():
        column = column.set(column == "", None)
    return code_series(column)


def _plain(role: str, column: polars.Series, refuse: Refuse) -> polars.Series:
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
            raise refuse(row, f"the {role} is {column[row]!r}, and {kind} does not tell such numbers apart; expected whole numbers or text")
    if kind.is_numeric():
        whole = column.cast(polars.Int64, strict=False)
        if whole.null_count() == column.null_count() and (kind.is_integer() or (whole.cast(kind) == column).fill_null(True).all()):
            return whole
    return column


def _code_objects(role: str, column: polars.Series, refuse: Refuse) -> tuple[Codes, list[Any]]:
    import polars

    codes: list[int] = []
    known: dict[Any, int] = {}
    is_flag = column.dtype == polars.Boolean and role not in ("user", "item")
    for row, given in enumerate(column.to_list()):
        id = given.item() if isinstance(given, np.generic) else given
        if isinstance(id, bool) and not is_flag:  # which Python takes for 1 or 0
            raise refuse(row, f"the {role} is {str(id).lower()}, expected text or a whole number")
        if id is None or id != id or (isinstance(id, str) and not id):
            codes.append(-1)
            continue
        try:
            if isinstance(id, str):
                id.encode()
            codes.append(known.setdefault(id, len(known)))
        except TypeError:
            raise refuse(row, not_hashable(role, id)) from None
        except UnicodeEncodeError:
            raise refuse(row, f"the {role} {quoted(id)} holds an unpaired surrogate, which is no text") from None
    return np.array(codes, dtype=np.int32), list(known)
