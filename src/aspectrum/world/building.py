"""From plain Python objects to worlds: every id gets a code, every input becomes arrays."""

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Flags, Floats, Offsets, no_segments
from aspectrum.errors import InputError
from aspectrum.world.aspects import Aspects, Subtopics, Weights, check_strengths
from aspectrum.world.features import Features, SparseRows
from aspectrum.world.ids import Codebook, Ids, shown
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance
from aspectrum.world.world import World

Ties = Literal["input", "ascending", "descending"]
"""Which of two items with equal scores comes first: as given, the smaller id, the larger id."""

_TRUTH = ("aspects", "relevance", "history", "subtopics", "features", "weights")


def build_worlds(
    systems: Mapping[str, Any],
    *,
    aspects: Any = None,
    relevance: Any = None,
    history: Any = None,
    subtopics: Any = None,
    features: Any = None,
    weights: Any = None,
    catalogue: Iterable[Hashable] | None = None,
    items: Iterable[Hashable] | None = None,
    users: Iterable[Hashable] | None = None,
    threshold: float = 1.0,
    history_threshold: float | None = None,
    ties: Ties = "input",
    one_aspect_per_item: bool = False,
    features_are_sets: bool = False,
    users_in_one_block: bool = False,
) -> dict[str, World]:
    """One world per system, all with the same truth and the same codes.

    Args:
        systems: Lists by name of the system.
        items: Items that `aspects` knows, even those it gives no aspect.
        users: Users to be known even if nothing else names them.
        threshold: The grade from which an item is relevant.
        history_threshold: If given, only history rows with at least this grade count.
        ties: Which of two items with equal scores comes first.
        one_aspect_per_item: Only the first aspect of an item counts.
        features_are_sets: Whether an item has a feature counts, not its value.
        users_in_one_block: Rows of a user must stand together.
    """
    if isinstance(threshold, str | bool) or not np.isfinite(threshold):
        raise InputError(f"threshold is {threshold!r}, expected a number")
    truth = {
        "aspects": aspects,
        "relevance": relevance,
        "history": history,
        "subtopics": subtopics,
        "features": features,
        "weights": weights,
    }
    coded = {name: isinstance(lists, Rankings) for name, lists in systems.items()}
    if any(coded.values()):
        if not all(coded.values()):
            plain = next(name for name, is_coded in coded.items() if not is_coded)
            raise InputError(f"system {plain!r} comes with ids while others come as Rankings (codes): give all in one form")
        if items is not None:
            raise InputError("items goes with ids; codes say what is known by Aspects(known=...)")
        return {name: _coded_world(lists, truth, catalogue, threshold) for name, lists in systems.items()}

    builder = _Builder()
    lists = {name: builder.rankings(name, given, ties, users_in_one_block) for name, given in systems.items()}
    known = None if items is None else builder.items.codes(items, "items")
    aspect_rows = None if aspects is None else builder.aspects(aspects, one_aspect_per_item)
    n_aspects = len(builder.aspect_ids)
    graded = None if relevance is None else builder.links("relevance", relevance)
    earlier = None if history is None else builder.links("history", history)
    judged = None if subtopics is None else builder.subtopics(subtopics)
    vectors = None if features is None else builder.features(features)
    if vectors is not None and features_are_sets:
        vectors = (_as_sets(vectors[0]), vectors[1])
    wanted = None if weights is None else builder.weights(weights)
    possible = None if catalogue is None else builder.items.codes(catalogue, "catalogue")
    if users is not None:
        builder.users.codes(users, "users")
    user_ids, item_ids, aspect_ids = builder.users.ids(), builder.items.ids(), builder.aspect_ids.ids()
    n_users, n_items = len(user_ids), len(item_ids)
    names = _Names(user_ids, item_ids, aspect_ids)
    parts: dict[str, Any] = {
        "aspects": None if aspect_rows is None else _aspects(aspect_rows, known, n_items, n_aspects, names),
        "relevance": None if graded is None else Relevance(*_graded_segments("relevance", graded, n_users, names), threshold),
        "history": None if earlier is None else _history(earlier, n_users, names, history_threshold),
        "subtopics": None if judged is None else _subtopics(judged, n_users, names),
        "features": None if vectors is None else Features(vectors[0], _inverse(vectors[1], n_items, names)),
        "weights": None if wanted is None else _weights(wanted, n_users, len(aspect_ids), names),
        "catalogue": None if possible is None else _flags(possible, n_items),
    }
    worlds = {
        name: World(_rankings(columns, n_users), users=user_ids, items=item_ids, aspect_ids=aspect_ids, **parts)
        for name, columns in lists.items()
    }
    for world in worlds.values():
        world.share_memory(next(iter(worlds.values())))
    return worlds


