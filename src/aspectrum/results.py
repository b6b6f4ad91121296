"""Results: numbers, the states behind them, scores of users, and how each number was computed."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.errors import InputError, MetricError
from aspectrum.metric import Metric, parse
from aspectrum.states import State
from aspectrum.world import Ids
from aspectrum.world.ids import shown

if TYPE_CHECKING:
    import polars


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
        """How the number was computed, and how many users (or items) it stands on."""
        return {**self.how, **self.state.counts}

    def __add__(self, other: Column) -> Column:
        for key in dict.fromkeys(("convention", "users", *self.how, *other.how)):
            if self.how.get(key) != other.how.get(key):
                raise InputError(
                    f"{self.name} was computed in two ways: {key} is {self.how.get(key)!r} in one part, {other.how.get(key)!r} in the other"
                )
        return Column(self.metric, self.state + other.state, self.how)


@dataclass(frozen=True, eq=False)
class UserScores:
    """Scores of users, (users, names); NaN is undefined."""

    users: Ids
    names: tuple[str, ...]
    scores: Floats

    def __add__(self, other: UserScores) -> UserScores:
        mine = set(self.users)
        for user in other.users:
            if user in mine:
                raise InputError(f"user {shown(user)} is in both parts: a user must be scored once")
        return UserScores(Ids([*self.users, *other.users]), self.names, np.concatenate([self.scores, other.scores]))


@dataclass(frozen=True, eq=False)
class Results(Mapping[str, float]):
    """The numbers of one evaluation.

    ``result["AlphaNDCG@10"]`` takes a metric or any spelling that parses to it, one cutoff at a time.
    ``result + other`` joins the results of different users, as if they had been evaluated together.
    """

    columns: Mapping[str, Column]
    blocks: tuple[UserScores, ...] = ()

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
        """Scores of users: a polars frame, NaN where undefined, null where a user is not averaged."""
        import polars

        if not self.blocks:
            raise InputError("scores of users were not kept: evaluate with per_user=True and a metric that scores users")
        users = Ids(list(dict.fromkeys(user for block in self.blocks for user in block.users)))
        columns: dict[str, polars.Series] = {}
        for block in self.blocks:
            places = None if block.users == users else [users.code(user) for user in block.users]
            for column, name in enumerate(block.names):
                scores = block.scores[:, column]
                if places is not None:  # not everybody is averaged here
                    known = dict(zip(places, scores.tolist(), strict=True))
                    columns[name] = polars.Series(name, [known.get(place) for place in range(len(users))], dtype=polars.Float64)
                else:
                    columns[name] = polars.Series(name, scores)
        return polars.DataFrame([_user_column(users), *(columns[name] for name in self.columns if name in columns)])

    def __add__(self, other: Results) -> Results:
        if self.columns.keys() != other.columns.keys():
            different = sorted(self.columns.keys() ^ other.columns.keys())
            raise InputError(f"results of different metrics cannot be added: {different[0]} is in one of them only")
        if [block.names for block in self.blocks] != [block.names for block in other.blocks]:
            raise InputError("results cannot be added: scores of users were kept in one of them only")
        return Results(
            {name: column + other.columns[name] for name, column in self.columns.items()},
            tuple(mine + theirs for mine, theirs in zip(self.blocks, other.blocks, strict=True)),
        )

    def __eq__(self, other: object) -> bool:
        """The same numbers computed in the same way, to the bit; the order of users does not matter."""
        return isinstance(other, Results) and dict(self.columns) == dict(other.columns)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of users, with plain values; an undefined number is None."""
        return {
            "metrics": [
                {"metric": name, "value": None if math.isnan(column.value) else column.value, **column.details}
                for name, column in self.columns.items()
            ]
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    def to_markdown(self) -> str:
        """A table of numbers, and below it how each was computed."""
        rows = [[name, _number(column.value), _counted(column)] for name, column in self.columns.items()]
        return _markdown(["Metric", "Value", "Stands on"], rows) + "\n\n" + self._how_markdown()

    def to_latex(self) -> str:
        rows = [[name, _number(column.value), _counted(column)] for name, column in self.columns.items()]
        return _latex(["Metric", "Value", "Stands on"], rows, "lrl")

    def _how_markdown(self) -> str:
        return "\n".join(f"- {name}: {_computed(column)}" for name, column in self.columns.items())

    def __str__(self) -> str:
        rows = [[name, _number(column.value), _counted(column), _computed(column)] for name, column in self.columns.items()]
        return _table(["Metric", "Value", "Stands on", "Computed"], rows)

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False)
class SystemResults(Mapping[str, Results]):
    """Results of several systems over the same truth, printed as one table: a row per metric, a column per system."""

    systems: Mapping[str, Results]

    def __getitem__(self, system: str) -> Results:
        return self.systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def _rows(self) -> list[list[str]]:
        names = next(iter(self.systems.values())).columns if self.systems else ()
        return [[name, *(_number(result[name]) for result in self.systems.values())] for name in names]

    def to_markdown(self) -> str:
        """A table of numbers, and below it how each was computed, system by system where they differ."""
        lines = [_markdown(["Metric", *self.systems], self._rows()), ""]
        for name in next(iter(self.systems.values())).columns if self.systems else ():
            columns = {system: result.columns[name] for system, result in self.systems.items()}
            computed = _computed(next(iter(columns.values())))
            counted = {system: _counted(column) for system, column in columns.items()}
            if len(set(counted.values())) == 1:
                stands_on = next(iter(counted.values()))
            else:
                stands_on = "; ".join(f"{system}: {counts}" for system, counts in counted.items())
            lines.append(f"- {name}: {computed}. {stands_on}")
        return "\n".join(lines)

    def to_latex(self) -> str:
        return _latex(["Metric", *self.systems], self._rows(), "l" + "r" * len(self.systems))

    def to_dict(self) -> dict[str, Any]:
        return {system: result.to_dict() for system, result in self.systems.items()}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    def __str__(self) -> str:
        return _table(["Metric", *self.systems], self._rows())

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


def _user_column(users: Ids) -> polars.Series:
    import polars

    ids: list[Hashable] = list(users)
    try:
        return polars.Series("user", ids)
    except (TypeError, polars.exceptions.PolarsError):  # ids of a kind, or of several kinds, that a column cannot hold
        return polars.Series("user", [str(id) for id in ids])


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"


def _counted(column: Column) -> str:
    """Only what is not 0, but always the users scored."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in column.state.counts.items() if count or name == "scored")


def _computed(column: Column) -> str:
    return ", ".join(f"{name}={value}" for name, value in column.how.items() if value is not None and name != "metric")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain text; a column of numbers stands right, any other left."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, cells)) for cells in columns]
    right = [bool(rows) and all(map(_numeric, cells[1:])) for cells in columns]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.rjust(width) if stands else cell.ljust(width) for cell, width, stands in zip(cells, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def _numeric(cell: str) -> bool:
    return cell == "undefined" or cell.lstrip("-").replace(".", "", 1).isdigit()


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(head), line(["---", *["---:"] * (len(head) - 1)]), *map(line, rows)])


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
)


def _latex(head: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

    return "\n".join(
        [rf"\begin{{tabular}}{{{alignment}}}", r"\hline", line(head), r"\hline", *map(line, rows), r"\hline", r"\end{tabular}"]
    )
