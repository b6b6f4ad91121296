"""Aspect recall, also known as subtopic recall and community recall."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags
from aspectrum.blocks.best_coverage import MayUseBestCoverage
from aspectrum.errors import MetricError
from aspectrum.gain import check_full
from aspectrum.judging import Coverage, JudgedBy, PoolName, UnjudgedOrFull
from aspectrum.judging.holes import AtMost, added_by_holes
from aspectrum.judging.questions import Of, covered_questions, ends_of_coverage, weight_of_all
from aspectrum.metric import Aliases, Ends, Fractions, check_goes_with
from aspectrum.tokens import PartialDocument
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class AspectRecall(MayUseBestCoverage):
    r"""Share of a user's attainable aspects that the top k covers.

    .. math:: \left|\bigcup_{j \le k} J(u, d_j)\right| \, / \, \left|\text{aspects attainable for } u\right|

    With weights of aspects it is the share of their weight; an aspect counts with the strongest judgment seen. With nuggets it is what FreshStack
    calls coverage, and others weighted recall of nuggets.

    Args:
        k: Ranks that count; one number or several.
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else membership, which makes
            it community recall over all communities.
        unjudged: As for AlphaNDCG.
        at_most: With ``unjudged="full"``, how many aspects an unjudged item holds at most: a number, or as many as the ``judged`` item of the
            user with the most. The score is then the largest that further judging can give, and less far from what is known.
        denominator: ``attainable``: the number of aspects the user could be shown. ``k``: the cutoff, even for a shorter list (without a
            cutoff, the length of the list); with one aspect per item, the score is then at most 1. ``best``: at a cutoff in tokens,
            the most that documents of the pool cover that fit together, with a proof or an upper bound; not for nuggets that ask for several
            answers (AND).
        of: With ``denominator="attainable"``: aspects that some item has (``attainable``), or all that are ``listed`` for the user, also those that no
            item has (FreshStack, BRIGHT-Pro). Nuggets say which are listed, else the weights do.
        join: What counts of nuggets that ask for several answers (AND): that ``all`` of them are shown, or the ``share`` that is.
        aspectless: Items without aspects add nothing (``skip``), or together form one more aspect of weight 1 (``category``, which goes
            with denominator=k and judged_by=membership). CategoricalDiversity in RePlay is the latter, with one aspect per item.
        partial: As for AlphaDCG.
        pool: What the best documents are chosen from, as for AlphaNDCG.
        budget: What may be spent on finding them, as for AlphaNDCG.

    Range:
        0 to 1; with ``denominator="best"`` and ``partial`` share or keep, it may be above 1, unless ``unjudged="full"``.

    Undefined:
        With ``denominator="best"``, if no document that shows an aspect fits. Else for a user with no attainable aspect (``of="listed"``: with no listed one), unless items without aspects are a category.

    References:
        Zhai, Cohen and Lafferty, SIGIR 2003. Sanz-Cruzado, Pepa and Castells, MSM 2018 (community recall). CategoricalDiversity in RePlay
        (Vasilev et al., RecSys 2024).

    Examples:
        >>> world = World.of({"ann": ["a", "b"]}, aspects={"a": ["x"], "b": ["x"], "c": ["y"]})
        >>> AspectRecall(k=2).scores(world)
        array([[0.5]])
    """

    judged_by: JudgedBy | None = None
    unjudged: UnjudgedOrFull = "keep"
    at_most: AtMost | None = None
    denominator: Literal["attainable", "k", "best"] = "attainable"
    of: Of = "attainable"
    join: Literal["all", "share"] = "all"
    aspectless: Literal["skip", "category"] = "skip"
    partial: PartialDocument = "drop"
    pool: PoolName | None = None
    budget: float | None = None

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "denominator": ("attainable", "best"),
        "pool": (None, "judged", "catalogue", "unseen"),
    }
    best_by, instead = "denominator", "use denominator=attainable"
    cites = ("zhai2003beyond", "sanzcruzado2018structural", "vasilev2024replay")
    aliases: ClassVar[Aliases] = {name: {} for name in ("CommunityRecall", "Community recall", "SubtopicRecall", "StRecall", "strec")} | {
        "NuggetCoverage": {"of": "listed"},
        "A-Recall": {"of": "listed"},
    }

    preferred = ("membership",)

    def __post_init__(self) -> None:
        if self.aspectless == "category" and self.judged_by is None:
            object.__setattr__(self, "judged_by", "membership")
        super().__post_init__()
        check_full(self)
        check_goes_with(self, "of", "denominator", "attainable")
        check_goes_with(self, "of", "judged_by", None, "subtopics")
        if self.judged_by not in (None, "subtopics"):  # elsewhere no aspect is one of several answers
            self.leave_idle("join")
        check_goes_with(self, "at_most", "unjudged", "full")
        check_goes_with(self, "at_most", "of", "listed")
        if self.at_most is not None and self.partial == "share":
            raise MetricError("AspectRecall: at_most does not go with partial=share, where what a cut item holds counts in part")
        if isinstance(self.at_most, int) and self.at_most < 0:
            raise MetricError(f"AspectRecall: at_most is {self.at_most}, expected 0 or more aspects, or 'judged'")
        check_goes_with(self, "aspectless", "denominator", "k")
        check_goes_with(self, "aspectless", "judged_by", "membership")

    def details(self, truth: Truth) -> Mapping[str, Any]:
        subtopics, spent = truth.subtopics, super().details(truth)
        if self.judged_by != "subtopics" or subtopics is None or subtopics.unserved is None:
            return spent
        n_attainable = len(subtopics.aspects)
        return {**spent, "aspects_listed": n_attainable + len(subtopics.unserved.aspects), "aspects_attainable": n_attainable}

    def fractions(self, world: World) -> Fractions:
        judged = self if self.at_most is None else replace(self, unjudged="keep", at_most=None)
        coverage = judged.coverage(world)
        stops = coverage.stops(self.cutoffs)
        whole = self.join == "all"
        covered = covered_questions(coverage, stops, whole=whole)
        if self.at_most is not None:
            covered = covered + added_by_holes(coverage, stops, self.at_most, whole=whole)
        attainable = np.broadcast_to(weight_of_all(coverage, whole=whole, listed=self.of == "listed")[:, np.newaxis], covered.shape)
        ends = None
        if coverage.tied is not None:
            least, greatest, sure = ends_of_coverage(coverage, stops, whole=whole)
            none = covered == 0  # on average: no order covers anything
            ends = Ends(least, np.where(none, 0.0, greatest), sure | none).at_most(attainable)
        if self.denominator == "best":
            of_judged = coverage if self.unjudged != "full" else replace(self, unjudged="keep").coverage(world)
            found = self.against_best(covered, of_judged)
            return found.capped() if self.unjudged == "full" else found
        if self.denominator == "attainable":
            found = Fractions(covered, attainable, ends=ends)
            return found.capped() if self.unjudged == "full" else found
        ranks = coverage.rankings.depths(self.cutoffs).astype(np.float64)
        if self.aspectless == "skip":
            return Fractions(covered, np.where(attainable > 0, ranks, 0.0), ends=ends)
        return Fractions(covered + _shows_no_aspect(coverage, stops), ranks)


def _shows_no_aspect(coverage: Coverage, stops: Codes) -> Flags:
    """Whether the top of each list has an item without aspects, (users, cutoffs)."""
    n_aspects = np.append(np.diff(coverage.sets.offsets), 0)  # row -1: none
    without = (n_aspects[coverage.rows] == 0).astype(np.int32)
    return kernels.count_places(coverage.rankings.offsets, without, stops, 1) > 0
