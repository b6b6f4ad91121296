"""Effective items: how many equally often recommended items would be as diverse."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.blocks.item_counts import ItemCountMetric, spectrum
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases
from aspectrum.states import ItemCounts
from aspectrum.world import Rankings, Truth


@dataclass(frozen=True)
class EffectiveItems(ItemCountMetric):
    r"""Effective number of recommended items (Hill number): how many equally often recommended items would be as diverse.

    .. math:: \left( \sum_{i} p_i^q \right)^{\frac{1}{1-q}}, \qquad p_i = \frac{c_i}{\sum_j c_j}

    where c_i is how often item i is recommended. For q = 1 it is the limit, 2 to the power of the entropy in bits. A system-level metric,
    with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        q: Order, from 0: the higher, the less rare items count. 0 is the number of distinct items, 1 the exponential of Shannon entropy, 2
            the inverse of the sum of squared shares (Simpson); with growing q it approaches one over the largest share.

    Range:
        1 to the number of distinct items recommended.

    Undefined:
        If nothing is recommended.

    References:
        Hill, Ecology 1973.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": ["a", "b"], "v": ["c", "d"], "w": ["a", "b"]})
        >>> round(EffectiveItems(k=2, q=2).observe(world)[0].value, 4)
        3.6
    """

    q: float = 1.0

    cites = ("hill1973diversity",)
    aliases: ClassVar[Aliases] = {"HillNumber": {}, "EffectiveCatalogueSize": {}}

    family = "coverage"
    relative_to = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.q < 0:
            raise MetricError(f"EffectiveItems: q is {self.q:g}, expected a number from 0")

    def population(self, truth: Truth) -> Flags | None:
        return None

    def value_of(self, state: ItemCounts) -> float:
        found = spectrum(state.in_catalogue)
        if not found:
            return math.nan
        q, total, largest = self.q, sum(count * items for count, items in found), found[-1][0]
        if abs(q - 1) < 0.5:
            return _near_1(q, [(items, count / total) for count, items in found])
        # Relative to the largest share, so that no power of it is infinite or 0.
        powers = math.fsum(items * (count / largest) ** q for count, items in found)
        return float((total / largest) ** (q / (q - 1)) * powers ** (1 / (1 - q)))

    def without(self, state: ItemCounts, lists: Rankings, ranks: Codes) -> Floats:
        return leave_one_out.effective_without(state.in_catalogue, lists.offsets, lists.items, self.q)


def _near_1(q: float, shares: Sequence[tuple[int, float]]) -> float:
    """Where one over 1 - q would magnify rounding: by how much the sum of powers differs from 1.

    Args:
        shares: How many items have which share.
    """
    if q == 1:
        return math.exp2(-math.fsum(items * share * math.log2(share) for items, share in shares))
    difference = math.fsum(items * share * math.expm1((q - 1) * math.log(share)) for items, share in shares)
    return math.exp(math.log1p(difference) / (1 - q))
