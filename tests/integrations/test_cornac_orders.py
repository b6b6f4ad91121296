"""Models that rank in an order of their own, inputs that change, and what is said below the table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cornac
import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
from cornac.eval_methods import BaseMethod, CrossValidation, RatioSplit
from cornac.hyperopt import Discrete
from cornac.models import MF, MostPop

import aspectrum as asp
from aspectrum.errors import InputError, MetricError
from aspectrum.integrations.cornac import AlphaNDCG, AspectRecall, Experiment, GridSearch, IntraListDiversity, Metric, NDCGScore, evaluate
from tests.integrations.cornac_data import Mixture, by_index, one_thread, some_features, some_genres, some_ratings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with one_thread():
        yield


@pytest.fixture
def split() -> Any:
    return RatioSplit(some_ratings(1), test_size=0.3, rating_threshold=3.0, seed=1)


class Reranked(Mixture):
    """Odd items first, then by score; says the scores of before, as models that re-rank do. Cuts at k if it is told to."""

    def __init__(self, name: str = "Reranked", cuts: bool = False) -> None:
        super().__init__(name=name)
        self.cuts = cuts

    def rank(self, user_idx: int, item_indices: Any = None, k: int = -1, **_: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        by_score, scores = super().rank(user_idx, item_indices, k=-1)
        order = np.array(sorted(by_score.tolist(), key=lambda item: item % 2 == 0))  # sorted keeps the order of what is equal
        if self.cuts and k > 0:
            order[k:] = np.sort(order[k:])
        return order, scores


def lists_of(model: Any, method: Any, depth: int) -> dict[Any, list[Any]]:
    """The lists that a model that is trained gives to the users of the test set."""
    train, test = method.train_set.csr_matrix, method.test_set.csr_matrix
    users, items = ({index: id for id, index in ids.items()} for ids in (method.global_uid_map, method.global_iid_map))
    lists = {}
    for user in sorted(set(method.test_set.uir_tuple[0].tolist())):
        if not (test[user].data >= method.rating_threshold).any():
            continue
        known = set(train[user].indices[train[user].data >= method.rating_threshold].tolist())
        candidates = np.array([item for item in range(method.train_set.num_items) if item not in known])
        lists[users[user]] = [items[item] for item in model.rank(user, candidates, k=-1)[0][:depth].tolist()]
    return lists


def ratings_of(method: Any) -> list[tuple[Any, Any, float]]:
    users, items = ({index: id for id, index in ids.items()} for ids in (method.global_uid_map, method.global_iid_map))
    rows = zip(*(column.tolist() for column in method.test_set.uir_tuple), strict=True)
    return [(users[user], items[item], rating) for user, item, rating in rows]


@pytest.mark.parametrize("theirs", [[], [cornac.metrics.NDCG(k=10)], [cornac.metrics.MRR()], [cornac.metrics.NDCG(k=[2, 20])]])
@pytest.mark.parametrize("cuts", [False, True])
def test_an_order_of_its_own_counts(split: Any, theirs: list[Any], cuts: bool) -> None:
    genres = some_genres(1)
    model = Reranked(cuts=cuts)
    experiment = Experiment(split, [model], [*theirs, AspectRecall(aspects=genres, k=[3, 7]), AlphaNDCG(aspects=genres, k=7)])
    experiment.run()
    lists = lists_of(model, split, 7)
    expected = asp.evaluate(lists, "AspectRecall@3,7", aspects=genres, catalogue=split.global_iid_map)
    assert experiment.result[0].metric_avg_results["AspectRecall@3"] == expected["AspectRecall@3"]
    assert experiment.result[0].metric_avg_results["AspectRecall@7"] == expected["AspectRecall@7"]
    by_score = evaluate([Mixture()], split, "AspectRecall@7", aspects=genres)["Mixture"]["AspectRecall@7"]
    assert by_score != expected["AspectRecall@7"]
    assert (
        evaluate([Reranked(cuts=cuts)], split, "AspectRecall@7", aspects=genres)["Reranked"]["AspectRecall@7"] == expected["AspectRecall@7"]
    )


@pytest.mark.parametrize("k", [4, -1])
def test_a_model_that_was_asked_for_less(split: Any, k: int, capsys: pytest.CaptureFixture[str]) -> None:
    Experiment(split, [Reranked(cuts=True), Mixture()], [cornac.metrics.NDCG(k=3), NDCGScore(k=k)]).run()
    out = capsys.readouterr().out
    assert "Reranked: ranks by itself, and Cornac asked for the first 3 only; further down the order may be any\n" in out
    assert "Mixture: ranks" not in out
    Experiment(split, [Reranked(cuts=True)], [cornac.metrics.NDCG(k=3), NDCGScore(k=3)]).run()
    Experiment(split, [Reranked(cuts=True)], [cornac.metrics.MRR(), NDCGScore(k=k)]).run()
    assert "ranks by itself" not in capsys.readouterr().out


class Alphabet(MostPop):
    """All scores are equal, and the order is by index, up or down; so many items only."""

    def __init__(self, name: str = "Alphabet", down: bool = False, length: int = 30) -> None:
        super().__init__(name=name)
        self.down, self.length = down, length

    def rank(self, user_idx: int, item_indices: Any = None, k: int = -1, **_: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        order = np.sort(item_indices)[:: -1 if self.down else 1]
        return order[: self.length], np.ones(len(order))


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("length", [2, 30])
def test_an_order_that_the_scores_do_not_contradict_counts_as_well(split: Any, down: bool, length: int) -> None:
    model = Alphabet(down=down, length=length)
    found = evaluate([model], split, ["Recall@10", "GiniComplement@10"])["Alphabet"]
    lists = lists_of(model, split, 10)
    assert max(map(len, lists.values())) == min(length, 10)
    relevance = [(user, item, grade) for user, item, grade in ratings_of(split)]
    expected = asp.evaluate(lists, ["Recall@10", "GiniComplement@10"], relevance=relevance, threshold=3.0, catalogue=split.global_iid_map)
    assert dict(found) == dict(expected)


def test_a_way_to_rank_that_is_given_to_one_model(split: Any) -> None:
    model, other = MostPop(name="given"), Alphabet()
    model.rank = other.rank
    given = evaluate([model], split, "NDCG@5")["given"]["NDCG@5"]
    assert (
        given
        == evaluate([Alphabet()], split, "NDCG@5")["Alphabet"]["NDCG@5"]
        != evaluate([MostPop()], split, "NDCG@5")["MostPop"]["NDCG@5"]
    )


def test_a_model_that_ranks_by_itself_changes_no_number_of_the_others() -> None:
    """There are so many items that Cornac's partial sort leaves the rest in disorder."""
    chance = np.random.default_rng(1)
    pairs = {(user, int(item)): float(chance.integers(1, 6)) for user in range(20) for item in chance.integers(0, 1500, 150)}
    method = RatioSplit([(user, item, rating) for (user, item), rating in pairs.items()], test_size=0.3, rating_threshold=3.0, seed=1)
    theirs = [cornac.metrics.NDCG(k=-1), cornac.metrics.MRR(), cornac.metrics.MAP()]

    def numbers(kind: Any, ours: list[Any]) -> list[dict[str, float]]:
        experiment = kind(method, [MF(k=3, max_iter=5, seed=1, num_threads=1, verbose=False), Reranked()], [*theirs, *ours])
        experiment.run()
        names = ("NDCG@-1", "MRR", "MAP")
        return [{name: result.metric_avg_results[name] for name in names} for result in experiment.result]

    assert numbers(Experiment, [NDCGScore(k=3)]) == numbers(cornac.Experiment, [])


