"""Weak ties against their definition in plain Python."""

import math
from dataclasses import replace

from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, UNDIRECTED, Link, PlainNetwork, check_effect, effect, networks
from tests.strategies import CUTOFFS, checked


@checked(150)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    def number(links: set[Link]) -> float:
        ends = network.ends(links)
        return sum(a != b for a, b in ends) / (1 if network.directed else 2) if ends else math.nan

    def share(links: set[Link]) -> float:
        ends = network.ends(links)
        return sum(a != b for a, b in ends) / len(ends) if ends else math.nan

    check_effect(asp.WeakTies(k=k), network, number)
    check_effect(asp.WeakTies(k=k, normalize=True, report="difference"), network, share)


def test_the_number_of_relison() -> None:
    assert effect(asp.WeakTies(k=2)) == (5, 10)
    assert effect(asp.WeakTies(k=2, normalize=True)) == (5 / 7, 10 / 13)
    assert effect(asp.WeakTies(k=2), UNDIRECTED) == (4, 6)  # an undirected link counts once


def test_nothing_recommended_changes_nothing() -> None:
    assert effect(asp.WeakTies(k=2), replace(EXAMPLE, lists={})) == (5, 5)
    assert effect(asp.WeakTies(k=2), replace(EXAMPLE, lists={1: []})) == (5, 5)
    known = replace(EXAMPLE, lists={1: [2, 1], 3: [4]})  # known already, and oneself
    assert effect(asp.WeakTies(k=2), known) == (5, 5)


def test_undefined_without_communities_at_both_ends() -> None:
    assert all(map(math.isnan, effect(asp.WeakTies(k=2), replace(EXAMPLE, communities={1: ["a"]}))))
    nobody = replace(EXAMPLE, people=[1], links=set(), lists={1: [1]})
    assert all(map(math.isnan, effect(asp.WeakTies(k=2), nobody)))


def test_whom_lists_name_first_is_new_in_the_network() -> None:
    state = asp.WeakTies(k=2).observe(replace(EXAMPLE, lists={1: [90, 1], 50: [1]}).world())[0]
    assert (state.limits["after"], state.limits["new_links"]) == (5, 1)  # 90 has no community
    assert state.counts == {"recommendations": 1, "missing": 4, "outside_network": 1, "self_recommended": 1}
