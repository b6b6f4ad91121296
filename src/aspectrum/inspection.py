"""A look at the inputs before any number: what they hold, what matches nowhere, and why that may be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from aspectrum.arrays import Codes, Counts
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.reading import Input
from aspectrum.errors import InputError
from aspectrum.world import Truth
from aspectrum.world.building import Tables

Level = Literal["fact", "warning", "error"]

_N_EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """Something about an input that a user may want to know.

    Args:
        level: ``fact``; ``warning``: numbers can be computed, but look at it; ``error``: no number would mean anything.
        source: The input it is about.
        what: In words.
        count: How many rows, users or items, if it is about a number of them; and out of how many.
        examples: Some of them.
        reason: Why it may be so.
    """

    level: Level
    source: str
    what: str
    count: int | None = None
    of: int | None = None
    examples: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def said(self) -> str:
        """Everything but the source, in a line."""
        of = "" if self.of is None else f" of {self.of:,}"
        such = f" (such as {', '.join(self.examples)})" if self.examples else ""
        why = f"; {self.reason}" if self.reason else ""
        count = "" if self.count is None else f"{self.count:,}{of} "
        return f"{count}{self.what}{such}{why}"

    def __str__(self) -> str:
        return f"{self.source}: {self.said}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "source": self.source,
            "what": self.what,
            "count": self.count,
            "of": self.of,
            "examples": list(self.examples),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class Inputs:
    """All that was read for an evaluation.

    Args:
        truth: The truth.
        tables: The ids of everything.
        inputs: What was read for the truth, by name of the input; and users to be averaged, if they were named.
        systems: What was read as the lists of each system.
    """

    truth: Truth
    tables: Tables
    inputs: Mapping[str, Input]
    systems: Mapping[str, Input]

    def codes(self, given: Input, role: str) -> Codes:
        """The codes of the users, items or aspects that an input names."""
        return given.ids[role].within(getattr(self.tables, role))


def inspect(read: Inputs, lengths: Mapping[str, Counts] | None = None, cutoffs: Iterable[int] = ()) -> list[Finding]:
    """What there is to say about the inputs of an evaluation, facts first.

    Args:
        lengths: How long the lists of each system are; those shorter than `cutoffs` are counted.
    """
    look = _Look(read)
    findings: list[Finding] = []
    for name, lists in read.systems.items():
        findings += look.sizes(lists)
        if lists.n_rows:
            findings.append(Finding("fact", lists.source, f"lists are ordered by {lists.order_in_words}", len(lists.ids["user"])))
        findings += noticed(lists)
        findings += _short_lists(lists.source, (lengths or {}).get(name, np.empty(0, np.int64)), cutoffs)
    for truth in read.inputs.values():
        findings += look.sizes(truth)
        findings += noticed(truth)
    for lists in read.systems.values():
        for name in ("relevance", "history", "subtopics", "weights"):
            findings += look.missing(lists, name, "user")
        for name in ("aspects", "features", "subtopics", "relevance", "catalogue"):
            findings += look.missing(lists, name, "item")
    for name in ("relevance", "history"):
        if name in read.inputs:
            findings += look.missing(read.inputs[name], "aspects", "item")
    if "weights" in read.inputs and read.inputs.keys() & {"aspects", "subtopics"}:
        findings += look.missing(read.inputs["weights"], "aspects" if "aspects" in read.inputs else "subtopics", "aspect")
    findings += look.without_list()
    findings += look.unsplit()
    findings += look.without_aspect()
    findings += look.one_subtopic()
    findings += look.without_relevant()
    order: Mapping[str, int] = {"fact": 0, "warning": 1, "error": 2}
    return sorted(findings, key=lambda finding: order[finding.level])


def notes_on(read: Inputs, from_files: bool | None = None) -> list[str]:
    """What a reader of the numbers should know of the inputs; files that make them meaningless are an error."""
    if not read.inputs and not any(lists.external or lists.noticed for lists in read.systems.values()):
        return []
    findings = inspect(read)
    ordered: list[str] = []
    if any(given.external for given in (*read.systems.values(), *read.inputs.values())) if from_files is None else from_files:
        for finding in findings:
            if finding.level == "error":
                raise InputError(str(finding))
        ordered = order_notes(read.systems.values())
    return [*ordered, *(str(finding) for finding in findings if finding.level != "fact")]


def _short_lists(source: str, lengths: Counts, cutoffs: Iterable[int]) -> list[Finding]:
    """How many lists are shorter than some cutoffs."""
    return [
        Finding("fact", source, f"lists are shorter than {cutoff}", int((lengths < cutoff).sum()), len(lengths))
        for cutoff in sorted(set(cutoffs))
        if cutoff > 0 and (lengths < cutoff).any()
    ]


# What is in order as it is; the rest asks for a look.
_HARMLESS = ("rows repeat an earlier one",)
_OF_ROWS = ("rows", "neighbours", "ranks", "scores", "values")


def noticed(given: Input) -> list[Finding]:
    """What was noticed as an input was read."""
    return [
        Finding("fact" if what in _HARMLESS else "warning", given.source, what, count, given.n_rows if what.startswith(_OF_ROWS) else None)
        for what, count in given.noticed.items()
        if count
    ]


def likely_reason(ids: Ids, mine: Codes, theirs: Codes) -> str | None:
    """Why ids that should match do not, if there is one likely reason."""
    return _Likeness(ids, theirs).reason(_texts(ids, mine, _N_OURS))


def order_notes(rankings: Iterable[Input]) -> list[str]:
    """What ordered the lists, in one note if it is the same everywhere."""
    orders = {lists.source: lists.order_in_words for lists in rankings}
    if len(set(orders.values())) == 1:
        return [f"lists are ordered by {next(iter(orders.values()))}"]
    return [f"{source}: lists are ordered by {order}" for source, order in orders.items()]


class _Look:
    def __init__(self, read: Inputs) -> None:
        self._read, self._truth = read, read.truth
        self._ids = {"user": read.tables.user.ids, "item": read.tables.item.ids, "aspect": read.tables.aspect.ids}
        self._likeness: dict[tuple[int, str], _Likeness] = {}

    def sizes(self, given: Input) -> list[Finding]:
        counts = ", ".join(f"{len(codes):,} {role}s" for role, codes in given.ids.items())
        if given.n_rows == 0:
            return [Finding("error", given.source, f"rows of {given.name}: there is nothing in it", 0)]
        said = [] if given.reading is None else [Finding("fact", given.source, given.reading)]
        return [Finding("fact", given.source, f"rows of {given.name}" + (f": {counts}" if counts else ""), given.n_rows), *said]

    def missing(self, given: Input, name: str, role: str) -> list[Finding]:
        """Users, items or aspects of an input that another one does not know."""
        truth = self._read.inputs.get(name)
        if truth is None or role not in truth.ids or role not in given.ids:
            return []
        mine, theirs = self._read.codes(given, role), self._read.codes(truth, role)
        if name == "aspects" and role == "item" and "items" in self._read.inputs:
            theirs = np.union1d(theirs, self._read.codes(self._read.inputs["items"], "item"))
        elif name == "aspects" and role == "aspect" and "subtopics" in self._read.inputs:
            theirs = np.union1d(theirs, self._read.codes(self._read.inputs["subtopics"], "aspect"))
        alone = _without(mine, theirs)
        if len(alone) == 0 or truth.n_rows == 0:  # of an empty file it has been said that it is
            return []
        none_match = len(alone) == len(mine)
        # Most lists hold items that nobody judged; that is what lists are for.
        expected = role == "item" and name in ("subtopics", "relevance")
        reason = self._reason(role, alone, truth, none_match) if none_match or not expected else None
        level: Level = "error" if none_match else "warning"
        if expected:
            level = "fact" if not none_match else "error" if reason else "warning"
        what = f"{role}s are not in {truth.source}"
        return [Finding(level, given.source, what, len(alone), len(mine), self._examples(role, alone), reason)]

    def without_list(self) -> list[Finding]:
        """Users of the truth, and users to be averaged, who have no list."""
        findings = []
        listed = np.concatenate([np.empty(0, np.int32), *(self._read.codes(lists, "user") for lists in self._read.systems.values())])
        for name in ("relevance", "history", "subtopics", "users"):
            truth = self._read.inputs.get(name)
            if truth is None or len(alone := _without(self._read.codes(truth, "user"), listed)) == 0:
                continue
            level: Level = "fact"
            reason = None
            if name == "users":  # these are the ones that were asked for
                level = "error" if len(alone) == len(truth.ids["user"]) else "warning"
                reason = self._reason("user", alone, next(iter(self._read.systems.values())), False)
            examples = self._examples("user", alone)
            findings.append(Finding(level, truth.source, "users have no list", len(alone), len(truth.ids["user"]), examples, reason))
        return findings

    def unsplit(self) -> list[Finding]:
        """Aspects that look like several in one."""
        findings = []
        for name in ("aspects", "subtopics"):
            given = self._read.inputs.get(name)
            if given is not None:
                names = [id for id in self._ids["aspect"].take(self._read.codes(given, "aspect")) if isinstance(id, str)]
                several = [id for id in names if "|" in id]
                if 10 * len(several) > len(names):
                    examples = tuple(map(quoted, several[:_N_EXAMPLES]))
                    what = "aspects hold '|'; say --split '|' (in Python, asp.Source(..., split='|')) if they are several"
                    findings.append(Finding("warning", given.source, what, len(several), len(names), examples))
        return findings

    def without_aspect(self) -> list[Finding]:
        if self._truth.aspects is None:
            return []
        aspects = self._read.inputs["aspects"]
        items = self._read.codes(aspects, "item")
        bare = items[np.diff(self._truth.aspects.offsets)[items] == 0]
        if len(bare) == 0:
            return []
        return [Finding("fact", aspects.source, "items have no aspect", len(bare), len(items), self._examples("item", bare))]

    def one_subtopic(self) -> list[Finding]:
        """Judgments that are not of subtopics, whose second column is 0 throughout."""
        given = self._read.inputs.get("subtopics")
        if given is None or len(given.ids["aspect"]) != 1 or given.n_rows == 1:
            return []
        what = "rows are of one and the same subtopic; are these judgments of subtopics?"
        return [Finding("warning", given.source, what, given.n_rows, None, self._examples("aspect", self._read.codes(given, "aspect")))]

    def without_relevant(self) -> list[Finding]:
        if self._truth.relevance is None:
            return []
        truth = self._read.inputs["relevance"]
        users = self._read.codes(truth, "user")
        without = users[~self._truth.with_relevant_items()[users]]
        if len(without) == 0:
            return []
        what = f"users have no item with a grade of {self._truth.relevance.threshold:g} or more"
        nobody = len(without) == len(users)
        reason = "if that is not what you want, set the threshold" if nobody else None
        level: Level = "warning" if nobody else "fact"
        return [Finding(level, truth.source, what, len(without), len(users), self._examples("user", without), reason)]

    def _examples(self, role: str, codes: Codes) -> tuple[str, ...]:
        return tuple(quoted(self._ids[role][code]) for code in codes[:_N_EXAMPLES].tolist())

    def _reason(self, role: str, alone: Codes, there: Input, maybe_swapped: bool) -> str | None:
        """Why ids that should match do not, if there is one likely reason."""
        ours = _texts(self._ids[role], alone, _N_OURS)
        key = (id(there), role)
        if key not in self._likeness:  # several systems ask of the same truth
            self._likeness[key] = _Likeness(self._ids[role], self._read.codes(there, role))
        alike = self._likeness[key].reason(ours)
        if alike is not None or not maybe_swapped:
            return alike
        other = {"user": "item", "item": "user"}.get(role)
        if other is not None and other in there.ids:
            known = set(_texts(self._ids[other], self._read.codes(there, other), _N_THEIRS))
            if 2 * sum(id in known for id in ours) > len(ours):
                return f"but most are {other}s there; are the columns of user and item exchanged in one of the files?"
        return None


_N_OURS, _N_THEIRS = 500, 50_000


class _Likeness:
    """Ids of one input, to be compared with ids that are not among them."""

    def __init__(self, ids: Ids, codes: Codes) -> None:
        self._theirs = _texts(ids, codes, _N_THEIRS)
        self._share = len(self._theirs) / max(1, len(codes))
        self._changed: dict[str, dict[str, str]] = {}

    def reason(self, ours: Sequence[str]) -> str | None:
        """A change that makes most of the ids match, in words, with an example."""
        for reason, change in _CHANGES:
            if reason not in self._changed:
                self._changed[reason] = {changed: id for id in self._theirs if (changed := change(id))}
            there = self._changed[reason]
            matches = [(id, there[changed]) for id in ours if (changed := change(id)) in there]
            if matches and 2 * len(matches) >= self._share * len(ours):
                here, match = matches[0]
                return f"they differ {reason}: {quoted(here)} here, {quoted(match)} there"
        return None


def _texts(ids: Ids, codes: Codes, most: int) -> list[str]:
    """Some of the ids as text, spread over all of them."""
    step = -(-len(codes) // most)
    return [str(id) for id in ids.take(codes[:: max(1, step)])]


def _without(mine: Codes, theirs: Codes) -> Codes:
    """Those of mine that are not theirs, in their order; by a flag per code, as there may be millions."""
    known = np.zeros(max(int(mine.max(initial=-1)), int(theirs.max(initial=-1))) + 1, dtype=np.bool_)
    known[theirs] = True
    return mine[~known[mine]]


_SEPARATORS = re.compile(r"[:/#|_-]")
_NO_DIGITS = re.compile(r"\D+")

_CHANGES: Sequence[tuple[str, Callable[[str], str]]] = (
    ("by blanks around them", str.strip),
    ("by quotes around them", lambda name: name.strip().strip("\"'")),
    ("by capital letters", lambda name: name.strip().casefold()),
    ("by zeros in front", lambda name: name.strip().lstrip("0") if name.strip().isdecimal() else ""),
    ("by '.0' at the end", lambda name: name.strip().removesuffix(".0")),
    ("by how accents are written (Unicode)", lambda name: unicodedata.normalize("NFKC", name)),
    ("by a prefix", lambda name: _SEPARATORS.split(name.strip())[-1]),
    ("by a prefix or suffix around the number", lambda name: _NO_DIGITS.sub("", name).lstrip("0")),
)
"""What often tells apart ids that mean the same, the most certain first."""
