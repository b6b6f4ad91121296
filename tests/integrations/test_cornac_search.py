"""Searches for the best parameters, against loops written by hand."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cornac
import numpy as np
import pytest
from cornac import hyperopt
from cornac.eval_methods import BaseMethod, CrossValidation, RatioSplit
from cornac.hyperopt import Continuous, Discrete
from cornac.models import MF, MostPop, NextItemRecommender, Recommender

from aspectrum.errors import AspectrumError, InputError, MetricError
from aspectrum.integrations.cornac import (
    AlphaNDCG,
    Experiment,
    GiniComplement,
    GridSearch,
    IntraListDiversity,
    Metric,
    NDCGScore,
    RandomSearch,
    evaluate,
)
from tests.integrations.cornac_data import (
    Mixture,
    Parts,
    by_index,
    check_result,
    one_thread,
    same_bits,
    some_genres,
    some_ratings,
)

SEEDS = [1, 2, 3]


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cornac writes its log where it runs."""
    monkeypatch.chdir(tmp_path)
    with one_thread():
        yield


def split_of(seed: int, validation: float = 0.2) -> Any:
    return RatioSplit(some_ratings(seed), test_size=0.2, val_size=validation, rating_threshold=3.0, seed=seed)


def factors(seed: int) -> Any:
    return MF(max_iter=5, seed=seed, num_threads=1, verbose=False)


FACTORS = [Discrete("learning_rate", [0.05, 0.01]), Discrete("k", [6, 2])]

GRID = [Discrete("step", [17, 4, 13]), Discrete("factor", [5, 2])]
SETTINGS = [{"factor": factor, "step": step} for factor in (2, 5) for step in (4, 13, 17)]
"""The grid, in the order in which Cornac goes through it."""


def chosen_by_hand(
    base: Any,
    settings: Sequence[Mapping[str, Any]],
    method: Any,
    parts: Parts,
    metric: str,
    higher_better: bool = True,
    **known: Any,
) -> tuple[Any, Mapping[str, Any], float]:
    """The model, the setting and the score that are the best on the validation set; of equal ones the first."""
    found = []
    for setting in settings:
        model = base.clone(setting).fit(method.train_set, method.val_set)
        found.append((model, setting, parts.evaluate(model, "validation", metric, **known)[metric]))
    scores = [score for _, _, score in found]
    return found[scores.index((max if higher_better else min)(scores))]


def check_search(search: Any, expected: tuple[Any, Mapping[str, Any], float]) -> None:
    model, params, score = expected
    assert search.best_params == params
    assert search.best_score == score
    assert [search.score(user).tolist() for user in range(search.num_users)] == [
        model.score(user).tolist() for user in range(model.num_users)
    ]


CHOICES: list[tuple[int, Any, str, dict[str, Any]]] = [
    (1, AlphaNDCG, "AlphaNDCG@5", {}),
    (2, AlphaNDCG, "AlphaNDCG(alpha=0.9)@3", {"alpha": 0.9}),
    (3, AlphaNDCG, "AlphaNDCG@5", {"convention": "informfully"}),
    (1, AlphaNDCG, "AlphaNDCG@5", {"name": "Mine"}),
    (2, NDCGScore, "NDCG@5", {}),
    (3, GiniComplement, "GiniComplement@5", {}),
]


@pytest.mark.parametrize(("seed", "kind", "text", "options"), CHOICES)
@pytest.mark.parametrize("higher_better", [True, False])
def test_a_grid_search_chooses_what_a_loop_chooses(seed: int, kind: Any, text: str, options: dict[str, Any], higher_better: bool) -> None:
    split = split_of(seed)
    genres = some_genres(seed)
    given = {"item_genre": by_index(split, genres)} if kind is AlphaNDCG else {}
    metric = kind(k=int(text[-1]), higher_better=higher_better, **given, **options)
    search = GridSearch(Mixture(), GRID, metric, split)
    search.fit(split.train_set, split.val_set)
    known = {"aspects": genres, "convention": options.get("convention")}
    check_search(search, chosen_by_hand(Mixture(), SETTINGS, split, Parts.of(split), text, higher_better, **known))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_search_chooses_what_a_loop_chooses(seed: int) -> None:
    split = split_of(seed)
    genres = some_genres(seed)
    space = [Discrete("step", [17, 4, 13, 6]), Continuous("factor", 1, 9)]
    search = RandomSearch(Mixture(seed=seed), space, AlphaNDCG(by_index(split, genres), k=5), split, n_trails=5)
    search.fit(split.train_set, split.val_set)
    draw = np.random.RandomState(seed)
    settings = [{"factor": draw.uniform(1, 9), "step": draw.choice([17, 4, 13, 6])} for _ in range(5)]
    check_search(search, chosen_by_hand(Mixture(), settings, split, Parts.of(split), "AlphaNDCG@5", aspects=genres))


