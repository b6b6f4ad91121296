"""Metrics as a configuration writes them: a list of text forms, or a mapping in RELISON's grammar and in a shorter one."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_origin, get_type_hints

from aspectrum.asked import is_set
from aspectrum.config.values import UNREADABLE, Mistakes, Value, unknown_key
from aspectrum.diagnostics.notices import COMMAND_LINE
from aspectrum.documentation import options_of
from aspectrum.errors import MetricError
from aspectrum.metric import Metric, parse
from aspectrum.wording import did_you_mean, listed, shortened

_MAX_METRICS = 10_000
TYPES = {
    "int": "a whole number",
    "long": "a whole number",
    "double": "a finite number",
    "boolean": "true or false",
    "string": "text",
}
_GRAMMAR = ("type", "values", "range")
_RANGE, _SPELLED = ("start", "end", "step"), "{start: 1, end: 10, step: 1}"
_HINTS: Mapping[Any, str] = {
    int | float: ". Between [ and ] a comma separates: put a metric with several cutoffs in quotes",
    dict: ". A name with parameters below it takes no dash, and text that holds ': ' needs quotes",
}

_Choices = list[tuple[Any, Value]]
"""Values of one parameter, each with the place it comes from."""


class MetricReader:
    """Reads metrics, and notes what is wrong with them."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._metrics: list[str | Metric] = []

    def read(self, written: Value) -> tuple[str | Metric, ...]:
        """Metrics, and words for several of them as they are: what they stand for depends on the inputs."""
        if isinstance(written.value, dict):
            for name, parameters in written.value.items():
                self._read_named(name, parameters)
        else:
            for entry in _several(written):
                self._read_text(entry)
        return tuple(self._metrics)

    def _read_text(self, written: Value) -> None:
        if isinstance(written.value, str):
            try:
                several = is_set(written.value)
                self._metrics.append(written.value if several else parse(written.value))
            except MetricError as error:
                self._mistakes.add(written, ("metrics",), error.said(COMMAND_LINE))
        elif written.value is not UNREADABLE:
            hint = next((hint for kind, hint in _HINTS.items() if isinstance(written.value, kind)), "")
            self._mistakes.add(written, ("metrics",), f"found {written.found}, expected a metric such as ILD@10{hint}")

    def _read_named(self, name: str, written: Value) -> None:
        where = ("metrics", name)
        try:
            metric = None if re.search(r"[@(]", name) else parse(name)
            if metric is None or metric.cutoffs != (-1,):
                raise MetricError(f"found the key {shortened(name)!r}, expected the name of a metric alone, with its parameters below it")
        except MetricError as error:
            self._mistakes.add(written, ("metrics",), error.said(COMMAND_LINE), key=True)
            return
        n_mistakes = len(self._mistakes)
        choices: dict[str, _Choices] = {}
        if isinstance(written.value, dict):
            choices = self._choices(metric, written.value, where)
            if "k" not in choices and any(map(_is_grammar, written.value.values())):
                said = "has no cutoff, expected cutoff: {type: int, values: [5, 10]}, or cutoff: -1 for the whole list"
                self._mistakes.add(written, where, said, key=True)
        elif written.value is None:
            self._mistakes.add(written, where, "has no cutoff, expected cutoff: 10, or cutoff: -1 for the whole list", key=True)
        elif written.value is not UNREADABLE:
            self._mistakes.add(written, where, f"found {written.found}, expected parameters such as {{cutoff: 10}}")
        n_metrics = math.prod(map(len, choices.values()))
        if n_metrics > _MAX_METRICS:
            said = f"the values combine to {n_metrics} metrics, expected at most {_MAX_METRICS}"
            self._mistakes.add(written, where, said, key=True)
            return
        sound = len(self._mistakes) == n_mistakes and all(choices.values())
        # A parameter without a sound value keeps its default, so that the others are still checked.
        built = self._combined(metric, {name: values for name, values in choices.items() if values}, written, where, sound)
        self._metrics += built if sound else ()

    def _combined(
        self, metric: Metric, choices: Mapping[str, _Choices], written: Value, where: tuple[str, ...], sound: bool
    ) -> Iterable[Metric]:
        """A metric for every combination of values, each once, in the order written."""
        built: dict[Metric, None] = {}
        reported: set[int] = set()
        for combination in itertools.product(*choices.values()):
            chosen = dict(zip(choices, combination, strict=True))
            values = {parameter: value for parameter, (value, _) in chosen.items()}
            made = _made(metric, values)
            if not isinstance(made, str):
                built[made] = None
                continue
            if not sound and " goes with " in made:
                continue  # what it goes with may be what has been reported
            # The parameter to blame is the one without which it does not fail, or fails otherwise.
            blamed = [name for name in values if _made(metric, {other: values[other] for other in values if other != name}) != made][:1]
            source = chosen[blamed[0]][1] if blamed else written
            if id(source) not in reported:  # a range may give thousands of wrong values
                reported.add(id(source))
                names = ["cutoff" if name == "k" and "k" not in written.value else name for name in blamed]
                self._mistakes.add(source, (*where, *names), made, key=source is written)
        return built

    def _choices(self, metric: Metric, parameters: Mapping[str, Value], where: tuple[str, ...]) -> dict[str, _Choices]:
        choices: dict[str, _Choices] = {}
        for name, written in parameters.items():
            own = "k" if name == "cutoff" else name
            if own != "k" and own not in metric.parameters:
                known = ("cutoff", *metric.parameters)
                said = f"{type(metric).__name__} has no parameter {shortened(name)!r}, expected {listed(known)}{did_you_mean(name, known)}"
                self._mistakes.add(written, where, said, key=True)
            elif own in choices:
                self._mistakes.add(written, where, "found both cutoff and k, expected one of them: they are the same", key=True)
            else:
                choices[own] = self._values(written, (*where, name), _takes_mapping(metric, own))
        return choices

    def _values(self, written: Value, where: tuple[str, ...], takes_mapping: bool) -> _Choices:
        if not isinstance(written.value, dict) or (takes_mapping and not _is_grammar(written)):
            return self._listed_values(written, where, None, takes_mapping)
        given: dict[str, Value] = written.value
        self._check_keys(given, _GRAMMAR, where)
        if not given:
            self._mistakes.add(written, where, "found an empty mapping, expected values or range in it")
        elif _is_grammar(written) and "values" not in given and "range" not in given:
            self._mistakes.add(written, where, "has neither values nor range, expected values: [5, 10]", key=True)
        kind = given["type"].value if "type" in given else None
        if "type" in given and not (isinstance(kind, str) and kind in TYPES):
            if kind is not UNREADABLE:
                said = f"found {given['type'].found}, expected {listed(TYPES)}{did_you_mean(kind, TYPES)}"
                self._mistakes.add(given["type"], (*where, "type"), said)
            kind = None
        choices: _Choices = []
        if "values" in given:
            choices += self._listed_values(given["values"], (*where, "values"), kind, takes_mapping)
        if "range" in given:
            choices += self._ranges(given["range"], (*where, "range"), kind)
        return choices

    def _listed_values(self, written: Value, where: tuple[str, ...], kind: str | None, takes_mapping: bool) -> _Choices:
        if written.value == []:
            self._mistakes.add(written, where, "found an empty list, expected at least one value")
        values = [(self._value(one, where, kind, takes_mapping), one) for one in _several(written)]
        return [choice for choice in values if choice[0] is not UNREADABLE]

    def _value(self, written: Value, where: tuple[str, ...], kind: str | None, takes_mapping: bool = False) -> Any:
        """One value, as its type wants it; unreadable once it has been reported."""
        value = written.value
        if value is UNREADABLE:
            return value
        if kind is not None:
            try:
                return _typed(written, kind)
            except (ValueError, KeyError, OverflowError):
                self._mistakes.add(written, where, f"found {written.found}, expected {TYPES[kind]}, as type: {kind} says")
                return UNREADABLE
        if isinstance(value, dict) and takes_mapping:
            return {_as_id(key): inner.plain for key, inner in value.items()}
        if isinstance(value, dict | list):
            self._mistakes.add(written, where, f"found {written.found}, expected a value, or a list of values")
            return UNREADABLE
        return value

    def _check_keys(self, given: Mapping[str, Value], known: Sequence[str], where: tuple[str, ...]) -> None:
        for key, inner in given.items():
            if key not in known:
                self._mistakes.add(inner, where, unknown_key(key, known), key=True)

    def _ranges(self, written: Value, where: tuple[str, ...], kind: str | None) -> _Choices:
        if kind in ("boolean", "string"):
            self._mistakes.add(written, where[:-1], f"a range goes with numbers, and type: {kind} says otherwise", key=True)
            return []
        if written.value == []:
            self._mistakes.add(written, where, "found an empty list, expected at least one range")
        return [(value, one) for one in _several(written) for value in self._range(one, where, kind)]

    def _range(self, written: Value, where: tuple[str, ...], kind: str | None) -> Sequence[float]:
        given: dict[str, Value] = written.value
        if not isinstance(given, dict):
            if given is not UNREADABLE:
                self._mistakes.add(written, where, f"found {written.found}, expected {_SPELLED}")
            return []
        self._check_keys(given, _RANGE, where)
        missing = [name for name in _RANGE if name not in given]
        if missing:
            self._mistakes.add(written, where, f"has no {listed(missing)}, expected {_SPELLED}")
        bounds = {name: inner for name, inner in given.items() if name in _RANGE}
        kind = kind or ("int" if all(isinstance(inner.value, int) for inner in bounds.values()) else "double")
        values = {name: self._value(inner, (*where, name), kind) for name, inner in bounds.items()}
        sound = {name: value for name, value in values.items() if value is not UNREADABLE}
        n_mistakes = len(self._mistakes)
        if sound.get("step", 1) <= 0:
            self._mistakes.add(given["step"], (*where, "step"), f"found {given['step'].found}, expected more than 0")
        if "start" in sound and "end" in sound and sound["start"] > sound["end"]:
            said = f"found {given['start'].found}, which is beyond the end {given['end'].text}; expected a start up to the end"
            self._mistakes.add(given["start"], (*where, "start"), said)
        if len(sound) < len(_RANGE) or len(self._mistakes) > n_mistakes:
            return []
        steps = _steps(sound["start"], sound["end"], sound["step"])
        if steps is None:
            self._mistakes.add(written, where, f"the steps from start to end are too many, expected at most {_MAX_METRICS}")
        return steps or []


