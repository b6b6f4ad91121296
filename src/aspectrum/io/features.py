"""Vectors of items: arrays in npz and npy files, columns of numbers, or rows (item, feature, value)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.errors import InputError
from aspectrum.io.columns import Wanted, find_columns, is_spelling
from aspectrum.io.files import read_bytes
from aspectrum.io.source import Source
from aspectrum.io.tables import Table, open_table
from aspectrum.world.features import SparseRows
from aspectrum.world.rows import IdColumn, Rows

if TYPE_CHECKING:
    import polars

RowsOf = Callable[[Source, Wanted, Table], Rows]

_ID_KEYS = ("ids", "items", "item_ids", "item", "id", "names", "index")
_MATRIX_KEYS = ("features", "vectors", "embeddings", "matrix", "values", "x", "X", "arr_0")
_SPARSE_KEYS = ("data", "indices", "indptr", "shape")


def read_features(source: Source, wanted: Wanted, rows_of: RowsOf) -> Rows:
    """One vector per item."""
    format = source.guessed_format if source.is_path else None
    if format in ("npz", "npy"):
        return _arrays(source, format, rows_of)
    if source.ids is not None:
        raise InputError(f"{source.named('features')}: ids go with an npy file")
    table = open_table(source, wanted)
    if table.names is None or "feature" in source.columns or any(is_spelling("features", ("feature",), name) for name in table.names):
        return rows_of(source, wanted, table)
    return _columns(source, table, rows_of)


def _columns(source: Source, table: Table, rows_of: RowsOf) -> Rows:
    """A column of lists, or one column per dimension."""
    import polars

    assert table.names is not None
    only_item = Wanted("features", ("item",))
    place = find_columns(
        table.source,
        only_item,
        {role: name for role, name in source.columns.items() if role == "item"},
        table.names,
        table.width,
        source.usual,
    )["item"]
    others = [other for other in range(table.width) if other != place]
    if not others:
        raise InputError(f"{table.source}: has no column but {table.names[place]!r}; expected a vector, or one column per dimension")
    ids = rows_of(Source(source.data, {"item": place + 1}, name=source.name), only_item, table).ids
    if len(others) == 1:
        single = polars.concat(table.pieces({"vector": others[0]}, ()))["vector"]
        if isinstance(single.dtype, polars.List | polars.Array):
            return Rows(table.source, ids, place=table.place, matrix=_lists(table, single))
    dimensions = {str(other): other for other in others}
    frame = polars.concat(table.pieces(dimensions, list(dimensions)))
    matrix = frame.to_numpy(order="c").astype(np.float64, copy=False)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = map(int, bad[0])
        found, name = table.cell(row, others[column]), table.names[others[column]]
        raise InputError(f"{table.source}, {table.place(row)}: column {name!r} holds {found!r}, expected a finite number")
    return Rows(table.source, ids, place=table.place, matrix=matrix)


def _lists(table: Table, column: polars.Series) -> Any:
    import polars

    if isinstance(column.dtype, polars.Array):
        column = column.arr.to_list()
    lengths = column.list.len()
    width = int(lengths[0] or 0) if len(lengths) else 0
    odd = (lengths != width).fill_null(True)
    if odd.any():
        row = int(odd.arg_max())  # type: ignore[arg-type]
        found = "no vector" if lengths[row] is None else f"a vector of {lengths[row]} numbers"
        raise InputError(f"{table.source}, {table.place(row)}: has {found}, expected {width} numbers as in the first row")
    inner = column.explode() if width else polars.Series([], dtype=polars.Float64)
    if not inner.dtype.is_numeric():
        raise InputError(f"{table.source}: column {column.name!r} holds lists of {inner.dtype}, expected numbers")
    kind = np.float32 if inner.dtype == polars.Float32 else np.float64
    flat = inner.cast(polars.Float64).to_numpy() if kind == np.float64 else inner.to_numpy()
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        raise InputError(f"{table.source}, {table.place(int(bad[0]) // width)}: the vector holds {flat[bad[0]]}, expected finite numbers")
    return np.ascontiguousarray(flat.reshape(len(column), width), dtype=kind)


def _arrays(source: Source, format: str, rows_of: RowsOf) -> Rows:
    name = source.named("features")
    data = read_bytes(source.path)
    try:
        # Pickled objects could run code, so they are never loaded.
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        arrays: dict[str, Any] = {key: loaded[key] for key in loaded.files} if hasattr(loaded, "files") else {"features": loaded}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
        pickled = "allow_pickle" in str(error) or "Object arrays" in str(error)
        reason = (
            "it holds Python objects; save text as a NumPy text array and numbers as numbers" if pickled else str(error).splitlines()[0]
        )
        raise InputError(f"{name}: cannot be read as {format}: {reason}") from None
    matrix = _matrix(name, arrays)
    n_rows = len(matrix.offsets) - 1 if isinstance(matrix, SparseRows) else len(matrix)
    key = next((key for key in _ID_KEYS if key in arrays), None)
    if source.ids is not None:
        given = source.ids if isinstance(source.ids, Source) else Source(source.ids)
        items = rows_of(
            given, Wanted("items", ("item",), (), {1: ("item",)}), open_table(given, Wanted("items", ("item",), (), {1: ("item",)}))
        ).ids["item"]
    elif key is not None:
        items = _array_ids(name, key, arrays[key])
    else:
        items = _array_ids(name, "row numbers", np.arange(n_rows))
    if len(items.codes) != n_rows:
        raise InputError(f"{name}: {len(items.codes)} ids for {n_rows} vectors")
    return Rows(name, {"item": items}, place=lambda row: f"row {row + 1}", matrix=matrix)


def _matrix(name: str, arrays: Mapping[str, Any]) -> Any:
    if all(key in arrays for key in _SPARSE_KEYS):
        return _sparse(name, arrays)
    others = [key for key in arrays if key not in _ID_KEYS]
    key = next((key for key in _MATRIX_KEYS if key in arrays), others[0] if len(others) == 1 else None)
    if key is None:
        raise InputError(f"{name}: holds {', '.join(arrays) or 'nothing'}; expected a matrix named features, and its items named ids")
    matrix = arrays[key]
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(f"{name}: {key} has shape {matrix.shape} and type {matrix.dtype}, expected one row of numbers per item")
    return matrix


def _sparse(name: str, arrays: Mapping[str, Any]) -> SparseRows:
    """A matrix that scipy.sparse.save_npz wrote, by rows."""
    written = arrays.get("format")
    if written is not None and written.item() not in (b"csr", "csr"):
        raise InputError(f"{name}: the sparse matrix is stored as {written.item()!r}, expected csr: save_npz(path, matrix.tocsr())")
    data, indices, indptr, shape = (np.asarray(arrays[key]) for key in _SPARSE_KEYS)
    sound = (
        shape.shape == (2,)
        and all(array.ndim == 1 for array in (data, indices, indptr))
        and all(array.dtype.kind in "iu" for array in (indices, indptr, shape))
        and data.dtype.kind in "biuf"
        and len(indptr) == shape[0] + 1
        and len(data) == len(indices) == indptr[-1]
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < shape[1]))
    )
    if not sound:
        raise InputError(f"{name}: the sparse matrix is not sound: its arrays do not fit together")
    rows = np.repeat(np.arange(shape[0], dtype=np.int64), np.diff(indptr))
    # Entries of a row may come unsorted and repeated; repeated ones are added, zeros dropped, as scipy does.
    keys, place = np.unique(rows * np.int64(shape[1]) + indices, return_inverse=True)
    values = np.bincount(place, weights=data.astype(np.float64), minlength=len(keys))
    keys, values = keys[values != 0], values[values != 0]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(keys // max(int(shape[1]), 1), minlength=int(shape[0]))))).astype(np.int64)
    return SparseRows(offsets, (keys % max(int(shape[1]), 1)).astype(np.int32), values, int(shape[1]))


def _array_ids(name: str, key: str, ids: Any) -> IdColumn:
    import polars

    from aspectrum.world.rows import code_series

    if ids.ndim != 1 or ids.dtype.kind not in "iuUS":
        raise InputError(f"{name}: {key} has shape {ids.shape} and type {ids.dtype}, expected one id (a whole number or text) per row")
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8")
    series = polars.Series("item", ids.astype(np.int64) if ids.dtype.kind in "iu" else ids.tolist())
    codes: Codes
    codes, distinct = code_series(series)
    return IdColumn(codes, distinct)
