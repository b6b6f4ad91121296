"""Options of comparisons, which several commands share, and what is done with them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.options import Number, choice, file_option, with_options
from aspectrum.cli.paths import blamed_on, check_paths
from aspectrum.formats import FORMATS, format_of
from aspectrum.output_files import write_text
from aspectrum.wording import listed, one_line

if TYPE_CHECKING:
    from aspectrum.comparison import Comparison
    from aspectrum.config import ComparisonSettings
    from aspectrum.diagnostics.attention import Attention
    from aspectrum.results import Results

_TRAITS = "activity, breadth or mainstreaminess"

statistics_options = with_options(
    click.option("--baseline", metavar="SYSTEM", help="The system that others are compared with. Default: the first."),
    click.option("--all-pairs", is_flag=True, default=None, help="Compare all systems with one another, without a baseline."),
    choice(
        "--significance",
        "flips t wilcoxon sign",
        "The test: sign-flip randomisation (default), paired t; Wilcoxon's and the sign test do not compare means.",
    ),
    choice("--correction", "max-t holm bh none", "For many comparisons: step-down max-T (default), Holm, Benjamini-Hochberg, or none."),
    choice("--interval", "t percentile bca", "Intervals of differences: t (default), or a bootstrap, which is too short for few users."),
    choice("--family", "all metric", "Correct over all comparisons (default), or within each metric."),
    click.option("--level", type=Number(0.5, 0.9999), metavar="SHARE", help="Level of intervals. Default: 0.95."),
    click.option(
        "--alpha", type=Number(1e-9, 0.5), metavar="SHARE", help="Adjusted p-value up to which a difference is significant. Default: 0.05."
    ),
    click.option("--flips", type=click.IntRange(99, 10**8), metavar="NUMBER", help="Random sign flips. Default: 9999."),
    click.option("--resamples", type=click.IntRange(99, 10**8), metavar="NUMBER", help="Resamples of a bootstrap. Default: 9999."),
    click.option(
        "--margin",
        type=Number(1e-9, 0.9999),
        metavar="SHARE",
        help="Relative loss of accuracy that findings of a report treat as negligible. Default: 0.01.",
    ),
    click.option("--seed", type=click.IntRange(0, 2**64 - 1), metavar="NUMBER", help="Seed of flips and resamples. Default: 0."),
    click.option(
        "--segments",
        multiple=True,
        metavar="FILE",
        help=f"Break differences down by users' attributes: a file with users and a column per attribute, or {_TRAITS}; may be repeated.",
    ),
    click.option(
        "--fail-if",
        multiple=True,
        metavar="GATE",
        help="Exit with 1 if the data show this, as 'NDCG@10 < -1%' (relative) or 'ILD@10 < 0' (absolute); may be repeated.",
    ),
    click.option(
        "--fail-unless",
        multiple=True,
        metavar="GATE",
        help="Exit with 1 unless the data show this, as 'NDCG@10 > -1%': no relevant loss; may be repeated.",
    ),
    choice("--inconclusive", "warn fail", "What an undecided --fail-if does. Default: warn."),
)
"""How systems are compared: the options of :class:`Comparing`."""

report_options = with_options(
    click.option("--report", metavar="FILE", help="Write a self-contained HTML page with tables, tests and charts here, as report.html."),
    click.option("--plots", metavar="FOLDER", help="Write every chart of the report there."),
    choice("--plot-format", "svg png pdf", "Format of the files of --plots. Default: svg; the others need the extra plots."),
    click.option("--title", metavar="TEXT", help="The title of the report, and the caption in LaTeX."),
    click.option("--label", metavar="TEXT", help="The label in LaTeX, as tab:main."),
    file_option("--titles", help="What items are called, for the lists of the report: item, title."),
    click.option(
        "--digits", type=click.IntRange(1, 10), metavar="NUMBER", help="Decimals of tables in the report and in LaTeX. Default: 3."
    ),
    click.option("--bibtex", metavar="FILE", help="Write what to cite for the metrics here, as references.bib."),
    click.option("--percent", is_flag=True, default=None, help="Numbers in percent in the report and in LaTeX."),
)
"""Where pages and charts go."""

compare_options = with_options(
    click.option("--compare", is_flag=True, default=None, help="Compare the systems: is the difference real? See aspectrum compare."),
    click.option(
        "--comparison",
        metavar="FILE",
        help=f"Write the comparison here: {listed(one.extensions[0] for one in FORMATS.values() if one.extensions)}.",
    ),
    statistics_options,
    report_options,
)
"""The same for commands that also evaluate."""

_STATISTICS = (
    *("baseline", "all_pairs", "significance", "correction", "interval", "family", "level", "alpha", "flips", "resamples", "seed"),
    *("margin", "segments", "fail_if", "fail_unless", "inconclusive"),
)
_REPORT = ("report", "plots", "plot_format", "title", "label", "titles", "digits", "percent", "bibtex")
NAMES = ("compare", "comparison", *_STATISTICS, *_REPORT)
"""Names of all these options."""


@dataclass(frozen=True)
class Comparing:
    """How systems are compared, and where the comparison goes."""

    given: Mapping[str, Any]

    @classmethod
    def of(cls, options: dict[str, Any], settings: ComparisonSettings | None = None) -> Comparing:
        """From the values of options, which are taken out; they come on top of those of a configuration."""
        found = {} if settings is None else {"compare": True, **settings.model_dump(exclude_unset=True, exclude_none=True)}
        asked = {name: value for name, value in taken(options).items() if value is not None and value != ()}
        if asked:
            found.pop("compare", None)  # whatever the configuration says, this asks for it
        return cls({name: str(value) if isinstance(value, Path) else value for name, value in {**found, **asked}.items()})

    @property
    def wanted(self) -> bool:
        """Whether anything asks for a comparison."""
        return bool(self.given) and self.given.get("compare") is not False

    @property
    def has_pages(self) -> bool:
        """Whether pages, charts or references are written."""
        return bool(self.given.keys() & {"report", "plots", "bibtex"})

    @property
    def is_shown(self) -> bool:
        """Whether the comparison is printed; if there is a report, only where it is asked for."""
        return not self.has_pages or bool(
            self.given.keys() & {"compare", "all_pairs", "fail_if", "fail_unless", "significance", "correction"}
        )

    @property
    def file(self) -> str | None:
        return self.given.get("comparison")

    def check_files(self, others: Sequence[str]) -> None:
        """What cannot be written, or understood, is said before the long work."""
        from aspectrum.comparison.gates import Gate

        if self.file is not None:
            check_format(self.file, "--comparison")
        report = self.given.get("report")
        if report is not None and os.path.splitext(report)[1].lower() not in (".html", ".htm"):
            raise click.UsageError(f"--report {report}: a report is an HTML page, expected a name that ends in .html")
        written = [path for path in (self.file, report, self.given.get("bibtex")) if path is not None]
        check_paths(written, others)
        for name in ("titles", "plot_format"):
            if name in self.given and report is None and "plots" not in self.given:
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --report or --plots")
        folder = self.given.get("plots")
        if folder is not None and os.path.exists(folder) and not os.path.isdir(folder):
            raise click.UsageError(f"--plots {folder}: is a file, expected a folder")
        for gate in (*self.given.get("fail_if", ()), *self.given.get("fail_unless", ())):
            Gate.parse(gate)

    def check(self, systems: Sequence[str]) -> None:
        """What can be said before any number: gates, the baseline, files of segments and titles."""
        from aspectrum.user_traits import TRAITS

        self.check_files(())
        self._baseline(systems)
        words = [one for given in self.given.get("segments", ()) for one in (given.split(",") if not os.path.exists(given) else ())]
        for path in (
            *(one for one in words if one.strip().lower() not in TRAITS),
            *([self.given["titles"]] if "titles" in self.given else []),
        ):
            if not os.path.exists(path):
                raise click.UsageError(f"{path}: file not found")

    def of_results(self, results: Mapping[str, Results], attention: Attention, **options: Any) -> Comparison:
        """The comparison, with its gates decided."""
        from aspectrum.comparison.comparison import checked_procedure, compared
        from aspectrum.diagnostics.notices import COMMAND_LINE, Notice
        from aspectrum.errors import InputError
        from aspectrum.results import SystemResults

        given = self.given
        names = ("correction", "interval", "family", "level", "alpha", "flips", "resamples", "seed", "margin")
        procedure = checked_procedure(test=given.get("significance"), **{name: given[name] for name in names if name in given})
        if len(results) < 2 and self.is_shown:
            raise InputError(f"a comparison needs at least two systems, found {', '.join(map(repr, results)) or 'none'}")
        baseline = self._baseline(list(results))
        about = results if isinstance(results, SystemResults) else SystemResults({}, speaker=COMMAND_LINE)
        comparison = compared(
            results, baseline, procedure, segments=list(given.get("segments", ())), attention=attention, about=about, **options
        )
        if not given.get("fail_if") and not given.get("fail_unless"):
            return comparison
        gates = comparison.check(*given.get("fail_if", ()), unless=given.get("fail_unless", ()))
        open_gates = [one for one in gates if one.decision == "inconclusive"] if given.get("inconclusive") != "fail" else []
        notices = attention.draw([Notice("inconclusive", detail={"said": one.said}) for one in open_gates])
        return replace(comparison, gates=tuple(gates), notices=(*comparison.notices, *notices))

    def write_pages(self, comparison: Comparison, files: Sequence[str]) -> None:
        """The report, the charts and the references.

        Args:
            files: What was read, whose digests the page names.
        """
        given = self.given
        if "bibtex" in given:
            from aspectrum.references import bibtex

            write_text(given["bibtex"], bibtex(comparison.column(name).metric for name in comparison.metrics))
        if "report" not in given and "plots" not in given:
            return
        from aspectrum.io.files import digest_of
        from aspectrum.io.side_tables import read_titles
        from aspectrum.report.building import Origin
        from aspectrum.report.writing import write_charts, write_report

        origin = Origin(
            title=given.get("title", ""),
            date=_today(),
            command=shlex.join(["aspectrum", *sys.argv[1:]]),
            inputs={path: digest_of(path) for path in files if os.path.isfile(path)},
            titles=read_titles(given["titles"]) if "titles" in given else {},
            digits=given.get("digits", 3),
            percent=bool(given.get("percent")),
        )
        if "report" in given:
            write_report(comparison, given["report"], origin)
        if "plots" in given:
            write_charts(comparison, given["plots"], f".{given.get('plot_format', 'svg')}", origin)

    def written(self, comparison: Comparison, format: Any) -> str:
        """The comparison as text; LaTeX with the title and the digits that were asked for."""
        if format != "latex":
            return comparison.written(format)
        options = {name: self.given[name] for name in ("digits", "percent", "label") if name in self.given}
        return comparison.to_latex(caption=self.given.get("title", ""), **options) + "\n"

    def write(self, comparison: Comparison, path: str) -> None:
        """The comparison to a file, in the format of its extension."""
        write_text(path, self.written(comparison, format_of(path)))

    def _baseline(self, systems: Sequence[str]) -> str | None:
        from aspectrum.wording import did_you_mean

        baseline: str | None = self.given.get("baseline")
        if self.given.get("all_pairs"):
            if baseline is not None or self.given.get("fail_if") or self.given.get("fail_unless"):
                raise click.UsageError("--all-pairs has no baseline; leave out --baseline, --fail-if and --fail-unless")
            return None
        if baseline is not None and baseline not in systems:
            raise click.UsageError(
                f"--baseline: there is no system {baseline!r}; there are {', '.join(systems)}{did_you_mean(baseline, systems)}"
                + ("; the lists of a reference system are given by --baseline-lists" if os.path.exists(baseline) else "")
            )
        return baseline or systems[0]

    def check_gates(self, comparison: Comparison) -> None:
        """An error for every gate that failed."""
        from aspectrum.errors import GateFailure

        failing = ("fail", "inconclusive") if self.given.get("inconclusive") == "fail" else ("fail",)
        failed = [one.said for one in comparison.gates if one.decision in failing]
        if failed:
            raise GateFailure("\n".join(one_line(f"gate failed: {said}") for said in failed))


def _today() -> str:
    """The date of the report; that of SOURCE_DATE_EPOCH where builds are to be repeated."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now() if seconds is None else datetime.fromtimestamp(int(seconds), UTC)
    return f"{now.day} {now:%B %Y}"


def taken(options: dict[str, Any]) -> dict[str, Any]:
    """The options of comparisons, taken out of others."""
    return {name: options.pop(name) for name in NAMES if name in options}


def check_format(path: str, option: str) -> None:
    """A file whose extension says its format."""
    with blamed_on(option):
        format_of(path)
