"""``aspectrum ideal``."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from aspectrum.cli.options import IDEAL_BUDGET, IDEAL_SECONDS, IGNORE, STRICT, THREADS, Job, truth_options
from aspectrum.cli.outputs import progress_bar


@click.command(
    short_help="Show ideal lists: the best there are, with a proof.",
    epilog="""\b
Examples:
  aspectrum ideal --subtopics wt09.diversity.qrels -m AlphaNDCG@5,10,20
  aspectrum ideal --subtopics wt09.diversity.qrels --user 12 -m AlphaNDCG@10
  aspectrum ideal --aspects genres.csv --history train.csv --user ann -m 'ERRIA(judged_by=history)@10' --json""",
)
@truth_options("AlphaNDCG, ERRIA or NRBP, such as AlphaNDCG(alpha=0.9)@5,10; may be repeated. Default: AlphaNDCG@10.")
@click.option("--user", metavar="ID", help="Show the lists of this user or topic. Default: a summary over all of them.")
@IDEAL_BUDGET
@IDEAL_SECONDS
@click.option("--json", "as_json", is_flag=True, help="Print the lists, or the summary, as JSON.")
@THREADS
@STRICT
@IGNORE
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def ideal(user: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Show the list that scores 1: the best there is, beside the greedy list that other tools divide by.

    For one user or topic: both lists with their gains, how far greedy falls short, and the proof. For all of them: how many
    ideals are proved, and how often and how far greedy falls short.
    """
    from aspectrum.conventions import conventions_named
    from aspectrum.errors import InputError
    from aspectrum.formats import as_json as json_of
    from aspectrum.ideal_lists import ideal_list, read_truth, summarise_ideals
    from aspectrum.metric import parse
    from aspectrum.plan import with_threads

    job = Job.of(command="ideal", **given)
    if len(job.inputs) == 0:
        raise click.UsageError(
            "there is nothing to make lists of: give --subtopics or --nuggets, or --aspects with --history or --relevance"
        )
    (convention, *others) = conventions_named(job.reading.get("convention"))
    if others:
        raise click.UsageError("--convention names several; ideal lists are shown for one")
    metrics = [convention.applied(parse(metric) if isinstance(metric, str) else metric) for metric in job.metrics or ("AlphaNDCG@10",)]
    if any(metric.parameters.get("pool") == "list" for metric in metrics):
        raise click.UsageError("pool=list needs lists, and there are none here; in Python, asp.ideal_list takes them")
    with with_threads(job.settings.threads), progress_bar(quiet) as show:
        given = {**job.inputs, **job.reading, **job.attention}
        world = read_truth(**given)
        job.usual.check()
        if user is None:
            tell = None if show is None else partial(show, "ideal lists")
            summary = summarise_ideals(metrics, rankings=world, progress=tell, **job.spending)
            if not any(row.users for row in summary.rows):
                raise InputError("no user has anything to gain: are there users, and are their items those that have aspects?")
            printed = summary.to_json() if as_json else str(summary)
        else:
            found = [ideal_list(user, metric.at(cutoff), rankings=world, **job.spending) for metric in metrics for cutoff in metric.cutoffs]
            printed = json_of([one.to_dict() for one in found]) if as_json else "\n\n".join(map(str, found))
    click.echo(printed)
