"""Plain Python objects as rows: mappings, sequences of tuples, arrays, whatever a user has in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import WHOLE_NUMBERS, as_array, is_rounded
from aspectrum.coding.cells import with_cells_read
from aspectrum.coding.ids import NOTHING, code_objects, described, quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError, each
from aspectrum.inputs import NUMBERS
from aspectrum.tokens import lengths_of


def ranking_rows(source: str, given: Any) -> Rows:
    """Rows user, item[, score] in the order given; a user with an empty list is among the ids."""
    if is_sparse(given):
        return _matrix_rows(source, given, ("user", "item", "score"))
    items: list[Any] = []
    scores: list[float] = []
    padding: Counter[str] = Counter()
    given = _from_top_k(source, _from_ranx(source, given, "Run"))
    if isinstance(given, Mapping):
        scored = any(isinstance(entries, Mapping) for entries in given.values())
        lengths: list[int] = []
        for user, entries in given.items():
            _check_list(source, user, entries)
            listed = _unpadded(source, user, entries, padding) if isinstance(entries, np.ndarray) else _plain(entries)
            if isinstance(entries, Mapping):
                _check_scores(source, user, entries)
                scores.extend(_number(score, source, "score", user, item) for item, score in entries.items())
            else:
                _check_no_pairs(source, ("user", "item", "score"), user, listed)
                scores.extend(-float(place) for place in range(len(listed)))  # as given, should other users have scores
            lengths.append(len(listed))
            items.extend(listed)
        users = id_column(source, "user", given)
        users = replace(users, codes=np.repeat(users.codes, np.array(lengths, dtype=np.int64)))
    else:
        rows = list(_rows(source, given, ("user", "item", "score"), 2, NOTHING, _other_door(source)))
        users, items = id_column(source, "user", (row[0] for row in rows)), [row[1] for row in rows]
        scores = [_number(score, source, "score", user, item) for user, item, score in rows if score is not NOTHING]
        scored = bool(scores)
        if scored and len(scores) < len(rows):
            raise InputError(f"{source}: some rows have a score and some have none")
    ids = {"user": users, "item": id_column(source, "item", items)}
    notices = [Notice("padding", count, detail={"value": value}) for value, count in padding.items()]
    return Rows(source, ids, {"score": np.array(scores)} if scored else {}, notices=notices)


def _from_top_k(source: str, given: Any) -> Any:
    """Users and their top-k lists, (users, array), as ``{user: list}``; everything else as it is, but for an array whose users are not said."""
    if isinstance(given, np.ndarray) and given.ndim == 2:
        raise InputError(
            f"{source}: an array of shape {tuple(given.shape)} does not say whose lists it holds; "
            "give (users, array) or dict(zip(users, array)) for one list per row, or array.tolist() for rows (user, item[, score])"
        )
    if not isinstance(given, tuple) or len(given) != 2:
        return given
    users, lists = given
    lists = np.asarray(lists) if getattr(lists, "ndim", None) == 2 else lists
    if not isinstance(lists, np.ndarray) and not (
        isinstance(lists, list) and lists and all(isinstance(one, list | np.ndarray) for one in lists)
    ):
        return given  # two rows
    names = _plain(users)
    if np.ndim(users) > 1 or len(names) != len(lists):
        found = f"an array of shape {np.shape(users)}" if np.ndim(users) > 1 else f"{len(names)} users"
        raise InputError(f"{source}: found {found} for {len(lists)} lists, expected (users, lists) with one user per list")
    named = dict(zip(names, lists, strict=True))
    if len(named) < len(names):
        again = next(user for place, user in enumerate(names) if user in names[:place])
        raise InputError(f"{source}: user {quoted(again)} has two lists")
    return named


def _unpadded(source: str, user: Any, entries: npt.NDArray[Any], padding: Counter[str]) -> list[Any]:
    """The items of an array, which may be filled up at its end with -1, NaN or None, as tools that search for neighbours do."""
    kind = entries.dtype.kind
    if entries.ndim != 1 or kind not in "ifO":
        return _plain(entries)
    listed: list[Any] = entries.tolist()
    if kind == "O":
        empty = np.array([item is None or (isinstance(item, float) and item != item) for item in listed], dtype=np.bool_)
    else:
        empty = (entries == -1) | (entries != entries)
        if kind == "f" and (np.floor(entries) == entries)[~empty].all():  # whole numbers that NaN made floats
            listed = [item if item != item else int(item) for item in listed]
    if not empty.any():
        return listed
    end = int(np.flatnonzero(~empty)[-1]) + 1 if not empty.all() else 0
    if empty[:end].any():
        place = int(empty.argmax())
        raise InputError(
            f"{source}: the list of user {quoted(user)} has {listed[place]} at rank {place + 1}, before other items; expected it after all "
            "items, as padding (an id that is -1 goes into a list, not an array)"
        )
    padding[str(listed[-1])] += len(listed) - end
    return listed[:end]


def link_rows(source: str, given: Any, roles: tuple[str, str, str] = ("user", "item", "grade")) -> Rows:
    """Rows user, item[, grade], or others of that form; where only some have a grade, that of the others is 1."""
    if is_sparse(given):
        return _matrix_rows(source, given, roles)
    _check_no_matrix(source, given, roles)
    given = _from_ranx(source, given, "Qrels")
    links: list[tuple[Any, ...]] = []
    if not isinstance(given, Mapping):
        links = list(_rows(source, given, roles, 2, NOTHING))
    else:
        for user, entries in given.items():
            if isinstance(entries, str | bytes) or not isinstance(entries, Iterable) or _is_frame(entries):
                raise InputError(f"{source}: {roles[0]} {quoted(user)} has {described(entries)}, expected {roles[1]}s")
            if isinstance(entries, Mapping):
                links.extend((user, item, grade) for item, grade in entries.items())
            else:
                listed = _plain(entries)
                _check_no_pairs(source, roles, user, listed)
                links.extend((user, item, NOTHING) for item in listed)
    if all(grade is NOTHING for *_, grade in links):
        return _coded(source, roles[:2], links)
    return _coded(source, roles, ((user, item, 1.0 if grade is NOTHING else grade) for user, item, grade in links))


def _check_no_matrix(source: str, given: Any, roles: tuple[str, str, str]) -> None:
    """Zeros and ones in an array, or in lists of one length, are a matrix rather than rows."""
    if isinstance(given, list) and len(given) > 1 and all(isinstance(one, list) and len(one) == len(given[0]) > 0 for one in given):
        shape, ones = (len(given), len(given[0])), all(isinstance(cell, int | float) and cell in (0, 1) for one in given for cell in one)
    elif isinstance(given, np.ndarray) and given.ndim == 2 and given.size and given.dtype.kind in "biuf":
        shape, ones = given.shape, bool(np.isin(given, (0, 1)).all())
    else:
        return
    if ones:
        rows = f"; if these are rows ({', '.join(roles[: shape[1]])}), give tuples" if shape[1] in (2, 3) else ""
        raise InputError(
            f"{source}: {shape[0]} x {shape[1]} zeros and ones look like a matrix; give scipy.sparse.csr_matrix(...) of {roles[0]}s and "
            f"{roles[1]}s{rows}"
        )


def aspect_rows(given: Any, source: str = "aspects", roles: tuple[str, str, str] = ("item", "aspect", "strength")) -> Rows:
    """Rows item, aspect, strength, or others of that form; an item named without any aspect is among the ids."""
    if is_sparse(given):
        return _matrix_rows(source, given, roles)
    if isinstance(given, tuple) and len(given) == 2 and getattr(given[1], "ndim", None) == 2:
        return _matrix_rows(source, given[1], roles, ids=_plain(given[0]))
    if not isinstance(given, Mapping):
        return with_cells_read(_coded(source, roles, _rows(source, given, roles, 2, 1.0)), roles[1])
    _check_no_frames(source, "item", given)
    _check_no_indicators(source, given)
    rows: list[tuple[Any, Any, Any]] = []
    named: list[Any] = []
    width = None
    for item, has in given.items():
        if isinstance(has, np.ndarray) and has.dtype.kind in "biuf":
            _check_indicators(source, item, has, width)
            if width is None:
                width = len(has)
                named.extend(range(width))  # a genre no item has is a genre all the same
            pairs = [(int(column), float(has[column])) for column in np.flatnonzero(has)]
        else:
            pairs = _pairs(has)
            named.extend(aspect for aspect, _ in pairs)
        rows.extend((item, aspect, strength) for aspect, strength in pairs)
    return with_cells_read(_coded(source, roles, rows, **{"item": given, roles[1]: named}), roles[1])


def group_rows(given: Any) -> Rows:
    """Rows item, group[, share]; an item named without any group is among the ids. Without shares, a group is as much of an item as another."""
    rows = aspect_rows(given, "groups", ("item", "group", "share"))
    return replace(rows, numbers={}) if (rows.numbers["share"] == 1).all() else rows


def count_rows(given: Any) -> Rows:
    """Rows item, count."""
    rows = given.items() if isinstance(given, Mapping) else _as_rows("popularity", given, "{item: count} or rows (item, count)")
    return _coded("popularity", ("item", "count"), _of_width("popularity", rows, ("item", "count")))


def length_rows(given: Any) -> Rows:
    """Rows item, tokens; also of texts and a tokenizer."""
    if isinstance(given, tuple) and len(given) == 2 and (callable(given[1]) or isinstance(given[1], str)):
        given = lengths_of(*given)
    rows = given.items() if isinstance(given, Mapping) else _as_rows("lengths", given, "{item: tokens} or rows (item, tokens)")
    found = _of_width("lengths", rows, ("item", "tokens"))
    for item, tokens in found:
        if isinstance(tokens, bool | np.bool_):
            raise InputError(f"lengths: that of item {quoted(item)} is {tokens}, expected a whole number from 1")
    return _coded("lengths", ("item", "tokens"), found)


def _of_width(source: str, rows: Iterable[Sequence[Any]], columns: tuple[str, ...]) -> list[Sequence[Any]]:
    found = list(rows)
    for number, row in enumerate(found):
        if len(row) != len(columns):
            raise InputError(f"{source}: row {number} has {len(row)} values, expected ({', '.join(columns)})")
    return found


def subtopic_rows(given: Any) -> Rows:
    """Rows user, item, aspect (none for an item that is judged for nothing), grade, strength."""
    rows: list[tuple[Any, ...]] = []
    if not isinstance(given, Mapping):
        told = _rows("subtopics", given, ("user", "aspect", "item", "grade", "strength"), 3, 1.0)
        rows = [(user, item, aspect, *numbers) for user, aspect, item, *numbers in told]
    else:
        for user, judged in given.items():
            if not isinstance(judged, Mapping):
                raise InputError(f"subtopics: user {quoted(user)} has {described(judged)}, expected {{item: aspects}}")
            _check_no_frames("subtopics", "item", judged)
            for item, has in judged.items():
                if isinstance(has, int | float | np.number | np.bool_):  # a grade; whoever names one aspect by a number has it in a list
                    raise InputError(
                        f"subtopics: item {quoted(item)} of user {quoted(user)} has {described(has)}, expected [aspects] or {{aspect: grade}}; "
                        "grades or scores of items, {user: {item: number}}, are relevance or a run"
                    )
                rows.extend((user, item, aspect, grade, 1.0) for aspect, grade in _pairs(has) or [(NOTHING, 0.0)])
    return with_cells_read(_coded("subtopics", ("user", "item", "aspect", "grade", "strength"), rows), "aspect")


def feature_rows(given: Any) -> Rows:
    """One row per vector, or rows item, feature, value."""
    roles = ("item", "feature", "value")
    notices = []
    if isinstance(given, tuple) and len(given) == 2:
        ids, matrix = given
    elif isinstance(given, np.ndarray) or is_sparse(given):
        ids, matrix = range(given.shape[0]), given
        notices.append(Notice("numbered_vectors", given.shape[0], level="note"))
    elif isinstance(given, Mapping):
        _check_no_frames("features", "item", given)
        if _has_names(given):
            rows = ((item, name, value) for item, has in given.items() for name, value in dict(_pairs(has)).items())
            return with_cells_read(_coded("features", roles, rows, item=given), "feature")
        ids, matrix = list(given), _matrix_of(given)
    elif isinstance(given, list) and all(isinstance(row, tuple) for row in given):
        return with_cells_read(_coded("features", roles, _rows("features", given, roles, 2, 1.0)), "feature")
    else:
        raise InputError(
            "features: expected {item: vector}, {item: {feature: value}}, (ids, matrix), a matrix, rows (item, feature[, value]), a frame or "
            f"the path of a file, found {described(given)}"
        )
    if isinstance(matrix, np.ndarray):
        matrix = as_array(matrix, "features")
    items = id_column("features", "item", _plain(ids))
    n_rows = matrix.shape[0] if hasattr(matrix, "shape") else len(matrix)  # len() of a sparse matrix is an error
    if len(items.codes) != n_rows:
        raise InputError(f"features: {len(items.codes)} ids for {n_rows} vectors")
    return Rows("features", {"item": items}, matrix=matrix, notices=notices)


def _has_names(given: Mapping[Any, Any]) -> bool:
    """Whether features have names, and not places in a vector."""
    return any(
        isinstance(has, Mapping | Set | str | bytes)
        or (not isinstance(has, np.ndarray) and isinstance(has, Iterable) and any(isinstance(value, str | bytes) for value in has))
        for has in given.values()
    )


def weight_rows(given: Any) -> Rows:
    """Rows [user, ]aspect, weight."""
    if not isinstance(given, Mapping):
        form = "{aspect: weight}, {user: {aspect: weight}} or rows (aspect, weight) or (user, aspect, weight)"
        rows = _as_rows("weights", given, form)
    elif any(isinstance(value, Mapping) for value in given.values()):
        for user, wants in given.items():
            if not isinstance(wants, Mapping):
                raise InputError(f"weights: user {quoted(user)} has {quoted(wants)}, expected {{aspect: weight}}")
        rows = [(user, aspect, weight) for user, wants in given.items() for aspect, weight in wants.items()]
    else:
        rows = list(given.items())
    widths = {len(row) for row in rows} or {2}
    if widths not in ({2}, {3}):
        raise InputError("weights: expected rows (aspect, weight) or (user, aspect, weight), all of one form")
    return _coded("weights", ("user", "aspect", "weight")[-widths.pop() :], rows)


def id_rows(source: str, role: str, given: Iterable[Any]) -> Rows:
    """One id per row."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{source}: expected several {role}s, found {described(given)}")
    _check_not_grouped(source, given)
    return Rows(source, {role: id_column(source, role, _plain(given))})


