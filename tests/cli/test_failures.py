"""What a careless user does, and what the machine does: one clear message, the right exit code, nothing half-written."""

import fcntl
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars
import pytest

import aspectrum as asp
from aspectrum.cli.outputs import progress_bar
from tests.cli.conftest import Call, Start
from tests.cli.data import OPTIONS, write_csv

Refused = Callable[..., str]
ASK = ("evaluate", "als.csv", "--relevance", "grades.csv", "-m", "NDCG@2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "als.csv", "-m", "AlphaNCDG@3"), "unknown metric 'AlphaNCDG'; did you mean 'AlphaNDCG'?"),
        (("evaluate", "als.csv", "-m", "Foo"), "unknown metric 'Foo'"),
        (("evaluate", "als.csv", "-m", "AlphaNDCG(alpah=0.5)@3"), "did you mean 'alpha'?"),
        (("evaluate", "als.csv", "-m", "AlphaNDCG(alpha=2)@3"), "alpha is 2, expected 0 to 1"),
        (("evaluate", "als.csv", "-m", "AlphaNDCG@ten"), "invalid cutoff 'ten'"),
        (("evaluate", "als.csv", "-m", "all@ten"), "'all@ten': invalid cutoff 'ten'"),
        (("evaluate", "als.csv", "-m", "all@0"), "'all@0': invalid cutoff '0'"),
        ((*ASK, "-m", "bpref@2", "-m", "AUC"), "unknown metric 'bpref'; aspectrum metrics lists all of them\nunknown metric 'AUC'"),
        ((*ASK, "-m", "Precision(threshold=4)@2"), "write Precision(rel=4)@2, or for all metrics use --threshold 4"),
        ((*ASK, "-m", "ERRIA(threshold=4)@2"), "the threshold of metrics without their own is --threshold 4"),
        ((*ASK, "-m", "NDCG(rel=4)@2"), "it takes grades as they are; with gain=binary, use --threshold 4"),
        ((*ASK, "-m", "fairnes@2"), "unknown metric 'fairnes'"),
        ((*ASK, "-m", "family:fairnes@2"), "there is no family 'fairnes'; did you mean 'fairness'?"),
        ((*ASK, "-m", "distance@ten"), "'distance@ten': invalid cutoff 'ten'"),
        (("evaluate", "als.csv", "-m", "AlphaNDCG@3"), "--subtopics or --nuggets, or --aspects and --history or --relevance"),
        (("evaluate", "als.csv", "-m", "AlphaNDCG(judged_by=history)@3", "--aspects", "genres.csv"), "pass --history, (user, item) rows"),
        (("evaluate", "als.csv", "-m", "NDCG@3"), "pass --relevance, (user, item[, grade]) rows"),
        (("evaluate", "als.csv", "-m", "ILD@3"), "pass --features, one vector per item"),
        ((*ASK, "--convention", "ndevl"), "unknown convention 'ndevl'; did you mean 'ndeval'?"),
        (("evaluate", "als.csv", "--relevanc", "grades.csv"), "--relevance"),
        (("evaluat", "als.csv"), "'evaluat'"),
        (("evaluate",), "there are no lists to measure"),
        (("check",), "there are no lists to measure"),
        (("evaluate", "als.csv", "./als.csv"), "two systems are called 'als' (als.csv and ./als.csv); name them, as in NAME=FILE"),
        (("evaluate", "A=als.csv", "A=popular.csv"), "two systems are called 'A'"),
        (("evaluate", "A="), "'A=' names no file"),
        (("evaluate", ""), "names no file"),
        (("evaluate", "als.csv", "--relevance", ""), "relevance has an empty name"),
        ((*ASK, "-o", "als.csv"), "als.csv: is also an input; it would be overwritten"),
        ((*ASK, "-o", "../" + "{here}" + "/grades.csv"), "is also an input"),
        ((*ASK, "-o", "out.md", "-o", "./out.md"), "./out.md: would be written twice"),
        ((*ASK, "-o", "out.xyz"), "unknown extension '.xyz'"),
        ((*ASK, "-o", "out"), "or a --format"),
        ((*ASK, "-o", "-", "--format", "csv"), "--output -: the numbers are printed to the standard output anyway"),
        (
            (*ASK, "--per-user", "x.txt"),
            "--per-user x.txt: unknown extension '.txt' for scores of users; expected .parquet, .pq, .csv or .tsv",
        ),
        ((*ASK, "--per-user", ""), "--per-user"),
        (
            ("evaluate", "als.csv", "-m", "Reciprocity@2", "--graph", "als.csv", "--per-user", "x.parquet"),
            "none of the metrics has scores of users",
        ),
        ((*ASK, "--users", "judgd"), "there is no file 'judgd'; did you mean 'judged'?"),
        ((*ASK, "--columns", "usr=uid"), "--columns usr=uid: there is no role 'usr'; did you mean 'user'?"),
        ((*ASK, "--columns", "user"), "'user' is not of the form ROLE=NAME"),
        ((*ASK, "--columns", "user="), "'user=' is not of the form ROLE=NAME"),
        ((*ASK, "--columns", "relevence:user=uid"), "there is no input 'relevence'; did you mean 'relevance'?"),
        ((*ASK, "--columns", "user=1"), "a place needs its input, as in rankings:user=1"),
        ((*ASK, "--columns", "user=a", "--columns", "user=b"), "the user is said twice"),
        ((*ASK, "--columns", "aspects:item=x"), "but --aspects is not given"),
        ((*ASK, "--reader", "xls"), "there is no format 'xls'"),
        ((*ASK, "--reader", "relevanc=csv"), "there is no input 'relevanc'; did you mean 'relevance'?"),
        ((*ASK, "--reader", "history=csv"), "but --history is not given"),
        ((*ASK, "--split", "|"), "--split goes with --aspects or --subtopics or --features"),
        ((*ASK, "--split", "", "--aspects", "genres.csv"), "--split is empty"),
        ((*ASK, "--feature-ids", "ids.txt"), "--feature-ids goes with --features"),
        ((*ASK, "--threshold", "abc"), "'--threshold': 'abc' is not a finite number"),
        ((*ASK, "--threshold", "nan"), "'--threshold': 'nan' is not a finite number"),
        ((*ASK, "--threads", "0"), "'--threads'"),
        ((*ASK, "--threads", "99999999999"), "'--threads': 99999999999 is not in the range 1<=x<=2147483647"),
        (("ideal", "--subtopics", "x.csv", "--threads", "99999999999"), "'--threads': 99999999999"),
        ((*ASK, "--order", "best"), "'--order'"),
        ((*ASK, "--format", "xml"), "'--format'"),
        ((*ASK, "--config"), "'--config'"),
        ((*ASK, "--config", "nope.yaml"), "nope.yaml: "),
        (("evaluate", "-", "--relevance", "-"), "the standard input (-) is given twice"),
        (("metrics", "AlphaNCDG"), "did you mean 'AlphaNDCG'?"),
        (
            ("metrics", "all"),
            "unknown metric 'all'; all@10, in lower case, is a word for several metrics, as in asp.evaluate or aspectrum evaluate -m",
        ),
        (("evaluate", "with_readme"), "with_readme/README.txt: does not look like lists, and every file of a directory is a system"),
        (
            ("evaluate", "with_truth", "--relevance", "with_truth/grades.csv"),
            "with_truth/grades.csv: is given as relevance, but lies among the lists",
        ),
        (("metrics", "--json", "AlphaNCDG"), "did you mean 'AlphaNDCG'?"),
        (("completion", "tcsh"), "'tcsh'"),
        (("ndeval", "only.qrels"), "'RUN'"),
        (("ndeval", "-alpha", "2", "a", "b"), "'2' is not a finite number between 0 and 1"),
        (("ndeval", "-beta", "nan", "a", "b"), "'nan' is not a finite number between 0 and 1"),
        (("ndeval", "-riskAlpha", "-1", "a", "b"), "'-1' is not a finite number from 0"),
        (("ndeval", "-M", "0", "a", "b"), "'-M'"),
    ],
)
def test_wrong_use(refused: Refused, here: Path, arguments: tuple[str, ...], message: str) -> None:
    for folder, other in (("with_readme", "README.txt"), ("with_truth", "grades.csv")):
        (here / folder).mkdir()
        shutil.copy(here / "als.csv", here / folder / "als.csv")
        shutil.copy(here / "grades.csv", here / folder / other)
    assert message in refused(2, *(argument.replace("{here}", here.name) for argument in arguments))


