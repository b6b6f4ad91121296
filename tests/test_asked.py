"""Names of one's own for metrics, and words for several of them: the same everywhere, through files and back."""

import json
import pickle
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import aspectrum as asp
from aspectrum import metric as metric_module
from aspectrum.asked import asked_for, lacking
from aspectrum.conventions import conventions_named
from aspectrum.metric import FAMILIES, has_own_name, of_family

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
    for way, result in zip(ways, found.values(), strict=True):
        expected = [name for name, metric in asp.registered().items() if lacking(inputs, metric(), way) == ()]
        assert list(result) == [f"{name}@{k}" for name in expected for k in (1, 2)]
    note, *others = (notice for notice in found.notices if notice.kind == "left_out")
    assert note.level == "note"
    assert ("IntraListDiversity" in str(note)) == (convention == "informfully")  # others do without aspects for it
    assert [str(one) for one in others] == ["relison: all @1,2 leaves out IntraListDiversity (no features)"] * (len(ways) - 1)
    assert re.search(r"UnseenShare[^()]* \(no history\)", str(note))
    assert not {"NDCG", "Recall", "Precision"} & set(re.findall(r"\w+", str(note)))


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
    with pytest.raises(asp.MetricError, match=r"'all@0': invalid cutoff '0'; expected such as all@10 or all@5,10"):
        asp.evaluate(LISTS, "all@0", relevance=TRUTH)


def test_the_usual_metrics_of_contacts() -> None:
    network: dict[str, Any] = {"train": {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["a"]}, "test": {"a": ["c"], "b": ["d"]}}
    lists = {"a": ["c"], "b": ["d"]}
    usual = asp.contacts.evaluate(lists, "usual@2", **network)
    novel = [str(asp.parse("LTN@2")), "MeanPredictionDistance@2"]
    assert list(usual) == ["GiniComplement@2", "NDCG@2", "Precision@2", "Recall@2", "MAP@2", *novel]
    assert usual.notes[0] == "usual@2 leaves out AspectRecall, ERRIA (no communities), IntraListDiversity, EPD (no features)"
    assert asp.contacts.evaluate(lists, ["usual@2", "NDCG@2"], **network) == usual
    assert list(asp.contacts.evaluate(lists, {"mine": "nDCG@2"}, **network)) == ["mine"]
    assert "NDCG@2" in asp.contacts.evaluate(lists, "all@2", **network)


# Families as words


def test_families_are_words_for_their_metrics() -> None:
    inputs: dict[str, Any] = {"relevance": TRUTH, "history": {"ann": ["z"], "bob": ["y"]}}
    for word, families in FAMILIES.items():
        expected = [name for name, cls in asp.registered().items() if cls.family in families and lacking(inputs, cls()) == ()]
        if has_own_name(word):
            word = f"family:{word}"  # noqa: PLW2901
        if expected:
            found = asp.evaluate(LISTS, f"{word}@1,2", **inputs, catalogue=["x", "y", "z"])
            assert {name.partition("@")[0] for name in found} >= set(expected), word
        elif not of_family(word.removeprefix("family:")):
            with pytest.raises(asp.MetricError, match=f"{word}@1,2: no metric of this family can be computed"):
                asp.evaluate(LISTS, f"{word}@1,2", **inputs)


def test_words_for_families_in_words() -> None:
    assert set(of_family("accuracy")) == set(of_family("relevance")) >= {"NDCG", "Precision", "HitRate"}
    assert set(of_family("diversity")) >= {"AlphaNDCG", "IntraListDiversity"}
    result = asp.evaluate(LISTS, ["accuracy@2", "NDCG@1"], relevance=TRUTH)
    assert {"NDCG@2", "MRR@2", "NDCG@1"} <= set(result)
    assert asp.evaluate(LISTS, "family:accuracy@2", relevance=TRUTH) == asp.evaluate(LISTS, " accuracy @ 2", relevance=TRUTH)


