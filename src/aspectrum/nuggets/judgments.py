"""Tables of judgments, and files that hold nuggets instead."""

from __future__ import annotations

from typing import Any

from aspectrum.coding.rows import Rows
from aspectrum.diagnostics.notices import Either
from aspectrum.errors import InputError
from aspectrum.io import read_input
from aspectrum.nuggets.reading import title_of


def read_table(name: str, given: Any) -> Rows:
    """An input from a file or a frame; of judgments that are a file of nuggets, an error says how these are read."""
    try:
        return read_input(name, given)
    except InputError as error:
        title = title_of(given) if name in ("subtopics", "relevance") else None
        if title is None:
            raise
        where = str(error).partition(": ")[0]
        how = Either("asp.Nuggets.read(path), and pass that as subtopics", f"--nuggets instead of --{name}")
        raise InputError(f"{where.partition(', line')[0]}: holds {title}, not rows of judgments; read it with ", how) from None
