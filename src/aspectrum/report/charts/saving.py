"""Charts as objects: shown in notebooks, saved as SVG, PNG or PDF."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from xml.etree import ElementTree

from aspectrum.errors import OutputError
from aspectrum.extras import needed
from aspectrum.output_files import replacing
from aspectrum.report.charts import aspects, cutoffs, differences, distribution, lorenz, segments, trade_off
from aspectrum.report.charts.svg import WIDE
from aspectrum.report.charts.theme import ThemeName
from aspectrum.report.content import Report, Segmentation

FileTheme = Literal["light", "dark"]
FORMATS = (".svg", ".png", ".pdf")
_LONGEST_NAME = 60
_LARGEST_SIDE = 20_000  # pixels


@dataclass(frozen=True)
class Chart:
    """A chart that shows itself in notebooks and can be saved.

    Attributes:
        name: A file name without extension.
        draw: From a width and a theme to SVG.
        width: In units of the drawing; one is a pixel at scale 1.
    """

    name: str
    draw: Callable[[float, ThemeName], str] = field(repr=False)
    width: float = WIDE

    def to_svg(self, theme: FileTheme = "light") -> str:
        """A file of its own: title, legend and concrete colours are in it."""
        return self.draw(self.width, theme)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return f'<div style="max-width:{self.width + 32:g}px">{self.to_svg()}</div>'

    def save(self, path: str | os.PathLike[str], theme: FileTheme = "light", scale: float = 3) -> None:
        """Write the chart to a file, whole or not at all; the extension says the format.

        Args:
            path: Ends in .svg, .png or .pdf. PNG and PDF need the extra `plots`.
            theme: Light or dark.
            scale: Pixels of a PNG per unit of the drawing.

        Raises:
            OutputError: Another extension, a scale that makes no picture, or a path that cannot be written.
            MissingLibrary: The extra `plots` is not installed.
        """
        extension = os.path.splitext(os.fsdecode(path))[1].lower()
        if extension not in FORMATS:
            raise OutputError(f"{os.fsdecode(path)}: charts are saved as {', '.join(FORMATS)}, not {extension or 'without extension'}")
        svg = self.to_svg(theme)
        content = svg.encode() if extension == ".svg" else _png(svg, scale) if extension == ".png" else _pdf(svg)
        with replacing(path) as file:
            file.write(content)


def charts(report: Report) -> list[Chart]:
    """All charts of a report, in its order, with names that differ."""
    found: list[Chart] = []
    taken: set[str] = set()
    for words, draw, width in _charts(report):
        name = stem = _file_name(words)
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        found.append(Chart(name, draw, width))
    return found


def _charts(report: Report) -> Iterator[tuple[str, Callable[[float, ThemeName], str], float]]:
    if report.trade_off is not None:
        for front in report.trade_off.fronts:
            yield f"trade-off {front.vertical}", partial(trade_off.draw, report, front), WIDE
    for key, found in report.differences.items():
        if found:
            yield f"differences {key}", partial(differences.draw, report, key), WIDE
    if report.curves:
        yield "cutoffs", partial(cutoffs.sheet, report, report.curves), WIDE
    for one in report.distributions:
        yield f"distribution {one.key}", partial(distribution.draw, report, one), WIDE
    by_key: dict[str, list[Segmentation]] = {}
    for segmentation in report.segmentations:
        by_key.setdefault(segmentation.key, []).append(segmentation)
    for key, together in by_key.items():
        yield f"segments {key}", partial(segments.draw, report, together), WIDE
    if report.lorenz is not None:
        yield "exposure-items", partial(lorenz.draw, report, report.lorenz), lorenz.WIDTH
    if report.aspects:
        yield "exposure-aspects", partial(aspects.draw, report, report.aspects), aspects.WIDTH


def _file_name(words: str) -> str:
    """Letters, digits and hyphens that every file system takes.

    >>> _file_name("trade-off AlphaNDCG(alpha=0.5)@10")
    'trade-off-alphandcg-alpha-0-5-10'
    """
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_NAME].strip("-") or "chart"


def _size(svg: str) -> tuple[float, float]:
    root = ElementTree.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def _png(svg: str, scale: float) -> bytes:
    width, height = _size(svg)
    if not (scale * min(width, height) > 0 and scale * max(width, height) <= _LARGEST_SIDE):
        raise OutputError(
            f"scale {scale} makes a picture of {scale * width:g} x {scale * height:g} pixels; at most {_LARGEST_SIDE:,} a side"
        )
    resvg = needed("resvg_py", "plots", "PNG files are made")
    return bytes(resvg.svg_to_bytes(svg_string=svg, width=max(1, round(scale * width)), height=max(1, round(scale * height))))


def _pdf(svg: str) -> bytes:
    typst = needed("typst", "plots", "PDF files are made")
    width = _size(svg)[0] * 0.75  # a pixel is 3/4 of a point
    # Letter by letter, a halo would cover a part of the letter before.
    svg = re.sub(r' stroke="[^"]*" stroke-width="[^"]*" paint-order="stroke"', "", svg)
    source = (
        "#set document(date: none)\n#set page(width: auto, height: auto, margin: 0pt)\n"
        f'#image(bytes(sys.inputs.drawing), format: "svg", width: {width:g}pt)\n'
    )
    return bytes(typst.compile(source.encode(), format="pdf", sys_inputs={"drawing": svg}))
