"""Metrics that may divide by the most that documents cover which fit into a number of tokens."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from aspectrum.arrays import Floats
from aspectrum.discounts import NONE
from aspectrum.errors import MetricError
from aspectrum.gain import GainRule
from aspectrum.ideal import Budget, IdealRequest, against_best_coverage, check_best_coverage
from aspectrum.judging import JUDGINGS, Coverage
from aspectrum.metric import AspectMetric, Fractions, check_goes_with, check_not_negative
from aspectrum.world import Truth


class MayUseBestCoverage(AspectMetric):
    """A metric of aspects that divides by the best coverage if a parameter says so; ``pool`` and ``budget`` are for it."""

    abstract: ClassVar[bool] = True
    best_by: ClassVar[str]
    """The parameter; its value is then ``best``."""
    instead: ClassVar[str]
    """What would do where the best coverage is not known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "pool", self.best_by, "best")
        check_goes_with(self, "budget", self.best_by, "best")
        check_not_negative(self, "budget")

    @property
    def uses_best(self) -> bool:
        return bool(self.parameters[self.best_by] == "best")

    def resolved(self, truth: Truth) -> Self:
        if not self.uses_best:
            return super().resolved(truth)
        own, said = type(self).__name__, f"{self.best_by}=best"
        if len(self.budgets) < len(self.cutoffs):
            raise MetricError(f"{own}: {said} goes with cutoffs in tokens, such as {own}({said})@4000t")
        judged_by = self.judging(truth)
        if judged_by == "subtopics":
            check_best_coverage(truth.subtopics, str(self), self.instead)
        pool = self.parameters["pool"] or JUDGINGS[judged_by].default_pool
        return replace(self, judged_by=judged_by, pool=pool)  # type: ignore[call-arg]

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"budget": self._budget.work} if self.uses_best else {}

    def against_best(self, covered: Floats, coverage: Coverage) -> Fractions:
        """The weight that lists cover over the most that fits, of a metric whose choices are made."""
        request = IdealRequest(coverage.whole or coverage, self.parameters["pool"], GainRule(1.0), NONE)
        return against_best_coverage(covered, request, self._budget)

    @property
    def _budget(self) -> Budget:
        budget = self.parameters["budget"]
        return Budget() if budget is None else Budget(budget)
