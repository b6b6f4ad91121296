"""Numbers by round: a curve for each metric, and the scores of queries behind it."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from aspectrum import formats
from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.coding.ids import Ids
from aspectrum.diagnostics.notices import PYTHON, Notice, Speaker
from aspectrum.errors import InputError
from aspectrum.forks import check_polars
from aspectrum.formats import Format, format_of
from aspectrum.html_table import html_table
from aspectrum.output_files import write_text
from aspectrum.results import Output
from aspectrum.states.exact import exact_sum, exact_sums, rounded
from aspectrum.wording import did_you_mean

if TYPE_CHECKING:
    import polars

    from aspectrum.rounds.plots import RoundPlots

AER = "AER"


@dataclass(frozen=True)
class RoundCurve:
    """A mean over queries after each round.

    Args:
        values: The means; NaN where no query has a score.
        scored: How many queries each is of.
        undefined: How many have no score.
        missing: How many of the queries have no trace.
        how: How it was computed.
        certainty: Where an ideal may not be proved, how many scores are ``proved`` and ``open`` after each round, what the mean is ``at_least``,
            and the ``widest_interval`` of a score.
    """

    values: tuple[float, ...]
    scored: tuple[int, ...]
    undefined: tuple[int, ...]
    missing: int
    how: Mapping[str, Any]
    certainty: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, scores: Floats, how: Mapping[str, Any], missing: int = 0, score_of_missing: float = math.nan, least: Floats | None = None
    ) -> RoundCurve:
        """From scores of queries, (queries, rounds), how many have no trace, and what scores are at least that may not be proved."""
        counts = math.isfinite(score_of_missing)  # they score 0, which adds nothing
        means, n_undefined = _means(scores, missing * counts)
        scored = tuple(len(scores) - n + missing * counts for n in n_undefined)
        undefined = tuple(n + missing * (not counts) for n in n_undefined)
        if least is None:
            return cls(means, scored, undefined, missing, how)
        widths = np.where(np.isnan(scores), 0.0, scores - least)
        n_open = tuple((widths > 0).sum(axis=0).tolist())
        certainty = {
            "proved": tuple(n - several for n, several in zip(scored, n_open, strict=True)),
            "open": n_open,
            "at_least": _means(least, missing * counts)[0],
            "widest_interval": tuple(widths.max(axis=0, initial=0.0).tolist()),
        }
        return cls(means, scored, undefined, missing, how, certainty)

    def sure(self, number: int) -> tuple[int | None, float | None]:
        """How many scores after a round are open, and what their mean is at least; None where all are sure."""
        if not self.certainty:
            return None, None
        return int(self.certainty["open"][number]), self.certainty["at_least"][number]

    @property
    def counted(self) -> str:
        """How many queries there are, over all rounds."""
        low, high = min(self.scored, default=0), max(self.scored, default=0)
        parts = [f"{low} scored" if low == high else f"{low} to {high} scored"]
        sure = {name: self.certainty.get(name, ()) for name in ("proved", "open")}
        for name, several in {"undefined": self.undefined, "missing": (self.missing,), **sure}.items():
            if max(several, default=0):
                parts.append(f"{min(several)} {name}" if min(several) == max(several) else f"{min(several)} to {max(several)} {name}")
        if widest := max(self.certainty.get("widest_interval", ()), default=0):
            parts.append(f"one score by up to {widest:.2g} less")
        return ", ".join(parts)


def _plain(numbers: Iterable[float]) -> list[float | None]:
    """As JSON has them: None where undefined."""
    return [None if math.isnan(number) else number for number in numbers]


def _means(scores: Floats, more: int) -> tuple[tuple[float, ...], list[int]]:
    """By round the mean of the scores that are defined and of so many zeros more, and how many are not."""
    totals, n_undefined = exact_sums(scores) if len(scores) else ([0] * scores.shape[1], [0] * scores.shape[1])
    counts = [len(scores) - n + more for n in n_undefined]
    return tuple(rounded(total) / n if n else math.nan for total, n in zip(totals, counts, strict=True)), n_undefined


@dataclass(frozen=True, eq=False, repr=False)
class RoundsResults(Output, Mapping[str, tuple[float, ...]]):
    """Numbers after each round: ``result["AlphaNDCG"]`` has one per round.

    Beside the metrics there are ``NewAspects``, ``Repeated``, ``RoundGain`` and ``Found``, which say what each round added.

    Args:
        n_rounds: How many rounds.
        curves: By name.
        aer: Mean answer quality after effort, if qualities were given.
        notices: What to know of the inputs.
    """

    n_rounds: int
    curves: Mapping[str, RoundCurve]
    queries: tuple[Hashable, ...] = ()
    rounds_of: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    scores: Mapping[str, tuple[Floats, Flags]] = field(default_factory=dict)  # of queries by round, and who is averaged
    notices: tuple[Notice, ...] = ()
    judged: Mapping[str, Any] | None = None
    speaker: Speaker = PYTHON

    def __getitem__(self, name: str) -> tuple[float, ...]:
        if name not in self.curves:
            raise KeyError(f"{name} was not computed; there are {', '.join(self.curves)}{did_you_mean(name, self.curves)}")
        return self.curves[name].values

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __eq__(self, other: object) -> bool:
        """The same numbers, to the bit; the order of queries does not matter."""
        if not isinstance(other, RoundsResults) or self.curves.keys() != other.curves.keys():
            return False
        pairs = ((self.curves[name], other.curves[name]) for name in self.curves)
        same = all(
            (a.scored, a.undefined, a.missing, a.certainty) == (b.scored, b.undefined, b.missing, b.certainty)
            and np.array_equal(a.values, b.values, equal_nan=True)
            for a, b in pairs
        )
        return same and (self.aer == other.aer or (self.aer is not None and other.aer is not None and math.isnan(self.aer)))

    __hash__ = None  # type: ignore[assignment]

    @property
    def aer(self) -> float | None:
        """The mean of ``quality * exp(-gamma (R - 1))`` over queries with a judged answer; None without qualities."""
        if self.judged is None:
            return None
        values = np.array(list(self.judged["by_query"].values()))
        return exact_sum(values) / len(values)

    @property
    def details(self) -> Mapping[str, dict[str, Any]]:
        """How each curve was computed, and of how many queries."""
        return {
            name: {**one.how, "scored": list(one.scored), "undefined": list(one.undefined), "missing": one.missing}
            | {count: _plain(values) for count, values in one.certainty.items()}
            for name, one in self.curves.items()
        }

    @property
    def per_user(self) -> polars.DataFrame:
        """Scores of queries: a polars frame with a row per query and round; NaN where undefined, null where a query is not averaged.

        ``rounds`` is how many rounds the query has; after them its list stays as it is.
        """
        import polars

        check_polars()
        n = self.n_rounds
        users = Ids(list(self.queries)).to_series("user")
        rows = np.repeat(np.arange(len(self.queries)), n)
        columns = [
            users.gather(rows),
            polars.Series("round", np.tile(np.arange(1, n + 1), len(self.queries))),
            polars.Series("rounds", np.repeat(self.rounds_of, n)),
        ]
        for name, (values, averaged) in self.scores.items():
            series = polars.Series(name, np.ascontiguousarray(values).reshape(-1))
            columns.append(series.set(polars.Series(np.repeat(~averaged, n)), None))
        if self.judged is not None:
            of_rounds = self.judged["by_round"]
            found = [of_rounds.get((query, number)) for query in self.queries for number in range(1, n + 1)]
            columns.append(polars.Series(AER, found, dtype=polars.Float64))
        return polars.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """The numbers as a polars frame: a row per metric and round."""
        import polars

        check_polars()
        rows = [
            (name, number + 1, one.values[number], one.scored[number], one.undefined[number], one.missing, *one.sure(number))
            for name, one in self.curves.items()
            for number in range(self.n_rounds)
        ]
        kinds: dict[str, Any] = {"metric": polars.String, "round": polars.Int64, "value": polars.Float64}
        kinds |= {**dict.fromkeys(("scored", "undefined", "missing", "open"), polars.Int64), "at_least": polars.Float64}
        return polars.DataFrame(rows, schema=kinds, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores of queries, with plain values; an undefined number is None."""
        return {
            "rounds": self.n_rounds,
            "metrics": [{**self.details[name], "metric": name, "values": _plain(one.values)} for name, one in self.curves.items()],
            **({} if self.judged is None else {"aer": self._aer_data()}),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def _aer_data(self) -> dict[str, Any]:
        assert self.judged is not None
        counts = {name: self.judged[name] for name in ("unjudged", "without_trace", "failed")}
        return {"value": self.aer, "gamma": self.judged["gamma"], "scored": len(self.judged["by_query"]), **counts}

    def to_csv(self) -> str:
        """A row per metric and round, with all digits; an undefined number is empty."""
        said = ["; ".join(several) for several in self._remarks.values()]
        rows = [
            [
                *(name, str(number + 1), formats.exact_number(value)),
                *map(str, (one.scored[number], one.undefined[number], one.missing)),
                *("" if certain is None else str(certain) for certain in one.sure(number)),
                *(one.how.get("is") or formats.computed(one.how), *said),
            ]
            for name, one in self.curves.items()
            for number, value in enumerate(one.values)
        ]
        if self.judged is not None:
            data = self._aer_data()
            how = f"gamma={data['gamma']:g}, judged answers that have a trace"
            rows.append([AER, "", formats.exact_number(data["value"]), str(data["scored"]), str(data["unjudged"]), "", "", "", how, *said])
        head = ["metric", "round", "value", "scored", "undefined", "missing", "open", "at_least", "computed", "warnings", "notes"]
        return formats.as_csv(head, rows)

    def to_text(self, *, how: bool = True) -> str:
        """A plain table with a column per round, how each number was computed (unless `how` is false), and the notes."""
        return formats.as_text(self._head, self._rows(), self._how() if how else self._aer_said(), self._remarks)

    def to_markdown(self) -> str:
        """The same as a Markdown table."""
        return formats.as_markdown(self._head, self._rows(), self._how(), self._remarks)

    def to_latex(self) -> str:
        """The same as a tabular; how each number was computed, and the notes, follow as comments."""
        return formats.as_latex(self._head, self._rows(), self._how(), self._remarks, "l" + "r" * self.n_rounds)

    def _repr_html_(self) -> str:
        return html_table(self._head, self._rows(), below=self._said_below(self._how()))

    def written(self, format: Format = "table") -> str:
        """The text in one of the formats, with a line end."""
        return formats.written(self, format)

    def write(self, path: str | os.PathLike[str], format: Format | None = None) -> None:
        """Write a file, whole or not at all; the format is by default what the extension says."""
        write_text(path, self.written(format or format_of(path)))

    def write_per_user(self, path: str | os.PathLike[str]) -> None:
        """Write the scores of queries: a row per query and round, as Parquet, CSV or TSV."""
        formats.scores_separator(path)
        formats.write_scores(path, self.per_user, self.to_dict())

    @property
    def plot(self) -> RoundPlots:  # type: ignore[override]
        """Charts: ``plot.curves()``."""
        plots: RoundPlots = import_module("aspectrum.rounds.plots").RoundPlots(self)
        return plots

    def write_report(self, path: str | os.PathLike[str], **_: Any) -> None:
        """There is no page of rounds: their table and chart are files of their own."""
        raise InputError(f"{os.fspath(path)}: there is no report of rounds; write() makes a table, and plot.curves().save() a chart")

    @property
    def _head(self) -> list[str]:
        return ["Metric", *(f"Round {number}" for number in range(1, self.n_rounds + 1))]

    def _rows(self) -> list[list[str]]:
        return [[name, *map(formats.number, one.values)] for name, one in self.curves.items()]

    def _how(self) -> Sequence[str]:
        lines = [(name, one.how.get("is") or formats.computed(one.how), one.counted) for name, one in self.curves.items()]
        return [*formats.grouped((name, f"{how}; {counted}") for name, how, counted in lines), *self._aer_said()]

    def _aer_said(self) -> list[str]:
        if self.judged is None:
            return []
        data = self._aer_data()
        counts = [
            f"{data['scored']} judged",
            *(f"{data[name]} {name.replace('_', ' ')}" for name in ("unjudged", "without_trace", "failed") if data[name]),
        ]
        return [f"{AER}: {data['value']:.4f}; quality * exp(-{data['gamma']:g} (rounds - 1)); {', '.join(counts)}"]

    def __str__(self) -> str:
        return self.to_text()
