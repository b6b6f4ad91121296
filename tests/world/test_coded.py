"""Worlds of codes: nothing is copied, nothing out of range gets through."""

import dataclasses
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.judging import cover

OFFSETS = np.array([0, 2, 3])
ITEMS = np.array([0, 1, 2], dtype=np.int32)
ASPECTS = asp.Aspects(np.array([0, 1, 2, 3]), np.array([0, 1, 1], dtype=np.int32), 2)


def test_arrays_are_kept() -> None:
    rankings = asp.Rankings(OFFSETS, ITEMS)
    assert np.shares_memory(rankings.items, ITEMS)
    assert np.shares_memory(rankings.offsets, OFFSETS)
    matrix = np.ones((3, 4), dtype=np.float32)
    world = asp.World(rankings, aspects=ASPECTS, features=asp.Features(matrix))
    assert world.features is not None
    assert np.shares_memory(world.features.matrix, matrix)
    assert np.shares_memory(world.slice(0, 1).rankings.items, ITEMS)
    assert np.shares_memory(cover(world, "membership").rows, ITEMS)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.uint8, np.uint32, np.uint64])
def test_other_integers_are_converted(kind: Any) -> None:
    world = asp.World(asp.Rankings(OFFSETS.astype(kind), ITEMS.astype(kind)), aspects=ASPECTS)
    assert asp.AspectRecall().scores(world).tolist() == [[1.0], [0.5]]


def test_strided_and_read_only_arrays() -> None:
    strided = np.repeat(ITEMS, 2)[::2]
    offsets = np.stack([OFFSETS, OFFSETS], axis=1)[:, 0]
    assert not strided.flags.c_contiguous
    frozen = ITEMS.copy()
    frozen.flags.writeable = False
    matrix = np.asfortranarray(np.eye(3, 5))
    matrix.flags.writeable = False
    for items in (strided, frozen):
        world = asp.World(asp.Rankings(offsets, items), aspects=ASPECTS, features=asp.Features(matrix))
        assert asp.AspectRecall().scores(world).tolist() == [[1.0], [0.5]]
        assert asp.ILD().scores(world)[0].tolist() == [1.0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: asp.Rankings(np.array([0, 2]), ITEMS), "offsets must start at 0, never fall and end at 3"),
        (lambda: asp.Rankings(np.array([1, 3]), ITEMS), "offsets must start at 0"),
        (lambda: asp.Rankings(np.array([0, 5, 3]), ITEMS), "offsets must start at 0, never fall"),
        (lambda: asp.Rankings(np.array([]), ITEMS), "offsets must start at 0"),
        (lambda: asp.Rankings(np.array([0.0, 3.0]), ITEMS), "expected whole numbers, found float64"),
        (lambda: asp.Rankings(OFFSETS, ITEMS.astype(float)), "rankings: items: expected whole numbers, found float64"),
        (lambda: asp.Rankings(OFFSETS, np.array([[0, 1, 2]])), "expected one dimension, found 2"),
        (lambda: asp.Rankings(OFFSETS, np.array([0, 1, 2**40])), "codes must fit in 32 bits"),
        (lambda: asp.World(asp.Rankings(OFFSETS, np.array([0, 1, -1]))), "rankings: items: code -1 at place 2 is out of range"),
        (lambda: asp.World(asp.Rankings(OFFSETS, ITEMS), n_items=2), "rankings: items: code 2 at place 2 is out of range, expected 0 to 1"),
        (lambda: asp.World(asp.Rankings(OFFSETS, np.array([1, 1, 2]))), "the list of user 0 names item 1 twice, the second time at rank 2"),
        (lambda: asp.Aspects(np.array([0, 1]), np.array([2]), 2), "aspects: code 2 at place 0 is out of range"),
        (lambda: asp.Aspects(np.array([0, 2]), np.array([1, 0]), 2), "aspects of an item must ascend"),
        (lambda: asp.Aspects(np.array([0, 2]), np.array([1, 1]), 2), "aspects of an item must ascend and not repeat"),
        (lambda: asp.Aspects(np.array([0, 1]), np.array([1]), 2, np.array([2.0])), "a strength must be above 0 and at most 1"),
        (lambda: asp.Aspects(np.array([0, 1]), np.array([1]), 2, np.array([np.nan])), "entry 0 is nan"),
        (lambda: asp.Relevance(OFFSETS, np.array([1, 0, 2])), "relevance: items of a user must ascend"),
        (lambda: asp.History(OFFSETS, np.array([1, 1, 2])), "history: items of a user must ascend and not repeat"),
        (lambda: asp.Relevance(OFFSETS, ITEMS, np.array([1.0])), "relevance: grades: expected 3 numbers"),
        (lambda: asp.Relevance(OFFSETS, ITEMS, np.array([1.0, np.inf, 1.0])), "relevance: grades: entry 1 is inf"),
        (
            lambda: asp.World(asp.Rankings(OFFSETS, ITEMS), relevance=asp.Relevance(np.array([0, 3]), ITEMS)),
            "relevance has 1 users, rankings 2: every part needs one segment per user",
        ),
        (lambda: asp.Features(np.ones(3)), "two dimensions"),
        (lambda: asp.Features(np.ones((3, 2)), np.array([0, 3])), "features: rows: code 3 at place 1 is out of range"),
        (lambda: asp.World(asp.Rankings(OFFSETS, ITEMS), features=asp.Features(np.full((3, 1), np.inf))), "the vector of item 0 holds NaN"),
        (lambda: asp.World(asp.Rankings(OFFSETS, ITEMS), catalogue=np.array([True])), "catalogue: expected 3 flags"),
        (lambda: asp.Subtopics.from_rows([0, 3], [0, 1], [0, 0], n_users=2), "subtopics: users: code 3 at place 1 is out of range"),
        (lambda: asp.Subtopics.from_rows([0], [-1], [0], n_users=2), "subtopics: items: code -1 is out of range"),
        (lambda: asp.Subtopics.from_rows([0, 0], [1, 1], [0, 0], [1, 2], n_users=2), "is judged twice, differently"),
        (lambda: asp.Weights(None, np.array([0, 2]), np.array([1, 0]), np.ones(2)), "weights: aspects of a user must ascend"),
        (
            lambda: asp.World(
                asp.Rankings(np.array([0, 1]), ITEMS[:1]),
                aspects=ASPECTS,
                weights=asp.Weights(None, np.array([0, 1]), np.array([-1]), np.ones(1)),
            ),
            "weights: aspects: code -1 at place 0 is out of range",
        ),
        (
            lambda: asp.evaluate(asp.Rankings(OFFSETS, ITEMS), "GiniComplement", catalogue=[0, 1, 2]),
            "catalogue: expected 3 flags (true or false)",
        ),
        (lambda: asp.evaluate(asp.Rankings(OFFSETS, ITEMS), "GiniComplement", items=[0]), "items goes with ids"),
        (asp.Weights, "give `shared`, or offsets, aspects and weights"),
    ],
)
def test_what_cannot_be_is_an_error_not_a_crash(build: Any, message: str) -> None:
    with pytest.raises(asp.InputError) as error:
        build()
    assert message in str(error.value)


