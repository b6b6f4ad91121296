"""What all users together say, for a truth that holds some of them only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.arrays import Codes, Counts
from aspectrum.world.aspects import Subtopics
from aspectrum.world.popularity import Popularity
from aspectrum.world.relevance import History

if TYPE_CHECKING:
    from aspectrum.world.truth import Truth


@dataclass(frozen=True, eq=False)
class Everybody:
    """Facts that a truth cannot find in its own users where it holds some of them; they add up.

    Counts are of items, by code. Whatever an input has anywhere, such as grades, each part of it has: None means 1 in some places, and
    there the kernels take other ways.

    Args:
        grades: The largest grade, of relevance and of subtopics.
        judged: How often each item is judged, in relevance and in subtopics.
        had: How many users had each item, how often, and how many users' histories say that the item's aspects count.
        n_with_history: How many users have a history.
        most_aspects: The largest number of aspects that subtopics give to one user.
        has: What there is, as ``history grades``, ``history liked``, ``history times``, ``subtopics grades``, ``subtopics strengths``.
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    judged: Mapping[str, Counts] = field(default_factory=dict)
    had: tuple[Counts, Counts, Counts] | None = None
    n_with_history: int = 0
    most_aspects: int = 0
    has: frozenset[str] = frozenset()

    @classmethod
    def of(cls, truth: Truth, history_grades: bool) -> Everybody:
        """The facts that some users contribute, whose history was read as if it had grades.

        Args:
            history_grades: Whether a grade in the history is not 1.
        """
        known = {"relevance": truth.relevance, "subtopics": truth.subtopics}
        parts = {name: part for name, part in known.items() if part is not None}
        has: set[str] = set()
        had = None
        history, subtopics = truth.history, truth.subtopics
        if history is not None:
            liked = history.liked_items
            times = np.zeros(truth.n_items, np.int64)
            np.add.at(times, history.items, 1 if history.times is None else history.times)
            had = (_count(history.items, truth.n_items), times, _count(liked[liked >= 0], truth.n_items))
            has |= {"history times"} if history.times is not None else set()
            has |= {"history grades"} if history_grades else set()
            has |= {"history liked"} if history_grades and history.liked is not None else set()
        if subtopics is not None:
            has |= {"subtopics grades"} if subtopics.grades is not None else set()
            has |= {"subtopics strengths"} if subtopics.sets.strengths is not None else set()
        return cls(
            {name: 1.0 if part.grades is None else float(part.grades.max(initial=0.0)) for name, part in parts.items()},
            {name: _count(part.items, truth.n_items) for name, part in parts.items()},
            had,
            0 if history is None else int(np.count_nonzero(np.diff(history.offsets))),
            0 if subtopics is None else int(np.diff(subtopics.aspect_offsets).max(initial=0)),
            frozenset(has),
        )

    def scattered(self, codes: Codes, n: int) -> Everybody:
        """The same under other codes of items."""

        def placed(counts: Counts) -> Counts:
            found = np.zeros(n, np.int64)
            found[codes] = counts
            return found

        judged = {name: placed(counts) for name, counts in self.judged.items()}
        had = None if self.had is None else (placed(self.had[0]), placed(self.had[1]), placed(self.had[2]))
        return replace(self, judged=judged, had=had)

    def __add__(self, other: Everybody) -> Everybody:
        """Together with other users; items that one of them does not know are the last."""
        had = None
        if self.had is not None and other.had is not None:
            (users, times, liked), more = self.had, other.had
            had = (_sum(users, more[0]), _sum(times, more[1]), _sum(liked, more[2]))
        return Everybody(
            {name: max(grade, other.grades[name]) for name, grade in self.grades.items()},
            {name: _sum(counts, other.judged[name]) for name, counts in self.judged.items()},
            had,
            self.n_with_history + other.n_with_history,
            max(self.most_aspects, other.most_aspects),
            self.has | other.has,
        )

    @property
    def popularity(self) -> Popularity | None:
        """How popular items are, as the history says."""
        if self.had is None:
            return None
        return Popularity(self.had[0], self.n_with_history, self.had[1] if "history times" in self.has else None)

    @property
    def times_liked(self) -> Counts:
        """How many users' histories say that the aspects of an item count."""
        assert self.had is not None
        return self.had[2 if "history liked" in self.has else 0]

    def completed(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Parts of the truth about some users, with what the whole has."""
        found = dict(parts)
        history: History | None = found.get("history")
        if history is not None:  # whose rows come in no order
            times = np.ones(len(history.items), np.int64) if history.times is None and "history times" in self.has else history.times
            liked = np.zeros(0, np.bool_) if history.liked is None and "history liked" in self.has else history.liked  # of nobody
            found["history"] = replace(history, liked=liked, times=times, sequence=None)
        subtopics: Subtopics | None = found.get("subtopics")
        if subtopics is not None:
            sets, n = subtopics.sets, len(subtopics.sets.codes)
            strengths = np.ones(n) if sets.strengths is None and "subtopics strengths" in self.has else sets.strengths
            grades = np.ones(n) if subtopics.grades is None and "subtopics grades" in self.has else subtopics.grades
            found["subtopics"] = replace(subtopics, sets=replace(sets, n_aspects=self.most_aspects, strengths=strengths), grades=grades)
        return found


def _count(items: Codes, n_items: int) -> Counts:
    return np.bincount(items, minlength=n_items).astype(np.int64)


def _sum(one: Counts, other: Counts) -> Counts:
    n = max(len(one), len(other))
    found: Counts = np.pad(one, (0, n - len(one))) + np.pad(other, (0, n - len(other)))
    return found
