"""Frames of pandas, polars, PyArrow and DuckDB, with every kind of column they have."""

import datetime
import decimal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import aspectrum as asp
from aspectrum.errors import InputError
from aspectrum.io import is_external
from aspectrum.io.frames import as_number, series_of
from tests.io.reading import read, refused

BIG = 2**60 + 1  # which a floating-point number does not hold


def arrow(values: list[Any], kind: Any) -> Any:
    return pd.Series(values, dtype=pd.ArrowDtype(kind))


def items(given: Any) -> list[Any]:
    return read("catalogue", given)["item"]


PANDAS: dict[str, tuple[Any, list[Any]]] = {
    "int64": (np.array([BIG, 2]), [BIG, 2]),
    "uint64": (np.array([2**64 - 1, 2], dtype=np.uint64), [2**64 - 1, 2]),
    "int8": (np.array([-1, 2], dtype=np.int8), [-1, 2]),
    "Int64": (pd.array([BIG, 2], dtype="Int64"), [BIG, 2]),
    "UInt16": (pd.array([7, 2], dtype="UInt16"), [7, 2]),
    "whole float64": (np.array([1.0, 2.0]), [1, 2]),
    "float16": (np.array([1.0, 2.0], dtype=np.float16), [1, 2]),
    "whole Float32": (pd.array([1.0, 2.0], dtype="Float32"), [1, 2]),
    "float64": (np.array([1.5, 2.0]), [1.5, 2.0]),
    "text": (pd.Series(["a", "b"]), ["a", "b"]),
    "string": (pd.array(["a", "b"], dtype="string"), ["a", "b"]),
    "string python": (pd.array(["a", "b"], dtype="string[python]"), ["a", "b"]),
    "object text": (pd.Series(["a", "b"], dtype=object), ["a", "b"]),
    "object numbers": (pd.Series([BIG, 2], dtype=object), [BIG, 2]),
    "object huge": (pd.Series([10**30, 10**60], dtype=object), [10**30, 10**60]),
    "object numpy": (pd.Series([np.int64(BIG), np.int64(2)], dtype=object), [BIG, 2]),
    "object mixed": (pd.Series(["a", 2], dtype=object), ["a", 2]),
    "object zero": (pd.Series(["a\0b", "b"], dtype=object), ["a\0b", "b"]),
    "categories": (pd.Categorical(["a", "b", "a"]), ["a", "b", "a"]),
    "categories of numbers": (pd.Categorical([BIG, 2, BIG]), [BIG, 2, BIG]),
    "arrow int": (arrow([BIG, 2], pa.int64()), [BIG, 2]),
    "arrow text": (arrow(["a", "b"], pa.large_string()), ["a", "b"]),
    "arrow categories": (arrow(["a", "b"], pa.dictionary(pa.int8(), pa.string())), ["a", "b"]),
    "sparse": (pd.arrays.SparseArray([0, 5]), [0, 5]),
    "dates": (pd.to_datetime(["2024-01-01", "2024-01-02"]), [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)]),
    "list": (pd.Series([["a", "b"], ["c"]], dtype=object), ["a", "b", "c"]),
    "tuple": (pd.Series([("a", "b"), ("c",)], dtype=object), ["a", "b", "c"]),
    "array": (pd.Series([np.array([1, 2]), np.array([3])], dtype=object), [1, 2, 3]),
}


@pytest.mark.parametrize("kind", PANDAS)
def test_ids_of_pandas(kind: str) -> None:
    values, found = PANDAS[kind]
    assert items(pd.DataFrame({"item": values})) == found
    assert items(pd.DataFrame({"other": 1, "item": values}).set_index(np.arange(len(values)) + 5)) == found
    assert items(pd.Series(values, name="item")) == found
    assert items(pd.Series(values)) == found