def test_a_cutoff_beyond_all_items_with_a_model_that_ranks_by_itself(split: Any) -> None:
    Experiment(split, [MostPop(), Reranked()], [NDCGScore(k=500), cornac.metrics.MRR()]).run()


def test_a_search_among_models_with_an_order_of_their_own() -> None:
    method = RatioSplit(some_ratings(1), test_size=0.3, val_size=0.2, rating_threshold=3.0, seed=1)
    genres = some_genres(1)
    search = GridSearch(Reranked(), [Discrete("cuts", [False, True])], AspectRecall(aspects=genres, k=7), method)
    search.fit(method.train_set, method.val_set)
    other = evaluate([Reranked()], method, "AspectRecall@7", aspects=genres, on="validation")["Reranked"]["AspectRecall@7"]
    assert search.best_score == other


def test_rows_of_0_and_1_may_be_lists(split: Any) -> None:
    arrays = by_index(split, some_genres(1))
    forms: list[dict[int, Any]] = [
        arrays,
        {index: has.tolist() for index, has in arrays.items()},
        {index: tuple(has.tolist()) for index, has in arrays.items()},
        {index: has.astype(bool) for index, has in arrays.items()},
    ]
    assert len({evaluate([Mixture()], split, "AlphaNDCG@5", item_genre=form)["Mixture"]["AlphaNDCG@5"] for form in forms}) == 1
    with pytest.raises(InputError, match="is not 0/1"):
        AlphaNDCG({0: [3, 7]}, k=5)


