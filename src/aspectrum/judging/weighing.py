"""How much each user wants the aspects of a coverage."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets, no_segments
from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.world import History, Relevance, World

Weighing = Literal["given", "uniform", "counts"]


def _as_given(coverage: Coverage) -> Coverage:
    """Weights as given to the world."""
    weights, judging = coverage.world.weights, coverage.judging
    assert weights is not None
    wanted = judging.attainable_aspects()
    return _weighed(coverage, wanted, weights.of(wanted.offsets, judging.world_codes(wanted)))


def _by_counts(coverage: Coverage) -> Coverage:
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
        counted = np.repeat(~without, lengths)
        everything = WantedAspects.counted(np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))
        all_counts = np.ones(len(counted))
        everything.codes[counted], all_counts[counted] = codes, counts
        offsets, codes, counts = everything.offsets, everything.codes, all_counts
    weighed = _weighed(coverage, WantedAspects(offsets, codes), counts)
    assert weighed.wanted is not None
    # An intent that nothing can satisfy is one nevertheless: it stays among what is attainable.
    return replace(weighed, wanted=coverage.judging.satisfiable(weighed.wanted))


WEIGHINGS: Mapping[Weighing, Callable[[Coverage], Coverage]] = {
    "given": _as_given,
    "uniform": lambda coverage: coverage,
    "counts": _by_counts,
}


def scaled(coverage: Coverage, gammas: Mapping[Hashable, float]) -> Coverage:
    """Weights times a factor for each aspect; what is attainable stays as it is."""
    ids = coverage.world.aspect_ids
    wanted = coverage.judging.attainable_aspects() if coverage.wanted is None else coverage.wanted
    codes = coverage.judging.world_codes(wanted)
    by_code = {ids.code(id): gamma for id, gamma in gammas.items()}
    factors = np.array([by_code.get(code, np.nan) for code in range(len(ids))])[codes]
    for code in codes[np.isnan(factors)][:1]:
        raise InputError(f"gamma has no value for aspect {quoted(ids[int(code)])}")
    weights = factors if wanted.weights is None else wanted.weights * factors
    return replace(coverage, interests=None, wanted=replace(wanted, weights=weights))


def _weighed(coverage: Coverage, wanted: WantedAspects, weights: Floats) -> Coverage:
    lengths = np.diff(wanted.offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(lengths.max(initial=0)))
    attainable = kernels.discounted_sums(wanted.offsets, weights, lengths, ones)[:, 0]
    return replace(coverage, attainable=attainable, interests=None, wanted=replace(wanted, weights=weights))


def _earlier_and_relevant(world: World) -> tuple[Offsets, Codes]:
    """Each user's earlier and relevant items, each once; -1 for others."""
    if world.history is None:
        world.need_relevance("intents='counts'")
    nothing = no_segments(world.n_users), np.empty(0, np.int32)
    history, relevance = world.history or History(*nothing), world.relevance or Relevance(*nothing)
    new = kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items) < 0
    items = np.append(history.items, np.where(relevance.relevant & new, relevance.items, np.int32(-1)))
    users = [np.repeat(np.arange(world.n_users, dtype=np.int32), np.diff(part.offsets)) for part in (history, relevance)]
    offsets, order = kernels.group_rows(np.concatenate(users), world.n_users)
    return offsets, items[order]
