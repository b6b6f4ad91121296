"""``aspectrum check``: what is there, what is odd and what is wrong, before any number."""

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.cli.conftest import Call
from tests.cli.data import GENRES, GRADES, LISTS, OPTIONS, write_csv


def examined(call: Call, *arguments: str) -> dict[str, Any]:
    """The findings as JSON; the exit code says whether the data are sound, and the text says the same."""
    said = call("check", *arguments, "--json")
    found: dict[str, Any] = json.loads(said.out)
    text = call("check", *arguments)
    assert said.code == text.code == (0 if found["valid"] else 1)
    assert said.err == text.err == ""
    for finding in found["findings"]:
        assert finding["message"] in text.out
    for failure in found["failures"]:
        assert f"error: {failure}" in text.out
    assert ("No errors, " in text.out) == found["valid"]
    return found


def of(found: dict[str, Any], source: str, what: str) -> dict[str, Any]:
    """The one finding of a source that says something."""
    (finding,) = (one for one in found["findings"] if one.get("source") == source and what in one["message"])
    return dict(finding)


def test_sound_data(call: Call) -> None:
    said = call("check", "als.csv", "popular.csv", *OPTIONS, "-m", "NDCG@2", "-m", "AlphaNDCG@2")
    assert said.code == 0
    assert (
        said.out
        == """\
als.csv
  9 rows of rankings: 3 users, 5 items
  columns: user is 'user', item is 'item', score is 'score'
  lists are ordered by score, best first
  note: 1 of 9 recommended items are in the user's own history; are train items recommended?

popular.csv
  8 rows of rankings: 3 users, 5 items
  columns: user is 'user', item is 'item', rank is 'rank'
  lists are ordered by rank
  note: 2 of 8 recommended items are in the user's own history; are train items recommended?

genres.csv
  7 rows of aspects: 5 items, 4 aspects
  columns: item is 'item', aspect is 'genre'

grades.csv
  6 rows of relevance: 3 users, 5 items
  columns: user is 'user', item is 'item', grade is 'rating'
  grades range from 1 to 5, and 6 of 6 (100 %) reach the threshold of 1

history.csv
  4 rows of history: 3 users, 4 items
  columns: user is 'user', item is 'item'

No errors, no warnings.
"""
    )


def test_sizes(call: Call) -> None:
    found = examined(call, "als.csv", *OPTIONS)
    assert of(found, "grades.csv", "rows of relevance: 3 users, 5 items")["count"] == 6
    assert found["valid"] is True
    assert found["failures"] == []


def test_short_lists(call: Call) -> None:
    found = examined(call, "als.csv", "-m", "GiniComplement@3,4", "-m", "GiniComplement(empty=1)")
    assert (
        of(found, "als.csv", "shorter than the cutoff of 3")["count"],
        of(found, "als.csv", "shorter than the cutoff of 4")["count"],
    ) == (1, 2)
    assert of(examined(call, "als.csv"), "als.csv", "shorter than the cutoff of 10")["of"] == 3


def test_ties_and_contradictions(call: Call, here: Path) -> None:
    rows = [("ann", "a", 2, 1), ("ann", "b", 2, 2), ("bob", "a", 1, 1), ("bob", "b", 3, 2)]
    write_csv(here / "lists.csv", ("user", "item", "score", "rank"), rows)
    found = examined(call, "lists.csv", "--order", "score")
    assert of(found, "lists.csv", "tied scores; ties keep input order")["count"] == 1
    assert of(found, "lists.csv", "tied scores")["level"] == "note"
    found = examined(call, "lists.csv")
    assert of(found, "lists.csv", "ranks contradict the scores")["count"] == 1
    assert found["valid"] is True


