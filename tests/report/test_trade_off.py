"""The scatter: places, the staircase, who is named where."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aspectrum.report.charts import trade_off
from aspectrum.report.content import Front, Report
from tests.report.chart_data import EPD, ILD, NAMES, NDCG, pareto, report, same
from tests.report.drawings import of_system, parsed, place, texts, with_class


def front(of: Report, at: int = 0) -> Front:
    assert of.trade_off is not None
    return of.trade_off.fronts[at]


def drawn(of: Report, at: int = 0, width: float = 1036) -> Element:
    return parsed(trade_off.draw(of, front(of, at), width))


def marks(root: Element, of: Report) -> dict[str, tuple[float, float]]:
    found = {}
    for index, name in enumerate(of.systems):
        for group in of_system(root, index):
            for mark in with_class(group, "mk"):
                found[name] = place(mark)
    return found


def corners(root: Element) -> list[tuple[float, float]]:
    """Where the staircase turns."""
    (path,) = with_class(root, "front")
    x, y = map(float, re.match(r"M(\S+) ([\d.]+)", path.attrib["d"]).groups())  # type: ignore[union-attr]
    found = [(x, y)]
    for direction, value in re.findall(r"([HV])(-?[\d.]+)", path.attrib["d"]):
        x, y = (float(value), y) if direction == "H" else (x, float(value))
        found.append((x, y))
    return found


def test_places_are_linear_in_the_scores() -> None:
    made = report(n_metrics=0)
    found = marks(drawn(made), made)
    names = [name for name in NAMES if name != "Popularity"]
    values = {name: (made.scores[NDCG][name].value, made.scores[ILD][name].value) for name in names}
    (x0, y0), (x1, y1) = found["EASE"], found["BPR-MF"]
    (a0, b0), (a1, b1) = values["EASE"], values["BPR-MF"]
    for name in names:
        assert found[name][0] == pytest.approx(x0 + (values[name][0] - a0) / (a1 - a0) * (x1 - x0), abs=0.05)
        assert found[name][1] == pytest.approx(y0 + (values[name][1] - b0) / (b1 - b0) * (y1 - y0), abs=0.05)
    assert found["SASRec"][0] > found["EASE"][0] and found["EASE + MMR"][1] < found["EASE"][1]


def test_ticks_are_where_their_values_are() -> None:
    made = report(n_metrics=0)
    root = drawn(made)
    labels = {text.content: text for text in texts(root) if text.classes == "t"}
    first, second = labels["0.30"], labels["0.32"]
    x = {name: (label.left + label.right) / 2 for name, label in (("0.30", first), ("0.32", second))}
    expected = x["0.30"] + (made.scores[NDCG]["EASE"].value - 0.30) / 0.02 * (x["0.32"] - x["0.30"])
    assert marks(root, made)["EASE"][0] == pytest.approx(expected, abs=0.1)


def test_better_is_up_where_lower_is_better() -> None:
    made = report(n_metrics=0)
    root = drawn(made, 1)
    found = marks(root, made)
    assert made.scores[EPD]["SASRec + DPP"].value < made.scores[EPD]["EASE"].value
    assert found["SASRec + DPP"][1] < found["EASE"][1]
    assert any("lower is better" in text.content for text in texts(root))
    assert not any("lower is better" in text.content for text in texts(drawn(made, 0)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12), st.sampled_from([0, 1]))
def test_the_staircase_agrees_with_brute_force(values: list[tuple[float, float]], at: int) -> None:
    names = [f"s{number}" for number in range(len(values))]
    columns = {NDCG: [a for a, _ in values], ILD: [b for _, b in values], EPD: [b for _, b in values]}
    made = report(names, scores=columns, focus=(), n_metrics=0, n_aspects=1)
    root = drawn(made, at)
    found, turns = marks(root, made), corners(root)
    sign = -1 if at else 1
    best = pareto({name: (a, sign * b) for name, (a, b) in zip(names, values, strict=True)})
    assert set(front(made, at).front) == set(best)
    for name in best:
        assert any(math.dist(found[name], turn) < 0.02 for turn in turns)
    for x, y in found.values():  # nobody is beyond the line
        assert any(turn[0] >= x - 0.02 and turn[1] <= y + 0.02 for turn in turns)
    assert turns == sorted(turns)


def test_the_staircase_does_not_depend_on_the_order_of_the_front() -> None:
    made = report(n_metrics=0)
    turned = replace(front(made), front=front(made).front[::-1])
    assert corners(parsed(trade_off.draw(made, turned))) == corners(drawn(made))


def test_the_corner_is_what_is_better_than_the_baseline_on_both() -> None:
    made = report(n_metrics=0)
    root = drawn(made)
    (corner,) = with_class(root, "win")
    left, top, width, height = (float(corner.attrib[name]) for name in ("x", "y", "width", "height"))
    base = marks(root, made)["EASE"]
    assert (left, top + height) == pytest.approx(base, abs=0.02)
    inside = [name for name, (x, y) in marks(root, made).items() if left < x < left + width and top < y < top + height]
    assert inside == ["SASRec + DPP"]
    assert "on both: SASRec + DPP" in root.attrib["aria-label"]


def test_a_far_system_is_named_at_the_edge() -> None:
    made = report(n_metrics=0)
    root = drawn(made)
    assert "Popularity" not in marks(root, made)
    label = next(text for text in texts(root) if text.content.startswith("Popularity"))
    assert label.content == "Popularity off the scale, 0.173"
    assert label.left < 100  # its score is too low
    (group,) = of_system(root, NAMES.index("Popularity"))
    assert group.attrib["data-tip"] == "Popularity, off the scale\nnDCG@10 0.1729 [0.1702, 0.1756]\nILD@10 0.5208 [0.5196, 0.5220]"


def test_the_front_and_the_baseline_are_never_off_the_scale() -> None:
    values = [0.001, 0.5, 0.51, 0.52, 0.53, 0.9]
    names = ["base", "a", "b", "c", "d", "best"]
    made = report(names, scores=dict.fromkeys((NDCG, ILD, EPD), values), focus=(), n_metrics=0)
    assert {"base", "best"} <= set(marks(drawn(made), made))


def test_identical_systems_share_a_label() -> None:
    made = same(report(["A", "B", "C"], focus=("B",), n_metrics=0))
    labels = [text.content for text in texts(drawn(made)) if text.classes == "lb"]
    assert labels == ["A (baseline), B, C"]
    assert len(set(marks(drawn(made), made).values())) == 1 and len(marks(drawn(made), made)) == 3


def test_open_systems_are_hollow() -> None:
    made = report(n_metrics=0)
    hollow = with_class(drawn(made), "open")
    assert [place(mark) for mark in hollow] == [marks(drawn(made), made)["EASE + xQuAD"]]


def test_crosses_are_the_intervals() -> None:
    made = report(n_metrics=0)
    root = drawn(made)
    (group,) = of_system(root, 0)
    (cross,) = with_class(group, "ci")
    left, y, right = map(float, re.match(r"M(\S+) (\S+)H([\d.]+)", cross.attrib["d"]).groups())  # type: ignore[union-attr]
    x = marks(root, made)["EASE"][0]
    assert y == pytest.approx(marks(root, made)["EASE"][1])
    assert right - x == pytest.approx(x - left, abs=0.05) and right - left > 10


def test_undefined_systems_are_not_drawn_and_named_in_files() -> None:
    made = report(n_metrics=0)
    scores = {key: dict(column) for key, column in made.scores.items()}
    scores[NDCG]["ALS"] = replace(scores[NDCG]["ALS"], value=math.nan, interval=None)
    made = replace(made, scores=scores)
    assert "ALS" not in marks(drawn(made), made)
    assert "Undefined and not shown: ALS." in trade_off.draw(made, front(made), 1036, "light")
    assert {row[0]: row[1] for row in trade_off.rows(made, front(made))[1]}["ALS"] == "undefined"


def test_metrics_without_a_direction_promise_nothing() -> None:
    made = report(n_metrics=0)
    made = replace(made, measures=tuple(replace(measure, higher_is_better=None) for measure in made.measures))
    root = drawn(made)
    assert not with_class(root, "win") and not with_class(root, "front") and not with_class(root, "arrow")[1:]
    assert not any("better" in text.content for text in texts(root))
