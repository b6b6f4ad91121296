"""Lists of some users, whom all parts choose alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from aspectrum.arrays import Codes, Counts, Masks, Offsets, choose_segments
from aspectrum.coding.table import IdTable
from aspectrum.divergences import Distributions
from aspectrum.states.state import Belonging, Measure, State, check_built_on, codes_within


@dataclass(frozen=True, eq=False)
class SampledLists(State):
    """The lists of some users: those whose ids have the smallest hashes, so that parts agree on who they are.

    Args:
        measure: The metric that makes a number of the lists.
        table: The items.
        most: How many lists are kept at most.
        hashes: A hash of the user of each list.
        offsets, items: The lists, none of them empty.
        n_lists: How many lists there were that are not empty.
        missing: Users without a list.
    """

    measure: Measure
    table: IdTable
    most: int
    hashes: Counts
    offsets: Offsets
    items: Codes
    n_lists: int
    missing: int = 0

    def __post_init__(self) -> None:
        kept = np.argsort(self.hashes, kind="stable")[: self.most]
        offsets, index = choose_segments(self.offsets, kept)
        self.__dict__.update(hashes=self.hashes[kept], offsets=offsets, items=self.items[index])

    def __add__(self, other: SampledLists) -> SampledLists:
        table, items = self.table, other.items
        if not table.has_codes_of(other.table):
            table = table.copy()
            items = codes_within(other.table, table)[items]
        return SampledLists(
            self.measure,
            table,
            self.most,
            np.concatenate([self.hashes, other.hashes]),
            np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            np.concatenate([self.items, items]),
            self.n_lists + other.n_lists,
            self.missing + other.missing,
        )

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, SampledLists) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        ids = list(self.table.ids.take(self.items))
        lists = [frozenset(ids[start:stop]) for start, stop in pairwise(self.offsets.tolist())]
        return self.most, self.n_lists, self.missing, dict(zip(self.hashes.tolist(), lists, strict=True))

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        codes = codes_within(self.table, items)
        lists = {"hashes": self.hashes, "offsets": self.offsets, "items": codes[self.items]}
        return {**lists, "most": self.most, "n_lists": self.n_lists, "missing": self.missing}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> SampledLists:
        lists = (data["hashes"], data["offsets"], to.codes[data["items"]])
        return cls(to.measure, to.items, data["most"], *lists, data["n_lists"], data["missing"])

    @cached_property
    def value(self) -> float:  # of many pairs, which are looked at once
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"lists": self.n_lists, "lists_compared": len(self.hashes), "missing": self.missing}


SAMPLED = 2000
"""Users whose lists are compared with one another, at most."""


@dataclass(frozen=True, eq=False)
class SampledShares(State):
    """Distributions of users' lists to compare with one another: all of them or, of many users, those with the least hashes.

    The users with the least hashes of two parts are among those with the least of each, so that samples add up.

    Args:
        measure: The metric that makes a number of them.
        keys: Hashes of the users' ids, ascending.
        lists: A distribution over aspects for each; aspects are codes of the truth, which parts share.
        scored, undefined, missing: Users with a distribution, in the sample or not; those without; those who have no list.
        built_on: As of a mean.
    """

    measure: Measure
    keys: Masks
    lists: Distributions
    scored: int = 0
    undefined: int = 0
    missing: int = 0
    built_on: str | None = None

    @classmethod
    def of(
        cls, measure: Measure, users: Iterable[Any], lists: Distributions, undefined: int, missing: int, built_on: str | None
    ) -> SampledShares:
        """From the ids of users and a distribution for each."""
        keys = hashes(users)
        return cls(measure, *_least(keys, lists), len(keys), undefined, missing, built_on)

    def __add__(self, other: SampledShares) -> SampledShares:
        check_built_on(self.built_on, other.built_on)
        users = (self.scored + other.scored, self.undefined + other.undefined, self.missing + other.missing)
        return SampledShares(self.measure, *_least(np.append(self.keys, other.keys), self.lists + other.lists), *users, self.built_on)

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, SampledShares) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        lists = self.lists
        arrays = tuple(array.tolist() for array in (self.keys, lists.offsets, lists.codes, lists.shares))
        return (*arrays, self.scored, self.undefined, self.missing, self.built_on)

    def places(self, users: Iterable[Any]) -> Offsets:
        """Where in the sample each of some users is; -1 for others."""
        keys = hashes(users)
        at = np.searchsorted(self.keys, keys)
        return np.where(np.append(self.keys, np.uint64(0))[at] == keys, np.where(at < len(self.keys), at, -1), -1)

    def to_data(self, items: IdTable) -> Mapping[str, Any]:
        lists = self.lists
        arrays = {"offsets": lists.offsets, "codes": lists.codes, "shares": lists.shares}
        users = [self.scored, self.undefined, self.missing]
        return {"keys": self.keys.view(np.int64), **arrays, "users": users, "built_on": self.built_on}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], to: Belonging) -> SampledShares:
        lists = Distributions(data["offsets"], data["codes"], data["shares"])
        scored, undefined, missing = data["users"]
        keys = np.ascontiguousarray(data["keys"]).view(np.uint64)
        return cls(to.measure, keys, lists, scored, undefined, missing, data["built_on"])

    @property
    def value(self) -> float:
        return self._value

    @cached_property
    def _value(self) -> float:
        return self.measure.value_of(self)

    @property
    def counts(self) -> Mapping[str, int]:
        return {"scored": self.scored, "undefined": self.undefined, "missing": self.missing, "sampled": len(self.keys)}


def hashes(users: Iterable[Any]) -> Masks:
    """A number for each id, the same in every process; from its text, as text files do not tell 7 from '7' until all of them are read."""
    digests = (hashlib.blake2b(str(user).encode("utf-8", "surrogatepass"), digest_size=8).digest() for user in users)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _least(keys: Masks, lists: Distributions) -> tuple[Masks, Distributions]:
    """Those with the least keys, ascending."""
    chosen = np.argsort(keys, kind="stable")[:SAMPLED]
    return keys[chosen], lists.take(chosen)
