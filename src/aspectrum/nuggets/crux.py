"""CRUX: ratings from 0 to 5 of how well documents answer the questions of a topic, which are numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aspectrum.arrays import is_finite
from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.values import as_list, as_object, document_ids, id_text, needed

_BEST = 5


def read_ratings(found: Collected, rows: Iterable[tuple[Place, Any]]) -> None:
    """A row per topic, with ``docids`` and ``ratings``, or per topic and document, with ``rating``."""
    found.positive_only = False
    topics: dict[str, tuple[Place, dict[str, list[float]]]] = {}
    whole: set[str] = set()  # topics that have all of their documents in a row
    for place, row in rows:
        as_object(place, row)
        topic = id_text(place, needed(place, row, "id", "example_id"), "query")
        if topic in topics and ("ratings" in row or topic in whole):
            raise place.error(f"query {json_text(topic)} stands twice (first in {topics[topic][0]}), expected once")
        if "ratings" in row:
            whole.add(topic)
        _, rated = topics.setdefault(topic, (place, {}))
        for at, document, ratings in _rated(found, place, row):
            if rated and len(ratings) != len(next(iter(rated.values()))):
                raise at.error(f"found {len(ratings)} ratings, expected {len(next(iter(rated.values())))} as for the documents before")
            if rated.setdefault(document, ratings) != ratings:
                raise at.error(f"document {json_text(document)} is rated twice, differently; expected once")
    for topic, (place, rated) in topics.items():
        _write(found, topic, place, rated)


def _rated(found: Collected, place: Place, row: dict[str, Any]) -> Iterable[tuple[Place, str, list[float]]]:
    stricter = row.get("ratings_andor") if found.choices.ratings_andor else None
    if "ratings" not in row:
        document = id_text(place, needed(place, row, "docid", "pid"), "document")
        yield place, document, _ratings(place.at("rating"), needed(place, row, "rating"))
        return
    documents = document_ids(place.at("docids"), needed(place, row, "docids"))
    several = as_list(place.at("ratings"), row["ratings"], "ratings per document")
    if len(several) != len(documents):
        raise place.at("ratings").error(f"found ratings of {len(several)} documents, expected {len(documents)} as in docids")
    if found.choices.ratings_andor and stricter is None:
        raise place.error("there is no 'ratings_andor', which was asked for")
    others = several if stricter is None else as_list(place.at("ratings_andor"), stricter, "ratings per document")
    if len(others) != len(documents):
        raise place.at("ratings_andor").error(f"found ratings of {len(others)} documents, expected {len(documents)} as in docids")
    for number, (document, one, other) in enumerate(zip(documents, several, others, strict=True)):
        at = place.at("ratings", number)
        ratings = _ratings(at, one)
        if stricter is not None:
            second = _ratings(place.at("ratings_andor", number), other)
            if len(second) != len(ratings):
                raise place.at("ratings_andor", number).error(f"found {len(second)} ratings, expected {len(ratings)} as in ratings")
            ratings = list(map(min, ratings, second))
        yield at, document, ratings


def _ratings(place: Place, value: Any) -> list[float]:
    found = as_list(place, value, "ratings")
    for number, one in enumerate(found):
        if isinstance(one, bool) or not is_finite(one) or not 0 <= one <= _BEST:
            raise place.at(number).error(f"expected a rating from 0 to {_BEST}", one)
    return [float(one) for one in found]


def _write(found: Collected, topic: str, place: Place, rated: dict[str, list[float]]) -> None:
    wanted = found.choices.ratings
    found.query(topic, place)
    n = len(next(iter(rated.values()), []))
    found.ignored["queries_without_nuggets"] += n == 0
    if not n:
        found.judged(list(rated), place)
    for number in range(n):
        by_strength: dict[float, list[str]] = {}
        for document, ratings in rated.items():
            rating = ratings[number]
            strength = rating / _BEST if isinstance(wanted, str) else float(rating >= wanted)
            by_strength.setdefault(strength, []).append(document)
        found.nugget(str(number), None, [list(by_strength.items())], place)
