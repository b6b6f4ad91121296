r"""Text in LaTeX: anything escaped, and names of metrics such as ``$\alpha$-nDCG`` as plain Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from aspectrum.wording import one_line


def _command(letter: str) -> str:
    """The command of a Greek letter: Unicode and LaTeX call them alike, but for one."""
    name = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return name.lower() if letter.islower() else name.capitalize()


GREEK: Mapping[str, str] = {_command(letter): letter for letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"}
"""Greek letters by their commands."""

_SYMBOLS = {**GREEK, "sharp": "♯", "infty": "∞", "times": "×", "cdot": "·"}
_COMMAND = re.compile(r"\\([A-Za-z]+) ?")

_ESCAPED = (
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    # A row that begins with a bracket or a star would give it to the \\ before; babel makes commands of quotes.
    | {"[": "{[}", "]": "{]}", "*": "{*}", '"': r"\symbol{34}", "\u00a0": "~", "™": r"\texttrademark{}"}
    | {letter: f"$\\{command}$" for command, letter in GREEK.items()}
    | {"≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "≈": r"$\approx$", "−": "$-$", "×": r"$\times$"}
)
_NOT_LETTERS = ("So", "Cf", "Co", "Cn")
_VARIATIONS = range(0xFE00, 0xFE10)  # which turn a character into an emoji


def latex_text(text: str) -> str:
    r"""Any text on one line of LaTeX, without commands; symbols that no font of LaTeX has are spelt out as code points.

    >>> print(latex_text("A&B: 50 % α 🙂"))
    A\&B: 50 \% $\alpha$ U+1F642
    """
    return re.sub("--+", lambda dashes: "{}".join(dashes[0]), "".join(map(_escaped, one_line(text))))


def _escaped(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    odd = ord(character) >= 0x2000 and (unicodedata.category(character) in _NOT_LETTERS or ord(character) in _VARIATIONS)
    return f"U+{ord(character):04X}" if odd else character


def needs_unicode_engine(latex: str) -> bool:
    """Whether text has letters that pdfLaTeX does not set by itself: those beyond Latin."""
    return any(ord(character) >= 0x0250 and unicodedata.category(character)[0] in "LM" for character in latex)


def unicode_text(latex: str) -> str:
    r"""A name in LaTeX as plain Unicode: commands become their letters, formatting goes.

    >>> unicode_text(r"$\alpha$-nDCG")
    'α-nDCG'
    """
    return re.sub(r"[${}\\]", "", _COMMAND.sub(lambda command: _SYMBOLS.get(command[1], ""), latex))
