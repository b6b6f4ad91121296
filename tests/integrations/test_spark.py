"""Lists in Spark: the numbers of `asp.evaluate` to the bit, however the rows are spread, and plain words when something is wrong."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars
import pytest

import aspectrum as asp
from tests.integrations.spark_cluster import Cluster, cluster, session

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.xdist_group("spark"),  # one cluster is enough for a machine
]

METRICS = ["NDCG@5", "AlphaNDCG@5", "ILD@5", "EPC@5", "GiniComplement@5", "Personalization@5", "CatalogueCoverage@5"]
N_USERS, N_ITEMS = 600, 400


def no_spark(reason: str) -> NoReturn:
    """Skip, unless Spark was asked for."""
    if os.environ.get("ASPECTRUM_REQUIRE_SPARK"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        no_spark("PySpark is not installed")
    if shutil.which("java") is None:
        no_spark("there is no Java")
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def standalone(folder: Path) -> Iterator[Cluster]:
    with cluster(folder) as started:
        yield started


@pytest.fixture(scope="module")
def spark(standalone: Cluster) -> Iterator[Any]:
    with session(standalone.url) as started:
        yield started


def links(n: int, seed: int, n_users: int = N_USERS) -> polars.DataFrame:
    random = np.random.default_rng(seed)
    users = [f"u{code}" for code in np.repeat(np.arange(n_users), n)]
    return polars.DataFrame({"user": users, "item": random.integers(0, N_ITEMS, n_users * n)}).unique(maintain_order=True)


@pytest.fixture(scope="module")
def lists() -> polars.DataFrame:
    """Users with 1 row and many, scores that tie, users and items that nobody knows."""
    found = [links(8, 1, N_USERS - 50), links(1, 2, N_USERS + 100)]
    found.append(polars.DataFrame({"user": ["u3"] * 300, "item": np.arange(N_ITEMS, N_ITEMS + 300)}))
    rows = polars.concat(found).unique(maintain_order=True)
    scores = np.random.default_rng(3).integers(0, 30, rows.height) / 7
    return rows.with_columns(score=polars.Series(scores)).sample(fraction=1.0, shuffle=True, seed=5)


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    random = np.random.default_rng(4)
    aspects = polars.DataFrame({"item": random.integers(0, N_ITEMS, 900), "aspect": random.integers(0, 9, 900)}).unique(maintain_order=True)
    vectors = (list(range(N_ITEMS)), random.random((N_ITEMS, 8)))
    return {"relevance": links(4, 6), "history": links(5, 7), "aspects": aspects, "features": vectors}


def said(results: asp.Results) -> str:
    """All that results say; of ids that are examples, others may be named."""
    return re.sub(r"\(such as .*?\)", "", results.to_json())


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [1, 7, 200, None])
def test_the_same_numbers_for_any_number_of_partitions(
    spark: Any, lists: polars.DataFrame, truth: dict[str, Any], partitions: int | None
) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")  # rows of a user are in several batches
    found = asp.integrations.spark.evaluate(spark.createDataFrame(lists.to_arrow()), METRICS, partitions=partitions, **truth)
    expected = asp.evaluate(lists, METRICS, ties="ascending", **truth)
    assert found == expected
    assert said(found) == said(expected)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"users": "all"}, {"users": ["u1", "u2", "nobody"]}, {"convention": "ndeval"}])
def test_users_and_conventions(spark: Any, lists: polars.DataFrame, truth: dict[str, Any], options: dict[str, Any]) -> None:
    metrics = METRICS
    ties: dict[str, Any] = {"ties": "ascending"}
    if "convention" in options:  # which breaks ties in its own way
        metrics, ties = ["AlphaNDCG@5", "ERRIA@5"], {}
        truth = {"subtopics": truth["relevance"].join(truth["aspects"], on="item", maintain_order="left")}
    df = spark.createDataFrame(lists.to_arrow())
    found = asp.integrations.spark.evaluate(df, metrics, partitions=3, **options, **truth)
    expected = asp.evaluate(lists, metrics, **ties, **options, **truth)
    assert found == expected
    scores = polars.from_arrow(asp.integrations.spark.scores(df, metrics, partitions=3, **options, **truth).toArrow())
    assert isinstance(scores, polars.DataFrame)
    assert scores.sort("user").equals(expected.per_user.sort("user"))


BY_USER = ("relevance", "history", "baseline", "weights")


def joined(spark: Any, truth: dict[str, Any]) -> dict[str, Any]:
    """What is known of users as DataFrames of Spark, with the rest as it is."""
    return {name: spark.createDataFrame(table.to_arrow()) if name in BY_USER else table for name, table in truth.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("partitions", "users"), [(1, "judged"), (7, "all"), (200, "lists")])
def test_joined_by_user_the_numbers_are_the_same(
    spark: Any, lists: polars.DataFrame, truth: dict[str, Any], partitions: int, users: str
) -> None:
    """Users without lists, lists of users nobody knows, rows of a user in several batches; and what is said of them."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    df = spark.createDataFrame(lists.to_arrow())
    found = asp.integrations.spark.evaluate(df, METRICS, partitions=partitions, users=users, **joined(spark, truth))
    expected = asp.evaluate(lists, METRICS, ties="ascending", users=users, **truth)
    assert found == expected
    assert said(found) == said(expected)
    if partitions == 7:
        scores = polars.from_arrow(
            asp.integrations.spark.scores(df, METRICS, partitions=partitions, users=users, **joined(spark, truth)).toArrow()
        )
        assert isinstance(scores, polars.DataFrame)
        assert scores.sort("user").equals(expected.per_user.sort("user"))


