"""Catalogue coverage: how much of the catalogue is recommended at all."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.blocks.item_counts import ItemCountMetric, Slots, check_whole, list_spectrum, longest_or_k, shares_of_lists
from aspectrum.metric import Aliases, check_goes_with
from aspectrum.states import ItemCounts, SlotCounts
from aspectrum.world import Rankings, Truth


@dataclass(frozen=True)
class CatalogueCoverage(ItemCountMetric):
    r"""Share of the catalogue that appears in at least one list.

    .. math:: \frac{|\bigcup_u L_u \cap I|}{|I|}

    where L_u is the top k of a user's list and I is the catalogue. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        normalize: ``true`` divides by the size of the catalogue (PyG, recmetrics; RecTools with ``normalize=True``). ``false`` gives the
            number of items, also known as aggregate diversity (RecTools by default, Elliot, WarpRec, LensKit).
        of: Items that could be recommended: the ``catalogue``, or the items in any user's ``history`` (RePlay, Evidently, MS recommenders).
        outside: A recommended item outside the catalogue is an ``error``, is left out and counted (``drop``), or counts like any other item
            (``keep``; MS recommenders), so that the share may exceed 1. With ``of="history"``, unseen items, which no user interacted with,
            are no error: they are left out unless kept.
        extra_items: Number of items to add to the size of the catalogue. RecBole counts its padding token: 1.
        percent: Whether to multiply by 100 (recmetrics, which also rounds to two decimals).
        weigh: ``recommendations``: every recommended item counts 1. ``lists``: the mean over lists of the mean over their items of n/c,
            where c of the n recommendations are of that item (RankSys, with ``over="k"``); this needs ``normalize=false``. Both are equal
            if all lists have the same length.
        over: n above: the number of recommendations (``list``), or ``k`` times the number of lists; without a cutoff, k is the length of
            the longest list.

    Range:
        0 to 1; may exceed 1 with ``outside="keep"``. With ``normalize=false``, a number of items.

    Undefined:
        With ``normalize``, if the catalogue is empty; with ``weigh="lists"``, if nothing is recommended.

    References:
        Ge, Delgado-Battenfeld and Jannach, RecSys 2010; Adomavicius and Kwon, IEEE Transactions on Knowledge and Data Engineering 2012.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": ["a", "b"], "v": ["b", "c"]}, catalogue=["a", "b", "c", "d"])
        >>> CatalogueCoverage(k=2).observe(world)[0].value
        0.75
    """

    normalize: bool = True
    of: Literal["catalogue", "history"] = "catalogue"
    outside: Literal["error", "drop", "keep"] = "error"
    extra_items: float = 0.0
    percent: bool = False
    weigh: Literal["recommendations", "lists"] = "recommendations"
    over: Literal["list", "k"] = "list"

    cites = ("ge2010beyond", "adomavicius2012improving")
    aliases: ClassVar[Aliases] = {
        "ItemCoverage": {},
        "CatalogCoverage": {},
        "Coverage": {},
        "AggregateDiversity": {"normalize": False},
    }

    family = "coverage"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, extra_items=self.extra_items)
        check_goes_with(self, "extra_items", "normalize", True)
        check_goes_with(self, "percent", "normalize", True)
        check_goes_with(self, "weigh", "normalize", False)
        check_goes_with(self, "over", "weigh", "lists")

    @property
    def slots(self) -> Slots | None:
        return "length" if self.weigh == "lists" else None

    def needs(self) -> tuple[frozenset[str], ...]:
        return (frozenset({"history"} if self.of == "history" else ()),)

    def relative_inputs(self) -> tuple[str, ...]:
        return self.relative_to if self.normalize and self.of == "catalogue" else ()

    def population(self, truth: Truth) -> Flags | None:
        if not self.normalize and self.outside == "keep":
            return None  # whatever is shown counts
        return truth.item_popularity.users > 0 if self.of == "history" else truth.catalogue

    @property
    def refuses_outside(self) -> bool:
        return self.outside == "error" and self.of == "catalogue"

    @property
    def outside_is_noticed_as(self) -> str:  # type: ignore[override]
        return f"outside_{self.of}"

    def value_of(self, state: ItemCounts | SlotCounts) -> float:
        if isinstance(state, SlotCounts):
            return self._mean_over_lists(state)
        shown = int(np.count_nonzero(state.recommended[self.counted(state)]))
        if not self.normalize:
            return float(shown)
        size = self._size(state)
        return (100 if self.percent else 1) * shown / size if size else math.nan

    def _size(self, state: ItemCounts) -> int:
        return state.n_population + int(self.extra_items)

    def counted(self, state: ItemCounts | SlotCounts) -> Flags:
        return np.ones_like(state.population) if self.outside == "keep" else state.population

    def _mean_over_lists(self, state: SlotCounts) -> float:
        if not state.n_lists:
            return math.nan
        total = state.n_lists * longest_or_k(self.k, state) if self.over == "k" else int(state.in_catalogue.sum())
        return math.fsum(times * total / (length * count) for length, count, times in list_spectrum(state)) / state.n_lists

    def without(self, state: ItemCounts | SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        if isinstance(state, ItemCounts):
            shown = leave_one_out.shown_without(state.recommended[self.counted(state)], lists.offsets, lists.items)
            size = self._size(state) or math.nan
            return shown * ((100 if self.percent else 1) / size) if self.normalize else shown
        means = leave_one_out.list_means_without(
            shares_of_lists(state), state.in_catalogue, lists.offsets, lists.items, lambda count: 1 / count
        )
        left = state.n_lists - (lists.lengths > 0)
        longest = longest_or_k(self.k, state)
        total = left * longest if self.over == "k" else int(state.in_catalogue.sum()) - lists.lengths
        return means * total
