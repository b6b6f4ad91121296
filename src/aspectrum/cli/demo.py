"""``aspectrum demo``."""

from __future__ import annotations

import click


@click.command(
    short_help="Measure six simulated recommenders.",
    epilog="""\b
Examples:
  aspectrum demo demo-report.html
  aspectrum demo --files demo && aspectrum evaluate --config demo/evaluation.yaml""",
)
@click.argument("report", default="demo-report.html")
@click.option(
    "--files",
    metavar="FOLDER",
    help="Write the built-in data there as files instead, with an evaluation.yaml, to try the other commands on.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files, with --files.")
def demo(report: str, files: str | None, force: bool) -> None:
    """Measure six simulated recommenders, print a table and write a report: a page, or Markdown for a name that ends in .md."""
    from aspectrum.demo import show, write_files

    if force and files is None:
        raise click.UsageError("--force goes with --files")
    if files is None:
        show(report)
    else:
        for path in write_files(files, force=force):
            click.echo(path)
