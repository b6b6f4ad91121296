"""Metrics of a whole system that are made of sums over users."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Counts, Floats
from aspectrum.metric import Metric
from aspectrum.states import State, Totals, exact_sums
from aspectrum.world import Truth, World

_NUMBERS_AT_A_TIME = 4_000_000


@dataclass(frozen=True)
class SystemMetric(Metric):
    """One number of all lists together, made of sums over users; there are no scores of users.

    A user without a list adds nothing to the sums where more is better. Elsewhere that would praise missing lists: such users are left out.
    """

    abstract: ClassVar[bool] = True

    def terms(self, world: World) -> Floats:
        """What each user adds to each sum, (users, cutoffs, sums), of a metric whose choices are made; NaN for users who are left out."""
        raise NotImplementedError

    def value_from(self, sums: Floats) -> Floats:
        """The number that sums make; they are the last axis, the others are kept. NaN if it has no meaning."""
        raise NotImplementedError

    def n_sums(self, truth: Truth) -> int:
        """How many sums there are, where that may be many: so many users are summed at a time that the terms fit into memory."""
        return 1

    def labels(self, truth: Truth) -> tuple[str, ...]:
        """The groups that the sums are of, by name, where there are some."""
        return ()

    def noticed(self, world: World) -> Mapping[str, Counts]:
        """What a user should know of, counted per cutoff."""
        return {}

    def value_of(self, state: Totals) -> float:
        return float(self.value_from(state.rounded))

    def observe(self, world: World) -> list[State]:
        resolved = self.resolved(world.truth)
        several = [resolved._totals(part) for part in resolved._parts(world)]
        return [reduce(add, states) for states in zip(*several, strict=True)]

    def contributions(self, world: World, states: Sequence[State]) -> Floats | None:
        resolved = self.resolved(world.truth)
        without = np.concatenate([resolved._without(part, states) for part in resolved._parts(world)])
        columns = zip(states, without.T, strict=True)
        return np.stack([leave_one_out.contributions(state.value, column) for state, column in columns], axis=1)

    def _parts(self, world: World) -> Iterator[World]:
        size = max(1, _NUMBERS_AT_A_TIME // (len(self.cutoffs) * max(1, self.n_sums(world.truth))))
        yield from world.batches(size) if world.n_users else [world]

    def _terms(self, world: World) -> Floats:
        terms = self.terms(world)
        return terms if self.higher_is_better else np.where(world.listed[:, np.newaxis, np.newaxis], terms, math.nan)

    def _totals(self, world: World) -> list[Totals]:
        """The sums over some users, of a metric whose choices are made."""
        terms, noticed, labels = self._terms(world), self.noticed(world), self.labels(world.truth)
        missing, built_on = int((~world.listed).sum()), world.truth.fingerprint_of(self.built_on)
        states = []
        for place, cutoff in enumerate(self.cutoffs):
            own = terms[:, place]
            left_out = np.isnan(own).any(axis=1)
            sums, n_out = tuple(exact_sums(own[~left_out])[0]), int(left_out.sum())
            found = {name: int(counts[place]) for name, counts in noticed.items()}
            states.append(Totals(self.at(cutoff), sums, len(own) - n_out, n_out, missing, found, built_on, labels))
        return states

    def _without(self, world: World, states: Sequence[State]) -> Floats:
        """The value of all without each of some users, (users, cutoffs)."""
        terms = self._terms(world)
        found = np.empty(terms.shape[:2])
        for place, state in enumerate(states):
            assert isinstance(state, Totals)
            found[:, place] = self.value_from(state.rounded - np.nan_to_num(terms[:, place]))
        return found
