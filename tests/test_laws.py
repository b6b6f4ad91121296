"""Laws that hold for every metric there is."""

from __future__ import annotations

import math
import pickle
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.plain import Id, PlainWorld, cut
from tests.strategies import PROBABILITIES, TEXT_ASPECTS, build, checked, inputs_of, worlds

CUTOFFS = (1, 3, -1)
NUMBERS = (0.0, 0.25, 1.0, 3.0)
"""Tried for every parameter that is a number; a metric says itself which it takes."""

INPUTS = ("aspects", "relevance", "history", "subtopics", "features", "weights")
USERS = st.sampled_from(["lists", "judged", "both", "relevant", "all"])

LAW_WORLDS = worlds(
    features=True,
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
                yield replace(metric, **{parameter: value})
            except asp.MetricError:
                continue


def settings_of(cls: type[asp.Metric]) -> list[asp.Metric]:
    """Every parameter changed, under every way of judging."""
    plain = cls(k=CUTOFFS)
    ways = values_of(get_type_hints(cls)["judged_by"]) if "judged_by" in plain.parameters else ()
    found = dict.fromkeys(variants(plain))
    for way in ways:
        found.update(dict.fromkeys(variants(replace(plain, **{"judged_by": way}))))
    return [metric for metric in [*found, *FURTHER.get(cls.__name__, [])] if fits(metric)]


def fits(metric: asp.Metric) -> bool:
    """Whether the parameters go together."""
    if not isinstance(metric, asp.ERRIA):
        return True
    if metric.grades and metric.judged_by in ("history", "membership"):
        return False
    return not (metric.intents == "counts" and metric.judged_by in (None, "subtopics"))


GAMMAS: Any = dict.fromkeys([*range(65), *TEXT_ASPECTS], 0.5)
POOLS: tuple[Any, ...] = ("judged", "catalogue", "unseen", "list")
GRADED: dict[str, Any] = {"k": CUTOFFS, "grades": True}
FURTHER: dict[str, list[asp.Metric]] = {
    "AlphaNDCG": [
        asp.AlphaNDCG(k=CUTOFFS, alpha=0.9, judged_by="history", pool="unseen", unjudged="drop"),
        asp.AlphaNDCG(k=CUTOFFS, judged_by="history", ideal="sorted", unjudged="drop"),
        *(asp.AlphaNDCG(k=CUTOFFS, alpha=0.9, judged_by="history", ideal="exact", pool=pool) for pool in POOLS),
        asp.AlphaNDCG(k=CUTOFFS, ideal="exact", budget=0),
        asp.AlphaNDCG(k=CUTOFFS, gain="probabilistic", gamma=0.25, judged_by="relevance"),
        asp.AlphaNDCG(k=CUTOFFS, gain="probabilistic", gamma=GAMMAS),
    ],
    "ERRIA": [
        asp.ERRIA(**GRADED, max_grade=4, normalize="ideal"),
        asp.ERRIA(**GRADED, max_grade=4, normalize="ideal", ideal="exact"),
        asp.ERRIA(k=CUTOFFS, intents="counts", judged_by="relevance", normalize="ideal", ideal="exact"),
        asp.ERRIA(**GRADED, max_grade=3, judged_by="relevance", normalize="perfect"),
        asp.ERRIA(k=CUTOFFS, intents="counts", judged_by="relevance", normalize="ideal"),
        *(asp.ERRIA(k=CUTOFFS, judged_by="relevance", normalize="ideal", pool=pool) for pool in POOLS),
    ],
    "NRBP": [
        *(asp.NRBP(k=CUTOFFS, alpha=0.9, beta=0.8, normalize="ideal", judged_by="history", pool=pool) for pool in POOLS),
        asp.NRBP(k=CUTOFFS, normalize="ideal", ideal="exact"),
    ],
    "NDCG": [asp.NDCG(k=CUTOFFS, gain="exponential", ideal="list", average="ratio")],
    "IntraListDiversity": [
        asp.ILD(k=CUTOFFS, pairs="all", average="links", featureless="near"),
        asp.ILD(k=CUTOFFS, distance="jaccard", featureless="undefined", single="zero"),
    ],
}

SETTINGS = {name: settings_of(cls) for name, cls in asp.registered().items()}
EVERY = [metric for several in SETTINGS.values() for metric in several]
CHUNKS = [EVERY[start::6] for start in range(6)]
EACH_CHUNK = pytest.mark.parametrize("chunk", range(len(CHUNKS)))
EACH_CLASS = pytest.mark.parametrize("name", sorted(asp.registered()))


def usable(world: PlainWorld, metrics: Iterable[asp.Metric]) -> list[asp.Metric]:
    """All settings whose inputs the world has."""
    return [metric for metric in metrics if world.weights is not None or metric.parameters.get("intents") != "given"]


def resolved_alike(metrics: Iterable[asp.Metric]) -> list[asp.Metric]:
    """Settings that do not look for the largest grade, which a part of the users need not have."""
    return [metric for metric in metrics if not metric.parameters.get("grades") or metric.parameters["max_grade"] is not None]


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
        for user, scores in zip(block.users, block.scores.tolist(), strict=True)
        for name, score in zip(block.names, scores, strict=True)
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


@pytest.mark.parametrize("size", [1, 64, 1999, None])
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_and_threads_do_not_show_with_many_users(size: int | None, threads: int) -> None:
    world = world_of_many_users(2000 if size != 1 else 150)
    metrics = [
        metric
        for metrics in SETTINGS.values()
        for metric in metrics[:: 1 + len(metrics) // 4]
        if needs(metric) <= set(INPUTS[:5]) - {"subtopics"}
    ]
    whole = asp.evaluate(world, metrics, threads=1, batch_size=10**6)
    check_identical(asp.evaluate(world, metrics, threads=threads, batch_size=size), whole)


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS, st.lists(st.integers(0, 2), min_size=6, max_size=6), st.permutations([0, 1, 2]))
def test_parts_add_up_in_any_order(chunk: int, world: PlainWorld, users: str, part_of: list[int], order: list[int]) -> None:
    metrics = resolved_alike(usable(world, CHUNKS[chunk]))
    built = build(world)
    codes = np.array(part_of[: built.n_users])
    parts = [asp.evaluate(built.take(np.flatnonzero(codes == part)), metrics, users=users) for part in order]
    check_identical(reduce(add, parts), asp.evaluate(build(world), metrics, users=users))


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, st.lists(st.integers(0, 1), min_size=6, max_size=6))
def test_lists_in_two_files_add_up(chunk: int, world: PlainWorld, part_of: list[int]) -> None:
    """Each part is read by itself, with the whole truth beside it."""
    metrics = usable(world, CHUNKS[chunk])
    inputs = inputs_of(world)
    lists: dict[Id, list[Id]] = inputs.pop("rankings")
    parts = [{user: lists[user] for user, chosen in zip(lists, part_of, strict=False) if chosen == part} for part in (1, 0)]
    results = [asp.evaluate(part, metrics, **inputs) for part in parts]
    check_identical(results[0] + results[1], asp.evaluate(lists, metrics, **inputs))


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
    """Except where a definition looks at the whole list: the pool 'list', and items that move up before the cut."""
    whole_list = [("pool", "list"), ("unjudged", "condense")]
    metrics = [
        metric.at(k)
        for metric in usable(world, CHUNKS[chunk])
        if not any(metric.parameters.get(name) == value for name, value in whole_list)
    ]
    catalogue = sorted(world.seen_items, key=str) if world.catalogue is None else world.catalogue
    shorter = {user: cut(items, k) for user, items in world.rankings.items()}
    found = asp.evaluate(build(replace(world, rankings=shorter, catalogue=catalogue)), metrics)
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


