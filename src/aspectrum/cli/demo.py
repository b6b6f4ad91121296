"""``aspectrum demo``."""

from __future__ import annotations

import click


@click.command(epilog="Example: aspectrum demo demo-report.md")
@click.argument("report", default="demo-report.md")
def demo(report: str) -> None:
    """Measure six simulated recommenders, print a table and write a report."""
    from aspectrum.demo import show

    show(report)
