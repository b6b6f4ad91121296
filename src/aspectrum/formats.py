"""Text formats of results: plain text, Markdown, LaTeX, CSV, JSON and RELISON's table.

One table says which formats there are, which file extensions stand for them and which method of the results writes them.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aspectrum.errors import OutputError
from aspectrum.forks import check_polars
from aspectrum.output_files import replacing
from aspectrum.tex import latex_text
from aspectrum.wording import is_number, listed, one_line

if TYPE_CHECKING:
    import polars

    from aspectrum.states import State

Format = Literal["table", "json", "csv", "markdown", "latex", "relison"]
"""The name of a format."""


@dataclass(frozen=True)
class OutputFormat:
    """A format that results can be written in."""

    method: str  # of the results, which renders it; results without it do not have the format
    extensions: tuple[str, ...] = ()
    oriented: bool = False  # whether systems can be the rows or the columns


FORMATS: Mapping[Format, OutputFormat] = {
    "table": OutputFormat("to_text", (".txt",), oriented=True),
    "json": OutputFormat("to_json", (".json",)),
    "csv": OutputFormat("to_csv", (".csv",)),
    "markdown": OutputFormat("to_markdown", (".md", ".markdown"), oriented=True),
    "latex": OutputFormat("to_latex", (".tex",), oriented=True),
    "relison": OutputFormat("to_relison"),
}

EXTENSIONS: Mapping[str, Format] = {extension: name for name, format in FORMATS.items() for extension in format.extensions}


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the extension of a path stands for."""
    extension = os.path.splitext(os.fspath(path))[1].lower()
    if extension not in EXTENSIONS:
        firsts = {name: format.extensions[0] for name, format in FORMATS.items() if format.extensions}
        known = ", ".join(first if first[1:] == name else f"{first} ({name})" for name, first in firsts.items())
        found = f"unknown extension {extension!r}" if extension else "no extension"
        raise OutputError(f"{os.fspath(path)}: {found} to tell the format; expected {known}, or say the format")
    return EXTENSIONS[extension]


def written(results: Any, format: str, systems_as: str | None = None) -> str:
    """Results in a format, with a line end."""
    known = {name: one for name, one in FORMATS.items() if hasattr(results, one.method)}
    if format not in known:
        raise OutputError(f"format is {format!r}, expected {', '.join(map(repr, known))}")
    chosen = FORMATS[format]
    options = {"systems_as": systems_as} if systems_as and chosen.oriented else {}
    return str(getattr(results, chosen.method)(**options)).removesuffix("\n") + "\n"


Remarks = Mapping[str, Sequence[str]]
"""What stands below a table, by heading: warnings and notes."""


def as_text(head: Sequence[str], rows: Sequence[Sequence[str]], how: Sequence[str], remarks: Remarks) -> str:
    """A plain table, how its numbers were computed, and the remarks."""
    below = (_listed(f"{heading}:", lines) for heading, lines in remarks.items())
    return "\n\n".join(filter(None, (plain_table(head, rows), "\n".join(map(one_line, how)), *below)))


def as_markdown(head: Sequence[str], rows: Sequence[Sequence[str]], how: Sequence[str], remarks: Remarks) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(markdown_text, cells)) + " |"

    table = [line(head), "| " + " | ".join(["---", *["---:"] * (len(head) - 1)]) + " |", *map(line, rows)]
    below = (_listed(f"{heading}:\n", lines, markdown_text) for heading, lines in remarks.items())
    return "\n\n".join(filter(None, ("\n".join(table), _listed("", how, markdown_text), *below)))


