"""Serendipity against its definitions in plain Python."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.serendipity import Serendipity
from tests import plain, toy
from tests.plain import Id, PlainWorld, cut
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds

OVER: st.SearchStrategy[Any] = st.sampled_from(["list", "k"])
RELEVANCE: st.SearchStrategy[Any] = st.sampled_from(["binary", "none"])
NOTHING: st.SearchStrategy[Any] = st.sampled_from(["undefined", "zero"])
EVERYTHING: dict[str, Any] = {**toy.TRUTH, "baseline": toy.BASELINE}


def outside_baseline(world: PlainWorld, user: Id, k: int) -> Callable[[int, Id], float | None]:
    expected = cut((world.baseline or {}).get(user, []), k)
    return lambda _, item: float(item not in expected)


def before_popularity(world: PlainWorld, user: Id, k: int) -> Callable[[int, Id], float | None]:
    n = len(world.known_items) if world.catalogue is None else len(world.catalogue)
    order = sorted(set(world.users_of.values()), reverse=True)

    def unexpected(rank: int, item: Id) -> float:
        for_all = max(0, n - order.index(world.users_of[item])) / n if item in world.users_of else 0.0
        return max(0.0, (n + 1 - rank) / n - for_all)

    return unexpected


def similarity(world: PlainWorld, one: Id, other: Id, distance: str) -> float | None:
    features = world.features or {}
    if one not in features or other not in features:
        return None
    a, b = features[one], features[other]
    if distance == "hamming":
        return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)
    lengths = [math.sqrt(sum(x * x for x in vector)) for vector in (a, b)]
    if not all(lengths):
        return None
    if distance == "jaccard":
        either, both = sum(bool(x or y) for x, y in zip(a, b, strict=True)), sum(bool(x and y) for x, y in zip(a, b, strict=True))
        return both / either
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths[0] / lengths[1]


def near_history(world: PlainWorld, user: Id, item: Id, distance: str, missing: str) -> float | None:
    """Mean similarity to the history; None if an item cannot be compared."""
    pairs = [similarity(world, item, had, distance) for had in world.history.get(user, ())]
    known = [pair for pair in pairs if pair is not None]
    if missing == "far":
        return math.fsum(known) / len(pairs)
    return math.fsum(known) / len(known) if known else None


def unlike_history(world: PlainWorld, user: Id, distance: str, missing: str) -> Callable[[int, Id], float | None]:
    def unexpected(_: int, item: Id) -> float | None:
        near = near_history(world, user, item, distance, missing)
        return None if near is None else 1 - near

    return unexpected


def serendipity(
    world: PlainWorld, user: Id, k: int, unexpected: Callable[[int, Id], float | None], relevance: str, over: Any, nothing: str
) -> float:
    relevant = plain.relevant_items(world, user)
    if relevance == "binary" and not relevant and nothing == "undefined":
        return math.nan
    ranks = {item: rank for rank, item in enumerate(world.rankings.get(user, []), 1)}

    def value(item: Id) -> float | None:
        return 0.0 if relevance == "binary" and item not in relevant else unexpected(ranks[item], item)

    return plain.list_mean(world, user, k, value, over=over)


@checked(100)
@given(worlds(references=True), CUTOFFS, RELEVANCE, OVER, NOTHING)
def test_outside_a_baseline(world: PlainWorld, k: tuple[int, ...], relevance: Any, over: Any, nothing: Any) -> None:
    nothing = "undefined" if relevance == "none" else nothing
    metric = Serendipity(k=k, unexpected="baseline", relevance=relevance, over=over, nothing_relevant=nothing)

    def expected(user: Id, k: int) -> float:
        there = (world.baseline or {}).get(user)
        return serendipity(world, user, k, outside_baseline(world, user, k), relevance, over, nothing) if there else math.nan

    check_scores(metric, world, expected)


@checked(100)
@given(worlds(references=True), CUTOFFS, RELEVANCE, OVER, NOTHING)
def test_before_its_popularity(world: PlainWorld, k: tuple[int, ...], relevance: Any, over: Any, nothing: Any) -> None:
    nothing = "undefined" if relevance == "none" else nothing
    metric = Serendipity(k=k, unexpected="popularity", relevance=relevance, over=over, nothing_relevant=nothing)

    def expected(user: Id, k: int) -> float:
        if not any(world.users_of.values()) or world.catalogue == []:
            return math.nan
        return serendipity(world, user, k, before_popularity(world, user, k), relevance, over, nothing)

    check_scores(metric, world, expected)


@checked(150)
@given(
    worlds(features=True),
    CUTOFFS,
    RELEVANCE,
    OVER,
    NOTHING,
    st.sampled_from(["cosine", "jaccard", "hamming"]),
    st.sampled_from(["skip", "far"]),
)
def test_unlike_the_history(
    world: PlainWorld, k: tuple[int, ...], relevance: Any, over: Any, nothing: Any, distance: Any, missing: Any
) -> None:
    nothing = "undefined" if relevance == "none" else nothing
    ways: dict[str, Any] = {"relevance": relevance, "over": over, "nothing_relevant": nothing, "distance": distance, "missing": missing}

    def expected(user: Id, k: int) -> float:
        unexpected = unlike_history(world, user, distance, missing)
        return serendipity(world, user, k, unexpected, relevance, over, nothing) if world.history.get(user) else math.nan

    check_scores(Serendipity(k=k, unexpected="history", **ways), world, expected)


@checked(100)
@given(worlds(features=True), CUTOFFS, st.sampled_from(["skip", "far"]))
def test_hits_that_are_not_averaged(world: PlainWorld, k: tuple[int, ...], missing: Any) -> None:
    def expected(user: Id, k: int) -> float:
        hits = [item for item in cut(world.rankings.get(user, []), k) if item in plain.relevant_items(world, user)]
        if not hits or not world.history.get(user):
            return math.nan
        return 1 - math.fsum(near_history(world, user, item, "cosine", missing) or 0.0 for item in hits)

    check_scores(Serendipity(k=k, unexpected="history", hits="sum", missing=missing), world, expected)


@checked(30)
@given(worlds(references=True))
def test_all_recommendations_count_alike(world: PlainWorld) -> None:
    metric = Serendipity(k=3, unexpected="baseline", average="links")
    terms = []
    for user, items in world.rankings.items():
        score = serendipity(world, user, 3, outside_baseline(world, user, 3), "binary", "list", "undefined")
        if not math.isnan(score) and (world.baseline or {}).get(user):
            terms.append((score * len(items[:3]), len(items[:3])))
    expected = plain.ratio(round(math.fsum(found for found, _ in terms)), sum(n for _, n in terms))
    assert same(asp.evaluate(build(world), metric)[metric], expected)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("unexpected=baseline", 0.222222),
        ("unexpected=popularity", 0.027778),
        ("unexpected=history", 0.112042),
        ("unexpected=history, missing=far", 0.112042),
        ("unexpected=history, missing=far, relevance='none'", 0.395623),
        ("unexpected=history, hits=sum", 0.336125),
        ("unexpected=history, hits=sum, missing=far", 0.336125),
    ],
)
def test_numbers_of_other_programs(parameters: str, expected: float) -> None:
    """Ge et al.; RecTools; Microsoft Recommenders, with and without relevance; Evidently."""
    metric = f"Serendipity({parameters})@3"
    assert asp.evaluate(toy.LISTS, metric, **EVERYTHING)[metric] == pytest.approx(expected, abs=1e-6)


def test_scores_by_hand() -> None:
    world = asp.World.of(toy.LISTS, **EVERYTHING)
    assert Serendipity(k=3, unexpected="baseline").scores(world)[:3, 0].tolist() == [1 / 3, 1 / 3, 0.0]
    assert Serendipity(k=3, unexpected="popularity").scores(world)[:3, 0].tolist() == [1 / 24, 1 / 24, 0.0]


def test_uneven_lists() -> None:
    inputs: dict[str, Any] = {"relevance": toy.UNEVEN_RELEVANCE, "baseline": toy.BASELINE}
    world = asp.World.of(toy.UNEVEN, **inputs)
    assert Serendipity(k=3).scores(world)[:3, 0].tolist() == [1 / 3, 0.0, 0.0]
    assert Serendipity(k=2, relevance="none").scores(world)[:3, 0].tolist() == [0.5, 0.0, 0.5]
    assert Serendipity(k=4, relevance="none", over="k").scores(world)[:3, 0].tolist() == [0.5, 0.0, 0.0]


def test_small_numbers_in_a_large_catalogue() -> None:
    """1/3 of the list, at most 10 ranks ahead of 10,000: RecTools' number depends on the size of the catalogue."""
    inputs: dict[str, Any] = {**toy.TRUTH, "catalogue": [*toy.CATALOGUE, *map(str, range(9_992))]}
    metric = "Serendipity(unexpected=popularity)@3"
    assert asp.evaluate(toy.LISTS, metric, **inputs)[metric] == pytest.approx(0.027778 * 8 / 10_000, abs=1e-9)


