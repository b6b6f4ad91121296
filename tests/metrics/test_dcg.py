"""DCG against its definition in plain Python."""

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, worlds

Gain = Literal["linear", "exponential"]
Discount = Literal["log", "none"]
GAINS: st.SearchStrategy[Gain] = st.sampled_from(["linear", "exponential"])
DISCOUNTS: st.SearchStrategy[Discount] = st.sampled_from(["log", "none"])


@checked(80)
@given(worlds(), CUTOFFS, GAINS, st.sampled_from([2.0, math.e, 10.0, 1.5]), DISCOUNTS)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], gain: Gain, base: float, discount: Discount) -> None:
    parameters: Any = {"gain": gain, "base": base, "discount": discount}
    check_scores(asp.DCG(k=k, **parameters), world, lambda user, k: plain.dcg(world, user, k, **parameters))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [3.0, 3.0 + 1 / math.log2(3)]),
        ({"gain": "exponential"}, [7.0, 7.0 + 1 / math.log2(3)]),
        ({"discount": "none"}, [3.0, 4.0]),
        ({"base": 4}, [3.0 / math.log(2, 4), 3.0 / math.log(2, 4) + 1 / math.log(3, 4)]),
    ],
)
def test_two_graded_items(parameters: dict[str, Any], expected: list[float]) -> None:
    world = asp.World.of({"u": ["a", "b"]}, relevance={"u": {"a": 3, "b": 1}})
    assert asp.DCG(k=(1, 2), **parameters).scores(world)[0].tolist() == pytest.approx(expected, abs=1e-14)


def test_undefined_without_a_positive_grade() -> None:
    world = asp.World.of(
        {"zero": ["a"], "none": ["a"], "elsewhere": ["a"], "empty": []},
        relevance={"zero": {"a": 0}, "elsewhere": {"b": 1}, "empty": {"a": 1}},
    )
    scores = asp.DCG(k=1).scores(world)[:, 0].tolist()
    assert [math.isnan(score) for score in scores] == [True, True, False, False]
    assert scores[2:] == [0.0, 0.0]


def test_a_grade_too_large_for_an_exponential_gain_is_named() -> None:
    with pytest.raises(asp.InputError, match="2000"):
        asp.DCG(gain="exponential").scores(asp.World.of({"u": ["a"]}, relevance={"u": {"a": 2000}}))
