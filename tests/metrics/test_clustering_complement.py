"""Clustering complement against its definition in plain Python, and against networkx."""

import math
from dataclasses import replace
from itertools import product

import networkx
import pytest
from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, STRANGERS, UNDIRECTED, Link, PlainNetwork, check_effect, effect, networks
from tests.strategies import CUTOFFS, checked


def clustering_complement(network: PlainNetwork, links: set[Link]) -> float:
    everybody = [*network.people, *STRANGERS]
    paths = [(a, b) for a, v, b in product(everybody, repeat=3) if a != b and (a, v) in links and (v, b) in links]
    return sum(path not in links for path in paths) / len(paths) if paths else math.nan


@checked(100)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    check_effect(asp.ClusteringComplement(k=k), network, lambda links: clustering_complement(network, links))


def test_the_number_of_relison() -> None:
    assert effect(asp.ClusteringComplement(k=2)) == (0.75, 0.32)


@checked(50)
@given(networks())
def test_undirected_it_is_one_minus_the_transitivity_of_networkx(network: PlainNetwork) -> None:
    undirected = replace(network, directed=False)
    before, after = effect(asp.ClusteringComplement(k=3), undirected)
    for found, links in ((before, undirected.before), (after, undirected.after(3))):
        if not math.isnan(found):
            assert found == pytest.approx(1 - networkx.transitivity(networkx.Graph(links)), abs=1e-12)


def test_undefined_without_two_links_in_a_row() -> None:
    assert all(map(math.isnan, effect(asp.ClusteringComplement(k=2), replace(EXAMPLE, links={(1, 2)}, lists={}))))
    back = replace(EXAMPLE, links={(1, 2), (2, 1)}, lists={})  # ends where it starts
    assert all(map(math.isnan, effect(asp.ClusteringComplement(k=2), back)))


def test_names() -> None:
    assert asp.parse("Clustering coefficient complement@5") == asp.ClusteringComplement(k=5)
    assert math.isfinite(effect(asp.ClusteringComplement(k=2), UNDIRECTED)[1])
