"""Lists in Spark: users are brought together by Spark, scored where they are, and only what the metrics remember reaches the driver."""

from __future__ import annotations

import mmap
import os
import pickle
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aspectrum.extras import needed

needed("pyspark", "spark", "DataFrames of Spark are evaluated", versions=("4.0", "5"))
needed("pyarrow", "spark", "DataFrames of Spark are evaluated")

import pyarrow  # type: ignore[import-untyped]  # noqa: E402
from py4j.protocol import Py4JJavaError  # noqa: E402
from pyspark import TaskContext  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import DataFrame, SparkSession, functions  # noqa: E402
from pyspark.sql.pandas.types import to_arrow_schema  # noqa: E402
from pyspark.sql.types import ArrayType, DoubleType, StringType, StructField, StructType  # noqa: E402

from aspectrum.api import evaluate as evaluate_here  # noqa: E402
from aspectrum.arguments import with_hints  # noqa: E402
from aspectrum.arrays import check_count  # noqa: E402
from aspectrum.asked import Metrics  # noqa: E402
from aspectrum.conventions import Convention, convention_named  # noqa: E402
from aspectrum.diagnostics.attention import Attention  # noqa: E402
from aspectrum.diagnostics.notices import Option, merged  # noqa: E402
from aspectrum.errors import AspectrumError, InputError  # noqa: E402
from aspectrum.inputs import INPUTS, TRUTH  # noqa: E402
from aspectrum.io import Source, check_files, read_input  # noqa: E402
from aspectrum.io.columns import find_columns, is_place  # noqa: E402
from aspectrum.io.files import files_of, reason  # noqa: E402
from aspectrum.partial import Partial  # noqa: E402
from aspectrum.plan import PLAN_OPTIONS, Plan  # noqa: E402
from aspectrum.results import Results, SystemResults  # noqa: E402
from aspectrum.shipping import MAGIC, packed, unpacked  # noqa: E402
from aspectrum.user_scores import scores_frame  # noqa: E402

if TYPE_CHECKING:
    import polars

__all__ = ["evaluate", "scores"]

_PARTS = "part binary, error binary"
_FAN_IN = 16  # parts that one task, and at last the driver, adds up
_CHUNK_BYTES = 64 << 20  # of rows that a worker scores at a time: about two million
_REFUSED = {
    "per_user": "integrations.spark.scores(df, ...) gives the scores of users, as a DataFrame",
    "progress": "Spark shows the progress of its jobs",
}
_FORM = "{}(df, 'NDCG@10', relevance=...): DataFrame and metrics by position, all else by name"