def _several(written: Value) -> list[Value]:
    """The values of a list, or a single one."""
    return written.value if isinstance(written.value, list) else [written]


def _is_grammar(written: Value) -> bool:
    return isinstance(written.value, dict) and not written.value.keys().isdisjoint(_GRAMMAR)


def _as_id(key: str) -> Hashable:
    """Ids of aspects are numbers where they can be, as in the text form of a metric."""
    return int(key) if re.fullmatch(r"-?[0-9]{1,18}", key) else key


def _takes_mapping(metric: Metric, parameter: str) -> bool:
    return parameter != "k" and any(get_origin(option) is tuple for option in options_of(get_type_hints(type(metric))[parameter]))


def _made(metric: Metric, values: Mapping[str, Any]) -> Metric | str:
    """A metric with these parameters, or why it cannot have them."""
    try:
        return replace(metric, **values)
    except MetricError as error:
        return str(error)


def _typed(written: Value, kind: str) -> bool | int | float | str:
    """A value of a declared type, else an error. Quotes do not matter, as they do not in RELISON."""
    value, text = written.value, written.text
    if isinstance(value, dict | list) or value is None:
        raise ValueError
    if kind == "string":
        return text
    if kind == "boolean":
        return value if isinstance(value, bool) else {"true": True, "false": False}[text.lower()]
    if isinstance(value, bool) or (isinstance(value, float) and kind != "double"):
        raise ValueError
    if kind != "double":
        return int(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _steps(start: float, end: float, step: float) -> Sequence[float] | None:
    """From start to end by steps, both included; nothing if there are too many.

    The numbers are those that are written: 0.1 and 2 steps of 0.1 are 0.3, not 0.30000000000000004.
    """
    first, last, width = (Fraction(repr(number)) for number in (start, end, step))
    n_steps = (last - first) // width
    if n_steps >= _MAX_METRICS:
        return None
    values = [first + place * width for place in range(n_steps + 1)]
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        return [int(value) for value in values] + ([end] if values[-1] != last else [])
    # A third that is written with sixteen digits still ends at 1.
    if last - values[-1] <= (width / 10**9 if n_steps > 0 else 0):
        values.pop()
    return [float(value) for value in values] + [float(end)]
