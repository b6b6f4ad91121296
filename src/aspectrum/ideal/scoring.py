"""Scores relative to the ideal list, greedy or exact; shared by all metrics that have one."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.ideal.exact import Budget, exact_ideals
from aspectrum.ideal.greedy import greedy_sums
from aspectrum.ideal.request import EXACT, HasIdeal, IdealRequest
from aspectrum.metric import Ends, Fractions, Metric, check_goes_with, check_not_negative
from aspectrum.world import Truth

IdealKind = Literal["greedy", "exact"]


def against_ideal(metric: HasIdeal, reached: Floats, request: IdealRequest, ends: Ends | None = None) -> Fractions:
    """The gains of lists over those of the ideal lists.

    An exact ideal is known to within :data:`EXACT`; a list as close as that scores 1. Where the ideal is not proved, a list
    from the pool that is better than the best one found replaces it; where lists have several orders, the best of these.
    """
    if metric.ideal == "greedy":
        return Fractions(reached, greedy_sums(request, metric.cutoffs), ends=ends)
    found = exact_ideals(request, metric.cutoffs, budget_of(metric))
    best, upper = found.best, found.upper
    if not found.proved.all():  # the search breaks ties differently, and may have got less far than the greedy list
        best = np.where(found.proved, best, np.maximum(best, np.minimum(greedy_sums(request, metric.cutoffs), upper)))
    highest = upper if request.holds_lists else best
    top = reached if ends is None else np.where(ends.sure, ends.greatest, reached)
    as_good = (top >= best * (1.0 - EXACT)) & (top <= highest * (1.0 + EXACT))
    best = np.where(as_good, top, best)
    if ends is not None and request.holds_lists:
        ends = ends.at_most(best, found.proved)
    return Fractions(reached, best, upper_denominators=np.maximum(best, upper), proved=found.proved, ends=ends)


def budget_of(metric: HasIdeal) -> Budget:
    """The budget of each of a metric's ideal lists."""
    return Budget(Budget.work if metric.budget is None else metric.budget, metric.seconds or 0.0)


def check_ideal(metric: Metric) -> None:
    """Parameters of an exact ideal are set only with one, and are not negative."""
    for name in ("budget", "seconds"):
        check_goes_with(metric, name, "ideal", "exact")
        check_not_negative(metric, name)


def ideal_details(metric: HasIdeal, truth: Truth) -> Mapping[str, Any]:
    """The tie rule of a greedy ideal, which an exact one does not depend on; the budget of an exact ideal."""
    if metric.ideal == "exact":
        return {"budget": budget_of(metric).work}
    return {"ties": truth.items.tie_rule} if metric.ideal == "greedy" else {}
