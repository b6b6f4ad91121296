"""Calibration against its definition in plain Python."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_same_bits, check_scores, checked, with_unused_aspects, world_of_many_items, worlds

DIVERGENCES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"divergence": st.just("kl"), "alpha": st.sampled_from([0.01, 0.001, 0.5]), "base": st.sampled_from([2.0, "e", 10.0])}
    ),
    st.fixed_dictionaries({"divergence": st.just("js"), "base": st.sampled_from([2.0, "e"])}),
    st.fixed_dictionaries({"divergence": st.sampled_from(["hellinger", "tv"])}),
    st.fixed_dictionaries(
        {"divergence": st.sampled_from(["kl", "js", "hellinger", "tv"]), "alpha": st.sampled_from([0.01, 0.25]), "mixed": st.just("both")}
    ),
)
SHARES: st.SearchStrategy[Any] = st.sampled_from(["item", "pair"])
DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["none", "log", "reciprocal", "geometric", "clipped"])


def calibration(world: PlainWorld, user: Id, k: int, share: plain.Share, discount: str, how: dict[str, Any]) -> float:
    shown = plain.normalised(plain.sums_of_list(world, user, k, share, discount))
    return plain.divergence(
        plain.shares_of_history(world, user, share), shown, how["divergence"], **{key: how[key] for key in how if key != "divergence"}
    )


@checked(150)
@given(worlds(), CUTOFFS, SHARES, DISCOUNTS, DIVERGENCES)
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], share: Any, discount: Any, how: dict[str, Any]) -> None:
    metric = asp.Calibration(k=k, share=share, discount=discount, **how)
    check_scores(metric, world, lambda user, k: calibration(world, user, k, share, discount, how))


@pytest.mark.parametrize("seed", range(3))
def test_long_lists(seed: int) -> None:
    world = world_of_many_items(seed)
    how: dict[str, Any] = {"divergence": "kl", "alpha": 0.01}
    check_scores(asp.Calibration(k=(1, 5, 20, -1)), world, lambda user, k: calibration(world, user, k, "item", "none", how))


@checked(40)
@given(worlds(), CUTOFFS, st.sampled_from(["list", "both"]))
def test_the_distance_of_jensen_and_shannon_is_a_root(world: PlainWorld, k: tuple[int, ...], mixed: Any) -> None:
    built = build(world)
    squares, roots = (asp.Calibration(k=k, divergence=kind, mixed=mixed).scores(built) for kind in ("js", "js_distance"))
    assert np.array_equal(np.sqrt(squares), roots, equal_nan=True)


@checked(60)
@given(worlds(), CUTOFFS, SHARES, DIVERGENCES)
def test_a_list_like_the_history_is_calibrated(world: PlainWorld, k: tuple[int, ...], share: Any, how: dict[str, Any]) -> None:
    lists = {user: sorted(items, key=str) for user, items in world.history.items()}
    same = PlainWorld(lists, world.aspects, world.relevance, world.history, world.subtopics)
    for score in asp.Calibration(share=share, **how).scores(build(same))[:, 0].tolist():
        assert math.isnan(score) or 0 <= score < 1e-15


@checked(40)
@given(worlds(), CUTOFFS)
def test_bounds(world: PlainWorld, k: tuple[int, ...]) -> None:
    kinds: list[Any] = ["kl", "js", "js_distance", "hellinger", "tv"]
    for kind in kinds:
        scores = asp.Calibration(k=k, divergence=kind).scores(build(world))
        largest = math.log2(100) if kind == "kl" else 1.0
        assert ((scores >= 0) & (scores <= largest + 1e-12) | np.isnan(scores)).all()


@checked(30)
@given(worlds(), CUTOFFS)
def test_aspects_that_nobody_has_seen_do_not_show(world: PlainWorld, k: tuple[int, ...]) -> None:
    check_same_bits(asp.Calibration(k=k, discount="log"), world, with_unused_aspects(world))


TOY: dict[str, Any] = {"aspects": toy.ASPECTS, "history": toy.HISTORY}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("Calibration@3", 1.067080),
        ("Calibration(divergence=js)@3", 0.325011),
        ("Calibration(divergence=js_distance)@3", math.sqrt(0.325011)),
        ("Calibration(divergence=hellinger)@3", 0.550524),
        ("Calibration(divergence=tv)@3", 0.5),
    ],
)
def test_toy_world(metric: str, expected: float) -> None:
    parsed = asp.parse(metric)
    assert isinstance(parsed, asp.Calibration)
    assert parsed.scores(asp.World.of(toy.LISTS, **TOY))[0, 0] == pytest.approx(expected, abs=1e-6)


def test_the_divergence_of_disjoint_lists() -> None:
    """Under RADio's alpha of 0.001 both ways it is 9.944, though Informfully says that KL ends at 1."""
    world = asp.World.of({"u": ["b"]}, aspects={"a": ["x"], "b": ["y"]}, history={"u": ["a"]})
    assert asp.Calibration(alpha=0.001, mixed="both").scores(world)[0, 0] == pytest.approx(9.944, abs=5e-4)
    assert asp.Calibration(alpha=0.001).scores(world)[0, 0] == pytest.approx(math.log2(1000), abs=1e-12)
    assert asp.Calibration(divergence="js").scores(world)[0, 0] == 1.0


