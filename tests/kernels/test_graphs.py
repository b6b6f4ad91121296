"""Paths and triads against networkx, and arguments that cannot be trusted."""

from typing import Any

import networkx
import numpy as np
import pytest

from aspectrum import kernels

LINKS = np.array([0, 2, 3, 3])
TARGETS = np.array([1, 2, 2], np.int32)
BACK = np.array([0, 0, 1, 3]), np.array([0, 0, 1], np.int32)


def random_links(seed: int, n: int = 60, n_links: int = 90) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    sources, targets = random.integers(0, n, (2, n_links))
    pairs = sorted({(int(a), int(b)) for a, b in zip(sources, targets, strict=True) if a != b})
    graph = networkx.DiGraph(pairs)
    graph.add_nodes_from(range(n))
    offsets = np.searchsorted([a for a, _ in pairs], np.arange(n + 1)).astype(np.int64)
    return graph, offsets, np.array([b for _, b in pairs], np.int32)


def turned(offsets: Any, targets: Any) -> tuple[Any, Any]:
    """The same links the other way round."""
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    order = np.lexsort((sources, targets))
    return np.searchsorted(targets[order], np.arange(len(offsets))).astype(np.int64), sources[order]


def lengths_found(offsets: Any, targets: Any, sources: Any, items: Any, threads: int = 2) -> list[int]:
    """Of as many items of each source."""
    before = kernels.set_threads(threads)
    try:
        stops = np.linspace(0, len(items), len(sources) + 1).astype(np.int64)
        found: list[int] = kernels.path_lengths(offsets, targets, *turned(offsets, targets), sources, stops, items).tolist()
    finally:
        kernels.set_threads(before)
    return found


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n_links", [60, 240, 1500])
@pytest.mark.parametrize("n_lists", [3, 64, 65, 151, 1300])
def test_lengths_of_paths(n_lists: int, n_links: int, threads: int) -> None:
    """Of fewer and more people than are searched from together, some more than once; who is looked for may be out of reach, or unknown."""
    graph, offsets, targets = random_links(n_links, 150, n_links)
    random = np.random.default_rng(n_lists)
    sources = random.integers(-1, 150, n_lists).astype(np.int32)
    items = np.concatenate([random.permutation(152)[:8] for _ in sources]).astype(np.int32)
    lengths = dict(networkx.all_pairs_shortest_path_length(graph))
    expected = [lengths.get(int(source), {}).get(int(item), -1) for source, item in zip(np.repeat(sources, 8), items, strict=True)]
    assert lengths_found(offsets, targets, sources, items, threads) == expected


def test_a_celebrity_and_a_chain() -> None:
    """Everybody links to person 0, who is looked for by all, and links to nobody but the first of a chain."""
    n = 700
    pairs = sorted({(person, 0) for person in range(1, n)} | {(person, person + 1) for person in range(n - 1)})
    offsets = np.searchsorted([a for a, _ in pairs], np.arange(n + 1)).astype(np.int64)
    targets = np.array([b for _, b in pairs], np.int32)
    sources = np.arange(n, dtype=np.int32)
    items = np.stack([np.zeros(n), np.full(n, n - 1)], axis=1).astype(np.int32).ravel()
    expected = [[int(person > 0), n - 1 - person] for person in range(n)]
    assert np.array(lengths_found(offsets, targets, sources, items)).reshape(n, 2).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_triads(seed: int) -> None:
    graph, offsets, targets = random_links(seed)
    paths = [(a, b) for v in graph for a in graph.predecessors(v) for b in graph.successors(v) if a != b]
    assert kernels.count_triads(offsets, targets) == (len(paths), sum(graph.has_edge(*path) for path in paths))


def test_an_item_twice_and_no_people() -> None:
    asked = np.array([2, 2, 1], np.int32)
    assert lengths_found(LINKS, TARGETS, np.array([0], np.int32), asked) == [1, 1, 1]
    nothing = np.empty(0, np.int32)
    assert kernels.path_lengths(np.array([0]), nothing, np.array([0]), nothing, nothing, np.array([0]), nothing).shape == (0,)
    assert kernels.count_triads(np.array([0]), nothing) == (0, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kernels.count_triads(np.array([0, 2]), TARGETS),
        lambda: kernels.count_triads(LINKS, np.array([1, 2, 3], np.int32)),
        lambda: kernels.count_triads(LINKS, np.array([1, 2, -1], np.int32)),
        lambda: kernels.path_lengths(
            LINKS, TARGETS, np.array([0, 3]), TARGETS, np.array([0], np.int32), np.array([0, 1]), np.array([0], np.int32)
        ),
        lambda: kernels.path_lengths(
            LINKS, TARGETS, LINKS - 1, TARGETS, np.array([0], np.int32), np.array([0, 1]), np.array([0], np.int32)
        ),
        lambda: kernels.path_lengths(LINKS, TARGETS, *BACK, np.array([3], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, *BACK, np.array([-2], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, *BACK, np.array([0, 1], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, *BACK, np.array([0], np.int32), np.array([0, 2]), np.array([0], np.int32)),
    ],
)
def test_arguments_are_checked(call: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()
