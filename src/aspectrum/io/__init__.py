"""Files and frames to rows: whatever a user has on disk or in memory, with every mistake named by file and line."""

from typing import Any

from aspectrum.coding.cells import with_cells_read
from aspectrum.coding.rows import Rows
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.inputs import ALL_INPUTS, INPUTS, InputSpec
from aspectrum.io.features import read_features
from aspectrum.io.files import naming_memory
from aspectrum.io.graphs import read_graphml
from aspectrum.io.indicators import aspect_columns
from aspectrum.io.json_runs import JsonRun
from aspectrum.io.reading import rows_of
from aspectrum.io.source import FORMATS, Source, check_files, is_external
from aspectrum.io.tables import open_lists

__all__ = ["FORMATS", "INPUTS", "Source", "check_files", "is_external", "read_input"]


def read_input(input: str, given: Any) -> Rows:
    """The rows of one input, from a path, a frame or a :class:`Source`."""
    source = given if isinstance(given, Source) else Source(given)
    spec = ALL_INPUTS[input]
    for role in source.columns:
        if role not in spec.roles:
            raise InputError(f"{source.named(input)}: {role!r} is not a column of {input}, which has {spec.form}")
    if source.split is not None and spec.split is None:
        raise InputError(f"{source.named(input)}: ", Option("split", source.split), f" is given, but {input} has no aspects")
    if input != "features" and source.ids is not None:
        raise InputError(f"{source.named(input)}: ids are for features in an npy or npz file")
    with naming_memory(source.named(input)):
        rows = read_features(source) if input == "features" else _rows(input, source, spec)
        return rows if spec.split is None else with_cells_read(rows, spec.split)


def _rows(input: str, source: Source, spec: InputSpec) -> Rows:
    if "source" in spec.roles and source.is_path and source.guessed_format == "graphml":
        return read_graphml(source, input)
    table = open_lists(source, spec)
    if isinstance(table, JsonRun):
        return table.rows()
    wide = aspect_columns(source, table) if input == "aspects" else None
    return rows_of(source, spec, table) if wide is None else wide
