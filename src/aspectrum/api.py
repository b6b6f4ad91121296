"""Public entry points: evaluate, evaluate_systems."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aspectrum.arguments import with_hints
from aspectrum.asked import Metrics, asked_for
from aspectrum.coding.reading import Duplicates, Order, Reading, Ties
from aspectrum.coding.rows import InputBundle, Rows, by_system, unbundled
from aspectrum.conventions import Convention, conventions_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice, Option, merged
from aspectrum.errors import InputError, MetricError, each
from aspectrum.inputs import TRUTH
from aspectrum.io import check_files, is_external, read_input
from aspectrum.plan import PLAN_OPTIONS, given_in, plan_under, read_lists
from aspectrum.progress import Progress, SystemProgress, with_progress
from aspectrum.results import Results, SystemResults
from aspectrum.streams import Stream, streamed
from aspectrum.world import Rankings, Truth, World
from aspectrum.world.building import CodedLists
from aspectrum.world.truth import KINDS, smallest_n_items

_FORM = "{}({}, 'NDCG@10', relevance=...): {} and metrics by position, all else by name"


@with_hints(_FORM.format("evaluate", "lists", "lists"))
def evaluate(
    rankings: Any,
    metrics: Metrics,
    *,
    aspects: Any = None,
    relevance: Any = None,
    history: Any = None,
    subtopics: Any = None,
    features: Any = None,
    weights: Any = None,
    groups: Any = None,
    popularity: Any = None,
    lengths: Any = None,
    baseline: Any = None,
    graph: Any = None,
    catalogue: Iterable[Hashable] | None = None,
    items: Iterable[Hashable] | None = None,
    threshold: float | None = None,
    popularity_users: int | None = None,
    directed: bool | None = None,
    users: str | Iterable[Hashable] | None = None,
    convention: str | Convention | None = None,
    order: Order | None = None,
    ties: Ties | None = None,
    duplicates: Duplicates = "error",
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    memory: str | int | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
) -> Results:
    """Measure ranked lists.

    Every input may be the path of a file (TREC run or judgments, CSV, TSV, Parquet, Arrow, JSON Lines), a frame of pandas,
    polars, PyArrow or DuckDB, a :class:`Source` that says more about either, or the plain Python objects below. All
    inputs may instead be given as codes (:class:`Rankings`, :class:`Aspects` ...), or at once as a :class:`World`.
    Ids may be of any hashable kind, the same kind everywhere.

    Args:
        rankings: ``{user: [items]}`` best first, ``{user: {item: score}}``, rows (user, item) in order or
            (user, item, score), ``(users, array)`` with a row of items per user, or a sparse matrix of scores. Files may also be JSON:
            the first two forms, predictions of MTEB, results of castorini's tools, traces of agents.
        metrics: Metrics or their text forms, such as ``"AlphaNDCG(alpha=0.5)@5,10"``. ``"all@10"`` is every metric that the inputs
            allow, ``"novelty@10"`` every one of a family (see :data:`aspectrum.metric.FAMILIES`). A mapping ``{"my name": metric}`` gives its numbers names of your own.
        aspects: What items are about: ``{item: [aspects]}``, ``{item: {aspect: strength}}``, ``{item: 0/1 array}``, rows
            (item, aspect[, strength]) or (ids, matrix). A frame or file may have one column of 0 and 1 per aspect.
        relevance: The truth: ``{user: [items]}``, ``{user: {item: grade}}`` or rows (user, item[, grade]). Relevance, history and
            aspects may also be a sparse matrix of scipy, whose row and column numbers are the ids.
        history: What users had before, in the same forms.
        subtopics: Aspects judged for a user and an item: ``{user: {item: [aspects]}}``, ``{user: {item: {aspect: grade}}}``
            or rows (user, aspect, item[, grade[, strength]]).
        features: ``{item: vector}``, ``{item: {feature: value}}``, ``{item: [names of features]}`` or (ids, matrix); a
            matrix may be sparse. Files may also be npz or npy. Without features, ILD compares items by their aspects.
        weights: How much aspects are wanted: ``{aspect: weight}``, ``{user: {aspect: weight}}`` or such rows. An aspect
            without a weight is not wanted.
        groups: Groups of items, for fairness of exposure: ``{item: group}``, ``{item: [groups]}``, ``{item: {group: share}}`` or rows
            (item, group[, share]). Default: the aspects.
        popularity: How many users had each item: ``{item: count}`` or rows (item, count). Default: counted in the history.
        lengths: How many tokens documents have, for cutoffs in tokens such as ``"AlphaNDCG@4000t"``: ``{item: tokens}`` or rows (item, tokens).
            :func:`aspectrum.lengths_of` counts them with a tokenizer of yours.
        baseline: Lists of a reference system, in the same forms as `rankings`; what it shows is expected.
        graph: A social network, where users and items are people: ``{user: [users]}``, rows (source, target), GraphML, or a graph of
            networkx or igraph.
        catalogue: Items that could have been recommended. Default: all items seen anywhere.
        items: Items that `aspects` knows, even those without any aspect.
        threshold: The grade from which an item is relevant.
        popularity_users: Of how many users `popularity` was counted. Default: those with a history.
        directed: Whether the graph is directed. Default: as the graph says; an edge list is directed.
        users: Who is averaged: ``"lists"`` (default), ``"judged"``, ``"both"``, ``"relevant"``, ``"all"`` or the users
            themselves. Where a list is missing, it scores 0 if more is better, and else is undefined.
        convention: Another tool's numbers, by its name in ``aspectrum.CONVENTIONS``, such as ``"ndeval"``, ``"relison"`` or ``"rectools"``.
        order: What orders a list: ``"rank"``, ``"score"`` or ``"input"`` (its rows as they stand). Default: ranks if there are
            any, else scores, else the rows.
        ties: Which of two items with equal scores comes first: ``"input"`` (default, as given), ``"ascending"`` or
            ``"descending"`` by id. ``"expected"``: scores are averaged over all orders of such items, with the least and the greatest
            beside them; lists are ordered by score unless `order` says otherwise. Not all metrics have such an average.
        duplicates: ``"error"`` (default), or ``"first"``: of an item that a list names twice, or a fact that is stated
            twice in different ways, the first counts.
        threads: Maximum number of threads; by default one per core.
        batch_size: Users evaluated at a time.
        per_user: Whether to keep the scores of users.
        memory: How much memory the process may take, as ``"2GB"``: lists are then read piece by piece, each of complete users. So are, without
            it, folders and patterns of files, frames that are yet to be computed, and files that would take more than half of what is free.
        resume: A folder that keeps what is finished. After a stop, the same call goes on from there; other inputs are refused.
        progress: True shows a progress bar on standard error; a function is called with users done and users in all; of lists that are read
            piece by piece, with rows.
        ideal_budget: For metrics with ``ideal="exact"``: the work that may be spent on one ideal list. A unit is about a second
            of one core, counted in operations, so that every machine finds the same. Default: 2.
        ideal_seconds: How long HiGHS may look for an ideal list that is still open then, by the clock. Default: 0.
        strict: Warnings are errors.
        ignore: Kinds of warnings not to give, as ``"unsplit"``; they become notes.

    Warns:
        AspectrumWarning: A number is probably not what you mean; its message ends in its kind.

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
    told = (lambda _, done, total: progress(done, total)) if callable(progress) else progress
    results = evaluate_several({lists: options.pop(lists)}, progress=told, **options)
    return replace(results[lists], notices=results.notices, speaker=results.speaker)


