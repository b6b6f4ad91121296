"""alpha-nDCG against its definition in plain Python."""

import itertools
import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld, Pool, Unjudged, Way
from tests.strategies import (
    ALPHAS,
    CUTOFFS,
    EXACT_ALPHAS,
    FITTING_A_MASK,
    PROBABILITIES,
    REPEATS,
    UNJUDGED,
    WAYS,
    WAYS_OF_SOME_ASPECTS,
    build,
    check_same_bits,
    check_scores,
    check_weights_repeat,
    checked,
    with_some_weak_judgments,
    with_unused_aspects,
    world_of_many_aspects,
    world_of_many_items,
    worlds,
)

POOLS: st.SearchStrategy[Pool | None] = st.sampled_from([None, "judged", "catalogue", "unseen", "list"])
PROBABLE = worlds(weights_from=PROBABILITIES)
CLARKE = {"a": [2, 4], "b": [2], "c": [2], "d": [], "e": [1, 6], "f": [1], "g": [3], "h": [1], "i": [], "j": []}


def scores_of(items: list[Any], nuggets: dict[Any, list[int]], **parameters: Any) -> list[float]:
    """Scores of one list under subtopic judgments."""
    scores: list[float] = asp.AlphaNDCG(**parameters).scores(asp.World.of({"q": items}, subtopics={"q": nuggets}))[0].tolist()
    return scores


def reached_by(items: tuple[Any, ...], nuggets: dict[Any, list[int]], alpha: float) -> float:
    """DCG of a list."""
    world = asp.World.of({"q": list(items)}, subtopics={"q": nuggets})
    return float(asp.AlphaDCG(alpha=alpha).scores(world)[0, 0])


@checked(150)
@given(worlds(), CUTOFFS, ALPHAS, WAYS, POOLS, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, pool: Pool | None, unjudged: Unjudged
) -> None:
    metric = asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, pool=pool, unjudged=unjudged)
    check_scores(metric, world, lambda user, k: plain.alpha_ndcg(world, user, k, alpha=alpha, judged_by=way, pool=pool, unjudged=unjudged))


@checked(60)
@given(worlds(), CUTOFFS, ALPHAS, WAYS, UNJUDGED)
def test_sorted_ideal_follows_the_definition(world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, unjudged: Unjudged) -> None:
    metric = asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, ideal="sorted", unjudged=unjudged)
    check_scores(
        metric, world, lambda user, k: plain.alpha_ndcg(world, user, k, alpha=alpha, judged_by=way, ideal="sorted", unjudged=unjudged)
    )


@checked(80)
@given(PROBABLE, CUTOFFS, EXACT_ALPHAS, WAYS, st.sampled_from([1.0, 0.5, 0.25, 0.0]), st.sampled_from(["greedy", "sorted"]), st.booleans())
def test_probabilistic_gain_follows_the_definition(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, number: float, ideal: Literal["greedy", "sorted"], per_aspect: bool
) -> None:
    gamma: Any = {aspect: number / 2 ** (place % 3) for place, aspect in enumerate(world.place_of_aspect)} if per_aspect else number
    metric = asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, gain="probabilistic", gamma=gamma, ideal=ideal)
    check_scores(metric, world, lambda user, k: plain.alpha_ndcg(world, user, k, alpha=alpha, judged_by=way, gamma=gamma, ideal=ideal))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_ten_thousand_aspects(way: Way) -> None:
    world = world_of_many_aspects()
    metric = asp.AlphaNDCG(k=(3, 10, -1), alpha=0.75, judged_by=way)
    check_scores(metric, world, lambda user, k: plain.alpha_ndcg(world, user, k, alpha=0.75, judged_by=way))
    assert np.isfinite(metric.scores(build(world))).all()


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
@pytest.mark.parametrize("seed", range(8))
def test_many_ties(way: Way, seed: int) -> None:
    """A sum in another order, or a gain carried along instead of summed anew, would tie elsewhere."""
    world = world_of_many_items(seed)
    alpha = [0.5, 0.9, 0.75, 0.3][seed % 4]
    pool: Pool | None = None if seed < 4 else "unseen"
    metric = asp.AlphaNDCG(k=(5, 20, 40), alpha=alpha, judged_by=way, pool=pool)
    check_scores(metric, world, lambda user, k: plain.alpha_ndcg(world, user, k, alpha=alpha, judged_by=way, pool=pool))


