"""Numbers of items in JSON, such as lengths of documents: ``{"doc": 120}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aspectrum.errors import InputError
from aspectrum.inputs import NUMBERS, InputSpec
from aspectrum.io.columns import is_spelling
from aspectrum.io.json_runs import check_number
from aspectrum.io.json_values import JsonText
from aspectrum.io.source import Source

if TYPE_CHECKING:
    import polars


def json_numbers(source: Source, spec: InputSpec, name: str, text: bytes) -> polars.DataFrame | None:
    """The columns of an input with a number per item, from a JSON object that has them by item; None if the text is something else."""
    import polars

    if len(spec.required) != 2 or spec.required[1] not in NUMBERS or source.columns or text[:1000].lstrip()[:1] != b"{":
        return None
    try:
        place, value = next(iter(JsonText.of(name, text)))
    except InputError:
        return None  # a table, whose reader says what is wrong with its rows
    if place.line is not None or not isinstance(value, Mapping) or not any(isinstance(one, int | float) for one in value.values()):
        return None
    if all(any(is_spelling(spec.name, (role,), key) for key in value) for role in spec.required):
        return None  # a table of one row
    numbers = [check_number(place.at(item), number) for item, number in value.items()]
    try:
        items = polars.Series(spec.required[0], list(value), dtype=polars.String)
    except UnicodeEncodeError:
        raise InputError(f"{name}: an id holds an unpaired surrogate, which is not text") from None
    return polars.DataFrame([items, polars.Series(spec.required[1], numbers, dtype=polars.Float64)])
