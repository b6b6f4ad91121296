"""``aspectrum evaluate``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.comparing import taken
from aspectrum.cli.options import DIRECTED, Job, input_options
from aspectrum.cli.outputs import deliver, output_options


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
@DIRECTED
@output_options
def evaluate(format: Any, output: tuple[str, ...], quiet: bool, **given: Any) -> None:
    """Measure ranked lists: one file per system, or one with a system column, against truth in other files.

    Files may be CSV, TSV, Parquet, Arrow, JSON Lines or TREC's, also compressed with gzip or zstd; - is the standard input. Every
    output says how each number was computed.
    """
    from aspectrum.api import evaluate_files

    comparing = taken(given)
    job = Job.of(**given)
    deliver(job, job.asked(), evaluate_files, format=format, output=output, quiet=quiet, **comparing)