def id_column(source: str, role: str, values: Iterable[Any], known: Iterable[Any] = ()) -> IdColumn:
    """One id per row, or NOTHING; `known` are ids to be known even without a row."""
    codes: dict[Any, int] = {}
    code_objects(role, source, known, codes)
    return IdColumn(np.array(code_objects(role, source, values, codes), dtype=np.int32), list(codes))


def _coded(source: str, roles: Sequence[str], given: Iterable[Sequence[Any]], **known: Iterable[Any]) -> Rows:
    """Rows with an id or a number for each role, ids first; `known` are ids, by role, to be known even without a row."""
    rows = list(given)
    places = {role: place for place, role in enumerate(roles)}
    ids = {role: id_column(source, role, (row[places[role]] for row in rows), known.get(role, ())) for role in roles if role not in NUMBERS}
    n_named = min(len(ids), 2)  # in errors

    def read(role: str) -> npt.NDArray[Any]:
        return np.array([_number(row[places[role]], source, role, *row[:n_named]) for row in rows])

    measured = [role for role in roles if role in NUMBERS]
    return Rows(source, ids, dict(zip(measured, each(partial(read, role) for role in measured), strict=True)))


def is_sparse(given: Any) -> bool:
    """Whether something is a sparse matrix or array of scipy, which is not imported to see that."""
    return callable(getattr(given, "tocsr", None))


