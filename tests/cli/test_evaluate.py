"""``aspectrum evaluate``: the numbers of the library, in every form."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars
import pytest

import aspectrum as asp
from aspectrum.metric import of_family
from tests.cli.conftest import Call, Start
from tests.cli.data import GENRES, GRADES, HISTORY, LISTS, OPTIONS, OTHERS, TRUTH, VECTORS, write_csv

METRICS = ("AlphaNDCG(alpha=0.9)@2,3", "ERRIA@3", "NDCG@2", "GiniComplement@3")
NAMES = ("AlphaNDCG(alpha=0.9)@2", "AlphaNDCG(alpha=0.9)@3", "ERRIA@3", "NDCG@2", "GiniComplement@3")
ASKED = tuple(word for metric in METRICS for word in ("-m", metric))


def read_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.fixture
def expected() -> asp.SystemResults:
    return asp.evaluate_systems({"als": LISTS, "popular": OTHERS}, METRICS, **TRUTH)


def test_several_systems_as_a_table(call: Call, expected: asp.SystemResults) -> None:
    said = call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED)
    assert (said.code, said.err) == (0, "")
    head, _, *rows = said.out.split("\n\n")[0].splitlines()
    assert head.split() == ["Metric", "als", "popular"]
    for name, row in zip(NAMES, rows, strict=True):
        assert re.sub(r" \(by \w+\)", "", row).split() == [name, f"{expected['als'][name]:.4f}", f"{expected['popular'][name]:.4f}"]


def test_json_has_every_bit_and_says_how(call: Call, expected: asp.SystemResults) -> None:
    said = call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED, "--format", "json")
    found = json.loads(said.out)
    assert list(found["systems"]) == ["als", "popular"]
    for system, results in expected.items():
        entries = found["systems"][system]["metrics"]
        assert {entry["metric"]: entry["value"] for entry in entries} == dict(results)
        by_name = {entry["metric"]: entry for entry in entries}
        assert by_name["ERRIA@3"]["judged_by"] == results.details["ERRIA@3"]["judged_by"] == "relevance"
        assert by_name["AlphaNDCG(alpha=0.9)@2"]["judged_by"] == "history"
        assert {entry["users"] for entry in entries} == {"lists"}
    assert any("ordered by score" in note for note in found["notes"])
    assert any("ordered by rank" in note for note in found["notes"])


def test_csv_has_every_bit_and_says_how(call: Call, expected: asp.SystemResults) -> None:
    said = call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert {(row["system"], row["metric"]): float(row["value"]) for row in rows} == {
        (system, name): value for system, results in expected.items() for name, value in results.items()
    }
    assert all("convention=published" in row["computed"] for row in rows)
    assert {row["users"] for row in rows if row["metric"] == "NDCG@2"} == {"3 scored"}


@pytest.mark.parametrize("extension", ["txt", "json", "csv", "md", "markdown", "tex"])
def test_every_output_says_how_each_number_was_computed(call: Call, here: Path, extension: str) -> None:
    said = call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED, "-q", "-o", f"out.{extension}")
    assert (said.code, said.out, said.err) == (0, "", "")
    text = (here / f"out.{extension}").read_text()
    for name in NAMES:
        assert name in text.replace(r"\_", "_")
    for fact in ("judged_by", "history", "convention", "published", "users", "lists", "catalogue", "scored", "ordered by score"):
        if (extension, fact) != ("csv", "ordered by score"):  # a CSV file has rows of numbers only
            assert fact in text.replace("\\_", "_"), fact


def test_scores_of_users_as_parquet(call: Call, here: Path, expected: asp.SystemResults) -> None:
    assert call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED, "--per-user", "scores.parquet").code == 0
    found = polars.read_parquet(here / "scores.parquet")
    assert found.columns == ["system", "user", *NAMES[:-1], f"{NAMES[-1]} contribution"]
    found = found.drop(f"{NAMES[-1]} contribution")
    by_user = {(row["system"], row["user"]): row for row in found.to_dicts()}
    assert len(by_user) == 6
    for system, results in expected.items():
        for row in results.per_user.to_dicts():
            assert by_user[system, row["user"]] == {"system": system, **row}
    how = json.loads(polars.read_parquet_metadata(here / "scores.parquet")["aspectrum"])
    assert how["systems"]["als"]["metrics"][0]["judged_by"] == "history"


def test_contributions_of_users_where_there_are_no_scores(call: Call, here: Path) -> None:
    ask = ("evaluate", "als.csv", "--per-user", "scores.parquet", "-m")
    assert call(*ask, "Gini@2", "-m", "CatalogueCoverage@2", "--catalogue", "genres.csv").code == 0
    assert set(polars.read_parquet(here / "scores.parquet").columns) == {
        "system",
        "user",
        "Gini@2 contribution",
        "CatalogueCoverage@2 contribution",
    }


def test_quiet_prints_nothing_if_there_is_a_file(call: Call) -> None:
    ask = ("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "--quiet")
    assert "NDCG@2" in call(*ask).out
    assert call(*ask, "-o", "out.md").out == ""
    assert call(*ask, "--per-user", "scores.parquet").out == ""
    assert "NDCG@2" in call(*ask[:-1], "-o", "out.md").out


def test_any_name_will_do_with_a_format(call: Call, here: Path, expected: asp.SystemResults) -> None:
    call("evaluate", "als.csv", "popular.csv", *OPTIONS, *ASKED, "--format", "csv", "-o", "numbers", "-o", "numbers.json")
    rows = read_csv(here / "numbers")
    assert float(rows[0]["value"]) == expected["als"][NAMES[0]]
    assert json.loads((here / "numbers.json").read_text())["systems"]["als"]["metrics"][0]["value"] == expected["als"][NAMES[0]]


def test_systems_as_rows(call: Call, expected: asp.SystemResults) -> None:
    said = call("evaluate", "als.csv", "popular.csv", *OPTIONS, "-m", "NDCG@2", "--systems-as", "rows")
    assert said.out.splitlines()[0].split() == ["System", "NDCG@2"]
    assert said.out.splitlines()[2].split() == ["als", f"{expected['als']['NDCG@2']:.4f}"]


def test_threads_do_not_change_a_bit(call: Call) -> None:
    ask = ("evaluate", "als.csv", *OPTIONS, *ASKED, "--format", "json")
    assert call(*ask, "--threads", "1").out == call(*ask, "--threads", "3").out == call(*ask).out


def test_features(call: Call) -> None:
    said = call("evaluate", "als.csv", "--features", "vectors.csv", "-m", "ILD@3", "--format", "json")
    value = json.loads(said.out)["systems"]["als"]["metrics"][0]["value"]
    assert value == pytest.approx(asp.evaluate(LISTS, "ILD@3", features=VECTORS)["ILD@3"], rel=1e-12)


@pytest.mark.parametrize(("convention", "threshold"), [("ndeval", "1"), ("relison", "2"), ("informfully", "3"), (None, "4")])
def test_conventions_and_thresholds(call: Call, here: Path, convention: str | None, threshold: str) -> None:
    rows = [(user, item, 10 - place) for user, items in LISTS.items() for place, item in enumerate(items)]
    write_csv(here / "blocks.csv", ("user", "item", "score"), rows)  # relison wants the rows of a user together
    said = call(
        *("evaluate", "als=blocks.csv", *OPTIONS, "--threshold", threshold, "-m", "NDCG@2", "-m", "AlphaNDCG(judged_by=relevance)@2"),
        *("--format", "json", *(() if convention is None else ("--convention", convention))),
    )
    found = {entry["metric"]: entry["value"] for entry in json.loads(said.out)["systems"]["als"]["metrics"]}
    ours = asp.evaluate(LISTS, ["NDCG@2", "AlphaNDCG(judged_by=relevance)@2"], threshold=float(threshold), convention=convention, **TRUTH)
    assert found == dict(ours)


def test_several_conventions_stand_side_by_side(call: Call, here: Path) -> None:
    ask = ("evaluate", "als.csv", "popular.csv", *OPTIONS, "-m", "NDCG@2", "-m", "AlphaNDCG@2", "--format", "json")
    both = json.loads(call(*ask, "--convention", "published, informfully").out)["systems"]
    assert list(both) == ["als (published)", "als (informfully)", "popular (published)", "popular (informfully)"]
    for way in ("published", "informfully"):
        alone = json.loads(call(*ask, "--convention", way).out)["systems"]
        assert {name: both[f"{name} ({way})"] for name in alone} == alone
    (here / "both.yaml").write_text("convention: [published, informfully]")
    assert json.loads(call(*ask, "--config", "both.yaml").out)["systems"] == both
    assert json.loads(call(*ask, "--convention", "published", "--convention", "informfully").out)["systems"] == both
    assert "named twice" in call(*ask, "--convention", "ndeval,ndeval").err
    assert "did you mean 'informfully'" in call(*ask, "--convention", "published,informfuly").err
    assert call("check", "als.csv", *OPTIONS, "-m", "NDCG@2", "--convention", "published,informfully").err == ""


def test_each_of_several_conventions_computes_what_it_allows(call: Call) -> None:
    ask = ("evaluate", "als.csv", *OPTIONS, "--format", "json", "-m", "all@2")
    published, ndeval, both = (
        json.loads(call(*ask, "--convention", convention).out) for convention in ("published", "ndeval", "published,ndeval")
    )
    alone = {f"als ({name})": one["systems"]["als"]["metrics"] for name, one in (("published", published), ("ndeval", ndeval))}
    assert {name: one["metrics"] for name, one in both["systems"].items()} == alone
    said = [note for note in both["notes"] if note.startswith("of the metrics asked for, ndeval covers only ")]
    assert len(said) == 1


def test_metrics_that_a_convention_does_not_cover(call: Call) -> None:
    ask = ("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "-m", "Gini@2", "--convention")
    out = call(*ask, "published,rectools").out
    assert out.count("not computed") == out.count("- rectools does not cover Gini\n") == 1
    assert call("check", *ask[1:], "published,rectools").err == ""
    assert "error: none of the conventions rectools, replay covers Gini" in call(*ask, "rectools,replay").err
    compared = call(*ask, "recbole,rectools", "--compare")
    assert "not computed" in compared.out
    assert "the systems have no metric in common: als (rectools) has NDCG@2" in compared.err


def test_relison_wants_the_rows_of_a_user_together(call: Call) -> None:
    assert "two blocks" in call("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "--convention", "relison").err


@pytest.mark.parametrize("users", ["lists", "judged", "both", "relevant", "all"])
def test_who_is_averaged(call: Call, here: Path, users: str) -> None:
    grades = {**GRADES, "dan": {"a": 5}}
    del grades["cyd"]
    write_csv(here / "truth.csv", ("user", "item", "grade"), [(u, i, g) for u, own in grades.items() for i, g in own.items()])
    said = call("evaluate", "als.csv", "--relevance", "truth.csv", "-m", "NDCG@2", "--users", users, "--format", "json")
    (entry,) = json.loads(said.out)["systems"]["als"]["metrics"]
    assert entry["value"] == asp.evaluate(LISTS, "NDCG@2", relevance=grades, users=users)["NDCG@2"]
    assert entry["users"] == users


def test_a_file_of_users(call: Call, here: Path) -> None:
    (here / "some.txt").write_text("bob\nann\n")
    said = call("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "--users", "some.txt", "--format", "json")
    (entry,) = json.loads(said.out)["systems"]["als"]["metrics"]
    assert entry["value"] == asp.evaluate(LISTS, "NDCG@2", users=["ann", "bob"], **TRUTH)["NDCG@2"]
    assert entry["scored"] == 2
    write_csv(here / "some.csv", ("name", "who"), [("x", "ann")])
    said = call("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "--users", "some.csv", "--columns", "users:user=who")
    assert "1 scored" in said.out


def test_standard_input(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch, expected: asp.SystemResults) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((here / "als.csv").read_bytes())))
    said = call("evaluate", "-", *OPTIONS, "-m", "NDCG@2")
    assert said.out.splitlines()[0].split() == ["Metric", "stdin"]
    assert said.out.splitlines()[2].split() == ["NDCG@2", f"{expected['als']['NDCG@2']:.4f}"]


def possible_with_relevance() -> list[str]:
    """Metrics that are not relative to something else."""
    return [
        name
        for name, metric in asp.registered().items()
        if not metric().relative_inputs() and any(needed <= {"relevance"} for needed in metric().needs())
    ]


def test_a_family_is_a_word(call: Call, here: Path) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "accuracy@2,3", "--format", "csv")
    assert [row["metric"] for row in csv.DictReader(io.StringIO(said.out))] == [
        f"{name}@{k}" for name in of_family("accuracy") for k in (2, 3)
    ]
    (here / "family.yaml").write_text("systems: [als.csv]\ninputs: {relevance: grades.csv}\nmetrics: ['accuracy@2,3']\n")
    assert call("evaluate", "--config", "family.yaml", "--format", "csv").out == said.out
    assert call("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "novelty@2").code == 2


def test_everything_that_is_possible_is_the_default(call: Call) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "--format", "csv")
    found = [row["metric"] for row in csv.DictReader(io.StringIO(said.out))]
    assert found == [f"{name}@10" for name in possible_with_relevance()]
    assert {"DCG@10", "HitRate@10", "MAP@10", "NDCG@10", "Precision@10", "Recall@10"} <= set(found)
    said = call("evaluate", "als.csv", *OPTIONS, "--features", "vectors.csv", "--format", "csv")
    needs = {name: metric().needs() for name, metric in asp.registered().items()}
    enough = {name for name, several in needs.items() if any(not {"graph", "baseline", "lengths"} & needed for needed in several)} - {
        "Serendipity"
    }
    assert {row["metric"] for row in csv.DictReader(io.StringIO(said.out))} == {f"{name}@10" for name in enough}


@pytest.mark.parametrize("convention", list(asp.CONVENTIONS))
def test_everything_that_is_possible_under_a_convention(call: Call, here: Path, convention: str) -> None:
    write_csv(here / "blocks.csv", ("user", "item"), [(user, item) for user, items in LISTS.items() for item in items])
    found = []
    for options in (OPTIONS, OPTIONS[:4], OPTIONS[:2], ()):
        said = call("evaluate", "blocks.csv", *options, "-m", "all@2", "--convention", convention, "--format", "csv")
        if said.code == 2:
            assert said.out == ""
            assert f"under convention {convention}" in said.err
        else:
            found.append({row["metric"] for row in csv.DictReader(io.StringIO(said.out))})
    assert all(some >= fewer for some, fewer in pairwise(found[:3]))  # of lists alone there is a doubtful number at best
    covers = asp.CONVENTIONS[convention].covers
    assert all(covers is None or {name.partition("@")[0] for name in some} <= set(covers) for some in found)
    if convention in ("published", "ndeval", "pyndeval", "relison", "informfully"):
        assert {"NDCG@2", "DCG@2", "GiniComplement@2"} <= found[0]
        assert ("AlphaNDCG@2" in found[0]) == (convention not in ("ndeval", "pyndeval")), "these two want subtopics"


def test_what_the_inputs_do_not_allow_is_named(call: Call, here: Path) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "--history", "history.csv")
    note = next(line for line in said.out.splitlines() if line.startswith("- all@10 leaves out AlphaDCG, AlphaNDCG, AspectEntropy, "))
    for reason in (
        "PrecisionIA, Redundancy, Representation (no aspects)",
        "Gini, GiniComplement, LongTailShare (no catalogue)",
        "VendiScore (no features)",
    ):
        assert reason in note
    (here / "all.yaml").write_text("systems: [als.csv]\ninputs: {relevance: grades.csv, history: history.csv}\nmetrics: [all@10]\n")
    assert call("evaluate", "--config", "all.yaml").out == said.out


def test_a_metric_asked_for_twice_is_computed_once(call: Call) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "NDCG@2,3", "-m", "nDCG@3", "--format", "csv")
    assert [row["metric"] for row in csv.DictReader(io.StringIO(said.out))] == ["NDCG@2", "NDCG@3"]


def test_all_leaves_alone_what_is_asked_for(call: Call) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "all@2,3", "-m", "NDCG@3,4", "--format", "csv")
    found = [row["metric"] for row in csv.DictReader(io.StringIO(said.out))]
    every = [f"{name}@{k}" for name in possible_with_relevance() for k in (2, 3)]
    assert found == [*(name for name in every if name != "NDCG@3"), "NDCG@3", "NDCG@4"]


@pytest.mark.parametrize("name", ["a=b.csv", "a b.csv", "größe 漢字.csv", "-.csv", "[red]x[b].csv", b"bad\xff.csv"])
def test_names_of_files(call: Call, here: Path, name: str | bytes) -> None:
    path = os.fsdecode(name)
    (here / path).write_bytes((here / "als.csv").read_bytes())
    (here / "als.csv").unlink()
    argument = f"./{path}" if path.startswith("-") else path
    said = call("evaluate", argument, *OPTIONS, "-m", "NDCG@2", "-o", "out.json", "-o", "out.md", "--per-user", "scores.parquet")
    assert (said.code, said.err) == (0, "")
    shown = path.encode("utf-8", "backslashreplace").decode()
    assert list(json.loads((here / "out.json").read_text())["systems"]) == [shown.removesuffix(".csv")]
    assert polars.read_parquet(here / "scores.parquet")["system"].unique().to_list() == [shown.removesuffix(".csv")]


def test_systems_have_names(call: Call, here: Path) -> None:
    said = call("evaluate", "Our best=als.csv", "β=popular.csv", *OPTIONS, "-m", "NDCG@2", "--format", "json")
    assert list(json.loads(said.out)["systems"]) == ["Our best", "β"]
    (here / "x=1").mkdir()
    (here / "als.csv").rename(here / "x=1" / "als.csv")
    said = call("evaluate", "x=1/als.csv", "A=x=1/als.csv", *OPTIONS, "-m", "NDCG@2", "--format", "json")
    assert list(json.loads(said.out)["systems"]) == ["als", "A"]


def test_columns_split_and_reader(call: Call, here: Path, expected: asp.SystemResults) -> None:
    rows = [(item, user, 10 - place) for user, items in LISTS.items() for place, item in enumerate(items)]
    write_csv(here / "odd.txt", ("thing", "who", "liking"), rows)
    write_csv(here / "movies.csv", ("id", "kinds"), [(item, "|".join(genres)) for item, genres in GENRES.items()])
    said = call(
        *("evaluate", "odd.txt", "--columns", "user=who", "--columns", "rankings:item=1,score=liking", "--reader", "rankings=csv"),
        *("--aspects", "movies.csv", "--columns", "aspects:aspect=kinds", "--split", "|"),
        *("--history", "history.csv", "-m", NAMES[1], "--format", "json"),
    )
    assert said.code == 0, said.err
    assert json.loads(said.out)["systems"]["odd"]["metrics"][0]["value"] == expected["als"][NAMES[1]]


def write_config(here: Path) -> None:
    folder = here / "set"
    folder.mkdir()
    (folder / "evaluation.yaml").write_text("""\
