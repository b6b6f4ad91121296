"""Results made from given scores, so that comparisons can be tested without lists."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import aspectrum as asp
from aspectrum import leave_one_out
from aspectrum.arrays import Codes, Counts, Floats, Offsets
from aspectrum.coding import Ids
from aspectrum.comparison.scores import MetricScores, Scores
from aspectrum.metric import Family, Metric, UserMetric
from aspectrum.results import Column
from aspectrum.states import Saved
from aspectrum.user_scores import UserScores

METRIC = "NDCG@10"
WHOLE = "GiniComplement@10"

UserScore = Mapping[Any, float]


@dataclass(frozen=True)
class Effort(UserMetric):
    """A metric of which lower is better; it is not registered."""

    abstract: ClassVar[bool] = True
    family: ClassVar[Family] = "relevance"
    higher_is_better: ClassVar[bool | None] = False


@dataclass(frozen=True, eq=False)
class Kept:
    """What users contribute to metrics of a whole system."""

    blocks: Sequence[UserScores]
    knows_users: bool = False
    ties: str | None = None

    def contributions(self, columns: Mapping[str, Column]) -> Sequence[UserScores]:
        return self.blocks

    def trait(self, trait: str) -> Any:
        raise NotImplementedError


def users(n: int) -> list[str]:
    """Ids whose order is that of their numbers."""
    return [f"u{number:04}" for number in range(n)]


def by_user(scores: Sequence[float] | Floats) -> dict[Hashable, float]:
    return dict(zip(users(len(scores)), map(float, scores), strict=True))


def result(
    scores: Mapping[str, UserScore],
    *,
    weights: Mapping[str, UserScore] | None = None,
    least: Mapping[str, UserScore] | None = None,
    whole: Mapping[str, UserScore] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    how: Mapping[str, Any] | None = None,
    counts: Mapping[str, int] | None = None,
) -> asp.Results:
    """Results of one system.

    Args:
        scores: By metric, by user; NaN is undefined.
        weights: What scores weigh, for ratios of sums.
        least: What scores are at least.
        whole: Contributions to metrics of a whole system.
        metrics: What the metrics are, where their names do not say it.
        how: How all numbers were computed.
        counts: What else the states counted.
    """
    columns: dict[str, Column] = {}
    blocks: list[UserScores] = []
    further: list[UserScores] = []
    for name, own in [*scores.items(), *(whole or {}).items()]:
        ids = Ids(list(own))
        values = np.array(list(own.values()), dtype=np.float64)
        weight = np.array([(weights or {})[name][user] for user in own]) if name in (weights or {}) else np.ones(len(values))
        counted = ~np.isnan(values) & (weight > 0)
        value = math.fsum((values * weight)[counted]) / math.fsum(weight[counted]) if counted.any() else math.nan
        columns[name] = Column(
            (metrics or {}).get(name) or asp.parse(name), Saved(value, {"scored": int(counted.sum())} | dict(counts or {})), how or {}
        )
        lower = {name: np.array([(least or {})[name][user] for user in own])} if name in (least or {}) else {}
        block = UserScores(ids, (name,), values[:, np.newaxis], lower, {name: weight} if name in (weights or {}) else {})
        (blocks if name in scores else further).append(block)
    return asp.Results(columns, tuple(blocks), evidence=Kept(further) if further else None)


def results(systems: Mapping[str, UserScore], metric: str = METRIC, **options: Any) -> asp.SystemResults:
    """Results of several systems on one metric, from {system: {user: score}}."""
    return asp.SystemResults({name: result({metric: scores}, **options) for name, scores in systems.items()})


def pair(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> asp.SystemResults:
    """Systems A, the baseline, and B."""
    return results({"A": by_user(a), "B": by_user(b)})


def scores_of(systems: Mapping[str, UserScore], metric: str = METRIC, *, common: bool = False, **options: Any) -> MetricScores:
    """The scores of one metric side by side."""
    return Scores(results(systems, metric, **options).systems, [metric], common=common).metric(metric)


def skewed(seed: int, n: int, systems: int) -> Floats:
    """Scores like those of rankings, (users, systems): many zeros and ties, skewed, and of the same users."""
    choose = np.random.default_rng(seed)
    users = choose.beta(0.5, 2, n)[:, np.newaxis]
    found = np.where(choose.random((n, systems)) < 0.4, 0.0, np.round(users + choose.normal(0, 0.1, (n, systems)), 2))
    return np.clip(found, 0, 1)


def coverage_without(counts: Counts, offsets: Offsets, items: Codes) -> Floats:
    """The share of all items that is shown, without each user."""
    return leave_one_out.shown_without(counts, offsets, items) / len(counts)