def test_three_near_copies_of_the_history_that_are_added() -> None:
    features = {"a": [1.0, 0.0], "b": [1.0, 0.1], "c": [1.0, 0.1], "d": [1.0, 0.1]}
    world = asp.World.of({"u": ["b", "c", "d"]}, history={"u": ["a"]}, relevance={"u": ["b", "c", "d"]}, features=features)
    near = 1 / math.sqrt(1.01)
    assert Serendipity(unexpected="history", hits="sum").scores(world)[0, 0] == pytest.approx(1 - 3 * near, abs=1e-12)
    assert Serendipity(unexpected="history").scores(world)[0, 0] == pytest.approx(1 - near, abs=1e-12)


@pytest.mark.parametrize(
    ("names", "choices"),
    [
        (("baseline", "history"), "unexpected=baseline or unexpected=popularity"),
        (("history", "features"), "unexpected=popularity or unexpected=history"),
        (("baseline", "history", "features"), "unexpected=baseline, unexpected=popularity or unexpected=history"),
    ],
)
def test_several_inputs_ask_for_a_choice(names: tuple[str, ...], choices: str) -> None:
    inputs: dict[str, Any] = {"relevance": toy.RELEVANCE, **{name: EVERYTHING[name] for name in names}}
    with pytest.raises(asp.MetricError, match=f"several definitions.* choose {choices}$"):
        asp.evaluate(toy.LISTS, "Serendipity@3", **inputs)


