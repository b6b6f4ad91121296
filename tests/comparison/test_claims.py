"""No claim that the tests do not allow, and no number of other users, other weights or other things."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.report.building import Origin, report_of
from aspectrum.report.writing import as_comparison
from tests.comparison.data import by_user, pair, results

METRIC = "NDCG@10"
RANDOM = np.random.default_rng(5)


def skewed() -> asp.SystemResults:
    """80 users gain a little, 20 lose everything: most users are better off, the mean is lower."""
    return pair(np.full(100, 0.5), np.repeat([0.51, 0.0], [80, 20]))


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_tests_of_ranks_mark_no_direction(test: Any) -> None:
    comparison = asp.compare(skewed(), test=test)
    found = comparison[METRIC, "B"]
    assert comparison.procedure.correction == "holm"
    assert found.significant and found.wins == 80
    assert comparison.mark(found) == ""
    assert comparison.standings[METRIC].best is None
    assert not comparison.beats(METRIC, "A", "B")
    assert "▼" not in comparison.to_text() and "blacktriangle" not in comparison.to_latex()


def three(shift: float = 0.3) -> asp.SystemResults:
    base = RANDOM.random(60)
    return results({"A": by_user(base), "B": by_user(base + shift + 0.01 * RANDOM.random(60)), "C": by_user(base + 2 * shift)})


def test_a_share_of_false_claims_makes_no_best() -> None:
    comparison = asp.compare(three(), correction="bh")
    assert comparison[METRIC, "C"].significant and comparison.mark(comparison[METRIC, "C"]) == "▲"
    assert comparison.standings[METRIC].best is None
    assert asp.compare(three(), correction="holm").standings[METRIC].best == "C"


def test_without_a_correction_nothing_is_marked() -> None:
    comparison = asp.compare(three(), correction="none")
    assert comparison[METRIC, "C"].significant
    assert comparison.mark(comparison[METRIC, "C"]) == ""
    alone = asp.compare(pair(RANDOM.random(40), RANDOM.random(40) + 1), correction="none")
    assert alone.mark(alone[METRIC, "B"]) == "▲"


def test_pairs_without_the_baseline_are_corrected_over_all() -> None:
    found = asp.compare(three(), "A")[METRIC, "C", "B"]
    assert found.significant and found.p_adjusted is not None
    assert asp.compare(three(), "A")[METRIC, "B", "C"].difference == pytest.approx(-found.difference, abs=0.02)


def test_numbers_of_common_users_are_theirs() -> None:
    """A is perfect on 20 users whom B does not have."""
    scores = RANDOM.random(40)
    comparison = asp.compare(
        results({"A": {**dict(enumerate(scores)), **dict.fromkeys(range(40, 60), 1.0)}, "B": dict(enumerate(scores / 2))}), users="common"
    )
    assert comparison.scores[METRIC]["A"].value == pytest.approx(scores.mean())
    assert comparison.to_dict()["users"] == 40
    assert f"{scores.mean():.3f}" in comparison.to_latex()
    assert report_of(comparison).facts[0] == ("Users", "40")


def test_a_ratio_of_sums_needs_its_weights(tmp_path: Path) -> None:
    lists = {user: [f"i{user % 3}", f"i{user % 5}x"] for user in range(30)}
    systems = {"A": lists, "B": {user: items[::-1] for user, items in lists.items()}}
    made = asp.evaluate_systems(systems, "NDCG(average=ratio)@2", relevance={user: [f"i{user % 3}"] for user in range(30)})
    made["A"].write_per_user(tmp_path / "A.csv")
    assert asp.compare({"A": tmp_path / "A.csv", "B": made["B"]})["NDCG(average=ratio)@2", "B"].difference == pytest.approx(
        made["B"]["NDCG(average=ratio)@2"] - made["A"]["NDCG(average=ratio)@2"]
    )
    made["B"].per_user.write_csv(tmp_path / "B.csv")
    with pytest.raises(asp.InputError, match=r"B\.csv: .*ratio of sums, and the column '.* weight' is missing"):
        asp.compare([tmp_path / "A.csv", tmp_path / "B.csv"])


@pytest.mark.parametrize("odd", ["inf", "1e300"])
def test_scores_that_cannot_be_summed(odd: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(f"user,{METRIC}\n" + "".join(f"{user},{odd if user == 3 else 0.5}\n" for user in range(20)))
    with pytest.raises(asp.InputError, match=r"x\.csv: column 'NDCG@10' has a score of .*, expected"):
        asp.Results.read(tmp_path / "x.csv")


@pytest.mark.parametrize(
    "content",
    [
        '{"metrics": 3}',
        '{"metrics": [{"metric": "NDCG@10"}]}',
        '{"systems": ["a"], "differences": []}',
        "[]",
        "3",
        '{"systems": {"a": {}}}',
    ],
)
def test_json_that_holds_no_results(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(asp.InputError, match=r"x\.json: (does not hold results|holds a comparison)"):
        asp.Results.read(tmp_path / "x.json")


def test_numbers_as_users_survive_text(tmp_path: Path) -> None:
    made = results({"A": dict(enumerate(RANDOM.random(40))), "B": dict(enumerate(RANDOM.random(40)))})
    made.write_per_user(tmp_path / "x.csv")
    made.write_per_user(tmp_path / "x.parquet")
    assert asp.compare(tmp_path / "x.csv").differences == asp.compare(tmp_path / "x.parquet").differences == asp.compare(made).differences
    (tmp_path / "odd.csv").write_text("user,NDCG@10\n007,0.5\n7,0.25\n")
    read = asp.Results.read(tmp_path / "odd.csv")
    assert isinstance(read, asp.Results)
    assert read.per_user["user"].to_list() == ["007", "7"]


def test_systems_that_score_nobody_do_not_silence_the_others() -> None:
    scores = RANDOM.random(60)
    comparison = asp.compare(results({"A": by_user(scores), "B": by_user(scores + 1), "C": by_user(np.full(60, math.nan))}))
    assert comparison.standings[METRIC].best == "B"


def test_nobody_in_common_is_an_error() -> None:
    with pytest.raises(asp.InputError, match="no user is averaged by all systems"):
        asp.compare(results({"A": {1: 0.5}, "B": {"1": 0.5}}), users="common")


def test_warnings_of_saved_results_and_other_inputs_are_said(tmp_path: Path) -> None:
    for name, digest in (("old", "sha256 1"), ("new", "sha256 2")):
        content = {
            "metrics": [{"metric": METRIC, "value": 0.5, "counts": []}], "warnings": ["no item is relevant [never_judged]"], "notes": [],
            "inputs": {"relevance": digest},
        }  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    with pytest.warns(asp.AspectrumWarning, match=r"relevance is not the same file for old and new.*\[other_inputs\]"):
        comparison = asp.compare([tmp_path / "old.json", tmp_path / "new.json"])
    assert any("never_judged" in note for note in comparison.notes)


# Findings and figures of a report

ITEMS = [f"i{item}" for item in range(30)]
LISTS = {
    name: {user: [ITEMS[(user * step + place) % 30] for place in range(10)] for user in range(60)} for name, step in (("a", 1), ("b", 7))
}
TRUTH: dict[str, Any] = {
    "aspects": {item: [f"g{place % 4}"] for place, item in enumerate(ITEMS)},
    "relevance": {user: [ITEMS[(user * 3) % 30]] for user in range(60)},
    "catalogue": ITEMS,
    "ignore": ["seen_items", "test_in_train", "short_lists", "sorted_by_item"],
}


def test_diversity_for_relevance_is_judged_by_it() -> None:
    history = dict.fromkeys(range(60), ITEMS[:5])
    made = asp.evaluate_systems(LISTS, ["NDCG@10", "AlphaNDCG@10", "AspectRecall@10"], history=history, **TRUTH)
    comparison = as_comparison(made)
    assert comparison.results["a"].details["AlphaNDCG@10"]["judged_by"] == "history"
    report = report_of(comparison)
    assert not any(finding.heading == "Most diverse among relevant items" for finding in report.findings)
    assert (report.measure("AlphaNDCG@10").name, report.measure("AlphaNDCG@10").judged_by) == ("α-nDCG", "history")
    definition = report.measure("AlphaNDCG@10").definition
    assert definition is not None and definition.parameters["judged_by"] == "history" and definition.parameters["users"] == "lists"


@pytest.mark.parametrize("users", ["common", "judged", "lists"])
def test_exposure_is_that_of_the_users_averaged(users: str) -> None:
    lists: dict[str, Any] = {"a": {**LISTS["a"], "stranger": ["i0"] * 1}, "b": LISTS["b"]}
    relevance = {user: relevant for user, relevant in TRUTH["relevance"].items() if users != "judged" or user < 40}
    truth: dict[str, Any] = {**TRUTH, "relevance": relevance, "ignore": [*TRUTH["ignore"], "no_list", "unknown"]}
    made = asp.evaluate_systems(lists, ["NDCG@10", "GiniComplement@10"], users=users, **truth)
    made = asp.SystemResults({"a": made["a"]})
    lorenz = report_of(as_comparison(made)).lorenz
    assert lorenz is not None
    assert lorenz.gini["a"] == pytest.approx(1 - made["a"]["GiniComplement@10"])


def test_no_card_of_a_loss_where_nobody_loses() -> None:
    relevance = {user: [ITEMS[user % 30]] for user in range(40)}
    lists = {"a": {user: ["none", ITEMS[user % 30]] for user in relevance}, "b": {user: [ITEMS[user % 30], "none"] for user in relevance}}
    report = report_of(as_comparison(asp.evaluate_systems(lists, "NDCG@2", relevance=relevance)), Origin(titles={"none": "None"}))
    assert [pair.kind for pair in report.lists] == ["gain", "typical"]


def test_signs_do_not_change_names() -> None:
    lists = {"base-1e-6": LISTS["a"], "more-1e-7": LISTS["b"]}
    made = asp.evaluate_systems(lists, ["NDCG@10", "ERRIA@10", "ILD@10"], **TRUTH)
    evidence = " ".join(finding.evidence + finding.fact for finding in report_of(as_comparison(made)).findings)
    assert "1e−" not in evidence


@pytest.mark.parametrize("options", [{"test": "wilcoxon"}, {"test": "sign"}, {"correction": "none"}])
def test_a_report_claims_no_more_than_the_tests(options: Any) -> None:
    relevance = {user: [ITEMS[user % 30]] for user in range(60)}
    lists = {"a": {user: ["none", ITEMS[user % 30]] for user in relevance}, "b": {user: [ITEMS[user % 30], "none"] for user in relevance}}
    lists["c"] = {user: [ITEMS[user % 30], "none"] if user % 2 else ["none", "none2"] for user in relevance}
    report = report_of(asp.compare(asp.evaluate_systems(lists, "NDCG@2", relevance=relevance), **options))
    assert all(one.mark is None for row in report.differences.values() for one in row.values())
    assert all(standing.best is None for standing in report.standings.values())
    assert report.findings == ()


def test_a_gate_that_must_be_shown_stays_one() -> None:
    comparison = asp.compare(three())
    text, made = comparison.check(unless=f"{METRIC} > 0"), comparison.check(unless=asp.Gate.parse(f"{METRIC} > 0"))
    assert [one.decision for one in text] == [one.decision for one in made] == ["pass", "pass"]
    assert all(": fail unless " in one.said for one in text)


def test_contributions_that_are_not_defined_are_not_tested() -> None:
    """Without the only user with a list, nothing is recommended."""
    lists = {"A": {user: ["a", "b"] if user == 0 else [] for user in range(40)}, "B": {user: ["a", "c"] for user in range(40)}}
    made = asp.evaluate_systems(lists, "GiniComplement@2", catalogue=list("abcdefgh"), ignore=["short_lists"])
    found = asp.compare(made)["GiniComplement@2", "B"]
    assert (found.p, found.interval) == (None, None)
    assert found.difference == made["B"]["GiniComplement@2"] - made["A"]["GiniComplement@2"]


def test_a_weight_in_one_file_weighs_nothing(tmp_path: Path) -> None:
    rows = [(user, RANDOM.random(), 1 + user % 4) for user in range(20)]
    (tmp_path / "x.csv").write_text("user,NDCG@3,NDCG@3 weight\n" + "".join(f"{user},{score},{weight}\n" for user, score, weight in rows))
    (tmp_path / "y.csv").write_text("user,NDCG@3\n" + "".join(f"{user},{score + 0.1}\n" for user, score, _ in rows))
    assert asp.compare([tmp_path / "x.csv", tmp_path / "y.csv"])["NDCG@3", "y"].difference == pytest.approx(0.1)


def test_all_pairs_say_against_whom() -> None:
    comparison = asp.compare(three(), pairs="all", segments={f"u{number:04}": number % 2 for number in range(60)})
    text = comparison.to_text()
    assert len({line for line in text.splitlines() if " segment " in line}) == 6
    assert f"{METRIC} of C against B" in text


def test_curves_are_over_the_users_of_the_table() -> None:
    relevance = {user: [ITEMS[user % 30]] for user in range(60)}
    lists = {
        "a": {user: [ITEMS[(user + place) % 30] for place in range(4)] for user in range(50)},
        "b": {user: [ITEMS[(user + 2 * place + 1) % 30] for place in range(4)] for user in range(10, 60)},
    }
    report = report_of(asp.compare(asp.evaluate_systems(lists, "NDCG@1,2,3", relevance=relevance, ignore=["no_list"]), users="common"))
    (curves,) = report.curves
    assert curves.values["a"] == tuple(report.scores[f"NDCG@{k}"]["a"].value for k in (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user,NDCG@3\n1,abc\n", "does not hold numbers"),
        ("user\n1\n2\n", "there is no column beside 'user'"),
        ("user,NDCG@3\n1,0.5\n,0.5\n", "1 rows have no user"),
        ("user,NDCG(average=ratio)@3,NDCG(average=ratio)@3 weight\n1,0.5,\n2,0.5,1\n", "negative or missing"),
        ("user,NDCG@3,NDCG@3 at least\n1,0.5,x\n", "does not hold numbers"),
        ("user,NDCG@3,Nothing@3\n1,0.5,1\n", "unknown metric 'Nothing'"),
    ],
)
def test_files_of_scores_that_cannot_be(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(asp.InputError, match=f"x\\.csv: .*{message}"):
        asp.Results.read(tmp_path / "x.csv")


def test_lists_with_other_tie_rules_are_not_compared() -> None:
    lists = {user: {"x": 1.0, "y": 1.0, "z": 0.5} for user in range(20)}
    made = {
        rule: asp.evaluate(lists, METRIC, relevance={user: ["x"] for user in range(20)}, ties=rule) for rule in ("ascending", "descending")
    }
    with pytest.raises(asp.InputError, match="ties in lists are in ascending order for ascending, and in descending order for descending"):
        asp.compare(made)


def test_lists_are_not_scores(tmp_path: Path) -> None:
    (tmp_path / "recs.csv").write_text("user,item,rank\n1,a,1\n1,b,2\n")
    with pytest.raises(asp.InputError, match=r"recs\.csv: has items \('item'\), so these are lists or judgments"):
        asp.Results.read(tmp_path / "recs.csv")
