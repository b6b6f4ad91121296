"""World and metrics to Results, batch by batch: the only loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aspectrum import kernels
from aspectrum import metrics as _metrics  # noqa: F401  so that their names can be parsed
from aspectrum.arrays import Flags, Floats, Offsets
from aspectrum.conventions import Convention, UserChoice, convention_named
from aspectrum.documentation import SMALLEST
from aspectrum.errors import AspectrumError, InputError, MetricError
from aspectrum.ideal import reporting
from aspectrum.metric import Metric, UserMetric, parse
from aspectrum.results import Column, Results, UserScores
from aspectrum.states import State
from aspectrum.world import World

_PLACES_PER_BATCH = 2_000_000

Progress = Callable[[int, int], None]
"""Called with users done and users in all."""


def evaluate_world(
    world: World,
    metrics: Iterable[str | Metric] | str | Metric,
    *,
    users: UserChoice | Offsets | None = None,
    convention: str | Convention | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
) -> Results:
    """Evaluate the lists of a world.

    Args:
        metrics: Metrics, or their text forms.
        users: Who is averaged; an array of codes is an explicit choice. Default: as the convention says.
        convention: Whose way of computing; by default the published definitions.
        threads: How many threads may work; by default one per core. The bits do not depend on it.
        batch_size: Users evaluated at a time; by default about two million places. The bits do not depend on it.
        per_user: Whether to keep the scores of users.
        progress: Called after each batch, and while exact ideals are looked for.
        ideal_budget, ideal_seconds: The budget and seconds of metrics with an exact ideal that do not say their own.
    """
    chosen = convention_named(convention)
    asked_for = _as_metrics(metrics)
    spending = spending_on_ideals(asked_for, ideal_budget=ideal_budget, ideal_seconds=ideal_seconds)
    tasks = [_Task(asked, spent_on_ideal(chosen.applied(asked), spending).resolved(world)) for asked in asked_for]
    groups: dict[tuple[str, str | None], list[_Task]] = {}
    for task in tasks:
        choice: str = users if isinstance(users, str) else chosen.users_for(task.asked) if users is None else "given"
        truth = _truth_of(task.resolved) if choice in ("judged", "both") else None
        groups.setdefault((choice, truth), []).append(task)
    blocks = []
    with with_threads(threads):
        for (choice, truth), group in groups.items():
            part = world.take(_chosen_users(world, users if choice == "given" else choice, truth))
            size = _batch_size(part) if batch_size is None else batch_size
            done = 0
            for batch in part.batches(size):
                with reporting(_of_users(progress, done, batch.n_users, part.n_users)):
                    for task in group:
                        task.observe(batch, chosen.undefined_for(task.asked), per_user)
                batch.forget_coverage()
                done += batch.n_users
                if progress is not None:
                    progress(done, part.n_users)
            for task in group:
                task.how = _how(task.resolved, world, choice, chosen)
                if part.n_users == 0:
                    task.observe(part, chosen.undefined_for(task.asked), per_user)
            scored = [task for task in group if task.scores]
            if scored:
                names = tuple(name for task in scored for name in task.names)
                least = {name: scores for task in scored for name, scores in task.least_scores()}
                blocks.append(UserScores(part.users, names, np.hstack([np.concatenate(task.scores) for task in scored]), least))
    return Results({column.name: column for task in tasks for column in task.columns()}, tuple(blocks))


def is_enough(inputs: Iterable[str], metric: Metric, convention: str | Convention | None = None) -> bool:
    """Whether some inputs, beside the lists, are enough for a metric; found by trying."""
    world = World.of({"u": ["a", "b"]}, **{name: SMALLEST[name] for name in inputs if name in SMALLEST})
    try:
        evaluate_world(world, metric, convention=convention)
    except AspectrumError:
        return False
    return True


@dataclass
class _Task:
    """One metric on its way through the batches."""

    asked: Metric
    resolved: Metric
    states: list[State] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    least: list[Floats] = field(default_factory=list)
    how: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [str(self.asked.at(cutoff)) for cutoff in self.asked.cutoffs]

    def observe(self, batch: World, undefined: float, keep: bool) -> None:
        if isinstance(self.resolved, UserMetric):
            states, scores, least = self.resolved.summarise(batch, self.resolved.terms(batch), undefined)
            if keep:
                self.scores.append(scores)
            if keep and least is not None:
                self.least.append(least)
        else:
            states = self.resolved.observe(batch)
        self.states = states if not self.states else [a + b for a, b in zip(self.states, states, strict=True)]

    def least_scores(self) -> Iterator[tuple[str, Floats]]:
        if self.least:
            yield from zip(self.names, np.concatenate(self.least).T, strict=True)

    def columns(self) -> Iterator[Column]:
        for cutoff, state in zip(self.asked.cutoffs, self.states, strict=True):
            yield Column(self.asked.at(cutoff), state, self.how)


def spending_on_ideals(metrics: Iterable[Metric], **given: float | None) -> dict[str, float]:
    """What may be spent on an exact ideal, by parameter; there must be one to spend it on."""
    for name, value in given.items():
        if value is None:
            continue
        if not 0 <= value < math.inf:
            raise MetricError(f"{name} is {value}, expected a number from 0")
        if not any(_is_exact(metric) for metric in metrics):
            raise MetricError(f"{name} is for exact ideals, and no metric has one; expected such as AlphaNDCG(ideal=exact)@10")
    return {name.removeprefix("ideal_"): value for name, value in given.items() if value is not None}


def _is_exact(metric: Metric) -> bool:
    return getattr(metric, "ideal", None) == "exact"


def spent_on_ideal(metric: Metric, spending: Mapping[str, Any]) -> Metric:
    """The metric with what may be spent on an exact ideal, unless it says so itself."""
    if not _is_exact(metric):
        return metric
    return replace(metric, **{name: value for name, value in spending.items() if getattr(metric, name) is None})


def _of_users(progress: Progress | None, done: int, users: int, total: int) -> Progress | None:
    """Progress within a batch: of ideal lists, told as that of users. It never goes back."""
    if progress is None:
        return None
    told = done

    def tell(found: int, of: int) -> None:
        nonlocal told
        told = max(told, done + users * found // (of + 1))
        progress(told, total)

    return tell


def _as_metrics(metrics: Iterable[str | Metric] | str | Metric) -> list[Metric]:
    given = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    read = [parse(metric) if isinstance(metric, str) else metric for metric in given]
    for metric in read:
        if not isinstance(metric, Metric):
            raise MetricError(f"{metric!r} is not a metric; give its text form or an object such as AlphaNDCG(k=10)")
    seen: set[str] = set()
    for metric in read:
        for cutoff in metric.cutoffs:
            name = str(metric.at(cutoff))
            if name in seen:
                raise MetricError(f"{name} is asked for twice")
            seen.add(name)
    if not read:
        raise MetricError("no metric was asked for")
    return read


def _truth_of(metric: Metric) -> str | None:
    """What judges users for this metric, if it is judged at all."""
    truth = getattr(metric, "judged_by", metric.truth)
    return None if truth == "membership" else truth


def _chosen_users(world: World, choice: Any, truth: str | None) -> Offsets:
    if not isinstance(choice, str):
        return np.unique(np.asarray(choice, dtype=np.int64))
    flags: dict[str, Callable[[], Flags]] = {
        "lists": lambda: world.listed,
        "judged": lambda: world.judged(truth),
        "both": lambda: world.listed & world.judged(truth),
        "relevant": world.with_relevant_items,
        "all": lambda: np.ones(world.n_users, dtype=np.bool_),
    }
    if choice not in flags:
        raise MetricError(
            f"users is {choice!r}, expected {', '.join(map(repr, flags))} or a set of users; a file of users is asp.Source(path)"
        )
    return np.flatnonzero(flags[choice]())


def _batch_size(world: World) -> int:
    places = max(1, len(world.rankings.items))
    aspects = max(1, len(world.aspect_ids))  # weights may need room for every aspect of every user
    return max(256, min(65_536, _PLACES_PER_BATCH * world.n_users // places, 10 * _PLACES_PER_BATCH // aspects))


def _how(resolved: Metric, world: World, users: str, convention: Convention) -> dict[str, Any]:
    how = {"metric": type(resolved).__name__, **resolved.parameters, **resolved.details(world)}
    if world.weights is not None and "judged_by" in how and how.get("intents", "given") == "given":
        how["weights"] = "given"
    thresholded = how.get("judged_by") == "relevance" or users == "relevant" or convention.history_above_threshold
    if world.relevance is not None and thresholded:
        how["threshold"] = world.relevance.threshold
    return {**how, "users": users, "convention": convention.name}


@contextmanager
def with_threads(n: int | None) -> Iterator[None]:
    """At most so many threads within; None leaves it at one per core."""
    if n is None:
        yield
        return
    if n < 1:
        raise InputError(f"threads is {n}, expected at least 1")
    before = kernels.set_threads(n)
    try:
        yield
    finally:
        kernels.set_threads(before)
