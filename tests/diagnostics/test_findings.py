"""What is found out about inputs, and the likely reasons why ids do not match."""

import random
import re
import warnings
from typing import Any

import polars as pl
import pytest

import aspectrum as asp
from aspectrum.diagnostics.notices import Notice
from tests.findings import findings


def of(found: list[Notice], what: str) -> Notice:
    (finding,) = (one for one in found if what in one.said())
    return finding


def reason(finding: Notice) -> str | None:
    return finding.because[0].said() if finding.because else None


def reason_of(ours: list[Any], theirs: list[Any]) -> str | None:
    """Why users of lists are not in the truth."""
    found = findings({user: ["a"] for user in ours}, relevance={user: ["a"] for user in theirs})
    return reason(of(found, "users are not in relevance"))


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (["ann", "bob"], [" ann", "bob\t"], "in surrounding whitespace: 'ann' here, ' ann' there"),
        (["ann", "bob"], ['"ann"', '"bob"'], "in surrounding quotes: 'ann' here, '\"ann\"' there"),
        (["Ann", "BOB"], ["ann", "bob"], "in case: 'Ann' here, 'ann' there"),
        (["7", "12"], ["007", "012"], "in leading zeros: '7' here, '007' there"),
        (["7", "12"], ["7.0", "12.0"], "in a trailing '.0': '7' here, '7.0' there"),
        (["caf\u00e9", "na\u00efve"], ["cafe\u0301", "nai\u0308ve"], "in Unicode normalization: "),
        (["ann", "bob"], ["user:ann", "user:bob"], "in a prefix: 'ann' here, 'user:ann' there"),
        (["ml/ann", "ml/bob"], ["x_ann", "x_bob"], "in a prefix: 'ml/ann' here, 'x_ann' there"),
        (["u7", "u12"], ["7", "12"], "in a prefix or suffix around the number: 'u7' here, '7' there"),
        (["item 7 (old)", "item 12 (old)"], ["7x", "12x"], "in a prefix or suffix around the number: "),
    ],
)
def test_likely_reason(ours: list[str], theirs: list[str], reason: str) -> None:
    found = reason_of(ours, theirs)
    assert found is not None
    assert found.startswith(f"they differ {reason}")


def test_no_reason_where_there_is_none() -> None:
    assert reason_of(["ann", "bob"], ["cyd", "dan"]) is None
    assert reason_of([1, 2, 3], [4, 5, 6]) is None


def test_one_likeness_by_chance_is_no_reason() -> None:
    ours = ["ann", "bob", "cyd", "dan", "eve"]
    assert reason_of(ours, ["ANN", "x", "y"]) is None
    assert reason_of(ours, ["ANN", "BOB", "CYD"]) is not None


def test_exchanged_columns() -> None:
    found = findings({"ann": ["a", "b"], "bob": ["c"]}, relevance={"a": ["ann"], "b": ["ann"], "c": ["bob"]})
    finding = of(found, "users are not in relevance")
    assert finding.level == "error"
    assert reason(finding) == "most are items there; are users and items swapped in one of the inputs?"


def test_some_that_are_unknown_are_worth_a_look_and_all_are_wrong() -> None:
    lists = {"ann": ["a", "b"], "bob": ["c"]}
    assert of(findings(lists, relevance={"ann": ["a"]}), "users are not in relevance").level == "note"
    assert of(findings(lists, relevance={"cyd": ["a"]}), "users are not in relevance").level == "error"
    assert of(findings(lists, aspects={"a": ["x"]}), "items are not in aspects").level == "note"
    assert of(findings(lists, aspects={"z": ["x"]}), "items are not in aspects").level == "error"
    assert of(findings(lists, features={"a": [1.0]}), "items are not in features").examples == ("'b'", "'c'")
    assert of(findings(lists, catalogue=["a", "b"]), "items are not in catalogue").level == "warning"
    assert of(findings(lists, baseline={"cyd": ["a"]}), "users are not in baseline").level == "error"
    assert of(findings(lists, aspects={"a": ["x"]}, items=["a", "b"]), "items are not in aspects").examples == ("'c'",)


