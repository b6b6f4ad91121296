"""What every way of judging answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Masks, Offsets
from aspectrum.errors import InputError, MetricError
from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.pools import OwnPools, PoolName
from aspectrum.world import World
from aspectrum.world.aspects import AspectSets, ListedAspects
from aspectrum.world.relevance import exponential

JudgedBy = Literal["subtopics", "history", "relevance", "membership"]


@dataclass(frozen=True)
class Grading:
    """How the grade of a judgment becomes its strength.

    Args:
        gain: ``linear`` is the grade, ``exponential`` is 2^grade - 1.
        max_grade: The grade of strength 1. None: each intent's largest grade, which does not quite reach it: g / (g_max + 1), or
            (2^g - 1) / 2^g_max.
    """

    gain: Literal["linear", "exponential"]
    max_grade: float | None = None

    def strengths(self, grades: Floats, largest: Floats | float) -> Floats:
        """Of grades, given the largest there are."""
        more = 1.0 if self.max_grade is None else 0.0
        if self.gain == "linear":
            return grades / (largest + more)
        powers = exponential(grades)
        return powers / (exponential(np.atleast_1d(np.asarray(largest))) + more)


@dataclass(frozen=True, eq=False)
class Judging(ABC):
    """A way of judging the items of a world; a subclass says which aspects of an item count for a user."""

    world: World

    name: ClassVar[JudgedBy]
    inputs: ClassVar[tuple[str, ...]]
    """The inputs it needs."""
    default_pool: ClassVar[PoolName] = "catalogue"
    """What an ideal list chooses from by default."""
    only_judged_gain: ClassVar[bool] = False
    """Whether only judged items can gain, so that the judged pool holds every item that can."""

    @abstractmethod
    def cover(self) -> Coverage:
        """The coverage of the world's lists."""

    def cover_graded(self, grading: Grading) -> Coverage:
        """The same with the strengths that grades give to judgments."""
        raise InputError(f"grades need graded judgments: judged_by='subtopics' or 'relevance', not {self.name!r}")

    @abstractmethod
    def attainable_aspects(self) -> WantedAspects:
        """The aspects each user could be shown."""

    def world_codes(self, wanted: WantedAspects) -> Codes:
        """The world's codes of wanted aspects."""
        return wanted.codes

    def satisfiable(self, wanted: WantedAspects) -> WantedAspects:
        """The same aspects, with weight 0 where no item can count for the user."""
        return wanted

    def questions(self) -> Codes | None:
        """For each attainable aspect of a user, the first of those that answer the same question; None if each is one of its own."""
        return None

    def unserved(self) -> ListedAspects | None:
        """The aspects that each user lists though no item has them; None where it is not known which are listed.

        Subtopics may say which are; else those are listed that have a weight.
        """
        return None

    def with_full_places(self, coverage: Coverage) -> Coverage:
        """The same where unjudged places hold every aspect that is listed for the user, with strength 1."""
        raise self._nothing_listed()

    def most_aspects(self) -> Offsets:
        """How many aspects the judged item of each user with the most has."""
        raise self._nothing_listed()

    def _nothing_listed(self) -> MetricError:
        return MetricError(f"unjudged='full' needs lists of what there is to find: judged_by='subtopics', not {self.name!r}")

    def judged_pool(self, coverage: Coverage) -> OwnPools:
        """The judged items of each user."""
        relevance = self.world.need_relevance("pool 'judged'")
        return OwnPools(relevance.offsets, relevance.items)

    def judged_places(self, coverage: Coverage) -> Flags:
        """Places of the lists whose item is judged: where nothing else is, whose aspects are known."""
        known, items = self.world.need_aspects("unjudged items").known, self.world.known_items
        return items >= 0 if known is None else np.append(known, False)[items]

    @property
    def _needs(self) -> str:
        """Who needs an input, for messages."""
        return f"judged_by={self.name!r}"

    @property
    def _sets(self) -> AspectSets:
        return self.world.need_aspects(self._needs).sets

    def _aspects_of(self, offsets: Offsets, items: Codes) -> WantedAspects:
        """The aspects of each user's items; -1 is no item."""
        sets = self._sets
        return WantedAspects(*kernels.aspect_counts(offsets, items, sets.offsets, sets.codes, sets.n_aspects)[:2])

    def _counted_aspects_of(self, offsets: Offsets, items: Codes) -> tuple[Floats, Masks | None, WantedAspects | None]:
        """How many aspects each user's items have, and which: as bit masks, or as codes where these do not fit."""
        if self._sets.masks is not None:
            masks = kernels.union_masks(offsets, items, self._sets.masks)
            return np.bitwise_count(masks).astype(np.float64), masks, None
        wanted = self._aspects_of(offsets, items)
        return np.diff(wanted.offsets).astype(np.float64), None, wanted


def graded_strengths(strengths: Floats | None, grades: Floats, grading: Grading, intents: Callable[[], Offsets]) -> Floats:
    """The strengths of judgments, given their grades; `intents` numbers the (user, aspect) of each."""
    largest: Floats | float
    if grading.max_grade is None:
        numbers = intents()
        own = np.zeros(int(numbers.max(initial=-1)) + 1)
        np.maximum.at(own, numbers, grades)
        largest = own[numbers]
    else:
        largest = grading.max_grade
        if len(grades) and grades.max() > largest:
            raise InputError(f"grade {grades.max():g} exceeds max_grade {largest:g}")
    graded = grading.strengths(grades, largest)
    return graded if strengths is None else graded * strengths
