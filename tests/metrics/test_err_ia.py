"""ERR-IA against its definition in plain Python."""

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.intents import QUERY
from tests.plain import PlainWorld, Pool, Unjudged, Way
from tests.strategies import (
    CUTOFFS,
    FITTING_A_MASK,
    GRADES,
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
    worlds,
)

Intents = Literal["uniform", "given", "counts"]
Normalize = Literal["perfect", "pyndeval", "ideal"] | None
STOPS = st.sampled_from([0.5, 0.25, 0.75, 0.9, 1.0])
NORMALIZED: st.SearchStrategy[Normalize] = st.sampled_from([None, "perfect", "pyndeval", "ideal"])
POOLS: st.SearchStrategy[Pool | None] = st.sampled_from([None, "judged", "catalogue", "unseen", "list"])
GRADED_WAYS: st.SearchStrategy[Way] = st.sampled_from(["subtopics", "relevance"])


def uniform_or_given(world: PlainWorld) -> Intents:
    """What is taken if nothing is said."""
    return "uniform" if world.weights is None else "given"


@checked(100)
@given(worlds(), CUTOFFS, STOPS, WAYS, st.booleans(), NORMALIZED, POOLS, UNJUDGED)
def test_scores_follow_the_definition(
    world: PlainWorld,
    k: tuple[int, ...],
    stop: float,
    way: Way,
    uniform: bool,
    normalize: Normalize,
    pool: Pool | None,
    unjudged: Unjudged,
) -> None:
    parameters: Any = {"stop": stop, "judged_by": way, "normalize": normalize, "unjudged": unjudged}
    parameters["pool"] = pool if normalize == "ideal" else None  # nothing else has a pool
    metric = asp.ERRIA(k=k, intents="uniform" if uniform else None, **parameters)
    intents = "uniform" if uniform else uniform_or_given(world)
    check_scores(metric, world, lambda user, k: plain.err_ia(world, user, k, intents=intents, **parameters))


@checked(60)
@given(worlds(), CUTOFFS, STOPS, st.sampled_from(["relevance", "history", "membership"]), NORMALIZED)
def test_counted_intents_follow_the_definition(world: PlainWorld, k: tuple[int, ...], stop: float, way: Way, normalize: Normalize) -> None:
    parameters: Any = {"stop": stop, "judged_by": way, "normalize": normalize, "intents": "counts"}
    check_scores(asp.ERRIA(k=k, **parameters), world, lambda user, k: plain.err_ia(world, user, k, **parameters))


@checked(80)
@given(worlds(), CUTOFFS, GRADED_WAYS, st.sampled_from([None, 3.0, 4.0]), NORMALIZED, UNJUDGED)
def test_grades_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], way: Way, max_grade: float | None, normalize: Normalize, unjudged: Unjudged
) -> None:
    assert max(GRADES) <= 3.0
    parameters: Any = {"judged_by": way, "grades": True, "max_grade": max_grade, "normalize": normalize, "unjudged": unjudged}
    intents = uniform_or_given(world)
    check_scores(asp.ERRIA(k=k, **parameters), world, lambda user, k: plain.err_ia(world, user, k, stop=0.5, intents=intents, **parameters))


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
@pytest.mark.parametrize("normalize", [None, "ideal"])
def test_ten_thousand_aspects(way: Way, normalize: Normalize) -> None:
    world = world_of_many_aspects()
    parameters: Any = {"stop": 0.75, "judged_by": way, "normalize": normalize}
    metric = asp.ERRIA(k=(3, 10, -1), **parameters)
    check_scores(metric, world, lambda user, k: plain.err_ia(world, user, k, intents="uniform", **parameters))
    assert (metric.scores(build(world)) > 0).any()


@checked(30)
@given(worlds(weights=False), REPEATS, CUTOFFS, st.sampled_from([0.5, 0.25, 1.0]), WAYS, NORMALIZED)
def test_whole_weights_repeat_aspects(
    world: PlainWorld, times: list[int], k: tuple[int, ...], stop: float, way: Way, normalize: Normalize
) -> None:
    check_weights_repeat(asp.ERRIA(k=k, stop=stop, judged_by=way, normalize=normalize), world, times)


@checked(30)
@given(worlds(weights=False, strengths=False, n_aspects=FITTING_A_MASK), CUTOFFS, STOPS, WAYS_OF_SOME_ASPECTS, NORMALIZED)
def test_more_aspects_than_bits_in_a_mask_change_nothing(
    world: PlainWorld, k: tuple[int, ...], stop: float, way: Way, normalize: Normalize
) -> None:
    check_same_bits(asp.ERRIA(k=k, stop=stop, judged_by=way, normalize=normalize), world, with_unused_aspects(world))


@checked(30)
@given(worlds(strengths=False), CUTOFFS, STOPS, WAYS_OF_SOME_ASPECTS, NORMALIZED)
def test_strengths_of_1_are_no_strengths(world: PlainWorld, k: tuple[int, ...], stop: float, way: Way, normalize: Normalize) -> None:
    check_same_bits(asp.ERRIA(k=k, stop=stop, judged_by=way, normalize=normalize), world, with_some_weak_judgments(world))


def test_relison_s_example() -> None:
    communities = {1: [0], 2: [0], 3: [1], 4: [2]}
    world = asp.World.of({"u": [1, 2, 3]}, aspects=communities, relevance={"u": [1, 2, 3]}, history={"u": [4]})
    metric = asp.ERRIA(k=3, judged_by="relevance", intents="counts")
    assert metric.scores(world)[0, 0] == pytest.approx(0.354167, abs=5e-7)