@pytest.mark.slow
def test_joined_inputs_of_every_kind(spark: Any, lists: polars.DataFrame, truth: dict[str, Any]) -> None:
    """Numbers of users, grades, weights, a baseline, columns that are named, users who are named, an input without rows."""

    def numbered(table: polars.DataFrame) -> polars.DataFrame:
        return table.with_columns(polars.col("user").str.slice(1).cast(polars.Int64))

    random = np.random.default_rng(8)
    own = lists.group_by("user", maintain_order=True).head(5).with_columns(rank=polars.int_range(5, 5 + polars.len()).over("user"))
    judged = truth["relevance"].with_columns(grade=polars.Series(random.integers(0, 4, truth["relevance"].height)))
    weights = polars.DataFrame(
        {"user": [f"u{code // 9}" for code in range(900)], "aspect": [*range(9)] * 100, "weight": random.random(900)}
    )
    known: dict[str, Any] = {
        "relevance": numbered(judged),
        "history": numbered(truth["history"]).clear(),
        "baseline": numbered(own.select("user", "item", "rank")),
        "weights": numbered(weights),
    }
    tables = joined(spark, {**known, "aspects": truth["aspects"]})
    small = tables["relevance"].withColumnsRenamed({"user": "who", "grade": "how much"}).selectExpr("int(who) as who", "item", "`how much`")
    tables["relevance"] = asp.Source(small, columns={"user": "who", "grade": "how much"})
    metrics = ["NDCG@5", "AlphaNDCG(judged_by=relevance)@5", "ERRIA(judged_by=relevance)@5", "Unexpectedness@5", "Personalization@5"]
    named = [*range(0, 700, 3), 100_000]
    rows = numbered(lists)
    options: dict[str, Any] = {"users": named, "threshold": 2}
    df = spark.createDataFrame(rows.to_arrow())
    with pytest.raises(asp.InputError, match="history is empty"):
        asp.integrations.spark.evaluate(df, metrics, partitions=3, **options, **tables)
    del tables["history"], known["history"]
    found = asp.integrations.spark.evaluate(df, metrics, partitions=3, **options, **tables)
    assert found == asp.evaluate(rows, metrics, ties="ascending", aspects=truth["aspects"], **options, **known)
    options["users"] = spark.createDataFrame([(user,) for user in named], "user int")
    assert asp.integrations.spark.evaluate(df, metrics, partitions=3, **options, **tables) == found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["double", "float"])
def test_features_joined_by_item(spark: Any, lists: polars.DataFrame, truth: dict[str, Any], kind: str) -> None:
    """Vectors of items in lists and histories; items without one; items that nobody has."""
    items, matrix = truth["features"]
    vectors = polars.DataFrame({"item": items[::2], "vector": matrix[::2].astype("f4" if kind == "float" else "f8").tolist()})
    vectors = vectors.with_columns(polars.col("vector").cast(polars.List(polars.Float32 if kind == "float" else polars.Float64)))
    vectors = polars.concat([vectors, vectors.tail(1).with_columns(item=polars.lit(10**6, polars.Int64))])
    metrics = ["ILD@5", "EPD@5", "EILD@5", "VendiScore@5", "GiniComplement@5", "NDCG@5"]
    known = {name: truth[name] for name in ("relevance", "history")}
    df = spark.createDataFrame(lists.to_arrow())
    of_items: dict[str, Any] = {"features": asp.Source(spark.createDataFrame(vectors.to_arrow()), columns={"feature": "vector"})}
    for partitions in (1, 7):
        found = asp.integrations.spark.evaluate(df, metrics, partitions=partitions, users="judged", **joined(spark, known), **of_items)
        expected = asp.evaluate(lists, metrics, ties="ascending", users="judged", features=vectors, **known)
        assert found == expected
        assert said(found) == said(expected)
    alone = asp.integrations.spark.evaluate(df, "ILD@5", features=of_items["features"])
    assert alone == asp.evaluate(lists, "ILD@5", ties="ascending", features=vectors)


