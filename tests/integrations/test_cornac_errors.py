"""What Cornac's experiments refuse of our metrics, how equal scores are ordered, and what importing costs."""

import importlib
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cornac
import numpy as np
import polars as pl
import pytest
from cornac.eval_methods import (
    BaseMethod,
    CrossValidation,
    NextBasketEvaluation,
    NextItemEvaluation,
    PropensityStratifiedEvaluation,
    RatioSplit,
)
from cornac.models import MostPop
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
import aspectrum.integrations.cornac
from aspectrum.errors import AspectrumError, InputError, MetricError, MissingInput, MissingLibrary
from aspectrum.integrations.cornac import (
    ERRIA,
    AlphaNDCG,
    AspectRecall,
    Experiment,
    GiniComplement,
    GridSearch,
    IntraListDiversity,
    Metric,
    NDCGScore,
    evaluate,
)
from aspectrum.integrations.cornac.recording import best_first
from tests.integrations.cornac_data import Interrupted, Mixture, by_index, some_features, some_genres, some_ratings
from tests.strategies import checked

GENRES = {0: np.array([1, 0]), 1: np.array([0, 1])}


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cornac writes its log where it runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def split() -> Any:
    return RatioSplit(some_ratings(1), test_size=0.3, rating_threshold=3.0, seed=1)


# Names


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        (AlphaNDCG(GENRES), ["AlphaNDCG"]),
        (AlphaNDCG(GENRES, 5, 0.9), ["AlphaNDCG(alpha=0.9)@5"]),
        (AlphaNDCG(GENRES, k=[10, 5]), ["AlphaNDCG@5", "AlphaNDCG@10"]),
        (AlphaNDCG(GENRES, k=[5, 10], convention="informfully"), ["AlphaNDCG@5 (informfully)", "AlphaNDCG@10 (informfully)"]),
        (AlphaNDCG(GENRES, k=5, name="Genres"), ["Genres@5"]),
        (AlphaNDCG(aspects={"a": ["x"]}, k=5, judged_by="relevance"), ["AlphaNDCG(judged_by=relevance)@5"]),
        (NDCGScore(10), ["NDCGScore@10"]),
        (NDCGScore(k=10, gain="exponential", name="Graded"), ["Graded(gain=exponential)@10"]),
        (IntraListDiversity(np.eye(3), 2), ["IntraListDiversity@2"]),
        (ERRIA(GENRES, 3, stop=0.25), ["ERRIA(stop=0.25)@3"]),
        (AspectRecall(GENRES, 3), ["AspectRecall@3"]),
        (GiniComplement(4), ["GiniComplement@4"]),
        (Metric("PrecisionIA@5,10", item_genre=GENRES), ["PrecisionIA@5", "PrecisionIA@10"]),
        (Metric("ILD@5", item_feature=np.eye(3)), ["IntraListDiversity@5"]),
        (Metric(asp.NDCG(k=(3, 7))), ["NDCG@3", "NDCG@7"]),
    ],
)
def test_columns_are_named_after_the_metric(metric: Any, names: list[str]) -> None:
    assert metric.names == names
    assert metric.name == ", ".join(names)
    assert metric.k == -1
    assert metric.higher_better


@pytest.mark.parametrize(
    "metrics",
    [
        [Metric("NDCG@10"), cornac.metrics.NDCG(k=10)],
        [cornac.metrics.NDCG(k=[5, 10]), Metric("NDCG@7,10")],
        [cornac.metrics.MAP(), Metric("MAP")],
        [NDCGScore(k=10), NDCGScore(k=[10, 20])],
        [AlphaNDCG(GENRES, k=10), AlphaNDCG(aspects={0: ["x"]}, k=10)],
    ],
)
def test_two_columns_of_one_name(split: Any, metrics: Sequence[Any]) -> None:
    shared = {"NDCG": "NDCG@10", "MAP": "MAP", "NDCGScore": "NDCGScore@10", "AlphaNDCG": "AlphaNDCG@10"}[metrics[1].name.partition("@")[0]]
    with pytest.raises(MetricError, match=f"two columns are called {shared}; give one of them another name, as in NDCGScore"):
        Experiment(split, [MostPop()], metrics)


