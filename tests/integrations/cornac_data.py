"""Ratings for Cornac, and the lists that its evaluation makes of them in plain Python: dictionaries and sorted()."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import cornac
import numpy as np
import numpy.typing as npt
from cornac.exception import ScoreException
from cornac.models import BPR, MF, WMF, MostPop, Recommender
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import aspectrum as asp
from aspectrum.integrations.cornac import (
    ERRIA,
    AlphaNDCG,
    AspectRecall,
    GiniComplement,
    IntraListDiversity,
    Metric,
    NDCGScore,
)
from tests.plain import Id

Rating = tuple[Id, Id, float]
Which = Literal["test", "validation"]

N_USERS, N_ITEMS, N_RATINGS = 40, 30, 420


def some_ratings(seed: int) -> list[Rating]:
    """Ratings from 1 to 5, some items twice as popular as others.

    Items are called by numbers that are indices of other items, so that it shows when one is taken for the other.
    """
    chance = random.Random(seed)
    pairs = [(user, item) for user in range(N_USERS) for item in range(N_ITEMS) if item % 3 == 0 or chance.random() < 0.5]
    return [(f"u{user}", (item * 7 + 3) % N_ITEMS, float(chance.randint(1, 5))) for user, item in chance.sample(pairs, N_RATINGS)]


def some_genres(seed: int, items: Iterable[Id] = range(N_ITEMS)) -> dict[Id, npt.NDArray[np.int64]]:
    """Five genres; every ninth item or so has none, every eleventh is not known at all."""
    chance = random.Random(seed)
    known = {item: np.array([int(chance.random() < 0.35) for _ in range(5)]) for item in items if chance.random() > 1 / 11}
    return {item: has * 0 if chance.random() < 1 / 9 else has for item, has in known.items()}


def some_features(seed: int, items: Iterable[Id] = range(N_ITEMS)) -> dict[Id, list[float]]:
    """Three numbers each; one item in eight is not known."""
    chance = random.Random(seed)
    return {item: [chance.gauss(0, 1) for _ in range(3)] for item in items if chance.random() > 1 / 8}


def by_index(method: Any, known: Mapping[Id, Any]) -> dict[int, Any]:
    """What is known of items, by Cornac's index; items that Cornac has not seen are left out."""
    return {method.global_iid_map[item]: value for item, value in known.items() if item in method.global_iid_map}


# Models


def some_models(seed: int) -> list[Any]:
    """Cornac's own. WMF trains by TensorFlow, which need not be there: its factors stay as they are drawn."""
    return [
        MostPop(),
        MF(k=4, max_iter=10, seed=seed, num_threads=1, verbose=False),
        BPR(k=4, max_iter=30, learning_rate=0.05, seed=seed, num_threads=1),
        WMF(k=4, trainable=False, seed=seed, verbose=False),
    ]


class Mixture(Recommender):
    """Scores that depend on user, item and two numbers, with many ties; `broken` scores are no numbers."""

    def __init__(self, name: str = "Mixture", factor: float = 5, step: int = 17, broken: bool = False, seed: int | None = None) -> None:
        super().__init__(name=name, trainable=False, verbose=False)
        self.factor, self.step, self.broken, self.seed = factor, step, broken, seed

    def score(self, user_idx: int, item_idx: int | None = None) -> Any:
        scores = np.array([float((user_idx * self.factor + item * self.step + user_idx * item) % 11) for item in range(self.num_items)])
        if self.broken:
            scores[user_idx % 5 :: 5] = np.nan
        return scores if item_idx is None else scores[item_idx]


class Interrupted(Mixture):
    """Stops in the middle of its lists, until it is mended."""

    def __init__(self, name: str = "Interrupted", factor: int = 5, error: type[BaseException] = RuntimeError, calls: int = 12) -> None:
        super().__init__(name=name, factor=factor)
        self.error, self.calls = error, calls

    def score(self, *args: Any, **options: Any) -> Any:
        self.calls -= 1
        if self.calls == 0:
            raise self.error("in the middle")
        return super().score(*args, **options)


def one_thread() -> Any:
    """A context in which Cornac's scores are computed by one thread: two that wait for each other's turn take seconds."""
    return threadpool_limits(limits=1, user_api="openmp")


# Cornac's evaluation in plain Python


