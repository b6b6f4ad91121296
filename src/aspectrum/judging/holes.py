"""What unjudged items add to coverage where each of them holds a limited number of aspects."""

from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, take_segments
from aspectrum.errors import InputError
from aspectrum.judging.coverage import Coverage

AtMost = int | Literal["judged"]


def added_by_holes(coverage: Coverage, stops: Codes, at_most: AtMost, *, whole: bool) -> Floats:
    """The weight of what unjudged items at the top may add to what the judged ones cover, (users, cutoffs): of the aspects that are listed,
    the heaviest that are not covered.

    Args:
        coverage: Of lists in which unjudged items keep their place.
        at_most: How many aspects an unjudged item holds; ``judged``: as many as the judged item of the same user with the most.
        whole: Whether a question with several answers counts only if all are shown, which this cannot bound.
    """
    judging, rankings, sets = coverage.judging, coverage.rankings, coverage.sets
    if whole and judging.questions() is not None:
        raise InputError("at_most counts single aspects, and some questions ask for several answers (AND); expected join=share with it")
    filled = judging.with_full_places(coverage).wanted
    assert filled is not None
    starts, n_listed = filled.offsets[:-1], np.diff(filled.offsets).astype(np.int32)
    weights = np.ones(len(filled.codes)) if filled.weights is None else filled.weights
    owners, ranks = np.repeat(np.arange(rankings.n_users), rankings.lengths), rankings.ranks
    shown = np.flatnonzero(coverage.rows >= 0)
    offsets, entries = take_segments(sets.offsets, coverage.rows[shown])
    place = np.repeat(shown, np.diff(offsets))
    aspects = starts[owners[place]] + sets.codes[entries]
    strengths = np.ones(len(entries)) if sets.strengths is None else sets.strengths[entries]
    holes = np.concatenate(([0], np.cumsum(coverage.rows < 0)))
    # No item holds more than all there are, so that the product below cannot overflow.
    limits = judging.most_aspects() if at_most == "judged" else np.int64(min(at_most, int(n_listed.max(initial=0))))
    added = np.empty(stops.shape)
    for column, ends in enumerate(stops.T):
        counts = ranks[place] <= ends[owners[place]]
        seen = np.zeros(len(weights))
        np.maximum.at(seen, aspects[counts], strengths[counts])
        n_holes = holes[rankings.offsets[:-1] + ends] - holes[rankings.offsets[:-1]]
        n_held = np.minimum(limits * n_holes, n_listed).astype(np.int32)[:, np.newaxis]
        ones = np.ones(int(n_held.max(initial=0)))
        added[:, column] = kernels.sorted_sums(filled.offsets, weights * (1.0 - seen), n_listed[:, np.newaxis], n_held, ones)[:, 0]
    return added
