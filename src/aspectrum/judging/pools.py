"""Pools: the items an ideal list may choose from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Offsets
from aspectrum.judging.coverage import Coverage

PoolName = Literal["judged", "catalogue", "unseen", "list"]


@dataclass(frozen=True, eq=False)
class OwnPools:
    """A pool for each user, as rows of the sets of a coverage; -1 is no item."""

    offsets: Offsets
    rows: Codes

    def without(self, marked: Flags) -> OwnPools:
        return OwnPools(self.offsets, np.where(marked, np.int32(-1), self.rows))

    @property
    def size(self) -> int:
        return int(np.diff(self.offsets).max(initial=0))


@dataclass(frozen=True, eq=False)
class SharedPool:
    """One pool for all users: distinct sets with the heads of their items, largest first, less the items excluded for a user."""

    sets: Codes
    member_offsets: Offsets
    member_heads: Codes
    n_items: int
    excluded_offsets: Offsets | None = None
    excluded_heads: Codes | None = None

    @property
    def size(self) -> int:
        return len(self.member_heads)

    @property
    def parts(self) -> tuple[Codes, Offsets, Codes, int, Offsets | None, Codes | None]:
        """As kernels take them."""
        return self.sets, self.member_offsets, self.member_heads, self.n_items, self.excluded_offsets, self.excluded_heads


def pool_of(coverage: Coverage, name: PoolName) -> OwnPools | SharedPool:
    """What the ideal lists of a coverage may choose from."""
    if name == "list":
        return OwnPools(coverage.rankings.offsets, coverage.rows)
    catalogue = coverage.world.catalogue
    if name == "judged" or coverage.judging.only_judged_gain:
        own = coverage.judging.judged_pool(coverage)
        if name != "judged" and catalogue is not None:
            own = own.without(~np.append(catalogue, False)[_items(coverage, own)])
        if name != "unseen":
            return own
        history = coverage.world.need_history("pool 'unseen'")
        return own.without(kernels.lookup(own.offsets, _items(coverage, own), history.offsets, history.items) >= 0)
    shared = coverage.world.remember(("distinct sets",), lambda: _catalogue(coverage))
    if name == "catalogue":
        return shared
    history = coverage.world.need_history("pool 'unseen'")
    return replace(shared, excluded_offsets=history.offsets, excluded_heads=coverage.world.truth.items.heads[history.items])


def catalogue_totals(coverage: Coverage) -> Floats:
    """How many items of the catalogue have each aspect."""
    catalogue, sets = coverage.world.catalogue, coverage.sets

    def count() -> Floats:
        inside = slice(None) if catalogue is None else np.repeat(catalogue, np.diff(sets.offsets))
        return np.bincount(sets.codes[inside], minlength=sets.n_aspects).astype(np.float64)

    return coverage.world.remember(("catalogue totals",), count)


def _catalogue(coverage: Coverage) -> SharedPool:
    possible = np.diff(coverage.sets.offsets) > 0
    if coverage.world.catalogue is not None:
        possible &= coverage.world.catalogue
    rows = np.flatnonzero(possible).astype(np.int32)
    order = np.ascontiguousarray(rows[np.argsort(coverage.heads[rows], kind="stable")[::-1]])
    sets = kernels.distinct_sets(coverage.without_lists(0, None, None), order, coverage.heads)
    return SharedPool(*sets, coverage.world.truth.n_items)


def _items(coverage: Coverage, own: OwnPools) -> Codes:
    """The items of the rows of pools; arbitrary where a row is -1."""
    return own.rows if coverage.row_items is None else np.ascontiguousarray(coverage.row_items[own.rows])
