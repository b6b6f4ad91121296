"""Traces of agents: rounds that are numbered, and those that are not; what fails; qualities of answers."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import aspectrum as asp


def result(docids: Any = None, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_name": "search", **({} if docids is None else {"docids": docids}), **more}


def call(**more: Any) -> dict[str, Any]:
    return {"type": "tool_call", "tool_name": "search", **more}


def trace(*items: Any, query: Any = "q", **more: Any) -> dict[str, Any]:
    return {"query_id": query, "status": "completed", "result": list(items), **more}


def read(folder: Path, *traces: Any, name: str = "run_0.json", **options: Any) -> asp.Rounds:
    text = "\n".join(json.dumps(one) for one in traces)
    (folder / name).write_text(text)
    return asp.Rounds.read(folder / name, **options)


OUTPUT = json.dumps([{"docid": "a", "score": 1.0, "snippet": "s"}, {"docid": 7}])


@pytest.mark.parametrize(
    ("items", "rounds"),
    [
        ([result(["a", "b"], round=1), result(["b", "c"], round=2)], [["a", "b"], ["b", "c"]]),
        ([result(["c"], round=2), result(["a"], round=1)], [["a"], ["c"]]),
        ([result(["a"], round=1), result(["a", "b"], round=1)], [["a", "a", "b"]]),
        ([result(output=OUTPUT, round=1)], [["a", "7"]]),
        ([result(["x"], output=OUTPUT, round=1)], [["x"]]),
        ([result(output="search failed: timeout", round=1), result(["a"], round=2)], [[], ["a"]]),
        ([result(output="404", round=1), result(output='"[]"', round=2), result(round=3), result(output="[]", round=4)], [[], [], [], []]),
        ([result(output='["a", "b"]', round=1)], [["a", "b"]]),
        ([result(["a"], round=1), result(["b"], round=3)], [["a"], [], ["b"]]),
        ([call(round=1), result(["a"]), call(round=2), result(["b"])], [["a"], ["b"]]),
        ([call(round=1), result(["a"]), result(["b"]), call(round=2)], [["a", "b"], []]),
        ([call(), result(["a"]), call(), result(["b"])], [["a"], ["b"]]),
        ([call(call_id="x"), call(call_id="y"), result(["b"], call_id="y"), result(["a"], call_id="x")], [["b", "a"]]),
        ([call(round=1, call_id="x"), call(round=2, call_id="y"), result(["b"], call_id="y"), result(["a"], call_id="x")], [["a"], ["b"]]),
        ([result(["a"]), {"type": "output_reasoning", "output": "x"}, {"type": "final_answer_round_1", "output": "y"}], [["a"]]),
        ([result([]), result([1, "1"], round=2)], [[], ["1", "1"]]),
        ([], []),
    ],
)
def test_rounds_of_a_trace(items: list[Any], rounds: list[list[str]], tmp_path: Path) -> None:
    assert dict(read(tmp_path, trace(*items, retrieved_docids=["z"]))) == {"q": rounds}


def test_the_last_search_of_a_round(tmp_path: Path) -> None:
    rounds = read(tmp_path, trace(result(["a"], round=1), result(["b", "c"], round=1), call(round=2)))
    assert rounds["q"] == [["a", "b", "c"], []]
    assert rounds.last_searches()["q"] == [["b", "c"], []]
    assert rounds.lists() == {"q": ["a", "b", "c"]}


def test_folders_and_lines(tmp_path: Path) -> None:
    folder = tmp_path / "gpt" / "bm25" / "biology"
    folder.mkdir(parents=True)
    for number in range(3):
        read(folder, trace(result([f"d{number}"]), query=number), name=f"run_{number}.json")
    found = asp.Rounds.read(tmp_path / "gpt")
    assert {query: found[query] for query in found} == {str(number): [[f"d{number}"]] for number in range(3)}
    assert asp.Rounds.read(str(folder / "run_*.json")).lists() == found.lists()
    lines = read(tmp_path, *(trace(result([f"d{number}"]), query=number) for number in range(3)), name="all.jsonl")
    assert lines.lists() == found.lists()
    read(folder, trace(result(["x"]), query="1"), name="run_9.json")
    with pytest.raises(asp.InputError, match=r"run_9.json: duplicate query '1' \(first in .*run_1.json\); expected one list for each"):
        asp.Rounds.read(folder)


def test_tasks(tmp_path: Path) -> None:
    traces = [trace(result(["a"]), query="1", task="biology"), trace(result(["b"]), query="1", task="economics")]
    assert read(tmp_path, *traces, name="t.jsonl", task="economics").lists() == {"1": ["b"]}
    with pytest.raises(asp.InputError, match="duplicate query"):
        asp.Rounds.read(tmp_path / "t.jsonl")
    with pytest.raises(asp.InputError, match="no trace is of task 'psychology'"):
        asp.Rounds.read(tmp_path / "t.jsonl", task="psychology")


def test_what_is_said_of_traces(tmp_path: Path) -> None:
    rounds = read(tmp_path, trace(result(["a"]), retrieved_round_count=2), trace(query="r", retrieved_round_count=0), name="t.jsonl")
    assert [(one.kind, one.count, one.of) for one in rounds.notices] == [("round_counts", 1, 2), ("found_nothing", 1, 2)]
    found = asp.evaluate_rounds(rounds, "AspectRecall", subtopics={"q": {"a": [1]}, "r": {"a": [1]}})
    assert any("2 traces" in note for note in found.notes)
    assert found["AspectRecall"] == (0.5,)


@pytest.mark.parametrize("output", ["search failed: timeout", "[timeout]", '{"error": "timeout"}', {"error": "timeout"}])
def test_searches_that_failed_are_counted(tmp_path: Path, output: Any) -> None:
    failed = result(output=output)
    traces = [trace(failed, result([]), failed), trace(result(["a"]), query="r"), trace(failed, result(["b"]), query="s")]
    rounds = read(tmp_path, *traces, name="t.jsonl")
    assert [(one.kind, one.count) for one in rounds.notices] == [("found_nothing", 1), ("failed_searches", 3)]
    for memory in (None, "4GB"):
        found = asp.evaluate(tmp_path / "t.jsonl", "AspectRecall@5", subtopics={"r": {"a": [1]}}, memory=memory)
        assert sum("3 searches failed" in note for note in found.notes) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"query": "q"}, 'expected the trace of an agent: an object with "query_id" and a list "result"'),
        (trace(query=None), "query_id: expected an id, which is text or a whole number, found null"),
        (trace(result("a")), 'result[0].docids: expected a list of document ids, found "a"'),
        (trace(result([["a"]])), "result[0].docids[0]: expected an id"),
        (trace(result(["a"], round="1")), 'result[0].round: expected a whole number from 1 to 10,000, found "1"'),
        (trace(result(["a"], round=10**9)), "result[0].round: expected a whole number from 1 to 10,000"),
        (trace(result(output='[{"docid": {}}]')), "result[0].output[0].docid: expected an id"),
        (trace(result(output='[{"id": "a"}]')), 'result[0].output[0]: the key "docid" is missing, found an object with the keys "id"'),
        (trace(result(output='["a", null]')), "result[0].output[1]: expected an id"),
        (
            trace(result(output="{}")),
            "result[0].output: expected a list of documents, or plain text for a failed search, found an empty object",
        ),
        (trace(result(output='[{"docid": "a"')), "result[0].output: cannot be read as JSON, expected a list of documents"),
        (trace(result(output="[" * 100_000)), "result[0].output: cannot be read as JSON"),
        (trace(result(output=7)), "result[0].output: expected a list of documents"),
        (trace("search"), 'result[0]: expected an object, found "search"'),
    ],
)
def test_what_is_wrong_is_named(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(asp.InputError) as raised:
        read(tmp_path, value)
    assert message in str(raised.value)


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(json.dumps(trace(result(["a"]))) + '\n{"query_id": "r", "res')
    with pytest.raises(asp.InputError, match=r"t.jsonl, line 2.*was the file cut off"):
        asp.Rounds.read(tmp_path / "t.jsonl")


def test_rounds_from_python() -> None:
    rounds = asp.Rounds({"q": [["a"], ["b", "a"]], "r": []})
    assert (len(rounds), rounds.n_rounds, rounds["r"]) == (2, 2, [])
    both = rounds + asp.Rounds({"s": [["c"]]})
    assert both.lists() == {"q": ["a", "b"], "r": [], "s": ["c"]}
    with pytest.raises(asp.InputError, match="query 'q' is in both parts"):
        both + rounds
    for wrong, message in (
        (["a"], "rounds is list, expected"),
        ({"q": "ab"}, "rounds of 'q': found str, expected a list of rounds"),
        ({"q": ["ab"]}, "rounds of 'q': round 1: found 'ab', expected a list of documents"),
        ({"q": [["a"], ["b", ["a"]]]}, r"rounds of 'q': round 2: \['a'\] cannot be the id of a document: it is not hashable"),
    ):
        with pytest.raises(asp.InputError, match=message):
            asp.Rounds(wrong)  # type: ignore[arg-type]


def test_ids_are_those_of_the_truth(tmp_path: Path) -> None:
    rounds = read(tmp_path, trace(result([7]), query=1))
    for truth in ({1: {7: [1]}}, {"1": {"7": [1]}}):
        assert asp.evaluate_rounds(rounds, "AspectRecall", subtopics=truth)["AspectRecall"] == (1.0,)


ROUNDS = {"q": [["a"], ["b"], ["c"]], "r": [["a"]], "s": []}
TRUTH = {query: {"a": [1]} for query in ROUNDS}


def judged(folder: Path, *lines: Any) -> Path:
    (folder / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "judge.jsonl"


def test_quality_after_effort(tmp_path: Path) -> None:
    path = judged(
        tmp_path,
        {"status": "ok", "task": "t", "qid": "q", "retriever": "x", "overall_quality": 4},
        {"status": "ok", "task": "t", "qid": "r", "retriever": "x", "overall_quality": 3.0},
        {"status": "failed", "qid": "s"},
        {"qid": "elsewhere", "overall_quality": 5},
    )
    found = asp.evaluate_rounds(ROUNDS, "AspectRecall", subtopics=TRUTH, qualities=path)
    assert found.judged is not None
    assert found.judged["by_query"] == {"q": 4 * math.exp(-0.05 * 2), "r": 3.0}
    assert found.aer == pytest.approx((3.619349672143838 + 3) / 2, abs=1e-15)
    assert [found.judged[name] for name in ("unjudged", "without_trace", "failed")] == [1, 1, 1]
    assert asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities=path, gamma=0).aer == 3.5
    assert found.per_user.filter(found.per_user["AER"].is_not_null()).select("user", "round").rows() == [("q", 3), ("r", 1)]


def test_quality_of_each_round(tmp_path: Path) -> None:
    path = judged(tmp_path, *({"qid": "q", "round": number, "overall_quality": number} for number in (1, 2, 3)))
    found = asp.evaluate_rounds(ROUNDS, "AspectRecall", subtopics=TRUTH, qualities=path)
    assert found.per_user["AER"].drop_nulls().to_list() == [1.0, 2 * math.exp(-0.05), 3 * math.exp(-0.1)]
    assert found.aer == 3 * math.exp(-0.1)


def test_qualities_of_a_query_are_its_own(tmp_path: Path) -> None:
    """A query that is judged by round changes nothing for one whose final answer is."""
    rounds = [{"qid": "q", "round": number, "overall_quality": number} for number in (1, 2)]
    path = judged(tmp_path, *rounds, {"qid": "r", "overall_quality": 5}, {"qid": "r", "round": 1, "overall_quality": 4})
    found = asp.evaluate_rounds(ROUNDS, "AspectRecall", subtopics=TRUTH, qualities=path)
    rows = found.per_user.drop_nulls("AER").select("user", "round", "AER").rows()
    assert rows == [("q", 1, 1.0), ("q", 2, 2 * math.exp(-0.05)), ("r", 1, 5.0)]
    assert found.aer == pytest.approx((2 * math.exp(-0.05) + 5) / 2, abs=1e-15)
    assert [str(one) for one in found.notices if one.kind == "other_last_round"] == [
        "the last judged answer of 1 of 2 traces is not that of the last round; AER counts the rounds up to that answer"
    ]
    path = judged(tmp_path, {"qid": "r", "round": 7, "overall_quality": 4})
    late = asp.evaluate_rounds(ROUNDS, "AspectRecall", subtopics=TRUTH, qualities=path)
    assert [one.count for one in late.notices if one.kind == "other_last_round"] == [1]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"qid": "q"}], 'the key "overall_quality" is missing'),
        ([{"overall_quality": 1}], 'expected an object with "qid" and "overall_quality"'),
        ([{"qid": "q", "overall_quality": "4"}], 'overall_quality: expected a finite number, found "4"'),
        ([{"qid": "q", "overall_quality": 1, "round": 0}], "round: expected a whole number from 1, found 0"),
        ([{"qid": "q", "overall_quality": 1}] * 2, "line 2: the answer to 'q' is judged twice, first in"),
        (
            [{"qid": "q", "overall_quality": 1, "retriever": name} for name in "ab"],
            "judged twice, first in .*; choose one retriever",
        ),
        ([{"qid": "nobody\x1b", "overall_quality": 1}], "no judged query has a trace; judged are 'nobody\\\\x1b'"),
        ([{"qid": "q", "status": "failed"}], "there is no quality in it"),
    ],
)
def test_what_is_wrong_with_qualities(lines: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(asp.InputError, match=message.replace("[", r"\[")):
        asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities=judged(tmp_path, *lines))


def test_qualities_know_queries_as_text() -> None:
    qualities = asp.Qualities({1: 4.0}, {(2, 1): 3.0, (2, 2): 5.0})
    after = qualities.effort_adjusted({1: 2, 2: 2, 3: 1}, 0.05)
    assert after == ({"1": 4 * math.exp(-0.05), "2": 5 * math.exp(-0.05)}, {("2", 1): 3.0, ("2", 2): 5 * math.exp(-0.05)})
    assert qualities.effort_adjusted({"1": 2, "2": 2}, 0.05) == after


def test_qualities_of_one_retriever(tmp_path: Path) -> None:
    lines = [{"qid": "q", "overall_quality": n, "retriever": name, "task": "t"} for n, name in enumerate("ab")]
    path = judged(tmp_path, *lines)
    assert asp.Qualities.read(path, retriever="b", task="t").final == {"q": 1.0}
    with pytest.raises(asp.InputError, match="qualities is list"):
        asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities=[1])
    for number, named in ((math.nan, "nan"), (10**400, "1000"), (10**5000, "a number of more than 4,300 digits")):
        with pytest.raises(asp.InputError, match=f"that of 'q' is {named}.*, expected a finite number"):
            asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities={"q": number})
    with pytest.raises(asp.InputError, match="query ids have different types: both 1 and '1' are there"):
        asp.evaluate_rounds({1: [["a"]]}, subtopics={1: {"a": [1]}}, qualities={1: 2, "1": 3})
    with pytest.raises(asp.InputError, match="gamma is -1, expected a number from 0"):
        asp.evaluate_rounds(ROUNDS, subtopics=TRUTH, qualities={"q": 1}, gamma=-1)


def test_tools_that_do_not_search_find_nothing(tmp_path: Path) -> None:
    reads = {"tool_name": "get_document"}
    read_one = [call(**reads), result(output='["x", "y"]', **reads)]
    rounds = read(tmp_path, trace(call(), result(["a"]), *read_one, call(), result(["b"]), *read_one[:1]))
    assert rounds["q"] == [["a"], ["b"]]
    assert [(one.kind, one.count) for one in rounds.notices] == [("other_tools", 2)]
    for memory in (None, "4GB"):
        found = asp.evaluate(tmp_path / "run_0.json", "AspectRecall", subtopics={"q": {"a": [1], "x": [2]}}, memory=memory)
        assert found["AspectRecall"] == 0.5
        assert sum("2 calls to tools other than search are left out" in note for note in found.notes) == 1
    named = {"tool_name": "local_search"}
    (again,) = read(tmp_path, trace({**call(), **named}, {**result(["a"]), **named}), name="run_1.json").values()
    assert again == [["a"]], "where no tool is called search, all are"


@pytest.mark.parametrize(
    "items",
    [
        [call(call_id="1"), call(call_id="2", tool_name="read"), result(["x"], call_id="2"), result(["a"], call_id="1")],
        [call(call_id="1"), call(call_id="2", tool_name="read"), result(["a"], call_id="1"), result(["x"], call_id="2")],
        [call(), result(["a"]), call(tool_name="read"), result(["x"])],
        [call(tool_name="read"), result(["x"]), call(), result(["a"])],
    ],
)
def test_results_are_those_of_their_calls_where_they_name_no_tool(items: list[Any], tmp_path: Path) -> None:
    unnamed = [{key: value for key, value in item.items() if key != "tool_name" or item["type"] == "tool_call"} for item in items]
    rounds = read(tmp_path, trace(*unnamed))
    assert rounds["q"] == [["a"]]
    assert [(one.kind, one.count) for one in rounds.notices] == [("other_tools", 1)]


def test_entries_whose_id_is_null_are_skipped(tmp_path: Path) -> None:
    rounds = read(tmp_path, trace(result(output=[{"docid": None}, {"docid": "a"}]), result(output='[{"docid": null}]')))
    assert rounds["q"] == [["a"]]
    assert not rounds.notices, "a search that found nothing with an id did not fail"


def test_a_stray_number_is_no_round(tmp_path: Path) -> None:
    with pytest.raises(asp.InputError, match="expected at most 1,000 rounds without a search"):
        read(tmp_path, trace(result(["a"], round=1), result(["b"], round=10_000)))
    assert len(read(tmp_path, trace(result(["a"], round=1), result(["b"], round=900)))["q"]) == 900
