"""Public entry points: evaluate, evaluate_systems."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aspectrum.coding.reading import Duplicates, Order, Ties
from aspectrum.conventions import Convention, conventions_named
from aspectrum.diagnostics.notices import Notice, joined
from aspectrum.errors import InputError, MetricError
from aspectrum.io import is_external, read_input
from aspectrum.metric import Metric
from aspectrum.plan import PLAN_OPTIONS, Plan, Progress, as_metrics
from aspectrum.results import Results, SystemResults
from aspectrum.world import Rankings, Truth, World
from aspectrum.world.truth import KINDS, smallest_n_items


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
    order: Order | None = None,
    ties: Ties | None = None,
    duplicates: Duplicates = "error",
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
) -> Results:
    """Measure ranked lists.

    Every input may be the path of a file (TREC run or judgments, CSV, TSV, Parquet, Arrow, JSON Lines), a frame of pandas,
    polars, PyArrow or DuckDB, a :class:`Source` that says more about either, or the plain Python objects below. All
    inputs may instead be given as codes (:class:`Rankings`, :class:`Aspects` ...), or at once as a :class:`World`.
    Ids may be of any hashable kind, the same kind everywhere.

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
            matrix may be sparse. Files may also be npz or npy.
        weights: How much aspects are wanted: ``{aspect: weight}``, ``{user: {aspect: weight}}`` or such rows. An aspect
            without a weight is not wanted.
        catalogue: Items that could have been recommended. Default: all items seen anywhere.
        items: Items that `aspects` knows, even those without any aspect.
        threshold: The grade from which an item is relevant.
        users: Who is averaged: ``"lists"`` (default), ``"judged"``, ``"both"``, ``"relevant"``, ``"all"`` or the users
            themselves. Where a list is missing, it scores 0.
        convention: ``"ndeval"``, ``"pyndeval"``, ``"relison"`` or ``"informfully"``: that tool's numbers.
        order: What orders a list: ``"rank"``, ``"score"`` or ``"input"`` (its rows as they stand). Default: ranks if there are
            any, else scores, else the rows.
        ties: Which of two items with equal scores comes first: ``"input"`` (default, as given), ``"ascending"`` or
            ``"descending"`` by id.
        duplicates: ``"error"`` (default), or ``"first"``: of an item that a list names twice, or a fact that is stated
            twice in different ways, the first counts.
        threads: Maximum number of threads; by default one per core.
        batch_size: Users evaluated at a time.
        per_user: Whether to keep the scores of users.
        progress: Called with users done and users in all.
        ideal_budget: For metrics with ``ideal="exact"``: the work that may be spent on one ideal list. A unit is about a second
            of one core, counted in operations, so that every machine finds the same. Default: 2.
        ideal_seconds: How long HiGHS may look for an ideal list that is still open then, by the clock. Default: 0.

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
    options = dict(locals())
    if len(conventions_named(convention)) > 1:
        raise MetricError(f"convention is {convention!r}, which gives several results: use evaluate_systems")
    return evaluate_one(evaluate_systems, "rankings", options)


def evaluate_one(evaluate_several: Callable[..., SystemResults], lists: str, options: dict[str, Any]) -> Results:
    """The results of one system, by a function for several; the option `lists` holds its lists, and is what errors call them."""
    progress = options.pop("progress")
    told = None if progress is None else lambda _, done, total: progress(done, total)
    results = evaluate_several({lists: options.pop(lists)}, progress=told, **options)
    return replace(results[lists], notices=results.notices, speaker=results.speaker)


