"""Rows to worlds: every id gets a code that all inputs share, every input becomes arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Offsets, no_segments
from aspectrum.coding.ids import Ids, shown
from aspectrum.coding.objects import aspect_rows, feature_rows, id_rows, link_rows, ranking_rows, subtopic_rows, weight_rows
from aspectrum.coding.rows import IdColumn, Rows, join_ids, settled
from aspectrum.coding.sparse import SparseRows
from aspectrum.errors import InputError
from aspectrum.world.aspects import Aspects, Subtopics, Weights, check_strengths
from aspectrum.world.features import Features
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance
from aspectrum.world.world import World

Order = Literal["auto", "rank", "score", "input"]
"""What orders a list: its ranks, its scores (best first) or its rows as they stand; ``auto`` is the first that is there."""

Ties = Literal["input", "ascending", "descending"]
"""Which of two items that are equal in that order comes first: as given, the smaller id, the larger id."""

Duplicates = Literal["error", "first"]
"""What to do with an item that a list names twice, or a fact that is stated twice in different ways."""

_TIES = {"input": "the one given first", "ascending": "the smaller id", "descending": "the larger id"}

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

_KINDS = {
    "aspects": Aspects,
    "relevance": Relevance,
    "history": History,
    "subtopics": Subtopics,
    "features": Features,
    "weights": Weights,
}


@dataclass(frozen=True, eq=False)
class Input:
    """What was read as one input.

    Args:
        name: The input it is: rankings, aspects, relevance ...
        source: Its file, or its name.
        n_rows: How many rows it has.
        ids: The codes of the distinct users, items and aspects it names.
        noticed: How many rows had something that a user should know of.
        ordered_by: For rankings, what ordered the lists: rank, score or input.
        reading: How its columns were understood, in words.
    """

    name: str
    source: str
    n_rows: int
    ids: Mapping[str, Codes]
    noticed: dict[str, int] = field(default_factory=dict)
    ordered_by: str | None = None
    reading: str | None = None

    @property
    def order_in_words(self) -> str:
        return {"rank": "rank", "score": "score, best first"}.get(self.ordered_by or "", "their rows as given")


@dataclass(frozen=True, eq=False)
class Built:
    """Worlds by name of the system, and what was read for them."""

    worlds: Mapping[str, World]
    rankings: Mapping[str, Input] = field(default_factory=dict)
    truth: Mapping[str, Input] = field(default_factory=dict)


def build_worlds(
    systems: Mapping[str, Any],
    *,
    aspects: Any = None,
    relevance: Any = None,
    history: Any = None,
    subtopics: Any = None,
    features: Any = None,
    weights: Any = None,
    catalogue: Any = None,
    items: Any = None,
    users: Any = None,
    threshold: float = 1.0,
    history_threshold: float | None = None,
    order: Order = "auto",
    scores_before_ranks: bool = False,
    ties: Ties = "input",
    duplicates: Duplicates = "error",
    one_aspect_per_item: bool = False,
    features_are_sets: bool = False,
    users_in_one_block: bool = False,
) -> Built:
    """One world per system, all with the same truth and the same codes.

    Every input may be rows (:class:`Rows`) or plain Python objects; or everything comes as codes.

    Args:
        systems: Lists by name of the system.
        items: Items that `aspects` knows, even those it gives no aspect.
        users: Users to be known even if nothing else names them.
        threshold: The grade from which an item is relevant.
        history_threshold: If given, only history rows with at least this grade count.
        order: What orders a list.
        scores_before_ranks: With order ``auto``, scores order a list that has both.
        ties: Which of two items with equal scores comes first.
        duplicates: What to do with what is stated twice.
        one_aspect_per_item: Only the first aspect of an item counts.
        features_are_sets: Whether an item has a feature counts, not its value; but for an index of texts.
        users_in_one_block: Rows of a user must stand together.
    """
    if isinstance(threshold, str | bool) or not np.isfinite(threshold):
        raise InputError(f"threshold is {threshold!r}, expected a number")
    for what, value, kind in (("order", order, Order), ("ties", ties, Ties), ("duplicates", duplicates, Duplicates)):
        if value not in kind.__args__:  # type: ignore[attr-defined]
            raise InputError(f"{what} is {value!r}, expected {', '.join(map(repr, kind.__args__))}")  # type: ignore[attr-defined]
    given = {
        "aspects": aspects,
        "relevance": relevance,
        "history": history,
        "subtopics": subtopics,
        "features": features,
        "weights": weights,
    }
    coded = {name: isinstance(lists, Rankings) for name, lists in systems.items()}
    if any(coded.values()):
        if not all(coded.values()):
            plain = next(name for name, is_coded in coded.items() if not is_coded)
            raise InputError(f"system {plain!r} comes with ids while others come as Rankings (codes): give all in one form")
        if items is not None:
            raise InputError("items goes with ids; codes say what is known by Aspects(known=...)")
        return Built({name: _coded_world(lists, given, catalogue, threshold) for name, lists in systems.items()})

    given |= {"items": items, "catalogue": catalogue, "users": users}
    lists = {name: value if isinstance(value, Rows) else ranking_rows(name, value) for name, value in systems.items()}
    truth = {
        name: value if isinstance(value, Rows) else read(value) for name, read in OBJECTS.items() if (value := given[name]) is not None
    }
    builder = _Builder([*lists.values(), *truth.values()], duplicates)
    facts = {name: builder.input(name, rows) for name, rows in truth.items()}
    names = ("score", "rank") if scores_before_ranks else ("rank", "score")
    listed = {name: builder.input("rankings", rows, _ordered_by(rows, order, names)) for name, rows in lists.items()}
    parts: dict[str, Any] = {}
    if "aspects" in truth:
        known = facts["items"].ids["item"] if "items" in facts else np.empty(0, np.int32)
        parts["aspects"] = builder.aspects(truth["aspects"], facts["aspects"], known, one_aspect_per_item)
    if "relevance" in truth:
        parts["relevance"] = Relevance(*builder.graded(truth["relevance"], facts["relevance"]), threshold)
    if "history" in truth:
        parts["history"] = builder.history(truth["history"], facts["history"], history_threshold)
    if "subtopics" in truth:
        parts["subtopics"] = builder.subtopics(truth["subtopics"], facts["subtopics"])
    if "features" in truth:
        parts["features"] = builder.features(truth["features"], facts["features"], features_are_sets)
    if "weights" in truth:
        parts["weights"] = builder.weights(truth["weights"], facts["weights"])
    if "catalogue" in truth:
        parts["catalogue"] = _flags(facts["catalogue"].ids["item"], builder.n_items)
    worlds = {}
    for name, rows in lists.items():
        rankings = builder.rankings(rows, listed[name], ties, users_in_one_block)
        worlds[name] = World(rankings, users=builder.users, items=builder.items, aspect_ids=builder.aspect_ids, **parts)
        worlds[name].share_memory(next(iter(worlds.values())))
    return Built(worlds, listed, facts)


def _coded_world(rankings: Rankings, truth: Mapping[str, Any], catalogue: Any, threshold: float) -> World:
    for name, kind in _KINDS.items():
        if truth[name] is not None and not isinstance(truth[name], kind):
            raise InputError(
                f"{name} comes as {type(truth[name]).__name__} while rankings come as codes: give {kind.__name__}, or ids everywhere"
            )
    parts = dict(truth)
    if parts["relevance"] is not None and threshold != 1.0:
        relevance = parts["relevance"]
        parts["relevance"] = Relevance(relevance.offsets, relevance.items, relevance.grades, threshold)
    return World(rankings, catalogue=None if catalogue is None else np.asarray(catalogue), **parts)


class _Builder:
    """Knows the code of every id, and makes the parts of worlds from rows."""

    def __init__(self, inputs: Iterable[Rows], duplicates: Duplicates) -> None:
        several = list(inputs)
        self._first_counts = duplicates == "first"
        self._joined: dict[int, Codes] = {}
        self.users, self.items, self.aspect_ids = (self._join(role, several) for role in ("user", "item", "aspect"))

    def _join(self, role: str, inputs: list[Rows]) -> Ids:
        columns = [(rows.source, rows.ids[role]) for rows in inputs if role in rows.ids]
        ids, codes = join_ids(role, columns)
        self._joined |= {id(column): joined for (_, column), joined in zip(columns, codes, strict=True)}
        return ids

    @property
    def n_users(self) -> int:
        return len(self.users)

    @property
    def n_items(self) -> int:
        return len(self.items)

    def input(self, name: str, rows: Rows, ordered_by: str | None = None) -> Input:
        ids = {role: self._joined[id(column)] for role, column in rows.ids.items() if id(column) in self._joined}
        return Input(name, rows.source, len(rows), ids, dict(rows.noticed), ordered_by, rows.reading)

    def _codes(self, column: IdColumn) -> Codes:
        """The code of each row; -1 for none."""
        joined = self._joined[id(column)]
        return np.append(joined, np.int32(-1))[column.codes] if len(joined) else column.codes

    def rankings(self, rows: Rows, facts: Input, ties: Ties, in_one_block: bool) -> Rankings:
        users, items = self._codes(rows.ids["user"]), self._codes(rows.ids["item"])
        if in_one_block:
            self._check_blocks(rows, users)
        by = facts.ordered_by or "input"
        offsets, at = kernels.group_rows(users, self.n_users)
        if by in rows.numbers:
            seconds = None if ties == "input" else self.items.heads[items]
            at = kernels.sort_segments(offsets, at, rows.numbers[by], by == "score", seconds, ties == "descending")
        user, place = kernels.find_repeat(offsets, items[at], self.n_items)
        if user >= 0 and not self._first_counts:
            row = at[offsets[user] + place]
            raise InputError(
                f"{rows.at(row)}: the list of user {shown(self.users[user])} names item {shown(self.items[items[row]])} twice, "
                f"the second time at rank {place + 1}"
            )
        if user >= 0:
            pairs = users[at].astype(np.int64) << 32 | items[at]
            first = np.sort(np.unique(pairs, return_index=True)[1])
            facts.noticed["rows repeat an item of the list and are left out"] = len(at) - len(first)
            at = at[first]
            offsets = _offsets(users[at], self.n_users)
        inside = np.ones(max(0, len(at) - 1), dtype=np.bool_)  # neighbours of one list
        ends = offsets[1:-1]
        inside[ends[(ends > 0) & (ends < len(at))] - 1] = False
        tied = None
        if "score" in rows.numbers:
            scores = rows.numbers["score"][at]
            equal = inside & (scores[1:] == scores[:-1])
            tied = np.append(np.zeros(min(1, len(at)), np.bool_), equal)
            if by == "score":
                facts.noticed[f"neighbours have equal scores; {_TIES[ties]} comes first"] = int(equal.sum())
            rising = int((inside & (scores[1:] > scores[:-1])).sum())
            if by == "rank":
                facts.noticed["ranks contradict the scores; the ranks count"] = rising
            if by == "input":
                facts.noticed["scores are larger than the one before; the order of the rows counts"] = rising
        if by == "rank":
            ranks = rows.numbers["rank"][at]
            facts.noticed[f"neighbours have equal ranks; {_TIES[ties]} comes first"] = int((inside & (ranks[1:] == ranks[:-1])).sum())
        return Rankings(offsets, items[at], tied, _flags(facts.ids["user"], self.n_users))

    def _check_blocks(self, rows: Rows, users: Codes) -> None:
        starts = np.flatnonzero(np.append(True, users[1:] != users[:-1])) if len(users) else np.empty(0, np.int64)
        first = np.unique(users[starts], return_index=True)[1]
        again = np.setdiff1d(np.arange(len(starts)), first)
        if len(again):
            row = int(starts[again[0]])
            raise InputError(
                f"{rows.at(row)}: the rows of user {shown(self.users[users[row]])} stand in two blocks, expected one; "
                "if scores order the lists, say --order score (in Python, order='score')"
            )

    def graded(self, rows: Rows, facts: Input, grades: Floats | None = None) -> tuple[Offsets, Codes, Floats]:
        users, items = self._codes(rows.ids["user"]), self._codes(rows.ids["item"])
        grades = rows.numbers.get("grade") if grades is None else grades
        if grades is None:
            grades = np.ones(len(rows))

        def conflict(a: int, b: int) -> str:
            return f"{self._user(users[a])} and {self._item(items[a])} have two grades, {grades[a]:g} and {grades[b]:g}" + _elsewhere(
                rows, a
            )

        offsets, at = self._distinct(rows, facts, users, self.n_users, items, None, (grades,), conflict)
        return offsets, items[at], grades[at]

    def history(self, rows: Rows, facts: Input, threshold: float | None) -> History:
        if threshold is not None and "grade" in rows.numbers:
            kept = np.flatnonzero(rows.numbers["grade"] >= threshold)
            ids = {role: IdColumn(column.codes[kept], column.ids, column.untyped) for role, column in rows.ids.items()}
            self._joined |= {id(ids[role]): self._joined[id(column)] for role, column in rows.ids.items()}
            rows = Rows(rows.source, ids, place=rows.place)
        # Only whether an item was there matters, so repeated rows with different grades are no contradiction.
        offsets, items, _ = self.graded(rows, facts, np.ones(len(rows)))
        return History(offsets, items)

    def aspects(self, rows: Rows, facts: Input, known: Codes, first_only: bool) -> Aspects:
        items, aspects = self._codes(rows.ids["item"]), self._codes(rows.ids["aspect"])
        strengths = rows.numbers.get("strength")
        if strengths is None:
            strengths = np.ones(len(rows))
        kept = np.flatnonzero(aspects >= 0)
        if first_only:
            kept = kept[np.sort(np.unique(items[kept], return_index=True)[1])]
            facts.noticed["rows are left out, as only the first aspect (community) of each item (user) counts"] = int(
                (aspects >= 0).sum()
            ) - len(kept)
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
            _flags(np.append(facts.ids["item"], known), self.n_items),
        )

    def subtopics(self, rows: Rows, facts: Input) -> Subtopics:
        users, items, aspects = (self._codes(rows.ids[role]) for role in ("user", "item", "aspect"))
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
        aspects, weights = self._codes(rows.ids["aspect"]), rows.numbers["weight"]
        shared = "user" not in rows.ids
        users = np.zeros(len(aspects), np.int32) if shared else self._codes(rows.ids["user"])

        def conflict(a: int, b: int) -> str:
            whose = "" if shared else f"{self._user(users[a])}, "
            return f"{whose}{self._aspect(aspects[a])} has two weights" + _elsewhere(rows, a)

        offsets, at = self._distinct(rows, facts, users, 1 if shared else self.n_users, aspects, None, (weights,), conflict)
        if shared:
            everybody = np.zeros(len(self.aspect_ids))
            everybody[aspects[at]] = weights[at]
            return Weights(everybody)
        return Weights(None, offsets, aspects[at], weights[at])

    def features(self, rows: Rows, facts: Input, as_sets: bool) -> Features:
        if rows.matrix is None:
            matrix, owners = self._sparse(rows, facts, as_sets)
        else:
            matrix, owners = rows.matrix, self._codes(rows.ids["item"])
            self._check_vectors(rows, facts, matrix, owners)
        place = np.full(self.n_items, -1, dtype=np.int32)
        place[owners[::-1]] = np.arange(len(owners), dtype=np.int32)[::-1]  # of vectors that repeat, the first
        sets = as_sets and rows.matrix is not None and not rows.is_index
        return Features(_as_sets(matrix) if sets else matrix, place)

    def _check_vectors(self, rows: Rows, facts: Input, matrix: Any, owners: Codes) -> None:
        """Vectors of one item must be the same, unless the first counts."""
        _, at = kernels.group_rows(owners, self.n_items)
        again = np.flatnonzero(owners[at][1:] == owners[at][:-1]) + 1
        for place in again.tolist():
            row, before = int(at[place]), int(at[place - 1])
            if np.array_equal(_vector(matrix, row), _vector(matrix, before)):
                continue
            if not self._first_counts:
                raise InputError(f"{rows.at(row)}: {self._item(owners[row])} has two vectors" + _elsewhere(rows, before))
            facts.noticed["rows contradict an earlier one and are left out"] = len(again)

    def _sparse(self, rows: Rows, facts: Input, as_sets: bool) -> tuple[SparseRows, Codes]:
        """One row per item from rows item, feature[, value]; as sets, the values do not matter."""
        named, features = rows.ids["item"], rows.ids["feature"]
        given = rows.numbers.get("value")
        if as_sets and given is not None:
            facts.noticed["values of features are not 1 and do not count, only whether there is a feature"] = int((given != 1).sum())
            given = None
        numbers = np.ones(len(rows)) if given is None else given
        kept = np.flatnonzero(numbers != 0)
        # In the order of their ids, so that sums over features have the same bits whatever the order of the rows.
        places = Ids(settled("feature", [(rows.source, features)])[0]).heads
        items, columns, values = named.codes[kept], places[features.codes[kept]], numbers[kept]
        owners = self._joined[id(named)]

        def conflict(a: int, b: int) -> str:
            feature = shown(features.ids[int(features.codes[kept[a]])])
            return f"{self._item(owners[items[a]])} has two values of feature {feature}, {values[a]:g} and {values[b]:g}" + _elsewhere(
                rows, int(kept[a])
            )

        offsets, at = self._distinct(rows, facts, items, len(named.ids), columns, None, (values,), conflict, kept)
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
        if differ.any():
            if not self._first_counts:
                first = int(np.flatnonzero(differ)[0])
                a, b = int(before[first]), int(again[first])
                raise InputError(f"{rows.at(b if places is None else int(places[b]))}: {conflict(a, b)}")
            facts.noticed["rows contradict an earlier one and are left out"] = int(differ.sum())
        facts.noticed["rows repeat an earlier one"] = len(repeated) - int(differ.sum())
        return offsets - np.searchsorted(repeated, offsets), np.delete(at, repeated)

    def _user(self, code: int) -> str:
        return f"user {shown(self.users[code])}"

    def _item(self, code: int) -> str:
        return f"item {shown(self.items[code])}"

    def _aspect(self, code: int) -> str:
        return f"aspect {shown(self.aspect_ids[code])}"


def _elsewhere(rows: Rows, row: int) -> str:
    return "" if rows.place is None else f" (first on {rows.place(row)})"


def _ordered_by(rows: Rows, order: Order, preferred: tuple[str, str]) -> str:
    if order == "auto":
        return next((name for name in preferred if name in rows.numbers), "input")
    if order != "input" and order not in rows.numbers:
        raise InputError(f"{rows.source}: order={order!r} needs a {order} for every item, and there is none")
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


def _flags(codes: npt.NDArray[Any], n: int) -> Flags:
    flags = np.zeros(n, dtype=np.bool_)
    flags[codes] = True
    return flags
