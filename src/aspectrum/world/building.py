"""Rows to arrays: the parts of the truth, and the lists of a system, under the codes that all inputs share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import LARGEST, Codes, Counts, Flags, Floats, Offsets, too_large
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.objects import (
    aspect_rows,
    count_rows,
    feature_rows,
    group_rows,
    id_rows,
    length_rows,
    link_rows,
    ranking_rows,
    subtopic_rows,
    weight_rows,
)
from aspectrum.coding.reading import Input, Reading
from aspectrum.coding.rows import IdColumn, Rows, SparseRows
from aspectrum.coding.table import IdTable, SomeIds, flags_of, settled
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError
from aspectrum.world.aspects import Aspects, Subtopics, Weights, check_strengths, distinct_rows
from aspectrum.world.features import Features
from aspectrum.world.graph import SocialGraph
from aspectrum.world.lengths import Lengths
from aspectrum.world.popularity import Popularity
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
    "groups": group_rows,
    "popularity": count_rows,
    "lengths": length_rows,
    "baseline": lambda value: ranking_rows("baseline", value),
    "graph": lambda value: link_rows("graph", value, ("source", "target", "weight")),
    "catalogue": lambda value: id_rows("catalogue", "item", value),
    "users": lambda value: id_rows("users", "user", value),
}
"""How plain Python objects become the rows of each input but the lists."""

_BLANK = "[\t-\r ]"  # as the scanner has them
_BLANKS = re.compile(f"{_BLANK}+")


@dataclass(frozen=True, eq=False)
class Tables:
    """The ids of users, items, aspects and groups."""

    user: IdTable = field(default_factory=lambda: IdTable("user"))
    item: IdTable = field(default_factory=lambda: IdTable("item"))
    aspect: IdTable = field(default_factory=lambda: IdTable("aspect"))
    group: IdTable = field(default_factory=lambda: IdTable("group"))

    def join(self, inputs: Collection[Rows]) -> None:
        """Give a code to every id of some inputs that has none."""
        for role, table in vars(self).items():
            table.join([(rows.source, rows.ids[role]) for rows in inputs if role in rows.ids])

    def forget(self, rows: Rows) -> None:
        """Rows that will not be asked for again."""
        for role, table in vars(self).items():
            table.forget([rows.ids[role]] if role in rows.ids else [])

    def copy(self) -> Tables:
        return Tables(*(table.copy() for table in vars(self).values()))

    def input(self, name: str, rows: Rows, ordered_by: str | None = None) -> Input:
        """What is to be said of rows that were joined."""
        tables = vars(self)
        ids = {role: SomeIds(tables[role], tables[role].named(column)) for role, column in rows.ids.items() if role in tables}
        return Input(name, rows.source, len(rows), ids, list(rows.notices), ordered_by, rows.place is not None)


@dataclass(frozen=True, eq=False)
class CodedLists:
    """The lists of some users of a system, and what was read for them: its users are those of the lists, in the same order.

    Args:
        rankings: The lists; only their first places where nobody looks at more.
        input: What was read.
        sample: Some of the lists as they are, where others are cut.
    """

    rankings: Rankings
    input: Input
    sample: CodedLists | None = None


def as_users_and_items(links: Rows) -> Rows:
    """Links of a graph, each of a user to an item; what they weigh does not count, but must be a weight."""
    if "source" not in links.ids:  # they are already
        return links
    check_link_weights(links)
    return replace(links, ids={"user": links.ids["source"], "item": links.ids["target"]}, numbers={})


def check_link_weights(links: Rows) -> None:
    """A link weighs something: 0 would be none."""
    weights = links.numbers.get("weight", np.empty(0))
    bad = np.flatnonzero(weights <= 0)
    if len(bad):
        source, target = (quoted(links.ids[role].ids[int(links.ids[role].codes[bad[0]])]) for role in ("source", "target"))
        more = f" (and of {len(bad) - 1:,} more)" if len(bad) > 1 else ""
        raise InputError(
            f"{links.at(int(bad[0]))}: the weight of the link from {source} to {target} is {weights[bad[0]]:g}{more}, expected above 0; "
            "leave out links that do not count, or the column if it is no weight"
        )


def settled_direction(links: Rows, directed: bool | None) -> tuple[Rows, bool]:
    """Links, and whether they are directed: as was asked for, else as their graph says; an edge list is directed."""
    said = links.directed
    if directed not in (None, True, False):
        raise InputError(f"directed is {directed!r}, expected true, false or none")
    if directed and said is False:
        raise InputError(f"{links.source}: the graph is undirected, expected a directed one")
    if directed is False and said:
        links = replace(links, notices=[*links.notices, Notice("both_ways", len(links))])
    return links, directed if directed is not None else said is not False


def turned_links(links: Rows) -> list[Rows]:
    """The same links the other way round: so that everybody in a graph is a user and an item."""
    return [Rows(links.source, {"user": links.ids["item"], "item": links.ids["user"]})]


def build_truth(
    given: Mapping[str, Rows], tables: Tables, reading: Reading, *, history_grades: bool | None = None, in_order: bool = True
) -> tuple[dict[str, Any], dict[str, Input]]:
    """The parts of the truth, by name, and what was read for each.

    Args:
        history_grades: Whether a grade in the history is not 1; None if these rows are all there are, and say so themselves.
        in_order: Whether the order of rows means something, so that the first of several may be the one that counts.
    """
    for rows in given.values():
        _check_sizes(rows)
    ordered = {name: order_of(rows, reading) for name, rows in given.items() if name == "baseline"}
    facts = {name: tables.input(name, rows, ordered.get(name)) for name, rows in given.items()}
    if "graph" in facts:
        facts["graph"] = _of_everybody(facts["graph"], given["graph"], tables)
    builder = _Builder(tables, reading, facts, history_grades, in_order)
    parts = [name for name in given if name not in ("items", "users")]  # which are ids only
    return {name: getattr(builder, name)(given[name], facts[name]) for name in parts}, facts


def _of_everybody(facts: Input, links: Rows, tables: Tables) -> Input:
    """What was read as a graph, everybody in which is a user and an item."""
    ends = [links.ids[role] for role in ("user", "item")]
    people = {
        role: SomeIds(table, np.concatenate([table.named(column) for column in ends]), repeating=True)
        for role, table in (("user", tables.user), ("item", tables.item))
    }
    return replace(facts, ids=people)


def _check_sizes(rows: Rows) -> None:
    """Numbers that are summed are not too large for that."""
    for role in ("grade", "strength", "weight"):
        for row in too_large(rows.numbers.get(role, np.empty(0)))[:1]:
            raise InputError(f"{rows.at(row)}: a {role} is {rows.numbers[role][row]:g}, expected a size up to {LARGEST:g}")


def build_lists(rows: Rows, tables: Tables, reading: Reading) -> CodedLists:
    """The lists of a system, in the order in which their users come."""
    ordered_by, rows = order_of(rows, reading), with_known_blanks(rows, tables)
    try:
        tables.join([rows])
        return _coded(rows, tables.input("rankings", rows, ordered_by), tables, reading)
    finally:
        tables.forget(rows)


def with_known_blanks(rows: Rows, tables: Tables) -> Rows:
    """Rows whose items have the blanks that the truth knows: the exact text where it knows that, else single blanks where it knows these."""
    column = rows.ids["item"]
    texts = column.texts if rows.loose_blanks else None
    loose = [] if texts is None else texts.filter(texts.str.contains(f"{_BLANK}{{2}}")).to_list()
    if texts is None or not loose:
        return rows
    known = set(tables.item.ids.slice(0, tables.item.n_first))
    meant = {id: single for id in loose if id not in known and (single := _BLANKS.sub(" ", id)) in known}
    if not meant:
        return rows
    ids = [meant.get(id, id) for id in texts.to_list()]
    codes = {id: code for code, id in enumerate(dict.fromkeys(ids))}
    new = np.array([codes[id] for id in ids], dtype=np.int32)
    item = IdColumn(np.append(new, np.int32(-1))[column.codes], type(texts)(list(codes)), column.untyped)
    return replace(rows, ids={**rows.ids, "item": item}, notices=[*rows.notices, Notice("single_blanks", len(meant))])


def _coded(rows: Rows, facts: Input, tables: Tables, reading: Reading) -> CodedLists:
    """The lists of rows that were joined."""
    column = rows.ids["item"]
    tie_order = tables.item.ordered(column) if reading.breaks_ties else None
    seconds = None if tie_order is None else tie_order.heads[column.codes]
    rankings = _rankings(rows, facts, rows.ids["user"].own_codes, tables.item.codes(column), seconds, tables, reading)
    return CodedLists(rankings, replace(facts, ties_by=_ties_by(facts, tie_order)))


def lists_of_codes(rows: Rows, owners: Codes, users: Codes, items: Codes, tables: Tables, reading: Reading) -> CodedLists:
    """The same of rows whose ids have their codes in the tables already.

    Args:
        rows: All that rows hold but ids.
        owners: Whose lists these are, also if they are empty.
        users: The user of each row.
        items: The item of each row.
    """
    named = {"user": SomeIds(tables.user, owners), "item": SomeIds(tables.item, items, repeating=True)}
    facts = Input("rankings", rows.source, len(users), named, list(rows.notices), order_of(rows, reading), external=True)
    places = np.empty(len(tables.user), np.int32)
    places[owners] = np.arange(len(owners), dtype=np.int32)
    tie_order, seconds = None, None
    if reading.breaks_ties:
        ids, untyped = facts.ids["item"].ids.values, tables.item.untyped
        column = IdColumn(items, ids if untyped is None else ids.cast(str), untyped)
        tie_order = tables.item.ordered(column)
        seconds = None if tie_order is None else tie_order.heads[np.searchsorted(facts.ids["item"].codes, items)]
    rankings = _rankings(rows, facts, places[users], items, seconds, tables, reading)
    return CodedLists(rankings, replace(facts, ties_by=_ties_by(facts, tie_order)))


def _ties_by(facts: Input, tie_order: Ids | None) -> str | None:
    """In which order of ids ties are broken, if that would show beside lists with the other order."""
    if tie_order is None or len(tie_order) == 0:
        return None
    tied = any(notice.kind in ("tied_scores", "tied_ranks") for notice in facts.notices)
    return "text" if isinstance(tie_order[0], str) else "numbers" if tied else None


def _rankings(rows: Rows, facts: Input, users: Codes, items: Codes, seconds: Codes | None, tables: Tables, reading: Reading) -> Rankings:
    """Lists of the owners of rows: `users` are their places among these, `seconds` break ties."""
    owners = facts.ids["user"]
    by = facts.ordered_by or "input"
    if by == "input":
        _look_at_blocks(rows, facts, users, reading)
    offsets, at = kernels.group_rows(users, len(owners))
    scored = None
    if by in rows.numbers:
        at = kernels.sort_segments(offsets, at, rows.numbers[by], by == "score", seconds, reading.ties == "descending")
        if by == "rank" and reading.order == "auto" and "score" in rows.numbers:
            scored = _of_one_rank(rows.numbers["rank"], offsets, at)
            facts.notice("constant_ranks", scored.sum())
            mine = np.flatnonzero(np.repeat(scored, np.diff(offsets)))
            starts = np.append(0, np.cumsum(np.diff(offsets)[scored]))
            at[mine] = kernels.sort_segments(starts, at[mine], rows.numbers["score"], True, seconds, reading.ties == "descending")
    ordered = items[at]
    user, place = kernels.find_repeat(offsets, ordered, len(tables.item))
    if user >= 0 and reading.duplicates != "first":
        row = at[offsets[user] + place]
        first = at[offsets[user] + np.flatnonzero(ordered[offsets[user] :] == items[row])[0]]
        raise item_twice(rows.at(row), owners.ids[user], tables.item.ids[items[row]], place, rows.at(first))
    if user >= 0:
        first = first_of_each(offsets, ordered)
        facts.notice("duplicates", len(at) - len(first))
        offsets, at, ordered = np.searchsorted(first, offsets), at[first], ordered[first]
    over_orders = reading.ties == "expected" and facts.name == "rankings"
    if over_orders:
        _check_groups(rows, facts, offsets, at)
    tied = _note_ties(rows, facts, offsets, at, scored, "input" if seconds is None and not over_orders else reading.ties)
    return Rankings(offsets, ordered, tied)


def _check_groups(rows: Rows, facts: Input, offsets: Offsets, at: Offsets) -> None:
    """That scores are known, and fall along the lists: items with equal scores then stand together."""
    if not len(at):
        return
    if "score" not in rows.numbers:
        raise InputError(f"{rows.source}: ", Option("ties", "expected"), " needs the scores of items, and none were found")
    if facts.ordered_by == "score" or not kernels.compare_neighbours(offsets, at, rows.numbers["score"])[1]:
        return
    scores, inside = rows.numbers["score"][at], np.ones(len(at), np.bool_)
    inside[offsets[:-1][np.diff(offsets) > 0]] = False
    place = int(np.flatnonzero(inside & (np.diff(scores, prepend=np.inf) > 0))[0])
    user = int(np.searchsorted(offsets, place, side="right")) - 1
    raise InputError(
        f"{rows.at(int(at[place]))}: the list of user {quoted(facts.ids['user'].ids[user])} is not in the order of its scores, and ",
        Option("ties", "expected"),
        " is about items with equal scores, which must stand together; leave out ",
        Option("order", facts.ordered_by or "input"),
    )


def first_of_each(offsets: Offsets, items: Codes) -> Offsets:
    """Places of lists whose item the list has not named before."""
    pairs = np.repeat(np.arange(len(offsets) - 1) << 32, np.diff(offsets)) | items
    return np.sort(np.unique(pairs, return_index=True)[1])


class ItemTwice(InputError):
    """A list names an item again; `rows` says where both are, as far as anybody knows."""

    rows: tuple[str, str]


def item_twice(where: str, user: Any, item: Any, place: int, first: str = "") -> ItemTwice:
    """The error for a list that names an item again."""
    error = ItemTwice(f"{where}: the list of user {quoted(user)} names item {quoted(item)} twice, the second time at rank {place + 1}")
    error.rows = first, where
    return error


def _of_one_rank(ranks: Floats, offsets: Offsets, at: Offsets) -> Flags:
    """Lists, ordered by rank, of several items with one and the same rank, which orders nothing: some tools write 0 throughout."""
    several = np.flatnonzero(np.diff(offsets) > 1)
    found = np.zeros(len(offsets) - 1, np.bool_)
    found[several] = ranks[at[offsets[several]]] == ranks[at[offsets[several + 1] - 1]]
    return found


def _note_ties(rows: Rows, facts: Input, offsets: Offsets, at: Offsets, scored: Flags | None, ties: str) -> Flags | None:
    """Places whose score equals that of the place before; counts ties, and ranks or scores that contradict the order.

    `scored` are lists that scores order, should others be ordered by rank.
    """
    by, tied, n_lists = facts.ordered_by, None, len(facts.ids["user"])
    averaged = ties == "expected" and facts.name == "rankings"  # whatever orders the lists, which then agrees with their scores
    by_score = np.bool_(by == "score") if scored is None else np.repeat(scored, np.diff(offsets))
    if "score" in rows.numbers:
        equal, n_rising, _ = kernels.compare_neighbours(offsets, at, rows.numbers["score"])
        tied = equal.view(np.bool_)
        facts.notice_ties(int(np.count_nonzero(tied & (by_score | averaged))), ties)
        if by == "score" and _count_up(rows.numbers["score"], offsets, at):
            facts.notice("scores_like_ranks", n_lists)
        if by != "score":
            facts.notice("ranks_against_scores" if by == "rank" else "rising_scores", n_rising)
    if "rank" in rows.numbers and by == "score" and ties == "expected":  # otherwise users or their tool asked for scores
        _, _, n_falling = kernels.compare_neighbours(offsets, at, rows.numbers["rank"])
        facts.notice("scores_against_ranks", n_falling)
    elif "rank" in rows.numbers and by != "score":
        equal, _, n_falling = kernels.compare_neighbours(offsets, at, rows.numbers["rank"])
        if by == "rank":
            repeated = equal.view(np.bool_)
            if "score" not in rows.numbers and n_lists >= 10 and len(at) >= 3 * n_lists and _come_backwards(offsets, at):
                facts.notice("reversed_ranks", n_lists)
            _note_repeats(facts, offsets, repeated)
            if tied is not None and not averaged:
                facts.notice("ranked_ties", int(np.count_nonzero(tied & ~by_score & ~repeated)))
            facts.notice("tied_ranks", int(np.count_nonzero(repeated & ~by_score)), ties=ties)
        else:
            facts.notice("falling_ranks", n_falling)
    return tied


def _come_backwards(offsets: Offsets, at: Offsets) -> bool:
    """Whether the rows of every list come the other way round; of most inputs the first rows tell that they do not."""
    for some in (min(10, len(offsets) - 1), len(offsets) - 1):
        rows = at[: offsets[some]]
        inside = np.ones(max(0, len(rows) - 1), np.bool_)
        ends = offsets[1:some]
        inside[ends[(ends > 0) & (ends < len(rows))] - 1] = False
        if not (rows[1:] < rows[:-1])[inside].all():
            return False
    return True


def _note_repeats(facts: Input, offsets: Offsets, tied: Flags) -> None:
    """In how many lists every rank comes as often, as if the lists of several systems were one."""
    n_tied, n_lists = int(np.count_nonzero(tied)), len(facts.ids["user"])
    times = round(len(tied) / max(1, len(tied) - n_tied))
    if times < 2 or n_lists < 10:
        return
    place = np.arange(len(tied)) - np.repeat(offsets[:-1], np.diff(offsets))
    others = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[tied != (place % times > 0)]
    if len(tied) >= 3 * times * n_lists and (n := n_lists - len(np.unique(others))) > 0:
        facts.notice("repeated_ranks", n, times=times)


def _count_up(scores: Floats, offsets: Offsets, at: Offsets) -> bool:
    """Whether the scores of each list, which are in falling order, are n .. 1, and its rows come the other way round."""
    n_lists, filled = len(offsets) - 1, np.flatnonzero(np.diff(offsets))
    if n_lists < 10 or len(at) < 3 * n_lists or not (scores[at[offsets[filled + 1] - 1]] == 1).all():
        return False
    if not (scores[at[offsets[filled]]] == np.diff(offsets)[filled]).all() or not _come_backwards(offsets, at):
        return False
    steps, inside = np.diff(scores[at]), np.ones(len(at) - 1, np.bool_)
    inside[offsets[filled[1:]] - 1] = False
    return bool((steps[inside] == -1).all())


def _look_at_blocks(rows: Rows, facts: Input, users: Codes, reading: Reading) -> None:
    """Where rows order the lists, those of a user stand together, unless they were shuffled."""
    starts = np.flatnonzero(np.diff(users, prepend=-1))
    again = np.delete(starts, np.unique(users[starts], return_index=True)[1])
    if len(again) == 0:
        return
    if reading.users_in_one_block:
        raise InputError(
            f"{rows.at(again[0])}: the rows of user {quoted(facts.ids['user'].ids[users[again[0]]])} are in two blocks, expected one; use ",
            Option("order", "score"),
            " if lists are ordered by score",
        )
    if reading.order == "auto" and not _rank_by_rank(users, len(facts.ids["user"])):
        facts.notice("several_blocks", len(np.unique(users[again])))


def _rank_by_rank(users: Codes, n_users: int) -> bool:
    """Whether everybody's first item comes first, then everybody's second, and so on, with the users in the same order each time."""
    offsets, at = kernels.group_rows(users, n_users)
    ranks = np.empty(len(users), np.int64)
    ranks[at] = np.arange(len(users)) - np.repeat(offsets[:-1], np.diff(offsets))
    return bool((np.diff(ranks * n_users + users) > 0).all())


_FEW_ENDS, _FEW_LINKS = 3, 10  # of so many it is no coincidence that nobody both links and is linked to


class _Builder:
    """Makes the parts of the truth from rows and what was read of them."""

    def __init__(
        self, tables: Tables, reading: Reading, facts: Mapping[str, Input], history_grades: bool | None = None, in_order: bool = True
    ) -> None:
        self._tables, self._reading, self._facts, self._history_grades = tables, reading, facts, history_grades
        self._first_counts = reading.duplicates == "first" and in_order
        self.n_users, self.n_items = len(tables.user), len(tables.item)

    def _codes(self, rows: Rows, *roles: str) -> list[Codes]:
        """The code of each row in each role; -1 for none."""
        return [getattr(self._tables, role).codes(rows.ids[role]) for role in roles]

    def _named(self, **codes: int) -> str:
        """Ids in words, by role: user 'ann', item 7."""
        return ", ".join(f"{role} {quoted(getattr(self._tables, role).ids[code])}" for role, code in codes.items())

    def relevance(self, rows: Rows, facts: Input) -> Relevance:
        given = rows.numbers.get("grade")
        offsets, items, grades = self._graded(rows, facts, given)
        return Relevance(offsets, items, None if given is None else grades, self._reading.threshold)

    def _graded(self, rows: Rows, facts: Input, grades: Floats | None = None) -> tuple[Offsets, Codes, Floats]:
        users, items = self._codes(rows, "user", "item")
        given = np.ones(len(rows)) if grades is None else grades

        def conflict(a: int, b: int) -> str:
            return f"{self._named(user=users[a])} and {self._named(item=items[a])} have two grades, {given[a]:g} and {given[b]:g}"

        offsets, at = self._distinct(rows, facts, users, self.n_users, items, [given], conflict)
        return offsets, items[at], given[at]

    def history(self, rows: Rows, facts: Input) -> History:
        grades, counted, liked = rows.numbers.get("grade"), self._reading.history_threshold, self._reading.liked_from
        if grades is not None and counted is not None:
            rows = rows.taken(np.flatnonzero(grades >= counted))
        # Only whether an item was there matters, so repeated rows with different grades are no contradiction.
        offsets, items, _ = self._graded(rows, facts)
        users, named = self._codes(rows, "user", "item")
        starts, at = kernels.group_rows(users, self.n_users)
        found = History(offsets, items, None, self._times(rows, users, named, offsets, items), Rankings(starts, named[at]))
        if grades is None or counted is not None:
            return found
        if not (has_other_grades(grades) if self._history_grades is None else self._history_grades):
            return found
        if liked is None:
            facts.notice("history_grades", (grades <= 0).sum())
            return found
        facts.notice("history_below", (grades < liked).sum(), threshold=float(liked))
        users, named = (codes[grades >= liked] for codes in (users, named))
        starts, at, *_ = distinct_rows(users, self.n_users, named, None, [])
        return replace(found, liked=kernels.lookup(offsets, items, starts, named[at]) >= 0)

    def _times(self, rows: Rows, users: Codes, named: Codes, offsets: Offsets, items: Codes) -> Counts | None:
        """How often each user had each item: rows that repeat one another, or the counts that rows have, added up."""
        counts = rows.numbers.get("count")
        if counts is None and len(rows) == len(items):
            return None
        times = np.ones(len(rows), np.int64) if counts is None else _whole_counts(rows, counts, 1)
        owners = np.repeat(np.arange(self.n_users, dtype=np.int64), np.diff(offsets))
        places = np.searchsorted(owners << 32 | items, users.astype(np.int64) << 32 | named)
        found = np.zeros(len(items), np.int64)
        np.add.at(found, places, times)
        return found

    def groups(self, rows: Rows, facts: Input) -> Aspects:
        found = self._sets(rows, facts, "group", "share")
        if found.strengths is not None:
            sums = np.bincount(np.repeat(np.arange(self.n_items), np.diff(found.offsets)), found.strengths, self.n_items)
            facts.notice("odd_shares", ((sums > 0) & (abs(sums - 1) > 1e-6)).sum())
        return found

    def popularity(self, rows: Rows, facts: Input) -> Popularity:
        (items,), counts = self._codes(rows, "item"), _whole_counts(rows, rows.numbers["count"], 0)

        _, firsts, inverse = np.unique(items, return_index=True, return_inverse=True)
        before = firsts[inverse]
        again = np.flatnonzero(before < np.arange(len(items)))
        if len(again) and not self._first_counts:
            a, b = int(before[again[0]]), int(again[0])
            twice = _contradiction(rows, a, b, f"{self._named(item=items[a])} has two counts, {counts[a]} and {counts[b]}")
            raise InputError(*twice.args, "; expected one per item; what single users had goes to ", Option("history"))
        facts.notice("contradictions", differ := int((counts[again] != counts[before[again]]).sum()))
        facts.notice("repeats", len(again) - differ)
        found = np.zeros(self.n_items, np.int64)
        found[items[firsts]] = counts[firsts]
        if len(rows) and not found.any():
            facts.notice("no_popularity", len(rows))
        for item in np.flatnonzero(found > (self._reading.popularity_users or LARGEST))[:1]:
            users = Option("popularity_users", self._reading.popularity_users)
            raise InputError(f"{rows.source}: {self._named(item=int(item))} has count {found[item]}, more than ", users)
        return Popularity(found, self._reading.popularity_users)

    def lengths(self, rows: Rows, facts: Input) -> Lengths:
        (items,), tokens = self._codes(rows, "item"), rows.numbers["tokens"]
        for row in np.flatnonzero(~((tokens == np.floor(tokens)) & (tokens >= 1) & (tokens < 2**53)))[:1]:
            raise InputError(
                f"{rows.at(row)}: the length of {self._named(item=items[row])} is {tokens[row]:g}, expected a whole number of tokens from 1"
            )
        # Rows that repeat one another are none too many: the rows of lists, with a column of tokens, are lengths as they stand.
        _, firsts, inverse = np.unique(items, return_index=True, return_inverse=True)
        differ = np.flatnonzero(tokens != tokens[firsts[inverse]])
        if len(differ) and not self._first_counts:
            a, b = int(firsts[inverse[differ[0]]]), int(differ[0])
            raise _contradiction(rows, a, b, f"{self._named(item=items[b])} has two lengths, {tokens[a]:g} and {tokens[b]:g} tokens")
        facts.notice("contradictions", len(differ))
        found = np.zeros(self.n_items, np.int64)
        found[items[firsts]] = tokens[firsts].astype(np.int64)
        return Lengths(found)

    def baseline(self, rows: Rows, facts: Input) -> Rankings:
        lists = _coded(rows, facts, self._tables, self._reading).rankings
        places = np.full(self.n_users, -1)
        places[facts.ids["user"].codes] = np.arange(lists.n_users)
        return replace(lists.take(places), listed=places >= 0)

    def graph(self, rows: Rows, facts: Input) -> SocialGraph:
        users, targets = self._codes(rows, "user", "item")
        everybody = SomeIds(self._tables.user, np.arange(self.n_users, dtype=np.int32)).within(self._tables.item.copy())
        nodes = np.where(everybody < self.n_items, everybody, np.int32(-1))
        facts.notice("self_links", (nodes[users] == targets).sum())
        follow, followed = flags_of(nodes[users], self.n_items), flags_of(targets, self.n_items)
        if min(follow.sum(), followed.sum()) >= _FEW_ENDS and len(rows) >= _FEW_LINKS and not (follow & followed).any():
            facts.notice("links_to_items", len(rows))
        further, directed = settled_direction(replace(rows, notices=[]), self._reading.directed)
        facts.notices.extend(further.notices)
        graph = SocialGraph.of(nodes[users], targets, nodes, self.n_items, directed=directed)
        if directed and self._reading.directed is None and len(graph.targets) and graph.is_reciprocal:
            facts.notice("all_reciprocal", len(graph.targets))
        return graph

    def aspects(self, rows: Rows, facts: Input) -> Aspects:
        return self._sets(rows, facts, "aspect", "strength")

    def _sets(self, rows: Rows, facts: Input, role: str, number: str) -> Aspects:
        """What items have: aspects with strengths, or groups with shares."""
        items, aspects = self._codes(rows, "item", role)
        strengths = rows.numbers.get(number, np.ones(len(rows)))
        kept = np.flatnonzero(aspects >= 0)
        if self._reading.one_aspect_per_item and role == "aspect":
            kept = kept[np.sort(np.unique(items[kept], return_index=True)[1])]
            facts.notice("further_aspects", (aspects >= 0).sum() - len(kept))
        items, aspects, strengths = items[kept], aspects[kept], strengths[kept]
        out_of_range = np.flatnonzero((strengths <= 0) | (strengths > 1))
        if len(out_of_range):
            bad = out_of_range[0]
            whose = self._named(**{"item": items[bad], role: aspects[bad]})
            raise InputError(f"{rows.at(kept[bad])}: the {number} of {whose} is {strengths[bad]:g}, expected above 0 and at most 1")

        def conflict(a: int, b: int) -> str:
            return f"{self._named(item=items[a])} and {self._named(**{role: aspects[a]})} have two {number}s"

        offsets, at = self._distinct(rows, facts, items, self.n_items, aspects, [strengths], conflict, places=kept)
        names = ("aspects", "items") if role == "aspect" else ("groups",)
        known = np.concatenate([self._facts[name].ids["item"].codes for name in names if name in self._facts])
        given = None if (strengths == 1).all() and number == "strength" else strengths[at] if number in rows.numbers else None
        return Aspects(offsets, aspects[at], len(facts.ids[role]), given, flags_of(known, self.n_items))

    def subtopics(self, rows: Rows, facts: Input) -> Subtopics:
        whole = rows
        if rows.lists_aspects:  # also those that no item has
            rows = rows.taken(np.flatnonzero(rows.ids["item"].codes >= 0))
        if self._reading.last_subtopic_only:
            rows = self._last_of_each(rows, facts)
        users, items, aspects = self._codes(rows, "user", "item", "aspect")
        grades, strengths = rows.numbers.get("grade"), rows.numbers.get("strength")
        if strengths is not None and (strengths == 0).any():  # which says that the item was judged
            grades = np.where(strengths == 0, 0.0, 1.0 if grades is None else grades)
        numbers = [values for values in (grades, strengths) if values is not None]
        if strengths is not None:
            bad = np.flatnonzero(((strengths < 0) | (strengths > 1)) & (True if grades is None else grades >= 1))
            if len(bad):
                check_strengths(strengths[bad[:1]], rows.at(bad[0]))

        def conflict(a: int, b: int) -> str:
            was, now = (1.0, 1.0) if grades is None else (grades[a], grades[b])
            return f"{self._named(user=users[a], item=items[a], aspect=aspects[a])} is judged twice, {was:g} and {now:g}"

        offsets, at = self._distinct(rows, facts, users, self.n_users, items, numbers, conflict, seconds=aspects)
        given = (None if values is None else values[at] for values in (grades, strengths))
        found = Subtopics.from_sorted(offsets, items[at], aspects[at], *given)
        return self._with_listed(found, whole) if whole.lists_aspects else found

    def _last_of_each(self, rows: Rows, facts: Input) -> Rows:
        """Judgments of items of users without those that later ones replace."""
        users, items = self._codes(rows, "user", "item")
        pairs = users.astype(np.int64) << 32 | items
        last = len(pairs) - 1 - np.unique(pairs[::-1], return_index=True)[1]
        facts.notice("replaced_subtopics", len(pairs) - len(last))
        return rows if len(last) == len(pairs) else rows.taken(np.sort(last))

    def _with_listed(self, found: Subtopics, rows: Rows) -> Subtopics:
        """The same, with the aspects that rows name for users, though no item may have them."""
        users, aspects = self._codes(rows, "user", "aspect")
        named = np.flatnonzero(aspects >= 0)
        offsets, at = kernels.group_rows(users[named], self.n_users)
        at = named[at]
        listed_offsets, listed, numbers = kernels.number_codes(offsets, aspects[at], len(self._tables.aspect))
        questions = None
        if "nugget" in rows.ids:
            questions = np.empty(len(listed), np.int32)
            questions[np.repeat(listed_offsets[:-1], np.diff(offsets)) + numbers] = rows.ids["nugget"].codes[at]
        return found.listing(listed_offsets, listed, questions)

    def weights(self, rows: Rows, facts: Input) -> Weights:
        (aspects,), weights = self._codes(rows, "aspect"), rows.numbers["weight"]
        shared = "user" not in rows.ids
        users = np.zeros(len(aspects), np.int32) if shared else self._codes(rows, "user")[0]

        def conflict(a: int, b: int) -> str:
            return f"{self._named(**({} if shared else {'user': users[a]}), aspect=aspects[a])} has two weights"

        offsets, at = self._distinct(rows, facts, users, 1 if shared else self.n_users, aspects, [weights], conflict)
        if shared:
            everybody = np.zeros(len(self._tables.aspect))
            everybody[aspects[at]] = weights[at]
            return Weights(everybody)
        return Weights(None, offsets, aspects[at], weights[at])

    def features(self, rows: Rows, facts: Input) -> Features:
        if rows.matrix is None:
            matrix, owners = self._sparse(rows, facts)
        else:
            matrix = SparseRows.from_matrix(rows.matrix) if hasattr(rows.matrix, "tocsr") else rows.matrix
            (owners,) = self._codes(rows, "item")
            self._check_vectors(rows, facts, matrix, owners)
            if self._reading.features_are_sets and not rows.is_index:
                matrix = _as_sets(matrix)
                facts.notices[:] = [one for one in facts.notices if one.kind != "outweighing"]
        place = np.full(self.n_items, -1, dtype=np.int32)
        place[owners[::-1]] = np.arange(len(owners), dtype=np.int32)[::-1]  # of vectors that repeat, the first
        return Features(matrix, place)

    def catalogue(self, rows: Rows, facts: Input) -> Flags:
        return flags_of(facts.ids["item"].codes, self.n_items)

    def _check_vectors(self, rows: Rows, facts: Input, matrix: Any, owners: Codes) -> None:
        """Vectors of one item must be the same, unless the first counts."""
        _, at = kernels.group_rows(owners, self.n_items)
        again = np.flatnonzero(owners[at][1:] == owners[at][:-1]) + 1
        pairs = ((int(at[place]), int(at[place - 1])) for place in again)
        differ = [pair for pair in pairs if not np.array_equal(*(_vector(matrix, row) for row in pair))]
        if differ and not self._first_counts:
            row, before = differ[0]
            raise _contradiction(rows, before, row, f"{self._named(item=owners[row])} has two vectors")
        facts.notice("contradictions", len(differ))

    def _sparse(self, rows: Rows, facts: Input) -> tuple[SparseRows, Codes]:
        """One row per item from rows item, feature[, value]; as sets, the values do not matter."""
        named, features = rows.ids["item"], rows.ids["feature"]
        numbers = rows.numbers.get("value", np.ones(len(rows)))
        if self._reading.features_are_sets:
            facts.notice("values_as_sets", (numbers != 1).sum())
            numbers = np.ones(len(rows))
        kept = np.flatnonzero(numbers != 0)
        # In the order of their ids, so that sums over features have the same bits whatever the order of the rows.
        places = Ids(settled("feature", [(rows.source, features)])[0]).heads
        items, columns, values = named.own_codes[kept], places[features.codes[kept]], numbers[kept]
        owners = self._tables.item.named(named)

        def conflict(a: int, b: int) -> str:
            feature = quoted(features.ids[int(features.codes[kept[a]])])
            return f"{self._named(item=owners[items[a]])} has two values of feature {feature}, {values[a]:g} and {values[b]:g}"

        offsets, at = self._distinct(rows, facts, items, len(owners), columns, [values], conflict, places=kept)
        return SparseRows(offsets, columns[at], values[at], len(features.ids)), owners

    def _distinct(
        self,
        rows: Rows,
        facts: Input,
        groups: Codes,
        n_groups: int,
        keys: Codes,
        numbers: Sequence[Floats],
        conflict: Callable[[int, int], str],
        *,
        seconds: Codes | None = None,
        places: npt.NDArray[Any] | None = None,
    ) -> tuple[Offsets, Offsets]:
        """Offsets of groups, and the order of rows by group, key and second key, each once.

        Rows that repeat one another say nothing new; rows that say different numbers are an error unless the first counts.
        """
        offsets, at, n_repeated, contradictions = distinct_rows(groups, n_groups, keys, seconds, numbers)
        if len(contradictions) and not self._first_counts:
            a, b = contradictions[0].tolist()
            before, row = (a, b) if places is None else (int(places[a]), int(places[b]))
            raise _contradiction(rows, before, row, conflict(a, b))
        facts.notice("contradictions", len(contradictions))
        facts.notice("repeats", n_repeated - len(contradictions))
        return offsets, at


def has_other_grades(grades: Floats) -> bool:
    """Whether grades say more than rows without a grade, which have 1."""
    return not (grades == 1).all()


def _whole_counts(rows: Rows, counts: Floats, least: int) -> Counts:
    for row in np.flatnonzero((counts != np.floor(counts)) | (counts < least) | (counts >= 2**53))[:1]:
        raise InputError(f"{rows.at(row)}: a count is {counts[row]:g}, expected a whole number from {least}")
    return counts.astype(np.int64)


def _contradiction(rows: Rows, before: int, row: int, what: str) -> InputError:
    return InputError(f"{rows.at(row)}: {what}" + ("" if rows.place is None else f" (first on {rows.place(before)})"))


def order_of(rows: Rows, reading: Reading) -> str:
    """What orders the lists of rows: rank, score or input."""
    order = reading.order
    if order == "auto":
        by_score = reading.scores_before_ranks or reading.ties == "expected"
        preferred = ("score", "rank") if by_score else ("rank", "score")
        return next((name for name in preferred if name in rows.numbers), "input")
    if order != "input" and order not in rows.numbers:
        raise InputError(f"{rows.source}: ", Option("order", order), f" needs a {order} for every item, and none was found")
    return order


def _vector(matrix: Any, row: int) -> Any:
    """One row, in a form that can be compared."""
    if isinstance(matrix, SparseRows):
        entries = slice(int(matrix.offsets[row]), int(matrix.offsets[row + 1]))
        return np.stack([matrix.columns[entries], matrix.values[entries]])
    return np.asarray(matrix[row])


def _as_sets(matrix: Any) -> Any:
    """1 for every value that is not 0."""
    if isinstance(matrix, SparseRows):
        return SparseRows(matrix.offsets, matrix.columns, np.ones(len(matrix.values)), matrix.width)
    return (np.asarray(matrix) != 0).astype(np.float64)
