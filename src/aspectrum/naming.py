r"""What readers call a metric: ``$\alpha$-nDCG@10`` in LaTeX, ``α-nDCG@10`` elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from aspectrum.metric import Metric
from aspectrum.metric_text import written
from aspectrum.tex import GREEK, latex_text, unicode_text


def latex_name(metric: Metric, name: str | None = None) -> str:
    r"""A metric's name as LaTeX source, with the parameters that are not the default.

    Args:
        metric: Which.
        name: What results call it: a name of the user's own stays as it is, escaped.

    >>> from aspectrum.metric import parse
    >>> print(latex_name(parse("AlphaNDCG(alpha=0.9)@10")))
    $\alpha$-nDCG@10 ($\alpha=0.9$)
    """
    return _name(metric, name, metric.symbol, latex_text, _latex_parameter)


def readable_name(metric: Metric, name: str | None = None) -> str:
    """The same as plain Unicode, which is not escaped: for text and, once escaped, HTML.

    >>> from aspectrum.metric import parse
    >>> readable_name(parse("AlphaNDCG(alpha=0.9, judged_by=history)@10"))
    'α-nDCG@10 (α=0.9, judged_by=history)'
    """
    return _name(metric, name, unicode_text(metric.symbol), str, lambda name, value: f"{GREEK.get(name, name)}={written(value)}")


def _name(metric: Metric, name: str | None, symbol: str, plain: Callable[[str], str], parameter: Callable[[str, Any], str]) -> str:
    if name is not None and name != str(metric):
        return plain(name)
    defaults = {one.name: one.default for one in fields(metric)}
    inside = ", ".join(parameter(name, value) for name, value in metric.parameters.items() if value != defaults[name])
    cutoffs = "" if metric.cutoffs == (-1,) else "@" + ",".join(map(str, metric.cutoffs))
    return f"{symbol}{cutoffs}" + (f" ({inside})" if inside else "")


def _latex_parameter(name: str, value: Any) -> str:
    if name not in GREEK:
        return latex_text(f"{name}={written(value)}")
    return f"$\\{name}={written(value)}$" if isinstance(value, float) else f"$\\{name}$={latex_text(written(value))}"
