"""Runs and judgments of ranx, frames of PyTerrier, and measures of ir_measures asked for by PyTerrier."""

import random
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier
import pytest
import ranx

import aspectrum as asp

pytestmark = pytest.mark.peers

Scores = dict[str, dict[str, float]]


def make_run(seed: int, n_topics: int = 40) -> tuple[Scores, dict[str, dict[str, int]], dict[str, list[str]]]:
    """Scores without ties, grades from 0 to 3, subtopics of documents; lists of 1 to 30."""
    choose = random.Random(seed)
    documents = [f"d{number}" for number in range(60)]
    run = {
        f"q{topic}": {document: choose.random() for document in choose.sample(documents, choose.randint(1, 30))}
        for topic in range(n_topics)
    }
    grades = {topic: {document: choose.randrange(4) for document in choose.sample(documents, 12)} for topic in run if choose.random() < 0.9}
    return run, grades, {document: [f"s{choose.randrange(5)}" for _ in range(2)] for document in documents}


@pytest.mark.slow  # ranx is compiled first
@pytest.mark.parametrize("seed", range(3))
def test_ranx_objects_are_what_they_hold(seed: int) -> None:
    run, grades, aspects = make_run(seed)
    metrics = ["NDCG@1,5,10", "AlphaNDCG@5", "AspectRecall@5", "GiniComplement@5", "MAP"]
    theirs = asp.evaluate(ranx.Run(run), metrics, relevance=ranx.Qrels(grades), aspects=aspects)
    ours = asp.evaluate(run, metrics, relevance=grades, aspects=aspects)
    assert theirs == ours
    assert theirs.per_user.sort("user").equals(ours.per_user.sort("user"))


@pytest.mark.slow  # ranx is compiled first
def test_ranx_graded_numbers_agree_with_ranx() -> None:
    run, grades, _ = make_run(7)
    grades = {topic: own for topic, own in grades.items() if any(own.values())}
    run = {topic: own for topic, own in run.items() if topic in grades}
    theirs = ranx.evaluate(ranx.Qrels(grades), ranx.Run(run), "ndcg@10", return_mean=False)
    ours = asp.evaluate(ranx.Run(run), "NDCG@10", relevance=ranx.Qrels(grades)).per_user
    assert np.allclose(ours.sort("user")["NDCG@10"].to_numpy(), [value for _, value in sorted(zip(sorted(run), theirs, strict=True))])


@pytest.mark.slow  # ranx is compiled first
def test_ranx_history_and_several_systems() -> None:
    systems = {"a": ranx.Run({"u": {"x": 2.0, "y": 1.0}}), "b": {"u": ["y", "x"]}}
    history = ranx.Qrels({"u": {"z": 1}})
    results = asp.evaluate_systems(systems, "AlphaNDCG@1", aspects={"x": ["1"], "y": ["2"], "z": ["2"]}, history=history)
    assert (results["a"]["AlphaNDCG@1"], results["b"]["AlphaNDCG@1"]) == (0.0, 1.0)


def test_ranx_objects_in_each_others_place() -> None:
    run, qrels = ranx.Run({"q": {"a": 1.0}}), ranx.Qrels({"q": {"a": 1}})
    with pytest.raises(asp.InputError, match="rankings: found Qrels of ranx, expected its Run"):
        asp.evaluate(qrels, "NDCG@1", relevance=qrels)
    with pytest.raises(asp.InputError, match="relevance: found Run of ranx, expected its Qrels"):
        asp.evaluate(run, "NDCG@1", relevance=run)


def test_an_empty_run_of_ranx() -> None:
    assert asp.evaluate(ranx.Run(), "NDCG@1", relevance=ranx.Qrels({"q": {"a": 1}}), users="judged")["NDCG@1"] == 0.0


def frames(seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, Any, Any]:
    """Topics, results and judgments as PyTerrier has them, and the same as rows."""
    run, _, aspects = make_run(seed)
    choose = random.Random(seed)
    rows = []
    for topic, own in run.items():
        for rank, (document, score) in enumerate(sorted(own.items(), key=lambda pair: -pair[1])):
            rows.append((topic, choose.randrange(10**6), document, rank, score, f"words of {topic}"))
    judged = [
        (topic, document, choose.choice((0, 1, 1, 2)), subtopic)
        for topic in run
        for document, own_aspects in aspects.items()
        for subtopic in set(own_aspects)
        if choose.random() < 0.3
    ]
    topics = pd.DataFrame({"qid": list(run), "query": [f"words of {topic}" for topic in run]})
    results = pd.DataFrame(choose.sample(rows, len(rows)), columns=["qid", "docid", "docno", "rank", "score", "query"])
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label", "iteration"])
    return topics, results, qrels, run, [(topic, subtopic, document, grade) for topic, document, grade, subtopic in judged]


@pytest.mark.parametrize("seed", range(3))
def test_pyterrier_frames(seed: int) -> None:
    _, results, qrels, run, subtopics = frames(seed)
    metrics = ["AlphaNDCG@5,20", "ERRIA@5", "AspectRecall@5"]
    theirs = asp.evaluate(results, metrics, subtopics=qrels)
    ours = asp.evaluate(run, metrics, subtopics=subtopics)
    assert dict(theirs) == dict(ours)
    assert theirs.per_user.sort("user").equals(ours.per_user.sort("user"))


def test_pyterrier_judgments_as_relevance() -> None:
    results = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "rank": [1, 0], "score": [1.0, 2.0]})
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [0, 2], "iteration": ["0", "0"]})
    assert asp.evaluate(results, "NDCG@1", relevance=qrels)["NDCG@1"] == 1.0


def test_pyterrier_experiment_has_our_numbers() -> None:
    topics, results, qrels, run, subtopics = frames(4)
    measures = [ir_measures.alpha_nDCG(alpha=alpha) @ cutoff for alpha in (0.3, 0.9) for cutoff in (5, 50)]
    asp.integrations.ir_measures.register()
    try:
        system = pyterrier.Transformer.from_df(results)
        table = pyterrier.Experiment([system], topics, qrels, measures, names=["mine"], perquery=True)
    finally:
        asp.integrations.ir_measures.unregister()
    found = {(row.measure, row.qid): row.value for row in table.itertuples()}
    judged = {row[0] for row in subtopics}
    for measure in measures:
        alpha, cutoff = measure["alpha"], measure["cutoff"]
        ours = asp.evaluate(run, f"AlphaNDCG(alpha={alpha})@{cutoff}", subtopics=subtopics, convention="ndeval", ties="ascending").per_user
        for topic, value in ours.rows():
            if topic in judged:
                assert found[str(measure), topic] == value


@pytest.mark.parametrize(
    ("columns", "user", "item"),
    [
        (("qid", "query", "docid", "docno"), "qid", "docno"),
        (("query", "doc_id"), "query", "doc_id"),
        (("query_id", "query", "docid"), "query_id", "docid"),
    ],
)
def test_which_column_stands_aside(columns: tuple[str, ...], user: str, item: str) -> None:
    frame = pd.DataFrame({column: [f"{column} 1", f"{column} 2"] for column in columns})
    found = asp.evaluate(frame, "Precision@1", relevance=[(f"{user} 1", f"{item} 1"), (f"{user} 2", "other")])
    assert dict(found.per_user.rows()) == {f"{user} 1": 1.0, f"{user} 2": 0.0}
