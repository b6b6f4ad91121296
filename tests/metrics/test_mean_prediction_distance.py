"""Mean prediction distance against its definition in plain Python, and against networkx."""

import math
from dataclasses import replace

import networkx
import numpy as np
import pytest
from hypothesis import given

import aspectrum as asp
from tests.networks import EXAMPLE, UNDIRECTED, PlainNetwork, networks
from tests.strategies import CUTOFFS, checked, same


def length(network: PlainNetwork, source: int, target: int) -> float:
    """Of the shortest path, people farther and farther away; infinite if there is none."""
    reached, near = {source}, {source}
    for steps in range(1, len(network.people) + 1):
        near = {b for a, b in network.before if a in near} - reached
        if target in near:
            return steps
        reached |= near
    return math.inf


def mean_prediction_distance(network: PlainNetwork, k: int) -> float:
    pairs = [
        (user, other)
        for user, shown in network.lists.items()
        for other in (shown if k == -1 else shown[:k])
        if user in network.people and other != user
    ]
    if not pairs:
        return math.nan
    closeness = math.fsum(1 / length(network, *pair) for pair in pairs)
    return len(pairs) / closeness - 2 if closeness else math.inf


def value(network: PlainNetwork, k: int = -1, **parameters: float) -> float:
    return asp.MeanPredictionDistance(k=k, **parameters).observe(network.world())[0].value


@checked(200)
@given(networks(), CUTOFFS)
def test_it_follows_the_definition(network: PlainNetwork, k: tuple[int, ...]) -> None:
    states = asp.MeanPredictionDistance(k=k).observe(network.world())
    for state, cutoff in zip(states, asp.MeanPredictionDistance(k=k).cutoffs, strict=True):
        assert same(state.value, mean_prediction_distance(network, cutoff)), f"@{cutoff}: {state.value!r}"


def test_the_number_of_relison() -> None:
    assert value(EXAMPLE, 2) == pytest.approx(1.272727, abs=5e-7)
    assert value(EXAMPLE, 2) == pytest.approx(6 / (1 / 2 + 1 / 2 + 1 / 2 + 1 / 3) - 2, abs=1e-15)


def test_live_against_networkx() -> None:
    for network, kind in ((EXAMPLE, networkx.DiGraph), (UNDIRECTED, networkx.Graph)):
        lengths = dict(networkx.all_pairs_shortest_path_length(kind(network.before)))
        pairs = [(user, other) for user, shown in network.lists.items() for other in shown]
        near = [1 / lengths[user][other] for user, other in pairs if other in lengths[user]]
        assert value(network) == pytest.approx(len(pairs) / sum(near) - 2, abs=1e-12)


def test_known_contacts_and_friends_of_friends() -> None:
    assert value(replace(EXAMPLE, lists={1: [2, 4], 2: [3]})) == -1
    assert value(replace(EXAMPLE, lists={1: [3], 3: [1]})) == 0


def test_nobody_reachable_is_infinitely_far() -> None:
    far = replace(EXAMPLE, lists={1: [5], 2: [5, 90]})
    assert value(far) == math.inf
    result = asp.evaluate(far.lists, "MeanPredictionDistance@2", graph=sorted(far.links))
    assert result["MPD@2"] == math.inf
    assert "inf" in result.to_text() and "inf" in result.to_csv()
    assert '"value": "inf"' in result.to_json()
    details = result.details["MeanPredictionDistance@2"]
    assert (details["recommended_links"], details["unreachable"]) == (3, 3)


def test_undefined_if_nothing_is_recommended() -> None:
    cases: list[dict[int, list[int]]] = [{}, {1: []}, {1: [1]}, {50: [1, 2]}]
    for lists in cases:  # oneself, and to somebody outside the network, do not count
        nothing = replace(EXAMPLE, lists=lists)
        assert math.isnan(value(nothing))
        assert value(nothing, empty=0.0) == 0  # RELISON


def test_one_person() -> None:
    alone = PlainNetwork([1], set(), {1: [90]}, {})
    assert value(alone) == math.inf


def test_users_outside_the_network_are_left_out_and_counted() -> None:
    (state,) = asp.MeanPredictionDistance(k=2).observe(replace(EXAMPLE, lists={**EXAMPLE.lists, 50: [1, 2]}).world())
    assert state.value == value(EXAMPLE, 2)
    assert (state.counts["scored"], state.counts["undefined"], state.counts["missing"]) == (5, 1, 2)


def test_contributions_of_users_have_its_value_as_their_mean() -> None:
    world = EXAMPLE.world()
    metric = asp.MeanPredictionDistance(k=2)
    found = metric.contributions(world, metric.observe(world))
    assert found is not None
    assert found.mean() == pytest.approx(value(EXAMPLE, 2))
    without_1 = value(replace(EXAMPLE, lists={2: [1, 5], 3: [1, 2]}))
    without_2 = value(replace(EXAMPLE, lists={1: [3, 5], 3: [1, 2]}))
    places = [list(world.users).index(user) for user in (1, 2)]
    assert np.diff(found[places, 0])[0] == pytest.approx(4 * (without_1 - without_2))


def test_no_contributions_where_one_user_makes_it_finite() -> None:
    for lists in ({1: [3], 2: [5]}, {1: [5], 2: [5]}):
        world = replace(EXAMPLE, lists=lists).world()
        metric = asp.MeanPredictionDistance(k=2)
        assert metric.contributions(world, metric.observe(world)) is None
