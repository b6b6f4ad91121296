"""``aspectrum compare``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.comparing import Comparing, check_format, report_options, statistics_options
from aspectrum.cli.options import FILE, IGNORE, STRICT, THREADS, choice, metric_option, with_options
from aspectrum.cli.paths import check_paths


@click.command(
    short_help="Compare saved results: is the difference real?",
    epilog="""\b
Examples:
  aspectrum evaluate ALS=als.csv EASE=ease.csv --relevance test.csv -m NDCG@10 -m ILD@10 \\
            --output today.json --per-user today.parquet
  aspectrum compare today.json --baseline ALS
  aspectrum compare last_week.json today.json --fail-if 'NDCG@10 < -1%' --fail-if 'ILD@10 < 0'""",
)
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...", type=FILE)
@with_options(
    metric_option("A metric to compare; may be repeated. Default: all that the systems have in common."),
    choice("--users", "common", "Compare only users that every system was averaged over. Default: differing users are an error."),
    statistics_options,
    report_options,
    choice("--format", "table json csv markdown latex", "How the comparison is printed. Default: table."),
    click.option(
        "-o", "--output", multiple=True, metavar="FILE", help="Also write it here, in the format of the extension; may be repeated."
    ),
    THREADS,
    STRICT,
    IGNORE,
    click.option("-q", "--quiet", is_flag=True, help="Nothing printed if there is an output file."),
)
def compare(
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    users: str | None,
    format: Any,
    output: tuple[str, ...],
    threads: int | None,
    strict: bool | None,
    ignore: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> None:
    """Compare systems user by user, from saved results.

    Files are results saved as JSON, or per-user scores saved as Parquet, CSV or TSV. Nothing can be tested without per-user scores: write
    JSON with --per-user in the same call. A file may hold several systems; systems with the same name are named after their files.
    """
    from aspectrum.comparison.comparison import named_results
    from aspectrum.diagnostics.attention import Attention
    from aspectrum.diagnostics.notices import COMMAND_LINE
    from aspectrum.errors import InputError

    comparing = Comparing.of(given)
    for path in output:
        check_format(path, "--output")
    named = [_named(one) for one in files]
    check_paths(output, [path for _, path in named])
    comparing.check_files([*output, *(path for _, path in named)])
    results = named_results([path for _, path in named] if not any(name for name, _ in named) else dict(_all_named(named)))
    attention = Attention(bool(strict), ignore, COMMAND_LINE)
    if len(results) < 2 and not comparing.given.keys() & {"report", "plots"}:
        raise InputError(f"a comparison needs at least two systems, found {', '.join(map(repr, results))}")
    comparison = comparing.of_results(results, attention, metrics=metrics or None, common=users == "common", threads=threads)
    for path in output:
        comparing.write(comparison, path)
    comparing.write_pages(comparison, [path for _, path in named])
    if not quiet or not (output or comparing.given.keys() & {"report", "plots"}):
        click.echo(comparing.written(comparison, format or "table"), nl=False)
    comparing.check_gates(comparison)


def _named(given: str) -> tuple[str | None, str]:
    import os

    name, equals, path = given.partition("=")
    return (None, given) if not equals or not name or os.path.exists(given) else (name, path)


def _all_named(files: list[tuple[str | None, str]]) -> list[tuple[str, str]]:
    import os

    found = [(name or os.path.splitext(os.path.basename(path))[0], path) for name, path in files]
    names = [name for name, _ in found]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two files are called {name!r}; name them, as in NAME=FILE")
    return found
