"""Diversity measures live against ir_measures, one setting at a time (0.4.3 mixes settings up)."""

import random
import warnings

import pytest

import aspectrum as asp
from tests.peers.test_pyndeval import make_topics


@pytest.mark.peers
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("alpha_nDCG@10", "alpha_nDCG@10"),
        ("alpha_nDCG(alpha=0.9)@20", "alpha_nDCG(alpha=0.9)@20"),
        ("ERR_IA@10", "ERR_IA@10"),
        ("StRecall@10", "StRecall@10"),
        ("NRBP", "NRBP"),
        ("P_IA@10", "P_IA@10"),
        ("AP_IA", "AP_IA"),
    ],
)
def test_measures_by_their_names(theirs: str, ours: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_measures
    qrels, run = make_topics(random.Random(theirs), 100)
    judged = [ir_measures.Qrel(topic, document, grade, subtopic) for topic, subtopic, document, grade in qrels]
    ranked = [ir_measures.ScoredDoc(*row) for row in run]
    measure = ir_measures.parse_measure(theirs)
    scores = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], judged, ranked)}
    result = asp.evaluate(run, ours, subtopics=qrels, convention="pyndeval")
    column = result.per_user.columns[1]
    compared = 0
    for row in result.per_user.to_dicts():
        assert row[column] == pytest.approx(scores[row["user"]], rel=1e-12, abs=1e-12)
        compared += 1
    assert compared > 80
