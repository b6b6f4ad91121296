"""Cornac's experiment with metrics that know the user, and our results for Cornac's models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import cornac
from cornac.eval_methods import CrossValidation
from cornac.experiment.result import CVExperimentResult, CVResult, ExperimentResult
from cornac.hyperopt import BaseSearch
from cornac.metrics import RankingMetric

from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import Notice
from aspectrum.errors import InputError, MetricError
from aspectrum.integrations.cornac.metrics import Metric, check_metrics, deepest
from aspectrum.integrations.cornac.recording import Recorder, check_method, check_models, check_set, folds, nobody_explained
from aspectrum.integrations.cornac.scoring import check_names, remarks, rewrite, score_result, try_inputs
from aspectrum.integrations.cornac.search import Search
from aspectrum.metric import Metric as OurMetric
from aspectrum.results import Results, SystemResults


class Experiment(cornac.Experiment):
    """An experiment of Cornac, next to whose metrics ours can stand. Everything else is Cornac's.

    Cornac hands a metric neither the user nor the history. So our metrics keep the lists while Cornac evaluates a model, are
    computed when that is done, and stand in Cornac's results before it prints its table: means in ``metric_avg_results``,
    scores of users in ``metric_user_results``, and in ``aspectrum`` (of each result) how each number was computed.

    Cutoffs do not influence one another: our lists are made from the scores of the model, equal scores by Cornac's index. Only
    a model that has its own way to rank is taken at its word.

    Args:
        eval_method: RatioSplit, StratifiedSplit, TimestampSplit, CrossValidation or ``BaseMethod.from_splits(...)``.
        models: Cornac's models; a search that looks for one of our metrics is this package's.
        metrics: Cornac's metrics and ours.
        strict: Warnings about the inputs are errors.
        ignore: Kinds of warnings not to give.
        options: As for ``cornac.Experiment``: user_based, show_validation, verbose, save_dir.

    Examples:
        >>> import cornac
        >>> from aspectrum.integrations.cornac import AlphaNDCG, Experiment
        >>> ratings = [(f"u{u}", f"i{(u * 7 + n) % 12}", 1 + (u + n) % 5) for u in range(20) for n in range(6)]
        >>> split = cornac.eval_methods.RatioSplit(ratings, test_size=0.3, seed=1)
        >>> genres = {f"i{i}": ["odd" if i % 2 else "even", f"g{i % 3}"] for i in range(12)}
        >>> experiment = Experiment(split, [cornac.models.MostPop()], [cornac.metrics.NDCG(k=3), AlphaNDCG(aspects=genres, k=3)])

        ``experiment.run()`` then trains, evaluates and prints.
    """

    metrics: Sequence[Any]
    result: Any
    val_result: Any
    _finish: Callable[..., list[str]] | None = None  # while it runs

    def __init__(
        self,
        eval_method: Any,
        models: Sequence[Any],
        metrics: Sequence[Any],
        *args: Any,
        strict: bool = False,
        ignore: str | Iterable[str] = (),
        **options: Any,
    ) -> None:
        self._attention = partial(Attention, strict, ignore)
        self._attention()  # an unknown kind is an error now, not later
        check_models(models)
        check_metrics(metrics)
        ours = [metric for metric in metrics if isinstance(metric, Metric)]
        check_method(eval_method, by_index=any(metric.by_index for metric in ours))
        for model in models:
            if isinstance(model, BaseSearch) and isinstance(model.metric, Metric) and not isinstance(model, Search):
                raise InputError(
                    f"{model.name} looks for {model.metric.name}: use GridSearch or RandomSearch from aspectrum.integrations.cornac"
                )
        theirs = [name for metric in metrics if not isinstance(metric, Metric) for name in _columns(metric)]
        check_names([name for metric in ours for name in metric.names], [*theirs, "Train (s)", "Test (s)", "Time (s)"])
        super().__init__(eval_method, models, metrics, *args, **options)
        check_set("test", eval_method.test_set, eval_method)
        if self.show_validation:
            check_set("validation", eval_method.val_set, eval_method)
        try_inputs(eval_method, ours)

    def run(self) -> None:
        """Run the experiment, print Cornac's table and write its log."""
        metrics: Sequence[Any] = self.metrics
        ours = [metric for metric in metrics if isinstance(metric, Metric)]
        if not ours:
            super().run()
            return
        theirs = [metric for metric in metrics if not isinstance(metric, Metric)]
        cutoffs = [k for metric in theirs if isinstance(metric, RankingMetric) for k in _cutoffs(metric)]
        recorder = Recorder(deepest(ours), folds(self.eval_method), cutoffs)
        self._finish = partial(_finish, self.models, ours, recorder, self._attention())
        self.metrics = [*theirs, recorder]
        try:
            with nobody_explained(self.eval_method):
                super().run()
        finally:
            self.metrics = metrics
            for results in (self.result, self.val_result):
                if isinstance(results, _Finished):
                    results.finish = None
            self._finish = None

    def _create_result(self) -> None:
        super()._create_result()
        if self._finish is not None:
            kind = _FinishedFolds if isinstance(self.result, CVExperimentResult) else _Finished
            self.result = kind(partial(self._finish, "test"))
            if isinstance(self.eval_method, CrossValidation) and any(isinstance(model, BaseSearch) for model in self.models):
                self.result.remarks.append("in a cross-validation, Cornac hands the test fold to a search as its validation set")
            if self.val_result is not None:
                self.val_result = _Finished(partial(self._finish, "validation"))


