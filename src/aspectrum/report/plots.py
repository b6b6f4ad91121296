"""Charts of results and comparisons, one at a time: for notebooks, papers and slides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aspectrum.comparison.comparison import Comparison, named_results
from aspectrum.errors import InputError
from aspectrum.metric import Metric
from aspectrum.report.building import report_of
from aspectrum.report.charts import aspects, cutoffs, differences, distribution, lorenz, segments, trade_off
from aspectrum.report.charts.saving import Chart
from aspectrum.report.charts.svg import WIDE
from aspectrum.report.content import Report
from aspectrum.report.writing import as_comparison


@dataclass(frozen=True, eq=False)
class Plots:
    """Charts of results or of a comparison: ``result.plot.trade_off()``. Each shows itself in a notebook, and can be saved.

    Examples:
        >>> import aspectrum as asp
        >>> lists = {"A": {1: ["x", "y"], 2: ["y", "z"]}, "B": {1: ["z", "x"], 2: ["x", "z"]}}
        >>> results = asp.evaluate_systems(lists, ["NDCG@1,2", "GiniComplement@2"], relevance={1: ["x"], 2: ["z"]}, catalogue=list("xyz"))
        >>> results.plot.cutoffs().to_svg()[:4]
        '<svg'
    """

    of: Any

    @cached_property
    def _report(self) -> Report:
        return report_of(as_comparison(self.of))

    def trade_off(self, vertical: str | Metric | None = None) -> Chart:
        """Systems by accuracy and one other metric, with the line of those that none dominates."""
        found = self._report.trade_off
        if found is None:
            raise InputError("a trade-off needs two systems, a metric of relevance and another metric")
        front = found.fronts[0] if vertical is None else self._one(found.fronts, vertical, lambda one: str(one.vertical))
        return Chart(f"trade-off {front.vertical}", lambda width, theme: trade_off.draw(self._report, front, width, theme), WIDE)

    def differences(self, metric: str | Metric | None = None) -> Chart:
        """Differences to the baseline on one metric, with intervals and the share of users better, tied and worse."""
        if not any(self._report.differences.values()):
            raise InputError("differences need a baseline and another system")
        key = self._one(list(self._report.differences), metric, str)
        return Chart(f"differences {key}", lambda width, theme: differences.draw(self._report, key, width, theme), WIDE)

    def cutoffs(self) -> Chart:
        """Every metric by cutoff."""
        if not self._report.curves:
            raise InputError("curves need a metric at several cutoffs, as NDCG@1,5,10")
        return Chart("cutoffs", lambda width, theme: cutoffs.sheet(self._report, self._report.curves, width, theme), WIDE)

    def distribution(self, metric: str | Metric | None = None) -> Chart:
        """Scores of users on one metric, system by system."""
        if not self._report.distributions:
            raise InputError("distributions need scores of users: evaluate with per_user=True and a metric that scores users")
        one = self._one(self._report.distributions, metric, lambda found: found.key)
        return Chart(f"distribution {one.key}", lambda width, theme: distribution.draw(self._report, one, width, theme), WIDE)

    def segments(self, metric: str | Metric | None = None) -> Chart:
        """Means of segments of users on one metric."""
        if not self._report.segmentations:
            raise InputError("segments need a comparison with segments, as compare(results, segments='activity')")
        key = self._one(self._report.segmentations, metric, lambda found: found.key).key
        some = [one for one in self._report.segmentations if one.key == key]
        return Chart(f"segments {key}", lambda width, theme: segments.draw(self._report, some, width, theme), WIDE)

    def lorenz(self) -> Chart:
        """How evenly recommendations are spread over items."""
        found = self._report.lorenz
        if found is None:
            raise InputError(
                "exposure needs the lists, which results of one call with per_user=True hold; saved ones and those of parts do not"
            )
        return Chart("exposure of items", lambda width, theme: lorenz.draw(self._report, found, width, theme), lorenz.WIDTH)

    def aspects(self) -> Chart:
        """The share of each aspect in the catalogue, in histories and in recommendations."""
        if not self._report.aspects:
            raise InputError("exposure per aspect needs the lists, and aspects")
        return Chart(
            "exposure of aspects", lambda width, theme: aspects.draw(self._report, self._report.aspects, width, theme), aspects.WIDTH
        )

    def _one(self, several: Sequence[Any], metric: str | Metric | None, key: Callable[[Any], str]) -> Any:
        """The one of a metric, in any spelling; by default the first."""
        if metric is None:
            return several[0]
        keys = [key(one) for one in several]
        results = next(iter((self.of.results if isinstance(self.of, Comparison) else named_results(self.of)).values()))
        name = next((own for own, column in results.columns.items() if column is results.column(metric)), None)
        if name not in keys:
            raise InputError(f"there is no such chart of {metric}; there is one of {', '.join(keys)}")
        return several[keys.index(name)]