def test_nobody_s_intents_are_uniform_over_all_aspects() -> None:
    aspects = {"a": ["x"], "b": ["y"], "c": []}
    world = asp.World.of({"u": ["a"], "v": ["a"]}, aspects=aspects, relevance={"u": ["c"]}, history={"v": ["a"]})
    metric = asp.ERRIA(k=1, judged_by="membership", intents="counts")
    assert metric.scores(world)[:, 0].tolist() == [0.5 / 2, 0.5]


def test_counted_intents_only_weigh_what_counts() -> None:
    """Judged by history, an aspect outside the history counts for nothing, even if a relevant item has it."""
    world = asp.World.of({"u": ["b"]}, aspects={"a": ["x"], "b": ["y"]}, relevance={"u": ["b"]}, history={"u": ["a"]})
    assert asp.ERRIA(k=1, judged_by="history", intents="counts").scores(world).tolist() == [[0.0]]


def test_a_relevant_item_of_grade_0_satisfies_nobody() -> None:
    world = asp.World.of({"u": ["a", "b"]}, aspects={"a": ["x"], "b": ["x"]}, relevance={"u": {"a": 0, "b": 1}}, threshold=0)
    assert asp.ERRIA(k=2, judged_by="relevance", grades=True).scores(world).tolist() == [[0.5 / 2]]


def test_undefined_without_an_attainable_aspect() -> None:
    world = asp.World.of({"u": ["a"], "empty": []}, subtopics={"u": {"a": {"x": 0}}, "empty": {"a": {"x": 1}}})
    for normalize in (None, "perfect", "pyndeval", "ideal"):
        undefined, empty = asp.ERRIA(k=1, normalize=normalize).scores(world)[:, 0].tolist()
        assert math.isnan(undefined)
        assert empty == 0.0


def test_given_intents_need_weights() -> None:
    with pytest.raises(asp.MissingInput, match="weights"):
        asp.ERRIA(intents="given").scores(asp.World.of({"q": ["a"]}, subtopics={"q": {"a": ["x"]}}))


def test_the_largest_grade_is_that_of_all_users() -> None:
    """Whoever is asked first: it used to be the largest of the part of the world that came first."""

    def world() -> asp.World:
        return asp.World.of({"a": ["x"], "b": ["y"]}, subtopics=[("a", "s", "x", 1), ("b", "s", "y", 3)])

    metric = asp.ERRIA(k=1, grades=True)
    whole, parts = world(), world()
    assert metric.scores(whole).tolist() == [[0.125], [0.875]]
    assert metric.scores(parts.slice(0, 1)).tolist() == [[0.125]]
    assert metric.scores(parts).tolist() == [[0.125], [0.875]]
    fresh = world()
    (a,), (b,) = metric.observe(fresh.slice(0, 1)), metric.observe(fresh.slice(1, 2))
    assert [a + b] == metric.observe(world())


@checked(80)
@given(worlds(), CUTOFFS, GRADED_WAYS, st.booleans(), st.sampled_from([None, 3.0, 4.0]), st.booleans(), UNJUDGED)
def test_largest_grades_of_intents_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], way: Way, linear: bool, max_grade: float | None, ideal: bool, unjudged: Unjudged
) -> None:
    parameters: Any = {"judged_by": way, "unjudged": unjudged}
    metric = asp.ERRIA(
        k=k,
        grades="linear" if linear else True,
        max_grade="intent" if max_grade is None else max_grade,
        normalize="ideal" if ideal else None,
        **parameters,
    )
    expected: Any = {**parameters, "linear": linear, "max_grade": max_grade, "ideal": ideal}
    check_scores(metric, world, lambda user, k: plain.err_ia_of_grades(world, user, k, **expected))


def test_ntcireval_s_grades() -> None:
    """R = g / (g_max + 1), where g_max is that of the intent; exponential grades for comparison."""
    world = asp.World.of(**QUERY)
    assert asp.ERRIA(k=3, grades="linear").scores(world)[0, 0] == pytest.approx(0.332407, abs=1e-6)
    assert asp.ERRIA(k=3, grades=True, max_grade="intent").scores(world)[0, 0] == pytest.approx(0.302083, abs=1e-6)
    assert asp.ERRIA(k=3, grades="linear", max_grade=3).scores(world)[0, 0] == pytest.approx(
        0.5 * (1 / 4 + 3 / 4 * 1 / 2 / 3) + 0.3 * (1 / 4) / 2 + 0.2 * (1 / 4) / 3, abs=1e-15
    )


@pytest.mark.parametrize("normalize", ["perfect", "pyndeval"])
def test_a_perfect_list_has_one_largest_grade(normalize: Any) -> None:
    with pytest.raises(asp.MetricError, match=f"normalize={normalize} needs one largest grade"):
        asp.ERRIA(grades="linear", normalize=normalize)
    with pytest.raises(asp.MetricError, match=f"normalize={normalize} needs one largest grade"):
        asp.ERRIA(grades=True, max_grade="intent", normalize=normalize)
    world = asp.World.of({"q": ["a", "b"]}, subtopics=[("q", 1, "a", 2), ("q", 1, "b", 2)])
    perfect = asp.ERRIA(k=2, grades="linear", max_grade=2, normalize=normalize)
    assert perfect.scores(world).tolist() == [[1.0]]


def test_grades_need_judgments_with_grades() -> None:
    world = asp.World.of({"u": ["a"]}, aspects={"a": ["x"]}, history={"u": ["a"]})
    for grades, max_grade in ((True, None), (True, 4), ("linear", None)):
        with pytest.raises(asp.InputError, match="grades need judged_by='subtopics' or 'relevance', not 'history'"):
            asp.ERRIA(judged_by="history", grades=grades, max_grade=max_grade).scores(world)  # type: ignore[arg-type]
