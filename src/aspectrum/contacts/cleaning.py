"""Which links count: those between users of the train graph that are neither trivial nor impossible to predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from aspectrum.arrays import Codes, Flags
from aspectrum.coding.ids import Ids, quoted
from aspectrum.coding.rows import Rows
from aspectrum.coding.table import IdTable
from aspectrum.contacts.graphs import Links, check_sums, ends, n_named
from aspectrum.diagnostics.notices import Notice, of_input

Keepable = Literal["strangers", "self", "known", "reciprocal"]
"""Test links that are left out unless asked for: to or from users that the train graph lacks; to oneself; those that the train
graph has; those whose reverse it has."""

KEEPABLE: tuple[str, ...] = get_args(Keepable)
_N_EXAMPLES = 3


class Cleaning:
    """Cleans a train graph, then a test graph, and remembers who is a user and why links were left out.

    The table has everybody, the users of the train graph first and then those of the test graph; rules to keep are not applied.
    """

    def __init__(self, table: IdTable, directed: bool, keep: Sequence[str]) -> None:
        self._table, self._directed, self._keep = table, directed, keep
        self.n_users = 0  # they are the first of everybody
        self.notices: list[Notice] = []

    def train(self, given: Rows) -> Links:
        """Links of the train graph; whoever it names is a user."""
        self.n_users = n_named(given, self._table)
        if not self.n_users:
            self.notices.append(Notice("empty", source=given.source, detail={"input": "the graph"}))
        sources, targets = ends(given, self._table)
        self._note(given, "self", sources == targets, sources, targets)
        self._train = self._links(given, to_self="self" in self._keep)
        return self._train

    def test(self, given: Rows) -> Links:
        """Links that were to be found, once the train graph is known."""
        links = self._links(given, to_self=True)
        if len(links) > len(self._train):
            self.notices.append(Notice("more_test_links", len(links), len(links) + len(self._train), source=given.source))
        sources, targets = links.sources, links.targets
        known = self._train.have(sources, targets)
        reasons = {
            "strangers": np.maximum(sources, targets) >= self.n_users,
            "self": sources == targets,
            "known": known,
            # Of two users who link to one another, a link that is kept although it is known has its reverse there as well.
            "reciprocal": self._train.have(targets, sources) & ~known,
        }
        if "strangers" in self._keep:
            self.n_users = max(self.n_users, n_named(given, self._table))
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
            self.notices.append(Notice("links_left", 0, n_links, because=tuple(lost), source=given.source, level="error"))
        elif lost:
            self.notices.append(Notice("links_left", n_left, n_links, source=given.source))
        return links.take(left)

    def _links(self, given: Rows, *, to_self: bool) -> Links:
        self.notices += of_input(given.source, len(given), given.notices)
        weights = given.numbers.get("weight")
        links = Links.of(*ends(given, self._table), weights, directed=self._directed, to_self=to_self)
        check_sums(given.source, self._table.ids, links)
        if links.repeated:
            self.notices.append(Notice("repeated_links" if weights is None else "summed_links", links.repeated, source=given.source))
        return links

    def _note(self, given: Rows, rule: str, odd: Flags, sources: Codes, targets: Codes) -> None:
        found = np.flatnonzero(odd)
        if len(found):
            kind = "kept_links" if rule in self._keep else "excluded_links"
            examples = link_examples(self._table.ids, sources[found], targets[found])
            self.notices.append(Notice(kind, len(found), len(odd), examples, {"rule": rule}, source=given.source))


def link_examples(ids: Ids, sources: Codes, targets: Codes) -> tuple[str, ...]:
    """Some links, for a notice."""
    pairs = zip(sources[:_N_EXAMPLES], targets[:_N_EXAMPLES], strict=True)
    return tuple(f"{quoted(ids[source])} to {quoted(ids[target])}" for source, target in pairs)
