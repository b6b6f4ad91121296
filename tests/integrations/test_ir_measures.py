"""ir_measures with our numbers: against the definitions in plain Python, against pyndeval where it is right, and as people use it."""

from __future__ import annotations

import gzip
import itertools
import logging
import math
import random
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, AP_IA, ERR_IA, NRBP, P_IA, P, Qrel, ScoredDoc, StRecall, alpha_DCG, alpha_nDCG, nDCG, nERR_IA, nNRBP

from aspectrum.errors import InputError, MetricError, MissingLibrary
from aspectrum.integrations.ir_measures import AspectrumProvider, main, register, unregister
from tests import plain
from tests.peers.test_pyndeval import make_topics
from tests.plain import PlainWorld
from tests.strategies import checked

Judgments = list[tuple[Any, Any, Any, int]]
"""Topic, subtopic, document, grade."""
Run = list[tuple[Any, Any, float]]
"""Topic, document, score."""
Scores = dict[tuple[Any, Any], float]
"""By topic and measure."""

SAME: dict[str, Any] = {"rel": 1e-12, "abs": 1e-12}

AT_CUTOFFS: list[Any] = [alpha_nDCG, alpha_DCG, ERR_IA, nERR_IA, P_IA, StRecall]
OF_LISTS: list[Any] = [NRBP, nNRBP, AP_IA]
NINE: list[Any] = [measure @ 10 for measure in AT_CUTOFFS] + OF_LISTS

WITH_DEFECTS = pytest.mark.skipif(
    (metadata.version("ir_measures"), metadata.version("pyndeval")) != ("0.4.3", "0.0.8"), reason="about defects of these versions"
)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register()
    yield
    unregister()


@pytest.fixture
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else computes diversity."""

    def refuse(*_: Any) -> None:
        raise AssertionError("pyndeval was asked")

    monkeypatch.setattr(ir_measures.pyndeval, "_evaluator", refuse)


def judged(rows: Judgments) -> list[Any]:
    return [Qrel(topic, document, grade, subtopic) for topic, subtopic, document, grade in rows]


def listed(rows: Run) -> list[Any]:
    return [ScoredDoc(*row) for row in rows]


def by_topic(found: Iterable[Any]) -> Scores:
    """Every score, each of which is there once."""
    scores: Scores = {}
    for metric in found:
        key = (metric.query_id, metric.measure)
        assert key not in scores
        scores[key] = metric.value
    return scores


def asked(measures: Iterable[Any], qrels: Any, run: Any) -> Scores:
    return by_topic(ir_measures.iter_calc(measures, qrels, run))


# The definitions in plain Python


def plain_world(judgments: Judgments, run: Run, level: int, judged_only: bool) -> PlainWorld:
    subtopics: dict[Any, dict[Any, dict[Any, tuple[float, float]]]] = {}
    for topic, subtopic, document, grade in judgments:
        subtopics.setdefault(topic, {}).setdefault(document, {})[subtopic] = (1.0 if grade >= level else 0.0, 1.0)
    rankings: dict[Any, list[Any]] = {}
    for topic, document, _ in sorted(run, key=lambda row: (-row[2], row[1])):
        if not judged_only or document in subtopics.get(topic, {}):
            rankings.setdefault(topic, []).append(document)
    in_order = dict.fromkeys((subtopic for _, subtopic, _, _ in judgments), 1.0)
    return PlainWorld(rankings, {"": in_order}, {}, {}, subtopics)


def by_subtopics(function: Callable[..., float], *parameters: str, **fixed: Any) -> Callable[[PlainWorld, Any, int, Any], float]:
    def score(world: PlainWorld, topic: Any, k: int, measure: Any) -> float:
        return function(world, topic, k, judged_by="subtopics", **{name: measure[name] for name in parameters}, **fixed)

    return score


PLAIN: dict[str, Callable[[PlainWorld, Any, int, Any], float]] = {
    "alpha_nDCG": by_subtopics(plain.alpha_ndcg, "alpha"),
    "alpha_DCG": by_subtopics(plain.alpha_dcg, "alpha", normalize="perfect"),
    "ERR_IA": by_subtopics(plain.err_ia, stop=0.5, intents="uniform", normalize="perfect"),
    "nERR_IA": by_subtopics(plain.err_ia, stop=0.5, intents="uniform", normalize="ideal"),
    "NRBP": by_subtopics(plain.nrbp, "alpha", "beta"),
    "nNRBP": by_subtopics(plain.nrbp, "alpha", "beta", normalize="ideal"),
    "AP_IA": by_subtopics(plain.map_ia),
    "P_IA": by_subtopics(plain.precision_ia),
    "StRecall": by_subtopics(plain.aspect_recall),
}


def plain_scores(measures: Iterable[Any], judgments: Judgments, run: Run) -> Scores:
    """Every topic that is judged counts, and where a score has no meaning it is 0."""
    worlds: dict[tuple[int, bool], PlainWorld] = {}
    scores: Scores = {}
    for measure in measures:
        setting = (measure["rel"], bool(measure.params.get("judged_only", False)))
        if setting not in worlds:
            worlds[setting] = plain_world(judgments, run, *setting)
        for topic in {row[0] for row in judgments}:
            score = PLAIN[measure.NAME](worlds[setting], topic, measure.params.get("cutoff", -1), measure)
            scores[topic, measure] = 0.0 if math.isnan(score) else score
    return scores


def at(measure: Any, k: int | None) -> Any:
    return measure if k is None else measure @ k


def all_nine(alpha: float, beta: float, level: int, cutoffs: Iterable[int | None]) -> list[Any]:
    """Every measure with every setting it has."""
    measures: list[Any] = [NRBP(alpha=alpha, beta=beta, rel=level), nNRBP(alpha=alpha, beta=beta, rel=level)]
    for judged_only in (False, True):
        measures.append(AP_IA(rel=level, judged_only=judged_only))
        for k in cutoffs:
            measures += [at(measure(alpha=alpha, rel=level, judged_only=judged_only), k) for measure in (alpha_nDCG, alpha_DCG)]
            measures += [at(measure(rel=level, judged_only=judged_only), k) for measure in (ERR_IA, nERR_IA, P_IA)]
    return measures + [at(StRecall(rel=level), k) for k in cutoffs]


ALPHAS = (0.5, 0.0, 0.25, 0.9, 1.0)


@dataclass(frozen=True)
class Case:
    judgments: Judgments
    run: Run
    measures: list[Any]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A few topics, their rows in any order, equal scores, unjudged documents, grades below 1."""
    text = draw(st.booleans())
    topics = st.sampled_from(["1", "t", "é"] if text else [1, 30, 4])
    unjudged_topic = st.just("z" if text else 99)
    documents = st.sampled_from(["d9", "d10", "D9", "é", "z", "日", "\U0001f600"] if text else [9, 10, -1, 8, 3, 300, 2])
    subtopics = st.sampled_from(["x", "ß", "a b", "42"] if text else [1, 2, 3, 4])
    grades = st.sampled_from([1, 1, 0, 2, 3, -1])
    judgments = draw(st.dictionaries(st.tuples(topics, subtopics, documents), grades, max_size=25))
    scores = st.sampled_from([0.0, 1.0, 1.5, -2.0])
    run = draw(st.dictionaries(st.tuples(st.one_of(topics, unjudged_topic), documents), scores, max_size=20))
    cutoffs = draw(st.lists(st.sampled_from([1, 2, 3, 5, 50, 1000, None]), min_size=1, max_size=3, unique=True))
    betas = st.sampled_from([0.5, 0.0, 0.8, 1.0])
    measures = all_nine(draw(st.sampled_from(ALPHAS)), draw(betas), draw(st.sampled_from([1, 2, 0, 4])), cutoffs)
    return Case([(*key, grade) for key, grade in judgments.items()], [(*key, score) for key, score in run.items()], measures)


