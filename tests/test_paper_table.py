"""Tables for papers: as many cells in every row, nothing unescaped, and the choices of the user."""

import math
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.paper_table import Cell, Heading, PaperTable, short_names

HOSTILE = (
    r"\input{/etc/passwd}",
    r"\\ \hline & x",
    "[2em] *starred",
    "a | b <b>c</b> `d` **e**",
    '"quoted" `a\' ^ ~ % # $x$ {',
    "😀👨‍👩‍👧",
    "שלום עולם \u202eabc\u202c",
    "two\nlines\x00\x1b[31m",
    "x" * 10_000,
    "\ud800",
    "",
    "-- --- ▲",
)
METRICS = (Heading.of(asp.AlphaNDCG(k=10)), Heading.of(asp.EPC(k=10)), Heading.plain(r"my & \own_metric"))


def table(systems: tuple[str, ...] = HOSTILE, columns: tuple[Heading, ...] = METRICS, **options: Any) -> PaperTable:
    looks: list[dict[str, Any]] = [{}, {"bold": True, "marks": "▲"}, {"underline": True, "marks": "▼†a*"}]
    cells = tuple(
        tuple(
            Cell(math.nan if (row + column) % 7 == 6 else (row - column) / 7, **looks[(row + column) % 3]) for column in range(len(columns))
        )
        for row in range(len(systems))
    )
    return PaperTable(systems, columns, cells, **options)


def latex_rows(latex: str) -> list[list[str]]:
    """Cells of a tabular, by a reader that knows escapes and braces; everything is closed that is opened."""
    assert_closed(latex)
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    rows, depth = [[""]], 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", body, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == r"\\":
            rows.append([""])
        elif token == "&" and depth == 0:
            rows[-1].append("")
        elif token not in (r"\toprule", r"\midrule"):
            rows[-1][-1] += token
    assert not "".join(rows.pop()).strip()
    return [[cell.strip() for cell in row] for row in rows]


def assert_closed(latex: str) -> None:
    depth, maths, environments = 0, False, []
    for line in latex.splitlines():
        if line.startswith("%"):
            continue
        for token in re.findall(r"\\(?:begin|end)\{\w+\}|\\[A-Za-z]+|\\.|.", line):
            if token.startswith(r"\begin"):
                environments.append(token[7:-1])
            elif token.startswith(r"\end{"):
                assert environments.pop() == token[5:-1]
            depth += {"{": 1, "}": -1}.get(token, 0)
            maths ^= token == "$"
            assert depth >= 0
            assert token != "%"
    assert (depth, maths, environments) == (0, False, [])


