"""What to read, and how."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Literal, Self, get_args

from aspectrum.errors import InputError, each
from aspectrum.io.files import check_there, printed

Format = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "run", "qrels", "npz", "npy", "graphml"]
FORMATS: tuple[str, ...] = get_args(Format)

_OTHER_EXTENSIONS = {".tab": "tsv", ".pq": "parquet", ".feather": "arrow", ".ipc": "arrow", ".ndjson": "jsonl", ".qrel": "qrels"}
_EXTENSIONS: Mapping[str, Any] = {f".{format}": format for format in FORMATS} | _OTHER_EXTENSIONS
_COMPRESSED = (".gz", ".zst")
_PART = re.compile(r"(.+\.json(?:\.gz|\.zst)?)#(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, eq=False)
class UsualColumns:
    """Names of columns by role for every input that has a column of that name; remembers which were found."""

    columns: Mapping[str, str]
    found: set[str] = field(default_factory=set)

    def place(self, role: str, names: Sequence[str]) -> int | None:
        name = self.columns.get(role)
        if name is None or name not in names:
            return None
        self.found.add(role)
        return names.index(name)

    def check(self) -> None:
        """Every name was found in some input."""
        for role, name in self.columns.items():
            if role not in self.found:
                raise InputError(f"{role} is given as column {name!r}, but no input with a {role} has a column of that name")


NO_USUAL_COLUMNS = UsualColumns({})


@dataclass(frozen=True, eq=False)
class Source:
    """A file or a frame, with what cannot be seen from it.

    Args:
        data: A path, or a frame of pandas, polars, PyArrow or DuckDB.
        columns: Which column has which role, by name or by place from 1: ``{"user": "uid", "item": 2}``. Roles are user,
            item, aspect, rank, score, system, grade, strength, weight, feature and value; in social networks also source, target,
            community and text. By default columns are recognised by their usual names.
        split: The separator between several aspects, features or communities in one cell, as in ``Action|Comedy``. Lists need none, be
            they written as text.
        format: csv, tsv, parquet, arrow, jsonl, run or qrels (TREC), npz, npy or graphml. Default: by extension and content.
        header: Whether the first line of a text file names the columns. Default: seen from that line.
        ids: For features in an npy file, the file with the items of its rows.
        name: What errors and notes call it. Default: the path.
        usual: Names of columns that hold for several inputs.

    Examples:
        >>> Source("movies.csv", columns={"item": "movieId", "aspect": "genres"}, split="|").named("aspects")
        'movies.csv'
    """

    data: Any
    columns: Mapping[str, str | int] = field(default_factory=dict)
    split: str | None = None
    format: str | None = None
    header: bool | None = None
    ids: Any = None
    name: str | None = None
    usual: UsualColumns = NO_USUAL_COLUMNS

    kind: ClassVar[str] = "source"
    """What tells it from other kinds, as plain data."""

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"format is {self.format!r}, expected one of {', '.join(FORMATS)}")
        for role, column in self.columns.items():
            if isinstance(column, bool) or not isinstance(column, str | int):
                raise InputError(f"{role} is given as column {column!r}, expected a name or a number from 1")
        if self.header not in (None, True, False):
            raise InputError(f"header is {self.header!r}, expected true or false")
        if self.split is not None and not self.split:
            raise InputError("split is empty, expected the separator between aspects, such as '|'")

    def to_data(self) -> dict[str, Any]:
        """As plain data; files by their absolute paths."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        ids = None if self.ids is None else os.path.abspath(self.ids)
        return {**plain, "kind": self.kind, "data": os.path.abspath(self.path), "ids": ids, "usual": self.usual.columns}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        given = {name: value for name, value in data.items() if name != "kind"}
        return cls(**{**given, "usual": UsualColumns(data["usual"])})

    @property
    def is_path(self) -> bool:
        return isinstance(self.data, str | os.PathLike)

    @property
    def path(self) -> str:
        """The file, without the part of it that is to be read."""
        return self._path_and_part[0]

    @property
    def part(self) -> str | None:
        """The part of a file that is to be read: ``default/test`` of ``predictions.json#default/test``."""
        return self._path_and_part[1]

    @property
    def _path_and_part(self) -> tuple[str, str | None]:
        path = os.fsdecode(self.data)
        found = _PART.fullmatch(path)
        return (path, None) if found is None or os.path.exists(path) else (found[1], found[2])

    def named(self, input: str) -> str:
        return self.name or (printed(os.fsdecode(self.data)) if self.is_path else input)

    @property
    def guessed_format(self) -> Format | None:
        """The format that was given, or that the extension tells."""
        if self.format is not None:
            return self.format  # type: ignore[return-value]
        stem, extension = os.path.splitext(self.path.lower())
        if extension in _COMPRESSED:
            extension = os.path.splitext(stem)[1]
        return _EXTENSIONS.get(extension)


def check_files(given: Iterable[Any]) -> None:
    """That all files are there, before any is read; everything else is passed over."""
    sources = [one if isinstance(one, Source) else Source(one) for one in given if isinstance(one, Source | str | os.PathLike)]
    each(partial(check_there, source.path, source.named("")) for source in sources if source.is_path and source.path != "-")


def is_external(given: Any) -> bool:
    """Whether something is a file or a frame, to be read here."""
    if isinstance(given, Source | str | os.PathLike) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "__dataframe__"):
        return True
    # Asked by name, as asking a lazy frame for its columns would set it to work.
    kinds = {kind.__name__ for kind in type(given).__mro__}
    return type(given).__module__.partition(".")[0] in ("polars", "pandas") and bool(kinds & {"DataFrame", "LazyFrame", "Series", "Index"})
