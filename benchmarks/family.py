"""Every metric on the lists of 100,000 users, against AlphaNDCG with its ideal lists; and how its cost grows."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars

import aspectrum as asp
from benchmarks.timing import measure

USERS, TOP, ITEMS, GENRES, GROUPS, NUMBERS = 100_000, 50, 20_000, 20, 4, 32
HISTORY, RELEVANT, CONTACTS, COMMUNITIES = 30, 8, 10, 50
STATED = {"EILD", "EPD", "VendiScore", "MeanPredictionDistance"}
"""What costs more by its definition, as its documentation says: pairs of items, eigenvalues, searches of a network."""
SECONDS = 3.0
SYSTEMS = ("pop", "itemknn", "als", "bpr", "random")


def pairs(n: Any, random: np.random.Generator, skew: float) -> polars.DataFrame:
    """As many items of each user, some more popular than others."""
    users = np.repeat(np.arange(USERS), n)
    items = (random.random(len(users)) ** skew * ITEMS).astype(np.int64)
    return polars.DataFrame({"user": users, "item": items}).unique(maintain_order=True)


def make_inputs(seed: int = 0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    common = 1 / np.arange(1, GENRES + 1)  # some genres are, as those of films
    genres = [random.choice(GENRES, 1 + random.binomial(3, 0.4), replace=False, p=common / common.sum()) for _ in range(ITEMS)]
    return {
        "aspects": polars.DataFrame({"item": np.arange(ITEMS), "genre": genres}).explode("genre"),
        "history": pairs(random.geometric(1 / HISTORY, USERS), random, 3.0),
        "relevance": pairs(RELEVANT, random, 2.0),
        "groups": polars.DataFrame({"item": np.arange(ITEMS), "group": random.integers(0, GROUPS, ITEMS)}),
        "features": random.normal(size=(ITEMS, NUMBERS)).astype(np.float32),
        "baseline": pairs(TOP, random, 4.0),
        "catalogue": np.arange(ITEMS),
    }


def make_network(seed: int = 0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    links = {"from": np.repeat(np.arange(USERS), CONTACTS), "to": random.integers(0, USERS, USERS * CONTACTS)}
    return {
        "graph": polars.DataFrame(links),
        "aspects": polars.DataFrame({"item": np.arange(USERS), "community": random.integers(0, COMMUNITIES, USERS)}),
    }


def make_lists(seed: int = 1) -> polars.DataFrame:
    return pairs(TOP, np.random.default_rng(seed), 2.0)


def cpu_of(metric: asp.Metric, world: asp.World, users: int) -> float:
    """Of the first users of a world, which has not been looked at yet."""
    rankings, codes = world.rankings.take(np.arange(users)), np.arange(users, dtype=np.int32)
    return measure(lambda: asp.evaluate(asp.World(rankings, world.truth, codes=codes), metric, per_user=False), 2).cpu


def run() -> bool:
    lists, reached = make_lists(), True
    items, people = asp.World.of(lists, **make_inputs()), asp.World.of(lists, **make_network())
    unit = cpu_of(asp.AlphaNDCG(k=(10, TOP)), items, USERS)
    print(
        f"{USERS:,} users x top {TOP}: CPU time over that of AlphaNDCG@10,{TOP} with its ideal lists, {unit:.2f} s; and over half of the users"
    )
    for name, cls in asp.registered().items():
        metric = asp.Serendipity(unexpected="popularity", k=(10, TOP)) if cls is asp.Serendipity else cls(k=(10, TOP))
        world = people if metric.family == "network" else items
        whole, half = (cpu_of(metric, world, users) for users in (USERS, USERS // 2))
        missed = name not in STATED and whole > unit
        reached = reached and not missed
        print(
            f"  {name:28} {whole / unit:8.2f}   {whole / half:6.1f}   {'MISSED' if missed else 'stated' if name in STATED else ''}",
            flush=True,
        )
    return reached and movielens()


def movielens() -> bool:
    """All metrics of five systems in one command."""
    data = os.environ.get("ASPECTRUM_DATA")
    if data is None:
        return True
    folder = Path(data) / "ml_latest_small"
    genres = str(folder / "item_genres.parquet")
    command = [
        sys.executable,
        "-m",
        "aspectrum",
        "evaluate",
        *(str(folder / f"recs_{name}.parquet") for name in SYSTEMS),
        "-m",
        "all@5,10,20",
    ]
    command += [
        "--aspects",
        genres,
        "--features",
        genres,
        "--catalogue",
        genres,
        "--relevance",
        str(folder / "test.parquet"),
        "--threshold",
        "4",
    ]
    command += ["--history", str(folder / "train.parquet"), "--quiet"]
    found = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    reached = min(found) <= SECONDS
    print(
        f"all@5,10,20 of MovieLens, five systems, one command: {min(found):.2f} s CPU, aim: {SECONDS:g} s   {'reached' if reached else 'MISSED'}"
    )
    return reached