@with_hints(_FORM.format("evaluate_systems", "{'A': lists, 'B': lists}", "systems"), like=evaluate)
@with_progress
def evaluate_systems(
    systems: Any,
    metrics: Metrics,
    *,
    convention: str | Convention | Iterable[str | Convention] | None = None,
    progress: SystemProgress | bool | None = None,
    **options: Any,
) -> SystemResults:
    """Measure the lists of several systems against the same truth, which is read once.

    Args:
        systems: Lists of each system, by name, in any form that :func:`evaluate` takes; or one frame or file for all, with a
            column that names the system of each row, such as ``system`` or ``model``.
        metrics: As for :func:`evaluate`, like all other arguments.
        convention: One, or several whose numbers are to stand side by side: ``"published,informfully"``. Each computes the metrics that it
            covers, and a note says which it does not.
        progress: True shows a progress bar on standard error; a function is called with the name of a system, its users done and its
            users in all.

    Examples:
        >>> import aspectrum as asp
        >>> systems = {"A": {"ann": ["x", "y"]}, "B": {"ann": ["z", "y"]}}
        >>> print(asp.evaluate_systems(systems, "NDCG@2", relevance={"ann": {"x": 2, "y": 1}}).to_text(how=False))
        Metric       A       B
        ------  ------  ------
        NDCG@2  1.0000  0.2398
        >>> both = asp.evaluate_systems(systems, "NDCG@2", relevance={"ann": {"x": 2, "y": 1}}, convention="published,informfully")
        >>> print(both.to_text(how=False))
        Metric  A (published)  A (informfully)  B (published)  B (informfully)
        ------  -------------  ---------------  -------------  ---------------
        NDCG@2         1.0000           1.0000         0.2398           0.6309
    """
    if is_external(systems):
        return _evaluate({"systems": systems}, metrics, convention, progress, options, _systems_in_column)
    if not isinstance(systems, Mapping):
        found = f"systems is {type(systems).__name__}, expected {{name: lists}}, or a frame or file with a system column"
        raise InputError(f"{found}; evaluate takes the lists of one system")
    return _evaluate(systems, metrics, convention, progress, options, dict)


