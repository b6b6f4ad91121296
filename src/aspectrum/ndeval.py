"""The numbers of ndeval, the TREC Web track's program for diversity, printed as it prints them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS
from aspectrum.io import Source, read_input
from aspectrum.io.reading import rows_of
from aspectrum.io.tables import open_table
from aspectrum.metrics import ERRIA, MAPIA, NRBP, AlphaDCG, AlphaNDCG, AspectRecall, PrecisionIA
from aspectrum.plan import Plan
from aspectrum.world import Truth

_DEPTHS = (5, 10, 20)
_COLUMNS = (
    *(f"{name}@{depth}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for depth in _DEPTHS),
    "NRBP",
    "nNRBP",
    "MAP-IA",
    *(f"{name}@{depth}" for name in ("P-IA", "strec") for depth in _DEPTHS),
)

Scores = dict[Hashable, Floats]


@dataclass(frozen=True, eq=False)
class Ndeval:
    """Scores of every topic of a run in order, and their mean."""

    run_id: str
    topics: Scores
    n_averaged: int  # topics that the sums are divided by

    @property
    def mean(self) -> Floats:
        total = sum(self.topics.values(), start=np.zeros(len(_COLUMNS)))  # one after the other, as the program adds
        with np.errstate(invalid="ignore"):
            return total / np.float64(self.n_averaged)

    def lines(self) -> Iterator[str]:
        """The lines of the CSV file."""
        yield ",".join(("runid", "topic", *_COLUMNS))
        for topic, scores in (*self.topics.items(), ("amean", self.mean)):
            yield ",".join((self.run_id, str(topic), *(f"{score:.6f}" for score in scores.tolist())))


def ndeval(
    qrels: Any,
    run: Any,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    traditional: bool = False,
    complete: bool = False,
    depth: int | None = None,
    baseline: Any = None,
    risk_alpha: str = "0",
) -> Ndeval:
    """Evaluate a TREC run as ndeval does.

    Args:
        qrels: Judgments: topic, subtopic, document, grade.
        run: A run of six columns.
        alpha: Redundancy intolerance.
        beta: Patience, for NRBP.
        traditional: Order by score, ties by descending document id, instead of by rank.
        complete: Average over every topic of the judgments.
        depth: Ranks of the run that count; all by default.
        baseline: A run to compare with: scores are what the run gains on it.
        risk_alpha: Losses against the baseline weigh one more than this.
    """
    judged = read_input("subtopics", Source(qrels, format="qrels"))
    judged = replace(judged, ids={**judged.ids, "user": _topics(judged.ids["user"]), "aspect": _by_number(judged.ids["aspect"])})
    judged_topics = set(judged.ids["user"].ids)
    run_id, scores = _scores(judged, run, alpha, beta, traditional, depth)
    n_averaged = len(judged_topics) if complete else len(scores.keys() & judged_topics)
    if baseline is None:
        return Ndeval(run_id, scores, n_averaged)
    base_id, base = _scores(judged, baseline, alpha, beta, traditional, depth)
    topics = sorted(scores.keys() | base.keys(), key=_order) if complete else list(scores)
    nothing, changes = np.zeros(len(_COLUMNS)), {}
    for topic in topics:
        change = scores.get(topic, nothing) - base.get(topic, nothing)
        changes[topic] = np.where(change >= 0, change, (float(risk_alpha) + 1) * change)
    name = f"{run_id} (rel to. {base_id}; rs=1+a; a={risk_alpha})"
    return Ndeval(name, changes, max(n_averaged, len(changes)))


def _scores(judged: Rows, run: Any, alpha: float, beta: float, traditional: bool, depth: int | None) -> tuple[str, Scores]:
    """Name of the run, and scores of its topics in order."""
    source = Source(run, format="run")
    table = open_table(source, INPUTS["rankings"])
    run_id = str(table.cell(0, 5))
    rows = rows_of(source, INPUTS["rankings"], table)
    rows = replace(rows, ids={**rows.ids, "user": _topics(rows.ids["user"])})
    if not traditional:
        _check_ranks(rows)
    truth = Truth.read(subtopics=judged, order="score" if traditional else "rank", ties="descending")
    metrics = [
        ERRIA(_DEPTHS, stop=alpha, normalize="perfect"),
        ERRIA(_DEPTHS, stop=alpha, normalize="ideal"),
        AlphaDCG(_DEPTHS, alpha=alpha, normalize="perfect"),
        AlphaNDCG(_DEPTHS, alpha=alpha),
        NRBP(alpha=alpha, beta=beta),
        NRBP(alpha=alpha, beta=beta, normalize="ideal"),
        MAPIA(),
        PrecisionIA(_DEPTHS),
        AspectRecall(_DEPTHS),
    ]
    plan = Plan(metrics, truth, users="lists", convention="ndeval")
    lists = plan.lists(rows)
    lists = lists if depth is None else replace(lists, rankings=lists.rankings.cut(depth))
    (block,) = plan.finish(plan.observe(lists), notices=()).blocks
    scores = dict(zip(block.users, block.scores, strict=True))
    return run_id, {topic: scores[topic] for topic in sorted(scores, key=_order)}


def _order(topic: Hashable) -> tuple[bool, Any]:
    return (isinstance(topic, str), topic)


def _by_number(aspects: IdColumn) -> IdColumn:
    """Subtopics in the order of their numbers, in which the program adds; words come last."""
    names = list(aspects.ids)
    order = sorted(range(len(names)), key=lambda code: (*_order(_number(names[code])), names[code]))
    place = np.full(len(names) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return IdColumn(place[aspects.codes], [names[code] for code in order])


def _topics(column: IdColumn) -> IdColumn:
    """Topics as numbers; those of a run may be written behind the name of their task: wt09-12."""
    codes: dict[Hashable, int] = {}
    place = np.array([codes.setdefault(_topic(name), len(codes)) for name in column.ids], dtype=np.int32)
    return IdColumn(place[column.codes], list(codes))


def _topic(name: str) -> Hashable:
    number = _number(name if name[:1].isdigit() else name.partition("-")[2])
    return number if isinstance(number, int) else name


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _check_ranks(rows: Rows) -> None:
    topics, ranks = rows.ids["user"], rows.numbers["rank"]
    order = np.lexsort((ranks, topics.codes))
    again = np.flatnonzero((np.diff(topics.codes[order]) == 0) & (np.diff(ranks[order]) == 0))
    if len(again):
        row = int(order[again[0] + 1])
        topic = quoted(topics.ids[int(topics.codes[row])])
        raise InputError(f"{rows.at(row)}: topic {topic} has rank {ranks[row]:g} twice; -traditional orders by score")
