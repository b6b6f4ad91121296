"""How much each user wants the aspects of a coverage."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.world import World

Weighing = Literal["given", "uniform", "counts"]


def weighed_as_given(coverage: Coverage) -> Coverage:
    """Weights as given to the world, if any were."""
    weights, judging = coverage.world.weights, coverage.judging
    if weights is None:
        return coverage
    wanted = judging.attainable_aspects()
    return _weighed(coverage, wanted, weights.of(wanted.offsets, judging.world_codes(wanted)))


def weighed_by_counts(coverage: Coverage) -> Coverage:
    """Weight = how many of a user's earlier and relevant items have the aspect; equal weights for a user with none."""
    if "aspects" not in coverage.judging.inputs:
        raise InputError("intents='counts' counts the aspects of items: judge by relevance, history or membership, not by subtopics")
    world = coverage.world
    sets = world.need_aspects("intents='counts'").sets
    offsets, items = _earlier_and_relevant(world)
    offsets, codes, counts = kernels.aspect_counts(offsets, items, sets.offsets, sets.codes, sets.n_aspects)
    without = np.diff(offsets) == 0
    if without.any():
        lengths = np.where(without, sets.n_aspects, np.diff(offsets))
        filled = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        counted = np.repeat(~without, lengths)
        all_codes = (np.arange(filled[-1]) - np.repeat(filled[:-1], lengths)).astype(np.int32)
        all_counts = np.ones(filled[-1])
        all_codes[counted], all_counts[counted] = codes, counts
        offsets, codes, counts = filled, all_codes, all_counts
    weighed = _weighed(coverage, WantedAspects(offsets, codes), counts)
    assert weighed.wanted is not None
    # An intent that nothing can satisfy is one nevertheless: it stays among what is attainable.
    return replace(weighed, wanted=coverage.judging.satisfiable(weighed.wanted))


def scaled(coverage: Coverage, gammas: Mapping[Hashable, float]) -> Coverage:
    """Weights times a factor for each aspect; what is attainable stays as it is."""
    world = coverage.world
    wanted = coverage.judging.attainable_aspects() if coverage.wanted is None else coverage.wanted
    codes = coverage.judging.world_codes(wanted)
    factors = np.full(len(world.aspect_ids), np.nan)
    for id, gamma in gammas.items():
        code = world.aspect_ids.code(id)
        if code is not None:
            factors[code] = gamma
    if np.isnan(factors[codes]).any():
        missing = world.aspect_ids[int(codes[np.flatnonzero(np.isnan(factors[codes]))[0]])]
        raise InputError(f"gamma has no value for aspect {quoted(missing)}")
    weights = factors[codes] if wanted.weights is None else wanted.weights * factors[codes]
    return replace(coverage, interests=None, wanted=replace(wanted, weights=weights))


def _weighed(coverage: Coverage, wanted: WantedAspects, weights: Floats) -> Coverage:
    lengths = np.diff(wanted.offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(lengths.max(initial=0)))
    attainable = kernels.discounted_sums(wanted.offsets, weights, lengths, ones)[:, 0]
    return replace(coverage, attainable=attainable, interests=None, wanted=replace(wanted, weights=weights))


def _earlier_and_relevant(world: World) -> tuple[Offsets, Codes]:
    """Each user's earlier and relevant items, each once."""
    history = world.history
    relevance = world.need_relevance("intents='counts'") if history is None else world.relevance
    users, items = [], []
    if history is not None:
        users.append(np.repeat(np.arange(world.n_users), np.diff(history.offsets)))
        items.append(history.items)
    if relevance is not None:
        counts = relevance.relevant
        if history is not None:
            counts = counts & (kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items) < 0)
        users.append(np.repeat(np.arange(world.n_users), np.diff(relevance.offsets))[counts])
        items.append(relevance.items[counts])
    offsets, order = kernels.group_rows(np.concatenate(users).astype(np.int32), world.n_users)
    return offsets, np.concatenate(items)[order]
