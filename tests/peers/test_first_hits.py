"""HitRate, MRR, RPrecision and RBP live against ranx, ir_measures and Cornac."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from tests.peers.test_graded import Grades, Lists, make_queries

CUTOFFS = (1, 3, 5, 10, 100)


def with_relevant_items(grades: Grades, threshold: int) -> Grades:
    """Queries without a relevant item are undefined here, 0 in ranx and absent from ir_measures."""
    return {query: own for query, own in grades.items() if max(own.values()) >= threshold}


def compare(lists: Lists, grades: Grades, threshold: int, pairs: dict[str, dict[str, float]]) -> None:
    """Scores of every query, by our metric."""
    result = asp.evaluate(lists, list(pairs), relevance=grades, threshold=threshold)
    for metric, theirs in pairs.items():
        found = dict(result.per_user.select("user", metric).iter_rows())
        assert found.keys() == theirs.keys()
        for query, score in theirs.items():
            assert found[query] == pytest.approx(score, rel=1e-9, abs=1e-9), (metric, query)


@pytest.mark.slow  # ranx is compiled first
@pytest.mark.peers
@pytest.mark.parametrize("threshold", [1, 2])
def test_every_query_equals_ranx(threshold: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        grades, lists = make_queries(f"first hits of ranx {threshold}", 200)
        grades = with_relevant_items(grades, threshold)
        lists = {query: lists[query] for query in grades}
        level = "" if threshold == 1 else f"-l{threshold}"
        names = {f"{ours}@{k}": f"{theirs}@{k}" for ours, theirs in (("HitRate", "hit_rate"), ("MRR", "mrr")) for k in CUTOFFS}
        names |= {"HitRate": "hit_rate", "MRR": "mrr", "RPrecision": "r-precision"}
        run = ranx.Run(lists)
        ranx.evaluate(ranx.Qrels(grades), run, [f"{name}{level}" for name in names.values()])
    compare(lists, grades, threshold, {ours: run.scores[f"{theirs}{level}"] for ours, theirs in names.items()})


@pytest.mark.slow  # ranx is compiled first
@pytest.mark.peers
@pytest.mark.parametrize("p", [80, 50, 95])
def test_rbp_equals_ranx_which_multiplies_by_the_grade(p: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        grades, lists = make_queries(f"persistence {p}", 200)
        grades = with_relevant_items(grades, 1)
        lists = {query: lists[query] for query in grades}
        run = ranx.Run(lists)
        ranx.evaluate(ranx.Qrels(grades), run, [f"rbp.{p}"])
    compare(lists, grades, 1, {str(asp.RBP(p=p / 100, gain="linear")): run.scores[f"rbp.{p}"]})


@pytest.mark.peers
@pytest.mark.parametrize("threshold", [1, 2])
def test_every_query_equals_ir_measures(threshold: int) -> None:
    """Its RBP is that of another library, cwl_eval, which it does not bring along."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_measures
    grades, lists = make_queries(f"first hits of ir_measures {threshold}", 200)
    grades = with_relevant_items(grades, threshold)
    lists = {query: lists[query] for query in grades}
    names = {f"{ours}@{k}": f"{theirs}(rel={threshold})@{k}" for ours, theirs in (("HitRate", "Success"), ("MRR", "RR")) for k in CUTOFFS}
    names |= {"MRR": f"RR(rel={threshold})", "RPrecision": f"Rprec(rel={threshold})"}
    scores = {ours: each_query(ir_measures, measure, grades, lists) for ours, measure in names.items()}
    compare(lists, grades, threshold, scores)


def each_query(ir_measures: Any, measure: str, grades: Grades, lists: Lists) -> dict[str, float]:
    """One measure in one call: 0.4.3 mixes the levels of several up."""
    found = ir_measures.iter_calc([ir_measures.parse_measure(measure)], grades, lists)
    return {metric.query_id: float(metric.value) for metric in found}


@pytest.mark.peers
def test_every_query_equals_cornac() -> None:
    """Its MRR raises an error for a list without a relevant item, which scores 0 here."""
    import cornac.metrics as theirs

    grades, lists = make_queries("first hits of Cornac", 200)
    grades = with_relevant_items(grades, 1)
    ranked = {query: sorted(lists[query], key=lists[query].__getitem__, reverse=True) for query in grades}
    numbers: Callable[[Any], Any] = lambda items: np.array([int(item[1:]) for item in items])  # noqa: E731
    found = asp.evaluate(ranked, ["MRR", *(f"HitRate@{k}" for k in CUTOFFS)], relevance=grades)
    missed = 0
    for row in found.per_user.to_dicts():
        positive = numbers(item for item, grade in grades[row["user"]].items() if grade >= 1)
        shown = numbers(ranked[row["user"]])
        for k in CUTOFFS:
            assert row[f"HitRate@{k}"] == theirs.HitRatio(k=k).compute(positive, shown)
        if row["MRR"] == 0:
            missed += 1
            with pytest.raises(ValueError, match="No matched"):
                theirs.MRR().compute(positive, shown)
        else:
            assert math.isclose(row["MRR"], theirs.MRR().compute(positive, shown), rel_tol=1e-12)
    assert 0 < missed < len(ranked)
