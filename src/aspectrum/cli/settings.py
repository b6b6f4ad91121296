"""``aspectrum init``, ``schema`` and ``completion``: what is set up once."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from aspectrum.wording import one_line


@click.command(
    short_help="Write a configuration.",
    epilog="""\b
Examples:
  aspectrum init
  aspectrum demo --files demo && aspectrum init mine.yaml --from demo && aspectrum evaluate --config mine.yaml""",
)
@click.argument("file", default="evaluation.yaml")
@click.option(
    "--from",
    "folder",
    metavar="FOLDER",
    type=click.Path(readable=False),
    help="Look at the files there, and at those in its folders: say what each is, and which metrics they allow.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def init(file: str, folder: str | None, force: bool) -> int:
    """Write a configuration: a commented template or, with --from, one for the files of a folder.

    Files are recognised by their columns and names; whatever is unsure is written as a comment. Then the configuration is
    checked, as by aspectrum check. Exit status: 0 without errors, 1 with errors.
    """
    from aspectrum.config import EXAMPLE
    from aspectrum.errors import OutputError
    from aspectrum.output_files import write_text

    if os.path.lexists(file) and not force:
        raise OutputError(f"{file}: already exists (use --force)")
    if folder is not None:
        return _init_from(folder, file)
    write_text(file, EXAMPLE)
    click.echo(f"{one_line(file)}: written. Its schema for editors: aspectrum schema > aspectrum.schema.json", err=True)
    return 0


def _init_from(folder: str, file: str) -> int:
    """Write a configuration for the files of a folder, and say what is wrong with them."""
    from aspectrum.cli.check import report_on
    from aspectrum.config.proposal import propose
    from aspectrum.output_files import write_text

    proposal = propose(folder, file)
    write_text(file, proposal.text)
    report = report_on(file).without_facts()
    name = shlex.quote(one_line(file))
    run = f"Run it with: aspectrum {proposal.command} --config {name}"
    click.echo(f"{proposal.summary()}\n\n{report.to_text()}\n\n{one_line(file)}: written. {run}")
    return 1 if report.n_errors else 0


@click.command(epilog="Example: aspectrum schema > aspectrum.schema.json")
def schema() -> None:
    """Print the JSON schema of configurations, for editors."""
    from aspectrum.config import json_schema
    from aspectrum.formats import as_json

    click.echo(as_json(json_schema()))


@click.command(
    epilog="""\b
Examples:
  aspectrum completion bash >> ~/.bashrc
  aspectrum completion fish > ~/.config/fish/completions/aspectrum.fish"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a shell completion script."""
    from click.shell_completion import get_completion_class

    kind: Any = get_completion_class(shell)
    click.echo(kind(context.find_root().command, {}, "aspectrum", "_ASPECTRUM_COMPLETE").source())
