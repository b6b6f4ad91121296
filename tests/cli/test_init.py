"""``aspectrum init --from``: what the files of a folder are."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
import yaml

from aspectrum.config import json_schema, read_settings
from tests.cli.conftest import Call
from tests.cli.contacts_data import write_network, write_rows
from tests.cli.data import GRADES, HISTORY, LISTS, OPTIONS, write_csv

SCHEMA = json_schema()


@pytest.fixture
def proposed(call: Call, here: Path) -> Callable[..., dict[str, Any]]:
    """What is proposed for a folder, which can be evaluated."""

    def proposed(folder: str, file: str = "mine.yaml", command: str = "evaluate") -> dict[str, Any]:
        said = call("init", file, "--from", folder)
        assert (said.code, said.err) == (0, ""), said
        assert "No errors" in said.out
        assert said.out.endswith(f"{file}: written. Run it with: aspectrum {command} --config {file}\n")
        ran = call(command, "--config", file, "--format", "json")
        assert (ran.code, ran.err) == (0, ""), ran
        content: dict[str, Any] = yaml.safe_load((here / file).read_text())
        jsonschema.validate(content, SCHEMA)
        assert [entry["metric"] for entry in next(iter(json.loads(ran.out)["systems"].values()))["metrics"]] == content["metrics"]
        return content

    return proposed


def test_files_by_columns_and_names(call: Call, proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    (here / "notes.md").write_text("# About\n")
    write_csv(here / "people.csv", ("userId", "age"), [("ann", 30), ("bob", 40)])
    (here / "cut.csv.gz").write_bytes(gzip.compress(b"user,item,rank\n" * 99)[:-9])
    found = proposed(".")
    assert found["systems"] == {"als": "als.csv", "popular": "popular.csv"}
    assert found["inputs"] == {"aspects": "genres.csv", "relevance": "grades.csv", "history": "history.csv", "features": "vectors.csv"}
    assert "IntraListDiversity@10" in found["metrics"]
    text = (here / "mine.yaml").read_text()
    for line in ("notes.md: not a table", "people.csv: columns userId, age", "cut.csv.gz: cannot be read: "):
        assert f"#   {line}" in text
    asked = ("evaluate", "als.csv", "popular.csv", *OPTIONS, "--threshold", "4", "--format", "json", "-m", "NDCG@10")
    mine = json.loads(call("evaluate", "--config", "mine.yaml", "-m", "NDCG@10", "--format", "json").out)
    assert mine["systems"] == json.loads(call(*asked).out)["systems"]


def test_paths_are_relative_to_the_configuration(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    (here / "deep").mkdir()
    assert proposed(".", "deep/mine.yaml")["inputs"]["history"] == "../history.csv"
    assert read_settings(here / "deep" / "mine.yaml").systems["als"].path == here / "deep" / ".." / "als.csv"


def test_movies_with_genres_in_a_cell_and_stars(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    folder = here / "ml"
    folder.mkdir()
    write_csv(
        folder / "movies.csv", ("movieId", "title", "genres"), [("a", "Alien", "Horror|Sci-Fi"), ("b", "Heat", "Crime"), ("c", "?", "")]
    )
    rated = [(user, item, grade, 123) for user, grades in GRADES.items() for item, grade in grades.items()]
    write_csv(folder / "test_ratings.csv", ("userId", "movieId", "rating", "timestamp"), rated)
    (folder / "train.csv.gz").write_bytes(
        gzip.compress(b"userId,movieId\n" + b"".join(f"{u},{i[0]}\n".encode() for u, i in HISTORY.items()))
    )
    write_csv(folder / "ratings.csv", ("userId", "movieId", "rating"), [row[:3] for row in rated])
    scored = [(user, item, -place) for user, items in LISTS.items() for place, item in enumerate(items)]
    pl.DataFrame(scored, schema=["userId", "movieId", "score"], orient="row").write_parquet(folder / "on.parquet")
    found = proposed("ml")
    assert found["systems"] == {"on": "ml/on.parquet"}, "a name that YAML would read as true"
    assert found["inputs"]["aspects"] == {"path": "ml/movies.csv", "split": "|"}
    assert (found["inputs"]["relevance"], found["inputs"]["history"]) == ("ml/test_ratings.csv", "ml/train.csv.gz")
    assert found["threshold"] == 4
    text = (here / "mine.yaml").read_text()
    assert "threshold: 4  # grades are 1 to 5; from which on is an item relevant?" in text
    assert "#   ml/ratings.csv: columns userId, movieId, rating; is it relevance, history, or lists in order?" in text


def test_a_social_network_as_relison_has_it(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    folder = here / "net"
    folder.mkdir()
    write_network(folder)
    found = proposed("net", command="contacts")
    assert found["systems"] == {"near": "net/recs/near.tsv", "pop": "net/recs/pop.tsv"}
    own = {name: f"net/{name}.tsv" for name in ("train", "test", "communities", "features")}
    assert found["inputs"] == own
    text = (here / "mine.yaml").read_text()
    assert "net/texts.tsv: 2 columns without names; features are made of texts where there are none" in text
    assert "net/relison.yaml: not a table" in text


def test_communities_in_a_column_of_any_name(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    folder = here / "net"
    folder.mkdir()
    write_csv(folder / "communities.csv", ("node", "louvain", "department"), [(1, 0, 5), (2, 1, 5), (3, 1, 6)])
    write_csv(folder / "train.csv", ("source", "target"), [(1, 2), (2, 3)])
    write_csv(folder / "test.csv", ("source", "target"), [(1, 3)])
    write_csv(folder / "links.csv", ("source", "target"), [(1, 3)])
    write_csv(folder / "recs_a.csv", ("user", "item", "rank"), [(1, 3, 1), (3, 1, 1)])
    write_csv(folder / "recs_b.csv", ("user", "item", "rank"), [(1, 3, 1), (3, 2, 1)])
    found = proposed("net", command="contacts")
    assert list(found["systems"]) == ["a", "b"]
    assert found["inputs"]["communities"] == {"path": "net/communities.csv", "columns": {"community": "louvain"}}
    text = (here / "mine.yaml").read_text()
    assert "or is the community department?" in text
    assert "net/links.csv: columns source, target; are these train or test links?" in text


GROUPED = [(item, "xy"[place % 2]) for place, item in enumerate("abcde")]


@pytest.mark.parametrize("file", ["groups.csv", "item_groups.csv", "communities.csv", "sides.csv"])
def test_groups_of_items_are_no_communities(proposed: Callable[..., dict[str, Any]], here: Path, file: str) -> None:
    write_csv(here / file, ("item", "group"), GROUPED)
    (here / "genres.csv").rename(here / "item_genres.csv")
    write_csv(here / "popularity.csv", ("item", "count"), [(item, 2) for item in "abcde"])
    write_csv(here / "catalogue.csv", ("item",), [(item,) for item in "abcde"])
    (here / "baseline.csv").write_bytes((here / "popular.csv").read_bytes())
    found = proposed(".")
    assert found["systems"] == {"als": "als.csv", "popular": "popular.csv"}
    own = {name: f"{name}.csv" for name in ("history", "popularity", "baseline", "catalogue")}
    assert found["inputs"] == own | {
        "aspects": "item_genres.csv",
        "relevance": "grades.csv",
        "features": "vectors.csv",
        "groups": file,
    }


@pytest.mark.parametrize(
    ("file", "columns", "groups"),
    [
        ("groups.csv", ("item", "studio"), {"path": "groups.csv", "columns": {"group": "studio"}}),
        ("groups.csv", ("movieId", "group"), "groups.csv"),
        ("groups.csv", ("id", "group"), "groups.csv"),
        ("groups.csv", ("item", "category"), "groups.csv"),
        ("clusters.csv", ("item", "cluster"), "clusters.csv"),
        ("groups.tsv", None, "groups.tsv"),
    ],
)
def test_groups_by_the_name_of_the_file(
    proposed: Callable[..., dict[str, Any]], here: Path, file: str, columns: tuple[str, str] | None, groups: object
) -> None:
    if columns is None:
        write_rows(here / file, GROUPED)
    else:
        write_csv(here / file, columns, GROUPED)
    found = proposed(".")
    assert (found["inputs"]["aspects"], found["inputs"]["groups"]) == ("genres.csv", groups)


@pytest.mark.parametrize(
    "columns", [("user", "group"), ("node", "group"), ("user", "community"), ("item", "group"), ("item", "side"), None]
)
def test_groups_of_people_are_communities(proposed: Callable[..., dict[str, Any]], here: Path, columns: tuple[str, str] | None) -> None:
    folder = here / "net"
    folder.mkdir()
    rows = [(1, 0), (2, 1), (3, 1)]
    if columns is None:
        write_rows(folder / "groups.csv", rows)
    else:
        write_csv(folder / "groups.csv", columns, rows)
    says = ("user", "item") if columns and columns[0] != "item" else ("source", "target")
    write_csv(folder / "train.csv", says, [(1, 2), (2, 3)])
    write_csv(folder / "recs_a.csv", ("user", "item", "rank"), [(1, 3, 1), (3, 1, 1)])
    write_csv(folder / "baseline.csv", ("user", "item", "rank"), [(1, 3, 1), (3, 2, 1)])
    found = proposed("net", command="contacts")
    assert found["systems"] == {"a": "net/recs_a.csv"}
    odd = {"path": "net/groups.csv", "columns": {"community": "side"}}
    groups = odd if columns == ("item", "side") else "net/groups.csv"
    assert found["inputs"] == {"train": "net/train.csv", "communities": groups, "baseline": "net/baseline.csv"}


@pytest.mark.parametrize("files", [["baseline.csv"], ["baseline_a.csv", "baseline_b.csv"], ["recs_baseline.csv", "recs_a.csv"]])
def test_baselines_that_are_systems(proposed: Callable[..., dict[str, Any]], here: Path, files: list[str]) -> None:
    (here / "some").mkdir()
    for file in files:
        write_csv(here / "some" / file, ("user", "item", "rank"), [("u", "a", 1), ("u", "b", 2)])
    write_csv(here / "some" / "test.csv", ("user", "item"), [("u", "a")])
    found = proposed("some")
    assert sorted(found["systems"].values()) == sorted(f"some/{file}" for file in files)
    assert found["inputs"] == {"relevance": "some/test.csv"}


def test_runs_and_the_judgments_that_fit_most_of_them(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    for folder in ("trec", "trec/qrels", "trec/runs"):
        (here / folder).mkdir()
    for year, topic in (("09", 1), ("12", 151)):
        (here / f"trec/qrels/wt{year}.qrels").write_text(f"{topic} 1 d1 1\n{topic} 2 d2 1\n")
    for name, topic in (("a09", 1), ("a12", 151), ("b12", 151), ("baseline", 151)):
        (here / f"trec/runs/{name}.run").write_text(f"{topic} Q0 d1 1 2.0 x\n{topic} Q0 d3 2 1.0 x\n")
    found = proposed("trec")
    assert found["systems"] == {"a12": "trec/runs/a12.run", "b12": "trec/runs/b12.run"}
    assert found["inputs"] == {"subtopics": "trec/qrels/wt12.qrels", "baseline": "trec/runs/baseline.run"}
    text = (here / "mine.yaml").read_text()
    assert "trec/runs/a09.run: a TREC run; its users are not in trec/qrels/wt12.qrels" in text
    assert "trec/qrels/wt09.qrels: TREC qrels; subtopics is taken from trec/qrels/wt12.qrels" in text


def test_arrays_with_ids_beside_them(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    folder = here / "arrays"
    folder.mkdir()
    np.save(folder / "vectors.npy", np.eye(2))
    (folder / "ids.txt").write_text("a\nb\n")
    write_csv(folder / "recs.csv", ("user", "item"), [("u", "a"), ("u", "b")])
    found = proposed("arrays")
    assert found["systems"] == {"recs": "arrays/recs.csv"}
    assert found["inputs"] == {"features": {"path": "arrays/vectors.npy", "ids": "arrays/ids.txt"}}


def test_what_is_wrong_is_said(call: Call, here: Path) -> None:
    (here / "genres.csv").write_text("item,genre\nzz,x\nyy,y\n")
    said = call("init", "--from", ".")
    assert (said.code, said.err) == (1, "")
    assert "5 of 5 items are not in genres.csv" in said.out
    assert "Fix these before evaluating." in said.out
    assert (here / "evaluation.yaml").exists()


def test_lists_that_no_truth_knows_are_kept_and_reported(call: Call, here: Path) -> None:
    for name in ("grades.csv", "history.csv"):
        (here / name).write_text((here / name).read_text().replace("\n", "\nu:").removesuffix("u:"))
    said = call("init", "--from", ".")
    assert said.code == 1
    assert "lists: als.csv, popular.csv" in said.out
    assert "they differ in a prefix: 'ann' here, 'u:ann' there" in said.out


def test_nothing_to_measure(refused: Callable[..., str], here: Path) -> None:
    (here / "some").mkdir()
    write_csv(here / "some" / "test.csv", ("user", "item"), [("u", "a")])
    (here / "some" / "broken.parquet").write_bytes(b"PAR1")
    said = refused(1, "init", "--from", "some")
    assert "some: no ranked lists found" in said
    assert "some/test.csv: columns user, item" in said
    assert "some/broken.parquet: cannot be read as a Parquet file" in said
    assert "nowhere: file not found" in refused(1, "init", "--from", "nowhere")
    assert "als.csv: is a file, expected a directory" in refused(1, "init", "--from", "als.csv")
    (here / "mine.yaml").write_text("old")
    assert "already exists (use --force)" in refused(1, "init", "mine.yaml", "--from", ".")


@pytest.mark.parametrize("name", ["a: b.csv", "true.csv", "1e5.csv", "'x'.csv", "# x.csv", "null.csv", "ü.csv", "a\nb.csv", "- x.csv"])
def test_any_name_of_a_file(call: Call, here: Path, name: str) -> None:
    (here / "odd").mkdir()
    write_csv(here / "odd" / name, ("user", "item", "rank"), [("u", "a", 1)])
    assert call("init", "mine.yaml", "--from", "odd").code == 0
    (system,) = read_settings("mine.yaml").systems.values()
    assert system.path == Path("odd") / name
    assert call("evaluate", "--config", "mine.yaml").code == 0


def test_nuggets_and_lists_in_json(proposed: Callable[..., dict[str, Any]], here: Path) -> None:
    (here / "rag").mkdir()
    row = {
        "query_id": "q",
        "nuggets": [{"_id": "n", "text": "t", "relevant_corpus_ids": ["d1"]}, {"_id": "m", "text": "u", "relevant_corpus_ids": ["d2"]}],
    }
    trace = {"query_id": "q", "result": [{"type": "tool_result", "round": 1, "docids": ["d1"]}]}
    ranked = {"q": {f"d{place}": 20.0 - place for place in range(1, 12)}}
    for name, content in (("dense", ranked), ("rows", row), ("lengths", dict.fromkeys(ranked["q"], 500)), ("run_0", trace)):
        (here / "rag" / f"{name}.json").write_text(json.dumps(content))
    found = proposed("rag")
    assert found["systems"] == {"dense": "rag/dense.json"}
    assert found["inputs"] == {"lengths": "rag/lengths.json", "nuggets": "rag/rows.json"}
    assert {"NDCG@10", "AlphaNDCG@10", "AlphaNDCG@4000t"} <= {*found["metrics"]}
    text = (here / "mine.yaml").read_text()
    assert "rows.json  # FreshStack rows" in text
    assert "#   rag/run_0.json: the trace of an agent, for aspectrum rounds" in text


@pytest.mark.parametrize("indent", [None, 1])
def test_long_documents_in_json_are_read_to_their_end(proposed: Callable[..., dict[str, Any]], here: Path, indent: int | None) -> None:
    (here / "rag").mkdir()
    ranked = {f"q{query}": {f"d{place} {'x' * 9000}": 20.0 - place for place in range(10)} for query in range(50)}
    (here / "rag" / "dense.json").write_text(json.dumps(ranked, indent=indent))
    rows = [(query, next(iter(documents)), 1) for query, documents in ranked.items()]
    write_csv(here / "rag" / "qrels.csv", ("user", "item", "grade"), rows)
    assert (here / "rag" / "dense.json").stat().st_size > 4_000_000
    found = proposed("rag")
    assert (found["systems"], found["inputs"]) == ({"dense": "rag/dense.json"}, {"relevance": "rag/qrels.csv"})


def test_nuggets_with_errors_are_nuggets(call: Call, here: Path) -> None:
    (here / "rag").mkdir()
    nugget = {"_id": "n", "text": "t", "relevant_corpus_ids": ["d1"], "non_relevant_corpus_ids": ["d1", "d2"]}
    (here / "rag" / "fresh.jsonl").write_text(json.dumps({"query_id": "q", "nuggets": [nugget]}) + "\n")
    (here / "rag" / "dense.json").write_text(json.dumps({"q": {"d1": 1.0, "d2": 0.5}}))
    said = call("init", "mine.yaml", "--from", "rag")
    assert said.code == 1
    text = (here / "mine.yaml").read_text()
    assert "nuggets: rag/fresh.jsonl  # FreshStack rows; " in text
    assert "--both-lists" in text
    assert "  - AlphaNDCG@10" in text
    assert "nuggets: rag/fresh.jsonl" in said.out
