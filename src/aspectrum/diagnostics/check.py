"""Validates inputs for ``aspectrum check``: everything there is to say about files, unreadable ones included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aspectrum.api import several_systems
from aspectrum.coding.rows import Rows
from aspectrum.conventions import Convention, conventions_named
from aspectrum.diagnostics.findings import Inputs, find
from aspectrum.diagnostics.notices import PYTHON, Notice, Speaker
from aspectrum.errors import AspectrumError
from aspectrum.io import Source, read_input
from aspectrum.io.source import UsualColumns
from aspectrum.metric import Metric
from aspectrum.plan import Plan
from aspectrum.world import World
from aspectrum.world.building import CodedLists, build_lists

_DEFAULT_CUTOFF = 10


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

    def to_text(self) -> str:
        """Findings by file, then failures, then the number of errors and warnings."""
        lines: dict[str | None, list[str]] = {}
        for one in self.findings:
            mark = f"{one.level}: " if one.level in ("warning", "error") else ""
            lines.setdefault(one.source, [str(one.source)]).append(f"  {mark}{one.said(self.speaker)}")
        parts = ["\n".join(several) for several in lines.values()]
        if self.failures:
            parts.append("\n".join(f"error: {failure}" for failure in self.failures))
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
    metrics: Iterable[Metric] = (),
    *,
    users: str | Source | None = None,
    usual: UsualColumns | None = None,
    speaker: Speaker = PYTHON,
    **reading: Any,
) -> Report:
    """Read every file that can be read, say what is wrong with the others, and what the files say of one another.

    Args:
        systems, inputs: Lists by name of the system, and the truth by name of the input.
        metrics: Whether the inputs are enough for them is tried; lists shorter than their cutoffs (or than 10) are counted.
        users: Who is to be averaged.
        usual: Names of columns, every one of which should be found.
        reading: Options of :meth:`aspectrum.Truth.read`, and the convention.
    """
    wanted = tuple(metrics)
    attempts = _Attempts(speaker)
    read_lists = attempts.each(systems, lambda name, source: read_input("rankings", source))
    lists = attempts.attempt(lambda: several_systems(read_lists)) or read_lists
    truth = attempts.each(inputs if users is None or isinstance(users, str) else {**inputs, "users": users}, read_input)
    if not attempts.failures and usual is not None:
        attempts.attempt(usual.check)
    ways = conventions_named(reading.pop("convention", None))
    read = attempts.attempt(lambda: _together(lists, truth, reading, ways[0]))
    together, coded = read or _sound_parts(lists, truth, reading, ways[0], attempts)
    cutoffs = [cutoff for metric in wanted for cutoff in metric.cutoffs] or [_DEFAULT_CUTOFF]
    findings = find(together, {name: given.rankings.lengths for name, given in coded.items()}, cutoffs) if coded else []
    if attempts.failures:
        if reading.get("duplicates") != "first":  # what is only counted here is an error in an evaluation
            refused = {kind: f"refused_{kind}" for kind in ("duplicates", "contradictions")}
            findings = [replace(one, kind=refused[one.kind], level="error") if one.kind in refused else one for one in findings]
        seen = {finding.source for finding in findings}
        others = [rows for rows in (*lists.values(), *truth.values()) if rows.source not in seen]
        findings += [Notice("rows", len(rows), source=rows.source) for rows in others]
    else:
        for way in ways if wanted else ():
            _try_metrics(together, coded, wanted, users, way, attempts)
    return Report(tuple(findings), tuple(attempts.failures), speaker)


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
            self.failures[error.said(self.speaker)] = None
            return None

    def each(self, given: Mapping[str, Any], read: Callable[[str, Any], Any]) -> dict[str, Any]:
        tried = {name: self.attempt(lambda name=name, one=one: read(name, one)) for name, one in given.items()}  # type: ignore[misc]
        return {name: found for name, found in tried.items() if found is not None}


def _together(
    lists: Mapping[str, Rows], truth: Mapping[str, Rows], options: Mapping[str, Any], convention: Convention
) -> tuple[Inputs, dict[str, CodedLists]]:
    """Inputs that go together, and the lists of each system."""
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
    read: Inputs, lists: Mapping[str, CodedLists], metrics: Sequence[Metric], users: Any, convention: Convention, attempts: _Attempts
) -> None:
    """Whether there would be numbers: one user is enough to see that."""
    someone = World.of_lists(next(iter(lists.values())), read.truth, read.tables).slice(0, 1)
    choice = users if isinstance(users, str) else None
    for several in (*([metric] for metric in metrics), metrics):
        attempts.attempt(lambda several=several: Plan(several, read.truth, users=choice, convention=convention).observe(someone))  # type: ignore[misc]
