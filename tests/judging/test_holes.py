"""Items that nobody judged: the upper end of an interval, against banks in which they hold everything."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.judging.test_questions import BANKS, ITEMS
from tests.questions import Bank, Question
from tests.strategies import checked

LISTS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.permutations([*ITEMS, "x", "y"]), min_size=1)
UNMOVED = [
    "AlphaDCG({})@1,3,5",
    "AlphaDCG({}, normalize=perfect, of=listed)@1,3,5",
    "ERRIA({}, of=listed)@1,3,5",
    "NRBP({}, of=listed)",
    "AspectRecall({}, of=listed)@1,3,5",
    "AspectRecall({}, of=listed, join=share)@1,3,5",
]
"""Metrics whose denominators do not depend on what is judged."""


def evaluated(lists: Mapping[str, Sequence[str]], metrics: Sequence[str], bank: Mapping[str, Sequence[Question]]) -> list[dict[str, Any]]:
    return list(asp.evaluate(lists, metrics, subtopics=Bank(bank), users="judged", catalogue=ITEMS).per_user.iter_rows(named=True))


def filled(bank: Mapping[str, Sequence[Question]]) -> dict[str, list[Question]]:
    """The bank where items that are judged for nothing hold every answer of the user."""
    found = {}
    for user, asked in bank.items():
        judged = {item for one in asked for answer in one.given for item in answer}
        holes = {item: 1.0 for item in [*ITEMS, "x", "y"] if item not in judged}
        found[user] = [Question(one.weight, [{**answer, **holes} for answer in one.given or [{}]]) for one in asked]
    return found


@checked(60)
@given(BANKS, LISTS)
def test_unjudged_items_hold_everything(bank: Mapping[str, Sequence[Question]], lists: Mapping[str, Sequence[str]]) -> None:
    found = evaluated(lists, [one.format("unjudged=full") for one in UNMOVED], bank)
    expected = evaluated(lists, [one.format("unjudged=keep") for one in UNMOVED], filled(bank))
    for row, other in zip(found, expected, strict=True):
        for score, wanted in zip(row.values(), other.values(), strict=True):
            if isinstance(score, float) and not (math.isnan(score) and not any(one.given for one in bank[row["user"]])):
                assert score == pytest.approx(wanted, abs=1e-12)


@checked(60)
@given(BANKS, LISTS, st.sampled_from(["greedy", "exact"]))
def test_an_ideal_stays_that_of_what_is_judged(
    bank: Mapping[str, Sequence[Question]], lists: Mapping[str, Sequence[str]], ideal: str
) -> None:
    metrics = ["AlphaDCG@3", f"AlphaNDCG(ideal={ideal})@3", "AlphaDCG(unjudged=full)@3", f"AlphaNDCG(ideal={ideal}, unjudged=full)@3"]
    for row in evaluated(lists, metrics, bank):
        gained, score, most, upper = (row[str(asp.parse(one))] for one in metrics)
        if row["user"] in lists and gained > 0:
            assert upper == pytest.approx(min(1.0, most * score / gained), abs=1e-9) or score > 1


def test_the_example_of_a_hole_at_rank_ten() -> None:
    bank = Bank({"q": [Question(1.0, [{"a": 1.0}]), Question(1.0, [])]})
    lists = {"q": ["a", *(f"x{rank}" for rank in range(2, 11))]}
    metrics = ["AlphaNDCG@10", "AlphaNDCG(unjudged=full)@10", "AspectRecall(of=listed)@10", "AspectRecall(of=listed, unjudged=full)@10"]
    assert list(asp.evaluate(lists, metrics, subtopics=bank).values()) == [1.0, 1.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("metric", "refused"),
    [
        ("AlphaNDCG(unjudged=full, judged_by=history)", "judged_by=history"),
        ("AlphaNDCG(unjudged=full, gain=probabilistic)", "gain=probabilistic"),
        ("AlphaNDCG(unjudged=full, ideal=sorted)", "ideal=sorted"),
        ("AlphaNDCG(unjudged=full, pool=list)", "pool=list"),
        ("ERRIA(unjudged=full, grades=true)", "grades=true"),
    ],
)
def test_what_does_not_go_with_full_places(metric: str, refused: str) -> None:
    with pytest.raises(asp.MetricError, match=f"unjudged=full does not go with {refused}"):
        asp.parse(metric)


def test_other_ways_of_judging_have_no_list_of_what_there_is() -> None:
    with pytest.raises(asp.MissingInput, match=r"AlphaNDCG\(unjudged=full\) needs subtopics"):
        asp.evaluate({"u": ["a"]}, "AlphaNDCG(unjudged=full)@1", aspects={"a": ["x"]}, history={"u": ["a"]})


def heaviest(asked: Sequence[Question], items: Sequence[str], at_most: int) -> float:
    """The definition: unjudged items hold the aspects that weigh most of those that the judged ones leave, `at_most` each."""
    judged = {item for one in asked for answer in one.given for item in answer}
    answers = [(one.weight / max(1, len(one.given)), answer) for one in asked for answer in one.given or [{}]]
    shown = [weight * max((answer.get(item, 0.0) for item in items), default=0.0) for weight, answer in answers]
    left = sorted((weight - value for (weight, _), value in zip(answers, shown, strict=True)), reverse=True)
    n_holes = sum(item not in judged for item in items)
    return math.fsum([*shown, *left[: at_most * n_holes]]) / math.fsum(weight for weight, _ in answers)


def most_of(asked: Sequence[Question]) -> int:
    held = [sum(answer.get(item, 0.0) > 0 for one in asked for answer in one.given) for item in ITEMS]
    return max(held)


@checked(100)
@given(BANKS, LISTS, st.sampled_from([0, 1, 2, "judged"]))
def test_unjudged_items_hold_at_most_so_many(
    bank: Mapping[str, Sequence[Question]], lists: Mapping[str, Sequence[str]], at_most: int | str
) -> None:
    metric = asp.parse(f"AspectRecall(of=listed, join=share, unjudged=full, at_most={at_most})@1,3,-1")
    for row in asp.evaluate(lists, metric, subtopics=Bank(bank), users="judged", catalogue=ITEMS).per_user.iter_rows(named=True):
        asked = bank[row["user"]]
        limit = most_of(asked) if isinstance(at_most, str) else at_most
        for k in metric.cutoffs:
            shown = lists.get(row["user"], [])[: None if k < 0 else k]
            assert row[str(metric.at(k))] == pytest.approx(heaviest(asked, shown, limit) if row["user"] in lists else 0.0, abs=1e-12)


@pytest.mark.parametrize("at_most", [2**31, 2**62, 2**63 - 1, 10**30])
def test_a_limit_above_all_aspects_is_none(at_most: int) -> None:
    bank = Bank({"q": [Question(1.0, [{"a": 1.0}]), Question(1.0, []), Question(1.0, [])]})
    found = asp.evaluate({"q": list("axyzw")}, f"AspectRecall(of=listed, join=share, unjudged=full, at_most={at_most})@1,5", subtopics=bank)
    assert list(found.values()) == [pytest.approx(1 / 3), 1.0]


def test_a_limit_needs_single_aspects() -> None:
    bank = Bank({"q": [Question(1.0, [{"a": 1.0}, {"b": 1.0}])]})
    with pytest.raises(asp.InputError, match=r"at_most counts single aspects.*expected join=share"):
        asp.evaluate({"q": ["a", "x"]}, "AspectRecall(of=listed, unjudged=full, at_most=1)@2", subtopics=bank)
    with pytest.raises(asp.MetricError, match="at_most"):
        asp.parse("AspectRecall(of=listed, at_most=1)")
    with pytest.raises(asp.MetricError, match="expected 0 or more"):
        asp.parse("AspectRecall(of=listed, unjudged=full, at_most=-1)")


@checked(40)
@given(BANKS, LISTS, st.booleans())
def test_weights_list_what_there_is_as_nuggets_do(
    bank: Mapping[str, Sequence[Question]], lists: Mapping[str, Sequence[str]], uniform: bool
) -> None:
    """Subtopics with the weights of all aspects, also of those without an item, are the same nuggets."""
    items_of = {
        user: {f"{user} {number}": list(one.given[0]) if one.given else [] for number, one in enumerate(asked)}
        for user, asked in bank.items()
        if any(one.given for one in asked)
    }
    if not items_of:
        return
    subtopics = [(user, name, item, 1) for user, own in items_of.items() for name, items in own.items() for item in items]
    weights = {user: dict.fromkeys(own, 1.0) for user, own in items_of.items()}
    ranked = dict.fromkeys(items_of, next(iter(lists.values())))
    metrics = [*(one.format("unjudged=full") for one in UNMOVED), "AspectRecall(of=listed)@3"]
    metrics.append("AspectRecall(of=listed, unjudged=full, at_most=1)@3")
    metrics += ["ERRIA(unjudged=full, of=listed, intents=uniform)@3"] * uniform
    known = asp.evaluate(ranked, metrics, subtopics=asp.Nuggets.of(items_of), catalogue=ITEMS)
    of_weights = asp.evaluate(ranked, metrics, subtopics=subtopics, weights=weights, catalogue=ITEMS)
    for name in known:
        assert of_weights.per_user[name].to_list() == pytest.approx(known.per_user[name].to_list(), abs=1e-12, nan_ok=True), name


def test_items_hold_aspects_that_only_weights_list() -> None:
    metrics = [
        "AspectRecall(of=listed)@2",
        "AspectRecall(of=listed, unjudged=full)@2",
        "AspectRecall(of=listed, unjudged=full, at_most=1)@2",
    ]
    for weights in ({"q": {"n1": 1, "n2": 1}}, {"n1": 1, "n2": 1}):
        found = asp.evaluate({"q": ["a", "hole"]}, metrics, subtopics={"q": {"a": ["n1"]}}, weights=weights)
        assert list(found.values()) == [0.5, 1.0, 1.0]
    uniform = "ERRIA(of=listed, intents=uniform)@1"
    twice = asp.evaluate({"q": ["a"]}, uniform, subtopics={"q": {"a": ["n1"]}}, weights={"q": {"n1": 2, "n2": 2}})
    assert twice[uniform] == 0.25, "intents that count alike are worth 1 each, listed or not"


def test_the_best_coverage_stays_that_of_what_is_judged() -> None:
    options: dict[str, Any] = {
        "subtopics": {"q": {"a": [1], "b": [2], "c": [3], "d": [4]}},
        "lengths": dict.fromkeys(["a", "b", "c", "d", "h"], 10),
    }
    metrics = ["AspectRecall(denominator=best)@10t", "AspectRecall(denominator=best, unjudged=full)@10t"]
    assert list(asp.evaluate({"q": ["h"]}, metrics, **options).values()) == [0.0, 1.0]
    assert list(asp.evaluate({"q": ["a", "h"]}, [one.replace("10t", "20t") for one in metrics], **options).values()) == [0.5, 1.0]


def test_a_limit_of_aspects_does_not_go_with_shares() -> None:
    with pytest.raises(asp.MetricError, match="at_most does not go with partial=share"):
        asp.parse("AspectRecall(of=listed, unjudged=full, at_most=4, partial=share)@150t")
