"""Cornac's searches for the best parameters, by metrics that know the user."""

from __future__ import annotations

from typing import Any

import numpy as np
from cornac import hyperopt
from cornac.eval_methods import ranking_eval
from cornac.models import NextItemRecommender, Recommender

from aspectrum.errors import InputError, MetricError
from aspectrum.integrations.cornac.metrics import Metric, check_metrics, deepest
from aspectrum.integrations.cornac.recording import Recorder, Split, check_method, check_set
from aspectrum.integrations.cornac.scoring import score, try_inputs


class Search(hyperopt.BaseSearch):
    """What a search does differently when it looks for one of our metrics.

    Cornac's own takes the mean of what its metric returns, and keeps nothing that would tell the user.
    """

    def __init__(self, model: Any, space: Any, metric: Any, eval_method: Any, *args: Any, **options: Any) -> None:
        check_metrics([metric])
        if isinstance(metric, Metric):
            check_method(eval_method, by_index=metric.by_index)
            try_inputs(eval_method, [metric])
            if len(metric.names) > 1:
                raise MetricError(f"a search goes by one number, and there are {len(metric.names)}: {metric.name}")
            if isinstance(model, NextItemRecommender):
                raise InputError(f"{model.name} recommends the next item, not a list for each user: {metric.name} has no meaning there")
        super().__init__(model, space, metric, eval_method, *args, **options)

    def fit(self, train_set: Any, val_set: Any = None) -> Any:
        """Search, by the validation set."""
        if not isinstance(self.metric, Metric):
            return super().fit(train_set, val_set)
        if val_set is None:
            raise InputError(f"{self.name} needs a validation set, as in RatioSplit(..., val_size=0.1)")
        check_set("validation", val_set, self.eval_method)
        Recommender.fit(self, train_set, val_set)
        self.best_model, self.best_params, self.best_score = None, None, np.nan
        split = Split.of(train_set, val_set, self.eval_method.rating_threshold, self.eval_method.exclude_unknowns)
        for params in self._build_param_set():
            if self.verbose:
                print(f"Evaluating: {params}")
            model = self.model.clone(params).fit(train_set, val_set)
            recorder = Recorder(deepest([self.metric]), lambda: {"validation": split})
            _, (calls,) = ranking_eval(
                model, [recorder], train_set, val_set, rating_threshold=split.threshold, exclude_unknowns=self.eval_method.exclude_unknowns
            )
            found = score(recorder.take(model, calls, "validation"), [self.metric])[self.metric.name]
            is_better = found > self.best_score if self.metric.higher_better else found < self.best_score
            if self.best_model is None or np.isnan(self.best_score) or is_better:
                self.best_model, self.best_params, self.best_score = model, params, found
        if self.best_model is None:
            raise InputError(f"{self.name} has no setting to try")
        if np.isnan(self.best_score):
            raise InputError(f"{self.name}: {self.metric.name} is undefined for every setting, so none is the best")
        if self.verbose:
            print(f"Best parameter settings: {self.best_params}")
            print(f"{self.metric.name} = {self.best_score:.4f}")
        return self


class GridSearch(Search, hyperopt.GridSearch):
    """Cornac's search on a grid; `metric` may be one of ours. All arguments are Cornac's."""

    def __init__(self, model: Any, space: Any, metric: Any, eval_method: Any) -> None:
        super().__init__(model, space, metric, eval_method)


class RandomSearch(Search, hyperopt.RandomSearch):
    """Cornac's random search; `metric` may be one of ours. All arguments are Cornac's."""

    def __init__(self, model: Any, space: Any, metric: Any, eval_method: Any, n_trails: int = 10) -> None:
        super().__init__(model, space, metric, eval_method, n_trails)
