"""How a table of text is built: the scan against the csv module and plain splitting."""

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aspectrum import kernels

FINE, FIELDS, STRAY, OPEN = "", "fields", "stray quote", "open quote"

pieces = st.sampled_from(["a", "b", " ", "\t", ",", '"', '""', "\n", "\n\n", "\r\n", ',"', '",', "  ", "\v", "é"])
texts = st.lists(pieces, max_size=14).map("".join)


def scan(text: str, separator: str, quoted: bool, fields: int = 0, stop: int = -1) -> tuple[int, str, int, int]:
    found = kernels.scan_table(text.encode(), separator, quoted, fields, stop)
    return found.records, found.problem, found.line, found.fields


def is_blank(line: str) -> bool:
    return not line.removesuffix("\r").strip(" ")


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from(",\t"))
def test_without_quotes_a_record_is_a_line(text: str, separator: str) -> None:
    lines = text.split("\n")[: None if not text.endswith("\n") and text else -1]
    counts = [(number, line.count(separator) + 1) for number, line in enumerate(lines, 1) if not is_blank(line)]
    odd = next(((number, count) for number, count in counts if count != counts[0][1]), None)
    records, problem, line, fields = scan(text, separator, False)
    if odd is not None:
        assert (problem, line, fields) == (FIELDS, *odd)
    else:
        assert (records, problem) == (len(counts), FINE)
        assert fields == (counts[0][1] if counts else 0)
    for place, (number, count) in enumerate(counts):
        assert scan(text, separator, False, 0, place)[2:] == (number, count)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_blanks_separate_words(text: str) -> None:
    lines = text.split("\n")[: None if not text.endswith("\n") and text else -1]
    counts = [(number, len(re.findall(r"[^ \t\v\f\r]+", line))) for number, line in enumerate(lines, 1)]
    counts = [(number, count) for number, count in counts if count]
    odd = next(((number, count) for number, count in counts if count != counts[0][1]), None)
    records, problem, line, fields = scan(text, "", False)
    if odd is not None:
        assert (problem, line, fields) == (FIELDS, *odd)
    else:
        assert (records, problem) == (len(counts), FINE)


def next_record(reader: Any) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error:  # behind a record with too many or too few fields
        return None


@settings(max_examples=1000, deadline=None)
@given(texts)
@example('"a\n"\n\n"b""c",d')
@example('"a"\r\n"b"\r\n')
@example('"a" ,b')
@example('a,"')
@example('""')
@example('"",')
def test_quotes_stand_around_fields(text: str) -> None:
    """What is accepted is what the csv module reads strictly, and lines are where its records begin."""
    records, problem, line, fields = scan(text, ",", True)
    if problem in (STRAY, OPEN):
        assert 1 <= line <= text.count("\n") + 1 and '"' in text
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found, before = [], 0
    while (record := next_record(reader)) is not None:
        if record and not (len(record) == 1 and '"' not in text and not record[0].strip(" ")):
            found.append((before + 1, len(record)))
        before = reader.line_num
    if '"' in text:  # the module does not tell a blank from a quoted blank
        plain = text.split("\n")
        found = [(number, count) for number, count in found if count > 1 or not is_blank(plain[number - 1])]
    odd = next(((number, count) for number, count in found if count != found[0][1]), None)
    if problem == FIELDS:
        assert odd == (line, fields)
    else:
        assert odd is None and records == len(found)
        for place, (number, count) in enumerate(found):
            assert scan(text, ",", True, 0, place)[2:] == (number, count)


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ('a,b\n1,"2\n3\n', OPEN, 2),
        ('a,b\n"1\n\n1","2\n3\n', OPEN, 4),
        ('a,b\n1,2"\n', STRAY, 2),
        ('a,b\n"1\n1"x,2\n', STRAY, 3),
        ('a,b\n"1"\r,2\n', STRAY, 2),
        ('"a\nb",c\n\n1\n', FIELDS, 4),
        ('"a\nb",c\n\n"1\n2"\n', FIELDS, 4),
    ],
)
def test_problems_are_on_their_line(text: str, problem: str, line: int) -> None:
    assert scan(text, ",", True)[1:3] == (problem, line)


def test_a_number_of_fields_can_be_asked_for() -> None:
    assert scan("a b c\nd e f\n", "", False, 3)[:2] == (2, FINE)
    assert scan("a b c\nd e f\n", "", False, 4)[1:] == (FIELDS, 1, 3)
    assert scan("", ",", True) == (0, FINE, 0, 0)


def test_a_separator_is_one_byte() -> None:
    with pytest.raises(ValueError, match="a separator is one byte"):
        kernels.scan_table(b"", "ab", False)
    with pytest.raises(ValueError, match="quotes need a separator"):
        kernels.scan_table(b"", "", True)


@settings(max_examples=400, deadline=None)
@given(texts, st.integers(0, 2), st.integers(0, 3))
def test_what_stands_in_the_middle_of_a_line_becomes_one_field(text: str, before: int, after: int) -> None:
    found, n_joined = kernels.with_middle_joined(text.encode(), before, after, "\x1f")
    lines = found.decode().split("\n")
    assert len(lines) == len(text.split("\n")), "no line moves"
    n_wide = 0
    for line, was in zip(lines, text.split("\n"), strict=True):
        words = list(re.finditer(r"[^ \t\v\f\r]+", was))
        expected = [word[0] for word in words]
        if len(words) > before + after + 1:
            n_wide += 1
            middle = was[words[before].start() : words[len(words) - after - 1].end()]
            expected = [*expected[:before], middle, *expected[len(words) - after :]]
        assert line.split("\x1f") == (expected or [""])
    assert n_joined == n_wide
