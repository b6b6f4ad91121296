"""What inputs say of one another where no process has all users: counted where the users are, and added up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input
from aspectrum.coding.table import SomeIds
from aspectrum.diagnostics.findings import Inputs, Use, graded, is_odd, likely_reason, missing_queries
from aspectrum.diagnostics.notices import Notice, added
from aspectrum.world import Truth
from aspectrum.world.building import Tables

_SAMPLE = 500  # ids that are kept, the smallest ones, to tell why they match nothing
_GRADES = 10_000  # distinct grades that are kept, to tell what they are like
_MOST_GRADES = 1_000_000  # that are looked at
_LISTED = ("relevance", "history", "subtopics", "users")


@dataclass(frozen=True, eq=False)
class Some:
    """How many users something is so of, and a few of them."""

    n: int = 0
    ids: tuple[Any, ...] = ()

    @staticmethod
    def of(ids: Ids, codes: Codes) -> Some:
        order = codes if len(codes) <= _SAMPLE else codes[np.argsort(ids.heads[codes])[:_SAMPLE]]
        return Some(len(codes), tuple(ids.take(order)))

    def __add__(self, other: Some) -> Some:
        return Some(self.n + other.n, tuple(sorted((*self.ids, *other.ids))[:_SAMPLE]))

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(quoted(id) for id in self.ids[:3])


@dataclass(frozen=True, eq=False)
class Counted:
    """What there is to say of users and what is known of them. Those of parts of the users add up.

    Args:
        users: Who is named by each input.
        rows: How many rows each has, and what was noticed as it was read.
        unknown: Users of lists whom an input does not know.
        no_list: Users of an input who have no list.
        listed: Users who have one.
        none_relevant: Users of the relevance without a relevant item.
        grades: How often each grade is given.
        relevant: How many grades reach the threshold.
        both: How many items of the relevance are in the history.
        short: Lists of the baseline that end too early, and how many there are.
    """

    users: Mapping[str, Some]
    rows: Mapping[str, tuple[int, list[Notice]]]
    unknown: Mapping[str, Some]
    no_list: Mapping[str, Some]
    listed: Some
    none_relevant: Some = field(default_factory=Some)
    grades: Mapping[float, int] = field(default_factory=dict)
    relevant: int = 0
    both: int = 0
    short: tuple[int, int] = (0, 0)

    @staticmethod
    def of(truth: Truth, tables: Tables, inputs: Mapping[str, Input], lists: Input, use: Use) -> Counted:
        ids = tables.user.ids
        codes = {name: given.ids["user"].within(tables.user) for name, given in inputs.items() if "user" in given.ids}
        listed = lists.ids["user"].within(tables.user)
        relevance, history, baseline = truth.relevance, truth.history, truth.baseline
        without, grades, relevant, both, short = Some(), dict[float, int](), 0, 0, (0, 0)
        if relevance is not None and "relevance" in codes:
            judged = codes["relevance"]
            without = Some.of(ids, judged[~truth.with_relevant_items()[judged]])
            if relevance.grades is not None:
                values, times = np.unique(relevance.grades, return_counts=True)
                grades = dict(zip(values.tolist(), times.tolist(), strict=True))
            relevant = int(relevance.relevant.sum())
            if history is not None:
                both = int((kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items) >= 0).sum())
        if baseline is not None:
            own = baseline.lengths if baseline.listed is None else baseline.lengths[baseline.listed]
            short = (int((own < use.baseline_to).sum()), len(own))
        return Counted(
            {name: Some.of(ids, some) for name, some in codes.items()},
            {name: (inputs[name].n_rows, inputs[name].notices) for name in codes},
            {name: Some.of(ids, np.setdiff1d(listed, some)) for name, some in codes.items()},
            {name: Some.of(ids, np.setdiff1d(codes[name], listed)) for name in _LISTED if name in codes},
            Some.of(ids, listed),
            without,
            _kept(grades),
            relevant,
            both,
            short,
        )

    def __add__(self, other: Counted) -> Counted:
        def sums(one: Mapping[str, Some], more: Mapping[str, Some]) -> dict[str, Some]:
            return {name: some + more[name] for name, some in one.items()}

        rows = {name: (n + other.rows[name][0], added([*found, *other.rows[name][1]])) for name, (n, found) in self.rows.items()}
        grades = {grade: self.grades.get(grade, 0) + other.grades.get(grade, 0) for grade in (*self.grades, *other.grades)}
        return Counted(
            sums(self.users, other.users),
            rows,
            sums(self.unknown, other.unknown),
            sums(self.no_list, other.no_list),
            self.listed + other.listed,
            self.none_relevant + other.none_relevant,
            _kept(grades),
            self.relevant + other.relevant,
            self.both + other.both,
            (self.short[0] + other.short[0], self.short[1] + other.short[1]),
        )

    def inputs(self, given: Mapping[str, Input], tables: Tables) -> dict[str, Input]:
        """Inputs of a plan without users, with what was counted of theirs."""
        nobody = np.empty(0, np.int32)
        found = dict(given)
        for name, (n_rows, notices) in self.rows.items():
            users = SomeIds(tables.user, nobody, uncoded=self.users[name].n)
            found[name] = replace(found[name], n_rows=n_rows, notices=notices, ids={**found[name].ids, "user": users})
        return found


def _kept(grades: Mapping[float, int]) -> dict[float, int]:
    """Grades by value; of very many, the smallest, the largest and some between."""
    values = sorted(grades)
    step = -(-len(values) // _GRADES) or 1
    kept = values if step == 1 else [*values[:-1:step], values[-1]]
    return {grade: grades[grade] for grade in kept}


@dataclass(frozen=True, eq=False)
class CountedInputs(Inputs):
    """All that was read for an evaluation, where users were only counted: for each system, beside its lists."""

    counted: Mapping[str, Counted]

    @property
    def _any(self) -> Counted:
        """What was counted apart from lists is the same beside those of every system."""
        return next(iter(self.counted.values()))

    def unknown(self, given: Input, name: str, role: str) -> Iterator[Notice]:
        alone = next((self.counted[system].unknown.get(name) for system, lists in self.systems.items() if lists is given), None)
        if role != "user" or alone is None or given.name != "rankings":
            yield from super().unknown(given, name, role)
            return
        truth, n = self.inputs[name], len(given.ids["user"])
        if alone.n == 0 or truth.n_rows == 0:
            return
        because = _reason(alone, self._any.users[name])
        level = "error" if alone.n == n else "warning" if is_odd("user", truth, alone.n, n, bool(because)) else "note"
        detail = {"role": "user", "where": truth.source}
        yield Notice("unknown", alone.n, n, alone.examples, detail, because, given.source, level)  # type: ignore[arg-type]

    def without_list(self) -> Iterator[Notice]:
        for system, counted in self.counted.items():
            for name, alone in counted.no_list.items():
                if alone.n and name != "subtopics" and not self._beside_subtopics(self.inputs[name]):
                    because = _reason(alone, counted.listed) if name == "users" else ()
                    found = self._no_list(self.inputs[name], alone.n, alone.examples, because)
                    yield replace(found, only=system if len(self.counted) > 1 else None)

    def missing_queries(self, use: Use) -> Iterator[Notice]:
        if "subtopics" in self._any.no_list:
            without = {system: counted.no_list["subtopics"] for system, counted in self.counted.items()}
            yield from missing_queries(self.inputs["subtopics"], {system: (some.n, some.examples) for system, some in without.items()}, use)

    def without_relevant(self, use: Use) -> Iterator[Notice]:
        some, relevance = self._any.none_relevant, self.truth.relevance
        if relevance is not None and some.n:
            yield self._none_relevant(self.inputs["relevance"], relevance.threshold, some.n, some.examples, use)

    def grades(self, use: Use) -> Iterator[Notice]:
        counts, relevance = self._any.grades, self.truth.relevance
        if relevance is None or not counts:
            return
        total = sum(counts.values())
        times = [max(1, n * _MOST_GRADES // total) if total > _MOST_GRADES else n for n in counts.values()]
        like: Floats = np.random.default_rng(0).permutation(np.repeat(list(counts), times))
        yield from graded(self.inputs["relevance"], self.truth, like, self._any.relevant, total, use)

    def test_in_train(self) -> Iterator[Notice]:
        if self._any.both:
            relevance = self.inputs["relevance"]
            n = int(self.truth.everybody.judged["relevance"].sum())  # type: ignore[union-attr]
            yield Notice("test_in_train", self._any.both, n, source=relevance.source)

    def swapped(self) -> Iterator[Notice]:
        """That takes all users; of lists whose users nobody knows, it is said."""
        yield from ()

    def different_users(self, use: Use) -> Iterator[Notice]:
        """That takes all users, too; whoever has the lists of several systems says it."""
        yield from ()

    def short_baseline(self, use: Use) -> Iterator[Notice]:
        short, n = self._any.short
        if short and use.baseline_to > 0:
            yield Notice("short_lists", short, n, detail={"cutoff": use.baseline_to}, source=self.inputs["baseline"].source)


def _reason(alone: Some, there: Some) -> tuple[Notice, ...]:
    """Why none of some users are among others, if there is one likely reason."""
    own = set(alone.ids)
    ids = Ids([*alone.ids, *(id for id in there.ids if id not in own)])
    mine = np.arange(len(alone.ids), dtype=np.int32)
    return likely_reason(ids, mine, np.arange(len(mine), len(ids), dtype=np.int32))