def test_duplicates_are_counted_and_named_by_line(call: Call, here: Path) -> None:
    write_csv(here / "lists.csv", ("user", "item"), [("ann", "a"), ("ann", "b"), ("ann", "a"), ("bob", "b"), ("bob", "b")])
    found = examined(call, "lists.csv", *OPTIONS)
    assert not found["valid"]
    assert found["failures"] == [
        "lists.csv, line 4: the list of user 'ann' names item 'a' twice, the second time at rank 3",
    ]
    finding = of(found, "lists.csv", "rows repeat an item of the list")
    assert (finding["count"], finding["of"], finding["level"]) == (2, 5, "note")
    assert finding["message"].endswith("--duplicates first ignores them")
    assert of(found, "grades.csv", "rows of relevance")["count"] == 6, "the rest is looked at all the same"
    found = examined(call, "lists.csv", *OPTIONS, "--duplicates", "first")
    assert found["valid"]
    assert of(found, "lists.csv", "and are ignored")["level"] == "note"


def test_facts_that_are_repeated_are_harmless_and_contradictions_are_not(call: Call, here: Path) -> None:
    rows = [(user, item, grade) for user, own in GRADES.items() for item, grade in own.items()]
    write_csv(here / "grades.csv", ("user", "item", "rating"), [*rows, rows[0], rows[1]])
    found = examined(call, "als.csv", *OPTIONS)
    assert of(found, "grades.csv", "rows repeat an earlier one")["count"] == 2
    assert found["valid"]
    write_csv(here / "grades.csv", ("user", "item", "rating"), [*rows, (*rows[0][:2], 1), (*rows[1][:2], 1)])
    found = examined(call, "als.csv", *OPTIONS)
    assert of(found, "grades.csv", "rows contradict an earlier one")["count"] == 2
    assert found["failures"] == ["grades.csv, line 8: user 'ann' and item 'a' have two grades, 5 and 1 (first on line 2)"]


def test_everything_wrong_is_said_at_once(call: Call, here: Path) -> None:
    write_csv(here / "lists.csv", ("user", "item"), [("ann", "a"), ("ann", "a")])
    write_csv(here / "strong.csv", ("item", "aspect", "strength"), [("a", "x", 2)])
    (here / "empty.csv").touch()
    found = examined(call, "lists.csv", "nope.csv", "--aspects", "strong.csv", "--relevance", "empty.csv", "--history", "history.csv")
    assert len(found["failures"]) == 4
    text = "\n".join(found["failures"])
    for part in ("nope.csv: file not found", "empty.csv: the file is empty", "names item 'a' twice", "strong.csv, line 2"):
        assert part in text
    assert of(found, "strong.csv", "1 row")["count"] == 1
    assert of(found, "history.csv", "rows of history")["count"] == 4


def test_ids_that_match_nowhere(call: Call, here: Path) -> None:
    write_csv(here / "grades.csv", ("user", "item"), [(user.upper(), item) for user, own in GRADES.items() for item in own])
    found = examined(call, "als.csv", *OPTIONS)
    finding = of(found, "als.csv", "users are not in grades.csv")
    assert (finding["level"], finding["count"], finding["of"]) == ("error", 3, 3)
    assert finding["examples"] == ["'ann'", "'bob'", "'cyd'"]
    assert finding["message"].endswith("; they differ in case: 'ann' here, 'ANN' there")
    assert not found["valid"]
    text = call("check", "als.csv", *OPTIONS).out
    assert "\n  error: 3 of 3 users are not in grades.csv (such as 'ann', 'bob', 'cyd'); they differ in case" in text
    assert text.endswith("1 error, no warnings. Fix these before evaluating.\n")


def test_numbers_and_texts_never_match(call: Call, here: Path) -> None:
    polars.DataFrame({"user": [1, 2], "item": ["a", "b"]}).write_parquet(here / "lists.parquet")
    polars.DataFrame({"user": ["1", "2"], "item": ["a", "b"]}).write_parquet(here / "grades.parquet")
    found = examined(call, "lists.parquet", "--relevance", "grades.parquet", "--aspects", "genres.csv")
    (failure,) = found["failures"]
    assert failure.startswith("user ids have different types: numbers in ")
    for part in ("lists.parquet (1)", "grades.parquet ('1')"):
        assert part in failure
    assert of(found, "lists.parquet", "rows of rankings")["count"] == 2, "what goes together is looked at"
    assert of(found, "grades.parquet", "rows")["count"] == 2


