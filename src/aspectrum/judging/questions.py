"""Questions that one answer or several make up for, and what all that a user lists weighs."""

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.judging.coverage import Coverage


def covered_questions(coverage: Coverage, stops: Codes, *, whole: bool) -> Floats:
    """The weight of the questions that the top answers, (users, cutoffs).

    Args:
        whole: Whether a question counts with its weakest answer, not with each.
    """
    firsts = coverage.judging.questions() if whole else None
    if firsts is None:
        return kernels.covered_aspects(coverage.kernel, stops)
    offsets, weights = _weights(coverage, firsts)
    return kernels.covered_questions(coverage.kernel, stops, offsets, firsts, weights)


def weight_of_all(coverage: Coverage, *, whole: bool, listed: bool) -> Floats:
    """What all questions of each user weigh.

    Args:
        whole: As above: sums of the same numbers, so that a list that shows everything scores 1.
        listed: Whether those count that no item answers.
    """
    firsts = coverage.judging.questions() if whole else None
    if firsts is None and not listed:
        return coverage.attainable
    offsets, weights = _weights(coverage, firsts)
    if listed:
        n_users, given, unserved = coverage.world.n_users, coverage.world.weights, coverage.judging.unserved()
        if unserved is None:
            assert given is not None  # the metric has made sure
            return given.totals(n_users)
        more = np.ones(len(unserved.aspects)) if given is None else given.of(unserved.offsets, unserved.aspects)
        users = [np.repeat(np.arange(n_users, dtype=np.int32), np.diff(one)) for one in (offsets, unserved.offsets)]
        offsets, at = kernels.group_rows(np.concatenate(users), n_users)
        weights = np.append(weights, more)[at]
    lengths = np.diff(offsets).astype(np.int32)[:, np.newaxis]
    return kernels.sorted_sums(offsets, weights, lengths, lengths, np.ones(int(lengths.max(initial=0))))[:, 0]


def _weights(coverage: Coverage, firsts: Codes | None) -> tuple[Offsets, Floats]:
    """What each attainable aspect weighs; the first of those that answer one question weighs what all of them do, the others nothing."""
    wanted = coverage.wanted if coverage.wanted is not None else coverage.judging.attainable_aspects()
    weights = np.ones(len(wanted.codes)) if wanted.weights is None else wanted.weights
    if firsts is None:
        return wanted.offsets, weights
    found = np.zeros(len(weights))
    np.add.at(found, np.repeat(wanted.offsets[:-1], np.diff(wanted.offsets)) + firsts, weights)
    return wanted.offsets, found
