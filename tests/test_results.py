"""Results read, print, add and refuse to add."""

import csv
import errno
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.diagnostics.notices import Notice
from aspectrum.formats import format_of

TRUTH: dict[str, Any] = {"relevance": {"u": {"a": 2.0}, "v": {"b": 1.0}}, "catalogue": ["a", "b", "c"]}
METRICS = ["NDCG@1,2", "GiniComplement@1"]


def part(users: str) -> asp.Results:
    lists = {"u": ["a", "b"], "v": ["a", "b"], "w": ["c"]}
    return asp.evaluate({user: lists[user] for user in users}, METRICS, **TRUTH)


def remarks(*texts: str) -> tuple[Notice, ...]:
    return tuple(Notice("remark", detail={"text": text}) for text in texts)


def systems(*notes: str) -> asp.SystemResults:
    results = asp.evaluate_systems({"A": {"u": ["a"], "w": ["a"]}, "B": {"u": ["b"]}}, METRICS, **TRUTH)
    return asp.SystemResults(results.systems, remarks(*notes))


def named(*names: str) -> asp.SystemResults:
    """Systems with the names of trouble-makers."""
    return asp.SystemResults(dict.fromkeys(names, part("u")), remarks(*names))


def test_reading() -> None:
    result = part("uvw")
    assert list(result) == ["NDCG@1", "NDCG@2", "GiniComplement@1"]
    assert result["nDCG@1"] == result[asp.NDCG(k=1)] == result["NDCG@1"] == 0.5
    assert "nDCG@2" in result
    assert "NDCG@3" not in result
    assert "nonsense" not in result
    with pytest.raises(KeyError, match="NDCG@3 was not computed; there are NDCG@1, NDCG@2"):
        _ = result["NDCG@3"]
    with pytest.raises(KeyError, match="nonsense was not computed; there are NDCG@1, NDCG@2"):
        _ = result["nonsense"]
    assert result.get("nonsense") is None
    with pytest.raises(KeyError, match="did you mean 'NDCG@2'"):
        _ = result["NDGC@2"]


def test_systems_and_their_metrics() -> None:
    found = asp.evaluate_systems({"A": {"u": ["a"]}, "B": {"u": ["b"]}}, "NDCG@1", relevance={"u": ["a"]})
    with pytest.raises(KeyError, match=r"NDCG@1 is a metric; the system comes first, as in results\['A'\]\['NDCG@1'\]"):
        _ = found["NDCG@1"]
    with pytest.raises(KeyError, match="there is no system 'C'; there are 'A', 'B'"):
        _ = found["C"]
    assert found.get("C") is None
    assert "C" not in found


def test_parts_add_to_the_whole() -> None:
    whole = part("uvw")
    assert part("u") + part("vw") == whole
    assert part("w") + part("v") + part("u") == whole
    assert (part("vw") + part("u"))["NDCG@2"] == whole["NDCG@2"]
    assert sorted((part("vw") + part("u")).per_user["user"].to_list()) == ["u", "v", "w"]


def test_what_does_not_add() -> None:
    with pytest.raises(asp.InputError, match="user 'u' is in both parts"):
        _ = part("u") + part("uv")
    with pytest.raises(asp.InputError, match="different metrics"):
        _ = part("u") + asp.evaluate({"v": ["a"]}, "NDCG@1", **TRUTH)
    with pytest.raises(asp.InputError, match="computed in two ways: convention is 'published' in one part, 'informfully' in the other"):
        _ = asp.evaluate({"v": ["a"]}, "DCG@1", **TRUTH) + asp.evaluate(
            {"u": ["a"]}, "DCG@1", users="lists", convention="informfully", **TRUTH
        )
    with pytest.raises(asp.InputError, match="different truths, which differ in catalogue"):
        _ = part("u") + asp.evaluate({"v": ["a"]}, METRICS, relevance=TRUTH["relevance"], catalogue=["a", "b", "c", "d"])


def test_tables() -> None:
    result = part("uw")
    text = str(result)
    assert "NDCG@2" in text
    assert "1 scored, 1 undefined" in text
    markdown = result.to_markdown()
    assert markdown.startswith("| Metric | Value | Users |\n| --- | ---: | ---: |\n| NDCG@1 | 1.0000 | 1 scored, 1 undefined |")
    assert "- NDCG@1, NDCG@2: gain=linear" in markdown
    latex = result.to_latex()
    assert latex.startswith("\\begin{tabular}{lrl}")
    assert latex.count(r"\\") == 4


