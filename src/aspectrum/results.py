"""Results: numbers, the states behind them, scores of users, and how each number was computed."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.coding import Ids
from aspectrum.conventions import CONVENTIONS
from aspectrum.errors import InputError, MetricError, OutputError
from aspectrum.metric import Metric, parse
from aspectrum.states import State
from aspectrum.writing import replacing, write_text

if TYPE_CHECKING:
    import polars

Format = Literal["table", "json", "csv", "markdown", "latex", "relison"]
"""How results can be written down."""

SystemsAs = Literal["columns", "rows"]
"""Where the systems stand in a table; the metrics stand on the other side."""

_EXTENSIONS: Mapping[str, Format] = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}


class Unfinished(Protocol):
    """A part of an evaluation, which adds to others before it becomes results."""

    def __add__(self, other: Any) -> Unfinished: ...

    def finish(self) -> Results: ...


@dataclass(frozen=True)
class Column:
    """One metric at one cutoff: as it was asked for, what it remembers, and how it was computed."""

    metric: Metric
    state: State
    how: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.metric)

    @property
    def value(self) -> float:
        return self.state.value

    @property
    def details(self) -> dict[str, Any]:
        """How the number was computed, how many users (or items) it stands on, and how sure it is."""
        return {**self.how, **self.state.counts, **self.state.limits}


@dataclass(frozen=True, eq=False)
class UserScores:
    """Scores of users, (users, names); NaN is undefined. ``least`` has, by name, what scores that may not be proved are at least."""

    users: Ids
    names: tuple[str, ...]
    scores: Floats
    least: Mapping[str, Floats] = field(default_factory=dict)

    @staticmethod
    def joined(several: Sequence[UserScores]) -> UserScores:
        """Scores of different users, one part after the other. Users without a list score 0 for sure."""
        first = several[0]
        least = {
            name: np.concatenate([part.least.get(name, part.scores[:, first.names.index(name)]) for part in several])
            for name in first.least
        }
        return UserScores(
            Ids.joined([part.users for part in several]), first.names, np.concatenate([part.scores for part in several]), least
        )


@dataclass(frozen=True, eq=False)
class Results(Mapping[str, float]):
    """The numbers of one evaluation.

    ``result["AlphaNDCG@10"]`` takes a metric or any spelling that parses to it, one cutoff at a time.
    ``result + other`` joins the results of different users, as if they had been evaluated together.
    ``notes`` are facts about the inputs that a reader should know.
    """

    columns: Mapping[str, Column]
    blocks: tuple[UserScores, ...] = ()
    notes: tuple[str, ...] = ()
    partial: Unfinished | None = None

    def __getitem__(self, metric: str | Metric) -> float:
        return self.column(metric).value

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, metric: object) -> bool:
        try:
            return isinstance(metric, str | Metric) and self.column(metric) is not None
        except (KeyError, MetricError):
            return False

    def column(self, metric: str | Metric) -> Column:
        """A number with everything behind it."""
        name = metric if isinstance(metric, str) and metric in self.columns else str(parse(metric) if isinstance(metric, str) else metric)
        if name not in self.columns:
            raise KeyError(f"{name} was not computed; there are {', '.join(self.columns)}")
        return self.columns[name]

    @property
    def details(self) -> Mapping[str, dict[str, Any]]:
        """How each number was computed: judging, pool, ideal, ties, users scored, undefined and missing ..."""
        return _Details(self)

    @property
    def per_user(self) -> polars.DataFrame:
        """Scores of users: a polars frame, NaN where undefined, null where a user is not averaged.

        A score against an exact ideal has a second column, ``... at least``: the score lies between the two, and is
        certain where they are equal.
        """
        import polars

        if not self.blocks:
            raise InputError("scores of users were not kept: evaluate with per_user=True and a metric that scores users")
        users = self.blocks[0].users
        if any(block.users != users for block in self.blocks):
            users = Ids(list(dict.fromkeys(user for block in self.blocks for user in block.users)))
        columns: dict[str, polars.Series] = {}
        for block in self.blocks:
            places = None if block.users == users else [users.code(user) for user in block.users]
            for name, scores in _with_least(block):
                if places is not None:  # not everybody is averaged here
                    known = dict(zip(places, scores.tolist(), strict=True))
                    columns[name] = polars.Series(name, [known.get(place) for place in range(len(users))], dtype=polars.Float64)
                else:
                    columns[name] = polars.Series(name, scores)
        names = [name for own in self.columns for name in (own, own + _AT_LEAST) if name in columns]
        return polars.DataFrame([users.to_series("user"), *(columns[name] for name in names)])

    def __add__(self, other: Results) -> Results:
        if self.partial is None or other.partial is None:
            raise InputError("these results cannot be added: they do not hold what the metrics remember")
        return (self.partial + other.partial).finish()

    def __eq__(self, other: object) -> bool:
        """The same numbers computed in the same way, to the bit; the order of users does not matter."""
        return isinstance(other, Results) and dict(self.columns) == dict(other.columns)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of users, with plain values; an undefined number is None."""
        return {
            "metrics": [
                {**column.details, "metric": name, "value": None if math.isnan(column.value) else column.value}
                for name, column in self.columns.items()
            ],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        return _json(self.to_dict())

    def to_csv(self) -> str:
        """A row per metric, with all digits; an undefined number is empty."""
        return _csv(["metric", *_CSV_HEAD], [[name, *_csv_cells(column, self.notes)] for name, column in self.columns.items()])

    def to_text(self, *, how: bool = True) -> str:
        """A plain table of numbers and how each was computed (unless `how` is false), and the notes."""
        rows = [[*row, *([_computed(self.columns[row[0]])] if how else [])] for row in self._rows()]
        return _joined(plain_table([*_HEAD, *(["Computed"] if how else [])], rows), _listed("Notes:", self.notes))

    def to_markdown(self) -> str:
        """A table of numbers, below it how each was computed, and the notes."""
        return _joined(
            _markdown(_HEAD, self._rows()),
            _listed(None, self._how(), _markdown_text),
            _listed("Notes:\n", self.notes, _markdown_text),
        )

    def to_latex(self) -> str:
        """A table of numbers; how each was computed, and the notes, follow as comments."""
        return "\n".join([_latex(_HEAD, self._rows(), "lrl"), *_latex_comments(self._how(), self.notes)])

    def written(self, format: Format = "table") -> str:
        """The text in one of the formats, with a line end."""
        writers = {
            "table": self.to_text,
            "json": self.to_json,
            "csv": self.to_csv,
            "markdown": self.to_markdown,
            "latex": self.to_latex,
        }
        return _written(format, writers)

    def write(self, path: str | os.PathLike[str], format: Format | None = None) -> None:
        """Write a file, whole or not at all; the format is by default what the extension says."""
        write_text(path, self.written(format or format_of(path)))

    def write_per_user(self, path: str | os.PathLike[str]) -> None:
        """Write the scores of users to a Parquet file that also holds how they were computed, as JSON under ``aspectrum``."""
        _write_parquet(path, self)

    def _rows(self) -> list[list[str]]:
        return [[name, _number(column.value), _counted(column)] for name, column in self.columns.items()]

    def _how(self) -> list[str]:
        return _grouped((name, _computed(column)) for name, column in self.columns.items())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False)
