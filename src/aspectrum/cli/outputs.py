"""Options that say where numbers go, and the writing of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.options import IDEAL_BUDGET, IDEAL_SECONDS, IGNORE, STRICT, THREADS, Job, choice, with_options
from aspectrum.formats import EXTENSIONS, FORMATS, SCORE_FILES, Format, format_of, scores_separator
from aspectrum.wording import listed, one_line

if TYPE_CHECKING:
    from aspectrum.asked import Asked
    from aspectrum.diagnostics.notices import Notice
    from aspectrum.progress import SystemProgress
    from aspectrum.results import SystemResults

_KNOWN = listed(format.extensions[0] for format in FORMATS.values() if format.extensions)

output_options = with_options(
    choice("--format", " ".join(FORMATS), "How the numbers are printed. Default: table."),
    click.option(
        "-o",
        "--output",
        multiple=True,
        metavar="FILE",
        help=f"Also write them here: {_KNOWN}, or any name with --format; may be repeated.",
    ),
    click.option("--per-user", metavar="FILE", help=f"Write the scores of users here: {listed(SCORE_FILES)}."),
    choice("--systems-as", "columns rows", "Where systems stand in a table. Default: columns."),
    IDEAL_BUDGET,
    IDEAL_SECONDS,
    THREADS,
    STRICT,
    IGNORE,
    click.option("-q", "--quiet", is_flag=True, help="No progress; and nothing printed if there is an output file."),
)
"""Where numbers go: the options of :func:`deliver`, beside settings of a :class:`Job`."""


def deliver(
    job: Job,
    asked: tuple[Sequence[Asked], Sequence[Notice]],
    evaluate_systems: Callable[..., SystemResults],
    *,
    format: Format | None,
    output: Sequence[str],
    quiet: bool,
    **options: Any,
) -> None:
    """Evaluate what the job says, write the files and print.

    Args:
        asked: The metrics, and what is left out of them.
        options: Those of `evaluate_systems` that not every job has.
    """
    from aspectrum.errors import OutputError

    metrics, left_out = asked
    outputs, scores, placed = _files(job, metrics, format, output), job.settings.per_user, job.settings.systems_as or "columns"
    with progress_bar(quiet) as show:

        def progress(system: str, done: int, total: int) -> None:
            job.usual.check()  # every file has been read; what is wrong is said before the long work
            if show is not None:
                show(system, done, total)

        common = {
            "users": job.users,
            "threads": job.settings.threads,
            "per_user": scores is not None,
            "progress": progress,
            **job.attention,
        }
        results = evaluate_systems(job.systems, metrics, **common, **job.spending, **job.inputs, **job.reading, **options)
    results = job.with_notes(results, left_out)
    job.usual.check()
    writing = [partial(results.write, path, kind, placed) for path, kind in outputs]
    if scores is not None:
        writing.append(partial(results.write_per_user, scores))
    failures = []
    for write in writing:
        try:
            write()
        except OutputError as error:
            failures.append(str(error))
    # Should a file fail, the numbers are still printed: computing them may have taken long.
    printed = [format or "table"] if not quiet or not writing or failures else []
    for kind in printed:
        click.echo(results.written(kind, placed), nl=False)
    if {*printed, *(kind for _, kind in outputs)} == {"relison"}:  # which has no place for them
        ways = dict.fromkeys(str(column.how["convention"]) for result in results.values() for column in result.columns.values())
        for note in (f"the numbers are {' and '.join(ways)}", *results.notes):
            click.echo(one_line(f"note: {note}"), err=True)
    if failures:
        raise OutputError("\n".join(failures))


def _files(job: Job, metrics: Sequence[Asked], format: Format | None, given: Sequence[str]) -> list[tuple[str, Format]]:
    """The files of options, else of the configuration; what cannot be written is said before the long work."""
    from aspectrum.metric import UserMetric

    outputs = [(path, _format_of(path, format)) for path in given] or [(str(one.path), one.format) for one in job.settings.outputs]
    paths = [path for path, _ in outputs]
    if job.settings.per_user is not None:
        paths.append(str(job.settings.per_user))
        with blamed_on("--per-user"):
            scores_separator(paths[-1])
        if not any(isinstance(one.metric, UserMetric) for one in metrics):
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
def blamed_on(option: str) -> Iterator[None]:
    """A file that could not be written is wrong use of the option that names it."""
    from aspectrum.errors import OutputError

    try:
        yield
    except OutputError as error:
        raise click.UsageError(f"{option} {str(error).replace('say the format', 'a --format')}") from None


def check_paths(outputs: Sequence[str], inputs: Sequence[str]) -> None:
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
        reasons = {
            "it is a directory": os.path.isdir(path),
            "no such directory": not exists and not os.path.isdir(folder),
            "permission denied": not os.access(path if exists else folder, os.W_OK),
        }
        wrong = [reason for reason, holds in reasons.items() if holds]
        if wrong:
            raise OutputError(f"{path}: cannot be written: {wrong[0]}")


@contextmanager
def progress_bar(quiet: bool) -> Iterator[SystemProgress | None]:
    """A bar on a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from aspectrum.progress import progress_bar as bar

    with bar(transient=True) as show:
        yield show
