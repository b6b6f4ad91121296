"""Ranked lists in JSON: scores or documents by query, predictions of MTEB, results of castorini's tools, traces of agents."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from aspectrum.arrays import WHOLE_NUMBERS
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows, code_series
from aspectrum.diagnostics.notices import Either, Notice
from aspectrum.errors import InputError
from aspectrum.io.columns import is_spelling
from aspectrum.io.json_values import JsonText, Place, json_text
from aspectrum.io.source import Source
from aspectrum.io.traces import check_once, id_text, is_trace, trace_of
from aspectrum.wording import one_line

_MTEB = "mteb_model_meta"
_OF_NUGGETS = ("nuggets", "nugget_bank", "claim_bank", "nugget_dict", "gold_answers", "supporting_docs", "ratings", "rating")


class JsonList(NamedTuple):
    """The list of a query: its documents in order, what orders them, and where each is."""

    query: str
    documents: Sequence[str]
    scores: Sequence[float] | None
    at: Callable[[int], Place]
    n_failed: int = 0  # searches
    n_others: int = 0  # calls of tools that do not search


@dataclass(frozen=True)
class JsonRun:
    """Lists from a JSON file.

    Args:
        text: The file.
        kind: What it holds, a key of the readers below.
        part: Of predictions for several subsets and splits, the one to read: ``subset/split``.
    """

    text: JsonText
    kind: str
    part: str | None = None
    document: tuple[Place, Any] | None = field(default=None, repr=False)  # what it holds, unless it is JSON Lines

    def lists(self, seen: dict[str, Place] | None = None) -> Iterator[JsonList]:
        """The lists, one after the other; `seen` has the queries of other files."""
        if self.part is not None and self.kind != "predictions":
            raise InputError(f"{self.text.source}: is not MTEB predictions, so it has no part {self.part!r}")
        seen = {} if seen is None else seen
        for place, value in self.text if self.document is None else [self.document]:
            for found in _READERS[self.kind](self, place, value):
                check_once(seen, found.query, found.at(-1))
                yield found

    def all_scored(self) -> bool:
        """Whether every item has a score; else no list is read with scores."""
        return all(one.scores is not None and not any(map(math.isnan, one.scores)) for one in self.lists())

    def rows(self) -> Rows:
        """All lists."""
        return rows_of_lists(self.text.source, self.kind, list(self.lists()))


def run_kind(value: Any) -> str | None:
    """What lists a JSON value holds, told by its keys: the first value of a file is enough. None if it holds none."""
    if isinstance(value, list):
        return run_kind(value[0]) if value and isinstance(value[0], Mapping) and run_kind(value[0]) in ("candidates", "traces") else None
    if not isinstance(value, Mapping):
        return None
    candidates = value.get("candidates")
    if "query" in value and isinstance(candidates, list) and all(isinstance(one, Mapping) for one in candidates[:1]):
        return "candidates"
    if is_trace(value):
        return "traces"
    if _MTEB in value:
        return "predictions"
    lists = [one for one in value.values() if one is not None]  # that a query has null is said when it is read
    if not lists or not all(isinstance(one, Mapping | list) for one in lists) or _is_table(value) or other_kind(value):
        return None
    first = next(filter(None, lists), lists[0])
    if isinstance(first, Mapping):
        return None if isinstance(next(iter(first.values()), 0.0), Mapping | list) else "scores"
    return None if isinstance(next(iter(first), ""), Mapping | list) else "documents"


def _is_table(value: Mapping[str, Any]) -> bool:
    """Whether keys are names of columns, as in ``{"user": ["ann"], "item": ["x"]}``."""
    return all(any(is_spelling("rankings", (role,), key) for key in value) for role in ("user", "item"))


def other_kind(value: Any) -> str | None:
    """What a JSON value is that holds no lists, told by its keys: judgments of nuggets, or what systems wrote."""
    if isinstance(value, list) and value:
        return other_kind(value[0])
    if not isinstance(value, Mapping) or not value:
        return None
    keys = value.keys()
    if any(isinstance(value.get(key), list | Mapping) for key in _OF_NUGGETS):
        return "nuggets"
    if all(isinstance(one, list) and len(one) == 2 and one[0] in ("OR", "AND") and isinstance(one[1], Mapping) for one in value.values()):
        return "nuggets"
    if all(isinstance(one, Mapping) and "nuggets" in one for one in value.values()):
        return "nuggets"
    if "rubrics" in keys:
        return "rubrics"
    return "report" if "metadata" in keys and keys & {"responses", "answer"} else None


_OTHERS: Mapping[str, tuple[str | Either, ...]] = {
    "nuggets": (
        "holds nuggets, not ranked lists; give it as ",
        Either("subtopics=asp.Nuggets.read(path)", "--nuggets"),
        ", and the lists as another file",
    ),
    "rubrics": ("holds rubrics of answers, not ranked lists",),
    "report": ("holds answers with citations, not ranked lists",),
}


def json_run(source: Source, name: str, text: bytes) -> JsonRun | None:
    """The lists that a text in JSON holds; None if it is a table of one object per row.

    Raises:
        InputError: It is a document that is broken, or holds something else.
    """
    if text[:1000].lstrip()[:1] not in (b"{", b"["):
        return None
    values = JsonText.of(name, text)
    try:
        where, first = next(iter(values))
    except InputError:
        if not values.is_lines and _named_json(source):
            raise
        return None  # a table, whose reader says what is wrong with its rows
    kind = run_kind(first)
    if kind is not None:
        return JsonRun(values, kind, source.part, None if values.is_lines else (where, first))
    if (other := other_kind(first)) is not None:
        raise InputError(f"{name}: ", *_OTHERS[other])
    if isinstance(first, Mapping) and not values.is_lines and _named_json(source):
        if not first:
            raise InputError(f"{name}: holds no query")
        if all(isinstance(one, Mapping | list) for one in first.values()):
            raise InputError(
                f"{name}: no ranked lists found, but {json_text(first)}; expected the documents of each query, as "
                '{"query": {"document": score}} or {"query": ["document"]}, or JSON Lines: one object per line'
            )
    return None


def begins_with_a_row(source: Source, text: bytes) -> bool:
    """Whether the first line is a row of a table: a whole object that holds no lists, and nothing else that is known."""
    if _named_json(source) and text.count(b"\n", 0, len(text) - 1) == 0:
        return False  # all of a document, as far as anybody can tell
    try:
        value = json.loads(next(filter(bytes.strip, text.split(b"\n", 20)), b"").decode())
    except RecursionError:
        return True  # which its reader says
    except ValueError:
        return False
    return isinstance(value, Mapping) and run_kind(value) is None and other_kind(value) is None


def _named_json(source: Source) -> bool:
    return source.path.lower().endswith((".json", ".json.gz", ".json.zst"))


def _of_scores(run: JsonRun, place: Place, value: Any) -> Iterator[JsonList]:
    for query, scored in _entries(place, value, "expected an object with the documents of each query"):
        at = place.at(query)
        if not isinstance(scored, dict):
            raise at.error("expected an object with the score of each document", scored)
        documents, scores = list(scored), list(scored.values())
        if not set(map(type, scores)) <= {float} or not math.isfinite(sum(scores)):
            scores = [check_number(at.at(document), score) for document, score in scored.items()]
        yield JsonList(query, documents, scores, partial(_key_place, at, documents))


def check_number(at: Place, score: Any) -> float:
    """A score that a double holds as it is."""
    if isinstance(score, int | float) and not isinstance(score, bool):
        with suppress(OverflowError):
            number = float(score)
            if math.isfinite(number) and number == score:
                return number
    is_whole = isinstance(score, int) and not isinstance(score, bool)
    raise at.error(f"expected {WHOLE_NUMBERS if is_whole else 'a finite number'}", score)


def _of_documents(run: JsonRun, place: Place, value: Any) -> Iterator[JsonList]:
    for query, documents in _entries(place, value, "expected an object with the documents of each query"):
        at = place.at(query)
        if not isinstance(documents, list):
            raise at.error("expected a list of documents", documents)
        are_text = set(map(type, documents)) <= {str}
        ids = documents if are_text else [id_text(at.at(number), one) for number, one in enumerate(documents)]
        yield JsonList(query, ids, None, partial(_list_place, at))


def _of_predictions(run: JsonRun, place: Place, value: Any) -> Iterator[JsonList]:
    several: dict[str, tuple[Place, Any]] = {}
    for subset, splits in _entries(place, value, "expected predictions of MTEB"):
        if subset != _MTEB:
            for split, scored in _entries(place.at(subset), splits, "expected an object with the predictions of each split"):
                name, at = f"{subset}/{split}", place.at(subset, split)
                if name in several:
                    raise at.error(f"{name!r} names several subsets and splits, also {several[name][0]}; rename one")
                several[name] = (at, scored)
    if run.part is None and len(several) == 1:
        wanted = next(iter(several))
    elif run.part in several:
        wanted = run.part
    elif not several:
        raise place.error("no predictions found")
    else:
        found = ", ".join(map(quoted, several))
        what = f"has no subset and split {quoted(run.part)}" if run.part is not None else f"holds {len(several)} subsets and splits"
        plain = run.text.source.removesuffix(f"#{run.part}")
        name = one_line(next(iter(several)))
        raise InputError(f"{run.text.source}: {what}; there are {found}; name one, as {plain}#{name}")
    yield from _of_scores(run, *several[wanted])


def _of_candidates(run: JsonRun, place: Place, value: Any) -> Iterator[JsonList]:
    for at, one in _several(place, value):
        if run_kind(one) != "candidates":
            raise at.error('expected an object with "query" and "candidates"', one)
        query = one["query"]
        if isinstance(query, dict):
            if "qid" not in query:
                raise at.at("query").error('the key "qid" is missing', query)
            query = id_text(at.at("query", "qid"), query["qid"])
        else:
            query = id_text(at.at("qid"), one["qid"]) if "qid" in one else id_text(at.at("query"), query)
        candidates, documents, scores = one["candidates"], [], []
        if not isinstance(candidates, list):
            raise at.at("candidates").error("expected a list of candidates", candidates)
        for number, candidate in enumerate(candidates):
            where = at.at("candidates", number)
            if not isinstance(candidate, dict) or "docid" not in candidate:
                raise where.error('expected an object with a "docid"', candidate)
            documents.append(id_text(where.at("docid"), candidate["docid"]))
            scores.append(math.nan if candidate.get("score") is None else check_number(where.at("score"), candidate["score"]))
        yield JsonList(query, documents, scores, partial(_list_place, at.at("candidates")))


def _of_traces(run: JsonRun, place: Place, value: Any) -> Iterator[JsonList]:
    for at, one in _several(place, value):
        if not is_trace(one):
            raise at.error('expected the trace of an agent: an object with "query_id" and a list "result"', one)
        trace = trace_of(at, one)
        yield JsonList(trace.query, trace.found(), None, partial(_same_place, at.at("result")), trace.n_failed, trace.n_others)


_READERS: Mapping[str, Callable[[JsonRun, Place, Any], Iterator[JsonList]]] = {
    "scores": _of_scores,
    "documents": _of_documents,
    "predictions": _of_predictions,
    "candidates": _of_candidates,
    "traces": _of_traces,
}


_CALLED = {
    "scores": "scores by query and document",
    "documents": "documents by query",
    "predictions": "predictions of MTEB",
    "candidates": "candidates by query",
    "traces": "traces of agents",
}


def _entries(place: Place, value: Any, what: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise place.error(what, value)
    yield from value.items()


def _several(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    """The values of an array, or a value alone."""
    if isinstance(value, list):
        yield from ((place.at(number), one) for number, one in enumerate(value))
    else:
        yield place, value


def _key_place(at: Place, documents: Sequence[str], number: int) -> Place:
    return at if number < 0 else at.at(documents[number])


def _same_place(at: Place, number: int) -> Place:
    return at


def _list_place(at: Place, number: int) -> Place:
    return at if number < 0 else at.at(number)


def rows_of_lists(source: str, kind: str, lists: Sequence[JsonList], first: int = 0, scored: bool = True) -> Rows:
    """Lists as rows; those before row `first` are left out, with lists that are empty. Scores are read if they may be, and all have one."""
    import polars

    lengths = np.array([len(one.documents) for one in lists], dtype=np.int64)
    try:
        documents = polars.Series([document for one in lists for document in one.documents], dtype=polars.String)
        users = polars.Series([one.query for one in lists], dtype=polars.String)
    except UnicodeEncodeError:
        raise InputError(f"{source}: an id holds an unpaired surrogate, which is not text") from None
    codes, distinct = code_series(documents)
    owners = np.repeat(np.arange(len(lists), dtype=np.int32), lengths)
    starts = np.append(0, np.cumsum(lengths))
    numbers = {}
    if kind in ("documents", "candidates", "traces"):  # their order is the list, whatever their scores
        numbers["rank"] = np.arange(1, starts[-1] + 1) - np.repeat(starts[:-1], lengths).astype(np.float64)
    if scored and kind != "documents" and all(one.scores is not None for one in lists):
        scores = np.fromiter((score for one in lists for score in one.scores or ()), np.float64, int(starts[-1]))
        if not np.isnan(scores).any():
            numbers["score"] = scores
    columns = {"user": IdColumn(owners, users, "text"), "item": IdColumn(codes, distinct, "text")}
    notices = [Notice("json_run", detail={"lists": _CALLED[kind]})]
    of_calls = {"failed_searches": sum(one.n_failed for one in lists), "other_tools": sum(one.n_others for one in lists)}
    notices += [Notice(kind, n) for kind, n in of_calls.items() if n]
    rows = Rows(source, columns, numbers, partial(_row_place, lists, starts, source), notices=notices)
    if not first:
        return rows
    kept = np.arange(first, len(owners))
    left = rows.taken(kept)
    named = np.unique(owners[kept])
    return replace(left, ids={**left.ids, "user": replace(left.ids["user"], named=named)}, notices=())


def _row_place(lists: Sequence[JsonList], starts: Any, source: str, row: int) -> str:
    which = int(np.searchsorted(starts, row, "right")) - 1
    return str(lists[which].at(row - int(starts[which]))).removeprefix(f"{source}, ")


def candidate_texts(text: JsonText) -> Iterator[tuple[str, str]]:
    """The documents of castorini's results with their texts, as they come; one that has no text is left out."""
    for _, value in text:
        for one in value if isinstance(value, list) else [value]:
            for candidate in one.get("candidates", ()) if isinstance(one, dict) else ():
                held = candidate.get("doc") if isinstance(candidate, dict) else None
                if isinstance(held, str) and held.lstrip()[:1] == "{":
                    with suppress(ValueError):
                        held = json.loads(held)
                if isinstance(held, dict):
                    held = next((held[key] for key in ("segment", "contents", "text") if isinstance(held.get(key), str)), None)
                if isinstance(held, str) and "docid" in candidate:
                    yield str(candidate["docid"]), held
