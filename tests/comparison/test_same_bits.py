"""The same numbers, whatever the order of the input, the threads, the batches and the files in between."""

import math
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import kernels
from aspectrum.arrays import Counts
from aspectrum.coding import Ids
from aspectrum.comparison import flips
from aspectrum.comparison.flips import SharedFlips
from aspectrum.comparison.scores import Scores
from aspectrum.kernels import set_threads
from tests.comparison.data import METRIC, WHOLE, by_user, result, results, skewed, users
from tests.strategies import checked

N = 150
SCORES = skewed(7, N, 4)
NAMES = ["alpha", "beta", "gamma", "delta"]


def bits(comparison: asp.Comparison) -> dict[Any, Any]:
    """Everything of every pair, both ways, by names, so that no order shows. NaN equals itself in text."""
    return {
        (metric, one, other): repr(astuple(comparison.difference(metric, one, other)))
        for metric in comparison.metrics
        for one in comparison.systems
        for other in comparison.systems
        if one != other
    }


def systems(order: Any = range(N), names: list[str] = NAMES, scores: Any = SCORES) -> dict[str, asp.Results]:
    ids = users(len(scores))
    return {
        name: result(
            {METRIC: {ids[user]: float(scores[user, NAMES.index(name)]) for user in order}},
            whole={WHOLE: {ids[user]: float(scores[user, NAMES.index(name)] * 3 - 1) for user in order}},
        )
        for name in names
    }


EXPECTED = bits(asp.compare(systems(), pairs="all", seed=5, interval="bca", resamples=499))


def compared(given: Any, **options: Any) -> asp.Comparison:
    return asp.compare(given, **{"pairs": "all", "seed": 5, "interval": "bca", "resamples": 499, **options})


def test_the_order_of_users() -> None:
    shuffled = np.random.default_rng(1).permutation(N)
    assert bits(compared(systems(shuffled))) == EXPECTED
    mixed = {name: systems(np.random.default_rng(place).permutation(N))[name] for place, name in enumerate(NAMES)}
    assert bits(compared(mixed)) == EXPECTED


@pytest.mark.parametrize("names", [NAMES[::-1], ["gamma", "alpha", "delta", "beta"]])
def test_the_order_of_systems(names: list[str]) -> None:
    found = compared(systems(names=names))
    again = compared(systems())
    for metric in again.metrics:
        for one in NAMES:
            for other in NAMES:
                if one != other:
                    mine, theirs = found.difference(metric, one, other), again.difference(metric, one, other)
                    assert (mine.p, mine.p_adjusted, mine.difference, mine.t) == (theirs.p, theirs.p_adjusted, theirs.difference, theirs.t)
                    assert (mine.wins, mine.ties, mine.losses, mine.n) == (theirs.wins, theirs.ties, theirs.losses, theirs.n)
                    if mine.relative_interval is not None and theirs.relative_interval is not None:
                        assert mine.relative_interval == pytest.approx(theirs.relative_interval, rel=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads: int) -> None:
    before = set_threads(1)
    set_threads(before)
    assert bits(compared(systems(), threads=threads)) == EXPECTED
    assert set_threads(before) == before  # as it was


@pytest.mark.parametrize("size", [1, 8 * N * 8, 1 << 40])
def test_batches_of_columns(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    many = {
        name: result({f"NDCG@{k}": by_user(np.clip(SCORES[:, place] - 0.01 * k, 0, 1)) for k in range(1, 8)})
        for place, name in enumerate(NAMES)
    }
    metrics = [f"NDCG@{k}" for k in range(1, 8)]
    expected = bits(asp.compare(many, pairs="all", metrics=metrics, flips=499))
    monkeypatch.setattr(flips, "_BYTES_PER_CALL", size)
    assert bits(asp.compare(many, pairs="all", metrics=metrics, flips=499)) == expected


@checked(20)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=8), st.integers(14, 40))
def test_columns_come_back_in_their_places(widths: list[int], n: int) -> None:
    choose = np.random.default_rng(n)
    blocks = [choose.integers(-1000, 1000, (n, width)) for width in widths]
    shared = SharedFlips(n, 3, 99)
    firsts = [shared.add(block) for block in blocks]
    sums = shared.sums()
    assert firsts == np.cumsum([0, *widths[:-1]]).tolist()
    for first, block in zip(firsts, blocks, strict=True):
        assert (sums[:, first : first + block.shape[1]] == kernels.flipped_sums(np.ascontiguousarray(block), 3, 0, 99)).all()


