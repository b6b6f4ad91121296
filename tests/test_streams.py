"""Lists that are read piece by piece give the numbers of lists that are read at once, to the bit."""

import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import streams
from aspectrum.cli import run
from aspectrum.coding.rows import Rows
from aspectrum.streams import bytes_of, in_units, resident_memory
from aspectrum.world import grouping
from aspectrum.world.building import Tables
from aspectrum.world.grouping import Buckets, CodedRows, Places
from tests.strategies import checked
from tests.streaming import MEMORY, TEXTS, WRITERS, Row, assert_same, frame_of, in_pieces_of, write, zstd

METRICS = ["NDCG@3", "AlphaNDCG@2,5", "GiniComplement@3", "ILD@3", "EPC@3", "CatalogueCoverage@3", "Precision@3"]
USERS, ITEMS = [f"u{n}" for n in range(15)], [f"i{n}" for n in range(12)]


def drawn(seed: int = 0, users: Sequence[Any] = USERS, items: Sequence[Any] = ITEMS) -> tuple[list[Row], dict[str, Any]]:
    """Rows that are grouped by user, with ties among their scores, and a truth that does not know every user."""
    draw = random.Random(seed)
    rows = [(user, item, float(draw.randint(0, 4))) for user in users for item in draw.sample(items, draw.randint(1, 6))]
    judged = {user: {item: draw.randint(0, 2) for item in draw.sample(items, 4)} for user in users[3:]}
    truth = {
        "relevance": judged,
        "aspects": {item: draw.sample("abcd", draw.randint(0, 3)) for item in items},
        "history": {user: draw.sample(items, 3) for user in users[:10]},
    }
    return rows, truth


ROWS, TRUTH = drawn()


def shuffled(rows: Sequence[Row], seed: int = 1) -> list[Row]:
    return random.Random(seed).sample(rows, len(rows))


ORDERS = {"grouped": ROWS, "shuffled": shuffled(ROWS)}


def whole(given: Any, metrics: Any = METRICS, **options: Any) -> asp.Results:
    return asp.evaluate(given, metrics, **{**TRUTH, **options})


def piecewise(given: Any, metrics: Any = METRICS, *, n_rows: int = 7, n_bytes: int | None = None, **options: Any) -> asp.Results:
    with in_pieces_of(n_rows, n_bytes):
        return asp.evaluate(given, metrics, **{**TRUTH, "memory": MEMORY, **options})


def refused(given: Any, *, n_rows: int = 7, **options: Any) -> str:
    with pytest.raises(asp.InputError) as caught:
        piecewise(given, n_rows=n_rows, **options)
    return str(caught.value)


@pytest.fixture(scope="module")
def expected() -> dict[str, asp.Results]:
    return {order: whole(frame_of(rows)) for order, rows in ORDERS.items()}


# Every form


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("format", WRITERS)
def test_every_format(tmp_path: Path, format: str, order: str, expected: dict[str, asp.Results]) -> None:
    path = write(tmp_path / f"lists.{format}", ORDERS[order])
    assert_same(piecewise(path), expected[order], notes=False)
    assert_same(piecewise(path, n_rows=4), whole(path))


@pytest.mark.parametrize("order", ORDERS)
def test_every_metric(tmp_path: Path, order: str) -> None:
    path = write(tmp_path / "lists.parquet", ORDERS[order])
    assert_same(piecewise(path, "all@3"), whole(path, "all@3"))


def split(rows: Sequence[Row], n: int) -> list[Sequence[Row]]:
    """Rows in n files, which cut lists in two."""
    cuts = [round(place * len(rows) / n) for place in range(n + 1)]
    return [rows[start:end] for start, end in pairwise(cuts)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("format", ["parquet", "arrow", "csv.gz", "tsv", "jsonl", "run"])
def test_folders_and_patterns(tmp_path: Path, format: str, order: str, expected: dict[str, asp.Results]) -> None:
    for number, part in enumerate(split(ORDERS[order], 4)):
        write(tmp_path / "lists" / f"part-{number:05}.{format}", part)
    (tmp_path / "lists" / "_SUCCESS").write_text("")
    (tmp_path / "lists" / ".part-00000.crc").write_bytes(b"\0\1")
    for given in (tmp_path / "lists", str(tmp_path / "lists" / "part-*"), str(tmp_path / "**" / f"*.{format}")):
        assert_same(piecewise(given), expected[order], notes=False)
    assert_same(piecewise(tmp_path / "lists", memory=None), expected[order], notes=False)


def test_folders_within_folders_say_what_columns_hold(tmp_path: Path, expected: dict[str, asp.Results]) -> None:
    for number, part in enumerate(split(ROWS, 3)):
        write(tmp_path / "lists" / f"day={number}" / "system=ALS" / "part-0.parquet", part)
    assert_same(piecewise(tmp_path / "lists"), expected["grouped"], notes=False)
    for user in USERS:
        frame = frame_of([row for row in ROWS if row[0] == user]).drop("user")
        (tmp_path / "by user" / f"user={user}").mkdir(parents=True)
        frame.write_parquet(tmp_path / "by user" / f"user={user}" / "part-0.parquet")
    assert_same(piecewise(tmp_path / "by user"), expected["grouped"], notes=False)


def test_empty_files_among_others(tmp_path: Path, expected: dict[str, asp.Results]) -> None:
    for number, part in enumerate([ROWS[:20], [], ROWS[20:], []]):
        frame = frame_of(ROWS).clear() if not part else frame_of(part)
        folder = tmp_path / "parquet"
        folder.mkdir(exist_ok=True)
        frame.write_parquet(folder / f"part-{number}.parquet")
        write(tmp_path / "csv" / f"part-{number}.csv", part)
    for format in ("parquet", "csv"):
        assert_same(piecewise(tmp_path / format), expected["grouped"], notes=False)


def test_an_empty_first_file(tmp_path: Path, expected: dict[str, asp.Results]) -> None:
    frame_of(ROWS).clear().write_parquet(tmp_path / "part-0.parquet")
    frame_of(ROWS).write_parquet(tmp_path / "part-1.parquet")
    assert_same(piecewise(tmp_path), expected["grouped"], notes=False)


@pytest.mark.parametrize("order", ORDERS)
def test_frames(order: str, expected: dict[str, asp.Results]) -> None:
    duckdb = pytest.importorskip("duckdb")
    pyarrow = pytest.importorskip("pyarrow")
    frame = frame_of(ORDERS[order])
    table = frame.to_arrow()
    given = {
        "LazyFrame": frame.lazy(),
        "DataFrame": frame,
        "relation": duckdb.sql("select * from frame"),
        "Table": table,
        "reader": pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=4)),
    }
    for one in given.values():
        assert_same(piecewise(one), expected[order], notes=False)
    assert_same(piecewise(frame.lazy(), memory=None), expected[order], notes=False)
    with duckdb.connect() as connection:
        connection.register("lists", frame)
        assert_same(piecewise(connection.sql("select * from lists"), memory=None), expected[order], notes=False)


