"""What users call: evaluate, scores, and files on the command line."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
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
from aspectrum.coding.rows import IdColumn, InputBundle, Rows, unbundled
from aspectrum.coding.table import Named
from aspectrum.conventions import Convention, convention_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import AspectrumError, InputError
from aspectrum.inputs import TRUTH
from aspectrum.integrations.spark.files import Files
from aspectrum.integrations.spark.tables import (
    Joined,
    Lists,
    Vectors,
    added_up,
    as_source,
    is_table,
    kinds_of_ids,
    known_of_users,
    named_users,
    names_users,
    refused_beside,
    with_ids_settled,
)
from aspectrum.integrations.spark.workers import (
    PARTS,
    Adding,
    Observed,
    Observing,
    Scoring,
    ScoringNobody,
    explained_errors,
    reason_of,
    scored,
    total_of,
)
from aspectrum.io import Source, check_files, is_external, read_input
from aspectrum.io.files import files_of
from aspectrum.joining import JOINED, NO_USERS, check_joinable
from aspectrum.plan import PLAN_OPTIONS, Plan
from aspectrum.results import Results, SystemResults
from aspectrum.world.building import OBJECTS

_REFUSED = {
    "per_user": "integrations.spark.scores(df, ...) gives the scores of users, as a DataFrame",
    "memory": "lists stay on the executors",
    "resume": "Spark repeats tasks that were lost",
    "progress": "Spark shows the progress of its jobs",
}
_MASTER = re.compile(r"local(\[[^\]]+\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+")
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
    found = _evaluated({"rankings": as_source(df)}, metrics, partitions, convention, strict, ignore, options)
    return replace(found["rankings"], notices=found.notices)


def _evaluated(
    systems: Mapping[str, Source],
    metrics: Metrics,
    partitions: int | None,
    convention: str | Convention | None,
    strict: bool,
    ignore: str | Iterable[str],
    options: dict[str, Any],
) -> SystemResults:
    """Results of systems against the same truth; items that one of them names are seen for all, as without Spark."""
    attention = Attention(strict, ignore)
    told = _told({name: options.get(name) for name in (*TRUTH, "users")})
    with explained_errors():
        plan, lists = _prepared(systems, metrics, convention, options, partitions, per_user=False)
        found = {name: _observed(plan, own, partitions, systems[name].named("rankings")) for name, own in lists.items()}
        apart = _in_some_systems(lists) if plan.truth.everybody is not None and plan.use.averages_lists else []
    parts, of_files = {}, _told(systems)
    for name, one in found.items():
        read_so = _beside(of_files.get(name, ()), one.part.lists.notices)
        parts[name] = replace(one.part, lists=replace(one.part.lists, source=systems[name].named("rankings"), notices=read_so))
    read = {name: part.lists for name, part in parts.items()}
    if len(parts) > 1 and plan.averages_strangers and any(one.ids["user"].uncoded for one in read.values()):
        raise InputError(
            Option("users", "all"),
            ": counts users of every system, and Spark only counts those whom the ground truth does not know; ",
            "evaluate one system at a time, or name the users",
        )
    counted = {}
    for name, one in found.items():
        if one.counted is not None:
            rows = {input: (n, _beside(told.get(input, ()), notices)) for input, (n, notices) in one.counted.rows.items()}
            counted[name] = replace(one.counted, rows=rows)
    notices = [*plan.notices_on(read, from_files=True, whole=True, counted=counted or None), *apart]
    among = tuple(read.values())
    results = {name: plan.finish(part, notices=(), among=among) for name, part in parts.items()}
    # Users who are only counted would not be noticed if they came twice.
    kept = {name: replace(result, partial=None) if read[name].ids["user"].uncoded else result for name, result in results.items()}
    return SystemResults(kept, attention.draw(notices))


def _told(inputs: Mapping[str, Any]) -> dict[str, Sequence[Notice]]:
    """What there is to say of how files were read, by input."""
    return {name: given.data.notices for name, given in inputs.items() if isinstance(given, Source) and isinstance(given.data, Files)}


def _beside(told: Sequence[Notice], notices: Sequence[Notice]) -> list[Notice]:
    """Notices on files beside those on their rows, which may say the same."""
    kinds = {one.kind for one in notices}
    return [*notices, *(one for one in told if one.kind not in kinds)]


def _observed(plan: Plan, lists: Lists, partitions: int | None, called: str) -> Observed:
    """What the metrics remember of the lists of one system."""
    try:
        with lists.shipped(plan) as shipped:
            parts = lists.by_user.mapInArrow(Observing(shipped, lists.inputs), PARTS)
            found = added_up(parts, Adding(shipped), partitions).collect()
        return total_of(Observed.of_row(plan, *row) for row in found) or lists.nothing(plan)
    except InputError as error:
        said = (re.sub(r"(?m)^rankings\b", lambda _: called, part) if isinstance(part, str) else part for part in error.args)
        raise InputError(*said) from None


def _in_some_systems(systems: Mapping[str, Lists]) -> list[Notice]:
    """Whether some users have lists of some systems only, where the driver knows no user."""
    if len(systems) == 1:
        return []
    users = reduce(DataFrame.unionAll, (lists.users for lists in systems.values()))
    times = users.groupBy("user").count().groupBy("count").count().collect()
    n_some = sum(n for n_systems, n in times if n_systems < len(systems))
    return [Notice("different_users", n_some, sum(n for _, n in times))] if n_some else []


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
        plan, prepared = _prepared({"rankings": as_source(df)}, metrics, convention, options, partitions, per_user=True)
    (lists,) = prepared.values()
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
    convention: str | Convention | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    per_user: bool = False,
    progress: Any = None,
    **options: Any,
) -> SystemResults:
    """Measure lists in files: one file or directory for each system. Spark reads Parquet; of other files each is read by one task.

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
    users = options.get("users")
    check_files([*systems.values(), *(options.get(name) for name in TRUTH), None if isinstance(users, str) else users])
    with warnings.catch_warnings(), _session(master) as spark, explained_errors():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)  # which is of no concern to a user
        if join:
            options |= _tables_of_users(spark, options)
        read = {name: _read(spark, "rankings", source) for name, source in systems.items()}
        return _evaluated(read, metrics, partitions, convention, strict, ignore, options)


