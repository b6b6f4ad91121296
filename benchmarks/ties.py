"""Equal scores: what averages over all orders cost, with the least and the greatest, against the plain score; a run rounded to bfloat16."""

import numpy as np
import polars

import aspectrum as asp
from benchmarks.timing import measure

QUERIES, DEPTH, POOL, NUGGETS = 20_000, 100, 30, 8
METRICS = ("AlphaNDCG@20", "ERRIA@20", "AspectRecall@20", "NDCG@20")
AIM = 3.0


def make_run(seed: int = 0) -> polars.DataFrame:
    """Documents with scores of which bfloat16 keeps eight bits."""
    random = np.random.default_rng(seed)
    scores = np.sort(random.normal(0.6, 0.1, (QUERIES, DEPTH)).astype(np.float32), axis=1)[:, ::-1]
    rounded = ((np.ascontiguousarray(scores).view(np.uint32) + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    documents = np.argsort(random.random((QUERIES, 2 * DEPTH)), axis=1)[:, :DEPTH]
    return polars.DataFrame({"query": np.repeat(np.arange(QUERIES), DEPTH), "item": documents.ravel(), "score": rounded.ravel()})


def make_judgments(seed: int = 1) -> polars.DataFrame:
    random = np.random.default_rng(seed)
    n = QUERIES * POOL
    rows = {"user": np.repeat(np.arange(QUERIES), POOL), "aspect": random.integers(0, NUGGETS, n), "item": random.integers(0, 2 * DEPTH, n)}
    return polars.DataFrame(rows).unique(maintain_order=True)


def run() -> bool:
    lists, judgments = make_run(), make_judgments()
    graded = judgments.group_by("user", "item", maintain_order=True).len("grade")
    worlds = {ties: asp.World.of(lists, subtopics=judgments, relevance=graded, ties=ties, order="score") for ties in ("input", "expected")}
    tied = worlds["input"].rankings.tied
    assert tied is not None
    print(f"equal scores: {QUERIES:,} queries x {DEPTH}, {tied.mean():.0%} of the documents have the score of the one before", flush=True)
    reached = True
    for name in METRICS:
        metric = asp.parse(name)
        cost = {}
        for ties, world in worlds.items():
            asp.evaluate(world, metric, threads=1)  # ideals are found
            cost[ties] = measure(lambda world=world, metric=metric: asp.evaluate(world, metric, threads=1)).cpu  # type: ignore[misc]
        ratio = cost["expected"] / cost["input"]
        reached &= ratio <= AIM
        print(
            f"  {name:16} plain {cost['input']:.3f} s CPU   expected, least and greatest {ratio:5.2f} times (aim: at most {AIM:g})",
            flush=True,
        )
    return reached
