"""Nested plain data, arrays and ids in one Arrow IPC file, without pickle. A file that is damaged or foreign is refused."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from aspectrum.coding.ids import Ids
from aspectrum.errors import InputError, OutputError
from aspectrum.forks import check_polars
from aspectrum.io.files import why_unreadable
from aspectrum.io.frames import read_binary
from aspectrum.output_files import replacing

_COLUMNS = {"numbers": "Float64", "integers": "Int64", "texts": "String"}
_REFERENCE = "$"


def write_arrow(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write mappings, lists, text, numbers, arrays of numbers and :class:`Ids`; whole or not at all."""
    content = arrow_bytes(data)  # polars hides why a write to a file failed
    with replacing(path) as file:
        file.write(content)


def arrow_bytes(data: Mapping[str, Any]) -> bytes:
    """The content of such a file."""
    import polars

    check_polars()
    arrays: list[tuple[str, Any]] = []
    outline = json.dumps(data, ensure_ascii=False, default=lambda data: _outlined(data, arrays))
    rows = [("texts", [outline, _digest(outline, arrays)]), *arrays]
    columns = []
    for name, dtype_name in _COLUMNS.items():
        dtype = getattr(polars, dtype_name)
        cells = [polars.Series(values, dtype=dtype) if kind == name else None for kind, values in rows]
        columns.append(polars.Series(name, cells, polars.List(dtype)))
    content = io.BytesIO()
    polars.DataFrame(columns).write_ipc(content, compression="zstd")
    return content.getvalue()


def read_arrow(given: str | os.PathLike[str] | bytes, what: str = "a file that aspectrum wrote") -> dict[str, Any]:
    """What :func:`write_arrow` wrote, or :func:`arrow_bytes` made; `what` is what errors call it."""
    name = "bytes" if isinstance(given, bytes) else os.fspath(given)
    check_polars()
    try:
        with io.BytesIO(given) if isinstance(given, bytes) else open(name, "rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                raise InputError("the file is empty")
            file.seek(0)
            frame = read_binary(name, file, "arrow")
    except OSError as error:
        raise InputError(f"{name}: {why_unreadable(name, error)}") from None
    except InputError as error:
        raise InputError(f"{name}: is not {what}, or is damaged: {str(error).removeprefix(f'{name}: ')}") from None
    try:
        if frame.columns != list(_COLUMNS):
            raise ValueError("its columns are others")
        rows = [next((kind, frame[kind][row]) for kind in _COLUMNS if frame[kind][row] is not None) for row in range(len(frame))]
        (_, (outline, digest)), *arrays = rows
        arrays = [(kind, values if kind == "texts" else values.to_numpy()) for kind, values in arrays]
        if digest != _digest(outline, arrays):
            raise ValueError("its content has changed since it was written")
        found: dict[str, Any] = json.loads(outline, object_hook=lambda outline: _filled(outline, arrays))
    except (ValueError, TypeError, KeyError, IndexError, StopIteration, AttributeError) as error:
        raise InputError(f"{name}: is not {what}, or is damaged: {error}") from None
    return found


def _outlined(data: Any, arrays: list[tuple[str, Any]]) -> Any:
    """What JSON does not know: arrays and ids become references to what is added to `arrays`."""
    if isinstance(data, np.ndarray):
        kind = "numbers" if data.dtype.kind == "f" else "integers"
        arrays.append((kind, data.reshape(-1).astype(np.float64 if kind == "numbers" else np.int64)))
        return {_REFERENCE: "array", "at": len(arrays) - 1, "shape": list(data.shape), "dtype": str(data.dtype)}
    if isinstance(data, Ids):
        if isinstance(data.values, range):
            return {_REFERENCE: "counted", "n": len(data)}
        arrays.append(_columns_of_ids(data))
        return {_REFERENCE: "ids", "at": len(arrays) - 1}
    return dict(data)  # another kind of mapping


def _columns_of_ids(ids: Ids) -> tuple[str, Any]:
    several = list(ids)
    if all(type(id) is str for id in several):
        return "texts", several
    if all(type(id) is int and -(2**63) <= id < 2**63 for id in several):
        return "integers", np.array(several, dtype=np.int64)
    other = next((id for id in several if type(id) not in (str, int)), several[0])
    raise OutputError(f"ids such as {other!r} cannot be written to a file; expected text only, or whole numbers of 64 bits only")


def _filled(outline: dict[str, Any], arrays: list[tuple[str, Any]]) -> Any:
    """What a reference stands for; anything else as it is."""
    import polars

    kind = outline.get(_REFERENCE)
    if kind == "counted":
        return Ids.counted(outline["n"])
    if kind == "ids":
        column, values = arrays[outline["at"]]
        return Ids(polars.Series(values, dtype=getattr(polars, _COLUMNS[column])))
    if kind == "array":
        return arrays[outline["at"]][1].astype(outline["dtype"]).reshape(outline["shape"])
    return outline


def _digest(outline: str, arrays: list[tuple[str, Any]]) -> str:
    digest = hashlib.blake2b(outline.encode(), digest_size=16)
    for kind, values in arrays:
        if kind == "texts":
            texts = [*values]
            digest.update(json.dumps([len(text) for text in texts]).encode() + "".join(texts).encode())
        else:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
