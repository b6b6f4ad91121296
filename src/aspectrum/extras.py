"""Libraries that come with an extra, imported where they are used."""

from __future__ import annotations

import re
from importlib import import_module, metadata
from typing import Any

from aspectrum.errors import MissingLibrary


def needed(library: str, extra: str, what: str, versions: tuple[str, str] | None = None) -> Any:
    """A library, or an error that says how to get it.

    Args:
        library: What is imported.
        extra: The extra that brings it.
        what: What it is needed for.
        versions: The first version that will do, and the first that will not any more.
    """
    try:
        found = import_module(library)
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] != library.partition(".")[0]:
            raise  # it is there, and lacks something itself
        raise MissingLibrary(
            f"{what} by {library}, which is not installed; it comes with the extra {extra}: pip install 'aspectrum[{extra}]'"
        ) from None
    if versions is not None:
        installed, (first, end) = metadata.version(library), versions
        if not _numbers(first) <= _numbers(installed) < _numbers(end):
            raise MissingLibrary(
                f"{what} by {library} from version {first} and before {end}, and {installed} is installed: pip install 'aspectrum[{extra}]'"
            )
    return found


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers a version begins with, as many for every version: 3 and 3.0.0 are the same."""
    numbers = [int(number) for number in re.match(r"(\d+(?:\.\d+)*)?", version)[0].split(".") if number]  # type: ignore[index]
    return (*numbers, 0, 0, 0, 0)[:4]
