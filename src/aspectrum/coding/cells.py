"""Cells that hold several aspects, features or communities: lists written as text are read, other joined names are noticed."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from aspectrum.coding.ids import is_text, quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError

_N_EXAMPLES, _N_COMPARED = 3, 20_000
_BRACKETS = ("[]", "()", "{}")
_ELEMENT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+]?(?:\d{1,300}\.?\d*|\.\d+)(?:[eE][-+]?\d+)?""", re.ASCII | re.DOTALL)
_BETWEEN = re.compile(r"\s*,\s*|\s+")  # NumPy writes no commas
_CERTAIN = ("|",)  # which hardly stands within a name
_RARE = (" / ", "/", "&", "+", "::", ":", "\\")  # which stand within names more often than between them
_POSSIBLE = (";", ", ", ",", *_RARE)

Names = Any
"""Distinct names: a polars series of text, or a sequence of anything."""

Lists = list[list[str]]
"""The elements of each list, as they are written: text in quotes, or numbers."""


def with_cells_read(rows: Rows, role: str) -> Rows:
    """Rows whose cells hold one name each, as far as that is certain; a notice says what was done, or what is doubtful."""
    names = rows.ids[role].ids if role in rows.ids else ()
    lists = written_lists(names)
    if lists is None:
        return replace(rows, notices=[*rows.notices, *_doubts(names, role, rows.place is not None)])
    whole = all(_is_whole(element) for element in chain(*lists) if _is_number(element))
    if all(map(_is_number, chain(*lists))) and any(lists):
        lengths = set(map(len, lists))
        valued = any((values != 1).any() for values in rows.numbers.values())
        if role == "feature" and not valued and (not whole or (len(lengths) == 1 and len(lists[0]) > 1)):
            return _vectors(rows, lists)
        flags = lengths == {len(lists[0])} and len(lists[0]) > 2 and {*chain(*lists)} <= {"0", "1"}
        if role != "feature" and (not whole or flags):  # a vector, which names nothing
            return replace(rows, notices=[*rows.notices, _unread(names, role)])
    return _one_a_row(rows, role, lists)


def written_lists(names: Names) -> Lists | None:
    """The lists that names are, as JSON or Python writes lists of text and numbers; None unless every one is such a list."""
    if len(names) == 0 or not _may_be_list(names[0]):  # which is so of nearly all data
        return None
    lists = []
    for name in names:
        elements = _elements(name) if _may_be_list(name) else None
        if elements is None:
            return None
        lists.append(elements)
    return lists


def _may_be_list(name: Any) -> bool:
    return isinstance(name, str) and len(name := name.strip()) > 1 and name[0] + name[-1] in _BRACKETS


def _elements(name: str) -> list[str] | None:
    inner = name.strip()[1:-1].strip().removesuffix(",")
    if not inner and name.strip() == "{}":  # which is no set
        return None
    found, at = [], 0
    while at < len(inner):
        element = _ELEMENT.match(inner, at)
        if element is None:
            return None
        found.append(element[0])
        between = _BETWEEN.match(inner, element.end())
        at = element.end() if between is None else between.end()
        if between is None and at < len(inner):
            return None
    if name.strip()[0] == "(" and len(found) == 1 and not name.rstrip(") ").endswith(","):  # a remark in brackets, no tuple
        return None
    return found


def _is_number(element: str) -> bool:
    return element[0] not in "'\""


def _is_whole(element: str) -> bool:
    return element.lstrip("+-").isdigit()


def _value(element: str) -> Any:
    """What an element says, without surrounding whitespace."""
    if _is_number(element):
        return int(element) if _is_whole(element) else float(element)
    text = element[1:-1]
    if "\\" in text:
        try:
            with warnings.catch_warnings(action="error"):  # Python warns of escapes that it does not know
                said = json.loads(element, strict=False) if element[0] == '"' else ast.literal_eval(element)
            said.encode()  # an unpaired surrogate is no text
            text = said
        except (ValueError, SyntaxError, Warning):
            pass
    return text.strip()


def _one_a_row(rows: Rows, role: str, lists: Lists) -> Rows:
    """One row per element. The item of an empty list is known; where items are judged, it is judged for nothing."""
    column = rows.ids[role]
    as_text = column.untyped is not None
    codes: dict[Any, int] = {}
    parts: list[list[int]] = []
    for elements in lists:
        values = [element if as_text and _is_number(element) else _value(element) for element in elements]
        parts.append([codes.setdefault(value, len(codes)) for value in dict.fromkeys(values) if value != ""])
    empty = [-1] if "user" in rows.ids and "item" in rows.ids else []
    several = [parts[code] or empty if code >= 0 else [-1] for code in column.codes.tolist()]
    at = np.repeat(np.arange(len(several)), [len(one) for one in several])
    ids: Any = list(codes)
    if is_text(column.ids) and all(isinstance(id, str) for id in ids):
        ids = type(column.ids)(column.ids.name, ids, dtype=column.ids.dtype)  # type: ignore[union-attr,call-arg]
    split = IdColumn(np.fromiter(chain(*several), np.int32, len(at)), ids, column.untyped)
    repeated = rows.taken(at)
    notice = Notice("text_lists", int((column.codes >= 0).sum()), examples=_examples(column.ids), detail={"role": role})
    return replace(repeated, ids={**repeated.ids, role: split}, notices=[*rows.notices, notice])


