"""Files that are broken: one error with file, line and place, or a rule with a note."""

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.errors import InputError
from tests.nuggets.plain import ignored, judged
from tests.nuggets.test_formats import FRESHSTACK, assignment, bank, brightpro, lines, write
from tests.strategies import checked

RATINGS = {"id": "1", "docids": ["a", "b"], "ratings": [[1, 2], [3, 4]]}


def changed(row: Any, change: Callable[[Any], Any]) -> Any:
    copy = json.loads(json.dumps(row))
    change(copy)
    return copy


def put(*path: str | int) -> Callable[[Any], Callable[[Any], None]]:
    """What puts a value at a place of a row."""

    def of(value: Any) -> Callable[[Any], None]:
        def change(row: Any) -> None:
            for step in path[:-1]:
                row = row[step]
            row[path[-1]] = value

        return change

    return of


FIRST = FRESHSTACK[0]
BROKEN: list[tuple[Any, Any, str]] = [
    # a good first row, the second one, and what is said of it
    (
        FRESHSTACK[1],
        changed(FIRST, put("nuggets", 2, "relevant_corpus_ids")(7)),
        r"nuggets\[2\].relevant_corpus_ids: expected a list of document ids, found 7",
    ),
    (
        FRESHSTACK[1],
        changed(FIRST, put("nuggets", 1, "relevant_corpus_ids")(["a", None])),
        r"nuggets\[1\].relevant_corpus_ids\[1\]: expected the id of a document, found null",
    ),
    (
        FRESHSTACK[1],
        changed(FIRST, put("nuggets", 1, "relevant_corpus_ids")([["a"]])),
        r"relevant_corpus_ids\[0\]: expected the id of a document, found a list of 1",
    ),
    (
        FRESHSTACK[1],
        changed(FIRST, put("nuggets")({"7_0": {}})),
        r"line 2, nuggets: expected a list of nuggets, found an object with the keys \"7_0\"",
    ),
    (
        FRESHSTACK[1],
        changed(FIRST, put("nuggets", 0)("text")),
        r"nuggets\[0\]: expected an object, found \"text\"|nuggets\[0\]: expected a nugget, found \"text\"",
    ),
    (FRESHSTACK[1], changed(FIRST, put("query_id")(1.5)), r"query_id: expected the id of a query, found 1.5"),
    (FRESHSTACK[1], changed(FIRST, put("query_id")(True)), r"query_id: expected the id of a query, found true"),
    (
        FRESHSTACK[1],
        changed(FIRST, lambda row: row.pop("query_id")),
        r"line 2: missing key 'query_id'; found 'query_title', 'nuggets'",
    ),
    (
        FRESHSTACK[1],
        changed(FIRST, lambda row: row["nuggets"][0].pop("relevant_corpus_ids")),
        r"nuggets\[0\]: missing key 'relevant_corpus_ids'; found '_id'",
    ),
    (FRESHSTACK[1], changed(FIRST, put("nuggets", 1, "_id")("7_0")), r'nuggets\[1\]: nugget "7_0" stands twice in its query'),
    (FIRST, changed(FRESHSTACK[1], put("query_id")("7")), r'line 2: query "7" stands twice \(first in .*rows.jsonl, line 1\)'),
    (FIRST, [1, 2], r"line 2: expected an object, found a list of 2"),
    (FIRST, None, r"line 2: expected an object, found null"),
    (
        bank(query_id="a"),
        changed(bank(), put("nugget_bank", "Q or", "aggregator_type")("NOT")),
        r'line 2, nugget_bank\["Q or"\].aggregator_type: expected OR, AND, SUM or Default, found "NOT"',
    ),
    (
        bank(query_id="a"),
        changed(bank(), put("nugget_bank", "Q or", "answers", "x", "references")([{"id": 1}])),
        r"answers.x.references\[0\]: missing key .doc_id.",
    ),
    (bank(query_id="a"), changed(bank(), put("nugget_bank", "Q or", "answers")("x")), r"answers: expected a list of answers, found \"x\""),
    (
        bank(query_id="a"),
        changed(bank(), put("nugget_bank", "Q or", "importance")(-1)),
        r"importance: expected an importance above 0, found -1",
    ),
    (bank(query_id="a"), {"query_id": "b", "nuggets": []}, r"line 2: missing key 'nugget_bank'; found 'query_id', 'nuggets'"),
    (
        {"query_id": "1", "question_text": "Q", "gold_answers": []},
        {"query_id": "1", "gold_answers": []},
        r"line 2: missing key 'question_text'",
    ),
    (RATINGS, {"id": "1", "docid": "c", "rating": [1, 2]}, r"line 2: .*query \"1\".* \(first in .*line 1\)"),
    ({"id": "1", "docid": "c", "rating": [1, 2]}, RATINGS, r"line 2: .*query \"1\".* \(first in .*line 1\)"),
    (bank(query_id="a"), {"nugget_bank": {}}, r"there is no id of the topic; expected 'query_id', 'title_query' or 'metadata.topic_id'"),
    (
        assignment("d"),
        assignment("e", ("t", "vital", "maybe")),
        r'nuggets\[0\].assignment: expected support, partial_support, not_support or failed, found "maybe"',
    ),
    (
        assignment("d"),
        changed(assignment("e", ("t", "vital", "support")), put("nuggets", 0, "text")(3)),
        r"text: expected the nugget as text, found 3",
    ),
    (RATINGS, {**RATINGS, "id": 2, "ratings": [[1, 2], [3]]}, r"ratings\[1\]: found 1 ratings, expected 2 as for the documents before"),
    (RATINGS, {**RATINGS, "id": 2, "ratings": [[1, 2]]}, r"ratings: found ratings of 1 documents, expected 2 as in docids"),
    (RATINGS, {**RATINGS, "id": 2, "ratings": [[1, 2], [3, 6]]}, r"ratings\[1\]\[1\]: expected a rating from 0 to 5, found 6"),
    (RATINGS, RATINGS, r'query "1" stands twice'),
]


