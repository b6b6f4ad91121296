"""Codes of ids and the order of texts, against dictionaries and sorting."""

import itertools
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aspectrum import kernels

# Texts of every length around the twelve bytes that stand in a view, alike in front or behind.
texts = st.text("ab\0é🦉", max_size=4) | st.builds(
    lambda front, n, back: front + "x" * n + back,
    st.sampled_from(["", "a", "b"]),
    st.integers(0, 40),
    st.sampled_from(["", "a", "b", "\0"]),
)
numbers = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)
columns = st.lists(st.none() | texts, max_size=80) | st.lists(st.none() | numbers, max_size=80)


def coded(stream: Any) -> tuple[list[int], list[int]]:
    codes, firsts = kernels.code_ids(stream.__arrow_c_stream__())
    return codes.tolist(), firsts.tolist()


def plainly(values: list[Any]) -> tuple[list[int], list[int]]:
    known: dict[Any, int] = {}
    codes, firsts = [], []
    for row, value in enumerate(values):
        if value is not None and value not in known:
            firsts.append(row)
            known[value] = len(known)
        codes.append(-1 if value is None else known[value])
    return codes, firsts


def kind_of(values: list[Any]) -> Any:
    return pl.Int64 if any(isinstance(value, int) for value in values) else pl.String


@settings(max_examples=400, deadline=None)
@given(columns)
@example(["", "a" * 13, "a" * 12, "a" * 13, ""])
def test_codes_are_given_in_order_of_first_appearance(values: list[Any]) -> None:
    assert coded(pl.Series(values, dtype=kind_of(values))) == plainly(values)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.none() | texts, max_size=80), st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]), st.integers(0, 5))
def test_texts_of_every_layout(values: list[str | None], layout: Any, start: int) -> None:
    chunked = pa.chunked_array([pa.array(values, layout)[start:], pa.array(values[:3], layout)], layout)
    assert coded(chunked) == plainly([*values[start:], *values[:3]])
    present = list(dict.fromkeys(value for value in values if value is not None))
    assert kernels.order_texts(pa.chunked_array([pa.array(present, layout)]).__arrow_c_stream__()).tolist() == places(present)


def places(values: list[str]) -> list[int]:
    order = sorted(range(len(values)), key=lambda row: values[row].encode())
    found = [0] * len(values)
    for place, row in enumerate(order):
        found[row] = place
    return found


@settings(max_examples=400, deadline=None)
@given(st.lists(texts, unique=True, max_size=80), st.sampled_from(["", "the same in front of all "]))
@example(["a", "a\0", "a\0\0", ""], "")
def test_texts_are_ordered_bytewise(values: list[str], front: str) -> None:
    values = [front + value for value in values]
    assert kernels.order_texts(pl.Series(values, dtype=pl.String).__arrow_c_stream__()).tolist() == places(values)


def test_many_ids() -> None:
    random = np.random.default_rng(5)
    values = random.integers(0, 40_000, 200_000)
    names = [f"{'item number ' * int(value % 2)}{value}" for value in values.tolist()]
    assert coded(pl.Series(names)) == plainly(names)
    assert coded(pl.Series(values)) == plainly(values.tolist())
    distinct = list(dict.fromkeys(names))
    assert kernels.order_texts(pl.Series(distinct).__arrow_c_stream__()).tolist() == places(distinct)


def test_what_is_no_stream_of_ids() -> None:
    for series in (
        pl.Series([1.5]),
        pl.Series([True]),
        pl.Series([["a"]]),
        pl.Series(["a"], dtype=pl.Categorical),
        pl.Series([1], dtype=pl.Int32),
    ):
        with pytest.raises(ValueError, match="ids come as text or 64-bit whole numbers"):
            kernels.code_ids(series.__arrow_c_stream__())
    with pytest.raises(ValueError, match="texts are to be ordered"):
        kernels.order_texts(pl.Series([1]).__arrow_c_stream__())
    with pytest.raises(ValueError, match="a text is missing"):
        kernels.order_texts(pl.Series(["a", None]).__arrow_c_stream__())
    stream = pl.Series(["a"]).__arrow_c_stream__()
    kernels.code_ids(stream)
    assert kernels.code_ids(stream)[0].tolist() == []
    with pytest.raises(TypeError):
        kernels.code_ids(None)


@settings(max_examples=200, deadline=None)
@given(columns, st.lists(st.integers(0, 80), max_size=4))
def test_an_index_codes_ids_that_keep_coming(values: list[Any], cuts: list[int]) -> None:
    series = pl.Series(values, dtype=kind_of(values))
    index = kernels.IdIndex()
    codes, firsts = [], []
    places = sorted({0, len(values), *(cut for cut in cuts if cut < len(values))})
    for start, end in itertools.pairwise(places):
        known = len(index)
        mine, fresh = index.join(series[start:end].__arrow_c_stream__())
        assert len(index) == known + len(fresh)
        codes += mine.tolist()
        firsts += (fresh + start).tolist()
    assert (codes, firsts) == plainly(values)
    assert len(index) == len(firsts)


def test_an_index_is_of_texts_or_of_numbers() -> None:
    for first, second in ((pl.Series(["a"]), pl.Series([1])), (pl.Series([1]), pl.Series(["a"]))):
        index = kernels.IdIndex()
        index.join(first.__arrow_c_stream__())
        with pytest.raises(ValueError, match="ids are text or numbers, not both"):
            index.join(second.__arrow_c_stream__())
        assert index.join(first.__arrow_c_stream__())[0].tolist() == [0]
    index = kernels.IdIndex()
    with pytest.raises(ValueError, match="ids come as text or 64-bit whole numbers"):
        index.join(pl.Series([1.5]).__arrow_c_stream__())
    assert index.join(pl.Series(["a", None, "a"]).__arrow_c_stream__())[0].tolist() == [0, -1, 0]


def test_an_index_of_many_ids_in_many_pieces() -> None:
    values = np.random.default_rng(6).integers(0, 40_000, 200_000)
    for ids in (pl.Series(values), pl.Series(values).cast(pl.String)):
        index = kernels.IdIndex()
        codes = np.concatenate([index.join(ids[start : start + 7919].__arrow_c_stream__())[0] for start in range(0, len(ids), 7919)])
        assert codes.tolist() == coded(ids)[0]
