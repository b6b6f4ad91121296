"""Coverage: for each place in each list, the aspects that count there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Masks, Offsets, Ties, no_segments, take_segments
from aspectrum.world import Rankings, World
from aspectrum.world.aspects import AspectSets

if TYPE_CHECKING:
    from aspectrum.judging.judging import Judging


@dataclass(frozen=True, eq=False)
class WantedAspects:
    """The aspects each user wants, ascending by code; ``weights`` None means 1 each."""

    offsets: Offsets
    codes: Codes
    weights: Floats | None = None

    def take(self, users: Offsets) -> WantedAspects:
        offsets, index = take_segments(self.offsets, users)
        return WantedAspects(offsets, self.codes[index], None if self.weights is None else self.weights[index])

    @classmethod
    def counted(cls, offsets: Offsets) -> WantedAspects:
        """Aspects 0, 1, 2 ... of each user."""
        codes = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        return cls(offsets, codes.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Coverage:
    """Lists whose places point at sets of aspects, and which of those aspects count for each user.

    Args:
        judging: The way of judging, with its world.
        rankings: The lists.
        sets: Sets of aspects.
        rows: For each place, a row of ``sets``, or -1 for no aspects.
        row_items: The item of each row; None where rows are items.
        attainable: Number, or total weight, of the aspects each user could be shown.
        interests: The aspects that count for each user, as bit masks.
        wanted: The same as codes, with weights. Without both, all aspects count.
        kept: Places of the world's lists that are left after the cut; None where lists were not cut first.
        whole: The same where a document that was cut counts in full; None where none was.
        full: Whether unjudged places hold all aspects that are listed, which then are a user's own aspects and the unserved ones.
    """

    judging: Judging
    rankings: Rankings
    sets: AspectSets
    rows: Codes
    row_items: Codes | None
    attainable: Floats
    interests: Masks | None = None
    wanted: WantedAspects | None = None
    kept: Flags | None = None
    full: bool = False
    whole: Coverage | None = None

    @property
    def world(self) -> World:
        return self.judging.world

    @cached_property
    def kernel(self) -> kernels.Cover:
        """The same as kernels take it."""
        sets, wanted = self.sets, self.wanted
        return kernels.Cover(
            self.rankings.offsets,
            self.rows,
            sets.offsets,
            sets.codes,
            sets.n_aspects,
            strengths=sets.strengths,
            masks=sets.masks if wanted is None else None,
            interests=self.interests,
            wanted_offsets=None if wanted is None else wanted.offsets,
            wanted_codes=None if wanted is None else wanted.codes,
            wanted_weights=None if wanted is None else wanted.weights,
            in_code_order=self.world.truth.reading.aspects_in_order,
        )

    @property
    def tied(self) -> Ties | None:
        """Places with the score of the place before (1 or 0), where scores are averaged over orders; None if no order matters."""
        tied = self.rankings.tied
        return None if self.world.tied is None or tied is None else tied.view(np.uint8)

    def without_lists(self, n_users: int, interests: Masks | None, wanted: WantedAspects | None) -> kernels.Cover:
        """The same sets for users without a list."""
        nothing = Rankings(no_segments(n_users), np.empty(0, dtype=np.int32))
        return replace(self, rankings=nothing, rows=nothing.items, interests=interests, wanted=wanted).kernel

    def stops(self, cutoffs: Sequence[int]) -> Codes:
        """Where each cutoff ends each list, (users, cutoffs)."""
        if self.kept is None:
            return self.rankings.stops(cutoffs)
        # Unjudged items were dropped after the cut: a cutoff ends after the judged among its first k.
        whole = self.world.rankings
        kept_before = np.concatenate(([0], np.cumsum(self.kept)))
        ends = whole.offsets[:-1, np.newaxis] + whole.stops(cutoffs)
        return np.ascontiguousarray(kept_before[ends] - kept_before[whole.offsets[:-1]][:, np.newaxis], dtype=np.int32)

    @cached_property
    def heads(self) -> Codes:
        """The place of each row's item in the order of item ids, which breaks ties."""
        heads = self.world.truth.items.heads
        return heads if self.row_items is None else heads[self.row_items]
