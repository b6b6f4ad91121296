"""Rows to arrays: the parts of the truth, and the lists of a system, under the codes that all inputs share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets, no_segments
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.objects import aspect_rows, feature_rows, id_rows, link_rows, subtopic_rows, weight_rows
from aspectrum.coding.reading import Input, Reading
from aspectrum.coding.rows import IdColumn, Rows, SparseRows
from aspectrum.coding.table import IdTable, SomeIds, flags_of, settled
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.world.aspects import Aspects, Subtopics, Weights, check_strengths
from aspectrum.world.features import Features
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance

OBJECTS: Mapping[str, Callable[[Any], Rows]] = {
    "items": lambda value: id_rows("items", "item", value),
    "aspects": aspect_rows,
    "relevance": lambda value: link_rows("relevance", value),
    "history": lambda value: link_rows("history", value),
    "subtopics": subtopic_rows,
    "features": feature_rows,
    "weights": weight_rows,
    "catalogue": lambda value: id_rows("catalogue", "item", value),
    "users": lambda value: id_rows("users", "user", value),
}
"""How plain Python objects become the rows of each input but the lists."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The ids of users, items and aspects."""

    user: IdTable
    item: IdTable
    aspect: IdTable

    @classmethod
    def of(cls, inputs: Iterable[Rows] = ()) -> Tables:
        tables = cls(IdTable("user"), IdTable("item"), IdTable("aspect"))
        tables.join(inputs)
        return tables

    def join(self, inputs: Iterable[Rows]) -> None:
        """Give a code to every id of some inputs that has none."""
        several = list(inputs)
        for role, table in vars(self).items():
            columns = [(rows.source, rows.ids[role]) for rows in several if role in rows.ids]
            if columns:
                table.join(columns)

    def forget(self, rows: Rows) -> None:
        """Rows that will not be asked for again."""
        for role, table in vars(self).items():
            if role in rows.ids:
                table.forget([rows.ids[role]])

    def copy(self) -> Tables:
        return Tables(self.user.copy(), self.item.copy(), self.aspect.copy())

    def input(self, name: str, rows: Rows, ordered_by: str | None = None) -> Input:
        """What is to be said of rows that were joined."""
        tables = vars(self)
        ids = {role: SomeIds(tables[role], tables[role].named(column)) for role, column in rows.ids.items() if role in tables}
        return Input(name, rows.source, len(rows), ids, list(rows.notices), ordered_by, rows.place is not None)


@dataclass(frozen=True, eq=False)
class CodedLists:
    """The lists of some users of a system.

    Args:
        users: Whose list each is.
        rankings: The lists.
        input: What was read for them.
    """

    users: SomeIds
    rankings: Rankings
    input: Input

    @classmethod
    def none(cls, tables: Tables) -> CodedLists:
        """No lists."""
        nobody, nothing = (SomeIds(table, np.empty(0, np.int32)) for table in (tables.user, tables.item))
        facts = Input("rankings", "rankings", 0, {"user": nobody, "item": nothing})
        return cls(nobody, Rankings(no_segments(0), np.empty(0, np.int32)), facts)


def build_truth(given: Mapping[str, Rows], tables: Tables, reading: Reading) -> tuple[dict[str, Any], dict[str, Input]]:
    """The parts of the truth, by name, and what was read for each."""
    builder = _Builder(tables, reading)
    facts = {name: tables.input(name, rows) for name, rows in given.items()}
    parts: dict[str, Any] = {}
    if "aspects" in given:
        known = facts["items"].ids["item"].codes if "items" in facts else np.empty(0, np.int32)
        parts["aspects"] = builder.aspects(given["aspects"], facts["aspects"], known)
    if "relevance" in given:
        parts["relevance"] = Relevance(*builder.graded(given["relevance"], facts["relevance"]), reading.threshold)
    for name in ("history", "subtopics", "features", "weights"):
        if name in given:
            parts[name] = getattr(builder, name)(given[name], facts[name])
    if "catalogue" in given:
        parts["catalogue"] = flags_of(facts["catalogue"].ids["item"].codes, len(tables.item))
    return parts, facts


def build_lists(rows: Rows, tables: Tables, reading: Reading) -> CodedLists:
    """The lists of a system, in the order in which their users come."""
    names = ("score", "rank") if reading.scores_before_ranks else ("rank", "score")
    by = _ordered_by(rows, reading.order, names)
    try:
        tables.join([rows])
        facts = tables.input("rankings", rows, by)
        return CodedLists(facts.ids["user"], _rankings(rows, facts, tables, reading), facts)
    finally:
        tables.forget(rows)