@with_hints(_FORM.format("evaluate"), like=evaluate_here)
def evaluate(
    df: DataFrame | Source,
    metrics: Metrics,
    *,
    partitions: int | None = None,
    convention: str | Convention | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    **options: Any,
) -> Results:
    """Measure ranked lists in a DataFrame of Spark; the numbers are those of :func:`aspectrum.evaluate`, bit for bit.

    The ground truth is read by the driver and broadcast; the lists stay on the executors. Every executor needs aspectrum installed.

    Args:
        df: One row per user and item, with a rank or a score: rows of a DataFrame have no order. Or one row per user with an array of
            items, best first. Columns are recognised by their usual names; :class:`aspectrum.Source` ``(df, columns={"user": "uid"})`` names them.
        metrics: As for :func:`aspectrum.evaluate`, like all other arguments; `threads` are those of a task, by default
            ``spark.task.cpus``.
        partitions: How many parts the rows are shuffled into. Default: as Spark decides (``spark.sql.shuffle.partitions``).
        ties: ``"ascending"`` (default, unless the convention says otherwise) or ``"descending"`` by item id.

    Examples:
        >>> import aspectrum as asp
        >>> asp.integrations.spark.evaluate(df, "NDCG@10", relevance="test.csv")  # doctest: +SKIP
    """
    attention = Attention(strict, ignore)
    plan = _plan(metrics, convention, options, per_user=False)
    lists = _Lists.of(df, plan, partitions)
    with _explained_errors(), lists.shipped(plan) as shipped:
        parts = lists.by_user.mapInArrow(_Observing(shipped), _PARTS)
        n = partitions or int(lists.frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
        while n > _FAN_IN:
            n = -(-n // _FAN_IN)
            parts = parts.repartition(n).mapInArrow(_Adding(shipped), _PARTS)
        found = parts.collect()
    part = _sum(plan, (_opened(row.part, row.error) for row in found))
    if part is None:
        part = lists.nothing(plan)
    notices = attention.draw(plan.notices_on({"rankings": part.lists}, from_files=True, whole=True))
    results = plan.finish(part, notices=notices)
    # Users who are only counted would not be noticed if they came twice.
    return replace(results, partial=None) if part.lists.ids["user"].uncoded else results


@with_hints(_FORM.format("scores"), like=evaluate_here)
def scores(
    df: DataFrame | Source,
    metrics: Metrics,
    *,
    partitions: int | None = None,
    convention: str | Convention | None = None,
    **options: Any,
) -> DataFrame:
    """Per-user scores, as a DataFrame: user, one column per metric and cutoff; NaN where undefined, null where a user is not averaged.

    Nothing is computed until the DataFrame is used. Arguments are those of :func:`evaluate`. Users without a list are there if they are
    averaged, as in ``result.per_user``.
    """
    import polars

    plan = _plan(metrics, convention, options, per_user=True)
    lists = _Lists.of(df, plan, partitions)
    like = _scored(plan, lists.nothing(plan))
    schema = StructType([lists.frame.schema["user"], *(StructField(name, DoubleType()) for name in like.columns[1:])])
    shipped = lists.shipped(plan, kept=True).__enter__()
    found = lists.by_user.mapInArrow(_Scoring(shipped, schema), schema)
    candidates = plan.averaged_without_lists()
    if len(candidates) == 0:
        return found
    known = polars.DataFrame(candidates.to_series("user")).to_arrow().cast(pyarrow.schema([to_arrow_schema(schema).field("user")]))
    alone = lists.frame.sparkSession.createDataFrame(known).join(lists.frame.select("user").distinct(), "user", "left_anti")
    return found.unionAll(alone.mapInArrow(_ScoringNobody(shipped, schema), schema))


def evaluate_files(
    systems: Mapping[str, Source],
    metrics: Metrics,
    *,
    master: str | None = None,
    partitions: int | None = None,
    per_user: bool = False,
    progress: Any = None,
    **options: Any,
) -> SystemResults:
    """Measure lists in files that Spark reads: Parquet, CSV, TSV or JSON Lines, one file or directory for each system.

    Args:
        systems: Files by the name of their system; every executor must be able to read them.
        metrics: As for :func:`evaluate`, like all other arguments.
        master: The address of the cluster, as ``spark://host:7077`` or ``local[4]``. Default: as Spark is set up.
        per_user: Refused: scores of users stay where they are.
        progress: Not called: Spark shows the progress of its jobs.
    """
    if per_user:
        raise InputError("scores of users, and what compares them, do not go with Spark: ", _REFUSED["per_user"])
    with _session(master) as spark:
        found = {
            name: evaluate(replace(source, data=_read(spark, source)), metrics, partitions=partitions, **options)
            for name, source in systems.items()
        }
    notices = merged({name: result.notices for name, result in found.items()})
    return SystemResults({name: replace(result, notices=()) for name, result in found.items()}, notices)


@contextmanager
def _session(master: str | None) -> Iterator[SparkSession]:
    """A session, which ends with the block."""
    builder = SparkSession.builder.appName("aspectrum")
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which has aspectrum
    try:
        spark = (builder if master is None else builder.master(master)).getOrCreate()
    except (PySparkException, Py4JJavaError, OSError) as error:
        java = (
            "" if shutil.which("java") or os.environ.get("JAVA_HOME") else "there is no Java, which Spark needs: install Java 17 or later"
        )
        raise AspectrumError(f"Spark does not start: {java or reason(error)}") from None
    try:
        spark.sparkContext.setLogLevel("FATAL")  # errors are told by whoever asks
        yield spark
    finally:
        spark.stop()


def _read(spark: SparkSession, source: Source) -> DataFrame:
    """The DataFrame of a file or a directory of files."""
    path, format = os.path.abspath(source.path), source.guessed_format
    if format is None and os.path.isdir(path):
        format = Source(files_of(path)[0]).guessed_format
    try:
        if format == "parquet":
            return spark.read.parquet(path)
        if format in ("csv", "tsv"):
            if source.header is False or any(is_place(column) for column in source.columns.values()):
                raise InputError(f"{source.named('rankings')}: Spark reads text with a header only")
            return spark.read.csv(path, sep="," if format == "csv" else "\t", header=True)  # ids are text, as they are written
        if format == "jsonl":
            return spark.read.json(path)
    except PySparkException as error:
        raise InputError(f"{source.named('rankings')}: Spark cannot read it: {reason(error)}") from None
    raise InputError(f"{source.named('rankings')}: Spark reads lists from Parquet, CSV, TSV and JSON Lines only")


def _plan(metrics: Metrics, convention: str | Convention | None, options: dict[str, Any], *, per_user: bool) -> Plan:
    """The plan, with ties broken by item id: the rows of a DataFrame have no order to keep."""
    chosen = convention_named(convention)
    for name, instead in _REFUSED.items():
        if options.pop(name, None) is not None:
            raise InputError(f"{name} does not go with Spark: {instead}")
    users = options.get("users")
    check_files([*(options.get(name) for name in TRUTH), None if isinstance(users, str) else users])
    of_plan = {name: options.pop(name) for name in PLAN_OPTIONS if name in options}
    if options.get("ties") == "input":
        raise InputError(Option("ties", "input"), ": the rows of a Spark DataFrame have no order; expected 'ascending' or 'descending'")
    if chosen.reading({"ties": options.get("ties")}).ties == "input":
        options["ties"] = "ascending"
    return Plan(metrics, chosen.truth(**options), convention=chosen, per_user=per_user, **of_plan)


@dataclass(frozen=True)
class _Lists:
    """Lists of a DataFrame, whose columns are called by their roles: mapInArrow does not take every name."""

    frame: DataFrame
    partitions: int | None
    order_shows: bool

    @staticmethod
    def of(given: DataFrame | Source, plan: Plan, partitions: int | None) -> _Lists:
        source = given if isinstance(given, Source) else Source(given)
        frame = source.data
        if not isinstance(frame, DataFrame):
            raise InputError(f"df is {type(frame).__name__}, expected a DataFrame of Spark; asp.evaluate takes other lists")
        if not hasattr(frame, "_jdf"):
            raise InputError("df belongs to a Spark Connect session, which cannot broadcast; use a session of the cluster itself")
        names = frame.columns
        places = find_columns("rankings", INPUTS["rankings"], source.columns, names, len(names), source.usual)
        columns = {role: names[place] for role, place in places.items()}
        arrays = isinstance(frame.schema[columns["item"]].dataType, ArrayType)
        if not arrays and not columns.keys() & {"rank", "score"}:
            raise InputError(
                "rankings: the rows of a Spark DataFrame have no order; expected a rank or score column, or an array of items per user; columns are "
                f"{', '.join(map(repr, names))}; specify it with ",
                Option("columns", {"rank": "NAME"}),
            )
        if not arrays and plan.truth.reading.order == "input":
            raise InputError(
                f"rankings: lists are in input order (convention {plan.convention.name}), and the rows of a Spark DataFrame have no order; use ",
                Option("order", "rank" if "rank" in columns else "score"),
            )
        if partitions is not None:
            check_count(partitions, "partitions", 1)
        frame = frame.select(*(functions.col(f"`{name.replace('`', '``')}`").alias(role) for role, name in columns.items()))
        for role in ("rank", "score"):
            if role in columns and isinstance(frame.schema[role].dataType, StringType):  # of a text file
                frame = frame.withColumn(role, functions.col(role).cast("double"))
        return _Lists(frame, partitions, arrays or plan.truth.reading.duplicates == "first")

    @cached_property
    def by_user(self) -> DataFrame:
        """Rows of a user in one partition, one after the other.

        The kernels order lists faster than Spark does, by rank or score and then by item, whatever the order of the rows. That only shows
        where a user has several arrays, or where the first of several rows with the same item counts.
        """
        shuffled = self.frame.repartition("user") if self.partitions is None else self.frame.repartition(self.partitions, "user")
        roles = ("user", "rank", "score", "item", "system") if self.order_shows else ("user",)
        return shuffled.sortWithinPartitions(*(role for role in roles if role in self.frame.columns))

    def nothing(self, plan: Plan) -> Partial:
        """A part without rows."""
        import polars

        rows: Any = polars.from_arrow(to_arrow_schema(self.frame.schema).empty_table())
        return _observed(plan, rows)

    @contextmanager
    def shipped(self, plan: Plan, kept: bool = False) -> Iterator[_Shipped]:
        """A plan that workers can open, within."""
        message, arrays = packed(plan)
        content = arrays.to_pybytes()
        head = 7 if len(content) + 64 < 2**32 else 11  # what pickle writes first, so that arrays are aligned where the file is mapped
        broadcast = self.frame.sparkSession.sparkContext.broadcast(bytes(-head % 64) + content)
        try:
            yield _Shipped(message, broadcast, len(content))
        finally:
            if not kept:
                broadcast.destroy()


@dataclass(frozen=True)
class _Shipped:
    """A plan on its way to the workers: its message, and its arrays as a broadcast, which Spark writes to one file per executor."""

    message: bytes
    broadcast: Any
    size: int

    def open(self) -> Plan:
        """The plan, in a worker; one that has opened it before still has it."""
        if self.message not in _opened_plans:  # it has digests of the arrays
            if "polars" not in sys.modules:
                os.environ.setdefault("POLARS_MAX_THREADS", str(_task_cpus()))  # a task has some of the cores only
            plan = unpacked(self.message, self._arrays())
            plan.threads = plan.threads or _task_cpus()
            _opened_plans.clear()
            _opened_plans[self.message] = plan
        return _opened_plans[self.message]

    def _arrays(self) -> Any:
        """The Arrow file within Spark's own file, mapped, so that the workers of an executor share it; or as Spark hands it over."""
        path = getattr(self.broadcast, "_path", None)
        if path is not None:
            with open(path, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            start = mapped.find(MAGIC, 0, 256)
            if start >= 0 and start % 8 == 0:
                return memoryview(mapped)[start : start + self.size]
        return memoryview(self.broadcast.value)[-self.size :]


_opened_plans: dict[bytes, Plan] = {}


def _task_cpus() -> int:
    task = TaskContext.get()
    return 1 if task is None else task.cpus()


_Batches = Iterator[pyarrow.RecordBatch]


@dataclass(frozen=True)
class _Observing:
    """Sorted rows of a partition to one part."""

    shipped: _Shipped

    def __call__(self, batches: _Batches) -> _Batches:
        def observe(plan: Plan) -> Partial | None:
            return _sum(plan, (_observed(plan, rows).counting_strangers() for rows in _whole_users(batches)))

        return _one_part(self.shipped, batches, observe)


@dataclass(frozen=True)
class _Adding:
    """Parts to one part."""

    shipped: _Shipped

    def __call__(self, batches: _Batches) -> _Batches:
        def add(plan: Plan) -> Partial | None:
            rows = (
                (part, error) for batch in batches for part, error in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            return _sum(plan.apart(), (_opened(*row) for row in rows))

        return _one_part(self.shipped, batches, add)


@dataclass(frozen=True)
class _Scoring:
    """Sorted rows of a partition to the scores of its users."""

    shipped: _Shipped
    schema: StructType

    def __call__(self, batches: _Batches) -> _Batches:
        plan, schema = self.shipped.open(), to_arrow_schema(self.schema)
        for rows in _whole_users(batches):
            frame = _scored(plan, _observed(plan, rows))
            yield from frame.to_arrow().cast(schema).to_batches()


@dataclass(frozen=True)
class _ScoringNobody:
    """Users without a list to their scores."""

    shipped: _Shipped
    schema: StructType

    def __call__(self, batches: _Batches) -> _Batches:
        import polars

        plan, schema = self.shipped.open(), to_arrow_schema(self.schema)
        for batch in batches:
            users: Any = polars.from_arrow(batch)
            frame = _scored(plan, plan.observe_without_lists(users.to_series(0)))
            yield from frame.to_arrow().cast(schema).to_batches()


def _scored(plan: Plan, part: Partial) -> polars.DataFrame:
    blocks = [group.scores for group in part.parts if group.scores is not None]
    if not blocks:
        raise InputError("no metric scores users; there are no per-user scores")
    return scores_frame(blocks, plan.how)


def _whole_users(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[polars.DataFrame]:
    """Sorted rows in large frames, each with all rows of its users."""
    import polars

    held: list[Any] = []
    size, limit = 0, _CHUNK_BYTES
    for batch in batches:
        if batch.num_rows == 0:
            continue
        held.append(polars.from_arrow(batch))
        size += batch.nbytes
        if size < limit:
            continue
        frame = polars.concat(held)
        last = int(frame["user"].eq_missing(frame["user"].tail(1)).sum())  # whose rows may go on in the next batch
        if last < frame.height:
            yield frame.head(frame.height - last)
        held = [frame.tail(last)]
        size = size * last // frame.height
        limit = max(_CHUNK_BYTES, 2 * size)  # one user with very many rows is looked at a few times only
    if held:
        yield polars.concat(held)


def _observed(plan: Plan, rows: polars.DataFrame) -> Partial:
    """What the metrics remember of some rows; what only these name is forgotten with the part."""
    try:
        read = read_input("rankings", rows)
    except InputError as error:  # rows of a DataFrame have no number
        raise InputError(
            *(re.sub(r"(?m)^rankings, row [\d,]+", "rankings", part) if isinstance(part, str) else part for part in error.args)
        ) from None
    systems = read.ids["system"].ids if "system" in read.ids else ()
    system = str(systems[0]) if len(systems) == 1 else None
    part = plan.apart().observe(replace(read, place=None), system=system)
    notices = [one for one in part.lists.notices if one.kind != "reversed_ranks"]  # a guess from the order of rows, which have none
    return replace(part, lists=replace(part.lists, notices=notices))


def _sum(plan: Plan, parts: Iterable[Partial | bytes]) -> Partial | None:
    """Parts together, one at a time; None if there is none."""
    total = None
    for given in parts:
        part = plan.read(given) if isinstance(given, bytes) else given
        total = part if total is None else (total + part).counting_strangers()
    return total


def _opened(part: Any, error: Any) -> bytes:
    """A part that came from a task, or the error that came instead."""
    if error is not None:
        raise pickle.loads(error)  # by the same way as all that Spark itself brings
    return bytes(part)


def _one_part(shipped: _Shipped, batches: _Batches, make: Callable[[Plan], Partial | None]) -> _Batches:
    """The one row that a task hands on: a part, or the error in its place, which Spark would try again and wrap in traces of Java."""
    part = error = None
    try:
        found = make(shipped.open())
        part = None if found is None else found.to_bytes()
    except MemoryError:
        error = pickle.dumps(AspectrumError(_OUT_OF_MEMORY))
    except AspectrumError as wrong:
        error = pickle.dumps(AspectrumError(_OUT_OF_MEMORY) if isinstance(wrong.__context__, MemoryError) else wrong)
    for _ in batches if error is not None else ():
        pass  # Spark expects that all rows are read
    if part is not None or error is not None:
        columns = [pyarrow.array([part], pyarrow.binary()), pyarrow.array([error], pyarrow.binary())]
        yield pyarrow.RecordBatch.from_arrays(columns, ["part", "error"])


_OUT_OF_MEMORY = (
    "Spark: a worker ran out of memory; use more partitions (partitions=...), or raise spark.executor.memory, and spark.executor.pyspark.memory "
    "if it is set. Lists of one user are never split"
)
_KNOWN_FAILURES = {
    r"OutOfMemoryError|MemoryError|code 52\b|code 137\b|beyond physical memory|returned NULL without setting": _OUT_OF_MEMORY,
    r"No module named 'aspectrum": (
        "Spark: the Python of the executors does not have aspectrum; install the version of the driver there, or set PYSPARK_PYTHON to a Python "
        "that has it"
    ),
    r"Python worker exited unexpectedly|ExecutorLostFailure|Python worker failed to connect": (
        "Spark: a worker was lost again and again, most likely killed for want of memory; use more partitions (partitions=...), or raise "
        "spark.executor.memoryOverhead or spark.executor.memory. The logs of the executors say more"
    ),
}


@contextmanager
def _explained_errors() -> Iterator[None]:
    """What Spark reports, in plain words where the cause is known."""
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        said = str(error)
        for pattern, message in _KNOWN_FAILURES.items():
            if re.search(pattern, said):
                raise AspectrumError(message) from None
        raise