@checked(40)
@given(worlds(weights=False), REPEATS, CUTOFFS, EXACT_ALPHAS, WAYS, POOLS)
def test_whole_weights_repeat_aspects(
    world: PlainWorld, times: list[int], k: tuple[int, ...], alpha: float, way: Way, pool: Pool | None
) -> None:
    check_weights_repeat(asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, pool=pool), world, times)


@checked(40)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS, POOLS)
def test_more_aspects_than_bits_in_a_mask_change_nothing(
    world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, pool: Pool | None
) -> None:
    check_same_bits(asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, pool=pool), world, with_unused_aspects(world))


@checked(40)
@given(worlds(strengths=False), CUTOFFS, ALPHAS, WAYS_OF_SOME_ASPECTS, POOLS)
def test_strengths_of_1_are_no_strengths(world: PlainWorld, k: tuple[int, ...], alpha: float, way: Way, pool: Pool | None) -> None:
    check_same_bits(asp.AlphaNDCG(k=k, alpha=alpha, judged_by=way, pool=pool), world, with_some_weak_judgments(world))


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.5, [1, 0.70986, 0.64874, 0.7707, 0.8760]),
        (0.0, [1, 0.8066, 0.8323, 0.8527, 0.9318]),
        (1.0, [1, 0.6131, 0.5317, 0.7373, 0.8259]),
    ],
)
def test_clarke_s_example(alpha: float, expected: list[float]) -> None:
    found = scores_of(list("abcdefghij"), CLARKE, k=(1, 2, 3, 5, 10), alpha=alpha)
    assert found[:3] == pytest.approx(expected[:3], abs=5e-6 if alpha == 0.5 else 5e-5)
    assert found[3:] == pytest.approx(expected[3:], abs=5e-5)


def test_gains_of_clarke_s_example() -> None:
    found = asp.gains({"q": list("abcdefghij")}, subtopics={"q": CLARKE})
    assert found.G.tolist() == [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4, 0, 0]
    assert found.ideal_DCG[:3].tolist() == pytest.approx([2, 3.26186, 3.76186], abs=5e-6)
    assert found.ideal_CG[:7].tolist() == [2, 4, 5, 5.5, 6, 6.25, 6.5]


def test_greedy_can_be_beaten_after_a_tie() -> None:
    nuggets = {1: [1, 3], 2: [2, 4], 3: [3, 4]}
    found = asp.gains({"q": [1, 2]}, subtopics={"q": nuggets})
    assert found.ideal_DCG[1] == pytest.approx(2.9464, abs=5e-5)
    assert found.DCG[1] == pytest.approx(3.2619, abs=5e-5)
    assert scores_of([1, 2], nuggets, k=2) == pytest.approx([1.107], abs=5e-4)


def test_greedy_can_be_beaten_without_a_tie() -> None:
    nuggets = {"a": [1, 2, 3, 5], "b": [2, 4, 5], "c": [4, 6], "d": [1, 2, 3, 5, 6]}
    greedy = asp.gains({"q": list("abcd")}, subtopics={"q": nuggets}, alpha=0.9).ideal_DCG[2]
    assert greedy == pytest.approx(5.8671, abs=5e-5)
    best = max(itertools.permutations(nuggets, 3), key=lambda items: reached_by(items, nuggets, 0.9))
    assert reached_by(best, nuggets, 0.9) == pytest.approx(5.8940, abs=5e-5)
    assert scores_of(list(best), nuggets, alpha=0.9, k=3) == pytest.approx([5.8940 / 5.8671], abs=5e-5)


def test_best_lists_are_not_nested() -> None:
    nuggets = {"a": [1, 4, 5, 7], "b": [2, 4, 6, 7], "c": [2, 3, 5, 6, 7], "d": [1, 5, 8]}
    best_two = max(itertools.permutations(nuggets, 2), key=lambda items: reached_by(items, nuggets, 0.5))
    extended = max(reached_by((*best_two, item), nuggets, 0.5) for item in nuggets if item not in best_two)
    best_three = max(reached_by(items, nuggets, 0.5) for items in itertools.permutations(nuggets, 3))
    assert [reached_by(best_two, nuggets, 0.5), extended, best_three] == pytest.approx([6.8928, 7.7678, 7.8273], abs=5e-5)