def test_latex_escapes() -> None:
    result = asp.evaluate_systems(
        {"A_1 & <B>": {"u": ["a"]}}, "AlphaNDCG(judged_by=relevance)@1", aspects={"a": ["x"]}, relevance={"u": ["a"]}
    )
    latex = result.to_latex()
    assert r"A\_1 \& \textless{}B\textgreater{}" in latex
    assert r"judged\_by" in latex


def test_markdown_escapes() -> None:
    assert r"a\|b" in asp.evaluate_systems({"a|b": {"u": ["a"]}}, "GiniComplement").to_markdown()


def test_json_has_no_nan() -> None:
    result = asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": {"a": 0.0}})
    assert math.isnan(result["NDCG@1"])
    read = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert read["metrics"][0]["value"] is None
    assert read["metrics"][0]["undefined"] == 1
    assert "undefined" in str(result)


def test_several_systems_in_one_table() -> None:
    results = asp.evaluate_systems({"A": {"u": ["a"], "w": ["a"]}, "B": {"u": ["b"]}}, METRICS, **TRUTH)
    assert list(results) == ["A", "B"]
    assert str(results).splitlines()[0].split() == ["Metric", "A", "B"]
    assert "- NDCG@1, NDCG@2: " in results.to_markdown()
    assert "A: 1 scored, 1 undefined; B: 1 scored" in results.to_markdown()
    assert set(json.loads(results.to_json())["systems"]) == {"A", "B"}


def test_scores_of_users_by_any_kind_of_id() -> None:
    for first, second in ((1, 2), ("u", "v"), (("u", 1), ("v", 2)), (b"u", b"v")):
        result = asp.evaluate({first: ["a"], second: ["b"]}, "NDCG@1", relevance={first: ["a"], second: ["a"]})
        assert result.per_user["NDCG@1"].to_list() == [1.0, 0.0]


def test_users_that_a_metric_does_not_average_are_null() -> None:
    result = asp.evaluate(
        {1: ["a"], 2: ["b"]}, ["NDCG@1", "Community recall@1"], aspects={"a": "x", "b": "y"}, relevance={1: ["a"]}, convention="relison"
    )
    assert result.per_user.sort("user").to_dict(as_series=False) == {"user": [1, 2], "NDCG@1": [1.0, None], "AspectRecall@1": [0.5, 0.5]}
    assert isinstance(result.per_user, pl.DataFrame)


def test_scores_stand_with_their_users_whoever_is_averaged_first() -> None:
    result = asp.evaluate(
        {5: ["b"], 2: ["a"], 9: ["a", "b"]},
        ["NDCG@1", "Community recall@2"],
        aspects={"a": "x", "b": "y"},
        relevance={9: ["a"]},
        convention="relison",
    )
    rows = {user: scores for user, *scores in result.per_user.iter_rows()}
    assert rows == {9: [1.0, 1.0], 5: [None, 0.5], 2: [None, 0.5]}


def test_table_says_how_each_number_was_computed() -> None:
    assert systems().to_text().splitlines() == [
        "Metric                 A       B",
        "----------------  ------  ------",
        "NDCG@1            1.0000  0.0000",
        "NDCG@2            1.0000  0.0000",
        "GiniComplement@1  0.0000  0.0000",
        "",
        "NDCG@1, NDCG@2: gain=linear, base=2.0, ideal=truth, average=users, discount=log, users=lists, convention=published. "
        "A: 1 scored, 1 undefined; B: 1 scored",
        "GiniComplement@1: outside=error, catalogue=given, users=lists, convention=published. "
        "A: 2 recommendations, 3 catalogue items; B: 1 recommendation, 3 catalogue items",
    ]
    assert systems().to_text() == str(systems())
    assert part("u").to_text() == str(part("u"))
    assert "Computed" not in part("u").to_text(how=False)


def test_systems_of_the_same_counts_share_them() -> None:
    result = part("u")
    assert asp.SystemResults({"A": result, "B": result}).to_text().endswith("convention=published. 1 recommendation, 3 catalogue items")
    assert ". A, C: 1 scored; B: 1 scored, 1 undefined\n" in asp.SystemResults({"A": result, "B": part("uw"), "C": result}).to_text()


