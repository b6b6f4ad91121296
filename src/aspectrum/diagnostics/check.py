"""Validates inputs for ``aspectrum check``: everything there is to say about files, unreadable ones included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aspectrum.api import several_systems
from aspectrum.asked import Asked, Metrics, asked_for, computed_under
from aspectrum.coding.reading import Input
from aspectrum.coding.rows import InputBundle, Rows, unbundled
from aspectrum.contacts.evaluation import Request
from aspectrum.contacts.network import Network, read_one, read_recommendations
from aspectrum.conventions import Convention, conventions_named
from aspectrum.diagnostics.findings import LEVELS, Inputs, Use, find
from aspectrum.diagnostics.lists import with_notices
from aspectrum.diagnostics.notices import CONTACTS, PYTHON, Notice, Speaker, levelled, merged, of_input
from aspectrum.errors import AspectrumError
from aspectrum.io import Source, read_input
from aspectrum.io.source import UsualColumns
from aspectrum.metric import Metric
from aspectrum.nuggets import read_table
from aspectrum.plan import Plan, is_exact
from aspectrum.wording import one_line
from aspectrum.world import Truth, World
from aspectrum.world.building import CodedLists, build_lists


@dataclass(frozen=True)
class Report:
    """What was found, and what keeps the inputs from being evaluated."""

    findings: tuple[Notice, ...]
    failures: tuple[str, ...] = ()
    speaker: Speaker = PYTHON

    @property
    def n_errors(self) -> int:
        return len(self.failures) + self._count("error")

    def _count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)

    def without_facts(self) -> Report:
        """Only what a reader of the numbers should know."""
        return replace(self, findings=tuple(one for one in self.findings if one.level != "fact"))

    def to_text(self) -> str:
        """Findings by file, then failures, then the number of errors and warnings."""
        lines: dict[str | None, list[str]] = {}
        for one in self.findings:
            mark = "" if one.level == "fact" else f"{one.level}: "
            kind = f" [{one.kind}]" if one.level == "warning" else ""  # by which it can be ignored
            said = one_line(f"{mark}{'' if one.only is None else f'{one.only}: '}{one.said(self.speaker)}{kind}")
            whose = [] if one.source is None else [one_line(one.source)]
            lines.setdefault(one.source, whose).append(said if one.source is None else f"  {said}")
        parts = ["\n".join(several) for several in lines.values()]
        if self.failures:
            parts.append("\n".join(f"error: {one_line(failure)}" for failure in self.failures))
        fix = " Fix these before evaluating." if self.n_errors else ""
        parts.append(f"{_number(self.n_errors, 'error').capitalize()}, {_number(self._count('warning'), 'warning')}.{fix}")
        return "\n\n".join(parts)

    def to_json(self) -> str:
        findings = [{**finding.to_data(), "message": finding.said(self.speaker)} for finding in self.findings]
        data = {"valid": not self.n_errors, "findings": findings, "failures": list(self.failures)}
        return json.dumps(data, indent=2, ensure_ascii=False)


def _number(n: int, what: str) -> str:
    return f"{n or 'no'} {what}{'s' * (n != 1)}"


def check(
    systems: Mapping[str, Source],
    inputs: Mapping[str, Source],
    metrics: Metrics = "all@10",
    *,
    users: str | Source | None = None,
    usual: UsualColumns | None = None,
    speaker: Speaker = PYTHON,
    strict: bool = False,
    ignore: Iterable[str] = (),
    **reading: Any,
) -> Report:
    """Read every file that can be read, say what is wrong with the others, and what the files say of one another.

    Args:
        systems, inputs: Lists by name of the system, and the truth by name of the input.
        metrics: Whether the inputs are enough for them is tried; lists shorter than their cutoffs are counted.
        users: Who is to be averaged.
        usual: Names of columns, every one of which should be found.
        strict: Warnings are errors.
        ignore: Kinds of warnings that are notes.
        reading: Options of :meth:`aspectrum.Truth.read`, and the convention.
    """
    attempts = _Attempts(speaker)
    ways = {way.name: way for way in conventions_named(reading.pop("convention", None))}
    read_lists = attempts.each(systems, lambda name, source: read_input("rankings", source))
    lists = attempts.attempt(lambda: several_systems(read_lists)) or read_lists
    named = inputs if users is None or isinstance(users, str) else {**inputs, "users": users}
    bundles = {name: one for name, one in named.items() if isinstance(one, InputBundle)}
    truth = attempts.each({name: one for name, one in named.items() if name not in bundles}, read_table)
    truth = attempts.attempt(lambda: unbundled({**bundles, **truth}, ways.values())) or truth
    if not attempts.failures and usual is not None:
        attempts.attempt(usual.check)
    for name in (name for name, said_of in _SAID_OF.items() if name in reading and said_of not in inputs):
        attempts.attempt(partial(Truth.read, **{name: reading[name]}))
    if not systems:
        return _without_lists(truth, attempts, list(ways.values()), reading, strict=strict, ignore=ignore)
    asked = attempts.attempt(lambda: asked_for(metrics, {**inputs, **truth}, list(ways.values()))[0]) or ()
    ways = {name: way for name, way in ways.items() if computed_under(way, asked)} or ways  # others compute nothing
    wanted = {name: [one.metric for one in computed_under(way, asked)] for name, way in ways.items()}
    cutoffs = [cutoff for one in asked for cutoff in one.metric.cutoffs]
    several = attempts.each(ways, lambda _, way: _together(lists, truth, reading, way))
    if len(several) < len(ways):
        (name, first), *_ = ways.items()
        several = {name: several.get(name) or _sound_parts(lists, truth, reading, first, attempts)}
    found = {
        name: find(_looked_at(together, coded, cutoffs), _use(together, computed_under(ways[name], asked), users, ways[name]))
        if coded
        else []
        for name, (together, coded) in several.items()
    }
    findings = list(merged(found))
    if attempts.failures:
        if reading.get("duplicates") != "first":  # the failure is about the first of them
            refused = {kind: f"refused_{kind}" for kind in ("duplicates", "contradictions")}
            findings = [replace(one, kind=refused[one.kind], level="note") if one.kind in refused else one for one in findings]
        seen = {finding.source for finding in findings}
        others = [rows for rows in (*lists.values(), *truth.values()) if rows.source not in seen]
        findings += [Notice("rows", len(rows), source=rows.source) for rows in others]
    else:
        for name, (together, coded) in several.items():
            _try_metrics(together, coded, wanted[name], users, ways[name], attempts)
    return Report(levelled(findings, strict=strict, ignore=ignore), tuple(attempts.failures), speaker)


def _without_lists(
    truth: Mapping[str, Rows], attempts: _Attempts, ways: Sequence[Convention], reading: Mapping[str, Any], **attention: Any
) -> Report:
    """What there is to say of the truth alone."""
    read = attempts.attempt(lambda: _together({}, truth, reading, ways[0])[0])
    inputs = {} if read is None else read.truth.inputs
    findings = [
        one
        for name, rows in truth.items()
        for one in of_input(rows.source, len(rows), [_size(inputs[name]), *inputs[name].notices] if name in inputs else rows.notices)
    ]
    return Report(levelled(findings, **attention), tuple(attempts.failures), attempts.speaker)


def _size(read: Input) -> Notice:
    return Notice("size", read.n_rows, detail={"input": read.name, "ids": {role: len(ids) for role, ids in read.ids.items()}})


_SAID_OF = {"popularity_users": "popularity", "directed": "graph"}
"""Options that go with an input."""


def _looked_at(read: Inputs, coded: Mapping[str, CodedLists], cutoffs: Iterable[int]) -> Inputs:
    """Inputs, with what is to be said of every list."""
    lists = {name: with_notices(given, read.tables, read.truth, cutoffs).input for name, given in coded.items()}
    return replace(read, systems=lists)


def _use(read: Inputs, metrics: Sequence[Asked], users: Any, convention: Convention) -> Use:
    """What the metrics make of the inputs; if they cannot be computed, what most would."""
    named = users is not None and not isinstance(users, str)
    try:
        use = Plan(metrics, read.truth, users=None if named else users, convention=convention).use
    except AspectrumError:
        use = Use()
    return replace(use, averages_lists=False, queries=None) if named else use


def check_contacts(
    systems: Mapping[str, Source],
    inputs: Mapping[str, Source],
    metrics: Any = None,
    *,
    usual: UsualColumns | None = None,
    speaker: Speaker = CONTACTS,
    strict: bool = False,
    ignore: Iterable[str] = (),
    **options: Any,
) -> Report:
    """The same for contacts: everything that :func:`aspectrum.contacts.evaluate_systems` would say, errors included.

    Args:
        systems, inputs: Recommendations by name of the system, and the train graph and whatever else is known by name of the input.
        metrics: As for the evaluation.
        usual: Names of columns, every one of which should be found.
        strict, ignore: As for :func:`check`.
        options: Those of the evaluation.
    """
    attempts = _Attempts(speaker)
    said: dict[str, Any] = {**inputs, **options}
    asked = attempts.attempt(lambda: Request.of(metrics, **said))
    network = None if asked is None else attempts.attempt(lambda: asked.network(systems))
    if network is None:  # which of the files cannot be read
        read = attempts.each(systems, read_recommendations) | attempts.each(inputs, partial(read_one, directed=options.get("directed")))
        return Report(tuple(Notice("rows", len(rows), source=rows.source) for rows in read.values()), tuple(attempts.failures), speaker)
    if usual is not None:
        attempts.attempt(usual.check)
    ways = [way for way in asked.conventions if computed_under(way, asked.asked)]
    found = {way.name: _findings_on_contacts(asked, network, systems, way, attempts) for way in ways}
    findings = sorted(dict.fromkeys([*network.sizes(), *merged(found)]), key=lambda one: LEVELS.index(one.level))
    return Report(levelled(findings, strict=strict, ignore=ignore), tuple(attempts.failures), speaker)


def _findings_on_contacts(
    asked: Request, network: Network, systems: Iterable[str], convention: Convention, attempts: _Attempts
) -> list[Notice]:
    """What there is to say of a network under a convention."""
    plan, findings = attempts.attempt(lambda: asked.plan(network, convention)) or (None, network.notices_on_links())
    if plan is None:
        return findings
    lists = attempts.each({name: network.lists(name) for name in systems}, lambda _, rows: plan.lists(rows))
    findings += network.notices_on(plan, lists.values()) if lists else []
    if lists and not any(one.level == "error" for one in findings):  # one user is enough to see whether there would be numbers
        someone = World.of_lists(next(iter(lists.values())), plan.truth, plan.tables).slice(0, 1)
        attempts.attempt(lambda: plan.observe(someone))
    return findings


@dataclass(frozen=True)
class _Attempts:
    """Tries to read, and keeps what went wrong: each failure once, in order."""

    speaker: Speaker
    failures: dict[str, None] = field(default_factory=dict)

    def attempt(self, read: Callable[[], Any]) -> Any:
        """What was read, or None and one failure more."""
        try:
            return read()
        except AspectrumError as error:
            self.failures.update(dict.fromkeys(error.said(self.speaker).split("\n")))
            return None

    def each(self, given: Mapping[str, Any], read: Callable[[str, Any], Any]) -> dict[str, Any]:
        tried = {name: self.attempt(lambda name=name, one=one: read(name, one)) for name, one in given.items()}  # type: ignore[misc]
        return {name: found for name, found in tried.items() if found is not None}


def _together(
    lists: Mapping[str, Rows], truth: Mapping[str, Rows], options: Mapping[str, Any], convention: Convention
) -> tuple[Inputs, dict[str, CodedLists]]:
    """Inputs that go together, and the lists of each system."""
    options = {name: value for name, value in options.items() if _SAID_OF.get(name) in (None, *truth)}
    read = convention.truth(**truth, **options)
    tables = read.tables.copy()
    coded = {name: build_lists(rows, tables, read.reading) for name, rows in lists.items()}
    return Inputs(read, tables, read.inputs, {name: given.input for name, given in coded.items()}), coded


def _sound_parts(
    lists: Mapping[str, Rows], truth: Mapping[str, Rows], reading: Mapping[str, Any], convention: Convention, attempts: _Attempts
) -> Any:
    """As much as goes together once the first of contradicting rows counts; why the rest does not is a failure."""
    attempts.each(lists, lambda name, rows: _together({name: rows}, {}, reading, convention))
    attempts.each(truth, lambda name, rows: _together({}, {name: rows}, reading, convention))
    lenient = {**reading, "duplicates": "first"}
    sound: tuple[dict[str, Rows], dict[str, Rows]] = ({}, {})
    read: Any = (None, {})
    for given, part in zip((lists, truth), sound, strict=True):
        for name, rows in given.items():
            part[name] = rows
            found = attempts.attempt(lambda: _together(*sound, lenient, convention))
            if found is None:
                del part[name]
            read = found or read
    return read


def _try_metrics(
    read: Inputs,
    lists: Mapping[str, CodedLists],
    metrics: Sequence[Metric],
    users: Any,
    convention: Convention,
    attempts: _Attempts,
) -> None:
    """Whether there would be numbers: one user is mostly enough to see that.

    Lengths are those of all documents: metrics of these look at all lists, but spend nothing on best contexts.
    """
    worlds = [World.of_lists(one, read.truth, read.tables) for one in lists.values()]
    world = worlds[0]
    someone = world.slice(0, min(1, world.n_users))
    metrics = [replace(metric, budget=0.0) if metric.parameters.get("budget") is not None else metric for metric in metrics]  # type: ignore[call-arg]
    choice = users if isinstance(users, str) else None
    if choice == "common":
        attempts.attempt(lambda: Plan(metrics, read.truth, users="common", convention=convention).of_common_users(lists.values()))
        choice = None  # one system knows nothing of them
    for several in (*([metric] for metric in metrics), metrics):
        spent = 0.0 if any(is_exact(metric) for metric in several) else None
        plan = attempts.attempt(partial(Plan, several, read.truth, users=choice, convention=convention, ideal_budget=spent))
        if plan is None or (plan.use.lengths and several is not metrics):  # together, so that what is missing is counted as it would be
            continue
        # What is counted over all lists may not be in the catalogue.
        for whom in worlds if plan.use.lengths else [world] if plan.use.relative_to else [someone]:
            attempts.attempt(partial(plan.observe, whom))