def test_pandas_frames(expected: dict[str, asp.Results]) -> None:
    assert_same(piecewise(frame_of(ROWS).to_pandas()), expected["grouped"], notes=False)


@pytest.mark.parametrize("order", ["grouped", "shuffled"])
@pytest.mark.parametrize("format", ["csv", "jsonl", "run", "csv.gz"])
def test_the_standard_input(
    tmp_path: Path, format: str, order: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / f"lists.{format}", ORDERS[order])
    pl.DataFrame(
        [(u, i, g) for u, given in TRUTH["relevance"].items() for i, g in given.items()], ["user", "item", "grade"], orient="row"
    ).write_csv(tmp_path / "truth.csv")
    arguments = ["--relevance", str(tmp_path / "truth.csv"), "-m", "NDCG@3", "-m", "Precision@3", "--format", "json"]
    assert run(["evaluate", f"stdin={path}", *arguments]) == 0
    expected = capsys.readouterr().out.replace(str(path), "standard input")

    class Input:
        buffer = io.BytesIO(path.read_bytes())

    monkeypatch.setattr(sys, "stdin", Input)
    with in_pieces_of(7):
        assert run(["evaluate", "-", *arguments, "--memory", MEMORY]) == 0
    assert _numbers(capsys.readouterr().out) == _numbers(expected)


def _numbers(text: str) -> Any:
    return json.loads(text)["systems"] if "systems" in json.loads(text) else json.loads(text)["metrics"]


def as_cells(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per user, with lists of items and scores; some users have an empty list."""
    frame = frame_of(rows).group_by("user", maintain_order=True).agg(pl.all())
    nothing = frame.head(2).with_columns(
        user=pl.Series(["nobody", "noone"]), item=pl.lit([], frame.schema["item"]), score=pl.lit([], frame.schema["score"])
    )
    return pl.concat([frame.head(4), nothing.head(1), frame.slice(4), nothing.tail(1)])


@pytest.mark.parametrize("users", ["lists", "all"])
def test_lists_in_cells(tmp_path: Path, users: str) -> None:
    frame = as_cells(ROWS)
    frame.write_parquet(tmp_path / "lists.parquet", row_group_size=2)
    (tmp_path / "lists.jsonl").write_text(frame.write_ndjson())
    expected = whole(frame, users=users)
    assert expected.details["NDCG@3"]["scored"] + expected.details["NDCG@3"].get("undefined", 0) >= 15
    for given in (tmp_path / "lists.parquet", tmp_path / "lists.jsonl", frame.lazy(), frame):
        for n_rows in (1, 4, 30):
            assert_same(piecewise(given, n_rows=n_rows, users=users), expected, notes=False)


def test_lists_in_cells_of_users_who_come_again(tmp_path: Path) -> None:
    """A user's list in two cells, with those of others between them: one of them is empty."""
    frame = as_cells(ROWS)
    again = frame.head(3).with_columns(item=pl.lit([], frame.schema["item"]), score=pl.lit([], frame.schema["score"]))
    both = pl.concat([frame, again])
    for n_rows in (2, 9, 100):
        assert_same(piecewise(both.lazy(), n_rows=n_rows), whole(both), notes=False)


# Every shape


def test_one_user_with_many_rows() -> None:
    rows = [("u5", f"i{n}", float(-n)) for n in range(500)]
    rows = [("u4", "i1", 1.0), *rows, ("u6", "i2", 1.0)]
    for given in (rows, shuffled(rows)):
        assert_same(piecewise(frame_of(given).lazy()), whole(frame_of(given)), notes=False)


def test_many_users_with_one_row(tmp_path: Path) -> None:
    draw = random.Random(2)
    rows = [(f"u{n}", draw.choice(ITEMS), 1.0) for n in draw.sample(range(400), 400)]
    for format in ("parquet", "csv"):
        assert_same(piecewise(write(tmp_path / f"lists.{format}", rows), n_rows=25), whole(frame_of(rows)), notes=False)


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "run"])
@pytest.mark.parametrize("order", ORDERS)
def test_ids_that_are_numbers(tmp_path: Path, format: str, order: str) -> None:
    rows, truth = drawn(3, users=range(40, 55), items=range(12))
    rows = rows if order == "grouped" else shuffled(rows)
    found = piecewise(write(tmp_path / f"lists.{format}", rows), **truth)
    assert_same(found, whole(frame_of(rows), **truth), notes=False)
    assert found.per_user["user"].dtype == pl.Int64


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("format", ["csv", "tsv", "run", "csv.zst"])
@pytest.mark.parametrize("truth", ["numbers", "text", "none"])
def test_7_may_be_a_number_or_text(tmp_path: Path, format: str, place: str, truth: str) -> None:
    """What ids of a text file are is known at its end; beside a truth of numbers, words are refused either way."""
    rows, _ = drawn(3, users=range(40, 55), items=range(12))
    rows = [("ann", "x", 1.0), *rows] if place == "first" else [*rows, ("ann", "x", 1.0)]
    options: dict[str, Any] = dict.fromkeys(TRUTH)
    if truth != "none":
        kind: Any = int if truth == "numbers" else str
        _, options = drawn(3, users=[kind(user) for user in range(40, 55)], items=[kind(item) for item in range(12)])
    for given in (rows, shuffled(rows)):
        path = write(tmp_path / f"lists.{format}", given)
        if truth == "numbers":
            with pytest.raises(asp.InputError, match="ids have different types"):
                whole(path, **options)
            assert "ids have different types" in refused(path, **options)
        elif truth == "text":
            assert_same(piecewise(path, **options), whole(path, **options), notes=False)
        else:
            assert piecewise(path, "GiniComplement@3", **options) == whole(path, "GiniComplement@3", **options)


