"""Tables: what has columns, whether it is text, a binary file or a frame in memory."""

from __future__ import annotations

import io

from aspectrum.errors import InputError
from aspectrum.forks import check_polars
from aspectrum.inputs import InputSpec
from aspectrum.io.files import as_text, binary_format, check_readable, open_binary, read_bytes
from aspectrum.io.frames import FrameTable, index_of, read_binary, to_polars
from aspectrum.io.json_lines import JsonTable
from aspectrum.io.json_numbers import json_numbers
from aspectrum.io.json_runs import JsonRun, json_run
from aspectrum.io.source import Source
from aspectrum.io.text import TextTable

Table = TextTable | FrameTable
"""Columns that can be fetched by place."""


def open_table(source: Source, spec: InputSpec) -> Table:
    """A table from a file or a frame."""
    found = open_lists(source, spec, with_runs=False)
    assert not isinstance(found, JsonRun)
    return found


def open_lists(source: Source, spec: InputSpec, *, with_runs: bool = True) -> Table | JsonRun:
    """The same, or the lists of a JSON file."""
    name = source.named(spec.name)
    check_polars()
    if not source.is_path:
        return FrameTable(name, to_polars(name, source.data), index_of(source.data))
    format = source.guessed_format
    if format in ("npz", "npy"):
        raise InputError(f"{name}: holds arrays, which only features can come as")
    if format == "graphml":
        raise InputError(f"{name}: is a graph, which only the links of a social network can come as")
    if format in (None, "parquet", "arrow") and (file := open_binary(source.path)) is not None:
        with file:
            return FrameTable(name, read_binary(name, file, format))
    data = read_bytes(source.path, name)
    empty = InputError(f"{name}: the file is empty")
    if not data or data.isspace():
        raise empty
    if format in ("parquet", "arrow") or (format is None and binary_format(data[:6])):
        return FrameTable(name, read_binary(name, io.BytesIO(data), format))
    check_readable(name, data)
    text = as_text(name, data)
    del data
    if not text or text.isspace():
        raise empty
    may_be_run = with_runs and spec.trec == "run" and format in (None, "jsonl") and not source.columns
    if may_be_run and (run := json_run(source, name, text)) is not None:
        return run
    if format in (None, "jsonl") and (numbers := json_numbers(source, spec, name, text)) is not None:
        return FrameTable(name, numbers)
    if format == "jsonl" or (format is None and text[:1000].lstrip()[:1] == b"{"):
        return JsonTable(name, text)
    if source.path.lower().endswith(".json"):
        raise InputError(f"{name}, line 1: is not a JSON object; expected JSON Lines: one object per line, without brackets around them")
    return TextTable(name, text, spec, source, format)
