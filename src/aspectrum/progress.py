"""Progress: who is told how far an evaluation is, and a bar for those who want to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from aspectrum.errors import ArgumentError
from aspectrum.wording import one_line

P = ParamSpec("P")
R = TypeVar("R")

Progress = Callable[[int, int], None]
"""Called with users done and users in all."""

SystemProgress = Callable[[str, int, int], None]
"""Called with the name of a system, its users done and its users in all."""


def with_progress(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: with ``progress=True`` the function shows a bar; otherwise `progress` is a function to call, or nothing."""

    @wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> R:
        progress: Any = options.get("progress")
        if progress is True:
            with progress_bar() as show:
                return function(*args, **{**options, "progress": show})  # type: ignore[arg-type]
        check_progress(progress or None)
        return function(*args, **{**options, "progress": progress or None})  # type: ignore[arg-type]

    return called


def check_progress(progress: Any) -> None:
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is {progress!r}, expected a function to call; evaluate and evaluate_systems take True for a bar")


@contextmanager
def progress_bar(*, transient: bool = False) -> Iterator[SystemProgress]:
    """A bar for each system, on standard error; one that is transient disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    # Names of systems are not marked up: a bracket in one is a bracket.
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=transient) as bar:
        tasks: dict[str, Any] = {}
        reading = bar.add_task("reading", total=None)

        def show(system: str, done: int, total: int) -> None:
            if reading in bar.task_ids:
                bar.remove_task(reading)
            if system not in tasks:
                tasks[system] = bar.add_task(one_line(system), total=total)
            bar.update(tasks[system], completed=done, total=total)

        yield show
