"""Exposure entropy against its definition in plain Python."""

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import toy
from tests.plain import UNDEFINED, PlainWorld, cut
from tests.strategies import CUTOFFS, build, checked, same, worlds


def entropy(world: PlainWorld, k: int, *, base: float, index: str, normalize: str, weigh: str, over: str) -> float:
    could_be = world.seen_items if normalize != "catalogue" or world.catalogue is None else set(world.catalogue)
    lists = [[item for item in cut(items, k) if item in could_be] for items in world.rankings.values()]
    lists = [items for items in lists if items]
    if not lists:
        return UNDEFINED
    counts = Counter(item for items in lists for item in items)
    total = sum(counts.values())
    weights = {item: count / total for item, count in counts.items()}
    if weigh == "lists":
        weights = {item: math.fsum(1 / len(items) for items in lists if item in items) / len(lists) for item in counts}
        total = len(lists) * (k if k > 0 else max(map(len, lists))) if over == "k" else total
    if index == "shannon":
        value = -math.fsum(weights[item] * math.log(count / total) for item, count in counts.items()) / math.log(base)
        most = math.log(len(could_be)) / math.log(base)
    else:
        value = 1 - math.fsum(weights[item] * count / total for item, count in counts.items())
        most = 1 - 1 / len(could_be)
    if normalize == "catalogue":
        return value / most if len(could_be) > 1 else UNDEFINED
    return value / len(counts) if normalize == "items_shown" else value


@checked(200)
@given(
    worlds(),
    CUTOFFS,
    st.sampled_from([2.0, "e", 10.0]),
    st.sampled_from(["shannon", "simpson"]),
    st.sampled_from(["none", "catalogue", "items_shown"]),
    st.sampled_from([("recommendations", "list"), ("lists", "list"), ("lists", "k")]),
)
def test_value_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], base: Any, index: Any, normalize: Any, weighed: tuple[Any, Any]
) -> None:
    weigh, over = weighed
    base = 2.0 if index == "simpson" else base
    outside: Any = "drop" if normalize == "catalogue" else "error"
    metric = asp.ExposureEntropy(k=k, base=base, index=index, normalize=normalize, weigh=weigh, over=over, outside=outside)
    plain = {"base": math.e if base == "e" else base, "index": index, "normalize": normalize, "weigh": weigh, "over": over}
    for cutoff, state in zip(metric.cutoffs, metric.observe(build(world)), strict=True):
        expected = entropy(world, cutoff, **plain)
        assert same(state.value, expected), f"{metric.at(cutoff)}: {state.value!r}, expected {expected!r}"


TOY = [
    ({}, 2.503258),  # MS recommenders
    ({"weigh": "lists"}, 2.503258),  # Elliot, RankSys
    ({"base": "e"}, 1.735126),  # WarpRec
    ({"base": "e", "normalize": "items_shown"}, 0.289188),  # RecBole
    ({"normalize": "catalogue"}, 0.834419),
    ({"index": "simpson"}, 0.814815),
    ({"index": "simpson", "weigh": "lists", "over": "k"}, 0.814815),  # RankSys
]


@pytest.mark.parametrize(("parameters", "expected"), TOY, ids=str)
def test_the_toy_world(parameters: dict[str, Any], expected: float) -> None:
    metric = asp.ExposureEntropy(k=3, **parameters)
    assert asp.evaluate(toy.LISTS, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=5e-7)


UNEVEN = [
    ({}, 2.251629),
    ({"weigh": "lists"}, 2.307185),  # Elliot, RankSys
    ({"index": "simpson"}, 0.777778),
    ({"index": "simpson", "weigh": "lists", "over": "k"}, 0.858025),  # RankSys
]


@pytest.mark.parametrize(("parameters", "expected"), UNEVEN, ids=str)
def test_lists_of_different_lengths(parameters: dict[str, Any], expected: float) -> None:
    metric = asp.ExposureEntropy(k=3, **parameters)
    assert asp.evaluate(toy.UNEVEN, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("parameters", [parameters for parameters, _ in TOY], ids=str)
def test_one_item_has_no_entropy_and_nothing_is_undefined(parameters: dict[str, Any]) -> None:
    metric = asp.ExposureEntropy(**parameters)
    assert asp.evaluate({"u": ["a"], "v": ["a"]}, metric, catalogue=["a", "b"])[metric] == 0.0
    assert math.isnan(asp.evaluate({"u": []}, metric, catalogue=["a", "b"])[metric])


def test_one_item_of_one_is_undefined_if_divided() -> None:
    for metric in (asp.ExposureEntropy(normalize="catalogue"), asp.ExposureEntropy(normalize="catalogue", index="simpson")):
        assert math.isnan(asp.evaluate({"u": ["a"]}, metric, catalogue=["a"])[metric])


def test_items_outside_the_catalogue_matter_only_where_it_is_divided_by() -> None:
    lists = {"u": ["a", "out"]}
    assert asp.evaluate(lists, "Entropy", catalogue=["a", "b"])["Entropy"] == 1.0
    with pytest.raises(asp.InputError, match="ExposureEntropy: item 'out'"):
        asp.evaluate(lists, "Entropy(normalize=catalogue)", catalogue=["a", "b"])
    dropping = "Entropy(normalize=catalogue, outside=drop)"
    assert asp.evaluate(lists, dropping, catalogue=["a", "b"])[dropping] == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"base": 1}, "base is 1, expected a number above 1, or e"),
        ({"base": "pi"}, "expected 'e' or a number"),
        ({"index": "simpson", "base": "e"}, "base goes with index=shannon only"),
        ({"over": "k"}, "over goes with weigh=lists only"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.ExposureEntropy(**parameters)
