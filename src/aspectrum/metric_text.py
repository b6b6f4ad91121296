"""The text form of metrics, ``Name(parameter=value, ...)@k1,k2``, read and written without knowing any metric."""

import re
from typing import Any, NamedTuple

from aspectrum.errors import MetricError
from aspectrum.tokens import Cutoff, Tokens

_WORDS = {"true": True, "false": False, "none": None}


_BETWEEN = re.compile(r"(@(?:[,\s-]*\d+t?\b)+)[,;\s]+(?=[^\W\d])")  # cutoffs, then the name of another metric


def split_metrics(text: str) -> list[str]:
    """The text of each metric, should there be several in one.

    >>> split_metrics("NDCG@5,10, AlphaNDCG(alpha=0.5, ideal=exact)@10")
    ['NDCG@5,10', 'AlphaNDCG(alpha=0.5, ideal=exact)@10']
    """
    return _BETWEEN.sub(r"\1\n", text).split("\n") if "\n" not in text else [text]


def read_name(text: str) -> tuple[str, str, str | None]:
    """The name, the text of the parameters and that of the cutoffs, if there are any."""
    head, at, cutoffs = text.rpartition("@") if text.rfind("@") > text.rfind(")") else (text, "", "")
    name, _, inside = head.strip().partition("(")
    if inside and not inside.endswith(")"):
        raise MetricError(f"{text!r}: a closing bracket is missing; expected Name(parameter=value, ...)@k")
    return name.strip(), inside[:-1], cutoffs if at else None


_WITH_NUMBERS = re.compile(r"(.*?[^\s._])(?:[\s._]+(cut|at))?([\s._]+)(\d+(?:\s*,\s*\d+)*)", re.IGNORECASE)


class NumbersInName(NamedTuple):
    """A metric's name as other tools write it, with numbers: ``ndcg_cut_10``, ``P_10``, ``rbp.95``."""

    name: str
    numbers: str
    are_cutoffs: bool  # a word says so
    are_decimals: bool  # they may be: there is one, after a point


def read_numbers_in_name(name: str) -> NumbersInName | None:
    """The name and its numbers, if there are any at its end.

    >>> read_numbers_in_name("precision at 5")
    NumbersInName(name='precision', numbers='5', are_cutoffs=True, are_decimals=False)
    >>> read_numbers_in_name("rbp.95")
    NumbersInName(name='rbp', numbers='95', are_cutoffs=False, are_decimals=True)
    >>> read_numbers_in_name("AP")
    """
    found = _WITH_NUMBERS.fullmatch(name)
    if found is None:
        return None
    name, word, mark, numbers = found.groups()
    return NumbersInName(name, numbers, word is not None, word is None and mark == "." and "," not in numbers)


def read_cutoffs(text: str, whole: str) -> tuple[Cutoff, ...]:
    """Ranks, and tokens as in ``4000t``.

    >>> read_cutoffs("10,4000t", "AspectRecall@10,4000t")
    (10, Tokens(n=4000))
    """
    try:
        return tuple(_cutoff(k.strip()) for k in text.split(","))
    except ValueError:
        raise MetricError(f"{whole!r}: invalid cutoff {text.strip()!r}; expected such as 10 or 4000t, or several as 5,10") from None


def _cutoff(text: str) -> Cutoff:
    return Tokens(int(text[:-1])) if text.endswith(("t", "T")) else int(text)


def read_parameters(text: str, whole: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for piece in _split(text, ","):
        name, equals, value = piece.partition("=")
        if not equals or not name.strip():
            raise MetricError(f"{whole!r}: {piece.strip()!r} is not of the form parameter=value")
        if name.strip() in parameters:
            raise MetricError(f"{whole!r}: parameter {name.strip()!r} is given twice")
        parameters[name.strip()] = _read_value(value.strip(), whole)
    return parameters


def _read_value(text: str, whole: str) -> Any:
    if text.startswith("{") and text.endswith("}"):
        pairs = [_split(piece, ":") for piece in _split(text[1:-1], ",")]
        if any(len(pair) != 2 or any(piece.strip().startswith("{") for piece in pair) for pair in pairs):
            raise MetricError(f"{whole!r}: {text!r} is not of the form {{key: value, ...}}")
        keys = [_read_value(key.strip(), whole) for key, _ in pairs]
        for key in (key for place, key in enumerate(keys) if key in keys[:place]):
            raise MetricError(f"{whole!r}: {key!r} is given twice in {text!r}")
        return {key: _read_value(value.strip(), whole) for key, (_, value) in zip(keys, pairs, strict=True)}
    if text[:1] in ("'", '"'):
        if len(text) < 2 or text[-1] != text[0]:
            raise MetricError(f"{whole!r}: a quote is missing in {text!r}")
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _split(text: str, separator: str) -> list[str]:
    """Pieces between separators that stand outside quotes and braces."""
    pieces, depth, quote, escaped = [""], 0, "", False
    for character in text:
        if quote:
            escaped, closes = (character == "\\" and not escaped), character == quote and not escaped
            quote = "" if closes else quote
        elif character in "'\"":
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
        elif character == separator and depth == 0:
            pieces.append("")
            continue
        pieces[-1] += character
    return [piece for piece in pieces if piece.strip()]


def written(value: Any) -> str:
    """The value of a parameter as text that reads back."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{written(key)}: {written(number)}" for key, number in value) + "}"
    if isinstance(value, str) and not (value.isidentifier() and value.lower() not in (*_WORDS, "nan", "inf", "infinity")):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)
