"""Parts of an evaluation, written anywhere and merged: the bits of all lists together."""

import csv
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.cli import run
from aspectrum.io import Source
from aspectrum.merging import PartJob
from aspectrum.nuggets import NuggetSource
from tests.cli.data import GENRES, write_csv
from tests.strategies import checked

USERS = [f"u{number}" for number in range(8)] + ["7", "07", "ü"]
ITEMS = [*GENRES, "f", "12", "012"]
Lists = Mapping[str, Sequence[str]]

RANDOM_LISTS = st.dictionaries(
    st.sampled_from(USERS), st.lists(st.sampled_from(ITEMS), min_size=1, max_size=6, unique=True), min_size=1, max_size=len(USERS)
)
GRADED = st.dictionaries(st.tuples(st.sampled_from(USERS), st.sampled_from(ITEMS)), st.integers(0, 3), min_size=12, max_size=40)
JOBS: list[tuple[str, ...]] = [
    ("-m", "all@3"),
    ("-m", "all@2,-1", "--users", "judged"),
    ("-m", "all@3", "--users", "all", "--threshold", "2"),
    ("-m", "all@3", "--users", "relevant", "--catalogue", "genres.csv"),
    ("-m", "AlphaNDCG(ideal=exact)@3", "-m", "EPC@2", "--users", "both", "--ideal-budget", "0.5"),
    ("-m", "all@3", "--convention", "informfully"),
    ("-m", "all@3", "--convention", "elliot", "--users", "some_users.csv"),
    ("-m", "all@3", "--ties", "ascending"),
]


def write_lists(path: Path, lists: Lists) -> None:
    rows = ((user, item, -(place // 2)) for user, items in lists.items() for place, item in enumerate(items))  # with ties
    write_csv(path, ("user", "item", "score"), rows)


@checked(15)
@given(
    st.lists(RANDOM_LISTS, min_size=1, max_size=2),
    st.lists(st.integers(0, 2), min_size=len(USERS), max_size=len(USERS)),
    GRADED,
    GRADED,
    st.sampled_from(JOBS),
    st.integers(0, 99),
)
def test_merged_parts_are_the_evaluation_of_all_lists(
    systems: list[Lists], places: list[int], grades: Any, history: Any, job: tuple[str, ...], seed: int
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.chdir(folder)
        write_csv(folder / "grades.csv", ("user", "item", "rating"), ((*pair, grade) for pair, grade in grades.items()))
        write_csv(folder / "history.csv", ("user", "item"), history)
        write_csv(folder / "genres.csv", ("item", "genre"), ((item, genre) for item, genres in GENRES.items() for genre in genres))
        write_csv(folder / "some_users.csv", ("user",), ((user,) for user in USERS[::2]))
        ask = ("--relevance", "grades.csv", "--history", "history.csv", "--aspects", "genres.csv", *job)
        wholes, parts, written = [], [], []
        for number, lists in enumerate(systems):
            write_lists(folder / f"{number}.csv", lists)
            wholes.append(f"S{number}={number}.csv")
            for place in {places[USERS.index(user)] for user in lists}:
                file, part = f"{number}-{place}.csv", f"{number}-{place}.part"
                write_lists(folder / file, {user: items for user, items in lists.items() if places[USERS.index(user)] == place})
                written.append(run(["evaluate", f"S{number}={file}", *ask, "-q", "--part", part]))
                parts.append(part)
        expected = run(["evaluate", *wholes, *ask, "-q", "-o", "whole.json", "--per-user", "whole.csv"])
        if expected:  # of what is wrong with single files, parts say so, and merge of the rest
            if not any(written):
                assert run(["merge", *parts, "-q", "-o", "merged.json"]) == expected
            return
        random.Random(seed).shuffle(parts)
        assert written == [0] * len(parts)
        assert run(["merge", *parts, "-q", "-o", "merged.json", "--per-user", "merged.csv"]) == 0
        whole, merged = (json.loads((folder / f"{name}.json").read_text())["systems"] for name in ("whole", "merged"))
        assert {name: one["metrics"] for name, one in merged.items()} == {name: one["metrics"] for name, one in whole.items()}
        assert users_of(folder / "merged.csv") == users_of(folder / "whole.csv")


def users_of(path: Path) -> list[dict[str, str]]:
    """The scores of users, without what only lists know."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [{name: cell for name, cell in row.items() if not name.endswith(" contribution")} for row in csv.DictReader(file)]
    scores = [row for row in rows if any(cell for name, cell in row.items() if name not in ("system", "user"))]
    return sorted(scores, key=lambda row: (row["system"], row["user"]))


def test_a_job_is_plain_data_and_reads_back() -> None:
    source = Source("items.npy", columns={"item": 2}, split="|", format="npy", header=False, ids="ids.txt", name="items.npy")
    job = PartJob.of(["NDCG@5"], {"features": source}, Source("users.csv"), threshold=2.0, order=None)
    data = json.loads(json.dumps(job.to_data(), default=dict))
    back = PartJob.from_data(data)
    assert json.loads(json.dumps(back.to_data(), default=dict)) == data
    assert (back.metrics, back.options) == (("NDCG@5",), {"threshold": 2.0})
    assert back.inputs["features"].path == str(Path.cwd() / "items.npy")
    assert back.inputs["features"].named("features") == "items.npy"
    assert isinstance(back.users, Source)


def test_nuggets_of_a_job_stay_nuggets() -> None:
    job = PartJob.of(["AspectRecall@5"], {"subtopics": NuggetSource("n.jsonl", options={"task": "t"}), "weights": Source("w.csv")}, None)
    data = json.loads(json.dumps(job.to_data(), default=dict))
    assert {name: one["kind"] for name, one in data["inputs"].items()} == {"subtopics": "nuggets", "weights": "source"}
    for one in data["inputs"].values():
        back = PartJob.from_data(data).inputs
        assert [type(source) for source in back.values()] == [NuggetSource, Source]
        assert isinstance(back["subtopics"], NuggetSource) and back["subtopics"].options == {"task": "t"}
        del one["kind"]  # as parts were written before


def test_files_that_moved_are_read_as_before() -> None:
    job = PartJob.of(["NDCG@5"], {"features": Source("f.npy", header=False, ids="i.txt"), "relevance": Source("r.csv", split="|")}, None)
    moved = job.moved({"features": "there/f.npy", "feature_ids": "there/i.txt", "relevance": "there/r.csv"})
    assert (moved.inputs["features"].path, moved.inputs["features"].ids) == ("there/f.npy", "there/i.txt")
    assert (moved.inputs["relevance"].path, moved.inputs["relevance"].split) == ("there/r.csv", "|")
    assert moved.inputs["features"].header is False
    with pytest.raises(asp.InputError, match="history= is given, but the parts were measured without such a file"):
        job.moved({"history": "h.csv"})
    with pytest.raises(asp.InputError, match="users= is given, but"):
        job.moved({"users": "u.csv"})
