"""The world: lists of some users, and the truth they are measured against."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Ties, as_codes, check_range
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.objects import ranking_rows
from aspectrum.coding.rows import Rows, of_one_system
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.io import is_external, read_input
from aspectrum.tokens import PartialDocument, Tokens
from aspectrum.world.aspects import Aspects, Subtopics, Weights
from aspectrum.world.building import CodedLists, Tables, build_lists, item_twice
from aspectrum.world.features import Features
from aspectrum.world.lengths import Context
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance
from aspectrum.world.truth import Truth, needed, smallest_n_items

T = TypeVar("T")


class World:
    """Lists of some users, and the truth. Users, items and aspects are codes 0, 1, 2 ...; ids only name them.

    Build it from inputs in any form with :meth:`of`, or from parts that already hold codes, as in
    ``World(Rankings(offsets, items), relevance=Relevance(...))``. The truth is whole: ``world.truth.relevance`` is everybody's.
    ``world.relevance`` and other parts about users are those of the users whose lists these are, segment by segment.

    Args:
        rankings: The lists, one per user.
        truth: What is known apart from them; or its parts by name, as for :class:`Truth`, with one segment per list.
        codes: Whose list each is; by default that of user 0, 1, 2 ...
        tables: The ids, with those that only lists name; by default those of the truth.
        memory: What all parts of one world remember. A part of a world was checked with it, and is not checked again.
    """

    def __init__(
        self,
        rankings: Rankings,
        truth: Truth | None = None,
        *,
        codes: Codes | None = None,
        tables: Tables | None = None,
        memory: dict[Hashable, Any] | None = None,
        **parts: Any,
    ) -> None:
        if truth is None:  # every item that a list names is then known
            if parts.get("n_items", -1) < 0 and parts.get("items") is None:
                parts["n_items"] = smallest_n_items(parts, rankings)
            truth = Truth(**{"n_users": rankings.n_users, **parts})
        elif parts:
            raise InputError(f"{next(iter(parts))} was given beside the truth, which already holds everything")
        self.rankings, self.truth, self._codes, self.tables = rankings, truth, codes, tables or truth.tables
        self.n_users, self.aspect_ids = rankings.n_users, truth.aspect_ids
        self.aspects, self.features, self.catalogue = truth.aspects, truth.features, truth.catalogue
        self.memory: dict[Hashable, Any] = {} if memory is None else memory
        self.covered: dict[Hashable, Any] = {}  # of these lists only
        self.seen_items: Flags | None = None  # items that count where there is no catalogue; None means all
        self.ties_by: str | None = None  # as of an Input
        self.context: Context | None = None  # where these lists were cut at a number of tokens
        if memory is None:
            self._check()

    @staticmethod
    def of(rankings: Any, **inputs: Any) -> World:
        """From all inputs by name; see :func:`aspectrum.evaluate` for the forms of each. A world is left as it is.

        Everybody who is known is a user of this world, those who have a list first.

        >>> world = World.of({"ann": ["a", "b"]}, aspects={"a": ["x"], "b": ["x", "y"]})
        >>> world.n_users, world.n_items
        (1, 2)
        """
        if not isinstance(rankings, World):
            return World.read(rankings, Truth.read(**inputs))
        if given := [name for name, one in inputs.items() if one is not None]:
            raise InputError(f"{given[0]} was given beside a World; a World already holds everything")
        return rankings

    @staticmethod
    def read(rankings: Any, truth: Truth) -> World:
        """Lists in any form that :func:`aspectrum.evaluate` takes, and everybody whom the truth knows, those who have a list first."""
        tables = truth.tables.copy()
        lists = build_lists(list_rows(rankings), tables, truth.reading)
        world = World.of_lists(lists, truth, tables)
        return world.and_without_lists(np.setdiff1d(np.arange(len(tables.user)), world.codes))

    @staticmethod
    def of_lists(lists: CodedLists, truth: Truth, tables: Tables, memory: dict[Hashable, Any] | None = None) -> World:
        """The users of some lists."""
        codes = lists.input.ids["user"].within(tables.user)
        world = World(lists.rankings, truth, codes=codes, tables=tables, memory={} if memory is None else memory)
        world.ties_by = lists.input.ties_by
        return world

    @property
    def n_items(self) -> int:
        """How many items there are, with those that only lists name."""
        return len(self.tables.item)

    @property
    def codes(self) -> Codes:
        """Whose list each is."""
        return np.arange(self.n_users, dtype=np.int32) if self._codes is None else self._codes

    @cached_property
    def users(self) -> Ids:
        ids = self.tables.user.ids
        return ids if self._is_everybody(len(ids)) else ids.take(self.codes)

    def _is_everybody(self, n_users: int) -> bool:
        """Whether these are the lists of users 0, 1, 2 ..."""
        return self.n_users == n_users and (self._codes is None or bool((self._codes == np.arange(n_users)).all()))

    @property
    def items(self) -> Ids:
        return self.tables.item.ids

    @cached_property
    def relevance(self) -> Relevance | None:
        return self._own(self.truth.relevance)

    @cached_property
    def judgments(self) -> Codes:
        """For each place, which of the judgments of these users is that of its item; -1 for none."""
        relevance = self.need_relevance("judgments")
        return kernels.lookup(self.rankings.offsets, self.rankings.items, relevance.offsets, relevance.items)

    @cached_property
    def history(self) -> History | None:
        return self._own(self.truth.history)

    @cached_property
    def subtopics(self) -> Subtopics | None:
        return self._own(self.truth.subtopics)

    @cached_property
    def baseline(self) -> Rankings | None:
        return self._own(self.truth.baseline)

    @cached_property
    def weights(self) -> Weights | None:
        return self._own(self.truth.weights)

    def _own(self, part: T) -> T:
        """The segments of these users; without copying where they stand together."""
        if part is None or self._is_everybody(self.truth.n_users):
            return part
        return part.take(np.where(self.codes < self.truth.n_users, self.codes, -1))  # type: ignore[attr-defined, no-any-return]

    @cached_property
    def listed(self) -> Flags:
        """Users who have a list."""
        return np.ones(self.n_users, dtype=np.bool_) if self.rankings.listed is None else self.rankings.listed

    @cached_property
    def tied(self) -> Ties | None:
        """Places with the score of the place before (1 or 0), where scores are averaged over the orders of such items; None if none matters."""
        if not self.averages_orders:
            return None
        if self.rankings.tied is None and len(self.rankings.items):
            raise InputError("rankings: ", Option("ties", "expected"), " needs the scores of items, or Rankings(..., tied=...)")
        tied = self.rankings.tied
        return tied.view(np.uint8) if tied is not None and tied.any() else None

    @property
    def averages_orders(self) -> bool:
        """Whether scores are averaged over all orders of items with equal scores."""
        return self.truth.reading.ties == "expected"

    @cached_property
    def known_items(self) -> Codes:
        """The items of all places, -1 where only lists name an item: what items have in the truth is found by these."""
        items = self.rankings.items
        return items if self.n_items == self.truth.n_items else np.where(items < self.truth.n_items, items, np.int32(-1))

    def need_aspects(self, needed_by: str) -> Aspects:
        return needed(self.aspects, "aspects", needed_by)

    def need_relevance(self, needed_by: str, level: float | None = None) -> Relevance:
        """Graded items of these users, relevant from a level on; by default from the threshold."""
        return needed(self.relevance, "relevance", needed_by).at(level)

    def need_history(self, needed_by: str) -> History:
        return needed(self.history, "history", needed_by)

    def need_subtopics(self, needed_by: str) -> Subtopics:
        return needed(self.subtopics, "subtopics", needed_by)

    def need_baseline(self, needed_by: str) -> Rankings:
        return needed(self.baseline, "baseline", needed_by)

    def need_features(self, needed_by: str) -> Features:
        return needed(self.features, "features", needed_by)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, computed once for this world and all its parts."""
        return remembered(self.memory, key, make)

    def forget_coverage(self) -> None:
        """Give back what was computed of these lists: it knows its world, so that Python would not notice for long that nobody needs it."""
        for found in self.covered.values():
            if isinstance(found, World):
                found.forget_coverage()
        self.covered = {}

    def slice(self, start: int, stop: int) -> World:
        """Lists start to stop, without copying."""
        return self.take(np.arange(start, stop))

    def take(self, lists: npt.NDArray[Any]) -> World:
        """The chosen lists, by place."""
        if len(lists) == self.n_users and (lists == np.arange(self.n_users)).all():
            return self
        return self._part(self.rankings.take(lists), self.codes[lists])

    def cut(self, depth: int) -> World:
        """The same world with the first places of every list, and what is tied with the last of them if that matters."""
        return self._part(self.rankings.cut(depth, whole_groups=self.averages_orders), self._codes)

    def within(self, budget: Tokens, partial: PartialDocument = "drop", needed_by: str = "a cutoff in tokens") -> World:
        """The same world with the documents of every list that fit into a number of tokens.

        Args:
            partial: What becomes of the first document that does not fit: it ends the list (``drop``), it counts as far as it fits
                (``share``) or in full (``keep``), or it is passed over (``skip``).
            needed_by: Who needs the lengths, for messages.
        """
        return remembered(self.covered, ("within", budget, partial), lambda: self._within(budget.n, partial, needed_by))

    def _within(self, budget: int, partial: PartialDocument, needed_by: str) -> World:
        lists, lengths = self.rankings, self.lengths_of_places(needed_by)
        flags, left, following = kernels.fit(lists.offsets, lengths, budget, partial == "skip")
        kept, shares = flags.view(np.bool_), np.ones(self.n_users)
        cut = following >= 0
        if partial in ("share", "keep"):
            cut &= left > 0  # nothing of a document stands where the one before it fills the budget
            kept[following[cut]] = True
        if partial == "share":
            shares[cut] = left[cut] / lengths[following[cut]]
        used = budget - left
        if partial == "share":
            used[cut] = budget
        elif partial == "keep":
            used[cut] += lengths[following[cut]]
        world = self._part(lists.keep(kept), self._codes)
        world.context = Context(budget, partial, shares, used)
        return world

    def lengths_of_places(self, needed_by: str) -> npt.NDArray[np.int64]:
        """How long the document of every place is; one without a known length is an error."""
        given = needed(self.truth.lengths, "lengths", needed_by)
        found = np.append(given.tokens, np.int64(0))[self.known_items]  # -1 is an item that only lists name
        without = np.unique(self.rankings.items[found == 0])
        if len(without):
            raise no_length(self.truth, self.items[int(without[0])], len(without) - 1, "the lists")
        return found

    def with_ties(self, descending: bool, first: int = 0) -> World:
        """The same world with items of equal scores in the order of their ids: the first ones, and the others, among themselves."""
        lists = self.rankings
        if lists.tied is None or not lists.tied.any():
            return self
        starts = np.append(np.flatnonzero(~lists.tied | (lists.ranks == first + 1)), len(lists.items))
        at = kernels.sort_segments(starts, np.arange(len(lists.items)), self.items.heads[lists.items], descending)
        return self._part(Rankings(lists.offsets, lists.items[at], lists.tied, lists.listed), self._codes)

    def of_relevant_items(self) -> World:
        """The same world, where items that are not relevant have no subtopics."""
        truth = self.truth.of_relevant_items
        if truth is self.truth:
            return self
        memory: dict[Any, Any] = self.remember(("of_relevant_items",), dict)  # other ideals
        part = World(self.rankings, truth, codes=self._codes, tables=self.tables, memory=memory)
        part.seen_items, part.ties_by = self.seen_items, self.ties_by
        return part

    def and_without_lists(self, users: npt.NDArray[Any]) -> World:
        """The same lists, and after them some users who have none."""
        lists = self.rankings
        offsets = np.append(lists.offsets, np.full(len(users), lists.offsets[-1]))
        listed = np.append(self.listed, np.zeros(len(users), dtype=np.bool_))
        return self._part(Rankings(offsets, lists.items, lists.tied, listed), np.append(self.codes, users).astype(np.int32))

    def batches(self, size: int) -> Iterator[World]:
        """The world in parts of at most `size` users."""
        if size < 1:
            raise InputError(f"a batch needs at least one user, found {size}")
        for start in range(0, self.n_users, size):
            yield self if size >= self.n_users else self.slice(start, min(start + size, self.n_users))

    def _part(self, rankings: Rankings, codes: Codes | None) -> World:
        if self.context is not None:
            raise InputError("lists that were cut at a number of tokens cannot be cut or taken apart again")
        part = World(rankings, self.truth, codes=codes, tables=self.tables, memory=self.memory)
        part.seen_items, part.ties_by = self.seen_items, self.ties_by
        return part

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"memory": {}, "covered": {}}

    def _check(self) -> None:
        check_range(self.rankings.items, self.n_items, "rankings: items")
        if self._codes is not None:
            codes = as_codes(self._codes, "codes")
            check_range(codes, len(self.tables.user), "codes")
            if len(codes) != self.n_users or len(np.unique(codes)) < len(codes):
                raise InputError(f"codes: {len(codes)} codes for {self.n_users} lists, expected one for each, no user twice")
            self._codes = codes
        if self._codes is None and self.n_users != self.truth.n_users:
            raise InputError(f"there are {self.n_users} lists and {self.truth.n_users} users: say whose list each is")
        user, place = kernels.find_repeat(self.rankings.offsets, self.rankings.items, self.n_items)
        if user >= 0:
            item = self.rankings.items[self.rankings.offsets[user] + place]
            raise item_twice("rankings", self.users[user], self.items[item], place)


def no_length(truth: Truth, item: Hashable, n_more: int, where: str) -> InputError:
    """The error for a document without a known length."""
    more = f" (and {n_more:,} more)" if n_more else ""
    source = truth.inputs["lengths"].source if "lengths" in truth.inputs else "lengths"
    expected = "expected one for every document of the lists, and of the pool that a best context is chosen from"
    return InputError(f"{source}: no length is given for item {quoted(item)} of {where}{more}; {expected}")


def list_rows(given: Any, name: str = "rankings") -> Rows:
    """The rows of lists in any form; `name` is what errors call plain objects."""
    if not isinstance(given, Rows):
        given = read_input("rankings", given) if is_external(given) else ranking_rows(name, given)
    return of_one_system(given, "pass the frame or file itself to evaluate_systems, or drop the column if it does not name systems")


def remembered(memory: dict[Hashable, Any], key: Hashable, make: Callable[[], T]) -> T:
    """`make()`, computed once."""
    if key not in memory:
        memory[key] = make()
    found: T = memory[key]
    return found
