"""Attention-weighted rank fairness against its definition in plain Python."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.awrf import AWRF
from tests import toy
from tests.groups import (
    DISCOUNTS,
    GROUP_WORLDS,
    TOY,
    all_groups,
    distribution,
    exposure,
    factor,
    size,
    target_of,
    toy_scores,
    toy_value,
)
from tests.plain import Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, check_scores, checked

TARGETS: st.SearchStrategy[Any] = st.sampled_from(["catalogue", "relevant", "uniform"])
DIVERGENCES: st.SearchStrategy[Any] = st.sampled_from(["js", "js_distance", "hellinger", "tv", "difference"])


def apart(world: PlainWorld, p: dict[Id, float], q: dict[Id, float], divergence: str, base: float) -> float:
    """How far two distributions over groups are apart."""
    pairs = [(p.get(group, 0.0), q.get(group, 0.0)) for group in {*p, *q}]
    if divergence == "tv":
        return math.fsum(abs(a - b) for a, b in pairs) / 2
    if divergence == "hellinger":
        return math.sqrt(math.fsum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in pairs) / 2)
    if divergence == "difference":
        sizes = {group: number for group in all_groups(world) if (number := size(world, group)) > 0}
        least = min(sizes.values(), default=0.0)
        return max((abs(p.get(group, 0.0) - q.get(group, 0.0)) for group, number in sizes.items() if number == least), default=0.0)
    return math.fsum(one * math.log(one / ((a + b) / 2)) for a, b in pairs for one in (a, b) if one > 0) / 2 / math.log(base)


def awrf(world: PlainWorld, user: Id, k: int, metric: AWRF) -> float:
    shown = distribution(exposure(world, cut(world.rankings.get(user, []), k), factor(metric.discount, metric.patience)))
    wanted = target_of(world, user, str(metric.target), k)
    if shown is None or wanted is None:
        return math.nan
    found = apart(world, shown, wanted, metric.divergence, math.e if metric.base == "e" else metric.base)
    return 1 - found if metric.complement else found


@checked(120)
@given(GROUP_WORLDS, CUTOFFS, DISCOUNTS, TARGETS, DIVERGENCES, st.booleans())
def test_scores_follow_the_definition(world: PlainWorld, k: Any, discount: Any, target: Any, divergence: Any, complement: bool) -> None:
    patience = 0.5 if discount == "geometric" else 0.85
    metric = AWRF(k=k, discount=discount, patience=patience, target=target, divergence=divergence, complement=complement)
    if divergence == "js_distance":  # near 0 the root of a rounded number; squared, it is js again
        found, squares = (replace(metric, divergence=one, complement=False).scores(build(world)) for one in ("js_distance", "js"))
        assert found**2 == pytest.approx(squares, abs=1e-15, nan_ok=True)
    else:
        check_scores(metric, world, lambda user, k: awrf(world, user, k, metric))


def test_by_hand() -> None:
    """P is at rank 1, Q at 2 and 3; the catalogue has as many of both."""
    p = 1 / (1 + 1 / math.log2(3) + 0.5)
    assert p == pytest.approx(0.469279, abs=1e-6)
    js = sum(one * math.log2(2 * one / (one + 0.5)) + 0.5 * math.log2(1 / (one + 0.5)) for one in (p, 1 - p)) / 2
    assert toy_scores("AWRF@3")[0] == pytest.approx(1 - js, abs=1e-12)


def test_numbers_of_the_toy_world() -> None:
    assert toy_scores("AWRF@3")[0] == pytest.approx(0.999318, abs=1e-6)
    assert toy_value("AWRF@3") == pytest.approx(0.970721, abs=1e-6)


def test_numbers_of_trec_fair() -> None:
    assert toy_value("AWRF(discount=clipped, base=e)@3") == pytest.approx(0.982825, abs=1e-6)
    groups = {"a": "P", "b": "Q"}
    least = asp.evaluate({"u": ["a"]}, "AWRF(target={Q: 1}, base=e)", groups=groups)["AWRF(target={Q: 1}, base=e)"]
    assert least == pytest.approx(0.307, abs=1e-3)
    assert asp.evaluate({"u": ["a"]}, "AWRF(target={Q: 1})", groups=groups)["AWRF(target={Q: 1})"] == pytest.approx(0.0, abs=1e-15)


def test_numbers_of_raj_and_ekstrand() -> None:
    metric = "AWRF(discount=geometric, patience=0.5, divergence=difference, complement=false)@3"
    assert toy_scores(metric) == pytest.approx([0.071429, 0.357143, 0.214286], abs=1e-6)
    of_both = metric.replace("difference", "tv")  # with two groups the same
    assert toy_scores(of_both) == pytest.approx(toy_scores(metric), abs=1e-15)


def test_the_difference_is_that_of_the_minority() -> None:
    groups = {"a": "P", "b": "P", "c": "P", "d": "Q", "e": "Q", "f": "R"}
    world = asp.World.of({"u": ["a", "d"], "v": ["f", "a"]}, groups=groups)
    metric = AWRF(discount="none", divergence="difference", complement=False)
    assert metric.scores(world)[:, 0] == pytest.approx([1 / 6, 1 / 2 - 1 / 6], abs=1e-15)


def test_shares_that_are_given() -> None:
    world = asp.World.of(toy.LISTS, **TOY)
    half = AWRF(k=3, target={"P": 2, "Q": 2})
    assert half.scores(world)[:3].tolist() == AWRF(k=3).scores(world)[:3].tolist()
    all_p = AWRF(k=1, target={"P": 0.7}).scores(world)[:3, 0].tolist()
    assert all_p == [1.0, 1.0, 1.0]
    assert str(AWRF(target={"P": 0.5, "Q": 0.5})) == "AWRF(target={P: 0.5, Q: 0.5})"
    assert asp.parse("AWRF(target={P: 0.5, Q: 0.5})") == AWRF(target={"P": 0.5, "Q": 0.5})
    named = asp.evaluate({"u": ["a"]}, "AWRF(target={1: 1})", groups={"a": 1, "b": 2})
    assert named["AWRF(target={1: 1})"] == 1.0


def test_a_share_for_a_group_that_nobody_knows() -> None:
    with pytest.raises(asp.MetricError, match="target has a share for 'female', and no item is in such a group; did you mean 'Female'"):
        asp.evaluate({"u": ["a"]}, AWRF(target={"female": 1.0}), groups={"a": "Female", "b": "Male"})
    with pytest.raises(asp.MissingInput, match="needs groups"):
        asp.evaluate({"u": ["a"]}, AWRF(target={"female": 1.0}))


def test_several_groups() -> None:
    """Without shares an item belongs to its groups alike; shares are taken as they are."""
    lists = {"u": ["a", "b"]}
    metric = AWRF(discount="none", target="uniform", divergence="tv", complement=False)
    alike = asp.World.of(lists, groups={"a": ["P", "Q"], "b": ["P"]})
    assert metric.scores(alike)[0, 0] == pytest.approx(0.75 - 0.5)
    given = asp.World.of(lists, groups={"a": {"P": 0.2, "Q": 0.2}, "b": {"P": 0.4}})
    assert metric.scores(given)[0, 0] == pytest.approx(0.6 / 0.8 - 0.5)
    mixed = asp.World.of(lists, groups={"a": {"P": 1.0, "Q": 1.0}, "b": {"P": 0.5}})
    assert metric.scores(mixed)[0, 0] == pytest.approx(1.5 / 2.5 - 0.5)


def test_items_without_a_group_have_a_rank_but_no_attention() -> None:
    groups = {"a": "P", "b": "Q", "c": "Q"}
    results = asp.evaluate({"u": ["only in this list", "a", "b"]}, "AWRF(target=uniform)@3", groups=groups)
    share = (1 / math.log2(3)) / (1 / math.log2(3) + 0.5)
    js = sum(one * math.log2(2 * one / (one + 0.5)) + 0.5 * math.log2(1 / (one + 0.5)) for one in (share, 1 - share)) / 2
    assert results["AWRF(target=uniform)@3"] == pytest.approx(1 - js, abs=1e-12)
    assert results.details["AWRF(target=uniform)@3"]["places_without_group"] == 1
    assert results.details["AWRF(target=uniform)@3"]["groups"] == "given"


def test_aspects_in_place_of_groups() -> None:
    as_aspects = asp.evaluate(toy.LISTS, "AWRF@3", aspects={item: [group] for item, group in toy.GROUPS.items()})
    assert as_aspects["AWRF@3"] == pytest.approx(0.970721, abs=1e-6)
    assert as_aspects.details["AWRF@3"]["groups"] == "aspects"


def test_undefined() -> None:
    world = asp.World.of({"u": [], "v": ["x"], "w": ["a"]}, groups={"a": "P", "b": "Q"}, relevance={"u": ["a"], "v": ["b"], "w": ["x"]})
    assert [math.isnan(score) for score in AWRF().scores(world)[:, 0]] == [True, True, False]
    assert all(math.isnan(score) for score in AWRF(target="relevant").scores(world)[:, 0])
    nothing = asp.World.of({"u": ["a"]}, groups={"a": "P"}, catalogue=["b"])
    assert math.isnan(AWRF().scores(nothing)[0, 0])


def test_a_target_of_the_catalogue_is_that_of_the_catalogue() -> None:
    """One P and one Q are in it; b is recommended all the same."""
    world = asp.World.of({"u": ["b", "c"]}, groups={"a": "P", "b": "P", "c": "Q"}, catalogue=["a", "c"])
    assert AWRF(discount="none").scores(world)[0, 0] == 1.0


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"discount": "linear"}, "discount is 'linear', expected 'log' or 'none'"),
        ({"patience": 0.5}, "patience goes with discount=geometric only"),
        ({"discount": "geometric", "patience": 1.5}, "patience is 1.5, expected 0 to 1"),
        ({"target": "fair"}, "target is 'fair', expected 'catalogue' or 'relevant' or 'uniform' or {key: number, ...}"),
        ({"target": {"P": -1.0, "Q": 2.0}}, "expected shares from 0"),
        ({"target": {"P": 0.0}}, "one of them above 0"),
        ({"divergence": "kl"}, "divergence is 'kl', expected 'js'"),
        ({"base": 1.0}, "base is 1, expected 'e' or a number above 1"),
        ({"base": "e", "divergence": "tv"}, "base goes with divergence=js or js_distance only"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected.replace("{", "\\{")):
        AWRF(**parameters)


def test_direction() -> None:
    assert AWRF().higher_is_better is True
    assert AWRF(complement=False).higher_is_better is False
    assert AWRF.higher_is_better is True