def test_items_that_nobody_judged_are_what_lists_are_for() -> None:
    lists = {"ann": ["a", "b"], "bob": ["c"]}
    everybody = {"ann": ["a"], "bob": ["z"]}
    assert of(findings(lists, relevance=everybody), "items are not in relevance").level == "fact"
    others = {"ann": ["x"], "bob": ["z"]}
    assert of(findings(lists, relevance=others, history={"ann": ["c"]}), "items are not in relevance").level == "warning"
    assert of(findings({"ann": ["a"]}, relevance=others), "items are not in relevance").level == "warning"  # one list may be all there is
    finding = of(findings(lists, relevance=others), "items are not in relevance")
    assert finding.level == "error"
    assert reason(finding) == "no item of any list is in any other input; are these ids of the same items?"
    finding = of(findings(lists, relevance={"ann": ["A", "B"], "bob": ["C"]}), "items are not in relevance")
    assert finding.level == "error"
    assert reason(finding) == "they differ in case: 'a' here, 'A' there"


def test_what_lists_do_not_have() -> None:
    lists = {"ann": ["a"]}
    found = findings(lists, relevance={"ann": {"a": 1}, "bob": {"a": 0}}, history={"ann": ["a"], "cyd": ["a"]}, threshold=1.0)
    assert [(one.source, one.examples) for one in found if one.kind == "no_list"] == [
        ("relevance", ("'bob'",)),
        ("history", ("'cyd'",)),
    ]
    assert of(found, "no item with a grade of 1 or more").level == "fact"
    assert of(findings(lists, relevance={"ann": {"a": 0.5}}), "no item with a grade of 1 or more").level == "warning"


def judged(n: int) -> asp.Nuggets:
    return asp.Nuggets.of({f"q{query:02}": {"n1": [f"d{query}"], "n2": ["other"]} for query in range(n)})


LISTS_OF_40 = {f"q{query:02}": [f"d{query}"] for query in range(40)}
HALF = dict(list(LISTS_OF_40.items())[20:])


def test_queries_that_have_no_list() -> None:
    said = "20 of 40 queries have no list (such as 'q00', 'q01', 'q02'); they are left out of the mean; users='judged' scores them 0"
    with pytest.warns(asp.AspectrumWarning, match=re.escape(f"nuggets: {said} [missing_queries]")):
        found = asp.evaluate(HALF, "AlphaNDCG@1", subtopics=judged(40))
    with warnings.catch_warnings(action="error"):
        few = asp.evaluate(dict(list(LISTS_OF_40.items())[2:]), "AlphaNDCG@1", subtopics=judged(40))
        all_judged = asp.evaluate(HALF, "AlphaNDCG@1", subtopics=judged(40), users="judged")
        asp.evaluate(HALF, "CatalogueCoverage@1", subtopics=judged(40), catalogue=["other", *(f"d{query}" for query in range(40))])
    assert any("2 of 40 queries have no list" in note for note in few.notes)
    assert all_judged["AlphaNDCG@1"] == found["AlphaNDCG@1"] / 2
    assert any("20 of 40 queries have no list" in note and "they score 0 where more is better" in note for note in all_judged.notes)


@pytest.mark.filterwarnings("error")
def test_queries_that_are_missing_for_a_reason() -> None:
    """Judgments of TREC may be of other years, a convention may average those with both, and who named users knows whom they want."""
    subtopics = {f"q{query:02}": {f"d{query}": ["n1"], "other": ["n2"]} for query in range(40)}
    for convention in ("published", "ndeval"):
        found = asp.evaluate(HALF, "AlphaNDCG@1", subtopics=subtopics, convention=convention)
        assert sum("20 of 40 queries have no list" in note for note in found.notes) == 1
    named = asp.evaluate(HALF, "AlphaNDCG@1", subtopics=subtopics, users=list(HALF))
    assert not any("have no list" in note for note in named.notes)


