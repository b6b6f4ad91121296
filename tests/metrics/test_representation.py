"""Representation against its definition in plain Python."""

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, worlds
from tests.test_laws import Evaluation, check_law, parts_of

DIVERGENCES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"divergence": st.just("kl"), "alpha": st.sampled_from([0.01, 0.001]), "mixed": st.sampled_from(["list", "both"])}
    ),
    st.fixed_dictionaries({"divergence": st.just("js"), "base": st.sampled_from([2.0, "e"])}),
    st.fixed_dictionaries({"divergence": st.sampled_from(["hellinger", "tv"])}),
)
SHARES: st.SearchStrategy[Any] = st.sampled_from(["item", "pair"])
DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["none", "log", "reciprocal", "geometric", "clipped"])


def representation(world: PlainWorld, user: Id, k: int, share: plain.Share, discount: str, how: dict[str, Any]) -> float:
    shown = plain.normalised(plain.sums_of_list(world, user, k, share, discount))
    return plain.divergence(
        plain.shares_of_catalogue(world, share), shown, how["divergence"], **{key: how[key] for key in how if key != "divergence"}
    )


@checked(120)
@given(worlds(), CUTOFFS, SHARES, DISCOUNTS, DIVERGENCES)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], share: Any, discount: Any, how: dict[str, Any]) -> None:
    metric = asp.Representation(k=k, share=share, discount=discount, **how)
    check_scores(metric, world, lambda user, k: representation(world, user, k, share, discount, how))


@checked(40)
@given(worlds(), CUTOFFS, st.sampled_from(["list", "both"]))
def test_the_distance_of_jensen_and_shannon_is_a_root(world: PlainWorld, k: tuple[int, ...], mixed: Any) -> None:
    built = build(world)
    squares, roots = (asp.Representation(k=k, divergence=kind, mixed=mixed).scores(built) for kind in ("js", "js_distance"))
    assert np.array_equal(np.sqrt(squares), roots, equal_nan=True)


@pytest.mark.parametrize("catalogue", [toy.CATALOGUE, None])
@pytest.mark.parametrize("name", ["Representation", "AlternativeVoices"])
def test_toy_world(name: str, catalogue: Any) -> None:
    results = asp.evaluate(toy.LISTS, f"{name}@3", aspects=toy.ASPECTS, catalogue=catalogue)
    world = asp.World.of(toy.LISTS, aspects=toy.ASPECTS, catalogue=catalogue)
    assert asp.Representation(k=3).scores(world)[:, 0] == pytest.approx([0.035333, 0.305073, 0.022196], abs=1e-6)
    assert next(iter(results.values())) == pytest.approx(0.120868, abs=1e-6)


def test_the_catalogue_says_what_there_is() -> None:
    inputs: dict[str, Any] = {"aspects": {"a": ["x"], "b": ["y"], "c": ["y"], "d": ["z"]}}
    metric = asp.Representation(divergence="tv")
    assert metric.scores(asp.World.of({"u": ["a"]}, **inputs))[0, 0] == 0.75
    assert metric.scores(asp.World.of({"u": ["a"]}, **inputs, catalogue=["a", "b"]))[0, 0] == 0.5
    assert metric.scores(asp.World.of({"u": ["a", "unheard of"]}, **inputs, catalogue=["a", "unheard of"]))[0, 0] == 0.0


def test_undefined() -> None:
    aspects = {"a": ["x"], "nothing": []}
    lists = {"u": ["nothing"], "v": [], "w": ["a"], "new": ["unheard of"]}
    scores = asp.Representation().scores(asp.World.of(lists, aspects=aspects))[:, 0].tolist()
    assert [math.isnan(score) for score in scores] == [True, True, False, True]
    scores = asp.Representation().scores(asp.World.of({"w": ["a"]}, aspects=aspects, catalogue=["nothing"]))[:, 0].tolist()
    assert math.isnan(scores[0])


def test_parts_with_other_catalogues_do_not_add() -> None:
    def results(catalogue: list[str], user: str) -> asp.Results:
        return asp.evaluate({user: ["a"]}, "Representation", aspects={"a": ["x"], "b": ["y"]}, catalogue=catalogue)

    with pytest.raises(asp.InputError, match="differ"):
        results(["a"], "u") + results(["a", "b"], "v")


