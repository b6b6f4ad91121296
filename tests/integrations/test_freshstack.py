"""The drop-in for freshstack's evaluation call, live against freshstack 0.0.6, which ``make test`` installs without what it would download."""

import random
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.integrations.freshstack import EvaluateRetrieval
from tests.strategies import checked

theirs = pytest.importorskip("freshstack.retrieval.evaluation", reason="freshstack is not installed; make test does it")

K_VALUES = [1, 3, 5, 10, 20]
METRICS: tuple[Literal["ndcg", "hole"], ...] = ("ndcg", "hole")
DOCUMENTS = [f"src/f{number}.py_0_{number}" for number in range(30)]

Case = tuple[dict[str, dict[str, int]], dict[str, list[str]], dict[str, dict[str, int]], dict[str, dict[str, float]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Judgments and runs as freshstack can have them: each query has nuggets and documents in the run."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    nuggets: dict[str, dict[str, int]] = {}
    of_query: dict[str, list[str]] = {}
    grades: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in ["q1", "q2", "7"][: chance.randint(1, 3)]:
        pool = chance.sample(DOCUMENTS, 12)
        of_query[query] = [f"{query}#{number}" for number in range(chance.randint(1, 5))]
        for nugget in of_query[query]:
            nuggets[nugget] = {document: int(chance.random() < 0.3) for document in pool}
        grades[query] = {document: sum(nuggets[nugget][document] for nugget in of_query[query]) for document in pool}
        levels = [0.1, 0.25, 0.5, 0.5 + 1e-12, 0.75]
        run[query] = {document: chance.choice(levels) for document in chance.sample(DOCUMENTS, chance.randint(1, 30))}
    run["nobody asked"] = {"x": 1.0}
    return nuggets, of_query, grades, run


def copied(case: Case) -> list[Any]:
    """What freshstack takes; it may change it."""
    return [{key: dict(value) if isinstance(value, dict) else list(value) for key, value in part.items()} for part in case]


@checked(60)
@given(cases())
def test_numbers_are_those_of_freshstack(case: Case) -> None:
    assert EvaluateRetrieval(K_VALUES).evaluate(*case) == theirs.EvaluateRetrieval(K_VALUES).evaluate(*copied(case))


@checked(40)
@given(cases())
def test_other_measures_are_those_of_freshstack(case: Case) -> None:
    _, _, grades, run = case
    ours, their = EvaluateRetrieval(K_VALUES), theirs.EvaluateRetrieval(K_VALUES)
    assert ours.evaluate_custom(grades, run, "ndcg") == their.evaluate_custom(grades, {**run}, "ndcg")
    assert ours.evaluate_custom(grades, run, "hole") == their.evaluate_custom(grades, {**run}, "hole")


def test_what_freshstack_cannot_do() -> None:
    nuggets, of_query = {"q#0": {"a": 1}}, {"q": ["q#0"], "none": []}
    alpha, coverage, recall = EvaluateRetrieval([1, 50]).evaluate(nuggets, of_query, {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    assert (alpha, coverage, recall) == (
        {"alpha-nDCG@1": 0.0, "alpha-nDCG@50": 0.6309},
        {"Coverage@1": 0.0, "Coverage@50": 1.0},
        {"Recall@1": 0.0, "Recall@50": 1.0},
    )


def test_runs_that_found_nothing_score_0() -> None:
    nuggets, grades = {"q#0": {"a": 1}}, {"q": {"a": 1}}
    ours = EvaluateRetrieval([1, 5])
    expected = tuple({f"{name}@{k}": 0.0 for k in (1, 5)} for name in ("alpha-nDCG", "Coverage", "Recall"))
    assert ours.evaluate(nuggets, {"q": ["q#0"]}, grades, {"q": {}}) == expected
    assert ours.evaluate_custom(grades, {"q": {}}) == {"NDCG@1": 0.0, "NDCG@5": 0.0}
    assert ours.evaluate_custom(grades, {"q": {}}, "hole") == {"q": {"Hole@1": 0.0, "Hole@5": 0.0}}


@pytest.mark.parametrize(("grades", "query"), [({"q": {"a": 1}}, 1), ({"q#0": {"a": 1}}, "q"), ({"r": {"a": 1}}, "q")])
def test_queries_that_nobody_judged_are_said(grades: Any, query: Any) -> None:
    said = f"no query of results is in qrels_query: {query!r} is in results, {next(iter(grades))!r} in qrels_query"
    nuggets, run, ours, their = {"q#0": {"a": 1}}, {query: {"a": 1.0}}, EvaluateRetrieval([1, 5]), theirs.EvaluateRetrieval([1, 5])
    with pytest.warns(asp.AspectrumWarning, match=said):
        found = ours.evaluate(nuggets, {"q": ["q#0"]}, grades, run)
    assert found == their.evaluate(nuggets, {"q": ["q#0"]}, grades, run)
    for metric in METRICS:
        with pytest.warns(asp.AspectrumWarning, match=said):
            found = ours.evaluate_custom(grades, run, metric)  # type: ignore[assignment]
        assert found == their.evaluate_custom(grades, run, metric)


def test_documents_that_nobody_judged_are_warned_of() -> None:
    nuggets, of_query, grades, run = {"q#0": {"d1": 1}}, {"q": ["q#0"]}, {"q": {"d1": 1}}, {"q": {"x1": 1.0}}
    ours, their = EvaluateRetrieval([1, 5]), theirs.EvaluateRetrieval([1, 5])
    said = "they differ in a prefix or suffix around the number: 'x1' here, 'd1' there"
    with pytest.warns(asp.AspectrumWarning, match=said):
        assert ours.evaluate(nuggets, of_query, grades, run) == their.evaluate(nuggets, of_query, grades, {**run})
    for metric in METRICS:
        with pytest.warns(asp.AspectrumWarning, match=said):
            assert ours.evaluate_custom(grades, run, metric) == their.evaluate_custom(grades, {**run}, metric)


def test_wrong_arguments_are_said() -> None:
    with pytest.raises(asp.InputError, match="empty, expected at least one query"):
        EvaluateRetrieval().evaluate({}, {}, {}, {})
    with pytest.raises(asp.InputError, match=r"results: query 'q' has \['a'\], expected \{document: score\}"):
        EvaluateRetrieval().evaluate({"n": {"a": 1}}, {"q": ["n"]}, {"q": {"a": 1}}, {"q": ["a"]})  # type: ignore[dict-item]
    with pytest.raises(asp.InputError, match="expected 'ndcg' or 'hole'"):
        EvaluateRetrieval().evaluate_custom({"q": {"a": 1}}, {"q": {"a": 1.0}}, "map")  # type: ignore[arg-type]
