"""Laws that hold for every metric there is."""

from __future__ import annotations

import math
import os
import pickle
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.conventions import convention_named
from aspectrum.metric import Family, Fractions
from aspectrum.user_scores import WEIGHT
from aspectrum.world import Popularity
from tests.plain import Id, PlainWorld, cut
from tests.strategies import PROBABILITIES, TEXT_ASPECTS, build, checked, inputs_of, worlds

CUTOFFS = (1, 3, -1)
BUDGETS = (asp.Tokens(4), asp.Tokens(11))
NUMBERS = (0.0, 0.25, 1.0, 3.0)
"""Tried for every parameter that is a number; a metric says itself which it takes."""

INPUTS = ("aspects", "relevance", "history", "subtopics", "features", "weights", "groups", "popularity", "lengths", "baseline", "graph")
USERS = st.sampled_from(["lists", "judged", "both", "relevant", "all"])

LAW_WORLDS = worlds(
    features=True,
    references=True,
    catalogue_covers_lists=True,
    n_aspects=[3, 1, 6, 64, 65],
    grades=[1.0, 0.0, 2.0, 3.0],
    weights_from=PROBABILITIES,  # a probabilistic gain takes no others
)


def values_of(hint: Any) -> Iterator[Any]:
    """Values to try for a parameter."""
    for option in get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,):
        if get_origin(option) is Literal:
            yield from get_args(option)
        elif option is bool:
            yield from (False, True)
        elif option is float:
            yield from NUMBERS


def variants(metric: asp.Metric) -> Iterator[asp.Metric]:
    """The metric, and with each parameter changed in each way it allows."""
    yield metric
    hints = get_type_hints(type(metric))
    for parameter in metric.parameters:
        for value in values_of(hints[parameter]):
            try:
                yield at_tokens_if_needed(replace(metric, **{parameter: value}))
            except asp.MetricError:
                continue
    if metric.in_tokens is not None:
        yield replace(metric, k=BUDGETS)


def at_tokens_if_needed(metric: asp.Metric) -> asp.Metric:
    """The metric at cutoffs in tokens, where its parameters mean nothing at ranks."""
    chosen = metric.parameters
    needs_tokens = metric.partial_document != "drop" or "best" in (chosen.get("denominator"), chosen.get("normalize"))
    return replace(metric, k=BUDGETS) if needs_tokens else metric


def settings_of(cls: type[asp.Metric]) -> list[asp.Metric]:
    """Every parameter changed, under every way of judging."""
    plain = cls(k=CUTOFFS)
    ways = values_of(get_type_hints(cls)["judged_by"]) if "judged_by" in plain.parameters else ()
    found = dict.fromkeys(variants(plain))
    for way in ways:
        found.update(dict.fromkeys(variants(replace(plain, **{"judged_by": way}))))
    return [metric for metric in [*found, *FURTHER.get(cls.__name__, [])] if fits(metric)]


def fits(metric: asp.Metric) -> bool:
    """Whether the parameters go together, and leave nothing to choose."""
    if metric.undecided(INPUTS) or metric.parameters.get("bins"):  # bins need numbers; see their own test
        return False
    if not isinstance(metric, asp.ERRIA):
        return True
    if metric.grades and metric.judged_by in ("history", "membership"):
        return False
    return not (metric.intents == "counts" and metric.judged_by in (None, "subtopics"))


DISTANCES: tuple[Any, ...] = ("cosine", "jaccard", "hamming")
UNLIKE_HISTORY: dict[str, Any] = {"k": CUTOFFS, "unexpected": "history"}
GAMMAS: Any = dict.fromkeys([*range(65), *TEXT_ASPECTS], 0.5)
POOLS: tuple[Any, ...] = ("judged", "catalogue", "unseen", "list")
OVER: tuple[Any, ...] = ("list", "k")
GRADED: dict[str, Any] = {"k": CUTOFFS, "grades": True}
FURTHER: dict[str, list[asp.Metric]] = {
    "AlphaDCG": [
        asp.AlphaDCG(k=CUTOFFS, discount="tokens", unit=2.5),
        asp.AlphaDCG(k=BUDGETS, discount="tokens", unit=3, partial="share"),
    ],
    "AlphaNDCG": [
        asp.AlphaNDCG(k=CUTOFFS, alpha=0.9, judged_by="history", pool="unseen", unjudged="drop"),
        asp.AlphaNDCG(k=CUTOFFS, judged_by="history", ideal="sorted", unjudged="drop"),
        *(asp.AlphaNDCG(k=CUTOFFS, alpha=0.9, judged_by="history", ideal="exact", pool=pool) for pool in POOLS),
        asp.AlphaNDCG(k=CUTOFFS, ideal="exact", budget=0),
        asp.AlphaNDCG(k=CUTOFFS, gain="probabilistic", gamma=0.25, judged_by="relevance"),
        asp.AlphaNDCG(k=CUTOFFS, gain="probabilistic", gamma=GAMMAS),
        asp.AlphaNDCG(k=(1, *BUDGETS), unjudged="drop"),
        *(asp.AlphaNDCG(k=BUDGETS, partial=partial, unjudged="drop") for partial in ("share", "skip")),
    ],
    "ERRIA": [
        asp.ERRIA(**GRADED, max_grade=4, normalize="ideal"),
        asp.ERRIA(**GRADED, max_grade=4, normalize="ideal", ideal="exact"),
        asp.ERRIA(k=CUTOFFS, intents="counts", judged_by="relevance", normalize="ideal", ideal="exact"),
        asp.ERRIA(**GRADED, max_grade=3, judged_by="relevance", normalize="perfect"),
        asp.ERRIA(**GRADED, max_grade="intent", judged_by="relevance"),
        asp.ERRIA(k=CUTOFFS, grades="linear", normalize="ideal", ideal="exact"),
        asp.ERRIA(k=CUTOFFS, grades="linear", max_grade=4, normalize="perfect"),
        asp.ERRIA(k=CUTOFFS, intents="counts", judged_by="relevance", normalize="ideal"),
        *(asp.ERRIA(k=CUTOFFS, judged_by="relevance", normalize="ideal", pool=pool) for pool in POOLS),
    ],
    "NRBP": [
        *(asp.NRBP(k=CUTOFFS, alpha=0.9, beta=0.8, normalize="ideal", judged_by="history", pool=pool) for pool in POOLS),
        asp.NRBP(k=CUTOFFS, normalize="ideal", ideal="exact"),
    ],
    "EPC": [asp.EPC(k=CUTOFFS, discount="geometric", patience=0.3, over="k", average="links")],
    "LongTailShare": [
        *(asp.LongTailShare(k=CUTOFFS, by="interactions", head=head, reach="more", average="links") for head in (None, 0.5)),
        *(asp.LongTailShare(k=CUTOFFS, by="seen_items", tail=tail) for tail in (0.5, 2)),
    ],
    "SelfInformation": [asp.SelfInformation(k=CUTOFFS, over="k", normalize=True, average="links")],
    "Serendipity": [
        asp.Serendipity(**UNLIKE_HISTORY, relevance="none", missing="far"),
        *(asp.Serendipity(**UNLIKE_HISTORY, hits="sum", distance=distance) for distance in DISTANCES),
        asp.Serendipity(k=CUTOFFS, unexpected="popularity", relevance="none", average="links", over="k"),
        asp.Serendipity(k=CUTOFFS, unexpected="baseline", nothing_relevant="zero"),
    ],
    "RBP": [asp.RBP(k=CUTOFFS, gain="linear", normalize=True)],
    "NDCG": [
        asp.NDCG(k=CUTOFFS, gain="exponential", ideal="list", average="ratio"),
        asp.NDCG(k=CUTOFFS, gain="binary", ideal="perfect"),
        asp.NDCG(k=CUTOFFS, gain="binary", ideal="list", average="ratio"),
    ],
    "AspectEntropy": [
        asp.AspectEntropy(k=CUTOFFS, share="pair", discount="geometric", patience=0.5, normalize=True, smoothing=1e-6),
        asp.AspectEntropy(k=CUTOFFS, discount="log", index="simpson", normalize=True),
    ],
    "BinomialDiversity": [asp.BinomialDiversity(k=CUTOFFS, alpha=0.9, root="all", missing="everybody")],
    "Calibration": [
        asp.Calibration(k=CUTOFFS, divergence="js_distance", alpha=0.001, mixed="both", discount="reciprocal"),
        asp.Calibration(k=CUTOFFS, history_discount="geometric", patience=0.5),
        asp.Calibration(k=CUTOFFS, divergence="js", share="pair", discount="log", base="e"),
    ],
    "Fragmentation": [asp.Fragmentation(k=CUTOFFS, divergence="kl", alpha=0.001, mixed="both", share="pair", first="own")],
    "Representation": [asp.Representation(k=CUTOFFS, divergence="kl", alpha=0.001, mixed="both", share="pair")],
    "CatalogueCoverage": [
        asp.CatalogueCoverage(k=CUTOFFS, of="history", outside="keep"),
        *(asp.CatalogueCoverage(k=CUTOFFS, normalize=False, outside="keep", weigh="lists", over=over) for over in OVER),
    ],
    "Gini": [
        asp.Gini(k=CUTOFFS, divisor="n", discount="geometric", patience=0.7, outside="drop", extra_items=1),
        asp.Gini(k=CUTOFFS, over="recommended", discount="log"),
    ],
    "ExposureEntropy": [
        *(asp.ExposureEntropy(k=CUTOFFS, weigh="lists", over=over, normalize="items_shown", base="e") for over in OVER),
        asp.ExposureEntropy(k=CUTOFFS, weigh="lists", over="k", index="simpson", normalize="catalogue", outside="drop"),
    ],
    "IntraListDiversity": [
        asp.ILD(k=CUTOFFS, pairs="all", average="links", featureless="near"),
        asp.ILD(k=CUTOFFS, distance="jaccard", featureless="undefined", single="zero"),
        asp.ILD(k=CUTOFFS, distance="differing", single="short"),
        asp.ILD(k=CUTOFFS, aggregate="min", featureless="category", average="links"),
        asp.ILD(k=CUTOFFS, aggregate="max", distance="euclidean", featureless="category", pairs="all"),
    ],
    "AspectRecall": [asp.AspectRecall(k=CUTOFFS, denominator="k", aspectless="category")],
    "EPD": [
        asp.EPD(k=CUTOFFS, to="nearest", missing="far", relevance="graded"),
        asp.EPD(k=CUTOFFS, distance="euclidean", missing="zero", relevance="none", average="links"),
        asp.EPD(k=CUTOFFS, discount="geometric", patience=0.5, distance="jaccard"),
    ],
    "EILD": [
        asp.EILD(k=CUTOFFS, relevance="informfully", relative="further", discount="geometric", patience=0.9, missing="zero"),
        asp.EILD(k=CUTOFFS, relevance="none", relative=False, distance="euclidean"),
    ],
    "VendiScore": [asp.VendiScore(k=CUTOFFS, q=2)],
}

