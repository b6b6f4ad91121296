"""Lists in an order that is none, and judgments that are of something else."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import aspectrum as asp
from tests.misuse.table import Misuse

CHOOSE = random.Random(14)
TEST = {user: CHOOSE.sample(range(100, 300), 8) for user in range(40)}
"""What each of forty users liked afterwards, of 200 items."""


def recommended() -> dict[int, list[int]]:
    """Lists that meet some of it, early rather than late, and nothing of what the user had before."""
    found = {}
    for user, liked in TEST.items():
        others = [item for item in range(100, 300) if item not in liked and item not in TRAIN[user]]
        found[user] = [*CHOOSE.sample(liked, 3), *CHOOSE.sample(others, 7)]
    return found


TRAIN = {user: CHOOSE.sample([item for item in range(100, 300) if item not in liked], 40) for user, liked in TEST.items()}
LISTS = recommended()
GENRES = {item: [f"g{item % 7}", f"h{item % 3}"] for item in range(100, 300)}
SOME_GENRES = {item: genres[: 1 + item % 4] for item, genres in ((item, [*of, "i"]) for item, of in GENRES.items())}
VECTORS = np.array([[item % 7, item % 3, item % 11] for item in range(100, 300)], dtype=float) + 1.0
SPARSE = {item: item if item < 200 else 2 * item for item in range(100, 300)}
"""Ids that have gaps."""
SOME = {user: [SPARSE[item] for item in items] for user, items in LISTS.items()}
HAD = {**{user: [SPARSE[item] for item in items[:8]] for user, items in TRAIN.items()}, 99: list(SPARSE.values())}
NDCG = "NDCG@5"


def ndcg(lists: Any, relevance: Any = TEST) -> asp.Results:
    return asp.evaluate(lists, NDCG, relevance=relevance)


def scored(score: Any) -> list[tuple[int, int, float]]:
    return [(user, item, score(rank)) for user, items in LISTS.items() for rank, item in enumerate(items, 1)]


def frame(**columns: Any) -> pl.DataFrame:
    rows = [(user, item) for user, items in LISTS.items() for item in items]
    return pl.DataFrame(rows, schema=["user", "item"], orient="row").with_columns(**{name: pl.Series(of) for name, of in columns.items()})


def judged_by(text: str, **options: Any) -> asp.Results:
    """By a file of judgments."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        path.write_text(text)
        return ndcg(LISTS, asp.Source(path, **options))


