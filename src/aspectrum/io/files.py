"""The bytes of a file, or one sentence that says why there are none."""

from __future__ import annotations

import codecs
import errno
import glob
import hashlib
import io
import math
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

from aspectrum.diagnostics.notices import Either
from aspectrum.errors import InputError
from aspectrum.wording import did_you_mean, one_line, shortened

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
HIDDEN = (".", "_")
"""How names of files begin that Spark and others put beside their data."""
_SKIPPED_ZSTD = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # what parallel packers write in front
NO_LISTS = re.compile(
    r"^(readme|licen[cs]e|notes?|makefile)(\.txt)?$|\.(md|rst|ya?ml|py|ipynb|sh|log|html?|pdf|png|svg|tex)$", re.IGNORECASE
)
"""Names of files that people keep beside their lists."""
Packing = Literal["gzip", "zstd"]
_STEP = 1 << 14  # of a packed file at a time: unpacked, zstd's best makes 512 MB of it


def read_bytes(path: str, name: str | None = None) -> bytes:
    """All of a file, unpacked if it is gzip or zstd. ``-`` is the standard input.

    Args:
        name: What errors call it. Default: the path.
    """
    name = printed(path) if name is None else name
    with naming_memory(name):
        return _read_bytes(path, name)


def _read_bytes(path: str, name: str) -> bytes:
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                check_room(name, os.fstat(file.fileno()).st_size, free_memory())
                data = file.read()
    except OSError as error:
        raise InputError(f"{name}: {why_unreadable(path, error)}") from None
    except ValueError as error:  # such as a zero byte in the path
        raise InputError(f"{name}: cannot be read: {reason(error)}") from None
    except AttributeError:
        raise InputError(f"{name}: cannot be read: there is no standard input") from None
    if (kind := packing(data[:4])) is not None:
        return _unpacked(name, data, kind)
    check_unpacked(path, name)
    return data


def check_unpacked(path: str, name: str) -> None:
    """That a file which is not packed does not claim to be."""
    if path.lower().endswith((".gz", ".zst")):
        raise InputError(f"{name}: is not packed, although its name ends in {os.path.splitext(path)[1]}")


def check_there(path: str, name: str) -> None:
    """That there is such a file; whether it can be read is seen when it is."""
    if is_several(path) and files_of(path) != [path]:
        return
    try:
        os.stat(path)
    except FileNotFoundError as error:
        raise InputError(f"{name}: {why_unreadable(path, error)}") from None
    except (OSError, ValueError):
        pass


def files_of(path: str) -> list[str]:
    """The files that a path stands for: itself, all that are in a folder and its folders, or those that a pattern matches."""
    if os.path.isdir(path):
        found = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(one for one in folders if not one.startswith(HIDDEN))
            found += [os.path.join(folder, one) for one in names if not one.startswith(HIDDEN)]
        for odd in sorted(one for one in found if NO_LISTS.search(os.path.basename(one))):
            raise InputError(f"{printed(odd)}: does not look like lists, and every file of a folder is read; move it, or use a pattern")
        if not found:
            raise InputError(f"{printed(path)}: there is no file in this directory")
        return sorted(found)
    if not os.path.exists(path) and glob.has_magic(path) and (matched := sorted(filter(os.path.isfile, glob.glob(path, recursive=True)))):
        return matched
    return [path]


def is_several(path: str) -> bool:
    """Whether a path stands for several files."""
    return os.path.isdir(path) or (not os.path.exists(path) and glob.has_magic(path))


def binary_format(start: bytes) -> Literal["parquet", "arrow"] | None:
    """The binary format of a file that begins with these bytes."""
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    return "parquet" if start.startswith(b"PAR1") else None


