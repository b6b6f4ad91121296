"""Paths and triads against networkx, and arguments that cannot be trusted."""

from typing import Any

import networkx
import numpy as np
import pytest

from aspectrum import kernels

LINKS = np.array([0, 2, 3, 3])
TARGETS = np.array([1, 2, 2], np.int32)


def random_links(seed: int, n: int = 60, n_links: int = 90) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    sources, targets = random.integers(0, n, (2, n_links))
    pairs = sorted({(int(a), int(b)) for a, b in zip(sources, targets, strict=True) if a != b})
    graph = networkx.DiGraph(pairs)
    graph.add_nodes_from(range(n))
    offsets = np.searchsorted([a for a, _ in pairs], np.arange(n + 1)).astype(np.int64)
    return graph, offsets, np.array([b for _, b in pairs], np.int32)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_lengths_of_paths(seed: int, threads: int) -> None:
    """Of more people than are searched from together."""
    graph, offsets, targets = random_links(seed, 150, 240)
    sources = np.arange(-1, 150, dtype=np.int32)
    items = np.concatenate([np.random.default_rng(seed + n).permutation(152)[:8] for n in range(151)]).astype(np.int32)
    before = kernels.set_threads(threads)
    try:
        found = kernels.path_lengths(offsets, targets, sources, np.arange(0, 8 * 151 + 1, 8), items)
    finally:
        kernels.set_threads(before)
    lengths = dict(networkx.all_pairs_shortest_path_length(graph))
    expected = [lengths.get(int(source), {}).get(int(item), -1) for source, item in zip(np.repeat(sources, 8), items, strict=True)]
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_triads(seed: int) -> None:
    graph, offsets, targets = random_links(seed)
    paths = [(a, b) for v in graph for a in graph.predecessors(v) for b in graph.successors(v) if a != b]
    assert kernels.count_triads(offsets, targets) == (len(paths), sum(graph.has_edge(*path) for path in paths))


def test_an_item_twice_and_no_people() -> None:
    asked = np.array([2, 2, 1], np.int32)
    assert kernels.path_lengths(LINKS, TARGETS, np.array([0], np.int32), np.array([0, 3]), asked).tolist() == [1, 1, 1]
    nothing = np.empty(0, np.int32)
    assert kernels.path_lengths(np.array([0]), nothing, nothing, np.array([0]), nothing).shape == (0,)
    assert kernels.count_triads(np.array([0]), nothing) == (0, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kernels.count_triads(np.array([0, 2]), TARGETS),
        lambda: kernels.count_triads(LINKS, np.array([1, 2, 3], np.int32)),
        lambda: kernels.count_triads(LINKS, np.array([1, 2, -1], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, np.array([3], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, np.array([-2], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, np.array([0, 1], np.int32), np.array([0, 1]), np.array([0], np.int32)),
        lambda: kernels.path_lengths(LINKS, TARGETS, np.array([0], np.int32), np.array([0, 2]), np.array([0], np.int32)),
    ],
)
def test_arguments_are_checked(call: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()
