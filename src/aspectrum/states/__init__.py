"""What a metric remembers of some users. States add, and the order of adding cannot show.

The law: ``observe(a and b) == observe(a) + observe(b)``, to the bit. Sums are kept as exact integers.
"""

from collections.abc import Mapping

from aspectrum.states.exact import exact_sum, exact_sums, rounded
from aspectrum.states.items import ItemCounts, SlotCounts
from aspectrum.states.links import AddedLinks
from aspectrum.states.mean import Mean, Orders
from aspectrum.states.samples import SampledLists, SampledShares, hashes
from aspectrum.states.saved import Saved
from aspectrum.states.state import Belonging, Measure, State
from aspectrum.states.totals import Totals

__all__ = [
    "STATES",
    "AddedLinks",
    "Belonging",
    "ItemCounts",
    "Mean",
    "Measure",
    "Orders",
    "SampledLists",
    "SampledShares",
    "Saved",
    "SlotCounts",
    "State",
    "Totals",
    "exact_sum",
    "exact_sums",
    "hashes",
    "rounded",
]

STATES: Mapping[str, type[State]] = {
    kind.__name__: kind for kind in (Mean, Totals, ItemCounts, SlotCounts, SampledLists, SampledShares, AddedLinks)
}
"""Kinds of states that can be read from a file."""