_SAVE = "save the table as CSV or Parquet"
_UNREAD = (
    (re.compile(rb"PK\x03\x04(?s:.{26,1000}?)(?:\[Content_Types\]|xl/)"), "is an Excel workbook", _SAVE, "pandas.read_excel(path)"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "is an Excel workbook", _SAVE, "pandas.read_excel(path)"),
    (re.compile(rb"PK\x03\x04(?s:.{26})[^\0]{1,200}?\.npy"), "is an npz file, which only features can come as", _SAVE, None),
    (re.compile(rb"PK\x03\x04"), "is a zip archive", "unpack it", None),
    (re.compile(rb"BZh\d"), "is compressed with bzip2", "unpack it, or use gzip or zstd", None),
    (re.compile(rb"\xfd7zXZ"), "is compressed with xz", "unpack it, or use gzip or zstd", None),
    (re.compile(rb"7z\xbc\xaf|(?s:.{257})ustar"), "is an archive of files", "unpack it", None),
    (re.compile(rb"\x80[\x02-\x05]"), "is a pickle, which could run code", _SAVE, "what is in it"),
    (re.compile(rb"\x89HDF"), "is an HDF5 file", _SAVE, "pandas.read_hdf(path)"),
    (re.compile(rb"SQLite format 3"), "is a SQLite database", _SAVE, "pandas.read_sql(query, connection)"),
    (re.compile(rb"\x93NUMPY"), "is an array, which only features can come as", _SAVE, None),
    (re.compile(rb"%PDF-"), "is a PDF document", _SAVE, None),
    (re.compile(rb"\s*<(?:!doctype )?html", re.IGNORECASE), "is a web page", "was it downloaded as it should?", None),
)
"""Files that people have and that are not read: how they begin, what they are, and what to do; in Python, what to pass instead."""


def check_readable(name: str, data: bytes) -> None:
    """That bytes are not those of a file that is known and not read."""
    for start, found, do, instead in _UNREAD:
        if start.match(data[:2000]):
            also = [] if instead is None else [Either(f"; or pass {instead}", "")]
            raise InputError(f"{name}: {found}; {do}", *also)


def open_binary(path: str) -> BinaryIO | None:
    """A Parquet or Arrow file on disk, as its first bytes tell; None for anything else, also for what cannot be opened."""
    try:
        if path == "-" or not os.path.isfile(path):  # opening a pipe would wait for its writer
            return None
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    except (OSError, ValueError):
        return None
    if binary_format(os.pread(file.fileno(), 6, 0)) is not None:
        return file
    file.close()
    return None


def printed(path: str) -> str:
    """A path as messages write it, on one line."""
    return one_line(path) or "''"


def reason(error: BaseException) -> str:
    """What another library says is wrong, on one line."""
    if "set_int_max_str_digits" in str(error):  # advice of Python to programmers
        return "a number of more than 4,300 digits"
    lines = str(error).strip().splitlines()
    return shortened(one_line(lines[0].strip()) if lines else type(error).__name__, 200)


def why_unreadable(path: str, error: OSError) -> str:
    """What went wrong, in words."""
    if error.errno == errno.ENOENT:
        if os.path.islink(path):
            return f"is a link to {printed(os.readlink(path))}, which is not there"
        return "file not found" + _meant(path)
    if error.errno == errno.EISDIR:
        return "is a directory, expected a file"
    denied = error.errno in (errno.EACCES, errno.EPERM)
    return f"cannot be read: {'no permission' if denied else error.strerror or reason(error)}"


def _meant(path: str) -> str:
    try:
        there = [str(Path(path).with_name(name)) for name in sorted(os.listdir(Path(path).parent))]
        return did_you_mean(path, there, cutoff=0.8, plain=lambda one: Path(one).stem)  # all extensions look alike
    except (OSError, ValueError):
        return ""


def _unpacked(name: str, data: bytes, kind: Packing) -> bytes:
    """All of a packed file; never more than there is memory for."""
    unpacked, room = io.BytesIO(), free_memory()
    for part in unpacked_parts(name, (data[start : start + _STEP] for start in range(0, len(data), _STEP)), kind):
        unpacked.write(part)
        check_room(name, unpacked.tell(), room, f"unpack it with {kind} -d and ")
    return unpacked.getvalue()