def test_systems_that_differ_in_more_than_numbers() -> None:
    """Results put together by hand may have been computed in different ways, or of different metrics."""
    theirs = asp.evaluate({"u": ["a"]}, ["NDCG@1", "DCG@1"], convention="informfully", **TRUTH)
    results = asp.SystemResults({"A": part("u"), "B": theirs})
    text = results.to_text()
    assert "NDCG@1: A: gain=linear, base=2.0, ideal=truth" in text
    assert "published. 1 scored; B: gain=linear, base=2.0, ideal=list" in text
    assert "DCG@1: gain=linear" in text
    assert [line.split()[-2:] for line in text.splitlines() if line.startswith("DCG@1 ")] == [["computed", "1.0000"]]
    assert results.per_user.select("system", "user", "DCG@1").rows() == [("A", "u", None), ("B", "u", 2.0), ("B", "v", 0.0)]


def test_systems_as_rows() -> None:
    results = systems()
    assert results.to_text("rows", how=False).splitlines() == [
        "System  NDCG@1  NDCG@2  GiniComplement@1",
        "------  ------  ------  ----------------",
        "A       1.0000  1.0000            0.0000",
        "B       0.0000  0.0000            0.0000",
    ]
    assert results.to_markdown("rows").startswith(
        "| System | NDCG@1 | NDCG@2 | GiniComplement@1 |\n| --- | ---: | ---: | ---: |\n| A | 1.0000 |"
    )
    assert results.to_latex("rows").splitlines()[:3] == [
        r"\begin{tabular}{lrrr}",
        r"\hline",
        r"System & NDCG@1 & NDCG@2 & GiniComplement@1 \\",
    ]
    for call in (results.to_text, results.to_markdown, results.to_latex):
        with pytest.raises(asp.InputError, match="systems_as is 'diagonal', expected 'columns' or 'rows'"):
            call("diagonal")  # type: ignore[arg-type]


def test_no_systems() -> None:
    results = asp.SystemResults({})
    assert results.to_text() == str(results) == "Metric\n------"
    assert results.to_csv() == "system,metric,value,users,computed,warnings,notes\n"
    assert results.to_dict() == {"systems": {}, "warnings": [], "notes": []}
    with pytest.raises(asp.InputError, match="no systems"):
        _ = results.per_user


def test_notes_are_in_every_output_for_readers() -> None:
    result = replace(part("u"), notices=remarks("one | two", "three"))
    assert result.to_text().endswith("\n\nNotes:\n- one | two\n- three")
    assert str(result) == result.to_text()
    assert result.to_markdown().endswith("\n\nNotes:\n\n- one \\| two\n- three")
    assert result.to_latex().endswith("\n% Notes:\n% - one | two\n% - three")
    assert json.loads(result.to_json())["notes"] == ["one | two", "three"]
    both = asp.SystemResults({"A": result, "B": part("u")}, remarks("zero", "three"))
    assert both.to_text().endswith("\n\nNotes:\n- zero\n- three\n- one | two")
    assert str(both).endswith("\n\nNotes:\n- zero\n- three\n- one | two")
    assert both.to_markdown().endswith("\n\nNotes:\n\n- zero\n- three\n- one \\| two")
    assert both.to_latex().endswith("\n% Notes:\n% - zero\n% - three\n% - one | two")
    read = json.loads(both.to_json())
    assert read["notes"] == ["zero", "three"]
    assert read["systems"]["A"]["notes"] == ["one | two", "three"]
    for text in (str(part("u")), part("u").to_markdown(), part("u").to_latex(), systems().to_text()):
        assert "Notes" not in text


def test_results_without_what_metrics_remember_do_not_add() -> None:
    assert part("u") + part("v") == part("uv")
    with pytest.raises(asp.InputError, match="these results cannot be added"):
        _ = replace(part("u"), partial=None) + part("v")


def test_csv_has_all_digits() -> None:
    result = part("uvw")
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert list(rows[0]) == ["metric", "value", "users", "computed", "warnings", "notes"]
    assert {row["metric"]: float(row["value"]) for row in rows} == dict(result)
    assert rows[1]["users"] == "2 scored, 1 undefined"
    assert rows[1]["computed"] == "gain=linear, base=2.0, ideal=truth, average=users, discount=log, users=lists, convention=published"
    undefined = asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": {"a": 0.0}})
    assert next(csv.DictReader(io.StringIO(undefined.to_csv())))["value"] == ""
    text = systems().to_csv()
    assert text.startswith("system,metric,value,users,computed,warnings,notes\nA,NDCG@1,1.0,")
    assert "\r" not in text
    assert [(row["system"], row["metric"]) for row in csv.DictReader(io.StringIO(text))] == [
        (system, metric) for system in "AB" for metric in ("NDCG@1", "NDCG@2", "GiniComplement@1")
    ]


