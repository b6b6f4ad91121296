"""Plain Python objects as rows: mappings, sequences of tuples, arrays, whatever a user has in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from math import isfinite, nan
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.sparse import SparseRows
from aspectrum.errors import InputError


def ranking_rows(source: str, given: Any) -> Rows:
    """Rows user, item[, score] in the order given; a user with an empty list is among the ids."""
    given = _from_ranx(source, given, "Run")
    if not isinstance(given, Mapping):
        rows = _coded(source, ("user", "item"), ("score",), _padded_rows(source, given, ("user", "item", "score"), 2, _NOTHING))
        unscored = np.isnan(rows.numbers["score"])
        if unscored.any() and not unscored.all():
            raise InputError(f"{source}: some rows have a score and some have none")
        return replace(rows, numbers={}) if unscored.all() else rows
    users, items = _Ids("user", source), _Ids("item", source)
    scores: list[float] = []
    scored = False
    for user, entries in given.items():
        _check_list(source, user, entries)
        if isinstance(entries, Mapping):
            scored = True
            scores.extend(_number(score, source, "score", user, item) for item, score in entries.items())
            listed = list(entries)
        else:
            listed = _plain(entries)
            scores.extend(-float(place) for place in range(len(listed)))  # as given, should other users have scores
        items.codes.extend(map(items.code, listed))
        users.codes.extend([users.code(user)] * len(listed))
    return Rows(source, {"user": users.column(), "item": items.column()}, {"score": np.array(scores)} if scored else {})


def link_rows(source: str, given: Any, roles: tuple[str, str, str] = ("user", "item", "grade")) -> Rows:
    """Rows user, item[, grade], or others of that form; where only some have a grade, that of the others is 1."""
    rows = _coded(source, roles[:2], roles[2:], _links(source, _from_ranx(source, given, "Qrels"), roles))
    grades = rows.numbers[roles[2]]
    ungraded = np.isnan(grades)
    return replace(rows, numbers={} if ungraded.all() else {roles[2]: np.where(ungraded, 1.0, grades)})


def aspect_rows(given: Any) -> Rows:
    """Rows item, aspect, strength; an item named without any aspect is among the ids, as is a genre that no item has."""
    known = {"item": list(given), "aspect": range(_width(given))} if isinstance(given, Mapping) else {}
    return _coded("aspects", ("item", "aspect"), ("strength",), _aspects(given), known)


def subtopic_rows(given: Any) -> Rows:
    """Rows user, item, aspect (none for an item that is judged for nothing), grade, strength."""
    return _coded("subtopics", ("user", "item", "aspect"), ("grade", "strength"), _subtopics(given))


def feature_rows(given: Any) -> Rows:
    """One row per vector, or rows item, feature, value."""
    if isinstance(given, tuple) and len(given) == 2:
        ids, matrix = given
    elif isinstance(given, np.ndarray) or hasattr(given, "tocsr"):
        ids, matrix = range(given.shape[0]), given
    elif isinstance(given, Mapping):
        if _has_names(given):
            return _coded("features", ("item", "feature"), ("value",), _pairs_of_names(given), {"item": given})
        ids, matrix = list(given), _matrix_of(given)
    elif isinstance(given, list) and all(isinstance(row, tuple) for row in given):
        named = _padded_rows("features", given, ("item", "feature", "value"), 2, 1.0)
        return _coded("features", ("item", "feature"), ("value",), named)
    else:
        raise InputError(
            f"features: expected {{item: vector}}, (ids, matrix), a matrix or rows (item, feature[, value]), found {type(given).__name__}"
        )
    items = _Ids("item", "features")
    items.codes.extend(map(items.code, _plain(ids)))
    n_rows = len(matrix.offsets) - 1 if isinstance(matrix, SparseRows) else matrix.shape[0] if hasattr(matrix, "shape") else len(matrix)
    if len(items.codes) != n_rows:
        raise InputError(f"features: {len(items.codes)} ids for {n_rows} vectors")
    return Rows("features", {"item": items.column()}, matrix=matrix)


def _has_names(given: Mapping[Any, Any]) -> bool:
    """Whether features have names, and not places in a vector."""
    return any(
        isinstance(has, Mapping | Set | str | bytes)
        or (not isinstance(has, np.ndarray) and isinstance(has, Iterable) and any(isinstance(value, str | bytes) for value in has))
        for has in given.values()
    )


def _pairs_of_names(given: Mapping[Any, Any]) -> Iterable[tuple[Any, Any, Any]]:
    for item, has in given.items():
        pairs = has.items() if isinstance(has, Mapping) else [(name, 1.0) for name in dict.fromkeys(_several(has))]
        yield from ((item, name, value) for name, value in pairs)


def weight_rows(given: Any) -> Rows:
    """Rows [user, ]aspect, weight."""
    rows: list[tuple[Any, ...]]
    if isinstance(given, Mapping):
        if any(isinstance(value, Mapping) for value in given.values()):
            for user, wants in given.items():
                if not isinstance(wants, Mapping):
                    raise InputError(f"weights: user {quoted(user)} has {quoted(wants)}, expected {{aspect: weight}}")
            rows = [(user, aspect, weight) for user, wants in given.items() for aspect, weight in wants.items()]
        else:
            rows = list(given.items())
    else:
        rows = [tuple(row) for row in given]
    widths = {len(row) for row in rows}
    if not widths <= {2} and not widths <= {3}:
        raise InputError("weights: expected rows (aspect, weight) or (user, aspect, weight), all of one form")
    return _coded("weights", ("user", "aspect") if widths == {3} else ("aspect",), ("weight",), rows)


def id_rows(source: str, role: str, given: Iterable[Any]) -> Rows:
    """One id per row."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{source}: expected several {role}s, found {quoted(given)}")
    return _coded(source, (role,), (), ((id,) for id in _plain(given)))


