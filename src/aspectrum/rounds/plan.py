"""From rounds to numbers: what has been found after each round, and what each round added."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arguments import unknown_argument, with_hints
from aspectrum.arrays import Counts, Flags, Floats, check_count, is_finite
from aspectrum.arrow_file import read_arrow, write_arrow
from aspectrum.asked import Asked, Metrics, asked_for
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.rows import unbundled
from aspectrum.conventions import Convention, convention_named
from aspectrum.diagnostics.notices import Notice
from aspectrum.discounts import LOG2
from aspectrum.errors import InputError, MetricError, joined
from aspectrum.gain import AlphaMetric, place_gains
from aspectrum.inputs import READING_OPTIONS, TRUTH
from aspectrum.metric import Metric, UserMetric
from aspectrum.metrics import AspectRecall
from aspectrum.partial import Partial, check_format, check_identity, own_partial
from aspectrum.plan import Plan, given_in
from aspectrum.rounds.qualities import Qualities
from aspectrum.rounds.results import RoundCurve, RoundsResults
from aspectrum.rounds.traces import Rounds
from aspectrum.user_scores import AT_LEAST, UserScores
from aspectrum.world import Truth, World

DEFAULT_METRICS = ("AlphaNDCG", "AspectRecall")
NEW, REPEATED, ROUND_GAIN, FOUND = "NewAspects", "Repeated", "RoundGain", "Found"
_EXPLAINED = {
    NEW: "{recall} after the round, less that after the round before",
    REPEATED: "share of the items of a round that were found before; undefined for a round without items",
    ROUND_GAIN: "alpha-DCG of the items of a round alone, given all items found before, with {gain}; 0 for a round without items",
    FOUND: "distinct items found so far",
}
_KNOWN_ORDERS = ("order_rank", "order_input")  # what was found has an order


@dataclass(frozen=True)
class _Column:
    """A metric that is computed after each round, at cutoffs that grow or stay."""

    name: str
    metric: Metric
    cutoff: int | None  # None if it grows
    looks_beyond: bool  # or may, so that a list is measured as it was after a round

    def at(self, cutoffs: Sequence[int]) -> Asked:
        """The same at some cutoffs, whose scores have names of their own."""
        own = self.metric.at(tuple(cutoffs))
        return Asked(own, tuple(f"{self.name}|{cutoff}" for cutoff in own.cutoffs))


class RoundsPlan:
    """Metrics of what agents found after each round, against a truth, with every choice made.

    Args:
        metrics: As for :func:`aspectrum.evaluate`. Without a cutoff, the cutoff grows with the rounds.
        truth: What the lists are measured against.
        per_round: How much the cutoff grows with each round; by default it is as long as what a query has found.
        rounds: How many rounds there are numbers for; by default as many as any query has.
        convention: Whose way of computing. Under ``brightpro`` cutoffs grow by 5, and the last search of a round counts.
        users, threads, ideal_budget, ideal_seconds, strict, ignore: As for :class:`aspectrum.Plan`.

    Examples:
        >>> truth = Truth.read(subtopics={"q": {"a": [1], "c": [1, 2]}, "r": {"x": [1]}})
        >>> plan = RoundsPlan(None, truth, rounds=2)
        >>> one, two = plan.observe({"q": [["a", "b"], ["b", "c"]]}), plan.observe({"r": [["x"]]})
        >>> plan.finish(one + two)["AspectRecall"]
        (0.75, 1.0)
    """

    @with_hints("RoundsPlan('AlphaNDCG', truth)")
    def __init__(
        self,
        metrics: Metrics | None,
        truth: Truth,
        *,
        per_round: int | None = None,
        rounds: int | None = None,
        convention: str | Convention | None = None,
        users: Any = None,
        threads: int | None = None,
        ideal_budget: float | None = None,
        ideal_seconds: float | None = None,
        strict: bool = False,
        ignore: str | Iterable[str] = (),
    ) -> None:
        self.convention = convention_named(convention)
        if per_round is None:
            per_round = self.convention.per_round
        self.per_round = None if per_round is None else check_count(per_round, "per_round", 1)
        self.rounds = None if rounds is None else check_count(rounds, "rounds", 1)
        options = {"ideal_budget": ideal_budget, "ideal_seconds": ideal_seconds, "strict": strict, "ignore": ignore}
        self._truth, self._options = truth, {**options, "convention": self.convention, "users": users, "threads": threads}
        asked, _ = asked_for(DEFAULT_METRICS if metrics is None else metrics, given_in(truth), [self.convention])
        self._columns = [column for one in asked for column in self._columns_of(one)]
        settled = [Asked(column.metric.at(column.cutoff or 1), (column.name,)) for column in self._columns]
        self._settling = Plan(settled, truth, **self._options)
        self._recall = next((one.name for one in self._columns if isinstance(one.metric, AspectRecall) and one.cutoff is None), None)
        gains = ((one.name, self._settling.resolved[one.name]) for one in self._columns)
        found: tuple[str | None, Metric | None] = next(((name, metric) for name, metric in gains if _knows_gains(metric)), (None, None))
        self._gain_name, self._gain = found

    def _columns_of(self, asked: Asked) -> list[_Column]:
        metric = asked.metric
        if not isinstance(metric, UserMetric) or metric.pooled:
            raise MetricError(f"{metric} has no per-query scores, which rounds require")
        found = []
        for name, one in asked.at_cutoffs():
            grows = one.cutoffs == (-1,)
            called = f"{name}@{self.per_round}r" if grows and self.per_round is not None else name
            found.append(_Column(called, one, None if grows else one.cutoffs[0], self.convention.applied(one).looks_beyond))
        return found

    def observe(self, given: Any) -> RoundsPartial:
        """What was found by some queries.

        Args:
            given: :class:`Rounds`, ``{query: [documents of round 1, ...]}``, or the path of traces.
        """
        rounds = Rounds.of(given)
        if self.convention.last_search_only:
            rounds = rounds.last_searches()
        n = self.rounds or max(1, rounds.n_rounds)
        lists = self._settling.lists(rounds.rows(n), "rounds")
        ids = list(self._settling.tables.user.ids.take(lists.input.ids["user"].within(self._settling.tables.user)))
        queries, steps = dict(zip(rounds, ids, strict=True)), {query: _Steps.of(rounds[query], n) for query in rounds}
        scores, least = ({column.name: np.full((len(ids), n), math.nan) for column in self._columns} for _ in range(2))
        averaged = {column.name: np.zeros(len(ids), np.bool_) for column in self._columns}
        rows = {id: row for row, id in enumerate(ids)}

        def keep(found: Iterable[UserScores], cutoff_of: Mapping[str, Any], round: int | None, where: Any = True) -> None:
            """Scores of a round, or of all: by column the cutoff of each query and round."""
            wanted = np.broadcast_to(where, (len(ids), n))
            for block in found:
                mine = np.array([rows[id] for id in block.users], dtype=np.int64)
                places = {name: place for place, name in enumerate(block.names)}
                lower = np.stack([block.least.get(name, block.scores[:, place]) for name, place in places.items()], axis=1)
                for column in self._columns:
                    if column.name not in cutoff_of or not any(name.rpartition("|")[0] == column.name for name in places):
                        continue
                    averaged[column.name][mine] = True
                    for number in range(n) if round is None else [round]:
                        cutoffs = np.broadcast_to(cutoff_of[column.name], (len(ids), n))[mine, number]
                        at = np.array([places.get(f"{column.name}|{cutoff}", -1) for cutoff in cutoffs.tolist()], dtype=np.int64)
                        found_here = np.flatnonzero((at >= 0) & wanted[mine, number])
                        for kept, known in ((scores, block.scores), (least, lower)):
                            kept[column.name][mine[found_here], number] = known[found_here, at[found_here]]

        lengths = np.array([steps[query].lengths for query in queries], dtype=np.int64).reshape(len(ids), n)
        cutoffs = np.maximum(lengths, 1)
        growing = [column for column in self._columns if column.cutoff is None and self.per_round is None]
        # What a query has found after a round is the beginning of what it found in all, which is looked at once where nothing looks further.
        whole = [column for column in growing if not column.looks_beyond]
        for some in _together(whole, cutoffs):
            theirs = rounds.of_queries([query for query, own in zip(queries, cutoffs, strict=True) if np.isin(own, some).any()])
            plan = Plan([column.at(some) for column in whole], self._truth, **self._options)
            keep(_scores(plan.observe(theirs.rows(n))), {column.name: cutoffs for column in whole}, None)
        if whole and (nothing := lengths == 0).any():  # which is no beginning at any cutoff
            plan = Plan([column.at([1]) for column in whole], self._truth, **self._options)
            keep(_scores(plan.observe(rounds.rows(0))), {column.name: 1 for column in whole}, None, nothing)
        by_round = [column for column in growing if column.looks_beyond]
        others = [column for column in self._columns if column not in growing]
        for number in range(n):
            for some in _together(by_round, cutoffs[:, number]):
                theirs = rounds.of_queries([query for query, own in zip(queries, cutoffs[:, number], strict=True) if own in some])
                plan = Plan([column.at(some) for column in by_round], self._truth, **self._options)
                keep(_scores(plan.observe(theirs.rows(number + 1))), {column.name: cutoffs for column in by_round}, number)
            if others:
                at = {column.name: column.cutoff or self.per_round * (number + 1) for column in others}  # type: ignore[operator]
                plan = Plan([column.at([at[column.name]]) for column in others], self._truth, **self._options)
                keep(_scores(plan.observe(rounds.rows(number + 1))), at, number)
        extra = {REPEATED: np.array([steps[query].repeated for query in queries], dtype=np.float64).reshape(len(ids), n)}
        if self._gain is not None:
            extra[ROUND_GAIN] = self._round_gains(lists, [steps[query] for query in queries], n)
        extra[FOUND] = lengths.astype(np.float64)
        return RoundsPartial(
            self, tuple(ids), np.array([len(rounds[query]) for query in queries], np.int64), scores, least, averaged, extra,
            self._settling.observe(lists), tuple(rounds.notices),
        )  # fmt: skip

    def _round_gains(self, lists: Any, steps: Sequence[_Steps], n: int) -> Floats:
        """What each round gains by itself, given all that was found before; NaN for queries with nothing to gain."""
        assert isinstance(self._gain, AlphaMetric)
        plan = self._settling
        world = World.of_lists(lists, plan.truth, plan.tables, plan.memory)
        coverage = self._gain.coverage(world)
        ends = coverage.stops([-1])
        gains, offsets = place_gains(coverage, self._gain.rule, ends), coverage.rankings.offsets
        found = np.full((len(steps), n), math.nan)
        discounts = LOG2.first(max((len(one) for step in steps for one in step.new), default=0))
        for row, step in enumerate(steps):
            if coverage.attainable[row] > 0:
                own = gains[offsets[row] : offsets[row + 1]]
                found[row] = [
                    math.fsum(own[place] * discounts[rank] for rank, place in enumerate(places) if place >= 0) for places in step.new
                ]
        world.forget_coverage()
        return found

    def finish(self, part: RoundsPartial, *, qualities: Any = None, gamma: float = 0.05) -> RoundsResults:
        """The numbers of all queries: those without a trace are settled here, once.

        Args:
            part: What :meth:`observe` returned, or a sum of such parts.
            qualities: Judged qualities of answers, as ``{query: quality}`` or the path of a judge's JSON Lines; AER is computed of them.
            gamma: How much each further round costs there: ``quality * exp(-gamma (R - 1))``.
        """
        if not isinstance(part, RoundsPartial):
            raise InputError(f"part is {type(part).__name__}, expected a RoundsPartial, as from plan.observe(...); add several with +")
        part.plan._check_same(self)
        settled = self._settling.finish(part.base)
        n = part.width
        curves: dict[str, RoundCurve] = {}
        frame: dict[str, tuple[Floats, Flags]] = {}
        for column in self._columns:
            own = settled.columns[column.name]
            how = {**{name: value for name, value in own.how.items() if name != "definition"}, "cutoff": self._cutoff_in_words(column)}
            missing = own.state.counts["missing"]
            score = column.metric.score_of_missing if isinstance(column.metric, UserMetric) else math.nan
            values, whose = part.scores[column.name], part.averaged[column.name]
            least = part.least[column.name] if "open" in own.state.counts else None
            curves[column.name] = RoundCurve.of(values[whose], how, missing, score, None if least is None else least[whose])
            frame[column.name] = values, whose
            if least is not None:
                frame[column.name + AT_LEAST] = least, whose
        first = self._columns[0].name
        if self._recall is not None:
            curve, values = settled.columns[self._recall], part.scores[self._recall]
            new = np.diff(values, prepend=0.0, axis=1)
            whose_recall = part.averaged[self._recall]
            how = {"is": _EXPLAINED[NEW].format(recall=self._recall)}
            curves[NEW] = RoundCurve.of(new[whose_recall], how, curve.state.counts["missing"], 0.0)
            frame[NEW] = new, whose_recall
        for name, values in part.extra.items():
            gain = _gain_of(self._gain) if name == ROUND_GAIN else {}
            how = {"is": _EXPLAINED[name].format(gain=", ".join(f"{key}={value}" for key, value in gain.items())), **gain}
            like = self._gain_name if name == ROUND_GAIN and self._gain_name is not None else first
            missing, whose = settled.columns[like].state.counts["missing"], part.averaged[like]
            # A query without a trace found nothing and gained nothing; it has no round of which a share could be repeated.
            curves[name] = RoundCurve.of(values[whose], how, missing, math.nan if name == REPEATED else 0.0)
            frame[name] = values, whose
        n_open, n_sure = (int(sum(sum(curve.certainty.get(count, ())) for curve in curves.values())) for count in ("open", "proved"))
        open_scores = (Notice("open_scores", n_open, n_open + n_sure),) if n_open else ()
        judged, said = (None, ()) if qualities is None else _aer(Qualities.of(qualities), part, gamma)
        return RoundsResults(
            n,
            curves,
            part.queries,
            part.n_rounds,
            frame,
            (*part.notices, *(one for one in settled.notices if one.kind not in _KNOWN_ORDERS), *open_scores, *said),
            judged,
        )

    def _cutoff_in_words(self, column: _Column) -> str:
        if column.cutoff is not None:
            return str(column.cutoff)
        return "all that was found" if self.per_round is None else f"{self.per_round} per round"

    def read(self, path: str | os.PathLike[str]) -> RoundsPartial:
        """A part that :meth:`RoundsPartial.write` wrote, of this plan in any process; others are refused."""
        named = os.fspath(path)
        data = read_arrow(path, "a part of rounds")
        if "base" not in data:
            raise InputError(f"{named}: is not a part of rounds; expected a file that RoundsPartial.write wrote")
        check_format(data["base"], named)
        self._check_choices(data["choices"], f"{named}: ")
        kept = {name: data[name] for name in ("n_rounds", "scores", "least", "averaged", "extra")}
        notices = tuple(map(Notice.from_data, data["notices"]))
        base = own_partial(data["base"], self._settling, named)
        return RoundsPartial(self, tuple(data["queries"]), **kept, base=base, notices=notices)

    @cached_property
    def _choices(self) -> dict[str, Any]:
        """What parts must have in common beside the metrics and the truth, as plain data."""
        found: dict[str, Any] = json.loads(
            json.dumps({"per_round": self.per_round, "rounds": self.rounds, ROUND_GAIN: _gain_of(self._gain)}, default=str)
        )
        return found

    def _check_choices(self, others: Mapping[str, Any], where: str = "") -> None:
        for name, mine in self._choices.items():
            if others[name] != mine:  # of RoundGain, how the first metric that has one counts gains
                raise InputError(f"{where}parts of rounds cannot be added: {name} is {mine} in one part, {others[name]} in the other")

    def _check_same(self, other: RoundsPlan) -> None:
        if self is not other:
            self._check_choices(other._choices)
            check_identity(self._settling.identity, other._settling.identity)

    @property
    def grows(self) -> bool:
        """Whether a cutoff grows even for queries whose agent has stopped."""
        return self.per_round is not None and any(column.cutoff is None for column in self._columns)


@dataclass(frozen=True, eq=False)
class RoundsPartial:
    """What some queries found, round by round: a part of an evaluation. Parts of one plan with different queries add up, in any order."""

    plan: RoundsPlan
    queries: tuple[Hashable, ...]
    n_rounds: Counts
    scores: Mapping[str, Floats]  # by name, (queries, rounds)
    least: Mapping[str, Floats]  # what they are at least, where they are not proved
    averaged: Mapping[str, Flags]
    extra: Mapping[str, Floats]
    base: Partial
    notices: tuple[Notice, ...] = ()

    @property
    def width(self) -> int:
        return int(next(iter(self.extra.values())).shape[1])

    def __repr__(self) -> str:
        return f"RoundsPartial({len(self.queries):,} queries, {self.width} rounds)"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write an Arrow file that :meth:`RoundsPlan.read` reads, in any process that has the same plan; whole or not at all."""
        kept = {name: getattr(self, name) for name in ("n_rounds", "scores", "least", "averaged", "extra")}
        queries, notices = Ids(list(self.queries)), [notice.to_data() for notice in self.notices]
        write_arrow(path, {"choices": self.plan._choices, "queries": queries, "notices": notices, **kept, "base": self.base.to_data()})

    def __radd__(self, other: object) -> RoundsPartial:
        return self if other == 0 else NotImplemented

    def __add__(self, other: RoundsPartial) -> RoundsPartial:
        if not isinstance(other, RoundsPartial):
            return NotImplemented
        self.plan._check_same(other.plan)
        base = self.base + other.base  # which refuses a query that is in both
        n = max(self.width, other.width)
        one, two = self._as_long_as(n), other._as_long_as(n)
        return RoundsPartial(
            self.plan,
            (*one.queries, *two.queries),
            np.concatenate([one.n_rounds, two.n_rounds]),
            _joined(one.scores, two.scores),
            _joined(one.least, two.least),
            _joined(one.averaged, two.averaged),
            _joined(one.extra, two.extra),
            base,
            (*one.notices, *two.notices),
        )

    def _as_long_as(self, n: int) -> RoundsPartial:
        """The same with further rounds, in which nobody searches."""
        more = n - self.width
        if more == 0:
            return self
        if self.plan.grows:
            raise InputError(
                f"these parts have {self.width} and {n} rounds, and cutoffs grow with each; say how many rounds there are with rounds={n}"
            )
        kept, least = (
            {name: np.concatenate([values, np.repeat(values[:, -1:], more, axis=1)], axis=1) for name, values in several.items()}
            for several in (self.scores, self.least)
        )
        extra = dict(self.extra)
        for name, values in self.extra.items():
            last = values[:, -1:] if name == FOUND else np.where(np.isnan(values[:, :1]), math.nan, 0.0 if name == ROUND_GAIN else math.nan)
            extra[name] = np.concatenate([values, np.repeat(last, more, axis=1)], axis=1)
        return replace(self, scores=kept, least=least, extra=extra)


