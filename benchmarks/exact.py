"""Exact ideals: how many are proved, how long one takes, how far greedy falls short; against HiGHS on the same problems.

With ``ASPECTRUM_DATA`` set to a folder that holds ``trec_web/qrels/*.qrels`` and ``ml_latest_small/{item_genres,train}.parquet``,
on these; else on simulated judgments and on the data of ``aspectrum demo``.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import aspectrum as asp
from aspectrum import demo, kernels
from aspectrum.discounts import LOG2
from aspectrum.ideal import Ideal, IdealRequest
from aspectrum.ideal.exact import Budget, problems_of, solve
from aspectrum.ideal.highs import solve_by_highs

TOPIC_FILES = ("wt09.diversity", "wt10.diversity", "wt11.diversity", "wt12.ndeval")
COFFEE_BREAK = Budget(work=60.0, seconds=60.0)


def run() -> bool:
    folder = os.environ.get("ASPECTRUM_DATA")
    topics = _trec(Path(folder)) if folder else _simulated_topics()
    print(f"exact ideals of {len(topics)} topics ({'TREC Web 2009 to 2012' if folder else 'simulated'}), judged by subtopics", flush=True)
    reached = True
    for k in (5, 10, 20):
        for alpha in (0.5, 0.9, 1.0):
            reached &= _table(topics, k, alpha, Budget(), 1.0)
    tastes = _movielens(Path(folder)) if folder else _simulated_tastes()
    print(f"exact ideals of {len(tastes)} sets of interests ({'MovieLens' if folder else 'aspectrum demo'}), judged by history", flush=True)
    reached &= _table(tastes, 10, 0.5, Budget(), 25.0)
    reached &= _table(tastes, 20, 0.5, COFFEE_BREAK, None)
    _table(tastes, 20, 0.9, COFFEE_BREAK, None)
    return reached & _against_highs(tastes[:: max(1, len(tastes) // 8)], 10)


@dataclass(frozen=True)
class _Solved:
    ideal: Ideal
    greedy: float
    cpu: float


def _table(problems: Sequence[tuple[IdealRequest, kernels.Problem]], k: int, alpha: float, budget: Budget, aim: float | None) -> bool:
    solved = [_solved(request, problem, k, alpha, budget) for request, problem in problems]
    by = [one.ideal.proved_by for one in solved]
    gaps = [one.ideal.upper / one.ideal.best - 1.0 for one in solved]
    short = np.array([1.0 - one.greedy / one.ideal.best for one in solved])
    times = 1e3 * np.array([one.cpu for one in solved])
    quantiles = "  ".join(
        f"{name} {np.quantile(times, q):.2f}" for name, q in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("max", 1.0))
    )
    reached = None not in by and (aim is None or float(np.median(times)) < aim)
    wanted = "all proved" if aim is None else f"all proved, median under {aim:g} ms"
    print(
        f"  k={k:<3} alpha={alpha:<4} by search {by.count('search')}, by HiGHS {by.count('HiGHS')}, open {by.count(None)}, "
        f"widest gap {max(gaps):.1e}   ms: {quantiles}   greedy short in {(short > 1e-12).sum()}, by up to {100 * short.max():.2f} %   "
        f"(aim: {wanted})   {'reached' if reached else 'MISSED'}",
        flush=True,
    )
    return reached


def _solved(request: IdealRequest, problem: kernels.Problem, k: int, alpha: float, budget: Budget) -> _Solved:
    request = IdealRequest(request.coverage, request.pool_name, type(request.rule)(alpha), request.discount)
    start = time.thread_time()
    ideal, _ = solve(problem, k, request, budget)
    cpu = time.thread_time() - start
    depth = min(k, problem.n_items)
    return _Solved(ideal, problem.solve(depth, LOG2.first(depth), alpha, 0.0).greedy, cpu)


def _against_highs(problems: Sequence[tuple[IdealRequest, kernels.Problem]], k: int) -> bool:
    """The same problems, each from nothing; HiGHS on one thread, with what can be left out left out."""
    ours = theirs = 0.0
    for request, problem in problems:
        start = time.thread_time()
        mine, _ = solve(problem, k, request, Budget(10.0))
        ours += time.thread_time() - start
        start = time.process_time()
        other, _ = solve_by_highs(problem, LOG2.first(k)[:k], 0.5, Ideal(0.0, np.inf, None, 0.0), [], 120.0)
        theirs += time.process_time() - start
        assert mine.proved
        assert not other.proved or abs(mine.best - other.best) < 1e-6 * mine.best, (mine, other)
    ratio = theirs / ours
    print(
        f"  {len(problems)} of them at k={k}, alpha=0.5: search {ours:.3f} s CPU, HiGHS {theirs:.3f} s CPU, {ratio:.0f} x less CPU (aim: 10)   "
        f"{'reached' if ratio >= 10 else 'MISSED'}",
        flush=True,
    )
    return ratio >= 10


def _trec(folder: Path) -> list[tuple[IdealRequest, kernels.Problem]]:
    found = []
    for name in TOPIC_FILES:
        world = asp.World.of({}, subtopics=folder / "trec_web" / "qrels" / f"{name}.qrels")
        found += _problems(world, asp.AlphaNDCG())
    return found


def _movielens(folder: Path) -> list[tuple[IdealRequest, kernels.Problem]]:
    files = folder / "ml_latest_small"
    return _problems(asp.World.of({}, aspects=files / "item_genres.parquet", history=files / "train.parquet"), asp.AlphaNDCG())


def _simulated_topics() -> list[tuple[IdealRequest, kernels.Problem]]:
    random = np.random.default_rng(2009)
    subtopics: dict[str, dict[str, list[int]]] = {}
    for topic in range(198):
        share = random.beta(0.6, 3.0, random.integers(3, 9))
        marks = random.random((random.integers(20, 300), len(share))) < share
        subtopics[f"topic{topic}"] = {f"doc{row}": np.flatnonzero(one).tolist() for row, one in enumerate(marks) if one.any()}
    return _problems(asp.World.of({}, subtopics=subtopics), asp.AlphaNDCG())


def _simulated_tastes() -> list[tuple[IdealRequest, kernels.Problem]]:
    world = demo.simulate()
    aspects = {item: np.flatnonzero(row).tolist() for item, row in enumerate(world.genres)}
    history = {user: np.flatnonzero(row).tolist() for user, row in enumerate(world.history)}
    return _problems(asp.World.of({}, aspects=aspects, history=history), asp.AlphaNDCG())


def _problems(world: asp.World, metric: asp.AlphaNDCG) -> list[tuple[IdealRequest, kernels.Problem]]:
    """The distinct problems of users who have something to gain."""
    request = metric.resolved(world.truth).ideal_request(world)
    assert request is not None
    problems = problems_of(request)
    distinct = {problem.key: problem for problem in (problems.of(user) for user in range(world.n_users)) if problem.n_items}
    return [(request, problem) for problem in distinct.values()]