def _coded(
    source: str,
    roles: Sequence[str],
    numbers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    known: Mapping[str, Iterable[Any]] | None = None,
) -> Rows:
    """Rows of ids, followed by numbers, as columns; `known` are ids to be known even if no row has them."""
    columns = {role: _Ids(role, source) for role in roles}
    for role, ids in (known or {}).items():
        for id in ids:
            columns[role].code(id)
    values: dict[str, list[float]] = {name: [] for name in numbers}
    coders = [(column.codes.append, column.code) for column in columns.values()]
    n_ids = len(coders)
    for row in rows:
        for (append, code), id in zip(coders, row, strict=False):
            append(code(id))
        for name, value in zip(numbers, row[n_ids:], strict=True):
            values[name].append(value if type(value) is float and isfinite(value) else _number(value, source, name, *row[:n_ids][:2]))
    return Rows(
        source, {role: column.column() for role, column in columns.items()}, {name: np.array(found) for name, found in values.items()}
    )


class _Ids:
    """Gives codes to the ids of one column, in order of first appearance."""

    def __init__(self, role: str, source: str) -> None:
        self._role, self._source = role, source
        self._codes: dict[Any, int] = {}
        self.codes: list[int] = []

    def code(self, id: Any) -> int:
        if isinstance(id, np.generic):
            id = id.item()
        elif id is _NOTHING:
            return -1
        try:
            return self._codes.setdefault(id, len(self._codes))
        except TypeError:
            article = "an" if self._role[0] in "aeio" else "a"
            raise InputError(f"{self._source}: {quoted(id)} cannot be the id of {article} {self._role}: it is not hashable") from None

    def column(self) -> IdColumn:
        return IdColumn(np.array(self.codes, dtype=np.int32), list(self._codes))


_NOTHING = object()
"""In the place of an id or number that is not there."""


