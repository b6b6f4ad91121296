"""What is asked for: metrics, their text forms, names of one's own for them, and ``all@10``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from aspectrum import metrics as _metrics  # noqa: F401  so that their names can be parsed
from aspectrum.coding.ids import described, quoted
from aspectrum.conventions import Convention, convention_named
from aspectrum.diagnostics.notices import Either, Notice
from aspectrum.errors import MetricError, each
from aspectrum.inputs import TRUTH
from aspectrum.metric import Metric, parse, registered
from aspectrum.user_scores import AT_LEAST

Metrics = str | Metric | Iterable[str | Metric] | Mapping[str, str | Metric]
"""Metrics or their text forms; in a mapping, by names of one's own."""

_SUCH = "a metric such as 'NDCG@10' or asp.NDCG(k=10)"


@dataclass(frozen=True)
class Asked:
    """A metric, and what its number at each cutoff is called: by its text form, or by a name of the user's own."""

    metric: Metric
    names: tuple[str, ...]

    @classmethod
    def of(cls, metric: Metric, name: str | None = None) -> Asked:
        if name is None:
            return cls(metric, tuple(metric.names))
        if len(metric.cutoffs) == 1:
            return cls(metric, (name,))
        return cls(metric, tuple(name if cutoff < 0 else f"{name}@{cutoff}" for cutoff in metric.cutoffs))

    def at_cutoffs(self) -> list[tuple[str, Metric]]:
        """The metric at each cutoff, by name."""
        return [(name, self.metric.at(cutoff)) for name, cutoff in zip(self.names, self.metric.cutoffs, strict=True)]


def asked_for(
    metrics: Metrics | Sequence[Asked],
    inputs: Collection[str],
    conventions: Sequence[Convention],
    *,
    usual: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
) -> tuple[list[Asked], list[Notice]]:
    """The metrics, each cutoff of each once, and what is left out of ``all@10``: every metric that the inputs allow.

    Args:
        metrics: As a user gives them.
        inputs: What there is beside the lists.
        conventions: A metric of ``all@10`` can be computed under all of these.
        usual: Names of the metrics that ``usual@10`` stands for, where there is such a word.
        called: What users call the inputs, if it is something else.

    >>> [str(one.metric) for one in asked_for(["NDCG@5,10", "NDCG@10", "Recall@5"], (), ())[0]]
    ['NDCG@5,10', 'Recall@5']
    """
    words = {"all": registered(), **({"usual": usual} if usual else {})}
    read = each(partial(_read, name, one, words) for name, one in _given(metrics))
    if not read:
        raise MetricError("no metric was asked for")
    named = {name for one in read if isinstance(one, Asked) for name in one.names}
    seen: dict[str, Metric] = {}
    chosen: list[Asked | None] = []
    notices: list[Notice] = []
    for one in read:
        if isinstance(one, Asked):
            chosen.append(_rest(one, seen))
            continue
        lacks = {metric: [lacking_for_all(inputs, metric, way) for way in conventions] for metric in one.metrics}
        if not any(all(what == () for what in lacked) for lacked in lacks.values()):  # a doubtful number is better than none
            lacks = {metric: [lacking(inputs, metric, way) for way in conventions] for metric in one.metrics}
        notices += _left_out(one.text, lacks, called or {})
        for metric in (metric for metric, lacked in lacks.items() if not any(what != () for what in lacked)):
            others = [cutoff for cutoff in metric.cutoffs if str(metric.at(cutoff)) not in named]
            chosen.append(_rest(Asked.of(metric.at(tuple(others))), seen) if others else None)  # type: ignore[arg-type]
    found = [one for one in chosen if one is not None]
    if not found:
        there, under = " and ".join(inputs) or "the lists alone", " and ".join(way.name for way in conventions)
        where = Either("asp.registered() lists all metrics", "see aspectrum metrics")
        raise MetricError(f"no metric can be computed from {there} under convention {under}; ", where)
    return found, notices


def is_set(text: str, words: Collection[str] = ("all", "usual")) -> bool:
    """Whether a text is a word for several metrics, at sound cutoffs."""
    word, at, cutoffs = (piece.strip() for piece in text.partition("@"))
    if word.lower() not in words:
        return False
    if at and not re.fullmatch(r"(-1|[1-9][0-9]*)(,(-1|[1-9][0-9]*))*", cutoffs.replace(" ", "")):
        raise MetricError(f"{text!r}: the cutoffs {cutoffs!r} are not whole numbers from 1; expected {word}@5 or {word}@5,10")
    return True


@dataclass(frozen=True)
class _Several:
    """The metrics that one word stands for."""

    text: str
    metrics: tuple[Metric, ...]


def _given(metrics: Any) -> list[tuple[str | None, Any]]:
    """What was asked for, with its name if it has one."""
    if isinstance(metrics, str | Metric):
        return [(None, metrics)]
    if isinstance(metrics, Mapping):
        return list(metrics.items())
    if isinstance(metrics, type) and issubclass(metrics, Metric):
        return [(None, metrics)]
    if isinstance(metrics, bytes) or not isinstance(metrics, Iterable) or hasattr(metrics, "columns"):
        raise MetricError(f"metrics is {described(metrics)}, expected {_SUCH}, or several; lists come first, metrics second")
    return [(None, one) for one in metrics]


