"""The command line: arguments to calls. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import click

from aspectrum.arguments import meant_by
from aspectrum.cli.check import check
from aspectrum.cli.communities import communities
from aspectrum.cli.compare import compare
from aspectrum.cli.contacts import contacts
from aspectrum.cli.demo import demo
from aspectrum.cli.evaluate import evaluate
from aspectrum.cli.ideal import ideal
from aspectrum.cli.index import index
from aspectrum.cli.merge import merge
from aspectrum.cli.metrics import metrics
from aspectrum.cli.ndeval import ndeval
from aspectrum.cli.rounds import rounds
from aspectrum.cli.settings import completion, init, schema
from aspectrum.diagnostics.notices import COMMAND_LINE
from aspectrum.errors import AspectrumError, AspectrumWarning, ConfigError, MetricError, MissingInput
from aspectrum.wording import listed, one_line

_LISTS = "systems"  # the argument for files of lists
FAILURE, WRONG_USE, INTERRUPTED, TERMINATED = 1, 2, 130, 143


class _Terminated(KeyboardInterrupt):
    """A polite kill, which unwinds as Ctrl-C does."""


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="""\b
Example:
  aspectrum evaluate recs.csv --relevance test.csv --aspects genres.csv -m AlphaNDCG@10 -m NDCG@5,10""",
)
@click.version_option(package_name="aspectrum", message="aspectrum %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Measure how diverse, novel and relevant ranked lists are.

    Exit status: 0 success, 1 failure, 2 usage error.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(WRONG_USE)


for command in (
    evaluate,
    merge,
    compare,
    contacts,
    communities,
    index,
    rounds,
    ndeval,
    ideal,
    check,
    metrics,
    init,
    schema,
    completion,
    demo,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; exit with 0, 1 for a failure, 2 for wrong use, 130 when interrupted, 143 when terminated."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to stop
    before = _stop_on_termination()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", AspectrumWarning)
            warnings.showwarning = partial(_show_warning, warnings.showwarning)
            return _invoked(arguments)
    except OSError as error:
        # Files that are read or written have errors of their own; what is left is mostly what we print.
        if error.errno != errno.EPIPE:  # a reader who has seen enough knows
            _complain(f"{error.filename or 'standard output'}: cannot be written: {(error.strerror or str(error)).lower()}")
        _forget_output()
        return FAILURE
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _invoked(arguments: Sequence[str] | None) -> int:
    try:
        code: Any = cli.main(args=None if arguments is None else list(arguments), prog_name="aspectrum", standalone_mode=False)
        if sys.stdout is not None:  # it may be closed
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        _complain(_hinted(error) + (f"\nTry '{context.command_path} --help'." if context else ""))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        _complain("interrupted; no file is left half-written")
        return TERMINATED if _Terminated in (type(error), type(error.__cause__)) else INTERRUPTED
    except (ConfigError, MetricError, MissingInput) as error:
        _complain(error.said(COMMAND_LINE))
        return WRONG_USE
    except AspectrumError as error:
        _complain(error.said(COMMAND_LINE))
        return FAILURE
    except MemoryError as error:
        wanted = str(error) if str(error) != "std::bad_alloc" else ""  # NumPy says how much it was
        _complain(f"not enough memory: {wanted}" if wanted else "not enough memory")
        return FAILURE


def _hinted(error: click.ClickException) -> str:
    """What is wrong; of an option that is called so elsewhere, the one that is meant."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error.format_message()
    unknown, name = f"No such option {error.option_name!r}.", error.option_name.lstrip("-").replace("-", "_")
    known = [option.removeprefix("--") for one in error.ctx.command.params for option in one.opts if option.startswith("--")]
    takes_lists = any(isinstance(one, click.Argument) and one.name == _LISTS for one in error.ctx.command.params)
    if takes_lists and name in ("run", "runs", "recs", "lists"):
        return f"{unknown} Files of lists come without an option."
    meant = [f"--{other}" for other in meant_by(name, known)]
    return f"{unknown} Use {listed(meant)}." if meant else error.format_message()


def _show_warning(others: Any, message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning about the inputs, in the words of the command line; `others` shows any other."""
    if isinstance(message, AspectrumWarning):
        _complain(message.said(COMMAND_LINE), "warning")
    else:
        others(message, *where, **more)


def _complain(message: str, level: str = "error") -> None:
    """One message; a name in it cannot command the terminal."""
    click.echo("\n".join(map(one_line, f"{level}: {message}".split("\n"))), err=True)


def _forget_output() -> None:
    """What could not be written is not tried again when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop_on_termination() -> Any:
    """A polite kill unwinds, so that what was begun is cleaned up."""

    def stop(*_: object) -> NoReturn:
        raise _Terminated

    try:
        return signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread
        return None
