"""The doctor: everything there is to say about files before they are evaluated, wrong ones included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aspectrum.api import read_worlds
from aspectrum.coding.rows import Rows
from aspectrum.conventions import conventions_named
from aspectrum.errors import AspectrumError
from aspectrum.evaluation import evaluate_world
from aspectrum.inspection import Finding, inspect
from aspectrum.io import Source, read_input
from aspectrum.io.source import UsualColumns
from aspectrum.metric import Metric
from aspectrum.world import World
from aspectrum.world.building import Built

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
        reading: Options of :func:`aspectrum.api.read_worlds`.
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
    reading["convention"] = ways[0]
    built = _tried(lambda: read_worlds(lists, **truth, **reading), failures)
    if built is None:
        built = _built_from_sound_parts(lists, truth, reading, failures)
    findings = inspect(built, [cutoff for metric in wanted for cutoff in metric.cutoffs] or [_USUAL_CUTOFF])
    if failures:
        findings = [_not_left_out(finding) for finding in findings] if reading.get("duplicates") != "first" else findings
        seen = {finding.source for finding in findings}
        findings += [
            Finding("fact", rows.source, "rows", len(rows)) for rows in (*lists.values(), *truth.values()) if rows.source not in seen
        ]
    elif wanted:
        for way in ways:
            _try_metrics(next(iter(built.worlds.values())), wanted, users, way, failures)
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


def _built_from_sound_parts(
    lists: Mapping[str, Rows], truth: Mapping[str, Rows], reading: Mapping[str, Any], failures: dict[str, None]
) -> Built:
    """As much as goes together once the first of contradicting rows counts; why the rest does not is a failure."""
    _each(lists, lambda name, rows: read_worlds({name: rows}, **reading), failures)
    _each(truth, lambda name, rows: read_worlds({}, **{name: rows}, **reading), failures)
    lenient = {**reading, "duplicates": "first"}
    sound: tuple[dict[str, Rows], dict[str, Rows]] = ({}, {})
    built = Built({})
    for part, given in enumerate((lists, truth)):
        for name, rows in given.items():
            sound[part][name] = rows
            found = _tried(lambda: read_worlds(sound[0], **{**sound[1], **lenient}), failures)
            if found is None:
                del sound[part][name]
            else:
                built = found
    return built


def _not_left_out(finding: Finding) -> Finding:
    """What is only counted here is an error there."""
    if not finding.what.endswith(" and are left out"):
        return finding
    return replace(finding, level="error", what=finding.what.removesuffix(" and are left out"), reason="--duplicates first leaves them out")


def _try_metrics(world: World, metrics: tuple[Metric, ...], users: Any, convention: Any, failures: dict[str, None]) -> None:
    """Whether there would be numbers: one user is enough to see that."""
    someone = world.take(np.flatnonzero(world.listed)[:1])
    choice: Any = users if isinstance(users, str) else None
    for several in (*([metric] for metric in metrics), metrics):
        _tried(lambda several=several: evaluate_world(someone, several, users=choice, convention=convention), failures)  # type: ignore[misc]
