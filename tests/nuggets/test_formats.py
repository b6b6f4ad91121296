"""Small files of every format, and what is read from them."""

import gzip
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars
import pytest

import aspectrum as asp
from aspectrum.errors import InputError
from aspectrum.nuggets import Nuggets
from tests.nuggets.plain import grades, ignored, judged, weights

FRESHSTACK: list[dict[str, Any]] = [
    {
        "query_id": 7,
        "query_title": "t",
        "nuggets": [
            {"_id": "7_0", "text": "one", "relevant_corpus_ids": ["a b", "c"], "non_relevant_corpus_ids": ["d"]},
            {"_id": "7_1", "text": "two", "relevant_corpus_ids": ["c"], "non_relevant_corpus_ids": ["a b", "d"]},
            {"_id": "7_2", "text": "nobody", "relevant_corpus_ids": [], "non_relevant_corpus_ids": None},
        ],
    },
    {"query_id": "71", "nuggets": [{"_id": "7_0", "text": "same id", "relevant_corpus_ids": ["x"], "non_relevant_corpus_ids": []}]},
    {"query_id": "none", "nuggets": []},
]
OF_FRESHSTACK = {
    "7": {"7_0": {"a b": 1.0, "c": 1.0, "d": 0.0}, "7_1": {"c": 1.0, "a b": 0.0, "d": 0.0}, "7_2": {}},
    "71": {"7_0": {"x": 1.0}},
}


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(path: Path, content: str | Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("form", ["jsonl", "json", "gzip", "parquet", "rows", "polars", "pandas", "pyarrow", "object"])
def test_freshstack(tmp_path: Path, form: str) -> None:
    path = tmp_path / {"jsonl": "rows.jsonl", "gzip": "rows.jsonl.gz", "parquet": "rows.parquet"}.get(form, "rows.json")
    given: Any = path
    rows = [{**row, "query_id": str(row["query_id"])} for row in FRESHSTACK]
    if form == "jsonl":
        write(path, lines(FRESHSTACK) + "\n\n")
    elif form == "json":
        path.write_text(json.dumps(FRESHSTACK, indent=1))
    elif form == "gzip":
        path.write_bytes(gzip.compress(lines(FRESHSTACK).encode()))
    elif form == "parquet":
        polars.DataFrame(rows).write_parquet(path)
    elif form == "rows":
        given = FRESHSTACK
    elif form == "object":
        own = [{"nugget_id" if key == "_id" else key: value for key, value in one.items()} for one in rows[0]["nuggets"]]
        write(
            path,
            {"7": {"nuggets": own, "relevant_parent_ids": ["p"]}, "71": {"nuggets": rows[1]["nuggets"]}, "none": {"nuggets": None}},
        )
    else:
        given = polars.DataFrame(rows)
        given = given if form == "polars" else given.to_arrow() if form == "pyarrow" else given.to_pandas()
    nuggets = asp.Nuggets.read(given)
    assert judged(nuggets) == OF_FRESHSTACK
    assert grades(nuggets) == {"7": {"a b": 1, "c": 2, "d": 0}, "71": {"x": 1}}
    assert (nuggets.format, nuggets.negatives_known, len(nuggets), nuggets.n_attainable) == ("freshstack", True, 4, 3)
    assert weights(nuggets) == {} and ignored(nuggets) == {"queries_without_nuggets": 1}
    assert nuggets.texts["7"] == {"7_0": "one", "7_1": "two", "7_2": "nobody"} and nuggets.queries == ["7", "71", "none"]
    assert repr(nuggets) == "Nuggets(FreshStack rows: 3 queries, 4 nuggets, 3 of them with a document, 7 judgments)"


def test_a_document_that_is_named_twice_is_one_judgment() -> None:
    nugget = {"_id": "n", "relevant_corpus_ids": ["a", "b", "a"]}
    assert asp.Nuggets.read([{"query_id": "7", "nuggets": [nugget]}]).n_judgments == 2


def test_a_document_in_both_lists() -> None:
    rows = [{"query_id": "q", "nuggets": [{"_id": "n", "relevant_corpus_ids": ["a", "b"], "non_relevant_corpus_ids": ["b"]}]}]
    with pytest.raises(InputError, match=r'nuggets, \[0\].nuggets\[0\]: document "b" is both in .* both_lists=.unsupported.'):
        asp.Nuggets.read(rows).inputs()
    for both, strength in (("unsupported", 0.0), ("supported", 1.0)):
        nuggets = asp.Nuggets.read(rows, both_lists=both)
        assert judged(nuggets) == {"q": {"n": {"a": 1.0, "b": strength}}}
        assert ignored(nuggets) == {"in_both_lists": 1}
    run = {"q": ["b", "a"]}
    metrics = ["AspectRecall(of=listed)@1,2"]
    for convention in (asp.CONVENTIONS["freshstack"], replace(asp.CONVENTIONS["freshstack"], name="mine")):
        results = asp.evaluate(run, metrics, subtopics=asp.Nuggets.read(rows), convention=convention)
        assert list(results.values()) == [0.0, 1.0]  # as the package does
    with pytest.raises(InputError, match="both in relevant_corpus_ids"):
        asp.evaluate_systems({"A": run}, metrics, subtopics=asp.Nuggets.read(rows), convention="published,freshstack")


def test_objects_of_the_freshstack_package() -> None:
    qrels = {"7_0": {"a": 1, "b": 0}, "7_1": {"b": 1}}
    nuggets = asp.Nuggets.of_freshstack(qrels, {"7": ["7_0", "7_1", "7_2"], "8": []})
    assert judged(nuggets) == {"7": {"7_0": {"a": 1.0, "b": 0.0}, "7_1": {"b": 1.0}, "7_2": {}}}
    with pytest.raises(InputError, match="has 2 for 'a', expected 0 or 1"):
        asp.Nuggets.of_freshstack({"n": {"a": 2}}, {"q": ["n"]})


@pytest.mark.parametrize("form", ["parquet", "polars", "pyarrow"])
def test_nugget_ids_that_only_some_have_in_a_table(tmp_path: Path, form: str) -> None:
    some = [{"_id": "a"}, {"nugget_id": "b"}, {"text": "c"}]
    rows: list[dict[str, Any]] = [
        {"query_id": "7", "nuggets": [{**one, "relevant_corpus_ids": ["d"]} for one in some]},
        {"query_id": "8", "nuggets": None},
    ]
    assert judged(asp.Nuggets.read(as_table(tmp_path, rows, form))) == {"7": {name: {"d": 1.0} for name in ("a", "b", md5("c"))}}
    with pytest.raises(InputError, match=r"'_id' .or 'nugget_id', 'text'."):
        asp.Nuggets.read([{"query_id": "7", "nuggets": [{"_id": None, "relevant_corpus_ids": []}]}])


@pytest.mark.parametrize("form", ["parquet", "polars", "pyarrow", "reader", "lazy"])
def test_banks_in_tables(tmp_path: Path, form: str) -> None:
    """Structs have the keys of all rows."""
    of_one = {"Q": {"question": "Q", "answers": {"x": {"answer": "x", "references": ["a"]}}, "importance": None}}
    of_other = {
        "R": {"question": "R", "answers": {"y": {"answer": "y", "references": ["b"]}}},
        "S": {"question": "S", "references": ["c"]},
    }
    rows = [{"query_id": "1", "nugget_bank": of_one}, {"query_id": "2", "nugget_bank": of_other}]
    expected = judged(asp.Nuggets.read(rows))
    assert len(expected["2"]) == 2
    assert judged(asp.Nuggets.read(as_table(tmp_path, rows, form))) == expected


def as_table(folder: Path, rows: list[dict[str, Any]], form: str) -> Any:
    frame = polars.DataFrame(rows, infer_schema_length=None)
    frame.write_parquet(folder / "rows.parquet")
    return {
        "parquet": folder / "rows.parquet",
        "polars": frame,
        "pyarrow": frame.to_arrow(),
        "reader": frame.to_arrow().to_reader(),
        "lazy": frame.lazy(),
    }[form]


def test_nuggets_of_the_freshstack_package_match_as_text() -> None:
    nuggets = asp.Nuggets.of_freshstack({"1": {"a": 1}, "8": {"b": 1}}, {7: [1, 2]})  # type: ignore[dict-item, list-item]
    assert judged(nuggets) == {"7": {"1": {"a": 1.0}, "2": {}}}
    counted = ignored(nuggets)
    assert counted["nuggets_without_judgments"] == counted["nuggets_of_no_query"] == 1


@pytest.mark.parametrize(
    ("grades", "of_query", "message"),
    [
        ({"7_0": {"a": 1}}, {"7": ["0", "1"]}, "no nugget of query_to_nuggets is in qrels_nuggets: '0' is not, and there '7_0' is one"),
        ({}, {"7": ["0"]}, "'0' is not, and it is empty"),
        ({"1": {"a": 1}, 1: {"a": 0}}, {"7": ["1"]}, "a nugget is there twice, as text and as a number"),
        ({"n": {"a": 1}}, {"7": None}, "query_to_nuggets: query '7' has None, expected a list of nuggets"),
        ({"n": {"a": 1}}, {"7": [["n"]]}, r"\['n'\] is the id of a nugget, expected text"),
    ],
)
def test_what_is_wrong_with_objects_of_the_freshstack_package(grades: Any, of_query: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asp.Nuggets.of_freshstack(grades, of_query)


def test_keys_that_are_numbers_are_text() -> None:
    assert judged(asp.Nuggets.read({7: {"nuggets": FRESHSTACK[0]["nuggets"]}}))["7"] == OF_FRESHSTACK["7"]
    nuggets = asp.Nuggets.read([{"qid": "1", "nugget_dict": {5: {"x": ["a"]}}}])
    assert judged(nuggets) == {"1": {md5("5"): {"a": 1.0}}}


@pytest.mark.parametrize("key", [None, True, (1,), 1.5])
def test_other_keys_are_not(key: Any) -> None:
    with pytest.raises(InputError, match=r"nuggets, \[0\]: expected text or a whole number as a key, found"):
        asp.Nuggets.read({key: {"nuggets": FRESHSTACK[0]["nuggets"]}})
    with pytest.raises(InputError, match='the key "7" is there twice, as text and as a number'):
        asp.Nuggets.read({7: {"nuggets": []}, "7": {"nuggets": []}})


@pytest.mark.parametrize(
    ("given", "format", "message"),
    [
        (FRESHSTACK[1:], "neuclir", "name of the file does not tell the topic"),
        (FRESHSTACK[:1], "annotations", "missing key 'nugget_dict'"),
        ([1], "annotations", r"nuggets, \[0\]: expected an object, found 1"),
        (["x"], "annotations", 'expected an object, found "x"'),
        (FRESHSTACK, ["freshstack"], r"format is \['freshstack'\], expected 'freshstack', "),
        (FRESHSTACK, "brightpro", "expected the path of a folder with examples/ and aspects/"),
    ],
)
def test_formats_that_are_said_and_wrong(given: Any, format: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asp.Nuggets.read(given, format=format)


def test_plain_python() -> None:
    nuggets = asp.Nuggets.of({7: {"n": ["a", 3], "m": {"a": 0.5, "b": 0}, "k": []}}, weights={"n": 2})
    assert judged(nuggets) == {"7": {"n": {"a": 1.0, "3": 1.0}, "m": {"a": 0.5, "b": 0.0}, "k": {}}}
    assert weights(nuggets) == {"7": {"n": 2.0, "m": 1.0, "k": 1.0}}
    assert grades(nuggets) == {"7": {"a": 2, "3": 1, "b": 0}}
    assert weights(asp.Nuggets.of({"q": {"n": ["a"]}}, weights={"q": {"n": 3}})) == {"q": {"n": 3.0}}


def brightpro(folder: Path, examples: Any, aspects: Any, task: str = "biology") -> Path:
    write(folder / "examples" / f"{task}.json", examples)
    write(folder / "aspects" / f"{task}.json", aspects)
    return folder


def test_brightpro(tmp_path: Path) -> None:
    examples = [{"id": 0, "query": "x", "gold_ids": ["a", "b", "c", "g"]}, {"id": "1", "query": "y", "gold_ids": ["d"]}]
    aspects = [
        {"id": "s-a0", "content": "zero", "weight": 3, "supporting_docs": ["a", "b"]},
        {"id": "s-a1", "content": "one", "weight": 1, "supporting_docs": None},
        {"id": "t-aspect-0", "content": "two", "weight": 2, "supporting_docs": ["d", "out of gold"]},
        {"id": "s-a2", "content": "three", "weight": 1, "supporting_docs": ["b", "c"]},
        {"id": "u-a0", "content": "nowhere", "weight": 1, "supporting_docs": []},
    ]
    nuggets = asp.Nuggets.read(brightpro(tmp_path, examples, aspects))
    found = judged(nuggets)
    assert found["0"] == {"": {"g": 0.0}, "s-a0": {"a": 1, "b": 1}, "s-a1": {}, "s-a2": {"b": 1, "c": 1}}
    assert found["1"] == {"t-aspect-0": {"d": 1, "out of gold": 1}}
    assert weights(nuggets) == {"0": {"s-a0": 3, "s-a1": 1, "s-a2": 1}, "1": {"t-aspect-0": 2}}
    assert grades(nuggets)["0"] == {"a": 1, "b": 2, "c": 1, "g": 1}  # gold, though it is not known for what
    assert grades(nuggets)["1"] == {"d": 1, "out of gold": 0}
    assert ignored(nuggets) == {"referenced_only": None, "nugget_weights": None, "aspects_of_no_query": 1, "not_gold": 1}
    lists = {"1": ["out of gold", "d"]}
    scores = asp.evaluate(lists, ["AlphaNDCG@2", "AspectRecall@1"], subtopics=nuggets, convention="brightpro")
    assert scores["AspectRecall@1"] == 1 and scores["AlphaNDCG@2"] == pytest.approx(1 / math.log2(3))
    brightpro(tmp_path, examples, aspects, "physics")
    with pytest.raises(InputError, match="holds the tasks 'biology', 'physics'; name one of them with task='biology'"):
        asp.Nuggets.read(tmp_path)
    assert judged(asp.Nuggets.read(tmp_path, task="physics")) == found
    with pytest.raises(InputError, match="there is no task 'chemistry'; expected 'biology' or 'physics'"):
        asp.Nuggets.read(tmp_path, task="chemistry")


def test_brightpro_as_parquet(tmp_path: Path) -> None:
    for part, rows in (
        ("examples", [{"id": "q", "gold_ids": ["a"]}]),
        ("aspects", [{"id": "s-a0", "weight": 2, "supporting_docs": ["a"]}]),
    ):
        (tmp_path / part).mkdir()
        polars.DataFrame(rows).write_parquet(tmp_path / part / "biology-00000-of-00001.parquet")
    assert judged(asp.Nuggets.read(tmp_path))["q"]["s-a0"] == {"a": 1.0}


def bank(**changes: Any) -> dict[str, Any]:
    topic = {
        "query_id": "t0",
        "title_query": "title",
        "nugget_bank": {
            "Q or": {
                "question": "Q or",
                "question_id": "own",
                "aggregator_type": "OR",
                "answers": {
                    "x": {"answer": "x", "references": [{"doc_id": "a"}, {"doc_id": "a"}]},
                    "y": {"answer": "y", "references": None},
                },
                "references": [{"doc_id": "b"}],
                "importance": "vital",
            },
            "Q and": {
                "question": "Q and",
                "aggregator_type": "AND",
                "answers": {
                    "x": {"references": [{"doc_id": "a", "quality": 3}]},
                    "y": {"answer": "y", "references": [{"doc_id": 5}]},
                    "z": {"answer": "z", "references": []},
                },
                "references": [{"doc_id": "q"}],
                "sub_nuggets": [{"question": "Sub?", "answers": {"s": {"answer": "s", "references": ["u"]}}}],
            },
            "Q sum": {
                "question": "Q sum",
                "aggregator_type": "SUM",
                "importance": "odd",
                "answers": {"x": {"references": ["a"]}, "y": {"references": ["b"]}},
            },
        },
        "claim_bank": {"C": {"claim": "C", "claim_id": "c1", "references": [{"doc_id": "e"}], "importance": 3}},
    }
    return {**topic, **changes}


def test_nuggetbank(tmp_path: Path) -> None:
    write(tmp_path / "one.json", bank())
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress(lines([bank(query_id=None), bank(query_id="t2", nugget_bank={})]).encode()))
    write(tmp_path / "README.md", "no nuggets")
    nuggets = asp.Nuggets.read(tmp_path)
    one, two = md5("Q and"), md5("Q sum")
    expected = {
        "own": {"a": 1.0, "b": 1.0},
        f"{one}/1": {"a": 1.0},
        f"{one}/2": {"5": 1.0},
        f"{two}/1": {"a": 1.0},
        f"{two}/2": {"b": 1.0},
        "c1": {"e": 1.0},
    }
    assert judged(nuggets) == {"t0": expected, md5("title"): expected, "t2": {"c1": {"e": 1.0}}}
    assert weights(nuggets)["t0"] == {"own": 1.0, f"{one}/1": 0.5, f"{one}/2": 0.5, f"{two}/1": 0.5, f"{two}/2": 0.5, "c1": 3.0}
    assert grades(nuggets)["t0"] == {"a": 3, "b": 2, "5": 1, "e": 1}
    counted = {"all_answers": 2, "sub_nuggets": 2, "graded_references": 2, "references_of_questions": 2, "unknown_importance": 2}
    assert ignored(nuggets) == {"referenced_only": None, "nugget_weights": None, **counted}
    assert (nuggets.negatives_known, len(nuggets), nuggets.n_attainable) == (False, 9, 9)
    with_subs = asp.Nuggets.read(tmp_path / "one.json", sub_nuggets=True)
    assert judged(with_subs)["t0"][md5("Sub?")] == {"u": 1.0}
    assert judged(asp.Nuggets.read([bank(claim_bank=None)], importance="vital"))["t0"]["own"] == {"a": 1.0, "b": 1.0}
    doubled = weights(asp.Nuggets.read([bank()], importance="2:1"))["t0"]
    assert (doubled["own"], doubled[f"{one}/1"], doubled["c1"]) == (2.0, 0.5, 3.0)
    with pytest.raises(InputError, match=r"claim_bank.C.importance: importance is a number.*found 3"):
        asp.Nuggets.read([bank()], importance="vital")


def test_answers_that_are_all_asked_for() -> None:
    nuggets = asp.Nuggets.read(
        [
            {
                "metadata": {"topic_id": 1},
                "nugget_bank": [
                    {
                        "question": "Q1",
                        "aggregator_type": "AND",
                        "answers": [{"answer": "x", "references": ["d1"]}, {"answer": "y", "references": ["d2"]}],
                    },
                    {"question": "Q2", "answers": [{"answer": "x", "references": ["d1"]}, {"answer": "y", "references": ["d3"]}]},
                ],
            }
        ]
    )
    assert nuggets.format == "ragtime"
    metrics = ["AspectRecall@1,2,3", "AspectRecall(join=share)@1,2,3", "AlphaDCG@1,2,3"]
    results = asp.evaluate({"1": ["d1", "d3", "d2"]}, metrics, subtopics=nuggets)
    expected = [0.5, 0.5, 1.0, 0.75, 0.75, 1.0, 1.5, 1.8154648767857288, 2.0654648767857286]
    assert list(results.values()) == pytest.approx(expected, abs=1e-12)
    other = asp.evaluate({"1": ["d3", "d1", "d2"]}, "AlphaNDCG@3", subtopics=nuggets)
    assert next(iter(other.values())) == pytest.approx(0.91066, abs=1e-5)


@pytest.mark.parametrize("join", ["AND", "SUM"])
def test_documents_of_a_question_do_not_answer_it(join: str) -> None:
    """Where all answers count, a nugget none of whose answers has a document is listed, and nothing shows it."""
    question = {"question": "Q", "aggregator_type": join, "answers": [{"answer": "x", "references": []}], "references": ["d", "e"]}
    old = {"query_id": "t", "question_text": "Q", "info": {"aggregator_type": join}, "references": ["d", "e"]}
    for row in (
        {"query_id": "t", "nugget_bank": {"Q": {**question, "answers": {"x": {"references": None}}}}},
        {"metadata": {"topic_id": "t"}, "nugget_bank": [question]},
        {**old, "gold_answers": [{"answer": "x", "citations": []}]},
    ):
        nuggets = asp.Nuggets.read([row])
        assert (nuggets.n_listed, nuggets.n_attainable, judged(nuggets)) == (1, 0, {"t": {md5("Q"): {}}})
        assert ignored(nuggets) == {"referenced_only": None, "references_of_questions": 2}
    assert asp.Nuggets.read([{**old, "gold_answers": []}]).n_attainable == 1, "there is nothing else to show"


def test_ragtime_merges_questions() -> None:
    answers = [{"answer": "x", "references": ["a"]}], [{"answer": "x", "references": ["b"]}, {"answer": "y", "references": None}]
    row = {
        "metadata": {"topic_id": "1"},
        "nugget_bank": [*({"question": "Q", "answers": one} for one in answers), {"question": "R", "answers": None}],
    }
    nuggets = asp.Nuggets.read([row])
    assert judged(nuggets) == {"1": {md5("Q"): {"a": 1.0, "b": 1.0}, md5("R"): {}}}
    assert ignored(nuggets) == {"referenced_only": None, "merged_nuggets": 1}
    row["nugget_bank"][1]["aggregator_type"] = "AND"  # type: ignore[index]
    with pytest.raises(InputError, match=r'duplicate nugget "Q" with a different join'):
        asp.Nuggets.read([row])


def test_nuggetbank_of_version_1() -> None:
    question = {"query_id": "t", "question_text": "Q", "question_id": "q1", "info": {"aggregator_type": "AND"}}
    rows = [
        {**question, "gold_answers": [{"answer": "x", "citations": ["a"]}, {"answer": "y", "citations": ["b"]}]},
        {"query_id": "u", "question_text": "Q", "gold_answers": [{"answer": "x", "citations": ["a"]}], "references": ["r"]},
        {"query_id": "t", "claim_text": "C", "claim_id": "c1", "references": ["c"]},
    ]
    nuggets = asp.Nuggets.read(rows)
    assert nuggets.format == "nuggetbank_v1"
    assert judged(nuggets) == {"t": {"q1/1": {"a": 1}, "q1/2": {"b": 1}, "c1": {"c": 1}}, "u": {md5("Q"): {"a": 1, "r": 1}}}


def assignment(document: str, *assigned: tuple[str, str, str], qid: Any = 1) -> dict[str, Any]:
    nuggets = [{"text": text, "importance": importance, "assignment": given} for text, importance, given in assigned]
    return {"text": "q", "qid": qid, "candidate_text": "t", "docid": document, "nuggets": nuggets}


def test_nuggetizer() -> None:
    rows = [
        assignment("d1", ("v1", "vital", "support"), ("v2", "vital", "not_support"), ("o1", "okay", "partial_support")),
        assignment("d2", ("v1", "vital", "not_support"), ("v2", "vital", "partial_support"), ("o1", "okay", "failed")),
    ]
    nuggets = asp.Nuggets.read(rows)
    v1, v2, o1 = map(md5, ("v1", "v2", "o1"))
    assert judged(nuggets) == {"1": {v1: {"d1": 1.0, "d2": 0.0}, v2: {"d1": 0.0, "d2": 0.5}, o1: {"d1": 0.5}}}
    assert nuggets.negatives_known and ignored(nuggets) == {"failed_assignments": 1}
    metrics = ["AspectRecall@2", "AlphaDCG@2"]
    expected = {("vital", 0.5): (0.75, 1.31546), ("vital", 0): (0.5, 1.0), ("all", 0.5): (2 / 3, 1.81546), ("all", 0): (1.0, 1.0)}
    expected |= {("2:1", 0.5): (0.7, 3.13093), ("2:1", 0): (1.0, 2.0)}
    for (importance, partial_support), (recall, gain) in expected.items():
        given = asp.Nuggets.read(rows, importance=importance, partial_support=partial_support)
        listed = asp.evaluate({"1": ["d1", "d2"]}, metrics, subtopics=given)
        found = list(listed.values())
        if partial_support:
            assert found == pytest.approx([recall, gain], abs=1e-5)
        else:  # strict: of all that are listed
            strict = {"vital": 0.5, "all": 1 / 3, "2:1": 0.4}[importance]
            of_listed = asp.evaluate({"1": ["d1", "d2"]}, "AspectRecall(of=listed)@2", subtopics=given)
            assert next(iter(of_listed.values())) == pytest.approx(strict, abs=1e-12) and found[1] == pytest.approx(gain)
    vital = asp.Nuggets.read(rows, importance="vital")
    assert judged(vital)["1"][""] == {"d1": 0.0} and ignored(vital)["unwanted_nuggets"] == 1


def test_nuggetizer_texts_and_documents_that_come_twice() -> None:
    row = assignment("d", ("n", "okay", "partial_support"), ("n", "vital", "not_support"))
    nuggets = asp.Nuggets.read([row, row], importance="2:1")
    assert judged(nuggets) == {"1": {md5("n"): {"d": 0.5}}} and weights(nuggets) == {"1": {md5("n"): 2.0}}
    assert ignored(nuggets)["repeated_texts"] == 2
    with pytest.raises(InputError, match=r'\[1\]: document "d" of query "1" is judged twice, differently'):
        asp.Nuggets.read([row, assignment("d", ("n", "vital", "support"))])


def test_neuclir(tmp_path: Path) -> None:
    write(
        tmp_path / "nuggets_300.json", {"A?": ["OR", {"x": ["d1"], "y": ["d2", "d1"]}], "B?": ["AND", {"x": ["d1"], "y": ["d3"], "z": []}]}
    )
    write(tmp_path / "nuggets_301.json", {"A?": ["OR", {}]})
    nuggets = asp.Nuggets.read(tmp_path)
    a, b = md5("A?"), md5("B?")
    assert judged(nuggets) == {"300": {a: {"d1": 1, "d2": 1}, f"{b}/1": {"d1": 1}, f"{b}/2": {"d3": 1}}, "301": {a: {}}}
    assert nuggets.n_listed == 3 and nuggets.n_attainable == 2
    other = write(tmp_path / "other.json", {"A?": ["OR", {"x": ["d1"]}]})
    with pytest.raises(InputError, match=r"name of the file does not tell the topic; expected one such as nuggets_300.json"):
        asp.Nuggets.read(other)


def test_annotation_tool(tmp_path: Path) -> None:
    path = write(tmp_path / "nuggets_9.json", {"nugget_dict": {"A?": {"x": ["d1"], "y": ["d2"]}}, "group_assignment": {"A?": "g"}})
    assert judged(asp.Nuggets.read(path)) == {"9": {md5("A?"): {"d1": 1, "d2": 1}}}


def test_crux() -> None:
    row = {"id": 300, "docids": ["a", "b"], "ratings": [[5, 2], [0, 3]], "ratings_andor": [[2, 5], [0, 4]]}
    assert judged(asp.Nuggets.read([row])) == {"300": {"0": {"a": 1, "b": 0}, "1": {"a": 0, "b": 1}}}
    assert judged(asp.Nuggets.read([row], ratings=2)) == {"300": {"0": {"a": 1, "b": 0}, "1": {"a": 1, "b": 1}}}
    assert judged(asp.Nuggets.read([row], ratings="strength")) == {"300": {"0": {"a": 1, "b": 0}, "1": {"a": 0.4, "b": 0.6}}}
    assert judged(asp.Nuggets.read([row], ratings_andor=True)) == {"300": {"0": {"a": 0, "b": 0}, "1": {"a": 0, "b": 1}}}
    assert judged(asp.Nuggets.read([row], ratings_andor=True, ratings=2))["300"] == {"0": {"a": 1, "b": 0}, "1": {"a": 1, "b": 1}}
    pairs = [{"example_id": "300", "pid": "a", "rating": [5, 2]}, {"id": "300", "docid": "b", "rating": [0, 3]}]
    assert judged(asp.Nuggets.read(pairs)) == judged(asp.Nuggets.read([row]))
    with pytest.raises(InputError, match=r"\[0\]: there is no 'ratings_andor', which was asked for"):
        asp.Nuggets.read([{**pairs[0], "rating_andor": [1, 1]}], ratings_andor=True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"query": "x", "qid": "1", "nuggets": [{"text": "t", "importance": "vital"}]}, "nuggets of nuggetizer without documents"),
        ({"query": "x", "qid": "1", "answer_text": "a", "nuggets": [{"text": "t", "assignment": "support"}]}, "assignments of answers"),
        ({"metadata": {"run_id": "r"}, "responses": []}, "these are reports with citations"),
        (
            {"qid": "1", "rubrics": [{"criterion": "c", "weight": -5}]},
            "rubrics score answers, not ranked lists; their weights may be 0 or negative, aspect weights must be positive",
        ),
        ({"query_id": "1", "result": [{"type": "tool_result"}]}, "this is an agent trace"),
        ({"q": {"d": 1.5}}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"q": ["d", "e"]}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"q": [1, 2]}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"q": {"d": "1.5"}}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"mteb_model_meta": {}, "default": {}}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"query": {"qid": "1"}, "candidates": []}, "is a run, which holds lists and no nuggets; pass it as the lists"),
        ({"id": "s-a0", "weight": 1, "supporting_docs": []}, "aspects of BRIGHT-Pro without its queries"),
        ({"id": "0", "query": "x", "gold_ids": []}, "queries of BRIGHT-Pro without its aspects"),
        ({"a": 1, "b": 2}, "unrecognised nugget format; top-level keys: 'a', 'b'; looked for 'nuggets' with .*crux"),
        ([1], "unrecognised nugget format: found a list of 1, expected an object"),
        ("text", 'unrecognised nugget format: found "text", expected an object'),
    ],
)
def test_what_holds_no_nuggets(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        asp.Nuggets.read(write(tmp_path / "x.jsonl", lines([row, row])))


@pytest.mark.parametrize("kind", ["jsonl", "ndjson.gz", "parquet", "pq", "arrow", "feather", "ipc"])
def test_every_file_of_a_folder_is_read(tmp_path: Path, kind: str) -> None:
    one, other = FRESHSTACK[0], {**FRESHSTACK[0], "query_id": "8"}
    write(tmp_path / "README.md", "# Nuggets")
    write(tmp_path / ".cache" / "x.json", "?")
    write(tmp_path / "a.json", json.dumps(one))
    if "json" in kind:
        text = lines([other]).encode()
        (tmp_path / f"b.{kind}").write_bytes(gzip.compress(text) if kind.endswith("gz") else text)
    else:
        frame = polars.DataFrame([other])
        (frame.write_parquet if kind in ("parquet", "pq") else frame.write_ipc)(tmp_path / f"b.{kind}")
    assert asp.Nuggets.read(tmp_path).queries == ["7", "8"]


@pytest.mark.parametrize(
    ("odd", "what"),
    [
        ("b.json.bz2", r"is none of \*.json, .*, \*.ipc, also compressed"),
        ("nuggets.zip", "is none of"),
        ("more/b.json", "is a folder with files that may hold nuggets"),
        ("more/deep/b.jsonl.xz", "is a folder with"),
    ],
)
def test_nuggets_that_a_folder_holds_unread_are_an_error(tmp_path: Path, odd: str, what: str) -> None:
    write(tmp_path / "a.json", json.dumps(FRESHSTACK[0]))
    write(tmp_path / odd, "x")
    with pytest.raises(InputError, match=rf"{odd.partition('/')[0]}: {what}.*move it, or use a pattern"):
        asp.Nuggets.read(tmp_path)
    assert asp.Nuggets.read(f"{tmp_path}/*.json").queries == ["7"]


def test_what_else_a_folder_holds_is_noted(tmp_path: Path) -> None:
    write(tmp_path / "a.json", json.dumps(FRESHSTACK[0]))
    for name in ("LICENSE", "_SUCCESS", ".cache/x.json"):
        write(tmp_path / name, "x")
    assert ignored(asp.Nuggets.read(tmp_path)).get("unread_files") is None
    for name in ("topics.tsv", "a.jsonl.tmp", "b.jsonl.md5", "requirements.txt", "runs/dense.trec", "runs/.cache/x.json"):
        write(tmp_path / name, "x")
    nuggets = asp.Nuggets.read(tmp_path)
    assert nuggets.queries == ["7"]
    assert [str(one) for one in nuggets.notices if one.kind == "unread_files"] == [
        "the folder also holds 5 files or folders that are not read (such as 'a.jsonl.tmp', 'b.jsonl.md5', 'requirements.txt')"
    ]


def test_a_query_may_be_in_several_files(tmp_path: Path) -> None:
    rows = [assignment("a", ("t", "vital", "support")), assignment("b", ("t", "vital", "not_support"))]
    for number, row in enumerate(rows):
        write(tmp_path / "nuggetizer" / f"{number}.jsonl", lines([row]))
        write(tmp_path / "crux" / f"{number}.jsonl", lines([{"id": "1", "docid": f"d{number}", "rating": [5 * number]}]))
    assert judged(asp.Nuggets.read(tmp_path / "nuggetizer")) == judged(asp.Nuggets.read(rows)) == {"1": {md5("t"): {"a": 1.0, "b": 0.0}}}
    assert judged(asp.Nuggets.read(tmp_path / "crux")) == {"1": {"0": {"d0": 0.0, "d1": 1.0}}}


def test_importance_that_is_a_number() -> None:
    rows: list[Any] = [assignment(document, ("t", 3, "support"), ("u", True, "support")) for document in "ab"]  # type: ignore[arg-type]
    nuggets = asp.Nuggets.read(rows)
    assert weights(nuggets) == {"1": {md5("t"): 3.0, md5("u"): 1.0}}
    assert ignored(nuggets) == {"nugget_weights": None, "unknown_importance": 1}
    for other in ("vital", 2):
        rows[1]["nuggets"][0]["importance"] = other
        with pytest.raises(InputError, match=r"nuggets\[0\].importance: expected 3, as where the nugget came before, found"):
            asp.Nuggets.read(rows)
    rows[1]["nuggets"][0]["importance"] = None
    assert weights(asp.Nuggets.read(rows)) == weights(nuggets)


def test_formats_are_not_mixed(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", lines(FRESHSTACK))
    write(tmp_path / "b.json", bank())
    with pytest.raises(InputError, match=r"b.json: holds a NuggetBank, expected FreshStack rows as in the files before"):
        asp.Nuggets.read(tmp_path)
    with pytest.raises(InputError, match="holds no nugget files; looked for"):
        asp.Nuggets.read(write(tmp_path / "empty" / "notes.txt", "").parent)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"importance": "most"}, "importance='?most'? is|importance= is 'most', expected 'all', 'vital' or '2:1'"),
        ({"partial_support": 2}, "expected a number from 0"),
        ({"partial_support": 0.5, "ratings": 9}, "above 0 and up to 5"),
        ({"both_lists": "maybe"}, "expected 'unsupported' or 'supported'"),
        ({"format": "freshstak"}, "did you mean 'freshstack'"),
        ({"strict": True}, "has no argument 'strict'"),
        ({"importance": "vital"}, "importance= does not apply to FreshStack rows; only both_lists= does"),
        ({"sub_nuggets": 1}, "expected true or false"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, asp.ArgumentError), match=message):
        Nuggets.read(FRESHSTACK, **options)