class SystemResults(Mapping[str, Results]):
    """Results of several systems over the same truth, printed as one table: a row per metric, a column per system.

    ``notes`` are facts about the inputs that a reader should know.
    """

    systems: Mapping[str, Results]
    notes: tuple[str, ...] = ()

    def __getitem__(self, system: str) -> Results:
        return self.systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def per_user(self) -> polars.DataFrame:
        """Scores of users: a polars frame with system and user; NaN where undefined, null where a user is not averaged."""
        import polars

        if not self.systems:
            raise InputError("there are no systems, so there are no scores of users")
        frames = [
            result.per_user.select(polars.lit(name, polars.String).alias("system"), polars.all()) for name, result in self.systems.items()
        ]
        return polars.concat(frames, how="diagonal_relaxed")  # relaxed: a system without users has a column of no type

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of users, with plain values; an undefined number is None."""
        return {"systems": {system: result.to_dict() for system, result in self.systems.items()}, "notes": list(self.notes)}

    def to_json(self) -> str:
        return _json(self.to_dict())

    def to_csv(self) -> str:
        """A row per system and metric, with all digits; an undefined number is empty."""
        notes = self._all_notes()
        rows = [
            [system, name, *_csv_cells(column, notes)] for system, result in self.systems.items() for name, column in result.columns.items()
        ]
        return _csv(["system", "metric", *_CSV_HEAD], rows)

    def to_text(self, systems_as: SystemsAs = "columns", *, how: bool = True) -> str:
        """A plain table of numbers, below it how each was computed (unless `how` is false), and the notes."""
        return _joined(
            plain_table(*self._cells(systems_as)),
            "\n".join(map(_one_line, self._how())) if how else "",
            _listed("Notes:", self._all_notes()),
        )

    def to_markdown(self, systems_as: SystemsAs = "columns") -> str:
        """A table of numbers, below it how each was computed, system by system where they differ, and the notes."""
        return _joined(
            _markdown(*self._cells(systems_as)),
            _listed(None, self._how(), _markdown_text),
            _listed("Notes:\n", self._all_notes(), _markdown_text),
        )

    def to_latex(self, systems_as: SystemsAs = "columns") -> str:
        """A table of numbers; how each was computed, and the notes, follow as comments."""
        head, rows = self._cells(systems_as)
        return "\n".join([_latex(head, rows, "l" + "r" * (len(head) - 1)), *_latex_comments(self._how(), self._all_notes())])

    def to_relison(self) -> str:
        """The table that RELISON writes: a row per system (``Variant``), a column per metric under its name there, all digits."""
        names = {name: column.metric for result in self.systems.values() for name, column in result.columns.items()}
        head = ["Variant", *map(CONVENTIONS["relison"].named, names.values())]
        rows = [
            [system, *(repr(float(result.columns[name].value)) if name in result.columns else "" for name in names)]
            for system, result in self.systems.items()
        ]
        return "\n".join("\t".join(map(_one_line, cells)) for cells in [head, *rows])

    def written(self, format: Format = "table", systems_as: SystemsAs = "columns") -> str:
        """The text in one of the formats, with a line end."""
        writers: dict[str, Callable[[], str]] = {
            "table": lambda: self.to_text(systems_as),
            "json": self.to_json,
            "csv": self.to_csv,
            "markdown": lambda: self.to_markdown(systems_as),
            "latex": lambda: self.to_latex(systems_as),
            "relison": self.to_relison,
        }
        return _written(format, writers)

    def write(self, path: str | os.PathLike[str], format: Format | None = None, systems_as: SystemsAs = "columns") -> None:
        """Write a file, whole or not at all; the format is by default what the extension says."""
        write_text(path, self.written(format or format_of(path), systems_as))

    def write_per_user(self, path: str | os.PathLike[str]) -> None:
        """Write the scores of users to a Parquet file that also holds how they were computed, as JSON under ``aspectrum``."""
        _write_parquet(path, self)

    def _names(self) -> list[str]:
        return list(dict.fromkeys(name for result in self.systems.values() for name in result.columns))

    def _cells(self, systems_as: SystemsAs) -> tuple[list[str], list[list[str]]]:
        """Head and rows of the table."""
        if systems_as not in get_args(SystemsAs):
            raise InputError(f"systems_as is {systems_as!r}, expected 'columns' or 'rows'")
        rows = [
            [name, *(_number(result.columns[name].value) if name in result.columns else _ABSENT for result in self.systems.values())]
            for name in self._names()
        ]
        table = [["Metric", *self.systems], *rows]
        if systems_as == "rows":
            table = [list(cells) for cells in zip(*table, strict=True)]
            table[0][0] = "System"
        return table[0], table[1:]

    def _how(self) -> list[str]:
        """Metrics computed in the same way and standing on the same counts share a line, as do systems in a line."""
        return _grouped((name, self._how_of(name)) for name in self._names())

    def _how_of(self, name: str) -> str:
        columns = {system: result.columns[name] for system, result in self.systems.items() if name in result.columns}
        ways = {_computed(column) for column in columns.values()}
        if len(ways) > 1:
            return "; ".join(_grouped((system, f"{_computed(column)}. {_counted(column)}") for system, column in columns.items()))
        counts = {_counted(column) for column in columns.values()}
        if len(counts) > 1:
            return f"{ways.pop()}. " + "; ".join(_grouped((system, _counted(column)) for system, column in columns.items()))
        return f"{ways.pop()}. {counts.pop()}"

    def _all_notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.notes, *(note for result in self.systems.values() for note in result.notes))))

    def __str__(self) -> str:
        return self.to_text(how=False)

    def __repr__(self) -> str:
        return str(self)


class _Details(Mapping[str, dict[str, Any]]):
    def __init__(self, results: Results) -> None:
        self._results = results

    def __getitem__(self, metric: str | Metric) -> dict[str, Any]:
        return self._results.column(metric).details

    def __iter__(self) -> Iterator[str]:
        return iter(self._results.columns)

    def __len__(self) -> int:
        return len(self._results.columns)


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the extension of a path stands for."""
    extension = os.path.splitext(os.fspath(path))[1].lower()
    if extension not in _EXTENSIONS:
        known = ", ".join(f"{known} ({format})" if known[1:] != format else known for known, format in _EXTENSIONS.items())
        found = f"unknown extension {extension!r}" if extension else "no extension"
        raise OutputError(f"{os.fspath(path)}: {found} to tell the format; expected {known}, or say the format")
    return _EXTENSIONS[extension]