@pytest.mark.parametrize(
    "values",
    [
        pd.array([BIG, None], dtype="Int64"),
        np.array([1.0, np.nan]),
        pd.array([1.0, None], dtype="Float64"),
        pd.Series(["a", None]),
        pd.array(["a", None], dtype="string"),
        pd.array(["a", None], dtype="string[python]"),
        pd.Series(["a", None], dtype=object),
        pd.Series(["a", np.nan], dtype=object),
        pd.Series(["a", pd.NA], dtype=object),
        pd.Series([1, pd.NaT], dtype=object),
        pd.Series(["a", ""], dtype=object),
        pd.Series([1, "", "a"], dtype=object)[[0, 1]],
        pd.Categorical(["a", None]),
        pd.Categorical([BIG, None]),
        arrow([BIG, None], pa.int64()),
        pd.Series(["2024-01-01", None], dtype="datetime64[ns]"),
        pd.Series([["a"], None], dtype=object),
        pd.Series([["a"], [None]], dtype=object),
        pd.Series([["a"], [""]], dtype=object),
    ],
)
def test_missing_ids_of_pandas(values: Any) -> None:
    assert refused("catalogue", pd.DataFrame({"item": values})) == "catalogue, row 2: the item is missing"


def test_missing_ids_beside_big_ones_do_not_make_floats() -> None:
    genres = pd.DataFrame({"item": [1, 2], "aspect": pd.array([BIG, None], dtype="Int64")})
    assert read("aspects", genres) == {"item": [1, 2], "aspect": [BIG, None]}
    genres["aspect"] = pd.Categorical([BIG, None])
    assert read("aspects", genres) == {"item": [1, 2], "aspect": [BIG, None]}


@pytest.mark.parametrize(
    "values", [np.array([1.0, 2.0**53 + 2]), np.array([1.0, np.inf]), np.array([1, 2**24 + 2], dtype=np.float32), [1.0, -1e300]]
)
def test_ids_that_lost_digits_are_refused(values: Any) -> None:
    assert "row 2: the item is" in refused("catalogue", pd.DataFrame({"item": values}))


@pytest.mark.parametrize(
    "values",
    [[True, False], pd.Series([1, True], dtype=object), pd.array([True, False], dtype="boolean"), pd.Series([1, np.True_], dtype=object)],
)
def test_true_is_no_item(values: Any) -> None:
    assert "expected text or a whole number" in refused("catalogue", pd.DataFrame({"item": values}))
    flags = pl.DataFrame({"item": ["a", "b"], "aspect": [True, False]})
    assert read("aspects", flags)["aspect"] == [True, False]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([{"a": 1}, {"a": 2}]),
        pd.Series([["a"], "b"]),
        pd.Series([{1}, {2}]),
        pd.Series([np.eye(2), np.eye(2)]),
        pd.Series(["\ud800", "a"], dtype=object),
    ],
)
def test_what_is_no_id(values: Any) -> None:
    assert "row 1: " in refused("catalogue", pd.DataFrame({"item": values}))


NUMBERS: dict[str, tuple[Any, list[float]]] = {
    "int64": (np.array([3, 2]), [3.0, 2.0]),
    "float32": (np.array([0.1, 2], dtype=np.float32), [float(np.float32(0.1)), 2.0]),
    "Float64": (pd.array([0.1, 2], dtype="Float64"), [0.1, 2.0]),
    "object": (pd.Series([1, 0.5], dtype=object), [1.0, 0.5]),
    "object decimals": (pd.Series([decimal.Decimal("0.1"), decimal.Decimal(2)], dtype=object), [0.1, 2.0]),
    "object mixed": (pd.Series([decimal.Decimal("0.1"), " 2 ", 1, np.float32(0.5)], dtype=object), [0.1, 2.0, 1.0, 0.5]),
    "text": (pd.Series(["0.1", "2e0"]), [0.1, 2.0]),
    "categories": (pd.Categorical(["7", "5", "7"]), [7.0, 5.0, 7.0]),
    "flags": ([True, False], [1.0, 0.0]),
    "arrow decimals": (arrow([decimal.Decimal("0.10")], pa.decimal128(10, 2)), [0.1]),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_pandas(kind: str) -> None:
    values, found = NUMBERS[kind]
    frame = pd.DataFrame({"user": "u", "item": range(len(found)), "score": values})
    assert read("rankings", frame)["score"] == found


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nan],
        [1.0, np.inf],
        pd.array([1, None], dtype="Int64"),
        pd.Series([1, None], dtype=object),
        pd.Series([1, "x"], dtype=object),
        pd.Series([1, 10**400], dtype=object),
        pd.Series(["1", "1_0"]),
        pd.Series(["1", "１"]),
        pd.Series([1, 1j], dtype=object),
        pd.Categorical(["1", "x"]),
    ],
)
def test_what_is_no_number(values: Any) -> None:
    frame = pd.DataFrame({"user": "u", "item": ["a", "b"], "score": values})
    assert "rankings, row 2: the score is" in refused("rankings", frame)


