"""Gini complement: how evenly recommendations are spread over the catalogue."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels, leave_one_out
from aspectrum.arrays import Floats
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.metric import Aliases, Metric
from aspectrum.states import ItemCounts, State
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class GiniComplement(Metric):
    r"""One minus the Gini index of how often the items of the catalogue are recommended: 1 is even, 0 is one item only.

    .. math:: 1 - \frac{1}{N-1} \sum_{i=1}^{N} (2i - N - 1) \frac{c_i}{\sum_j c_j}

    with the counts c ascending over all N items of the catalogue, never recommended ones included. A metric of the
    whole system, not of a user.

    Args:
        k: Ranks that count; one number or several.
        outside: A recommended item outside the catalogue is an ``error``, or is left out and counted (``drop``).
        empty: The value if nothing is recommended; by default undefined.

    Undefined:
        If nothing is recommended, or the catalogue has fewer than two items.

    References:
        Vargas and Castells, RecSys 2014.

    Examples:
        >>> world = World.of({"u": [1], "v": [1], "w": [2]}, catalogue=[1, 2, 3, 4])
        >>> round(GiniComplement(k=1).observe(world)[0].value, 4)
        0.2222
    """

    outside: Literal["error", "drop"] = "error"
    empty: float | None = None

    cites = ("vargas2014improving",)
    aliases: ClassVar[Aliases] = {"Predicted Gini complement": {}}

    family = "exposure"
    relative_to = ("catalogue", "aspects", "features", "items")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"catalogue": "all items seen" if truth.catalogue is None else "given"}

    def observe(self, world: World) -> list[State]:
        rankings, inside = world.rankings, world.catalogue
        counts = kernels.count_items(rankings.offsets, rankings.items, rankings.stops(self.cutoffs), world.n_items)
        left_out = np.zeros(len(self.cutoffs), dtype=np.int64)
        if inside is not None:
            outside = np.append(~inside, np.ones(world.n_items - len(inside), dtype=np.bool_))
            left_out = counts[:, outside].sum(axis=1)
            if self.outside == "error" and left_out.any():
                item = int(np.flatnonzero((counts.sum(axis=0) > 0) & outside)[0])
                raise InputError(f"GiniComplement: item {quoted(world.items[item])} is recommended but not in the catalogue")
        empty = math.nan if self.empty is None else self.empty
        missing = int((~world.listed).sum())
        return [
            ItemCounts(world.tables.item, row, inside, empty, missing, {"outside_catalogue": lost} if lost else {}, world.seen_items)
            for row, lost in zip(counts, left_out.tolist(), strict=True)
        ]

    def contributions(self, world: World, states: Sequence[State]) -> Floats:
        found = np.empty((world.n_users, len(self.cutoffs)))
        for place, (cutoff, state) in enumerate(zip(self.cutoffs, states, strict=True)):
            assert isinstance(state, ItemCounts)
            lists = world.rankings if cutoff < 0 else world.rankings.cut(cutoff)
            items = state.places(world.tables.item)[lists.items]
            offsets = lists.keep(items >= 0).offsets
            without = leave_one_out.gini_complement_without(state.in_catalogue, offsets, items[items >= 0])
            found[:, place] = leave_one_out.contributions(state.value, without)
        return found
