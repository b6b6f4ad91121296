"""Expected intra-list diversity against its definition in plain Python."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import aspectrum as asp
from aspectrum.metrics.eild import EILD
from tests import plain, toy
from tests.plain import Distance, Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, inputs_of, worlds

WORLDS = worlds(features=True, weights=False, strengths=False, n_aspects=[1])
DISTANCES: st.SearchStrategy[Distance] = st.sampled_from(["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming"])
DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from([("log", 0.85), ("none", 0.85), ("reciprocal", 0.85), ("geometric", 0.9)])
RELEVANCE: st.SearchStrategy[Any] = st.sampled_from(["binary", "graded", "none", "informfully"])
RELATIVE: st.SearchStrategy[Any] = st.sampled_from([True, False, "further"])


def eild(
    world: PlainWorld, user: Id, k: int, *, discount: tuple[str, float], relevance: str, relative: Any, distance: Distance, missing: str
) -> float:
    kind, patience = discount

    def disc(rank: int) -> float:
        factors = {"log": plain.log2_discount(rank), "none": 1.0, "reciprocal": 1 / rank, "geometric": patience ** (rank - 1)}
        return factors[kind]

    def weight(j: int, other: int) -> float:
        """Of another rank, as seen from rank j."""
        if relative is False:
            return disc(other)
        return disc(max(1, other - j)) if relative is True else disc(1 + max(0, other - j))

    features = {one: vector for one, vector in (world.features or {}).items() if any(vector) or distance not in ("cosine", "jaccard")}
    shown = dict(enumerate(plain.cut(world.rankings.get(user, []), k), 1))
    grades = {rank: max(world.relevance.get(user, {}).get(item, 0.0), 0.0) for rank, item in shown.items()}
    highest, largest = max(grades.values(), default=0.0), plain.largest_grade(world, "relevance")
    probabilities = {
        "none": lambda rank: 1.0,
        "binary": lambda rank: float(shown[rank] in plain.relevant_items(world, user)),
        "graded": lambda rank: (2 ** grades[rank] - 1) / 2 ** (largest if largest > 0 else 1.0),
        "informfully": lambda rank: 2 ** max(0.0, grades[rank] - 1) / 2 ** max(0.0, highest - 1),
    }
    relevant = {rank: probabilities[relevance](rank) for rank in shown}
    usable = [rank for rank, item in shown.items() if item in features]
    if relevance in ("binary", "graded") and not plain.relevant_items(world, user):
        return math.nan
    if missing == "skip" and len(usable) < 2:
        return math.nan
    total = 0.0
    for j in usable:
        weights = {other: weight(j, other) * relevant[other] for other in usable if other != j}
        distances = {other: plain.distance_between(features[shown[j]], features[shown[other]], distance) for other in weights}
        below = math.fsum(weights.values())
        if below > 0:
            total += disc(j) * relevant[j] * math.fsum(weights[other] * distances[other] for other in weights) / below
    return plain.ratio(total, math.fsum(disc(rank) for rank in (usable if missing == "skip" else shown)))


@checked(250)
@given(WORLDS, CUTOFFS, DISCOUNTS, RELEVANCE, RELATIVE, DISTANCES, st.sampled_from(["skip", "zero"]))
def test_scores_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], discount: Any, relevance: Any, relative: Any, distance: Distance, missing: Any
) -> None:
    shared: Any = {"relevance": relevance, "relative": relative, "distance": distance, "missing": missing}
    metric = EILD(k=k, discount=discount[0], patience=discount[1], **shared)
    check_scores(metric, world, lambda user, k: eild(world, user, k, discount=discount, **shared))


@checked(40)
@given(WORLDS.filter(lambda world: bool(world.features)), CUTOFFS, DISTANCES, RELATIVE)
def test_sparse_vectors_score_as_dense_ones(world: PlainWorld, k: tuple[int, ...], distance: Distance, relative: Any) -> None:
    assert world.features is not None
    inputs = inputs_of(world)
    inputs["features"] = (list(world.features), sparse.csr_array(np.array(list(world.features.values()))))
    metric = EILD(k=k, distance=distance, relative=relative)
    np.testing.assert_allclose(metric.scores(asp.World.of(**inputs)), metric.scores(build(world)), rtol=1e-12, atol=1e-12)


@checked(40)
@given(WORLDS, CUTOFFS, DISTANCES)
def test_without_rank_and_relevance_it_is_intra_list_diversity(world: PlainWorld, k: tuple[int, ...], distance: Distance) -> None:
    built = build(world)
    found = EILD(k=k, distance=distance, discount="none", relevance="none").scores(built)
    np.testing.assert_allclose(found, asp.ILD(k=k, distance=distance).scores(built), rtol=1e-12, atol=1e-12)


def test_by_hand() -> None:
    world = asp.World.of(toy.LISTS, features=toy.FEATURES)
    second = 1 / math.log2(3)  # distances .04, .2 and .4
    first = (0.04 + second * 0.2) / (1 + second)
    assert first == pytest.approx(0.101897, abs=1e-6)
    expected = (first + second * 0.22 + 0.5 * 0.3) / (1 + second + 0.5)
    assert EILD(k=3).scores(world)[0, 0] == pytest.approx(expected, abs=1e-14)
    assert EILD(k=3).scores(world)[0, 0] == pytest.approx(0.183348, abs=1e-6)


def test_numbers_of_ranksys() -> None:
    """An item without features keeps its discount; one item scores 0."""
    world = asp.World.of(toy.LISTS, features=toy.FEATURES)
    assert EILD(k=3).scores(world)[1, 0] == pytest.approx(0.2, abs=1e-14)
    assert EILD(k=3, missing="zero").scores(world)[1, 0] == pytest.approx(0.153072, abs=1e-6)
    uneven = asp.World.of(toy.UNEVEN, features=toy.FEATURES)
    assert math.isnan(EILD(k=3).scores(uneven)[1, 0])
    assert EILD(k=3, missing="zero").scores(uneven)[1, 0] == 0.0


def test_gains_of_informfully_by_hand() -> None:
    """Without a grade as with grade 1, and relative to the best of the top k."""
    world = asp.World.of({"u": ["d", "e", "f"]}, features=toy.FEATURES, relevance={"u": {"f": 3}})
    metric = EILD(k=(2, 3), relevance="informfully", relative="further", discount="geometric", patience=0.9)
    found = metric.scores(world)[0].tolist()
    assert found[0] == pytest.approx(0.04, abs=1e-14)
    first = (0.9 * 0.04 + 0.81 * 4 * 0.2) / (0.9 + 0.81 * 4)
    second = (0.04 + 0.9 * 4 * 0.4) / (1 + 0.9 * 4)
    third = (0.2 + 0.4) / 2
    expected = (first / 4 + 0.9 * second / 4 + 0.81 * third) / (1 + 0.9 + 0.81)
    assert found[1] == pytest.approx(expected, abs=1e-14)


def test_undefined() -> None:
    features: Any = {"a": [1, 0], "b": [0, 1], "zero": [0, 0]}
    lists: dict[str, list[str]] = {"empty": [], "one": ["a"], "one with features": ["a", "zero", "new"], "one relevant": ["a", "b"]}
    world = asp.World.of(lists, features=features)
    found = EILD().scores(world)[:, 0].tolist()
    assert [math.isnan(score) for score in found] == [True, True, True, False]
    relevance: Any = {"one relevant": ["a"], "one": {"a": 0}}
    judged = EILD(missing="zero").scores(asp.World.of(lists, features=features, relevance=relevance))[:, 0].tolist()
    assert [None if math.isnan(score) else score for score in judged] == [None, None, None, 0.0]


def test_names_and_what_is_refused() -> None:
    assert asp.parse("EILD(relative=further)@3") == EILD(k=3, relative="further")
    assert asp.parse("EILD(relative=false)@3") == EILD(k=3, relative=False)
    assert asp.parse("Expected intra-list diversity@3") == EILD(k=3)
    with pytest.raises(asp.MetricError, match="patience goes with discount=geometric only"):
        EILD(patience=0.5)
    with pytest.raises(asp.MetricError, match="expected 'further' or true or false"):
        EILD(relative="nearer")  # type: ignore[arg-type]
    with pytest.raises(asp.InputError, match="too large for a gain"):
        asp.evaluate({"u": ["a"]}, "EILD(relevance=informfully)", features={"a": [1, 0]}, relevance={"u": {"a": 2000}})
