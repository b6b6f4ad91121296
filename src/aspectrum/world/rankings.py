"""Ranked lists, best first."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

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
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "offsets", offsets)
        if self.tied is not None:
            object.__setattr__(self, "tied", as_flags(self.tied, len(items), "rankings: tied"))
        if self.listed is not None:
            listed = as_flags(self.listed, len(offsets) - 1, "rankings: listed")
            odd = np.flatnonzero(~listed & (np.diff(offsets) > 0))
            if len(odd):
                raise InputError(
                    f"rankings: listed says that user code {odd[0]} has no list, and the list has {np.diff(offsets)[odd[0]]} items"
                )
            object.__setattr__(self, "listed", listed)

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Offsets:
        return np.diff(self.offsets)

    def stops(self, cutoffs: Sequence[int]) -> Codes:
        """Where each cutoff ends each list, (users, cutoffs); a cutoff of -1 is the whole list."""
        lengths = self.lengths[:, np.newaxis]
        whole = np.iinfo(np.int32).max
        limits = np.array([whole if k < 0 else k for k in cutoffs], dtype=np.int64)
        return np.ascontiguousarray(np.minimum(lengths, limits[np.newaxis, :]), dtype=np.int32)

    def take(self, users: npt.NDArray[Any]) -> "Rankings":
        offsets, index = choose_segments(self.offsets, users)
        return Rankings(
            offsets,
            self.items[index],
            None if self.tied is None else self.tied[index],
            None if self.listed is None else self.listed[users],
        )

    def keep(self, kept: Flags) -> "Rankings":
        """The lists without the places that are not kept; later items move up."""
        before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        return Rankings(before[self.offsets], self.items[kept], None, self.listed)

    def cut(self, depth: int) -> "Rankings":
        """The first places of each list."""
        places = np.arange(len(self.items)) - np.repeat(self.offsets[:-1], self.lengths)
        kept = places < depth
        cut = self.keep(kept)
        return Rankings(cut.offsets, cut.items, None if self.tied is None else self.tied[kept], self.listed)