@pytest.mark.parametrize("ties", ["ascending", "descending", "input"])
@pytest.mark.parametrize("kind", ["text", "numbers"])
@pytest.mark.parametrize("order", ORDERS)
def test_ties(tmp_path: Path, ties: str, kind: str, order: str) -> None:
    rows, truth = drawn(4, **({"users": range(40, 55), "items": [9, 10, 100, 11, 2, 20, 1]} if kind == "numbers" else {}))
    rows = [(user, item, float(score > 1)) for user, item, score in rows]
    rows = rows if order == "grouped" else shuffled(rows)
    for format in ("parquet", "csv"):
        path = write(tmp_path / f"lists.{format}", rows)
        assert_same(piecewise(path, ties=ties, **truth), whole(path, ties=ties, **truth))


@pytest.mark.parametrize("order", ORDERS)
def test_all_orders_of_ties(tmp_path: Path, order: str) -> None:
    """Cutoffs cut groups of equal scores, so more of a list is needed than its top."""
    rows, truth = drawn(4)
    rows = [(user, item, float(score > 1)) for user, item, score in rows]
    rows = rows if order == "grouped" else shuffled(rows)
    metrics = ["NDCG@1", "AlphaNDCG@2", "MAP@2", "AspectRecall@1"]
    for format in ("parquet", "csv"):
        path = write(tmp_path / f"lists.{format}", rows)
        expected = whole(path, metrics, ties="expected", **truth)
        assert expected.details["NDCG@1"]["lists_cut_within_ties"] > 0
        assert_same(piecewise(path, metrics, ties="expected", **truth), expected)


@pytest.mark.parametrize("order", ORDERS)
def test_ties_by_ids_that_turn_out_to_be_text(tmp_path: Path, order: str) -> None:
    """9 comes after 10 as text. Where pieces would not agree, they are refused, not measured in two orders."""
    rows = [(f"u{user}", str(item), 1.0) for user in range(9) for item in (9, 10, 100)]
    rows = [*rows, ("u9", "word", 1.0)]
    path = write(tmp_path / "lists.csv", rows if order == "grouped" else shuffled(rows))
    known: dict[str, Any] = {"relevance": {f"u{user}": {"10": 1} for user in range(9)}, "aspects": None, "history": None}
    metrics = ["NDCG@1", "NDCG@2"]
    expected = whole(path, metrics, ties="ascending", **known)
    assert_same(piecewise(path, metrics, ties="ascending", **known), expected, notes=False)
    alone: dict[str, Any] = {"relevance": None, "aspects": None, "history": None}
    expected = whole(path, "GiniComplement@1", ties="ascending", **alone)
    try:
        found = piecewise(path, "GiniComplement@1", ties="ascending", **alone)
    except asp.InputError as error:
        assert "ties are broken by item id" in str(error)  # noqa: PT017 - both are right
    else:
        assert found == expected


@pytest.mark.parametrize("order", ORDERS)
def test_rank_columns(tmp_path: Path, order: str) -> None:
    rows = [(user, item, place % 6 + 1) for place, (user, item, _) in enumerate(ORDERS[order])]
    frame_of(rows, ("user", "item", "rank")).write_parquet(tmp_path / "lists.parquet")
    frame_of(rows, ("user", "item", "rank")).write_csv(tmp_path / "lists.csv")
    for path in tmp_path.iterdir():
        assert_same(piecewise(path), whole(path))


@pytest.mark.parametrize("order", ORDERS)
def test_ranks_beside_scores(tmp_path: Path, order: str) -> None:
    frame = frame_of(ORDERS[order]).with_columns(rank=pl.lit(1))
    frame.write_csv(tmp_path / "lists.csv")
    assert_same(piecewise(tmp_path / "lists.csv"), whole(tmp_path / "lists.csv"))


