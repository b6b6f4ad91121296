"""Tables of text: CSV, TSV, columns of words, TREC runs and judgments."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import Untyped
from aspectrum.diagnostics.notices import Either, Option
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS, InputSpec
from aspectrum.io.columns import is_place, is_spelling, is_typed
from aspectrum.io.files import as_text, line_at, read_bytes
from aspectrum.io.frames import FLAGS, Layout, flags_of_text
from aspectrum.io.source import Source

if TYPE_CHECKING:
    import polars

_N_HEAD = 20
GIVEN_AS_LISTS = Either("pass it as the lists", "give it as a file of lists, without an option")
_FIELDS = {"run": 6, "qrels": 4, "table": 0}
_BETWEEN = "\x1f"  # separates the fields of a run whose documents have blanks; no text has this character
_PROBLEMS = {
    "stray quote": "a quote stands in the middle of a field; expected it around the whole field",
    "open quote": "a quote is opened and never closed",
}
_NUMBER = re.compile(r"\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf|infinity)\s*", re.ASCII | re.IGNORECASE)
_COMMENT = re.compile(rb"[#%]+[ \t\r\n]|[#%]+\Z")  # "# made by"; in "#music" the sign is part of a name
_QUOTED = re.compile(rb'(?:^|(?<=[\t,;\n]))"(?:[^"]|"")*(?:"|$)')


class TextTable:
    """Lines of text, whose ids may be numbers or words.

    Every record must have the same number of fields, and every quote be closed. What is wrong is named by its line.
    """

    index: Sequence[str] = ()

    def __init__(self, source: str, text: bytes, spec: InputSpec, how: Source, format: str | None, *, is_piece: bool = False) -> None:
        self.source, self._path, self._spec, self._is_piece = source, how.path, spec, is_piece
        self._first_line, self._n_fields = 1, 0  # in pieces after the first, which line they begin with, and how many fields the first has
        self._read_at: tuple[int, ...] = ()
        self.n_joined = 0  # lines of a run whose document has blanks
        text = self._text = self._without_comments(text)
        if not text.strip():
            raise InputError(f"{source}: the file is empty but for comments")
        self.layout: Layout
        self.layout, self._separator = _layout(source, text, spec, how, format)
        # Files of RecBole are never quoted.
        self._prose = spec.prose or any(is_typed(name.decode("utf-8", "ignore")) for name in _first_lines(text)[0].strip().split(b"\t"))
        n_records = self._look_at(text)
        self.untyped: Untyped | None = "number" if self.layout == "table" else "text"
        head = [self._record(row) for row in range(min(_N_HEAD, n_records))]
        has_header = self.layout == "table" and (_is_header(source, spec, how, head) if how.header is None else how.header)
        self._skip, self._n_rows = int(has_header), 0
        self.first = head[0]
        self.names: Sequence[str] | None = [name.strip() for name in head[0]] if has_header else None
        cells = [[row[place].strip().lower() for row in head[self._skip :]] for place in range(self.width)]
        self._flags = {place for place, column in enumerate(cells) if column and all(cell in FLAGS for cell in column)}
        self._numeric = {place for place in range(self.width) if all(reads_as_number(row[place]) for row in head[self._skip :])}

    def continued(self, text: bytes, first_line: int) -> TextTable:
        """What follows in the same file, from that line on; `text` holds whole records."""
        table = copy(self)
        table._text, table._first_line, table._n_fields, table._skip, table._n_rows = text, first_line, self.width, 0, 0
        table._separator, table.n_joined = ("" if self.layout == "run" else self._separator), 0
        table._look_at(text)
        return table

    def _look_at(self, text: bytes) -> int:
        """How the text is built; how many records were looked at for that."""
        self.ends_with_a_line = text.endswith(b"\n")  # if not, it may be cut short
        if self.layout == "run" and any(len(line.split()) > _FIELDS["run"] for line in _first_lines(text)):
            self._join()
            text = self._text
        self._quoted = self.layout != "run" and self._separator != "" and b'"' in text
        # Quotes may hide the end of a record, so all of them are looked at first; otherwise reading finds what is wrong.
        start = text if self._quoted else _head(text)
        n_records, self.width = self._check(start)
        if self._separator == "" and self.layout == "table" and (odd := re.search(rb'(?<!\S)"', text)):
            raise InputError(
                f"{self.source}, line {line_at(text, odd.start()) + self._first_line - 1}: a word begins with a quote, and columns are "
                "separated by blanks; expected words without quotes, or a CSV file"
            )
        self._about_records = n_records * len(text) // len(start) + 1
        return n_records

    def _join(self) -> None:
        """Make the text between the second word of a line and the last three one field: the document, whose id may have blanks."""
        self._text, self.n_joined = kernels.with_middle_joined(self._text, 2, 3, _BETWEEN)
        self._separator = _BETWEEN

    def line(self, row: int) -> int:
        """The line that a row begins in, from 1."""
        scan = kernels.scan_table(self._whole, self._separator, self._quoted, 0, row + self._skip)
        return int(scan.line) + self._first_line - 1

    def _check(self, text: bytes) -> tuple[int, int]:
        """The number of records and of fields of a text, or an error that names the line."""
        expected = _FIELDS[self.layout] or self._n_fields
        if self.layout == "run":
            scan = kernels.scan_table(text, self._separator, False, expected)
        else:
            scan, self._quoted = _scanned(text, self._separator, expected, self._prose)
        where = f"{self.source}, line {scan.line + self._first_line - 1}"
        if scan.problem == "fields":
            usual = expected or kernels.scan_table(text, self._separator, self._quoted, 0, 0).fields
            what = {"run": "for a TREC run", "qrels": "for TREC judgments", "table": "as in the first line"}[self.layout]
            raise InputError(f"{where}: has {scan.fields} field{'s' * (scan.fields > 1)}, expected {usual} {what}")
        if scan.problem:
            raise InputError(f"{where}: {_PROBLEMS[scan.problem]}")
        return scan.records, scan.fields

    def coded(self, ids: Sequence[int], numbers: Sequence[int]) -> tuple[dict[int, tuple[Codes, polars.Series]], dict[int, Floats]]:
        """By place: ids as codes (-1 where there is none) with the distinct ids, and numbers (NaN where there is none)."""
        import polars

        id_columns, number_columns, ragged = kernels.read_columns(
            self._text, self._separator, self._quoted, self.width, self._about_records, self._skip, list(ids), list(numbers)
        )
        if ragged and self.layout == "run" and not self._separator:
            self._join()
            return self.coded(ids, numbers)
        if ragged:
            self._check(self._text)
            raise InputError(f"{self.source}: its records do not have the same number of fields")
        self._n_rows = max((len(values) for values in (*(codes for codes, _ in id_columns), *number_columns)), default=0)
        found = {place: (codes, polars.Series(texts)) for place, (codes, texts) in zip(ids, id_columns, strict=True)}
        self._check_one_header(found)
        return found, dict(zip(numbers, number_columns, strict=True))

    def _check_one_header(self, columns: Mapping[int, tuple[Codes, polars.Series]]) -> None:
        """A record like the header, in all columns that are read, is no data. One with numbers is found when they are read."""
        again = np.full(self._n_rows, self.names is not None and len(columns) > 0)
        for place, (codes, ids) in columns.items():
            if again.any():
                named = (ids == self.first[place]).arg_true().to_numpy()
                again &= np.isin(codes, named)
        if again.any():
            raise InputError(f"{self.source}, {self.place(int(again.argmax()))}: repeats the header; were several files joined?")

    def fetch(self, places: Mapping[str, int], numbers: Sequence[str]) -> polars.DataFrame:
        """Columns by role: those in `numbers` as numbers, the others as text."""
        import polars

        ids = {places[role] for role in places.keys() - set(numbers)}
        texts, values = self.coded(sorted(ids), sorted({places[role] for role in numbers}))
        graded = places["grade"] if "grade" in numbers else None
        values |= {} if graded is None else {graded: self.with_flags(graded, values[graded])}
        columns = {place: polars.Series(column) for place, column in values.items()}
        for place, (found, distinct) in texts.items():
            codes = polars.Series(found)
            columns[place] = distinct.gather(codes.set(codes < 0, None))
        return polars.DataFrame([columns[place].alias(role) for role, place in places.items()])

    def with_flags(self, place: int, numbers: Floats) -> Floats:
        """Numbers of a column, in which text may also say true or false."""
        if not np.isnan(numbers).any():
            return numbers
        codes, texts = self.coded([place], [])[0][place]
        flags = flags_of_text(texts.str.strip_chars()).fill_null(np.nan).to_numpy()
        return np.where(np.isnan(numbers), np.append(flags, np.nan)[codes], numbers)

    def _record(self, row: int) -> list[str]:
        return [cell.decode() for cell in kernels.read_record(self._whole, self._separator, self._quoted, self.width, row)]

    def __len__(self) -> int:
        return self._n_rows

    def cell(self, row: int, place: int) -> Any:
        return self._record(row + self._skip)[place] or None

    def place(self, row: int) -> str:
        return f"line {self.line(row)}"

    def vectors(self) -> list[int]:
        return []

    def text_lists(self) -> list[int]:
        return []

    def is_number(self, place: int) -> bool:
        return place in self._numeric

    def is_flag(self, place: int) -> bool:
        """Whether a column holds true and false only, as far as its first rows tell."""
        return place in self._flags

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two columns hold the same."""
        (codes, ids), (others, other_ids) = self.coded([one, other], [])[0].values()
        return np.array_equal(codes, others) and ids.equals(other_ids)

    @property
    def _whole(self) -> bytes:
        if not self._text and _stamp(self._path) != self._read_at:
            raise InputError(f"{self.source}: changed after it was read, so what was wrong with it cannot be shown; try again")
        if self._text:
            return self._text
        text = self._without_comments(as_text(self.source, read_bytes(self._path, self.source)))
        return kernels.with_middle_joined(text, 2, 3, _BETWEEN)[0] if self.n_joined else text

    def _without_comments(self, text: bytes) -> bytes:
        """Public edge lists often begin with comments, which become empty lines; the others keep their numbers."""
        end = 0
        while self._spec.commented and _COMMENT.match(text, end):
            end = text.find(b"\n", end) + 1 or len(text)
        return b"\n" * text.count(b"\n", 0, end) + text[end:]

    def close(self) -> None:
        """Give back the room that the text takes; it is read again should an error have to name a line."""
        if not self._is_piece and self._path != "-" and os.path.isfile(self._path):  # a pipe cannot be read twice
            self._text, self._read_at = b"", _stamp(self._path)


