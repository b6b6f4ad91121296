"""Charts in notebooks and files."""

from __future__ import annotations

import builtins
import struct
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aspectrum.errors import MissingLibrary, OutputError
from aspectrum.report.charts.saving import Chart, charts
from tests.report.chart_data import HOSTILE, report
from tests.report.drawings import parsed


@pytest.fixture(scope="module")
def some() -> list[Chart]:
    return charts(report(n_metrics=2))


def test_names_of_files_differ_and_are_plain(some: list[Chart]) -> None:
    names = [chart.name for chart in some]
    assert names[:4] == ["trade-off-ild-10", "trade-off-epd-10", "differences-ndcg-10", "differences-ild-10"]
    assert names[-2:] == ["exposure-items", "exposure-aspects"]
    assert len(set(names)) == len(names) and all(name.replace("-", "").isalnum() and name.isascii() for name in names)


def test_metrics_that_are_spelt_alike_get_files_of_their_own() -> None:
    made = report(n_metrics=0)
    both = {**made.differences, "NDCG 10": made.differences["NDCG@10"], "ndcg-10": made.differences["NDCG@10"]}
    names = [chart.name for chart in charts(replace(made, differences=both)) if "ndcg" in chart.name]
    assert names == ["differences-ndcg-10", "differences-ndcg-10-2", "differences-ndcg-10-3", "distribution-ndcg-10", "segments-ndcg-10"]


def test_svg(some: list[Chart], tmp_path: Path) -> None:
    for chart in some:
        chart.save(tmp_path / "chart.svg", theme="dark")
        text = (tmp_path / "chart.svg").read_text()
        assert text == chart.to_svg("dark") != chart.to_svg()
        parsed(text)


def test_notebooks(some: list[Chart]) -> None:
    assert some[0]._repr_svg_() == some[0].to_svg()
    assert some[0].to_svg() in some[0]._repr_html_()
    assert repr(some[0]) == "Chart(name='trade-off-ild-10', width=1036)"


@pytest.mark.parametrize("names", [None, HOSTILE])
def test_png(names: tuple[str, ...] | None, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    chart = charts(report(names, focus=names[1:4], n_metrics=1) if names else report(n_metrics=1))[0]
    chart.save(tmp_path / "chart.png", scale=2)
    content = (tmp_path / "chart.png").read_bytes()
    size = parsed(chart.to_svg()).attrib
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (round(2 * float(size["width"])), round(2 * float(size["height"])))


@pytest.mark.parametrize("names", [None, HOSTILE])
def test_pdf(names: tuple[str, ...] | None, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    for chart in charts(report(names, focus=names[1:4], n_metrics=1) if names else report(n_metrics=1)):
        chart.save(tmp_path / "chart.pdf")
        content = (tmp_path / "chart.pdf").read_bytes()
        assert content.startswith(b"%PDF") and b"/Page" in content and len(content) > 5000


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1e6])
def test_scales_that_make_no_picture(some: list[Chart], tmp_path: Path, scale: float) -> None:
    with pytest.raises(OutputError, match="scale"):
        some[0].save(tmp_path / "chart.png", scale=scale)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["chart", "chart.jpg", "chart.svg.gz"])
def test_other_formats_are_refused(some: list[Chart], tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match=r"\.svg, \.png, \.pdf"):
        some[0].save(tmp_path / name)


@pytest.mark.parametrize(("extension", "library"), [("png", "resvg_py"), ("pdf", "typst")])
def test_a_missing_library_names_the_extra(
    some: list[Chart], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str, library: str
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **others: Any) -> Any:
        if name == library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **others)

    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingLibrary, match=r"aspectrum\[plots\]"):
        some[0].save(tmp_path / f"chart.{extension}")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(some: list[Chart], tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        some[0].save(tmp_path / "nowhere" / "chart.svg")
