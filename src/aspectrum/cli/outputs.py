"""Options that say where numbers go, and the writing of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.comparing import Comparing, compare_options
from aspectrum.cli.options import IDEAL_BUDGET, IDEAL_SECONDS, IGNORE, STRICT, THREADS, Job, choice, with_options
from aspectrum.cli.paths import blamed_on, check_paths
from aspectrum.formats import EXTENSIONS, FORMATS, SCORE_FILES, Format, as_json, format_of, scores_separator
from aspectrum.wording import listed, one_line

if TYPE_CHECKING:
    from aspectrum.asked import Asked
    from aspectrum.comparison import Comparison
    from aspectrum.diagnostics.notices import Notice
    from aspectrum.progress import SystemProgress
    from aspectrum.results import SystemResults, SystemsAs

_KNOWN = listed(format.extensions[0] for format in FORMATS.values() if format.extensions)

result_options = with_options(
    choice("--format", " ".join(FORMATS), "How the numbers are printed. Default: table."),
    click.option(
        "-o",
        "--output",
        multiple=True,
        metavar="FILE",
        help=f"Also write them here: {_KNOWN}, or any name with --format; may be repeated.",
    ),
    click.option("--per-user", metavar="FILE", help=f"Write the scores of users here: {listed(SCORE_FILES)}."),
    choice("--systems-as", "columns rows", "Systems as columns or as rows of the table. Default: columns."),
    THREADS,
    STRICT,
    IGNORE,
    compare_options,
    click.option("-q", "--quiet", is_flag=True, help="No progress; and nothing printed if there is an output file."),
)
"""Where numbers go: the options of :func:`deliver`, beside settings of a :class:`Job`."""

output_options = with_options(IDEAL_BUDGET, IDEAL_SECONDS, result_options)
"""The same for commands that compute the numbers."""


@dataclass(frozen=True)
class Streaming:
    """How lists that need not fit into memory are read."""

    memory: str | None
    resume: str | None

    @classmethod
    def of(cls, memory: str | None, resume: str | None) -> Streaming:
        from aspectrum.errors import InputError
        from aspectrum.streams import bytes_of

        try:
            bytes_of(memory)
        except InputError as error:
            raise click.UsageError(f"--{error}") from None
        return cls(memory, resume)

    def is_used(self, job: Job) -> bool:
        from aspectrum.io.files import is_several

        return (self.memory, self.resume) != (None, None) or any(is_several(str(source.data)) for source in job.systems.values())

    def peak(self) -> str:
        """What it took."""
        from aspectrum.streams import bytes_of, in_units, resident_memory

        limit = bytes_of(self.memory)
        return f"peak memory {in_units(resident_memory('VmHWM'))}" + ("" if limit is None else f" of {in_units(limit)}")


def deliver(
    job: Job,
    asked: tuple[Sequence[Asked], Sequence[Notice]],
    evaluate_systems: Callable[..., SystemResults],
    *,
    format: Format | None,
    output: Sequence[str],
    quiet: bool,
    streaming: Streaming | None = None,
    **options: Any,
) -> None:
    """Evaluate what the job says, write the files and print.

    Args:
        asked: The metrics, and what is left out of them.
        streaming: How lists are read piece by piece.
        options: Those of `evaluate_systems` that not every job has.
    """
    from aspectrum.errors import AspectrumError, InputError, MetricError, OutputError, joined
    from aspectrum.user_scores import ScoresFile

    failures: list[AspectrumError] = []
    metrics, left_out = asked
    comparing = Comparing.of(options, job.settings.comparison)
    outputs, scores, placed = _files(job, metrics, format, output), job.settings.per_user, job.settings.systems_as or "columns"
    comparing.check_files([*job.files, *(path for path, _ in outputs), *([] if scores is None else [str(scores)])])
    streams = streaming is not None and streaming.is_used(job)
    to_file = ScoresFile(scores, with_system=True) if streams and scores is not None and not comparing.wanted else None
    if streaming is not None:
        options |= {**vars(streaming), "scores": to_file}
    options["per_user"] = (scores is not None and to_file is None) or comparing.wanted
    with to_file or nullcontext():
        results = job.with_notes(_evaluated(job, metrics, evaluate_systems, options, quiet), left_out)
    if streaming is not None and streams and not quiet:
        click.echo(f"note: {streaming.peak()}", err=True)
    if scores is not None:  # these results may be compared with others one day
        results = _with_digests(results, job)
    comparison = None
    if comparing.wanted:
        try:
            comparison = comparing.of_results(results, job.attention_to, threads=job.settings.threads)
        except (InputError, MetricError) as error:  # the numbers are there all the same
            failures.append(error)
    writing = [partial(results.write, path, kind, placed, scores=scores) for path, kind in outputs]
    if scores is not None and to_file is None:
        writing.append(partial(results.write_per_user, scores))
    if comparison is not None and comparing.file is not None:
        writing.append(partial(comparing.write, comparison, comparing.file))
    if comparison is not None and comparing.has_pages:
        writing.append(partial(comparing.write_pages, comparison, job.files))
    for write in writing:
        try:
            write()
        except OutputError as error:
            failures.append(error)
    # Should a file fail, the numbers are still printed: computing them may have taken long.
    printed = [format or "table"] if not quiet or not (writing or to_file) or failures else []
    for kind in printed:
        click.echo(
            results.written(kind, placed) if comparison is None else _with_comparison(results, comparison, comparing, kind, placed),
            nl=False,
        )
    if {*printed, *(kind for _, kind in outputs)} == {"relison"}:  # which has no place for them
        ways = dict.fromkeys(str(column.how["convention"]) for result in results.values() for column in result.columns.values())
        for note in (f"the numbers are {' and '.join(ways)}", *results.notes):
            click.echo(one_line(f"note: {note}"), err=True)
    if failures:
        raise joined(failures)
    if comparison is not None:
        comparing.check_gates(comparison)


def _with_digests(results: SystemResults, job: Job) -> SystemResults:
    """Results that know what the files held that they were measured against."""
    from aspectrum.io.files import digest_of

    digests = {name: digest_of(str(source.data)) for name, source in job.inputs.items() if os.path.isfile(str(source.data))}
    return replace(results, systems={name: replace(result, digests=digests) for name, result in results.items()})


def _evaluated(
    job: Job, metrics: Sequence[Asked], evaluate_systems: Callable[..., SystemResults], options: dict[str, Any], quiet: bool
) -> SystemResults:
    with progress_bar(quiet) as show:

        def progress(system: str, done: int, total: int) -> None:
            job.usual.check()  # every file has been read; what is wrong is said before the long work
            if show is not None:
                show(system, done, total)

        common = {"users": job.users, "threads": job.settings.threads, "progress": progress, **job.attention}
        results = evaluate_systems(job.systems, metrics, **common, **job.spending, **job.inputs, **job.reading, **options)
    job.usual.check()
    return results


def _with_comparison(results: SystemResults, comparison: Comparison, comparing: Comparing, kind: Format, placed: SystemsAs) -> str:
    """Results and their comparison in one text: JSON holds both, tables follow one another; CSV and LaTeX are those of the comparison."""
    if kind == "json" and len(comparison.systems) > 1:
        return as_json({**results.to_dict(), "comparison": comparison.to_dict()}) + "\n"
    if len(comparison.systems) < 2 or not comparing.is_shown:
        return results.written(kind, placed)
    if kind in ("csv", "latex"):
        return comparing.written(comparison, kind)
    return results.written(kind, placed) + ("" if kind == "relison" else "\n" + comparison.written(kind))


def _files(job: Job, metrics: Sequence[Asked], format: Format | None, given: Sequence[str]) -> list[tuple[str, Format]]:
    """The files of options, else of the configuration; what cannot be written is said before the long work."""
    from aspectrum.metric import UserMetric

    outputs = [(path, _format_of(path, format)) for path in given] or [(str(one.path), one.format) for one in job.settings.outputs]
    paths = [path for path, _ in outputs]
    if job.settings.per_user is not None:
        paths.append(str(job.settings.per_user))
        with blamed_on("--per-user"):
            scores_separator(paths[-1])
        if not any(isinstance(one.metric, UserMetric) or one.metric.knows_contributions for one in metrics):
            raise click.UsageError(f"--per-user {paths[-1]}: none of the metrics has scores of users")
    check_paths(paths, job.files)
    return outputs


def _format_of(path: str, format: Format | None) -> Format:
    if path == "-":
        raise click.UsageError("--output -: the numbers are printed to the standard output anyway, as --format says")
    if format is not None and os.path.splitext(path)[1].lower() not in EXTENSIONS:
        return format
    with blamed_on("--output"):
        return format_of(path)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[SystemProgress | None]:
    """A bar on a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from aspectrum.progress import progress_bar as bar

    with bar(transient=True) as show:
        yield show