def _plain(values: Iterable[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _several(given: Any) -> list[Any]:
    """Several things, or one that is not a collection (text is one thing, not its letters)."""
    return _plain(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]


def _check_list(source: str, user: Any, entries: Any) -> None:
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
        raise InputError(f"{source}: the list of user {quoted(user)} is {quoted(entries)}, expected items")
    if isinstance(entries, Set):
        raise InputError(f"{source}: the list of user {quoted(user)} is a set, which has no order; expected a list, best first")


def _rows(source: str, given: Any, columns: tuple[str, ...], least: int) -> Iterable[tuple[Any, ...]]:
    form = f"({', '.join(columns[:least])}{''.join(f'[, {name}]' for name in columns[least:])})"
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{source}: expected a mapping or rows {form}, found {quoted(given)}")
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns"):
        raise InputError(
            f"{source}: expected a mapping or rows {form}, found a {type(given).__name__}; asp.evaluate reads frames and files"
        )
    for number, row in enumerate(given):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InputError(f"{source}: row {number} is {quoted(row)}, expected {form}")
        values = tuple(_plain(row))
        if not least <= len(values) <= len(columns):
            raise InputError(f"{source}: row {number} has {len(values)} values, expected {form}")
        yield values


def _padded_rows(source: str, given: Any, columns: tuple[str, ...], least: int, filling: Any) -> Iterable[Any]:
    for row in _rows(source, given, columns, least):
        yield row + (filling,) * (len(columns) - len(row))


def _from_ranx(source: str, given: Any, expected: str) -> Any:
    """Runs and judgments of ranx as the dictionaries they hold, in its order; everything else as it is."""
    kind = type(given)
    if kind.__module__.partition(".")[0] != "ranx":
        return given
    if kind.__name__ != expected:
        raise InputError(f"{source}: found {kind.__name__} of ranx, expected its {expected}")
    return given.to_dict()


def _links(source: str, given: Any, roles: tuple[str, str, str]) -> Iterable[tuple[Any, Any, Any]]:
    if not isinstance(given, Mapping):
        yield from _padded_rows(source, given, roles, 2, _NOTHING)
        return
    for user, entries in given.items():
        if isinstance(entries, Mapping):
            yield from ((user, item, grade) for item, grade in entries.items())
        elif isinstance(entries, Iterable) and not isinstance(entries, str | bytes):
            yield from ((user, item, _NOTHING) for item in _plain(entries))
        else:
            raise InputError(f"{source}: {roles[0]} {quoted(user)} has {quoted(entries)}, expected {roles[1]}s")


def _aspects(given: Any) -> Iterable[tuple[Any, Any, Any]]:
    if not isinstance(given, Mapping):
        yield from _padded_rows("aspects", given, ("item", "aspect", "strength"), 2, 1.0)
        return
    for item, has in given.items():
        if _is_indicator(has):
            yield from ((item, int(column), float(has[column])) for column in np.flatnonzero(has))
        elif isinstance(has, Mapping):
            yield from ((item, aspect, strength) for aspect, strength in has.items())
        else:
            yield from ((item, aspect, 1.0) for aspect in _several(has))


def _subtopics(given: Any) -> Iterable[tuple[Any, Any, Any, Any, Any]]:
    if not isinstance(given, Mapping):
        for user, aspect, item, *judged in _padded_rows("subtopics", given, ("user", "aspect", "item", "grade", "strength"), 3, 1.0):
            yield (user, item, aspect, *judged)
        return
    for user, judged in given.items():
        if not isinstance(judged, Mapping):
            raise InputError(f"subtopics: user {quoted(user)} has {quoted(judged)}, expected {{item: aspects}}")
        for item, has in judged.items():
            pairs = list(has.items()) if isinstance(has, Mapping) else [(aspect, 1.0) for aspect in _several(has)]
            yield from ((user, item, aspect, grade, 1.0) for aspect, grade in pairs or [(_NOTHING, 0.0)])


def _number(value: Any, source: str, what: str, *where: Any) -> float:
    """A finite number; NaN where there is none."""
    if value is _NOTHING:
        return nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        raise InputError(f"{source}: the {what} of {', '.join(map(quoted, where))} is {quoted(value)}, expected a finite number")
    return number


def _check_no_indicators(given: Mapping[Any, Any]) -> None:
    """A list names aspects, hardly any of them twice: several of one length above 2 that hold 0 and 1 only were meant as arrays."""
    lists = [has for has in given.values() if isinstance(has, list | tuple)]
    if len(lists) < max(2, len(given)) or len({len(has) for has in lists}) > 1 or len(lists[0]) < 3:
        return
    if all(isinstance(flag, int | float) and flag in (0, 1) for has in lists for flag in has):
        raise InputError(
            f"aspects: every item has a list of {len(lists[0])} times 0 or 1, and a list names aspects; give arrays, as in "
            f"{{{quoted(next(iter(given)))}: numpy.array([1, 0])}}, for rows of 0 and 1"
        )


def _is_indicator(has: Any) -> bool:
    return isinstance(has, np.ndarray) and has.dtype.kind in "biuf"


def _width(given: Mapping[Any, Any]) -> int:
    """How many genres arrays of 0 and 1 tell of, which are the same for all items."""
    _check_no_indicators(given)
    width: int | None = None
    for item, has in given.items():
        if not _is_indicator(has):
            continue
        if has.ndim != 1 or (width is not None and len(has) != width):
            raise InputError(
                f"aspects: the array of item {quoted(item)} has shape {has.shape}, expected ({width},) as for the items before"
            )
        if not ((has >= 0) & (has <= 1)).all():
            raise InputError(
                f"aspects: the array of item {quoted(item)} is not 0/1; give aspects by name as a list, or strengths between 0 and 1"
            )
        width = len(has)
    return width or 0


def _matrix_of(given: Mapping[Any, Any]) -> npt.NDArray[Any]:
    """A dense matrix from vectors."""
    vectors = [np.asarray(vector) for vector in given.values()]
    for item, vector in zip(given, vectors, strict=True):
        if vector.ndim != 1 or len(vector) != len(vectors[0]):
            raise InputError(f"features: the vector of item {quoted(item)} has shape {vector.shape}, expected {vectors[0].shape}")
    return np.array(vectors) if vectors else np.empty((0, 0))
