"""Libraries that come with an extra, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from aspectrum.errors import MissingLibrary


def needed(library: str, extra: str, what: str) -> Any:
    """A library, or an error that says how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] != library.partition(".")[0]:
            raise  # it is there, and lacks something itself
        raise MissingLibrary(
            f"{what} by {library}, which is not installed; it comes with the extra {extra}: pip install 'aspectrum[{extra}]'"
        ) from None