def test_another_name_parts_them(split: Any) -> None:
    experiment = Experiment(split, [MostPop()], [Metric("NDCG@10", name="Graded"), cornac.metrics.NDCG(k=10)])
    experiment.run()
    averages = experiment.result[0].metric_avg_results
    assert list(averages)[:2] == ["NDCG@10", "Graded@10"]
    assert averages["NDCG@10"] != averages["Graded@10"]


def test_evaluating_a_metric_twice(split: Any) -> None:
    with pytest.raises(MetricError, match="two columns are called NDCG@5"):
        evaluate([MostPop()], split, ["NDCG@5", "NDCG@5,10"])


# Metrics


def test_our_metric_in_cornac_s_own_experiment(split: Any) -> None:
    message = (
        r"AlphaNDCG@5 needs the user id, which Cornac does not pass to metrics: "
        r"run it with Experiment, GridSearch or RandomSearch from aspectrum\.integrations\.cornac instead of Cornac's own"
    )
    with pytest.raises(AspectrumError, match=message):
        cornac.Experiment(split, [MostPop()], [AlphaNDCG(by_index(split, some_genres(1)), k=5)]).run()


@pytest.mark.parametrize(
    ("metric", "hint"), [("NDCG@5", "Metric('NDCG@5', ...)"), (asp.NDCG(k=5), "Metric('NDCG@5', ...)"), (cornac.metrics.NDCG, "")]
)
def test_what_is_no_metric_of_cornac(split: Any, metric: Any, hint: str) -> None:
    with pytest.raises(MetricError, match="is not a Cornac metric; wrap aspectrum metrics as .*" + re.escape(hint)):
        Experiment(split, [MostPop()], [cornac.metrics.NDCG(k=5), metric])


@pytest.mark.parametrize("metric", [cornac.metrics.NDCG(k=5), 5, None])
def test_what_is_no_metric_of_ours(metric: Any) -> None:
    with pytest.raises(MetricError, match="is not a metric; give its text form, or an object such as"):
        Metric(metric)


def test_misspelt_metrics_and_conventions() -> None:
    with pytest.raises(MetricError, match="did you mean"):
        Metric("PrecisonIA@5", item_genre=GENRES)
    with pytest.raises(MetricError, match="did you mean 'informfully'"):
        AlphaNDCG(GENRES, k=5, convention="informfuly")
    with pytest.raises(MetricError, match="alpha is 2, expected 0 to 1"):
        AlphaNDCG(GENRES, k=5, alpha=2)


# Inputs


@pytest.mark.parametrize(
    ("make", "needs"),
    [
        (lambda: AlphaNDCG(k=5), "AlphaNDCG needs item_genre= (or aspects=)"),
        (lambda: AlphaNDCG(k=5, name="Genres"), "Genres needs item_genre= (or aspects=)"),
        (lambda: ERRIA(k=5), "ERRIA needs item_genre= (or aspects=)"),
        (lambda: AspectRecall(k=5, weights={"x": 1.0}), "AspectRecall needs item_genre= (or aspects=)"),
        (lambda: IntraListDiversity(k=5), "IntraListDiversity needs item_genre= (or aspects=) or item_feature= (or features=)"),
        (lambda: Metric("PrecisionIA@5"), "PrecisionIA needs item_genre= (or aspects=)"),
        (lambda: AlphaNDCG(GENRES, k=5, judged_by="subtopics"), "cannot be computed from what Cornac knows"),
        (lambda: AlphaNDCG(GENRES, k=5, convention="ndeval"), "cannot be computed from what Cornac knows"),
    ],
)
def test_a_missing_input(make: Any, needs: str) -> None:
    with pytest.raises(MissingInput, match=re.escape(needs)):
        make()


