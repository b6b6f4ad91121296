"""The command line: arguments to calls. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from aspectrum.cli.check import check
from aspectrum.cli.demo import demo
from aspectrum.cli.evaluate import evaluate
from aspectrum.cli.metrics import metrics
from aspectrum.cli.ndeval import ndeval
from aspectrum.cli.settings import completion, init, schema

FAILURE, WRONG_USE, INTERRUPTED = 1, 2, 130


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from aspectrum import __version__

        click.echo(f"aspectrum {__version__}")
        context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@10 -m NDCG@5,10",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version and exit.")
def cli() -> None:
    """Measure how diverse, novel and relevant ranked lists are."""


for command in (evaluate, ndeval, check, metrics, init, schema, completion, demo):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; exit with 0, 1 for a failure, 2 for wrong use, 130 when interrupted."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to stop
    try:
        return _invoked(arguments)
    except BrokenPipeError:
        # The reader of our output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE


def _invoked(arguments: Sequence[str] | None) -> int:
    from aspectrum.errors import AspectrumError, ConfigError, MetricError, MissingInput

    before = _stop_on_termination()
    try:
        code: Any = cli.main(args=None if arguments is None else list(arguments), prog_name="aspectrum", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; nothing was written that is not whole", err=True)
        return INTERRUPTED
    except (ConfigError, MetricError, MissingInput) as error:
        click.echo(f"error: {error}", err=True)
        return WRONG_USE
    except (AspectrumError, MemoryError) as error:
        click.echo(f"error: {error if str(error) else 'not enough memory'}", err=True)
        return FAILURE
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _stop_on_termination() -> Any:
    """A polite kill unwinds as Ctrl-C does, so that what was begun is cleaned up."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    try:
        return signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread
        return None
