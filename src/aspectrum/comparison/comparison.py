"""Comparison: differences of systems with their tests, marks, segments and gates, in every output."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from aspectrum import formats
from aspectrum.arrays import check_count
from aspectrum.comparison import tables
from aspectrum.comparison.attributes import attributes_of
from aspectrum.comparison.differences import (
    DIRECTED_NOTES,
    OTHER_IDEALS,
    SKEWED,
    Correction,
    Difference,
    Found,
    IntervalKind,
    Procedure,
    SystemScore,
    Test,
    find_differences,
)
from aspectrum.comparison.gates import Gate, GateResult, check_gates
from aspectrum.comparison.marks import Pareto, Standing, pareto, standing
from aspectrum.comparison.scores import MetricScores, Scores
from aspectrum.comparison.segments import Attribute, SegmentDifference, SegmentTest, segment_differences, segment_test, with_holm
from aspectrum.comparison.tables import tested_by
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import CONTACTS, PYTHON, Notice, Option, Speaker
from aspectrum.errors import InputError, MetricError
from aspectrum.extras import needed
from aspectrum.formats import Format, format_of
from aspectrum.html_table import html_table
from aspectrum.kernels import set_threads
from aspectrum.metric import Metric
from aspectrum.output_files import write_text
from aspectrum.paper_table import Cell, Heading, PaperTable
from aspectrum.results import Column, Output, Results, SystemResults, SystemsAs
from aspectrum.tokens import cutoff_order
from aspectrum.wording import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars

Pairs = Literal["baseline", "all"]

MOST_CUTOFFS = 3
"""Cutoffs of a metric up to which all are compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Output):
    """Systems compared on each metric, pair by pair.

    ``comparison["NDCG@10", "ALS"]`` is the :class:`Difference` of a system to the baseline, ``comparison.differences`` all of them.
    ``standings`` say who is best, ``segments`` break differences down, ``gates`` decide conditions.
    """

    results: Mapping[str, Results]
    baseline: str | None
    differences: tuple[Difference, ...]
    found: Found
    procedure: Procedure
    source: Scores
    attributes: tuple[Attribute, ...] = ()
    gates: tuple[GateResult, ...] = ()
    notices: tuple[Notice, ...] = ()
    speaker: Speaker = PYTHON
    noticed: tuple[Notice, ...] = ()  # of the inputs, when systems were evaluated

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.results)

    @property
    def metrics(self) -> tuple[str, ...]:
        return self.source.names

    @property
    def scores(self) -> Mapping[str, Mapping[str, SystemScore]]:
        """The numbers by metric and system, with intervals."""
        return self.found.scores

    def __getitem__(self, key: tuple[str | Metric, str] | tuple[str | Metric, str, str]) -> Difference:
        if not isinstance(key, tuple):
            raise KeyError(f"{key}: name metric and system, as in comparison['NDCG@10', 'ALS']")
        return self.difference(*key)

    def difference(self, metric: str | Metric, system: str, baseline: str | None = None) -> Difference:
        """A system against the baseline, or against another system; d is the system's score minus the other's."""
        name = self._name(metric)
        other = baseline if baseline is not None else self.baseline
        if other is None:
            raise KeyError("there is no baseline: name the system to compare with")
        for one in (system, other):
            if one not in self.results:
                raise KeyError(f"there is no system {one!r}; there are {', '.join(map(repr, self.systems))}")
        if system == other:
            raise KeyError(f"{system!r} is not compared with itself")
        key = (name, system, other)
        is_turned = key not in self.found.differences
        found = self.found.differences[(name, other, system) if is_turned else key]
        if found.significant is None and found.tested:  # not with the baseline: corrected over all pairs
            adjusted = self.found.against_all[found.metric, found.system, found.baseline]
            certain = found.range is None or not found.range[0] <= 0 <= found.range[1]
            found = replace(found, p_adjusted=adjusted, significant=certain and adjusted <= self.procedure.alpha)
        return _turned(found) if is_turned else found

    def _name(self, metric: str | Metric) -> str:
        column = next(iter(self.results.values())).column(metric)
        name = next(name for name, one in next(iter(self.results.values())).columns.items() if one is column)
        if name not in self.metrics:
            raise KeyError(f"{name} was not compared; compared are {', '.join(self.metrics)}")
        return name

    def metric_scores(self, name: str) -> MetricScores:
        """The scores of users on one metric."""
        return self.source.metric(name)

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        """Who is marked on each metric; nobody where nothing was tested, or the tests do not allow it."""
        return {name: self._standing(name) for name in self.metrics}

    def _standing(self, name: str) -> Standing:
        direction = self.column(name).higher_is_better
        if direction is None or not self._marks(self.found.all_size, best=True) or not any(one.tested for one in self._of(name)):
            return Standing()
        means = {system: score.common_mean for system, score in self.scores[name].items()}
        return standing(means, lambda one, other: self.beats(name, one, other), higher_is_better=direction)

    @property
    def has_marks(self) -> bool:
        """Whether tests allow a difference to the baseline to be called significantly higher or lower."""
        return self._marks(self.found.family_size)

    def _marks(self, family_size: int, *, best: bool = False) -> bool:
        """Whether tests allow marks: they compare means, and are corrected; that a system is best, for any number of false claims."""
        procedure = self.procedure
        corrected = family_size == 1 or procedure.correction in (("max-t", "holm") if best else ("max-t", "holm", "bh"))
        return corrected and not procedure.ranks

    def _of(self, name: str) -> list[Difference]:
        return [one for key, one in self.found.differences.items() if key[0] == name]

    def column(self, name: str) -> Column:
        """A metric as the first system has it."""
        return next(iter(self.results.values())).columns[name]

    def beats(self, name: str, system: str, other: str) -> bool:
        """Whether a system is significantly better than another, corrected over all pairs."""
        key = (name, system, other) if (name, system, other) in self.found.differences else (name, other, system)
        p, direction = self.found.against_all.get(key), self.column(name).higher_is_better
        if p is None or p > self.procedure.alpha or direction is None or self.procedure.ranks:
            return False
        d = self.difference(name, system, other)
        certain = d.range is None or not d.range[0] <= 0 <= d.range[1]
        return certain and (d.difference > 0) == direction

    def pareto(self, horizontal: str | Metric, vertical: str | Metric) -> Pareto:
        """Which systems are worth considering by two metrics."""
        names = self._name(horizontal), self._name(vertical)
        signs = [-1 if self.column(name).higher_is_better is False else 1 for name in names]
        points = {
            system: (signs[0] * self.scores[names[0]][system].common_mean, signs[1] * self.scores[names[1]][system].common_mean)
            for system in self.systems
        }
        return pareto(points, lambda one, other: all(self.beats(name, one, other) for name in names))

    @cached_property
    def segments(self) -> tuple[SegmentDifference, ...]:
        """Differences in each segment of users; metrics of a whole system are left out."""
        return tuple(
            row
            for name in self.metrics
            for metric in [self.metric_scores(name)]
            if metric.scores is not None and metric.kind != "whole"
            for attribute in self.attributes
            for a, b in self._places()
            for row in segment_differences(metric, attribute, self.systems, a, b, self.procedure.level)
        )

    @cached_property
    def segment_tests(self) -> tuple[SegmentTest, ...]:
        """Whether differences depend on the segment."""
        found = []
        for name in self.metrics:
            metric = self.metric_scores(name)
            if metric.scores is None or metric.kind == "whole":
                continue
            for attribute in self.attributes:
                for a, b in self._places():
                    test = segment_test(metric, attribute, a, b)
                    if test is not None:
                        f, df, p, left_out = test
                        head = (name, self.systems[b], self.systems[a], attribute.name)
                        found.append(SegmentTest(*head, f, df, p, p, self.procedure.alpha, left_out))
        return tuple(with_holm(found))

    def _places(self) -> list[tuple[int, int]]:
        """Pairs that are listed: places of the baseline and the system."""
        pairs = dict.fromkeys((one.baseline, one.system) for one in self.differences)
        return [(self.systems.index(a), self.systems.index(b)) for a, b in pairs]

    def check(self, *gates: str | Gate, unless: str | Gate | Iterable[str | Gate] = ()) -> list[GateResult]:
        """Decide gates: conditions that must not be shown to hold, and those that must be.

        Args:
            gates: Fail if proved, as ``"NDCG@10 < -1%"`` or ``"ILD@10 < 0"``.
            unless: Fail unless proved, as ``"NDCG@10 > -1%"``.
        """
        made = [gate if isinstance(gate, Gate) else Gate.parse(gate) for gate in gates]
        proofs = [unless] if isinstance(unless, str | Gate) else unless
        made += [replace(gate, unless=True) if isinstance(gate, Gate) else Gate.parse(gate, unless=True) for gate in proofs]
        for gate in made:
            try:
                self._name(gate.metric)
            except KeyError as error:
                raise MetricError(f"gate {gate}: {error.args[0]}") from None
        return check_gates(self, made)

    @property
    def input_remarks(self) -> dict[str, tuple[str, ...]]:
        """Warnings and notes on the inputs of the results, in words."""
        return SystemResults(self.results, self.noticed, self.speaker)._remarks

    @property
    def tested_by(self) -> str:
        """Test, correction, family and seed, in a sentence."""
        return tested_by(self.procedure, self.found, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Everything, with plain values; what rests on quantiles is rounded to ten digits, which are the same on every machine."""
        return {
            "systems": list(self.systems),
            "baseline": self.baseline,
            "users": self.source.n_compared,
            "procedure": {**asdict(self.procedure), "comparisons": self.found.family_size, "critical_t": _ten(self.found.critical)},
            "metrics": [
                {
                    "metric": name,
                    "higher_is_better": self.column(name).higher_is_better,
                    "systems": {system: _plain(asdict(score)) for system, score in self.scores[name].items()},
                    **asdict(self.standings[name]),
                }
                for name in self.metrics
            ],
            "differences": [_plain(asdict(one)) for one in self.differences],
            "segments": [_plain(asdict(one)) for one in self.segments],
            "segment_tests": [_plain(asdict(one)) for one in self.segment_tests],
            "gates": [_plain({**asdict(one), "gate": str(one.gate), "unless": one.gate.unless}) for one in self.gates],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [_flat(asdict(one)) for one in self.differences]

    def to_polars(self) -> polars.DataFrame:
        """A row per metric and pair of systems; null where something was not tested."""
        import polars

        rows = self._rows()
        for row in rows:
            row["largest_gain_user"], row["largest_loss_user"] = (
                None if row[name] is None else str(row[name]) for name in ("largest_gain_user", "largest_loss_user")
            )
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a frame of pandas."""
        pandas = needed("pandas", "pandas", "frames are made")
        frame = pandas.DataFrame(self.to_polars().to_dicts())
        return frame.astype({name: "Int64" for name in ("wins", "ties", "losses") if name in frame})  # type: ignore[no-any-return]

    def to_csv(self) -> str:
        """A row per metric and pair of systems, with all digits; empty where something was not tested."""
        rows = self._rows()
        head = list(rows[0]) if rows else []
        return formats.as_csv(head, [[_cell(value) for value in row.values()] for row in rows])

    def to_text(self) -> str:
        """A table of differences, one of segments if there are any, what the tests show, how they were made, gates, and the notes."""
        first, last = self._tables()
        return "".join(formats.plain_table(*table) + "\n\n" for table in first) + formats.as_text(*last, self._below(), self._remarks)

    def to_markdown(self) -> str:
        """The same in Markdown."""
        first, last = self._tables()
        return "".join(formats.as_markdown(*table, (), {}) + "\n\n" for table in first) + formats.as_markdown(
            *last, self._below(), self._remarks
        )

    def _tables(self) -> tuple[list[tables.Table], tables.Table]:
        """All tables but the last, and the last."""
        marks = [self.mark(one) for one in self.differences]
        several = [tables.of_differences(self.differences, marks, self.procedure.level, with_baseline=self.baseline is None)]
        several += [tables.of_segments(self.segments, self.procedure.level, with_baseline=self.baseline is None)] if self.attributes else []
        return several[:-1], several[-1]

    def _below(self) -> list[str]:
        against = self.baseline is None
        said = [
            *self._legend(),
            *tables.who_is_best(self.standings),
            *tables.effects_of_segments(self.segment_tests, against),
            *tables.notes_on(self.differences, against),
        ]
        return [*said, *(f"Gate {result.said}" for result in self.gates), self.tested_by]

    def _legend(self) -> list[str]:
        """What the marks are, where there are any; and of which metrics less is better."""
        if not any(self.mark(one) for one in self.differences):
            return []
        lower = [name for name in self.metrics if self.column(name).higher_is_better is False]
        better = f"; lower is better for {', '.join(lower)}" if lower else ""
        return [f"▲, ▼: significantly higher, lower; ≈: no significant difference{better}"]

    def mark(self, difference: Difference) -> str:
        """▲ significantly higher, ▼ significantly lower, ≈ no difference shown; nothing if the tests do not allow marks."""
        if difference.significant is None or not self.has_marks:
            return ""
        return ("▲" if difference.difference > 0 else "▼") if difference.significant else "≈"

    def paper_table(
        self, *, caption: str = "", label: str = "", digits: int = 3, percent: bool = False, systems_as: SystemsAs = "rows"
    ) -> PaperTable:
        """The numbers for a paper: the best bold and the second underlined where the tests allow it, marks of significance, a footnote.

        Args:
            caption, label: Of the table.
            digits: Decimals of a number; in percent, two fewer.
            percent: Whether numbers are multiplied by 100.
            systems_as: Whether systems are the rows or the columns.
        """
        cells = tuple(tuple(self._paper_cell(name, system) for name in self.metrics) for system in self.systems)
        marks = "".join(dict.fromkeys(cell.marks for row in cells for cell in row if cell.marks))
        said = [
            f"▲, ▼: significantly higher, lower than {self.baseline}." if marks else "",
            "Bold: significantly better than every other system." if any(one.bold for row in cells for one in row) else "",
            "Underlined: second." if any(one.underline for row in cells for one in row) else "",
            self.tested_by,
        ]
        columns = tuple(Heading.of(self.column(name).metric, name) for name in self.metrics)
        return PaperTable(self.systems, columns, cells, caption, label, " ".join(filter(None, said)), digits, percent, systems_as)

    def _paper_cell(self, name: str, system: str) -> Cell:
        standing, mark = self.standings[name], ""
        if self.baseline is not None and system != self.baseline:
            mark = self.mark(self.difference(name, system)).replace("≈", "")
        return Cell(self.scores[name][system].value, system == standing.best, system == standing.second, mark)

    def to_latex(self, **options: Any) -> str:
        """A table for a paper; the options are those of :meth:`paper_table`."""
        return self.paper_table(**options).to_latex()

    def _repr_html_(self) -> str:
        first, last = self._tables()
        return "".join(html_table(*table) for table in first) + html_table(*last, below=self._said_below(self._below()))

    def written(self, format: Format = "table") -> str:
        """The text in one of the formats, with a line end."""
        return formats.written(self, format)

    def write(self, path: str | os.PathLike[str], format: Format | None = None) -> None:
        """Write a file, whole or not at all; the format is by default what the extension says."""
        write_text(path, self.written(format or format_of(path)))

    def __str__(self) -> str:
        return self.to_text()


def compare(
    results: Any,
    baseline: str | None = None,
    *,
    metrics: Iterable[str | Metric] | str | None = None,
    pairs: Pairs = "baseline",
    users: Literal["common"] | None = None,
    test: Test | None = None,
    correction: Correction | None = None,
    interval: IntervalKind = "t",
    level: float = 0.95,
    alpha: float = 0.05,
    family: Literal["all", "metric"] = "all",
    flips: int = 9_999,
    resamples: int = 9_999,
    seed: int = 0,
    margin: float = 0.01,
    segments: Any = None,
    threads: int | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
) -> Comparison:
    """Compare systems user by user: how large the differences are, and whether they are real.

    Args:
        results: What :func:`evaluate_systems` returned, ``{name: results}``, or files of saved results: JSON, or the scores of users
            as Parquet. Results of files need scores of users to be tested.
        baseline: The system that the others are compared with. Default: the first.
        metrics: The metrics to compare. Default: all that the systems have in common; of a metric with more than three cutoffs, the
            one at 10, or the largest.
        pairs: ``"baseline"``, or ``"all"`` pairs of systems.
        users: ``"common"`` compares the users whom all systems average; by default, other users are an error.
        test: ``"flips"`` (sign-flip randomisation, the default), ``"t"``, ``"wilcoxon"`` or ``"sign"``. Wilcoxon's test and the sign
            test do not ask whether means differ. Default with Holm or Benjamini-Hochberg: ``"t"``.
        correction: For many comparisons: ``"max-t"`` (step-down, by shared flips), ``"holm"``, ``"bh"`` or ``"none"``. Default: ``"max-t"``
            for tests of means, else ``"holm"``.
        interval: ``"t"``, or a bootstrap ``"percentile"`` or ``"bca"``, which are too short for few users.
        level: Of intervals.
        alpha: The adjusted p-value up to which a difference is significant.
        family: Correct over ``"all"`` comparisons, or within each ``"metric"``.
        flips, resamples: How many random ones.
        seed: Of the generator. The same seed gives the same bits on every machine.
        margin: The relative loss of accuracy that findings treat as negligible.
        segments: ``{user: segment}``, ``{"attribute": {user: segment}}``, a file or frame of users and their segments, or a word or
            several: ``"activity"``, ``"breadth"``, ``"mainstreaminess"``.
        threads: Maximum number of threads; by default one per core.
        strict: Warnings are errors.
        ignore: Kinds of warnings not to give.

    Examples:
        >>> import aspectrum as asp
        >>> relevance = {user: [user % 7] for user in range(40)}
        >>> systems = {
        ...     "Popular": {user: [0, 1, 2] for user in range(40)},
        ...     "Personal": {user: [user % 7, 8, 9] if user % 3 else [2, 1, 0] for user in range(40)},
        ... }
        >>> results = asp.evaluate_systems(systems, "NDCG@3", relevance=relevance)
        >>> comparison = asp.compare(results, baseline="Popular")
        >>> found = comparison["NDCG@3", "Personal"]
        >>> round(found.difference, 3), found.significant, (found.wins, found.ties, found.losses)
        (0.437, True, (24, 14, 2))
    """
    systems = named_results(results)
    if len(systems) < 2:
        raise InputError(f"a comparison needs at least two systems, found {', '.join(map(repr, systems)) or 'none'}")
    procedure = checked_procedure(
        test=test, correction=correction, interval=interval, level=level, alpha=alpha, family=family, flips=flips, resamples=resamples,
        seed=seed, margin=margin,
    )  # fmt: skip
    if pairs not in get_args(Pairs):
        raise InputError(f"pairs is {pairs!r}, expected 'baseline' or 'all'")
    if pairs == "all" and baseline is not None:
        raise InputError("pairs='all' compares all systems with one another; leave out the baseline")
    if baseline is not None and baseline not in systems:
        raise InputError(
            f"baseline {baseline!r} is not one of the systems {', '.join(map(repr, systems))}{did_you_mean(baseline, systems)}"
        )
    if users not in (None, "common"):
        raise InputError(f"users is {users!r}, expected 'common' or nothing: who is averaged is said when lists are evaluated")
    chosen = None if pairs == "all" else baseline or next(iter(systems))
    return compared(
        systems, chosen, procedure, metrics=metrics, common=users == "common", segments=segments, threads=threads,
        attention=Attention(strict, ignore), about=results if isinstance(results, SystemResults) else None,
    )  # fmt: skip


def compared(
    systems: Mapping[str, Results],
    baseline: str | None,
    procedure: Procedure,
    *,
    metrics: Iterable[str | Metric] | str | None = None,
    common: bool = False,
    segments: Any = None,
    threads: int | None = None,
    attention: Attention | None = None,
    about: SystemResults | None = None,
) -> Comparison:
    """As :func:`compare`, of any number of systems; `about` are results of one call, whose notices the comparison keeps."""
    speaker, noticed = (PYTHON, ()) if about is None else (about.speaker, about.notices)
    names, notices = _chosen(systems, metrics)
    scores = Scores(systems, names, common=common)
    if common and scores.n_users and not scores.n_compared:
        raise InputError("no user is averaged by all systems; are their ids of the same kind?")
    saved = dict.fromkeys(one for result in systems.values() for one in result.notices if one.kind == "saved_warning")
    notices += [*saved, *_other_inputs(systems)]
    before = None if threads is None else set_threads(check_count(threads, "threads", 1))
    try:
        found = find_differences(scores, baseline, procedure)
    finally:
        if before is not None:
            set_threads(before)
    listed = tuple(one for (_, _, other), one in found.differences.items() if baseline is None or other == baseline)
    attributes = attributes_of(segments, systems, scores.users)
    notices += _notices(listed)
    if speaker.nouns == CONTACTS.nouns and found.family_size:
        notices.append(Notice("not_independent"))
    notices += [Notice("remark", detail={"text": f"segments by {one.name}: {one.note}"}) for one in attributes if one.note]
    drawn = notices if attention is None else attention.draw(notices)
    return Comparison(dict(systems), baseline, listed, found, procedure, scores, attributes, (), tuple(drawn), speaker, noticed)


def checked_procedure(*, test: Test | None, correction: Correction | None = None, **options: Any) -> Procedure:
    """How to test, with every option checked; what is not said follows from what is."""
    test = test or ("t" if correction in ("holm", "bh") else "flips")
    procedure = Procedure(test=test, correction=correction or ("holm" if test in ("wilcoxon", "sign") else "max-t"), **options)
    words = {"test": Test, "correction": Correction, "interval": IntervalKind, "family": Literal["all", "metric"]}
    for name, kind in words.items():
        value = getattr(procedure, name)
        if value not in get_args(kind):
            raise InputError(f"{name} is {value!r}, expected {', '.join(map(repr, get_args(kind)))}{did_you_mean(value, get_args(kind))}")
    if procedure.test in ("wilcoxon", "sign") and procedure.correction == "max-t":
        raise InputError(f"max-t corrects tests of means, which {procedure.test} is not; use ", Option("correction", "holm"))
    for name in ("level", "alpha"):
        value = getattr(procedure, name)
        if not isinstance(value, int | float) or not 0 < value < 1:
            raise InputError(f"{name} is {value!r}, expected a number between 0 and 1")
    for name in ("flips", "resamples"):
        check_count(getattr(procedure, name), name, 99)
    if isinstance(procedure.seed, bool) or not isinstance(procedure.seed, int) or not 0 <= procedure.seed < 2**64:
        raise InputError(f"seed is {procedure.seed!r}, expected a whole number from 0")
    if not isinstance(procedure.margin, int | float) or not 0 < procedure.margin < 1:
        raise InputError(f"margin is {procedure.margin!r}, expected a share between 0 and 1, as 0.01")
    return procedure


def named_results(given: Any) -> dict[str, Results]:
    """Results by system: of one call, by name, or from files, whose systems are called by the file where their names would clash."""
    if isinstance(given, SystemResults):
        return dict(given.systems)
    if isinstance(given, Results):
        return {"results": given}
    if isinstance(given, Mapping):
        found: dict[str, Results] = {}
        for name, one in ((str(name), one) for name, one in given.items()):
            inner = named_results(one)
            found |= {name: next(iter(inner.values()))} if len(inner) == 1 else {f"{name}: {own}": result for own, result in inner.items()}
        return found
    if isinstance(given, str | os.PathLike):
        read = Results.read(given)
        if isinstance(read, Results):
            return {_stem(given): read}
        return {name: replace(result, notices=(*result.notices, *read.notices)) for name, result in read.systems.items()}
    if isinstance(given, Sequence) and all(isinstance(one, str | os.PathLike) for one in given):
        files = {os.fspath(path): named_results(path) for path in given}
        if len(files) < len(given):
            raise InputError(
                f"{next(path for path in map(os.fspath, given) if list(map(os.fspath, given)).count(path) > 1)}: is given twice"
            )
        times: dict[str, int] = {}
        for inner in files.values():
            for name in inner:
                times[name] = times.get(name, 0) + 1
        found = {}
        for path, inner in files.items():
            for name, result in inner.items():
                own = name if times[name] == 1 else _stem(path) if len(inner) == 1 else f"{_stem(path)}: {name}"
                found[own if own not in found else f"{path}: {name}"] = result
        return found
    raise InputError(
        f"results is {type(given).__name__}, expected what evaluate_systems returns, {{name: results}}, or files of saved results"
    )


def _stem(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.path.basename(os.fspath(path)))[0]


def _chosen(systems: Mapping[str, Results], metrics: Iterable[str | Metric] | str | None) -> tuple[list[str], list[Notice]]:
    """The metrics to compare, by name, and what is left out."""
    first, *others = systems.values()
    shared = [name for name in first.columns if all(name in other.columns for other in others)]
    if not shared:
        other = next((name for name, result in systems.items() if not result.columns.keys() & first.columns.keys()), list(systems)[-1])
        raise InputError(f"the systems have no metric in common: {other} has {', '.join(systems[other]) or 'none'}")
    if metrics is not None:
        several = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
        if not several:
            raise InputError("metrics is empty, expected at least one; leave it out to compare all")
        return list(dict.fromkeys(_named(one, first, shared) for one in several)), []
    notices = []
    odd = dict.fromkeys(name for result in systems.values() for name in result.columns if name not in shared)
    if odd:
        notices.append(Notice("not_tested", detail={"metrics": ", ".join(odd), "why": "not every system has them"}))
    cutoffs: dict[tuple[Metric, bool], list[str]] = {}  # of a metric, those in ranks and those in tokens
    for name in shared:
        metric = first.columns[name].metric
        cutoffs.setdefault((metric.at(-1), bool(metric.budgets)), []).append(name)
    chosen, curves = [], []
    for names in cutoffs.values():
        if len(names) <= MOST_CUTOFFS:
            chosen += names
            continue
        by_cutoff = {first.columns[name].metric.cutoffs[0]: name for name in names}
        chosen.append(by_cutoff.get(10) or by_cutoff[max(by_cutoff, key=cutoff_order)])
        curves.append(chosen[-1])
    if curves:
        notices.append(Notice("one_cutoff", detail={"metrics": ", ".join(curves)}))
    return [name for name in shared if name in chosen], notices


def _other_inputs(systems: Mapping[str, Results]) -> list[Notice]:
    """Inputs that some systems were measured against and that are not those of others, as far as files tell."""
    (first, one), *others = systems.items()
    return [
        Notice("other_inputs", detail={"input": name, "system": first, "baseline": other})
        for other, result in others
        for name, digest in one.digests.items()
        if result.digests.get(name, digest) != digest
    ][:1]


def _named(metric: str | Metric, results: Results, shared: Sequence[str]) -> str:
    with suppress(KeyError):
        column = results.column(metric)
        name = next(name for name, one in results.columns.items() if one is column)
        if name in shared:
            return name
    raise InputError(f"{metric} is not a metric that all systems have; they have {', '.join(shared)}{did_you_mean(str(metric), shared)}")


def _notices(differences: Sequence[Difference]) -> list[Notice]:
    """What to know of all differences together."""
    found = []
    for one in differences:
        lost = one.undefined_a + one.undefined_b
        if lost and one.n:
            detail = {"metric": one.metric, "system": one.system, "baseline": one.baseline}
            found.append(Notice("one_sided", lost, one.n + lost, detail=detail))
        if OTHER_IDEALS in one.notes:
            found.append(Notice("other_ideals", detail={"metric": one.metric, "system": one.system, "baseline": one.baseline}))
    skewed = [one for one in differences if SKEWED in one.notes]
    if skewed:
        found.append(
            Notice("few_carry", len(skewed), examples=tuple(f"{one.metric} of {one.system} against {one.baseline}" for one in skewed[:3]))
        )
    return found


def _turned(one: Difference) -> Difference:
    """The same comparison from the other side."""

    def negated(interval: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if interval is None else (-interval[1], -interval[0])

    def other_side(best: tuple[Hashable, float] | None) -> tuple[Hashable, float] | None:
        return None if best is None else (best[0], -best[1])

    ratio = one.relative_interval
    return replace(
        one,
        system=one.baseline,
        baseline=one.system,
        difference=-one.difference,
        relative=one.mean_a / one.mean_b - 1 if one.mean_b > 0 else None,
        interval=negated(one.interval),
        relative_interval=None if ratio is None or ratio[0] <= -1 else (1 / (1 + ratio[1]) - 1, 1 / (1 + ratio[0]) - 1),
        undefined_a=one.undefined_b,
        undefined_b=one.undefined_a,
        absent_a=one.absent_b,
        absent_b=one.absent_a,
        mean_a=one.mean_b,
        mean_b=one.mean_a,
        t=None if one.t is None else -one.t,
        effect_size=None if one.effect_size is None else -one.effect_size,
        effect_interval=negated(one.effect_interval),
        wins=one.losses,
        losses=one.wins,
        largest_gain=other_side(one.largest_loss),
        largest_loss=other_side(one.largest_gain),
        skewness=None if one.skewness is None else -one.skewness,
        range=negated(one.range),
        notes=tuple(note for note in one.notes if not note.startswith(DIRECTED_NOTES)),
    )


_QUANTILES = (
    "p_t",
    "interval",
    "relative_interval",
    "effect_interval",
    "minimum_detectable",
    "p",
    "p_adjusted",
    "t",
    "p_beyond",
    "p_within",
    "df",
    "f",
)


def _ten(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_ten(one) for one in value]
    return float(f"{value:.10g}") if isinstance(value, float) and math.isfinite(value) else value


def _plain(content: Any, name: str = "") -> Any:
    """Plain values: an undefined number is None."""
    if isinstance(content, Mapping):
        return {key: _plain(value, key) for key, value in content.items()}
    if name in _QUANTILES:
        content = _ten(content)
    if isinstance(content, tuple | list):
        return [_plain(one) for one in content]
    return None if isinstance(content, float) and math.isnan(content) else content


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """One column per number."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if name.endswith("interval") or name == "range":
            low, high = value or (None, None)
            flat |= {f"{name}_low": low, f"{name}_high": high}
        elif name in ("largest_gain", "largest_loss"):
            user, d = value or (None, None)
            flat |= {f"{name}_user": user, name: d}
        else:
            flat[name] = "; ".join(value) if name == "notes" else value
    return flat


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return formats.exact_number(value) if isinstance(value, float) else str(value)


__test__ = {"compare": compare}
