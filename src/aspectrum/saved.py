"""Saved results: what a JSON file or a file with the scores of users holds, as plain data and a frame."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aspectrum.coding.ids import quoted
from aspectrum.errors import InputError
from aspectrum.forks import check_polars
from aspectrum.formats import SCORE_FILES
from aspectrum.io.columns import usual_column

if TYPE_CHECKING:
    import polars

PER_USER = "per_user"
"""The key of a JSON file under which it names the file with the scores of users, relative to its own folder."""


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file says of results, and the scores of users if there are any.

    Args:
        path: Where it was read.
        content: As :meth:`aspectrum.Results.to_dict` wrote it; empty if the file has scores only.
        scores: One row per user (and system), in the columns that ``write_per_user`` writes.
    """

    path: str
    content: Mapping[str, Any]
    scores: polars.DataFrame | None = None


def read_saved(path: str | os.PathLike[str]) -> Saved:
    """Results that were saved as JSON, or scores of users that were saved as Parquet, CSV or TSV."""
    name = os.fspath(path)
    extension = os.path.splitext(name)[1].lower()
    if extension in SCORE_FILES:
        return _read_scores(name, SCORE_FILES[extension])
    if extension == ".json":
        return _read_json(name)
    known = ", ".join((".json", *SCORE_FILES))
    raise InputError(f"{name}: saved results are {known}, not {extension or 'a file without an extension'}")


def _read_json(name: str) -> Saved:
    try:
        with open(name, "rb") as file:
            content = json.load(file)
    except OSError as error:
        raise InputError(f"{name}: {_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: is not valid JSON: {error}") from None
    if not _is_results(content):
        keys = content.keys() if isinstance(content, dict) else ()
        what = (
            "holds a comparison, not results"
            if "differences" in keys
            else "holds results of rounds, which compare does not read"
            if "rounds" in keys and "metrics" in keys
            else "does not hold results of aspectrum"
        )
        raise InputError(f"{name}: {what}; expected a file as written by --output results.json")
    beside = content.get(PER_USER)
    if beside is None:
        return Saved(name, content)
    if os.path.splitext(str(beside))[1].lower() not in SCORE_FILES:
        raise InputError(f"{name}: names {beside!r} for the scores of users, expected one of {', '.join(SCORE_FILES)}")
    found = read_saved(os.path.join(os.path.dirname(name), str(beside)))
    if found.content and _numbers(found.content) != _numbers(content):
        raise InputError(f"{name}: its numbers are not those of {found.path}, which it names for the scores of users; evaluate again")
    return Saved(name, content, found.scores)


def _read_scores(name: str, separator: str | None) -> Saved:
    import polars

    check_polars()
    try:
        if separator is None:
            content = json.loads(polars.read_parquet_metadata(name).get("aspectrum", "{}"))
            frame = polars.read_parquet(name)
        else:
            content, frame = {}, _typed(name, polars.read_csv(name, separator=separator, infer_schema=False))
    except InputError:
        raise
    except (OSError, ValueError, polars.exceptions.PolarsError) as error:
        raise InputError(f"{name}: {_reason(error)}") from None
    if "user" not in frame.columns:
        raise InputError(f"{name}: no user column found; columns are {', '.join(map(repr, frame.columns[:8]))}")
    return Saved(name, content, frame)


def _typed(name: str, text: polars.DataFrame) -> polars.DataFrame:
    """A frame of text with ids and numbers in their place."""
    import polars

    if "user" not in text.columns:
        return text
    _check_no_items(name, text.columns)
    columns = []
    for column in text:
        if column.name in ("user", "system"):
            columns.append(_numbered(column) if column.name == "user" else column)
            continue
        numbers = column.cast(polars.Float64, strict=False)
        if numbers.null_count() > column.null_count():
            raise InputError(f"{name}: column {column.name!r} does not hold numbers, expected scores of users")
        columns.append(numbers)
    return polars.DataFrame(columns)


def _check_no_items(path: str, columns: Sequence[str]) -> None:
    item = usual_column("item", [name for name in columns if name != "user"])
    if item is not None:
        raise InputError(f"{path}: has items ({item!r}), so these are lists or judgments, not scores of users; evaluate them first")


def _numbered(users: polars.Series) -> polars.Series:
    """Users as numbers, as they were before they were written, if all look like whole numbers."""
    import polars

    numbers = users.cast(polars.Int64, strict=False)
    return numbers if numbers.null_count() == users.null_count() and (numbers.cast(polars.String) == users).all() else users


def _is_results(content: Any) -> bool:
    """Whether JSON has the shape of results, of one system or of several."""
    if not isinstance(content, dict):
        return False
    systems = content.get("systems", {"": content})
    return isinstance(systems, dict) and all(
        isinstance(one, dict)
        and isinstance(one.get("metrics"), list)
        and all(map(_is_number, one["metrics"]))
        and all(isinstance(one.get(name, []), list) for name in ("warnings", "notes"))
        for one in systems.values()
    )


def _is_number(entry: Any) -> bool:
    """Whether JSON has the shape of one number of results."""
    if not isinstance(entry, dict) or not isinstance(entry.get("metric"), str) or "value" not in entry:
        return False
    counted = entry.get("counts", [])
    value = entry["value"]
    plain = value in (None, "inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool))
    return plain and isinstance(counted, list) and all(isinstance(name, str) and name in entry for name in counted)


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "file not found"
    return str(getattr(error, "strerror", None) or error).splitlines()[0].lower()


def _numbers(content: Mapping[str, Any]) -> Any:
    """What two files must have in common: systems, metrics, values."""
    systems = content.get("systems", {"": content})
    return {name: {one["metric"]: one["value"] for one in system["metrics"]} for name, system in systems.items()}


def check_scores(path: str, frame: polars.DataFrame) -> None:
    """One row per user, and numbers everywhere else."""
    import polars

    users = frame["user"]
    _check_no_items(path, frame.columns)
    if users.null_count():
        raise InputError(f"{path}: {users.null_count():,} rows have no user")
    if len(frame.columns) == 1:
        raise InputError(f"{path}: there is no column beside 'user', expected scores of users")
    for name in frame.columns:
        kind = frame.schema[name]
        if name != "user" and not kind.is_numeric() and kind != polars.Null:
            raise InputError(f"{path}: column {name!r} does not hold numbers, expected scores of users")
    twice = users.filter(users.is_duplicated())
    if len(twice):
        raise InputError(f"{path}: user {quoted(twice[0])} has several rows, expected one; average repeated visits first")
