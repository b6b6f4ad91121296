"""The truth: everything that is known apart from the lists. Coded once, never cut."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from aspectrum import kernels
from aspectrum.arguments import unknown_argument
from aspectrum.arrays import Codes, Counts, Flags, as_flags, check_codes_count_from_0, check_count, check_range
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input, Reading
from aspectrum.coding.rows import Rows, SparseRows, of_one_system, unbundled
from aspectrum.coding.table import IdTable
from aspectrum.diagnostics.notices import Either, Option
from aspectrum.errors import InputError, MissingInput, each
from aspectrum.inputs import INPUTS
from aspectrum.io import is_external
from aspectrum.io.graphs import graph_rows
from aspectrum.nuggets import read_table
from aspectrum.world.aspects import Aspects, Subtopics, Weights
from aspectrum.world.building import OBJECTS, Tables, as_users_and_items, build_truth, turned_links
from aspectrum.world.everybody import Everybody
from aspectrum.world.features import Features
from aspectrum.world.graph import Network, SocialGraph
from aspectrum.world.lengths import Lengths
from aspectrum.world.popularity import Popularity
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance

T = TypeVar("T")

KINDS: Mapping[str, type] = {
    "aspects": Aspects,
    "relevance": Relevance,
    "history": History,
    "subtopics": Subtopics,
    "features": Features,
    "weights": Weights,
    "groups": Aspects,
    "popularity": Popularity,
    "lengths": Lengths,
    "baseline": Rankings,
    "graph": SocialGraph,
}
"""The classes of parts that hold codes."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of users and items, as codes and arrays. Facts about all of them live here.

    Read it from files, frames or plain objects with :meth:`read`, or give parts that already hold codes. Every part about users
    has one segment per user, in the same order.

    Args:
        aspects: Aspects of items.
        relevance: Graded items of users.
        history: Earlier items of users.
        subtopics: Aspects judged for (user, item).
        features: Vectors of items.
        weights: How much aspects are wanted.
        groups: Groups of items, whose strengths are shares.
        popularity: How popular items are, where it is not counted in the history.
        lengths: How many tokens items have.
        baseline: Lists of a reference system, one per user.
        graph: Who is linked to whom, where users and items are people.
        catalogue: Items that could have been recommended, one flag per item; None means all.
        users, items, aspect_ids, group_ids: The ids behind the codes; counted 0, 1, 2 ... by default.
        n_users, n_items: Numbers of users and items; by default the smallest that hold every code.
        everybody: Facts about all users, where these are some of them; see :mod:`aspectrum.joining`.

    Examples:
        >>> truth = Truth.read(relevance={"ann": ["a", "b"]}, history={"ann": ["c"], "bob": ["c", "d"]})
        >>> truth.n_users, truth.n_items
        (2, 4)
        >>> dict(zip(truth.items, truth.item_popularity.users.tolist()))
        {'a': 0, 'b': 0, 'c': 2, 'd': 1}
    """

    aspects: Aspects | None = None
    relevance: Relevance | None = None
    history: History | None = None
    subtopics: Subtopics | None = None
    features: Features | None = None
    weights: Weights | None = None
    groups: Aspects | None = None
    popularity: Popularity | None = None
    lengths: Lengths | None = None
    baseline: Rankings | None = None
    graph: SocialGraph | None = None
    catalogue: Flags | None = None
    users: Ids = None  # type: ignore[assignment]  # filled below
    items: Ids = None  # type: ignore[assignment]
    aspect_ids: Ids = None  # type: ignore[assignment]
    group_ids: Ids = None  # type: ignore[assignment]
    n_users: int = -1
    n_items: int = -1
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    tables: Tables = None  # type: ignore[assignment]
    rows: Mapping[str, Rows] | None = None
    everybody: Everybody | None = None
    _rows_are_lost: bool = False

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            part = getattr(self, name)
            if part is not None and not isinstance(part, kind):
                found = f"{name} is {type(part).__name__}, expected {kind.__name__} (codes)"
                raise InputError(f"{found}; Truth.read({name}=...) reads other forms")
        for name in ("n_users", "n_items"):
            check_count(getattr(self, name), name, -1)
        n_users = self.n_users if self.n_users >= 0 else len(self.users) if self.users is not None else self._smallest_n_users()
        n_items = self.n_items if self.n_items >= 0 else len(self.items) if self.items is not None else smallest_n_items(vars(self))
        users = Ids.counted(n_users) if self.users is None else self.users
        items = Ids.counted(n_items) if self.items is None else self.items
        aspect_ids = Ids.counted(self._smallest_n_aspects()) if self.aspect_ids is None else self.aspect_ids
        group_ids = Ids.counted(0 if self.groups is None else self.groups.n_aspects) if self.group_ids is None else self.group_ids
        tables = self.tables or Tables(*map(IdTable.of, ("user", "item", "aspect", "group"), (users, items, aspect_ids, group_ids)))
        catalogue = None if self.catalogue is None else as_flags(self.catalogue, n_items, "catalogue")
        known = {"n_users": n_users, "n_items": n_items, "users": users, "items": items, "aspect_ids": aspect_ids, "group_ids": group_ids}
        self.__dict__.update(known, tables=tables, catalogue=catalogue)
        self._check()

    def __repr__(self) -> str:
        given = ", ".join(name for name in (*KINDS, "catalogue") if getattr(self, name) is not None)
        return f"Truth({self.n_users:,} users, {self.n_items:,} items; {given or 'nothing else'})"

    @classmethod
    def read(cls, *, reading: Reading | None = None, **inputs: Any) -> Truth:
        """From files, frames, :class:`Source` or plain Python objects; see :func:`aspectrum.evaluate` for the forms of each input.

        Args:
            reading: How they are read; by default as ``threshold`` and the other parameters of :class:`Reading` say.
        """
        given = {option.name: inputs.pop(option.name, None) for option in fields(Reading)}
        options = {name: value for name, value in given.items() if value is not None}
        for name in inputs:
            if name not in OBJECTS:
                lists = dict.fromkeys(("rankings", "systems", "run", "recs"), "the truth has no lists; pass them to plan.observe(...)")
                raise unknown_argument("Truth.read", name, [*OBJECTS, *given], lists)
        inputs = unbundled(inputs)
        there = {name: value for name in OBJECTS if (value := inputs.get(name)) is not None}
        reading = reading or Reading(**options)
        if reading.popularity_users is not None and "popularity" not in there:
            raise InputError(Option("popularity_users"), " goes with ", Option("popularity"), ", which is not given")
        if options.get("directed") is not None and "graph" not in there:
            raise InputError(Option("directed", options["directed"]), " goes with ", Option("graph"), ", which is not given")
        rows = dict(zip(there, each(partial(_rows, name, value) for name, value in there.items()), strict=True))
        tables = Tables()
        tables.join([*rows.values(), *(turned_links(rows["graph"]) if "graph" in rows else ())])
        return cls._of_rows(rows, tables, options, reading)

    @classmethod
    def _of_rows(cls, rows: Mapping[str, Rows], tables: Tables, options: Mapping[str, Any], reading: Reading) -> Truth:
        parts, inputs = build_truth(rows, tables, reading)
        named = {"users": tables.user, "items": tables.item, "aspect_ids": tables.aspect, "group_ids": tables.group}
        ids: dict[str, Any] = {name: table.ids for name, table in named.items()}
        return cls(**parts, **ids, options=options, reading=reading, inputs=inputs, tables=tables, rows=rows)

    def read_as(self, reading: Reading) -> Truth:
        """The same truth, read in another way; truth that came as codes is what it is."""
        same = reading.of_truth == self.reading.of_truth and (self.baseline is None or reading.of_lists == self.reading.of_lists)
        if self._rows_are_lost and not same:
            raise InputError("a truth that was pickled cannot be read in another way; pickle the plan, or read the truth again")
        if self.rows is None or same:
            return self if reading == self.reading else self.changed(reading=reading)
        return self._of_rows(self.rows, self.tables, self.options, reading)

    def changed(self, **changes: Any) -> Truth:
        """The same truth with another reading, or without what it was read from; what was checked needs no second look."""
        other = object.__new__(Truth)
        other.__dict__.update(self.__dict__ | changes)
        return other

    @cached_property
    def of_relevant_items(self) -> Truth:
        """The same truth, where items that are not relevant have no subtopics; without relevance it is left as it is."""
        judged, relevance = self.subtopics, self.relevance
        if judged is None or relevance is None:
            return self
        rows = kernels.lookup(judged.offsets, judged.items, relevance.offsets, relevance.items)
        return self.changed(subtopics=judged.only(np.append(relevance.relevant, False)[rows]))

    @cached_property
    def item_popularity(self) -> Popularity:
        """How popular items are: as given, else how many users have each in their history."""
        given, history = self.popularity, self.history
        n_users = None if history is None else self.n_with_history
        if given is not None:
            most = int(given.users.max(initial=0))
            if given.of_users is None and n_users is not None and most > n_users:
                found = f"popularity counts {most} users of an item, and {n_users} have a history; say how many were counted with "
                raise InputError(found, Option("popularity_users"))
            return given if given.of_users is not None else replace(given, of_users=n_users)
        history = self.need("history", "popularity")
        if self.everybody is not None and self.everybody.popularity is not None:
            return self.everybody.popularity
        times = None if history.times is None else np.zeros(self.n_items, np.int64)
        if times is not None:
            np.add.at(times, history.items, history.times)
        return Popularity(self.times_had, n_users, times)

    @property
    def times_had(self) -> Counts:
        """How many users had each item, as the history says."""
        if self.everybody is not None and self.everybody.popularity is not None:
            return self.everybody.popularity.users
        return np.bincount(self.need("history", "popularity").items, minlength=self.n_items)

    @property
    def n_with_history(self) -> int:
        """How many users have a history."""
        return int(self.judged("history").sum()) if self.everybody is None else self.everybody.n_with_history

    @cached_property
    def times_liked(self) -> Counts:
        """How many users' histories say that the aspects of an item count, by item."""
        if self.everybody is not None:
            return self.everybody.times_liked
        items = self.need("history", "how often items were liked").liked_items
        return np.bincount(items[items >= 0], minlength=self.n_items)

    @property
    def item_groups(self) -> tuple[Aspects, Ids]:
        """The groups of items and their ids; the aspects where no groups were given."""
        if self.groups is not None:
            return self.groups, self.group_ids
        return self.need("aspects", Option("groups")), self.aspect_ids

    @cached_property
    def network(self) -> Network:
        """Who is linked to whom, and in which community: that of their aspects which most items have, of equals the first by these."""
        graph, aspects = self.need("graph", "network"), self.aspects
        if aspects is None:
            return Network(graph)
        communities = np.full(self.n_items, -1, dtype=np.int32)
        some = np.diff(aspects.offsets) > 0
        if some.any():
            largest = np.lexsort((self._aspect_places, -np.bincount(aspects.codes, minlength=aspects.n_aspects)))
            ranks = np.argsort(largest)[aspects.codes]
            communities[some] = largest[np.minimum.reduceat(ranks, aspects.offsets[:-1][some])]
        return Network(graph, communities)

    @cached_property
    def _aspect_places(self) -> Codes:
        """The aspects in the order of the items that have them: the same whatever the order of rows and the names of aspects."""
        aspects: Aspects = self.need("aspects", "the order of aspects")
        heads = self.items.heads[np.repeat(np.arange(aspects.n_items), np.diff(aspects.offsets))]
        by_aspect = np.lexsort((heads, aspects.codes))
        ends = np.cumsum(np.bincount(aspects.codes, minlength=aspects.n_aspects))
        keys = [own.tobytes() for own in np.split(heads[by_aspect].astype(">i4"), ends[:-1])]
        places = np.empty(aspects.n_aspects, dtype=np.int32)
        places[sorted(range(aspects.n_aspects), key=keys.__getitem__)] = np.arange(aspects.n_aspects, dtype=np.int32)
        return places

    @cached_property
    def aspect_features(self) -> Features:
        """The aspects of items as vectors: 1 for every aspect that an item has, whatever its strength."""
        aspects: Aspects = self.need("aspects", "IntraListDiversity(of=aspects)")
        items = np.repeat(np.arange(aspects.n_items), np.diff(aspects.offsets))
        columns = self._aspect_places[aspects.codes]
        columns = columns[np.lexsort((columns, items))]
        known = np.arange(aspects.n_items, dtype=np.int32)
        rows = known if aspects.known is None else np.where(aspects.known, known, np.int32(-1))
        return Features(SparseRows(aspects.offsets, columns, np.ones(len(columns)), aspects.n_aspects), rows)

    def largest_grade(self, judged_by: str) -> float:
        """The largest grade of all judgments; 1 if none is above 0."""
        name = "subtopics" if judged_by == "subtopics" else "relevance"
        grades = getattr(getattr(self, name), "grades", None)
        if self.everybody is not None:
            largest = self.everybody.grades.get(name, 1.0)
        else:
            largest = 1.0 if grades is None else float(grades.max(initial=0.0))
        return largest if largest > 0 else 1.0

    @cached_property
    def judged_items(self) -> Flags:
        """Items that are judged for somebody, by relevance if it is given, else by subtopics."""
        return self.items_judged_by("subtopics" if self.relevance is None else "relevance")

    def items_judged_by(self, name: str) -> Flags:
        """Items that are judged for somebody, in the input that is named."""
        known = self.need(name, "judged items")
        if self.everybody is not None:
            return self.everybody.judged[name] > 0
        return np.bincount(known.items, minlength=self.n_items) > 0

    def judged(self, name: str | None = None) -> Flags:
        """Users with truth: the one that is named, else subtopics if given, else relevance, else a history."""
        for one in (name,) if name else ("subtopics", "relevance", "history"):
            part = getattr(self, one)
            if part is not None:
                judged: Flags = np.diff(part.offsets) > 0
                unserved = part.unserved if isinstance(part, Subtopics) else None
                return judged if unserved is None else judged | (np.diff(unserved.offsets) > 0)
        raise MissingInput(f"who is averaged depends on who is judged: give {name or 'subtopics, relevance or history'}")

    def with_relevant_items(self) -> Flags:
        """Users with at least one relevant item."""
        relevance: Relevance = self.need("relevance", Option("users", "relevant"))
        return relevance.n_relevant > 0

    def need(self, name: str, needed_by: str | Option) -> Any:
        """A part that somebody needs, or an error that says which and whose."""
        also = "; what aspects were given as will do" if name == "features" and self.aspects is not None else ""
        return needed(getattr(self, name), name, needed_by, also)

    @cached_property
    def fingerprints(self) -> Mapping[str, str]:
        """What tells this truth from any other: a digest of each of its parts."""
        found = {}
        for name in (*KINDS, "catalogue", "users", "items", "aspect_ids", "group_ids"):
            digest = hashlib.blake2b(digest_size=16)
            _digest(digest, getattr(self, name))
            found[name] = digest.hexdigest()
        return found

    def fingerprint_of(self, names: Sequence[str]) -> str | None:
        """A digest of some parts, among them ``popularity``; None of none."""
        if not names:
            return None
        found = [self._popularity_fingerprint if name == "popularity" else self.fingerprints[name] for name in names]
        return hashlib.blake2b("".join(found).encode(), digest_size=16).hexdigest()

    @cached_property
    def _popularity_fingerprint(self) -> str:
        return self.item_popularity.fingerprint(self.items)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"rows": None, "_rows_are_lost": self.rows is not None or self._rows_are_lost}

    def _smallest_n_users(self) -> int:
        parts = [part for part in (self.relevance, self.history, self.subtopics, self.baseline, self.graph) if part is not None]
        weighed = 0 if self.weights is None or self.weights.offsets is None else len(self.weights.offsets) - 1
        return max([part.n_users for part in parts], default=weighed)

    def _smallest_n_aspects(self) -> int:
        n = 0 if self.aspects is None else self.aspects.n_aspects
        if self.subtopics is not None:
            n = max(n, _largest(self.subtopics.aspects) + 1)
            if self.subtopics.unserved is not None:
                n = max(n, _largest(self.subtopics.unserved.aspects) + 1)
        if self.weights is not None:
            aspects = self.weights.aspects
            check_codes_count_from_0(
                0 if aspects is None else len(aspects), -1 if aspects is None else _largest(aspects), "weights: aspects"
            )
            n = max(n, len(self.weights.shared) if aspects is None else _largest(aspects) + 1)  # type: ignore[arg-type]
        return n

    def _check(self) -> None:
        for name in ("relevance", "history", "subtopics", "baseline"):
            part = getattr(self, name)
            if part is None:
                continue
            check_range(part.items, self.n_items, f"{name}: items")
            if part.n_users != self.n_users:
                raise InputError(f"{name} has {part.n_users} users, rankings {self.n_users}: every part needs one segment per user")
        if self.weights is not None and self.weights.offsets is not None and len(self.weights.offsets) - 1 != self.n_users:
            raise InputError(f"weights have {len(self.weights.offsets) - 1} users, rankings {self.n_users}")
        if self.weights is not None and self.weights.aspects is not None:
            check_range(self.weights.aspects, len(self.aspect_ids), "weights: aspects")
        if self.graph is not None and (self.graph.n_users, self.graph.n_items) != (self.n_users, self.n_items):
            found = f"{self.graph.n_users} users and {self.graph.n_items} items"
            raise InputError(
                f"graph has {found}, the world {self.n_users} and {self.n_items}: give it a node per user and a segment per item"
            )
        if len(self.users) != self.n_users:
            raise InputError(f"{len(self.users)} user ids for {self.n_users} users")
        if len(self.items) != self.n_items:
            raise InputError(f"{len(self.items)} item ids for {self.n_items} items")
        for name in ("aspects", "groups"):
            sets = getattr(self, name)
            if sets is not None and sets.n_items != self.n_items:
                self.__dict__[name] = _stretched(name, sets, self.n_items)
        if self.popularity is not None:
            self.__dict__["popularity"] = self.popularity.stretched(self.n_items)
        if self.lengths is not None:
            self.__dict__["lengths"] = self.lengths.stretched(self.n_items)
        self.check_vectors()

    def check_vectors(self) -> None:
        """Whether there is a vector per item, of finite numbers."""
        rows = None if self.features is None else self.features.rows
        if rows is not None and len(rows) != self.n_items:
            raise InputError(f"features: rows for {len(rows)} items, the world has {self.n_items}")
        bad = np.empty(0) if self.features is None else np.flatnonzero(~np.isfinite(self.features.lengths))
        if len(bad):
            named = bad if rows is None else np.flatnonzero(rows == bad[0])
            whose = f"item {quoted(self.items[int(named[0])])}" if len(named) else f"row {bad[0]}"
            raise InputError(f"features: the vector of {whose} holds NaN, infinity or a number too large to square")


