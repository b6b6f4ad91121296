"""Small tables beside an evaluation: attributes of users, titles of items. A row per id, columns by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.forks import check_polars

if TYPE_CHECKING:
    import polars


def read_side_table(given: Any, what: str) -> tuple[str, polars.DataFrame]:
    """A file (Parquet, CSV or TSV) or a frame, and what messages call it."""
    import polars

    check_polars()
    is_file = isinstance(given, str | os.PathLike)
    name = os.fspath(given) if is_file else what
    try:
        if not is_file:
            return name, polars.DataFrame(given)
        extension = os.path.splitext(name)[1].lower()
        if extension in (".parquet", ".pq"):
            return name, polars.read_parquet(name)
        return name, polars.read_csv(name, separator="\t" if extension == ".tsv" else ",", infer_schema_length=None)
    except (OSError, polars.exceptions.PolarsError, ValueError, TypeError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{name}: file not found") from None
        raise InputError(f"{name}: cannot be read as {what}: {str(error).splitlines()[0]}") from None


def check_ids(name: str, ids: polars.Series, role: str) -> None:
    """One row per id."""
    twice = ids.filter(ids.is_duplicated())
    if len(twice):
        raise InputError(f"{name}: {role} {quoted(twice[0])} has several rows, expected one")


def read_titles(given: Any) -> dict[Any, str]:
    """What items are called: ``{item: title}``, or a file or frame with a column of items and one of titles."""
    from aspectrum.io.columns import plain, usual_column

    if isinstance(given, dict):
        return {item: str(title) for item, title in given.items()}
    name, frame = read_side_table(given, "titles")
    item = usual_column("item", frame.columns)
    called = [column for column in frame.columns if column != item and plain(column) in ("title", "titles", "name", "names", "label")]
    others = called or [column for column in frame.columns if column != item]
    if item is None or not others:
        found = ", ".join(map(repr, frame.columns))
        raise InputError(f"{name}: expected a column of items and one of titles, as item,title; columns are {found}")
    frame = frame.select(item, others[0]).unique(maintain_order=True)  # a row per genre says the same
    check_ids(name, frame[item], "item")
    titles = zip(frame[item].to_list(), frame[others[0]].to_list(), strict=True)
    return {id: str(title) for id, title in titles if title is not None}
