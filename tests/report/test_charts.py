"""Laws of every chart."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aspectrum.report.charts import aspects, cutoffs, differences, distribution, lorenz, segments, trade_off
from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.theme import MARKS, PALETTES, ThemeName, focus_style, key, stylesheet
from aspectrum.report.content import Report
from tests.report.chart_data import EPD, FOCUS, HOSTILE, ILD, NAMES, NDCG, report, same
from tests.report.drawings import drawings, of_system, parsed, tag, texts, with_class

THEMES: tuple[ThemeName, ...] = ("page", "light", "dark")
THIRTY = [f"System number {number}" for number in range(30)]
REPORTS: dict[str, Callable[[], Report]] = {
    "ordinary": lambda: report(n_metrics=2),
    "one system": lambda: report(["Only"], focus=(), n_metrics=1),
    "identical systems": lambda: same(report(["A", "B", "C"], focus=("B",), n_metrics=1)),
    "all undefined": lambda: report(["A", "B", "C"], focus=("B",), scores={name: [math.nan] * 3 for name in (NDCG, ILD, EPD)}, n_metrics=1),
    "no baseline": lambda: report(baseline=None, n_metrics=1),
    "one cutoff": lambda: report(cutoffs=(10,), n_metrics=1),
    "cutoffs far apart": lambda: report(cutoffs=(1, 5, 10, 50, 100, 1000), n_metrics=1),
    "whole lists": lambda: report(cutoffs=(5, 10, -1), n_metrics=1),
    "thirty systems": lambda: report(THIRTY, focus=THIRTY[3:8], n_metrics=1, n_aspects=30),
    "two users": lambda: report(["A", "B"], focus=("B",), users=2, intervals=False, n_metrics=1),
    "hostile names": lambda: report(HOSTILE, focus=HOSTILE[1:6], n_metrics=1),
    "percentages": lambda: replace(report(n_metrics=1), percent=True, digits=4),
    "nothing in colour": lambda: report(focus=(), n_metrics=1),
    "far values": lambda: report(["A", "B", "C"], scores={name: [1e9, -3e-9, 0.0] for name in (NDCG, ILD, EPD)}, focus=("B",), n_metrics=1),
}


@pytest.fixture(params=REPORTS, scope="module")
def odd(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]()


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", THEMES)
def test_drawings_are_well_formed_and_stay_in_their_frame(odd: Report, theme: ThemeName, narrow: bool) -> None:
    for name, (draw, width) in drawings(odd, narrow).items():
        svg = draw(width, theme)
        root = parsed(svg)
        assert "nan" not in re.sub(r'(aria-label|data-tip|data-curve)="[^"]*"|>[^<]*<', "", svg).lower(), name
        box = [float(part) for part in root.attrib["viewBox"].split()]
        for text in texts(root):
            assert text.size >= 11, (name, text)
            assert text.left >= -2 and text.right <= box[2] + 2, (name, text)
            assert text.top >= -2 and text.bottom <= box[3] + 2, (name, text)


def test_drawings_are_the_same_each_time(odd: Report) -> None:
    first, second = drawings(odd), drawings(odd)
    for name, (draw, width) in first.items():
        assert draw(width, "page") == second[name][0](width, "page")


def test_rows_are_complete(odd: Report) -> None:
    tables = [differences.rows(odd, name) for name in odd.differences]
    tables += [trade_off.rows(odd, front) for front in (odd.trade_off.fronts if odd.trade_off is not None else ())]
    tables += [cutoffs.rows(odd, curves) for curves in odd.curves] + [distribution.rows(odd, one) for one in odd.distributions]
    tables += [segments.rows(odd, odd.segmentations), aspects.rows(odd, odd.aspects)]
    assert odd.lorenz is not None
    tables.append(lorenz.rows(odd, odd.lorenz))
    for head, rows in tables:
        assert all(len(row) == len(head) for row in rows)
    for table in [differences.rows(odd, name) for name in odd.differences]:
        assert len(table[1]) == len(odd.systems) - 1
    assert len(aspects.rows(odd, odd.aspects)[1]) == len(odd.aspects)
    assert len(segments.rows(odd, odd.segmentations)[1]) == 8 * len(odd.systems)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", THEMES)
def test_hostile_names_are_only_ever_text(theme: ThemeName, narrow: bool) -> None:
    for draw, width in drawings(report(HOSTILE, focus=HOSTILE[1:6], n_metrics=1), narrow).values():
        svg = draw(width, theme)
        assert "<script" not in svg and "<img" not in svg and "x" * 501 not in svg
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", svg)
        for element in parsed(svg).iter():
            assert tag(element) in ("svg", "g", "path", "rect", "circle", "text", "title")
            assert not any(name.startswith("on") for name in element.attrib)


def test_hostile_aspects_segments_and_metrics_are_text_too() -> None:
    base = report(n_metrics=1)
    bad = "<script>\x1b\"'&"
    segmentation = base.segmentations[0]
    hostile = replace(
        base,
        measures=tuple(replace(measure, name=bad + measure.name, family=bad) for measure in base.measures),
        aspects=tuple(replace(one, aspect=bad + one.aspect) for one in base.aspects),
        curves=tuple(replace(one, name=bad, family=bad) for one in base.curves),
        segmentations=(
            replace(
                segmentation,
                attribute=bad,
                verdict=bad,
                note=bad,
                segments=tuple(replace(one, name=bad + one.name) for one in segmentation.segments),
            ),
        ),
        differences={name: {system: replace(one, note=bad) for system, one in column.items()} for name, column in base.differences.items()},
    )
    for theme in THEMES:
        for draw, width in drawings(hostile).values():
            svg = draw(width, theme)
            parsed(svg)
            assert "<script" not in svg and "\x1b" not in svg


def test_marks_speak() -> None:
    """What shows a value can be reached by keys, read aloud, and hovered over."""
    for name, (draw, width) in drawings(report(n_metrics=1)).items():
        root = parsed(draw(width, "page"))
        tips = [element for element in root.iter() if "data-tip" in element.attrib]
        for element in tips:
            assert element.get("role") == "img" and element.get("aria-label") and element.get("tabindex") in ("0", "-1"), name
        assert root.get("role") == ("group" if tips else "img"), name  # an image has no parts that keys reach
        assert len(root.get("aria-label", "")) > 20, name
        if tips:
            assert any(element.get("tabindex") == "0" for element in tips), name
        if any(element.get("tabindex") == "-1" for element in tips):  # then the row says everything
            rows = [element for element in tips if element.get("tabindex") == "0"]
            assert all(any(system in row.get("data-tip", "") for row in rows) for system in NAMES), name


def test_systems_can_be_found_and_painted() -> None:
    for name, (draw, width) in drawings(report(n_metrics=1)).items():
        root = parsed(draw(width, "page"))
        for index, system in enumerate(NAMES):
            groups = of_system(root, index)
            if name.startswith("differences") and system == "EASE":
                assert not groups
                continue
            assert groups, (name, system)
            assert all({"s", f"s{index}"} <= set(group.get("class", "").split()) for group in groups)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_files_stand_alone(theme: ThemeName) -> None:
    for name, (draw, width) in drawings(report(n_metrics=2)).items():
        svg = draw(width, theme)
        assert "var(" not in svg and "class=" not in svg and "transparent" not in svg and "tabindex" not in svg
        assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
        assert not set(re.findall(r">([^<]*)<", svg)) & set("→↑◂▲▼"), name
        colours = set(re.findall(r"#[0-9a-f]{6}", svg))
        assert colours <= set(PALETTES[theme].values())
        assert PALETTES[theme]["card"] in colours
        assert any("b" in text.classes or text.size == 16 for text in texts(parsed(svg)))  # a title


def test_legends_name_the_systems_in_colour() -> None:
    shown = drawings(report(n_metrics=2))
    for name in ("cutoffs", "segments", "lorenz", "aspects"):
        draw, width = shown[name]
        written = [text.content for text in texts(parsed(draw(width, "light")))]
        assert {"EASE", *FOCUS, "grey: other systems"} <= set(written)
        page = [text.content for text in texts(parsed(draw(width, "page")))]
        assert "grey: other systems" not in page


def test_classes_have_a_style() -> None:
    """Every class that paints is in the style sheet."""
    styled = set(re.findall(r"\.([a-z0-9]+)", stylesheet())) | set(re.findall(r"\.(s\d+)", focus_style(Systems.of(report()))))
    for draw, width in drawings(report(n_metrics=1)).values():
        for element in parsed(draw(width, "page")).iter():
            assert set(element.get("class", "").split()) - {"ch", "fit", "curve", "t", "s", "pt", "row", "fr", "end"} <= styled


def test_rows_are_painted_by_significance() -> None:
    made = report(n_metrics=0)
    kinds = {"up": "up", "dn": "dn", "ns": "mute"}
    root = parsed(differences.draw(made, NDCG))
    assert {row.attrib["class"].split()[-1] for row in with_class(root, "row")} == set(kinds)
    assert all(f".row.{kind}{{--sg:var(--{colour})}}" in stylesheet() for kind, colour in kinds.items())
    dots = [element.attrib for element in parsed(differences.draw(made, NDCG, 1036, "light")).iter() if tag(element) == "circle"]
    palette = PALETTES["light"]
    assert [dot["fill"] for dot in dots].count(palette["up"]) == 1  # SASRec
    assert {dot["stroke"] for dot in dots if dot["fill"] == palette["card"]} == {palette["mute"]}


def test_focus_style_has_a_rule_for_every_system() -> None:
    style = focus_style(Systems.of(report()))
    assert ".s0{--c:var(--k0)" in style and ".s6{--c:var(--k1)" in style and ".s1{--c:var(--mute)" in style
    assert ".s1 .bd" in style and ".s6 .bd" not in style
    assert MARKS[0] in key(Systems.of(report()), "EASE")


def test_every_slot_has_its_own_mark() -> None:
    assert len(set(MARKS.values())) == 7


def test_percentages_are_used_throughout() -> None:
    made = replace(report(n_metrics=1), percent=True)
    shown = drawings(made)
    written = {name: [text.content for text in texts(parsed(draw(width, "page")))] for name, (draw, width) in shown.items()}
    assert {"30", "32"} <= set(written["trade-off ILD@10"]) and "Popularity off the scale, 17.3" in written["trade-off ILD@10"]
    assert "+9.5" in written["differences ILD@10"] and "+10" in written["differences ILD@10"]
    assert trade_off.rows(made, made.trade_off.fronts[0])[1][0][1] == "32.12" if made.trade_off is not None else False


NAMES_AT_RANDOM = st.lists(st.text(st.characters(), max_size=40), min_size=1, max_size=12, unique=True)
VALUES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, math.nan]), st.floats(-1e6, 1e6))


@settings(max_examples=60, deadline=None)
@given(NAMES_AT_RANDOM, st.data(), st.booleans())
def test_labels_of_the_scatter_stay_inside_and_apart(names: list[str], data: st.DataObject, narrow: bool) -> None:
    columns = {name: data.draw(st.lists(VALUES, min_size=len(names), max_size=len(names))) for name in (NDCG, ILD, EPD)}
    made = report(names, scores=columns, focus=names[1:4], n_metrics=0, n_aspects=1)
    assert made.trade_off is not None
    width = 358 if narrow else 1036
    for front in made.trade_off.fronts:
        root = parsed(trade_off.draw(made, front, width))
        found = list(texts(root))
        for text in found:
            assert text.left >= -2 and text.right <= width + 2, text
        labels = [text for text in found if text.classes == "lb"]
        for at, label in enumerate(labels):
            assert not any(label.meets(other) for other in labels[at + 1 :]), (label, labels)


@settings(max_examples=40, deadline=None)
@given(NAMES_AT_RANDOM, st.data())
def test_any_names_and_values_can_be_drawn(names: list[str], data: st.DataObject) -> None:
    columns = {name: data.draw(st.lists(VALUES, min_size=len(names), max_size=len(names))) for name in (NDCG, ILD, EPD)}
    made = report(names, scores=columns, focus=names[1:4], n_metrics=1, n_aspects=3, cutoffs=(1, 5, 10))
    for draw, width in drawings(made, narrow=True).values():
        for theme in ("page", "dark"):
            root = parsed(draw(width, theme))
            limit = float(root.attrib["viewBox"].split()[2])
            for text in texts(root):
                assert text.left >= -2 and text.right <= limit + 2, text


@pytest.mark.parametrize(("name", "rest"), [("differences NDCG@10", 17), ("distribution NDCG@10", 18)])
def test_rows_of_charts_are_limited_and_say_so(name: str, rest: int) -> None:
    made = report(THIRTY, focus=THIRTY[3:8], n_metrics=0)
    draw, width = drawings(made)[name]
    root = parsed(draw(width, "page"))
    assert len(with_class(root, "row")) == 12
    assert any(text.content == f"and {rest} more in the data table" for text in texts(root))
    for system in THIRTY[3:8]:
        assert of_system(root, THIRTY.index(system))
