"""Ideal lists to look at: their items are in the pool, their gains add up, and greedy lists are those that scores are divided by."""

import math
import random
from typing import Any

import pytest

import aspectrum as asp

GENRES = {f"i{n:02}": random.Random(n).sample("abcdefg", random.Random(n).randint(1, 4)) for n in range(40)}
WAYS: dict[str, dict[str, Any]] = {
    "subtopics": {"subtopics": {"u": GENRES}},
    "history": {"aspects": GENRES, "history": {"u": ["i01", "i02", "i03"]}},
    "relevance": {"aspects": GENRES, "relevance": {"u": [f"i{n:02}" for n in range(0, 40, 2)]}},
    "membership": {"aspects": GENRES},
}
POOLS = [("subtopics", None), ("history", "catalogue"), ("history", "unseen"), ("relevance", None), ("membership", None)]


def added_up(ranks: tuple[Any, ...], alpha: float, discounts: list[float], weights: dict[str, float] | None = None) -> float:
    """What a list gains, from the aspects it shows."""
    left: dict[Any, float] = dict(weights or {})
    total = 0.0
    for rank, discount in zip(ranks, discounts, strict=False):
        gain = sum(left.get(aspect, 1.0) for aspect in rank.aspects)
        assert rank.gain == pytest.approx(gain, rel=1e-12)
        total += discount * gain
        assert rank.total == pytest.approx(total, rel=1e-12)
        for aspect in rank.aspects:
            left[aspect] = left.get(aspect, 1.0) * (1 - alpha)
    return total


@pytest.mark.parametrize(("way", "pool"), POOLS)
@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_lists_add_up(way: Any, pool: Any, alpha: float) -> None:
    inputs = WAYS[way]
    rankings = {"u": ["i05"]}
    metric = asp.AlphaNDCG(k=6, alpha=alpha, judged_by=way, pool=pool)
    found = asp.ideal_list("u", metric, rankings=rankings, **inputs)
    counted = {genre for item in ("i01", "i02", "i03") for genre in GENRES[item]} if way == "history" else set("abcdefg")
    possible = set(inputs["relevance"]["u"]) if way == "relevance" else set(GENRES)
    if pool == "unseen":
        possible -= {"i01", "i02", "i03"}
    discounts = [1 / math.log2(2 + j) for j in range(6)]
    for ranks in (found.exact, found.greedy):
        items = [rank.item for rank in ranks]
        assert len(items) == len(set(items)) == 6
        assert set(items) <= possible
        assert all(set(rank.aspects) == set(GENRES[str(rank.item)]) & counted for rank in ranks)
    assert found.best == pytest.approx(added_up(found.exact, alpha, discounts), rel=1e-12)
    assert found.greedy_total == pytest.approx(added_up(found.greedy, alpha, discounts), rel=1e-12)
    assert found.proved_by == "search"
    world = asp.World.of(rankings, **inputs)
    divided = metric.terms(world).denominators[0, 0]
    assert found.greedy_total == pytest.approx(divided, rel=1e-12)
    assert found.shortfall == pytest.approx(max(0.0, 1 - divided / found.best), abs=1e-12)
    assert asp.evaluate({"u": [rank.item for rank in found.exact]}, asp.AlphaNDCG(6, alpha, way, ideal="exact", pool=pool), **inputs)[
        asp.AlphaNDCG(6, alpha, way, ideal="exact", pool=pool)
    ] == pytest.approx(1.0, abs=0.0)


def test_ties_of_the_greedy_list_go_to_the_largest_id() -> None:
    found = asp.ideal_list(metric="AlphaNDCG(alpha=1)@3", subtopics={"q": {"b": ["x"], "c": ["x"], "a": ["y"], "d": ["y"]}})
    assert [rank.item for rank in found.greedy] == ["d", "c"]


def test_weights_and_strengths() -> None:
    rows = [("q", "x", "a", 1, 0.5), ("q", "y", "b", 1, 1.0), ("q", "x", "c", 1, 0.25)]
    found = asp.ideal_list(metric="AlphaNDCG@2", subtopics=rows, weights={"x": 4.0, "y": 1.0})
    assert [(rank.item, rank.gain) for rank in found.exact] == [("a", 2.0), ("b", 1.0)]
    found = asp.ideal_list(metric="ERRIA@2", subtopics=rows, weights={"x": 4.0, "y": 1.0})
    assert found.best == pytest.approx(2.0 + 1.0 / 2)


def test_a_list_as_the_pool() -> None:
    found = asp.ideal_list("u", asp.AlphaNDCG(k=2, pool="list"), rankings={"u": ["i01", "i04", "i07"]}, **WAYS["history"])
    assert found.n_items == 3
    assert {rank.item for rank in found.exact} <= {"i01", "i04", "i07"}


def test_a_summary_counts() -> None:
    tie = {"a": [1, 3], "b": [2, 4], "c": [3, 4]}
    topics = {"p": tie, "q": {item: [f"x{nugget}" for nugget in nuggets] for item, nuggets in tie.items()}, "r": {"z": [1]}}
    (row,) = asp.summarise_ideals("AlphaNDCG@2", subtopics=topics).rows
    assert (row.users, row.distinct, row.proved_by_search, row.open, row.greedy_short) == (3, 2, 2, 0, 2)
    assert row.largest_shortfall == pytest.approx(1 - 2.94639 / 3.26186, abs=1e-5)
    assert row.mean_shortfall == pytest.approx(2 / 3 * row.largest_shortfall)
    assert row.worst_user == "p"


def test_long_lists_are_cut_when_printed() -> None:
    found = asp.ideal_list(
        metric="AlphaNDCG(alpha=0.1)@60", subtopics={"q": {f"d{n:03}": [n % 7, n % 11] for n in range(80)}}, ideal_budget=0
    )
    assert len(found.exact) == 60
    assert len(str(found).splitlines()) < 60
    assert "60 ranks in all" in str(found)


@pytest.mark.parametrize(
    ("user", "metric", "message"),
    [
        ("v", "AlphaNDCG@2", "user 'v' is not known"),
        ("u", "AlphaNDCG@2,3", "an ideal list has one cutoff"),
        ("u", "NDCG@2", "NDCG has no ideal list"),
    ],
)
def test_mistakes_are_named(user: str, metric: str, message: str) -> None:
    with pytest.raises(asp.AspectrumError, match=message):
        asp.ideal_list(user, metric, **WAYS["subtopics"])