def test_no_column_that_orders(tmp_path: Path) -> None:
    for order, rows in ORDERS.items():
        path = tmp_path / f"{order}.csv"
        frame_of(rows).drop("score").write_csv(path)
        found, expected = piecewise(path), whole(path)
        assert_same(found, expected)
        kinds = {notice.kind for notice in found.notices}
        assert ("several_blocks" in kinds) == (order == "shuffled")
        assert kinds == {notice.kind for notice in expected.notices}
    with pytest.warns(asp.AspectrumWarning, match="several_blocks"):
        piecewise(tmp_path / "shuffled.csv")


@pytest.mark.parametrize("users", ["lists", "judged", "both", "relevant", "all", ["u3", "u12", "unheard of"]])
@pytest.mark.parametrize("order", ORDERS)
def test_users(tmp_path: Path, users: Any, order: str) -> None:
    truth: dict[str, Any] = {"relevance": {**TRUTH["relevance"], "without list": {"i1": 1}}}
    path = write(tmp_path / "lists.parquet", ORDERS[order])
    assert_same(piecewise(path, users=users, **truth), whole(path, users=users, **truth))


@pytest.mark.parametrize("order", ORDERS)
def test_several_systems_and_conventions(tmp_path: Path, order: str) -> None:
    other, _ = drawn(8)
    systems = {
        "A": write(tmp_path / "a.parquet", ORDERS[order]),
        "B": write(tmp_path / "b" / "part-0.csv", other).parent,
        "C": {"u5": ["i1"]},
    }
    metrics = ["NDCG@3", "AlphaNDCG@2,5", "GiniComplement@3", "Precision@3"]
    for convention in ("published", "published,informfully"):
        with in_pieces_of(7):
            found = asp.evaluate_systems(systems, metrics, convention=convention, **TRUTH)
        expected = asp.evaluate_systems(
            {**systems, "A": frame_of(ORDERS[order]), "B": frame_of(other)}, metrics, convention=convention, **TRUTH
        )
        assert list(found) == list(expected)
        for name in found:
            if len(found[name]):
                assert_same(found[name], expected[name], notes=False)
        with in_pieces_of(7):
            files = {name: given for name, given in systems.items() if name != "C"}
            assert (
                list(asp.evaluate_systems(files, metrics, memory=MEMORY, convention=convention, **TRUTH))
                == list(found)[: 2 * len(found) // 3]
            )


@pytest.mark.parametrize("per_user", [True, False])
def test_scores_of_users_are_kept_as_asked(tmp_path: Path, per_user: bool) -> None:
    path = write(tmp_path / "lists.parquet", ORDERS["shuffled"])
    found = piecewise(path, per_user=per_user)
    assert found == whole(path, per_user=per_user)


@pytest.mark.parametrize("order", ORDERS)
def test_scores_go_to_a_file(tmp_path: Path, order: str) -> None:
    path = write(tmp_path / "lists.csv", ORDERS[order])
    plan = asp.Plan(METRICS, asp.Truth.read(**TRUTH), users="all", per_user=False)
    with in_pieces_of(7), asp.ScoresFile(tmp_path / "scores.parquet") as scores:
        part = plan.observe({"before": ["i1"]}, scores=scores) + plan.observe(path, scores=scores, memory=MEMORY)
        plan.finish(part, scores=scores)
    rows = [*ORDERS[order], ("before", "i1", 1.0)]
    expected = whole(frame_of(rows), users="all").per_user.sort("user")
    assert pl.read_parquet(tmp_path / "scores.parquet").select(expected.columns).sort("user").equals(expected)


def test_progress_counts_rows(tmp_path: Path) -> None:
    for order, rows in ORDERS.items():
        told: list[tuple[int, int]] = []
        piecewise(write(tmp_path / f"{order}.parquet", rows), progress=lambda done, total, told=told: told.append((done, total)))
        assert told[-1] == (len(rows), len(rows))
        done = [done for done, _ in told]
        assert sum(later < earlier for earlier, later in pairwise(done)) <= (order == "shuffled")  # which it begins anew


def test_no_file_or_thread_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = write(tmp_path / "lists.csv", [*ORDERS["shuffled"], ORDERS["shuffled"][0]])
    refused(path)
    piecewise(write(tmp_path / "lists.csv", ORDERS["shuffled"]))
    assert os.listdir(tmp_path / "temporary") == []
    assert not [thread for thread in threading.enumerate() if thread.name == "aspectrum-reader"]


@checked(40)
@hypothesis.given(st.data())
def test_random_worlds_in_random_pieces(data: st.DataObject) -> None:
    numbers = data.draw(st.booleans())
    users: list[Any] = list(range(5, 12)) if numbers else [f"u{n}" for n in range(7)]
    items: list[Any] = [9, 10, 100, 1, 2] if numbers else ["a", "é", "b,c", "d"]
    pairs = [(user, item) for user in data.draw(st.permutations(users)) for item in data.draw(st.permutations(items))]
    kept = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)).filter(any))
    rows: list[Row] = [(*pair, float(data.draw(st.integers(0, 3)))) for pair, is_kept in zip(pairs, kept, strict=True) if is_kept]
    if data.draw(st.booleans()):
        rows = data.draw(st.permutations(rows))
    truth: dict[str, Any] = {
        "relevance": {user: data.draw(st.lists(st.sampled_from(items), unique=True)) for user in users[1:]},
        "aspects": {item: data.draw(st.lists(st.sampled_from("xyz"), unique=True)) for item in items},
        "history": None,
    }
    options = {
        "ties": data.draw(st.sampled_from(["input", "ascending", "descending"])),
        "users": data.draw(st.sampled_from(["lists", "judged", "all"])),
        "order": data.draw(st.sampled_from([None, "input", "score"])),
    }
    metrics = ["NDCG@2", "AlphaNDCG@3", "GiniComplement@2"]
    format = data.draw(st.sampled_from(["parquet", "arrow", "jsonl", *([] if "b,c" in items else ["csv", "run.gz", "tsv.zst"])]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=2)))
    parts = [part for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True) if (part := rows[start:end])]
    n_rows, n_bytes = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 200))
    folder = Path(tempfile.mkdtemp())
    try:
        for number, part in enumerate(parts):
            write(folder / f"part-{number}.{format}", part)
        expected, message = _tried(lambda: whole(frame_of(rows), metrics, **truth, **options))
        found, mine = _tried(lambda: piecewise(folder, metrics, n_rows=n_rows, n_bytes=n_bytes, **truth, **options))
        assert (message is None) == (mine is None), (message, mine)
        if found is not None and expected is not None:
            assert_same(found, expected, notes=False)
    finally:
        shutil.rmtree(folder)


