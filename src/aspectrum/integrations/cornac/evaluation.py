"""Our results for Cornac's models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from cornac.eval_methods import CrossValidation

from aspectrum.errors import InputError, MetricError
from aspectrum.integrations.cornac.metrics import Metric, deepest
from aspectrum.integrations.cornac.recording import Recorder, check_method, check_models, check_set, folds, nobody_explained
from aspectrum.integrations.cornac.scoring import check_names, remarks, score_result, try_inputs
from aspectrum.metric import Metric as OurMetric
from aspectrum.results import SystemResults


def evaluate(
    models: Sequence[Any],
    eval_method: Any,
    metrics: Iterable[str | OurMetric | Metric] | str | OurMetric | Metric,
    *,
    on: Literal["test", "validation"] = "test",
    **inputs: Any,
) -> SystemResults:
    """Train and evaluate models as Cornac does, with our results: scores of users, how each number was computed, files.

    Args:
        models: Cornac's models, each with its own name.
        eval_method: As for :class:`Experiment`. In a cross-validation every fold is a system of its own.
        metrics: Our metrics, their text forms, or :class:`Metric`, which may have inputs of its own.
        on: The set whose ratings are to be found.
        inputs: What :class:`Metric` takes beside the metric: item_genre, item_feature, aspects, features, weights, items,
            convention.

    Examples:
        >>> import cornac
        >>> ratings = [(f"u{u}", f"i{(u * 7 + n) % 12}", 1 + (u + n) % 5) for u in range(20) for n in range(6)]
        >>> split = cornac.eval_methods.RatioSplit(ratings, test_size=0.3, seed=1)
        >>> genres = {f"i{i}": ["odd" if i % 2 else "even", f"g{i % 3}"] for i in range(12)}
        >>> results = evaluate([cornac.models.MostPop()], split, ["AlphaNDCG@3", "NDCG@3"], aspects=genres)
        >>> results.per_user.columns
        ['system', 'user', 'AlphaNDCG@3', 'NDCG@3']
    """
    if on not in ("test", "validation"):
        raise InputError(f"on is {on!r}, expected 'test' or 'validation'")
    several = [metrics] if isinstance(metrics, str | OurMetric | Metric) else list(metrics)
    asked = [metric if isinstance(metric, Metric) else Metric(metric, **inputs) for metric in several]
    if not asked:
        raise MetricError("no metric was asked for")
    if inputs and all(isinstance(metric, Metric) for metric in several):
        raise InputError(f"{', '.join(inputs)} would not be used: every metric has inputs of its own")
    check_method(eval_method, by_index=any(metric.by_index for metric in asked))
    check_models(models)
    check_names([name for metric in asked for name in metric.names])
    if on == "validation" and (eval_method.val_set is None or isinstance(eval_method, CrossValidation)):
        raise InputError(f"{type(eval_method).__name__} has no validation set, as in RatioSplit(..., val_size=0.1)")
    check_set(on, eval_method.test_set if on == "test" else eval_method.val_set, eval_method)
    try_inputs(eval_method, asked)
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two models are called {name!r}; give each its own name, as in MF(name=...)")
    recorder = Recorder(deepest(asked), folds(eval_method))
    systems, notices = {}, []
    for model in models:
        with nobody_explained(eval_method):
            results = eval_method.evaluate(model=model, metrics=[recorder], user_based=True, show_validation=on == "validation")
        parts = score_result(results[on == "validation"], model, recorder, asked, on)
        for fold, (_, _, scored) in enumerate(parts):
            name = f"{model.name}, fold {fold}" if isinstance(eval_method, CrossValidation) else model.name
            systems[name] = replace(scored, notices=())
        notices += remarks(parts)
    return SystemResults(systems, tuple(dict.fromkeys(notices)))
