"""``aspectrum evaluate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import click

from aspectrum.cli.options import USERS, Job, expanded, input_options

Progress = Callable[[str, int, int], None]


@click.command(
    epilog="""\b
Examples:
  aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@5,10 -m NDCG@10
  aspectrum evaluate ALS=als.parquet Popular=pop.parquet --history train.parquet \\
            --aspects movies.csv --split '|' --relevance test.parquet --threshold 4 -m all@10
  aspectrum evaluate --config evaluation.yaml --output results.md --per-user scores.parquet"""
)
@input_options
@click.option("--users", metavar="WHO", help=f"Who is averaged: {', '.join(USERS)}, or a file of users. Default: lists.")
@click.option(
    "--format", type=click.Choice(["table", "json", "csv", "markdown", "latex"]), help="How the numbers are printed. Default: table."
)
@click.option(
    "-o", "--output", multiple=True, metavar="FILE", help="Also write them here: .txt, .json, .csv, .md or .tex; may be repeated."
)
@click.option("--per-user", metavar="FILE", help="Write the scores of users here, as Parquet.")
@click.option("--systems-as", type=click.Choice(["columns", "rows"]), help="Where systems stand in a table. Default: columns.")
@click.option("--threads", type=click.IntRange(min=1), help="How many threads may work. Default: one per core.")
@click.option("-q", "--quiet", is_flag=True, help="No progress; and no table if there is an output file.")
def evaluate(
    users: str | None,
    format: str | None,
    output: tuple[str, ...],
    per_user: str | None,
    systems_as: str | None,
    threads: int | None,
    quiet: bool,
    **inputs: Any,
) -> None:
    """Measure ranked lists: one file per system, against truth in other files.

    Files may be CSV, TSV, Parquet, Arrow, JSON Lines or TREC's, also packed by gzip or zstd. Without -m, every metric that
    the inputs allow is computed at 10.
    """
    from aspectrum.api import evaluate_systems
    from aspectrum.results import Format, check_parquet, format_of

    job = Job.of(**inputs)
    settings = job.settings
    outputs: list[tuple[str, Format]] = [(path, format_of(path)) for path in output] or [
        (str(one.path), one.format) for one in settings.outputs
    ]
    scores = per_user or (None if settings.per_user is None else str(settings.per_user))
    if scores is not None:
        check_parquet(scores)
    _check_paths([*(path for path, _ in outputs), *([scores] if scores else [])], job.files)
    metrics = expanded(job.metrics, job.inputs)
    averaged = users if users is not None else settings.users
    with _progress(quiet) as progress:
        results = evaluate_systems(
            job.systems,
            metrics,
            users=_whom(averaged),
            threads=threads or settings.threads,
            per_user=scores is not None,
            progress=progress,
            **job.inputs,
            **job.reading,
        )
    job.usual.check()
    placed = systems_as or settings.systems_as or "columns"
    for path, kind in outputs:
        results.write(path, kind, placed)  # type: ignore[arg-type]
    if scores is not None:
        results.write_per_user(scores)
    if not (quiet and outputs):
        assert format is None or format in get_args(Format)
        click.echo(results.written(format or "table", placed), nl=False)  # type: ignore[arg-type]


def _whom(users: Any) -> Any:
    from aspectrum.io import Source

    if users is None or (isinstance(users, str) and users in USERS):
        return users
    if isinstance(users, str) and not os.path.exists(users):
        raise click.UsageError(f"--users is {users!r}, which is neither one of {', '.join(USERS)} nor a file")
    return Source(str(users))


def _check_paths(outputs: list[str], inputs: tuple[str, ...]) -> None:
    """Nothing that is read is overwritten, and nothing is written twice."""
    from aspectrum.errors import OutputError

    taken = {os.path.realpath(path): "is also an input" for path in inputs if path != "-"}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise OutputError(f"{path}: {taken[place]}; it would be overwritten")
        if os.path.isfile(place) or not os.path.exists(place):
            taken[place] = "is written twice"


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal, for work that takes long enough to see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}
        reading = bar.add_task("reading", total=None)

        def show(system: str, done: int, total: int) -> None:
            bar.remove_task(reading) if reading in bar.task_ids else None
            if system not in tasks:
                tasks[system] = bar.add_task(system, total=total)
            bar.update(tasks[system], completed=done, total=total)

        yield show
