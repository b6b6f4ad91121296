"""Tables: what has columns, whether it is text, a binary file or a frame in memory."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from aspectrum import kernels
from aspectrum.errors import InputError
from aspectrum.io.columns import Wanted, is_spelling
from aspectrum.io.files import as_text, read_bytes
from aspectrum.io.source import Source
from aspectrum.world.ids import shown
from aspectrum.world.rows import Untyped

if TYPE_CHECKING:
    import polars

Layout = Literal["table", "run", "qrels"]

_PART = 1 << 23


class Table(Protocol):
    """Columns that can be fetched by place."""

    source: str
    names: Sequence[str] | None
    width: int
    untyped: Untyped | None
    layout: Layout

    def pieces(self, places: Mapping[str, int], numbers: Sequence[str]) -> Iterator[polars.DataFrame]:
        """Columns by role, some rows at a time; those in `numbers` as Float64, null where there is no number."""

    def cell(self, row: int, place: int) -> Any:
        """What stands in one cell."""

    def place(self, row: int) -> str:
        """Where a row stands, in words."""

    def close(self) -> None:
        """Give back the room that the text takes; it is read again should an error have to name a line."""


def open_table(source: Source, wanted: Wanted) -> Table:
    """A table from a file or a frame."""
    name = source.named(wanted.input)
    if not source.is_path:
        return FrameTable(name, to_polars(name, source.data))
    format = source.guessed_format
    if format in ("npz", "npy"):
        raise InputError(f"{name}: holds arrays, which only features can come as")
    data = read_bytes(source.path)
    if not data or data.isspace():
        raise InputError(f"{name}: the file is empty")
    if format is None and data.startswith(b"PAR1"):
        format = "parquet"
    if format is None and data.startswith(b"ARROW1"):
        format = "arrow"
    if format == "parquet":
        return FrameTable(name, _binary(name, data, "a Parquet file"))
    if format == "arrow":
        return FrameTable(name, _binary(name, data, "an Arrow file"))
    text = as_text(name, data)
    del data
    if format == "jsonl" or (format is None and text.lstrip()[:1] == b"{"):
        return FrameTable(name, _json_lines(name, text), "line")
    return TextTable(name, text, wanted, source, format)


class FrameTable:
    """A frame, whose ids are what they are."""

    untyped: Untyped | None = None
    layout: Layout = "table"

    def __init__(self, source: str, frame: polars.DataFrame, row_word: str = "row") -> None:
        self.source, self._frame, self._row_word = source, frame, row_word
        self.names: Sequence[str] | None = frame.columns
        self.width = frame.width
        if self.width == 0:
            raise InputError(f"{source}: has no columns")

    @property
    def frame(self) -> polars.DataFrame:
        return self._frame

    def pieces(self, places: Mapping[str, int], numbers: Sequence[str]) -> Iterator[polars.DataFrame]:
        import polars

        columns = [self._frame.to_series(place).alias(role) for role, place in places.items()]
        yield polars.DataFrame([_as_number(column) if column.name in numbers else column for column in columns])

    def cell(self, row: int, place: int) -> Any:
        return self._frame.to_series(place)[row]

    def place(self, row: int) -> str:
        return f"{self._row_word} {row + 1}"

    def close(self) -> None:
        pass


class TextTable:
    """Lines of text, whose ids may be numbers or words.

    Nothing is read until the structure is known to be sound: every record has the same number of fields, every quote is
    closed. What is wrong is named by its line.
    """

    def __init__(self, source: str, text: bytes, wanted: Wanted, how: Source, format: str | None) -> None:
        self.source, self._text, self._path = source, text, how.path
        self.layout, self._separator = _layout(text, wanted, format)
        self._quoted = self.layout == "table" and b'"' in text
        self._check()
        if self._separator == "":
            text = self._single_blanks(text)
        elif self._blanks:
            text = b"\n".join(line for line in text.split(b"\n") if line.strip(b"\r")) if not self._quoted else _without_blank_records(text)
        self._readable = text
        self.untyped: Untyped | None = "number" if self.layout == "table" else "text"
        first = self._head()
        has_header = self.layout == "table" and (_is_header(source, wanted, how, first) if how.header is None else how.header)
        self._skip = int(has_header)
        self.names: Sequence[str] | None = [name.strip() for name in first[0]] if has_header else None

    def _check(self) -> None:
        expected = {"run": 6, "qrels": 4, "table": 0}[self.layout]
        scan = kernels.scan_table(self._text, self._separator, self._quoted, expected)
        records, self._blanks, problem, line, fields, self._plain = scan
        if problem == 2 and not _opens_with_a_quote(self._text, self._separator):
            self._quoted = False  # quotes are letters here, as in 5" disc
            records, self._blanks, problem, line, fields, self._plain = kernels.scan_table(self._text, self._separator, False, expected)
        if problem == 1:
            usual = expected or kernels.scan_table(self._text, self._separator, self._quoted, 0, 0)[4]
            what = {"run": "a TREC run", "qrels": "TREC judgments", "table": "the first line"}[self.layout]
            has = "as in" if self.layout == "table" else "for"
            raise InputError(f"{self.source}, line {line}: has {fields} fields, expected {usual} {has} {what}")
        if problem == 2:
            raise InputError(f"{self.source}, line {line}: a quote stands in the middle of a field; expected it around the whole field")
        if problem == 3:
            raise InputError(f"{self.source}, line {line}: a quote is opened and never closed")
        self.width = fields
        self.n_records = records

    def _single_blanks(self, text: bytes) -> bytes:
        if self._plain:
            self._separator = " "
            return text
        self._separator = " "
        return b"\n".join(b" ".join(words) for line in text.split(b"\n") if (words := line.split()))

    def _head(self) -> list[list[str]]:
        """The first records, as words."""
        if not self._quoted:
            lines, start = [], 0
            for _ in range(20):
                end = self._readable.find(b"\n", start)
                lines.append(self._readable[start : end if end >= 0 else None].rstrip(b"\r").decode())
                if end < 0 or end + 1 >= len(self._readable):
                    break
                start = end + 1
            return [line.split(self._separator) for line in lines]
        text = io.StringIO(self._readable[: 1 << 20].decode("utf-8", "ignore"), newline="")
        reader = csv.reader(text, delimiter=self._separator)
        try:
            return [row for row, _ in zip(reader, range(20), strict=False)]
        except csv.Error as error:  # such as a field longer than the module takes
            raise InputError(f"{self.source}, line 1: {error}") from None

    def pieces(self, places: Mapping[str, int], numbers: Sequence[str]) -> Iterator[polars.DataFrame]:
        import polars

        by_place = {place: role for role, place in places.items()}
        kinds = {place: polars.Float64 if by_place.get(place) in numbers else polars.String for place in range(self.width)}
        n_read, skip = 0, self._skip
        for text in self._parts():
            try:
                frame = self._read(text, kinds, sorted(by_place), skip)
            except polars.exceptions.PolarsError:  # a number that is none, or has blanks around it
                frame = self._read(text, dict.fromkeys(kinds, polars.String), sorted(by_place), skip)
            n_read, skip = n_read + frame.height, 0
            found = polars.DataFrame([frame[str(place)].alias(role) for role, place in places.items()])
            del frame
            yield found.with_columns([_as_number(found[role]) for role in numbers if role in places])
        if n_read != self.n_records - self._skip:
            raise InputError(f"{self.source}: {self.n_records - self._skip} records were counted and {n_read} read; are the quotes right?")

    def _parts(self) -> Iterator[bytes]:
        """The text in parts that end with a line, so that what was read takes little room; quoted text may break lines, so it
        is one part.
        """
        if self._quoted:
            yield self._readable
            return
        start = 0
        while start < len(self._readable):
            end = self._readable.find(b"\n", start + _PART) + 1 if start + _PART < len(self._readable) else 0
            end = end or len(self._readable)
            yield self._readable[start:end] if (start, end) != (0, len(self._readable)) else self._readable
            start = end

    def _read(self, text: bytes, kinds: Mapping[int, Any], places: Sequence[int], skip: int) -> polars.DataFrame:
        import polars

        if self.n_records == self._skip:
            return polars.DataFrame({str(place): polars.Series([], dtype=kind) for place, kind in kinds.items()})
        return guarded(
            lambda: polars.read_csv(
                text,
                separator=self._separator,
                has_header=False,
                skip_rows=skip,
                schema={str(place): kind for place, kind in kinds.items()},
                columns=list(places),
                quote_char='"' if self._quoted else None,
            )
        )

    def cell(self, row: int, place: int) -> Any:
        for piece in self.pieces({"cell": place}, ()):
            if row < piece.height:
                found = piece["cell"][row]
                return None if found is None or found == "" else found
            row -= piece.height
        raise IndexError(row)

    def place(self, row: int) -> str:
        text = self._text or as_text(self.source, read_bytes(self._path))
        separator = "" if self._separator == " " else self._separator
        return f"line {kernels.scan_table(text, separator, self._quoted, 0, row + self._skip)[3]}"

    def close(self) -> None:
        if os.path.isfile(self._path):  # a pipe cannot be read twice
            self._text = self._readable = b""


def guarded(read: Callable[[], polars.DataFrame]) -> polars.DataFrame:
    """What polars reads; a panic of its reader, which is not an Exception, becomes an error of its own."""
    import polars

    try:
        return read()
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise polars.exceptions.ComputeError(str(error)) from None
        raise


def _binary(source: str, data: bytes, what: str) -> polars.DataFrame:
    import polars

    read = polars.read_parquet if "Parquet" in what else polars.read_ipc
    try:
        return guarded(lambda: read(io.BytesIO(data)))
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"{source}: cannot be read as {what}: {reason}") from None


def _json_lines(source: str, text: bytes) -> polars.DataFrame:
    import polars

    try:
        return guarded(lambda: polars.read_ndjson(io.BytesIO(text), infer_schema_length=None))
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        for number, line in enumerate(text.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                is_object = isinstance(json.loads(line), dict)
            except (ValueError, RecursionError):
                is_object = False
            if not is_object:
                raise InputError(f"{source}, line {number}: {shown(line[:40].decode('utf-8', 'replace'))} is not a JSON object") from None
        raise InputError(f"{source}: cannot be read as JSON Lines: {str(error).splitlines()[0]}") from None


def to_polars(source: str, frame: Any) -> polars.DataFrame:
    """A polars frame from one of polars, pandas, PyArrow or DuckDB, column by column."""
    import polars

    if isinstance(frame, polars.DataFrame):
        return frame
    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _from_pandas(source, frame)
    try:
        return guarded(lambda: polars.DataFrame(frame))
    except (polars.exceptions.PolarsError, TypeError, ValueError, ImportError) as error:
        raise InputError(f"{source}: a {type(frame).__name__} cannot be read as a frame: {error}") from None


def _from_pandas(source: str, frame: Any) -> polars.DataFrame:
    """Without PyArrow, which pandas' own road to Arrow needs."""
    import polars

    columns = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        values = column.to_numpy()
        if values.dtype.kind == "O":
            missing = column.isna().to_numpy()
            values = values.copy()
            values[missing] = None
        try:
            columns.append(polars.Series(str(name), values, strict=True))
        except (TypeError, ValueError, polars.exceptions.PolarsError):
            columns.append(polars.Series(str(name), list(values), dtype=polars.Object))
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"{source}: two columns are named {again!r}")
    return polars.DataFrame(columns)