def coded(
    world: asp.World, rows: list[tuple[int, int, int, float, float]], lay: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
) -> asp.World:
    """The world as codes without ids, every array laid out anew."""

    def maybe(array: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return None if array is None else lay(array)

    aspects, relevance, history, features, weights = world.aspects, world.relevance, world.history, world.features, world.weights
    assert aspects is not None and relevance is not None and history is not None and features is not None
    columns = [lay(np.array(column, dtype=np.int32 if place < 3 else np.float64)) for place, column in enumerate(zip(*rows, strict=True))]
    return asp.World(
        asp.Rankings(lay(world.rankings.offsets), lay(world.rankings.items), None, maybe(world.rankings.listed)),
        aspects=asp.Aspects(lay(aspects.offsets), lay(aspects.codes), aspects.n_aspects, maybe(aspects.strengths), maybe(aspects.known)),
        relevance=asp.Relevance(lay(relevance.offsets), lay(relevance.items), maybe(relevance.grades), relevance.threshold),
        history=asp.History(lay(history.offsets), lay(history.items)),
        subtopics=asp.Subtopics.from_rows(*columns, n_users=world.n_users) if rows else None,
        features=asp.Features(lay(features.matrix), maybe(features.rows)),
        weights=None if weights is None else asp.Weights(*map(maybe, (weights.shared, weights.offsets, weights.aspects, weights.weights))),
        catalogue=maybe(world.catalogue),
        n_items=world.n_items,
        aspect_ids=world.aspect_ids,
    )


@EACH_CHUNK
@checked(4, shrink=False)
@given(LAW_WORLDS, USERS, st.sampled_from([relaid, wider]))
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
)


