"""The lists of Cornac's models, and what is known of their users.

Cornac calls a metric once per user and does not say for whom. It files what the metric returns under the user, though. So
one metric among Cornac's own, the :class:`Recorder`, keeps every list and returns the number of the call; once the
evaluation is over, the numbers lead from users to lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from cornac.eval_methods import BaseMethod, CrossValidation, PropensityStratifiedEvaluation
from cornac.hyperopt import BaseSearch
from cornac.metrics import RankingMetric
from cornac.models import Recommender
from scipy.sparse import csr_matrix

from aspectrum.arrays import Codes
from aspectrum.coding.ids import quoted
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.coding.table import flags_of
from aspectrum.errors import InputError


@dataclass(frozen=True, eq=False)
class Split:
    """What users had and what they were to find, with their own ids.

    The ids are copied: a cross-validation clears and refills the shared maps of ids for every fold.
    """

    train: Any  # Cornac's data set of what was known
    truth: Any  # its data set of what was to be found: the test or the validation set
    threshold: float  # the rating from which an item is relevant, or belongs to a history
    n_candidates: int  # how many items, the first of Cornac's numbering, could be recommended
    users: Sequence[Hashable]  # by Cornac's index
    items: Sequence[Hashable]

    @classmethod
    def of(cls, train: Any, truth: Any, threshold: float, exclude_unknowns: bool) -> Split:
        n_candidates = train.num_items if exclude_unknowns else truth.num_items
        users, items = (sorted(ids, key=ids.__getitem__) for ids in (truth.uid_map, truth.iid_map))  # by index
        return cls(train, truth, threshold, n_candidates, users, items)


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of one model, and what is known of the users they are for."""

    model: str
    split: Split
    users: npt.NDArray[Any]  # indices, ascending
    lists: Sequence[Codes]  # indices of items, best first, one array per user
    n_unscored: int = 0  # users with items whose score is no number
    reach: int | None = None  # how far Cornac asked a model that ranks by itself to do so, where the metrics need more

    @cached_property
    def _user_ids(self) -> list[Hashable]:
        return [self.split.users[user] for user in self.users]

    @property
    def rankings(self) -> Rows:
        """The lists, with the users' and items' own ids; users whose list is empty are among them."""
        places = np.repeat(np.arange(len(self.users), dtype=np.int32), [len(items) for items in self.lists])
        items = _column(np.concatenate([np.empty(0, np.int32), *self.lists]), self.split.items)
        return Rows(self.model, {"user": IdColumn(places, self._user_ids), "item": items})

    @property
    def truth(self) -> dict[str, Any]:
        """What Cornac's data sets say of the users and items. A history is what a user liked; popularity counts every rating."""
        rated = self.split.train.csr_matrix
        popular = _column(np.arange(rated.shape[1], dtype=np.int32), self.split.items)
        candidates = _column(np.arange(self.split.n_candidates, dtype=np.int32), self.split.items)
        return {
            "history": self._rated("history", self.split.train, np.arange(len(self.split.users)), self.split.threshold),
            "relevance": self._rated("relevance", self.split.truth, self.users, -math.inf),
            "popularity": Rows(
                "popularity", {"item": popular}, {"count": np.bincount(rated.indices, minlength=rated.shape[1]).astype(np.float64)}
            ),
            "popularity_users": int((np.diff(rated.indptr) > 0).sum()) or None,
            "catalogue": Rows("catalogue", {"item": candidates}),
        }

    def _rated(self, input: str, data: Any, users: npt.NDArray[Any], threshold: float) -> Rows:
        """What some users rated, from a rating on; a user whom the data do not know rated nothing."""
        known = users[users < data.csr_matrix.shape[0]]
        rated = data.csr_matrix[known]
        owners = np.repeat(known, np.diff(rated.indptr))
        bad = np.flatnonzero(~np.isfinite(rated.data))
        if len(bad):
            at = bad[0]
            user, item = quoted(self.split.users[owners[at]]), quoted(self.split.items[rated.indices[at]])
            raise InputError(f"{input}: the rating of item {item} by user {user} is {rated.data[at]}, expected a number")
        kept = np.flatnonzero(rated.data >= threshold)
        ids = {"user": _column(owners[kept], self.split.users), "item": _column(rated.indices[kept], self.split.items)}
        return Rows(input, ids, {"grade": rated.data[kept].astype(np.float64)})


class Recorder(RankingMetric):
    """Keeps the lists of an evaluation.

    Cornac sorts a list only as far as the largest k of all metrics. A list by score is therefore made from the scores. Of a model
    that ranks by itself, such as one that re-ranks for diversity, the list is what it says.

    Args:
        depth: How many items of a list are kept; -1 keeps all.
        splits: Says what is being evaluated at the moment, by the name of the set: test, validation.
        others: The cutoffs of Cornac's own metrics, which are not influenced by this one.
    """

    def __init__(self, depth: int, splits: Callable[[], Mapping[str, Split]], others: Iterable[int] = ()) -> None:
        super().__init__(name="lists for aspectrum", k=-1)
        self.depth = depth
        self._splits = splits
        self._asked_for = max([self.k, *others])
        self._calls: dict[int, tuple[Codes, Codes, bool, Mapping[str, Split]]] = {}  # by score, as ranked, unscored items, splits
        self._n_calls = 0

    def compute(self, pd_rank: npt.NDArray[Any], pd_scores: npt.NDArray[Any], item_indices: npt.NDArray[Any], **_: Any) -> float:
        scores = np.asarray(pd_scores)
        scores = scores.astype(np.float64) if scores.dtype.kind == "O" else scores
        by_score = best_first(item_indices, scores, self.depth)
        ranked = np.asarray(pd_rank)[: self.depth if self.depth > 0 else None].astype(np.int32)
        as_ranked = by_score if np.array_equal(ranked, by_score) else ranked
        self._calls[self._n_calls] = by_score, as_ranked, bool(np.isnan(scores).any()), self._splits()
        self._n_calls += 1
        return float(self._n_calls - 1)

    def take(self, model: Any, calls: Mapping[int, float], which: str) -> Lists:
        """The lists that Cornac filed under users; they are kept no longer."""
        users = sorted(calls)
        by_score, as_ranked, unscored, splits = zip(*(self._calls.pop(int(calls[user])) for user in users), strict=True)
        split, indices = splits[0][which], np.array(users, dtype=np.int64)
        if not ranks_itself(model):
            return Lists(model.name, split, indices, by_score, sum(unscored))
        is_deep_enough = self._asked_for == -1 or 0 < self.depth <= self._asked_for
        return Lists(model.name, split, indices, as_ranked, reach=None if is_deep_enough else self._asked_for)


