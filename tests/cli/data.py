"""Two systems, their truth, and the same as files."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

LISTS = {"ann": ["a", "b", "c", "d"], "bob": ["b", "d", "a"], "cyd": ["c", "e"]}
OTHERS = {"ann": ["e", "a"], "bob": ["c", "b", "e", "a"], "cyd": ["d", "c"]}
GENRES = {"a": ["horror", "scifi"], "b": ["crime"], "c": ["scifi"], "d": ["crime", "horror"], "e": ["comedy"]}
GRADES = {"ann": {"a": 5, "d": 3}, "bob": {"b": 4, "e": 1}, "cyd": {"e": 2, "c": 4}}
HISTORY = {"ann": ["b", "e"], "bob": ["c"], "cyd": ["a"]}
VECTORS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0], "d": [1.0, 2.0], "e": [2.0, 1.0]}

TRUTH: dict[str, Any] = {"relevance": GRADES, "aspects": GENRES, "history": HISTORY}
OPTIONS = ("--relevance", "grades.csv", "--aspects", "genres.csv", "--history", "history.csv")


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return path


def write_files(folder: Path) -> None:
    """``als.csv`` with scores, ``popular.csv`` with ranks in no order, and the truth."""
    scored = [(item, user, 10 - place) for user, items in LISTS.items() for place, item in enumerate(items)]
    write_csv(folder / "als.csv", ("user", "item", "score"), ((user, item, score) for item, user, score in sorted(scored)))
    ranked = [(item, user, place) for user, items in OTHERS.items() for place, item in enumerate(items, 1)]
    write_csv(folder / "popular.csv", ("user", "item", "rank"), ((user, item, rank) for item, user, rank in sorted(ranked)))
    write_csv(folder / "genres.csv", ("item", "genre"), ((item, genre) for item, genres in GENRES.items() for genre in genres))
    graded = ((user, item, grade) for user, grades in GRADES.items() for item, grade in grades.items())
    write_csv(folder / "grades.csv", ("user", "item", "rating"), graded)
    write_csv(folder / "history.csv", ("user", "item"), ((user, item) for user, items in HISTORY.items() for item in items))
    write_csv(folder / "vectors.csv", ("item", "x", "y"), ((item, *vector) for item, vector in VECTORS.items()))
