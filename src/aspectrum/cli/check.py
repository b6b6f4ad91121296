"""``aspectrum check``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.options import Job, expanded, input_options


@click.command(
    epilog="""\b
Examples:
  aspectrum check recs.csv --relevance test.csv --aspects genres.csv -m NDCG@10
  aspectrum check --config evaluation.yaml --json"""
)
@input_options
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(as_json: bool, **inputs: Any) -> int:
    """Look at the data before any number: sizes, what matches nowhere and why, ties, duplicates, short lists.

    Takes the same inputs as evaluate. Exits with 1 if something is wrong enough that numbers would mean nothing.
    """
    from aspectrum.examination import examine

    job = Job.of(**inputs)
    cutoffs = [cutoff for metric in expanded(job.metrics, job.inputs) for cutoff in metric.cutoffs] if job.metrics else [10]
    report = examine(job.systems, job.inputs, cutoffs, job.usual, **job.reading)
    click.echo(report.to_json() if as_json else report.to_text())
    return 0 if report.sound else 1