COMMANDS = {
    *(
        "begin",
        "end",
        "centering",
        "caption",
        "label",
        "toprule",
        "midrule",
        "bottomrule",
        "par",
        "smallskip",
        "footnotesize",
        "scriptsize",
    ),
    *("textbf", "underline", "rlap", "mbox", "blacktriangle", "blacktriangledown", "dagger", "ast", "alpha", "symbol"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater"),
}


@pytest.mark.parametrize("systems_as", ["rows", "columns"])
def test_every_row_has_as_many_cells_whatever_the_names(systems_as: Any) -> None:
    made = table(systems_as=systems_as, caption=" ".join(HOSTILE), label=HOSTILE[0], footnote=" ".join(HOSTILE))
    latex = made.to_latex()
    shape = (len(HOSTILE) + 1, len(METRICS) + 1) if systems_as == "rows" else (len(METRICS) + 1, len(HOSTILE) + 1)
    rows = latex_rows(latex)
    assert (len(rows), {len(row) for row in rows}) == (shape[0], {shape[1]})
    assert f"{{l{'r' * (shape[1] - 1)}}}" in latex
    body = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    assert set(re.findall(r"\\([A-Za-z]+)", body)) <= COMMANDS
    assert r"\label{-input--etc-passwd-}" in latex
    assert len(latex) < 12_000
    markdown = made.to_markdown().split("\n\n")
    lines = markdown[1].splitlines()
    assert len(lines) == shape[0] + 1
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {shape[1] + 1}
    assert set(re.findall(r"(?<!\\)<(/?\w+)>", made.to_markdown())) == {"u", "/u", "sup", "/sup"}
    for text in (latex, made.to_markdown()):
        text.encode()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", text)


@given(st.lists(st.text(), min_size=1, max_size=3), st.text(), st.text())
def test_any_text_is_only_text(systems: list[str], metric: str, said: str) -> None:
    made = table(tuple(systems), (Heading.plain(metric),), caption=said, label=said, footnote=said)
    assert {len(row) for row in latex_rows(made.to_latex())} == {2}
    lines = [line for line in made.to_markdown().split("\n\n")[-2 if made.footnote else -1].splitlines() if line.startswith("| ")]
    assert len(lines) == len(systems) + 2


def test_names_stay_apart() -> None:
    long = "x" * 100
    assert len(set(short_names([f"{long}a{long}", f"{long}b{long}", "c", "c", "c (2)"]))) == 5
    assert short_names(["short"]) == ["short"]
    assert len(short_names([long])[0]) == 40


def test_cells() -> None:
    cells = (Cell(0.4136, bold=True, marks="▲"), Cell(-0.00001), Cell(-0.25, underline=True), Cell(math.nan))
    made = PaperTable(("A",), tuple(map(Heading.plain, "wxyz")), (cells,))
    assert latex_rows(made.to_latex())[1] == ["A", r"\textbf{0.414}\rlap{$^{\blacktriangle}$}", "0.000", r"\underline{$-$0.250}", "--"]
    assert made.to_markdown().splitlines()[-1] == "| A | **0.414**<sup>▲</sup> | 0.000 | <u>−0.250</u> | -- |"
    percent = replace(made, percent=True)
    assert latex_rows(percent.to_latex())[1][1] == r"\textbf{41.4}\rlap{$^{\blacktriangle}$}"
    assert "Values in percent." in percent.to_latex()
    assert percent.to_markdown().endswith("\n\nValues in percent.")
    assert latex_rows(replace(made, digits=5).to_latex())[1][2] == "$-$0.00001"
    assert latex_rows(replace(made, digits=1, percent=True).to_latex())[1][3] == r"\underline{$-$25}"
    assert latex_rows(replace(made, digits=0).to_latex())[1][4] == "--"


def test_packages_are_named() -> None:
    plain = PaperTable(("A",), METRICS[:1], ((Cell(0.5),),))
    assert plain.to_latex().startswith("% Packages: booktabs\n")
    assert replace(plain, cells=((Cell(0.5, marks="▼"),),)).to_latex().startswith("% Packages: booktabs, amssymb\n")
    assert "XeLaTeX" in replace(plain, systems=("שלום",)).to_latex().splitlines()[0]


def test_caption_label_and_footnote() -> None:
    made = table(("A", "B"), caption="Scores of α & β", label="tab:main_scores", footnote="▲: p < 0.05, Holm.")
    latex = made.to_latex()
    assert latex.index(r"\caption{Scores of $\alpha$ \& $\beta$}") < latex.index(r"\label{tab:main_scores}") < latex.index(r"\toprule")
    assert r"{\footnotesize $\blacktriangle$: p \textless{} 0.05, Holm.\par}" in latex
    assert made.to_markdown().startswith("Scores of α & β\n\n| System |")
    assert made.to_markdown().endswith("\n\n▲: p \\< 0.05, Holm.")


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(asp.InputError, match="a table of 2 systems and 1 metrics has 1 rows of 1 cells"):
        PaperTable(("A", "B"), METRICS[:1], ((Cell(1.0),),))
    with pytest.raises(asp.InputError, match="has 1 rows of 2 cells"):
        PaperTable(("A",), METRICS[:1], ((Cell(1.0), Cell(1.0)),))
    with pytest.raises(asp.InputError, match="systems_as is 'row'"):
        table(systems_as="row")
    with pytest.raises(asp.InputError, match="digits is -1"):
        table(digits=-1)


def test_of_results() -> None:
    truth: dict[str, Any] = {"relevance": {"u": {"a": 2, "b": 1}}, "catalogue": ["a", "b"]}
    metrics = {"nDCG (ours)": "NDCG@1", "Recall@2": "Recall@2"}
    results = asp.evaluate_systems({"A_1": {"u": ["a"]}, "B": {"u": ["b"]}}, metrics, **truth)
    made = PaperTable.of_results(results, caption="All")
    assert latex_rows(made.to_latex()) == [["System", "nDCG (ours)", "Recall@2"], [r"A\_1", "1.000", "0.500"], ["B", "0.500", "0.500"]]
    assert latex_rows(replace(made, systems_as="columns").to_latex())[0] == ["Metric", r"A\_1", "B"]
    partly = asp.SystemResults({"A": results["A_1"], "B": asp.evaluate({"u": ["b"]}, "Recall@2", **truth)})
    assert latex_rows(PaperTable.of_results(partly).to_latex())[2] == ["B", "--", "0.500"]


def test_it_compiles(tmp_path: Path) -> None:
    if shutil.which("xelatex") is None and not os.environ.get("ASPECTRUM_REQUIRE_LATEX"):
        pytest.skip("xelatex is not installed")
    made = table(caption="All & more", label="tab:all", footnote="▲: p ≤ 0.05").to_latex()
    document = "\\documentclass{article}\\usepackage{booktabs,amssymb}\\begin{document}\n" + made + "\n\\end{document}"
    (tmp_path / "table.tex").write_text(document, encoding="utf-8")
    command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
