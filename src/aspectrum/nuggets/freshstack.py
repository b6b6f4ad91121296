"""FreshStack: a row per query, whose nuggets name the documents that were judged to support them, and those that do not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.values import as_list, as_object, digest, document_ids, id_text, needed, text_or_none

_SUPPORTING, _OTHER = "relevant_corpus_ids", "non_relevant_corpus_ids"


def read_freshstack(found: Collected, rows: Iterable[tuple[Place, Any]]) -> None:
    """Rows, or objects ``{query: {"nuggets": [...]}}``."""
    found.positive_only = False
    for place, row in rows:
        as_object(place, row)
        if "nuggets" in row and "query_id" in row:
            _read_query(found, place, id_text(place.at("query_id"), row["query_id"], "query"), row)
        elif row and all(isinstance(one, dict) and "nuggets" in one for one in row.values()):
            for query, one in row.items():
                _read_query(found, place.at(query), query, one)
        else:
            needed(place, row, "query_id")
            needed(place, row, "nuggets")


def _read_query(found: Collected, place: Place, query: str, row: dict[str, Any]) -> None:
    found.query(query, place)
    nuggets = as_list(place.at("nuggets"), row["nuggets"], "nuggets")
    found.ignored["queries_without_nuggets"] += not nuggets
    for number, one in enumerate(nuggets):
        at = place.at("nuggets", number)
        as_object(at, one, "a nugget")
        text = text_or_none(one.get("text"))
        key = next((key for key in ("_id", "nugget_id") if one.get(key) is not None), None)
        if key is None and text is None:
            needed(at, {name: value for name, value in one.items() if value is not None}, "_id", "nugget_id", "text")
        id = digest(text or "") if key is None else id_text(at.at(key), one[key], "nugget")
        supporting = document_ids(at.at(_SUPPORTING), needed(at, one, _SUPPORTING))
        others = document_ids(at.at(_OTHER), one.get(_OTHER))
        supporting, others = settled(found, at, supporting, others)
        found.nugget(id, text, [[(1.0, supporting), (0.0, others)]], at)


def settled(found: Collected, place: Place | None, supporting: list[str], others: list[str]) -> tuple[list[str], list[str]]:
    """Documents of two lists, of which those in both go where the user says."""
    twice = set(supporting).intersection(others)
    if not twice:
        return supporting, others
    found.ignored["in_both_lists"] += len(twice)
    if found.choices.both_lists is None and found.in_doubt is None:
        which = next(one for one in supporting if one in twice)
        found.in_doubt = InputError(
            f"{found.source if place is None else place}: document {json_text(which)} is both in {_SUPPORTING} and in {_OTHER}; choose ",
            Option("both_lists", "unsupported"),
            " (as the freshstack package does) or ",
            Option("both_lists", "supported"),
        )
    if found.choices.both_lists == "supported":
        return supporting, [one for one in others if one not in twice]
    return [one for one in supporting if one not in twice], others
