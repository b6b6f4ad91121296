"""Lists, and what is known of users, as DataFrames: which column is what, and the rows of a user brought together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import polars
import pyarrow  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, BooleanType, ByteType, DataType, IntegerType, LongType, NumericType, ShortType, StringType

from aspectrum.arrays import check_count
from aspectrum.coding.ids import Ids, is_text, quoted
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.table import Named, are_whole, settled
from aspectrum.conventions import Convention
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS, InputSpec
from aspectrum.integrations.spark.files import Files
from aspectrum.integrations.spark.workers import PARTS, AddingSurveys, Inputs, Observed, Shipped, Surveying, observed, split, survey_of_row
from aspectrum.io import Source, read_input
from aspectrum.io.columns import find_columns, is_flag_name
from aspectrum.joining import JOINED, Survey
from aspectrum.plan import Plan
from aspectrum.shipping import packed

FAN_IN = 16  # parts that one task, and at last the driver, adds up
_WHOLE = (ByteType, ShortType, IntegerType, LongType)
_IDS = ("user", "item", "aspect")


def as_source(given: Any) -> Source:
    return given if isinstance(given, Source) else Source(given)


def is_table(given: Any) -> bool:
    """Whether something is a DataFrame of Spark, or files that its tasks read."""
    return isinstance(given.data if isinstance(given, Source) else given, DataFrame | Files)


@dataclass(frozen=True)
class Lists:
    """Lists of a DataFrame, whose columns are called by their roles: mapInArrow does not take every name.

    Args:
        frame: A row per user and item, or per user and array of items.
        partitions: How many parts they are shuffled into; None leaves it to Spark.
        order_shows: Whether the order of rows that are equal by rank or score does.
        inputs: Whose rows these are, if they are those of several inputs.
    """

    frame: DataFrame
    partitions: int | None
    order_shows: bool
    inputs: Inputs = field(default=(), kw_only=True)

    @staticmethod
    def of(given: DataFrame | Source, convention: Convention, reading: Reading, partitions: int | None) -> Lists:
        source = as_source(given)
        if not isinstance(source.data, DataFrame):
            raise InputError(f"df is {type(source.data).__name__}, expected a DataFrame of Spark; asp.evaluate takes other lists")
        if partitions is not None:
            check_count(partitions, "partitions", 1)
        frame, arrays = _in_order("rankings", source, convention, reading)
        return Lists(frame, partitions, arrays or reading.duplicates == "first")

    @property
    def spark(self) -> SparkSession:
        return self.frame.sparkSession

    @cached_property
    def by_user(self) -> DataFrame:
        """Rows of a user in one partition, one after the other.

        The kernels order lists faster than Spark does, by rank or score and then by item, whatever the order of the rows. That only shows
        where a user has several arrays, or where the first of several rows with the same item counts.
        """
        roles = ("rank", "score", "item", "system") if self.order_shows else ()
        columns = [
            name for role in roles for name in self.frame.columns if name.split("_")[0] == role
        ]  # of several inputs, with their type
        return brought_together(self.frame, self.partitions, *columns)

    @property
    def users(self) -> DataFrame:
        """Everybody who has a list, once."""
        return self.frame.select("user").distinct()

    def nothing(self, plan: Plan) -> Observed:
        """A part without rows."""
        return observed(plan, empty(self.frame), self.inputs)

    @contextmanager
    def shipped(self, plan: Plan, kept: bool = False) -> Iterator[Shipped]:
        """A plan that workers can open, within."""
        message, arrays = packed(plan)
        content = arrays.to_pybytes()
        head = 7 if len(content) + 64 < 2**32 else 11  # what pickle writes first, so that arrays are aligned where the file is mapped
        broadcast = self.spark.sparkContext.broadcast(bytes(-head % 64) + content)
        try:
            yield Shipped(message, broadcast, len(content))
        finally:
            if not kept:
                broadcast.destroy()


@dataclass(frozen=True)
class Joined(Lists):
    """Lists and what is known of their users, one below the other in one DataFrame.

    Args:
        tables: The DataFrame of each input.
        sources: What notices call inputs that have a name.
    """

    tables: Mapping[str, DataFrame]
    sources: Mapping[str, str]

    @staticmethod
    def together(lists: Lists, known: Mapping[str, DataFrame], sources: Mapping[str, str]) -> Joined:
        tables = {"rankings": lists.frame, **known}
        _check_kinds(tables)
        frame, inputs = _union(tables)
        has_arrays = any(
            isinstance(field.dataType, ArrayType) for table in known.values() for field in table.schema if field.name == "item"
        )
        return Joined(frame, lists.partitions, lists.order_shows or has_arrays, tables, sources, inputs=inputs)

    @property
    def users(self) -> DataFrame:
        return self.tables["rankings"].select("user").distinct()

    @property
    def like(self) -> dict[str, Rows]:
        """The columns of each input, without rows; what it is called."""
        found = split(empty(self.frame), self.inputs)
        return {name: replace(rows, source=self.sources.get(name, rows.source)) for name, rows in found.items()}

    def survey(self, reading: Reading) -> Survey:
        """What is known of users, as a whole."""
        known = {name: table for name, table in self.tables.items() if name in JOINED}
        found = Survey.of(self.like, reading)
        if not known:
            return found
        frame, inputs = _union(known)
        surveys = brought_together(frame, self.partitions).mapInArrow(Surveying(inputs, reading), PARTS)
        for row in added_up(surveys, AddingSurveys(), self.partitions).collect():
            found = found + survey_of_row(*row)
        return found


def brought_together(frame: DataFrame, partitions: int | None, *order: str) -> DataFrame:
    """Rows of a user in one partition, one after the other."""
    shuffled = frame.repartition("user") if partitions is None else frame.repartition(partitions, "user")
    return shuffled.sortWithinPartitions("user", *order)


def added_up(parts: DataFrame, adding: Any, partitions: int | None) -> DataFrame:
    """Parts, added until few are left."""
    n = partitions or int(parts.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    while n > FAN_IN:
        n = -(-n // FAN_IN)
        parts = parts.repartition(n).mapInArrow(adding, PARTS)
    return parts


def empty(frame: DataFrame) -> polars.DataFrame:
    """A frame with the same columns."""
    rows = polars.from_arrow(to_arrow_schema(frame.schema).empty_table())
    assert isinstance(rows, polars.DataFrame)
    return rows


def known_of_users(name: str, given: DataFrame | Source, convention: Convention, reading: Reading) -> DataFrame:
    """What is known of users, in columns that are called by their roles."""
    source = as_source(given)
    if source.split is not None:
        raise InputError(f"{name}: split is for files; make a row of each aspect, as with functions.explode(functions.split(...))")
    frame, _ = _in_order(name, source, convention, reading) if name == "baseline" else _renamed(name, source)
    return frame


@dataclass(frozen=True)
class Vectors:
    """Vectors of items in a DataFrame, to be joined by item.

    Args:
        frame: An item and its vector, an array of numbers, in each row.
        items: All items.
        like: One of the vectors.
    """

    frame: DataFrame
    items: Ids
    like: Rows

    @staticmethod
    def of(given: DataFrame | Source, systems: Iterable[Lists]) -> Vectors:
        source = as_source(given)
        name, names, fields = source.named("features"), source.data.columns, source.data.schema.fields
        arrays = [one.name for one in fields if isinstance(one.dataType, ArrayType) and isinstance(one.dataType.elementType, NumericType)]
        vector = source.columns.get("feature", arrays[0] if len(arrays) == 1 else None)
        if vector not in arrays:
            raise InputError(
                f"{name}: joined by item, vectors are an array column of numbers; columns are {', '.join(map(repr, names))}; make one of several "
                "columns with functions.array(...), specify one with ",
                Option("columns", {"feature": "NAME"}),
                ", or collect features with .toArrow()",
            )
        said = {role: column for role, column in source.columns.items() if role == "item"}
        item = names[find_columns("features", InputSpec("features", ("item",)), said, names, len(names), source.usual)["item"]]
        frame = _with_wide_ids(source.data.select(_column(item).alias("item"), _column(str(vector)).alias("feature")))
        for lists in systems:
            _check_kinds({"rankings": lists.frame, "features": frame})
        by_item = frame.groupBy("item").agg(functions.count("*").alias("count"), functions.max(functions.size("feature")).alias("most"))
        items = polars.DataFrame(by_item.toArrow()).sort("item")
        if not items.height:
            raise InputError(f"{name}: features is empty")
        if items["item"].null_count():
            raise InputError(f"{name}: a vector has no item")
        if (again := items.filter(polars.col("count") > 1)).height:
            raise InputError(
                f"{name}: item {quoted(again['item'][0])} has {again['count'][0]} vectors; keep one of each, as with .dropDuplicates(['item'])"
            )
        if (odd := items.filter(polars.col("most") != polars.col("most").first())).height:
            raise InputError(
                f"{name}: the vectors of {quoted(items['item'][0])} and {quoted(odd['item'][0])} have {items['most'][0]} and {odd['most'][0]} numbers"
            )
        like = read_input("features", Source(polars.DataFrame(frame.limit(1).toArrow()), name=source.name))
        return Vectors(frame, Ids(items["item"]), replace(like, place=str))

    def of_users(self, lists: Lists, history: DataFrame | None) -> DataFrame:
        """The vectors of the items in the lists and the history of each user."""
        several = [frame.select("user", "item") for frame in (lists.frame, history) if frame is not None]
        if isinstance(several[0].schema["item"].dataType, ArrayType):
            several[0] = several[0].select("user", functions.explode("item").alias("item"))
        return reduce(DataFrame.unionAll, map(_with_wide_ids, several)).join(self.frame, "item").select("user", "item", "feature")


def names_users(weights: Source) -> bool:
    """Whether weights are those of users, and not everybody's."""
    names = weights.data.columns
    return "user" in find_columns("weights", INPUTS["weights"], weights.columns, names, len(names), weights.usual)


