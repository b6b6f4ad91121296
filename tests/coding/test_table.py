"""Tables of ids: a code never changes, and what comes later gets the next codes."""

from decimal import Decimal
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import kernels
from aspectrum.coding import Ids
from aspectrum.coding.rows import IdColumn
from aspectrum.coding.table import IdTable, SomeIds, flags_of

NO_ROWS = np.empty(0, np.int32)


def column(ids: list[Any], untyped: Any = None) -> IdColumn:
    """Distinct ids, as the readers hand them out: series of text or numbers, other objects as they are."""
    kinds = {type(id) for id in ids}
    return IdColumn(NO_ROWS, polars.Series(ids) if kinds in ({str}, {int}) else ids, untyped)


def table(*columns: IdColumn) -> IdTable:
    return IdTable("item", [(f"input {number}", one) for number, one in enumerate(columns)])


@given(st.lists(st.lists(st.text(max_size=3), unique=True), min_size=1, max_size=5), st.booleans())
def test_codes_stay_whatever_comes_later(several: list[list[str]], as_numbers: bool) -> None:
    known: dict[Any, int] = {}
    grown = IdTable("item")
    for ids in several:
        given_ids: list[Any] = [hash(id) for id in ids] if as_numbers else list(ids)
        given_ids = list(dict.fromkeys(given_ids))
        one = column(given_ids)
        grown.join([("input", one)])
        for id in given_ids:
            known.setdefault(id, len(known))
        assert grown.joined(one).tolist() == [known[id] for id in given_ids]
        assert list(grown.ids) == list(known)


def test_a_copy_grows_by_itself() -> None:
    mine = table(column(["a", "b"]))
    copy = mine.copy()
    copy.join([("more", column(["c"]))])
    mine.join([("other", column(["d"]))])
    assert (list(mine.ids), list(copy.ids)) == (["a", "b", "d"], ["a", "b", "c"])


def test_codes_of_a_copy_are_known_without_a_look_at_ids() -> None:
    mine = table(column(["a", "b"]))
    copy = mine.copy()
    assert copy.has_codes_of(mine)
    assert mine.has_codes_of(copy)  # as it has not grown
    copy.join([("more", column(["c"]))])
    assert copy.has_codes_of(mine)
    assert not mine.has_codes_of(copy)
    assert IdTable.of("item", Ids.counted(3)).has_codes_of(IdTable.of("item", Ids.counted(3)))


def test_ids_of_another_table_get_codes() -> None:
    mine, other = table(column(["a", "b"])), table(column(["c", "b"]))
    assert SomeIds(other, np.array([0, 1], dtype=np.int32)).within(mine).tolist() == [2, 1]
    assert list(mine.ids) == ["a", "b", "c"]


def test_some_ids() -> None:
    mine = table(column(["a", "b", "c"]))
    one, other = (SomeIds(mine, np.array(codes, dtype=np.int32)) for codes in ([2, 0], [0]))
    both = one + other
    assert list(both.ids) == ["c", "a", "a"]
    assert list(both.distinct().ids) == ["a", "c"]
    assert len(both) == 3


IDS = st.one_of(
    st.lists(st.integers(-3, 30).map(str), unique=True).map(lambda ids: (ids, "number")),
    st.lists(st.sampled_from(["7", "8", "a", "b", "007"]), unique=True).map(lambda ids: (ids, "number")),
    st.lists(st.sampled_from(["7", "8", "a", "b", "007"]), unique=True).map(lambda ids: (ids, "text")),
    st.lists(st.integers(-3, 30), unique=True).map(lambda ids: (ids, None)),
    st.lists(st.text(max_size=20), unique=True).map(lambda ids: (ids, None)),
)


@given(st.lists(IDS, min_size=1, max_size=5))
def test_ids_that_come_one_after_the_other_get_the_codes_that_all_at_once_get(several: list[tuple[list[Any], Any]]) -> None:
    """Whatever kinds come, with the same outcome: a table keeps an index only while they are alike."""
    columns = [(f"input {number}", column(ids, untyped)) for number, (ids, untyped) in enumerate(several) if ids]
    grown = IdTable("item")
    try:
        whole = IdTable("item", columns)
    except asp.InputError:
        with pytest.raises(asp.InputError):
            join_one_by_one(grown, columns)
        return
    join_one_by_one(grown, columns)
    assert list(grown.ids) == list(whole.ids)
    assert grown.untyped == whole.untyped
    assert len(grown) == len(whole)
    for _, given_ids in columns:
        assert grown.joined(given_ids).tolist() == whole.joined(given_ids).tolist()


def join_one_by_one(grown: IdTable, columns: list[tuple[str, IdColumn]]) -> None:
    for one in columns:
        grown.join([one])


def test_flags() -> None:
    assert flags_of(np.array([2, 0, 2]), 4).tolist() == [True, False, True, False]
    assert flags_of(np.empty(0, np.int32), 2).tolist() == [False, False]


# Text files do not say whether 7 is a number