def test_codes_and_ids_do_not_mix() -> None:
    with pytest.raises(asp.InputError, match="relevance is dict while rankings are codes: give Relevance"):
        asp.evaluate(asp.Rankings(OFFSETS, ITEMS), "NDCG", relevance={0: [1]})


def test_codes_through_evaluate() -> None:
    relevance = asp.Relevance(np.array([0, 1, 2]), np.array([1, 2], dtype=np.int32), np.array([2.0, 4.0]))
    result = asp.evaluate(
        asp.Rankings(OFFSETS, ITEMS),
        ["AspectRecall(judged_by=relevance)", "GiniComplement"],
        aspects=ASPECTS,
        relevance=relevance,
        threshold=3.0,
        catalogue=[True] * 3,
    )
    assert math_rows(result) == [(0, None), (1, 1.0)]
    assert result["GiniComplement"] == 1.0


def math_rows(result: asp.Results) -> list[tuple[int, float | None]]:
    return [(user, None if score != score else score) for user, score in result.per_user.iter_rows()]


def test_items_may_be_more_than_aspects_know() -> None:
    world = asp.World(asp.Rankings(np.array([0, 2]), np.array([0, 7], dtype=np.int32)), aspects=ASPECTS)
    assert world.n_items == 8
    assert asp.AspectRecall().scores(world).tolist() == [[0.5]]