@pytest.mark.parametrize("values", [pd.to_datetime(["2024-01-01"]), pd.Series([[1.0]]), pd.to_timedelta(["1s"]), pd.Series([b"1"])])
def test_dates_and_lists_are_no_numbers(values: Any) -> None:
    frame = pd.DataFrame({"user": "u", "item": ["a"], "score": values})
    assert "rankings, row 1: the score is" in refused("rankings", frame)


def test_names_of_pandas_columns() -> None:
    assert refused("rankings", pd.DataFrame([[1, 2, 3]], columns=["user", "user", "item"])) == "rankings: two columns are named 'user'"
    assert refused("rankings", pd.DataFrame()) == "rankings: has no columns"
    assert read("rankings", asp.Source(pd.DataFrame([[1, 2]]), columns={"user": "0", "item": "1"})) == {"user": [1], "item": [2]}
    assert items(pd.Index([5, 6], name="item")) == [5, 6]


POLARS: dict[str, tuple[pl.Series, list[Any]]] = {
    "text": (pl.Series(["a", "b"]), ["a", "b"]),
    "categories": (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
    "enum": (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
    "uint64": (pl.Series([2**64 - 1, 1], dtype=pl.UInt64), [2**64 - 1, 1]),
    "small uint64": (pl.Series([2**63 - 1, 1], dtype=pl.UInt64), [2**63 - 1, 1]),
    "int128": (pl.Series([10**30, 1], dtype=pl.Int128), [10**30, 1]),
    "small int128": (pl.Series([BIG, 1], dtype=pl.Int128), [BIG, 1]),
    "whole decimals": (pl.Series([decimal.Decimal("1.00"), decimal.Decimal("2.00")]), [1, 2]),
    "decimals": (pl.Series([decimal.Decimal("1.50"), decimal.Decimal("2.00")]), [decimal.Decimal("1.5"), decimal.Decimal(2)]),
    "float32": (pl.Series([1.0, 2.0], dtype=pl.Float32), [1, 2]),
    "bytes": (pl.Series([b"a", b"b"]), [b"a", b"b"]),
    "dates": (pl.Series([datetime.date(2024, 1, 1)]), [datetime.date(2024, 1, 1)]),
    "lists": (pl.Series([["a", "b"], [], ["c"]]), ["a", "b", "c"]),
    "arrays": (pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int16, 2)), [1, 2, 3, 4]),
    "objects": (pl.Series([("a", 1), ("b", 2)], dtype=pl.Object), [("a", 1), ("b", 2)]),
}


@pytest.mark.parametrize("kind", POLARS)
def test_ids_of_polars(kind: str) -> None:
    series, found = POLARS[kind]
    assert items(series.to_frame("item")) == found
    assert items(series.to_frame("item").lazy()) == found
    assert items(series) == found
    if kind != "objects":
        repeated = pl.concat([series, series], rechunk=False)
        assert items(repeated.to_frame("item")) == found + found
        assert items(pl.DataFrame({"item": series})[1:]) == items(series[1:])


def test_numbers_that_do_not_fit_match_across_frames() -> None:
    lists = pl.DataFrame({"user": [2**64 - 1, 1], "item": pl.Series([10**30, 5], dtype=pl.Int128)})
    truth = pl.DataFrame({"user": [decimal.Decimal(2**64 - 1), decimal.Decimal(1)], "item": pl.Series([10**30, 6], dtype=pl.Int128)})
    assert asp.evaluate(lists, "NDCG@1", relevance=truth).per_user["NDCG@1"].to_list() == [1.0, 0.0]


def test_lazy_frames_work_when_they_are_read() -> None:
    lazy = pl.scan_csv("/nowhere/x.csv")
    assert is_external(lazy)
    assert "a LazyFrame cannot be read as a frame" in refused("rankings", lazy)
    broken = pl.LazyFrame({"user": ["u"], "item": ["x"]}).with_columns(score=pl.col("item").cast(pl.Float64))
    assert "a LazyFrame cannot be read as a frame" in refused("rankings", broken)


