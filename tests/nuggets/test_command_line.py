"""Nuggets on the command line."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import aspectrum as asp
from aspectrum.cli import run
from tests.nuggets.test_formats import FRESHSTACK, bank, lines, write
from tests.nuggets.test_reading import RUN


@pytest.fixture
def invoked(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What the command line says."""

    def call(*arguments: str | Path) -> str:
        run(list(map(str, arguments)))
        captured = capsys.readouterr()
        return captured.out + captured.err

    return call


def values(path: Path) -> list[float]:
    (system,) = json.loads(path.read_text())["systems"].values()
    return [one["value"] for one in system["metrics"]]


@pytest.fixture
def files(tmp_path: Path) -> Mapping[str, Path]:
    run = "".join(
        f"{query} Q0 {document} {rank} {-rank} t\n"
        for query, one in RUN.items()
        for rank, document in enumerate(one, 1)
        if " " not in document
    )
    return {
        "rows": write(tmp_path / "rows.jsonl", lines(FRESHSTACK)),
        "bank": write(tmp_path / "bank.json", bank(query_id="7")),
        "run": write(tmp_path / "run.trec", run),
        "folder": tmp_path,
    }


METRICS = ("-m", "AlphaNDCG@2", "-m", "AspectRecall(of=listed)@1,2", "-m", "Recall@2")


def test_the_command_line_gives_the_numbers_of_python(invoked: Callable[..., str], files: Mapping[str, Path]) -> None:
    out = files["folder"] / "out.json"
    said = invoked(
        "evaluate", files["run"], "--nuggets", files["rows"], *METRICS, "-q", "--output", out, "--per-user", files["folder"] / "u.csv"
    )
    assert "FreshStack rows; queries: 3, nuggets: 4, 3 of them with a document, judgments: 7" in said or out.exists(), said
    numbers = values(out)
    expected = asp.evaluate(files["run"], [one for one in METRICS if one != "-m"], subtopics=asp.Nuggets.read(files["rows"]))
    assert numbers == list(expected.values())
    config = write(
        files["folder"] / "c.yaml",
        f"systems: [run.trec]\ninputs: {{nuggets: rows.jsonl}}\nmetrics: {json.dumps(METRICS[1::2])}\noutputs: [again.json]\n",
    )
    invoked("evaluate", "--config", config, "-q")
    assert values(files["folder"] / "again.json") == numbers


def test_parts_and_streams(invoked: Callable[..., str], files: Mapping[str, Path]) -> None:
    given = ("--nuggets", files["bank"], "--importance", "2:1", *METRICS, "-q")
    whole, merged, streamed = (files["folder"] / name for name in ("whole.json", "merged.json", "streamed.json"))
    invoked("evaluate", files["run"], *given, "--output", whole)
    parts = []
    for query in RUN:
        own = write(
            files["folder"] / f"{query}.trec",
            "".join(line for line in files["run"].read_text().splitlines(True) if line.startswith(f"{query} ")),
        )
        parts.append(files["folder"] / f"{query}.part")
        said = invoked("evaluate", own, *given, "--part", parts[-1], "--ignore", "unknown")
        assert parts[-1].exists(), said
    invoked("merge", *parts, "-q", "--output", merged)
    moved = files["bank"].rename(files["folder"] / "moved.json")
    again = files["folder"] / "again.json"
    said = invoked("merge", *parts, "-q", "--nuggets", moved, "--output", again)
    assert again.exists(), said
    invoked(
        "evaluate",
        f"run={files['run']}",
        "--nuggets",
        moved,
        "--importance",
        "2:1",
        *METRICS,
        "-q",
        "--memory",
        "4GB",
        "--output",
        streamed,
    )
    found = [values(path) for path in (whole, merged, again, streamed)]
    assert found[0] == found[1] == found[2] == found[3]


def test_check_says_what_was_found(invoked: Callable[..., str], files: Mapping[str, Path]) -> None:
    alone = invoked("check", "--nuggets", files["bank"])
    for said in (
        "note: a NuggetBank; queries: 1, nuggets: 4, 4 of them with a document, judgments: 7",
        "note: only documents that support a nugget are named, so judged documents are those that are referenced",
        "note: 1 nugget asks for all of several answers (AND), each of which is an aspect",
        "note: weights of nuggets range from 1 to 3",
        "note: 1 sub-nugget is ignored; --sub-nuggets reads it",
        "note: 1 document of a question, not of one of its answers, is ignored (AND, SUM)",
        "No errors",
    ):
        assert said in alone or said.replace("reads it", "reads them") in alone, (said, alone)
    beside = invoked("check", files["run"], "--nuggets", files["rows"], "-m", "AspectRecall(of=listed)@2")
    assert "FreshStack rows; queries: 3, nuggets: 4" in beside and "No errors" in beside
    assert "1 error" in invoked("check", "--nuggets", write(files["folder"] / "broken.jsonl", lines(FRESHSTACK)[:-9]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--importance", "vital"), "--importance goes with --nuggets, which is not given"),
        (("--nuggets", "rows.jsonl", "--subtopics", "rows.jsonl"), "both --nuggets and --subtopics are given"),
        (("--nuggets", "rows.jsonl", "--ratings", "high"), "--ratings is 'high', expected"),
        (
            ("--nuggets", "rows.jsonl", "--importance", "vital"),
            "rows.jsonl: --importance does not apply to FreshStack rows; only --both-lists does",
        ),
        (("--subtopics", "rows.jsonl"), "holds FreshStack rows, not rows of judgments; read it with --nuggets instead of --subtopics"),
        (("--relevance", "rows.jsonl"), "holds FreshStack rows, not rows of judgments; read it with --nuggets instead of --relevance"),
        (("--nuggets", "run.trec"), "run.trec: looks like a TREC run, which holds lists and no nuggets; give it as a file of lists"),
        (
            ("--subtopics", "run.trec"),
            "run.trec: looks like a TREC run, which holds lists, expected user, aspect, item[, grade][, strength]",
        ),
        (("--nuggets", "flat.qrels"), "flat.qrels: looks like TREC judgments, not a file of nuggets; pass it as --subtopics"),
        ((), "AlphaNDCG needs judgments: pass --subtopics or --nuggets, or --aspects and --history or --relevance"),
    ],
)
def test_options_that_do_not_go_together(
    invoked: Callable[..., str], files: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch, arguments: Any, message: str
) -> None:
    monkeypatch.chdir(files["folder"])
    write(Path("flat.qrels"), "7 0 c 1\n7 0 d 0\n")
    said = invoked("evaluate", "run.trec", "-m", "AlphaNDCG@10", *arguments)
    assert message in said