def test_what_is_left_out_of_a_family_is_said() -> None:
    result = asp.evaluate(LISTS, "diversity@2", aspects={"x": ["a"], "y": ["b"], "z": ["a", "b"]})
    assert "AspectRecall@2" in result and "IntraListDiversity@2" in result
    assert result.notes[0].startswith("diversity@2 leaves out AlphaDCG")


def test_a_family_without_its_inputs_is_an_error_that_names_them() -> None:
    for metrics in ("novelty@2", ["NDCG@2", "novelty@2"]):
        with pytest.raises(asp.MetricError, match=r"novelty@2: no metric of this family can be computed from the inputs: .*\(no history\)"):
            asp.evaluate(LISTS, metrics, relevance=TRUTH)
    with pytest.raises(asp.MetricError, match=r"'novelty@0': invalid cutoff '0'; expected such as novelty@10"):
        asp.evaluate(LISTS, "novelty@0", relevance=TRUTH)
    with pytest.raises(asp.MetricError, match="there is no family 'novel'; did you mean 'novelty'"):
        asp.evaluate(LISTS, "family:novel@2", relevance=TRUTH)
    with pytest.raises(asp.MetricError, match=r"metrics\['mine'\]: 'accuracy@2' is several metrics"):
        asp.evaluate(LISTS, {"mine": "accuracy@2"}, relevance=TRUTH)


def test_families_are_in_lower_case() -> None:
    """Accuracy and Diversity are metrics of other tools."""
    for name in ("Accuracy@2", "ACCURACY@2"):
        with pytest.raises(asp.MetricError, match="unknown metric"):
            asp.evaluate(LISTS, name, relevance=TRUTH)


def test_a_metric_wins_over_a_family_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """But not another name of a metric, which is one of many."""
    monkeypatch.setattr(metric_module, "_registry", dict(metric_module._registry))
    content: dict[str, Any] = {"__module__": "mine", "__qualname__": "Fairness", "family": "fairness", "aliases": {"Novelty": {}}}
    made: Any = dataclass(frozen=True)(type("Fairness", (asp.UserMetric,), content))
    for word in ("fairness@2", "Fairness@2", "FAIRNESS@2"):
        assert asked_for(word, ["relevance"], conventions_named(None))[0][0].metric == made(k=2)
    asked, _ = asked_for("family:fairness@2", ["relevance"], conventions_named(None))
    assert [type(one.metric).__name__ for one in asked if type(one.metric) is made] == ["Fairness"]
    assert asked_for("Novelty@2", ["history"], conventions_named(None))[0][0].metric == made(k=2)
    novel = asked_for("novelty@2", ["history"], conventions_named(None))[0]
    assert {"EPC", "UnseenShare"} <= {type(one.metric).__name__ for one in novel}


def test_families_of_a_plan_and_of_contacts() -> None:
    plan = asp.Plan("accuracy@2", asp.Truth.read(relevance=TRUTH))
    assert dict(plan.finish(plan.observe(LISTS))) == dict(asp.evaluate(LISTS, "accuracy@2", relevance=TRUTH))
    network: dict[str, Any] = {"train": {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["a"]}, "test": {"a": ["c"], "b": ["d"]}}
    assert "NDCG@2" in asp.contacts.evaluate({"a": ["c"], "b": ["d"]}, "accuracy@2", **network)


def test_a_name_with_a_cutoff_is_that_metric_only() -> None:
    assert list(asp.evaluate(LISTS, {"P_2": "Precision@2"}, relevance=TRUTH)) == ["P_2"]
    with pytest.raises(asp.MetricError, match="is the name of another metric"):
        asp.evaluate(LISTS, {"P_2": "Precision@1"}, relevance=TRUTH)


def test_a_popularity_without_the_number_of_users_leaves_out_what_is_relative_to_them() -> None:
    found = asp.evaluate(LISTS, "all@2", popularity={"x": 3, "y": 2, "z": 1})
    assert "EFD@2" in found
    assert "EPC@2" not in found
    assert "EPC, SelfInformation (no popularity_users)" in found.notes[0]
    assert "EPC@2" in asp.evaluate(LISTS, "all@2", popularity={"x": 3, "y": 2, "z": 1}, popularity_users=4)


