"""Gini complement: how evenly recommendations are spread over the catalogue."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Floats, unevenness
from aspectrum.blocks.item_counts import ItemCountMetric
from aspectrum.metric import Aliases
from aspectrum.states import ItemCounts
from aspectrum.world import Rankings


@dataclass(frozen=True)
class GiniComplement(ItemCountMetric):
    r"""One minus the Gini index of how often the items of the catalogue are recommended: 1 for an even spread, 0 for one item.

    .. math:: 1 - \frac{1}{N-1} \sum_{i=1}^{N} (2i - N - 1) \frac{c_i}{\sum_j c_j}

    where the counts c are in ascending order over all N items of the catalogue, including items that are never recommended. A system-level
    metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        outside: A recommended item outside the catalogue is an ``error``, or is left out and counted (``drop``).
        empty: Value if nothing is recommended; undefined by default.

    Range:
        0 (one item) to 1 (even).

    Undefined:
        If nothing is recommended, or the catalogue has fewer than two items.

    References:
        Vargas and Castells, RecSys 2014.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": [1], "v": [1], "w": [2]}, catalogue=[1, 2, 3, 4])
        >>> round(GiniComplement(k=1).observe(world)[0].value, 4)
        0.2222
    """

    outside: Literal["error", "drop"] = "error"
    empty: float | None = None

    cites = ("vargas2014improving",)
    aliases: ClassVar[Aliases] = {"Predicted Gini complement": {}}

    family = "coverage"

    def value_of(self, state: ItemCounts) -> float:
        """From whole numbers, rounded once."""
        n, total = state.n_population, int(state.in_catalogue.sum())
        if total == 0:
            return math.nan if self.empty is None else self.empty
        if n < 2:
            return math.nan
        evenly = (n - 1) * total
        return (evenly - unevenness(state.in_catalogue, n)) / evenly

    def without(self, state: ItemCounts, lists: Rankings, ranks: Codes) -> Floats:
        return leave_one_out.gini_complement_without(state.in_catalogue, lists.offsets, lists.items)