def named_users(rows: Rows, like: DataFrame) -> DataFrame:
    """Users who were named, beside a DataFrame with users."""
    column, are_text = rows.ids["user"], isinstance(like.schema["user"].dataType, StringType)
    ids: list[Any] = [int(id) if isinstance(id, float) and id.is_integer() else id for id in column.ids]
    if not are_text and column.untyped is not None and are_whole(column.ids).all():
        ids = [int(id) for id in ids]
    for id in ids:
        if not (isinstance(id, str) if are_text else isinstance(id, int) and -(2**63) <= id < 2**63):
            kind = "text" if are_text else "whole numbers of 64 bits"
            raise InputError(f"users: {quoted(id)} is not one of the users, whose ids are {kind} in rankings")
    table = pyarrow.table({"user": pyarrow.array(ids, pyarrow.string() if are_text else pyarrow.int64())})
    named: DataFrame = like.sparkSession.createDataFrame(table)
    return named


def with_ids_settled(tables: Mapping[str, Source], others: Mapping[str, Iterable[Named]]) -> dict[str, Source]:
    """Inputs as DataFrames, in which ids of text files are numbers where all of a role can be, as without Spark: ties are broken by them.

    Args:
        tables: DataFrames and files.
        others: Ids that are known beside them, by role.
    """
    files = {name: table.data for name, table in tables.items() if isinstance(table.data, Files)}
    columns = {name: _renamed(name, table)[1] for name, table in tables.items() if name not in files} if files else {}
    numbers = set()
    for role in dict.fromkeys(role for own in files.values() for role in own.ids):
        typed = [(name, tables[name].data, own[role]) for name, own in columns.items() if role in own]
        read = [one for own in files.values() for one in own.ids.get(role, ())]
        several = settled(role, [*others.get(role, ()), *(one for given in typed for one in _first_id(*given)), *read])
        found = several[len(several) - len(read) :]
        for (source, _), ids in zip(read, found, strict=True):
            if not hasattr(ids, "dtype"):
                raise InputError(
                    f"{role} ids are whole numbers of more than 64 bits in {source}, such as {ids[0]}, and those of Spark have 64"
                )
        if read and not any(is_text(ids) for ids in found):
            numbers.add(role)
    as_frames = {
        name: replace(tables[name], data=own.frame(numbers), columns={role: role for role in own.columns}, split=None)
        for name, own in files.items()
    }
    return {**tables, **as_frames}