def _tried(call: Any) -> tuple[asp.Results | None, str | None]:
    try:
        return call(), None
    except asp.InputError as error:
        return None, str(error)


# What is refused


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "run.gz"])
@pytest.mark.parametrize("place", [3, 8, 50])
@pytest.mark.parametrize("order", ORDERS)
def test_items_that_come_twice(tmp_path: Path, format: str, place: int, order: str) -> None:
    user, item, _ = ROWS[place]
    rows = [*ROWS[: place + 1], (user, item, 0.5), *ROWS[place + 1 :]]
    rows = rows if order == "grouped" else shuffled(rows)
    path = write(tmp_path / f"lists.{format}", rows)
    with pytest.raises(asp.InputError) as caught:
        whole(path)
    said, expected = refused(path, n_rows=5), str(caught.value)
    assert said.partition(": ")[2].rpartition(", the second")[0] == expected.partition(": ")[2].rpartition(", the second")[0]
    assert f"the list of user '{user}' names item '{item}' twice" in said
    if order == "grouped":
        assert said == expected
    assert_same(piecewise(path, duplicates="first"), whole(path, duplicates="first"))


def test_items_that_come_twice_in_different_files(tmp_path: Path) -> None:
    for format in ("parquet", "csv"):
        for number, part in enumerate([ROWS, ROWS[5:6]]):
            write(tmp_path / format / f"part-{number}.{format}", part)
        user, item, _ = ROWS[5]
        assert f"the list of user '{user}' names item '{item}' twice" in refused(tmp_path / format)


def test_an_item_twice_in_one_file_of_several_says_nothing_of_systems(tmp_path: Path) -> None:
    user, item, _ = ROWS[5]
    shared = "the files of a folder are one system"
    for format in ("parquet", "csv"):
        own, other, mixed = (tmp_path / f"{name}-{format}" for name in ("own", "other", "mixed"))
        for folder, parts in ((own, [ROWS[20:], [*ROWS[:6], ROWS[5]]]), (other, [ROWS[5:6], ROWS[5:6]])):
            for number, part in enumerate(parts):
                write(folder / f"part-{number}.{format}", part)
        assert f"the list of user '{user}' names item '{item}' twice" in refused(own)
        assert shared not in refused(own)
        assert refused(other).endswith(shared)
        assert "ignores repeats" not in refused(other)
        for number, part in enumerate([shuffled(ROWS), ROWS[5:6]]):  # by way of the disk, which forgets the files
            write(mixed / f"part-{number}.{format}", part)
        assert refused(mixed).endswith(f"; duplicates='first' ignores repeats; {shared}")
        assert f"the list of user '{user}' names item '{item}' twice" in refused(mixed)


def test_files_with_different_columns(tmp_path: Path) -> None:
    for format in ("parquet", "csv"):
        folder = tmp_path / format
        write(folder / f"part-0.{format}", ROWS[:30])
        write_frame = pl.DataFrame.write_parquet if format == "parquet" else pl.DataFrame.write_csv
        second: Any = folder / f"part-1.{format}"
        write_frame(frame_of(ROWS[30:]).drop("score"), second)
        assert refused(folder) == f"{second}: has no score column, unlike the files before it"
        write_frame(frame_of(ROWS[30:]).with_columns(rank=pl.lit(1)), second)
        assert refused(folder) == f"{second}: has a rank column, unlike the files before it"
        write_frame(frame_of(ROWS[30:], ("who", "what", "score")), second)
        message = refused(folder)
        assert message.startswith(f"{second}: ")
        assert "column" in message


def test_a_file_that_is_no_list_among_others(tmp_path: Path) -> None:
    """Read as columns of words it would name users of its own."""
    write(tmp_path / "lists" / "part-0.csv", ROWS)
    (tmp_path / "lists" / "README.md").write_text("# notes\nsome words\n")
    assert "README.md: does not look like lists, and every file of a folder is read" in refused(tmp_path / "lists")
    assert_same(piecewise(tmp_path / "lists" / "*.csv"), whole(tmp_path / "lists" / "part-0.csv"), notes=False)