def _rows(name: str, given: Any) -> Rows:
    """An input in any form."""
    rows = given if isinstance(given, Rows) else graph_rows(given, name) if name == "graph" else None
    if rows is None:
        rows = read_table(name, given) if is_external(given) else OBJECTS[name](given)
    if name == "baseline":
        rows = of_one_system(rows, "choose one of them, or drop the column if it does not name systems")
    return as_users_and_items(rows) if name == "graph" else rows


def smallest_n_items(parts: Mapping[str, Any], *lists: Rankings) -> int:
    """The smallest number of items that holds every code."""
    named = [("rankings", part) for part in lists] + [(name, parts.get(name)) for name in ("relevance", "history", "subtopics", "baseline")]
    items = [(name, part.items) for name, part in named if part is not None]
    counts: dict[str, Callable[[Any], int]] = {
        "aspects": lambda part: part.n_items,
        "features": lambda part: part.n_items,
        "groups": lambda part: part.n_items,
        "popularity": lambda part: len(part.users),
        "lengths": lambda part: len(part.tokens),
        "graph": lambda part: part.n_items,
        "catalogue": len,
    }
    n_items = max((count(parts[name]) for name, count in counts.items() if parts.get(name) is not None), default=0)
    n_codes = sum(len(codes) for _, codes in items)
    for name, codes in items:
        if _largest(codes) >= n_items:
            check_codes_count_from_0(n_codes, _largest(codes), f"{name}: items")
            n_items = _largest(codes) + 1
    return n_items


