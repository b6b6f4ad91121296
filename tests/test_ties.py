"""Scores over all orders of equal scores: the closed forms against every order, written out."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import permutations, product
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.plain import Id, PlainWorld
from tests.questions import Bank, Question
from tests.strategies import checked, inputs_of, worlds
from tests.test_laws import SETTINGS

Lists = Mapping[Any, Mapping[Any, float]]

OVER_ORDERS = [metric for several in SETTINGS.values() for metric in several if not metric.why_one_order()]
CHUNKS = [OVER_ORDERS[start::8] for start in range(8)]
NAMES = ("AlphaDCG", "AlphaNDCG", "AspectRecall", "DCG", "ERRIA", "HitRate", "MAP", "MAPIA", "MRR", "NDCG", "NRBP")
LEAST_GREATEST = (" least", " greatest")

TIED_WORLDS = worlds(n_aspects=[3, 1, 6, 65], grades=[1.0, 0.0, 2.0, 3.0], weights_from=[1.0, 0.5, 0.0, 2.0])


def orders_of(scored: Mapping[Any, float]) -> list[list[Any]]:
    """Every order of a list in which scores fall."""
    groups: dict[float, list[Any]] = {}
    for item, score in scored.items():
        groups.setdefault(score, []).append(item)
    several = (permutations(groups[score]) for score in sorted(groups, reverse=True))
    return [[item for group in order for item in group] for order in product(*several)]


def each_order(lists: Lists) -> dict[Any, tuple[Any, list[Any]]]:
    """A user for every order, with the user whose it is."""
    return {f"{user}/{number}": (user, order) for user, scored in lists.items() for number, order in enumerate(orders_of(scored))}


def for_each_order(world: PlainWorld, users: Mapping[Any, tuple[Any, Any]]) -> PlainWorld:
    """The same world with a user for every order, who is like the one whose list it is."""

    def of_users(part: Mapping[Any, Any]) -> dict[Any, Any]:
        others = {str(user): of_user for user, of_user in part.items()}  # of whom some facts about all users are
        return {**others, **{name: part[user] for name, (user, _) in users.items() if user in part}}

    own = world.weights is not None and any(isinstance(one, Mapping) for one in world.weights.values())
    return replace(
        world,
        rankings={name: order for name, (_, order) in users.items()},
        relevance=of_users(world.relevance),
        history=of_users(world.history),
        subtopics=of_users(world.subtopics),
        weights=of_users(world.weights) if own and world.weights is not None else world.weights,
    )


def ends_of(result: asp.Results) -> dict[tuple[Any, str], tuple[float, float, float]]:
    """By user and name: expected, least and greatest score."""
    return {
        (row["user"], name): (row[name], *(row[name + kind] for kind in LEAST_GREATEST))
        for row in result.per_user.to_dicts()
        for name in result
    }


def check_orders(found: asp.Results, written_out: asp.Results, users: Mapping[Any, tuple[Any, Any]]) -> None:
    """Scores over orders are what all orders say that are written out."""
    scores: dict[tuple[Any, str], list[float]] = {}
    for row in written_out.per_user.to_dicts():
        for name in written_out:
            scores.setdefault((users[row["user"]][0], name), []).append(row[name])
    for (user, name), (expected, least, greatest) in ends_of(found).items():
        every = scores[user, name]
        where = f"{name}, user {user}: {expected}, {least}, {greatest} of {every}"
        if math.isnan(expected):
            assert all(map(math.isnan, (least, greatest, *every))), where
            continue
        assert math.isclose(expected, math.fsum(every) / len(every), rel_tol=1e-12, abs_tol=1e-12), where
        assert least <= expected <= greatest, where
        assert least <= min(every) + 1e-12 and greatest >= max(every) - 1e-12, where
        if not found.details[name]["bounds_only"]:
            assert math.isclose(least, min(every), rel_tol=1e-12, abs_tol=1e-12), where
            assert math.isclose(greatest, max(every), rel_tol=1e-12, abs_tol=1e-12), where


@st.composite
def tied_lists(draw: st.DrawFn, world: PlainWorld) -> dict[Any, dict[Any, float]]:
    """Short lists of a few users, with scores, many of which are equal."""
    score = st.sampled_from([2.0, 1.0, 2.0])
    return {user: {item: draw(score) for item in items[:5]} for user, items in list(world.rankings.items())[:2]}


def evaluated(rankings: Any, metrics: Sequence[asp.Metric], **inputs: Any) -> asp.Results:
    """Results of a world, however odd it looks."""
    return asp.evaluate(asp.World.of(rankings, **inputs), metrics, users="lists")


def without_lists(world: PlainWorld) -> dict[str, Any]:
    """All inputs but the lists."""
    return {name: given for name, given in inputs_of(world).items() if name != "rankings"}


def usable(world: PlainWorld, metrics: Iterable[asp.Metric]) -> list[asp.Metric]:
    needs_weights = [metric for metric in metrics if "given" in metric.parameters.values() or "listed" in metric.parameters.values()]
    return [
        metric for metric in metrics if (world.weights is not None or metric not in needs_weights) and metric.parameters.get("budget") != 0
    ]


def test_which_metrics_have_averages_over_orders() -> None:
    assert set(NAMES) < {type(metric).__name__ for metric in OVER_ORDERS}
    of_ranks = [metric for several in SETTINGS.values() for metric in several if not metric.budgets]
    refused = [str(metric) for metric in of_ranks if metric.why_one_order() and type(metric).__name__ in NAMES]
    assert all(any(word in name for word in ("drop", "full", "sorted", "list", "probabilistic", "category", "tokens")) for name in refused)


@pytest.mark.parametrize("chunk", range(len(CHUNKS)))
@checked(6, shrink=False)
@given(st.data())
def test_averages_and_ends_are_those_of_all_orders(chunk: int, data: st.DataObject) -> None:
    world = data.draw(TIED_WORLDS)
    lists = data.draw(tied_lists(world))
    seen = sorted(world.seen_items, key=str) if world.catalogue is None else world.catalogue
    world = replace(world, catalogue=seen)  # so that it does not shrink with the lists
    metrics = usable(world, CHUNKS[chunk])
    users = each_order(lists)
    found = evaluated(lists, metrics, ties="expected", **without_lists(world))
    written_out = evaluated(metrics=metrics, **inputs_of(for_each_order(world, users)))
    check_orders(found, written_out, users)


STRENGTHS = st.sampled_from([1.0, 0.5, 0.25])
ANSWERS = st.dictionaries(st.sampled_from("abcdefg"), STRENGTHS, max_size=4)
QUESTIONS = st.builds(Question, st.sampled_from([1.0, 2.0, 0.5]), st.lists(ANSWERS, min_size=1, max_size=3))


@pytest.mark.parametrize("of", ["attainable", "listed"])
@pytest.mark.parametrize("join", ["all", "share"])
@checked(30, shrink=False)
@given(st.lists(QUESTIONS, min_size=1, max_size=3), st.lists(st.sampled_from([1.0, 2.0, 1.0]), min_size=6, max_size=6))
def test_nuggets_that_ask_for_several_answers(of: str, join: str, asked: list[Question], scores: list[float]) -> None:
    lists = {"q": dict(zip("abcdef", scores, strict=True))}
    users, metric = each_order(lists), f"AspectRecall(of={of}, join={join})@1,2,3,5"
    others = {"somebody": [Question(1.0, [dict.fromkeys("abcdefg", 1.0)])]}  # so that all items are known
    found = asp.evaluate(lists, metric, subtopics=Bank({"q": asked, **others}), ties="expected")
    every = {name: order for name, (_, order) in users.items()}
    several = asp.evaluate(every, metric, subtopics=Bank({**dict.fromkeys(users, asked), **others}))
    check_orders(found, several, users)


def all_shown(answers: Sequence[Iterable[Any]], n: int, t: int) -> Fraction:
    """That t of n documents show all answers, by counting with whole numbers."""
    documents: dict[Any, int] = {}
    for bit, answer in enumerate(answers):
        for item in answer:
            documents[item] = documents.get(item, 0) | 1 << bit
    ways, left = {(0, 0): 1}, sorted(documents.values())
    while left:
        own, found = left.pop(), dict[tuple[int, int], int]()
        can_come = reduce(or_, left, 0)
        for (shown, drawn), several in ways.items():
            for state in ((shown, drawn), (shown | own, drawn + 1)):
                if (state[0] | can_come).bit_count() == len(answers):
                    found[state] = found.get(state, 0) + several
        ways = found
    every, others = (1 << len(answers)) - 1, n - len(documents)
    return Fraction(sum(c * math.comb(others, t - x) for (shown, x), c in ways.items() if shown == every and x <= t), math.comb(n, t))


@pytest.mark.parametrize(
    ("answers", "n", "k"),
    [
        ([[a] for a in range(5)], 5, 4),
        ([[a] for a in range(5)], 9, 5),
        ([[a] for a in range(30)], 40, 35),
        ([[2 * a, 2 * a + 1] for a in range(20)], 400, 21),
        ([[a, a + 1, (a * a) % 11] for a in range(10)], 30, 4),
        ([[a % 7, a % 5] for a in range(12)], 25, 3),
        ([range(a, a + 20) for a in range(4)], 24, 5),
    ],
)
def test_no_digits_are_lost_where_all_answers_have_to_be_drawn(answers: list[Iterable[int]], n: int, k: int) -> None:
    bank = Bank({"q": [Question(1.0, [{f"d{item}": 1.0 for item in answer} for answer in answers])]})
    lists = {"q": {f"d{item}": 1.0 for item in range(n)}}
    found = asp.evaluate(lists, f"AspectRecall@{k}", subtopics=bank, ties="expected")
    exact = all_shown(answers, n, k)
    assert math.isclose(found[f"AspectRecall@{k}"], float(exact), rel_tol=1e-12)
    if exact in (0, 1):
        assert {found[f"AspectRecall@{k}"], found.least[f"AspectRecall@{k}"], found.greatest[f"AspectRecall@{k}"]} == {float(exact)}


def test_a_nugget_that_is_too_much_to_average_is_an_error_of_its_user_only() -> None:
    chance = random.Random(7)
    answers = [{f"d{item}": 1.0 for item in chance.sample(range(60), 12)} for _ in range(40)]
    plan = asp.Plan(
        "AspectRecall@1,30", asp.Truth.read(subtopics=Bank({"q": [Question(1.0, answers)], "r": [Question()]}), ties="expected")
    )
    tied, plain = {f"d{item}": 1.0 for item in range(60)}, {f"d{item}": float(-item) for item in range(60)}
    others = {"r": {"x": 1.0, "y": 1.0}}
    with pytest.raises(asp.InputError, match=r"user 'q': the nugget with answer 'q-0/0' asks for 40 answers.*join=share"):
        plan.observe({"q": tied, **others})
    at_once, in_parts = plan.observe({"q": plain, **others}), plan.observe({"q": plain}) + plan.observe(others)
    assert dict(plan.finish(at_once)) == dict(plan.finish(in_parts))


def test_strengths_of_one_nugget_are_too_much_together() -> None:
    """Each of hundreds of strengths is as much as answers without strengths, which are not too much."""
    chance = random.Random(8)
    answers = [{f"d{item}": chance.random() for item in range(80) if chance.random() < 0.5} for _ in range(12)]
    lists = {"q": {f"d{item}": 1.0 for item in range(80)}}
    few = Bank({"q": [Question(1.0, [dict.fromkeys(answer, 1.0) for answer in answers]), Question()]})
    assert 0 < asp.evaluate(lists, "AspectRecall@10", subtopics=few, ties="expected")["AspectRecall@10"] < 1
    many = Bank({"q": [Question(1.0, answers), Question()]})
    assert 0 < asp.evaluate(lists, "AspectRecall(join=share)@10", subtopics=many, ties="expected")["AspectRecall(join=share)@10"] < 1
    with pytest.raises(asp.InputError, match=r"user 'q': the nugget with answer 'q-0/0' asks for 12 answers.*join=share"):
        asp.evaluate(lists, "AspectRecall@40", subtopics=many, ties="expected")


@checked(15)
@given(st.data())
def test_without_ties_nothing_changes_by_a_bit(data: st.DataObject) -> None:
    """Nor for a user without ties, if others have some."""
    world = data.draw(TIED_WORLDS)
    metrics = usable(world, data.draw(st.sampled_from(CHUNKS)))
    lists = {user: {item: -float(place) for place, item in enumerate(items)} for user, items in world.rankings.items()}
    catalogue = sorted(world.seen_items, key=str)
    inputs = {**without_lists(world), "catalogue": catalogue}
    plain = evaluated(lists, metrics, **inputs)
    mixed: dict[Any, Any] = {**lists, "new" if any(isinstance(user, str) for user in lists) else 99: dict.fromkeys(catalogue, 1.0)}
    for given_lists in (lists, mixed):
        found = ends_of(evaluated(given_lists, metrics, ties="expected", **inputs))
        for row in plain.per_user.to_dicts():
            for name in plain:
                ends = found[row["user"], name]
                assert [one.hex() for one in ends] == [row[name].hex()] * 3, f"{name}, user {row['user']}"


@checked(15)
@given(st.data())
def test_the_order_in_which_ties_are_given_does_not_show(data: st.DataObject) -> None:
    world = data.draw(TIED_WORLDS)
    lists = data.draw(tied_lists(world))
    shuffled = {user: dict(data.draw(st.permutations(list(scored.items())))) for user, scored in lists.items()}
    metrics = usable(world, data.draw(st.sampled_from(CHUNKS)))
    inputs = {**without_lists(world), "catalogue": sorted(world.seen_items, key=str)}
    one, other = (ends_of(evaluated(each, metrics, ties="expected", **inputs)) for each in (lists, shuffled))
    for key, ends in one.items():
        assert [end.hex() for end in ends] == [end.hex() for end in other[key]], key


def test_no_bit_depends_on_the_order_of_rows() -> None:
    """Strengths and weights whose sums are rounded; groups above the cutoff, cut by it, and too large to search."""
    chance = random.Random(4)
    nuggets: dict[str, Any] = {}
    lists: dict[str, list[tuple[str, float]]] = {}
    weights = {}
    for user in range(60):
        n_items = chance.choice([5, 5, 8, 8, 30, 60])
        some = [f"d{item}" for item in range(n_items)]
        asked = {f"n{nugget}": {item: chance.choice([0.1, 0.3, 0.7, 0.9]) for item in some if chance.random() < 0.6} for nugget in range(6)}
        nuggets[f"q{user}"] = {nugget: given for nugget, given in asked.items() if given}
        weights[f"q{user}"] = {nugget: chance.choice([0.1, 0.3, 0.7, 1.1]) for nugget in nuggets[f"q{user}"]}
        lists[f"q{user}"] = [(item, float(chance.randrange(3))) for item in some]
    metrics = [
        "AspectRecall@1,2,4,5,7,12",
        "AspectRecall(of=listed)@4",
        "AlphaDCG@1,3,5,12",
        "AlphaNDCG(alpha=0.3)@5",
        "ERRIA@4,20",
        "NRBP",
        "MAPIA@4,20",
        "PrecisionIA@4",
    ]
    found = []
    for _ in range(3):
        run = {user: dict(chance.sample(items, len(items))) for user, items in lists.items()}
        result = asp.evaluate(run, metrics, subtopics=asp.Nuggets.of(nuggets, weights=weights), ties="expected")
        found.append({key: [end.hex() for end in ends] for key, ends in ends_of(result).items()})
        assert any(result.details[name]["bounds_only"] for name in result)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("chunk", range(len(CHUNKS)))
@checked(10, shrink=False)
@given(st.data())
def test_averages_are_within_the_ends_but_for_rounding(chunk: int, data: st.DataObject) -> None:
    """What scores are corrected by is no more, so that no wrong average could hide."""
    world = data.draw(TIED_WORLDS)
    inputs = {**without_lists(world), "catalogue": sorted(world.seen_items, key=str)}
    lists = asp.World.of(data.draw(tied_lists(world)), ties="expected", **inputs)
    for metric in usable(world, CHUNKS[chunk]):
        assert isinstance(metric, asp.UserMetric)
        computed = metric.resolved(lists.truth).fractions_at_all(lists)
        kept = computed.within_ends()
        if computed.ends is None or kept.ends is None:
            assert computed is kept
            continue
        for one, other in ((computed, kept), (computed.ends, kept.ends)):
            for name in ("numerators", "least", "greatest"):
                if hasattr(one, name):
                    np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-12, err_msg=str(metric))
        sure, ends = kept.ends.sure, kept.ends
        assert ((ends.least <= kept.numerators) & (kept.numerators <= ends.greatest))[sure].all(), metric


def test_averages_stay_within_the_range_of_the_metric() -> None:
    """To the bit: what every order shows is 1, and so is its average."""
    sizes = [(n, m) for n in range(1, 40, 3) for m in range(1, n + 1)]
    relevance = {f"{n}/{m}": [f"d{item}" for item in range(m)] for n, m in sizes}
    lists = {f"{n}/{m}": {f"d{item}": 1.0 for item in range(n)} for n, m in sizes}
    names = ["HitRate@1,5,30", "HitRate", "MRR", "MAP", "Recall@7", "Recall", "Precision@5", "NDCG@5", "NDCG"]
    found = ends_of(asp.evaluate(lists, names, relevance=relevance, ties="expected"))
    for (user, name), (expected, least, greatest) in found.items():
        assert 0 <= least <= expected <= greatest <= 1, (user, name)
        if name in ("HitRate", "Recall"):
            assert (expected, least, greatest) == (1, 1, 1), (user, name)


def test_groups_within_the_cutoff_are_counted_as_a_whole() -> None:
    """Averages of their places would have to be rounded."""
    lists = {"q": {**{f"a{item}": 2.0 for item in range(49)}, "b": 1.0, "c": 1.0}}
    found = asp.evaluate(lists, "Recall@50", relevance={"q": ["a0", "a1", "b", "x"]}, ties="expected")
    assert found["Recall@50"] == 2.5 / 4


def check_example(found: asp.Results, expected: Mapping[str, Sequence[float]]) -> None:
    for name, (mean, *ends) in expected.items():
        assert found[name] == pytest.approx(mean, abs=5e-6), name
        if ends:
            assert (found.least[name], found.greatest[name]) == pytest.approx(tuple(ends), abs=5e-6), name


def test_an_item_with_two_aspects_tied_with_one() -> None:
    metrics = ["AlphaDCG@1,2", "AlphaNDCG@2", "AspectRecall@1", "ERRIA@1,2", "NRBP"]
    found = asp.evaluate({"q": {"a": 1.0, "b": 1.0}}, metrics, subtopics={"q": {"a": [1, 2], "b": [1]}}, ties="expected")
    expected = {
        "AlphaDCG@1": (1.5, 1, 2),
        "AlphaDCG@2": (2.13093, 1.94639, 2.31546),
        "AlphaNDCG@2": (0.92030, 0.84061, 1),
        "AspectRecall@1": (0.75, 0.5, 1),
        "ERRIA@1": (0.375,),
        "ERRIA@2": (0.5,),
        "NRBP": (0.75,),
    }
    check_example(found, expected)
    details = found.details["AlphaNDCG@2"]
    assert (details["lists_with_ties"], details["lists_cut_within_ties"], details["tied_share"]) == (1, 0, 1.0)
    assert found.details["AlphaDCG@1"]["lists_cut_within_ties"] == 1


def test_strengths_of_one_nugget() -> None:
    judged = [("q", "x", "a", 1, 1.0), ("q", "x", "b", 1, 0.5)]
    found = asp.evaluate({"q": dict.fromkeys("abc", 1.0)}, ["AlphaDCG@1,2,3", "AspectRecall@1,2"], subtopics=judged, ties="expected")
    gains = {"AlphaDCG@1": (0.5,), "AlphaDCG@2": (0.76289,), "AlphaDCG@3": (0.92955,)}
    check_example(found, {**gains, "AspectRecall@1": (0.5,), "AspectRecall@2": (0.83333,)})


def test_two_relevant_items_of_three() -> None:
    found = asp.evaluate({"q": dict.fromkeys("rsn", 1.0)}, ["MAP", "MRR", "Precision@2"], relevance={"q": ["r", "s"]}, ties="expected")
    check_example(found, {"MAP": (0.80556,), "MRR": (0.83333,), "Precision@2": (0.66667, 0.5, 1)})


def test_a_constant_score_says_nothing() -> None:
    nuggets = {f"d{number}": [number] for number in range(5)}
    lists = {"q": {f"d{number}": 0.5 for number in range(100)}}
    found = asp.evaluate(lists, ["AlphaNDCG@10", "AspectRecall@10"], subtopics={"q": nuggets}, ties="expected")
    check_example(found, {"AlphaNDCG@10": (0.07705, 0, 1), "AspectRecall@10": (0.1, 0, 1)})


def test_small_alphas_lose_no_digits() -> None:
    """The difference of two products that are almost 1 would have none left."""
    lists, nuggets = {"q": dict.fromkeys("abcd", 1.0)}, {"q": {"a": ["x"], "b": ["x"], "c": ["x"]}}
    found = asp.evaluate(lists, "AlphaDCG(alpha=1e-13, discount=none)@4", subtopics=nuggets, ties="expected")
    assert math.isclose(next(iter(found.values())), 3.0 - 3e-13, rel_tol=1e-15)


def test_scores_order_lists_that_also_have_ranks() -> None:
    rows = [("q", "a", 1, 0.5), ("q", "b", 2, 1.0), ("q", "c", 3, 0.5)]
    frame = _frame(rows)
    found = asp.evaluate(frame, ["Precision@1", "Precision@2"], relevance={"q": ["b", "a"]}, ties="expected")
    assert (found["Precision@1"], found["Precision@2"]) == (1.0, 0.75)
    with pytest.raises(asp.InputError, match=r"not in the order of its scores.*order='rank'"):
        asp.evaluate(frame, "Precision@1", relevance={"q": ["b"]}, ties="expected", order="rank")
    falling = _frame([("q", "a", 1, 1.0), ("q", "b", 2, 0.5), ("q", "c", 3, 0.5)])
    by_rank = asp.evaluate(falling, "Precision@2", relevance={"q": ["b", "a"]}, ties="expected", order="rank")
    assert by_rank["Precision@2"] == 0.75


def _frame(rows: Sequence[tuple[str, str, int, float]]) -> Any:
    import polars

    return polars.DataFrame(rows, schema=["user", "item", "rank", "score"], orient="row")


def test_what_cannot_be_averaged_is_refused() -> None:
    lists: dict[str, Any] = {"q": {"a": 1.0, "b": 1.0}}
    subtopics = {"q": {"a": ["x"]}}
    with pytest.raises(asp.MetricError, match=r"AlphaDCG@9t cannot be averaged.*number of tokens depends on their order"):
        asp.evaluate(lists, "AlphaDCG@9t", subtopics=subtopics, lengths={"a": 4, "b": 6}, ties="expected")
    for metric in ("ILD@2", "Gini@2", "AlphaNDCG(ideal=sorted)@2", "AlphaNDCG(pool=list)@2", "AlphaNDCG(unjudged=drop)@2"):
        name = metric.partition("(")[0].partition("@")[0].replace("ILD", "IntraListDiversity")
        with pytest.raises(asp.MetricError, match=f"{name}.*cannot be averaged over the orders of equal scores.*ties='ascending'"):
            asp.evaluate(lists, metric, subtopics=subtopics, aspects={"a": ["x"], "b": ["x"]}, ties="expected")
    with pytest.raises(asp.InputError, match="ties='expected' needs the scores of items"):
        asp.evaluate({"q": ["a", "b"]}, "AlphaNDCG@2", subtopics=subtopics, ties="expected")
    plan = asp.Plan("AlphaNDCG@2", asp.Truth.read(subtopics=subtopics, ties="expected"))
    with pytest.raises(asp.InputError, match="needs the scores of items"):
        plan.observe(asp.Rankings(np.array([0, 1]), np.array([0], np.int32)))
    every = asp.evaluate(lists, "all@2", subtopics=subtopics, relevance={"q": ["a"]}, ties="expected")
    assert {"AlphaNDCG@2", "NDCG@2"} <= set(every) and "GiniComplement@2" not in every
    assert any("needs one order of ties" in note for note in every.notes)


def test_a_convention_gives_way() -> None:
    lists, nuggets = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": ["x"], "b": []}}
    relevance = {"q": ["a"]}
    for convention in ("freshstack", "pyndeval", "ndeval"):
        found = asp.evaluate(lists, "AlphaNDCG@1", subtopics=nuggets, relevance=relevance, convention=convention, ties="expected")
        assert (found["AlphaNDCG@1"], found.least["AlphaNDCG@1"], found.greatest["AlphaNDCG@1"]) == (0.5, 0.0, 1.0)


def test_bounds_are_marked() -> None:
    """A group of very many different items is too much to search."""
    chance = random.Random(5)
    judged = {"q": {f"d{item}": sorted({chance.randrange(12) for _ in range(4)}) for item in range(60)}}
    lists = {"q": dict.fromkeys(judged["q"], 1.0)}
    found = asp.evaluate(lists, ["AlphaNDCG@20", "AspectRecall@3"], subtopics=judged, ties="expected")
    assert found.details["AlphaNDCG@20"]["bounds_only"] == 1
    assert "1 bound only" in found.to_text()
    assert found.least["AlphaNDCG@20"] < found["AlphaNDCG@20"] < found.greatest["AlphaNDCG@20"]


def test_large_groups_have_bounds_before_they_take_long() -> None:
    """Each of thousands of documents is another kind, with strengths that no other has."""
    chance = random.Random(6)
    for n, cutoff in ((2000, 1000), (20_000, 10_000)):
        judged = [("q", f"n{item % 20}", f"d{item}", chance.random()) for item in range(n)]
        lists = {"q": {f"d{item}": 1.0 for item in range(n)}}
        metrics = [f"AspectRecall@1,{cutoff}", "AlphaDCG@20"]
        found = asp.evaluate(lists, metrics, subtopics=_judged(judged), ties="expected")
        assert {name: found.details[name]["bounds_only"] for name in found} == {
            "AspectRecall@1": 0,
            f"AspectRecall@{cutoff}": 1,
            "AlphaDCG@20": 1,
        }
        for name, value in found.items():
            assert 0 <= found.least[name] < value < found.greatest[name], name
        strengths = [strength for *_, strength in judged]
        assert found.least["AspectRecall@1"] == pytest.approx(min(strengths) / 20, rel=1e-12)
        assert found.greatest["AspectRecall@1"] == pytest.approx(max(strengths) / 20, rel=1e-12)


def _judged(rows: Sequence[tuple[str, str, str, float]]) -> Any:
    import polars

    return polars.DataFrame(rows, schema=["user", "aspect", "item", "strength"], orient="row")


def test_bounds_stay_within_the_range_of_the_metric() -> None:
    chance = random.Random(3)
    judged = {"q": {f"d{item}": sorted({chance.randrange(14) for _ in range(6)}) for item in range(60)}}
    lists = {"q": dict.fromkeys(judged["q"], 1.0)}
    found = asp.evaluate(lists, ["MAPIA@60", "AspectRecall@4", "AlphaNDCG(ideal=exact)@3"], subtopics=judged, ties="expected")
    assert found.details["MAPIA@60"]["bounds_only"] == 1
    for name, value in found.items():
        assert 0 <= found.least[name] <= value <= found.greatest[name] <= 1, name
    assert "least at least 0." in found.to_text() and "greatest at most 1" in found.to_text()


def test_what_no_order_shows_is_no_bound() -> None:
    bank = Bank({"q": [Question(1.0, [{f"d{item}": 1.0} for item in range(20)])]})
    lists = {"q": {f"d{item}": 1.0 for item in range(40)}}
    found = asp.evaluate(lists, "AspectRecall@19", subtopics=bank, ties="expected")
    name = "AspectRecall@19"
    assert (found.least[name], found[name], found.greatest[name], found.details[name]["bounds_only"]) == (0, 0, 0, 0)


LISTS: Lists = {f"u{user}": {f"i{(user * 7 + item * 3) % 20}": float(5 - item // 3) for item in range(12)} for user in range(60)}
RELEVANCE = {f"u{user}": {f"i{(user + item * 5) % 20}": item % 3 + 1 for item in range(6)} for user in range(60)}
ASPECTS = {f"i{item}": [f"g{item % 4}", f"g{item % 3}"] for item in range(20)}
SOME = ["AlphaNDCG@2,5", "ERRIA@5", "AspectRecall@4", "NDCG(average=ratio)@4", "MAP", "MAPIA@7"]


def test_files_outputs_and_comparisons_keep_the_ends(tmp_path: Path) -> None:
    found = asp.evaluate(LISTS, SOME, relevance=RELEVANCE, aspects=ASPECTS, ties="expected")
    name = "AlphaNDCG@5"
    assert found.least[name] < found[name] < found.greatest[name]
    assert f"{found.least[name]:.6g}" in found.to_text() and f"{found.greatest[name]:.6g}" in found.to_markdown()
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(found.to_csv()))}
    assert [float(rows[name][end]) for end in ("least", "value", "greatest")] == [found.least[name], found[name], found.greatest[name]]
    saved = json.loads(found.to_json())["metrics"]
    assert {one["metric"]: one["least"] for one in saved} == dict(found.least)
    for file in ("scores.parquet", "scores.csv"):
        found.write_per_user(tmp_path / file)
        read = asp.Results.read(tmp_path / file)
        assert isinstance(read, asp.Results)
        assert set(read) == set(found)
        assert ends_of_columns(read, name) == ends_of_columns(found, name)
        assert dict(read.least) == pytest.approx(dict(found.least), abs=1e-15)
    found.write(tmp_path / "results.json", scores=tmp_path / "scores.parquet")
    read = asp.Results.read(tmp_path / "results.json")
    assert isinstance(read, asp.Results)
    assert dict(read.greatest) == dict(found.greatest)
    better = {user: {item: score + (item in RELEVANCE[user]) for item, score in scored.items()} for user, scored in LISTS.items()}
    both = asp.evaluate_systems({"A": LISTS, "B": better}, SOME, relevance=RELEVANCE, aspects=ASPECTS, ties="expected")
    compared = asp.compare(both, baseline="A")
    assert compared[name, "B"].difference > 0
    both.write_report(tmp_path / "report.html")
    with pytest.raises(KeyError, match="ties='expected'"):
        asp.evaluate(LISTS, name, relevance=RELEVANCE, aspects=ASPECTS).least[name]


def ends_of_columns(results: asp.Results, name: str) -> list[list[float]]:
    return [results.per_user[name + kind].to_list() for kind in ("", *LEAST_GREATEST)]


def test_lists_that_come_piece_by_piece(tmp_path: Path) -> None:
    rows = [f"{user},{item},{score}" for user, scored in LISTS.items() for item, score in scored.items()]
    file = tmp_path / "lists.csv"
    file.write_text("\n".join(["user,item,score", *rows]) + "\n")
    whole = asp.evaluate(file, SOME, relevance=RELEVANCE, aspects=ASPECTS, ties="expected")
    for options in ({"memory": "4GB"}, {"memory": "4GB", "resume": tmp_path / "kept"}, {"batch_size": 7}):
        pieces = asp.evaluate(file, SOME, relevance=RELEVANCE, aspects=ASPECTS, ties="expected", **options)
        assert pieces == whole
        assert pieces.per_user.sort("user").equals(whole.per_user.sort("user"))


def test_lists_of_codes() -> None:
    relevance = asp.Relevance(offsets=np.array([0, 1]), items=np.array([1], np.int32))
    tied = asp.Rankings(np.array([0, 2]), np.array([0, 1], np.int32), tied=np.array([False, True]))
    found = asp.evaluate(tied, "MRR", relevance=relevance, ties="expected")
    assert (found["MRR"], found.least["MRR"], found.greatest["MRR"]) == (0.75, 0.5, 1.0)
    assert asp.evaluate(tied, "MRR", relevance=relevance)["MRR"] == 0.5
    with pytest.raises(asp.MetricError, match="RPrecision cannot be averaged"):
        asp.evaluate(tied, "RPrecision", relevance=relevance, ties="expected")
    unknown = asp.Rankings(np.array([0, 2]), np.array([0, 1], np.int32))
    with pytest.raises(asp.InputError, match=r"needs the scores of items, or Rankings\(..., tied=...\)"):
        asp.evaluate(unknown, "MRR", relevance=relevance, ties="expected")
    for option in ({"ties": "ascending"}, {"order": "rank"}, {"duplicates": "first"}):
        with pytest.raises(asp.InputError, match="goes with ids; lists of codes are in their order already"):
            asp.evaluate(tied, "MRR", relevance=relevance, **option)  # type: ignore[arg-type]


def test_scores_of_a_world_are_not_those_of_one_order() -> None:
    world = asp.World.of(LISTS, aspects=ASPECTS, relevance=RELEVANCE, ties="expected")
    with pytest.raises(asp.MetricError, match="cannot be averaged over the orders of equal scores"):
        asp.parse("RPrecision").scores(world)  # type: ignore[attr-defined]


def test_an_id_may_be_of_any_kind() -> None:
    lists: dict[Id, dict[Id, float]] = {1: {10: 0.5, 11: 0.5}}
    assert asp.evaluate(lists, "Precision@1", relevance={1: [10]}, ties="expected")["Precision@1"] == 0.5
