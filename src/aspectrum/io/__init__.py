"""Files and frames to rows: whatever a user has on disk or in memory, with every mistake named by file and line."""

from typing import Any

from aspectrum.coding.rows import Rows
from aspectrum.errors import InputError
from aspectrum.inputs import ALL_INPUTS, INPUTS
from aspectrum.io.features import read_features
from aspectrum.io.indicators import aspect_columns
from aspectrum.io.reading import rows_of
from aspectrum.io.source import FORMATS, Source, is_external
from aspectrum.io.tables import open_table

__all__ = ["FORMATS", "INPUTS", "Source", "is_external", "read_input"]


def read_input(input: str, given: Any) -> Rows:
    """The rows of one input, from a path, a frame or a :class:`Source`."""
    source = given if isinstance(given, Source) else Source(given)
    spec = ALL_INPUTS[input]
    for role in source.columns:
        if role not in spec.roles:
            raise InputError(f"{source.named(input)}: {role!r} is not a column of {input}, which has {spec.form}")
    if source.split is not None and spec.split is None:
        raise InputError(f"{source.named(input)}: split={source.split!r} is given, but {input} has no aspects")
    if input == "features":
        return read_features(source)
    if source.ids is not None:
        raise InputError(f"{source.named(input)}: ids are for features in an npy or npz file")
    table = open_table(source, spec)
    wide = aspect_columns(source, table) if input == "aspects" else None
    return rows_of(source, spec, table) if wide is None else wide