def test_an_input_in_two_ways() -> None:
    with pytest.raises(InputError, match="AlphaNDCG: both item_genre and aspects are given, expected one of them"):
        AlphaNDCG(GENRES, k=5, aspects={"a": ["x"]})
    with pytest.raises(InputError, match="IntraListDiversity: both item_feature and features are given, expected one of them"):
        IntraListDiversity(np.eye(2), k=5, features={"a": [1.0]})


@pytest.mark.parametrize("input", ["history", "relevance", "catalogue", "rankings"])
def test_an_input_that_cornac_knows(input: str) -> None:
    with pytest.raises(InputError, match=f"AlphaNDCG: the {input} is what Cornac's data sets say, and cannot be given"):
        Metric("AlphaNDCG@5", item_genre=GENRES, **{input: {"u": ["a"]}})  # type: ignore[arg-type]


def test_an_unknown_input() -> None:
    with pytest.raises(InputError, match="NDCGScore: there is no 'gian'; did you mean 'gain'"):
        NDCGScore(k=5, gian="exponential")
    with pytest.raises(InputError, match=r"AlphaNDCG: item_genre is ndarray, expected \{item idx: 0/1 array\}"):
        AlphaNDCG(np.eye(3), k=5)


@pytest.mark.parametrize("key", [30, 99, -1, "a", "3", 2.5, True, ("a", 1)])
def test_genres_by_something_that_is_no_index(split: Any, key: Any) -> None:
    genres = {**{index: np.array([1, 0]) for index in range(30) if index != 1}, key: np.array([0, 1])}
    expected = f"AlphaNDCG: item_genre has the key {key!r}, expected Cornac's index of an item, 0 to 29; if these are the items' own ids, say aspects="
    with pytest.raises(InputError, match=re.escape(expected)):
        Experiment(split, [MostPop()], [AlphaNDCG(genres, k=5)])
    with pytest.raises(InputError, match=re.escape(expected)):
        GridSearch(Mixture(), [], AlphaNDCG(genres, k=5), split)


def test_wrong_inputs_are_found_before_anything_is_trained(split: Any) -> None:
    class Untrained(MostPop):
        def fit(self, *_: Any) -> Any:
            raise AssertionError("trained")

    with pytest.raises(InputError, match="item ids have different types"):
        Experiment(split, [Untrained()], [AlphaNDCG(aspects={"a": ["x"], "b": ["y"]}, k=5)])
    with pytest.raises(InputError, match="item ids have different types"):
        evaluate([Untrained()], split, "AlphaNDCG@5", aspects={"a": ["x"], "b": ["y"]})
    with pytest.raises(InputError, match="has two vectors"):
        Experiment(split, [Untrained()], [IntraListDiversity(features=([1, 1], np.eye(2)), k=5)])