def test_queries_that_one_of_two_systems_has_no_list_for() -> None:
    found = asp.evaluate_systems({"whole": LISTS_OF_40, "half": HALF}, "AlphaNDCG@1", subtopics=judged(40), users="judged")
    (note,) = (one for one in found.notes if "queries have" in one)
    assert note.startswith("half: nuggets: 20 of 40 queries have no list")
    alike = asp.evaluate_systems({"a": HALF, "b": HALF}, "AlphaNDCG@1", subtopics=judged(40), ignore="missing_queries")
    (note,) = (one for one in alike.notes if "queries have" in one)
    assert note.startswith("nuggets: 20 of 40 queries have no list")


def test_nuggets_bring_relevance_of_the_same_queries() -> None:
    found = asp.evaluate({**HALF, "zz": ["d1"]}, ["NDCG@1", "AlphaNDCG@1"], subtopics=judged(40), ignore="missing_queries")
    assert [one.kind for one in found.notices if "no list" in str(one)] == ["missing_queries"]
    assert len(found.notes) == len(set(found.notes))


def test_systems_that_share_no_user() -> None:
    parts = {str(number): {f"q{10 * number + place}": ["a"] for place in range(5)} for number in range(2)}
    with pytest.warns(
        asp.AspectrumWarning, match="no user has lists from two systems; if these are parts of one system, pass their folder"
    ):
        asp.evaluate_systems(parts, "P@1", relevance={user: ["a"] for one in parts.values() for user in one})


def test_a_cutoff_that_may_be_one_in_tokens() -> None:
    lists = {query: listed for query, listed in LISTS_OF_40.items() if query < "q12"}
    with pytest.warns(asp.AspectrumWarning, match="12 of 12 lists are shorter than the cutoff of 4000; for tokens write @4000t"):
        asp.evaluate(lists, "AlphaNDCG@4000", subtopics=judged(12))
    with pytest.warns(asp.AspectrumWarning, match=r"shorter than the cutoff of 20 \[short_lists\]"):
        asp.evaluate(lists, "AlphaNDCG@20", subtopics=judged(12))


def test_lists_that_are_empty() -> None:
    found = asp.evaluate({"ann": ["a"], "bob": []}, "Recall@1", relevance={"ann": ["a"], "bob": ["a"]})
    assert found["Recall@1"] == 0.5
    assert found.notes == ("rankings: 1 of 2 lists are empty and are scored as such",)


def test_users_that_were_asked_for() -> None:
    lists = {"ann": ["a"], "bob": ["a"]}
    assert [one for one in findings(lists, users=["ann"]) if one.kind == "no_list"] == []
    assert of(findings(lists, users=["ann", "cyd"]), "users have no list").level == "note"
    finding = of(findings(lists, users=["Ann", "Bob"]), "users have no list")
    assert (finding.level, reason(finding)) == ("error", "they differ in case: 'Ann' here, 'ann' there")


def test_truth_without_aspects() -> None:
    found = findings({"ann": ["a"]}, relevance={"ann": ["a", "b"]}, aspects={"a": ["x"], "c": []})
    (finding,) = (one for one in found if one.source == "relevance" and one.kind == "unknown")
    assert (finding.level, finding.examples) == ("note", ("'b'",))
    assert of(found, "items have no aspect").examples == ("'c'",)


def test_weights_of_aspects_that_nothing_has() -> None:
    finding = of(findings({"ann": ["a"]}, aspects={"a": ["x"]}, weights={"x": 1, "y": 1}), "aspects are not in aspects")
    assert (finding.level, finding.examples) == ("note", ("'y'",))
    assert of(findings({"ann": ["a"]}, aspects={"a": ["x"]}, weights={"X": 1}), "aspects are not in aspects").level == "error"


def test_nothing_to_measure() -> None:
    assert of(findings([]), "rankings is empty").level == "error"