@dataclass(frozen=True, eq=False)
class Parts:
    """What was rated, by the users' and items' own ids, as an evaluation method parts it."""

    train: Sequence[Rating]
    test: Sequence[Rating]
    validation: Sequence[Rating] = ()
    threshold: float = 1.0
    exclude_unknowns: bool = True

    @classmethod
    def of(cls, method: Any) -> Parts:
        """Read back what a method of Cornac has parted."""
        users = {index: user for user, index in method.global_uid_map.items()}
        items = {index: item for item, index in method.global_iid_map.items()}
        train, test, validation = (
            [] if data is None else [(users[user], items[item], rating) for user, item, rating in zip(*data.uir_tuple, strict=True)]
            for data in (method.train_set, method.test_set, method.val_set)
        )
        return cls(train, test, validation, method.rating_threshold, method.exclude_unknowns)

    def counted(self, part: Which) -> list[Rating]:
        """The ratings of a part that count."""
        known_users = {user for user, _, _ in self.train}
        known_items = {item for _, item, _ in self.train}
        return [
            (user, item, rating)
            for user, item, rating in (self.test if part == "test" else self.validation)
            if not self.exclude_unknowns or (user in known_users and item in known_items)
        ]

    @cached_property
    def users(self) -> list[Id]:
        """In order of Cornac's index, which is that of first appearance."""
        return list(dict.fromkeys(user for user, _, _ in [*self.train, *self.counted("test"), *self.counted("validation")]))

    @cached_property
    def items(self) -> list[Id]:
        return list(dict.fromkeys(item for _, item, _ in [*self.train, *self.counted("test"), *self.counted("validation")]))

    def catalogue(self, which: Which) -> list[Id]:
        """Items that can be recommended: when the test set is looked at, what only the validation set knows cannot."""
        seen = (
            [*self.train, *self.counted("test")] if which == "test" else [*self.train, *self.counted("test"), *self.counted("validation")]
        )
        known = {item for _, item, _ in (self.train if self.exclude_unknowns else seen)}
        return [item for item in self.items if item in known]

    def positive(self, ratings: Iterable[Rating]) -> dict[Id, list[Id]]:
        """The items of each user whose rating reaches the threshold."""
        found: dict[Id, list[Id]] = {}
        for user, item, rating in ratings:
            if rating >= self.threshold:
                found.setdefault(user, []).append(item)
        return found

    def lists(self, model: Any, which: Which) -> dict[Id, list[Id]]:
        """Of each user with something to find: by score, largest first; of equal ones the larger index first."""
        known = self.positive(self.train)
        checked = self.positive(self.counted("validation")) if which == "test" else {}
        catalogue = self.catalogue(which)
        lists: dict[Id, list[Id]] = {}
        for user, wanted in self.positive(self.counted(which)).items():
            seen = {*known.get(user, ()), *checked.get(user, ())}
            candidates = [item for item in catalogue if item in wanted or item not in seen]
            scores = scores_of(model, self.users.index(user), len(self.items))
            score_and_index = {item: (scores[index], index) for index, item in enumerate(self.items)}
            lists[user] = sorted(candidates, key=score_and_index.__getitem__, reverse=True)
        return lists

    def inputs(self, which: Which) -> dict[str, Any]:
        """What an evaluation needs beside the lists and what is known of items."""
        relevance: dict[Id, dict[Id, float]] = {}
        for user, item, rating in self.counted(which):
            relevance.setdefault(user, {})[item] = rating
        return {
            "history": self.positive(self.train),
            "relevance": relevance,
            "catalogue": self.catalogue(which),
            "threshold": self.threshold,
        }

    def evaluate(self, model: Any, which: Which, metrics: Any, **known: Any) -> asp.Results:
        return asp.evaluate(self.lists(model, which), metrics, **self.inputs(which), **known)


def scores_of(model: Any, user: int, n_items: int) -> list[float]:
    """Of all items; those that the model does not know get its smallest score, a user whom it does not know its default."""
    try:
        known = model.score(user).tolist()
    except ScoreException:
        known = [float(model.default_score())] * n_items
    known = [-math.inf if math.isnan(score) else score for score in known]
    return [*known, *[min(known)] * (n_items - len(known))]


# Our metrics, and what they are called in either place

COLUMNS = {
    "AlphaNDCG@5": "AlphaNDCG@5",
    "AlphaNDCG@10": "AlphaNDCG@10",
    "AlphaNDCG": "AlphaNDCG",
    "AlphaNDCG(alpha=0.9)@5": "AlphaNDCG(alpha=0.9)@5",
    "AlphaNDCG(alpha=1.0, pool=unseen)@10": "AlphaNDCG(alpha=1.0, pool=unseen)@10",
    "AlphaNDCG(alpha=0.0, judged_by=relevance)@10": "AlphaNDCG(alpha=0.0, judged_by=relevance)@10",
    "NDCGScore@5": "NDCG@5",
    "NDCGScore@10": "NDCG@10",
    "NDCGScore": "NDCG",
    "NDCGScore(gain=exponential)@5": "NDCG(gain=exponential)@5",
    "IntraListDiversity@5": "IntraListDiversity@5",
    "IntraListDiversity@10": "IntraListDiversity@10",
    "IntraListDiversity(distance=euclidean)@5": "IntraListDiversity(distance=euclidean)@5",
    "ERRIA@10": "ERRIA@10",
    "ERRIA(grades=true)@5": "ERRIA(grades=true)@5",
    "AspectRecall@3": "AspectRecall@3",
    "AspectRecall(judged_by=history)@3": "AspectRecall(judged_by=history)@3",
    "GiniComplement@5": "GiniComplement@5",
    "GiniComplement@10": "GiniComplement@10",
    "PrecisionIA@5": "PrecisionIA@5",
    "MAP@10": "MAP@10",
    "Recall@7": "Recall@7",
}
"""Columns of Cornac's results, and the same in ours."""

