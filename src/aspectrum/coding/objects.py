"""Plain Python objects as rows: mappings, sequences of tuples, arrays, whatever a user has in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.sparse import SparseRows
from aspectrum.errors import InputError


def ranking_rows(source: str, given: Any) -> Rows:
    """Rows user, item[, score] in the order given; a user with an empty list is among the ids."""
    users, items = _Ids("user", source), _Ids("item", source)
    user_codes: list[int] = []
    item_codes: list[int] = []
    scores: list[float] = []
    scored = False
    given = _from_ranx(source, given, "Run")
    if isinstance(given, Mapping):
        for user, entries in given.items():
            _check_list(source, user, entries)
            code = users.code(user)
            if isinstance(entries, Mapping):
                scored = True
                scores.extend(_number(score, source, "score", user, item) for item, score in entries.items())
                listed = list(entries)
            else:
                listed = _plain(entries)
                scores.extend(-float(place) for place in range(len(listed)))  # as given, should other users have scores
            item_codes.extend(map(items.code, listed))
            user_codes.extend([code] * len(listed))
    else:
        for row in _rows(source, given, ("user", "item", "score"), 2):
            user_codes.append(users.code(row[0]))
            item_codes.append(items.code(row[1]))
            if len(row) == 3:
                scores.append(_number(row[2], source, "score", *row[:2]))
        scored = bool(scores)
        if scored and len(scores) < len(user_codes):
            raise InputError(f"{source}: some rows have a score and some have none")
    numbers = {"score": np.array(scores)} if scored else {}
    return Rows(source, {"user": users.column(user_codes), "item": items.column(item_codes)}, numbers)


def link_rows(source: str, given: Any, roles: tuple[str, str, str] = ("user", "item", "grade")) -> Rows:
    """Rows user, item[, grade], or others of that form; where only some have a grade, that of the others is 1."""
    users, items = _Ids(roles[0], source), _Ids(roles[1], source)
    user_codes: list[int] = []
    item_codes: list[int] = []
    grades: list[float] = []
    graded = False
    for user, item, grade in _links(source, _from_ranx(source, given, "Qrels"), roles):
        user_codes.append(users.code(user))
        item_codes.append(items.code(item))
        graded = graded or grade is not _NOTHING
        grades.append(1.0 if grade is _NOTHING else _number(grade, source, roles[2], user, item))
    ids = {roles[0]: users.column(user_codes), roles[1]: items.column(item_codes)}
    return Rows(source, ids, {roles[2]: np.array(grades)} if graded else {})


def aspect_rows(given: Any) -> Rows:
    """Rows item, aspect, strength; an item named without any aspect is among the ids."""
    items, aspects = _Ids("item", "aspects"), _Ids("aspect", "aspects")
    item_codes: list[int] = []
    aspect_codes: list[int] = []
    strengths: list[float] = []

    def add(item: Any, pairs: Iterable[tuple[Any, Any]]) -> None:
        code = items.code(item)
        for aspect, strength in pairs:
            item_codes.append(code)
            aspect_codes.append(aspects.code(aspect))
            strengths.append(_number(strength, "aspects", "strength", item, aspect))

    if isinstance(given, Mapping):
        _check_no_indicators(given)
        width = None
        for item, has in given.items():
            if isinstance(has, np.ndarray) and has.dtype.kind in "biuf":
                width = _check_indicators(item, has, width)
                for aspect in range(width):
                    aspects.code(aspect)  # a genre no item has is a genre all the same
                add(item, ((int(column), float(has[column])) for column in np.flatnonzero(has)))
            elif isinstance(has, Mapping):
                add(item, has.items())
            else:
                add(item, ((aspect, 1.0) for aspect in _several(has)))
    else:
        for item, aspect, strength in _padded_rows("aspects", given, ("item", "aspect", "strength"), 2, 1.0):
            add(item, [(aspect, strength)])
    ids = {"item": items.column(item_codes), "aspect": aspects.column(aspect_codes)}
    return Rows("aspects", ids, {"strength": np.array(strengths)})


def subtopic_rows(given: Any) -> Rows:
    """Rows user, item, aspect (none for an item that is judged for nothing), grade, strength."""
    users, items, aspects = (_Ids(role, "subtopics") for role in ("user", "item", "aspect"))
    codes: tuple[list[int], list[int], list[int]] = ([], [], [])
    grades: list[float] = []
    strengths: list[float] = []
    for user, aspect, item, grade, strength in _subtopics(given):
        codes[0].append(users.code(user))
        codes[1].append(items.code(item))
        codes[2].append(-1 if aspect is _NOTHING else aspects.code(aspect))
        grades.append(_number(grade, "subtopics", "grade", user, item))
        strengths.append(_number(strength, "subtopics", "strength", user, item))
    ids = {"user": users.column(codes[0]), "item": items.column(codes[1]), "aspect": aspects.column(codes[2])}
    return Rows("subtopics", ids, {"grade": np.array(grades), "strength": np.array(strengths)})


def feature_rows(given: Any) -> Rows:
    """One row per vector, or rows item, feature, value."""
    if isinstance(given, tuple) and len(given) == 2:
        ids, matrix = given
    elif isinstance(given, np.ndarray) or hasattr(given, "tocsr"):
        ids, matrix = range(given.shape[0]), given
    elif isinstance(given, Mapping):
        if _has_names(given):
            return _named_features(given, _pairs_of_names(given))
        ids, matrix = list(given), _matrix_of(given)
    elif isinstance(given, list) and all(isinstance(row, tuple) for row in given):
        return _named_features((), _padded_rows("features", given, ("item", "feature", "value"), 2, 1.0))
    else:
        raise InputError(
            f"features: expected {{item: vector}}, (ids, matrix), a matrix or rows (item, feature[, value]), found {type(given).__name__}"
        )
    items = _Ids("item", "features")
    codes = [items.code(id) for id in _plain(ids)]
    n_rows = len(matrix.offsets) - 1 if isinstance(matrix, SparseRows) else matrix.shape[0] if hasattr(matrix, "shape") else len(matrix)
    if len(codes) != n_rows:
        raise InputError(f"features: {len(codes)} ids for {n_rows} vectors")
    return Rows("features", {"item": items.column(codes)}, matrix=matrix)


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


def _named_features(known: Iterable[Any], rows: Iterable[tuple[Any, Any, Any]]) -> Rows:
    """Rows item, feature, value; `known` are items to be known even without any feature."""
    items, features = _Ids("item", "features"), _Ids("feature", "features")
    for item in known:
        items.code(item)
    codes: tuple[list[int], list[int]] = ([], [])
    values: list[float] = []
    for item, name, value in rows:
        codes[0].append(items.code(item))
        codes[1].append(features.code(name))
        values.append(_number(value, "features", "value", item, name))
    return Rows("features", {"item": items.column(codes[0]), "feature": features.column(codes[1])}, {"value": np.array(values, np.float64)})


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
    users, aspects = _Ids("user", "weights"), _Ids("aspect", "weights")
    ids = {"aspect": aspects.column([aspects.code(row[-2]) for row in rows])}
    if widths == {3}:
        ids["user"] = users.column([users.code(row[0]) for row in rows])
    return Rows("weights", ids, {"weight": np.array([_number(row[-1], "weights", "weight", *row[:-1]) for row in rows])})


def id_rows(source: str, role: str, given: Iterable[Any]) -> Rows:
    """One id per row."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{source}: expected several {role}s, found {quoted(given)}")
    ids = _Ids(role, source)
    return Rows(source, {role: ids.column([ids.code(id) for id in _plain(given)])})


