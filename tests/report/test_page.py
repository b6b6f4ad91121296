"""The page as text: budgets, the same bytes, nothing unescaped, numbers that are the data's, tags that close."""

import gzip
import json
import math
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources

import pytest

from aspectrum.report.charts import theme
from aspectrum.report.charts.names import visible
from aspectrum.report.content import Report, Score
from aspectrum.report.page import page
from aspectrum.report.table import by_family, common_cutoff, difference_scale, table
from tests.report.sample import EDGES, HOSTILE, REMARKS, bare, hostile, many_systems, measures, one_undefined, sample

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Tree(HTMLParser):
    """Counts elements and checks that tags close in order; what is in templates is counted apart, as browsers do."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: Counter[str] = Counter()
        self.in_templates = 0
        self.ids: Counter[str] = Counter()
        self.handlers: list[str] = []
        self.references: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def _seen(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "template" in self.open:
            self.in_templates += 1
        else:
            self.elements[tag] += 1
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.handlers += [name for name in names if name.startswith("on")]
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action", "srcset")]
        self.ids.update(value or "" for name, value in attrs if name == "id")


@pytest.fixture(scope="module", params=["sample", *EDGES])
def shown(request: pytest.FixtureRequest) -> tuple[Report, str]:
    report = sample() if request.param == "sample" else EDGES[request.param]()
    return report, page(report)


def test_tags_close_and_ids_are_unique(shown: tuple[Report, str]) -> None:
    tree = Tree(shown[1])
    assert tree.open == []
    assert [name for name, times in tree.ids.items() if times > 1] == []
    assert shown[1].startswith("<!doctype html>\n")


def test_nothing_is_loaded_and_no_element_has_a_handler(shown: tuple[Report, str]) -> None:
    tree = Tree(shown[1])
    assert [to for to in tree.references if not to.startswith("#")] == []
    assert tree.handlers == []
    assert tree.elements["script"] == 2  # the data and the script
    assert {to[1:] for to in tree.references} <= set(tree.ids)
    assert "url(" not in shown[1].partition("</style>")[0]


def test_all_sections_are_there_and_in_order() -> None:
    sections = re.findall(r'<section id="(\w+)"', page(sample()))
    assert sections == ["summary", "tradeoff", "real", "curves", "users", "exposure", "lists", "how", "notes"]


def test_sections_without_data_are_left_out() -> None:
    text = page(bare())
    assert re.findall(r'<section id="(\w+)"', text) == ["summary"]
    assert 'class="find"' not in text
    assert 'id="mode"' not in text
    assert "baseline" not in text.partition("<script")[0].partition("</style>")[2].partition("<body>")[2]


def test_budgets() -> None:
    report = sample()
    assert (len(report.systems), len(report.measures), len(report.curves[0].cutoffs)) == (10, 12, 20)
    files = resources.files("aspectrum.report")
    style = files.joinpath("report.css").read_bytes() + theme.stylesheet().encode()
    script = files.joinpath("report.js").read_bytes()
    start = time.perf_counter()
    text = page(report).encode()
    took = time.perf_counter() - start
    tree = Tree(text.decode())
    print(f"drawn in {took:.2f} s: {len(text):,} bytes, {len(gzip.compress(text)):,} compressed, {tree.elements.total():,} elements")
    assert len(style) <= 20_000
    assert len(script) <= 20_000
    assert len(text) <= 1_500_000
    assert len(gzip.compress(text)) <= 200_000
    assert tree.elements.total() <= 10_000


def test_same_report_same_bytes_in_any_process() -> None:
    program = "import hashlib; from tests.report.sample import hostile; from aspectrum.report.page import page; print(hashlib.sha256(page(hostile()).encode()).hexdigest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_hostile_names_are_never_markup() -> None:
    text = page(hostile())
    for name in HOSTILE[:3]:
        assert name not in text
    assert "<img" not in text
    assert "\x1b" not in text and "\x07" not in text and "\x00" not in text
    assert "\u202e" not in text  # no name turns the text after it around
    assert "{{ 7*7 }}" in text  # names are not templates
    tree = Tree(text)
    assert tree.elements["script"] == 2
    assert tree.elements["img"] == 0


def test_data_cannot_end_its_element() -> None:
    text = page(hostile())
    data = text.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    assert "<" not in data
    found = json.loads(data)
    assert found["systems"] == [visible(name) for name in HOSTILE]


def test_policy_lets_only_our_script_run() -> None:
    import base64
    import hashlib

    text = page(sample())
    script = text.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = policy[1].replace("&#39;", "'")
    assert rules.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in rules
    assert "unsafe-inline" not in rules.partition("script-src")[2]


CELL = re.compile(r'<td[^>]* data-v="([^"]*)" data-d="([^"]*)"[^>]*><span class="sv">([^<]*)<?.*?</td>')


def plain(text: str) -> float:
    return float(text.replace("−", "-").replace("+", "").replace(",", ""))


@pytest.mark.parametrize(("digits", "percent"), [(3, False), (2, False), (3, True)])
def test_numbers_of_the_table_are_those_of_the_data(digits: int, percent: bool) -> None:
    report = replace(sample(), digits=digits, percent=percent)
    body = page(report).partition('<table id="sum">')[2].partition("</table>")[0]
    rows = re.findall(r'<tr class="s s(\d+)".*?</tr>', body, re.DOTALL)
    assert sorted(map(int, rows)) == list(range(10))
    factor, decimals = (100, digits - 2) if percent else (1, digits)
    for row in re.findall(r'<tr class="s s\d+".*?</tr>', body, re.DOTALL):
        system = report.systems[int(re.findall(r's s(\d+)"', row)[0])]
        cells = CELL.findall(row)
        assert len(cells) == 12
        differences = re.findall(r'<span class="dv">([^<]*)', row)
        for measure, (value, difference, text), written in zip(by_family(report.measures), cells, differences, strict=True):
            score = report.scores[measure.key][system].value
            assert plain(text) == round(score * factor, decimals)
            assert float(value) == pytest.approx(score, rel=1e-5)
            if system == report.baseline:
                assert (difference, written) == ("", "–")
            else:
                expected = report.differences[measure.key][system].difference
                assert plain(written) == round(expected * factor, decimals)
                assert float(difference) == pytest.approx(expected, rel=1e-5)


def test_data_tables_have_every_number() -> None:
    report = sample()
    body = page(report).partition('<section id="tradeoff"')[0].partition('<details class="data">')[2]
    rows = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', body)
    assert [name for name, _ in rows] == list(report.systems)
    for name, cells in rows:
        for measure, cell in zip(by_family(report.measures), re.findall("<td>(.*?)</td>", cells), strict=True):
            score = report.scores[measure.key][name]
            assert score.interval is not None
            numbers = [plain(text) for text in re.findall(r"[−\d.]+", cell)[:3]]
            assert numbers == [round(value, 4) for value in (score.value, *score.interval)]
            assert ("undefined for 97" in cell) == (score.undefined == 97)


def test_marks_follow_the_test_and_colours_the_direction() -> None:
    report = sample()
    rows = {row.name: row for row in table(report).rows}
    tones: Counter[tuple[str, str]] = Counter()
    for at, measure in enumerate(by_family(report.measures)):
        for system, difference in report.differences[measure.key].items():
            sign = rows[system].cells[at].sign
            assert sign is not None
            assert sign.arrow == {"higher": "▲", "lower": "▼", "same": "≈"}[difference.mark or "same"]
            better = report.better(measure.key, difference.difference)
            expected = "ns" if difference.mark == "same" or better is None else "up" if better else "dn"
            assert sign.tone == expected
            tones[sign.arrow, sign.tone] += 1
    assert tones["▼", "up"] and tones["▲", "dn"] and tones["▲", "up"] and tones["▼", "dn"]


def test_lower_is_better_is_said_and_sorts_upwards() -> None:
    columns = {column.name: column for column in table(sample()).columns}
    assert columns["Miscalibration"].remark == "lower is better"
    assert columns["Miscalibration"].ascending_first
    assert page(sample()).count("<small>lower is better</small>") == 1


def test_undefined_scores_come_last_with_their_reason() -> None:
    found = table(one_undefined())
    assert found.rows[-1].name == "EASE"
    assert found.rows[-1].cells[0].text == "undefined"
    assert "lists are empty" in found.rows[-1].cells[0].tip
    assert found.undefined == ("nDCG: undefined for 1 of 10 systems: lists are empty.", "ILD: undefined for all systems: lists are empty.")
    assert [row.cells[5].value for row in found.rows] == [""] * 10


def test_best_and_ties_are_marked_only_where_tested() -> None:
    report = sample()
    cells = [cell for row in table(report).rows for cell in row.cells]
    assert sum("best" in cell.kind for cell in cells) == sum(one.best is not None for one in report.standings.values()) > 0
    assert sum("tie" in cell.kind for cell in cells) == sum(len(one.tie) for one in report.standings.values()) > 0
    untested = table(replace(report, standings={}, differences={}))
    assert not any("best" in cell.kind or "tie" in cell.kind or cell.sign for row in untested.rows for cell in row.cells)


def test_bars() -> None:
    found = table(sample())
    for at in range(12):
        filled = [float(row.cells[at].filled) for row in found.rows]
        assert max(filled) == 100
        bars = [row.cells[at].bar for row in found.rows if row.cells[at].bar is not None]
        assert all(bar is not None and 0 <= float(bar.start) <= float(bar.end) <= 100 for bar in bars)
    assert difference_scale([0.1, 0.01, 0.02]) == 0.02
    assert difference_scale([math.nan, 0.0]) == 0
    assert difference_scale([]) == 0
    cut = [row.cells[0].bar for row in found.rows if row.name == "Popularity"]
    assert cut[0] is not None and cut[0].cut


def test_families_stand_together() -> None:
    mixed = measures()[::2] + measures()[1::2]
    families = [one.family for one in by_family(mixed)]
    assert sorted(families, key=families.index) == families
    assert common_cutoff(mixed) == "10"
    assert common_cutoff((*mixed, replace(mixed[0], key="NDCG@5"))) == ""


def test_notes_that_may_change_a_number_come_first() -> None:
    text = page(sample())
    assert "3 notes on the data, 1 may change a number" in text
    notes = re.findall(r"<b>(May change a number|Worth knowing)</b>", text)
    assert notes == ["May change a number", "Worth knowing", "Worth knowing"]
    assert [remark.text in text for remark in REMARKS] == [True] * 3


def test_a_page_that_is_too_large_leaves_out_pickers_first_and_says_so() -> None:
    whole = page(sample())
    limit = len(whole.encode()) - 1
    text = page(sample(), limit=limit)
    assert len(text.encode()) <= limit
    assert "<template" in whole and "<template" not in text
    assert "Left out to keep this file below" in text
    assert "metrics behind pickers." in text
    without_templates = re.sub("<template.*?</template>", "", whole, flags=re.DOTALL)
    assert text.count('<details class="data">') == without_templates.count('<details class="data">') > 5
    least = page(sample(), limit=1)
    assert '<details class="data">' not in least
    assert "data tables, tooltips of the summary table" in least
    assert 'id="sum"' in least


def test_hard_limit_holds_for_many_systems() -> None:
    assert len(page(many_systems()).encode()) <= 5_000_000


def test_missing_scores_are_undefined() -> None:
    report = replace(bare(), scores={"NDCG@10": {"a": Score(0.25)}})
    text = page(report)
    assert "not computed" in text