def test_inputs_that_change_later(split: Any) -> None:
    matrix = np.random.default_rng(1).random((30, 3))
    genres: dict[Any, Any] = dict(some_genres(1))
    index = by_index(split, genres)
    before = [IntraListDiversity(matrix, k=5), AlphaNDCG(aspects=genres, k=5), AspectRecall(index, k=5)]
    expected = evaluate([Mixture()], split, before)["Mixture"]
    matrix -= matrix.mean(axis=0)
    for some in (genres, index):
        for item in list(some)[::2]:
            some[item] = 1 - some[item]
    after = [
        IntraListDiversity(matrix, k=5, name="Centred"),
        AlphaNDCG(aspects=genres, k=5, name="Other"),
        AspectRecall(index, k=5, name="Too"),
    ]
    found = evaluate([Mixture()], split, [*before, *after])["Mixture"]
    assert {name: found[name] for name in expected} == dict(expected)
    assert found["Centred@5"] > 2 * found["IntraListDiversity@5"]
    assert found["Other@5"] != found["AlphaNDCG@5"]
    alone = evaluate([Mixture()], split, after)["Mixture"]
    assert {name: found[name] for name in alone} == dict(alone)


def test_an_index_of_another_split_is_noticed(split: Any) -> None:
    other = RatioSplit(some_ratings(1), test_size=0.3, rating_threshold=3.0, seed=2)
    metric = AlphaNDCG(by_index(split, some_genres(1)), k=5)
    said = "item_genre goes by Cornac's index, and this split numbers the items in another way than the one before"
    assert said not in evaluate([Mixture()], split, metric).notes
    assert said in evaluate([Mixture()], other, metric).notes
    assert said not in evaluate([Mixture()], split, metric).notes


def test_a_search_in_a_cross_validation_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    method = CrossValidation(some_ratings(1), n_folds=2, rating_threshold=3.0, seed=1)
    search = cornac.hyperopt.GridSearch(Mixture(), [Discrete("factor", [3, 5])], cornac.metrics.NDCG(k=5), method)
    Experiment(method, [search], [NDCGScore(k=5)]).run()
    assert "in a cross-validation, Cornac hands the test fold to a search as its validation set\n" in capsys.readouterr().out
    Experiment(method, [Mixture()], [NDCGScore(k=5)]).run()
    assert "test fold" not in capsys.readouterr().out


def test_ids_are_compared_before_folds_are_trained() -> None:
    class Untrained(MostPop):
        def fit(self, *_: Any) -> Any:
            raise AssertionError("trained")

    method = CrossValidation(some_ratings(1), n_folds=2, rating_threshold=3.0, seed=1)
    with pytest.raises(InputError, match="item ids have different types"):
        Experiment(method, [Untrained()], [AlphaNDCG(aspects={"a": ["x"]}, k=5)])
    with pytest.raises(InputError, match=r"AlphaNDCG: none of the items of aspects \(such as 700\) is among Cornac's \(such as \d+\)"):
        Experiment(method, [Untrained()], [AlphaNDCG(aspects={700: ["x"]}, k=5)])


def test_items_that_nobody_knows(split: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"IntraListDiversity: none of the items of features \(such as 701\) is among Cornac's"):
        evaluate([MostPop()], split, "ILD@5", features={701: [1.0], 702: [2.0]})
    (tmp_path / "genres.csv").write_text("item,genre\n701,a\n702,b\n")
    with pytest.raises(InputError, match=r"none of the items of aspects \(such as '701'\) is among Cornac's"):
        evaluate([MostPop()], split, "AlphaNDCG@5", aspects="genres.csv")


def test_names_of_columns(split: Any) -> None:
    recall = [cornac.metrics.Recall(k=[5, 10]), cornac.metrics.Recall(k=10)]
    for ours in ([], [NDCGScore(k=5)]):  # what Cornac takes twice is its own affair
        experiment = Experiment(split, [MostPop()], [*recall, *ours])
        experiment.run()
        names = ["Recall@10", "Recall@5", *(name for metric in ours for name in metric.names), "Train (s)", "Test (s)"]
        assert list(experiment.result[0].metric_avg_results) == names
    for name in ("Recall@10", "Train (s)", "Test (s)", "Time (s)"):
        with pytest.raises(MetricError, match="two columns are called"):
            Experiment(split, [MostPop()], [*recall, Metric("NDCG", name=name)])


def test_notes_on_inputs_are_said_once(split: Any, capsys: pytest.CaptureFixture[str]) -> None:
    genres = dict(list(some_genres(1).items())[:10])
    Experiment(split, [MostPop(), Mixture()], [AlphaNDCG(aspects=genres, k=5)]).run()
    out = capsys.readouterr().out
    assert out.count("relevance: ") == out.count("history: ") == 1
    assert "MostPop: MostPop" not in out
    method = CrossValidation(some_ratings(1), n_folds=3, rating_threshold=3.0, seed=1)
    Experiment(method, [MostPop(), Mixture()], [AlphaNDCG(aspects=genres, k=5)]).run()
    lines = capsys.readouterr().out.splitlines()
    notes = [line for line in lines if " are not in aspects" in line]
    assert len(notes) == len(set(notes)) <= 3 * 4  # of each fold: both models, truth and history


