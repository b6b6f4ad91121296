"""What people do on the command line and to processes, and what results print."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aspectrum as asp
from aspectrum.cli import run
from tests.misuse.table import Misuse
from tests.test_forks import DOORS, USED, told
from tests.test_interrupts import JOBS, RUN

LISTS = {"ann": ["a", "b", "c"], "bob": ["c", "b", "d"]}
HISTORY = {"ann": ["d"], "bob": ["a"]}
RELEVANCE = {"ann": ["b"], "bob": ["d", "e"]}
GENRES = {"a": ["x", "y"], "b": ["y"], "c": ["x", "z"], "d": ["z", "y"], "e": ["x"]}
FILES = {
    "lists.csv": "user,item,rank,score\nann,a,1,5\nann,b,2,5\nbob,c,1,5\nbob,b,2,4\n",
    "relevance.csv": "user,item\nann,b\nbob,c\n",
    "genres.csv": "item,genre\na,x|y\nb,y\nc,x|z\n",
    "train.csv": "source,target\nann,bob\nbob,eve\neve,ann\n",
    "recommended.csv": "user,item\nann,eve\nbob,bob\n",
    "\x1b[31m.csv": "user,item\nann,a\n",
}


class Shell:
    """A folder with files, and what commands print there."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        for name, text in FILES.items():
            (self.folder / name).write_text(text)

    def __call__(self, *arguments: str) -> tuple[int, str]:
        before, said = Path.cwd(), io.StringIO()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                status = run(list(arguments))
        finally:
            os.chdir(before)
        return status, said.getvalue()


@contextlib.contextmanager
def shell() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        yield Shell(folder)


def is_said(what: str, *commands: tuple[str, ...], status: int = 0) -> float:
    """1 if the last of some commands ends with a status, and prints something; otherwise 0."""
    with shell() as call:
        for arguments in commands:
            found = call(*arguments)
    return float(found[0] == status and what in found[1])


def is_shown(what: str, results: asp.Results) -> float:
    return float(what in str(results))


def alpha_ndcg(aspects: Mapping[str, list[str]]) -> asp.Results:
    weights = {"x": 0.1, "y": 0.2, "z": 0.3}
    return asp.evaluate(LISTS, "AlphaNDCG(alpha=0.3)@3", relevance=RELEVANCE, aspects=aspects, weights=weights)


def shuffled(aspects: Mapping[str, list[str]]) -> dict[str, list[str]]:
    choose = random.Random(5)
    items = choose.sample(list(aspects), len(aspects))
    return {item: choose.sample(aspects[item], len(aspects[item])) for item in items}


def precision_of(configuration: str, *before: tuple[str, ...]) -> float:
    """The number that a configuration for the built-in data gives, after some commands."""
    with shell() as call:
        for arguments in (("demo", "--files", "data"), *before):
            assert call(*arguments)[0] == 0
        assert call("evaluate", "--config", configuration, "-m", "P@5", "--quiet", "-o", "found.json")[0] == 0
        systems = json.loads((call.folder / "found.json").read_text())["systems"]
        (popular,) = (system for name, system in systems.items() if name.casefold() == "popular")
        return float(popular["metrics"][0]["value"])


def status_when_interrupted() -> int:
    with subprocess.Popen([sys.executable, "-c", JOBS["pairs of one long list"] + RUN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)  # by then a kernel runs
        process.send_signal(signal.SIGINT)
        try:
            return process.wait(20)
        finally:
            process.kill()


def is_told_after_a_fork() -> float:
    with tempfile.TemporaryDirectory() as folder:
        (message,) = told(Path(folder), USED, [DOORS["polars"]])
        return float("was forked from one that had used polars" in message)


EVALUATED = ("evaluate", "lists.csv", "--relevance", "relevance.csv", "-m", "P@1")
CONTACTS = ("recommended.csv", "--train", "train.csv", "-m", "P@1")

MISUSES = [
    Misuse(
        "a history beside relevance: the name says what judges",
        "right",
        "",
        lambda: is_shown(
            "AlphaNDCG@3 (by history)", asp.evaluate(LISTS, "AlphaNDCG@3", aspects=GENRES, relevance=RELEVANCE, history=HISTORY)
        ),
        1.0,
    ),
    Misuse(
        "relevance alone: the name says what judges",
        "right",
        "",
        lambda: is_shown("AlphaNDCG@3 (by relevance)", asp.evaluate(LISTS, "AlphaNDCG@3", aspects=GENRES, relevance=RELEVANCE)),
        1.0,
    ),
    Misuse("aspects in another order", "right", "", lambda: alpha_ndcg(shuffled(GENRES)), lambda: alpha_ndcg(GENRES)),
    Misuse(
        "equal scores under ranks are counted",
        "right",
        "",
        lambda: is_said("1 of 4 adjacent rows have tied scores; their ranks order them", ("check", *EVALUATED[1:])),
        1.0,
    ),
    Misuse(
        "--strict with unsplit genres",
        "right",
        "",
        lambda: is_said(
            "use --split '|'", ("evaluate", "lists.csv", "--aspects", "genres.csv", "-m", "AspectRecall@1", "--strict"), status=1
        ),
        1.0,
    ),
    Misuse(
        "check of the same unsplit genres",
        "right",
        "",
        lambda: is_said("[unsplit]", ("check", "lists.csv", "--aspects", "genres.csv", "-m", "AspectRecall@1")),
        1.0,
    ),
    Misuse(
        "check of contacts",
        "right",
        "",
        lambda: is_said("1 of 2 rows recommend users to themselves", ("check", *CONTACTS)),
        lambda: is_said("1 of 2 rows recommend users to themselves", ("contacts", *CONTACTS)),
    ),
    Misuse(
        "the built-in data written over files that are there",
        "right",
        "",
        lambda: is_said("--force", ("demo", "--files", "data"), ("demo", "--files", "data"), status=1),
        1.0,
    ),
    Misuse(
        "a configuration proposed for a folder",
        "right",
        "",
        lambda: precision_of("mine.yaml", ("init", "--from", "data", "mine.yaml")),
        lambda: precision_of("data/evaluation.yaml"),
    ),
    Misuse(
        "a file name that commands the terminal",
        "right",
        "",
        lambda: is_said("\\x1b[31m", ("check", "\x1b[31m.csv")) - is_said("\x1b", ("check", "\x1b[31m.csv")),
        1.0,
    ),
    Misuse(
        "a system whose name is a formula",
        "right",
        "",
        lambda: float("\n'=1+1," in asp.evaluate_systems({"=1+1": LISTS}, "P@1", relevance=RELEVANCE).to_csv()),
        1.0,
    ),
    Misuse(
        "a million threads",
        "right",
        "",
        lambda: is_said("threads", (*EVALUATED, "--threads", "10000000000"), status=2),
        1.0,
    ),
    Misuse("Ctrl-C while a kernel runs", "right", "", status_when_interrupted, 130.0),
    Misuse("frames after a fork", "right", "", is_told_after_a_fork, 1.0),
]
