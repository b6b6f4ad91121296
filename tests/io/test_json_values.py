"""JSON files as Python values, and what is said of those that are none."""

import contextlib
import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aspectrum.errors import InputError
from aspectrum.io.json_values import JsonText, Place, json_text, path_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _values(text: str | bytes) -> list[tuple[int | None, Any]]:
    return [(place.line, value) for place, value in JsonText.of("bank.json", text if isinstance(text, bytes) else text.encode())]


def _error(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        _values(text)
    return str(caught.value)


@given(st.lists(VALUES, min_size=2, max_size=5), st.booleans())
def test_a_value_per_line(values: list[Any], ascii_only: bool) -> None:
    lines = [json.dumps(value, ensure_ascii=ascii_only) for value in values]
    assert _values("\n".join(lines).encode(errors="surrogatepass")) == list(enumerate(values, 1))
    assert _values("\n\n \n".join(lines) + "\r\n") == [(1 + 3 * place, value) for place, value in enumerate(values)]


@given(VALUES, st.sampled_from([None, 2]))
def test_one_document(value: Any, indent: int | None) -> None:
    assert _values(json.dumps(value, indent=indent)) == [(None, value)]
    assert _values(b"\xef\xbb\xbf\n" + json.dumps(value, indent=indent).encode() + b"\n\n") == [(None, value)]


def test_half_a_surrogate_is_text_as_any_other() -> None:
    assert _values('{"text": "\\ud800"}') == [(None, {"text": "\ud800"})]


def test_files_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "bank.json.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}'))
    assert [value for _, value in JsonText.read(str(path))] == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"b": [1, 2', "bank.json, line 2, column 12: the JSON value is not complete; was the file cut off?"),
        ('{"a": 1}\n\u00a0\n', "bank.json, line 2, column 1: is not valid JSON: expecting value, found '\\xa0'"),
        ('{"a": 1}\n\f\n', "bank.json, line 2, column 1: is not valid JSON: expecting value, found '\\x0c'"),
        ('{"a": 1}\n{"b": "tex', "bank.json, line 2, column 7: the JSON value is not complete; was the file cut off?"),
        ('{"a": [1\n{"b": 2}\n', "bank.json, line 1, column 9: the JSON value is not complete; was the file cut off?"),
        ('{\n"a": [1,\n', "bank.json, line 3, column 1: the JSON value is not complete; was the file cut off?"),
        ('{"a": 1}\n{"b": 1},\n{"c": 1}', "bank.json, line 2, column 9: is not valid JSON: extra data, found ','"),
        ("{a: 1}", "bank.json, line 1, column 2: is not valid JSON: expecting property name enclosed in double quotes, found 'a: 1}'"),
        ('{"a": {"b": [1, NaN]}}', "bank.json, a.b[1]: found NaN, which is not JSON, expected a finite number"),
        ('{}\n{"q": {"d 1": -Infinity}}', 'line 2, q["d 1"]: found -Infinity, which is not JSON, expected a finite number'),
        ('{"q": [{"x": 1, "y": 2, "x": 1}]}', 'bank.json, q[0]: duplicate key "x"'),
        ('{"x": {"q": 3}, "x": 2}', 'bank.json: duplicate key "x"'),
        ("[" * 100_000, "bank.json: values are nested too deeply to be read"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "bank.json: values are nested too deeply to be read"),
        ("{}\n" + "[" * 100_000 + "]" * 100_000, "bank.json, line 2: values are nested too deeply to be read"),
        ("", "bank.json: is empty, expected JSON"),
        ("\n \n", "bank.json: is empty, expected JSON"),
        ('{"a": ' + "1" * 5000 + "}", "bank.json: cannot be read as JSON: a number of more than 4,300 digits"),
        (b'{"a": 1}\n{"a": "\xe9"}', "line 2: byte 0xe9 is not UTF-8"),
        (b"PK\x03\x04" + b"x" * 40, "is a zip archive"),
    ],
)
def test_what_is_wrong_has_a_place(text: str | bytes, message: str) -> None:
    assert message in _error(text)


def test_a_long_line() -> None:
    long = "x" * 5_000_000
    assert _values(f'{{"a": ["{long}"]}}\n{{}}') == [(1, {"a": [long]}), (2, {})]
    assert _error(f'{{"a": ["{long}"') == "bank.json, line 1, column 5000010: the JSON value is not complete; was the file cut off?"


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\n 1eE+-.\\undaNI', max_size=60).map(str.encode))
def test_any_bytes_are_values_or_one_error(data: bytes) -> None:
    with contextlib.suppress(InputError):
        assert not any(isinstance(value, float) and math.isnan(value) for _, value in _values(data))


def test_places() -> None:
    place = Place("bank.jsonl", 3).at("nuggets", 2).at("relevant_corpus_ids")
    error = place.error("expected a list of document ids", 7)
    assert str(error) == "bank.jsonl, line 3, nuggets[2].relevant_corpus_ids: expected a list of document ids, found 7"
    assert str(Place("bank.json")) == "bank.json"
    assert path_text(("nugget_bank", 'Who "?"', 0)) == 'nugget_bank["Who \\"?\\""][0]'
    assert json_text([1, 2]) == "a list of 2" and json_text(None) == "null" and json_text("é\n") == '"é\\n"'
    assert json_text({"a": 1, "b": 2}) == 'an object with the keys "a", "b"' and json_text({}) == "an empty object"
