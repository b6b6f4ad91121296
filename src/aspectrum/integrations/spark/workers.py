"""What tasks do: rows of whole users to parts, parts to their sum, rows to scores."""

from __future__ import annotations

import mmap
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError
from pyspark import TaskContext
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from aspectrum.coding.cells import written_lists
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import Rows, of_one_system
from aspectrum.diagnostics.counted import Counted
from aspectrum.errors import AspectrumError, InputError
from aspectrum.io import read_input
from aspectrum.io.files import reason
from aspectrum.joining import Survey, observe_joined
from aspectrum.partial import Partial
from aspectrum.plan import Plan
from aspectrum.shipping import MAGIC, unpacked
from aspectrum.user_scores import scores_frame

if TYPE_CHECKING:
    import polars

T = TypeVar("T")
Batches = Iterator[pyarrow.RecordBatch]

Inputs = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Whose rows a frame has, by number, and in which of its columns each role is."""

PARTS = "part binary, counted binary, error binary"
_CHUNK_BYTES = 64 << 20  # of rows that a worker scores at a time: about two million


@dataclass(frozen=True)
class Shipped:
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


@dataclass(frozen=True, eq=False)
class Observed:
    """A part, and what was counted of what is known of its users, if that came with them."""

    part: Partial
    counted: Counted | None = None

    def __add__(self, other: Observed) -> Observed:
        counted = None if self.counted is None or other.counted is None else self.counted + other.counted
        return Observed((self.part + other.part).counting_strangers(), counted)

    def row(self) -> tuple[bytes, bytes]:
        return self.part.to_bytes(), pickle.dumps(self.counted)

    @staticmethod
    def of_row(plan: Plan, part: Any, counted: Any, error: Any) -> Observed:
        """What came from a task; or the error that came instead, raised."""
        if error is not None:
            raise pickle.loads(error)  # by the same way as all that Spark itself brings
        return Observed(plan.read(bytes(part)), pickle.loads(counted))


@dataclass(frozen=True)
class Observing:
    """Sorted rows of a partition to one part; of lists alone, or of several inputs."""

    shipped: Shipped
    inputs: Inputs = ()

    def __call__(self, batches: Batches) -> Batches:
        def observe() -> tuple[bytes, bytes] | None:
            plan = self.shipped.open()
            total = total_of(observed(plan, rows, self.inputs, counting=True) for rows in whole_users(batches))
            return None if total is None else total.row()

        return one_row(batches, observe)


@dataclass(frozen=True)
class Adding:
    """Parts to one part."""

    shipped: Shipped

    def __call__(self, batches: Batches) -> Batches:
        def add() -> tuple[bytes, bytes] | None:
            plan = self.shipped.open().apart()
            total = total_of(Observed.of_row(plan, *row) for row in _rows(batches))
            return None if total is None else total.row()

        return one_row(batches, add)


@dataclass(frozen=True)
class Surveying:
    """Sorted rows of a partition, of several inputs, to what they say as a whole."""

    inputs: Inputs
    reading: Reading

    def __call__(self, batches: Batches) -> Batches:
        def survey() -> tuple[bytes, bytes] | None:
            total = total_of(Survey.of(split(rows, self.inputs), self.reading) for rows in whole_users(batches))
            return None if total is None else (pickle.dumps(total), b"")

        return one_row(batches, survey)


@dataclass(frozen=True)
class AddingSurveys:
    """Surveys to one."""

    def __call__(self, batches: Batches) -> Batches:
        def add() -> tuple[bytes, bytes] | None:
            total = total_of(survey_of_row(*row) for row in _rows(batches))
            return None if total is None else (pickle.dumps(total), b"")

        return one_row(batches, add)


def survey_of_row(survey: Any, _: Any, error: Any) -> Survey:
    """A survey that came from a task; or the error that came instead, raised."""
    if error is not None:
        raise pickle.loads(error)
    found: Survey = pickle.loads(survey)
    return found


@dataclass(frozen=True)
class Scoring:
    """Sorted rows of a partition to the scores of its users."""

    shipped: Shipped
    schema: StructType
    inputs: Inputs = ()

    def __call__(self, batches: Batches) -> Batches:
        plan, schema = self.shipped.open(), to_arrow_schema(self.schema)
        for rows in whole_users(batches):
            frame = scored(plan, observed(plan, rows, self.inputs).part)
            yield from frame.to_arrow().cast(schema).to_batches()


@dataclass(frozen=True)
class ScoringNobody:
    """Users without a list to their scores."""

    shipped: Shipped
    schema: StructType

    def __call__(self, batches: Batches) -> Batches:
        import polars

        plan, schema = self.shipped.open(), to_arrow_schema(self.schema)
        for batch in batches:
            users: Any = polars.from_arrow(batch)
            frame = scored(plan, plan.observe_without_lists(users.to_series(0)))
            yield from frame.to_arrow().cast(schema).to_batches()


def scored(plan: Plan, part: Partial) -> polars.DataFrame:
    blocks = [group.scores for group in part.parts if group.scores is not None]
    if not blocks:
        raise InputError("no metric scores users; there are no per-user scores")
    return scores_frame(blocks, plan.how)


def whole_users(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[polars.DataFrame]:
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


def observed(plan: Plan, rows: polars.DataFrame, inputs: Inputs = (), *, counting: bool = False) -> Observed:
    """What the metrics remember of some rows; what only these name is forgotten with the part. `counting` forgets who strangers are."""
    known = split(rows, inputs) if inputs else {"rankings": _read("rankings", rows)}
    read = known.pop("rankings")
    systems = read.ids["system"].ids if "system" in read.ids else ()
    system = str(systems[0]) if len(systems) == 1 else None
    counted = None
    if inputs:
        part, counted = observe_joined(plan, read, known, system)
    else:
        part = plan.apart().observe(read, system=system)
    notices = [one for one in part.lists.notices if one.kind != "reversed_ranks"]  # a guess from the order of rows, which have none
    part = replace(part, lists=replace(part.lists, notices=notices))
    return Observed(part.counting_strangers() if counting else part, counted)


def split(rows: polars.DataFrame, inputs: Inputs) -> dict[str, Rows]:
    """The rows of several inputs, by input."""
    import polars

    found = {}
    for tag, (name, columns) in enumerate(inputs):
        own = rows.filter(polars.col("tag") == tag).select("user", **dict(columns))
        if name == "features":  # that of an item comes with every user of it
            own = own.drop("user").unique("item")
        if name != "features" or own.height:
            found[name] = _read(name, own)
    return found


def _read(name: str, frame: polars.DataFrame) -> Rows:
    """The rows of one input; those of a DataFrame have no number."""
    try:
        read = read_input(name, frame)
    except InputError as error:
        raise InputError(
            *(re.sub(rf"(?m)^{name}, row [\d,]+", name, part) if isinstance(part, str) else part for part in error.args)
        ) from None
    if name == "subtopics" and "aspect" in frame.columns and written_lists(frame["aspect"].drop_nulls().unique().to_list()) is not None:
        raise InputError("subtopics: cells hold lists written as text; make a row of each aspect, as with functions.explode")
    if name == "baseline":
        read = of_one_system(read, "choose one of them, or drop the column if it does not name systems")
    return replace(read, place=None)


def total_of(several: Iterable[Any]) -> Any:
    """Some of anything together, one at a time; None if there is none."""
    total = None
    for one in several:
        total = one if total is None else total + one
    return total


def _rows(batches: Batches) -> Iterator[tuple[Any, ...]]:
    return (row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))


def one_row(batches: Batches, make: Callable[[], tuple[bytes, bytes] | None]) -> Batches:
    """The one row that a task hands on, or the error in its place, which Spark would try again and wrap in traces of Java."""
    found, error = caught(make)
    for _ in batches if error is not None else ():
        pass  # Spark expects that all rows are read
    if found is not None or error is not None:
        columns = [pyarrow.array([value], pyarrow.binary()) for value in (*(found or (None, None)), error)]
        yield pyarrow.RecordBatch.from_arrays(columns, ["part", "counted", "error"])


def caught(make: Callable[[], T]) -> tuple[T | None, bytes | None]:
    """What is made, or the error instead, pickled."""
    try:
        return make(), None
    except MemoryError:
        return None, pickle.dumps(AspectrumError(OUT_OF_MEMORY))
    except AspectrumError as wrong:
        return None, pickle.dumps(AspectrumError(OUT_OF_MEMORY) if isinstance(wrong.__context__, MemoryError) else wrong)


OUT_OF_MEMORY = (
    "Spark: a worker ran out of memory; use more partitions (partitions=...), or raise spark.executor.memory, and spark.executor.pyspark.memory "
    "if it is set. Lists of one user are never split"
)
_KNOWN_FAILURES = {
    r"OutOfMemoryError|MemoryError|code 52\b|code 137\b|beyond physical memory|returned NULL without setting": OUT_OF_MEMORY,
    r"No module named 'aspectrum": (
        "Spark: the Python of the executors does not have aspectrum; install the version of the driver there, or set PYSPARK_PYTHON to a Python "
        "that has it"
    ),
    r"Python worker exited unexpectedly|ExecutorLostFailure|Python worker failed to connect": (
        "Spark: a worker was lost again and again, most likely killed for want of memory; use more partitions (partitions=...), or raise "
        "spark.executor.memoryOverhead or spark.executor.memory. The logs of the executors say more"
    ),
}


def reason_of(error: BaseException) -> str:
    """What went wrong in Spark, in the words of whoever noticed it first."""
    cause = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    message = None if cause is None else cause.getMessage()
    return reason(RuntimeError(message) if message else error)


@contextmanager
def explained_errors() -> Iterator[None]:
    """What Spark reports, in plain words where the cause is known."""
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        said = str(error)
        if file := re.search(r"Encountered error while reading file (?:file:/+(?=/))?(\S+?)\.\s", said):
            raise InputError(f"{file[1]}: Spark cannot read it: {reason_of(error)}") from None
        for pattern, message in _KNOWN_FAILURES.items():
            if re.search(pattern, said):
                raise AspectrumError(message) from None
        raise
