"""``aspectrum evaluate``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.comparing import taken
from aspectrum.cli.options import DIRECTED, Job, input_options
from aspectrum.cli.outputs import Streaming, deliver, output_options


@click.command(
    short_help="Measure ranked lists.",
    epilog="""\b
Examples:
  aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@5,10 -m NDCG@10
  aspectrum evaluate ALS=als.parquet Popular=pop.parquet --history train.parquet \\
            --aspects movies.csv --split '|' --relevance test.parquet --threshold 4 -m all@10
  aspectrum evaluate --config evaluation.yaml --output results.md --per-user scores.parquet
  aspectrum evaluate ALS=lists/ --relevance test.parquet -m NDCG@10 --memory 2GB --resume finished/""",
)
@input_options
@DIRECTED
@click.option("--memory", metavar="SIZE", help="Read lists piece by piece and take at most so much memory, as 2GB.")
@click.option("--resume", metavar="DIR", help="Keep what is finished in this directory; the same command goes on from there.")
@output_options
def evaluate(format: Any, output: tuple[str, ...], quiet: bool, memory: str | None, resume: str | None, **given: Any) -> None:
    """Measure ranked lists: one file per system, or one with a system column, against truth in other files.

    NAME=DIRECTORY is one system, in as many files as there are; so is a directory that Spark or others wrote in parts. Lists that are larger
    than memory are read piece by piece.

    Files may be CSV, TSV, Parquet, Arrow, JSON Lines or TREC's, also compressed with gzip or zstd; - is the standard input. Every
    output says how each number was computed.
    """
    from aspectrum.api import evaluate_files

    comparing = taken(given)
    job = Job.of(**given)
    streaming = Streaming.of(memory, resume)
    deliver(job, job.asked(), evaluate_files, format=format, output=output, quiet=quiet, streaming=streaming, **comparing)
