"""The main job on built-in data: a simulated catalogue, six recommenders of different taste, a table and a report.

Run it with ``aspectrum demo``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.api import evaluate_systems
from aspectrum.coding import Ids
from aspectrum.comparison import Comparison, compare
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import OutputError
from aspectrum.output_files import replacing, write_text
from aspectrum.report.building import Origin
from aspectrum.report.writing import write_report
from aspectrum.results import SystemResults
from aspectrum.world import Aspects, Features, History, Rankings, Relevance, Truth, World

Floats = npt.NDArray[np.float64]

USERS, ITEMS, GENRES, DIMENSIONS, TOP = 2000, 3000, 18, 32, 20

SYSTEMS = ("Accurate", "Diverse", "Popular", "One genre", "Novel", "Random")

METRICS = (
    "NDCG@10",
    "DCG@10",
    "AlphaNDCG(judged_by=relevance)@10",
    "AlphaNDCG(judged_by=history)@10",
    "AlphaDCG@10",
    "ERRIA@10",
    "NRBP",
    "PrecisionIA@10",
    "MAPIA",
    "AspectRecall@10",
    "ILD@10",
    "GiniComplement@10",
)

COMPARED = ("NDCG", "Recall", "AlphaNDCG(judged_by=relevance)", "ERRIA", "AspectRecall", "ILD", "EPC", "GiniComplement")

GENRE_NAMES = (
    *("Action", "Adventure", "Animation", "Children", "Comedy", "Crime", "Documentary", "Drama", "Fantasy", "History"),
    *("Horror", "Musical", "Mystery", "Romance", "Science fiction", "Thriller", "War", "Western"),
)


@dataclass(frozen=True, eq=False)
class Simulation:
    """A catalogue with genres and features, users with tastes, what they had before and what they will like."""

    genres: npt.NDArray[np.bool_]
    features: npt.NDArray[np.float32]
    popularity: Floats
    tastes: Floats
    liking: Floats
    history: npt.NDArray[np.bool_]
    grades: Floats


def simulate(seed: int = 2008) -> Simulation:
    """Draw everything from one seed: the same seed gives the same table."""
    random = np.random.default_rng(seed)
    share = random.dirichlet(np.full(GENRES, 1.5))
    genres = random.random((ITEMS, GENRES)) < 0.8 * share
    genres[np.arange(ITEMS), random.choice(GENRES, ITEMS, p=share)] = True
    directions = random.standard_normal((GENRES, DIMENSIONS))
    features = (genres @ directions + 0.8 * random.standard_normal((ITEMS, DIMENSIONS))).astype(np.float32)
    popularity = random.permutation(1.0 / np.arange(1, ITEMS + 1) ** 0.7)
    tastes = random.dirichlet(0.35 * GENRES * share + 0.05, USERS)
    fit = tastes @ genres.T / np.sqrt(genres.sum(1))
    liking = 8.0 * fit + np.log(popularity / popularity.mean()) + 1.5 * random.standard_normal((USERS, ITEMS))
    # People meet what they like or what is popular, 60 items each: 40 of them earlier, 20 still to come.
    met = np.argsort(-(liking + 0.5 * random.gumbel(size=liking.shape)), axis=1)[:, :60]
    met = random.permuted(met, axis=1)
    history = np.zeros((USERS, ITEMS), dtype=np.bool_)
    np.put_along_axis(history, met[:, :40], True, 1)
    grades = np.zeros((USERS, ITEMS))
    to_come = met[:, 40:]
    liked = np.take_along_axis(liking, to_come, 1)
    stars = 1.0 + (liked[:, :, np.newaxis] > np.quantile(liked, (0.2, 0.4, 0.6, 0.8))).sum(2)
    np.put_along_axis(grades, to_come, stars, 1)
    return Simulation(genres, features, popularity, tastes, liking, history, grades)


def recommend(world: Simulation, seed: int = 1) -> dict[str, npt.NDArray[np.int64]]:
    """Top lists of six recommenders of different taste."""
    random = np.random.default_rng(seed)
    seen = np.where(world.history, -np.inf, 0.0)
    guessed = world.liking + 1.2 * random.standard_normal(world.liking.shape)
    popular = np.log(world.popularity)[np.newaxis, :] + seen
    favourite = world.tastes.argmax(1)
    purity = -1e3 * (world.genres.sum(1) - 1.0)
    lists = (
        _top(guessed + seen),
        _diverse(world, guessed + seen),
        _top(popular),
        _top(np.where(world.genres[:, favourite].T, popular + purity, popular - 1e6)),
        _top(guessed - 0.8 * np.log(world.popularity) + seen),
        _top(random.random(world.liking.shape) + seen),
    )
    return dict(zip(SYSTEMS, lists, strict=True))


def _top(scores: Floats, n: int = TOP) -> npt.NDArray[np.int64]:
    best = np.argpartition(-scores, n, axis=1)[:, :n]
    order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1, kind="stable")
    return np.take_along_axis(best, order, 1)


def _diverse(world: Simulation, scores: Floats, balance: float = 0.6) -> npt.NDArray[np.int64]:
    """Re-rank the best 100: at each rank, liking against the taste not yet served (as xQuAD does)."""
    pool = _top(scores, 100)
    liking = np.take_along_axis(scores, pool, 1)
    liking = (liking - liking.min(1, keepdims=True)) / np.ptp(liking, axis=1, keepdims=True)
    shows = world.genres[pool].astype(np.float64)
    left = world.tastes.copy()
    chosen = np.empty((USERS, TOP), dtype=np.int64)
    everyone = np.arange(USERS)
    for rank in range(TOP):
        fresh = np.einsum("upg,ug->up", shows, left)
        best = ((1 - balance) * liking + balance * fresh).argmax(1)
        chosen[:, rank] = pool[everyone, best]
        left *= np.where(shows[everyone, best] > 0, 0.3, 1.0)
        liking[everyone, best] = -np.inf
    return chosen


def evaluate_demo(metrics: Sequence[str] = METRICS) -> SystemResults:
    """Measure the six recommenders."""
    world = simulate()
    rated = world.grades > 0
    truth = Truth(
        aspects=Aspects(*_rows(world.genres), GENRES),
        history=History(*_rows(world.history)),
        relevance=Relevance(*_rows(rated), world.grades[rated]),
        features=Features(world.features),
        catalogue=np.ones(ITEMS, dtype=np.bool_),
        aspect_ids=Ids(GENRE_NAMES),
    )
    starts = np.arange(USERS + 1, dtype=np.int64) * TOP
    lists = {name: Rankings(starts, items.astype(np.int32).ravel()) for name, items in recommend(world).items()}
    return evaluate_systems({name: World(rankings, truth) for name, rankings in lists.items()}, metrics)


def compare_demo() -> Comparison:
    """Compare the six recommenders with the most accurate, at every cutoff up to 20, by breadth and mainstreaminess of users."""
    results = evaluate_demo([f"{metric}@{','.join(map(str, range(1, TOP + 1)))}" for metric in COMPARED])
    return compare(results, "Accurate", segments=["breadth", "mainstreaminess"])


def titles() -> dict[int, str]:
    """What the items are called."""
    return {item: f"{_FIRST[item % len(_FIRST)]} {_SECOND[item // len(_FIRST) % len(_SECOND)]} {item + 1}" for item in range(ITEMS)}


_FIRST = ["Silent", "Golden", "Lost", "Hidden", "Broken", "Electric", "Distant", "Crimson", "Endless", "Paper", "Winter", "Hollow"]
_SECOND = ["Harbour", "River", "Letters", "Garden", "Machine", "Orchard", "Frontier", "Mirror", "Lantern", "Voyage"]


def _rows(marks: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Where the marks of each row start, and their columns."""
    return np.concatenate(([0], np.cumsum(marks.sum(1)))).astype(np.int64), np.nonzero(marks)[1].astype(np.int32)


