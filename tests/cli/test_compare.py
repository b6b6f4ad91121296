"""``aspectrum compare`` and ``aspectrum evaluate --compare``: exit codes, gates, files, configurations."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import aspectrum as asp
from tests.cli.conftest import Call
from tests.cli.data import write_csv

USERS = range(40)
RELEVANCE = {user: [user % 7, 20 + user % 3] for user in USERS}
SYSTEMS = {
    "popular": {user: [0, 1, 2] for user in USERS},
    "personal": {user: [user % 7, 21, 22] if user % 3 else [2, 1, 0] for user in USERS},
    "close": {user: [0, 1, 3 + user % 4] for user in USERS},
}
METRICS = ("-m", "NDCG@3", "-m", "Precision@3", "-m", "GiniComplement@3")
TRUTH = ("--relevance", "relevance.csv", "--catalogue", "catalogue.csv")
EVALUATE = ("evaluate", "popular.csv", "personal.csv", "close.csv", *TRUTH, *METRICS)


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    for name, lists in SYSTEMS.items():
        write_csv(here / f"{name}.csv", ("user", "item"), ((user, item) for user, items in lists.items() for item in items))
    write_csv(here / "relevance.csv", ("user", "item"), ((user, item) for user, items in RELEVANCE.items() for item in items))
    write_csv(here / "catalogue.csv", ("item",), ((item,) for item in range(30)))


@pytest.fixture
def saved(call: Call) -> str:
    """Results of all systems, as JSON with the scores of users beside them."""
    said = call(*EVALUATE, "--output", "all.json", "--per-user", "all.parquet", "--quiet")
    assert said.code == 0, said.err
    return "all.json"


@pytest.fixture
def expected() -> asp.Comparison:
    truth = {"relevance": RELEVANCE, "catalogue": list(range(30))}
    return asp.compare(asp.evaluate_systems(SYSTEMS, ["NDCG@3", "Precision@3", "GiniComplement@3"], **truth))  # type: ignore[arg-type]


def test_saved_results_are_compared_as_in_python(call: Call, saved: str, expected: asp.Comparison) -> None:
    said = call("compare", saved)
    assert said.code == 0, said.err
    assert said.out == expected.to_text() + "\n"
    for format in ("json", "csv", "markdown", "latex"):
        assert call("compare", saved, "--format", format).out == expected.written(format)


def test_json_can_be_parsed(call: Call, saved: str, expected: asp.Comparison) -> None:
    found = json.loads(call("compare", saved, "--format", "json").out, parse_constant=pytest.fail)
    assert found["systems"] == list(SYSTEMS)
    assert found["baseline"] == "popular"
    one = next(one for one in found["differences"] if (one["metric"], one["system"]) == ("NDCG@3", "personal"))
    assert one["difference"] == expected["NDCG@3", "personal"].difference
    assert one["significant"] is True


def test_evaluate_and_compare_at_once(call: Call, expected: asp.Comparison) -> None:
    said = call(*EVALUATE, "--compare")
    assert said.code == 0, said.err
    assert expected.to_text() in said.out
    found = json.loads(call(*EVALUATE, "--compare", "--format", "json").out)
    assert list(found["systems"]) == list(SYSTEMS)
    assert found["comparison"]["differences"][0]["metric"] == "NDCG@3"
    rows = list(csv.DictReader(io.StringIO(call(*EVALUATE, "--compare", "--format", "csv").out)))
    assert [(row["metric"], row["system"]) for row in rows] == [(one.metric, one.system) for one in expected.differences]


def test_a_file_for_the_comparison(call: Call, here: Path, expected: asp.Comparison) -> None:
    said = call(*EVALUATE, "--comparison", "comparison.json")
    assert said.code == 0, said.err
    assert json.loads((here / "comparison.json").read_text(encoding="utf-8")) == json.loads(expected.to_json())
    said = call(*EVALUATE, "--comparison", "comparison.md", "--output", "results.json", "--quiet")
    assert (said.code, said.out) == (0, "")
    assert (here / "comparison.md").read_text(encoding="utf-8") == expected.to_markdown() + "\n"


def test_output_files(call: Call, saved: str, here: Path, expected: asp.Comparison) -> None:
    said = call("compare", saved, "-o", "a.json", "-o", "b.tex", "-q")
    assert (said.code, said.out) == (0, "")
    assert (here / "a.json").read_text(encoding="utf-8") == expected.to_json() + "\n"
    assert (here / "b.tex").read_text(encoding="utf-8").startswith(expected.to_latex()[:20])


def test_options_reach_the_statistics(call: Call, saved: str) -> None:
    options = ("--significance", "t", "--correction", "holm", "--level", "0.9", "--alpha", "0.01", "--seed", "7", "--family", "metric")
    found = json.loads(call("compare", saved, *options, "--baseline", "close", "-m", "NDCG@3", "--format", "json").out)
    procedure = found["procedure"]
    assert (procedure["test"], procedure["correction"], procedure["level"]) == ("t", "holm", 0.9)
    assert (procedure["alpha"], procedure["seed"], procedure["family"]) == (0.01, 7, "metric")
    assert (found["baseline"], [one["metric"] for one in found["metrics"]]) == ("close", ["NDCG@3"])


def test_all_pairs(call: Call, saved: str, refused: Callable[..., str]) -> None:
    found = json.loads(call("compare", saved, "--all-pairs", "-m", "NDCG@3", "--format", "json").out)
    assert found["baseline"] is None
    assert len(found["differences"]) == 3
    assert "--all-pairs has no baseline" in refused(2, "compare", saved, "--all-pairs", "--baseline", "close")
    assert "--all-pairs has no baseline" in refused(2, "compare", saved, "--all-pairs", "--fail-if", "NDCG@3 < 0")


# Gates


def test_gates_that_hold(call: Call, saved: str) -> None:
    said = call("compare", saved, "--fail-if", "NDCG@3 < -50%", "--fail-unless", "NDCG@3 > -50%", "-m", "NDCG@3")
    assert said.code == 0, said.err
    assert said.out.count("Gate ") == 4
    assert ": pass (" in said.out


def test_a_gate_that_fails(call: Call, saved: str) -> None:
    said = call("compare", saved, "--baseline", "personal", "--fail-if", "NDCG@3 < -1%", "-m", "NDCG@3")
    assert said.code == 1
    assert said.err.count("gate failed: ") == 2
    assert "gate failed: popular: fail if NDCG@3 < -1%: fail (" in said.err
    assert "Gate popular: fail if NDCG@3 < -1%: fail" in said.out  # the table is printed all the same
    assert call(*EVALUATE, "--baseline", "personal", "--fail-if", "NDCG@3 < -1%").code == 1


def test_files_are_written_before_a_gate_fails(call: Call, saved: str, here: Path) -> None:
    said = call("compare", saved, "--baseline", "personal", "--fail-if", "NDCG@3 < -1%", "-o", "found.json", "-q")
    assert said.code == 1
    gates = json.loads((here / "found.json").read_text(encoding="utf-8"))["gates"]
    assert [one["decision"] for one in gates] == ["fail", "fail"]
    assert gates[0]["gate"] == "NDCG@3 < -1%"


def test_inconclusive_gates(call: Call) -> None:
    gate = ("--fail-if", "NDCG@3 < 0.0001", "-m", "NDCG@3", "--baseline", "popular")
    call("evaluate", "popular.csv", "close.csv", *TRUTH, "-m", "NDCG@3", "--output", "two.json", "--per-user", "two.parquet", "-q")
    said = call("compare", "two.json", *gate)
    assert said.code == 0
    assert "warning: " in said.err and "[inconclusive]" in said.err
    assert call("compare", "two.json", *gate, "--inconclusive", "warn").code == 0
    said = call("compare", "two.json", *gate, "--inconclusive", "fail")
    assert said.code == 1
    assert "gate failed: close: fail if NDCG@3 < 0.0001: inconclusive" in said.err
    assert call("compare", "two.json", *gate, "--strict").code == 1
    said = call("compare", "two.json", *gate, "--ignore", "inconclusive")
    assert (said.code, said.err) == (0, "")
    said = call("compare", "two.json", "--fail-unless", "NDCG@3 > 0.0001")
    assert said.code == 1  # what must be shown, and is not


def test_gates_that_cannot_be(refused: Callable[..., str], saved: str) -> None:
    assert "is not of the form METRIC < LIMIT" in refused(2, "compare", saved, "--fail-if", "NDCG@3")
    assert "gate Recall@3 < 0: Recall@3 was not computed" in refused(2, "compare", saved, "--fail-if", "Recall@3 < 0")


def test_a_relative_gate_needs_a_mean_above_0(refused: Callable[..., str], here: Path) -> None:
    pl.DataFrame({"user": list(USERS), "NDCG@3": [0.0] * 40}).write_parquet(here / "zero.parquet")
    pl.DataFrame({"user": list(USERS), "NDCG@3": [0.1] * 40}).write_parquet(here / "some.parquet")
    assert "a relative limit needs one above 0" in refused(2, "compare", "zero.parquet", "some.parquet", "--fail-if", "NDCG@3 < -1%")


# What cannot be compared


def test_systems_and_baselines(refused: Callable[..., str], call: Call, saved: str) -> None:
    said = refused(2, "compare", saved, "--baseline", "personel")
    assert "--baseline: there is no system 'personel'; there are popular, personal, close; did you mean 'personal'?" in said
    call("evaluate", "popular.csv", *TRUTH, "-m", "NDCG@3", "--output", "one.json", "-q")
    assert "a comparison needs at least two systems" in refused(1, "compare", "one.json")
    alone = call("evaluate", "popular.csv", *TRUTH, "-m", "NDCG@3", "--compare")
    assert (
        alone.code == 1 and "a comparison needs at least two systems" in alone.err and "NDCG@3" in alone.out
    )  # the numbers are there all the same
    assert "is not a metric that all systems have" in refused(1, "compare", saved, "-m", "Recall@3")


def test_wrong_files(refused: Callable[..., str], saved: str, here: Path) -> None:
    assert "nowhere.json: file not found" in refused(1, "compare", saved, "nowhere.json")
    (here / "broken.json").write_text("{", encoding="utf-8")
    assert "broken.json: is not valid JSON" in refused(1, "compare", saved, "broken.json")
    (here / "notes.txt").write_text("", encoding="utf-8")
    assert "saved results are .json, .parquet, .pq, .csv, .tsv, not .txt" in refused(1, "compare", saved, "notes.txt")
    assert "no user column found" in refused(1, "compare", saved, "catalogue.csv")
    assert "unknown extension" in refused(2, "compare", saved, "-o", "x.docx")
    assert "all.json" in refused(2, "compare", saved, "-o", "all.json")


def test_two_files_with_systems_of_the_same_name(call: Call, saved: str, refused: Callable[..., str]) -> None:
    for name in ("old", "new"):
        call("evaluate", "popular.csv", *TRUTH, "-m", "NDCG@3", "--output", f"{name}.json", "--per-user", f"{name}.parquet", "-q")
    found = json.loads(call("compare", "old.json", "new.json", "--format", "json").out)
    assert found["systems"] == ["old", "new"]
    assert found["differences"][0]["notes"] == ["identical for all users"]
    found = json.loads(call("compare", "before=old.json", "after=new.json", "--format", "json").out)
    assert found["systems"] == ["before", "after"]
    assert "two files are called 'x'" in refused(2, "compare", "x=old.json", "x=new.json")
    found = json.loads(call("compare", saved, "old.json", "-m", "NDCG@3", "--format", "json").out)
    assert found["systems"] == ["all: popular", "personal", "close", "old"]


def test_different_users(refused: Callable[..., str], call: Call, here: Path) -> None:
    for name, users in {"one": range(30), "two": range(5, 40)}.items():
        pl.DataFrame({"user": list(users), "NDCG@3": [0.1 * (user % 5) for user in users]}).write_parquet(here / f"{name}.parquet")
    said = refused(1, "compare", "one.parquet", "two.parquet")
    assert "--users common" in said and "--users judged" in said
    found = json.loads(call("compare", "one.parquet", "two.parquet", "--users", "common", "--format", "json").out)
    assert (found["differences"][0]["n"], found["differences"][0]["absent_a"], found["differences"][0]["absent_b"]) == (25, 10, 5)


def test_segments(call: Call, saved: str, here: Path) -> None:
    write_csv(here / "users.csv", ("user", "age"), ((user, "old" if user < 20 else "young") for user in USERS))
    found = json.loads(call("compare", saved, "--segments", "users.csv", "-m", "NDCG@3", "--format", "json").out)
    assert {one["segment"] for one in found["segments"]} == {"old", "young"}
    assert call(*EVALUATE, "--segments", "activity").code == 0
    assert "not corrected" in call("compare", saved, "--segments", "users.csv").out


# Configurations

CONFIG = """
systems:
  popular: popular.csv
  personal: personal.csv
