"""One input as columns: ids as codes into the input's own ids, numbers as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.coding.ids import is_text, quoted
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError
from aspectrum.wording import one_line

if TYPE_CHECKING:
    import polars

Untyped = Literal["number", "text"]
"""What ids of a text file become, in which 7 may be a number or text: ``number`` where every id of that role can be,
``text`` unless another input has numbers."""


@dataclass(frozen=True, eq=False)
class IdColumn:
    """Ids of one input, coded in order of first appearance.

    Args:
        codes: Which of `ids` each row has; -1 for none.
        ids: The distinct ids: a polars series of text or whole numbers, or a list of anything hashable. There may be more
            than the rows use: a user with an empty list, a genre that no item has.
        untyped: None if an id is what it is.
        named: Which of `ids` the input names; None means all. Columns that share the ids of a table name some of them.
        plain: The ids of all rows, whole numbers without gaps, until somebody asks for codes: an id table needs none of these.
    """

    codes: Codes
    ids: Sequence[Any] | polars.Series
    untyped: Untyped | None = None
    named: npt.NDArray[Any] | None = None
    plain: polars.Series | None = field(default=None, init=False, repr=False)

    @staticmethod
    def uncoded(plain: polars.Series) -> IdColumn:
        """A column of Int64 without gaps, which is coded once somebody asks."""
        column = object.__new__(IdColumn)
        column.__dict__.update(plain=plain, untyped=None, named=None)
        return column

    def __getattr__(self, name: str) -> Any:
        plain = self.__dict__.get("plain")
        if name in ("codes", "ids") and plain is not None:
            codes, ids = code_series(plain)
            self.__dict__.update(codes=codes, ids=ids, plain=None)
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def n_rows(self) -> int:
        return len(self.codes) if self.plain is None else len(self.plain)

    @property
    def texts(self) -> polars.Series | None:
        """The distinct ids, if they are a series of text."""
        return self.ids if self.plain is None and is_text(self.ids) else None  # type: ignore[return-value]

    @property
    def own_codes(self) -> Codes:
        """Which of the ids that are named each row has, counted among these alone."""
        if self.named is None:
            return self.codes
        places = np.full(len(self.ids) + 1, -1, dtype=np.int32)
        places[self.named] = np.arange(len(self.named), dtype=np.int32)
        return places[self.codes]


@dataclass(frozen=True, eq=False)
class Rows:
    """One input, whatever it came from.

    Args:
        source: What errors call it: the name of the input, or its file.
        ids: Columns of ids by role: user, item, aspect, feature.
        numbers: Columns of finite numbers: rank, score, grade, strength, weight, value.
        place: Where a row stands, in words: ``line 17``.
        matrix: For features, one vector per row.
        notices: What a user should know of it.
        is_index: For features, whether they are an index of texts, whose weights always count.
        directed: For links, whether their graph is directed; None if it does not say.
        lists_aspects: For subtopics, whether they name all aspects that a user wants; those that no item has are rows without an item.
        loose_blanks: Whether blanks in ids of items may be more than were meant: words of a line, put together again.
    """

    source: str
    ids: Mapping[str, IdColumn]
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    place: Callable[[int], str] | None = None
    matrix: Any = None
    notices: Sequence[Notice] = ()
    is_index: bool = False
    directed: bool | None = None
    lists_aspects: bool = False
    loose_blanks: bool = False

    def __len__(self) -> int:
        return next(iter(self.ids.values())).n_rows

    def at(self, row: int) -> str:
        """Where a row stands, for errors."""
        return self.source if self.place is None else f"{self.source}, {self.place(int(row))}"

    def taken(self, rows: npt.NDArray[Any]) -> Rows:
        """Some of the rows, in the order given; they stand where they stood."""
        return replace(
            self,
            ids={role: replace(column, codes=column.codes[rows]) for role, column in self.ids.items()},
            numbers={role: values[rows] for role, values in self.numbers.items()},
            place=None if self.place is None else partial(_place_of, self.place, rows),
        )


class Way(Protocol):
    """What a convention says of how bundles are read."""

    @property
    def both_lists(self) -> str | None:
        """What a document in both lists of a nugget is, where nobody says it."""


class InputBundle(ABC):
    """Something that is given as one input and holds others, too."""

    @abstractmethod
    def inputs(self) -> Mapping[str, Rows]:
        """Its inputs by name, among them the one that it is given as."""

    def inputs_under(self, conventions: Collection[Way]) -> Mapping[str, Rows]:
        """The same under some conventions, should they read it in another way."""
        return self.inputs()


_YIELDING = ("relevance",)
"""Inputs of a bundle that give way to what a user gives."""


def unbundled(inputs: Mapping[str, Any], conventions: Collection[Way] = ()) -> dict[str, Any]:
    """Inputs by name, where those in bundles have a name of their own; the conventions are those that they are read for."""
    found = dict(inputs)
    for name, bundle in inputs.items():
        if not isinstance(bundle, InputBundle):
            continue
        held = bundle.inputs_under(conventions)
        if name not in held:
            raise InputError(f"{name} is an asp.{type(bundle).__name__}; pass it as ", Option(next(iter(held))))
        for other, rows in held.items():
            if other == name or found.get(other) is None:
                found[other] = rows
            elif other not in _YIELDING:
                raise InputError(Option(other), f" is given, and {rows.source} has {other} of its own; give one of them")
    return found


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse vectors: sorted (column, value) entries per row.

    Columns without any entry need no number, so these may be fewer than `width`, the number of dimensions.
    """

    offsets: Offsets
    columns: Codes
    values: Floats
    width: int

    @cached_property
    def n_columns(self) -> int:
        """How many columns have a number."""
        return int(self.columns.max(initial=-1)) + 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_matrix(cls, matrix: Any) -> SparseRows:
        """From any scipy sparse matrix or array: repeated entries are added, zeros dropped."""
        if matrix.dtype.kind not in "biuf":
            raise InputError(f"features: expected real numbers, found {matrix.dtype}")
        csr = matrix.tocsr(copy=True)
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return cls.of(csr.indptr.astype(np.int64), csr.indices, csr.data.astype(np.float64), int(csr.shape[1]))

    @classmethod
    def of(cls, offsets: Offsets, columns: npt.NDArray[Any], values: Floats, width: int) -> SparseRows:
        """From entries in any number of columns; where few of them are used, as after hashing, only these get a number."""
        if width >= 2**31 or width > max(2**16, 8 * len(columns)):
            columns = np.unique(columns, return_inverse=True)[1]
        return cls(offsets, columns.astype(np.int32), values, width)