def radio(history: list[str], recommended: list[str], by_rank: bool) -> tuple[float, float]:
    """RADio's KL and root of JS for one category per item; ranks count 1/j over an approximate harmonic number."""

    def distribution(categories: list[str]) -> dict[str, float]:
        n = len(categories)
        harmonic = 0.5772156649015329 + math.log(n) + 0.5 / n - 1 / (12 * n**2) + 1 / (120 * n**4)
        found: dict[str, float] = {}
        for rank, category in enumerate(categories, 1):
            found[category] = found.get(category, 0.0) + (1 / rank / harmonic if by_rank else 1 / n)
        return found

    s, q = distribution(history), distribution(recommended)
    mixed = [(0.999 * s.get(key, 0.0) + 0.001 * q.get(key, 0.0), 0.999 * q.get(key, 0.0) + 0.001 * s.get(key, 0.0)) for key in {**s, **q}]
    totals = [math.fsum(column) for column in zip(*mixed, strict=True)]
    pairs = [(one / totals[0], other / totals[1]) for one, other in mixed]
    js = math.fsum(x * math.log2(2 * x / (a + b)) / 2 for a, b in pairs for x in (a, b))
    return math.fsum(a * math.log2(a / b) for a, b in pairs), math.sqrt(js)


@pytest.mark.parametrize("lists", [toy.LISTS, toy.UNEVEN, toy.REPEAT])
@pytest.mark.parametrize(("kind", "place"), [("kl", 0), ("js_distance", 1)])
@pytest.mark.parametrize("by_rank", [False, True])
def test_numbers_of_radio(lists: dict[str, list[str]], kind: Any, place: int, by_rank: bool) -> None:
    """Ranks agree where a list is as long as the history; elsewhere what RADio divides by shows in how much alpha mixes in."""
    aspects = {**toy.FIRST_ASPECTS, "g": ["x"]}
    world = asp.World.of(lists, aspects=aspects, history=toy.HISTORY)
    discount: Any = "reciprocal" if by_rank else "none"
    metric = asp.Calibration(divergence=kind, alpha=0.001, mixed="both", discount=discount, history_discount=discount)
    for user, score in zip(lists, metric.scores(world)[:, 0].tolist(), strict=False):
        shown, before = ([aspects[item][0] for item in items[user]] for items in (lists, toy.HISTORY))
        within = 4e-3 if by_rank and len(shown) != len(before) else 1e-9
        assert score == pytest.approx(radio(before, shown, by_rank)[place], abs=within)


@checked(60)
@given(worlds(), SHARES, DISCOUNTS)
def test_a_discount_of_the_history(world: PlainWorld, share: Any, discount: Any) -> None:
    """In the order in which rows are given, here that of the ids; a history without repeats, undiscounted, is a set."""
    patience = 0.5 if discount == "geometric" else 0.85
    metric = asp.Calibration(k=3, share=share, history_discount=discount, patience=patience)

    def expected(user: Id, k: int) -> float:
        rows = [(item, plain.rank_weight(discount, patience, rank)) for rank, item in enumerate(sorted(world.history.get(user, ())), 1)]
        earlier = plain.normalised(plain.aspect_sums(world, rows, share))
        return plain.divergence(earlier, plain.normalised(plain.sums_of_list(world, user, k, share)), "kl")

    check_scores(metric, world, expected)


