"""Traces of agents that search in rounds: what each search of each round found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.io.files import files_of
from aspectrum.io.json_values import JsonText, Place

Searches = tuple[tuple[str, ...], ...]
"""The documents that each search of a round found, best first; nothing for a search that failed."""

_MOST_ROUNDS = 10_000
_LARGEST_GAP = 1_000  # a number beyond is no round
_SEARCH = "search"


@dataclass(frozen=True)
class Trace:
    """What an agent found for a query, round by round."""

    query: str
    rounds: tuple[Searches, ...]
    place: Place
    said: int | None = None  # how many rounds the file says there were
    n_others: int = 0  # calls of tools that do not search
    task: str | None = None
    n_failed: int = 0  # searches

    def found(self) -> list[str]:
        """All documents, each at its first place."""
        return list(dict.fromkeys(document for searches in self.rounds for search in searches for document in search))


def is_trace(value: Any) -> bool:
    """Whether a JSON value is the trace of a query."""
    return isinstance(value, Mapping) and "query_id" in value and isinstance(value.get("result"), list)


def read_traces(path: str) -> Iterator[Trace]:
    """The traces of a file, or of all files of a folder or pattern, in their order."""
    for one in files_of(path):
        for place, value in JsonText.read(one):
            several = value if isinstance(value, list) else [value]
            for number, trace in enumerate(several):
                where = place.at(number) if isinstance(value, list) else place
                if not is_trace(trace):
                    raise where.error('expected the trace of an agent: an object with "query_id" and a list "result"', trace)
                yield trace_of(where, trace)


def trace_of(place: Place, value: Mapping[str, Any]) -> Trace:
    """A trace from its JSON value.

    Results that do not say their round belong to that of their call, or of the call before them; calls that do not say theirs are
    numbered, where those that follow one another are of one round. Where some tool is called ``search``, calls of others are left out,
    with their results, which need not name the tool.
    """
    query = id_text(place.at("query_id"), value["query_id"])
    rounds: dict[int, list[tuple[str, ...]]] = {}
    of_calls: dict[str, int] = {}
    searches_are_named = any(isinstance(item, Mapping) and item.get("tool_name") == _SEARCH for item in value["result"])
    n_others: Counter[str] = Counter()
    left_out, last_is_left_out = set[str](), False  # calls
    now, after_result, n_failed = 0, True, 0
    for number, item in enumerate(value["result"]):
        at = place.at("result", number)
        if not isinstance(item, Mapping):
            raise at.error("expected an object", item)
        kind = item.get("type")
        if kind not in ("tool_call", "tool_result"):
            continue
        tool, call = item.get("tool_name"), item.get("call_id")
        is_left_out = searches_are_named and tool not in (None, _SEARCH)
        if kind == "tool_call":
            last_is_left_out = is_left_out
            if is_left_out and isinstance(call, str):
                left_out.add(call)
        elif tool is None:
            is_left_out = call in left_out if isinstance(call, str) else last_is_left_out
        if is_left_out:
            n_others[kind] += 1
            continue
        said = item.get("round")
        if said is not None and (isinstance(said, bool) or not isinstance(said, int) or not 1 <= said <= _MOST_ROUNDS):
            raise at.at("round").error(f"expected a whole number from 1 to {_MOST_ROUNDS:,}", said)
        if kind == "tool_call":
            now = said if said is not None else now + after_result
            after_result = False
            rounds.setdefault(now, [])
            if isinstance(call, str):
                of_calls[call] = now
            continue
        after_result = True
        now = max(now, 1)
        its_round = said if said is not None else of_calls.get(call, now) if isinstance(call, str) else now
        documents = _documents(at, item)
        n_failed += documents is None
        rounds.setdefault(its_round, []).append(documents or ())
    for before, after in pairwise([0, *sorted(rounds)]):
        if after - before > _LARGEST_GAP:
            raise place.at("result").error(
                f"expected at most {_LARGEST_GAP:,} rounds without a search before one, found none after {before}", after
            )
    in_order = tuple(tuple(rounds.get(number, ())) for number in range(1, max(rounds, default=0) + 1))
    count, task = value.get("retrieved_round_count"), value.get("task")
    return Trace(
        query,
        in_order,
        place,
        count if isinstance(count, int) and not isinstance(count, bool) else None,
        max(n_others.values(), default=0),  # a call, and its result
        task if isinstance(task, str) else None,
        n_failed,
    )


def _documents(at: Place, item: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What a search found: its ``docids``, else what its output holds; None if it failed: the output is plain text or an error, or there is none."""
    named = item.get("docids")
    if named is not None:
        if not isinstance(named, list):
            raise at.at("docids").error("expected a list of document ids", named)
        return tuple(id_text(at.at("docids", number), one) for number, one in enumerate(named))
    output, place = item.get("output"), at.at("output")
    if isinstance(output, str):
        if output.lstrip()[:1] not in ("[", "{"):
            return None
        try:
            output = json.loads(output)
        except (ValueError, RecursionError) as error:
            if isinstance(error, ValueError) and "docid" not in output:  # plain text in brackets
                return None
            raise place.error("cannot be read as JSON, expected a list of documents, or plain text for a failed search", output) from None
    if output is None or (isinstance(output, Mapping) and "error" in output):
        return None
    if not isinstance(output, list):
        raise place.error("expected a list of documents, or plain text for a failed search", output)
    documents = (_document(place.at(number), one) for number, one in enumerate(output))
    return tuple(one for one in documents if one is not None)


def _document(place: Place, one: Any) -> str | None:
    """The document of an entry; None if its id is null."""
    if not isinstance(one, Mapping):
        return id_text(place, one)
    if "docid" not in one:
        raise place.error('the key "docid" is missing', one)
    return None if one["docid"] is None else id_text(place.at("docid"), one["docid"])


def id_text(place: Place, value: Any) -> str:
    """An id as text: text as it is, a whole number by its digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise place.error("expected an id, which is text or a whole number", value)


def check_once(seen: dict[str, Place], query: str, place: Place) -> None:
    """That nobody has two lists; remembers where each is."""
    before = seen.setdefault(query, place)
    if before is not place:
        raise InputError(f"{place}: duplicate query {quoted(query)} (first in {before}); expected one list for each")
