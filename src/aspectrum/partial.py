"""Partial: a part of an evaluation, which adds to others and travels as one Arrow file."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib.metadata import version
from operator import add
from typing import Any, Protocol

import numpy as np

from aspectrum.arrays import Codes, Flags
from aspectrum.arrow_file import arrow_bytes, read_arrow, write_arrow
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input
from aspectrum.coding.rows import Untyped
from aspectrum.coding.table import IdTable, SomeIds, flags_of
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError
from aspectrum.metric import Metric
from aspectrum.results import Results
from aspectrum.states import STATES, Belonging, State
from aspectrum.user_scores import UserScores
from aspectrum.world import Truth
from aspectrum.world.building import Tables

_FORMAT = 8

_STRANGERS = 500
"""How many users whom the plan does not know keep their ids in a part that only counts them: enough to say what is odd about them."""


@dataclass(frozen=True, eq=False)
class GroupPart:
    """What the metrics that average the same users remember: states by metric and cutoff, and the scores of users if kept."""

    states: tuple[tuple[State, ...], ...]
    scores: UserScores | None


def joined_parts(*several: Sequence[GroupPart]) -> tuple[GroupPart, ...]:
    """Parts of the same groups, group by group."""
    found = []
    for parts in zip(*several, strict=True):
        metrics = zip(*(part.states for part in parts), strict=True)
        states = tuple(tuple(reduce(add, cutoff) for cutoff in zip(*metric, strict=True)) for metric in metrics)
        scores = [part.scores for part in parts if part.scores is not None]
        found.append(GroupPart(states, UserScores.joined(scores) if scores else None))
    return tuple(found)


class Planned(Protocol):
    """What a part knows of the plan that it is a part of."""

    @property
    def truth(self) -> Truth: ...
    @property
    def tables(self) -> Tables: ...
    @property
    def identity(self) -> Mapping[str, Any]: ...
    @property
    def computed(self) -> Sequence[Sequence[Metric]]:
        """The metrics of each group, as they are computed."""

    @property
    def known_users(self) -> Flags:
        """Users, by code, whom the truth knows or who were named."""

    def finish(self, part: Partial, *, said: Collection[str] = ()) -> Results: ...


@dataclass(frozen=True, eq=False)
class Partial:
    """What the metrics of a plan remember of some users: a part of an evaluation.

    Parts of one plan add up, in any order. Parts of other plans, and users that come twice, are refused.
    """

    plan: Planned
    parts: tuple[GroupPart, ...]
    lists: Input
    system: str | None = None

    def __repr__(self) -> str:
        return f"Partial({len(self.lists.ids['user']):,} users, {self.lists.n_rows:,} rows of {self.lists.source})"

    def __radd__(self, other: object) -> Partial:
        """So that ``sum(parts)`` adds them up."""
        return self if other == 0 else NotImplemented

    def __add__(self, other: Partial) -> Partial:
        if not isinstance(other, Partial):
            return NotImplemented
        both = Adding()
        both.add(self)
        both.add(other)
        return both.whole()

    def finish(self, *, said: Collection[str] = ()) -> Results:
        """The results, as :meth:`Plan.finish`; kinds of warnings that have been said are not said again."""
        return self.plan.finish(self, said=said)

    def counting_strangers(self) -> Partial:
        """The same part, in which users whom the plan does not know are counted, and only the first by id keep their ids.

        For engines that give all rows of a user to one part, so that nobody can come twice: the size of such a part depends on the
        truth, not on the number of lists.
        """
        users = self.lists.ids["user"]
        codes, known = users.within(self.plan.tables.user), self.plan.known_users
        strangers = codes[~known[codes]]
        if len(strangers) > _STRANGERS:
            strangers = strangers[np.argsort(self.plan.tables.user.ids.take(strangers).heads)[:_STRANGERS]]
        kept = np.concatenate([codes[known[codes]], strangers])
        counted = SomeIds(self.plan.tables.user, kept, uncoded=len(users) - len(kept))
        return replace(self, lists=replace(self.lists, ids={**self.lists.ids, "user": counted}))

    def write(self, path: str | os.PathLike[str], *, job: Mapping[str, Any] | None = None) -> None:
        """Write an Arrow file that :meth:`Plan.read` reads, in any process that has the same plan; whole or not at all.

        Args:
            job: How to make the same plan again, as plain data, for who only has the file; see :mod:`aspectrum.merging`.
        """
        write_arrow(path, self.to_data(job))

    def to_bytes(self) -> bytes:
        """The content of such a file, which :meth:`Plan.read` takes, too."""
        return arrow_bytes(self.to_data())

    def to_data(self, job: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The content of such a file as nested data with arrays, for :mod:`aspectrum.arrow_file`."""
        lists, users, items = self.lists, self.lists.ids["user"], self.lists.ids["item"]
        untyped = {"user": users.table.untyped, "item": items.table.untyped}
        groups = [_group_data(part, items.table) for part in self.parts]  # first, as it may be new to the table what they name
        return {
            "format": _FORMAT,
            "system": self.system,
            "aspectrum": version("aspectrum"),
            "plan": self.plan.identity,
            "job": job,
            "lists": {
                **{name: getattr(lists, name) for name in ("name", "source", "n_rows", "ordered_by", "external", "ties_by")},
                "notices": [notice.to_data() for notice in lists.notices],
                "users": _ids_data(users, self.plan.truth.n_users),
                "items": _ids_data(items, self.plan.truth.n_items),
            },
            "untyped": untyped,
            "new_items": items.table.ids.slice(self.plan.truth.n_items, len(items.table)),
            "groups": groups,
        }


