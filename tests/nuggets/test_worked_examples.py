"""Small cases worked by hand: weights, what is listed, vital and okay, holes."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import aspectrum as asp


def scores(lists: Mapping[str, Sequence[str]], metric: str, nuggets: asp.Nuggets, **options: Any) -> list[float]:
    return list(asp.evaluate(lists, metric, subtopics=nuggets, **options).values())


WEIGHTED = asp.Nuggets.of({"q": {"n1": ["a", "b"], "n2": ["c"]}}, weights={"n1": 3, "n2": 1})


def test_weights() -> None:
    gained = [1.0, 2.89279, 3.64279]
    ideal = [3.0, 3.94639, 4.44639]
    assert scores({"q": ["c", "a", "b"]}, "AlphaDCG@1,2,3", WEIGHTED) == pytest.approx(gained, abs=1e-5)
    assert scores({"q": ["a", "b", "c"]}, "AlphaDCG@1,2,3", WEIGHTED) == pytest.approx(ideal, abs=1e-5)
    for way in ("greedy", "exact"):
        found = scores({"q": ["c", "a", "b"]}, f"AlphaNDCG(ideal={way})@1,2,3", WEIGHTED)
        assert found == pytest.approx([one / best for one, best in zip(gained, ideal, strict=True)], abs=1e-5)
        assert found == pytest.approx([0.33333, 0.73302, 0.81927], abs=1e-5)


def test_all_weights_times_a_number_change_nothing() -> None:
    doubled = asp.Nuggets.of({"q": {"n1": ["a", "b"], "n2": ["c"]}}, weights={"n1": 6, "n2": 2})
    metrics = ("AlphaNDCG@1,2,3", "NuggetCoverage@1,2,3", "ERRIA@1,2,3")
    for metric in metrics:
        assert scores({"q": ["c", "a", "b"]}, metric, doubled) == scores({"q": ["c", "a", "b"]}, metric, WEIGHTED)


def test_coverage_of_weighted_nuggets() -> None:
    assert scores({"q": ["c", "a", "b"]}, "NuggetCoverage@1,2,3", WEIGHTED) == [0.25, 1.0, 1.0]


def test_coverage_of_what_is_listed_and_of_what_is_attainable() -> None:
    nuggets = asp.Nuggets.of({"q": {"n1": ["a"], "n2": ["b"], "n3": []}})
    assert scores({"q": ["a", "x"]}, "AspectRecall@2", nuggets) == [1 / 2]
    assert scores({"q": ["a", "x"]}, "NuggetCoverage@2", nuggets) == [1 / 3]


@pytest.mark.parametrize(
    ("importance", "first", "second"),
    [("vital", 1.31546, 1.13093), ("all", 1.81546, 1.44639), ("2:1", 3.13093, 2.57732)],
)
def test_vital_and_okay_nuggets_in_both_orders(importance: str, first: float, second: float) -> None:
    def row(document: str, *assigned: tuple[str, str, str]) -> dict[str, Any]:
        entries = [{"text": text, "importance": important, "assignment": how} for text, important, how in assigned]
        return {"text": "query", "qid": "q", "candidate_text": "...", "docid": document, "nuggets": entries}

    rows = [
        row("d1", ("v1", "vital", "support"), ("v2", "vital", "not_support"), ("o1", "okay", "partial_support")),
        row("d2", ("v1", "vital", "not_support"), ("v2", "vital", "partial_support"), ("o1", "okay", "not_support")),
    ]
    nuggets = asp.Nuggets.read(rows, importance=importance)
    assert scores({"q": ["d1", "d2"]}, "AlphaDCG@2", nuggets) == pytest.approx([first], abs=1e-5)
    assert scores({"q": ["d2", "d1"]}, "AlphaDCG@2", nuggets) == pytest.approx([second], abs=1e-5)


def test_a_hole_may_lower_alpha_ndcg() -> None:
    """With a hole at rank 10 the score is 1; were the hole judged to hold the other nugget, it would be less."""
    lists = {"q": ["a", *(f"x{rank}" for rank in range(2, 10)), "hole"]}
    assert scores(lists, "AlphaNDCG@10", asp.Nuggets.of({"q": {"n1": ["a"], "n2": []}})) == [1.0]
    judged = asp.Nuggets.of({"q": {"n1": ["a"], "n2": ["hole"]}})
    assert scores(lists, "AlphaNDCG@10", judged) == pytest.approx([0.7904], abs=1e-4)


@pytest.mark.parametrize(("held", "expected"), [([], 0.6131), (["n1"], 0.8066), (["n2"], 1.0), (["n1", "n2"], 0.8406)])
def test_a_hole_that_holds_everything_is_no_upper_bound_of_alpha_ndcg(held: list[str], expected: float) -> None:
    documents = {"n1": ["a"], "n2": ["b"]}
    for nugget in held:
        documents[nugget].append("hole")
    assert scores({"q": ["a", "hole"]}, "AlphaNDCG(ideal=exact)@2", asp.Nuggets.of({"q": documents})) == pytest.approx([expected], abs=1e-4)


def test_freshstack_says_what_it_does_not_report_itself() -> None:
    nuggets = asp.Nuggets.of({"q": {"n": ["a", "b"], "m": ["b"]}})
    result = asp.evaluate({"q": {"x": 1.0, "b": 1.0, "a": 1.0}}, "AlphaNDCG@2,50", subtopics=nuggets, convention="freshstack")
    assert result.details["AlphaNDCG@2"]["tied_scores"] == "ascending"
    assert any("freshstack itself does not report AlphaNDCG@50" in note for note in result.notes)
    up_to_20 = asp.evaluate({"q": {"x": 1.0, "b": 1.0, "a": 1.0}}, "AlphaNDCG@2,20", subtopics=nuggets, convention="freshstack")
    assert not [notice for notice in up_to_20.notices if notice.kind == "beyond_tool"]
