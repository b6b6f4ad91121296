"""NDKL against its definition in plain Python."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics import ndkl as module
from aspectrum.metrics.ndkl import NDKL
from tests.groups import GROUP_WORLDS, distribution, exposure, target_of, toy_scores
from tests.plain import Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, check_scores, checked

TARGETS: st.SearchStrategy[Any] = st.sampled_from(["catalogue", "relevant", "uniform", "list"])


def ndkl(world: PlainWorld, user: Id, k: int, metric: NDKL) -> float:
    shown = cut(world.rankings.get(user, []), k)
    wanted = target_of(world, user, str(metric.target), k)
    total = weights = 0.0
    for i in range(1, len(shown) + 1):
        has = distribution(exposure(world, shown[:i], lambda rank: 1.0))
        if has is None or wanted is None:
            continue
        if any(share > 0 and wanted[group] == 0 for group, share in has.items()):
            return math.nan
        apart = math.fsum(share * math.log(share / wanted[group]) for group, share in has.items() if share > 0)
        total += max(apart, 0.0) / (1.0 if metric.base == "e" else math.log(metric.base)) / math.log2(i + 1)
        weights += 1 / math.log2(i + 1)
    return total / weights if weights else math.nan


@checked(120)
@given(GROUP_WORLDS, CUTOFFS, TARGETS, st.sampled_from(["e", 2.0]))
def test_scores_follow_the_definition(world: PlainWorld, k: Any, target: Any, base: Any) -> None:
    metric = NDKL(k=k, target=target, base=base)
    check_scores(metric, world, lambda user, k: ndkl(world, user, k, metric))


@checked(20)
@given(GROUP_WORLDS, CUTOFFS, TARGETS)
def test_how_many_users_are_looked_at_together_does_not_show(world: PlainWorld, k: Any, target: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS_AT_A_TIME", 1)
        one_by_one = NDKL(k=k, target=target).scores(build(world))
    assert np.array_equal(NDKL(k=k, target=target).scores(build(world)), one_by_one, equal_nan=True)


def test_by_hand() -> None:
    """P, then P and Q, then P, Q and Q, against halves."""
    third = 1 / 3 * math.log(2 / 3) + 2 / 3 * math.log(4 / 3)
    expected = (math.log(2) + third / 2) / (1 + 1 / math.log2(3) + 1 / 2)
    assert toy_scores("NDKL@3")[0] == pytest.approx(expected, abs=1e-12)
    assert toy_scores("NDKL(target={P: 3, Q: 3})@3")[0] == pytest.approx(expected, abs=1e-12)
    assert toy_scores("NDKL(base=2)@3")[0] == pytest.approx(expected / math.log(2), abs=1e-12)


def test_numbers_of_fair_rank_tune() -> None:
    """Which adds 1e-7 to every share: a difference of less than 1e-6."""
    assert toy_scores("NDKL(target=list)@3")[0] == pytest.approx(0.532991, abs=1.5e-6)


def test_undefined() -> None:
    world = asp.World.of({"u": [], "v": ["x"], "w": ["b", "a"]}, groups={"a": "P", "b": "Q"})
    assert [math.isnan(score) for score in NDKL().scores(world)[:, 0]] == [True, True, False]
    without_p = NDKL(k=(1, 2), target={"Q": 1.0}).scores(world)[2].tolist()
    assert without_p[0] == 0.0
    assert math.isnan(without_p[1])


def test_tops_without_a_group_are_left_out() -> None:
    groups = {"a": "P", "b": "Q"}
    later = asp.evaluate({"u": ["x", "a", "b"]}, "NDKL@3", groups=groups)
    weights = 1 / math.log2(3) + 1 / 2
    assert later["NDKL@3"] == pytest.approx(math.log(2) / math.log2(3) / weights, abs=1e-12)
    assert later.details["NDKL@3"]["places_without_group"] == 1


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"target": "fair"}, "target is 'fair', expected 'catalogue' or 'relevant' or 'uniform' or 'list'"),
        ({"target": {"P": 0}}, "one of them above 0"),
        ({"base": 0.5}, "base is 0.5, expected 'e' or a number above 1"),
    ],
)
def test_parameters_that_are_refused(parameters: Any, expected: str) -> None:
    with pytest.raises(asp.MetricError, match=expected):
        NDKL(**parameters)
