"""Aspect recall of nuggets: what is listed, and questions with several answers; against definitions in plain Python."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.questions import Bank, Question
from tests.strategies import checked

ITEMS = [f"d{place}" for place in range(8)]
ANSWERS = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0.25, 0.5, 1.0]), max_size=3)
QUESTIONS = st.builds(Question, weight=st.sampled_from([1.0, 2.0, 0.3]), answers=st.lists(ANSWERS, max_size=4))
BANKS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.lists(QUESTIONS, max_size=5), min_size=1)
LISTS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), st.permutations(ITEMS).flatmap(
    lambda items: st.integers(0, len(items)).map(lambda n: items[:n])), min_size=1)  # fmt: skip
Of = Literal["attainable", "listed"]
Join = Literal["all", "share"]


def recall(asked: Sequence[Question], items: Sequence[str], *, of: Of, join: Join) -> float:
    """The definition: each question counts with the weakest of its answers, or their mean; an answer with its strongest item."""
    shown = total = 0.0
    for one in asked:
        strongest = [max((answer.get(item, 0.0) for item in items), default=0.0) for answer in one.given]
        if strongest:
            shown += one.weight * (min(strongest) if join == "all" else math.fsum(strongest) / len(strongest))
        if strongest or of == "listed":
            total += one.weight
    return shown / total if total else math.nan


@checked(150)
@given(BANKS, LISTS, st.sampled_from(["attainable", "listed"]), st.sampled_from(["all", "share"]))
def test_scores_follow_the_definition(
    bank: Mapping[str, Sequence[Question]], lists: Mapping[str, Sequence[str]], of: Of, join: Join
) -> None:
    metric = asp.AspectRecall(k=(1, 3, -1), of=of, join=join)
    result = asp.evaluate(lists, metric, subtopics=Bank(bank), users="judged", catalogue=ITEMS)
    listed = {user for user, asked in bank.items() if asked}
    assert set(result.per_user["user"]) == listed
    for row in result.per_user.iter_rows(named=True):
        for k in metric.cutoffs:
            expected = recall(bank[row["user"]], lists.get(row["user"], [])[: None if k < 0 else k], of=of, join=join)
            if row["user"] not in lists:
                expected = 0.0
            assert row[str(metric.at(k))] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@checked(50)
@given(BANKS, st.sampled_from(["attainable", "listed"]), st.sampled_from(["all", "share"]))
def test_a_list_of_everything_scores_1_exactly(bank: Mapping[str, Sequence[Question]], of: Of, join: Join) -> None:
    strong = {
        user: [Question(one.weight, [dict.fromkeys(answer, 1.0) for answer in one.given] or [{ITEMS[0]: 1.0}]) for one in asked]
        for user, asked in bank.items()
    }
    lists = {user: ITEMS for user, asked in strong.items() if asked}
    if lists:
        result = asp.evaluate(lists, asp.AspectRecall(of=of, join="all"), subtopics=Bank(strong))
        assert set(result.per_user[result.per_user.columns[1]]) == {1.0}


def test_examples_of_two_denominators() -> None:
    bank = Bank({"q": [Question(1.0, [{"a": 1.0}]), Question(1.0, [{"b": 1.0}]), Question(1.0, [])]})
    result = asp.evaluate({"q": ["a", "x"]}, ["AspectRecall@2", "AspectRecall(of=listed)@2"], subtopics=bank)
    assert list(result.values()) == [1 / 2, 1 / 3]
    details = result.details["AspectRecall(of=listed)@2"]
    assert (details["aspects_listed"], details["aspects_attainable"]) == (3, 2)


def test_examples_of_questions_with_two_answers() -> None:
    bank = Bank({"q": [Question(1.0, [{"d1": 1.0}, {"d2": 1.0}]), Question(1.0, [{"d1": 1.0, "d3": 1.0}])]})
    lists = {"q": ["d1", "d3", "d2"]}

    def scores(metric: str, of: Mapping[str, Any] = lists) -> list[float]:
        return list(asp.evaluate(of, metric, subtopics=bank).values())

    assert scores("AspectRecall@1,2,3") == [0.5, 0.5, 1.0]
    assert scores("AspectRecall(join=share)@1,2,3") == [0.75, 0.75, 1.0]
    assert scores("AlphaDCG@1,2,3") == pytest.approx([1.5, 1.815465, 2.065465], abs=1e-6)
    assert scores("AlphaNDCG@3", {"q": ["d3", "d1", "d2"]}) == pytest.approx([0.91066], abs=1e-5)


def test_weights_list_aspects_that_no_item_has() -> None:
    judged = {"q": {"a": [2], "b": [2], "c": [1]}}
    weights = {1: 3.0, 2: 1.0}
    assert list(asp.evaluate({"q": ["a"]}, "AspectRecall(of=listed)@1", subtopics=judged, weights=weights).values()) == [0.25]
    more = {**weights, 3: 4.0}
    assert list(asp.evaluate({"q": ["a"]}, "AspectRecall(of=listed)@1", subtopics=judged, weights=more).values()) == [0.125]
    own = {"q": more, "p": {9: 5.0}}
    assert list(asp.evaluate({"q": ["a"]}, "NuggetCoverage@1", subtopics=judged, weights=own).values()) == [0.125]


def test_what_is_listed_has_to_be_known() -> None:
    with pytest.raises(asp.MissingInput, match=r"needs to know which aspects are listed.*asp.Nuggets.*weights"):
        asp.evaluate({"q": ["a"]}, "AspectRecall(of=listed)@1", subtopics={"q": {"a": [1]}})
    with pytest.raises(asp.MetricError, match="of goes with judged_by=None or subtopics only"):
        asp.AspectRecall(of="listed", judged_by="membership")
    with pytest.raises(asp.MissingInput, match=r"of=listed.* needs subtopics"):
        asp.evaluate({"q": ["a"]}, "AspectRecall(of=listed)@1", aspects={"a": ["x"]}, weights={"x": 1.0})
    with pytest.raises(asp.MetricError, match="of goes with denominator=attainable only"):
        asp.AspectRecall(of="listed", denominator="k")


def test_weights_beside_nuggets_with_weights_are_an_error() -> None:
    bank = Bank({"q": [Question(2.0, [{"a": 1.0}])]})
    with pytest.raises(asp.InputError, match="weights= is given, and nuggets has weights of its own; give one of them"):
        asp.evaluate({"q": ["a"]}, "AspectRecall@1", subtopics=bank, weights={"q-0/0": 1.0})


def test_parts_add_up_to_the_bit() -> None:
    bank = Bank(
        {
            "p": [Question(0.3, [{"a": 0.5, "b": 1.0}, {"c": 1.0}]), Question(0.1, [])],
            "q": [Question(0.7, [{"b": 1.0}])],
            "r": [Question(0.2, [])],
        }
    )
    lists = {"p": ["a", "c"], "q": ["x", "b"]}
    plan = asp.Plan(["AspectRecall(of=listed)@1,2", "AspectRecall@2", "AlphaNDCG@2"], asp.Truth.read(subtopics=bank), users="judged")
    parts = [plan.observe({user: items}) for user, items in lists.items()]
    again = plan.read((parts[0] + parts[1]).to_bytes())
    assert plan.finish(again) == plan.finish(plan.observe(lists))
    assert plan.finish(again).details["AspectRecall(of=listed)@2"]["scored"] == 3


def test_listed_aspects_leave_the_denominator_no_choice() -> None:
    nuggets = asp.Nuggets.of({"q": {"a": ["d"], "b": []}})
    results = asp.evaluate({"q": ["d"]}, ["NuggetCoverage@1", "AspectRecall@1"], subtopics=nuggets)
    assert "denominator" not in results.details["NuggetCoverage@1"]
    assert results.details["AspectRecall@1"]["denominator"] == "attainable"


def test_coverage_beside_nuggets_is_not_that_of_nuggets() -> None:
    nuggets, lists = asp.Nuggets.of({"q": {"a": ["d"], "b": []}}), {"q": ["d"]}
    with pytest.warns(asp.AspectrumWarning, match=r"the share of nuggets use NuggetCoverage@1 \[coverage_of_catalogue\]"):
        asp.evaluate(lists, "Coverage@1", subtopics=nuggets, catalogue=["d", "e"])
    asp.evaluate(lists, "CatalogueCoverage@1", subtopics=nuggets, catalogue=["d", "e"])
    asp.evaluate(lists, "Coverage@1", subtopics=nuggets, catalogue=["d", "e"], ignore="coverage_of_catalogue")
    asp.evaluate(lists, "Coverage@1", subtopics={"q": {"d": ["a"]}}, catalogue=["d", "e"])
