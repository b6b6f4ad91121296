"""Our metrics in Cornac's experiments, against an evaluation of the same lists, rebuilt in plain Python."""

import copy
import math
import pickle
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cornac
import numpy as np
import pytest
from cornac.eval_methods import BaseMethod, CrossValidation, RatioSplit, StratifiedSplit, TimestampSplit
from cornac.models import BPR, MF, WMF, MostPop

import aspectrum as asp
from aspectrum.integrations.cornac import (
    AlphaNDCG,
    AspectRecall,
    Experiment,
    GiniComplement,
    IntraListDiversity,
    Metric,
    NDCGScore,
    evaluate,
)
from tests import plain
from tests.integrations.cornac_data import (
    COLUMNS,
    Interrupted,
    Mixture,
    Parts,
    Rating,
    Which,
    by_index,
    check_defined,
    check_result,
    cornac_metrics,
    one_thread,
    our_metrics,
    same_bits,
    same_columns,
    same_scores,
    says_undefined,
    some_features,
    some_genres,
    some_models,
    some_ratings,
    user_scores,
    without_times,
)
from tests.plain import Id, PlainWorld
from tests.strategies import same

SEEDS = [1, 2, 3]
refitted = pytest.mark.filterwarnings("ignore:Model is already fitted")


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cornac writes its log where it runs."""
    monkeypatch.chdir(tmp_path)
    with one_thread():
        yield


def split_of(seed: int, threshold: float = 3.0, validation: float = 0.0, **options: Any) -> Any:
    return RatioSplit(some_ratings(seed), test_size=0.3, val_size=validation, rating_threshold=threshold, seed=seed, **options)


def run(method: Any, models: Sequence[Any], metrics: Sequence[Any], **options: Any) -> Any:
    experiment = Experiment(method, models, metrics, **options)
    experiment.run()
    return experiment


def check_experiment(experiment: Any, parts: Parts, known: Mapping[str, Any], columns: Mapping[str, str] = COLUMNS) -> None:
    """Both sets, every model, every column, every user."""
    both: list[tuple[Which, Any]] = [("test", experiment.result)]
    if parts.validation:
        both.append(("validation", experiment.val_result))
    for which, results in both:
        assert [result.model_name for result in results] == [model.name for model in experiment.models]
        for model, result in zip(experiment.models, results, strict=True):
            check_result(result, parts, parts.evaluate(model, which, list(columns.values()), **known), columns)


# The same numbers


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("threshold", [3.0, 1.0])
@pytest.mark.parametrize("validation", [0.0, 0.2])
def test_numbers_are_those_of_an_evaluation_to_the_bit(seed: int, threshold: float, validation: float) -> None:
    split = split_of(seed, threshold, validation)
    genres, features = some_genres(seed), some_features(seed)
    ours = our_metrics({"item_genre": by_index(split, genres)}, {"item_feature": by_index(split, features)})
    experiment = run(split, some_models(seed), [*ours, *cornac_metrics()])
    parts = Parts.of(split)
    assert bool(parts.validation) == (validation > 0) == (experiment.val_result is not None)
    check_experiment(experiment, parts, {"aspects": genres, "features": features})
    check_defined(experiment.result[0].metric_avg_results.__getitem__, COLUMNS)


def test_the_lists_have_ties_that_decide() -> None:
    """Otherwise the tests above could not see in which order equal scores come."""
    split = split_of(1)
    parts = Parts.of(split)
    lists = parts.lists(MostPop().fit(split.train_set), "test")
    popular = dict(zip(parts.items, np.bincount(split.train_set.uir_tuple[1]).tolist(), strict=True))
    assert any(popular[ranked[4]] == popular[ranked[5]] for ranked in lists.values())


def test_a_user_is_judged_by_his_own_history() -> None:
    """With the histories of two users exchanged, the numbers are others."""
    split = split_of(1)
    genres = some_genres(1)
    parts = Parts.of(split)
    exchanged = replace(parts, train=[({"u1": "u2", "u2": "u1"}.get(str(user), user), item, rating) for user, item, rating in parts.train])
    model = Mixture().fit(split.train_set)
    expected, other = (
        user_scores(asp.evaluate(parts.lists(model, "test"), "AlphaNDCG@5", aspects=genres, **world.inputs("test")), "AlphaNDCG@5")
        for world in (parts, exchanged)
    )
    found = run(split, [Mixture()], [AlphaNDCG(aspects=genres, k=5)]).result[0].metric_user_results["AlphaNDCG@5"]
    assert same_scores({parts.users[user]: score for user, score in found.items()}, expected)
    assert not same_scores(expected, other)


@pytest.mark.parametrize("form", ["arrays", "names", "rows", "file"])
def test_aspects_by_the_items_own_ids_in_any_form(form: str, tmp_path: Path) -> None:
    split = split_of(2, validation=0.2)
    arrays = some_genres(2)
    names = {item: [f"genre {genre}" for genre in np.flatnonzero(has)] for item, has in arrays.items()}
    rows = [(item, genre) for item, has in names.items() for genre in has]
    file = tmp_path / "genres.csv"
    file.write_text("item,aspect\n" + "".join(f"{item},{genre}\n" for item, genre in rows))
    given = {"arrays": arrays, "names": names, "rows": rows, "file": str(file)}[form]
    columns = {"AlphaNDCG@5": "AlphaNDCG@5", "ERRIA@5": "ERRIA@5"}
    experiment = run(split, [MostPop(), Mixture()], [AlphaNDCG(aspects=given, k=5), Metric("ERRIA@5", aspects=given)])
    check_experiment(experiment, Parts.of(split), {"aspects": arrays}, columns)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_learns_by_tensorflow(seed: int) -> None:
    """Which `make test-slow` installs."""
    split = split_of(seed, validation=0.2)
    genres = some_genres(seed)
    columns = {"AlphaNDCG@5": "AlphaNDCG@5", "NDCGScore@5": "NDCG@5"}
    model = WMF(k=4, max_iter=5, batch_size=8, seed=seed, verbose=False)
    experiment = run(split, [model], [AlphaNDCG(aspects=genres, k=5), NDCGScore(k=5)])
    check_experiment(experiment, Parts.of(split), {"aspects": genres}, columns)


def test_known_items_are_an_input() -> None:
    """The convention of Informfully drops items that nobody knows, and keeps the rank of those that are known and have nothing."""
    split = split_of(3)
    genres = {item: has for item, has in some_genres(3).items() if has.any()}
    columns = {"AlphaNDCG@5 (informfully)": "AlphaNDCG@5"}
    numbers = []
    for items in (list(genres), list(range(30))):
        experiment = run(split, [Mixture()], [AlphaNDCG(aspects=genres, items=items, k=5, convention="informfully")])
        known: dict[str, Any] = {"aspects": genres, "items": items, "convention": "informfully"}
        check_experiment(experiment, Parts.of(split), known, columns)
        numbers.append(experiment.result[0].metric_avg_results["AlphaNDCG@5 (informfully)"])
    assert numbers[0] != numbers[1]


def test_weights_are_an_input() -> None:
    split = split_of(3)
    known: dict[str, Any] = {"aspects": some_genres(3), "weights": {0: 2.0, 1: 1.0, 2: 0.5}}
    experiment = run(split, [Mixture()], [AlphaNDCG(k=5, **known)])
    check_experiment(experiment, Parts.of(split), known, {"AlphaNDCG@5": "AlphaNDCG@5"})
    unweighted = run(split, [Mixture()], [AlphaNDCG(k=5, aspects=known["aspects"])])
    assert unweighted.result[0].metric_avg_results["AlphaNDCG@5"] != experiment.result[0].metric_avg_results["AlphaNDCG@5"]


def test_metrics_with_inputs_of_their_own_stand_side_by_side() -> None:
    split = split_of(3)
    one, other = some_genres(3), some_genres(4)
    found = run(split, [Mixture()], [AlphaNDCG(aspects=one, k=5), AlphaNDCG(aspects=other, k=5, name="Other"), GiniComplement(k=5)])
    parts = Parts.of(split)
    for column, genres in (("AlphaNDCG@5", one), ("Other@5", other)):
        check_result(
            found.result[0], parts, parts.evaluate(found.models[0], "test", "AlphaNDCG@5", aspects=genres), {column: "AlphaNDCG@5"}
        )


def test_item_features_as_a_matrix() -> None:
    split = split_of(1)
    matrix = np.random.default_rng(1).normal(size=(split.total_items, 4))
    experiment = run(split, [Mixture()], [IntraListDiversity(matrix, k=[5, 10])])
    features = {item: matrix[index] for item, index in split.global_iid_map.items()}
    columns = {name: name for name in ("IntraListDiversity@5", "IntraListDiversity@10")}
    check_experiment(experiment, Parts.of(split), {"features": features}, columns)


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_follow_the_definitions_in_plain_python(seed: int) -> None:
    split = split_of(seed)
    genres, features = some_genres(seed), some_features(seed)
    ours = [
        AlphaNDCG(by_index(split, genres), k=[5, 10], alpha=0.75),
        NDCGScore(k=[5, 10]),
        AspectRecall(by_index(split, genres), k=3, judged_by="history"),
        IntraListDiversity(by_index(split, features), k=5),
        GiniComplement(k=5),
    ]
    experiment = run(split, [*some_models(seed)[:2], Mixture()], ours)
    parts = Parts.of(split)
    for model, result in zip(experiment.models, experiment.result, strict=True):
        world = plain_world(parts, parts.lists(model, "test"), genres, features)
        score = plain_scores(world)
        for column, plainly in score.items():
            for user in world.rankings:
                assert same(result.metric_user_results[column][parts.users.index(user)], plainly(user)), f"{column}, {model.name}, {user}"
            defined = [number for number in map(plainly, world.rankings) if not math.isnan(number)]
            assert same(result.metric_avg_results[column], math.fsum(defined) / len(defined))
        assert same(result.metric_avg_results["GiniComplement@5"], plain.gini_complement(world, 5))


def plain_world(
    parts: Parts, lists: dict[Id, list[Id]], genres: Mapping[Id, Any], features: Mapping[Id, Sequence[float]] | None = None
) -> PlainWorld:
    inputs = parts.inputs("test")
    aspects: dict[Id, dict[Id, float]] = {item: {int(genre): 1.0 for genre in np.flatnonzero(has)} for item, has in genres.items()}
    history = {user: set(items) for user, items in inputs["history"].items()}
    return PlainWorld(lists, aspects, inputs["relevance"], history, {}, None, inputs["catalogue"], parts.threshold, features)


def plain_scores(world: PlainWorld) -> dict[str, Callable[[Id], float]]:
    return {
        "AlphaNDCG(alpha=0.75)@5": lambda user: plain.alpha_ndcg(world, user, 5, alpha=0.75, judged_by="history"),
        "AlphaNDCG(alpha=0.75)@10": lambda user: plain.alpha_ndcg(world, user, 10, alpha=0.75, judged_by="history"),
        "NDCGScore@5": lambda user: plain.ndcg(world, user, 5, gain="linear", base=2, ideal="truth"),
        "NDCGScore@10": lambda user: plain.ndcg(world, user, 10, gain="linear", base=2, ideal="truth"),
        "AspectRecall(judged_by=history)@3": lambda user: plain.aspect_recall(world, user, 3, judged_by="history"),
        "IntraListDiversity@5": lambda user: plain.intra_list_diversity(world, user, 5, distance="cosine"),
    }


# Metrics beside one another


def test_cutoffs_do_not_influence_one_another() -> None:
    genres = some_genres(1)

    def results_at(k: Any) -> Any:
        metrics = [AlphaNDCG(aspects=genres, k=k), NDCGScore(k=k), GiniComplement(k=k)]
        return run(split_of(1), some_models(1), metrics).result

    together = results_at([5, 10, -1])
    for k in (5, 10, -1):
        for alone, joint in zip(results_at(k), together, strict=True):
            names = [name + ("" if k == -1 else f"@{k}") for name in ("AlphaNDCG", "NDCGScore", "GiniComplement")]
            assert list(without_times(alone.metric_avg_results)) == names
            for name in names:
                assert alone.metric_avg_results[name] == joint.metric_avg_results[name]
                assert same_scores(alone.metric_user_results[name], joint.metric_user_results[name])


@pytest.mark.parametrize("validation", [0.0, 0.2])
def test_cornac_s_own_metrics_do_not_notice_ours(validation: float) -> None:
    """Neither the other way round: NDCG@5 makes Cornac sort five places only."""
    genres, features = {"aspects": some_genres(2)}, {"features": some_features(2)}
    without = cornac.Experiment(split_of(2, 3.0, validation), some_models(2), cornac_metrics())
    without.run()
    with_ours = run(split_of(2, 3.0, validation), some_models(2), [*our_metrics(genres, features), *cornac_metrics()])
    only_ours = run(split_of(2, 3.0, validation), some_models(2), our_metrics(genres, features))
    for which in ("result", "val_result") if validation else ("result",):
        for plainly, both, alone in zip(*(getattr(run, which) for run in (without, with_ours, only_ours)), strict=True):
            for own in ("NDCG@5", "MRR", "AUC", "MAP", "RMSE"):
                assert both.metric_avg_results[own] == plainly.metric_avg_results[own]
                assert both.metric_user_results[own] == plainly.metric_user_results[own]
            for column in COLUMNS:
                assert same_bits(both.metric_avg_results[column], alone.metric_avg_results[column])
            assert set(without_times(both.metric_avg_results)) == {*COLUMNS, "NDCG@5", "MRR", "AUC", "MAP", "RMSE"}
            assert set(both.metric_user_results) == set(without_times(both.metric_avg_results))


def test_a_metric_of_five_places_does_not_shorten_our_lists() -> None:
    split = split_of(3)
    experiment = run(split, some_models(3), [cornac.metrics.NDCG(k=2), NDCGScore(k=[10, -1])])
    check_experiment(experiment, Parts.of(split), {}, {"NDCGScore@10": "NDCG@10", "NDCGScore": "NDCG"})


def test_without_our_metrics_an_experiment_is_cornac_s() -> None:
    ours = run(split_of(1), some_models(1), cornac_metrics())
    theirs = cornac.Experiment(split_of(1), some_models(1), cornac_metrics())
    theirs.run()
    for mine, other in zip(ours.result, theirs.result, strict=True):
        assert without_times(mine.metric_avg_results) == without_times(other.metric_avg_results)


def test_one_metric_under_two_names() -> None:
    """Both columns are there, with the same numbers."""
    split = split_of(1)
    experiment = run(split, [Mixture()], [NDCGScore(k=[5, 10]), NDCGScore(k=10, name="Graded"), Metric("NDCG@10")])
    averages = without_times(experiment.result[0].metric_avg_results)
    assert list(averages) == ["NDCGScore@5", "NDCGScore@10", "Graded@10", "NDCG@10"]
    assert averages["NDCGScore@10"] == averages["Graded@10"] == averages["NDCG@10"]


# Ways to split


@pytest.mark.parametrize("exclude_unknowns", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_cross_validation_fold_by_fold(seed: int, exclude_unknowns: bool) -> None:
    ratings = some_ratings(seed)
    partition = [random.Random(seed + place).randrange(3) for place in range(len(ratings))]
    genres, features = some_genres(seed), some_features(seed)
    models = [MostPop(), MF(k=4, max_iter=5, seed=seed, num_threads=1, verbose=False), Mixture()]
    if exclude_unknowns:
        models.append(BPR(k=4, max_iter=10, seed=seed, num_threads=1))
    options = {"rating_threshold": 3.0, "exclude_unknowns": exclude_unknowns, "seed": seed}
    experiment = run(
        CrossValidation(ratings, n_folds=3, partition=np.array(partition), **options),
        models,
        [*our_metrics({"aspects": genres}, {"features": features}), cornac.metrics.NDCG(k=5)],
    )
    for fold in range(3):
        train = [rating for rating, own in zip(ratings, partition, strict=True) if own != fold]
        test = [rating for rating, own in zip(ratings, partition, strict=True) if own == fold]
        parts = Parts(train, test, test, 3.0, exclude_unknowns)
        method = BaseMethod.from_splits(train, test, test, **options)
        for model, results in zip(models, experiment.result, strict=True):
            assert len(results) == 3
            fitted = model.clone().fit(method.train_set, method.val_set)
            expected = parts.evaluate(fitted, "test", list(COLUMNS.values()), aspects=genres, features=features)
            check_result(results[fold], parts, expected, COLUMNS)
    assert experiment.val_result is None


def test_means_and_deviations_of_a_cross_validation_are_of_our_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    method = CrossValidation(some_ratings(1), n_folds=4, rating_threshold=3.0, seed=1)
    metrics = [AlphaNDCG(aspects=some_genres(1), k=[5, 10]), NDCGScore(k=5), GiniComplement(k=5), cornac.metrics.NDCG(k=5)]
    experiment = run(method, [MostPop(), Mixture()], metrics)
    printed = capsys.readouterr().out
    names = ["NDCG@5", "AlphaNDCG@5", "AlphaNDCG@10", "NDCGScore@5", "GiniComplement@5"]
    for result in experiment.result:
        assert list(result.metric_mean) == [*names, "Train (s)", "Test (s)"] == list(result.metric_std)
        for name in names:
            folds = [fold.metric_avg_results[name] for fold in result]
            mean = math.fsum(folds) / 4
            assert len(set(folds)) > 1
            assert result.metric_mean[name] == pytest.approx(mean, rel=1e-12)
            assert result.metric_std[name] == pytest.approx(math.sqrt(math.fsum((number - mean) ** 2 for number in folds) / 4), rel=1e-9)
        rows = [[cell.strip() for cell in line.split("|")] for line in str(result).splitlines() if "|" in line]
        assert rows[0][1:6] == names
        for row in rows[1:]:
            values = {"Mean": result.metric_mean, "Std": result.metric_std}.get(row[0])
            averages = result[int(row[0].split()[1])].metric_avg_results if values is None else values
            assert row[1:6] == [f"{averages[name]:.4f}" for name in names]
        assert [row[0] for row in rows[1:]] == ["Fold 0", "Fold 1", "Fold 2", "Fold 3", "Mean", "Std"]
        assert str(result) in printed


def split_by_hand(seed: int) -> tuple[list[Rating], list[Rating], list[Rating]]:
    """Train, test and validation ratings; some users and items are in one of them only.

    An item that only the validation set knows is rated by users whom only it knows: Cornac fails over others. A test
    rating repeats a train rating.
    """
    chance = random.Random(seed)
    train: list[Rating] = []
    test: list[Rating] = []
    validation: list[Rating] = []
    for rating in some_ratings(seed):
        chance.choices([train, test, validation], [6, 3, 1])[0].append(rating)
    known = sorted({item for _, item, _ in train})
    test += [(user, item, float(chance.randint(2, 5))) for user in ("only test", "and me") for item in chance.sample(known, 6)]
    test += [(train[place][0], item, 4.0) for place, item in ((3, 101), (9, 102), (20, 101))]
    test += [("only test", 103, 5.0), ("u1", 104, 5.0)]
    validation += [("only validation", item, float(chance.randint(3, 5))) for item in chance.sample(known, 5)]
    validation += [("only validation", 105, 5.0)]
    test.append(next((user, item, 5.0) for user, item, rating in train if rating >= 4 and user in {user for user, _, _ in test}))
    return train, test, validation


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("exclude_unknowns", [True, False])
@pytest.mark.parametrize("threshold", [3.0, 1.0])
@pytest.mark.parametrize("validated", [True, False])
def test_users_and_items_that_the_train_set_does_not_know(seed: int, exclude_unknowns: bool, threshold: float, validated: bool) -> None:
    train, test, validation = split_by_hand(seed)
    if not validated:
        validation = []
    genres, features = (known(seed, [*range(30), *range(101, 106)]) for known in (some_genres, some_features))
    method = BaseMethod.from_splits(train, test, validation, rating_threshold=threshold, exclude_unknowns=exclude_unknowns, seed=seed)
    models = [model for model in some_models(seed) if exclude_unknowns or not isinstance(model, BPR)]  # BPR knows no strangers
    experiment = run(
        method,
        models,
        our_metrics({"item_genre": by_index(method, genres)}, {"item_feature": by_index(method, features)}),
    )
    parts = Parts(train, test, validation, threshold, exclude_unknowns)
    assert ("only test" in parts.users) == (not exclude_unknowns)
    assert ("only validation" in parts.users) == (not exclude_unknowns and validated)
    seen = {item: value for item, value in genres.items() if item in parts.items}
    described = {item: value for item, value in features.items() if item in parts.items}
    check_experiment(experiment, parts, {"aspects": seen, "features": described})
    if not exclude_unknowns:
        stranger = parts.users.index("only test")
        for result in experiment.result:
            assert math.isnan(result.metric_user_results["AlphaNDCG@5"][stranger])
            assert not math.isnan(result.metric_user_results["NDCGScore@5"][stranger])


@pytest.mark.parametrize("exclude_unknowns", [True, False])
@pytest.mark.parametrize("kind", ["stratified", "chronological", "in time"])
def test_other_ways_to_split(kind: str, exclude_unknowns: bool) -> None:
    timed = [(*rating, place) for place, rating in enumerate(some_ratings(2))]
    options = {"test_size": 0.3, "val_size": 0.0 if kind == "in time" else 0.1}
    options |= {"rating_threshold": 2.0, "exclude_unknowns": exclude_unknowns, "seed": 2}
    method = TimestampSplit(timed, **options) if kind == "in time" else StratifiedSplit(timed, chrono=kind == "chronological", **options)
    genres, features = some_genres(2), some_features(2)
    experiment = run(method, [MostPop(), Mixture()], our_metrics({"aspects": genres}, {"features": features}))
    check_experiment(experiment, Parts.of(method), {"aspects": genres, "features": features})


@refitted
def test_the_same_experiment_twice_and_its_method_in_another() -> None:
    split = split_of(1, validation=0.2)
    genres = some_genres(1)
    experiment = run(split, [MostPop(), Mixture()], [AlphaNDCG(k=5, aspects=genres)])
    first = [*experiment.result, *experiment.val_result]
    experiment.run()
    other = run(split, [MostPop(), Mixture()], [AlphaNDCG(k=5, aspects=genres)])
    for again in (experiment, other):
        for before, after in zip(first, [*again.result, *again.val_result], strict=True):
            assert same_columns(before.metric_user_results, after.metric_user_results)


# Interrupted


@refitted
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("calls", [1, 12, 40])
def test_an_interrupted_run_leaves_no_trace(error: type[BaseException], calls: int) -> None:
    """With 40 calls the run stops in the validation set, or in the lists of the second model."""
    split = split_of(1, validation=0.2)
    genres, features = some_genres(1), some_features(1)
    metrics = [*our_metrics({"aspects": genres}, {"features": features}), cornac.metrics.NDCG(k=5)]
    experiment = Experiment(split, [MostPop(), Interrupted(error=error, calls=calls), Mixture()], metrics)
    with pytest.raises(error, match="in the middle"):
        experiment.run()
    assert list(experiment.metrics) == metrics
    experiment.run()
    assert len(experiment.result) == 3
    check_experiment(experiment, Parts.of(split), {"aspects": genres, "features": features})


def test_an_interrupted_cross_validation_goes_on_with_the_right_users() -> None:
    """Cornac begins with the fold in which it was stopped."""
    ratings = some_ratings(1)
    partition = np.arange(len(ratings)) % 3
    method = CrossValidation(ratings, n_folds=3, partition=partition, rating_threshold=3.0)
    genres = some_genres(1)
    calls = 50
    experiment = Experiment(method, [Interrupted(calls=calls)], [AlphaNDCG(aspects=genres, k=5)])
    models = experiment.models
    models[0].clone = lambda: models[0]
    with pytest.warns(UserWarning, match="already fitted"), pytest.raises(RuntimeError):
        experiment.run()
    first = method.current_fold
    assert first > 0
    with pytest.warns(UserWarning, match="already fitted"):
        experiment.run()
    for place, result in enumerate(experiment.result[0]):
        fold = (first + place) % 3
        train = [rating for rating, own in zip(ratings, partition, strict=True) if own != fold]
        test = [rating for rating, own in zip(ratings, partition, strict=True) if own == fold]
        fitted = Mixture().fit(BaseMethod.from_splits(train, test).train_set)
        parts = Parts(train, test, test, 3.0)
        check_result(result, parts, parts.evaluate(fitted, "test", "AlphaNDCG@5", aspects=genres), {"AlphaNDCG@5": "AlphaNDCG@5"})


# What is printed


def test_undefined_scores_are_nan_and_named_below_the_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    train, test, validation = split_by_hand(1)
    method = BaseMethod.from_splits(train, test, validation, rating_threshold=1.0)
    genres = some_genres(1, range(106))
    experiment = run(method, [MostPop(), Mixture()], [AlphaNDCG(aspects=genres, k=[5, 10]), NDCGScore(k=5), cornac.metrics.NDCG(k=5)])
    printed = capsys.readouterr().out
    for result, model in zip(experiment.result, ("MostPop", "Mixture"), strict=True):
        scores = result.metric_user_results["AlphaNDCG@5"]
        undefined = {method.global_uid_map[user] for user in ("only test", "and me")}
        assert undefined <= {user for user, score in scores.items() if math.isnan(score)}
        defined = [score for score in scores.values() if not math.isnan(score)]
        assert result.metric_avg_results["AlphaNDCG@5"] == math.fsum(defined) / len(defined)
        n = len(scores) - len(defined)
        assert says_undefined(printed.splitlines(), model, "AlphaNDCG@5", n, len(scores))
        assert says_undefined(printed.splitlines(), model, "AlphaNDCG@10", n, len(scores))
    validated, tested = printed.split("TEST:")
    assert validated.lstrip().startswith("VALIDATION:")
    for part, results in ((validated, experiment.val_result), (tested, experiment.result)):
        rows = [[cell.strip() for cell in line.split("|")] for line in part.splitlines() if "|" in line]
        assert rows[0][1:5] == ["NDCG@5", "AlphaNDCG@5", "AlphaNDCG@10", "NDCGScore@5"]
        for row, result in zip(rows[1:], results, strict=True):
            assert row[:5] == [result.model_name, *(f"{result.metric_avg_results[name]:.4f}" for name in rows[0][1:5])]
        assert ["|" in line or "+" in line for line in str(results).splitlines()] == sorted(
            ("|" in line or "+" in line for line in str(results).splitlines()), reverse=True
        )
    (log,) = tmp_path.glob("CornacExp-*.log")
    assert log.read_text() == printed.removesuffix("\n")


def test_nothing_stands_below_the_table_when_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    run(split_of(1, 1.0), [MostPop()], [NDCGScore(k=5)])
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line and "|" not in line and "+" not in line] == ["TEST:", "..."]


def test_remarks_of_a_cross_validation_name_the_fold(capsys: pytest.CaptureFixture[str]) -> None:
    genres = {item: has for item, has in some_genres(1).items() if int(item) < 4}
    experiment = run(CrossValidation(some_ratings(1), n_folds=2, seed=1), [MostPop()], [AlphaNDCG(aspects=genres, k=5)])
    printed = capsys.readouterr().out
    for fold, result in enumerate(experiment.result[0]):
        scores = list(result.metric_user_results["AlphaNDCG@5"].values())
        n = sum(map(math.isnan, scores))
        assert 0 < n < len(scores)
        assert says_undefined(printed.splitlines(), f"fold {fold}: MostPop", "AlphaNDCG@5", n, len(scores))


def test_scores_that_are_no_numbers_come_last_and_are_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    split = split_of(1)
    experiment = run(split, [Mixture(broken=True)], [NDCGScore(k=[5, -1])])
    check_experiment(experiment, Parts.of(split), {}, {"NDCGScore@5": "NDCG@5", "NDCGScore": "NDCG"})
    n = len(experiment.result[0].metric_user_results["NDCGScore@5"])
    assert f"Mixture: items of {n} users have a score that is no number; they come last" in capsys.readouterr().out


def test_results_say_how_they_were_computed_and_can_be_kept() -> None:
    split = split_of(1, validation=0.2)
    experiment = run(split, [MostPop()], [AlphaNDCG(aspects=some_genres(1), k=5), NDCGScore(k=5)])
    for results in (experiment.result, experiment.val_result):
        how = results[0].aspectrum.details["AlphaNDCG@5"]
        assert (how["judged_by"], how["pool"], how["convention"]) == ("history", "catalogue", "published")
        for kept in (pickle.loads(pickle.dumps(results)), copy.deepcopy(results)):
            assert str(kept) == str(results)
            assert same_columns(kept[0].metric_user_results, results[0].metric_user_results)
            assert kept[0].aspectrum["NDCGScore@5"] == results[0].metric_avg_results["NDCGScore@5"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Cornac leaves the file of a model open
def test_options_of_cornac_s_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split = split_of(1, validation=0.2)
    experiment = run(split, [MostPop()], [NDCGScore(k=5)], show_validation=False, save_dir=str(tmp_path / "kept"), user_based=False)
    assert experiment.val_result is None
    assert "VALIDATION" not in capsys.readouterr().out
    assert len(list((tmp_path / "kept").glob("CornacExp-*.log"))) == 1
    assert len(list((tmp_path / "kept" / "MostPop").glob("*.pkl"))) == 1


# Conventions


@pytest.mark.parametrize("seed", SEEDS)
def test_informfully_s_numbers_beside_the_published_ones(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    train, test, _ = split_by_hand(seed)
    method = BaseMethod.from_splits(train, test, rating_threshold=3.0)
    genres = some_genres(seed, [*range(30), 101, 103])
    given = by_index(method, genres)
    metrics = [
        AlphaNDCG(given, k=10),
        AlphaNDCG(given, k=10, convention="informfully"),
        NDCGScore(k=5, convention="informfully"),
        IntraListDiversity(k=5, features=some_features(seed), convention="informfully"),
    ]
    experiment = run(method, [MostPop(), MF(k=4, max_iter=5, seed=seed, num_threads=1, verbose=False), Mixture()], metrics)
    assert " AlphaNDCG@10 | AlphaNDCG@10 (informfully) | NDCGScore@5 (informfully) " in capsys.readouterr().out
    parts = Parts(train, test, (), 3.0, False)
    names = {item: {int(genre) for genre in np.flatnonzero(has)} for item, has in genres.items()}
    history = parts.positive(train)
    for model, result in zip(experiment.models, experiment.result, strict=True):
        lists = parts.lists(model, "test")
        relevance = parts.inputs("test")["relevance"]
        world = plain_world(parts, lists, genres)
        expected = {
            "AlphaNDCG@10 (informfully)": {
                user: informfully_alpha_ndcg(ranked[:10], names, history.get(user, [])) for user, ranked in lists.items()
            },
            "NDCGScore@5 (informfully)": {user: informfully_ndcg(ranked[:5], relevance[user]) for user, ranked in lists.items()},
            "AlphaNDCG@10": {user: plain.alpha_ndcg(world, user, 10, alpha=0.5, judged_by="history") for user in lists},
        }
        for column, scores in expected.items():
            found = result.metric_user_results[column]
            assert len(found) == len(scores)
            for user, score in scores.items():
                assert same(found[parts.users.index(user)], score), f"{column}, {model.name}, {user}"
            defined = [score for score in scores.values() if not math.isnan(score)]
            assert same(result.metric_avg_results[column], math.fsum(defined) / len(defined))
        assert math.isnan(result.metric_user_results["AlphaNDCG@10 (informfully)"][parts.users.index("only test")])
        assert result.metric_avg_results["AlphaNDCG@10"] != result.metric_avg_results["AlphaNDCG@10 (informfully)"]


def discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, 1))


def informfully_alpha_ndcg(shown: Sequence[Id], genres: Mapping[Id, set[int]], history: Sequence[Id], alpha: float = 0.5) -> float:
    """Items that the dictionary does not know are dropped after the cut; the ideal is the list's own gains, sorted."""
    wanted = {genre for item in history for genre in genres.get(item, ())}
    known = [item for item in shown if item in genres]
    if not wanted or not known:
        return math.nan
    times = dict.fromkeys(wanted, 0)
    gains = []
    for item in known:
        gains.append(sum((1 - alpha) ** times[genre] for genre in genres[item] & wanted))
        for genre in genres[item] & wanted:
            times[genre] += 1
    best = discounted(sorted(gains, reverse=True))
    return discounted(gains) / best if best > 0 else 0.0