def evaluate_files(
    systems: Mapping[str, Any],
    metrics: Metrics,
    *,
    convention: str | Convention | Iterable[str | Convention] | None = None,
    progress: SystemProgress | None = None,
    **options: Any,
) -> SystemResults:
    """As :func:`evaluate_systems`, but a file whose system column names several systems stands for all of them."""
    return _evaluate(systems, metrics, convention, progress, options, several_systems)


def _evaluate(
    systems: Mapping[str, Any],
    metrics: Metrics,
    convention: str | Convention | Iterable[str | Convention] | None,
    progress: Any,
    options: dict[str, Any],
    told_apart: Callable[[dict[str, Any]], dict[str, Any]],
) -> SystemResults:
    """Results of systems; `told_apart` makes lists by system of what was read."""
    conventions = conventions_named(convention)
    attention = Attention(options.pop("strict", False), options.pop("ignore", ()))
    for name, given in systems.items():
        if isinstance(given, InputBundle):  # first of all: what stands in their place is hardly what it should be
            raise InputError(f"{name} is {type(given).__name__}, expected ranked lists; pass it as ", Option("subtopics"))
    options = unbundled(options, conventions)
    memory, resume, scores = (options.pop(name, None) for name in ("memory", "resume", "scores"))
    over_orders = options.get("ties") == "expected" or any(isinstance(one, World) and one.averages_orders for one in systems.values())
    asked, left_out = asked_for(metrics, _given(systems, options), conventions, over_orders=over_orders)
    users = options.get("users")
    check_files([*systems.values(), *(options.get(name) for name in TRUTH), None if isinstance(users, str) else users])
    chosen = {name: options.pop(name) for name in PLAN_OPTIONS if name in options}
    if chosen.get("users") is not None and not isinstance(chosen["users"], str):
        chosen["users"] = _once("users", chosen["users"])
    streams = _streams(systems, memory, resume)
    for stream in streams.values() if len(conventions) > 1 else ():
        if not stream.pieces.can_be_read_again:
            raise InputError(
                f"{stream.name}: can be read once, and every convention reads lists that come piece by piece; save them as a file"
            )
    read = [(truth, told_apart(lists)) for truth, lists in _read(systems, options, conventions[0], streams)]
    if isinstance(users := chosen.get("users"), str) and users == "common" and len(read) > 1:
        raise InputError("users='common' needs systems with the same truth; worlds have one each")
    found = {}
    for one in conventions:
        results: dict[str, Results] = {}
        notices: list[Notice] = [*left_out]
        for truth, lists in read:
            plan = plan_under(one, asked, truth, **chosen)
            if plan is None:
                results |= {name: Results({}) for name in lists}
                continue
            for number, stream in enumerate(streams.values() if resume is not None else ()):
                within = [*([f"{number}"] if len(systems) > 1 else []), *([one.name] if len(conventions) > 1 else [])]
                stream.resume = Path(resume, *within)
            ready = {name: given if isinstance(given, World | Stream) else plan.lists(given, name) for name, given in lists.items()}
            of_lists = {name: given.input for name, given in ready.items() if isinstance(given, CodedLists)}
            early = [] if streams else attention.draw(plan.notices_on(of_lists, whole=True))
            found_here = plan.evaluate(ready, labelled(progress, one, conventions), scores, partial(_beside, one, conventions))
            of_lists |= {name: found_here[name].partial.lists for name in streams}  # type: ignore[union-attr]
            notices += attention.draw(plan.notices_on(of_lists, whole=True)) if streams else early
            results |= found_here
            lost = [str(metric) for metric in plan.metrics if metric.knows_contributions] if streams and scores is not None else []
            notices += [Notice("no_contributions", detail={"metrics": ", ".join(lost)})] if lost else []
        found[one.name] = SystemResults(results, tuple(notices))
    return side_by_side(found)