def test_a_damaged_file_among_others(tmp_path: Path) -> None:
    write(tmp_path / "part-0.parquet", ROWS[:30])
    second = write(tmp_path / "part-1.parquet", ROWS[30:])
    good = second.read_bytes()
    for bad in (good[:-20], good[:4], good[:-4] + b"XXXX", b"PAR1" + bytes(40) + good[-60:]):
        second.write_bytes(bad)
        assert refused(tmp_path).startswith(f"{second}: cannot be read as a Parquet file")
    second.write_bytes(b"")
    assert refused(tmp_path) == f"{second}: the file is empty"
    second.unlink()
    second.symlink_to("gone.parquet")
    assert "is a link to gone.parquet, which is not there" in refused(tmp_path)


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("format", TEXTS)
def test_what_is_wrong_in_a_late_line(tmp_path: Path, format: str, packed: str) -> None:
    path = write(tmp_path / f"lists.{format}", ROWS)
    lines = path.read_bytes().splitlines(keepends=True)
    pack: Any = {"": bytes, ".gz": gzip.compress, ".zst": zstd}[packed]
    number = len(lines) - 3
    score = (
        lines[number].rpartition(b'"score": ')[2]
        if format == "jsonl"
        else lines[number].split()[-2 if format == "run" else -1].split(b",")[-1]
    )
    broken = {
        "not UTF-8": lines[number].replace(b"i", b"\xff", 1),
        "zero": lines[number].replace(b"i", b"\0", 1),
        "number": lines[number].replace(score.rstrip(b"}\n"), b"many"),
        "fields": b"u1\n",
    }
    for what, line in broken.items():
        bad = tmp_path / f"{what}.{format}{packed}"
        bad.write_bytes(pack(b"".join([*lines[:number], line, *lines[number + 1 :]])))
        with pytest.raises(asp.InputError) as caught:
            whole(bad)
        said = refused(bad)
        assert said.startswith(f"{bad}, line {number + 1}: "), (what, said)
        assert said == str(caught.value)


def test_a_packed_file_that_is_cut_short(tmp_path: Path) -> None:
    for format in ("csv.gz", "csv.zst"):
        path = write(tmp_path / f"lists.{format}", ROWS)
        path.write_bytes(path.read_bytes()[:-9])
        assert "file is cut short" in refused(path) or "file is damaged" in refused(path)
        path.write_bytes(b"user,item\nu1,i1\n")
        assert "is not packed, although its name ends in" in refused(path)


