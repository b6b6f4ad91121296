"""Attributes of users to break a comparison down by: as given, from a file or frame, or from what was evaluated."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from aspectrum.coding import Ids
from aspectrum.comparison.segments import Attribute
from aspectrum.errors import InputError
from aspectrum.io.columns import usual_column
from aspectrum.io.side_tables import check_ids, read_side_table
from aspectrum.results import Results
from aspectrum.user_traits import TRAITS, Trait
from aspectrum.wording import did_you_mean, listed


def attributes_of(given: Any, systems: Mapping[str, Results], users: Ids) -> tuple[Attribute, ...]:
    """Attributes in any form that :func:`aspectrum.compare` takes."""
    if given is None:
        return ()
    if isinstance(given, str) and not os.path.exists(given):
        words = [word.strip().lower() for word in given.split(",")]
        if all(word in TRAITS for word in words):
            return tuple(_trait(word, systems, users) for word in words)  # type: ignore[arg-type]
        if not os.path.splitext(given)[1]:
            raise InputError(f"segments: {given!r} is neither a file nor {listed(TRAITS)}{did_you_mean(given, TRAITS)}")
    if isinstance(given, str | os.PathLike) or hasattr(given, "columns") or hasattr(given, "__arrow_c_stream__"):
        return _from_frame(given, users)
    if isinstance(given, Mapping):
        nested = given and all(isinstance(one, Mapping) for one in given.values())
        several: Mapping[Any, Any] = given if nested else {"segment": given}
        return tuple(Attribute.of(str(name), one, list(users)) for name, one in several.items())
    if isinstance(given, Iterable):
        return tuple(found for one in given for found in attributes_of(one, systems, users))
    raise InputError(f"segments is {type(given).__name__}, expected {{user: segment}}, a file or frame, or {', '.join(TRAITS)}")


def _trait(trait: Trait, systems: Mapping[str, Results], users: Ids) -> Attribute:
    evidence = next((one.evidence for one in systems.values() if one.evidence is not None and one.evidence.knows_users), None)
    if evidence is None:
        raise InputError(f"segments by {trait} need the history, which these results do not hold; give a segment for each user instead")
    known, values, note = evidence.trait(trait)
    mine = np.full(len(users), np.nan)
    place_of: dict[Hashable, int] = {user: place for place, user in enumerate(known)}
    places = [place_of.get(user, -1) for user in users]
    inside = np.array(places) >= 0
    mine[inside] = values[np.array(places)[inside]]
    return Attribute.by_quantiles(trait, mine, TRAITS[trait], note)


def _from_frame(given: Any, users: Ids) -> tuple[Attribute, ...]:
    """One attribute per column beside that of the users."""
    name, frame = read_side_table(given, "segments")
    user = usual_column("user", frame.columns)
    if user is None:
        raise InputError(f"{name}: no user column found; columns are {', '.join(map(repr, frame.columns))}")
    if len(frame.columns) < 2:
        raise InputError(f"{name}: there is no column beside {user!r}, expected the segment of each user")
    check_ids(name, frame[user], "user")
    ids = frame[user].to_list()
    return tuple(
        Attribute.of(column, dict(zip(ids, frame[column].to_list(), strict=True)), list(users))
        for column in frame.columns
        if column != user
    )
