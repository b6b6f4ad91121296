"""The best list there could be: greedy, or exact with a proof."""

from aspectrum.ideal.context import against_best_coverage, against_context, check_best_coverage
from aspectrum.ideal.exact import Budget, exact_ideals, reporting
from aspectrum.ideal.gains import Gains, gains
from aspectrum.ideal.greedy import greedy_lists, greedy_sums
from aspectrum.ideal.request import HasIdeal, Ideal, IdealRequest
from aspectrum.ideal.scoring import IdealKind, against_ideal, budget_of, check_ideal, ideal_details

__all__ = [
    "Budget",
    "Gains",
    "HasIdeal",
    "Ideal",
    "IdealKind",
    "IdealRequest",
    "against_best_coverage",
    "against_context",
    "against_ideal",
    "budget_of",
    "check_best_coverage",
    "check_ideal",
    "exact_ideals",
    "gains",
    "greedy_lists",
    "greedy_sums",
    "ideal_details",
    "reporting",
]
