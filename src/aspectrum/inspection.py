"""A look at the inputs before any number: what they hold, what matches nowhere, and why that may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from aspectrum.arrays import Codes
from aspectrum.world.building import Built, Input
from aspectrum.world.ids import Ids, shown

Level = Literal["fact", "warning", "error"]

_N_EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """Something about an input that a user may want to know.

    Args:
        level: ``fact``; ``warning``: numbers can be computed, but look at it; ``error``: no number would mean anything.
        source: The input it is about.
        what: In words.
        count: How many rows, users or items; and out of how many.
        examples: Some of them.
    """

    level: Level
    source: str
    what: str
    count: int
    of: int | None = None
    examples: tuple[str, ...] = ()
    reason: str | None = None

    def __str__(self) -> str:
        of = "" if self.of is None else f" of {self.of:,}"
        such = f" (such as {', '.join(self.examples)})" if self.examples else ""
        why = f"; {self.reason}" if self.reason else ""
        return f"{self.source}: {self.count:,}{of} {self.what}{such}{why}"

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


def inspect(built: Built, cutoffs: Iterable[int] = ()) -> list[Finding]:
    """What there is to say about the inputs of worlds, facts first.

    Args:
        cutoffs: Lists shorter than these are counted.
    """
    if not built.rankings:
        return []
    world = next(iter(built.worlds.values()))
    look = _Look(world.users, world.items)
    findings: list[Finding] = []
    for name, lists in built.rankings.items():
        rankings = built.worlds[name].rankings
        findings += look.sizes(lists)
        findings.append(Finding("fact", lists.source, f"lists are ordered by {lists.order_in_words}", len(lists.ids["user"])))
        findings += look.noticed(lists)
        lengths = rankings.lengths[lists.ids["user"]]
        findings += [
            Finding("fact", lists.source, f"lists are shorter than {cutoff}", int((lengths < cutoff).sum()), len(lengths))
            for cutoff in sorted(set(cutoffs))
            if cutoff > 0 and (lengths < cutoff).any()
        ]
    for truth in built.truth.values():
        findings += look.sizes(truth)
        findings += look.noticed(truth)
    for lists in built.rankings.values():
        for name in ("relevance", "history", "subtopics"):
            if name in built.truth:
                findings += look.overlap(lists, built.truth[name], "user")
        for name in ("aspects", "features", "subtopics", "relevance", "catalogue"):
            if name in built.truth:
                findings += look.overlap(lists, built.truth[name], "item")
    findings += look.truth_alone(built)
    order: Mapping[str, int] = {"fact": 0, "warning": 1, "error": 2}
    return sorted(findings, key=lambda finding: order[finding.level])


# What is in order as it is; the rest asks for a look.
_HARMLESS = ("rows repeat an earlier one",)


class _Look:
    def __init__(self, users: Ids, items: Ids) -> None:
        self._ids = {"user": users, "item": items}

    def sizes(self, given: Input) -> list[Finding]:
        counts = ", ".join(f"{len(codes):,} {role}s" for role, codes in given.ids.items())
        return [Finding("fact", given.source, f"rows of {given.name}" + (f": {counts}" if counts else ""), given.n_rows)]

    def noticed(self, given: Input) -> list[Finding]:
        return [
            Finding("fact" if what in _HARMLESS else "warning", given.source, what, count, given.n_rows)
            for what, count in given.noticed.items()
            if count
        ]

    def overlap(self, lists: Input, truth: Input, role: str) -> list[Finding]:
        """Users or items of lists that another input does not know."""
        mine, theirs = lists.ids[role], truth.ids[role]
        alone = np.setdiff1d(mine, theirs)
        if len(alone) == 0 or len(mine) == 0:
            return []
        none_match = len(alone) == len(mine)
        # Most lists hold items that nobody judged; that is what lists are for.
        expected = role == "item" and truth.name in ("subtopics", "relevance")
        level: Level = "fact" if expected else "error" if none_match else "warning"
        reason = self._reason(role, alone, np.setdiff1d(theirs, mine)) if none_match or not expected else None
        return [
            Finding(level, lists.source, f"{role}s are not in {truth.source}", len(alone), len(mine), self._examples(role, alone), reason)
        ]

    def truth_alone(self, built: Built) -> list[Finding]:
        """Users of the truth without a list, and what the truth itself lacks."""
        findings = []
        listed = np.unique(np.concatenate([lists.ids["user"] for lists in built.rankings.values()]))
        for name in ("relevance", "history", "subtopics"):
            if name in built.truth:
                truth = built.truth[name]
                without = np.setdiff1d(truth.ids["user"], listed)
                if len(without):
                    findings.append(
                        Finding(
                            "fact",
                            truth.source,
                            "users have no list",
                            len(without),
                            len(truth.ids["user"]),
                            self._examples("user", without),
                        )
                    )
        for name in ("relevance", "history"):
            if name in built.truth and "aspects" in built.truth:
                truth, aspects = built.truth[name], built.truth["aspects"]
                without = np.setdiff1d(truth.ids["item"], aspects.ids["item"])
                if len(without):
                    level: Level = "warning" if len(without) < len(truth.ids["item"]) else "error"
                    reason = self._reason("item", without, np.setdiff1d(aspects.ids["item"], truth.ids["item"]))
                    what = f"items are not in {aspects.source}"
                    findings.append(
                        Finding(level, truth.source, what, len(without), len(truth.ids["item"]), self._examples("item", without), reason)
                    )
        world = next(iter(built.worlds.values()))
        if world.aspects is not None:
            aspects = built.truth["aspects"]
            bare = np.flatnonzero(np.diff(world.aspects.offsets)[aspects.ids["item"]] == 0)
            if len(bare):
                examples = self._examples("item", aspects.ids["item"][bare])
                findings.append(Finding("fact", aspects.source, "items have no aspect", len(bare), len(aspects.ids["item"]), examples))
        if world.relevance is not None:
            truth = built.truth["relevance"]
            without = truth.ids["user"][~world.with_relevant_items()[truth.ids["user"]]]
            if len(without):
                what = f"users have no item with a grade of {world.relevance.threshold:g} or more"
                findings.append(Finding("fact", truth.source, what, len(without), len(truth.ids["user"]), self._examples("user", without)))
        return findings

    def _examples(self, role: str, codes: Codes) -> tuple[str, ...]:
        return tuple(shown(self._ids[role][code]) for code in codes[:_N_EXAMPLES].tolist())

    def _reason(self, role: str, mine: Codes, theirs: Codes) -> str | None:
        """Why ids that should match do not, if there is one likely reason."""
        if len(mine) == 0 or len(theirs) == 0:
            return None
        ours = [str(self._ids[role][code]) for code in mine[:1000].tolist()]
        others = [str(self._ids[role][code]) for code in theirs[:100_000].tolist()]
        for reason, change in _CHANGES:
            changed = {change(id): id for id in others if change(id)}
            match = next((id for id in ours if change(id) in changed), None)
            if match is not None:
                return f"they differ {reason}: {shown(match)} here, {shown(changed[change(match)])} there"
        return None


def _digits(id: str) -> str:
    return "".join(letter for letter in id if letter.isdigit()).lstrip("0")


_CHANGES: Sequence[tuple[str, Callable[[str], str]]] = (
    ("by blanks around them", str.strip),
    ("by capital letters", lambda id: id.strip().casefold()),
    ("by zeros in front", lambda id: id.strip().lstrip("0") if id.strip().isdigit() else ""),
    ("by '.0' at the end", lambda id: id.strip().removesuffix(".0")),
    ("by a prefix or suffix around the number", _digits),
)
