"""Files that tasks read, each as every other evaluation reads it: text, in which Spark would forgive too much."""

from __future__ import annotations

import os
import pickle
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows, of_one_system
from aspectrum.coding.table import Named, are_whole, flags_of
from aspectrum.diagnostics.notices import Notice, added
from aspectrum.errors import InputError
from aspectrum.integrations.spark.workers import Batches, caught
from aspectrum.io import Source, read_input
from aspectrum.io.files import files_of, printed

_FILES = "path string, name string"
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Files:
    """The files of one input. Each is read by one task, and is whole in its memory.

    Args:
        spark: The session.
        input: Which input they are.
        source: How they are read.
        paths: Each file, as tasks find it, and what errors call it.
        ids: By role, an id of each file: a word if there is one, else a number, if possible one that is too large for Spark.
        numbers: Roles of numbers.
        notices: What there is to say of how they were read.
    """

    spark: SparkSession
    input: str
    source: Source
    paths: tuple[tuple[str, str], ...]
    ids: Mapping[str, list[Named]]
    numbers: tuple[str, ...]
    notices: tuple[Notice, ...] = ()

    @staticmethod
    def of(spark: SparkSession, input: str, source: Source) -> Files:
        """Files that can be read, all with the same columns."""
        found = files_of(source.path)
        is_one = found == [source.path]
        paths = tuple((os.path.abspath(path), source.named(input) if is_one else printed(path)) for path in found)
        looks: dict[str, _Look] = {}
        for path, look, error in (
            _tasks(spark, paths).mapInArrow(_Looking(input, source), "path string, look binary, error binary").collect()
        ):
            if error is not None:
                raise pickle.loads(error)
            looks[path] = pickle.loads(look)
        several = [(name, looks[path]) for path, name in paths]
        (_, first), *others = several
        for name, look in others:
            if odd := sorted({*look.ids, *look.numbers} ^ {*first.ids, *first.numbers}):
                has = "a" if odd[0] in (*look.ids, *look.numbers) else "no"
                raise InputError(f"{name}: has {has} {odd[0]} column, unlike the files before it")
        ids = {role: [(name, look.ids[role]) for name, look in several if len(look.ids[role].ids)] for role in first.ids}
        systems = {one.ids[0]: name for name, one in ids.get("system", ())}
        if input == "rankings" and len(systems) > 1:
            (one, here), (other, there), *_ = systems.items()
            raise InputError(
                f"{source.named(input)}: holds lists of several systems ({one!r} in {here}, {other!r} in {there}); give each its own folder"
            )
        return Files(
            spark, input, source, paths, ids, first.numbers, tuple(added(notice for _, look in several for notice in look.notices))
        )

    @property
    def columns(self) -> list[str]:
        return [*self.ids, *self.numbers]

    def frame(self, numbers: Collection[str]) -> DataFrame:
        """Their rows, in columns that are called by their roles.

        Args:
            numbers: Roles whose ids are whole numbers; all others are text.
        """
        ids = [StructField(role, LongType() if role in numbers else StringType()) for role in self.ids]
        schema = StructType([*ids, *(StructField(role, DoubleType()) for role in self.numbers)])
        return _tasks(self.spark, self.paths).mapInArrow(_Reading(self.input, self.source, schema), schema)


def _tasks(spark: SparkSession, paths: Collection[tuple[str, str]]) -> DataFrame:
    """A task for each file."""
    return spark.createDataFrame(spark.sparkContext.parallelize(paths, len(paths)), _FILES)


@dataclass(frozen=True)
class _Look:
    """The columns of a file: an id of each role, as :class:`Files` has it, and the roles of numbers; what there is to say of it."""

    ids: Mapping[str, IdColumn]
    numbers: tuple[str, ...]
    notices: tuple[Notice, ...]

    @staticmethod
    def of(input: str, rows: Rows) -> _Look:
        if input == "rankings":
            of_one_system(rows, "give each system a file of its own")
        return _Look({role: _example(rows, role) for role in rows.ids}, tuple(rows.numbers), tuple(rows.notices))


def _example(rows: Rows, role: str) -> IdColumn:
    column = rows.ids[role]
    ids: Any = column.ids
    if len(ids) and not hasattr(ids, "dtype"):
        raise InputError(
            f"{rows.source}: {role} ids are {type(ids[0]).__name__}, such as {quoted(ids[0])}; Spark takes text or whole numbers"
        )
    without = np.flatnonzero(~flags_of(column.codes[column.codes >= 0], len(ids)))
    if role == "user" and len(without):  # which rows of a DataFrame cannot say
        raise InputError(
            f"{rows.source}: user {quoted(ids[int(without[0])])} has an empty list, which Spark reads from Parquet only, as an array of items"
        )
    if len(ids) and column.untyped is not None:
        words = ids.filter(~are_whole(ids))
        large = ids.filter(ids.cast(int, strict=False).is_null())
        ids = next((some for some in (words, large) if len(some)), ids)
    return IdColumn(column.codes[:0], ids[:1], column.untyped)


def _looked_at(input: str, source: Source, path: str, name: str) -> bytes:
    return pickle.dumps(_Look.of(input, _read(input, source, path, name)))


@dataclass(frozen=True)
class _Looking:
    """Files to what they hold, or what is wrong with them."""

    input: str
    source: Source

    def __call__(self, batches: Batches) -> Batches:
        for path, name in _files(batches):
            look, error = caught(partial(_looked_at, self.input, self.source, path, name))
            columns = [pyarrow.array([path]), pyarrow.array([look], pyarrow.binary()), pyarrow.array([error], pyarrow.binary())]
            yield pyarrow.RecordBatch.from_arrays(columns, ["path", "look", "error"])


@dataclass(frozen=True)
class _Reading:
    """Files to their rows."""

    input: str
    source: Source
    schema: StructType

    def __call__(self, batches: Batches) -> Batches:
        import polars

        schema = to_arrow_schema(self.schema)
        for path, name in _files(batches):
            rows = _read(self.input, self.source, path, name)
            columns: dict[str, Any] = {}
            for role, column in rows.ids.items():
                ids = polars.Series(column.ids, dtype=None if len(column.ids) else polars.String)
                codes = polars.Series(column.codes).cast(polars.UInt32, strict=False)  # -1 becomes null
                kind = polars.Int64 if isinstance(self.schema[role].dataType, LongType) else polars.String
                columns[role] = ids.cast(kind).gather(codes)
            frame = polars.DataFrame({**columns, **rows.numbers}).select(self.schema.names)
            yield from frame.to_arrow().cast(schema).to_batches(max_chunksize=_ROWS_AT_ONCE)


def _files(batches: Batches) -> Iterator[tuple[str, str]]:
    return (file for batch in batches for file in zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _read(input: str, source: Source, path: str, name: str) -> Rows:
    part = "" if not source.is_path or source.part is None else f"#{source.part}"
    return read_input(input, replace(source, data=path + part, name=name))
