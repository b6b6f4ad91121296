"""The exact ideal: the best list there is, for each cutoff separately, with a proof or an upper bound.

The search is a kernel; see ``kernels/exact.hpp`` for how it proves. Its budget is counted in work, not in time, so that the
same input has the same certificate on any machine. Only lists that it leaves open go to HiGHS, which is limited by time.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Flags, Floats, Offsets
from aspectrum.errors import MetricError
from aspectrum.ideal.request import Ideal, IdealRequest, distinct_interests, distinct_keys
from aspectrum.judging import OwnPools

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[int, int], None]
"""Called with lists found and lists to find."""

_progress: ContextVar[Progress | None] = ContextVar("progress of ideal lists", default=None)


@contextmanager
def reporting(progress: Progress | None) -> Iterator[None]:
    """Report the progress of the ideal lists found within."""
    before = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(before)


@dataclass(frozen=True)
class Budget:
    """The budget of one ideal list: for the search, and by the clock for HiGHS, where the search leaves a list open."""

    work: float = 2.0  # a unit is about a second of one core, counted in operations
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Ideals:
    """Ideals at each cutoff: those of each distinct problem, and what is known of each user's, (users, cutoffs)."""

    found: list[list[Ideal]]
    best: Floats
    upper: Floats
    proved: Flags


def exact_ideals(request: IdealRequest, cutoffs: Sequence[int], budget: Budget) -> Ideals:
    """The ideal of each user at each cutoff; -1 is as deep as the pool goes. Equal problems are solved once per world."""
    problems = problems_of(request)
    digests, of_user = _distinct_problems(request, problems.of)
    stop = kernels.Stop()

    def compute(missing: list[tuple[bytes, int]]) -> list[Ideal]:
        # A problem is made again when its turn comes, not kept until then: there may be one for every user.
        return on_all_cores(lambda task: solve(problems.of(digests[task[0]]), task[1], request, budget, stop)[0], missing, stop)

    tasks = [(digest, cutoff) for digest in digests for cutoff in cutoffs]
    found = request.memory.find(f"exact {request.rule} {request.discount} {budget}", tasks, compute)
    rows = [[found[digest, cutoff] for cutoff in cutoffs] for digest in digests]
    known = np.array([[(ideal.best, ideal.upper, ideal.proved) for ideal in row] for row in rows], dtype=np.float64)
    best, upper, proved = np.moveaxis(known.reshape(len(rows), len(cutoffs), 3)[of_user], -1, 0)
    return Ideals(rows, best, upper, proved > 0)


def _distinct_problems(request: IdealRequest, problem_of: Callable[[int], kernels.Problem]) -> tuple[dict[bytes, int], Offsets]:
    """The digest of each distinct problem with the first user who has it, and the place of each user's problem among them."""

    def digest(user: int) -> bytes:
        return hashlib.blake2b(problem_of(user).key, digest_size=16).digest()

    if not isinstance(request.pool, OwnPools) and request.pool.excluded_offsets is None:
        keys, first, same = distinct_interests(request.coverage)
        users = dict(zip(keys, first.tolist(), strict=True))
        found = request.memory.find(f"problem {request.kind}", keys, lambda missing: [digest(users[key]) for key in missing])
        digests = [found[key] for key in keys]
    else:
        first = same = np.arange(request.coverage.world.n_users)
        digests = [digest(user) for user in first.tolist()]
    distinct, at, places = distinct_keys(digests)
    return dict(zip(distinct, first[at].tolist(), strict=True)), places[same]


def problems_of(request: IdealRequest) -> kernels.PoolProblems | kernels.CatalogueProblems:
    """The problem of each user: what the ideal list chooses from, and what it is worth."""
    coverage, pool = request.coverage, request.pool
    if request.rule.gamma is not None:
        raise MetricError("ideal=exact goes with gain=linear only: under gain=probabilistic the order of a list changes its sum")
    if isinstance(pool, OwnPools):
        return kernels.PoolProblems(coverage.kernel, pool.offsets, pool.rows)
    users = coverage.without_lists(coverage.world.n_users, coverage.interests, coverage.wanted)
    return kernels.CatalogueProblems(users, *pool.parts)


def solve_one(problem: kernels.Problem, cutoff: int, request: IdealRequest, budget: Budget) -> tuple[Ideal, Sequence[int]]:
    """Like :func:`solve`, but can be interrupted."""
    stop = kernels.Stop()
    return on_all_cores(lambda one: solve(one, cutoff, request, budget, stop), [problem], stop)[0]


def solve(
    problem: kernels.Problem, cutoff: int, request: IdealRequest, budget: Budget, stop: kernels.Stop | None = None
) -> tuple[Ideal, Sequence[int]]:
    """The ideal of one problem, and the sets of its list: by the search, else by HiGHS if it was given time."""
    depth = problem.n_items if cutoff < 0 else min(cutoff, problem.n_items)
    discounts = request.discount.first(depth)
    found = problem.solve(depth, discounts, request.rule.alpha, budget.work, stop)
    ideal = Ideal(found.best, found.upper, "search" if found.proved else None, found.work)
    if found.proved or budget.seconds <= 0 or problem.strengths is not None:
        return ideal, found.list
    from aspectrum.ideal.highs import solve_by_highs

    return solve_by_highs(problem, discounts[: found.depth], request.rule.alpha, ideal, found.list, budget.seconds)


def on_all_cores(work: Callable[[T], R], tasks: Sequence[T], stop: kernels.Stop) -> list[R]:
    """The result of each task. On an interrupt the threads stop as soon as they can; HiGHS only when its time is up."""
    progress = _progress.get()
    found: list[Future[R]] = [Future() for _ in tasks]
    waiting = deque(zip(found, tasks, strict=True))

    def work_on() -> None:
        with suppress(IndexError):  # nothing is waiting any more
            while True:
                future, task = waiting.popleft()
                try:
                    future.set_result(work(task))
                except BaseException as error:
                    waiting.clear()
                    future.set_exception(error)

    threads: list[Thread] = []
    try:
        _start(threads, work_on, min(kernels.threads(), len(tasks)))
        if not threads:
            work_on()
        for n_done, one in enumerate(as_completed(found), 1):
            one.result()
            if progress is not None:
                progress(n_done, len(tasks))
    except BaseException:
        stop.set()
        waiting.clear()
        raise
    finally:
        for thread in threads:
            thread.join()
    return [one.result() for one in found]


def _start(threads: list[Thread], work: Callable[[], None], n: int) -> None:
    """Start at most n threads: as many as the machine gives."""
    with suppress(RuntimeError):
        for _ in range(n):
            thread = Thread(target=work)
            thread.start()
            threads.append(thread)
