"""A plan on its way to other processes: a small message, and its large arrays in one Arrow file.

Processes of a machine that map the same file share its memory. The message is pickled, so it must travel by a way that is
trusted, such as the engine's own; the file is only data.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.errors import InputError
from aspectrum.extras import needed
from aspectrum.output_files import replacing

if TYPE_CHECKING:
    from aspectrum.plan import Plan

MAGIC = b"ARROW1\0\0"
"""How an Arrow file begins."""

_LARGE = 1 << 12  # bytes from which an array goes to the file


def pack(plan: Plan, path: str | os.PathLike[str]) -> bytes:
    """Write the large arrays of a plan to an Arrow file; returns the message that :func:`unpack` makes the plan of, given both.

    Examples:
        >>> import os, tempfile
        >>> import aspectrum as asp
        >>> plan = asp.Plan("NDCG@2", asp.Truth.read(relevance={"ann": ["x"], "bob": ["y"]}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     message = pack(plan, os.path.join(folder, "plan.arrow"))
        ...     same = unpack(message, os.path.join(folder, "plan.arrow"))  # in any process
        >>> same.finish(same.observe({"bob": ["y"]}))["NDCG@2"]
        1.0
    """
    message, arrays = packed(plan)
    with replacing(path) as file:
        file.write(arrays)
    return message


def unpack(message: bytes, path: str | os.PathLike[str]) -> Plan:
    """The plan of a message and the file that was written with it, which is mapped: its arrays are read-only."""
    with open(path, "rb") as file:
        return unpacked(message, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def packed(plan: Plan) -> tuple[bytes, Any]:
    """A plan as a message and the content of an Arrow file, which is a buffer."""
    arrow = needed("pyarrow", "spark", "plans are sent to other processes")
    _ = plan.identity  # digests of the truth, computed once and not by every process
    content = io.BytesIO()
    packer = _Packer(content)
    packer.dump(plan)
    columns = [arrow.LargeListArray.from_arrays([0, len(values)], values) for values in packer.columns]
    names = [str(place) for place in range(len(columns))]
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_file(sink, arrow.schema(zip(names, (column.type for column in columns), strict=True))) as file:
        file.write_batch(arrow.RecordBatch.from_arrays(columns, names))
    return content.getvalue(), sink.getvalue()


def unpacked(message: bytes, arrays: Any) -> Plan:
    """The plan of a message and its arrays, which are looked at where they are: the buffer must not change."""
    arrow = needed("pyarrow", "spark", "plans are sent to other processes")
    try:
        batch = arrow.ipc.open_file(arrow.py_buffer(arrays)).get_batch(0)
    except (arrow.ArrowInvalid, OSError) as error:
        raise InputError(f"the arrays of a plan are damaged: {error}") from None
    plan: Plan = _Unpacker(io.BytesIO(message), batch).load()
    return plan


class _Packer(pickle.Pickler):
    """Pickles all but large arrays and columns of ids, which it collects as columns of an Arrow file."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.columns: list[Any] = []
        self._packed: dict[int, tuple[tuple[Any, ...], Any]] = {}  # with the array, whose place in memory is not to be another's

    def persistent_id(self, given: Any) -> Any:
        if type(given) is np.ndarray and given.nbytes >= _LARGE and given.dtype.kind in "biuf" and given.dtype.itemsize <= 8:
            return self._place(given, ("array", str(given.dtype), given.shape))
        if type(given).__module__.startswith("polars.") and type(given).__name__ == "Series" and given.estimated_size() >= _LARGE:
            return self._place(given, ("series",))
        return None

    def _place(self, given: Any, how: tuple[Any, ...]) -> tuple[Any, ...]:
        if id(given) not in self._packed:
            self._packed[id(given)] = ((len(self.columns), *how), given)
            self.columns.append(_values(given))
        return self._packed[id(given)][0]


def _values(given: Any) -> Any:
    import pyarrow  # type: ignore[import-untyped]

    if not isinstance(given, np.ndarray):
        return given.rechunk().to_arrow()
    flat = np.ascontiguousarray(given).reshape(-1)
    return pyarrow.array(flat.view(np.uint8) if flat.dtype.kind == "b" else flat)  # Arrow has 8 flags in a byte


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, batch: Any) -> None:
        super().__init__(file)
        self._batch, self._unpacked = batch, dict[int, Any]()

    def persistent_load(self, packed: Any) -> Any:
        import polars

        place, kind, *how = packed
        if place not in self._unpacked:
            values = self._batch.column(place).values
            self._unpacked[place] = polars.Series(values) if kind == "series" else _array(values, *how)
        return self._unpacked[place]


def _array(values: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    return values.to_numpy(zero_copy_only=True).view(dtype).reshape(shape)