def test_a_column_that_names_systems(tmp_path: Path) -> None:
    frame = frame_of(ROWS).with_columns(system=pl.lit("ALS"))
    frame.write_parquet(tmp_path / "one.parquet")
    assert_same(piecewise(tmp_path / "one.parquet"), whole(frame), notes=False)
    several = pl.concat([frame, frame.with_columns(system=pl.lit("Popular"))])
    several.write_parquet(tmp_path / "several.parquet")
    assert "names several systems" in refused(tmp_path / "several.parquet", n_rows=1000)
    assert "names several systems" in refused(tmp_path / "several.parquet", n_rows=5)
    with pytest.raises(asp.InputError, match="are those of one system"):
        asp.evaluate_systems(tmp_path / "several.parquet", METRICS, memory=MEMORY, **TRUTH)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_systems_one_after_the_other(tmp_path: Path, format: str) -> None:
    """Each piece has one system, and all of them two."""
    users = sorted({user for user, _, _ in ROWS})
    frame = frame_of(ROWS).with_columns(system=pl.col("user").is_in(users[: len(users) // 2]).cast(pl.String))
    path: Any = tmp_path / f"lists.{format}"
    getattr(frame.sort("system", maintain_order=True), f"write_{format}")(path)
    assert "names several systems ('false', 'true')" in refused(path, n_rows=3)
    for system, rows in frame.partition_by("system", as_dict=True, include_key=False).items():
        folder = tmp_path / "both" / f"system={system[0]}"
        folder.mkdir(parents=True)
        getattr(rows, f"write_{format}")(folder / f"part-0.{format}")
    assert "holds the lists of several systems ('false', 'true')" in refused(tmp_path / "both")
    found = asp.evaluate_systems({"A": tmp_path / "both" / "system=true", "B": tmp_path / "both" / "system=false"}, METRICS, **TRUTH)
    assert list(found) == ["A", "B"]


def test_a_directory_of_systems_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for system, part in zip(("ALS", "Popular"), split(ROWS, 2), strict=True):
        write(tmp_path / "lists" / f"model={system}" / "part-0.parquet", part)
    (tmp_path / "lists" / "_SUCCESS").touch()
    frame_of(ROWS).select("user", "item").write_csv(tmp_path / "relevance.csv")
    assert (
        run(["evaluate", str(tmp_path / "lists"), "--relevance", str(tmp_path / "relevance.csv"), "-m", "NDCG@3", "--format", "csv"]) == 0
    )
    assert "ALS" in (said := capsys.readouterr().out)
    assert "Popular" in said


def _filled(pipe: int, data: bytes) -> None:
    os.write(pipe, data)
    os.close(pipe)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "lists.csv", ROWS)
    expected = whole(path)
    for conventions in ("published", "published,informfully"):
        end, start = os.pipe()
        writing = threading.Thread(target=_filled, args=(start, path.read_bytes()))
        writing.start()
        given = asp.Source(f"/dev/fd/{end}", format="csv")
        if conventions == "published":
            assert_same(piecewise(given), expected, notes=False)
        else:
            with pytest.raises(asp.InputError, match="can be read once"):
                asp.evaluate_systems({"A": given}, METRICS, convention=conventions, memory=MEMORY, **TRUTH)
        writing.join()
        os.close(end)


def test_wrong_amounts_of_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "lists.parquet", ROWS)
    for wrong in ("lots", "", "2XB", "-1GB", "0", 0, True, "1e9", "nan"):
        message = refused(path, memory=wrong)
        assert message.startswith("memory is "), message
        assert "expected a size such as '2GB'" in message
    message = refused(path, memory="1MB")
    assert "memory='1MB' leaves no room for lists; allow " in message
    assert [bytes_of(text) for text in ("1kB", "1 KiB", "3", "0.5mb", "2g", "1TiB")] == [1000, 1024, 3, 500_000, 2 * 10**9, 2**40]
    assert [in_units(n) for n in (10, 123_456, 5e6, 7e12)] == ["0.01kB", "123kB", "5MB", "7e+03GB"]
    assert 0 < resident_memory() <= resident_memory("VmHWM")


def test_what_needs_all_lists(tmp_path: Path) -> None:
    path = write(tmp_path / "lists.parquet", ROWS)
    assert refused(path, users="common") == f"users='common' needs all lists at once, and {path} is read piece by piece"
    for given in (frame_of(ROWS), frame_of(ROWS).lazy(), {"u1": ["i1"]}):
        assert "resume= needs files: only they can be read from any position" in refused(given, resume=tmp_path / "finished")
    assert not (tmp_path / "finished").exists()


def test_nothing_at_all(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "_SUCCESS").write_text("")
    assert refused(tmp_path / "folder") == f"{tmp_path / 'folder'}: there is no file in this directory"
    assert "file not found" in refused(str(tmp_path / "*.parquet"))
    assert "file not found" in refused(tmp_path / "gone.parquet")
    (tmp_path / "empty.csv").write_bytes(b"")
    assert refused(tmp_path / "empty.csv") == f"{tmp_path / 'empty.csv'}: the file is empty"
    for given in (write(tmp_path / "head.csv", []), frame_of(ROWS).clear(), frame_of(ROWS).clear().lazy()):
        assert refused(given).endswith("rankings is empty")


def test_lists_of_other_users_and_items_are_refused_at_the_end(tmp_path: Path) -> None:
    """Where the first lists match nothing, later ones may; where none do, it is an error as ever."""
    path = write(tmp_path / "lists.parquet", ROWS)
    with pytest.raises(asp.InputError, match="15 of 15 users are not in relevance"):
        whole(path, relevance={"stranger": ["i1"]})
    assert "15 of 15 users are not in relevance" in refused(path, relevance={"stranger": ["i1"]})
    late = {USERS[-1]: {"i1": 1}}
    assert_same(piecewise(path, relevance=late, users="all"), whole(path, relevance=late, users="all"))


def test_ids_of_another_form_are_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(user.upper(), item, score) for user, item, score in ROWS]
    path = write(tmp_path / "lists.parquet", rows * 1)
    read: list[int] = []
    before = CodedRows.of

    def counting(rows: Rows, tables: Tables) -> CodedRows:
        read.append(len(rows))
        return before(rows, tables)

    monkeypatch.setattr(CodedRows, "of", staticmethod(counting))
    monkeypatch.setattr("aspectrum.plan._ENOUGH_USERS", 1)
    assert "they differ in case: 'U0' here, 'u0' there" in refused(path)
    assert sum(read) < len(rows)


def test_an_error_of_the_reader_ends_the_thread() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    pieces = streams._ahead(broken())
    assert next(pieces) == 1
    with pytest.raises(ValueError, match="broken"):
        next(pieces)
    ahead = streams._ahead(iter(range(100)))
    assert next(ahead) == 0
    ahead.close()  # type: ignore[attr-defined]
    assert list(streams._ahead(iter(()))) == []


# Parts of it


def test_places_say_where_rows_stand() -> None:
    places = Places(((3, 0, lambda row: f"a{row}"), (0, 0, lambda row: f"b{row}"), (2, 4, lambda row: f"c{row}")))
    assert [places(row) for row in range(5)] == ["a0", "a1", "a2", "c4", "c5"]
    for cut in range(6):
        for end in range(cut, 6):
            part = places.part(cut, end)
            assert [part(row) for row in range(end - cut)] == [places(row) for row in range(cut, end)]
    with pytest.raises(IndexError):
        places(5)
    assert [(places.part(4, 5) + places)(row) for row in range(3)] == ["c5", "a0", "a1"]