def unpacked_parts(name: str, packed: Iterable[bytes], kind: Packing) -> Iterator[bytes]:
    """What is in all members of a gzip file, or all frames of a zstd file, part by part."""
    import zstandard

    start_one = (lambda: zlib.decompressobj(31)) if kind == "gzip" else (lambda: zstandard.ZstdDecompressor().decompressobj())
    unpacker: Any = None
    try:
        for part in packed:
            while part:
                if unpacker is None and kind == "gzip" and not (part := part.lstrip(b"\0")):  # zeros may fill the space between members
                    break
                unpacker = unpacker or start_one()
                yield unpacker.decompress(part)
                # A frame that is cut short ends silently, so the reader is asked whether it saw the end.
                part = unpacker.unused_data if unpacker.eof else b""  # noqa: PLW2901
                unpacker = None if unpacker.eof else unpacker
    except (zlib.error, zstandard.ZstdError) as error:
        raise InputError(f"{name}: the {kind} file is damaged ({reason(error)})") from None
    if unpacker is not None:
        raise InputError(f"{name}: the {kind} file is cut short")


def packing(start: bytes) -> Packing | None:
    """How a file is packed that begins with these bytes."""
    if start.startswith(_GZIP):
        return "gzip"
    return "zstd" if start.startswith(_ZSTD) or _SKIPPED_ZSTD.match(start) else None


def free_memory() -> float:
    """How many bytes of memory are free, swap space included; infinite where the system does not tell."""
    left = math.inf
    with suppress(OSError, ValueError, KeyError):
        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        left = 1024 * sum(int(told[name].removesuffix("kB")) for name in ("MemAvailable", "SwapFree"))
    with suppress(OSError, ValueError, KeyError):  # of a container; what it holds of files can be dropped
        most, held = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        parts = dict(line.split() for line in Path("/sys/fs/cgroup/memory.stat").read_text().splitlines())
        left = min(left, most - held + int(parts["active_file"]) + int(parts["inactive_file"]))
    return left


def check_room(name: str, size: int, room: float, first: str = "") -> None:
    """That what a file holds fits into the memory that is free."""
    if size > room:
        raise InputError(
            f"{name}: holds more than {size / 1e9:,.1f} GB, and {room / 1e9:,.1f} GB of memory are free; if it should be that large, "
            f"{first}evaluate it in parts of complete users"
        )


@contextmanager
def naming_memory(name: str) -> Iterator[None]:
    """Whoever runs out of memory learns by which file."""
    try:
        yield
    except MemoryError:
        raise InputError(f"{name}: not enough memory to read it") from None


_LONE_RETURN = re.compile(rb"\r(?!\n)")
_MARK_IN_FRONT = re.compile(rb"(?:^|\n)\xef\xbb\xbf")


def as_text(name: str, data: bytes, first_line: int = 1) -> bytes:
    """The bytes of a text file in UTF-8, without a mark in front, or an error that names the line.

    Args:
        first_line: Which line of the file the data begins with.
    """

    def line(place: int) -> int:
        return line_at(data, place) + first_line - 1

    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name}, line 1: is written in UTF-16 or UTF-32; save it as UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if (at := data.find(b"\0")) >= 0:
        raise InputError(f"{name}, line {line(at)}: holds a zero byte; expected a text file in UTF-8")
    if not data.isascii():
        _check_utf8(name, data, first_line)
        if mark := _MARK_IN_FRONT.search(data):
            raise InputError(f"{name}, line {line(mark.end())}: begins with a byte order mark; were several files joined?")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n") and (lone := _LONE_RETURN.search(data)):
        raise InputError(
            f"{name}, line {line(lone.start())}: holds a carriage return that does not end a line; expected line ends \\n or \\r\\n"
        )
    return data


def line_at(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _check_utf8(name: str, data: bytes, first_line: int) -> None:
    step = 1 << 22  # in parts, as decoding everything would take up to four times the room
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    for start in range(0, len(data), step):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(view[start : start + step], final=start + step >= len(data))
        except UnicodeDecodeError as error:
            at = start - pending + error.start
            raise InputError(
                f"{name}, line {line_at(data, at) + first_line - 1}: byte 0x{data[at]:02x} is not UTF-8; "
                "is the file written in another encoding, such as Latin-1?"
            ) from None


def digest_of(path: str) -> str:
    """What tells the content of a file from any other."""
    with open(path, "rb") as file:
        return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"