def as_cell(name: str) -> str:
    """A name in CSV, where a spreadsheet must not take it for a formula."""
    try:
        float(name)
    except ValueError:
        return f"'{name}" if name[:1] in tuple("=+-@\t\r") else name
    return name


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_name_is_a_formula_in_csv(name: str) -> None:
    assert [row["system"] for row in csv.DictReader(io.StringIO(named(name).to_csv(), newline=""))] == [f"'{name}"] * 3


@pytest.mark.parametrize("name", ["-0.5", "+1e5", "a=b", "ALS-2", "'x"])
def test_numbers_and_other_names_stay_what_they_are_in_csv(name: str) -> None:
    assert [row["system"] for row in csv.DictReader(io.StringIO(named(name).to_csv()))] == [name] * 3


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("_a_", r"\_a\_"),
        ("a__b", r"a\_\_b"),
        ("judged_by", "judged_by"),
        ("~a~ $x$ *b* >c", r"\~a\~ \$x\$ \*b\* \>c"),
        ("&lt;&#38;", r"\&lt;\&#38;"),
        ("R&D", "R&D"),
        ("<b>`x`", r"\<b\>\`x\`"),
    ],
)
def test_markdown_marks_up_no_name(name: str, written: str) -> None:
    assert named(name).to_markdown().splitlines()[0] == f"| Metric | {written} |"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=3, unique=True))
def test_no_name_breaks_a_format(names: list[str]) -> None:
    plain = named(*map(str, range(len(names))))
    odd = named(*names)
    rows = list(csv.DictReader(io.StringIO(odd.to_csv(), newline="")))
    assert [row["system"] for row in rows] == [as_cell(name) for name in names for _ in range(3)]
    assert list(json.loads(odd.to_json())["systems"]) == names
    for systems_as in ("columns", "rows"):
        assert len(odd.to_text(systems_as).splitlines()) == len(plain.to_text(systems_as).splitlines())
        assert len(odd.to_markdown(systems_as).splitlines()) == len(plain.to_markdown(systems_as).splitlines())
        latex = odd.to_latex(systems_as).splitlines()
        assert len(latex) == len(plain.to_latex(systems_as).splitlines())
        assert all(line.startswith("%") for line in latex[latex.index(r"\end{tabular}") + 1 :])


@pytest.mark.parametrize("name", ["a|b", "a\\|b", "a\\", "a\nb", "`a", "<!--"])
def test_markdown_cells_stay_cells(name: str) -> None:
    """As GitHub reads a row: a backslash takes the next mark with it, then pipes part the cells."""
    head = named(name).to_markdown().splitlines()[0]
    cells, escaped = 0, False
    for character in head:
        cells += character == "|" and not escaped
        escaped = character == "\\" and not escaped
    assert cells == 3


def test_latex_says_how_in_comments() -> None:
    lines = named("x\n\\input{secrets}").to_latex().splitlines()
    assert r"Metric & x\textbackslash{}n\textbackslash{}input\{secrets\} \\" in lines
    after = lines[lines.index(r"\end{tabular}") + 1 :]
    assert after[0].startswith("% NDCG@1, NDCG@2: gain=linear")
    assert after[-1] == "% - x\\n\\input{secrets}"
    assert all(line.startswith("% ") for line in after)
    assert part("u").to_latex().splitlines()[-1].startswith("% GiniComplement@1: outside=error")


def test_json_has_no_infinite_numbers() -> None:
    column = part("u").column("NDCG@1")
    result = asp.Results({column.name: replace(column, how={"threshold": -math.inf, "gamma": (("x", math.inf),)})})
    read = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert read["metrics"][0]["threshold"] == "-inf"
    assert read["metrics"][0]["gamma"] == [["x", "inf"]]


