"""Scores against the ideal list, greedy or exact: what the metrics that have one share."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.errors import MetricError
from aspectrum.ideal.certificate import EXACT
from aspectrum.ideal.exact import DEFAULT_WORK, Budget, exact_ideals
from aspectrum.ideal.greedy import greedy_sums
from aspectrum.ideal.sought import Sought
from aspectrum.metric import Metric, Terms, check_goes_with
from aspectrum.world import Truth

IdealKind = Literal["greedy", "exact"]


class AgainstIdeal(Protocol):
    """What a metric with an ideal list says of it."""

    @property
    def ideal(self) -> str | None: ...
    @property
    def budget(self) -> float | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def cutoffs(self) -> tuple[int, ...]: ...


def against_ideal(metric: AgainstIdeal, reached: Floats, sought: Sought) -> Terms:
    """What lists have reached, over what the ideal lists reach.

    An exact ideal is known to :data:`EXACT`; a list that comes as close scores 1. Where the ideal is not proved, a list of the
    pool that is better than the best one found takes its place.
    """
    if metric.ideal == "greedy":
        return Terms(reached, greedy_sums(sought, metric.cutoffs))
    found = exact_ideals(sought, metric.cutoffs, budget_of(metric))
    best, upper = found.best, found.upper
    if not found.proved.all():  # the search breaks ties its own way, and may have come less far than the greedy list
        best = np.where(found.proved, best, np.maximum(best, np.minimum(greedy_sums(sought, metric.cutoffs), upper)))
    highest = upper if sought.holds_lists else best
    as_good = (reached >= best * (1.0 - EXACT)) & (reached <= highest * (1.0 + EXACT))
    best = np.where(as_good, reached, best)
    return Terms(reached, best, upper_denominators=np.maximum(best, upper), proved=found.proved)


def budget_of(metric: AgainstIdeal) -> Budget:
    """What may be spent on each of a metric's ideal lists."""
    return Budget(DEFAULT_WORK if metric.budget is None else metric.budget, metric.seconds or 0.0)


def check_ideal(metric: Metric) -> None:
    """What goes with an exact ideal only is not given without one, and has a meaning."""
    for name in ("budget", "seconds"):
        value = getattr(metric, name)
        check_goes_with(metric, name, "ideal", "exact")
        if value is not None and value < 0:
            raise MetricError(f"{type(metric).__name__}: {name} is {value:g}, expected 0 or more")


def ideal_details(metric: AgainstIdeal, truth: Truth) -> Mapping[str, Any]:
    """How a greedy list chooses between items that gain the same; what may be spent on an exact one, where it does not matter."""
    if metric.ideal == "exact":
        return {"budget": budget_of(metric).work}
    return {"ties": truth.items.tie_rule} if metric.ideal == "greedy" else {}