def _matrix_rows(source: str, matrix: Any, roles: tuple[str, str, str], ids: Sequence[Any] | None = None) -> Rows:
    """The entries of a matrix as rows: its row and column numbers are ids, unless `ids` has those of its rows.

    An entry that is 0 is none, but for a score. Items without an aspect, and aspects without an item, are known.
    """
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{source}: the matrix holds {matrix.dtype}, expected numbers")
    if is_sparse(matrix):
        stored = matrix.tocsr(copy=True)
        stored.sum_duplicates()
        first, second = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr)), stored.indices
        values = stored.data
    else:
        first, second = np.nonzero(matrix)
        values = matrix[first, second]
    if roles[2] != "score":
        first, second, values = (array[values != 0] for array in (first, second, values))
    numbers = values.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers.astype(matrix.dtype) != values))
    if len(bad):
        _number(values[bad[0]].item(), source, roles[2], int(first[bad[0]]), int(second[bad[0]]))
    n_rows, n_columns = matrix.shape
    if ids is not None and len(ids) != n_rows:
        raise InputError(f"{source}: {len(ids)} ids for a matrix with {n_rows} rows")
    if roles[0] == "item":
        owners = id_column(source, roles[0], range(n_rows) if ids is None else ids)
        columns = {
            roles[0]: replace(owners, codes=owners.codes[first]),
            roles[1]: IdColumn(second.astype(np.int32), list(range(n_columns))),
        }
    else:
        coded = ((role, np.unique(codes, return_inverse=True)) for role, codes in zip(roles, (first, second), strict=False))
        columns = {role: IdColumn(codes.astype(np.int32), found.tolist()) for role, (found, codes) in coded}
    notices = [Notice("numbered_ids", detail={"shape": f"{n_rows:,} x {n_columns:,}"})] if ids is None else []
    return Rows(source, columns, {roles[2]: numbers}, notices=notices)


