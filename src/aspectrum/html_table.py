"""Tables for notebooks: a real HTML table that takes the colours of the page around it, and runs no script."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from aspectrum.wording import is_number, one_line, shortened

MOST_ROWS = 100
_LONGEST = 80

# The rules hold within the division only. Text has the colour of the page, whose theme need not be that of the system.
_STYLE = (
    ".aspectrum-table{overflow-x:auto;max-width:100%;color:inherit;--aspectrum-line:rgba(0,0,0,.2)}"
    "@media (prefers-color-scheme:dark){.aspectrum-table{--aspectrum-line:rgba(160,160,160,.45)}}"
    ".aspectrum-table table{border-collapse:collapse;color:inherit;background:transparent;font-variant-numeric:tabular-nums}"
    ".aspectrum-table caption{text-align:left;padding:.3em .6em;color:inherit}"
    ".aspectrum-table :is(th,td){padding:.25em .6em;border:0;border-bottom:1px solid var(--aspectrum-line);text-align:left;"
    "background:transparent;unicode-bidi:isolate}"
    ".aspectrum-table tbody th{font-weight:inherit}"
    ".aspectrum-table :is(th,td).number{text-align:right;white-space:nowrap}"
    ".aspectrum-table p{margin:.4em .6em;font-size:.9em;unicode-bidi:isolate;overflow-wrap:anywhere}"
)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", below: Iterable[str] = ()) -> str:
    """A table as HTML, for ``_repr_html_``: everything is escaped, and columns of numbers are aligned right.

    Args:
        head: A name for each column.
        rows: Cells as text, as many in each row; the first one names the row. Of many rows the first hundred are shown.
        caption: What the table shows.
        below: What there is to say about it, a paragraph each.

    >>> html_table(["Metric", "Value"], [["nDCG@10", "0.4134"]]).partition("<tbody>")[2].partition("</tbody>")[0]
    '<tr><th scope="row">nDCG@10</th><td class="number">0.4134</td></tr>'
    """
    numbers = [any(cells) and all(is_number(cell) for cell in cells if cell) for _, *cells in zip(head, *rows, strict=True)]
    left = len(rows) - MOST_ROWS
    parts = [
        f"<caption>{_text(caption)}</caption>" if caption else "",
        f"<thead>{_row(head, numbers, 'col')}</thead>",
        f"<tbody>{''.join(_row(row, numbers, 'row') for row in rows[:MOST_ROWS])}</tbody>",
    ]
    said = [*([f"{left} more {'row is' if left == 1 else 'rows are'} not shown."] if left > 0 else []), *below]
    paragraphs = "".join(f"<p>{html.escape(one_line(text))}</p>" for text in said)
    return f'<div class="aspectrum-table"><style>{_STYLE}</style><table>{"".join(parts)}</table>{paragraphs}</div>'


def _row(cells: Sequence[str], numbers: Sequence[bool], scope: str) -> str:
    """A row of heads (``col``), or of cells whose first is the head of the row (``row``)."""
    shown = []
    for place, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
        kind, of = ("th", f' scope="{scope}"') if scope == "col" or place == 0 else ("td", "")
        right = ' class="number"' if number else ""
        shown.append(f"<{kind}{of}{right}>{_text(cell)}</{kind}>")
    return f"<tr>{''.join(shown)}</tr>"


def _text(text: str) -> str:
    return html.escape(shortened(one_line(text), _LONGEST))