def test_taking_users_in_any_order() -> None:
    world = asp.World.of(
        {"u": ["a"], "v": ["b", "a"], "w": []},
        subtopics={"u": {"a": {"x": 1}}, "v": {"a": {"y": 2, "x": 1}, "b": {"y": 1}}},
        relevance={"v": {"a": 2.0}},
        history={"u": ["b"]},
        weights={"v": {"x": 1.0, "y": 2.0}, "u": {"x": 5.0}},
    )
    part = world.take(np.array([2, 1]))
    assert list(part.users) == ["w", "v"]
    whole = asp.AlphaNDCG().scores(world)
    np.testing.assert_array_equal(asp.AlphaNDCG().scores(part), whole[[2, 1]])
    np.testing.assert_array_equal(asp.NDCG().scores(part), asp.NDCG().scores(world)[[2, 1]])


def test_counted_users_keep_their_numbers_in_parts() -> None:
    relevance = asp.Relevance(np.array([0, 1, 2]), np.array([0, 2], dtype=np.int32))
    world = asp.World(asp.Rankings(OFFSETS, ITEMS), relevance=relevance)
    part = world.slice(1, 2)
    assert asp.evaluate(part, "NDCG", users=[1]).per_user.rows() == [(1, 1.0)]
    assert asp.evaluate(part, "NDCG", users=[0]).per_user.rows() == [(0, 0.0)]  # who has no list in this part
    with pytest.raises(asp.InputError, match="2 is not a user"):
        asp.evaluate(part, "NDCG", users=[2])


def test_a_changed_world_is_checked_and_remembers_nothing() -> None:
    world = asp.World.of({"u": ["a"]}, aspects={"a": ["x"], "b": ["x", "y"]}, history={"u": ["b"]})
    assert asp.AlphaNDCG(k=1).scores(world).tolist() == [[0.5]]
    smaller = asp.World(world.rankings, dataclasses.replace(world.truth, catalogue=np.array([True, False])))
    assert asp.AlphaNDCG(k=1).scores(smaller).tolist() == [[1.0]]
    with pytest.raises(asp.InputError, match="names item 'a' twice"):
        asp.World(asp.Rankings(np.array([0, 2]), np.array([0, 0])), world.truth)


def test_a_used_world_travels() -> None:
    world = asp.World.of({"u": ["a", "b"]}, aspects={"a": ["x"], "b": ["y"]}, history={"u": ["b"]})
    scores = asp.AlphaNDCG().scores(world)
    copied = pickle.loads(pickle.dumps(world))
    np.testing.assert_array_equal(asp.AlphaNDCG().scores(copied), scores)


def test_arrays_that_are_not_aligned_are_copied() -> None:
    """Kernels read them as they are, which a CPU need not be able to."""

    def moved(values: Any, kind: Any) -> Any:
        return np.frombuffer(b"." + np.array(values, dtype=kind).tobytes(), kind, offset=1)

    offsets, items, grades = moved([0, 2], np.int64), moved([0, 1], np.int32), moved([1.0, 2.0], np.float64)
    assert not any(array.flags.aligned for array in (offsets, items, grades))
    relevance = asp.Relevance(offsets, items, grades)
    matrix = asp.Features(grades.reshape(1, 2)).matrix
    assert all(array.flags.aligned for array in (relevance.offsets, relevance.items, relevance.grades, matrix))  # type: ignore[union-attr]
    assert (relevance.items.tolist(), relevance.grades.tolist()) == ([0, 1], [1.0, 2.0])  # type: ignore[union-attr]


def test_threads_may_share_a_world() -> None:
    metrics = ["AlphaNDCG(alpha=0.3)@2", "ERRIA@2", "AspectRecall@2", "NRBP", "NDCG@2"]
    inputs: dict[str, Any] = {
        "aspects": {item: [item % 3, item % 5] for item in range(30)},
        "history": {user: [user] for user in range(30)},
    }
    inputs["relevance"] = {user: [(user * 7) % 30, (user * 11) % 30] for user in range(30)}
    lists = {user: [(user + step) % 30 for step in range(5)] for user in range(30)}
    expected = dict(asp.evaluate(lists, metrics, **inputs))
    world, together = asp.World.of(lists, **inputs), threading.Barrier(4)
    found: list[dict[str, float]] = []

    def run() -> None:
        together.wait()
        for _ in range(5):
            found.append(dict(asp.evaluate(world, metrics, batch_size=7)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20