systems: {ALS: ../als.csv, Popular: {path: ../popular.csv, columns: {rank: 3}}}
inputs:
  relevance: ../grades.csv
  aspects: {path: ../movies.csv, split: "|", columns: {aspect: kinds}}
  history: ../history.csv
columns: {item: item}
metrics: ["AlphaNDCG@2", "NDCG@3"]
threshold: 2
users: judged
threads: 1
outputs: [results.md, {path: results.log, format: csv}]
per_user: scores.parquet
systems_as: rows
""")
    write_csv(here / "movies.csv", ("item", "kinds"), [(item, "|".join(genres)) for item, genres in GENRES.items()])


def test_configuration_holds_everything(call: Call, here: Path) -> None:
    write_config(here)
    said = call("evaluate", "--config", "set/evaluation.yaml")
    assert (said.code, said.err) == (0, "")
    ours = asp.evaluate_systems({"ALS": LISTS, "Popular": OTHERS}, ["AlphaNDCG@2", "NDCG@3"], users="judged", threshold=2.0, **TRUTH)
    rows = read_csv(here / "set" / "results.log")
    assert {(row["system"], row["metric"]): float(row["value"]) for row in rows} == {
        (system, name): value for system, results in ours.items() for name, value in results.items()
    }
    assert said.out.splitlines()[0].split() == ["System", "AlphaNDCG@2", "(by", "history)", "NDCG@3"]
    assert "| System | AlphaNDCG@2 (by history) | NDCG@3 |" in (here / "set" / "results.md").read_text()
    assert polars.read_parquet(here / "set" / "scores.parquet").height == 6


def test_options_come_on_top_of_the_configuration(call: Call, here: Path) -> None:
    write_config(here)
    write_csv(here / "commas.csv", ("item", "kinds"), [(item, ",".join(genres)) for item, genres in GENRES.items()])
    said = call(
        *("evaluate", "other=popular.csv", "--config", "set/evaluation.yaml", "-m", "AlphaNDCG@3", "--threshold", "4"),
        *("--aspects", "commas.csv", "--split", ",", "--columns", "aspects:aspect=kinds", "--users", "lists", "--systems-as", "columns"),
        *("-o", "mine.json", "--per-user", "mine.parquet", "--format", "csv"),
    )
    assert said.code == 0, said.err
    ours = asp.evaluate(OTHERS, "AlphaNDCG@3", threshold=4.0, **TRUTH)
    (row,) = csv.DictReader(io.StringIO(said.out))
    assert (row["system"], row["metric"], float(row["value"])) == ("other", "AlphaNDCG@3", ours["AlphaNDCG@3"])
    assert "users=lists" in row["computed"]
    assert sorted(os.listdir(here / "set")) == ["evaluation.yaml"]
    assert (here / "mine.json").exists()
    assert (here / "mine.parquet").exists()


def test_what_is_said_of_a_file_comes_on_top_too(call: Call, here: Path) -> None:
    (here / "config.yaml").write_text("""\
