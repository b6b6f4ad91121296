"""``aspectrum rounds``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import click

from aspectrum.cli.options import (
    FILE,
    IDEAL_BUDGET,
    IDEAL_SECONDS,
    IGNORE,
    STRICT,
    THREADS,
    USERS_OPTION,
    Job,
    Number,
    choice,
    file_option,
    truth_options,
)
from aspectrum.cli.paths import blamed_on, check_paths
from aspectrum.formats import EXTENSIONS, FORMATS, SCORE_FILES, format_of, scores_separator
from aspectrum.wording import listed

_FORMATS = [name for name in FORMATS if name != "relison"]


@click.command(
    short_help="Measure what agents found, round by round.",
    epilog="""\b
Examples:
  aspectrum rounds traces/ --nuggets nuggets.jsonl -m AlphaNDCG -m AspectRecall
  aspectrum rounds traces/gpt-5-mini/bm25/biology --nuggets BRIGHT-Pro --task biology --convention brightpro
  aspectrum rounds traces.jsonl --nuggets bank.jsonl --per-round 5 --qualities judge.jsonl -o rounds.json --per-user rounds.parquet""",
)
@click.argument("traces", type=FILE)
@truth_options("Such as AlphaNDCG(alpha=0.9) or NuggetCoverage@20; may be repeated. Default: AlphaNDCG and AspectRecall.")
@click.option("--per-round", type=click.IntRange(1), metavar="N", help="Measure at N, 2N, 3N ... Default: all that a query has found.")
@click.option("--rounds", "n_rounds", type=click.IntRange(1), metavar="N", help="How many rounds. Default: the most of any query.")
@USERS_OPTION
@file_option("--qualities", help="What a judge says of answers, in JSON Lines with qid and overall_quality: gives AER.")
@click.option("--gamma", type=Number(0), default=0.05, metavar="RATE", help="What each further round costs in AER. Default: 0.05.")
@IDEAL_BUDGET
@IDEAL_SECONDS
@THREADS
@STRICT
@IGNORE
@choice("--format", " ".join(_FORMATS), "How the numbers are printed. Default: table.")
@click.option(
    "-o", "--output", multiple=True, metavar="FILE", help="Also write them here: .txt, .json, .csv, .md or .tex; may be repeated."
)
@click.option("--per-user", metavar="FILE", help=f"Write the scores of queries after each round here: {listed(SCORE_FILES)}.")
@file_option("--plot", help="Draw every metric against the round here: .svg, .png or .pdf.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing is printed if there is an output file.")
def rounds(
    traces: str,
    per_round: int | None,
    n_rounds: int | None,
    qualities: str | None,
    gamma: float,
    format: Any,
    output: tuple[str, ...],
    per_user: str | None,
    plot: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure what agents that search in rounds have found after each round, and what each round added.

    TRACES is a file with the trace of one query, JSON Lines with many, or a directory of such files. After each round there is a list: all that a
    query has found so far, each document at its first place. A metric without a cutoff is measured on all of it, or with --per-round at a
    cutoff that grows. Default: AlphaNDCG and AspectRecall. What share of a round was found before, and what the round gains by itself, is always
    there, and with AspectRecall how much a round added to it.
    """
    from aspectrum.conventions import conventions_named
    from aspectrum.diagnostics.notices import COMMAND_LINE
    from aspectrum.errors import AspectrumError, OutputError, joined
    from aspectrum.rounds import Rounds, evaluate_rounds

    task = given.get("task")
    job = Job.of(command="rounds", **given)
    if not job.inputs:
        raise click.UsageError("there is nothing to measure against: give --nuggets, --subtopics or another input")
    (convention, *others) = conventions_named(job.reading.get("convention"))
    if others:
        raise click.UsageError("--convention names several; rounds are measured under one")
    outputs = []
    for path in output:
        with blamed_on("--output"):
            outputs.append((path, format if format is not None and not path.endswith(tuple(EXTENSIONS)) else format_of(path)))
    if per_user is not None:
        with blamed_on("--per-user"):
            scores_separator(per_user)
    if plot is not None and not plot.lower().endswith((".svg", ".png", ".pdf")):
        raise click.UsageError(f"--plot {plot}: charts are .svg, .png or .pdf")
    check_paths([*(path for path, _ in outputs), *filter(None, (per_user, plot))], [*job.files, traces])
    reading = {name: value for name, value in job.reading.items() if name != "convention"}
    options: dict[str, Any] = {**job.spending, **job.attention, **job.inputs, **reading}
    found = evaluate_rounds(
        Rounds.read(traces, task=task),
        job.metrics or None,
        per_round=per_round,
        n_rounds=n_rounds,
        convention=convention,
        users=job.users,
        qualities=qualities,
        gamma=gamma,
        threads=job.settings.threads,
        **options,
    )
    job.usual.check()
    found = replace(found, speaker=COMMAND_LINE)
    writing = [partial(found.write, path, kind) for path, kind in outputs]
    writing += [] if per_user is None else [partial(found.write_per_user, per_user)]
    writing += [] if plot is None else [partial(found.plot.curves().save, plot)]
    failures: list[AspectrumError] = []
    for write in writing:
        try:
            write()
        except OutputError as error:
            failures.append(error)
    if not quiet or not writing or failures:
        click.echo(found.written(format or "table"), nl=False)
    if failures:
        raise joined(failures)
