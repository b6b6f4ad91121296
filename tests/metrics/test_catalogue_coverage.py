"""Catalogue coverage against its definition in plain Python."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import toy
from tests.plain import UNDEFINED, Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, checked, same, worlds


def population(world: PlainWorld, of: str) -> set[Id]:
    if of == "history":
        return {item for items in world.history.values() for item in items}
    return world.seen_items if world.catalogue is None else set(world.catalogue)


def coverage(world: PlainWorld, k: int, *, of: str, keep: bool, extra: int) -> float:
    """Items that are shown over items that could be."""
    could_be = population(world, of)
    shown = {item for items in world.rankings.values() for item in cut(items, k) if keep or item in could_be}
    return len(shown) / (len(could_be) + extra) if could_be or extra else UNDEFINED


def mean_over_lists(world: PlainWorld, k: int, *, over_k: bool, keep: bool) -> float:
    """The mean over lists of the mean over items of the recommendations there are for each of that item."""
    could_be = population(world, "catalogue")
    lists = [[item for item in cut(items, k) if keep or item in could_be] for items in world.rankings.values()]
    lists = [items for items in lists if items]
    if not lists:
        return UNDEFINED
    counts = Counter(item for items in lists for item in items)
    depth = k if k > 0 else max(map(len, lists))
    total = depth * len(lists) if over_k else sum(counts.values())
    means = [sum((Fraction(total, counts[item]) for item in items), Fraction(0)) / len(items) for items in lists]
    return float(sum(means, Fraction(0)) / len(lists))


def check(metric: asp.Metric, world: PlainWorld, expected: Any) -> None:
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        assert same(state.value, expected(cutoff)), f"{metric.at(cutoff)}: {state.value!r}, expected {expected(cutoff)!r}"


@checked(100)
@given(worlds(), CUTOFFS, st.sampled_from(["catalogue", "history"]), st.sampled_from(["drop", "keep"]), st.sampled_from([0, 1, 3]))
def test_value_follows_the_definition(world: PlainWorld, k: tuple[int, ...], of: Any, outside: Any, extra: int) -> None:
    metric = asp.CatalogueCoverage(k=k, of=of, outside=outside, extra_items=extra)
    check(metric, world, lambda cutoff: coverage(world, cutoff, of=of, keep=outside == "keep", extra=extra))


@checked(60)
@given(worlds(), CUTOFFS, st.sampled_from(["drop", "keep"]))
def test_the_number_of_items_is_what_is_divided(world: PlainWorld, k: tuple[int, ...], outside: Any) -> None:
    could_be = population(world, "catalogue")

    def number(cutoff: int) -> int:
        return len({item for items in world.rankings.values() for item in cut(items, cutoff) if outside == "keep" or item in could_be})

    check(asp.CatalogueCoverage(k=k, normalize=False, outside=outside), world, number)


@checked(100)
@given(worlds(), CUTOFFS, st.sampled_from(["list", "k"]), st.sampled_from(["drop", "keep"]))
def test_lists_may_weigh_alike(world: PlainWorld, k: tuple[int, ...], over: Any, outside: Any) -> None:
    metric = asp.CatalogueCoverage(k=k, normalize=False, weigh="lists", over=over, outside=outside)
    check(metric, world, lambda cutoff: mean_over_lists(world, cutoff, over_k=over == "k", keep=outside == "keep"))


TOY = [
    ({}, 0.75),  # PyG, RecTools with normalize=True
    ({"percent": True}, 75.0),  # recmetrics
    ({"normalize": False}, 6.0),  # RecTools, Elliot, WarpRec, LensKit
    ({"of": "history"}, 0.8),  # RePlay, Evidently
    ({"of": "history", "outside": "keep"}, 1.2),  # MS recommenders
    ({"extra_items": 1}, 0.6667),  # RecBole
    ({"normalize": False, "weigh": "lists", "over": "k"}, 6.0),  # RankSys
]


@pytest.mark.parametrize(("parameters", "expected"), TOY, ids=str)
def test_the_toy_world(parameters: dict[str, Any], expected: float) -> None:
    metric = asp.CatalogueCoverage(k=3, **parameters)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=5e-5)


def test_lists_of_different_lengths() -> None:
    number = asp.CatalogueCoverage(k=3, normalize=False)
    ranksys = asp.CatalogueCoverage(k=3, normalize=False, weigh="lists", over="k")
    found = asp.evaluate(toy.UNEVEN, [number, ranksys], **toy.TRUTH)
    assert (found[number], found[ranksys]) == (5.0, 7.75)


def test_an_item_outside_the_catalogue() -> None:
    lists = {"u": ["in", "out"]}
    with pytest.raises(asp.InputError, match="CatalogueCoverage: item 'out' is recommended but not in the catalogue"):
        asp.evaluate(lists, "CatalogueCoverage", catalogue=["in", "other"])
    for outside, expected in (("drop", 0.5), ("keep", 1.0)):
        metric = asp.CatalogueCoverage(outside=outside)  # type: ignore[arg-type]
        found = asp.evaluate(lists, metric, catalogue=["in", "other"])
        assert found[metric] == expected
        assert found.details[str(metric)]["outside_catalogue"] == 1


def test_items_that_nobody_had_are_counted() -> None:
    found = asp.evaluate({"u": ["a", "z"]}, "CatalogueCoverage(of=history)", history={"v": ["a", "b"]})
    assert dict(found) == {"CatalogueCoverage(of=history)": 0.5}
    assert found.details["CatalogueCoverage(of=history)"]["outside_history"] == 1


def test_nothing_shown_covers_nothing_and_no_catalogue_is_undefined() -> None:
    assert asp.evaluate({"u": []}, "CatalogueCoverage", catalogue=["a"])["CatalogueCoverage"] == 0.0
    assert math.isnan(asp.evaluate({"u": []}, "CatalogueCoverage", catalogue=[])["CatalogueCoverage"])
    assert asp.evaluate({"u": []}, "AggregateDiversity", catalogue=[])["AggregateDiversity"] == 0.0
    ranksys = "CatalogueCoverage(normalize=false, weigh=lists)"
    assert math.isnan(asp.evaluate({"u": []}, ranksys, catalogue=["a"])[ranksys])
    assert asp.evaluate({"u": ["only lists name it"]}, "CatalogueCoverage", ignore="no_catalogue")["CatalogueCoverage"] == 1.0


def test_the_catalogue_matters_only_where_it_is_divided_by() -> None:
    lists = {f"u{n}": [f"i{n}"] for n in range(3)}
    assert "no_catalogue" not in {one.kind for one in asp.evaluate(lists, "AggregateDiversity@1").notices}
    noticed = [one for one in asp.evaluate(lists, ["Coverage@1", "Gini@1"], ignore="no_catalogue").notices if one.kind == "no_catalogue"]
    assert [one.detail["metric"] for one in noticed] == ["CatalogueCoverage, Gini"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"extra_items": -1}, "extra_items is -1, expected a whole number from 0"),
        ({"extra_items": 0.5}, "extra_items is 0.5, expected a whole number from 0"),
        ({"normalize": False, "extra_items": 1}, "extra_items goes with normalize=true only"),
        ({"normalize": False, "percent": True}, "percent goes with normalize=true only"),
        ({"weigh": "lists"}, "weigh goes with normalize=false only"),
        ({"over": "k"}, "over goes with weigh=lists only"),
        ({"of": "relevance"}, "expected 'catalogue' or 'history'"),
        ({"outside": "error!"}, "expected 'error' or 'drop' or 'keep'"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.CatalogueCoverage(**parameters)
