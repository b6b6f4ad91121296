"""Whether a Parquet or an Arrow file is sound, before polars trusts it.

polars takes the counts in the headers as they are, and a damaged one can make it ask for more memory than there is, which
ends the process. So every header is read here first, and has to agree with the others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

_MAGIC = b"PAR1"
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
_ARROW = b"ARROW1"
_CONTINUED = b"\xff\xff\xff\xff"


class DamagedError(ValueError):
    """A file that contradicts itself."""


def check_parquet(data: bytes) -> None:
    """Raises DamagedError unless all headers fit together."""
    if len(data) < 12 or not data.startswith(_MAGIC) or not data.endswith(_MAGIC):
        raise DamagedError("it does not begin and end as Parquet files do; is it cut short?")
    length = int.from_bytes(data[-8:-4], "little")
    _require(length <= len(data) - 12, "its last part is longer than the file")
    file = _Thrift(data, len(data) - 8 - length, len(data) - 8).struct()
    groups = _list(file, 4)
    rows = [_number(group, 3) for group in groups]
    _require(sum(rows) == _number(file, 3), "its numbers of rows do not agree")
    for group, n_rows in zip(groups, rows, strict=True):
        for chunk in _list(group, 1):
            _require(isinstance(chunk, dict), "its columns cannot be made out")
            if isinstance(chunk.get(3), dict):  # what is encrypted has no description
                _check_column(data, chunk[3], n_rows)


def _check_column(data: bytes, column: dict[int, Any], n_rows: int) -> None:
    n_values, size = _number(column, 5), _number(column, 7)
    starts = [start for key in (9, 11) if isinstance(start := column.get(key), int) and start > 0]
    _require(n_values >= n_rows, "a column does not have as many values as rows")
    if n_values == 0:
        return
    _require(bool(starts), "a column stands nowhere")
    start = min(starts)
    _require(start + size <= len(data), "a column reaches beyond the file")
    n_found = sum(n for n in _pages(data, start, start + size, n_values))
    _require(n_found == n_values, "the pages of a column do not have as many values as the column")


def _pages(data: bytes, start: int, end: int, n_values: int) -> Iterator[int]:
    """The number of values in each page of data."""
    n_found = 0
    while start < end and n_found < n_values:
        reader = _Thrift(data, start, end)
        page = reader.struct()
        unpacked, size = _number(page, 2), _number(page, 3)
        start = reader.at + size
        _require(start <= end, "a page reaches beyond its column")
        kind = page.get(1)
        header = page.get({_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}.get(kind, 0))  # type: ignore[arg-type]
        if kind == _DICTIONARY:
            _require(isinstance(header, dict) and _number(header, 1) <= max(8 * unpacked, 1), "a dictionary does not hold what it says")
        elif header is not None:
            _require(isinstance(header, dict), "a page has no header")
            if kind == _DATA_2:
                levels = _number(header, 5) + _number(header, 6)
                _require(
                    levels <= min(size, unpacked) and max(_number(header, 2), _number(header, 3)) <= n_values, "a page contradicts itself"
                )
            n_found += _number(header, 1)
            yield _number(header, 1)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise DamagedError(what)


def _number(struct: dict[int, Any], field: int) -> int:
    value = struct.get(field)
    _require(isinstance(value, int) and not isinstance(value, bool) and value >= 0, "a count is missing or negative")
    return int(value)  # type: ignore[arg-type]


def _list(struct: dict[int, Any], field: int) -> list[Any]:
    value = struct.get(field)
    _require(isinstance(value, list), "its parts cannot be made out")
    return value  # type: ignore[return-value]


class _Thrift:
    """The compact protocol of Apache Thrift, as far as Parquet uses it; text is passed over."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
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

    def skip(self, n: int) -> None:
        self.at += n
        _require(self.at <= self.end, "a header breaks off")

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
            return self.skip(8 if kind == 7 else self.unsigned())
        if kind in (9, 10):
            byte = self.byte()
            n = byte >> 4 if byte >> 4 < 15 else self.unsigned()
            _require(n <= self.end - self.at, "a list in a header is longer than the header")
            return [self.value(byte & 15, depth + 1) for _ in range(n)]
        _require(kind == 12, "a header holds what no Parquet file holds")
        return self.struct(depth + 1)


