"""Checks Parquet and Arrow files before polars allocates what their headers ask for.

polars trusts the counts in these headers. A damaged count makes it ask for more memory than there is, which no Python
code can catch: Rust prints ``memory allocation of ... bytes failed`` and aborts the process. Everything else that damage
does comes back as an error or a panic, which :func:`aspectrum.io.frames.guarded` catches, so only what sizes an allocation
is checked here. Seen with polars 1.32.0 and 2.1.0 on files with single changed bytes and counts:

- Parquet: the size of a page, and the number of values of a column, a page or a dictionary (``PageDecoder``, ``BitmapBuilder::reserve``,
  ``MutableBinaryViewArray::with_capacity``), and with 2.1.0 the lengths of lists in the footer (``read_file_metadata``).
- Arrow: the uncompressed size in front of a compressed buffer (``read_basic::decompress``), and lengths of columns, buffers
  and parts (``read_bytes``, ``read_buffer``). polars 2.1.0 also finds parts by the sizes in the footer alone.

The bytes may be a mapped file: only headers are read.
"""

from __future__ import annotations

import struct
from mmap import mmap
from typing import Any

import numpy as np

from aspectrum import kernels

Data = bytes | mmap

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_CONTINUED = b"\xff\xff\xff\xff"


class DamagedError(ValueError):
    """A file that contradicts itself."""


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise DamagedError(what)


def check_parquet(data: Data) -> int:
    """Raises DamagedError unless pages have the number of values that their columns have, and no list outgrows its header.

    Returns how many rows the largest row group has.
    """
    _require(len(data) >= 12 and data[:4] == data[-4:] == _PARQUET, "it does not begin and end as Parquet files do; is it cut short?")
    length = int.from_bytes(data[-8:-4], "little")
    _require(length <= len(data) - 12, "its last part is longer than the file")
    try:
        return kernels.check_parquet(np.frombuffer(data, np.uint8), len(data) - 8 - length)
    except ValueError as error:
        raise DamagedError(str(error)) from None


def check_arrow(data: Data) -> None:
    """Raises DamagedError unless no part, column or buffer of an Arrow file or stream is larger than its bytes can hold."""
    if data[:4] == _CONTINUED:
        at = 0
        while (size := _header_size(data, at)) != 0:
            at += 8 + size + _check_message(data, at + 8, size)
        return
    _require(len(data) >= 18 and data[:6] == data[-6:] == _ARROW, "it does not begin and end as Arrow files do; is it cut short?")
    length = int.from_bytes(data[-10:-6], "little", signed=True)
    _require(0 < length <= len(data) - 18, "its last part is longer than the file")
    footer = _Flat.root(data, len(data) - 10 - length, len(data) - 10)
    for field in (2, 3):  # dictionaries, record batches
        for at, length, _, body in footer.structs(field, "<qiiq"):
            _require(4 <= at <= len(data) - 8, "a part reaches beyond the file")
            start = at if data[at : at + 4] == _CONTINUED else at - 4  # before 2019 nothing stood in front of the size
            size = _header_size(data, start)
            _require(length == start + 8 + size - at and _check_message(data, start + 8, size) == body, "its parts do not agree")


def _header_size(data: Data, at: int) -> int:
    _require(at + 8 <= len(data), "a header breaks off")
    size = int.from_bytes(data[at + 4 : at + 8], "little", signed=True)
    _require(0 <= size <= len(data) - at - 8, "a header reaches beyond the file")
    return size


def _check_message(data: Data, start: int, size: int) -> int:
    """The size of what follows the header of a message, once they agree."""
    message = _Flat.root(data, start, start + size)
    body = message.number(3, "<q")
    _require(0 <= body <= len(data) - start - size, "a part reaches beyond the file")
    kind, header = message.number(1, "<B"), message.table(2)
    batch = header.table(1) if kind == 2 and header is not None else header if kind == 3 else None
    if batch is not None:
        _check_batch(data, start + size, body, batch)
    return body


def _check_batch(data: Data, start: int, size: int, batch: _Flat) -> None:
    compressed, buffers, room = batch.table(3) is not None, batch.structs(2, "<qq"), 0
    for at, length in buffers:
        _require(at >= 0 and length >= 0 and at + length <= size, "a column reaches beyond its part")
        unpacked = length
        if compressed and length >= 8:
            unpacked = int.from_bytes(data[start + at : start + at + 8], "little", signed=True)
            unpacked = length - 8 if unpacked == -1 else unpacked
            most = _most(data[start + at + 8 : start + at + 40], length - 8)
            _require(0 <= unpacked <= most, "a packed column does not hold what it says")
        room += unpacked
    limit = max(8 * room, 2**24 if not buffers else 0)
    _require(0 <= batch.number(0, "<q") <= limit, "a part does not have as many rows as it says")
    for length, missing in batch.structs(1, "<qq"):
        _require(0 <= missing <= length <= limit, "a column does not have as many values as it says")


def _most(head: bytes, size: int) -> int:
    """The most that packed bytes can hold: of zstd they say it, LZ4 packs 255 into one at best."""
    import zstandard

    if head.startswith(b"\x28\xb5\x2f\xfd"):
        try:
            told = zstandard.frame_content_size(head)
        except zstandard.ZstdError:
            return 0
        return told if told >= 0 else size << 16
    return 256 * size + 64


class _Flat:
    """A table of FlatBuffers, in which every place is checked before it is read."""

    def __init__(self, data: Data, at: int, start: int, end: int) -> None:
        self._data, self._at, self._start, self._end = data, at, start, end
        (back,) = self._read(at, "<i")
        self._fields = at - back
        (self._size,) = self._read(self._fields, "<H")

    @classmethod
    def root(cls, data: Data, start: int, end: int) -> _Flat:
        _require(end - start >= 4, "a header breaks off")
        return cls(data, start + int.from_bytes(data[start : start + 4], "little"), start, end)

    def _read(self, at: int, form: str) -> tuple[Any, ...]:
        _require(self._start <= at and at + struct.calcsize(form) <= self._end, "a header reaches beyond itself")
        return struct.unpack_from(form, self._data, at)

    def _place(self, field: int) -> int:
        slot = 4 + 2 * field
        (offset,) = self._read(self._fields + slot, "<H") if slot + 2 <= self._size else (0,)
        return self._at + offset if offset else 0

    def number(self, field: int, form: str) -> int:
        place = self._place(field)
        return int(self._read(place, form)[0]) if place else 0

    def table(self, field: int) -> _Flat | None:
        place = self._place(field)
        return _Flat(self._data, place + self._read(place, "<I")[0], self._start, self._end) if place else None

    def structs(self, field: int, form: str) -> list[tuple[Any, ...]]:
        place = self._place(field)
        if not place:
            return []
        place += self._read(place, "<I")[0]
        (n,) = self._read(place, "<I")
        size = struct.calcsize(form)
        _require(place + 4 + n * size <= self._end, "a list in a header is longer than the header")
        return [self._read(place + 4 + k * size, form) for k in range(n)]
