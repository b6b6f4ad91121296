"""The formats of nugget files: how they are told apart, and who reads them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aspectrum.errors import InputError
from aspectrum.io.json_values import Place, json_text
from aspectrum.io.text import GIVEN_AS_LISTS
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.crux import read_ratings
from aspectrum.nuggets.freshstack import read_freshstack
from aspectrum.nuggets.neuclir import is_collaborator
from aspectrum.nuggets.nuggetbank import read_legacy, read_nuggetbank
from aspectrum.nuggets.nuggetizer import read_assignments
from aspectrum.nuggets.values import described_keys

Rows = Iterable[tuple[Place, Any]]


@dataclass(frozen=True)
class Format:
    """A format of nugget files.

    Args:
        title: What it is called.
        sign: By what it is recognised.
        read: What reads its rows; None where a file is not made of rows.
        options: The choices that it leaves.
    """

    title: str
    sign: str
    read: Callable[[Collected, Rows], None] | None = None
    options: tuple[str, ...] = ()


_OF_BANKS = ("importance", "sub_nuggets")
FORMATS: Mapping[str, Format] = {
    "freshstack": Format("FreshStack rows", "'nuggets' with 'relevant_corpus_ids'", read_freshstack, ("both_lists",)),
    "brightpro": Format("BRIGHT-Pro", "a folder with examples/ and aspects/", options=("task",)),
    "nuggetbank": Format("a NuggetBank", "'nugget_bank' or 'claim_bank'", read_nuggetbank, _OF_BANKS),
    "nuggetbank_v1": Format("a NuggetBank of version 1", "'question_text' with 'gold_answers'", read_legacy, _OF_BANKS),
    "ragtime": Format("a RAGTIME 2026 nugget bank", "'nugget_bank' that is a list", read_nuggetbank, _OF_BANKS),
    "nuggetizer": Format(
        "nuggetizer assignments", "'nuggets' with 'assignment', and 'docid'", read_assignments, ("importance", "partial_support")
    ),
    "neuclir": Format("NeuCLIR nuggets", 'files nuggets_TOPIC.json with {question: ["OR" or "AND", {answer: documents}]}'),
    "annotations": Format("nuggets of the NeuCLIR annotation tool", "'nugget_dict'"),
    "crux": Format("CRUX ratings", "'docids' with 'ratings', or 'docid' with 'rating'", read_ratings, ("ratings", "ratings_andor")),
}
"""Formats by name."""

_NOT_LISTS: Mapping[str, str] = {
    "created": "these are nuggets of nuggetizer without documents, which cannot judge lists; expected its assignments, a line per query and 'docid'",
    "answers": "these are nuggetizer assignments of answers (without 'docid'), not of documents, so they cannot judge lists",
    "report": "these are reports with citations, which hold no nuggets; expected a nugget bank",
    "rubrics": "rubrics score answers, not ranked lists; their weights may be 0 or negative, aspect weights must be positive",
    "trace": "this is an agent trace, which has the lists of an agent, and no nuggets",
    "aspects": "these are aspects of BRIGHT-Pro without its queries; expected its folder, with examples/ and aspects/",
    "examples": "these are queries of BRIGHT-Pro without its aspects; expected its folder, with examples/ and aspects/",
}


def format_of(place: Place, value: Any) -> str:
    """The name of the format that the first row or document of a file is in; for any other an error says what it is, or what was looked for."""
    found = _told(value) if isinstance(value, dict) else None
    if found in FORMATS:
        return found  # type: ignore[return-value]
    where = Place(place.source)
    if found == "run":
        raise InputError(f"{where}: is a run, which holds lists and no nuggets; ", GIVEN_AS_LISTS)
    if found is not None:
        raise where.error(_NOT_LISTS[found])
    signs = "; ".join(f"{one.sign} ({name})" for name, one in FORMATS.items())
    if not isinstance(value, dict):
        raise place.error(f"unrecognised nugget format: found {json_text(value)}, expected an object; looked for {signs}")
    raise place.error(f"unrecognised nugget format; top-level keys: {described_keys(value) or 'none'}; looked for {signs}")


def _told(row: dict[str, Any]) -> str | None:
    """What the keys of an object tell."""
    nuggets = row.get("nuggets")
    first = next((one for one in nuggets if isinstance(one, dict)), {}) if isinstance(nuggets, list) else {}
    has = row.keys().__contains__
    rules = (
        ("mteb_model_meta" in row or (has("query") and has("candidates")), "run"),
        ("rubrics" in row, "rubrics"),
        ("nugget_dict" in row, "annotations"),
        (isinstance(row.get("nugget_bank"), list), "ragtime"),
        ("nugget_bank" in row or "claim_bank" in row, "nuggetbank"),
        (has("question_text") and has("gold_answers"), "nuggetbank_v1"),
        (has("claim_text") and has("query_id"), "nuggetbank_v1"),
        ("relevant_corpus_ids" in first or "non_relevant_corpus_ids" in first or (has("nuggets") and has("query_id")), "freshstack"),
        (has("nuggets") and has("qid"), _of_nuggetizer(row, first)),
        (has("docids") and has("ratings"), "crux"),
        (isinstance(row.get("rating"), list) and (has("docid") or has("pid")), "crux"),
        (has("query_id") and has("result"), "trace"),
        (has("metadata") and (has("responses") or has("answer")), "report"),
        (has("supporting_docs") and has("weight"), "aspects"),
        (has("gold_ids") and has("query"), "examples"),
        (is_collaborator(row), "neuclir"),
        (bool(row) and all(isinstance(one, dict) and "nuggets" in one for one in row.values()), "freshstack"),
        (_is_run(row), "run"),
    )
    return next((name for holds, name in rules if holds), None)


def _of_nuggetizer(row: dict[str, Any], first: dict[str, Any]) -> str:
    if "docid" in row:
        return "nuggetizer"
    return "answers" if "assignment" in first or "answer_text" in row or "run_id" in row else "created"


def _is_run(row: dict[str, Any]) -> bool:
    """Whether these are lists by query: of documents, or with their scores."""
    lists = list(row.values())
    if not lists:
        return False
    if all(isinstance(one, dict) for one in lists):
        return all(_is_number(score) for one in lists for score in one.values())
    return all(isinstance(one, list) and all(type(document) in (str, int) for document in one) for one in lists)


def _is_number(score: Any) -> bool:
    """Whether this is a score, be it written as text."""
    if isinstance(score, str):
        with suppress(ValueError):
            return math.isfinite(float(score))
    return isinstance(score, int | float) and not isinstance(score, bool)
