"""What the search leaves open, as an integer program for HiGHS (``scipy.optimize.milp``).

``x[s, j]`` places set s at rank j; ``y[i, j]`` counts how often aspect i was shown up to rank j; ``z[i, c, j]`` is 1 if that is
more than c times. Maximised is the sum over ranks of (d_j - d_j+1) w_i (1-alpha)^c z[i, c, j].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats, Offsets
from aspectrum.extras import needed
from aspectrum.ideal.certificate import EXACT, Ideal


def solve_by_highs(
    problem: kernels.Problem, discounts: Floats, alpha: float, known: Ideal, known_list: Sequence[int], seconds: float
) -> tuple[Ideal, Sequence[int]]:
    """What is known after so many seconds more, and the best list.

    Lists that are not better than the best one known are cut off. HiGHS proves to its own tolerance, about six digits.
    """
    if len(problem.copies) > _MOST_SETS or len(problem.copies) * len(discounts) > _MOST_PLACES:
        return known, known_list
    optimize = needed("scipy.optimize", "exact", "ideal lists that the search leaves open are looked for")
    sparse = needed("scipy.sparse", "exact", "ideal lists that the search leaves open are looked for")
    numbers, sets, copies = _undominated(problem, len(discounts))
    n, m, k = len(sets), len(problem.weights), len(discounts)
    steps = discounts - np.append(discounts[1:], 0.0)
    powers = np.cumprod(np.append(1.0, np.full(k - 1, 1.0 - alpha)))
    # z exists for c <= j, as far as there are items with the aspect
    counts = np.minimum(copies @ sets, k)
    aspects, times, ranks = (places.ravel() for places in np.meshgrid(np.arange(m), np.arange(k), np.arange(k), indexing="ij"))
    real = (times <= ranks) & (times < counts[aspects])
    aspects, times, ranks = aspects[real], times[real], ranks[real]
    n_x, n_y, n_z = n * k, m * k, len(aspects)
    # HiGHS stops at a gap of 1e-6: in units of which the best list has 100 millions, that is no more than rounding
    unit = known.best / 100.0 if known.best > 0 else 1.0
    gains = np.concatenate([np.zeros(n_x + n_y), steps[ranks] * problem.weights[aspects] * powers[times]]) / unit
    eye = sparse.identity
    one_set_per_rank = sparse.hstack([sparse.kron(np.ones((1, n)), eye(k)), sparse.csr_matrix((k, n_y + n_z))])
    as_many_as_there_are = sparse.hstack([sparse.kron(eye(n), np.ones((1, k))), sparse.csr_matrix((n, n_y + n_z))])
    growing = sparse.kron(eye(m), eye(k) - sparse.eye(k, k=-1))
    counted = sparse.hstack([sparse.kron(sets.T, eye(k)), -growing, sparse.csr_matrix((n_y, n_z))])
    reached = sparse.csr_matrix((np.ones(n_z), (aspects * k + ranks, np.arange(n_z))), shape=(n_y, n_z))
    within = sparse.hstack([sparse.csr_matrix((n_y, n_x)), -eye(n_y), reached])
    better = sparse.csr_matrix(gains)
    solution = optimize.milp(
        -gains,
        constraints=[
            optimize.LinearConstraint(one_set_per_rank.tocsr(), -np.inf, 1),
            optimize.LinearConstraint(as_many_as_there_are.tocsr(), -np.inf, copies),
            optimize.LinearConstraint(counted.tocsr(), 0, 0),
            optimize.LinearConstraint(within.tocsr(), -np.inf, 0),
            optimize.LinearConstraint(better, known.best / unit * (1 - 1e-7), np.inf),
        ],
        integrality=np.concatenate([np.ones(n_x), np.zeros(n_y + n_z)]),
        bounds=optimize.Bounds(0, np.concatenate([np.ones(n_x), np.full(n_y, k), np.ones(n_z)])),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    best, best_list, upper = known.best, known_list, known.upper
    if solution.x is not None:
        placed = np.rint(solution.x[:n_x]).reshape(n, k)
        places = [place for rank in range(k) for place in np.flatnonzero(placed[:, rank]).tolist()]
        value = _value(sets[places], problem.weights, discounts, 1.0 - alpha)
        if value > best * (1 + EXACT):
            best, best_list = min(value, known.upper), numbers[places].tolist()
    if solution.status == 0:
        return Ideal(best, min(known.upper, best * (1 + _DIGITS)), "HiGHS", known.work), best_list
    if solution.mip_dual_bound is not None:
        upper = min(upper, max(best, -float(solution.mip_dual_bound) * unit))
    return Ideal(best, max(best, upper), None, known.work), best_list


_DIGITS = 1e-6
"""To this share of the best list HiGHS proves."""

_MOST_SETS, _MOST_PLACES = 4_000, 100_000
"""Sets, and sets x ranks, beyond which the program would take more memory than it is worth."""


def _undominated(problem: kernels.Problem, k: int) -> tuple[Offsets, Floats, Floats]:
    """Numbers of sets, the sets as rows of 0 and 1, and their copies; without those that larger ones can always stand in for."""
    n, m = len(problem.copies), len(problem.weights)
    sets = np.zeros((n, m))
    sets[np.repeat(np.arange(n), np.diff(problem.offsets)), problem.aspects] = 1.0
    copies = np.minimum(problem.copies, k).astype(np.float64)
    sizes = sets.sum(1)
    larger = (sets @ sets.T == sizes[:, np.newaxis]) & (sizes > sizes[:, np.newaxis])
    kept = larger @ copies < k
    return np.flatnonzero(kept), sets[kept], copies[kept]


def _value(listed: Floats, weights: Floats, discounts: Floats, beta: float) -> float:
    """What a list of sets gains, added up from the list itself: HiGHS rounds."""
    left, value = weights.copy(), 0.0
    for discount, row in zip(discounts, listed, strict=False):
        value += float(discount) * float(row @ left)
        left = left * np.where(row > 0, beta, 1.0)
    return value
