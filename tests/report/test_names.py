"""Names in charts: harmless, short, different."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aspectrum.report.charts.names import LONGEST, fitting, full_name, isolated, names_within, short_names, shortened, text_width, visible

TEXTS = st.text(st.characters(), max_size=60)


@given(TEXTS)
def test_nothing_that_steers_is_left(text: str) -> None:
    for char in visible(text):
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert char in "\u200c\u200d" or unicodedata.category(char) != "Cf"
    assert visible(visible(text)) == visible(text)


def test_surrogates_and_noncharacters_are_spelt_out() -> None:
    assert visible("a\ud800b\ufffec\U0001ffff") == "a\\ud800b\\ufffec\\U0001ffff"
    visible("a\ud800").encode()  # may be written to a file


@given(st.lists(TEXTS, unique=True, max_size=8))
def test_short_names_are_short_and_differ(names: list[str]) -> None:
    short = short_names(names)
    assert list(short) == names
    assert len(set(short.values())) == len(names)
    assert all(len(text) <= LONGEST for text in short.values())


def test_names_that_differ_in_the_middle_show_it() -> None:
    names = [f"matrix-factorisation-{middle}-with-side-information" for middle in "abc"]
    assert list(short_names(names).values()) == ["matri…a…", "matri…b…", "matri…c…"]


def test_names_that_differ_by_too_much_are_numbered() -> None:
    names = [f"matrix-factorisation-{20 * middle}-with-side-information" for middle in "abc"]
    assert [text[-4:] for text in short_names(names).values()] == [" (1)", " (2)", " (3)"]


def test_a_system_has_one_name_in_all_charts() -> None:
    names = [f"{'x' * 9}{number}{'y' * 9}" for number in ("1" * 20, "2" * 20)]
    for width in (60, 100, 400):
        short = names_within(names, width)
        assert [text[-3:] for text in short.values()] == ["(1)", "(2)"]


def test_a_number_never_meets_a_name_that_is_there() -> None:
    names = ["y" * 40, "y" * 41, "yyyyyyy…yyyyyy (1)"]
    assert len(set(short_names(names).values())) == 3


def test_names_without_anything_visible_to_tell_them_apart() -> None:
    assert list(short_names(["a\n", "a\t"]).values()) == ["a  (1)", "a  (2)"]


def test_accents_stay_with_their_letters() -> None:
    text = "a" * 20 + "e\u0301" + "b" * 7
    assert unicodedata.combining(shortened(text).partition("…")[2][0]) == 0


@pytest.mark.parametrize("text", ["שלום", "مرحبا", "a שלום b"])
def test_right_to_left_is_isolated(text: str) -> None:
    assert isolated(text) == f"\u2068{text}\u2069"
    assert isolated("plain") == "plain"


def test_full_names_are_bounded() -> None:
    assert len(full_name("x" * 10_000)) == 500
    assert len(full_name("\x1b" * 10_000)) <= 500


@given(TEXTS, st.floats(60, 300))
def test_fitting_fits(text: str, width: float) -> None:
    assert text_width(fitting(visible(text), width)) <= width


@given(st.lists(TEXTS, unique=True, max_size=6), st.floats(80, 160))
def test_names_of_a_column_fit(names: list[str], width: float) -> None:
    assert all(text_width(text) <= width for text in names_within(names, width).values())


def test_names_of_a_narrow_column_still_differ() -> None:
    names = [f"System number {number}" for number in range(30)]
    assert len(set(names_within(names, 100).values())) == 30
