"""Evidence: the lists of a system behind its results, for what numbers do not show."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from aspectrum.arrays import Codes, Counts, Flags, Floats, choose_segments
from aspectrum.coding.ids import Ids
from aspectrum.coding.reading import Input
from aspectrum.results import Column
from aspectrum.user_scores import UserScores
from aspectrum.user_traits import Trait, trait_values
from aspectrum.world import Rankings, Truth
from aspectrum.world.building import CodedLists, Tables


class Measured(Protocol):
    """What evidence knows of the plan that measured the lists."""

    @property
    def truth(self) -> Truth: ...
    @property
    def tables(self) -> Tables: ...

    def contributions(self, lists: CodedLists, columns: Mapping[str, Column], among: Iterable[Input] = ()) -> list[UserScores]: ...


@dataclass(frozen=True)
class ShownItem:
    """A place of a list: the item, its aspects in the order of the truth, and whether the user finds it relevant."""

    item: Hashable
    aspects: tuple[str, ...]
    relevant: bool


@dataclass(frozen=True, eq=False)
class Background:
    """The plan behind results whose lists are not kept: what it knows of users."""

    plan: Measured
    knows_users: ClassVar[bool] = True

    @property
    def ties(self) -> str:
        """Which of two items with equal scores came first."""
        return str(self.plan.truth.reading.ties)

    def contributions(self, columns: Mapping[str, Column]) -> list[UserScores]:
        """What users contribute to metrics of a whole system, which takes the lists."""
        return []

    def trait(self, trait: Trait) -> tuple[Ids, Floats, str]:
        """Users with a number each, and what to know of it; see :mod:`aspectrum.user_traits`."""
        values, note = trait_values(self.plan.truth, trait)
        table = self.plan.tables.user
        return table.renamed(table.ids.slice(0, len(values))), values, note


@dataclass(frozen=True, eq=False)
class Evidence(Background):
    """The lists of a system, those of other systems in the same call, and the plan that measured them."""

    lists: CodedLists
    among: tuple[Input, ...] = ()
    averaged: Flags | None = None  # users of the lists who are; None means all

    def contributions(self, columns: Mapping[str, Column]) -> list[UserScores]:
        """What users contribute to metrics of a whole system; see :mod:`aspectrum.leave_one_out`."""
        return self.plan.contributions(self.lists, columns, self.among)

    @cached_property
    def catalogue(self) -> Flags:
        """Items that could have been recommended, by code: those of a catalogue that was given, else all that the call knows."""
        n, truth = len(self.plan.tables.item), self.plan.truth
        flags = np.zeros(n, dtype=np.bool_)
        if truth.catalogue is not None:
            flags[: len(truth.catalogue)] = truth.catalogue
            return flags
        flags[: truth.n_items] = True
        for lists in (self.lists.input, *self.among):
            flags[lists.ids["item"].within(self.plan.tables.item)] = True
        return flags

    def shown(self, cutoff: int) -> Counts:
        """How often each item of the catalogue is recommended."""
        counts = np.bincount(self._top(cutoff).items, minlength=len(self.catalogue))
        return counts[self.catalogue]

    def _top(self, cutoff: int) -> Rankings:
        lists = self.lists.rankings if self.averaged is None else self.lists.rankings.take(np.flatnonzero(self.averaged))
        return lists if cutoff < 0 else lists.cut(cutoff)

    def aspect_names(self) -> list[str]:
        return [str(aspect) for aspect in self.plan.truth.aspect_ids] if self.plan.truth.aspects is not None else []

    def aspect_shares(self, cutoff: int) -> Floats:
        """For each aspect, the share of recommended places whose item has it."""
        return self._shares(self._top(cutoff).items)

    def catalogue_shares(self) -> Floats:
        """For each aspect, the share of the catalogue that has it."""
        return self._shares(np.flatnonzero(self.catalogue).astype(np.int32))

    def history_shares(self) -> Floats | None:
        """For each aspect, the share of histories that has it; None without histories."""
        history = self.plan.truth.history
        return None if history is None else self._shares(history.items)

    def _shares(self, items: Codes) -> Floats:
        aspects = self.plan.truth.aspects
        assert aspects is not None
        known = items[items < aspects.n_items]
        _, index = choose_segments(aspects.offsets, known)
        return np.bincount(aspects.codes[index], minlength=aspects.n_aspects) / max(1, len(items))

    def list_of(self, user: Hashable, cutoff: int) -> list[ShownItem]:
        """The top of a user's list."""
        names = self.plan.tables.user.renamed(self.lists.input.ids["user"].ids)
        place = names.code(user)
        if place is None:
            return []
        truth, rankings = self.plan.truth, self.lists.rankings
        start, stop = rankings.offsets[place : place + 2].tolist()
        items = rankings.items[start : stop if cutoff < 0 else min(stop, start + cutoff)]
        relevant: set[int] = set()
        code = int(self.lists.input.ids["user"].within(self.plan.tables.user)[place])
        if truth.relevance is not None and code < truth.relevance.n_users:
            rows = slice(*truth.relevance.offsets[code : code + 2].tolist())
            relevant = set(truth.relevance.items[rows][truth.relevance.relevant[rows]].tolist())
        ids = self.plan.tables.item.renamed(self.plan.tables.item.ids.take(items))
        return [ShownItem(id, self._aspects_of(item), item in relevant) for id, item in zip(ids, items.tolist(), strict=True)]

    def _aspects_of(self, item: int) -> tuple[str, ...]:
        aspects = self.plan.truth.aspects
        if aspects is None or item >= aspects.n_items:
            return ()
        codes = aspects.codes[aspects.offsets[item] : aspects.offsets[item + 1]]
        return tuple(str(self.plan.truth.aspect_ids[code]) for code in codes.tolist())