def test_items_without_aspects_or_features(call: Call, here: Path) -> None:
    write_csv(here / "genres.csv", ("item", "genre"), [("a", "x"), ("b", "x"), ("c", ""), ("d", "y")])
    write_csv(here / "vectors.csv", ("item", "x"), [("a", 1), ("b", 2), ("c", 3)])
    found = examined(call, "als.csv", "--aspects", "genres.csv", "--features", "vectors.csv", "--relevance", "grades.csv")
    assert of(found, "als.csv", "items are not in genres.csv")["examples"] == ["'e'"]
    assert of(found, "als.csv", "items are not in vectors.csv")["examples"] == ["'d'", "'e'"]
    assert of(found, "grades.csv", "items are not in genres.csv")["count"] == 1
    assert of(found, "genres.csv", "items have no aspect")["examples"] == ["'c'"]
    assert found["valid"]


def test_users_without_truth_or_lists(call: Call, here: Path) -> None:
    write_csv(here / "grades.csv", ("user", "item", "grade"), [("ann", "a", 5), ("bob", "b", 1), ("dan", "c", 1)])
    found = examined(call, "als.csv", "--relevance", "grades.csv", "--threshold", "4")
    assert of(found, "als.csv", "users are not in grades.csv")["examples"] == ["'cyd'"]
    assert of(found, "grades.csv", "users have no list")["examples"] == ["'dan'"]
    assert of(found, "grades.csv", "users have no item with a grade of 4 or more")["count"] == 2
    finding = of(examined(call, "als.csv", "--relevance", "grades.csv", "--threshold", "6"), "grades.csv", "with a grade of 6")
    assert (finding["level"], finding["count"], finding["of"]) == ("warning", 3, 3)


def test_users_to_be_averaged(call: Call, here: Path) -> None:
    (here / "some.txt").write_text("ann\nANN\n")
    finding = of(examined(call, "als.csv", "--users", "some.txt"), "some.txt", "users have no list")
    assert (finding["level"], finding["examples"]) == ("warning", ["'ANN'"])
    (here / "some.txt").write_text("ANN\nBOB\n")
    finding = of(examined(call, "als.csv", "--users", "some.txt"), "some.txt", "users have no list")
    assert finding["level"] == "error"
    assert finding["message"].endswith("; they differ in case: 'ANN' here, 'ann' there")


def test_inputs_that_are_not_enough_for_the_metrics(call: Call) -> None:
    found = examined(call, "als.csv", "--aspects", "genres.csv", "-m", "AlphaNDCG@3", "-m", "ILD(of=features)@2", "-m", "AspectRecall@2")
    assert found["failures"] == [
        "AlphaNDCG needs judgments: pass --subtopics or --nuggets, or --aspects and --history or --relevance",
        "IntraListDiversity(of=features) needs features: pass --features, one vector per item; what aspects were given as will do",
    ]
    found = examined(call, "als.csv", *OPTIONS, "-m", "AlphaNDCG@2", "--convention", "ndeval")
    assert "subtopics" in found["failures"][0]


def test_columns_that_are_nowhere(call: Call) -> None:
    found = examined(call, "als.csv", *OPTIONS, "--columns", "user=uid")
    assert found["failures"] == ["user is given as column 'uid', but no input with a user has a column of that name"]


def test_nothing_in_a_file(call: Call, here: Path) -> None:
    write_csv(here / "header.csv", ("user", "item"), [])
    found = examined(call, "header.csv", "--relevance", "grades.csv")
    assert of(found, "header.csv", "rankings is empty")["level"] == "error"
    found = examined(call, "als.csv", "--relevance", "header.csv")
    assert [finding["source"] for finding in found["findings"] if finding["level"] == "error"] == ["header.csv"]