def by_system(rows: Rows) -> dict[str, Rows]:
    """The lists of each system, by its name in the column that tells systems apart, in order of first appearance."""
    systems, columns = rows.ids["system"], {role: column for role, column in rows.ids.items() if role != "system"}
    names = [one_line(str(id)) for id in systems.ids]
    found: dict[str, Rows] = {}
    for code, name in enumerate(names):
        if name in found:
            raise InputError(f"{rows.source}: two systems are called {name!r}; name all of them by text")
        own = replace(rows, ids=columns).taken(np.flatnonzero(systems.codes == code))
        found[name] = replace(
            own,
            source=f"{rows.source} ({name})",
            ids={role: replace(column, named=np.unique(column.codes)) for role, column in own.ids.items()},
            # What is to be said of the input as a whole is said once.
            notices=rows.notices if code == 0 else (),
        )
    return found


def _place_of(place: Callable[[int], str], at: npt.NDArray[Any], row: int) -> str:
    return place(int(at[row]))


def of_one_system(rows: Rows, instead: str) -> Rows:
    """Rows of lists, without the column that names their system; several systems are an error that says what to do `instead`."""
    if "system" not in rows.ids:
        return rows
    names = [quoted(id) for id in rows.ids["system"].ids]
    if len(names) > 1:
        known: Mapping[str, str] = next((notice.detail["columns"] for notice in rows.notices if notice.kind == "columns"), {})
        column = f"column {known['system']!r}" if "system" in known else "the system column"
        some = ", ".join(names[:3]) + ", ..." * (len(names) > 3)
        raise InputError(f"{rows.source}: {column} names {len(names)} systems ({some}), expected one; {instead}")
    return replace(rows, ids={role: column for role, column in rows.ids.items() if role != "system"})


def code_series(series: polars.Series) -> tuple[Codes, polars.Series]:
    """Codes in order of first appearance, and the distinct values of a series of text or Int64; -1 where it is null."""
    codes, firsts = kernels.code_ids(series.__arrow_c_stream__())
    return codes, series.gather(firsts)
