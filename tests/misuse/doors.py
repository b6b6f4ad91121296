"""Inputs in forms that people have at hand: one frame for all systems, one column per genre, arrays, matrices, RecBole's files."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse

import aspectrum as asp
from tests.misuse.table import Misuse

LISTS = {"ann": ["a", "b", "c"], "bob": ["c", "a"]}
GENRES = {"a": ["scifi"], "b": ["crime"], "c": ["scifi", "crime"], "d": ["drama"]}
LIKED = {"ann": ["b", "c"], "bob": ["c"]}

ROWS = [(user, item) for user, items in LISTS.items() for item in items]
RECS = pd.DataFrame(ROWS, columns=["user", "item"])
BOTH = pd.concat([RECS.assign(model="ALS"), RECS[::-1].assign(model="Popular")])

LONG = pd.DataFrame(
    [(item, item.upper(), genre) for item, genres in GENRES.items() for genre in genres], columns=["item", "title", "genre"]
)
WIDE = pd.DataFrame(
    {
        "movie id": list("abcd"),
        "movie title": ["A (1995)", "B (1996)", "C (1997)", "D (1998)"],
        "video release date": [np.nan] * 4,
        "scifi": [1, 0, 1, 0],
        "crime": [0, 1, 1, 0],
        "drama": [0, 0, 0, 1],
    }
)
VECTORS = {"a": [1, 0, 0], "b": [0, 1, 0], "c": [1, 1, 0], "d": [0, 0, 1]}
LISTED = pl.DataFrame({"item": list(GENRES), "genres": list(GENRES.values())})

TOP = np.array([[1, 2, 3], [3, 1, -1]])
WANTED = {7: [2, 3], 9: [3]}
SHORT = {7: [1, 2, 3], 9: [3, 1]}
MATRIX = scipy.sparse.coo_matrix(([1.0, 3.0, 2.0], ([0, 0, 1], [2, 3, 3])), shape=(2, 5))
NUMBERED = {0: [1, 2, 3], 1: [3, 1]}

INTER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\nann\tb\t1\t881250949\nann\tc\t4\t881250950\nbob\tc\t5\t881250951\n"
ITEM = 'item_id:token\tmovie_title:token_seq\tgenre:token_seq\na\t"A" 1\tscifi\nb\tB\tcrime\nc\tC\tscifi crime\nd\tD\tdrama\n'
GRADED = {"ann": {"b": 1, "c": 4}, "bob": {"c": 5}}

ild = partial(asp.evaluate, LISTS, "ILD@3")
recall = partial(asp.evaluate, LISTS, "AspectRecall@2")
ndcg = partial(asp.evaluate, LISTS, "NDCG@3")


def in_file(name: str, text: str, use: Callable[[str], Any]) -> Any:
    """What becomes of a text in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return use(str(path))


