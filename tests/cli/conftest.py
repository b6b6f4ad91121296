"""Files to work on, and the command line in this process or in one of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aspectrum.cli import run
from tests.cli.data import write_files


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of :mod:`tests.cli.data`, which is the current one."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(here: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process."""

    def call(*arguments: str) -> Said:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture
def refused(call: Call, here: Path) -> Callable[..., str]:
    """A mistake: the code is as expected, nothing is printed or written, and there is one message, which is returned."""

    def refused(code: int, *arguments: str) -> str:
        before = sorted(os.listdir(here))
        said = call(*arguments)
        assert (said.code, said.out) == (code, ""), said
        assert said.err.startswith("error: ")
        assert said.err.count("error: ") == 1
        assert "Traceback" not in said.err
        assert sorted(os.listdir(here)) == before
        return said.err

    return refused


@pytest.fixture
def start(here: Path) -> Start:
    """The command line in a process of its own."""

    def start(*arguments: str, code: str | None = None, **options: Any) -> "subprocess.Popen[bytes]":
        program = ["-m", "aspectrum"] if code is None else ["-c", code]
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process: subprocess.Popen[bytes] = subprocess.Popen([sys.executable, *program, *arguments], **streams)
        return process

    return start
