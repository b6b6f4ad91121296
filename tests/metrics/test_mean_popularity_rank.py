"""Mean popularity rank against its definition in plain Python."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.mean_popularity_rank import MeanPopularityRank
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, check_scores, checked, worlds


def mean_rank(world: PlainWorld, user: Id, k: int, unseen: str, over: Any) -> float:
    counts = sorted(world.users_of.values())

    def percentile(item: Id) -> float | None:
        if item not in world.users_of:
            return None if unseen == "skip" else 0.0
        ranks = [rank for rank, count in enumerate(counts, 1) if count == world.users_of[item]]
        return sum(ranks) / len(ranks) / len(counts)

    return plain.list_mean(world, user, k, percentile, over=over) if counts else math.nan


@checked(100)
@given(worlds(references=True), CUTOFFS, st.sampled_from(["zero", "skip"]), st.sampled_from(["list", "k"]))
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], unseen: Any, over: Any) -> None:
    check_scores(MeanPopularityRank(k=k, unseen=unseen, over=over), world, lambda user, k: mean_rank(world, user, k, unseen, over))


def test_the_number_of_lenskit() -> None:
    result = asp.evaluate(toy.LISTS, "MeanPopRank@3", history=toy.HISTORY)
    assert result["MeanPopRank@3"] == pytest.approx(0.355556, abs=1e-6)
    assert result.details["MeanPopularityRank@3"]["places_with_unseen_items"] == 2


def test_by_hand() -> None:
    """Of five items, a is the most popular, then b; c, d and e share ranks 1 to 3."""
    world = asp.World.of({"u": ["a", "b", "c"], "v": ["f"]}, history=toy.HISTORY)
    assert MeanPopularityRank(k=(1, 2, 3)).scores(world)[0].tolist() == pytest.approx([1.0, 0.9, 2.2 / 3], abs=1e-15)
    assert MeanPopularityRank(k=1).scores(world)[1, 0] == 0.0
    assert MeanPopularityRank(k=3, average="links").observe(world)[0].value == pytest.approx(2.2 / 4, abs=1e-15)


def test_undefined() -> None:
    world = asp.World.of({"empty": [], "new": ["x"]}, history={"u": ["a"]})
    assert [math.isnan(score) for score in MeanPopularityRank().scores(world)[:2, 0]] == [True, False]
    assert [math.isnan(score) for score in MeanPopularityRank(unseen="skip").scores(world)[:2, 0]] == [True, True]
    assert math.isnan(MeanPopularityRank().scores(asp.World.of({"u": ["a"]}, history={"u": []}))[0, 0])


def test_parameters_that_are_refused() -> None:
    with pytest.raises(asp.MetricError, match="expected 'zero' or 'skip'"):
        asp.parse("MeanPopularityRank(unseen=one)")