def test_rows_of_the_history_that_repeat() -> None:
    aspects = {"a": ["x"], "b": ["y"]}
    world = asp.World.of({"u": ["a", "b"]}, aspects=aspects, history=[("u", "b"), ("u", "a"), ("u", "a")])
    assert asp.Calibration(divergence="tv").scores(world)[0, 0] == 0.0
    assert asp.Calibration(divergence="tv", history_discount="geometric", patience=1.0).scores(world)[0, 0] == pytest.approx(
        1 / 6, abs=1e-15
    )
    assert asp.Calibration(divergence="tv", history_discount="geometric", patience=0.5).scores(world)[0, 0] == pytest.approx(
        1 / 14, abs=1e-15
    )


def test_the_order_of_a_history_may_not_be_known() -> None:
    one = np.array([0, 1])
    aspects, history = asp.Aspects(one, np.array([0]), 1), asp.History(one, np.array([0]))
    world = asp.World(asp.Rankings(one, np.array([0])), aspects=aspects, history=history)
    with pytest.raises(asp.InputError, match="Calibration: a discount of the history needs the order of its rows"):
        asp.Calibration(history_discount="log").scores(world)


def test_undefined() -> None:
    aspects = {"a": ["x"], "nothing": []}
    lists = {"no history": ["a"], "none in history": ["a"], "none in list": ["nothing"], "empty": [], "fine": ["a"]}
    history = {"none in history": ["nothing"], "none in list": ["a"], "empty": ["a"], "fine": ["a"]}
    scores = asp.Calibration().scores(asp.World.of(lists, aspects=aspects, history=history))[:, 0].tolist()
    assert [math.isnan(score) for score in scores] == [True, True, True, True, False]
    assert scores[-1] == 0.0
    results = asp.evaluate(lists, "Calibration", aspects=aspects, history=history, users="all")
    assert (results.details["Calibration"]["scored"], results.details["Calibration"]["undefined"]) == (1, 4)


def test_only_earlier_items_that_were_liked_count() -> None:
    two = np.array([0, 2])
    history = asp.History(two, np.array([0, 1]), np.array([True, False]), None, asp.Rankings(two, np.array([1, 0])))
    aspects = asp.Aspects(np.array([0, 1, 2]), np.array([0, 1]), 2)
    world = asp.World(asp.Rankings(np.array([0, 1]), np.array([0])), aspects=aspects, history=history)
    assert asp.Calibration().scores(world)[0, 0] == 0.0
    assert asp.Calibration(history_discount="log").scores(world)[0, 0] == 0.0


def test_a_missing_list_is_not_praised() -> None:
    results = asp.evaluate({"u1": ["d"]}, "Calibration", **TOY, users="judged")
    assert results.details["Calibration"]["missing"] == 3
    assert results["Calibration"] > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"divergence": "chi2"}, "expected 'kl' or 'js' or 'js_distance' or 'hellinger' or 'tv'"),
        ({"alpha": 0.0}, "alpha is 0, expected a number between 0 and 1"),
        ({"alpha": 1.0}, "alpha is 1, expected"),
        ({"alpha": 0.5, "divergence": "js"}, "alpha goes with divergence=kl only"),
        ({"base": 3.0, "divergence": "tv"}, "base goes with divergence=kl or js or js_distance only"),
        ({"base": 0.5}, "base is 0.5, expected"),
        ({"patience": 0.5}, "patience goes with discount=geometric only"),
        ({"mixed": True}, "expected 'list' or 'both'"),
        ({"share": "x"}, "expected 'item' or 'pair'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.Calibration(**parameters)


def test_less_is_better() -> None:
    assert asp.Calibration.higher_is_better is False
    assert asp.parse("Miscalibration@5") == asp.Calibration(k=5)


def test_the_threshold_that_says_what_users_like_is_told() -> None:
    inputs: dict[str, Any] = {"aspects": {"a": ["x"], "b": ["y"]}, "history": [("u", "a", 5.0), ("u", "b", 1.0)]}
    metrics = ["Calibration@1", "BinomialDiversity@1"]
    for threshold, told in ((None, None), (4, 4.0)):
        result = asp.evaluate({"u": ["a"]}, metrics, threshold=threshold, **inputs)
        assert [result.details[name].get("threshold") for name in metrics] == [told] * 2