def test_a_panic_of_polars_is_an_error() -> None:
    def panic(_: Any) -> Any:
        raise type("PanicException", (BaseException,), {})("index out of bounds\nnote: ...")

    lazy = pl.LazyFrame({"user": ["u"], "item": ["x"]}).map_batches(lambda frame: frame)
    lazy.collect = panic.__get__(lazy)  # type: ignore[method-assign]
    assert refused("rankings", lazy) == "rankings: a LazyFrame cannot be read as a frame: index out of bounds"


ARROW = pa.table({"user": ["u", "v"], "item": pa.array([5, 7], pa.uint8()), "score": pa.array([1, 2], pa.decimal128(10, 1))})


@pytest.mark.parametrize(
    "make", [lambda: ARROW, ARROW.to_reader, lambda: ARROW.to_batches()[0], lambda: pa.concat_tables([ARROW[:1], ARROW[1:]])]
)
def test_arrow(make: Any) -> None:
    assert is_external(make())
    assert read("rankings", make()) == {"user": ["u", "v"], "item": [5, 7], "score": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["a", "b"], pa.string_view()), ["a", "b"]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([5, 7]).dictionary_encode(), [5, 7]),
        (pa.array([5, 7], pa.decimal128(38, 0)), [5, 7]),
        (pa.array([["a", "b"], []], pa.list_(pa.string())), ["a", "b"]),
        (pa.array([[1, 2]], pa.list_(pa.int8(), 2)), [1, 2]),
        (pa.array([b"a"]), [b"a"]),
        (pa.chunked_array([["a"], [], ["b"]]), ["a", "b"]),
    ],
)
def test_ids_of_arrow(array: Any, found: list[Any]) -> None:
    assert items(pa.table({"item": array})) == found
    assert items(array) == found


def test_arrow_that_breaks_off() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield ARROW.to_batches()[0]
        raise RuntimeError("the database\nwent away")

    assert "the database" in refused("rankings", pa.RecordBatchReader.from_batches(ARROW.schema, batches()))
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["user", "user"])
    assert refused("rankings", twice).startswith("rankings: a Table cannot be read as a frame: ")
    assert refused("catalogue", pa.table({"item": pa.nulls(2)})) == "catalogue, row 1: the item is missing (in 2 rows)"


def test_duckdb(tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql("select 'u' as user, unnest([3, 4])::hugeint as item, 0.5 as score")
    assert is_external(relation)
    assert read("rankings", relation) == {"user": ["u", "u"], "item": [3, 4], "score": [0.5, 0.5]}
    genres = connection.sql("select 1 as item, ['a', 'b'] as genres union all select 2, []")
    assert sorted(read("aspects", genres)["aspect"]) == ["a", "b"]
    huge = connection.sql("select 12345678901234567890123::hugeint as item")
    assert items(huge) == [decimal.Decimal("12345678901234567890123")]


def test_what_is_no_frame() -> None:
    for given in ({}, [], 5, {"u": ["a"]}, np.eye(2), object()):
        assert not is_external(given)
    assert "cannot be read as a frame" in refused("rankings", asp.Source(object()))


def test_text_and_numbers_never_match() -> None:
    with pytest.raises(InputError, match="user ids have different types"):
        asp.evaluate(pl.DataFrame({"user": ["1"], "item": ["a"]}), "NDCG@1", relevance=pd.DataFrame({"user": [1], "item": ["a"]}))


def test_python_objects_become_a_column_of_their_kind_or_stay() -> None:
    for values, kind in (
        ([[1], [2.5]], pl.List(pl.Float64)),
        ([[1, 2.5], None, []], pl.List(pl.Float64)),
        ([[1], ["a"]], pl.Object),
        ([[], []], pl.List(pl.String)),
        ([[2**63]], pl.Object),
        ([1, 2.5], pl.Object),
        ([1, True], pl.Object),
        ([None, None], pl.Null),
        ([2**63], pl.UInt64),
    ):
        found = series_of("x", values)
        assert found.dtype == kind and found.to_list() == values
    assert as_number(pl.Series([[1.0]])).to_list() == [None]
