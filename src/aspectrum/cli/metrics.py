"""``aspectrum metrics``."""

from __future__ import annotations

import click

from aspectrum.cli.options import complete_metrics


@click.command(
    short_help="List the metrics, or explain one.",
    epilog="""\b
Examples:
  aspectrum metrics
  aspectrum metrics AlphaNDCG
  aspectrum metrics 'Community recall' --json""",
)
@click.argument("name", required=False, shell_complete=complete_metrics)
@click.option("--json", "as_json", is_flag=True, help="Print all metrics, or the one, as JSON.")
def metrics(name: str | None, as_json: bool) -> None:
    """List the metrics, or explain one: definition, parameters, conventions, example."""
    from aspectrum.documentation import describe_metric, list_metrics, metrics_as_data
    from aspectrum.formats import as_json as json_text
    from aspectrum.metric import parse

    if as_json:
        known = metrics_as_data()
        chosen = known if name is None else next(entry for entry in known if entry["name"] == type(parse(name)).__name__)
        click.echo(json_text(chosen))
    else:
        click.echo(list_metrics() if name is None else describe_metric(name))