def test_a_convention_decides_for_the_user() -> None:
    inputs: dict[str, Any] = {"relevance": TRUTH, "history": {"ann": ["z"]}, "popularity": {"x": 3, "y": 2, "z": 1}, "popularity_users": 4}
    for inputs_given in (inputs, {**inputs, "baseline": LISTS}):
        published, theirs = (asked_for("all@2", list(inputs_given), conventions_named(convention))[0] for convention in (None, "rectools"))
        assert "Serendipity@2" in [str(one.metric) for one in theirs]
        assert ("Serendipity@2" in [str(one.metric) for one in published]) == ("baseline" not in inputs_given)


ITEMS = ["x", "y", "z"]
SIDE: dict[str, Any] = {"relevance": TRUTH, "catalogue": ITEMS, "convention": "published,rectools,recbole"}


def test_each_of_several_conventions_computes_what_it_has(tmp_path: Path) -> None:
    asked = ["NDCG@1,2", "Gini@2", "CatalogueCoverage@2"]
    found = asp.evaluate_systems({"A": LISTS}, asked, **SIDE)
    has = {"published": asked, "rectools": [asked[0], asked[2]], "recbole": asked[1:]}
    for convention, metrics in has.items():
        alone = asp.evaluate(LISTS, metrics, **{**SIDE, "convention": convention})
        assert found[f"A ({convention})"] == alone
    assert found.notes[:2] == ("rectools does not cover Gini", "recbole does not cover NDCG")
    rows = {line.split()[0]: line for line in found.to_text(how=False).splitlines() if line}
    assert [rows[name].count("not computed") for name in ("NDCG@1", "NDCG@2", "Gini@2", "CatalogueCoverage@2")] == [1, 1, 1, 0]
    assert (
        found.to_markdown().count("not computed")
        == found.to_latex().count("not computed")
        == found._repr_html_().count("not computed")
        == 3
    )
    assert [line.split("\t").count("") for line in found.to_relison().splitlines()] == [0, 0, 1, 2]
    assert len(found.to_csv().splitlines()) == 1 + 4 + 3 + 2
    found.write(tmp_path / "found.json")
    again = asp.Results.read(tmp_path / "found.json")
    assert isinstance(again, asp.SystemResults)
    assert {name: dict(result) for name, result in again.items()} == {name: dict(result) for name, result in found.items()}


def test_scores_of_users_of_conventions_that_have_some(tmp_path: Path) -> None:
    found = asp.evaluate_systems({"A": LISTS}, ["NDCG@2", "Gini@2"], **SIDE)
    assert found.per_user["system"].unique(maintain_order=True).to_list() == ["A (published)", "A (rectools)"]
    found.write_per_user(tmp_path / "scores.parquet")
    again = asp.Results.read(tmp_path / "scores.parquet")
    assert isinstance(again, asp.SystemResults)
    assert [list(result) for result in again.values()] == [["NDCG@2", "Gini@2"], ["NDCG@2"], ["Gini@2"]]
    with pytest.raises(asp.InputError, match="scores of users were not kept"):
        _ = asp.evaluate_systems({"A": LISTS}, "Gini@2", **SIDE).per_user


def test_a_convention_may_have_none_of_the_metrics() -> None:
    found = asp.evaluate_systems({"A": LISTS, "B": LISTS}, {"even": "Gini@2"}, **SIDE)
    assert [list(result) for result in found.values()] == [["even"], [], ["even"]] * 2
    assert found.notes[0] == "rectools does not cover Gini"
    assert not any(note.startswith("published:") for note in found.notes), "what holds for all that compute something"
    with pytest.raises(asp.InputError, match=r"no metric in common: A \(rectools\) has none"):
        asp.compare(found)