def kinds_of_ids(lists: Source) -> dict[str, str]:
    """Whether users and items of lists are text or numbers."""
    frame, _ = _renamed("rankings", lists)
    return {role: _kind(frame.schema[role].dataType) for role in ("user", "item")}


def _kind(type: DataType) -> str:
    """What ids are: text or numbers; nothing if neither."""
    type = type.elementType if isinstance(type, ArrayType) else type
    return "text" if isinstance(type, StringType) else "numbers" if isinstance(type, _WHOLE) else ""


def _first_id(name: str, frame: DataFrame, column: str) -> Iterator[Named]:
    """An id of a DataFrame, of which all are of one kind."""
    row = frame.select(_column(column)).first()
    id = None if row is None else row[0][0] if isinstance(row[0], list) and row[0] else row[0]
    if isinstance(id, str | int):
        yield name, IdColumn(np.empty(0, np.int32), polars.Series([id]))


def _renamed(name: str, source: Source) -> tuple[DataFrame, dict[str, str]]:
    """The columns of an input, called by their roles, and how they were called."""
    frame = source.data
    if not hasattr(frame, "_jdf"):
        which = "df" if name == "rankings" else name
        raise InputError(f"{which} belongs to a Spark Connect session, which cannot broadcast; use a session of the cluster itself")
    if frame.sparkSession.sparkContext._jsc is None:
        raise InputError(f"{source.named(name)}: its Spark session was stopped")
    names, spec = frame.columns, INPUTS[name]
    places = find_columns(name, spec, source.columns, names, len(names), source.usual)
    columns = {role: str(names[place]) for role, place in places.items()}
    if "grade" in spec.roles and "grade" not in columns:
        flags = [one for one in names if is_flag_name(one) and one not in columns.values()]
        if any(isinstance(frame.schema[one].dataType, StringType) for one in flags):
            raise InputError(f"{name}: is column {flags[0]!r} the grade? specify it with ", Option("columns", {"grade": flags[0]}))
        flags = [one for one in flags if isinstance(frame.schema[one].dataType, BooleanType)]
        columns |= {"grade": flags[0]} if len(flags) == 1 else {}
    if name == "weights" and "user" not in columns:
        raise InputError("weights: no user column found, so they are everybody's; collect them with .toArrow()")
    frame = frame.select(*(_column(called).alias(role) for role, called in columns.items()))
    collated = [role for role in columns if isinstance(kind := frame.schema[role].dataType, StringType) and kind != StringType()]
    frame = frame.withColumns({role: functions.col(role).cast(StringType()) for role in collated})  # of which equal ones may differ
    return frame, columns


