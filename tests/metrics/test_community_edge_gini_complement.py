"""Community edge Gini complement against its definition in plain Python."""

import math
from dataclasses import replace
from itertools import combinations, permutations

from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, UNDIRECTED, Link, PlainNetwork, check_effect, effect, networks
from tests.strategies import CUTOFFS, checked


def gini_complement(network: PlainNetwork, links: set[Link]) -> float:
    ends = network.ends(links)
    communities = sorted({one for person in network.communities if (one := network.community(person)) is not None})
    if network.directed:
        counts = sorted(ends.count(pair) for pair in permutations(communities, 2))
    else:
        counts = sorted(ends.count(pair) for pair in combinations(communities, 2))  # each link leads both ways
    n = len(counts)
    if n < 2 or sum(counts) == 0:
        return math.nan
    return 1 - sum((2 * i - n - 1) * count for i, count in enumerate(counts, 1)) / ((n - 1) * sum(counts))


@checked(150)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    check_effect(asp.CommunityEdgeGiniComplement(k=k), network, lambda links: gini_complement(network, links))


def test_the_number_of_relison() -> None:
    assert effect(asp.CommunityEdgeGiniComplement(k=2)) == (0.24, 0.4)


def test_undirected_pairs_are_not_ordered() -> None:
    assert effect(asp.CommunityEdgeGiniComplement(k=2), UNDIRECTED)[0] == gini_complement(UNDIRECTED, UNDIRECTED.before)


def test_undefined_with_one_community_or_no_link_between() -> None:
    one = replace(EXAMPLE, communities={one: ["a"] for one in EXAMPLE.people})
    assert all(map(math.isnan, effect(asp.CommunityEdgeGiniComplement(k=2), one)))
    inside = replace(EXAMPLE, links={(1, 2)}, lists={})
    assert all(map(math.isnan, effect(asp.CommunityEdgeGiniComplement(k=2), inside)))
    two = replace(UNDIRECTED, communities={1: ["a"], 2: ["b"], 3: ["b"]})  # a single pair
    assert all(map(math.isnan, effect(asp.CommunityEdgeGiniComplement(k=2), two)))


def test_names() -> None:
    assert asp.parse("Inter-community edge Gini complement@5") == asp.CommunityEdgeGiniComplement(k=5)