def _coded_world(rankings: Rankings, truth: Mapping[str, Any], catalogue: Any, threshold: float) -> World:
    kinds = {
        "aspects": Aspects,
        "relevance": Relevance,
        "history": History,
        "subtopics": Subtopics,
        "features": Features,
        "weights": Weights,
    }
    for name in _TRUTH:
        if truth[name] is not None and not isinstance(truth[name], kinds[name]):
            raise InputError(
                f"{name} comes as {type(truth[name]).__name__} while rankings come as codes: give {kinds[name].__name__}, or ids everywhere"
            )
    parts = dict(truth)
    if parts["relevance"] is not None and threshold != 1.0:
        relevance = parts["relevance"]
        parts["relevance"] = Relevance(relevance.offsets, relevance.items, relevance.grades, threshold)
    return World(rankings, catalogue=None if catalogue is None else np.asarray(catalogue), **parts)


class _Names:
    """Ids for error messages."""

    def __init__(self, users: Ids, items: Ids, aspects: Ids) -> None:
        self._users, self._items, self._aspects = users, items, aspects

    def user(self, code: int) -> str:
        return f"user {shown(self._users[code])}"

    def item(self, code: int) -> str:
        return f"item {shown(self._items[code])}"

    def aspect(self, code: int) -> str:
        return f"aspect {shown(self._aspects[code])}"