@dataclass(frozen=True)
class _Steps:
    """How a list grew: its length after each round, where the new items of a round are in it, and what share was there before.

    Of an item of a round that was there before, the place is -1.
    """

    lengths: list[int]
    new: list[list[int]]
    repeated: list[float]

    @classmethod
    def of(cls, rounds: Sequence[Sequence[Hashable]], n: int) -> _Steps:
        places: dict[Hashable, int] = {}
        lengths, new, repeated = [], [], []
        for number in range(n):
            found = list(dict.fromkeys(rounds[number])) if number < len(rounds) else []
            before = sum(item in places for item in found)
            new.append([-1 if item in places else places.setdefault(item, len(places)) for item in found])
            lengths.append(len(places))
            repeated.append(before / len(found) if found else math.nan)
        return cls(lengths, new, repeated)


def _joined(one: Mapping[str, npt.NDArray[Any]], two: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.concatenate([values, two[name]]) for name, values in one.items()}


def _together(columns: Sequence[_Column], cutoffs: Counts) -> list[list[int]]:
    """Cutoffs that are looked at together; an exact ideal is expensive, so that each is for those queries only that need it."""
    if not columns or not len(cutoffs):
        return []
    distinct: list[int] = np.unique(cutoffs).tolist()
    is_exact = any(column.metric.parameters.get("ideal") == "exact" for column in columns)
    return [[cutoff] for cutoff in distinct] if is_exact else [distinct]


