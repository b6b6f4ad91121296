"""Lists as files of every format, read in small pieces, and how their results are compared with those of a whole evaluation."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

import aspectrum as asp
from aspectrum import streams
from aspectrum.io import pieces
from aspectrum.io.files import unpacked_parts

MEMORY = "64GB"  # more than any machine that runs these tests takes beforehand: the number of rows is what limits pieces here
Row = tuple[Any, Any, float]
"""A user, an item and a score."""


@contextmanager
def in_pieces_of(n_rows: int, n_bytes: int | None = None) -> Iterator[None]:
    """Pieces have about so many rows within, and blocks of text at least so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_MOST_ROWS", n_rows)
        patch.setattr(pieces, "_FIRST_ROWS", n_rows)
        patch.setattr(pieces, "_FIRST_BYTES", 12 * n_rows if n_bytes is None else n_bytes)
        patch.setattr(pieces, "_STEP", 7)
        patch.setattr(pieces, "unpacked_parts", _in_small_parts)
        yield


def _in_small_parts(*given: Any) -> Iterator[bytes]:
    for part in unpacked_parts(*given):
        yield from (part[start : start + 7] for start in range(0, len(part), 7))


def frame_of(rows: Sequence[Row], names: Sequence[str] = ("user", "item", "score")) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=list(names), orient="row", infer_schema_length=None)


def _csv(rows: Sequence[Row], separator: str = ",") -> bytes:
    return b"".join(f"{separator.join(map(str, row))}\n".encode() for row in [("user", "item", "score"), *rows])


def _json_lines(rows: Sequence[Row]) -> bytes:
    return b"".join(json.dumps(dict(zip(("user", "item", "score"), row, strict=True))).encode() + b"\n" for row in rows)


def _run(rows: Sequence[Row]) -> bytes:
    return b"".join(f"{user} Q0 {item} 1 {score} tag\n".encode() for user, item, score in rows)


def _parquet(rows: Sequence[Row]) -> bytes:
    file = io.BytesIO()
    frame_of(rows).write_parquet(file, row_group_size=3)
    return file.getvalue()


def _arrow(rows: Sequence[Row]) -> bytes:
    file = io.BytesIO()
    frame_of(rows).write_ipc(file)
    return file.getvalue()


def _arrow_stream(rows: Sequence[Row]) -> bytes:
    file = io.BytesIO()
    frame_of(rows).write_ipc_stream(file)
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


TEXTS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    "csv": _csv,
    "tsv": lambda rows: _csv(rows, "\t"),
    "jsonl": _json_lines,
    "run": _run,
}
WRITERS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    **TEXTS,
    **{f"{name}.gz": lambda rows, write=write: gzip.compress(write(rows), mtime=0) for name, write in TEXTS.items()},  # type: ignore[misc]
    **{f"{name}.zst": lambda rows, write=write: zstd(write(rows)) for name, write in TEXTS.items()},  # type: ignore[misc]
    "parquet": _parquet,
    "arrow": _arrow,
    "stream.arrow": _arrow_stream,
}
"""How rows become the bytes of a file, by its extension."""


def write(path: Path, rows: Sequence[Row]) -> Path:
    """A file of rows, in the format that its name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(WRITERS[path.name.partition(".")[2]](rows))
    return path


def assert_same(found: asp.Results, expected: asp.Results, *, notes: bool = True) -> None:
    """The same numbers, details and scores of users, to the bit; with `notes`, the same is said of the inputs."""
    assert found == expected
    assert dict(found.details) == dict(expected.details) or str(found.details) == str(expected.details)  # NaN is not NaN
    mine, others = (results.per_user.sort("user") for results in (found, expected))
    assert mine.equals(others), (mine, others)
    if notes:
        assert sorted(map(_without_names, found.notes)) == sorted(map(_without_names, expected.notes))


def _without_names(note: str) -> str:
    """A note that does not say in which input, nor gives examples, which come in the order of users."""
    return re.sub(r" \(such as .*\)", "", note).rpartition(": ")[2]
