"""What each metric is, as text: from its docstring, its parameters and the conventions."""

from __future__ import annotations

import inspect
import re
import shlex
import textwrap
import types
from collections.abc import Mapping
from dataclasses import fields
from itertools import chain, zip_longest
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from xml.etree import ElementTree

from aspectrum import metrics as _metrics  # noqa: F401  so that they are registered
from aspectrum.conventions import CONVENTIONS, Convention, TieOrder
from aspectrum.inputs import OPTIONS
from aspectrum.metric import FAMILIES, AspectMetric, Metric, parse, registered
from aspectrum.metric_text import written
from aspectrum.report.content import Definition

DIRECTIONS = {True: "Higher is better.", False: "Lower is better.", None: "Neither higher nor lower is better."}
_SECTIONS = ("Args", "Range", "Undefined", "References", "Examples")

_INPUTS = (
    *("subtopics", "aspects", "history", "relevance", "features", "weights", "groups"),
    *("popularity", "popularity_users", "lengths", "baseline", "graph", "catalogue"),
)


def list_metrics(width: int = 120, *, family: str | None = None) -> str:
    """A table of all metrics, or of a family: name, other names, what it is in a sentence.

    >>> list_metrics().splitlines()[0].split("  ")[0]
    'Metric'
    """
    rows = [
        [name, ", ".join(metric.aliases) or "-", _first_sentence(docstring_parts(metric)["summary"])]
        for name, metric in sorted(registered().items())
        if family is None or metric.family in FAMILIES[family]
    ]
    first = max([len("Metric"), *(len(name) for name, _, _ in rows)])
    second = min(34, max([len("Other names"), *(len(others) for _, others, _ in rows)]))
    third = max(20, width - first - second - 4)
    lines = [["Metric", "Other names", "What it is"], ["-" * first, "-" * second, "-" * third]]
    for name, others, summary in rows:
        left, right = textwrap.wrap(others, second, break_on_hyphens=False), textwrap.wrap(summary, third)
        lines.extend(map(list, zip_longest([name], left, right, fillvalue="")))
    return "\n".join(f"{name:{first}}  {others:{second}}  {summary}".rstrip() for name, others, summary in lines)


def describe_metric(name: str, width: int = 100) -> str:
    """All there is to know of a metric, by any name that can be parsed.

    >>> print(describe_metric("nNRBP").splitlines()[0])
    NRBP: Gain of a patient user in which repeated aspects gain less, scaled so that nothing exceeds 1.
    """
    asked = parse(name)
    metric = type(asked)
    parts = docstring_parts(metric)
    own = metric.__name__
    names = [f"{alias} ({_assigned(preset)})" if preset else alias for alias, preset in metric.aliases.items()]
    changes = {convention.name: changes_of(convention, metric) for convention in CONVENTIONS.values() if convention.has(metric)}
    example = asked.at(10) if asked.cutoffs == (-1,) else asked
    blocks = [
        textwrap.fill(f"{own}: {parts['summary']}", width),
        f"{name.strip()} stands for {asked}" if str(asked) not in (own, name.strip()) else "",
        _block("Other names", _wrapped(", ".join(names), width)),
        _block("Formula (TeX)", parts["formula"].splitlines()),
        *(textwrap.fill(paragraph, width) for paragraph in parts["text"]),
        _block("Parameters", [line for parameter in parameters_of(metric) for line in _parameter_lines(parameter, width)]),
        f"Family: {metric.family}. {DIRECTIONS[metric.higher_is_better]}",
        _block("Range", _wrapped(parts["Range"], width)),
        _block("Undefined", _wrapped(parts["Undefined"], width)),
        _block("Conventions", [line for tool, change in changes.items() for line in _wrapped(f"{tool}: {change}", width, "  ")]),
        _block("References", _wrapped(parts["References"], width)),
        _block("Example", parts["Examples"].splitlines()),
        _block(
            "Command line", [f"aspectrum evaluate RECS -m {shell_quoted(str(example))}{options}" for options in command_options(example)]
        ),
        textwrap.fill(NUGGETS, width) if any("subtopics" in names for names in needed_inputs(metric)) else "",
    ]
    return "\n\n".join(filter(None, blocks))