def _rankings(rows: Rows, facts: Input, tables: Tables, reading: Reading) -> Rankings:
    owners = facts.ids["user"]
    users, items = rows.ids["user"].own_codes, tables.item.codes(rows.ids["item"])
    if reading.users_in_one_block:
        _check_blocks(rows, users, owners)
    by = facts.ordered_by or "input"
    offsets, at = kernels.group_rows(users, len(owners))
    if by in rows.numbers:
        seconds = None if reading.ties == "input" else tables.item.ids.heads[items]
        at = kernels.sort_segments(offsets, at, rows.numbers[by], by == "score", seconds, reading.ties == "descending")
    user, place = kernels.find_repeat(offsets, items[at], len(tables.item))
    if user >= 0 and reading.duplicates != "first":
        row = at[offsets[user] + place]
        raise InputError(
            f"{rows.at(row)}: the list of user {quoted(owners.ids[user])} names item {quoted(tables.item.ids[items[row]])} twice, "
            f"the second time at rank {place + 1}"
        )
    if user >= 0:
        pairs = users[at].astype(np.int64) << 32 | items[at]
        first = np.sort(np.unique(pairs, return_index=True)[1])
        facts.notice("duplicates", len(at) - len(first))
        at = at[first]
        offsets = _offsets(users[at], len(owners))
    tied = _note_ties(rows, facts, offsets, at, reading.ties)
    return Rankings(offsets, items[at], tied)


def _note_ties(rows: Rows, facts: Input, offsets: Offsets, at: Offsets, ties: str) -> npt.NDArray[np.bool_] | None:
    """Places whose score equals that of the place before; counts ties, and scores that contradict the order."""
    by = facts.ordered_by
    inside = np.ones(max(0, len(at) - 1), dtype=np.bool_)  # neighbours of one list
    ends = offsets[1:-1]
    inside[ends[(ends > 0) & (ends < len(at))] - 1] = False
    tied = None
    if "score" in rows.numbers:
        scores = rows.numbers["score"][at]
        equal = inside & (scores[1:] == scores[:-1])
        tied = np.append(np.zeros(min(1, len(at)), np.bool_), equal)
        if by == "score":
            facts.notice("tied_scores", equal.sum(), ties=ties)
        else:
            facts.notice("ranks_against_scores" if by == "rank" else "rising_scores", (inside & (scores[1:] > scores[:-1])).sum())
    if by == "rank":
        ranks = rows.numbers["rank"][at]
        facts.notice("tied_ranks", (inside & (ranks[1:] == ranks[:-1])).sum(), ties=ties)
    return tied


def _check_blocks(rows: Rows, users: Codes, owners: SomeIds) -> None:
    starts = np.flatnonzero(np.append(True, users[1:] != users[:-1])) if len(users) else np.empty(0, np.int64)
    first = np.unique(users[starts], return_index=True)[1]
    again = np.setdiff1d(np.arange(len(starts)), first)
    if len(again):
        row = int(starts[again[0]])
        raise InputError(
            f"{rows.at(row)}: the rows of user {quoted(owners.ids[users[row]])} are in two blocks, expected one; use ",
            Option("order", "score"),
            " if lists are ordered by score",
        )


