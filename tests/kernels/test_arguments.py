"""Kernels refuse what they cannot trust: an error, never a crash."""

from typing import Any

import numpy as np
import pytest

from aspectrum import kernels

OFFSETS = np.array([0, 2, 3])
ROWS = np.array([0, 1, -1], dtype=np.int32)
STOPS = np.array([[1, 2], [1, 1]], dtype=np.int32)
TIED = np.zeros(3, np.uint8)
ONES = np.ones(8)
VECTORS = kernels.dense_vectors(np.ones((1, 2)), np.ones(1), "cosine")
DEPTHS = np.array([1, 2])
SETS: dict[str, Any] = {"set_offsets": np.array([0, 1, 3]), "set_codes": np.array([0, 0, 1], dtype=np.int32), "n_aspects": 2}


def cover(**changes: Any) -> kernels.Cover:
    return kernels.Cover(**{"offsets": OFFSETS, "rows": ROWS, **SETS, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": np.array([0, 2])},
        {"offsets": np.array([0, 4, 3])},
        {"offsets": np.array([], dtype=np.int64)},
        {"rows": np.array([0, 1, 2], dtype=np.int32)},
        {"rows": np.array([0, 1, -2], dtype=np.int32)},
        {"set_codes": np.array([0, 0, 2], dtype=np.int32)},
        {"set_codes": np.array([0, 0, -1], dtype=np.int32)},
        {"strengths": np.ones(2)},
        {"masks": np.ones(3, dtype=np.uint64)},
        {"masks": np.ones(2, dtype=np.uint64), "n_aspects": 65},
        {"masks": np.array([1, 4], dtype=np.uint64)},
        {"n_aspects": -1},
        {"interests": np.ones(2, dtype=np.uint64)},
        {"masks": np.ones(2, dtype=np.uint64), "interests": np.ones(3, dtype=np.uint64)},
        {"wanted_offsets": np.array([0, 1, 2])},
        {"wanted_offsets": np.array([0, 1, 2]), "wanted_codes": np.array([0, 2], dtype=np.int32)},
        {"wanted_offsets": np.array([0, 1]), "wanted_codes": np.array([0], dtype=np.int32)},
        {"wanted_offsets": np.array([0, 1, 2]), "wanted_codes": np.array([0, 1], dtype=np.int32), "wanted_weights": np.ones(1)},
    ],
)
def test_coverage_is_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        cover(**changes)


