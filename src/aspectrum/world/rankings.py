"""Ranked lists, best first."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Offsets, as_codes, as_flags, as_offsets, choose_segments
from aspectrum.errors import InputError


@dataclass(frozen=True, eq=False)
class Rankings:
    """One list per user, as codes: the list of user u is ``items[offsets[u]:offsets[u + 1]]``.

    Arrays that already are contiguous int64 offsets and int32 items are kept, not copied.

    Args:
        offsets: Where each user's list starts, and the end of the last.
        items: Items, best first.
        tied: Places whose score equals that of the place before; None if unknown.
        listed: Users who have a list at all (an empty list is a list); None if all have.
    """

    offsets: Offsets
    items: Codes
    tied: Flags | None = None
    listed: Flags | None = None

    def __post_init__(self) -> None:
        items = as_codes(self.items, "rankings: items")
        offsets = as_offsets(self.offsets, len(items), "rankings")
        tied = None if self.tied is None else as_flags(self.tied, len(items), "rankings: tied")
        listed = None if self.listed is None else as_flags(self.listed, len(offsets) - 1, "rankings: listed")
        self.__dict__.update(offsets=offsets, items=items, tied=tied, listed=listed)
        if listed is not None and (odd := np.flatnonzero(~listed & (self.lengths > 0))).size:
            raise InputError(f"rankings: listed says that user code {odd[0]} has no list, and the list has {self.lengths[odd[0]]} items")

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Offsets:
        return np.diff(self.offsets)

    def stops(self, cutoffs: Sequence[int]) -> Codes:
        """Where each cutoff ends each list, (users, cutoffs); a cutoff of -1 is the whole list."""
        return stops_of(self.lengths, cutoffs)

    def depths(self, cutoffs: Sequence[int]) -> Offsets:
        """How many ranks each cutoff has, (users, cutoffs), also where a list is shorter; -1 has those of the list, at least one."""
        return np.where(np.array(cutoffs) < 0, np.maximum(self.lengths, 1)[:, np.newaxis], np.array(cutoffs))

    def take(self, users: npt.NDArray[Any]) -> "Rankings":
        """Those of some users; -1 is a user without any."""
        offsets, index = choose_segments(self.offsets, users)
        tied, listed = (
            None if self.tied is None else self.tied[index],
            None if self.listed is None else np.append(self.listed, False)[users],
        )
        return Rankings(offsets, self.items[index], tied, listed)

    def keep(self, kept: Flags) -> "Rankings":
        """The lists without the places that are not kept; later items move up."""
        before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        tied = None
        if self.tied is not None:  # items of a group still are
            groups = np.cumsum(~self.tied)[kept]
            tied = np.diff(groups, prepend=-1) == 0
            starts = before[self.offsets[:-1]]
            tied[starts[starts < len(tied)]] = False
        return Rankings(before[self.offsets], self.items[kept], tied, self.listed)

    def cut(self, depth: int, *, whole_groups: bool = False) -> "Rankings":
        """The first places of each list; with whole groups, also those that are tied with the last."""
        tied = None if self.tied is None else self.tied.view(np.uint8)
        offsets, items, tied = kernels.cut_lists(self.offsets, self.items, tied, depth, whole_groups)
        return Rankings(offsets, items, None if tied is None else tied.view(np.bool_), self.listed)

    @property
    def ranks(self) -> Offsets:
        """The rank of every place in its list."""
        return np.arange(1, len(self.items) + 1) - np.repeat(self.offsets[:-1], self.lengths)


def stops_of(lengths: Offsets, cutoffs: Sequence[int]) -> Codes:
    """Where each cutoff ends lists of some lengths, (lists, cutoffs); a cutoff of -1 is the whole list."""
    limits = np.array([np.iinfo(np.int32).max if k < 0 else k for k in cutoffs], dtype=np.int64)
    return np.ascontiguousarray(np.minimum(lengths[:, np.newaxis], limits), dtype=np.int32)