def check_arrow(data: bytes) -> None:
    """Raises DamagedError unless all headers of an Arrow file or stream fit together."""
    if data.startswith(_CONTINUED):
        at = 0
        while at < len(data):
            size = _header_size(data, at)
            if size == 0:
                return
            at += 8 + size + _check_message(data, at, size)
        raise DamagedError("it is cut short: nothing says that this is the end")
    if not data.startswith(_ARROW) or not data.endswith(_ARROW) or len(data) < 18:
        raise DamagedError("it does not begin and end as Arrow files do; is it cut short?")
    length = int.from_bytes(data[-10:-6], "little", signed=True)
    _require(0 < length <= len(data) - 18, "its last part is longer than the file")
    footer = _Flat.root(data, len(data) - 10 - length, len(data) - 10)
    for field in (2, 3):
        for at, _, length, body in footer.structs(field, "<qiiq"):
            _require(
                0 <= at <= len(data) - 8 and length >= 0 and body >= 0 and at + length + body <= len(data), "a part reaches beyond the file"
            )
            start = at if data.startswith(_CONTINUED, at) else at - 4  # before 2019 nothing stood in front of the size
            _require(start >= 0 and _check_message(data, start, _header_size(data, start)) == body, "its parts do not agree")


def _header_size(data: bytes, at: int) -> int:
    _require(at + 8 <= len(data), "a header breaks off")
    size = int.from_bytes(data[at + 4 : at + 8], "little", signed=True)
    _require(0 <= size <= len(data) - at - 8, "a header reaches beyond the file")
    return size


def _check_message(data: bytes, at: int, size: int) -> int:
    """The size of what follows the header of a message, once they agree."""
    start = at + 8
    message = _Flat.root(data, start, start + size)
    (body,) = message.numbers(3, "<q") or (0,)
    _require(0 <= body <= len(data) - start - size, "a part reaches beyond the file")
    (kind,) = message.numbers(1, "<B") or (0,)
    header = message.table(2)
    batch = header.table(1) if kind == 2 and header is not None else header if kind == 3 else None
    if batch is not None:
        _check_batch(data, start + size, body, batch)
    return int(body)


def _check_batch(data: bytes, start: int, size: int, batch: _Flat) -> None:
    (n_rows,) = batch.numbers(0, "<q") or (0,)
    compression = batch.table(3)
    room = 0
    buffers = batch.structs(2, "<qq")
    for at, length in buffers:
        _require(at >= 0 and length >= 0 and at + length <= size, "a column reaches beyond its part")
        unpacked = length
        if compression is not None and length >= 8:
            unpacked = int.from_bytes(data[start + at : start + at + 8], "little", signed=True)
            unpacked = length - 8 if unpacked == -1 else unpacked
            _require(
                0 <= unpacked <= _most(data[start + at + 8 : start + at + 40], length - 8), "a packed column does not hold what it says"
            )
        room += unpacked
    limit = max(8 * room, 2**24 if not buffers else 0)
    _require(0 <= n_rows <= limit, "a part does not have as many rows as it says")
    for length, missing in batch.structs(1, "<qq"):
        _require(0 <= missing <= length <= limit, "a column does not have as many values as it says")
    _require(all(0 <= n <= len(buffers) for (n,) in batch.structs(4, "<q")), "a column does not have as many parts as it says")


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

    def __init__(self, data: bytes, at: int, start: int, end: int) -> None:
        self._data, self._at, self._start, self._end = data, at, start, end
        (back,) = self._read(at, "<i")
        self._fields = at - back
        (self._size,) = self._read(self._fields, "<H")

    @classmethod
    def root(cls, data: bytes, start: int, end: int) -> _Flat:
        _require(end - start >= 4, "a header breaks off")
        return cls(data, start + int.from_bytes(data[start : start + 4], "little"), start, end)

    def _read(self, at: int, form: str) -> tuple[Any, ...]:
        _require(self._start <= at and at + struct.calcsize(form) <= self._end, "a header reaches beyond itself")
        return struct.unpack_from(form, self._data, at)

    def _place(self, field: int) -> int:
        slot = 4 + 2 * field
        (offset,) = self._read(self._fields + slot, "<H") if slot + 2 <= self._size else (0,)
        return self._at + offset if offset else 0

    def numbers(self, field: int, form: str) -> tuple[Any, ...]:
        place = self._place(field)
        return self._read(place, form) if place else ()

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