def informfully_ndcg(shown: Sequence[Id], grades: Mapping[Id, float]) -> float:
    """The ideal is the list's own grades, sorted."""
    gains = [grades.get(item, 0.0) for item in shown]
    best = discounted(sorted(gains, reverse=True))
    return discounted(gains) / best if best > 0 else 0.0


# Without an experiment


@refitted
@pytest.mark.parametrize("which", ["test", "validation"])
def test_evaluating_models_gives_the_numbers_of_an_experiment(which: Which) -> None:
    split = split_of(1, validation=0.2)
    genres = by_index(split, some_genres(1))
    models = [MostPop(), MF(k=4, max_iter=5, seed=1, num_threads=1, verbose=False, name="Factors"), Mixture()]
    texts: list[Any] = [
        "AlphaNDCG@5,10",
        asp.NDCG(k=5),
        Metric("GiniComplement@5"),
        Metric("ERRIA@5", item_genre=by_index(split, some_genres(2))),
    ]
    results = evaluate(models, split, texts, on=which, item_genre=genres)
    assert list(results) == ["MostPop", "Factors", "Mixture"]
    experiment = run(
        split,
        [model.clone() for model in models],
        [AlphaNDCG(genres, k=[5, 10]), Metric("NDCG@5"), Metric("GiniComplement@5"), texts[3]],
    )
    parts = Parts.of(split)
    frame = results.per_user
    assert frame.columns == ["system", "user", "AlphaNDCG@5", "AlphaNDCG@10", "NDCG@5", "ERRIA@5"]
    for result in experiment.result if which == "test" else experiment.val_result:
        own = results[result.model_name]
        assert list(own) == ["AlphaNDCG@5", "AlphaNDCG@10", "NDCG@5", "GiniComplement@5", "ERRIA@5"]
        assert dict(own) == {name: result.metric_avg_results[name] for name in own}
        for name in frame.columns[2:]:
            rows = frame.filter(frame["system"] == result.model_name)
            found = {parts.users.index(user): score for user, score in zip(rows["user"], rows[name], strict=True)}
            assert same_scores(found, result.metric_user_results[name])


