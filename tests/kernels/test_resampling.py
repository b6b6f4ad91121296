"""Sums under random sign flips and resamples, against NumPy's Philox; what cannot be summed is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aspectrum import kernels
from aspectrum.arrays import Counts, Masks


def words(seed: int, purpose: int, row: int, count: int) -> Masks:
    key, counter = np.array([seed, purpose], dtype=np.uint64), np.array([0, row, 0, 0], dtype=np.uint64)
    return np.asarray(np.random.Philox(key=key, counter=counter).random_raw(count), dtype=np.uint64)


def test_words() -> None:
    assert kernels.random_words(7, 0, 5, 9).tolist() == words(7, 0, 5, 9).tolist()
    assert kernels.random_words(2**64 - 1, 2, 2**40, 5).tolist() == words(2**64 - 1, 2, 2**40, 5).tolist()
    assert len(kernels.random_words(0, 0, 0, 0)) == 0


@given(st.integers(0, 600), st.integers(0, 20), st.integers(0, 2**40), st.integers(0, 5), st.integers(0, 70))
def test_flips(users: int, columns: int, seed: int, first: int, rows: int) -> None:
    values = np.random.default_rng(users).integers(-(2**40), 2**40, (users, columns))
    found = kernels.flipped_sums(values, seed, first, rows)
    assert found.shape == (rows, columns)
    for row in range(min(rows, 3)):
        bits = np.unpackbits(words(seed, 0, first + row, (users + 63) // 64).view(np.uint8), bitorder="little")[:users].astype(np.int64)
        assert found[row].tolist() == ((1 - 2 * bits) @ values).tolist()


@given(st.integers(1, 200), st.integers(1, 5), st.integers(0, 2**40), st.integers(0, 5))
def test_resamples(users: int, columns: int, seed: int, first: int) -> None:
    values = np.random.default_rng(users).integers(-(2**40), 2**40, (users, columns))
    found = kernels.resampled_sums(values, seed, first, 2)
    for row in range(2):
        drawn = [(int(word) * users) >> 64 for word in words(seed, 1, first + row, users)]
        assert found[row].tolist() == values[drawn].sum(axis=0).tolist()


def test_threads_do_not_show() -> None:
    values = np.random.default_rng(1).integers(-(2**40), 2**40, (1000, 9))
    found = []
    for threads in (1, 2, 5):
        before = kernels.set_threads(threads)
        found.append((kernels.flipped_sums(values, 3, 0, 999).tolist(), kernels.resampled_sums(values, 3, 0, 99).tolist()))
        kernels.set_threads(before)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["flipped_sums", "resampled_sums"])
def test_what_is_refused(name: str) -> None:
    sums = getattr(kernels, name)
    large: Counts = np.array([[2**61], [1]], dtype=np.int64)
    with pytest.raises(ValueError, match="too large to be summed"):
        sums(large, 0, 0, 1)
    with pytest.raises(ValueError, match="counted from 0"):
        sums(np.zeros((2, 1), np.int64), 0, -1, 1)
    with pytest.raises(ValueError, match="counted from 0"):
        sums(np.zeros((2, 1), np.int64), 0, 0, -1)
    with pytest.raises(ValueError, match="not negative"):
        kernels.random_words(0, 0, 0, -1)