def test_facts_come_first() -> None:
    found = findings({"ann": ["a"], "bob": ["b"]}, relevance={"ann": ["a"]}, aspects={"z": ["x"]})
    levels = [one.level for one in found]
    assert levels == sorted(levels, key=["fact", "note", "warning", "error"].index)
    assert {"fact", "error"} <= set(levels)


def test_many_ids_of_which_some_are_compared() -> None:
    """More than is looked at: the share that matches is still seen."""
    choose = random.Random("many")
    names = [f"{choose.randrange(10**12):x}" for _ in range(120_000)]
    found = findings({name.upper() + "G": ["a"] for name in names[:2000]}, relevance={f"{name}g": ["a"] for name in names})
    assert (reason(of(found, "users are not in relevance")) or "").startswith("they differ in case")


def test_judgments_that_are_not_of_subtopics() -> None:
    said = "subtopics: all 2 rows have the same subtopic; are these subtopic judgments? (such as '0')"
    with pytest.warns(asp.AspectrumWarning, match=re.escape(said)):
        asp.evaluate({"q": ["a"]}, "AlphaNDCG@1", subtopics=[("q", "0", "a", 1), ("q", "0", "b", 0)])
    assert not asp.evaluate({"q": ["a"]}, "AlphaNDCG@1", subtopics=[("q", "0", "a", 1), ("q", "1", "a", 0)]).notes


def test_systems_vouch_for_one_another() -> None:
    lists = {"ann": ["a", "b"], "bob": ["c"]}
    others = {"ann": ["x"], "bob": ["z"]}
    with pytest.warns(asp.AspectrumWarning, match="bad: 3 of 3 items are not in relevance"):
        results = asp.evaluate_systems({"good": others, "bad": lists}, "NDCG@2", relevance=others)
    assert [dict(found) for found in results.values()] == [{"NDCG@2": 1.0}, {"NDCG@2": 0.0}]
    assert results.warnings == ("bad: 3 of 3 items are not in relevance (such as 'a', 'b', 'c') [unknown]",)


def test_items_that_are_aspects() -> None:
    lists = {"ann": ["a", "b"], "bob": ["c"]}
    finding = of(findings(lists, subtopics={"ann": {"x": ["a", "b"]}, "bob": {"y": ["c"]}}), "items are not in subtopics")
    assert (finding.level, reason(finding)) == (
        "error",
        "most are aspects there; expected {user: {item: [aspects]}}, or asp.Nuggets.of({query: {nugget: [documents]}})",
    )
    finding = of(findings(lists, aspects={"x": ["a", "b"], "y": ["c"]}), "items are not in aspects")
    assert (finding.level, reason(finding)) == ("error", "most are aspects there; expected {item: [aspects]}")
    found = findings(lists, subtopics={"ann": {"a": ["b"], "b": ["x"]}, "bob": {"z": ["y"]}})  # an aspect that is called like an item
    assert of(found, "items are not in subtopics").level == "fact"


def test_numbers_beside_an_input_without_any() -> None:
    """No number is known there, so none can be off by one."""
    aspects = pl.DataFrame({"item": ["a", "b"], "aspect": [None, None]}, schema={"item": pl.String, "aspect": pl.Int64})
    with pytest.raises(asp.InputError):
        asp.evaluate({"u": ["a", "b"]}, "AlphaNDCG@2", relevance={"u": ["a"]}, aspects=aspects, weights=dict.fromkeys(range(20), 1.0))


def test_two_kinds_of_items_do_not_differ_in_a_prefix() -> None:
    lists = {f"u{user}": [f"{kind}-{number}" for number in range(user, user + 3) for kind in ("movie", "book")] for user in range(10)}
    genres = {f"movie-{number}": [str(number % 3)] for number in range(12)}
    with warnings.catch_warnings(action="error"):
        result = asp.evaluate(lists, "AspectRecall@3", aspects=genres)
    assert result.notes == ("rankings: 12 of 24 items are not in aspects (such as 'book-0', 'book-1', 'book-2')",)
