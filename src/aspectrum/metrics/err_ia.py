"""ERR-IA: how soon a user who may want any of several aspects finds what they want."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum.discounts import RECIPROCAL
from aspectrum.errors import InputError, MetricError
from aspectrum.gain import GainRule, check_full, gains_over_orders, perfect_sums
from aspectrum.ideal import IdealKind, IdealRequest, against_ideal, check_ideal, ideal_details
from aspectrum.judging import JUDGINGS, Coverage, Grading, JudgedBy, PoolName, UnjudgedOrFull, cover
from aspectrum.judging.questions import Of, with_listed
from aspectrum.metric import Aliases, AspectMetric, Fractions, check_goes_with, check_unit
from aspectrum.world import Truth, World
from aspectrum.world.relevance import LARGEST_EXPONENT, check_exponent


@dataclass(frozen=True)
class ERRIA(AspectMetric):
    r"""Intent-aware expected reciprocal rank.

    .. math:: \sum_c p(c|u) \sum_{j \le k} \frac{1}{j} R_{jc} \prod_{l<j} (1 - R_{lc})

    where R_jc is the probability that the item at rank j satisfies a user who wants aspect c: ``stop`` if c is in
    J(u, d_j), times the strength of the judgment if it has one, else 0.

    Args:
        k: Ranks that count; one number or several.
        stop: The probability of stopping at an item that shows the wanted aspect (ndeval calls it alpha).
        judged_by: Which aspects of an item count for a user. Default: subtopics if given, else relevance.
        intents: p(c|u): ``uniform`` over the attainable aspects; ``given`` by the weights; ``counts``: the share of the
            user's earlier and relevant items that have c, uniform over all aspects for a user with none. Default: given
            if there are weights, else uniform.
        grades: Take R from the grade instead: (2^g - 1) / 2^g_max (``true``), or g / (g_max + 1) (``linear``, as NTCIREVAL does).
        max_grade: The g_max, up to 498, or ``intent``: the largest grade that the user's judgments of the aspect have. Default: the
            largest grade there is; for ``linear``, intent.
        normalize: ``perfect`` divides by a list that shows every attainable aspect at every rank, ``pyndeval`` does so
            except at k = 1, ``ideal`` divides by the ideal list.
        pool: What the ideal list chooses from, as for AlphaNDCG.
        unjudged: As for AlphaNDCG.
        of: The aspects that p(c|u) is spread over: those that some item has (``attainable``), or all that are ``listed``, as for
            AspectRecall.
        ideal: The list of ``normalize="ideal"``: ``greedy`` (default), or ``exact``, the best there is, with a proof.
        budget: For an exact ideal, as for AlphaNDCG.
        seconds: For an exact ideal, as for AlphaNDCG.

    Range:
        0 to 1; against a greedy ideal a list may score above 1.

    Undefined:
        For a user with no attainable aspect; with ``intents="counts"`` never. With ``normalize="ideal"``, if the ideal
        list gains nothing.

    References:
        Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 14(6), 2011.

    Examples:
        >>> communities = {1: [0], 2: [0], 3: [1], 4: [2]}
        >>> world = World.of({"u": [1, 2, 3]}, aspects=communities, relevance={"u": [1, 2, 3]}, history={"u": [4]})
        >>> ERRIA(k=3, intents="counts").scores(world).round(6)
        array([[0.354167]])
    """

    stop: float = 0.5
    judged_by: JudgedBy | None = None
    intents: Literal["uniform", "given", "counts"] | None = None
    grades: bool | Literal["linear"] = False
    max_grade: float | Literal["intent"] | None = None
    normalize: Literal["perfect", "pyndeval", "ideal"] | None = None
    pool: PoolName | None = None
    unjudged: UnjudgedOrFull = "keep"
    of: Of = "attainable"
    ideal: IdealKind | None = None
    budget: float | None = None
    seconds: float | None = None

    over_orders = True
    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"normalize": (None,)}
    symbol = "ERR-IA"
    cites = ("chapelle2011intent",)
    aliases: ClassVar[Aliases] = {
        "ERR-IA": {},
        "ERR_IA": {},
        "nERR_IA": {"normalize": "ideal"},
        "nERR-IA": {"normalize": "ideal"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_full(self)
        check_goes_with(self, "of", "normalize", None, "perfect", "pyndeval")
        check_goes_with(self, "of", "judged_by", None, "subtopics")
        check_unit(self, stop=self.stop)
        check_goes_with(self, "pool", "normalize", "ideal")
        check_goes_with(self, "ideal", "normalize", "ideal")
        check_ideal(self)
        check_goes_with(self, "max_grade", "grades", True, "linear")
        if self._of_each_intent and self.normalize in ("perfect", "pyndeval"):
            raise MetricError(
                f"ERRIA: normalize={self.normalize} needs one largest grade for all intents, expected max_grade=4 or the like"
            )
        if isinstance(self.max_grade, float) and not 0 < self.max_grade <= LARGEST_EXPONENT:
            raise MetricError(f"ERRIA: max_grade is {self.max_grade:g}, expected above 0 and at most {LARGEST_EXPONENT}")

    def needs_beside(self, judged_by: JudgedBy) -> Iterable[tuple[str, ...]]:
        more = {"given": [("weights",)], "counts": [("relevance",), ("history",)]}.get(self.intents or "", [()])
        return [(*pool, *intents) for pool in super().needs_beside(judged_by) for intents in more]

    def resolved(self, truth: Truth) -> Self:
        self.check_listed(truth)
        judged_by = self.judging(truth)
        intents = self.intents or ("uniform" if truth.weights is None else "given")
        if intents == "given":
            truth.need("weights", "ERRIA: intents='given'")
        pool = (self.pool or JUDGINGS[judged_by].default_pool) if self.normalize == "ideal" else None
        ideal = self.ideal if pool is None else self.ideal or "greedy"
        max_grade = self._largest_grade(truth, judged_by) if self.grades else None
        return replace(self, judged_by=judged_by, intents=intents, pool=pool, max_grade=max_grade, ideal=ideal)

    def _largest_grade(self, truth: Truth, judged_by: JudgedBy) -> float | Literal["intent"]:
        if judged_by not in ("subtopics", "relevance"):
            raise InputError(f"ERRIA: grades need judged_by='subtopics' or 'relevance', not {judged_by!r}")
        truth.need(judged_by, "ERRIA")
        if isinstance(self.max_grade, float):
            return self.max_grade
        if self.grades is True:
            check_exponent(truth.largest_grade(judged_by))  # also of users whose lists these are not
        return "intent" if self._of_each_intent else truth.largest_grade(judged_by)

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return ideal_details(self, truth)

    def ideal_request(self, world: World) -> IdealRequest | None:
        if self.normalize != "ideal":
            return None
        assert self.pool is not None
        judged = self if self.unjudged != "full" else replace(self, unjudged="keep")
        return IdealRequest(judged.coverage(world), self.pool, GainRule(self._largest_stop), RECIPROCAL)

    def coverage(self, world: World) -> Coverage:
        assert self.judged_by is not None and self.intents is not None
        return cover(world, self.judged_by, weighing=self.intents, unjudged=self.unjudged, grading=self._grading)

    @property
    def _of_each_intent(self) -> bool:
        """Whether every intent has its own largest grade."""
        return self.max_grade == "intent" or (self.grades == "linear" and self.max_grade is None)

    @property
    def _grading(self) -> Grading | None:
        if not self.grades:
            return None
        return Grading(
            "linear" if self.grades == "linear" else "exponential", self.max_grade if isinstance(self.max_grade, float) else None
        )

    @property
    def _largest_stop(self) -> float:
        """R of the largest grade, of which a judgment's strength is a share; 1 where strengths are R itself."""
        if not isinstance(self.max_grade, float):
            return 1.0 if self.grades else self.stop
        return self.max_grade / (self.max_grade + 1.0) if self.grades == "linear" else 1.0 - 2.0**-self.max_grade

    def fractions(self, world: World) -> Fractions:
        found = self._fractions(world)
        return found.capped() if self.unjudged == "full" else found

    def _fractions(self, world: World) -> Fractions:
        coverage, stop = self.coverage(world), self._largest_stop
        reached, ends = gains_over_orders(coverage, GainRule(stop), RECIPROCAL, self.cutoffs)
        if self.of == "listed":
            coverage = with_listed(coverage)
        if self.normalize is None:
            ends = None if ends is None else ends.times(stop)
            return Fractions(stop * reached, np.broadcast_to(coverage.attainable[:, np.newaxis], reached.shape), ends=ends)
        request = self.ideal_request(world)
        if request is not None:
            return against_ideal(self, reached, request, ends)
        return Fractions(reached, perfect_sums(coverage, RECIPROCAL, stop, self.cutoffs, self.normalize), ends=ends)
