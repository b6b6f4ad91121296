"""Names of one's own for metrics, and words for several of them: the same everywhere, through files and back."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import aspectrum as asp
from aspectrum.asked import asked_for, lacking
from aspectrum.conventions import conventions_named

LISTS = {"ann": ["x", "y"], "bob": ["x", "z"]}
TRUTH = {"ann": ["y"], "bob": ["x"], "eve": ["x"]}
NAMED: dict[str, Any] = {"ours": "NDCG@1,2", "even share": asp.GiniComplement(k=2), "first": asp.Precision(k=1), "whole": "MAP"}
NAMES = ["ours@1", "ours@2", "even share", "first", "whole"]
PLAIN = ["NDCG@1", "NDCG@2", "GiniComplement@2", "Precision@1", "MAP"]


def test_names_are_those_of_columns_everywhere() -> None:
    result = asp.evaluate(LISTS, NAMED, relevance=TRUTH)
    plain = asp.evaluate(LISTS, list(NAMED.values()), relevance=TRUTH)
    assert dict(result) == dict(zip(NAMES, plain.values(), strict=True))
    assert [result[name] for name in NAMES] == [result[name] for name in PLAIN] == [result[asp.parse(name)] for name in PLAIN]
    assert result.per_user.columns == ["user", "ours@1", "ours@2", "first", "whole"]
    assert result.details["even share"]["definition"] == "GiniComplement@2"
    assert "definition" not in plain.details["MAP"]
    assert [row["metric"] for row in json.loads(result.to_json())["metrics"]] == NAMES
    assert [line.partition(",")[0] for line in result.to_csv().splitlines()[1:]] == NAMES
    for text in (result.to_text(), result.to_markdown(), result.to_latex()):
        assert all(name in text for name in NAMES)
    assert pickle.loads(pickle.dumps(result)) == result != plain


def test_names_of_several_systems_and_conventions() -> None:
    both = asp.evaluate_systems({"A": LISTS, "B": LISTS}, NAMED, relevance=TRUTH, convention="published,informfully")
    assert [list(result) for result in both.values()] == [NAMES] * 4
    assert both.to_relison().splitlines()[0].split("\t")[1:] == NAMES
    assert both.per_user.columns[2:] == ["ours@1", "ours@2", "first", "whole"]


def test_names_of_parts(tmp_path: Path) -> None:
    truth = asp.Truth.read(relevance=TRUTH)
    plan = asp.Plan(NAMED, truth, users="judged")
    monday, tuesday = plan.observe({"ann": LISTS["ann"]}), plan.observe({"bob": LISTS["bob"]})
    tuesday.write(tmp_path / "tuesday.arrow")
    again = asp.Plan(NAMED, truth, users="judged")
    whole = plan.finish(plan.observe(LISTS))
    assert again.finish(again.read(tmp_path / "tuesday.arrow") + again.observe({"ann": LISTS["ann"]})) == whole
    assert plan.finish(monday) + plan.finish(tuesday) == whole
    assert list(whole) == NAMES
    changed: dict[str, Any] = {**NAMED, "first": "Precision@2"}
    other = asp.Plan(changed, truth, users="judged")  # another metric under the same name
    with pytest.raises(asp.InputError, match="first was computed in two ways: definition is 'Precision@2' in one part"):
        other.read(tmp_path / "tuesday.arrow")


def test_a_name_may_be_short_for_its_metric() -> None:
    assert list(asp.evaluate(LISTS, {"nDCG": "NDCG@2", "NDCG@1": asp.NDCG(k=1)}, relevance=TRUTH)) == ["nDCG", "NDCG@1"]


def test_each_cutoff_is_asked_for_once() -> None:
    asked, left_out = asked_for(["NDCG@5,10", "MAP@5", "nDCG@10,20", "NDCG@5", "map@5"], (), conventions_named(None))
    assert [str(one.metric) for one in asked] == ["NDCG@5,10", "MAP@5", "NDCG@20"]
    assert left_out == []
    asked, _ = asked_for(["all@5,10", "NDCG@10"], ["relevance"], conventions_named(None))
    assert [str(one.metric) for one in asked if "NDCG" in str(one.metric)] == ["NDCG@5", "NDCG@10"]


@pytest.mark.parametrize("convention", [None, "informfully", "published,relison"])
def test_all_that_the_inputs_allow(convention: str | None) -> None:
    inputs: dict[str, Any] = {"relevance": TRUTH, "aspects": {"x": ["a"], "y": ["b"], "z": ["a", "b"]}}
    found = asp.evaluate_systems({"A": LISTS}, " all @1,2", **inputs, convention=convention)
    ways = conventions_named(convention)
    expected = [name for name, metric in asp.registered().items() if all(lacking(inputs, metric(), way) == () for way in ways)]
    assert [list(result) for result in found.values()] == [[f"{name}@{k}" for name in expected for k in (1, 2)]] * len(ways)
    note = next(notice for notice in found.notices if notice.kind == "left_out")
    assert note.level == "note"
    assert ("IntraListDiversity (no features)" in str(note)) == (convention is not None)  # others do without aspects for it
    assert "UnseenShare (no history)" in str(note)
    assert not any(name in str(note).replace("AlphaNDCG", "").replace("AlphaDCG", "") for name in ("NDCG", "Recall", "Precision,"))


def test_all_of_a_plan_and_of_a_world() -> None:
    truth = asp.Truth.read(relevance=TRUTH)
    planned = asp.Plan("all@2", truth)
    result = planned.finish(planned.observe(LISTS))
    assert "all@2 leaves out" in result.notes[0]
    assert dict(result) == dict(asp.evaluate(asp.World.of(LISTS, relevance=TRUTH), "all@2"))
    assert dict(result) == dict(asp.evaluate(LISTS, "all@2", relevance=TRUTH))


def test_nothing_can_be_computed() -> None:
    with pytest.raises(asp.MetricError, match="no metric can be computed from the lists alone under convention ndeval"):
        asp.evaluate(LISTS, "all@2", convention="ndeval")
    with pytest.raises(asp.MetricError, match=r"'all@0': the cutoffs '0' are not whole numbers from 1; expected all@5 or all@5,10"):
        asp.evaluate(LISTS, "all@0", relevance=TRUTH)


def test_the_usual_metrics_of_contacts() -> None:
    network: dict[str, Any] = {"train": {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["a"]}, "test": {"a": ["c"], "b": ["d"]}}
    lists = {"a": ["c"], "b": ["d"]}
    usual = asp.contacts.evaluate(lists, "usual@2", **network)
    assert list(usual) == ["GiniComplement@2", "NDCG@2", "Precision@2", "Recall@2", "MAP@2"]
    assert usual.notes[0] == "usual@2 leaves out AspectRecall, ERRIA (no communities), IntraListDiversity (no features)"
    assert asp.contacts.evaluate(lists, ["usual@2", "NDCG@2"], **network) == usual
    assert list(asp.contacts.evaluate(lists, {"mine": "nDCG@2"}, **network)) == ["mine"]
    assert "NDCG@2" in asp.contacts.evaluate(lists, "all@2", **network)
