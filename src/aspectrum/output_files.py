"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import BinaryIO

from aspectrum.errors import OutputError

_REASONS = {
    errno.ENOENT: "no such directory",
    errno.ENOTDIR: "a part of the path is not a directory",
    errno.EISDIR: "it is a directory",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "no space left on device",
}


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes its path when the block ends well: all of the new content, or the old file.

    On Linux the file has no name until it is complete, so nothing is left behind even if the process is killed; but for the moment in
    which it replaces an old file: then a whole copy called ``.<digits>.part`` may stay beside it. A symbolic link is written through. A
    device, a pipe or an open file (``/dev/stdout``) is written to directly. Of several files, each is whole by itself.

    Raises:
        OutputError: The path cannot be written. Any other error of the block passes through.
    """
    name = os.fsdecode(path)
    of_the_block: BaseException | None = None
    try:
        with _opened(name) as file:
            try:
                yield file
            except BaseException as error:
                if not isinstance(error, OSError) or error.filename is not None:  # a failed write names no file
                    of_the_block = error
                raise
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        if error is of_the_block:
            raise
        raise OutputError(f"{name or repr(name)}: cannot be written: {_reason(error)}") from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # names of files may hold what is no character


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    reason = os.strerror(error.errno)
    return _REASONS.get(error.errno, reason[:1].lower() + reason[1:])


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    own = _open_file_of_ours(path)
    if own is not None:
        # A copy of the handle shares its place in the file; opening the name anew would start over at the beginning.
        return _closing(os.fdopen(os.dup(own), "wb"))
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if path.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path) from None
        return _whole(os.path.realpath(path), None)
    if not stat.S_ISREG(found.st_mode):
        return _closing(open(path, "wb"))
    os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # a rename would not ask whether the file may be written
    return _whole(os.path.realpath(path), stat.S_IMODE(found.st_mode))


def _open_file_of_ours(path: str) -> int | None:
    """The handle that a path such as ``/dev/stdout`` or ``/dev/fd/3`` stands for."""
    for _ in range(40):  # as many links as the system follows
        directory, name = os.path.split(path)
        if re.fullmatch(r"[0-9]+", name) and os.path.realpath(directory) == f"/proc/{os.getpid()}/fd":
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(directory, os.readlink(path))
    return None


@contextmanager
def _whole(target: str, mode: int | None) -> Iterator[BinaryIO]:
    """A file that is put in the target's place at the end, with the mode of the old one."""
    directory = os.path.dirname(target)
    spare = os.path.join(directory, f".{secrets.token_hex(8)}.part")
    handle = _unnamed_file(directory)
    named = handle is None
    try:
        if handle is None:
            handle = os.open(spare, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        with _closing(os.fdopen(handle, "wb", closefd=False)) as file:  # whoever writes may close it; it is still to be named
            yield file
        if mode is not None:
            os.fchmod(handle, mode)
        os.fsync(handle)
        if not named:
            try:
                with suppress(FileExistsError):  # a free name is taken at once: there is no spare one to clean up
                    _give_name(handle, target)
                    return
                _give_name(handle, spare)
            except PermissionError:  # some sandboxes let nobody name a file that has no name
                _copy(handle, spare, mode)
        os.replace(spare, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(spare)
        raise
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def _closing(file: BinaryIO) -> Iterator[BinaryIO]:
    """If the block fails, a second failure while closing does not hide the first."""
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    file.close()


def _unnamed_file(directory: str) -> int | None:
    try:
        handle = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except (AttributeError, OSError):  # not on this system; if something else is wrong, the named file will say it
        return None
    if not os.path.exists(f"/proc/self/fd/{handle}"):  # then it could never be named
        os.close(handle)
        return None
    return handle


def _give_name(handle: int, name: str) -> None:
    # With a directory handle, Python calls linkat(), which follows the link in /proc; link() would not.
    os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)


def _copy(handle: int, name: str, mode: int | None) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    copy = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    with os.fdopen(handle, "rb", closefd=False) as source, os.fdopen(copy, "wb") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        if mode is not None:
            os.fchmod(copy, mode)
        os.fsync(copy)