class _Builder:
    """Makes the parts of the truth from rows."""

    def __init__(self, tables: Tables, reading: Reading) -> None:
        self._tables, self._reading = tables, reading
        self._first_counts = reading.duplicates == "first"

    @property
    def n_users(self) -> int:
        return len(self._tables.user)

    @property
    def n_items(self) -> int:
        return len(self._tables.item)

    def _codes(self, rows: Rows, role: str) -> Codes:
        """The code of each row; -1 for none."""
        table: IdTable = getattr(self._tables, role)
        return table.codes(rows.ids[role])

    def graded(self, rows: Rows, facts: Input, grades: Floats | None = None) -> tuple[Offsets, Codes, Floats]:
        users, items = self._codes(rows, "user"), self._codes(rows, "item")
        grades = rows.numbers.get("grade") if grades is None else grades
        if grades is None:
            grades = np.ones(len(rows))

        def conflict(a: int, b: int) -> str:
            return f"{self._user(users[a])} and {self._item(items[a])} have two grades, {grades[a]:g} and {grades[b]:g}" + _elsewhere(
                rows, a
            )

        offsets, at = self._distinct(rows, facts, users, self.n_users, items, None, (grades,), conflict)
        return offsets, items[at], grades[at]

    def history(self, rows: Rows, facts: Input) -> History:
        threshold = self._reading.history_threshold
        if threshold is not None and "grade" in rows.numbers:
            kept = np.flatnonzero(rows.numbers["grade"] >= threshold)
            ids = {role: IdColumn(column.codes[kept], column.ids, column.untyped) for role, column in rows.ids.items()}
            rows = Rows(rows.source, ids, place=rows.place)
        # Only whether an item was there matters, so repeated rows with different grades are no contradiction.
        offsets, items, _ = self.graded(rows, facts, np.ones(len(rows)))
        return History(offsets, items)

    def aspects(self, rows: Rows, facts: Input, known: Codes) -> Aspects:
        items, aspects = self._codes(rows, "item"), self._codes(rows, "aspect")
        strengths = rows.numbers.get("strength")
        if strengths is None:
            strengths = np.ones(len(rows))
        kept = np.flatnonzero(aspects >= 0)
        if self._reading.one_aspect_per_item:
            kept = kept[np.sort(np.unique(items[kept], return_index=True)[1])]
            facts.notice("further_aspects", (aspects >= 0).sum() - len(kept))
        items, aspects, strengths = items[kept], aspects[kept], strengths[kept]
        bad = np.flatnonzero((strengths <= 0) | (strengths > 1))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"{rows.at(kept[row])}: the strength of {self._item(items[row])}, {self._aspect(aspects[row])} is {strengths[row]:g}, "
                "expected above 0 and at most 1"
            )

        def conflict(a: int, b: int) -> str:
            return f"{self._item(items[a])} and {self._aspect(aspects[a])} have two strengths" + _elsewhere(rows, int(kept[a]))

        offsets, at = self._distinct(rows, facts, items, self.n_items, aspects, None, (strengths,), conflict, kept)
        return Aspects(
            offsets,
            aspects[at],
            len(facts.ids["aspect"]),
            None if (strengths == 1).all() else strengths[at],
            flags_of(np.append(facts.ids["item"].codes, known), self.n_items),
        )

    def subtopics(self, rows: Rows, facts: Input) -> Subtopics:
        users, items, aspects = (self._codes(rows, role) for role in ("user", "item", "aspect"))
        grades, strengths = rows.numbers.get("grade"), rows.numbers.get("strength")
        numbers = tuple(values for values in (grades, strengths) if values is not None)
        if strengths is not None:
            bad = np.flatnonzero(((strengths <= 0) | (strengths > 1)) & (True if grades is None else grades >= 1))
            if len(bad):
                check_strengths(strengths[bad[:1]], rows.at(bad[0]))

        def conflict(a: int, b: int) -> str:
            was, now = (1.0, 1.0) if grades is None else (grades[a], grades[b])
            whose = f"{self._user(users[a])}, {self._item(items[a])}, {self._aspect(aspects[a])}"
            return f"{whose} is judged twice, {was:g} and {now:g}" + _elsewhere(rows, a)

        offsets, at = self._distinct(rows, facts, users, self.n_users, items, aspects, numbers, conflict)
        return Subtopics.from_sorted(
            offsets,
            items[at],
            aspects[at],
            None if grades is None else grades[at],
            None if strengths is None or (strengths == 1).all() else strengths[at],
        )

    def weights(self, rows: Rows, facts: Input) -> Weights:
        aspects, weights = self._codes(rows, "aspect"), rows.numbers["weight"]
        shared = "user" not in rows.ids
        users = np.zeros(len(aspects), np.int32) if shared else self._codes(rows, "user")

        def conflict(a: int, b: int) -> str:
            whose = "" if shared else f"{self._user(users[a])}, "
            return f"{whose}{self._aspect(aspects[a])} has two weights" + _elsewhere(rows, a)

        offsets, at = self._distinct(rows, facts, users, 1 if shared else self.n_users, aspects, None, (weights,), conflict)
        if shared:
            everybody = np.zeros(len(self._tables.aspect))
            everybody[aspects[at]] = weights[at]
            return Weights(everybody)
        return Weights(None, offsets, aspects[at], weights[at])

    def features(self, rows: Rows, facts: Input) -> Features:
        as_sets = self._reading.features_are_sets
        if rows.matrix is None:
            matrix, owners = self._sparse(rows, facts)
        else:
            matrix, owners = rows.matrix, self._codes(rows, "item")
            self._check_vectors(rows, facts, matrix, owners)
        place = np.full(self.n_items, -1, dtype=np.int32)
        place[owners[::-1]] = np.arange(len(owners), dtype=np.int32)[::-1]  # of vectors that repeat, the first
        sets = as_sets and rows.matrix is not None and not rows.is_index
        return Features(_as_sets(matrix) if sets else matrix, place)

    def _check_vectors(self, rows: Rows, facts: Input, matrix: Any, owners: Codes) -> None:
        """Vectors of one item must be the same, unless the first counts."""
        _, at = kernels.group_rows(owners, self.n_items)
        again = np.flatnonzero(owners[at][1:] == owners[at][:-1]) + 1
        pairs = ((int(at[place]), int(at[place - 1])) for place in again)
        differ = [pair for pair in pairs if not np.array_equal(*(_vector(matrix, row) for row in pair))]
        if differ and not self._first_counts:
            row, before = differ[0]
            raise InputError(f"{rows.at(row)}: {self._item(owners[row])} has two vectors" + _elsewhere(rows, before))
        facts.notice("contradictions", len(differ))

    def _sparse(self, rows: Rows, facts: Input) -> tuple[SparseRows, Codes]:
        """One row per item from rows item, feature[, value]; as sets, the values do not matter."""
        named, features = rows.ids["item"], rows.ids["feature"]
        given = rows.numbers.get("value")
        if self._reading.features_are_sets and given is not None:
            facts.notice("values_as_sets", (given != 1).sum())
            given = None
        numbers = np.ones(len(rows)) if given is None else given
        kept = np.flatnonzero(numbers != 0)
        # In the order of their ids, so that sums over features have the same bits whatever the order of the rows.
        places = Ids(settled("feature", [(rows.source, features)])[0]).heads
        items, columns, values = named.own_codes[kept], places[features.codes[kept]], numbers[kept]
        owners = self._tables.item.named(named)

        def conflict(a: int, b: int) -> str:
            feature = quoted(features.ids[int(features.codes[kept[a]])])
            return f"{self._item(owners[items[a]])} has two values of feature {feature}, {values[a]:g} and {values[b]:g}" + _elsewhere(
                rows, int(kept[a])
            )

        offsets, at = self._distinct(rows, facts, items, len(owners), columns, None, (values,), conflict, kept)
        return SparseRows(offsets, columns[at], values[at], len(features.ids)), owners

    def _distinct(
        self,
        rows: Rows,
        facts: Input,
        groups: Codes,
        n_groups: int,
        keys: Codes,
        seconds: Codes | None,
        numbers: tuple[Floats, ...],
        conflict: Callable[[int, int], str],
        places: npt.NDArray[Any] | None = None,
    ) -> tuple[Offsets, Offsets]:
        """Offsets of groups, and the order of rows by group, key and second key, each once.

        Rows that repeat one another say nothing new; rows that say different numbers are an error unless the first counts.
        """
        offsets, at = kernels.group_rows(groups, n_groups)
        at = kernels.sort_segments(offsets, at, keys, False, seconds)
        repeated = kernels.find_repeats(offsets, at, keys, seconds)
        if len(repeated) == 0:
            return offsets, at
        before, again = at[repeated - 1], at[repeated]
        differ = np.zeros(len(repeated), np.bool_)
        for values in numbers:
            differ |= values[before] != values[again]
        if differ.any() and not self._first_counts:
            first = int(np.flatnonzero(differ)[0])
            a, b = int(before[first]), int(again[first])
            raise InputError(f"{rows.at(b if places is None else int(places[b]))}: {conflict(a, b)}")
        facts.notice("contradictions", differ.sum())
        facts.notice("repeats", len(repeated) - differ.sum())
        return offsets - np.searchsorted(repeated, offsets), np.delete(at, repeated)

    def _user(self, code: int) -> str:
        return f"user {quoted(self._tables.user.ids[code])}"

    def _item(self, code: int) -> str:
        return f"item {quoted(self._tables.item.ids[code])}"

    def _aspect(self, code: int) -> str:
        return f"aspect {quoted(self._tables.aspect.ids[code])}"