@pytest.mark.slow
def test_joined_on_the_command_line(folder: Path, tmp_path: Path) -> None:
    """Files that Spark reads: the output is that of the driver's truth."""
    (tmp_path / "lists.csv").write_text("user,item,score\nann,x,2\nann,y,1\nbob,y,1\n")
    (tmp_path / "test.csv").write_text("user,item,grade\nann,y,1\nbob,x,2\ncyd,x,1\n")
    (tmp_path / "train.csv").write_text("user,item\nann,z\nbob,z\nbob,x\n")
    command = [sys.executable, "-m", "aspectrum", "evaluate", "A=lists.csv", "-m", "NDCG@2", "-m", "EPC@2", "--users", "judged"]
    command += ["--relevance", "test.csv", "--history", "train.csv", "--format", "csv"]
    outputs, settings = [], {**os.environ, "PYSPARK_SUBMIT_ARGS": "--conf spark.sql.shuffle.partitions=2 pyspark-shell"}
    for more in (["--ties", "ascending"], ["--engine", "spark", "--master", "local[2]", "--join"]):
        ran = subprocess.run([*command, *more], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, env=settings)
        assert ran.returncode == 0, ran.stderr
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1] != ""
    ran = subprocess.run([*command, "--join"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.returncode, "--join goes with --engine spark" in ran.stderr) == (2, True)


@pytest.fixture
def in_files(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Evaluates files by Spark, with the ground truth broadcast or joined, and without Spark (None)."""
    from aspectrum.integrations.spark import calls

    @contextmanager
    def running(master: str | None) -> Iterator[Any]:
        yield spark

    monkeypatch.setattr(calls, "_session", running)

    def evaluated(metrics: Any, files: dict[str, Any], *, join: bool | None, **options: Any) -> asp.SystemResults:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True, parents=True)
            if isinstance(content, polars.DataFrame):
                content.write_parquet(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        given: dict[str, Any] = {}
        named = options.pop("lists", "l.csv")
        for name, value in options.items():
            source = value if isinstance(value, asp.Source) else asp.Source(value) if isinstance(value, str) and "." in value else None
            given[name] = value if source is None else replace(source, data=str(tmp_path / source.path))
        systems = {name: asp.Source(str(tmp_path / name)) for name in named.split()}
        if join is None:
            return asp.evaluate_systems(systems, metrics, ties="ascending", **given)
        return calls.evaluate_files(systems, metrics, join=join, **given)

    return evaluated


NUMBERS = {"l.csv": "user,item,score\n1,9,1\n1,10,1\n2,10,1\n2,9,1\n", "r.csv": "user,item,grade\n1,10,1\n2,10,1\n3,9,1\n"}
WORDS = {"l.csv": "user,item,score\nann,x,2\nann,y,1\n", "r.csv": "user,item,grade\nann,y,1\n"}


@pytest.mark.slow
@pytest.mark.parametrize("join", [False, True])
def test_files_say_what_they_say_without_spark(in_files: Any, join: bool) -> None:
    tabs = {name.replace("csv", "tsv"): text.replace(",", "\t") for name, text in NUMBERS.items()}
    one_word = {**NUMBERS, "r.csv": NUMBERS["r.csv"] + "1,ten,1\n"}
    parquet = {"l.csv": NUMBERS["l.csv"], "r.parquet": polars.DataFrame({"user": [1, 2, 3], "item": [10, 10, 9]})}
    quotes = {
        "l.csv": 'user,item,score\nann,"x ""1""",2\nann,"a,b",1\nann,"z\nz",0.5\n',
        "r.csv": 'user,item,grade\nann,"x ""1""",1\nann,z,yes\n',
    }
    json = {
        "l.jsonl": '{"user": 1, "item": 9, "score": 1}\n{"user": 1, "item": 10, "score": 1}\n',
        "r.jsonl": '{"user": 1, "item": 10}\n{"user": 2, "item": 9}\n',
    }
    trec = {"l.run": "1 Q0 b 1 2.0 A\n1 Q0 a 2 2.0 A\n2 Q0 a 1 1.0 A\n", "r.csv": "user,item\n1,a\n2,b\n"}
    no_header = {"l.csv": "ann,x,2\nann,y,1\n", "r.csv": "user,item\nann,y\n"}
    no_match = {"l.csv": NUMBERS["l.csv"] + "4,9,1\n", "r.csv": NUMBERS["r.csv"]}
    mixed = {
        "l.files/a.parquet": polars.DataFrame({"user": ["ann"], "item": ["x"], "score": [1.0]}),
        "l.files/b.csv": "user,item,score\nbob,y,1\n",
    }
    mixed["r.csv"] = "user,item,odd\nann,x,3\nbob,x,0\n"
    for files in (NUMBERS, tabs, one_word, parquet, quotes, json, trec, no_header, no_match, mixed):
        lists, relevance = (next(name.split("/")[0] for name in files if name.startswith(first)) for first in "lr")
        for options in ({}, {"users": "judged"}, {"users": "all"}):
            given = {"lists": lists, "relevance": relevance, **options}
            found, expected = (in_files(["NDCG@1", "GiniComplement@2"], files, join=how, **given) for how in (join, None))
            assert found == expected, (files, options)
            said_here, said_there = ({one.kind for one in each.notices if one.level == "warning"} for each in (found, expected))
            assert said_here == said_there, files
    assert in_files("NDCG@1", NUMBERS, join=join, relevance="r.csv")["l.csv"]["NDCG@1"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("join", [False, True])
def test_files_beside_other_inputs(in_files: Any, join: bool) -> None:
    """What other inputs say decides what ids are, and so the order of ties."""
    users, words = {"u.csv": "user\n1\nbob\n"}, {"h.csv": "item,aspect\n9,a\nten,b\n"}
    aspects = {"s.csv": "user,aspect,item\n1,a|b,9\n2,a,10\n"}
    for files, metric, options in (
        (NUMBERS | users, "NDCG@1", {"relevance": "r.csv", "users": "u.csv"}),
        (NUMBERS, "NDCG@1", {"relevance": "r.csv", "users": ["1", "2"]}),
        (NUMBERS | words, ["NDCG@1", "ILD@2"], {"relevance": "r.csv", "aspects": "h.csv"}),
        (NUMBERS | words, ["NDCG@1", "GiniComplement@2"], {"relevance": "r.csv", "catalogue": ["9", "10", "ten"]}),
        (NUMBERS | aspects, "AlphaNDCG@2", {"subtopics": asp.Source("s.csv", split="|")}),
    ):
        found, expected = (in_files(metric, files, join=how, **options) for how in (join, None))
        assert found == expected, options


@pytest.mark.slow
@pytest.mark.parametrize("join", [False, True])
def test_several_systems_in_files(in_files: Any, join: bool) -> None:
    """Items that one of them names are seen for all."""
    files = {**WORDS, "A.csv": WORDS["l.csv"], "B.csv": "user,item,score\nann,x,2\nann,z,1\nzed,w,1\n"}
    metrics = ["GiniComplement@2", "CatalogueCoverage@2", "NDCG@2"]
    for users in ("lists", "judged"):
        options = {"lists": "A.csv B.csv", "relevance": "r.csv", "users": users}
        found, expected = (in_files(metrics, files, join=how, **options) for how in (join, None))
        assert found == expected
        catalogue = next(one for one in found.notices if one.kind == "no_catalogue")
        assert catalogue in expected.notices
    options["users"] = "all"
    if join:
        assert "'all': counts users of every system" in _refusal(lambda: in_files(metrics, files, join=join, **options))
    else:
        assert in_files(metrics, files, join=join, **options) == in_files(metrics, files, join=None, **options)
    for users in ("A.csv B.csv", "A.csv D.csv"):
        files["D.csv"] = "user,item,score\n" + "".join(f"u{n},y,1\n" for n in range(30))
        files["s.csv"] = "user,item\nann,y\n" + "".join(f"u{n},y\n" for n in range(30))
        options = {"lists": users, "relevance": "s.csv"}
        apart, expected = (
            [
                (one.count, one.of, one.level)
                for one in in_files("NDCG@2", files, join=how, **options).notices
                if one.kind == "different_users"
            ]
            for how in (join, None)
        )
        assert apart == expected != []
    files["C.csv"] = "user,item,score\n1,x,2\n"
    assert "C.csv; evaluate these systems one at a time" in _refusal(
        lambda: in_files("CatalogueCoverage@2", files, join=join, lists="A.csv C.csv", catalogue=["x", "y", "z"])
    )


@pytest.mark.slow
@pytest.mark.parametrize("join", [False, True])
def test_damaged_files_are_refused(in_files: Any, join: bool) -> None:
    lists, rounded = WORDS["l.csv"], "9007199254740993"

    def refused(files: dict[str, Any], **options: str) -> str:
        return _refusal(lambda: in_files("NDCG@2", {**WORDS, **files}, join=join, **{"relevance": "r.csv", **options}))

    assert "l.csv, line 4: " in refused({"l.csv": lists + "ann,z,1,7\n"})
    assert "l.csv, line 4: " in refused({"l.csv": lists + "ann,z,oops\n"})
    assert "r.csv, line 3: " in refused({"r.csv": WORDS["r.csv"] + "ann,z\n"})
    assert "is not UTF-8" in refused({"l.csv": lists.encode() + b"ann,caf\xe9,1\n"})
    assert "rounded to the same" in refused({"l.csv": lists + f"ann,z,{rounded}\n"})
    mixed = '{"user": 1, "item": 9, "score": 2}\n{"user": 1, "item": "9", "score": 1}\n'
    assert "item ids are int, such as 9; Spark takes text or whole numbers" in refused({"l.jsonl": mixed}, lists="l.jsonl")
    no_list = '{"user": 1, "items": [9]}\n{"user": 2, "items": []}\n'
    assert "user 2 has an empty list" in refused({"l.jsonl": no_list}, lists="l.jsonl")
    large = {"l.csv": "user,item,score\n1,1000000000000000000,2\n1,9999999999999999999,1\n", "r.csv": "user,item\n1,1000000000000000000\n"}
    assert "more than 64 bits in" in refused(large)
    several = {"l.csv": "user,item,score,system\nann,x,2,A\nbob,y,1,B\n"}
    assert "column 'system' names 2 systems ('A', 'B'), expected one; give each system a file of its own" in refused(several)
    twice = {"B.csv": lists + "ann,x,1\n"}
    assert "B.csv: the list of user 'ann' names item 'x' twice" in refused(twice, lists="l.csv B.csv")
    assert "B.csv: rankings is empty" in refused({"B.csv": "user,item,score\n"}, lists="l.csv B.csv")
    assert "'common' needs all lists at once" in refused({}, users="common")
    assert "more than 64 bits" in refused({"l.csv": f"user,item,score\n{'9' * 25},x,1\n", "r.csv": "user,item\n1,x\n"})
    assert "2.csv: has a rank column, unlike the files before it" in refused(
        {"l/1.csv": lists, "l/2.csv": "user,item,score,rank\nbob,x,1,1\n"}, lists="l"
    )
    assert "no order; expected a rank or score column" in refused({"l.csv": "user,item\nann,x\n"})
    if join:
        graded = polars.DataFrame({"user": ["bob"], "item": ["y"], "grade": [3.0]})
        parts = {"r.parts/1.parquet": polars.DataFrame({"user": ["ann"], "item": ["y"]}), "r.parts/2.parquet": graded}
        assert "the grade is missing" in refused(parts, relevance="r.parts")


@pytest.mark.slow
def test_folders_hold_what_they_hold_without_spark(in_files: Any) -> None:
    """Files of folders within, and of ``key=value`` folders."""
    rows = polars.DataFrame({"user": ["ann", "ann"], "item": ["x", "y"], "score": [2.0, 1.0]})
    more = rows.with_columns(user=polars.lit("bob"))
    for first, second in (("l.files/a.parquet", "l.files/old/b.parquet"), ("l.keys/day=1/a.parquet", "l.keys/day=2/b.parquet")):
        files, lists = {first: rows, second: more, "r.csv": "user,item\nann,x\nbob,z\n"}, first.split("/")[0]
        found, expected = (in_files("NDCG@2", files, join=how, lists=lists, relevance="r.csv") for how in (False, None))
        assert found == expected
        assert found[lists].details["NDCG@2"]["scored"] == 2


@pytest.mark.slow
def test_a_session_that_was_stopped(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    df = spark.createDataFrame([("ann", "x", 1.0)], "user string, item string, score double")
    monkeypatch.setattr(spark.sparkContext, "_jsc", None)  # as stop() leaves it
    assert "its Spark session was stopped" in _refusal(lambda: asp.integrations.spark.evaluate(df, "NDCG@1", relevance={"ann": ["x"]}))


@pytest.mark.slow
def test_a_baseline_of_arrays_does_not_depend_on_the_order_of_rows(spark: Any) -> None:
    df = spark.createDataFrame([("ann", "x", 1.0)], "user string, item string, score double")
    rows = [("ann", ["p"]), ("ann", ["x"])]
    found = {
        asp.integrations.spark.evaluate(df, "Unexpectedness@1", baseline=spark.createDataFrame(order, "user string, item array<string>"))[
            "Unexpectedness@1"
        ]
        for order in (rows, rows[::-1])
    }
    assert len(found) == 1


@pytest.mark.slow
def test_what_cannot_be_joined_is_refused(spark: Any) -> None:
    df = spark.createDataFrame([("ann", "x", 1.0), ("bob", "y", 1.0)], "user string, item string, score double")
    users = spark.createDataFrame([("ann", "x"), ("bob", "y")], "user string, item string")

    def refused(metrics: Any = "NDCG@2", **options: Any) -> str:
        return _refusal(lambda: asp.integrations.spark.evaluate(df, metrics, **options))

    assert "history is a DataFrame of Spark, and relevance is not" in refused(relevance={"ann": ["x"]}, history=users)
    numbers = spark.createDataFrame([(1, "x")], "user int, item string")
    assert "user ids have different types: text in rankings, numbers in relevance" in refused(relevance=numbers)
    assert "item ids have different types" in refused(relevance=users, catalogue=[1, 2])
    assert "weights are those of users" in refused(relevance=users, weights={"ann": {"a": 1.0}}, aspects={"x": ["a"]})
    assert "weights: no user column found" in refused(
        relevance=users, weights=spark.createDataFrame([("a", 1.0)], "aspect string, weight double")
    )
    assert "aspects is a DataFrame of Spark" in refused(relevance=users, aspects=users.withColumnRenamed("user", "aspect"))
    assert "graph= cannot be combined with joined inputs" in refused(relevance=users, graph=[("ann", "bob")])
    assert "no order; expected a rank or score column" in refused("Unexpectedness@2", baseline=users)
    twice = spark.createDataFrame([("ann", "x", 1), ("ann", "x", 2)], "user string, item string, grade int")
    assert refused(relevance=twice).startswith("relevance: user 'ann' and item 'x' have two grades, ")
    strangers = spark.createDataFrame([("Ann", "x"), ("Bob", "y")], "user string, item string")
    assert "2 of 2 users are not in relevance (such as 'ann', 'bob'); they differ in case" in refused(relevance=strangers)
    vectors = spark.createDataFrame([("x", [1.0, 2.0]), ("x", [1.0, 2.0]), ("y", [float("nan"), 1.0])], "item string, vector array<double>")
    assert "features is a DataFrame of Spark, and relevance is not" in refused("ILD@2", features=vectors, relevance={"ann": ["x"]})
    assert "item 'x' has 2 vectors; keep one of each" in refused("ILD@2", features=vectors)
    assert "vectors are an array column of numbers" in refused("ILD@2", features=users)
    uneven = spark.createDataFrame([("x", [1.0, 2.0]), ("y", [1.0])], "item string, vector array<double>")
    assert "the vectors of 'x' and 'y' have 2 and 1 numbers" in refused("ILD@2", features=uneven, partitions=7)
    assert "2**70" in refused(relevance=users, users=["ann", 2**70]).replace(str(2**70), "2**70")
    assert "features: the vector holds nan, expected finite numbers" in refused("ILD@2", features=vectors.dropDuplicates(["item"]))
    ordered = "Calibration(history_discount=log)@2"
    assert "in the order of its rows" in refused(ordered, history=users, aspects={"x": ["a"]})


@pytest.mark.slow
def test_ids_and_forms_of_lists(spark: Any) -> None:
    """Arrays of items; ids that are whole numbers of any width; columns that are named; an empty DataFrame."""
    relevance = {1: [10, 11], 2: [12], 3: [10]}
    expected = asp.evaluate({1: [10, 12], 2: [12]}, ["NDCG@2", "GiniComplement@2"], relevance=relevance, users="all")
    arrays = spark.createDataFrame([(1, [10, 12]), (2, [12])], "user int, items array<int>")
    ranks = spark.createDataFrame([(2, 12, 1), (1, 12, 2), (1, 10, 1)], "uid smallint, `the.item` long, place int")
    named = asp.Source(ranks, columns={"user": "uid", "item": "the.item", "rank": "place"})
    for given in (arrays, ranks.withColumnsRenamed({"uid": "user", "the.item": "item"}), named):
        assert asp.integrations.spark.evaluate(given, ["NDCG@2", "GiniComplement@2"], relevance=relevance, users="all") == expected
    empty = ranks.where("place > 5").withColumnsRenamed({"uid": "user", "the.item": "item"})
    with pytest.raises(asp.InputError, match="rankings is empty"):  # as of an empty frame
        asp.integrations.spark.evaluate(empty, "NDCG@2", relevance=relevance)


@pytest.mark.slow
def test_the_order_of_rows_does_not_show(spark: Any) -> None:
    """Of rows with the same item the first by rank counts; several arrays of a user come in one order; ranks that fall are no finding."""
    rows = [(user, item, rank) for user in range(12) for item, rank in ((3, 1), (4, 2), (3, 3), (5, 4))]
    relevance = {user: [user % 3 + 3] for user in range(12)}
    schema = "user int, item int, rank int"
    found = [
        asp.integrations.spark.evaluate(spark.createDataFrame(given, schema), "NDCG@2", relevance=relevance, duplicates="first")
        for given in (rows, rows[::-1])
    ]
    frame = polars.DataFrame(rows, schema=["user", "item", "rank"], orient="row")
    assert found[0] == found[1] == asp.evaluate(frame, "NDCG@2", relevance=relevance, duplicates="first", ties="ascending")
    arrays = [(1, [4]), (1, [3, 5]), (2, [5])]
    numbers = [
        asp.integrations.spark.evaluate(spark.createDataFrame(given, "user int, items array<int>"), "NDCG@1", relevance={1: [3], 2: [4]})
        for given in (arrays, arrays[::-1])
    ]
    assert numbers[0] == numbers[1]
    falling = spark.createDataFrame([(user, item, 9 - item) for user in range(12) for item in range(9)], schema)
    assert not any("reversed" in one.kind for one in asp.integrations.spark.evaluate(falling, "NDCG@2", relevance=relevance).notices)


@pytest.mark.slow
def test_mistakes_are_named_in_plain_words(spark: Any) -> None:
    def refused(rows: list[tuple[Any, ...]], schema: str = "user string, item string, score double", **options: Any) -> str:
        with pytest.raises(asp.AspectrumError) as caught:
            asp.integrations.spark.evaluate(spark.createDataFrame(rows, schema), "NDCG@2", relevance={"a": ["x"]}, **options)
        assert "java" not in str(caught.value).lower() + repr(caught.value.__cause__).lower()
        return str(caught.value)

    assert refused([("a", "x", 2.0), ("a", "x", 1.0)]) == "rankings: the list of user 'a' names item 'x' twice, the second time at rank 2"
    assert refused([("a", "x", 2.0), (None, "x", 1.0)]) == "rankings: the user is missing"
    assert "the score is nan, expected a finite number" in refused([("a", "x", float("nan"))])
    assert "user ids have different types" in refused([(1, "x", 1.0)], "user int, item string, score double")
    assert "rows of a Spark DataFrame have no order" in refused([("a", "x")], "user string, item string")
    assert "use order='score'" in refused([("a", "x", 1.0)], convention="relison")
    assert "ties='input'" in refused([("a", "x", 1.0)], ties="input")
    assert "scores of users, as a DataFrame" in refused([("a", "x", 1.0)], per_user=True)
    assert "partitions is 0" in refused([("a", "x", 1.0)], partitions=0)
    systems = [("a", "x", 1.0, "A"), ("b", "x", 1.0, "B")]
    assert "two systems cannot be added" in refused(systems, "user string, item string, score double, system string", partitions=200)
    assert "expected a DataFrame of Spark" in _refusal(
        lambda: asp.integrations.spark.evaluate({"a": ["x"]}, "NDCG@2", relevance={"a": ["x"]})
    )


def _refusal(call: Any) -> str:
    with pytest.raises(asp.AspectrumError) as caught:
        call()
    return str(caught.value)


@pytest.mark.slow
def test_one_user_with_very_many_rows(spark: Any) -> None:
    n = 300_000
    df = spark.range(n).selectExpr("'only' as user", "id as item", "cast(id as double) as score")
    found = asp.integrations.spark.evaluate(df, "GiniComplement", partitions=5)
    assert found.details["GiniComplement"]["recommendations"] == n


@pytest.mark.slow
def test_little_reaches_the_driver_of_users_nobody_knows(spark: Any) -> None:
    df = spark.range(200_000).selectExpr("concat('user ', id) as user", "id % 50 as item", "1 as rank")
    found = asp.integrations.spark.evaluate(df, ["GiniComplement@1", "NDCG@1"], relevance={"user 7": [7]}, partitions=8)
    assert found.details["GiniComplement@1"]["recommendations"] == 200_000
    assert found["NDCG@1"] == 1.0
    assert found.details["NDCG@1"]["undefined"] == 199_999
    assert found.partial is None
    assert "199,999 of 200,000 users are not in relevance" in " ".join(found.notes)


@pytest.mark.slow
def test_workers_of_an_executor_share_the_truth(spark: Any, truth: dict[str, Any]) -> None:
    """Arrays are mapped from the file that Spark itself keeps, at an address that suits them."""
    from aspectrum.integrations.spark.tables import Lists

    plan = asp.Plan("NDCG@5", asp.Truth.read(**truth))
    df = spark.range(4).selectExpr("id as user", "id as item", "1 as rank")

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import mmap

        import pyarrow  # type: ignore[import-untyped]

        for _ in batches:
            pass
        features = shipped.open().truth.features
        assert features is not None
        kinds = [type(shipped._arrays().obj) is mmap.mmap, bool(features.matrix.flags.aligned), not features.matrix.flags.writeable]
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([all(kinds)])], ["shared"])

    with Lists.of(df, plan.convention, plan.truth.reading, None).shipped(plan) as shipped:
        assert all(row.shared for row in df.repartition(4).mapInArrow(look, "shared boolean").collect())


@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle(spark: Any, standalone: Cluster, lists: polars.DataFrame, truth: dict[str, Any]) -> None:
    def slowly(batches: Iterator[Any]) -> Iterator[Any]:
        import time

        for batch in batches:
            time.sleep(0.05)
            yield batch

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    df = spark.createDataFrame(lists.to_arrow())
    found: list[Any] = []

    def evaluate() -> None:
        try:
            found.append(asp.integrations.spark.evaluate(df.mapInArrow(slowly, df.schema), METRICS, partitions=40, **truth))
        except BaseException as error:
            found.append(error)

    running = threading.Thread(target=evaluate)
    running.start()
    tracker = spark.sparkContext.statusTracker()
    deadline = time.monotonic() + 60
    while not _tasks_done(tracker, of=40) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert running.is_alive()
    standalone.kill("two")
    running.join(120)
    standalone.start_worker("two")
    assert found == [asp.evaluate(lists, METRICS, ties="ascending", **truth)]


def _tasks_done(tracker: Any, of: int) -> bool:
    """Whether a stage with so many tasks has begun, and has done some of them."""
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage is not None and stage.numTasks == of and stage.numCompletedTasks >= 3 for stage in stages)