def several_systems(lists: Mapping[str, Any]) -> dict[str, Any]:
    """Lists by system: rows whose system column names several systems are told apart, and called by these names."""
    found: dict[str, Any] = {}
    for name, given in lists.items():
        several = isinstance(given, Rows) and len(given.ids["system"].ids if "system" in given.ids else ()) > 1
        for own, rows in (by_system(given) if several else {name: given}).items():
            if own in found:
                raise InputError(f"two systems are called {own!r}, in {found[own].source} and {rows.source}; rename one of them")
            found[own] = rows
    return found


def _systems_in_column(lists: Mapping[str, Any]) -> dict[str, Any]:
    """The systems of one frame or file."""
    (rows,) = lists.values()
    if isinstance(rows, Stream):
        raise InputError(
            f"{rows.name}: lists that are read piece by piece are those of one system; give each a file or folder of its own: {{name: path}}"
        )
    if "system" not in rows.ids:
        unused = next((", ".join(notice.detail["columns"]) for notice in rows.notices if notice.kind == "unused_columns"), "")
        there = f"; other columns are {unused}" if unused else ""
        raise InputError(
            f"{rows.source}: no system column found{there}; specify it with ",
            Option("columns", {"system": "NAME"}),
            ", or give {name: lists}",
        )
    if len(rows) == 0:
        raise InputError(f"{rows.source}: rankings is empty")
    return dict(by_system(rows))


def labelled(progress: Any, convention: Convention, conventions: Sequence[Convention]) -> Any:
    """Progress of a system, which is called by its convention where there are several."""
    if progress is None or len(conventions) == 1:
        return progress
    return lambda name, done, total: progress(_beside(convention, conventions, name), done, total)


def _beside(convention: Convention, conventions: Sequence[Convention], name: str) -> str:
    """What a system is called beside itself under other conventions."""
    return name if len(conventions) == 1 else f"{name} ({convention.name})"


