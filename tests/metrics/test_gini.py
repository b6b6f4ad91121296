"""Gini index against its definition in plain Python."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import toy
from tests.plain import UNDEFINED, Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, checked, same, worlds

DISCOUNTS: Mapping[str, Callable[[int], float]] = {
    "none": lambda _: 1.0,
    "log": lambda rank: 1 / math.log2(rank + 1),
    "reciprocal": lambda rank: 1 / rank,
    "geometric": lambda rank: 0.7 ** (rank - 1),
    "clipped": lambda rank: 1 / math.log2(max(rank, 2)),
}


def gini(world: PlainWorld, k: int, *, over: str, divisor: str, discount: str, extra: int, empty: float) -> float:
    """Half the mean difference of two items over the mean, of items that count."""
    could_be = world.seen_items if world.catalogue is None or over == "recommended" else set(world.catalogue)
    exposure: Counter[Id] = Counter()
    for items in world.rankings.values():
        for rank, item in enumerate(cut(items, k), 1):
            if item in could_be:
                exposure[item] += DISCOUNTS[discount](rank)  # type: ignore[assignment]
    if not exposure:
        return empty
    values = list(exposure.values()) if over == "recommended" else [exposure[item] for item in could_be] + [0] * extra
    n = len(values)
    if n < 2:
        return UNDEFINED
    apart = math.fsum(abs(one - other) for one in values for other in values)
    return apart / 2 / ((n - 1 if divisor == "n-1" else n) * math.fsum(values))


@checked(150)
@given(
    worlds(),
    CUTOFFS,
    st.sampled_from(["catalogue", "recommended"]),
    st.sampled_from(["n-1", "n"]),
    st.sampled_from(sorted(DISCOUNTS)),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([None, 1.0]),
)
def test_value_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], over: Any, divisor: Any, discount: Any, extra: int, empty: float | None
) -> None:
    by_catalogue: dict[str, Any] = {"outside": "drop", "extra_items": extra} if over == "catalogue" else {}
    patience = 0.7 if discount == "geometric" else 0.85
    metric = asp.Gini(k=k, over=over, divisor=divisor, discount=discount, patience=patience, empty=empty, **by_catalogue)
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        of_nothing = UNDEFINED if empty is None else empty
        expected = gini(world, cutoff, over=over, divisor=divisor, discount=discount, extra=extra, empty=of_nothing)
        assert same(state.value, expected), f"{metric.at(cutoff)}: {state.value!r}, expected {expected!r}"


@checked(60)
@given(worlds(), CUTOFFS)
def test_gini_and_its_complement_add_up_to_1(world: PlainWorld, k: tuple[int, ...]) -> None:
    built = build(world)
    for one, other in zip(
        asp.Gini(k=k, outside="drop").observe(built), asp.GiniComplement(k=k, outside="drop").observe(built), strict=True
    ):
        assert same(one.value, 1 - other.value)


TOY = [
    ({}, 0.428571),  # WarpRec
    ({"divisor": "n"}, 0.375),  # LensKit's ListGini
    ({"divisor": "n", "discount": "geometric"}, 0.401239),  # LensKit's ExposureGini
    ({"divisor": "n", "extra_items": 1}, 0.444444),  # RecBole
    ({"over": "recommended"}, 0.2),  # Evidently
]


@pytest.mark.parametrize(("parameters", "expected"), TOY, ids=str)
def test_the_toy_world(parameters: dict[str, Any], expected: float) -> None:
    metric = asp.Gini(k=3, **parameters)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=1e-6)


def test_the_complement_of_the_toy_world() -> None:
    assert asp.evaluate(toy.LISTS, "GiniComplement@3", **toy.TRUTH)["GiniComplement@3"] == pytest.approx(0.571429, abs=5e-7)


def test_without_a_discount_it_is_a_fraction_of_whole_numbers() -> None:
    assert asp.evaluate(toy.LISTS, "Gini@3", **toy.TRUTH)["Gini@3"] == 27 / 63


@pytest.mark.parametrize("discount", sorted(DISCOUNTS))
def test_undefined_without_recommendations_or_with_one_item(discount: Any) -> None:
    metric = asp.Gini(discount=discount)
    for lists, catalogue in (({"u": []}, ["a", "b"]), ({"u": ["a"]}, ["a"]), ({"u": []}, [])):
        assert math.isnan(asp.evaluate(lists, metric, catalogue=catalogue)[metric])
    alone = asp.Gini(discount=discount, over="recommended")
    assert math.isnan(asp.evaluate({"u": ["a"], "v": ["a"]}, alone, catalogue=["a", "b"])[alone])
    assert asp.evaluate({"u": ["a"], "v": ["a"]}, metric, catalogue=["a", "b"])[metric] == 1.0


def test_patience_of_0_counts_the_first_rank_only() -> None:
    lists = {"u": ["a", "b"], "v": ["a", "c"], "w": ["c", "b"]}
    exposed, first = asp.Gini(discount="geometric", patience=0), asp.Gini(k=1)
    found = asp.evaluate(lists, [exposed, first], catalogue=["a", "b", "c"])
    assert found[exposed] == found[first] == 2 / 3


def test_an_item_outside_the_catalogue_is_named_or_dropped() -> None:
    for discount in ("none", "log"):
        refusing, dropping = (asp.Gini(discount=discount, outside=outside) for outside in ("error", "drop"))
        with pytest.raises(asp.InputError, match="Gini: item 'out' is recommended but not in the catalogue"):
            asp.evaluate({"u": ["in", "out"]}, refusing, catalogue=["in", "other"])
        found = asp.evaluate({"u": ["in", "out"]}, dropping, catalogue=["in", "other"])
        assert found[dropping] == 1.0
        assert found.details[str(dropping)]["outside_catalogue"] == 1
    metric = asp.Gini(over="recommended")
    assert asp.evaluate({"u": ["in", "out"]}, metric, catalogue=["in", "other"])[metric] == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"extra_items": 1.5}, "extra_items is 1.5, expected a whole number from 0"),
        ({"over": "recommended", "extra_items": 1}, "extra_items goes with over=catalogue only"),
        ({"patience": 0.5}, "patience goes with discount=geometric only"),
        ({"discount": "geometric", "patience": 2}, "patience is 2, expected 0 to 1"),
        ({"divisor": "n-2"}, "expected 'n-1' or 'n'"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.Gini(**parameters)


def test_complement() -> None:
    """What Elliot and RankSys call the Gini index."""
    found = asp.evaluate(
        toy.LISTS,
        ["Gini(complement=true)@3", "GiniComplement@3", "Gini(complement=true, discount=log)@3", "Gini(discount=log)@3"],
        catalogue=toy.CATALOGUE,
    )
    assert found["Gini(complement=true)@3"] == found["GiniComplement@3"] == pytest.approx(0.571429, abs=5e-7)
    assert found["Gini(complement=true, discount=log)@3"] == pytest.approx(1 - found["Gini(discount=log)@3"])
    assert asp.parse("Gini(complement=true)@3").higher_is_better
    assert not asp.parse("Gini@3").higher_is_better
