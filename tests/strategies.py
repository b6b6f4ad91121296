"""Random worlds, and how scores of the library are compared with the plain definitions."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

import aspectrum as asp
from tests.plain import Id, PlainWorld, Way

T = TypeVar("T")

ALPHAS = st.sampled_from([0.5, 0.0, 0.25, 0.75, 0.9, 1.0])
EXACT_ALPHAS = st.sampled_from([0.5, 0.0, 0.25, 0.75, 1.0])
"""Alphas with which no sum is rounded, so that two ways to add up the same gains tie in the same places."""

WAYS: st.SearchStrategy[Way] = st.sampled_from(["subtopics", "history", "relevance", "membership"])
UNJUDGED = st.sampled_from(["keep", "condense", "drop"])
LEVELS = st.sampled_from([None, 0.5, 1.0, 2.0, 3.0, 7.0])
"""Grades from which a metric of its own may call items relevant."""
CUTOFFS = st.lists(st.sampled_from([1, 2, 3, 5, 10, -1]), min_size=1, max_size=3, unique=True).map(tuple)

TEXT_ITEMS = ["d9", "d10", "D9", "é", "z", "a", "日", "d1"]
TEXT_ASPECTS = ["x", "y", "ß", "X", "a b", "42", "z", "w"]
N_ASPECTS = [2, 1, 3, 4, 6, 63, 64, 65]

GRADES = [1.0, 0.0, 2.0, 3.0, -1.0, 1.5]
STRENGTHS = [1.0, 0.5, 0.25, 0.1]
WEIGHTS = [1.0, 2.0, 0.0, 0.5, 3.0]
PROBABILITIES = [1.0, 0.5, 0.0, 0.25]
REPEATS = st.lists(st.integers(0, 3), min_size=65, max_size=65)
"""How often each aspect is written down."""

WAYS_OF_SOME_ASPECTS: st.SearchStrategy[Way] = st.sampled_from(["subtopics", "history", "relevance"])
"""Ways to judge in which an aspect that nobody has seen does not count."""

FITTING_A_MASK = [2, 1, 3, 4, 6, 63, 64]

NUMBERS = [0.0, 1.0, -1.0, 2.0, 0.5, 0.1, 3.0]


def checked(max_examples: int, *, shrink: bool = True) -> Callable[[T], T]:
    """Settings of a test on random worlds. Where one example is long, making it smaller would take minutes.

    ``ASPECTRUM_EXAMPLES=20 make test`` tries twenty times as many worlds, 0.2 a fifth of them.
    """
    phases = [Phase.explicit, Phase.reuse, Phase.generate, *([Phase.shrink] if shrink else [])]
    max_examples = max(1, round(max_examples * float(os.environ.get("ASPECTRUM_EXAMPLES", "1"))))
    return settings(deadline=None, max_examples=max_examples, phases=phases, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    features: bool = False,
    references: bool = False,
    weights: bool = True,
    strengths: bool = True,
    catalogue: bool = True,
    catalogue_covers_lists: bool = False,
    n_aspects: Sequence[int] = N_ASPECTS,
    grades: Sequence[float] = GRADES,
    weights_from: Sequence[float] = WEIGHTS,
) -> PlainWorld:
    """A few users with everything that can be known about them, each part missing for some of them.

    `references` are groups of items, lists of a baseline, lengths of all items and, sometimes, popularity that is not counted in the history. Where the ids of
    users and items are of one kind, there is also a graph of them.
    """
    users: list[Id] = list(range(10, 10 + draw(st.integers(1, 6))))
    items: list[Id] = list(TEXT_ITEMS) if draw(st.booleans()) else [9, 10, 1, 8, 3, 30, 2, 7]
    items = items[: draw(st.integers(1, 8))]
    n = draw(st.sampled_from(n_aspects))
    aspect_ids: list[Id] = list(TEXT_ASPECTS[:n]) if n <= len(TEXT_ASPECTS) and draw(st.booleans()) else list(range(n))
    several_items = st.lists(st.sampled_from(items), unique=True, max_size=len(items))
    several_aspects = st.lists(st.sampled_from(aspect_ids), unique=True, max_size=5)
    several_users = st.lists(st.sampled_from(users), unique=True)
    strong = strengths and draw(st.booleans())
    strength = st.sampled_from(STRENGTHS if strong else [1.0])
    grade = st.sampled_from(grades)

    aspects: dict[Id, dict[Id, float]] = {
        item: {aspect: draw(strength) for aspect in draw(several_aspects)} for item in draw(several_items)
    }
    if n > len(TEXT_ASPECTS):  # so that there really are that many
        aspects[items[0]] = dict.fromkeys(aspect_ids, draw(strength))
    relevance: dict[Id, dict[Id, float]] = {user: {item: draw(grade) for item in draw(several_items)} for user in draw(several_users)}
    history: dict[Id, set[Id]] = {user: set(draw(several_items)) for user in draw(several_users)}
    subtopics: dict[Id, dict[Id, dict[Id, tuple[float, float]]]] = {}
    for user in draw(several_users):
        subtopics[user] = {}
        for item in draw(several_items):
            given = draw(several_aspects)
            rows = {aspect: (draw(grade), draw(strength)) for aspect in given}
            # Rows need an aspect even to say that nothing counts.
            subtopics[user][item] = rows or {aspect_ids[0]: (0.0, 1.0)}
        if n > len(TEXT_ASPECTS) and draw(st.booleans()):
            subtopics[user][items[-1]] = dict.fromkeys(aspect_ids, (1.0, draw(strength)))
    rankings: dict[Id, list[Id]] = {user: draw(st.permutations(draw(several_items))) for user in draw(several_users)}

    wanted: Any = None
    if weights and draw(st.booleans()):
        some_weights = st.dictionaries(st.sampled_from(aspect_ids), st.sampled_from(weights_from), max_size=6)
        wanted = draw(st.one_of(some_weights, st.dictionaries(st.sampled_from(users), some_weights, min_size=1)))
    possible: list[Id] | None = None
    if catalogue and draw(st.booleans()):
        possible = draw(several_items)
        if catalogue_covers_lists:
            possible = list(dict.fromkeys([*possible, *(item for ranked in rankings.values() for item in ranked)]))
    world = PlainWorld(
        rankings,
        aspects,
        relevance,
        history,
        subtopics,
        wanted,
        possible,
        draw(st.sampled_from([1.0, 2.0, 0.5])),
        draw(vectors(items)) if features else None,
    )
    if not references:
        return world
    several_groups = st.lists(st.sampled_from(["P", "Q", "R"]), unique=True, max_size=2)
    return replace(
        world,
        groups={item: {group: draw(strength) for group in draw(several_groups)} for item in draw(several_items)},
        popularity={item: draw(st.integers(0, 9)) for item in draw(several_items)} if draw(st.booleans()) else None,
        baseline={user: draw(st.permutations(draw(several_items))) for user in draw(several_users)},
        graph=None if items[0] in TEXT_ITEMS else draw(links([*users, *items])),
        lengths={item: draw(st.integers(1, 6)) for item in items},
    )


def links(people: Sequence[Id]) -> st.SearchStrategy[list[tuple[Id, Id]]]:
    """Some people who are linked, also to themselves and more than once."""
    person = st.sampled_from(people)
    return st.lists(st.tuples(person, person), min_size=1, max_size=12)


@st.composite
def vectors(draw: st.DrawFn, items: Sequence[Id]) -> dict[Id, list[float]]:
    """A vector for some items; zero vectors, equal and opposite ones among them."""
    width = draw(st.sampled_from([2, 1, 3, 17]))
    some = draw(st.lists(st.sampled_from(items), unique=True))
    number = st.sampled_from(NUMBERS)
    vector = st.one_of(st.lists(number, min_size=width, max_size=width), st.just([0.0] * width))
    return {item: draw(vector) for item in some}


def inputs_of(world: PlainWorld) -> dict[str, Any]:
    """The same world as keyword inputs of ``World.of`` and ``evaluate``.

    Where nothing needs a strength, items come with lists of aspects and subtopics as nested mappings; else as rows.
    """
    plain_aspects = all(strength == 1.0 for has in world.aspects.values() for strength in has.values())
    rows = [
        (user, aspect, item, grade, strength)
        for user, judged in world.subtopics.items()
        for item, has in judged.items()
        for aspect, (grade, strength) in has.items()
    ]
    nested = {
        user: {item: {aspect: grade for aspect, (grade, _) in has.items()} for item, has in judged.items()}
        for user, judged in world.subtopics.items()
    }
    inputs: dict[str, Any] = {
        "rankings": world.rankings,
        "aspects": {item: list(has) for item, has in world.aspects.items()} if plain_aspects else world.aspects,
        "relevance": world.relevance,
        "history": {user: sorted(items) for user, items in world.history.items()},
        "subtopics": nested if all(row[4] == 1.0 for row in rows) else rows,
        "weights": world.weights,
        "catalogue": world.catalogue,
        "threshold": world.threshold,
    }
    if world.popularity is not None:
        inputs |= {"popularity": world.popularity, "popularity_users": 10}
    for name in ("groups", "baseline", "graph", "lengths"):
        if getattr(world, name) is not None:
            inputs[name] = getattr(world, name)
    if world.features is not None:
        inputs["features"] = {item: np.array(vector) for item, vector in world.features.items()}
    return inputs


def build(world: PlainWorld) -> asp.World:
    return asp.World.of(**inputs_of(world))


def same(found: float, expected: float) -> bool:
    """Within 1e-12; undefined only where undefined is expected."""
    if math.isnan(found) or math.isnan(expected):
        return math.isnan(found) and math.isnan(expected)
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


def check_scores(metric: asp.UserMetric, world: PlainWorld, score: Callable[[Id, int], float]) -> None:
    """Every score of the library is the plain one."""
    built = build(world)
    found = metric.scores(built)
    assert found.shape == (built.n_users, len(metric.cutoffs))
    for row, user in enumerate(built.users):
        assert isinstance(user, int | str)
        for column, k in enumerate(metric.cutoffs):
            expected = score(user, k)
            assert same(found[row, column], expected), f"{metric}, user {user}, k {k}: {found[row, column]!r}, expected {expected!r}"


def scores_by_user(metric: asp.UserMetric, world: PlainWorld) -> dict[Id, list[float]]:
    built = build(world)
    found: dict[Id, list[float]] = {}
    for user, row in zip(built.users, metric.scores(built).tolist(), strict=True):
        assert isinstance(user, int | str)
        found[user] = row
    return found


def check_weights_repeat(metric: asp.UserMetric, world: PlainWorld, numbers: Sequence[int]) -> None:
    """Whole weights give the scores of a world in which each aspect is written down that many times."""
    times = dict(zip(world.place_of_aspect, numbers, strict=False))
    weighted = scores_by_user(metric, replace(world, weights={aspect: float(number) for aspect, number in times.items()}))
    repeated = scores_by_user(metric, with_repeated_aspects(world, times))
    for user in world.rankings:
        for column, (one, other) in enumerate(zip(weighted[user], repeated[user], strict=True)):
            assert same(one, other), f"{metric}, user {user}, k {metric.cutoffs[column]}: {one!r} weighted, {other!r} repeated"


def check_same_bits(metric: asp.UserMetric, world: PlainWorld, other: PlainWorld) -> None:
    """Every user of ``world`` has the same scores in ``other``, to the bit."""
    before, after = scores_by_user(metric, world), scores_by_user(metric, other)
    for user, scores in before.items():
        assert [score.hex() for score in scores] == [score.hex() for score in after[user]], f"{metric}, user {user}"


def world_of_many_aspects(n_aspects: int = 10_000, seed: int = 7) -> PlainWorld:
    """Six users, forty items, about thirty aspects each out of very many; every aspect is named once."""
    draw = random.Random(seed)
    items: list[Id] = list(range(40))
    users: list[Id] = list(range(6))
    per_item = n_aspects // len(items)
    aspects: dict[Id, dict[Id, float]] = {}
    for item in items:
        own = range(int(item) * per_item, (int(item) + 1) * per_item)
        shared = draw.sample(range(n_aspects), 30)
        aspects[item] = dict.fromkeys([*own, *shared] if item != 0 else [*own, *range(per_item * len(items), n_aspects), *shared], 1.0)
    return PlainWorld(
        rankings={user: draw.sample(items, 10) for user in users},
        aspects=aspects,
        relevance={user: {item: float(draw.randint(0, 3)) for item in draw.sample(items, 12)} for user in users},
        history={user: set(draw.sample(items, 4)) for user in users},
        subtopics={
            user: {
                item: {draw.randrange(n_aspects): (float(draw.randint(0, 2)), 1.0) for _ in range(30)} for item in draw.sample(items, 15)
            }
            for user in users
        },
    )


def world_of_many_items(seed: int) -> PlainWorld:
    """Three users and two hundred items with few aspects each: gains tie at every rank, some but for the last bit."""
    draw = random.Random(seed)
    items: list[Id] = list(range(200))
    draw.shuffle(items)
    aspects: list[Id] = list(range(draw.choice([5, 20, 64, 65, 90])))
    strengths = draw.choice([[1.0], [1.0, 0.5, 0.3, 0.1]])
    users: list[Id] = [0, 1, 2]

    def some_aspects(least: int) -> list[Id]:
        return draw.sample(aspects, draw.randint(least, min(len(aspects), 6)))

    return PlainWorld(
        rankings={user: draw.sample(items, 30) for user in users},
        aspects={item: {aspect: draw.choice(strengths) for aspect in some_aspects(0)} for item in items},
        relevance={user: {item: float(draw.randint(0, 3)) for item in draw.sample(items, 80)} for user in users},
        history={user: set(draw.sample(items, 10)) for user in users},
        subtopics={
            user: {
                item: {aspect: (float(draw.randint(0, 2)), draw.choice(strengths)) for aspect in some_aspects(1)}
                for item in draw.sample(items, 60)
            }
            for user in users
        },
        weights=draw.choice([None, {aspect: draw.choice([0.1, 0.3, 1.0, 2.0]) for aspect in aspects}]),
    )


def with_repeated_aspects(world: PlainWorld, times: dict[Id, int]) -> PlainWorld:
    """Every aspect written down as often as ``times`` says, and no weights."""

    def copies(aspect: Id) -> list[Id]:
        return [f"{aspect}/{copy}" for copy in range(times.get(aspect, 0))]

    return PlainWorld(
        world.rankings,
        {item: {copy: strength for aspect, strength in has.items() for copy in copies(aspect)} for item, has in world.aspects.items()},
        world.relevance,
        world.history,
        {
            user: {item: {copy: row for aspect, row in has.items() for copy in copies(aspect)} for item, has in judged.items()}
            for user, judged in world.subtopics.items()
        },
        None,
        world.catalogue,
        world.threshold,
    )


def with_unused_aspects(world: PlainWorld) -> PlainWorld:
    """Seventy more aspects, of an item that no list, history or truth names, and of a user whom nothing else names.

    They cannot change a score of anybody else, unless every aspect counts (membership).
    """
    nobody: Id = "nobody's" if isinstance(next(iter(world.seen_items), ""), str) else 999
    named = [*world.place_of_aspect, *(world.weights or ())]
    named += [aspect for own in (world.weights or {}).values() if isinstance(own, Mapping) for aspect in own]
    as_text = any(isinstance(aspect, str) for aspect in named)
    unused: list[Id] = [f"unused {number}" if as_text else number for number in range(1000, 1070)]
    return replace(
        world,
        aspects={**world.aspects, nobody: dict.fromkeys(unused, 1.0)},
        subtopics={**world.subtopics, 99: {nobody: dict.fromkeys(unused, (1.0, 1.0))}},
    )


def with_some_weak_judgments(world: PlainWorld) -> PlainWorld:
    """As above, but with strengths below 1, so that every strength has to be looked at."""
    more = with_unused_aspects(world)
    nobody = next(iter(more.subtopics[99]))
    more.aspects[nobody].update(dict.fromkeys(more.aspects[nobody], 0.5))
    more.subtopics[99][nobody].update(dict.fromkeys(more.subtopics[99][nobody], (1.0, 0.5)))
    return more