def needed(part: T | None, name: str, needed_by: str | Option, also: str = "") -> T:
    """A part that somebody needs, or an error that says which and whose."""
    if part is None:
        hint = Either("", "; --baseline names the system that others are compared with") if name == "baseline" else ""
        raise MissingInput(needed_by, f" needs {name}: pass ", Option(name), f", {INPUTS[name].in_words}{also}", hint)
    return part


def _digest(digest: Any, part: Any) -> None:
    """Feed a part of the truth to a digest: arrays by their bytes, ids of any kind by what they are."""
    if part is None or isinstance(part, int | float | str):
        digest.update(repr(part).encode())
    elif isinstance(part, np.ndarray):
        digest.update(f"{part.dtype}{part.shape}".encode())
        digest.update(np.ascontiguousarray(part).view(np.uint8).data if part.size else b"")
    elif isinstance(part, Ids):
        part.feed(digest.update)
    else:
        for value in fields(part):
            _digest(digest, getattr(part, value.name))


def _largest(codes: Codes) -> int:
    return int(codes.max(initial=-1))


def _stretched(name: str, aspects: Aspects, n_items: int) -> Aspects:
    """The same aspects for a world with more items, which have none and are not known."""
    missing = n_items - aspects.n_items
    if missing < 0:
        raise InputError(f"{name} speak of {aspects.n_items} items, the world has {n_items}")
    known = np.ones(aspects.n_items, dtype=np.bool_) if aspects.known is None else aspects.known
    offsets = np.append(aspects.offsets, np.full(missing, aspects.offsets[-1]))
    return Aspects(offsets, aspects.codes, aspects.n_aspects, aspects.strengths, np.append(known, np.zeros(missing, dtype=np.bool_)))
