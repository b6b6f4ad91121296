"""Exact sums: any order, the same bits, and those of math.fsum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.coding import Ids
from aspectrum.coding.table import IdTable
from aspectrum.states import ItemCounts, Mean, exact_sums, rounded

finite = st.floats(allow_nan=False, allow_infinity=False)


def exact_sum(values: list[float]) -> int:
    (total,), _ = exact_sums(np.array(values, dtype=np.float64)[:, np.newaxis])
    return total


@given(st.lists(finite, max_size=40))
def test_sum_is_correctly_rounded(values: list[float]) -> None:
    try:
        expected = math.fsum(values)
    except OverflowError:
        return  # fsum gives up on sums that leave the range on the way; ours does not
    assert rounded(exact_sum(values)) == expected


@given(st.lists(finite, max_size=30), st.randoms())
def test_order_and_grouping_do_not_show(values: list[float], random: "st.Random") -> None:  # type: ignore[name-defined]
    whole = exact_sum(values)
    random.shuffle(values)
    cut = random.randint(0, len(values))
    assert exact_sum(values[:cut]) + exact_sum(values[cut:]) == whole


def test_extremes() -> None:
    tiny, huge = 5e-324, 1.7976931348623157e308
    assert rounded(exact_sum([tiny] * 3)) == 1.5e-323
    assert rounded(exact_sum([huge, tiny, -huge])) == tiny
    assert rounded(exact_sum([])) == 0.0
    with pytest.raises(OverflowError):
        _ = rounded(exact_sum([huge, huge]))


def test_undefined_scores_are_left_out_and_counted() -> None:
    sums, undefined = exact_sums(np.array([[1.0, math.nan], [2.0, 3.0]]))
    assert [rounded(total) for total in sums] == [3.0, 3.0]
    assert undefined == [0, 1]


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        exact_sum([math.inf])


def test_mean_of_nobody_is_undefined() -> None:
    assert math.isnan(Mean().value)


def counts(items: list[str], recommended: list[int], catalogue: list[bool] | None = None) -> ItemCounts:
    flags = None if catalogue is None else np.array(catalogue)
    return ItemCounts(IdTable.of("item", Ids(items)), np.array(recommended), flags)


def test_counts_of_different_items_align_by_id() -> None:
    a, b = counts(["x", "y"], [1, 2]), counts(["y", "z"], [3, 4])
    both = a + b
    assert dict(zip(both.table.ids, both.recommended.tolist(), strict=True)) == {"x": 1, "y": 5, "z": 4}
    assert both == b + a


def test_items_that_come_later_count_from_then_on() -> None:
    table = IdTable.of("item", Ids(["x", "y"]))
    early = ItemCounts(table, np.array([1, 2]))
    late = ItemCounts(table, np.array([1, 0, 5]))
    assert (early + late).recommended.tolist() == [2, 2, 5]
    assert early + late == late + early


def test_given_catalogues_must_be_the_same() -> None:
    a, b = counts(["x", "y"], [1, 2], [True, True]), counts(["y", "z"], [3, 4], [True, True])
    same = counts(["y", "x"], [3, 4], [True, True])
    assert (a + same).recommended.tolist() == [5, 5]
    with pytest.raises(asp.InputError, match="different catalogues: item 'x'"):
        _ = a + b


def test_gini_of_counts_beyond_64_bits_is_exact() -> None:
    n, many = 3_000_000, 2**43
    recommended = np.zeros(n, dtype=np.int64)
    recommended[-2:] = many
    assert ItemCounts(IdTable.of("item", Ids.counted(n)), recommended).value == pytest.approx(1 / (n - 1), rel=1e-12)
