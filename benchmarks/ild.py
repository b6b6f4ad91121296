"""Cosine intra-list diversity, against NumPy in chunks, and against the speed of memory."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

import aspectrum as asp
from benchmarks.timing import measure, report

Floats = npt.NDArray[np.float64]
USERS, TOP, ITEMS, WIDTH = 100_000, 50, 10_000, 128
CUTOFFS = (10, TOP)


def make_world(n_items: int, seed: int = 0) -> asp.World:
    random = np.random.default_rng(seed)
    features = random.standard_normal((n_items, WIDTH), dtype=np.float32)
    items = np.concatenate([random.choice(n_items, TOP, replace=False) for _ in range(2000)])
    lists = np.concatenate([(items + shift) % n_items for shift in random.integers(0, n_items, USERS // 2000)]).astype(np.int32)
    return asp.World(asp.Rankings(np.arange(USERS + 1, dtype=np.int64) * TOP, lists), features=asp.Features(features))


def pairs_in_numpy(world: asp.World, precision: type, chunk: int = 500) -> Floats:
    """All cosines of a list, as most libraries do it."""
    scores = np.empty((USERS, len(CUTOFFS)))
    for start, x in _units(world, precision, chunk):
        cosines = x @ x.transpose(0, 2, 1)
        for place, k in enumerate(CUTOFFS):
            total = cosines[:, :k, :k].sum((1, 2), dtype=np.float64)
            scores[start : start + chunk, place] = 1 - (total - k) / (k * (k - 1))
    return scores


def sums_in_numpy(world: asp.World, precision: type, chunk: int = 500) -> Floats:
    """The same from the sum of the unit vectors, without pairs."""
    scores = np.empty((USERS, len(CUTOFFS)))
    for start, x in _units(world, precision, chunk):
        for place, k in enumerate(CUTOFFS):
            total = (x[:, :k].sum(1, dtype=np.float64) ** 2).sum(1)
            scores[start : start + chunk, place] = 1 - (total - k) / (k * (k - 1))
    return scores


def _units(world: asp.World, precision: type, chunk: int) -> Iterator[tuple[int, Floats]]:
    assert world.features is not None
    matrix = world.features.matrix.astype(precision)
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    lists = world.rankings.items.reshape(USERS, TOP)
    for start in range(0, USERS, chunk):
        yield start, units[lists[start : start + chunk]]


def read_bandwidth(megabytes: int = 1024) -> float:
    """Bytes per second that one pass over memory reads, all cores together."""
    from concurrent.futures import ThreadPoolExecutor
    from os import cpu_count

    parts = cpu_count() or 1
    blocks = [np.ones(megabytes * 2**17 // parts) for _ in range(parts)]
    with ThreadPoolExecutor(parts) as pool:
        best = min(measure(lambda: list(pool.map(np.max, blocks)), 1).wall for _ in range(5))
    return megabytes * 2**20 / best


def run() -> bool:
    metric = asp.ILD(k=CUTOFFS)
    world = make_world(ITEMS)
    ours = measure(lambda: metric.scores(world), 5)
    peer = measure(lambda: pairs_in_numpy(world, np.float64), 1)
    reached = report(f"Cosine ILD@10,{TOP}, {WIDTH} dimensions, {USERS:,} users", ours, peer, "chunked NumPy", 20)
    for name, run_peer, precision in (
        ("pairs in float32", pairs_in_numpy, np.float32),
        ("sums of unit vectors in float64", sums_in_numpy, np.float64),
        ("sums of unit vectors in float32", sums_in_numpy, np.float32),
    ):
        other = measure(partial(run_peer, world, precision), 1)
        off = np.abs(other.result - peer.result).max()
        print(f"    for comparison, {name}: {other.cpu:.3f} s CPU, {other.cpu / ours.cpu:.1f} x; off by up to {off:.0e}")
    print(f"    aspectrum is off by up to {np.abs(ours.result - peer.result).max():.0e}")
    large = make_world(1_000_000)
    large_run = measure(lambda: metric.scores(large), 5)
    bandwidth = read_bandwidth()
    needed = USERS * TOP * WIDTH * 4
    share = needed / large_run.wall / bandwidth
    print(
        f"Cosine ILD on a feature table of 512 MB\n  {large_run.wall:.3f} s, reads {needed / large_run.wall / 1e9:.1f} GB/s of "
        f"{bandwidth / 1e9:.1f} GB/s measured: {share:.0%} of the read bandwidth",
        flush=True,
    )
    return reached