class _Ids:
    """Gives codes to the ids of one input, in order of first appearance."""

    def __init__(self, role: str, source: str) -> None:
        self._role, self._source = role, source
        self._codes: dict[Any, int] = {}

    def code(self, id: Any) -> int:
        if isinstance(id, np.generic):
            id = id.item()
        try:
            return self._codes.setdefault(id, len(self._codes))
        except TypeError:
            article = "an" if self._role[0] in "aeio" else "a"
            raise InputError(f"{self._source}: {quoted(id)} cannot be the id of {article} {self._role}: it is not hashable") from None

    def column(self, codes: list[int]) -> IdColumn:
        return IdColumn(np.array(codes, dtype=np.int32), list(self._codes))


class _Nothing:
    pass


_NOTHING = _Nothing()


def _plain(values: Iterable[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _several(given: Any) -> list[Any]:
    """Several things, or one that is not a collection (text is one thing, not its letters)."""
    return _plain(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]


def _check_list(source: str, user: Any, entries: Any) -> None:
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
        raise InputError(f"{source}: the list of user {quoted(user)} is {quoted(entries)}, expected items")
    if hasattr(entries, "columns"):  # a frame, not one of its columns, which is a list like any other
        raise InputError(
            f"{source}: the list of user {quoted(user)} is a {type(entries).__name__}, expected items; "
            "several systems, each with its own lists, go to evaluate_systems"
        )
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


def _subtopics(given: Any) -> Iterable[tuple[Any, Any, Any, Any, Any]]:
    if not isinstance(given, Mapping):
        yield from _padded_rows("subtopics", given, ("user", "aspect", "item", "grade", "strength"), 3, 1.0)
        return
    for user, judged in given.items():
        if not isinstance(judged, Mapping):
            raise InputError(f"subtopics: user {quoted(user)} has {quoted(judged)}, expected {{item: aspects}}")
        for item, has in judged.items():
            pairs = list(has.items()) if isinstance(has, Mapping) else [(aspect, 1.0) for aspect in _several(has)]
            yield from ((user, aspect, item, grade, 1.0) for aspect, grade in pairs or [(_NOTHING, 0.0)])


def _number(value: Any, source: str, what: str, *where: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
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


def _check_indicators(item: Any, has: npt.NDArray[Any], width: int | None) -> int:
    if has.ndim != 1 or (width is not None and len(has) != width):
        raise InputError(f"aspects: the array of item {quoted(item)} has shape {has.shape}, expected ({width},) as for the items before")
    if len(has) and not ((has >= 0) & (has <= 1)).all():
        raise InputError(
            f"aspects: the array of item {quoted(item)} is not 0/1; give aspects by name as a list, or strengths between 0 and 1"
        )
    return len(has)


def _matrix_of(given: Mapping[Any, Any]) -> npt.NDArray[Any]:
    """A dense matrix from vectors."""
    vectors = [np.asarray(vector) for vector in given.values()]
    for item, vector in zip(given, vectors, strict=True):
        if vector.ndim != 1 or len(vector) != len(vectors[0]):
            raise InputError(f"features: the vector of item {quoted(item)} has shape {vector.shape}, expected {vectors[0].shape}")
    return np.array(vectors) if vectors else np.empty((0, 0))
