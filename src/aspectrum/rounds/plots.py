"""Charts of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.report.charts import cutoffs
from aspectrum.report.charts.saving import Chart
from aspectrum.report.charts.svg import WIDE
from aspectrum.report.content import Curves, Report

if TYPE_CHECKING:
    from aspectrum.rounds.results import RoundsResults


@dataclass(frozen=True)
class RoundPlots:
    """Charts of what was found round by round: ``result.plot.curves()``. Each shows itself in a notebook, and can be saved.

    Examples:
        >>> import aspectrum as asp
        >>> found = asp.evaluate_rounds({"q": [["a", "b"], ["b", "c"]]}, subtopics={"q": {"a": [1], "c": [1, 2]}})
        >>> found.plot.curves().to_svg()[:4]
        '<svg'
    """

    of: RoundsResults

    def curves(self, others: Mapping[str, RoundsResults] | None = None, *, name: str = "agent") -> Chart:
        """Every metric after each round; of several agents, a line for each.

        Args:
            others: Results of other agents, by name.
            name: What this one is called.
        """
        if others and name in others:
            raise InputError(f"two agents are called {quoted(name)}; give this one another name with name=...")
        agents = {name: self.of, **(others or {})}
        n = max(one.n_rounds for one in agents.values())
        common = [metric for metric in self.of if all(metric in one for one in agents.values())]
        values = {metric: {agent: one[metric] + (float("nan"),) * (n - one.n_rounds) for agent, one in agents.items()} for metric in common}
        sheets = [Curves(metric, metric, "", tuple(range(1, n + 1)), values[metric], along="round") for metric in common]
        report = Report("", "", "", (), tuple(agents), None, tuple(agents), (), {}, curves=tuple(sheets))
        return Chart("rounds", lambda width, theme: cutoffs.sheet(report, report.curves, width, theme), WIDE)
