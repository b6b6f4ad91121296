"""The exact ideal: the best list there is, at each cutoff its own, with a proof or a limit to what may be missing.

The search itself is a kernel; see ``kernels/exact.hpp`` for how it proves. Its budget is counted in work, not in time, so
that the same input has the same certificate on any machine. Only what it leaves open goes to HiGHS, and only by the clock
that the user grants.
"""

from __future__ import annotations

import hashlib
import itertools
import queue
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Flags, Floats, Offsets
from aspectrum.errors import MetricError
from aspectrum.ideal.certificate import Ideal
from aspectrum.ideal.sought import Sought, distinct_wants, without_lists
from aspectrum.world.coverage import OwnPools

T = TypeVar("T")
R = TypeVar("R")

DEFAULT_WORK = 2.0

Progress = Callable[[int, int], None]
"""Called with lists found and lists to find."""

_progress: ContextVar[Progress | None] = ContextVar("progress of ideal lists", default=None)


@contextmanager
def reporting(progress: Progress | None) -> Iterator[None]:
    """Report on ideal lists that are looked for within."""
    before = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(before)


@dataclass(frozen=True)
class Budget:
    """How much may be spent on one ideal list.

    Args:
        work: For the search; a unit is about a second of one core, counted in operations.
        seconds: For HiGHS, where the search leaves a list open; by the clock.
    """

    work: float = DEFAULT_WORK
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Ideals:
    """The ideals of users, (users, cutoffs): those of distinct problems, and which of them each user has."""

    found: list[list[Ideal]]
    of_user: Offsets
    n_cutoffs: int

    @property
    def best(self) -> Floats:
        return self._of_users(np.array([[ideal.best for ideal in row] for row in self.found]))

    @property
    def upper(self) -> Floats:
        return self._of_users(np.array([[ideal.upper for ideal in row] for row in self.found]))

    @property
    def proved(self) -> Flags:
        return self._of_users(np.array([[ideal.proved for ideal in row] for row in self.found])) > 0

    def _of_users(self, distinct: Floats) -> Floats:
        return distinct.reshape(len(self.found), self.n_cutoffs)[self.of_user]


def exact_ideals(sought: Sought, cutoffs: Sequence[int], budget: Budget) -> Ideals:
    """The ideal of each user at each cutoff; -1 is as deep as the pool goes. Equal problems are solved once per world."""
    shown = sought.shown
    problems = Problems(sought)
    if problems.shared:
        wants, users, of_user = distinct_wants(shown)
    else:
        users = of_user = np.arange(shown.world.n_users)
        wants = []
    digests: dict[Hashable, bytes] = shown.world.remember(("ideal problems", sought.way), dict)
    known: dict[tuple[bytes, int], Ideal] = shown.world.remember(("exact", sought.rule, sought.discount, budget), dict)
    places: dict[bytes, int] = {}
    problem_of: list[int] = []
    tasks: dict[tuple[bytes, int], int] = {}  # a user who has the problem: it is made again when its turn comes, not kept
    for place, user in enumerate(users.tolist()):
        key = digests.get(wants[place]) if wants else None
        if key is None:
            key = hashlib.blake2b(problems.of(user).key, digest_size=16).digest()
            if wants:
                digests[wants[place]] = key
        problem_of.append(places.setdefault(key, len(places)))
        for cutoff in cutoffs:
            if (key, cutoff) not in known:
                tasks.setdefault((key, cutoff), user)
    stop = kernels.Stop()
    solved = _on_all_cores(lambda task: solve(problems.of(task[1]), task[0][1], sought, budget, stop)[0], list(tasks.items()), stop)
    known.update(zip(tasks, solved, strict=True))
    found = [[known[key, cutoff] for cutoff in cutoffs] for key in places]
    return Ideals(found, np.array(problem_of, dtype=np.int64)[of_user], len(cutoffs))


class Problems:
    """What each user may be given."""

    def __init__(self, sought: Sought) -> None:
        shown, pool = sought.shown, sought.pool
        if sought.rule.gamma is not None:
            raise MetricError("ideal=exact goes with gain=linear only: under gain=probabilistic the order of a list changes its sum")
        self.shared = not isinstance(pool, OwnPools) and pool.excluded_offsets is None
        self._problems: kernels.PoolProblems | kernels.CatalogueProblems
        if isinstance(pool, OwnPools):
            self._problems = kernels.PoolProblems(shown.kernel, pool.offsets, pool.rows)
        else:
            self._problems = kernels.CatalogueProblems(
                without_lists(shown, shown.interests, shown.wanted, shown.world.n_users),
                pool.sets,
                pool.member_offsets,
                pool.member_heads,
                shown.world.truth.n_items,
                pool.excluded_offsets,
                pool.excluded_heads,
            )

    def of(self, user: int) -> kernels.Problem:
        return self._problems.of(user)


def solve_one(problem: kernels.Problem, cutoff: int, sought: Sought, budget: Budget) -> tuple[Ideal, Sequence[int]]:
    """The same as :func:`solve`; an interruption ends it."""
    stop = kernels.Stop()
    return _on_all_cores(lambda one: solve(one, cutoff, sought, budget, stop), [problem], stop)[0]


def solve(
    problem: kernels.Problem, cutoff: int, sought: Sought, budget: Budget, stop: kernels.Stop | None = None
) -> tuple[Ideal, Sequence[int]]:
    """The ideal of one problem, and the sets of its list: by the search, else by HiGHS if there is time for it."""
    depth = problem.n_items if cutoff < 0 else min(cutoff, problem.n_items)
    discounts = sought.discount.first(depth)
    found = problem.solve(depth, discounts, sought.rule.alpha, budget.work, stop)
    ideal = Ideal(found.best, found.upper, "search" if found.proved else None, found.work)
    if found.proved or budget.seconds <= 0 or problem.strengths is not None:
        return ideal, found.list
    from aspectrum.ideal.highs import solve_by_highs

    return solve_by_highs(problem, discounts[: found.depth], sought.rule.alpha, ideal, found.list, budget.seconds)


def _on_all_cores(work: Callable[[T], R], tasks: Sequence[T], stop: kernels.Stop) -> list[R]:
    """The result of each task. When this is interrupted the threads stop as soon as they can; HiGHS only when its time is up."""
    progress = _progress.get()
    numbers = itertools.count()
    done: queue.SimpleQueue[tuple[int, R | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            for number in numbers:
                if number >= len(tasks) or stop.is_set():
                    return
                done.put((number, work(tasks[number]), None))
        except BaseException as error:
            done.put((-1, None, error))

    threads = [threading.Thread(target=run) for _ in range(min(kernels.threads(), len(tasks)))]
    results: dict[int, R] = {}
    try:
        for thread in threads:
            thread.start()
        while len(results) < len(tasks):
            number, result, error = done.get()
            if error is not None:
                raise error
            results[number] = result  # type: ignore[assignment]
            if progress is not None:
                progress(len(results), len(tasks))
    finally:
        if len(results) < len(tasks):
            stop.set()
        for thread in threads:
            if thread.ident is not None:  # it was started
                thread.join()
    return [results[number] for number in range(len(tasks))]
