"""Effective items against their definition in plain Python."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import toy
from tests.plain import UNDEFINED, PlainWorld, cut
from tests.strategies import CUTOFFS, build, checked, same, worlds


def hill_number(world: PlainWorld, k: int, q: float) -> float:
    counts = Counter(item for items in world.rankings.values() for item in cut(items, k))
    shares = [count / counts.total() for count in counts.values()]
    if not shares:
        return UNDEFINED
    if q == 1:
        return math.exp(-math.fsum(share * math.log(share) for share in shares))
    return float(math.fsum(share**q for share in shares) ** (1 / (1 - q)))


@checked(100)
@given(worlds(), CUTOFFS, st.sampled_from([0.0, 0.4, 0.75, 1.0, 1.25, 2.0, 3.0]))
def test_value_follows_the_definition(world: PlainWorld, k: tuple[int, ...], q: float) -> None:
    metric = asp.EffectiveItems(k=k, q=q)
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        expected = hill_number(world, cutoff, q)
        assert same(state.value, expected), f"{metric.at(cutoff)}: {state.value!r}, expected {expected!r}"


@pytest.mark.parametrize(("q", "expected"), [(0, 6.0), (1, 5.669645), (2, 5.4)])
def test_the_toy_world(q: float, expected: float) -> None:
    metric = asp.EffectiveItems(k=3, q=q)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=5e-7)


def test_orders_near_1_and_very_large_ones_are_precise() -> None:
    found = {
        q: asp.evaluate(toy.LISTS, asp.EffectiveItems(k=3, q=q), **toy.TRUTH)[asp.EffectiveItems(k=3, q=q)] for q in (1, 1 + 1e-12, 2000)
    }
    assert found[1 + 1e-12] == pytest.approx(found[1], rel=1e-10)
    assert found[2000] == pytest.approx(9 / 2, rel=2e-3)  # one over the largest share


def test_the_order_does_not_matter_where_all_items_are_shown_equally_often() -> None:
    for q in (0.0, 0.5, 0.9, 1.0, 1.1, 2.0, 50.0):
        metric = asp.EffectiveItems(q=q)
        assert asp.evaluate({"u": ["a", "b"], "v": ["c"]}, metric)[metric] == pytest.approx(3, rel=1e-14)


def test_nothing_shown_is_undefined_and_the_catalogue_does_not_matter() -> None:
    metric = asp.EffectiveItems()
    assert math.isnan(asp.evaluate({"u": []}, metric, catalogue=["a"])[metric])
    found = asp.evaluate({"u": ["out", "a"], "v": ["out", "a"]}, metric, catalogue=["a"])
    assert found[metric] == 2.0
    assert "no_catalogue" not in {one.kind for one in asp.evaluate({"u": ["a"]}, metric).notices}


def test_an_order_below_0_is_refused() -> None:
    with pytest.raises(asp.MetricError, match="q is -1, expected a number from 0"):
        asp.EffectiveItems(q=-1)
