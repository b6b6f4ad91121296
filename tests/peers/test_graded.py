"""NDCG and DCG live against pytrec_eval and ranx."""

import random
import warnings

import pytest
import pytrec_eval

import aspectrum as asp

Grades = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


def make_queries(seed: str, n: int) -> tuple[Grades, Lists]:
    choose = random.Random(seed)
    grades: Grades = {}
    lists: Lists = {}
    for query in range(n):
        documents = [f"d{number}" for number in choose.sample(range(100), 40)]
        grades[f"q{query}"] = {document: choose.choice((0, 0, 1, 2, 3)) for document in choose.sample(documents, choose.randint(1, 25))}
        ranked = choose.sample(documents, choose.randint(1, 30))
        lists[f"q{query}"] = {document: float(len(ranked) - rank) for rank, document in enumerate(ranked)}
    return grades, lists


@pytest.mark.peers
def test_ndcg_equals_pytrec_eval() -> None:
    grades, lists = make_queries("trec", 300)
    cutoffs = (1, 3, 5, 10, 100)
    theirs = pytrec_eval.RelevanceEvaluator(grades, {"ndcg", "ndcg_cut." + ",".join(map(str, cutoffs))}).evaluate(lists)
    result = asp.evaluate(lists, asp.NDCG(k=(*cutoffs, -1)), relevance=grades)
    compared = 0
    for row in result.per_user.to_dicts():
        if not any(grades[row["user"]].values()):
            continue  # undefined here, 0 there
        for k in cutoffs:
            assert row[f"NDCG@{k}"] == pytest.approx(theirs[row["user"]][f"ndcg_cut_{k}"], rel=1e-12, abs=1e-12)
        assert row["NDCG"] == pytest.approx(theirs[row["user"]]["ndcg"], rel=1e-12, abs=1e-12)
        compared += 1
    assert compared > 250


@pytest.mark.peers
def test_ndcg_equals_ranx_with_linear_and_exponential_gain() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        grades, lists = make_queries("ranx", 200)
        grades = {query: {item: grade for item, grade in own.items() if grade} for query, own in grades.items()}
        grades = {query: own for query, own in grades.items() if own}
        lists = {query: lists[query] for query in grades}
        names = ["ndcg@1", "ndcg@5", "ndcg@20", "ndcg_burges@5", "ndcg_burges@20"]
        run = ranx.Run(lists)
        theirs = ranx.evaluate(ranx.Qrels(grades), run, names)
    result = asp.evaluate(lists, ["NDCG@1,5,20", "NDCG(gain=exponential)@5,20"], relevance=grades)
    for name in names:
        ours = f"NDCG(gain=exponential)@{name[12:]}" if "burges" in name else f"NDCG@{name[5:]}"
        assert result[ours] == pytest.approx(theirs[name], rel=1e-12)