def test_a_search_among_models_that_learn() -> None:
    split = split_of(1)
    genres = some_genres(1)
    search = GridSearch(factors(1), FACTORS, AlphaNDCG(by_index(split, genres), k=5), split)
    search.fit(split.train_set, split.val_set)
    settings = [{"k": k, "learning_rate": rate} for k in (2, 6) for rate in (0.01, 0.05)]
    check_search(search, chosen_by_hand(factors(1), settings, split, Parts.of(split), "AlphaNDCG@5", aspects=genres))


@pytest.mark.parametrize("kind", [GridSearch, RandomSearch])
def test_a_search_in_an_experiment(kind: Any) -> None:
    split = split_of(2)
    genres = some_genres(2)
    metric = AlphaNDCG(by_index(split, genres), k=5)
    space = [Discrete("factor", [5, 2, 9, 7])]
    search = GridSearch(Mixture(), space, metric, split) if kind is GridSearch else RandomSearch(Mixture(seed=2), space, metric, split, 6)
    experiment = Experiment(split, [MostPop(), search], [metric, NDCGScore(k=5), cornac.metrics.NDCG(k=5)])
    experiment.run()
    parts = Parts.of(split)
    draw = np.random.RandomState(2)
    values = [2, 5, 7, 9] if kind is GridSearch else [draw.choice([5, 2, 9, 7]) for _ in range(6)]
    settings = [{"factor": value} for value in values]
    expected = chosen_by_hand(Mixture(), settings, split, parts, "AlphaNDCG@5", aspects=genres)
    check_search(search, expected)
    columns = {"AlphaNDCG@5": "AlphaNDCG@5", "NDCGScore@5": "NDCG@5"}
    for which, results in (("test", experiment.result), ("validation", experiment.val_result)):
        assert results[1].model_name == f"{kind.__name__}_Mixture"
        check_result(results[1], parts, parts.evaluate(expected[0], which, list(columns.values()), aspects=genres), columns)  # type: ignore[arg-type]
    assert experiment.val_result[1].metric_avg_results["AlphaNDCG@5"] == search.best_score


@pytest.mark.parametrize("kind", [GridSearch, RandomSearch])
def test_a_search_in_a_cross_validation(kind: Any) -> None:
    """Each fold chooses for itself, by what Cornac takes for validation: the test ratings of the fold."""
    ratings = some_ratings(3)
    partition = np.arange(len(ratings)) % 3
    method = CrossValidation(ratings, n_folds=3, partition=partition, rating_threshold=3.0, seed=3)
    genres = some_genres(3)
    metric = AlphaNDCG(aspects=genres, k=5)
    space = [Discrete("factor", [5, 2, 9, 7, 3])]
    search = GridSearch(Mixture(), space, metric, method) if kind is GridSearch else RandomSearch(Mixture(seed=3), space, metric, method, 4)
    experiment = Experiment(method, [search], [metric, NDCGScore(k=5)])
    experiment.run()
    columns = {"AlphaNDCG@5": "AlphaNDCG@5", "NDCGScore@5": "NDCG@5"}
    chosen = []
    for fold, result in enumerate(experiment.result[0]):
        train = [rating for rating, own in zip(ratings, partition, strict=True) if own != fold]
        test = [rating for rating, own in zip(ratings, partition, strict=True) if own == fold]
        parts = Parts(train, test, test, 3.0)
        draw = np.random.RandomState(3)
        values = [2, 3, 5, 7, 9] if kind is GridSearch else [draw.choice([5, 2, 9, 7, 3]) for _ in range(4)]
        fold_method = BaseMethod.from_splits(train, test, test, rating_threshold=3.0, exclude_unknowns=True)
        settings = [{"factor": value} for value in values]
        model, params, _ = chosen_by_hand(Mixture(), settings, fold_method, parts, "AlphaNDCG@5", aspects=genres)
        chosen.append(params["factor"])
        check_result(result, parts, parts.evaluate(model, "test", list(columns.values()), aspects=genres), columns)
    assert len(set(chosen)) > 1, "with the same choice in every fold, the test would say little"


