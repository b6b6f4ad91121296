"""Ideal lists to look at: their items are in the pool, their gains add up, and greedy lists are those that scores are divided by."""

import json
import math
import pickle
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.ideal_lists import Rank
from tests import plain
from tests.ideal.plain_ideals import Instance, best_by_subsets
from tests.plain import Id, PlainWorld, Pool, Way
from tests.strategies import ALPHAS, build, checked, inputs_of, world_of_many_items, worlds
from tests.strategies import WAYS as JUDGED_BY

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
    divided = metric.resolved(world.truth).fractions(world).denominators[0, 0]
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


# ---- Random worlds, against the definitions in plain Python

POOL_NAMES: st.SearchStrategy[Pool | None] = st.sampled_from([None, "judged", "catalogue", "unseen", "list"])
Kind = Literal["AlphaNDCG", "NRBP", "uniform", "given", "counts", "grades"]
KINDS: st.SearchStrategy[Kind] = st.sampled_from(["AlphaNDCG", "NRBP", "uniform", "given", "counts", "grades"])
BETA = 0.8


@dataclass(frozen=True)
class Wanted:
    """A metric, and what it makes of a world: what users want, what items have, and what ranks count."""

    metric: asp.UserMetric
    alpha: float
    weights: Callable[[Id], Mapping[Id, float]]
    has: Callable[[Id, Id], Mapping[Id, float]]
    discount: Callable[[int], float]


def wanted_of(world: PlainWorld, kind: Kind, alpha: float, way: Way, pool: Pool | None, k: int) -> Wanted | None:
    """None where there is no such metric."""
    common: dict[str, Any] = {"k": k, "judged_by": way, "pool": pool}

    def weights(user: Id) -> dict[Id, float]:
        return plain.wanted_aspects(world, way, user)

    def has(user: Id, item: Id) -> dict[Id, float]:
        return plain.counted_aspects(world, way, user, item)

    if kind == "AlphaNDCG":
        return Wanted(asp.AlphaNDCG(alpha=alpha, **common), alpha, weights, has, plain.log2_discount)
    if kind == "NRBP":
        return Wanted(asp.NRBP(alpha=alpha, beta=BETA, normalize="ideal", **common), alpha, weights, has, lambda rank: BETA ** (rank - 1))
    if kind == "grades":
        if way not in ("subtopics", "relevance"):
            return None
        largest = plain.largest_grade(world, way)

        def shares(user: Id, item: Id) -> dict[Id, float]:
            powers = {aspect: 2 ** plain.grade_of(world, way, user, item, aspect) for aspect in has(user, item)}
            return {aspect: (powers[aspect] - 1) / (2**largest - 1) * strength for aspect, strength in has(user, item).items()}

        intents: Literal["uniform", "given"] = "uniform" if world.weights is None else "given"
        metric = asp.ERRIA(normalize="ideal", grades=True, **common)
        stop = (2**largest - 1) / 2**largest
        return Wanted(metric, stop, lambda user: plain.intents_of(world, way, user, intents), shares, plain.reciprocal)
    if (kind == "counts" and way == "subtopics") or (kind == "given" and world.weights is None):
        return None
    metric = asp.ERRIA(stop=alpha, intents=kind, normalize="ideal", **common)
    return Wanted(metric, alpha, lambda user: plain.intents_of(world, way, user, kind), has, plain.reciprocal)


def gained(listed: Sequence[Rank], user: Id, wanted: Wanted) -> float:
    """What a list gains by the definition; every rank says so."""
    left = dict(wanted.weights(user))
    total = 0.0
    for rank, place in enumerate(listed, 1):
        assert isinstance(place.item, int | str)
        has = wanted.has(user, place.item)
        gain = plain.gain_of(has, left, wanted.alpha, None)
        assert place.gain == pytest.approx(gain, rel=1e-12, abs=0.0)
        total += wanted.discount(rank) * gain
        assert place.total == pytest.approx(total, rel=1e-12, abs=0.0)
        plain.show(has, left, wanted.alpha)
    return total


def greedy_items(pool: Sequence[Id], user: Id, wanted: Wanted, k: int) -> list[Id]:
    """At each rank the largest gain, of exactly equal ones the largest id; nothing that does not gain."""
    left = dict(wanted.weights(user))
    waiting = sorted(pool, key=plain.sortable, reverse=True)
    listed: list[Id] = []
    while waiting and len(listed) != k:
        gains = [plain.gain_of(wanted.has(user, item), left, wanted.alpha, None) for item in waiting]
        if max(gains) <= 0:
            break
        listed.append(waiting.pop(gains.index(max(gains))))
        plain.show(wanted.has(user, listed[-1]), left, wanted.alpha)
    return listed