def _column(name: str) -> Column:
    return functions.col(f"`{name.replace('`', '``')}`")


def _in_order(name: str, source: Source, convention: Convention, reading: Reading) -> tuple[DataFrame, bool]:
    """Lists that a rank or a score orders, or that are arrays; and whether they are."""
    names = source.data.columns
    frame, columns = _renamed(name, source)
    arrays = isinstance(frame.schema["item"].dataType, ArrayType)
    if not arrays and not columns.keys() & {"rank", "score"}:
        raise InputError(
            f"{name}: the rows of a Spark DataFrame have no order; expected a rank or score column, or an array of items per user; columns are "
            f"{', '.join(map(repr, names))}; specify it with ",
            Option("columns", {"rank": "NAME"}),
        )
    if not arrays and reading.order == "input":
        raise InputError(
            f"{name}: lists are in input order (convention {convention.name}), and the rows of a Spark DataFrame have no order; use ",
            Option("order", "rank" if "rank" in columns else "score"),
        )
    return frame, arrays


def _union(tables: Mapping[str, DataFrame]) -> tuple[DataFrame, Inputs]:
    """Rows of several inputs: the user, which input it is, and a column for each role and type; and which of these each input has."""
    columns: dict[str, DataType] = {}
    inputs: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    tables = {name: _with_wide_ids(table) for name, table in tables.items()}
    for name, table in tables.items():
        own = {}
        for one in table.schema.fields:
            if one.name != "user":
                own[one.name] = re.sub(r"\W+", "_", f"{one.name}_{one.dataType.simpleString()}")
                columns.setdefault(own[one.name], one.dataType)
        inputs.append((name, tuple(own.items())))
    several = []
    for tag, (name, own_columns) in enumerate(inputs):
        role_of = {column: role for role, column in own_columns}
        cells = [
            (functions.col(role_of[column]) if column in role_of else functions.lit(None).cast(kind)).alias(column)
            for column, kind in columns.items()
        ]
        several.append(tables[name].select("user", functions.lit(tag).alias("tag"), *cells))
    return reduce(DataFrame.unionAll, several), tuple(inputs)


def _with_wide_ids(table: DataFrame) -> DataFrame:
    """Ids that are whole numbers as those of 64 bits, so that inputs share a column."""
    ids = [role for role in _IDS if role in table.columns and isinstance(table.schema[role].dataType, _WHOLE)]
    return table.withColumns({role: functions.col(role).cast("bigint") for role in ids})


def _check_kinds(tables: Mapping[str, DataFrame]) -> None:
    """Users are text everywhere, or whole numbers everywhere: joined, 12 would become '12'. Other ids are of one of these kinds."""
    kinds: dict[str, tuple[str, str]] = {}
    for name, table in tables.items():
        for role in _IDS:
            if role not in table.columns:
                continue
            called = _kind(table.schema[role].dataType)
            if not called:
                raise InputError(
                    f"{name}: the {role} is {table.schema[role].dataType.simpleString()}; where inputs are joined, ids are text or whole numbers"
                )
            before, where = kinds.setdefault(role, (called, name))
            if before != called:
                raise InputError(
                    f"{role} ids have different types: {before} in {where}, {called} in {name}; convert one of them, as with "
                    f".withColumn({role!r}, functions.col({role!r}).cast('string'))"
                )


def refused_beside(name: str, joined: Collection[str]) -> InputError:
    """The error for an input about users that is not joined, though others are."""
    return InputError(
        f"{', '.join(joined)} {'is a DataFrame' if len(joined) == 1 else 'are DataFrames'} of Spark, and {name} is not: what is known of users is "
        f"joined as a whole, or all of it is read by the driver; make a DataFrame of it, as with spark.read or spark.createDataFrame, or "
        f"collect the {'other' if len(joined) == 1 else 'others'} with .toArrow()"
    )
