"""History-judged alpha-nDCG whose ideal chooses from a catalogue of a million items."""

import numpy as np

import aspectrum as asp
from benchmarks.timing import measure

ITEMS, USERS, TOP, GENRES, INTERESTS, SETS = 1_000_000, 100_000, 50, 20, 20_000, 15_000


def make_world(seed: int = 0) -> asp.World:
    random = np.random.default_rng(seed)
    kinds = np.unique(random.random((SETS * 3, GENRES)) < random.beta(1.2, 4, (SETS * 3, 1)), axis=0)
    kinds = kinds[kinds.any(1)]
    kinds = kinds[random.permutation(len(kinds))[:SETS]]
    has = kinds[np.minimum(random.zipf(1.3, ITEMS) - 1, len(kinds) - 1)]
    sizes = has.sum(1)
    # Rare kinds too: a user's history covers one of many sets of interests.
    tastes = random.integers(0, ITEMS, (INTERESTS, 3))
    history = np.sort(tastes[random.integers(0, INTERESTS, USERS)], axis=1)
    history[:, 1:] += (np.diff(history, axis=1) == 0).cumsum(1)
    lists = (random.integers(0, ITEMS, (USERS, 1)) + np.arange(TOP) * 7919) % ITEMS
    return asp.World(
        asp.Rankings(np.arange(USERS + 1, dtype=np.int64) * TOP, lists.ravel().astype(np.int32)),
        aspects=asp.Aspects(np.concatenate(([0], np.cumsum(sizes))), np.nonzero(has)[1].astype(np.int32), GENRES),
        history=asp.History(np.arange(USERS + 1, dtype=np.int64) * 4, np.minimum(history, ITEMS - 1).ravel().astype(np.int32)),
        n_items=ITEMS,
    )


def run() -> bool:
    first = make_world()
    assert first.aspects is not None
    masks = first.aspects.sets.masks
    assert masks is not None
    interests = first.coverage("history").interests
    assert interests is not None
    print(f"  {len(np.unique(masks)):,} distinct sets of genres, {len(np.unique(interests)):,} distinct sets of interests")
    timing = measure(lambda: asp.evaluate(make_world(), "AlphaNDCG@10,50", per_user=False), 1)
    building = measure(make_world, 1)
    wall = timing.wall - building.wall
    print(
        f"AlphaNDCG@10,50 judged by history, {ITEMS:,} items, {USERS:,} users\n  {wall:.1f} s ({timing.cpu - building.cpu:.1f} s CPU), aim: 60 s",
        flush=True,
    )
    return wall < 60