def best_sum(pool: Sequence[Id], user: Id, wanted: Wanted, k: int) -> float:
    """What the best of all lists gains."""
    weights = wanted.weights(user)
    place = {aspect: number for number, aspect in enumerate(weights)}
    pooled = [{place[aspect]: strength for aspect, strength in wanted.has(user, item).items()} for item in pool]
    instance = Instance(pooled, list(weights.values()), wanted.alpha, [wanted.discount(rank) for rank in range(1, len(pool) + 1)])
    return best_by_subsets(instance)[min(k, len(pool)) if k > 0 else len(pool)]


def check_lists(world: PlainWorld, wanted: Wanted, way: Way, pool_name: Pool | None, *, budget: float | None, small: bool) -> int:
    """The lists of all users; returns how many gain something."""
    built = build(world)
    (k,) = wanted.metric.cutoffs
    divided = wanted.metric.resolved(built.truth).fractions(built).denominators
    n = 0
    for user, (denominator,) in zip(built.users, divided.tolist(), strict=True):
        assert isinstance(user, int | str)
        found = asp.ideal_list(user, wanted.metric, rankings=built, ideal_budget=budget)
        pool = plain.pool_of(world, way, user, pool_name)
        for listed in (found.exact, found.greedy):
            items = [rank.item for rank in listed]
            assert len(set(items)) == len(items) <= (k if k > 0 else len(pool))
            assert set(items) <= set(pool)
            for rank in listed:
                assert isinstance(rank.item, int | str)
                assert set(rank.aspects) <= wanted.has(user, rank.item).keys()
        assert [rank.item for rank in found.greedy] == greedy_items(pool, user, wanted, k)
        assert found.greedy_total == pytest.approx(denominator, rel=1e-12, abs=0.0)
        assert found.greedy_total == pytest.approx(gained(found.greedy, user, wanted), rel=1e-12, abs=0.0)
        assert found.best == pytest.approx(gained(found.exact, user, wanted), rel=1e-12, abs=0.0)
        assert found.best <= found.upper
        assert (found.proved_by is not None) == (found.best == found.upper)
        if small:
            best = best_sum(pool, user, wanted, k)
            assert found.upper >= best * (1 - 3e-12)
            assert found.proved_by is None or found.best == pytest.approx(best, rel=3e-12, abs=0.0)
        if found.best > 0:
            assert found.shortfall == pytest.approx(max(0.0, 1 - denominator / found.best), rel=1e-9, abs=1e-12)
        else:
            assert (found.shortfall, found.exact, found.greedy_total) == (0.0, (), 0.0)
        n += found.best > 0
    return n


@checked(150)
@given(worlds(), KINDS, ALPHAS, JUDGED_BY, POOL_NAMES, st.sampled_from([1, 2, 3, 5, 10, -1]), st.sampled_from([None, None, 0.0]))
def test_lists_of_random_worlds(
    world: PlainWorld, kind: Kind, alpha: float, way: Way, pool: Pool | None, k: int, budget: float | None
) -> None:
    wanted = wanted_of(world, kind, alpha, way, pool, k)
    if wanted is not None:
        check_lists(world, wanted, way, pool, budget=budget, small=True)


@pytest.mark.parametrize("way", ["subtopics", "history", "relevance", "membership"])
@pytest.mark.parametrize("pool", [None, "unseen", "list"])
def test_lists_of_many_items(way: Way, pool: Pool | None) -> None:
    """Gains tie at every rank, some but for the last bit; strengths and weights."""
    gaining = 0
    kinds: list[Kind] = ["AlphaNDCG", "NRBP", "uniform", "given", "counts", "grades"]
    for seed, kind in enumerate(kinds):
        world = world_of_many_items(seed)
        draw = random.Random(seed)
        if seed % 2:
            world = replace(world, catalogue=draw.sample(sorted(world.seen_items, key=plain.sortable), 120))
        wanted = wanted_of(world, kind, draw.choice([0.5, 0.9, 0.3]), way, pool, draw.choice([4, 8]))
        if wanted is not None:
            gaining += check_lists(world, wanted, way, pool, budget=0.001, small=False)
    assert gaining >= 9


