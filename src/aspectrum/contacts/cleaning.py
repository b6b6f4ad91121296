"""Which links count: those between users of the train graph that somebody could be praised for finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from aspectrum.arrays import Codes, Flags
from aspectrum.coding.ids import Ids, quoted
from aspectrum.contacts.coding import Coded
from aspectrum.contacts.graphs import Links
from aspectrum.inspection import Finding

Keepable = Literal["strangers", "self", "known", "reciprocal"]
"""Test links that are left out unless asked for: to or from users that the train graph lacks; to oneself; those that the train
graph has; those whose reverse it has."""

KEEPABLE: tuple[str, ...] = get_args(Keepable)
_WHY = {
    "strangers": "have an end outside the train graph",
    "self": "lead from a user to the same user",
    "known": "are in the train graph",
    "reciprocal": "have their reverse in the train graph",
}
_LOST, _KEPT = "left out", "kept, as asked"
N_EXAMPLES = 3


class Cleaning:
    """Cleans a train graph, then a test graph, and remembers why links were left out.

    Args:
        ids: Everybody.
        directed: Whether links lead one way.
        keep: Rules that are not applied.
    """

    def __init__(self, ids: Ids, directed: bool, keep: Sequence[str]) -> None:
        self._ids, self._directed, self._keep = ids, directed, keep
        self.members: Flags = np.zeros(len(ids), np.bool_)  # the users of the network
        self.findings: list[Finding] = []

    def train(self, given: Coded) -> Links:
        """Links of the train graph; whoever it names is a user."""
        self._admit(given)
        if not self.members.any():
            self.findings.append(Finding("error", given.rows.source, "links: there is nothing in it", 0))
        sources, targets = given.codes("source"), given.codes("target")
        itself, kept = sources == targets, "self" in self._keep
        self._note(given, itself, f"links {_WHY['self']} and are {_KEPT if kept else _LOST}", sources, targets)
        self._train = self._links(given, ~itself | kept)
        return self._train

    def test(self, given: Coded) -> Links:
        """Links that were to be found, once the train graph is known."""
        links = self._links(given, np.ones(len(given.rows), np.bool_))
        if len(links) > len(self._train):
            what = "links, more than the train graph has; are the two exchanged?"
            self.findings.append(Finding("warning", given.rows.source, what, len(links)))
        sources, targets = links.sources, links.targets
        known = self._train.have(sources, targets)
        reasons = {
            "strangers": ~(self.members[sources] & self.members[targets]),
            "self": sources == targets,
            "known": known,
            # Of two users who link to one another, a link that is kept although it is known has its reverse there as well.
            "reciprocal": self._train.have(targets, sources) & ~known,
        }
        if "strangers" in self._keep:
            self._admit(given)
        once = np.ones(len(links), np.bool_) if self._directed else sources <= targets  # an undirected link is counted once
        left = np.ones(len(links), np.bool_)
        lost = []
        for rule, odd in reasons.items():
            found = odd & left
            kept = rule in self._keep
            self._note(given, found[once], f"links {_WHY[rule]} and are {_KEPT if kept else _LOST}", sources[once], targets[once])
            if not kept and found.any():
                left &= ~odd
                lost.append(f"{int(found[once].sum()):,} {_WHY[rule]}")
        n_left, n_links = int(left[once].sum()), int(once.sum())
        if n_left == 0:
            why = "; " + ", ".join(lost) if lost else ""
            self.findings.append(Finding("error", given.rows.source, f"links are left to be found{why}", 0, n_links))
        elif lost:
            self.findings.append(Finding("warning", given.rows.source, "links are left to be found", n_left, n_links))
        return links.take(left)

    def _admit(self, given: Coded) -> None:
        for role in ("source", "target"):
            self.members[given.joined[role]] = True

    def _links(self, given: Coded, kept: Flags) -> Links:
        self.findings += [Finding("warning", given.rows.source, what, count) for what, count in given.rows.noticed.items() if count]
        weights = given.rows.numbers.get("weight")
        sources, targets = given.codes("source")[kept], given.codes("target")[kept]
        links = Links.of(sources, targets, None if weights is None else weights[kept], directed=self._directed)
        if links.repeated:
            weighed = "" if weights is None else "; their weights add up"
            what = f"links repeat an earlier one and count as one with it{weighed}"
            self.findings.append(Finding("warning", given.rows.source, what, links.repeated))
        return links

    def _note(self, given: Coded, odd: Flags, what: str, sources: Codes, targets: Codes) -> None:
        found = np.flatnonzero(odd)
        if len(found):
            pairs = zip(sources[found[:N_EXAMPLES]], targets[found[:N_EXAMPLES]], strict=True)
            examples = tuple(f"{quoted(self._ids[source])} to {quoted(self._ids[target])}" for source, target in pairs)
            self.findings.append(Finding("warning", given.rows.source, what, len(found), len(odd), examples))