def metrics_as_data() -> list[dict[str, Any]]:
    """All metrics with plain values, as for JSON."""
    return [
        {
            "name": name,
            "aliases": {alias: dict(preset) for alias, preset in metric.aliases.items()},
            "summary": parts["summary"],
            "formula": parts["formula"],
            "parameters": parameters_of(metric),
            "range": parts["Range"],
            "undefined": parts["Undefined"],
            "references": parts["References"],
            "family": metric.family,
            "higher_is_better": metric.higher_is_better,
            "needs": [list(inputs) for inputs in needed_inputs(metric)],
        }
        for name, metric in sorted(registered().items())
        for parts in [docstring_parts(metric)]
    ]


def formula_mathml(metric: Metric | type[Metric]) -> str:
    """The formula as MathML, safe to embed in a page; empty without the library of the extra ``report``, or where it fails.

    >>> from aspectrum.metrics import DCG
    >>> print(formula_mathml(DCG))  # doctest: +ELLIPSIS
    <math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow><munder><mo>∑</mo>...</math>
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return ""
    try:
        formula = ElementTree.fromstring(convert(docstring_parts(_class_of(metric))["formula"], display="block"))
    except Exception:  # whatever it does not understand; the page then shows the TeX
        return ""
    return "" if any("\\" in text for text in formula.itertext()) else ElementTree.tostring(_plain_mathml(formula), "unicode")


def explained(metric: Metric) -> Definition:
    """A metric with its parameters, for readers of a report.

    >>> from aspectrum.metrics import AlphaNDCG
    >>> definition = explained(AlphaNDCG(k=10, alpha=0.9))
    >>> definition.meaning
    'Discounted gain of a list in which repeated aspects gain less, over that of the ideal list.'
    >>> definition.parameters["alpha"], definition.parameters["ideal"], definition.parameters["pool"]
    ('0.9 (default: 0.5)', 'greedy', 'default')
    """
    parts = docstring_parts(type(metric))
    defaults = {parameter.name: parameter.default for parameter in fields(metric)}

    def shown(name: str, value: Any) -> str:
        changed = value != defaults[name] and defaults[name] is not None
        return f"{_value(value)} (default: {_value(defaults[name])})" if changed else _value(value)

    return Definition(
        meaning=_first_sentence(parts["summary"]),
        formula=formula_mathml(metric),
        tex=parts["formula"],
        parameters={name: shown(name, value) for name, value in metric.parameters.items()},
        undefined=parts["Undefined"],
        reference=parts["References"],
    )


_MATHML = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = re.compile("math|mfrac|mi|mn|mo|mover|mroot|mrow|mspace|msqrt|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover")
_ATTRIBUTES = re.compile("accent|display|fence|form|linethickness|lspace|mathvariant|maxsize|minsize|rspace|separator|stretchy|width")


def _plain_mathml(element: ElementTree.Element) -> ElementTree.Element:
    """A copy with the elements and attributes that formulas need, and no others: links and scripts go."""
    name = element.tag.rpartition("}")[2]
    if name == "mi" and element.text == ":":
        name = "mo"  # a relation, with space around
    copy = ElementTree.Element(name, {"xmlns": _MATHML} if name == "math" else {})
    copy.attrib |= {key: value for key, value in element.attrib.items() if _ATTRIBUTES.fullmatch(key)}
    copy.text = element.text
    copy.extend([_plain_mathml(child) for child in element if _ELEMENTS.fullmatch(child.tag.rpartition("}")[2])])
    return copy


def _class_of(metric: Metric | type[Metric]) -> type[Metric]:
    return metric if isinstance(metric, type) else type(metric)


def _value(value: Any) -> str:
    """The value of a parameter for readers; None leaves the choice to the data, or to the other parameters."""
    return "default" if value is None else written(value).strip("'")


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s+(?=[A-Z])", text, maxsplit=1)[0]


NUGGETS = "Nuggets (--nuggets FILE; in Python subtopics=asp.Nuggets.read(FILE)) may take the place of subtopics."


def needed_inputs(metric: Metric | type[Metric]) -> list[tuple[str, ...]]:
    """The smallest sets of inputs that the metric can be computed from, beside the lists, as it declares them.

    >>> from aspectrum.metrics import AlphaNDCG
    >>> needed_inputs(AlphaNDCG)
    [('subtopics',), ('aspects', 'history'), ('aspects', 'relevance')]
    """
    one = metric() if isinstance(metric, type) else metric
    enough = [tuple(name for name in _INPUTS if name in names) for names in one.needs_at_cutoffs()]
    smallest = [names for names in enough if not any(set(other) < set(names) for other in enough)]
    return sorted(smallest, key=lambda names: (len(names), [_INPUTS.index(name) for name in names]))


def options_of(hint: Any) -> tuple[Any, ...]:
    """What a parameter may be, by its annotation."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def command_options(metric: Metric | type[Metric]) -> list[str]:
    """Options of the command line for each set of inputs that is enough; if none is needed, for those of the example."""
    needed = needed_inputs(metric)
    if needed == [()]:
        needed = [tuple(name for name in _INPUTS if re.search(rf"\b{name}=", docstring_parts(_class_of(metric))["Examples"]))]
    if isinstance(metric, AspectMetric) and metric.counts_listed:  # subtopics alone do not say which aspects are listed
        needed = [tuple("nuggets" if name == "subtopics" else name for name in names) for names in needed] + [
            (*names, *(() if "weights" in names else ("weights",))) for names in needed
        ]
    return [
        "".join(f" --{OPTIONS.get(name, name).replace('_', '-')} {'N' if name == 'popularity_users' else 'FILE'}" for name in names)
        for names in needed
    ] or [""]


