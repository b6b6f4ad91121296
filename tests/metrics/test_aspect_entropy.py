"""Aspect entropy against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, check_same_bits, check_scores, checked, with_some_weak_judgments, world_of_many_aspects, worlds

PARAMETERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "share": st.sampled_from(["item", "pair"]),
        "discount": st.sampled_from(["none", "log", "reciprocal", "geometric", "clipped"]),
        "index": st.sampled_from(["shannon", "simpson"]),
        "normalize": st.booleans(),
        "smoothing": st.sampled_from([0.0, 1e-6, 0.5]),
    }
)


def aspect_entropy(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    share: plain.Share,
    discount: str,
    patience: float = 0.85,
    index: str,
    normalize: bool,
    smoothing: float,
    base: float = 2.0,
) -> float:
    sums = plain.sums_of_list(world, user, k, share, discount, patience)
    if not sums:
        return plain.UNDEFINED
    m = len(world.known_aspects)
    shares = plain.normalised({aspect: sums.get(aspect, 0.0) + smoothing for aspect in world.known_aspects}).values()
    if index == "simpson":
        return plain.ratio(1 - math.fsum(p * p for p in shares), 1 - 1 / m if normalize else 1.0)
    entropy = -math.fsum(p * math.log(p) for p in shares if p > 0) / math.log(base)
    return plain.ratio(entropy, math.log(m) / math.log(base) if normalize else 1.0)


@checked(150)
@given(worlds(), CUTOFFS, PARAMETERS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], parameters: dict[str, Any]) -> None:
    check_scores(asp.AspectEntropy(k=k, **parameters), world, lambda user, k: aspect_entropy(world, user, k, **parameters))


@checked(30)
@given(worlds(), CUTOFFS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([math.e, 10.0]))
def test_patience_and_base(world: PlainWorld, k: tuple[int, ...], patience: float, base: float) -> None:
    parameters: dict[str, Any] = {"share": "item", "discount": "geometric", "patience": patience, "base": base, "index": "shannon"}
    metric = asp.AspectEntropy(k=k, **(parameters | {"base": "e" if base == math.e else base}))
    check_scores(metric, world, lambda user, k: aspect_entropy(world, user, k, **parameters, normalize=False, smoothing=0.0))


def test_many_aspects() -> None:
    world = world_of_many_aspects()
    parameters: dict[str, Any] = {"share": "item", "discount": "log", "index": "shannon", "normalize": True, "smoothing": 1e-6}
    check_scores(asp.AspectEntropy(k=(1, 5, -1), **parameters), world, lambda user, k: aspect_entropy(world, user, k, **parameters))


@checked(30)
@given(worlds(strengths=False), CUTOFFS)
def test_aspects_of_items_that_nobody_is_shown_do_not_show(world: PlainWorld, k: tuple[int, ...]) -> None:
    check_same_bits(asp.AspectEntropy(k=k, discount="log"), world, with_some_weak_judgments(world))


TOY: dict[str, Any] = {"aspects": toy.ASPECTS}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("AspectEntropy@3", [1.459148, 0.811278, 1.459148]),
        ("AspectEntropy(index=simpson)@3", [0.611111, 0.375, 0.611111]),
        ("AspectEntropy(share=pair)@3", [1.5, None, None]),
        ("AspectEntropy(normalize=true)@3", [1.459148 / math.log2(3), 0.811278 / math.log2(3), None]),
        ("AspectEntropy(base=e)@3", [1.459148 * math.log(2), 0.811278 * math.log(2), None]),
    ],
)
def test_toy_world(metric: str, expected: list[float | None]) -> None:
    found = asp.parse(metric).scores(asp.World.of(toy.LISTS, **TOY))[:, 0]  # type: ignore[attr-defined]
    for one, number in zip(found.tolist(), expected, strict=True):
        assert number is None or one == pytest.approx(number, abs=1e-6)


def test_numbers_of_lenskit() -> None:
    """LensKit adds 1e-6 to what a list has of every category."""
    results = asp.evaluate(toy.LISTS, ["AspectEntropy@3", "AspectEntropy(smoothing=1e-6)@3"], **TOY)
    assert results["AspectEntropy@3"] == pytest.approx(1.243191, abs=1e-6)
    assert results["AspectEntropy(smoothing=1e-6)@3"] == pytest.approx(1.243195, abs=1e-6)
    many = {"a": [0], "b": [0], "c": [0], "others": range(200_000)}
    world = asp.World.of({"u": ["a", "b", "c"]}, aspects=many)
    assert asp.AspectEntropy(smoothing=1e-6).scores(world)[0, 0] == pytest.approx(1.44, abs=5e-3)
    assert asp.AspectEntropy().scores(world)[0, 0] == 0.0


def test_undefined() -> None:
    lists = {"u": ["no aspects", "unheard of"], "v": [], "w": ["a"]}
    aspects = {"a": ["x"], "no aspects": []}
    for metric in (asp.AspectEntropy(), asp.AspectEntropy(smoothing=1.0), asp.AspectEntropy(index="simpson")):
        scores = metric.scores(asp.World.of(lists, aspects=aspects))[:, 0].tolist()
        assert [math.isnan(score) for score in scores] == [True, True, False]
        assert scores[2] == 0.0
    assert math.isnan(asp.AspectEntropy(normalize=True).scores(asp.World.of({"w": ["a"]}, aspects=aspects))[0, 0])


def test_an_item_that_only_the_list_names_keeps_its_rank() -> None:
    world = asp.World.of({"u": ["a", "unheard of", "b"]}, aspects={"a": ["x"], "b": ["y"]})
    p = 1 / (1 + 1 / 3)
    assert asp.AspectEntropy(discount="reciprocal").scores(world)[0, 0] == pytest.approx(
        -p * math.log2(p) - (1 - p) * math.log2(1 - p), abs=1e-15
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"share": "aspect"}, "expected 'item' or 'pair'"),
        ({"patience": 0.5}, "patience goes with discount=geometric only"),
        ({"patience": 1.5, "discount": "geometric"}, "patience is 1.5, expected 0 to 1"),
        ({"smoothing": -1.0}, "smoothing is -1, expected a number from 0"),
        ({"base": 1.0}, "base is 1, expected 'e' or a number above 1"),
        ({"base": "two"}, "base is 'two', expected 'e' or a number"),
        ({"base": 3.0, "index": "simpson"}, "base goes with index=shannon only"),
        ({"normalize": "log"}, "expected true or false"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.AspectEntropy(**parameters)


def test_names() -> None:
    assert asp.parse("RankBiasedEntropy@3") == asp.AspectEntropy(k=3, discount="geometric")
    assert asp.parse("AspectEntropy(base=e)") == asp.AspectEntropy(base="e")
