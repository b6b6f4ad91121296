"""Small social networks with recommended links: random ones, and the one of the published example."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.blocks.network_effects import NetworkEffect
from tests.strategies import same

Link = tuple[int, int]

OUTSIDER = 50
"""Has a list, and is not in the network."""

STRANGERS = (90, 91)
"""Whom only lists name."""


@dataclass(frozen=True)
class PlainNetwork:
    """Who is linked to whom, who is in which community, and who is recommended to whom."""

    people: list[int]
    links: set[Link]
    lists: dict[int, list[int]]
    communities: dict[int, list[str]]
    directed: bool = True

    def both_ways(self, links: set[Link]) -> set[Link]:
        """Links between different people, as they lead."""
        turned = set() if self.directed else {(b, a) for a, b in links}
        return {(a, b) for a, b in links | turned if a != b}

    @property
    def before(self) -> set[Link]:
        return self.both_ways(self.links)

    def after(self, k: int) -> set[Link]:
        recommended = {(u, v) for u, shown in self.lists.items() for v in (shown if k == -1 else shown[:k]) if u in self.people}
        return self.both_ways(self.links | recommended)

    def community(self, person: int) -> str | None:
        """The largest of theirs; of equals, the one whose members come first."""
        members = {name: sorted(one for one, own in self.communities.items() if name in own) for name in "abcxyz"}
        return min(self.communities.get(person, ()), key=lambda name: (-len(members[name]), members[name], name), default=None)

    def ends(self, links: set[Link]) -> list[tuple[str, str]]:
        """The communities that links join, of people who have one."""
        found = ((self.community(a), self.community(b)) for a, b in sorted(links))
        return [(a, b) for a, b in found if a is not None and b is not None]

    def world(self) -> asp.World:
        return asp.World.of(
            self.lists,
            graph=sorted(self.links) or {},
            aspects=self.communities,
            users=self.people,
            catalogue=self.people,
            directed=self.directed,
        )


@st.composite
def networks(draw: st.DrawFn) -> PlainNetwork:
    """A few people, some of them without links, communities or lists, or with links and recommendations to themselves."""
    people = list(range(1, 1 + draw(st.integers(1, 8))))
    person = st.sampled_from(people)
    links = draw(st.sets(st.tuples(person, person), max_size=20))
    candidates = st.lists(st.sampled_from([*people, *STRANGERS]), unique=True, max_size=6)
    lists = {user: draw(st.permutations(draw(candidates))) for user in draw(st.lists(st.sampled_from([*people, OUTSIDER]), unique=True))}
    some = st.lists(st.sampled_from(["x", "y", "z"]), max_size=2, unique=True)
    communities = {one: draw(some) for one in draw(st.lists(st.sampled_from([*people, STRANGERS[0]]), unique=True))}
    return PlainNetwork(people, links, lists, communities, draw(st.booleans()))


EXAMPLE = PlainNetwork(
    people=[1, 2, 3, 4, 5],
    links={(1, 2), (2, 3), (3, 4), (2, 4), (4, 1), (5, 1), (1, 4)},
    lists={1: [3, 5], 2: [1, 5], 3: [1, 2]},
    communities={1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"], 5: ["c"]},
)
"""The example of which RELISON's own numbers are known."""

UNDIRECTED = PlainNetwork(EXAMPLE.people, EXAMPLE.links, EXAMPLE.lists, EXAMPLE.communities, directed=False)


def check_effect(metric: NetworkEffect, network: PlainNetwork, measured: Callable[[set[Link]], float]) -> None:
    """Before, after and the difference are what the definition says, at every cutoff."""
    for state, k in zip(metric.observe(network.world()), metric.cutoffs, strict=True):
        before, after = measured(network.before), measured(network.after(k))
        found = state.limits
        for name, expected in (("before", before), ("after", after), ("difference", after - before)):
            measured_here = found.get(name, math.nan)
            assert same(measured_here, expected), f"{metric} {name} @{k}: {measured_here!r}, expected {expected!r}"
        assert same(state.value, found.get(metric.report, math.nan))
        ways = 1 if network.directed else 2
        assert found["new_links"] == (len(network.after(k)) - len(network.before)) // ways


def effect(metric: NetworkEffect, network: PlainNetwork = EXAMPLE) -> tuple[float, float]:
    """Before and after."""
    (state,) = metric.observe(network.world())
    return state.limits.get("before", math.nan), state.limits.get("after", math.nan)
