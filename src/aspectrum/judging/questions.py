"""Questions that one answer or several make up for, and what all that a user lists weighs."""

from dataclasses import replace
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Offsets
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.judging.coverage import Coverage, WantedAspects

Of = Literal["attainable", "listed"]


def with_listed(coverage: Coverage) -> Coverage:
    """The same where an aspect counts as attainable if it is listed."""
    return replace(coverage, attainable=weight_of_all(coverage, whole=False, listed=True))


def covered_questions(coverage: Coverage, stops: Codes, *, whole: bool) -> Floats:
    """The weight of the questions that the top answers, (users, cutoffs); averages where all orders of equal scores count.

    Args:
        whole: Whether a question counts with its weakest answer, not with each.
    """
    firsts, tied = _firsts(coverage) if whole else None, coverage.tied
    if firsts is None:
        kernel = coverage.kernel
        return kernels.covered_aspects(kernel, stops) if tied is None else kernels.expected_coverage(kernel, stops, tied)
    offsets, weights = _weights(coverage, firsts)
    if tied is None:
        return kernels.covered_questions(coverage.kernel, stops, offsets, firsts, weights)
    found, too_much = kernels.expected_questions(coverage.kernel, stops, tied, offsets, firsts, weights)
    for user in np.flatnonzero(too_much >= 0)[:1]:
        n_answers = np.count_nonzero(firsts[offsets[user] : offsets[user + 1]] == too_much[user])
        wanted = coverage.judging.attainable_aspects() if coverage.wanted is None else coverage.wanted
        first = coverage.judging.world_codes(wanted)[offsets[user] + too_much[user]]
        nugget = f"the nugget with answer {quoted(coverage.world.aspect_ids[int(first)])} asks for {n_answers} answers"
        raise InputError(
            f"user {quoted(coverage.world.users[int(user)])}: {nugget}, and a cutoff splits a group of equal scores that gives so many of "
            "them in so many ways that the average over orders takes too long; use join=share"
        )
    return found


def ends_of_coverage(coverage: Coverage, stops: Codes, *, whole: bool) -> tuple[Floats, Floats, Flags]:
    """The least and the greatest weight that the top answers over all orders of equal scores, and where these are not only bounds."""
    assert coverage.tied is not None
    firsts = _firsts(coverage) if whole else None
    offsets, weights = (None, None) if firsts is None else _weights(coverage, firsts)
    least, greatest, proved = kernels.extreme_coverage(coverage.kernel, coverage.tied, stops, offsets, firsts, weights)
    return least, greatest, proved.view(np.bool_)


def weight_of_all(coverage: Coverage, *, whole: bool, listed: bool) -> Floats:
    """What all questions of each user weigh.

    Args:
        whole: As above: sums of the same numbers, so that a list that shows everything scores 1.
        listed: Whether those count that no item answers.
    """
    coverage = replace(coverage, wanted=_of_attainable(coverage), full=False)
    firsts = _firsts(coverage) if whole else None
    if firsts is None and not listed:
        return coverage.attainable
    offsets, weights = _weights(coverage, firsts)
    if listed:
        n_users, given, unserved = coverage.world.n_users, coverage.world.weights, coverage.judging.unserved()
        assert unserved is not None  # the metric has made sure
        weighed = coverage.wanted is not None and coverage.wanted.weights is not None
        more = given.of(unserved.offsets, unserved.aspects) if weighed and given is not None else np.ones(len(unserved.aspects))
        users = [np.repeat(np.arange(n_users, dtype=np.int32), np.diff(one)) for one in (offsets, unserved.offsets)]
        offsets, at = kernels.group_rows(np.concatenate(users), n_users)
        weights = np.append(weights, more)[at]
    lengths = np.diff(offsets).astype(np.int32)[:, np.newaxis]
    return kernels.sorted_sums(offsets, weights, lengths, lengths, np.ones(int(lengths.max(initial=0))))[:, 0]


def _firsts(coverage: Coverage) -> Codes | None:
    """For each aspect of a user that may be shown, the first of those that answer the same question."""
    firsts = coverage.judging.questions()
    if firsts is None or not coverage.full:
        return firsts
    assert coverage.wanted is not None
    all_of_them = coverage.wanted.codes.copy()  # those that are unserved, after the others, are questions of their own
    n_own = np.diff(coverage.judging.attainable_aspects().offsets)
    all_of_them[all_of_them < np.repeat(n_own, np.diff(coverage.wanted.offsets))] = firsts
    return all_of_them


def _of_attainable(coverage: Coverage) -> WantedAspects | None:
    """The wanted aspects without those that only unjudged items could show."""
    wanted = coverage.wanted
    if wanted is None or not coverage.full:
        return wanted
    own = coverage.judging.attainable_aspects()
    if wanted.weights is None:
        return own
    is_own = wanted.codes < np.repeat(np.diff(own.offsets), np.diff(wanted.offsets))
    return replace(own, weights=wanted.weights[is_own])


def _weights(coverage: Coverage, firsts: Codes | None) -> tuple[Offsets, Floats]:
    """What each attainable aspect weighs; the first of those that answer one question weighs what all of them do, the others nothing."""
    wanted = coverage.wanted if coverage.wanted is not None else coverage.judging.attainable_aspects()
    weights = np.ones(len(wanted.codes)) if wanted.weights is None else wanted.weights
    if firsts is None:
        return wanted.offsets, weights
    found = np.zeros(len(weights))
    np.add.at(found, np.repeat(wanted.offsets[:-1], np.diff(wanted.offsets)) + firsts, weights)
    return wanted.offsets, found