def test_a_path_is_written_once(call: Call, here: Path) -> None:
    folder = here / ("a long name of a folder " * 4)
    folder.mkdir()
    write_csv(folder / "lists.csv", ("user", "item"), [(user, item) for user, items in LISTS.items() for item in items])
    said = call("check", str(folder / "lists.csv"), "--relevance", "grades.csv")
    assert said.out.count(str(folder)) == 1


def test_configuration(call: Call, here: Path) -> None:
    (here / "config.yaml").write_text("""\
systems: [als.csv, popular.csv]
inputs: {relevance: grades.csv, aspects: movies.csv}
metrics: [AlphaNDCG@3]
users: some.txt
""")
    write_csv(here / "movies.csv", ("item", "genre"), [(item, genre) for item, genres in GENRES.items() for genre in genres])
    (here / "some.txt").write_text("ann\ndan\n")
    found = examined(call, "--config", "config.yaml")
    assert found["valid"]
    assert of(found, "some.txt", "users have no list")["examples"] == ["'dan'"]
    assert of(found, "als.csv", "shorter than the cutoff of 3")["count"] == 1


def test_standard_input(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((here / "als.csv").read_bytes())))
    said = call("check", "-", "--relevance", "grades.csv")
    assert said.code == 0
    assert said.out.startswith("standard input\n  9 rows of rankings")


@pytest.mark.parametrize("input", ["aspects", "features"])
def test_several_names_in_one_cell(call: Call, here: Path, input: str) -> None:
    role = "feature" if input == "features" else "genre"
    write_csv(
        here / "films.csv",
        ("item", role),
        [(item, ", ".join(genres)) for item, genres in {**GENRES, "z": ["x", "y"], "w": ["y", "x"]}.items()],
    )
    finding = of(examined(call, "als.csv", f"--{input}", "films.csv"), "films.csv", "contain ', '")
    assert (finding["level"], finding["kind"]) == ("warning", "unsplit")
    assert finding["message"].endswith("use --split ', ' if each is several")
    split = examined(call, "als.csv", f"--{input}", "films.csv", "--split", ", ")
    assert not any(one["kind"] == "unsplit" for one in split["findings"])
    write_csv(here / "films.csv", ("item", role), [(item, json.dumps(genres)) for item, genres in GENRES.items()])
    found = examined(call, "als.csv", f"--{input}", "films.csv")
    assert of(found, "films.csv", "written as text, read as a list")["level"] == "note"


def test_every_convention_is_looked_at(call: Call, here: Path) -> None:
    ask = ("als.csv", "--relevance", "grades.csv", "-m", "NDCG@2", "--convention", "published,relison")
    assert "are in two blocks" in call("evaluate", *ask).err
    said = call("check", *ask)
    assert (said.code, "are in two blocks" in said.out) == (1, True)
    assert call("check", *ask[:-1], "published,informfully").code == 0


def test_what_only_some_users_show_is_an_error_here_too(call: Call, here: Path) -> None:
    """Items outside the catalogue; systems that have no user in common."""
    write_csv(here / "catalogue.csv", ("item",), [("a",)])
    found = examined(call, "als.csv", "--catalogue", "catalogue.csv", "-m", "GiniComplement")
    assert not found["valid"]
    assert "is recommended but not in the catalogue" in found["failures"][0]
    assert call("evaluate", "als.csv", "--catalogue", "catalogue.csv", "-m", "GiniComplement").code == 1
    for name, user in (("one", "ann"), ("two", "bob")):
        write_csv(here / f"{name}.csv", ("user", "item"), [(user, "a")])
    arguments = ("one.csv", "two.csv", "--relevance", "grades.csv", "--users", "common", "-m", "P@1")
    assert examined(call, *arguments)["failures"] == ["--users common: no user has a list of every system"]
    assert call("evaluate", *arguments).code == 1


def test_no_metric_for_these_inputs(call: Call) -> None:
    found = examined(call, "als.csv", "--convention", "ndeval")
    assert of(found, "als.csv", "rows of rankings")
    assert "no metric can be computed" in found["failures"][0]