@checked(100)
@given(cases())
def test_random_topics_against_the_definitions(case: Case) -> None:
    found = asked(case.measures, judged(case.judgments), listed(case.run))
    assert found == pytest.approx(plain_scores(case.measures, case.judgments, case.run), **SAME)


def long_lists(seed: str) -> tuple[Judgments, Run]:
    """Lists shorter than 50, between 50 and 1000, and longer than 1000, with judged documents everywhere in them."""
    choose = random.Random(seed)
    judgments: Judgments = []
    run: Run = []
    for topic, length in (("short", 45), ("middle", 200), ("long", 1200), ("longer", 1500)):
        documents = [f"d{number}" for number in range(length)]
        choose.shuffle(documents)
        scores = sorted((choose.randrange(2 * length) for _ in documents), reverse=True)
        run.extend((topic, document, float(score)) for document, score in zip(documents, scores, strict=True))
        pool = {*choose.sample(documents, 40), *documents[-20:], *(f"unlisted{number}" for number in range(5))}
        rows = {(f"s{choose.randrange(7)}", document) for document in sorted(pool) for _ in range(3)}
        judgments.extend((topic, subtopic, document, choose.choice((0, 1, 1, 2, -1))) for subtopic, document in sorted(rows))
    choose.shuffle(run)
    choose.shuffle(judgments)
    return judgments, run


@pytest.mark.parametrize("alpha", ALPHAS)
def test_long_lists_against_the_definitions(alpha: float) -> None:
    judgments, run = long_lists(f"long lists {alpha}")
    measures = all_nine(alpha, 0.8, 1, [50, 1000, None])
    found = asked(measures, judged(judgments), listed(run))
    assert found == pytest.approx(plain_scores(measures, judgments, run), **SAME)
    for measure in (ERR_IA, P_IA, StRecall, alpha_DCG(alpha=alpha)):
        assert len({found["longer", at(measure, k)] for k in (50, 1000, None)}) > 1, measure


# Everything in one call

MIXED: list[Any] = [
    *NINE,
    *(alpha_nDCG(alpha=alpha) @ k for alpha in (0.0, 0.3, 0.9, 1.0) for k in (1, 5, 20, 50, 1000)),
    *(at(measure, k) for measure in AT_CUTOFFS for k in (None, 1, 1000)),
    *(at(measure(rel=level, judged_only=True), k) for measure in (alpha_DCG, ERR_IA, nERR_IA, P_IA) for level in (1, 2) for k in (None, 5)),
    *(measure(alpha=alpha, beta=beta, rel=level) for measure in (NRBP, nNRBP) for alpha in (0.1, 0.9) for beta in (0.2, 0.9) for level in (1, 2)),
    *(AP_IA(rel=level, judged_only=judged_only) for level in (0, 2) for judged_only in (False, True)),
    *(StRecall(rel=level) @ 5 for level in (0, 2, 3)),
]  # fmt: skip


@pytest.mark.usefixtures("only_ours")
def test_many_settings_in_one_call_are_as_one_at_a_time() -> None:
    judgments, run = make_topics(random.Random("mixed"), 25)
    qrels, ranked = judged(judgments), listed(run)
    together = asked(MIXED, qrels, ranked)
    means = ir_measures.calc_aggregate(MIXED, qrels, ranked)
    assert len(set(MIXED)) == len(MIXED) == len(means)
    for measure in MIXED:
        alone = asked([measure], qrels, ranked)
        assert {key: score for key, score in together.items() if key[1] == measure} == alone
        assert means[measure] == measure.calc_aggregate(qrels, ranked)
    assert together == pytest.approx(plain_scores(MIXED, judgments, run), **SAME)


def test_the_order_of_measures_does_not_matter() -> None:
    judgments, run = make_topics(random.Random("order"), 20)
    provider = ir_measures.providers.registry["aspectrum"]
    expected = by_topic(provider.iter_calc(MIXED, judged(judgments), listed(run)))
    assert by_topic(provider.iter_calc(MIXED[::-1], judged(judgments), listed(run))) == expected
    assert by_topic(provider.iter_calc(iter(MIXED + MIXED), judged(judgments), listed(run))) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (alpha_nDCG(alpha=0.9, rel=2) @ 10, alpha_nDCG(rel=2, alpha=0.9) @ 10),
        (alpha_nDCG(alpha=0.9) @ 10, alpha_nDCG(alpha=np.float64(0.9)) @ 10),
        (NRBP(alpha=0.9, beta=0.8), NRBP(beta=0.8, alpha=0.9)),
        (P_IA, P_IA @ -1),
    ],
    ids=["parameters in another order", "a number of NumPy", "NRBP", "no cutoff"],
)
def test_one_measure_that_is_written_in_two_ways(first: Any, second: Any) -> None:
    """To ir_measures these are two measures. Both have their scores."""
    judgments, run = make_topics(random.Random("two ways"), 20)
    assert first != second
    alone = first.calc_aggregate(judged(judgments), listed(run))
    assert alone > 0
    assert ir_measures.calc_aggregate([first, second], judged(judgments), listed(run)) == {first: alone, second: alone}


def test_one_setting_that_is_written_in_two_ways_is_one_measure() -> None:
    judgments, run = make_topics(random.Random("one way"), 20)
    ways = [
        alpha_nDCG @ 10,
        alpha_nDCG(alpha=0.5, rel=1, judged_only=False) @ 10,
        alpha_nDCG(cutoff=10),
        ir_measures.parse_measure("α_nDCG@10"),
    ]
    found = ir_measures.calc_aggregate(ways, judged(judgments), listed(run))
    assert len(found) == 1
    assert {found[way] for way in ways} == {ir_measures.calc_aggregate(ways[:1], judged(judgments), listed(run))[ways[0]]}


