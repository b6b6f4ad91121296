"""NeuCLIR: a file per topic, named after it, with questions and the documents of their answers."""

from __future__ import annotations

import os
import re
from typing import Any

from aspectrum.io.json_values import Place
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.values import as_object, digest, document_ids, id_text, needed

_NAMED = re.compile(r"nuggets?[_-](.+?)\.json(?:\.gz|\.zst)?$", re.IGNORECASE)


def is_collaborator(value: Any) -> bool:
    """Whether every value is ["OR" or "AND", {answer: documents}]."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and isinstance(one[1], dict) for one in value.values())
    )


def topic_of(path: str | None) -> str | None:
    """The topic that the name of a file tells, as nuggets_300.json does."""
    found = None if path is None else _NAMED.match(os.path.basename(path))
    return found and found[1]


def read_collaborator(found: Collected, place: Place, topic: str, value: Any) -> None:
    """Questions with their aggregator and the documents of all answers."""
    found.query(topic, place)
    found.ignored["queries_without_nuggets"] += not value
    for question, one in as_object(place, value).items():
        at = place.at(question)
        if not isinstance(one, list) or len(one) != 2 or not isinstance(one[1], dict):
            raise at.error('expected ["OR" or "AND", {answer: [document ids]}]', one)
        if one[0] not in ("OR", "AND"):
            raise at.at(0).error('expected "OR" or "AND"', one[0])
        answers = [[(1.0, document_ids(at.at(1, answer), documents))] for answer, documents in one[1].items()]
        found.nugget(digest(question), question, answers, at, join="and" if one[0] == "AND" else "or")


def read_annotations(found: Collected, place: Place, topic: str, value: Any) -> None:
    """What the annotation tool writes: all answers are joined by OR."""
    found.query(topic, place)
    nuggets = as_object(place.at("nugget_dict"), needed(place, as_object(place, value), "nugget_dict"))
    found.ignored["queries_without_nuggets"] += not nuggets
    for question, answers in nuggets.items():
        at = place.at("nugget_dict", question)
        several = [[(1.0, document_ids(at.at(answer), documents))] for answer, documents in as_object(at, answers).items()]
        found.nugget(digest(question), question, several, at)


def topic_in(place: Place, value: dict[str, Any]) -> str | None:
    """The topic that an object names itself."""
    for key in ("query_id", "topic_id", "qid"):
        if value.get(key) is not None:
            return id_text(place.at(key), value[key], "query")
    return None