class _Builder:
    """Reads inputs into columns of codes, giving codes as it goes."""

    def __init__(self) -> None:
        self.users = Codebook("user")
        self.items = Codebook("item")
        self.aspect_ids = Codebook("aspect")

    def rankings(
        self, source: str, given: Any, ties: Ties, in_one_block: bool
    ) -> tuple[list[int], list[int], list[int], list[bool] | None]:
        """Listed users, and the columns user, item, tied; the rows of a user stand together, best first."""
        listed: list[int] = []
        users: list[int] = []
        items: list[int] = []
        tied: list[bool] = []
        scored = False
        for user, entries in _by_user(source, given, in_one_block):
            code = self.users.code(user, source)
            listed.append(code)
            if isinstance(entries, Mapping):
                scored = True
                ordered, equal = _by_score(source, user, entries, ties)
                tied.extend(equal)
            else:
                ordered = _plain(entries)
                tied.extend([False] * len(ordered))
            items.extend(self.items.codes(ordered, source))
            users.extend([code] * len(ordered))
        return listed, users, items, tied if scored else None

    def links(self, source: str, given: Any) -> tuple[list[int], list[int], list[float]]:
        """Columns user, item, grade (1 if none is given)."""
        users: list[int] = []
        items: list[int] = []
        grades: list[float] = []
        for user, item, grade in _link_rows(source, given):
            users.append(self.users.code(user, source))
            items.append(self.items.code(item, source))
            grades.append(_number(grade, source, "grade", user, item))
        return users, items, grades

    def aspects(self, given: Any, first_only: bool) -> tuple[list[int], list[int], list[float], list[int]]:
        """Columns item, aspect, strength, and every item that was named."""
        items: list[int] = []
        aspects: list[int] = []
        strengths: list[float] = []
        named: list[int] = []
        seen: set[int] = set()
        for item, aspect, strength in self._aspect_rows(given):
            code = self.items.code(item, "aspects")
            if aspect is not _NOTHING:
                aspect_code = self.aspect_ids.code(aspect, "aspects")  # also of an aspect that does not count here
            again = first_only and code in seen
            named.append(code)
            seen.add(code)
            if aspect is _NOTHING or again:
                continue
            items.append(code)
            aspects.append(aspect_code)
            strengths.append(_number(strength, "aspects", "strength", item, aspect))
        return items, aspects, strengths, named

    def _aspect_rows(self, given: Any) -> Iterable[tuple[Any, Any, Any]]:
        if not isinstance(given, Mapping):
            yield from _padded_rows("aspects", given, ("item", "aspect", "strength"), 2, 1.0)
            return
        width = None
        for item, has in given.items():
            if isinstance(has, np.ndarray) and has.dtype.kind in "biuf":
                width = _check_indicators(item, has, width)
                for aspect in range(width) if not self.aspect_ids else ():
                    self.aspect_ids.code(aspect, "aspects")  # a genre no item has is a genre all the same
                pairs = [(int(column), float(has[column])) for column in np.flatnonzero(has)]
            elif isinstance(has, Mapping):
                pairs = list(has.items())
            else:
                pairs = [(aspect, 1.0) for aspect in _several(has)]
            yield from ((item, aspect, strength) for aspect, strength in pairs)
            if not pairs:
                yield item, _NOTHING, 1.0

    def subtopics(self, given: Any) -> tuple[list[int], list[int], list[int], list[float], list[float]]:
        """Columns user, item, aspect, grade, strength."""
        columns: tuple[list[int], list[int], list[int], list[float], list[float]] = ([], [], [], [], [])
        for user, aspect, item, grade, strength in _subtopic_rows(given):
            columns[0].append(self.users.code(user, "subtopics"))
            columns[1].append(self.items.code(item, "subtopics"))
            columns[2].append(-1 if aspect is _NOTHING else self.aspect_ids.code(aspect, "subtopics"))
            columns[3].append(_number(grade, "subtopics", "grade", user, item))
            columns[4].append(_number(strength, "subtopics", "strength", user, item))
        return columns

    def features(self, given: Any) -> tuple[Any, list[int]]:
        """The matrix, and the item of each of its rows."""
        if isinstance(given, tuple) and len(given) == 2:
            ids, matrix = given
        elif isinstance(given, np.ndarray) or hasattr(given, "tocsr"):
            ids, matrix = range(given.shape[0]), given
        elif isinstance(given, Mapping):
            ids, matrix = list(given), _matrix_of(given)
        else:
            raise InputError(f"features: expected {{item: vector}}, (ids, matrix) or a matrix, found {type(given).__name__}")
        codes = self.items.codes(_plain(ids), "features")
        n_rows = len(matrix.offsets) - 1 if isinstance(matrix, SparseRows) else matrix.shape[0] if hasattr(matrix, "shape") else len(matrix)
        if len(codes) != n_rows:
            raise InputError(f"features: {len(codes)} ids for {n_rows} vectors")
        return matrix, codes

    def weights(self, given: Any) -> tuple[list[int] | None, list[int], list[float]]:
        """Columns user (None: for everybody), aspect, weight."""
        rows: list[tuple[Any, ...]]
        if isinstance(given, Mapping):
            if any(isinstance(value, Mapping) for value in given.values()):
                for user, wants in given.items():
                    if not isinstance(wants, Mapping):
                        raise InputError(f"weights: user {shown(user)} has {shown(wants)}, expected {{aspect: weight}}")
                rows = [(user, aspect, weight) for user, wants in given.items() for aspect, weight in wants.items()]
            else:
                rows = list(given.items())
        else:
            rows = [tuple(row) for row in given]
        widths = {len(row) for row in rows}
        if not widths <= {2} and not widths <= {3}:
            raise InputError("weights: expected rows (aspect, weight) or (user, aspect, weight), all of one form")
        users = None if widths <= {2} else [self.users.code(row[0], "weights") for row in rows]
        aspects = [self.aspect_ids.code(row[-2], "weights") for row in rows]
        return users, aspects, [_number(row[-1], "weights", "weight", *row[:-1]) for row in rows]


class _Nothing:
    pass


_NOTHING = _Nothing()


