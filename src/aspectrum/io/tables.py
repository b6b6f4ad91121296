"""Tables: what has columns, whether it is text, a binary file or a frame in memory."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from aspectrum.coding.rows import Untyped
from aspectrum.errors import InputError
from aspectrum.inputs import InputSpec
from aspectrum.io.files import as_text, binary_format, open_binary, read_bytes
from aspectrum.io.frames import FrameTable, Layout, read_binary, to_polars
from aspectrum.io.json_lines import JsonTable
from aspectrum.io.source import Source
from aspectrum.io.text import TextTable

if TYPE_CHECKING:
    import polars


class Table(Protocol):
    """Columns that can be fetched by place."""

    source: str
    names: Sequence[str] | None
    width: int
    untyped: Untyped | None
    layout: Layout

    def fetch(self, places: Mapping[str, int], numbers: Sequence[str]) -> polars.DataFrame:
        """Columns by role, as they are; those in `numbers` may come as numbers."""

    def __len__(self) -> int:
        """How many rows, once they were fetched."""

    def cell(self, row: int, place: int) -> Any:
        """What stands in one cell."""

    def place(self, row: int) -> str:
        """Where a row stands, in words."""

    def vectors(self) -> list[int]:
        """Places of the columns that hold lists of numbers."""

    def is_number(self, place: int) -> bool:
        """Whether a column holds numbers, as far as can be seen without reading it."""

    def close(self) -> None:
        """Give back the room that the text takes; it is read again should an error have to name a line."""


def open_table(source: Source, spec: InputSpec) -> Table:
    """A table from a file or a frame."""
    name = source.named(spec.name)
    if not source.is_path:
        return FrameTable(name, to_polars(name, source.data))
    format = source.guessed_format
    if format in ("npz", "npy"):
        raise InputError(f"{name}: holds arrays, which only features can come as")
    if format == "graphml":
        raise InputError(f"{name}: is a graph, which only the links of a social network can come as")
    if format in (None, "parquet", "arrow") and (file := open_binary(source.path)) is not None:
        with file:
            return FrameTable(name, read_binary(name, file, format))
    data = read_bytes(source.path, name)
    if not data or data.isspace():
        raise InputError(f"{name}: the file is empty")
    if format in ("parquet", "arrow") or (format is None and binary_format(data[:6])):
        return FrameTable(name, read_binary(name, io.BytesIO(data), format))
    text = as_text(name, data)
    del data
    if not text or text.isspace():
        raise InputError(f"{name}: the file is empty")
    if format == "jsonl" or (format is None and text[:1000].lstrip()[:1] == b"{"):
        return JsonTable(name, text)
    if source.path.lower().endswith(".json"):
        raise InputError(f"{name}, line 1: is not a JSON object; expected JSON Lines: one object per line, without brackets around them")
    return TextTable(name, text, spec, source, format)