CONFIGURATION = """\
# Made by aspectrum demo --files. Run it in this folder with: aspectrum evaluate --config evaluation.yaml

systems:
{systems}
inputs:
  aspects: genres.csv       # item, genre
  history: history.csv      # user, item
  relevance: relevance.csv  # user, item, rating
  features: features.npz    # one vector per item
  catalogue: genres.csv     # every item has a genre

threshold: 4  # ratings are 1 to 5 stars; an item with 4 or 5 is relevant

metrics:
  - NDCG@10
  - AlphaNDCG(judged_by=relevance)@10
  - AspectRecall@10
  - ILD@10
  - GiniComplement@10
"""


def write_files(folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
    """Write the built-in data as files, and a configuration that measures them; returns their paths.

    Args:
        force: Whether files that are there are overwritten; otherwise they are an error, and nothing is written.
    """
    import polars

    place = Path(folder)
    lists = {name: f"recs_{name.lower().replace(' ', '_')}.csv" for name in SYSTEMS}
    files = ["genres.csv", "history.csv", "relevance.csv", *lists.values(), "features.npz", "evaluation.yaml"]
    there = [file for file in files if os.path.lexists(place / file)]
    if there and not force:
        verb = "exists" if len(there) == 1 else "exist"
        raise OutputError(f"{place}: {', '.join(there)} already {verb} (use ", Option("force"), ")")
    world = simulate()
    place.mkdir(parents=True, exist_ok=True)
    (items, genres), (users, seen), (judges, judged) = map(np.nonzero, (world.genres, world.history, world.grades))
    tables: dict[str, dict[str, Any]] = {
        "genres.csv": {"item": items, "genre": [f"genre{genre + 1:02}" for genre in genres]},
        "history.csv": {"user": users, "item": seen},
        "relevance.csv": {"user": judges, "item": judged, "rating": world.grades[judges, judged].astype(np.int64)},
    }
    everyone, ranks = np.repeat(np.arange(USERS), TOP), np.tile(np.arange(1, TOP + 1), USERS)
    for name, recommended in recommend(world).items():
        tables[lists[name]] = {"user": everyone, "item": recommended.ravel(), "rank": ranks}
    for file, columns in tables.items():
        with replacing(place / file) as output:
            polars.DataFrame(columns).write_csv(output)
    with replacing(place / "features.npz") as output:
        np.savez(output, ids=np.arange(ITEMS), features=world.features)
    write_text(place / "evaluation.yaml", CONFIGURATION.format(systems="".join(f"  {name}: {file}\n" for name, file in lists.items())))
    return [str(place / file) for file in files]


def show(report: str | os.PathLike[str]) -> None:
    """Print the table and write the report: a page, or Markdown if the name of the file says so."""
    is_page = os.path.splitext(os.fspath(report))[1].lower() not in (".md", ".markdown")
    print(f"{USERS:,} simulated users, {ITEMS:,} items, {GENRES} genres; the top of six recommenders, measured:\n")
    results = evaluate_demo()
    print(results)
    print("\nAccuracy (first rows) and diversity (last rows) pull apart: Diverse gives up a little of the one for the other.")
    if is_page:
        origin = Origin(title="Six simulated recommenders", command=f"aspectrum demo {os.fspath(report)}", titles=titles())
        write_report(compare_demo(), report, origin)
        print(f"Is it real, for whom, and what does it look like? Open the report in a browser: {os.path.abspath(report)}")
    else:
        write_text(report, f"# aspectrum demo\n\n{results.to_markdown()}\n")
        print(f"How each number was computed: {report}")
