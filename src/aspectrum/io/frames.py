"""Frames: Parquet and Arrow files, and what pandas, polars, PyArrow and DuckDB hand over, column by column."""

from __future__ import annotations

import inspect
import io
import mmap
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from aspectrum.arrays import Codes, is_rounded
from aspectrum.coding.ids import not_hashable, quoted
from aspectrum.coding.rows import IdColumn, Untyped, code_series
from aspectrum.errors import InputError
from aspectrum.io.binary import check_arrow, check_parquet
from aspectrum.io.files import binary_format, reason

if TYPE_CHECKING:
    import polars

Layout = Literal["table", "run", "qrels"]
FLAGS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
"""What pandas and others write for booleans, in any case."""

Refuse = Callable[[int, str], InputError]
"""The error for a row, given what is wrong there."""


class FrameTable:
    """A frame, whose ids are what they are."""

    untyped: Untyped | None = None
    layout: Layout = "table"

    def __init__(self, source: str, frame: polars.DataFrame, index: Sequence[str] = (), *, first_row: int = 0) -> None:
        self.source, self.frame, self._first_row = source, frame, first_row
        self.index = index  # names of what the frame has beside its columns
        self.names: Sequence[str] | None = frame.columns
        self.width = frame.width
        if self.width == 0:
            raise InputError(f"{source}: has no columns")

    def fetch(self, places: Mapping[str, int], numbers: Sequence[str]) -> polars.DataFrame:
        """Columns by role, as they are; those in `numbers` may come as numbers."""
        import polars

        return polars.DataFrame([self.frame.to_series(place).alias(role) for role, place in places.items()])

    def __len__(self) -> int:
        return self.frame.height

    def cell(self, row: int, place: int) -> Any:
        found = self.frame.to_series(place)[row]
        return found.to_list() if hasattr(found, "to_list") else found

    def place(self, row: int) -> str:
        return f"row {self._first_row + row + 1}"

    def vectors(self) -> list[int]:
        """Places of the columns that hold lists of numbers."""
        import polars

        return [
            place
            for place, kind in enumerate(self.frame.dtypes)
            if isinstance(kind, polars.List | polars.Array) and kind.inner is not None and kind.inner.is_numeric()
        ]

    def text_lists(self) -> list[int]:
        """Places of the columns that hold lists of text."""
        import polars

        return [place for place, kind in enumerate(self.frame.dtypes) if kind == polars.List(polars.String)]

    def is_number(self, place: int) -> bool:
        return self.frame.to_series(place).dtype.is_numeric()

    def is_flag(self, place: int) -> bool:
        """Whether a column holds true and false only, as they are or as text."""
        import polars

        column = self.frame.to_series(place)
        if column.dtype != polars.String:
            return column.dtype == polars.Boolean
        texts = column.head(1000).drop_nulls().str.to_lowercase()
        return len(texts) > 0 and texts.is_in(list(FLAGS)).all()

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two columns hold the same."""
        import polars

        first, second = self.frame.to_series(one), self.frame.to_series(other)
        if polars.Object in (first.dtype, second.dtype):
            return first.to_list() == second.to_list()
        return first.dtype == second.dtype and first.equals(second)

    def close(self) -> None:
        pass


def guarded(read: Callable[[], polars.DataFrame]) -> polars.DataFrame:
    """What polars reads; a panic of its reader, which is not an Exception, becomes an error of its own."""
    import polars

    try:
        return read()
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise polars.exceptions.ComputeError(str(error)) from None
        raise


def read_binary(source: str, file: BinaryIO, format: str | None) -> polars.DataFrame:
    """A Parquet file, or an Arrow file or stream; a file on disk is mapped, and never held in memory.

    Args:
        format: parquet or arrow. Default: as the first bytes tell.
    """
    import polars

    whole: AbstractContextManager[bytes | mmap.mmap]
    whole = nullcontext(file.getvalue()) if isinstance(file, io.BytesIO) else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with whole as data:
        format, is_stream = format or binary_format(data[:6]), data[:4] == b"\xff\xff\xff\xff"

        def read() -> polars.DataFrame:
            if format == "parquet":
                check_parquet(data)
                return polars.read_parquet(file)
            check_arrow(data)
            if is_stream:
                return polars.read_ipc_stream(file)
            # polars 1 maps Arrow files without checking their contents, and damaged ones are a segmentation fault; 2 reads them.
            options: Any = {"memory_map": False} if "memory_map" in inspect.signature(polars.read_ipc).parameters else {}
            return polars.read_ipc(file, **options)

        try:
            return guarded(read)
        except Exception as error:
            what = "a Parquet file" if format == "parquet" else "an Arrow file"
            raise InputError(f"{source}: cannot be read as {what}: {reason(error)}") from None


def to_polars(source: str, given: Any) -> polars.DataFrame:
    """A polars frame from a frame or a column of polars, pandas, PyArrow or DuckDB, without a loop over rows."""
    import polars

    def read() -> polars.DataFrame:
        if isinstance(given, polars.DataFrame):
            return given
        if isinstance(given, polars.LazyFrame):
            return given.collect()
        if isinstance(given, polars.Series):
            return given.to_frame()
        library = type(given).__module__.partition(".")[0]
        if library == "pandas":
            return _from_pandas(source, given)
        if library == "pyarrow" and not hasattr(given, "schema"):
            return polars.Series(given).to_frame()
        return polars.DataFrame(given)

    try:
        return guarded(read)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{source}: a {type(given).__name__} cannot be read as a frame: {reason(error)}") from None


def index_of(given: Any) -> list[str]:
    """The names of the index of a frame or series of pandas, which is not read; rows that are only counted have none."""
    index = getattr(given, "index", None)
    if type(given).__module__.partition(".")[0] != "pandas" or not hasattr(index, "names"):
        return []
    names = ["" if name is None else str(name) for name in index.names]  # type: ignore[union-attr]
    return [] if names == [""] and type(index).__name__ == "RangeIndex" else names


def _from_pandas(source: str, given: Any) -> polars.DataFrame:
    """Without PyArrow, which pandas' own road to Arrow needs; only what PyArrow holds already comes through it."""
    import polars

    if not hasattr(given, "columns"):  # a series or an index
        column = given.to_series() if hasattr(given, "to_series") else given
        return _pandas_column("" if given.name is None else str(given.name), column).to_frame()
    names = [str(name) for name in given.columns]
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"{source}: two columns are named {again!r}")
    return polars.DataFrame([_pandas_column(name, given.iloc[:, place]) for place, name in enumerate(names)])


