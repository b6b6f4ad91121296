"""Expected popularity complement against its definition in plain Python."""

import math
from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.epc import EPC
from tests import plain
from tests.plain import PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, same, world_of_many_items, worlds

DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["log", "none", "reciprocal", "geometric"])
RELEVANCE: st.SearchStrategy[Any] = st.sampled_from(["auto", "binary", "graded", "none"])

HISTORY = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
LISTS = {"u1": ["d", "e", "f"], "u2": ["c", "d", "g"], "u3": ["b", "e", "c"]}
RELEVANT = {"u1": {"e": 1, "h": 2}, "u2": {"d": 2, "h": 1}, "u3": {"c": 1}}


@checked(100)
@given(worlds(), CUTOFFS, DISCOUNTS, RELEVANCE)
def test_scores_follow_the_definition(
    world: PlainWorld,
    k: tuple[int, ...],
    discount: Literal["log", "none", "reciprocal", "geometric"],
    relevance: Literal["auto", "binary", "graded", "none"],
) -> None:
    way: Any = "binary" if relevance == "auto" else relevance
    check_scores(
        EPC(k=k, discount=discount, relevance=relevance),
        world,
        lambda user, k: plain.epc(world, user, k, discount=discount, relevance=way),
    )


@checked(40)
@given(worlds(), DISCOUNTS)
def test_all_recommendations_count_alike(world: PlainWorld, discount: Any) -> None:
    terms = [plain.epc_terms(world, user, 3, discount=discount, relevance="none") for user in world.rankings]
    expected = plain.ratio(math.fsum(gained for gained, _ in terms), math.fsum(ranks for _, ranks in terms))
    metric = EPC(k=3, discount=discount, relevance="none", average="links")
    assert same(asp.evaluate(build(world), metric)[metric], expected)


@checked(100)
@given(worlds(references=True), CUTOFFS, DISCOUNTS, RELEVANCE, st.sampled_from(["list", "k"]), st.sampled_from(["nobody", "one"]))
def test_short_lists_and_unseen_items(world: PlainWorld, k: tuple[int, ...], discount: Any, relevance: Any, over: Any, unseen: Any) -> None:
    ways = {"discount": discount, "relevance": "binary" if relevance == "auto" else relevance, "over": over}
    if discount == "geometric":
        ways["patience"] = 0.5
    least = 1 if unseen == "one" else 0
    check_scores(
        EPC(k=k, **{**ways, "relevance": relevance}, unseen=unseen),
        world,
        lambda user, k: plain.epc(world, user, k, **ways, novelty=lambda users: 1 - max(users, least) / max(world.n_knowing, 1)),
    )


def test_long_lists() -> None:
    world = world_of_many_items(1)
    check_scores(EPC(k=(1, 7, 20, 40, -1)), world, lambda user, k: plain.epc(world, user, k, discount="log", relevance="binary"))


@pytest.mark.parametrize(
    ("metric", "with_relevance", "expected"),
    [
        ("EPC@3", True, 0.206701),
        ("LTN@3", True, 0.777778),
        ("LTN@3", False, 0.777778),
        ("EPC(discount=none)@3", False, (0.833333 + 0.833333 + 0.666667) / 3),
        ("EPC(discount=none, unseen=one)@3", False, (0.75 + 0.75 + 2 / 3) / 3),
    ],
)
def test_numbers_of_other_programs(metric: str, with_relevance: bool, expected: float) -> None:
    """Elliot and RankSys: log discount and binary relevance; RELISON: long tail novelty."""
    results = asp.evaluate(LISTS, metric, history=HISTORY, relevance=RELEVANT if with_relevance else None)
    assert results[metric] == pytest.approx(expected, abs=1e-6)


def test_by_hand() -> None:
    world = asp.World.of(LISTS, history=HISTORY, relevance=RELEVANT)
    assert EPC(k=3).scores(world)[0, 0] == pytest.approx(1 / math.log2(3) * 0.75 / (1 + 1 / math.log2(3) + 0.5), abs=1e-15)
    assert EPC(k=3).scores(world)[0, 0] == pytest.approx(0.222061, abs=1e-6)
    assert EPC(k=3, discount="none", relevance="none").scores(world)[0, 0] == pytest.approx((0.75 + 0.75 + 1) / 3, abs=1e-15)


