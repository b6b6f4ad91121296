"""Tables for papers: systems by metrics, the best marked, what was tested said below; as LaTeX and as Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Literal, get_args

from aspectrum.errors import InputError
from aspectrum.formats import markdown_text
from aspectrum.metric import Metric
from aspectrum.naming import latex_name, readable_name
from aspectrum.results import SystemResults, SystemsAs
from aspectrum.tex import latex_text, needs_unicode_engine
from aspectrum.wording import one_line

_MARKS: Mapping[str, str] = {
    "▲": r"\blacktriangle",
    "▼": r"\blacktriangledown",
    "△": r"\vartriangle",
    "▽": r"\triangledown",
    "≈": r"\approx",
    "†": r"\dagger",
    "‡": r"\ddagger",
    "*": r"\ast",
}
"""Marks of significance, and their commands: the triangles are those of amssymb, the others are LaTeX's own."""

_LONGEST_NAME = 40
_LONGEST_TEXT = 2000
_UNDEFINED = "--"


@dataclass(frozen=True)
class Heading:
    """What a metric is called, as LaTeX and as Markdown source, both safe to embed."""

    latex: str
    markdown: str

    @classmethod
    def of(cls, metric: Metric, name: str | None = None) -> Heading:
        r"""The name papers use, unless the user has given another.

        >>> from aspectrum.metric import parse
        >>> Heading.of(parse("AlphaNDCG@10"))
        Heading(latex='$\\alpha$-nDCG@10', markdown='α-nDCG@10')
        """
        own = None if name in (None, str(metric)) else _cut(str(name), _LONGEST_NAME)
        return cls(latex_name(metric, own), markdown_text(readable_name(metric, own)))

    @classmethod
    def plain(cls, text: str) -> Heading:
        """Any text, escaped."""
        return cls(latex_text(_cut(text, _LONGEST_NAME)), markdown_text(_cut(text, _LONGEST_NAME)))


@dataclass(frozen=True)
class Cell:
    """A number (NaN is undefined), how it is set off, and marks of significance such as ``▲``."""

    value: float
    bold: bool = False
    underline: bool = False
    marks: str = ""


