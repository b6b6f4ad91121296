"""How popular items are: among all users, whoever has a list."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from aspectrum.arrays import Counts
from aspectrum.coding.ids import Ids
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError, MissingInput


@dataclass(frozen=True, eq=False)
class Popularity:
    """How many users had each item, and how often it was had.

    Args:
        users: How many users had each item, by code.
        of_users: How many users had any; None if nobody said.
        interactions: How often each item was had; None if once by each user.
    """

    users: Counts
    of_users: int | None
    interactions: Counts | None = None

    def __post_init__(self) -> None:
        for counts in (self.users, self.times):
            if counts.dtype.kind not in "iu" or counts.ndim != 1 or len(counts) != len(self.users) or (counts < 0).any():
                raise InputError("popularity: expected one count per item, a whole number from 0")

    def stretched(self, n_items: int) -> Popularity:
        """The same for more items, which nobody had."""
        missing = n_items - len(self.users)
        if missing < 0:
            raise InputError(f"popularity speaks of {len(self.users)} items, the world has {n_items}")
        if missing == 0:
            return self
        users, times = (np.append(counts, np.zeros(missing, np.int64)) for counts in (self.users, self.times))
        return replace(self, users=users, interactions=None if self.interactions is None else times)

    @property
    def n_users(self) -> int:
        """How many users had any item."""
        if self.of_users is None:
            raise MissingInput(
                "popularity was given without the number of users: pass ", Option("popularity_users"), " or ", Option("history")
            )
        return self.of_users

    @property
    def times(self) -> Counts:
        """How often each item was had."""
        return self.users if self.interactions is None else self.interactions

    @cached_property
    def n_interactions(self) -> int:
        return int(self.times.sum())

    def fingerprint(self, items: Ids) -> str:
        """A digest that tells it from any other: the same whatever the codes of items are, and what holds their ids."""
        digest = hashlib.blake2b(f"{self.of_users} {self.n_interactions}".encode(), digest_size=16)
        counted = np.flatnonzero(self.users | self.times)
        names = list(map(repr, items.take(counted)))
        order = np.argsort(items.heads[counted]) if items.can_be_ordered else sorted(range(len(names)), key=names.__getitem__)
        digest.update("\n".join(names[place] for place in order).encode())
        for counts in (self.users, self.times):
            digest.update(np.ascontiguousarray(counts[counted][order]).data)
        return digest.hexdigest()
