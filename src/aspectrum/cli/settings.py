"""``aspectrum init``, ``schema`` and ``completion``: what is set up once."""

from __future__ import annotations

import os
from typing import Any

import click

from aspectrum.wording import one_line


@click.command(epilog="Example: aspectrum init evaluation.yaml && aspectrum evaluate --config evaluation.yaml")
@click.argument("file", default="evaluation.yaml")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def init(file: str, force: bool) -> None:
    """Write a commented example of a configuration."""
    from aspectrum.config import EXAMPLE
    from aspectrum.errors import OutputError
    from aspectrum.output_files import write_text

    if os.path.lexists(file) and not force:
        raise OutputError(f"{file}: already exists (use --force)")
    write_text(file, EXAMPLE)
    click.echo(f"{one_line(file)}: written. Its schema for editors: aspectrum schema > aspectrum.schema.json", err=True)


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