def _pandas_column(name: str, column: Any) -> polars.Series:
    import polars

    kind = column.dtype
    if hasattr(column, "cat"):
        codes = polars.Series(column.cat.codes.to_numpy().astype(np.int64))
        return _pandas_column(name, column.cat.categories.to_series()).gather(codes.set(codes < 0, None))
    if type(kind).__name__ == "ArrowDtype" or getattr(kind, "storage", None) == "pyarrow":
        return polars.Series(name, column.array.__arrow_array__())
    if hasattr(kind, "numpy_dtype"):  # Int64, Float64, boolean: numbers beside a mask
        missing = polars.Series(column.isna().to_numpy())
        return polars.Series(name, column.to_numpy(dtype=kind.numpy_dtype, na_value=kind.type(0))).set(missing, None)
    values = column.to_numpy()
    if values.dtype.kind == "O":
        values = values.copy()
        values[column.isna().to_numpy()] = None
        return series_of(name, values.tolist())
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    try:
        return polars.Series(name, values)
    except (TypeError, ValueError, polars.exceptions.PolarsError):
        return polars.Series(name, values.tolist(), dtype=polars.Object)


def series_of(name: str, values: list[Any]) -> polars.Series:
    """A column of Python objects: of their kind where all have one, otherwise as they are.

    Nothing is converted, as polars would: of a list with 1 and a list with 2.5 it makes lists with 1 and 2.
    """
    import polars

    kinds = {type(value) for value in values if value is not None}
    dtype: Any = polars.Object
    if kinds and kinds <= {list, tuple, np.ndarray}:
        values = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
        inner = {type(one) for value in values if value is not None for one in (value if isinstance(value, list | tuple) else [value])}
        inner.discard(type(None))
        if inner == {int}:
            dtype = polars.List(polars.Int64)
        elif inner and inner <= {int, float} and not any(is_rounded(one) for value in values if value is not None for one in value):
            dtype = polars.List(polars.Float64)
            values = [None if value is None else [None if one is None else float(one) for one in value] for value in values]
        elif inner <= {str}:
            dtype = polars.List(polars.String)
    elif len(kinds) <= 1:
        dtype = None
    try:
        return polars.Series(name, values, dtype=dtype, strict=True)
    except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
        return polars.Series(name, values, dtype=polars.Object)


