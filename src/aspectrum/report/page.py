"""A report as one HTML page that needs nothing else: no network, no script to be complete."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from aspectrum.report import figures
from aspectrum.report.charts import theme
from aspectrum.report.charts.names import visible
from aspectrum.report.charts.scale import Numbers
from aspectrum.report.charts.systems import Systems
from aspectrum.report.content import ListPair, Remark, Report, ShownList
from aspectrum.report.table import by_family, table

if TYPE_CHECKING:
    from jinja2 import Environment

LIMIT = 5_000_000
"""Bytes of a page; what does not fit is left out, and the notes say what."""

_WITHOUT_SCRIPT = (
    ".pair[hidden]{display:grid}.tools,.tbar .x,.tbar .seg,#lists .seg,#theme,.more,.live,.how .dl{display:none}"
    ".who .kind{display:inline}.systems button{pointer-events:none}"
    "select.pick{appearance:none;border:0;padding:0;background:none;pointer-events:none}"
)
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\ud800-\udfff\ufffe\uffff]")
"""What no parser accepts, or turns around the text that follows it."""
_KINDS = {"gain": "Largest gain", "loss": "Largest loss", "typical": "Typical user"}


def page(report: Report, *, limit: int = LIMIT) -> str:
    """The page of a report. The same report gives the same bytes."""
    return fitted(report, limit=limit)[0]


def fitted(report: Report, *, limit: int = LIMIT) -> tuple[str, tuple[str, ...]]:
    """The page, and what was left out of it to keep within the limit."""
    left_out: list[_Omission] = []
    for omission in (None, *_OMISSIONS):
        if omission is not None:
            left_out.append(omission)
        text = _rendered(report, left_out, limit)
        if len(text.encode()) <= limit:
            break
    return text, tuple(one.what for one in left_out)


@dataclass(frozen=True)
class _Omission:
    """Something that a page can do without."""

    what: str


_ALTERNATIVES = _Omission("metrics behind pickers")
_DATA_TABLES = _Omission("data tables")
_TIPS = _Omission("tooltips of the summary table")
_PANELS = _Omission("cutoff panels after the twelfth")
_USERS = _Omission("distributions and segments")
_OMISSIONS = (_ALTERNATIVES, _DATA_TABLES, _TIPS, _PANELS, _USERS)


def _rendered(report: Report, left_out: list[_Omission], limit: int) -> str:
    remarks = report.remarks
    if left_out:
        what = ", ".join(one.what for one in left_out)
        remarks = (*remarks, Remark(False, f"Left out to keep this file below {limit / 1e6:.3g} MB: {what}."))
    text = _templates().get_template("page.html").render(_content(replace(report, remarks=remarks), left_out)).lstrip()
    return _HARMFUL.sub("\ufffd", text)


def _content(report: Report, left_out: list[_Omission]) -> Mapping[str, Any]:
    systems = [_System.of(Systems.of(report), name) for name in report.systems]
    named = {system.name: system for system in systems}
    remarks = sorted(report.remarks, key=lambda remark: not remark.may_change_numbers)
    return {
        "report": report,
        "remarks": remarks,
        "n_may": sum(remark.may_change_numbers for remark in remarks),
        "systems": systems,
        "by_importance": [named[name] for name in Systems.of(report).by_importance],
        "baseline": None if report.baseline is None else named[report.baseline],
        "table": table(report, tips=_TIPS not in left_out),
        "scores": () if _DATA_TABLES in left_out else figures.scores(report),
        **_figures(report, left_out),
        "pairs": [_pair(report, pair, named) for pair in report.lists],
        "definitions": [measure for measure in by_family(report.measures) if measure.definition is not None],
        "policy": _policy(),
        "style": _file("report.css") + theme.stylesheet(),
        "without_script": _WITHOUT_SCRIPT,
        "focus": theme.focus_style(Systems.of(report)),
        "script": _file("report.js"),
        "data": _data(report),
    }


def _figures(report: Report, left_out: list[_Omission]) -> dict[str, figures.Figure | None]:
    most = 1 if _ALTERNATIVES in left_out else None
    found = {
        "trade_off": figures.trade_off(report, most),
        "differences": figures.differences(report, most),
        "cutoffs": figures.cutoffs(report, 12 if _PANELS in left_out else None),
        "distributions": None if _USERS in left_out else figures.distributions(report, most),
        "segments": None if _USERS in left_out else figures.segments(report, most),
        "lorenz": figures.lorenz(report),
        "aspects": figures.aspects(report),
    }
    if _DATA_TABLES in left_out:
        return {name: figures.without_data(figure) for name, figure in found.items()}
    return found


@dataclass(frozen=True)
class _System:
    """A system as templates name it."""

    index: int
    name: str
    short: str
    full: str
    slot: int | None
    key: str
    is_baseline: bool

    @classmethod
    def of(cls, systems: Systems, name: str) -> _System:
        from markupsafe import Markup

        return cls(
            systems.index(name),
            name,
            systems.short(name),
            systems.full(name),
            systems.slot(name),
            Markup(theme.key(systems, name)),
            name == systems.baseline,
        )


def _pair(report: Report, pair: ListPair, named: Mapping[str, _System]) -> Mapping[str, Any]:
    numbers = Numbers.of(report)
    return {
        "title": _KINDS[pair.kind],
        "metric": report.measure(pair.key).name,
        "change": " → ".join(numbers.value(shown.score) for shown in pair.lists),
        "user": visible(pair.user),
        "about": pair.about,
        "lists": [
            {"system": named[shown.system], "score": numbers.value(shown.score), "places": shown.items, "summary": _summary(shown)}
            for shown in pair.lists
        ],
    }


def _summary(shown: ShownList) -> str:
    n_items, n_relevant = len(shown.items), sum(item.relevant for item in shown.items)
    n_aspects = len({aspect for item in shown.items for aspect, _ in item.aspects})
    items = f"{n_items} item{'s' * (n_items != 1)}, {n_relevant} relevant"
    return f"{n_aspects} aspect{'s' * (n_aspects != 1)} in {items}" if n_aspects else items


def _data(report: Report) -> str:
    """What the script needs to know, unable to end the element it is in."""
    systems = Systems.of(report)
    data = {
        "systems": [visible(name) for name in report.systems],
        "short": [systems.short(name) for name in report.systems],
        "baseline": None if report.baseline is None else systems.index(report.baseline),
        "focus": [systems.index(name) for name in systems.in_colour],
        "metrics": [visible(measure.name) for measure in by_family(report.measures)],
        "keys": [visible(measure.key) for measure in by_family(report.measures)],
        "legend": visible(report.tested_by),
        "latex": [measure.latex for measure in by_family(report.measures)],
        "marks": [theme.MARKS[slot] for slot in (0, 1, 2, 3, 4, 5, None)],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _policy() -> str:
    """No request at all; of scripts, only ours runs."""
    digest = base64.b64encode(hashlib.sha256(_file("report.js").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def _file(name: str) -> str:
    return resources.files("aspectrum.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("aspectrum.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
