"""alpha-nDCG with its greedy ideal at all cutoffs, against NumPy in chunks."""

import numpy as np
import numpy.typing as npt

import aspectrum as asp
from benchmarks.timing import measure, report

Floats = npt.NDArray[np.float64]
USERS, TOP, GENRES, ITEMS, ALPHA = 100_000, 50, 20, 10_000, 0.5


def make_world(seed: int = 0) -> tuple[asp.World, npt.NDArray[np.bool_]]:
    """Lists of 50, genres of items, and 10 to 60 relevant items per user."""
    random = np.random.default_rng(seed)
    has = random.random((ITEMS, GENRES)) < 0.12
    has[np.arange(ITEMS), random.integers(0, GENRES, ITEMS)] = True
    items = np.concatenate([random.choice(ITEMS, TOP, replace=False) for _ in range(2000)])
    lists = np.concatenate([(items + shift) % ITEMS for shift in random.integers(0, ITEMS, USERS // 2000)]).astype(np.int32)
    sizes = random.integers(10, 61, USERS)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    # Half of a user's relevant items come from the list, so that scores are not all 0.
    pools = []
    for user, size in enumerate(sizes.tolist()):
        own = lists[user * TOP : (user + 1) * TOP][: size // 2]
        pools.append(np.unique(np.concatenate([own, random.integers(0, ITEMS, size)]))[:size])
    offsets = np.concatenate(([0], np.cumsum([len(pool) for pool in pools])))
    codes = np.nonzero(has)[1].astype(np.int32)
    world = asp.World(
        asp.Rankings(np.arange(USERS + 1, dtype=np.int64) * TOP, lists),
        aspects=asp.Aspects(np.concatenate(([0], np.cumsum(has.sum(1)))), codes, GENRES),
        relevance=asp.Relevance(offsets, np.concatenate(pools)),
    )
    return world, has


def chunked_numpy(world: asp.World, has: npt.NDArray[np.bool_], chunk: int = 1000) -> Floats:
    assert world.relevance is not None
    discounts = 1 / np.log2(np.arange(2, TOP + 2))
    lists = world.rankings.items.reshape(USERS, TOP)
    offsets, relevant = world.relevance.offsets, world.relevance.items
    scores = np.empty((USERS, TOP))
    genres = has.astype(np.float64)
    for start in range(0, USERS, chunk):
        stop = min(start + chunk, USERS)
        n = stop - start
        sizes = np.diff(offsets[start : stop + 1])
        pool = np.full((n, sizes.max()), -1)
        pool[np.arange(sizes.max()) < sizes[:, None]] = relevant[offsets[start] : offsets[stop]]
        pool = pool[:, ::-1]  # argmax takes the first of equals: put the largest item first
        hit = np.zeros((n, ITEMS + 1), dtype=np.bool_)
        np.put_along_axis(hit, pool, True, 1)
        hit[:, -1] = False
        shown = lists[start:stop]
        judged = genres[shown] * np.take_along_axis(hit, shown, 1)[:, :, None]
        seen = np.cumsum(judged, axis=1) - judged
        reached = np.cumsum((judged * (1 - ALPHA) ** seen).sum(2) * discounts, axis=1)
        left = np.ones((n, GENRES))
        choices = genres[pool] * (pool >= 0)[:, :, None]
        ideal = np.zeros((n, TOP))
        for rank in range(TOP):
            gain = np.einsum("npg,ng->np", choices, left)
            best = gain.argmax(1)
            ideal[:, rank] = gain[np.arange(n), best]
            taken = choices[np.arange(n), best]
            left *= (1 - ALPHA) ** taken
            choices[np.arange(n), best] = 0
        scores[start:stop] = reached / np.cumsum(ideal * discounts, axis=1)
    return scores


def run() -> bool:
    world, has = make_world()
    metric = asp.AlphaNDCG(k=tuple(range(1, TOP + 1)), alpha=ALPHA, judged_by="relevance")
    ours = measure(lambda: asp.evaluate(world, metric), 5)
    peer = measure(lambda: chunked_numpy(world, has), 1)
    print(f"  scores agree within {np.abs(ours.result.blocks[0].scores - peer.result).max():.1e}")
    return report(f"AlphaNDCG@1..{TOP}, greedy ideal, {USERS:,} users, pools of 10 to 60, {GENRES} genres", ours, peer, "chunked NumPy", 10)
