"""The doctor: everything there is to say about files before they are evaluated, wrong ones included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aspectrum.api import read_worlds
from aspectrum.errors import InputError
from aspectrum.inspection import Finding, inspect
from aspectrum.io import Source, read_input
from aspectrum.io.source import UsualColumns
from aspectrum.world.rows import Rows


@dataclass(frozen=True)
class Examination:
    """What was found, and whether numbers would mean something."""

    findings: tuple[Finding, ...]
    failures: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.failures and all(finding.level != "error" for finding in self.findings)

    def to_text(self) -> str:
        parts = []
        for level, title in (("fact", "What is there"), ("warning", "Worth a look"), ("error", "Wrong")):
            lines = [str(finding) for finding in self.findings if finding.level == level]
            lines += self.failures if level == "error" else ()
            if lines:
                parts.append("\n".join([title, *(f"  {line}" for line in lines)]))
        parts.append("Nothing is wrong with these data." if self.sound else "Mend what is wrong before you evaluate.")
        return "\n\n".join(parts)

    def to_json(self) -> str:
        data = {"sound": self.sound, "findings": [finding.to_dict() for finding in self.findings], "failures": list(self.failures)}
        return json.dumps(data, indent=2, ensure_ascii=False)


def examine(
    systems: Mapping[str, Source], inputs: Mapping[str, Source], cutoffs: Iterable[int], usual: UsualColumns | None = None, **reading: Any
) -> Examination:
    """Read every file that can be read, say what is wrong with the others, and what the files say of one another.

    Args:
        systems: Lists by name of the system.
        inputs: The truth, by name of the input.
        cutoffs: Lists shorter than these are counted.
        reading: Options of :func:`aspectrum.api.read_worlds`.
    """
    failures: list[str] = []
    lists = {name: rows for name, source in systems.items() if (rows := _read("rankings", source, failures)) is not None}
    truth = {name: rows for name, source in inputs.items() if (rows := _read(name, source, failures)) is not None}
    if failures:
        sizes = [Finding("fact", rows.source, "rows", len(rows)) for rows in (*lists.values(), *truth.values())]
        return Examination(tuple(sizes), tuple(failures))
    findings: list[Finding] = []
    try:
        if usual is not None:
            usual.check()
        built = read_worlds(lists, **truth, **reading)
        findings = inspect(built, cutoffs)
    except InputError as error:
        failures.append(str(error))
        if reading.get("duplicates") != "first":
            failures += _beyond_duplicates(lists, truth, reading, str(error))
    return Examination(tuple(findings), tuple(failures))


def _read(input: str, source: Source, failures: list[str]) -> Rows | None:
    try:
        return read_input(input, source)
    except InputError as error:
        failures.append(str(error))
        return None


def _beyond_duplicates(lists: Mapping[str, Rows], truth: Mapping[str, Rows], reading: Mapping[str, Any], known: str) -> list[str]:
    """What else is wrong, and how many rows are repeated, once the first of them counts."""
    try:
        built = read_worlds(lists, **truth, **{**reading, "duplicates": "first"})
    except InputError as error:
        return [] if str(error) == known else [str(error)]
    return [str(finding) for finding in inspect(built) if finding.level != "fact"]
