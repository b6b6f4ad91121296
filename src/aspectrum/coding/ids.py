"""Ids and their codes: what users call things, and the integers everything else works with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes
from aspectrum.errors import InputError

if TYPE_CHECKING:
    import polars


class Ids:
    """The ids of users, items or aspects, by code: any sequence, an array, or a polars series of text or whole numbers."""

    def __init__(self, values: Sequence[Hashable] | npt.NDArray[Any] | polars.Series) -> None:
        self._values: Any = values

    @classmethod
    def counted(cls, n: int) -> Ids:
        """0, 1, 2 ...: for data that comes as codes."""
        return cls(range(n))

    @property
    def values(self) -> Any:
        """What holds the ids: a polars series, or a sequence."""
        return self._values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, code: int) -> Hashable:
        value: Hashable = self._values[int(code)]
        return value.item() if isinstance(value, np.generic) else value

    def __iter__(self) -> Iterator[Hashable]:
        if isinstance(self._values, np.ndarray):
            return iter(self._values.tolist())
        return iter(self._values.to_list() if self._is_series else self._values)

    @property
    def _is_series(self) -> bool:
        return hasattr(self._values, "to_list")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        if self is other:
            return True
        if self._is_series and other._is_series and self._values.dtype == other._values.dtype:
            return bool(self._values.equals(other._values))
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def code(self, id: Hashable) -> int | None:
        """The code of an id, or None."""
        if isinstance(self._values, range):
            return self._values.index(int(id)) if isinstance(id, int | np.integer) and id in self._values else None
        return self._index.get(id)

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {id: code for code, id in enumerate(self)}

    def feed(self, update: Callable[[Any], None]) -> None:
        """Hand out the ids as bytes that tell them from any others, to a digest."""
        values = self._values
        if self._is_series and values.dtype == _text_dtype():
            sizes = values.str.len_bytes().to_numpy()
            update(np.ascontiguousarray(sizes).view(np.uint8).data if len(sizes) else b"")
            update("".join(values.to_list()).encode())
        elif self._is_series or isinstance(values, np.ndarray):
            numbers = np.ascontiguousarray(values.to_numpy() if self._is_series else values)
            update(numbers.view(np.uint8).data if numbers.size else b"")
        else:
            update(repr(values if isinstance(values, range) else list(values)).encode())

    @staticmethod
    def joined(several: Sequence[Ids]) -> Ids:
        """Ids of several parts, one after the other."""
        if len(several) == 1:
            return several[0]
        if all(ids._is_series for ids in several) and len({str(ids.values.dtype) for ids in several}) == 1:
            import polars

            return Ids(polars.concat([ids.values for ids in several]))
        return Ids([id for ids in several for id in ids])

    def slice(self, start: int, stop: int) -> Ids:
        return Ids(self._values[start:stop])

    def take(self, codes: npt.NDArray[Any]) -> Ids:
        if isinstance(self._values, np.ndarray):
            return Ids(self._values[codes])
        if self._is_series:
            return Ids(self._values.gather(codes))
        return Ids([self._values[code] for code in codes.tolist()])

    def to_series(self, name: str) -> polars.Series:
        """As a column; ids of a kind, or of several kinds, that a column cannot hold are written as text."""
        import polars

        if self._is_series:
            return self._values.alias(name)  # type: ignore[no-any-return]
        ids = list(self)
        try:
            column = polars.Series(name, ids)
        except (TypeError, polars.exceptions.PolarsError):  # ids of several kinds
            column = None
        if column is None or column.dtype == polars.Object:  # a kind that a column, or a file, cannot hold
            column = polars.Series(name, [str(id) for id in ids], dtype=polars.String)
        return column

    @property
    def heads(self) -> Codes:
        """Place of each id in the order of ids: numbers by value, text bytewise; otherwise in the order given.

        The greedy ideal gives exact ties to the largest.
        """
        return self._order[0]

    @property
    def tie_rule(self) -> str:
        """Who gets exact ties, in words."""
        return "largest item id" if self._order[1] else "last item given, as ids cannot be ordered"

    @cached_property
    def _order(self) -> tuple[Codes, bool]:
        n = len(self)
        if isinstance(self._values, range):
            return np.arange(n, dtype=np.int32), True
        ordered = True
        if isinstance(self._values, np.ndarray) and self._values.dtype.kind in "iuf":
            order = np.argsort(self._values, kind="stable")
        elif self._is_series and self._values.dtype == _text_dtype():
            return kernels.order_texts(self._values.__arrow_c_stream__()), True
        elif self._is_series:
            order = self._values.arg_sort().to_numpy()
        else:
            try:
                # Python compares text by code point, which is the order of its UTF-8 bytes.
                order = np.array(sorted(range(n), key=list(self).__getitem__), dtype=np.int64)  # type: ignore[arg-type]
            except TypeError:
                order, ordered = np.arange(n, dtype=np.int64), False
        heads = np.empty(n, dtype=np.int32)
        heads[order] = np.arange(n, dtype=np.int32)
        return heads, ordered


def _text_dtype() -> Any:
    import polars

    return polars.String


def quoted(id: object) -> str:
    """An id as error messages write it: text in quotes, so that 7 and '7' look different."""
    text = repr(id)
    return text if len(text) <= 60 else text[:57] + "..."


PART = "a part"
"""The source of ids that have codes elsewhere. Their kinds were checked there: a part need not have all kinds of ids."""


class Codebook:
    """Gives codes to ids in order of first appearance, and notices kinds of ids that can never match."""

    def __init__(self, role: str) -> None:
        self.role = role
        self._codes: dict[Hashable, int] = {}
        self._examples: dict[str, dict[type, Hashable]] = {}

    def copy(self) -> Codebook:
        other = Codebook(self.role)
        other._codes, other._examples = dict(self._codes), {source: dict(kinds) for source, kinds in self._examples.items()}
        return other

    def __len__(self) -> int:
        return len(self._codes)

    def code(self, id: Any, source: str) -> int:
        """The code of `id`, new if it was never seen; `source` is the input it stands in."""
        if isinstance(id, np.generic):
            id = id.item()
        try:
            found = self._codes.get(id)
        except TypeError:
            raise InputError(f"{source}: {quoted(id)} cannot be the id of {_a(self.role)}: it is not hashable") from None
        kinds = self._examples.setdefault(source, {})
        if type(id) not in kinds:
            if id is None:
                raise InputError(f"{source}: the id of {_a(self.role)} is missing (None)")
            kinds[type(id)] = id
        if found is not None:
            return found
        if id != id:
            raise InputError(f"{source}: the id of {_a(self.role)} is missing (NaN)")
        self._codes[id] = code = len(self._codes)
        return code

    def codes(self, ids: Iterable[Any], source: str) -> Codes:
        return np.array([self.code(id, source) for id in ids], dtype=np.int32)

    def ids(self) -> Ids:
        """All ids by code, once every input was read."""
        self._check_kinds()
        return Ids(list(self._codes))

    def _check_kinds(self) -> None:
        by_kind: dict[str, dict[str, Hashable]] = {}
        for source, examples in self._examples.items():
            for kind, example in examples.items() if source != PART else ():
                by_kind.setdefault(_kind(kind), {})[source] = example
        kinds = sorted(by_kind)
        for position, first in enumerate(kinds):
            for second in kinds[position + 1 :]:
                only_first = by_kind[first].keys() - by_kind[second].keys()
                only_second = by_kind[second].keys() - by_kind[first].keys()
                if only_first and only_second:
                    here, there = min(only_first), min(only_second)
                    raise InputError(
                        f"{self.role} ids have different types: {first} in {here} ({quoted(by_kind[first][here])}), "
                        f"{second} in {there} ({quoted(by_kind[second][there])})"
                    )
                for id in self._codes:
                    twin = _as_text(id)
                    if twin is not None and twin in self._codes:
                        raise InputError(f"{self.role} ids have different types: both {quoted(id)} and {quoted(twin)} are there")


def _kind(kind: type) -> str:
    for base, name in ((Number, "numbers"), (str, "text"), (bytes, "bytes")):
        if issubclass(kind, base):
            return name
    return _a(kind.__name__)


def _as_text(id: Hashable) -> str | None:
    if isinstance(id, bytes):
        return id.decode("utf-8", "replace")
    return None if isinstance(id, str) else str(id)


def _a(role: str) -> str:
    return f"an {role}" if role[0] in "aeio" else f"a {role}"