@checked(60)
@hypothesis.given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=60), st.integers(1, 8), st.integers(1, 30))
def test_buckets_keep_the_order_of_rows(rows: list[tuple[int, int]], n: int, most: int) -> None:
    users, items = (np.array([row[place] for row in rows], np.int32).reshape(-1) for place in (0, 1))
    scores = np.arange(len(rows), dtype=np.float64)
    with tempfile.TemporaryDirectory() as folder:
        with Buckets(Path(folder) / "rows", n, ("score",)) as buckets:
            for start in range(0, len(rows), 7):
                part = slice(start, start + 7)
                owners = np.unique(np.append(users[part], 10 + start // 7)).astype(np.int32)  # one with an empty list
                buckets.add(CodedRows.of_users(owners, users[part], items[part], {"score": scores[part]}))
        found: dict[int, list[tuple[int, float]]] = {}
        for number in range(n):
            for some, _ in buckets.read(number, most):
                for owner in some.owners.tolist():
                    assert owner not in found
                    mine = some.users == owner
                    found[owner] = list(zip(some.items[mine].tolist(), some.numbers["score"][mine].tolist(), strict=True))
                assert (np.diff(some.users) >= 0).all()
    expected: dict[int, list[tuple[int, float]]] = {10 + start // 7: [] for start in range(0, len(rows), 7)}
    for (user, item), score in zip(rows, scores.tolist(), strict=True):
        expected.setdefault(user, []).append((item, score))
    assert found == expected


@pytest.mark.parametrize("n_bytes", [60, 100, 150, 200, 250, 300, 360])
def test_notices_of_a_piece_in_which_one_user_begins(tmp_path: Path, n_bytes: int) -> None:
    rows = [("ann", f"i{place}", 50.0 - place) for place in range(30)] + [("bob", f"i{place}", 50.0 - place) for place in range(3)]
    path = write(tmp_path / "lists.csv", rows)
    Path(path).write_bytes(Path(path).read_bytes().rstrip())
    relevance = {"ann": ["i1"], "bob": ["i2"]}
    whole = asp.evaluate(path, "Recall@2", relevance=relevance)
    assert any("line end" in str(notice) for notice in whole.notices)
    with in_pieces_of(5, n_bytes):
        assert_same(asp.evaluate(path, "Recall@2", relevance=relevance, memory=MEMORY), whole)


def test_a_file_for_every_user(tmp_path: Path) -> None:
    """Small pieces are put together; lists that are in order, and lists that are not, come one after the other."""
    rows = [
        (user, item, float(-rank if user % 7 else rank))
        for user in range(60)
        for rank, item in enumerate((user + 100, 3, 70, 71 + user % 5))
    ]
    for user in range(60):
        write(tmp_path / f"{user:03}.parquet", [row for row in rows if row[0] == user])
    relevance = {user: [3, user + 100] for user in range(0, 60, 2)}
    metrics = ["NDCG@2", "GiniComplement@2", "Precision@-1"]
    whole = asp.evaluate(frame_of(rows), metrics, relevance=relevance)
    for large in (1, 5, 8, 1000):
        with in_pieces_of(50), pytest.MonkeyPatch.context() as patch:
            patch.setattr(grouping, "_LARGE", large)
            found = asp.evaluate(tmp_path, metrics, relevance=relevance, memory=MEMORY)
        assert found == whole
        assert found.per_user.equals(whole.per_user)


@pytest.mark.parametrize("large", [1, 10, 1000])
def test_lists_are_cut_but_what_is_said_of_them_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    """Lists that are what they are judged by, with one that is not in order between them."""
    rows = [(f"u{user}", f"i{user}-{rank}", float(rank if user == 25 else -rank)) for user in range(300) for rank in range(4 + user % 3)]
    relevance = {f"u{user}": [item for owner, item, _ in rows if owner == f"u{user}"] for user in range(300)}
    metrics = ["NDCG@2", "CatalogueCoverage@2"]
    whole = asp.evaluate(frame_of(rows), metrics, relevance=relevance)
    monkeypatch.setattr(grouping, "_LARGE", large)
    with in_pieces_of(200):
        found = asp.evaluate(write(tmp_path / "lists.csv", rows), metrics, relevance=relevance, memory=MEMORY)
    assert_same(found, whole)
    for results, n in ((whole, 300), (found, 285)):  # too few lists at the end tell nothing
        (counted,) = (notice.count for notice in results.notices if notice.kind == "lists_as_judgments")
        assert counted is not None
        assert counted >= n


def test_files_that_are_too_large_for_memory_are_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "lists.parquet", ROWS)
    assert streams.streamed(path, "rankings", None, None) is None
    assert streams.streamed({"u1": ["i1"]}, "rankings", MEMORY, None) is None
    monkeypatch.setattr(streams, "free_memory", lambda: 5.0 * path.stat().st_size)
    assert streams.streamed(path, "rankings", None, None) is not None


@pytest.mark.slow
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
def test_a_limit_of_memory_is_kept(tmp_path: Path, order: str) -> None:
    """10M rows within 600 MB, as the process itself tells."""
    n_users, n_items, n_each, draw = 100_000, 20_000, 100, np.random.default_rng(3)
    users = np.repeat(np.arange(n_users), n_each)
    items = (np.repeat(draw.integers(0, n_items, n_users), n_each) + 37 * np.tile(np.arange(n_each), n_users)) % n_items
    frame = pl.DataFrame({"user": users, "item": items, "score": draw.random(len(users))})
    frame = frame if order == "grouped" else frame.sample(fraction=1, shuffle=True, seed=1)
    frame.write_parquet(tmp_path / "lists.parquet", row_group_size=500_000)
    judged = pl.DataFrame({"user": draw.integers(0, n_users, 300_000), "item": draw.integers(0, n_items, 300_000)})
    judged.unique().write_parquet(tmp_path / "truth.parquet")
    del frame, users, items
    arguments = [
        "evaluate",
        "lists.parquet",
        "--relevance",
        "truth.parquet",
        "-m",
        "NDCG@10",
        "-m",
        "GiniComplement@10",
        "--memory",
        "600MB",
    ]
    process = subprocess.run([sys.executable, "-m", "aspectrum", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    found = re.search(r"note: peak memory (\S+) of 600MB", process.stderr)
    assert found is not None, process.stderr
    print(f"{order}: peak memory {found[1]} of 600MB")
    assert (bytes_of(found[1]) or 0) <= 600_000_000
