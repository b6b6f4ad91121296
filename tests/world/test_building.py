"""Plain Python objects in all their forms become the same world; what cannot be is refused by name."""

from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pytest
import scipy.sparse

import aspectrum as asp

ASPECTS = {"a": ["x", "y"], "b": ["y"], "c": []}


def recall(**inputs: Any) -> list[float]:
    world = asp.World.of({"u": ["c", "a", "b"]}, **inputs)
    return list(map(float, asp.AspectRecall(k=(1, 2, 3)).scores(world)[0]))


@pytest.mark.parametrize(
    "aspects",
    [
        ASPECTS,
        {"a": {"x", "y"}, "b": ("y",), "c": frozenset()},
        {"a": {"x": 1.0, "y": 1}, "b": {"y": 1.0}},
        [("a", "x"), ("a", "y"), ("b", "y"), ("a", "x")],
        [["a", "x", 1.0], ["a", "y", 1.0], ["b", "y", 1]],
        {"a": np.array([1, 1]), "b": np.array([0, 1]), "c": np.array([0, 0])},
        {"a": np.array([True, True]), "b": np.array([0.0, 1.0])},
        iter([("a", "x"), ("a", "y"), ("b", "y")]),
        {"a": np.array(["x", "y"]), "b": "y"},
    ],
)
def test_forms_of_aspects(aspects: Any) -> None:
    assert recall(aspects=aspects) == [0.0, 1.0, 1.0]


def test_a_genre_that_no_item_has_is_a_genre_in_the_array_form() -> None:
    assert recall(aspects={"a": np.array([1, 0, 0]), "b": np.array([0, 1, 0])}) == pytest.approx([0.0, 1 / 3, 2 / 3])


def test_strengths_in_arrays_and_mappings() -> None:
    expected = recall(aspects={"a": {"x": 0.5}, "b": {"y": 1.0}})
    assert expected == [0.0, 0.25, 0.75]
    assert recall(aspects={"a": np.array([0.5, 0.0]), "b": np.array([0.0, 1.0])}) == expected
    assert recall(aspects=[("a", "x", 0.5), ("b", "y", 1.0)]) == expected


@pytest.mark.parametrize(
    "rankings",
    [
        {"u": ["a", "b"], "v": ["b"]},
        {"u": ("a", "b"), "v": np.array(["b"])},
        {"u": {"b": 1.0, "a": 2.0}, "v": {"b": 0}},
        [("u", "a"), ("v", "b"), ("u", "b")],
        [("u", "b", 1.0), ("v", "b", 0.5), ("u", "a", 2.5)],
    ],
)
def test_forms_of_rankings(rankings: Any) -> None:
    result = asp.evaluate(rankings, "NDCG@1,2", relevance={"u": ["a"], "v": ["a"]})
    assert result.per_user.sort("user").rows() == [("u", 1.0, 1.0), ("v", 0.0, 0.0)]


@pytest.mark.parametrize(
    "relevance",
    [{"u": ["a"]}, {"u": {"a": 1.0}}, [("u", "a")], [("u", "a", 1)], [("u", "a", 1.0), ("u", "a", 1.0)], {"u": np.array(["a"])}],
)
def test_forms_of_relevance(relevance: Any) -> None:
    assert asp.evaluate({"u": ["b", "a"]}, "DCG@2", relevance=relevance)["DCG@2"] == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize(
    "subtopics",
    [
        {"u": {"a": ["x", "y"], "b": ["y"], "c": []}},
        {"u": {"a": {"x": 1, "y": 2}, "b": {"y": 1, "x": 0}}},
        [("u", "x", "a", 1), ("u", "y", "a", 1), ("u", "y", "b", 1), ("u", "x", "c", -2)],
        [("u", "x", "a"), ("u", "y", "a"), ("u", "y", "b")],
        {"u": {"a": ["x", "y"], "b": "y"}},
        [("u", "x", "a", 1, 1.0), ("u", "y", "a", 1, 1.0), ("u", "y", "b", 3, 1.0)],
    ],
)
def test_forms_of_subtopics(subtopics: Any) -> None:
    assert recall(subtopics=subtopics) == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "features",
    [
        {"a": [1.0, 0.0], "b": [0.0, 2.0], "c": [3.0, 3.0]},
        {"a": {"p": 1.0}, "b": {"q": 2.0}, "c": {"q": 3.0, "p": 3.0}},
        {"a": ["p"], "b": ["q"], "c": ["q", "p"]},
        {"a": "p", "b": "q", "c": ["q", "p"], "d": []},
        {"a": {"p"}, "b": {"q"}, "c": {"q", "p"}},
        (["b", "a", "c"], np.array([[0, 2], [1, 0], [3, 3]])),
        (["b", "a", "c"], [[0, 2], [1, 0], [3, 3]]),
        (["b", "a", "c"], scipy.sparse.csr_matrix(np.array([[0, 2], [1, 0], [3, 3]], dtype=np.float32))),
        (["b", "a", "c"], scipy.sparse.coo_array((np.array([1, 1, 1, 3, 3]), ([0, 0, 1, 2, 2], [1, 1, 0, 0, 1])), shape=(3, 2))),
    ],
)
def test_forms_of_features(features: Any) -> None:
    result = asp.evaluate({"u": ["a", "b", "c"]}, "ILD", features=features)
    assert result["ILD"] == pytest.approx((1 + 2 * (1 - np.sqrt(0.5))) / 3, rel=1e-12)