def test_wrong_use_shows_where_help_is(refused: Refused) -> None:
    assert refused(2, "evaluate", "--nope").splitlines()[1:] == ["Try 'aspectrum evaluate --help'."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "alsx.csv"), "alsx.csv: file not found; did you mean 'als.csv'?"),
        (("evaluate", "als.csv", "--relevance", "."), ".: is a directory, expected a file"),
        (("evaluate", "A=nowhere/x.csv"), "nowhere/x.csv: file not found"),
        (("evaluate", "als.csv", "--relevance", "nope.csv"), "nope.csv: file not found"),
        (
            ("evaluate", "a.csv", "b.csv", "--relevance", "grades.csv", "--history", "c.csv"),
            "error: a.csv: file not found\nb.csv: file not found\nc.csv: file not found\n",
        ),
        (("evaluate", "als.csv", "--relevance", "bad.csv"), "bad.csv, line 2: the grade is 'x', expected a finite number (in 2 rows)"),
        (("evaluate", "als.csv", "--relevance", "book.xlsx"), "book.xlsx: is an Excel workbook; save the table as CSV or Parquet\n"),
        (("evaluate", "empty.csv"), "empty.csv: the file is empty"),
        (("evaluate", "header.csv"), "header.csv: rankings is empty"),
        (("evaluate", "als.csv", "--relevance", "header.csv"), "header.csv: relevance is empty"),
        (("evaluate", "als.csv", "--relevance", "grades.csv", "--columns", "user=uid"), "user is given as column 'uid'"),
        (("evaluate", "als.csv", "--columns", "rankings:user=usr"), "als.csv: user is given as column 'usr'"),
        (("evaluate", "als.csv", "--columns", "rankings:user=9"), "als.csv"),
        (("evaluate", "popular.csv", "--order", "score", "-m", "GiniComplement@2"), "popular.csv: --order score needs a score"),
        (("evaluate", "twice.csv", "-m", "GiniComplement@2"), "twice.csv, line 4: the list of user 'ann' names item 'a' twice"),
        (("evaluate", "als.csv", "--relevance", "strangers.csv"), "users are not in strangers.csv"),
        (("evaluate", "als.csv", "--users", "strangers.csv", "--relevance", "grades.csv"), "strangers.csv: 1 of 1 users have no list"),
        ((*ASK, "-o", "nowhere/out.md"), "nowhere/out.md: cannot be written: no such directory"),
        ((*ASK, "-o", "folder.md"), "folder.md: cannot be written: it is a directory"),
        ((*ASK, "--per-user", "als.csv/x.parquet"), "als.csv/x.parquet: cannot be written"),
        (("init", "als.csv"), "als.csv: already exists (use --force)"),
        (("init", "nowhere/evaluation.yaml"), "cannot be written: no such directory"),
        (("demo", "nowhere/report.md"), "cannot be written: no such directory"),
        (("demo", "--files", "als.csv"), "als.csv"),
        (("ndeval", "nope.qrels", "nope.run"), "nope.qrels: file not found"),
        (("ndeval", "empty.csv", "empty.csv"), "empty.csv: the file is empty"),
    ],
)
def test_failure(call: Call, here: Path, arguments: tuple[str, ...], message: str) -> None:
    (here / "empty.csv").touch()
    write_csv(here / "header.csv", ("user", "item", "score"), [])
    write_csv(here / "twice.csv", ("user", "item"), [("ann", "a"), ("ann", "b"), ("ann", "a")])
    write_csv(here / "strangers.csv", ("user", "item"), [("dan", "a")])
    write_csv(here / "bad.csv", ("user", "item", "rating"), [("ann", "a", "x"), ("bob", "b", "y")])
    with zipfile.ZipFile(here / "book.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
    (here / "folder.md").mkdir()
    before = sorted(os.listdir(here))
    said = call(*arguments)
    assert (said.code, said.err.count("error: ")) == (1, 1), said
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.out == "" or arguments[0] == "demo"
    assert sorted(os.listdir(here)) == before


def test_configuration_mistakes_have_line_and_column(refused: Refused, here: Path) -> None:
    (here / "bad.yaml").write_text("systems: {ALS: als.csv}\nmetrics: [NDGC@3]\nthreshhold: 2\n")
    message = refused(2, "evaluate", "--config", "bad.yaml")
    assert "bad.yaml:2:" in message
    assert "bad.yaml:3:1: unknown key 'threshhold'" in message


def test_a_place_for_every_file_is_refused(refused: Refused, here: Path) -> None:
    (here / "config.yaml").write_text("systems: {ALS: als.csv}\ncolumns: {user: 1}\nmetrics: [GiniComplement@2]\n")
    assert "config.yaml: columns.user is 1, a place" in refused(2, "evaluate", "--config", "config.yaml")


def test_files_of_a_configuration_are_not_overwritten(refused: Refused, here: Path) -> None:
    (here / "config.yaml").write_text("systems: {ALS: als.csv}\nusers: some.txt\noutputs: some.txt\nmetrics: [GiniComplement@2]\n")
    (here / "some.txt").write_text("ann\n")
    assert "some.txt: is also an input" in refused(2, "evaluate", "--config", "config.yaml")
    assert "config.yaml: is also an input" in refused(2, "evaluate", "--config", "config.yaml", "-o", "config.yaml", "--format", "csv")


def test_a_name_cannot_command_the_terminal(refused: Refused) -> None:
    message = refused(1, "evaluate", "evil\x1b[2J\r.csv")
    assert r"evil\x1b[2J\r.csv: file not found" in message


def test_too_many_threads_in_a_configuration(refused: Refused, here: Path) -> None:
    (here / "many.yaml").write_text("systems: {ALS: als.csv}\nmetrics: [GiniComplement@2]\nthreads: 99999999999\n")
    assert "many.yaml:3:" in refused(2, "evaluate", "--config", "many.yaml")


EVIL, SHOWN = "evil\x1b[2J\u202e.csv", r"evil\x1b[2J\u202e.csv"


@pytest.mark.parametrize(
    "arguments", [("check",), ("evaluate", "-m", "GiniComplement@2"), ("evaluate", "-m", "GiniComplement@2", "--format", "relison")]
)
def test_names_of_files_are_printed_without_what_commands_a_terminal(call: Call, here: Path, arguments: tuple[str, ...]) -> None:
    (here / EVIL).write_text("user,item\nu, a\n")
    said = call(*arguments, EVIL)
    printed = said.out + said.err
    assert SHOWN.removesuffix(".csv") in printed
    assert "\x1b" not in printed
    assert "\u202e" not in printed


def test_the_progress_bar_shows_names_without_what_commands_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", written)
    with progress_bar(False) as show:
        assert show is not None
        show("evil\x1b[8mname", 1, 2)
    assert r"evil\x1b[8mname" in written.getvalue()
    assert "\x1b[8m" not in written.getvalue()


@pytest.mark.parametrize("user", [2**128 + 5, 10**40])
def test_scores_of_users_whose_ids_no_column_holds(call: Call, here: Path, user: int) -> None:
    write_csv(here / "lists.csv", ("user", "item"), [(user, "a"), (user + 1, "b")])
    said = call("evaluate", "lists.csv", "--relevance", "lists.csv", "-m", "NDCG@1", "--per-user", "scores.parquet")
    assert (said.code, said.err) == (0, "")
    assert "NDCG@1  1.0000" in said.out
    assert polars.read_parquet(here / "scores.parquet")["user"].to_list() == [str(user), str(user + 1)]


def test_numbers_are_printed_even_if_a_file_fails(call: Call, here: Path) -> None:
    (here / "full.csv").symlink_to("/dev/full")
    said = call(*ASK, "--quiet", "-o", "full.csv", "-o", "good.md")
    assert said.code == 1
    assert said.err == "error: full.csv: cannot be written: no space left on device\n"
    assert "NDCG@2" in said.out
    assert "NDCG@2" in (here / "good.md").read_text()


@contextmanager
def full_disk(folder: Path) -> Iterator[Path]:
    """A file system without room but for the files that are there; where nothing can be mounted, a limit on files does."""
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        yield folder
        return
    try:
        (folder / "old.json").write_text("old")
        with (folder / "filling").open("wb", buffering=0) as filling:
            try:
                while True:
                    filling.write(bytes(4096))
            except OSError:
                pass
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_full_disk(start: Start, here: Path) -> None:
    (here / "disk").mkdir()
    (here / "disk" / "old.json").write_text("old")
    with full_disk(here / "disk") as disk:
        before = sorted(os.listdir(disk))
        process = start(
            *ASK, "-o", "disk/old.json", "--per-user", "disk/new.parquet", preexec_fn=None if os.path.ismount(disk) else no_large_files
        )
        out, err = process.communicate()
        assert process.returncode == 1
        assert b"NDCG@2" in out
        assert err.decode().count("cannot be written: ") == 2
        assert b"Traceback" not in err
        assert (disk / "old.json").read_text() == "old"
        assert sorted(os.listdir(disk)) == before


def no_large_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def test_file_too_large(start: Start, here: Path) -> None:
    (here / "old.json").write_text("old")
    process = start(*ASK, "-o", "old.json", preexec_fn=no_large_files)
    _, err = process.communicate()
    assert (process.returncode, err) == (1, b"error: old.json: cannot be written: file too large\n")
    assert (here / "old.json").read_text() == "old"


@pytest.mark.parametrize("arguments", [ASK, ("metrics",), ("schema",), ("evaluate", "--help"), ("--version",)])
def test_no_room_for_what_is_printed(start: Start, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        process = start(*arguments, stdout=full)
        _, err = process.communicate()
    assert (process.returncode, err) == (1, b"error: standard output: cannot be written: no space left on device\n")


@pytest.mark.parametrize("arguments", [ASK, ("metrics",), ("ndeval", "small.qrels", "small.run"), ("check", "als.csv")])
def test_closed_pipe(start: Start, here: Path, arguments: tuple[str, ...]) -> None:
    (here / "small.qrels").write_text("1 1 a 1\n")
    (here / "small.run").write_text("1 Q0 a 1 1.0 x\n")
    process = start(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1
    process.stderr.close()


def test_head(here: Path) -> None:
    lines = subprocess.run(
        f"'{sys.executable}' -m aspectrum schema | head -n 1", shell=True, capture_output=True, check=True, executable="/bin/bash"
    )
    assert (lines.stdout, lines.stderr) == (b"{\n", b"")


def test_closed_streams(here: Path) -> None:
    command = f"'{sys.executable}' -m aspectrum {' '.join(ASK)} -o out.md"
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        (here / "out.md").unlink(missing_ok=True)
        done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), closed
        assert "NDCG@2" in (here / "out.md").read_text()


@contextmanager
def reading(start: Start, here: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that waits for the rest of a file."""
    os.mkfifo(here / "slow.csv")
    process = start("evaluate", "slow.csv", "--relevance", "grades.csv", "-m", "NDCG@2", *arguments)
    with (here / "slow.csv").open("wb", buffering=0) as slow:  # opens when the other end does
        slow.write(b"user,item\n")
        while int.from_bytes(fcntl.ioctl(slow, termios.FIONREAD, bytes(4)), sys.byteorder):
            time.sleep(0.01)
        time.sleep(0.1)  # the first line has been taken; now it waits for the second
        yield process


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(start: Start, here: Path, sent: signal.Signals, code: int) -> None:
    (here / "out.md").write_text("old")
    before = sorted([*os.listdir(here), "slow.csv"])
    with reading(start, here, "-o", "out.md", "--per-user", "scores.parquet") as process:
        process.send_signal(sent)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, b"")
    assert err.strip() == b"error: interrupted; no file is left half-written"
    assert (here / "out.md").read_text() == "old"
    assert sorted(os.listdir(here)) == before


def test_killed_while_reading(start: Start, here: Path) -> None:
    (here / "out.md").write_text("old")
    before = sorted([*os.listdir(here), "slow.csv"])
    with reading(start, here, "-o", "out.md") as process:
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert (here / "out.md").read_text() == "old"
    assert sorted(os.listdir(here)) == before


# Stops between the last byte and the moment the file takes its name.
STOPS_WHILE_WRITING = """
import os, signal, sys
from aspectrum.cli import main

def stop(handle):
    print("writing", os.fstat(handle).st_size, flush=True)
    signal.pause()

os.fsync = stop
main(sys.argv[1:])
"""

# Stops in the middle of the work, after the first of two systems.
STOPS_WHILE_EVALUATING = """
import signal, sys
from aspectrum.plan import Plan
from aspectrum.cli import main

observe = Plan.observe

def stop(*arguments, **options):
    observe(*arguments, **options)
    print("evaluating", flush=True)
    signal.pause()

Plan.observe = stop
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("code", "output", "old", "sent", "ends_with"),
    [
        pytest.param(STOPS_WHILE_WRITING, "out.json", True, signal.SIGKILL, -signal.SIGKILL, id="writing-killed"),
        pytest.param(STOPS_WHILE_WRITING, "out.parquet", True, signal.SIGKILL, -signal.SIGKILL, id="writing-parquet-killed"),
        pytest.param(STOPS_WHILE_WRITING, "out.json", False, signal.SIGKILL, -signal.SIGKILL, id="writing-new-killed"),
        pytest.param(STOPS_WHILE_WRITING, "out.json", True, signal.SIGINT, 130, id="writing-interrupted"),
        pytest.param(STOPS_WHILE_WRITING, "out.parquet", False, signal.SIGTERM, 143, id="writing-parquet-terminated"),
        pytest.param(STOPS_WHILE_EVALUATING, "out.json", True, signal.SIGKILL, -signal.SIGKILL, id="evaluating-killed"),
        pytest.param(STOPS_WHILE_EVALUATING, "out.parquet", True, signal.SIGINT, 130, id="evaluating-interrupted"),
    ],
)
def test_stopped_in_the_middle(start: Start, here: Path, code: str, output: str, old: bool, sent: signal.Signals, ends_with: int) -> None:
    if old:
        (here / output).write_text("old")
    before = sorted(os.listdir(here))
    option = "--per-user" if output.endswith("parquet") else "-o"
    process = start(*ASK, "popular.csv", option, output, "-q", code=code)
    assert process.stdout is not None
    word, *size = process.stdout.readline().split()
    assert word in (b"writing", b"evaluating")
    assert word == b"evaluating" or int(size[0]) > 100
    process.send_signal(sent)
    process.communicate(timeout=30)
    assert process.returncode == ends_with
    assert sorted(os.listdir(here)) == before
    assert not old or (here / output).read_text() == "old"


# Loads everything while it may, then gives up the right to read everything, and runs several commands.
WITHOUT_PRIVILEGES = """
import contextlib, io, json, os, sys
from aspectrum.cli import run

def said(arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()

assert said(["evaluate", "als.csv", "--relevance", "grades.csv"])[0] == 0
assert said(["evaluate", "nope.csv", "--relevance", "grades.csv", "--per-user", "nope.parquet"])[0] == 1
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(json.dumps([said(arguments) for arguments in json.loads(sys.argv[1])]))
"""


@pytest.fixture
def open_folder(here: Path) -> Iterator[Path]:
    """A folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    for file in here.glob("*.csv"):
        shutil.copy(file, folder)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


NOT_PERMITTED = {
    ("evaluate", "secret.csv"): "secret.csv: cannot be read: no permission",
    ("evaluate", "als.csv", "--relevance", "secret.csv"): "secret.csv: cannot be read: no permission",
    ("evaluate", "--config", "secret.csv"): "secret.csv: ",
    ("ndeval", "secret.csv", "secret.csv"): "secret.csv: cannot be read: no permission",
    (*ASK, "-o", "fixed.md"): "fixed.md: cannot be written: permission denied",
    (*ASK, "-o", "new.md"): "new.md: cannot be written: permission denied",
    (*ASK, "--per-user", "new.parquet"): "new.parquet: cannot be written: permission denied",
    ("init", "new.yaml"): "new.yaml: cannot be written: permission denied",
    ("demo", "--files", "new"): "new: ",
}


def test_without_permission(start: Start, open_folder: Path) -> None:
    (open_folder / "secret.csv").write_text("user,item\n")
    (open_folder / "secret.csv").chmod(0)
    (open_folder / "fixed.md").write_text("old")
    (open_folder / "fixed.md").chmod(0o444)
    open_folder.chmod(0o555)
    process = start(json.dumps(list(NOT_PERMITTED)), code=WITHOUT_PRIVILEGES, cwd=open_folder)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    for (arguments, message), (code, printed, complaint) in zip(NOT_PERMITTED.items(), json.loads(out), strict=True):
        assert (code, printed) == (2 if "--config" in arguments else 1, ""), arguments
        assert complaint.startswith(f"error: {message}")
        assert complaint.count("\n") == 1
    assert (open_folder / "fixed.md").read_text() == "old"
    assert not [file for file in os.listdir(open_folder) if file.startswith("new")]


@pytest.mark.parametrize(("said", "told"), [("", ""), ("std::bad_alloc", ""), ("Unable to allocate 16 GiB", ": Unable to allocate 16 GiB")])
def test_no_memory(call: Call, monkeypatch: pytest.MonkeyPatch, said: str, told: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError(said)

    monkeypatch.setattr("aspectrum.plan.Plan.observe", fail)
    ended = call(*ASK)
    assert (ended.code, ended.err) == (1, f"error: not enough memory{told}\n")


def test_a_column_that_is_nowhere_is_found_before_the_work(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    observe = asp.Plan.observe
    finished: list[object] = []

    def watched(*arguments: Any, **options: Any) -> object:
        finished.append(observe(*arguments, **options))
        return finished[-1]

    monkeypatch.setattr(asp.Plan, "observe", watched)
    assert call(*ASK, *OPTIONS[2:], "--columns", "item=thing").code == 1
    assert not finished
    assert call(*ASK).code == 0
    assert finished