def lines(rows: Sequence[Sequence[Any]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


GRADED = [(user, item, 1 + (user + item) % 5, 900_000_000 + item) for user, liked in TEST.items() for item in liked]
POPULAR = {user: [item for item in range(100, 120) if item != 100 + user % 20][:5] for user in TEST}
RANKS = [rank for items in LISTS.values() for rank in range(1, len(items) + 1)]


def recall_of_joined_genres(mark: str) -> asp.Results:
    joined = [mark.join(genres if item % 2 else genres[::-1]) for item, genres in SOME_GENRES.items()]
    return asp.evaluate(LISTS, "AspectRecall@5", aspects=pl.DataFrame({"item": list(SOME_GENRES), "genre": joined}))


MISUSES = [
    Misuse(
        "lists sorted by item",
        "warning",
        "the items of 40 of 40 lists ascend, and no rank or score orders them",
        lambda: ndcg({user: sorted(items) for user, items in LISTS.items()}),
        lambda: ndcg(LISTS),
        "sorted_by_item",
    ),
    Misuse(
        "the most popular items that each user has not had, numbered by popularity",
        "right",
        "",
        lambda: ndcg(POPULAR, {user: items[:1] for user, items in POPULAR.items()}),
        1.0,
    ),
    Misuse(
        "candidates of each user, numbered in the order of a first stage",
        "right",
        "",
        lambda: ndcg({user: [f"{user}-{rank:03}" for rank in range(5)] for user in TEST}, {user: [f"{user}-000"] for user in TEST}),
        1.0,
    ),
    Misuse(
        "ranks as means over several runs",
        "right",
        "",
        lambda: ndcg(frame(rank=[rank + 1 / 3 for rank in RANKS])),
        lambda: ndcg(LISTS),
    ),
    Misuse(
        "ranks as the third value of rows",
        "warning",
        "the scores of 40 of 40 lists count up from 1, so the last item comes first; are the scores ranks?",
        lambda: ndcg(scored(lambda rank: rank)),
        lambda: ndcg(LISTS),
        "scores_like_ranks",
    ),
    Misuse(
        "ranks as the values of items",
        "warning",
        "count up from 1",
        lambda: ndcg({user: {item: rank for rank, item in enumerate(items, 1)} for user, items in LISTS.items()}),
        lambda: ndcg(LISTS),
        "scores_like_ranks",
    ),
    Misuse("points for places as scores", "right", "", lambda: ndcg(scored(lambda rank: 11 - rank)), lambda: ndcg(LISTS)),
    Misuse(
        "scores named as ranks",
        "warning",
        "the rows of 40 of 40 lists go from the highest rank to the lowest, so the last item comes first; are the ranks scores?",
        lambda: ndcg(asp.Source(frame(s=[9.7 - rank / 7 for rank in RANKS]), columns={"rank": "s"})),
        lambda: ndcg(LISTS),
        "reversed_ranks",
    ),
    Misuse(
        "ranks that count down",
        "warning",
        "from the highest rank to the lowest",
        lambda: ndcg(frame(rank=[11 - rank for rank in RANKS])),
        lambda: ndcg(LISTS),
        "reversed_ranks",
    ),
    Misuse(
        "the lists as their own judgments",
        "warning",
        "the judgments of 40 of 40 users are the items of their lists; is one input given twice?",
        lambda: ndcg(LISTS, LISTS),
        lambda: ndcg(LISTS),
        "lists_as_judgments",
    ),
    Misuse(
        "every rank twice, as two systems are in one frame under another name",
        "warning",
        "every rank occurs 2 times in 40 of 40 lists; are these the lists of 2 systems?",
        lambda: ndcg(
            pl.concat([frame(rank=RANKS, name=["A"] * 400), frame(rank=RANKS, name=["B"] * 400).with_columns(pl.col("item") + 1000)])
        ),
        lambda: ndcg(LISTS),
        "repeated_ranks",
    ),
    Misuse(
        "the train set as relevance",
        "warning",
        "no recommended item is judged for its user, though about 80 would be by chance; are the judgments a train set?",
        lambda: ndcg(LISTS, TRAIN),
        lambda: ndcg(LISTS),
        "never_judged",
    ),
    Misuse(
        "item ids off by one against a history",
        "warning",
        "they are off by one: ",
        lambda: asp.evaluate({user: [item - 1 for item in items] for user, items in SOME.items()}, "UnseenShare@10", history=HAD),
        lambda: asp.evaluate(SOME, "UnseenShare@10", history=HAD),
        "unknown",
    ),
    Misuse(
        "only two columns of a file without names are said",
        "warning",
        "320 of 320 rows have no grade, but column 3 holds numbers; is it the grade?",
        lambda: judged_by(lines(GRADED), columns={"user": 1, "item": 2}),
        lambda: ndcg(LISTS, [row[:3] for row in GRADED]),
        "unused_numbers",
    ),
    Misuse(
        "an index before the columns that are said",
        "right",
        "",
        lambda: judged_by(lines([(place, *row[:2]) for place, row in enumerate(GRADED)]), columns={"user": 2, "item": 3}),
        lambda: ndcg(LISTS),
    ),
    Misuse(
        "times as grades",
        "warning",
        "reach the threshold of 4; are these times?",
        lambda: asp.evaluate(LISTS, NDCG, relevance=[(user, item, time) for user, item, _, time in GRADED], threshold=4),
        lambda: ndcg(LISTS),
        "grades",
    ),
    Misuse(
        "genres of a part of the catalogue",
        "warning",
        "items are not in aspects",
        lambda: asp.evaluate(LISTS, "AspectRecall@10", aspects={item: genres for item, genres in GENRES.items() if item < 180}),
        lambda: asp.evaluate(LISTS, "AspectRecall@10", aspects=GENRES),
        "unknown",
    ),
    Misuse(
        "vectors without ids, for items that are not counted from 0",
        "warning",
        "items are not in features",
        lambda: asp.evaluate(LISTS, "ILD@10", features=VECTORS),
        lambda: asp.evaluate(LISTS, "ILD@10", features=(range(100, 300), VECTORS)),
        "unknown",
    ),
    Misuse(
        "weights in another case",
        "warning",
        "they differ in case: 'H0' here, 'h0' there",
        lambda: asp.evaluate(LISTS, "AlphaNDCG@5", relevance=TEST, aspects=GENRES, weights={"H0": 5.0, "g1": 1.0}),
        lambda: asp.evaluate(LISTS, "AlphaNDCG@5", relevance=TEST, aspects=GENRES, weights={"h0": 5.0, "g1": 1.0}),
        "unknown",
    ),
    *(
        Misuse(
            f"genres separated by {mark!r} in a frame",
            "warning",
            f"split={mark!r}",
            partial(recall_of_joined_genres, mark),
            lambda: asp.evaluate(LISTS, "AspectRecall@5", aspects=SOME_GENRES),
            "unsplit",
        )
        for mark in ("/", "&", "+", "::", ":")
    ),
    Misuse(
        "a series of scores by item for each user",
        "error",
        "the list of user 0 is a series with 'item' as its index; give series.to_dict() if its values are scores",
        lambda: ndcg({user: pd.Series([5, 4, 3], index=pd.Index(items[:3], name="item")) for user, items in LISTS.items()}),
    ),
    Misuse(
        "a series of items for each user",
        "right",
        "",
        lambda: ndcg({user: group["item"] for user, group in frame().to_pandas().groupby("user")}),
        lambda: ndcg(LISTS),
    ),
    Misuse(
        "communities as a list of labels",
        "error",
        "communities: expected {user: community} or rows (user, community), found [0, 0, 1]",
        lambda: asp.contacts.evaluate({"u": ["v"]}, "Community recall@1", train={"u": ["w"], "v": ["w"]}, communities=[0, 0, 1]),
    ),
    Misuse("an id that pandas does not know", "error", "the id of a user is missing", lambda: ndcg(LISTS, [(pd.NA, 101), (1, 102)])),
    Misuse("rows as dictionaries", "error", "row 0 is a dict; give pandas.DataFrame(rows)", lambda: ndcg(frame().to_dicts())),
    Misuse(
        "users as an array",
        "right",
        "",
        lambda: asp.evaluate(LISTS, NDCG, relevance=TEST, users=np.arange(5)),
        lambda: asp.evaluate(LISTS, NDCG, relevance=TEST, users=[0, 1, 2, 3, 4]),
    ),
    Misuse(
        "recommended items outside the catalogue",
        "error",
        "is recommended but not in the catalogue",
        lambda: asp.evaluate(frame(), "GiniComplement@10", catalogue=pl.DataFrame({"item": range(100, 290)})),
    ),
    Misuse(
        "ids separated by something else",
        "error",
        "are they separated by something other than a comma",
        lambda: judged_by("1::100::4\n2::101::5\n"),
    ),
]