def _plain(values: Iterable[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _several(given: Any) -> list[Any]:
    """Several things, or one that is not a collection (text is one thing, not its letters)."""
    return _plain(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]


def _pairs(has: Any) -> list[tuple[Any, Any]]:
    """What something has, with how much of each: 1 where it is only named."""
    return list(has.items()) if isinstance(has, Mapping) else [(name, 1.0) for name in _several(has)]


def _check_list(source: str, user: Any, entries: Any) -> None:
    if isinstance(entries, str | bytes) or not isinstance(entries, Iterable) or _is_frame(entries):
        found = f"{described(entries)}, expected items{_other_door(source)}"
    elif isinstance(entries, Set):
        found = "a set, which has no order; expected a list, best first"
    elif (named := getattr(getattr(entries, "index", None), "name", None)) in ("item", "item_id", "itemId", "movieId", "movie_id"):
        found = f"a series with {named!r} as its index; give series.to_dict() if its values are scores, or series.index for a list of items"
    else:
        return
    raise InputError(f"{source}: the list of user {quoted(user)} is {found}")


def _check_scores(source: str, user: Any, entries: Mapping[Any, Any]) -> None:
    """Scores are no lists; of the first it is seen."""
    score = next(iter(entries.values()), None)
    if isinstance(score, Iterable) and not isinstance(score, str | bytes) and not getattr(score, "ndim", 1) == 0:
        raise InputError(f"{source}: the list of user {quoted(user)} is a mapping of lists, expected items{_other_door(source)}")


def _other_door(source: str) -> str:
    """What to call, should these lists be those of several systems, or of one where several were expected."""
    is_one = source in ("rankings", "recommendations")
    return "; several systems, each with its own lists, go to evaluate_systems" if is_one else "; the lists of one system go to evaluate"


def _check_no_pairs(source: str, roles: tuple[str, str, str], owner: Any, entries: Sequence[Any]) -> None:
    """Items with scores come in a mapping. A pair with a fraction in it is no id, nor is one that cannot be hashed."""
    first = entries[0] if len(entries) else None
    if not isinstance(first, tuple | list) or len(first) != 2 or isinstance(first[0], float):  # such as coordinates
        return
    if isinstance(first[1], float | np.floating) or (isinstance(first, list) and isinstance(first[1], int | np.number)):
        owners, items, numbers = roles
        form = f"{{{owners}: {{{items}: {numbers}}}}}"
        raise InputError(f"{source}: {owners} {quoted(owner)} has pairs such as {quoted(first)}, expected {form}, as dict(pairs) makes it")


def _is_frame(given: Any) -> bool:
    """A frame, not one of its columns, which is a list like any other."""
    return hasattr(given, "columns")


def _check_no_frames(source: str, role: str, given: Mapping[Any, Any]) -> None:
    for owner, has in given.items():
        if _is_frame(has):
            raise InputError(f"{source}: {role} {quoted(owner)} has {described(has)}, expected a list; a frame is given as it is")


def _check_not_grouped(source: str, given: Any) -> None:
    if "GroupBy" in type(given).__name__:
        raise InputError(f"{source}: found {described(given)}, expected the frame itself, which need not be grouped")


def _as_rows(source: str, given: Any, forms: str, hint: str = "") -> list[tuple[Any, ...]]:
    """Rows of any length."""
    _check_not_grouped(source, given)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable) or hasattr(given, "tocsr"):
        raise InputError(f"{source}: expected {forms}, a frame or the path of a file, found {described(given)}")
    if hasattr(given, "__arrow_c_stream__") or _is_frame(given):
        raise InputError(f"{source}: expected {forms}, found {described(given)}; asp.evaluate reads frames and files")
    rows = []
    for number, row in enumerate(given):
        if isinstance(row, Mapping):
            raise InputError(f"{source}: row {number} is a dict; give pandas.DataFrame(rows), or rows as tuples")
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InputError(f"{source}: row {number} is {described(row)}, expected {forms}{hint}")
        rows.append(tuple(_plain(row)))
    return rows


def _rows(source: str, given: Any, columns: tuple[str, ...], least: int, filling: Any, hint: str = "") -> Iterable[tuple[Any, ...]]:
    """Rows with a value for each column; `filling` stands for those that are left out at the end."""
    form = f"({', '.join(columns[:least])}{''.join(f'[, {name}]' for name in columns[least:])})"
    owner, what = columns[0], columns[-1]
    mappings = {2: f"{{{owner}: [{columns[1]}s]}}, {{{owner}: {{{columns[1]}: {what}}}}}", 3: "{user: {item: [aspects]}}"}
    for number, values in enumerate(_as_rows(source, given, f"{mappings[least]} or rows {form}", hint)):
        if not least <= len(values) <= len(columns):
            raise InputError(f"{source}: row {number} has {len(values)} values, expected {form}{hint}")
        yield values + (filling,) * (len(columns) - len(values))


def _from_ranx(source: str, given: Any, expected: str) -> Any:
    """Runs and judgments of ranx as the dictionaries they hold, in its order; everything else as it is."""
    kind = type(given)
    if kind.__module__.partition(".")[0] != "ranx":
        return given
    if kind.__name__ != expected:
        raise InputError(f"{source}: found {kind.__name__} of ranx, expected its {expected}")
    return given.to_dict()


def _number(value: Any, source: str, what: str, *where: Any) -> float:
    try:
        number = math.nan if isinstance(value, np.complexfloating) or value is np.ma.masked else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not abs(number) < 2**53 and (not math.isfinite(number) or is_rounded(value)):
        expected = WHOLE_NUMBERS if is_rounded(value) else "a finite number"
        raise InputError(f"{source}: the {what} of {', '.join(map(quoted, where))} is {quoted(value)}, expected {expected}")
    return number


def _check_no_indicators(source: str, given: Mapping[Any, Any]) -> None:
    """A list names aspects, hardly any of them twice: several of one length above 2 that hold 0 and 1 only were meant as arrays."""
    lists = [has for has in given.values() if isinstance(has, list | tuple)]
    if len(lists) < max(2, len(given)) or len({len(has) for has in lists}) > 1 or len(lists[0]) < 3:
        return
    if all(isinstance(flag, int | float) and flag in (0, 1) for has in lists for flag in has):
        raise InputError(
            f"{source}: every item has a list of {len(lists[0])} times 0 or 1, and a list names aspects; give arrays, as in "
            f"{{{quoted(next(iter(given)))}: numpy.array([1, 0])}}, for rows of 0 and 1"
        )


def _check_indicators(source: str, item: Any, has: npt.NDArray[Any], width: int | None) -> None:
    as_array(has, f"{source}: the array of item {quoted(item)}")
    if has.ndim != 1 or (width is not None and len(has) != width):
        expected = "one dimension" if width is None else f"({width},) as for the items before"
        raise InputError(f"{source}: the array of item {quoted(item)} has shape {has.shape}, expected {expected}")
    if len(has) and not ((has >= 0) & (has <= 1)).all():
        raise InputError(
            f"{source}: the array of item {quoted(item)} is not 0/1; give aspects by name as a list, or strengths between 0 and 1"
        )


def _matrix_of(given: Mapping[Any, Any]) -> npt.NDArray[Any]:
    """A dense matrix from vectors."""
    vectors = [as_array(vector, f"features: the vector of item {quoted(item)}") for item, vector in given.items()]
    for item, vector in zip(given, vectors, strict=True):
        if vector.ndim != 1 or len(vector) != len(vectors[0]):
            raise InputError(f"features: the vector of item {quoted(item)} has shape {vector.shape}, expected {vectors[0].shape}")
    return np.array(vectors) if vectors else np.empty((0, 0))
