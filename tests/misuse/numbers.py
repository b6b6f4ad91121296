"""Numbers, arrays and arguments that nothing right can be computed from."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import aspectrum as asp
from tests.misuse.table import Misuse

LISTS = {"u": ["a", "b", "c"], "v": ["b", "a"]}
GENRES = {"a": ["x"], "b": ["x", "y"], "c": ["y", "z"]}
LIKED = {"u": ["a", "b"], "v": ["c"]}
CODED = asp.Rankings([0, 3], [0, 1, 2])  # type: ignore[arg-type]


def masked(values: Any, *places: int) -> Any:
    mask = np.zeros(np.shape(values), dtype=bool)
    mask.flat[list(places)] = True
    return np.ma.array(values, mask=mask)


def evaluated(metric: str, **inputs: Any) -> Callable[[], Any]:
    return lambda: asp.evaluate(inputs.pop("rankings", LISTS), metric, **inputs)


def of_codes(metric: str, **parts: Any) -> Callable[[], Any]:
    return lambda: asp.evaluate(CODED, metric, **{name: make() for name, make in parts.items()})


def error(does: str, says: str, run: Callable[[], Any]) -> Misuse:
    return Misuse(does, "error", says, run)


def graded(grade: float) -> dict[str, dict[str, float]]:
    return {"u": {"a": grade, "b": grade}, "v": {"a": grade, "b": grade}}


# A NaN before zeros, through every door for vectors in memory

NOT_A_NUMBER = [[1.0, math.nan, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.0]]
WIDE = np.random.default_rng(1).random((3, 64))
WIDE[0, 40], WIDE[0, 41:] = math.nan, 0.0
DISTANCES = ("cosine", "squared_euclidean", "euclidean", "jaccard", "hamming")
DOORS: dict[str, Callable[[Any], Any]] = {
    "lists by item": lambda rows: dict(zip("abc", np.asarray(rows).tolist(), strict=True)),
    "arrays by item": lambda rows: dict(zip("abc", np.asarray(rows), strict=True)),
    "ids and a float64 matrix": lambda rows: (list("abc"), np.array(rows, dtype=np.float64)),
    "ids and a float32 matrix": lambda rows: (list("abc"), np.array(rows, dtype=np.float32)),
}
VECTORS = [
    error(
        f"a NaN before zeros in vectors given as {door}, {width} wide, {distance}",
        "the vector of item 'a' holds NaN",
        evaluated(f"ILD(distance={distance})@3", features=make(rows)),
    )
    for door, make in DOORS.items()
    for width, rows in ((3, NOT_A_NUMBER), (64, WIDE))
    for distance in DISTANCES
] + [
    error(
        f"a NaN before zeros in asp.Features, {distance}",
        "the vector of item 0 holds NaN",
        of_codes(f"ILD(distance={distance})@3", features=lambda: asp.Features(np.array(NOT_A_NUMBER))),
    )
    for distance in DISTANCES
]

# Numbers too large or too small

SIZES = [
    *(
        error(
            f"grades of 1.7e308, {metric}",
            "a grade is 1.7e+308, expected a size up to 1e+150",
            evaluated(metric, relevance=graded(1.7e308)),
        )
        for metric in ("NDCG@2", "DCG@2", "NDCG(gain=exponential)@2")
    ),
    error(
        "grades of 1.7e308 as codes",
        "relevance: grades: entry 0 is 1.7e+308, expected a size up to 1e+150",
        of_codes("DCG@2", relevance=lambda: asp.Relevance([0, 1], [0], [1.7e308])),  # type: ignore[arg-type]
    ),
    error("grades of 1000 as exponents", "grade 1000 is too large", evaluated("NDCG(gain=exponential)@2", relevance=graded(1000.0))),
    error(
        "a grade of 2000, of a user without a list, as an exponent",
        "grade 2000 is too large for a gain of 2^grade - 1, expected at most 498",
        evaluated("EPC(relevance=graded)@2", relevance={**graded(1.0), "w": {"a": 2000.0}}, history=LIKED),
    ),
    error(
        "grades of 2000 and ERRIA without a largest grade",
        "grade 2000 is too large",
        evaluated("ERRIA(grades=true)@2", relevance=graded(2000.0), aspects=GENRES),
    ),
    error(
        "a max_grade of 1024",
        "max_grade is 1024, expected above 0 and at most 498",
        lambda: asp.parse("ERRIA(grades=true, max_grade=1024)@5"),
    ),
    *(
        error(
            f"weights of 1e308, {metric}",
            "weights: a weight is 1e+308, expected a size up to 1e+150",
            evaluated(metric, relevance=LIKED, aspects=GENRES, weights={"x": 1e308, "y": 5e-324, "z": 1.0}),
        )
        for metric in ("AlphaNDCG@2", "ERRIA@2", "AspectRecall@2", "PrecisionIA@2", "MAPIA@2", "NRBP")
    ),
    *(
        error(
            f"weights of 1e-320, {metric}",
            "weights: those of user 'u' add up to",
            evaluated(metric, relevance=LIKED, aspects=GENRES, weights=dict.fromkeys("xyz", 1e-320)),
        )
        for metric in ("NRBP", "AlphaNDCG(ideal=exact)@2")
    ),
    error(
        "grades of 1e-320", "multiply all weights, grades or strengths by the same factor", evaluated("NDCG@2", relevance=graded(1e-320))
    ),
    Misuse(
        "one weight of 1e-320 among others",
        "right",
        "",
        evaluated("NRBP", relevance=LIKED, aspects=GENRES, weights={"x": 1.0, "y": 1e-320, "z": 1.0}),
        evaluated("NRBP", relevance=LIKED, aspects=GENRES, weights={"x": 1.0, "y": 0.0, "z": 1.0}),
    ),
    *(
        error(
            f"vectors {size} long, {distance}",
            f"the longest vector has length {size}, which the {distance} distance cannot square",
            evaluated(f"ILD(distance={distance})@2", features={"a": [float(size), 0.0], "b": [0.0, float(size)], "c": [0.0, float(size)]}),
        )
        for size in ("1e-200", "1e+151")
        for distance in ("euclidean", "squared_euclidean")
    ),
]

# Arrays that say more, or less, than numbers

ARRAYS = [
    error("masked items", "rankings: items: the value at 1 is masked", lambda: asp.Rankings([0, 2], masked([0, 1], 1))),  # type: ignore[arg-type]
    error("masked grades", "relevance: grades: the value at 0 is masked", lambda: asp.Relevance([0, 2], [0, 1], masked([3.0, 1.0], 0))),  # type: ignore[arg-type]
    error("masked flags", "aspects: known: the value at 0 is masked", lambda: asp.Aspects([0, 1], [0], 1, known=masked([True], 0))),  # type: ignore[arg-type]
    error("masked weights", "weights: the value at 1 is masked", lambda: asp.Weights(masked([1.0, 2.0], 1))),
    error("a masked matrix", "features: the value at 0, 1 is masked", lambda: asp.Features(masked([[1.0, 2.0]], 1))),
    error(
        "a masked matrix with ids",
        "features: the value at 0, 1 is masked",
        evaluated("ILD@2", features=(list("abc"), masked(np.ones((3, 2)), 1))),
    ),
    error(
        "a masked vector",
        "features: the vector of item 'a': the value at 1 is masked",
        evaluated("ILD@2", features={"a": masked([1.0, 2.0], 1), "b": [1.0, 1.0], "c": [0.0, 1.0]}),
    ),
    error(
        "a masked row of 0 and 1",
        "aspects: the array of item 'a': the value at 0 is masked",
        evaluated("AspectRecall@2", aspects={"a": masked([1, 0], 0), "b": np.array([1, 1]), "c": np.array([0, 1])}),
    ),
    error("a masked grade", "the grade of 'u', 'a' is masked", evaluated("NDCG@2", relevance={"u": {"a": np.ma.masked}})),
    error("a masked list", "the id of an item is missing", evaluated("NDCG@2", rankings={"u": masked([1, 2], 1)}, relevance={"u": [1]})),
    Misuse(
        "a masked array in which nothing is masked",
        "right",
        "",
        of_codes("NDCG@2", relevance=lambda: asp.Relevance([0, 2], [0, 1], masked([1.0, 2.0]))),  # type: ignore[arg-type]
        of_codes("NDCG@2", relevance=lambda: asp.Relevance([0, 2], [0, 1], [1.0, 2.0])),  # type: ignore[arg-type]
    ),
    error("complex grades", "grades: expected real numbers, found complex128", lambda: asp.Relevance([0, 1], [0], [1 + 1j])),  # type: ignore[arg-type]
    error("a complex grade", "the grade of 'u', 'a' is", evaluated("NDCG@2", relevance={"u": {"a": np.complex128(1 + 1j)}})),
    error("complex vectors", "expected real numbers", evaluated("ILD@2", features=(list("abc"), np.ones((3, 2), dtype=np.complex64)))),
    error("grades that are text", "relevance: grades: expected numbers", lambda: asp.Relevance([0, 1], [0], ["good"])),  # type: ignore[arg-type]
    error("ids passed as codes", "asp.evaluate({user: [items]}, ...)", lambda: asp.World(asp.Rankings([0, 2], [5, 2**31 - 1]))),  # type: ignore[arg-type]
    error(
        "ids passed as codes to evaluate",
        "rankings: items: the largest of 2 codes is 2147483647",
        lambda: asp.evaluate(asp.Rankings([0, 2], [5, 2**31 - 1]), "GiniComplement@2"),  # type: ignore[arg-type]
    ),
    error(
        "ids of the truth passed as codes",
        "history: items: the largest of 4 codes is 1999999999",
        of_codes("EPC@2", history=lambda: asp.History([0, 1], [1_999_999_999])),  # type: ignore[arg-type]
    ),
    error(
        "ids of aspects passed as codes",
        "subtopics: aspects: the largest of 1 codes is 2147483647",
        lambda: asp.Subtopics.from_rows([0], [0], [2**31 - 1], n_users=1),
    ),
    error(
        "ids of aspects passed as codes of weights",
        "weights: aspects: the largest of 1 codes is 2147483647",
        lambda: asp.Truth(weights=asp.Weights(None, [0, 1], [2**31 - 1], [1.0])),  # type: ignore[arg-type]
    ),
]

# Arguments of another kind


def argument(name: str, value: Any, expected: str, metric: str = "NDCG@2") -> Misuse:
    return error(f"{name}={value!r}"[:40], expected, evaluated(metric, relevance=LIKED, aspects=GENRES, **{name: value}))


EXACT = "AlphaNDCG(ideal=exact)@2"
ARGUMENTS = [
    *(argument("threads", value, "expected a whole number from 1 to 2**31 - 1") for value in ("2", 99999999999, 1.5, True, 0, math.nan)),
    *(argument("batch_size", value, "expected a whole number from 1 to 2**31 - 1") for value in (1.5, "3", 0, -1, 2**40)),
    *(argument("threshold", value, "expected a finite number") for value in (10**400, "1", [1], math.inf, True)),
    *(argument("ideal_budget", value, "expected a number from 0", EXACT) for value in ("1", [1], True, math.nan)),
    *(argument("ideal_seconds", value, "expected a number from 0", EXACT) for value in ("1", -1)),
    error("n_aspects='3'", "n_aspects is '3', expected a whole number from 0", lambda: asp.Aspects([0, 1], [0], "3")),  # type: ignore[arg-type]
    error("n_aspects=3.0", "n_aspects is 3.0, expected a whole number from 0", lambda: asp.Aspects([0, 1], [0], 3.0)),  # type: ignore[arg-type]
    error("n_users='1'", "n_users is '1'", lambda: asp.Subtopics.from_rows([0], [0], [0], n_users="1")),  # type: ignore[arg-type]
    error("n_items='1'", "n_items is '1'", lambda: asp.Truth(n_items="1")),  # type: ignore[arg-type]
]

MISUSES: list[Misuse] = [*VECTORS, *SIZES, *ARRAYS, *ARGUMENTS]
