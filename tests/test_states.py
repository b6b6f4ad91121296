"""Exact sums: any order, the same bits, and those of math.fsum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.coding import Ids
from aspectrum.coding.table import IdTable
from aspectrum.states import ItemCounts, Mean, SampledLists, SlotCounts, exact_sum, exact_sums, rounded

finite = st.floats(allow_nan=False, allow_infinity=False)


def units_of(values: list[float]) -> int:
    (total,), _ = exact_sums(np.array(values, dtype=np.float64)[:, np.newaxis])
    return total


@given(st.lists(finite, max_size=40))
def test_sum_is_correctly_rounded(values: list[float]) -> None:
    try:
        expected = math.fsum(values)
    except OverflowError:
        return  # fsum gives up on sums that leave the range on the way; ours does not
    assert rounded(units_of(values)) == expected


@given(st.lists(finite, max_size=30), st.randoms())
def test_order_and_grouping_do_not_show(values: list[float], random: "st.Random") -> None:  # type: ignore[name-defined]
    whole = units_of(values)
    random.shuffle(values)
    cut = random.randint(0, len(values))
    assert units_of(values[:cut]) + units_of(values[cut:]) == whole


def test_extremes() -> None:
    tiny, huge = 5e-324, 1.7976931348623157e308
    assert rounded(units_of([tiny] * 3)) == 1.5e-323
    assert rounded(units_of([huge, tiny, -huge])) == tiny
    assert rounded(units_of([])) == 0.0
    with pytest.raises(OverflowError):
        _ = rounded(units_of([huge, huge]))


def test_undefined_scores_are_left_out_and_counted() -> None:
    sums, undefined = exact_sums(np.array([[1.0, math.nan], [2.0, 3.0]]))
    assert [rounded(total) for total in sums] == [3.0, 3.0]
    assert undefined == [0, 1]


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        units_of([math.inf])


def test_mean_of_nobody_is_undefined() -> None:
    assert math.isnan(Mean().value)


def counts(items: list[str], recommended: list[int], catalogue: list[bool] | None = None) -> ItemCounts:
    flags = None if catalogue is None else np.array(catalogue)
    return ItemCounts(asp.GiniComplement(), IdTable.of("item", Ids(items)), np.array(recommended), flags)


def test_counts_of_different_items_align_by_id() -> None:
    a, b = counts(["x", "y"], [1, 2]), counts(["y", "z"], [3, 4])
    both = a + b
    assert dict(zip(both.table.ids, both.recommended.tolist(), strict=True)) == {"x": 1, "y": 5, "z": 4}
    assert both == b + a


def test_items_that_come_later_count_from_then_on() -> None:
    table = IdTable.of("item", Ids(["x", "y"]))
    early = ItemCounts(asp.GiniComplement(), table, np.array([1, 2]))
    late = ItemCounts(asp.GiniComplement(), table, np.array([1, 0, 5]))
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
    assert ItemCounts(asp.GiniComplement(), IdTable.of("item", Ids.counted(n)), recommended).value == pytest.approx(1 / (n - 1), rel=1e-12)


def slotted(items: list[str], rows: list[tuple[int, int, int]], lists: list[int], catalogue: list[bool] | None = None) -> SlotCounts:
    codes, slots, times = (np.array(column, dtype=np.int32) for column in zip(*rows, strict=True))
    flags = None if catalogue is None else np.array(catalogue)
    table = IdTable.of("item", Ids(items))
    return SlotCounts(asp.Personalization(), table, len(items), codes, slots, times.astype(np.int64), np.array(lists), flags)


def test_counts_by_slot_align_by_id() -> None:
    a, b = slotted(["x", "y"], [(0, 2, 1), (1, 1, 2)], [0, 2, 1]), slotted(["y", "x", "z"], [(0, 1, 3), (1, 3, 1), (2, 1, 4)], [0, 7, 0, 1])
    both = a + b
    found = {(both.table.ids[item], slot): n for item, slot, n in zip(both.items, both.slots.tolist(), both.times.tolist(), strict=True)}
    assert found == {("x", 2): 1, ("y", 1): 5, ("x", 3): 1, ("z", 1): 4}
    assert both.lists.tolist() == [0, 9, 1, 1]
    assert (both.n_lists, both.longest, both.n_population) == (11, 3, 3)
    assert both == b + a
    assert both != a
    assert both.sums(np.array([0.0, 1.0, 10.0, 100.0])).tolist() == [110.0, 5.0, 4.0]


def test_counts_by_slot_know_the_catalogue() -> None:
    a, same = slotted(["x", "y"], [(0, 1, 1), (1, 2, 2)], [0, 3], [True, False]), slotted(["y", "x"], [(0, 1, 1)], [0, 1], [False, True])
    assert (a + same).in_catalogue.tolist() == [1]
    assert (a + same).counts == {"recommendations": 1, "lists": 4, "catalogue_items": 1, "missing": 0}
    with pytest.raises(asp.InputError, match="different catalogues: item 'x'"):
        _ = a + slotted(["y", "x"], [(0, 1, 1)], [0, 1], [True, False])
    with pytest.raises(asp.InputError, match="one part has a given catalogue"):
        _ = a + slotted(["y", "x"], [(0, 1, 1)], [0, 1])


def sampled(items: list[str], lists: dict[int, list[int]], most: int = 3) -> SampledLists:
    offsets, codes = np.cumsum([0, *map(len, lists.values())]), np.array([code for one in lists.values() for code in one], dtype=np.int32)
    table, metric = IdTable.of("item", Ids(items)), asp.Personalization(similarity="jaccard")
    return SampledLists(metric, table, most, np.array(list(lists), dtype=np.int64), offsets, codes, len(lists))


def test_the_lists_with_the_smallest_hashes_are_kept() -> None:
    a, b = sampled(["x", "y"], {30: [0], 10: [1, 0]}), sampled(["y", "z"], {40: [0], 20: [1], 50: [0, 1]})
    both = a + b
    assert both == b + a
    assert both.hashes.tolist() == [10, 20, 30]
    ids = list(both.table.ids.take(both.items))
    assert [ids[start:stop] for start, stop in zip(both.offsets[:-1], both.offsets[1:], strict=True)] == [["y", "x"], ["z"], ["x"]]
    assert both.counts == {"lists": 5, "lists_compared": 3, "missing": 0}
    assert both != sampled(["x", "y"], {30: [0], 10: [1, 0]})


@given(st.lists(finite.filter(lambda value: abs(value) < 1e300), max_size=40))
def test_exact_sum_is_that_of_fsum(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == math.fsum(values)
