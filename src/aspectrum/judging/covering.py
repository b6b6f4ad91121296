"""From a world, the name of a way of judging and weights of aspects to coverage."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import LARGEST, Codes, Floats, Offsets, no_segments, take_segments
from aspectrum.coding.ids import quoted
from aspectrum.diagnostics.notices import Either, Option, parts
from aspectrum.errors import InputError, MissingInput
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.judging import Grading, JudgedBy
from aspectrum.judging.ways import JUDGINGS
from aspectrum.world import History, Relevance, Truth, World
from aspectrum.world.aspects import AspectSets
from aspectrum.world.world import remembered

Unjudged = Literal["keep", "condense", "drop"]
UnjudgedOrFull = Literal["keep", "condense", "drop", "full"]
Weighing = Literal["given", "uniform", "counts"]


_OR_NUGGETS = Either(" (which may be asp.Nuggets)", " or --nuggets")


def choose_judgment(truth: Truth, preferred: Sequence[JudgedBy], needed_by: str) -> JudgedBy:
    """Subtopics if given, else the first preferred way of judging whose inputs are there."""
    for name in ("subtopics", *preferred):
        if all(getattr(truth, input) is not None for input in JUDGINGS[name].inputs):
            return name
    inputs = parts(" or ", [[Option(input)] for name in preferred for input in JUDGINGS[name].inputs if input != "aspects"])
    enough = parts(" and ", filter(None, ([Option("aspects")], inputs)))
    raise MissingInput(f"{needed_by} needs judgments: pass ", Option("subtopics"), _OR_NUGGETS, ", or ", *enough)


def cover(
    world: World,
    judged_by: JudgedBy,
    *,
    weighing: Weighing = "given",
    unjudged: UnjudgedOrFull = "keep",
    gammas: Mapping[Hashable, float] | None = None,
    grading: Grading | None = None,
    strengths: bool = True,
) -> Coverage:
    """The coverage of a world's lists, computed once per world.

    Args:
        judged_by: Which aspects of an item count for a user.
        weighing: Weights as given to the world (1 if none were), 1 for all, or counted from each user's items.
        unjudged: Whether unjudged items keep their place, are removed before or after the cut, or hold every aspect that is listed.
        gammas: A further factor for each aspect's weight, not part of ``attainable``.
        grading: If given, how grades become strengths of judgments.
        strengths: Whether judgments have strengths at all; if not, each counts 1.
    """
    if weighing == "given" and world.truth.weights is None:
        weighing = "uniform"  # the same, so computed once for both

    def make() -> Coverage:
        judging = JUDGINGS[judged_by](world)
        coverage = judging.cover() if grading is None else judging.cover_graded(grading)
        if not strengths:
            coverage = _without_strengths(coverage)
        if unjudged in ("condense", "drop"):
            judged = judging.judged_places(coverage)
            rankings, rows = coverage.rankings.keep(judged), np.ascontiguousarray(coverage.rows[judged])
            coverage = replace(coverage, rankings=rankings, rows=rows, kept=judged if unjudged == "drop" else None)
        coverage = _WEIGHINGS[weighing](coverage)
        if unjudged == "full":
            coverage = judging.with_full_places(coverage)
        if gammas is not None:
            coverage = _scaled(coverage, gammas)
        return coverage if world.context is None else _shared(coverage, world.context.shares)

    key = (judged_by, weighing, unjudged, grading, strengths, None if gammas is None else tuple(gammas.items()))
    return remembered(world.covered, key, make)


def _shared(coverage: Coverage, shares: Floats) -> Coverage:
    """The same where the last document of each list counts as far as it fits: its strengths times the share."""
    cut, rankings, sets = np.flatnonzero(shares < 1), coverage.world.rankings, coverage.sets
    places = rankings.offsets[1:][cut] - 1
    if coverage.kept is not None:  # unjudged documents are gone
        places = np.where(coverage.kept[places], np.cumsum(coverage.kept)[places] - 1, -1)
    found = np.append(coverage.rows, np.int32(-1))[places]
    cut, places, found = cut[found >= 0], places[found >= 0], found[found >= 0]
    if not len(cut):
        return coverage
    offsets, index = take_segments(sets.offsets, found)
    strengths = np.ones(len(sets.codes)) if sets.strengths is None else sets.strengths
    scaled = strengths[index] * np.repeat(shares[cut], np.diff(offsets))
    wider = AspectSets(
        np.append(sets.offsets, sets.offsets[-1] + offsets[1:]),
        np.append(sets.codes, sets.codes[index]),
        sets.n_aspects,
        np.append(strengths, scaled),
    )
    rows = coverage.rows.copy()
    rows[places] = sets.n_rows + np.arange(len(cut), dtype=np.int32)
    items = np.arange(sets.n_rows, dtype=np.int32) if coverage.row_items is None else coverage.row_items
    wanted = coverage.wanted
    if coverage.interests is not None:  # masks are for sets without strengths
        wanted = coverage.judging.attainable_aspects()
    return replace(coverage, sets=wider, rows=rows, row_items=np.append(items, items[found]), interests=None, wanted=wanted, whole=coverage)


def _without_strengths(coverage: Coverage) -> Coverage:
    return coverage if coverage.sets.strengths is None else replace(coverage, sets=replace(coverage.sets, strengths=None))


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


_WEIGHINGS: Mapping[Weighing, Callable[[Coverage], Coverage]] = {
    "given": _as_given,
    "uniform": lambda coverage: coverage,
    "counts": _by_counts,
}


def _scaled(coverage: Coverage, gammas: Mapping[Hashable, float]) -> Coverage:
    """Weights times a factor for each aspect; what is attainable stays as it is."""
    ids = coverage.world.aspect_ids
    wanted = coverage.judging.attainable_aspects() if coverage.wanted is None else coverage.wanted
    codes = coverage.judging.world_codes(wanted)
    by_code = np.full(len(ids), np.nan)
    for id, gamma in gammas.items():
        if (code := ids.code(id)) is not None:
            by_code[code] = gamma
    factors = by_code[codes]
    without = codes[np.isnan(factors)]
    if len(without):
        raise InputError(f"gamma has no value for aspect {quoted(ids[int(without[0])])}")
    weights = factors if wanted.weights is None else wanted.weights * factors
    return replace(coverage, interests=None, wanted=replace(wanted, weights=weights))


def _weighed(coverage: Coverage, wanted: WantedAspects, weights: Floats) -> Coverage:
    lengths = np.diff(wanted.offsets).astype(np.int32)[:, np.newaxis]
    ones = np.ones(int(lengths.max(initial=0)))
    if coverage.world.truth.reading.aspects_in_order:
        attainable = kernels.discounted_sums(wanted.offsets, weights, lengths, ones)[:, 0]
    else:
        attainable = kernels.sorted_sums(wanted.offsets, weights, lengths, lengths, ones)[:, 0]
    for user in np.flatnonzero((attainable > 0) & (attainable < 1 / LARGEST))[:1]:
        found = f"weights: those of user {quoted(coverage.world.users[int(user)])} add up to {attainable[user]:g}"
        raise InputError(f"{found}, expected at least {1 / LARGEST:g}; multiply all weights by the same factor")
    return replace(coverage, attainable=attainable, interests=None, wanted=replace(wanted, weights=weights))


def _earlier_and_relevant(world: World) -> tuple[Offsets, Codes]:
    """Each user's earlier and relevant items, each once; -1 for others."""
    if world.history is None:
        world.need_relevance("intents='counts'")
    nothing = no_segments(world.n_users), np.empty(0, np.int32)
    history, relevance = world.history or History(*nothing), world.relevance or Relevance(*nothing)
    earlier = kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items)
    new = np.append(history.liked_items, np.int32(-1))[earlier] < 0
    items = np.append(history.liked_items, np.where(relevance.relevant & new, relevance.items, np.int32(-1)))
    users = [np.repeat(np.arange(world.n_users, dtype=np.int32), np.diff(part.offsets)) for part in (history, relevance)]
    offsets, order = kernels.group_rows(np.concatenate(users), world.n_users)
    return offsets, items[order]