def _plain(values: Iterable[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _several(given: Any) -> list[Any]:
    """Several things, or one that is not a collection (text is one thing, not its letters)."""
    return _plain(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]


def _by_user(source: str, given: Any, in_one_block: bool) -> Iterable[tuple[Any, Any]]:
    """Each user with a list of items, or a mapping of items to scores."""
    if isinstance(given, Mapping):
        for user, entries in given.items():
            if isinstance(entries, str | bytes) or not isinstance(entries, Iterable):
                raise InputError(f"{source}: the list of user {shown(user)} is {shown(entries)}, expected items")
            if isinstance(entries, Set):
                raise InputError(f"{source}: the list of user {shown(user)} is a set, which has no order; expected a list, best first")
            yield user, entries
        return
    lists: dict[Any, list[Any]] = {}
    scores: dict[Any, dict[Any, Any]] = {}
    last: Any = _NOTHING
    for row in _rows(source, given, ("user", "item", "score"), 2):
        if in_one_block and row[0] != last and (row[0] in lists or row[0] in scores):
            raise InputError(f"{source}: the rows of user {shown(row[0])} stand in two blocks, expected one")
        last = row[0]
        if len(row) == 2:
            lists.setdefault(row[0], []).append(row[1])
        else:
            mine = scores.setdefault(row[0], {})
            if row[1] in mine:
                raise InputError(f"{source}: the list of user {shown(row[0])} names item {shown(row[1])} twice")
            mine[row[1]] = row[2]
    if lists and scores:
        raise InputError(f"{source}: some rows have a score and some have none")
    yield from lists.items()
    yield from scores.items()


def _by_score(source: str, user: Any, scores: Mapping[Any, Any], ties: Ties) -> tuple[list[Any], list[bool]]:
    values = {item: _number(score, source, "score", user, item) for item, score in scores.items()}
    items = list(values)
    if ties != "input":
        items.sort(reverse=ties == "descending")
    items.sort(key=lambda item: -values[item])
    return items, [place > 0 and values[item] == values[items[place - 1]] for place, item in enumerate(items)]


def _rows(source: str, given: Any, columns: tuple[str, ...], least: int) -> Iterable[tuple[Any, ...]]:
    form = f"({', '.join(columns[:least])}{''.join(f'[, {name}]' for name in columns[least:])})"
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{source}: expected a mapping or rows {form}, found {shown(given)}")
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns"):
        raise InputError(f"{source}: expected a mapping or rows {form}, found a {type(given).__name__}; give its rows as tuples")
    for number, row in enumerate(given):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InputError(f"{source}: row {number} is {shown(row)}, expected {form}")
        values = tuple(_plain(row))
        if not least <= len(values) <= len(columns):
            raise InputError(f"{source}: row {number} has {len(values)} values, expected {form}")
        yield values


def _padded_rows(source: str, given: Any, columns: tuple[str, ...], least: int, filling: Any) -> Iterable[Any]:
    for row in _rows(source, given, columns, least):
        yield row + (filling,) * (len(columns) - len(row))


def _link_rows(source: str, given: Any) -> Iterable[tuple[Any, Any, Any]]:
    if not isinstance(given, Mapping):
        yield from _padded_rows(source, given, ("user", "item", "grade"), 2, 1.0)
        return
    for user, entries in given.items():
        if isinstance(entries, Mapping):
            yield from ((user, item, grade) for item, grade in entries.items())
        elif isinstance(entries, Iterable) and not isinstance(entries, str | bytes):
            yield from ((user, item, 1.0) for item in _plain(entries))
        else:
            raise InputError(f"{source}: user {shown(user)} has {shown(entries)}, expected items")


def _subtopic_rows(given: Any) -> Iterable[tuple[Any, Any, Any, Any, Any]]:
    if not isinstance(given, Mapping):
        yield from _padded_rows("subtopics", given, ("user", "aspect", "item", "grade", "strength"), 3, 1.0)
        return
    for user, judged in given.items():
        if not isinstance(judged, Mapping):
            raise InputError(f"subtopics: user {shown(user)} has {shown(judged)}, expected {{item: aspects}}")
        for item, has in judged.items():
            pairs = list(has.items()) if isinstance(has, Mapping) else [(aspect, 1.0) for aspect in _several(has)]
            yield from ((user, aspect, item, grade, 1.0) for aspect, grade in pairs or [(_NOTHING, 0.0)])


def _number(value: Any, source: str, what: str, *where: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise InputError(f"{source}: the {what} of {', '.join(map(shown, where))} is {shown(value)}, expected a finite number")
    return number


def _check_indicators(item: Any, has: npt.NDArray[Any], width: int | None) -> int:
    if has.ndim != 1 or (width is not None and len(has) != width):
        raise InputError(f"aspects: the array of item {shown(item)} has shape {has.shape}, expected ({width},) as for the items before")
    if len(has) and not ((has >= 0) & (has <= 1)).all():
        raise InputError(
            f"aspects: the array of item {shown(item)} is not 0/1; give aspects by name as a list, or strengths between 0 and 1"
        )
    return len(has)


def _matrix_of(given: Mapping[Any, Any]) -> Any:
    """A dense matrix from vectors, or a sparse one from {feature: value} or from names of features."""
    named = any(
        isinstance(has, Mapping | Set | str | bytes)
        or (not isinstance(has, np.ndarray) and isinstance(has, Iterable) and any(isinstance(value, str | bytes) for value in has))
        for has in given.values()
    )
    if not named:
        vectors = [np.asarray(vector) for vector in given.values()]
        for item, vector in zip(given, vectors, strict=True):
            if vector.ndim != 1 or len(vector) != len(vectors[0]):
                raise InputError(f"features: the vector of item {shown(item)} has shape {vector.shape}, expected {vectors[0].shape}")
        return np.array(vectors) if vectors else np.empty((0, 0))
    columns = Codebook("feature")
    offsets: list[int] = [0]
    indices: list[int] = []
    values: list[float] = []
    for item, has in given.items():
        pairs = has.items() if isinstance(has, Mapping) else [(name, 1.0) for name in dict.fromkeys(_several(has))]
        row = sorted((columns.code(name, "features"), _number(value, "features", "value", item, name)) for name, value in pairs)
        indices.extend(column for column, value in row if value)
        values.extend(value for _, value in row if value)
        offsets.append(len(indices))
    columns.ids()
    return SparseRows(np.array(offsets, np.int64), np.array(indices, np.int32), np.array(values, np.float64), len(columns))


def _as_sets(matrix: Any) -> Any:
    """1 for every value that is not 0."""
    sparse = SparseRows.from_matrix(matrix) if hasattr(matrix, "tocsr") else matrix
    if isinstance(sparse, SparseRows):
        return SparseRows(sparse.offsets, sparse.columns, np.ones(len(sparse.values)), sparse.width)
    return (np.asarray(matrix) != 0).astype(np.float64)


def _rankings(columns: tuple[list[int], list[int], list[int], list[bool] | None], n_users: int) -> Rankings:
    listed, users, items, tied = columns
    offsets, order = kernels.group_rows(np.array(users, dtype=np.int32), n_users)
    return Rankings(
        offsets,
        np.array(items, dtype=np.int32)[order],
        None if tied is None else np.array(tied, dtype=np.bool_)[order],
        _flags(listed, n_users),
    )


def _segments(users: npt.NDArray[Any], items: Codes, n_users: int) -> tuple[Offsets, npt.NDArray[Any]]:
    """Offsets, and the order that sorts by user, then item."""
    order = np.lexsort((items, users))
    return np.concatenate(([0], np.cumsum(np.bincount(users, minlength=n_users)))).astype(np.int64), order


def _graded_segments(
    source: str, columns: tuple[list[int], list[int], list[float]], n_users: int, names: _Names
) -> tuple[Offsets, Codes, Floats]:
    users, items, grades = (np.array(columns[0], np.int32), np.array(columns[1], np.int32), np.array(columns[2], np.float64))
    order = np.lexsort((items, users))
    users, items, grades = users[order], items[order], grades[order]
    again = np.flatnonzero((np.diff(users) == 0) & (np.diff(items) == 0))
    contradict = again[grades[again] != grades[again + 1]]
    if len(contradict):
        at = int(contradict[0])
        raise InputError(
            f"{source}: {names.user(int(users[at]))} and {names.item(int(items[at]))} have two grades, {grades[at]:g} and {grades[at + 1]:g}"
        )
    keep = np.ones(len(users), dtype=np.bool_)
    keep[again + 1] = False
    users, items, grades = users[keep], items[keep], grades[keep]
    return _segments(users, items, n_users)[0], items, grades


def _history(columns: tuple[list[int], list[int], list[float]], n_users: int, names: _Names, threshold: float | None) -> History:
    users, items, grades = columns
    if threshold is not None:
        kept = [place for place, grade in enumerate(grades) if grade >= threshold]
        users, items = [users[place] for place in kept], [items[place] for place in kept]
    # Only whether an item was there matters, so repeated rows with different grades are no contradiction.
    offsets, unique_items, _ = _graded_segments("history", (users, items, [1.0] * len(users)), n_users, names)
    return History(offsets, unique_items)


def _aspects(
    columns: tuple[list[int], list[int], list[float], list[int]], known: list[int] | None, n_items: int, n_aspects: int, names: _Names
) -> Aspects:
    items, aspects = np.array(columns[0], np.int32), np.array(columns[1], np.int32)
    strengths = np.array(columns[2], np.float64)
    order = np.lexsort((aspects, items))
    items, aspects, strengths = items[order], aspects[order], strengths[order]
    again = np.flatnonzero((np.diff(items) == 0) & (np.diff(aspects) == 0))
    contradict = again[strengths[again] != strengths[again + 1]]
    if len(contradict):
        at = int(contradict[0])
        raise InputError(f"aspects: {names.item(int(items[at]))} and {names.aspect(int(aspects[at]))} have two strengths")
    keep = np.ones(len(items), dtype=np.bool_)
    keep[again + 1] = False
    items, aspects, strengths = items[keep], aspects[keep], strengths[keep]
    bad = np.flatnonzero((strengths <= 0) | (strengths > 1))
    if len(bad):
        at = int(bad[0])
        raise InputError(
            f"aspects: the strength of {names.item(int(items[at]))}, {names.aspect(int(aspects[at]))} is {strengths[at]:g}, "
            "expected above 0 and at most 1"
        )
    return Aspects(
        _segments(items, aspects, n_items)[0],
        aspects,
        n_aspects,
        None if (strengths == 1).all() else strengths,
        _flags(columns[3] + (known or []), n_items),
    )


def _subtopics(columns: tuple[list[int], list[int], list[int], list[float], list[float]], n_users: int, names: _Names) -> Subtopics:
    users, items, aspects, grades, strengths = columns
    seen: dict[tuple[int, int, int], tuple[float, float]] = {}
    for user, item, aspect, grade, strength in zip(users, items, aspects, grades, strengths, strict=True):
        before = seen.setdefault((user, item, aspect), (grade, strength))
        if before != (grade, strength):
            raise InputError(
                f"subtopics: {names.user(user)}, {names.item(item)}, {names.aspect(aspect)} is judged twice, {before[0]:g} and {grade:g}"
            )
        if grade >= 1 and not 0 < strength <= 1:
            check_strengths(np.array([strength]))
    plain = all(strength == 1.0 for strength in strengths)
    return Subtopics.from_rows(
        np.array(users, np.int32),
        np.array(items, np.int32),
        np.array(aspects, np.int32),
        np.array(grades, np.float64),
        None if plain else np.array(strengths, np.float64),
        n_users=n_users,
    )


def _weights(columns: tuple[list[int] | None, list[int], list[float]], n_users: int, n_aspects: int, names: _Names) -> Weights:
    users, aspects, weights = columns
    seen = set()
    for user, aspect in zip(users if users is not None else [0] * len(aspects), aspects, strict=True):
        if (user, aspect) in seen:
            whose = "" if users is None else f"{names.user(user)}, "
            raise InputError(f"weights: {whose}{names.aspect(aspect)} has two weights")
        seen.add((user, aspect))
    if users is None:
        shared = np.zeros(n_aspects)
        shared[aspects] = weights
        return Weights(shared)
    if not users:
        return Weights(None, no_segments(n_users), np.empty(0, np.int32), np.empty(0))
    codes = np.array(aspects, np.int32)
    offsets, order = _segments(np.array(users, np.int32), codes, n_users)
    return Weights(None, offsets, codes[order], np.array(weights, np.float64)[order])


def _inverse(items_of_rows: list[int], n_items: int, names: _Names) -> Codes:
    rows = np.full(n_items, -1, dtype=np.int32)
    for row, item in enumerate(items_of_rows):
        if rows[item] != -1:
            raise InputError(f"features: {names.item(item)} has two vectors")
        rows[item] = row
    return rows


def _flags(codes: list[int], n: int) -> Flags:
    flags = np.zeros(n, dtype=np.bool_)
    flags[codes] = True
    return flags
