"""What is finished of an evaluation is not done again after a stop, and the numbers stay the same to the bit."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import aspectrum as asp
from aspectrum.cli import run
from aspectrum.io.pieces import Pieces, Position
from aspectrum.partial import Partial
from aspectrum.resuming import Finished
from aspectrum.world.grouping import Buckets
from tests.streaming import MEMORY, assert_same, frame_of, in_pieces_of, write
from tests.test_streams import METRICS, ORDERS, ROWS, TRUTH, drawn, shuffled, split, whole

START = Position()
FORMATS = ["parquet", pytest.param("csv", marks=pytest.mark.slow), pytest.param("run.gz", marks=pytest.mark.slow), "folder", "cells"]


class Stopped(Exception):
    """Something that nobody expects."""


def lists(folder: Path, format: str, order: str) -> Path:
    rows = ORDERS[order]
    if format == "folder":
        for number, part in enumerate(split(rows, 3)):
            write(folder / "lists" / f"part-{number}.parquet", part)
        return folder / "lists"
    if format == "cells":
        path = folder / "lists.parquet"
        cells = frame_of(rows).group_by("user", maintain_order=True).agg(pl.all())
        nothing = cells.head(1).with_columns(
            pl.lit("nobody").alias("user"), item=pl.lit([], pl.List(pl.String)), score=pl.lit([], pl.List(pl.Float64))
        )
        pl.concat([cells.head(4), nothing, cells.slice(4)]).write_parquet(path)
        return path
    return write(folder / f"lists.{format}", rows)


def resumed(path: Any, folder: Path, *, n_rows: int = 5, metrics: Any = METRICS, **options: Any) -> asp.Results:
    with in_pieces_of(n_rows):
        return asp.evaluate(path, metrics, **{**TRUTH, "memory": MEMORY, "resume": folder, **options})


def refused(path: Any, folder: Path, **options: Any) -> str:
    with pytest.raises(asp.InputError) as caught:
        resumed(path, folder, **options)
    return str(caught.value)


@pytest.fixture
def stop_at(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, str], None]]:
    """Stops an evaluation as so many parts have been kept: before, within or after the keeping of the next."""

    def stop_at(n: int, when: str) -> None:
        kept: list[int] = []
        keep, written = Finished.keep, Partial.write

        def stopping(self: Finished, part: Partial, end: Position) -> None:
            if len(kept) == n and when == "before":
                raise Stopped
            keep(self, part, end)
            kept.append(1)
            if len(kept) == n + 1 and when == "after":
                raise Stopped

        def writing(self: Partial, path: Any, **options: Any) -> None:
            written(self, path, **options)
            if len(kept) == n and when == "within":
                raise Stopped

        monkeypatch.setattr(Finished, "keep", stopping)
        monkeypatch.setattr(Partial, "write", writing)

    yield stop_at
    monkeypatch.undo()


def stopped(
    path: Path,
    folder: Path,
    stop_at: Callable[[int, str], None],
    monkeypatch: pytest.MonkeyPatch,
    n: int,
    when: str = "after",
    **options: Any,
) -> None:
    stop_at(n, when)
    with pytest.raises(Stopped):
        resumed(path, folder, **options)
    monkeypatch.undo()


def kept_in(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("0*.*") if path.suffix in (".part", ".json")}


@pytest.mark.parametrize("when", ["before", "within", "after"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("format", FORMATS)
def test_a_stop_at_any_piece(
    tmp_path: Path, format: str, order: str, when: str, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = lists(tmp_path, format, order), tmp_path / "finished"
    expected = whole(pl.read_parquet(path) if format == "cells" else frame_of(ORDERS[order]))
    resumed(path, folder)
    n_parts = len(kept_in(folder)) // 2
    assert n_parts > 2
    is_grouped = json.loads((folder / "evaluation.json").read_text())["grouped"]
    assert is_grouped == (order == "grouped" or format == "cells")
    for n in random.Random(format + order + when).sample(range(n_parts), 2):
        shutil.rmtree(folder)
        stopped(path, folder, stop_at, monkeypatch, n, when)
        before = kept_in(folder)
        if is_grouped:
            assert sum(name.endswith(".json") for name in before) == n + (when == "after")
        assert_same(resumed(path, folder), expected, notes=False)
        if is_grouped:
            after = kept_in(folder)
            finished = [name for name in before if name[:6] < f"{n:06}"]
            assert [after[name] for name in finished] == [before[name] for name in finished]


def test_what_is_finished_is_not_read_again(tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 3)
    _, position, _ = json.loads((folder / "000003.json").read_text())
    read: list[Position] = []
    before = Pieces.read

    def reading(self: Pieces, n_rows: int, start: Position = START) -> Any:
        read.append(start)
        return before(self, n_rows, start)

    monkeypatch.setattr(Pieces, "read", reading)
    expected = whole(path)
    assert_same(resumed(path, folder), expected, notes=False)
    assert [tuple(start) for start in read] == [tuple(position)]
    assert position[1] > 10
    read.clear()
    assert_same(resumed(path, folder), expected, notes=False)
    assert read == []


def test_shuffled_rows_that_are_on_disk_are_not_read_again(
    tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = lists(tmp_path, "csv", "shuffled"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 3)
    assert (folder / "rows").is_dir()
    monkeypatch.setattr(Pieces, "read", lambda *_: pytest.fail("they are read again"))
    for _ in range(2):
        assert_same(resumed(path, folder), whole(frame_of(ORDERS["shuffled"])), notes=False)
        assert os.listdir(folder / "rows") == ["ids.arrow"]


def test_a_stop_while_rows_are_put_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "csv", "shuffled"), tmp_path / "finished"
    for name in ("add", "__exit__"):
        before = getattr(Buckets, name)
        times: list[int] = []

        def stopping(self: Any, *given: Any, before: Any = before, times: list[int] = times) -> None:
            before(self, *given)
            times.append(1)
            if len(times) == 1 + (before.__name__ == "add"):
                raise Stopped

        monkeypatch.setattr(Buckets, name, stopping)
        with pytest.raises(Stopped):
            resumed(path, folder)
        monkeypatch.undo()
    assert_same(resumed(path, folder), whole(frame_of(ORDERS["shuffled"])), notes=False)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n_rows", [(3, 20), (20, 2), (1, 5)])
def test_memory_may_differ(
    tmp_path: Path, order: str, n_rows: tuple[int, int], stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for format in ("parquet", "csv"):
        path, folder = lists(tmp_path, format, order), tmp_path / format
        for n in (1,):
            shutil.rmtree(folder, ignore_errors=True)
            stopped(path, folder, stop_at, monkeypatch, n, n_rows=n_rows[0])
            assert_same(resumed(path, folder, n_rows=n_rows[1], memory="70GB"), whole(frame_of(ORDERS[order])), notes=False)


def test_a_file_of_rows_that_takes_several_turns(
    tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one file on disk has more rows than memory, its users come in turns, and a stop may come between them."""
    path, folder = lists(tmp_path, "csv", "shuffled"), tmp_path / "finished"
    for n in (0, 3, 6):
        monkeypatch.setattr("aspectrum.world.grouping._MOST_BUCKETS", 2)
        shutil.rmtree(folder, ignore_errors=True)
        stop_at(n, "after")
        with pytest.raises(Stopped):
            resumed(path, folder)
        monkeypatch.undo()
        monkeypatch.setattr("aspectrum.world.grouping._MOST_BUCKETS", 2)
        assert_same(resumed(path, folder, n_rows=5 + n % 3), whole(frame_of(ORDERS["shuffled"])), notes=False)
        monkeypatch.undo()


