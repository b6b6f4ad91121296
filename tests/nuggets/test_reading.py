"""Nuggets in evaluations: the same numbers as a plain reading of the format."""

import math
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.errors import InputError
from tests.nuggets.plain import scores
from tests.nuggets.test_formats import FRESHSTACK, lines, write
from tests.strategies import checked

DOCUMENTS = [f"d{number}" for number in range(6)]
RUN = {"7": ["c", "d", "a", "a b", "5", "e"], "71": ["y", "x"]}


@st.composite
def rows_and_run(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """FreshStack rows, and lists of their queries."""
    rows: list[dict[str, Any]] = []
    for query in range(draw(st.integers(1, 4))):
        nuggets = []
        for number in range(draw(st.integers(0, 4))):
            judged = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.booleans(), max_size=4))
            lists = {
                name: [one for one, yes in judged.items() if yes == wanted]
                for name, wanted in (("relevant", True), ("non_relevant", False))
            }
            nuggets.append({"_id": f"n{number}", "text": "t", **{f"{name}_corpus_ids": documents for name, documents in lists.items()}})
        rows.append({"query_id": f"q{query}", "nuggets": nuggets})
    some = st.permutations(DOCUMENTS)
    return rows, {row["query_id"]: draw(some) for row in rows}


@checked(60)
@given(rows_and_run(), st.integers(1, 4))
def test_freshstack_by_its_definitions(given_rows: tuple[list[dict[str, Any]], dict[str, list[str]]], k: int) -> None:
    rows, run = given_rows
    if not any(one["relevant_corpus_ids"] or one["non_relevant_corpus_ids"] for row in rows for one in row["nuggets"]):
        return  # there is nothing to recall
    metrics = [f"AspectRecall(of=listed)@{k}", f"Recall@{k}", f"Judged(judged_by=subtopics)@{k}"]
    results = asp.evaluate(run, metrics, subtopics=asp.Nuggets.read(rows), ignore=["unknown", "none_relevant"], users="both")
    found = scores(results) if results.blocks else {}
    for row in rows:
        supporting = [set(one["relevant_corpus_ids"]) for one in row["nuggets"]]
        others = [set(one["non_relevant_corpus_ids"]) for one in row["nuggets"]]
        if row["query_id"] not in run or row["query_id"] not in found:
            continue
        top = set(run[row["query_id"]][:k])
        coverage, recall, judged = (found[row["query_id"]][name] for name in results)
        assert coverage == pytest.approx(sum(bool(own & top) for own in supporting) / len(supporting), abs=1e-12)
        relevant = set().union(*supporting)
        assert recall == pytest.approx(len(relevant & top) / len(relevant), abs=1e-12) if relevant else recall is None or math.isnan(recall)
        if relevant or any(others):
            assert judged == pytest.approx(len(top & (relevant | set().union(*others))) / len(top), abs=1e-12)


ANSWERS = st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from(DOCUMENTS), max_size=3), max_size=3)
QUESTION = st.fixed_dictionaries(
    {"join": st.sampled_from(["OR", "AND", "SUM", None]), "answers": ANSWERS, "weight": st.sampled_from([None, 2, 3])}
)


@checked(100)
@given(st.lists(QUESTION, min_size=1, max_size=4), st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1), st.integers(1, 4))
def test_answers_by_their_definitions(questions: list[dict[str, Any]], ranked: list[str], k: int) -> None:
    asked = [
        {"question": f"Q{number}", "aggregator_type": one["join"], "importance": one["weight"],
         "answers": [{"answer": name, "references": references} for name, references in one["answers"].items()]}
        for number, one in enumerate(questions)
    ]  # fmt: skip
    nuggets = asp.Nuggets.read([{"query_id": "q", "nugget_bank": asked}])
    metrics = [f"AspectRecall(of=listed, join={join})@{k}" for join in ("all", "share")]
    results = asp.evaluate({"q": ranked}, metrics, subtopics=nuggets, ignore=["unknown", "none_relevant"])
    top, total, covered, shares = set(ranked[:k]), 0.0, 0.0, 0.0
    for one in questions:
        weight = float(one["weight"] or 1)
        shown = [bool(top & set(references)) for references in one["answers"].values() if references]
        total += weight
        share = sum(shown) / max(1, len(shown))
        is_any = one["join"] in ("OR", None)
        covered += weight * (any(shown) if is_any else share if one["join"] == "SUM" else bool(shown) and all(shown))
        shares += weight * (any(shown) if is_any else share)
    assert list(results.values()) == pytest.approx([covered / total, shares / total], abs=1e-12)


