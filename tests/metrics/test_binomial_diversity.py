"""Binomial diversity against its definition in plain Python."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PlainWorld, cut
from tests.strategies import CUTOFFS, check_same_bits, check_scores, checked, world_of_many_aspects, world_of_many_items, worlds

PARAMETERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([0.5, 0.0, 0.9, 1.0]),
        "part": st.sampled_from(["product", "coverage", "non_redundancy"]),
        "root": st.sampled_from(["shown", "all"]),
        "missing": st.sampled_from(["undefined", "everybody"]),
    }
)


def tail(p: Fraction, n: int, k: int) -> Fraction:
    """P(X >= k | X > 0)."""
    if p == 0:
        return Fraction(k == 1)

    def at_least(least: int) -> Fraction:
        return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(least, n + 1)), Fraction(0))

    return at_least(k) / at_least(1)


def binomial_diversity(
    world: PlainWorld, user: Id, k: int, *, alpha: float = 0.5, part: str = "product", root: str = "shown", missing: str = "undefined"
) -> float:
    shown, own = cut(world.rankings.get(user, []), k), world.history.get(user, set())
    everybody = [item for items in world.history.values() for item in items]
    weight = Fraction(alpha) if own or missing == "undefined" else Fraction(0)
    if not shown or (weight > 0 and not own) or (weight < 1 and not everybody):
        return plain.UNDEFINED

    def share(aspect: Id, items: Any) -> Fraction:
        return Fraction(sum(aspect in world.aspects.get(item, {}) for item in items), max(len(items), 1))

    coverage, repeated, n_shown = 1.0, 1.0, 0
    n_aspects = len(world.known_aspects)
    for aspect in world.known_aspects:
        p = weight * share(aspect, own) + (1 - weight) * share(aspect, everybody)
        count = sum(aspect in world.aspects.get(item, {}) for item in shown)
        if count == 0:
            coverage *= float((1 - p) ** len(shown)) ** (1 / n_aspects)
        else:
            n_shown += 1
            repeated *= float(tail(p, len(shown), count))
    non_redundancy = repeated ** (1 / (n_shown if root == "shown" else n_aspects)) if n_shown else 0.0
    return {"product": coverage * non_redundancy, "coverage": coverage, "non_redundancy": non_redundancy}[part]


@checked(200)
@given(worlds(weights=False), CUTOFFS, PARAMETERS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], parameters: dict[str, Any]) -> None:
    check_scores(asp.BinomialDiversity(k=k, **parameters), world, lambda user, k: binomial_diversity(world, user, k, **parameters))


@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_long_lists(alpha: float) -> None:
    world = world_of_many_items(2)
    check_scores(asp.BinomialDiversity(k=(1, 20, -1), alpha=alpha), world, lambda user, k: binomial_diversity(world, user, k, alpha=alpha))


def test_many_aspects() -> None:
    world = world_of_many_aspects(2000)
    metric = asp.BinomialDiversity(k=(3, -1))
    found = metric.scores(
        asp.World.of(world.rankings, aspects=world.aspects, history={user: list(had) for user, had in world.history.items()})
    )
    for row, user in zip(found.tolist(), world.rankings, strict=True):
        assert row == pytest.approx([binomial_diversity(world, user, k) for k in metric.cutoffs], rel=1e-9)


@checked(30)
@given(worlds(weights=False), CUTOFFS)
def test_strengths_do_not_count(world: PlainWorld, k: tuple[int, ...]) -> None:
    plainly = {item: dict.fromkeys(has, 1.0) for item, has in world.aspects.items()}
    same = PlainWorld(world.rankings, plainly, world.relevance, world.history, world.subtopics, None, world.catalogue)
    check_same_bits(asp.BinomialDiversity(k=k), world, same)


TOY = asp.World.of(toy.LISTS, aspects=toy.ASPECTS, history=toy.HISTORY)


def test_toy_world() -> None:
    """u1 is shown x and y once, z twice, of which z has a probability of 1/9."""
    assert float(tail(Fraction(1, 9), 3, 2)) == pytest.approx(0.11521, abs=5e-6)
    for part, expected in (("product", 0.486587), ("coverage", 1.0), ("non_redundancy", 0.486587)):
        assert asp.BinomialDiversity(k=3, part=part).scores(TOY)[0, 0] == pytest.approx(expected, abs=1e-6)  # type: ignore[arg-type]


def test_a_user_without_a_history() -> None:
    """Undefined; RankSys takes the shares of everybody."""
    inputs: dict[str, Any] = {"aspects": toy.ASPECTS, "history": toy.HISTORY}
    world = asp.World.of({"new": ["d", "e", "f"]}, **inputs)
    assert math.isnan(asp.BinomialDiversity().scores(world)[0, 0])
    own = asp.BinomialDiversity(missing="everybody").scores(world)[0, 0]
    assert own == asp.BinomialDiversity(alpha=0.0).scores(world)[0, 0] == pytest.approx(0.620012, abs=1e-6)


def test_what_is_never_missing_must_be_shown() -> None:
    """Every earlier item has x: a list without it covers nothing, and one with it is not redundant."""
    inputs: dict[str, Any] = {"aspects": {"a": ["x"], "b": ["x", "y"], "c": ["y"]}, "history": {"u": ["a", "b"], "v": ["a"]}}
    for alpha in (0.0, 0.3, 0.7, 0.1, 0.9, 1.0):
        scores = asp.BinomialDiversity(alpha=alpha, part="coverage").scores(asp.World.of({"u": ["c"], "v": ["a", "b"]}, **inputs))
        assert scores[:2, 0].tolist() == [0.0, 1.0]
        redundant = asp.BinomialDiversity(alpha=alpha, part="non_redundancy").scores(asp.World.of({"v": ["a"]}, **inputs))
        assert redundant[0, 0] == 1.0


def test_what_is_never_there() -> None:
    """An aspect of no earlier item may be shown once; twice is redundant."""
    inputs: dict[str, Any] = {"aspects": {"a": ["x"], "b": ["y"], "c": ["y"]}, "history": {"u": ["a"]}}
    scores = asp.BinomialDiversity(k=(1, 2), part="non_redundancy").scores(asp.World.of({"u": ["b", "c"]}, **inputs))
    assert scores.tolist() == [[1.0, 0.0]]


def test_undefined() -> None:
    world = asp.World.of({"u": [], "v": ["g"], "w": ["unheard of"]}, aspects=toy.ASPECTS, history={"u": ["a"], "v": ["a"], "w": ["b", "c"]})
    scores = asp.BinomialDiversity().scores(world)[:, 0].tolist()
    assert math.isnan(scores[0])
    assert scores[1:3] == [0.0, 0.0]  # nothing shown
    coverage = asp.BinomialDiversity(part="coverage").scores(world)[:, 0].tolist()
    assert 0 < coverage[1] < 1
    assert 0 < coverage[2] < 1


def test_only_liked_rows_count() -> None:
    history = asp.History(np.array([0, 2]), np.array([0, 1]), np.array([True, False]))
    aspects = asp.Aspects(np.array([0, 1, 2]), np.array([0, 1]), 2)
    lists = asp.Rankings(np.array([0, 1]), np.array([0]))
    assert asp.BinomialDiversity().scores(asp.World(lists, aspects=aspects, history=history))[0, 0] == 1.0
    everything = asp.History(np.array([0, 2]), np.array([0, 1]))
    assert asp.BinomialDiversity().scores(asp.World(lists, aspects=aspects, history=everything))[0, 0] == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 1.5}, "alpha is 1.5, expected 0 to 1"),
        ({"part": "both"}, "expected 'product' or 'coverage' or 'non_redundancy'"),
        ({"root": "k"}, "expected 'shown' or 'all'"),
        ({"missing": "zero"}, "expected 'undefined' or 'everybody'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.BinomialDiversity(**parameters)
