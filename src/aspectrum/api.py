"""Whatever a user has, to numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from aspectrum.conventions import Convention, convention_named
from aspectrum.errors import InputError
from aspectrum.evaluation import Progress, evaluate_world
from aspectrum.metric import Metric
from aspectrum.results import Results, SystemResults
from aspectrum.world import World
from aspectrum.world.building import build_worlds
from aspectrum.world.ids import shown


def evaluate(
    rankings: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    *,
    aspects: Any = None,
    relevance: Any = None,
    history: Any = None,
    subtopics: Any = None,
    features: Any = None,
    weights: Any = None,
    catalogue: Iterable[Hashable] | None = None,
    items: Iterable[Hashable] | None = None,
    threshold: float = 1.0,
    users: str | Iterable[Hashable] | None = None,
    convention: str | Convention | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | None = None,
) -> Results:
    """Measure ranked lists.

    Ids may be of any hashable kind, the same kind everywhere. All inputs may instead be given as codes
    (:class:`Rankings`, :class:`Aspects` ...), or at once as a :class:`World`.

    Args:
        rankings: ``{user: [items]}`` best first, ``{user: {item: score}}``, rows (user, item) in order or
            (user, item, score).
        metrics: Metrics or their text forms, such as ``"AlphaNDCG(alpha=0.5)@5,10"``.
        aspects: What items are about: ``{item: [aspects]}``, ``{item: {aspect: strength}}``, ``{item: 0/1 array}`` or rows
            (item, aspect[, strength]).
        relevance: The truth: ``{user: [items]}``, ``{user: {item: grade}}`` or rows (user, item[, grade]).
        history: What users had before, in the same forms.
        subtopics: Aspects judged for a user and an item: ``{user: {item: [aspects]}}``, ``{user: {item: {aspect: grade}}}``
            or rows (user, aspect, item[, grade[, strength]]).
        features: ``{item: vector}``, ``{item: {feature: value}}``, ``{item: [names of features]}`` or (ids, matrix); a
            matrix may be sparse.
        weights: How much aspects are wanted: ``{aspect: weight}``, ``{user: {aspect: weight}}`` or such rows. An aspect
            without a weight is not wanted.
        catalogue: Items that could have been recommended. Default: all items seen anywhere.
        items: Items that `aspects` knows, even those without any aspect.
        threshold: The grade from which an item is relevant.
        users: Who is averaged: ``"lists"`` (default), ``"judged"``, ``"both"``, ``"relevant"``, ``"all"`` or the users
            themselves. Where a list is missing, it scores 0.
        convention: ``"ndeval"``, ``"pyndeval"``, ``"relison"`` or ``"informfully"``: that tool's numbers.
        threads: How many threads may work; by default one per core.
        batch_size: Users evaluated at a time.
        per_user: Whether to keep the scores of users.
        progress: Called with users done and users in all.

    Examples:
        >>> import aspectrum as asp
        >>> genres = {"Alien": ["horror", "scifi"], "Heat": ["crime"], "Solaris": ["scifi"]}
        >>> result = asp.evaluate(
        ...     {"ann": ["Solaris", "Alien"], "bob": ["Heat", "Alien"]},
        ...     ["AlphaNDCG@2", "AspectRecall@2"],
        ...     aspects=genres,
        ...     history={"ann": ["Alien"], "bob": ["Heat", "Solaris"]},
        ... )
        >>> round(result["AlphaNDCG@2"], 4)
        0.9203
        >>> result.details["AlphaNDCG@2"]["judged_by"]
        'history'
    """
    results = evaluate_systems(
        {"rankings": rankings},
        metrics,
        aspects=aspects,
        relevance=relevance,
        history=history,
        subtopics=subtopics,
        features=features,
        weights=weights,
        catalogue=catalogue,
        items=items,
        threshold=threshold,
        users=users,
        convention=convention,
        threads=threads,
        batch_size=batch_size,
        per_user=per_user,
        progress=progress,
    )
    return results["rankings"]


def evaluate_systems(
    systems: Mapping[str, Any],
    metrics: Iterable[str | Metric] | str | Metric,
    *,
    users: str | Iterable[Hashable] | None = None,
    convention: str | Convention | None = None,
    threshold: float = 1.0,
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | None = None,
    **truth: Any,
) -> SystemResults:
    """Measure the lists of several systems against the same truth, which is read once.

    Args:
        systems: Lists of each system, by name, in any form that :func:`evaluate` takes.
        metrics: As for :func:`evaluate`, like all other arguments.

    Examples:
        >>> import aspectrum as asp
        >>> systems = {"A": {"ann": ["x", "y"]}, "B": {"ann": ["z", "y"]}}
        >>> print(asp.evaluate_systems(systems, "NDCG@2", relevance={"ann": {"x": 2, "y": 1}}))
        Metric       A       B
        ------  ------  ------
        NDCG@2  1.0000  0.2398
    """
    chosen = convention_named(convention)
    metrics = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    named = None if users is None or isinstance(users, str) else list(users)
    if any(isinstance(given, World) for given in systems.values()):
        worlds = _given_worlds(systems, {**truth, "threshold": None if threshold == 1.0 else threshold})
    else:
        worlds = build_worlds(
            systems,
            **truth,
            users=named,
            threshold=threshold,
            history_threshold=threshold if chosen.history_above_threshold else None,
            **chosen.building,
        ).worlds
    return SystemResults(
        {
            name: evaluate_world(
                world,
                metrics,
                users=_codes(world, named) if named is not None else users,  # type: ignore[arg-type]
                convention=chosen,
                threads=threads,
                batch_size=batch_size,
                per_user=per_user,
                progress=progress,
            )
            for name, world in worlds.items()
        }
    )


def _given_worlds(systems: Mapping[str, Any], truth: Mapping[str, Any]) -> dict[str, World]:
    for name, given in truth.items():
        if given is not None:
            raise InputError(f"{name} was given beside a World; a World already holds everything")
    for name, given in systems.items():
        if not isinstance(given, World):
            raise InputError(f"system {name!r} is {type(given).__name__} while others are Worlds: give all in one form")
    return dict(systems)


def _codes(world: World, users: list[Hashable]) -> Any:
    codes = [world.users.code(user) for user in users]
    if None in codes:
        raise InputError(f"users: {shown(users[codes.index(None)])} is not a user of this world")
    return np.array(codes, dtype=np.int64)
