"""Tables for notebooks: well-formed, escaped, aligned, and bounded."""

import math
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.diagnostics.notices import Notice
from aspectrum.html_table import MOST_ROWS, html_table

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a & b &amp; c",
    "שלום \u202eabc",
    "two\nlines\x00\x1b[31m",
    "</style></table>",
    "🙂" * 10_000,
    "\ud800",
]


def tree(table: str) -> ElementTree.Element:
    """The table, which is also XML."""
    return ElementTree.fromstring(table)


def cells(table: str, path: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in tree(table).iterfind(path)]


def paragraphs(table: str) -> list[str]:
    return ["".join(one.itertext()) for one in tree(table).iterfind("p")]


class Tags(HTMLParser):
    """As a browser takes them, names and attributes apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_a_table() -> None:
    table = html_table(
        ["Metric", "A", "B"], [["NDCG@1", "0.5000", "undefined"], ["EPC", "", "-1e-05"]], caption="Both", below=["One.", "Two."]
    )
    assert cells(table, "table/thead/tr") == [["Metric", "A", "B"]]
    assert cells(table, "table/tbody/tr") == [["NDCG@1", "0.5000", "undefined"], ["EPC", "", "-1e-05"]]
    found = tree(table)
    assert [one.get("scope") for one in found.iterfind("table/thead/tr/th")] == ["col"] * 3
    assert [one.get("scope") for one in found.iterfind("table/tbody/tr/th")] == ["row"] * 2
    assert [one.get("class") for one in found.iterfind("table/thead/tr/th")] == [None, "number", "number"]
    assert {one.get("class") for one in found.iterfind("table/tbody/tr/td")} == {"number"}
    assert found.findtext("table/caption") == "Both"
    assert paragraphs(table) == ["One.", "Two."]


def test_text_is_not_aligned_as_numbers_are() -> None:
    table = html_table(["A", "B"], [["1", "2 scored"], ["x", "3"]])
    assert "number" not in {one.get("class") for one in tree(table).iter()}


@given(st.lists(st.tuples(st.text() | st.sampled_from(HOSTILE), st.text()), max_size=4), st.text(), st.text())
def test_nothing_but_the_table_is_markup(rows: list[tuple[str, str]], caption: str, below: str) -> None:
    table = html_table([*HOSTILE[:1], "x"], rows, caption=caption, below=[below])
    assert len(cells(table, "table/tbody/tr")) == len(rows)
    table.encode()
    found = Tags(table)
    assert found.names <= {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert found.attributes <= {"class", "scope"}


def test_long_tables_and_texts_are_cut() -> None:
    rows = [[str(place), HOSTILE[6]] for place in range(MOST_ROWS + 23)]
    table = html_table(["A", "B"], rows)
    assert len(cells(table, "table/tbody/tr")) == MOST_ROWS
    assert paragraphs(table) == ["23 more rows are not shown."]
    assert len(table) < 200_000
    assert paragraphs(html_table(["A", "B"], rows[: MOST_ROWS + 1])) == ["1 more row is not shown."]
    assert paragraphs(html_table(["A", "B"], rows[:MOST_ROWS])) == []


def test_a_table_without_rows() -> None:
    assert cells(html_table(["A", "B"], []), "table/thead/tr") == [["A", "B"]]


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        html_table(["A"], [["1", "2"]])


def test_the_style_stays_in_its_division() -> None:
    style = tree(html_table(["A"], [["1"]])).findtext("style") or ""
    flat = style.replace("@media (prefers-color-scheme:dark){", "").replace("}}", "}")
    selectors = [rule.partition("{")[0] for rule in flat.split("}") if rule]
    assert len(selectors) > 5
    assert all(selector.startswith(".aspectrum-table") for selector in selectors)
    assert "overflow-x:auto" in style
    assert "url(" not in style


def results() -> asp.Results:
    return asp.evaluate({"u": ["a"], "v": ["b"]}, ["Recall@1", "GiniComplement@1"], relevance={"u": ["a", "b"]}, catalogue=["a", "b"])


def systems(*names: str) -> asp.SystemResults:
    return asp.SystemResults(dict.fromkeys(names, results()), (Notice("remark", detail={"text": "<b>odd</b>"}),))


def test_results_in_a_notebook() -> None:
    found = results()
    table = found._repr_html_()
    assert cells(table, "table/tbody/tr")[0] == ["Recall@1", "0.5000", "1 scored, 1 undefined"]
    below = paragraphs(table)
    assert any(text.startswith("Recall@1: ") and "threshold" in text for text in below)
    assert sum(text.startswith("Note: ") for text in below) == len(found.notes)
    assert sum(text.startswith("Warning: ") for text in below) == len(found.warnings)
    assert str(found) == repr(found)


def test_systems_in_a_notebook() -> None:
    table = systems(*HOSTILE)._repr_html_()
    heads = cells(table, "table/thead/tr")[0]
    assert heads[1:4] == HOSTILE[:3]
    assert "Note: <b>odd</b>" in paragraphs(table)
    assert Tags(table).names <= {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "p"}


def test_gains_and_ideals_in_a_notebook() -> None:
    pool = {"a": [1, 3], "b": [2, 4], "c": [3, 4]}
    gained = asp.gains({"q": ["a", "b", "x"]}, subtopics={"q": pool})
    assert cells(gained._repr_html_(), "table/tbody/tr")[1] == ["2", "b", "2.0000", "4.0000", "3.2619", "1.5000", "2.9464", "1.1071"]
    assert tree(gained._repr_html_()).findtext("table/caption") == str(gained).splitlines()[0]
    nothing = asp.gains({"q": ["x"]}, subtopics={"q": {"x": []}})
    assert cells(nothing._repr_html_(), "table/tbody/tr")[0][-1] == "undefined"
    ideal = asp.ideal_list("q", "AlphaNDCG@2", subtopics={"q": pool})
    assert len(cells(ideal._repr_html_(), "table/tbody/tr")) == 2
    assert [text.split()[0] for text in paragraphs(ideal._repr_html_())] == ["ideal", "greedy"]
    summary = asp.summarise_ideals("AlphaNDCG@2", subtopics={"q": pool})
    assert cells(summary._repr_html_(), "table/tbody/tr")[0][0] == "AlphaNDCG@2"


def test_results_as_polars() -> None:
    frame = results().to_polars()
    assert frame.schema == {"metric": pl.String, "value": pl.Float64, "scored": pl.Int64, "undefined": pl.Int64, "missing": pl.Int64}
    assert frame.rows() == [("Recall@1", 0.5, 1, 1, 0), ("GiniComplement@1", 1.0, None, None, 0)]
    both = systems("A", "B").to_polars()
    assert both["system"].to_list() == ["A", "A", "B", "B"]
    assert both.drop("system").head(2).equals(frame)
    assert asp.SystemResults({}).to_polars().columns == ["system", *frame.columns]


def test_results_as_pandas() -> None:
    frame = results().to_pandas()
    assert frame["value"].tolist() == [0.5, 1.0]
    assert frame["scored"].dtype == "Int64"
    assert frame["scored"].isna().tolist() == [False, True]
    both = systems("A", "B").to_pandas()
    assert both.columns.tolist() == results().to_polars().insert_column(0, pl.Series("system", ["A", "A"])).columns
    assert both.pivot(index="metric", columns="system", values="value").to_numpy().tolist() == [[1.0, 1.0], [0.5, 0.5]]
    assert isinstance(asp.SystemResults({}).to_pandas(), pd.DataFrame)


def test_an_undefined_number_is_nan_in_frames() -> None:
    undefined = asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": {"a": 0.0}})
    assert math.isnan(undefined.to_polars()["value"][0])
    assert undefined.to_polars()["value"].null_count() == 0
    assert undefined.to_pandas()["value"].isna().all()


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(asp.MissingLibrary, match=r"pandas, which is not installed; .*pip install 'aspectrum\[pandas\]'"):
        results().to_pandas()
