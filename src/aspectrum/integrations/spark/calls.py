"""What users call: evaluate, scores, and files on the command line."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import polars
import pyarrow  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DoubleType, StructField, StructType

from aspectrum.api import evaluate as evaluate_here
from aspectrum.arguments import with_hints
from aspectrum.asked import Metrics
from aspectrum.coding.objects import id_rows
from aspectrum.conventions import Convention, convention_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Option, merged
from aspectrum.errors import AspectrumError, InputError
from aspectrum.inputs import TRUTH
from aspectrum.integrations.spark.tables import (
    TEXT,
    Joined,
    Lists,
    Vectors,
    added_up,
    as_source,
    is_table,
    known_of_users,
    named_users,
    names_users,
    refused_beside,
    with_numbers,
)
from aspectrum.integrations.spark.workers import (
    PARTS,
    Adding,
    Observed,
    Observing,
    Scoring,
    ScoringNobody,
    explained_errors,
    scored,
    total_of,
)
from aspectrum.io import Source, check_files, is_external, read_input
from aspectrum.io.columns import is_place
from aspectrum.io.files import files_of, reason
from aspectrum.joining import JOINED, NO_USERS, check_joinable
from aspectrum.plan import PLAN_OPTIONS, Plan
from aspectrum.results import Results, SystemResults

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

    The ground truth is read by the driver and broadcast; the lists stay on the executors. Relevance, history, subtopics, weights and baseline
    that are DataFrames of Spark stay there, too, and are joined by user; features are joined by item. Every executor needs aspectrum installed.

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
        >>> asp.integrations.spark.evaluate(df, "NDCG@10", relevance=spark.read.parquet("test/"))  # doctest: +SKIP
    """
    attention = Attention(strict, ignore)
    with explained_errors():
        plan, lists = _prepared(df, metrics, convention, options, partitions, per_user=False)
        with lists.shipped(plan) as shipped:
            parts = lists.by_user.mapInArrow(Observing(shipped, lists.inputs), PARTS)
            found = added_up(parts, Adding(shipped), partitions).collect()
    total = total_of(Observed.of_row(plan, *row) for row in found) or lists.nothing(plan)
    part = total.part
    notices = attention.draw(plan.notices_on({"rankings": part.lists}, from_files=True, whole=True, counted=total.counted))
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

    Lazy, except for a first pass over inputs that are joined. Arguments are those of :func:`evaluate`. Users without a list are
    included if they are averaged, as in ``result.per_user``.
    """
    with explained_errors():
        plan, lists = _prepared(df, metrics, convention, options, partitions, per_user=True)
    like = scored(plan, lists.nothing(plan).part)
    schema = StructType([lists.frame.schema["user"], *(StructField(name, DoubleType()) for name in like.columns[1:])])
    shipped = lists.shipped(plan, kept=True).__enter__()
    found = lists.by_user.mapInArrow(Scoring(shipped, schema, lists.inputs), schema)
    candidates = plan.averaged_without_lists()
    if len(candidates) == 0:  # or they came with the others
        return found
    known = polars.DataFrame(candidates.to_series("user")).to_arrow().cast(pyarrow.schema([to_arrow_schema(schema).field("user")]))
    alone = lists.spark.createDataFrame(known).join(lists.frame.select("user").distinct(), "user", "left_anti")
    return found.unionAll(alone.mapInArrow(ScoringNobody(shipped, schema), schema))


def evaluate_files(
    systems: Mapping[str, Source],
    metrics: Metrics,
    *,
    master: str | None = None,
    partitions: int | None = None,
    join: bool = False,
    per_user: bool = False,
    progress: Any = None,
    **options: Any,
) -> SystemResults:
    """Measure lists in files that Spark reads: Parquet, CSV, TSV or JSON Lines, one file or directory for each system.

    Args:
        systems: Files by the name of their system; every executor must be able to read them.
        metrics: As for :func:`evaluate`, like all other arguments.
        master: The address of the cluster, as ``spark://host:7077`` or ``local[4]``. Default: as Spark is set up.
        join: Whether Spark also reads what is known of users, and joins it; by default the driver reads it.
        per_user: Refused: scores of users stay where they are.
        progress: Not called: Spark shows the progress of its jobs.
    """
    if per_user:
        raise InputError("scores of users, and what compares them, do not go with Spark: ", _REFUSED["per_user"])
    with _session(master) as spark:
        if join:
            options |= _tables_of_users(spark, options)
        found = {
            name: evaluate(_read(spark, source, "rankings"), metrics, partitions=partitions, **options) for name, source in systems.items()
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


def _tables_of_users(spark: SparkSession, options: Mapping[str, Any]) -> dict[str, Source]:
    """Files about users as DataFrames; weights that are everybody's stay a file."""
    files = {name: options[name] for name in (*JOINED, "users") if isinstance(options.get(name), Source) and options[name].is_path}
    tables = {name: _read(spark, replace(source, name=source.named(name)), name) for name, source in files.items()}
    return {name: table for name, table in tables.items() if name != "weights" or names_users(table)}