def test_scores_of_users_of_several_systems() -> None:
    frame = systems().per_user
    assert frame.columns == ["system", "user", "NDCG@1", "NDCG@2"]
    assert frame["system"].to_list() == ["A", "A", "B"]
    assert frame["user"].to_list() == ["u", "w", "u"]
    scores = frame["NDCG@1"].to_list()
    assert scores[0] == 1.0 and math.isnan(scores[1]) and scores[2] == 0.0
    empty = asp.evaluate_systems({"A": {"u": ["a"]}, "B": {}}, "NDCG@1", **TRUTH)
    assert empty.per_user.rows() == [("A", "u", 1.0)]
    assert asp.SystemResults({"B": empty["B"]}).per_user.rows() == []


@pytest.mark.parametrize("results", [part("uw"), systems("a note")])
def test_files_by_extension_and_by_format(results: asp.Results | asp.SystemResults, tmp_path: Path) -> None:
    texts = {
        "txt": ("table", results.to_text()),
        "json": ("json", results.to_json()),
        "csv": ("csv", results.to_csv()),
        "md": ("markdown", results.to_markdown()),
        "markdown": ("markdown", results.to_markdown()),
        "tex": ("latex", results.to_latex()),
    }
    for extension, (format, text) in texts.items():
        path = tmp_path / f"results.{extension}"
        results.write(path)
        assert path.read_text() == text.removesuffix("\n") + "\n"
        results.write(tmp_path / "results", format)  # type: ignore[arg-type]
        assert (tmp_path / "results").read_text() == path.read_text() == results.written(format)  # type: ignore[arg-type]
        assert format_of(str(path).upper()) == format
    with pytest.raises(
        asp.OutputError, match=r"x\.doc: unknown extension '\.doc' .* \.txt \(table\), \.json, \.csv, \.md \(markdown\), \.tex"
    ):
        results.write(tmp_path / "x.doc")
    with pytest.raises(asp.OutputError, match="no extension"):
        results.write(tmp_path / "x")
    with pytest.raises(asp.OutputError, match="format is 'doc', expected 'table', 'json', 'csv', 'markdown', 'latex'"):
        results.write(tmp_path / "x.txt", "doc")  # type: ignore[arg-type]
    with pytest.raises(asp.OutputError, match=r"none/x\.txt: cannot be written: no such directory"):
        results.write(tmp_path / "none" / "x.txt")


def test_systems_as_rows_in_files(tmp_path: Path) -> None:
    for extension in ("txt", "md", "tex"):
        systems().write(tmp_path / f"x.{extension}", systems_as="rows")
        assert "System" in (tmp_path / f"x.{extension}").read_text()