def test_numbers_of_text_files_are_numbers_until_there_is_text() -> None:
    mine = table(column(["7", "8"], "number"))
    assert list(mine.ids) == [7, 8]
    assert mine.untyped == "number"
    early = mine.ids
    mine.join([("later.csv", column(["x", "7"], "number"))])
    assert list(mine.ids) == ["7", "8", "x"]
    assert list(mine.renamed(early)) == ["7", "8"]


@pytest.mark.parametrize(("typed", "expected"), [([9, 7], [7, 8, 9]), (["9", "7"], ["7", "8", "9"])])
def test_a_frame_settles_what_text_files_mean(typed: list[Any], expected: list[Any]) -> None:
    mine = table(column(["7", "8"], "number"))
    one = column(typed)
    mine.join([("frame", one)])
    assert list(mine.ids) == expected
    assert mine.joined(one).tolist() == [2, 0]
    assert mine.untyped is None


def test_numbers_beyond_64_bits() -> None:
    large = "9" * 30
    assert list(table(column(["7", large], "number")).ids) == [7, int(large)]


@pytest.mark.parametrize(
    ("several", "message"),
    [
        ([column([7]), column(["x"])], "item ids have different types: numbers in input 0 (7), text in input 1 ('x')"),
        ([column(["x"]), column([7])], "item ids have different types: numbers in input 1 (7), text in input 0 ('x')"),
        ([column([7]), column(["x"], "number")], "item ids have different types: numbers in input 0 (7), text in input 1 ('x')"),
        ([column([(1, 2)]), column(["x"])], "item ids have different types: a tuple in input 0 ((1, 2)), text in input 1 ('x')"),
    ],
)
def test_kinds_that_never_match(several: list[IdColumn], message: str) -> None:
    first, *later = several
    mine = table(first)
    with pytest.raises(asp.InputError) as error:
        mine.join([(f"input {number}", one) for number, one in enumerate(later, 1)])
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([7, "7"], "item ids have different types: both 7 and '7' are there"),
        ([None, "x"], "input 0: the id of an item is missing (None)"),
        ([["unhashable"]], "cannot be the id of an item: it is not hashable"),
    ],
)
def test_ids_that_cannot_be(ids: list[Any], message: str) -> None:
    with pytest.raises(asp.InputError) as error:
        table(column(ids))
    assert message in str(error.value)


@pytest.mark.parametrize("ids", [["7", "8"], ["7", "x"]])
@pytest.mark.parametrize("later", [["9"], ["y"]])
def test_a_part_of_another_table_stays_untyped(ids: list[str], later: list[str]) -> None:
    """In any order, and as if all had been in one file."""
    expected = list(table(column([*ids, *later], "number")).ids)
    for first, second in ((ids, later), (later, ids)):
        mine, other = table(column(first, "number")), table(column(second, "number"))
        codes = SomeIds(other, np.arange(len(second), dtype=np.int32)).within(mine)
        assert set(mine.ids) == set(expected)
        assert mine.renamed(other.ids) == mine.ids.take(codes)


def test_a_table_of_ids_from_a_file_may_be_untyped() -> None:
    ids = Ids(polars.Series([7, 8]))
    untyped = IdTable.of("item", ids, "number")
    assert (list(untyped.ids), untyped.untyped) == ([7, 8], "number")
    untyped.join([("more.csv", column(["x"], "number"))])
    assert list(untyped.ids) == ["7", "8", "x"]
    typed = IdTable.of("item", ids)
    with pytest.raises(asp.InputError, match="item ids have different types"):
        typed.join([("more.csv", column(["x"], "number"))])


@pytest.mark.parametrize(
    ("ids", "column"),
    [
        ([1, 2], [1, 2]),
        ([2**70, 1], [2**70, 1]),
        ([2**128 + 5, 1], [str(2**128 + 5), "1"]),
        ([Decimal("1" * 39)], ["1" * 39]),
        (["a\ud800", "b"], [r"a\ud800", "b"]),
        ([(1,), (2.5,)], ["(1,)", "(2.5,)"]),  # of which polars makes lists with 1 and 2
        ([1, "a"], ["1", "a"]),
        ([frozenset([1])], ["frozenset({1})"]),
    ],
    ids=ascii,
)
def test_ids_that_a_column_cannot_hold_are_written_as_text(ids: list[Any], column: list[Any]) -> None:
    assert Ids(ids).to_series("user").to_list() == column


def test_an_interrupted_join_leaves_no_code_for_ids_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = table(column(["a", "b"]))
    mine.join([("more", column(["c"]))])

    class Interrupted:
        def join(self, stream: Any) -> Any:
            kernels.IdIndex().join(stream)
            raise KeyboardInterrupt

    monkeypatch.setattr(mine, "_index", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        mine.join([("later", column(["x", "y"]))])
    again = column(["y", "a"])
    mine.join([("again", again)])
    assert mine.joined(again).tolist() == [3, 0]
    assert list(mine.ids) == ["a", "b", "c", "y"]