def test_keys_that_may_be_ids_or_indices(
    split: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    genres = {index: np.array([1, index % 2]) for index in range(30)}
    Experiment(split, [MostPop()], [AlphaNDCG(genres, k=5), AspectRecall(genres, k=5)]).run()
    said = "item_genre goes by Cornac's index, and items are called by such numbers, too: if these are meant, say aspects=\n"
    assert capsys.readouterr().out.count(said) == 1
    named = BaseMethod.from_splits([("u", "a", 5.0), ("v", "b", 5.0)], [("u", "b", 5.0)])
    assert not evaluate([MostPop()], named, "AlphaNDCG@5", item_genre={0: np.array([1]), 1: np.array([1])}).notes
    text = BaseMethod.from_splits([("u", "1", 5.0), ("v", "0", 5.0)], [("u", "0", 5.0)])
    notes = evaluate([MostPop()], text, "AlphaNDCG@5", item_genre={0: np.array([1]), 1: np.array([1])}).notes
    assert notes == (said.strip(),)
    same = BaseMethod.from_splits([("u", 0, 5.0), ("v", 1, 5.0)], [("u", 1, 5.0)])
    assert not evaluate([MostPop()], same, "AlphaNDCG@5", item_genre={0: np.array([1]), 1: np.array([1])}).notes


def test_what_is_not_in_a_list(split: Any) -> None:
    with pytest.raises(InputError, match="models is MostPop, expected a list"):
        Experiment(split, MostPop(), [NDCGScore(k=5)])
    with pytest.raises(InputError, match="metrics is NDCGScore, expected a list"):
        Experiment(split, [MostPop()], NDCGScore(k=5))
    with pytest.raises(InputError, match="'MF' is no model of Cornac"):
        Experiment(split, ["MF"], [NDCGScore(k=5)])


def test_inputs_that_nothing_would_use(split: Any) -> None:
    with pytest.raises(InputError, match="convention, aspects would not be used: every metric has inputs of its own"):
        evaluate([MostPop()], split, NDCGScore(k=5), convention="informfully", aspects={1: ["x"]})
    assert evaluate([MostPop()], split, [NDCGScore(k=5), "AlphaNDCG@5"], aspects=some_genres(1))["MostPop"]["NDCGScore@5"] >= 0


def test_a_matrix_may_have_rows_of_more_items(split: Any) -> None:
    """As the features of a modality, which knows items that no split has."""
    matrix = np.random.default_rng(1).normal(size=(33, 4))
    larger, exact = (evaluate([MostPop()], split, IntraListDiversity(rows, k=5)) for rows in (matrix, matrix[:30]))
    assert larger["MostPop"] == exact["MostPop"]
    assert "item_feature has 33 rows for 30 items; the first count" in larger.notes
    assert not any("rows" in note for note in exact.notes)


@pytest.mark.parametrize("given", ["features.csv", pl.DataFrame({"item": [0], "x": [1.0]})])
def test_features_by_index_come_from_no_table(given: Any) -> None:
    with pytest.raises(InputError, match=r"IntraListDiversity: item_feature is \w+, expected \{item idx: vector\} or a matrix"):
        IntraListDiversity(given, k=5)


def test_ratings_in_an_array() -> None:
    ratings = np.array([(user, item, 1 + (user * item) % 5) for user in range(9) for item in range(9)])
    method = CrossValidation(ratings, n_folds=2, seed=1)
    genres = {item: ["odd" if item % 2 else "even"] for item in range(9)}
    assert evaluate([MostPop()], method, "AlphaNDCG@5", aspects=genres)["MostPop, fold 0"]["AlphaNDCG@5"] > 0


def test_a_modality_is_no_matrix(split: Any) -> None:
    with pytest.raises(InputError, match=r"item_feature is FeatureModality, expected its \.features, once a split has ordered them"):
        IntraListDiversity(cornac.data.FeatureModality(np.eye(3), ids=[1, 2, 3]), k=5)


@pytest.mark.parametrize("matrix", [{30: [1.0, 0.0], 0: [0.0, 1.0]}])
def test_features_of_more_items_than_there_are(split: Any, matrix: Any) -> None:
    expected = (
        "IntraListDiversity: item_feature has the key 30, expected Cornac's index of an item, 0 to 29; if these are the items' own ids"
    )
    with pytest.raises(InputError, match=expected):
        evaluate([MostPop()], split, IntraListDiversity(matrix, k=5))


def test_indices_may_be_numpy_s(split: Any) -> None:
    genres = by_index(split, some_genres(1))
    numbers = [
        evaluate([MostPop()], split, "AlphaNDCG@5", item_genre=given)["MostPop"]["AlphaNDCG@5"]
        for given in (genres, {np.int64(index): has for index, has in genres.items()})
    ]
    assert numbers[0] == numbers[1]


def test_ids_of_another_kind(split: Any) -> None:
    with pytest.raises(InputError, match=r"item ids have different types: .*text in aspects \('0'\)"):
        evaluate([MostPop()], split, "AlphaNDCG@5", aspects={str(item): has for item, has in some_genres(1).items()})


def test_a_rating_that_is_no_number() -> None:
    ratings = [("a", "x", 1.0), ("a", "y", math.nan), ("b", "z", 2.0)]
    method = BaseMethod.from_splits(ratings, [("a", "z", 1.0)])
    with pytest.raises(InputError, match="history: the rating of item 'y' by user 'a' is nan, expected a number"):
        Experiment(method, [MostPop()], [NDCGScore(k=2)]).run()


# Evaluation methods


def next_basket() -> Any:
    return NextBasketEvaluation(
        [(f"u{u}", f"b{u}-{b}", f"i{(u + b + i) % 7}") for u in range(9) for b in range(3) for i in range(3)], seed=1
    )


def next_item() -> Any:
    return NextItemEvaluation(fmt="SIT")


def propensity() -> Any:
    """Cornac 3.0 cannot make one from ratings: it takes the ratings for their number."""
    method = PropensityStratifiedEvaluation.__new__(PropensityStratifiedEvaluation)
    BaseMethod.__init__(method, data=some_ratings(1))
    return method


@pytest.mark.parametrize("make", [next_basket, next_item, propensity])
def test_methods_that_evaluate_in_their_own_way(make: Any) -> None:
    method = make()
    expected = (
        rf"{type(method).__name__} .*no meaning there\. Use RatioSplit, StratifiedSplit, TimestampSplit, CrossValidation or BaseMethod"
    )
    with pytest.raises(InputError, match=expected):
        Experiment(method, [MostPop()], [NDCGScore(k=5)])
    with pytest.raises(InputError, match=expected):
        evaluate([MostPop()], method, "NDCG@5")
    with pytest.raises(InputError, match=expected):
        GridSearch(Mixture(), [], NDCGScore(k=5), method)


def test_what_is_no_method(split: Any) -> None:
    with pytest.raises(InputError, match="the evaluation method is Dataset, expected one of Cornac's, such as RatioSplit"):
        Experiment(split.train_set, [MostPop()], [NDCGScore(k=5)])


@pytest.mark.parametrize("metric", [AlphaNDCG(GENRES, k=5), IntraListDiversity(np.eye(3), k=5)])
def test_items_by_index_are_refused_in_a_cross_validation(metric: Any) -> None:
    method = CrossValidation(some_ratings(1), n_folds=2, seed=1)
    expected = (
        "a cross-validation numbers the items anew for every fold, so item_genre and item_feature, which go by Cornac's index, would "
        "belong to other items: give aspects or features with the items' own ids"
    )
    with pytest.raises(InputError, match=expected):
        Experiment(method, [MostPop()], [NDCGScore(k=5), metric])
    with pytest.raises(InputError, match=expected):
        evaluate([MostPop()], method, ["NDCG@5", metric])


def test_a_threshold_that_nobody_reaches() -> None:
    expected = "no {} rating reaches the rating threshold of {}, so there is nobody to evaluate"
    method = RatioSplit(some_ratings(1), val_size=0.1, rating_threshold=9, seed=1)
    with pytest.raises(InputError, match=expected.format("test", 9)):
        Experiment(method, [MostPop()], [NDCGScore(k=5)])
    with pytest.raises(InputError, match=expected.format("test", 9)):
        evaluate([MostPop()], method, "NDCG@5")
    train = [("a", "x", 5.0), ("a", "y", 3.0), ("b", "y", 4.0)]
    method = BaseMethod.from_splits(train, [("b", "x", 5.0)], [("a", "z", 2.0)], rating_threshold=4.5)
    with pytest.raises(InputError, match=expected.format("validation", 4.5)):
        Experiment(method, [MostPop()], [NDCGScore(k=5)])
    with pytest.raises(InputError, match=expected.format("validation", 4.5)):
        evaluate([MostPop()], method, "NDCG@5", on="validation")
    experiment = Experiment(method, [MostPop()], [NDCGScore(k=5)], show_validation=False)
    experiment.run()
    assert experiment.result[0].metric_avg_results["NDCGScore@5"] == evaluate([MostPop()], method, "NDCG@5")["MostPop"]["NDCG@5"]


def test_a_threshold_that_nobody_reaches_in_a_cross_validation() -> None:
    """At all, or in the last fold only."""
    ratings = some_ratings(1)
    last = np.array([int(rating < 5.0) for _, _, rating in ratings])
    for method in (
        CrossValidation(ratings, n_folds=2, rating_threshold=9, seed=1),
        CrossValidation(ratings, n_folds=2, rating_threshold=5, partition=last),
    ):
        expected = f"no test rating reaches the rating threshold of {method.rating_threshold}, so there is nobody to evaluate"
        with pytest.raises(InputError, match=expected):
            Experiment(method, [MostPop()], [NDCGScore(k=5)]).run()
        with pytest.raises(InputError, match=expected):
            evaluate([MostPop()], method, "NDCG@5")


def test_an_error_of_a_model_is_left_as_it_is(split: Any) -> None:
    with pytest.raises(ZeroDivisionError, match="in the middle"):
        Experiment(split, [Interrupted(error=ZeroDivisionError)], [NDCGScore(k=5)]).run()


# Without an experiment


def test_two_models_of_one_name(split: Any) -> None:
    with pytest.raises(InputError, match=r"two models are called 'MostPop'; give each its own name, as in MF\(name=\.\.\.\)"):
        evaluate([MostPop(), Mixture(), MostPop()], split, "NDCG@5")


def test_a_set_that_is_not_there(split: Any) -> None:
    with pytest.raises(InputError, match=r"RatioSplit has no validation set, as in RatioSplit\(\.\.\., val_size=0\.1\)"):
        evaluate([MostPop()], split, "NDCG@5", on="validation")
    with pytest.raises(InputError, match="CrossValidation has no validation set"):
        evaluate([MostPop()], CrossValidation(some_ratings(1), n_folds=2, seed=1), "NDCG@5", on="validation")
    with pytest.raises(InputError, match="on is 'train', expected 'test' or 'validation'"):
        evaluate([MostPop()], split, "NDCG@5", on="train")  # type: ignore[arg-type]


def test_no_metric_at_all(split: Any) -> None:
    with pytest.raises(MetricError, match="no metric was asked for"):
        evaluate([MostPop()], split, [])


def test_inputs_of_texts_are_checked(split: Any) -> None:
    with pytest.raises(MissingInput, match=r"AlphaNDCG needs item_genre= \(or aspects=\)"):
        evaluate([MostPop()], split, ["NDCG@5", "AlphaNDCG@5"], features=some_features(1))
    with pytest.raises(InputError, match="there is no 'aspect'; did you mean 'aspects'"):
        evaluate([MostPop()], split, ["NDCG@5"], aspect=some_genres(1))


# The order of equal scores

SCORES = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.0, math.inf, -math.inf, 1e300, 5e-324]), st.just(math.nan), st.floats())