def _as_number(column: polars.Series) -> polars.Series:
    """Float64; null where there is no number."""
    import polars

    if column.dtype == polars.String:
        return column.str.strip_chars().cast(polars.Float64, strict=False)
    if column.dtype == polars.Object or column.dtype.is_nested() or column.dtype.is_temporal():
        return polars.Series(column.name, [None] * len(column), dtype=polars.Float64)
    return column.cast(polars.Float64, strict=False)


def _layout(text: bytes, wanted: Wanted, format: str | None) -> tuple[Layout, str]:
    """What kind of text it is, and its separator; none means blanks."""
    if format in ("run", "qrels"):
        return format, ""  # type: ignore[return-value]
    first = _first_line(text)
    if format is None:
        words = first.split()
        if wanted.input == "rankings" and len(words) == 6 and words[1].upper() in (b"Q0", b"0") and _number(words[3]) and _number(words[4]):
            return "run", ""
        trec = ("relevance", "history", "subtopics")
        if (
            wanted.input in trec
            and len(words) == 4
            and b"," not in first
            and _number(words[3])
            and (b"\t" not in first or _number(words[1]))
        ):
            return "qrels", ""
    if format == "tsv":
        return "table", "\t"
    for separator in (",", ";", "\t") if format == "csv" else ("\t", ",", ";"):
        if separator.encode() in first:
            return "table", separator
    if format is None and b" " in first.strip() and len(wanted.required) > 1:
        return "table", ""
    return "table", "," if format == "csv" else "\t"