def _knows_gains(metric: Metric) -> bool:
    return isinstance(metric, AlphaMetric) and metric.parameters.get("unjudged", "keep") == "keep"


def _gain_of(metric: Metric | None) -> dict[str, Any]:
    """What the gain of a round depends on."""
    if metric is None:
        return {}
    return {name: metric.parameters[name] for name in ("alpha", "judged_by", "gain", "gamma") if name not in metric.idle}


def _scores(part: Partial) -> list[UserScores]:
    return [group.scores for group in part.parts if group.scores is not None]


def _aer(judged: Qualities, part: RoundsPartial, gamma: float) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """What is left of qualities after the effort, and what to know of them."""
    if not is_finite(gamma) or gamma < 0:
        raise InputError(f"gamma is {gamma!r}, expected a number from 0")
    by_text = {str(query): query for query in part.queries}
    n_rounds = {query: int(n) for query, n in zip(part.queries, part.n_rounds, strict=True)}
    found, of_rounds = judged.effort_adjusted(n_rounds, float(gamma))
    if not found:
        raise InputError(f"qualities: no judged query has a trace; judged are {', '.join(map(quoted, judged.queries[:3]))}")
    last_judged = {query: round for query, round in sorted(of_rounds, key=lambda key: key[1]) if query not in judged.final}
    n_elsewhere = sum(round != max(1, n_rounds[by_text[query]]) for query, round in last_judged.items())
    finally_ = {(query, max(1, min(n_rounds[by_text[query]], part.width))): found[query] for query in judged.final if query in found}
    return {
        "gamma": float(gamma),
        "by_query": {by_text[query]: value for query, value in found.items()},
        "by_round": {(by_text[query], round): value for (query, round), value in {**of_rounds, **finally_}.items()},
        "unjudged": len(n_rounds) - len(found),
        "without_trace": len({*judged.queries} - by_text.keys()),
        "failed": judged.failed,
    }, (Notice("other_last_round", n_elsewhere, len(found)),) if n_elsewhere else ()