def in_plain_python(items: Sequence[int], scores: Sequence[float]) -> list[int]:
    """The largest score first, of equal ones the last; what is no number after all that is, again the last first."""
    places = range(len(items))
    numbers = sorted((place for place in places if not math.isnan(scores[place])), key=lambda place: (scores[place], place), reverse=True)
    return [items[place] for place in [*numbers, *(place for place in reversed(places) if math.isnan(scores[place]))]]


@checked(300)
@given(st.lists(st.tuples(st.integers(0, 3), SCORES), max_size=20))
def test_best_first_is_a_plain_sort(rows: list[tuple[int, float]]) -> None:
    """At all depths, for indices with gaps as Cornac's candidates have them, and for every kind of number that models use."""
    items = np.cumsum([step + 1 for step, _ in rows], dtype=np.int64)
    for kind in (np.float64, np.float32):
        with np.errstate(over="ignore", under="ignore"):
            scores = np.array([score for _, score in rows]).astype(kind)
        given = scores.copy()
        expected = in_plain_python(items.tolist(), scores.tolist())
        for depth in (-1, *range(1, len(rows) + 3)):
            assert best_first(items, scores, depth).tolist() == (expected if depth == -1 else expected[:depth])
        assert np.array_equal(scores, given, equal_nan=True)