def test_what_a_user_gives_comes_first() -> None:
    nuggets = asp.Nuggets.of({"q": {"n": ["a"], "m": ["b"]}}, weights={"n": 3})
    own = asp.evaluate({"q": ["a", "b"]}, "Recall@1", subtopics=nuggets, relevance={"q": ["a", "b", "c"]})
    assert next(iter(own.values())) == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="weights= is given, and nuggets has weights of its own"):
        asp.evaluate({"q": ["a", "b"]}, "AspectRecall@1", subtopics=nuggets, weights={"n": 1})


@pytest.mark.parametrize("kind", [str, int])
def test_ids_of_runs_may_be_numbers(kind: Any) -> None:
    nuggets = asp.Nuggets.of({"1": {"n": ["10"]}})
    assert next(iter(asp.evaluate({kind(1): [kind(10)]}, "AspectRecall@1", subtopics=nuggets).values())) == 1.0
    frame = polars.DataFrame({"user": [kind(1)], "item": [kind(10)]})
    assert next(iter(asp.evaluate(frame, "AspectRecall@1", subtopics=nuggets).values())) == 1.0


def test_users_of_another_kind_are_named() -> None:
    nuggets = asp.Nuggets.of({"7": {"lock": ["x"]}})
    with pytest.raises(InputError, match=r"numbers in users \(7\), text in rankings \('7'\)"):
        asp.evaluate({"7": ["x"]}, "AspectRecall@1", subtopics=nuggets, users=[7])
    assert next(iter(asp.evaluate({7: ["x"]}, "AspectRecall@1", subtopics=nuggets, users=[7]).values())) == 1.0


def test_subtopics_that_are_a_file_of_nuggets(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", lines(FRESHSTACK))
    with pytest.raises(
        InputError, match=r"rows.jsonl: holds FreshStack rows, not rows of judgments; read it with asp.Nuggets.read\(path\)"
    ):
        asp.evaluate(RUN, "AspectRecall@1", subtopics=path)
    with pytest.raises(asp.ArgumentError, match=r"pass subtopics=asp.Nuggets.read"):
        asp.evaluate(RUN, "AspectRecall@1", nuggets=path)  # type: ignore[call-arg]


def test_judgments_turned_round_are_an_error() -> None:
    run = {"q": [f"d{number}" for number in range(20)]}
    for turned in ({"q": {"n": ["d1"], "m": ["d2", "z"]}}, {"q": {"n": {"d1": 1}}}):
        with pytest.raises(InputError, match=r"some are aspects there; expected .*asp.Nuggets.of\(\{query: \{nugget: \[documents\]\}\}\)"):
            asp.evaluate(run, "AspectRecall@2", subtopics=turned)
        assert asp.evaluate(run, "AspectRecall@3", subtopics=asp.Nuggets.of(turned))


def test_nuggets_that_have_one_id_are_meant_so() -> None:
    nuggets = asp.Nuggets.of({"q": {"n": ["a", "b"]}, "r": {"n": ["c"]}})
    assert asp.evaluate({"q": ["a"], "r": ["d"]}, "AspectRecall@1", subtopics=nuggets, strict=True)["AspectRecall@1"] == 0.5


@pytest.mark.parametrize("metric", ["AspectRecall@2", "AspectRecall(of=listed)@2"])
def test_nuggets_in_the_place_of_lists(metric: str) -> None:
    nuggets, run = asp.Nuggets.of({"q": {"who": ["a"]}}), {"q": {"a": 2.0, "b": 1.0}}
    with pytest.raises(asp.InputError, match="rankings is Nuggets, expected ranked lists; pass it as subtopics="):
        asp.evaluate(nuggets, metric, subtopics=run)
    with pytest.raises(asp.InputError, match="mine is Nuggets, expected ranked lists"):
        asp.evaluate_systems({"mine": nuggets}, metric, subtopics=run)
