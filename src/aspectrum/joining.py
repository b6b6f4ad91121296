"""Truth that comes with its users: for engines that bring what is known of a user and the user's list together.

A plan usually holds the whole truth. Where what is known of users is too large for that, it is looked at twice: a :class:`Survey` finds
what it says as a whole, of which a plan without any user is made; then each part of the users is observed with what is known of them,
and settled there, as nobody else knows them.

Examples:
    >>> import aspectrum as asp
    >>> from aspectrum.coding.objects import link_rows, ranking_rows
    >>> from aspectrum.coding.reading import Reading
    >>> relevance = [{"ann": ["x"]}, {"bob": ["y"], "eve": ["x"]}]
    >>> lists = [{"ann": ["x", "y"]}, {"bob": ["x", "y"]}]
    >>> parts = [{"relevance": link_rows("relevance", one)} for one in relevance]
    >>> survey = Survey.of(parts[0], Reading()) + Survey.of(parts[1], Reading())
    >>> plan = asp.Plan("NDCG@2", survey.truth({}, {"relevance": parts[0]["relevance"]}), users="judged")
    >>> parts, counted = zip(*(observe_joined(plan, ranking_rows("rankings", one), part) for one, part in zip(lists, parts)))
    >>> whole = parts[0] + parts[1]
    >>> notices = plan.notices_on({"rankings": whole.lists}, counted={"rankings": counted[0] + counted[1]})
    >>> results = plan.finish(whole, notices=notices)
    >>> results["NDCG@2"] == asp.evaluate(
    ...     {**lists[0], **lists[1]}, "NDCG@2", relevance={**relevance[0], **relevance[1]}, users="judged"
    ... )["NDCG@2"]
    True
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.coding.ids import Ids
from aspectrum.coding.reading import Reading
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.table import SomeIds
from aspectrum.diagnostics.counted import Counted
from aspectrum.errors import InputError
from aspectrum.partial import Partial
from aspectrum.plan import Plan
from aspectrum.world import Truth
from aspectrum.world.building import Tables, build_truth, has_other_grades
from aspectrum.world.everybody import Everybody

JOINED = ("relevance", "history", "subtopics", "weights", "baseline")
"""Inputs about users, which can come with them."""

_VECTORS = "features"
"""The input about items that can come with the users whose lists and histories name them."""

_CHANGED = "an input was joined that changed while it was read; write it to files, or persist it, first"


NO_USERS = Rows("users", {"user": IdColumn(np.empty(0, np.int32), [])}, place=str)
"""Who is averaged, for a plan without users, if users were named: they come with the others."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What inputs about users say as a whole: its size is that of the catalogue, not of the users. Those of parts of the users add up.

    Args:
        tables: Items and aspects that the inputs name; and no users.
        named: By input and role, the codes of those that it names.
        everybody: Facts about all users.
    """

    tables: Tables
    named: Mapping[str, Mapping[str, Codes]]
    everybody: Everybody

    @staticmethod
    def of(rows: Mapping[str, Rows], reading: Reading) -> Survey:
        """Of complete users."""
        rows = {name: given for name, given in rows.items() if name in JOINED}
        tables = Tables()
        tables.join(rows.values())
        parts, inputs = build_truth(rows, tables, reading, history_grades=True, in_order=False)
        truth = Truth(**parts, users=tables.user.ids, items=tables.item.ids, aspect_ids=tables.aspect.ids, tables=tables)
        grades = rows["history"].numbers.get("grade") if "history" in rows else None
        named = {
            name: {role: some.codes for role, some in given.ids.items() if role in ("item", "aspect")} for name, given in inputs.items()
        }
        everybody = Everybody.of(truth, grades is not None and has_other_grades(grades))
        return Survey(replace(tables, user=Tables().user), named, everybody)

    def __add__(self, other: Survey) -> Survey:
        tables = self.tables.copy()
        codes = {role: _all_of(other.tables, role).within(getattr(tables, role)) for role in ("item", "aspect")}
        named = {
            name: {role: np.union1d(mine, codes[role][other.named[name][role]]) for role, mine in roles.items()}
            for name, roles in self.named.items()
        }
        n_items = len(tables.item)
        here = self.everybody.scattered(np.arange(len(self.tables.item), dtype=np.int32), n_items)
        return Survey(tables, named, here + other.everybody.scattered(codes["item"], n_items))

    def with_vectors(self, items: Ids, like: Rows) -> Survey:
        """The same, where vectors of these items come with the users whose items they are.

        Args:
            like: Some of the vectors.
        """
        tables = self.tables.copy()
        column = IdColumn(np.arange(len(items), dtype=np.int32), items.values)
        tables.join([replace(like, ids={"item": column})])
        codes = {"item": tables.item.named(column)}
        known = np.arange(len(self.tables.item), dtype=np.int32)
        return Survey(tables, {**self.named, _VECTORS: codes}, self.everybody.scattered(known, len(tables.item)))

    def truth(self, others: Mapping[str, Any], like: Mapping[str, Rows], reading: Reading | None = None) -> Truth:
        """The truth without its users.

        Args:
            others: Inputs that are not about users, and options, as for :meth:`Truth.read`.
            like: Rows of each input that was surveyed, or none: which columns it has.
            reading: How they are read.
        """
        empty = {name: self._without_rows(name, rows) for name, rows in like.items() if name in self.named}
        truth = Truth.read(**others, **empty, reading=reading)
        items = SomeIds(truth.tables.item, _all_of(self.tables, "item").within(truth.tables.item)).codes
        if len(truth.tables.item) > truth.n_items:
            raise InputError(_CHANGED)
        everybody = self.everybody.scattered(items, truth.n_items)
        parts = {name: getattr(truth, name) for name in ("history", "subtopics") if getattr(truth, name) is not None}
        inputs = dict(truth.inputs)
        if _VECTORS in empty:  # of which there is one for each item
            inputs[_VECTORS] = replace(inputs[_VECTORS], n_rows=len(self.named[_VECTORS]["item"]))
        return truth.changed(**everybody.completed(parts), everybody=everybody, inputs=inputs, rows=None, _rows_are_lost=True)

    def _without_rows(self, name: str, like: Rows) -> Rows:
        """An input that names what it names, and has no rows."""
        nothing = np.empty(0, np.int32)
        ids = {"user": IdColumn(nothing, [])}
        for role, codes in self.named[name].items():
            known = getattr(self.tables, role).ids
            ids[role] = IdColumn(nothing, known.take(codes[np.argsort(known.heads[codes])]).values)
        roles = {role: ids[role] for role in like.ids if role in ids}
        matrix = None if like.matrix is None else like.matrix[:0]
        return Rows(like.source, roles, {role: np.empty(0) for role in like.numbers}, like.place, matrix)


def _all_of(tables: Tables, role: str) -> SomeIds:
    table = getattr(tables, role)
    return SomeIds(table, np.arange(len(table), dtype=np.int32))


def observe_joined(plan: Plan, lists: Rows, rows: Mapping[str, Rows], system: str | None = None) -> tuple[Partial, Counted]:
    """What the metrics remember of some users, and what there is to say of what is known of them.

    Args:
        plan: That of a truth of a :class:`Survey`.
        lists: The lists of these users, who may have none.
        rows: What is known of them, by input; of ``users``, who is averaged; of ``features``, the vectors of their items.
        system: As for :meth:`Plan.observe`.
    """
    mine = _of_users(plan, rows)
    part = mine.observe(lists, system=system)
    counted = Counted.of(mine.truth, mine.tables, mine.inputs, part.lists, mine.use)
    apart = plan.apart()
    apart.tables = replace(apart.tables, item=mine.tables.item)  # which has the codes of the plan, and more
    users = SomeIds(apart.tables.user, np.empty(0, np.int32), uncoded=len(part.lists.ids["user"]))
    settled = mine.settled(part)
    return replace(settled, plan=apart, lists=replace(part.lists, ids={**part.lists.ids, "user": users})), counted


def _of_users(plan: Plan, rows: Mapping[str, Rows]) -> Plan:
    """The plan for some users, of whom this is known."""
    truth, everybody = plan.truth, plan.truth.everybody
    assert everybody is not None
    for metric in (metric for group in plan.computed for metric in group):
        _ = truth.fingerprint_of(getattr(metric, "built_on", ()))  # kept, so that what is built on facts is the same for all users
    tables = truth.tables.copy()
    tables.join(rows.values())
    if len(tables.item) > truth.n_items or len(tables.aspect) > len(truth.aspect_ids):
        raise InputError(_CHANGED)
    known = {name: given for name, given in rows.items() if name in (*JOINED, _VECTORS)}
    parts, inputs = build_truth(known, tables, truth.reading, history_grades="history grades" in everybody.has, in_order=False)
    inputs.pop(_VECTORS, None)  # of which the plan knows all items
    own = {"users": tables.user.ids, "n_users": len(tables.user), "tables": tables, "inputs": {**truth.inputs, **inputs}}
    users = tables.input("users", rows["users"]) if "users" in rows else None
    found = truth.changed(**everybody.completed(parts), **own)
    found.check_vectors()
    return plan.of_users(found, users)


def check_joinable(plan: Plan, names: Collection[str]) -> None:
    """What would be another number where these inputs come with their users, refused by name."""
    truth = plan.truth
    if truth.weights is not None and truth.weights.offsets is not None and "weights" not in names:
        raise InputError("weights are those of users, who come with other inputs; ", _ALL_OR_NONE)
    reading = truth.reading
    does = "adds up aspects in" if reading.aspects_in_order else "takes the last aspect of an item in"
    for name, ordered in {"subtopics": reading.aspects_in_order or reading.last_subtopic_only, "weights": reading.aspects_in_order}.items():
        if ordered and name in names:
            raise InputError(
                f"convention {plan.convention.name} {does} the order of the rows of {name}, and rows that are joined have no order; "
                f"pass {name} in memory or as a file"
            )
    for metric in (metric for group in plan.computed for metric in group):
        if "history" in names and metric.parameters.get("history_discount", "none") != "none":
            raise InputError(
                f"{metric} looks at the history in the order of its rows, and rows that are joined have no order; "
                "pass history in memory or as a file"
            )


_ALL_OR_NONE = "what is known of users is joined as a whole: join all of " + ", ".join(JOINED) + ", or none"