def test_ids_that_turn_out_to_be_text_later(tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    rows, _ = drawn(3, users=range(40, 55), items=range(12))
    rows = [*rows, ("ann", "x", 1.0)]
    for order, given in {"grouped": rows, "shuffled": shuffled(rows)}.items():
        path, folder = write(tmp_path / f"{order}.csv", given), tmp_path / order
        options: dict[str, Any] = dict.fromkeys(TRUTH)
        stopped(path, folder, stop_at, monkeypatch, 2, metrics="GiniComplement@3", **options)
        assert resumed(path, folder, metrics="GiniComplement@3", **options) == whole(path, "GiniComplement@3", **options)


def test_several_systems_and_conventions(tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    other, _ = drawn(8)
    systems = {"A": write(tmp_path / "a.parquet", ORDERS["shuffled"]), "B": write(tmp_path / "b.csv", other)}
    metrics = ["NDCG@3", "Precision@3"]

    def evaluated() -> asp.SystemResults:
        with in_pieces_of(5):
            return asp.evaluate_systems(
                systems, metrics, convention="published,informfully", memory=MEMORY, resume=tmp_path / "finished", **TRUTH
            )

    expected = asp.evaluate_systems(systems, metrics, convention="published,informfully", **TRUTH)
    for n in (2, 8, 5, 6):
        stop_at(n, "after")
        with pytest.raises(Stopped):
            evaluated()
        monkeypatch.undo()
        shutil.copytree(tmp_path / "finished", tmp_path / f"copy {n}")
    found = evaluated()
    for name in expected:
        assert_same(found[name], expected[name], notes=False)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("per_user", [True, False])
def test_scores_that_go_to_a_file(
    tmp_path: Path, order: str, per_user: bool, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = lists(tmp_path, "csv", order), tmp_path / "finished"
    plan = asp.Plan(METRICS, asp.Truth.read(**TRUTH), per_user=per_user)

    def observed() -> asp.Results:
        with in_pieces_of(5), asp.ScoresFile(tmp_path / "scores.parquet") as scores:
            part = plan.observe(path, scores=scores, memory=MEMORY, resume=folder)
            return plan.finish(part, scores=scores)

    stop_at(4, "after")
    with pytest.raises(Stopped):
        observed()
    monkeypatch.undo()
    assert not (tmp_path / "scores.parquet").exists()
    plan = asp.Plan(METRICS, asp.Truth.read(**TRUTH), per_user=per_user)
    expected = whole(frame_of(ORDERS[order]))
    for _ in range(2):  # the second time, all of it is finished
        assert observed() == expected
        scores = pl.read_parquet(tmp_path / "scores.parquet")
        assert scores.select(expected.per_user.columns).sort("user").equals(expected.per_user.sort("user"))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("convention", ["published", "published,informfully"])
def test_the_command_line(
    tmp_path: Path,
    order: str,
    convention: str,
    stop_at: Callable[[int, str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = lists(tmp_path, "csv", order)
    grades = [(user, item, grade) for user, given in TRUTH["relevance"].items() for item, grade in given.items()]
    frame_of(grades, ("user", "item", "grade")).write_csv(tmp_path / "truth.csv")
    arguments = ["evaluate", str(path), "--relevance", str(tmp_path / "truth.csv"), "-m", "NDCG@3", "--format", "json"]
    arguments += ["--convention", convention]
    assert run([*arguments, "--per-user", str(tmp_path / "expected.csv")]) == 0
    expected = json.loads(capsys.readouterr().out)
    streaming = [*arguments, "--resume", str(tmp_path / "finished"), "--memory", MEMORY, "--per-user", str(tmp_path / "scores.csv")]
    stop_at(3, "after")
    with in_pieces_of(5), pytest.raises(Stopped):
        run(streaming)
    monkeypatch.undo()
    with in_pieces_of(5):
        assert run(streaming) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["systems"] == expected["systems"]
    assert "note: peak memory " in said.err
    mine, others = (pl.read_csv(tmp_path / f"{name}.csv").sort("system", "user") for name in ("scores", "expected"))
    assert mine.equals(others)
    with in_pieces_of(5):
        assert run([*streaming[:-2], "--quiet"]) == 1
    assert "scores of users were kept in one of them only" in capsys.readouterr().err


# What is refused


def test_what_changed_is_said(tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 2)
    anew = f"; remove {folder} or name another folder to start over"
    for options, said in (
        ({"metrics": ["NDCG@3"]}, "results of different metrics cannot be added"),
        ({"users": "judged"}, "users is 'judged'"),
        ({"threshold": 2.0}, "threshold"),
        ({"ties": "ascending"}, "ties is 'ascending' in one part, 'input' in the other"),
        ({"relevance": {"u5": ["i1"]}}, "measured against different truths, which differ in relevance"),
        ({"aspects": {item: ["a"] for item in ("i1", "i2", "i3")}}, "measured against different truths"),
        ({"users": ["u5", "u6"]}, "users is 'given'"),
        ({"per_user": False}, "scores of users were kept in one of them only"),
    ):
        message = refused(path, folder, **options)
        assert message.startswith(f"{folder}: "), message
        assert said in message
        assert message.endswith(anew)
    os.utime(path, ns=(1, 1))
    assert refused(path, folder) == f"{folder}: {path} was written to since{anew}"
    write(path, ROWS[:30])
    assert f"{path} changed since: it had " in refused(path, folder)
    other = write(tmp_path / "others.parquet", ROWS)
    assert refused(other, folder) == f"{folder}: {other} was not among the lists when this evaluation began{anew}"


def test_files_that_come_or_go(tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "folder", "grouped"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 2)
    more = write(path / "part-9.parquet", ROWS[:1])
    assert f"{more} was not among the lists" in refused(path, folder)
    more.unlink()
    gone = (path / "part-2.parquet").rename(tmp_path / "part-2.parquet")
    assert f"{path / 'part-2.parquet'} was among the lists when this evaluation began" in refused(path, folder)
    gone.rename(path / "part-2.parquet")
    assert_same(resumed(path, folder), whole(frame_of(ROWS)), notes=False)


def test_another_version_begins_anew(tmp_path: Path) -> None:
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    resumed(path, folder)
    about = json.loads((folder / "evaluation.json").read_text())
    (folder / "evaluation.json").write_text(json.dumps({**about, "aspectrum": "0.0.1"}))
    assert "was begun by another version of aspectrum (0.0.1)" in refused(path, folder)
    (folder / "evaluation.json").write_text(json.dumps({**about, "format": 99}))
    assert "was begun by another version of aspectrum" in refused(path, folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '{"format": 1}', '{"format": 1, "aspectrum": 3}', "\xff"])
def test_a_damaged_description(tmp_path: Path, text: str) -> None:
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    resumed(path, folder)
    (folder / "evaluation.json").write_bytes(text.encode("latin-1"))
    message = refused(path, folder)
    assert message.startswith(f"{folder}: ")
    assert message.endswith("to start over")


@pytest.mark.parametrize("order", ORDERS)
def test_damaged_parts(tmp_path: Path, order: str, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "parquet", order), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 4)
    good = (folder / "000002.part").read_bytes()
    for bad in (good[: len(good) // 2], b"", b"ARROW1"):
        (folder / "000002.part").write_bytes(bad)
        message = refused(path, folder)
        assert str(folder / "000002.part") in message
    (folder / "000002.part").write_bytes(good)
    assert_same(resumed(path, folder), whole(frame_of(ORDERS[order])), notes=False)


def test_a_part_that_is_gone_is_done_again_and_what_followed_it_too(
    tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces may be others this time, so that an old part would not follow the new one."""
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 5, n_rows=9)
    (folder / "000002.json").unlink()
    stopped(path, folder, stop_at, monkeypatch, 0, n_rows=4)
    assert_same(resumed(path, folder), whole(path), notes=False)


@pytest.mark.parametrize("order", ORDERS)
def test_a_finished_evaluation_that_lost_a_part_is_refused(tmp_path: Path, order: str) -> None:
    path, folder = lists(tmp_path, "parquet", order), tmp_path / "finished"
    resumed(path, folder)
    (folder / "000001.json").unlink()
    assert "part 000001 is missing or damaged" in refused(path, folder)


@pytest.mark.parametrize("damage", ["shorter", "gone"])
def test_rows_on_disk_that_are_not_what_they_were_are_written_again(
    tmp_path: Path, damage: str, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = lists(tmp_path, "parquet", "shuffled"), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 1)
    for rows in sorted((folder / "rows").glob("*.rows"))[-3:]:
        rows.write_bytes(b"") if damage == "shorter" else rows.unlink()
    found, expected = resumed(path, folder), whole(path)
    assert_same(found, expected, notes=False)


def test_lists_that_are_read_in_another_way_are_refused(tmp_path: Path) -> None:
    frame = frame_of(ROWS).rename({"score": "one"}).with_columns(two=-pl.col("one"))
    frame.write_parquet(tmp_path / "lists.parquet")
    source = asp.Source(tmp_path / "lists.parquet", columns={"score": "one"})
    resumed(source, tmp_path / "finished")
    other = asp.Source(tmp_path / "lists.parquet", columns={"score": "two"})
    assert "the lists were read in another way: columns was {'score': 'one'}, and is {'score': 'two'}" in refused(
        other, tmp_path / "finished"
    )


def test_what_is_said_of_rows_on_disk_is_said_once(
    tmp_path: Path, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = tmp_path / "lists.parquet", tmp_path / "finished"
    frame_of(shuffled(ROWS)).drop("score").write_parquet(path)
    expected = resumed(path, tmp_path / "whole").warnings
    stopped(path, folder, stop_at, monkeypatch, 1)
    assert resumed(path, folder).warnings == expected


@pytest.mark.parametrize("text", ["", "[0, 7", '{"a": 1}', '"text"', "[]", "[0]", '["a", "b", "c"]', "[0, -4, 1]", "null"])
@pytest.mark.parametrize("order", ORDERS)
def test_damaged_positions(
    tmp_path: Path, text: str, order: str, stop_at: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not there is done again; what is wrong is an error, never other numbers."""
    path, folder = lists(tmp_path, "parquet", order), tmp_path / "finished"
    stopped(path, folder, stop_at, monkeypatch, 4)
    (folder / "000004.json").write_text(text)
    try:
        found = resumed(path, folder)
    except asp.InputError as error:
        assert str(folder) in str(error) or "is in both parts" in str(error)  # noqa: PT017 - both are right
    else:
        assert_same(found, whole(frame_of(ORDERS[order])), notes=False)


def test_folders_of_something_else(tmp_path: Path) -> None:
    path = lists(tmp_path, "parquet", "grouped")
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.tex").write_text("dear")
    assert "is not empty, and not the folder of an evaluation that was stopped" in refused(path, folder)
    assert sorted(os.listdir(folder)) == ["chapter.tex"]
    with pytest.raises(asp.AspectrumError, match="cannot be written"):
        resumed(path, folder / "chapter.tex")
    empty = tmp_path / "new" / "folder"
    empty.mkdir(parents=True)
    assert_same(resumed(path, empty), whole(frame_of(ROWS)), notes=False)


@pytest.mark.parametrize("order", ORDERS)
def test_two_runs_at_once(tmp_path: Path, order: str) -> None:
    path, folder = lists(tmp_path, "parquet", order), tmp_path / "finished"
    said: list[str] = []

    def progress(done: int, total: int) -> None:
        if not said:
            said.append(refused(path, folder))

    assert_same(resumed(path, folder, progress=progress), whole(frame_of(ORDERS[order])), notes=False)
    assert said == [f"{folder}: another evaluation is using this folder"]


def test_an_error_releases_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = lists(tmp_path, "parquet", "grouped"), tmp_path / "finished"
    monkeypatch.setattr(Finished, "keep", lambda *_: (_ for _ in ()).throw(Stopped))
    caught = []
    for _ in range(2):
        try:
            resumed(path, folder)
        except Stopped as error:
            caught.append(error)  # its traceback holds the frames of the evaluation
    assert len(caught) == 2


# By the real command line


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_a_kill_at_any_moment(tmp_path: Path, order: str) -> None:
    """Some 2M rows: killed ten times at random moments, an evaluation gives the same JSON, and nothing that was kept is written again."""
    n_users, n_items, draw = 40_000, 5_000, np.random.default_rng(7)
    users = np.repeat(draw.permutation(n_users), 50)
    items = (draw.integers(0, n_items, len(users)) // 50 * 50 + np.tile(np.arange(50), n_users)) % n_items
    frame = pl.DataFrame({"user": users, "item": items, "score": draw.random(len(users))})
    if order == "shuffled":
        frame = frame.sample(fraction=1, shuffle=True, seed=1)
    frame.write_parquet(tmp_path / "lists.parquet")
    judged = pl.DataFrame({"user": draw.integers(0, n_users, 200_000), "item": draw.integers(0, n_items, 200_000)})
    judged.unique().write_parquet(tmp_path / "truth.parquet")
    asked = ("--relevance", "truth.parquet", "-m", "NDCG@10", "-m", "GiniComplement@10", "--format", "json", "--per-user")

    def command(scores: str, *more: str) -> subprocess.Popen[bytes]:
        arguments = ["evaluate", "lists.parquet", *asked, scores, *more]
        program = [sys.executable, "-c", _SMALL_PIECES, *arguments]
        return subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    began = time.monotonic()
    out, err = command("expected.parquet", "--resume", "beside").communicate()
    took = time.monotonic() - began
    assert out, err
    expected = json.loads(out)
    folder = tmp_path / "finished"
    moments = random.Random(order)
    kept: dict[str, int] = {}
    n_killed = 0
    for _ in range(60):
        process = command("scores.parquet", "--resume", "finished")
        try:
            out, err = process.communicate(timeout=None if n_killed == 10 else moments.uniform(0.2, 1.0) * took)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            n_killed += 1
        else:
            assert process.returncode == 0, err
            assert json.loads(out) == expected
            assert (
                pl.read_parquet(tmp_path / "scores.parquet")
                .sort("user")
                .equals(pl.read_parquet(tmp_path / "expected.parquet").sort("user"))
            )
            if n_killed == 10:
                break
            shutil.rmtree(folder)
            kept = {}
            continue
        grouped = folder / "evaluation.json"
        is_settled = grouped.exists() and json.loads(grouped.read_text())["grouped"] == (order == "grouped")
        now = {path.name: path.stat().st_mtime_ns for path in folder.glob("[0-9]*.json")} if is_settled else {}
        assert {name: now.get(name) for name in kept} == kept
        kept = now
    assert n_killed == 10


_SMALL_PIECES = """
import sys
from aspectrum import streams
streams._MOST_ROWS = 100_000
from aspectrum.cli import run
sys.exit(run(sys.argv[1:]))
"""