def evaluate(
    models: Sequence[Any],
    eval_method: Any,
    metrics: Iterable[str | OurMetric | Metric] | str | OurMetric | Metric,
    *,
    on: Literal["test", "validation"] = "test",
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    **inputs: Any,
) -> SystemResults:
    """Train and evaluate models as Cornac does, with our results: scores of users, how each number was computed, files.

    Args:
        models: Cornac's models, each with its own name.
        eval_method: As for :class:`Experiment`. In a cross-validation every fold is a system of its own.
        metrics: Our metrics, their text forms, or :class:`Metric`, which may have inputs of its own.
        on: The set whose ratings are to be found.
        strict: Warnings about the inputs are errors.
        ignore: Kinds of warnings not to give.
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
    attention = Attention(strict, ignore)
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
    systems: dict[str, Results] = {}
    notices: list[Notice] = []
    for model in models:
        with nobody_explained(eval_method):
            results = eval_method.evaluate(model=model, metrics=[recorder], user_based=True, show_validation=on == "validation")
        parts = score_result(results[on == "validation"], model, recorder, asked, on)
        for fold, (_, _, scored) in enumerate(parts):
            name = f"{model.name}, fold {fold}" if isinstance(eval_method, CrossValidation) else model.name
            systems[name] = replace(scored, notices=())
        notices += attention.draw(remarks(parts))
    return SystemResults(systems, tuple(dict.fromkeys(notices)))


def _finish(
    models: Sequence[Any], metrics: Sequence[Metric], recorder: Recorder, attention: Attention, which: str, place: int, result: Any
) -> list[str]:
    """Turn the calls that the result of the model at a place holds into numbers of our metrics; what should be known of it."""
    several = score_result(result, models[place], recorder, metrics, which)
    for part, lists, results in several:
        rewrite(part, recorder.name, results, lists.split)
    if isinstance(result, CVResult):
        result.metric_mean.clear()
        result.metric_std.clear()
        result.organize()
    return [one.with_kind() if one.level == "warning" else str(one) for one in attention.draw(remarks(several))]


class _Finished(ExperimentResult):
    """Results of Cornac, each finished when it comes in; what should be known of them stands below their table."""

    finish: Callable[[int, Any], list[str]] | None = None

    def __init__(self, finish: Callable[[int, Any], list[str]]) -> None:
        super().__init__()
        self.finish = finish
        self.remarks: list[str] = []

    def append(self, result: Any) -> None:
        if self.finish is not None:
            self.remarks += [line for line in self.finish(len(self), result) if line not in self.remarks]
        super().append(result)

    def __str__(self) -> str:
        return str(super().__str__()) + "".join(f"{line}\n" for line in self.remarks)


class _FinishedFolds(_Finished, CVExperimentResult):
    """The same for cross-validation."""


def _columns(metric: Any) -> list[str]:
    if isinstance(metric, RankingMetric) and hasattr(metric.k, "__len__"):
        return [type(metric)(k=k).name for k in _cutoffs(metric)]
    return [metric.name]


def _cutoffs(metric: Any) -> list[int]:
    return sorted(set(metric.k)) if hasattr(metric.k, "__len__") else [metric.k]
