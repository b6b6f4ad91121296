"""``aspectrum ndeval``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.options import Number, read_until_interrupted
from aspectrum.wording import one_line


def _risk(context: click.Context, option: click.Parameter, value: str) -> str:
    Number(0).convert(value, option, context)
    return value  # it is printed as it is given


@click.command(
    short_help="Diversity of a TREC run, as ndeval prints it.",
    context_settings={"help_option_names": ["-h", "--help", "-help"]},
    epilog="Example: aspectrum ndeval -traditional web2012.qrels my.run > my.csv",
)
@click.argument("qrels")
@click.argument("run")
@click.option("-alpha", type=Number(0, 1), default=0.5, help="Redundancy intolerance. Default: 0.5.")
@click.option("-beta", type=Number(0, 1), default=0.5, help="Patience, for NRBP. Default: 0.5.")
@click.option("-traditional", is_flag=True, help="Order by score, ties by descending document id. Default: by rank.")
@click.option("-c", "complete", is_flag=True, help="Average over every topic of the judgments.")
@click.option("-M", "depth", type=click.IntRange(min=1), help="Cut the run off at this depth.")
@click.option("-baseline", metavar="RUN", help="Print what the run gains on this one.")
@click.option(
    "-riskAlpha", "risk_alpha", default="0", callback=_risk, help="Losses against the baseline weigh 1 more than this. Default: 0."
)
def ndeval(qrels: str, run: str, **options: Any) -> None:
    """Diversity of a TREC run, as the Web track's ndeval computes and prints it.

    The same options, rows and digits. Beyond it: negative grades are read as not relevant, topics may be words, and files
    may be packed.
    """
    from aspectrum.ndeval import ndeval as evaluate

    read_until_interrupted()
    result = evaluate(qrels, run, **options)
    for line in result.lines():
        click.echo(line)
    if result.n_averaged == 0:
        click.echo(one_line(f"no topic of {run} is judged in {qrels}, so there is no mean"), err=True)
