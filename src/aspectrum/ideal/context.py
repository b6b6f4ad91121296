"""The best context: the documents of a pool that gain, or cover, most within a number of tokens, with a proof or an upper bound.

Choosing them is a knapsack of coverage, and NP-hard. The gains of an ordered context are searched as those of ideal lists are, see
``kernels/exact.hpp``; its coverage by branch and bound, see ``kernels/best_coverage.hpp``. A greedy choice is never the denominator.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.errors import MetricError
from aspectrum.ideal.exact import Budget, Ideals, on_all_cores, solve
from aspectrum.ideal.greedy import items_at
from aspectrum.ideal.request import EXACT, Ideal, IdealRequest, distinct_interests, distinct_keys
from aspectrum.judging import OwnPools
from aspectrum.metric import Fractions
from aspectrum.world.aspects import Subtopics
from aspectrum.world.lengths import Context
from aspectrum.world.truth import needed
from aspectrum.world.world import no_length


def against_context(reached: Floats, request: IdealRequest, budget: Budget) -> Fractions:
    """The gains of lists that were cut at a number of tokens, over those of the best context."""
    context = _context_of(request)

    def compute(problem: kernels.Problem, stop: kernels.Stop) -> Ideal:
        return solve(problem, problem.n_fitting, request, budget, stop)[0]

    return _against(reached, request, _ideals(request, context, f"exact {request.rule} {request.discount} {budget}", compute))


_ASKS_FOR_ALL = "the best coverage is not known where questions ask for several answers (AND)"


def check_best_coverage(subtopics: Subtopics | None, metric: str, instead: str) -> None:
    """That the most that fits can be found: each aspect of these subtopics is one of its own.

    Args:
        metric: What the user asked for.
        instead: What would do.
    """
    if subtopics is not None and subtopics.nuggets is not None:
        raise MetricError(f"{metric}: {_ASKS_FOR_ALL}; {instead}, or give nuggets without AND")


def against_best_coverage(covered: Floats, request: IdealRequest, budget: Budget) -> Fractions:
    """The weight that lists cover which were cut at a number of tokens, over the most that fits."""
    context = _context_of(request)
    if request.coverage.judging.questions() is not None:
        raise MetricError(_ASKS_FOR_ALL)  # which metrics say before

    def compute(problem: kernels.Problem, stop: kernels.Stop) -> Ideal:
        found = problem.best_coverage(budget.work, stop)
        return Ideal(found.best, found.upper, "search" if found.proved else None, found.work)

    return _against(covered, request, _ideals(request, context, f"coverage {budget}", compute))


def _context_of(request: IdealRequest) -> Context:
    context = request.coverage.world.context
    assert context is not None
    return context


def _against(reached: Floats, request: IdealRequest, ideals: Ideals) -> Fractions:
    """As :func:`aspectrum.ideal.scoring.against_ideal`, but a list that exceeds the budget is no context that replaces the best one."""
    best, upper = ideals.best, ideals.upper
    is_context = request.holds_lists and _context_of(request).partial in ("drop", "skip")
    highest = upper if is_context else best
    as_good = (reached >= best * (1.0 - EXACT)) & (reached <= highest * (1.0 + EXACT)) & (reached > 0)
    best = np.where(as_good, reached, best)
    return Fractions(reached, best, upper_denominators=np.maximum(best, upper), proved=ideals.proved)


def _ideals(request: IdealRequest, context: Context, kind: str, compute: Callable[[kernels.Problem, kernels.Stop], Ideal]) -> Ideals:
    """The best context of each user, (users, 1). Equal problems are solved once per world."""
    problems = _problems(request, context.tokens)
    distinct: Sequence[Hashable]
    if isinstance(request.pool, OwnPools):
        distinct, first, places = distinct_keys(_digest(problems.of(user)) for user in range(request.coverage.world.n_users))
    else:  # a problem is as large as the catalogue, and interests tell one from another
        distinct, first, places = distinct_interests(request.coverage)
        kind = f"{kind} {request.kind} {context.tokens}"
    users = dict(zip(distinct, first.tolist(), strict=True))
    stop = kernels.Stop()

    def solved(missing: Sequence[Hashable]) -> list[Ideal]:
        return on_all_cores(lambda key: compute(problems.of(users[key]), stop), missing, stop)

    found = request.memory.find(f"context {kind}", distinct, solved)
    rows = [[found[key]] for key in distinct]
    known = np.array([(ideal.best, ideal.upper, ideal.proved) for (ideal,) in rows], dtype=np.float64).reshape(len(rows), 3)[places]
    best, upper, proved = (known[:, [column]] for column in range(3))
    return Ideals(rows, best, upper, proved > 0)


def _digest(problem: kernels.Problem) -> bytes:
    return hashlib.blake2b(problem.key, digest_size=16).digest()


def _problems(request: IdealRequest, tokens: int) -> kernels.ContextProblems:
    """What the best context of each user is chosen from."""
    pool, coverage, world = request.pool, request.coverage, request.coverage.world
    if isinstance(pool, OwnPools):
        rows, offsets = pool.rows, pool.offsets
        items = rows if coverage.row_items is None else np.append(coverage.row_items, np.int32(-1))[rows]
        cover = coverage.kernel
    elif pool.excluded_offsets is None:
        rows = np.repeat(pool.sets, np.diff(pool.member_offsets))
        offsets, items = np.array([0, len(rows)]), items_at(world, pool.member_heads)
        cover = coverage.without_lists(world.n_users, coverage.interests, coverage.wanted)
    else:
        raise MetricError("pool=unseen does not go with cutoffs in tokens, unless it is of judged documents: give pool=catalogue or judged")
    given = np.append(needed(world.truth.lengths, "lengths", "the best context").tokens, np.int64(0))
    lengths = np.where(rows >= 0, given[items], 0)
    shows = np.append(np.diff(coverage.sets.offsets) > 0, False)[rows] & (rows >= 0)
    without = np.unique(items[shows & (lengths == 0)])
    if len(without):
        raise no_length(world.truth, world.items[int(without[0])], len(without) - 1, "the pool")
    return kernels.ContextProblems(cover, offsets, rows, lengths, tokens, not isinstance(pool, OwnPools))