def as_number(column: polars.Series, flags: bool = False) -> polars.Series:
    """Float64; null where there is no number. With `flags`, text may also say true or false."""
    import polars

    kind = column.dtype
    if isinstance(kind, polars.Categorical | polars.Enum):
        column, kind = column.cast(polars.String), polars.String()
    if kind == polars.String:
        column = column.str.strip_chars()
    if isinstance(kind, polars.String | polars.Decimal):
        floats = column.cast(polars.Float64, strict=False)
        if flags and kind == polars.String and floats.null_count() > column.null_count():
            floats = floats.fill_null(flags_of_text(column))
        long = (floats.abs() >= 2.0**53).arg_true().to_list()  # of the others every whole number is held
        return floats.scatter([row for row in long if is_rounded(column[row])], None) if long else floats
    if kind == polars.Object:
        return polars.Series(column.name, [_float(value) for value in column.to_list()], dtype=polars.Float64)
    if kind.is_numeric() or kind in (polars.Boolean, polars.Null):
        floats = column.cast(polars.Float64, strict=False)
        return floats.set(floats.cast(kind, strict=False).ne_missing(column), None) if kind.is_integer() else floats
    return polars.Series(column.name, [None] * len(column), dtype=polars.Float64)


def flags_of_text(texts: polars.Series) -> polars.Series:
    """1 for true, 0 for false, null for anything else."""
    import polars

    return texts.str.to_lowercase().replace_strict(FLAGS, default=None, return_dtype=polars.Float64)


def _float(value: Any) -> float | None:
    import polars

    if isinstance(value, str):
        return as_number(polars.Series([value]))[0]  # type: ignore[no-any-return]
    try:
        return float(value) if isinstance(value, Real | Decimal | np.number) and not is_rounded(value) else None
    except (OverflowError, ValueError):
        return None


def id_column(role: str, column: polars.Series, refuse: Refuse) -> IdColumn:
    """Ids, with code -1 where there is none: the distinct ones are a series of text or whole numbers, or a list of anything else."""
    import polars

    column = _as_ids(role, column, refuse)
    if column.dtype not in (polars.String, polars.Int64):
        return IdColumn(*_code_objects(role, column, refuse))
    if column.dtype == polars.Int64 and not column.null_count():
        return IdColumn.uncoded(column)
    if column.dtype == polars.String and (column == "").any():
        column = column.set(column == "", None)
    return IdColumn(*code_series(column))


def _as_ids(role: str, column: polars.Series, refuse: Refuse) -> polars.Series:
    """Text as String, whole numbers as Int64 where they fit, anything else as it is."""
    import polars

    kind = column.dtype
    if isinstance(kind, polars.Categorical | polars.Enum | polars.Null):
        return column.cast(polars.String)
    if kind.is_float():
        column = column.fill_nan(None)
        limit = 2.0**53 if kind == polars.Float64 else 2.0**24 if kind == polars.Float32 else 2.0**11
        vague = ~(column.abs() < limit).fill_null(True)  # the next one is rounded to the limit
        if vague.any():
            row = int(vague.arg_max())  # type: ignore[arg-type]
            raise refuse(row, f"the {role} is {column[row]!r}, and {kind} does not tell such numbers apart; expected whole numbers or text")
    if kind.is_numeric():
        whole = column.cast(polars.Int64, strict=False)
        if whole.null_count() == column.null_count() and (kind.is_integer() or (whole.cast(kind) == column).fill_null(True).all()):
            return whole
    return column


def _check_nanoseconds(role: str, column: polars.Series, refuse: Refuse) -> None:
    """Python's times end at microseconds: what is between two of them would become one id."""
    import polars

    kind = column.dtype
    if kind == polars.Time or getattr(kind, "time_unit", None) == "ns":
        cut = (column.to_physical() % 1000 != 0).fill_null(False)
        if cut.any():
            row = int(cut.arg_max())  # type: ignore[arg-type]
            at = f"{column[row]} and {column.to_physical()[row] % 1000} ns"
            raise refuse(row, f"the {role} is {at}, and ids have no nanoseconds; expected microseconds, whole numbers or text")


def _code_objects(role: str, column: polars.Series, refuse: Refuse) -> tuple[Codes, list[Any]]:
    import polars

    codes: list[int] = []
    known: dict[Any, int] = {}
    _check_nanoseconds(role, column, refuse)
    is_flag = column.dtype == polars.Boolean and role not in ("user", "item")
    for row, given in enumerate(column.to_list()):
        id = given.item() if isinstance(given, np.generic) else given
        if isinstance(id, bool) and not is_flag:  # which Python takes for 1 or 0
            raise refuse(row, f"the {role} is {str(id).lower()}, expected text or a whole number")
        if id is None or id != id or (isinstance(id, str) and not id):
            codes.append(-1)
            continue
        try:
            if isinstance(id, str):
                id.encode()
            codes.append(known.setdefault(id, len(known)))
        except TypeError:
            raise refuse(row, not_hashable(role, id)) from None
        except UnicodeEncodeError:
            raise refuse(row, f"the {role} {quoted(id)} holds an unpaired surrogate, which is no text") from None
    return np.array(codes, dtype=np.int32), list(known)