SETTINGS = {name: settings_of(cls) for name, cls in asp.registered().items()}
EVERY = [metric for several in SETTINGS.values() for metric in several]
CHUNKS = [EVERY[start::6] for start in range(6)]
EACH_CHUNK = pytest.mark.parametrize("chunk", range(len(CHUNKS)))
EACH_CLASS = pytest.mark.parametrize("name", sorted(asp.registered()))


def usable(world: PlainWorld, metrics: Iterable[asp.Metric]) -> list[asp.Metric]:
    """All settings whose inputs the world has."""
    of_weights = [metric for metric in metrics if "given" in metric.parameters.values() or "listed" in metric.parameters.values()]
    weighed = [metric for metric in metrics if world.weights is not None or metric not in of_weights]
    return [metric for metric in weighed if world.graph is not None or any("graph" not in needed for needed in metric.needs())]


def check_identical(found: asp.Results, expected: asp.Results) -> None:
    """The same states, numbers and scores of users, to the bit."""
    assert list(found.columns) == list(expected.columns)
    for name, column in expected.columns.items():
        assert found.columns[name].state == column.state, name
        assert found.columns[name].value.hex() == column.value.hex(), name
        assert found.details[name] == column.details, name
    assert scores_of_users(found) == scores_of_users(expected)


def scores_of_users(results: asp.Results) -> dict[tuple[Any, str], str]:
    """By user and column, written out to the last bit."""
    return {
        (user, name): score.hex()
        for block in results.blocks
        for name, scores in block.columns()
        for user, score in zip(block.users, scores.tolist(), strict=True)
    }


def world_of_many_users(n_users: int) -> asp.World:
    random = np.random.default_rng(11)
    n_items, n_aspects = 300, 30
    lists = {user: random.permutation(n_items)[: random.integers(0, 12)].tolist() for user in range(n_users)}
    return asp.World.of(
        lists,
        aspects={item: random.permutation(n_aspects)[: random.integers(0, 5)].tolist() for item in range(n_items)},
        relevance={
            user: dict(zip(random.permutation(n_items)[:8].tolist(), random.integers(0, 4, 8).tolist(), strict=True))
            for user in range(n_users)
        },
        history={user: random.permutation(n_items)[:5].tolist() for user in range(n_users)},
        features=(range(n_items), random.normal(size=(n_items, 19)).astype(np.float32)),
        baseline={user: random.permutation(n_items)[: random.integers(0, 40)].tolist() for user in range(n_users)},
        lengths=dict(enumerate(random.integers(1, 5, n_items).tolist())),
    )


def test_every_metric_has_several_settings() -> None:
    assert set(SETTINGS) == set(asp.registered())
    for name, metrics in SETTINGS.items():
        assert len(metrics) >= 2 or not metrics[0].parameters, name
        assert len(set(metrics)) == len(metrics), name


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS, st.integers(1, 7), st.sampled_from([1, 2]))
def test_batches_and_threads_do_not_show(chunk: int, world: PlainWorld, users: str, size: int, threads: int) -> None:
    metrics = usable(world, CHUNKS[chunk])
    whole = asp.evaluate(build(world), metrics, users=users, threads=1)
    check_identical(asp.evaluate(build(world), metrics, users=users, batch_size=size, threads=threads), whole)


