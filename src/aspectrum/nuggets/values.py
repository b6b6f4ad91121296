"""Values of JSON as readers need them: ids as text, lists, objects; anything else is an error with its place."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from aspectrum.io.json_values import Place

_TEXT = {str}


def id_text(place: Place, value: Any, of: str) -> str:
    """An id: text, or a whole number as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise place.error(f"expected the id of a {of}", value)


def document_ids(place: Place, value: Any) -> list[str]:
    """A list of ids; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise place.error("expected a list of document ids", value)
    if {*map(type, value)} <= _TEXT:
        return value
    return [id_text(place.at(number), one, "document") for number, one in enumerate(value)]


def needed(place: Place, row: Any, *keys: str) -> Any:
    """What is under the first of some keys that an object has."""
    for key in keys:
        if key in row:
            return row[key]
    named = f"{keys[0]!r}" + (f" (or {', '.join(map(repr, keys[1:]))})" if len(keys) > 1 else "")
    raise place.error(f"missing key {named}; found {described_keys(row) or 'an empty object'}")


def described_keys(row: Any) -> str:
    """The keys of an object, as messages write them."""
    return ", ".join(map(repr, [*row][:10])) + (", ..." if len(row) > 10 else "")


def as_object(place: Place, value: Any, what: str = "an object") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(f"expected {what}", value)
    return value


def as_list(place: Place, value: Any, what: str) -> list[Any]:
    """A list; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise place.error(f"expected a list of {what}", value)
    return value


def as_text(place: Place, value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise place.error(f"expected {what} as text", value)
    return value


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def digest(text: str) -> str:
    """What names a nugget or a topic that has no id: the md5 of its text, as NuggetBank has it."""
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def first_twice(values: Sequence[Any]) -> Any:
    """The first value that was there before; None if all differ."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
