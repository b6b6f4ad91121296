"""Which share of the exposure each group should have."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum.arrays import Offsets
from aspectrum.blocks.aspect_shares import normalised
from aspectrum.blocks.item_groups import GroupSums, catalogue_membership, group_code, group_details, group_names, membership, needs_groups
from aspectrum.divergences import Distributions
from aspectrum.errors import MetricError
from aspectrum.metric import UserMetric
from aspectrum.wording import did_you_mean
from aspectrum.world import Truth, World

GivenShares = Mapping[Hashable, float] | tuple[tuple[Hashable, float], ...]
"""A share for each group; a mapping becomes pairs, so that the metric stays a value."""

Target = Literal["catalogue", "relevant", "uniform"]


@dataclass(frozen=True, eq=False)
class Targets:
    """Target distributions over groups, one per cell; ``cells`` says which is that of each user."""

    distributions: Distributions
    cells: Offsets


def shares_of(sums: GroupSums) -> Distributions:
    """Sums of groups as shares of their cell's total."""
    return normalised(sums.offsets, sums.codes, sums.sums)


@dataclass(frozen=True)
class TargetMetric(UserMetric):
    """A score that compares the exposure of groups with a target."""

    abstract: ClassVar[bool] = True

    target: Target | Literal["list"] | GivenShares = "catalogue"

    family = "fairness"
    built_on = ("groups", "aspects", "catalogue")

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.target, tuple):
            shares = [share for _, share in self.target]
            if not all(0 <= share < math.inf for share in shares) or not any(shares):
                raise MetricError(f"{type(self).__name__}: target is {dict(self.target)}, expected shares from 0, one of them above 0")

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_groups(*(("relevance",) if self.target == "relevant" else ()))

    def resolved(self, truth: Truth) -> Self:
        """Groups that are given a share must be known: a misspelt name would be a group that nothing is ever in."""
        if isinstance(self.target, tuple) and (truth.groups is not None or truth.aspects is not None):
            for group, _ in self.target:
                if group_code(truth, group) is None:
                    names = group_names(truth)
                    kinds = ("text", "numbers") if isinstance(group, str) else ("a number", "text")
                    hint = f": it is {kinds[0]}, and groups are {kinds[1]}" if str(group) in names else did_you_mean(str(group), names)
                    raise MetricError(f"{type(self).__name__}: target has a share for {group!r}, and no item is in such a group{hint}")
        return self

    def details(self, truth: Truth) -> Mapping[str, Any]:
        relevance = truth.relevance if self.target == "relevant" else None
        return group_details(truth) | ({} if relevance is None else {"threshold": relevance.threshold})


def targets(world: World, target: Target | GivenShares, needed_by: str) -> Targets:
    """The target of each user: one for all but where it is the user's relevant items."""
    if target == "relevant":
        of_users = shares_of(membership(world).of_relevant(world.need_relevance(needed_by)))
        return Targets(of_users, np.arange(world.n_users))
    shared = world.remember(("target of groups", target), lambda: _shared(world, target))
    return Targets(shared, np.zeros(world.n_users, dtype=np.int64))


def _shared(world: World, target: Target | GivenShares) -> Distributions:
    sizes = catalogue_membership(world).sizes()
    if target == "uniform":
        sizes = (sizes > 0).astype(np.float64)
    elif not isinstance(target, str):
        sizes = np.zeros_like(sizes)
        for group, share in dict(target).items():
            sizes[group_code(world.truth, group)] = share
    codes = np.flatnonzero(sizes).astype(np.int32)
    return shares_of(GroupSums(np.array([0, len(codes)]), codes, sizes[codes], len(sizes)))
