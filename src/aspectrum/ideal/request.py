"""Which ideal lists are asked for, which users share one, and what is known of one."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from aspectrum.arrays import Offsets
from aspectrum.discounts import Discount
from aspectrum.gain import GainRule
from aspectrum.judging import Coverage, OwnPools, PoolName, SharedPool, pool_of
from aspectrum.memory import Memory
from aspectrum.world import World

K = TypeVar("K", bound=Hashable)

EXACT = 2e-12
"""A proof holds to this share of the best list: 1e-12 from the search, less for ranks that it leaves out and for rounding."""


@dataclass(frozen=True, slots=True)
class Ideal:
    """What the best list gains, and what is known of it: no list gains more than ``upper``."""

    best: float
    upper: float
    proved_by: Literal["search", "HiGHS"] | None
    work: float

    @property
    def proved(self) -> bool:
        return self.proved_by is not None


@dataclass(frozen=True, eq=False)
class IdealRequest:
    """The ideal lists of the users of a coverage: chosen from a pool, by a gain rule and a discount."""

    coverage: Coverage
    pool_name: PoolName
    rule: GainRule
    discount: Discount

    @cached_property
    def pool(self) -> OwnPools | SharedPool:
        return pool_of(self.coverage, self.pool_name)

    @property
    def holds_lists(self) -> bool:
        """Whether the pool holds every item that can gain, so that no list is better than the ideal."""
        if self.pool_name == "list":
            return True
        if self.pool_name == "judged":
            return self.coverage.judging.only_judged_gain
        return self.pool_name == "catalogue" and self.coverage.world.catalogue is None

    @property
    def kind(self) -> str:
        """What tells these ideal lists from others of users with the same interests; a text, whose hash Python keeps."""
        return f"{self.coverage.judging.name} {self.pool_name} {self.rule} {self.discount}"

    @property
    def memory(self) -> Memory:
        """Ideals found so far, shared by all parts of a world."""
        return self.coverage.world.remember(("ideals",), Memory)


@runtime_checkable
class HasIdeal(Protocol):
    """A metric that divides by the gains of an ideal list."""

    @property
    def ideal(self) -> str | None: ...
    @property
    def budget(self) -> float | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def cutoffs(self) -> tuple[int, ...]: ...

    def ideal_request(self, world: World) -> IdealRequest | None:
        """The ideal lists to divide by; None if the metric, with its parameters, does not divide by one."""


def distinct_interests(coverage: Coverage) -> tuple[Sequence[Hashable], Offsets, Offsets]:
    """A key for each distinct set of interests, the first user who has it, and the place of each user's set among them."""
    if coverage.wanted is None:
        interests = np.zeros(coverage.world.n_users, np.uint64) if coverage.interests is None else coverage.interests
        distinct, first, same = np.unique(interests, return_index=True, return_inverse=True)
        return distinct.tolist(), first, same
    codes, weights = coverage.wanted.codes, coverage.wanted.weights
    keys = []
    for start, stop in pairwise(coverage.wanted.offsets.tolist()):
        content = codes[start:stop].tobytes() + (b"" if weights is None else b"weights" + weights[start:stop].tobytes())
        keys.append(hashlib.blake2b(content, digest_size=16).digest())
    return distinct_keys(keys)


def distinct_keys(keys: Iterable[K]) -> tuple[list[K], Offsets, Offsets]:
    """Each key once, where it first stands, and the place of every key among them."""
    places: dict[K, int] = {}
    same = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    return list(places), np.unique(same, return_index=True)[1], same
