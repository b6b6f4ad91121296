"""From a world and the name of a way of judging to coverage."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from aspectrum.diagnostics.notices import Option, parts
from aspectrum.errors import MissingInput
from aspectrum.judging.coverage import Coverage
from aspectrum.judging.history import ByHistory
from aspectrum.judging.judging import JudgedBy, Judging
from aspectrum.judging.membership import ByMembership
from aspectrum.judging.relevance import ByRelevance
from aspectrum.judging.subtopics import BySubtopics
from aspectrum.judging.weighing import WEIGHINGS, Weighing, scaled
from aspectrum.world import Truth, World
from aspectrum.world.world import remembered

Unjudged = Literal["keep", "condense", "drop"]

JUDGINGS: Mapping[JudgedBy, type[Judging]] = {judging.name: judging for judging in (BySubtopics, ByHistory, ByRelevance, ByMembership)}


def choose_judgment(truth: Truth, preferred: Sequence[JudgedBy], needed_by: str) -> JudgedBy:
    """Subtopics if given, else the first preferred way of judging whose inputs are there."""
    for name in ("subtopics", *preferred):
        if all(getattr(truth, input) is not None for input in JUDGINGS[name].inputs):
            return name
    inputs = parts(" or ", [[Option(input)] for name in preferred for input in JUDGINGS[name].inputs if input != "aspects"])
    enough = parts(" and ", filter(None, ([Option("aspects")], inputs)))
    raise MissingInput(f"{needed_by} needs judgments: pass ", Option("subtopics"), ", or ", *enough)


def cover(
    world: World,
    judged_by: JudgedBy,
    *,
    weighing: Weighing = "given",
    unjudged: Unjudged = "keep",
    gammas: Mapping[Hashable, float] | None = None,
    max_grade: float | None = None,
) -> Coverage:
    """The coverage of a world's lists, computed once per world.

    Args:
        judged_by: Which aspects of an item count for a user.
        weighing: Weights as given to the world (1 if none were), 1 for all, or counted from each user's items.
        unjudged: Whether unjudged items keep their place, or are removed before or after the cut.
        gammas: A further factor for each aspect's weight, not part of ``attainable``.
        max_grade: If given, a judgment's strength is (2^grade - 1) / (2^max_grade - 1).
    """
    if weighing == "given" and world.truth.weights is None:
        weighing = "uniform"  # the same, so computed once for both

    def make() -> Coverage:
        judging = JUDGINGS[judged_by](world)
        coverage = judging.cover() if max_grade is None else judging.cover_graded(max_grade)
        if unjudged != "keep":
            judged = judging.judged_places(coverage)
            rankings, rows = coverage.rankings.keep(judged), np.ascontiguousarray(coverage.rows[judged])
            coverage = replace(coverage, rankings=rankings, rows=rows, kept=judged if unjudged == "drop" else None)
        coverage = WEIGHINGS[weighing](coverage)
        return coverage if gammas is None else scaled(coverage, gammas)

    key = (judged_by, weighing, unjudged, max_grade, None if gammas is None else tuple(gammas.items()))
    return remembered(world.covered, key, make)
