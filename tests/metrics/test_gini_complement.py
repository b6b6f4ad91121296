"""Gini complement against its definition in plain Python."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, build, checked, worlds


@checked(80)
@given(worlds(), CUTOFFS, st.sampled_from([None, 1.0, 0.25]))
def test_value_follows_the_definition(world: PlainWorld, k: tuple[int, ...], empty: float | None) -> None:
    metric = asp.GiniComplement(k=k, outside="drop", empty=empty)
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        expected = plain.gini_complement(world, cutoff, empty=plain.UNDEFINED if empty is None else empty)
        assert state.value == expected or (math.isnan(state.value) and math.isnan(expected))


@checked(40)
@given(worlds(features=True))
def test_the_default_catalogue_is_every_item_seen(world: PlainWorld) -> None:
    assert asp.GiniComplement(outside="drop").observe(build(world))[0].counts["catalogue_items"] == (
        len(world.seen_items) if world.catalogue is None else len(set(world.catalogue))
    )


@pytest.mark.parametrize(
    ("lists", "expected"),
    [([[1], [1], [2]], 0.2222), ([[1], [1], [1]], 0.0), ([[1], [2], [3], [4]], 1.0)],
)
def test_four_items(lists: list[list[int]], expected: float) -> None:
    results = asp.evaluate(dict(enumerate(lists)), "GiniComplement", catalogue=[1, 2, 3, 4])
    assert results["GiniComplement"] == pytest.approx(expected, abs=5e-5)


def test_counts_are_of_the_top_k() -> None:
    results = asp.evaluate({"u": [1, 2], "v": [1, 3]}, "GiniComplement@1,2", catalogue=[1, 2, 3])
    assert results["GiniComplement@1"] == 0.0
    assert results["GiniComplement@2"] == pytest.approx(1 - (2 * 2 - 2 * 1) / (2 * 4), abs=1e-15)


def test_an_item_outside_the_catalogue_is_named() -> None:
    world = asp.World.of({"u": ["in", "out"]}, catalogue=["in", "other"])
    with pytest.raises(asp.InputError, match="'out'"):
        asp.GiniComplement().observe(world)
    assert math.isfinite(asp.GiniComplement(k=1).observe(world)[0].value)
    dropped = asp.GiniComplement(outside="drop").observe(world)[0]
    assert dropped.value == 0.0
    assert dropped.counts["outside_catalogue"] == 1


@pytest.mark.parametrize(("lists", "catalogue"), [({"u": []}, ["a", "b"]), ({"u": ["a"]}, ["a"]), ({"u": []}, [])])
def test_undefined_without_recommendations_or_with_one_item(lists: dict[str, list[str]], catalogue: list[str]) -> None:
    results = asp.evaluate(lists, "GiniComplement", catalogue=catalogue)
    assert math.isnan(results["GiniComplement"])


def test_many_users_give_the_correctly_rounded_fraction() -> None:
    lists = {user: [item for item in range(5) if user % (item + 1) == 0] for user in range(50_000)}
    world = PlainWorld(lists, {}, {}, {}, {}, catalogue=list(range(2_000)))  # type: ignore[arg-type]
    assert asp.evaluate(lists, "GiniComplement", catalogue=range(2_000))["GiniComplement"] == plain.gini_complement(world, -1)
