"""From the lists of a model to the numbers of our metrics."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from cornac.experiment.result import CVResult

from aspectrum.diagnostics.notices import Notice, merged
from aspectrum.errors import MetricError
from aspectrum.integrations.cornac.metrics import Metric
from aspectrum.integrations.cornac.recording import Lists, Recorder, Split, splits_before
from aspectrum.metric import Metric as OurMetric
from aspectrum.plan import Plan
from aspectrum.results import Column, Results
from aspectrum.user_scores import UserScores


def score(lists: Lists, metrics: Iterable[Metric]) -> Results:
    """Every metric of one model's lists; metrics with the same inputs are evaluated together."""
    asked = list(metrics)
    together: dict[Any, list[Metric]] = {}
    for metric in asked:
        together.setdefault(metric.key, []).append(metric)
    columns: dict[str, Column] = {}
    blocks: list[UserScores] = []
    notices: list[Notice] = []
    for group in together.values():
        results = _evaluate(lists, group)
        called: dict[str, list[str]] = {}
        for metric in group:
            for cutoff, name in zip(metric.metric.cutoffs, metric.names, strict=True):
                called.setdefault(str(metric.metric.at(cutoff)), []).append(name)
        columns |= {name: results.columns[own] for own, names in called.items() for name in names}
        blocks += [_renamed(block, called) for block in results.blocks]
        notices += results.notices
    doubts = [_remark(doubt) for metric in asked for doubt in metric.doubts(lists.split)]  # last, as by now the inputs are sound
    ordered = {name: columns[name] for metric in asked for name in metric.names}
    return Results(ordered, tuple(blocks), tuple(dict.fromkeys([*doubts, *notices])))


def _evaluate(lists: Lists, group: Sequence[Metric]) -> Results:
    """Cornac's indices are codes; whatever goes by other ids is coded beside them."""
    cutoffs: dict[OurMetric, set[int]] = {}
    for metric in group:  # several columns may be the same number under different names
        cutoffs.setdefault(metric.metric.at(1), set()).update(metric.metric.cutoffs)
    metrics = [replace(metric, k=tuple(several)) for metric, several in cutoffs.items()]
    inputs, convention = group[0].inputs_for(lists.split), group[0].convention
    plan = Plan(metrics, convention.truth(**lists.truth, **inputs, threshold=lists.split.threshold), convention=convention)
    coded = plan.lists(lists.rankings)
    return plan.finish(plan.observe(coded), notices=plan.notices_on({"rankings": coded.input}, from_files=False))


def _renamed(block: UserScores, called: Mapping[str, Sequence[str]]) -> UserScores:
    """Scores under the names of their columns."""
    places = [(name, place) for place, own in enumerate(block.names) for name in called[own]]
    least = {name: scores for own, scores in block.least.items() for name in called[own]}
    scores = block.scores[:, [place for _, place in places]]
    return replace(block, names=tuple(name for name, _ in places), scores=scores, least=least)


def try_inputs(method: Any, metrics: Iterable[Metric]) -> None:
    """Whether the inputs fit the data, before anything is trained."""
    asked = list(metrics)
    for split in splits_before(method):
        score(Lists("lists", split, np.empty(0, dtype=np.int64), []), asked)
        for metric in asked:
            metric.check_items(split)


def check_names(ours: Iterable[str], others: Iterable[str] = ()) -> None:
    """Every column of ours has a name that no other column has."""
    seen = set(others)
    for name in ours:
        if name in seen:
            raise MetricError(f"two columns are called {name}; give one of them another name, as in NDCGScore(k=10, name='Graded')")
        seen.add(name)


Scored = tuple[Any, Lists, Results]
"""One of Cornac's results, or one of its folds; the lists behind it; our numbers for it."""


def score_result(result: Any, model: Any, recorder: Recorder, metrics: Sequence[Metric], which: str) -> list[Scored]:
    """Our numbers for one of Cornac's results, which then no longer holds what the recorder returned for users."""
    parts = result if isinstance(result, CVResult) else [result]
    taken = [(part, recorder.take(model, part.metric_user_results.pop(recorder.name), which)) for part in parts]
    return [(part, lists, score(lists, metrics)) for part, lists in taken]


def remarks(several: Sequence[Scored]) -> list[Notice]:
    """What a reader of the numbers should know; where it does not hold for all folds, with the fold."""
    return list(merged({f"fold {fold}": _remarks(results, lists) for fold, (_, lists, results) in enumerate(several)}))


def rewrite(result: Any, recorder: str, scored: Results, split: Split) -> None:
    """Put our numbers into one of Cornac's results, where the recorder had its column."""
    averages = OrderedDict()
    for name, value in result.metric_avg_results.items():
        averages.update({own: column.value for own, column in scored.columns.items()} if name == recorder else {name: value})
    result.metric_avg_results = averages
    # Scores by Cornac's index of the user, as Cornac keeps them; none where a metric is one of the whole model
    result.metric_user_results.update({name: {} for name in scored.columns})
    index_of = {user: index for index, user in enumerate(split.users)}
    for block in scored.blocks:
        users = [index_of[user] for user in block.users]
        for name, scores in zip(block.names, block.scores.T.tolist(), strict=True):
            result.metric_user_results[name] = dict(zip(users, scores, strict=True))
    result.aspectrum = scored


def _remarks(scored: Results, lists: Lists) -> list[Notice]:
    model = lists.model
    lines = []
    if lists.n_unscored:
        lines.append(f"{model}: items of {lists.n_unscored} users have a score that is no number; they come last")
    if lists.reach is not None:
        lines.append(f"{model}: ranks by itself, and Cornac asked for the first {lists.reach} only; further down the order may be any")
    together: dict[tuple[int, int], list[str]] = {}
    for name, column in scored.columns.items():
        n = int(column.details.get("undefined", 0))
        if n or math.isnan(column.value):
            together.setdefault((n, int(column.details.get("scored", 0))), []).append(name)
    for (n, n_scored), names in together.items():
        whom = f" for {n} of {n + n_scored} users, who are not in the mean" if n else ""
        lines.append(f"{model}: {', '.join(names)} undefined{whom}")
    return [*scored.notices, *map(_remark, lines)]


def _remark(text: str) -> Notice:
    return Notice("remark", detail={"text": text})