def test_a_note_that_holds_for_one_fold_only_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    ratings = [("u", "a", 5.0), ("u", "b", 5.0), ("v", "a", 5.0), ("v", "b", 5.0), ("u", "c", 5.0), ("v", "c", 5.0)]
    method = CrossValidation(ratings, n_folds=2, partition=np.array([0, 1, 1, 0, 0, 0]), exclude_unknowns=False, seed=1)
    found = evaluate([MostPop()], method, "AlphaNDCG@1", aspects={"a": ["x"], "b": ["y"]}).notes
    assert "fold 0: relevance: 1 of 3 items are not in aspects (such as 'c')" in found
    assert "fold 1: history: 1 of 3 items are not in aspects (such as 'c')" in found


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda split: AlphaNDCG(aspects={1: ["x"]}, k=5, convention=["published", "informfully"]),
            "a column has one: make a metric for each",
        ),
        (lambda split: AlphaNDCG(aspects={1: ["x"]}, k=5, convention="published,informfully"), "a column has one: make a metric for each"),
        (lambda split: AlphaNDCG(aspects={1: ["x"]}, k=5, convention=3), "unknown convention 3"),
        (
            lambda split: AlphaNDCG(aspects={1: ["x"]}, k=5, convention="ndeval"),
            "cannot be computed from what Cornac knows, by the convention ndeval",
        ),
        (lambda split: GridSearch(Mixture(), [], "NDCG@5", split), "'NDCG@5' is not a Cornac metric; wrap aspectrum metrics as Metric"),
        (
            lambda split: GridSearch(Mixture(), [], asp.NDCG(k=5), split),
            r"is not a Cornac metric; wrap aspectrum metrics as Metric\('NDCG@5', ...\)",
        ),
        (lambda split: evaluate(MostPop(), split, "NDCG@5"), "models is MostPop, expected a list"),
        (lambda split: evaluate([], split, "NDCG@5"), "there is no model to evaluate"),
        (lambda split: evaluate(["MF"], split, "NDCG@5"), "'MF' is no model of Cornac"),
    ],
)
def test_mistakes(split: Any, make: Any, message: str) -> None:
    with pytest.raises((InputError, MetricError), match=message):
        make(split)


def test_a_grid_of_nothing() -> None:
    method = RatioSplit(some_ratings(1), test_size=0.3, val_size=0.2, rating_threshold=3.0, seed=1)
    search = GridSearch(Mixture(), [Discrete("factor", [])], NDCGScore(k=5), method)
    with pytest.raises(InputError, match="GridSearch_Mixture has no setting to try"):
        search.fit(method.train_set, method.val_set)


def test_scores_that_are_objects() -> None:
    class Objects(MostPop):
        def score(self, user_idx: int, item_idx: Any = None) -> Any:
            return super().score(user_idx, item_idx).astype(object)

    method = BaseMethod.from_splits([("u", "a", 5.0), ("v", "b", 4.0), ("w", "b", 4.0)], [("u", "b", 5.0)])
    assert evaluate([Objects(name="x")], method, "NDCG@5")["x"]["NDCG@5"] == 1.0


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_sparse_features_that_change_later(split: Any, kind: Any) -> None:
    dense = np.random.default_rng(1).random((33, 4)) + 0.1
    sparse = kind(dense)
    metric = IntraListDiversity(sparse, k=5)
    expected = evaluate([Mixture()], split, IntraListDiversity(dense[:30], k=5))["Mixture"]["ILD@5"]
    sparse.data[:20] = 0.0
    assert evaluate([Mixture()], split, metric)["Mixture"]["ILD@5"] == pytest.approx(expected, rel=1e-12)


def test_strengths_tell_inputs_apart(split: Any) -> None:
    names = {item: np.flatnonzero(has).tolist() for item, has in some_genres(1).items()}
    weak, strong = ({item: dict.fromkeys(own, strength) for item, own in names.items()} for strength in (0.3, 1.0))
    metrics = [AlphaNDCG(aspects=aspects, k=5, alpha=0.9, name=name) for name, aspects in (("Weak", weak), ("Strong", strong))]
    found = evaluate([Mixture()], split, metrics)["Mixture"]
    for metric in metrics:
        assert found[metric.name] == evaluate([Mixture()], split, metric)["Mixture"][metric.name]
    assert found[metrics[0].name] != found[metrics[1].name]


def test_features_that_repeat() -> None:
    """Two columns that are one and the same number are computed once, whatever objects they come from."""
    split = RatioSplit(some_ratings(1), test_size=0.3, rating_threshold=3.0, seed=1)
    one, other = (IntraListDiversity(features=some_features(1), k=5, name=name) for name in ("One", "Other"))
    assert one.key == other.key
    found = evaluate([Mixture()], split, [one, other])["Mixture"]
    assert found["One@5"] == found["Other@5"]
