"""From a table to the rows of one input: which column is what, ids to codes, numbers that are numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import WHOLE_NUMBERS, Codes, Floats, is_rounded
from aspectrum.coding.cells import written_lists
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError, joined
from aspectrum.inputs import FIRST_TIME, NUMBERS, InputSpec
from aspectrum.io.columns import find_columns, is_aside, is_flag_name, is_spelling, is_typed, names_a_user
from aspectrum.io.frames import as_number, id_column
from aspectrum.io.source import Source
from aspectrum.io.tables import Table
from aspectrum.io.text import TextTable, reads_as_number

if TYPE_CHECKING:
    import polars

_FEW_ROWS = 10  # of which nothing can be said for sure
_TREC = {
    "run": {"user": 0, "item": 2, "rank": 3, "score": 4},
    "qrels": {"user": 0, "aspect": 1, "item": 2, "grade": 3},
}


Columns = tuple[dict[str, IdColumn], dict[str, Floats], Sequence[int]]
"""Ids and numbers by role, and which row of the table each row is from."""


def rows_of(source: Source, spec: InputSpec, table: Table) -> Rows:
    """Rows of a table whose columns are ids and numbers."""
    return first_rows(source, spec, table)[0]


def first_rows(source: Source, spec: InputSpec, table: Table) -> tuple[Rows, Sequence[int], Mapping[str, int]]:
    """The same, with the row of the table that each is from, and where the columns are: more rows of the table may follow."""
    places = _places(source, spec, table)
    several = (table.names or ())[places[spec.split]] if spec.split in places and table.names else ""
    is_sequence = source.split is None and is_typed(several, "token_seq")
    if is_sequence:
        source = replace(source, split=" ")
    is_plain_qrels = table.layout == "qrels" and "aspect" not in (*spec.roles, *places)
    looked_at = {**places, "aspect": _TREC["qrels"]["aspect"]} if is_plain_qrels else places
    columns, numbers, owners = _read(source, spec, table, looked_at)
    subtopics = list(_subtopics(columns.pop("aspect"))) if is_plain_qrels else []
    if table.names is None and table.layout == "table" and "score" in numbers and "score" not in source.columns:
        _check_not_ranks(table.source, columns["user"].codes, numbers["score"])
    sequences = [Notice("sequences", detail={"column": repr(several)})] if is_sequence else []
    doubts = (*_doubts(spec, source, table, places, columns), *_whitespace(columns))
    notices = (*_understood(table, places), *subtopics, *sequences, *_read_so(spec, source, table, places, columns), *doubts)
    return _rows(table, columns, numbers, owners, notices), owners, places


def more_rows(source: Source, spec: InputSpec, table: Table, places: Mapping[str, int]) -> tuple[Rows, Sequence[int]]:
    """Rows that follow those of :func:`first_rows`, which has said how they are read."""
    columns, numbers, owners = _read(source, spec, table, places)
    notices = (*_unended(table), *_whitespace(columns))
    return _rows(table, columns, numbers, owners, notices), owners


def _rows(
    table: Table, columns: dict[str, IdColumn], numbers: dict[str, Floats], owners: Sequence[int], notices: tuple[Notice, ...]
) -> Rows:
    loose = isinstance(table, TextTable) and table.n_joined > 0
    return Rows(table.source, columns, numbers, _place_of(table, owners), notices=notices, loose_blanks=loose)


def _place_of(table: Table, owners: Sequence[int]) -> Callable[[int], str]:
    return lambda row: table.place(int(owners[row]))


def _read(source: Source, spec: InputSpec, table: Table, places: Mapping[str, int]) -> Columns:
    is_plain = isinstance(table, TextTable) and source.split is None
    return _coded(spec, table, places) if is_plain else _fetched(source, spec, table, places)  # type: ignore[arg-type]


def _coded(spec: InputSpec, table: TextTable, places: Mapping[str, int]) -> Columns:
    """Ids and numbers of text, which are coded as they are read."""
    roles = {role: place for role, place in places.items() if role not in NUMBERS}
    texts, values = table.coded(sorted(set(roles.values())), sorted({place for role, place in places.items() if role in NUMBERS}))
    wrong = []
    for role, place in places.items():
        bad = np.flatnonzero(texts[place][0] < 0 if role in roles else np.isnan(values[place]))
        if len(bad) and role == "grade":
            values[place] = table.with_flags(place, values[place])
            bad = np.flatnonzero(np.isnan(values[place]))
        if len(bad) and role not in spec.may_be_missing:
            wrong.append(_wrong_cells(table, role, place, bad))
    if wrong:
        raise joined(wrong)
    table.close()
    numbers = {role: values[place] for role, place in places.items() if role not in roles}
    return {role: IdColumn(*texts[place], table.untyped) for role, place in roles.items()}, numbers, range(len(table))


def _fetched(source: Source, spec: InputSpec, table: Table, places: Mapping[str, int]) -> Columns:
    """Ids and numbers of any table, whose cells may hold several things."""
    frame = table.fetch(places, [role for role in places if role in NUMBERS])
    frame, origins, kept = _one_a_row(source, spec, table, frame)
    table.close()
    owners = origins[kept]
    numbers: dict[str, Floats] = {}
    columns: dict[str, IdColumn] = {}
    wrong = []
    for role, place in places.items():
        if role in NUMBERS:
            numbers[role] = np.ascontiguousarray(as_number(frame[role], flags=role == "grade").to_numpy()[kept], dtype=np.float64)
            if kernels.all_finite(numbers[role]):
                continue
            bad = np.flatnonzero(~np.isfinite(numbers[role]))
        else:
            column = id_column(role, frame[role], lambda row, what: _refused(table, int(origins[row]), what))
            if column.plain is not None and len(owners) == frame.height:
                columns[role] = column
                continue
            columns[role] = IdColumn(column.codes[kept], column.ids, table.untyped if hasattr(column.ids, "dtype") else None)
            bad = np.flatnonzero(columns[role].codes < 0)
        if len(bad) and role not in spec.may_be_missing:
            wrong.append(_wrong_cells(table, role, place, np.asarray(owners)[bad]))
    if wrong:
        raise joined(wrong)
    return columns, numbers, owners


def _understood(table: Table, places: Mapping[str, int]) -> Iterator[Notice]:
    """How the columns were understood."""
    if table.layout != "table":
        yield Notice(f"trec_{table.layout}")
    elif table.names is None:
        yield Notice("positions", detail={"columns": sorted(places, key=lambda role: places[role])})
    else:
        yield Notice("columns", detail={"columns": {role: table.names[place] for role, place in places.items()}})
        unused = [repr(name) for place, name in enumerate(table.names) if place not in places.values()]
        if unused:
            more = [f"and {len(unused) - 10} more"] if len(unused) > 10 else []
            yield Notice("unused_columns", detail={"columns": [*unused[:10], *more]})


def _read_so(spec: InputSpec, source: Source, table: Table, places: Mapping[str, int], columns: Mapping[str, IdColumn]) -> Iterator[Notice]:
    """What a user may not expect of how cells were read."""
    grade, names = places.get("grade"), table.names
    if grade is not None and names is not None and "grade" not in source.columns and is_flag_name(names[grade]) and table.is_flag(grade):
        yield Notice("flags", detail={"column": repr(names[grade])})
    if spec.split in spec.may_be_missing and spec.split in columns:
        n_missing = int((columns[spec.split].codes < 0).sum())
        if n_missing:
            yield Notice("null_aspects", n_missing, detail={"role": spec.split})


def _subtopics(column: IdColumn) -> Iterator[Notice]:
    """The second column of TREC qrels, where it seems to say which subtopic was judged. Halves, as in TREC-COVID, are rounds of judging."""
    found = [str(value) for value in column.ids if str(value).upper() not in ("0", "Q0")]
    if len(column.ids) > 1 and found and not any(reads_as_number(value) and not float(value).is_integer() for value in found):
        yield Notice("subtopics_as_relevance", len(column.ids), detail={"values": _some(list(map(str, column.ids)))})


def _some(values: Sequence[str]) -> str:
    return ", ".join(map(quoted, values[:3])) + " ..." * (len(values) > 3)


def _doubts(spec: InputSpec, source: Source, table: Table, places: Mapping[str, int], columns: Mapping[str, IdColumn]) -> Iterator[Notice]:
    """Where the columns could have been meant in another way."""
    yield from _unended(table)
    if table.layout != "table" or len(table) == 0:
        return
    if spec.expected and not any(role in places for role in spec.expected):
        spare = _spare(spec, table, places)
        numbers = [place for place in spare if table.is_number(place) and not _is_aside(table, place)]
        flags = [place for place in spare if "grade" in spec.expected and not numbers and table.is_flag(place)]
        for place in (numbers or flags)[:1]:
            detail = {"column": str(place + 1) if table.names is None else repr(table.names[place])}
            more = {"missing": list(spec.expected), "role": spec.expected[-1]} if numbers else {}
            yield Notice("unused_numbers" if numbers else "unused_flags", len(table), detail={**detail, **more})
    yield from _users_beside(spec, table, places)
    if isinstance(table, TextTable) and source.header is None:
        first = {"first": list(map(quoted, table.first))}
        if table.names is not None and table.width == 1:
            yield Notice("header", detail=first)
        # Names of columns are no numbers, and stand nowhere else.
        alone = all(np.count_nonzero(column.codes == column.codes[0]) == 1 for column in columns.values())
        alone = alone and not any(map(reads_as_number, table.first))
        if table.names is None and alone and len(columns) > 1 and len(columns) == table.width and len(table) > 1:
            yield Notice("no_header", detail=first, level="warning" if len(table) >= _FEW_ROWS else "note")


def _unended(table: Table) -> Iterator[Notice]:
    if isinstance(table, TextTable) and not table.ends_with_a_line:
        yield Notice("no_line_end")
    if isinstance(table, TextTable) and table.n_joined:
        yield Notice("blanks_in_ids", table.n_joined)


def _users_beside(spec: InputSpec, table: Table, places: Mapping[str, int]) -> Iterator[Notice]:
    """Counts of items in rows that name users: interactions, rather than how popular items are."""
    if spec.name == "popularity" and table.names is not None:
        named = [name for place, name in enumerate(table.names) if place not in places.values() and names_a_user(name)]
        yield from (Notice("counts_by_user", detail={"column": repr(name)}) for name in named[:1])


def _is_aside(table: Table, place: int) -> bool:
    """Whether a column of numbers is no grade, rank or score: by its name or, without one, as it holds times."""
    if table.names is not None:
        return is_aside(table.names[place])
    first = str(table.cell(0, place))
    return reads_as_number(first) and float(first) >= FIRST_TIME


def _spare(spec: InputSpec, table: Table, places: Mapping[str, int]) -> list[int]:
    """Unused columns that may hold a grade, a rank or a score."""
    unused = [place for place in range(table.width) if place not in places.values()]
    if table.names is None:
        return [place for place in unused if place > max(places.values())]  # what stands before may be an index
    # Another id is none; what says by its name that something was relevant is.
    named = [place for place in unused if not is_spelling(spec.name, spec.required, table.names[place])]
    flags = [place for place in unused if place not in named and is_flag_name(table.names[place])]
    return [*named, *flags]


def _whitespace(columns: Mapping[str, IdColumn]) -> Iterator[Notice]:
    """Ids that would match others but for whitespace around them."""
    for role, column in columns.items():
        texts = None if role == "text" else column.texts
        if texts is not None and (count := int((texts.str.strip_chars() != texts).sum())):
            yield Notice("whitespace", count, detail={"role": role})


def _refused(table: Table, row: int, what: str) -> InputError:
    return InputError(f"{table.source}, {table.place(row)}: {what}")


def _wrong_cells(table: Table, role: str, place: int, rows: Any) -> InputError:
    """The first of some rows without an id or a number, and how many there are."""
    row, more = int(rows[0]), f" (in {len(rows):,} rows)" if len(rows) > 1 else ""
    if role not in NUMBERS:
        return _refused(table, row, f"the {role} is missing{more}")
    found = table.cell(row, place)
    expected = WHOLE_NUMBERS if any(map(is_rounded, found if isinstance(found, list) else [found])) else "a finite number"
    said = f"the {role} is"
    if role == "tokens":
        said, expected = "the token count is", "a whole number"
    swapped = "; are the columns swapped?" if role in ("tokens", "count") and 1 < len(rows) == len(table) else ""
    return _refused(table, row, f"{said} {'missing' if found is None else quoted(found)}, expected {expected}{more}{swapped}")


def _places(source: Source, spec: InputSpec, table: Table) -> dict[str, int]:
    if table.layout == "table":
        is_text = isinstance(table, TextTable)
        return find_columns(table.source, spec, source.columns, table.names, table.width, source.usual, is_text, table, table.index)
    known = {role: place for role, place in _TREC[table.layout].items() if role in spec.roles}
    if source.columns:
        known |= find_columns(table.source, InputSpec(spec.name, (), spec.roles), source.columns, None, table.width)
    missing = [role for role in spec.required if role not in known]
    if missing:
        what = "a TREC run has" if table.layout == "run" else "TREC judgments have"
        raise InputError(f"{table.source}: {what} no {missing[0]}, which {spec.name} need")
    return known


def _one_a_row(source: Source, spec: InputSpec, table: Table, frame: polars.DataFrame) -> tuple[polars.DataFrame, Any, Any]:
    """Cells that hold several things, as a list or as text to split, become several rows.

    With the row of the table that each comes from, and which of them are rows: the others stand for an empty list, whose owner
    is to be known all the same.
    """
    import polars

    if source.split is not None and spec.split in frame.columns and not _is_listed(frame[spec.split]):
        frame = frame.with_columns(_split(frame[spec.split], source.split))
    owners = [
        role
        for role in ("item", "aspect", "feature", "target", "community", "group")
        if role in frame.columns and _holds_lists(frame[role])
    ]
    if not owners:
        return frame, range(frame.height), slice(None)
    if len(owners) > 1:
        raise InputError(f"{table.source}: both the {owners[0]} and the {owners[1]} come as lists, expected one of them")
    lists = owners + [role for role in frame.columns if role in NUMBERS and _holds_lists(frame[role])]
    frame = frame.with_columns([frame[role].arr.to_list() for role in lists if isinstance(frame.schema[role], polars.Array)])
    lengths = frame[lists[0]].list.len()
    for role in lists[1:]:
        odd = lengths.ne_missing(frame[role].list.len())
        if odd.any():
            raise _refused(table, int(odd.arg_max()), f"there are not as many {role}s as {lists[0]}s")  # type: ignore[arg-type]
    counts = lengths.fill_null(1).to_numpy().astype(np.int64)
    # An empty list has a row of its own here, whatever the version of polars makes of it.
    rows = np.repeat(np.arange(len(counts)), np.maximum(counts, 1))
    full = (lengths > 0).fill_null(False)
    inside = full.to_numpy()[rows]
    at = polars.Series(np.where(inside, np.cumsum(inside) - 1, -1))
    at = at.set(at < 0, None)
    columns = [frame[role].filter(full).explode().gather(at) if role in lists else frame[role].gather(rows) for role in frame.columns]
    # A judged item without aspects is a row.
    kept = slice(None) if spec.name == "subtopics" and owners == ["aspect"] else counts[rows] > 0
    return polars.DataFrame([column.alias(role) for role, column in zip(frame.columns, columns, strict=True)]), rows, kept


def _holds_lists(column: polars.Series) -> bool:
    import polars

    return isinstance(column.dtype, polars.List | polars.Array)


def _is_listed(column: polars.Series) -> bool:
    """Whether cells hold lists, be it as text, which have separators of their own."""
    import polars

    return _holds_lists(column) or (column.dtype == polars.String and written_lists(column.drop_nulls().unique()) is not None)


def _split(column: polars.Series, separator: str) -> polars.Series:
    """Lists of what stands between separators, but for blanks; null where nothing is left."""
    import polars

    if column.dtype == polars.Object:
        column = polars.Series(column.name, [None if cell is None else str(cell) for cell in column.to_list()], dtype=polars.String)
    part = polars.element().str.strip_chars()
    parts = column.cast(polars.String).str.split(separator).list.eval(part.filter(part != ""))
    return polars.select(polars.when(parts.list.len() > 0).then(parts)).to_series().alias(column.name)


def _check_not_ranks(source: str, users: Codes, scores: Floats) -> None:
    """A third column without a name that counts up for every user is a rank, and would turn every list around."""
    if len(scores) < 2 or scores.min() < 0 or not (scores == np.floor(scores)).all():
        return
    as_given = np.argsort(users, kind="stable")
    inside = np.diff(users[as_given]) == 0
    steps = np.diff(scores[as_given])[inside]
    rises = len(steps) > 0 and (steps >= 0).all() and (steps > 0).any()
    # Rows in any order, whose numbers are 1 to n for every user; scores that count down in the file are scores.
    order = np.lexsort((scores, users))
    firsts = scores[order][np.append(True, ~inside)]
    counts = len(steps) > 0 and (np.diff(scores[order])[inside] == 1).all() and (firsts == firsts[0]).all() and firsts[0] in (0, 1)
    if rises or (counts and not (steps < 0).all()):
        raise InputError(
            f"{source}: the third column, which has no name, counts up for every user, so it looks like ranks, not scores; use ",
            Option("columns", {"user": 1, "item": 2, "rank": 3}, "rankings"),
            " (or score=3)",
        )
