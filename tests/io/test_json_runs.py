"""Ranked lists in JSON, and TREC runs whose document ids have blanks."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.io import read_input
from aspectrum.io.json_runs import candidate_texts
from aspectrum.io.json_values import JsonText
from aspectrum.io.pieces import open_pieces
from tests.io.reading import refused, short

_WAYS: list[dict[str, Any]] = [{}, {"memory": "4GB"}]
Lists = dict[str, list[tuple[str, float | None]]]

SCORES = {"q1": {"b": 2, "a": 2.0, "c": 3.5}, "2": {}, "q3": {"b": -1.0}}
DOCUMENTS = {"q1": ["b", "a"], "2": [], "q3": ["7", "b"]}
CANDIDATES = [
    {"query": {"qid": 1, "text": "what"}, "candidates": [{"docid": "b", "score": 1.0, "doc": {"segment": "B"}}, {"docid": 7, "score": 2}]},
    {"query": {"qid": "2", "text": "who"}, "candidates": []},
]
SEARCHES = [{"type": "tool_result", "round": 1, "docids": ["b", "a"]}, {"type": "tool_result", "round": 2, "docids": ["c", "b"]}]
TRACE = {"query_id": "q1", "result": SEARCHES}


def write(path: Path, value: Any, *, lines: bool = False) -> Path:
    text = "".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def lists_of(given: Any) -> Lists:
    """What is read, list by list, with scores; nothing where there are none."""
    rows = read_input("rankings", given)
    users, items = rows.ids["user"], rows.ids["item"]
    found: Lists = {user: [] for user in users.ids}
    scores = rows.numbers.get("score")
    for row in range(len(rows)):
        score = None if scores is None else float(scores[row])
        found[users.ids[int(users.codes[row])]].append((items.ids[int(items.codes[row])], score))
    return found


def kinds(given: Any) -> set[str]:
    return {notice.kind for notice in read_input("rankings", given).notices}


EXPECTED: Lists = {query: [(document, float(score)) for document, score in scored.items()] for query, scored in SCORES.items()}


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.txt", "run.jsonl"])
def test_scores_by_query(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, SCORES)
    assert lists_of(path) == EXPECTED
    assert "json_run" in kinds(path)
    path.write_bytes(json.dumps(SCORES, indent=2).encode())
    if not name.endswith(".gz"):
        assert lists_of(path) == EXPECTED, "also on many lines"


def test_keys_keep_their_order_where_scores_are_equal(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", {"q": {"b": 1.0, "a": 1.0, "c": 2.0}})
    for item, value in (("c", 1.0), ("b", 0.0)):
        assert asp.evaluate(path, "Precision@1", relevance={"q": [item, "a"]})["Precision@1"] == value
    assert asp.evaluate(path, "Recall@2", relevance={"q": ["b"]})["Recall@2"] == 1.0
    assert asp.evaluate(path, "Recall@2", relevance={"q": ["b"]}, ties="ascending")["Recall@2"] == 0.0


def test_documents_by_query(tmp_path: Path) -> None:
    expected = {query: [(document, None) for document in documents] for query, documents in DOCUMENTS.items()}
    assert lists_of(write(tmp_path / "run.json", {**DOCUMENTS, "q3": [7, "b"]})) == expected
    twice = write(tmp_path / "twice.json", {"q": ["a", "b", "a"]})
    with pytest.raises(asp.InputError, match=r"twice.json, q\[2\]: the list of user 'q' names item 'a' twice"):
        asp.evaluate(twice, "Recall@2", relevance={"q": ["b"]})
    assert asp.evaluate(twice, "Recall@2", relevance={"q": ["b"]}, duplicates="first")["Recall@2"] == 1.0


def test_an_empty_list_is_a_list(tmp_path: Path) -> None:
    for value in (SCORES, DOCUMENTS):
        path = write(tmp_path / "run.json", value)
        for options in _WAYS:
            found = asp.evaluate(path, "Recall@2", relevance={"q1": ["b", "a"], "2": ["b"], "q3": ["b"]}, users="lists", **options)
            scores = {"q1": 1.0 if value is DOCUMENTS else 0.5, "2": 0.0, "q3": 1.0}
            assert dict(found.per_user.iter_rows()) == scores
            assert found.details["Recall@2"]["scored"] == 3


def test_ids_are_those_of_other_inputs(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", {"1": {"2": 1.0}})
    for relevance in ({1: [2]}, {"1": ["2"]}):
        assert asp.evaluate(path, "Recall@1", relevance=relevance)["Recall@1"] == 1.0


def predictions(**subsets: Any) -> dict[str, Any]:
    return {"mteb_model_meta": {"model_name": "m", "revision": "0"}, **subsets}


def test_predictions_of_mteb(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", predictions(default={"test": SCORES}))
    assert lists_of(path) == EXPECTED
    path = write(tmp_path / "p.json", predictions(en={"test": SCORES, "dev": {}}, de={"test": {"q": {"a": 1}}}))
    assert refused("rankings", path) == (
        f"{path}: holds 3 subsets and splits; there are 'en/test', 'en/dev', 'de/test'; name one, as {path}#en/test"
    )
    assert lists_of(f"{path}#en/test") == EXPECTED
    assert lists_of(f"{path}#de/test") == {"q": [("a", 1.0)]}
    assert lists_of(f"{path}#en/dev") == {}
    assert "has no subset and split 'fr/test'" in refused("rankings", f"{path}#fr/test")
    assert asp.evaluate(f"{path}#de/test", "Recall@1", relevance={"q": ["a"]}, memory="4GB")["Recall@1"] == 1.0
    odd = write(tmp_path / "o.json#x", SCORES)
    assert lists_of(odd) == EXPECTED, "a file may have such a name"
    plain = write(tmp_path / "plain.json", SCORES)
    assert "is not MTEB predictions, so it has no part 'a/b'" in refused("rankings", f"{plain}#a/b")


@pytest.mark.parametrize("lines", [False, True])
def test_candidates_keep_their_order(lines: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", CANDIDATES, lines=lines)
    assert lists_of(path) == {"1": [("b", 1.0), ("7", 2.0)], "2": []}
    assert asp.evaluate(path, "Precision@1", relevance={"1": ["b"]})["Precision@1"] == 1.0, "its score is lower"
    assert list(candidate_texts(JsonText.read(str(path)))) == [("b", "B")]
    named = [{"query": "q", "candidates": [{"docid": "x"}]}, {"query": "text of a query", "qid": 3, "candidates": [{"docid": "x"}]}]
    assert lists_of(write(tmp_path / "n.json", named)) == {"q": [("x", None)], "3": [("x", None)]}


def test_a_trace_is_all_it_found(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", TRACE)
    assert lists_of(path) == {"q1": [("b", None), ("a", None), ("c", None)]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"a": NaN}}', "q.a: found NaN, which is not JSON, expected a finite number"),
        ('{"q": {"a": -Infinity}}', "q.a: found -Infinity"),
        ('{"q": {"a": 1e999}}', "q.a: expected a finite number, found Infinity"),
        ('{"q": {"b": 1, "a": "2"}}', 'q.a: expected a finite number, found "2"'),
        ('{"q": {"b": 1, "a": null}}', "q.a: expected a finite number, found null"),
        ('{"q": {"a": true}}', "q.a: expected a finite number, found true"),
        ('{"q": {"a": 9007199254740993}}', "q.a: expected whole numbers up to 2**53"),
        ('{"q": {"a": 1' + "0" * 400 + "}}", "q.a: expected whole numbers up to 2**53"),
        ('{"q": {"a": 1}, "r": ["b"]}', "r: expected an object with the score of each document, found a list of 1"),
        ('{"q": ["b"], "r": {"a": 1}}', 'r: expected a list of documents, found an object with the keys "a"'),
        ('{"q": ["b", 1.5]}', "q[1]: expected an id, which is text or a whole number, found 1.5"),
        ('{"q": {"a": 1}, "q": {"b": 1}}', 'duplicate key "q"'),
        ('{"q": {"a": 1, "a": 2}}', 'q: duplicate key "a"'),
        ('{"q": {"a": 1},', "the JSON value is not complete; was the file cut off?"),
        ('{"q": {"a": 1}\n "r": {}}', "line 2, column 2: is not valid JSON"),
        ('{"q": {"\\ud83e": 1}}', "an id holds an unpaired surrogate"),
        ('{"q": ' * 100_000, "values are nested too deeply to be read"),
        ("{}", "holds no query"),
        ('{"q": {"a": {"b": 1}}}', "no ranked lists found"),
        ('{"mteb_model_meta": {}}', "no predictions found"),
        ('{"mteb_model_meta": {}, "a/b": {"c": {}}, "a": {"b/c": {}}}', "a[\"b/c\"]: 'a/b/c' names several subsets and splits"),
        ('{"q1": null, "q2": {"d": 1}}', "q1: expected an object with the score of each document, found null"),
        ('{"q1": null, "q2": ["d"]}', "q1: expected a list of documents, found null"),
        ('{"query": {"text": "x"}, "candidates": []}', 'query: the key "qid" is missing'),
        ('{"query": "q", "candidates": [{"id": "x"}]}', 'candidates[0]: expected an object with a "docid"'),
        ('{"query": "q", "candidates": [{"docid": "x", "score": "1"}]}', 'candidates[0].score: expected a finite number, found "1"'),
        ('{"query": "q", "candidates": []}\n{"query": "q", "candidates": []}', "line 2, candidates: duplicate query 'q' (first in"),
        ('{"query": "q", "candidates": []}\n{"query": "r"}', 'line 2: expected an object with "query" and "candidates"'),
        ('{"query_id": "q", "result": [{"type": "tool_result", "round": 0}]}', "result[0].round: expected a whole number from 1"),
        ('{"query_id": "q", "result": [3]}', "result[0]: expected an object, found 3"),
    ],
    ids=short,
)
def test_what_is_wrong_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    assert message in refused("rankings", path)
    with pytest.raises(asp.InputError) as raised:
        asp.evaluate(path, "Recall@1", relevance={"q": ["a"]}, memory="4GB")
    assert message in str(raised.value), "as a stream"


NUGGETS = [
    {"query_id": "1", "nuggets": [{"_id": "1_0", "relevant_corpus_ids": ["a"]}]},
    [{"id": "q-a1", "weight": 1, "supporting_docs": ["a"]}],
    {"query_id": "1", "nugget_bank": {}},
    {"metadata": {"topic_id": "1"}, "nugget_bank": []},
    {"Who?": ["OR", {"me": ["a"]}]},
    {"nugget_dict": {}},
    {"id": "1", "docids": ["a"], "ratings": [[1]]},
    {"1": {"nuggets": [], "relevant_parent_ids": []}},
]


@pytest.mark.parametrize("value", NUGGETS, ids=short)
def test_nuggets_are_no_lists(value: Any, tmp_path: Path) -> None:
    for lines in (False, True):
        path = write(tmp_path / ("x.jsonl" if lines else "x.json"), [value] if lines else value, lines=lines)
        assert f"{path}: holds nuggets, not ranked lists" in refused("rankings", path)
    with pytest.raises(asp.InputError, match="holds nuggets"):
        asp.evaluate(path, "Recall@1", relevance={"1": ["a"]}, memory="4GB")


def test_tables_in_json_are_tables(tmp_path: Path) -> None:
    rows = [{"user": "u", "item": "i", "rating": 5}, {"user": "u", "item": "j", "rating": 4}]
    assert list(lists_of(write(tmp_path / "t.jsonl", rows, lines=True))) == ["u"]
    lists = [{"user": ["u"], "item": ["i"]}]
    assert "user" not in dict.fromkeys(refused("rankings", write(tmp_path / "l.jsonl", lists, lines=True)).split())
    several = [{"query": "q", "candidates": ["i", "j"]}]
    assert list(
        lists_of(asp.Source(write(tmp_path / "c.jsonl", several, lines=True), columns={"user": "query", "item": "candidates"}))
    ) == ["q"]


def test_candidates_some_of_which_have_no_score(tmp_path: Path) -> None:
    """They have none in any piece."""
    several = [
        {"query": f"q{number}", "candidates": [{"docid": "a", "score": 2.0}, {"docid": "b", **({} if number == 7 else {"score": 1.0})}]}
        for number in range(10)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in several))
    read = [piece.rows for piece in open_pieces(str(path)).read(4)]
    assert [len(rows) for rows in read] == [4, 4, 4, 4, 4]
    assert all(set(rows.numbers) == {"rank"} for rows in read)


@pytest.mark.parametrize("n_rows", [1, 3, 100])
def test_folders_and_pieces(n_rows: int, tmp_path: Path) -> None:
    """Files of one list each, and lines, read from every position on."""
    lists = {f"q{n}": [f"d{n}-{m}" for m in range(n % 4)] for n in range(12)}
    os.mkdir(tmp_path / "traces")
    for query, found in lists.items():
        write(tmp_path / "traces" / f"{query}.json", {"query_id": query, "result": [{"type": "tool_result", "docids": found}]})
    lines = [{"query": query, "candidates": [{"docid": one} for one in found]} for query, found in lists.items()]
    write(tmp_path / "lines.jsonl", lines, lines=True)
    write(tmp_path / "lists.json", lists)
    every = [(query, document) for query in sorted(lists) for document in lists[query]]
    for name in ("traces", "lines.jsonl", "lists.json"):
        wanted = every if name == "traces" else [(query, document) for query, found in lists.items() for document in found]
        pieces = open_pieces(str(tmp_path / name))
        read = [(piece, row) for piece in pieces.read(n_rows) for row in range(len(piece.rows))]
        assert [_pair(piece.rows, row) for piece, row in read] == wanted
        for number, (piece, row) in enumerate(read):
            rest = [_pair(later.rows, place) for later in pieces.read(n_rows, piece.at(row)) for place in range(len(later.rows))]
            assert rest == wanted[number:]
    truth = {query: [f"d{query[1:]}-0"] for query in lists}
    whole = asp.evaluate(lists, "MRR", relevance=truth, users="lists")
    for name in ("traces", "lines.jsonl", "lists.json"):
        assert dict(asp.evaluate(tmp_path / name, "MRR", relevance=truth, users="lists", memory="4GB")) == dict(whole)
        for _ in range(2):
            again = asp.evaluate(tmp_path / name, "MRR", relevance=truth, users="lists", resume=tmp_path / f"finished {name}")
            assert dict(again) == dict(whole)
    write(tmp_path / "traces" / "again.json", {"query_id": "q1", "result": []})
    with pytest.raises(asp.InputError, match="duplicate query 'q1' \\(first in"):
        asp.evaluate(tmp_path / "traces", "MRR", relevance=truth)


def _pair(rows: Any, row: int) -> tuple[str, str]:
    user, item = rows.ids["user"], rows.ids["item"]
    return user.ids[int(user.codes[row])], item.ids[int(item.codes[row])]


RUN = "1 Q0 a/b c.md 0 2.5 t\n1\tQ0\tplain\t0\t3\tt\n\n2 Q0 two  blanks 1 1 t\r\n"


def test_ids_with_blanks_in_a_run(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(RUN.encode())
    assert lists_of(path) == {"1": [("a/b c.md", 2.5), ("plain", 3.0)], "2": [("two  blanks", 1.0)]}
    assert [notice.count for notice in read_input("rankings", path).notices if notice.kind == "blanks_in_ids"] == [2]
    later = "".join(f"1 Q0 d{n} {n} {-n} t\n" for n in range(30))
    path.write_text(later + "1 Q0 a b 30 -30 t\n")
    assert [document for document, _ in lists_of(path)["1"]][-2:] == ["d29", "a b"], "also after the first lines"
    path.write_text(later + "1 Q0 a b 30 -30 t\n1 Q0 c 31 -31\n")
    assert refused("rankings", path) == f"{path}, line 32: has 5 fields, expected 6 for a TREC run"
    path.write_text(later + "1 Q0 a b 30 -30 a tag\n")
    assert "line 31: the score is 'a', expected a finite number" in refused("rankings", path)
    path.write_text('1 Q0 a "b 1 2 t\n1 Q0 c" 2 1 t\n')
    assert [document for document, _ in lists_of(path)["1"]] == ['a "b', 'c"'], "quotes are letters"


def test_blanks_are_those_that_the_truth_knows(tmp_path: Path) -> None:
    """FreshStack joins words with single blanks: where only these are known, they are meant."""
    path = tmp_path / "x.run"
    path.write_text("".join(f"q Q0 {item} {rank} {-rank} t\n" for rank, item in enumerate(["a  b", "c  d", "e  f", "e f"], 1)))
    truth = asp.Truth.read(relevance={"q": ["a b", "c  d", "c d", "e  f"]})
    plan = asp.Plan("Recall@4", truth)
    for options in _WAYS:
        part = plan.observe(path, **options)
        assert dict(plan.finish(part).per_user.iter_rows()) == {"q": 0.75}, "a b, c  d as it stands, e  f as it stands"
        assert {notice.kind: notice.count for notice in part.lists.notices}["single_blanks"] == 1
    plan.lists({"q": ["e f", "x y"]})
    path.write_text("q Q0 x  y 1 1 t\n")
    assert "single_blanks" not in {notice.kind for notice in plan.observe(path).lists.notices}, "which other lists name does not matter"


words = st.text("ab0.#\"'é/", min_size=1, max_size=4)
documents = st.lists(words, min_size=1, max_size=3).map(" ".join)


@given(st.lists(st.tuples(words, documents, st.integers(-9, 9)), min_size=1, max_size=30, unique_by=lambda row: row[:2]))
def test_random_runs_with_blanks(rows: list[tuple[str, str, int]]) -> None:
    text = "".join(f"{query} Q0 {document} {rank} {-rank} tag\n" for rank, (query, document, _) in enumerate(rows))
    expected: Lists = {}
    for rank, (query, document, _) in enumerate(rows):
        expected.setdefault(query, []).append((document, float(-rank)))
    path = Path(os.environ.get("PYTEST_TMP", "/tmp")) / f"aspectrum-blanks-{os.getpid()}.run"
    try:
        path.write_text(text)
        assert lists_of(path) == expected
    finally:
        path.unlink()


def test_equal_scores_are_counted_in_every_way_of_reading(tmp_path: Path) -> None:
    """Where ranks order lists, and where one rank for all says nothing."""
    frame = pl.DataFrame({"user": ["u"] * 4, "item": list("abcd"), "rank": [1, 2, 3, 4], "score": [2.0, 2.0, 1.0, 1.0]})
    for name, rank in (("ranked", "{rank}"), ("constant", "0")):
        path = tmp_path / f"{name}.run"
        path.write_text("".join(f"u Q0 {item} {rank.format(rank=place)} {score} t\n" for _, item, place, score in frame.iter_rows()))
        kind, other = ("ranked_ties", "tied_scores") if name == "ranked" else ("tied_scores", "ranked_ties")
        truth = asp.Truth.read(relevance={"u": ["a"]})
        for options in _WAYS:
            part = asp.Plan("Recall@1", truth).observe(path, **options)
            found = {notice.kind: notice.count for notice in part.lists.notices}
            assert found.get(kind) == 2
            assert other not in found
            assert ("constant_ranks" in found) == (name == "constant")
        part = asp.Plan("AlphaNDCG@1", asp.Truth.read(subtopics={"u": {"a": [1]}}), convention="brightpro").observe(path)
        assert {notice.kind: notice.count for notice in part.lists.notices}["tied_scores"] == 2, "scores before ranks"