@pytest.mark.parametrize(
    "stops",
    [
        np.array([[1, 3], [1, 1]], dtype=np.int32),
        np.array([[2, 1], [1, 1]], dtype=np.int32),
        np.array([[-1, 1], [1, 1]], dtype=np.int32),
        np.array([[1, 2]], dtype=np.int32),
    ],
)
def test_stops_are_checked(stops: Any) -> None:
    for call in (
        lambda: kernels.place_gains(cover(), stops, 0.5),
        lambda: kernels.covered_aspects(cover(), stops),
        lambda: kernels.extreme_gains(cover(), TIED, stops, 0.5, ONES),
        lambda: kernels.extreme_coverage(cover(), TIED, stops),
        lambda: kernels.discounted_sums(OFFSETS, np.ones(3), stops, ONES),
        lambda: kernels.sorted_sums(OFFSETS, np.ones(3), stops, stops, ONES),
        lambda: kernels.count_items(OFFSETS, np.zeros(3, np.int32), stops, 1),
        lambda: kernels.count_places(OFFSETS, np.zeros(3, np.int32), stops, -1),
        lambda: kernels.dense_squares(np.ones((1, 2)), np.ones(1), True, OFFSETS, np.zeros(3, np.int32), stops),
        lambda: kernels.average_precisions(cover(), stops, totals=ONES),
        lambda: kernels.pair_extremes(VECTORS, False, OFFSETS, np.zeros(3, np.int32), stops),
        lambda: kernels.weighted_pairs(VECTORS, OFFSETS, np.zeros(3, np.int32), stops, np.ones(3), np.ones(3), ONES),
        lambda: kernels.vendi_scores(VECTORS, 1.0, OFFSETS, np.zeros(3, np.int32), stops),
        lambda: kernels.aspect_ndcgs(cover(), stops, ONES, DEPTHS, ideals=np.ones((2, 2))),
    ):
        with pytest.raises(ValueError, match=r"stop"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: kernels.discounted_sums(OFFSETS, np.ones(3), STOPS, np.ones(1)),
        lambda: kernels.discounted_sums(OFFSETS, np.ones(2), STOPS, ONES),
        lambda: kernels.sorted_sums(OFFSETS, np.ones(3), STOPS, STOPS, np.ones(1)),
        lambda: kernels.sorted_sums(OFFSETS, np.ones(3), STOPS - STOPS, STOPS, ONES),
        lambda: kernels.extreme_gains(cover(), TIED[:2], STOPS, 0.5, ONES),
        lambda: kernels.extreme_gains(cover(), TIED, STOPS, 0.5, np.ones(1)),
        lambda: kernels.extreme_gains(cover(), TIED, STOPS, 0.5, np.array([0.5, 1.0])),
        lambda: kernels.extreme_gains(cover(), TIED, STOPS, 1.5, ONES),
        lambda: kernels.extreme_gains(cover(), TIED, STOPS, 0.5, ONES, work=-1),
        lambda: kernels.extreme_coverage(cover(), TIED[:2], STOPS),
        lambda: kernels.extreme_coverage(cover(), TIED, STOPS, work=-1),
        lambda: kernels.extreme_coverage(cover(), TIED, STOPS, np.array([0, 2, 4])),
        lambda: kernels.extreme_coverage(cover(), TIED, STOPS, np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2)),
        lambda: kernels.extreme_coverage(cover(), TIED, STOPS, np.array([0, 2, 4]), np.array([0, 1, 0, 2], np.int32), np.ones(4)),
        lambda: kernels.extreme_coverage(cover(), TIED, STOPS, np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32), np.ones(3)),
        lambda: kernels.greedy_pools(
            cover(), np.array([0, 1, 1]), np.array([2], np.int32), np.zeros(2, np.int32), np.array([1]), ONES, 0.5
        ),
        lambda: kernels.greedy_pools(cover(), np.array([0, 1]), np.array([0], np.int32), np.zeros(2, np.int32), np.array([1]), ONES, 0.5),
        lambda: kernels.greedy_pools(
            cover(), np.array([0, 1, 1]), np.array([0], np.int32), np.zeros(1, np.int32), np.array([1]), ONES, 0.5
        ),
        lambda: kernels.greedy_pools(
            cover(), np.array([0, 2, 2]), np.array([0, 1], np.int32), np.zeros(2, np.int32), np.array([2]), np.ones(1), 0.5
        ),
        lambda: kernels.greedy_pools(
            cover(), np.array([0, 1, 1]), np.array([0], np.int32), np.zeros(2, np.int32), np.array([-1, 1]), ONES, 0.5
        ),
        lambda: kernels.greedy_catalogue(
            cover(), np.array([5], np.int32), np.array([0, 1]), np.array([0], np.int32), 1, depths=np.array([1]), discounts=ONES, alpha=0.5
        ),
        lambda: kernels.greedy_catalogue(
            cover(), np.array([0], np.int32), np.array([0, 1]), np.array([3], np.int32), 1, depths=np.array([1]), discounts=ONES, alpha=0.5
        ),
        lambda: kernels.greedy_catalogue(
            cover(),
            np.array([0], np.int32),
            np.array([0, 1]),
            np.array([0], np.int32),
            1,
            np.array([0, 1, 1]),
            np.array([4], np.int32),
            depths=np.array([1]),
            discounts=ONES,
            alpha=0.5,
        ),
        lambda: kernels.distinct_sets(cover(), np.array([2], np.int32), np.zeros(2, np.int32)),
        lambda: kernels.distinct_sets(cover(), np.array([0], np.int32), np.zeros(1, np.int32)),
        lambda: kernels.average_precisions(cover(), STOPS),
        lambda: kernels.average_precisions(cover(), STOPS, np.array([0, 1, 1]), np.array([7], np.int32)),
        lambda: kernels.average_precisions(cover(), STOPS, totals=np.ones(1)),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, DEPTHS),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, DEPTHS, ideals=np.ones((1, 2))),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, DEPTHS, ideals=np.ones((2, 1))),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, np.array([1]), ideals=np.ones((2, 2))),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, np.ones(1), DEPTHS, ideals=np.ones((2, 2))),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, np.ones(2), np.array([1, -1]), np.array([0, 3, 3]), np.zeros(3, np.int32)),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, DEPTHS, np.array([0, 1, 1]), np.array([7], np.int32)),
        lambda: kernels.aspect_ndcgs(cover(), STOPS, ONES, DEPTHS, np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.union_masks(OFFSETS, np.array([0, 1, 2], np.int32), np.ones(2, np.uint64)),
        lambda: kernels.aspect_counts(OFFSETS, np.array([0, 1, 2], np.int32), SETS["set_offsets"], SETS["set_codes"], 2),
        lambda: kernels.aspect_counts(OFFSETS, ROWS, SETS["set_offsets"], SETS["set_codes"], 1),
        lambda: kernels.lookup(OFFSETS, np.zeros(3, np.int32), np.array([0, 1]), np.zeros(1, np.int32)),
        lambda: kernels.find_repeat(OFFSETS, np.array([0, 1, 5], np.int32), 3),
        lambda: kernels.ordered_lists(OFFSETS, np.array([0, 1, 5], np.int32), 3),
        lambda: kernels.ordered_lists(OFFSETS, np.zeros(3, np.int32), 3, np.ones(2)),
        lambda: kernels.ordered_lists(OFFSETS, np.zeros(3, np.int32), 3, None, np.ones(4)),
        lambda: kernels.ordered_lists(OFFSETS, np.zeros(3, np.int32), 3, depth=-2),
        lambda: kernels.count_items(OFFSETS, np.array([0, 1, 5], np.int32), STOPS, 3),
        lambda: kernels.group_rows(np.array([0, 4], np.int32), 3),
        lambda: kernels.bucket_rows(OFFSETS, np.array([0, -1], np.int32), np.zeros(3, np.int32), [], 2),
        lambda: kernels.bucket_rows(OFFSETS, np.zeros(1, np.int32), np.zeros(3, np.int32), [], 2),
        lambda: kernels.bucket_rows(OFFSETS, np.zeros(2, np.int32), np.zeros(3, np.int32), [np.ones(2)], 2),
        lambda: kernels.bucket_rows(OFFSETS, np.zeros(2, np.int32), np.zeros(3, np.int32), [], 0),
        lambda: kernels.dense_squares(np.ones((1, 2)), np.ones(1), True, OFFSETS, np.array([0, 0, 1], np.int32), STOPS),
        lambda: kernels.dense_squares(np.ones((1, 2)), np.ones(2), True, OFFSETS, np.zeros(3, np.int32), STOPS),
        lambda: kernels.dense_pairs(np.ones((1, 2)), "manhattan", OFFSETS, np.zeros(3, np.int32), STOPS),
        lambda: kernels.sparse_pairs(
            np.array([0, 2]), np.array([1, 0], np.int32), np.ones(2), 2, "jaccard", OFFSETS, np.zeros(3, np.int32), STOPS
        ),
        lambda: kernels.sparse_lengths(np.array([0, 1]), np.array([3], np.int32), np.ones(1), 3),
        lambda: kernels.sparse_lengths(np.array([0, 1]), np.array([0], np.int32), np.ones(2), 3),
        lambda: kernels.dense_vectors(np.ones((1, 2)), np.ones(2), "cosine"),
        lambda: kernels.dense_vectors(np.ones((1, 2)), np.ones(1), "manhattan"),
        lambda: kernels.sparse_vectors(np.array([0, 2]), np.array([1, 0], np.int32), np.ones(2), 2, np.ones(1), "cosine"),
        lambda: kernels.sparse_vectors(np.array([0, 1]), np.array([0], np.int32), np.ones(1), 2, np.ones(2), "cosine"),
        lambda: kernels.set_distances(VECTORS, True, OFFSETS, np.array([0, 0, 1], np.int32), OFFSETS, np.zeros(3, np.int32)),
        lambda: kernels.set_distances(VECTORS, True, OFFSETS, np.zeros(3, np.int32), OFFSETS, np.array([0, 0, -3], np.int32)),
        lambda: kernels.set_distances(VECTORS, True, OFFSETS, np.zeros(3, np.int32), np.array([0, 3]), np.zeros(3, np.int32)),
        lambda: kernels.pair_extremes(VECTORS, True, OFFSETS, np.array([0, 0, 1], np.int32), STOPS),
        lambda: kernels.weighted_pairs(VECTORS, OFFSETS, np.zeros(3, np.int32), STOPS, np.ones(2), np.ones(3), ONES),
        lambda: kernels.weighted_pairs(VECTORS, OFFSETS, np.zeros(3, np.int32), STOPS, np.ones(3), np.ones(2), ONES),
        lambda: kernels.weighted_pairs(VECTORS, OFFSETS, np.zeros(3, np.int32), STOPS, np.ones(3), np.ones(3), np.empty(0)),
        lambda: kernels.vendi_scores(VECTORS, -1.0, OFFSETS, np.zeros(3, np.int32), STOPS),
        lambda: kernels.vendi_scores(VECTORS, float("nan"), OFFSETS, np.zeros(3, np.int32), STOPS),
        lambda: kernels.vendi_scores(
            kernels.dense_vectors(np.zeros((1, 2)), np.zeros(1), "cosine"), 1.0, OFFSETS, np.zeros(3, np.int32), STOPS
        ),
        lambda: kernels.vendi_scores(
            kernels.dense_vectors(np.ones((1, 2)), np.ones(1), "euclidean"), 1.0, OFFSETS, np.zeros(3, np.int32), STOPS
        ),
        lambda: kernels.feature_places(np.array([-1], np.int32), None, ONES, False),
        lambda: kernels.feature_places(np.array([0], np.int32), np.array([9], np.int32), ONES, False),
        lambda: kernels.group_rows(np.empty(0, np.int32), -1),
        lambda: kernels.log_discounts(0, 3, 1.0),
        lambda: kernels.log_discounts(-1, 3, 2.0),
        lambda: kernels.exact_sums(np.array([[np.inf]])),
    ],
)
def test_other_arguments_are_checked(call: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError):
        kernels.exact_sums(np.ones(3))
    with pytest.raises(TypeError):
        kernels.dense_lengths(np.array([["red"]]))


