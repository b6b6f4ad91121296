"""What the search leaves open, as an integer program for HiGHS (``scipy.optimize.milp``).

``x[s, j]`` places set s at rank j; ``y[i, j]`` counts how often aspect i was shown up to rank j; ``z[i, c, j]`` is 1 if that is
more than c times. Maximised is the sum over ranks of (d_j - d_j+1) w_i (1-alpha)^c z[i, c, j].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats, Offsets
from aspectrum.ideal.request import EXACT, Ideal

_DIGITS = 1e-6
"""HiGHS proves to within this share of the best list."""

_MOST_SETS, _MOST_PLACES = 4_000, 100_000
"""Sets, and sets x ranks, beyond which the program would take more memory than it is worth."""


def solve_by_highs(
    problem: kernels.Problem, discounts: Floats, alpha: float, known: Ideal, known_list: Sequence[int], seconds: float
) -> tuple[Ideal, Sequence[int]]:
    """What is known after so many seconds more, and the best list.

    Lists that are not better than the best one known are cut off. HiGHS proves to its own tolerance, about six digits.
    """
    if len(problem.copies) > _MOST_SETS or len(problem.copies) * len(discounts) > _MOST_PLACES:
        return known, known_list
    program = _Program(problem, discounts, alpha)
    # HiGHS stops at a gap of 1e-6; in units of which the best list has 100 million, that is no more than rounding.
    unit = known.best / 100.0 if known.best > 0 else 1.0
    solution = program.maximise(unit, known.best / unit * (1 - 1e-7), seconds)
    best, best_list, upper = known.best, known_list, known.upper
    if solution.x is not None:
        places = program.listed(solution.x)
        value = _value(program.sets[places], problem.weights, discounts, 1.0 - alpha)
        if value > best * (1 + EXACT):
            best, best_list = min(value, known.upper), program.numbers[places].tolist()
    if solution.status == 0:
        return Ideal(best, min(known.upper, best * (1 + _DIGITS)), "HiGHS", known.work), best_list
    if solution.mip_dual_bound is not None:
        upper = min(upper, max(best, -float(solution.mip_dual_bound) * unit))
    return Ideal(best, max(best, upper), None, known.work), best_list


class _Program:
    """The integer program of a problem, in the variables x, y and z of this module's docstring."""

    def __init__(self, problem: kernels.Problem, discounts: Floats, alpha: float) -> None:
        self.numbers, self.sets, self._copies = _undominated(problem, len(discounts))
        self._n_sets, self._n_aspects, self._n_ranks = len(self.sets), len(problem.weights), len(discounts)
        k = self._n_ranks
        # z exists for c <= j, as far as there are items with the aspect
        counts = np.minimum(self._copies @ self.sets, k)
        aspects, times, ranks = np.indices((self._n_aspects, k, k)).reshape(3, -1)
        exists = (times <= ranks) & (times < counts[aspects])
        self._aspects, times, self._ranks = aspects[exists], times[exists], ranks[exists]
        steps = discounts - np.append(discounts[1:], 0.0)
        powers = np.cumprod(np.append(1.0, np.full(k - 1, 1.0 - alpha)))
        self._gains = steps[self._ranks] * problem.weights[self._aspects] * powers[times]

    def maximise(self, unit: float, least: float, seconds: float) -> Any:
        """What ``scipy.optimize.milp`` finds; gains are counted in units, and lists that gain less than `least` are cut off."""
        from scipy import optimize

        n_x, n_y, n_z = self._n_sets * self._n_ranks, self._n_aspects * self._n_ranks, len(self._gains)
        gains = np.concatenate([np.zeros(n_x + n_y), self._gains]) / unit
        bounds = [*self._constraints(n_x, n_y, n_z), (gains[np.newaxis, :], least, np.inf)]
        return optimize.milp(
            -gains,
            constraints=[optimize.LinearConstraint(*bound) for bound in bounds],
            integrality=np.repeat([1.0, 0.0], [n_x, n_y + n_z]),
            bounds=optimize.Bounds(0, np.repeat([1.0, self._n_ranks, 1.0], [n_x, n_y, n_z])),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )

    def _constraints(self, n_x: int, n_y: int, n_z: int) -> list[tuple[Any, Any, Any]]:
        """Matrices with the least and the most of each row."""
        from scipy import sparse

        n, m, k = self._n_sets, self._n_aspects, self._n_ranks
        eye, empty = sparse.identity, sparse.csr_matrix
        one_set_per_rank = [sparse.kron(np.ones((1, n)), eye(k)), empty((k, n_y + n_z))]
        as_many_as_there_are = [sparse.kron(eye(n), np.ones((1, k))), empty((n, n_y + n_z))]
        growing = sparse.kron(eye(m), eye(k) - sparse.eye(k, k=-1))
        counted = [sparse.kron(self.sets.T, eye(k)), -growing, empty((n_y, n_z))]
        reached = empty((np.ones(n_z), (self._aspects * k + self._ranks, np.arange(n_z))), shape=(n_y, n_z))
        within = [empty((n_y, n_x)), -eye(n_y), reached]
        limits = ((one_set_per_rank, -np.inf, 1), (as_many_as_there_are, -np.inf, self._copies), (counted, 0, 0), (within, -np.inf, 0))
        return [(sparse.hstack(parts, format="csr"), least, most) for parts, least, most in limits]

    def listed(self, x: Floats) -> list[int]:
        """The places of the sets that a solution lists, by rank."""
        placed = np.rint(x[: self._n_sets * self._n_ranks]).reshape(self._n_sets, self._n_ranks)
        return np.nonzero(placed.T)[1].tolist()


def _undominated(problem: kernels.Problem, k: int) -> tuple[Offsets, Floats, Floats]:
    """Numbers of sets, the sets as rows of 0 and 1, and their copies; without sets that a larger one can always replace."""
    n, m = len(problem.copies), len(problem.weights)
    sets = np.zeros((n, m))
    sets[np.repeat(np.arange(n), np.diff(problem.offsets)), problem.aspects] = 1.0
    copies = np.minimum(problem.copies, k).astype(np.float64)
    sizes = sets.sum(1)
    larger = (sets @ sets.T == sizes[:, np.newaxis]) & (sizes > sizes[:, np.newaxis])
    kept = larger @ copies < k
    return np.flatnonzero(kept), sets[kept], copies[kept]


def _value(listed: Floats, weights: Floats, discounts: Floats, beta: float) -> float:
    """Discounted gains of a list of sets, summed from the list itself because HiGHS rounds."""
    left, value = weights.copy(), 0.0
    for discount, row in zip(discounts, listed, strict=False):
        value += float(discount) * float(row @ left)
        left = left * np.where(row > 0, beta, 1.0)
    return value
