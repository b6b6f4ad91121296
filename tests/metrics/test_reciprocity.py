"""Reciprocity against its definition in plain Python, and against networkx."""

import math
from dataclasses import replace

import networkx
import pytest
from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, UNDIRECTED, Link, PlainNetwork, check_effect, effect, networks
from tests.strategies import CUTOFFS, checked


def reciprocity(links: set[Link]) -> float:
    return sum((b, a) in links for a, b in links) / len(links) if links else math.nan


@checked(150)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    check_effect(asp.Reciprocity(k=k), network, reciprocity)


def test_the_number_of_relison() -> None:
    assert effect(asp.Reciprocity(k=2)) == pytest.approx((0.285714, 0.769231), abs=5e-7)
    assert effect(asp.Reciprocity(k=2), UNDIRECTED) == (1, 1)


@checked(50)
@given(networks())
def test_live_against_networkx(network: PlainNetwork) -> None:
    directed = replace(network, directed=True)
    for found, links in zip(effect(asp.Reciprocity(k=3), directed), (directed.before, directed.after(3)), strict=True):
        if links:
            assert found == pytest.approx(networkx.overall_reciprocity(networkx.DiGraph(links)), abs=1e-12)


def test_undefined_without_links() -> None:
    assert all(map(math.isnan, effect(asp.Reciprocity(k=2), replace(EXAMPLE, links=set(), lists={}))))
    before, after = effect(asp.Reciprocity(k=2), replace(EXAMPLE, links=set()))
    assert math.isnan(before) and after == pytest.approx(2 / 6)  # 1 and 3 are recommended to one another