@pytest.mark.parametrize("results", [part("uw"), systems("a note")])
def test_scores_of_users_as_parquet(results: asp.Results | asp.SystemResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scores.parquet", "scores.pq", "scores.PARQUET"):
        results.write_per_user(tmp_path / name)
        found = pl.read_parquet(tmp_path / name)
        assert found.drop("GiniComplement@1 contribution").equals(
            results.per_user
        )  # which has no scores of users, and is compared by these
        assert json.loads(pl.read_parquet_metadata(tmp_path / name)["aspectrum"]) == json.loads(results.to_json())
    with pytest.raises(asp.OutputError, match=r"scores\.xls: unknown extension '\.xls' .* expected \.parquet, \.pq, \.csv or \.tsv"):
        results.write_per_user(tmp_path / "scores.xls")

    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = (tmp_path / "scores.pq").read_bytes()
    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(asp.OutputError, match=r"scores\.pq: cannot be written: no space left on device"):
        results.write_per_user(tmp_path / "scores.pq")
    assert (tmp_path / "scores.pq").read_bytes() == before


@pytest.mark.parametrize(("name", "separator"), [("scores.csv", ","), ("scores.TSV", "\t")])
def test_scores_of_users_as_text(tmp_path: Path, name: str, separator: str) -> None:
    relevance = {"ann": ["a", "b"], "b,o\tb": ["x"], "eve": []}
    lists = {"ann": ["x", "a", "b"], "b,o\tb": ["x"], "eve": ["a"]}
    metrics = ["NDCG@3", "AspectRecall@2"]
    truth: dict[str, Any] = {"relevance": relevance, "aspects": {"a": ["s"], "b": ["t"]}, "convention": "published,relison"}
    results = asp.evaluate_systems({"A": lists, "B": {"ann": ["b"]}}, metrics, **truth)
    results.write_per_user(tmp_path / name)
    text = (tmp_path / name).read_text()
    assert "NaN" in text, "undefined"
    assert f"{separator}\n" in text or separator * 2 in text, "not averaged"
    read = pl.read_csv(tmp_path / name, separator=separator)
    assert read.equals(results.per_user), "all digits; NaN and null are told apart"


def test_scores_of_users_with_ids_that_no_file_can_hold(tmp_path: Path) -> None:
    for first, second in ((frozenset("a"), frozenset("b")), (("u", 1), ("v", 2)), (1, "v")):
        result = asp.evaluate({first: ["a"], second: ["b"]}, "NDCG@1", relevance={first: ["a"], second: ["a"]})
        result.write_per_user(tmp_path / "scores.pq")
        assert pl.read_parquet(tmp_path / "scores.pq")["user"].to_list() == [str(first), str(second)]


@pytest.mark.parametrize(("first", "second"), [(("u", 1), ("v", 2)), (b"u", b"v"), ("", '"')])
def test_text_holds_any_id(tmp_path: Path, first: object, second: object) -> None:
    plan = asp.Plan("NDCG@1", asp.Truth.read(relevance={first: ["a"], second: ["a"]}))
    with asp.ScoresFile(tmp_path / "streamed.csv") as scores:
        result = plan.finish(plan.observe({first: ["a"]}, scores=scores) + plan.observe({second: ["b"]}, scores=scores), scores=scores)
    result.write_per_user(tmp_path / "scores.csv")
    for name in ("scores.csv", "streamed.csv"):
        with open(tmp_path / name, newline="") as file:
            assert [row["user"] for row in csv.DictReader(file)] == [str(first), str(second)]


def test_tables_say_the_judging_that_nobody_asked_for() -> None:
    """The same name is another number with a history than with relevant items alone."""
    lists, genres = {"u": ["a", "b"]}, {"a": ["x"], "b": ["y"], "c": ["x", "y"]}
    by_relevance = asp.evaluate(lists, "AlphaNDCG@2", aspects=genres, relevance={"u": ["b", "c"]})
    by_history = asp.evaluate(lists, "AlphaNDCG@2", aspects=genres, relevance={"u": ["b", "c"]}, history={"u": ["c"]})
    assert by_relevance["AlphaNDCG@2"] != by_history["AlphaNDCG@2"]
    for result, judging in ((by_relevance, "relevance"), (by_history, "history")):
        for text in (result.to_text(), result.to_markdown(), result.to_latex(), str(asp.SystemResults({"A": result}))):
            assert f"AlphaNDCG@2 (by {judging})" in text
    asked = asp.evaluate(lists, "AlphaNDCG(judged_by=relevance)@2", aspects=genres, relevance={"u": ["b", "c"]})
    assert "(by" not in asked.to_text()
    named = asp.evaluate(lists, {"ours": "AlphaNDCG@2"}, aspects=genres, relevance={"u": ["b", "c"]})
    assert "(by" not in named.to_text()


def test_the_direction_is_that_of_the_number() -> None:
    lists = {"A": {"u": ["a", "b"], "v": ["a", "b"], "w": ["a", "b"]}, "B": {"u": ["a", "b"], "v": ["c", "d"], "w": ["e", "f"]}}
    both = asp.evaluate_systems(lists, "Gini@2", convention="published,elliot", catalogue=list("abcdef"))
    directions = {name: one.columns["Gini@2"].higher_is_better for name, one in both.items()}
    assert list(directions.values()) == [False, True] * 2
    comparison = asp.compare(asp.evaluate_systems(lists, "Gini@2", convention="elliot", catalogue=list("abcdef")))
    assert comparison.metric_scores("Gini@2").higher_is_better is True
    assert json.loads(comparison.to_json())["metrics"][0]["higher_is_better"] is True


def test_what_a_number_is_made_of_stands_below_the_table() -> None:
    groups = {"a": "P", "b": "Q", "c": "Q"}
    text = asp.evaluate({"u": ["a", "b"]}, "GroupExposure@2", groups=groups, catalogue=list("abc")).to_text()
    assert "1 scored; exposure P 1, exposure Q 0.315465" in text
    many = {item: f"group {item}" for item in range(30)}
    text = asp.evaluate({"u": [1, 2]}, "GroupExposure@2", groups=many).to_text()
    assert "exposure group 11 0, 18 more" in text
