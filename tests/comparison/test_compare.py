"""asp.compare: what it takes and refuses, what it says, and that no name does harm in any output."""

import csv
import io
import json
import math
import re
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import aspectrum as asp
from tests.comparison.data import METRIC, WHOLE, Effort, by_user, pair, result, results, skewed, users
from tests.test_paper_table import assert_closed, latex_rows

SCORES = skewed(9, 60, 3)


def three(**options: Any) -> asp.SystemResults:
    return results({name: by_user(SCORES[:, place]) for place, name in enumerate("ABC")}, **options)


# Who is compared


def test_different_users_are_an_error_with_two_ways_out() -> None:
    one, other = by_user(SCORES[:, 0]), by_user(SCORES[:, 1])
    del other["u0003"], other["u0007"]
    one["stranger"] = 0.5
    with pytest.raises(asp.InputError) as error:
        asp.compare(results({"A": one, "B": other}))
    said = str(error.value)
    assert "3 users are not in B" in said
    assert "users='common'" in said and "users='judged'" in said and "such as 'stranger'" in said
    found = asp.compare(results({"A": one, "B": other}), users="common")[METRIC, "B"]
    assert (found.n, found.absent_a, found.absent_b) == (58, 0, 3)


def test_common_users_of_whole_systems_need_their_lists() -> None:
    made = {name: result({}, whole={WHOLE: by_user(SCORES[: 60 - place, place])}) for place, name in enumerate("AB")}
    found = asp.compare(made, users="common")[WHOLE, "B"]
    assert found.p is None
    assert found.notes == ("not tested: a number of all lists, of different users; evaluate those of all systems",)


def test_one_sided_undefined_scores_are_noted_and_many_are_a_warning() -> None:
    a, b = np.tile(SCORES[:, 0], 4), np.tile(SCORES[:, 1], 4)
    b[5] = math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", asp.AspectrumWarning)
        few = asp.compare(pair(a, b))
    assert any("1 of 240 users are scored by only one of B and A" in note for note in few.notes)
    b[:12] = math.nan
    with pytest.warns(asp.AspectrumWarning, match=r"12 of 240 users are scored by only one of B and A.*\[one_sided\]"):
        many = asp.compare(pair(a, b))
    assert many[METRIC, "B"].undefined_b == 12
    assert many[METRIC, "B"].mean_a == pytest.approx(a[12:].mean())
    assert many.scores[METRIC]["A"].value == pytest.approx(a.mean())
    with pytest.raises(asp.StrictError, match="one_sided"):
        asp.compare(pair(a, b), strict=True)
    assert not asp.compare(pair(a, b), strict=True, ignore="one_sided").warnings


@pytest.mark.parametrize(
    ("n", "note"), [(0, "undefined: no user is scored by both"), (1, "too few users to test"), (9, "too few users to test")]
)
def test_too_few_users(n: int, note: str) -> None:
    a, b = SCORES[:12, 0].copy(), SCORES[:12, 1].copy()
    b[n:] = math.nan
    found = asp.compare(pair(a, b), ignore="one_sided")
    one = found[METRIC, "B"]
    assert note in one.notes
    assert (one.n, one.p, one.p_adjusted, one.interval, one.relative_interval, one.significant) == (n, None, None, None, None, None)
    assert math.isnan(one.difference) if n == 0 else one.difference == pytest.approx((b - a)[:n].mean())
    assert note in found.to_text()
    assert found.tested_by == "Nothing was tested."
    assert ("undefined" in found.to_text()) == (n == 0)
    json.loads(found.to_json())


def test_ten_users_are_tested() -> None:
    found = asp.compare(pair(SCORES[:10, 0], SCORES[:10, 1]))[METRIC, "B"]
    assert found.p is not None and found.interval is not None