# Ways to ask


@pytest.mark.usefixtures("only_ours")
def test_every_way_to_ask() -> None:
    judgments, run = make_topics(random.Random("ways"), 30)
    qrels, ranked = judged(judgments), listed(run)
    scores = plain_scores(NINE, judgments, run)
    n_topics = len({row[0] for row in judgments})
    means = {asked_for: math.fsum(score for (_, measure), score in scores.items() if measure == asked_for) / n_topics for asked_for in NINE}
    for source in (ir_measures, ir_measures.providers.registry["aspectrum"]):
        evaluator = source.evaluator(NINE, qrels)
        assert source.calc_aggregate(NINE, qrels, ranked) == pytest.approx(means, **SAME)
        assert evaluator.calc_aggregate(ranked) == pytest.approx(means, **SAME)
        assert by_topic(source.iter_calc(NINE, qrels, ranked)) == pytest.approx(scores, **SAME)
        assert by_topic(evaluator.iter_calc(ranked)) == pytest.approx(scores, **SAME)
        for both in (source.calc(NINE, qrels, ranked), evaluator.calc(ranked)):
            assert both.aggregated == pytest.approx(means, **SAME)
            assert by_topic(both.per_query) == pytest.approx(scores, **SAME)
    for measure in NINE:
        mine = {key: score for key, score in scores.items() if key[1] == measure}
        assert measure.calc_aggregate(qrels, ranked) == pytest.approx(means[measure], **SAME)
        assert measure.calc(qrels, ranked).aggregated == pytest.approx(means[measure], **SAME)
        assert by_topic(measure.iter_calc(qrels, ranked)) == pytest.approx(mine, **SAME)
        assert by_topic(measure.evaluator(qrels).iter_calc(ranked)) == pytest.approx(mine, **SAME)


def test_values_are_numbers_of_python() -> None:
    judgments, run = make_topics(random.Random("numbers"), 5)
    found = ir_measures.calc(NINE, judged(judgments), listed(run))
    assert {type(metric) for metric in found.per_query} == {ir_measures.Metric}
    assert {type(metric.value) for metric in found.per_query} == {float}


OTHERS: list[Any] = [nDCG @ 10, AP, P @ 5, nDCG]


@pytest.mark.parametrize("once", [False, True], ids=["lists", "generators"])
def test_other_measures_are_left_to_others(once: bool) -> None:
    judgments, run = make_topics(random.Random("others"), 30)
    qrels, ranked = judged(judgments), listed(run)

    def given_as(rows: list[Any]) -> Any:
        return iter(rows) if once else rows

    ours = asked(NINE, qrels, ranked)
    unregister()
    theirs = asked(OTHERS, given_as(qrels), given_as(ranked))
    register()
    assert asked(OTHERS, given_as(qrels), given_as(ranked)) == theirs
    assert asked([*NINE, *OTHERS], given_as(qrels), given_as(ranked)) == ours | theirs
    means = ir_measures.calc_aggregate([*OTHERS, *NINE], given_as(qrels), given_as(ranked))
    assert means == ir_measures.calc_aggregate(NINE, qrels, ranked) | ir_measures.calc_aggregate(OTHERS, qrels, ranked)
    assert not any(AspectrumProvider().supports(measure) for measure in OTHERS)


@pytest.mark.parametrize("measures", [NINE, MIXED, [*NINE, *OTHERS]], ids=["nine", "mixed", "with others"])
def test_several_runs_with_one_evaluator(measures: list[Any]) -> None:
    judgments, first = make_topics(random.Random("runs"), 20)
    choose = random.Random("more runs")
    second = [(topic, document, float(choose.randrange(4))) for topic, document, _ in first if choose.random() < 0.7]
    qrels = judged(judgments)
    evaluator = ir_measures.evaluator(measures, iter(qrels))
    for run in (first, second, [], first, second):
        alone = ir_measures.calc(measures, qrels, listed(run))
        assert evaluator.calc_aggregate(iter(listed(run))) == alone.aggregated
        assert by_topic(evaluator.iter_calc(listed(run))) == by_topic(alone.per_query)
    assert asked(measures, qrels, listed(first)) != asked(measures, qrels, listed(second))


def test_two_runs_at_the_same_time_with_one_evaluator() -> None:
    judgments, first = make_topics(random.Random("at once"), 20)
    second = [(topic, document, -score) for topic, document, score in first]
    evaluator = ir_measures.evaluator(MIXED, judged(judgments))
    pairs = list(zip(evaluator.iter_calc(listed(first)), evaluator.iter_calc(listed(second)), strict=True))
    assert by_topic(pair[0] for pair in pairs) == asked(MIXED, judged(judgments), listed(first))
    assert by_topic(pair[1] for pair in pairs) == asked(MIXED, judged(judgments), listed(second))


# pyndeval


def settings_of_pyndeval(alpha: float, beta: float, level: int) -> list[list[Any]]:
    """Measures that ir_measures 0.4.3 can ask pyndeval for in one call."""
    cutoffs = range(1, 21)
    return [
        [measure(alpha=alpha, rel=level) @ k for measure in (alpha_nDCG, alpha_DCG) for k in cutoffs],
        [measure(rel=level) @ k for measure in (ERR_IA, nERR_IA, P_IA, StRecall) for k in cutoffs] + [AP_IA(rel=level)],
        [NRBP(alpha=alpha, beta=beta, rel=level), nNRBP(alpha=alpha, beta=beta, rel=level)],
    ]


def is_raw_count(measure: Any) -> bool:
    """At k = 1, pyndeval does not divide these by what a perfect list has."""
    return measure.NAME in ("alpha_DCG", "ERR_IA") and measure["cutoff"] == 1


@pytest.mark.peers
@WITH_DEFECTS
@pytest.mark.parametrize(("alpha", "beta", "level"), [(0.5, 0.5, 1), (0.9, 0.2, 1), (0.0, 0.8, 2), (1.0, 0.5, 0)])
def test_pyndeval_per_topic(alpha: float, beta: float, level: int) -> None:
    judgments, run = make_topics(random.Random(f"pyndeval {alpha} {level}"), 120)
    judgments += [("nothing", "s1", "d1", level - 1), ("nothing", "s2", "d2", level - 1), ("not listed", "s1", "d1", level - 1)]
    run += [("nothing", "d2", 1.0), ("nothing", "d1", 1.0)]
    positive: dict[str, set[str]] = {}
    for topic, subtopic, _, grade in judgments:
        if grade >= level:
            positive.setdefault(topic, set()).add(subtopic)
    in_run = {row[0] for row in run}
    raw, undefined, equal = 0, 0, 0
    for measures in settings_of_pyndeval(alpha, beta, level):
        theirs = by_topic(ir_measures.pyndeval.iter_calc(measures, judged(judgments), listed(run)))
        ours = asked(measures, judged(judgments), listed(run))
        assert ours.keys() == theirs.keys()
        for (topic, measure), score in theirs.items():
            found = ours[topic, measure]
            if is_raw_count(measure):
                assert found * len(positive.get(topic, ())) == pytest.approx(score, **SAME), (topic, measure)
                raw += abs(found - score) > 1e-12
            elif measure.NAME == "nNRBP" and topic in in_run and topic not in positive:
                assert math.isnan(score) and found == 0.0
                undefined += 1
            else:
                assert abs(found - score) <= 1e-12, (topic, measure)
                equal += found > 0
    assert raw > 10
    assert undefined > 0
    assert equal > 3000


