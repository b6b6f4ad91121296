"""Grouping, looking up and counting against plain loops."""

from itertools import accumulate, pairwise

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


@given(lists, st.integers(1, 5), st.integers(0, 2), st.data())
def test_bucket_rows(items: list[list[int]], n: int, n_numbers: int, data: st.DataObject) -> None:
    offsets, flat = ragged(items)
    blocks = data.draw(st.lists(st.integers(0, 9), min_size=len(items), max_size=len(items)))
    numbers = [np.arange(len(flat)) * factor for factor in (0.5, -2.0)[:n_numbers]]
    starts, records = kernels.bucket_rows(offsets, np.array(blocks, np.int32), flat, numbers, n)
    form = [("user", "<i4"), ("item", "<i4"), *((f"{place}", "<f8") for place in range(n_numbers))]
    owners = np.repeat(blocks, np.diff(offsets)).tolist()
    rows = [(user, *row) for user, *row in zip(owners, flat.tolist(), *(values.tolist() for values in numbers), strict=True)]
    assert records.view(form).tolist() == [row for bucket in range(n) for row in rows if row[0] % n == bucket]
    assert starts.tolist() == [0, *accumulate(sum(user % n == bucket for user in owners) for bucket in range(n))]


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
        assert kernels.find_repeat(*ragged(items), n_items) == expected


def test_first_repeat_among_many_lists() -> None:
    items = np.random.default_rng(0).permuted(np.tile(np.arange(40, dtype=np.int32), (10_000, 1)), axis=1)[:, :20]
    for repeat in (None, (300, 7), (9_999, 19)):
        if repeat is not None:
            items[repeat] = items[repeat[0], 0]
        assert kernels.find_repeat(np.arange(0, items.size + 1, 20), items.ravel(), 40) == ((-1, -1) if repeat is None else (300, 7))


@given(lists, st.data())
def test_ordered_lists(items: list[list[int]], data: st.DataObject) -> None:
    items = [list(dict.fromkeys(part)) if data.draw(st.integers(0, 5)) else part for part in items]
    ranks, scores = (_steps(data, items, step) if data.draw(st.booleans()) else None for step in (1.0, -1.0))
    may_tie, depth, n_items = data.draw(st.booleans()), data.draw(st.integers(-1, 13)), data.draw(st.sampled_from((31, 100_000)))
    flat_ranks, flat_scores = (None if values is None else ragged(values)[1].astype(np.float64) for values in (ranks, scores))
    found = kernels.ordered_lists(*ragged(items), n_items, flat_ranks, flat_scores, may_tie, depth)
    n_tied = sum(a == b for part in scores or () for a, b in pairwise(part))
    rises = any(a < b for part in scores or () for a, b in pairwise(part))
    stays = any(a >= b for part in ranks or () for a, b in pairwise(part))
    if stays or rises or (n_tied and not may_tie) or any(len(set(part)) < len(part) for part in items):
        assert found is None
        return
    assert found is not None
    offsets, cut, tied, n_found, named = found
    places = [slice(len(part) if depth < 0 else depth) for part in items]
    assert offsets.tolist() == ragged([part[place] for part, place in zip(items, places, strict=True)])[0].tolist()
    assert cut.tolist() == [item for part, place in zip(items, places, strict=True) for item in part[place]]
    expected = [[k > 0 and part[k] == part[k - 1] for k in range(len(part))] for part in scores or [[0] * n for n in map(len, items)]]
    if scores is not None:
        assert tied.tolist() == [flag for part, place in zip(expected, places, strict=True) for flag in part[place]]
    assert not tied.any() or scores is not None
    assert n_found == n_tied
    assert np.flatnonzero(named).tolist() == sorted({item for part in items for item in part})


def _steps(data: st.DataObject, items: list[list[int]], step: float) -> list[list[int]]:
    """Numbers that mostly go one way."""
    odd = data.draw(st.integers(0, 3)) == 0
    steps = [[int(step) if not odd else data.draw(st.sampled_from((-1, 0, 1))) for _ in part] for part in items]
    if data.draw(st.booleans()):
        steps = [[data.draw(st.sampled_from((one, 0))) for one in part] for part in steps]
    return [list(accumulate(part)) for part in steps]


def test_ordered_lists_of_many_threads() -> None:
    random = np.random.default_rng(0)
    items = random.permuted(np.tile(np.arange(300, dtype=np.int32), (20_000, 1)), axis=1)[:, :20]
    offsets = np.arange(0, items.size + 1, 20)
    found = kernels.ordered_lists(offsets, items.ravel(), 300, depth=3)
    assert found is not None
    assert (found[1].reshape(-1, 3) == items[:, :3]).all()
    assert found[4].all()
    items[15_000, 19] = items[15_000, 0]
    assert kernels.ordered_lists(offsets, items.ravel(), 300, depth=3) is None


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