class Adding:
    """Parts of one evaluation, added as they come. What grows with their users is joined once, at the end."""

    def __init__(self) -> None:
        self._first: Partial | None = None
        self._system: str | None = None
        self._parts: tuple[GroupPart, ...] = ()
        self._scores: list[list[UserScores | None]] = []
        self._lists: list[Input] = []
        self._seen = {"user": np.zeros(0, np.bool_), "item": np.zeros(0, np.bool_)}

    @property
    def users(self) -> Codes:
        """Who has been seen."""
        return np.flatnonzero(self._seen["user"]).astype(np.int32)

    def _codes(self, lists: Input, role: str) -> tuple[Codes, IdTable]:
        """What some lists name, and the table whose codes these are."""
        table = self._first.lists.ids[role].table  # type: ignore[union-attr]
        codes = lists.ids[role].within(table)
        if len(self._seen[role]) < len(table):
            self._seen[role] = np.append(self._seen[role], np.zeros(len(table), np.bool_))  # twice as many, so that it is rarely copied
        return codes, table

    def add(self, part: Partial) -> None:
        first = self._first = self._first or part
        check_same(first.plan, part.plan)
        if None not in (self._system, part.system) and self._system != part.system:
            raise InputError(f"parts of two systems cannot be added: {self._system!r} and {part.system!r}")
        self._system = self._system or part.system
        users, table = self._codes(part.lists, "user")
        if (twice := users[self._seen["user"][users]]).size:
            raise InputError(f"user {quoted(table.ids[int(twice[0])])} is in both parts: a user must be scored once")
        items, of_items = self._codes(part.lists, "item")
        for role, codes in (("user", users), ("item", items)):
            self._seen[role][codes] = True
        # Each user is in one part, but an item may be in all.
        some = SomeIds(table, users, uncoded=part.lists.ids["user"].uncoded)
        self._lists.append(replace(part.lists, ids={"user": some, "item": SomeIds(of_items, items[:0])}))
        self._scores.append([group.scores for group in part.parts])
        states = tuple(GroupPart(group.states, None) for group in part.parts)
        self._parts = joined_parts(self._parts, states) if self._parts else states

    def whole(self) -> Partial:
        """All parts as one."""
        if self._first is None:
            raise InputError("there is no part to add")
        groups = []
        for group, several in zip(self._parts, zip(*self._scores, strict=True), strict=True):
            scores = [one for one in several if one is not None]
            groups.append(GroupPart(group.states, UserScores.joined(scores) if scores else None))
        lists = Input.joined(self._lists)
        items = np.flatnonzero(self._seen["item"]).astype(np.int32)
        lists = replace(lists, ids={**lists.ids, "item": SomeIds(lists.ids["item"].table, items)})
        return Partial(self._first.plan, tuple(groups), lists, self._system)


def read_partial(given: str | os.PathLike[str] | bytes, plan: Planned) -> Partial:
    """A part of a plan, from its file or the content of one."""
    return own_partial(part_data(given), plan, _named(given))


def own_partial(data: Mapping[str, Any], plan: Planned, named: str) -> Partial:
    """The part that nested data hold, if it is one of this plan; `named` is what errors call it."""
    check_identity(plan.identity, data["plan"], f"{named}: ")
    return partial_of(data, plan)


def _named(given: str | os.PathLike[str] | bytes) -> str:
    return "part" if isinstance(given, bytes) else os.fspath(given)


def part_data(given: str | os.PathLike[str] | bytes) -> dict[str, Any]:
    """What the file of a part holds: its `plan`, its `job` if it has one, and the rest for :func:`partial_of`."""
    data = read_arrow(given, "a part of an evaluation")
    if "plan" not in data:
        raise InputError(f"{_named(given)}: is not a part of an evaluation")
    check_format(data, _named(given))
    return data


