"""Pieces of messages."""

import pytest

from aspectrum.wording import did_you_mean, listed, one_line, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Amélie", "Amélie"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("next\x85line\u2028", r"next\x85line\u2028"),
        ("moc.\u202eexe", r"moc.\u202eexe"),  # would turn the direction of writing
        ("half \ud800", r"half \ud800"),
        ("می\u200cخواهم, a\u00a0b\u202fc, \u200f", "می\u200cخواهم, a\u00a0b\u202fc, \u200f"),  # parts of words, not of lines
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_shortened() -> None:
    assert shortened("x" * 60) == "x" * 60
    assert shortened("x" * 61) == "x" * 57 + "..."


def test_listed() -> None:
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a or b", "a, b or c"]


def test_did_you_mean() -> None:
    assert did_you_mean("Histroy", ["aspects", "history"]) == "; did you mean 'history'?"
    assert did_you_mean("popularity", ["aspects", "history"]) == ""
    assert did_you_mean(5, ["aspects"]) == ""
    assert did_you_mean("alpha-ndgc", ["AlphaNDCG"], plain=lambda name: name.lower().replace("-", "")) == "; did you mean 'AlphaNDCG'?"
