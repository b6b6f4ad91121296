"""Reports and charts to files."""

from __future__ import annotations

import os
from typing import Any

from aspectrum.comparison.comparison import Comparison, compared, named_results
from aspectrum.comparison.differences import Procedure
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import OutputError
from aspectrum.output_files import write_text
from aspectrum.report.building import Origin, report_of
from aspectrum.report.charts.saving import FORMATS, charts
from aspectrum.report.page import fitted
from aspectrum.results import SystemResults


def write_report(of: Any, path: str | os.PathLike[str], origin: Origin | None = None) -> None:
    """Write results or a comparison as one self-contained page, whole or not at all.

    Args:
        of: A :class:`Comparison`, or results, whose first system is then the baseline.
        path: The file, as ``report.html``.
        origin: What the page says of where it comes from.
    """
    if os.path.splitext(os.fspath(path))[1].lower() not in (".html", ".htm"):
        raise OutputError(f"{os.fspath(path)}: a report is an HTML page, expected a name that ends in .html")
    text, left_out = fitted(report_of(as_comparison(of), origin))
    if left_out:
        Attention().draw([Notice("large_report", detail={"left_out": ", ".join(left_out)})])
    write_text(path, text)


def write_charts(of: Any, folder: str | os.PathLike[str], extension: str = ".svg", origin: Origin | None = None) -> list[str]:
    """Write every chart of a report into a folder, which is made if it is not there; returns the paths.

    Args:
        of: As for :func:`write_report`.
        folder: Where they go.
        extension: ``.svg``, ``.png`` or ``.pdf``; the latter two need the extra ``plots``.
    """
    if extension not in FORMATS:
        raise OutputError(f"charts are saved as {', '.join(FORMATS)}, not {extension!r}")
    os.makedirs(folder, exist_ok=True)
    paths = []
    for chart in charts(report_of(as_comparison(of), origin)):
        paths.append(os.path.join(os.fspath(folder), chart.name + extension))
        chart.save(paths[-1])
    return paths


def as_comparison(of: Any) -> Comparison:
    """A comparison as it is; of results, that with the first system."""
    if isinstance(of, Comparison):
        return of
    systems = named_results(of)
    return compared(systems, next(iter(systems), None), Procedure(), about=of if isinstance(of, SystemResults) else None)
