"""Scores of the users of several systems, side by side: who is compared, and on what.

Users are in the order of their ids (numbers by value, then text by its UTF-8 bytes), so that the order of the input cannot show.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from aspectrum.arrays import Flags, Floats, Offsets
from aspectrum.coding import Ids
from aspectrum.coding.ids import quoted
from aspectrum.comparison.paired import linearised, means
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.metric import Metric, UserMetric
from aspectrum.results import Column, Results
from aspectrum.user_scores import WEIGHT

Kind = Literal["mean", "ratio", "whole"]
"""What a number is: the mean of scores, a ratio of sums, or a metric of a whole system."""


@dataclass(frozen=True, eq=False)
class MetricScores:
    """One metric of all systems: a column per system.

    Args:
        name: As results call it.
        metric: What it is.
        values: The numbers of the systems.
        columns: How each was computed.
        scores: (users, systems): scores, or contributions to a metric of a whole system; NaN is undefined. None if there are none.
        absent: Where a user is not averaged by a system.
        weights: What scores weigh, if the number is a ratio of sums.
        least: What scores that may not be proved are at least.
        untested: Why nothing can be tested, if there are no scores.
    """

    name: str
    metric: Metric
    values: tuple[float, ...]
    columns: tuple[Column, ...]
    scores: Floats | None
    absent: Flags | None = None
    weights: Floats | None = None
    least: Floats | None = None
    untested: str = "no per-user scores"

    @property
    def kind(self) -> Kind:
        if not isinstance(self.metric, UserMetric):
            return "whole"
        return "mean" if self.weights is None else "ratio"

    @property
    def higher_is_better(self) -> bool | None:
        return self.columns[0].higher_is_better

    @cached_property
    def defined(self) -> Flags:
        """Where a user counts, (users, systems)."""
        assert self.scores is not None
        defined: Flags = np.isfinite(self.scores)
        if self.weights is not None:
            defined &= self.weights > 0
        return defined

    @cached_property
    def present(self) -> Flags:
        """Users whom every system averages."""
        assert self.absent is not None
        return np.asarray(~self.absent.any(axis=1), dtype=np.bool_)

    @cached_property
    def tie(self) -> float:
        """Up to which values are rounding, as they are far below the largest score."""
        assert self.scores is not None
        return 2.0**-40 * float(np.abs(self.scores[self.defined]).max(initial=0.0))

    def cleared(self, differences: Floats) -> Floats:
        """Differences of scores with 0 for those that are rounding."""
        return np.where(np.abs(differences) <= self.tie, 0.0, differences)

    def vary(self, differences: Floats) -> bool:
        """Whether differences differ by more than rounding."""
        return bool(np.ptp(differences) > self.tie) if len(differences) else False

    def value_of(self, place: int) -> float:
        """The number of a system over the users who count for it; NaN if there are none."""
        users = np.flatnonzero(self.defined[:, place])
        return float(means(self.contributions(users, [place]))[0]) if len(users) else math.nan

    def contributions(self, users: Offsets, systems: Sequence[int], least: bool = False) -> Floats:
        """What each of some users contributes to the number of each system over these users, (users, systems)."""
        scores = self.least if least else self.scores
        assert scores is not None
        chosen: Floats = scores[users][:, list(systems)]
        if self.weights is None or not len(users):
            return chosen
        weights = self.weights[users][:, list(systems)]
        return np.column_stack([linearised(chosen[:, c] * weights[:, c], weights[:, c])[1] for c in range(len(systems))])


class Scores:
    """The scores of all systems. Metrics are put side by side one at a time, to save memory.

    Args:
        systems: Results by name.
        names: The metrics, by the names that results have for them.
        common: Whether only users who are averaged by all systems count; otherwise other users are an error.
    """

    def __init__(self, systems: Mapping[str, Results], names: Sequence[str], *, common: bool = False) -> None:
        self.systems, self.names, self._common = dict(systems), tuple(names), common
        rules = {name: result.evidence.ties for name, result in systems.items() if result.evidence is not None and result.evidence.ties}
        for name, rule in rules.items():
            first = next(iter(rules))
            if rule != rules[first]:
                one, other = (
                    f"averaged over all orders for {own}" if way == "expected" else f"in {way} order for {own}"
                    for own, way in ((first, rules[first]), (name, rule))
                )
                raise InputError(f"ties in lists are {one}, and {other}; evaluate them alike")
        self._blocks = [_blocks(result) for result in systems.values()]
        self._order()

    def _order(self) -> None:
        distinct: list[Ids] = []
        places: dict[int, int] = {}
        for blocks in self._blocks:
            for users, *_ in blocks.values():
                if id(users) not in places:
                    places[id(users)] = next((place for place, known in enumerate(distinct) if known == users), len(distinct))
                    if places[id(users)] == len(distinct):
                        distinct.append(users)
        if len(distinct) == 1:
            order = _sorted_places(distinct[0])
            self.users, rows = distinct[0].take(order), [_inverse(order)]
        else:
            ids = sorted({user for users in distinct for user in users}, key=_key)
            self.users = Ids(ids)
            rows = [np.fromiter((self.users.code(user) for user in users), np.int64, len(users)) for users in distinct]
        self._rows = {key: rows[place] for key, place in places.items()}

    @property
    def n_users(self) -> int:
        return len(self.users)

    @cached_property
    def n_compared(self) -> int:
        """How many users are compared: all, or those whom every system averages."""
        if not self._common:
            return self.n_users
        times = np.zeros(self.n_users, dtype=np.int64)
        for blocks in self._blocks:
            mine = np.zeros(self.n_users, dtype=np.bool_)
            for users, *_ in blocks.values():
                mine[self._rows[id(users)]] = True
            times += mine
        return int((times == len(self.systems)).sum())

    def __iter__(self) -> Iterator[MetricScores]:
        return (self.metric(name) for name in self.names)

    def metric(self, name: str) -> MetricScores:
        """One metric of all systems."""
        columns = tuple(result.columns[name] for result in self.systems.values())
        _check_alike(name, dict(zip(self.systems, columns, strict=True)))
        found = [blocks.get(name) for blocks in self._blocks]
        values, metric = tuple(column.value for column in columns), columns[0].metric
        if any(one is None for one in found):
            why = "no per-user scores" if isinstance(metric, UserMetric) else "what users contribute is not known"
            return MetricScores(name, metric, values, columns, None, untested=why)
        if isinstance(metric, UserMetric) and metric.pooled:
            for system, one in zip(self.systems, found, strict=True):
                if one is not None and one[3] is None:
                    raise InputError(
                        f"{name} of {system} is a ratio of sums, and its file lacks the column {name + WEIGHT!r}; save it again"
                    )
        placed = [self._placed(*one) for one in found if one is not None]
        scores, absent = np.column_stack([one[0] for one in placed]), np.column_stack([one[1] for one in placed])
        least = (
            np.column_stack([one[0] if one[2] is None else one[2] for one in placed]) if any(one[2] is not None for one in placed) else None
        )
        weights = np.column_stack([one[3] for one in placed]) if all(one[3] is not None for one in placed) else None
        made = self._paired(MetricScores(name, metric, values, columns, scores, absent, weights, least))
        if (
            made.kind == "whole"
            and made.scores is not None
            and made.absent is not None
            and not np.isfinite(made.scores[~made.absent]).all()
        ):
            return replace(made, scores=None, untested="what single users contribute is not defined")
        return made

    def _placed(self, users: Ids, scores: Floats, *further: Floats | None) -> tuple[Any, ...]:
        """Scores of all users, NaN where there are none; who is absent; and further values of theirs."""
        rows, n = self._rows[id(users)], self.n_users

        def whole(values: Floats) -> Floats:
            placed = np.full(n, np.nan)
            placed[rows] = values
            return placed

        absent = np.ones(n, dtype=np.bool_)
        absent[rows] = False
        return whole(scores), absent, *(None if values is None else whole(values) for values in further)

    def _paired(self, found: MetricScores) -> MetricScores:
        """The same users for every system, or an error that names some who differ."""
        assert found.absent is not None
        missing = ~found.present
        some = missing & ~found.absent.all(axis=1)
        if not some.any():
            return found
        if not self._common:
            names, counts = list(self.systems), found.absent[some].sum(axis=0)
            place = int(np.flatnonzero(some)[0])
            without = [name for name, absent in zip(names, found.absent[place], strict=True) if absent]
            told = ", ".join(f"{count:,} users are not in {name}" for name, count in zip(names, counts.tolist(), strict=True) if count)
            raise InputError(
                f"{found.name}: the systems are averaged over different users ({told}; such as {quoted(self.users[place])}, who is not in "
                f"{without[0]}); compare those of all systems with ",
                Option("users", "common"),
                ", or evaluate with ",
                Option("users", "judged"),
                ", where a missing list scores 0",
            )
        if found.kind == "whole":
            why = "a number of all lists, of different users; evaluate those of all systems"
            return replace(found, scores=None, untested=why)
        assert found.scores is not None
        kept = replace(found, scores=np.where(missing[:, np.newaxis], np.nan, found.scores))
        return replace(kept, values=tuple(kept.value_of(place) for place in range(len(self.systems))))


def _blocks(result: Results) -> dict[str, tuple[Ids, Floats, Floats | None, Floats | None]]:
    """By metric: users, scores, least scores, weights."""
    return {
        name: (block.users, block.scores[:, place], block.least.get(name), block.weights.get(name))
        for block in (*result.blocks, *result.contributions)
        for place, name in enumerate(block.names)
    }


_MAY_DIFFER = ("budget", "seconds")
"""How numbers were computed that can be compared all the same."""


def _check_alike(name: str, columns: Mapping[str, Column]) -> None:
    """Numbers can be compared only if they were computed in the same way."""
    (first, one), *others = columns.items()
    for system, other in others:
        if one.metric != other.metric:
            raise InputError(f"{name} is {one.metric} in {first}, and {other.metric} in {system}")
        mine, theirs = (_facts(column) for column in (one, other))
        for key in mine:
            if mine[key] != theirs.get(key, mine[key]):
                raise InputError(
                    f"{name} was computed in two ways: {key} is {mine[key]} in {first}, and {theirs[key]} in {system}; evaluate them alike",
                    *((", with ", Option("catalogue")) if key == "catalogue_items" else ()),
                )


def _facts(column: Column) -> dict[str, str]:
    how = {key: _plain(value) for key, value in column.how.items() if key not in _MAY_DIFFER}
    n_items = column.state.counts.get("catalogue_items")
    return how if n_items is None else {**how, "catalogue_items": str(n_items)}


def _plain(value: Any) -> str:
    """The same text for the same value, also from a file: 2 and 2.0 are one threshold."""
    return f"{value:.17g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _key(id: Hashable) -> tuple[int, Any]:
    if isinstance(id, int | float):
        return 0, id
    return (
        (1, id.encode(errors="surrogatepass")) if isinstance(id, str) else (2, f"{type(id).__name__} {id!r}".encode(errors="surrogatepass"))
    )


def _sorted_places(users: Ids) -> Offsets:
    """Places of ids in their order."""
    if hasattr(users.values, "dtype") or isinstance(users.values, range):
        return _inverse(users.heads.astype(np.int64))
    ids = list(users)
    return np.array(sorted(range(len(ids)), key=lambda place: _key(ids[place])), dtype=np.int64)


def _inverse(order: Offsets) -> Offsets:
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.arange(len(order))
    return inverse