def _read(spark: SparkSession, source: Source, name: str) -> Source:
    """The DataFrame of a file or a directory of files, which are one of the inputs, as what they say."""
    path, format = os.path.abspath(source.path), source.guessed_format
    if format is None and os.path.isdir(path):
        format = Source(files_of(path)[0]).guessed_format
    try:
        if format == "parquet":
            return replace(source, data=spark.read.parquet(path, mergeSchema=True), format=format)  # files may have other columns
        if format in TEXT:
            if source.header is False or any(is_place(column) for column in source.columns.values()):
                raise InputError(f"{source.named(name)}: Spark reads text with a header only")
            # Quotes as everywhere else; and a row or a file with other columns than the first is an error, whichever columns are needed.
            reader = spark.read.option("columnPruning", value=False)
            text = reader.csv(path, sep=TEXT[format], header=True, escape='"', mode="FAILFAST", enforceSchema=False)
            return replace(source, data=text, format=format)
        if format == "jsonl":
            return replace(source, data=spark.read.json(path, mode="FAILFAST"), format=format)
    except (PySparkException, Py4JJavaError) as error:
        raise InputError(f"{source.named(name)}: Spark cannot read it: {reason(error)}") from None
    raise InputError(f"{source.named(name)}: Spark reads from Parquet, CSV, TSV and JSON Lines only")


def _prepared(
    df: DataFrame | Source,
    metrics: Metrics,
    convention: str | Convention | None,
    options: dict[str, Any],
    partitions: int | None,
    *,
    per_user: bool,
) -> tuple[Plan, Lists]:
    """The plan, with ties broken by item id, as the rows of a DataFrame have no order to keep; and the rows of users, brought together."""
    chosen = convention_named(convention)
    for name, instead in _REFUSED.items():
        if options.pop(name, None) is not None:
            raise InputError(f"{name} does not go with Spark: {instead}")
    users = options.get("users")
    check_files([*(options.get(name) for name in TRUTH), None if isinstance(users, str) else users])
    if options.get("ties") == "input":
        raise InputError(Option("ties", "input"), ": the rows of a Spark DataFrame have no order; expected 'ascending' or 'descending'")
    if chosen.reading({"ties": options.get("ties")}).ties == "input":
        options["ties"] = "ascending"
    of_plan = {name: options.pop(name) for name in PLAN_OPTIONS if name in options} | {"convention": chosen, "per_user": per_user}
    joined = [name for name in (*TRUTH, "users") if is_table(options.get(name, of_plan.get(name)))]
    if not joined:
        plan = Plan(metrics, chosen.truth(**options), **of_plan)
        df = with_numbers({"rankings": as_source(df)}, plan.truth)["rankings"]
        return plan, Lists.of(df, chosen, plan.truth.reading, partitions)
    return _with_joined(df, metrics, chosen, options, of_plan, joined, partitions)


def _with_joined(
    df: DataFrame | Source,
    metrics: Metrics,
    chosen: Convention,
    options: dict[str, Any],
    of_plan: dict[str, Any],
    joined: list[str],
    partitions: int | None,
) -> tuple[Plan, Lists]:
    """The plan of what is known of items, and lists together with what is known of users."""
    for name in joined:
        if name not in (*JOINED, "users", "features"):
            raise InputError(f"{name} is a DataFrame of Spark; inputs about items are broadcast, so collect it with .toArrow()")
    for name in ("relevance", "history", "subtopics", "baseline"):
        if name not in joined and options.get(name) is not None:
            raise refused_beside(name, joined)
    if options.get("graph") is not None:
        raise InputError(
            Option("graph"), f" is needed as a whole, and cannot go with {joined[0]} that is joined; collect it with .toArrow()"
        )
    reading = chosen.reading_of(options)
    about_users = {name: as_source(options.get(name, of_plan.get(name))) for name in joined if name != "features"}
    tables = with_numbers({"rankings": as_source(df), **about_users})
    lists = Lists.of(tables.pop("rankings"), chosen, reading, partitions)
    users: Any = tables.pop("users", of_plan.get("users"))
    options |= tables
    sources = {name: given.named(name) for name in joined if isinstance(given := options.get(name), Source)}
    vectors = Vectors.of(options.pop("features"), lists) if "features" in joined else None
    known = {name: known_of_users(name, options.pop(name), chosen, reading) for name in joined if name in JOINED}
    if is_table(users):
        known["users"] = known_of_users("users", users, chosen, reading)
    elif users is not None and not isinstance(users, str):
        known["users"] = named_users(
            read_input("users", users) if is_external(users) else id_rows("users", "user", list(users)), lists.frame
        )
    of_plan = of_plan | ({"users": NO_USERS} if "users" in known else {})
    if vectors is not None:
        known["features"] = vectors.of_users(lists, known.get("history"))
    together = Joined.together(lists, known, sources)
    survey, like = together.survey(reading), together.like
    if vectors is not None:
        survey, like = survey.with_vectors(vectors.items, vectors.like), {**like, "features": vectors.like}
    plan = Plan(metrics, survey.truth(options, like, reading), **of_plan)
    check_joinable(plan, known)
    return plan, together