def test_both_ways_round() -> None:
    comparison = compared(systems())
    forth = comparison.difference(METRIC, "beta", "alpha")
    back = asp.compare(systems(), baseline="beta", seed=5)[METRIC, "alpha"]
    assert (forth.p, forth.p_t, forth.t, forth.difference) == (back.p, back.p_t, -(back.t or 0), -back.difference)
    assert (forth.wins, forth.losses, forth.ties) == (back.losses, back.wins, back.ties)
    turned = asp.compare(systems(), baseline="alpha", seed=5).difference(METRIC, "alpha", "beta")
    direct = asp.compare(systems(), baseline="beta", seed=5).difference(METRIC, "alpha", "beta")
    for name in ("difference", "relative", "n", "mean_a", "mean_b", "t", "p", "wins", "losses", "largest_gain", "largest_loss"):
        assert getattr(turned, name) == getattr(direct, name), name
    for name in ("interval", "relative_interval", "effect_interval", "skewness"):
        assert getattr(turned, name) == pytest.approx(getattr(direct, name), rel=1e-9), name


@pytest.mark.parametrize("scale", [1.0, 0.37, 50.0])
def test_another_system_with_the_same_users_leaves_raw_p_alone(scale: float) -> None:
    two = asp.compare(systems(names=["beta", "gamma"]), seed=5)
    more = SCORES.copy()
    more[:, 0] *= scale
    three = asp.compare(systems(names=["beta", "gamma", "alpha"], scores=more), seed=5)
    for metric in (METRIC, WHOLE):
        mine, theirs = (one.difference(metric, "gamma", "beta") for one in (two, three))
        assert (mine.p, mine.t, mine.interval) == (theirs.p, theirs.t, theirs.interval)


def test_undefined_users_of_one_system_leave_other_pairs_alone() -> None:
    holed = SCORES.copy()
    holed[::7, 3] = math.nan
    whole, some = asp.compare(systems(), seed=5, pairs="all"), asp.compare(systems(scores=holed), seed=5, pairs="all")
    assert some.difference(METRIC, "delta", "alpha").n == N - len(range(0, N, 7))
    for name in ("beta", "gamma"):
        mine, theirs = (one.difference(METRIC, name, "alpha") for one in (whole, some))
        assert (mine.p, mine.interval) == (theirs.p, theirs.interval)


@pytest.fixture
def evaluated() -> asp.SystemResults:
    choose = np.random.default_rng(11)
    relevance = {user: choose.choice(30, 4, replace=False).tolist() for user in range(60)}
    lists = {name: {user: choose.choice(30, 8, replace=False).tolist() for user in range(60)} for name in ("one", "two", "three")}
    return asp.evaluate_systems(lists, ["NDCG@5", "Recall@5", "GiniComplement@5"], relevance=relevance, catalogue=list(range(30)))


def test_through_files(evaluated: asp.SystemResults, tmp_path: Path) -> None:
    expected = bits(asp.compare(evaluated, seed=2))
    evaluated.write_per_user(tmp_path / "scores.parquet")
    assert bits(asp.compare(tmp_path / "scores.parquet", seed=2)) == expected
    evaluated.write(tmp_path / "results.json", scores=tmp_path / "scores.parquet")
    assert bits(asp.compare(tmp_path / "results.json", seed=2)) == expected
    paths = []
    for name, one in evaluated.systems.items():
        one.write_per_user(tmp_path / f"{name}.parquet")
        paths.append(tmp_path / f"{name}.parquet")
    assert bits(asp.compare(paths, seed=2)) == expected


def test_through_text_files(evaluated: asp.SystemResults, tmp_path: Path) -> None:
    """Ids of a text file are text, so that their order and the flips are others; numbers and t are the same."""
    evaluated.write_per_user(tmp_path / "scores.csv")
    mine, theirs = asp.compare(evaluated), asp.compare(tmp_path / "scores.csv")
    for one, other in zip(mine.differences, theirs.differences, strict=True):
        assert (one.metric, one.system, one.n, one.wins) == (other.metric, other.system, other.n, other.wins)
        assert [one.difference, one.t] == pytest.approx([other.difference, other.t], rel=1e-9)


