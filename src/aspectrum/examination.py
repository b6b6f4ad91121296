"""The doctor: everything there is to say about files before they are evaluated, wrong ones included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from aspectrum.coding.rows import Rows
from aspectrum.conventions import Convention, conventions_named
from aspectrum.errors import AspectrumError
from aspectrum.inspection import Finding, Inputs, inspect
from aspectrum.io import Source, read_input
from aspectrum.io.source import UsualColumns
from aspectrum.metric import Metric
from aspectrum.plan import Plan
from aspectrum.world import Truth, World
from aspectrum.world.building import CodedLists, Tables, build_lists

_USUAL_CUTOFF = 10


@dataclass(frozen=True)
class Examination:
    """What was found, and whether numbers would mean something."""

    findings: tuple[Finding, ...]
    failures: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.failures and all(finding.level != "error" for finding in self.findings)

    def to_text(self) -> str:
        """File by file, so that a long path is written once; then what keeps the files from being evaluated."""
        marks = {"fact": "", "warning": "look: ", "error": "WRONG: "}
        parts = []
        for source in dict.fromkeys(finding.source for finding in self.findings):
            lines = [f"  {marks[finding.level]}{finding.said}" for finding in self.findings if finding.source == source]
            parts.append("\n".join([source, *lines]))
        if self.failures:
            parts.append("\n".join(f"WRONG: {failure}" for failure in self.failures))
        parts.append(self._verdict())
        return "\n\n".join(parts)

    def _verdict(self) -> str:
        n_wrong = len(self.failures) + sum(finding.level == "error" for finding in self.findings)
        n_odd = sum(finding.level == "warning" for finding in self.findings)
        look = f"; {n_odd} {'thing is' if n_odd == 1 else 'things are'} worth a look" if n_odd else ""
        if n_wrong:
            return f"{n_wrong} {'thing is' if n_wrong == 1 else 'things are'} wrong{look}. Mend what is wrong before you evaluate."
        return f"Nothing is wrong{look}."

    def to_json(self) -> str:
        data = {"sound": self.sound, "findings": [finding.to_dict() for finding in self.findings], "failures": list(self.failures)}
        return json.dumps(data, indent=2, ensure_ascii=False)


def examine(
    systems: Mapping[str, Source],
    inputs: Mapping[str, Source],
    metrics: Iterable[Metric] = (),
    *,
    users: str | Source | None = None,
    usual: UsualColumns | None = None,
    **reading: Any,
) -> Examination:
    """Read every file that can be read, say what is wrong with the others, and what the files say of one another.

    Args:
        systems: Lists by name of the system.
        inputs: The truth, by name of the input.
        metrics: Whether the inputs are enough for them is tried; lists shorter than their cutoffs (or than 10) are counted.
        users: Who is to be averaged.
        usual: Names of columns, every one of which should be found.
        reading: Options of :meth:`aspectrum.Truth.read`, and the convention.
    """
    wanted = tuple(metrics)
    failures: dict[str, None] = {}  # each once, in order
    lists = _each(systems, lambda name, source: read_input("rankings", source), failures)
    facts = inputs if users is None or isinstance(users, str) else {**inputs, "users": users}
    truth = _each(facts, read_input, failures)
    all_read = not failures
    if all_read and usual is not None:
        _tried(usual.check, failures)
    ways = conventions_named(reading.pop("convention", None))
    read = _tried(lambda: _Read.of(lists, truth, reading, ways[0]), failures)
    if read is None:
        read = _read_sound_parts(lists, truth, reading, ways[0], failures)
    findings = [] if read is None else read.findings([cutoff for metric in wanted for cutoff in metric.cutoffs] or [_USUAL_CUTOFF])
    if failures:
        findings = [_not_left_out(finding) for finding in findings] if reading.get("duplicates") != "first" else findings
        seen = {finding.source for finding in findings}
        findings += [
            Finding("fact", rows.source, "rows", len(rows)) for rows in (*lists.values(), *truth.values()) if rows.source not in seen
        ]
    elif wanted:
        for way in ways:
            _try_metrics(read, wanted, users, way, failures)
    return Examination(tuple(findings), tuple(failures))


def _tried(read: Callable[[], Any], failures: dict[str, None]) -> Any:
    """What was read, or None and one failure more."""
    try:
        return read()
    except AspectrumError as error:
        failures[str(error)] = None
        return None


def _each(given: Mapping[str, Any], read: Callable[[str, Any], Any], failures: dict[str, None]) -> dict[str, Any]:
    tried = {name: _tried(lambda name=name, one=one: read(name, one), failures) for name, one in given.items()}  # type: ignore[misc]
    return {name: found for name, found in tried.items() if found is not None}


@dataclass(frozen=True, eq=False)
class _Read:
    """Inputs that go together."""

    truth: Truth
    tables: Tables
    lists: Mapping[str, CodedLists]

    @classmethod
    def of(cls, lists: Mapping[str, Rows], truth: Mapping[str, Rows], options: Mapping[str, Any], convention: Convention) -> _Read:
        read = convention.truth(**truth, **options)
        tables = read.tables.copy()
        return cls(read, tables, {name: build_lists(rows, tables, read.reading) for name, rows in lists.items()})

    def findings(self, cutoffs: Iterable[int]) -> list[Finding]:
        if not self.lists:
            return []
        inputs = Inputs(self.truth, self.tables, self.truth.inputs, {name: lists.input for name, lists in self.lists.items()})
        return inspect(inputs, {name: lists.rankings.lengths for name, lists in self.lists.items()}, cutoffs)


def _read_sound_parts(
    lists: Mapping[str, Rows], truth: Mapping[str, Rows], reading: Mapping[str, Any], convention: Convention, failures: dict[str, None]
) -> _Read | None:
    """As much as goes together once the first of contradicting rows counts; why the rest does not is a failure."""
    _each(lists, lambda name, rows: _Read.of({name: rows}, {}, reading, convention), failures)
    _each(truth, lambda name, rows: _Read.of({}, {name: rows}, reading, convention), failures)
    lenient = {**reading, "duplicates": "first"}
    sound: tuple[dict[str, Rows], dict[str, Rows]] = ({}, {})
    read: _Read | None = None
    for part, given in enumerate((lists, truth)):
        for name, rows in given.items():
            sound[part][name] = rows
            found = _tried(lambda: _Read.of(*sound, lenient, convention), failures)
            if found is None:
                del sound[part][name]
            else:
                read = found
    return read


def _not_left_out(finding: Finding) -> Finding:
    """What is only counted here is an error there."""
    if not finding.what.endswith(" and are left out"):
        return finding
    return replace(finding, level="error", what=finding.what.removesuffix(" and are left out"), reason="--duplicates first leaves them out")


def _try_metrics(read: _Read, metrics: tuple[Metric, ...], users: Any, convention: Convention, failures: dict[str, None]) -> None:
    """Whether there would be numbers: one user is enough to see that."""
    someone = World.of_lists(next(iter(read.lists.values())), read.truth, read.tables).slice(0, 1)
    choice: Any = users if isinstance(users, str) else None
    for several in (*([metric] for metric in metrics), metrics):
        _tried(lambda several=several: Plan(several, read.truth, users=choice, convention=convention).observe(someone), failures)  # type: ignore[misc]