OF_THE_MODEL = {"GiniComplement@5", "GiniComplement@10"}
"""Columns without scores of users."""


def our_metrics(genres: Mapping[str, Any], features: Mapping[str, Any]) -> list[Any]:
    """Metrics for all columns; genres come as item_genre or as aspects, features as item_feature or as features."""
    return [
        AlphaNDCG(k=[5, 10, -1], **genres),
        AlphaNDCG(k=5, alpha=0.9, **genres),
        AlphaNDCG(k=10, alpha=1.0, pool="unseen", **genres),
        AlphaNDCG(k=10, alpha=0, judged_by="relevance", **genres),
        NDCGScore(k=[5, 10, -1]),
        NDCGScore(k=5, gain="exponential"),
        IntraListDiversity(k=[5, 10], **features),
        IntraListDiversity(k=5, distance="euclidean", **features),
        ERRIA(k=10, **genres),
        ERRIA(k=5, grades=True, **genres),
        AspectRecall(k=3, **genres),
        AspectRecall(k=3, judged_by="history", **genres),
        GiniComplement(k=[5, 10]),
        Metric("PrecisionIA@5", **genres),
        Metric(asp.MAP(k=10)),
        Metric("Recall@7"),
    ]


def cornac_metrics() -> list[Any]:
    """Some of Cornac's own; the columns are called NDCG@5, MRR, AUC, MAP and RMSE."""
    return [
        cornac.metrics.NDCG(k=5),
        cornac.metrics.MRR(),
        cornac.metrics.AUC(),
        cornac.metrics.MAP(),
        cornac.metrics.RMSE(),
    ]


# Comparing


def same_bits(found: float, expected: float) -> bool:
    """NaN is the same as NaN."""
    return found == expected or (math.isnan(found) and math.isnan(expected))


def same_scores(found: Mapping[Any, float], expected: Mapping[Any, float]) -> bool:
    """Of the same users, bit for bit."""
    return found.keys() == expected.keys() and all(same_bits(found[user], expected[user]) for user in expected)


def same_columns(found: Mapping[str, Mapping[Any, float]], expected: Mapping[str, Mapping[Any, float]]) -> bool:
    return found.keys() == expected.keys() and all(same_scores(found[column], expected[column]) for column in expected)


def user_scores(results: asp.Results, name: str) -> dict[Id, float]:
    frame = results.per_user
    return dict(zip(frame["user"].to_list(), frame[name].to_list(), strict=True))


def check_result(result: Any, parts: Parts, expected: asp.Results, columns: Mapping[str, str]) -> None:
    """One of Cornac's results holds, column by column, what an evaluation gave: the mean, and the score of every user."""
    frame = expected.per_user
    users = [parts.users.index(user) for user in frame["user"]]
    for column, name in columns.items():
        assert same_bits(result.metric_avg_results[column], expected[name]), f"{column} of {result.model_name}"
        found = result.metric_user_results[column]
        wanted = {} if column in OF_THE_MODEL else dict(zip(users, frame[name].to_list(), strict=True))
        assert sorted(found) == sorted(wanted), f"{column} of {result.model_name}"
        for user, score in wanted.items():
            assert same_bits(found[user], score), f"{column} of {result.model_name}, user {parts.users[user]}"


def check_defined(score: Callable[[str], float], columns: Iterable[str]) -> None:
    """Numbers, so that comparing them says something."""
    for column in columns:
        assert not math.isnan(score(column)), column


def says_undefined(lines: Iterable[str], model: str, column: str, n: int, of: int) -> bool:
    """Whether a line says for how many users of a model a number is undefined."""
    said = f"undefined for {n} of {of} users, who are not in the mean"
    return any(line.startswith(model) and re.search(rf"{re.escape(column)}(?!\d)", line) and line.endswith(said) for line in lines)


def without_times(averages: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in averages.items() if not name.endswith("(s)")}