@checked(60)
@given(worlds(), KINDS, ALPHAS, JUDGED_BY, POOL_NAMES, st.sampled_from([None, 0.0]))
def test_a_summary_is_that_of_the_lists(
    world: PlainWorld, kind: Kind, alpha: float, way: Way, pool: Pool | None, budget: float | None
) -> None:
    wanted = wanted_of(world, kind, alpha, way, pool, 3)
    if wanted is None:
        return
    built = build(world)
    metric = replace(wanted.metric, k=(1, 3))
    rows = asp.summarise_ideals(metric, rankings=built, ideal_budget=budget).rows
    assert len(rows) == 2
    for row, k in zip(rows, (1, 3), strict=True):
        lists = [asp.ideal_list(user, metric.at(k), rankings=built, ideal_budget=budget) for user in built.users]
        gaining = [one for one in lists if one.best > 0]
        short = [one.shortfall for one in gaining]
        assert row.users == len(gaining)
        assert min(1, row.users) <= row.distinct <= row.users
        assert row.distinct == row.proved_by_search + row.open
        assert row.proved_by_highs == 0
        assert (row.open > 0) == any(one.proved_by is None for one in gaining)
        assert row.widest_gap == pytest.approx(max((one.upper / one.best - 1 for one in gaining), default=0.0), rel=1e-9)
        assert row.greedy_short == sum(one > 0 for one in short)
        assert row.mean_shortfall == pytest.approx(math.fsum(short) / len(short) if short else 0.0, rel=1e-9, abs=1e-15)
        assert row.largest_shortfall == pytest.approx(max(short, default=0.0), rel=1e-9, abs=1e-15)
        worst = [one.user for one in gaining if one.shortfall == pytest.approx(row.largest_shortfall, rel=1e-9)]
        assert row.worst_user in worst if row.largest_shortfall > 0 else row.worst_user is None
        assert {row.metric} >= {one.metric for one in lists}


def test_users_who_want_the_same_are_one_problem() -> None:
    history = {user: ["i01"] if user % 2 else ["i02"] for user in range(50)}
    (row,) = asp.summarise_ideals("AlphaNDCG@4", aspects=GENRES, history=history).rows
    assert (row.users, row.distinct, row.proved_by_search) == (50, 2, 2)
    (row,) = asp.summarise_ideals("AlphaNDCG(pool=unseen)@4", aspects=GENRES, history=history).rows
    assert row.users == 50
    assert row.distinct <= 2


def test_progress_comes_to_an_end() -> None:
    told: list[tuple[int, int]] = []
    topics = {f"q{n}": {f"d{m}": [m % (n + 2), m % 5] for m in range(n + 4)} for n in range(6)}
    asp.summarise_ideals("AlphaNDCG@2,3", subtopics=topics, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, told[-1][1]) for done in range(1, told[-1][1] + 1)]
    assert told[-1][0] > 6


def test_any_input_will_do() -> None:
    """Plain objects, rows, and a world give the same list."""
    world = world_of_many_items(3)
    inputs = inputs_of(world)
    user = next(iter(world.subtopics))
    one = asp.ideal_list(user, "AlphaNDCG@4", **inputs)
    assert one == asp.ideal_list(user, "AlphaNDCG@4", rankings=build(world))
    inputs["history"] = [(user, item) for user, items in inputs["history"].items() for item in items]
    assert one == asp.ideal_list(user, asp.AlphaNDCG(k=4, ideal="exact"), **inputs)
    assert one == asp.ideal_list(str(user), "AlphaNDCG@4", **inputs)  # as a command line has it
    assert pickle.loads(pickle.dumps(one)) == one
    content = json.loads(json.dumps(one.to_dict()))
    assert [rank["item"] for rank in content["exact_list"]] == [rank.item for rank in one.exact]


def test_whose_list_must_be_said() -> None:
    topics = {"p": {"a": [1]}, "q": {"a": [1], "b": [2]}}
    with pytest.raises(asp.InputError, match="2 users"):
        asp.ideal_list(metric="AlphaNDCG@2", subtopics=topics)
    assert asp.ideal_list(metric="AlphaNDCG@2", subtopics={"q": topics["q"]}).user == "q"


def test_what_belongs_to_a_world_is_not_given_beside_it() -> None:
    with pytest.raises(asp.InputError, match="a World already holds everything"):
        asp.ideal_list("q", "AlphaNDCG@2", rankings=asp.World.of({}, subtopics={"q": {"a": [1]}}), history={"q": ["a"]})
    with pytest.raises(TypeError, match="did you mean 'subtopics'"):
        asp.ideal_list("q", "AlphaNDCG@2", subtopic={"q": {"a": [1]}})


def test_an_open_list_is_no_worse_than_the_greedy_one() -> None:
    pool = {"a": [3, 4], "b": [1, 2, 3], "c": [2, 3, 4], "d": [1, 5, 0]}
    found = asp.ideal_list("q", "AlphaNDCG@2", subtopics={"q": pool}, ideal_budget=0)
    assert found.best >= found.greedy_total


@pytest.mark.parametrize("budget", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["ideal_budget", "ideal_seconds"])
def test_budgets_without_a_meaning(name: str, budget: float) -> None:
    spent: dict[str, Any] = {name: budget}
    with pytest.raises(asp.MetricError, match=name):
        asp.summarise_ideals("AlphaNDCG@2", subtopics={"q": {"a": [1]}}, **spent)
    with pytest.raises(asp.MetricError, match=name):
        asp.ideal_list("q", "AlphaNDCG@2", subtopics={"q": {"a": [1]}}, **spent)


def test_a_user_that_is_hardly_a_number() -> None:
    with pytest.raises(asp.InputError, match="user '--1' is not known"):
        asp.ideal_list("--1", "AlphaNDCG@2", subtopics={1: {"a": [1]}})
