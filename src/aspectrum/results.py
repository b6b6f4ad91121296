"""Results: numbers, the states behind them, scores of users, and how each number was computed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from aspectrum import formats
from aspectrum.arrays import LARGEST, Floats
from aspectrum.coding import Ids
from aspectrum.conventions import CONVENTIONS
from aspectrum.diagnostics.notices import PYTHON, Notice, Speaker
from aspectrum.errors import InputError, MetricError
from aspectrum.extras import needed
from aspectrum.forks import check_polars
from aspectrum.formats import Format, format_of
from aspectrum.html_table import html_table
from aspectrum.io.side_tables import read_titles
from aspectrum.metric import Metric, UserMetric, parse
from aspectrum.output_files import write_text
from aspectrum.saved import PER_USER, check_scores, read_saved
from aspectrum.states import Saved, State
from aspectrum.user_scores import AT_LEAST, BESIDE, CONTRIBUTION, GREATEST, LEAST, WEIGHT, UserScores, scores_frame
from aspectrum.user_traits import Trait
from aspectrum.wording import ABSENT, did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars

    from aspectrum.report.plots import Plots

_HEAD = ["Metric", "Value", "Users"]
_COUNTS = ["scored", "undefined", "missing"]
_FRAME = ["metric", "value", *_COUNTS]
_CSV_HEAD, _CSV_TAIL = ["metric", "value"], ["users", "computed", "warnings", "notes"]
_ENDS = ["least", "greatest"]

SystemsAs = Literal["columns", "rows"]
"""Where the systems stand in a table; the metrics stand on the other side."""


class Unfinished(Protocol):
    """A part of an evaluation, which adds to others before it becomes results."""

    def __add__(self, other: Any) -> Unfinished: ...
    def finish(self, *, said: Collection[str] = ()) -> Results: ...


class Lists(Protocol):
    """The lists behind results: they know what users contribute to metrics of a whole system, and what is known of users."""

    @property
    def knows_users(self) -> bool: ...
    @property
    def ties(self) -> str | None: ...
    def contributions(self, columns: Mapping[str, Column]) -> Sequence[UserScores]: ...
    def trait(self, trait: Trait) -> tuple[Ids, Floats, str]: ...


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
    def higher_is_better(self) -> bool | None:
        """Which way is better, of the metric as it is computed: a convention may turn it round."""
        convention = CONVENTIONS.get(self.how.get("convention", "published"))
        try:
            return self.metric.higher_is_better if convention is None else convention.applied(self.metric).higher_is_better
        except MetricError:  # saved by a version that had more
            return self.metric.higher_is_better

    @property
    def chosen_judging(self) -> str | None:
        """What a metric is judged by, where nobody asked for it: it then depends on the inputs, and tables say so."""
        asked = self.metric.parameters
        if asked.get("relevance") == "auto":  # whether items count only as far as they are relevant
            return None if self.how.get("relevance") == "none" else "relevance"
        return self.how.get("judged_by") if asked.get("judged_by", "") is None else None

    @property
    def details(self) -> dict[str, Any]:
        """How the number was computed, the number of users (or items) behind it, and how sure it is."""
        return {**self.how, **self.state.counts, **self.state.limits}


def _title(name: str, *columns: Column) -> str:
    """A name in a table, with the judging where it depends on the inputs; a name of the user's own is enough."""
    judgings = dict.fromkeys(column.chosen_judging for column in columns if column.name == name)
    found = [judging for judging in judgings if judging is not None]
    return f"{name} (by {' or '.join(found)})" if found else name