def _elsewhere(rows: Rows, row: int) -> str:
    return "" if rows.place is None else f" (first on {rows.place(row)})"


def _ordered_by(rows: Rows, order: str, preferred: tuple[str, str]) -> str:
    if order == "auto":
        return next((name for name in preferred if name in rows.numbers), "input")
    if order != "input" and order not in rows.numbers:
        raise InputError(f"{rows.source}: order={order!r} needs a {order} for every item, and none was found")
    return order


def _vector(matrix: Any, row: int) -> Any:
    """One row, in a form that can be compared."""
    if isinstance(matrix, SparseRows):
        entries = slice(int(matrix.offsets[row]), int(matrix.offsets[row + 1]))
        return np.stack([matrix.columns[entries], matrix.values[entries]])
    return matrix[[row]].toarray() if hasattr(matrix, "tocsr") else np.asarray(matrix[row])


def _as_sets(matrix: Any) -> Any:
    """1 for every value that is not 0."""
    sparse = SparseRows.from_matrix(matrix) if hasattr(matrix, "tocsr") else matrix
    if isinstance(sparse, SparseRows):
        return SparseRows(sparse.offsets, sparse.columns, np.ones(len(sparse.values)), sparse.width)
    return (np.asarray(matrix) != 0).astype(np.float64)


def _offsets(groups: Codes, n: int) -> Offsets:
    return np.concatenate((no_segments(0), np.cumsum(np.bincount(groups, minlength=n)))).astype(np.int64)