def test_popularity_is_that_of_all_users_whoever_has_a_list() -> None:
    """Users u2, u3 and u4 have no list here, but know items."""
    alone = asp.evaluate({"u1": LISTS["u1"]}, "EPC(discount=none)@3", history=HISTORY)
    assert alone["EPC(discount=none)@3"] == pytest.approx(0.833333, abs=1e-6)


def test_an_item_that_nobody_knows_has_novelty_1() -> None:
    world = asp.World.of({"u": ["only in this list"], "v": ["a"]}, history={"u": ["a"], "v": ["a"]})
    assert EPC().scores(world).tolist() == [[1.0], [0.0]]


def test_undefined_for_an_empty_list_and_without_a_relevant_item() -> None:
    inputs: dict[str, Any] = {"history": HISTORY, "relevance": {"u1": ["d"], "u3": {"b": 0}}}
    scores = EPC().scores(asp.World.of({"u1": [], "u2": ["c"], "u3": ["b"]}, **inputs))[:, 0].tolist()
    assert all(math.isnan(score) for score in scores[:3])
    without = EPC(relevance="none").scores(asp.World.of({"u1": [], "u2": ["c"]}, **inputs))[:, 0].tolist()
    assert math.isnan(without[0])
    assert without[1] == 0.75


def test_discounts_of_k_ranks() -> None:
    """As WarpRec has them: a short list cannot score as high as a long one."""
    lists, log3 = {"u1": ["d"], "u2": []}, 1 / math.log2(3)
    world = asp.World.of(lists, history=HISTORY)
    assert EPC(k=2, over="k").scores(world)[:2, 0].tolist() == pytest.approx([0.75 / (1 + log3), 0.0], abs=1e-15)
    assert EPC(k=2).scores(world)[0, 0] == 0.75


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("unseen=zero", "unseen is 'zero', expected 'nobody' or 'one'"),
        ("patience=0.5", "patience goes with discount=geometric only"),
        ("discount=geometric, patience=1.5", "patience is 1.5, expected 0 to 1"),
        ("over=length", "over is 'length', expected 'list' or 'k'"),
    ],
)
def test_parameters_that_are_refused(parameters: str, said: str) -> None:
    with pytest.raises(asp.MetricError, match=said):
        asp.parse(f"EPC({parameters})")


def test_unseen_items_are_counted() -> None:
    assert asp.evaluate(LISTS, "EPC@3", history=HISTORY).details["EPC@3"]["places_with_unseen_items"] == 2


def test_what_is_relevant_is_told() -> None:
    assert asp.evaluate(LISTS, "EPC@3", history=HISTORY).details["EPC@3"]["relevance"] == "none"
    assert asp.evaluate(LISTS, "EPC@3", history=HISTORY, relevance=RELEVANT).details["EPC@3"]["relevance"] == "binary"


def test_names() -> None:
    assert asp.parse("LTN@3") == EPC(k=3, discount="none", relevance="none", average="links")
    assert asp.parse("Expected popularity complement@3") == EPC(k=3)
    assert asp.parse("EPC(discount=none)") == EPC(discount="none")
    assert str(EPC(discount="none")) == "EPC(discount=none)" or asp.parse(str(EPC(discount="none"))) == EPC(discount="none")


@checked(60)
@given(worlds(), CUTOFFS, st.sampled_from([0.5, 2.0, 3.0, 7.0]))
def test_a_level_of_its_own(world: PlainWorld, k: tuple[int, ...], rel: float) -> None:
    other = replace(world, threshold=rel)
    check_scores(EPC(k=k, rel=rel), world, lambda user, k: plain.epc(other, user, k, discount="log", relevance="binary"))


def test_a_level_is_one_of_binary_relevance() -> None:
    for relevance in ("graded", "none"):
        with pytest.raises(asp.MetricError, match="rel goes with relevance=auto or binary only"):
            EPC(rel=2, relevance=relevance)
    with pytest.raises(asp.MissingInput, match="relevance="):
        asp.evaluate(LISTS, "EPC(rel=2)@3", history=HISTORY)


def test_tables_say_that_relevance_counts_where_nobody_asked_for_it() -> None:
    inputs: dict[str, Any] = {"history": HISTORY}
    assert "EPC@3 (by" not in asp.evaluate(LISTS, "EPC@3", **inputs).to_text()
    inputs["relevance"] = {"u1": ["e"]}
    assert "EPC@3 (by relevance)" in asp.evaluate(LISTS, "EPC@3", **inputs).to_text()
    assert "(by" not in asp.evaluate(LISTS, "EPC(relevance=binary)@3", **inputs).to_text()
