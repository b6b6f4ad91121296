"""``aspectrum metrics``."""

from __future__ import annotations

import click

from aspectrum.cli.options import complete_metrics


@click.command(
    short_help="List the metrics, or those of a family, or explain one.",
    epilog="""\b
Examples:
  aspectrum metrics
  aspectrum metrics novelty
  aspectrum metrics AlphaNDCG
  aspectrum metrics 'Community recall' --json""",
)
@click.argument("name", required=False, shell_complete=complete_metrics)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def metrics(name: str | None, as_json: bool) -> None:
    """List the metrics, or those of a family, or explain one: definition, parameters, conventions, example."""
    from aspectrum.asked import family_named
    from aspectrum.documentation import describe_metric, list_metrics, metrics_as_data
    from aspectrum.formats import as_json as json_text
    from aspectrum.metric import of_family, parse

    family = None if name is None else family_named(name)
    if as_json:
        known = metrics_as_data()
        if name is None or family is not None:
            click.echo(json_text([entry for entry in known if family is None or entry["name"] in of_family(family)]))
        else:
            click.echo(json_text(next(entry for entry in known if entry["name"] == type(parse(name)).__name__)))
    else:
        click.echo(list_metrics(family=family) if name is None or family is not None else describe_metric(name))
