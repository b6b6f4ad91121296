"""Names of metrics for readers, in LaTeX and in plain Unicode."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metric import _in_words, parse
from aspectrum.naming import latex_name, readable_name
from aspectrum.tex import GREEK, latex_text, needs_unicode_engine, unicode_text

OURS = {name: metric for name, metric in asp.registered().items() if metric.__module__.startswith("aspectrum.")}


@pytest.mark.parametrize(
    ("text", "latex", "readable"),
    [
        ("AlphaNDCG@10", r"$\alpha$-nDCG@10", "α-nDCG@10"),
        ("AlphaNDCG(alpha=0.9)@10", r"$\alpha$-nDCG@10 ($\alpha=0.9$)", "α-nDCG@10 (α=0.9)"),
        ("ERRIA@5,10", "ERR-IA@5,10", "ERR-IA@5,10"),
        ("NDCG(gain=exponential)", "nDCG (gain=exponential)", "nDCG (gain=exponential)"),
        ("AspectRecall(judged_by=relevance)@5", r"Aspect recall@5 (judged\_by=relevance)", "Aspect recall@5 (judged_by=relevance)"),
        ("NRBP(beta=0.8, normalize=ideal)", r"NRBP ($\beta=0.8$, normalize=ideal)", "NRBP (β=0.8, normalize=ideal)"),
        (
            "AlphaDCG(gain=probabilistic, gamma={'x_%': 0.5})@3",
            r"$\alpha$-DCG@3 (gain=probabilistic, $\gamma$=\{'x\_\%': 0.5\})",
            "α-DCG@3 (gain=probabilistic, γ={'x_%': 0.5})",
        ),
    ],
)
def test_names(text: str, latex: str, readable: str) -> None:
    assert latex_name(parse(text)) == latex
    assert readable_name(parse(text)) == readable
    assert latex_name(parse(text), str(parse(text))) == latex


def test_a_name_of_the_users_own_stays() -> None:
    assert latex_name(asp.NDCG(k=10), "my_metric") == r"my\_metric"
    assert readable_name(asp.NDCG(k=10), "my_metric") == "my_metric"


@pytest.mark.parametrize("name", OURS)
def test_every_metric_has_a_name_of_its_own(name: str) -> None:
    metric = OURS[name](k=10)
    assert re.fullmatch(r"[\w♯ -]+@10", readable_name(metric))
    assert latex_name(metric).count("$") % 2 == 0
    others = [other for other in OURS.values() if other is not OURS[name]]
    assert readable_name(metric) not in [readable_name(other(k=10)) for other in others]


@pytest.mark.parametrize(
    ("name", "words"),
    [("UnseenShare", "Unseen share"), ("MAP", "MAP"), ("ERRFoo", "ERR foo"), ("CalibrationJS", "Calibration JS"), ("_my_own2", "my own2")],
)
def test_by_default_a_name_is_the_words_of_the_class(name: str, words: str) -> None:
    assert _in_words(name) == words


@given(st.text())
def test_escaped_text_has_no_commands(text: str) -> None:
    latex = latex_text(text)
    assert not re.search(r"[\n\r\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", latex)
    harmless = r"\\(?:[&%$#_{}]|text(?:backslash|asciitilde|asciicircum|less|greater)\{\}|texttrademark\{\}|symbol\{34\})"
    letters = "|".join((*GREEK, "leq", "geq", "pm", "approx", "times", "-"))
    rest = re.sub(rf"{harmless}|\$\\?(?:{letters})\$|\{{[\[\]*]\}}|\{{\}}", "", latex)
    assert not re.search(r'[\\{}$&%#_^<>"\[\]*]', rest)
    assert "--" not in latex


def test_what_latex_cannot_set_is_spelt_out() -> None:
    assert latex_text("🙂️") == "U+1F642U+FE0F"
    assert latex_text("\u200f") == "U+200F"
    assert latex_text("é ø ß") == "é ø ß"
    assert needs_unicode_engine(latex_text("שלום"))
    assert not needs_unicode_engine(latex_text("Ω é 🙂"))


@pytest.mark.parametrize(
    ("latex", "plain"), [(r"D$\sharp$-nDCG", "D♯-nDCG"), (r"\textit{S}-recall", "S-recall"), (r"$\alpha\beta$-nDCG", "αβ-nDCG")]
)
def test_latex_as_unicode(latex: str, plain: str) -> None:
    assert unicode_text(latex) == plain
