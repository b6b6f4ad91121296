"""Fragmentation against its definition in plain Python."""

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.states import SampledShares, hashes
from aspectrum.states.samples import SAMPLED
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, checked, same, worlds

DIVERGENCES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"divergence": st.just("kl"), "alpha": st.sampled_from([0.01, 0.001]), "mixed": st.sampled_from(["list", "both"])}
    ),
    st.fixed_dictionaries({"divergence": st.just("js"), "base": st.sampled_from([2.0, "e"])}),
    st.fixed_dictionaries({"divergence": st.sampled_from(["hellinger", "tv"])}),
)
FIRST: st.SearchStrategy[Any] = st.sampled_from(["own", "other"])
SHARES: st.SearchStrategy[Any] = st.sampled_from(["item", "pair"])
DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["none", "log", "reciprocal", "geometric", "clipped"])


def fragmentation(world: PlainWorld, k: int, share: plain.Share, discount: str, how: dict[str, Any], first: str) -> dict[Id, float]:
    """The mean divergence of each user from all others."""
    shown = {user: plain.normalised(plain.sums_of_list(world, user, k, share, discount)) for user in world.rankings}
    shown = {user: shares for user, shares in shown.items() if shares}
    more = {key: how[key] for key in how if key != "divergence"}

    def apart(user: Id, other: Id) -> float:
        p, q = (shown[user], shown[other]) if first == "own" else (shown[other], shown[user])
        return plain.divergence(p, q, how["divergence"], **more)

    if len(shown) < 2:
        return {}
    return {user: math.fsum(apart(user, other) for other in shown if other != user) / (len(shown) - 1) for user in shown}


@checked(120)
@given(worlds(), CUTOFFS, SHARES, DISCOUNTS, DIVERGENCES, FIRST)
def test_numbers_follow_the_definition(
    world: PlainWorld, k: tuple[int, ...], share: Any, discount: Any, how: dict[str, Any], first: Any
) -> None:
    metric, built = asp.Fragmentation(k=k, share=share, discount=discount, first=first, **how), build(world)
    states, scores = metric.observe(built), metric.scores(built)
    assert scores.shape == (built.n_users, len(metric.cutoffs))
    for place, cutoff in enumerate(metric.cutoffs):
        expected = fragmentation(world, cutoff, share, discount, how, first)
        assert same(states[place].value, math.fsum(expected.values()) / len(expected) if expected else math.nan)
        for user, score in zip(built.users, scores[:, place].tolist(), strict=True):
            assert same(score, expected.get(user, math.nan))  # type: ignore[call-overload]


@checked(40)
@given(worlds(), CUTOFFS, DIVERGENCES)
def test_who_comes_first_does_not_change_the_mean(world: PlainWorld, k: tuple[int, ...], how: dict[str, Any]) -> None:
    own, other = (asp.Fragmentation(k=k, first=first, **how).observe(build(world)) for first in ("own", "other"))
    assert [state.value.hex() for state in own] == [state.value.hex() for state in other]


TOY = asp.World.of(toy.LISTS, aspects=toy.ASPECTS)


def test_toy_world() -> None:
    metric = asp.Fragmentation(k=3)
    assert metric.scores(TOY)[:, 0] == pytest.approx([0.165728, 0.230666, 0.121534], abs=1e-6)
    assert asp.evaluate(toy.LISTS, metric, aspects=toy.ASPECTS)[metric] == pytest.approx(0.172643, abs=1e-6)


@pytest.mark.parametrize(("first", "expected"), [("own", 3.054), ("other", 0.787)])
def test_numbers_of_radio_and_informfully(first: Any, expected: float) -> None:
    """KL without ranks, one category per item: RADio has the own list first, Informfully the other's."""
    world = asp.World.of(toy.LISTS, aspects=toy.FIRST_ASPECTS)
    metric = asp.Fragmentation(k=3, divergence="kl", alpha=0.001, mixed="both", discount="none", first=first)
    assert metric.scores(world)[0, 0] == pytest.approx(expected, abs=5e-4)


def radio(x: list[str], y: list[str]) -> tuple[float, float]:
    """RADio's KL and root of JS of two lists of stories, by its ranks: 1/j over an approximate harmonic number."""

    def distribution(stories: list[str]) -> dict[str, float]:
        n = len(stories)
        harmonic = 0.5772156649015329 + math.log(n) + 0.5 / n - 1 / (12 * n**2) + 1 / (120 * n**4)
        found: dict[str, float] = {}
        for rank, story in enumerate(stories, 1):
            found[story] = found.get(story, 0.0) + 1 / rank / harmonic
        return found

    s, q = distribution(x), distribution(y)
    mixed = [(0.999 * s.get(key, 0.0) + 0.001 * q.get(key, 0.0), 0.999 * q.get(key, 0.0) + 0.001 * s.get(key, 0.0)) for key in {**s, **q}]
    totals = [math.fsum(column) for column in zip(*mixed, strict=True)]
    pairs = [(one / totals[0], other / totals[1]) for one, other in mixed]
    js = math.fsum(z * math.log2(2 * z / (a + b)) / 2 for a, b in pairs for z in (a, b))
    return math.fsum(a * math.log2(a / b) for a, b in pairs), math.sqrt(js)