def test_metrics_that_no_convention_has() -> None:
    with pytest.raises(asp.MetricError) as raised:
        asp.evaluate_systems({"A": LISTS}, ["DCG@2", "NDKL@2", "NDCG@2"], **{**SIDE, "convention": "rectools,recbole"})
    assert str(raised.value).splitlines() == [f"none of the conventions rectools, recbole covers {name}" for name in ("DCG", "NDKL")]
    with pytest.raises(asp.MetricError, match="convention rectools does not cover Gini; it covers CatalogueCoverage, "):
        asp.evaluate(LISTS, "Gini@2", **{**SIDE, "convention": "rectools"})
    with pytest.raises(asp.MetricError, match="coverage@2: none of the conventions radio, trec_fair covers a metric of this family"):
        asp.evaluate_systems({"A": LISTS}, "coverage@2", **{**SIDE, "convention": "radio,trec_fair"})


def test_a_family_under_several_conventions() -> None:
    found = asp.evaluate_systems({"A": LISTS}, "accuracy@2", **SIDE)
    assert [len(result) > 0 for result in found.values()] == [True, True, False]
    assert found.notes[0] == "rectools does not cover DCG, Judged, RBP"
    every = asp.evaluate_systems({"A": LISTS}, "all@2", **SIDE)
    assert [dict(every[name]).items() >= dict(result).items() for name, result in found.items()] == [True] * 3
    assert (
        "of the metrics asked for, recbole covers only AveragePopularity, CatalogueCoverage, ExposureEntropy, Gini, LongTailShare"
        in every.notes
    )


def test_an_exact_ideal_that_one_convention_has() -> None:
    inputs: dict[str, Any] = {**SIDE, "aspects": {"x": ["a"], "y": ["b"], "z": ["a", "b"]}, "ideal_budget": 1}
    found = asp.evaluate_systems({"A": LISTS}, ["AlphaNDCG(ideal=exact)@2", "NDCG@2"], **inputs)
    assert [len(result) for result in found.values()] == [2, 1, 0]
    with pytest.raises(asp.MetricError, match="no metric has one"):
        asp.evaluate_systems({"A": LISTS}, "NDCG@2", **inputs)


def test_numbers_of_several_conventions_are_not_compared() -> None:
    found = asp.evaluate_systems({"A": LISTS}, ["NDCG@2", "Gini@2"], **{**SIDE, "convention": "published,rectools"})
    with pytest.raises(asp.InputError, match=r"NDCG@2 was computed in two ways: .*; evaluate them alike"):
        asp.compare(found)
    mine = {name: result for name, result in found.items() if "published" in name}
    lists = {"ann": ["y", "z"], "bob": ["z", "x"]}
    other = asp.evaluate(lists, "NDCG@2", relevance=TRUTH, catalogue=ITEMS)
    assert asp.compare({**mine, "B": other}).metrics == ("NDCG@2",), "only what all have"


def test_contacts_beside_relison() -> None:
    network: dict[str, Any] = {"train": {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["a"]}, "test": {"a": ["c"], "b": ["d"]}}
    lists = {"A": {"a": ["c"], "b": ["d"]}}
    both = asp.contacts.evaluate_systems(lists, ["Gini@2", "NDCG@2"], **network, convention="both")
    assert [list(result) for result in both.values()] == [["Gini@2", "NDCG@2"], ["NDCG@2"]]
    assert both.notes[0] == "relison does not cover Gini"
    one = asp.contacts.evaluate_systems(lists, "Gini@2", **network, convention="both")
    assert [list(result) for result in one.values()] == [["Gini@2"], []]
    assert not any(note.startswith("published:") for note in one.notes)
    every = asp.contacts.evaluate_systems(lists, "all@2", **network, convention="both")
    for convention in ("published", "relison"):
        assert every[f"A ({convention})"] == asp.contacts.evaluate(lists["A"], "all@2", **network, convention=convention)
    with pytest.raises(asp.MetricError, match="convention relison does not cover Gini; it covers"):
        asp.contacts.evaluate(lists["A"], "Gini@2", **network, convention="relison")