def as_latex(head: Sequence[str], rows: Sequence[Sequence[str]], how: Sequence[str], remarks: Remarks, alignment: str) -> str:
    """A tabular; how its numbers were computed, and the remarks, follow as comments."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(latex_text, cells)) + r" \\"

    table = [rf"\begin{{tabular}}{{{alignment}}}", r"\hline", line(head), r"\hline", *map(line, rows), r"\hline", r"\end{tabular}"]
    comments = [*how, *(line for heading, lines in remarks.items() if lines for line in (f"{heading}:", *(f"- {one}" for one in lines)))]
    return "\n".join([*table, *(f"% {one_line(comment)}" for comment in comments)])


def as_csv(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(map(_csv_line, [head, *rows]))


def as_json(content: Any, indent: int | None = 2) -> str:
    return json.dumps(_finite(content), indent=indent, ensure_ascii=False, default=str, allow_nan=False)


def as_tabs(table: Sequence[Sequence[str]]) -> str:
    """Cells separated by tabs, as RELISON writes them."""
    return "\n".join("\t".join(map(one_line, cells)) for cells in table)


SCORE_FILES: Mapping[str, str | None] = {".parquet": None, ".pq": None, ".csv": ",", ".tsv": "\t"}
"""Extensions of files for the scores of users, and the separator of those that are text."""


def scores_separator(path: str | os.PathLike[str]) -> str | None:
    """What separates the columns of a file for the scores of users; None for Parquet. Other files are refused."""
    extension = os.path.splitext(os.fspath(path))[1].lower()
    if extension not in SCORE_FILES:
        found = f"unknown extension {extension!r}" if extension else "no extension"
        raise OutputError(f"{os.fspath(path)}: {found} for scores of users; expected {listed(SCORE_FILES)}")
    return SCORE_FILES[extension]


def write_scores(path: str | os.PathLike[str], frame: polars.DataFrame, how: Any) -> None:
    """Scores of users to Parquet, with how they were computed, or to text: all digits, NaN where undefined, nothing for a null."""
    separator = scores_separator(path)
    if separator is None:
        write_parquet(path, frame, how)
        return
    with replacing(path) as file:
        file.write(with_plain_users(frame).write_csv(separator=separator).encode())


def with_plain_users(frame: polars.DataFrame) -> polars.DataFrame:
    """A frame whose users can be written as text."""
    import polars

    kind = frame.schema["user"]
    if not (kind.is_nested() or kind == polars.Binary):
        return frame
    return frame.with_columns(polars.Series("user", [str(user) for user in frame["user"].to_list()], dtype=polars.String))


def write_parquet(path: str | os.PathLike[str], frame: polars.DataFrame, how: Any = None) -> None:
    """A frame to a Parquet file, with how its numbers were computed as JSON beside them."""
    check_polars()
    content = io.BytesIO()  # polars hides why a write to a file failed
    frame.write_parquet(content, metadata=None if how is None else {"aspectrum": as_json(how, None)})
    with replacing(path) as file:
        file.write(content.getbuffer())


def number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"


def exact_number(value: float) -> str:
    """All digits; nothing for an undefined number."""
    return "" if math.isnan(value) else repr(float(value))


def counted(state: State) -> str:
    """Only what is not 0, but always the users scored; how far the number may be off, and what it is made of."""
    n_open, hidden = state.counts.get("open"), ("proved", "open") if state.counts.get("open") else ()
    counts = ", ".join(
        _number_of(count, name) for name, count in state.counts.items() if (count or name == "scored") and name not in hidden
    )
    if n_open:
        least, widest = state.limits["at_least"], state.limits["widest_interval"]
        ideals = f"{n_open} of {state.counts['scored']} ideals not proved optimal"
        counts = f"{counts}; {ideals}: the mean is at least {least:.4f}, no score is more than {widest:.2g} less"
    bounds = {"least": "least at least", "greatest": "greatest at most"} if state.counts.get("bounds_only") else {}
    parts = [
        f"{bounds.get(name, name.replace('_', ' '))} {value:.6g}"
        for name, value in state.limits.items()
        if name not in ("at_least", "widest_interval")
    ]
    more = [f"{len(parts) - _MOST_PARTS} more"] if len(parts) > _MOST_PARTS else []
    return f"{counts}; {', '.join([*parts[:_MOST_PARTS], *more])}" if parts else counts


_MOST_PARTS = 12
"""Groups whose numbers are named below a table; files have all of them."""


def _number_of(count: int, name: str) -> str:
    """As in "1 place with unseen items", "2 places with unseen items"."""
    words = name.split("_")
    head = 1 if words[0] == "catalogue" else 0
    if count == 1:
        words[head] = words[head].removesuffix("s")
    return f"{count} {' '.join(words)}"


def computed(how: Mapping[str, Any]) -> str:
    """How a number was computed, for readers; what details call budget and ties belongs to the ideal."""
    return ", ".join(f"{_OF_IDEAL.get(name, name)}={value}" for name, value in how.items() if value is not None and name != "metric")


_OF_IDEAL = {name: f"ideal_{name}" for name in ("budget", "seconds", "ties")}
"""Options of ideal lists, as the command line and :func:`aspectrum.evaluate` call them."""


def grouped(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Lines "name: text", one for all names with the same text."""
    names: dict[str, list[str]] = {}
    for name, text in lines:
        names.setdefault(text, []).append(name)
    return [f"{', '.join(group)}: {text}" for text, group in names.items()]


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain text, in which columns of numbers are aligned right and all others left."""
    columns = [tuple(map(one_line, cells)) for cells in zip(head, *rows, strict=True)]
    widths = [max(map(len, cells)) for cells in columns]
    right = [bool(rows) and all(map(is_number, cells[1:])) for cells in columns]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in zip(cells, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    first, *others = zip(*columns, strict=True)
    return "\n".join([line(first), line(["-" * width for width in widths]), *map(line, others)])


def _listed(head: str, entries: Sequence[str], escaped: Callable[[str], str] = one_line) -> str:
    return "\n".join(filter(None, (head, *(f"- {escaped(entry)}" for entry in entries)))) if entries else ""


# A line under or an ampersand within a word is itself.
_MARKDOWN = re.compile(r"[\\|<>`*\[~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")


def markdown_text(text: str) -> str:
    """Any text on one line of Markdown, without markup."""
    return one_line(_MARKDOWN.sub(r"\\\g<0>", text))


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(map(_no_formula, cells))  # what is in the line end is quoted within cells, so both are
    return line.getvalue().removesuffix("\r\n") + "\n"


def _no_formula(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula, which may run programs: text that looks like one gets an apostrophe in front."""
    if not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _finite(content: Any) -> Any:
    """JSON has no infinite numbers (a threshold may be one): they become text."""
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return str(content) if isinstance(content, float) and not math.isfinite(content) else content
