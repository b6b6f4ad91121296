"""``aspectrum evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from aspectrum.cli.comparing import taken
from aspectrum.cli.options import DIRECTED, Job, choice, file_option, input_options
from aspectrum.cli.outputs import Streaming, deliver, output_options, progress_bar
from aspectrum.cli.paths import check_paths
from aspectrum.wording import one_line


@click.command(
    short_help="Measure ranked lists.",
    epilog="""\b
Examples:
  aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@5,10 -m NDCG@10
  aspectrum evaluate ALS=als.parquet Popular=pop.parquet --history train.parquet \\
            --aspects movies.csv --split '|' --relevance test.parquet --threshold 4 -m all@10
  aspectrum evaluate --config evaluation.yaml --output results.md --per-user scores.parquet
  aspectrum evaluate ALS=lists/ --relevance test.parquet -m NDCG@10 --memory 2GB --resume finished/
  aspectrum evaluate ALS=lists/ --relevance test/ --history train/ -m NDCG@10 --engine spark --master spark://host:7077 --join
  aspectrum evaluate recs-03.parquet --relevance test.parquet -m NDCG@10 --part 03.part && aspectrum merge *.part""",
)
@input_options
@DIRECTED
@click.option(
    "--memory", metavar="SIZE", help="Read lists piece by piece to stay within this much memory, as 2GB. The ground truth must fit."
)
@click.option("--resume", metavar="DIR", help="Keep what is finished in this directory; the same command goes on from there.")
@choice("--engine", "local spark", "What evaluates the lists: this process, or a Spark cluster. Default: local.")
@click.option("--master", metavar="URL", help="The Spark cluster, as spark://host:7077 or local[4]. Default: as Spark is set up.")
@click.option(
    "--join",
    is_flag=True,
    help="Have Spark read relevance, history, subtopics, weights and baseline lists and join them with the lists by user. Use it for ground truth "
    "that is too large to send to every machine.",
)
@file_option("--part", help="Write a part of the evaluation here, and no numbers; aspectrum merge makes numbers of all parts.")
@output_options
def evaluate(
    memory: str | None,
    resume: str | None,
    engine: str | None,
    master: str | None,
    join: bool,
    part: str | None,
    format: Any,
    output: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> None:
    """Measure ranked lists: one file per system, or one with a system column, against truth in other files.

    NAME=DIRECTORY is one system, in as many files as there are; so is a directory that Spark or others wrote in parts. Lists that are larger
    than memory are read piece by piece.

    Files may be CSV, TSV, Parquet, Arrow, JSON Lines or TREC's, lists also JSON by query, predictions of MTEB and traces of agents; all of them may
    be compressed with gzip or zstd. - is the standard input. Every output says how each number was computed. With --part, the lists are those of some complete users of one system.
    """
    from aspectrum.api import evaluate_files

    comparing = taken(given)
    if part is not None:
        outputs = {"format": format, "output": output, "per_user": given["per_user"], "systems_as": given["systems_as"], **comparing}
        _check_no_outputs(outputs)
    job = Job.of(**given)
    streaming = Streaming.of(memory, resume)
    if engine == "spark":
        for name, value in (("memory", memory), ("resume", resume), ("part", part)):
            if value is not None:
                raise click.UsageError(f"--{name} does not go with --engine spark, which spreads the work itself")
        from aspectrum.integrations import spark

        deliver(
            job,
            job.asked(),
            partial(spark.evaluate_files, master=master, join=join),
            format=format,
            output=output,
            quiet=quiet,
            **comparing,
        )
        return
    for name, is_given in (("master", master is not None), ("join", join)):
        if is_given:
            raise click.UsageError(f"--{name} goes with --engine spark")
    if part is None:
        deliver(job, job.asked(), evaluate_files, format=format, output=output, quiet=quiet, streaming=streaming, **comparing)
    else:
        _write_part(part, job, given["systems"], quiet, streaming)


def _check_no_outputs(given: dict[str, Any]) -> None:
    """Nothing is said of numbers, which a part does not have."""
    for name, value in given.items():
        if value is not None and value != ():
            raise click.UsageError(f"--{name.replace('_', '-')} goes with aspectrum merge: --part writes no numbers")


def _write_part(path: str, job: Job, systems: Sequence[str], quiet: bool, streaming: Streaming) -> None:
    from aspectrum.merging import PartJob, observe_part

    if len(job.systems) > 1:
        raise click.UsageError(f"--part is for one system, found {', '.join(job.systems)}: run once for each, with a part of its own")
    if "," in job.reading.get("convention", ""):
        raise click.UsageError(
            f"--part is for one convention, found {job.reading['convention']}: run once for each, with a part of its own"
        )
    if job.users == "common":
        raise click.UsageError("--users common needs the lists of all systems, and a part has those of one")
    job_of_part = PartJob.of(job.metrics or ("all@10",), job.inputs, job.users, **job.reading, **job.spending)
    for name, source in job_of_part.sources.items():
        if source.path == "-":
            raise click.UsageError(f"{name} comes from the standard input, where aspectrum merge cannot read it again; name a file")
    check_paths([path], job.files)
    ((name, lists),) = job.systems.items()
    metrics, _ = job.asked()
    with progress_bar(quiet) as show:

        def progress(done: int, total: int) -> None:
            job.usual.check()  # every file has been read; what is wrong is said before the long work
            if show is not None:
                show(name, done, total)

        options = {**job.attention, **job.spending, **job.inputs, **job.reading, "users": job.users, "threads": job.settings.threads}
        options |= vars(streaming)
        found = observe_part(lists, metrics, system=_own_name(name, lists.path, systems), progress=progress, **options)
    job.usual.check()
    found.write(path, job=job_of_part.to_data())
    if not quiet:
        users, n = len(found.lists.ids["user"]), sum(len(one.names) for one in metrics)
        sizes = ", ".join(
            f"{count:,} {thing}{'s' * (count != 1)}" for count, thing in ((users, "user"), (found.lists.n_rows, "row"), (n, "metric"))
        )
        click.echo(f"{one_line(path)}: {sizes}")


def _own_name(name: str, path: str, given: Sequence[str]) -> str | None:
    """The name of a system unless it is that of its file: files of parts of one system have different names."""
    from aspectrum.config import system_name

    is_given = any(one.startswith(f"{name}=") for one in given)
    return None if path in given or (name == system_name(path) and not is_given) else name
