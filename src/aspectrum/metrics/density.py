"""Density: what a context covers per thousand tokens."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum.blocks.best_coverage import MayUseBestCoverage
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.judging import Coverage, JudgedBy, PoolName, cover
from aspectrum.judging.questions import covered_questions
from aspectrum.metric import Aliases, Fractions
from aspectrum.tokens import PartialDocument
from aspectrum.world import World


@dataclass(frozen=True)
class Density(MayUseBestCoverage):
    r"""Weight of the aspects that the documents of a context cover, per 1,000 tokens that these take.

    .. math:: 1000 \cdot \frac{\sum_i w_i \max_{j \le k} s_{ij}}{\sum_{j \le k} \text{tokens}(d_j)}

    Short documents that say the same are denser. At ``Density@4000t`` it is that of the documents that fit into 4,000 tokens.

    Args:
        k: Ranks that count, or tokens; one cutoff or several.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        normalize: At a cutoff in tokens, ``best`` divides by the most that fits, spread over all tokens of the budget: a list that fills
            the budget scores AspectRecall(denominator=best), and one that covers as much with half of the tokens twice that. Not for nuggets
            that ask for several answers (AND).
        partial: As for AlphaDCG. The document that is cut takes what is left of the budget (``share``) or its whole length (``keep``).
        pool: What the best documents are chosen from, as for AlphaNDCG.
        budget: What may be spent on finding them, as for AlphaNDCG.

    Range:
        0 or more.

    Undefined:
        For a user with no attainable aspect, and for a list of which nothing fits; with ``normalize``, also if nothing that shows an aspect
        fits.

    References:
        Coverage (subtopic recall) of Zhai, Cohen and Lafferty, SIGIR 2003, per token.

    Examples:
        >>> subtopics, lengths = {"q": {"a": [1], "b": [2]}}, {"a": 300, "b": 100, "c": 100}
        >>> world = World.of({"q": ["a", "c", "b"]}, subtopics=subtopics, lengths=lengths)
        >>> Density(k=(1, 3, "400t")).scores(world).round(4)
        array([[3.3333, 4.    , 2.5   ]])
        >>> Density(k="400t", normalize="best").scores(world)
        array([[0.5]])
    """

    judged_by: JudgedBy | None = None
    normalize: Literal["best"] | None = None
    partial: PartialDocument = "drop"
    pool: PoolName | None = None
    budget: float | None = None

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"pool": (None, "judged", "catalogue", "unseen")}
    best_by, instead = "normalize", "leave out normalize=best"
    cites = ("zhai2003beyond",)
    aliases: ClassVar[Aliases] = {"ContextDensity": {}}

    def needs_beside(self, judged_by: JudgedBy) -> Iterable[tuple[str, ...]]:
        return [("lengths", *more) for more in super().needs_beside(judged_by)]

    def coverage(self, world: World) -> Coverage:
        assert self.judged_by is not None
        return cover(world, self.judged_by)

    def fractions(self, world: World) -> Fractions:
        coverage = self.coverage(world)
        covered = covered_questions(coverage, coverage.stops(self.cutoffs), whole=True)
        if world.context is None:
            tokens = world.lengths_of_places("Density").astype(np.float64)
            used = place_sums(world.rankings, tokens, self.cutoffs)
        else:
            used = world.context.used[:, np.newaxis].astype(np.float64)
        if self.normalize is None:
            some = coverage.attainable[:, np.newaxis] > 0
            return Fractions(1000.0 * covered, np.where(some, used, 0.0))
        assert world.context is not None
        found = self.against_best(covered, coverage)
        share = used / float(world.context.tokens)
        upper = found.denominators if found.upper_denominators is None else found.upper_denominators
        return replace(found, denominators=found.denominators * share, upper_denominators=upper * share)