def evaluate_rounds(
    rounds: Any,
    metrics: Metrics | None = None,
    *,
    per_round: int | None = None,
    n_rounds: int | None = None,
    convention: str | Convention | None = None,
    users: Any = None,
    qualities: Any = None,
    gamma: float = 0.05,
    threads: int | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    **truth: Any,
) -> RoundsResults:
    """Measure what agents found after each round of searching, and what each round added.

    After round r a query has found L_r: the items of its rounds up to r, each at its first place. A query whose agent stopped keeps its list.

    Args:
        rounds: :class:`Rounds`, ``{query: [items of round 1, items of round 2, ...]}``, or the path of traces.
        metrics: Metrics or their text forms. Default: AlphaNDCG and AspectRecall. A metric without a cutoff is measured at a cutoff that
            grows; one with a cutoff, at the same after each round.
        per_round: How much the cutoff grows with each round: 5 measures at 5, 10, 15 ... Default: at the length of L_r, so that the ideal
            is as long as what the query has found.
        n_rounds: How many rounds there are numbers for. Default: as many as any query has.
        convention: Another tool's numbers. Under ``brightpro`` cutoffs grow by 5, and of several searches in a round the last counts.
        qualities: Judged qualities of answers, as ``{query: quality}`` or the path of a judge's JSON Lines, for AER.
        gamma: What each further round costs in AER: ``quality * exp(-gamma (R - 1))``.
        users, threads, ideal_budget, ideal_seconds, strict, ignore: As for :func:`evaluate`.
        truth: The inputs that lists are measured against, and how they are read, as for :func:`evaluate`: subtopics, weights, relevance ...

    Examples:
        >>> import aspectrum as asp
        >>> found = asp.evaluate_rounds({"q": [["a", "b"], ["b", "c"]]}, subtopics={"q": {"a": [1], "c": [1, 2]}}, per_round=2)
        >>> print(found.to_text(how=False))
        Metric           Round 1  Round 2
        ---------------  -------  -------
        AlphaNDCG@2r      0.4319   0.7558
        AspectRecall@2r   0.5000   1.0000
        NewAspects        0.5000   0.5000
        Repeated          0.0000   0.5000
        RoundGain         1.0000   0.9464
        Found             2.0000   3.0000
    """
    way = convention_named(convention)
    known_names = [*TRUTH, *READING_OPTIONS]
    wrong = [unknown_argument("evaluate_rounds", name, known_names) for name in truth if name not in known_names]
    if wrong:
        raise joined(wrong)
    inputs = unbundled(truth, [way])
    read = Rounds.of(rounds)
    known = way.truth(**inputs)
    options = {"users": users, "threads": threads, "ideal_budget": ideal_budget, "ideal_seconds": ideal_seconds, "strict": strict}
    plan = RoundsPlan(metrics, known, per_round=per_round, rounds=n_rounds, convention=way, ignore=ignore, **options)
    return plan.finish(plan.observe(read), qualities=qualities, gamma=gamma)