def test_empty_everything() -> None:
    nothing, nobody = np.empty(0, np.int32), np.array([0])
    no_stops = np.empty((0, 2), np.int32)
    empty = kernels.Cover(nobody, nothing, np.array([0]), nothing, 0)
    assert kernels.place_gains(empty, no_stops, 0.5).shape == (0,)
    assert kernels.covered_aspects(empty, no_stops).shape == (0, 2)
    assert [one.shape for one in kernels.extreme_gains(empty, TIED[:0], no_stops, 0.5, ONES)] == [(0, 2)] * 3
    assert [one.shape for one in kernels.extreme_coverage(empty, TIED[:0], no_stops)] == [(0, 2)] * 3
    assert kernels.greedy_pools(empty, nobody, nothing, nothing, np.array([1, 5]), ONES, 0.5).shape == (0, 2)
    assert kernels.discounted_sums(nobody, np.empty(0), no_stops, np.empty(0)).shape == (0, 2)
    assert kernels.dense_squares(np.empty((0, 0)), np.empty(0), True, nobody, nothing, no_stops).shape == (0, 2)
    no_vectors = kernels.dense_vectors(np.empty((0, 0)), np.empty(0), "cosine")
    assert kernels.set_distances(no_vectors, False, nobody, nothing, nobody, nothing).shape == (0,)
    assert kernels.pair_extremes(no_vectors, False, nobody, nothing, no_stops).shape == (0, 2)
    assert kernels.weighted_pairs(no_vectors, nobody, nothing, no_stops, np.empty(0), np.empty(0), np.empty(0)).shape == (0, 2)
    assert kernels.vendi_scores(no_vectors, 1.0, nobody, nothing, no_stops).shape == (0, 2)
    assert kernels.find_repeat(nobody, nothing, 0) == (-1, -1)
    assert kernels.group_rows(nothing, 3)[0].tolist() == [0, 0, 0, 0]


def test_threads_are_limited() -> None:
    before = kernels.threads()
    try:
        kernels.set_threads(3)
        assert kernels.threads() == 3
        kernels.set_threads(0)
        assert kernels.threads() >= 1
    finally:
        kernels.set_threads(before)