def test_items_in_any_order_are_the_same_catalogue() -> None:
    chances = np.random.default_rng(1)
    aspects = {item: dict(zip(chances.permutation(9)[:3].tolist(), [0.1, 0.3, 0.7], strict=True)) for item in range(200)}
    world = PlainWorld({1: [3, 4, 5]}, aspects, {}, {}, {})  # type: ignore[arg-type]
    other = replace(world, aspects={item: aspects[item] for item in chances.permutation(200).tolist()})
    one, two = (asp.Representation().scores(build(some)) for some in (world, other))
    assert one[0, 0].hex() == two[0, 0].hex()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"divergence": "chi2"}, "expected 'kl' or"),
        ({"alpha": 0.5}, "alpha goes with divergence=kl only"),
        ({"alpha": 2.0, "divergence": "kl"}, "alpha is 2, expected"),
        ({"discount": "harmonic"}, "discount is 'harmonic', expected"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.Representation(**parameters)


NUMBERS: st.SearchStrategy[Any] = st.one_of(st.integers(-3, 3), st.floats(-1, 1).map(lambda x: round(x, 2)))


@checked(120)
@given(
    st.dictionaries(st.sampled_from("abcdefgh"), NUMBERS, min_size=1), st.integers(1, 6), st.booleans(), st.randoms(use_true_random=False)
)
def test_bins_of_numbers(numbers: dict[str, float], bins: int, partial: bool, draw: Any) -> None:
    """Sizes in bins of equal width over the catalogue; those outside its range are in the first or the last."""
    catalogue = draw.sample(sorted(numbers), draw.randint(1, len(numbers))) if partial else None
    pool = [abs(numbers[item]) for item in catalogue or numbers]
    width = (max(pool) - min(pool)) / bins

    def bin_of(item: str) -> int:
        edges = [min(pool) + step * width for step in range(1, bins)]
        return sum(abs(numbers[item]) >= edge for edge in edges)

    lists = {user: draw.sample(sorted(numbers), draw.randint(1, len(numbers))) for user in "uvw"}
    named = {item: [f"bin {bin_of(item)}"] for item in numbers}
    found, expected = (
        metric.scores(asp.World.of(lists, aspects=aspects, catalogue=catalogue))
        for metric, aspects in ((asp.Representation(k=(2, -1), bins=bins), numbers), (asp.Representation(k=(2, -1)), named))
    )
    edges = np.linspace(min(pool), max(pool), bins + 1)[1:-1]
    if not any(abs(abs(number) - edge) < 1e-9 for number in numbers.values() for edge in edges):  # where rounding decides
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    else:
        assert np.isnan(found).tolist() == np.isnan(expected).tolist()


def test_parts_with_bins_add_up() -> None:
    draw = random.Random(3)
    numbers = {item: draw.uniform(-1, 1) for item in range(50)}
    lists: dict[Any, list[Id]] = {user: draw.sample(range(50), draw.randint(0, 9)) for user in range(40)}
    metric = asp.Representation(k=(3, -1), bins=5)
    for n_parts in (2, 7):
        check_law(Evaluation([metric], {"aspects": numbers}, None), lists, parts_of(lists, n_parts, draw), draw)


def test_activation_has_five_bins() -> None:
    """One number in each bin, in the list only those of the first two."""
    numbers = {"a": 0.0, "b": -0.25, "c": 0.5, "d": -0.75, "e": 1.0}
    assert asp.parse("Activation@2") == asp.Representation(k=2, bins=5)
    found = asp.evaluate({"u": ["b", "a"]}, "Activation(discount=none)@2", aspects=numbers)
    kinds = {item: [item] for item in numbers}
    assert (
        next(iter(found.values()))
        == asp.evaluate({"u": ["b", "a"]}, "Representation(discount=none)@2", aspects=kinds)["Representation(discount='none')@2"]
    )


@pytest.mark.parametrize(
    ("aspects", "message"),
    [
        ({"a": ["x"]}, "'x' is no number, which bins need"),
        ({"a": [math.inf]}, "inf is no number, which bins need"),
        ({"a": [1, 2], "b": [1]}, "item 'a' has several numbers, of which bins need one"),
    ],
)
def test_bins_need_one_number_per_item(aspects: Any, message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        asp.evaluate({"u": ["a", "b"]}, "Activation@2", aspects=aspects)
    with pytest.raises(asp.MetricError, match=r"bins is 1\.5, expected a whole number"):
        asp.Representation(bins=1.5)
