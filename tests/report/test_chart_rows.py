"""Forest, histograms, segments, exposure: values where they belong."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from xml.etree.ElementTree import Element

import pytest

from aspectrum.report.charts import aspects, cutoffs, differences, distribution, lorenz, segments
from aspectrum.report.content import AspectShare, Curves, Difference, Distribution, Distributions, Lorenz, Segment, Segmentation
from tests.report.chart_data import EPD, ILD, NDCG, report, same
from tests.report.drawings import of_system, parsed, place, tag, texts, with_class


def order(root: Element) -> list[str]:
    """Names of the rows from top to bottom."""
    return [next(text.content for text in texts(row) if text.classes == "nm") for row in with_class(root, "row")]


def numbers(d: str) -> list[float]:
    return [float(value) for value in re.findall(r"-?\d+\.?\d*", d)]


class TestDifferences:
    def test_best_first_whichever_direction(self) -> None:
        made = report(n_metrics=0)
        assert order(parsed(differences.draw(made, ILD)))[0] == "EASE + MMR"
        assert order(parsed(differences.draw(made, ILD)))[-1] == "Popularity"
        assert order(parsed(differences.draw(made, EPD)))[0] == "SASRec + DPP"  # lower is better

    def test_places(self) -> None:
        made = report(n_metrics=0)
        root = parsed(differences.draw(made, ILD))
        (zero,) = with_class(root, "zero")
        origin = numbers(zero.attrib["d"])[0]
        dots = {name: float(with_class(row, "dt")[0].attrib["cx"]) for name, row in zip(order(root), with_class(root, "row"), strict=True)}
        unit = (dots["EASE + MMR"] - origin) / made.differences[ILD]["EASE + MMR"].difference
        for name, one in made.differences[ILD].items():
            assert dots[name] == pytest.approx(origin + unit * one.difference, abs=0.05)
        row = with_class(root, "row")[0]
        low, _, high = numbers(with_class(row, "iv")[0].attrib["d"])
        assert (high - low) / unit == pytest.approx(0.006, abs=1e-4)

    def test_colours_follow_better_and_worse_and_shape_follows_significance(self) -> None:
        made = report(n_metrics=0)
        kinds = {
            name: (row.attrib["class"].split()[-1], bool(with_class(row, "hollow")))
            for root in (parsed(differences.draw(made, EPD)),)
            for name, row in zip(order(root), with_class(root, "row"), strict=True)
        }
        assert kinds["SASRec + DPP"] == ("up", False)  # lower, which is better
        assert kinds["Popularity"] == ("dn", False)
        root = parsed(differences.draw(made, NDCG))
        kinds = {
            name: (row.attrib["class"].split()[-1], bool(with_class(row, "hollow")))
            for name, row in zip(order(root), with_class(root, "row"), strict=True)
        }
        assert kinds["SASRec + DPP"] == ("ns", True)

    def test_shares_of_users(self) -> None:
        made = report(["A", "B"], focus=("B",), n_metrics=0)
        one = Difference(0.1, wins=60, ties=30, losses=10, n=100, mark="higher")
        root = parsed(differences.draw(replace(made, differences={NDCG: {"B": one}}), NDCG))
        widths = [float(with_class(root, name)[0].attrib["width"]) for name in ("w", "ti", "l")]
        assert widths == pytest.approx([0.6 * 160 - 1, 0.3 * 160 - 1, 0.1 * 160 - 1])
        assert "better for 60 %, tied 30 %, worse 10 % of 100 users" in with_class(root, "row")[0].attrib["data-tip"]

    def test_identical_and_undefined(self) -> None:
        made = same(report(["A", "B"], focus=("B",), n_metrics=0))
        assert any(text.content == "identical for all users" for text in texts(parsed(differences.draw(made, NDCG))))
        made = replace(made, differences={NDCG: {"B": Difference(math.nan)}})
        root = parsed(differences.draw(made, NDCG))
        assert any(text.content == "undefined" for text in texts(root)) and not with_class(root, "dt")
        assert root.attrib["aria-label"].endswith("undefined.")

    def test_label(self) -> None:
        label = differences.label(report(n_metrics=0), ILD)
        assert label == (
            "Difference to EASE in ILD@10: highest EASE + MMR +0.095, lowest Popularity −0.065. "
            "6 significantly better and 3 significantly worse of 9."
        )

    def test_nothing_is_called_insignificant_that_was_not_tested(self) -> None:
        made = report(["A", "B"], focus=("B",), users=2, intervals=False, n_metrics=0)
        assert differences.label(made, ILD).endswith("1 not tested of 1.")
        svg = differences.draw(made, ILD, 1036, "light")
        assert "Not tested." in svg and "significant" not in svg and "95 %" not in svg

    def test_rows(self) -> None:
        head, rows = differences.rows(report(n_metrics=0), ILD)
        assert dict(zip(head, rows[0], strict=True)) | {"better": "", "tied": "", "worse": ""} == {
            "System": "EASE + MMR", "Δ mean": "+0.0950", "95 % interval": "[+0.0920, +0.0980]", "relative": "+16.2 %", "adjusted p": "< 0.001",
            "better": "", "tied": "", "worse": "", "users": "24,318", "note": "",
        }  # fmt: skip


class TestCutoffs:
    CURVES = Curves(
        NDCG, "nDCG", "Relevance", (1, 2, 3), {"A": (0.1, 0.2, 0.3), "B": (math.nan, 0.4, 0.25)}, {"A": ((0.05, 0.15), None, (0.2, 0.4))}
    )

    def made(self) -> Element:
        return parsed(cutoffs.draw(report(["A", "B"], focus=("B",), n_metrics=0), self.CURVES))

    def test_curves_start_where_they_are_defined(self) -> None:
        root = self.made()
        data = json.loads(root.attrib["data-curve"])
        assert data["values"] == [[0.1, 0.2, 0.3], [None, 0.4, 0.25]] and data["cutoffs"] == [1, 2, 3]
        (line,) = with_class(of_system(root, 1)[0], "ln")
        assert numbers(line.attrib["d"])[0] == data["x"][1]
        (line,) = with_class(of_system(root, 0)[0], "ln")
        assert numbers(line.attrib["d"])[0] == data["x"][0]
        assert "base" in line.attrib["class"]

    def test_lines_can_be_hit(self) -> None:
        for index in (0, 1):
            (group,) = of_system(self.made(), index)
            assert with_class(group, "hitl")[0].attrib["d"] == with_class(group, "ln")[0].attrib["d"]

    def test_the_label_says_whether_the_order_changes(self) -> None:
        assert (
            self.made().attrib["aria-label"]
            == "nDCG at cutoffs 1 to 3. Highest at 3: A 0.300. The first place changes from A to B from 2 and A from 3."
        )

    def test_an_undefined_metric(self) -> None:
        curves = replace(self.CURVES, values={"A": (math.nan,) * 3, "B": (math.nan,) * 3}, bands={})
        root = parsed(cutoffs.draw(report(["A", "B"], focus=("B",), n_metrics=0), curves))
        assert any(text.content == "undefined for all systems" for text in texts(root))

    def test_gaps_that_grow_are_drawn_on_a_logarithmic_scale(self) -> None:
        values = {"A": (0.1, 0.2, 0.3, 0.35, 0.4)}
        curves = Curves(NDCG, "nDCG", "", (1, 10, 100, 1000, 10000), values)
        root = parsed(cutoffs.draw(report(["A"], focus=(), n_metrics=0), curves))
        x = json.loads(root.attrib["data-curve"])["x"]
        assert [b - a for a, b in itertools.pairwise(x)] == pytest.approx([x[1] - x[0]] * 4, abs=0.02)
        assert any(text.content == "log" for text in texts(root))

    def test_files_draw_bands_of_coloured_systems_only(self) -> None:
        made = report(n_metrics=1)
        assert cutoffs.draw(made, made.curves[0], 244, "light").count('opacity="0.16"') == 5
        assert len(with_class(parsed(cutoffs.draw(made, made.curves[0], 244, "page")), "bd")) == 10


def test_histograms() -> None:
    counts = (0,) * 10 + (30,) + (5,) * 4 + (0,) * 25
    data = Distributions(NDCG, 0.0, 1.0, {"A": Distribution(counts, (0.26, 0.27, 0.3), 0.3, 0.0)})
    root = parsed(distribution.draw(report(["A"], focus=(), n_metrics=0), data))
    grid = [numbers(path.attrib["d"])[0] for path in with_class(root, "g")]
    low, high = grid[0], grid[-1]
    assert numbers(with_class(root, "md")[0].attrib["d"])[0] == pytest.approx(low + 0.27 * (high - low), abs=0.02)
    first, _, third = numbers(with_class(root, "iq")[0].attrib["d"])
    assert (first, third) == pytest.approx((low + 0.26 * (high - low), low + 0.3 * (high - low)), abs=0.02)
    assert with_class(root, "clip")  # the tallest bar is cut, and the drawing says so
    assert "Bars with a cut" in distribution.draw(report(["A"], focus=(), n_metrics=0), data, 1036, "light")


def test_segments_with_few_users_are_grey_and_have_no_interval() -> None:
    means, intervals = {"A": 0.1, "B": 0.2}, {"A": (0.05, 0.15), "B": (0.15, 0.25)}
    data = (Segmentation("Age", NDCG, (Segment("young", 100, means, intervals), Segment("old", 9, means, intervals))),)
    made = report(["A", "B"], focus=("B",), n_metrics=0)
    root = parsed(segments.draw(made, data))
    many, few = of_system(root, 1)
    assert with_class(many, "ci") and not with_class(few, "ci")
    assert "few" in few.attrib["class"] and with_class(few, "open") and not with_class(many, "open")
    assert "too few users" in few.attrib["data-tip"]
    x = [place(with_class(group, "mk")[0])[0] for group in (of_system(root, 0)[0], many)]
    low, _, high = numbers(with_class(many, "ci")[0].attrib["d"])
    assert (high - low) / (x[1] - x[0]) == pytest.approx(1, abs=0.01)
    assert segments.label(made, data) == "nDCG@10 by Age. Best: B in 2 of 2 segments."
    assert segments.rows(made, data)[1][-1] == ("Age", "old", "9", "B", "0.2000", "")


def test_lorenz() -> None:
    even, one = ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0)), ((0.0, 0.0), (0.9, 0.0), (1.0, 1.0))
    data = Lorenz({"A": even, "B": one}, {"A": 0.0, "B": 0.9}, {"A": 0, "B": 90}, 100)
    made = report(["A", "B"], focus=("B",), n_metrics=0)
    root = parsed(lorenz.draw(made, data))
    (diagonal,) = with_class(root, "bl")
    (line,) = with_class(of_system(root, 0)[0], "ln")
    assert line.attrib["d"] == diagonal.attrib["d"]  # two ends suffice for a straight line
    assert root.attrib["aria-label"] == "Lorenz curves of item exposure. Most even: A, Gini 0.000; least even: B, Gini 0.900."
    assert "90 of 100 items are never shown" in of_system(root, 1)[0].attrib["data-tip"]
    assert lorenz.rows(made, data)[1] == [
        ("A", "0.0000", "100.0 %", "0", "1.0 %", "10.0 %"),
        ("B", "0.9000", "10.0 %", "90", "10.0 %", "100.0 %"),
    ]


def test_aspects() -> None:
    data = [AspectShare(f"a{at}", 0.04 - 0.001 * at, 0.03, {"A": 0.05, "B": 0.02}) for at in range(25)]
    made = report(["A", "B"], focus=("B",), n_metrics=0)
    root = parsed(aspects.draw(made, data))
    rows = with_class(root, "row")
    assert len(rows) == 21
    other = rows[-1]
    bars = [float(with_class(row, "cat")[0].attrib["width"]) for row in (rows[0], other)]
    assert bars[1] / bars[0] == pytest.approx(sum(0.04 - 0.001 * at for at in range(20, 25)) / 0.04, abs=0.01)
    start = float(with_class(rows[0], "cat")[0].attrib["x"])
    (mark,) = with_class(of_system(rows[0], 0)[0], "mk")
    assert (place(mark)[0] - start) / bars[0] == pytest.approx(0.05 / 0.04, abs=0.01)
    tick = numbers(with_class(rows[0], "hist")[0].attrib["d"])[0]
    assert (tick - start) / bars[0] == pytest.approx(0.03 / 0.04, abs=0.01)
    assert "A 25.0 %" in with_class(other, "hit")[0].attrib["data-tip"]
    assert tag(with_class(other, "hit")[0]) == "rect"


def test_aspects_without_histories_have_no_ticks() -> None:
    data = [AspectShare("a", 0.5, None, {"A": 0.5})]
    root = parsed(aspects.draw(report(["A"], focus=(), n_metrics=0), data))
    assert not with_class(root, "hist")
    assert "Tick" not in aspects.draw(report(["A"], focus=(), n_metrics=0), data, 530, "light")
