"""Exposure entropy: how evenly recommendations are spread over items."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.blocks.item_counts import ItemCountMetric, Slots, list_spectrum, longest_or_k, shares_of_lists, spectrum
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, check_goes_with
from aspectrum.states import ItemCounts, SlotCounts
from aspectrum.world import Rankings, Truth


@dataclass(frozen=True)
class ExposureEntropy(ItemCountMetric):
    r"""Shannon entropy of the recommended items, in bits: 0 for a single item, log2 N for an even spread over N items.

    .. math:: -\sum_{i} p_i \log_2 p_i, \qquad p_i = \frac{c_i}{\sum_j c_j}

    where c_i is how often item i is recommended. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        base: Base of the logarithm: 2 for bits, ``e`` for nats (WarpRec, RecBole), or any number above 1.
        index: ``shannon``, or ``simpson``: one minus the sum of squared p, the probability that two random recommendations are of different
            items.
        normalize: ``none``; ``catalogue`` divides by the maximum for the catalogue, log N or 1 - 1/N, so that 1 is even; ``items_shown``
            divides by the number of distinct items recommended (RecBole).
        weigh: Every recommendation has the same weight (``recommendations``; MS recommenders), or every list has (``lists``; Elliot,
            RankSys): the mean over lists of the mean over their items of -log p, or of 1 - p. Both are equal if all lists have the same
            length.
        over: The sum of c: the number of recommendations (``list``), or, with weigh=lists, ``k`` times the number of lists (RankSys's
            Gini-Simpson index); without a cutoff, k is the length of the longest list.
        outside: With ``normalize="catalogue"``, a recommended item outside the catalogue is an ``error``, or is left out and counted
            (``drop``).

    Range:
        0 to the logarithm of the number of distinct items; 0 to 1 for ``simpson`` and with ``normalize``.

    Undefined:
        If nothing is recommended; with ``normalize="catalogue"``, if the catalogue has fewer than two items.

    References:
        Shannon, Bell System Technical Journal 1948; Shani and Gunawardana, Recommender Systems Handbook 2011.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": ["a", "b"], "v": ["a", "c"]})
        >>> ExposureEntropy(k=2).observe(world)[0].value
        1.5
    """

    base: float | Literal["e"] = 2.0
    index: Literal["shannon", "simpson"] = "shannon"
    normalize: Literal["none", "catalogue", "items_shown"] = "none"
    weigh: Literal["recommendations", "lists"] = "recommendations"
    over: Literal["list", "k"] = "list"
    outside: Literal["error", "drop"] = "error"

    cites = ("shannon1948mathematical", "shani2011evaluating")
    aliases: ClassVar[Aliases] = {
        **{name: {} for name in ("ShannonEntropy", "SEntropy", "DistributionalCoverage", "Entropy")},
        "GiniSimpson": {"index": "simpson"},
    }

    family = "coverage"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base != "e" and self.base <= 1:
            raise MetricError(f"ExposureEntropy: base is {self.base:g}, expected a number above 1, or e")
        check_goes_with(self, "base", "index", "shannon")
        check_goes_with(self, "over", "weigh", "lists")

    @property
    def slots(self) -> Slots | None:
        return "length" if self.weigh == "lists" else None

    def relative_inputs(self) -> tuple[str, ...]:
        return self.relative_to if self.normalize == "catalogue" else ()

    def population(self, truth: Truth) -> Flags | None:
        return truth.catalogue if self.normalize == "catalogue" else None

    def value_of(self, state: ItemCounts | SlotCounts) -> float:
        """By distinct counts, whose sum does not depend on the order of items."""
        counts = state.in_catalogue
        total = int(counts.sum())
        if total == 0:
            return math.nan
        if isinstance(state, SlotCounts):
            value = self._mean_over_lists(state)
        elif self.index == "shannon":
            value = math.fsum(items * count / total * self._log(total / count) for count, items in spectrum(counts))
        else:
            value = (total * total - sum(items * count * count for count, items in spectrum(counts))) / (total * total)
        divisor = self._divisor(state.n_population, int(np.count_nonzero(counts)))
        return value / divisor if divisor else math.nan

    def _mean_over_lists(self, state: SlotCounts) -> float:
        total, terms = self._total(state), list_spectrum(state)
        if self.index == "shannon":
            return math.fsum(times / length * self._log(total / count) for length, count, times in terms) / state.n_lists
        return 1 - math.fsum(times * count / (length * total) for length, count, times in terms) / state.n_lists

    def _total(self, state: SlotCounts) -> int:
        return state.n_lists * longest_or_k(self.k, state) if self.over == "k" else int(state.in_catalogue.sum())

    def _divisor(self, n: int, n_shown: int) -> float:
        if self.normalize == "catalogue":
            return self._log(max(n, 1)) if self.index == "shannon" else 1 - 1 / max(n, 1)
        return n_shown if self.normalize == "items_shown" else 1

    def _log(self, number: float) -> float:
        if self.base == 2:
            return math.log2(number)
        return math.log(number) if self.base == "e" else math.log(number) / math.log(self.base)

    def without(self, state: ItemCounts | SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        counts, given = state.in_catalogue, (lists.offsets, lists.items)
        in_bits = self._log(2.0)
        if isinstance(state, SlotCounts):
            found = self._mean_without(state, lists)
        elif self.index == "shannon":
            found = leave_one_out.entropy_without(counts, *given) * in_bits
        else:
            found = leave_one_out.simpson_without(counts, *given)
        if self.normalize == "catalogue":
            divisor = self._divisor(state.n_population, 0)
            return found / divisor if divisor else np.full(len(found), math.nan)
        if self.normalize == "none":
            return found
        shown = leave_one_out.shown_without(counts, *given)
        return np.where(shown > 0, found / np.maximum(shown, 1), math.nan)

    def _mean_without(self, state: SlotCounts, lists: Rankings) -> Floats:
        shares, counts = shares_of_lists(state), state.in_catalogue
        left = self._left(state, lists)
        means = leave_one_out.list_means_without(
            shares, counts, lists.offsets, lists.items, self._log if self.index == "shannon" else float
        )
        if self.index == "simpson":
            return 1 - means / np.where(left > 0, left, math.nan)
        logs = leave_one_out.each(self._log, np.maximum(left, 1))
        return np.where(left > 0, logs - means, math.nan)

    def _left(self, state: SlotCounts, lists: Rankings) -> Floats:
        """What shares are divided by, without each user."""
        if self.over == "k":
            return (state.n_lists - (lists.lengths > 0)) * float(longest_or_k(self.k, state))
        return (int(state.in_catalogue.sum()) - lists.lengths).astype(np.float64)
