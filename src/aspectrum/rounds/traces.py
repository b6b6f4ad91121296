"""What agents found, by query and round."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from aspectrum.coding.ids import not_hashable, quoted
from aspectrum.coding.objects import ranking_rows
from aspectrum.coding.rows import Rows
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError
from aspectrum.io import Source
from aspectrum.io.files import printed
from aspectrum.io.json_runs import JsonList, rows_of_lists
from aspectrum.io.json_values import Place
from aspectrum.io.traces import check_once, read_traces

Searches = tuple[tuple[Hashable, ...], ...]
"""What the searches of a round found, each best first."""


class Rounds(Mapping[Hashable, "list[list[Hashable]]"]):
    """What agents found, by query and round: ``rounds[query]`` has the documents of each round, in order.

    Several searches in one round follow one another. Parts with different queries add up.

    Args:
        given: ``{query: [[documents of round 1], [documents of round 2], ...]}``.

    Examples:
        >>> rounds = Rounds({"q": [["a", "b"], ["b", "c"]]})
        >>> rounds.lists(1), rounds.lists(2)
        ({'q': ['a', 'b']}, {'q': ['a', 'b', 'c']})
        >>> rounds
        Rounds(1 query, up to 2 rounds)
    """

    def __init__(self, given: Mapping[Hashable, Iterable[Iterable[Hashable]]]) -> None:
        self.source = "rounds"
        self.notices: tuple[Notice, ...] = ()
        self._searches: dict[Hashable, tuple[Searches, ...]] = {}
        self._places: dict[Hashable, Place] = {}
        if not isinstance(given, Mapping):
            raise InputError(f"rounds is {type(given).__name__}, expected {{query: [documents of round 1, ...]}}, or the path of traces")
        for query, rounds in given.items():
            if isinstance(rounds, str | Mapping) or not isinstance(rounds, Iterable):
                raise InputError(f"rounds of {quoted(query)}: found {type(rounds).__name__}, expected a list of rounds")
            if isinstance(rounds, set | frozenset):
                raise InputError(f"rounds of {quoted(query)}: found a set, which has no order; expected a list of rounds")
            found = []
            for number, documents in enumerate(rounds, 1):
                if isinstance(documents, str | Mapping) or not isinstance(documents, Iterable):
                    what = f"found {quoted(documents)}, expected a list of documents"
                    raise InputError(f"rounds of {quoted(query)}: round {number}: {what}")
                if isinstance(documents, set | frozenset):
                    what = "found a set, which has no order; expected a list of documents"
                    raise InputError(f"rounds of {quoted(query)}: round {number}: {what}")
                found.append((tuple(documents),))
                for document in found[-1][0]:
                    try:
                        hash(document)
                    except TypeError:
                        raise InputError(f"rounds of {quoted(query)}: round {number}: {not_hashable('document', document)}") from None
            self._searches[query] = tuple(found)

    def _with(self, searches: dict[Hashable, tuple[Searches, ...]], **others: Any) -> Rounds:
        made = copy(self)
        made.__dict__.update(others, _searches=searches)
        return made

    @classmethod
    def read(cls, path: Any, *, task: str | None = None) -> Rounds:
        """From traces of agents: a JSON file per query, JSON Lines, or a folder or pattern of such files.

        Args:
            path: The file or folder.
            task: Only the traces of this task, and those that name none.
        """
        if isinstance(path, Source):
            path = path.path
        name = printed(os.fspath(path))
        searches, seen = dict[Hashable, tuple[Searches, ...]](), dict[str, Place]()
        n_odd = n_without = n_failed = n_others = 0
        for trace in read_traces(os.fspath(path)):
            if task is not None and trace.task not in (None, task):
                continue
            check_once(seen, trace.query, trace.place)
            searches[trace.query] = trace.rounds
            n_others += trace.n_others
            n_odd += trace.said is not None and trace.said != len(trace.rounds)
            n_failed += trace.n_failed
            n_without += not any(documents for searches in trace.rounds for documents in searches)
        if not seen:
            what = "there are no traces" if task is None else f"no trace is of task {task!r}"
            raise InputError(f"{name}: {what}")
        counted = {"round_counts": n_odd, "found_nothing": n_without}
        notices = tuple(Notice(kind, n, len(seen), source=name) for kind, n in counted.items() if n)
        of_calls = {"failed_searches": n_failed, "other_tools": n_others}
        notices += tuple(Notice(kind, n, source=name) for kind, n in of_calls.items() if n)
        return cls({})._with(searches, source=name, notices=notices, _places=seen)

    @classmethod
    def of(cls, given: Any) -> Rounds:
        """From rounds in any form."""
        if isinstance(given, Rounds):
            return given
        if isinstance(given, str | os.PathLike | Source):
            return cls.read(given)
        return cls(given)

    def __getitem__(self, query: Hashable) -> list[list[Hashable]]:
        return [[document for documents in searches for document in documents] for searches in self._searches[query]]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._searches)

    def __len__(self) -> int:
        return len(self._searches)

    def __repr__(self) -> str:
        n, most = len(self), self.n_rounds
        return f"Rounds({n:,} quer{'y' if n == 1 else 'ies'}, up to {most} round{'s' * (most != 1)})"

    def __add__(self, other: Rounds) -> Rounds:
        if not isinstance(other, Rounds):
            return NotImplemented
        for query in other:
            if query in self._searches:
                raise InputError(f"query {quoted(query)} is in both parts: {self._named(query)} and {other._named(query)}")
        source = ", ".join(dict.fromkeys((self.source, other.source)))
        notices = (*self.notices, *other.notices)
        return self._with({**self._searches, **other._searches}, source=source, notices=notices, _places={**self._places, **other._places})

    def _named(self, query: Hashable) -> str:
        return str(self._places.get(query, self.source))

    @property
    def n_rounds(self) -> int:
        """The most rounds of any query."""
        return max(map(len, self._searches.values()), default=0)

    def of_queries(self, queries: Iterable[Hashable]) -> Rounds:
        """The rounds of some queries."""
        return self._with({query: self._searches[query] for query in queries})

    def last_searches(self) -> Rounds:
        """The same with the last search of each round only."""
        return self._with({query: tuple(searches[-1:] for searches in rounds) for query, rounds in self._searches.items()})

    def lists(self, round: int | None = None) -> dict[Hashable, list[Hashable]]:
        """What was found up to a round, each document at its first place; by default up to the last."""
        return {query: _distinct(rounds[:round]) for query, rounds in self._searches.items()}

    def rows(self, round: int | None = None) -> Rows:
        """The same, as they are evaluated: ids of files may be text or numbers."""
        lists = self.lists(round)
        if not self._places:
            return ranking_rows("rounds", lists)
        return rows_of_lists(
            self.source,
            "documents",
            [
                JsonList(str(query), documents, None, lambda _, query=query: self._places[query])  # type: ignore[misc, arg-type]
                for query, documents in lists.items()
            ],
        )


def _distinct(rounds: Sequence[Searches]) -> list[Hashable]:
    return list(dict.fromkeys(document for searches in rounds for documents in searches for document in documents))
