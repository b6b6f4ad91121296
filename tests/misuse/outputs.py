"""Orders of lists, contacts, and what is written."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import aspectrum as asp
from tests.misuse.table import Misuse

LISTS = {"ann": ["x", "y", "z"], "bob": ["y", "z", "x"], "eve": ["z", "x", "y"]}
RELEVANCE = {"ann": ["x"], "bob": ["y"], "eve": ["z"]}
ROWS = [(user, item, rank, 9.0 - rank) for user, items in LISTS.items() for rank, item in enumerate(items, 1)]
FRAME = pl.DataFrame(ROWS, schema=["user", "item", "rank", "score"], orient="row")
SHUFFLED = FRAME[[4, 2, 7, 0, 8, 5, 1, 3, 6]]

TRAIN = {"ann": ["bob"], "bob": ["eve"], "eve": ["ann"], "x": ["y"], "y": ["z"], "z": ["x"]}
TEST = {user: items[:1] for user, items in LISTS.items()}


def ndcg(lists: Any, **options: Any) -> asp.Results:
    return asp.evaluate(lists, "NDCG@1", relevance=RELEVANCE, **options)


def contacts(lists: Any, metrics: Any = "nDCG@1", **options: Any) -> asp.Results:
    return asp.contacts.evaluate(lists, metrics, **{"train": TRAIN, "test": TEST, **options})


def without(*columns: str, frame: pl.DataFrame = SHUFFLED) -> pl.DataFrame:
    return frame.drop(columns)


def scores_in(name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        ndcg(LISTS).write_per_user(path)
        return float(pl.read_csv(path)["NDCG@1"].mean())  # type: ignore[arg-type]


def both_ways(links: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [pair for user, others in links.items() for other in others for pair in ((user, other), (other, user))]


MISUSES = [
    Misuse(
        "a run with rank 0 throughout, as BEIR writes it",
        "note",
        "3 lists with the same rank throughout; scores order them",
        lambda: ndcg(SHUFFLED.with_columns(rank=pl.lit(0))),
        1.0,
        "constant_ranks",
    ),
    Misuse("lists of one item, all of rank 1", "right", "", lambda: ndcg(FRAME.filter(pl.col("rank") == 1)), 1.0),
    Misuse("rows in any order, with ranks", "right", "", lambda: ndcg(without("score")), 1.0),
    Misuse(
        "shuffled rows without ranks and scores",
        "warning",
        "the rows of 3 users are in several blocks, and no rank or score orders the lists; are the rows shuffled? Use order='input'",
        lambda: ndcg(without("rank", "score")),
        1.0,
        "several_blocks",
    ),
    Misuse(
        "rows rank by rank, without the ranks", "right", "", lambda: ndcg(FRAME.sort("rank", maintain_order=True)[["user", "item"]]), 1.0
    ),
    Misuse("rows of contacts in any order, with ranks", "right", "", lambda: contacts(without("score")), 1.0),
    Misuse("rows of contacts in any order, with scores", "right", "", lambda: contacts(without("rank")), 1.0),
    Misuse("shuffled rows of contacts without ranks and scores", "error", "are in two blocks", lambda: contacts(without("rank", "score"))),
    Misuse(
        "contacts as RELISON reads them, not best first",
        "warning",
        "ranks are lower than the one before; input order is used",
        lambda: contacts(without("score", frame=FRAME.sort("user", "item")), convention="relison"),
        lambda: contacts(without("score", frame=FRAME), convention="relison"),
        "falling_ranks",
    ),
    Misuse(
        "a graph that is stored both ways, not said to be undirected",
        "note",
        "each of the 12 links has its reverse; use directed=False if the graph is undirected",
        lambda: contacts(LISTS, train=both_ways(TRAIN)),
        lambda: contacts(LISTS, train=TRAIN, directed=False),
        "all_reciprocal",
    ),
    Misuse(
        "the usual metrics of contacts by name",
        "right",
        "",
        lambda: contacts(LISTS, "usual@1"),
        lambda: contacts(LISTS, "GiniComplement@1"),
    ),
    Misuse("scores of users as CSV", "right", "", lambda: scores_in("scores.csv"), 1.0),
]
