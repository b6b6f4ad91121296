"""NuggetBank: topics with questions, their answers, and the documents that give these; also RAGTIME 2026, and the older version 1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aspectrum.errors import InputError
from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.choices import is_known
from aspectrum.nuggets.collecting import Collected, Join
from aspectrum.nuggets.values import as_list, as_object, as_text, digest, id_text, needed

_JOINS: dict[str, Join] = {"OR": "or", "DEFAULT": "or", "AND": "and", "SUM": "sum"}


@dataclass
class Question:
    """A question or a claim, with documents by answer; those that are named for the question itself are under no answer."""

    id: str
    text: str
    place: Place
    join: Join
    importance: Any
    answers: dict[str, list[str]] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)

    @property
    def blocks(self) -> list[list[tuple[float, list[str]]]]:
        """Documents by answer. What is named for the question says nothing about one of several answers that all count."""
        several = list(self.answers.values())
        if self.join == "or" or not any(several):
            several = [*several, self.own]
        return [[(1.0, list(dict.fromkeys(documents)))] for documents in several]


def read_nuggetbank(found: Collected, rows: Iterable[tuple[Place, Any]]) -> None:
    """A topic per row, with a nugget bank, a claim bank, or both."""
    for place, row in rows:
        as_object(place, row)
        if "nugget_bank" not in row and "claim_bank" not in row:
            needed(place, row, "nugget_bank")
        query = _topic(place, row)
        found.query(query, place)
        questions: dict[str, Question] = {}
        for key in ("nugget_bank", "claim_bank"):
            for at, one in _entries(place.at(key), row.get(key), "nuggets", ("question", "claim")):
                _add(found, questions, at, one, is_claim=key == "claim_bank")
        _write(found, questions.values())


def read_legacy(found: Collected, rows: Iterable[tuple[Place, Any]]) -> None:
    """A question or a claim per row; those of a query need not stand together."""
    topics: dict[str, tuple[Place, dict[str, Question]]] = {}
    for place, row in rows:
        as_object(place, row)
        query = id_text(place.at("query_id"), needed(place, row, "query_id"), "query")
        _, questions = topics.setdefault(query, (place, {}))
        is_claim = "claim_text" in row and "question_text" not in row
        info = row.get("info")
        aggregator = info.get("aggregator_type") if isinstance(info, dict) else None
        kind = "claim" if is_claim else "question"
        text, id = needed(place, row, f"{kind}_text"), row.get(f"{kind}_id")
        answers = [
            {"answer": as_object(place.at("gold_answers", number), one).get("answer"), "references": one.get("citations")}
            for number, one in enumerate(as_list(place.at("gold_answers"), row.get("gold_answers"), "answers"))
        ]
        one = {
            kind: text,
            f"{kind}_id": id,
            "aggregator_type": aggregator,
            "answers": answers,
            **{key: row[key] for key in ("references", "importance") if key in row},
        }
        _add(found, questions, place, one, is_claim=is_claim)
    for query, (place, questions) in topics.items():
        found.query(query, place)
        _write(found, questions.values())


def _topic(place: Place, row: dict[str, Any]) -> str:
    """The id of a topic, which may have none but its title."""
    if row.get("query_id") is not None:
        return id_text(place.at("query_id"), row["query_id"], "query")
    if isinstance(row.get("title_query"), str):
        return digest(row["title_query"])
    given = row.get("metadata")
    metadata: dict[str, Any] = given if isinstance(given, dict) else {}
    for key in ("topic_id", "query_id"):
        if metadata.get(key) is not None:
            return id_text(place.at("metadata", key), metadata[key], "query")
    raise place.error("there is no id of the topic; expected 'query_id', 'title_query' or 'metadata.topic_id'")


def _entries(place: Place, value: Any, what: str, names: tuple[str, ...]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Entries of an object by their text, or of a list."""
    if isinstance(value, dict):
        for text, one in value.items():
            at = place.at(text)
            entry = as_object(at, one)
            yield at, entry if any(name in entry for name in names) else {names[0]: text, **entry}
        return
    for number, one in enumerate(as_list(place, value, what)):
        yield place.at(number), as_object(place.at(number), one)


def _add(found: Collected, questions: dict[str, Question], at: Place, one: dict[str, Any], *, is_claim: bool) -> None:
    """A question; one of the same text adds its answers to it."""
    kind = "claim" if "claim" in one and (is_claim or "question" not in one) else "question"
    text = as_text(at.at(kind), needed(at, one, kind), f"the {kind}")
    id = one.get(f"{kind}_id")
    id = digest(text) if id is None else id_text(at.at(f"{kind}_id"), id, "nugget")
    new = Question(id, text, at, _join(at, one.get("aggregator_type")), one.get("importance"))
    question = questions.setdefault(text, new)
    if question is not new:
        _check_same(question, new)
        found.ignored["merged_nuggets"] += 1
    question.own += _references(found, at.at("references"), one.get("references"))
    for place, answer in _answers(at.at("answers"), one.get("answers")):
        name = answer.get("answer")
        name = as_text(place.at("answer"), name, "the answer") if name is not None else str(place)
        references = _references(found, place.at("references"), answer.get("references"))
        question.answers.setdefault(name, []).extend(references)
        found.ignored["graded_references"] += any(answer.get(key) is not None for key in ("importance", "quality"))
    subs = as_list(at.at("sub_nuggets"), one.get("sub_nuggets"), "nuggets")
    if not found.choices.sub_nuggets:
        found.ignored["sub_nuggets"] += len(subs)
        return
    for number, sub in enumerate(subs):
        place = at.at("sub_nuggets", number)
        _add(found, questions, place, as_object(place, sub), is_claim=False)


def _answers(place: Place, value: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield place.at(number), {"answer": one} if isinstance(one, str) else as_object(place.at(number), one)
        return
    yield from _entries(place, value, "answers", ("answer",))


def _references(found: Collected, place: Place, value: Any) -> list[str]:
    """Documents, each as its id or as an object that has it."""
    several = as_list(place, value, "references")
    documents = []
    for number, one in enumerate(several):
        at = place.at(number)
        if isinstance(one, dict):
            found.ignored["graded_references"] += any(one.get(key) is not None for key in ("importance", "quality"))
            documents.append(id_text(at.at("doc_id"), needed(at, one, "doc_id"), "document"))
        else:
            documents.append(id_text(at, one, "document"))
    return documents


def _join(place: Place, aggregator: Any) -> Join:
    """How answers go together; absent is OR."""
    if aggregator is None:
        return "or"
    join = _JOINS.get(aggregator.upper()) if isinstance(aggregator, str) else None
    if join is None:
        raise place.at("aggregator_type").error("expected OR, AND, SUM or Default", aggregator)
    return join


def _check_same(one: Question, other: Question) -> None:
    """Two nuggets with the same text are one, if they say nothing different."""
    for what in ("id", "join", "importance"):
        if getattr(one, what) != getattr(other, what):
            raise InputError(
                f"{other.place}: the nugget {json_text(one.text)} stands twice, with a different {what} (first in {one.place}); expected one "
                "nugget per text"
            )


def _write(found: Collected, questions: Collection[Question]) -> None:
    found.ignored["queries_without_nuggets"] += not questions
    for one in questions:
        weight = found.choices.weight(one.importance, one.place.at("importance"))
        found.ignored["unknown_importance"] += not is_known(one.importance)
        found.ignored["references_of_questions"] += len(one.own) if one.join != "or" and any(one.answers.values()) else 0
        found.nugget(one.id, one.text, one.blocks, one.place, weight, one.join)
