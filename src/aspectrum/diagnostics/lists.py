"""What lists say of themselves, list by list: too short, in an order that is none, of items that are not the ones that are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Counts, Flags, Offsets
from aspectrum.coding.ids import Ids, is_text
from aspectrum.diagnostics.notices import Notice
from aspectrum.tokens import Tokens, budgets_of, ranks_of
from aspectrum.world import Rankings, Relevance, Subtopics, Truth
from aspectrum.world.building import CodedLists, Tables

_N_LISTS, _N_DEEP = 500, 100  # how many lists, and places of each, are enough to tell what nearly all are like
_N_MORE = 50  # of a later piece
_FEW_LISTS, _FEW_PLACES = 10, 3  # in how many lists of how many items an order is no coincidence
_FEW_SHIFTED, _TIMES_SHIFTED = 20, 5  # so many items must be judged once ids are shifted, and so many times as before
_LARGEST_NUMBER = 2**62
_LIKE_TOKENS = 1000  # from here on a cutoff may be one in tokens that lacks its t
_FEW_BY_CHANCE = 20  # so many judged items would be in the lists by chance alone


def with_notices(lists: CodedLists, tables: Tables, truth: Truth, cutoffs: Iterable[int], *, quickly: bool = False) -> CodedLists:
    """Lists, with what is to be said of them list by list; `quickly` looks at few of them, as others were looked at before."""
    rankings, given = lists.rankings, lists.input
    cutoffs = set(cutoffs)
    found = [
        Notice("short_lists", n, detail={"cutoff": k}, because=(Notice("as_tokens", detail={"cutoff": k}),) if k >= _LIKE_TOKENS else ())
        for k, n in _shorter(rankings.lengths, cutoffs)
    ]
    empty = int((rankings.lengths == 0).sum())
    found += [Notice("empty_lists", empty)] if empty else []
    found += _against_budgets(rankings, truth, budgets_of(cutoffs))
    if truth.history is not None:
        users = given.ids["user"].within(tables.user)
        history = truth.history.take(np.where(users < truth.n_users, users, -1))
        seen = int((kernels.lookup(rankings.offsets, rankings.items, history.offsets, history.items) >= 0).sum())
        found += [Notice("seen_items", seen)] if seen else []
    if rankings.n_users:
        known = truth.relevance or truth.subtopics
        some = _SomeLists.of(lists.sample or lists, tables, known, truth.n_users, _N_MORE if quickly else _N_LISTS)
        by_rows = (given.ordered_by or "input") == "input" and truth.reading.order == "auto"
        found += [Notice("sorted_by_item", rankings.n_users)] if by_rows and some.are_sorted_by_item() else []
        found += some.off_by_one() or some.never_judged(truth)
        found += [Notice("same_as_baseline", rankings.n_users)] if _are_baseline(lists, tables, truth) else []
        found += [Notice("lists_as_judgments", rankings.n_users)] if some.are_judgments(truth.relevance) else []
    return replace(lists, input=replace(given, notices=[*given.notices, *found])) if found else lists


def _are_baseline(lists: CodedLists, tables: Tables, truth: Truth) -> bool:
    """Whether every list is that of the baseline."""
    rankings, users = lists.rankings, lists.input.ids["user"].within(tables.user)
    if truth.baseline is None or (users >= truth.n_users).any() or not len(rankings.items):
        return False
    own = truth.baseline.take(users)
    return np.array_equal(own.offsets, rankings.offsets) and np.array_equal(own.items, rankings.items)


def _against_budgets(rankings: Rankings, truth: Truth, budgets: Iterable[Tokens]) -> Iterator[Notice]:
    """Lists that end before a number of tokens is used up, and documents that are longer than it; unknown lengths may be any."""
    if truth.lengths is None:
        return
    known = np.where(rankings.items < truth.n_items, rankings.items, -1)
    lengths = np.append(truth.lengths.tokens, np.int64(0))[known]  # of items that only lists name it is not known
    unknown = lengths == 0

    def sums(values: npt.NDArray[Any]) -> Counts:
        before = np.append(np.int64(0), np.cumsum(values))
        found: Counts = before[rankings.offsets[1:]] - before[rankings.offsets[:-1]]
        return found

    budgets, known_throughout = sorted(budgets), sums(unknown) == 0
    if budgets and unknown.any():
        yield Notice("unknown_lengths", int(unknown.sum()))
    for budget in budgets:
        detail = {"tokens": budget.n}
        if n := int((known_throughout & (sums(lengths) < budget.n)).sum()):
            yield Notice("short_contexts", n, detail=detail)
        too_small = (sums(lengths <= budget.n) == 0) & (rankings.lengths > 0)
        if n := int(too_small.sum()):
            yield Notice("nothing_fits", n, detail=detail)
        if n := int((lengths > budget.n).sum()):
            yield Notice("long_documents", n, detail=detail)


def _shorter(lengths: Counts, cutoffs: Iterable[int]) -> Iterator[tuple[int, int]]:
    for cutoff in sorted(set(ranks_of(cutoffs))):
        if cutoff > 0 and (lengths < cutoff).any():
            yield cutoff, int((lengths < cutoff).sum())


@dataclass(frozen=True)
class _SomeLists:
    """The beginnings of some lists, and what is judged for their users."""

    rankings: Rankings
    own: Relevance | Subtopics | None
    ids: Ids

    @staticmethod
    def of(lists: CodedLists, tables: Tables, known: Relevance | Subtopics | None, n_known: int, n_lists: int) -> _SomeLists:
        rankings, own = lists.rankings, None
        chosen = np.arange(0, rankings.n_users, -(-rankings.n_users // n_lists))
        if known is not None:
            users = lists.input.ids["user"].within(tables.user)[chosen]
            own = known.take(np.where(users < n_known, users, -1))
        return _SomeLists(rankings.take(chosen).cut(_N_DEEP), own, tables.item.ids)

    @cached_property
    def are_judged(self) -> Flags:
        """Whether the item of each place is judged for the user."""
        assert self.own is not None
        n = len(self.ids)
        return _are_in(_pairs(self.rankings.offsets, self.rankings.items, n), np.sort(_pairs(self.own.offsets, self.own.items, n)))

    def are_sorted_by_item(self) -> bool:
        """Whether all lists are in the order of their ids, which is that of a table, and of no recommender.

        The most popular items may well be numbered so, and everybody gets nearly the same of them; so may be candidates of one user each.
        """
        ids, offsets = list(self.ids.take(self.rankings.items)), self.rankings.offsets
        long = [ids[start:stop] for start, stop in pairwise(offsets.tolist()) if stop - start >= _FEW_PLACES]
        if len(long) < _FEW_LISTS or not all(map(_ascends, long)):
            return False
        n_items, n_places = len({item for items in long for item in items}), sum(map(len, long))
        return 3 * max(map(len, long)) < n_items < n_places

    def off_by_one(self) -> Sequence[Notice]:
        """Whether items are numbers, and far more of them are judged for their users once 1 is added, or once it is subtracted.

        Where ids are dense some always are, by chance: about as many either way.
        """
        if self.own is None or not len(self.rankings.items) or not len(self.own.items):
            return []
        n_items = len(self.ids)
        whose, codes = np.divmod(np.unique(_pairs(self.own.offsets, self.own.items, n_items)), n_items)
        (listed, is_number), (judged, is_judged_number) = (_numbers(self.ids.take(some)) for some in (self.rankings.items, codes))
        numbers = np.sort(listed)
        pairs = np.sort(_pairs(self.rankings.offsets, np.searchsorted(numbers, listed), len(numbers))[is_number])
        hits = {}
        for shift in (-1, 0, 1):
            wanted = judged - shift
            is_listed = _are_in(whose * len(numbers) + np.searchsorted(numbers, wanted), pairs)
            hits[shift] = wanted[is_judged_number & _are_in(wanted, numbers) & is_listed]
        for shift in (-1, 1):
            n_hits, n_others = len(hits[shift]), max(1, len(hits[0]), len(hits[-shift]))
            if n_hits >= max(_FEW_SHIFTED, _TIMES_SHIFTED * n_others):
                here = int(hits[shift].min())
                return [Notice("items_off_by_one", n_hits, len(self.rankings.items), detail={"here": here, "there": here + shift})]
        return []

    def are_judgments(self, relevance: Relevance | None) -> bool:
        """Whether the lists are what they are judged by; candidates whose grades differ may well be ranked again."""
        lengths = self.rankings.lengths
        if relevance is None or self.own is None or len(lengths) < _FEW_LISTS or (lengths < _FEW_PLACES).any():
            return False
        same = np.array_equal(lengths, np.diff(self.own.offsets)) and bool(self.are_judged.all())
        return same and bool(relevance.relevant.all())

    def never_judged(self, truth: Truth) -> Sequence[Notice]:
        """Whether no list holds an item that is judged for its user, though some would by chance: lists avoid what is in a train set."""
        if self.own is None or self.are_judged.any():
            return []
        judged, wanted = truth.judged_items, np.diff(self.own.offsets)
        judgeable = np.append(judged, False)[np.minimum(self.rankings.items, len(judged))]
        by_chance = np.repeat(wanted, self.rankings.lengths)[judgeable].sum() / max(1, np.count_nonzero(judged))
        return [Notice("never_judged", int(by_chance))] if by_chance >= _FEW_BY_CHANCE else []


def _pairs(offsets: Offsets, codes: npt.NDArray[Any], n: int) -> Counts:
    """A number for each (list, code): the codes of each list are below n."""
    numbers: Counts = np.repeat(np.arange(len(offsets) - 1) * n, np.diff(offsets)) + codes
    return numbers


def _are_in(values: Counts, ascending: Counts) -> Flags:
    """Which of some numbers are among others."""
    if not len(ascending):
        return np.zeros(len(values), np.bool_)
    found: Flags = ascending[np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)] == values
    return found


def _numbers(ids: Ids) -> tuple[Counts, Flags]:
    """The ids that are whole numbers, and which are."""
    if is_text(ids.values):
        return np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
    if str(getattr(ids.values, "dtype", "")).casefold() == "int64":
        return np.asarray(ids.values), np.ones(len(ids), np.bool_)
    small = [isinstance(id, int) and abs(id) < _LARGEST_NUMBER for id in ids]
    return np.array([id if fits else 0 for id, fits in zip(ids, small, strict=True)], dtype=np.int64), np.array(small, dtype=np.bool_)


def _ascends(items: Sequence[Any]) -> bool:
    """Whether ids ascend, as text or as the numbers that they are."""
    if len({type(item) for item in items}) > 1 or not isinstance(items[0], int | str):
        return False
    are_numbers = all(isinstance(item, str) and item.isdecimal() and len(item) < 20 for item in items)
    kinds = [items, list(map(int, items))] if are_numbers else [items]
    return any(all(a < b for a, b in pairwise(one)) for one in kinds)