def _read(name: Any, given: Any, words: Mapping[str, Iterable[str]]) -> Asked | _Several:
    if isinstance(given, Asked):
        return given
    if name is not None and not isinstance(name, str):
        raise MetricError(f"metrics[{quoted(name)}]: a name is text, expected {{'my name': 'NDCG@10'}}; lists come first, metrics second")
    if isinstance(given, str) and is_set(given, words):
        if name is not None:
            raise MetricError(f"metrics[{name!r}]: {given!r} is several metrics, which cannot have one name")
        word, at, cutoffs = given.partition("@")
        return _Several(given.strip(), tuple(parse(f"{one}{at}{cutoffs}") for one in words[word.strip().lower()]))
    if isinstance(given, str | Metric):
        metric = parse(given) if isinstance(given, str) else given
    elif isinstance(given, type) and issubclass(given, Metric):
        raise MetricError(f"{given.__name__} is a class, not a metric; give an object, as asp.{given.__name__}(k=10)")
    elif name is not None:
        found = f"metrics[{name!r}] is {described(given)}"
        raise MetricError(f"{found}, expected {_SUCH}: a mapping has names and metrics; lists come first, metrics second")
    else:
        raise MetricError(f"{described(given)} is not a metric; expected {_SUCH}")
    if name is not None:
        _check_name(name, metric)
    return Asked.of(metric, name)


def _check_name(name: str, metric: Metric) -> None:
    """A name of one's own is not that of another metric, or of another column."""
    if name in ("user", "system") or name.endswith(AT_LEAST):
        raise MetricError(f"metrics[{name!r}]: scores of users have a column of that name; choose another name")
    try:
        other = parse(name)
    except MetricError:
        if name.strip():
            return
        raise MetricError(f"metrics[{name!r}]: the name is empty") from None
    if type(other) is not type(metric) or ("@" in name and other != metric):
        raise MetricError(f"metrics[{name!r}] is {metric}, but {name!r} is the name of another metric; choose another name")


def _rest(one: Asked, seen: dict[str, Metric]) -> Asked | None:
    """A metric without the cutoffs that were seen; None if nothing is left."""
    left: dict[str, Metric] = {}
    for name, metric in one.at_cutoffs():
        if name not in seen:
            seen[name] = left[name] = metric
        elif seen[name] != metric:
            raise MetricError(f"two metrics are called {name!r}: {seen[name]} and {metric}; give them different names")
    return Asked(one.metric.at(tuple(metric.cutoffs[0] for metric in left.values())), tuple(left)) if left else None  # type: ignore[arg-type]


def _left_out(text: str, lacks: Mapping[Metric, Sequence[Sequence[str] | None]], called: Mapping[str, str]) -> list[Notice]:
    """What is left out of several metrics, by what they lack."""
    because: dict[str, list[str]] = {}
    for metric, lacked in lacks.items():
        names = next((names for names in lacked if names != ()), ())
        if names != ():
            why = f"no {' and '.join(called.get(name, name) for name in names)}" if names else "not under this convention"
            because.setdefault(why, []).append(type(metric).__name__)
    said = [f"{', '.join(names)} ({why})" for why, names in because.items()]
    return [Notice("left_out", detail={"asked": text, "left_out": said})] if said else []


def lacking(inputs: Iterable[str], metric: Metric, convention: str | Convention | None = None) -> tuple[str, ...] | None:
    """The inputs that a metric, and who is averaged, lack beside the lists and some inputs; None if the convention does not allow it.

    >>> from aspectrum.metrics import AlphaNDCG
    >>> lacking(["aspects"], AlphaNDCG()), lacking(["subtopics"], AlphaNDCG())
    (('history',), ())
    """
    given, chosen = set(inputs), convention_named(convention)
    try:
        applied = chosen.applied(metric)
    except MetricError:
        return None
    judgments = {"relevance", "history", "subtopics"}
    whom = {"relevant": {"relevance"}, "judged": judgments, "both": judgments}.get(chosen.users_for(metric), set())
    lacked = min((names - given for names in applied.needs()), key=lambda names: ("subtopics" in names, len(names)))
    if whom and not whom & (given | lacked):
        lacked |= {next(name for name in TRUTH if name in whom)}
    return tuple(name for name in TRUTH if name in lacked)


def lacking_for_all(inputs: Collection[str], metric: Metric, convention: Convention) -> tuple[str, ...] | None:
    """The same, for a metric that nobody asked for by name: it should not be relative to what happens to be in the call."""
    lacked = lacking(inputs, metric, convention)
    return ("catalogue",) if lacked == () and metric.relative_to and not set(metric.relative_to) & set(inputs) else lacked


def is_enough(inputs: Iterable[str], metric: Metric, convention: str | Convention | None = None) -> bool:
    """Whether some inputs, beside the lists, are enough for a metric, and for who is averaged."""
    return lacking(inputs, metric, convention) == ()