class Output:
    """What results and comparisons do alike."""

    notices: tuple[Notice, ...]
    speaker: Speaker

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """How the inputs were read, in words."""
        return tuple(one.rendered(self.speaker) for one in self.notices if one.level == "note")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the numbers are probably not what is meant, in words, each with its kind."""
        return tuple(one.with_kind(self.speaker) for one in self.notices if one.level == "warning")

    @property
    def _remarks(self) -> dict[str, tuple[str, ...]]:
        """What stands below a table, by its heading."""
        return {"Warnings": self.warnings, "Notes": self.notes}

    def _said_below(self, how: Sequence[str]) -> list[str]:
        """How numbers were computed, warnings and notes, a paragraph each."""
        return [*how, *(f"{heading.removesuffix('s')}: {one}" for heading, several in self._remarks.items() for one in several)]

    def to_json(self) -> str:
        return formats.as_json(self.to_dict())

    def write_report(
        self, path: str | os.PathLike[str], *, title: str = "", titles: Any = None, digits: int = 3, percent: bool = False
    ) -> None:
        """Write one self-contained HTML page, whole or not at all.

        Args:
            path: The file, as ``report.html``.
            title: Of the page.
            titles: What items are called, for the lists of single users: ``{item: title}``, or a file or frame of both.
            digits: Decimals of its tables.
            percent: Whether numbers are shown in percent.
        """
        known = {} if titles is None else read_titles(titles)
        origin = import_module("aspectrum.report.building").Origin(title=title, titles=known, digits=digits, percent=percent)
        import_module("aspectrum.report.writing").write_report(self, path, origin)

    @cached_property
    def plot(self) -> Plots:
        """Charts: ``plot.trade_off()``, ``.cutoffs()``, ``.distribution()``, ``.lorenz()``, ``.differences()`` ..."""
        # Drawing is downstream of results, and nobody who does not draw loads it.
        plots: Plots = import_module("aspectrum.report.plots").Plots(self)
        return plots

    def __repr__(self) -> str:
        return str(self)


class _Numbers(Output):
    """What results of one system and of several do alike."""

    _frame_columns: ClassVar[list[str]]

    @property
    def per_user(self) -> polars.DataFrame:
        raise NotImplementedError

    def _all_per_user(self) -> polars.DataFrame:
        raise NotImplementedError

    def _records(self) -> list[dict[str, Any]]:
        """The rows of a frame, with plain values."""
        raise NotImplementedError

    def to_polars(self) -> polars.DataFrame:
        """The numbers as a polars frame: a row per metric (and system), and how many users are behind each.

        ``value`` is NaN where it is undefined. ``scored`` and ``undefined`` are null for a metric that does not score users.

        >>> import aspectrum as asp
        >>> asp.evaluate({"u": ["a"], "v": ["b"]}, "Recall@1", relevance={"u": ["a", "b"]}, users="lists").to_polars().row(0)
        ('Recall@1', 0.5, 1, 1, 0)
        """
        import polars

        check_polars()
        kinds = {name: polars.String if name in ("system", "metric") else polars.Int64 for name in self._frame_columns}
        return polars.DataFrame(self._records(), schema={**kinds, "value": polars.Float64})

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a pandas frame: undefined values are NaN, counts that do not exist ``<NA>``.

        >>> import aspectrum as asp
        >>> asp.evaluate({"u": ["a"]}, "GiniComplement@1", catalogue=["a", "b"]).to_pandas().columns.tolist()
        ['metric', 'value', 'scored', 'undefined', 'missing']
        """
        kinds = {"value": "float64", **dict.fromkeys(_COUNTS, "Int64")}
        library = needed("pandas", "pandas", "a pandas frame is made")
        frame: pandas.DataFrame = library.DataFrame(self._records(), columns=self._frame_columns).astype(kinds)
        return frame

    def write_per_user(self, path: str | os.PathLike[str]) -> None:
        """Write the scores of users to a Parquet file that also holds how they were computed, as JSON under ``aspectrum``.

        Or to ``.csv`` or ``.tsv``, with all digits: ``NaN`` where a score is undefined, empty where a user is not averaged. Further
        columns hold what comparisons need: ``... weight`` for ratios of sums, ``... contribution`` for metrics of a whole system.
        """
        formats.scores_separator(path)  # before the frame is made
        formats.write_scores(path, self._all_per_user(), self.to_dict())

    def _content(self, path: str | os.PathLike[str], format: Format, scores: str | os.PathLike[str] | None, **options: Any) -> str:
        """The text of a file; JSON names the file with the scores of users."""
        if scores is None or format != "json":
            return formats.written(self, format, **options)
        folder = os.path.dirname(os.path.abspath(path))
        return formats.as_json({**self.to_dict(), PER_USER: os.path.relpath(os.path.abspath(scores), folder)}) + "\n"