def shell_quoted(text: str) -> str:
    """As an argument in a shell."""
    return shlex.quote(text) if re.search(r'["$`\\!]', text) else f'"{text}"'


def _assigned(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={written(value)}" for name, value in values.items())


def docstring_parts(metric: type[Metric]) -> dict[str, Any]:
    """The docstring taken apart, in plain text: summary, formula, text, and one entry per section."""
    lines = inspect.cleandoc(metric.__doc__ or "").splitlines()
    starts = {line[:-1]: place for place, line in enumerate(lines) if line.endswith(":") and line[:-1] in _SECTIONS}
    ends = [*starts.values(), len(lines)]
    sections = {
        name: textwrap.dedent("\n".join(lines[start + 1 : end])).strip()
        for (name, start), end in zip(starts.items(), ends[1:], strict=True)
    }
    arguments = re.split(r"^(\w+):\s", sections.get("Args", ""), flags=re.MULTILINE)
    paragraphs = "\n".join(lines[: ends[0]]).strip().split("\n\n")
    formula = " ".join(paragraph.removeprefix(".. math::") for paragraph in paragraphs if paragraph.startswith(".. math::"))
    text = [_plain(paragraph) for paragraph in paragraphs if not paragraph.startswith(".. math::")]
    return {
        "summary": text[0],
        "formula": " ".join(formula.split()),
        "text": text[1:],
        "Args": {name: _plain(meaning) for name, meaning in zip(arguments[1::2], arguments[2::2], strict=True)},
        "Range": _plain(sections.get("Range", "")),
        "Undefined": _plain(sections.get("Undefined", "")),
        "References": _plain(sections.get("References", "")),
        "Examples": sections.get("Examples", ""),
    }


def _plain(text: str) -> str:
    """Without the marks of reStructuredText."""
    return re.sub(r"(?::\w+:)?(`{1,2})~?([^`]+)\1", r"\2", " ".join(text.split()))


def parameters_of(metric: type[Metric]) -> list[dict[str, Any]]:
    described, hints, usual = docstring_parts(metric)["Args"], get_type_hints(metric), metric()
    in_tokens = "" if metric.in_tokens is None else "4000t is as many documents as fit into 4,000 tokens."
    return [
        {
            "name": parameter.name,
            "default": getattr(usual, parameter.name),
            "allowed": _allowed(parameter.name, hints[parameter.name]),
            "description": " ".join(filter(None, (described.get(parameter.name, ""), in_tokens if parameter.name == "k" else ""))),
        }
        for parameter in fields(metric)
    ]


def _allowed(name: str, hint: Any) -> list[str]:
    """What a parameter may be: words as they are written in a metric, or a kind of value."""
    if name == "k":
        return ["a whole number from 1", "several: @5,10", "-1 for the whole list"]
    kinds: dict[Any, list[str]] = {
        **{type(None): ["none"], bool: ["true", "false"]},
        **{int: ["a whole number"], float: ["a number"], str: ["text"]},
    }
    found = [
        map(written, get_args(option)) if get_origin(option) is Literal else kinds.get(option, ["{key: number, ...}"])
        for option in options_of(hint)
    ]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _parameter_lines(parameter: Mapping[str, Any], width: int) -> list[str]:
    default = "none" if parameter["default"] is None else written(parameter["default"])
    head = f"{parameter['name']} = {default}    ({' | '.join(parameter['allowed'])})"
    return [head, *textwrap.wrap(parameter["description"], width - 2, initial_indent="    ", subsequent_indent="    ")]


def changes_of(convention: Convention, metric: type[Metric]) -> str:
    """What a convention does to a metric, in words."""
    name = metric.__name__
    needed = convention.only.get(name, {})
    changes = (
        f"covered with {_assigned(needed)} only" if needed else "",
        _assigned(convention.parameters.get(name, {})),
        f"users averaged: {convention.users_of.get(name, convention.users)}",
        "an undefined score counts as 0" if name in convention.undefined_is_0 else "",
        "only history from the relevance threshold on counts" if convention.history_above_threshold else "",
        *(_READS[option, value] for option, value in convention.reads.items() if _concerns(option, metric)),
        _tie_order(convention.ties_of[name]) if name in convention.ties_of else "",
        "only judgments of relevant items count, where relevance is given" if name in convention.of_relevant_items else "",
    )
    return "; ".join(filter(None, changes))


def _tie_order(ties: TieOrder) -> str:
    within = "" if ties.cut is None else f", among the items up to the largest cutoff that is at most {ties.cut}"
    return f"{_READS['ties', ties.by]}{within}"


_READS: Mapping[tuple[str, Any], str] = {
    ("order", "input"): "lists are in input order",
    ("scores_before_ranks", True): "scores order a list that also has ranks",
    ("ties", "ascending"): "ties are in ascending order of item ids",
    ("ties", "descending"): "ties are in descending order of item ids",
    ("users_in_one_block", True): "the rows of a user must be in one block",
    ("one_aspect_per_item", True): "only the first aspect of an item counts",
    ("last_subtopic_only", True): "only the last subtopic of an item counts",
    ("aspects_in_order", True): "sums over aspects are in the order of their first appearance",
    ("features_are_sets", True): "only the presence of a feature counts, not its value",
}
"""How a convention reads inputs, in words."""


def _concerns(option: str, metric: type[Metric]) -> bool:
    """Whether a way to read inputs can change a metric."""
    of = {
        "one_aspect_per_item": {"aspects"},
        "last_subtopic_only": {"subtopics"},
        "aspects_in_order": {"aspects", "subtopics"},
        "features_are_sets": {"features"},
    }.get(option)
    return of is None or any(of & names for names in metric().needs())


def _wrapped(text: str, width: int, further: str = "") -> list[str]:
    return textwrap.wrap(text, width - 2, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _block(head: str, lines: list[str]) -> str:
    """Lines below their head; nothing if there are none."""
    return "\n".join([f"{head}:", *(f"  {line}".rstrip() for line in lines)]) if lines else ""