def side_by_side(found: Mapping[str, SystemResults]) -> SystemResults:
    """Results of the same systems by convention, in one: those of a system stand side by side.

    A convention that computes nothing has nothing to say of the inputs.
    """
    if len(found) == 1:
        return next(iter(found.values()))
    systems = dict.fromkeys(system for results in found.values() for system in results)
    return SystemResults(
        {f"{system} ({name})": results[system] for system in systems for name, results in found.items()},
        merged({name: results.notices for name, results in found.items() if any(results.values())}),
        next(iter(found.values())).speaker,
    )


def _given(systems: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The inputs that there are; worlds have their own."""
    worlds = {name for lists in systems.values() if isinstance(lists, World) for name in given_in(lists.truth)}
    given = [name for name in TRUTH if options.get(name) is not None or name in worlds]
    counted = options.get("popularity_users") is not None or "popularity_users" in worlds
    return [*given, *(["popularity_users"] if counted else [])]


def _once(name: str, given: Any) -> Any:
    """An input that can be looked at again, for every convention."""
    if is_external(given):
        return read_lists(given, several=True) if name == "rankings" else read_input(name, given)
    return list(given) if isinstance(given, Iterator) else given


Read = list[tuple[Truth, dict[str, Any]]]
"""Systems by the truth that they are measured against, which is one and the same unless they are worlds."""


def _streams(systems: Mapping[str, Any], memory: str | int | None, resume: Any) -> dict[str, Stream]:
    """Systems whose lists are read piece by piece."""
    found = {name: streamed(given, name, memory, resume) for name, given in systems.items()}
    return {name: stream for name, stream in found.items() if stream is not None}


def _read(systems: Mapping[str, Any], inputs: Mapping[str, Any], convention: Convention, streams: Mapping[str, Stream]) -> Read:
    for kind, read in ((World, _worlds), (Rankings, _coded)):
        others = [name for name, given in systems.items() if not isinstance(given, kind)]
        if len(others) < len(systems):
            if others:
                found = type(systems[others[0]]).__name__
                raise InputError(f"system {others[0]!r} is {found} while others are {kind.__name__}: give all in one form")
            return read(systems, inputs)
    whole = [name for name in systems if name not in streams]
    truth, *lists = each([partial(convention.truth, **inputs), *(partial(_once, "rankings", systems[name]) for name in whole)])
    by_name = {**dict(zip(whole, lists, strict=True)), **streams}
    return [(truth, {name: by_name[name] for name in systems})]


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
    if inputs.get("popularity_users") is not None:
        raise InputError("popularity_users goes with ids; codes say it by Popularity(of_users=...)")
    if inputs.get("directed") is not None:
        raise InputError("directed goes with ids; codes say it by SocialGraph(directed=...)")
    for name, kept in (("order", ("auto", "input")), ("ties", ("input", "expected")), ("duplicates", ("error",))):
        if inputs.get(name) is not None and inputs[name] not in kept:
            raise InputError(Option(name, inputs[name]), " goes with ids; lists of codes are in their order already")
    parts = {name: inputs[name] for name in KINDS if inputs.get(name) is not None}
    for name, part in parts.items():
        if not isinstance(part, KINDS[name]):
            raise InputError(f"{name} is {type(part).__name__} while rankings are codes: give {KINDS[name].__name__}, or ids everywhere")
    threshold = inputs.get("threshold")
    if "relevance" in parts and threshold is not None:
        parts["relevance"] = replace(parts["relevance"], threshold=threshold)
    catalogue = None if inputs.get("catalogue") is None else np.asarray(inputs["catalogue"])
    lists = list(systems.values())
    n_items = smallest_n_items({**parts, "catalogue": catalogue}, *lists)
    ties: Ties = inputs.get("ties") or "input"
    n_users = max(one.n_users for one in lists)
    truth = Truth(**parts, catalogue=catalogue, n_users=n_users, n_items=n_items, options={"ties": ties}, reading=Reading(ties=ties))
    return [(truth, {name: World(one, truth, codes=np.arange(one.n_users, dtype=np.int32)) for name, one in systems.items()})]


__test__ = {"evaluate": evaluate, "evaluate_systems": evaluate_systems}  # doctest passes over what is decorated
