"""Personalization: how different the lists of different users are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Flags, Floats
from aspectrum.blocks.item_counts import ItemCountMetric, Slots, longest_or_k, spectrum
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, check_goes_with
from aspectrum.states import SampledLists, SlotCounts, State, exact_sum, hashes
from aspectrum.world import Rankings, Truth, World


@dataclass(frozen=True)
class Personalization(ItemCountMetric):
    r"""One minus the mean similarity of two users' lists, over all pairs: 1 for nothing in common, 0 for the same items.

    .. math:: 1 - \frac{2}{U(U-1)} \sum_{u < v} \frac{|L_u \cap L_v|}{\sqrt{|L_u| \, |L_v|}}

    where L_u is the top k of one of U users; empty lists are left out. The order of items is ignored. No pairs are formed: it is enough to
    know how often each item is recommended in lists of each length. A system-level metric, with no per-user scores.

    Args:
        k: Ranks that count; one number or several.
        similarity: ``cosine``, as above (recmetrics, jurity, PyG, Evidently); ``overlap``: items in common over k, or, without a cutoff,
            over the length of the longest list (Zhou et al.); ``jaccard``: items in common over items in either list.
        over: ``list``; with ``k``, the cosine treats every list as having k items, even a shorter one, whose similarity to itself is then
            less than the 1 subtracted for it (Evidently). The result may exceed 1.
        most_lists: For the Jaccard similarity, which compares pairs: the maximum number of lists to compare, those of the users whose ids
            have the smallest BLAKE2b hashes. The choice does not depend on input order or parts; ``lists_compared`` says how many were
            compared.

    Range:
        0 (identical lists) to 1 (nothing in common); may exceed 1 with ``over="k"`` if lists are short.

    Undefined:
        If fewer than two lists have an item.

    References:
        Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 2010.

    Examples:
        >>> from aspectrum import World
        >>> world = World.of({"u": ["a", "b"], "v": ["b", "c"]})
        >>> Personalization(k=2).observe(world)[0].value
        0.5
    """

    similarity: Literal["cosine", "jaccard", "overlap"] = "cosine"
    over: Literal["list", "k"] = "list"
    most_lists: float = 2000.0

    cites = ("zhou2010solving",)
    aliases: ClassVar[Aliases] = {"InterListDiversity": {}, "InterUserDiversity": {}}

    family = "coverage"
    relative_to = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.most_lists < 2 or self.most_lists != int(self.most_lists):
            raise MetricError(f"Personalization: most_lists is {self.most_lists:g}, expected a whole number from 2")
        check_goes_with(self, "over", "similarity", "cosine")
        check_goes_with(self, "most_lists", "similarity", "jaccard")

    @property
    def slots(self) -> Slots | None:
        return "length"

    def population(self, truth: Truth) -> Flags | None:
        return None

    def observe(self, world: World) -> list[State]:
        if self.similarity != "jaccard":
            return super().observe(world)
        missing, keys = int((~world.listed).sum()), hashes(world.users).view(np.int64)
        states: list[State] = []
        for cutoff in self.cutoffs:
            lists = world.rankings if cutoff < 0 else world.rankings.cut(cutoff)
            some = np.flatnonzero(lists.lengths)
            chosen = lists.take(some)
            sample = (int(self.most_lists), keys[some], chosen.offsets, chosen.items)
            states.append(SampledLists(self.at(cutoff), world.tables.item, *sample, len(some), missing))
        return states

    def value_of(self, state: SlotCounts | SampledLists) -> float:
        if isinstance(state, SampledLists):
            n = len(state.hashes)
            return 1 - exact_sum(_jaccard_sums(state)) / (n * (n - 1)) if n > 1 else math.nan
        n = state.n_lists
        if n < 2:
            return math.nan
        if self.similarity == "cosine" and self.over == "list":
            return 1 - _cosines(state) / (n * (n - 1))
        k, squares = longest_or_k(self.k, state), sum(items * count * count for count, items in spectrum(state.in_catalogue))
        themselves = k * n if self.over == "k" else int(state.in_catalogue.sum())
        return 1 - (squares - themselves) / (k * n * (n - 1))

    def contributions(self, world: World, states: Sequence[State]) -> Floats | None:
        if self.similarity != "jaccard":
            return super().contributions(world, states)
        found = np.empty((world.n_users, len(self.cutoffs)))
        for place, (cutoff, state) in enumerate(zip(self.cutoffs, states, strict=True)):
            assert isinstance(state, SampledLists)
            if len(state.hashes) < state.n_lists:
                return None  # without a user who is compared, another one would be
            lists = world.rankings if cutoff < 0 else world.rankings.cut(cutoff)
            some = lists.lengths > 0
            sums = np.zeros(world.n_users)
            sums[some] = _jaccard_sums(state)[np.searchsorted(state.hashes, hashes(world.users).view(np.int64)[some])]
            without = _one_minus_mean(exact_sum(sums) - 2 * sums, len(state.hashes) - some)
            found[:, place] = leave_one_out.contributions(state.value, without)
        return found

    def without(self, state: SlotCounts, lists: Rankings, ranks: Codes) -> Floats:
        left, k = state.n_lists - (lists.lengths > 0), max(1, longest_or_k(self.k, state))
        takes_length = self.similarity == "cosine" and self.over == "list"
        roots = np.append(0.0, 1 / np.sqrt(np.arange(1, state.longest + 1) if takes_length else np.full(state.longest, k)))
        own = np.repeat(roots[lists.lengths], lists.lengths)
        similar = leave_one_out.similarities_without(state.sums(roots), lists.offsets, lists.items, own)
        if self.over == "k":
            similar += (int(state.in_catalogue.sum()) - lists.lengths) / k - left
        return _one_minus_mean(similar, left)


def _one_minus_mean(similar: Floats, n_lists: Any) -> Floats:
    """One minus the mean similarity of ordered pairs of so many lists; NaN where there are none."""
    pairs = n_lists * (n_lists - 1)
    found: Floats = 1 - np.where(pairs > 0, similar / np.maximum(pairs, 1), math.nan)
    return found


def _cosines(state: SlotCounts) -> float:
    """Sum of the cosines of all ordered pairs of lists.

    Lists of the same length by whole numbers; of different lengths by what the roots of the lengths add up to, item by item.
    """
    items, lengths, times = state.of_catalogue
    same = np.bincount(lengths, weights=times * (times - 1))
    several = np.bincount(items, minlength=state.n_population) > 1
    roots = np.append(0.0, 1 / np.sqrt(np.arange(1, state.longest + 1)))
    own = times * roots[lengths]
    sums, squares = state.sums(roots), np.bincount(items, weights=own * own, minlength=state.n_population)
    return math.fsum([*(same[1:] / np.arange(1, len(same))).tolist(), exact_sum((sums * sums - squares)[several])])


def _jaccard_sums(state: SampledLists) -> Floats:
    """For each list, the sum of its similarities to all others."""
    lengths, starts = np.diff(state.offsets), state.offsets[:-1]
    found = np.empty(len(lengths))
    mine = np.zeros(int(state.items.max(initial=-1)) + 1, dtype=np.int64)
    for place, (start, stop) in enumerate(zip(starts.tolist(), state.offsets[1:].tolist(), strict=True)):
        mine[state.items[start:stop]] = 1
        shared = np.add.reduceat(mine[state.items], starts)
        shared[place] = 0
        found[place] = exact_sum(shared / (lengths + lengths[place] - shared))
        mine[state.items[start:stop]] = 0
    return found