@pytest.mark.peers
@WITH_DEFECTS
def test_where_pyndeval_is_wrong() -> None:
    qrels = judged([("1", "x", "a", 1), ("1", "y", "a", 1), ("2", "x", "a", 0), ("2", "y", "b", 0)])
    run = listed([("1", "a", 1.0), ("2", "a", 1.0)])

    def both(measure: Any) -> tuple[float, float]:
        return ir_measures.pyndeval.calc_aggregate([measure], qrels[:2], run[:1])[measure], measure.calc_aggregate(qrels[:2], run[:1])

    assert both(alpha_DCG @ 1) == (2.0, 1.0)  # a perfect list has 1
    assert both(ERR_IA @ 1) == (2.0, 1.0)
    assert math.isnan(ir_measures.pyndeval.calc_aggregate([nNRBP], qrels, run)[nNRBP])
    assert nNRBP.calc_aggregate(qrels, run) == 0.5


@pytest.mark.peers
@WITH_DEFECTS
def test_where_ir_measures_is_wrong() -> None:
    """Without us, all but one setting are 0, cutoffs end at 20, and a topic whose rows are not together is several topics."""
    judgments, run = make_topics(random.Random("before"), 40)
    qrels, ranked = judged(judgments), listed(run)
    for pair in (
        [alpha_nDCG(alpha=0.5) @ 10, alpha_nDCG(alpha=0.9) @ 10],
        [StRecall(rel=1) @ 10, StRecall(rel=2) @ 10],
        [NRBP(beta=0.5), NRBP(beta=0.8)],
    ):
        unregister()
        alone = {measure: ir_measures.calc_aggregate([measure], qrels, ranked)[measure] for measure in pair}
        together = ir_measures.calc_aggregate(pair, qrels, ranked)
        register()
        assert sorted(map(bool, together.values())) == [False, True]
        assert all(alone.values())
        assert ir_measures.calc_aggregate(pair, qrels, ranked) == pytest.approx(alone, **SAME)

    unregister()
    with pytest.raises(AssertionError, match="only supports cutoffs up to 20"):
        (alpha_nDCG @ 50).calc_aggregate(qrels, ranked)
    with pytest.raises(TypeError):
        (alpha_nDCG(judged_only=True) @ 10).calc_aggregate(qrels, ranked)
    shuffled = random.Random("shuffled").sample(ranked, len(ranked))
    with pytest.raises(AssertionError):  # a topic has several scores
        asked([P_IA @ 5], qrels, shuffled)
    register()
    assert asked([P_IA @ 5], qrels, shuffled) == asked([P_IA @ 5], qrels, ranked)


# Inputs


def frame_of_qrels(rows: Judgments) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])


def frame_of_run(rows: Run) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def nested(rows: Iterable[tuple[Any, Any, Any]]) -> dict[Any, dict[Any, Any]]:
    found: dict[Any, dict[Any, Any]] = {}
    for topic, document, value in rows:
        found.setdefault(topic, {})[document] = value
    return found


@pytest.mark.parametrize("together", [True, False], ids=["topics together", "topics mixed"])
@pytest.mark.parametrize("measures", [NINE, [*NINE, *OTHERS]], ids=["ours", "and others"])
def test_forms_of_qrels_and_runs(together: bool, measures: list[Any]) -> None:
    judgments, run = make_topics(random.Random("forms"), 25)
    expected = asked(measures, judged(judgments), listed(run))
    sums_differ = False
    if not together:
        choose = random.Random("mixed up")
        run = choose.sample(run, len(run))
        if measures is NINE:  # to others, the last of several judgments of a document counts
            judgments, sums_differ = choose.sample(judgments, len(judgments)), True  # by rounding: subtopics are added up in their order
        assert len(list(itertools.groupby(run, key=lambda row: row[0]))) > len({row[0] for row in run})
    qrels_forms: list[Callable[[], Any]] = [lambda: judged(judgments), lambda: iter(judged(judgments)), lambda: frame_of_qrels(judgments)]
    run_forms: list[Callable[[], Any]] = [lambda: listed(run), lambda: iter(listed(run)), lambda: frame_of_run(run), lambda: nested(run)]
    for qrels, ranked in itertools.product(qrels_forms, run_forms):
        assert asked(measures, qrels(), ranked()) == (pytest.approx(expected, **SAME) if sums_differ else expected)


def test_judgments_as_a_dict_of_dicts_have_one_subtopic() -> None:
    judgments = [("1", "0", "a", 1), ("1", "0", "b", 0), ("1", "0", "c", 2), ("2", "0", "a", 1)]
    run = [("1", "b", 3.0), ("1", "c", 2.0), ("1", "a", 1.0), ("2", "x", 1.0)]
    flat = nested([(topic, document, grade) for topic, _, document, grade in judgments])
    expected = plain_scores(NINE, judgments, run)
    assert asked(NINE, flat, nested(run)) == pytest.approx(expected, **SAME)
    assert asked(NINE, frame_of_qrels(judgments).drop(columns="iteration"), frame_of_run(run)) == pytest.approx(expected, **SAME)


def test_judgments_that_have_no_field_for_the_subtopic() -> None:
    """Their subtopic is then 0, as it is without us."""
    bare = namedtuple("bare", ["query_id", "doc_id", "relevance"])
    run = listed([("1", "b", 2.0), ("1", "a", 1.0)])
    expected = asked(NINE, judged([("1", "0", "a", 1), ("1", "0", "b", 0)]), run)
    assert asked(NINE, [bare("1", "a", 1), bare("1", "b", 0)], run) == expected


def test_more_fields_and_columns_than_needed() -> None:
    judgments, run = make_topics(random.Random("fields"), 10)
    wide_qrel = namedtuple("wide_qrel", ["extra", "iteration", "relevance", "doc_id", "query_id"])
    wide_run = namedtuple("wide_run", ["rank", "score", "query_id", "doc_id", "tag"])
    qrels = [wide_qrel(None, subtopic, grade, document, topic) for topic, subtopic, document, grade in judgments]
    ranked = [wide_run(7, score, topic, document, "us") for topic, document, score in run]
    expected = asked(NINE, judged(judgments), listed(run))
    assert asked(NINE, qrels, ranked) == expected
    assert asked(NINE, pd.DataFrame(qrels), pd.DataFrame(ranked)) == expected


