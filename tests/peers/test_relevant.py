"""Precision, Recall and MAP live against pytrec_eval and ranx."""

import math
import warnings

import pytest
import pytrec_eval

import aspectrum as asp
from tests.peers.test_graded import make_queries

CUTOFFS = (1, 3, 5, 10, 100)
TREC_NAMES = {"P": "Precision", "recall": "Recall", "map_cut": "MAP"}


@pytest.mark.peers
@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_every_user_equals_pytrec_eval(threshold: int) -> None:
    grades, lists = make_queries("relevant", 300)
    names = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in TREC_NAMES} | {"map"}
    theirs = pytrec_eval.RelevanceEvaluator(grades, names, relevance_level=threshold).evaluate(lists)
    metrics = [asp.Precision(k=CUTOFFS), asp.Recall(k=CUTOFFS), asp.MAP(k=(*CUTOFFS, -1))]
    result = asp.evaluate(lists, metrics, relevance=grades, threshold=threshold)
    pairs = {f"{ours}@{k}": f"{name}_{k}" for name, ours in TREC_NAMES.items() for k in CUTOFFS} | {"MAP": "map"}
    compared = 0
    for row in result.per_user.to_dicts():
        if max(grades[row["user"]].values()) < threshold:  # undefined here, 0 there
            assert all(math.isnan(row[ours]) for ours in pairs)
            continue
        for ours, name in pairs.items():
            assert row[ours] == pytest.approx(theirs[row["user"]][name], rel=1e-12, abs=1e-12), (row["user"], ours)
        compared += 1
    assert compared > 200


@pytest.mark.slow  # ranx is compiled first
@pytest.mark.peers
@pytest.mark.parametrize("threshold", [1, 2])
def test_means_equal_ranx(threshold: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        grades, lists = make_queries("relevant to ranx", 200)
        grades = {query: own for query, own in grades.items() if max(own.values()) >= threshold}  # 0 there without one
        lists = {query: lists[query] for query in grades}
        level = "" if threshold == 1 else f"-l{threshold}"
        at = ["", "@1", "@5", "@20", "@100"]
        theirs = ranx.evaluate(
            ranx.Qrels(grades), ranx.Run(lists), [f"{name}{k}{level}" for name in ("precision", "recall", "map") for k in at]
        )
    result = asp.evaluate(
        lists, ["Precision@1,5,20,100,-1", "Recall@1,5,20,100,-1", "MAP@1,5,20,100,-1"], relevance=grades, threshold=threshold
    )
    for ours, name in (("Precision", "precision"), ("Recall", "recall"), ("MAP", "map")):
        for k in at:
            assert result[f"{ours}{k}"] == pytest.approx(theirs[f"{name}{k}{level}"], rel=1e-12), f"{ours}{k}"
