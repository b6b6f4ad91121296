"""What aspects, as intents of a user, are worth: graded gains, and the weight of all intents together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.discounts import LOG2
from aspectrum.gain import GainRule, list_sums
from aspectrum.ideal import IdealRequest, greedy_sums
from aspectrum.judging import JUDGINGS, Coverage, Grading, JudgedBy, Unjudged, cover
from aspectrum.metric import AspectMetric
from aspectrum.world import Truth, World
from aspectrum.world.relevance import check_exponent

Unattainable = Literal["lost", "skip"]
"""What happens to the weight of an unattainable intent."""

GRADED: tuple[JudgedBy, ...] = ("subtopics", "relevance")
"""Ways of judging whose judgments have grades."""


@dataclass(frozen=True)
class GradedIntentMetric(AspectMetric):
    """A metric of the grades that items have for each intent; without grades, of the strengths that aspects have."""

    abstract: ClassVar[bool] = True

    gain: Literal["linear", "exponential"] = "linear"
    judged_by: JudgedBy | None = None
    unjudged: Unjudged = "keep"

    def coverage(self, world: World) -> Coverage:
        assert self.judged_by is not None
        grading = self._grading(world.truth, self.judged_by) if self.judged_by in GRADED else None
        return cover(world, self.judged_by, unjudged=self.unjudged, grading=grading)

    def _grading(self, truth: Truth, judged_by: JudgedBy) -> Grading:
        """Strengths are gains over any number that is the same for all, since it cancels: a power of two rounds nothing."""
        truth.need(judged_by, type(self).__name__)
        largest = truth.largest_grade(judged_by)
        if self.gain == "linear":
            return Grading("linear", 2.0 ** math.frexp(largest)[1])
        check_exponent(largest)  # also of users whose lists these are not
        return Grading("exponential", largest)

    def global_sums(self, world: World) -> tuple[Floats, Floats]:
        """Discounted gains, added over intents, of each list and of the best list there is, (users, cutoffs).

        Gains do not depend on what came before, so the list that takes the largest gain at each rank is the best.
        """
        coverage, rule = self.coverage(world), GainRule(alpha=0.0)
        request = IdealRequest(coverage, JUDGINGS[coverage.judging.name].default_pool, rule, LOG2)
        return list_sums(coverage, rule, LOG2, self.cutoffs), greedy_sums(request, self.cutoffs)


def intent_totals(coverage: Coverage, unattainable: Unattainable) -> Floats:
    """The weight of all intents of each user; 0 for a user without an attainable one.

    That of unattainable intents is ``lost`` if it is part of the total; without weights there is none.
    """
    weights = coverage.world.weights
    if weights is None or unattainable == "skip":
        return coverage.attainable
    return np.where(coverage.attainable > 0, weights.totals(coverage.world.n_users), 0.0)
