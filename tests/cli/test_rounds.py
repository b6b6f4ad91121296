"""``aspectrum rounds``."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import aspectrum as asp
from tests.cli.conftest import Call
from tests.cli.data import write_csv

Refused = Callable[..., str]
TRUTH = {"q": {"a": [1], "c": [1, 2]}, "r": {"x": [1]}}
FOUND = {"q": [["a", "b"], ["b", "c"]], "r": [["x"]]}


@pytest.fixture(autouse=True)
def traces(here: Path) -> Path:
    (here / "traces").mkdir()
    for query, rounds in FOUND.items():
        items = [{"type": "tool_result", "round": number, "docids": found} for number, found in enumerate(rounds, 1)]
        (here / "traces" / f"run_{query}.json").write_text(json.dumps({"query_id": query, "result": items}))
    rows = [(query, aspect, item) for query, judged in TRUTH.items() for item, aspects in judged.items() for aspect in aspects]
    write_csv(here / "subtopics.csv", ("user", "aspect", "item"), rows)
    (here / "judge.jsonl").write_text('{"qid": "q", "overall_quality": 4}\n')
    return here


ASK = ("rounds", "traces", "--subtopics", "subtopics.csv")


def test_the_numbers_are_those_of_python(call: Call, here: Path) -> None:
    said = call(*ASK, "--per-round", 2, "--qualities", "judge.jsonl", "-o", "r.json", "-o", "r.md", "--per-user", "r.parquet")
    expected = asp.evaluate_rounds(FOUND, subtopics=TRUTH, per_round=2, qualities={"q": 4.0})
    lines = said.out.splitlines()
    assert lines[0].split() == ["Metric", "Round", "1", "Round", "2"]
    assert lines[2].split() == ["AlphaNDCG@2r", *(f"{value:.4f}" for value in expected["AlphaNDCG@2r"])]
    assert "AER: 3.8049" in said.out
    content = json.loads((here / "r.json").read_text())
    assert {one["metric"]: tuple(one["values"]) for one in content["metrics"]} == dict(expected)
    assert content["aer"]["value"] == expected.aer
    assert (here / "r.md").read_text().startswith("| Metric | Round 1 |")
    assert pl.read_parquet(here / "r.parquet")["AlphaNDCG@2r"].to_list() == expected.per_user["AlphaNDCG@2r"].to_list()


def test_they_are_not_compared(call: Call, refused: Refused) -> None:
    call(*ASK, "-q", "-o", "r.json")
    assert "r.json: holds results of rounds, which compare does not read" in refused(1, "compare", "r.json")


def test_traces_are_parts_of_one_system(call: Call) -> None:
    """A directory without a name has a file per system."""
    said = call("evaluate", "traces", "--subtopics", "subtopics.csv", "-m", "AlphaNDCG@2").out
    assert "no user has lists from two systems; if these are parts of one system, name it: NAME=DIRECTORY; aspectrum rounds scores" in said
    one = call("evaluate", "mine=traces", "--subtopics", "subtopics.csv", "-m", "AlphaNDCG@2").out
    assert "parts of one system" not in one


def test_systems_are_not_parts_of_one(refused: Refused, here: Path) -> None:
    (here / "runs").mkdir()
    for name in "ab":
        write_csv(here / "runs" / f"{name}.csv", ("user", "item"), [("q", "a"), ("r", "x")])
    said = refused(1, "evaluate", "all=runs", "--subtopics", "subtopics.csv", "-m", "AlphaNDCG@2")
    assert "names item 'a' twice" in said and "; NAME=DIRECTORY is one system; without NAME each file is one" in said


def test_options(call: Call) -> None:
    assert "AspectRecall@1" in call(*ASK, "-m", "AspectRecall@1", "--format", "csv", "--rounds", 3).out
    assert call(*ASK, "-m", "AspectRecall", "--rounds", 1, "--format", "json").out.count("values") == 4
    assert call(*ASK, "-q", "-o", "r.txt").out == ""
    assert call(*ASK, "-q", "--plot", "r.svg").out == ""
    drawn = Path("r.svg").read_text()
    assert drawn.startswith("<svg")
    assert "Every metric against the round" in drawn


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, ("rounds", "traces"), "there is nothing to measure against"),
        (1, ("rounds", "nowhere", "--subtopics", "subtopics.csv"), "nowhere: file not found"),
        (2, (*ASK, "--convention", "published,freshstack"), "--convention names several"),
        (2, (*ASK, "-m", "Gini"), "has no per-query scores, which rounds require"),
        (2, (*ASK, "--per-round", "0"), "is not in the range"),
        (2, (*ASK, "--gamma", "-1"), "is not a finite number from 0"),
        (2, (*ASK, "-o", "subtopics.csv"), "is also an input"),
        (2, (*ASK, "-o", "r.doc"), "unknown extension '.doc'"),
        (2, (*ASK, "--plot", "r.gif"), "charts are .svg, .png or .pdf"),
        (2, (*ASK, "--per-user", "r.json"), "unknown extension '.json' for scores of users"),
        (1, (*ASK, "--qualities", "traces/run_q.json"), 'expected an object with "qid" and "overall_quality"'),
    ],
)
def test_what_is_refused(refused: Refused, code: int, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(code, *arguments)
