"""Which links count: those between users of the train graph that are neither trivial nor impossible to predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from aspectrum.arrays import Codes, Flags
from aspectrum.coding.ids import Ids, quoted
from aspectrum.contacts.coding import Coded
from aspectrum.contacts.graphs import Links
from aspectrum.diagnostics.notices import Notice, of_input

Keepable = Literal["strangers", "self", "known", "reciprocal"]
"""Test links that are left out unless asked for: to or from users that the train graph lacks; to oneself; those that the train
graph has; those whose reverse it has."""

KEEPABLE: tuple[str, ...] = get_args(Keepable)
_N_EXAMPLES = 3


class Cleaning:
    """Cleans a train graph, then a test graph, and remembers why links were left out.

    Args:
        ids: Everybody.
        directed: Whether the graph is directed.
        keep: Rules that are not applied.
    """

    def __init__(self, ids: Ids, directed: bool, keep: Sequence[str]) -> None:
        self._ids, self._directed, self._keep = ids, directed, keep
        self.members: Flags = np.zeros(len(ids), np.bool_)  # the users of the network
        self.notices: list[Notice] = []

    def train(self, given: Coded) -> Links:
        """Links of the train graph; whoever it names is a user."""
        self._admit(given)
        if not self.members.any():
            self.notices.append(Notice("empty", source=given.rows.source, detail={"input": "the graph"}))
        sources, targets = given.codes("source"), given.codes("target")
        itself = sources == targets
        self._note(given, "self", itself, sources, targets)
        self._train = self._links(given, ~itself | ("self" in self._keep))
        return self._train

    def test(self, given: Coded) -> Links:
        """Links that were to be found, once the train graph is known."""
        links = self._links(given, np.ones(len(given.rows), np.bool_))
        if len(links) > len(self._train):
            self.notices.append(Notice("more_test_links", len(links), source=given.rows.source))
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
            self._note(given, rule, found[once], sources[once], targets[once])
            if rule not in self._keep and found.any():
                left &= ~odd
                lost.append(Notice("lost_links", int(found[once].sum()), detail={"rule": rule}))
        n_left, n_links = int(left[once].sum()), int(once.sum())
        if n_left == 0:
            self.notices.append(Notice("links_left", 0, n_links, because=tuple(lost), source=given.rows.source, level="error"))
        elif lost:
            self.notices.append(Notice("links_left", n_left, n_links, source=given.rows.source))
        return links.take(left)

    def _admit(self, given: Coded) -> None:
        for role in ("source", "target"):
            self.members[given.joined[role]] = True

    def _links(self, given: Coded, kept: Flags) -> Links:
        self.notices += of_input(given.rows.source, len(given.rows), given.rows.notices)
        weights = given.rows.numbers.get("weight")
        sources, targets = given.codes("source")[kept], given.codes("target")[kept]
        links = Links.of(sources, targets, None if weights is None else weights[kept], directed=self._directed)
        if links.repeated:
            self.notices.append(Notice("repeated_links" if weights is None else "summed_links", links.repeated, source=given.rows.source))
        return links

    def _note(self, given: Coded, rule: str, odd: Flags, sources: Codes, targets: Codes) -> None:
        found = np.flatnonzero(odd)
        if len(found):
            kind = "kept_links" if rule in self._keep else "excluded_links"
            examples = link_examples(self._ids, sources[found], targets[found])
            self.notices.append(Notice(kind, len(found), len(odd), examples, {"rule": rule}, source=given.rows.source))


def link_examples(ids: Ids, sources: Codes, targets: Codes) -> tuple[str, ...]:
    """Some links, for a notice."""
    pairs = zip(sources[:_N_EXAMPLES], targets[:_N_EXAMPLES], strict=True)
    return tuple(f"{quoted(ids[source])} to {quoted(ids[target])}" for source, target in pairs)