def unicode_id(number: int) -> str:
    """In the order of code points, which is not that of UTF-16."""
    return chr(0xFF10 + number) if number < 150 else chr(0x1F300 + number)


KINDS: dict[str, Callable[[int], Any]] = {
    "text": lambda number: f"{number:03}",
    "whole numbers": lambda number: number,
    "large numbers": lambda number: number + 10**30,
    "numbers of NumPy": np.int64,
    "tuples": lambda number: (number // 10, str(number % 10)),
    "Unicode": unicode_id,
    "bytes": lambda number: number.to_bytes(2, "big"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_any_kind(kind: str) -> None:
    """Names do not matter, but for their order."""
    new = KINDS[kind]
    old_judgments, old_run = make_topics(random.Random("ids"), 25)

    def number(id: str) -> int:
        return int(id[1:]) if id[0] != "x" else 300 + int(id[1:])

    plain_judgments = [(number(topic), number(subtopic), number(document), grade) for topic, subtopic, document, grade in old_judgments]
    plain_run = [(number(topic), number(document), score) for topic, document, score in old_run]
    judgments = [(new(topic), new(subtopic), new(document), grade) for topic, subtopic, document, grade in plain_judgments]
    run = [(new(topic), new(document), score) for topic, document, score in plain_run]
    measures = [*NINE, alpha_nDCG(judged_only=True) @ 10, P_IA(rel=2) @ 5]
    expected = plain_scores(measures, plain_judgments, plain_run)
    found = asked(measures, judged(judgments), listed(run))
    assert found == pytest.approx({(new(topic), measure): score for (topic, measure), score in expected.items()}, **SAME)
    if kind != "tuples":  # a frame of pandas makes columns of them
        assert asked(measures, frame_of_qrels(judgments), frame_of_run(run)) == found


def test_topics_whose_ids_have_no_order() -> None:
    """Not even those without a list need one."""
    qrels = judged([(1, "x", "a", 1), ("one", "x", "a", 1), ("one", "y", "a", 1), ((1,), "x", "b", 1)])
    run = listed([("one", "a", 1.0)])
    assert asked([StRecall @ 5], qrels, run) == {(1, StRecall @ 5): 0.0, ("one", StRecall @ 5): 1.0, ((1,), StRecall @ 5): 0.0}


# Topics

TWO_TOPICS: Judgments = [("1", "x", "a", 1), ("1", "y", "a", 1), ("1", "x", "b", 1), ("2", "x", "a", 1), ("2", "y", "c", 1)]


@pytest.mark.parametrize("measure", NINE, ids=str)
def test_topics_without_a_list_are_0_and_count(measure: Any) -> None:
    run = listed([("1", "a", 2.0), ("1", "b", 1.0)])
    found = measure.calc(judged(TWO_TOPICS), run)
    alone = measure.calc_aggregate(judged(TWO_TOPICS[:3]), run)
    assert alone > 0
    assert by_topic(found.per_query) == {("1", measure): alone, ("2", measure): 0.0}
    assert found.aggregated == alone / 2


@pytest.mark.parametrize("measure", NINE, ids=str)
def test_topics_without_judgments_are_left_out(measure: Any) -> None:
    run = listed([("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 1.0)])
    found = measure.calc(judged(TWO_TOPICS), run)
    assert measure.calc(judged(TWO_TOPICS), [*run, *listed([("3", "a", 1.0), ("0", "c", 5.0)])]) == found
    assert found.aggregated > 0


@pytest.mark.parametrize("empty", [[], (), {}, iter(()), frame_of_run([])], ids=["list", "tuple", "dict", "iterator", "frame"])
def test_empty_runs(empty: Any) -> None:
    found = ir_measures.calc([*NINE, AP_IA(judged_only=True)], judged(TWO_TOPICS), empty)
    assert len(found.per_query) == 20
    assert set(found.aggregated.values()) == {metric.value for metric in found.per_query} == {0.0}  # type: ignore[union-attr]


@pytest.mark.parametrize("empty", [[], (), {}, iter(()), frame_of_qrels([])], ids=["list", "tuple", "dict", "iterator", "frame"])
def test_empty_qrels(empty: Any, caplog: pytest.LogCaptureFixture) -> None:
    found = ir_measures.calc([*NINE, AP_IA(judged_only=True)], empty, listed([("1", "a", 1.0)]))
    assert found.per_query == []
    assert all(math.isnan(mean) for mean in found.aggregated.values())  # type: ignore[union-attr]
    assert not caplog.records


def test_a_run_of_nothing_that_was_judged_is_0() -> None:
    measures = [*NINE, alpha_nDCG(judged_only=True) @ 10, P_IA(judged_only=True)]
    for run in ([("1", "new", 2.0), ("1", "newer", 1.0)], [("unknown", "a", 1.0)]):
        assert set(ir_measures.calc_aggregate(measures, judged(TWO_TOPICS), listed(run)).values()) == {0.0}


@pytest.mark.parametrize("measure", NINE, ids=str)
def test_a_topic_with_no_positive_judgment_is_0(measure: Any) -> None:
    judgments: Judgments = [*TWO_TOPICS[:3], ("2", "x", "a", 0), ("2", "y", "a", -2), ("2", "y", "b", 0)]
    run = listed([("1", "a", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)])
    found = by_topic(measure.iter_calc(judged(judgments), run))
    assert found["2", measure] == 0.0
    assert found["1", measure] > 0


def test_documents_with_a_grade_below_1_are_judged_and_gain_nothing() -> None:
    judgments: Judgments = [("1", "x", "a", 0), ("1", "y", "b", -2), ("1", "x", "c", 1), ("1", "y", "c", 1), ("1", "z", "d", -1)]
    run = listed([("1", "new", 5.0), ("1", "a", 4.0), ("1", "b", 3.0), ("1", "c", 2.0)])
    precision = {k: (P_IA @ k).calc_aggregate(judged(judgments), run) for k in (1, 2, 3, 4)}
    assert precision == {1: 0.0, 2: 0.0, 3: 0.0, 4: 0.25}  # z is no subtopic that can be had
    condensed = {k: (P_IA(judged_only=True) @ k).calc_aggregate(judged(judgments), run) for k in (1, 2, 3, 4)}
    assert condensed == {1: 0.0, 2: 0.0, 3: 1 / 3, 4: 0.25}
    assert P_IA(judged_only=True).calc_aggregate(judged(judgments), run) == 1 / 3


def test_levels_of_relevance() -> None:
    judgments: Judgments = [("1", "x", "a", 1), ("1", "y", "a", 2), ("1", "z", "b", 3), ("1", "w", "b", 0), ("1", "v", "b", -1)]
    run = listed([("1", "a", 1.0)])
    measures: list[Any] = [StRecall(rel=level) @ 1 for level in (-1, 0, 1, 2, 3, 4)]
    found = ir_measures.calc_aggregate(measures, judged(judgments), run)
    assert [found[measure] for measure in measures] == [2 / 5, 2 / 4, 2 / 3, 1 / 2, 0.0, 0.0]


def test_clarkes_example() -> None:
    """The numbers of the documentation."""
    has = {"a": "24", "b": "2", "c": "2", "d": "", "e": "16", "f": "1", "g": "3", "h": "1", "i": "", "j": ""}
    qrels = judged([("q", aspect, document, 1) for document, aspects in has.items() for aspect in aspects])
    run = listed([("q", document, -float(place)) for place, document in enumerate(has)])
    expected = {
        0.5: {1: 1, 2: 0.70986, 3: 0.64874, 5: 0.7707, 10: 0.8760},
        0.0: {1: 1, 2: 0.8066, 3: 0.8323, 5: 0.8527, 10: 0.9318},
        1.0: {1: 1, 2: 0.6131, 3: 0.5317, 5: 0.7373, 10: 0.8259},
    }
    measures = {(alpha, k): alpha_nDCG(alpha=alpha) @ k for alpha, scores in expected.items() for k in scores}
    found = ir_measures.calc_aggregate(measures.values(), qrels, run)
    for (alpha, k), measure in measures.items():
        assert found[measure] == pytest.approx(expected[alpha][k], abs=5e-5)


# Equal scores


def order_of(documents: Iterable[tuple[Any, float]]) -> list[Any]:
    """The order in which documents are taken: each is the only good one of a topic, and is found at its rank."""
    rows = list(documents)
    qrels = judged([(place, subtopic, document, 1) for place, (document, _) in enumerate(rows) for subtopic in (1, 2)])
    run = listed([(place, document, score) for place in range(len(rows)) for document, score in rows])
    found = asked([P_IA @ k for k in range(1, len(rows) + 1)], qrels, run)
    ranks = {place: next(k for k in itertools.count(1) if found[place, P_IA @ k] > 0) for place in range(len(rows))}
    return [rows[place][0] for place in sorted(ranks, key=ranks.__getitem__)]


@pytest.mark.parametrize(
    "ascending",
    [["Z", "a", "b", "é", "日"], ["10", "100", "9", "９", "\U0001f600"], [-1, 9, 10, 100], [(1, "b"), (2, "a"), (2, "b")]],
    ids=["text", "digits", "numbers", "tuples"],
)
def test_documents_with_equal_scores_are_in_ascending_order(ascending: list[Any]) -> None:
    for documents in itertools.permutations(ascending):
        assert order_of((document, 1.0) for document in documents) == ascending


def test_scores_come_before_ids() -> None:
    rows = [("a", 1.0), ("b", 1.0 + 1e-12), ("c", -3.0), ("d", 1.0), ("e", 7.0)]
    for documents in itertools.permutations(rows):
        assert order_of(documents) == ["e", "b", "a", "d", "c"]


# Registration


def test_registering_twice_is_registering_once() -> None:
    register()
    pipeline = ir_measures.DefaultPipeline.providers
    provider = ir_measures.providers.registry["aspectrum"]
    assert isinstance(provider, AspectrumProvider)
    assert [each for each in pipeline if isinstance(each, AspectrumProvider)] == [provider] == pipeline[:1]
    assert provider.is_available()
    unregister()
    assert not any(isinstance(each, AspectrumProvider) for each in pipeline)


def test_unregistering_restores() -> None:
    unregister()
    pipeline, known = list(ir_measures.DefaultPipeline.providers), dict(ir_measures.providers.registry)
    assert "aspectrum" not in known
    register()
    assert ir_measures.DefaultPipeline.providers[1:] == pipeline
    assert ir_measures.providers.registry == known | {"aspectrum": ir_measures.providers.registry["aspectrum"]}
    unregister()
    unregister()
    assert ir_measures.DefaultPipeline.providers == pipeline
    assert ir_measures.providers.registry == known


@pytest.mark.usefixtures("only_ours")
def test_unregistered_others_are_asked() -> None:
    unregister()
    with pytest.raises(AssertionError, match="pyndeval was asked"):
        (alpha_nDCG @ 10).calc_aggregate(judged(TWO_TOPICS), [])


def test_what_the_provider_supports() -> None:
    provider = AspectrumProvider()
    assert {measure.NAME for measure in provider.SUPPORTED_MEASURES} == {measure.NAME for measure in NINE}
    assert all(provider.supports(measure) for measure in MIXED)


def test_the_provider_refuses_what_it_does_not_support() -> None:
    """As other providers do, which raise a ValueError."""
    with pytest.raises(ValueError, match="nDCG@10"):
        AspectrumProvider().calc_aggregate([nDCG @ 10], judged(TWO_TOPICS), listed([("1", "a", 1.0)]))


# What a user should hear of


def warnings_of_ir_measures(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "ir_measures" and record.levelno == logging.WARNING]


def test_a_warning_when_no_topic_has_two_subtopics(caplog: pytest.LogCaptureFixture) -> None:
    one_each: Judgments = [("1", "x", "a", 1), ("1", "x", "b", 0), ("2", "y", "a", 1)]
    run = listed([("1", "a", 1.0)])
    for qrels in ({"1": {"a": 1, "b": 1}, "2": {"a": 1}}, judged(one_each), frame_of_qrels(one_each)):
        caplog.clear()
        assert (StRecall @ 5).calc_aggregate(qrels, run) == 0.5
        (message,) = warnings_of_ir_measures(caplog)
        assert "subtopic" in message and "iteration" in message


def test_no_warning_when_a_topic_has_two_subtopics(caplog: pytest.LogCaptureFixture) -> None:
    ir_measures.calc_aggregate(MIXED, judged([*TWO_TOPICS, ("3", "x", "a", 1)]), listed([("1", "a", 1.0)]))
    (nDCG @ 10).calc_aggregate({"1": {"a": 1}}, listed([("1", "a", 1.0)]))
    assert not warnings_of_ir_measures(caplog)


@pytest.mark.parametrize("measure", [alpha_nDCG @ 10, AP_IA, P_IA(judged_only=True)], ids=str)
def test_contradicting_judgments(measure: Any) -> None:
    judgments: Judgments = [*TWO_TOPICS, ("topic 7", "x", "document 3", 1), ("topic 7", "x", "document 3", 0)]
    with pytest.raises(InputError, match=r"'topic 7'.*'document 3'"):
        measure.calc_aggregate(judged(judgments), listed([("1", "a", 1.0)]))


def test_a_judgment_that_is_repeated_counts_once() -> None:
    run = listed([("1", "b", 2.0), ("1", "a", 1.0), ("2", "c", 1.0)])
    assert asked(MIXED, judged(TWO_TOPICS * 3), run) == asked(MIXED, judged(TWO_TOPICS), run)


@pytest.mark.parametrize("measure", [alpha_nDCG @ 10, AP_IA, P_IA(judged_only=True)], ids=str)
@pytest.mark.parametrize("score", [1.0, 7.0])
def test_a_document_that_is_listed_twice(measure: Any, score: float) -> None:
    run = listed([("2", "a", 3.0), ("2", "c", 2.0), ("2", "a", score)])
    with pytest.raises(InputError, match=r"'2'.*'a'.*twice"):
        measure.calc_aggregate(judged(TWO_TOPICS), run)


@pytest.mark.parametrize("judged_only", [False, True], ids=["all", "judged only"])
@pytest.mark.parametrize(
    ("row", "message"),
    [((1, "a", 1.0), "ids have different types: numbers in run"), (("1", 7, 1.0), "ids have different types: numbers in run")],
    ids=["topics", "documents"],
)
def test_ids_that_never_match(row: tuple[Any, Any, float], message: str, judged_only: bool) -> None:
    with pytest.raises(InputError, match=message):
        (alpha_nDCG(judged_only=judged_only) @ 10).calc_aggregate(judged(TWO_TOPICS), listed([row]))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (alpha_nDCG(alpha=1.5) @ 10, "alpha is 1.5, expected 0 to 1"),
        (alpha_DCG(alpha=-0.1) @ 10, "alpha is -0.1, expected 0 to 1"),
        (NRBP(beta=2.0), "beta is 2, expected 0 to 1"),
        (P_IA @ 0, "k is 0, expected a whole number from 1"),
    ],
    ids=str,
)
def test_settings_that_cannot_be(measure: Any, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        measure.calc_aggregate(judged(TWO_TOPICS), listed([("1", "a", 1.0)]))


@pytest.mark.parametrize("ids", [str, ord])
def test_scores_without_end_have_an_order(ids: Callable[[str], Any]) -> None:
    """As have runs of tools that mask documents by minus infinity; what is no number comes last."""
    scores = {"b": math.inf, "a": 5.0, "c": -math.inf, "e": math.nan, "d": math.nan}
    finite = {document: float(-place) for place, document in enumerate("bacde")}
    subtopics = {"a": "x", "b": "yz", "c": "uvw", "d": "xy", "e": "q"}  # so that every order has its own numbers
    judgments = [("1", subtopic, ids(document), 1) for document, several in subtopics.items() for subtopic in several]
    measures = [alpha_nDCG @ cutoff for cutoff in (1, 2, 3, 4, 5)] + [AP_IA(), alpha_nDCG(judged_only=True) @ 2]
    several = [asked(measures, judged(judgments), listed([("1", ids(d), score) for d, score in run.items()])) for run in (scores, finite)]
    assert several[0] == several[1]


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "high"])
def test_scores_and_grades_that_are_no_numbers(value: Any) -> None:
    if not isinstance(value, float):
        with pytest.raises(InputError, match="score of '1', 'a'"):
            (P_IA @ 5).calc_aggregate(judged(TWO_TOPICS), listed([("1", "a", value)]))
    with pytest.raises(InputError, match="grade of '1', 'a'"):
        (P_IA @ 5).calc_aggregate(judged([("1", "x", "a", value)]), listed([("1", "a", 1.0)]))


# The command line

QRELS = "1 x a 1\n1 y a 1\n1 x b 1\n2 x a 1\n2 y c 2\n3 x a 0\n3 y b -2\n"
RUN = "1 Q0 b 1 2.0 us\n1 Q0 a 2 1.0 us\n2 Q0 new 1 0.5 us\n2 Q0 a 2 0.5 us\n4 Q0 a 1 1.0 us\n"


def write(folder: Path, qrels: str = QRELS, run: str = RUN) -> None:
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    (folder / "run").write_text(run, encoding="utf-8")


def command_line(folder: Path, *arguments: str, **files: str) -> subprocess.CompletedProcess[str]:
    write(folder, **files)
    command = [sys.executable, "-m", "aspectrum.integrations.ir_measures", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, encoding="utf-8")


def test_the_table(tmp_path: Path) -> None:
    measures = ["alpha_nDCG@50", "alpha_nDCG(alpha=0.9)@50", "P_IA(judged_only=True)@1", "StRecall(rel=2)@1000", "nDCG@10", "AP_IA"]
    parsed = [ir_measures.parse_measure(measure) for measure in measures]
    means = ir_measures.calc_aggregate(parsed, ir_measures.read_trec_qrels(QRELS), ir_measures.read_trec_run(RUN))
    done = command_line(tmp_path, "qrels", "run", *measures)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{name}\t{means[measure]:.4f}" for name, measure in zip(measures, parsed, strict=True)]
    assert "alpha_nDCG@50\t0.4846\n" in done.stdout  # (0.8406 + 0.6131 + 0) / 3


@pytest.mark.parametrize("provider", [[], ["--provider", "aspectrum"]], ids=["", "by name"])
def test_the_table_of_topics(provider: list[str], tmp_path: Path) -> None:
    done = command_line(tmp_path, "qrels", "run", "StRecall@50", "P_IA@2", "-q", *provider)
    assert (done.returncode, done.stderr) == (0, "")
    *topics, first, second = done.stdout.splitlines()
    assert sorted(topics) == [
        "1\tP_IA@2\t0.7500",
        "1\tStRecall@50\t1.0000",
        "2\tP_IA@2\t0.2500",
        "2\tStRecall@50\t0.5000",
        "3\tP_IA@2\t0.0000",
        "3\tStRecall@50\t0.0000",
    ]
    assert [first, second] == ["all\tStRecall@50\t0.5000", "all\tP_IA@2\t0.3333"]


def test_the_command_line_is_that_of_ir_measures(tmp_path: Path) -> None:
    """What others compute, a compressed run and their options come out the same."""
    with gzip.open(tmp_path / "run.gz", "wt") as file:
        file.write(RUN)
    arguments = ["qrels", "run.gz", "nDCG@10 P@2", "AP", "-q", "-n", "-o", "jsonl"]
    ours = command_line(tmp_path, *arguments)
    command = [sys.executable, "-m", "ir_measures", *arguments]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (ours.returncode, sorted(ours.stdout.splitlines())) == (0, sorted(theirs.stdout.splitlines()))
    assert ours.stdout.count("\n") == 9


@pytest.mark.parametrize("marked", [("qrels",), ("run",), ("qrels", "run")])
def test_a_mark_in_front_of_a_file(marked: tuple[str, ...], tmp_path: Path) -> None:
    """The byte order mark that some editors put there is no part of the first topic."""
    ask = ("qrels", "run", "alpha_nDCG@5", "-q")
    files = {name: "\ufeff" + text if name in marked else text for name, text in (("qrels", QRELS), ("run", RUN))}
    assert command_line(tmp_path, *ask, **files).stdout == command_line(tmp_path, *ask).stdout != ""


def test_files_in_unicode_with_topics_mixed(tmp_path: Path) -> None:
    qrels = "é ß 日 1\né x \U0001f600 1\nz x 日 1\n"
    run = "é Q0 \U0001f600 1 1.0 us\nz Q0 日 1 1 us\né Q0 日 2 2e0 us\n\n"
    done = command_line(tmp_path, "qrels", "run", "StRecall@1", "-q", qrels=qrels, run=run)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == ["all\tStRecall@1\t0.7500", "z\tStRecall@1\t1.0000", "é\tStRecall@1\t0.5000"]


@pytest.mark.parametrize(
    ("arguments", "files", "message"),
    [
        (["qrels", "absent", "P_IA@5"], {}, "absent"),
        (["qrels", "run", "alpha_nDCG(alpha=1.5)@5"], {}, "alpha is 1.5, expected 0 to 1"),
        (["qrels", "run", "P_IA@0"], {}, "k is 0"),
        (["qrels", "run", "P_IA@5"], {"run": "1 Q0 a 1 1.0 us\n1 Q0 a 2 0.5 us\n"}, "'1' names item 'a' twice"),
        (["qrels", "run", "P_IA@5"], {"qrels": "1 x a 1\n1 x a 0\n"}, "'1', item 'a'"),
        (["qrels", "run", "P_IA@5"], {"run": "1 Q0 a 1 1.0\n"}, ""),
        (["qrels", "run", "P_IA@5"], {"run": "1 Q0 a 1 high us\n"}, "'high'"),
        (["qrels", "run", "P_IA@5"], {"qrels": "1 x a\n"}, ""),
        (["qrels", "run", "P_IA@5"], {"qrels": "1 x a good\n"}, "'good'"),
        (["qrels", "run", "P_IA@5", "nDCG@10"], {"run": "1 Q0 a 1 1.0\n"}, ""),
        (["qrels", "run", "nDCG@10", "--provider", "aspectrum"], {}, "nDCG@10"),
        (["qrels", "run", "alpha_nDCG(alpha=1)@5"], {}, "alpha=1"),
        (["qrels", "run", "alpha_nDCG(beta=0.5)@5"], {}, "beta"),
        (["qrels", "run", "P_IA@5", "-n"], {}, "--by_query"),
    ],
    ids=[
        "no such run",
        "alpha",
        "cutoff",
        "document twice",
        "contradiction",
        "five fields in the run",
        "score",
        "three fields in the qrels",
        "grade",
        "five fields, with others",
        "not ours, provider by name",
        "alpha is no float",
        "unknown parameter",
        "only a summary, without it",
    ],
)
def test_mistakes_give_one_line(
    arguments: list[str], files: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, **files)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ir_measures", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    line = end.value.code
    assert isinstance(line, str)
    assert line.startswith("error: ") and message in line and "\n" not in line


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("absent", "error: [Errno 2] No such file or directory: 'absent'\n"),
        ("twice", "error: run: the list of user '1' names item 'a' twice, the second time at rank 2\n"),
    ],
)
def test_mistakes_have_no_traceback(run: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "twice").write_text("1 Q0 a 1 1.0 us\n1 Q0 a 2 0.5 us\n")
    done = command_line(tmp_path, "qrels", run, "P_IA@5")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unregister()
    functions = ("parse_measure", "read_trec_qrels", "read_trec_run")
    before = [getattr(ir_measures, name) for name in functions]
    write(tmp_path, run="1 Q0 a\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ir_measures", "qrels", "run", "alpha_nDCG@5"])
    for _ in range(2):
        with pytest.raises(SystemExit, match=r"^error: run: row 1 cannot be read: not enough values to unpack \(expected 6, got 3\)$"):
            main()
    assert [getattr(ir_measures, name) for name in functions] == before
    assert "aspectrum" not in ir_measures.providers.registry
    register()
    with pytest.raises(SystemExit):
        main()
    assert "aspectrum" in ir_measures.providers.registry


