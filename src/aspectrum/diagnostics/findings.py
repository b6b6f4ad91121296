"""What the inputs of an evaluation say of one another: ids that match nowhere and why, users without lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Counts
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input
from aspectrum.coding.table import IdTable
from aspectrum.diagnostics.notices import Level, Notice, of_input
from aspectrum.errors import InputError
from aspectrum.world import Truth
from aspectrum.world.building import Tables

_N_EXAMPLES = 3
_LEVELS: Sequence[Level] = ("fact", "note", "warning", "error")
_KNOWN_IN = {
    "user": ("relevance", "history", "subtopics", "weights"),
    "item": ("aspects", "features", "subtopics", "relevance", "catalogue"),
}
"""Where the users and items of lists should be known."""


def find(read: Inputs, lengths: Mapping[str, Counts] | None = None, cutoffs: Iterable[int] = ()) -> list[Notice]:
    """Everything there is to say about the inputs of an evaluation, facts first.

    Args:
        lengths: How long the lists of each system are; those shorter than `cutoffs` are counted.
    """
    found: list[Notice] = []
    for name, lists in read.systems.items():
        found += [_size(lists), *noticed(lists), *([replace(_order(lists), level="fact")] if lists.n_rows else [])]
        found += _short_lists(lists.source, (lengths or {}).get(name, np.empty(0, np.int64)), cutoffs)
    for truth in read.inputs.values():
        found += [_size(truth), *noticed(truth)]
    asked = [(lists, name, role) for lists in read.systems.values() for role, names in _KNOWN_IN.items() for name in names]
    asked += [(read.inputs[name], "aspects", "item") for name in ("relevance", "history") if name in read.inputs]
    if "weights" in read.inputs:
        asked.append((read.inputs["weights"], "aspects" if "aspects" in read.inputs else "subtopics", "aspect"))
    found += [notice for one in asked for notice in read.unknown(*one)]
    found += [*read.without_list(), *read.without_aspect(), *read.one_subtopic(), *read.without_relevant()]
    return sorted(found, key=lambda notice: _LEVELS.index(notice.level))


def notices_on(read: Inputs, from_files: bool | None = None, whole: bool = False) -> list[Notice]:
    """What a reader of the numbers should know of the inputs. What makes numbers meaningless is an error.

    In plain objects, of which what they do not hold may be meant, that is only so of items that are clearly others than those of the
    truth.

    Args:
        from_files: Whether inputs come from files or frames; by default whether one of them does.
        whole: Whether these are all lists, and not part of something larger.
    """
    if not read.inputs and not any(lists.external or lists.notices for lists in read.systems.values()):
        return []
    found = [notice for notice in find(read) if notice.level != "fact"]
    if from_files is None:
        from_files = any(given.external for given in (*read.systems.values(), *read.inputs.values()))
    for notice in found:
        if notice.level == "error" and (from_files or (whole and notice.detail.get("role") == "item" and notice.because)):
            raise InputError(str(notice))
    return [*orders(read.systems.values()), *found] if from_files else found


def noticed(given: Input) -> list[Notice]:
    """What was noticed as an input was read."""
    return of_input(given.source, given.n_rows, given.notices)


def orders(rankings: Iterable[Input]) -> list[Notice]:
    """What ordered the lists, in one notice if it is the same everywhere."""
    found = [_order(lists) for lists in rankings]
    return [replace(found[0], source=None)] if len({one.kind for one in found}) == 1 else found


def _order(lists: Input) -> Notice:
    return Notice(f"order_{lists.ordered_by or 'input'}", source=lists.source)


def _size(given: Input) -> Notice:
    if given.n_rows == 0:
        return Notice("empty", source=given.source, detail={"input": given.name})
    ids = {role: len(ids) for role, ids in given.ids.items()}
    return Notice("size", given.n_rows, source=given.source, detail={"input": given.name, "ids": ids})


def _short_lists(source: str, lengths: Counts, cutoffs: Iterable[int]) -> Iterator[Notice]:
    for cutoff in sorted(set(cutoffs)):
        if cutoff > 0 and (lengths < cutoff).any():
            yield Notice("short_lists", int((lengths < cutoff).sum()), len(lengths), source=source, detail={"cutoff": cutoff})


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
        none_match = len(alone) == len(mine)
        # Most lists hold items that nobody judged; that is what lists are for.
        expected = role == "item" and name in ("subtopics", "relevance")
        because = self._exchanged(given, alone, truth) if role == "item" else ()
        level = "error" if because else "fact" if expected else "warning"
        if not because and (none_match or not expected):
            because = self._reason(role, alone, truth, none_match)
        if none_match:
            if not because and given.name == "rankings" and role == "item" and self._items_are_strange:
                because = (Notice("strange"),)
            level = "warning" if expected and not because else "error"
        detail = {"role": role, "where": truth.source}
        yield self._notice("unknown", given, role, alone, len(mine), level=level, because=because, detail=detail)

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
        """Whether most items of lists are aspects there; numbers may be both by chance, where there are few of them."""
        if given.name != "rankings" or there.name not in ("aspects", "subtopics"):
            return ()
        some = alone[:: -(-len(alone) // _N_OURS)]
        items, aspects = self._ids("item").take(some), self._ids("aspect").take(self.codes(there, "aspect"))
        if len(aspects) == 0 or isinstance(items[0], str) != isinstance(aspects[0], str):
            return ()
        n_both = len({*items} & {*aspects})
        by_chance = not isinstance(items[0], str) and (n_both < 3 or len(aspects) <= len(there.ids["item"]))
        if by_chance or 2 * n_both * len(alone) <= len(items) * len(given.ids["item"]):
            return ()
        form = "{item: [aspects]}" if there.name == "aspects" else "{user: {item: [aspects]}}"
        return (Notice("swapped_aspects") if there.external else Notice("swapped_objects", detail={"form": form}),)

    def without_list(self) -> Iterator[Notice]:
        """Users of the truth, and users to be averaged, who have no list."""
        listed = np.concatenate([np.empty(0, np.int32), *(self.codes(lists, "user") for lists in self.systems.values())])
        for name in ("relevance", "history", "subtopics", "users"):
            truth = self.inputs.get(name)
            if truth is None or len(alone := _without(self.codes(truth, "user"), listed)) == 0:
                continue
            n_users, more = len(truth.ids["user"]), {}
            if name == "users":  # these are the ones that were asked for
                because = self._reason("user", alone, next(iter(self.systems.values())), False)
                more = {"level": "error" if len(alone) == n_users else "warning", "because": because}
            yield self._notice("no_list", truth, "user", alone, n_users, **more)

    def without_aspect(self) -> Iterator[Notice]:
        if self.truth.aspects is not None:
            items = self.codes(self.inputs["aspects"], "item")
            bare = items[np.diff(self.truth.aspects.offsets)[items] == 0]
            if len(bare):
                yield self._notice("no_aspect", self.inputs["aspects"], "item", bare, len(items))

    def one_subtopic(self) -> Iterator[Notice]:
        """Judgments that are not of subtopics, whose second column is 0 throughout."""
        given = self.inputs.get("subtopics")
        if given is not None and len(given.ids["aspect"]) == 1 and given.n_rows > 1:
            examples = examples_of(self._ids("aspect"), self.codes(given, "aspect"))
            yield Notice("one_subtopic", given.n_rows, examples=examples, source=given.source)

    def without_relevant(self) -> Iterator[Notice]:
        if self.truth.relevance is None:
            return
        truth = self.inputs["relevance"]
        users = self.codes(truth, "user")
        without = users[~self.truth.with_relevant_items()[users]]
        if len(without):
            more = {"level": "warning", "because": (Notice("threshold"),)} if len(without) == len(users) else {}
            detail = {"threshold": float(self.truth.relevance.threshold)}
            yield self._notice("none_relevant", truth, "user", without, len(users), detail=detail, **more)

    def _notice(self, kind: str, given: Input, role: str, codes: Codes, of: int, **more: Any) -> Notice:
        return Notice(kind, len(codes), of, examples_of(self._ids(role), codes), source=given.source, **more)

    def _reason(self, role: str, alone: Codes, there: Input, maybe_swapped: bool) -> tuple[Notice, ...]:
        """Why ids that should match do not, if there is one likely reason."""
        ours = _texts(self._ids(role), alone, _N_OURS)
        key = (id(there), role)
        if key not in self._likeness:  # several systems ask of the same truth
            self._likeness[key] = _Likeness(self._ids(role), self.codes(there, role))
        alike = self._likeness[key].reason(ours)
        other = {"user": "item", "item": "user"}.get(role)
        if alike or not maybe_swapped or other is None or other not in there.ids:
            return alike
        known = set(_texts(self._ids(other), self.codes(there, other), _N_THEIRS))
        return (Notice("swapped", detail={"other": other}),) if 2 * sum(id in known for id in ours) > len(ours) else ()


def examples_of(ids: Ids, codes: npt.NDArray[np.integer]) -> tuple[str, ...]:
    """Some of the ids, for a notice."""
    return tuple(quoted(ids[code]) for code in codes[:_N_EXAMPLES].tolist())


def likely_reason(ids: Ids, mine: Codes, theirs: Codes) -> tuple[Notice, ...]:
    """Why ids that should match do not, if there is one likely reason."""
    return _Likeness(ids, theirs).reason(_texts(ids, mine, _N_OURS))


_N_OURS, _N_THEIRS = 500, 50_000


class _Likeness:
    """Ids of one input, to be compared with ids that are not among them."""

    def __init__(self, ids: Ids, codes: Codes) -> None:
        self._theirs = _texts(ids, codes, _N_THEIRS)
        self._share = len(self._theirs) / max(1, len(codes))
        self._changed: dict[str, dict[str, str]] = {}

    def reason(self, ours: Sequence[str]) -> tuple[Notice, ...]:
        """A change that makes most of the ids match, with an example."""
        for how, change in _CHANGES.items():
            if how not in self._changed:
                self._changed[how] = {changed: id for id in self._theirs if (changed := change(id))}
            there = self._changed[how]
            matches = [(id, there[changed]) for id in ours if (changed := change(id)) in there]
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
    "a prefix": lambda name: _SEPARATORS.split(name.strip())[-1],
    "a prefix or suffix around the number": lambda name: _NO_DIGITS.sub("", name).lstrip("0"),
}
"""What often tells apart ids that mean the same, the most certain first."""
