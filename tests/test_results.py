"""Results read, print, add and refuse to add."""

import json
import math
from typing import Any

import polars as pl
import pytest

import aspectrum as asp

TRUTH: dict[str, Any] = {"relevance": {"u": {"a": 2.0}, "v": {"b": 1.0}}, "catalogue": ["a", "b", "c"]}
METRICS = ["NDCG@1,2", "GiniComplement@1"]


def part(users: str) -> asp.Results:
    lists = {"u": ["a", "b"], "v": ["a", "b"], "w": ["c"]}
    return asp.evaluate({user: lists[user] for user in users}, METRICS, **TRUTH)


def test_reading() -> None:
    result = part("uvw")
    assert list(result) == ["NDCG@1", "NDCG@2", "GiniComplement@1"]
    assert result["nDCG@1"] == result[asp.NDCG(k=1)] == result["NDCG@1"] == 0.5
    assert "nDCG@2" in result
    assert "NDCG@3" not in result
    assert "nonsense" not in result
    with pytest.raises(KeyError, match="NDCG@3 was not computed; there are NDCG@1, NDCG@2"):
        _ = result["NDCG@3"]
    with pytest.raises(asp.MetricError, match="unknown metric"):
        _ = result["nonsense"]


def test_parts_add_to_the_whole() -> None:
    whole = part("uvw")
    assert part("u") + part("vw") == whole
    assert part("w") + part("v") + part("u") == whole
    assert (part("vw") + part("u"))["NDCG@2"] == whole["NDCG@2"]
    assert sorted((part("vw") + part("u")).per_user["user"].to_list()) == ["u", "v", "w"]


def test_what_does_not_add() -> None:
    with pytest.raises(asp.InputError, match="user 'u' is in both parts"):
        _ = part("u") + part("uv")
    with pytest.raises(asp.InputError, match="different metrics"):
        _ = part("u") + asp.evaluate({"v": ["a"]}, "NDCG@1", **TRUTH)
    with pytest.raises(asp.InputError, match="computed in two ways: convention is 'published' in one part, 'informfully' in the other"):
        _ = asp.evaluate({"v": ["a"]}, "DCG@1", **TRUTH) + asp.evaluate(
            {"u": ["a"]}, "DCG@1", users="lists", convention="informfully", **TRUTH
        )
    with pytest.raises(asp.InputError, match="different catalogues: item 'd'"):
        _ = part("u") + asp.evaluate({"v": ["a"]}, METRICS, relevance=TRUTH["relevance"], catalogue=["a", "b", "c", "d"])


def test_tables() -> None:
    result = part("uw")
    text = str(result)
    assert "NDCG@2" in text
    assert "1 scored, 1 undefined" in text
    markdown = result.to_markdown()
    assert markdown.startswith("| Metric | Value | Stands on |\n| --- | ---: | ---: |\n| NDCG@1 | 1.0000 | 1 scored, 1 undefined |")
    assert "- NDCG@1: gain=linear" in markdown
    latex = result.to_latex()
    assert latex.startswith("\\begin{tabular}{lrl}")
    assert latex.count(r"\\") == 4


def test_latex_escapes() -> None:
    result = asp.evaluate_systems(
        {"A_1 & <B>": {"u": ["a"]}}, "AlphaNDCG(judged_by=relevance)@1", aspects={"a": ["x"]}, relevance={"u": ["a"]}
    )
    latex = result.to_latex()
    assert r"A\_1 \& \textless{}B\textgreater{}" in latex
    assert r"judged\_by" in latex


def test_markdown_escapes() -> None:
    assert r"a\|b" in asp.evaluate_systems({"a|b": {"u": ["a"]}}, "GiniComplement").to_markdown()


def test_json_has_no_nan() -> None:
    result = asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": {"a": 0.0}})
    assert math.isnan(result["NDCG@1"])
    read = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert read["metrics"][0]["value"] is None
    assert read["metrics"][0]["undefined"] == 1
    assert "undefined" in str(result)


def test_several_systems_in_one_table() -> None:
    results = asp.evaluate_systems({"A": {"u": ["a"], "w": ["a"]}, "B": {"u": ["b"]}}, METRICS, **TRUTH)
    assert list(results) == ["A", "B"]
    assert str(results).splitlines()[0].split() == ["Metric", "A", "B"]
    assert "- NDCG@1: " in results.to_markdown()
    assert "A: 1 scored, 1 undefined; B: 1 scored" in results.to_markdown()
    assert set(json.loads(results.to_json())) == {"A", "B"}


def test_scores_of_users_by_any_kind_of_id() -> None:
    for first, second in ((1, 2), ("u", "v"), (("u", 1), ("v", 2)), (b"u", b"v")):
        result = asp.evaluate({first: ["a"], second: ["b"]}, "NDCG@1", relevance={first: ["a"], second: ["a"]})
        assert result.per_user["NDCG@1"].to_list() == [1.0, 0.0]


def test_users_that_a_metric_does_not_average_are_null() -> None:
    result = asp.evaluate(
        {1: ["a"], 2: ["b"]}, ["NDCG@1", "Community recall@1"], aspects={"a": "x", "b": "y"}, relevance={1: ["a"]}, convention="relison"
    )
    assert result.per_user.sort("user").to_dict(as_series=False) == {"user": [1, 2], "NDCG@1": [1.0, None], "AspectRecall@1": [0.5, 0.5]}
    assert isinstance(result.per_user, pl.DataFrame)


def test_scores_stand_with_their_users_whoever_is_averaged_first() -> None:
    result = asp.evaluate(
        {5: ["b"], 2: ["a"], 9: ["a", "b"]},
        ["NDCG@1", "Community recall@2"],
        aspects={"a": "x", "b": "y"},
        relevance={9: ["a"]},
        convention="relison",
    )
    rows = {user: scores for user, *scores in result.per_user.iter_rows()}
    assert rows == {9: [1.0, 1.0], 5: [None, 0.5], 2: [None, 0.5]}
