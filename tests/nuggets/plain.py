"""Nuggets in plain Python: what the rows of a bundle say."""

from collections.abc import Mapping
from typing import Any

from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.nuggets import Nuggets

Judged = dict[str, dict[str, dict[str, float]]]
"""{query: {aspect: {document: strength}}}; documents judged for nothing are under an empty aspect."""


def judged(nuggets: Nuggets) -> Judged:
    """What is judged, with aspects that no document is judged for."""
    rows = nuggets.inputs()["subtopics"]
    found: Judged = {}
    for row in range(len(rows)):
        query, document, aspect = (_id(rows, role, row) for role in ("user", "item", "aspect"))
        of_aspect = found.setdefault(query or "", {}).setdefault(aspect or "", {})
        if document is not None:
            of_aspect[document] = float(rows.numbers["strength"][row])
    return found


def weights(nuggets: Nuggets) -> dict[str, dict[str, float]]:
    rows = nuggets.inputs().get("weights")
    found: dict[str, dict[str, float]] = {}
    for row in range(0 if rows is None else len(rows)):
        assert rows is not None
        found.setdefault(_id(rows, "user", row) or "", {})[_id(rows, "aspect", row) or ""] = float(rows.numbers["weight"][row])
    return found


def grades(nuggets: Nuggets) -> dict[str, dict[str, float]]:
    rows = nuggets.inputs()["relevance"]
    found: dict[str, dict[str, float]] = {}
    for row in range(len(rows)):
        found.setdefault(_id(rows, "user", row) or "", {})[_id(rows, "item", row) or ""] = float(rows.numbers["grade"][row])
    return found


def ignored(nuggets: Nuggets) -> dict[str, int | None]:
    """What notices count, by kind."""
    return {one.kind: one.count for one in nuggets.notices if one.kind != "nuggets"}


def _id(rows: Rows, role: str, row: int) -> str | None:
    column: IdColumn = rows.ids[role]
    code = int(column.codes[row])
    return None if code < 0 else str(column.ids[code])


def scores(results: Any) -> dict[str, Mapping[str, float]]:
    """Scores of users, by user and metric."""
    return {row["user"]: {name: value for name, value in row.items() if name != "user"} for row in results.per_user.to_dicts()}