MISUSES = [
    # One frame for all systems
    Misuse(
        "one frame with a model column goes to evaluate_systems",
        "right",
        "",
        lambda: asp.evaluate_systems(BOTH, "NDCG@2", relevance=LIKED),
        lambda: asp.evaluate(LISTS, "NDCG@2", relevance=LIKED),
    ),
    Misuse(
        "one file with a run column goes to evaluate_systems",
        "right",
        "",
        lambda: in_file(
            "r.csv", BOTH.to_csv(index=False).replace("model", "run"), lambda path: asp.evaluate_systems(path, "NDCG@2", relevance=LIKED)
        ),
        lambda: asp.evaluate(LISTS, "NDCG@2", relevance=LIKED),
    ),
    Misuse("several systems in one frame", "error", "names 2 systems ('ALS', 'Popular')", lambda: asp.evaluate(BOTH, "GiniComplement")),
    Misuse(
        "several systems with other users each in one frame",
        "error",
        "pass the frame or file itself to evaluate_systems",
        lambda: asp.evaluate(RECS.assign(system=RECS["user"].map({"ann": 1, "bob": 2})), "GiniComplement"),
    ),
    Misuse(
        "a frame with one system",
        "right",
        "",
        lambda: asp.evaluate(RECS.assign(algorithm="ALS"), "NDCG@2", relevance=LIKED),
        lambda: asp.evaluate(LISTS, "NDCG@2", relevance=LIKED),
    ),
    Misuse(
        "a frame without systems goes to evaluate_systems",
        "error",
        "no system column found; other columns are 'by'; specify it with asp.Source(..., columns={'system': 'NAME'})",
        lambda: asp.evaluate_systems(RECS.assign(by="ALS"), "GiniComplement"),
    ),
    # Genres in other forms
    Misuse(
        "one column per genre", "note", "3 columns of 0 and 1", lambda: recall(aspects=WIDE), lambda: recall(aspects=GENRES), "indicators"
    ),
    Misuse(
        "one column of True and False per genre, as CSV",
        "note",
        "'scifi', 'crime', 'drama'",
        lambda: in_file("g.csv", WIDE.astype(dict.fromkeys(["scifi", "crime", "drama"], bool)).to_csv(), lambda path: recall(aspects=path)),
        lambda: recall(aspects=GENRES),
        "indicators",
    ),
    Misuse(
        "one column per genre as features",
        "note",
        "3 columns of 0",
        lambda: ild(features=WIDE),
        lambda: ild(features=VECTORS),
        "indicators",
    ),
    Misuse(
        "one column per genre beside other numbers as features",
        "error",
        "column 'movie title' holds 'A (1995)'",
        lambda: ild(features=WIDE.assign(year=[1995, 1996, 1997, 1998])),
    ),
    Misuse(
        "item, title, genre as features",
        "note",
        "'genre' is read",
        lambda: ild(features=LONG),
        lambda: ild(features=GENRES),
        "feature_names",
    ),
    Misuse(
        "lists of genres as features",
        "note",
        "'genres' is read",
        lambda: ild(features=LISTED),
        lambda: ild(features=GENRES),
        "feature_names",
    ),
    Misuse(
        "numbers of genres as features",
        "note",
        "names of features",
        lambda: ild(features=pl.DataFrame({"item": list("abcd"), "genres": [[1], [2], [1, 2], [3]]})),
        lambda: ild(features=GENRES),
        "feature_names",
    ),
    Misuse(
        "the number of the only genre as features",
        "note",
        "names of features",
        lambda: ild(features=pl.DataFrame({"item": ["a", "b", "c"], "genre": [1, 2, 2]})),
        lambda: ild(features={"a": ["1"], "b": ["2"], "c": ["2"]}),
        "feature_names",
    ),
    Misuse("titles as features", "error", "column 'title' holds 'A'", lambda: ild(features=LONG[["item", "title"]])),
    Misuse(
        "ILD without features",
        "note",
        "compares items by their aspects",
        lambda: ild(aspects=LONG),
        lambda: ild(features=GENRES),
        "features_from_aspects",
    ),
    Misuse("ILD without features in another tool's way", "error", "needs features", lambda: ild(aspects=LONG, convention="relison")),
    Misuse(
        "ILD of contacts without features",
        "error",
        "pass features= or texts=",
        lambda: asp.contacts.evaluate(
            {"u": ["a", "b"]}, "ILD@2", train={"u": ["d"], "a": ["b"]}, communities={"u": 1, "a": 1, "b": 2, "d": 2}
        ),
    ),
    # Arrays and matrices
    Misuse(
        "top-k lists as an array",
        "error",
        "give (users, array) or dict(zip(users, array))",
        lambda: asp.evaluate(TOP, "NDCG", relevance=WANTED),
    ),
    Misuse(
        "users and an array of padded top-k lists",
        "note",
        "1 place at the end of lists holds -1",
        lambda: asp.evaluate(([7, 9], TOP), "NDCG@3", relevance=WANTED),
        lambda: asp.evaluate(SHORT, "NDCG@3", relevance=WANTED),
        "padding",
    ),
    Misuse(
        "padded arrays by user, which NaN made floats",
        "note",
        "holds nan",
        lambda: asp.evaluate(dict(zip([7, 9], np.where(TOP < 0, np.nan, TOP), strict=True)), "GiniComplement", catalogue=[*range(10)]),
        lambda: asp.evaluate(SHORT, "GiniComplement", catalogue=[*range(10)]),
        "padding",
    ),
    Misuse(
        "-1 among the items", "error", "has -1 at rank 2", lambda: asp.evaluate(([7], np.array([[1, -1, 3]])), "NDCG", relevance=WANTED)
    ),
    Misuse("items and their scores as arrays", "error", "one user per list", lambda: asp.evaluate((TOP, TOP / 2), "GiniComplement")),
    Misuse(
        "a sparse matrix as relevance",
        "note",
        "row and column numbers, from 0, are used as ids",
        lambda: asp.evaluate(NUMBERED, "NDCG@3", relevance=MATRIX),
        lambda: asp.evaluate(NUMBERED, "NDCG@3", relevance={0: {2: 1, 3: 3}, 1: {3: 2}}),
        "numbered_ids",
    ),
    Misuse(
        "a sparse array as history",
        "note",
        "2 x 5",
        lambda: asp.evaluate(NUMBERED, "EPC@3", history=scipy.sparse.csc_array(MATRIX)),
        lambda: asp.evaluate(NUMBERED, "EPC@3", history={0: [2, 3], 1: [3]}),
        "numbered_ids",
    ),
    Misuse(
        "a sparse matrix as aspects",
        "note",
        "row and column numbers",
        lambda: asp.evaluate(NUMBERED, "AspectRecall@2", aspects=scipy.sparse.lil_matrix([[0, 0], [1, 0], [0, 1], [1, 1]])),
        lambda: asp.evaluate(NUMBERED, "AspectRecall@2", aspects={0: [], 1: ["x"], 2: ["y"], 3: ["x", "y"]}),
        "numbered_ids",
    ),
    Misuse(
        "a sparse matrix of scores as lists",
        "note",
        "row and column numbers",
        lambda: asp.evaluate(MATRIX.tocsr(), "NDCG@1", relevance={0: [3], 1: [4]}),
        lambda: asp.evaluate({0: [3, 2], 1: [3]}, "NDCG@1", relevance={0: [3], 1: [4]}),
        "numbered_ids",
    ),
    Misuse(
        "ids and a 0/1 matrix as aspects",
        "right",
        "",
        lambda: recall(aspects=(list("abcd"), WIDE[["scifi", "crime", "drama"]].to_numpy())),
        lambda: recall(aspects=GENRES),
    ),
    # RecBole
    Misuse(
        "RecBole's interactions",
        "right",
        "",
        lambda: in_file("m.inter", INTER, lambda path: ndcg(relevance=path)),
        lambda: ndcg(relevance=GRADED),
    ),
    Misuse(
        "RecBole's names of columns in a frame",
        "right",
        "",
        lambda: ndcg(
            relevance=pd.DataFrame(
                [("ann", "b", 1.0), ("ann", "c", 4.0), ("bob", "c", 5.0)], columns=["user_id:token", "item_id:token", "rating:float"]
            )
        ),
        lambda: ndcg(relevance=GRADED),
    ),
    Misuse(
        "RecBole's items, with a title that begins with a quote",
        "note",
        "split at blanks",
        lambda: in_file("m.item", ITEM, lambda path: recall(aspects=path)),
        lambda: recall(aspects=GENRES),
        "sequences",
    ),
    # Looking inside one list
    Misuse(
        "gains of a frame",
        "right",
        "",
        lambda: asp.gains(RECS, "ann", aspects=LONG, history=pd.DataFrame({"user": ["ann"], "item": ["c"]})).nDCG[-1],
        lambda: asp.gains(LISTS, "ann", aspects=GENRES, history={"ann": ["c"]}).nDCG[-1],
    ),
    Misuse(
        "gains of a file, with a Source",
        "right",
        "",
        lambda: in_file(
            "l.csv",
            RECS.rename(columns={"user": "who"}).to_csv(index=False),
            lambda path: asp.gains(asp.Source(path, columns={"user": "who"}), "bob", aspects=LISTED, history={"bob": ["c"]}).nDCG[-1],
        ),
        lambda: asp.gains(LISTS, "bob", aspects=GENRES, history={"bob": ["c"]}).nDCG[-1],
    ),
    Misuse(
        "the ideal list of a frame",
        "right",
        "",
        lambda: (
            asp.ideal_list("ann", "AlphaNDCG@2", rankings=RECS, aspects=WIDE, history=pd.DataFrame({"user": ["ann"], "item": ["c"]})).best
        ),
        lambda: asp.ideal_list("ann", "AlphaNDCG@2", aspects=GENRES, history={"ann": ["c"]}).best,
    ),
]