def check_parquet(path: str | os.PathLike[str]) -> None:
    """Whether scores of users can be written under this name."""
    if os.path.splitext(os.fspath(path))[1].lower() not in (".parquet", ".pq"):
        raise OutputError(f"{os.fspath(path)}: scores of users are written as Parquet; expected a name that ends in .parquet or .pq")


_HEAD = ["Metric", "Value", "Stands on"]
_CSV_HEAD = ["value", "stands_on", "computed", "notes"]
_ABSENT = "not computed"
_AT_LEAST = " at least"


def _with_least(block: UserScores) -> Iterator[tuple[str, Floats]]:
    """The columns of a block, those of lower ends after their scores."""
    for place, name in enumerate(block.names):
        yield name, block.scores[:, place]
        if name in block.least:
            yield name + _AT_LEAST, block.least[name]


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"


def _counted(column: Column) -> str:
    """Only what is not 0, but always the users scored; and how far the number may be off."""
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in column.state.counts.items() if count or name == "scored")
    limits = column.state.limits
    if not limits.get("widest_interval"):
        return counts
    return f"{counts}; at least {limits['at_least']:.4f}, one score by up to {limits['widest_interval']:.2g} less"


def _computed(column: Column) -> str:
    return ", ".join(f"{name}={value}" for name, value in column.how.items() if value is not None and name != "metric")


