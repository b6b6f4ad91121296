"""The lists of Cornac's models, and what is known of their users.

Cornac calls a metric once per user and does not say for whom. It files what the metric returns under the user, though. So
one metric among Cornac's own, the :class:`Recorder`, keeps every list and returns the number of the call; once the
evaluation is over, the numbers lead from users to lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from cornac.eval_methods import BaseMethod, CrossValidation, PropensityStratifiedEvaluation
from cornac.metrics import RankingMetric

from aspectrum.arrays import Codes
from aspectrum.errors import InputError
from aspectrum.world.ids import shown
from aspectrum.world.rows import IdColumn, Rows


@dataclass(frozen=True, eq=False)
class Split:
    """What users had and what they were to find, with their own ids.

    The ids are copied: a cross-validation clears and refills the shared maps of ids for every fold.

    Args:
        train: Cornac's data set of what was known.
        truth: Its data set of what was to be found: the test or the validation set.
        threshold: The rating from which an item is relevant, or belongs to a history.
        n_candidates: How many items, the first of Cornac's numbering, could be recommended.
        users: The user of each index.
        items: The item of each index.
    """

    train: Any
    truth: Any
    threshold: float
    n_candidates: int
    users: Sequence[Hashable]
    items: Sequence[Hashable]

    @classmethod
    def of(cls, train: Any, truth: Any, threshold: float, exclude_unknowns: bool) -> Split:
        n_candidates = train.num_items if exclude_unknowns else truth.num_items
        return cls(train, truth, threshold, n_candidates, _by_index(truth.uid_map), _by_index(truth.iid_map))

    @cached_property
    def index_of_user(self) -> Mapping[Hashable, int]:
        return {user: index for index, user in enumerate(self.users)}

    @cached_property
    def index_of_item(self) -> Mapping[Hashable, int]:
        return {item: index for index, item in enumerate(self.items)}


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of one model, and what is known of the users they are for.

    Args:
        model: The name of the model.
        split: What the users had and were to find.
        users: Indices of users, ascending.
        lists: Indices of items, best first, one array per user.
        n_unscored: How many users have items whose score is no number.
    """

    model: str
    split: Split
    users: npt.NDArray[Any]
    lists: Sequence[Codes]
    n_unscored: int = 0

    @property
    def inputs(self) -> dict[str, Any]:
        """Inputs of an evaluation, with the users' and items' own ids."""
        users = [self.split.users[user] for user in self.users]
        places = np.repeat(np.arange(len(users), dtype=np.int32), [len(items) for items in self.lists])
        rankings = {
            "user": IdColumn(places, users),
            "item": IdColumn(np.concatenate([np.empty(0, np.int32), *self.lists]), self.split.items),
        }
        return {
            "rankings": Rows(self.model, rankings),
            "history": self._rated("history", self.split.train, users, self.split.threshold),
            "relevance": self._rated("relevance", self.split.truth, users, -math.inf),
            "catalogue": self.split.items[: self.split.n_candidates],
            "threshold": self.split.threshold,
        }

    def _rated(self, input: str, data: Any, users: Sequence[Hashable], threshold: float) -> Rows:
        """What the users rated, from a rating on; a user whom the data do not know rated nothing."""
        known = np.flatnonzero(self.users < data.csr_matrix.shape[0])
        rated = data.csr_matrix[self.users[known]]
        places = np.repeat(known, np.diff(rated.indptr))
        bad = np.flatnonzero(~np.isfinite(rated.data))
        if len(bad):
            user, item = users[places[bad[0]]], self.split.items[rated.indices[bad[0]]]
            raise InputError(f"{input}: the rating of item {shown(item)} by user {shown(user)} is {rated.data[bad[0]]}, expected a number")
        kept = np.flatnonzero(rated.data >= threshold)
        ids = {
            "user": IdColumn(places[kept].astype(np.int32), users),
            "item": IdColumn(rated.indices[kept].astype(np.int32), self.split.items),
        }
        return Rows(input, ids, {"grade": rated.data[kept].astype(np.float64)})


class Recorder(RankingMetric):
    """Keeps the lists of an evaluation.

    Its k is -1, so it never changes how many items Cornac sorts for its own metrics; and what they ask for does not change
    its lists, which it makes from the scores.

    Args:
        depth: How many items of a list are kept; -1 keeps all.
        splits: What is being evaluated at the moment, by the name of the set: test, validation.
    """

    def __init__(self, depth: int, splits: Callable[[], Mapping[str, Split]]) -> None:
        super().__init__(name="aspectrum", k=-1)
        self.depth = depth
        self._splits = splits
        self._calls: dict[int, tuple[Codes, bool, Mapping[str, Split]]] = {}
        self._n_calls = 0

    def compute(self, pd_scores: npt.NDArray[Any], item_indices: npt.NDArray[Any], **_: Any) -> float:
        call = self._n_calls
        self._calls[call] = (best_first(item_indices, pd_scores, self.depth), bool(np.isnan(pd_scores).any()), self._splits())
        self._n_calls += 1
        return float(call)

    def take(self, model: str, calls: Mapping[int, float], which: str) -> Lists:
        """The lists that Cornac filed under users; they are kept no longer."""
        users = sorted(calls)
        lists, unscored, splits = zip(*(self._calls.pop(int(calls[user])) for user in users), strict=True)
        return Lists(model, splits[0][which], np.array(users, dtype=np.int64), lists, sum(unscored))


class Folds:
    """What an evaluation method works on when it is asked; the same answer as long as that is the same."""

    def __init__(self, method: Any) -> None:
        self._method = method
        self._train: Any = None
        self._splits: dict[str, Split] = {}

    def __call__(self) -> Mapping[str, Split]:
        method = self._method
        if method.train_set is not self._train:
            self._train = method.train_set
            sets = {"test": method.test_set, "validation": method.val_set}
            self._splits = {
                which: Split.of(self._train, truth, method.rating_threshold, method.exclude_unknowns)
                for which, truth in sets.items()
                if truth is not None
            }
        return self._splits


def best_first(items: npt.NDArray[Any], scores: npt.NDArray[Any], depth: int) -> Codes:
    """Items by score, best first; of equal scores the larger index comes first.

    Cornac, too, sorts ascending and turns the order round, but by a sort that leaves ties to chance, and only as far as the
    largest cutoff of all metrics. What is no number comes last.

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


def _by_index(ids: Mapping[Hashable, int]) -> list[Hashable]:
    return sorted(ids, key=ids.__getitem__)