def test_pooled_scores_and_open_ones_through_files(tmp_path: Path) -> None:
    weights = by_user(1.0 + np.arange(N) % 4)
    made = asp.SystemResults(
        {
            name: result(
                {METRIC: by_user(SCORES[:, place]), "P@10": by_user(SCORES[:, place])},
                weights={METRIC: weights},
                least={"P@10": by_user(0.99 * SCORES[:, place])},
            )
            for place, name in enumerate(NAMES)
        }
    )
    made.write_per_user(tmp_path / "scores.parquet")
    assert bits(asp.compare(tmp_path / "scores.parquet")) == bits(asp.compare(made))
    found = asp.compare(tmp_path / "scores.parquet")["P@10", "beta"]
    assert found.range is not None and found.range != (found.difference, found.difference)


MIXED = [10, 9, 2, -1, "b", "a", "10", "é", "z", "😀", ""]


def test_ids_are_sorted_by_value_then_by_their_bytes() -> None:
    expected = [-1, 2, 9, 10, *sorted((id for id in MIXED if isinstance(id, str)), key=str.encode)]
    assert list(Scores(results({"A": dict.fromkeys(MIXED, 0.1), "B": dict.fromkeys(MIXED[::-1], 0.2)}).systems, [METRIC]).users) == expected
    assert list(Scores(results({"A": dict.fromkeys(MIXED, 0.1), "B": dict.fromkeys(MIXED, 0.2)}).systems, [METRIC]).users) == expected
    numbers = [5, 40, -3, 7]
    for ids in (numbers, np.array(numbers), pl.Series(numbers), [str(one) for one in numbers], pl.Series([str(one) for one in numbers])):
        made = result({METRIC: dict.fromkeys(ids, 0.1)})
        block = replace(made.blocks[0], users=Ids(ids))
        own = list(Scores({"A": replace(made, blocks=(block,))}, [METRIC]).users)
        assert own == ([-3, 5, 7, 40] if not isinstance(own[0], str) else ["-3", "40", "5", "7"])


@checked(40)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2), st.integers(0, 2**40), st.integers(0, 40))
def test_words_are_those_of_numpy(seed: int, purpose: int, row: int, count: int) -> None:
    theirs = np.random.Philox(key=np.array([seed, purpose], dtype=np.uint64), counter=np.array([0, row, 0, 0], dtype=np.uint64))
    assert kernels.random_words(seed, purpose, row, count).tolist() == theirs.random_raw(count).tolist()


def signs(seed: int, row: int, n: int) -> Counts:
    words = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64), counter=np.array([0, row, 0, 0], dtype=np.uint64)).random_raw(
        n // 64 + 1
    )
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:n]
    return 1 - 2 * bits.astype(np.int64)


@checked(25)
@given(st.integers(0, 2**64 - 1), st.integers(0, 600), st.integers(1, 19), st.integers(0, 5), st.sampled_from([1, 2, 70]))
def test_flipped_sums(seed: int, n: int, columns: int, first: int, rows: int) -> None:
    values = np.random.default_rng(n).integers(-(2**40), 2**40, (n, columns))
    expected = np.array([signs(seed, first + row, n) @ values for row in range(rows)]).reshape(rows, columns)
    assert (kernels.flipped_sums(values, seed, first, rows) == expected).all()


@checked(25)
@given(st.integers(0, 2**64 - 1), st.integers(1, 300), st.integers(1, 5), st.integers(0, 5))
def test_resampled_sums(seed: int, n: int, columns: int, first: int) -> None:
    values = np.random.default_rng(n).integers(-(2**40), 2**40, (n, columns))
    for row, found in enumerate(kernels.resampled_sums(values, seed, first, 3).tolist(), first):
        words = np.random.Philox(key=np.array([seed, 1], dtype=np.uint64), counter=np.array([0, row, 0, 0], dtype=np.uint64)).random_raw(n)
        drawn = [(int(word) * n) >> 64 for word in words]
        assert found == values[drawn].sum(axis=0).tolist()


def test_kernels_refuse_what_would_overflow() -> None:
    with pytest.raises(ValueError, match="too large to be summed"):
        kernels.flipped_sums(np.full((8, 1), 2**60), 0, 0, 1)
    with pytest.raises(ValueError, match="rows are counted from 0"):
        kernels.resampled_sums(np.zeros((8, 1), np.int64), 0, -1, 1)
    assert kernels.flipped_sums(np.zeros((0, 3), np.int64), 0, 0, 2).tolist() == [[0, 0, 0]] * 2
