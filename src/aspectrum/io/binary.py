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

Data = bytes | mmap

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_DICTIONARY, _COUNTED = 2, {0: 5, 2: 7, 3: 8}  # kinds of pages: data, dictionary, data of version 2; where their headers stand
_BROTLI = 4
_CONTINUED = b"\xff\xff\xff\xff"


class DamagedError(ValueError):
    """A file that contradicts itself."""


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise DamagedError(what)


def check_parquet(data: Data) -> None:
    """Raises DamagedError unless pages have the number of values that their columns have, and no list outgrows its header."""
    _require(len(data) >= 12 and data[:4] == data[-4:] == _PARQUET, "it does not begin and end as Parquet files do; is it cut short?")
    length = int.from_bytes(data[-8:-4], "little")
    _require(length <= len(data) - 12, "its last part is longer than the file")
    file = _Thrift(data, len(data) - 8 - length, len(data) - 8).struct()
    rows = [(group, _number(group, 3)) for group in _list(file, 4)]
    # With too few rows in a group, polars would silently leave out the others.
    _require(sum(n_rows for _, n_rows in rows) == _number(file, 3), "its numbers of rows do not agree")
    for group, n_rows in rows:
        for chunk in _list(group, 1):
            column = chunk.get(3) if isinstance(chunk, dict) else None
            if isinstance(column, dict):  # what is encrypted has no description
                _check_column(data, column, n_rows)


def _check_column(data: Data, column: dict[int, Any], n_rows: int) -> None:
    n_values = _number(column, 5)
    _require(n_values >= n_rows, "a column does not have as many values as rows")
    at = min((start for key in (9, 11) if isinstance(start := column.get(key), int) and start > 0), default=0)
    end = min(at + _number(column, 7), len(data))
    n_found = 0
    while at < end and n_found < n_values:
        reader = _Thrift(data, at, end)
        page = reader.struct()
        unpacked, packed = _number(page, 2), _number(page, 3)
        # At best zstd packs 128 KiB into 4 bytes; Brotli knows no such bound.
        _require(unpacked <= (packed + 64) << 16 or column.get(4) == _BROTLI, "a page does not hold what it says")
        at = reader.at + packed
        header = page.get(_COUNTED.get(_number(page, 1), 0))
        if not isinstance(header, dict):  # an index
            continue
        if page[1] == _DICTIONARY:
            _require(_number(header, 1) <= max(8 * unpacked, 1), "a dictionary does not hold what it says")
        else:
            n_found += _number(header, 1)
    _require(n_found == n_values, "the pages of a column do not have as many values as the column")


def _number(struct: Any, field: int) -> int:
    value = struct.get(field) if isinstance(struct, dict) else None
    _require(type(value) is int and value >= 0, "a count is missing or negative")
    return int(value)  # type: ignore[arg-type]


def _list(struct: Any, field: int) -> list[Any]:
    value = struct.get(field) if isinstance(struct, dict) else None
    _require(isinstance(value, list), "its parts cannot be made out")
    return value  # type: ignore[return-value]


class _Thrift:
    """The compact protocol of Apache Thrift, as far as Parquet uses it; text is passed over."""

    def __init__(self, data: Data, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def byte(self) -> int:
        _require(self.at < self.end, "a header breaks off")
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            _require(shift < 64, "a number in a header is too long")

    def signed(self) -> int:
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        _require(depth < 32, "a header is nested too deeply")
        fields: dict[int, Any] = {}
        field = 0
        while (byte := self.byte()) != 0:
            field = field + (byte >> 4) if byte >> 4 else self.signed()
            fields[field] = byte & 15 == 1 if byte & 15 in (1, 2) else self.value(byte & 15, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self.signed()
        if kind in (1, 2, 3):
            return self.byte()
        if kind in (7, 8):
            size = 8 if kind == 7 else self.unsigned()
            self.at += size
            return None
        if kind in (9, 10):
            byte = self.byte()
            n = byte >> 4 if byte >> 4 < 15 else self.unsigned()
            _require(n <= self.end - self.at, "a list in a header is longer than the header")
            return [self.value(byte & 15, depth + 1) for _ in range(n)]
        _require(kind == 12, "a header holds what no Parquet file holds")
        return self.struct(depth + 1)


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
