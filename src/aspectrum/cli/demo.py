"""``aspectrum demo``."""

from __future__ import annotations

import click


@click.command(
    short_help="Measure six simulated recommenders.",
    epilog="""\b
Examples:
  aspectrum demo demo-report.md
  aspectrum demo --files demo""",
)
@click.argument("report", default="demo-report.md")
@click.option("--files", metavar="FOLDER", help="Write the built-in data there as files instead, to try the other commands on.")
def demo(report: str, files: str | None) -> None:
    """Measure six simulated recommenders, print a table and write a report."""
    from aspectrum.demo import show, write_files

    if files is None:
        show(report)
    else:
        for path in write_files(files):
            click.echo(path)