systems: {ALS: {path: lists.txt, format: tsv, header: true, columns: {user: 2, item: 1}}}
inputs: {relevance: grades.csv, features: {path: vectors.npy, ids: none.txt}}
metrics: [NDCG@2, ILD@2]
""")
    import numpy

    numpy.save(here / "vectors.npy", numpy.array(list(VECTORS.values())))
    (here / "ids.txt").write_text("\n".join(VECTORS))
    (here / "lists.txt").write_text("".join(f"{user},{item}\n" for user, items in LISTS.items() for item in items))
    said = call(
        *("evaluate", "--config", "config.yaml", "--reader", "rankings=csv", "--no-header", "--columns", "rankings:user=1,item=2"),
        *("--feature-ids", "ids.txt", "--format", "json"),
    )
    assert said.code == 1, "--no-header holds for every text file, and grades.csv has one"
    (here / "grades.csv").write_text("".join((here / "grades.csv").read_text().splitlines(keepends=True)[1:]))
    said = call(
        *("evaluate", "--config", "config.yaml", "--reader", "rankings=csv", "--no-header", "--columns", "rankings:user=1,item=2"),
        *("--feature-ids", "ids.txt", "--format", "json"),
    )
    assert said.code == 0, said.err
    found = {entry["metric"]: entry["value"] for entry in json.loads(said.out)["systems"]["ALS"]["metrics"]}
    ours = asp.evaluate(LISTS, ["NDCG@2", "ILD@2"], relevance=GRADES, features=VECTORS)
    assert found == pytest.approx(dict(ours), rel=1e-12)


def test_notes_tell_what_does_not_match(call: Call, here: Path) -> None:
    write_csv(here / "genres.csv", ("item", "genre"), [("a", "horror"), ("B", "crime"), ("c", "x"), ("d", "x"), ("e", "x")])
    said = call("evaluate", "als.csv", *OPTIONS, "-m", "AlphaNDCG@2")
    assert "als.csv: 1 of 5 items are not in genres.csv (such as 'b'); they differ in case: 'b' here, 'B' there" in said.out


def on_terminal(here: Path, *arguments: str) -> tuple[int, str]:
    """The exit code, and what a terminal at the standard error shows."""
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "aspectrum", "evaluate", *arguments],
        cwd=here,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(control, 4096)
        except OSError:  # Linux says so when the last writer is gone
            break
        if not piece:
            break
        shown += piece
    os.close(control)
    return process.wait(), shown.decode()


def test_progress_on_a_terminal(here: Path) -> None:
    code, shown = on_terminal(here, "[b]ALS[/x]=als.csv", *OPTIONS, "-m", "NDCG@2")
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "reading" in plain
    assert re.search(r"\[b\]ALS\[/x\] +━+.* 3/3", plain)
    assert shown.rstrip().endswith("\x1b[2K"), "the bar is wiped away"


def test_no_progress_if_quiet(here: Path) -> None:
    assert on_terminal(here, "als.csv", *OPTIONS, "-m", "NDCG@2", "--quiet") == (0, "")


def test_no_progress_without_a_terminal(start: Start) -> None:
    process = start("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"Metric")


def test_history_of_users_is_used(call: Call) -> None:
    """The relevance of every input is seen in the numbers: a check on the checks above."""
    with_history = asp.evaluate(LISTS, "AlphaNDCG@2", aspects=GENRES, history=HISTORY, relevance=GRADES)
    assert with_history["AlphaNDCG@2"] != asp.evaluate(LISTS, "AlphaNDCG@2", aspects=GENRES, relevance=GRADES)["AlphaNDCG@2"]
    said = call("evaluate", "als.csv", "--aspects", "genres.csv", "--history", "history.csv", "-m", "AlphaNDCG@2")
    assert f"{with_history['AlphaNDCG@2']:.4f}" in said.out


def test_one_file_with_the_lists_of_several_systems(call: Call, refused: Callable[..., str], here: Path) -> None:
    named = {"als": LISTS, "popular": OTHERS}
    rows = [(system, user, item) for system, lists in named.items() for user, items in lists.items() for item in items]
    write_csv(here / "recs.csv", ("model", "user", "item"), rows)
    ask = ("-m", "NDCG@2", "--relevance", "grades.csv", "--format", "json")
    expected = asp.evaluate_systems(named, "NDCG@2", relevance=GRADES)
    found = json.loads(call("evaluate", "recs.csv", *ask).out)["systems"]
    assert {name: one["metrics"][0]["value"] for name, one in found.items()} == {name: one["NDCG@2"] for name, one in expected.items()}
    write_csv(
        here / "others.csv", ("who", "user", "item"), [("third", *row[1:]) for row in rows[:9]] + [("fourth", *row[1:]) for row in rows[9:]]
    )
    said = call("evaluate", "recs.csv", "others.csv", "--columns", "system=who", *ask)
    assert list(json.loads(said.out)["systems"]) == ["als", "popular", "third", "fourth"]
    assert "two systems are called 'als', in recs.csv (als) and als.csv" in refused(1, "evaluate", "recs.csv", "als.csv", *ask)
    assert call("check", "recs.csv", "--relevance", "grades.csv").code == 0
    write_csv(here / "recs.csv", ("model", "user", "item"), rows[:9])
    assert list(json.loads(call("evaluate", "recs.csv", *ask).out)["systems"]) == ["recs"]


def test_a_wrong_line_of_a_file_with_several_systems(refused: Callable[..., str], here: Path) -> None:
    (here / "recs.csv").write_text("system,user,item\nA,ann,a\nB,ann,b\nB,ann,b\n")
    said = refused(1, "evaluate", "recs.csv", "-m", "GiniComplement")
    assert "recs.csv (B), line 4: the list of user 'ann' names item 'b' twice" in said


def test_every_metric_has_the_ild_of_aspects_where_there_are_no_features(call: Call) -> None:
    said = call("evaluate", "als.csv", "--aspects", "genres.csv", "-m", "all@2")
    assert "IntraListDiversity@2 " in said.out
    assert "- IntraListDiversity@2 compares items by their aspects, as no features are given" in said.out
    assert "IntraList" not in call("evaluate", "als.csv", "--aspects", "genres.csv", "-m", "all@2", "--convention", "relison").out
