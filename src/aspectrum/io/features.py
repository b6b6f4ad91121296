"""Vectors of items: arrays in npz and npy files, columns of numbers, or rows (item, feature, value)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.coding.ids import quoted
from aspectrum.coding.objects import id_column, id_rows
from aspectrum.coding.rows import IdColumn, Rows, SparseRows, code_series
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS, InputSpec
from aspectrum.io.columns import find_columns, is_spelling
from aspectrum.io.files import check_room, free_memory, read_bytes, reason
from aspectrum.io.frames import as_number
from aspectrum.io.indicators import Indicators, how_read, is_unnamed
from aspectrum.io.reading import rows_of
from aspectrum.io.source import Source, is_external
from aspectrum.io.tables import Table, open_table

if TYPE_CHECKING:
    import polars

_ROWS, _ITEM = INPUTS["features"], InputSpec("features", ("item",))
_ID_KEYS = ("ids", "items", "item_ids", "item", "id", "names", "index")
_MATRIX_KEYS = ("features", "vectors", "embeddings", "matrix", "values", "x", "X", "arr_0")
_SPARSE_KEYS = ("data", "indices", "indptr", "shape")
_OUTWEIGHS, _FEW_OUTWEIGH = 50, 2  # beside columns of 0 and 1: the largest number, in how many columns


def read_features(source: Source) -> Rows:
    """One vector per item."""
    format = source.guessed_format if source.is_path else None
    if format in ("npz", "npy"):
        return _arrays(source, format)
    if source.ids is not None:
        raise InputError(f"{source.named('features')}: ids are for npy and npz files")
    table = open_table(source, _ROWS)
    vectors = table.vectors()
    if not vectors and _is_rows(source, table):
        rows = rows_of(source, _ROWS, table)
        if table.names is None and "feature" not in source.columns:
            _check_not_vectors(table.source, rows)
        return rows
    if (named := _named_features(source, table, vectors)) is not None:
        rows = rows_of(replace(source, columns={**source.columns, "feature": named + 1}), _ROWS, table)
        how = Notice("feature_names", detail={"column": repr((table.names or ())[named])})
        return replace(rows, notices=(*rows.notices, how))
    names = table.names or ()  # they have some, as only rows may have none
    said = {role: column for role, column in source.columns.items() if role == "item"}
    item = find_columns(table.source, _ITEM, said, names, table.width, source.usual, index=table.index)["item"]
    matrix, notices = (_lists(source, table, names, item, vectors), ()) if vectors else _columns(table, names, item)
    ids = rows_of(Source(source.data, {"item": item + 1}, name=table.source), _ITEM, table).ids
    return Rows(table.source, ids, place=table.place, matrix=matrix, notices=notices)


def _named_features(source: Source, table: Table, vectors: Sequence[int]) -> int | None:
    """The place of a column such as ``genre`` or ``tags`` that names features, as it would name aspects; or of the only lists of text."""
    names = table.names or ()
    known = [place for place, name in enumerate(names) if is_spelling("aspects", ("aspect",), name)]
    if vectors:
        found = list(vectors) if len(vectors) == 1 and vectors[0] in known and _holds_ids(table, vectors[0]) else []
    else:  # a number may be a dimension, but not the only one
        found = [place for place in known if not table.is_number(place) or table.width == 2] or table.text_lists()
    if len(found) > 1:
        both = " and ".join(repr(names[place]) for place in found[:2])
        raise InputError(
            f"{table.source}: {both} may both name features; specify one with ", Option("columns", {"feature": "NAME"}, "features")
        )
    return found[0] if found and "feature" not in source.columns else None


def _holds_ids(table: Table, place: int) -> bool:
    """Whether lists of numbers are numbers of genres, and not 0 and 1 for each of them, or an embedding."""
    numbers = table.fetch({"feature": place}, [])["feature"].explode().drop_nulls()
    return numbers.dtype.is_integer() and not numbers.is_in([0, 1]).all()


def _is_rows(source: Source, table: Table) -> bool:
    """Whether a table has rows item, feature[, value], and not one column per dimension."""
    if table.names is None or "feature" in source.columns:
        return True
    said = source.usual.columns.get("feature")
    if not any(name == said or is_spelling("features", ("feature",), name) for name in table.names):
        return False
    known = find_columns(table.source, _ROWS, source.columns, table.names, table.width, source.usual, table=table)
    others = [name for place, name in enumerate(table.names) if place not in known.values() and table.is_number(place)]
    if others and table.is_number(known["feature"]):
        feature = table.names[known["feature"]]
        raise InputError(
            f"{table.source}: column {feature!r} may name the feature of a row (item, feature, value), or be a dimension like {others[0]!r}; "
            "use ",
            Option("columns", {"feature": feature}, "features"),
            " or rename it",
        )
    return True


def _check_not_vectors(source: str, rows: Rows) -> None:
    """Columns without names may be item, feature, value, or an item and two dimensions."""
    names = rows.ids["feature"].texts
    if names is not None and names.str.contains(r"^[+-]?[0-9]*\.[0-9]+(e[+-]?[0-9]+)?$").any():
        raise InputError(
            f"{source}: the second column, without a name, holds numbers such as {quoted(names.filter(names.str.contains('[.]'))[0])}; "
            "expected item, feature[, value]. If these are vectors, name the columns in the first line, the first one item"
        )


def _columns(table: Table, names: Sequence[str], item: int) -> tuple[Any, Sequence[Notice]]:
    """One column per dimension, and what to say of them."""
    others = [other for other in range(table.width) if other != item]
    if not others:
        raise InputError(f"{table.source}: has no column but {names[item]!r}; expected a vector, or one column per dimension")
    if (found := _only_indicators(table, others)) is not None:
        said = [how_read("feature", [names[place] for place in found.flags])] if len(found.flags) < len(others) else []
        return np.stack(list(found.flags.values()), axis=1).astype(np.float64), [*said, *found.notices]
    for other in others:
        if is_unnamed(names[other]):
            raise InputError(
                f"{table.source}: column {other + 1} has no name, like an index written by pandas; drop it (index=False) or name it"
            )
    dimensions = {str(other): other for other in others}
    fetched = table.fetch(dimensions, list(dimensions))
    frame = fetched.with_columns([as_number(fetched[name]) for name in dimensions])
    matrix = frame.to_numpy(order="c").astype(np.float64, copy=False)
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = map(int, bad[0])
        found, name = table.cell(row, others[column]), names[others[column]]
        holds = "is empty" if found is None else f"holds {quoted(found)}"
        named = ("; if it names features, use ", Option("columns", {"feature": name}, "features")) if isinstance(found, str) else ()
        raise InputError(f"{table.source}, {table.place(row)}: column {name!r} {holds}, expected a finite number", *named)
    return matrix, list(_outweighing(matrix, [names[other] for other in others]))


def _outweighing(matrix: Any, names: Sequence[str]) -> Iterable[Notice]:
    """Whether a year or a price stands beside columns of 0 and 1, which then hardly count."""
    if not len(matrix):
        return
    lows, highs = matrix.min(axis=0), matrix.max(axis=0)
    large = np.flatnonzero(np.maximum(highs, -lows) > _OUTWEIGHS)
    small = np.flatnonzero((lows == 0) & (highs == 1)) if 0 < len(large) <= _FEW_OUTWEIGH else ()
    n_flags = sum(bool(np.isin(matrix[:, place], (0, 1)).all()) for place in small)
    if n_flags > max(1, len(names) // 2):
        at = int(large[0])
        yield Notice("outweighing", n_flags, detail={"column": repr(names[at]), "low": float(lows[at]), "high": float(highs[at])})


def _only_indicators(table: Table, others: Sequence[int]) -> Indicators | None:
    """Columns of 0 and 1, if all others hold text or nothing, as a title; None if there are none, or other numbers."""
    if all(table.is_number(place) for place in others):
        return None
    found = Indicators.of(table, others)
    rest = {str(place): place for place in others if place not in found.flags}
    frame = table.fetch(rest, []) if rest else None
    numbers = frame is not None and any(table.is_number(place) and as_number(frame[name]).is_finite().any() for name, place in rest.items())
    return None if len(found.flags) < 2 or numbers else found


def _lists(source: Source, table: Table, names: Sequence[str], item: int, vectors: list[int]) -> Any:
    """A column of lists of numbers."""
    if "feature" in source.columns:
        one = InputSpec("features", (), ("feature",))
        vectors = [find_columns(table.source, one, {"feature": source.columns["feature"]}, names, table.width)["feature"]]
    if len(vectors) > 1:
        both = " and ".join(repr(names[place]) for place in vectors[:2])
        raise InputError(f"{table.source}: {both} both hold vectors; specify one with ", Option("columns", {"feature": "NAME"}, "features"))
    if item in vectors:
        raise InputError(f"{table.source}: no item column found, as {names[item]!r} holds vectors")
    column = table.fetch({"vector": vectors[0]}, ())["vector"]
    return _matrix_of_lists(table, names[vectors[0]], column)


def _matrix_of_lists(table: Table, name: str, column: polars.Series) -> Any:
    import polars

    if isinstance(column.dtype, polars.Array):
        column = column.arr.to_list()
    if not isinstance(column.dtype, polars.List) or not column.dtype.inner.is_numeric():
        raise InputError(f"{table.source}: column {name!r} holds {column.dtype}, expected lists of numbers")
    lengths = column.list.len()
    width = int(lengths.drop_nulls()[0]) if lengths.null_count() < len(lengths) else 0
    odd = (lengths != width).fill_null(True)
    if odd.any():
        row = int(odd.arg_max())  # type: ignore[arg-type]
        found = "no vector" if lengths[row] is None else f"a vector of {lengths[row]} numbers"
        raise InputError(f"{table.source}, {table.place(row)}: has {found}, expected {width} numbers as in the first vector")
    if width == 0 and len(column):
        raise InputError(f"{table.source}, {table.place(0)}: has a vector of 0 numbers, expected some")
    inner = column.explode() if len(column) else polars.Series([], dtype=polars.Float64)
    kind = np.float32 if inner.dtype == polars.Float32 else np.float64
    flat = inner.to_numpy() if kind == np.float32 else inner.cast(polars.Float64).to_numpy()
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        found = "nothing" if inner[int(bad[0])] is None else f"{flat[bad[0]]}"
        raise InputError(f"{table.source}, {table.place(int(bad[0]) // width)}: the vector holds {found}, expected finite numbers")
    return np.ascontiguousarray(flat.reshape(len(column), width), dtype=kind)


def _arrays(source: Source, format: str) -> Rows:
    name = source.named("features")
    arrays = _loaded(name, format, read_bytes(source.path, name))
    matrix = _matrix(name, arrays)
    n_rows = len(matrix)
    keys = [key for key in _ID_KEYS if key in arrays]
    if len(keys) > 1:
        raise InputError(f"{name}: {keys[0]} and {keys[1]} may both be the ids of the vectors, expected one of them")
    notices = []
    if source.ids is not None:
        items = _given_ids(source.ids)
    elif keys:
        items = _array_ids(name, keys[0], arrays[keys[0]])
    else:
        items = _array_ids(name, "row numbers", np.arange(n_rows))
        notices.append(Notice("numbered_vectors", n_rows))
    if len(items.codes) != n_rows:
        raise InputError(f"{name}: {len(items.codes)} ids for {n_rows} vectors")
    _check_finite(name, matrix)
    is_index = {"terms", "of", "weighting"} <= arrays.keys()  # as TextIndex.save writes them
    return Rows(name, {"item": items}, place=lambda row: f"row {row + 1}", matrix=matrix, notices=notices, is_index=is_index)


def _given_ids(given: Any) -> IdColumn:
    if not is_external(given):
        return id_rows("ids", "item", given).ids["item"]
    source = given if isinstance(given, Source) else Source(given)
    return rows_of(source, INPUTS["items"], open_table(source, INPUTS["items"])).ids["item"]


def _loaded(name: str, format: str, data: bytes) -> dict[str, Any]:
    if not data.startswith((b"\x93NUMPY", b"PK")):
        raise InputError(f"{name}: " + (f"is not an {format} file" if data else "the file is empty"))
    try:
        # Pickled objects could run code, so they are never loaded.
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if hasattr(loaded, "zip"):
            check_room(name, sum(one.file_size for one in loaded.zip.infolist()), free_memory())
        return {key: loaded[key] for key in loaded.files} if hasattr(loaded, "files") else {"features": loaded}
    except InputError:
        raise
    except Exception as error:  # what damaged archives raise is of many kinds
        pickled = "allow_pickle" in str(error) or "Object arrays" in str(error)
        why = "it holds Python objects; save text as a NumPy text array and numbers as numbers" if pickled else reason(error)
        raise InputError(f"{name}: cannot be read as {format}: {why}") from None


def _matrix(name: str, arrays: Mapping[str, Any]) -> Any:
    for key, array in arrays.items():
        if not isinstance(array, np.ndarray):  # a file in the archive that is no array
            raise InputError(f"{name}: {key} is not an array")
    if all(key in arrays for key in _SPARSE_KEYS):
        return _sparse(name, arrays)
    others = [key for key in arrays if key not in _ID_KEYS]
    keys = [key for key in _MATRIX_KEYS if key in arrays] or (others if len(others) == 1 else [])
    if not keys:
        there = ", ".join(map(quoted, arrays)) or "nothing"
        raise InputError(
            f"{name}: holds {there}; expected a matrix named features, or what scipy.sparse.save_npz writes of a csr matrix; and ids"
        )
    if len(keys) > 1:
        raise InputError(f"{name}: {keys[0]} and {keys[1]} may both be the vectors, expected one of them")
    if unknown := [key for key in others if key not in keys]:
        raise InputError(f"{name}: holds {keys[0]} and {quoted(unknown[0])}; expected the vectors, and their items named ids")
    matrix = arrays[keys[0]]
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(f"{name}: {keys[0]} has shape {matrix.shape} and type {matrix.dtype}, expected one row of numbers per item")
    return matrix


def _sparse(name: str, arrays: Mapping[str, Any]) -> SparseRows:
    """A matrix that scipy.sparse.save_npz wrote, by rows."""
    written = arrays.get("format")
    if written is not None and (written.size != 1 or written.item() not in (b"csr", "csr")):
        found = written.item() if written.size == 1 else written.tolist()
        raise InputError(f"{name}: the sparse matrix is stored as {quoted(found)}, expected csr: save_npz(path, matrix.tocsr())")
    data = arrays["data"]
    sound = data.dtype.kind in "biuf" and all(arrays[key].dtype.kind in "iu" for key in _SPARSE_KEYS[1:])
    if sound:
        # Signed, as differences of unsigned numbers are never negative.
        indices, indptr, shape = (arrays[key].astype(np.int64) for key in _SPARSE_KEYS[1:])
        sound = (
            shape.shape == (2,)
            and all(array.ndim == 1 for array in (data, indices, indptr))
            and shape[0] >= 0
            and 0 <= shape[1] < 2**31
            and len(indptr) == shape[0] + 1
            and len(data) == len(indices) == indptr[-1]
            and indptr[0] == 0
            and (np.diff(indptr) >= 0).all()
            and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < shape[1]))
        )
    if not sound:
        raise InputError(f"{name}: the sparse matrix is not sound: its arrays do not fit together")
    width = max(int(shape[1]), 1)
    rows = np.repeat(np.arange(shape[0], dtype=np.int64), np.diff(indptr))
    # Entries of a row may come unsorted and repeated; repeated ones are added, zeros dropped, as scipy does.
    keys, place = np.unique(rows * width + indices, return_inverse=True)
    values = np.bincount(place, weights=data.astype(np.float64), minlength=len(keys))
    keys, values = keys[values != 0], values[values != 0]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(keys // width, minlength=int(shape[0]))))).astype(np.int64)
    return SparseRows.of(offsets, keys % width, values, int(shape[1]))


def _check_finite(name: str, matrix: Any) -> None:
    values = matrix.values if isinstance(matrix, SparseRows) else matrix
    with np.errstate(all="ignore"):
        total = values.sum(dtype=np.float64)
    if np.isfinite(total) or values.dtype.kind != "f":
        return
    bad = np.flatnonzero(~np.isfinite(values))  # finite numbers may well have a sum that is not
    if len(bad):
        row = np.searchsorted(matrix.offsets, bad[0], "right") - 1 if isinstance(matrix, SparseRows) else bad[0] // matrix.shape[1]
        raise InputError(f"{name}, row {row + 1}: the vector holds {values.ravel()[bad[0]]}, expected finite numbers")


def _array_ids(name: str, key: str, ids: Any) -> IdColumn:
    import polars

    if ids.ndim != 1 or ids.dtype.kind not in "iuUS":
        raise InputError(f"{name}: {key} has shape {ids.shape} and type {ids.dtype}, expected one id (a whole number or text) per row")
    if ids.dtype.kind == "u" and len(ids) and ids.max() >= 2**63:
        return id_column(name, "item", ids.tolist())
    try:
        if ids.dtype.kind == "S":
            ids = np.char.decode(ids, "utf-8")
        is_text = ids.dtype.kind == "U"
        series = polars.Series(ids.tolist(), dtype=polars.String) if is_text else polars.Series(ids.astype(np.int64))
    except UnicodeError as error:
        raise InputError(f"{name}: {key} holds an id that is not UTF-8 text: {reason(error)}") from None
    if is_text and (series == "").any():
        raise InputError(f"{name}, row {int((series == '').arg_max() or 0) + 1}: the item is missing")
    return IdColumn(*code_series(series))
