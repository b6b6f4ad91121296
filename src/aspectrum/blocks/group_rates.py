"""Disparity between groups in how often their items are recommended, of those that could have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.blocks.item_groups import Membership, group_details, group_names, membership, needs_groups, within_catalogue
from aspectrum.blocks.long_tail import Reach, head_by_interactions
from aspectrum.blocks.system_metric import SystemMetric
from aspectrum.metric import check_goes_with, check_unit
from aspectrum.states import Totals
from aspectrum.world import Truth, World
from aspectrum.world.aspects import AspectSets


@dataclass(frozen=True)
class GroupRates(SystemMetric):
    """Standard deviation over mean of the groups' rates; an item counts fully in each of its groups."""

    abstract: ClassVar[bool] = True

    groups_by: Literal["given", "popularity"] = "given"
    candidates: Literal["unseen", "all"] = "unseen"
    head: float = 0.8
    reach: Reach = "at_least"
    unseen_in_tail: bool = False

    family = "fairness"
    higher_is_better = False
    also_needs: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, head=self.head)
        for name in ("head", "reach", "unseen_in_tail"):
            check_goes_with(self, name, "groups_by", "popularity")

    def needs(self) -> tuple[frozenset[str], ...]:
        others = (*self.also_needs, *(("history",) if self.candidates == "unseen" else ()))
        if self.groups_by == "given":
            return needs_groups(*others)
        sources = ("history",) if "history" in others else ("history", "popularity")
        return tuple(frozenset({source, *others}) for source in sources)

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the parameters
        return ("popularity", "catalogue") if self.groups_by == "popularity" else ("groups", "aspects", "catalogue")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return group_details(truth) if self.groups_by == "given" else {}

    def n_sums(self, truth: Truth) -> int:
        return 4 if self.groups_by == "popularity" else 2 * truth.item_groups[0].n_aspects

    def labels(self, truth: Truth) -> tuple[str, ...]:
        return ("head", "tail") if self.groups_by == "popularity" else group_names(truth)

    def noticed(self, world: World) -> Mapping[str, Counts]:
        return self.groups(world).places_outside(world, self.cutoffs)

    def groups(self, world: World) -> Membership:
        """Items of the catalogue in their groups, each counting 1."""
        if self.groups_by == "given":
            return world.remember("members of groups", lambda: _counted(within_catalogue(membership(world), world.truth)))
        facts = (self.head, self.reach, self.unseen_in_tail)
        return world.remember(("head and tail", *facts), lambda: self._head_and_tail(world.truth))

    def _head_and_tail(self, truth: Truth) -> Membership:
        groups = np.ones(truth.n_items, dtype=np.int32)
        groups[head_by_interactions(truth, self.head, self.reach)] = 0
        grouped: Flags = np.ones(truth.n_items, dtype=np.bool_) if self.unseen_in_tail else truth.item_popularity.times > 0
        offsets = np.concatenate(([0], np.cumsum(grouped)))
        return within_catalogue(Membership(AspectSets(offsets, groups[grouped], 2), None), truth)

    def value_from(self, sums: Floats) -> Floats:
        found, possible = np.split(sums, 2, axis=-1)
        counted = possible > 0
        n = counted.sum(axis=-1)
        rates = np.zeros(found.shape)
        np.divide(found, possible, out=rates, where=counted)
        # Measured from the least, so that equal rates are exactly equal; and added in order, so that the order of groups does not show.
        least = rates.min(axis=-1, initial=np.inf, where=counted, keepdims=True)
        above = np.where(counted, rates - np.where(np.isfinite(least), least, 0.0), 0.0)
        mean = _sums(above) / np.maximum(n, 1)
        spread = np.where(counted, above - mean[..., np.newaxis], 0.0)
        deviation = np.sqrt(_sums(spread * spread) / np.maximum(n, 1))
        average = np.where(np.isfinite(least[..., 0]), least[..., 0], 0.0) + mean
        value = np.full(n.shape, np.nan)
        np.divide(deviation, average, out=value, where=(n > 1) & (average > 0))
        return value

    def parts_of(self, state: Totals) -> Mapping[str, float]:
        """The rate of each group."""
        found, possible = np.split(state.rounded, 2)
        columns = zip(state.labels, found, possible, strict=True)
        return {f"rate {name}": float(number / of) for name, number, of in columns if of > 0}


def _counted(groups: Membership) -> Membership:
    return Membership(groups.sets, None)


def _sums(terms: Floats) -> Floats:
    """Over the last axis, from the least on, one after the other."""
    ordered = np.sort(np.append(terms, np.zeros((*terms.shape[:-1], 1)), axis=-1), axis=-1)
    total: Floats = np.cumsum(ordered, axis=-1)[..., -1]
    return total