def _first_line(text: bytes) -> bytes:
    start = 0
    while True:
        end = text.find(b"\n", start)
        line = text[start : end if end >= 0 else None][: 1 << 16]
        if line.strip() or end < 0:
            return line
        start = end + 1


def _number(word: bytes | str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _opens_with_a_quote(text: bytes, separator: str) -> bool:
    edge = separator.encode() or b" "
    return text.startswith(b'"') or b'\n"' in text or edge + b'"' in text


def _without_blank_records(text: bytes) -> bytes:
    """Without the blank lines that stand between quoted records."""
    kept, inside = [], False
    for line in text.split(b"\n"):
        if inside or line.strip(b"\r"):
            kept.append(line)
        inside ^= line.count(b'"') % 2 == 1
    return b"\n".join(kept)


def _is_header(source: str, wanted: Wanted, how: Source, head: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns."""
    first = [cell.strip() for cell in head[0]]
    said = (*how.columns.values(), *(() if how.usual is None else how.usual.columns.values()))
    if any(isinstance(column, str) and column in first for column in said):
        return True
    if any(_number(cell) for cell in first):
        return False
    if any(is_spelling(wanted.input, wanted.roles, cell) for cell in first):
        return True
    numeric = [place for place in range(len(first)) if len(head) > 1 and all(_number(row[place]) for row in head[1:] if len(row) > place)]
    if numeric and not any(isinstance(column, int) or str(column).isdigit() for column in how.columns.values()):
        raise InputError(
            f"{source}: the first line ({', '.join(map(shown, first[:6]))}) looks like names of columns that are not known; say which is "
            f"which, as in --columns {','.join(f'{role}=NAME' for role in wanted.required)}, or --no-header if it is data"
        )
    return False