def folds(method: Any) -> Callable[[], Mapping[str, Split]]:
    """Says what an evaluation method works on when it is asked: the same splits as long as the train set is the same."""

    @lru_cache(maxsize=1)
    def splits(train: Any) -> Mapping[str, Split]:
        sets = {"test": method.test_set, "validation": method.val_set}
        threshold, exclude = method.rating_threshold, method.exclude_unknowns
        return {which: Split.of(train, truth, threshold, exclude) for which, truth in sets.items() if truth is not None}

    return lambda: splits(method.train_set)


def best_first(items: npt.NDArray[Any], scores: npt.NDArray[Any], depth: int) -> Codes:
    """Items by score, best first; of equal scores the larger index (Cornac leaves ties to chance); what is no number comes last.

    >>> best_first(np.array([3, 4, 7, 8]), np.array([0.5, np.nan, 0.9, 0.5]), 3).tolist()
    [7, 8, 3]
    """
    scores = np.asarray(scores)
    unknown = np.isnan(scores)
    numbers = scores[~unknown]
    kept = np.arange(len(scores))
    if 0 < depth < len(numbers):
        kept = np.flatnonzero(scores >= np.partition(numbers, -depth)[-depth])
    best = kept[np.argsort(scores[kept], kind="stable")[::-1]]
    best = np.roll(best, -int(unknown[kept].sum()))  # what is no number was sorted as the largest
    return np.asarray(items)[best[:depth] if depth > 0 else best].astype(np.int32)


def splits_before(method: Any) -> list[Split]:
    """What can be known of the splits before anything is evaluated; of a cross-validation, its users and items."""
    if method.train_set is not None and not isinstance(method, CrossValidation):
        return list(folds(method)().values())
    ratings = () if method.data is None else method.data
    users, items = (list(dict.fromkeys(rating[place] for rating in ratings)) for place in (0, 1))
    nothing = SimpleNamespace(csr_matrix=csr_matrix((0, len(items))))
    return [Split(nothing, nothing, method.rating_threshold, len(items), users, items)] if items else []


def check_method(method: Any, *, by_index: bool) -> None:
    """Whether an evaluation method hands out lists of users, each once, and numbers items as the inputs do."""
    name = type(method).__name__
    if not isinstance(method, BaseMethod):
        raise InputError(f"the evaluation method is {name}, expected one of Cornac's, such as RatioSplit")
    if type(method).eval is not BaseMethod.eval or isinstance(method, PropensityStratifiedEvaluation):
        raise InputError(
            f"{name} evaluates in its own way, not one list for each user with a test item: these metrics have no meaning there. "
            "Use RatioSplit, StratifiedSplit, TimestampSplit, CrossValidation or BaseMethod.from_splits"
        )
    if by_index and isinstance(method, CrossValidation):
        raise InputError(
            "a cross-validation numbers the items anew for every fold, so item_genre and item_feature, which go by Cornac's index, "
            "would belong to other items: give aspects or features with the items' own ids"
        )


def check_models(models: Any) -> None:
    """Whether there are models, each of Cornac's kind; Cornac would leave out others without a word."""
    if not isinstance(models, list | tuple):
        raise InputError(f"models is {type(models).__name__}, expected a list")
    for model in models:
        if not isinstance(model, Recommender):
            raise InputError(f"{model!r} is no model of Cornac")
    if not models:
        raise InputError("there is no model to evaluate")


def ranks_itself(model: Any) -> bool:
    """Whether a model, or what a search looks among, has a way to rank of its own, which need not go by its scores."""
    while isinstance(model, BaseSearch):
        model = model.model
    return getattr(model.rank, "__func__", None) is not Recommender.rank


def check_set(name: str, data: Any, method: Any) -> None:
    """Whether somebody has something to find in a set, if it is there; Cornac would divide by 0."""
    if data is not None and not (data.uir_tuple[2] >= method.rating_threshold).any():
        raise InputError(f"no {name} rating reaches the rating threshold of {method.rating_threshold:g}, so there is nobody to evaluate")


@contextmanager
def nobody_explained(method: Any) -> Iterator[None]:
    """While a method evaluates: a fold with nobody to evaluate is an error that says so, and no division by 0."""
    try:
        yield
    except ZeroDivisionError:
        for name, data in (("test", method.test_set), ("validation", method.val_set)):
            check_set(name, data, method)
        raise


def _column(indices: npt.NDArray[Any], ids: Sequence[Hashable]) -> IdColumn:
    """A column of the ids that indices, which are codes already, stand for."""
    return IdColumn(indices.astype(np.int32), ids, named=np.flatnonzero(flags_of(indices, len(ids))))
