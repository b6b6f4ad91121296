"""What the inputs of an evaluation say of one another: ids that match nowhere and why, users without lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Floats
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input
from aspectrum.coding.table import IdTable
from aspectrum.conventions import UserChoice
from aspectrum.diagnostics.notices import Level, Notice, of_input
from aspectrum.errors import InputError, joined
from aspectrum.inputs import FIRST_TIME
from aspectrum.world import Truth
from aspectrum.world.building import Tables

_N_EXAMPLES = 3
LEVELS: Sequence[Level] = ("fact", "note", "warning", "error")
_SHARE_WITH_REASON, _SHARE_UNKNOWN, _FEW = 0.1, 0.5, 10  # from which unknown ids are a warning, and of how many
_KNOWN_IN = {
    "user": ("relevance", "history", "subtopics", "weights", "baseline", "graph"),
    "item": ("aspects", "features", "subtopics", "relevance", "catalogue", "history", "groups", "popularity", "lengths", "graph"),
}
"""Where the users and items of lists should be known."""


@dataclass(frozen=True)
class Use:
    """What metrics make of the inputs, where that decides what is to be said of them.

    Args:
        threshold: It matters which items are relevant.
        averages_lists: Each system is averaged over the users whom it has lists for.
        queries: Who is averaged by metrics that are judged by subtopics; None if there are none, or if users were named.
        nuggets: Whether what is judged are nuggets, of queries that were chosen one by one.
        relative_to: Inputs one of which should say what the catalogue is.
        relative: The metrics that it matters for.
        relative_to_truth: Those of them that score users, and know only the items of the truth.
        baseline_to: The largest rank up to which the baseline is read; 0 if it is not, or as far as it goes.
        lengths: Whether lengths of documents matter, or nobody asked for the metrics one by one.
    """

    threshold: bool = True
    averages_lists: bool = True
    queries: UserChoice | None = "lists"
    nuggets: bool = False
    relative_to: frozenset[str] = frozenset()
    relative: str = ""
    relative_to_truth: str = ""
    baseline_to: int = 0
    lengths: bool = True


def find(read: Inputs, use: Use | None = None) -> list[Notice]:
    """Everything there is to say about the inputs of an evaluation, facts first."""
    made = use or Use()
    found: list[Notice] = []
    for lists in read.systems.values():
        found += [
            _size(lists),
            *noticed_among(lists, read.systems.values()),
            *([replace(_order(lists), level="fact")] if lists.n_rows else []),
        ]
    for truth in read.inputs.values():
        found += [_size(truth), *noticed(truth)]
    asked = [(lists, name, role) for lists in read.systems.values() for role, names in _KNOWN_IN.items() for name in names]
    asked += [(read.inputs[name], "aspects", "item") for name in ("relevance", "history") if name in read.inputs]
    if "weights" in read.inputs:
        asked.append((read.inputs["weights"], "aspects" if "aspects" in read.inputs else "subtopics", "aspect"))
    found += [notice for one in asked for notice in read.unknown(*one)]
    found += [*read.foreign_baseline(), *read.short_baseline(made), *read.one_group(), *read.popularity_beside_history()]
    found += [*read.direction(), *read.unused_lengths(made)]
    found += [*read.without_list(), *read.missing_queries(made), *read.without_aspect(), *read.one_subtopic(), *read.without_relevant(made)]
    found += [*read.grades(made), *read.test_in_train(), *read.swapped(), *read.different_users(made), *read.seen_catalogue(made)]
    return sorted(dict.fromkeys(found), key=lambda notice: LEVELS.index(notice.level))  # inputs of one bundle say the same


def notices_on(
    read: Inputs, use: Use | None = None, from_files: bool | None = None, whole: bool = False, early: bool = False
) -> list[Notice]:
    """What a reader of the numbers should know of the inputs. What makes numbers meaningless is an error.

    In plain objects, of which what they do not hold may be meant, that is only so of items that are clearly others than those of the
    truth; the rest is a warning there.

    Args:
        from_files: Whether inputs come from files or frames; by default whether one of them does.
        whole: Whether these are all lists, and not part of something larger.
        early: Whether these are the first of more lists. Others may match where these do not, so an error needs a reason then.
    """
    if not read.systems:  # of codes there is nothing to say
        return []
    found = [notice for notice in find(read, use) if notice.level != "fact"]
    if from_files is None:
        from_files = any(given.external for given in (*read.systems.values(), *read.inputs.values()))
    errors = [one for one in found if one.level == "error"]
    refused = errors if from_files else [one for one in errors if whole and one.detail.get("role") == "item" and one.because]
    if early:
        refused = [one for one in refused if any(reason.kind != "strange" for reason in one.because)]
    if refused:
        raise joined([InputError(one) for one in refused])
    said = [replace(notice, level="warning") if notice.level == "error" else notice for notice in found]
    return [*orders(read.systems.values()), *said] if from_files else said


def notices_on_truth(truth: Truth, use: Use) -> list[Notice]:
    """What is to be said of the truth where there are no lists."""
    return [one for one in find(Inputs(truth, truth.tables, truth.inputs, {}), use) if one.level != "fact"]


def noticed(given: Input) -> list[Notice]:
    """What was noticed as an input was read."""
    return of_input(given.source, given.n_rows, given.notices, len(given.ids["user"]) if "user" in given.ids else None)


def noticed_among(lists: Input, systems: Collection[Input]) -> list[Notice]:
    """The same of the lists of one of some systems; beside others, a system may well be the baseline."""
    found = noticed(lists)
    if all(any(one.kind == "same_as_baseline" for one in others.notices) for others in systems):
        return found
    return [replace(one, level="fact") if one.kind == "same_as_baseline" else one for one in found]


def orders(rankings: Iterable[Input]) -> list[Notice]:
    """What ordered the lists, in one notice if it is the same everywhere."""
    found = [_order(lists) for lists in rankings]
    return [replace(found[0], source=None)] if len({one.kind for one in found}) == 1 else found


def _order(lists: Input) -> Notice:
    by = lists.ordered_by or "input"
    if any(one.kind == "constant_ranks" and one.count == len(lists.ids["user"]) for one in lists.notices):
        by = "score"
    return Notice(f"order_{by}", source=lists.source)


def _size(given: Input) -> Notice:
    if given.n_rows == 0:
        return Notice("empty", source=given.source, detail={"input": given.name})
    ids = {role: len(ids) for role, ids in given.ids.items()}
    return Notice("size", given.n_rows, source=given.source, detail={"input": given.name, "ids": ids})


@dataclass(frozen=True, eq=False)
class Inputs:
    """All that was read for an evaluation, and what there is to say about it."""

    truth: Truth
    tables: Tables  # the ids of everything
    inputs: Mapping[str, Input]  # what was read for the truth, by name of the input; and users to be averaged, if they were named
    systems: Mapping[str, Input]  # what was read as the lists of each system
    _likeness: dict[tuple[int, str], _Likeness] = field(default_factory=dict, init=False)

    def codes(self, given: Input, role: str) -> Codes:
        """The codes of the users, items or aspects that an input names."""
        return given.ids[role].within(getattr(self.tables, role))

    def _ids(self, role: str) -> Ids:
        table: IdTable = getattr(self.tables, role)
        return table.ids

    def unknown(self, given: Input, name: str, role: str) -> Iterator[Notice]:
        """Users, items or aspects of an input that another one does not know."""
        truth = self.inputs.get(name)
        if truth is None or role not in truth.ids or role not in given.ids:
            return
        mine, theirs = self.codes(given, role), self.codes(truth, role)
        further = {"item": "items", "aspect": "subtopics"}.get(role, "") if name == "aspects" else ""
        if further in self.inputs:
            theirs = np.union1d(theirs, self.codes(self.inputs[further], role))
        alone = _without(mine, theirs)
        if len(alone) == 0 or truth.n_rows == 0:  # of an empty file it has been said that it is
            return
        n_alone, n_mine = len(alone) + given.ids[role].uncoded, len(given.ids[role])  # nobody knows those who are only counted
        none_match = n_alone == n_mine
        # Most lists hold items that nobody judged; that is what lists are for. They may be of items that nobody had, too.
        expected = role == "item" and name in ("subtopics", "relevance")
        because = self._exchanged(given, alone, truth) if role == "item" else ()
        shifted = () if because or expected else self._off_by_one(role, mine, theirs)
        if role == "item" and name == "history" and (not shifted or len(alone) < _FEW):
            return
        level = "error" if because else "fact" if expected else "note"
        because = because or shifted
        if not because and (none_match or not expected):
            because = self._reason(role, alone, truth, given if none_match else None, beside=None if none_match else mine)
        if none_match:
            if not because and given.name == "rankings" and role == "item" and self._items_are_strange:
                because = (Notice("strange"),)
            level = "warning" if expected and not because else "error"
        elif level == "note" and (shifted or is_odd(role, truth, n_alone, n_mine, bool(because))):
            level = "warning"
        detail = {"role": role, "where": truth.source}
        found = self._notice("unknown", given, role, alone, n_mine, level=level, because=because, detail=detail)
        yield replace(found, count=n_alone)

    @cached_property
    def _items_are_strange(self) -> bool:
        """Whether no item of any list stands anywhere else. A single list may well be of items that nobody knows."""
        if sum(len(lists.ids["user"]) for lists in self.systems.values()) < 2:
            return False
        known = [self.codes(truth, "item") for truth in self.inputs.values() if "item" in truth.ids]
        theirs = np.concatenate([np.empty(0, np.int32), *known])
        listed = (self.codes(lists, "item") for lists in self.systems.values())
        return all(len(_without(mine, theirs)) == len(mine) for mine in listed)

    def _exchanged(self, given: Input, alone: Codes, there: Input) -> tuple[Notice, ...]:
        """Whether most items of lists are aspects there, or some, where none is an item; numbers may be both by chance, if they are few."""
        if given.name != "rankings" or there.name not in ("aspects", "subtopics"):
            return ()
        some = alone[:: -(-len(alone) // _N_OURS)]
        items, aspects = self._ids("item").take(some), self._ids("aspect").take(self.codes(there, "aspect"))
        if len(aspects) == 0 or isinstance(items[0], str) != isinstance(aspects[0], str):
            return ()
        n_both = len({*items} & {*aspects})
        by_chance = not isinstance(items[0], str) and (n_both < 3 or len(aspects) <= len(there.ids["item"]))
        are_most = 2 * n_both * len(alone) > len(items) * len(given.ids["item"])
        # Most items may not be judged. That none is, and some are aspects, does not happen to judgments the right way round.
        are_some = there.name == "subtopics" and n_both > 0 and len(alone) == len(given.ids["item"])
        if by_chance or not (are_most or are_some):
            return ()
        share = "most" if are_most else "some"
        if there.external:
            return (Notice("swapped_aspects", detail={"share": share}),)
        form = "{user: {item: [aspects]}}, or asp.Nuggets.of({query: {nugget: [documents]}})"
        form = "{item: [aspects]}" if there.name == "aspects" else form
        return (Notice("swapped_objects", detail={"form": form, "share": share}),)

    def foreign_baseline(self) -> Iterator[Notice]:
        """A baseline of other items than all lists: everything would be unexpected."""
        baseline = self.inputs.get("baseline")
        if baseline is None or not self.systems or not baseline.n_rows:
            return
        items = self.codes(baseline, "item")
        shown = np.concatenate([self.codes(lists, "item") for lists in self.systems.values()])
        if len(shown) and len(_without(items, np.unique(shown))) == len(items):
            because = self._reason("item", items, next(iter(self.systems.values())), baseline)
            yield self._notice(
                "unknown", baseline, "item", items, len(items), level="error", because=because, detail={"role": "item", "where": "any list"}
            )

    def short_baseline(self, use: Use) -> Iterator[Notice]:
        """Lists of a baseline that end before the rank up to which metrics read them: all that follows would be unexpected."""
        if self.truth.baseline is not None and "baseline" in self.inputs:
            yield from short_baseline(self.truth, self.inputs["baseline"].source, use)

    def one_group(self) -> Iterator[Notice]:
        """Groups that are one, or of which the catalogue has one: there is nothing to compare."""
        groups, given, catalogue = self.truth.groups, self.inputs.get("groups"), self.truth.catalogue
        if groups is None or given is None or given.n_rows < 2:
            return
        kept = slice(None) if catalogue is None else np.repeat(catalogue, np.diff(groups.offsets))
        some = np.flatnonzero(np.bincount(groups.codes[kept], minlength=1))
        if len(some) < 2:
            only = " with an item of the catalogue" if len(given.ids["group"]) > 1 else ""
            named = (
                f"{quoted(self.truth.group_ids[int(some[0])])} is the only group{only}"
                if len(some)
                else "no group has an item of the catalogue"
            )
            yield Notice("one_group", detail={"where": named}, source=given.source)

    def direction(self) -> Iterator[Notice]:
        """Whether the graph is directed, where that was not said in plain sight."""
        graph, given = self.truth.graph, self.inputs.get("graph")
        if graph is not None and given is not None and (given.external or not graph.directed):
            yield Notice("directed" if graph.directed else "undirected")

    def unused_lengths(self, use: Use) -> Iterator[Notice]:
        """Lengths that no metric looks at: 4000 was written, and 4000t meant."""
        if "lengths" in self.inputs and not use.lengths:
            yield Notice("unused_lengths", source=self.inputs["lengths"].source)

    def popularity_beside_history(self) -> Iterator[Notice]:
        """Popularity that is not that of the history, which says how many users there are."""
        popularity, history, given = self.truth.popularity, self.truth.history, self.inputs.get("popularity")
        if popularity is None or history is None or given is None or popularity.of_users is not None:
            return
        if not np.array_equal(popularity.users, self.truth.times_had):
            yield Notice("popularity_beside_history", self.truth.n_with_history, source=given.source)

    def without_list(self) -> Iterator[Notice]:
        """Users of the truth, and users to be averaged, who have no list."""
        listed = np.concatenate([np.empty(0, np.int32), *(self.codes(lists, "user") for lists in self.systems.values())])
        for name in ("relevance", "history", "users"):
            truth = self.inputs.get(name)
            if truth is None or self._beside_subtopics(truth) or len(alone := _without(self.codes(truth, "user"), listed)) == 0:
                continue
            # Of users who were named, these are the ones that were asked for.
            because = self._reason("user", alone, next(iter(self.systems.values()))) if name == "users" else ()
            yield self._no_list(truth, len(alone), examples_of(self._ids("user"), alone), because)

    def _no_list(self, truth: Input, n_alone: int, examples: tuple[str, ...], because: tuple[Notice, ...] = ()) -> Notice:
        """Some users of an input have no list."""
        n_users, more = len(truth.ids["user"]), dict[str, Any]()
        many = n_users >= _FEW and n_alone > _SHARE_WITH_REASON * n_users  # a split may leave some users without
        if self.systems and truth.name == "relevance" and many:
            more = {"level": "note"}
        if truth.name == "users":
            more = {"level": "error" if n_alone == n_users else "warning" if because else "note", "because": because}
        return Notice("no_list", n_alone, n_users, examples, source=truth.source, **more)

    def _beside_subtopics(self, truth: Input) -> bool:
        """Whether an input is relevance that comes with subtopics, of whose users without a list is spoken there."""
        return truth.name == "relevance" and "subtopics" in self.inputs and truth.source == self.inputs["subtopics"].source

    def missing_queries(self, use: Use) -> Iterator[Notice]:
        """Queries that somebody judged one by one, and that a system has no list for."""
        truth = self.inputs.get("subtopics")
        if truth is not None and self.systems:
            judged = self.codes(truth, "user")
            without = {name: _without(judged, self.codes(lists, "user")) for name, lists in self.systems.items()}
            found = {name: (len(codes), examples_of(self._ids("user"), codes)) for name, codes in without.items()}
            yield from missing_queries(truth, found, use)

    def without_aspect(self) -> Iterator[Notice]:
        if self.truth.aspects is not None and "aspects" in self.inputs:
            items = self.codes(self.inputs["aspects"], "item")
            bare = items[np.diff(self.truth.aspects.offsets)[items] == 0]
            if len(bare):
                yield self._notice("no_aspect", self.inputs["aspects"], "item", bare, len(items))

    def one_subtopic(self) -> Iterator[Notice]:
        """Judgments that are not of subtopics, whose second column is 0 throughout. Where aspects are listed, they are meant."""
        given, subtopics = self.inputs.get("subtopics"), self.truth.subtopics
        if (
            given is not None
            and subtopics is not None
            and subtopics.unserved is None
            and len(given.ids["aspect"]) == 1
            and given.n_rows > 1
        ):
            examples = examples_of(self._ids("aspect"), self.codes(given, "aspect"))
            yield Notice("one_subtopic", given.n_rows, examples=examples, source=given.source)

    def without_relevant(self, use: Use) -> Iterator[Notice]:
        if self.truth.relevance is None or "relevance" not in self.inputs:
            return
        truth = self.inputs["relevance"]
        users = self.codes(truth, "user")
        without = users[~self.truth.with_relevant_items()[users]]
        if len(without):
            yield self._none_relevant(truth, self.truth.relevance.threshold, len(without), examples_of(self._ids("user"), without), use)

    def _none_relevant(self, truth: Input, threshold: float, n: int, examples: tuple[str, ...], use: Use) -> Notice:
        """Some users have no relevant item."""
        n_users = len(truth.ids["user"])
        more: dict[str, Any] = {"level": "warning", "because": (Notice("threshold"),)} if n == n_users and use.threshold else {}
        return Notice("none_relevant", n, n_users, examples, {"threshold": float(threshold)}, source=truth.source, **more)

    def grades(self, use: Use) -> Iterator[Notice]:
        """The range of the grades, and how many reach the threshold: a warning for ratings that nobody set a threshold for."""
        relevance, given = self.truth.relevance, self.inputs.get("relevance")
        if relevance is not None and given is not None and relevance.grades is not None and len(relevance.grades):
            yield from graded(given, self.truth, relevance.grades, int(relevance.relevant.sum()), len(relevance.grades), use)

    def test_in_train(self) -> Iterator[Notice]:
        relevance, history = self.truth.relevance, self.truth.history
        if relevance is None or history is None or not {"relevance", "history"} <= self.inputs.keys():
            return
        both = int((kernels.lookup(relevance.offsets, relevance.items, history.offsets, history.items) >= 0).sum())
        if both:
            yield Notice("test_in_train", both, len(relevance.items), source=self.inputs["relevance"].source)

    def swapped(self) -> Iterator[Notice]:
        """Lists whose users look like items of the truth, and whose items look like users."""
        name = next((name for name in ("relevance", "history", "subtopics") if name in self.inputs), None)
        if name is None:
            return
        truth = self.inputs[name]
        known = {role: set(self._ids(role).take(self.codes(truth, role)[:_N_THEIRS])) for role in ("user", "item")}
        for lists in self.systems.values():
            own, other = [], []
            for role, exchanged in (("user", "item"), ("item", "user")):
                codes = self.codes(lists, role)
                ids = self._ids(role).take(codes[:: max(1, len(codes) // _N_OURS)])
                own.append(sum(id in known[role] for id in ids) / max(1, len(ids)))
                other.append(sum(id in known[exchanged] for id in ids) / max(1, len(ids)))
            if min(other) >= _FITS and any(1 - mine >= _MISFITS for mine in own) and lists.n_rows >= _FEW:
                yield Notice("swapped_columns", source=lists.source, detail={"where": truth.source})

    def different_users(self, use: Use) -> Iterator[Notice]:
        if len(self.systems) < 2 or not use.averages_lists:
            return
        yield from different_users([self.codes(lists, "user") for lists in self.systems.values()], self._ids("user"))

    def seen_catalogue(self, use: Use) -> Iterator[Notice]:
        if not use.relative_to or use.relative_to & self.inputs.keys():
            return
        if use.relative:
            yield Notice("no_catalogue", len(self._ids("item")), detail={"metric": use.relative, "where": "anywhere in the inputs"})
        if use.relative_to_truth:
            detail = {"metric": use.relative_to_truth, "where": "in the inputs beside the lists"}
            yield Notice("no_catalogue", self.truth.n_items, detail=detail)

    def _notice(self, kind: str, given: Input, role: str, codes: Codes, of: int, **more: Any) -> Notice:
        return Notice(kind, len(codes), of, examples_of(self._ids(role), codes), source=given.source, **more)

    def _off_by_one(self, role: str, mine: Codes, theirs: Codes) -> tuple[Notice, ...]:
        """Whether ids are numbers, all of which the other input knows once 1 is added or subtracted."""
        ids = self._ids(role)
        if len(mine) < _FEW or max(len(mine), len(theirs)) > _MOST_KNOWN or not isinstance(ids[int(mine[0])], int):
            return ()
        ours = [id for id in ids.take(mine) if isinstance(id, int)]
        known = {id for id in ids.take(theirs) if isinstance(id, int)}
        strange = [id for id in ours if id not in known]
        if not known or not strange:
            return ()
        low, high = min(known), max(known)
        outside = [id for id in strange if id < low or id > high]
        if not outside and len(strange) < min(_FEW, len(ours) / 2):  # where ids are dense, some just are not there
            return ()
        for shift in (1, -1):
            if all(id + shift in known for id in ours):
                here = (outside or strange)[0]
                return (Notice("off_by_one", detail={"here": quoted(here), "there": quoted(here + shift)}),)
        return ()

    def _reason(
        self, role: str, alone: Codes, there: Input, maybe_swapped: Input | None = None, beside: Codes | None = None
    ) -> tuple[Notice, ...]:
        """Why ids that should match do not, if there is one likely reason; it is none if what they are like stands beside them."""
        ours = _texts(self._ids(role), alone, _N_OURS)
        key = (id(there), role)
        if key not in self._likeness:  # several systems ask of the same truth
            self._likeness[key] = _Likeness(self._ids(role), self.codes(there, role))
        other = {"user": "item", "item": "user"}.get(role)
        alike = self._likeness[key].reason(ours, () if beside is None else _texts(self._ids(role), beside, _N_THEIRS))
        if maybe_swapped is None or other is None or other not in there.ids or other not in maybe_swapped.ids:
            return alike
        fits, fits_back = (
            self._fit(*pair, there) for pair in ((ours, other), (_texts(self._ids(other), self.codes(maybe_swapped, other), _N_OURS), role))
        )
        return (Notice("swapped", detail={"other": other}),) if fits and (fits_back or not alike) else alike

    def _fit(self, ours: Sequence[str], role: str, there: Input) -> bool:
        """Whether most of some ids are those of a role there."""
        known = set(_texts(self._ids(role), self.codes(there, role), _N_THEIRS))
        return 2 * sum(id in known for id in ours) > len(ours)


def missing_queries(truth: Input, without: Mapping[str, tuple[int, tuple[str, ...]]], use: Use) -> Iterator[Notice]:
    """By system, how many queries of subtopics have no list, and some of them; what becomes of these, too.

    A system that left them out looks better or worse than it is: of nuggets they are a warning where there are many. TREC judgments may well be of
    other years, and a convention may leave out queries by definition.
    """
    if use.queries is None:
        return
    because = (Notice("left_out_of_means" if use.queries in ("lists", "both") else "scored_as_empty"),)
    level = None if use.queries == "lists" and use.nuggets else "note"
    is_same = len({*without.values()}) == 1
    for system, (n, examples) in list(without.items())[: 1 if is_same else None]:
        if n:
            found = Notice("missing_queries", n, len(truth.ids["user"]), examples, because=because, source=truth.source)
            yield replace(found, only=None if is_same else system, level=level or found.level)  # type: ignore[arg-type]


def is_odd(role: str, truth: Input, n_alone: int, n: int, has_reason: bool) -> bool:
    """Whether ids that another input does not know are probably a mistake. Lists may well be for more users than the truth is."""
    if role == "user" and not has_reason:
        return False
    if role == "aspect" and has_reason:
        return True
    numbered = any(one.kind in ("numbered_ids", "numbered_vectors") for one in truth.notices)
    share = _SHARE_WITH_REASON if has_reason or numbered else _SHARE_UNKNOWN
    return truth.name == "catalogue" or (n_alone > share * n and n >= _FEW)


def graded(given: Input, truth: Truth, grades: Floats, relevant: int, n: int, use: Use) -> Iterator[Notice]:
    """The range of `n` grades, which are like these, and how many reach the threshold: a warning for ratings that nobody set a threshold for."""
    low, high = grades.min(), grades.max()
    if low == high:
        return
    threshold: Any = truth.relevance and truth.relevance.threshold
    times = low >= FIRST_TIME
    doubtful = times or (use.threshold and "threshold" not in truth.options and _are_ratings(grades))
    level: Level = "warning" if doubtful else "fact"
    detail = {"low": float(low), "high": float(high), "share": f"{100 * relevant / n:.0f} %", "threshold": float(threshold)}
    because = (Notice("times" if times else "threshold"),) if doubtful else ()
    yield Notice("grades", relevant, n, detail=detail, because=because, source=given.source, level=level)


def short_baseline(truth: Truth, source: str, use: Use) -> Iterator[Notice]:
    """Lists of the baseline that are shorter than the largest cutoff of a metric that reads them."""
    lists = truth.baseline
    if lists is not None and use.baseline_to > 0:
        own = lists.lengths if lists.listed is None else lists.lengths[lists.listed]
        short = int((own < use.baseline_to).sum())
        if short:
            yield Notice("short_lists", short, len(own), detail={"cutoff": use.baseline_to}, source=source)


def different_users(systems: Sequence[Codes], ids: Ids) -> Iterator[Notice]:
    """Users who have lists of some systems only."""
    times = np.bincount(np.concatenate([np.empty(0, np.int32), *systems]))
    some = np.flatnonzero((times > 0) & (times < len(systems)))
    if len(some):
        because = (Notice("disjoint_systems" if times.max() == 1 else "common_users"),)
        yield Notice("different_users", len(some), int((times > 0).sum()), examples_of(ids, some), because=because)


def examples_of(ids: Ids, codes: npt.NDArray[np.integer]) -> tuple[str, ...]:
    """Some of the ids, for a notice."""
    return tuple(quoted(ids[code]) for code in codes[:_N_EXAMPLES].tolist())


def likely_reason(ids: Ids, mine: Codes, theirs: Codes) -> tuple[Notice, ...]:
    """Why ids that should match do not, if there is one likely reason."""
    return _Likeness(ids, theirs).reason(_texts(ids, mine, _N_OURS))


def _are_ratings(grades: Floats) -> bool:
    """Whether grades look like ratings on a scale nearly all of which reach 1, or like ratings scaled to 0 .. 1."""
    low, high, distinct = grades.min(), grades.max(), len(np.unique(grades[:_N_THEIRS]))
    if len(grades) < 2 * _FEW or distinct < 3:
        return False
    if low >= 0 and high <= 1:
        return float(np.mean((grades > 0) & (grades < 1))) >= _SHARE_BETWEEN
    whole, halves = bool((grades == np.floor(grades)).all()), bool((2 * grades == np.floor(2 * grades)).all())
    # The top of a scale may be missing in a sample; judgments from 1 to 4 are usual in search.
    on_scale = high in (5, 10, 100) or (whole and high == 9 and distinct >= 7) or (not whole and halves and 3 <= high < 5)
    if not (low >= 0 and on_scale and distinct >= 4 and np.mean(grades >= 1) >= _SHARE_RATED):
        return False
    return not (whole and _are_counts(np.unique(grades, return_counts=True)[1]))


def _are_counts(times: Counts) -> bool:
    """Whether grades, by how often each occurs, are counts: the higher the rarer, but for the last, which may stand for all beyond it."""
    rest = times[:-1].astype(np.float64)
    falls = bool((np.diff(rest) <= 3 * np.sqrt(rest[:-1])).all()) and rest[0] > 1.2 * rest[-1]
    return bool(times[0] >= 1.5 * times[1:].max()) or bool(falls and rest[0] == rest.max())


_SHARE_BETWEEN, _SHARE_RATED = 0.1, 0.8
_FITS, _MISFITS = 0.9, 0.3  # how many ids must fit the other column, and not their own, to be swapped
_N_OURS, _N_THEIRS, _MOST_KNOWN = 500, 50_000, 1_000_000  # ids that are looked at


class _Likeness:
    """Ids of one input, to be compared with ids that are not among them."""

    def __init__(self, ids: Ids, codes: Codes) -> None:
        are_numbers = len(codes) > 0 and isinstance(ids[int(codes[0])], int)  # which do not differ in how they are written
        self._theirs = [] if are_numbers else _texts(ids, codes, _N_THEIRS)
        self._share = len(self._theirs) / max(1, len(codes))
        self._changed: dict[str, dict[str, str]] = {}

    def reason(self, ours: Sequence[str], beside: Iterable[str] = ()) -> tuple[Notice, ...]:
        """A change that makes most of the ids match, with an example; not with ids that stand beside them: book-1 and movie-1 are two."""
        others = set(beside)
        for how, change in _CHANGES.items():
            if how not in self._changed:
                self._changed[how] = {changed: id for id in self._theirs if (changed := change(id))}
            there = self._changed[how]
            matches = [(id, there[changed]) for id in ours if (changed := change(id)) in there and there[changed] not in others]
            if matches and 2 * len(matches) >= self._share * len(ours):
                here, match = matches[0]
                return (Notice("differ", detail={"how": how, "here": quoted(here), "there": quoted(match)}),)
        return ()


def _texts(ids: Ids, codes: Codes, most: int) -> list[str]:
    """Some of the ids as text, spread over all of them."""
    step = -(-len(codes) // most)
    return [str(id) for id in ids.take(codes[:: max(1, step)])]


def _without(mine: Codes, theirs: Codes) -> Codes:
    """Those of mine that are not theirs, in their order; by a flag per code, as there may be millions."""
    known = np.zeros(max(int(mine.max(initial=-1)), int(theirs.max(initial=-1))) + 1, dtype=np.bool_)
    known[theirs] = True
    return mine[~known[mine]]


_SEPARATORS = re.compile(r"[:/#|_-]")
_NO_DIGITS = re.compile(r"\D+")

_CHANGES: Mapping[str, Callable[[str], str]] = {
    "surrounding whitespace": str.strip,
    "surrounding quotes": lambda name: name.strip().strip("\"'"),
    "case": lambda name: name.strip().casefold(),
    "leading zeros": lambda name: name.strip().lstrip("0") if name.strip().isdecimal() else "",
    "a trailing '.0'": lambda name: name.strip().removesuffix(".0"),
    "Unicode normalization": lambda name: unicodedata.normalize("NFKC", name),
    "a prefix": lambda name: _SEPARATORS.split(name.strip().removeprefix("-"))[-1],  # a minus is none
    "a prefix or suffix around the number": lambda name: _NO_DIGITS.sub("", name).lstrip("0"),
}
"""What often tells apart ids that mean the same, the most certain first."""