inputs:
  relevance: relevance.csv
metrics: [NDCG@3]
"""


def test_a_section_of_a_configuration(call: Call, here: Path) -> None:
    section = "comparison:\n  baseline: personal\n  correction: holm\n  comparison: found.json\n  fail_if: NDCG@3 < -1%\n"
    (here / "run.yaml").write_text(CONFIG + section, encoding="utf-8")
    said = call("evaluate", "--config", "run.yaml")
    assert said.code == 1
    assert "gate failed: popular: fail if NDCG@3 < -1%: fail" in said.err
    found = json.loads((here / "found.json").read_text(encoding="utf-8"))
    assert (found["baseline"], found["procedure"]["correction"], found["procedure"]["test"]) == ("personal", "holm", "t")
    said = call("evaluate", "--config", "run.yaml", "--baseline", "popular")  # options come on top
    assert said.code == 0, said.err


def test_a_section_may_switch_comparisons_off(call: Call, here: Path) -> None:
    (here / "run.yaml").write_text(CONFIG + "comparison:\n  compare: false\n  baseline: personal\n", encoding="utf-8")
    plain = call("evaluate", "--config", "run.yaml")
    assert plain.code == 0, plain.err
    assert "interval" not in plain.out
    for asked in (("--compare",), ("--fail-if", "NDCG@3 < 0")):  # a gate is never passed over
        assert "interval" in call("evaluate", "--config", "run.yaml", *asked).out
    for section in ("{compare: true}", "{}"):  # that it is there asks for a comparison
        (here / "run.yaml").write_text(CONFIG + f"comparison: {section}\n", encoding="utf-8")
        assert "interval" in call("evaluate", "--config", "run.yaml").out


@pytest.mark.parametrize(
    ("line", "message"), [("tests: t", "tests"), ("alpha: 2", "alpha"), ("correction: tukey", "correction"), ("flips: 3", "flips")]
)
def test_a_section_with_mistakes(line: str, message: str, refused: Callable[..., str], here: Path) -> None:
    (here / "run.yaml").write_text(CONFIG + f"comparison:\n  {line}\n", encoding="utf-8")
    said = refused(2, "evaluate", "--config", "run.yaml")
    assert "run.yaml:" in said and message in said
