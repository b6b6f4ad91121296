"""One input as columns: ids as codes into the input's own ids, numbers as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.coding.ids import Codebook, Ids, shown
from aspectrum.errors import InputError

if TYPE_CHECKING:
    import polars

Untyped = Literal["number", "text"]
"""What ids of a text file become, in which 7 may be a number or text: ``number`` where every id of that role can be,
``text`` unless another input has numbers."""

_WHOLE = r"^(0|-?[1-9][0-9]{0,99})$"


@dataclass(frozen=True, eq=False)
class IdColumn:
    """Ids of one input, coded in order of first appearance.

    Args:
        codes: Which of `ids` each row has; -1 for none.
        ids: The distinct ids: a polars series of text or whole numbers, or a list of anything hashable. There may be more
            than the rows use: a user with an empty list, a genre that no item has.
        untyped: None if an id is what it is.
    """

    codes: Codes
    ids: Sequence[Any] | polars.Series
    untyped: Untyped | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """One input, whatever it came from.

    Args:
        source: What errors call it: the name of the input, or its file.
        ids: Columns of ids by role: user, item, aspect, feature.
        numbers: Columns of finite numbers: rank, score, grade, strength, weight, value.
        place: Where a row stands, in words: ``line 17``.
        matrix: For features, one vector per row.
        reading: How its columns were understood, in words.
        noticed: How many rows, or ids, had something that a user should know of.
        is_index: For features, whether they are an index of texts, whose weights always count.
    """

    source: str
    ids: Mapping[str, IdColumn]
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    place: Callable[[int], str] | None = None
    matrix: Any = None
    reading: str | None = None
    noticed: Mapping[str, int] = field(default_factory=dict)
    is_index: bool = False

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())).codes)

    def at(self, row: int) -> str:
        """Where a row stands, for errors."""
        return self.source if self.place is None else f"{self.source}, {self.place(int(row))}"


def code_series(series: polars.Series) -> tuple[Codes, polars.Series]:
    """Codes in order of first appearance, and the distinct values of a series of text or Int64; -1 where it is null."""
    codes, firsts = kernels.code_ids(series.__arrow_c_stream__())
    return codes, series.gather(firsts)


def join_ids(role: str, columns: Sequence[tuple[str, IdColumn]]) -> tuple[Ids, list[Codes]]:
    """The ids of all inputs under one coding, and what each input's own codes become.

    Args:
        role: What the ids name: user, item, aspect.
        columns: Every column of that role, with the source it stands in. Codes are given in this order.
    """
    _check_kinds(role, columns)
    several = settled(role, columns)
    kinds = {str(ids.dtype) if hasattr(ids, "dtype") else "any" for ids in several}
    if kinds in ({"String"}, {"Int64"}):
        import polars

        codes, joined = code_series(polars.concat([ids.alias(role) for ids in several]))
        return Ids(joined), np.split(codes, np.cumsum([len(ids) for ids in several])[:-1])
    codebook = Codebook(role)
    by_book = [
        codebook.codes(ids.to_list() if hasattr(ids, "to_list") else ids, source) for (source, _), ids in zip(columns, several, strict=True)
    ]
    return codebook.ids(), by_book


def _check_kinds(role: str, columns: Sequence[tuple[str, IdColumn]]) -> None:
    """Whole numbers in one file or frame and text in another never match; files of text can be either."""
    typed: dict[str, tuple[str, Any]] = {}
    for source, column in columns:
        if column.untyped is None and hasattr(column.ids, "dtype") and len(column.ids):
            typed.setdefault(str(column.ids.dtype), (source, column.ids[0]))
    if typed.keys() >= {"Int64", "String"}:
        (here, number), (there, text) = typed["Int64"], typed["String"]
        raise InputError(
            f"{role} ids never match: in {here} they are numbers ({shown(number)}), in {there} text ({shown(text)}); use one kind everywhere"
        )


def settled(role: str, columns: Sequence[tuple[str, IdColumn]]) -> list[Any]:
    """Distinct ids of each column, those of text files as numbers or as text."""
    import_needed = [column for _, column in columns if column.untyped is not None]
    if not import_needed:
        return [column.ids for _, column in columns]
    import polars

    typed = [(source, column.ids) for source, column in columns if column.untyped is None]
    numbers = next(((source, id) for source, ids in typed for id in _first(ids) if not isinstance(id, str)), None)
    texts = any(isinstance(id, str) for _, ids in typed for id in _first(ids))
    if texts or (numbers is None and any(column.untyped == "text" for column in import_needed)):
        return [column.ids for _, column in columns]
    for source, column in columns:
        if column.untyped is None:
            continue
        assert isinstance(column.ids, polars.Series)
        words = column.ids.filter(~column.ids.str.contains(_WHOLE))
        if len(words):
            if numbers is not None:
                raise InputError(
                    f"{role} ids never match: in {numbers[0]} they are numbers ({shown(numbers[1])}), "
                    f"in {source} there is {shown(words[0])}; use one kind everywhere"
                )
            return [column.ids for _, column in columns]
    return [column.ids if column.untyped is None else _numbers(column.ids) for _, column in columns]


def _numbers(texts: Any) -> Any:
    """Whole numbers written as text: Int64, or numbers of Python where some are larger."""
    import polars

    numbers = texts.cast(polars.Int64, strict=False)
    return [int(text) for text in texts] if numbers.null_count() else numbers


def _first(ids: Any) -> list[Any]:
    return list(ids[:1])