@contextmanager
def _session(master: str | None) -> Iterator[SparkSession]:
    """A session, which ends with the block."""
    builder = SparkSession.builder.appName("aspectrum")
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which has aspectrum
    if master is not None and not _MASTER.fullmatch(master):
        raise InputError(Option("master", master), ": expected local[CORES], spark://HOST:PORT, yarn or k8s://HOST:PORT")
    try:
        spark = (builder if master is None else builder.master(master)).getOrCreate()
    except (PySparkException, Py4JJavaError, OSError) as error:
        java = (
            "" if shutil.which("java") or os.environ.get("JAVA_HOME") else "there is no Java, which Spark needs: install Java 17 or later"
        )
        raise AspectrumError(f"Spark does not start: {java or reason_of(error)}") from None
    try:
        spark.sparkContext.setLogLevel("FATAL")  # errors are told by whoever asks
        yield spark
    finally:
        spark.stop()


def _tables_of_users(spark: SparkSession, options: Mapping[str, Any]) -> dict[str, Source]:
    """Files about users as DataFrames; weights that are everybody's stay a file."""
    given = {name: options.get(name) for name in (*JOINED, "users")}
    files = {name: one for name, one in given.items() if isinstance(one, Source) and one.is_path and not isinstance(one, InputBundle)}
    tables = {name: _read(spark, name, source) for name, source in files.items()}
    return {name: table for name, table in tables.items() if name != "weights" or names_users(table)}


def _read(spark: SparkSession, input: str, source: Source) -> Source:
    """The DataFrame of a Parquet file or a directory of them, or the other files that one input is in."""
    named = replace(source, name=source.named(input))
    if source.path == "-":
        raise InputError("standard input: Spark cannot read it; save it as a file")
    path = os.path.abspath(source.path)
    files = files_of(path)  # those of all folders in it, as without Spark
    if any(replace(named, data=file).guessed_format != "parquet" for file in files):
        return replace(named, data=Files.of(spark, input, named))
    reader = spark.read if files == [path] or not os.path.isdir(path) else spark.read.option("basePath", path)
    try:
        return replace(named, data=reader.parquet(*files, mergeSchema=True))  # files may have other columns
    except (PySparkException, Py4JJavaError) as error:
        raise InputError(f"{named.name}: Spark cannot read it: {reason_of(error)}") from None


