"""Grouping, looking up and counting against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aspectrum import kernels

lists = st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=8)


def ragged(values: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in values]))).astype(np.int64)
    return offsets, np.array([value for part in values for value in part], dtype=np.int32)


@given(st.lists(st.integers(0, 9), max_size=50))
def test_grouping_is_a_stable_sort(keys: list[int]) -> None:
    offsets, order = kernels.group_rows(np.array(keys, np.int32), 10)
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
    assert np.diff(offsets).tolist() == [keys.count(key) for key in range(10)]


@given(lists, st.data())
def test_lookup_finds_what_is_there(items: list[list[int]], data: st.DataObject) -> None:
    keys = [sorted(data.draw(st.sets(st.integers(0, 30), max_size=12))) for _ in items]
    offsets, flat = ragged(items)
    key_offsets, flat_keys = ragged(keys)
    found = kernels.lookup(offsets, flat, key_offsets, flat_keys).tolist()
    expected = [
        int(start) + own.index(item) if item in own else -1
        for part, own, start in zip(items, keys, key_offsets, strict=False)
        for item in part
    ]
    assert found == expected


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 2000), st.integers(0, 10**6))
def test_lookup_of_short_and_long_lists(n_items: int, n_keys: int, spread: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    items = random.integers(0, spread, n_items)
    keys = np.unique(random.integers(0, spread, n_keys))
    found = kernels.lookup(np.array([0, n_items]), items.astype(np.int32), np.array([0, len(keys)]), keys.astype(np.int32))
    places = {int(key): place for place, key in enumerate(keys)}
    assert found.tolist() == [places.get(int(item), -1) for item in items]


@given(lists)
def test_first_repeat(items: list[list[int]]) -> None:
    expected = next(((user, place) for user, part in enumerate(items) for place, item in enumerate(part) if item in part[:place]), (-1, -1))
    for n_items in (31, 100_000):  # few, and many
        *found, named = kernels.find_repeat(*ragged(items), n_items)
        assert tuple(found) == expected
        assert np.flatnonzero(named).tolist() == sorted({item for part in items for item in part})


def test_first_repeat_among_many_lists() -> None:
    items = np.random.default_rng(0).permuted(np.tile(np.arange(40, dtype=np.int32), (10_000, 1)), axis=1)[:, :20]
    for repeat in (None, (300, 7), (9_999, 19)):
        if repeat is not None:
            items[repeat] = items[repeat[0], 0]
        user, place, named = kernels.find_repeat(np.arange(0, items.size + 1, 20), items.ravel(), 40)
        assert (user, place) == ((-1, -1) if repeat is None else (300, 7))
        assert named.all()


@given(lists, st.integers(0, 12), st.booleans())
def test_cut_lists(items: list[list[int]], depth: int, has_ties: bool) -> None:
    offsets, flat = ragged(items)
    tied = (flat % 2).astype(np.uint8) if has_ties else None
    cut_offsets, cut, flags = kernels.cut_lists(offsets, flat, tied, depth)
    assert [part.tolist() for part in np.split(cut, cut_offsets[1:-1])] == [part[:depth] for part in items or [[]]]
    assert (flags is None) if tied is None else (flags == cut % 2).all()


@given(lists, st.integers(0, 12), st.integers(0, 12))
def test_counting(items: list[list[int]], first: int, second: int) -> None:
    cutoffs = sorted((first, second))
    stops = np.array([[min(k, len(part)) for k in cutoffs] for part in items], dtype=np.int32).reshape(len(items), 2)
    counts = kernels.count_items(*ragged(items), stops, 31)
    for row, k in enumerate(cutoffs):
        shown = [item for part in items for item in part[:k]]
        assert counts[row].tolist() == [shown.count(item) for item in range(31)]