def test_inputs_that_leave_no_choice() -> None:
    for name, way in (("baseline", "baseline"), ("history", "popularity")):
        inputs: dict[str, Any] = {"relevance": toy.RELEVANCE, name: EVERYTHING[name]}
        assert asp.evaluate(toy.LISTS, "Serendipity@3", **inputs).details["Serendipity@3"]["unexpected"] == way
    given = asp.evaluate(toy.LISTS, "Serendipity@3", relevance=toy.RELEVANCE, popularity={"a": 4, "b": 2})
    assert given.details["Serendipity@3"]["unexpected"] == "popularity"
    with pytest.raises(asp.MissingInput, match="baseline="):
        asp.evaluate(toy.LISTS, "Serendipity@3", relevance=toy.RELEVANCE)


def test_all_metrics_leave_out_what_has_to_be_chosen() -> None:
    results = asp.evaluate(toy.LISTS, "all@3", **EVERYTHING)
    assert not any(name.startswith("Serendipity") for name in results)
    (note,) = (notice for notice in results.notices if notice.kind == "left_out")
    assert "Serendipity (say unexpected=baseline or unexpected=popularity or unexpected=history)" in note.detail["left_out"]
    alone = asp.evaluate(toy.LISTS, "all@3", relevance=toy.RELEVANCE, baseline=toy.BASELINE)
    assert "Serendipity@3" in alone


def test_undefined_and_zero() -> None:
    inputs: dict[str, Any] = {"relevance": {"empty": ["a"], "u": ["a"]}, "baseline": {key: ["x"] for key in ("empty", "none", "u")}}
    world = asp.World.of({"empty": [], "none": ["a"], "u": ["a"], "stranger": ["a"]}, **inputs)
    assert [math.isnan(score) for score in Serendipity().scores(world)[:4, 0]] == [True, True, False, True]
    zero = Serendipity(nothing_relevant="zero").scores(world)[:4, 0].tolist()
    assert math.isnan(zero[0]) and zero[1:3] == [0.0, 1.0] and math.isnan(zero[3])


def test_places_without_features_are_counted() -> None:
    name = "Serendipity(unexpected=history)@3"
    assert asp.evaluate(toy.LISTS, name, **EVERYTHING).details[name]["places_without_features"] == 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("unexpected=surprise", "unexpected is 'surprise', expected 'baseline' or 'popularity' or 'history'"),
        ("unexpected=baseline, missing=far", "missing goes with unexpected=history only"),
        ("unexpected=popularity, hits=sum", "hits goes with unexpected=history only"),
        ("unexpected=history, hits=sum, over=k", "over goes with hits=mean only"),
        ("relevance='none', nothing_relevant=zero", "nothing_relevant goes with relevance=binary only"),
        ("relevance=graded", "relevance is 'graded', expected"),
    ],
)
def test_parameters_that_are_refused(parameters: str, said: str) -> None:
    with pytest.raises(asp.MetricError, match=said):
        asp.parse(f"Serendipity({parameters})")
