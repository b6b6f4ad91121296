"""Ids and their codes: what users call things, and the integers everything else works with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes
from aspectrum.errors import InputError
from aspectrum.wording import shortened

if TYPE_CHECKING:
    import polars


def is_text(values: Any) -> bool:
    """Whether these are a polars series of text."""
    return hasattr(values, "to_list") and str(values.dtype) == "String"


class Ids:
    """The ids of users, items or aspects, by code.

    Args:
        values: What holds them: any sequence, an array, or a polars series of text or whole numbers.
    """

    def __init__(self, values: Sequence[Hashable] | npt.NDArray[Any] | polars.Series) -> None:
        self.values: Any = values

    @classmethod
    def counted(cls, n: int) -> Ids:
        """0, 1, 2 ...: for data that comes as codes."""
        return cls(range(n))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "codes"}  # large, and soon made again

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, code: int) -> Hashable:
        value: Hashable = self.values[int(code)]
        return value.item() if isinstance(value, np.generic) else value

    def __iter__(self) -> Iterator[Hashable]:
        if isinstance(self.values, np.ndarray):
            return iter(self.values.tolist())
        return iter(self.values.to_list() if self._is_series else self.values)

    @property
    def _is_series(self) -> bool:
        return hasattr(self.values, "to_list")

    @property
    def _is_text(self) -> bool:
        return is_text(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        if self is other:
            return True
        if self._is_series and other._is_series and self.values.dtype == other.values.dtype:
            return bool(self.values.equals(other.values))
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def code(self, id: Hashable) -> int | None:
        """The code of an id, or None."""
        if isinstance(self.values, range):
            return self.values.index(int(id)) if isinstance(id, int | np.integer) and id in self.values else None
        return self.codes.get(id)

    @cached_property
    def codes(self) -> dict[Hashable, int]:
        return {id: code for code, id in enumerate(self)}

    def feed(self, update: Callable[[Any], None]) -> None:
        """Hand out the ids as bytes that tell them from any others, to a digest."""
        values = self.values
        if self._is_series or isinstance(values, np.ndarray):
            numbers = values.str.len_bytes() if self._is_text else values
            array = np.ascontiguousarray(numbers.to_numpy() if self._is_series else numbers)
            update(array.view(np.uint8).data if array.size else b"")
            if self._is_text:
                update("".join(values.to_list()).encode())
        else:
            update(repr(values if isinstance(values, range) else list(values)).encode())

    @staticmethod
    def joined(several: Sequence[Ids]) -> Ids:
        """Ids of several parts, one after the other."""
        several = [ids for ids in several if len(ids)] or several[:1]
        if len(several) == 1:
            return several[0]
        if all(ids._is_series for ids in several) and len({str(ids.values.dtype) for ids in several}) == 1:
            import polars

            return Ids(polars.concat([ids.values for ids in several]))
        return Ids([id for ids in several for id in ids])

    def slice(self, start: int, stop: int) -> Ids:
        return Ids(self.values[start:stop])

    def take(self, codes: npt.NDArray[Any]) -> Ids:
        if hasattr(self.values, "dtype"):
            return Ids(self.values[codes])
        return Ids([self.values[code] for code in codes.tolist()])

    def to_series(self, name: str) -> polars.Series:
        """As a column; ids of a kind, or of several kinds, that a column cannot hold are written as text."""
        import polars

        if self._is_series:
            return self.values.alias(name)  # type: ignore[no-any-return]
        ids = list(self)
        # Several kinds; a kind, or numbers, that a column or a file cannot hold: polars has many ways to say so, and one to keep silent.
        with suppress(TypeError, ValueError, OverflowError, RuntimeError, polars.exceptions.PolarsError):
            column = polars.Series(name, ids)
            if column.dtype != polars.Object and column.to_list() == ids:
                return column
        return polars.Series(name, [str(id).encode(errors="backslashreplace").decode() for id in ids], dtype=polars.String)

    @property
    def heads(self) -> Codes:
        """Place of each id in the order of ids: numbers by value, text bytewise; otherwise in the order given.

        The greedy ideal gives exact ties to the largest.
        """
        return self._order[0]

    @property
    def can_be_ordered(self) -> bool:
        return self._order[1]

    @property
    def tie_rule(self) -> str:
        """Who gets exact ties, in words."""
        return "largest item id" if self.can_be_ordered else "last item given, as ids cannot be ordered"

    @cached_property
    def _order(self) -> tuple[Codes, bool]:
        values, n, ordered = self.values, len(self), True
        order: npt.NDArray[Any] = np.arange(n)
        if self._is_text:
            return kernels.order_texts(values.__arrow_c_stream__()), True
        if self._is_series:
            order = np.argsort(values.to_numpy())  # unlike arg_sort, it needs no threads, which a fork would have lost
        elif isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
            order = np.argsort(values, kind="stable")
        elif not isinstance(values, range):
            try:
                # Python compares text by code point, which is the order of its UTF-8 bytes.
                order = np.array(sorted(range(n), key=list(self).__getitem__), dtype=np.int64)  # type: ignore[arg-type]
            except TypeError:
                ordered = False
        heads = np.empty(n, dtype=np.int32)
        heads[order] = np.arange(n, dtype=np.int32)
        return heads, ordered


def quoted(id: object) -> str:
    """An id as error messages write it: text in quotes, so that 7 and '7' look different."""
    try:
        return shortened(repr(id))
    except ValueError:  # of Python, for an integer that long
        return "a number of more than 4,300 digits"


NOTHING: Any = object()
"""Stands where a row has no id."""


def code_objects(role: str, source: str, ids: Iterable[Any], codes: dict[Any, int]) -> list[int]:
    """The codes of ids, -1 for NOTHING; `codes` gets to know those that it does not have, in order of first appearance."""
    found: list[int] = []
    for given in ids:
        id = given.item() if isinstance(given, np.generic) else given
        try:
            found.append(-1 if id is NOTHING else codes.setdefault(id, len(codes)))
        except TypeError:
            raise InputError(f"{source}: {not_hashable(role, id)}") from None
    return found


def described(given: Any) -> str:
    """Anything as error messages write it: a plain value as it is, anything else by its type."""
    plain = given is None or isinstance(given, bool | int | float | str | bytes | list | tuple | set | dict)
    return quoted(given) if plain else with_article(type(given).__name__)


def not_hashable(role: str, id: Any) -> str:
    return f"{described(id)} cannot be the id of {with_article(role)}: it is not hashable"


def with_article(word: str) -> str:
    return f"an {word}" if word[0] in "aeio" else f"a {word}"