@checked(100)
@given(
    st.sampled_from([np.int64, np.int32, np.int8, np.uint8, np.uint64, np.bool_]), st.lists(st.integers(-128, 255), min_size=1, max_size=20)
)
def test_best_first_of_whole_numbers(kind: Any, numbers: list[int]) -> None:
    """Such as how often an item was rated; of some kinds the largest have no negative."""
    scores = np.array(numbers).astype(kind)
    plain = [int(score) for score in scores]
    items = np.arange(5, 5 + len(scores))
    expected = sorted(items.tolist(), key=lambda item: (plain[item - 5], item), reverse=True)
    for depth in (-1, *range(1, len(scores) + 2)):
        assert best_first(items, scores, depth).tolist() == (expected if depth == -1 else expected[:depth])


def test_what_is_no_number_comes_after_minus_infinity() -> None:
    assert best_first(np.array([3, 4, 7]), np.array([-math.inf, math.nan, 0.0]), -1).tolist() == [7, 3, 4]


# Importing


def output_of(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("library", ["cornac", "ir_measures"])
def test_importing_us_does_not_import_it(library: str) -> None:
    assert output_of(f"import sys, aspectrum, aspectrum.integrations; print({library!r} in sys.modules)") == "False\n"


@pytest.mark.parametrize("how", ["import aspectrum.integrations.cornac", "import aspectrum; aspectrum.integrations.cornac"])
def test_without_cornac_the_extra_is_named(how: str) -> None:
    script = f"""
import sys
sys.modules["cornac"] = None
try:
    {how}
except ImportError as error:
    print(type(error).__name__, error)
"""
    shown = output_of(script)
    assert shown.startswith("MissingLibrary ")
    assert "cornac, which is not installed; it comes with the extra cornac: pip install 'aspectrum[cornac]'" in shown


def test_what_cornac_itself_lacks_is_not_blamed_on_cornac() -> None:
    script = """
import sys
sys.modules["powerlaw"] = None
try:
    import aspectrum.integrations.cornac
except ImportError as error:
    print(type(error).__name__, error.name)
"""
    assert output_of(script) == "ModuleNotFoundError powerlaw\n"


@pytest.mark.parametrize(
    ("version", "fits"), [("2.3.5", False), ("3.0", True), ("3.0.0", True), ("3.12.1", True), ("4.0.0", False), ("10.1", False)]
)
def test_another_version_of_cornac(version: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectrum.extras.metadata.version", lambda library: version)
    if fits:
        importlib.reload(aspectrum.integrations.cornac)
    else:
        expected = rf"by cornac from version 3\.0 and before 4, and {re.escape(version)} is installed: pip install 'aspectrum\[cornac\]'"
        with pytest.raises(MissingLibrary, match=expected):
            importlib.reload(aspectrum.integrations.cornac)
    assert aspectrum.integrations.cornac.Experiment is Experiment


def test_everything_public_is_there() -> None:
    module = asp.integrations.cornac
    assert {*module.__all__} == {
        "ERRIA",
        "AlphaNDCG",
        "AspectRecall",
        "Experiment",
        "GiniComplement",
        "GridSearch",
        "IntraListDiversity",
        "Metric",
        "NDCGScore",
        "RandomSearch",
        "evaluate",
    }
    assert all(getattr(module, name).__doc__ for name in module.__all__)