def _prepared(
    systems: Mapping[str, Source],
    metrics: Metrics,
    convention: str | Convention | None,
    options: dict[str, Any],
    partitions: int | None,
    *,
    per_user: bool,
) -> tuple[Plan, dict[str, Lists]]:
    """The plan, with ties broken by item id, as the rows of a DataFrame have no order to keep; and the rows of users, brought together."""
    chosen = convention_named(convention)
    options = unbundled(options, [chosen])  # nuggets are read by the driver
    for name, instead in _REFUSED.items():
        if options.pop(name, None) is not None:
            raise InputError(f"{name} does not go with Spark: {instead}")
    users = options.get("users")
    check_files([*(options.get(name) for name in TRUTH), None if isinstance(users, str) else users])
    if isinstance(users, str) and users == "common":
        raise InputError(Option("users", "common"), " needs all lists at once, which Spark does not have; name the users instead")
    if options.get("ties") == "input":
        raise InputError(Option("ties", "input"), ": the rows of a Spark DataFrame have no order; expected 'ascending' or 'descending'")
    if options.get("ties") == "expected":
        raise InputError(
            Option("ties", "expected"), " is not available with Spark; use asp.evaluate, which reads lists piece by piece if need be"
        )
    if chosen.reading({"ties": options.get("ties")}).ties == "input":
        options["ties"] = "ascending"
    of_plan = {name: options.pop(name) for name in PLAN_OPTIONS if name in options} | {"convention": chosen, "per_user": per_user}
    joined = [name for name in (*TRUTH, "users") if is_table(options.get(name, of_plan.get(name)))]
    if joined:
        return _with_joined(systems, metrics, chosen, options, of_plan, joined, partitions)
    plan = Plan(metrics, chosen.truth(**options), **of_plan)
    nothing = np.empty(0, np.int32)
    known: dict[str, list[Named]] = {
        role: [table.known or ("the ground truth", IdColumn(nothing, list(table.ids.values[:1])))]  # objects, of which one will do
        for role, table in vars(plan.tables).items()
        if len(table)
    }
    settled = _settled(systems, {}, known)
    return plan, {name: Lists.of(one["rankings"], chosen, plan.truth.reading, partitions) for name, one in settled.items()}


def _settled(
    systems: Mapping[str, Source], tables: Mapping[str, Source], others: Mapping[str, list[Named]]
) -> dict[str, dict[str, Source]]:
    """The lists of each system, beside other tables, as DataFrames: ids of text files are numbers, or text, in all of them."""
    found = {name: with_ids_settled({"rankings": lists, **tables}, others) for name, lists in systems.items()}
    ids = {name: kinds_of_ids(one["rankings"]) for name, one in found.items() if len(systems) > 1}
    for role in ("user", "item"):
        kinds = {kinds[role]: name for name, kinds in ids.items()}
        if len(kinds) > 1:
            (one, here), (other, there), *_ = kinds.items()
            raise InputError(
                f"{role} ids have different types: {one} in {systems[here].named(here)}, {other} in {systems[there].named(there)}; "
                "evaluate these systems one at a time"
            )
    return found


def _with_joined(
    systems: Mapping[str, Source],
    metrics: Metrics,
    chosen: Convention,
    options: dict[str, Any],
    of_plan: dict[str, Any],
    joined: list[str],
    partitions: int | None,
) -> tuple[Plan, dict[str, Lists]]:
    """The plan of what is known of items, and lists together with what is known of users."""
    for name in joined:
        if name not in (*JOINED, "users", "features"):
            raise InputError(f"{name} is a DataFrame of Spark; inputs about items are broadcast, so collect it with .toArrow()")
    for name in ("relevance", "history", "subtopics", "baseline"):
        if name not in joined and options.get(name) is not None:
            raise refused_beside(name, joined)
    if options.get("graph") is not None:
        raise InputError(Option("graph"), f" cannot be combined with joined inputs; collect {joined[0]} with .toArrow()")
    reading, users = chosen.reading_of(options), of_plan.get("users")
    tables = {name: as_source(options.pop(name, users if name == "users" else None)) for name in joined if name != "features"}
    for name, given in options.items():
        if name in OBJECTS and name not in joined and given is not None:
            options[name] = read_input(name, given) if is_external(given) else OBJECTS[name](given)
    if users is not None and not isinstance(users, str) and "users" not in joined:
        users = read_input("users", users) if is_external(users) else id_rows("users", "user", list(users))
    beside = [rows for rows in (*options.values(), users) if isinstance(rows, Rows)]
    known_ids = {role: [(rows.source, rows.ids[role]) for rows in beside if role in rows.ids] for role in ("user", "item", "aspect")}
    settled = _settled(systems, tables, known_ids)
    lists = {name: Lists.of(one["rankings"], chosen, reading, partitions) for name, one in settled.items()}
    first, *_ = settled.values()
    vectors = Vectors.of(options.pop("features"), lists.values()) if "features" in joined else None
    known = {name: known_of_users(name, first[name], chosen, reading) for name in tables}
    if isinstance(users, Rows):
        known["users"] = named_users(users, next(iter(lists.values())).frame)
    sources = {name: given.named(name) for name, given in tables.items() if given.name is not None}
    found = {}
    for name, own in lists.items():
        of_items = {} if vectors is None else {"features": vectors.of_users(own, known.get("history"))}
        found[name] = Joined.together(own, {**known, **of_items}, sources)
    together = found[next(iter(found))]
    survey, like = together.survey(reading), together.like
    if vectors is not None:
        survey, like = survey.with_vectors(vectors.items, vectors.like), {**like, "features": vectors.like}
    of_plan = of_plan | ({"users": NO_USERS} if "users" in known else {})
    plan = Plan(metrics, survey.truth(options, like, reading), **of_plan)
    check_joinable(plan, known)
    return plan, {**found}
