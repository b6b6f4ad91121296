"""Assignments of nuggetizer: a line per query and document, with what the document supports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.choices import is_known
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.values import as_list, as_object, as_text, digest, id_text, needed
from aspectrum.wording import listed

_RANKS = {"failed": -1, "not_support": 0, "partial_support": 1, "support": 2}
_VITAL = "vital"


def read_assignments(found: Collected, rows: Iterable[tuple[Place, Any]]) -> None:
    """Lines of a query need not stand together."""
    found.positive_only = False
    topics: dict[str, tuple[Place, dict[str, dict[str, str]], dict[str, Any]]] = {}
    for place, row in rows:
        as_object(place, row)
        query = id_text(place.at("qid"), needed(place, row, "qid"), "query")
        document = id_text(place.at("docid"), needed(place, row, "docid"), "document")
        _, judged, importances = topics.setdefault(query, (place, {}, {}))
        assigned = _assigned(found, place, row, importances)
        if judged.setdefault(document, assigned) != assigned:
            raise place.error(f"document {json_text(document)} of query {json_text(query)} is judged twice, differently; expected one line")
    for query, (place, judged, importances) in topics.items():
        _write(found, query, place, judged, importances)


def _assigned(found: Collected, place: Place, row: dict[str, Any], importances: dict[str, Any]) -> dict[str, str]:
    """What a document supports, by the text of nuggets; of a text that comes twice, what is better."""
    assigned: dict[str, str] = {}
    for number, one in enumerate(as_list(place.at("nuggets"), needed(place, row, "nuggets"), "nuggets")):
        at = place.at("nuggets", number)
        as_object(at, one)
        text = as_text(at.at("text"), needed(at, one, "text"), "the nugget")
        assignment = needed(at, one, "assignment")
        if not isinstance(assignment, str) or assignment not in _RANKS:
            raise at.at("assignment").error(f"expected {listed(reversed(_RANKS))}", assignment)
        importances[text] = _importance(at.at("importance"), importances.get(text), one.get("importance"))
        found.ignored["repeated_texts"] += text in assigned
        assigned[text] = max(assignment, assigned.get(text, assignment), key=_RANKS.__getitem__)
    return assigned


def _importance(place: Place, known: Any, given: Any) -> Any:
    """The importance of a text that came with another one before: a number is the same everywhere, and vital once is vital."""
    if given is None or known is None:
        return known if given is None else given
    if given != known and any(isinstance(one, int | float) and not isinstance(one, bool) for one in (known, given)):
        raise place.error(f"expected {json_text(known)}, as where the nugget came before", given)
    return _VITAL if _VITAL in (known, given) else known


def _write(found: Collected, query: str, place: Place, judged: dict[str, dict[str, str]], importances: dict[str, Any]) -> None:
    choices = found.choices
    strengths = {"support": 1.0, "partial_support": float(choices.partial_support), "not_support": 0.0}
    found.query(query, place)
    found.ignored["queries_without_nuggets"] += not importances
    supported: dict[str, dict[float, list[str]]] = {text: {} for text in importances}
    for document, assigned in judged.items():
        known = {text: strengths[assignment] for text, assignment in assigned.items() if assignment != "failed"}
        found.ignored["failed_assignments"] += len(assigned) - len(known)
        for text, strength in known.items():
            supported[text].setdefault(strength, []).append(document)
        if not assigned:
            found.judged([document], place)
    for text, importance in importances.items():
        found.ignored["unknown_importance"] += importance != "failed" and not is_known(importance)
        weight = choices.weight(importance, place.at("nuggets"))
        found.nugget(digest(text), text, [list(supported[text].items())], place, weight)
