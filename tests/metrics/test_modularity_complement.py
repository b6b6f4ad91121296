"""Modularity complement against its definition in plain Python, and against networkx."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import networkx
import pytest
from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, UNDIRECTED, Link, PlainNetwork, check_effect, effect, networks
from tests.strategies import CUTOFFS, checked


def modularity(network: PlainNetwork, links: set[Link], *, assortativity: bool) -> float:
    ends = network.ends(links)
    n = Fraction(len(ends))
    if not n:
        return math.nan
    inside = sum(a == b for a, b in ends)
    communities = {one for both in ends for one in both}
    by_chance = sum(sum(a == c for a, _ in ends) * sum(b == c for _, b in ends) for c in communities) / n
    most = n - by_chance if assortativity else n
    return float((inside - by_chance) / most) if most else math.nan


@checked(150)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    check_effect(asp.ModularityComplement(k=k), network, lambda links: (1 - modularity(network, links, assortativity=True)) / 2)
    newman = asp.ModularityComplement(k=k, modularity="newman", report="before")
    check_effect(newman, network, lambda links: (1 - modularity(network, links, assortativity=False)) / 2)


def test_the_number_of_relison() -> None:
    assert effect(asp.ModularityComplement(k=2)) == pytest.approx((0.603448, 0.656566), abs=5e-7)


def test_the_numbers_of_networkx() -> None:
    assert 1 - 2 * effect(asp.ModularityComplement(k=2))[0] == pytest.approx(-0.206897, abs=5e-7)
    assert 1 - 2 * effect(asp.ModularityComplement(k=2, modularity="newman"))[0] == pytest.approx(-0.122449, abs=5e-7)


@pytest.mark.parametrize("network", [EXAMPLE, UNDIRECTED], ids=["directed", "undirected"])
@pytest.mark.parametrize("k", [1, 2])
def test_live_against_networkx(network: PlainNetwork, k: int) -> None:
    for place, links in enumerate((network.before, network.after(k))):
        graph: Any = (networkx.DiGraph if network.directed else networkx.Graph)(links)
        groups = [{one for one in network.people if network.community(one) == name} for name in "abc"]
        networkx.set_node_attributes(graph, {one: network.community(one) for one in network.people}, "community")
        assortative = networkx.attribute_assortativity_coefficient(graph, "community")
        assert 1 - 2 * effect(asp.ModularityComplement(k=k), network)[place] == pytest.approx(assortative, abs=1e-12)
        newman = networkx.community.modularity(graph, groups)
        assert 1 - 2 * effect(asp.ModularityComplement(k=k, modularity="newman"), network)[place] == pytest.approx(newman, abs=1e-12)


def test_of_one_community() -> None:
    one = replace(EXAMPLE, communities={one: ["a"] for one in EXAMPLE.people})
    assert all(map(math.isnan, effect(asp.ModularityComplement(k=2), one)))
    assert effect(asp.ModularityComplement(k=2, modularity="newman"), one) == (0.5, 0.5)


def test_undefined_without_links() -> None:
    nobody = replace(EXAMPLE, links=set(), lists={})
    for way in ("assortativity", "newman"):
        assert all(map(math.isnan, effect(asp.ModularityComplement(k=2, modularity=way), nobody)))


def test_of_several_communities_the_largest_counts() -> None:
    several = replace(EXAMPLE, communities={**EXAMPLE.communities, 5: ["c", "b"]})
    moved = replace(EXAMPLE, communities={**EXAMPLE.communities, 5: ["b"]})
    assert effect(asp.ModularityComplement(k=2), several) == effect(asp.ModularityComplement(k=2), moved)


def test_a_wrong_parameter_is_refused() -> None:
    with pytest.raises(asp.MetricError, match="modularity is 'louvain', expected 'assortativity' or 'newman'"):
        asp.ModularityComplement(modularity="louvain")  # type: ignore[arg-type]
    with pytest.raises(asp.MetricError, match="report is 'both', expected 'after' or 'before' or 'difference'"):
        asp.ModularityComplement(report="both")  # type: ignore[arg-type]
