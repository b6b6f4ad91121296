"""``aspectrum check``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.options import IGNORE, STRICT, Job, input_options


@click.command(
    short_help="Validate inputs before evaluating.",
    epilog="""\b
Examples:
  aspectrum check recs.csv --relevance test.csv --aspects genres.csv -m NDCG@10
  aspectrum check --config evaluation.yaml --json""",
)
@input_options
@STRICT
@IGNORE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(as_json: bool, **inputs: Any) -> int:
    """Validate inputs before evaluating: sizes, ids that match nowhere and why, ties, duplicates, short lists.

    Takes the same inputs as evaluate; with metrics, it also checks that these inputs are enough for them. Exit status: 0
    without errors, 1 with errors: there would be no numbers, or none that mean anything.
    """
    from aspectrum.diagnostics.check import check as check_inputs
    from aspectrum.diagnostics.notices import COMMAND_LINE

    job = Job.of(command="check", **inputs)
    options = {"users": job.users, "usual": job.usual, "speaker": COMMAND_LINE, **job.attention, **job.reading}
    metrics = [one.metric for one in job.asked()[0]] if job.metrics else ()
    report = check_inputs(job.systems, job.inputs, metrics, **options)
    click.echo(report.to_json() if as_json else report.to_text())
    return 1 if report.n_errors else 0