@pytest.mark.parametrize(("good", "bad", "message"), BROKEN)
def test_a_row_that_is_wrong(tmp_path: Path, good: Any, bad: Any, message: str) -> None:
    path = write(tmp_path / "rows.jsonl", lines([good, bad]))
    with pytest.raises(InputError, match=message) as caught:
        asp.Nuggets.read(path)
    assert str(caught.value).startswith(f"{path}, line 2")


def test_a_last_line_that_is_cut(tmp_path: Path) -> None:
    text = lines(FRESHSTACK)
    for cut in random.Random(1).sample(range(len(text) - 30, len(text) - 2), 10):
        with pytest.raises(InputError, match=r"line 3, column .*: the JSON value is not complete; was the file cut off"):
            asp.Nuggets.read(write(tmp_path / "rows.jsonl", text[:cut]))


def test_values_that_are_nested_too_deeply(tmp_path: Path) -> None:
    deep = '{"query_id": "1", "nuggets": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    with pytest.raises(InputError, match="line 1: values are nested too deeply"):
        asp.Nuggets.read(write(tmp_path / "rows.jsonl", deep * 2))


def test_ids_that_cannot_be_written(tmp_path: Path) -> None:
    row = changed(FRESHSTACK[1], put("nuggets", 0, "relevant_corpus_ids")(["\ud800"]))
    nuggets = asp.Nuggets.read(write(tmp_path / "rows.jsonl", lines([row])))
    with pytest.raises(InputError, match=r"the document id .* holds an unpaired surrogate"):
        nuggets.inputs()


def test_a_text_that_cannot_be_written_is_a_text_as_any_other() -> None:
    row = {"query_id": "1", "nuggets": [{"text": "\ud800", "relevant_corpus_ids": ["a"]}]}
    assert list(judged(asp.Nuggets.read([row]))["1"].values()) == [{"a": 1.0}]