def test_identical_systems() -> None:
    comparison = asp.compare(pair(SCORES[:, 0], SCORES[:, 0]))
    one = comparison[METRIC, "B"]
    assert (one.difference, one.p, one.p_adjusted, one.interval, one.significant) == (0.0, 1.0, 1.0, (0.0, 0.0), False)
    assert one.notes == ("identical for all users",)
    assert comparison.standings[METRIC].tie == ("A", "B")
    assert comparison.mark(one) == "≈"


def test_equal_gains_do_not_vary_however_they_are_rounded() -> None:
    base = 0.1 * (np.arange(40) % 7)
    one = asp.compare(pair(base, base + 0.1))[METRIC, "B"]
    assert (one.t, one.p_t, one.effect_size, one.minimum_detectable) == (math.inf, 0.0, None, None)
    assert (one.skewness, one.notes) == (0.0, ())
    assert json.loads(asp.compare(pair(base, base + 0.1)).to_json())["differences"][0]["t"] == "inf"


def test_differences_that_are_skewed_for_so_few_users_are_warned_of() -> None:
    b = SCORES[:, 0].copy()
    b[:2] += 5
    with pytest.warns(
        asp.AspectrumWarning,
        match=r"1 difference is too skewed for this number of users; .* \(such as NDCG@10 of B against A\) \[few_carry\]",
    ):
        found = asp.compare(pair(SCORES[:, 0], b))
    assert found[METRIC, "B"].notes == ("too skewed for this number of users; intervals and t tests may be inaccurate",)
    assert (found[METRIC, "B"].skewness or 0) > math.sqrt(60 / 25)


def test_open_ideals() -> None:
    """Certain only if both ends of the scores show it."""
    base = by_user([0.5] * 20)
    b = [0.52, 0.51] * 10
    clear = {"A": result({METRIC: base}, least={METRIC: base}), "B": result({METRIC: by_user(b)}, least={METRIC: by_user(b)})}
    assert asp.compare(clear)[METRIC, "B"].significant
    shrunk = {name: by_user([0.9 * score for score in one.blocks[0].scores[:, 0]]) for name, one in clear.items()}
    alike = {
        name: result({METRIC: dict(zip(base, one.blocks[0].scores[:, 0], strict=True))}, least={METRIC: shrunk[name]})
        for name, one in clear.items()
    }
    found = asp.compare(alike)[METRIC, "B"]
    assert found.range == pytest.approx((0.9 * found.difference, found.difference))
    assert found.significant
    unlike = {"A": clear["A"], "B": alike["B"]}
    with pytest.warns(asp.AspectrumWarning, match=r"not equally certain.*\[other_ideals\]"):
        found = asp.compare(unlike)[METRIC, "B"]
    assert found.range is not None and found.range[0] < 0 < found.range[1]
    assert found.significant is False


@pytest.mark.parametrize("uncertain", ["gains", "losses"])
def test_of_both_ends_of_open_scores_the_less_certain_counts(uncertain: str) -> None:
    """Where gains are uncertain, less is shown at the lower ends; where losses are, at the upper ones."""
    d = [0.3, 0.28, 0.25, 0.31, 0.27, 0.3, 0.26, 0.24, 0.3, 0.29, 0.22, -0.2, -0.25, -0.3]
    certainty = [0.3 if (one > 0) == (uncertain == "gains") else 1.0 for one in d]
    upper, lower = (
        {"A": by_user([0.5 * r for r in shrunk]), "B": by_user([(0.5 + one) * r for one, r in zip(d, shrunk, strict=True)])}
        for shrunk in ([1.0] * 14, certainty)
    )
    found = asp.compare({name: result({METRIC: upper[name]}, least={METRIC: lower[name]}) for name in "AB"}, ignore="few_carry")[
        METRIC, "B"
    ]
    ends = [asp.compare(results(end), ignore="few_carry")[METRIC, "B"] for end in (upper, lower)]
    assert [one.p for one in ends] == sorted((one.p or 0 for one in ends), reverse=uncertain == "losses")
    assert ends[0].p != ends[1].p
    expected = ends[1 if uncertain == "gains" else 0]
    assert (found.p, found.p_adjusted, found.difference) == (expected.p, expected.p_adjusted, ends[0].difference)