OUT_OF_MEMORY = """
import sys
import aspectrum as asp
from tests.integrations.spark_cluster import session

with session(sys.argv[1], **{"spark.task.maxFailures": "1"}) as spark:  # whose executors have 512 MB
    df = spark.range(1).selectExpr("id as user", "transform(sequence(0, 300000000), x -> x + 1) as items")
    try:
        asp.integrations.spark.evaluate(df, "GiniComplement", partitions=1)
    except asp.AspectrumError as error:
        print(error)
"""


@pytest.mark.slow
def test_an_executor_out_of_memory(standalone: Cluster) -> None:
    command, root = [sys.executable, "-c", OUT_OF_MEMORY, standalone.url], Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False, cwd=root)
    assert ran.stdout.startswith("Spark: a worker ran out of memory; use more partitions"), ran.stdout + ran.stderr
    assert "spark.executor.memory" in ran.stdout


@pytest.mark.slow
def test_python_out_of_memory(folder: Path) -> None:
    """What a task hands on, also where reading noticed first."""
    from aspectrum.integrations.spark.workers import Observed, one_row
    from aspectrum.io.files import naming_memory

    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={"u": ["x"]}))

    def fails() -> NoReturn:
        raise MemoryError

    def fails_reading() -> NoReturn:
        with naming_memory("rankings"):
            raise MemoryError

    for make in (fails, fails_reading):
        (batch,) = one_row(iter([]), make)
        with pytest.raises(asp.AspectrumError, match=r"ran out of memory; use more partitions .* spark\.executor\.memory"):
            Observed.of_row(plan, *(column[0].as_py() for column in batch.columns))