def check_format(data: Mapping[str, Any], named: str) -> None:
    """That a part was written in the format of this version."""
    if data.get("format") != _FORMAT:
        whose = f"{data.get('aspectrum')} in format {data.get('format')}, and this is {version('aspectrum')} with format {_FORMAT}"
        raise InputError(f"{named}: was written by another version of aspectrum ({whose}); write it again")


def partial_of(data: Mapping[str, Any], plan: Planned) -> Partial:
    """The part that a file holds, which must be one of this plan."""
    read, untyped = dict(data["lists"]), data["untyped"]
    tables = {"user": plan.tables.user, "item": plan.tables.item}
    named = {role: _some_ids(read.pop(f"{role}s"), table, untyped[role]) for role, table in tables.items()}
    n_known, items = plan.truth.n_items, tables["item"]
    codes = np.concatenate([np.arange(n_known, dtype=np.int32), _codes(data["new_items"], items, untyped["item"])])
    parts = []
    for group, metrics in zip(data["groups"], plan.computed, strict=True):
        scores = group["scores"] and UserScores(**{**group["scores"], "names": tuple(group["scores"]["names"])})
        states = []
        for metric, several in zip(metrics, group["states"], strict=True):
            catalogue = metric.population(plan.truth)
            to = [Belonging(metric.at(cutoff), items, codes, catalogue, plan.truth) for cutoff in metric.cutoffs]
            states.append(tuple(STATES[one["kind"]].from_data(one, its) for one, its in zip(several, to, strict=True)))
        parts.append(GroupPart(tuple(states), scores))
    notices = [Notice.from_data(one) for one in read.pop("notices")]
    return Partial(plan, tuple(parts), Input(ids=named, notices=notices, **read), data["system"])


def _ids_data(some: SomeIds, n_known: int) -> dict[str, Any]:
    """Ids for a file: those of the truth, which all parts share, by a bit each, others as they are."""
    known = some.codes[some.codes < n_known]
    bits = np.packbits(flags_of(known, -(-n_known // 64) * 64)).view(np.int64)
    return {"known": bits, "others": some.table.ids.take(some.codes[some.codes >= n_known]), "uncoded": some.uncoded}


def _some_ids(data: Mapping[str, Any], table: IdTable, untyped: Untyped | None) -> SomeIds:
    """The ids that a file names, in a table."""
    known = np.flatnonzero(np.unpackbits(np.ascontiguousarray(data["known"]).view(np.uint8))).astype(np.int32)
    return SomeIds(table, np.concatenate([known, _codes(data["others"], table, untyped)]), uncoded=data["uncoded"])


def _codes(ids: Ids, table: IdTable, untyped: Untyped | None) -> Codes:
    """The codes of ids from a file in a table, which gets to know them."""
    return SomeIds(IdTable.of(table.role, ids, untyped), np.arange(len(ids), dtype=np.int32)).within(table)


def _group_data(part: GroupPart, items: IdTable) -> dict[str, Any]:
    states = [[{"kind": type(state).__name__, **state.to_data(items)} for state in metric] for metric in part.states]
    scores = part.scores
    if scores is None:
        return {"states": states, "scores": None}
    return {"states": states, "scores": dict(vars(scores))}


def check_same(mine: Planned, other: Planned) -> None:
    """Whether parts of two plans add up."""
    if mine is not other:
        check_identity(mine.identity, other.identity)


def check_identity(mine: Mapping[str, Any], other: Mapping[str, Any], where: str = "") -> None:
    """Whether parts of plans with these identities add up; `where` begins the message if they do not."""
    columns, others = mine["columns"], other["columns"]
    if columns.keys() != others.keys():
        odd = min(columns.keys() ^ others.keys())
        raise InputError(f"{where}results of different metrics cannot be added: {odd} is in one of them only")
    reading = {name: other["reading"].get(name) for name in mine["reading"]}
    compared = [(f"{name} was computed", columns[name], others[name]) for name in columns]
    for what, here, there in [*compared, ("the inputs were read", mine["reading"], reading)]:
        for key in dict.fromkeys(("convention", "users", *here, *there)):
            one, two = here.get(key), there.get(key)
            if one != two:
                raise InputError(f"{where}{what} in two ways: {key} is {one!r} in one part, {two!r} in the other")
    if mine["per_user"] != other["per_user"]:
        raise InputError(f"{where}results cannot be added: scores of users were kept in one of them only")
    for name, digest in mine["truth"].items():
        if other["truth"].get(name) != digest:
            called = {"aspect_ids": "the names of aspects"}.get(name, name)
            raise InputError(
                f"{where}the parts were measured against different truths, which differ in {called} or the order of its rows; "
                "read the truth from the same inputs everywhere"
            )
    if mine["users"] != other["users"]:
        raise InputError(f"{where}the parts were averaged over different users")
