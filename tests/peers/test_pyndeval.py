"""Live against pyndeval, one setting at a time, on thousands of random topics."""

import math
import random
from typing import Any

import pyndeval
import pytest

import aspectrum as asp

ALPHAS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
CUTOFFS = range(1, 21)
AT_CUTOFFS = {
    "ERR-IA": "ERRIA(stop={alpha})",
    "nERR-IA": "ERRIA(stop={alpha}, normalize=ideal)",
    "alpha-DCG": "AlphaDCG(alpha={alpha})",
    "alpha-nDCG": "AlphaNDCG(alpha={alpha})",
    "P-IA": "PrecisionIA",
    "strec": "AspectRecall",
}
OF_LISTS = {"NRBP": "NRBP(alpha={alpha}, beta={beta})", "nNRBP": "NRBP(alpha={alpha}, beta={beta}, normalize=ideal)", "MAP-IA": "MAPIA"}

Qrels = list[tuple[str, str, str, int]]
Run = list[tuple[str, str, float]]


def make_topics(choose: random.Random, n_topics: int) -> tuple[Qrels, Run]:
    """Topics with tied scores, unjudged documents, grades from -2 to 2, up to 90 subtopics; some without a list or judgments."""
    qrels: Qrels = []
    run: Run = []
    for topic in range(n_topics):
        name = f"t{topic}"
        documents = [f"d{number}" for number in choose.sample(range(300), choose.randint(1, 40))]
        n_subtopics = choose.choice((1, 2, 5, 12, 90))
        if choose.random() < 0.93:
            judged = {
                (choose.choice(documents), f"s{choose.randrange(n_subtopics)}"): choose.choice((-2, 0, 1, 1, 1, 2))
                for _ in range(choose.randint(1, 80))
            }
            qrels.extend((name, subtopic, document, grade) for (document, subtopic), grade in judged.items())
        if choose.random() < 0.93:
            listed = documents + [f"x{number}" for number in range(choose.randrange(8))]
            for document in choose.sample(listed, choose.randint(1, len(listed))):
                run.append((name, document, float(choose.randrange(6))))
    return qrels, run


def both(
    qrels: Qrels, run: Run, alpha: float, beta: float
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, Any]], dict[str, str]]:
    """Scores per topic of pyndeval and of us, and how each of their measures is called here."""
    called = {f"{name}@{k}": f"{ours}@{k}" for name, ours in AT_CUTOFFS.items() for k in CUTOFFS} | OF_LISTS
    called = {name: str(asp.parse(text.format(alpha=alpha, beta=beta))) for name, text in called.items()}
    theirs = pyndeval.ndeval(qrels, run, list(called), alpha=alpha, beta=beta)
    positive = {topic for topic, _, _, grade in qrels if grade >= 1}
    for topic, scores in theirs.items():
        if topic not in positive:  # nNRBP alone divides 0 by 0 there; as all other measures, ours is 0
            assert math.isnan(scores["nNRBP"])
            scores["nNRBP"] = 0.0
    result = asp.evaluate(run, list(called.values()), subtopics=qrels, convention="pyndeval")
    ours = {row["user"]: row for row in result.per_user.to_dicts()}
    return theirs, ours, called


@pytest.mark.peers
@pytest.mark.parametrize("alpha", ALPHAS)
def test_every_measure_of_every_topic(alpha: float) -> None:
    check_topics(alpha, 500)


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
def test_every_measure_of_thousands_of_topics(alpha: float) -> None:
    check_topics(alpha, 4000)


def check_topics(alpha: float, n_topics: int) -> None:
    qrels, run = make_topics(random.Random(f"{n_topics} topics {alpha}"), n_topics)
    theirs, ours, called = both(qrels, run, alpha, beta=0.5)
    assert ours.keys() == theirs.keys()
    assert len(ours) > 0.8 * n_topics
    for topic, scores in theirs.items():
        for name, score in scores.items():
            assert abs(ours[topic][called[name]] - score) <= 1e-12, (topic, name)


@pytest.mark.peers
@pytest.mark.parametrize("beta", [0.1, 0.8, 1.0])
def test_patience(beta: float) -> None:
    qrels, run = make_topics(random.Random(f"patience {beta}"), 100)
    theirs, ours, called = both(qrels, run, 0.5, beta)
    for topic, scores in theirs.items():
        for name in ("NRBP", "nNRBP"):
            assert ours[topic][called[name]] == pytest.approx(scores[name], rel=1e-12, abs=1e-12)


@pytest.mark.peers
def test_means_are_over_topics_with_judgments_and_a_list() -> None:
    qrels, run = make_topics(random.Random("means"), 200)
    theirs = pyndeval.ndeval(qrels, run, ["alpha-nDCG@10"])
    result = asp.evaluate(run, "AlphaNDCG@10", subtopics=qrels, convention="pyndeval")
    assert result["AlphaNDCG@10"] == pytest.approx(sum(scores["alpha-nDCG@10"] for scores in theirs.values()) / len(theirs), rel=1e-12)
    assert result.details["AlphaNDCG@10"]["scored"] == len(theirs)