def _stamp(path: str) -> tuple[int, ...]:
    """What tells whether a file was changed, or is another one; nothing if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _head(text: bytes) -> bytes:
    """The first lines, and at least one with anything on it."""
    head = b"".join(islice(io.BytesIO(text), _N_HEAD))
    return text if head.isspace() else head


def _layout(source: str, text: bytes, spec: InputSpec, how: Source, format: str | None) -> tuple[Layout, str]:
    """What kind of text it is, and its separator; none means blanks."""
    if format in ("run", "qrels"):
        return format, ""  # type: ignore[return-value]
    lines = _first_lines(text)
    if format is None and not how.columns:
        layout = _trec_layout(source, spec, lines)
        if layout is not None:
            return layout, ""
    if format == "tsv":
        return "table", "\t"
    outside = next(iter(_first_lines(_QUOTED.sub(b'""', text[: 1 << 16]))), b"")
    there = [separator for separator in ("\t", ",", ";") if separator.encode() in outside]
    # In `1|Toy Story` the bar separates, in `1 Action|Comedy` the blank does: the one that comes first.
    if not there and b"|" in outside.split(b" ")[0] and how.split != "|" and len(spec.required) > 1:
        return "table", "|"
    if not there and format is None and b" " in lines[0].strip() and len(spec.required) > 1:
        return "table", ""
    if len(there) < 2:
        return "table", there[0] if there else "," if format == "csv" else "\t"
    return "table", _one_of(source, text, spec, how, there)


def _one_of(source: str, text: bytes, spec: InputSpec, how: Source, separators: Sequence[str]) -> str:
    """The one of several separators in the first line that gives every record the same number of fields."""
    scans = {one: _scanned(text, one) for one in separators if one != how.split}
    fit = [one for one, (scan, _) in scans.items() if not scan.problem]
    said = {*(column for column in how.columns.values() if not is_place(column)), *how.usual.columns.values()}
    firsts = {
        one: [cell.decode().strip() for cell in kernels.read_record(text, one, quoted, scan.fields, 0)]
        for one, (scan, quoted) in scans.items()
        if one in fit
    }
    named = [one for one, cells in firsts.items() if any(is_spelling(spec.name, spec.roles, cell) or cell in said for cell in cells)]
    fit = named if len(named) == 1 and how.header is not False else fit
    if len(fit) > 1:
        raise InputError(
            f"{source}, line 1: both {fit[0]!r} and {fit[1]!r} may separate its columns; add a header, or separate them by tabs and use ",
            Option("format", "tsv", spec.name),
        )
    return (fit or separators)[0]


def _trec_layout(source: str, spec: InputSpec, lines: Sequence[bytes]) -> Layout | None:
    """A run or judgments, as seen from the first lines."""
    rows = [[word.decode("utf-8", "ignore") for word in line.split()] for line in lines]
    if spec.trec is not None and _is_run(rows[0]):
        if spec.trec == "run":
            return "run"
        if spec.name == "history" and rows[0][1] == "0":  # of six numbers the second may be 0
            return None
        raise InputError(f"{source}: looks like a TREC run, which holds lists, expected {spec.form}; ", GIVEN_AS_LISTS)
    if spec.trec != "qrels" or any(len(row) != 4 or not row[3].lstrip("+-").isdecimal() for row in rows):
        return None
    if any(b"," in line for line in lines[:1]) or (b"\t" in lines[0] and not reads_as_number(rows[0][1])):
        return None
    if any(b"\t" in line and len(line.strip().split(b"\t")) != 4 for line in lines):
        raise InputError(
            f"{source}, line 1: words are separated by blanks and by tabs; use ",
            Option("format", "qrels", spec.name),
            " for TREC qrels or ",
            Option("format", "tsv", spec.name),
            " for tab-separated columns",
        )
    if "aspect" in spec.required:
        return "qrels"
    # A user, an item, a rating and a time are four numbers too. Judgments have an iteration that is always 0, or documents with names.
    plain = all(row[1].upper() in ("0", "Q0") for row in rows)
    diverse = all(reads_as_number(row[1]) for row in rows) and not any(reads_as_number(row[2]) for row in rows)
    return "qrels" if plain or diverse else None


def _is_run(words: Sequence[str]) -> bool:
    """Whether these are the words of a line of a TREC run."""
    return len(words) >= 6 and words[1].upper() in ("Q0", "0") and all(map(reads_as_number, words[-3:-1]))


def trec_layout(text: bytes) -> Layout | None:
    """What a text is for whoever reads none of TREC's files: a run or judgments, by its first lines."""
    lines = _first_lines(text)
    if not lines or _is_run(lines[0].decode("utf-8", "ignore").split()):
        return "run" if lines else None
    with suppress(InputError):
        return _trec_layout("", INPUTS["relevance"], lines)
    return None