@pytest.mark.parametrize("name", ["run", "qrels"])
def test_a_malformed_line_is_found(name: str, tmp_path: Path) -> None:
    """One line says in which file it stands."""
    files = {"run": RUN + "1 Q0 c\n"} if name == "run" else {"qrels": QRELS + "1 x c\n"}
    done = command_line(tmp_path, "qrels", "run", "P_IA@5", **files)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert name in done.stderr


def test_a_compressed_run_that_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "run.gz").write_bytes(gzip.compress(RUN.encode())[:-12])
    done = command_line(tmp_path, "qrels", "run.gz", "P_IA@5")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("measure", ["alpha_nDCGG@5", "alpha_nDCG@"])
def test_unknown_measures(measure: str, tmp_path: Path) -> None:
    done = command_line(tmp_path, "qrels", "run", measure)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith(f": {measure}")
    assert len(done.stderr.splitlines()) <= 2  # ir_measures writes a heading


# The library itself

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ir_measures":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
import aspectrum
import aspectrum.integrations
from aspectrum.errors import MissingLibrary
for attempt in ("import aspectrum.integrations.ir_measures", "aspectrum.integrations.ir_measures"):
    try:
        exec(attempt)
    except MissingLibrary as error:
        print(error)
print(aspectrum.evaluate({"u": ["a"]}, "Precision@1", relevance={"u": ["a"]})["Precision@1"])
"""


def test_without_the_library() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", BLOCKED], capture_output=True, text=True, check=True)
    *messages, value = done.stdout.splitlines()
    assert len(messages) == 2
    for message in messages:
        assert "ir_measures, which is not installed" in message
        assert "pip install 'aspectrum[ir-measures]'" in message
    assert value == "1.0"


@pytest.mark.parametrize("version", ["0.4.2", "0.3", "0.5", "0.5.0", "0.5.0rc1", "1.0"])
def test_another_version_of_the_library(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectrum.extras.metadata.version", lambda library: version)
    monkeypatch.delitem(sys.modules, "aspectrum.integrations.ir_measures")
    with pytest.raises(MissingLibrary) as refusal:
        import_module("aspectrum.integrations.ir_measures")
    assert str(refusal.value) == (
        f"measures are computed by ir_measures from version 0.4.3 and before 0.5, and {version} is installed: pip install 'aspectrum[ir-measures]'"
    )
