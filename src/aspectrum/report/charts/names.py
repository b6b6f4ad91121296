"""Names as they may be shown: made harmless, shortened, and measured."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

LONGEST = 18  # characters of a name in a chart
LONGEST_IN_TIP = 500
_ELLIPSIS = "…"
_JOINERS = "\u200c\u200d"  # Persian words and emoji are spelt with them
_NARROW, _SLIM, _BROAD = frozenset("ijl.,:;|!'` "), frozenset('frtI()[]{}/\\-"*'), frozenset("mwMW%@—…→")


def visible(text: str) -> str:
    r"""The text with everything that could steer a terminal, a parser or the direction of writing spelt out.

    >>> visible("a\x1b[31mb\u202ec\nd")
    'a\\x1b[31mb\\u202ec d'
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char in "\t\n\r":
        return " "
    kind = unicodedata.category(char)
    if kind in ("Cc", "Cs", "Zl", "Zp") or (kind == "Cf" and char not in _JOINERS) or ord(char) & 0xFFFE == 0xFFFE:
        return char.encode("unicode_escape", "surrogatepass").decode()
    return char


def isolated(text: str) -> str:
    """The text inside marks that keep letters written from right to left from reordering what is around them."""
    if text.isascii() or not any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
        return text
    return f"\u2068{text}\u2069"


def full_name(name: str) -> str:
    """A name for tooltips and sentences: visible, isolated, and of bounded length."""
    return isolated(shortened(visible(name[: 2 * LONGEST_IN_TIP]), LONGEST_IN_TIP) if len(name) > LONGEST_IN_TIP else visible(name))


def shortened(text: str, longest: int = LONGEST) -> str:
    """The beginning and the end of a long text; accents and joined emoji stay with the letter they belong to.

    >>> shortened("matrix-factorisation-2024-tuned")
    'matrix-fa…24-tuned'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    start, end = text[: longest - 1 - tail], text[len(text) - tail :]
    return start.rstrip("\u200d ") + _ELLIPSIS + end.lstrip("".join(char for char in set(end) if _hangs_on(char)) + " ")


def _hangs_on(char: str) -> bool:
    return unicodedata.combining(char) > 0 or char in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff"


def short_names(names: Sequence[str], longest: int = LONGEST) -> dict[str, str]:
    """Each name as charts write it: of names that would look alike, what differs; those that still do are numbered.

    >>> short_names(["a" * 30, "a" * 31, "b"])
    {'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 'aaaaaaa…aaaaaa (1)', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 'aaaaaaa…aaaaaa (2)', 'b': 'b'}
    >>> list(short_names(["wt12-indri-ql-catb-filtered", "wt12-indri-rm-cata-filtered"]).values())
    ['wt12-…ql-catb…', 'wt12-…rm-cata…']
    """
    seen = {name: visible(_ends(name)) for name in names}
    short = _telling({name: shortened(text, longest) for name, text in seen.items()}, seen, longest)
    counts: dict[str, int] = {}
    for text in short.values():
        counts[text] = counts.get(text, 0) + 1
    taken = {text for text, count in counts.items() if count == 1}
    numbers: dict[str, int] = {}
    for name, text in short.items():
        if counts[text] == 1:
            continue
        while True:
            numbers[text] = numbers.get(text, 0) + 1
            suffix = f" ({numbers[text]})"
            candidate = shortened(seen[name], longest - len(suffix)) + suffix
            if candidate not in taken:
                break
        short[name] = candidate
        taken.add(candidate)
    return short


def _telling(short: dict[str, str], seen: Mapping[str, str], longest: int) -> dict[str, str]:
    """Short names, in which those that look alike show where they differ."""
    alike: dict[str, list[str]] = {}
    for name, text in short.items():
        alike.setdefault(text, []).append(name)
    found = dict(short)
    for group in alike.values():
        texts = [seen[name] for name in group]
        if len(set(texts)) < 2:
            continue
        before = _n_shared(texts)
        after = min(_n_shared([text[::-1] for text in texts]), min(map(len, texts)) - before)
        room = longest - _HEAD - 2
        middles = {name: text[before : len(text) - after] for name, text in zip(group, texts, strict=True)}
        if before > _HEAD and all(0 < len(middle) <= room for middle in middles.values()):
            head = texts[0][:_HEAD] + _ELLIPSIS
            end = _ELLIPSIS if after else ""
            found |= {name: f"{head}{middle}{end}" for name, middle in middles.items()}
    return found


def _n_shared(texts: Sequence[str]) -> int:
    """How many characters texts begin with in common."""
    different = (place for place, characters in enumerate(zip(*texts, strict=False)) if len(set(characters)) > 1)
    return next(different, min(map(len, texts)))


_HEAD = 5
"""Characters at the start of a name that are kept before what differs."""


def _ends(name: str) -> str:
    """Enough of a very long name to shorten it, so that its length costs nothing."""
    return name if len(name) <= 400 else name[:200] + name[-200:]


def text_width(text: str, size: float = 13) -> float:
    """About how wide a text is, in the broader of the usual sans-serif fonts.

    >>> text_width("EASE + MMR") > text_width("EASE")
    True
    """
    return size * sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if char in _NARROW:
        return 0.33
    if char in _SLIM:
        return 0.42
    if char in _BROAD:
        return 1.0
    if char.isascii():
        return 0.72 if char.isupper() else 0.64
    if unicodedata.combining(char) or char in "\u200c\u200d\u2068\u2069\ufe0f":
        return 0
    return 1.35 if ord(char) > 0xFFFF else 1.05 if unicodedata.east_asian_width(char) in "WF" else 0.75


def fitting(text: str, width: float, size: float = 13) -> str:
    """The text, shortened in the middle until it fits a width."""
    longest = len(text)
    while longest > 3 and text_width(text, size) > width:
        longest -= 1
        text = shortened(text, longest)
    return text


def names_within(names: Sequence[str], width: float, size: float = 13) -> dict[str, str]:
    """Each name as a column of some width can show it, still different from one another.

    Args:
        names: All systems in the order of the report, so that a name is shortened alike everywhere.
    """
    for longest in range(LONGEST, 6, -1):
        short = short_names(names, longest)
        if all(text_width(text, size) <= width for text in short.values()):
            return short
    return {name: fitting(text, width, size) for name, text in short.items()}


def listed(names: Sequence[str], at_most: int = 4) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], at_most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    shown = list(names[:at_most])
    if len(names) > at_most:
        return f"{', '.join(shown)} and {len(names) - at_most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
