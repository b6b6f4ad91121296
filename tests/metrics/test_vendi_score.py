"""Vendi score against its definition, with the eigenvalues of LAPACK."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import aspectrum as asp
from aspectrum.metrics.vendi_score import VendiScore
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, checked, inputs_of, worlds

WORLDS = worlds(features=True, weights=False, strengths=False, n_aspects=[1])
ORDERS: st.SearchStrategy[Any] = st.sampled_from([1, 2, 0.5, 3, 10, "inf"])


def vendi(vectors: npt.NDArray[Any], q: Any) -> float:
    if not len(vectors):
        return math.nan
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    eigenvalues = [x for x in np.linalg.eigvalsh(unit @ unit.T / len(unit)).tolist() if x >= 1e-15 * len(unit)]
    if q == "inf":
        return float(1 / max(eigenvalues))
    if q == 1:
        return math.exp(-math.fsum(x * math.log(x) for x in eigenvalues))
    return float(math.fsum(x**q for x in eigenvalues) ** (1 / (1 - q)))


def shown(world: PlainWorld, user: Id, k: int) -> npt.NDArray[Any]:
    features = {item: vector for item, vector in (world.features or {}).items() if any(vector)}
    return np.array([features[item] for item in plain.cut(world.rankings.get(user, []), k) if item in features])


def check(metric: VendiScore, built: asp.World, world: PlainWorld) -> None:
    found = metric.scores(built)
    for row, user in enumerate(built.users):
        assert isinstance(user, int | str)
        expected = [vendi(shown(world, user, k), metric.q) for k in metric.cutoffs]
        # An eigenvalue near the limit of rounding may be on either side of it, and below order 1 it is felt.
        tolerance = 1e-6 if isinstance(metric.q, float) and metric.q < 1 else 1e-12
        assert found[row].tolist() == pytest.approx(expected, rel=tolerance, nan_ok=True)


@checked(150)
@given(WORLDS, CUTOFFS, ORDERS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], q: Any) -> None:
    check(VendiScore(k=k, q=q), build(world), world)


@checked(40)
@given(WORLDS.filter(lambda world: bool(world.features)), CUTOFFS, ORDERS)
def test_sparse_vectors_score_as_dense_ones(world: PlainWorld, k: tuple[int, ...], q: Any) -> None:
    assert world.features is not None
    inputs = inputs_of(world)
    inputs["features"] = (list(world.features), sparse.csr_array(np.array(list(world.features.values()))))
    check(VendiScore(k=k, q=q), asp.World.of(**inputs), world)


@pytest.mark.parametrize("q", [1, 2, 0.5, 5, "inf"])
@pytest.mark.parametrize("width", [1, 3, 8, 40, 200])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 40, 120])
def test_lists_of_any_length_in_any_number_of_dimensions(n: int, width: int, q: Any) -> None:
    """More items than dimensions, or fewer; with equal and nearly equal items."""
    random = np.random.default_rng(n * 1000 + width)
    vectors = random.normal(size=(n, width))
    vectors[1:2] = vectors[:1]
    vectors[2:3] = vectors[:1] + 1e-3 * random.normal(size=width)
    world = asp.World.of({"u": range(n)}, features=vectors)
    assert VendiScore(q=q).scores(world)[0, 0] == pytest.approx(vendi(vectors, q), rel=1e-6 if q == 0.5 else 1e-11)
    as_sparse = asp.World.of({"u": range(n)}, features=(range(n), sparse.csr_array(vectors)))
    assert VendiScore(q=q).scores(as_sparse)[0, 0] == pytest.approx(vendi(vectors, q), rel=1e-6 if q == 0.5 else 1e-11)


@pytest.mark.parametrize(("q", "expected"), [(1, 1.497064), (2, 1.315174), ("inf", 1.161708)])
def test_numbers_of_vendi_score(q: Any, expected: float) -> None:
    world = asp.World.of(toy.LISTS, features=toy.FEATURES)
    assert VendiScore(k=3, q=q).scores(world)[0, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("q", [0, 0.25, 1, 2, 1000, 1e6, "inf"])
def test_copies_of_different_items(q: Any) -> None:
    """Six directions, three times each, are six items; q = 0 counts them, and no eigenvalue of rounding."""
    random = np.random.default_rng(1)
    basis = np.linalg.qr(random.normal(size=(30, 30)))[0][:6]
    vectors = np.concatenate([basis, 3 * basis, 0.1 * basis])[random.permutation(18)]
    world = asp.World.of({"u": range(18)}, features=vectors)
    assert VendiScore(q=q).scores(world)[0, 0] == pytest.approx(6, rel=1e-9)


def test_equal_items_are_one_and_never_less() -> None:
    vector = np.random.default_rng(2).normal(size=20)
    world = asp.World.of({"u": range(7)}, features=np.outer(np.arange(1, 8), vector))
    for q in (0.0, 0.5, 1.0, 2.0, "inf"):
        scores = VendiScore(k=(1, 2, 7), q=q).scores(world)[0]
        assert scores.tolist() == pytest.approx([1, 1, 1], abs=1e-9)
        assert (scores >= 1).all()


def test_a_user_s_score_does_not_depend_on_others_nor_on_cutoffs() -> None:
    random = np.random.default_rng(3)
    lists = {user: random.permutation(50)[: random.integers(1, 30)].tolist() for user in range(40)}
    features = random.normal(size=(50, 12)).astype(np.float32)
    together = VendiScore(k=(5, 20, -1)).scores(asp.World.of(lists, features=features))
    for user, items in lists.items():
        for place, k in enumerate((5, 20, -1)):
            alone = VendiScore(k=k).scores(asp.World.of({user: items}, features=features))
            assert alone[0, 0].hex() == together[user, place].hex()


def test_undefined_without_features_and_counted() -> None:
    lists: dict[str, list[str]] = {"empty": [], "none": ["new", "zero"], "one": ["a", "zero"]}
    features: Any = {"a": [1, 0], "zero": [0, 0]}
    found = VendiScore().scores(asp.World.of(lists, features=features))[:, 0].tolist()
    assert [None if math.isnan(score) else score for score in found] == [None, None, 1.0]
    results = asp.evaluate(lists, "VendiScore@2", features=features)
    assert results.details["VendiScore@2"]["places_without_features"] == 3


def test_the_text_form_of_an_infinite_order() -> None:
    infinite = VendiScore(k=3, q="inf")
    assert VendiScore(k=3, q=math.inf) == infinite == asp.parse("VendiScore(q=inf)@3") == asp.parse(str(infinite))
    assert asp.parse("Vendi(q=2)@3") == VendiScore(k=3, q=2)


@pytest.mark.parametrize(("q", "message"), [(-1, "q is -1, expected a number from 0, or inf"), ("many", "expected 'inf' or a number")])
def test_orders_that_are_refused(q: Any, message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        VendiScore(q=q)
    with pytest.raises(asp.MetricError, match="q is nan"):
        VendiScore(q=math.nan)