def evaluate_systems(
    systems: Mapping[str, Any],
    metrics: Iterable[str | Metric] | str | Metric,
    *,
    convention: str | Convention | Iterable[str | Convention] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> SystemResults:
    """Measure the lists of several systems against the same truth, which is read once.

    Args:
        systems: Lists of each system, by name, in any form that :func:`evaluate` takes.
        metrics: As for :func:`evaluate`, like all other arguments.
        convention: One, or several whose numbers are to stand side by side: ``"published,informfully"``.
        progress: Called with the name of a system, its users done and its users in all.

    Examples:
        >>> import aspectrum as asp
        >>> systems = {"A": {"ann": ["x", "y"]}, "B": {"ann": ["z", "y"]}}
        >>> print(asp.evaluate_systems(systems, "NDCG@2", relevance={"ann": {"x": 2, "y": 1}}))
        Metric       A       B
        ------  ------  ------
        NDCG@2  1.0000  0.2398
        >>> print(asp.evaluate_systems(systems, "NDCG@2", relevance={"ann": {"x": 2, "y": 1}}, convention="published,informfully"))
        Metric  A (published)  A (informfully)  B (published)  B (informfully)
        ------  -------------  ---------------  -------------  ---------------
        NDCG@2         1.0000           1.0000         0.2398           0.6309
    """
    if not isinstance(systems, Mapping):
        raise InputError(f"systems is {type(systems).__name__}, expected {{name: lists}}")
    conventions = conventions_named(convention)
    asked = as_metrics(metrics)
    chosen = {name: options.pop(name) for name in PLAN_OPTIONS if name in options}
    if chosen.get("users") is not None and not isinstance(chosen["users"], str):
        chosen["users"] = _once("users", chosen["users"])
    read = _read(systems, options, conventions[0])
    found = {}
    for one in conventions:
        results: dict[str, Results] = {}
        notices: list[Notice] = []
        for truth, lists in read:
            plan = Plan(asked, truth, convention=one, **chosen)
            coded = {name: given if isinstance(given, World) else plan.lists(given, name) for name, given in lists.items()}
            read_lists = {name: given.input for name, given in coded.items() if not isinstance(given, World)}
            notices += plan.notices_on(read_lists, whole=True)
            results |= plan.evaluate(coded, labelled(progress, one, conventions))
        found[one.name] = SystemResults({name: results[name] for name in systems}, tuple(notices))
    return side_by_side(found)


def labelled(progress: Any, convention: Convention, conventions: Sequence[Convention]) -> Any:
    """Progress of a system, which is called by its convention where there are several."""
    if progress is None or len(conventions) == 1:
        return progress
    return lambda name, done, total: progress(f"{name} ({convention.name})", done, total)


def side_by_side(found: Mapping[str, SystemResults]) -> SystemResults:
    """Results of the same systems by convention, in one: those of a system stand side by side."""
    if len(found) == 1:
        return next(iter(found.values()))
    systems = dict.fromkeys(system for results in found.values() for system in results)
    return SystemResults(
        {f"{system} ({name})": results[system] for system in systems for name, results in found.items()},
        joined({name: results.notices for name, results in found.items()}),
        next(iter(found.values())).speaker,
    )


def _once(name: str, given: Any) -> Any:
    """An input that can be looked at again, for every convention."""
    if is_external(given):
        return read_input(name, given)
    return list(given) if isinstance(given, Iterator) else given


Read = list[tuple[Truth, dict[str, Any]]]
"""Systems by the truth that they are measured against, which is one and the same unless they are worlds."""


def _read(systems: Mapping[str, Any], inputs: Mapping[str, Any], convention: Convention) -> Read:
    for kind, read in ((World, _worlds), (Rankings, _coded)):
        others = [name for name, given in systems.items() if not isinstance(given, kind)]
        if len(others) < len(systems):
            if others:
                found = type(systems[others[0]]).__name__
                raise InputError(f"system {others[0]!r} is {found} while others are {kind.__name__}: give all in one form")
            return read(systems, inputs)
    return [(convention.truth(**inputs), {name: _once("rankings", given) for name, given in systems.items()})]


def _worlds(systems: Mapping[str, World], inputs: Mapping[str, Any]) -> Read:
    """Systems that are worlds, each with its own truth."""
    defaults = {"threshold": 1.0, "duplicates": "error"}
    for name, given in inputs.items():
        if given is not None and (name not in defaults or given != defaults[name]):
            raise InputError(f"{name} was given beside a World; a World already holds everything")
    return [(world.truth.changed(rows=None, inputs={}), {name: world}) for name, world in systems.items()]


def _coded(systems: Mapping[str, Rankings], inputs: Mapping[str, Any]) -> Read:
    """Systems that come as codes, as does everything else then."""
    if inputs.get("items") is not None:
        raise InputError("items goes with ids; codes say what is known by Aspects(known=...)")
    parts = {name: inputs[name] for name in KINDS if inputs.get(name) is not None}
    for name, part in parts.items():
        if not isinstance(part, KINDS[name]):
            raise InputError(f"{name} is {type(part).__name__} while rankings are codes: give {KINDS[name].__name__}, or ids everywhere")
    threshold = inputs.get("threshold", 1.0)
    if "relevance" in parts and threshold != 1.0:
        parts["relevance"] = replace(parts["relevance"], threshold=threshold)
    catalogue = None if inputs.get("catalogue") is None else np.asarray(inputs["catalogue"])
    lists = list(systems.values())
    n_items = smallest_n_items({**parts, "catalogue": catalogue}, *lists)
    truth = Truth(**parts, catalogue=catalogue, n_users=max(one.n_users for one in lists), n_items=n_items)
    return [(truth, {name: World(one, truth, codes=np.arange(one.n_users, dtype=np.int32)) for name, one in systems.items()})]
