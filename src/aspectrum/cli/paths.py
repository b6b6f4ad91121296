"""Paths of files that are written, checked before the long work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click


@contextmanager
def blamed_on(option: str) -> Iterator[None]:
    """A file that could not be written is wrong use of the option that names it."""
    from aspectrum.errors import OutputError

    try:
        yield
    except OutputError as error:
        raise click.UsageError(f"{option} {str(error).replace('say the format', 'a --format')}") from None


def check_paths(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Nothing that is read is overwritten, nothing is written twice, and no evaluation is done for a file that cannot be."""
    from aspectrum.errors import OutputError

    taken = {os.path.realpath(path): "is also an input; it would be overwritten" for path in inputs if path != "-"}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"{path}: {taken[place]}")
        exists, folder = os.path.exists(path), os.path.dirname(place)
        if os.path.isfile(path) or not exists:
            taken[place] = "would be written twice"
        reasons = {
            "it is a directory": os.path.isdir(path),
            "no such directory": not exists and not os.path.isdir(folder),
            "permission denied": not os.access(path if exists else folder, os.W_OK),
        }
        wrong = [reason for reason, holds in reasons.items() if holds]
        if wrong:
            raise OutputError(f"{path}: cannot be written: {wrong[0]}")
