"""Personalization against its definition in plain Python: all pairs of lists."""

import hashlib
import math
import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import toy
from tests.plain import UNDEFINED, Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, checked, same, worlds
from tests.test_laws import Evaluation, check_law, parts_of


def similarity(one: set[Id], other: set[Id], kind: str, k: int) -> float:
    common = len(one & other)
    return common / {"cosine": math.sqrt(len(one) * len(other)), "jaccard": len(one | other), "overlap": k}[kind]


def personalization(world: PlainWorld, cutoff: int, kind: str) -> float:
    lists = [set(cut(items, cutoff)) for items in world.rankings.values() if items]
    k = cutoff if cutoff > 0 else max(map(len, lists), default=0)
    pairs = list(combinations(lists, 2))
    return 1 - math.fsum(similarity(one, other, kind, k) for one, other in pairs) / len(pairs) if pairs else UNDEFINED


@checked(150)
@given(worlds(), CUTOFFS, st.sampled_from(["cosine", "jaccard", "overlap"]))
def test_value_follows_the_definition(world: PlainWorld, k: tuple[int, ...], kind: Any) -> None:
    metric = asp.Personalization(k=k, similarity=kind)
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        expected = personalization(world, cutoff, kind)
        assert same(state.value, expected), f"{metric.at(cutoff)}: {state.value!r}, expected {expected!r}"


@checked(60)
@given(worlds(), CUTOFFS)
def test_every_list_may_be_taken_to_have_k_items(world: PlainWorld, k: tuple[int, ...]) -> None:
    """The mean of the matrix of common items over k, less a diagonal that is taken to be 1."""
    metric = asp.Personalization(k=k, over="k")
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        lists = [set(cut(items, cutoff)) for items in world.rankings.values() if items]
        n, depth = len(lists), cutoff if cutoff > 0 else max(map(len, lists), default=0)
        common = math.fsum(len(one & other) / depth for one in lists for other in lists)
        assert same(state.value, 1 - (common - n) / (n * (n - 1)) if n > 1 else UNDEFINED)


TOY = [
    ({}, 0.666667, 0.863917),  # recmetrics, jurity, PyG
    ({"over": "k"}, 0.666667, 1.055556),  # Evidently
    ({"similarity": "jaccard"}, 0.8, 0.916667),
    ({"similarity": "overlap"}, 0.666667, 0.888889),
]


@pytest.mark.parametrize(("parameters", "even", "uneven"), TOY, ids=str)
def test_the_toy_world(parameters: dict[str, Any], even: float, uneven: float) -> None:
    metric = asp.Personalization(k=3, **parameters)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(even, abs=5e-7)
    assert asp.evaluate(toy.UNEVEN, metric, **toy.TRUTH)[metric] == pytest.approx(uneven, abs=5e-7)


@pytest.mark.parametrize("kind", ["cosine", "jaccard", "overlap"])
def test_extremes_are_exact(kind: Any) -> None:
    metric = asp.Personalization(similarity=kind)
    apart = {user: [f"{user} {place}" for place in range(3)] for user in range(50)}
    assert asp.evaluate(apart, metric)[metric] == 1.0
    alike = {user: ["a", "b", "c"] for user in range(50)}
    assert asp.evaluate(alike, metric)[metric] == 0.0


@pytest.mark.parametrize("kind", ["cosine", "jaccard", "overlap"])
def test_fewer_than_two_lists_with_items_are_undefined(kind: Any) -> None:
    metric = asp.Personalization(similarity=kind)
    for lists in ({}, {"u": ["a"]}, {"u": ["a"], "v": []}):
        found = asp.evaluate(lists, metric)
        assert math.isnan(found[metric])
        assert found.details[str(metric)]["lists"] == sum(map(bool, lists.values()))


def test_of_many_lists_jaccard_compares_those_with_the_smallest_hashes() -> None:
    draw = random.Random(4)
    lists: dict[Any, list[Id]] = {f"user {n}": draw.sample(range(30), draw.randint(0, 8)) for n in range(60)}
    metric = asp.Personalization(similarity="jaccard", most_lists=10, k=(3, -1))

    def place(user: str) -> int:
        return int.from_bytes(hashlib.blake2b(user.encode(), digest_size=8).digest(), "little", signed=True)

    chosen = {user: lists[user] for user in sorted((user for user in lists if lists[user]), key=place)[:10]}
    found = asp.evaluate(lists, metric)
    for cutoff in metric.cutoffs:
        expected = personalization(PlainWorld(chosen, {}, {}, {}, {}), cutoff, "jaccard")
        assert same(found[metric.at(cutoff)], expected)
        details = found.details[str(metric.at(cutoff))]
        assert (details["lists"], details["lists_compared"]) == (sum(map(bool, lists.values())), 10)
    for n_parts in (2, 7):
        check_law(Evaluation([metric], {}, None), lists, parts_of(lists, n_parts, draw), draw)


def test_the_hash_of_a_number_is_that_of_its_text() -> None:
    draw = random.Random(5)
    lists = {n: draw.sample(range(20), 5) for n in range(40)}
    metric = asp.Personalization(similarity="jaccard", most_lists=5)
    assert asp.evaluate(lists, metric)[metric] == asp.evaluate({str(user): items for user, items in lists.items()}, metric)[metric]


def test_a_sample_has_no_contributions() -> None:
    world = asp.World.of({n: [n % 3, 5] for n in range(6)})
    for most, known in ((6, True), (5, False)):
        metric = asp.Personalization(similarity="jaccard", most_lists=most)
        assert (metric.contributions(world, metric.observe(world)) is not None) == known


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"similarity": "dice"}, "expected 'cosine' or 'jaccard' or 'overlap'"),
        ({"similarity": "overlap", "over": "k"}, "over goes with similarity=cosine only"),
        ({"most_lists": 100}, "most_lists goes with similarity=jaccard only"),
        ({"similarity": "jaccard", "most_lists": 1}, "most_lists is 1, expected a whole number from 2"),
        ({"similarity": "jaccard", "most_lists": 2.5}, "most_lists is 2.5, expected a whole number from 2"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.Personalization(**parameters)
