"""The bytes of a file, or one sentence that says why there are none."""

from __future__ import annotations

import codecs
import difflib
import errno
import gzip
import os
import sys
import zlib
from pathlib import Path

from aspectrum.errors import InputError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def read_bytes(path: str) -> bytes:
    """All of a file, unpacked if it is gzip or zstd. ``-`` is the standard input."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise InputError(f"{path}: {why_unreadable(path, error)}") from None
    if data.startswith(_GZIP):
        return _unpacked_gzip(path, data)
    if data.startswith(_ZSTD):
        return _unpacked_zstd(path, data)
    if path.lower().endswith((".gz", ".zst")):
        raise InputError(f"{path}: is not packed, although its name ends in {os.path.splitext(path)[1]}")
    return data


def why_unreadable(path: str, error: OSError) -> str:
    """What went wrong, in words."""
    if error.errno == errno.ENOENT:
        try:
            near = difflib.get_close_matches(Path(path).name, sorted(os.listdir(Path(path).parent)), 1, 0.8)
        except OSError:
            near = []
        return "there is no such file" + (f"; did you mean {Path(path).with_name(near[0])}?" if near else "")
    if error.errno == errno.EISDIR:
        return "is a directory, expected a file"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "cannot be read: no permission"
    return f"cannot be read: {error.strerror or error}"


def _unpacked_gzip(path: str, data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError:
        raise InputError(f"{path}: the gzip file is cut short") from None
    except (OSError, zlib.error) as error:
        raise InputError(f"{path}: the gzip file is damaged ({error})") from None


def _unpacked_zstd(path: str, data: bytes) -> bytes:
    import io

    import zstandard

    try:
        # A frame that is cut short ends the stream silently, so the reader is asked whether it saw the end.
        unpacker = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)
        unpacked = io.BytesIO()
        unpacked.write(unpacker.decompress(data))
    except zstandard.ZstdError as error:
        raise InputError(f"{path}: the zstd file is damaged ({error})") from None
    if not unpacker.eof:
        raise InputError(f"{path}: the zstd file is cut short")
    return unpacked.getvalue()


def as_text(path: str, data: bytes) -> bytes:
    """The bytes of a text file in UTF-8, without a mark in front, or an error that names the line."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path}: is written in UTF-16 or UTF-32; save it as UTF-8")
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    at = data.find(b"\0")
    if at >= 0:
        raise InputError(f"{path}, line {line_at(data, at)}: holds a zero byte; expected a text file in UTF-8")
    if not data.isascii():
        _check_utf8(path, data)
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        at = next(place for place in _returns(data) if data[place + 1 : place + 2] != b"\n")
        raise InputError(
            f"{path}, line {line_at(data, at)}: holds a carriage return that does not end a line; expected line ends \\n or \\r\\n"
        )
    return data


def line_at(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _returns(data: bytes) -> list[int]:
    places, at = [], data.find(b"\r")
    while at >= 0 and (not places or data[places[-1] + 1 : places[-1] + 2] == b"\n"):
        places.append(at)
        at = data.find(b"\r", at + 1)
    return places


def _check_utf8(path: str, data: bytes) -> None:
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
                f"{path}, line {line_at(data, at)}: byte 0x{data[at]:02x} is not UTF-8; is the file written in another encoding, such as Latin-1?"
            ) from None