def test_evaluating_one_metric_needs_no_list() -> None:
    split = split_of(1)
    numbers = [
        evaluate([MostPop()], split, metric)["MostPop"]["NDCG@5"] for metric in ("NDCG@5", asp.NDCG(k=5), Metric("NDCG@5"), ["NDCG@5"])
    ]
    assert len(set(numbers)) == 1


def test_evaluating_a_cross_validation_makes_each_fold_a_system() -> None:
    def method() -> Any:
        return CrossValidation(some_ratings(2), n_folds=3, rating_threshold=3.0, seed=2)

    results = evaluate([MostPop(), Mixture()], method(), ["AlphaNDCG@5", "NDCG@5"], aspects=some_genres(2))
    assert list(results) == [f"{model}, fold {fold}" for model in ("MostPop", "Mixture") for fold in range(3)]
    experiment = run(method(), [MostPop(), Mixture()], [AlphaNDCG(aspects=some_genres(2), k=5), Metric("NDCG@5")])
    for result in experiment.result:
        for fold, part in enumerate(result):
            assert dict(results[f"{result.model_name}, fold {fold}"]) == without_times(part.metric_avg_results)


def test_evaluating_notes_what_should_be_known() -> None:
    train, test, _ = split_by_hand(1)
    results = evaluate([Mixture(broken=True)], BaseMethod.from_splits(train, test), "AlphaNDCG@5", aspects=some_genres(1, range(106)))
    details = results["Mixture"].details["AlphaNDCG@5"]
    assert details["undefined"] >= 2
    assert says_undefined(results.notes, "Mixture", "AlphaNDCG@5", details["undefined"], details["undefined"] + details["scored"])
    assert any("have a score that is no number" in note for note in results.notes)
