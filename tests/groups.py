"""Random worlds with groups of items, and what groups are in plain Python."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.reo import REO
from aspectrum.metrics.rsp import RSP
from tests import toy
from tests.plain import Id, PlainWorld, cut, relevant_items, sortable
from tests.strategies import build, worlds

GROUP_WORLDS = st.tuples(worlds(references=True, n_aspects=[2, 3, 1, 65]), st.booleans()).map(
    lambda drawn: drawn[0] if drawn[1] else replace(drawn[0], groups=None)
)
"""Groups with shares, or aspects in their place."""

DISCOUNTS: st.SearchStrategy[Any] = st.sampled_from(["log", "none", "reciprocal", "geometric", "clipped"])

RATES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"candidates": st.sampled_from(["unseen", "all"])}),
    st.fixed_dictionaries(
        {
            "groups_by": st.just("popularity"),
            "candidates": st.sampled_from(["unseen", "all"]),
            "head": st.sampled_from([0.8, 0.5, 0.0, 1.0]),
            "reach": st.sampled_from(["at_least", "more"]),
            "unseen_in_tail": st.booleans(),
        }
    ),
)
"""Parameters of metrics that compare rates of groups."""

TOY: dict[str, Any] = {**toy.TRUTH, "groups": toy.GROUPS}


def factor(discount: str, patience: float = 0.85) -> Callable[[int], float]:
    """The weight of a rank."""
    ways: dict[str, Callable[[int], float]] = {
        "log": lambda rank: 1 / math.log2(rank + 1),
        "clipped": lambda rank: 1 / math.log2(max(rank, 2)),
        "reciprocal": lambda rank: 1 / rank,
        "geometric": lambda rank: patience ** (rank - 1),
        "none": lambda rank: 1.0,
    }
    return ways[discount]


def group_shares(world: PlainWorld, item: Id) -> dict[Id, float]:
    """How much an item belongs to each of its groups: as given, else alike. Shares that are all 1 say nothing."""
    groups = world.aspects if world.groups is None else world.groups
    has = dict(groups.get(item, {}))
    plain = all(share == 1.0 for own in groups.values() for share in own.values())
    return dict.fromkeys(has, 1 / len(has)) if plain and has else has


def all_groups(world: PlainWorld) -> set[Id]:
    return {group for item in grouped_items(world) for group in group_shares(world, item)}


def grouped_items(world: PlainWorld) -> list[Id]:
    return list(world.aspects if world.groups is None else world.groups)


def in_catalogue(world: PlainWorld, item: Id) -> bool:
    return world.catalogue is None or item in world.catalogue


def size(world: PlainWorld, group: Id) -> float:
    """How many items of the catalogue a group has, by how much they belong to it."""
    return math.fsum(group_shares(world, item).get(group, 0.0) for item in grouped_items(world) if in_catalogue(world, item))


def exposure(world: PlainWorld, items: Iterable[Id], discount: Callable[[int], float]) -> dict[Id, float]:
    """What each group gets of a list."""
    found = dict.fromkeys(all_groups(world), 0.0)
    for rank, item in enumerate(items, 1):
        for group, share in group_shares(world, item).items():
            found[group] += discount(rank) * share
    return found


def distribution(amounts: dict[Id, float]) -> dict[Id, float] | None:
    total = math.fsum(amounts.values())
    return {group: amount / total for group, amount in amounts.items()} if total > 0 else None


def target_of(world: PlainWorld, user: Id, target: str, k: int) -> dict[Id, float] | None:
    """What groups should have."""
    if target == "relevant":
        return distribution(exposure(world, relevant_items(world, user), lambda rank: 1.0))
    if target == "list":
        return distribution(exposure(world, cut(world.rankings.get(user, []), k), lambda rank: 1.0))
    sizes = {group: size(world, group) for group in all_groups(world)}
    return distribution({group: float(number > 0) if target == "uniform" else number for group, number in sizes.items()})


def head_and_tail(world: PlainWorld, share: float, reach: str, *, unseen_in_tail: bool) -> tuple[set[Id], set[Id]]:
    """The most popular items, which hold a share of all interactions together, and the others; of the catalogue."""
    counts = dict(world.popularity) if world.popularity is not None else dict(Counter(i for had in world.history.values() for i in had))
    needed, head, held = Fraction(str(share)) * sum(counts.values()), set[Id](), 0
    for item in sorted((item for item, count in counts.items() if count), key=lambda item: (-counts[item], sortable(item))):
        head.add(item)
        held += counts[item]
        if held > needed or (held == needed and reach == "at_least"):
            break
    tail = {item for item in world.known_items - head if unseen_in_tail or counts.get(item)}
    return {item for item in head if in_catalogue(world, item)}, {item for item in tail if in_catalogue(world, item)}


def members(world: PlainWorld, metric: RSP | REO) -> list[set[Id]]:
    """The items of each group, of the catalogue."""
    if metric.groups_by == "popularity":
        return list(head_and_tail(world, metric.head, metric.reach, unseen_in_tail=metric.unseen_in_tail))
    inside = [item for item in grouped_items(world) if in_catalogue(world, item)]
    return [{item for item in inside if group in group_shares(world, item)} for group in all_groups(world)]


def variation(found: Iterable[int], possible: Iterable[int]) -> float:
    """Standard deviation over mean of rates, those of groups for which there is something possible."""
    rates = [number / of for number, of in zip(found, possible, strict=True) if of]
    if len(rates) < 2 or not any(rates):
        return math.nan
    return statistics.pstdev(rates) / statistics.fmean(rates)


def value(metric: asp.Metric, world: PlainWorld) -> float:
    """Of a whole system."""
    return asp.evaluate(build(world), metric)[metric]


def toy_value(metric: str, lists: Any = None, **inputs: Any) -> float:
    return asp.evaluate(toy.LISTS if lists is None else lists, metric, **{**TOY, **inputs})[metric]


def toy_scores(metric: str, **inputs: Any) -> list[float]:
    one = asp.parse(metric)
    assert isinstance(one, asp.UserMetric)
    scores: list[float] = one.scores(asp.World.of(toy.LISTS, **{**TOY, **inputs}))[:3, 0].tolist()
    return scores