@pytest.mark.filterwarnings("ignore:Model is already fitted")
@pytest.mark.parametrize("metric", [cornac.metrics.NDCG(k=5), cornac.metrics.RMSE(), cornac.metrics.AUC()])
def test_with_a_metric_of_cornac_a_search_is_cornac_s(metric: Any) -> None:
    split = split_of(1)
    space = [Discrete("step", [17, 4, 13, 6]), Continuous("factor", 1, 9)]
    pairs = [
        (GridSearch(factors(1), FACTORS, metric, split), hyperopt.GridSearch(factors(1), FACTORS, metric, split)),
        (RandomSearch(Mixture(seed=1), space, metric, split, 4), hyperopt.RandomSearch(Mixture(seed=1), space, metric, split, 4)),
    ]
    for ours, theirs in pairs:
        for search in (ours, theirs):
            search.fit(split.train_set, split.val_set)
        assert ours.name == theirs.name
        assert ours.best_params == theirs.best_params
        assert ours.best_score == theirs.best_score
    experiment = Experiment(split, [pairs[0][1]], [NDCGScore(k=5)])
    experiment.run()
    assert experiment.result[0].model_name == "GridSearch_MF"


class Preferring(Recommender):
    """Items with an even index come first, or those with an odd one."""

    def __init__(self, name: str = "Preferring", odd: int = 0) -> None:
        super().__init__(name=name, trainable=False, verbose=False)
        self.odd = odd

    def score(self, user_idx: int, item_idx: int | None = None) -> Any:
        scores = np.array([float(index % 2 == self.odd) for index in range(self.num_items)])
        return scores if item_idx is None else scores[item_idx]


@pytest.mark.parametrize("higher_better", [True, False])
@pytest.mark.parametrize("described", [0, 1])
def test_a_setting_without_a_score_is_not_the_best(higher_better: bool, described: int) -> None:
    """Only every other item has features: one of two settings has no diversity at all."""
    split = split_of(1)
    features = {index: [float(index), 1.0] for index in range(described, split.total_items, 2)}
    metric = IntraListDiversity(features, k=3, higher_better=higher_better)
    search = GridSearch(Preferring(), [Discrete("odd", [0, 1])], metric, split)
    search.fit(split.train_set, split.val_set)
    own = {item: features[index] for item, index in split.global_iid_map.items() if index in features}
    parts = Parts.of(split)
    numbers = [
        parts.evaluate(Preferring(odd=odd).fit(split.train_set), "validation", "ILD@3", features=own)["ILD@3"]
        for odd in (described, 1 - described)
    ]
    assert np.isnan(numbers[1])
    assert search.best_params == {"odd": described}
    assert same_bits(search.best_score, numbers[0])


def test_a_search_in_which_no_setting_has_a_score() -> None:
    split = split_of(1)
    search = GridSearch(Preferring(), [Discrete("odd", [0, 1])], IntraListDiversity({0: [1.0]}, k=3), split)
    with pytest.raises(InputError, match="GridSearch_Preferring: IntraListDiversity@3 is undefined for every setting"):
        search.fit(split.train_set, split.val_set)


def test_a_talkative_search(capsys: pytest.CaptureFixture[str]) -> None:
    split = split_of(1)
    search = GridSearch(Mixture(), [Discrete("factor", [5, 2])], NDCGScore(k=5), split)
    search.verbose = True
    search.fit(split.train_set, split.val_set)
    assert capsys.readouterr().out.splitlines() == [
        "Evaluating: {'factor': 2}",
        "Evaluating: {'factor': 5}",
        f"Best parameter settings: {search.best_params}",
        f"NDCGScore@5 = {search.best_score:.4f}",
    ]


