"""``aspectrum merge``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.comparing import taken
from aspectrum.cli.options import FILE, Job, file_option, input_option, on_top, truth_files
from aspectrum.cli.outputs import deliver, result_options
from aspectrum.inputs import TRUTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aspectrum.asked import Asked
    from aspectrum.results import SystemResults


@click.command(
    short_help="Merge parts of an evaluation into its numbers.",
    epilog="""\b
Examples:
  aspectrum evaluate recs-01.parquet --relevance test.parquet -m NDCG@10 --part 01.part
  aspectrum evaluate recs-02.parquet --relevance test.parquet -m NDCG@10 --part 02.part
  aspectrum merge 01.part 02.part --output results.json --per-user scores.parquet
  aspectrum merge *.part --expect 2 --relevance moved/test.parquet""",
)
@click.argument("parts", nargs=-1, required=True, metavar="PART...", type=FILE)
@truth_files
@file_option("--nuggets", help="The nuggets, if they have moved.")
@file_option("--users", help="The file of users who are averaged.")
@click.option("--expect", metavar="N", type=click.IntRange(1), help="How many parts there must be, so that a missing one is an error.")
@result_options
def merge(parts: tuple[str, ...], expect: int | None, format: Any, output: tuple[str, ...], quiet: bool, **given: Any) -> None:
    """Merge parts that aspectrum evaluate --part wrote: the numbers of all lists together, bit for bit.

    Metrics, options and the truth are those of the parts. Files of the truth that have moved are named by the options of evaluate; they are
    read as before, and must say the same. Parts of several systems, which have names (NAME=FILE), give one table. A part that is
    damaged or belongs to another evaluation is refused, and so are parts with the same user.
    """
    from aspectrum.config import Settings
    from aspectrum.io.source import NO_USUAL_COLUMNS
    from aspectrum.merging import PartJob, merge_parts

    if expect is not None and len(parts) != expect:
        raise click.UsageError(f"{len(parts)} part{'s' * (len(parts) != 1)} given, expected {expect}")
    comparing = taken(given)
    by_option = {input_option(name): name for name in TRUTH} | {"nuggets": "subtopics"} | {"users": "users", "feature_ids": "feature_ids"}
    moved = {by_option[option]: path for option, path in given.items() if option in by_option and path is not None}
    recorded = PartJob.read(parts[0]).moved(moved)
    recorded.check_there(parts[0])
    spending, reading = (
        {name: value for name, value in recorded.options.items() if name.startswith("ideal_") == spent} for spent in (True, False)
    )
    settings = on_top(Settings(), {name: given[name] for name in ("threads", "per_user", "systems_as", "strict", "ignore")} | spending)
    files = (*parts, *(source.path for source in recorded.sources.values()))
    job = Job({}, recorded.inputs, recorded.users, recorded.metrics, reading, settings, NO_USUAL_COLUMNS, files)
    metrics, left_out = job.asked()
    _check_scores(metrics, given["per_user"])

    def merged(_: object, metrics: Sequence[Asked], **options: Any) -> SystemResults:
        return merge_parts(parts, metrics, digests=recorded.digests, **options)

    deliver(job, (metrics, left_out), merged, format=format, output=output, quiet=quiet, **comparing)


def _check_scores(metrics: Sequence[Asked], path: str | None) -> None:
    from aspectrum.metric import UserMetric

    if path is not None and not any(isinstance(one.metric, UserMetric) for one in metrics):
        raise click.UsageError(
            f"--per-user {path}: none of the metrics scores users, and what users contribute takes the lists, which parts do not hold"
        )