@pytest.mark.parametrize(
    ("genres", "parameters", "expected"),
    [
        ({"i": ["A"], "j": ["A", "B"]}, {"ideal": "sorted"}, 0.9134),
        ({"i": ["A"], "j": ["A", "B"]}, {"pool": "list"}, 0.8406),
        ({"i": ["A"], "j": ["A"], "k": ["A"]}, {"ideal": "sorted"}, 1.0),
    ],
)
def test_numbers_of_the_cornac_based_project(genres: dict[str, list[str]], parameters: dict[str, Any], expected: float) -> None:
    world = asp.World.of({"u": list(genres)}, aspects={**genres, "seen": ["A", "B"]}, history={"u": ["seen"]})
    metric = asp.AlphaNDCG(judged_by="history", **parameters)
    assert metric.scores(world)[0, 0] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("d9", "d10", 2.9464), ("d10", "d9", 3.2619), (9, 10, 3.2619), (10, 9, 2.9464), ("z", "é", 3.2619)],
)
def test_ties_go_to_the_largest_id(first: Any, second: Any, expected: float) -> None:
    """Text by its bytes, numbers by value. Starting with {1, 3} is better than starting with {3, 4}."""
    nuggets = {first: [3, 4], second: [1, 3], 1 if isinstance(first, int) else "a": [2, 4]}
    found = asp.gains({"q": [first, second]}, subtopics={"q": nuggets})
    assert found.ideal_DCG[1] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("way", ["subtopics", "relevance"])
def test_a_given_catalogue_bounds_the_pool_of_that_name(way: Way) -> None:
    world = asp.World.of(
        {"u": ["a"]},
        aspects={"a": ["x"], "b": ["x", "y"]},
        relevance={"u": ["a", "b"]},
        subtopics={"u": {"a": ["x"], "b": ["x", "y"]}},
        catalogue=["a"],
    )
    assert asp.AlphaNDCG(k=1, judged_by=way).scores(world).tolist() == [[0.5]]
    assert asp.AlphaNDCG(k=1, judged_by=way, pool="catalogue").scores(world).tolist() == [[1.0]]


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
def test_undefined_if_the_ideal_gains_nothing(way: Way) -> None:
    world = asp.World.of(
        {"u": ["a", "b"], "nobody": ["a"]},
        aspects={"a": [], "b": [], "c": [] if way == "membership" else ["x"]},
        relevance={"u": {"a": 1, "c": 0}},
        history={"u": ["a", "b"]},
        subtopics={"u": {"a": {"x": 0}}},
    )
    assert np.isnan(asp.AlphaNDCG(k=(1, -1), judged_by=way).scores(world)).all()


def test_an_empty_or_missing_list_scores_0() -> None:
    world = asp.World.of({"empty": []}, subtopics={"empty": {"a": ["x"]}, "missing": {"a": ["x"]}})
    assert asp.AlphaNDCG(k=(1, 5, -1)).scores(world).tolist() == [[0.0, 0.0, 0.0]] * 2


def test_sorted_ideal_of_lists_without_gain() -> None:
    world = asp.World.of(
        {"gains nothing": ["b"], "empty": [], "wants nothing": ["a"]},
        aspects={"a": ["x"], "b": ["y"]},
        history={"gains nothing": ["a"], "empty": ["a"]},
    )
    scores = asp.AlphaNDCG(judged_by="history", ideal="sorted").scores(world)[:, 0].tolist()
    assert scores[0] == 0.0
    assert math.isnan(scores[1])
    assert math.isnan(scores[2])


def test_judging_is_chosen_by_what_is_given() -> None:
    aspects, one = {"a": ["x"]}, {"u": ["a"]}
    chosen = [
        asp.AlphaNDCG().resolved(asp.Truth.read(aspects=aspects, **more)).judged_by
        for more in (
            {"subtopics": {"u": {"a": ["x"]}}, "history": one, "relevance": one},
            {"history": one, "relevance": one},
            {"relevance": one},
        )
    ]
    assert chosen == ["subtopics", "history", "relevance"]