def test_a_search_can_be_evaluated_without_an_experiment() -> None:
    split = split_of(1)
    search = GridSearch(Mixture(), [Discrete("factor", [5, 2, 9])], NDCGScore(k=5), split)
    results = evaluate([search], split, "NDCG@5", on="validation")
    assert results["GridSearch_Mixture"]["NDCG@5"] == search.best_score


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Cornac leaves the file of a model open
def test_a_search_can_be_saved(tmp_path: Path) -> None:
    split = split_of(1)
    metric = AlphaNDCG(by_index(split, some_genres(1)), k=5)
    search = GridSearch(factors(1), [Discrete("k", [2, 3])], metric, split)
    Experiment(split, [search], [metric], save_dir=str(tmp_path / "kept")).run()
    (file,) = (tmp_path / "kept" / "GridSearch_MF").glob("*.pkl")
    kept = Recommender.load(str(file))
    assert kept.best_params == search.best_params
    assert kept.score(0).tolist() == search.score(0).tolist()


# What is refused


@pytest.mark.parametrize("kind", [hyperopt.GridSearch, hyperopt.RandomSearch])
def test_cornac_s_own_search_for_one_of_our_metrics_is_refused(kind: Any) -> None:
    split = split_of(1)
    search = kind(Mixture(), [Discrete("factor", [1, 2])], NDCGScore(k=5), split)
    message = rf"{kind.__name__}_Mixture looks for NDCGScore@5: use GridSearch or RandomSearch from aspectrum\.integrations\.cornac"
    with pytest.raises(InputError, match=message):
        Experiment(split, [search], [cornac.metrics.NDCG(k=5)])
    with pytest.raises(AspectrumError, match=r"NDCGScore@5 needs the user id.*run it with Experiment, GridSearch or RandomSearch"):
        search.fit(split.train_set, split.val_set)


@pytest.mark.parametrize("kind", [GridSearch, RandomSearch])
def test_several_cutoffs_are_refused(kind: Any) -> None:
    with pytest.raises(MetricError, match="a search goes by one number, and there are 2: NDCGScore@5, NDCGScore@10"):
        kind(Mixture(), [Discrete("factor", [1])], NDCGScore(k=[5, 10]), split_of(1))


@pytest.mark.parametrize("kind", [GridSearch, RandomSearch])
def test_without_a_validation_set_there_is_nothing_to_search_by(kind: Any) -> None:
    split = split_of(1, validation=0.0)
    search = kind(Mixture(), [Discrete("factor", [1])], NDCGScore(k=5), split)
    with pytest.raises(InputError, match=rf"{kind.__name__}_Mixture needs a validation set, as in RatioSplit\(\.\.\., val_size=0\.1\)"):
        search.fit(split.train_set)


def test_a_threshold_that_nobody_reaches() -> None:
    split = RatioSplit(some_ratings(1), val_size=0.2, rating_threshold=9, seed=1)
    search = GridSearch(Mixture(), [Discrete("factor", [1])], NDCGScore(k=5), split)
    with pytest.raises(InputError, match="no validation rating reaches the rating threshold of 9, so there is nobody to evaluate"):
        search.fit(split.train_set, split.val_set)


def test_genres_by_index_are_refused_in_a_cross_validation() -> None:
    method = CrossValidation(some_ratings(1), n_folds=2, seed=1)
    with pytest.raises(InputError, match=r"numbers the items anew for every fold.*give aspects or features with the items' own ids"):
        GridSearch(Mixture(), [Discrete("factor", [1])], AlphaNDCG({0: np.array([1])}, k=5), method)


def test_models_of_the_next_item_are_refused() -> None:
    with pytest.raises(InputError, match="Following recommends the next item, not a list for each user: NDCG@5 has no meaning there"):
        GridSearch(NextItemRecommender("Following"), [Discrete("factor", [1])], Metric("NDCG@5"), split_of(1))


def test_a_grid_takes_no_range() -> None:
    with pytest.raises(ValueError, match="GridSearch only supports Discrete domain"):
        GridSearch(Mixture(), [Continuous("factor", 1, 2)], NDCGScore(k=5), split_of(1))
