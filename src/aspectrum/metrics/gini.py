"""Gini index: how unevenly recommendations are spread over items."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Flags, Floats, unevenness
from aspectrum.blocks.item_counts import ItemCountMetric, Slots, check_whole
from aspectrum.discounts import rank_discount
from aspectrum.metric import Aliases, check_goes_with, check_unit
from aspectrum.states import ItemCounts, SlotCounts, exact_sum
from aspectrum.world import Rankings, Truth


@dataclass(frozen=True)
class Gini(ItemCountMetric):
    r"""Gini index of how often the items of the catalogue are recommended: 0 for an even spread, 1 for a single item.

    .. math:: \frac{1}{N-1} \sum_{i=1}^{N} (2i - N - 1) \frac{c_i}{\sum_j c_j}

    where the counts c are in ascending order over all N items of the catalogue, including items that are never recommended. A system-level
    metric, with no per-user scores. WarpRec uses this name; what Elliot and RankSys call the Gini index is its complement, see
    :class:`GiniComplement`.

    Args:
        k: Ranks that count; one number or several.
        over: The items: the ``catalogue``, or only items ``recommended`` at least once (Evidently).
        divisor: ``"n-1"`` (published: a single item scores 1), or ``"n"`` (LensKit, RecBole).
        discount: What a recommendation adds to c: 1 (``none``), or by rank j 1/log2(1+j) (``log``), 1/j (``reciprocal``),
            patience^(j-1) (``geometric``; LensKit's ExposureGini) or 1/log2(max(j, 2)) (``clipped``). c is then the item's exposure.
        patience: Ratio of the geometric discount.
        outside: A recommended item outside the catalogue is an ``error``, or is left out and counted (``drop``); with
            ``over="recommended"``, none is outside.
        extra_items: Number of items to add to the catalogue that are never recommended. RecBole counts its padding token: 1.
        empty: Value if nothing is recommended; undefined by default.
        complement: One minus the index, as in Elliot and RankSys; higher is then better.

    Range:
        0 (even) to 1 (a single item).

    Undefined:
        If nothing is recommended, or there are fewer than two items.

    References:
        Vargas and Castells, RecSys 2014.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": [1], "v": [1], "w": [2]}, catalogue=[1, 2, 3, 4])
        >>> round(Gini(k=1).observe(world)[0].value, 4)
        0.7778
        >>> round(Gini(k=1, over="recommended").observe(world)[0].value, 4)
        0.3333
    """

    over: Literal["catalogue", "recommended"] = "catalogue"
    divisor: Literal["n-1", "n"] = "n-1"
    discount: Literal["log", "none", "reciprocal", "geometric", "clipped"] = "none"
    patience: float = 0.85
    outside: Literal["error", "drop"] = "error"
    extra_items: float = 0.0
    empty: float | None = None
    complement: bool = False

    cites = ("vargas2014improving",)
    aliases: ClassVar[Aliases] = {"GiniIndex": {}}

    family = "coverage"
    higher_is_better = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, extra_items=self.extra_items)
        check_unit(self, patience=self.patience)
        check_goes_with(self, "patience", "discount", "geometric")
        check_goes_with(self, "extra_items", "over", "catalogue")
        if self.complement:
            object.__setattr__(self, "higher_is_better", True)

    @property
    def slots(self) -> Slots | None:
        return None if self.discount == "none" else "rank"

    def relative_inputs(self) -> tuple[str, ...]:
        return self.relative_to if self.over == "catalogue" else ()

    def population(self, truth: Truth) -> Flags | None:
        return truth.catalogue if self.over == "catalogue" else None

    def value_of(self, state: ItemCounts | SlotCounts) -> float:
        """From whole numbers, rounded once; from exposures, by exact sums."""
        counts, n = state.in_catalogue, self._n_items(state)
        total = int(counts.sum())
        if total == 0:
            return math.nan if self.empty is None else self.empty
        if n < 2:
            return math.nan
        divisor = n - 1 if self.divisor == "n-1" else n
        if isinstance(state, ItemCounts):
            uneven_counts = unevenness(counts, n)
            return (divisor * total - uneven_counts if self.complement else uneven_counts) / (divisor * total)
        ascending = np.sort(self._exposures(state)[counts > 0])
        factors = 2.0 * np.arange(n - len(ascending) + 1, n + 1) - n - 1
        uneven, whole = exact_sum(factors * ascending), exact_sum(ascending)
        return self._turned(uneven / (divisor * whole)) if whole else math.nan

    def _turned(self, index: Any) -> Any:
        return 1.0 - index if self.complement else index

    def _n_items(self, state: ItemCounts | SlotCounts) -> int:
        if self.over == "recommended":
            return int(np.count_nonzero(state.in_catalogue))
        return state.n_population + int(self.extra_items)

    def _exposures(self, state: ItemCounts | SlotCounts) -> Floats:
        if isinstance(state, ItemCounts):
            return state.in_catalogue.astype(np.float64)
        return state.sums(np.append(0.0, self._factors(int(state.slots.max(initial=0)))))

    def _factors(self, n: int) -> Floats:
        return rank_discount(self.discount, self.patience).first(n)

    def without(self, state: ItemCounts | SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        found: Floats = self._turned(self._index_without(state, lists, ranks))
        return found

    def _index_without(self, state: ItemCounts | SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        if self.discount != "none" or self.over == "recommended":
            return self._without_exposures(state, lists, ranks)
        n = self._n_items(state)
        counts = np.append(state.in_catalogue, np.zeros(int(self.extra_items), dtype=np.int64))
        found: Floats = 1 - leave_one_out.gini_complement_without(counts, lists.offsets, lists.items)
        return found if self.divisor == "n-1" else found * ((n - 1) / max(n, 1))

    def _without_exposures(self, state: ItemCounts | SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        exposures, counts = self._exposures(state), state.in_catalogue
        shown = exposures[counts > 0]
        n, places = self._n_items(state), np.cumsum(counts > 0) - 1
        padded = np.append(np.zeros(n - len(shown)), shown)
        items = (places[lists.items] + n - len(shown)).astype(np.int32)
        own = self._factors(int(ranks.max(initial=1)))[ranks - 1]
        differences = leave_one_out.differences_without(padded, lists.offsets, items, own)
        left = exact_sum(exposures) - leave_one_out.sums_of_lists(lists.offsets, own)
        gone = leave_one_out.shown_by_one(counts, lists.offsets, lists.items) if self.over == "recommended" else np.zeros(len(left))
        some = (counts.sum() - lists.lengths > 0) & (n - gone >= 2)
        found = np.full(len(left), math.nan)
        divisor = n - gone - (1 if self.divisor == "n-1" else 0)
        found[some] = (differences[some] - gone[some] * left[some]) / (divisor[some] * left[some])
        return found
