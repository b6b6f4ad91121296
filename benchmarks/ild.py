"""Cosine intra-list diversity at all cutoffs, against NumPy in chunks, and against the speed of memory."""

import numpy as np
import numpy.typing as npt

import aspectrum as asp
from benchmarks.timing import measure, report

Floats = npt.NDArray[np.float64]
USERS, TOP, ITEMS, WIDTH = 100_000, 50, 10_000, 128


def make_world(n_items: int, seed: int = 0) -> asp.World:
    random = np.random.default_rng(seed)
    features = random.standard_normal((n_items, WIDTH), dtype=np.float32)
    items = np.concatenate([random.choice(n_items, TOP, replace=False) for _ in range(2000)])
    lists = np.concatenate([(items + shift) % n_items for shift in random.integers(0, n_items, USERS // 2000)]).astype(np.int32)
    return asp.World(asp.Rankings(np.arange(USERS + 1, dtype=np.int64) * TOP, lists), features=asp.Features(features))


def chunked_numpy(world: asp.World, precision: type, chunk: int = 500) -> Floats:
    assert world.features is not None
    matrix = world.features.matrix.astype(precision)
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    lists = world.rankings.items.reshape(USERS, TOP)
    pairs = np.arange(2, TOP + 1) * np.arange(1, TOP) / 2
    scores = np.empty((USERS, TOP - 1))
    for start in range(0, USERS, chunk):
        x = units[lists[start : start + chunk]]
        below = np.tril(x @ x.transpose(0, 2, 1), -1).sum(2, dtype=np.float64)
        scores[start : start + chunk] = 1 - np.cumsum(below, axis=1)[:, 1:] / pairs
    return scores


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
    metric = asp.ILD(k=tuple(range(2, TOP + 1)))
    world = make_world(ITEMS)
    ours = measure(lambda: metric.scores(world))
    peer = measure(lambda: chunked_numpy(world, np.float64), 1)
    rough = measure(lambda: chunked_numpy(world, np.float32), 1)
    print(
        f"  scores agree within {np.abs(ours.result - peer.result).max():.1e}; NumPy in float32 ({rough.cpu:.3f} s CPU) is off by up to "
        f"{np.abs(rough.result - peer.result).max():.1e}"
    )
    reached = report(f"Cosine ILD@2..{TOP}, {WIDTH} dimensions, {USERS:,} users", ours, peer, "chunked NumPy, float64", 20)
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