def test_rules_with_a_note() -> None:
    repeated = changed(FRESHSTACK[1], put("nuggets", 0, "relevant_corpus_ids")(["x", "x"]))
    assert judged(asp.Nuggets.read([repeated])) == {"71": {"7_0": {"x": 1.0}}}
    assert ignored(asp.Nuggets.read(FRESHSTACK)) == {"queries_without_nuggets": 1}
    with pytest.raises(InputError, match="there are no nuggets in it"):
        asp.Nuggets.read([FRESHSTACK[2]]).inputs()
    with pytest.raises(InputError, match="none of its nuggets is vital"):
        asp.Nuggets.read([assignment("d", ("o", "okay", "support"))], importance="vital").inputs()


def test_aspects_that_could_go_to_several_queries(tmp_path: Path) -> None:
    examples = [{"id": "0", "gold_ids": ["a", "b"]}, {"id": "1", "gold_ids": ["a", "b", "c"]}]
    shared = {"id": "s-a0", "weight": 1, "supporting_docs": ["a"]}
    with pytest.raises(InputError, match=r'aspects/biology.json, \[0\]: aspect "s-a0" may belong to the queries "0", "1", expected one'):
        asp.Nuggets.read(brightpro(tmp_path, examples, [shared]))
    own = {"id": "s-a1", "weight": 1, "supporting_docs": ["a", "c"]}
    found = judged(asp.Nuggets.read(brightpro(tmp_path, examples, [shared, own])))  # the stem tells
    assert found == {"0": {"": {"a": 0, "b": 0}}, "1": {"": {"b": 0}, "s-a0": {"a": 1}, "s-a1": {"a": 1, "c": 1}}}
    with pytest.raises(InputError, match="weight: expected a weight above 0, found 0"):
        asp.Nuggets.read(brightpro(tmp_path, examples, [{**own, "weight": 0}]))


SOUND: list[Any] = [
    FRESHSTACK,
    [bank()],
    [assignment("d", ("n", "vital", "support"))],
    [RATINGS],
    [{"metadata": {"topic_id": "1"}, "nugget_bank": []}],
]


@checked(150)
@given(st.sampled_from(SOUND), st.data())
def test_any_value_in_any_place_is_read_or_refused(rows: Any, data: st.DataObject) -> None:
    copy = json.loads(json.dumps(rows))
    places: list[tuple[Any, Any]] = []
    pending = [copy]
    while pending:
        one = pending.pop()
        inner = list(one.items()) if isinstance(one, dict) else list(enumerate(one))
        places += [(one, key) for key, _ in inner]
        pending += [value for _, value in inner if isinstance(value, dict | list)]
    owner, key = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()) and isinstance(owner, dict):
        del owner[key]
    else:
        owner[key] = data.draw(st.sampled_from([None, True, 7, -1, 1.5, "", "x", [], [None], {}, {"x": 1}, [["OR", {}]], "vital"]))
    with contextlib.suppress(asp.AspectrumError):
        nuggets = asp.Nuggets.read(copy)
        asp.evaluate({"7": ["c"]}, "AspectRecall@1", subtopics=nuggets, ignore=["unknown"])


@checked(100)
@given(st.integers(0, 10_000), st.integers(0, 255), st.sampled_from(["cut", "change", "drop"]))
def test_any_damage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, place: int, byte: int, how: str) -> None:
    text = lines([*FRESHSTACK, changed(FRESHSTACK[1], put("query_id")("x"))]).encode()
    place %= len(text)
    damaged = {"cut": text[:place], "change": text[:place] + bytes([byte]) + text[place + 1 :], "drop": text[:place] + text[place + 1 :]}[
        how
    ]
    path = tmp_path_factory.mktemp("damaged") / "rows.jsonl"
    path.write_bytes(damaged)
    with contextlib.suppress(asp.AspectrumError):
        assert len(asp.Nuggets.read(path))