def needs(metric: asp.Metric) -> set[str]:
    """The inputs without which a setting has no meaning. Where the way of judging is left open, there always is another one."""
    parameters = metric.parameters
    way = parameters.get("judged_by") or ""
    needed = {"": set(), "subtopics": {"subtopics"}, "membership": {"aspects"}}.get(way, {"aspects", way})
    needed |= {"features"} if isinstance(metric, asp.ILD) else {metric.truth} if metric.truth else set()
    ideal = (isinstance(metric, asp.AlphaNDCG) and metric.ideal != "sorted") or parameters.get("normalize") == "ideal"
    if ideal and parameters.get("pool") == "unseen":
        needed |= {"history"}
    if ideal and parameters.get("pool") == "judged" and way in ("history", "membership"):
        needed |= {"relevance"}
    return needed | ({"weights"} if parameters.get("intents") == "given" else set())


@EACH_CLASS
@pytest.mark.parametrize("left_out", INPUTS)
def test_a_missing_input_is_named(name: str, left_out: str) -> None:
    """Without an input a setting is evaluated all the same, or an error says which input it needs."""
    inputs = {key: given for key, given in inputs_of(FULL).items() if key != left_out}
    for metric in SETTINGS[name]:
        if left_out in needs(metric):
            with pytest.raises(asp.MissingInput, match=f"{left_out}="):
                asp.evaluate(asp.World.of(**inputs), metric)
        else:
            assert len(asp.evaluate(asp.World.of(**inputs), metric)) == len(CUTOFFS)


@EACH_CLASS
def test_lists_alone_are_not_enough(name: str) -> None:
    for metric in SETTINGS[name]:
        if name == "GiniComplement":
            assert math.isfinite(asp.evaluate(FULL.rankings, metric)[metric.at(-1)])
        else:
            with pytest.raises(asp.MissingInput, match="|".join(f"{input}=" for input in INPUTS)):
                asp.evaluate(FULL.rankings, metric)


def non_negative(world: PlainWorld) -> PlainWorld:
    return replace(world, features={item: [abs(x) for x in vector] for item, vector in (world.features or {}).items()})


BOUNDED: Sequence[asp.Metric] = [
    *SETTINGS["AspectRecall"],
    *SETTINGS["PrecisionIA"],
    *SETTINGS["GiniComplement"],
    *(metric for metric in SETTINGS["NRBP"] if metric.parameters["normalize"] is None),
    *(metric for metric in SETTINGS["ERRIA"] if metric.parameters["normalize"] in (None, "perfect")),
    *SETTINGS["NDCG"],
    *SETTINGS["Precision"],
    *SETTINGS["Recall"],
    *SETTINGS["MAP"],
    *(metric for metric in SETTINGS["IntraListDiversity"] if metric.parameters["distance"] in ("cosine", "jaccard", "hamming")),
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
        assert math.isnan(score) or 0 <= score <= 1 + 1e-12, name


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
