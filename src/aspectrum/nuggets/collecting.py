"""Nuggets as they are read, one after the other, and the rows that become of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.errors import InputError
from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.choices import Choices

if TYPE_CHECKING:
    import polars

Join = Literal["or", "and", "sum"]
"""How the answers of a nugget go together: any of them is the nugget; all of them are; each is its share of it."""

Answer = Sequence[tuple[float, Sequence[str]]]
"""Documents by how much they support an answer; 0 is judged and nothing."""


@dataclass
class Collected:
    """What a reader has found. It is told of a query, then of its nuggets, in the order of the file.

    A nugget whose answers all count is an aspect per answer, any other one is an aspect. Judgments are blocks of documents with the same
    strength for the same aspect, or for none.

    Args:
        source: What errors call the file.
        choices: What the user chose.
        positive_only: Whether only documents that support something are named.
    """

    source: str
    choices: Choices = field(default_factory=Choices)
    positive_only: bool = True
    ignored: Counter[str] = field(default_factory=Counter)  # by kind of notice
    texts: dict[str, dict[str, str | None]] = field(default_factory=dict)  # of the nuggets that are listed, by query
    in_doubt: InputError | None = None  # documents in both lists of a nugget, of which the user has not said what they mean
    unread: Sequence[str] = ()  # what else the folder holds
    n_all_of: int = 0  # nuggets of which all answers have to be shown

    _begun: dict[str, Place | None] = field(default_factory=dict)  # queries, by where they are
    _names: set[str] = field(default_factory=set)  # of the aspects of the query

    _aspects: list[str] = field(default_factory=list)
    _queries: list[int] = field(default_factory=list)  # of aspects
    _nuggets: list[int] = field(default_factory=list)
    _questions: list[int] = field(default_factory=list)  # what is covered once all of its aspects are
    _weights: list[float] = field(default_factory=list)
    _places: list[Place | None] = field(default_factory=list)

    _documents: list[Sequence[str]] = field(default_factory=list)  # of blocks
    _owners: list[int] = field(default_factory=list)
    _judged_for: list[int] = field(default_factory=list)  # their aspect; -1 for none
    _strengths: list[float] = field(default_factory=list)
    _block_places: list[Place | None] = field(default_factory=list)
    _relevant: list[int] = field(default_factory=list)  # blocks of documents that are relevant, though it is not known to what
    _not_relevant: list[tuple[int, str]] = field(default_factory=list)  # documents of queries that are not, whatever they support

    def query(self, id: str, place: Place | None = None) -> None:
        """The query that nuggets belong to from here on; each comes once."""
        if id in self._begun:
            before = self._begun[id]
            first = "" if before is None or before == place else f" (first in {before})"
            raise self._error(place, f"duplicate query {json_text(id)}{first}")
        self._begun[id] = place
        self.texts[id], self._names = {}, set()

    def nugget(
        self, id: str, text: str | None, answers: Sequence[Answer], place: Place | None, weight: float | None = 1.0, join: Join = "or"
    ) -> None:
        """A nugget of the query. One without a weight is not wanted: its documents are judged, that is all."""
        listed = next(reversed(self.texts.values()))
        if id in listed:
            raise self._error(place, f"duplicate nugget {json_text(id)} in its query")
        if weight is None:
            self.ignored["unwanted_nuggets"] += 1
            for documents in (documents for answer in answers for _, documents in answer):
                self.judged(documents, place)
            return
        listed[id] = text
        given = [answer for answer in answers if any(strength > 0 and documents for strength, documents in answer)]
        several = given if join != "or" and len(given) > 1 else [_together(answers)]
        self.n_all_of += join == "and" and len(several) > 1
        nugget = self._nuggets[-1] + 1 if self._nuggets else 0
        for number, answer in enumerate(several, 1):
            for strength, documents in answer:
                self._judge(documents, len(self._aspects), strength, place)
            self._aspects.append(self._unique(id if len(several) == 1 else f"{id}/{number}"))
            self._queries.append(len(self._begun) - 1)
            self._nuggets.append(nugget)
            self._questions.append(len(self._questions) if join == "sum" or number == 1 else self._questions[-1])
            self._weights.append(weight / len(several))
            self._places.append(place)

    def judged(self, documents: Sequence[str], place: Place | None = None, *, relevant: bool = False) -> None:
        """Documents of the query that support no nugget that is wanted; they may be relevant all the same."""
        if relevant and documents:
            self._relevant.append(len(self._documents))
        self._judge(documents, -1, 0.0, place)

    def not_relevant(self, documents: Sequence[str]) -> None:
        """Documents that are not relevant to the query, whatever they support."""
        self._not_relevant += [(len(self._begun) - 1, document) for document in documents]

    def _judge(self, documents: Sequence[str], aspect: int, strength: float, place: Place | None) -> None:
        if not documents:
            return
        distinct = dict.fromkeys(documents)
        self._documents.append(documents if len(distinct) == len(documents) else [*distinct])
        self._owners.append(len(self._begun) - 1)
        self._judged_for.append(aspect)
        self._strengths.append(strength)
        self._block_places.append(place)

    def _unique(self, name: str) -> str:
        """The name of an aspect, which no other one of the query has."""
        while name in self._names:
            name += "'"
        self._names.add(name)
        return name

    def _error(self, place: Place | None, what: str) -> InputError:
        return InputError(f"{self.source}: {what}") if place is None else place.error(what)

    @property
    def n_judgments(self) -> int:
        return sum(map(len, self._documents))

    @property
    def n_listed(self) -> int:
        return sum(map(len, self.texts.values()))

    @cached_property
    def n_attainable(self) -> int:
        """How many nuggets some document supports."""
        nuggets = np.array(self._nuggets, np.int64)
        aspects = {aspect for aspect, strength, _ in self._blocks if aspect >= 0 and strength > 0}
        return len(np.unique(nuggets[list(aspects)]))

    @property
    def _blocks(self) -> Iterable[tuple[int, float, Sequence[str]]]:
        return zip(self._judged_for, self._strengths, self._documents, strict=True)

    @cached_property
    def _rows(self) -> dict[str, npt.NDArray[Any]]:
        """Judgments: block and its document, with aspects that no document is judged for after them."""
        flat = list(chain.from_iterable(self._documents))
        blocks = np.repeat(np.arange(len(self._documents)), np.fromiter(map(len, self._documents), np.int64, len(self._documents)))
        lonely = np.setdiff1d(np.arange(len(self._aspects)), self._judged_for)
        owners, aspects = np.array(self._owners, np.int32)[blocks], np.array(self._judged_for, np.int32)[blocks]
        return {
            "query": np.append(owners, np.array(self._queries, np.int32)[lonely]),
            "aspect": np.append(aspects, lonely.astype(np.int32)),
            "document": np.append(self._document_codes(flat), np.full(len(lonely), -1, np.int32)),
            "strength": np.append(np.array(self._strengths, np.float64)[blocks], np.ones(len(lonely))),
            "block": np.append(blocks, -1 - lonely),
        }

    def _document_codes(self, flat: list[str]) -> Codes:
        """Which of all documents, in order of first appearance, these are."""
        names = dict.fromkeys(flat)
        self._document_names = list(names)
        places = dict(zip(names, range(len(names)), strict=True))
        return np.fromiter(map(places.__getitem__, flat), np.int32, len(flat))

    @property
    def weight_range(self) -> tuple[float, float]:
        """The least and the greatest weight of a nugget."""
        weights = np.bincount(np.array(self._nuggets, np.int64), self._weights)
        return (float(weights.min()), float(weights.max())) if len(weights) else (1.0, 1.0)

    def subtopics(self, **about: Any) -> Rows:
        """Rows user, item, aspect[, nugget] and strength."""
        rows = self._rows
        ids = {
            "user": self._users(rows["query"]),
            "item": IdColumn(rows["document"], self._series("document", self._document_names), "text"),
            "aspect": self._aspect_column(rows["aspect"]),
        }
        questions = np.array(self._questions, np.int32)
        if (questions != np.arange(len(questions))).any():
            ids["nugget"] = IdColumn(np.append(questions, np.int32(-1))[rows["aspect"]], range(len(questions)))
        places = [*self._block_places, *self._places[::-1]]  # aspects without documents are counted from the end
        place = partial(_place_of, places, rows["block"], self.source)
        return Rows(self.source, ids, {"strength": rows["strength"]}, place, lists_aspects=True, **about)

    def weights(self) -> Rows | None:
        """Rows user, aspect, weight, unless all weigh the same."""
        weights = np.array(self._weights, np.float64)
        if (weights == 1).all():
            return None
        every = np.arange(len(weights), dtype=np.int32)
        ids = {"user": self._users(np.array(self._queries, np.int32)), "aspect": self._aspect_column(every)}
        return Rows(self.source, ids, {"weight": weights})

    def relevance(self) -> Rows:
        """Rows user, item, grade: how many nuggets a document supports, or 1 if it is relevant to none that is known.

        Documents that are said not to be relevant have 0.
        """
        rows = self._rows
        judged = rows["document"] >= 0
        pairs = rows["query"][judged].astype(np.int64) << 32 | rows["document"][judged]
        of_pair, inverse = np.unique(pairs, return_inverse=True)
        aspects = rows["aspect"][judged]
        positive = np.flatnonzero((aspects >= 0) & (rows["strength"][judged] > 0))
        nuggets = np.array(self._nuggets, np.int64)[aspects[positive]]
        once = np.unique(nuggets << 32 | inverse[positive]) & (2**32 - 1)
        grades = np.bincount(once, minlength=len(of_pair)).astype(np.float64)
        gold = inverse[np.isin(rows["block"][judged], self._relevant)]
        grades[gold] = np.maximum(grades[gold], 1)
        if self._not_relevant:
            places = dict(zip(self._document_names, range(len(self._document_names)), strict=True))
            others = [query << 32 | places[document] for query, document in self._not_relevant]
            grades[np.isin(of_pair, others)] = 0
        users, items = (of_pair >> 32).astype(np.int32), (of_pair & (2**32 - 1)).astype(np.int32)
        documents = IdColumn(items, self._series("document", self._document_names), "text")
        return Rows(self.source, {"user": self._users(users), "item": documents}, {"grade": grades})

    def _users(self, queries: Codes) -> IdColumn:
        """Queries that have nuggets or judgments; no other is known here."""
        used = np.unique(self._rows["query"])
        places = np.full(len(self._begun) + 1, -1, np.int32)
        places[used] = np.arange(len(used), dtype=np.int32)
        names = list(self._begun)
        return IdColumn(places[queries], self._series("query", [names[place] for place in used.tolist()]), "text")

    def _aspect_column(self, aspects: Codes) -> IdColumn:
        """Aspects of several queries may have the same name."""
        names = dict.fromkeys(self._aspects)
        places = dict(zip(names, range(len(names)), strict=True))
        codes = np.fromiter(map(places.__getitem__, self._aspects), np.int32, len(self._aspects))
        return IdColumn(np.append(codes, np.int32(-1))[aspects], self._series("nugget", list(names)))

    def _series(self, role: str, names: list[str]) -> polars.Series:
        import polars

        key = f"_series_of_{role}"
        found = self.__dict__.get(key)
        if found is None:
            try:
                "".join(names).encode()
            except UnicodeEncodeError:
                odd = next(name for name in names if not _is_sound(name))
                raise InputError(f"{self.source}: the {role} id {json_text(odd)} holds an unpaired surrogate, expected text") from None
            found = self.__dict__[key] = polars.Series(names, dtype=polars.String)
        return found

    @property
    def n_zeros(self) -> int:
        """Judgments that say that a document supports nothing."""
        return sum(len(documents) for _, strength, documents in self._blocks if strength == 0)


def _together(answers: Sequence[Answer]) -> Answer:
    """Answers any of which will do, as one; a document that several of them name is named once."""
    if len(answers) == 1:
        return answers[0]
    found: dict[float, dict[str, None]] = {}
    for strength, documents in chain.from_iterable(answers):
        found.setdefault(strength, {}).update(dict.fromkeys(documents))
    return [(strength, list(documents)) for strength, documents in found.items()]


def _place_of(places: Sequence[Place | None], blocks: npt.NDArray[Any], source: str, row: int) -> str:
    place = places[int(blocks[row])]
    return "its nuggets" if place is None else str(place).removeprefix(f"{source}, ")


def _is_sound(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