@dataclass(frozen=True, eq=False, repr=False)
class Results(_Numbers, Mapping[str, float]):
    """The numbers of one evaluation.

    ``result["AlphaNDCG@10"]`` takes a metric, any spelling that parses to it, one cutoff at a time, or the name that it was given.
    ``result + other`` joins the results of different users, as if they had been evaluated together.
    ``warnings`` say why the numbers are probably not what is meant, ``notes`` how the inputs were read, ``notices`` both as data.
    """

    columns: Mapping[str, Column]
    blocks: tuple[UserScores, ...] = ()
    notices: tuple[Notice, ...] = ()
    partial: Unfinished | None = None
    speaker: Speaker = PYTHON
    evidence: Lists | None = None
    digests: Mapping[str, str] = field(default_factory=dict)  # of the files that the lists were measured against, where they are known

    _frame_columns: ClassVar[list[str]] = _FRAME

    def __getitem__(self, metric: str | Metric) -> float:
        return self.column(metric).value

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, metric: object) -> bool:
        try:
            return isinstance(metric, str | Metric) and self.column(metric) is not None
        except KeyError:
            return False

    def column(self, metric: str | Metric) -> Column:
        """A number with everything behind it."""
        if str(metric) in self.columns:
            return self.columns[str(metric)]
        with suppress(MetricError):
            wanted = parse(metric) if isinstance(metric, str) else metric
            for column in self.columns.values():  # which may have a name of its own
                if column.metric == wanted:
                    return column
        raise KeyError(f"{metric} was not computed; there are {', '.join(self.columns)}{did_you_mean(metric, self.columns)}")

    @property
    def details(self) -> Mapping[str, dict[str, Any]]:
        """How each number was computed: judging, pool, ideal, ties, users scored, undefined and missing ..."""
        return _Details(self)

    @property
    def least(self) -> Mapping[str, float]:
        """With ``ties="expected"``, the mean of the least scores over all orders of items with equal scores."""
        return _Limits(self, "least")

    @property
    def greatest(self) -> Mapping[str, float]:
        """With ``ties="expected"``, the mean of the greatest scores over all orders of items with equal scores."""
        return _Limits(self, "greatest")

    @property
    def per_user(self) -> polars.DataFrame:
        """Scores of users: a polars frame, NaN where undefined, null where a user is not averaged.

        A score against an exact ideal has a second column, ``... at least``: the score lies between the two, and is
        certain where they are equal. With ``ties="expected"``, ``... least`` and ``... greatest`` are those over all orders of equal scores.
        """
        return _kept(self._scores())

    def _scores(self) -> polars.DataFrame | None:
        return scores_frame(self.blocks, self.columns) if self.blocks else None

    @property
    def contributions(self) -> tuple[UserScores, ...]:
        """What each user contributes to metrics of a whole system, whose mean over users is the number; computed when asked for."""
        return () if self.evidence is None else tuple(self.evidence.contributions(self.columns))

    def _all_per_user(self) -> polars.DataFrame:
        return _kept(self._all_scores())

    def _all_scores(self) -> polars.DataFrame | None:
        further = [replace(one, names=tuple(name + CONTRIBUTION for name in one.names)) for one in self.contributions]
        return scores_frame((*self.blocks, *further), self.columns, whole=True) if self.blocks or further else None

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Results | SystemResults:
        """Results that were saved: a JSON file, or the scores of users as Parquet, CSV or TSV; those of several systems as such.

        >>> import tempfile
        >>> import aspectrum as asp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "results.parquet")
        ...     asp.evaluate({"ann": ["x"], "bob": ["y"]}, "NDCG@1", relevance={"ann": ["x"], "bob": ["x"]}).write_per_user(path)
        ...     asp.Results.read(path)["NDCG@1"]
        0.5
        """
        saved = read_saved(path)
        if "systems" not in saved.content and (saved.scores is None or "system" not in saved.scores.columns):
            return _restored(saved.content, saved.scores, saved.path)
        frames = {}
        if saved.scores is not None:
            if "system" not in saved.scores.columns:
                raise InputError(f"{saved.path}: no system column found, though there are results of several systems")
            frames = {
                key[0]: frame.drop("system")
                for key, frame in saved.scores.partition_by("system", as_dict=True, maintain_order=True).items()
            }
        contents = saved.content.get("systems") or {name: {} for name in frames}
        results = {name: _restored(content, frames.get(name), saved.path) for name, content in contents.items()}
        return SystemResults(results, _remarks(saved.content))

    def __add__(self, other: Results) -> Results:
        if self.partial is None or other.partial is None:
            raise InputError("these results cannot be added: they do not hold what the metrics remember")
        said = {one.kind for one in (*self.notices, *other.notices) if one.level == "warning"}
        return (self.partial + other.partial).finish(said=said)

    def __eq__(self, other: object) -> bool:
        """The same numbers computed in the same way, to the bit; the order of users does not matter."""
        return isinstance(other, Results) and dict(self.columns) == dict(other.columns)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of users, with plain values; an undefined number is None."""
        return {
            "metrics": [
                {
                    **column.details,
                    "metric": name,
                    "value": None if math.isnan(column.value) else column.value,
                    "counts": [*column.state.counts, *column.state.limits],
                }
                for name, column in self.columns.items()
            ],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            **({"inputs": dict(self.digests)} if self.digests else {}),
        }

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"metric": name, "value": column.value, **{count: column.state.counts.get(count) for count in _COUNTS}}
            for name, column in self.columns.items()
        ]

    def _repr_html_(self) -> str:
        """A table for notebooks, with how each number was computed, warnings and notes below.

        >>> import aspectrum as asp
        >>> table = asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": ["a"]})._repr_html_()
        >>> table.partition("<tbody>")[2].partition("</tbody>")[0]
        '<tr><th scope="row">NDCG@1</th><td class="number">1.0000</td><td>1 scored</td></tr>'
        """
        return html_table(_HEAD, self._rows(), below=self._said_below(self._how()))

    def to_csv(self) -> str:
        """A row per metric, with all digits; an undefined number is empty."""
        ends = _ENDS if self.least else []
        return formats.as_csv([*_CSV_HEAD, *ends, *_CSV_TAIL], self._csv_rows(self._remarks, ends))

    def to_text(self, *, how: bool = True) -> str:
        """A plain table of numbers and how each was computed (unless `how` is false), and the notes."""
        ways = [[formats.computed(column.how)] if how else [] for column in self.columns.values()]
        rows = [[*row, *way] for row, way in zip(self._rows(), ways, strict=True)]
        return formats.as_text([*_HEAD, *(["Computed"] if how else [])], rows, (), self._remarks)

    def to_markdown(self) -> str:
        """A table of numbers, below it how each was computed, and the notes."""
        return formats.as_markdown(_HEAD, self._rows(), self._how(), self._remarks)

    def to_latex(self) -> str:
        """A table of numbers; how each was computed, and the notes, follow as comments."""
        return formats.as_latex(_HEAD, self._rows(), self._how(), self._remarks, "lrl")

    def written(self, format: Format = "table") -> str:
        """The text in one of the formats, with a line end."""
        return formats.written(self, format)

    def write(self, path: str | os.PathLike[str], format: Format | None = None, *, scores: str | os.PathLike[str] | None = None) -> None:
        """Write a file, whole or not at all; the format is by default what the extension says.

        Args:
            scores: The file that :meth:`write_per_user` wrote or will write: JSON names it, so that saved results can be compared.
        """
        write_text(path, self._content(path, format or format_of(path), scores))

    def _csv_rows(self, remarks: Mapping[str, Sequence[str]], ends: Sequence[str]) -> list[list[str]]:
        said = ["; ".join(several) for several in remarks.values()]
        rows = []
        for name, one in self.columns.items():
            numbers = [one.value, *(one.state.limits.get(end, math.nan) for end in ends)]
            rows.append([name, *map(formats.exact_number, numbers), formats.counted(one.state), formats.computed(one.how), *said])
        return rows

    def _rows(self) -> list[list[str]]:
        return [[_title(name, one), formats.number(one.value), formats.counted(one.state)] for name, one in self.columns.items()]

    def _how(self) -> list[str]:
        return formats.grouped((name, formats.computed(column.how)) for name, column in self.columns.items())

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, eq=False, repr=False)
class SystemResults(_Numbers, Mapping[str, Results]):
    """Results of several systems over the same truth, printed as one table: a row per metric, a column per system.

    ``warnings`` say why the numbers are probably not what is meant, ``notes`` how the inputs were read, ``notices`` both as data.
    """

    systems: Mapping[str, Results]
    notices: tuple[Notice, ...] = ()
    speaker: Speaker = PYTHON

    _frame_columns: ClassVar[list[str]] = ["system", *_FRAME]

    def __getitem__(self, system: str) -> Results:
        if system in self.systems:
            return self.systems[system]
        if any(system in results for results in self.systems.values()):
            raise KeyError(f"{system} is a metric; the system comes first, as in results[{next(iter(self.systems))!r}][{str(system)!r}]")
        raise KeyError(f"there is no system {system!r}; there are {', '.join(map(repr, self.systems))}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def per_user(self) -> polars.DataFrame:
        """Scores of users: a polars frame with system and user; NaN where undefined, null where a user is not averaged."""
        return self._joined(Results._scores)

    def _all_per_user(self) -> polars.DataFrame:
        return self._joined(Results._all_scores)

    def _joined(self, frame_of: Callable[[Results], polars.DataFrame | None]) -> polars.DataFrame:
        """Frames of all systems below one another; a system whose metrics score no users has none."""
        import polars

        if not self.systems:
            raise InputError("there are no systems, so there are no scores of users")
        check_polars()
        frames = [
            frame.select(polars.lit(name, polars.String).alias("system"), polars.all())
            for name, result in self.systems.items()
            if (frame := frame_of(result)) is not None
        ]
        # relaxed: a system without users has a column of no type
        return _kept(polars.concat(frames, how="diagonal_relaxed") if frames else None)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of users, with plain values; an undefined number is None."""
        remarks = {"warnings": list(self.warnings), "notes": list(self.notes)}
        return {"systems": {system: result.to_dict() for system, result in self.systems.items()}, **remarks}

    def _records(self) -> list[dict[str, Any]]:
        return [{"system": system, **record} for system, result in self.systems.items() for record in result._records()]

    def _repr_html_(self) -> str:
        """A table for notebooks, with how each number was computed, warnings and notes below.

        >>> import aspectrum as asp
        >>> lists = {"A": {"u": ["a"]}, "B": {"u": ["b"]}}
        >>> table = asp.evaluate_systems(lists, "NDCG@1", relevance={"u": {"a": 2, "b": 1}})._repr_html_()
        >>> table.partition("<thead>")[2].partition("</thead>")[0]
        '<tr><th scope="col">Metric</th><th scope="col" class="number">A</th><th scope="col" class="number">B</th></tr>'
        """
        return html_table(*self._cells("columns"), below=self._said_below(self._how()))

    def to_csv(self) -> str:
        """A row per system and metric, with all digits; an undefined number is empty."""
        ends = _ENDS if any(result.least for result in self.systems.values()) else []
        rows = [[system, *row] for system, result in self.systems.items() for row in result._csv_rows(self._remarks, ends)]
        return formats.as_csv(["system", *_CSV_HEAD, *ends, *_CSV_TAIL], rows)

    def to_text(self, systems_as: SystemsAs = "columns", *, how: bool = True) -> str:
        """A plain table of numbers, below it how each was computed (unless `how` is false), and the notes."""
        return formats.as_text(*self._cells(systems_as), self._how() if how else (), self._remarks)

    def to_markdown(self, systems_as: SystemsAs = "columns") -> str:
        """A table of numbers, below it how each was computed, system by system where they differ, and the notes."""
        return formats.as_markdown(*self._cells(systems_as), self._how(), self._remarks)

    def to_latex(self, systems_as: SystemsAs = "columns") -> str:
        """A table of numbers; how each was computed, and the notes, follow as comments."""
        head, rows = self._cells(systems_as)
        return formats.as_latex(head, rows, self._how(), self._remarks, "l" + "r" * (len(head) - 1))

    def to_relison(self) -> str:
        """The table that RELISON writes: a row per system (``Variant``), a column per metric under its name there, all digits."""
        heads = self._relison_heads()
        rows = [
            [system, *(repr(float(result.columns[name].value)) if name in result.columns else "" for name in heads)]
            for system, result in self.systems.items()
        ]
        return formats.as_tabs([["Variant", *heads.values()], *rows])

    def _relison_heads(self) -> dict[str, str]:
        """What RELISON calls each column; of several that it calls alike, the others keep their own names."""
        relison = CONVENTIONS["relison"]
        metrics, called = {}, {}
        for name in self._names():
            columns = [result.columns[name] for result in self.systems.values() if name in result.columns]
            as_relison = all(column.how.get("convention") == relison.name for column in columns)
            metrics[name] = relison.applied(columns[0].metric) if as_relison else columns[0].metric
            called[name] = relison.named(metrics[name]) if name == columns[0].name else name
        owners: dict[str, str] = {}
        for name in sorted(called, key=lambda name: (called[name] != name, not relison.computes(metrics[name]))):
            owners.setdefault(called[name], name)
        return {name: head if owners[head] == name else name for name, head in called.items()}

    def written(self, format: Format = "table", systems_as: SystemsAs = "columns") -> str:
        """The text in one of the formats, with a line end."""
        return formats.written(self, format, systems_as)

    def write(
        self,
        path: str | os.PathLike[str],
        format: Format | None = None,
        systems_as: SystemsAs = "columns",
        *,
        scores: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write a file, whole or not at all; the format is by default what the extension says. See :meth:`Results.write`."""
        write_text(path, self._content(path, format or format_of(path), scores, systems_as=systems_as))

    def _names(self) -> list[str]:
        return list(dict.fromkeys(name for result in self.systems.values() for name in result.columns))

    def _cells(self, systems_as: SystemsAs) -> tuple[list[str], list[list[str]]]:
        """Head and rows of the table."""
        if systems_as not in get_args(SystemsAs):
            raise InputError(f"systems_as is {systems_as!r}, expected 'columns' or 'rows'")
        table = [["Metric", *self.systems]]
        for name in self._names():
            columns = [result.columns.get(name) for result in self.systems.values()]
            title = _title(name, *(column for column in columns if column is not None))
            table.append([title, *(ABSENT if column is None else formats.number(column.value) for column in columns)])
        if systems_as == "rows":
            table = [list(cells) for cells in zip(*table, strict=True)]
            table[0][0] = "System"
        return table[0], table[1:]

    def _how(self) -> list[str]:
        """Metrics computed in the same way and standing on the same counts share a line, as do systems in a line."""
        return formats.grouped((name, self._how_of(name)) for name in self._names())

    def _how_of(self, name: str) -> str:
        columns = {system: result.columns[name] for system, result in self.systems.items() if name in result.columns}
        said = [(system, formats.computed(column.how), formats.counted(column.state)) for system, column in columns.items()]
        ways, counts = ({one[part] for one in said} for part in (1, 2))
        if len(ways) > 1:
            return "; ".join(formats.grouped((system, f"{way}. {count}") for system, way, count in said))
        return f"{ways.pop()}. " + (
            counts.pop() if len(counts) == 1 else "; ".join(formats.grouped((system, count) for system, _, count in said))
        )

    @property
    def _remarks(self) -> dict[str, tuple[str, ...]]:
        several = [super()._remarks, *(replace(result, speaker=self.speaker)._remarks for result in self.systems.values())]
        return {head: tuple(dict.fromkeys(one for remarks in several for one in remarks[head])) for head in several[0]}

    def __str__(self) -> str:
        return self.to_text()


def _kept(scores: polars.DataFrame | None) -> polars.DataFrame:
    if scores is None:
        raise InputError(
            "scores of users were not kept: evaluate with per_user=True and a metric that scores users; with Spark, use integrations.spark.scores"
        )
    return scores


class _Details(Mapping[str, dict[str, Any]]):
    def __init__(self, results: Results) -> None:
        self._results = results

    def __getitem__(self, metric: str | Metric) -> dict[str, Any]:
        return self._results.column(metric).details

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


@dataclass(frozen=True)
class _Limits(Mapping[str, float]):
    """One of the limits of each number that has it."""

    results: Results
    kind: str

    def __getitem__(self, metric: str | Metric) -> float:
        column = self.results.column(metric)
        if self.kind not in column.state.limits:
            raise KeyError(f"{metric} is not an average over the orders of equal scores; evaluate with ties='expected'")
        return column.state.limits[self.kind]

    def __iter__(self) -> Iterator[str]:
        return (name for name, column in self.results.columns.items() if self.kind in column.state.limits)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _restored(content: Mapping[str, Any], scores: polars.DataFrame | None, path: str) -> Results:
    """Results of one system from a file: its numbers, and the scores of users if it has them."""
    if scores is not None:
        check_scores(path, scores)
    if content:
        columns = {one["metric"]: _restored_column(one, path) for one in content["metrics"]}
    else:
        assert scores is not None
        mine = [name for name in scores.columns if name != "user" and not _is_further(name, scores)]
        columns = {name.removesuffix(CONTRIBUTION): _column_of_scores(name, scores, path) for name in mine}
    digests = content.get("inputs", {})
    if scores is None:
        return Results(columns, notices=_remarks(content), digests=digests)
    blocks: list[UserScores] = []
    further: list[UserScores] = []
    users = scores["user"]
    for name in columns:
        kind = CONTRIBUTION if name + CONTRIBUTION in scores.columns else ""
        if name + kind not in scores.columns:
            continue
        averaged = scores[name + kind].is_not_null()
        rows = scores.filter(averaged)

        def values(kind: str, name: str = name, rows: polars.DataFrame = rows) -> dict[str, Floats]:
            return {name: rows[name + kind].to_numpy()} if name + kind in rows.columns else {}

        own = rows[name + kind].to_numpy()[:, np.newaxis]
        for odd in own[np.abs(own) > LARGEST][:1]:
            raise InputError(
                f"{path}: column {name + kind!r} has a score of {odd:g}, expected sizes up to {LARGEST:g}, or NaN where undefined"
            )
        block = UserScores(Ids(users.filter(averaged)), (name,), own, *map(values, (AT_LEAST, WEIGHT, LEAST, GREATEST)))
        (further if kind else blocks).append(block)
    return Results(columns, tuple(blocks), _remarks(content), evidence=_Kept(tuple(further)), digests=digests)


@dataclass(frozen=True, eq=False)
class _Kept(Lists):
    """Contributions that were saved with the results."""

    blocks: tuple[UserScores, ...]
    knows_users: bool = False
    ties: str | None = None  # which a file does not say

    def contributions(self, columns: Mapping[str, Column]) -> Sequence[UserScores]:
        return self.blocks

    def trait(self, trait: Trait) -> tuple[Ids, Floats, str]:
        raise InputError(f"segments by {trait} need the history, which saved results do not hold; give a segment for each user instead")


def _parsed(name: str, path: str) -> Metric:
    """A metric of a file, in which every metric may be named."""
    import aspectrum.metrics  # noqa: F401  so that their names are known

    try:
        return parse(name)
    except MetricError as error:
        raise InputError(f"{path}: {error}; import the module that defines it, or leave the column out") from None


def _restored_column(saved: Mapping[str, Any], path: str) -> Column:
    counted = saved.get("counts", ())
    counts = {name: saved[name] for name in counted if isinstance(saved[name], int)}
    limits = {name: saved[name] for name in counted if isinstance(saved[name], float)}
    how = {name: value for name, value in saved.items() if name not in (*counted, "counts", "value")}
    value = math.nan if saved["value"] is None else float(saved["value"])
    metric = _parsed(saved.get("definition", saved["metric"]), path)
    return Column(metric, Saved(value, counts, limits), {**how, "metric": type(metric).__name__})


def _is_further(name: str, scores: polars.DataFrame) -> bool:
    """Whether a column belongs to that of a score; contributions stand for a metric without scores."""
    return any(name.endswith(kind) and name.removesuffix(kind) in scores.columns for kind in BESIDE)


def _column_of_scores(name: str, scores: polars.DataFrame, path: str) -> Column:
    """The column of a metric of which a file says no more than the scores of users."""
    values = scores[name].cast(float)
    own = name.removesuffix(CONTRIBUTION)
    metric = _parsed(own, path)
    found = values.drop_nulls().to_numpy()
    scored = found[~np.isnan(found)]
    if isinstance(metric, UserMetric) and metric.pooled and own + WEIGHT not in scores.columns:
        raise InputError(f"{path}: {own} is a ratio of sums, and the column {own + WEIGHT!r} is missing; write the file by write_per_user")
    weights = np.ones(len(scored))
    if own + WEIGHT in scores.columns:
        weights = scores.filter(values.is_not_null())[own + WEIGHT].cast(float).fill_null(math.nan).to_numpy()[~np.isnan(found)]
        if not (weights >= 0).all():
            raise InputError(f"{path}: column {own + WEIGHT!r} has a weight that is negative or missing")
    total = math.fsum(weights)

    def mean(column: str) -> float:
        numbers = scores.filter(values.is_not_null())[column].cast(float).fill_null(math.nan).to_numpy()[~np.isnan(found)]
        return math.fsum(numbers * weights) / total if total else math.nan

    ends = {"least": own + LEAST, "greatest": own + GREATEST}
    limits = {end: mean(column) for end, column in ends.items() if column in scores.columns}
    counts = {"scored": len(scored), "undefined": len(found) - len(scored)} if own == name else {}
    return Column(metric, Saved(mean(name), counts, limits), {})


def _remarks(content: Mapping[str, Any]) -> tuple[Notice, ...]:
    warned = [Notice("saved_warning", detail={"text": text}) for text in content.get("warnings", ())]
    return (*warned, *(Notice("remark", detail={"text": text}) for text in content.get("notes", ())))
