"""Nested data in one Arrow file: what goes in comes out, and nothing else is accepted."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import aspectrum as asp
from aspectrum.arrow_file import read_arrow, write_arrow
from aspectrum.coding import Ids

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**80), 2**80), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT.filter(lambda key: key != "$"), inner, max_size=3)),
    max_leaves=10,
)
KINDS: list[Any] = [np.float64, np.float32, np.int64, np.int32, np.bool_]
ARRAYS = st.sampled_from(KINDS).flatmap(lambda kind: arrays(kind, array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4)))
IDS = st.one_of(st.lists(TEXT), st.lists(st.integers(-(2**63), 2**63 - 1)))


@given(PLAIN, st.lists(ARRAYS, max_size=3), IDS, st.integers(0, 5))
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, plain: Any, several: list[npt.NDArray[Any]], ids: list[Any], n: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.arrow"
    write_arrow(path, {"plain": plain, "arrays": several, "ids": Ids(ids), "counted": Ids.counted(n)})
    found = read_arrow(path)
    assert found["plain"] == plain
    for array, back in zip(several, found["arrays"], strict=True):
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()  # NaN, -0.0 and all
    assert list(found["ids"]) == ids
    assert list(found["counted"]) == list(range(n))


@pytest.mark.parametrize("ids", [[1, "x"], [1.5], [(1, 2)], [None], [True, False], [2**63], [b"x"]])
def test_ids_of_other_kinds_are_refused(ids: list[Any], tmp_path: Path) -> None:
    with pytest.raises(asp.OutputError, match="expected text only, or whole numbers of 64 bits only"):
        write_arrow(tmp_path / "ids.arrow", {"ids": Ids(ids)})
    assert not (tmp_path / "ids.arrow").exists()


def test_content_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.arrow"
    write_arrow(path, {"numbers": np.array([1.0, 2.0]), "ids": Ids(["x", "y"]), "n": 3})
    frame = polars.read_ipc(path.read_bytes())
    for column, row in (("numbers", 1), ("texts", 2)):
        values = frame[column].to_list()
        values[row] = list(reversed(values[row]))
        frame.with_columns(polars.Series(column, values, dtype=frame[column].dtype)).write_ipc(path)
        with pytest.raises(asp.InputError, match="its content has changed since it was written"):
            read_arrow(path)
    values = frame["texts"].to_list()
    values[0] = [values[0][0].replace('"n": 3', '"n": 4'), values[0][1]]
    frame.with_columns(polars.Series("texts", values, dtype=frame["texts"].dtype)).write_ipc(path)
    with pytest.raises(asp.InputError, match="its content has changed since it was written"):
        read_arrow(path)


def test_rows_that_are_left_out_or_swapped_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.arrow"
    write_arrow(path, {"a": np.array([1.0]), "b": np.array([2.0])})
    frame = polars.read_ipc(path.read_bytes())
    for changed in (frame[:2], frame[[0, 2, 1]], frame[1:], frame[:0]):
        changed.write_ipc(path)
        with pytest.raises(asp.InputError, match=f"{path}: is not a file that aspectrum wrote, or is damaged"):
            read_arrow(path)