# What cannot be compared


def evaluated(metric: Any = "NDCG@2", **options: Any) -> asp.Results:
    lists = {user: ["a", "b"] for user in users(12)}
    truth: dict[str, Any] = {"relevance": {user: {"a": 2, "b": 1} for user in users(12)}, "catalogue": ["a", "b", "c"]}
    return asp.evaluate(lists, metric, **{**truth, **options})


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (
            {"metric": "AlphaNDCG(alpha=0.5)@2", "aspects": {"a": ["x"], "b": ["y"]}},
            {"metric": "AlphaNDCG(alpha=0.9)@2", "aspects": {"a": ["x"], "b": ["y"]}},
            "no metric in common",
        ),
        ({"metric": {"mine": "NDCG@1"}}, {"metric": {"mine": "NDCG@2"}}, "mine is NDCG@1 in A, and NDCG@2 in B"),
        ({"metric": "P@2"}, {"metric": "P@2", "threshold": 2}, "Precision@2 was computed in two ways: threshold is 1.* in A, and 2"),
        ({}, {"convention": "relison"}, "NDCG@2 was computed in two ways"),
        ({}, {"users": "judged"}, "NDCG@2 was computed in two ways: users is lists in A, and judged in B"),
        (
            {"metric": "GiniComplement@2"},
            {"metric": "GiniComplement@2", "catalogue": ["a", "b", "c", "d"]},
            "catalogue_items is 3 in A, and 4 in B",
        ),
    ],
    ids=["parameters", "definitions", "threshold", "convention", "users", "catalogue"],
)
def test_numbers_computed_in_two_ways(one: dict[str, Any], other: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        asp.compare({"A": evaluated(**one), "B": evaluated(**other)})


def test_the_same_number_written_in_two_ways_is_the_same(tmp_path: Path) -> None:
    evaluated("P@2", threshold=2).write_per_user(tmp_path / "scores.parquet")
    for other in (evaluated("P@2", threshold=2.0), tmp_path / "scores.parquet"):
        assert asp.compare({"A": evaluated("P@2", threshold=2), "B": other}).metrics == ("Precision@2",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "a"}, "baseline 'a' is not one of the systems 'A', 'B', 'C'; did you mean 'A'"),
        ({"pairs": "some"}, "pairs is 'some'"),
        ({"pairs": "all", "baseline": "A"}, "leave out the baseline"),
        ({"users": "judged"}, "users is 'judged'"),
        ({"test": "u"}, "test is 'u', expected 'flips', 't', 'wilcoxon', 'sign'"),
        ({"correction": "bonferroni"}, "correction is 'bonferroni'"),
        ({"interval": "basic"}, "interval is 'basic'"),
        ({"family": "system"}, "family is 'system'"),
        ({"test": "wilcoxon", "correction": "max-t"}, "max-t corrects tests of means, which wilcoxon is not; use correction='holm'"),
        ({"level": 95}, "level is 95, expected a number between 0 and 1"),
        ({"alpha": 0}, "alpha is 0"),
        ({"flips": 98}, "flips"),
        ({"resamples": 1.5}, "resamples"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": True}, "seed is True"),
        ({"margin": 2}, "margin is 2"),
        ({"metrics": "P@10"}, r"P@10 is not a metric that all systems have; they have NDCG@10"),
        ({"metrics": ["nonsense"]}, "nonsense is not a metric that all systems have"),
        ({"threads": 0}, "threads"),
        ({"ignore": "nothing"}, "unknown warning kind 'nothing'"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        asp.compare(three(), **options)


@pytest.mark.parametrize("given", [3, None, {"A": 3}, []])
def test_results_that_are_none(given: Any) -> None:
    with pytest.raises(asp.InputError, match=r"results is|needs at least two systems"):
        asp.compare(given)


def test_one_system_is_not_compared() -> None:
    with pytest.raises(asp.InputError, match="at least two systems, found 'results'"):
        asp.compare(three()["A"])
    with pytest.raises(asp.InputError, match="at least two systems, found 'A'"):
        asp.compare({"A": three()["A"]})


def test_what_is_asked_of_a_comparison() -> None:
    comparison = asp.compare(three(), baseline="B")
    assert [one.system for one in comparison.differences] == ["A", "C"]
    assert comparison["nDCG@10", "A"] is comparison[asp.NDCG(k=10), "A"]
    assert comparison[METRIC, "C", "A"].baseline == "A"
    with pytest.raises(KeyError, match="there is no system 'D'"):
        _ = comparison[METRIC, "D"]
    with pytest.raises(KeyError, match="'B' is not compared with itself"):
        _ = comparison[METRIC, "B"]
    with pytest.raises(KeyError, match="there is no baseline"):
        _ = asp.compare(three(), pairs="all")[METRIC, "B"]
    assert asp.compare(three(), metrics=[METRIC, "nDCG@10"]).metrics == (METRIC,)


def test_of_many_cutoffs_one_is_tested() -> None:
    def made(cutoffs: tuple[int, ...]) -> dict[str, asp.Results]:
        return {name: result({f"NDCG@{k}": by_user(SCORES[:, place]) for k in cutoffs}) for place, name in enumerate("AB")}

    assert asp.compare(made((1, 5, 10))).metrics == ("NDCG@1", "NDCG@5", "NDCG@10")
    chosen = asp.compare(made((1, 5, 10, 20)))
    assert chosen.metrics == ("NDCG@10",)
    assert any("only this one is tested; name metrics to test others" in note for note in chosen.notes)
    assert asp.compare(made((1, 2, 3, 4))).metrics == ("NDCG@4",)
    assert asp.compare(made((1, 5, 10, 20)), metrics=["NDCG@1", "NDCG@20"]).metrics == ("NDCG@1", "NDCG@20")


def test_metrics_that_only_some_have() -> None:
    one, other = result({METRIC: by_user(SCORES[:, 0]), "P@10": by_user(SCORES[:, 0])}), result({METRIC: by_user(SCORES[:, 1])})
    comparison = asp.compare({"A": one, "B": other})
    assert comparison.metrics == (METRIC,)
    assert any("P@10: not tested, as not every system has them" in note for note in comparison.notes)
    with pytest.raises(asp.InputError, match="no metric in common"):
        asp.compare({"A": result({"P@10": by_user(SCORES[:, 0])}), "B": other})


# Files


def test_saved_without_scores_is_compared_and_not_tested(tmp_path: Path) -> None:
    three().write(tmp_path / "results.json")
    comparison = asp.compare(tmp_path / "results.json")
    one = comparison[METRIC, "B"]
    assert one.difference == pytest.approx(SCORES[:, 1].mean() - SCORES[:, 0].mean())
    assert one.relative == pytest.approx(SCORES[:, 1].mean() / SCORES[:, 0].mean() - 1)
    assert (one.n, one.p, one.notes) == (0, None, ("not tested: no per-user scores",))
    assert comparison.tested_by == "Nothing was tested."
    assert comparison.standings[METRIC].best is None
    for text in (comparison.to_text(), comparison.to_markdown()):
        assert "not tested: no per-user scores" in text


def test_an_infinite_value_is_saved_and_read(tmp_path: Path) -> None:
    """A harmonic mean of distances, where nobody can be reached."""
    lists = {"near": {"u": ["w"]}, "far": {"u": ["x"]}}
    graph = {"u": ["v"], "v": ["w"], "x": ["y"]}
    asp.evaluate_systems(lists, "MeanPredictionDistance@1", graph=graph).write(tmp_path / "results.json")
    (metric,) = (comparison := asp.compare(tmp_path / "results.json")).metrics
    assert [comparison.results[name][metric] for name in lists] == [0.0, math.inf]  # u has w two steps away


def test_a_user_twice_in_a_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": ["ann", "bob", "ann"], "NDCG@10": [0.1, 0.2, 0.3]})
    frame.write_csv(tmp_path / "one.csv")
    frame.write_parquet(tmp_path / "two.parquet")
    for name in ("one.csv", "two.parquet"):
        with pytest.raises(asp.InputError, match=f"{name}: user 'ann' has several rows, expected one; average repeated visits first"):
            asp.compare([tmp_path / name, tmp_path / "one.csv"])


def test_names_of_files_tell_systems_of_the_same_name_apart(tmp_path: Path) -> None:
    for name in ("old", "new"):
        results({"ALS": by_user(SCORES[:, 0]), "EASE": by_user(SCORES[:, 1])}).write(tmp_path / f"{name}.json")
    assert asp.compare([tmp_path / "old.json", tmp_path / "new.json"]).systems == ("old: ALS", "old: EASE", "new: ALS", "new: EASE")
    three()["A"].write_per_user(tmp_path / "mine.parquet")
    assert asp.compare([tmp_path / "mine.parquet", tmp_path / "new.json"]).systems == ("mine", "ALS", "EASE")
    assert asp.compare({"x": tmp_path / "mine.parquet", "y": three()["B"]}).systems == ("x", "y")
    with pytest.raises(asp.InputError, match="is given twice"):
        asp.compare([tmp_path / "old.json", tmp_path / "old.json"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", "{", "is not valid JSON"),
        ("x.json", "[" * 100_000, "is not valid JSON"),
        ("x.json", '{"a": 1}', "does not hold results of aspectrum"),
        ("x.json", "[]", "does not hold results of aspectrum"),
        ("x.csv", "item,NDCG@10\na,1\n", "no user column found"),
        ("x.csv", "user,NDCG@10\na,high\n", "does not hold numbers"),
        ("x.csv", "user,nonsense\na,1\n", "unknown metric 'nonsense'"),
        ("x.parquet", "no parquet", "x.parquet: "),
        ("x.txt", "", "saved results are .json"),
        ("x", "", "a file without an extension"),
        ("x.json", '{"metrics": [], "per_user": "nowhere.parquet"}', "nowhere.parquet: file not found"),
    ],
)
def test_files_that_cannot_be_read(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises((asp.InputError, asp.MetricError), match=message):
        asp.compare({"A": tmp_path / name, "B": three()["B"]})


def test_scores_of_another_evaluation_are_refused(tmp_path: Path) -> None:
    three().write_per_user(tmp_path / "scores.parquet")
    results({"A": by_user(SCORES[:, 2]), "B": by_user(SCORES[:, 1]), "C": by_user(SCORES[:, 0])}).write(
        tmp_path / "results.json", scores=tmp_path / "scores.parquet"
    )
    with pytest.raises(asp.InputError, match="its numbers are not those of"):
        asp.compare(tmp_path / "results.json")


# Outputs

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'name' `x`",
    "😀👨‍👩‍👧",
    "שלום \u202eabc\u202c",
    "\x1b[31mred\x1b[0m\x07",
    "two\nlines\r\n| three",
    r"\input{/etc/passwd} & % $x$ _ ^ # ~ {",
    "=1+1",
    "@SUM(A1)",
    "-x+y",
    "a | b **c** [d](e)",
    "&lt;b&gt; &amp;",
    "x" * 10_000,
    "",
)


def hostile() -> asp.Comparison:
    """Systems, users, segments and attributes with the names of trouble-makers."""
    n = 4 * len(HOSTILE)
    ids = [f"{HOSTILE[place % len(HOSTILE)]} {place}" if place >= len(HOSTILE) else HOSTILE[place] for place in range(n)]
    scores = skewed(3, n, len(HOSTILE))
    scores[:, 1] += 0.3
    systems = {name: dict(zip(ids, scores[:, place].tolist(), strict=True)) for place, name in enumerate(HOSTILE)}
    segments = {f"{HOSTILE[0]} of {HOSTILE[4]}": {user: HOSTILE[place % 3 * 2] for place, user in enumerate(ids)}}
    return asp.compare(results(systems), segments=segments, flips=499, ignore=["few_carry"])


COMPARISON = hostile()
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_text_is_one_line_per_row_and_commands_no_terminal() -> None:
    text = COMPARISON.to_text()
    assert not CONTROLS.search(text)
    assert sum(line.startswith(METRIC) for line in text.splitlines()) >= len(COMPARISON.differences)
    assert r"\x1b[31mred" in text


def test_markdown_has_as_many_cells_in_every_row_and_no_markup() -> None:
    text = COMPARISON.to_markdown()
    assert not CONTROLS.search(text)
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    cells = {len(re.split(r"(?<!\\)\|", line)) for line in tables}
    assert len(cells) == 2  # differences and segments
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\*\*c", text)
    assert not re.search(r"(?<!\\)\[d\]", text)


def test_latex_has_as_many_cells_in_every_row_and_no_command_of_a_name() -> None:
    latex = COMPARISON.to_latex()
    assert r"\input{" not in latex
    assert_closed(latex)
    rows = latex_rows(latex)
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == len(HOSTILE) + 1 or len(rows) == len(HOSTILE) + 2
    assert not CONTROLS.search(latex)


def test_csv_holds_no_formula_and_every_name() -> None:
    rows = list(csv.DictReader(io.StringIO(COMPARISON.to_csv(), newline="")))
    assert len(rows) == len(COMPARISON.differences)
    assert [row["system"].removeprefix("'") for row in rows] == [one.system for one in COMPARISON.differences]
    for row in rows:
        for name, cell in row.items():
            assert not cell.startswith(("=", "@", "+", "\t", "\r")), name
            assert not cell.startswith("-") or math.isfinite(float(cell)), name
    assert {row["largest_gain_user"] for row in rows}


def test_json_is_all_of_it() -> None:
    content = json.loads(COMPARISON.to_json(), parse_constant=pytest.fail)
    assert content["systems"] == list(HOSTILE)
    assert [one["system"] for one in content["differences"]] == [one.system for one in COMPARISON.differences]
    first, mine = content["differences"][0], COMPARISON.differences[0]
    assert first["difference"] == mine.difference
    assert first["p_t"] == float(f"{mine.p_t:.10g}")
    assert content["procedure"]["seed"] == 0 and content["procedure"]["comparisons"] == len(HOSTILE) - 1
    assert {one["segment"] for one in content["segments"]} <= {HOSTILE[0], HOSTILE[2], HOSTILE[4]}


class Tags(HTMLParser):
    """Tags that are opened, and the text in between."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_runs_no_script() -> None:
    page = COMPARISON._repr_html_()
    tags = Tags()
    tags.feed(page)
    assert set(tags.tags) <= {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "bdi", "span"}
    assert set(tags.attributes) <= {"class", "scope", "title"}
    assert "<script>alert(1)</script>" in tags.text
    assert not CONTROLS.search(page)


def test_frames() -> None:
    frame = COMPARISON.to_polars()
    assert frame.height == len(COMPARISON.differences)
    assert frame["system"].to_list() == [one.system for one in COMPARISON.differences]
    assert frame["p_adjusted"].to_list() == [one.p_adjusted for one in COMPARISON.differences]
    assert frame["interval_low"].to_list() == [one.interval[0] if one.interval else None for one in COMPARISON.differences]
    pandas = COMPARISON.to_pandas()
    assert pandas["system"].tolist() == frame["system"].to_list()
    assert pandas["n"].tolist() == frame["n"].to_list()
    untested = asp.compare(pair([0.1] * 3, [0.2] * 3)).to_polars()
    assert untested["p"].to_list() == [None]
    assert untested.select("wins", "losses").row(0) == (3, 0)


@pytest.mark.parametrize("extension", ["txt", "json", "csv", "md", "tex"])
def test_files_of_every_format(extension: str, tmp_path: Path) -> None:
    COMPARISON.write(tmp_path / f"comparison.{extension}")
    written = (tmp_path / f"comparison.{extension}").read_bytes().decode()
    texts: dict[str, Callable[[], str]] = {
        "txt": COMPARISON.to_text, "json": COMPARISON.to_json, "csv": COMPARISON.to_csv, "md": COMPARISON.to_markdown, "tex": COMPARISON.to_latex,
    }  # fmt: skip
    assert written == texts[extension]().removesuffix("\n") + "\n"
    with pytest.raises(asp.OutputError, match="format is 'relison'"):
        COMPARISON.written("relison")


def test_what_a_table_says() -> None:
    scores = SCORES.copy()
    scores[:, 2] = np.clip(scores[:, 2] + 0.3, 0, None)
    comparison = asp.compare(results({name: by_user(scores[:, place]) for place, name in enumerate("ABC")}))
    text = comparison.to_text()
    head, _, first, second, *_ = text.splitlines()
    assert re.split(r"\s{2,}", head)[:5] == ["Metric", "System", "Mean", "Difference", "95 % interval"]
    assert "≈" in first and "±" in first  # what would have been found
    assert "▲" in second and "±" not in second and "< 0.001" in second
    assert "NDCG@10: best is C" in text
    assert (
        "Against A: two-sided sign-flip randomisation test (exact where at most 30 users differ, else 9,999 flips, seed 0); "
        "step-down max-T over 2 comparisons, for the best over all 3; significant at adjusted p ≤ 0.05; 95 % t intervals." in text
    )
    assert "Against" in asp.compare(three(), pairs="all").to_text()
    wilcoxon = asp.compare(three(), test="wilcoxon", correction="holm").tested_by
    assert "of symmetry around 0, not of means; ties are dropped" in wilcoxon
    latex = comparison.to_latex()
    assert r"\textbf" in latex and "Bold: significantly better than every other system." in latex


def test_small_bootstraps_are_said_to_be_short() -> None:
    found = asp.compare(three(), interval="percentile", resamples=199)[METRIC, "B"]
    assert "bootstrap intervals are too short for so few users" in found.notes
    large = np.tile(SCORES, (2, 1))
    found = asp.compare(pair(large[:, 0], large[:, 1]), interval="percentile", resamples=199)[METRIC, "B"]
    assert found.n == 120 and not any("too short" in note for note in found.notes)


def test_lower_is_better() -> None:
    comparison = asp.compare(three(metrics={METRIC: Effort(k=10)}))
    one = comparison[METRIC, "B"]
    d = SCORES[:, 1] - SCORES[:, 0]
    assert (one.wins, one.losses) == ((d < -1e-9).sum(), (d > 1e-9).sum())
    assert one.difference == pytest.approx(d.mean())  # never negated
    assert one.largest_gain is not None and one.largest_gain[1] == pytest.approx(d.min())


def test_what_has_no_natural_zero_has_no_relative_difference() -> None:
    history = {n: ["a", "b"] for n in range(6)} | {9: ["c"]}
    lists = {"A": {n: ["a"] for n in range(6)}, "B": {n: [["a", "c"][n % 2]] for n in range(6)}}
    results = asp.evaluate_systems(lists, ["PopularityLift@1", "ARP@1"], history=history)
    compared = asp.compare(results)
    assert compared["PopularityLift@1", "B"].relative is None
    assert compared["AveragePopularity@1", "B"].relative is not None
