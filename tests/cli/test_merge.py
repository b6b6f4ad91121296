"""``aspectrum evaluate --part`` and ``aspectrum merge``: what users see, and what is refused."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars
import pytest

import aspectrum as asp
from aspectrum import partial
from aspectrum.cli import run
from tests.cli.conftest import Call, Said, Start
from tests.cli.data import GRADES, LISTS, OPTIONS, OTHERS, write_csv

METRICS = ("-m", "AlphaNDCG@2", "-m", "NDCG@2,3", "-m", "GiniComplement@3")
SYSTEMS = {"ALS": LISTS, "Popular": OTHERS}
Refused = Callable[..., str]


def write_lists(folder: Path, name: str, lists: dict[str, list[str]]) -> str:
    rows = ((user, item, -place) for user, items in lists.items() for place, item in enumerate(items))
    write_csv(folder / name, ("user", "item", "score"), rows)
    return name


@pytest.fixture
def parts(call: Call, here: Path) -> list[str]:
    """A part for each user and system: ``ALS-ann.part`` and so on, and for ALS also without a name: ``ann.part``."""
    written = []
    for system, lists in SYSTEMS.items():
        for user, items in lists.items():
            file = write_lists(here, f"{system}-{user}.csv", {user: items})
            named = [(f"{system}={file}", f"{system}-{user}.part"), *([(file, f"{user}.part")] if system == "ALS" else [])]
            for given, path in named:
                said = call("evaluate", given, *OPTIONS, *METRICS, "--part", path)
                assert (said.code, said.err) == (0, ""), said
                assert said.out == f"{path}: 1 user, {len(items)} rows, 4 metrics\n"
                written.append(path)
        write_lists(here, f"{system}.csv", lists)
    return written


def test_a_missing_part_is_an_error_where_their_number_is_known(call: Call, parts: list[str]) -> None:
    assert call("merge", *UNNAMED, "--expect", str(len(UNNAMED)), "--format", "csv") == call("merge", *UNNAMED, "--format", "csv")
    said = call("merge", *UNNAMED[1:], "--expect", str(len(UNNAMED)))
    assert (said.code, said.out) == (2, "")
    assert f"{len(UNNAMED) - 1} parts given, expected {len(UNNAMED)}" in said.err


def of(system: str) -> list[str]:
    return [f"{system}-{user}.part" for user in LISTS]


UNNAMED = [f"{user}.part" for user in LISTS]


def as_whole(said: Said) -> Said:
    """Lists are called by the file that all of them stand in."""
    return replace(said, out=re.sub(r"(ALS|Popular)-ann\.csv and 2 more", r"\1.csv", said.out))


# What is printed


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown", "latex"])
def test_merge_prints_what_evaluate_prints(call: Call, parts: list[str], format: str) -> None:
    named = [f"{system}={system}.csv" for system in SYSTEMS]
    whole = call("evaluate", *named, *OPTIONS, *METRICS, "--format", format)
    merged = call("merge", *of("ALS"), *of("Popular"), "--format", format)
    assert as_whole(merged) == whole
    one = call("merge", *UNNAMED, "--format", format)
    assert as_whole(one) == call("evaluate", "merged=ALS.csv", *OPTIONS, *METRICS, "--format", format)


def test_one_part_will_do(call: Call, parts: list[str]) -> None:
    assert call("merge", "ALS-ann.part") == call("evaluate", "ALS=ALS-ann.csv", *OPTIONS, *METRICS)


def test_outputs_go_with_merge(call: Call, here: Path, parts: list[str]) -> None:
    outputs = ("-q", "-o", "out.json", "--per-user", "scores.parquet", "--report", "report.html", "--compare")
    said = call("merge", *of("ALS"), *of("Popular"), *outputs)
    assert (said.code, said.out, said.err) == (0, "", "")
    saved = asp.Results.read(here / "out.json")
    assert isinstance(saved, asp.SystemResults)
    assert saved["ALS"].per_user["user"].to_list() == list(LISTS)
    assert "they need the lists, which saved results and parts do not hold" in (here / "report.html").read_text()
    assert "NDCG@2" in call("compare", "out.json").out


def test_a_comparison_says_what_it_cannot_test(call: Call, parts: list[str]) -> None:
    ask = ("--compare", "--segments", "activity", "--format", "json")
    merged = json.loads(call("merge", *of("ALS"), *of("Popular"), *ask).out)
    named = [f"{system}={system}.csv" for system in SYSTEMS]
    whole = json.loads(call("evaluate", *named, *OPTIONS, *METRICS, *ask).out)
    found, expected = ({one["metric"]: one for one in both["comparison"]["differences"]} for both in (merged, whole))
    assert found["GiniComplement@3"]["notes"] == ["not tested: what users contribute is not known"]
    for metric in ("AlphaNDCG@2", "NDCG@2", "NDCG@3"):
        for key in ("difference", "p"):
            assert found[metric][key] == expected[metric][key]
    assert "GiniComplement@3: what users contribute is not known, as that takes all lists at once" in merged["notes"]


def test_per_user_scores_that_take_the_lists(call: Call, refused: Refused) -> None:
    call("evaluate", "als.csv", "-m", "Gini@2", "--catalogue", "genres.csv", "--part", "gini.part")
    assert "--per-user s.csv: none of the metrics scores users, and" in refused(2, "merge", "gini.part", "--per-user", "s.csv")
    assert call("merge", "gini.part").code == 0


def test_strict_and_ignore(call: Call, here: Path, refused: Refused) -> None:
    rated = [(user, item, rating) for user in (*LISTS, "dan", "eve") for rating, item in enumerate("abcde", 1)]
    write_csv(here / "ratings.csv", ("user", "item", "rating"), rated)
    call("evaluate", "als.csv", "--relevance", "ratings.csv", "-m", "Recall@2", "--part", "a.part")
    warned = call("merge", "a.part")
    kind = "grades"
    assert (warned.code, "warning: " in warned.err, f"[{kind}]" in warned.err) == (0, True, True), warned
    assert f"[{kind}]" in refused(1, "merge", "a.part", "--strict")
    assert call("merge", "a.part", "--strict", "--ignore", kind).code == 0


def test_what_a_part_is_like_is_warned_of_when_it_is_written(call: Call, here: Path, refused: Refused) -> None:
    write_lists(here, "strangers.csv", {"nobody": ["a"], "noone": ["b"]})
    ask = ("evaluate", "strangers.csv", *OPTIONS, "-m", "NDCG@2", "--part", "s.part")
    assert "warning: strangers.csv: 2 of 2 users are not in grades.csv" in call(*ask).err
    assert (here / "s.part").exists()
    os.remove("s.part")
    assert "not in grades.csv" in refused(1, *ask, "--strict")


def test_a_part_without_lists_adds_nothing(call: Call, here: Path, parts: list[str]) -> None:
    write_csv(here / "empty.csv", ("user", "item", "score"), [])
    assert call("evaluate", "ALS=empty.csv", *OPTIONS, *METRICS, "--part", "empty.part").out == "empty.part: 0 users, 0 rows, 4 metrics\n"
    assert call("merge", *of("ALS"), "empty.part").out == call("merge", *of("ALS")).out.replace("and 2 more", "and 3 more")


def test_by_the_real_command_line(start: Start, here: Path) -> None:
    for user, items in LISTS.items():
        write_lists(here, f"ALS-{user}.csv", {user: items})
        process = start("evaluate", f"ALS-{user}.csv", *OPTIONS, *METRICS, "--part", f"{user}.part")
        assert process.communicate()[1] == b""
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    merged, said = start("merge", *(f"../{path}" for path in UNNAMED), "--format", "json", cwd=elsewhere).communicate()
    write_lists(here, "ALS.csv", LISTS)
    whole, _ = start("evaluate", "merged=ALS.csv", *OPTIONS, *METRICS, "--format", "json").communicate()
    assert (as_whole(Said(0, merged.decode(), "")).out, said) == (whole.decode(), b"")


# The job that a part records


def test_a_configuration_is_recorded(call: Call, here: Path) -> None:
    (here / "job.yaml").write_text(
        "systems: {Mine: als.csv}\n"
        "inputs: {relevance: {path: grades.csv, columns: {grade: rating}}, aspects: genres.csv, history: history.csv}\n"
        "metrics: [NDCG@2, AlphaNDCG(alpha=0.9)@2]\nthreshold: 2\nusers: judged\n"
    )
    whole = call("evaluate", "--config", "job.yaml")
    assert call("evaluate", "--config", "job.yaml", "--part", "a.part").code == 0
    os.remove("job.yaml")
    assert call("merge", "a.part") == whole


def test_the_truth_may_have_moved(call: Call, here: Path, parts: list[str], refused: Refused) -> None:
    before = call("merge", *UNNAMED, "--format", "csv").out
    (here / "moved").mkdir()
    shutil.move("grades.csv", "moved/judgments.csv")
    assert refused(1, "merge", *UNNAMED) == (
        f"error: ann.part: was measured against {here / 'grades.csv'} (relevance), which is not there; if it has moved, use --relevance\n"
    )
    assert call("merge", *UNNAMED, "--relevance", "moved/judgments.csv", "--format", "csv").out == before
    polars.read_csv("moved/judgments.csv").write_parquet("same.parquet")
    assert call("merge", *UNNAMED, "--relevance", "same.parquet", "--format", "csv").out == before
    assert "--graph is given, but the parts were measured without such a file" in refused(1, "merge", *UNNAMED, "--graph", "genres.csv")


def test_a_file_of_users_may_have_moved(call: Call, here: Path) -> None:
    write_csv(here / "some.csv", ("user",), [("ann",), ("bob",)])
    whole = call("evaluate", "ALS=als.csv", *OPTIONS, *METRICS, "--users", "some.csv")
    call("evaluate", "ALS=als.csv", *OPTIONS, *METRICS, "--users", "some.csv", "--part", "a.part")
    assert call("merge", "a.part") == whole
    shutil.move("some.csv", "others.csv")
    assert call("merge", "a.part", "--users", "others.csv").out == whole.out.replace("some.csv", "others.csv")


@pytest.mark.parametrize(
    ("name", "said"), [("grades", "grades.csv (relevance)"), ("genres", "genres.csv (aspects)"), ("history", "history.csv (history)")]
)
def test_a_truth_that_changed_is_refused_by_name(parts: list[str], here: Path, refused: Refused, name: str, said: str) -> None:
    lines = (here / f"{name}.csv").read_text().splitlines()
    (here / f"{name}.csv").write_text(
        "\n".join([*lines[:-1], lines[-1].replace("c", "d").replace("a", "b").replace("comedy", "drama"), ""])
    )
    message = refused(1, "merge", *UNNAMED)
    assert message == (
        f"error: ann.part: {said} is not what it was when this part was written; merge with the original files, or write the parts again\n"
    )


def test_users_to_be_averaged_that_changed_are_refused_by_name(call: Call, here: Path, refused: Refused) -> None:
    write_csv(here / "some.csv", ("user",), [("ann",), ("bob",)])
    call("evaluate", "als.csv", *OPTIONS, *METRICS, "--users", "some.csv", "--part", "a.part")
    write_csv(here / "some.csv", ("user",), [("ann",), ("cyd",)])
    assert "a.part: some.csv (users) is not what it was when this part was written; " in refused(1, "merge", "a.part")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (("als.csv",), None),
        (("./als.csv",), None),
        (("als=als.csv",), "als"),
        (("Mine=als.csv",), "Mine"),
        (("folder",), None),
        (("--config", "named.yaml"), "Mine"),
        (("--config", "unnamed.yaml"), None),
        (("als=als.csv", "--config", "named.yaml"), "als"),
    ],
)
def test_a_system_has_a_name_if_it_is_given_one(call: Call, here: Path, given: tuple[str, ...], name: str | None) -> None:
    (here / "folder").mkdir()
    shutil.copy("als.csv", "folder")
    (here / "named.yaml").write_text("systems: {Mine: als.csv}\n")
    (here / "unnamed.yaml").write_text("systems: [als.csv]\n")
    assert call("evaluate", *given, "--relevance", "grades.csv", "-m", "NDCG@2", "--part", "a.part").code == 0
    assert partial.part_data("a.part")["system"] == name


# What is refused


def test_a_user_in_two_parts_is_refused_with_both(call: Call, parts: list[str], here: Path, refused: Refused) -> None:
    write_lists(here, "again.csv", {"eve": ["a"], "cyd": ["a"], "bob": ["b"]})
    call("evaluate", "again.csv", *OPTIONS, *METRICS, "--part", "again.part")
    message = refused(1, "merge", *UNNAMED, "again.part")
    assert "user 'bob' is in both bob.part and again.part (and 1 more are in two parts): a user must be scored once" in message
    assert "parts of several systems need names, as NAME=FILE" in message
    shutil.copy("ann.part", "copy.part")
    assert "user 'ann' is in both ann.part and copy.part: " in refused(1, "merge", "ann.part", "copy.part")


def test_a_file_given_twice_is_refused(parts: list[str], here: Path, refused: Refused) -> None:
    assert "ann.part: is given twice; a user must be scored once" in refused(1, "merge", "ann.part", "bob.part", "ann.part")
    assert "ann.part: is given twice, also as ./ann.part; " in refused(1, "merge", "ann.part", "./ann.part")


def test_parts_with_and_without_a_system_are_refused(parts: list[str], refused: Refused) -> None:
    said = "ann.part does not name its system, and ALS-bob.part is of 'ALS'; write all parts with a name, as NAME=FILE"
    assert said in refused(1, "merge", "ann.part", "ALS-bob.part")
    assert said in refused(1, "merge", "ALS-bob.part", "ann.part")


OTHER_JOBS = [
    (("-m", "NDCG@2"), "results of different metrics cannot be added: AlphaNDCG@2 is in one of them only"),
    ((*METRICS, "--users", "judged"), "was computed in two ways: users is 'lists' in one part, 'judged' in the other"),
    ((*METRICS, "--threshold", "3"), "in two ways: threshold is"),
    ((*METRICS[:4], "--convention", "informfully"), "cannot be added"),
    ((*METRICS, "--ties", "ascending"), "the inputs were read in two ways: ties is 'input' in one part, 'ascending' in the other"),
    ((*METRICS, "--relevance", "others.csv"), "measured against different truths, which differ in relevance"),
]


@pytest.mark.parametrize(("job", "said"), OTHER_JOBS, ids=[str(number) for number in range(len(OTHER_JOBS))])
def test_parts_of_other_jobs_are_refused_with_both(
    call: Call, parts: list[str], here: Path, refused: Refused, job: tuple[str, ...], said: str
) -> None:
    write_csv(here / "others.csv", ("user", "item", "rating"), ((user, item, 1) for user, items in GRADES.items() for item in items))
    assert call("evaluate", "ALS-bob.csv", *OPTIONS, *job, "--part", "other.part").code == 0
    message = refused(1, "merge", "ann.part", "other.part", "cyd.part")
    assert message.startswith("error: ann.part and other.part: ")
    assert said in message


def test_other_files_are_refused(call: Call, parts: list[str], here: Path, refused: Refused) -> None:
    call("evaluate", "als.csv", *OPTIONS, "-m", "NDCG@2", "-q", "-o", "results.json", "--per-user", "scores.parquet")
    (here / "empty").write_text("")
    for others in (["ann.part"], []):
        assert "als.csv: holds lists, not a part of an evaluation; aspectrum evaluate takes it" in refused(1, "merge", *others, "als.csv")
        for name in ("results.json", "scores.parquet", "empty"):
            assert f"{name}: is not a part of an evaluation, or is damaged: " in refused(1, "merge", *others, name)
        assert "nowhere.part: file not found" in refused(1, "merge", *others, "nowhere.part")
        assert f"{here}: is a directory, expected a file" in refused(1, "merge", *others, str(here))
    assert "Missing argument 'PART...'" in refused(2, "merge")
    assert "ann.part: is a part of an evaluation, from --part; aspectrum merge takes it" in refused(
        1, "evaluate", "ann.part", *OPTIONS, *METRICS
    )


def test_all_parts_that_are_wrong_are_named(call: Call, parts: list[str], here: Path) -> None:
    for name in ("bob.part", "cyd.part"):
        (here / name).write_bytes((here / name).read_bytes()[:500])
    said = call("merge", *UNNAMED)
    assert said.code == 1
    assert "bob.part: is not a part of an evaluation, or is damaged" in said.err
    assert "cyd.part: is not a part of an evaluation, or is damaged" in said.err


def test_parts_of_another_version_are_refused(call: Call, parts: list[str], refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial, "_FORMAT", 999)
    said = f"ann.part: was written by another version of aspectrum ({asp.__version__} in format "
    assert said in refused(1, "merge", "ann.part")


def test_a_part_of_python_says_where_it_belongs(here: Path, refused: Refused) -> None:
    asp.Plan("NDCG@2", asp.Truth.read(relevance=GRADES)).observe(LISTS).write("mine.part")
    assert "mine.part: does not say what it was measured against, as Partial.write wrote it; plan.read(path) takes it" in refused(
        1, "merge", "mine.part"
    )


def test_damage_is_noticed_wherever_it_is(call: Call, parts: list[str], here: Path) -> None:
    """A part that ends anywhere, or whose bytes were changed, is refused by name, or else (padding) changes no number."""
    orders = (UNNAMED, ["bob.part", "ann.part", "cyd.part"])
    whole, expected = (here / "bob.part").read_bytes(), [call("merge", *order, "--format", "csv") for order in orders]
    generator = np.random.default_rng(5)

    def damaged() -> Iterator[bytes]:
        for end in (1, 7, 8, 100, len(whole) // 2, len(whole) - 10, len(whole) - 1):
            yield whole[:end]
        for place in generator.integers(0, len(whole), 40).tolist():
            yield whole[:place] + bytes([whole[place] ^ int(generator.integers(1, 256))]) + whole[place + 1 :]

    n_refused = 0
    for content in damaged():
        (here / "bob.part").write_bytes(content)
        for order, unharmed in zip(orders, expected, strict=True):
            said = call("merge", *order, "--format", "csv")
            if said != unharmed:
                assert "Traceback" not in said.err
                assert (said.code, said.out, "bob.part" in said.err) == (1, "", True), said
                n_refused += 1
    assert n_refused > 50


# Wrong use of --part


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--output", "out.json"), "--output goes with aspectrum merge: --part writes no numbers"),
        (("--format", "json"), "--format goes with aspectrum merge"),
        (("--per-user", "scores.csv"), "--per-user goes with aspectrum merge"),
        (("--systems-as", "rows"), "--systems-as goes with aspectrum merge"),
        (("--compare",), "--compare goes with aspectrum merge"),
        (("--report", "report.html"), "--report goes with aspectrum merge"),
        (("--fail-if", "NDCG@2 < 0"), "--fail-if goes with aspectrum merge"),
        (("popular.csv",), "--part is for one system, found als, popular: run once for each, with a part of its own"),
        (("--convention", "published,informfully"), "--part is for one convention, found published,informfully: run once for each"),
        (("--users", "common"), "--users common needs the lists of all systems, and a part has those of one"),
        (("--aspects", "-"), "aspects comes from the standard input, where aspectrum merge cannot read it again; name a file"),
    ],
)
def test_wrong_use_of_parts(refused: Refused, given: tuple[str, ...], said: str) -> None:
    assert said in refused(2, "evaluate", "als.csv", "--relevance", "grades.csv", "-m", "NDCG@2", "--part", "a.part", *given)


def test_a_part_does_not_overwrite_what_is_read(refused: Refused) -> None:
    ask = ("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "NDCG@2", "--part")
    assert "grades.csv: is also an input; it would be overwritten" in refused(2, *ask, "grades.csv")
    assert "no such directory" in refused(1, *ask, "nowhere/a.part")


def test_a_file_of_several_systems_is_refused(here: Path, refused: Refused) -> None:
    write_csv(here / "both.csv", ("system", "user", "item"), [("A", "ann", "a"), ("B", "bob", "b")])
    message = refused(1, "evaluate", "both.csv", "--relevance", "grades.csv", "-m", "NDCG@2", "--part", "a.part")
    assert "both.csv: column 'system' names 2 systems ('A', 'B'), expected one; write one part of each, from files of their own" in message


def test_a_part_is_written_quietly(call: Call, here: Path) -> None:
    said = call("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "NDCG@2", "--part", "a.part", "-q")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert (here / "a.part").exists()


def test_a_column_names_the_system_of_a_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts of two systems are not merged into one because their files do not have their names."""
    (tmp_path / "relevance.csv").write_text("user,item\nann,x\nbob,x\n")
    for system, user in (("ALS", "ann"), ("Popular", "bob")):
        path = tmp_path / f"{user}.csv"
        path.write_text(f"user,item,system\n{user},x,{system}\n{user},y,{system}\n")
        for memory in ((), ("--memory", "4GB")):
            given = [str(path), "--relevance", str(tmp_path / "relevance.csv"), "-m", "NDCG@2", "--part", str(tmp_path / f"{user}.part")]
            assert run(["evaluate", *given, *memory]) == 0
    capsys.readouterr()
    assert run(["merge", str(tmp_path / "ann.part"), str(tmp_path / "bob.part")]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["Metric", "ALS", "Popular"]