def _first_lines(text: bytes) -> list[bytes]:
    """The first lines with anything on them, and of each as much as tells its form."""
    return [line[: 1 << 16] for line in islice(filter(bytes.strip, io.BytesIO(text)), _N_HEAD)]


def reads_as_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None


def _scanned(text: bytes, separator: str, fields: int = 0, prose: bool = False) -> tuple[kernels.TableScan, bool]:
    """How the text is built, and whether quotes stand around fields; they may be letters, as in 5" disc."""
    quoted = separator != "" and b'"' in text
    scan = kernels.scan_table(text, separator, quoted, fields)
    letters = not (text.startswith(b'"') or b'\n"' in text or separator.encode() + b'"' in text)
    # What people write begins with a quote now and then, and a tab ends it.
    if (scan.problem == "stray quote" and letters) or (scan.problem in ("stray quote", "open quote") and prose and separator == "\t"):
        return kernels.scan_table(text, separator, False, fields), False
    return scan, quoted


def _is_header(source: str, spec: InputSpec, how: Source, head: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns."""
    first = [cell.strip() for cell in head[0]]
    places = {role: int(column) for role, column in how.columns.items() if is_place(column)}
    names = [column for role, column in how.columns.items() if role not in places]
    if any(name in first for name in (*names, *how.usual.columns.values())):
        return True
    # A system may well have such a name itself.
    spelled = {role for role in spec.roles if role != "system" and any(is_spelling(spec.name, (role,), cell) for cell in first)}
    if any(reads_as_number(cell) for cell in first):
        if spec.name == "features" and "item" in spelled:  # and dimensions called 0, 1, 2
            others = [cell for cell in first if not is_spelling("features", ("item",), cell)]
            return others in ([str(place + start) for place in range(len(others))] for start in (0, 1))
        return len(spec.required) > 1 and spelled.issuperset(spec.required)
    if places.keys() >= set(spec.required):
        # Who says places may have data that reads like a name, so the name has to stand where it belongs.
        if any(is_spelling(spec.name, (role,), first[place - 1]) for role, place in places.items() if 0 < place <= len(first)):
            return True
    elif spelled:
        return True
    if any(first[place] and all(reads_as_number(row[place]) for row in head[1:]) for place in range(len(first)) if len(head) > 1):
        raise InputError(
            f"{source}, line 1: {', '.join(map(quoted, first[:6]))} looks like a header with unknown column names; specify them with ",
            Option("columns", dict.fromkeys(spec.required, "NAME")),
            "; or use ",
            Option("header", False),
            " if it is data",
        )
    return False