def _vectors(rows: Rows, lists: Lists) -> Rows:
    column = rows.ids["feature"]
    width = len(lists[int(column.codes[0])])
    odd = [code for code, elements in enumerate(lists) if len(elements) != width]
    if odd:
        row = int(np.isin(column.codes, odd).argmax())
        found = len(lists[int(column.codes[row])])
        raise InputError(f"{rows.at(row)}: has a vector of {found} numbers, expected {width} numbers as in the first vector")
    matrix = np.array([list(map(float, elements)) for elements in lists])[column.codes]
    notice = Notice("text_vectors", len(rows), examples=_examples(column.ids)[:1])
    return replace(rows, ids={"item": rows.ids["item"]}, numbers={}, matrix=matrix, notices=[*rows.notices, notice])


def _doubts(names: Names, role: str, from_table: bool) -> Iterable[Notice]:
    """Whether names look like several in one."""
    if is_text(names):  # whose letters polars looks at
        nested = names.filter(names.str.contains(r"(?s)^\s*(\[.*\]|\{.*\})\s*$"))
        joined = {mark: names.filter(names.str.contains(mark, literal=True)) for mark in (*_CERTAIN, *_POSSIBLE)}
    else:
        names = [name for name in names if isinstance(name, str)]
        nested = [name for name in names if name.strip()[:1] in ("[", "{") and _may_be_list(name)]
        joined = {mark: [name for name in names if mark in name] for mark in (*_CERTAIN, *_POSSIBLE)}
    if 2 * len(nested) > len(names) and any("," in name or ":" in name for name in nested):
        yield _unread(nested, role)
        return
    for mark, several in joined.items():
        if 10 * len(several) > len(names) and _looks_joined(names, mark, len(several)):
            because = Notice("split", detail={"split": mark}) if from_table else Notice("split_objects", detail={"role": role})
            detail = {"role": role, "separator": repr(mark)}
            yield Notice("unsplit", len(several), len(names), _examples(several), detail, (because,))
            return


def _unread(names: Names, role: str) -> Notice:
    detail = {"role": role}
    return Notice("unread_lists", len(names), examples=_examples(names), detail=detail, because=(Notice("one_name", detail=detail),))


def _looks_joined(names: Names, mark: str, n_joined: int) -> bool:
    """Whether what stands between separators are names of their own.

    Such names stand now in one place, now in another: "Drama", "Drama, War", "Action, Drama". Those that are part of something have
    their place: "Twain, Mark", "Paris, Texas", "Books|Fiction|Crime".
    """
    few = n_joined < (10 if mark in _CERTAIN else 5 if mark in _RARE else 2)
    if few:
        return mark in _CERTAIN
    chosen = names[:: -(-len(names) // _N_COMPARED)]
    split = [[part for part in map(str.strip, name.split(mark)) if part] for name in (chosen.to_list() if is_text(chosen) else chosen)]
    if mark not in _CERTAIN and _are_numbers(split):
        return False
    if mark in _RARE and (2 * n_joined < len(names) or len({len(parts) for parts in split}) == 1):  # "16:9", "en:fr", one or two "R&B"
        return False
    places: dict[str, Counter[int]] = defaultdict(Counter)
    for parts in split:
        for place, part in enumerate(parts if mark not in _RARE or len(parts) > 1 else ()):  # "Sport" alone may be above "Sport/Other"
            # A part that is always the last has its place, too: "Sport/Other", "Sport/Ball/Other".
            places[part][-1 if mark in _RARE and place == len(parts) - 1 else place] += 1
    n_moved = sum(counts.total() - max(counts.values()) for counts in places.values())
    return 0 < n_moved >= (0.05 if mark in _CERTAIN else 0.15) * sum(counts.total() for counts in places.values())


def _are_numbers(names: Sequence[Sequence[str]]) -> bool:
    """Whether separators stand within numbers, times and dates: "3,7", "1,234,567", "10:41:29", "27/06/2020"; not in "3,7,1,12", "5"."""
    parts = set(chain(*names))
    digits = 2 * sum(part.isdecimal() for part in parts) > len(parts)
    return digits and (len({len(name) for name in names}) == 1 or all(len(name) < 3 or {*map(len, name[1:])} == {3} for name in names))


def _examples(names: Names) -> tuple[str, ...]:
    return tuple(quoted(name) for name in names[:_N_EXAMPLES])