@dataclass(frozen=True)
class PaperTable:
    r"""A table of systems by metrics, for a paper.

    Args:
        systems: Names, in order; long ones are shortened in the middle.
        columns: What the metrics are called.
        cells: A row per system, a cell per metric.
        caption, label, footnote: Plain text; the footnote says what was tested and how.
        digits: Decimals of a number; in percent, two fewer.
        percent: Whether numbers are multiplied by 100.
        systems_as: Whether systems are the rows or the columns.

    Examples:
        >>> table = PaperTable(("ALS", "MF"), (Heading.plain("nDCG@10"),), ((Cell(0.4134, bold=True, marks="▲"),), (Cell(0.2),)))
        >>> print(table.to_latex())
        % Packages: booktabs, amssymb
        \begin{table}
        \centering
        \begin{tabular}{lr}
        \toprule
        System & nDCG@10 \\
        \midrule
        ALS & \textbf{0.413}\rlap{$^{\blacktriangle}$} \\
        MF & 0.200 \\
        \bottomrule
        \end{tabular}
        \end{table}
    """

    systems: tuple[str, ...]
    columns: tuple[Heading, ...]
    cells: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    label: str = ""
    footnote: str = ""
    digits: int = 3
    percent: bool = False
    systems_as: SystemsAs = "rows"

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.cells}
        if len(self.cells) != len(self.systems) or not widths <= {len(self.columns)}:
            found = f"{len(self.cells)} rows of {' or '.join(map(str, sorted(widths))) or 'no'} cells"
            raise InputError(f"a table of {len(self.systems)} systems and {len(self.columns)} metrics has {found}")
        if self.systems_as not in get_args(SystemsAs):
            raise InputError(f"systems_as is {self.systems_as!r}, expected 'columns' or 'rows'")
        if self.digits < 0:
            raise InputError(f"digits is {self.digits}, expected 0 or more")

    @classmethod
    def of_results(cls, results: SystemResults, *, caption: str = "", label: str = "", systems_as: SystemsAs = "rows") -> PaperTable:
        """The numbers of several systems; nothing is marked, because nothing was tested."""
        metrics = {name: column.metric for result in results.values() for name, column in result.columns.items()}
        columns = tuple(Heading.of(metric, name) for name, metric in metrics.items())
        cells = tuple(
            tuple(Cell(result.columns[name].value if name in result.columns else math.nan) for name in metrics)
            for result in results.values()
        )
        return cls(tuple(results), columns, cells, caption, label, systems_as=systems_as)

    def to_latex(self) -> str:
        """A table environment with the rules of booktabs; the first line names the packages that it needs."""
        table = self._laid_out("latex")
        lines = [
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{_marked(self.caption)}}}"] if self.caption else []),
            *([rf"\label{{{_label(self.label)}}}"] if self.label else []),
            rf"\begin{{tabular}}{{l{'r' * (len(table[0]) - 1)}}}",
            r"\toprule",
            *_latex_rows(table[:1]),
            r"\midrule",
            *_latex_rows(table[1:]),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\smallskip", rf"{{\footnotesize {_marked(self._below)}\par}}"] if self._below else []),
            r"\end{table}",
        ]
        text = "\n".join(lines)
        needs = ["booktabs", *(["amssymb"] if "triangle" in text else [])]
        engine = "; names need XeLaTeX or LuaLaTeX, and a font that has their letters" if needs_unicode_engine(text) else ""
        full = [
            f"% {short}: {_cut(name, _LONGEST_TEXT)}"
            for name, short in zip(self.systems, short_names(self.systems), strict=True)
            if short != name
        ]
        return "\n".join([f"% Packages: {', '.join(needs)}{engine}", *map(one_line, full), text])

    def to_markdown(self) -> str:
        """The same as a table of Markdown, caption above, footnote below."""
        head, *rows = self._laid_out("markdown")
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        around = [markdown_text(_cut(text, _LONGEST_TEXT)) for text in (self.caption, self._below)]
        return "\n\n".join(filter(None, (around[0], table, around[1])))

    @property
    def _below(self) -> str:
        return " ".join(filter(None, ("Values in percent." if self.percent else "", self.footnote)))

    def _laid_out(self, language: Literal["latex", "markdown"]) -> list[list[str]]:
        """Head and rows, as source."""
        latex = language == "latex"
        escaped, cell = (latex_text, self._latex_cell) if latex else (markdown_text, self._markdown_cell)
        names = [escaped(name) for name in short_names(self.systems)]
        table = [["System", *(column.latex if latex else column.markdown for column in self.columns)]]
        table += [[name, *map(cell, row)] for name, row in zip(names, self.cells, strict=True)]
        if self.systems_as == "columns":
            table = [list(cells) for cells in zip(*table, strict=True)]
            table[0][0] = "Metric"
        return table

    def _number(self, value: float, minus: str) -> str:
        if math.isnan(value):
            return _UNDEFINED
        text = f"{100 * value:.{max(self.digits - 2, 0)}f}" if self.percent else f"{value:.{self.digits}f}"
        return text.replace("-", minus if float(text) != 0 else "")

    def _latex_cell(self, cell: Cell) -> str:
        number = self._number(cell.value, "$-$")
        number = rf"\underline{{{number}}}" if cell.underline else number
        number = rf"\textbf{{{number}}}" if cell.bold else number
        # Without a width, so that the digits of a column stay below one another.
        return number + (rf"\rlap{{$^{{{''.join(map(_mark, cell.marks))}}}$}}" if cell.marks else "")

    def _markdown_cell(self, cell: Cell) -> str:
        number = self._number(cell.value, "−")
        number = f"<u>{number}</u>" if cell.underline else number
        number = f"**{number}**" if cell.bold else number
        return number + (f"<sup>{markdown_text(cell.marks)}</sup>" if cell.marks else "")


def short_names(names: Sequence[str], longest: int = _LONGEST_NAME) -> list[str]:
    """Names that fit into a table, shortened in the middle; those that would be alike are numbered.

    >>> short_names(["a-very-long-name-1", "a-very-long-name-1", "b"], 10)
    ['a-ve...e-1', 'a-ve...e-1 (2)', 'b']
    """
    short: list[str] = []
    for name in (_cut(name, longest) for name in names):
        numbered = (f"{name} ({number})" for number in count(2))
        short.append(next(one for one in chain([name], numbered) if one not in short))
    return short


def _cut(text: str, longest: int) -> str:
    """Text on one line that is not too long; the middle goes."""
    line = one_line(text)
    left = longest - 3
    return line if len(line) <= longest else f"{line[: left - left // 2]}...{line[len(line) - left // 2 :]}"


def _latex_rows(rows: Iterable[Sequence[str]]) -> list[str]:
    return [" & ".join(cells) + r" \\" for cells in rows]


def _mark(mark: str) -> str:
    return _MARKS.get(mark) or rf"\mbox{{\scriptsize {latex_text(mark)}}}"


def _marked(text: str) -> str:
    """Text as LaTeX, in which marks of significance are shown as they are in the table."""
    pieces = re.split(f"([{''.join(mark for mark in _MARKS if mark != '*')}])", _cut(text, _LONGEST_TEXT))
    return "".join(f"${_MARKS[piece]}$" if piece in _MARKS else latex_text(piece) for piece in pieces)


def _label(text: str) -> str:
    """A label may have no commands."""
    return re.sub(r"[^A-Za-z0-9:._-]", "-", _cut(text, _LONGEST_NAME))