def test_features_of_numbered_items() -> None:
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    assert asp.evaluate({"u": [1, 0]}, "ILD", features=matrix)["ILD"] == 1.0
    assert asp.evaluate({"u": [1, 0]}, "ILD", features=scipy.sparse.csr_array(matrix))["ILD"] == 1.0


@pytest.mark.parametrize("weights", [{"x": 3, "y": 1}, [("x", 3), ("y", 1)], {"u": {"x": 3, "y": 1}}, [("u", "y", 1.0), ("u", "x", 3.0)]])
def test_forms_of_weights(weights: Any) -> None:
    assert asp.evaluate({"u": ["b"]}, "AspectRecall", aspects=ASPECTS, weights=weights)["AspectRecall"] == 0.25


def test_an_aspect_without_a_weight_is_not_wanted() -> None:
    assert asp.evaluate({"u": ["b"]}, "AspectRecall", aspects=ASPECTS, weights={"y": 2})["AspectRecall"] == 1.0


@pytest.mark.parametrize(
    ("first", "second"),
    [(7, 8), ("7", "8"), ("ä", "😀"), (b"7", b"8"), ((1, "x"), (2, "y")), (frozenset({1}), frozenset({2})), (1.5, 2.5), (" a", "a ")],
)
def test_ids_of_any_hashable_kind(first: Any, second: Any) -> None:
    result = asp.evaluate(
        {first: [first, second]}, ["NDCG@1", "AlphaNDCG@2"], relevance={first: [first]}, aspects={first: [first], second: [second]}
    )
    assert list(result.values()) == [1.0, 1.0]


def test_numpy_and_python_ids_match() -> None:
    lists = {np.int64(1): np.array([7, 8])}
    assert asp.evaluate(lists, "NDCG@1", relevance=[(1, np.int32(7), np.float32(2))])["NDCG@1"] == 1.0


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"relevance": {"u": ["7"]}}, "item ids have different types: numbers in rankings (7), text in relevance ('7')"),
        ({"aspects": {"7": ["x"]}}, "item ids have different types: numbers in rankings (7), text in aspects ('7')"),
        ({"relevance": {1: [7]}}, "user ids have different types: numbers in relevance (1), text in rankings ('u')"),
        ({"history": {"u": [b"7"]}}, "item ids have different types: bytes in history (b'7'), numbers in rankings (7)"),
        ({"aspects": {7: ["x"], "7": ["y"]}}, "item ids have different types: both 7 and '7' are there"),
        ({"aspects": {7: [1, "1"]}}, "aspect ids have different types: both 1 and '1' are there"),
        (
            {"history": {"u": [UUID(int=7)]}},
            "a UUID in history (UUID('00000000-0000-0000-0000-000000000007')), numbers in rankings (7)",
        ),
        ({"relevance": {"u": [None]}}, "relevance: the id of an item is missing (None)"),
        ({"relevance": {"u": [float("nan")]}}, "relevance: the id of an item is missing (NaN)"),
        ({"relevance": [("u", [7])]}, "relevance: [7] cannot be the id of an item: it is not hashable"),
    ],
)
def test_ids_that_never_match(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.InputError) as error:
        asp.World.of({"u": [7]}, **inputs)
    assert message in str(error.value)