@pytest.mark.parametrize(("kind", "place"), [("kl", 0), ("js_distance", 1)])
@pytest.mark.parametrize(
    ("lists", "within"),
    [
        ({"u": ["p", "q", "r"], "v": ["q", "s", "p"]}, 1e-9),
        ({"u": ["p"], "v": ["q", "s", "p"]}, 4e-3),
        ({"u": ["p"], "v": ["q", "s"]}, 4e-3),
    ],
)
def test_ranks_of_radio(lists: dict[str, list[str]], within: float, kind: Any, place: int) -> None:
    """What RADio divides ranks by cancels where lists are equally long; elsewhere it shows in how much alpha mixes in."""
    aspects = {story: [story] for several in lists.values() for story in several}
    metric = asp.Fragmentation(divergence=kind, alpha=0.001, mixed="both", first="own")
    expected = radio(lists["u"], lists["v"])[place]
    assert metric.scores(asp.World.of(lists, aspects=aspects))[0, 0] == pytest.approx(expected, abs=within)


def test_undefined_with_fewer_than_two_users() -> None:
    lists: Mapping[str, list[str]]
    for lists in ({"u": ["d"]}, {"u": ["d"], "v": [], "w": ["g"], "x": ["unheard of"]}, {}):
        state = asp.Fragmentation().observe(asp.World.of(lists, aspects=toy.ASPECTS))[0]
        assert math.isnan(state.value)
    assert asp.Fragmentation().observe(asp.World.of({"u": ["d"], "v": ["d"]}, aspects=toy.ASPECTS))[0].value == 0.0


def test_what_is_counted() -> None:
    lists = {"u": ["d"], "v": ["e"], "w": ["g"], "x": []}
    results = asp.evaluate(lists, "Fragmentation", aspects=toy.ASPECTS, history={"y": ["a"]}, users="all")
    counts = {name: results.details["Fragmentation"][name] for name in ("scored", "undefined", "missing", "sampled")}
    assert counts == {"scored": 2, "undefined": 2, "missing": 1, "sampled": 2}


# Many users


def many(n: int) -> tuple[dict[str, list[int]], dict[int, list[int]]]:
    chance = random.Random(n)
    return {f"user {user}": chance.sample(range(50), 3) for user in range(n)}, {item: [item % 7, 7 + item % 3] for item in range(50)}


def test_of_many_users_those_with_the_least_hashes_are_compared() -> None:
    lists, aspects = many(SAMPLED + 300)
    metric = asp.Fragmentation(k=2, divergence="tv")
    results = asp.evaluate(lists, metric, aspects=aspects)
    order = np.argsort(hashes(lists))
    chosen = [list(lists)[user] for user in order[:SAMPLED].tolist()]
    assert results[metric] == asp.evaluate({user: lists[user] for user in chosen}, metric, aspects=aspects)[metric]
    details = results.details[str(metric)]
    assert (details["scored"], details["sampled"]) == (SAMPLED + 300, SAMPLED)


def test_samples_of_parts_add_up() -> None:
    lists, aspects = many(SAMPLED + 500)
    metric = asp.Fragmentation(k=(1, 3), divergence="tv")

    def observed(users: list[str]) -> list[Any]:
        return metric.observe(asp.World.of({user: lists[user] for user in users}, aspects=aspects).take(np.arange(len(users))))

    users = list(lists)
    random.Random(1).shuffle(users)
    whole = observed(list(lists))
    parts = [observed(users[start : start + 700]) for start in range(0, len(users), 700)]
    for place in range(2):
        for order in (parts, parts[::-1]):
            total = order[0][place]
            for part in order[1:]:
                total = total + part[place]
            assert total == whole[place]


def test_scores_of_users_outside_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectrum.states.samples.SAMPLED", 5)
    lists, aspects = many(12)
    world = asp.World.of(lists, aspects=aspects)
    metric = asp.Fragmentation(divergence="kl", first="own")
    (state,) = metric.observe(world)
    assert isinstance(state, SampledShares)
    compared = [user for user, key in zip(lists, hashes(lists).tolist(), strict=True) if key in state.keys.tolist()]
    assert len(compared) == 5
    plainly = PlainWorld(dict[Id, Any](lists), {item: dict.fromkeys(has, 1.0) for item, has in aspects.items()}, {}, {}, {})  # type: ignore[arg-type]
    shown = {user: plain.normalised(plain.sums_of_list(plainly, user, -1, "item", "reciprocal")) for user in lists}
    for user, score in zip(world.users, metric.scores(world)[:, 0].tolist(), strict=True):
        others = [other for other in compared if other != user]
        assert same(score, math.fsum(plain.divergence(shown[str(user)], shown[other], "kl") for other in others) / len(others))


def test_hashes_are_the_same_everywhere() -> None:
    assert hashes(["u1", "u2"]).tolist() == [15378189911849802130, 12599529359267765114]
    assert hashes([7]).tolist() == hashes(["7"]).tolist()
    assert len(set(hashes(range(10_000)).tolist())) == 10_000
    assert hashes([]).tolist() == []
    assert len(hashes(["\ud800", ("a", 1), "日本"])) == 3


# Contributions


@checked(40)
@given(worlds(), DIVERGENCES)
def test_contributions_are_those_of_the_jackknife(world: PlainWorld, how: dict[str, Any]) -> None:
    metric, built = asp.Fragmentation(**how), build(world)
    states = metric.observe(built)
    n, value = built.n_users, states[0].value
    without = [metric.observe(built.take(np.delete(np.arange(n), user)))[0].value for user in range(n)]
    found = metric.contributions(built, states)[:, 0]
    if math.isnan(value) or any(map(math.isnan, without)):
        return
    expected = [value + (n - 1) * (math.fsum(without) / n - one) for one in without]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found.mean() == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"divergence": "chi2"}, "expected 'kl' or"),
        ({"alpha": 0.5}, "alpha goes with divergence=kl only"),
        ({"first": "user"}, "expected 'other' or 'own'"),
        ({"patience": 0.5}, "patience goes with discount=geometric only"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.Fragmentation(**parameters)
