"""What orders a list, decided list by list."""

from typing import Any

import polars as pl
import pytest

import aspectrum as asp

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # which kinds there are is asked here

RELEVANCE = {"ann": ["x"], "bob": ["x"], "eve": ["x"], "max": ["x"]}
ROWS = [  # of ann and eve, no rank orders anything; of bob they do, against the scores
    ("ann", "y", 0, 1.0),
    ("ann", "x", 0, 2.0),
    ("bob", "x", 1, 1.0),
    ("bob", "y", 2, 2.0),
    ("bob", "z", 3, 2.0),
    ("eve", "z", 7, 2.0),
    ("eve", "y", 7, 2.0),
    ("eve", "x", 7, 3.0),
    ("max", "x", 0, 1.0),
]
FRAME = pl.DataFrame(ROWS, schema=["user", "item", "rank", "score"], orient="row")


def first(lists: pl.DataFrame = FRAME, **options: Any) -> dict[str, float]:
    """Who has x at the top."""
    return dict(asp.evaluate(lists, "Precision@1", relevance=RELEVANCE, **options).per_user.iter_rows())


def kinds(lists: Any = FRAME, **options: Any) -> dict[str, int | None]:
    return {one.kind: one.count for one in asp.evaluate(lists, "Precision@1", relevance=RELEVANCE, **options).notices}


def test_lists_of_one_rank_are_ordered_by_score() -> None:
    assert first() == {"ann": 1.0, "bob": 1.0, "eve": 1.0, "max": 1.0}
    assert first(order="rank") == {"ann": 0.0, "bob": 1.0, "eve": 0.0, "max": 1.0}, "as asked for"
    assert first(FRAME.drop("score")) == first(order="rank")
    assert first(order="score") == first(convention="pyndeval", users="lists", order="score") == {**first(), "bob": 0.0}


def test_what_is_said_of_them() -> None:
    found = kinds()
    assert found["constant_ranks"] == 2
    assert found["tied_scores"] == 1, "eve's z and y"
    assert "tied_ranks" not in found
    assert "order_rank" in found
    assert "order_score" in kinds(FRAME.filter(pl.col("user").is_in(["ann", "eve"])))
    assert kinds(order="rank")["tied_ranks"] == 3
    assert not {"constant_ranks", "tied_ranks"} & kinds(FRAME.filter(pl.col("user") == "max")).keys(), "one item has one rank"


@pytest.mark.parametrize(("ties", "second"), [("input", "z"), ("ascending", "y"), ("descending", "z")])
def test_ties_of_their_scores(ties: Any, second: str) -> None:
    eve = FRAME.filter(pl.col("user") == "eve")
    found = asp.evaluate(eve, "DCG@2", relevance={"eve": {second: 1}}, ties=ties)
    assert found["DCG@2"] > 0


def test_parts_add_up() -> None:
    plan = asp.Plan(["NDCG@1,3", "GiniComplement@1"], asp.Truth.read(relevance=RELEVANCE))
    whole = plan.observe(FRAME)
    parts = [plan.observe(FRAME.filter(pl.col("user") == user)) for user in ("eve", "max", "bob", "ann")]
    added = parts[0] + parts[1] + parts[2] + parts[3]
    assert plan.finish(added) == plan.finish(whole)
    assert sorted(map(str, plan.finish(added).notices)) == sorted(map(str, plan.finish(whole).notices))


def test_an_item_twice_in_such_a_list() -> None:
    twice = pl.concat([FRAME, FRAME.filter(pl.col("user") == "ann").with_columns(score=pl.lit(0.0))])
    assert first(twice, duplicates="first") == first()
    with pytest.raises(asp.InputError, match=r"the list of user 'ann' names item 'y' twice"):
        first(twice)


def test_equal_scores_are_counted_where_ranks_order_lists() -> None:
    bob = FRAME.filter(pl.col("user") == "bob")
    coded = asp.Plan("Precision@1", asp.Truth.read(relevance=RELEVANCE)).lists(bob)
    assert [(one.kind, one.count, one.level) for one in coded.input.notices if one.kind == "ranked_ties"] == [("ranked_ties", 1, "note")]
    assert coded.rankings.tied is not None
    assert coded.rankings.tied.tolist() == [False, False, True]
    averaged = asp.Plan("Precision@1", asp.Truth.read(relevance=RELEVANCE, order="rank", ties="expected")).lists(
        bob.with_columns(score=-pl.col("rank").clip(1, 2).cast(pl.Float64))
    )
    assert [(one.kind, one.count) for one in averaged.input.notices if one.kind in ("ranked_ties", "averaged_ties")] == [
        ("averaged_ties", 1)
    ]


def test_equal_scores_with_equal_ranks_are_counted_once() -> None:
    lists = pl.DataFrame({"user": ["u"] * 4, "item": list("bacd"), "rank": [1, 1, 2, 3], "score": [1.0, 1.0, 0.5, 0.5]})
    said = [(one.kind, one.count) for one in asp.evaluate(lists, "GiniComplement@1").notices if "ties" in one.kind or "tied" in one.kind]
    assert said == [("ranked_ties", 1), ("tied_ranks", 1)]


def test_rows_that_may_be_shuffled() -> None:
    mixed = FRAME[[0, 2, 1, 3, 5, 4, 6, 7]].select("user", "item")
    for lists in (mixed, mixed.to_pandas(), mixed.to_arrow()):
        assert kinds(lists)["several_blocks"] == 3
        assert "several_blocks" not in kinds(lists, order="input"), "as asked for"
    assert kinds(mixed.rows())["several_blocks"] == 3
    by_rank = pl.DataFrame({"user": ["b", "a", "c", "b", "c", "b"], "item": list("xxxyyz")})
    assert "several_blocks" not in {one.kind for one in asp.evaluate(by_rank, "GiniComplement@1").notices}
    assert "several_blocks" in {one.kind for one in asp.evaluate(by_rank[[0, 1, 2, 4, 3, 5]], "GiniComplement@1").notices}