def _grouped(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Lines "name: text", one for all names with the same text."""
    names: dict[str, list[str]] = {}
    for name, text in lines:
        names.setdefault(text, []).append(name)
    return [f"{', '.join(group)}: {text}" for text, group in names.items()]


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _one_line(text: str) -> str:
    """Line ends and control characters made visible: no name can break a table, leave a comment or command a terminal."""
    return _BREAKS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _listed(head: str | None, entries: Sequence[str], escaped: Callable[[str], str] = _one_line) -> str:
    return "\n".join([*([head] if head else []), *(f"- {escaped(entry)}" for entry in entries)]) if entries else ""


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain text; a column of numbers stands right, any other left."""
    columns = [tuple(map(_one_line, cells)) for cells in zip(head, *rows, strict=True)]
    widths = [max(map(len, cells)) for cells in columns]
    right = [bool(rows) and all(map(_numeric, cells[1:])) for cells in columns]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.rjust(width) if stands else cell.ljust(width) for cell, width, stands in zip(cells, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    first, *others = zip(*columns, strict=True)
    return "\n".join([line(first), line(["-" * width for width in widths]), *map(line, others)])


def _numeric(cell: str) -> bool:
    return cell in ("undefined", _ABSENT) or re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?( %)?", cell) is not None


_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|<`*["})


def _markdown_text(text: str) -> str:
    return _one_line(text.translate(_MARKDOWN))


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_markdown_text, cells)) + " |"

    return "\n".join([line(head), "| " + " | ".join(["---", *["---:"] * (len(head) - 1)]) + " |", *map(line, rows)])


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
)


def _latex(head: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(_one_line(cell).translate(_LATEX) for cell in cells) + r" \\"

    return "\n".join(
        [rf"\begin{{tabular}}{{{alignment}}}", r"\hline", line(head), r"\hline", *map(line, rows), r"\hline", r"\end{tabular}"]
    )


def _latex_comments(how: Sequence[str], notes: Sequence[str]) -> list[str]:
    return [f"% {_one_line(line)}" for line in (*how, *(["Notes:"] if notes else []), *(f"- {note}" for note in notes))]


def _csv(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(map(_csv_line, [head, *rows]))


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # what is in the line end is quoted within cells, so both are
    return line.getvalue().removesuffix("\r\n") + "\n"


def _csv_cells(column: Column, notes: Sequence[str]) -> list[str]:
    value = "" if math.isnan(column.value) else repr(float(column.value))
    return [value, _counted(column), _computed(column), "; ".join(notes)]


def _json(content: Any, indent: int | None = 2) -> str:
    return json.dumps(_finite(content), indent=indent, ensure_ascii=False, default=str, allow_nan=False)


def _finite(content: Any) -> Any:
    """JSON has no infinite numbers (a threshold may be one): they become text."""
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return str(content) if isinstance(content, float) and not math.isfinite(content) else content


def _written(format: str, writers: Mapping[str, Callable[[], str]]) -> str:
    if format not in writers:
        raise OutputError(f"format is {format!r}, expected {', '.join(map(repr, writers))}")
    return writers[format]().removesuffix("\n") + "\n"


def _write_parquet(path: str | os.PathLike[str], results: Results | SystemResults) -> None:
    check_parquet(path)
    frame = results.per_user
    content = io.BytesIO()  # polars hides why a write to a file failed
    frame.write_parquet(content, metadata={"aspectrum": _json(results.to_dict(), None)})
    with replacing(path) as file:
        file.write(content.getbuffer())


def joined_notes(notes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Notes of several results by name, each once; one that does not hold for all says for which it does.

    >>> joined_notes({"fold 0": ["a", "b"], "fold 1": ["a"]})
    ('a', 'fold 0: b')
    """
    said = (
        note if all(note in others for others in notes.values()) else f"{name}: {note}"
        for name, several in notes.items()
        for note in several
    )
    return tuple(dict.fromkeys(said))
