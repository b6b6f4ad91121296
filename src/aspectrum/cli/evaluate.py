"""``aspectrum evaluate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.options import Job, input_options

if TYPE_CHECKING:
    from aspectrum.results import Format

Progress = Callable[[str, int, int], None]


@click.command(
    short_help="Measure ranked lists.",
    epilog="""\b
Examples:
  aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@5,10 -m NDCG@10
  aspectrum evaluate ALS=als.parquet Popular=pop.parquet --history train.parquet \\
            --aspects movies.csv --split '|' --relevance test.parquet --threshold 4 -m all@10
  aspectrum evaluate --config evaluation.yaml --output results.md --per-user scores.parquet""",
)
@input_options
@click.option(
    "--format", type=click.Choice(["table", "json", "csv", "markdown", "latex"]), help="How the numbers are printed. Default: table."
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Also write them here: .txt, .json, .csv, .md or .tex, or any name with --format; may be repeated.",
)
@click.option("--per-user", metavar="FILE", help="Write the scores of users here, as Parquet.")
@click.option("--systems-as", type=click.Choice(["columns", "rows"]), help="Where systems stand in a table. Default: columns.")
@click.option("--threads", type=click.IntRange(min=1), help="How many threads may work. Default: one per core.")
@click.option("-q", "--quiet", is_flag=True, help="No progress; and nothing printed if there is an output file.")
def evaluate(
    format: Format | None,
    output: tuple[str, ...],
    per_user: str | None,
    systems_as: str | None,
    threads: int | None,
    quiet: bool,
    **inputs: Any,
) -> None:
    """Measure ranked lists: one file per system, against truth in other files.

    Files may be CSV, TSV, Parquet, Arrow, JSON Lines or TREC's, also packed by gzip or zstd; - is the standard input. Every
    output says how each number was computed.
    """
    from aspectrum.api import evaluate_systems
    from aspectrum.errors import OutputError
    from aspectrum.metric import UserMetric

    job = Job.of(**inputs)
    settings = job.settings
    outputs = [(path, _format_of(path, format)) for path in output] or [(str(one.path), one.format) for one in settings.outputs]
    scores = per_user if per_user is not None else None if settings.per_user is None else str(settings.per_user)
    metrics = job.expanded()
    if scores is not None:
        _check_scores(scores, any(isinstance(metric, UserMetric) for metric in metrics))
    _check_paths([*(path for path, _ in outputs), *([] if scores is None else [scores])], job.files)
    with _progress(quiet) as show:

        def progress(system: str, done: int, total: int) -> None:
            job.usual.check()  # every file has been read; what is wrong is said before the long work
            if show is not None:
                show(system, done, total)

        results = evaluate_systems(
            job.systems,
            metrics,
            users=job.users,  # type: ignore[arg-type]  # a file of users is read there
            threads=threads or settings.threads,
            per_user=scores is not None,
            progress=progress,
            **{**job.inputs, **job.reading},
        )
    job.usual.check()
    placed: Any = systems_as or settings.systems_as or "columns"
    writing: list[Callable[[], None]] = [lambda path=path, kind=kind: results.write(path, kind, placed) for path, kind in outputs]  # type: ignore[misc]
    if scores is not None:
        writing.append(lambda: results.write_per_user(scores))
    failures = []
    for write in writing:
        try:
            write()
        except OutputError as error:
            failures.append(str(error))
    # Should a file fail, the numbers are still printed: computing them may have taken long.
    if not quiet or not writing or failures:
        click.echo(results.written(format or "table", placed), nl=False)
    if failures:
        raise OutputError("\n".join(failures))


def _format_of(path: str, format: Format | None) -> Format:
    from aspectrum.errors import OutputError
    from aspectrum.results import format_of

    if path == "-":
        raise click.UsageError("--output -: the numbers are printed to the standard output anyway, as --format says")
    try:
        return format_of(path)
    except OutputError as error:
        if format is not None:
            return format
        raise click.UsageError(f"--output {str(error).replace('say the format', 'a --format')}") from None


def _check_scores(path: str, there_are_some: bool) -> None:
    from aspectrum.errors import OutputError
    from aspectrum.results import check_parquet

    try:
        check_parquet(path)
    except OutputError as error:
        raise click.UsageError(f"--per-user {error}") from None
    if not there_are_some:
        raise click.UsageError(f"--per-user {path}: none of the metrics has scores of users")


def _check_paths(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Nothing that is read is overwritten, nothing is written twice, and no evaluation is done for a file that cannot be."""
    from aspectrum.errors import OutputError

    taken = {os.path.realpath(path): "is also an input; it would be overwritten" for path in inputs if path != "-"}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"{path}: {taken[place]}")
        exists, folder = os.path.exists(path), os.path.dirname(place)
        if os.path.isfile(path) or not exists:
            taken[place] = "would be written twice"
        reason = None
        if os.path.isdir(path):
            reason = "it is a directory"
        elif not exists and not os.path.isdir(folder):
            reason = "no such directory"
        elif not os.access(path if exists else folder, os.W_OK):
            reason = "permission denied"
        if reason is not None:
            raise OutputError(f"{path}: cannot be written: {reason}")


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    # Names of systems are not marked up: a bracket in one is a bracket.
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}
        reading = bar.add_task("reading", total=None)

        def show(system: str, done: int, total: int) -> None:
            if reading in bar.task_ids:
                bar.remove_task(reading)
            if system not in tasks:
                tasks[system] = bar.add_task(system, total=total)
            bar.update(tasks[system], completed=done, total=total)

        yield show
