"""Files are written whole or not at all."""

import errno
import io
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aspectrum import output_files
from aspectrum.errors import OutputError
from aspectrum.output_files import replacing, write_text


@pytest.fixture(params=["unnamed", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With and without a file system that knows unnamed files."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fail_in_the_middle(path: Path, error: BaseException) -> None:
    with replacing(path) as file:
        file.write(b"new")
        raise error


@pytest.mark.usefixtures("way")
def test_content_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    for content in (b"first", b"second, longer", b""):
        with replacing(path) as file:
            file.write(content)
            assert path.exists() == (content != b"first")
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


def test_text_is_utf8(tmp_path: Path) -> None:
    write_text(tmp_path / "out.txt", "α\n")
    assert (tmp_path / "out.txt").read_bytes() == "α\n".encode()
    write_text(str(tmp_path / "out.txt"), "\udcff")
    assert (tmp_path / "out.txt").read_bytes() == b"\\udcff"


def test_a_path_without_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_text("out.txt", "new")
    assert Path("out.txt").read_text() == "new"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("error", [RuntimeError("no"), ValueError("no"), KeyboardInterrupt(), FileNotFoundError(2, "no", "other.csv")])
def test_an_error_of_the_block_passes_and_the_old_file_stands(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(type(error)) as raised:
        fail_in_the_middle(path, error)
    assert raised.value is error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("way")
def test_an_error_leaves_no_file_where_there_was_none(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        fail_in_the_middle(tmp_path / "out.txt", RuntimeError())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
@pytest.mark.parametrize("old", [None, "old"])
def test_a_killed_process_leaves_the_old_file_only(tmp_path: Path, old: str | None) -> None:
    handle = output_files._unnamed_file(str(tmp_path))
    if handle is None:
        pytest.skip(f"the file system of {tmp_path} has no files without a name")
    os.close(handle)
    path = tmp_path / "out.txt"
    if old is not None:
        path.write_text(old)
    script = """
        import sys, time
        from aspectrum.output_files import replacing
        with replacing(sys.argv[1]) as file:
            file.write(b"new" * 100_000)
            file.flush()
            print("half way", flush=True)
            time.sleep(600)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half way\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert [entry.name for entry in tmp_path.iterdir()] == ([] if old is None else ["out.txt"])
    assert old is None or path.read_text() == old


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    monkeypatch.setattr(os, call, full_disk)
    with pytest.raises(OutputError, match=r"out\.txt: cannot be written: no space left on device$"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("way")
def test_a_disk_that_fills_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write through the handle fails, as on a full disk: /dev/full stands behind it."""
    path = tmp_path / "out.txt"
    path.write_text("old")
    open_handle = os.fdopen

    def onto_a_full_disk(handle: int, *arguments: Any, **options: Any) -> Any:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, handle)
        os.close(full)
        return open_handle(handle, *arguments, **options)

    monkeypatch.setattr(os, "fdopen", onto_a_full_disk)
    for size in (3, 10_000_000):  # the first fails when the buffer is emptied at the end, the second at once
        with pytest.raises(OutputError, match="no space left on device"), replacing(path) as file:
            file.write(b"x" * size)
    with pytest.raises(RuntimeError, match="first"):
        fail_in_the_middle(path, RuntimeError("first"))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_that_is_full() -> None:
    with pytest.raises(OutputError, match=r"^/dev/full: cannot be written: no space left on device$"):
        write_text("/dev/full", "new")


@pytest.mark.usefixtures("way")
def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    cases = {
        "none/out.txt": "no such directory",
        ".": "it is a directory",
        "new/": "it is a directory",
        "file/out.txt": "a part of the path is not a directory",
        "n" * 300: "file name too long",
        "a\0b": "embedded null byte",
    }
    for name, reason in cases.items():
        path = f"{tmp_path}/{name}"
        with pytest.raises(OutputError) as raised:
            write_text(path, "new")
        assert str(raised.value) == f"{path}: cannot be written: {reason}"
    with pytest.raises(OutputError, match=r"^'': cannot be written"):
        write_text("", "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.usefixtures("way")
def test_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(OutputError, match=r"out\.txt: cannot be written: permission denied"):
        write_text(path, "new")
    assert path.read_text() == "old"
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match=r"other\.txt: cannot be written: permission denied"):
            write_text(tmp_path / "other.txt", "new")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.usefixtures("way")
def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target.txt"
    link = tmp_path / "link.txt"
    link.symlink_to("folder/target.txt")
    for text in ("first", "second"):  # the link first points to nothing
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert {entry.name for entry in tmp_path.iterdir()} == {"folder", "link.txt"}
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OutputError, match="circle: cannot be written: too many levels of symbolic links"):
        write_text(tmp_path / "circle", "new")


@pytest.mark.usefixtures("way")
def test_a_new_file_has_the_permissions_of_the_umask_and_an_old_one_its_own(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    for mode in (0o600, 0o666, 0o755):
        path.chmod(mode)
        write_text(path, "newer")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    write_text("/dev/null", "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_goes_on_where_it_was(tmp_path: Path, name: str) -> None:
    """Even if it is a file: what the process printed before and prints after stays."""
    script = (
        "import sys; from aspectrum.output_files import write_text; print('a', flush=True); write_text(sys.argv[1], 'b\\n'); print('c')"
    )
    with (tmp_path / "out.txt").open("wb") as out:
        subprocess.run([sys.executable, "-c", script, name], stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text() == "a\nb\nc\n"
    piped = subprocess.run([sys.executable, "-c", script, name], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"a\nb\nc\n"


@pytest.mark.usefixtures("way")
def test_whoever_writes_may_close_the_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with replacing(path) as file, io.TextIOWrapper(file, encoding="utf-8") as text:
        text.write("new")
    assert path.read_text() == "new"


def test_a_file_that_appears_meanwhile_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with replacing(path) as file:
        file.write(b"new")
        path.write_text("somebody else's")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_without_proc_the_file_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.exists", lambda path: False)
    assert output_files._unnamed_file(str(tmp_path)) is None
    write_text(tmp_path / "out.txt", "new")
    assert (tmp_path / "out.txt").read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("old", [None, "old"])
def test_where_a_file_cannot_be_named_afterwards_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str | None) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    path = tmp_path / "x.txt"
    if old is not None:
        path.write_text(old)
        path.chmod(0o640)
    monkeypatch.setattr(os, "link", refuse)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [found.name for found in tmp_path.iterdir()] == ["x.txt"]
    assert old is None or path.stat().st_mode & 0o777 == 0o640
