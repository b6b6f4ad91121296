"""BRIGHT-Pro: a folder with queries and their gold documents, and with aspects and the documents that support them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from aspectrum.arrays import is_finite
from aspectrum.io.json_values import Place, json_text
from aspectrum.nuggets.collecting import Collected
from aspectrum.nuggets.values import as_object, document_ids, id_text, needed, text_or_none

_NUMBER = re.compile(r"-a(?:spect-)?\d+$")
Numbered = Iterable[tuple[Place, Any]]


def read_brightpro(found: Collected, examples: Numbered, aspects: Numbered) -> None:
    """Aspects go to the query whose gold documents support them; those without documents go where others of their stem go.

    The gold documents are the relevant ones: others support aspects, but have the grade 0.
    """
    gold: dict[str, tuple[Place, list[str]]] = {}
    queries_of: dict[str, list[str]] = defaultdict(list)
    for place, row in examples:
        as_object(place, row)
        query = id_text(place.at("id"), needed(place, row, "id"), "query")
        if query in gold:
            raise place.error(f"duplicate query {json_text(query)} (first in {gold[query][0]})")
        documents = list(dict.fromkeys(document_ids(place.at("gold_ids"), needed(place, row, "gold_ids"))))
        gold[query] = place, documents
        for document in documents:
            queries_of[document].append(query)
    read = [_aspect(place, row) for place, row in aspects]
    own: dict[str, list[tuple[Place, str, Any, list[str]]]] = {query: [] for query in gold}
    by_stem: dict[str, Counter[str]] = defaultdict(Counter)
    best = []
    for _, id, _, documents in read:
        hits = Counter(query for document in documents for query in queries_of.get(document, ()))
        most = max(hits.values(), default=0)
        several = [query for query, n in hits.items() if n == most]
        best.append(several)
        if len(several) == 1:
            by_stem[_stem(id)][several[0]] += most
    for aspect, several in zip(read, best, strict=True):
        place, id, row, _ = aspect
        known = by_stem.get(_stem(id), Counter())
        candidates = several if len(several) == 1 else [query for query in (several or known) if query in known]
        if len(candidates) > 1:
            raise place.error(f"aspect {json_text(id)} may belong to the queries {', '.join(map(json_text, candidates[:5]))}, expected one")
        if not candidates and several:
            raise place.error(f"aspect {json_text(id)} may belong to the queries {', '.join(map(json_text, several[:5]))}, expected one")
        if candidates:
            own[candidates[0]].append(aspect)
        else:
            found.ignored["aspects_of_no_query"] += 1
    for query, (place, documents) in gold.items():
        found.query(query, place)
        found.ignored["queries_without_nuggets"] += not own[query]
        served = dict.fromkeys(document for *_, supporting in own[query] for document in supporting)
        found.judged([document for document in documents if document not in served], place, relevant=True)
        gold_documents = set(documents)
        outside = [document for document in served if document not in gold_documents]
        found.not_relevant(outside)
        found.ignored["not_gold"] += len(outside)
        for at, id, row, supporting in own[query]:
            found.nugget(id, text_or_none(row.get("content")), [[(1.0, supporting)]], at, row["weight"])


def _stem(id: str) -> str:
    return _NUMBER.sub("", id)


def _aspect(place: Place, row: Any) -> tuple[Place, str, Any, list[str]]:
    as_object(place, row)
    id = id_text(place.at("id"), needed(place, row, "id"), "aspect")
    weight = needed(place, row, "weight")
    if isinstance(weight, bool) or not is_finite(weight) or weight <= 0:
        raise place.at("weight").error("expected a weight above 0", weight)
    documents = document_ids(place.at("supporting_docs"), needed(place, row, "supporting_docs"))
    return place, id, {**row, "weight": float(weight)}, documents
