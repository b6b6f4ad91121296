"""Diversity metrics of search topics, against pyndeval, both from prepared objects."""

import random

import pyndeval

import aspectrum as asp
from benchmarks.timing import measure, report

TOPICS, DEPTH, JUDGED, SUBTOPICS = 20_000, 100, 60, 20


def make_rows(seed: int = 0) -> tuple[list[tuple[str, str, str, int]], list[tuple[str, str, float]]]:
    choose = random.Random(seed)
    qrels: list[tuple[str, str, str, int]] = []
    run: list[tuple[str, str, float]] = []
    for topic in range(TOPICS):
        documents = [f"doc{choose.randrange(1_000_000):07}" for _ in range(DEPTH + JUDGED // 2)]
        documents = list(dict.fromkeys(documents))
        for document in documents[-JUDGED:]:
            qrels.extend((str(topic), str(choose.randrange(SUBTOPICS)), document, choose.randrange(2)) for _ in range(2))
        run.extend((str(topic), document, float(DEPTH - rank)) for rank, document in enumerate(documents[:DEPTH]))
    unique = {(topic, subtopic, document): grade for topic, subtopic, document, grade in qrels}
    return [(*key, grade) for key, grade in unique.items()], run


def run() -> bool:
    qrels, rows = make_rows()
    world = asp.World.of({user: list(scores) for user, scores in _by_topic(rows).items()}, subtopics=qrels)
    metrics = ["AlphaNDCG@10,20", "ERRIA@10,20", "AspectRecall@10"]
    ours = measure(lambda: asp.evaluate(world, metrics, convention="pyndeval"), 5)
    names = ["alpha-nDCG@10", "alpha-nDCG@20", "ERR-IA@10", "ERR-IA@20", "strec@10"]
    prepared = pyndeval.RelevanceEvaluator(qrels, names)
    peer = measure(lambda: prepared.evaluate(rows))
    for name, text in zip(names, ("AlphaNDCG@10", "AlphaNDCG@20", "ERRIA@10", "ERRIA@20", "AspectRecall@10"), strict=True):
        theirs = sum(topic[name] for topic in peer.result.values()) / len(peer.result)
        assert abs(ours.result[text] - theirs) < 1e-9, (text, ours.result[text], theirs)
    print("  means agree within 1e-9")
    return report(f"AlphaNDCG, ERRIA @10,20, AspectRecall@10, {TOPICS:,} topics x {DEPTH} documents", ours, peer, "pyndeval", 10)


def _by_topic(rows: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    topics: dict[str, dict[str, float]] = {}
    for topic, document, score in rows:
        topics.setdefault(topic, {})[document] = score
    return topics