def test_ids_of_mixed_kinds_that_can_match_are_fine() -> None:
    assert asp.evaluate({"u": [7, "intro"]}, "NDCG@1", relevance={"u": [7, "intro"]})["NDCG@1"] == 1.0


@pytest.mark.parametrize(
    ("rankings", "inputs", "message"),
    [
        ({"u": ["a", "b", "a"]}, {}, "rankings: the list of user 'u' names item 'a' twice, the second time at rank 3"),
        ([("u", "a", 1.0), ("u", "a", 2.0)], {}, "the list of user 'u' names item 'a' twice"),
        ([("u", "a"), ("u", "b"), ("v", "b"), ("v", "b")], {}, "the list of user 'v' names item 'b' twice, the second time at rank 2"),
        ({"u": {"a", "b"}}, {}, "the list of user 'u' is a set, which has no order"),
        ({"u": ["a"]}, {"weights": {"u": {"x": 1}, "v": 3}}, "weights: user 'v' has 3, expected {aspect: weight}"),
        ({"u": "abc"}, {}, "the list of user 'u' is 'abc', expected items"),
        ({"u": 7}, {}, "the list of user 'u' is 7, expected items"),
        (7, {}, "expected {user: [items]}, {user: {item: score}} or rows (user, item[, score]), a frame or the path of a file, found 7"),
        ([("u", "a", 1.0, 2)], {}, "row 0 has 4 values, expected (user, item[, score])"),
        (["ua"], {}, "row 0 is 'ua', expected"),
        ([("u", "a"), ("u", "b", 1.0)], {}, "some rows have a score and some have none"),
        ({"u": {"a": "high"}}, {}, "rankings: the score of 'u', 'a' is 'high', expected a finite number"),
        ({"u": {"a": float("nan")}}, {}, "the score of 'u', 'a' is nan, expected a finite number"),
        ({"u": ["a"]}, {"relevance": [("u", "a", 1), ("u", "a", 2)]}, "relevance: user 'u' and item 'a' have two grades, 1 and 2"),
        ({"u": ["a"]}, {"relevance": {"u": {"a": float("inf")}}}, "relevance: the grade of 'u', 'a' is inf"),
        ({"u": ["a"]}, {"relevance": {"u": "a"}}, "relevance: user 'u' has 'a', expected items"),
        ({"u": ["a"]}, {"aspects": [("a", "x", 0.5), ("a", "x", 0.6)]}, "aspects: item 'a' and aspect 'x' have two strengths"),
        (
            {"u": ["a"]},
            {"aspects": [("a", "x", 1.5)]},
            "aspects: the strength of item 'a', aspect 'x' is 1.5, expected above 0 and at most 1",
        ),
        ({"u": ["a"]}, {"aspects": [("a", "x", 0.0)]}, "is 0, expected above 0"),
        ({"u": ["a"]}, {"aspects": {"a": np.array([2, 0])}}, "the array of item 'a' is not 0/1"),
        ({"u": ["a"]}, {"aspects": {"a": np.array(1.0)}}, "the array of item 'a' has shape (), expected one dimension"),
        ({"u": ["a"]}, {"aspects": {"a": np.array([1, 0]), "b": np.array([1])}}, "the array of item 'b' has shape (1,), expected (2,)"),
        (
            {"u": ["a"]},
            {"subtopics": [("u", "x", "a", 1), ("u", "x", "a", 0)]},
            "subtopics: user 'u', item 'a', aspect 'x' is judged twice, 1 and 0",
        ),
        ({"u": ["a"]}, {"subtopics": [("u", "x", "a", 1, 2.0)]}, "a strength must be above 0 and at most 1, found 2.0"),
        ({"u": ["a"]}, {"subtopics": {"u": ["a"]}}, "subtopics: user 'u' has ['a'], expected {item: aspects}"),
        ({"u": ["a"]}, {"subtopics": {"u": {"a": 0, "b": 1}}}, "item 'a' of user 'u' has 0, expected [aspects] or {aspect: grade}; grades"),
        ({"u": ["a"]}, {"subtopics": {"u": {"a": np.float64(0.5)}}}, "expected [aspects] or {aspect: grade}"),
        ({"u": ["a"]}, {"subtopics": {"u": {"a": True}}}, "item 'a' of user 'u' has True, expected [aspects] or {aspect: grade}"),
        ({"u": ["a"]}, {"features": {"a": [1.0, float("nan")]}}, "features: the vector of item 'a' holds NaN"),
        ({"u": ["a"]}, {"features": {"a": [1.0], "b": [1.0, 2.0]}}, "features: the vector of item 'b' has shape (2,), expected (1,)"),
        ({"u": ["a"]}, {"features": (["a", "a"], np.eye(2))}, "features: item 'a' has two vectors"),
        ({"u": ["a"]}, {"features": (["a"], np.ones((2, 2)))}, "features: 1 ids for 2 vectors"),
        ({"u": ["a"]}, {"features": 7}, "features: expected {item: vector}"),
        ({"u": ["a"]}, {"features": (["a"], np.array([["red"]]))}, "features: expected numbers"),
        ({"u": ["a"]}, {"weights": {"x": -1.0}}, "a weight must not be negative, found -1.0"),
        ({"u": ["a"]}, {"weights": [("x", 1), ("x", 2)]}, "weights: aspect 'x' has two weights"),
        (
            {"u": ["a"]},
            {"weights": [("x", 1), ("u", "x", 2)]},
            "weights: expected rows (aspect, weight) or (user, aspect, weight), all of one form",
        ),
    ],
)
def test_what_cannot_be_is_named(rankings: Any, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.InputError) as error:
        asp.World.of(rankings, **inputs)
    assert message in str(error.value)