@pytest.mark.parametrize("size", [1, 64, 399, None])
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_and_threads_do_not_show_with_many_users(size: int | None, threads: int) -> None:
    world = world_of_many_users(400 if size != 1 else 40)
    metrics = [
        metric
        for metrics in SETTINGS.values()
        for metric in metrics[:: 1 + len(metrics) // 3]
        if any(needed <= {"aspects", "relevance", "history", "features", "lengths", "baseline"} for needed in metric.needs())
    ]
    whole = asp.evaluate(world, metrics, threads=1, batch_size=10**6)
    check_identical(asp.evaluate(world, metrics, threads=threads, batch_size=size), whole)


# The law: observe(a and b) == observe(a) + observe(b), to the bit, for any parts of the lists

WORDS = ("lists", "judged", "both", "relevant", "all")
STRANGER = 77
"""A user whom no input names."""


@dataclass(frozen=True)
class Evaluation:
    """Everything that a plan needs. Each plan is made from scratch, so that nothing one remembers helps another."""

    metrics: Sequence[asp.Metric]
    inputs: Mapping[str, Any]
    users: Any = None
    convention: str | None = None

    def plan(self) -> asp.Plan:
        return asp.Plan(self.metrics, asp.Truth.read(**self.inputs), users=self.users, convention=self.convention)

    def whole(self, lists: Mapping[Any, Any]) -> asp.Results:
        plan = self.plan()
        return plan.finish(plan.observe(lists))


def parts_of(lists: Mapping[Any, Any], n_parts: int, chance: random.Random) -> list[dict[Any, Any]]:
    """Each user in one of some parts, which may be empty, in another order."""
    parts: list[dict[Any, Any]] = [{} for _ in range(n_parts)]
    for user in chance.sample(list(lists), len(lists)):
        chance.choice(parts)[user] = lists[user]
    return parts


def merged(partials: Iterable[asp.Partial], chance: random.Random) -> asp.Partial:
    """Any two of them are added, until one is left."""
    waiting = list(partials)
    while len(waiting) > 1:
        one, other = (waiting.pop(chance.randrange(len(waiting))) for _ in range(2))
        waiting.append(one + other)
    return waiting[0]


def check_law(evaluation: Evaluation, lists: Mapping[Any, Any], parts: Sequence[Mapping[Any, Any]], chance: random.Random) -> None:
    """Parts of one plan, of a plan each, and from files, merged in any order, are the whole."""
    expected = evaluation.whole(lists)
    plan = evaluation.plan()
    check_identical(plan.finish(merged([plan.observe(part) for part in parts], chance)), expected)
    with TemporaryDirectory() as folder:
        reader = evaluation.plan()
        found = []
        for number, part in enumerate(parts):
            partial = evaluation.plan().observe(part)
            if chance.random() < 2 / 3:
                partial.write(Path(folder, f"{number}.arrow"))
                partial = reader.read(Path(folder, f"{number}.arrow"))
            found.append(partial)
        together = merged(found, chance)
        check_identical(together.finish(), expected)
        together.write(Path(folder, "all.arrow"))
        last = evaluation.plan()
        check_identical(last.finish(last.read(Path(folder, "all.arrow"))), expected)


def computable(metrics: Iterable[asp.Metric], convention: str | None) -> list[asp.Metric]:
    """Settings whose parameters go with what a convention sets."""
    found = []
    for metric in metrics:
        try:
            applied = asp.CONVENTIONS[convention or "published"].applied(metric)
        except asp.MetricError:
            continue
        if fits(applied):
            found.append(metric)
    return found


def as_relison_reads(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """One aspect per item, and features as sets: what the convention takes."""
    aspects = {item: list(has)[:1] for item, has in inputs["aspects"].items()}
    features = {item: [f"f{place}" for place, value in enumerate(vector) if value] for item, vector in inputs["features"].items()}
    return {**inputs, "aspects": aspects, "features": features}


def evaluation_of(world: PlainWorld, metrics: Iterable[asp.Metric], users: Any, convention: str | None) -> Evaluation:
    inputs = {name: given for name, given in inputs_of(world).items() if name != "rankings"}
    if convention == "relison":
        inputs = as_relison_reads(inputs)
    way = convention_named(convention)
    able = computable(usable(world, metrics), convention)
    # Only weights say which aspects are listed here, and a convention may ask for that.
    able = [one for one in able if world.weights is not None or way.applied(one).parameters.get("of") != "listed"]
    return Evaluation(able, inputs, users, convention)


def crowd(seed: int, n_users: int = 40, n_items: int = 60) -> PlainWorld:
    """Dozens of users and more inputs than lists: for each input there are users, items and aspects that only it names."""
    draw = random.Random(seed)
    users: list[Id] = list(range(100, 100 + n_users))
    items: list[Id] = list(range(n_items))
    aspects: list[Id] = list(range(9))

    def some(ids: list[Id], most: int, least: int = 0) -> list[Id]:
        return draw.sample(ids, draw.randint(least, most))

    return PlainWorld(
        rankings={user: some(items, 12) for user in some(users, n_users, n_users * 3 // 4)},
        aspects={item: dict.fromkeys(some(aspects, 4), 1.0) for item in items[: n_items * 3 // 4]},
        relevance={user: {item: float(draw.randint(0, 3)) for item in some(items, 8)} for user in some(users, n_users, n_users // 2)},
        history={user: set(some(items, 6)) for user in some(users, n_users, n_users // 2)},
        subtopics={
            user: {item: dict.fromkeys(some(aspects, 3, 1), (float(draw.randint(0, 2)), 1.0)) for item in some(items, 8)}
            for user in some(users, n_users, n_users // 2)
        },
        weights={aspect: draw.choice([0.25, 0.5, 1.0]) for aspect in aspects},
        features={item: [draw.choice([0.0, 1.0, 0.5, 2.0]) for _ in range(5)] for item in items[n_items // 6 :]},
        groups={item: {group: draw.choice([0.25, 0.5]) for group in draw.sample("PQR", draw.randint(0, 2))} for item in items},
        popularity={item: draw.randint(0, 9) for item in some(items, n_items)} if seed % 3 == 0 else None,
        lengths={item: draw.randint(1, 6) for item in items},
        baseline={user: some(items, 12) for user in some(users, n_users, n_users // 2)},
        graph=[(draw.choice(users + items), draw.choice(users + items)) for _ in range(4 * n_users)],
    )


CROWD = crowd(3)
GIVEN = [*list(CROWD.rankings)[::3], *list(CROWD.relevance)[::4], STRANGER]


@st.composite
def whom(draw: st.DrawFn) -> Any:
    """Who is averaged: a word, or some users, of whom there may be no list, no truth or nothing at all."""
    return draw(st.one_of(st.sampled_from([None, *WORDS]), st.lists(st.sampled_from([*range(10, 16), STRANGER]), unique=True)))


@EACH_CHUNK
@checked(3, shrink=False)
@given(LAW_WORLDS, whom(), st.sampled_from([None, *asp.CONVENTIONS]), st.integers(1, 4), st.randoms(use_true_random=False))
def test_parts_of_the_lists_add_up(
    chunk: int, world: PlainWorld, users: Any, convention: str | None, n_parts: int, chance: random.Random
) -> None:
    evaluation = evaluation_of(world, CHUNKS[chunk], users, convention)
    check_law(evaluation, world.rankings, parts_of(world.rankings, n_parts, chance), chance)


@EACH_CHUNK
@checked(2, shrink=False)
@given(st.integers(0, 10**6), st.sampled_from(WORDS), st.sampled_from([None, "freshstack", "ndeval"]), st.integers(2, 5))
def test_parts_of_lists_with_equal_scores_add_up(chunk: int, seed: int, users: str, convention: str | None, n_parts: int) -> None:
    """Averages over all orders of them, and what is remembered of the ends."""
    chance = random.Random(seed)
    world = crowd(seed, n_users=20)
    lists = {
        user: {item: -float(place // chance.randint(1, 4)) for place, item in enumerate(items)} for user, items in world.rankings.items()
    }
    metrics = [metric for metric in CHUNKS[chunk] if not metric.why_one_order()]
    evaluation = evaluation_of(world, metrics, users, convention)
    if evaluation.metrics:
        evaluation = replace(evaluation, inputs={**evaluation.inputs, "ties": "expected"})
        check_law(evaluation, lists, parts_of(lists, n_parts, chance), chance)


def with_odd_numbers(metric: asp.Metric) -> asp.Metric:
    """The metric with parameters that no sum of powers of two holds exactly, so that the order of adding would show."""
    odd: dict[str, Any] = {
        name: value for name, value in (("alpha", 0.3), ("beta", 0.7), ("stop", 0.3)) if metric.parameters.get(name) not in (None, 0.0, 1.0)
    }
    try:
        return replace(metric, **odd)
    except asp.MetricError:
        return metric


def odd_crowd(seed: int, **sizes: int) -> PlainWorld:
    """A crowd with strengths, weights (everybody's or each user's own) and vectors whose sums are rounded, a catalogue and popularity."""
    chance = random.Random(seed)
    world = crowd(seed, **sizes)
    shared: dict[Any, Any] = {aspect: chance.random() for aspect in world.weights or ()}
    return replace(
        world,
        aspects={item: {aspect: chance.choice([0.3, 0.7, 1.0]) for aspect in has} for item, has in world.aspects.items()},
        weights={user: {aspect: chance.random() for aspect in shared} for user in world.rankings} if seed % 2 else shared,
        catalogue=sorted(world.seen_items) if seed % 2 else None,
        features={item: [value * chance.random() for value in vector] for item, vector in (world.features or {}).items()},
    )


def rows_of(world: PlainWorld, chance: random.Random, *, renamed: bool = False) -> dict[str, Any]:
    """Every input as rows in any order; `renamed` gives users and aspects other names, and items others in the same order."""
    users, items, aspects = (dict[Any, int](zip(ids, ids, strict=True)) for ids in (range(100, 200), range(100), range(9)))
    if renamed:
        users = {user: 7 * user for user in users}
        items = {item: 3 * item + 1 for item in items}
        aspects = dict(zip(aspects, chance.sample(range(9), 9), strict=True))

    everybody = items | users

    def mixed(rows: Iterable[Any]) -> list[Any]:
        ordered = list(rows)
        return chance.sample(ordered, len(ordered))

    def wanted(weights: Mapping[Any, float], *user: int) -> Iterator[tuple[Any, ...]]:
        return ((*user, aspects[aspect], weight) for aspect, weight in weights.items())

    weights: Any = world.weights
    own = isinstance(next(iter(weights.values())), Mapping)
    return {
        "rankings": {
            users[user]: dict(mixed((items[item], -rank) for rank, item in enumerate(ranked)))
            for user, ranked in mixed(world.rankings.items())
        },
        "aspects": mixed((items[item], aspects[one], strength) for item, has in world.aspects.items() for one, strength in has.items()),
        "items": mixed(items[item] for item in world.aspects),  # also those without any aspect
        "relevance": mixed((users[user], items[item], grade) for user, judged in world.relevance.items() for item, grade in judged.items()),
        "history": mixed((users[user], items[item]) for user, had in world.history.items() for item in had),
        "subtopics": mixed(
            (users[user], aspects[aspect], items[item], *numbers)
            for user, judged in world.subtopics.items()
            for item, has in judged.items()
            for aspect, numbers in has.items()
        ),
        "weights": mixed(row for user, has in weights.items() for row in wanted(has, users[user])) if own else mixed(wanted(weights)),
        "features": mixed((items[item], place, value) for item, has in (world.features or {}).items() for place, value in enumerate(has)),
        "catalogue": world.catalogue and mixed(everybody[item] for item in world.catalogue),
        "groups": mixed((items[item], group, share) for item, has in (world.groups or {}).items() for group, share in has.items()),
        "popularity": world.popularity and mixed((items[item], count) for item, count in world.popularity.items()),
        "popularity_users": world.popularity and 10,
        "lengths": mixed((items[item], tokens) for item, tokens in (world.lengths or {}).items()),
        "baseline": {
            users[user]: dict(mixed((items[item], -rank) for rank, item in enumerate(listed)))
            for user, listed in mixed((world.baseline or {}).items())
        },
        "graph": mixed((everybody[source], everybody[target]) for source, target in world.graph or ()),
    }


def numbers_of(results: asp.Results, users: Callable[[Any], Any] = lambda user: user) -> dict[Any, Any]:
    """All numbers, to the last bit, and how they were computed."""
    scores = {(users(user), name): score for (user, name), score in scores_of_users(results).items()}
    return {**scores, **{name: (value.hex(), results.details[name]) for name, value in results.items()}}


@EACH_CHUNK
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_and_the_names_of_ids_do_not_show(chunk: int, seed: int) -> None:
    """Names of items may show in one thing only: who wins ties. Exact ideals are looked for in a smaller crowd."""
    chance = random.Random(seed)
    metrics = list(dict.fromkeys(map(with_odd_numbers, CHUNKS[chunk])))
    metrics = [metric for metric in metrics if metric.parameters.get("history_discount", "none") == "none"]  # goes by the order of rows
    exact = [metric for metric in metrics if metric.parameters.get("ideal") == "exact"]
    small, large = odd_crowd(seed, n_users=8, n_items=14), odd_crowd(seed)
    for world, some in ((small, exact), (large, [metric for metric in metrics if metric not in exact])):
        if not some:
            continue
        expected = numbers_of(asp.evaluate(**rows_of(world, chance), metrics=some))
        assert numbers_of(asp.evaluate(**rows_of(world, chance), metrics=some)) == expected
        renamed = asp.evaluate(**rows_of(world, chance, renamed=True), metrics=some)
        assert numbers_of(renamed, lambda user: user // 7) == expected


@pytest.mark.parametrize("form", [list, dict], ids=["dense", "named"])
def test_the_order_of_vectors_does_not_show(form: Any) -> None:
    chance, world = random.Random(5), odd_crowd(5)
    vectors = {
        item: vector if form is list else {f"f{place}": value for place, value in enumerate(vector)}
        for item, vector in (world.features or {}).items()
    }
    metrics = [metric for metric in SETTINGS["IntraListDiversity"] if metric.parameters["of"] != "aspects" and not metric.budgets]
    expected = numbers_of(asp.evaluate(world.rankings, metrics, features=vectors))
    for _ in range(3):
        mixed = {item: vectors[item] for item in chance.sample(list(vectors), len(vectors))}
        assert numbers_of(asp.evaluate(world.rankings, metrics, features=mixed)) == expected


def test_every_metric_is_asked_for_in_every_order() -> None:
    assert {type(metric) for chunk in CHUNKS for metric in chunk} == set(asp.registered().values())
    assert {*INPUTS, "rankings", "catalogue", "items", "popularity_users"} == rows_of(odd_crowd(1), random.Random(0)).keys()


HASHED = """
import aspectrum as asp
from tests.test_laws import numbers_of, odd_crowd

def hashed(given):
    return {key: {f"name {value}" for value in values} for key, values in given.items()}

world = odd_crowd(2)
metrics = ["AlphaNDCG(alpha=0.3)@5,10", "AlphaNDCG(alpha=0.3, judged_by=membership)@10", "nERR-IA(stop=0.3)@10", "NRBP(alpha=0.3)", "MAPIA"]
inputs = {"aspects": hashed(world.aspects), "relevance": {user: set(items) for user, items in world.relevance.items()}, "history": world.history}
weights = {f"name {aspect}": weight for aspect, weight in world.weights.items()}
for given in (inputs, {**inputs, "weights": weights}):
    found = numbers_of(asp.evaluate(world.rankings, metrics, **given))
    print(sorted((str(key), str(value)) for key, value in found.items()))
"""


def test_the_seed_of_hashes_does_not_show() -> None:
    """Python goes through a set of text in another order in every process."""
    root = Path(__file__).parent.parent
    found = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])}
        found.add(subprocess.run([sys.executable, "-c", HASHED], env=environment, check=True, capture_output=True, text=True).stdout)
    assert len(found) == 1
    assert "AlphaNDCG" in found.pop()


def some_settings(start: int) -> list[asp.Metric]:
    """Of each metric the plain setting, and every fourth of the others."""
    return list(dict.fromkeys(metric for metrics in SETTINGS.values() for metric in (metrics[0], *metrics[1 + start % 4 :: 4])))


@pytest.mark.parametrize("users", [*WORDS, GIVEN], ids=lambda users: users if isinstance(users, str) else "given")
def test_parts_of_a_crowd_add_up_whoever_is_averaged(users: Any) -> None:
    start = [*WORDS, GIVEN].index(users)
    chance = random.Random(start)
    evaluation = evaluation_of(CROWD, some_settings(start), users, None)
    assert {type(metric) for metric in evaluation.metrics} == set(asp.registered().values())
    check_law(evaluation, CROWD.rankings, parts_of(CROWD.rankings, 4, chance), chance)


@pytest.mark.parametrize("convention", sorted({*asp.CONVENTIONS} - {"published"}))
def test_parts_of_a_crowd_add_up_under_every_convention(convention: str) -> None:
    start = sorted(asp.CONVENTIONS).index(convention)
    chance = random.Random(start)
    evaluation = evaluation_of(CROWD, some_settings(start), None, convention)
    having = {type(metric) for metric in computable(some_settings(start), convention)}
    assert {type(metric) for metric in evaluation.metrics} == having
    assert {asp.registered()[name] for name in asp.CONVENTIONS[convention].covers or ()} >= having
    check_law(evaluation, CROWD.rankings, parts_of(CROWD.rankings, 4, chance), chance)


@EACH_CHUNK
@checked(1, shrink=False)
@given(st.integers(0, 10**6), st.sampled_from(WORDS), st.integers(2, 8))
def test_parts_of_any_crowd_add_up(chunk: int, seed: int, users: str, n_parts: int) -> None:
    chance = random.Random(seed)
    world = crowd(seed, n_users=chance.randint(30, 60))
    check_law(evaluation_of(world, CHUNKS[chunk], users, None), world.rankings, parts_of(world.rankings, n_parts, chance), chance)


def test_a_part_for_every_user() -> None:
    parts = [{user: items} for user, items in CROWD.rankings.items()]
    evaluation = evaluation_of(CROWD, [metrics[0] for metrics in SETTINGS.values()], "judged", None)
    check_law(evaluation, CROWD.rankings, parts, random.Random(7))


def test_users_without_a_list_are_settled_once() -> None:
    """Each part used to score the users of the others as missing."""
    both = {"a": ["x"], "b": ["y"]}
    one, other = (asp.evaluate(lists, "NDCG@2", relevance=both, users="judged", per_user=False) for lists in ({"a": ["x"]}, {"b": ["y"]}))
    assert (one["NDCG@2"], one.details["NDCG@2"]["missing"]) == (0.5, 1)
    total = one + other
    assert total["NDCG@2"] == 1.0
    assert {name: total.details["NDCG@2"][name] for name in ("scored", "missing")} == {"scored": 2, "missing": 0}


def test_users_and_items_that_only_lists_name() -> None:
    """Each part gives them codes of its own."""
    lists = {"ann": ["new 1", "a", "new 2"], "new user": ["new 3", "b"], "bob": ["new 2", "b"], "another": ["new 4", "new 1"], "nobody": []}
    inputs = {"relevance": {"ann": ["a"], "bob": ["b"], "eve": ["a", "c"]}, "history": {"bob": ["a", "new 3"]}}
    metrics = [asp.NDCG(k=2), asp.GiniComplement(k=CUTOFFS), asp.parse("EPC@2,3"), asp.Recall()]
    for users in (*WORDS, ["ann", "new user", "eve", "unheard of"]):
        for seed in range(3):
            chance = random.Random(seed)
            check_law(Evaluation(metrics, inputs, users), lists, parts_of(lists, 3, chance), chance)


@pytest.mark.parametrize("users", [*WORDS, ["u"]], ids=str)
def test_one_user(users: Any) -> None:
    world = replace(FULL, rankings={"u": FULL.rankings["u"]})
    evaluation = evaluation_of(world, some_settings(0), users, None)
    check_law(evaluation, world.rankings, [{}, dict(world.rankings), {}], random.Random(0))


def test_no_lists_at_all() -> None:
    check_law(evaluation_of(FULL, some_settings(1), "judged", None), {}, [{}, {}], random.Random(0))


def test_ids_of_several_kinds() -> None:
    """They add up in memory; a file cannot hold them, and says so."""
    lists: dict[Any, list[Any]] = {("a", 1): [1, "x", (2, 3)], 7: ["x", 1], "u": [(2, 3), "y"]}
    inputs = {"relevance": {("a", 1): [1, "x"], 7: [1, (2, 3)], "u": ["y", "x", (2, 3)]}}
    evaluation = Evaluation([asp.NDCG(k=2), asp.GiniComplement()], inputs, "judged")
    expected = evaluation.whole(lists)
    for order in ([("a", 1), 7, "u"], ["u", 7, ("a", 1)]):
        partials = [evaluation.plan().observe({user: lists[user]}) for user in order]
        check_identical((partials[0] + partials[1] + partials[2]).finish(), expected)
    with TemporaryDirectory() as folder, pytest.raises(asp.OutputError, match="ids such as"):
        evaluation.plan().observe(lists).write(Path(folder, "part.arrow"))


@pytest.mark.parametrize("new", ["9", "x9"])
@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_ids_of_text_files(new: str, order: list[int], tmp_path: Path) -> None:
    """Whether 7 in a CSV file is a number may show in a later part; then it always was text."""
    rows = [["7,1", "7,2"], ["8,1"], [f"{new},2", f"{new},{new}"]]
    (tmp_path / "truth.csv").write_text("user,item\n7,1\n8,2\n8,1\n")
    for name, several in {"0": rows[0], "1": rows[1], "2": rows[2], "whole": [row for part in rows for row in part]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["user,item", *several, ""]))
    metrics = [asp.NDCG(k=2), asp.GiniComplement(k=CUTOFFS)]
    for users in ("all", ["7", new] if new == "x9" else [7, 9]):
        evaluation = Evaluation(metrics, {"relevance": tmp_path / "truth.csv"}, users)
        expected = evaluation.whole(tmp_path / "whole.csv")  # type: ignore[arg-type]
        one_plan = evaluation.plan()
        partials = [one_plan.observe(tmp_path / f"{part}.csv") for part in order]
        check_identical((partials[0] + (partials[1] + partials[2])).finish(), expected)
        partials = [evaluation.plan().observe(tmp_path / f"{part}.csv") for part in order]
        check_identical((partials[0] + (partials[1] + partials[2])).finish(), expected)
        for part, partial in zip(order, partials, strict=True):
            partial.write(tmp_path / f"{part}.arrow")
        reader = evaluation.plan()
        partials = [reader.read(tmp_path / f"{part}.arrow") for part in order]
        check_identical((partials[0] + (partials[1] + partials[2])).finish(), expected)


@pytest.mark.parametrize("bob", ["bob,9,1\nbob,x,0.5\nbob,10,0.5\n", "bob,9,1\nbob,x,0.5\n"], ids=["with ties", "without"])
def test_ties_by_ids_that_turn_out_to_be_text(tmp_path: Path, bob: str) -> None:
    """9 comes before 10, but '10' before '9': parts whose ties were broken in different orders do not add up, whoever comes first."""
    lists = {"whole": "ann,10,1\nann,9,1\n" + bob, "ann": "ann,10,1\nann,9,1\n", "bob": bob}
    for name, text in lists.items():
        (tmp_path / f"{name}.csv").write_text("user,item,score\n" + text)
    (tmp_path / "relevance.csv").write_text("user,item\nann,9\nbob,9\n")
    ann, bobs, whole = (tmp_path / f"{name}.csv" for name in ("ann", "bob", "whole"))
    inputs: Any = {"relevance": tmp_path / "relevance.csv", "ties": "ascending"}
    assert asp.evaluate(ann, "NDCG@1", **inputs)["NDCG@1"] == 1.0
    assert asp.evaluate(whole, "NDCG@1", **inputs)["NDCG@1"] == 0.5
    for first, second in ((ann, bobs), (bobs, ann)):
        systems = asp.evaluate_systems({path.stem: path for path in (first, second)}, "NDCG@1", **inputs)
        assert {name: result["NDCG@1"] for name, result in systems.items()} == {"ann": 1.0, "bob": 1.0}  # as each alone
        plan = asp.Plan("NDCG@1", asp.Truth.read(**inputs))
        parts = [plan.observe(first), plan.observe(second)]
        for place, part in enumerate(parts):
            part.write(tmp_path / f"{place}.arrow")
        for several in (parts, [plan.read(path) for path in tmp_path.glob("*.arrow")]):
            with pytest.raises(asp.InputError, match=r"ids are (numbers|text) in .*csv, but (numbers|text) in .*csv, .* ties='input'"):
                sum(several)
        with pytest.raises(asp.InputError, match="different orders"):
            asp.evaluate(asp.World.of(first, **inputs), "NDCG@1") + asp.evaluate(asp.World.of(second, **inputs), "NDCG@1")


def test_blanks_in_ids_of_one_part_do_not_show_in_another(tmp_path: Path) -> None:
    """Ids whose blanks are not single are looked up by themselves: a tab or a no-break space is part of an id, whatever other ids have."""
    run = [f"q{number} Q0 {item} 1 1 t\n" for number, item in enumerate(["a  b", "c\td", "e\u00a0f", "g \th", "i j"])]
    known = {f"q{number}": {" ".join(item): ["n"]} for number, item in enumerate(["ab", "cd", "ef", "gh", "ij"])}
    evaluation = Evaluation([asp.AspectRecall(k=1)], {"subtopics": known}, "judged")
    for number, line in enumerate(run):
        (tmp_path / f"{number}.run").write_text(line)
    (tmp_path / "whole.run").write_text("".join(run))
    expected = evaluation.whole(tmp_path / "whole.run")  # type: ignore[arg-type]
    assert expected["AspectRecall@1"] == 3 / 5
    plan = evaluation.plan()
    check_identical(reduce(add, [plan.observe(tmp_path / f"{number}.run") for number in range(len(run))]).finish(), expected)


def test_numbers_of_a_text_file_and_of_a_frame(tmp_path: Path) -> None:
    """7 in a CSV file is the number 7 of a frame, or the text '7' of another."""
    import polars

    (tmp_path / "truth.csv").write_text("user,item\n7,1\n8,2\n")
    (tmp_path / "lists.csv").write_text("user,item\n7,1\n8,1\n")
    for kind in (int, str):
        evaluation = Evaluation([asp.NDCG(k=2), asp.GiniComplement()], {"relevance": tmp_path / "truth.csv"}, "judged")
        frames = [polars.DataFrame({"user": [kind(user)], "item": [kind(1)]}) for user in (7, 8)]
        expected = evaluation.whole(polars.concat(frames))  # type: ignore[arg-type]
        assert expected["NDCG@2"] == 0.5
        plans = [evaluation.plan() for _ in frames]
        partials = [plan.observe(frame) for plan, frame in zip(plans, frames, strict=True)]
        check_identical((partials[1] + partials[0]).finish(), expected)
        mixed = evaluation.plan()
        (tmp_path / "seven.csv").write_text("user,item\n7,1\n")
        check_identical((mixed.observe(tmp_path / "seven.csv") + mixed.observe(frames[1])).finish(), expected)
        check_identical((partials[1] + evaluation.plan().observe(tmp_path / "seven.csv")).finish(), expected)


@dataclass(frozen=True)
class ShareOfUsers(asp.UserMetric):
    """Mean share of users who know the items of a list."""

    abstract: ClassVar[bool] = True  # so that no name is taken
    family: ClassVar[Family] = "novelty"
    inputs: ClassVar[tuple[str, ...]] = ("history",)

    def popularity(self, world: asp.World) -> npt.NDArray[Any]:
        return world.truth.item_popularity.users

    def fractions(self, world: asp.World) -> Fractions:
        known = np.append(self.popularity(world), 0)[world.known_items].astype(np.float64)
        ranks = place_sums(world.rankings, np.ones(len(known)), self.cutoffs)
        return Fractions(place_sums(world.rankings, known, self.cutoffs), ranks)


@dataclass(frozen=True)
class NaiveShareOfUsers(ShareOfUsers):
    """The same, but counted over the users at hand, of whom a batch or a part has only some."""

    abstract: ClassVar[bool] = True

    def popularity(self, world: asp.World) -> npt.NDArray[Any]:
        return np.bincount(world.need_history("it").items, minlength=world.truth.n_items)


@pytest.mark.parametrize("users", [*WORDS, GIVEN], ids=lambda users: users if isinstance(users, str) else "given")
@pytest.mark.parametrize("n_parts", [2, 5, 30])
def test_a_metric_that_counts_in_parts_is_caught(users: Any, n_parts: int) -> None:
    """Popularity is a fact about all users: the truth has it. The law's own test finds a metric that counts it in `world.history`."""
    for metric, right in ((ShareOfUsers(k=CUTOFFS), True), (NaiveShareOfUsers(k=CUTOFFS), False)):
        chance = random.Random(5)
        evaluation = evaluation_of(CROWD, [metric], users, None)
        parts = parts_of(CROWD.rankings, n_parts, chance)
        if right:
            check_law(evaluation, CROWD.rankings, parts, chance)
        else:
            with pytest.raises(AssertionError):
                check_law(evaluation, CROWD.rankings, parts, chance)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS, st.randoms(use_true_random=False))
def test_the_order_of_users_does_not_show(chunk: int, world: PlainWorld, users: str, random: Any) -> None:
    metrics = usable(world, CHUNKS[chunk])
    expected = asp.evaluate(build(world), metrics, users=users)
    built = build(world)
    shuffled = random.sample(range(built.n_users), built.n_users)
    check_identical(asp.evaluate(built.take(np.array(shuffled, dtype=np.int64)), metrics, users=users), expected)
    other_lists = dict(reversed(world.rankings.items()))
    check_identical(asp.evaluate(build(replace(world, rankings=other_lists)), metrics, users=users), expected)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, st.sampled_from([1, 2, 3, 5]))
def test_only_the_first_k_count(chunk: int, world: PlainWorld, k: int) -> None:
    """Except where a definition looks at the whole list: the pool 'list', items that move up before the cut, and cutoffs in tokens.

    So plans may cut lists, and the numbers are the same where they do not.
    """
    whole_list = [("pool", "list"), ("unjudged", "condense")]
    metrics = [
        metric.at(k)
        for metric in usable(world, CHUNKS[chunk])
        if not metric.budgets and not any(metric.parameters.get(name) == value for name, value in whole_list)
    ]
    catalogue = sorted(world.seen_items, key=str) if world.catalogue is None else world.catalogue
    shorter = {user: cut(items, k) for user, items in world.rankings.items()}
    with patch.object(asp.Plan, "_depth", -1):
        found = asp.evaluate(build(replace(world, rankings=shorter, catalogue=catalogue)), metrics)
        check_identical(found, asp.evaluate(build(replace(world, catalogue=catalogue)), metrics))
    check_identical(found, asp.evaluate(build(replace(world, catalogue=catalogue)), metrics))


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS)
def test_cutoffs_do_not_see_one_another(chunk: int, world: PlainWorld, users: str) -> None:
    metrics = usable(world, CHUNKS[chunk])
    one_by_one = [metric.at(k) for metric in metrics for k in metric.cutoffs]
    together = asp.evaluate(build(world), metrics, users=users)
    check_identical(asp.evaluate(build(world), one_by_one, users=users), together)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS)
def test_a_mean_is_a_correctly_rounded_sum_over_a_count(chunk: int, world: PlainWorld, users: str) -> None:
    results = asp.evaluate(build(world), usable(world, CHUNKS[chunk]), users=users)
    for block in results.blocks:
        for name, scores in zip(block.names, block.scores.T.tolist(), strict=True):
            column = results.columns[name]
            assert isinstance(column.metric, asp.UserMetric)
            defined = [score for score in scores if not math.isnan(score)]
            assert (column.details["scored"], column.details["undefined"]) == (len(defined), len(scores) - len(defined)), name
            if not column.metric.pooled:
                expected = math.fsum(defined) / len(defined) if defined else math.nan
                assert column.value.hex() == expected.hex(), name


def relaid(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same values, every other one of a longer array, that nobody may write to."""
    spread: npt.NDArray[Any] = np.repeat(array, 2)[::2] if array.ndim == 1 else np.repeat(np.asfortranarray(array), 2, axis=1)[:, ::2]
    spread.setflags(write=False)
    assert not spread.flags.c_contiguous or spread.size <= 1
    return spread


def wider(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Codes as 64-bit integers, as most libraries hand them out."""
    return array.astype(np.int64) if array.dtype == np.int32 else array


def unaligned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same values, one byte beside where the CPU would have them."""
    moved: npt.NDArray[Any] = np.frombuffer(b"." + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
    assert array.itemsize == 1 or not moved.flags.aligned or array.size == 0
    return moved


def coded(
    world: asp.World, rows: list[tuple[int, int, int, float, float]], lay: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
) -> asp.World:
    """The world as codes without ids, every array laid out anew."""

    def maybe(array: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return None if array is None else lay(array)

    def stretched(array: npt.NDArray[Any] | None, filling: Any) -> npt.NDArray[Any] | None:
        """With items that only lists name, which codes must know, too."""
        return None if array is None else np.append(array, np.full(world.n_items - len(array), filling, dtype=array.dtype))

    aspects, relevance, history, features, weights = world.aspects, world.relevance, world.history, world.features, world.weights
    groups, popularity, baseline, graph = world.truth.groups, world.truth.popularity, world.baseline, world.truth.graph
    lengths = world.truth.lengths
    if graph is not None:  # people whom only lists name link to nobody
        offsets = np.append(graph.offsets, np.full(world.n_items - graph.n_items, graph.offsets[-1]))
        graph = asp.SocialGraph(lay(offsets), lay(graph.targets), lay(graph.nodes_of(world.codes)), graph.directed)
    assert aspects is not None and relevance is not None and history is not None and features is not None
    columns = [lay(np.array(column, dtype=np.int32 if place < 3 else np.float64)) for place, column in enumerate(zip(*rows, strict=True))]
    return asp.World(
        asp.Rankings(lay(world.rankings.offsets), lay(world.rankings.items), None, maybe(world.rankings.listed)),
        aspects=asp.Aspects(lay(aspects.offsets), lay(aspects.codes), aspects.n_aspects, maybe(aspects.strengths), maybe(aspects.known)),
        relevance=asp.Relevance(lay(relevance.offsets), lay(relevance.items), maybe(relevance.grades), relevance.threshold),
        history=asp.History(lay(history.offsets), lay(history.items), None, maybe(history.times), history.sequence),
        subtopics=asp.Subtopics.from_rows(*columns, n_users=world.n_users) if rows else None,
        features=asp.Features(lay(features.matrix), maybe(stretched(features.rows, -1))),
        weights=None if weights is None else asp.Weights(*map(maybe, (weights.shared, weights.offsets, weights.aspects, weights.weights))),
        groups=None if groups is None else asp.Aspects(lay(groups.offsets), lay(groups.codes), groups.n_aspects, maybe(groups.strengths)),
        popularity=None if popularity is None else Popularity(lay(popularity.users), popularity.of_users),
        lengths=None
        if lengths is None
        else asp.Lengths(lay(np.append(lengths.tokens, np.zeros(world.n_items - len(lengths.tokens), np.int64)))),
        baseline=None if baseline is None else asp.Rankings(lay(baseline.offsets), lay(baseline.items), None, maybe(baseline.listed)),
        graph=graph,
        catalogue=maybe(stretched(world.catalogue, False)),
        n_items=world.n_items,
        aspect_ids=world.aspect_ids,
    )


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS, st.sampled_from([relaid, wider, unaligned]))
def test_the_layout_of_arrays_does_not_show(
    chunk: int, world: PlainWorld, users: str, lay: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
) -> None:
    metrics = [metric for metric in usable(world, CHUNKS[chunk]) if not isinstance(metric.parameters.get("gamma"), tuple)]
    built = build(world)
    rows = [
        (built.users.code(user), built.items.code(item), built.aspect_ids.code(aspect), grade, strength)
        for user, judged in world.subtopics.items()
        for item, has in judged.items()
        for aspect, (grade, strength) in has.items()
    ]
    if not rows:  # a default way of judging may then be another
        metrics = [metric for metric in metrics if metric.parameters.get("judged_by", "") not in (None, "subtopics")]
    expected = asp.evaluate(coded(built, rows, np.array), metrics, users=users)  # type: ignore[arg-type]
    check_identical(asp.evaluate(coded(built, rows, lay), metrics, users=users), expected)  # type: ignore[arg-type]


@EACH_CLASS
def test_a_metric_is_a_value(name: str) -> None:
    for metric in SETTINGS[name]:
        again = replace(metric, k=tuple(reversed(metric.cutoffs)))
        assert again == metric
        assert hash(again) == hash(metric)
        assert metric.at(7) != metric
        assert len({metric, again, metric.at(7)}) == 2
        assert pickle.loads(pickle.dumps(metric)) == metric
        with pytest.raises(AttributeError):
            metric.k = 3  # type: ignore[misc]


@EACH_CLASS
def test_text_reads_back(name: str) -> None:
    for metric in SETTINGS[name]:
        for one in (metric, *(metric.at(k) for k in metric.cutoffs)):
            assert asp.parse(str(one)) == one
    texts = [str(metric) for metric in SETTINGS[name]]
    assert len(set(texts)) == len(texts)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS)
def test_states_and_results_travel(chunk: int, world: PlainWorld, users: str) -> None:
    results = asp.evaluate(build(world), usable(world, CHUNKS[chunk]), users=users)
    for column in results.columns.values():
        assert pickle.loads(pickle.dumps(column.state)) == column.state, column.name
    check_identical(pickle.loads(pickle.dumps(results)), results)


FULL = PlainWorld(
    rankings={"u": ["a", "b", "c"], "v": ["c", "d"]},
    aspects={"a": {"x": 1.0}, "b": {"x": 1.0, "y": 1.0}, "c": {"y": 0.5}, "d": {}},
    relevance={"u": {"a": 1.0, "d": 2.0}, "v": {"c": 3.0}},
    history={"u": {"b"}, "v": {"a", "c"}},
    subtopics={"u": {"a": {"x": (1.0, 1.0)}, "b": {"y": (2.0, 1.0)}}, "v": {"c": {"x": (1.0, 0.5)}}},
    weights=dict[Id, float]([("x", 1.0), ("y", 0.5)]),
    features={"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 1.0], "d": [2.0, 1.0]},
    groups={"a": {"P": 1.0}, "b": {"P": 0.5, "Q": 0.5}, "c": {"Q": 1.0}},
    popularity={"a": 3, "c": 1},
    lengths={"a": 1, "b": 2, "c": 3, "d": 1},
    baseline={"u": ["b", "d"], "v": ["c"]},
    graph=[("u", "a"), ("a", "b"), ("b", "v"), ("v", "d")],
)


def subsets(metrics: Sequence[asp.Metric]) -> Iterator[frozenset[str]]:
    """All sets of the inputs that one of the metrics can use, without the others, and with them."""
    used = {input for metric in metrics for needed in metric.needs_at_cutoffs() for input in needed}
    others = frozenset(INPUTS) - used
    for n in range(len(used) + 1):
        for names in combinations(sorted(used), n):
            yield frozenset(names)
            yield frozenset(names) | others


@EACH_CLASS
def test_what_a_metric_needs_is_what_it_declares(name: str) -> None:
    """Of all sets of inputs it names: a metric is evaluated exactly if it says that the set is enough, else an error names what is missing."""
    inputs = inputs_of(FULL)
    # What is listed is known of weights or of nuggets, which are a kind of subtopics; see the tests of AspectRecall.
    settings = [metric.at(BUDGETS[0] if metric.budgets else 2) for metric in SETTINGS[name] if metric.parameters.get("of") != "listed"]
    for subset in dict.fromkeys(subsets(settings)):
        given = {key: inputs[key] for key in subset if key != "popularity_users"}
        if "popularity" in subset and subset & {"popularity_users", "history"}:
            given["popularity_users"] = 10  # more than have a history
        truth = asp.Truth.read(**given)
        enough = [metric for metric in settings if any(needed <= subset for needed in metric.needs_at_cutoffs())]
        if enough:
            plan = asp.Plan(enough, truth, per_user=False)
            assert len(plan.observe(FULL.rankings).finish()) == len(enough)
        for metric in settings:
            if metric not in enough:
                missing = {input for needed in metric.needs_at_cutoffs() for input in needed - subset}
                with pytest.raises(asp.MissingInput, match="|".join(f"{input}=" for input in sorted(missing))):
                    asp.Plan(metric, truth)


@EACH_CLASS
def test_every_metric_declares_itself(name: str) -> None:
    cls = asp.registered()[name]
    assert cls.family in get_args(Family)
    assert cls.higher_is_better in (True, False, None)
    for metric in SETTINGS[name]:
        needs = metric.needs()
        assert needs and all(needed <= {*INPUTS, "popularity_users"} for needed in needs), metric
        assert len(set(needs)) == len(needs), metric


BEST: Mapping[str, Mapping[Id, list[Id]]] = {
    "relevance": {"u": ["a", "b"], "v": ["c", "d"]},
    "aspects": {"u": ["a", "b"], "v": ["c", "d"]},
    "distance": {"u": ["a", "b"], "v": ["c", "d"]},
    "novelty": {"u": ["a", "b"], "v": ["c", "d"]},
    "coverage": {"u": ["a", "b"], "v": ["c", "d"]},
    "popularity": {"u": ["a", "b"], "v": ["c", "d"]},
    "serendipity": {"u": ["a", "b"], "v": ["c", "d"]},
    "calibration": {"u": ["q", "p"], "v": ["q", "p"]},
    "fairness": {"u": ["a", "b"], "v": ["b", "a"]},
    "network": {"u": ["d"], "v": ["a"]},
}
"""Lists that are as good as can be, by what a metric is about."""

WORST: Mapping[str, Mapping[Id, list[Id]]] = {
    "relevance": {"u": ["c", "d"], "v": ["a", "b"]},
    "aspects": {"u": ["c", "d"], "v": ["a", "b"]},
    "distance": {"u": ["a", "c"], "v": ["a", "c"]},
    "novelty": {"u": ["p", "q"], "v": ["p", "q"]},
    "coverage": {"u": ["a", "b"], "v": ["a", "b"]},
    "popularity": {"u": ["p", "q"], "v": ["p", "q"]},
    "serendipity": {"u": ["p", "q"], "v": ["p", "q"]},
    "calibration": {"u": ["a", "b"], "v": ["a", "b"]},
    "fairness": {"u": ["a", "c"], "v": ["a", "c"]},
    "network": {"u": ["c", "a"], "v": ["d", "b"]},
}


CLEARLY: Mapping[str, tuple[Mapping[Id, list[Id]], Mapping[Id, list[Id]], Mapping[str, Any]]] = {
    "AspectEntropy": ({"u": ["a", "b"]}, {"u": ["a", "c"]}, {}),
    "BinomialDiversity": ({"u": ["a", "b"]}, {"u": ["a", "c"]}, {"history": {"u": ["a", "b"]}}),
    "Calibration": ({"u": ["a", "b"]}, {"u": ["a", "c"]}, {"history": {"u": ["a", "b"]}}),
    "Fragmentation": ({"u": ["a", "b"], "v": ["c", "d"]}, {"u": ["a", "c"], "v": ["b", "d"]}, {}),
    "Representation": ({"u": ["a", "b"]}, {"u": ["a", "c"]}, {}),
}
"""Lists that are better and worse, and other inputs, for metrics that those of their family do not tell apart."""


@EACH_CLASS
def test_the_declared_direction_is_true(name: str) -> None:
    """Lists that are clearly better score higher, or lower, as the metric says."""
    inputs: dict[str, Any] = {
        "aspects": {"a": ["x"], "b": ["y"], "c": ["x"], "d": ["y"], "p": [], "q": []},
        "relevance": {"u": ["a", "b"], "v": ["c", "d"]},
        "history": {"u": ["p", "q"], "v": ["p", "q"]},
        "subtopics": {"u": {"a": ["x"], "b": ["y"]}, "v": {"c": ["x"], "d": ["y"]}},
        "features": {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 0.0], "d": [0.0, 1.0], "p": [1.0, 1.0], "q": [1.0, 1.0]},
        "baseline": {"u": ["p", "q"], "v": ["p", "q"]},
        "catalogue": ["a", "b", "c", "d", "p", "q"],
        "lengths": dict.fromkeys("abcdpq", 100),
    }
    cls, metric = asp.registered()[name], SETTINGS[name][0].at(2)
    best, worst, others = CLEARLY[name] if name in CLEARLY else (BEST[cls.family], WORST[cls.family], {})
    if cls.family == "network":
        links = {"u": ["a"], "a": ["c"], "c": ["b"], "v": ["b"], "b": ["d"], "d": ["v"]}
        inputs |= {"graph": links, "aspects": {**inputs["aspects"], "u": ["x"], "v": ["y"]}}
    better, worse = (asp.evaluate(lists, metric, **{**inputs, **others})[metric] for lists in (best, worst))
    assert better != worse
    if cls.higher_is_better is not None:
        assert (better > worse) == cls.higher_is_better


def non_negative(world: PlainWorld) -> PlainWorld:
    return replace(world, features={item: [abs(x) for x in vector] for item, vector in (world.features or {}).items()})


BOUNDED: Sequence[asp.Metric] = [
    *(metric for metric in SETTINGS["AspectRecall"] if metric.parameters["denominator"] == "attainable"),
    *SETTINGS["PrecisionIA"],
    *SETTINGS["GiniComplement"],
    *SETTINGS["BinomialDiversity"],
    *(metric for metric in SETTINGS["AspectEntropy"] if metric.parameters["normalize"] or metric.parameters["index"] == "simpson"),
    *(
        metric
        for name in ("Calibration", "Representation", "Fragmentation")
        for metric in SETTINGS[name]
        if metric.parameters["divergence"] != "kl"
    ),
    *SETTINGS["Gini"],
    *(
        metric
        for metric in SETTINGS["CatalogueCoverage"]
        if metric.parameters["normalize"] and not metric.parameters["percent"] and metric.parameters["outside"] != "keep"
    ),
    *(metric for metric in SETTINGS["Personalization"] if metric.parameters["over"] == "list"),
    *(metric for metric in SETTINGS["NRBP"] if metric.parameters["normalize"] is None),
    *(metric for metric in SETTINGS["ERRIA"] if metric.parameters["normalize"] in (None, "perfect")),
    *SETTINGS["NDCG"],
    *SETTINGS["Precision"],
    *SETTINGS["Recall"],
    *SETTINGS["MAP"],
    *SETTINGS["EPC"],
    *SETTINGS["UnseenShare"],
    *SETTINGS["Unexpectedness"],
    *SETTINGS["MeanPopularityRank"],
    *(metric for metric in SETTINGS["LongTailShare"] if not metric.parameters["count"]),
    *(metric for metric in SETTINGS["AveragePopularity"] if metric.parameters["scale"] in ("users", "max")),
    *(metric for metric in SETTINGS["SelfInformation"] if metric.parameters["normalize"]),
    *(metric for metric in SETTINGS["Serendipity"] if metric.parameters["hits"] == "mean"),
    *(
        metric
        for name in ("IntraListDiversity", "EILD", "EPD")
        for metric in SETTINGS[name]
        if metric.parameters["distance"] in ("cosine", "jaccard", "hamming") and metric.parameters.get("aggregate") != "sum"
    ),
    *SETTINGS["HitRate"],
    *SETTINGS["MRR"],
    *SETTINGS["RPrecision"],
    *(metric for metric in SETTINGS["RBP"] if metric.parameters["gain"] == "binary" or metric.parameters["normalize"]),
    *SETTINGS["DNDCG"],
    *SETTINGS["DSharpNDCG"],
    *SETTINGS["NDCGIA"],
    *SETTINGS["MRRIA"],
    *(metric for metric in SETTINGS["AlphaDCG"] if metric.parameters["normalize"] == "perfect"),
    *(metric for metric in SETTINGS["AlphaNDCG"] if metric.parameters["ideal"] == "sorted"),
]
EXACT: Sequence[asp.Metric] = [
    metric
    for name in ("AlphaNDCG", "ERRIA", "NRBP")
    for metric in SETTINGS[name]
    if metric.parameters["ideal"] == "exact" and metric.parameters["pool"] in (None, "list")  # a list may leave another pool
]


@checked(12, shrink=False)
@given(LAW_WORLDS.map(non_negative), USERS)
def test_bounded_metrics_lie_between_0_and_1(world: PlainWorld, users: str) -> None:
    results = asp.evaluate(build(world), usable(world, BOUNDED), users=users)
    for name, column in results.columns.items():
        # A value given for an empty system may be anything.
        if column.metric.parameters.get("empty") is None:
            assert math.isnan(column.value) or 0 <= column.value <= 1 + 1e-12, name
    for (_, name), written in scores_of_users(results).items():
        score = float.fromhex(written)
        assert math.isnan(score) or 0 <= score <= 1 + 1e-12 or name.endswith(WEIGHT), name


@checked(25, shrink=False)
@given(LAW_WORLDS, USERS)
def test_no_list_scores_above_1_against_an_exact_ideal(world: PlainWorld, users: str) -> None:
    assert {type(metric).__name__ for metric in EXACT} == {"AlphaNDCG", "ERRIA", "NRBP"}
    results = asp.evaluate(build(world), usable(world, EXACT), users=users)
    for (_, name), written in scores_of_users(results).items():
        score = float.fromhex(written)
        assert math.isnan(score) or 0 <= score <= 1, name


def test_alpha_ndcg_may_exceed_1() -> None:
    """Because the greedy ideal may be beaten."""
    world = asp.World.of({"q": [1, 2]}, subtopics={"q": {1: [1, 3], 2: [2, 4], 3: [3, 4]}})
    assert asp.AlphaNDCG(k=2).scores(world)[0, 0] > 1.1
