"""polars after a fork. Its threads stay behind in the parent, and a child that needs them would wait for ever."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

_OF_POLARS = re.compile(rb"polars-\d|async-executor")  # names of the threads that work; others only tidy up

_threads = {"run": False, "lost": False}  # at the last fork, in the parent; by a fork, in a child


def check_polars() -> None:
    """Raises an error where polars would hang: in a forked child of a process in which it had worked."""
    if _threads["lost"]:
        from aspectrum.errors import AspectrumError  # loaded where it is needed, as everybody who imports aspectrum loads this

        raise AspectrumError(
            "this process was forked from one that had used polars, which reads and writes files and frames; the threads of polars do not "
            "survive a fork, and it would hang. Start processes by spawn or forkserver, as multiprocessing.get_context('spawn') does, or "
            "use files and frames in the children only, or give plain Python objects"
        )


def _threads_run() -> bool:
    """Whether polars has started its threads; where the system does not tell, it may have."""
    if "polars" not in sys.modules:
        return False
    tasks = "/proc/self/task"
    try:
        threads = os.listdir(tasks)
    except OSError:
        return True
    for thread in threads:
        with suppress(OSError), open(f"{tasks}/{thread}/comm", "rb") as name:  # it may have ended
            if _OF_POLARS.match(name.read()):
                return True
    return False


def _before_fork() -> None:
    _threads["run"] = _threads_run()


def _in_child() -> None:
    _threads["lost"] |= _threads["run"]


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