def test_ties_are_remembered_and_broken_as_asked() -> None:
    scores = {"u": {"b": 1.0, "c": 2.0, "a": 1.0, "d": 1.0}}
    for ties, order in (("input", "cbad"), ("ascending", "cabd"), ("descending", "cdba")):
        world = asp.World.of(scores, ties=ties)
        assert "".join(str(world.items[item]) for item in world.rankings.items.tolist()) == order
        assert world.rankings.tied is not None
        assert world.rankings.tied.tolist() == [False, False, True, True]


def test_recommended_items_outside_a_given_catalogue_are_an_error_for_gini() -> None:
    with pytest.raises(asp.InputError, match="item 'z' is recommended but not in the catalogue"):
        asp.evaluate({"u": ["a", "z"]}, "GiniComplement", catalogue=["a", "b"])


@pytest.mark.parametrize("form", [list, tuple])
def test_rows_of_0_and_1_that_are_no_arrays(form: Any) -> None:
    with pytest.raises(
        asp.InputError, match=r"every item has a list of 3 times 0 or 1, and a list names aspects; give arrays, as in \{'a': numpy"
    ):
        asp.World.of({"u": ["a"]}, aspects={"a": form([1, 0, 0]), "b": form([0, 1, 0])})
    assert asp.World.of({"u": ["a"]}, aspects={"a": form([1, 0]), "b": form([0, 0])}).n_items == 2  # two aspects, called 0 and 1
    assert asp.World.of({"u": ["a"]}, aspects={"a": form([0, 0, 0])}).n_items == 1
    assert asp.World.of({"u": ["a"]}, aspects={"a": form([1, 0, 0]), "b": form([0, 1])}).n_items == 2
    assert asp.World.of({"u": ["a"]}, aspects={"a": form(["x", "x"]), "b": form(["y", "x"])}).n_items == 2


def test_what_is_no_mapping_of_systems() -> None:
    with pytest.raises(asp.InputError, match=r"systems is list, expected \{name: lists\}"):
        asp.evaluate_systems([{"u": ["a"]}], "NDCG@1", relevance={"u": ["a"]})


def test_frames_and_files_in_the_wrong_place() -> None:
    frame = pl.DataFrame({"user": ["u"], "item": ["a"]})
    with pytest.raises(asp.InputError, match="the list of user 'als' is a DataFrame, expected items; several systems"):
        asp.World.of({"als": frame})
    assert asp.World.of({"u": frame["item"]}).n_items == 1  # a column is a list
    with pytest.raises(asp.InputError, match=r"relevance is str, expected Relevance \(codes\); Truth.read"):
        asp.Truth(relevance="test.csv")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"the truth has no lists; pass them to plan\.observe"):
        asp.Truth.read(rankings=frame)
